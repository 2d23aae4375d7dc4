// @ts-check
// pseudo: text that style sheets generate with ::before and ::after. It counts in names as if it were written in
// the page. Asking for the computed style of a pseudo-element is slow, so the style sheets are asked first which
// elements can have such text at all.

/**
 * What the rules of a sheet with generated text can apply to, by the last compound of their selectors.
 * @typedef {{size: number, keys: Set<string>, complex: Set<string>}} SheetNote
 */
/** @type {WeakMap<CSSStyleSheet, SheetNote>} */
const sheetNotes = new WeakMap();

/** Tags ("li"), classes (".new") and ids ("#a") of elements that may have generated text. @type {Set<string>} */
let generatingKeys = new Set();
/** Selectors that say no such key, as one list; "" for none. */
let generatingComplex = "";
/** Some sheet cannot be read (another origin's), or a rule applies to everything: every element is asked. */
let generatingAll = false;
/** Whether anything generates text. */
let generating = false;

const adoptedOfDocument = getter(Document.prototype, "adoptedStyleSheets");
const adoptedOfShadow = getter(ShadowRoot.prototype, "adoptedStyleSheets");
const sheetsOfShadow = getter(ShadowRoot.prototype, "styleSheets");

/**
 * Looks through the style sheets. Only sheets that are new or have grown are read. Called when a walk begins.
 * @param {(Document|ShadowRoot)[]} roots
 */
function noteGenerated(roots) {
  generatingKeys = new Set();
  generatingAll = false;
  const complex = new Set();
  for (const root of roots) {
    const inDocument = nodeTypeOf(root) === DOCUMENT;
    const sheets = [...(inDocument ? sheetsOfDocument(root) : sheetsOfShadow(root)), ...((inDocument ? adoptedOfDocument(root) : adoptedOfShadow(root)) || [])];
    for (const sheet of sheets) {
      const note = noteOf(sheet);
      if (!note) { generatingAll = true; continue; }
      for (const k of note.keys) generatingKeys.add(k);
      for (const c of note.complex) complex.add(c);
    }
  }
  if (generatingKeys.has("*") || complex.size > 40) generatingAll = true;
  generatingComplex = [...complex].join(",");
  generating = generatingAll || generatingKeys.size > 0 || complex.size > 0;
}

/**
 * @param {CSSStyleSheet} sheet
 * @returns {SheetNote|null} null when the sheet cannot be read
 */
function noteOf(sheet) {
  if (sheet.disabled) return { size: 0, keys: new Set(), complex: new Set() };
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return null;
  }
  let note = sheetNotes.get(sheet);
  if (!note || note.size !== rules.length) {
    note = { size: rules.length, keys: new Set(), complex: new Set() };
    if (!noteRules(rules, note, "")) return null;
    sheetNotes.set(sheet, note);
  }
  return note;
}

/**
 * @param {CSSRuleList} rules
 * @param {SheetNote} note
 * @param {string} parent selector of the rule around
 * @returns {boolean} false when an imported sheet cannot be read
 */
function noteRules(rules, note, parent) {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      const inner = rule.styleSheet && noteOf(rule.styleSheet);
      if (!inner) { if (rule.styleSheet) return false; continue; }
      for (const k of inner.keys) note.keys.add(k);
      for (const c of inner.complex) note.complex.add(c);
      continue;
    }
    let around = parent;
    if (rule instanceof CSSStyleRule) {
      around = parent ? `:is(${parent}) ${rule.selectorText}` : rule.selectorText;
      if (/::?(before|after)/.test(rule.selectorText)) {
        const content = rule.style.content;
        if (content && content !== "none" && content !== "normal" && content !== '""') {
          if (parent) note.keys.add("*");
          else for (const s of splitSelectors(around)) noteSelector(s, note);
        }
      }
    }
    const inner = /** @type {any} */ (rule).cssRules;
    if (inner && inner.length && !noteRules(inner, note, around)) return false;
  }
  return true;
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
 * @param {string} selector of an element's ::before or ::after
 * @param {SheetNote} note
 */
function noteSelector(selector, note) {
  const m = /^(.*?)::?(?:before|after)/.exec(selector.trim());
  if (!m) return;
  const base = m[1];
  const last = /[^\s>+~]*$/.exec(base.replace(/\([^()]*\)|\[[^\]]*\]/g, ""));
  const compound = last ? last[0] : "";
  const key = /#[\w-]+/.exec(compound) || /\.[\w-]+/.exec(compound) || /^[a-zA-Z][\w-]*/.exec(compound);
  if (key && !compound.includes("\\")) note.keys.add(key[0]);
  else if (base === "" || /[\s>+~]$/.test(base) || compound.startsWith("*")) note.keys.add("*");
  else note.complex.add(base);
}

/**
 * Whether generated text is possible at this element.
 * @param {Element} el
 * @returns {boolean}
 */
function pseudoPossible(el) {
  if (!generating) return false;
  if (generatingAll || generatingKeys.has(localOf(el))) return true;
  const classes = attr(el, "class");
  if (classes) for (const c of classes.split(/\s+/)) if (generatingKeys.has("." + c)) return true;
  const id = attr(el, "id");
  if (id && generatingKeys.has("#" + id)) return true;
  if (generatingComplex === "") return false;
  try {
    return matches(el, generatingComplex);
  } catch {
    generatingAll = true; // a selector that only a style sheet may hold
    return true;
  }
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
  const text = generatedText(content);
  if (text && style.display !== "inline") {
    b.text += which === "::before" ? text + " " : " " + text;
    return;
  }
  add(b, text, content.includes(" / "));
}

/**
 * The strings of a computed content value; what stands after a slash is the alternative text.
 * @param {string} content
 * @returns {string}
 */
function generatedText(content) {
  let out = "", alternative = "";
  let slash = false;
  for (const m of content.matchAll(/"((?:[^"\\]|\\.)*)"|(\/)/g)) {
    if (m[2]) { slash = true; continue; }
    const s = m[1].replace(/\\(?:([0-9a-fA-F]{1,6})\s?|(.))/g, (_, hex, c) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : c));
    if (slash) alternative += s;
    else out += s;
  }
  return slash ? alternative : out;
}
