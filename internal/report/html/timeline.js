// One case: its steps along the time they took, and the one that is looked at.

const wide = matchMedia("(min-width: 1100px)");

/** chosen is the step that is shown where the address names none: the first that is not proven, else the first with something to see. */
function chosen(items, key) {
  const named = items.findIndex((x) => x.key === key);
  if (named >= 0) return named;
  const bad = items.findIndex((x) => !proven(x.s.outcome) && x.s.outcome !== "skipped");
  if (bad >= 0) return bad;
  const worth = items.findIndex((x) => x.s.healed || x.s.shots);
  return worth >= 0 ? worth : items.length && wide.matches ? 0 : -1;
}

/** ruler is the scale of the timeline: about five marks at round times. */
function ruler(total) {
  const raw = total / 4;
  const unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, raw))));
  const stepMS = [1, 2, 5, 10].map((k) => k * unit).find((k) => k >= raw) || unit;
  const marks = [];
  for (let t = 0; t < total; t += stepMS) marks.push(h("span", { style: { left: (100 * t) / total + "%" } }, t === 0 ? "0" : t < 1000 ? t + " ms" : +(t / 1000).toFixed(1) + " s"));
  return h("div", { class: "ruler", "aria-hidden": "true" }, marks);
}

function caseView({ x, attempt, step }) {
  const a = x.attempts[attempt];
  const items = stepsOf(a);
  document.title = x.title + " · " + a.outcome + " · deed";
  const total = Math.max(1, a.duration_ms || 0, ...items.map((i) => (i.s.at_ms || 0) + (i.s.duration_ms || 0)));
  const at = cases.indexOf(x);
  const near = (k, rel, label) => (cases[k] ? h("a", { href: address(cases[k]), class: "turn", rel, title: cases[k].title }, label) : h("span", { class: "turn off", "aria-hidden": "true" }, label));

  const rows = items.map((item, i) => h("li", { class: "step " + item.s.outcome + (item.teardown ? " teardown" : "") },
    item.teardown && !items[i - 1]?.teardown ? h("p", { class: "divider" }, "Teardown") : null,
    h("a", { href: address(x, attempt, item.key), class: "steplink" },
      h("span", { class: "num" }, item.s.n), sign(item.s.outcome),
      h("span", { class: "say" }, h("span", { class: "verb" }, item.s.do), " ", foreign(item.s.locator || "", "loc")),
      marks(item.s),
      h("span", { class: "ms" }, item.s.outcome === "skipped" ? "" : duration(item.s.duration_ms))),
    h("div", { class: "track", "aria-hidden": "true" }, item.s.outcome === "skipped" ? null :
      h("i", { class: item.s.outcome, style: { left: (100 * (item.s.at_ms || 0)) / total + "%", width: Math.max(0.4, (100 * (item.s.duration_ms || 0)) / total) + "%" } }))));
  const aside = h("div", { class: "aside-pane" });
  const list = h("ol", { class: "steps", "aria-label": "Steps" }, rows);

  /** show puts a step's detail where there is room for it: beside the steps, or under its row. */
  const show = (i) => {
    for (const d of document.querySelectorAll(".detail")) d.remove();
    rows.forEach((r, k) => {
      r.classList.toggle("on", k === i);
      const link = r.querySelector(".steplink");
      if (k === i) link.setAttribute("aria-current", "step"); else link.removeAttribute("aria-current");
    });
    if (i < 0) return;
    (wide.matches ? aside : rows[i]).append(detail(x, attempt, items[i]));
    aside.scrollTop = 0;
  };
  let now = chosen(items, step);
  const view = {
    /** go shows another step without leaving the case; the address follows, and nothing is added to the history. */
    go(i, focus) {
      if (i < 0 || i >= items.length) return;
      now = i;
      history.replaceState(null, "", address(x, attempt, items[i].key));
      show(i);
      const link = rows[i].querySelector(".steplink");
      if (focus) link.focus({ preventScroll: true });
      link.scrollIntoView({ block: "nearest" });
    },
    move: (by) => view.go(now < 0 ? 0 : Math.min(items.length - 1, Math.max(0, now + by)), true),
    index: (key) => items.findIndex((k) => k.key === key),
    same: (p) => p && p.x === x && p.attempt === attempt,
    relay: () => show(now),
    near: (by) => { if (cases[at + by]) location.hash = address(cases[at + by]); },
    /** all lays every step open, for paper. */
    all() {
      show(-1);
      rows.forEach((r, i) => r.append(detail(x, attempt, items[i])));
    },
    focus() { if (step && now >= 0) { rows[now].querySelector(".steplink").focus({ preventScroll: true }); rows[now].scrollIntoView({ block: "nearest" }); } },
  };
  const c = x.c;
  view.nodes = [
    h("nav", { class: "crumbs", "aria-label": "Cases" }, h("a", { href: "#" }, h("span", { "aria-hidden": "true" }, "← "), "All cases"), h("span", { class: "gap" }), near(at - 1, "prev", "Previous case"), near(at + 1, "next", "Next case")),
    h("section", { class: "hero case", "aria-labelledby": "headline" },
      h("h1", { id: "headline" }, foreign(x.title)),
      h("div", { class: "meta" }, pill(a.outcome), badges(x), tagsOf(c)),
      facts([["Case", h("span", { class: "mono" }, foreign(c.case))], ["File", c.file && h("span", { class: "mono" }, foreign(c.file))], ["Took", duration(a.duration_ms)],
        ["Started", when(a.started)], ["Worker", a.worker || ""], ["Lock", a.lock || ""], ["Run", c.run && h("span", { class: "mono" }, c.run)], ["Code", a.code && a.code !== a.outcome && h("code", {}, a.code)]], "wide"),
      a.reason ? h("p", { class: "hint" }, foreign(a.reason)) : null,
      has(a.notes) ? h("ul", { class: "notes" }, a.notes.map((n) => h("li", { class: "hint" }, foreign(n)))) : null,
      x.attempts.length > 1 ? h("nav", { class: "chips attempts", "aria-label": "Attempts" }, x.attempts.map((t, i) =>
        h("a", { class: "chip", href: address(x, i), "aria-current": i === attempt ? "page" : null }, sign(t.outcome, true), "Attempt " + (i + 1) + " ", h("span", { class: "n" }, t.outcome)))) : null,
      has(a.lock_change) ? h("details", { class: "raw", open: true }, h("summary", {}, "The lock changed"), lines(a.lock_change)) : null,
      a.saved ? h("details", { class: "raw" }, h("summary", {}, "Saved values"), facts(Object.entries(a.saved).map(([k, v]) => [k, h("code", {}, foreign(JSON.stringify(v)))]))) : null),
    items.length ? h("div", { class: "panes" }, h("div", { class: "steps-pane" }, ruler(total), list), aside) : h("p", { class: "note" }, "No step was begun."),
  ];
  show(now);
  return view;
}

/** marks are what a row says of its step beside the outcome; the two that weigh most. */
function marks(s) {
  const out = [];
  if (s.healed) out.push(badge("healed", "heal"));
  if (has(s.diverged)) out.push(badge("diverged", "bad"));
  if (s.undone) out.push(badge("undone", "quiet"));
  if (has(s.blocked)) out.push(badge("blocked", "warn"));
  if (s.prevented) out.push(badge("prevented", "quiet"));
  return out.length ? h("span", { class: "marks" }, out.slice(0, 2)) : null;
}
