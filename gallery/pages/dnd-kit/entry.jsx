import { useState } from "react";
import { createRoot } from "react-dom/client";
import { DndContext, KeyboardSensor, PointerSensor, closestCenter, useSensor, useSensors } from "@dnd-kit/core";
import { SortableContext, arrayMove, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";

const record = (window.record = {});

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  return (
    <li ref={setNodeRef} style={{ transform: CSS.Transform.toString(transform), transition, listStyle: "none", border: "1px solid #999", margin: 4, padding: 4, width: 240 }}>
      <button type="button" aria-label={"Move " + id} style={{ touchAction: "none" }} {...attributes} {...listeners}>⠿</button> {id}
    </li>
  );
}

function Page() {
  const [items, setItems] = useState(["Alps", "Bergen", "Como", "Dover"]);
  record.order = items;
  const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  return (
    <>
      <h1>Route</h1>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={({ active, over }) => { if (over && active.id !== over.id) setItems((old) => arrayMove(old, old.indexOf(active.id), old.indexOf(over.id))); }}>
        <SortableContext items={items} strategy={verticalListSortingStrategy}>
          <ul aria-label="Route">{items.map((id) => <Item key={id} id={id} />)}</ul>
        </SortableContext>
      </DndContext>
      <p role="status" aria-label="Way">{items.join(" – ")}</p>
    </>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
