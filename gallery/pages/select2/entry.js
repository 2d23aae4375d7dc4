import $ from "jquery";
import select2 from "select2";
import "select2/dist/css/select2.css";

const record = (window.record = {});
if (typeof select2 === "function") select2(window, $); // as CommonJS the plugin wants to be given its jQuery

$("#size").select2({ placeholder: "Choose a size" }).on("change", (e) => (record.size = $(e.target).val()));
$("#extras").select2().on("change", (e) => (record.extras = $(e.target).val()));
