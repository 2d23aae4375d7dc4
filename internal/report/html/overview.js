// The overview: what became of the run, and the cases, filtered and sorted.

const shown = { text: "", flags: new Set(), tags: new Set(), sort: "worst" };

const chips = [
  ["unproven", "not proven"], ["failed"], ["mismatch"], ["ambiguous"], ["refused"], ["cancelled"], ["skipped"], ["diverged"],
  ["flaky"], ["quarantined"], ["healed"], ["verified"],
];

/** headline says in one sentence what became of the run. */
function headline() {
  const n = cases.filter((x) => x.flags.has("unproven")).length;
  if (!cases.length) return run.problems && run.problems.length ? "Nothing was run" : "No cases";
  if (n === 0) return run.problems && run.problems.length ? plural(run.problems.length, "file") + " could not be read" : cases.length === 1 ? "The case is proven" : "All " + cases.length + " cases are proven";
  return n === cases.length ? (n === 1 ? "The case is not proven" : "None of " + n + " cases is proven") : n + " of " + cases.length + " cases " + (n === 1 ? "is" : "are") + " not proven";
}

/** strip is the run as one bar: how many cases ended how. */
function strip() {
  const count = new Map();
  for (const x of cases) {
    const o = x.c.quarantine && !proven(x.c.outcome) ? "quarantined" : x.c.flaky ? "flaky" : x.c.outcome === "already" ? "verified" : x.c.outcome;
    count.set(o, (count.get(o) || 0) + 1);
  }
  const order = ["failed", "mismatch", "ambiguous", "refused", "cancelled", "flaky", "quarantined", "skipped", "healed", "verified"].filter((o) => count.has(o));
  return h("div", { class: "strip", role: "img", "aria-label": "Cases: " + order.map((o) => count.get(o) + " " + o).join(", ") },
    order.map((o) => h("span", { class: "part " + o, style: { "flex-grow": count.get(o) }, title: count.get(o) + " " + o })));
}

function overview() {
  document.title = headline() + " · deed";
  const list = h("ol", { class: "cases", "aria-label": "Cases" });
  const status = h("p", { class: "status", role: "status" });
  const slowest = Math.max(1, ...cases.map((x) => x.c.duration_ms || 0));
  const draw = () => {
    const words = shown.text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = cases.filter((x) => (!shown.flags.size || [...shown.flags].some((f) => x.flags.has(f))) &&
      (!shown.tags.size || (x.c.tags || []).some((t) => shown.tags.has(t))) && x.matches(words));
    const by = {
      run: (a, b) => a.index - b.index,
      worst: (a, b) => worth(a) - worth(b) || a.index - b.index,
      slow: (a, b) => (b.c.duration_ms || 0) - (a.c.duration_ms || 0) || a.index - b.index,
      name: (a, b) => a.title.localeCompare(b.title) || a.index - b.index,
    }[shown.sort];
    list.replaceChildren(...found.sort(by).map((x) => caseRow(x, slowest)));
    status.textContent = found.length === cases.length ? plural(cases.length, "case") : found.length + " of " + plural(cases.length, "case");
    if (!found.length && cases.length) list.append(h("li", { class: "nothing" }, "No case is like that."));
  };
  const toggle = (set, key, label, n, cls) => h("button", {
    type: "button", class: "chip " + (cls || ""), "aria-pressed": String(set.has(key)),
    onclick: (e) => {
      if (!set.delete(key)) set.add(key);
      e.currentTarget.setAttribute("aria-pressed", String(set.has(key)));
      draw();
    },
  }, cls ? h("span", { class: "dot", "aria-hidden": "true" }) : null, foreign(label), " ", h("span", { class: "n" }, n));

  const tags = new Map();
  for (const x of cases) for (const t of x.c.tags || []) tags.set(t, (tags.get(t) || 0) + 1);
  const search = h("input", {
    type: "search", id: "filter", class: "search", placeholder: "Filter by name, tag, element, reason", "aria-label": "Filter cases", "aria-keyshortcuts": "/",
    autocomplete: "off", spellcheck: "false", oninput: (e) => { shown.text = e.target.value; draw(); },
  });
  search.value = shown.text;
  const sort = h("select", { "aria-label": "Sort by", class: "select", onchange: (e) => { shown.sort = e.target.value; draw(); } },
    [["worst", "Worst first"], ["slow", "Slowest first"], ["run", "As run"], ["name", "By name"]].map(([v, t]) => h("option", { value: v, selected: v === shown.sort }, t)));

  const present = chips.map(([key, label]) => [key, label || key, cases.filter((x) => x.flags.has(key)).length]).filter((c) => c[2]);
  const main = [
    h("section", { class: "hero", "aria-labelledby": "headline" },
      h("h1", { id: "headline" }, headline()),
      cases.length ? strip() : null,
      facts([
        ["Started", when(run.started)], ["Took", duration(run.duration_ms)], ["Browser", run.browser && foreign(run.browser)], ["Address", run.base_url && foreign(run.base_url)],
        ["Workers", run.workers], ["Shard", run.shard], ["Model calls", run.model_calls || ""], ["Run", run.run && h("span", { class: "mono" }, run.run)],
      ], "wide"),
      lanes()),
    run.problems && run.problems.length ? h("section", { class: "problems", "aria-labelledby": "problems" },
      h("h2", { id: "problems" }, "Could not be run"),
      h("ul", {}, run.problems.map((p) => h("li", {}, h("code", { class: "at" }, foreign(p.pos)), " ", foreign(p.message), p.hint ? h("p", { class: "hint" }, foreign(p.hint)) : null)))) : null,
    cases.length ? h("section", { class: "tools", "aria-label": "Filters" },
      h("div", { class: "bar" }, search, sort),
      h("div", { class: "groups" },
        present.length < 2 ? null : h("div", { class: "chips", role: "group", "aria-label": "Outcome" }, present.map(([k, l, n]) => toggle(shown.flags, k, l, n, k))),
        tags.size ? h("div", { class: "chips", role: "group", "aria-label": "Tags" }, [...tags].sort((a, b) => b[1] - a[1]).map(([t, n]) => toggle(shown.tags, t, t, n))) : null),
      status) : null,
    cases.length ? list : null,
  ];
  draw();
  return main;
}

/** lanes shows which worker ran which case when; null where the run does not tell. */
function lanes() {
  const bars = cases.flatMap((x) => x.attempts.map((a, i) => ({ x, a, i, from: Date.parse(a.started || "") })).filter((b) => !isNaN(b.from)));
  if (bars.length < 2) return null;
  const begin = Math.min(...bars.map((b) => b.from));
  const total = Math.max(...bars.map((b) => b.from + (b.a.duration_ms || 0))) - begin;
  if (total <= 0) return null;
  const of = new Map();
  for (const b of bars) {
    const lane = (b.x.c.run ? b.x.c.run + " " : "") + (b.a.worker || b.x.c.worker ? "worker " + (b.a.worker || b.x.c.worker) : "cases");
    if (!of.has(lane)) of.set(lane, []);
    of.get(lane).push(b);
  }
  return h("details", { class: "lanes" }, h("summary", {}, "When each case ran"), ruler(total),
    [...of].sort((a, b) => a[0].localeCompare(b[0], undefined, { numeric: true })).map(([lane, list]) => h("div", { class: "lane" }, h("span", { title: lane }, lane),
      h("div", {}, list.map((b) => h("a", {
        href: address(b.x, b.i), class: b.a.outcome + (b.i < b.x.attempts.length - 1 ? " past" : ""), title: revealed(b.x.title) + " · " + b.a.outcome + " · " + duration(b.a.duration_ms),
        style: { left: (100 * (b.from - begin)) / total + "%", width: (100 * (b.a.duration_ms || 0)) / total + "%" },
      }, said(revealed(b.x.title) + ", " + b.a.outcome)))))));
}

function when(t) {
  if (!t) return "";
  const d = new Date(t);
  return isNaN(d) ? t : h("time", { datetime: t }, d.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }));
}

/** caseRow is one line of the overview. The link is the title; the whole row leads where it leads. */
function caseRow(x, slowest) {
  const c = x.c;
  const steps = c.steps || [];
  const why = x.bad ? x.bad.s.do + " " + (x.bad.s.locator || "") : "";
  const reason = (x.bad && x.bad.s.reason) || c.reason;
  return h("li", { class: "row" + (c.quarantine ? " aside" : "") },
    sign(c.outcome),
    h("div", { class: "what" },
      h("div", { class: "name" }, h("a", { href: address(x), class: "open" }, foreign(x.title)), badges(x)),
      h("div", { class: "sub" }, h("span", { class: "mono" }, foreign(c.case)), tagsOf(c)),
      !proven(c.outcome) && reason ? h("p", { class: "why" }, why ? h("span", { class: "step" }, foreign(why)) : null, foreign(reason)) : null),
    h("div", { class: "ticks", title: plural(steps.length, "step"), "aria-hidden": "true" },
      steps.length <= 40 ? steps.map((s) => h("i", { class: s.outcome })) : h("span", { class: "n" }, plural(steps.length, "step"))),
    h("div", { class: "took" }, h("span", {}, duration(c.duration_ms)),
      h("span", { class: "meter", "aria-hidden": "true" }, h("i", { style: { width: Math.max(1, (100 * (c.duration_ms || 0)) / slowest) + "%" } }))));
}
