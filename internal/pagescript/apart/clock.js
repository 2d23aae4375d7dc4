// @ts-check
/**
 * Makes Date tell another time. Timers run on as they do.
 * @param {number} at the time, in milliseconds since 1970
 * @param {boolean} frozen it stands still
 */
(at, frozen) => {
  const Real = Date, began = Real.now(), now = () => frozen ? at : at + Real.now() - began;
  const Clock = /** @type {any} */ (function Date(/** @type {any[]} */ ...a) {
    return new.target ? Reflect.construct(Real, a.length ? a : [now()], new.target === Clock ? Real : new.target) : new Real(now()).toString();
  });
  Object.defineProperty(Clock, "prototype", { value: Real.prototype, writable: false });
  Object.defineProperty(Clock, "length", { value: 7, configurable: true });
  Object.defineProperty(Real.prototype, "constructor", { value: Clock, writable: true, configurable: true });
  Clock.now = function now_() { return now(); };
  Object.defineProperty(Clock.now, "name", { value: "now" });
  Clock.parse = Real.parse;
  Clock.UTC = Real.UTC;
  Object.defineProperty(globalThis, "Date", { value: Clock, writable: true, configurable: true });
}
