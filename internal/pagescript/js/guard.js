// @ts-check
// The guard: decides, event by event and before any handler of the page, whether the element that receives a
// gesture is the one that was asked for, with the identity it was asked for by. If not, the event and the rest of
// the gesture never reach the page.

/**
 * @typedef {{role: string, name: string, region: string, row: string}} Identity
 * @typedef {{type: string, receiver: string, onTarget: boolean, blocked: boolean, event: Event | null, canceled: boolean}} Seen
 * @typedef {object} Armed
 * @property {Element} el the element that must receive the gesture
 * @property {Identity | null} key the identity it was asked for by; null for the owner element of a frame
 * @property {string} near text that must stand in its row; "" for none
 * @property {boolean} sameName whether other elements carry the same name, so that the row tells them apart
 * @property {Set<string>} others names that other elements of the role carried
 * @property {Set<string>} otherRows rows of the elements that carry the same name
 * @property {"pointer" | "key" | "type" | "script" | "drag"} kind
 * @property {Seen[]} seen
 * @property {boolean} stopped
 * @property {boolean} begun
 * @property {boolean} pressed a press reached the element
 * @property {boolean} delivered the event that acts reached the element
 * @property {boolean} consumed the element went away after the press reached it
 * @property {boolean} [anew] it went away only to be drawn anew, so the rest of the gesture is lost
 * @property {boolean} [elsewhere] the press reached the element, the rest goes elsewhere although the element is who it was
 * @property {string} receiver
 * @property {string} renamed
 */

/** @type {Armed | null} */
let armed = null;

/** Elements that answer to a click themselves, so that a click on one of them is not a click on what is around it. */
const OWN_ACTIVATION = { A: 1, AREA: 1, BUTTON: 1, INPUT: 1, SELECT: 1, TEXTAREA: 1, SUMMARY: 1, OPTION: 1, VIDEO: 1, AUDIO: 1 };
const OWN_ROLES = { button: 1, link: 1, checkbox: 1, radio: 1, switch: 1, tab: 1, option: 1, menuitem: 1, menuitemcheckbox: 1, menuitemradio: 1, treeitem: 1, textbox: 1, searchbox: 1, combobox: 1, slider: 1, spinbutton: 1 };

/** @param {Element} el */
function activatesItself(el) {
  const tag = tagOf(el);
  if (tag === "A" || tag === "AREA") return attr(el, "href") !== null || roleOf(el) in OWN_ROLES;
  if (tag in OWN_ACTIVATION) return true;
  const role = attr(el, "role");
  return role !== null && roleOf(el) in OWN_ROLES;
}

/** The control that a label labels. @param {Element} el @returns {Element | null} */
function labelledControl(el) {
  return tagOf(el) === "LABEL" ? controlOfLabel(el) : null;
}

/**
 * Who answers an event that travels this path: "target" when the wanted element does, else the element that does.
 * @param {EventTarget[]} path innermost first @param {Element} want @returns {"target" | Element | null}
 */
function receiverOn(path, want) {
  /** @type {Element | null} */
  let innermost = null;
  for (const t of path) {
    const el = /** @type {Element} */ (t);
    if (el.nodeType !== 1) continue;
    if (el === want) return "target";
    if (!innermost) innermost = el;
    const control = labelledControl(el);
    if (control === want) return "target";
    if (control || activatesItself(el)) return el;
  }
  return innermost;
}

/** The path that an event at this element would travel. @param {Element | null} el */
function pathFrom(el) {
  /** @type {Element[]} */
  const path = [];
  for (let e = el; e; e = flatParentElement(e)) path.push(e);
  return path;
}

/**
 * Whether the element still is who was asked for. A rename in the course of the gesture passes (Play becomes
 * Pause), unless the new name is one that another element had, or tells that the element was given to another item.
 * @param {Armed} a
 */
function stillItself(a) {
  if (!a.key) return true;
  const now = identity(a.el);
  const sameRow = () => {
    if (!a.sameName || now.row === a.key?.row) return true;
    if (a.otherRows.has(now.row)) return false;
    return a.near === "" || hasWords(now.row, a.near);
  };
  if (now.role === a.key.role && now.name === a.key.name) {
    if (!a.begun && now.region !== a.key.region) return false;
    return sameRow();
  }
  if (!a.begun || a.others.has(now.name) || handedOn(a, now)) return false;
  a.renamed = now.name;
  return sameRow();
}

/**
 * Whether an element that took a new name stands for something else now, as in a list that gives its rows to other items: the
 * row around it says something else, or the name kept what it shares with its siblings (Archive) and lost what told it from
 * them (order 17).
 * @param {Armed} a @param {Identity} now
 */
function handedOn(a, now) {
  const key = /** @type {Identity} */ (a.key);
  if (now.row !== key.row && rowElementOf(a.el) !== a.el) return true;
  const shared = new Set();
  for (const name of a.others) for (const w of wordsOf(name)) shared.add(w);
  const left = new Set(wordsOf(now.name)), had = wordsOf(key.name);
  const own = had.filter((w) => !shared.has(w));
  return own.length > 0 && !own.some((w) => left.has(w)) && had.some((w) => shared.has(w) && left.has(w));
}

/** @param {string} s @returns {string[]} */
function wordsOf(s) {
  return s.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) || [];
}

/** Whether a text holds these words, whole and in this order, whatever their case. @param {string} text @param {string} want */
function hasWords(text, want) {
  const words = (/** @type {string} */ s) => " " + wordsOf(s).join(" ") + " ";
  return words(text).includes(words(want));
}

/**
 * Whether the page drew the element anew under the press: another one like it stands there, and has received nothing.
 * @param {Armed} a
 */
function drawnAnew(a) {
  const key = a.key;
  if (!key) return false;
  let left = 3000; // a page of more controls of this tag is not searched further
  for (const el of document.querySelectorAll(localOf(a.el))) {
    if (left-- === 0) return false;
    if (el === a.el || roleOf(el) !== key.role || !isRendered(el)) continue;
    const now = identity(el);
    if (now.name === key.name && now.region === key.region && (now.row === key.row || !a.sameName)) return true;
  }
  return false;
}

/** @param {Event} e @param {Element | null} to */
function stop(e, to) {
  e.stopImmediatePropagation();
  e.preventDefault();
  if (!armed) return;
  const receiver = describe(to);
  if (!armed.stopped) armed.receiver = receiver;
  armed.stopped = true;
  armed.seen.push({ type: e.type, receiver, onTarget: false, blocked: true, event: null, canceled: false });
}

const PRESSES = { pointerdown: 1, mousedown: 1, touchstart: 1, keydown: 1 };
const ACTS = {
  pointer: { click: 1, dblclick: 1, auxclick: 1, contextmenu: 1 },
  key: { keydown: 1, click: 1 },
  type: { beforeinput: 1, keydown: 1 },
  script: {},
  drag: { mousedown: 1 },
};

/**
 * The path of an event, into closed shadow roots too: the event itself shows only their host.
 * @param {Event} e @param {Armed} a @returns {EventTarget[]}
 */
function truePath(e, a) {
  const path = e.composedPath();
  const host = /** @type {Element} */ (path[0]);
  if (!anyClosed || !host || host.nodeType !== 1 || !closedRoots.has(host)) return path;
  const at = /** @type {MouseEvent} */ (e);
  const pointed = a.kind === "pointer" || a.kind === "drag";
  const inner = pointed && (at.clientX !== 0 || at.clientY !== 0) ? elementAt(at.clientX, at.clientY) : activeElement();
  return inner && contains(/** @type {Node} */ (rootOf(inner)), inner) ? pathFrom(inner) : path;
}

/** @param {Event} e */
function onEvent(e) {
  const a = armed;
  if (!a || !e.isTrusted) return;
  // What is dragged is taken under guard; it is let go elsewhere.
  if (a.kind === "drag" && !a.stopped && !(e.type in PRESSES) && e.type !== "dragstart") return;
  if (a.stopped) { stop(e, /** @type {any} */ (e.composedPath()[0])); return; }
  if (a.consumed) { e.stopImmediatePropagation(); e.preventDefault(); return; }
  const path = truePath(e, a);
  const to = a.kind === "pointer" || a.kind === "drag" ? receiverOn(path, a.el) : path.includes(a.el) ? "target" : /** @type {any} */ (path[0]);
  if (to !== "target") {
    // The press was received and took the element away (an option that commits on mousedown): nothing else may get the rest.
    if (a.pressed && (!isConnected(a.el) || !isRendered(a.el))) {
      a.consumed = true;
      a.anew = drawnAnew(a);
      e.stopImmediatePropagation();
      e.preventDefault();
      return;
    }
    // The key that opened a menu is let go on it: nothing is missed, and nobody else shall have it.
    if (e.type === "keyup" && a.pressed) {
      e.stopImmediatePropagation();
      e.preventDefault();
      return;
    }
    a.elsewhere = a.pressed && stillItself(a);
    stop(e, to && to.nodeType === 1 ? to : null);
    return;
  }
  if (!stillItself(a)) { stop(e, a.el); return; }
  a.begun = true;
  if (e.type in PRESSES) a.pressed = true;
  if (e.type in ACTS[a.kind]) a.delivered = true;
  a.seen.push({ type: e.type, receiver: "", onTarget: true, blocked: false, event: e, canceled: false });
  markGestureTask();
}

for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
  "touchstart", "touchend", "keydown", "keypress", "keyup", "beforeinput", "paste", "compositionstart", "dragstart"])
  window.addEventListener(type, onEvent, { capture: true, passive: false });

/**
 * What the guard saw of the gesture, for the witness; ends the guard.
 * @returns {{events: [string, string, number][], delivered: boolean, stopped: boolean, consumed: boolean, elsewhere: boolean, receiver: string, renamed: string}}
 */
function disarm() {
  const a = armed;
  armed = null;
  if (!a) return { events: [], delivered: false, stopped: false, consumed: false, elsewhere: false, receiver: "", renamed: "" };
  return {
    events: a.seen.map((s) => [s.type, s.receiver, (s.onTarget ? 1 : 0) | (s.blocked ? 2 : 0) | (s.event && s.event.defaultPrevented ? 4 : 0)]),
    delivered: a.delivered && !a.stopped, stopped: a.stopped, consumed: a.consumed && !a.anew, elsewhere: !!a.elsewhere, receiver: a.receiver, renamed: a.renamed,
  };
}

/**
 * The element of a watched act: somebody else acts, and nothing is guarded. What it receives is counted, whoever sent it.
 * @type {{el: Element, key: Identity, clicks: number, touched: boolean} | null}
 */
let watched = null;

/** What tells a page that somebody used a control. */
const USES = ["pointerdown", "mousedown", "touchstart", "click", "keydown", "beforeinput", "input", "change", "paste", "drop"];

/** @param {Event} e */
function onUse(e) {
  if (!watched) return;
  if (e.type !== "input" && e.type !== "change") markGestureTask();
  const to = receiverOn(e.composedPath(), watched.el);
  if (to !== "target" && !(to && takesPlaceOf(to, watched.key))) return;
  watched.touched = true;
  if (e.type === "click" && /** @type {MouseEvent} */ (e).detail < 2) watched.clicks++;
}

/** Whether an element is who the watched one was: it was drawn anew. @param {Element} el @param {Identity} key */
function takesPlaceOf(el, key) {
  const now = identity(el);
  return now.role === key.role && now.name === key.name && now.region === key.region;
}

for (const type of USES) window.addEventListener(type, onUse, { capture: true, passive: true });
