import { Editor } from "@tiptap/core";
import StarterKit from "@tiptap/starter-kit";

const record = (window.record = {});
const bold = document.getElementById("bold"), list = document.getElementById("list");
const editor = new Editor({
  element: document.getElementById("editor"),
  extensions: [StarterKit],
  content: "",
  editorProps: { attributes: { role: "textbox", "aria-label": "Note text", "aria-multiline": "true" } },
  onUpdate: ({ editor }) => { record.html = editor.getHTML(); },
  onTransaction: ({ editor }) => {
    bold.setAttribute("aria-pressed", editor.isActive("bold"));
    list.setAttribute("aria-pressed", editor.isActive("bulletList"));
  },
});
bold.onclick = () => editor.chain().focus().toggleBold().run();
list.onclick = () => editor.chain().focus().toggleBulletList().run();
