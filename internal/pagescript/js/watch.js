// @ts-check
// Watching: what changes, when, and whether it changes on its own.
//
// One MutationObserver sees the document and every open shadow root that the walk has met. It keeps three things:
// a counter of changes that matter (settle waits for it to stand still), which elements change by themselves
// (volatile: clocks, carousels), and which elements were changed inside the gesture's own task (caused).

// Named elements shadow the methods of document (<img name=querySelectorAll>): they are called through the prototype.
const readyStateOf = getter(Document.prototype, "readyState");

/** Counts the batches of changes to what is not volatile. */
let changeCount = 0;
/** The act that is under way: from arm to release. Changes outside it are the page's own. */
let actOpen = false;
/** When the last act ended; what follows closely may still be its late effect. */
let actEndedAt = -1e9;
/** True from a trusted event of the gesture until its task is over. */
let inGestureTask = false;
/** Elements changed inside the gesture's task. @type {Set<number>} */
let causedElements = new Set();
/** Elements put in inside the gesture's task: with all that is in them they are caused, whenever they come into sight. @type {Set<Element>} */
let causedRoots = new Set();
/** So many elements in them are told of at most. */
const CAUSED_MAX = 5000;

/** The numbers of the elements that the gesture's task changed or put in. */
function causedNumbers() {
  const out = [...causedElements];
  for (const root of causedRoots) {
    if (!isConnected(root) || out.length > CAUSED_MAX) continue;
    out.push(elementId(root));
    for (const el of queryAll(root, "*")) {
      if (out.length > CAUSED_MAX) break;
      out.push(elementId(el));
    }
  }
  return out;
}

/** Validation complaints since the act began. @type {{field: string, message: string}[]} */
let complaints = [];

/**
 * How an element changed on its own: how often, when last, and the mean pause.
 * @typedef {{count: number, first: number, last: number}} OwnChanges
 */
/** @type {WeakMap<Element, OwnChanges>} */
const ownContent = new WeakMap();
/** @type {WeakMap<Element, OwnChanges>} */
const ownChildren = new WeakMap();

/** Changes closer together than this are one change. */
const SAME_CHANGE_MS = 30;
/** A page builds itself for a while after an act or a load; such changes must repeat more often to count as noise. */
const AFTERMATH_MS = 2000;

/** @param {WeakMap<Element, OwnChanges>} map @param {Element} el @param {number} now */
function countOwn(map, el, now) {
  const own = map.get(el);
  if (!own) { map.set(el, { count: 1, first: now, last: now }); return; }
  if (now - own.last < SAME_CHANGE_MS) return;
  own.count++;
  own.last = now;
}

/** Whether the changes go on, rather than having stopped. @param {OwnChanges | undefined} own @param {number} atLeast @param {number} now */
function keepsChanging(own, atLeast, now) {
  if (!own) return false;
  const aftermath = own.last - actEndedAt < AFTERMATH_MS || own.last < AFTERMATH_MS;
  if (own.count < (aftermath ? atLeast + 1 : atLeast)) return false;
  const pause = (own.last - own.first) / Math.max(1, own.count - 1);
  return now - own.last < Math.max(3 * pause, 300);
}

const NEVER_ROTATING = { HTML: 1, BODY: 1, MAIN: 1, FORM: 1 };

/**
 * Whether the element changes on its own: its text or attributes did so twice or more, or it stands in a
 * container whose children rotate.
 * @param {Element} el @returns {boolean}
 */
function isVolatile(el) {
  if (!volatileSeen) return false;
  const now = clock();
  let depth = 0;
  if (keepsChanging(ownContent.get(el), 2, now)) return true;
  for (let e = /** @type {Element | null} */ (el); e && depth < 12; e = flatParentElement(e), depth++) {
    if (!(tagOf(e) in NEVER_ROTATING) && keepsChanging(ownChildren.get(e), 2, now)) return true;
  }
  return false;
}
/** Nothing is volatile as long as nothing changed on its own: the usual page pays nothing. */
let volatileSeen = false;

/** @param {Element} el @returns {Element | null} */
function flatParentElement(el) {
  const p = flatParent(el);
  return p && p.nodeType === 1 ? /** @type {Element} */ (p) : null;
}

/** @param {MutationRecord[]} records */
function onMutations(records) {
  const now = performance.now();
  const parsing = readyStateOf(document) === "loading"; // the parser's own additions are no noise
  let matters = false;
  for (const r of records) {
    noteChange(r);
    const target = /** @type {Element | null} */ (r.type === "characterData" ? nodeParent(r.target) : r.target);
    if (!target || target.nodeType !== 1 && target.nodeType !== 11) continue;
    const el = target.nodeType === 11 ? /** @type {Element} */ (/** @type {any} */ (target).host || null) : target;
    if (!el) { matters = true; continue; }
    let childElements = false;
    if (r.type === "childList") {
      for (const list of [r.addedNodes, r.removedNodes])
        for (let i = 0; i < list.length; i++) if (list[i].nodeType === 1) { childElements = true; break; }
    }
    if (!actOpen && !parsing) {
      const map = childElements ? ownChildren : ownContent;
      for (let e = /** @type {Element | null} */ (el), up = 0; e && up < 4; e = flatParentElement(e), up++) {
        countOwn(map, e, now);
        const own = map.get(e);
        if (own && own.count > 1) volatileSeen = true;
        // What changes in <b> changes in the paragraph around it: the words belong to the element that has a role.
        if (childElements || roleOf(e) !== "") break;
      }
    }
    if (inGestureTask) {
      causedElements.add(elementId(el));
      for (let i = 0; i < r.addedNodes.length; i++) if (r.addedNodes[i].nodeType === 1) causedRoots.add(/** @type {Element} */ (r.addedNodes[i]));
      for (let i = 0; i < r.removedNodes.length; i++) if (r.removedNodes[i].nodeType === 1) causedElements.add(elementId(/** @type {Element} */ (r.removedNodes[i])));
    }
    if (!matters && !isVolatile(el)) matters = true;
  }
  if (matters) { changeCount++; wake(); }
}

const observer = new MutationObserver(onMutations);
/** @type {WeakSet<Node>} */
const watchedRoots = new WeakSet();
const WATCH = { subtree: true, childList: true, characterData: true, attributes: true };

/** Watches one document or shadow root. @param {Node} root */
function watchRoot(root) {
  if (watchedRoots.has(root)) return;
  watchedRoots.add(root);
  observer.observe(root, WATCH);
  if (root !== document) { hearIn(root); allDirty = true; }
}
watchRoot(document);

/** Things that change a page without a mutation count as changes too. */
for (const type of ["input", "change", "toggle", "popstate", "hashchange"])
  window.addEventListener(type, () => { changeCount++; wake(); }, { capture: true, passive: true });
window.addEventListener("focusin", wake, { capture: true, passive: true });
// What fades in or out is there or gone when the fading ends, and that is no mutation.
for (const type of ["transitionend", "transitioncancel", "animationend", "animationcancel"])
  window.addEventListener(type, (e) => {
    const el = /** @type {any} */ (e.target);
    if (!el || el.nodeType !== 1 || !isVolatile(el)) changeCount++;
    wake();
  }, { capture: true, passive: true });

window.addEventListener("invalid", (e) => {
  const el = /** @type {any} */ (e.target);
  if (!e.isTrusted || !el || el.nodeType !== 1) return;
  complaints.push({ field: describe(el), message: isSensitive(el) ? "" : String(el.validationMessage || "") });
  changeCount++;
  wake();
}, true);

/** @type {(() => void)[]} */
let sleepers = [];
function wake() {
  const s = sleepers;
  sleepers = [];
  for (const f of s) f();
}

/** What controls hold: a value set by script is no mutation. A cheap rolling number. */
function controlsPrint() {
  let h = 0;
  for (const root of [document, ...knownRoots()]) {
    const list = allIn(root, "input,textarea,select");
    for (let i = 0; i < list.length; i++) h = (h * 31 + printOf(list[i])) | 0;
  }
  return h;
}

/** @param {Element} control @returns {number} */
function printOf(control) {
  const el = /** @type {any} */ (control);
  let h = el.disabled ? 1 : 0;
  if (el.type === "checkbox" || el.type === "radio") return h * 31 + (el.checked ? 7 : 3) + (el.indeterminate ? 1 : 0);
  const v = String(el.value);
  h = (h * 31 + v.length) | 0;
  for (let k = 0; k < v.length && k < 64; k++) h = (h * 31 + v.charCodeAt(k)) | 0;
  return h;
}

/** Custom elements without an open shadow root that the walk has met and nobody was asked about: they may have a closed one. @type {Element[]} */
let unknownHosts = [];
/** @type {WeakSet<Element>} */
const askedHosts = new WeakSet();

/** @param {Element} el a custom element */
function meetHost(el) {
  if (askedHosts.has(el) || shadowOf(el) || !matches(el, ":defined")) return;
  askedHosts.add(el);
  unknownHosts.push(el);
}

/** Hands over the hosts to ask about: only the browser sees whether they have a closed root. */
function takeHosts() {
  const out = unknownHosts.map(elementId);
  unknownHosts = [];
  return out;
}

/** Takes in a closed root that the browser handed over: from now on it is seen and watched like an open one. @param {ShadowRoot} root */
function adopt(root) {
  adoptRoot(root);
  watchRoot(root);
  allDirty = true;
  changeCount++;
}

/** Takes in what has changed and was not told yet. */
function noteRecords() {
  const records = observer.takeRecords();
  if (records.length) onMutations(records);
}

/** The number of changes so far, for the snapshot. */
function mutationSeq() { return changeCount; }

/** A person's word for an element: role "name" in region. @param {Element | null} el */
function describe(el) {
  for (let e = el; e; e = flatParentElement(e)) {
    const role = roleOf(e);
    if (role && role !== "generic" && role !== "none" && role !== "presentation") {
      const id = identity(e);
      if (id.name || e === el || id.role === "iframe") return id.role + (id.name ? " " + JSON.stringify(id.name.slice(0, 120)) : "") + (id.region ? " in " + id.region : "");
    }
  }
  if (!el) return "nothing";
  const tag = tagOf(el).toLowerCase();
  return tag === "html" || tag === "body" ? "the page" : "<" + tag + ">";
}
