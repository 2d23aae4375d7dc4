import Sortable from "sortablejs";

const record = (window.record = {});
const texts = (id) => [...document.getElementById(id).children].map((e) => e.textContent);
const onEnd = () => { record.todo = texts("todo"); record.done = texts("done"); };
onEnd();
for (const id of ["todo", "done"]) Sortable.create(document.getElementById(id), { group: "tasks", animation: 150, onEnd });
