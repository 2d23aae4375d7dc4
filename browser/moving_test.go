package browser_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

var (
	movingRuns = flag.Int("moving.runs", 60, "how many scenes of moving, recycled and swapped targets TestMoving plays")
	movingSeed = flag.Int("moving.seed", 1, "the first scene's seed")
)

// movingAsk is what a scene of testdata/moving.html asks for.
type movingAsk struct {
	Kind, Want string
	Unique     bool // the names tell the elements apart, else their rows do
	Flat       bool // there are no rows around them
	Hazards    []string
}

// movingRecord is the page's own record of a scene.
type movingRecord struct {
	Hits []struct{ Type, Item string } // what was received, and the label of the receiver at that instant
	Told []string                      // what the page did, and at what
	Held []string                      // what the fields hold in the end
}

// TestMoving plays scenes in which the target moves, is recycled, swapped, covered, replaced, or loses the focus at every
// moment of the gesture. No handler may ever run on an element that is not the one asked for at that instant, and what is
// called verified ran exactly once; only where no effect is declared, a page that changes under the press may now and then pass
// for one that answered it.
func TestMoving(t *testing.T) {
	url := movingPage(t)
	var mu sync.Mutex
	count := map[string]int{}
	tell := func(what string) int {
		mu.Lock()
		defer mu.Unlock()
		count[what]++
		return count[what]
	}
	start := time.Now()
	seeds := make(chan int)
	var pages sync.WaitGroup
	for range 3 { // a scene waits more than it computes
		p := browsertest.Open(t, url)
		hand := newRaw(t, p)
		pages.Go(func() {
			for seed := range seeds {
				// A document of its own for each scene: what a scene did is not to be learnt as the page's noise.
				if _, err := p.Goto(t.Context(), url); err != nil {
					t.Errorf("seed %d: %v", seed, err)
					continue
				}
				movingScene(t, p, hand, seed, tell)
			}
		})
	}
	for i := range *movingRuns {
		seeds <- *movingSeed + i
	}
	close(seeds)
	pages.Wait()
	took := time.Since(start)
	t.Logf("%d scenes in %v, %.0f a second: %v", *movingRuns, took.Round(time.Millisecond), float64(*movingRuns)/took.Seconds(), count)
	if n := count[undeclared]; n > 3+*movingRuns/50 {
		t.Errorf("%d clicks were called verified without having been received: more than 2 %%", n)
	}
	if count["wrong"] > 0 || count["verified"] == 0 || count["calm"] == 0 || *movingRuns >= 60 && count["prevented"]+count["verified after a prevented gesture"] == 0 {
		t.Errorf("the scenes are not what they should be: %v", count)
	}
}

func movingPage(t *testing.T) string {
	t.Helper()
	html, err := os.ReadFile("testdata/moving.html")
	if err != nil {
		t.Fatal(err)
	}
	return browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html) // a page that went away is told of by its test
	}))
}

// undeclared counts the clicks that were called verified though the button's handler did not run, where no expectation was
// declared: the page changed under the press.
const undeclared = "false accept, nothing declared"

// movingScene plays one scene.
func movingScene(t *testing.T, p *browser.Page, hand *raw, seed int, tell func(string) int) {
	var ask movingAsk
	var rec movingRecord
	if err := hand.do(func(r *raw) { r.eval(fmt.Sprintf("reset(%d)", seed), &ask) })(t.Context()); err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return
	}
	text := fmt.Sprint(seed%90 + 10)
	button, field := deed.Button("Archive").Beside(ask.Want), deed.Textbox("Weight").Beside(ask.Want)
	if ask.Unique {
		button, field = deed.Button("Archive "+ask.Want), deed.Textbox("Weight of "+ask.Want)
	}
	limit := 600 * time.Millisecond
	if len(ask.Hazards) == 0 {
		limit = 30 * time.Second // nothing stands in the way: it is to succeed, on a slow machine too
		tell("calm")
	}
	opts := []browser.Option{browser.Timeout(limit)}
	var res *deed.Result
	var err error
	if ask.Kind == "click" {
		if seed%2 == 0 {
			opts = append(opts, browser.Expect(deed.Text("Archived "+ask.Want).In("status")))
		}
		res, err = p.Click(t.Context(), button, opts...)
	} else {
		res, err = p.Fill(t.Context(), field, text, opts...)
	}
	if e := hand.do(func(r *raw) { r.eval("record()", &rec) })(t.Context()); e != nil {
		t.Errorf("seed %d: %v", seed, e)
		return
	}
	var wrong []string
	right := 0
	for _, h := range rec.Hits {
		switch {
		case h.Item != ask.Want:
			wrong = append(wrong, fmt.Sprintf("%s reached %s", h.Type, h.Item))
		case h.Type == "click" || h.Type == "input":
			right++
		}
	}
	switch {
	case err == nil && right == 0 && slices.ContainsFunc(rec.Told, tookAway):
		tell("the page took it away under the press")
	case err == nil && right == 0 && ask.Kind == "click" && len(res.Action.Expect) == 0:
		tell(undeclared)
		t.Logf("seed %d: %s\n%+v", seed, res.Judgement.Reason, rec)
	case err == nil && right == 0:
		wrong = append(wrong, "verified, and nothing was received")
	case err == nil && ask.Kind == "click" && right != 1:
		wrong = append(wrong, fmt.Sprintf("verified, and received %d times", right))
	case len(ask.Hazards) == 0 && err != nil:
		wrong = append(wrong, "not verified, though nothing stood in the way")
	}
	tell(movingOutcome(res, err))
	if len(wrong) == 0 || tell("wrong") > 20 {
		return
	}
	t.Errorf("seed %d, %s %s (unique %v), hazards %q: %s\nthe page: %+v\nerror: %v\n%s%s", seed, ask.Kind, ask.Want, ask.Unique, ask.Hazards,
		strings.Join(wrong, "; "), rec, err, res.Explain(), strings.Join(res.Log, "\n"))
}

// TestMovingReduced plays the scenes that once went wrong, each reduced to its cause.
func TestMovingReduced(t *testing.T) {
	url := movingPage(t)
	for name, c := range map[string]struct {
		kind    string
		flat    bool
		hazards string
		proven  string // "yes", "no", or either where it depends on what else the page holds
	}{
		"a row is given to a new item under the press":           {"click", false, `[["recycle","late mousedown",0,1]]`, "no"},
		"a button without a row is given to a new item":          {"click", true, `[["recycle","late mousedown",0,1]]`, "no"},
		"all rows move down by one item under the press":         {"click", false, `[["rotate","early mousedown",0,1]]`, ""},
		"a field is given to a new item between two letters":     {"fill", false, `[["recycle","late input",0,1],["empty","frame",0,1]]`, "no"},
		"the rows change hands whenever a field takes the focus": {"fill", false, `[["rotate","early focusin",0,3]]`, ""},
		"a button that is drawn anew under the press is clicked": {"click", false, `[["replace","late mousedown",0,1]]`, "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, url)
			hand := newRaw(t, p)
			var ask movingAsk
			for seed := 1; ask.Kind != c.kind || !ask.Unique || ask.Flat != c.flat; seed++ {
				if err := hand.do(func(r *raw) { r.eval(fmt.Sprintf("reset(%d, [])", seed), &ask) })(t.Context()); err != nil {
					t.Fatal(err)
				}
				if ask.Kind == c.kind && ask.Unique && ask.Flat == c.flat {
					if _, err := p.Goto(t.Context(), url); err != nil {
						t.Fatal(err)
					}
					if err := hand.do(func(r *raw) { r.eval(fmt.Sprintf("reset(%d, %s)", seed, c.hazards), &ask) })(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			var res *deed.Result
			var err error
			limit := time.Second // where it need not succeed; what is received is checked in any case
			if c.proven == "yes" {
				limit = 30 * time.Second
			}
			if c.kind == "click" {
				res, err = p.Click(t.Context(), deed.Button("Archive "+ask.Want), browser.Timeout(limit))
			} else {
				res, err = p.Fill(t.Context(), deed.Textbox("Weight of "+ask.Want), "64", browser.Timeout(limit))
			}
			var rec movingRecord
			if e := hand.do(func(r *raw) { r.eval("record()", &rec) })(t.Context()); e != nil {
				t.Fatal(e)
			}
			for _, h := range rec.Hits {
				if h.Item != ask.Want {
					t.Errorf("%s reached %s", h.Type, h.Item)
				}
			}
			if len(rec.Told) == 0 {
				t.Error("the page did nothing")
			}
			if err == nil && c.proven == "no" || err != nil && c.proven == "yes" {
				t.Errorf("error %v", err)
			}
			if t.Failed() {
				t.Logf("%+v\n%+v\n%s%s", ask, rec, res.Explain(), strings.Join(res.Log, "\n"))
			}
		})
	}
}

// tookAway reports whether the page answered an event of the gesture by taking the target out of sight: that is what deleting on the
// press looks like, and nothing tells it from a page that meant it.
func tookAway(told string) bool {
	effect, when, _ := strings.Cut(told, " at ")
	return (effect == "remove" || effect == "hide") && (strings.HasPrefix(when, "early ") || strings.HasPrefix(when, "late "))
}

// movingOutcome is the word for the table: what became of an action.
func movingOutcome(res *deed.Result, err error) string {
	switch {
	case err == nil && res.Prevented > 0:
		return "verified after a prevented gesture"
	case err == nil:
		return "verified"
	case errors.Is(err, deed.CodePrevented):
		return "prevented"
	case errors.Is(err, deed.CodeMismatch):
		return "mismatch " + string(res.Judgement.Kind)
	}
	return string(deed.CodeOf(err))
}
