'use strict';
// Faults that need nothing of the page but its events: they come from capture-phase listeners in every frame of its
// origin, each of them once.
(what => {
let waiting = 0; // read from outside: a page may have replaced Promise
const later = (f, ms) => {
  waiting++;
  setTimeout(() => { try { f(); } finally { waiting--; } }, ms);
};
const windows = w => [w, ...Array.from(w.frames).flatMap(f => { try { void f.document; return windows(f); } catch { return []; } })];
let spent = false;
const on = (types, f) => {
  for (const w of windows(window)) for (const t of types) w.addEventListener(t, e => { if (e.isTrusted && !spent) f(e, w); }, true);
};
const target = e => {
  const at = e.composedPath().find(n => n.nodeType === 1);
  return at.closest('button,a,input,select,summary,[role],[onclick]') || at;
};
const neighbour = at => {
  const all = [...at.getRootNode().querySelectorAll(at.tagName)].filter(n => n.getClientRects().length);
  return all[(all.indexOf(at) + 1) % all.length];
};
const stop = e => { e.stopImmediatePropagation(); e.preventDefault(); };
const press = ['pointerdown', 'mousedown', 'pointerup', 'mouseup'];
const row = at => {
  for (let n = at; n && n.parentElement && n.parentElement !== n.ownerDocument.body; n = n.parentElement) {
    const sib = [...n.parentElement.children].filter(s => s.tagName === n.tagName);
    if (sib.length > 1) return [n, sib];
  }
  return null;
};
const setValue = (f, v) => {
  const proto = f.tagName === 'TEXTAREA' ? f.ownerDocument.defaultView.HTMLTextAreaElement : f.ownerDocument.defaultView.HTMLInputElement;
  if (f instanceof proto) Object.getOwnPropertyDescriptor(proto.prototype, 'value').set.call(f, v);
};
const faults = {
  neighbour() { on(['click'], e => { const n = neighbour(target(e)); if (n !== target(e)) { spent = true; stop(e); n.click(); } }); },
  dropped() { on([...press, 'click', 'input', 'change', 'keydown', 'keyup'], e => { e.type === 'click' ? stop(e) : e.stopImmediatePropagation(); }); },
  doubled() { on(['click'], e => { spent = true; const at = target(e); later(() => at.isConnected && at.click(), 0); }); },
  late() { on(['click'], e => { spent = true; const at = target(e); stop(e); later(() => at.click(), what.ms); }); },
  wrong() { on(['input'], e => { spent = true; const f = target(e); if (f.value) setValue(f, f.value.slice(0, -1)); }); },
  overlay() {
    on(['pointerdown'], (e, w) => {
      spent = true;
      const d = w.document.createElement('div');
      d.style.cssText = 'position:fixed;inset:0;z-index:2147483647;background:#0003';
      d.textContent = 'One moment';
      w.document.body.append(d);
      later(() => d.remove(), what.ms);
    });
  },
  rerender() {
    on([what.at], e => {
      const found = row(target(e));
      if (!found) return;
      spent = true;
      const [, sib] = found, parent = sib[0].parentElement;
      if (what.how === 'move') parent.append(sib[0]);
      else if (what.how === 'replace') for (const s of sib) s.replaceWith(s.cloneNode(true));
      else { // recycle: the rows stay, what they hold goes round
        const held = sib.map(s => [...s.childNodes]);
        sib.forEach((s, i) => s.append(...held[(i + 1) % sib.length]));
      }
    });
  },
  focus() {
    on([what.at], e => {
      const f = target(e);
      if (!f.matches('input,textarea,[contenteditable]')) return;
      const all = [...f.getRootNode().querySelectorAll('input,textarea,button')].filter(n => n !== f && n.getClientRects().length);
      if (!all.length) return;
      spent = true;
      all[0].focus();
    });
  },
};
faults[what.kind]();
window.__fault = () => waiting;
})
