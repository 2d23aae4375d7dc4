package runner_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/runner"
)

const acceptancePage = `<!doctype html><title>Files</title><h1>Files</h1>
<button onclick="s.textContent='saved'">Save</button>
<button style="display:none" onclick="s.textContent='hidden'">Open</button><button onclick="s.textContent='opened'">Open</button>
<p role="status" id="s"></p><p hidden>only hidden words</p><script>const words = "only script words"</script>
<div><span style="display:none">twice</span><span>twice</span></div>`

// Checks of replay and choice about how a case runs, one small case each; more of them are in package cli, jb.txtar.
func TestAcceptance(t *testing.T) {
	var deleted atomic.Int64
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "DELETE":
			deleted.Add(1)
		default:
			if r.URL.Path == "/in" {
				http.SetCookie(w, &http.Cookie{Name: "in", Value: "yes", Path: "/"})
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			c, err := r.Cookie("in")
			if err == nil {
				fmt.Fprintf(w, "<p>signed in: %s</p>", c.Value)
			}
			fmt.Fprint(w, acceptancePage)
		}
	}))
	for _, tt := range []struct {
		id, steps string
		want      deed.Outcome
		says      string // in a reason, or a hint
	}{
		{"JB-37", "- click: {button: Nothing}\n  timeout: 300ms\n- click: {button: Save}", deed.OutcomeFailed, "no match"},
		{"WU-20", "- click: {button: Open}\n  expect: {text: opened}", deed.OutcomeVerified, ""},
		{"WU-21", "- click: {button: Save}\n  expect: [{text: saved}, {url: \"**/\"}]", deed.OutcomeVerified, ""},
		{"WU-22", "- expect: [{visible: {button: Save}}, {url: \"**/elsewhere\"}]\n  timeout: 300ms", deed.OutcomeMismatch, "/elsewhere"},
		{"WU-23", "- expect: {hidden: {button: Open}}\n  timeout: 300ms", deed.OutcomeMismatch, "Open"},
		{"WU-24 script", "- expect: {text: only script words}\n  timeout: 300ms", deed.OutcomeMismatch, ""},
		{"WU-24 hidden", "- expect: {text: only hidden words}\n  timeout: 300ms", deed.OutcomeMismatch, ""},
	} {
		t.Run(tt.id, func(t *testing.T) {
			before := deleted.Load()
			text := "deed: 1\ncase: a\nstart: ${BASE_URL}/\nsteps:\n  " + strings.ReplaceAll(tt.steps, "\n", "\n  ") + "\nteardown:\n  - http: {method: DELETE, url: /things}\n"
			cases, problems := casefile.Parse("a.deed.yaml", []byte(text), casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			r := runner.Run(t.Context(), browsertest.Browser(t), cases, runner.Options{}).Cases[0]
			said := r.Reason
			for i, s := range r.Steps {
				said += "\n" + s.Reason + s.Hint
				if i > 0 && r.Outcome == deed.OutcomeFailed && s.Outcome != deed.OutcomeSkipped {
					t.Errorf("step %d is %v", i+1, s.Outcome)
				}
			}
			if r.Outcome != tt.want || !strings.Contains(said, tt.says) {
				t.Errorf("%v, want %v with %q:%s", r.Outcome, tt.want, tt.says, said)
			}
			if deleted.Load() != before+1 {
				t.Error("the teardown did not run")
			}
		})
	}
	t.Run("JB-47", func(t *testing.T) {
		two := deed.Case{ID: "two", Start: base + "/", Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindExpect, Timeout: 300 * time.Millisecond, Expect: []deed.Expect{deed.Text("signed in")}}}}}
		shared := two
		shared.ID, shared.DependsOn = "three", []string{"sign"}
		shared.Steps = []deed.Step{see(deed.Text("signed in"))}
		sign := deed.Case{ID: "sign", Start: base + "/in", Steps: []deed.Step{see(deed.Visible("heading", "Files"))}}
		r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{sign, two, shared}, runner.Options{})
		if !r.Cases[0].Outcome.OK() || r.Cases[1].Outcome != deed.OutcomeMismatch || !r.Cases[2].Outcome.OK() {
			t.Errorf("%+v", r.Cases)
		}
	})
}

// WU-1 to WU-3, WU-7: what a run writes down of a case, and what it never touches.
func TestAcceptanceOfLocks(t *testing.T) {
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, acceptancePage)
	}))
	dir := t.TempDir()
	file, path := filepath.Join(dir, "a.deed.yaml"), filepath.Join(dir, "a.deed.lock")
	run := func(base, expect string) deed.CaseResult {
		t.Helper()
		text := "deed: 1\ncase: a\nstart: ${BASE_URL}/\nsteps:\n  - click: {button: Save}\n    expect: {text: " + expect + "}\n    timeout: 3s\n"
		cases, problems := casefile.Parse(file, []byte(text), casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		r := runner.Run(t.Context(), browsertest.Browser(t), cases, runner.Options{Locks: runner.LocksKept})
		if r.ModelCalls != 0 {
			t.Errorf("%d calls of a model", r.ModelCalls)
		}
		return r.Cases[0]
	}
	if r := run(base, "never said"); r.Outcome != deed.OutcomeMismatch || exists(path) {
		t.Errorf("WU-3: %v, a lock: %v", r.Outcome, exists(path))
	}
	if r := run(base, "saved"); r.Lock != deed.LockNew || !exists(path) {
		t.Errorf("WU-1: %v %q", r.Outcome, r.Lock)
	}
	run(base, "saved")
	if r := run(base, "saved"); !r.Outcome.OK() || r.Lock != deed.LockHit {
		t.Errorf("WU-2: %v %q", r.Outcome, r.Lock)
	}
	before := read(t, path)
	if r := run("http://127.0.0.1:1", "saved"); r.Outcome.OK() || r.Code != deed.CodeNavigation || read(t, path) != before {
		t.Errorf("WU-7: %v %s", r.Outcome, r.Code)
	}
	if r := run(base, "saved"); !r.Outcome.OK() || r.Lock != deed.LockHit {
		t.Errorf("WU-7, afterwards: %v %q", r.Outcome, r.Lock)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
