// Small things that every view uses: the sign of an outcome, pills, bars.

const signs = {
  verified: ["M4.6 8.4l2.2 2.2 4.6-5"],
  already: ["M4.6 8.4l2.2 2.2 4.6-5"],
  healed: ["M8 4.6v6.8M4.6 8h6.8"],
  mismatch: ["M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2"],
  failed: ["M8 4.2v4.4M8 11.2v.3"],
  ambiguous: ["M6.2 6.3a1.9 1.9 0 1 1 2.7 1.8c-.6.3-.9.6-.9 1.2M8 11.5v.2"],
  refused: ["M4.4 8h7.2"],
  cancelled: ["M6 6h4v4H6z"],
  skipped: ["M5 8h6"],
};

/** sign is the mark of an outcome: a shape and a colour, never a colour alone, and the word for those who listen. */
function sign(outcome, quiet) {
  return h("span", { class: "sign " + outcome }, svg("glyph", ...(signs[outcome] || signs.failed)), quiet ? null : said(outcome + " "));
}

/** pill is the outcome in words. */
const pill = (outcome) => h("span", { class: "pill " + outcome }, sign(outcome, true), outcome);

const badge = (text, cls, title) => h("span", { class: "badge " + (cls || ""), title }, text);

/** badges are what is told apart beside the outcome. */
function badges(x) {
  const c = x.c;
  const out = [];
  if (c.flaky) out.push(badge("flaky", "warn", "passed, after an attempt that did not"));
  if (c.quarantine) out.push(badge("quarantined", "quiet", "what becomes of it is not the run's outcome"));
  if (x.flags.has("healed") && c.outcome !== "healed") out.push(badge("healed", "heal", "an address was found again by its fingerprints"));
  if (x.flags.has("diverged")) out.push(badge("diverged", "bad", "it did not do what its lock says that it does"));
  if (c.retries && c.retries.length) out.push(badge(plural(c.retries.length, "retry").replace("retrys", "retries"), "quiet"));
  return out;
}

const tagsOf = (c) => (c.tags || []).map((t) => h("span", { class: "tag" }, foreign(t)));

const where = (s) => (s.pos && s.pos.file ? s.pos.file + (s.pos.line ? ":" + s.pos.line + ":" + s.pos.column : "") : "");

/** facts is a list of names and values; what has no value is left out. */
function facts(rows, cls) {
  const shown = rows.filter((r) => r && r[1] !== "" && r[1] !== null && r[1] !== undefined && r[1] !== false);
  return shown.length ? h("dl", { class: "facts " + (cls || "") }, shown.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))) : null;
}

/** lines are changes, coloured by their first character: + − ~. */
function lines(list, cls) {
  return h("ul", { class: "lines " + (cls || "") }, list.map((l) => {
    const kind = { "+": "gain", "-": "loss", "−": "loss", "~": "turn" }[l[0]];
    const text = kind ? l.slice(1).trimStart() : l;
    const mark = { gain: "+", loss: "−", turn: "~" }[kind] || "·";
    return h("li", { class: kind || "" }, h("span", { class: "mark", "aria-hidden": kind ? null : "true" }, mark), " ", foreign(text, "text"));
  }));
}
