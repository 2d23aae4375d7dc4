import flatpickr from "flatpickr";
import "flatpickr/dist/flatpickr.css";

const record = (window.record = {});

flatpickr("#arrival", { onReady: (_, __, f) => f.jumpToDate(new Date(2026, 2, 1)), onChange: (_, s) => (record.arrival = s) });
flatpickr("#meeting", { enableTime: true, time_24hr: true, defaultDate: "2026-05-04 09:00", onValueUpdate: (_, s) => (record.meeting = s) });
