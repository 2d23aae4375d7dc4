// The only way in which anything enters the document: elements by name, attributes by name, text as text. No markup is ever parsed, so
// nothing that a page wrote can become some.

/** h makes an element. Properties: on… are listeners, class, style (an object of CSS properties), anything else is an attribute; false and null are left out. */
function h(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (v === null || v === undefined || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "style") for (const [p, x] of Object.entries(v)) e.style.setProperty(p, x);
    else e.setAttribute(k, v === true ? "" : String(v));
  }
  put(e, children);
  return e;
}

/** put appends children: nodes, texts, lists of them; null and false are nothing. */
function put(e, children) {
  for (const c of children.flat(Infinity)) {
    if (c === null || c === undefined || c === false) continue;
    e.append(c instanceof Node ? c : document.createTextNode(String(c)));
  }
  return e;
}

/** svg makes a drawing of 16 by 16 from the d attributes of its paths. */
function svg(cls, ...paths) {
  const ns = "http://www.w3.org/2000/svg";
  const e = document.createElementNS(ns, "svg");
  e.setAttribute("viewBox", "0 0 16 16");
  e.setAttribute("class", cls);
  e.setAttribute("aria-hidden", "true");
  for (const d of paths) {
    const p = document.createElementNS(ns, "path");
    p.setAttribute("d", d);
    e.append(p);
  }
  return e;
}

/** said is text for those who listen and not for those who look. */
const said = (text) => h("span", { class: "said" }, text);

/** foreign is text that a page may have written: whichever way it runs, it does not turn what stands around it, and what would not be seen in it is. */
const foreign = (text, cls) => h("bdi", { class: cls, dir: "auto" }, revealed(text));

/** revealed shows control characters, and those that turn text around, as what they are. */
function revealed(text) {
  return String(text === null || text === undefined ? "" : text)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => (c === "\r" ? "" : c === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0))))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => "\u2039U+" + c.charCodeAt(0).toString(16).toUpperCase() + "\u203a");
}
