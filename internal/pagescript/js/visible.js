// @ts-check
// visible: what is rendered, and what of that can be seen.
//
// Rendered means: has a place in the page (not display:none, not in a closed details, not content-visibility
// hidden) and is not visibility:hidden. Seen means: rendered, and some pixel of it can be reached by looking or
// scrolling. What is rendered but not seen (a transparent check box over its drawn twin, text for screen
// readers) stays a node and is flagged.

const GONE = 0; // neither it nor anything inside is rendered
const SHOWN = 1; // rendered and opaque
const TRANSPARENT = 2; // rendered, opacity 0 on it or around it
const PASSES = 3; // has no box of its own; what is inside may be rendered (display:contents)
const HIDDEN = 4; // visibility:hidden; what is inside may be visible

const ALL_CHECKS = { opacityProperty: true, visibilityProperty: true };
const BOX_AND_VISIBILITY = { visibilityProperty: true };

/** Elements that never show anything themselves. */
const NEVER = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "param",
  "source", "track", "datalist", "col", "colgroup", "rp", "noframes", "selectedcontent", "defs", "clipPath", "mask", "pattern", "marker",
  "symbol", "linearGradient", "radialGradient", "filter", "desc", "metadata"]);

/**
 * How one element stands, given that its parent in the flat tree is rendered or passes.
 * @param {Element} el
 * @returns {number}
 */
function standing(el) {
  if (memo === null) return standingNow(el);
  const known = knownOf(memo, el);
  if (known.state < 0) known.state = standingNow(el);
  return known.state;
}

/**
 * @param {Element} el
 * @returns {number}
 */
function standingNow(el) {
  if (checkVisibility(el, ALL_CHECKS)) return SHOWN;
  if (checkVisibility(el, BOX_AND_VISIBILITY)) return TRANSPARENT;
  const tag = localOf(el);
  if (tag === "option" || tag === "optgroup") return optionStanding(el);
  if (tag === "area") return isMapped(el) ? SHOWN : GONE;
  const style = styleOf(el);
  const display = style.display;
  if (display === "none" || display === "") return GONE;
  if (style.visibility !== "visible") return HIDDEN;
  if (display === "contents") return PASSES;
  if (inCanvas(el)) return SHOWN;
  return GONE;
}

/** Whether a picture shows the map that an area is of. @param {Element} area */
function isMapped(area) {
  let map = parentElementOf(area);
  while (map && localOf(map) !== "map") map = parentElementOf(map);
  const name = map && (attr(map, "name") || attr(map, "id"));
  if (!name) return false;
  for (const img of allIn(rootOf(area), "img[usemap],object[usemap]")) if (attr(img, "usemap") === "#" + name && checkVisibility(img)) return true;
  return false;
}

/**
 * Options have no box while the select is closed; they are there as long as nothing hides them.
 * @param {Element} el
 * @returns {number}
 */
function optionStanding(el) {
  if (hasAttr(el, "hidden")) return GONE;
  if (hasAttr(el, "style") || hasAttr(el, "class")) return styleOf(el).display === "none" ? GONE : SHOWN;
  return SHOWN;
}

/**
 * Fallback content of a canvas is not painted, but it is there for the keyboard and for screen readers.
 * @param {Element} el
 * @returns {boolean}
 */
function inCanvas(el) {
  for (let p = flatParent(el); p; p = flatParent(p)) if (localOf(p) === "canvas") return true;
  return false;
}

/**
 * Whether the element has a place in the page and is not hidden.
 * @param {Element} el
 * @returns {boolean}
 */
function isRendered(el) {
  if (NEVER.has(localOf(el))) return false;
  if (checkVisibility(el, BOX_AND_VISIBILITY)) return true;
  const state = standing(el);
  if (state === GONE || state === HIDDEN) return false;
  const parent = flatParent(el);
  return !parent || placed(parent);
}

/**
 * Whether something inside el could be rendered: el has a box, or passes within one that has.
 * @param {Element} el
 * @returns {boolean}
 */
function placed(el) {
  for (let p = /** @type {Element|null} */ (el); p; p = flatParent(p)) {
    if (checkVisibility(p)) return true;
    const state = standing(p);
    if (state === GONE) return false;
  }
  return true;
}

/**
 * Whether an element takes itself and what is inside it out of the accessibility tree.
 * @param {Element} el
 * @returns {boolean}
 */
function excluded(el) {
  const hidden = attr(el, "aria-hidden");
  return (hidden !== null && hidden.toLowerCase() === "true") || hasAttr(el, "inert");
}

/**
 * The modal dialog on top, outside of which everything is inert.
 * @returns {Element|null}
 */
function topModal() {
  const open = allInDocument(document, "dialog:modal");
  if (open.length === 0) return null;
  if (open.length === 1) return open[0];
  // The top layer's order cannot be asked for, but only the topmost modal dialog and its backdrop can be hit.
  for (let el = hitTest(document, 0, 0); el; el = flatParent(el)) {
    if (matches(el, "dialog:modal")) return el;
  }
  return open[open.length - 1];
}

/**
 * A rectangle that scrolling can move: [left, top, right, bottom].
 * @typedef {[number, number, number, number]} Box
 */

/**
 * How an element cuts what is inside it; null for one that does not.
 * @typedef {{box: Box, x: string, y: string, positioned: boolean, dead: boolean, fixed: boolean, absolute: boolean}} Cut
 */

/** @param {DOMRect} r @returns {Box} */
function boxOf(r) {
  return [r.left, r.top, r.right, r.bottom];
}

/**
 * @param {Element} el
 * @param {Map<Element, Cut>|null} cache
 * @returns {Cut}
 */
function cutOf(el, cache) {
  const known = cache && cache.get(el);
  if (known) return known;
  const s = styleOf(el);
  const display = s.display;
  const noBox = display === "contents" || display === "inline";
  const tag = localOf(el);
  const viewport = tag === "html" || tag === "body"; // their overflow is the viewport's
  const cut = {
    box: boxOf(rectOf(el)),
    x: noBox || viewport ? "visible" : s.overflowX,
    y: noBox || viewport ? "visible" : s.overflowY,
    positioned: s.position !== "static" || s.transform !== "none" || s.contain.includes("paint"),
    absolute: s.position === "absolute",
    fixed: s.position === "fixed",
    dead: clippedAway(s),
  };
  if (cache) cache.set(el, cut);
  return cut;
}

/**
 * Whether clip or clip-path leave nothing of the element.
 * @param {CSSStyleDeclaration} s
 * @returns {boolean}
 */
function clippedAway(s) {
  const clip = s.clip;
  if (clip && clip !== "auto" && (s.position === "absolute" || s.position === "fixed")) {
    const n = clip.match(/-?[\d.]+/g);
    if (n && n.length === 4 && (+n[1] - +n[3] <= 0 || +n[2] - +n[0] <= 0)) return true;
  }
  const path = s.clipPath;
  if (!path || path === "none") return false;
  const inset = path.match(/^inset\(([^)]*?)(?: round .*)?\)$/);
  if (inset) {
    const part = inset[1].split(" ").map((v) => (v.endsWith("%") ? parseFloat(v) : 0));
    const [t, r = t, b = t, l = r] = part;
    return t + b >= 100 || l + r >= 100;
  }
  if (/^(circle|ellipse)\(0(px|%)?[ )]/.test(path)) return true;
  const polygon = path.match(/^polygon\((.*)\)$/);
  if (polygon) {
    const points = polygon[1].split(",").map((p) => p.trim());
    return points.every((p) => p === points[0]);
  }
  return false;
}

/**
 * Whether some pixel of a rendered element can be seen, perhaps after scrolling.
 * @param {Element} el
 * @param {Map<Element, Cut>|null} [cache] of cutOf, for many calls at one instant
 * @returns {boolean}
 */
function isSeen(el, cache = null) {
  const state = standing(el);
  if (state === GONE || state === HIDDEN || state === TRANSPARENT) return false;
  const tag = localOf(el);
  if (tag === "option" || tag === "optgroup") return optionSeen(el, cache);
  if (tag === "area") return true;
  let box = boxOf(rectOf(el));
  if (box[2] - box[0] <= 0 || box[3] - box[1] <= 0) {
    const own = cutOf(el, cache);
    if (own.x !== "visible" || own.y !== "visible") return false;
    const range = new Range();
    range.selectNodeContents(shadowOf(el) || el);
    box = boxOf(range.getBoundingClientRect());
    if ((box[2] - box[0] <= 0 || box[3] - box[1] <= 0) && !hasPlainChildren(el)) box = slottedBox(el);
    if (box[2] - box[0] <= 0 || box[3] - box[1] <= 0) return false;
  }
  return reaches(el, box, cache);
}

/**
 * The box around what is slotted into an element that has no box itself.
 * @param {Element} el
 * @returns {Box}
 */
function slottedBox(el) {
  /** @type {Box} */
  const out = [Infinity, Infinity, -Infinity, -Infinity];
  for (const n of flatChildren(el)) {
    const range = new Range();
    range.selectNode(n);
    const b = boxOf(range.getBoundingClientRect());
    if (b[2] > b[0] && b[3] > b[1]) {
      out[0] = Math.min(out[0], b[0]); out[1] = Math.min(out[1], b[1]);
      out[2] = Math.max(out[2], b[2]); out[3] = Math.max(out[3], b[3]);
    }
  }
  return out;
}

/**
 * Whether a part of box survives what cuts it on the way up to the page.
 * @param {Element} el
 * @param {Box} box
 * @param {Map<Element, Cut>|null} cache
 * @returns {boolean}
 */
function reaches(el, box, cache) {
  let [left, top, right, bottom] = box;
  let own = cutOf(el, cache);
  if (own.dead) return false;
  if ((right - left) * (bottom - top) <= 1.01 && (own.x !== "visible" || own.y !== "visible")) return false;
  let absolute = own.absolute, fixed = own.fixed;
  for (let p = flatParent(el); p; p = flatParent(p)) {
    const cut = cutOf(p, cache);
    if (cut.dead) return false;
    const cuts = !fixed && (!absolute || cut.positioned);
    if (cuts && (cut.x !== "visible" || cut.y !== "visible")) {
      const b = cut.box;
      if (b[2] - b[0] <= 0 || b[3] - b[1] <= 0) return false;
      if (cut.x === "auto" || cut.x === "scroll") { left = b[0]; right = b[2]; }
      else if (cut.x !== "visible") { left = Math.max(left, b[0]); right = Math.min(right, b[2]); }
      if (cut.y === "auto" || cut.y === "scroll") { top = b[1]; bottom = b[3]; }
      else if (cut.y !== "visible") { top = Math.max(top, b[1]); bottom = Math.min(bottom, b[3]); }
      if (right - left <= 0 || bottom - top <= 0) return false;
      if ((right - left) * (bottom - top) <= 1.01) return false;
    }
    if (cuts || cut.positioned) { absolute = cut.absolute; if (cut.fixed) fixed = true; }
  }
  if (fixed) return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const page = documentElementOf(document);
  const sx = window.scrollX, sy = window.scrollY;
  return right + sx > 0 && bottom + sy > 0 && left + sx < Math.max(page.scrollWidth, innerWidth) &&
    top + sy < Math.max(page.scrollHeight, innerHeight);
}

/**
 * Options of a drop-down show only while it is open; those of a list box stand in it.
 * @param {Element} el
 * @param {Map<Element, Cut>|null} cache
 * @returns {boolean}
 */
function optionSeen(el, cache) {
  for (let p = flatParent(el); p; p = flatParent(p)) {
    if (localOf(p) !== "select") continue;
    return roleOf(p) === "listbox" && isSeen(p, cache);
  }
  return isSeen(/** @type {Element} */ (flatParent(el)), cache);
}
