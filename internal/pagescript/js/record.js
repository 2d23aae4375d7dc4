// @ts-check
// record: what a person does with the page, told to the recorder.
//
// The recorder gives the worlds of this script one function, in the pages that it records and nowhere else. The page has no such
// function and cannot reach this one. Told is only what a person's own hand does: events that the browser made of input, and of
// the events that follow from input (a click that a label passes on, text that goes in) those that belong to what the hand is at. A
// page can make the browser fire such events too, by label.click() or execCommand, but it cannot move the hand.

/** @type {((text: string) => void) | null} */
const tellRecorder = typeof (/** @type {any} */ (globalThis).__deedTell) === "function" ? /** @type {any} */ (globalThis).__deedTell : null;

/** What the last input was received by, and what is around it, innermost first, labels with what they label. @type {Element[]} */
let hand = [];
/** The field that is being edited: how it was before has been told. @type {Element | null} */
let editing = null;
/** What was told last of what fields hold. @type {WeakMap<Element, string>} */
const toldValues = new WeakMap();
/** What secret fields hold: it is taken out of whatever is told. @type {Map<Element, string>} */
const heldSecrets = new Map();
/** A press of the pointer that was not let go yet. @type {{x: number, y: number, path: Element[], dragged: boolean} | null} */
let press = null;
/** The key that is down, until what it does is over. @type {string} */
let keyDown = "";

/** Shorter secrets stand in too many words to be taken out of them. */
const SECRET_LENGTH = 3;

/**
 * A told snapshot without what secret fields hold, wherever the page repeats it.
 * @param {string} text JSON
 */
function withoutSecrets(text) {
  for (const secret of heldSecrets.values()) {
    if (secret.length < SECRET_LENGTH) continue;
    for (const form of new Set([JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encodeURIComponent(secret).replace(/%20/g, "+")])) {
      if (text.includes(form)) text = text.replace(/"(?:[^"\\]|\\.)*"/g, (s) => s.split(form).join(REDACTED));
    }
  }
  return text;
}

/** @param {Event} e @param {"pointer" | "key"} kind @returns {Element[]} */
function pathOf(e, kind) {
  const path = truePath(e, /** @type {any} */ ({ kind }));
  /** @type {Element[]} */
  const out = [];
  for (const t of path) {
    const el = /** @type {Element} */ (t);
    if (el.nodeType !== ELEMENT) continue;
    out.push(el);
    const control = labelledControl(el);
    if (control) out.push(control);
  }
  return out.slice(0, 40);
}

/**
 * Tells the recorder, with the page as it is at this instant where a gesture begins.
 * @param {string} type @param {Element[]} path @param {object} more @param {boolean} begins
 */
function tellOf(type, path, more, begins) {
  let look;
  if (begins) {
    look = withoutSecrets(lookAt(undefined, true, false).text);
    beginAct(null);
    markGestureTask();
  }
  if (tellRecorder) tellRecorder(JSON.stringify({ type, path: path.map(elementId), ...more, look }));
}

/** Whether text can be typed into the element. @param {Element} el */
function takesText(el) {
  const tag = tagOf(el);
  if (tag === "TEXTAREA") return true;
  if (tag === "INPUT") return !["checkbox", "radio", "button", "submit", "reset", "image", "file", "hidden"].includes(typeOfInput(el));
  return /** @type {any} */ (el).isContentEditable === true;
}

/** The field that an event is about: the outermost editable element, where text is edited in place. @param {Element[]} path @returns {Element | null} */
function fieldOn(path) {
  const el = path[0];
  if (!el) return null;
  if (tagOf(el) === "INPUT" || tagOf(el) === "TEXTAREA" || tagOf(el) === "SELECT") return el;
  let host = null;
  for (const e of path) if (takesText(e) && tagOf(e) !== "INPUT" && tagOf(e) !== "TEXTAREA") host = e;
  return host;
}

/** Tells how the page is before a field is edited, once. @param {Element} field @param {Element[]} path */
function beginEdit(field, path) {
  if (editing === field) return;
  editing = field;
  if (takesText(field)) toldValues.set(field, textIn(field));
  tellOf("edit", [field, ...path.filter((e) => e !== field)], {}, true);
}

/** Tells what a field holds now, where that is new. @param {Element} field @param {string} how the kind of input, "" where it is not known */
function tellValue(field, how) {
  if (!takesText(field)) return;
  const value = textIn(field);
  if (isSensitive(field)) {
    heldSecrets.set(field, value);
    if (toldValues.get(field) === value) return;
    toldValues.set(field, value);
    tellOf("value", [field], { secret: true, how }, false);
    return;
  }
  if (toldValues.get(field) === value) return;
  toldValues.set(field, value);
  tellOf("value", [field], { value: value.slice(0, 100_000), how }, false);
}

/** @param {KeyboardEvent} e the name by which the key is pressed: Enter, a, Control+Shift+K */
function keyName(e) {
  let key = e.key === " " ? "Space" : e.key;
  if (e.shiftKey && (e.key.length > 1 || e.ctrlKey || e.metaKey || e.altKey)) key = "Shift+" + key;
  if (e.metaKey) key = "Meta+" + key;
  if (e.altKey) key = "Alt+" + key;
  if (e.ctrlKey) key = "Control+" + key;
  return key;
}

const NO_GESTURE = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "NumLock", "ScrollLock", "Dead", "Process", "Unidentified", "Fn", "OS"]);
const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);
/** Inputs whose arrow keys change what they hold. */
const STEPPED = new Set(["number", "range", "date", "time", "datetime-local", "month", "week"]);

/** @param {KeyboardEvent} e */
function onRecordedKey(e) {
  if (NO_GESTURE.has(e.key) || e.isComposing) { hand = pathOf(e, "key"); return; }
  const path = pathOf(e, "key");
  hand = path;
  keyDown = e.key;
  const field = fieldOn(path), command = e.ctrlKey || e.metaKey;
  if (field && tagOf(field) === "SELECT" && (e.key.length === 1 || MOVES.has(e.key))) { beginEdit(field, path); return; }
  if (field && takesText(field)) {
    const type = tagOf(field) === "INPUT" ? typeOfInput(field) : "";
    if (e.key.length === 1 && !command && !e.altKey || e.key === "Backspace" || e.key === "Delete" || command && "vxzybiuVXZYBIU".includes(e.key) || MOVES.has(e.key) && STEPPED.has(type)) {
      beginEdit(field, path);
      return;
    }
    if (command && "acAC".includes(e.key)) return;
    const opens = roleOf(field) === "combobox" || hasAttr(field, "aria-expanded") || hasAttr(field, "aria-haspopup") || hasAttr(field, "aria-activedescendant");
    if (MOVES.has(e.key) && !opens) return;
    if (e.key.length === 1 && isSensitive(field)) return;
  }
  if (e.key.length === 1 && path[0] && isSensitive(path[0])) return; // a field that the page draws and fills in itself
  editing = null;
  tellOf("key", path, { key: keyName(e) }, true);
}

/** Whether this is a click that a key made: on what has the focus, or on the radio that an arrow key moved to. @param {Element[]} path */
function byKey(path) {
  const to = path[0], from = hand[0];
  if (!to || !from) return false;
  if (keyDown === "Enter" || keyDown === " ") return to === from;
  return MOVES.has(keyDown) && roleOf(to) === "radio" && roleOf(from) === "radio" && attr(to, "name") === attr(from, "name");
}

/** @param {PointerEvent} e */
function onRecordedClick(e) {
  const path = pathOf(e, "pointer");
  if (e.pointerId >= 0) {
    if (!press) return; // no press of this document's: it was not begun here
    const pressed = press.path;
    press = null;
    if (!path.some((el) => pressed.includes(el))) return;
    tellOf("click", path, { count: e.detail, button: e.button }, false);
    return;
  }
  if (!byKey(path)) return;
  tellOf("click", path, { count: 0 }, false);
}

/** @param {PointerEvent} e */
function onRecordedDown(e) {
  const path = pathOf(e, "pointer");
  hand = path;
  keyDown = "";
  press = { x: e.clientX, y: e.clientY, path, dragged: false };
  const field = fieldOn(path);
  if (editing && editing !== field) tellValue(editing, "");
  if (editing !== field) editing = null;
  tellOf("down", path, { button: e.button }, true);
}

/** How far the pointer moves at least where something is dragged, in CSS pixels. */
const DRAGGED = 8;

/** @param {PointerEvent} e */
function onRecordedUp(e) {
  const from = press;
  if (!from || from.dragged) return;
  tellOf("up", pathOf(e, "pointer"), {}, false); // a click follows, but where the press took the element away
  const far = Math.abs(e.clientX - from.x) > DRAGGED || Math.abs(e.clientY - from.y) > DRAGGED;
  if (!far || from.path[0] && takesText(from.path[0])) return;
  const to = elementAt(e.clientX, e.clientY);
  from.dragged = true;
  tellOf("drag", from.path, { over: (to ? pathFrom(to) : []).slice(0, 40).map(elementId) }, false);
}

/** @param {DragEvent} e */
function onRecordedDrop(e) {
  const to = pathOf(e, "pointer").map(elementId);
  if (!press) return;
  const from = press.path;
  press = null;
  tellOf("drag", from, { over: to }, false);
}

/** @param {Event} e */
function onRecordedChange(e) {
  const el = /** @type {Element} */ (pathOf(e, "key")[0]);
  if (!el) return;
  if (tagOf(el) === "INPUT" && typeOfInput(el) === "file") { // only a person's chooser fires this
    tellOf("files", [el], { files: filesOf(elementId(el)).map((f) => f.name) }, false);
    return;
  }
  if (!hand.includes(el) && el !== editing) return;
  if (tagOf(el) === "SELECT") tellChoice(el);
  else if (el === editing || tagOf(el) === "INPUT" && (STEPPED.has(typeOfInput(el)) || typeOfInput(el) === "color")) tellValue(el, "");
}

/** @param {Element} el a select */
function tellChoice(el) {
  if (!isSensitive(el)) tellOf("select", [el], { options: chosenUniquely(/** @type {HTMLSelectElement} */ (el)) }, false);
}

/** What is chosen in a select, each by a text that means it alone: its label, with its group where another has the same, else its value. @param {HTMLSelectElement} select */
function chosenUniquely(select) {
  const fold = (/** @type {string} */ s) => s.replace(/\s+/g, " ").trim();
  const options = [...select.options];
  const label = (/** @type {HTMLOptionElement} */ op) => fold(op.label || op.text);
  const full = (/** @type {HTMLOptionElement} */ op) => {
    const p = nodeParent(op);
    return p && tagOf(/** @type {Element} */ (p)) === "OPTGROUP" ? fold(String(/** @type {any} */ (p).label)) + ": " + label(op) : label(op);
  };
  return options.filter((op) => op.selected).map((op) => {
    for (const name of [label, full]) if (name(op) && options.filter((o) => name(o) === name(op)).length === 1) return name(op);
    return op.value;
  });
}

/** @param {InputEvent} e */
function onRecordedInput(e) {
  const path = pathOf(e, "key"), field = fieldOn(path);
  if (!field || !hand.includes(field) && editing !== field) return;
  if (tagOf(field) === "SELECT" && e.type === "input") tellChoice(field); // its change event does not leave a shadow tree
  if (!takesText(field)) return;
  if (e.type === "beforeinput") {
    if (tagOf(field) === "INPUT" && e.inputType === "insertLineBreak") return; // Enter sends the form; nothing goes in
    beginEdit(field, path);
  } else tellValue(field, e.inputType || "");
}

/** A page that is scrolled loads more: how it was before is told once for each stretch of turning. */
let wheeledAt = -1e9;

/** @param {WheelEvent} e */
function onRecordedWheel(e) {
  if (e.timeStamp - wheeledAt > 1000) tellOf("wheel", pathOf(e, "pointer"), {}, true);
  wheeledAt = e.timeStamp;
}

/** Elements under the pointer. */
function hovered() {
  const out = [];
  for (const root of [document, ...knownRoots()]) for (const el of allIn(root, ":hover")) out.push(elementId(el));
  return out;
}

/** @param {string} type @param {(e: any) => void} f */
function hear(type, f) {
  window.addEventListener(type, (e) => { if (e.isTrusted) f(e); }, { capture: true, passive: true });
}

if (tellRecorder) {
  hear("pointerdown", onRecordedDown);
  hear("pointerup", onRecordedUp);
  hear("pointercancel", () => { if (press && !press.dragged) return; press = null; });
  hear("click", onRecordedClick);
  hear("auxclick", (e) => { if (press) tellOf("click", pathOf(e, "pointer"), { count: 1, button: e.button }, false); press = null; });
  hear("dragstart", () => { if (press) press.dragged = true; });
  hear("drop", onRecordedDrop);
  hear("keydown", onRecordedKey);
  hear("keyup", (e) => {
    const field = fieldOn(pathOf(e, "key"));
    if (field && field === editing) tellValue(field, ""); // where the page puts in itself what is typed, no input event tells of it
  });
  hear("beforeinput", onRecordedInput);
  hear("input", onRecordedInput);
  hear("change", onRecordedChange);
  hear("wheel", onRecordedWheel);
  hear("focusin", (e) => {
    const path = pathOf(e, "key");
    if (keyDown === "Tab") { hand = path; keyDown = ""; }
  });
}
