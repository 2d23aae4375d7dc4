package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// Loading the answer to a form anew sends the form once more, and no browser asks. Policy is told, whichever way led to that page; a
// page that only follows such an answer is loaded anew as ever.
func TestReloadOfAnAnswerIsNoMereReload(t *testing.T) {
	var orders atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			orders.Add(1)
			if r.URL.Path == "/kept" {
				http.Redirect(w, r, "/thanks", http.StatusSeeOther)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/order":
			_, _ = io.WriteString(w, `<!doctype html><title>Ordered</title><h1>Ordered</h1><a href="/">Home</a>`)
		case "/thanks":
			_, _ = io.WriteString(w, `<!doctype html><title>Thanks</title><h1>Thanks</h1><a href="/">Home</a>`)
		default:
			_, _ = io.WriteString(w, `<!doctype html><title>Shop</title><h1>Shop</h1><form method="post" action="/order"><button>Order</button></form>
<form method="post" action="/kept"><button>Order and go on</button></form>`)
		}
	}))
	defer site.Close()
	b, err := browser.Launch(t.Context(), browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	const once = `permit (principal, action, resource);
@id("once") @reason("it was sent already") forbid (principal, action, resource) when { context.hints.contains("resends") };`
	home, click, reload := deed.Action{Kind: deed.KindGoto, Text: site.URL + "/"}, func(l deed.Locator) deed.Action { return deed.Action{Kind: deed.KindClick, Locator: l} }, deed.Action{Kind: deed.KindReload}
	for name, c := range map[string]struct {
		acts   []deed.Action
		want   deed.Outcome
		orders int64
	}{
		"a page that was asked for":        {[]deed.Action{home, reload}, deed.OutcomeVerified, 0},
		"the answer":                       {[]deed.Action{home, click(deed.Button("Order")), reload}, deed.OutcomeRefused, 1},
		"what the answer sent on to":       {[]deed.Action{home, click(deed.Button("Order and go on")), reload}, deed.OutcomeVerified, 1},
		"the page after the answer":        {[]deed.Action{home, click(deed.Button("Order")), click(deed.Link("Home")), reload}, deed.OutcomeVerified, 1},
		"the answer, gone back to":         {[]deed.Action{home, click(deed.Button("Order")), click(deed.Link("Home")), {Kind: deed.KindBack}, reload}, deed.OutcomeRefused, 1},
		"the answer's address, typed anew": {[]deed.Action{home, click(deed.Button("Order")), {Kind: deed.KindGoto, Text: site.URL + "/order"}, reload}, deed.OutcomeVerified, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := b.NewUnder(t.Context(), &browser.Policy{Origins: []string{site.URL}, Methods: []string{"GET", "POST"}, By: deed.ByAgent, ValueFrom: deed.ValueModel, Source: []byte(once)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close() }()
			before := orders.Load()
			for i, a := range c.acts {
				res, err := p.Do(t.Context(), a)
				last := i+1 == len(c.acts)
				if want := c.want; last && res.Outcome != want || !last && err != nil {
					t.Fatalf("%s %s: %v, %v\n%s", a.Kind, a.Object(), res.Outcome, err, res.Explain())
				}
			}
			if n := orders.Load() - before; n != c.orders {
				t.Errorf("%d orders, want %d", n, c.orders)
			}
		})
	}
}
