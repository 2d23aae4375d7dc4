// @ts-check
/**
 * Takes from a document, or a worker, what leaves without being a request: sockets, peer connections, WebTransport, and workers that belong
 * to no page (shared, service). What it calls to report was there before the page's own scripts.
 * @param {string} name of the function that it reports by; it is taken away
 */
(name) => {
  const world = /** @type {any} */ (globalThis), tell = world[name];
  delete world[name];
  const report = (/** @type {string} */ what, /** @type {any} */ url) => { try { tell && tell(JSON.stringify([what, String(url || "")])); } catch {} };
  const refuse = (/** @type {string} */ what) => {
    if (!(what in world)) return;
    const gone = class { constructor(/** @type {any} */ url) { report(what, typeof url === "string" ? url : ""); throw new DOMException(what + " is not allowed here", "NotAllowedError"); } };
    Object.defineProperty(gone, "name", { value: what });
    Object.defineProperty(world, what, { value: gone, writable: false, configurable: false, enumerable: false });
  };
  for (const what of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocket", "WebSocketStream", "SharedWorker"]) refuse(what);
  const c = world.ServiceWorkerContainer;
  if (c) Object.defineProperty(c.prototype, "register", { value: function register(/** @type {any} */ url) {
    report("ServiceWorker", url);
    return Promise.reject(new DOMException("service workers are not allowed here", "SecurityError"));
  }, writable: false, configurable: false });
}
