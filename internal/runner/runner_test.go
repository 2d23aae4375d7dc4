package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/runner"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

func serve(t *testing.T) string {
	return browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			seen := "new here"
			if c, err := r.Cookie("seen"); err == nil {
				seen = "seen " + c.Value
			}
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "before"})
			fmt.Fprintf(w, `<!doctype html><title>Shop</title><p role=status>%s</p><label>Name <input id=n></label><button onclick="s.textContent='Hello '+n.value">Greet</button><p role=status aria-label=Greeting id=s></p>`, seen)
		case "/hang":
			fmt.Fprint(w, `<!doctype html><title>Hang</title><button onclick="for(;;);">Go</button>`)
		default:
			http.NotFound(w, r)
		}
	}))
}

func click(name string) deed.Step {
	return deed.Step{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button(name)}}
}

func TestACaseThatHangsDoesNotKeepTheNextFromRunning(t *testing.T) {
	base := serve(t)
	fill := deed.Step{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Name"), Text: "Ana"}}
	greet := click("Greet")
	greet.Action.Expect = []deed.Expect{deed.Value(deed.Find("status", "Greeting"), "Hello Ana")}
	fresh := deed.Step{Action: deed.Action{Kind: deed.KindExpect, Expect: []deed.Expect{deed.Visible("status", "new here")}}}
	title := deed.Step{Action: deed.Action{Kind: deed.KindEval, Text: "document.title"}, Save: "title"}
	cases := []deed.Case{
		{ID: "one", Start: base + "/", Steps: []deed.Step{fresh, fill, greet, title}},
		{ID: "gone", Start: base + "/gone", Steps: []deed.Step{click("Go")}},
		{ID: "hang", Start: base + "/hang", Timeout: 2 * time.Second, Steps: []deed.Step{click("Go"), click("Go")}},
		{ID: "wrong", Start: base + "/", Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindExpect, Timeout: 300 * time.Millisecond, Expect: []deed.Expect{deed.Text("nowhere")}}}, greet}},
		{ID: "two", Start: base + "/", Steps: []deed.Step{fresh}},
	}
	var told []string
	r := runner.Run(t.Context(), browsertest.Browser(t), cases, runner.Options{OnDone: func(c *deed.Case, res deed.CaseResult) { told = append(told, c.ID) }})
	want := []deed.Outcome{deed.OutcomeVerified, deed.OutcomeMismatch, deed.OutcomeAmbiguous, deed.OutcomeMismatch, deed.OutcomeVerified}
	for i, w := range want {
		if got := r.Cases[i].Outcome; got != w {
			j, _ := json.MarshalIndent(r.Cases[i], "", " ")
			t.Errorf("%s: %s, want %s\n%s", cases[i].ID, got, w, j)
		}
	}
	if got := string(r.Cases[0].Saved["title"]); got != `"Shop"` {
		t.Errorf("saved %s", got)
	}
	if s := r.Cases[2].Steps; len(s) != 2 || s[1].Outcome != deed.OutcomeSkipped {
		t.Errorf("what follows an unproven step is skipped: %+v", s)
	}
	if r.Outcome != deed.OutcomeMismatch || strings.Join(told, " ") != "one gone hang wrong two" {
		t.Errorf("run %s, told %v", r.Outcome, told)
	}
}

func TestAnEndedContextCancelsTheRest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base := serve(t)
	cases := []deed.Case{{ID: "one", Start: base + "/", Steps: []deed.Step{click("Greet")}}, {ID: "two", Start: base + "/", Steps: []deed.Step{click("Greet")}}}
	r := runner.Run(ctx, browsertest.Browser(t), cases, runner.Options{OnDone: func(*deed.Case, deed.CaseResult) { cancel() }})
	if len(r.Cases) != 2 || r.Cases[1].Outcome != deed.OutcomeCancelled {
		t.Errorf("%+v", r.Cases)
	}
}

func TestFilesOfARunAreKept(t *testing.T) {
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/report.csv" {
			w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
			fmt.Fprint(w, "a,b\n")
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Reports</title><a href=/report.csv download>Download</a>`)
	}))
	load := deed.Step{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Link("Download"), Expect: []deed.Expect{{Kind: deed.ExpectDownload, Text: "report.csv"}}}}
	shot := deed.Step{Action: deed.Action{Kind: deed.KindShot, Text: "after"}}
	dir := t.TempDir()
	r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{{ID: "a/b", Start: base + "/", Steps: []deed.Step{load, shot}}}, runner.Options{Dir: dir})
	if r.Outcome != deed.OutcomeVerified {
		t.Fatalf("%+v", r.Cases)
	}
	got, err := os.ReadFile(filepath.Join(dir, r.Run, "downloads", "a-b-1-report.csv"))
	if err != nil || string(got) != "a,b\n" || len(r.Cases[0].Steps[0].Files) != 1 {
		t.Errorf("%q, %v, files %v", got, err, r.Cases[0].Steps[0].Files)
	}
	if _, err := os.Stat(filepath.Join(dir, r.Run, "shots", "a-b-2-after.png")); err != nil {
		t.Error(err)
	}
}
