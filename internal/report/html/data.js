// What was found: the run as deed publishes it (docs/formats.md), with what the views need to know of each case.

const run = JSON.parse(document.getElementById("run").textContent);
const pictures = JSON.parse(document.getElementById("pictures").textContent);

const proven = (o) => o === "verified" || o === "already" || o === "healed";
const outcomes = ["failed", "mismatch", "ambiguous", "refused", "cancelled", "skipped", "healed", "already", "verified"]; // worst first
const rank = (o) => { const i = outcomes.indexOf(o); return i < 0 ? 0 : i; };

/** stepsOf lists the steps of an attempt and of its teardown, each with its key in an address. */
function stepsOf(attempt) {
  const list = (attempt.steps || []).map((s, i) => ({ s, key: String(s.n || i + 1), teardown: false }));
  return list.concat((attempt.teardown || []).map((s, i) => ({ s, key: "t" + (s.n || i + 1), teardown: true })));
}

/** cases are the cases of the run, each with an address of its own: its id, and a mark where that would be another's too. */
const cases = (() => {
  const taken = new Set();
  const ids = new Set((run.cases || []).map((c) => c.case));
  return (run.cases || []).map((c, index) => {
    let key = c.case || "case";
    const parent = key.match(/^(.*)\/t?\d+$/); // "a/3" is a case, and could be step 3 of "a"
    for (let n = parent && ids.has(parent[1]) ? 1 : 0; ; n++) {
      const k = n ? key + "~" + n : key;
      if (!taken.has(k)) { key = k; break; }
    }
    taken.add(key);
    const attempts = [...(c.retries || []), c];
    const all = attempts.flatMap((a) => stepsOf(a).map((x) => x.s));
    const last = stepsOf(c).map((x) => x.s);
    const flags = new Set([c.outcome === "already" ? "verified" : c.outcome]);
    if (!proven(c.outcome) && !c.quarantine) flags.add("unproven");
    if (c.flaky) flags.add("flaky");
    if (c.quarantine) flags.add("quarantined");
    if (last.some((s) => s.healed)) flags.add("healed");
    if (last.some((s) => s.diverged && s.diverged.length)) flags.add("diverged");
    const bad = stepsOf(c).find((x) => !proven(x.s.outcome) && x.s.outcome !== "skipped");
    let hay = null;
    return {
      c, key, index, attempts, flags, bad,
      title: c.title || c.case || c.file || "a case without a name",
      /** matches reports whether every word of the filter is somewhere in the case. */
      matches(words) {
        if (hay === null) {
          hay = [c.case, c.title, c.file, c.code, c.reason, c.outcome, ...(c.tags || []), ...flags,
            ...all.flatMap((s) => [s.do, s.locator, s.reason, s.code, s.mismatch, s.rule])].filter(Boolean).join("\n").toLowerCase();
        }
        return words.every((w) => hay.includes(w));
      },
    };
  });
})();

/** worth is where a case stands when the worst come first: a quarantined one is of no weight, a flaky one next to those that are not proven. */
const worth = (x) => (x.c.quarantine ? 6.5 : x.c.flaky ? 5.5 : rank(x.c.outcome));

const duration = (ms) => {
  ms = ms || 0;
  if (ms < 1000) return ms + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + " s";
  return Math.floor(ms / 60000) + " min " + Math.round((ms % 60000) / 1000) + " s";
};

const plural = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");

/** address of a case, an attempt before its last, a step: what deep links are made of. */
function address(x, attempt, step) {
  let a = "#" + x.key;
  if (attempt !== undefined && attempt < x.attempts.length - 1) a += "@" + (attempt + 1);
  return step ? a + "/" + step : a;
}

/** place reads an address: the case, the attempt, the step; null is the overview. */
function place(hash) {
  let text = hash.replace(/^#/, "");
  try { text = decodeURIComponent(text); } catch { /* an address that is no text is looked up as it is */ }
  if (!text) return null;
  const find = (key) => {
    const m = key.match(/^(.*)@(\d+)$/);
    const x = cases.find((k) => k.key === (m ? m[1] : key));
    if (!x) return null;
    const attempt = m ? Number(m[2]) - 1 : x.attempts.length - 1;
    return x.attempts[attempt] ? { x, attempt } : null;
  };
  const whole = find(text);
  if (whole) return { ...whole, step: "" };
  const m = text.match(/^(.*)\/(t?\d+)$/);
  const of = m && find(m[1]);
  return of ? { ...of, step: m[2] } : null;
}
