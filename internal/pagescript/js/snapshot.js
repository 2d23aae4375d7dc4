// @ts-check
// snapshot: the page at one instant, in one walk of the flat tree. The answer is JSON in columns (see decode.go):
// one array a field, one entry a node, in document order.

/** The identity of this document: another document, another number. */
const documentId = Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("");

const MAX_NODES = 50000;

const FLAG_SENSITIVE = 1, FLAG_VOLATILE = 2, FLAG_UNSEEN = 4, FLAG_CONTAINER = 8, FLAG_VALUE = 16, FLAG_BEHIND = 32;

/** The instant of a look that walks more than once; 0 for now. */
let instant = 0;

/** What counts as now. */
function clock() { return instant || performance.now(); }

const frameSrc = getter(HTMLIFrameElement.prototype, "src");

/** A list in which every string stands once. */
class Strings {
  constructor() {
    /** @type {string[]} */
    this.list = [];
    /** @type {Map<string, number>} */
    this.at = new Map();
  }
  /** @param {string} s */
  index(s) {
    let i = this.at.get(s);
    if (i === undefined) {
      i = this.list.length;
      this.list.push(s);
      this.at.set(s, i);
    }
    return i;
  }
}

/**
 * What holds for everything inside an element during the walk.
 * @typedef {object} Place
 * @property {number} parent index of the enclosing node
 * @property {number} region index into the region labels
 * @property {Element|null} row the row around
 * @property {Element|null} card the card around
 * @property {boolean} carried the text here is carried by a node around
 * @property {boolean} pruned only what can be operated is a node here
 * @property {boolean} disabled something around is aria-disabled
 * @property {boolean} suspect something around may cut or hide what is here
 * @property {Box|null} box what is left of the boxes around
 * @property {boolean} marked something around is marked sensitive
 * @property {boolean} outside around the modal dialog that is open, not in it
 * @property {boolean} behind out of reach: behind a modal dialog, inert, aria-hidden
 * @property {boolean} fresh something around changed: nothing here is taken over from the last walk
 * @property {number} rotating how many levels down the container around whose children rotate still counts
 */

/** What a walk notes that nothing is taken over from. @type {any} */
const emptyFacts = null;

/** One walk. */
class Walk {
  /** @param {boolean} behind whether what is out of reach counts */
  constructor(behind) {
    this.behind = behind;
    /** @type {number[]} */ this.el = [];
    /** @type {number[]} */ this.pa = [];
    /** @type {number[]} */ this.ro = [];
    /** @type {string[]} */ this.nm = [];
    /** @type {number[]} */ this.re = [];
    /** @type {number[]} */ this.rw = [];
    /** @type {number[]} */ this.st = [];
    /** @type {number[]} */ this.fl = [];
    /** @type {Record<number, string>} */ this.va = {};
    /** @type {Record<number, string>} */ this.gr = {};
    /** @type {[number, number, string, string, string][]} */ this.frames = [];
    this.roles = new Strings();
    this.regions = new Strings();
    this.rows = new Strings();
    this.regions.index("");
    this.rows.index("");
    /** The nodes with a value, and those with a group. @type {number[]} */ this.vaAt = [];
    /** @type {number[]} */ this.grAt = [];
    this.number = 0;
    /** Elements that were visited, and that were taken over unvisited. */ this.visits = 0;
    this.taken = 0;
    // The rest is for reuse.js.
    this.keep = false;
    /** The walk whose runs may be taken over; 0 for none. */ this.takes = 0;
    /** @type {Facts} */ this.facts = emptyFacts;
    /** @type {Run[]} */ this.made = [];
    /** @type {Map<Element, string>} */ this.frameSigns = new Map();
    /** @type {Map<Element, Cut>} */ this.cuts = new Map();
    /** The element of each node. @type {Element[]} */ this.elements = [];
    this.active = activeElement();
    this.modal = topModal();
    /** The modal dialog and what is around it. @type {Set<Element>} */ this.modalPath = new Set();
    for (let p = this.modal; p; p = flatParent(p)) this.modalPath.add(p);
    /** Whether anything changed on its own, so that it has to be asked for each node (watch.js). */
    this.restless = typeof isVolatile === "function" && volatileSeen;
    this.now = clock();
    this.errors = 0;
    this.firstError = "";
    this.full = false;
    this.again = false;
    const page = documentElementOf(document);
    this.sx = window.scrollX;
    this.sy = window.scrollY;
    this.width = page ? Math.max(page.scrollWidth, innerWidth) : innerWidth;
    this.height = page ? Math.max(page.scrollHeight, innerHeight) : innerHeight;
  }
}

/**
 * snapshot looks at the whole document and says what is there.
 *
 * What is out of reach (behind a modal dialog, inert, aria-hidden) is left out, as in the accessibility tree. With
 * `behind`, what was a node before it got out of reach stays one, flagged: a dialog that opens hides the page from
 * the keyboard and from readers, but nothing of it has gone.
 * @param {{behind?: boolean}} [o]
 * @returns {string} JSON
 */
function snapshot(o = {}) {
  const w = wholeWalk(o.behind === true);
  return JSON.stringify({ ...headOf(w), ...columnsOf(w) });
}

/** A walk of the whole document. @param {boolean} behind @param {boolean} [keep] whether the next may take over from it @returns {Walk} */
function wholeWalk(behind, keep = false) {
  const top = documentElementOf(document);
  let w = walk(top, behind, keep, true);
  // A shadow root that was met for the first time may bring marks or generated text for names told before.
  for (let i = 0; i < 3 && w.again; i++) w = walk(top, behind, keep, true);
  return w;
}

/**
 * @typedef {Pick<Walk, "el"|"pa"|"ro"|"nm"|"re"|"rw"|"st"|"fl"|"va"|"gr"|"frames"|"roles"|"regions"|"rows">} Columns
 */

/** What is told of the document as a whole. @param {Walk} w */
function headOf(w) {
  const why = [];
  if (!documentElementOf(document)) why.push("the document is empty");
  if (w.full) why.push("more than " + MAX_NODES + " nodes");
  if (w.errors) why.push(w.errors + (w.errors === 1 ? " element" : " elements") + " could not be read: " + w.firstError);
  return {
    u: location.href, t: String(titleOfDocument(document) || ""), doc: documentId, n: w.el.length,
    complete: why.length === 0, why: why.join("; "),
    seq: typeof mutationSeq === "function" ? mutationSeq() : 0,
  };
}

/** @param {Columns} w */
function columnsOf(w) {
  return { el: w.el, pa: w.pa, ro: w.ro, roles: w.roles.list, nm: w.nm, re: w.re, regs: w.regions.list, rw: w.rw, rows: w.rows.list,
    st: w.st, fl: w.fl, va: w.va, gr: w.gr, frames: w.frames };
}

/** The number of the last walk. */
let walks = 0;

/**
 * @param {Element|null} top
 * @param {boolean} behind
 * @param {boolean} [keep] whether the next walk may take over from this one
 * @param {boolean} [whole] whether this one takes nothing over
 * @returns {Walk}
 */
function walk(top, behind, keep = false, whole = true) {
  const roots = [document, ...knownRoots()];
  const m = { walk: ++walks, labels: new Map(), references: new Set(), again: false, marks: anyDeclared || roots.some(hasMarks) };
  memo = m;
  const w = new Walk(behind);
  w.number = m.walk;
  try {
    noteSheets(roots);
    if (keep) {
      w.facts = noFacts();
      beginRuns(w, roots, m, whole);
    }
    if (top) {
      visit(top, { parent: -1, region: 0, row: null, card: null, carried: false, pruned: false, disabled: false, suspect: false, box: null, marked: false, outside: w.modal !== null, behind: false, fresh: false, rotating: 0 }, w);
    }
    if (keep) endRuns(w);
  } catch (e) {
    failed(w, e);
    if (keep) dropRuns();
  } finally {
    memo = null;
  }
  w.again = m.again;
  lastTold = new WeakRef({ ids: w.el, elements: w.elements });
  return w;
}

/** @param {Document|ShadowRoot} root */
function hasMarks(root) {
  return allIn(root, MARKED).length > 0;
}

/** Shadow roots that walks have met. @type {Set<WeakRef<ShadowRoot>>} */
const metRoots = new Set();
/** @type {WeakSet<ShadowRoot>} */
const isMet = new WeakSet();

/** @param {ShadowRoot} root */
function meetRoot(root) {
  if (isMet.has(root)) return;
  isMet.add(root);
  metRoots.add(new WeakRef(root));
  watchTypesIn(root);
  if (typeof watchRoot === "function") watchRoot(root);
  if (memo) memo.again = true;
}

/** @returns {ShadowRoot[]} */
function knownRoots() {
  const out = [];
  for (const ref of metRoots) {
    const root = ref.deref();
    if (root) out.push(root);
    else metRoots.delete(ref);
  }
  return out;
}

/** @param {Walk} w @param {unknown} e */
function failed(w, e) {
  w.errors++;
  if (!w.firstError) w.firstError = String(e).slice(0, 200);
}

/**
 * Visits an element and what is inside. An error stays with the element it came from.
 * @param {Element} el
 * @param {Place} at
 * @param {Walk} w
 */
function visit(el, at, w) {
  if (w.full) return;
  if (w.takes !== 0 && !at.fresh && dirtyTrees.has(el)) at = { ...at, fresh: true };
  try {
    const inside = enter(el, at, w);
    if (inside) visitChildren(el, inside, w);
  } catch (e) {
    failed(w, e);
  }
}

/**
 * @param {Element} el
 * @param {Place} inside
 * @param {Walk} w
 */
function visitChildren(el, inside, w) {
  if (!inside.carried && pseudoPossible(el)) tellText(el, inside, w);
  if (hasPlainChildren(el)) {
    if (w.keep) { visitRuns(el, inside, w); return; }
    // Where text does not count, text nodes are not touched: the browser makes an object for each that is.
    if (inside.carried) for (let c = firstElementOf(el); c; c = nextElementOf(c)) visit(c, inside, w);
    else for (let n = firstChildOf(el); n; n = nextSiblingOf(n)) visitNode(n, el, inside, w);
  } else {
    const root = shadowOf(el);
    if (root) meetRoot(root);
    for (const n of flatChildren(el)) visitNode(n, el, inside, w);
  }
}

/**
 * @param {Node} n
 * @param {Element} parent in the flat tree
 * @param {Place} inside
 * @param {Walk} w
 */
function visitNode(n, parent, inside, w) {
  const type = nodeTypeOf(n);
  if (type === ELEMENT) {
    visit(/** @type {Element} */ (n), inside, w);
  } else if (type === TEXT && !inside.carried && hasText(dataOf(n)) && !skipsContent(parent)) {
    tellText(parent, inside, w);
  }
}

/**
 * Adds the text that flows here as a node, once for the box it flows in.
 * @param {Element} el the element around the text
 * @param {Place} at
 * @param {Walk} w
 */
function tellText(el, at, w) {
  const holder = textHolder(el);
  const known = knownOf(/** @type {Memo} */ (memo), holder);
  if (known.told) return;
  const isNode = known.isNode;
  const behind = at.behind || at.outside;
  if (behind && !(w.behind && (isNode ? hasTextId(holder) : hasElementId(holder)))) return;
  known.told = true;
  const name = flowText(holder);
  if (name === "" || /^[\p{Co}\s]*$/u.test(name)) return; // nothing, or the glyphs of an icon font
  let flags = (at.marked ? FLAG_SENSITIVE : 0) | (behind ? FLAG_BEHIND : 0);
  if (w.restless && isVolatile(holder)) flags |= FLAG_VOLATILE; // the holder may stand further up than `at` says
  push(w, isNode ? textId(holder) : elementId(holder), holder, at, "text", cap(name), 0, flags);
}

/**
 * The element that text directly in el belongs to: the nearest that text does not flow through.
 * @param {Element} el
 * @returns {Element}
 */
function textHolder(el) {
  let holder = el;
  while (INLINE.has(localOf(holder)) && nodeRole(holder, roleOf(holder), false) === "") {
    const parent = flatParent(holder);
    if (!parent) break;
    holder = parent;
  }
  return holder;
}

/** Roles that are no nodes while they show nothing. */
const NOTHING_UNNAMED = new Set(["paragraph", "definition", "term", "caption", "comment", "suggestion", "code", "deletion",
  "insertion", "emphasis", "strong", "mark", "subscript", "superscript", "time"]);

/** Roles that are not descended into. */
const LEAF = new Set(["img", "math", "textbox", "searchbox", "meter", "progressbar", "separator", "iframe"]);

/**
 * Adds the node of an element, if it is one.
 * @param {Element} el
 * @param {Place} at
 * @param {Walk} w
 * @returns {Place|null} what holds inside it; null when the inside is not visited
 */
function enter(el, at, w) {
  const tag = localOf(el);
  if (NEVER.has(tag)) return null;
  w.visits++;
  if (tag.indexOf("-") > 0 && typeof meetHost === "function") meetHost(el);
  if (w.keep) noteVisit(el, tag, w);
  let outside = at.outside, behind = at.behind || excluded(el);
  if (outside && !w.modalPath.has(el)) behind = true;
  if (outside && el === w.modal) outside = false;
  if (behind && !w.behind) return null;
  const state = standing(el);
  if (state === GONE) return null;
  if (state === HIDDEN) {
    const under = w.restless ? { ...at, rotating: rotatingIn(el, at, w) } : at;
    for (const n of flatChildren(el)) if (nodeTypeOf(n) === ELEMENT) visit(/** @type {Element} */ (n), under, w);
    return null;
  }

  const own = roleOf(el);
  if (at.carried && isToldApart(el, own, w.nm[at.parent])) at = { ...at, carried: false, pruned: false };
  let role = nodeRole(el, own, at.carried);
  if (role !== "" && at.pruned && !INTERACTIVE.has(role)) role = "";
  if (behind && !hasElementId(el)) role = "";
  const inside = { ...at, outside, behind };
  if (w.restless) inside.rotating = rotatingIn(el, at, w);
  measure(el, tag, state, role !== "", inside, w);
  if (isMarked(el)) inside.marked = true;
  if (own !== "" && attr(el, "aria-disabled") === "true") inside.disabled = true;
  if (isRow(own)) inside.row = el;
  else if (endsRow(own)) inside.row = inside.card = null;
  else if (!inside.row && isCard(el)) inside.card = el;

  if (role === "") {
    if (carriedElsewhere(el)) inside.carried = true;
    return inside;
  }
  const given = givenName(el, own);
  const name = cap(given || nameBeside(el, own));
  if (name === "" && NOTHING_UNNAMED.has(role)) return inside;

  knownOf(/** @type {Memo} */ (memo), el).isNode = true;
  const index = pushElement(w, el, own, role, name, given !== "", at, inside);
  if (LEAF.has(role)) return null;
  inside.parent = index;
  inside.carried = carriesInside(role, name, given !== "");
  if (CHILDREN_PRESENTATIONAL.has(role)) inside.pruned = true;
  if (isRegion(el, role, name)) {
    w.fl[index] |= FLAG_CONTAINER;
    inside.region = w.regions.index(labelOf(el, role, name));
  }
  return inside;
}

/** A cell with more text than this is a part of the page's layout: the text in it gets nodes of its own. */
const CELL_TEXT = 200;

/**
 * Whether a node carries the text inside it.
 * @param {string} role
 * @param {string} name
 * @param {boolean} given whether the author gave the name: a day of a calendar is called "12", its events are texts of their own
 * @returns {boolean}
 */
function carriesInside(role, name, given) {
  if (role === "row") return false;
  if (role === "cell" || role === "gridcell") return !given && name.length <= CELL_TEXT;
  return FROM_CONTENT.has(role) || SHOWS_TEXT.has(role) || NO_TEXT_INSIDE.has(role);
}

/** The page itself, and parts of tables: they stand where the table stands. */
const UNMEASURED = new Set(["html", "body", "tbody", "thead", "tfoot", "tr", "td", "th"]);

/**
 * Notes whether what is inside an element may be out of sight: no box, off the page, outside what is around it.
 * @param {Element} el
 * @param {string} tag
 * @param {number} state
 * @param {boolean} isNode
 * @param {Place} inside
 * @param {Walk} w
 */
function measure(el, tag, state, isNode, inside, w) {
  if (state === TRANSPARENT) inside.suspect = true;
  if (state !== SHOWN || inside.suspect || UNMEASURED.has(tag)) return;
  if (!isNode && !firstElementOf(el)) return;
  if ((sheetBits(el) & CLIPS) !== 0) {
    inside.suspect = true;
    return;
  }
  const r = rectOf(el);
  const left = r.left, top = r.top, width = r.width, height = r.height;
  const right = left + width, bottom = top + height;
  if (w.keep) { w.facts.anchors.push(el); w.facts.hull.push(left, top, right, bottom); }
  if (width <= 1 || height <= 1 || right + w.sx <= 0 || bottom + w.sy <= 0 || left + w.sx >= w.width || top + w.sy >= w.height) {
    inside.suspect = true;
    return;
  }
  const box = inside.box;
  if (!box) {
    inside.box = [left, top, right, bottom];
    return;
  }
  /** @type {Box} */
  const rest = [Math.max(left, box[0]), Math.max(top, box[1]), Math.min(right, box[2]), Math.min(bottom, box[3])];
  if (rest[2] - rest[0] <= 0 || rest[3] - rest[1] <= 0) inside.suspect = true;
  else inside.box = rest;
}

/**
 * Adds a node for an element: value, states and flags too.
 * @param {Walk} w
 * @param {Element} el
 * @param {string} own the element's role
 * @param {string} role the node's role
 * @param {string} name
 * @param {boolean} given whether the author gave the name
 * @param {Place} at where it stands
 * @param {Place} inside what it sets for what is inside
 * @returns {number} its index
 */
function pushElement(w, el, own, role, name, given, at, inside) {
  const sensitive = inside.marked || isSecretField(el, own, name);
  let flags = (sensitive ? FLAG_SENSITIVE : 0) | (inside.behind ? FLAG_BEHIND : 0);
  let value = rawValue(el, own);
  if (value === null && given) value = textBesideName(el, own, name);
  value = withDay(el, own, name, value);
  if (value !== null && value !== "" && sensitive) value = REDACTED; // the text of a button, too, though its name is told
  if (value !== null) flags |= FLAG_VALUE;
  if (w.restless && (inside.rotating > 0 || keepsChanging(ownContent.get(el), 2, w.now))) flags |= FLAG_VOLATILE;
  const index = push(w, elementId(el), el, inside, role, name, statesAs(el, own, at.disabled, w.active), flags);
  if (value !== null && value !== "") {
    w.va[index] = cap(value);
    w.vaAt.push(index);
  }
  if (role === "option") {
    const group = groupOf(el);
    if (group) {
      w.gr[index] = group;
      w.grAt.push(index);
    }
  }
  if (role === "iframe") {
    w.frames.push([index, w.el[index], attr(el, "name") || "", attr(el, "title") || "", (el instanceof HTMLIFrameElement && frameSrc(el)) || attr(el, "src") || ""]);
  }
  return index;
}

/**
 * The text that a node shows beside the name that its author gave; null where there is none, or the name tells it.
 * @param {Element} el
 * @param {string} role
 * @param {string} name
 * @returns {string|null}
 */
function textBesideName(el, role, name) {
  if (!firstChildOf(el) && !openRootOf(el)) return null;
  const byText = SHOWS_TEXT.has(role);
  if (!byText && !FROM_CONTENT.has(role)) return null;
  if (role === "row") return null;
  const text = byText ? ownText(el) : hidesOwnText(el, role) ? masked(contentOf(el)) : fold(contentOf(el));
  if (byText) return text;
  return !/[\p{L}\p{N}]/u.test(text) || name.toLowerCase().includes(text.toLowerCase()) ? null : text;
}

/** A container this far up is too far to make a node volatile; isVolatile has the same bound. */
const ROTATING_DEPTH = 12;

/**
 * Place.rotating for what is inside an element, and for the element. isVolatile would ask the same elements again
 * for each node in them.
 * @param {Element} el
 * @param {Place} at
 * @param {Walk} w
 * @returns {number}
 */
function rotatingIn(el, at, w) {
  const own = ownChildren.get(el);
  if (own && keepsChanging(own, 2, w.now) && !(tagOf(el) in NEVER_ROTATING)) return ROTATING_DEPTH;
  return at.rotating > 0 ? at.rotating - 1 : 0;
}

/**
 * Adds a node.
 * @param {Walk} w
 * @param {number} id
 * @param {Element} el
 * @param {Place} at
 * @param {string} role
 * @param {string} name
 * @param {number} states
 * @param {number} flags
 * @returns {number} its index
 */
function push(w, id, el, at, role, name, states, flags) {
  const index = w.el.length;
  if (index >= MAX_NODES) { w.full = true; return index; }
  if (at.suspect) {
    if (!isSeen(el, w.cuts)) flags |= FLAG_UNSEEN;
    if (w.keep) { w.facts.count[0]++; w.facts.anchors.push(el); }
  }
  w.el.push(id);
  w.elements.push(el);
  w.pa.push(at.parent);
  w.ro.push(w.roles.index(role));
  w.nm.push(name);
  w.re.push(at.region);
  const row = at.row || at.card;
  w.rw.push(row ? rowNumber(row, w) : 0);
  w.st.push(states);
  w.fl.push(flags);
  return index;
}

/** @param {Element} row @param {Walk} w */
function rowNumber(row, w) {
  const known = knownOf(/** @type {Memo} */ (memo), row);
  if (known.row < 0) known.row = w.rows.index(rowText(row));
  return known.row;
}
