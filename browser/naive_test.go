package browser_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/casefile"
)

// naive is a way of doing what a hard page asks for that goes wrong there, as its sidecar tells. It is performed for real and
// judged as somebody else's act.
type naive struct {
	page, how string
	acts      []naiveAct
	dies      bool // the page itself goes away, or stops answering: no verdict is a right answer
}

// naiveAct is one watched act of a naive way.
type naiveAct struct {
	step   int          // of the case file that says what the act is about and what is expected of it; else these two say it
	about  deed.Locator // zero: of no element
	expect []deed.Expect
	within time.Duration // what the judge waits for; 0 is a second
	reload string        // the query with which the page is loaded again first; "" leaves it as it is
	fine   bool          // this act goes as it should: its verdict is match
	opts   []browser.Option
	do     func(*raw)
}

// naiveAt is a naive way of a single act, about a step of the page's case.
func naiveAt(page, how string, step int, do func(*raw)) naive {
	return naive{page: page, how: how, acts: []naiveAct{{step: step, do: do}}}
}

// knownFalseAccepts are naive ways whose wrong end is not told from the right one yet, each with the reason. One that is always
// judged rightly leaves the list.
var knownFalseAccepts = map[string]string{}

// notPerformed are naive ways that no body of a watched act can be, each with the reason.
var notPerformed = map[string]string{
	"popup-same-field: go on with the same page handle": "a watched act is an act on one page, and this one is on the page that was not meant",
}

// TestNaiveWaysAreNeverMatch performs every naive way that is silently wrong on a hard page, and wants its verdict not to be
// match. A way whose end state is not the wrong one that the sidecar names has not happened, and is tried again on a fresh page.
func TestNaiveWaysAreNeverMatch(t *testing.T) {
	base := browsertest.Folder(t, "../testdata/hard")
	wrong := wrongWays(t)
	done := map[string]bool{}
	type todoNaive struct {
		within time.Duration
		run    func()
	}
	var todo []todoNaive
	for _, ways := range [][]naive{naivePointer, naiveText, naiveScript, naiveLater} {
		for _, n := range ways {
			key := n.page + ": " + n.how
			w, ok := wrong[key]
			if !ok || done[key] {
				t.Errorf("%s: the sidecar has no such wrong way, or it is here twice", key)
				continue
			}
			done[key] = true
			todo = append(todo, todoNaive{n.acts[0].within, func() { t.Run(n.page+"/"+n.how, func(t *testing.T) { runNaive(t, base, n, w) }) }})
		}
	}
	for key := range wrong {
		if _, excused := notPerformed[key]; done[key] == excused {
			t.Errorf("%s: neither performed nor excused, or both", key)
		}
	}
	for key := range notPerformed {
		if _, ok := wrong[key]; !ok {
			t.Errorf("%s: excused, and no sidecar knows it", key)
		}
	}
	// They wait more than they compute: several at a time, whatever the number of cores, the longest first.
	slices.SortStableFunc(todo, func(a, b todoNaive) int { return cmp.Compare(b.within, a.within) })
	next := make(chan func())
	var hands sync.WaitGroup
	for range 4 {
		hands.Go(func() {
			for f := range next {
				f()
			}
		})
	}
	for i := range todo {
		next <- todo[i].run
	}
	close(next)
	hands.Wait()
	if n := wentRight.Load(); n > mayGoRight {
		t.Errorf("%d naive ways went right on this browser: nothing was judged on them", n)
	}
}

// wrongWay is what a sidecar says of a naive way.
type wrongWay struct {
	side sidecar
	end  string
}

// wrongWays reads the naive ways that end wrong and report no error, by page and description.
func wrongWays(t *testing.T) map[string]wrongWay {
	t.Helper()
	files, _ := filepath.Glob("../testdata/hard/*.json")
	out := map[string]wrongWay{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			sidecar
			Validation struct {
				Naive []struct {
					How, Outcome string
					End          json.RawMessage `json:"end_state"`
				}
			}
		}
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, n := range doc.Validation.Naive {
			if n.Outcome == "silent_wrong" || n.Outcome == "false_success" {
				var end string
				if json.Unmarshal(n.End, &end) != nil || string(n.End) == "null" {
					end = string(n.End)
				}
				out[strings.TrimSuffix(filepath.Base(file), ".json")+": "+n.How] = wrongWay{doc.sidecar, end}
			}
		}
	}
	if len(out) < 60 {
		t.Fatalf("only %d wrong ways in the sidecars", len(out))
	}
	return out
}

// naiveTries is how often a naive way may miss its own wrong end, as it does where it is a race with the page.
const naiveTries = 6

// naiveLimit is what an act may take beyond the judge's time, on a machine that does much else.
const naiveLimit = 30 * time.Second

func runNaive(t *testing.T, base string, n naive, w wrongWay) {
	var steps []deed.Step
	start := base + "/" + n.page + ".html"
	if slices.ContainsFunc(n.acts, func(a naiveAct) bool { return a.step > 0 }) {
		cases, problems := casefile.Load([]string{"../testdata/hard/" + n.page + ".deed.yaml"}, casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
		if len(problems) > 0 || len(cases) != 1 {
			t.Fatalf("%d cases, problems: %v", len(cases), problems)
		}
		steps = cases[0].Steps
	}
	var missed []string
	right := 0
	for try := range naiveTries {
		end, story, judged, accepted := tryNaive(t, start, n, w, steps, try)
		switch {
		case t.Failed():
			return
		case end != w.end:
			if end == fmt.Sprint(w.side.End.Value) {
				right++
			}
			missed = append(missed, fmt.Sprintf("ended in %q", end))
			continue
		case !judged && !n.dies:
			missed = append(missed, "the page did not answer in time:\n"+story)
			continue
		}
		reason, known := knownFalseAccepts[n.page+": "+n.how]
		switch {
		case accepted && !known:
			t.Errorf("false accept: the end state is %q, and every act was called match:\n%s", end, story)
		case !accepted && known:
			t.Logf("judged rightly, though listed as a false accept (%s)", reason)
		}
		return
	}
	if right == naiveTries { // it is a race that this browser does not lose: there is nothing wrong to be called right
		t.Logf("ended right each time: %s", missed[0])
		wentRight.Add(1)
		return
	}
	t.Errorf("never performed and judged with the wrong end %q:\n%s", w.end, strings.Join(missed, "\n"))
}

// wentRight counts the naive ways that ended right on every try. The wrong end of most is no race, so few can.
var wentRight atomic.Int32

const mayGoRight = 3

// tryNaive performs a naive way once, each time with more patience. It returns the page's own record, the story of the acts,
// whether any was judged, and whether all were called match.
func tryNaive(t *testing.T, start string, n naive, w wrongWay, steps []deed.Step, try int) (end, story string, judged, accepted bool) {
	p := openHard(t, start, w.side.Args)
	defer func() { _ = p.Close() }()
	hand := newRaw(t, p)
	accepted = true
	var told strings.Builder
	for i := range n.acts {
		a := &n.acts[i]
		about, expect := a.about, a.expect
		if a.step > 0 {
			about, expect = steps[a.step-1].Action.Locator, steps[a.step-1].Action.Expect
		}
		within := a.within
		switch {
		case a.fine:
			within = naiveLimit // the verdict comes when the effect does
		case within == 0:
			within = time.Second << try
		}
		if a.reload != "" {
			if _, err := p.Goto(t.Context(), start+a.reload); err != nil {
				t.Fatalf("loading it again: %v, after\n%s", err, told.String())
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), within+naiveLimit)
		opts := append([]browser.Option{browser.About(about), browser.Expect(expect...), browser.Timeout(within)}, a.opts...)
		res, err := p.Watch(ctx, hand.do(a.do), opts...)
		cancel()
		if err != nil && !n.dies {
			t.Fatalf("act %d: %v", i+1, err)
		}
		fmt.Fprintf(&told, "%s  outcome    %v\n%s\n", res.Explain(), res.Outcome, strings.Join(res.Log, "\n"))
		// A page that was seen with the act's effect, and then did not answer in time, has been looked at.
		judged = judged || res.Outcome != deed.OutcomeFailed || !res.Diff.Empty()
		if !res.OK() {
			accepted = false
			if a.fine {
				t.Errorf("act %d went as it should and was not called match:\n%s", i+1, res.Explain())
			}
		}
	}
	if w.side.End.Settle > 0 {
		hand.pause(w.side.End.Settle)
	}
	if w.side.End.After == "reload" {
		if _, err := p.Goto(t.Context(), start+"?peek=1"); err != nil {
			t.Errorf("loading it again: %v", err)
		}
	}
	err := hand.do(func(r *raw) { r.eval("String("+w.side.End.Expr+")", &end) })(t.Context())
	if err != nil {
		t.Errorf("end state: %v", err)
	}
	return end, told.String(), judged, accepted
}
