// @ts-check
// regions: where an element stands: the region around it, and the row or card that tells it from its twins.

/** Always regions. Form and region have that role only when they are named. */
const REGIONS = new Set(["banner", "complementary", "contentinfo", "main", "navigation", "search", "form", "region", "table",
  "grid", "treegrid", "dialog", "alertdialog", "data-deed-region"]);
/** Regions when they are named. */
const NAMED_REGIONS = new Set(["article", "feed", "figure", "group", "list", "listbox", "menu", "menubar", "radiogroup",
  "tablist", "tabpanel", "toolbar", "tree"]);

/**
 * Whether a node is a region for what is inside it.
 * @param {Element} el
 * @param {string} role
 * @param {string} name
 * @returns {boolean}
 */
function isRegion(el, role, name) {
  return REGIONS.has(role) || (name !== "" && NAMED_REGIONS.has(role)) || (role !== "" && hasAttr(el, "data-deed-region") && regionMark(el) !== "");
}

/**
 * The label of a region: deed.Node.Label, or what data-deed-region says.
 * @param {Element} el
 * @param {string} role
 * @param {string} name
 * @returns {string}
 */
function labelOf(el, role, name) {
  if (hasAttr(el, "data-deed-region")) {
    const mark = regionMark(el);
    if (mark) return mark;
  }
  if (name === "" || role === "data-deed-region") return name || role;
  return role + " " + quote(name);
}

/**
 * A string as Go's strconv.Quote writes it, so that labels are equal on both sides.
 * @param {string} s
 * @returns {string}
 */
function quote(s) {
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(s) && !/["\\]/.test(s)) return '"' + s + '"';
  let out = '"';
  for (const c of s) {
    const code = /** @type {number} */ (c.codePointAt(0));
    if (c === '"' || c === "\\") out += "\\" + c;
    else if (code >= 0xd800 && code <= 0xdfff) out += "\ufffd";
    else if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(c)) out += c;
    else if (code >= 7 && code <= 13) out += "\\" + "abtnvfr"[code - 7];
    else if (code < 0x20 || code === 0x7f) out += "\\x" + code.toString(16).padStart(2, "0");
    else if (code < 0x10000) out += "\\u" + code.toString(16).padStart(4, "0");
    else out += "\\U" + code.toString(16).padStart(8, "0");
  }
  return out + '"';
}

/**
 * The label of the nearest region around an element; "" is the page itself.
 * @param {Element} el
 * @returns {string}
 */
function regionOf(el) {
  /** @type {string | null} */
  let label = null;
  for (let p = flatParent(el); p; p = flatParent(p)) {
    const role = roleOf(p);
    if (CHILDREN_PRESENTATIONAL.has(role)) label = null; // what stands in a button is no region, whatever its tag
    if (label !== null) continue;
    if (role === "" || !(REGIONS.has(role) || NAMED_REGIONS.has(role) || hasAttr(p, "data-deed-region"))) continue;
    const name = cap(nameAs(p, role));
    if (isRegion(p, role, name)) label = labelOf(p, role, name);
  }
  return label || "";
}

const ROW_TEXT = 200;
/** A card whose text is longer is no card but a part of the page. */
const CARD_TEXT = 600;

/** Elements that can be cards: boxes that repeat. */
const CARD_TAGS = new Set(["article", "a", "details", "div", "fieldset", "figure", "form", "section", "dd", "p"]);

/**
 * Whether an element is one of several of the same make, side by side: a card of a list that is made of boxes.
 * @param {Element} el
 * @returns {boolean}
 */
function isCard(el) {
  const tag = localOf(el);
  if (!CARD_TAGS.has(tag) && !tag.includes("-")) return false;
  if (!firstElementOf(el)) return false;
  return likeBeside(el, tag, nextElementOf) || likeBeside(el, tag, previousElementOf);
}

/**
 * @param {Element} el
 * @param {string} tag
 * @param {(el: Element) => Element|null} step
 * @returns {boolean}
 */
function likeBeside(el, tag, step) {
  let other = step(el);
  for (let i = 0; other && i < 2; i++, other = step(other)) {
    if (localOf(other) !== tag) continue;
    const a = classOf(el), b = classOf(other);
    if (a !== b && firstWord(a) !== firstWord(b)) continue;
    if (a !== "" && firstWord(a) !== "") return true;
    const inner = firstElementOf(el), outer = firstElementOf(other);
    if (tag.includes("-") || (inner && outer && localOf(inner) === localOf(outer))) return true;
  }
  return false;
}

/** @param {string} s */
function firstWord(s) {
  const m = /\S+/.exec(s);
  return m ? m[0] : "";
}

/**
 * Whether an element of this role is a row: what is inside it belongs together.
 * @param {string} role
 * @returns {boolean}
 */
function isRow(role) {
  return role === "row" || role === "listitem" || role === "treeitem";
}

/** A dialog stands on its own: what is around it is no row of what is inside. @param {string} role */
function endsRow(role) {
  return role === "dialog" || role === "alertdialog";
}

/**
 * The row or card that an element stands in or is.
 * @param {Element} el
 * @returns {Element|null}
 */
function rowElementOf(el) {
  let card = null;
  for (let p = /** @type {Element|null} */ (el); p; p = flatParent(p)) {
    const role = roleOf(p);
    if (isRow(role)) return p;
    if (endsRow(role)) return card;
    if (!card && isCard(p)) card = p;
  }
  return card;
}

/**
 * The text of a row or card.
 * @param {Element} row
 * @returns {string}
 */
function rowText(row) {
  const real = isRow(roleOf(row));
  if (!real && textContentOf(row).length > 10 * CARD_TEXT) return "";
  const text = gather(row, ROW, real ? ROW_TEXT : CARD_TEXT);
  if (!real && text.length > CARD_TEXT) return "";
  return text.length > ROW_TEXT ? cut(text, ROW_TEXT) : text;
}

/**
 * The text of the row or card that an element stands in; "" for none.
 * @param {Element} el
 * @returns {string}
 */
function rowOf(el) {
  const row = rowElementOf(el);
  return row ? rowText(row) : "";
}

/**
 * The first n characters, no surrogate pair split.
 * @param {string} s
 * @param {number} n
 * @returns {string}
 */
function cut(s, n) {
  const c = s.charCodeAt(n - 1);
  return s.slice(0, c >= 0xd800 && c <= 0xdbff ? n - 1 : n);
}

const TEXT_CAP = 2000;

/**
 * A text of bounded length. What is cut off is summed up in a hash, so that a change beyond the cap shows.
 * @param {string} s
 * @returns {string}
 */
function cap(s) {
  if (s.length <= TEXT_CAP) return s;
  let h = 0x811c9dc5;
  for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
  return cut(s, TEXT_CAP) + "… #" + (h >>> 0).toString(16).padStart(8, "0");
}

/** The label of the group that an option stands in. @param {Element} el @returns {string} */
function groupOf(el) {
  for (let p = flatParent(el); p; p = flatParent(p)) {
    const role = roleOf(p);
    if (role === "group") return nameAs(p, role);
    if (role === "listbox" || role === "combobox") return "";
  }
  return "";
}

/**
 * Who an element is at this instant, without any memory: role, name, region and row as the snapshot has them.
 * @param {Element} el
 * @returns {{role: string, name: string, region: string, row: string}}
 */
function identity(el) {
  const own = roleOf(el);
  let role = nodeRole(el, own, own === "paragraph" && isCarried(el)), name = "";
  if (role !== "") {
    name = cap(nameAs(el, own));
  } else {
    name = cap(flowText(el));
    role = name === "" ? "generic" : "text";
  }
  return { role, name, region: regionOf(el), row: rowOf(el) };
}

/**
 * Whether an element stands in a node that shows or is named by the text in it.
 * @param {Element} el
 * @returns {boolean}
 */
function isCarried(el) {
  for (let p = flatParent(el); p; p = flatParent(p)) {
    const role = roleOf(p);
    if (nodeRole(p, role, false) === "") continue;
    const cell = role === "cell" || role === "gridcell";
    return carriesInside(role, cell ? nameAs(p, role) : "", cell && givenName(p, role) !== "");
  }
  return false;
}
