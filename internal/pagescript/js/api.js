// @ts-check
// What Go calls. Each function takes one JSON value and returns one; the name is the contract.

/** @param {any} o */
async function settleAndLook(o) {
  const s = await settle(o);
  return look({ ...s, target: o.target, text: o.text, typed: o.typed, at: o.at, files: o.files, base: o.base, whole: o.whole, check: o.check });
}

/** A snapshot with what belongs to it: a line of JSON about the act, then the snapshot. @param {any} o */
function look(o) {
  settleCalls++;
  const began = performance.now();
  const seen = lookAt(o.base, o.whole === true, o.check === true); // the walk meets the hosts
  const about = {
    ...o,
    text: undefined,
    took: performance.now() - began,
    visits: seen.visits,
    partial: seen.partial,
    otherwise: toldOtherwise,
    firstOtherwise: firstOtherwise || undefined,
    seq: changeCount,
    print: controlsPrint(),
    caused: causedNumbers(),
    complaints,
    timers: timersSet,
    watched: watched ? { clicks: watched.clicks, touched: watched.touched } : undefined,
    held: o.target ? holds({ id: o.target, text: o.text || "", typed: o.typed }) : undefined,
    at: o.at && elementOf(o.at) ? bearing(/** @type {Element} */ (elementOf(o.at))) : undefined,
    files: o.files ? filesOf(o.files) : undefined,
    ready: readyStateOf(document),
    over: tellRecorder ? hovered() : undefined,
  };
  const hosts = takeHosts();
  return JSON.stringify(hosts.length ? { ...about, hosts } : about) + "\n" + (heldSecrets.size ? withoutSecrets(seen.text) : seen.text);
}

/** The element numbers of the elements handed over. @param {...Element} els */
function numbers(...els) { return els.map((el) => (el ? elementId(el) : 0)); }

const api = {
  look, settle: settleAndLook, awaitChange, beginAct, prepare, prepareOwner, disarm, endAct, mapFrom, fillKind, selectAll, replaceText, setValue, holds,
  choose, chosen, facts: factsOf, pick, seen, whereIs, actsByItself, reveal, scrollPoint, scrolledBy, fileInput, dropPoint, dropSide, mapPoint, sensitiveBoxes, box: standsAt, viewportWidth: () => innerWidth,
  drawn: async () => { await nextFrame(); return {}; },
  isNativeSelect: (/** @type {any} */ o) => { const el = elementOf(o.id); return !!el && tagOf(el) === "SELECT"; },
  declareSensitive: (/** @type {any} */ o) => { declareSensitive(o.id); return {}; },
  identity: (/** @type {any} */ o) => { const el = elementOf(o.id); return el ? identity(el) : null; },
  active: () => { const el = activeElement(); return el ? elementId(el) : 0; },
};

Object.defineProperty(globalThis, "__deed", {
  value: {
    /** @param {keyof typeof api} name @param {any} arg */
    call: (name, arg) => /** @type {any} */ (api[name])(arg),
    numbers,
    adopt,
    element: elementOf,
  },
  configurable: true,
});
