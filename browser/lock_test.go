package browser_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/lock"
)

// replay runs a case and compares each step with its lock, nil for none. It returns nothing for a case that is not proven.
func replay(t *testing.T, p *browser.Page, c *deed.Case, l *lock.Case) (*lock.Case, []string) {
	t.Helper()
	var evidence []lock.Evidence
	var diverged []string
	for name, value := range c.Secrets {
		p.Mask(name, value)
	}
	for i := range c.Steps {
		a := c.Steps[i].Action
		if l == nil || l.Runs < 2 { // what it does is yet to be learnt
			a.Rest = 500 * time.Millisecond
		}
		if l != nil { // what it is known to do is waited for
			a.Whole = func(r *deed.Result) bool { return len(l.Check(c, i, lock.Evidence{Result: r})) == 0 }
		}
		res, err := p.Do(t.Context(), a)
		ev := lock.Evidence{Result: res}
		if l != nil && errors.Is(err, deed.CodeNoMatch) {
			s, oerr := p.Observe(t.Context())
			if oerr != nil {
				t.Fatal(oerr)
			}
			prop, why := l.Propose(c, i, s)
			if prop == nil {
				return nil, append(diverged, fmt.Sprintf("step %d: not found, %s", i+1, why))
			}
			a.Locator = prop.Locator
			diverged = append(diverged, fmt.Sprintf("step %d: healed: %s", i+1, prop.Locator))
			res, err = p.Do(t.Context(), a)
			ev = lock.Evidence{Result: res, Healed: prop.Locator.String()}
		}
		if l != nil {
			for _, d := range l.Check(c, i, ev) {
				diverged = append(diverged, fmt.Sprintf("step %d: %s", i+1, d))
			}
		}
		if err != nil {
			return nil, append(diverged, fmt.Sprintf("step %d: %s", i+1, res.Judgement.Kind))
		}
		evidence = append(evidence, ev)
	}
	return lock.Record(c, evidence), diverged
}

var allLocks = flag.Bool("locks", false, "replay every hard page with its lock, not each fourth (three minutes)")

// TestLocksHoldOnHardPages: what a case did on the pages that break other tools, it does again: no divergence.
func TestLocksHoldOnHardPages(t *testing.T) {
	n := 0
	for _, dir := range []string{"../testdata/cases", "../testdata/hard"} {
		files, _ := filepath.Glob(dir + "/*.deed.yaml")
		base := browsertest.Folder(t, dir)
		for i, file := range files {
			if i%4 != 0 && !*allLocks {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(file), ".deed.yaml")
			t.Run(name, func(t *testing.T) {
				cases, problems := casefile.Load([]string{file}, casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
				if len(problems) > 0 || len(cases) != 1 {
					t.Fatalf("%d cases, problems: %v", len(cases), problems)
				}
				c := &cases[0]
				var l *lock.Case
				for run := range 3 {
					now, diverged := replay(t, browsertest.Open(t, c.Start), c, l)
					if now == nil && l == nil {
						return // not proven, no lock
					}
					n++
					if len(diverged) > 0 || now == nil {
						t.Errorf("run %d: %s", run+1, strings.Join(diverged, "\n"))
						return
					}
					l, _ = lock.Next(l, now, false)
				}
			})
		}
	}
	if n < 30 && flag.Lookup("test.run").Value.String() == "" {
		t.Errorf("%d runs of a lock", n)
	}
}

// orders is a page that places an order.
type orders struct {
	n     atomic.Int64 // its number
	fault atomic.Value // what is wrong
}

func (o *orders) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := o.n.Load()
	switch fault := o.fault.Load(); {
	case r.URL.Path == "/api/orders" && r.Method == http.MethodPost:
		if fault == "500" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
	case r.URL.Path == "/api/stock", r.URL.Path == "/analytics/collect":
	default:
		say := func(otherwise string, faults ...string) string {
			for i := 0; i < len(faults); i += 2 {
				if faults[i] == fault {
					return faults[i+1]
				}
			}
			return otherwise
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Orders</title><form aria-label="Order" onsubmit="return false"><label>Amount <input id="a"></label>%s<button type="button">Help</button></form>
<section aria-label="Orders"><ul id="l"></ul></section><section aria-label="Drafts"><ul id="d"></ul></section>
<script>
const b = document.getElementById("b");
if (b) b.onclick = async () => {
  fetch("/analytics/collect", {method: "POST"}); fetch("/api/stock?_=" + Math.random());
  %s
  const r = await fetch("/api/orders", {method: "POST"});
  if (!r.ok) { document.body.append("Something went wrong"); return; }
  const li = document.createElement("li"); li.textContent = "Order %d of 1 Dec 2026, " + %s + " €";
  document.getElementById("%s").append(li); %s
};
</script>`,
			say(`<button type="button" id="b">Place</button>`, "renamed", `<button type="button" id="b">Submit it</button>`, "removed", "", "deletes", `<button type="button" id="b">Delete</button>`),
			say("", "twice", `await fetch("/api/orders", {method: "POST"});`), n,
			say(`a.value`, "wrong value", `"91"`), say("l", "elsewhere", "d"),
			say("", "extra", `document.body.insertAdjacentHTML("beforeend", "<h2>Subscribed</h2>");`, "address", `history.pushState(1, "", "/elsewhere");`))
	}
}

// TestLocksTellFaults: a page that changed in substance is never taken for the same, and one that changed in looks is healed.
func TestLocksTellFaults(t *testing.T) {
	page := &orders{}
	base := browsertest.Server(t, page)
	c := &deed.Case{ID: "order", Start: base + "/", Steps: []deed.Step{
		{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Amount"), Text: "19"}},
		{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Place")}},
	}}
	run := func(n int64, fault string, l *lock.Case) (*lock.Case, []string) {
		page.n.Store(n)
		page.fault.Store(fault)
		return replay(t, browsertest.Open(t, c.Start), c, l)
	}
	var l *lock.Case
	for n := range int64(3) {
		now, diverged := run(1017+n, "", l)
		if now == nil || len(diverged) > 0 {
			t.Fatalf("run %d: %v", n+1, diverged)
		}
		l, _ = lock.Next(l, now, false)
	}
	for _, f := range []struct{ fault, want string }{
		{"renamed", "healed: button \"Submit it\""},
		{"removed", "not found"},
		{"deletes", "its name speaks of taking something away"},
		{"500", "request_status: POST ${ORIGIN}/api/orders"},
		{"twice", "request_extra: POST ${ORIGIN}/api/orders"},
		{"wrong value", "value_changed: listitem in region \"Orders\" that appeared: expected \"Order {number} of 1 Dec 2026, 19 €\", was \"Order 1031 of 1 Dec 2026, 91 €\""},
		{"elsewhere", "effect_elsewhere: listitem \"Order {number} of 1 Dec 2026, 19 €\" appeared: expected in region \"Orders\", was in region \"Drafts\""},
		{"extra", "effect_extra: heading \"Subscribed\""},
		{"address", "url_changed: url: expected no other, was ${ORIGIN}/elsewhere"},
	} {
		t.Run(f.fault, func(t *testing.T) {
			_, diverged := run(1031, f.fault, l)
			if got := strings.Join(diverged, "\n"); !strings.Contains(got, f.want) || f.fault == "renamed" && len(diverged) != 1 {
				t.Errorf("got\n%s\nwant %s", got, f.want)
			} else {
				t.Log(got)
			}
		})
	}
}
