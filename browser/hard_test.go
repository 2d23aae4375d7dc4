package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/casefile"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// sidecar is what testdata/hard/NAME.json says of a page.
type sidecar struct {
	Query      string
	Verdict    string   `json:"expected_verdict"`
	Acceptable []string `json:"acceptable_verdicts"`
	End        struct {
		Expr   string
		Value  any
		Settle int `json:"settle_ms"`
	} `json:"expected_end_state"`
	Ends   []any    `json:"acceptable_end_states"`
	Leaks  []string `json:"must_not_leak"`
	Budget int      `json:"time_budget_ms"`
}

// verdictOf is the verdict of a whole case: what cannot be acted on is no match, and is said.
func verdictOf(res *deed.Result, err error) string {
	switch {
	case err == nil:
		return "match"
	case res.Outcome == deed.OutcomeAmbiguous:
		return "ambiguous"
	case res.Outcome == deed.OutcomeMismatch, errors.Is(err, deed.CodeNotActionable), errors.Is(err, deed.CodeCrashed):
		return "mismatch"
	}
	return "error"
}

// TestHard runs the pages that break other tools: the right verdict and the right end state on each.
func TestHard(t *testing.T) {
	files, _ := filepath.Glob("../testdata/hard/*.deed.yaml")
	if len(files) == 0 {
		t.Fatal("no cases in testdata/hard")
	}
	base := browsertest.Folder(t, "../testdata/hard")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".deed.yaml")
		t.Run(name, func(t *testing.T) { hard(t, base, file, name) })
	}
}

func hard(t *testing.T, base, file, name string) {
	raw, err := os.ReadFile("../testdata/hard/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want sidecar
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	cases, problems := casefile.Load([]string{file}, casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
	if len(problems) > 0 || len(cases) != 1 {
		t.Fatalf("%d cases, problems: %v", len(cases), problems)
	}
	c := cases[0]
	p := browsertest.Open(t, c.Start)
	start := time.Now()
	verdict, out := "match", &strings.Builder{}
	for i := range c.Steps {
		res, err := p.Do(t.Context(), c.Steps[i].Action)
		step := res.Step(i+1, err)
		j, _ := json.Marshal(step)
		fmt.Fprintf(out, "%s\n%s%s\n", j, res.Explain(), strings.Join(res.Log, "\n"))
		if err != nil {
			fmt.Fprintf(out, "error: %v\n", err)
			verdict = verdictOf(res, err)
			break
		}
	}
	took := time.Since(start)
	if s, err := p.Observe(t.Context()); err == nil {
		j, _ := json.Marshal(s)
		for _, leak := range want.Leaks {
			if strings.Contains(string(j), leak) {
				t.Errorf("the observation holds %q", leak)
			}
		}
	}
	for _, leak := range want.Leaks {
		if strings.Contains(out.String(), leak) {
			t.Errorf("the output holds %q", leak)
		}
	}
	if ok := append(want.Acceptable, want.Verdict); !slices.Contains(ok, verdict) {
		t.Errorf("verdict %s, want %v", verdict, ok)
	}
	ends := append([]any{want.End.Value}, want.Ends...)
	end := endState(t, p, want.End.Expr, time.Duration(want.End.Settle)*time.Millisecond)
	if !slices.ContainsFunc(ends, func(e any) bool { return reflect.DeepEqual(e, end) }) {
		t.Errorf("end state %#v, want one of %#v", end, ends)
	}
	if want.Budget > 0 && took > time.Duration(want.Budget)*time.Millisecond {
		t.Errorf("took %v, budget %d ms", took, want.Budget)
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// endState reads the page's own record, once its time to settle is over.
func endState(t *testing.T, p *browser.Page, expr string, settle time.Duration) any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var end any
	wait := fmt.Sprintf("new Promise(r => setTimeout(() => r(%s), %d))", expr, settle.Milliseconds())
	if settle == 0 {
		wait = expr
	}
	if _, err := p.Eval(ctx, wait, &end, browser.Timeout(20*time.Second)); err != nil {
		t.Errorf("end state: %v", err)
	}
	return end
}

