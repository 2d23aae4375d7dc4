// @ts-check
// text: which element carries a piece of text. Every piece belongs to exactly one node: the heading, button or
// cell that is named by it, the paragraph, list item or status that shows it, or else a `text` node of its own.

/** Elements that stand for a way of writing inside a text; unless the author says more, they are no nodes. */
const WRITING = new Set(["code", "del", "em", "ins", "mark", "s", "strong", "sub", "sup", "time", "dfn"]);

/** Elements that text flows through: what stands in them belongs to the text around. */
const INLINE = new Set(["a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
  "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "small", "slot",
  "span", "strike", "strong", "sub", "sup", "time", "tspan", "textPath", "tt", "u", "var", "wbr"]);

/** Roles that a person operates; inside a button or option only these are nodes. */
const INTERACTIVE = new Set(["button", "checkbox", "combobox", "doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref", "link", "listbox", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem", "iframe"]);

/** Roles whose children are presentational. */
const CHILDREN_PRESENTATIONAL = new Set(["button", "checkbox", "doc-cover", "graphics-symbol", "img", "math", "menuitemcheckbox", "menuitemradio", "meter",
  "option", "progressbar", "radio", "scrollbar", "separator", "slider", "switch", "tab"]);

/** Roles that have text inside them only as part of other nodes. */
const NO_TEXT_INSIDE = new Set(["combobox", "img", "listbox", "math", "meter", "progressbar", "scrollbar", "searchbox",
  "separator", "slider", "spinbutton", "textbox"]);

/**
 * The role by which an element is a node of the snapshot; "" when it is none.
 * @param {Element} el
 * @param {string} role of the element
 * @param {boolean} carried inside a node that shows or is named by the text in it
 * @returns {string}
 */
function nodeRole(el, role, carried) {
  switch (role) {
    case "":
      return hasAttr(el, "aria-label") && hasText(attr(el, "aria-label") || "") && localOf(el) !== "label" ? "generic" : "";
    case "rowgroup":
      return "";
    case "sectionheader": case "sectionfooter":
      return hasAttr(el, "role") || hasAuthorName(el) ? role : "";
    case "group":
      return isPlainGroup(el) ? "" : role;
    case "caption":
      return carriedElsewhere(el) ? "" : role;
    case "paragraph":
      return carried && !hasAttr(el, "role") && !hasAttr(el, "aria-label") ? "" : role;
  }
  if (WRITING.has(localOf(el)) && !hasAttr(el, "role") && !hasAttr(el, "aria-label")) return "";
  return role;
}

/** A group by its tag alone, with nothing to say. @param {Element} el */
function isPlainGroup(el) {
  const tag = localOf(el);
  return (tag === "address" || tag === "hgroup" || tag === "foreignObject") && !hasAttr(el, "role") && !hasAuthorName(el);
}

/**
 * Whether the text of a label, legend or caption is already the name of what it stands beside.
 * @param {Element} el
 * @returns {boolean}
 */
function carriedElsewhere(el) {
  switch (localOf(el)) {
    case "label": {
      const control = controlOfLabel(el);
      return !!control && !hasAriaName(control) && isRendered(control);
    }
    case "legend": return carriesFor(el, "fieldset");
    case "caption": return carriesFor(el, "table");
    case "figcaption": return carriesFor(el, "figure");
  }
  return memo !== null && memo.references.has(el) && (roleOf(el) === "" || roleOf(el).startsWith("section"));
}

/**
 * @param {Element} el
 * @param {string} tag
 */
function carriesFor(el, tag) {
  const parent = parentElementOf(el);
  return !!parent && localOf(parent) === tag && partOf(parent, localOf(el)) === el && !hasAriaName(parent) && roleOf(parent) !== "";
}

/** @param {Element} el */
function hasAriaName(el) {
  return hasText(attr(el, "aria-label") || "") || !!attr(el, "aria-labelledby");
}

const CARRIER = 1; // everything that no node inside carries
const FLOW = 2; // only what flows directly in the element
const ROW = 3; // everything but the words of buttons

/**
 * One collection of text.
 * @typedef {{b: Builder, kind: number, limit: number}} Gathering
 */

/**
 * The text that an element shows itself, without that of nodes inside it.
 * @param {Element} el
 * @returns {string}
 */
function ownText(el) {
  return gather(el, CARRIER, Infinity);
}

/**
 * The text that flows directly in an element.
 * @param {Element} el
 * @returns {string}
 */
function flowText(el) {
  return gather(el, FLOW, Infinity);
}

/**
 * @param {Element} el
 * @param {number} kind
 * @param {number} limit stop when there is this much
 * @returns {string}
 */
function gather(el, kind, limit) {
  /** @type {Gathering} */
  const g = { b: { text: "", edges: [], apart: false }, kind, limit };
  const hidden = isMarkedAround(el);
  gatherChildren(el, g);
  const text = fold(g.b.text);
  return hidden ? masked(text) : text;
}

/**
 * @param {Element} el
 * @param {Gathering} g
 */
function gatherChildren(el, g) {
  const pseudo = pseudoPossible(el);
  if (pseudo) addPseudo(g.b, el, "::before");
  if (skipsContent(el)) {
    const summary = g.kind === ROW && localOf(el) === "details" && partOf(el, "summary");
    if (summary) gatherNode(summary, g);
  } else if (!firstElementOf(el) && hasPlainChildren(el)) {
    gatherText(textContentOf(el), g);
  } else if (hasPlainChildren(el)) {
    for (let n = firstChildOf(el); n; n = nextSiblingOf(n)) gatherNode(n, g);
  } else {
    for (const n of flatChildren(el)) gatherNode(n, g);
  }
  if (pseudo) addPseudo(g.b, el, "::after");
}

/**
 * Adds plain text. Where there is a limit, white space that will be folded must not use it up.
 * @param {string} text
 * @param {Gathering} g
 */
function gatherText(text, g) {
  if (g.limit !== Infinity) {
    text = text.replace(/\s+/g, " ");
    if (text === " " && g.b.text.endsWith(" ")) return;
  }
  add(g.b, text, false);
}

/**
 * @param {Node} node
 * @param {Gathering} g
 */
function gatherNode(node, g) {
  if (g.b.text.length > g.limit) return;
  const type = nodeTypeOf(node);
  if (type === TEXT) {
    gatherText(dataOf(node), g);
    return;
  }
  if (type !== ELEMENT) return;
  const el = /** @type {Element} */ (node);
  const tag = localOf(el);
  if (tag === "br") { g.b.text += " "; return; }
  if (NEVER.has(tag) || excluded(el)) return;
  const state = standing(el);
  if (state === GONE) return;
  const role = roleOf(el);
  if (g.kind === ROW) {
    if (role === "button" || NO_TEXT_INSIDE.has(role)) { g.b.edges.push(el); return; }
  } else {
    if (nodeRole(el, role, g.kind === CARRIER) !== "") { g.b.edges.push(el); return; }
    if (g.kind === FLOW && !INLINE.has(tag)) { g.b.edges.push(el); return; }
    if (carriedElsewhere(el)) { g.b.edges.push(el); return; }
  }
  g.b.edges.push(el);
  if (state === HIDDEN) {
    for (const n of flatChildren(el)) if (nodeTypeOf(n) === ELEMENT) gatherNode(n, g);
  } else if (isMarked(el)) {
    add(g.b, masked(textContentOf(el)), true);
  } else {
    gatherChildren(el, g);
  }
  g.b.edges.push(el);
}

/**
 * Whether what an element contains is told beside the name of the node around it, for that says nothing of it.
 * @param {Element} el
 * @param {string} role
 * @param {string|undefined} around the name of the node around
 * @returns {boolean}
 */
function isToldApart(el, role, around) {
  return role !== "" && role !== "img" && standsApart(el, role) && !NO_TEXT_INSIDE.has(role) && !(around || "").includes(fold(contentOf(el)));
}
