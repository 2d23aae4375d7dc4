// What both pages share: the goods, their pictures, and the cart.
"use strict";

const goods = [
  { name: "T-shirt S", price: 19, picture: "shirt" },
  { name: "T-shirt M", price: 19, picture: "shirt" },
  { name: "Trousers L", price: 49, picture: "trousers" },
  { name: "Wool hat", price: 24, picture: "hat" },
  { name: "Socks", price: 9, picture: "socks" },
];

const pictures = {
  shirt: "M8 4 3 7l2 5 3-1v9h8v-9l3 1 2-5-5-3c-1 2-2 3-4 3S9 6 8 4Z",
  trousers: "M7 3h10l1 18h-5l-1-11-1 11H6L7 3Zm0 3h10",
  hat: "M4 15c0-5 3-9 8-9s8 4 8 9M3 15h18v4H3zM12 6V3",
  socks: "M8 3h6v9l5 4c1 2 0 5-3 5-4 0-8-3-8-6V3Zm0 4h6",
};

const euros = (n) => n + " €";

function picture(item) {
  return `<span class="picture" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="${pictures[item.picture]}"/></svg></span>`;
}

const cart = [];

// The demo reads this record; deed never does.
window.__cart = () => cart.map((item) => item.name);

function add(item) {
  cart.push(item);
  drawCart();
}

function drawCart() {
  const box = document.querySelector(".cart .items");
  if (cart.length === 0) {
    box.innerHTML = '<p class="empty">Nothing in here yet.</p>';
  } else {
    box.innerHTML = "<ul></ul>";
    cart.forEach((item, i) => {
      const li = document.createElement("li");
      li.innerHTML = `<span class="name">${item.name}</span><span class="price">${euros(item.price)}</span>
        <button class="plain" aria-label="Remove ${item.name}">Remove</button>`;
      li.querySelector("button").onclick = () => { cart.splice(i, 1); drawCart(); };
      box.firstChild.append(li);
    });
  }
  document.querySelector(".sum").textContent = euros(cart.reduce((sum, item) => sum + item.price, 0));
}
