// What is shown follows the address; the keyboard, the theme and paper.

const main = document.getElementById("main");
let current = null; // the view of a case; null is the overview
let came = ""; // the case that the overview was left for
let scrolled = 0; // where the overview stood then

function theme() {
  const kept = (() => { try { return localStorage.getItem("deed-theme"); } catch { return null; } })();
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = kept;
  const button = h("button", { type: "button", class: "icon", "aria-label": "Dark theme", "aria-keyshortcuts": "t", title: "Dark theme (t)", onclick: () => {
    chosen = dark() ? "light" : "dark";
    try { localStorage.setItem("deed-theme", chosen); } catch { /* a file may have no storage; the theme then lasts as long as the page */ }
    apply();
  } }, svg("glyph", "M8 2.2a5.8 5.8 0 1 0 5.8 6.9A4.8 4.8 0 0 1 8 2.2z"));
  const dark = () => (chosen ? chosen === "dark" : system.matches);
  const apply = () => {
    document.documentElement.dataset.theme = dark() ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark()));
  };
  system.addEventListener("change", apply);
  apply();
  return button;
}

function keysHelp() {
  const rows = [["j k", "the next, the previous case or step"], ["Enter", "open what has the focus"], ["[ ]", "the previous, the next case"], ["/", "filter"],
    ["Esc", "empty the filter; back to all cases"], ["t", "dark or light"], ["?", "this list"]];
  dialog("Keys", "keys", [h("h2", {}, "Keys"), h("dl", {}, rows.map(([k, t]) => h("div", {}, h("dt", {}, k.split(" ").map((c) => h("kbd", {}, c))), h("dd", {}, t))))]);
}

function route() {
  for (const d of document.querySelectorAll("dialog")) d.close();
  const p = place(location.hash);
  if (p && current && current.same(p) && p.step) {
    current.go(current.index(p.step), false);
    return;
  }
  if (!current && p) { came = p.x.key; scrolled = scrollY; }
  if (p) {
    current = caseView(p);
    main.replaceChildren(...current.nodes.filter(Boolean));
    scrollTo(0, 0);
    current.focus();
    return;
  }
  current = null;
  main.replaceChildren(...overview().filter(Boolean));
  const link = came && [...main.querySelectorAll(".open")].find((a) => a.hash === "#" + came || a.getAttribute("href") === "#" + came);
  scrollTo(0, scrolled);
  if (link) link.focus({ preventScroll: scrolled > 0 });
}

/** step among the cases of the overview by keyboard. */
function moveRow(by) {
  const rows = [...main.querySelectorAll(".open")];
  const i = rows.indexOf(document.activeElement);
  const next = rows[Math.min(rows.length - 1, Math.max(0, i < 0 ? 0 : i + by))];
  if (next) { next.focus({ preventScroll: true }); next.closest("li").scrollIntoView({ block: "nearest" }); }
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
  const el = document.activeElement;
  const typing = el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement;
  const filter = document.getElementById("filter");
  if (e.key === "Escape") {
    if (filter && (shown.text || el === filter)) {
      shown.text = filter.value = "";
      filter.dispatchEvent(new Event("input"));
      if (el === filter) filter.blur();
    } else if (current) location.hash = "";
    e.preventDefault();
    return;
  }
  if (typing) {
    if (el === filter && (e.key === "ArrowDown" || e.key === "Enter")) { e.preventDefault(); moveRow(1); }
    return;
  }
  const arrows = el instanceof HTMLElement && el.matches(".open, .steplink");
  if (e.key === "j" || (arrows && e.key === "ArrowDown")) current ? current.move(1) : moveRow(1);
  else if (e.key === "k" || (arrows && e.key === "ArrowUp")) current ? current.move(-1) : moveRow(-1);
  else if (e.key === "]" && current) current.near(1);
  else if (e.key === "[" && current) current.near(-1);
  else if (e.key === "t") document.querySelector(".icon").click();
  else if (e.key === "?") keysHelp();
  else if (e.key === "/") {
    if (!filter) { location.hash = ""; route(); }
    const f = document.getElementById("filter");
    if (f) { f.focus(); f.select(); }
  } else return;
  e.preventDefault();
});

addEventListener("hashchange", route);
wide.addEventListener("change", () => current && current.relay());
addEventListener("beforeprint", () => current && current.all());
addEventListener("afterprint", () => current && current.relay());

document.getElementById("top").append(
  h("a", { href: "#", class: "brand" }, h("b", {}, "deed"), h("span", {}, "report")),
  h("span", { class: "gap" }),
  h("button", { type: "button", class: "plainbutton", "aria-keyshortcuts": "?", onclick: keysHelp }, "Keys"),
  theme());
const beside = Object.values(pictures).filter((p) => p.href).length;
put(document.getElementById("foot"), [
  "deed ", run.run ? h("span", { class: "mono" }, run.run) : null, run.trace ? [" · trace ", h("span", { class: "mono" }, foreign(run.trace))] : null,
  beside ? " · " + plural(beside, "picture") + " too many to be in this file, shown from the folder beside it" : null]);
route();
