// One step in full: what was said of it, what the page looked like, what changed, what was kept from happening.

const section = (title, n, ...body) => h("section", { class: "part-of" }, h("h3", {}, title, n ? h("span", { class: "n" }, " " + n) : null), body);
const has = (list) => list && list.length > 0;

/** verdictOf is the line under the name of a step: what was concluded and from what. */
function verdictOf(s) {
  if (s.outcome === "skipped") return [];
  const words = [];
  if (s.verdict) words.push(h("b", {}, s.verdict));
  if (s.basis) words.push(h("span", {}, "by ", h("b", {}, s.basis)));
  if (s.mismatch) words.push(h("code", {}, s.mismatch));
  if (s.code && s.code !== s.mismatch && s.code !== s.verdict) words.push(h("code", {}, s.code));
  return words;
}

function detail(x, attempt, item) {
  const s = item.s;
  const id = "step-title";
  const proofs = verdictOf(s);
  return h("section", { class: "detail", "aria-labelledby": id },
    h("div", { class: "headline" },
      h("h2", { id, tabindex: "-1" }, h("span", { class: "num" }, (item.teardown ? "teardown " : "") + (s.n || "")), " ", h("span", { class: "verb" }, s.do), " ", foreign(s.locator || "", "loc")),
      pill(s.outcome)),
    h("p", { class: "reason" }, foreign(s.reason || "")),
    proofs.length ? h("p", { class: "proof" }, proofs.flatMap((w) => [w, " "])) : null,
    s.hint ? h("p", { class: "hint" }, foreign(s.hint)) : null,
    has(s.diverged) ? section("Diverged from the lock", s.diverged.length, divergences(s.diverged)) : null,
    s.healed ? section("Healed", 0, h("div", { class: "healed" },
      h("p", { class: "old" }, h("span", { class: "mark" }, "−"), said("old: "), foreign(s.healed.old, "text")),
      h("p", { class: "new" }, h("span", { class: "mark" }, "+"), said("new: "), foreign(s.healed.new, "text")),
      h("p", { class: "dim" }, "agreed: ", foreign(s.healed.why)))) : null,
    s.shots ? pair(s) : null,
    has(s.changes) ? section("Changes", s.changes.length, lines(s.changes)) : s.outcome !== "skipped" && s.outcome !== "already" ? section("Changes", 0, h("p", { class: "dim" }, "none")) : null,
    s.undone ? section("Undone", 0, has(s.residue) ? [h("p", { class: "dim" }, "What is left of it:"), lines(s.residue)] : h("p", {}, "Nothing is left of it.")) : has(s.residue) ? section("Left", s.residue.length, lines(s.residue)) : null,
    has(s.guarded) ? section("Prevented before the page saw it", s.guarded.length, plain(s.guarded)) : null,
    has(s.blocked) ? section("Kept from leaving the browser", s.blocked.length, plain(s.blocked)) : null,
    has(s.dialogs) ? section("Dialogs", s.dialogs.length, plain(s.dialogs)) : null,
    has(s.console) ? section("Console", s.console.length, plain(s.console, "console")) : null,
    has(s.requests) ? section("Requests", s.requests.length, requests(s.requests)) : null,
    phases(s),
    facts([
      ["Decision", s.decision && [h("b", {}, s.decision), s.rule ? [" by ", h("code", {}, foreign(s.rule))] : null]],
      ["Attempts", s.attempts > 1 ? s.attempts : ""], ["Prevented", s.prevented || ""], ["Undone", s.undone || ""],
      ["Began at", s.at_ms ? duration(s.at_ms) : ""], ["Written at", where(s) && h("code", {}, foreign(where(s)))],
      ["Files", has(s.files) && plain(s.files)],
    ]),
    h("details", { class: "raw" }, h("summary", {}, "As JSON"), h("pre", { tabindex: "0", "aria-label": "The step as JSON" }, JSON.stringify(s, null, 2))));
}

const plain = (list, cls) => h("ul", { class: "plain " + (cls || "") }, list.map((t) => h("li", {}, foreign(t))));

function divergences(list) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Divergences" }, h("table", { class: "table divergences" },
    h("thead", {}, h("tr", {}, ["What", "Object", "Expected", "Actual"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, list.map((d) => h("tr", {}, h("td", {}, h("code", {}, foreign(d.code))), h("td", {}, foreign(d.object)),
      h("td", { class: "want" }, d.expected ? foreign(d.expected) : null), h("td", { class: "got" }, d.actual ? foreign(d.actual) : null))))));
}

function requests(list) {
  const cls = (r) => (r.failed || r.status >= 500 ? "bad" : r.status >= 400 ? "warn" : "");
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Requests" }, h("table", { class: "table requests" },
    h("thead", {}, h("tr", {}, ["Status", "Method", "Address"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, list.map((r) => h("tr", { class: cls(r) }, h("td", {}, r.failed ? "failed" : r.status || (r.done ? "done" : "open")), h("td", {}, r.method),
      h("td", {}, foreign(r.url, "url"), r.failed ? h("span", { class: "dim" }, " ", foreign(r.failed)) : null, r.navigation ? [" ", badge("navigation", "quiet")] : null))))));
}

const phaseOrder = ["observe", "resolve", "decide", "act", "settle", "judge", "undo"];

/** phases is where the time of a step went, as one bar. */
function phases(s) {
  const all = Object.entries(s.phases_ms || {}).filter(([, ms]) => ms > 0)
    .sort((a, b) => (phaseOrder.indexOf(a[0]) + 99) % 99 - (phaseOrder.indexOf(b[0]) + 99) % 99);
  const sum = all.reduce((n, p) => n + p[1], 0);
  if (!sum) return null;
  const cls = (name) => "p" + phaseOrder.indexOf(name);
  return section("Time", duration(s.duration_ms),
    h("div", { class: "phases", role: "img", "aria-label": "Phases: " + all.map(([k, ms]) => k + " " + duration(ms)).join(", ") },
      all.map(([k, ms]) => h("span", { class: cls(k), style: { "flex-grow": ms }, title: k + " " + duration(ms) }))),
    h("ul", { class: "legend" }, all.map(([k, ms]) => h("li", {}, h("i", { class: cls(k), "aria-hidden": "true" }), foreign(k), " ", h("span", { class: "n" }, duration(ms))))));
}

/** source is what an img shows: a picture that is in this file, or beside it. */
function source(name) {
  const p = pictures[name];
  if (!p) return "";
  return p.id ? "data:" + p.type + ";base64," + document.getElementById(p.id).textContent : p.href;
}

/** pair is the pictures before and after, the element that was acted on outlined in the first. */
function pair(s) {
  const one = (name, when, box) => {
    if (!name) return null;
    const src = source(name);
    if (!src) return h("figure", {}, h("figcaption", {}, when), h("p", { class: "gone" }, "The picture ", h("code", {}, foreign(name)), " is not here."));
    const alt = "The page " + when.toLowerCase() + " the step" + (box ? ", " + (s.locator || "the element") + " outlined" : "");
    return h("figure", {}, h("figcaption", {}, when),
      h("button", { type: "button", class: "shot", "aria-label": "Enlarge: " + when.toLowerCase(), onclick: () => enlarge(s, when) }, framed(src, alt, box, s.shots.scale)));
  };
  return h("section", { class: "shots", "aria-label": "Pictures" }, one(s.shots.before, "Before", s.shots.box), one(s.shots.after, "After"));
}

/** framed is a picture with a box drawn over it, in the picture's own measure. */
function framed(src, alt, box, scale) {
  const frame = h("span", { class: "frame" });
  const img = h("img", { src, alt, decoding: "sync" });
  frame.append(img);
  if (box) {
    img.addEventListener("load", () => {
      const k = (scale || 1) * 100;
      const at = (v, of) => (v * k) / of + "%";
      frame.append(h("span", { class: "box", style: { left: at(box.x, img.naturalWidth), top: at(box.y, img.naturalHeight),
        width: at(box.width, img.naturalWidth), height: at(box.height, img.naturalHeight) } }));
    });
  }
  return frame;
}

/** enlarge shows a picture as large as the window, and its other one with the arrow keys. */
function enlarge(s, when) {
  const both = [["Before", s.shots.before, s.shots.box], ["After", s.shots.after, null]].filter((b) => b[1] && source(b[1]));
  let i = Math.max(0, both.findIndex((b) => b[0] === when));
  const stage = h("div", { class: "stage" });
  const tabs = both.map((b, k) => h("button", { type: "button", class: "chip", onclick: () => show(k) }, b[0]));
  const show = (k) => {
    i = (k + both.length) % both.length;
    tabs.forEach((t, j) => t.setAttribute("aria-pressed", String(i === j)));
    stage.replaceChildren(framed(source(both[i][1]), "The page " + both[i][0].toLowerCase() + " the step", both[i][2], s.shots.scale));
  };
  dialog("Picture", "light", [h("div", { class: "chips" }, tabs), stage], (e) => {
    if (e.key === "ArrowRight" || e.key === "ArrowLeft") show(i + 1);
  });
  show(i);
}

/** dialog opens a modal; it is gone when it is closed. */
function dialog(label, cls, body, onkey) {
  const d = h("dialog", { class: cls, "aria-label": label, onclose: () => d.remove(), onkeydown: onkey || null,
    onclick: (e) => { if (e.target === d) d.close(); } },
  h("div", { class: "sheet" }, h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => d.close() }, "×"), body));
  document.body.append(d);
  d.showModal();
}
