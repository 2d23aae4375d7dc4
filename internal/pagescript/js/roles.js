// @ts-check
// roles: what an element is. By the tables of HTML-AAM 1.0 and SVG-AAM, and the role attribute by WAI-ARIA.
//
// "" stands for no role of its own: generic and none.

/** Roles that a role attribute may name (concrete roles of WAI-ARIA 1.3, Graphics-ARIA and DPUB-ARIA). */
const ARIA_ROLES = new Set(["alert", "alertdialog", "application", "article", "banner", "blockquote", "button", "caption",
  "cell", "checkbox", "code", "columnheader", "combobox", "comment", "complementary", "contentinfo", "definition",
  "deletion", "dialog", "directory", "document", "emphasis", "feed", "figure", "form", "generic", "graphics-document",
  "graphics-object", "graphics-symbol", "grid", "gridcell", "group", "heading", "image", "img", "insertion", "link",
  "list", "listbox", "listitem", "log", "main", "mark", "marquee", "math", "menu", "menubar", "menuitem",
  "menuitemcheckbox", "menuitemradio", "meter", "navigation", "none", "note", "option", "paragraph", "presentation",
  "progressbar", "radio", "radiogroup", "region", "row", "rowgroup", "rowheader", "scrollbar", "search", "searchbox",
  "sectionfooter", "sectionheader", "separator", "slider", "spinbutton", "status", "strong", "subscript", "suggestion", "superscript", "switch", "tab",
  "table", "tablist", "tabpanel", "term", "textbox", "time", "timer", "toolbar", "tooltip", "tree", "treegrid",
  "treeitem",
  ..."abstract acknowledgments afterword appendix backlink biblioentry bibliography biblioref chapter colophon conclusion cover credit credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary glossref index introduction noteref notice pagebreak pagefooter pageheader pagelist part preface prologue pullquote qna subtitle tip toc".split(" ").map((r) => "doc-" + r)]);

/** ARIA attributes that every element may carry: with one of them an element cannot be presentational. */
const GLOBAL_ARIA = ["aria-atomic", "aria-braillelabel", "aria-brailleroledescription", "aria-busy", "aria-controls",
  "aria-current", "aria-describedby", "aria-description", "aria-details", "aria-flowto", "aria-keyshortcuts", "aria-label", "aria-labelledby",
  "aria-live", "aria-owns", "aria-relevant", "aria-roledescription"];

/** Elements with one role everywhere. @type {Record<string, string>} */
const TAG_ROLE = {
  __proto__: /** @type {any} */ (null),
  address: "group", article: "article", blockquote: "blockquote", caption: "caption", code: "code",
  dd: "definition", del: "deletion", details: "group", dfn: "term", dir: "list", dialog: "dialog", dt: "term", em: "emphasis",
  fieldset: "group", figcaption: "caption", figure: "figure", h1: "heading", h2: "heading", h3: "heading", h4: "heading",
  h5: "heading", h6: "heading", hgroup: "group", hr: "separator", iframe: "iframe", frame: "iframe", ins: "insertion",
  main: "main", mark: "mark", math: "math", menu: "list", meter: "meter", nav: "navigation", ol: "list",
  optgroup: "group", option: "option", output: "status", p: "paragraph", progress: "progressbar", s: "deletion",
  search: "search", strong: "strong", sub: "subscript", sup: "superscript", textarea: "textbox", time: "time", ul: "list",
};

/** Elements whose role depends on attributes or on where they stand. @type {Record<string, (el: Element) => string>} */
const TAG_RULE = {
  __proto__: /** @type {any} */ (null),
  a: (el) => (hasAttr(el, "href") || (isSVG(el) && hasAttr(el, "xlink:href")) || beckons(el) ? "link" : ""),
  area: (el) => (hasAttr(el, "href") ? "link" : ""),
  aside: asideRole,
  button: (el) => (inSelect(el) ? "" : "button"),
  footer: (el) => (inSection(el, SECTIONS_AND_MAIN) ? "sectionfooter" : "contentinfo"),
  header: (el) => (inSection(el, SECTIONS_AND_MAIN) ? "sectionheader" : "banner"),
  form: (el) => (hasAuthorName(el) ? "form" : ""),
  section: (el) => (hasAuthorName(el) ? "region" : ""),
  img: (el) => (attr(el, "alt") === "" && !saysSomething(el) && !focusable(el) ? "" : "img"),
  image: (el) => (isSVG(el) && svgRole(el, "path") ? "img" : ""),
  input: inputRole,
  li: listitemRole,
  select: (el) => (hasAttr(el, "multiple") || sizeOf(el) > 1 ? "listbox" : "combobox"),
  summary: summaryRole,
  svg: (el) => (svgNamed(el) ? (isSVG(/** @type {Element} */ (parentElementOf(el) || el)) && parentElementOf(el) ? "group" : "img") : ""),
  table: () => "table",
  tbody: rowgroupRole, thead: rowgroupRole, tfoot: rowgroupRole,
  td: (el) => cellRole(el, false),
  th: (el) => cellRole(el, true),
  tr: rowRole,
};

/** Sectioning content: inside one of these (or main) header and footer are not landmarks. */
const SECTION_TAGS = new Set(["article", "aside", "nav", "section"]);
const SECTION_ROLES = new Set(["article", "complementary", "navigation", "region"]);
const SECTIONS = 0, SECTIONS_AND_MAIN = 1;

/**
 * @param {Element} el
 * @param {number} which
 * @returns {boolean}
 */
function inSection(el, which) {
  for (let p = flatParent(el); p; p = flatParent(p)) {
    const tag = localOf(p);
    const role = hasAttr(p, "role") ? roleOf(p) : SECTION_TAGS.has(tag) ? "region" : tag === "main" ? "main" : "";
    if (SECTION_ROLES.has(role) || (which === SECTIONS_AND_MAIN && role === "main")) return true;
  }
  return false;
}

/**
 * Whether an anchor that leads nowhere shows itself as a link all the same: pages put listeners on such. The browser calls
 * them links because of the listeners, which cannot be asked for; what a person sees is the pointer.
 * @param {Element} el
 */
function beckons(el) {
  const parent = flatParent(el);
  return styleOf(el).cursor === "pointer" && (hasAttr(el, "tabindex") || !parent || styleOf(parent).cursor !== "pointer");
}

/** @param {Element} el */
function asideRole(el) {
  return inSection(el, SECTIONS) && !hasAuthorName(el) ? "" : "complementary";
}

/**
 * Whether the author named the element (not by its content).
 * @param {Element} el
 * @returns {boolean}
 */
function hasAuthorName(el) {
  const label = attr(el, "aria-label");
  if (label && hasText(label)) return true;
  const refs = attr(el, "aria-labelledby");
  if (refs && labelledByText(el, refs)) return true;
  const title = attr(el, "title");
  return !!title && !!hasText(title);
}

/** @param {Element} el */
function svgNamed(el) {
  if (hasAuthorName(el)) return true;
  for (let c = firstElementOf(el); c; c = nextElementOf(c)) if (localOf(c) === "title" && hasText(textContentOf(c))) return true;
  return false;
}

/** Whether one of the ARIA attributes for every element is given. @param {Element} el */
function saysSomething(el) {
  return GLOBAL_ARIA.some((name) => hasAttr(el, name));
}

/** The button of a select that is drawn by the page: the select is the control. @param {Element} el */
function inSelect(el) {
  const parent = parentElementOf(el);
  return !!parent && localOf(parent) === "select";
}

/** @param {Element} el */
function sizeOf(el) {
  const n = parseInt(attr(el, "size") || "", 10);
  return n > 0 ? n : 0;
}

const typeOfInput = getter(HTMLInputElement.prototype, "type");
const listOfInput = getter(HTMLInputElement.prototype, "list");

/** @type {Record<string, string>} */
const INPUT_ROLE = {
  __proto__: /** @type {any} */ (null),
  button: "button", submit: "button", reset: "button", image: "button", file: "button", radio: "radio", range: "slider",
  number: "spinbutton", hidden: "", search: "searchbox", checkbox: "checkbox",
};

/** @param {Element} el */
function inputRole(el) {
  const type = typeOfInput(el);
  switch (type) {
    case "checkbox":
      return hasAttr(el, "switch") ? "switch" : "checkbox";
    case "text": case "email": case "tel": case "url": case "search":
      if (hasAttr(el, "list") && listOfInput(el)) return "combobox";
  }
  const role = INPUT_ROLE[type];
  return role === undefined ? "textbox" : role;
}

/** @param {Element} el */
function listitemRole(el) {
  let parent = flatParent(el);
  while (parent && localOf(parent) === "slot") parent = flatParent(parent);
  if (!parent) return "";
  const tag = localOf(parent);
  if (tag === "ul" || tag === "ol" || tag === "menu" || tag === "dir" || hasAttr(parent, "role")) {
    const role = roleOf(parent);
    return role === "list" || role === "directory" || role === "data-deed-region" ? "listitem" : "";
  }
  return "";
}

/** @param {Element} el */
function summaryRole(el) {
  const parent = parentElementOf(el);
  if (!parent || localOf(parent) !== "details") return "";
  for (let c = firstElementOf(parent); c; c = nextElementOf(c)) if (localOf(c) === "summary") return c === el ? "button" : "";
  return "";
}

/**
 * The table around a part of a table.
 * @param {Element} el
 * @returns {Element|null}
 */
function tableOf(el) {
  for (let p = flatParent(el); p; p = flatParent(p)) if (localOf(p) === "table") return p;
  return null;
}

/** The role of the table around, "" where it is presentational or no table. @param {Element} el */
function tableRoleOf(el) {
  const table = tableOf(el);
  if (!table) return "";
  const role = roleOf(table);
  return role === "table" || role === "grid" || role === "treegrid" ? role : role === "data-deed-region" ? "table" : "";
}

/** @param {Element} el */
function rowgroupRole(el) {
  return tableRoleOf(el) ? "rowgroup" : "";
}

/** @param {Element} el */
function rowRole(el) {
  return tableRoleOf(el) && !isPresentational(flatParent(el)) ? "row" : "";
}

/** Whether a part of a table is taken out by its role attribute: what it is made of goes with it. @param {Element|null} el */
function isPresentational(el) {
  return !!el && hasAttr(el, "role") && roleOf(el) === "";
}

/**
 * @param {Element} el
 * @param {boolean} header
 * @returns {string}
 */
function cellRole(el, header) {
  const table = tableRoleOf(el);
  const around = flatParent(el);
  if (!table || isPresentational(around) || (around && isPresentational(flatParent(around)))) return "";
  if (!header) return table === "table" ? "cell" : "gridcell";
  switch ((attr(el, "scope") || "").toLowerCase()) {
    case "row": case "rowgroup": return "rowheader";
    case "col": case "colgroup": return "columnheader";
  }
  // Without a scope: a header beside data cells heads its row, a header among headers heads its column.
  const row = flatParent(el);
  for (let c = row && firstElementOf(row); c; c = nextElementOf(c)) if (localOf(c) === "td") return "rowheader";
  return "columnheader";
}

/**
 * The role that the element has by itself, without its role attribute.
 * @param {Element} el
 * @returns {string}
 */
function nativeRole(el) {
  const tag = localOf(el);
  const role = TAG_ROLE[tag];
  if (role !== undefined) return role;
  const rule = TAG_RULE[tag];
  if (rule !== undefined) return rule(el);
  if (isSVG(el)) return svgRole(el, tag);
  return "";
}

/** SVG-AAM: graphics elements count only when they have a name of their own. @type {Record<string, string>} */
const SVG_ROLE = {
  __proto__: /** @type {any} */ (null),
  circle: "graphics-symbol", ellipse: "graphics-symbol", line: "graphics-symbol", path: "graphics-symbol",
  polygon: "graphics-symbol", polyline: "graphics-symbol", rect: "graphics-symbol", use: "graphics-object",
  g: "group", foreignObject: "group",
};

/**
 * @param {Element} el
 * @param {string} tag
 * @returns {string}
 */
function svgRole(el, tag) {
  const role = SVG_ROLE[tag];
  return role && (svgNamed(el) || hasText(childText(el, "desc")) || hasAttr(el, "tabindex")) ? role : "";
}

/**
 * Whether a person can bring the focus to the element.
 * @param {Element} el
 * @returns {boolean}
 */
function focusable(el) {
  if (hasAttr(el, "tabindex")) return true;
  switch (localOf(el)) {
    case "button": case "input": case "select": case "textarea":
      return !matches(el, ":disabled");
    case "a": case "area":
      return hasAttr(el, "href");
    case "iframe": case "frame":
      return true;
    case "summary":
      return summaryRole(el) !== "";
  }
  return isEditingHost(el);
}

/**
 * @param {Element} el
 * @returns {boolean}
 */
function isEditingHost(el) {
  const editable = attr(el, "contenteditable");
  return editable !== null && /^(|true|plaintext-only)$/i.test(editable) && !isSVG(el);
}

/** Roles that mean nothing apart from what they are part of. @type {Record<string, string[]>} */
const AROUND = { __proto__: /** @type {any} */ (null), listitem: ["list"], option: ["listbox"], treeitem: ["tree"] };

/**
 * Whether an element is a part of something with one of these roles: nothing but groups lies between, or it is owned.
 * @param {Element} el
 * @param {string[]} roles
 * @returns {boolean}
 */
function standsIn(el, roles) {
  for (let p = flatParent(el); p; p = flatParent(p)) {
    const role = roleOf(p);
    if (roles.includes(role) || role === "data-deed-region") return true;
    if (role === "group" && roles[0] !== "list") return true;
    if (role !== "" && role !== "group" && role !== "rowgroup" && !(role === "treeitem" && roles[0] === "tree")) break;
  }
  const id = attr(el, "id");
  if (!id) return false;
  for (const owner of allIn(rootOf(el), '[aria-owns~="' + CSS.escape(id) + '"]')) if (roles.includes(roleOf(owner)) || (roleOf(owner) === "group" && standsIn(owner, roles))) return true;
  return false;
}

/**
 * The first token of a role attribute that counts.
 * @param {Element} el
 * @param {string} value of the role attribute
 * @returns {string|null} null when none does
 */
function explicitRole(el, value) {
  for (const token of value.trim().toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    if (token === "none" || token === "presentation") {
      if (localOf(el) === "iframe") return null;
      // An element that can have the focus, or says something about itself, cannot be presentational.
      if (focusable(el) || saysSomething(el)) return null;
      return "";
    }
    if (token === "image") return "img";
    if (token === "directory") return "list";
    if (token === "generic") return "";
    if ((token === "region" || token === "form") && !hasAuthorName(el)) continue;
    if (token in AROUND && !standsIn(el, AROUND[token])) continue;
    return token;
  }
  return null;
}

/**
 * The role of an element whose role attribute says nothing: an editing host is where text is written.
 * @param {Element} el
 * @param {string} role
 * @returns {string}
 */
function roleBesideAttribute(el, role) {
  if ((role === "" || role === "paragraph") && isEditingHost(el)) return "textbox";
  return role;
}

/**
 * The role of an element; "" for none.
 * @param {Element} el
 * @returns {string}
 */
function roleOf(el) {
  if (memo === null) return roleNow(el);
  const known = knownOf(memo, el);
  if (known.role === null) known.role = roleNow(el);
  return known.role;
}

/**
 * @param {Element} el
 * @returns {string}
 */
function roleNow(el) {
  const value = attr(el, "role");
  let role = value ? explicitRole(el, value) : null;
  if (role === null) role = roleBesideAttribute(el, nativeRole(el));
  if (role === "" && hasAttr(el, "data-deed-region") && regionMark(el)) return "data-deed-region";
  return role;
}

/**
 * What data-deed-region says: letters, digits and spaces only, so that it cannot look like `role "name"`.
 * @param {Element} el
 * @returns {string}
 */
function regionMark(el) {
  const mark = attr(el, "data-deed-region");
  return mark ? fold(mark.replace(/["\\`\p{C}]/gu, " ")).slice(0, 200) : "";
}
