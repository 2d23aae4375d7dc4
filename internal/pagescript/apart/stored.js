// @ts-check
/** What the document's origin has stored. */
() => {
  const all = (/** @type {Storage} */ s) => Object.fromEntries(Object.keys(s).map((k) => [k, s.getItem(k)]));
  return { origin: location.origin, local: all(localStorage), session: all(sessionStorage) };
}
