// @ts-check
// dom: reading the DOM without trusting it.
//
// A form exposes its controls as properties of its own (a control named `getAttribute` hides the method), and
// so does document with images and forms. Every method and getter used by the page script is therefore taken
// from its prototype once, here, and called through that.

/**
 * The method as a function of (receiver, ...arguments).
 * @param {Function} fn
 * @returns {(receiver: any, ...rest: any[]) => any}
 */
function method(fn) {
  return Function.prototype.call.bind(fn);
}

/**
 * The getter of an accessor property as a function of the receiver; of undefined where the browser has none.
 * @param {object} proto
 * @param {string} name
 * @returns {(receiver: any) => any}
 */
function getter(proto, name) {
  const found = Object.getOwnPropertyDescriptor(proto, name);
  return found && found.get ? Function.prototype.call.bind(found.get) : () => undefined;
}

const ELEMENT = 1, TEXT = 3, DOCUMENT = 9, FRAGMENT = 11;

const nodeTypeOf = getter(Node.prototype, "nodeType");
const parentOf = getter(Node.prototype, "parentNode");
const firstChildOf = getter(Node.prototype, "firstChild");
const nextSiblingOf = getter(Node.prototype, "nextSibling");
const textContentOf = getter(Node.prototype, "textContent");
const isConnected = getter(Node.prototype, "isConnected");
const getRootNode = method(Node.prototype.getRootNode);
const dataOf = getter(CharacterData.prototype, "data");

/** @type {(el: Element, name: string) => string|null} */
const attr = method(Element.prototype.getAttribute);
/** @type {(el: Element, name: string) => boolean} */
const hasAttr = method(Element.prototype.hasAttribute);
/** @type {(el: Element, selector: string) => boolean} */
const matches = method(Element.prototype.matches);
/** The local name: lower case for HTML. @type {(el: Element) => string} */
const localOf = getter(Element.prototype, "localName");
/** The tag name: upper case for HTML, as written for SVG. @type {(el: Element) => string} */
const tagOf = getter(Element.prototype, "tagName");
/** @type {(el: Element) => string} */
const namespaceOf = getter(Element.prototype, "namespaceURI");
/** @type {(el: Element) => string} */
const classOf = (el) => attr(el, "class") || "";
/** @type {(el: Element) => Element|null} */
const firstElementOf = getter(Element.prototype, "firstElementChild");
/** @type {(el: Element) => Element|null} */
const nextElementOf = getter(Element.prototype, "nextElementSibling");
/** @type {(el: Element) => Element|null} */
const previousElementOf = getter(Element.prototype, "previousElementSibling");
/** @type {(el: Element) => Element|null} */
const parentElementOf = getter(Node.prototype, "parentElement");
/** @type {(el: Element) => DOMRect} */
const rectOf = method(Element.prototype.getBoundingClientRect);
/** @type {(el: Element, options?: object) => boolean} */
const checkVisibility = method(Element.prototype.checkVisibility);
const styleOf = window.getComputedStyle.bind(window);

const openRootOf = getter(Element.prototype, "shadowRoot");
const hostOf = getter(ShadowRoot.prototype, "host");
const slotOfElement = getter(Element.prototype, "assignedSlot");
const slotOfText = getter(Text.prototype, "assignedSlot");
const assignedNodesOf = method(HTMLSlotElement.prototype.assignedNodes);

const idInDocument = method(Document.prototype.getElementById);
const idInFragment = method(DocumentFragment.prototype.getElementById);
const allInDocument = method(Document.prototype.querySelectorAll);
const allInFragment = method(DocumentFragment.prototype.querySelectorAll);
const documentElementOf = getter(Document.prototype, "documentElement");
const titleOfDocument = getter(Document.prototype, "title");
const activeInDocument = getter(Document.prototype, "activeElement");
const activeInShadow = getter(ShadowRoot.prototype, "activeElement");
const sheetsOfDocument = getter(Document.prototype, "styleSheets");

const SVG = "http://www.w3.org/2000/svg";

/** Closed shadow roots that the driver handed over, by host. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** Whether there is any: nearly every page has none, and then no element is looked up. */
let anyClosed = false;

/**
 * adoptRoot makes a closed shadow root visible to the script. The driver resolves it over the wire.
 * @param {ShadowRoot} root
 */
function adoptRoot(root) {
  closedRoots.set(hostOf(root), root);
  anyClosed = true;
  watchTypesIn(root);
}

/**
 * The shadow root of an element: an open one, or a closed one that was adopted.
 * @param {Element} el
 * @returns {ShadowRoot|null}
 */
function shadowOf(el) {
  return openRootOf(el) || (anyClosed && closedRoots.get(el)) || null;
}

/** The DOM's own parent. @type {(node: Node) => Node|null} */
const nodeParent = parentOf;
/** @type {(el: Element, other: Node) => boolean} */
const contains = method(Node.prototype.contains);
/** @type {(el: Element) => DOMRectList} */
const clientRects = method(Element.prototype.getClientRects);
const focusHTML = method(HTMLElement.prototype.focus);
const focusSVG = method(SVGElement.prototype.focus);
const tabIndexHTML = getter(HTMLElement.prototype, "tabIndex");
const tabIndexSVG = getter(SVGElement.prototype, "tabIndex");
const scrollIntoView = method(Element.prototype.scrollIntoView);
const hitInDocument = method(Document.prototype.elementFromPoint);
const hitInShadow = method(ShadowRoot.prototype.elementFromPoint || Document.prototype.elementFromPoint);
const controlOf = getter(HTMLLabelElement.prototype, "control");

/** The control that a label labels. @param {Element} label @returns {Element|null} */
function controlOfLabel(label) {
  return label instanceof HTMLLabelElement ? controlOf(label) : null;
}

/** Gives an element the focus without scrolling. @param {Element} el */
function focus(el) {
  if (el instanceof HTMLElement) focusHTML(el, { preventScroll: true });
  else if (el instanceof SVGElement) focusSVG(el, { preventScroll: true });
}

/** Whether the element can take the focus. @param {Element} el @returns {boolean} */
function canFocus(el) {
  if (matches(el, ":disabled")) return false;
  return hasAttr(el, "tabindex") || tabIndex(el) >= 0;
}

/** @param {Element} el @returns {number} */
function tabIndex(el) {
  return el instanceof HTMLElement ? tabIndexHTML(el) : el instanceof SVGElement ? tabIndexSVG(el) : -1;
}

/** Brings an element into the middle of the view at once. @param {Element} el */
function scrollTo(el) {
  scrollIntoView(el, { block: "center", inline: "center", behavior: "instant" });
}

/** The innermost element of one document or shadow root at a point. @param {Node} root @param {number} x @param {number} y @returns {Element|null} */
function hitTest(root, x, y) {
  return nodeTypeOf(root) === DOCUMENT ? hitInDocument(root, x, y) : hitInShadow(root, x, y);
}

/**
 * The parent in the flat tree: the slot of a slotted node, the host of a shadow root.
 * @param {Node} node
 * @returns {Element|null} null at the top of the document
 */
function flatParent(node) {
  const own = nodeTypeOf(node);
  const slot = own === ELEMENT ? slotOfElement(node) : own === TEXT ? slotOfText(node) : null;
  if (slot) return slot;
  const parent = parentOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === FRAGMENT) return parent instanceof ShadowRoot ? hostOf(parent) : null;
  if (type !== ELEMENT) return null;
  const root = anyClosed && closedRoots.get(parent);
  if (root) {
    const within = closedSlotOf(root, node);
    if (within) return within;
  }
  return parent;
}

/**
 * The slot of a closed shadow root that a node is assigned to (assignedSlot hides those).
 * @param {ShadowRoot} root
 * @param {Node} node
 * @returns {Element|null}
 */
function closedSlotOf(root, node) {
  for (const slot of allInFragment(root, "slot")) {
    for (const n of assignedNodesOf(slot)) if (n === node) return slot;
  }
  return null;
}

/**
 * The first child in the flat tree where that is the DOM's own child list; null says "ask flatChildren".
 * A walk over firstChild and nextSibling costs no array: nearly every element of a page allows it.
 * @param {Element} el
 * @returns {boolean}
 */
function hasPlainChildren(el) {
  return !openRootOf(el) && localOf(el) !== "slot" && !(anyClosed && closedRoots.has(el));
}

/**
 * The children in the flat tree: of a host those of its shadow root, of a slot what is assigned to it, or
 * its fallback.
 * @param {Element} el
 * @returns {Node[]}
 */
function flatChildren(el) {
  /** @type {Node} */
  let from = el;
  const root = shadowOf(el);
  if (root) {
    from = root;
  } else if (localOf(el) === "slot" && el instanceof HTMLSlotElement) {
    const assigned = assignedNodesOf(el);
    if (assigned.length) return assigned;
  }
  const out = [];
  for (let n = firstChildOf(from); n; n = nextSiblingOf(n)) out.push(n);
  return out;
}

/**
 * The document or shadow root that an id is looked up in.
 * @param {Node} node
 * @returns {Document|ShadowRoot|Node}
 */
function rootOf(node) {
  return getRootNode(node);
}

/**
 * The element with this id in the same tree as node.
 * @param {Node} node
 * @param {string} id
 * @returns {Element|null}
 */
function byId(node, id) {
  const root = rootOf(node);
  const type = nodeTypeOf(root);
  const found = type === DOCUMENT ? idInDocument(root, id) : type === FRAGMENT ? idInFragment(root, id) : null;
  if (reach !== null) reach.push(node, found);
  return found;
}

/** Who asked byId, and what it found, in pairs; null while nobody wants to know (reuse.js). @type {(Node|null)[]|null} */
let reach = null;

/**
 * @param {Node} root a document or shadow root
 * @param {string} selector
 * @returns {NodeListOf<Element>|Element[]}
 */
function allIn(root, selector) {
  const type = nodeTypeOf(root);
  if (type === DOCUMENT) return allInDocument(root, selector);
  if (type === FRAGMENT) return allInFragment(root, selector);
  return [];
}

/**
 * The element that has the focus, also inside shadow roots.
 * @returns {Element|null}
 */
function activeElement() {
  let el = activeInDocument(document);
  while (el) {
    const root = shadowOf(el);
    const inner = root && activeInShadow(root);
    if (!inner) return el;
    el = inner;
  }
  return null;
}

/** @param {Element} el */
function isSVG(el) {
  return namespaceOf(el) === SVG;
}

/**
 * White space folded to single spaces, none at the ends.
 * @param {string} s
 * @returns {string}
 */
function fold(s) {
  // Most texts need no folding, and seeing that costs less than making a new string.
  return /[^\S ]|  |^ | $/.test(s) ? s.replace(/\s+/g, " ").trim() : s;
}

/** Whether there is more than white space in a text. @param {string} s */
function hasText(s) {
  return /\S/.test(s);
}

/**
 * What the script knows of one element: its numbers for good, the rest for the walk with the number `walk`.
 */
class Known {
  constructor() {
    /** The number of the element; 0 while it has none. */ this.id = 0;
    /** The number of the text in it, where the element is a node of its own. */ this.textId = 0;
    this.walk = 0;
    this.state = -1;
    /** @type {string|null} */ this.role = null;
    /** @type {boolean|null} */ this.block = null;
    this.bits = -1;
    /** Raw text alternative of the content. @type {string|null} */ this.content = null;
    /** It is a node. */ this.isNode = false;
    /** Its flowing text is told. */ this.told = false;
    /** Index of its text among the rows. */ this.row = -1;
    /** The run that it is a member of, whatever the walk. @type {Run|null} */ this.run = null;
  }
}

/**
 * What is known of an element is a property of the element: finding it in a table is several times slower, and a
 * walk asks for each element many times. The page sees none of it, the object is the isolated world's own.
 */
const KNOWN = Symbol("deed");

/** @param {Element} el @returns {Known} */
function recordOf(el) {
  return /** @type {any} */ (el)[KNOWN] || (/** @type {any} */ (el)[KNOWN] = new Known());
}

// Element numbers: unique in the document, never reused.

let lastNumber = 0;

/**
 * The number of an element.
 * @param {Element} el
 * @returns {number}
 */
function elementId(el) {
  const k = recordOf(el);
  return k.id || (k.id = ++lastNumber);
}

/** Whether the element has a number already. @param {Element} el */
function hasElementId(el) {
  return recordOf(el).id !== 0;
}

/**
 * The number of the text that stands directly in an element which is a node itself.
 * @param {Element} el
 * @returns {number}
 */
function textId(el) {
  const k = recordOf(el);
  return k.textId || (k.textId = ++lastNumber);
}

/** Whether the text in the element has a number already. @param {Element} el */
function hasTextId(el) {
  return recordOf(el).textId !== 0;
}

/**
 * The numbers that the last walk told, and their elements. It is held weakly, for it must not keep what the page
 * removes; a reference for each single element would cost as much as a third of the walk.
 * @type {WeakRef<{ids: number[], elements: Element[]}>|null}
 */
let lastTold = null;

/**
 * The element with this number (of a text: the element it stands in), null when it is gone from the document.
 * @param {number} id
 * @returns {Element|null}
 */
function elementOf(id) {
  const told = lastTold && lastTold.deref();
  if (told) {
    const i = told.ids.indexOf(id);
    if (i >= 0) return isConnected(told.elements[i]) ? told.elements[i] : null;
  }
  return id > 0 ? numberedIn(document, id) : null; // 0 is no number, and stands for one in many records
}

/**
 * Looks for the element with this number in a whole tree.
 * @param {Document|ShadowRoot} root
 * @param {number} id
 * @returns {Element|null}
 */
function numberedIn(root, id) {
  for (const el of allIn(root, "*")) {
    const k = /** @type {Known|undefined} */ (/** @type {any} */ (el)[KNOWN]);
    if (k !== undefined && (k.id === id || k.textId === id)) return el;
    const shadow = shadowOf(el);
    const within = shadow && numberedIn(shadow, id);
    if (within) return within;
  }
  return null;
}
