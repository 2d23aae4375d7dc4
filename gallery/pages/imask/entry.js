import IMask from "imask";

const record = (window.record = {});
const mask = (id, o) => { const m = IMask(document.getElementById(id), o); m.on("accept", () => (record[id] = m.value)); };
mask("phone", { mask: "+{1} (000) 000-0000" });
mask("amount", { mask: Number, scale: 2, thousandsSeparator: ",", radix: ".", mapToRadix: [], padFractionalZeros: true });
mask("birth", { mask: Date, pattern: "d.`m.`Y", lazy: false, overwrite: true, autofix: true,
  format: (d) => [String(d.getDate()).padStart(2, "0"), String(d.getMonth() + 1).padStart(2, "0"), d.getFullYear()].join("."),
  parse: (s) => { const [d, m, y] = s.split(".").map(Number); return new Date(y, m - 1, d); },
  min: new Date(1900, 0, 1), max: new Date(2030, 0, 1) });
