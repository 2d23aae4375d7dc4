package history

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
)

func at(i int) time.Time { return morning.Add(time.Duration(i) * time.Hour) }

func TestWhy(t *testing.T) {
	h := open(t)
	broken := result("r2", at(2), failing("pay", 100), verified("never", 1))
	broken.Browser = "Chromium 157"
	gone := deed.CaseResult{Case: "pay", Outcome: deed.OutcomeSkipped}
	add(t, h, result("r0", at(0), verified("pay", 100)), result("r1", at(1), verified("pay", 100)), broken, result("r3", at(3), gone), result("r4", at(4), failing("pay", 100)))
	w, err := h.Why(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	if w.Failure.Run != "r4" || w.FirstFailed.Run != "r2" || w.LastPassed.Run != "r1" || w.PassedSince != nil || w.InARow != 2 || w.Cause != CauseProduct {
		t.Errorf("%+v", w)
	}
	if w.Step == nil || w.Step.N != 2 || w.PassedStep == nil || !slices.Equal(w.PassedStep.Changes, []string{`+ status "Paid"`}) {
		t.Errorf("step %+v, before %+v", w.Step, w.PassedStep)
	}
	if len(w.Differs) != 1 || w.Differs[0].String() != "browser: Chromium 156 → Chromium 157" {
		t.Errorf("%v", w.Differs)
	}
	if all := strings.Join(w.Try, "\n"); !strings.Contains(all, "Chromium 156 again") || !strings.Contains(all, "--update-effects") || !strings.Contains(all, hints[deed.CodeMismatch]) {
		t.Error(all)
	}
	add(t, h, result("r5", at(5), verified("pay", 100)), result("r6", at(6), verified("pay", 100)))
	if w, err = h.Why(t.Context(), "pay"); err != nil || w.Failure.Run != "r4" || w.PassedSince == nil || w.PassedSince.Run != "r5" {
		t.Errorf("%+v %v", w, err)
	}
	if w, err = h.Why(t.Context(), "never"); err != nil || w.Failure != nil || len(w.Try) != 0 {
		t.Errorf("%+v %v", w, err)
	}
	if _, err := h.Why(t.Context(), "nothing"); deed.CodeOf(err) != deed.CodeInvalid {
		t.Error(err)
	}
}

// TestWhy_FromTheStart: a case that never passed, one whose start failed, and one whose teardown failed.
func TestWhy_FromTheStart(t *testing.T) {
	h := open(t)
	start := deed.CaseResult{Case: "start", Outcome: deed.OutcomeFailed, Code: deed.CodeNavigation, Reason: "nobody listens"}
	down := verified("down", 1)
	down.Outcome, down.Teardown = deed.OutcomeFailed, []deed.StepResult{{N: 1, Do: deed.KindHTTP, Outcome: deed.OutcomeFailed, Code: deed.CodeTimeout, Reason: "no answer"}}
	add(t, h, result("r0", at(0), start, down))
	w, err := h.Why(t.Context(), "start")
	if err != nil || w.Step != nil || w.LastPassed != nil || w.Failure.Reason != "nobody listens" || w.Cause != CauseEnvironment {
		t.Errorf("%+v %v", w, err)
	}
	w, err = h.Why(t.Context(), "down")
	if err != nil || w.Step == nil || w.Step.N != -1 || w.Failure.Code != deed.CodeTimeout || w.Failure.Reason != "no answer" {
		t.Errorf("%+v %v", w, err)
	}
}

// TestWhy_Retried: of a case that passed after a retry, the attempt that did not is told of.
func TestWhy_Retried(t *testing.T) {
	h := open(t)
	flaky := verified("pay", 100)
	flaky.Retries, flaky.Flaky = []deed.CaseResult{failing("pay", 1), failing("pay", 2)}, true
	flaky.Retries[1].Steps[1].Reason = "the second time"
	add(t, h, result("r0", at(0), failing("pay", 1)), result("r1", at(1), verified("pay", 100)), result("r2", at(2), flaky), result("r3", at(3), verified("pay", 100)))
	w, err := h.Why(t.Context(), "pay")
	if err != nil || w.Failure == nil {
		t.Fatalf("%+v %v", w, err)
	}
	f := w.Failure
	if f.Run != "r2" || f.Attempts != 2 || f.Outcome != deed.OutcomeMismatch || f.Code != deed.CodeMismatch || f.Reason != "the second time" || f.Step != 2 || w.OfAttempts != 3 {
		t.Errorf("%+v", f)
	}
	if w.FirstFailed.Run != "r2" || w.InARow != 1 || w.LastPassed == nil || w.LastPassed.Run != "r1" || w.PassedSince == nil || w.PassedSince.Run != "r2" {
		t.Errorf("%+v", w)
	}
	if w.Step == nil || w.Step.Reason != "the second time" || w.PassedStep == nil || w.Cause != CauseProduct || len(w.Try) == 0 {
		t.Errorf("%+v %+v", w.Step, w.PassedStep)
	}
}

// TestWhy_EffectsBefore: that a step before the one that failed did something else is what differs.
func TestWhy_EffectsBefore(t *testing.T) {
	h := open(t)
	c := failing("pay", 100)
	c.Steps[0].Changes = []string{`+ listitem "L" in cart`}
	c.Steps[1].Requests = []deed.Request{{Method: "GET", URL: "/ok", Status: 200, Done: true}, {Method: "POST", URL: "/pay", Status: 503, Done: true},
		{Method: "GET", URL: "/x", Failed: "refused"}}
	add(t, h, result("r0", at(0), verified("pay", 100)), result("r1", at(1), c))
	w, err := h.Why(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Differs) != 1 || w.Differs[0].String() != `effects of step 1, click button "Add" in catalog: + listitem "M" in cart → + listitem "L" in cart` {
		t.Errorf("%v", w.Differs)
	}
	if w.Step == nil || len(w.Step.Requests) != 2 || w.Step.Requests[0].Status != 503 || w.Step.Requests[1].Failed != "refused" {
		t.Errorf("what went wrong among the requests: %+v", w.Step)
	}
	if all := strings.Join(w.Try, "\n"); !strings.Contains(all, "log for POST /pay") {
		t.Error(all)
	}
}

// TestDiff_NamesOfTheRun: an id or a date in a locator, which a step before saved, does not make it another step; nor does a place for one
// that was never filled in, since the step was skipped.
func TestDiff_NamesOfTheRun(t *testing.T) {
	h := open(t)
	of := func(order string) deed.CaseResult {
		c := verified("pay", 100)
		c.Steps[1].Locator = fmt.Sprintf("row %q", "Order "+order)
		return c
	}
	skipped := of(deed.Saved("id"))
	skipped.Outcome, skipped.Steps[0].Outcome, skipped.Steps[1].Outcome = deed.OutcomeMismatch, deed.OutcomeMismatch, deed.OutcomeSkipped
	add(t, h, result("r0", at(0), of("a1b-17")), result("r1", at(1), of("c9-4")), result("r2", at(2), skipped))
	for after, steps := range map[string]int{"r1": 0, "r2": 1} {
		b, err := h.Run(t.Context(), "r0")
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Run(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		d, err := h.Diff(t.Context(), b, a)
		if err != nil || d.Equal() != (steps == 0) || steps > 0 && len(d.Cases[0].Steps) != steps {
			t.Errorf("%s: %+v %v", after, d, err)
		}
	}
}

// TestWhy_EveryCodeHasAHint, and a cause.
func TestWhy_EveryCodeHasAHint(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		v, ok := node.(*ast.ValueSpec)
		if id, isCode := v, false; ok && id.Type != nil {
			if name, is := id.Type.(*ast.Ident); is {
				isCode = name.Name == "Code"
			}
			if isCode {
				word, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				n++
				if hints[deed.Code(word)] == "" {
					t.Errorf("nothing is said about what to do where the code is %s", word)
				}
			}
		}
		return true
	})
	if n < 20 {
		t.Errorf("only %d codes found", n)
	}
	for code, want := range map[deed.Code]string{deed.CodeMismatch: CauseProduct, deed.CodeCovered: CauseProduct, deed.CodeNoMatch: CausePlan, deed.CodeAmbiguous: CausePlan,
		deed.CodeBudget: CausePolicy, deed.CodeRefused: CausePolicy, deed.CodeNoBrowser: CauseEnvironment, deed.CodeNavigation: CauseEnvironment, deed.CodeCrashed: CauseEnvironment} {
		if got := cause(&Result{Outcome: deed.OutcomeMismatch, Code: code}); got != want {
			t.Errorf("the cause of %s is %s, want %s", code, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	h := open(t)
	slow := verified("slow", 100)
	slow.Steps[1].DurationMS = 900
	other := verified("other", 100)
	other.Steps[0].Changes = []string{`+ listitem "L" in cart`}
	other.Steps = append(other.Steps[:1:1], append([]deed.StepResult{{N: 2, Do: deed.KindHover, Locator: `link "Help"`, Outcome: deed.OutcomeVerified}}, other.Steps[1:]...)...)
	flaky := verified("flaky", 100)
	flaky.Retries, flaky.Flaky = []deed.CaseResult{failing("flaky", 1)}, true
	for i := range 6 {
		add(t, h, result(fmt.Sprintf("r%d", i), at(i), verified("slow", 100), verified("same", 100), verified("gone", 1), verified("other", 100), verified("flaky", 100),
			verified("pay", 100), failing("mended", 100)))
	}
	add(t, h, result("last", at(9), slow, verified("same", 120), verified("new", 1), other, flaky, failing("pay", 100), verified("mended", 100)))
	before, err := h.Run(t.Context(), "r5")
	if err != nil {
		t.Fatal(err)
	}
	after, err := h.Run(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.Diff(t.Context(), before, after)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]CaseDiff{}
	var order []string
	for _, c := range d.Cases {
		by[c.Case] = c
		order = append(order, c.Case)
	}
	if got, want := strings.Join(order, " "), "pay mended flaky other slow"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if d.Same != 1 || !slices.Equal(d.New, []string{"new"}) || !slices.Equal(d.Gone, []string{"gone"}) || d.Equal() {
		t.Errorf("%+v", d)
	}
	pay := by["pay"]
	if pay.Before != deed.OutcomeVerified || pay.After != deed.OutcomeMismatch || pay.Code != deed.CodeMismatch || len(pay.Steps) != 1 {
		t.Fatalf("%+v", pay)
	}
	if s := pay.Steps[0]; s.AfterN != 2 || !slices.Equal(s.Lost, []string{`+ status "Paid"`}) || !slices.Equal(s.Gained, []string{`+ alert "Declined"`}) ||
		!slices.Equal(s.Diverged, []string{`effect_missing: status "Paid"`}) || s.Took != nil {
		t.Errorf("%+v", s)
	}
	if f := by["flaky"]; f.Flaky != "after" {
		t.Errorf("%+v", f)
	}
	if s := by["slow"].Steps; len(s) != 1 || s[0].Took == nil || *s[0].Took != (Took{BeforeMS: 50, AfterMS: 900, NoiseMS: 100, Samples: 6}) || !s[0].timeOnly() {
		t.Errorf("%+v", s)
	}
	if s := by["other"].Steps; len(s) != 2 || !slices.Equal(s[0].Gained, []string{`+ listitem "L" in cart`}) || s[1].BeforeN != 0 || s[1].Object != `hover link "Help"` {
		t.Errorf("what comes in between moves nothing: %+v", s)
	}
	same, err := h.Diff(t.Context(), before, before)
	if err != nil || !same.Equal() || same.Same != 7 {
		t.Errorf("%+v %v", same, err)
	}
}

// TestDiff_Repeated: of a case that ran several times in a run the worst result counts.
func TestDiff_Repeated(t *testing.T) {
	h := open(t)
	add(t, h, result("a", at(0), verified("pay", 1), failing("pay", 1), verified("pay", 1)), result("b", at(1), failing("pay", 1)))
	a, _ := h.Run(t.Context(), "a")
	b, _ := h.Run(t.Context(), "b")
	if d, err := h.Diff(t.Context(), a, b); err != nil || !d.Equal() {
		t.Errorf("%+v %v", d, err)
	}
}

// TestAlign: every step of both is there once, in its order, pairs are of what is the same, and no pairing has more of them.
func TestAlign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (out []Step) {
			for i, l := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 6).Draw(t, label) {
				out = append(out, Step{N: i + 1, Do: l})
			}
			return out
		}
		before, after := draw("before"), draw("after")
		var b, a []Step
		paired := 0
		for _, p := range align(before, after) {
			if p.before != nil {
				b = append(b, *p.before)
			}
			if p.after != nil {
				a = append(a, *p.after)
			}
			if p.before != nil && p.after != nil {
				paired++
				if p.before.Do != p.after.Do {
					t.Fatalf("%+v", p)
				}
			}
		}
		same := func(x, y []Step) bool { return slices.EqualFunc(x, y, func(x, y Step) bool { return x.N == y.N }) }
		if !same(b, before) || !same(a, after) {
			t.Fatalf("%v and %v became %v and %v", before, after, b, a)
		}
		best := 0
		for set := range 1 << len(before) { // every subsequence
			n, j := 0, 0
			for i := range before {
				if set>>i&1 == 0 {
					continue
				}
				for j < len(after) && after[j].Do != before[i].Do {
					j++
				}
				if j == len(after) {
					n = 0
					break
				}
				j++
				n++
			}
			best = max(best, n)
		}
		if paired != best {
			t.Fatalf("%d pairs, of %d that there are", paired, best)
		}
	})
}
