package page_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/page"
)

// A page that sends a form by itself after a reload was decided on has become another: it is not loaded anew, so that nothing is sent
// twice, and the next look says what it is.
func TestReloadWaitsForTheDecisionOnTheAnswer(t *testing.T) {
	var sent atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost {
			sent.Add(1)
			_, _ = io.WriteString(w, `<!doctype html><title>Ordered</title><h1>Ordered</h1>`)
			return
		}
		_, _ = io.WriteString(w, `<!doctype html><title>Shop</title><form method="post" action="/order"><button>Order</button></form>`)
	}))
	defer site.Close()
	b := launch(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	p, err := page.Open(ctx, b.Conn(), "", page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Detach()
	perform := func(a deed.Action, s *deed.Snapshot, way deed.Way) error {
		_, err := p.Perform(ctx, &deed.Gesture{Action: &a, Snapshot: s, Target: -1, Way: way, Drop: -1})
		p.Release(ctx)
		return err
	}
	until := func(title string) *deed.Snapshot {
		for {
			s, err := p.Observe(ctx)
			if err == nil && s.Title == title {
				return s
			}
			if p.Await(ctx, 50*time.Millisecond) != nil && ctx.Err() != nil {
				t.Fatalf("no page %q: %v", title, err)
			}
		}
	}
	blank, err := p.Observe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := perform(deed.Action{Kind: deed.KindGoto, Text: site.URL + "/"}, blank, deed.WayNavigate); err != nil {
		t.Fatal(err)
	}
	decided := until("Shop")
	if decided.Posted {
		t.Error("a page that was asked for is told as the answer to a form")
	}
	if _, err := p.Eval(ctx, `document.forms[0].submit()`); err != nil {
		t.Fatal(err)
	}
	answer := until("Ordered")
	if !answer.Posted {
		t.Error("the answer to a form is not told as one")
	}
	reload := deed.Action{Kind: deed.KindReload}
	var e *deed.Error
	if err := perform(reload, decided, deed.WayHistory); !errors.Is(err, deed.CodeStaleRef) || !errors.As(err, &e) || e.SideEffects != deed.EffectsNone {
		t.Errorf("what was decided on is another page, and: %v", err)
	}
	if n := sent.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
	if err := perform(reload, answer, deed.WayHistory); err != nil {
		t.Errorf("decided on as it is: %v", err)
	}
	if n := sent.Load(); n != 2 {
		t.Errorf("a reload that was decided on sent it %d times in all", n)
	}
}
