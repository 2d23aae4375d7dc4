// @ts-check
/**
 * Stores what an origin is to find, where it is not there yet.
 * @param {{origin: string, local?: Record<string, string>, session?: Record<string, string>}} seed
 */
(seed) => {
  if (location.origin !== seed.origin) return;
  const put = (/** @type {() => Storage} */ where, /** @type {Record<string, string>} */ what) => {
    try { for (const k in what) if (where().getItem(k) === null) where().setItem(k, what[k]); } catch {} // a document that may store nothing
  };
  put(() => localStorage, seed.local || {});
  put(() => sessionStorage, seed.session || {});
}
