// @ts-check
// reuse: what stands as it stood is told again without being looked at.
//
// A walk remembers the page in runs: siblings in a row, with all that is in them, of a bounded number of elements. For
// each it keeps what it told, what it was handed from above (Place), and what no mutation shows: what controls hold,
// styles that a state or a sibling may change, scroll positions, where it stood. The next walk visits what is around
// the runs, and takes a run over only if nothing that it depends on may have changed. In doubt it is walked again; what
// concerns the whole page (a style sheet, a modal dialog, the size of the window) makes the whole walk new.

/** So many elements in a run. */
const RUN = 48;
/** A run of fewer is not worth its keeping. */
const RUN_MIN = 4;

/**
 * @typedef {object} Facts what a walk notes beside its columns, in document order
 * @property {Element[]} styled elements whose style a state, a sibling or what they hold may change
 * @property {Element[]} moving elements whose place may change so
 * @property {Element[]} pinned elements that do not stand in the flow
 * @property {Element[]} scrollers elements that may cut what is in them
 * @property {Element[]} controls
 * @property {Element[]} labels
 * @property {Element[]} bare elements that could be given a shadow root
 * @property {Element[]} anchors elements whose box was measured
 * @property {number[]} hull their boxes, four numbers each
 * @property {(Node|null)[]} refs pairs: an element that refers by an id, and what it refers to
 * @property {number[]} count of suspects, of ties
 */

/** @returns {Facts} */
function noFacts() {
  return { styled: [], moving: [], pinned: [], scrollers: [], controls: [], labels: [], bare: [], anchors: [], hull: [], refs: [], count: [0, 0] };
}

/** Where the columns and facts of a walk stood when a run was opened. @param {Walk} w */
function standOf(w) {
  const f = w.facts;
  return { at: w.el.length, visits: w.visits, frames: w.frames.length, va: w.vaAt.length, gr: w.grAt.length, styled: f.styled.length, moving: f.moving.length, pinned: f.pinned.length,
    scrollers: f.scrollers.length, controls: f.controls.length, labels: f.labels.length, bare: f.bare.length, anchors: f.anchors.length,
    hull: f.hull.length, refs: f.refs.length, suspects: f.count[0], ties: f.count[1] };
}

/** Siblings in a row and what was told of them. */
class Run {
  /** @param {Element} first @param {Place} at @param {Walk} w */
  constructor(first, at, w) {
    this.first = first;
    this.last = first;
    this.at = at;
    this.from = standOf(w);
    /** The walk that told it last. */ this.walk = w.number;
    /** Something in it changed. */ this.dirty = false;
    /** It is walked every time: it depends on what stands elsewhere, or what stands elsewhere depends on it. */ this.tied = false;
    this.visits = 0;
    this.row = -1;
    /** The name of the node around, where that carries the text in here. */ this.around = at.carried ? w.nm[at.parent] : "";
    this.frame = "";
    this.sx = 0; this.sy = 0; this.width = 0; this.height = 0;
    /** @type {Facts} */ this.facts = noFacts();
    /** @type {DOMRect|null} */ this.firstBox = null;
    /** @type {DOMRect|null} */ this.lastBox = null;
    /** @type {DOMRect|null} */ this.firstNow = null;
    /** @type {DOMRect|null} */ this.lastNow = null;
    /** @type {CSSStyleDeclaration[]} */ this.styles = [];
    /** @type {number[]} */ this.styleBits = [];
    /** @type {string[]} */ this.styleSigns = [];
    /** @type {number[]} */ this.bits = [];
    /** @type {string[]} */ this.values = [];
    /** @type {number[]} */ this.scrolls = [];
    /** @type {DOMRect[]} */ this.movingBoxes = [];
    /** @type {DOMRect[]} */ this.pinnedBoxes = [];
    /** @type {number[]} */ this.el = [];
    /** @type {number[]} */ this.pa = [];
    /** @type {number[]} */ this.ro = [];
    /** @type {string[]} */ this.nm = [];
    /** @type {number[]} */ this.re = [];
    /** @type {number[]} */ this.rw = [];
    /** @type {number[]} */ this.st = [];
    /** @type {number[]} */ this.fl = [];
    /** @type {Element[]} */ this.elements = [];
    /** @type {[number, string][]} */ this.va = [];
    /** @type {[number, string][]} */ this.gr = [];
    /** @type {[number, number, string, string, string][]} */ this.frames = [];
  }
}

/** The run that an element is a member of. @type {(el: Element) => Run|null} */
const runOf = (el) => { const k = /** @type {any} */ (el)[KNOWN]; return k ? k.run : null; };

/** The last walk that kept runs, 0 when none of them may be taken over. */
let keptWalk = 0;
/** What must be the same for a walk to take runs over. @type {any[]} */
let keptWorld = [];
/** The lists that the runs' columns point into. @type {Pick<Walk, "roles"|"regions"|"rows">} */
let keptWords;
/** Something happened that concerns the whole page. */
let allDirty = false;
/** Elements in which nothing may be taken over. @type {Set<Element>} */
let dirtyTrees = new Set();
/** An id or a label came or went. */
let idsChanged = false;
/** Labels that came or turned to another control. @type {Element[]} */
let newLabels = [];
/** @type {Element|null} */
let keptActive = null;
/** Elements that an animation moved at the last look. @type {Element[]} */
let animated = [];

/** Nothing in the element, itself included, is taken over. @param {Element|null} el */
function dirtyTree(el) {
  if (!el || allDirty) return;
  dirtyTrees.add(el);
  dirtyRuns(el);
  boundDirt();
}

/** So many changes are noted one by one. They are held fast, so that a page that nobody looks at must not pile them up. */
const DIRT_MAX = 5000;

/** Where there are too many changes, the next walk is whole. */
function boundDirt() {
  if (dirtyTrees.size + newLabels.length < DIRT_MAX) return;
  allDirty = true;
  dirtyTrees = new Set();
  newLabels = [];
}

/** No run around the element is taken over. @param {Node|null} node */
function dirtyRuns(node) {
  for (let p = node && nodeTypeOf(node) === ELEMENT ? /** @type {Element} */ (node) : node && flatParent(node); p; p = flatParent(p)) {
    const run = runOf(p);
    if (run) run.dirty = true;
  }
}

/** Siblings look at each other, two steps far (isCard). @param {Node|null} from @param {(n: any) => Node|null} step */
function dirtyBeside(from, step) {
  for (let n = from, left = 2; n && left > 0; n = step(n)) {
    if (nodeTypeOf(n) !== ELEMENT) continue;
    const run = runOf(/** @type {Element} */ (n));
    if (run) run.dirty = true;
    left--;
  }
}

const previousSiblingOf = getter(Node.prototype, "previousSibling");

/** Parents in which one child says what another is. */
const CHILDREN_MATTER = new Set(["details", "fieldset", "table", "figure", "tr", "select", "optgroup", "datalist", "svg", "dl", "slot"]);

/** Takes note of a change of the DOM. @param {MutationRecord} r */
function noteChange(r) {
  if (keptWalk === 0 || allDirty) return;
  const target = r.target;
  if (r.type === "characterData") {
    dirtyRuns(target);
    dirtyBeside(nextSiblingOf(target), nextSiblingOf);
    dirtyBeside(previousSiblingOf(target), previousSiblingOf);
    return;
  }
  if (nodeTypeOf(target) !== ELEMENT) {
    if (nodeTypeOf(target) === FRAGMENT && target instanceof ShadowRoot) dirtyTree(hostOf(target));
    else allDirty = true;
    return;
  }
  const el = /** @type {Element} */ (target);
  if (r.type === "attributes") {
    dirtyTree(el);
    const name = r.attributeName;
    if (name === "class") { dirtyBeside(nextSiblingOf(el), nextSiblingOf); dirtyBeside(previousSiblingOf(el), previousSiblingOf); }
    else if (name === "id" || name === "for") { idsChanged = true; if (localOf(el) === "label") newLabels.push(el); }
    else if (name === "slot" || name === "aria-owns" || name === "role" && hasAttr(el, "aria-owns") || name === "media" || name === "disabled" && localOf(el) === "link") allDirty = true;
    return;
  }
  dirtyRuns(el);
  dirtyBeside(nextSiblingOf(el), nextSiblingOf);
  dirtyBeside(previousSiblingOf(el), previousSiblingOf);
  dirtyBeside(r.previousSibling, previousSiblingOf);
  dirtyBeside(r.nextSibling, nextSiblingOf);
  if (CHILDREN_MATTER.has(localOf(el)) || shadowOf(el)) dirtyTree(el);
  for (const list of [r.addedNodes, r.removedNodes]) {
    for (let i = 0; i < list.length; i++) {
      if (nodeTypeOf(list[i]) !== ELEMENT) continue;
      const one = /** @type {Element} */ (list[i]);
      if (list === r.addedNodes) dirtyTrees.add(one);
      if (hasAttr(one, "id") || hasAttr(one, "for") || queryAll(one, "[id],[for]").length > 0) idsChanged = true;
      if (hasAttr(one, "aria-owns") || queryAll(one, "[aria-owns]").length > 0) allDirty = true; // who is owned has a role by it
      if (list !== r.addedNodes) continue;
      if (localOf(one) === "label") newLabels.push(one);
      else for (const label of queryAll(one, "label")) newLabels.push(label);
    }
  }
  boundDirt();
}

/** Hears in a document or shadow root what changes an element without a mutation; the events do not leave a shadow root. @param {Node} root */
function hearIn(root) {
  for (const type of ["scroll", "load", "error", "loadedmetadata", "resize", "transitionend", "transitioncancel", "animationend", "animationcancel", "toggle", "fullscreenchange"])
    root.addEventListener(type, (e) => {
      const t = /** @type {any} */ (e.target);
      if (t && t.nodeType === ELEMENT) dirtyTree(t);
    }, { capture: true, passive: true });
}
hearIn(document);
const fontsOf = getter(Document.prototype, "fonts"), fullscreenOf = getter(Document.prototype, "fullscreenElement");
if (fontsOf(document)) fontsOf(document).addEventListener("loadingdone", () => { allDirty = true; });

const HELD = new Set(["input", "textarea", "select", "button", "option", "optgroup", "fieldset", "progress", "meter"]);
const CAN_HOST = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);

/** Notes what a visited element depends on. @param {Element} el @param {string} tag @param {Walk} w */
function noteVisit(el, tag, w) {
  const f = w.facts, bits = watchBits(el, tag);
  if (bits !== 0) {
    if (bits & (STYLES | BECKONS)) f.styled.push(el);
    if (bits & SHIFTS) f.moving.push(el);
    else if (bits & PINS) f.pinned.push(el);
    if (bits & SCROLLS) f.scrollers.push(el);
  }
  if (HELD.has(tag)) {
    f.controls.push(el);
    if (hasAttr(el, "popovertarget") || hasAttr(el, "commandfor") || hasAttr(el, "list")) f.count[1]++;
  } else if (tag === "label") f.labels.push(el);
  else if (tag.indexOf("-") > 0) {
    if (!shadowOf(el)) { f.bare.push(el); if (!matches(el, ":defined")) f.count[1]++; }
  } else if (CAN_HOST.has(tag) && !openRootOf(el)) f.bare.push(el);
  if (firstElementOf(el) && isEditingHost(el) || tag === "canvas" || tag === "area" || tag === "object") f.count[1]++;
  if (changedOnItsOwn(el)) f.count[1]++;
}

/** Whether the element changed on its own more than once: whether it still does is a matter of time. @param {Element} el */
function changedOnItsOwn(el) {
  const a = ownContent.get(el), b = ownChildren.get(el);
  return a !== undefined && a.count > 1 || b !== undefined && b.count > 1;
}

const selectedIndexOf = getter(HTMLSelectElement.prototype, "selectedIndex");

/** The states of a control that no mutation shows. @param {Element} el @returns {number} */
function controlBits(el) {
  const tag = localOf(el);
  let bits = matches(el, ":disabled") ? 1 : 0;
  switch (tag) {
    case "input":
      bits |= (inputChecked(el) ? 2 : 0) | (inputIndeterminate(el) ? 4 : 0) | (matches(el, ":user-invalid") ? 8 : 0);
      break;
    case "textarea": case "select":
      bits |= matches(el, ":user-invalid") ? 8 : 0;
      if (tag === "select") bits |= (matches(el, SELECT_OPEN) ? 16 : 0) | (selectedIndexOf(el) + 1) * 32;
      break;
    case "option":
      bits |= optionSelected(el) ? 2 : 0;
  }
  return bits;
}

/** What a control holds, as no mutation shows. @param {Element} el @returns {string} */
function controlValue(el) {
  switch (localOf(el)) {
    case "input": return typeOfInput(el) === "file" ? inputValue(el) || "" : valueOfInput(el);
    case "textarea": return textareaValue(el);
    case "meter": return String(meterValue(el));
    case "progress": return progressPosition(el) + " " + progressValue(el);
  }
  return "";
}

/**
 * Visits the children of an element that has plain children, run by run.
 * @param {Element} parent
 * @param {Place} inside
 * @param {Walk} w
 */
function visitRuns(parent, inside, w) {
  const began = w.visits, tookBefore = w.taken;
  /** @type {Run|null} */
  let run = null;
  let next;
  for (let n = inside.carried ? firstElementOf(parent) : firstChildOf(parent); n; n = next) {
    next = inside.carried ? nextElementOf(n) : nextSiblingOf(n);
    if (w.full) return;
    const type = nodeTypeOf(n);
    if (type !== ELEMENT) {
      if (type === TEXT && !inside.carried && hasText(dataOf(n))) {
        if (run) closeRun(run, w);
        run = null;
        visitNode(n, parent, inside, w);
      }
      continue;
    }
    const el = /** @type {Element} */ (n);
    if (!inside.carried && INLINE.has(localOf(el))) { // the text in it may belong to what is around
      if (run) closeRun(run, w);
      run = null;
      visit(el, inside, w);
      continue;
    }
    const known = w.takes && !inside.fresh ? runOf(el) : null;
    if (known && known.first === el && holdsStill(known, inside, w)) {
      if (run) closeRun(run, w);
      run = null;
      takeOver(known, inside, w);
      next = inside.carried ? nextElementOf(known.last) : nextSiblingOf(known.last);
      continue;
    }
    if (!run) run = new Run(el, inside, w);
    const cut = standOf(w), taken = w.taken;
    visit(el, inside, w);
    if (w.visits - cut.visits > RUN || w.taken !== taken) { // a part of the page with runs of its own
      if (run.first !== el) closeRun(run, w, cut);
      setRun(el, null);
      run = null;
      continue;
    }
    run.last = el;
    if (w.visits - run.from.visits >= RUN) { closeRun(run, w); run = null; }
  }
  if (!run) return;
  const outer = parentOf(parent);
  // What is small as a whole is a member of a run around.
  if (w.visits - began <= RUN && w.taken === tookBefore && !INLINE.has(localOf(parent)) && outer && nodeTypeOf(outer) === ELEMENT && hasPlainChildren(/** @type {Element} */ (outer)) && flatParent(parent) === outer) dropRun(run);
  else closeRun(run, w);
}

/** @param {Element} el @param {Run|null} run */
function setRun(el, run) { recordOf(el).run = run; }

/** @param {Run} run */
function dropRun(run) {
  for (let el = /** @type {Element|null} */ (run.first); el; el = el === run.last ? null : nextElementOf(el)) setRun(el, null);
}

/**
 * Ends a run and keeps what was told of it.
 * @param {Run} run
 * @param {Walk} w
 * @param {ReturnType<typeof standOf>} [to] where it ends, if not here
 */
function closeRun(run, w, to = standOf(w)) {
  const from = run.from, f = w.facts, facts = run.facts;
  run.visits = to.visits - from.visits;
  if (run.visits < RUN_MIN) { dropRun(run); return; }
  for (let el = /** @type {Element|null} */ (run.first); el; el = el === run.last ? null : nextElementOf(el)) setRun(el, run);
  run.tied = to.ties > from.ties || run.at.rotating > 0;
  facts.count = [to.suspects - from.suspects, 0];
  for (const k of /** @type {("styled"|"moving"|"pinned"|"scrollers"|"controls"|"labels"|"bare"|"anchors")[]} */ (["styled", "moving", "pinned", "scrollers", "controls", "labels", "bare", "anchors"]))
    facts[k] = f[k].slice(from[k], to[k]);
  facts.refs = f.refs.slice(from.refs, to.refs);
  if (to.hull > from.hull) {
    const h = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = from.hull; i < to.hull; i += 4) {
      h[0] = Math.min(h[0], f.hull[i]); h[1] = Math.min(h[1], f.hull[i + 1]);
      h[2] = Math.max(h[2], f.hull[i + 2]); h[3] = Math.max(h[3], f.hull[i + 3]);
    }
    facts.hull = h;
  }
  const a = from.at, b = to.at;
  for (const k of /** @type {("el"|"ro"|"re"|"rw"|"st"|"fl")[]} */ (["el", "ro", "re", "rw", "st", "fl"])) run[k] = w[k].slice(a, b);
  run.nm = w.nm.slice(a, b);
  run.elements = w.elements.slice(a, b);
  run.pa = new Array(b - a);
  for (let i = a; i < b; i++) run.pa[i - a] = w.pa[i] >= a ? w.pa[i] - a : -1;
  for (let i = from.va; i < to.va; i++) run.va.push([w.vaAt[i] - a, w.va[w.vaAt[i]]]);
  for (let i = from.gr; i < to.gr; i++) run.gr.push([w.grAt[i] - a, w.gr[w.grAt[i]]]);
  run.frames = w.frames.slice(from.frames, to.frames).map((one) => [one[0] - a, one[1], one[2], one[3], one[4]]);
  w.made.push(run);
}

/** Notes of the new runs what cannot be seen at their end: what stands elsewhere, and how things stand. @param {Walk} w */
function finishRuns(w) {
  for (const run of w.made) {
    const f = run.facts, at = run.at, row = at.row || at.card;
    run.row = row ? rowNumber(row, w) : -1;
    run.sx = w.sx; run.sy = w.sy; run.width = w.width; run.height = w.height;
    if (f.count[0] > 0) run.frame = frameSign(/** @type {Element} */ (parentOf(run.first)), w);
    if (f.anchors.length) {
      run.firstBox = rectOf(f.anchors[0]);
      run.lastBox = rectOf(f.anchors[f.anchors.length - 1]);
    }
    for (const el of f.styled) {
      const s = styleOf(el), watch = watchBits(el, localOf(el));
      run.styles.push(s);
      run.styleBits.push(watch);
      run.styleSigns.push(styleSign(el, s, watch));
    }
    for (const el of f.controls) { run.bits.push(controlBits(el)); run.values.push(controlValue(el)); }
    for (const el of f.scrollers) run.scrolls.push(el.scrollLeft, el.scrollTop);
    run.movingBoxes = f.moving.map(rectOf);
    run.pinnedBoxes = f.pinned.map(rectOf);
    if (run.tied) continue;
    for (const el of f.labels) {
      const control = controlOfLabel(el);
      if (control ? !isIn(control, run) : hasAttr(el, "for")) run.tied = true;
    }
    for (const el of f.controls) if (LABELABLE.has(localOf(el))) for (const label of labelsOf(el)) if (!isIn(label, run)) run.tied = true;
  }
  const refs = w.facts.refs;
  for (let i = 0; i < refs.length; i += 2) tieRefs(/** @type {Element} */ (refs[i]), /** @type {Element|null} */ (refs[i + 1]));
}

/** Whether an element is in a run. @param {Element} el @param {Run} run */
function isIn(el, run) {
  for (let p = /** @type {Element|null} */ (el); p; p = flatParent(p)) if (runOf(p) === run) return true;
  return false;
}

/** An element and what it refers to: where they do not stand in one run, neither run is taken over. @param {Element} from @param {Element|null} to */
function tieRefs(from, to) {
  for (let p = /** @type {Element|null} */ (from); p; p = flatParent(p)) { const run = runOf(p); if (run && !(to && isIn(to, run))) run.tied = true; }
  for (let p = to; p; p = flatParent(p)) { const run = runOf(p); if (run && !isIn(from, run)) run.tied = true; }
}

/** What cuts what stands in an element. @param {Element} parent @param {Walk} w @returns {string} */
function frameSign(parent, w) {
  const known = w.frameSigns.get(parent);
  if (known !== undefined) return known;
  const up = flatParent(parent);
  const c = cutOf(parent, w.cuts);
  const sign = (up ? frameSign(up, w) : [w.sx, w.sy, w.width, w.height].join()) + ";" +
    c.box.join() + c.x + c.y + (c.positioned ? 1 : 0) + (c.absolute ? 1 : 0) + (c.fixed ? 1 : 0) + (c.dead ? 1 : 0);
  w.frameSigns.set(parent, sign);
  return sign;
}

/** @param {Box|null} a @param {Box|null} b */
function sameBox(a, b) {
  return a === b || a !== null && b !== null && a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
}

/** @param {DOMRect} a @param {DOMRect} b @param {number} dx @param {number} dy */
function moved(a, b, dx, dy) {
  return Math.abs(b.left - a.left - dx) > 0.01 || Math.abs(b.top - a.top - dy) > 0.01 || Math.abs(b.width - a.width) > 0.01 || Math.abs(b.height - a.height) > 0.01;
}

/**
 * Whether what was told of a run holds still.
 * @param {Run} run
 * @param {Place} at
 * @param {Walk} w
 * @returns {boolean}
 */
function holdsStill(run, at, w) {
  if (run.dirty || run.tied || run.walk !== w.takes) return false;
  const was = run.at, f = run.facts;
  if (was.region !== at.region || was.row !== at.row || was.card !== at.card || was.carried !== at.carried || was.pruned !== at.pruned ||
    was.disabled !== at.disabled || was.suspect !== at.suspect || was.marked !== at.marked || was.outside !== at.outside ||
    was.behind !== at.behind || was.rotating !== at.rotating) return false;
  if (at.carried && run.around !== w.nm[at.parent]) return false;
  if (idsChanged && (f.refs.length > 0 || f.labels.length > 0)) return false;
  const row = at.row || at.card;
  if ((row ? rowNumber(row, w) : -1) !== run.row) return false;
  for (let i = 0; i < f.controls.length; i++) if (controlBits(f.controls[i]) !== run.bits[i] || controlValue(f.controls[i]) !== run.values[i]) return false;
  for (let i = 0; i < f.bare.length; i++) if (openRootOf(f.bare[i])) return false;
  for (let i = 0; i < f.styled.length; i++) if (styleSign(f.styled[i], run.styles[i], run.styleBits[i]) !== run.styleSigns[i]) return false;
  for (let i = 0; i < f.scrollers.length; i++) if (f.scrollers[i].scrollLeft !== run.scrolls[2 * i] || f.scrollers[i].scrollTop !== run.scrolls[2 * i + 1]) return false;
  return standsStill(run, at, w);
}

/**
 * Whether a run stands where it stood, or where it makes no difference.
 * @param {Run} run
 * @param {Place} at
 * @param {Walk} w
 * @returns {boolean}
 */
function standsStill(run, at, w) {
  const f = run.facts;
  if (!run.firstBox || !run.lastBox) return true; // nothing in it was measured
  const first = run.firstNow = rectOf(f.anchors[0]), last = run.lastNow = f.anchors.length > 1 ? rectOf(f.anchors[f.anchors.length - 1]) : first;
  const dx = first.left - run.firstBox.left, dy = first.top - run.firstBox.top;
  if (moved(run.firstBox, first, dx, dy) || moved(run.lastBox, last, dx, dy)) return false;
  for (let i = 0; i < f.moving.length; i++) if (moved(run.movingBoxes[i], rectOf(f.moving[i]), dx, dy)) return false;
  const still = dx === 0 && dy === 0 && sameBox(run.at.box, at.box) && run.sx === w.sx && run.sy === w.sy && run.width === w.width && run.height === w.height;
  if (f.count[0] > 0) return still && frameSign(/** @type {Element} */ (parentOf(run.first)), w) === run.frame;
  if (still) return true;
  for (let i = 0; i < f.pinned.length; i++) if (moved(run.pinnedBoxes[i], rectOf(f.pinned[i]), dx, dy)) return false;
  const h = f.hull;
  if (h.length === 0) return true;
  const left = h[0] + dx, top = h[1] + dy, right = h[2] + dx, bottom = h[3] + dy;
  if (left + w.sx < 0 || top + w.sy < 0 || right + w.sx > w.width || bottom + w.sy > w.height) return false;
  return !at.box || left >= at.box[0] && top >= at.box[1] && right <= at.box[2] && bottom <= at.box[3];
}

/**
 * Tells a run again.
 * @param {Run} run
 * @param {Place} at
 * @param {Walk} w
 */
function takeOver(run, at, w) {
  const start = w.el.length, n = run.el.length, f = run.facts;
  if (start + n >= MAX_NODES) { w.full = true; return; }
  for (let i = 0; i < n; i++) {
    w.el.push(run.el[i]);
    w.elements.push(run.elements[i]);
    w.pa.push(run.pa[i] < 0 ? at.parent : run.pa[i] + start);
    w.ro.push(run.ro[i]);
    w.nm.push(run.nm[i]);
    w.re.push(run.re[i]);
    w.rw.push(run.rw[i]);
    w.st.push(run.st[i]);
    w.fl.push(run.fl[i]);
  }
  for (const [i, v] of run.va) { w.va[i + start] = v; w.vaAt.push(i + start); }
  for (const [i, v] of run.gr) { w.gr[i + start] = v; w.grAt.push(i + start); }
  for (const one of run.frames) w.frames.push([one[0] + start, one[1], one[2], one[3], one[4]]);
  // Who is named by what is in here asks for it in vain, unless it is said again who refers to what.
  const m = /** @type {Memo} */ (memo);
  for (let i = 0; i < f.refs.length; i += 2) {
    const ref = /** @type {Element|null} */ (f.refs[i + 1]);
    if (ref && (" " + attr(/** @type {Element} */ (f.refs[i]), "aria-labelledby") + " ").includes(" " + attr(ref, "id") + " ")) m.references.add(ref);
  }
  if (run.firstBox && run.firstNow) {
    const dx = run.firstNow.left - run.firstBox.left, dy = run.firstNow.top - run.firstBox.top;
    if (dx !== 0 || dy !== 0) {
      if (f.hull.length) f.hull = [f.hull[0] + dx, f.hull[1] + dy, f.hull[2] + dx, f.hull[3] + dy];
      run.movingBoxes = f.moving.map(rectOf);
      run.pinnedBoxes = f.pinned.map(rectOf);
    }
    run.firstBox = run.firstNow;
    run.lastBox = run.lastNow;
  }
  run.at = at;
  run.walk = w.number;
  run.sx = w.sx; run.sy = w.sy; run.width = w.width; run.height = w.height;
  w.taken += run.visits;
}

/** What concerns the whole page; null where a style sheet cannot be read. @param {(Document|ShadowRoot)[]} roots @param {Memo} m @param {Walk} w @returns {any[]|null} */
function worldOf(roots, m, w) {
  const sheets = watchSheets(roots);
  return sheets && [sheets, roots.length, innerWidth, innerHeight, devicePixelRatio, w.modal, fullscreenOf(document), m.marks, declaredCount, w.behind];
}

/** What runs or has just run is walked. */
function dirtyAnimated() {
  for (const el of animated) dirtyTree(el);
  animated = [];
  for (const a of animations()) {
    const el = /** @type {any} */ (a.effect) && /** @type {any} */ (a.effect).target;
    if (el && !animated.includes(el)) { animated.push(el); dirtyTree(el); }
  }
}

/**
 * Makes a walk ready to keep runs and, unless it shall be whole, to take them over.
 * @param {Walk} w @param {(Document|ShadowRoot)[]} roots @param {Memo} m @param {boolean} whole
 */
function beginRuns(w, roots, m, whole) {
  noteRecords();
  const world = worldOf(roots, m, w);
  dirtyAnimated();
  for (const el of newLabels) dirtyRuns(isConnected(el) ? controlOfLabel(el) : null);
  if (w.active !== keptActive) { dirtyRuns(w.active); if (keptActive) dirtyRuns(keptActive); }
  if (!whole && world && keptWalk !== 0 && !allDirty && same(world, keptWorld)) {
    w.takes = keptWalk;
    w.roles = keptWords.roles;
    w.regions = keptWords.regions;
    w.rows = keptWords.rows;
  }
  w.keep = world !== null;
  keptWorld = world || [];
  if (w.keep) reach = w.facts.refs;
}

/** Nothing is taken over by the next walk. */
function dropRuns() {
  reach = null;
  keptWalk = 0;
}

/** @param {Walk} w */
function endRuns(w) {
  reach = null;
  if (!w.keep) { keptWalk = 0; return; }
  finishRuns(w);
  keptWalk = w.errors > 0 || w.full ? 0 : w.number;
  keptActive = w.active;
  keptWords = { roles: w.roles, regions: w.regions, rows: w.rows };
  allDirty = idsChanged = false;
  dirtyTrees = new Set();
  newLabels = [];
}
