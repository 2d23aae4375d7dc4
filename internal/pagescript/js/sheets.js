// @ts-check
// sheets: what the style sheets can do to an element.
//
// What matters and can only be learnt from computed style: text that ::before and ::after generate, a picture with a
// text that takes the place of content, clipping away, and skipped content. Computed style is slow to ask for, so the rules of the style sheets are looked through
// first, once, and only elements that such a rule can concern are asked.

const GENERATES = 1, CLIPS = 2, SKIPS = 4, REPLACES = 8;
const EVERYTHING = GENERATES | CLIPS | SKIPS | REPLACES;

/**
 * What the rules of a sheet can do, by the last compound of their selectors: tags ("li"), classes (".new"), ids
 * ("#a"), "*" for every element; `complex` are selectors that say no such key.
 * @typedef {{size: number, keys: Map<string, number>, complex: Map<string, number>}} SheetNote
 */
/** @type {WeakMap<CSSStyleSheet, SheetNote>} */
const sheetNotes = new WeakMap();

/** Of all sheets together. @type {SheetNote} */
let rulesNoted = { size: 0, keys: new Map(), complex: new Map() };
/** What can happen to every element: some sheet cannot be read (another origin's), or a rule is for all. */
let onEverything = 0;

const adoptedOfDocument = getter(Document.prototype, "adoptedStyleSheets");
const adoptedOfShadow = getter(ShadowRoot.prototype, "adoptedStyleSheets");
const sheetsOfShadow = getter(ShadowRoot.prototype, "styleSheets");

/**
 * @param {Map<string, number>} map
 * @param {string} key
 * @param {number} bits
 */
function mark(map, key, bits) {
  map.set(key, (map.get(key) || 0) | bits);
}

/**
 * Looks through the style sheets. Only sheets that are new or have grown are read. Called when a walk begins.
 * @param {(Document|ShadowRoot)[]} roots
 */
function noteSheets(roots) {
  /** @type {SheetNote} */
  const all = { size: 0, keys: new Map(), complex: new Map() };
  onEverything = 0;
  for (const root of roots) {
    const inDocument = nodeTypeOf(root) === DOCUMENT;
    const sheets = [...(inDocument ? sheetsOfDocument(root) : sheetsOfShadow(root)), ...((inDocument ? adoptedOfDocument(root) : adoptedOfShadow(root)) || [])];
    for (const sheet of sheets) {
      const note = noteOf(sheet);
      if (!note) { onEverything = EVERYTHING; continue; }
      addNote(all, note);
    }
  }
  onEverything |= all.keys.get("*") || 0;
  if (all.complex.size > 40) for (const bits of all.complex.values()) onEverything |= bits;
  rulesNoted = all;
}

/** @param {SheetNote} to @param {SheetNote} from */
function addNote(to, from) {
  for (const [k, bits] of from.keys) mark(to.keys, k, bits);
  for (const [k, bits] of from.complex) mark(to.complex, k, bits);
}

/**
 * @param {CSSStyleSheet} sheet
 * @returns {SheetNote|null} null when the sheet cannot be read
 */
function noteOf(sheet) {
  if (sheet.disabled) return { size: 0, keys: new Map(), complex: new Map() };
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return null;
  }
  let note = sheetNotes.get(sheet);
  if (!note || note.size !== rules.length) {
    note = { size: rules.length, keys: new Map(), complex: new Map() };
    if (!noteRules(rules, note, false)) return null;
    sheetNotes.set(sheet, note);
  }
  return note;
}

/**
 * @param {CSSRuleList} rules
 * @param {SheetNote} note
 * @param {boolean} nested inside another style rule
 * @returns {boolean} false when an imported sheet cannot be read
 */
function noteRules(rules, note, nested) {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      const inner = rule.styleSheet && noteOf(rule.styleSheet);
      if (inner) addNote(note, inner);
      else if (rule.styleSheet) return false;
      continue;
    }
    const styled = rule instanceof CSSStyleRule;
    if (styled) noteRule(rule, note, nested);
    const inner = /** @type {any} */ (rule).cssRules;
    if (inner && inner.length && !noteRules(inner, note, nested || styled)) return false;
  }
  return true;
}

/**
 * @param {CSSStyleRule} rule
 * @param {SheetNote} note
 * @param {boolean} nested
 */
function noteRule(rule, note, nested) {
  const style = rule.style;
  let bits = 0;
  const selectors = rule.selectorText;
  if (selectors.includes("before") || selectors.includes("after")) {
    const content = style.content;
    if (content && content !== "none" && content !== "normal" && content !== '""') bits |= GENERATES;
  } else if (style.content.includes("/")) {
    bits |= REPLACES;
  }
  const path = style.clipPath, clip = style.getPropertyValue("clip");
  if ((path && path !== "none") || (clip && clip !== "auto")) bits |= CLIPS;
  const skip = style.getPropertyValue("content-visibility");
  if (skip && skip !== "visible" && skip !== "auto") bits |= SKIPS;
  if (bits === 0) return;
  if (nested) mark(note.keys, "*", bits);
  else for (const s of splitSelectors(selectors)) noteSelector(s, note, bits);
}

/** A selector list as its selectors. @param {string} list @returns {string[]} */
function splitSelectors(list) {
  const out = [];
  let depth = 0, from = 0;
  for (let i = 0; i < list.length; i++) {
    const c = list[i];
    if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
    else if (c === "," && depth === 0) { out.push(list.slice(from, i)); from = i + 1; }
  }
  out.push(list.slice(from));
  return out;
}

/**
 * @param {string} selector
 * @param {SheetNote} note
 * @param {number} bits
 */
function noteSelector(selector, note, bits) {
  const base = selector.trim().replace(/::?(before|after).*$/, "");
  const last = /[^\s>+~]*$/.exec(base.replace(/\([^()]*\)|\[[^\]]*\]/g, ""));
  const compound = last ? last[0] : "";
  const key = /#[\w-]+/.exec(compound) || /\.[\w-]+/.exec(compound) || /^[a-zA-Z][\w-]*/.exec(compound);
  if (key && !compound.includes("\\")) mark(note.keys, key[0], bits);
  else if (base === "" || /[\s>+~]$/.test(base) || compound.startsWith("*")) mark(note.keys, "*", bits);
  else mark(note.complex, base, bits);
}

/**
 * What style sheets and the style attribute may do to an element: GENERATES, CLIPS, SKIPS, REPLACES.
 * @param {Element} el
 * @returns {number}
 */
function sheetBits(el) {
  if (memo === null) return sheetBitsNow(el);
  const known = knownOf(memo, el);
  if (known.bits < 0) known.bits = sheetBitsNow(el);
  return known.bits;
}

/** @param {Element} el */
function sheetBitsNow(el) {
  let bits = onEverything;
  const keys = rulesNoted.keys, tag = localOf(el);
  if (tag === "q") bits |= GENERATES; // the quotation marks of the browser's own style sheet
  if (keys.size > 0) {
    bits |= keys.get(tag) || 0;
    const classes = attr(el, "class");
    if (classes) for (const c of classes.split(/\s+/)) bits |= keys.get("." + c) || 0;
    const id = attr(el, "id");
    if (id) bits |= keys.get("#" + id) || 0;
  }
  for (const [selector, b] of rulesNoted.complex) {
    if ((bits & b) === b) continue;
    try {
      if (matches(el, selector)) bits |= b;
    } catch {
      bits |= b; // a selector that only a style sheet may hold
    }
  }
  const style = attr(el, "style");
  if (style) {
    if (style.includes("clip")) bits |= CLIPS;
    if (style.includes("content-visibility")) bits |= SKIPS;
  }
  return bits;
}

/**
 * Whether the style sheets may generate text at an element.
 * @param {Element} el
 */
function pseudoPossible(el) {
  return (sheetBits(el) & GENERATES) !== 0;
}

/**
 * Whether an element is there but what stands in it is skipped: a closed details, hidden="until-found",
 * content-visibility. Elements inside know that themselves, text does not.
 * @param {Element} el
 * @returns {boolean}
 */
function skipsContent(el) {
  switch (localOf(el)) {
    case "details": return !detailsOpen(el);
    case "video": case "audio": case "iframe": return true;
    case "object": return !showsFallback(el);
  }
  const until = attr(el, "hidden");
  if ((until === null || until.toLowerCase() !== "until-found") && (sheetBits(el) & SKIPS) === 0) return false;
  const style = styleOf(el);
  return style.getPropertyValue("content-visibility") === "hidden" && style.display !== "inline"; // it has no effect on inline boxes
}

/** Whether an object has nothing else to show than what stands in it. @param {Element} el */
function showsFallback(el) {
  const range = new Range();
  range.selectNodeContents(el);
  return range.getClientRects().length > 0;
}

/**
 * The text of a picture that takes the place of what an element contains; null where there is none.
 * @param {Element} el
 * @returns {string|null}
 */
function replacedBy(el) {
  if ((sheetBits(el) & REPLACES) === 0) return null;
  const content = styleOf(el).content;
  return content.startsWith("url(") && content.includes(" / ") ? generatedText(content, el) : null;
}

/**
 * @param {Builder} b
 * @param {Element} el
 * @param {string} which
 */
function addPseudo(b, el, which) {
  const style = styleOf(el, which);
  const content = style.content;
  if (!content || content === "none" || content === "normal" || style.display === "none") return;
  if (style.visibility !== "visible" && styleOf(el).visibility === "visible") return; // it keeps its place, and is not seen
  const text = generatedText(content, el);
  if (text && style.display !== "inline") {
    b.text += which === "::before" ? text + " " : " " + text;
    return;
  }
  add(b, text, content.includes(" / "));
}

/**
 * The strings of a computed content value; what stands after a slash is the alternative text.
 * @param {string} content
 * @param {Element} el whose content it is
 * @returns {string}
 */
function generatedText(content, el) {
  let out = "", alternative = "";
  let slash = false;
  for (const m of content.matchAll(/url\("(?:[^"\\]|\\.)*"\)|(open-quote|close-quote)|"((?:[^"\\]|\\.)*)"|(\/)/g)) {
    if (m[3]) { slash = true; continue; }
    let s = "";
    if (m[1]) s = quoteOf(el, m[1] === "open-quote");
    else if (m[2]) s = m[2].replace(/\\(?:([0-9a-fA-F]{1,6})\s?|(.))/g, (_, hex, c) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : c));
    if (slash) alternative += s;
    else out += s;
  }
  return slash ? alternative : out;
}

/**
 * The quotation mark that an element begins or ends with. By themselves they depend on the language; the English ones
 * stand for all.
 * @param {Element} el
 * @param {boolean} opens
 * @returns {string}
 */
function quoteOf(el, opens) {
  const quotes = styleOf(el).quotes;
  if (quotes === "none") return "";
  let depth = 0;
  for (let p = flatParent(el); p; p = flatParent(p)) if (localOf(p) === "q") depth++;
  const marks = Array.from(quotes.matchAll(/"((?:[^"\\]|\\.)*)"/g), (m) => m[1]);
  if (marks.length < 2) marks.splice(0, 2, "\u201c", "\u201d", "\u2018", "\u2019");
  const pair = Math.min(depth, (marks.length >> 1) - 1);
  return marks[2 * pair + (opens ? 0 : 1)];
}
