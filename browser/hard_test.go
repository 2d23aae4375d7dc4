package browser_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		Settle int    `json:"settle_ms"`
		After  string // "reload": read from a fresh load of the page with ?peek=1
	} `json:"expected_end_state"`
	Ends   []any    `json:"acceptable_end_states"`
	Leaks  []string `json:"must_not_leak"`
	Budget int      `json:"time_budget_ms"`
	Args   []string `json:"chromium_args"`
}

// verdictOf is the verdict of a whole case: what cannot be acted on is no match, and is said.
func verdictOf(res *deed.Result, err error) string {
	switch {
	case err == nil:
		return "match"
	case res.Outcome == deed.OutcomeAmbiguous:
		return "ambiguous"
	case res.Outcome == deed.OutcomeMismatch, errors.Is(err, deed.CodeNotActionable), errors.Is(err, deed.CodeUnsupported), errors.Is(err, deed.CodeCrashed):
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
	p := openHard(t, c.Start, want.Args)
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
	if want.End.After == "reload" {
		if _, err := p.Goto(t.Context(), c.Start+"?peek=1"); err != nil {
			t.Errorf("loading it again: %v", err)
		}
	}
	ends := append([]any{want.End.Value}, want.Ends...)
	if got, ok := endState(t, p, want.End.Expr, time.Duration(want.End.Settle)*time.Millisecond, ends); !ok {
		t.Errorf("end state %s, want one of %#v", got, ends)
	}
	if want.Budget > 0 && took > time.Duration(want.Budget)*time.Millisecond {
		t.Errorf("took %v, budget %d ms", took, want.Budget)
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// TestHardTakenOver runs the same acts and compares each look, at one instant, with what taking over what has not changed would
// have told.
func TestHardTakenOver(t *testing.T) {
	files, _ := filepath.Glob("../testdata/hard/*.deed.yaml")
	base := browsertest.Folder(t, "../testdata/hard")
	looks := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".deed.yaml")
		t.Run(name, func(t *testing.T) {
			cases, problems := casefile.Load([]string{file}, casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
			if len(problems) > 0 || len(cases) != 1 {
				t.Fatalf("%d cases, problems: %v", len(cases), problems)
			}
			p := browsertest.Open(t, cases[0].Start)
			told := p.CheckLooks()
			for i := range cases[0].Steps {
				if _, err := p.Do(t.Context(), cases[0].Steps[i].Action); err != nil {
					break // what it comes to is TestHard's matter
				}
			}
			otherwise, n := told()
			if otherwise != "" {
				t.Error(otherwise)
			}
			looks += n
		})
	}
	t.Logf("%d looks compared", looks)
}

// openHard opens a page, in a browser of its own where it needs flags of its own.
func openHard(t *testing.T, url string, args []string) *browser.Page {
	if len(args) == 0 {
		return browsertest.Open(t, url)
	}
	b, err := browser.Launch(t.Context(), browser.Options{Width: 1000, Height: 700, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("closing the browser: %v", err)
		}
	})
	p, err := b.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// endState reads the page's own record, once its time to settle is over. It is compared in the page: the value may hold
// what was declared secret, and that comes out masked.
func endState(t *testing.T, p *browser.Page, expr string, settle time.Duration, ends []any) (string, bool) {
	t.Helper()
	if settle > 0 {
		settled := make(chan struct{})
		time.AfterFunc(settle, func() { close(settled) })
		<-settled
	}
	var end struct {
		Got string
		OK  bool
	}
	want, err := json.Marshal(ends)
	if err != nil {
		t.Fatal(err)
	}
	js := fmt.Sprintf("(() => { const got = (%s); return {got: String(got), ok: %s.some(e => e === got)}; })()", expr, want)
	if _, err := p.Eval(t.Context(), js, &end, browser.Timeout(20*time.Second)); err != nil {
		t.Errorf("end state: %v", err)
	}
	return end.Got, end.OK
}
