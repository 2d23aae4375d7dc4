import { EditorView, basicSetup } from "codemirror";

const record = (window.record = {});
const view = new EditorView({
  doc: "select 1;\n",
  extensions: [basicSetup, EditorView.contentAttributes.of({ "aria-label": "SQL" }), EditorView.updateListener.of((u) => { if (u.docChanged) record.doc = u.state.doc.toString(); })],
  parent: document.getElementById("editor"),
});
document.getElementById("run").onclick = () => { record.ran = view.state.doc.toString(); document.getElementById("out").textContent = "Ran " + view.state.doc.lines + " lines"; };
