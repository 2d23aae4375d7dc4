// @ts-check
// names: how an element is called. Accessible Name and Description Computation 1.2, step by step (the comments
// 2A to 2I are its steps), with the white space rules of Chrome; then the rule of deed.Node.Name for roles that
// are not named by what they contain but show text.

/** Roles named by their content (2F). */
const FROM_CONTENT = new Set(["button", "cell", "checkbox", "columnheader", "doc-backlink", "doc-biblioref", "doc-glossref",
  "doc-noteref", "doc-subtitle", "graphics-object", "gridcell", "heading", "link", "menuitem",
  "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip", "treeitem"]);

/** Roles that show text without being named by it: deed takes the text as their name. */
const SHOWS_TEXT = new Set(["paragraph", "listitem", "status", "alert", "timer", "marquee", "note", "definition", "term",
  "caption", "comment", "suggestion", "code", "deletion", "insertion", "emphasis", "strong", "mark", "subscript",
  "superscript", "time"]);

/** Roles that stand on their own: what they contain is no part of the name of what is around them. */
const APART = new Set(["alert", "alertdialog", "application", "article", "banner", "blockquote", "comment", "complementary",
  "contentinfo", "dialog", "document", "feed", "figure", "form", "graphics-document", "graphics-symbol", "grid", "group", "listbox", "log",
  "main", "marquee", "menu", "menubar", "meter", "navigation", "note", "progressbar", "radiogroup", "row", "rowgroup", "scrollbar",
  "search", "sectionfooter", "sectionheader", "separator", "slider", "spinbutton", "status", "suggestion", "table", "tablist", "tabpanel", "timer", "toolbar",
  "tree", "treegrid"]);

/** Parts of a text by their tags, or of its layout: they are in the name all the same. */
const WITHIN = new Set(["address", "details", "footer", "header", "table", "tbody", "tfoot", "thead", "tr", "svg", "g"]);

/**
 * Whether the name of what is around an element says nothing of what the element contains.
 * @param {Element} el
 * @param {string} role
 * @returns {boolean}
 */
function standsApart(el, role) {
  if (role === "img") return hasAttr(el, "role"); // nothing of what it is drawn with: the glyphs of an icon font
  if (role === "") return localOf(el) === "form";
  if (!APART.has(role)) return role === "math" ? localOf(el) === "math" : role.startsWith("doc-") && !FROM_CONTENT.has(role);
  return hasAttr(el, "role") || !WITHIN.has(localOf(el));
}

/** Roles in which an embedded control counts with its value (2C). */
const EMBEDDED = new Set(["textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "scrollbar", "meter",
  "progressbar"]);

/** Elements that a label element can label. */
const LABELABLE = new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);

/** Elements with a native name (2E); the others are not asked. */
const NATIVELY_NAMED = new Set(["input", "textarea", "select", "button", "meter", "progress", "output", "img", "image",
  "area", "iframe", "frame", "fieldset", "table", "figure", "optgroup", "option", "a", "svg", "path", "circle", "ellipse",
  "line", "polygon", "polyline", "rect", "use", "g", "text", "tspan", "textPath", "switch", "foreignObject"]);

/**
 * One descent for a name.
 * @typedef {object} Trip
 * @property {Element} root where it began
 * @property {Element|null} named the control that is being named: it is no part of its own label
 * @property {boolean} referenced inside an aria-labelledby (references are followed once)
 * @property {boolean} hidden the root is hidden itself: then hidden content counts
 * @property {number} depth of jumps: references, labels, owned elements
 * @property {boolean} [whole] what stands apart counts as well
 * @property {Element[]} [read] the references before this one in the same aria-labelledby: a label is not read twice
 */

const MAX_JUMPS = 6;

/**
 * What a walk remembers, for as long as nothing can change; null outside of one.
 * @typedef {object} Memo
 * @property {number} walk its number
 * @property {Map<Node, Map<Element, Element[]>>} labels by root, by control
 * @property {Set<Element>} references elements that name others by aria-labelledby
 * @property {boolean} marks whether anything at all is marked sensitive
 * @property {boolean} again a shadow root was met that changes what was said before: walk again
 */
/** @type {Memo|null} */
let memo = null;

/**
 * What is known of an element in this walk.
 * @param {Memo} m
 * @param {Element} el
 * @returns {Known}
 */
function knownOf(m, el) {
  const k = recordOf(el);
  if (k.walk !== m.walk) {
    k.walk = m.walk;
    k.state = -1;
    k.role = null;
    k.block = null;
    k.bits = -1;
    k.content = null;
    k.isNode = false;
    k.told = false;
    k.row = -1;
  }
  return k;
}

/**
 * The name of an element.
 * @param {Element} el
 * @returns {string}
 */
function nameOf(el) {
  return nameAs(el, roleOf(el));
}

/**
 * The name of an element of this role.
 * @param {Element} el
 * @param {string} role
 * @returns {string}
 */
function nameAs(el, role) {
  return givenName(el, role) || nameBeside(el, role);
}

/**
 * The name of an element of this role whose author gave it none: what it contains or shows, the title attribute.
 * @param {Element} el
 * @param {string} role
 * @returns {string}
 */
function nameBeside(el, role) {
  if (FROM_CONTENT.has(role)) {
    const text = fold(contentOf(el)) || contentApart(el, role);
    if (text) return hidesOwnText(el, role) ? REDACTED : text;
  } else if (SHOWS_TEXT.has(role)) {
    const text = ownText(el);
    if (text) return text;
  } else if (role === "math") {
    const text = fold(textContentOf(el));
    if (text) return hidesOwnText(el, role) ? REDACTED : text;
  }
  const tooltip = tooltipOf(el) || ((role === "textbox" || role === "searchbox" || role === "combobox") && fold(attr(el, "aria-placeholder") || "")) || "";
  return tooltip && hidesGiven(el, role) ? REDACTED : tooltip;
}

/**
 * What an element contains, with what stands apart in it: the last resort of a control that shows nothing else and has no
 * tooltip either (a card that is one link around an article).
 * @param {Element} el
 * @param {string} role
 * @returns {string}
 */
function contentApart(el, role) {
  if (!firstElementOf(el) || role === "cell" || role === "gridcell" || role === "row" || role === "columnheader" || role === "rowheader" || tooltipOf(el)) return "";
  return fold(contentIn(el, { root: el, named: null, referenced: false, hidden: false, depth: 0, whole: true }));
}

/**
 * The name that the author gave, apart from the content: aria-labelledby, aria-label, the native one.
 * @param {Element} el
 * @param {string} role
 * @returns {string}
 */
function givenName(el, role) {
  const refs = attr(el, "aria-labelledby"); // 2B
  if (refs) {
    const text = labelledByText(el, refs);
    if (text) return text;
  }
  const label = attr(el, "aria-label"); // 2D
  if (label) {
    const text = fold(label);
    if (text) return hidesGiven(el, role) ? REDACTED : text;
  }
  if (NATIVELY_NAMED.has(localOf(el))) { // 2E
    const text = fold(nativeName(el, { root: el, named: null, referenced: false, hidden: false, depth: 0 }, true));
    if (text) return role !== "group" && role !== "table" && hidesGiven(el, role) ? REDACTED : text; // a part of a group or table masks itself
  }
  if (role === "data-deed-region" || hasAttr(el, "data-deed-region")) return FROM_CONTENT.has(role) ? "" : regionMark(el);
  return "";
}

/** The title attribute, the last resort (2I). @param {Element} el */
function tooltipOf(el) {
  const title = attr(el, "title");
  return title ? fold(title) : "";
}

/**
 * The texts of the elements that aria-labelledby names, joined (2B).
 * @param {Element} el
 * @param {string} refs
 * @returns {string}
 */
function labelledByText(el, refs) {
  const out = [];
  /** @type {Element[]} */
  const read = [];
  for (const id of refs.trim().split(/\s+/)) {
    const ref = byId(el, id);
    if (!ref || (NEVER.has(localOf(ref)) && !isSVG(ref))) continue;
    if (memo) memo.references.add(ref);
    const trip = { root: ref, read: read.slice(), named: null, referenced: true, hidden: !isRendered(ref) || isAriaHidden(ref), depth: 1 };
    const text = fold(isMaskedSource(ref) ? masked(textAlternative(ref, trip, true, ref !== el)) : textAlternative(ref, trip, true, ref !== el));
    if (text) out.push(text);
    read.push(ref);
  }
  return out.join(" ");
}

/** Whether aria-hidden takes out an element, or something around it. @param {Element} el */
function isAriaHidden(el) {
  for (let p = /** @type {Element|null} */ (el); p; p = flatParent(p)) {
    const hidden = attr(p, "aria-hidden");
    if (hidden !== null && hidden.toLowerCase() === "true") return true;
  }
  return false;
}

/**
 * The text alternative of one node of a descent, steps 2B to 2I.
 * @param {Element} el
 * @param {Trip} trip
 * @param {boolean} isRoot
 * @param {boolean} forOther whether the text becomes part of the name of another element
 * @returns {string} white space not folded
 */
function textAlternative(el, trip, isRoot, forOther) {
  if (trip.depth > MAX_JUMPS) return "";
  const role = roleOf(el);
  if (!trip.referenced) { // 2B
    const refs = attr(el, "aria-labelledby");
    if (refs) {
      const text = labelledByText(el, refs);
      if (text) return text;
    }
  }
  if (forOther && EMBEDDED.has(role)) { // 2C; where there is no value, the name stands
    const value = embeddedValue(el, role);
    if (value) return value;
  }
  const label = attr(el, "aria-label"); // 2D
  if (label && hasText(label)) return label;
  if (!isRoot && role === "" && localOf(el) === "img") return ""; // it is there to be looked at
  if (NATIVELY_NAMED.has(localOf(el))) { // 2E
    const text = nativeName(el, trip, isRoot);
    if (hasText(text)) return text;
  }
  const text = !isRoot && !trip.referenced && !trip.whole && standsApart(el, role) ? "" : contentIn(el, trip); // 2F
  if (hasText(text)) return text;
  const title = attr(el, "title"); // 2I
  return title && hasText(title) ? title : text;
}

/** Inputs whose value is drawn otherwise than it is written. */
const DRAWN = new Set(["color", "date", "datetime-local", "month", "time", "week"]);

/**
 * What an embedded control says (2C): what is chosen in it, what is written in it.
 * @param {Element} el
 * @param {string} role
 * @returns {string|null}
 */
function embeddedValue(el, role) {
  const tag = localOf(el);
  if (tag === "input" && DRAWN.has(typeOfInput(el))) return null;
  let chosen = "";
  if (tag === "select") {
    chosen = Array.from(selectedOptions(el), optionText).join(" ");
  } else if (role === "listbox" || (role === "combobox" && tag !== "input" && tag !== "textarea")) {
    for (const o of queryAll(el, '[role~="option"][aria-selected="true"]')) chosen += (chosen && " ") + fold(textAlternative(o, { root: o, named: null, referenced: true, hidden: false, depth: 1 }, true, false));
    if (!chosen && role === "combobox") for (const field of queryAll(el, "input,textarea")) return valueOf(field);
  }
  return chosen === "" ? valueOf(el) : isSensitive(el, role) ? REDACTED : chosen;
}

/**
 * The text of what an element contains (2F), as a descent of its own.
 * @param {Element} el
 * @returns {string}
 */
function contentOf(el) {
  return contentIn(el, { root: el, named: null, referenced: false, hidden: false, depth: 0 });
}

/**
 * Text being put together. Between two pieces that touch, `edges` holds the elements whose edge lies there: a
 * space is due where one of them is a block, or where a piece is not plain text.
 * @typedef {{text: string, edges: Element[], apart: boolean}} Builder
 */

/**
 * The text of what an element contains (2F).
 * @param {Element} el
 * @param {Trip} trip
 * @returns {string}
 */
function contentIn(el, trip) {
  const known = memo && !trip.referenced && !trip.hidden && !trip.named && !trip.whole ? knownOf(memo, el) : null;
  if (known && known.content !== null) return known.content;
  /** @type {Builder} */
  const b = { text: "", edges: [], apart: false };
  const pseudo = pseudoPossible(el) && (!trip.hidden || checkVisibility(el));
  const replaced = replacedBy(el);
  if (pseudo) addPseudo(b, el, "::before");
  if (replaced !== null) {
    b.text += replaced;
  } else if (!trip.hidden && skipsContent(el)) {
    // nothing in it counts, but the summary of a closed details
    const summary = localOf(el) === "details" && partOf(el, "summary");
    if (summary) addNode(b, summary, trip, el);
  } else if (hasPlainChildren(el)) {
    if (!firstElementOf(el)) add(b, textContentOf(el), false);
    else for (let n = firstChildOf(el); n; n = nextSiblingOf(n)) addNode(b, n, trip, el);
  } else {
    for (const n of flatChildren(el)) addNode(b, n, trip, el);
  }
  const owns = attr(el, "aria-owns");
  if (owns && trip.depth < MAX_JUMPS) {
    for (const id of owns.trim().split(/\s+/)) {
      const owned = byId(el, id);
      if (!owned || contains(owned, el)) continue;
      b.apart = true;
      addNode(b, owned, { ...trip, depth: trip.depth + 1 }, el);
    }
  }
  if (pseudo) addPseudo(b, el, "::after");
  if (known) known.content = b.text;
  return b.text;
}

/**
 * @param {Builder} b
 * @param {Node} node
 * @param {Trip} trip
 * @param {Element} parent
 */
function addNode(b, node, trip, parent) {
  const type = nodeTypeOf(node);
  if (type === TEXT) {
    add(b, dataOf(node), false);
    return;
  }
  if (type !== ELEMENT) return;
  const el = /** @type {Element} */ (node);
  const tag = localOf(el);
  if (tag === "br") { b.text += " "; return; }
  if (NEVER.has(tag) || el === trip.named || (tag === "rt" && !trip.hidden)) return; // a ruby text says again what stands below it
  let through = false;
  if (!trip.hidden) { // 2A
    if (excluded(el)) return;
    const state = standing(el);
    if (state === GONE) return;
    through = state === HIDDEN;
  }
  if (attr(parent, "role") === "treeitem" && attr(el, "role") === "group") return;
  b.edges.push(el);
  if (through) {
    for (const n of flatChildren(el)) if (nodeTypeOf(n) === ELEMENT) addNode(b, n, trip, el);
  } else {
    const role = hasAttr(el, "role") || NATIVELY_NAMED.has(tag) || hasAttr(el, "aria-label") ? roleOf(el) : "";
    const text = textAlternative(el, trip, false, true);
    const apart = NATIVELY_NAMED.has(tag) || hasAttr(el, "aria-label") || EMBEDDED.has(role);
    add(b, isMarked(el) ? masked(text) : text, apart);
  }
  b.edges.push(el);
}

/**
 * @param {Builder} b
 * @param {string} text
 * @param {boolean} apart whether it is set apart from its neighbours by a space
 */
function add(b, text, apart) {
  if (text === "") return;
  if (b.text !== "" && (apart || b.apart || b.edges.length > 0) && !isSpace(b.text.charCodeAt(b.text.length - 1)) && !isSpace(text.charCodeAt(0))) {
    if (apart || b.apart || b.edges.some(isBlock)) b.text += " ";
  }
  b.text += text;
  b.edges.length = 0;
  b.apart = apart;
}

/** @param {number} c a character code @returns {boolean} */
function isSpace(c) {
  return c === 32 || (c >= 9 && c <= 13) || c === 0xa0;
}

/**
 * Whether text inside the element is set off from text beside it.
 * @param {Element} el
 * @returns {boolean}
 */
function isBlock(el) {
  if (memo === null) return isBlockNow(el);
  const known = knownOf(memo, el);
  if (known.block === null) known.block = isBlockNow(el);
  return known.block;
}

/** @param {Element} el */
function isBlockNow(el) {
  const display = styleOf(el).display;
  return !(display === "inline" || display === "contents" || display === "none" || display.startsWith("ruby"));
}

/**
 * The name by the host language (2E): labels, legend, caption, alt, title, placeholder, the value of a button.
 * @param {Element} el
 * @param {Trip} trip
 * @param {boolean} isRoot
 * @returns {string}
 */
function nativeName(el, trip, isRoot) {
  const tag = localOf(el);
  if (LABELABLE.has(tag)) {
    const text = labelText(el, trip, isRoot);
    if (hasText(text)) return text;
  }
  switch (tag) {
    case "input": return inputName(el);
    case "textarea":
      return attr(el, "title") || attr(el, "placeholder") || attr(el, "aria-placeholder") || "";
    case "img": case "image": case "area":
      return attr(el, "alt") || attr(el, "title") || (isSVG(el) ? childText(el, "title") : "");
    case "iframe": case "frame":
      return attr(el, "title") || "";
    case "a":
      return isSVG(el) ? childText(el, "title") || attr(el, "xlink:title") || "" : "";
    case "use":
      return childText(el, "title") || usedTitle(el);
    case "svg": case "path": case "circle": case "ellipse": case "line": case "polygon": case "polyline": case "rect":
    case "g": case "text": case "tspan": case "textPath": case "switch": case "foreignObject":
      return isSVG(el) ? childText(el, "title") : "";
    case "fieldset": return partText(el, "legend", trip);
    case "table": return partText(el, "caption", trip) || attr(el, "summary") || "";
    case "figure": return partText(el, "figcaption", trip);
    case "optgroup": case "option":
      return attr(el, "label") || "";
  }
  return "";
}

const valueOfInput = getter(HTMLInputElement.prototype, "value");

/**
 * @param {Element} el
 * @returns {string}
 */
function inputName(el) {
  const type = typeOfInput(el);
  const title = attr(el, "title") || "";
  switch (type) {
    case "submit": case "reset": { // value="" leaves the button blank
      const value = attr(el, "value");
      return value === null ? (type === "reset" ? "Reset" : "Submit") : value || title;
    }
    case "button": return attr(el, "value") || title;
    case "image": return attr(el, "alt") || attr(el, "value") || title || "Submit";
    case "file": return title || (hasAttr(el, "multiple") ? "Choose Files" : "Choose File");
    case "checkbox": case "radio": case "range": case "color": case "hidden": return title;
  }
  return title || attr(el, "placeholder") || attr(el, "aria-placeholder") || "";
}

/** The title of what a use element draws. @param {Element} el */
function usedTitle(el) {
  const href = attr(el, "href") || attr(el, "xlink:href") || "";
  const used = href.length > 1 && href[0] === "#" ? byId(el, href.slice(1)) : null;
  return used ? childText(used, "title") : "";
}

/**
 * The first child with this tag, as text.
 * @param {Element} el
 * @param {string} tag
 * @returns {string}
 */
function childText(el, tag) {
  for (let c = firstElementOf(el); c; c = nextElementOf(c)) if (localOf(c) === tag) return textContentOf(c);
  return "";
}

/**
 * The first child with this tag, by its text alternative.
 * @param {Element} el
 * @param {string} tag
 * @param {Trip} trip
 * @returns {string}
 */
function partText(el, tag, trip) {
  const part = partOf(el, tag);
  if (!part || !isRendered(part)) return "";
  const text = textAlternative(part, { ...trip, root: part, depth: trip.depth + 1 }, true, false);
  return isMaskedSource(part) ? masked(text) : text;
}

/**
 * @param {Element} el
 * @param {string} tag
 * @returns {Element|null}
 */
function partOf(el, tag) {
  for (let c = firstElementOf(el); c; c = nextElementOf(c)) if (localOf(c) === tag) return c;
  return null;
}

/**
 * The text of the labels of a control.
 * @param {Element} el
 * @param {Trip} trip
 * @param {boolean} isRoot
 * @returns {string}
 */
function labelText(el, trip, isRoot) {
  let out = "";
  /** @type {Element|null} */
  let last = null;
  for (const label of labelsOf(el)) {
    if (last && contains(last, label)) continue; // it was part of the one around it
    // A label that we are just reading names the control it holds; it does not name it twice.
    if (!isRoot && (label === trip.root || (contains(trip.root, label) && contains(label, el)))) continue;
    if (!isRendered(label) || (trip.read && trip.read.includes(label))) continue;
    last = label;
    const next = { root: label, named: el, referenced: trip.referenced, hidden: false, depth: trip.depth + 1 };
    let text = textAlternative(label, next, true, false);
    if (isMaskedSource(label)) text = masked(text);
    if (hasText(text)) out += (out && " ") + text;
  }
  return out;
}

const labelsGetters = new Map([HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement, HTMLButtonElement,
  HTMLMeterElement, HTMLProgressElement, HTMLOutputElement].map((type) => [type.prototype, getter(type.prototype, "labels")]));

/**
 * The label elements of a control. Within a walk they are looked up for all controls of a tree at once: the
 * browser's own list costs a search of the whole tree for each control.
 * @param {Element} el
 * @returns {Iterable<Element>}
 */
function labelsOf(el) {
  if (memo) {
    const root = rootOf(el);
    let table = memo.labels.get(root);
    if (!table) {
      table = new Map();
      for (const label of allIn(root, "label")) {
        const control = controlOfLabel(label);
        if (!control) continue;
        const list = table.get(control);
        if (list) list.push(label);
        else table.set(control, [label]);
      }
      memo.labels.set(root, table);
    }
    return table.get(el) || [];
  }
  const get = labelsGetters.get(Object.getPrototypeOf(el));
  return (get && get(el)) || [];
}
