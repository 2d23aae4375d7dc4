package browser_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

const shop = `<!doctype html><title>Shop</title><ul aria-label="catalog"><li>T-shirt M <button>Add T-shirt M</button></li>
<li>Trousers L <button>Add Trousers L</button></li></ul><ul aria-label="cart"></ul>
<script>const add = (i, what) => document.querySelectorAll("button")[i].onclick = () => {
  const li = document.createElement("li"); li.textContent = what; document.querySelectorAll("ul")[1].append(li); };
add(0, "T-shirt M"); add(1, "Socks");</script>`

func Example() {
	ctx := context.Background()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, shop) }))
	defer srv.Close()

	b, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.Open(ctx, srv.URL)
	if err != nil {
		log.Fatal(err)
	}
	res, err := page.Click(ctx, deed.Button("Add T-shirt M").In("catalog"),
		browser.Expect(deed.Appears("listitem", "T-shirt M").In("cart")))
	fmt.Println(res.Judgement.Verdict, res.Judgement.Basis, err)

	// The shop is wrong: its second button puts socks into the cart.
	_, err = page.Click(ctx, deed.Button("Add Trousers L"), browser.Expect(deed.Appears("listitem", "Trousers L").In("cart")))
	fmt.Println(errors.Is(err, deed.CodeUnproven))
	// Output:
	// match expect <nil>
	// true
}
