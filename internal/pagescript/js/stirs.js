// @ts-check
// stirs: what style sheets can do to an element although neither it nor what it stands in changes: by a state (:hover,
// :checked), by its siblings, by what it holds (:has), by the size of a container. Only elements that such a rule can
// concern are asked for their style when a run shall be taken over (reuse.js).

const SHIFTS = 1, PINS = 4, SCROLLS = 8;
/** Visibility, opacity, and whatever else makes an element show or not. */
const SEEN = 16, FADES = 32, SHOWS = 64, STYLES = SEEN | FADES | SHOWS;
/** Whether its cursor makes a link of an element (roles.js). */
const BECKONS = 128;

/** Properties by which an element shows or not, and is a block or not. */
const SHOWING = /^(display|visibility|opacity|content|content-visibility|clip|clip-path|position|float|quotes|all)$/;
/** Properties that move or cut. */
const SHIFTING = /^(transform|translate|scale|rotate|left|top|right|bottom|inset.*|(min-|max-)?(width|height|inline-size|block-size)|overflow.*|zoom|text-indent|offset.*|contain|margin.*|all)$/;

const SHOWN_BY_VALUE = /^(display|visibility|opacity|content-visibility)$/;

/**
 * @typedef {{size: number, keys: Map<string, number>, still: Map<string, number>, all: number, vars: number}} WatchNote
 *   keys: by the last compound; still: selectors that only attributes can make match; vars: 1 where a variable can change,
 *   2 where one makes an element show
 */
/** @type {WeakMap<CSSStyleSheet, WatchNote>} */
const watchNotes = new WeakMap();
/** Of all sheets together. @type {WatchNote} */
let mayStir = { size: 0, keys: new Map(), still: new Map(), all: 0, vars: 0 };

/** Whether a selector can begin or cease to match without an attribute of the element or of one around it. @param {string} selector */
function stirs(selector) {
  const bare = selector.replace(/"[^"]*"|'[^']*'/g, "").replace(/\[[^\]]*\]/g, "").replace(/::[\w-]+|:(before|after|first-line|first-letter)\b/g, "")
    .replace(/\\./g, "").replace(/:root\b|:(where|is|not)\(/g, "(");
  return /[:+~]/.test(bare);
}

/** @param {CSSRuleList} rules @param {WatchNote} note @param {boolean} nested @param {boolean} moody inside a container query or a stirring rule */
function noteWatched(rules, note, nested, moody) {
  for (const rule of rules) {
    const r = /** @type {any} */ (rule);
    if (rule instanceof CSSImportRule) {
      const inner = rule.styleSheet && noteOfWatched(rule.styleSheet);
      if (inner) {
        note.all |= inner.all;
        note.vars |= inner.vars;
        for (const [k, b] of inner.keys) mark(note.keys, k, b);
        for (const [k, b] of inner.still) mark(note.still, k, b);
      }
      continue;
    }
    const styled = rule instanceof CSSStyleRule;
    let stirring = moody || rule.constructor.name === "CSSContainerRule" || rule.constructor.name === "CSSScopeRule" || rule.constructor.name === "CSSStartingStyleRule";
    const style = /** @type {CSSStyleDeclaration|undefined} */ (r.style);
    if (style && (styled || nested)) {
      stirring = stirring || !styled || stirs(rule.selectorText);
      let bits = 0;
      for (let i = 0; i < style.length; i++) {
        const name = style[i];
        if (name === "position" && style.position !== "static" && style.position !== "relative") bits |= PINS;
        if (name.startsWith("overflow")) bits |= SCROLLS;
        if (stirring && name.startsWith("--")) note.vars |= 1;
        if (SHOWN_BY_VALUE.test(name) && style.getPropertyValue(name).includes("var(")) note.vars |= 2;
        if (stirring && SHOWING.test(name)) bits |= name === "visibility" ? SEEN : name === "opacity" ? FADES : SHOWS;
        if (stirring && SHIFTING.test(name) && !(name.startsWith("margin") && !style.getPropertyValue(name).includes("-"))) bits |= SHIFTS;
      }
      if (bits !== 0) {
        if (nested || !styled) note.all |= bits;
        else for (const s of splitSelectors(rule.selectorText)) noteWatchedSelector(s, note, bits, stirring);
      }
    }
    if (r.cssRules && r.cssRules.length) noteWatched(r.cssRules, note, nested || styled, stirring);
  }
}

/** @param {string} selector @param {WatchNote} note @param {number} bits @param {boolean} stirring */
function noteWatchedSelector(selector, note, bits, stirring) {
  const base = selector.trim().replace(/::?(before|after).*$/, "");
  const flat = base.replace(/\([^()]*(\([^()]*\)[^()]*)*\)|\[[^\]]*\]/g, "");
  const last = /[^\s>+~]*$/.exec(flat);
  const compound = last ? last[0] : "";
  const key = /#[\w-]+/.exec(compound) || /\.[\w-]+/.exec(compound) || /^[a-zA-Z][\w-]*/.exec(compound);
  if (key && !/[\\:(]/.test(key[0]) && !compound.includes("\\") && !/::(slotted|part|-)|:host/.test(base)) mark(note.keys, key[0], bits);
  else if (stirring || base === "" || /[*:]/.test(compound) || compound === "") note.all |= bits;
  else mark(note.still, base, bits);
}

/** @param {CSSStyleSheet} sheet @returns {WatchNote|null} null when it cannot be read */
function noteOfWatched(sheet) {
  let rules;
  try { rules = sheet.cssRules; } catch { return null; }
  let note = watchNotes.get(sheet);
  if (!note || note.size !== rules.length) {
    note = { size: rules.length, keys: new Map(), still: new Map(), all: 0, vars: 0 };
    noteWatched(rules, note, false, false);
    watchNotes.set(sheet, note);
  }
  return note;
}

/**
 * Looks through the style sheets; what is new of them makes a walk whole.
 * @param {(Document|ShadowRoot)[]} roots
 * @returns {any[]|null} what identifies them; null when one cannot be read
 */
function watchSheets(roots) {
  /** @type {any[]} */
  const out = [];
  /** @type {WatchNote[]} */
  const notes = [];
  for (const root of roots) {
    const inDocument = nodeTypeOf(root) === DOCUMENT;
    for (const list of [inDocument ? sheetsOfDocument(root) : sheetsOfShadow(root), (inDocument ? adoptedOfDocument(root) : adoptedOfShadow(root)) || []]) {
      for (let i = 0; i < list.length; i++) {
        const sheet = list[i];
        if (sheet.disabled) { out.push(sheet, -1); continue; }
        const note = noteOfWatched(sheet);
        if (!note) return null;
        notes.push(note);
        out.push(sheet, note.size, note);
      }
    }
  }
  if (same(out, keptSheets)) return keptSheets;
  mayStir = { size: 0, keys: new Map(), still: new Map(), all: 0, vars: 0 };
  for (const note of notes) {
    mayStir.all |= note.all;
    mayStir.vars |= note.vars;
    for (const [k, b] of note.keys) mark(mayStir.keys, k, b);
    for (const [k, b] of note.still) mark(mayStir.still, k, b);
  }
  if (mayStir.still.size > 40) for (const b of mayStir.still.values()) mayStir.all |= b;
  if (mayStir.vars === 3) mayStir.all |= STYLES;
  keptSheets = out;
  return out;
}
/** @type {any[]} */
let keptSheets = [];

/** @param {any[]} a @param {any[]} b */
function same(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** @param {Element} el @param {string} tag @returns {number} */
function watchBits(el, tag) {
  let bits = mayStir.all;
  const keys = mayStir.keys;
  if (keys.size > 0) {
    bits |= keys.get(tag) || 0;
    const classes = attr(el, "class");
    if (classes) for (const c of classes.split(/\s+/)) bits |= keys.get("." + c) || 0;
    const id = attr(el, "id");
    if (id) bits |= keys.get("#" + id) || 0;
  }
  if (mayStir.still.size <= 40) for (const [selector, b] of mayStir.still) {
    if ((bits & b) === b) continue;
    try { if (matches(el, selector)) bits |= b; } catch { bits |= b; }
  }
  const style = attr(el, "style");
  if (style) {
    if (style.includes("position")) bits |= PINS;
    if (style.includes("overflow")) bits |= SCROLLS;
  }
  if (hasAttr(el, "popover")) bits |= STYLES;
  if (tag === "a" && !hasAttr(el, "href")) bits |= BECKONS;
  return bits;
}

/** How an element shows, by what may change of that. @param {Element} el @param {CSSStyleDeclaration} s @param {number} watch @returns {string} */
function styleSign(el, s, watch) {
  let sign = watch & SEEN ? s.visibility : "";
  if (watch & FADES) sign += s.opacity === "0" ? "0" : "1";
  if (watch & BECKONS) {
    const parent = flatParent(el);
    sign += s.cursor + (parent ? styleOf(parent).cursor : "");
  }
  if (watch & SHOWS) {
    sign += s.display + s.position;
    const bits = sheetBits(el);
    if (bits & CLIPS) sign += s.clip + s.clipPath;
    if (bits & REPLACES) sign += s.content;
    if (bits & GENERATES) sign += s.quotes;
    if (bits & SKIPS) sign += s.getPropertyValue("content-visibility");
    if (bits & GENERATES) for (const which of ["::before", "::after"]) {
      const p = styleOf(el, which);
      sign += p.content + p.display + p.visibility;
    }
  }
  return sign;
}
