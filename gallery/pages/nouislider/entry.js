import noUiSlider from "nouislider";
import "nouislider/dist/nouislider.css";

const record = (window.record = {});
const price = noUiSlider.create(document.getElementById("price"), {
  start: [20, 80], connect: true, step: 5, range: { min: 0, max: 100 },
  handleAttributes: [{ "aria-label": "Lowest price" }, { "aria-label": "Highest price" }],
});
price.on("update", (v) => { document.getElementById("from").textContent = Number(v[0]); document.getElementById("to").textContent = Number(v[1]); record.price = v.map(Number); });
const volume = noUiSlider.create(document.getElementById("volume"), { start: 50, step: 1, range: { min: 0, max: 100 }, handleAttributes: [{ "aria-label": "Volume" }] });
volume.on("update", (v) => (record.volume = Number(v[0])));
