import { Calendar } from "@fullcalendar/core";
import dayGrid from "@fullcalendar/daygrid";
import interaction from "@fullcalendar/interaction";

const record = (window.record = {});
const out = document.getElementById("out");
new Calendar(document.getElementById("calendar"), {
  plugins: [dayGrid, interaction],
  initialView: "dayGridMonth",
  initialDate: "2026-03-10",
  now: "2026-03-10",
  contentHeight: 440,
  navLinks: true,
  eventInteractive: true,
  headerToolbar: { left: "prev,next today", center: "title", right: "dayGridMonth,dayGridWeek" },
  events: [
    { title: "Dentist", start: "2026-03-12" },
    { title: "Launch", start: "2026-03-20", end: "2026-03-22" },
    { title: "Holiday", start: "2026-04-03" },
  ],
  eventClick: ({ event }) => { record.event = event.title; out.textContent = "Opened " + event.title; },
  datesSet: ({ view }) => { record.shown = view.title; },
}).render();
