// @ts-check
// tell: one look at the document, told whole or as what is new against what was told last.

/** How often a whole walk told something else than the walk that took over. */
let toldOtherwise = 0;
/** The first of these differences, for tests. */
let firstOtherwise = "";

/**
 * One look at the document: what changed since `base`, where that is what was told last; all of it otherwise. With `whole`
 * nothing is taken over. With `check` nothing is either, and it is counted whether that would have told something else;
 * the whole is told beside what is new.
 * @param {number|undefined} base @param {boolean} whole @param {boolean} check
 * @returns {{text: string, visits: number, partial: boolean}}
 */
function lookAt(base, whole, check) {
  const delta = told !== null && told.no === base;
  noteRecords(); // they are of before
  instant = performance.now();
  /** @type {Walk|null} */
  let w = null;
  if (told !== null && delta && (check || !whole) && keptWalk !== 0 && keptWords.rows.list.length < 4 * told.el.length + 1000) {
    w = walk(documentElementOf(document), true, true, false);
    if (w.again || w.errors > 0 || w.full) w = null;
  }
  let partial = w !== null && w.taken > 0;
  if (w === null || whole || check) {
    const otherwise = w;
    w = wholeWalk(true, true);
    if (partial && otherwise) compareWalks(otherwise, w);
    partial = false;
  }
  instant = 0;
  const no = ++tellings;
  const head = { ...headOf(w), no };
  const text = JSON.stringify(delta && told ? { ...head, base, ...difference(told, w) } : { ...head, ...columnsOf(w) });
  told = { no, el: w.el, pa: w.pa, ro: w.ro, nm: w.nm, re: w.re, rw: w.rw, st: w.st, fl: w.fl, va: w.va, gr: w.gr, frames: w.frames, roles: w.roles, regions: w.regions, rows: w.rows };
  return { text: check ? text + "\n" + JSON.stringify({ ...head, ...columnsOf(w) }) : text, visits: w.visits, partial };
}

let tellings = 0;
/** What was told last, without the elements. @type {(Columns & {no: number})|null} */
let told = null;

/** @param {Columns} a @param {number} i @param {Columns} b @param {number} j @returns {boolean} whether two nodes say the same, their parents apart */
function sameNode(a, i, b, j) {
  return a.el[i] === b.el[j] && a.nm[i] === b.nm[j] && a.st[i] === b.st[j] && a.fl[i] === b.fl[j] && a.va[i] === b.va[j] && a.gr[i] === b.gr[j] &&
    (a.roles === b.roles ? a.ro[i] === b.ro[j] && a.re[i] === b.re[j] && a.rw[i] === b.rw[j]
      : a.roles.list[a.ro[i]] === b.roles.list[b.ro[j]] && a.regions.list[a.re[i]] === b.regions.list[b.re[j]] && a.rows.list[a.rw[i]] === b.rows.list[b.rw[j]]);
}

/**
 * What is new against what was told: `ops` are pairs, so many nodes from there of the old ones; from -1, so many of the
 * columns here, which hold those alone. Values, groups and frames have the numbers of the new whole.
 * @param {Columns} old @param {Columns} now
 */
function difference(old, now) {
  const n = now.el.length;
  /** @type {number[]} */
  const ops = [];
  /** Where an old node stands now. */
  const stands = new Int32Array(old.el.length).fill(-1);
  /** @type {Map<number, number>|null} */
  let at = null;
  const out = { ops, el: [], pa: [], ro: [], nm: [], re: [], rw: [], st: [], fl: [], va: {}, gr: {}, frames: now.frames };
  const roles = new Strings(), regions = new Strings(), rows = new Strings();
  let j = 0;
  for (let i = 0; i < n; i++) {
    if (old.el[j] !== now.el[i]) {
      if (at === null) {
        at = new Map();
        for (let k = 0; k < old.el.length; k++) at.set(old.el[k], k);
      }
      const found = at.get(now.el[i]);
      j = found === undefined ? -1 : found;
    }
    const end = ops.length;
    const p = j >= 0 ? old.pa[j] : 0;
    if (j >= 0) stands[j] = i;
    if (j >= 0 && (p < 0 ? -1 : stands[p]) === now.pa[i] && sameNode(old, j, now, i)) {
      if (end > 0 && ops[end - 2] >= 0 && ops[end - 2] + ops[end - 1] === j) ops[end - 1]++;
      else ops.push(j, 1);
      j++;
      continue;
    }
    if (end > 0 && ops[end - 2] === -1) ops[end - 1]++;
    else ops.push(-1, 1);
    const o = /** @type {any} */ (out);
    o.el.push(now.el[i]); o.pa.push(now.pa[i]); o.nm.push(now.nm[i]); o.st.push(now.st[i]); o.fl.push(now.fl[i]);
    o.ro.push(roles.index(now.roles.list[now.ro[i]]));
    o.re.push(regions.index(now.regions.list[now.re[i]]));
    o.rw.push(rows.index(now.rows.list[now.rw[i]]));
    if (now.va[i] !== undefined) o.va[i] = now.va[i];
    if (now.gr[i] !== undefined) o.gr[i] = now.gr[i];
    j = j >= 0 ? j + 1 : 0;
  }
  return { ...out, roles: roles.list, regs: regions.list, rows: rows.list };
}

/** Counts it when two walks at one instant tell different things. @param {Walk} taken @param {Walk} whole */
function compareWalks(taken, whole) {
  const n = Math.max(taken.el.length, whole.el.length);
  for (let i = 0; i < n; i++) {
    if (i < taken.el.length && i < whole.el.length && taken.pa[i] === whole.pa[i] && sameNode(taken, i, whole, i)) continue;
    toldOtherwise++;
    const say = (/** @type {Walk} */ w) => i < w.el.length ? [w.el[i], w.pa[i], w.roles.list[w.ro[i]], w.nm[i], w.regions.list[w.re[i]], w.rows.list[w.rw[i]], w.st[i], w.fl[i], w.va[i], w.gr[i]].map(String).join("|") : "nothing";
    if (!firstOtherwise) firstOtherwise = "node " + i + ": taken over " + say(taken) + ", in truth " + say(whole);
    return;
  }
}
