// @ts-check
// What a decision is made on: where an element would lead, and which element a selector or a point means.

const hrefOf = getter(HTMLAnchorElement.prototype, "href");
const hrefOfArea = getter(HTMLAreaElement.prototype, "href");
const formOfButton = getter(HTMLButtonElement.prototype, "form");
const formOfInput = getter(HTMLInputElement.prototype, "form");
const formOfSelect = getter(HTMLSelectElement.prototype, "form");
const formOfTextarea = getter(HTMLTextAreaElement.prototype, "form");
const elementsOfForm = getter(HTMLFormElement.prototype, "elements");
const typeOfButton = getter(HTMLButtonElement.prototype, "type");
const closestOf = method(Element.prototype.closest);

/** The form that a control belongs to. @param {Element} el @returns {HTMLFormElement|null} */
function formAround(el) {
  if (el instanceof HTMLButtonElement) return formOfButton(el);
  if (el instanceof HTMLInputElement) return formOfInput(el);
  if (el instanceof HTMLSelectElement) return formOfSelect(el);
  if (el instanceof HTMLTextAreaElement) return formOfTextarea(el);
  return closestOf(el, "form");
}

/** An attribute's URL, resolved; a form without an action sends to its own page. @param {string|null} url */
function resolved(url) {
  try { return new URL(url || location.href, document.baseURI).href; } catch { return String(url); }
}

/**
 * Where an element would lead: read from attributes, since a form's own fields may be called "action" or "method".
 * @param {{id: number}} o
 */
function factsOf(o) {
  const el = elementOf(o.id);
  if (!el) return stale(o.id);
  /** @type {number[]} */
  const reaches = [];
  const facts = { frameUrl: location.href, href: "", formAction: "", formMethod: "", submits: false, reaches };
  for (let e = /** @type {Element|null} */ (el); e; e = flatParentElement(e)) {
    const href = e instanceof HTMLAnchorElement ? hrefOf(e) : e instanceof HTMLAreaElement ? hrefOfArea(e) : e.namespaceURI === SVG && tagOf(e).toLowerCase() === "a" ? attr(e, "href") || attr(e, "xlink:href") : "";
    if (href) { facts.href = resolved(href); break; }
  }
  // What stands in a label or a button is pressed with it.
  let control = /** @type {Element|null} */ (el);
  for (let e = control; e; e = flatParentElement(e)) {
    const labelled = labelledControl(e);
    if (labelled || tagOf(e) === "BUTTON") { control = labelled || e; break; }
  }
  if (control && control !== el) reaches.push(elementId(control));
  const form = control ? formAround(control) : null;
  if (!control || !form) return facts;
  const type = control instanceof HTMLButtonElement ? typeOfButton(control) : control instanceof HTMLInputElement ? typeOfInput(control) : "";
  const button = control instanceof HTMLButtonElement && type === "submit" || type === "image" || control instanceof HTMLInputElement && type === "submit";
  facts.submits = button || control instanceof HTMLInputElement && !NEVER_SUBMITS.has(type);
  if (facts.submits && !button) {
    const first = defaultButton(form);
    if (first) reaches.push(elementId(first));
  }
  facts.formAction = resolved(button && attr(control, "formaction") || attr(form, "action"));
  facts.formMethod = (button && attr(control, "formmethod") || attr(form, "method") || "get").toUpperCase();
  return facts;
}

/** What Enter in a field of the form presses: its first submit button. @param {HTMLFormElement} form @returns {Element|null} */
function defaultButton(form) {
  const all = elementsOfForm(form);
  for (let i = 0; i < all.length; i++) {
    const c = all[i];
    if (c instanceof HTMLButtonElement && typeOfButton(c) === "submit" || c instanceof HTMLInputElement && (typeOfInput(c) === "submit" || typeOfInput(c) === "image")) return c;
  }
  return null;
}

/** Inputs in which Enter, or a click, sends no form. */
const NEVER_SUBMITS = new Set(["button", "reset", "file", "color", "range", "checkbox", "radio", "hidden"]);

/**
 * The elements that a CSS selector matches, in the document and in shadow roots, or the element that a click at a point would
 * reach: each as the numbers of itself and of what is around it, innermost first.
 * @param {{selector?: string, x?: number, y?: number}} o
 * @returns {{found: number[][], invalid?: boolean}}
 */
function pick(o) {
  const around = (/** @type {Element} */ el) => {
    const out = [];
    for (let e = /** @type {Element|null} */ (el); e && out.length < 30; e = flatParentElement(e)) {
      out.push(elementId(e));
      const control = labelledControl(e);
      if (control) out.push(elementId(control));
    }
    return out;
  };
  if (o.selector === undefined) {
    const hit = elementAt(/** @type {number} */ (o.x), /** @type {number} */ (o.y));
    return { found: hit ? [around(hit)] : [] };
  }
  /** @type {Element[]} */
  const all = [];
  try {
    for (const root of [document, ...knownRoots()]) all.push(...allIn(root, o.selector));
  } catch {
    return { found: [], invalid: true };
  }
  return { found: all.slice(0, 20).map(around) };
}
