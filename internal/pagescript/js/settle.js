// @ts-check
// Settling: one call waits in the page and answers when the page has come to rest.

/** Resolves what waits for the frame that was just painted. */
const painted = new MessageChannel();
/** @type {(() => void)[]} */
let awaitingPaint = [];
painted.port1.onmessage = () => {
  const all = awaitingPaint;
  awaitingPaint = [];
  for (const f of all) f();
};

/** The next frame, its callbacks run and itself painted; or 60 ms where the page draws none. */
function nextFrame() {
  return new Promise((done) => {
    const timer = later(() => done(undefined), 60);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      awaitingPaint.push(() => done(undefined));
      painted.port2.postMessage(0);
    });
  });
}

/** Until something changes, at most ms. @param {number} ms */
function sleep(ms) {
  return new Promise((done) => {
    const timer = later(() => done(undefined), ms);
    sleepers.push(() => { clearTimeout(timer); done(undefined); });
  });
}

let settleCalls = 0;

const animationsOf = method(Document.prototype.getAnimations);
const animationsInShadow = method(ShadowRoot.prototype.getAnimations);

/** The animations of the document and of its shadow trees: the document itself tells of none in them. */
function animations() {
  const out = animationsOf(document);
  for (const root of knownRoots()) for (const a of animationsInShadow(root)) out.push(a);
  return out;
}

/** Animations of the last look that will come to an end. */
let fading = 0;

/** How many animations run that will come to an end. */
function fadingNow() {
  let n = 0;
  for (const a of animations()) {
    const timing = a.playState === "running" && a.effect ? a.effect.getComputedTiming() : null;
    if (timing && Number.isFinite(timing.endTime)) n++;
  }
  return n;
}

/** An animation that goes on for longer is no entrance: nobody waits for it. */
const ENTRANCE_MS = 1000;
/** What an entrance changes: where a thing is, how large, how much of it can be seen. Colours are none of that. */
const ENTRANCE = /^(opacity|transform|translate|scale|rotate|clip|clipPath|top|left|right|bottom|inset.*|width|height|max.*|margin.*)$/;

/** Whether the element, or something around it, is on its way into place by an animation that ends soon. @param {Element} el */
function comesIntoPlace(el) {
  /** @type {Set<Element>} */
  const around = new Set();
  for (let e = /** @type {Element | null} */ (el); e; e = flatParentElement(e)) around.add(e);
  for (const a of animations()) {
    const effect = /** @type {KeyframeEffect | null} */ (a.effect), timing = a.playState === "running" && effect ? effect.getComputedTiming() : null;
    if (!timing || !effect.target || !around.has(effect.target)) continue;
    const left = (Number(timing.endTime) - Number(timing.localTime || 0)) / Math.max(Math.abs(a.playbackRate), 0.1);
    if (left > ENTRANCE_MS) continue; // never, for one that goes on for ever
    if (effect.getKeyframes().some((k) => Object.keys(k).some((name) => ENTRANCE.test(name)))) return true;
  }
  return false;
}

/**
 * Counts the end of an animation as a change: what it fades in or out is there or gone then, and neither a mutation nor,
 * for one that a script started, an event tells so.
 */
function noteAnimations() {
  const n = fadingNow();
  if (n < fading) changeCount++;
  fading = n;
}

/** Until something changes, at most wait ms. @param {{wait: number}} o */
async function awaitChange(o) {
  const mark = changeCount;
  await sleep(o.wait);
  if (changeCount !== mark) await nextFrame();
  return {};
}

/** A frame that comes sooner after a change says nothing about what follows the change. */
const SETTLED_MS = 5;

/**
 * Waits for rest: `frames` frames in a row, each painted, in which nothing changed that matters. With `since`, also for a change
 * after that count, unless the controls or the first look say otherwise.
 * @param {{since: number, print: number, frames: number, wait: number, first: boolean}} o
 *   since: the change count before the act; print: controlsPrint before it; frames: quiet frames; wait: at most, ms;
 *   first: answer at the first rest even if nothing changed
 * @returns {Promise<{seq: number, print: number, changed: boolean, rested: boolean}>}
 */
async function settle(o) {
  const mine = ++settleCalls; // a later call or look ends this one
  const end = performance.now() + o.wait;
  let mark = changeCount, print = controlsPrint(), quiet = 0, idle = 0, since = performance.now();
  const answer = (/** @type {boolean} */ rested) => ({ seq: changeCount, print, changed: changeCount !== o.since || print !== o.print, rested });
  for (;;) {
    if (mine !== settleCalls) return answer(false);
    if (performance.now() >= end) return answer(quiet >= o.frames);
    if (quiet >= o.frames && idle > 20) await sleep(Math.min(100, Math.max(1, end - performance.now())));
    else await nextFrame();
    noteAnimations();
    const p = controlsPrint();
    if (mark !== changeCount || p !== print) { mark = changeCount; print = p; quiet = 0; idle = 0; since = performance.now(); continue; }
    if (performance.now() - since < SETTLED_MS) continue;
    quiet++;
    idle++;
    if (quiet >= o.frames && (o.first || mark !== o.since || print !== o.print)) return answer(true);
  }
}
