// @ts-check
// Acting: whether an element can be acted on now, where to point, and what only a script can do (focus, selection,
// choosing in a native select).

const editCommand = method(Document.prototype.execCommand);
const scrollingElementOf = getter(Document.prototype, "scrollingElement");

/** @param {number} id */
function stale(id) { return { code: "stale_ref", why: "element " + id + " is gone" }; }

/** @param {Element} el */
function disabledBy(el) {
  if (matches(el, ":disabled")) return describe(el);
  for (let e = /** @type {Element | null} */ (el); e; e = flatParentElement(e)) if (attr(e, "aria-disabled") === "true") return describe(e);
  return "";
}

/** Boxes where the element can be hit: its own, or those of what it contains where it has none (display: contents). @param {Element} el @returns {DOMRect[]} */
function boxes(el) {
  const list = [...clientRects(el)].filter((r) => r.width > 0 && r.height > 0);
  if (list.length) return list;
  const range = new Range();
  range.selectNodeContents(el);
  return [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
}

/** The elements to point at: the control, else a label of it. @param {Element} el @returns {Element[]} */
function pointables(el) {
  const out = [el];
  const labels = labelsOf(el);
  for (const l of labels) if (isRendered(l)) out.push(l);
  return out;
}

/** The innermost element at a point, through open shadow roots. @param {number} x @param {number} y @returns {Element | null} */
function elementAt(x, y) {
  let root = /** @type {any} */ (document);
  /** @type {Element | null} */
  let at = null;
  for (let i = 0; i < 30; i++) {
    const e = hitTest(root, x, y);
    if (!e || e === at) break;
    at = e;
    const inner = shadowOf(e);
    if (!inner) break;
    root = inner;
  }
  return at;
}

/** Points to try in a box, best first: the centre, then a grid. @param {DOMRect} r @returns {[number, number][]} */
function pointsIn(r) {
  /** @type {[number, number][]} */
  const out = [];
  const left = Math.max(r.left, 0), top = Math.max(r.top, 0), right = Math.min(r.right, innerWidth), bottom = Math.min(r.bottom, innerHeight);
  if (right - left < 1 || bottom - top < 1) return out;
  const at = (/** @type {number} */ fx, /** @type {number} */ fy) => out.push([left + (right - left) * fx, top + (bottom - top) * fy]);
  at(0.5, 0.5);
  for (const f of [0.25, 0.75, 0.1, 0.9, 0.03, 0.97]) { at(f, 0.5); at(0.5, f); at(f, f); at(f, 1 - f); }
  return out;
}

/** A point at which the element would receive a click, or who would instead. @param {Element} el */
function aim(el) {
  /** @type {Element | null} */
  let instead = null;
  let box = false;
  for (const p of pointables(el)) {
    for (const r of boxes(p)) {
      box = true;
      for (const [x, y] of pointsIn(r)) {
        const hit = elementAt(x, y);
        const who = receiverOn(pathFrom(hit), el);
        if (who === "target") return { x, y, instead: null, box };
        if (!instead) instead = who || hit;
      }
    }
  }
  return { x: -1, y: -1, instead, box };
}

/**
 * Makes ready for a gesture on an element and arms the guard.
 * @param {{id: number, key: Identity | null, near: string, others: string[], otherRows: string[], sameName: boolean, kind: "pointer" | "key" | "type" | "script" | "drag", edit: boolean, select: boolean, append: boolean, point: boolean, noFocus: boolean, unseen: boolean}} o
 * @returns {any} {x, y, seq, print} or {code, why, by}
 */
async function prepare(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  if (o.point && fadingNow() > 0) {
    // Something glides or unfolds: what moves is pressed when it rests. A page without such an animation pays nothing.
    if (comesIntoPlace(el)) return { code: "unstable", why: "is still coming into place" };
    const was = rectOf(el);
    await nextFrame();
    const is = rectOf(el);
    if (was.left !== is.left || was.top !== is.top || was.width !== is.width || was.height !== is.height) return { code: "unstable", why: "is still moving" };
  }
  // The page that the effect is measured against must be the one that the element was seen on, with all that came along with it.
  if (o.point && o.unseen && isSeen(el)) return { code: "unstable", why: "has only just come into sight" };
  /** @type {Armed} */
  const next = {
    el, key: o.key, near: o.near, sameName: o.sameName, others: new Set(o.others), otherRows: new Set(o.otherRows), kind: o.kind,
    seen: [], stopped: false, begun: false, pressed: false, delivered: false, consumed: false, receiver: "", renamed: "",
  };
  if (!stillItself(next)) return { code: "stale_ref", why: whoNow(next) };
  const by = disabledBy(el);
  if (by) return { code: "disabled", by };
  if (o.edit) {
    const e = /** @type {any} */ (el);
    if (matches(el, "input,textarea") && e.readOnly || attr(el, "aria-readonly") === "true") return { code: "readonly", by: describe(el) };
  }
  let point = { x: -1, y: -1 };
  if (o.point) {
    let a = aim(el);
    if (a.x < 0) {
      scrollTo(pointables(el).find((p) => boxes(p).length > 0) || el);
      a = aim(el);
    }
    if (a.x < 0) {
      if (!a.box) return { code: "not_visible", why: "has no box", focusable: canFocus(el) };
      if (!a.instead) return { code: "not_visible", why: "is outside the page", focusable: canFocus(el) };
      return { code: "covered", by: describe(a.instead), focusable: canFocus(el) };
    }
    point = a;
  } else if ((o.kind === "key" || o.kind === "type") && !o.noFocus) {
    focus(el);
    const active = activeElement();
    if (active !== el && !(active && contains(el, active))) return { code: "not_actionable", why: "does not take the focus, " + describe(active) + " has it" };
  }
  let held = { empty: false, length: 0 };
  if (o.select) {
    const s = selectAll(o);
    if (!("code" in s)) held = s;
  }
  if (o.append) caretToEnd(el);
  if (o.kind === "drag") dragFrom = placeIn(el);
  typedFrom = o.append ? textIn(el) : null;
  selectedFrom = o.kind === "key" ? selectionIn(el) : null;
  if (o.kind === "script") {
    scripted = next;
    markGestureTask();
  } else armed = next;
  return { x: point.x, y: point.y, empty: held.empty, length: held.length };
}

/** What a script is about to act on: no event tells the guard of it, so it is asked in the task that acts. @type {Armed | null} */
let scripted = null;

/** The refusal where an element is no longer who was asked for, or null. @param {Element} el */
function changedHands(el) {
  return scripted && scripted.el === el && !stillItself(scripted) ? { code: "stale_ref", why: whoNow(scripted) } : null;
}

/** What happens until the task is over is the act's own doing. */
function markGestureTask() {
  if (inGestureTask) return;
  inGestureTask = true;
  const own = ownTimers;
  const first = later(() => {
    inGestureTask = false;
    const last = later(() => {}, 0);
    clearTimeout(last);
    timersSet += Math.max(0, last - first - (ownTimers - own - 1));
  }, 0);
}

/** Timers that this script made. */
let ownTimers = 0;
/** Timers that the page made in the gesture's own tasks: work that is still to come. */
let timersSet = 0;

/**
 * setTimeout, counted. All worlds of a document draw the numbers of their timers from one sequence, so the gap between two of
 * ours tells how many the page made in between.
 * @param {() => void} f @param {number} ms
 */
function later(f, ms) {
  ownTimers++;
  return setTimeout(f, ms);
}

/** Who the element is now, where it is not who was asked for. @param {Armed} a */
function whoNow(a) {
  const now = identity(a.el), key = a.key;
  if (key && now.role === key.role && now.name === key.name && now.region === key.region)
    return "stands in another row now, " + JSON.stringify(now.row.slice(0, 80)) + " instead of " + JSON.stringify(key.row.slice(0, 80));
  return "is now " + describe(a.el);
}

/** Arms the guard of a frame around the target: nothing but the frame's own element may receive the gesture. @param {{id: number}} o */
function prepareOwner(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  armed = {
    el, key: null, near: "", sameName: false, others: new Set(), otherRows: new Set(), kind: "pointer",
    seen: [], stopped: false, begun: false, pressed: false, delivered: false, consumed: false, receiver: "", renamed: "",
  };
  return {};
}

/**
 * Begins an act: from now on until endAct nothing is counted as the page's own doing. Returns the marks that settle compares with.
 * @param {{watch?: number} | null} o watch: the element that somebody else is about to act on
 */
function beginAct(o) {
  actOpen = true;
  inGestureTask = false;
  armed = null;
  causedElements = new Set();
  causedRoots = new Set();
  complaints = [];
  timersSet = 0;
  const el = o && o.watch ? elementOf(o.watch) : null;
  watched = el ? { el, key: identity(el), clicks: 0, touched: false } : null;
  return { seq: changeCount, print: controlsPrint() };
}

/** Ends the act: what changes from now on is the page's own again. */
function endAct() {
  if (actOpen) actEndedAt = performance.now();
  actOpen = false;
  watched = null;
}

/**
 * Maps a point of a child frame into this frame, through the box and the transforms of the element that holds it.
 * @param {{id: number, x: number, y: number, width: number, height: number}} o width and height of the child's viewport
 */
function mapFrom(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  const r = rectOf(el);
  if (r.bottom < 0 || r.right < 0 || r.top > innerHeight || r.left > innerWidth) scrollTo(el);
  let { x, y } = within(el, o.x, o.y);
  if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) {
    window.scrollBy({ left: x < 0 || x > innerWidth ? x - innerWidth / 2 : 0, top: y < 0 || y > innerHeight ? y - innerHeight / 2 : 0, behavior: "instant" });
    ({ x, y } = within(el, o.x, o.y));
  }
  const hit = elementAt(x, y);
  if (hit !== el && !(hit && contains(el, hit))) return { code: "covered", by: describe(hit) };
  return { x, y };
}

/** What the field held before it was typed into. @type {string | null} */
let typedFrom = null;

/** What was selected before the key was pressed, and where. @type {ReturnType<typeof selectionIn>} */
let selectedFrom = null;

/**
 * The selection in a field, an editor or a page: its ends, whether it covers all that is there, and whether it is a caret at the start
 * or the end. null where none can be told.
 * @param {Element} el @returns {{ends: any[], all: boolean, start: boolean, end: boolean} | null}
 */
function selectionIn(el) {
  const e = /** @type {any} */ (el);
  const tag = tagOf(el);
  const root = /** @type {any} */ (getRootNode(el)), s = /** @type {Selection | null} */ (root.getSelection ? root.getSelection() : getSelection());
  if (tag === "INPUT" || tag === "TEXTAREA") {
    const n = String(e.value).length;
    const from = e.selectionStart, to = e.selectionEnd;
    if (from !== null) return { ends: [from, to, e.selectionDirection], all: from === 0 && to === n, start: to === 0, end: from === n };
    // A type without a selection of its own: what is selected in it is the document's selection.
    const length = activeElement() === el && s ? String(s).length : 0;
    return { ends: [length], all: length === n, start: false, end: false };
  }
  if (!s || !s.anchorNode || !contains(el, s.anchorNode) || !contains(el, s.focusNode)) return null;
  const bare = (/** @type {string} */ t) => t.replace(/[\s\u200b\ufeff]+/g, "");
  const ends = [s.anchorNode, s.anchorOffset, s.focusNode, s.focusOffset], all = bare(String(s)) === bare(String(e.innerText));
  if (!s.isCollapsed) return { ends, all, start: false, end: false };
  const before = new Range(), after = new Range();
  before.setStart(el, 0);
  before.setEnd(s.focusNode, s.focusOffset);
  after.selectNodeContents(el);
  after.setStart(s.focusNode, s.focusOffset);
  return { ends, all, start: bare(String(before)) === "", end: bare(String(after)) === "" };
}

/** What the key did to the selection. @param {Element} el */
function selectionMoved(el) {
  const is = selectionIn(el), was = selectedFrom;
  if (!is) return undefined;
  return { moved: !was || is.ends.some((end, i) => end !== was.ends[i]), all: is.all, start: is.start, end: is.end };
}

/** The text that a field or editor holds. @param {Element} el */
function textIn(el) {
  const e = /** @type {any} */ (el);
  const tag = tagOf(el);
  if (tag === "INPUT" || tag === "TEXTAREA") return String(e.value);
  return e.isContentEditable ? String(e.innerText).replace(/\n$/, "") : valueOf(el) || "";
}

/** Puts the caret behind what is there, unless the caret is in it already. @param {Element} el */
function caretToEnd(el) {
  const e = /** @type {any} */ (el);
  if (tagOf(el) === "INPUT" || tagOf(el) === "TEXTAREA") {
    try { e.setSelectionRange(e.value.length, e.value.length); } catch { /* a type without a selection: its caret is the browser's */ }
    return;
  }
  const s = getSelection();
  s?.selectAllChildren(el);
  s?.collapseToEnd();
}

/** Where a point of a frame's document lies in this one. @param {Element} el the frame's element @param {number} x @param {number} y */
function within(el, x, y) {
  const h = /** @type {any} */ (el), r = rectOf(el), style = getComputedStyle(el);
  const sx = h.offsetWidth ? r.width / h.offsetWidth : 1, sy = h.offsetHeight ? r.height / h.offsetHeight : 1;
  return {
    x: r.left + (h.clientLeft + (parseFloat(style.paddingLeft) || 0) + x) * sx,
    y: r.top + (h.clientTop + (parseFloat(style.paddingTop) || 0) + y) * sy,
  };
}

/** @param {{id: number, x: number, y: number}} o */
function mapPoint(o) {
  const el = elementOf(o.id);
  return el ? within(el, o.x, o.y) : { x: -1, y: -1 };
}

/** Where an element stands in the viewport, brought into it where that is asked for. @param {{id: number, reveal: boolean}} o */
function standsAt(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  const shown = pointables(el).find((p) => boxes(p).length > 0) || el;
  const at = rectOf(shown);
  if (o.reveal && (at.bottom < 0 || at.right < 0 || at.top > innerHeight || at.left > innerWidth)) scrollTo(shown);
  const r = rectOf(shown);
  return { x: r.left, y: r.top, width: r.width, height: r.height };
}

/** The boxes of what must not be in a picture, in view. */
function sensitiveBoxes() {
  const out = [];
  for (const root of [document, ...knownRoots()])
    for (const el of allIn(root, "input,textarea,[contenteditable],[data-deed-sensitive]"))
      if (isRendered(el) && isSensitive(el) && textIn(el) !== "")
        for (const r of boxes(el)) if (r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth) out.push({ x: r.left, y: r.top, width: r.width, height: r.height });
  return out;
}

/** How an element takes text: what it is, and whether it holds anything. @param {{id: number}} o */
function fillKind(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  const e = /** @type {any} */ (el);
  const tag = tagOf(el);
  if (tag === "INPUT") {
    const type = String(e.type);
    if (["color", "date", "time", "datetime-local", "month", "week", "range"].includes(type)) return { kind: "set", type };
    if (["checkbox", "radio", "submit", "button", "reset", "image", "file", "hidden"].includes(type)) return { code: "unsupported", why: "an input of type " + type + " takes no text" };
    return { kind: "text", type, empty: e.value === "" };
  }
  if (tag === "TEXTAREA") return { kind: "text", type: "textarea", empty: e.value === "" };
  if (e.isContentEditable) return { kind: "editable", empty: e.innerText.trim() === "" };
  return { code: "unsupported", why: describe(el) + " takes no text" };
}

/** Selects all that the element holds, so that what is typed next replaces it. @param {{id: number}} o */
function selectAll(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  focus(el);
  const e = /** @type {any} */ (el);
  if (tagOf(el) === "INPUT" || tagOf(el) === "TEXTAREA") { e.select(); return { empty: e.value === "", length: e.value.length }; }
  const s = getSelection();
  s?.selectAllChildren(el);
  return { empty: e.innerText.trim() === "", length: e.innerText.length };
}

/** Replaces what the element holds in one task, so that no handler of the page can come between. @param {{id: number, text: string}} o */
function replaceText(o) {
  const sel = selectAll(o);
  if ("code" in sel) return sel;
  // Taking the focus let handlers of the page run.
  const el = /** @type {Element} */ (elementOf(o.id)), active = activeElement(), other = changedHands(el);
  if (other) return other;
  if (active !== el && !(active && contains(el, active))) return { code: "not_actionable", why: "does not take the focus, " + describe(active) + " has it" };
  markGestureTask();
  if (o.text === "") return { done: editCommand(document, "delete") };
  return { done: editCommand(document, "insertText", false, o.text) };
}

/** Sets the value through the element's own setter and tells the page, as a picker does. @param {{id: number, text: string}} o */
function setValue(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  const proto = tagOf(el) === "TEXTAREA" ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  const set = Object.getOwnPropertyDescriptor(proto, "value")?.set;
  if (!set) return { code: "unsupported", why: "has no value" };
  const other = changedHands(el);
  if (other) return other;
  markGestureTask();
  const type = String(/** @type {any} */ (el).type);
  set.call(el, type === "color" ? o.text.toLowerCase() : o.text);
  el.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertReplacementText", data: o.text }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return { done: true };
}

/** What the element holds, and whether that is exactly the text; a sensitive value itself never comes out. With typed: whether it
 * is what was there, with the text put in somewhere. @param {{id: number, text: string, typed?: boolean}} o */
function holds(o) {
  const el = elementOf(o.id);
  if (!el) return { gone: true, held: false, value: "" };
  const e = /** @type {any} */ (el);
  const tag = tagOf(el);
  let value;
  if (tag === "INPUT" || tag === "TEXTAREA") value = String(e.value);
  else if (e.isContentEditable) value = String(e.innerText).replace(/\n$/, "");
  else value = valueOf(el) || "";
  const nl = (/** @type {string} */ s) => s.replace(/\r\n?/g, "\n");
  let held = nl(value) === nl(o.text);
  if (o.typed && typedFrom !== null) {
    const was = nl(typedFrom), now = nl(value), t = nl(o.text);
    held = false;
    for (let i = was.length; i >= 0 && !held && now.length === was.length + t.length; i--) held = was.slice(0, i) + t + was.slice(i) === now;
  }
  if (!held && tag === "INPUT" && e.type === "color") held = value === o.text.toLowerCase();
  if (!held && tag === "INPUT" && (e.type === "number" || e.type === "range")) held = value !== "" && o.text.trim() !== "" && Number(value) === Number(o.text);
  if (!held && e.isContentEditable) held = nl(value).replace(/\u00a0/g, " ").replace(/\n+/g, "\n") === nl(o.text).replace(/\n+/g, "\n");
  if (isSensitive(el)) {
    // The judge never sees the value, so what a mask made of the text is told apart here: the same letters and digits in
    // the same order, with separators that the field put in.
    const bare = (/** @type {string} */ s) => s.replace(/[^\p{L}\p{N}]/gu, "");
    return { gone: false, held: held || bare(o.text) !== "" && bare(value) === bare(o.text) && value.length > o.text.length, value: "" };
  }
  return { gone: false, held, value: value.slice(0, 20000) };
}

/**
 * Chooses options of a native select, as the browser does: by label or value; "Group: Label" names the group.
 * A leading + adds to what is chosen, a leading - takes away (multiple only).
 * @param {{id: number, options: string[]}} o
 */
function choose(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  if (tagOf(el) !== "SELECT") return { code: "unsupported", why: describe(el) + " is no native select" };
  const other = changedHands(el);
  if (other) return other;
  const select = /** @type {HTMLSelectElement} */ (el);
  const options = [...select.options];
  const fold = (/** @type {string} */ s) => s.replace(/\s+/g, " ").trim();
  const groupOf = (/** @type {HTMLOptionElement} */ op) => { const p = nodeParent(op); return p && tagOf(/** @type {Element} */ (p)) === "OPTGROUP" ? /** @type {any} */ (p) : null; };
  const label = (/** @type {HTMLOptionElement} */ op) => fold(op.label || op.text);
  const full = (/** @type {HTMLOptionElement} */ op) => { const g = groupOf(op); return g ? fold(g.label) + ": " + label(op) : label(op); };
  const usable = (/** @type {HTMLOptionElement} */ op) => !op.disabled && !groupOf(op)?.disabled;
  const find = (/** @type {string} */ want) => {
    const w = fold(want);
    let hits = options.filter((op) => full(op) === w);
    if (!hits.length) hits = options.filter((op) => label(op) === w);
    if (!hits.length) hits = options.filter((op) => op.value === want);
    const open = hits.filter(usable);
    return open.length ? open : hits;
  };
  /** @type {Set<HTMLOptionElement>} */
  const chosen = new Set();
  const relative = select.multiple && o.options.every((s) => /^[+-]/.test(s) && find(s).length === 0);
  if (relative) for (const op of options) if (op.selected) chosen.add(op);
  for (const want of o.options) {
    const text = relative ? want.slice(1) : want;
    const hits = find(text);
    if (hits.length === 0) return { code: "no_option", why: "has no option " + JSON.stringify(text) + "; there are " + options.slice(0, 12).map((op) => JSON.stringify(full(op))).join(", ") };
    if (hits.length > 1) return { code: "many_matches", why: hits.length + " options are called " + JSON.stringify(text) + ": " + hits.map((op) => JSON.stringify(full(op))).join(", ") };
    if (!usable(hits[0])) return { code: "disabled", by: "option " + JSON.stringify(full(hits[0])) };
    if (relative && want[0] === "-") chosen.delete(hits[0]);
    else chosen.add(hits[0]);
  }
  if (!select.multiple && chosen.size > 1) return { code: "invalid", why: "takes one option, " + chosen.size + " were asked for" };
  const wanted = options.filter((op) => chosen.has(op));
  const labels = wanted.map(full);
  if (options.every((op) => op.selected === chosen.has(op))) return { already: true, labels };
  markGestureTask();
  if (select.multiple) for (const op of options) op.selected = chosen.has(op);
  else select.selectedIndex = options.indexOf(wanted[0]);
  select.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  select.dispatchEvent(new Event("change", { bubbles: true }));
  return { labels };
}

/** What is chosen in a native select: labels with their group. @param {{id: number}} o */
function chosen(o) {
  const el = elementOf(o.id);
  if (!el || tagOf(el) !== "SELECT") return { labels: [] };
  return { labels: [.../** @type {HTMLSelectElement} */ (el).selectedOptions].map((op) => {
    const p = nodeParent(op);
    const label = (op.label || op.text).replace(/\s+/g, " ").trim();
    return p && tagOf(/** @type {Element} */ (p)) === "OPTGROUP" ? /** @type {any} */ (p).label + ": " + label : label;
  }) };
}

/** Whether a click on the element does something without any listener: it, or an element around it, has an action of its own. @param {{id: number}} o */
function actsByItself(o) {
  const el = elementOf(o.id);
  for (let e = el; e; e = flatParentElement(e)) {
    const tag = tagOf(e);
    if (tag === "BUTTON") {
      const b = /** @type {HTMLButtonElement} */ (e);
      if (attr(e, "type") === "button" || !b.form) {
        if (["popovertarget", "commandfor", "interesttarget"].every((a) => attr(e, a) === null)) continue;
      }
      return true;
    }
    if (tag === "A" || tag === "AREA" ? attr(e, "href") !== null : tag in OWN_ACTIVATION || tag === "LABEL" || attr(e, "contenteditable") !== null || tag.includes("-")) return true;
  }
  return !el;
}

/** The middle of an element, scrolled into view. @param {{id: number}} o */
function whereIs(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  scrollTo(el);
  const r = rectOf(el);
  return { x: r.left + r.width / 2, y: r.top + r.height / 2 };
}

/** How the element stands: hovered, focused, in view. @param {Element} el */
function bearing(el) {
  const active = activeElement();
  const r = rectOf(el);
  const inView = r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth;
  return { hovered: matches(el, ":hover"), focused: active === el || !!active && contains(el, active), inView: inView && aim(el).x >= 0, selection: selectionMoved(el) };
}

/** Brings the element into view. @param {{id: number}} o */
function reveal(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  markGestureTask();
  scrollTo(el);
  return {};
}

/** What scrolls: the element, or the first in or around it that can; the page where none does. @param {Element | null} el */
function scroller(el) {
  const can = (/** @type {Element} */ e) => {
    const h = /** @type {any} */ (e);
    if (h.scrollHeight <= h.clientHeight + 1 && h.scrollWidth <= h.clientWidth + 1) return false;
    const s = getComputedStyle(e);
    return /auto|scroll|overlay/.test(s.overflowY + s.overflowX);
  };
  if (el) {
    if (can(el)) return el;
    for (const e of queryAll(el, "*")) if (can(e)) return e;
    for (let e = flatParentElement(el); e; e = flatParentElement(e)) if (can(e)) return e;
  }
  return scrollingElementOf(document) || documentElementOf(document);
}

/** Where it stood before the wheel turned. @type {[number, number]} */
let scrollFrom = [0, 0];

/** A point over what scrolls. @param {{id: number}} o */
function scrollPoint(o) {
  const el = o.id ? elementOf(o.id) : null;
  if (o.id && !el) return stale(o.id);
  markGestureTask();
  const what = scroller(el);
  scrollFrom = [what.scrollLeft, what.scrollTop];
  if (what === scrollingElementOf(document)) return { x: innerWidth / 2, y: innerHeight / 2 };
  const r = rectOf(what);
  return { x: (Math.max(r.left, 0) + Math.min(r.right, innerWidth)) / 2, y: (Math.max(r.top, 0) + Math.min(r.bottom, innerHeight)) / 2 };
}

/** How far it moved, once it stands still: scrolling may be smooth. @param {{id: number, x: number, y: number}} o */
async function scrolledBy(o) {
  const what = scroller(o.id ? elementOf(o.id) : null);
  let last = [NaN, NaN], still = 0;
  for (let i = 0; i < 120 && still < 4; i++) {
    await nextFrame();
    still = what.scrollLeft === last[0] && what.scrollTop === last[1] ? still + 1 : 0;
    last = [what.scrollLeft, what.scrollTop];
  }
  const max = [what.scrollWidth - what.clientWidth, what.scrollHeight - what.clientHeight];
  const ended = (/** @type {number} */ by, /** @type {number} */ i) => by === 0 || (by > 0 ? last[i] >= max[i] - 1 : last[i] <= 1);
  return { x: last[0] - scrollFrom[0], y: last[1] - scrollFrom[1], end: ended(o.x, 0) && ended(o.y, 1) };
}

/** The number of the file input that the element is or labels, 0 for none. @param {{id: number}} o */
function fileInput(o) {
  const el = elementOf(o.id);
  if (!el) return 0;
  for (const e of [el, labelledControl(el)])
    if (e && tagOf(e) === "INPUT" && /** @type {any} */ (e).type === "file") return elementId(e);
  return 0;
}

/** The files that a file input holds. @param {number} id */
function filesOf(id) {
  const el = /** @type {any} */ (elementOf(id));
  return el && el.files ? [...el.files].map((f) => ({ name: f.name, size: f.size })) : [];
}

/** Where an element stands: in the page, and in the tree. @param {Element} el */
function placeIn(el) {
  const r = rectOf(el);
  return [Math.round(r.left + scrollX), Math.round(r.top + scrollY), flatParentElement(el), previousElementOf(el), nextElementOf(el)];
}

/** Where the dragged item stood when it was taken. @type {any[]} */
let dragFrom = [];

/** So many frames a list that makes way may take to come to rest. */
const MAKING_WAY_FRAMES = 90;

/**
 * On which side of the drop the dragged item is, once neither moves: -1 directly before it, 1 directly after it, 2 on neither, 0
 * where the item is still where it was taken, or has no box.
 * @param {{item: number, id: number}} o
 */
async function dropSide(o) {
  const item = elementOf(o.item), at = elementOf(o.id);
  if (!item || !at) return { side: 0 };
  let a = rectOf(item), b = rectOf(at);
  for (let i = 0, still = 0; i < MAKING_WAY_FRAMES && still < 2; i++) {
    await nextFrame();
    const c = rectOf(item), d = rectOf(at);
    still = fadingNow() === 0 && c.left === a.left && c.top === a.top && d.left === b.left && d.top === b.top ? still + 1 : 0;
    a = c;
    b = d;
  }
  if (a.width === 0 || a.height === 0 || b.width === 0 || b.height === 0) return { side: 0 };
  if (placeIn(item).every((v, i) => v === dragFrom[i])) return { side: 0 };
  const across = runsAcross(at), list = flatParentElement(at);
  /** How far along the list the middle of a box is from that of the drop. @param {DOMRect} r */
  const along = (r) => {
    const x = r.left + r.width / 2 - b.left - b.width / 2, y = r.top + r.height / 2 - b.top - b.height / 2;
    return across && Math.abs(y) < Math.max(r.height, b.height) / 2 ? x : y; // a row may go on in the next line
  };
  const far = along(a);
  if (list) {
    const l = rectOf(list), x = a.left + a.width / 2, y = a.top + a.height / 2;
    if (x < l.left || x > l.right || y < l.top || y > l.bottom) return { side: 2 };
    for (let e = firstElementOf(list); e; e = nextElementOf(e)) {
      const r = rectOf(e), d = along(r);
      if (e !== at && e !== item && !contains(e, item) && r.width > 0 && r.height > 0 && d * far > 0 && Math.abs(d) < Math.abs(far)) return { side: 2 };
    }
  }
  return { side: Math.sign(far) };
}

/** Whether an element and the next stand beside each other, and not one below the other. @param {Element} el */
function runsAcross(el) {
  const next = nextElementOf(el) || previousElementOf(el), r = rectOf(el);
  return next ? Math.abs(rectOf(next).left - r.left) > Math.abs(rectOf(next).top - r.top) : false;
}

/** A point at which to drop: on the element, or at the edge before (-1) or after (1) it. @param {{id: number, side: number}} o */
function dropPoint(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  const box = boxes(el)[0] || rectOf(el);
  if (box.bottom < 0 || box.top > innerHeight) scrollTo(el);
  const r = rectOf(el);
  if (r.width === 0 || r.height === 0) return { code: "not_visible", why: "where to drop has no box" };
  if (o.side === 0) return { x: r.left + r.width / 2, y: r.top + r.height / 2 };
  const across = runsAcross(el);
  const part = o.side < 0 ? 0.2 : 0.8;
  return across ? { x: r.left + r.width * part, y: r.top + r.height / 2 } : { x: r.left + r.width / 2, y: r.top + r.height * part };
}

/** Which of these elements can be seen by a person. @param {{ids: number[]}} o */
function seen(o) { return o.ids.map((id) => { const el = elementOf(id); return !!el && isSeen(el); }); }
