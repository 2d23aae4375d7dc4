import { useState } from "react";
import { createRoot } from "react-dom/client";
import { List } from "react-window";

const record = (window.record = { added: [] });

function Row({ index, style, add, added }) {
  const name = "Product " + (index + 1);
  return (
    <div style={style} role="listitem">
      {name} <button type="button" onClick={() => add(name)}>{added.includes(name) ? "Remove" : "Add"} {name}</button>
    </div>
  );
}

function Page() {
  const [added, setAdded] = useState([]);
  const add = (n) => setAdded((old) => (old.includes(n) ? old.filter((o) => o !== n) : [...old, n]));
  record.added = added;
  return (
    <>
      <h1>Products</h1>
      <div style={{ height: 240 }}><List aria-label="Products" rowComponent={Row} rowCount={10000} rowHeight={32} rowProps={{ add, added }} style={{ height: 240 }} /></div>
      <section aria-label="Cart"><ul>{added.map((n) => <li key={n}>{n}</li>)}</ul></section>
    </>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
