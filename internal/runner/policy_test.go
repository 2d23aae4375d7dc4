package runner_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/runner"
)

// A case acts on the origins that it names, and opens pages nowhere else; what its pages load from elsewhere loads.
func TestCaseIsHeldToItsOrigins(t *testing.T) {
	var pages, images atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x.svg" {
			images.Add(1)
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
			return
		}
		pages.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Other</title><h1>Other</h1><button onclick="this.textContent = 'Paid'">Pay</button>`)
	}))
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Own</title><h1>Own</h1><img src="`+other.URL+`/x.svg" alt="Logo"><a href="`+other.URL+`/pay">Go and pay</a>`)
	}))
	defer own.Close()
	follow := deed.Step{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Link("Go and pay")}}
	visit := deed.Step{Action: deed.Action{Kind: deed.KindGoto, Text: other.URL + "/pay"}}
	pay := deed.Step{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Pay")}}
	cases := []deed.Case{
		{ID: "follows", Start: own.URL + "/", Steps: []deed.Step{follow}},
		{ID: "visits", Start: own.URL + "/", Steps: []deed.Step{visit}},
		{ID: "named", Start: own.URL + "/", Origins: []string{other.URL}, Steps: []deed.Step{follow, pay}},
	}
	r := runner.Run(t.Context(), browsertest.Browser(t), cases[:2], runner.Options{})
	for _, c := range r.Cases {
		if c.Outcome != deed.OutcomeRefused || c.Code != deed.CodeRefused {
			t.Errorf("%s: %v %s, %s", c.Case, c.Outcome, c.Code, c.Steps[0].Reason)
		}
	}
	if pages.Load() > 0 || images.Load() == 0 {
		t.Errorf("%d pages of another origin, %d images", pages.Load(), images.Load())
	}
	r = runner.Run(t.Context(), browsertest.Browser(t), cases[2:], runner.Options{})
	if r.Outcome != deed.OutcomeVerified {
		t.Errorf("an origin that is named: %v, %+v", r.Outcome, r.Cases[0])
	}
}
