// @ts-check
// values: what a control holds, and the states it is in.

/** The order of the bits; deed.StateNames has the same (a test compares them). */
const STATES = ["checked", "unchecked", "mixed", "selected", "disabled", "expanded", "collapsed", "pressed", "unpressed",
  "focused", "readonly", "required", "invalid", "busy", "current", "multiselectable", "modal", "unselected"];

/** @type {Record<string, number>} */
const BIT = Object.fromEntries(STATES.map((name, i) => [name, 1 << i]));

const inputChecked = getter(HTMLInputElement.prototype, "checked");
const inputIndeterminate = getter(HTMLInputElement.prototype, "indeterminate");
const inputFiles = getter(HTMLInputElement.prototype, "files");
const textareaValue = getter(HTMLTextAreaElement.prototype, "value");
const selectedOptions = getter(HTMLSelectElement.prototype, "selectedOptions");
const optionSelected = getter(HTMLOptionElement.prototype, "selected");
const meterValue = getter(HTMLMeterElement.prototype, "value");
const progressPosition = getter(HTMLProgressElement.prototype, "position");
const progressValue = getter(HTMLProgressElement.prototype, "value");
const innerTextOf = getter(HTMLElement.prototype, "innerText");
const popoverTarget = getter(HTMLButtonElement.prototype, "popoverTargetElement");
const detailsOpen = getter(HTMLDetailsElement.prototype, "open");

/**
 * The value of an element, null for one that has none.
 * @param {Element} el
 * @returns {string|null}
 */
function valueOf(el) {
  const role = roleOf(el);
  const value = rawValue(el, role);
  return value && isSensitive(el, role) ? REDACTED : value;
}

/**
 * @param {Element} el
 * @param {string} role
 * @returns {string|null}
 */
function rawValue(el, role) {
  switch (localOf(el)) {
    case "input": return inputValue(el);
    case "textarea": return textareaValue(el);
    case "select": return Array.from(selectedOptions(el), optionText).join(", ");
    case "meter": return String(meterValue(el));
    case "progress": return progressPosition(el) < 0 ? null : String(progressValue(el));
  }
  switch (role) {
    case "slider": case "spinbutton": case "scrollbar": case "progressbar": case "meter": case "separator":
      return attr(el, "aria-valuetext") || attr(el, "aria-valuenow");
    case "textbox": case "searchbox":
      return editedText(el);
    case "combobox":
      return attr(el, "aria-valuetext") || (el instanceof HTMLElement ? comboboxText(el) : null);
    case "columnheader": case "rowheader": {
      // How a table is sorted shows nowhere else: a reorder of its rows is no change.
      const sort = attr(el, "aria-sort");
      return sort === null ? null : sort === "none" ? "" : sort;
    }
  }
  return null;
}

/** Where a calendar writes the date of a day. */
const DAY_ATTRS = ["data-date", "data-day", "title"];

/**
 * The value of a day of a calendar: it is called "17", which month that is in stands in an attribute of the cell or in the
 * time element in it.
 * @param {Element} el
 * @param {string} role
 * @param {string} name
 * @param {string|null} value the value apart from that
 * @returns {string|null}
 */
function withDay(el, role, name, value) {
  if ((role !== "cell" && role !== "gridcell") || name.length > 2 || !/^\d+$/.test(name)) return value;
  const number = new RegExp("(?<!\\d)0?" + Number(name) + "(?!\\d)");
  const time = queryAll(el, "time[datetime]");
  const said = DAY_ATTRS.map((at) => attr(el, at));
  if (time.length === 1) said.push(attr(time[0], "datetime"));
  for (const day of said) {
    if (day && day.length <= 40 && /(?<!\d)\d{4}(?!\d)/.test(day) && number.test(day)) return value ? fold(day) + " " + value : fold(day);
  }
  return value;
}

/** @param {Element} el */
function inputValue(el) {
  switch (typeOfInput(el)) {
    case "checkbox": case "radio": case "button": case "submit": case "reset": case "image": case "hidden":
      return null;
    case "file":
      return Array.from(inputFiles(el) || [], (f) => f.name).join(", ");
  }
  return valueOfInput(el);
}

/** @param {Element} option */
function optionText(option) {
  return fold(attr(option, "label") || textContentOf(option));
}

/**
 * The text of an editable element, with its line breaks.
 * @param {Element} el
 * @returns {string}
 */
function editedText(el) {
  const text = el instanceof HTMLElement ? innerTextOf(el) : textContentOf(el);
  return text.replace(/\n$/, "").replace(/\u00a0/g, " ");
}

/**
 * What a combobox made of other elements shows: the field in it, or its text.
 * @param {Element} el
 * @returns {string|null}
 */
function comboboxText(el) {
  if (isEditingHost(el)) return editedText(el);
  for (const inner of queryAll(el, "input,textarea")) {
    const v = localOf(inner) === "input" ? inputValue(inner) : textareaValue(inner);
    if (v !== null) return null; // the field is a node of its own
  }
  return fold(contentOf(el));
}

const queryAll = method(Element.prototype.querySelectorAll);

/** Roles that aria-disabled and disabled say something about. */
const OPERABLE = new Set(["button", "checkbox", "combobox", "gridcell", "group", "link", "listbox", "menuitem",
  "menuitemcheckbox", "menuitemradio", "option", "radio", "radiogroup", "scrollbar", "searchbox", "slider", "spinbutton",
  "switch", "tab", "tablist", "textbox", "toolbar", "tree", "treeitem", "columnheader", "rowheader", "row", "grid"]);
const NATIVE_CONTROLS = new Set(["button", "input", "select", "textarea", "option", "optgroup", "fieldset"]);

/**
 * The states of an element, as bits in the order of STATES.
 * @param {Element} el
 * @returns {number}
 */
function statesOf(el) {
  let disabledAround = false;
  for (let p = flatParent(el); p && !disabledAround; p = flatParent(p)) disabledAround = attr(p, "aria-disabled") === "true";
  return statesAs(el, roleOf(el), disabledAround, activeElement());
}

/**
 * @param {Element} el
 * @param {string} role
 * @param {boolean} disabledAround something around it is aria-disabled
 * @param {Element|null} active
 * @returns {number}
 */
function statesAs(el, role, disabledAround, active) {
  const tag = localOf(el);
  let bits = 0;
  const native = NATIVE_CONTROLS.has(tag);
  if (native || tag === "summary" || hasAttributes(el)) {
    bits = checkedBits(el, role, tag) | selectedBits(el, role, tag) | expandedBits(el, role, tag) | attributeBits(el, role, tag);
  }
  if (OPERABLE.has(role) && ((native && matches(el, ":disabled")) || attr(el, "aria-disabled") === "true" || (disabledAround && focusable(el)))) {
    bits |= BIT.disabled;
  }
  if (el === active && tag !== "body" && tag !== "html") bits |= BIT.focused;
  return bits;
}

const hasAttributes = method(Element.prototype.hasAttributes);

/** @param {Element} el @param {string} role @param {string} tag */
function checkedBits(el, role, tag) {
  switch (role) {
    case "checkbox": case "switch": case "radio": case "menuitemcheckbox": case "menuitemradio": case "option": case "treeitem":
      break;
    default:
      return 0;
  }
  if (tag === "input") {
    if (inputIndeterminate(el) && role === "checkbox") return BIT.mixed;
    return inputChecked(el) ? BIT.checked : BIT.unchecked;
  }
  switch (attr(el, "aria-checked")) {
    case "true": return BIT.checked;
    case "mixed": return BIT.mixed;
    case "false": return BIT.unchecked;
  }
  return role === "option" || role === "treeitem" ? 0 : BIT.unchecked;
}

/** @param {Element} el @param {string} role @param {string} tag */
function selectedBits(el, role, tag) {
  switch (role) {
    case "option": case "tab": case "row": case "gridcell": case "treeitem": case "columnheader": case "rowheader":
      break;
    default:
      return 0;
  }
  if (tag === "option") return optionSelected(el) ? BIT.selected : BIT.unselected;
  switch (attr(el, "aria-selected")) {
    case "true": return BIT.selected;
    case "false": return BIT.unselected;
  }
  return 0;
}

/** The open drop-down of a select; nothing where the browser cannot tell. */
const SELECT_OPEN = CSS.supports("selector(:open)") ? ":open" : ":not(*)";

/** @param {Element} el @param {string} role @param {string} tag */
function expandedBits(el, role, tag) {
  let open = null;
  const expanded = attr(el, "aria-expanded");
  if (expanded === "true" || expanded === "false") open = expanded === "true";
  else if (tag === "summary" && summaryRole(el)) open = detailsOpen(/** @type {Element} */ (parentElementOf(el)));
  else if (tag === "select" && role === "combobox") open = matches(el, SELECT_OPEN);
  else if (tag === "button" && hasAttr(el, "popovertarget")) {
    const target = popoverTarget(el);
    if (target) open = matches(target, ":popover-open");
  }
  let bits = open === null ? 0 : open ? BIT.expanded : BIT.collapsed;
  if (role === "button") {
    const pressed = attr(el, "aria-pressed");
    if (pressed === "true") bits |= BIT.pressed;
    else if (pressed === "false") bits |= BIT.unpressed;
    else if (pressed === "mixed") bits |= BIT.mixed;
  }
  return bits;
}

/** Input types that readonly applies to. */
const READONLY_TYPES = new Set(["text", "search", "url", "tel", "email", "password", "date", "month", "week", "time", "datetime-local", "number"]);

/** @param {Element} el @param {string} role @param {string} tag */
function attributeBits(el, role, tag) {
  let bits = 0;
  const field = tag === "input" || tag === "textarea" || tag === "select";
  if (attr(el, "aria-readonly") === "true" || (tag === "textarea" && hasAttr(el, "readonly")) ||
    (tag === "input" && hasAttr(el, "readonly") && READONLY_TYPES.has(typeOfInput(el)))) bits |= BIT.readonly;
  if (attr(el, "aria-required") === "true" || (field && matches(el, ":required"))) bits |= BIT.required;
  const invalid = attr(el, "aria-invalid");
  if ((invalid !== null && invalid !== "" && invalid !== "false") || (field && invalid !== "false" && matches(el, ":user-invalid"))) bits |= BIT.invalid;
  if (attr(el, "aria-busy") === "true") bits |= BIT.busy;
  const current = attr(el, "aria-current");
  if (current !== null && current !== "" && current !== "false") bits |= BIT.current;
  if (role === "listbox" || role === "grid" || role === "treegrid" || role === "tree" || role === "tablist") {
    if (attr(el, "aria-multiselectable") === "true" || (tag === "select" && hasAttr(el, "multiple"))) bits |= BIT.multiselectable;
  }
  if (role === "dialog" || role === "alertdialog") {
    if (attr(el, "aria-modal") === "true" || (tag === "dialog" && matches(el, ":modal"))) bits |= BIT.modal;
  }
  return bits;
}
