'use strict';
// A small honest page, drawn from a model. Everything it does goes through `act`, where the harness can reach in; what
// really happened is the model and what the controls hold, whatever the page says of it.
(() => {
const spec = JSON.parse(document.getElementById('spec').textContent);
let M = structuredClone(spec.model);
const main = document.querySelector('main');
const by = id => document.getElementById(id);
const fault = {}; // what the harness broke
let waiting = 0, atRest = [];
const done = () => { if (!--waiting) for (const f of atRest.splice(0)) f(); };
const later = (f, ms) => { waiting++; setTimeout(() => { try { f(); } finally { done(); } }, ms); };

const el = (tag, attrs = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) if (v !== false && v != null) e.setAttribute(k, v === true ? '' : v);
  e.append(...children);
  return e;
};
// A button says what it does in its attributes: one listener serves all.
const button = (label, verb, id, attrs = {}) => el('button', {type: 'button', 'data-verb': verb, 'data-id': id, ...attrs}, label);
const section = (title, ...children) => {
  const id = 'h-' + title.toLowerCase().replace(/\W+/g, '-');
  return el('section', {'aria-labelledby': id}, el('h2', {id}, title), ...children);
};

// reduce is the one place where the model changes.
function reduce(m, [verb, id, arg]) {
  switch (verb) {
  case 'add': m.cart.push(arg ? id + ' ' + arg : id); break;
  case 'del': delete m.rows[id]; break;
  case 'archive': if (id in m.rows) m.rows[id] = arg || 'Archived'; break;
  case 'turn': m.on[id] = arg; break;
  case 'pick': m.radio = id; break;
  case 'set': m.fields[id] = arg; break;
  case 'choose': m.choice = id; break;
  case 'show': m.tab = id; m.panel = arg || id; break;
  case 'open': m.dialog = id; m.about = arg || id; break;
  case 'expand': m.expanded[id] = !m.expanded[id]; break;
  case 'inc': m.qty[id] += arg || 1; break;
  case 'follow': m.follow[id] = true; break;
  case 'save': m.saved.push(id + ': ' + arg); break;
  }
  return m;
}

const said = ([verb, id, arg]) => ({
  add: `${M.cart?.length} in the cart`, del: `${id} was deleted`, archive: `${id} was archived`, turn: `${id} is ${arg ? 'on' : 'off'}`,
  pick: `Chosen: ${id}`, set: `${id}: ${arg}`, choose: `Chosen: ${id}`, show: '', open: '', expand: '', inc: 'The order was updated',
  follow: `You follow ${id}`, save: `${id === 'Publish' ? 'Published' : 'Saved'}: ${arg}`,
})[verb];
const say = op => { if (spec.tell && said(op)) by('say').textContent = said(op); };

// draw makes the page anew from the model, except fields that hold what they should.
const draw = {
  shop() {
    by('catalog').replaceChildren(...spec.names.map(n => spec.cards
      ? el('li', {'data-row': ''}, el('article', {}, el('h3', {}, n), el('p', {}, '12.00'), button(spec.same ? 'Add to cart' : 'Add ' + n, 'add', n)))
      : el('li', {'data-row': ''}, el('span', {}, n), ' ', button(spec.same ? 'Add to cart' : 'Add ' + n, 'add', n))));
    this.shopCart();
  },
  shopCart() { by('cart').replaceChildren(...M.cart.map(n => el('li', {}, n))); },
  table() {
    by('rows').replaceChildren(...spec.names.filter(n => n in M.rows).map(n => el('tr', {'data-row': ''}, el('td', {}, n), el('td', {}, M.rows[n]),
      el('td', {}, button('Archive', 'archive', n), ' ', button('Delete', 'del', n)))));
  },
  toggles() {
    for (const b of document.querySelectorAll('[data-verb=turn]')) {
      if (b.type === 'checkbox') b.checked = M.on[b.dataset.id];
      else b.setAttribute('aria-' + spec.state, M.on[b.dataset.id]);
    }
  },
  radios() { for (const r of document.querySelectorAll('input[type=radio]')) r.checked = r.dataset.id === M.radio; },
  fields() { for (const f of document.querySelectorAll('[data-field]')) if (f.value !== M.fields[f.dataset.field]) f.value = M.fields[f.dataset.field]; },
  select() { document.querySelector('select').value = M.choice; },
  tabs() {
    for (const t of document.querySelectorAll('[role=tab]')) t.setAttribute('aria-selected', t.dataset.id === M.tab);
    by('panel').setAttribute('aria-label', M.tab);
    by('panel').textContent = 'All about ' + M.panel;
  },
  dialogs() {
    by('layer').replaceChildren(...M.dialog ? [el('div', {role: 'dialog', 'aria-label': 'Edit ' + M.dialog},
      el('label', {}, 'Name ', el('input', {value: M.about})), button('Cancel', 'none', ''))] : []);
  },
  expanders() {
    for (const b of document.querySelectorAll('[data-verb=expand]')) {
      b.setAttribute('aria-expanded', !!M.expanded[b.dataset.id]);
      b.nextElementSibling.hidden = !M.expanded[b.dataset.id];
    }
  },
  counters() { for (const i of document.querySelectorAll('[data-qty]')) i.value = M.qty[i.dataset.qty]; },
  follow() { for (const b of document.querySelectorAll('[data-verb=follow]')) b.textContent = (M.follow[b.dataset.id] ? 'Following ' : 'Follow ') + b.dataset.id; },
  form() { by('list').replaceChildren(...M.saved.map(s => el('li', {}, s))); },
};

// build lays the page out once.
const build = {
  shop: () => [section('Catalog', el('ul', {id: 'catalog', 'aria-label': 'catalog'})), section('Cart', el('ul', {id: 'cart', 'aria-label': 'cart'}))],
  table: () => [section('People', el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, 'Name'), el('th', {}, 'State'), el('th', {}, 'Do'))), el('tbody', {id: 'rows'})))],
  toggles: () => [section('Settings', el('ul', {}, ...spec.names.map(n => el('li', {'data-row': ''}, spec.state === 'native'
    ? el('label', {}, el('input', {type: 'checkbox', 'data-verb': 'turn', 'data-id': n}), ' ', n)
    : button(n, 'turn', n, spec.state === 'checked' ? {role: 'switch'} : {})))))],
  radios: () => [section('Delivery', el('fieldset', {}, el('legend', {}, 'How'), ...spec.names.map(n => el('p', {'data-row': ''}, el('label', {}, el('input', {type: 'radio', name: 'how', 'data-id': n}), ' ', n)))))],
  fields: () => [section('Address', el('form', {'aria-label': 'Address'}, ...spec.names.map(n => el('p', {}, el('label', {}, n + ' ', el('input', {'data-field': n, autocomplete: 'off'}))))))],
  select: () => [section('Size', el('label', {}, 'Size ', el('select', {}, ...spec.names.map(n => el('option', {value: n}, n)))))],
  tabs: () => [el('div', {role: 'tablist', 'aria-label': 'Parts'}, ...spec.names.map(n => button(n, 'show', n, {role: 'tab'}))), el('div', {role: 'tabpanel', id: 'panel'})],
  dialogs: () => [section('People', el('ul', {}, ...spec.names.map(n => el('li', {'data-row': ''}, el('span', {}, n), ' ', button(spec.same ? 'Edit' : 'Edit ' + n, 'open', n))))), el('div', {id: 'layer'})],
  expanders: () => [section('Questions', ...spec.names.map(n => el('div', {}, button(n, 'expand', n), el('p', {}, 'The answer about ' + n))))],
  counters: () => [section('Order', el('ul', {}, ...spec.names.map(n => el('li', {'data-row': ''}, el('span', {}, n), ' ', el('input', {type: 'number', readonly: true, 'aria-label': 'Quantity of ' + n, 'data-qty': n}), button('+', 'inc', n)))))],
  follow: () => [section('People', el('ul', {}, ...spec.names.map(n => el('li', {'data-row': ''}, button('Follow ' + n, 'follow', n)))))],
  form: () => [section('Note', el('form', {'aria-label': 'Note'}, el('label', {}, 'Text ', el('input', {id: 'note', value: spec.text})),
    button('Publish', 'save', 'Publish'), button('Save', 'save', 'Save'))), ...spec.listed ? [section('Notes', el('ul', {id: 'list', 'aria-label': 'notes'}))] : [el('ul', {id: 'list', hidden: true})]],
};

function show() { if (spec.style === 'shop') draw.shopCart(); else draw[spec.style](); }
function apply(op) { M = reduce(M, op); show(); }

// act does what a control asks for: in this task, a moment later, or when the server has agreed.
function act(op) {
  const ops = fault.route ? fault.route(op) : [op];
  const go = () => { for (const o of ops) commit(o, fault.lie ? op : o); };
  if (fault.delay) later(go, fault.delay); else go();
}

function commit(op, told) {
  const before = structuredClone(M);
  const takeBack = () => { M = before; show(); if (by('say').textContent) by('say').textContent = ''; };
  const stand = () => {
    apply(op);
    say(told);
    if (fault.back) later(takeBack, fault.back);
  };
  if (spec.via === 'now') return stand();
  if (spec.via === 'timer') return later(stand, 40);
  if (spec.via === 'optimistic') { apply(op); say(told); }
  waiting++;
  fetch('api', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(op)}).then(r => {
    if (r.ok) {
      if (spec.via === 'fetch') { apply(op); say(told); }
      if (fault.back) later(takeBack, fault.back);
      return;
    }
    if (spec.via === 'optimistic' && !fault.keep) takeBack();
    if (fault.message) by('err').textContent = fault.message;
  }).finally(done);
}

main.append(el('h1', {}, spec.title), ...build[spec.style](), el('p', {role: 'status', id: 'say'}), el('p', {role: 'alert', id: 'err'}));
draw[spec.style]();
main.addEventListener('click', e => {
  const b = e.target.closest('button[data-verb]');
  if (!b || b.dataset.verb === 'none') return;
  const {verb, id} = b.dataset;
  act(verb === 'turn' ? [verb, id, !M.on[id]] : verb === 'save' ? [verb, id, by('note').value] : [verb, id]);
});
main.addEventListener('change', e => {
  const t = e.target;
  if (t.type === 'checkbox') { const v = t.checked; if (spec.controlled) t.checked = M.on[t.dataset.id]; act(['turn', t.dataset.id, v]); }
  if (t.type === 'radio') { act(['pick', t.dataset.id]); if (spec.controlled) draw.radios(); }
  if (t.tagName === 'SELECT') { const v = t.value; if (spec.controlled) t.value = M.choice; act(['choose', v]); }
});
main.addEventListener('input', e => {
  const f = e.target.dataset.field, v = e.target.value;
  if (f && v !== M.fields[f]) { act(['set', f, v]); if (spec.controlled && !fault.delay) draw.fields(); }
});

// What the harness may touch.
const controls = m => spec.style === 'toggles' ? m.on : spec.style === 'radios' ? m.radio : spec.style === 'fields' ? m.fields : spec.style === 'select' ? m.choice : null;
const shown = () => {
  const all = (q, key, val) => Object.fromEntries([...document.querySelectorAll(q)].map(e => [e.dataset[key], val(e)]));
  switch (spec.style) {
  case 'toggles': return all('[data-verb=turn]', 'id', e => e.type === 'checkbox' ? e.checked : e.getAttribute('aria-' + spec.state) === 'true');
  case 'radios': return document.querySelector('input:checked')?.dataset.id ?? '';
  case 'fields': return all('[data-field]', 'field', e => e.value);
  case 'select': return document.querySelector('select').value;
  }
  return null;
};
const canonical = v => Array.isArray(v) ? v.map(canonical) : v && typeof v === 'object' ? Object.fromEntries(Object.keys(v).sort().map(k => [k, canonical(v[k])])) : v;
// Where the act is about a control, what it holds is what was asked for; else it is the model.
const text = (m, c) => JSON.stringify(canonical(c ?? m));
const other = (id, by) => spec.ids[(spec.ids.indexOf(id) + by) % spec.ids.length];
const shift = ([verb, id, arg], n) => verb === 'turn' ? [verb, other(id, n), !M.on[other(id, n)]] : [verb, other(id, n), arg];
const wrong = ([verb, id, arg]) => {
  switch (verb) {
  case 'set': return [verb, id, arg.slice(0, -1) + (arg.endsWith('1') ? '2' : '1')];
  case 'save': return [verb, id, arg.slice(0, -1)];
  case 'add': return [verb, id, '×2'];
  case 'archive': return [verb, id, 'Blocked'];
  case 'inc': return [verb, id, 10];
  case 'show': case 'open': return [verb, id, other(id, 1)];
  case 'turn': return [verb, id, !arg];
  }
  return [verb, other(id, 1), arg];
};
const routes = {
  neighbour: op => [shift(op, 1)],
  far: op => [shift(op, 2)],
  dropped: () => [],
  doubled: op => op[0] === 'set' ? [[op[0], op[1], op[2] + op[2]]] : op[0] === 'turn' ? [op, [op[0], op[1], !op[2]]] : op[0] === 'del' ? [op, shift(op, 1)] : [op, op],
  wrong: op => [wrong(op)],
};
window.__truth = {
  plan: op => { const m = reduce(structuredClone(M), op); return text(m, controls(m)); },
  now: () => text(M, shown()),
  idle: () => new Promise(r => waiting ? atRest.push(r) : r()),
  break: f => { Object.assign(fault, f); if (f.route) fault.route = routes[f.route]; },
};
})();
