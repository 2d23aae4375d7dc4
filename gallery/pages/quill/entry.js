import Quill from "quill";
import "quill/dist/quill.snow.css";

const record = (window.record = {});
const q = new Quill("#editor", { theme: "snow", placeholder: "Write something" });
q.root.setAttribute("role", "textbox");
q.root.setAttribute("aria-label", "Article text");
q.root.setAttribute("aria-multiline", "true");
q.on("text-change", () => { record.text = q.getText(); record.html = q.getSemanticHTML(); });
