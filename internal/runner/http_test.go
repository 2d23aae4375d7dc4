package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/runner"
)

func request(method, url string) deed.Step {
	return deed.Step{Action: deed.Action{Kind: deed.KindHTTP}, HTTP: &deed.HTTPStep{Method: method, URL: url}}
}

// What a step saves stands in those that come after it, on the page and beside it; what was made is taken away again, whatever happens.
func TestHTTPStepsSaveAndTearDown(t *testing.T) {
	var things, deleted atomic.Int64
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST" && r.URL.Path == "/things":
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"thing":{"id":%d,"name":"Thing \"%d\""}}`, 40+things.Add(1), things.Load())
		case r.Method == "DELETE":
			deleted.Add(1)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<!doctype html><title>Things</title><p role=status>Thing %s</p><label>Find <input></label>`, strings.TrimPrefix(r.URL.Path, "/"))
		}
	}))
	add := request("POST", base+"/things")
	add.HTTP.Status = http.StatusCreated
	add.HTTP.Expect = map[string]json.RawMessage{"$.thing.id": json.RawMessage("41")}
	add.HTTP.Save = map[string]string{"id": "$.thing.id", "name": "$.thing.name"}
	visit := deed.Step{Action: deed.Action{Kind: deed.KindGoto, Text: base + "/" + deed.Saved("id"), Expect: []deed.Expect{deed.Text("Thing " + deed.Saved("id"))}}}
	find := deed.Step{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Find"), Text: "the " + deed.Saved("name")}}
	wrong := deed.Step{Action: deed.Action{Kind: deed.KindExpect, Timeout: 300 * time.Millisecond, Expect: []deed.Expect{deed.Text("never")}}}
	remove := request("DELETE", base+"/things/"+deed.Saved("id"))
	lost := request("GET", base+"/"+deed.Saved("nothing"))
	dir := t.TempDir()
	c := deed.Case{ID: "things", Start: base + "/", Steps: []deed.Step{add, visit, find, wrong}, Teardown: []deed.Step{lost, remove}}
	r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{c}, runner.Options{Dir: dir}).Cases[0]
	if r.Outcome != deed.OutcomeMismatch || r.Steps[2].Outcome != deed.OutcomeVerified || string(r.Saved["id"]) != "41" {
		t.Fatalf("%+v", r)
	}
	if s := strings.Join(r.Steps[2].Changes, ""); !strings.Contains(s, `the Thing \"1\"`) && !strings.Contains(s, `the Thing "1"`) {
		t.Errorf("filled %s", s)
	}
	if s := r.Steps[0]; s.Do != deed.KindHTTP || s.Locator != "POST "+base+"/things" || len(s.Requests) != 1 || s.Requests[0].Status != 201 {
		t.Errorf("%+v", s)
	}
	after := deed.Case{ID: "after", Start: base + "/", Steps: []deed.Step{wrong, visit, remove}}
	skipped := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{after}, runner.Options{}).Cases[0].Steps
	if skipped[1].Locator != base+"/${id}" || skipped[2].Locator != "DELETE "+base+"/things/${id}" {
		t.Errorf("steps that were not done are told as %q, %q", skipped[1].Locator, skipped[2].Locator)
	}
	if deleted.Load() != 1 || len(r.Teardown) != 2 || r.Teardown[0].Outcome.OK() || !r.Teardown[1].Outcome.OK() || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "nothing saved nothing") {
		t.Errorf("%d deleted, %+v, %v", deleted.Load(), r.Teardown, r.Notes)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*", runner.TraceFile))
	if b, err := os.ReadFile(found[0]); err != nil || strings.Count(string(b), `"action":{"kind":"http"`) != 2 {
		t.Errorf("%v\n%s", err, b)
	}
}

func TestHTTPStepsGoToTheCasesOriginsAlone(t *testing.T) {
	var hits atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer other.Close()
	base := serve(t)
	for name, tt := range map[string]struct {
		c    deed.Case
		want deed.Outcome
	}{
		"another origin":            {deed.Case{Start: base + "/", Steps: []deed.Step{request("GET", other.URL+"/")}}, deed.OutcomeRefused},
		"one that is named":         {deed.Case{Start: base + "/", Origins: []string{other.URL}, Steps: []deed.Step{request("GET", other.URL+"/")}}, deed.OutcomeVerified},
		"of a case that names none": {deed.Case{Steps: []deed.Step{request("GET", other.URL+"/")}}, deed.OutcomeVerified},
	} {
		t.Run(name, func(t *testing.T) {
			before := hits.Load()
			tt.c.ID = "asks"
			r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{tt.c}, runner.Options{}).Cases[0]
			if r.Outcome != tt.want || (hits.Load() > before) != (tt.want == deed.OutcomeVerified) {
				t.Errorf("%+v, %d requests", r, hits.Load()-before)
			}
		})
	}
}

// Rules that every step has to pass are passed by requests too, and what they refuse is neither made nor written down as begun.
func TestHTTPStepsPassThePolicy(t *testing.T) {
	var hits atomic.Int64
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/cart" || r.URL.Path == "/secret/1" {
			hits.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Page</title>")
	}))
	const own = `@id("all") permit (principal, action, resource);
@id("no-acts") forbid (principal, action in Action::"act", resource) unless { resource.formMethod == "GET" };
@id("not-there") forbid (principal, action == Action::"http", resource) when { context.destinationUrl like "*/secret*" };`
	for name, tt := range map[string]struct {
		step deed.Step
		rule string
	}{
		"one that is allowed":  {request("GET", base+"/cart"), ""},
		"one that changes":     {request("DELETE", base+"/cart"), "no-acts"},
		"one to another place": {request("GET", base+"/secret/1"), "not-there"},
	} {
		t.Run(name, func(t *testing.T) {
			before, dir := hits.Load(), t.TempDir()
			c := deed.Case{ID: "asks", Start: base + "/", Steps: []deed.Step{tt.step}}
			r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{c}, runner.Options{Dir: dir, Policy: []byte(own), PolicyFile: "own.cedar"}).Cases[0]
			found, _ := filepath.Glob(filepath.Join(dir, "*", runner.TraceFile))
			trace := read(t, found[0])
			if s := r.Steps[0]; tt.rule == "" && (!s.Outcome.OK() || s.Rule != "all" || hits.Load() != before+1) {
				t.Errorf("%+v, %d requests", s, hits.Load()-before)
			} else if tt.rule != "" && (s.Outcome != deed.OutcomeRefused || s.Rule != tt.rule || s.Decision != "deny" || s.Attempts != 0 || hits.Load() != before || strings.Count(trace, `"kind":"started"`) != 1) {
				t.Errorf("%+v, %d requests\n%s", s, hits.Load()-before, trace)
			}
		})
	}
}

// What began is cleaned up when somebody interrupts the run, too; what did not begin leaves nothing to clean.
func TestInterruptedCasesAreCleanedUp(t *testing.T) {
	var deleted atomic.Int64
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "DELETE" {
			deleted.Add(1)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Things</title><button>Add</button>`)
	}))
	never := deed.Step{Action: deed.Action{Kind: deed.KindExpect, Timeout: time.Minute, Expect: []deed.Expect{deed.Text("never")}}}
	c := deed.Case{ID: "a", Start: base + "/", Steps: []deed.Step{request("GET", base+"/"), never}, Teardown: []deed.Step{request("DELETE", base+"/a")}}
	other := c
	other.ID = "b"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := runner.Run(ctx, browsertest.Browser(t), []deed.Case{c, other}, runner.Options{OnStep: func(*deed.Case, *deed.Step, deed.StepResult) { cancel() }})
	if r.Cases[0].Outcome != deed.OutcomeCancelled || len(r.Cases[0].Teardown) != 1 || !r.Cases[0].Teardown[0].Outcome.OK() || r.Cases[1].Outcome != deed.OutcomeCancelled || deleted.Load() != 1 {
		t.Errorf("%d cleaned up: %+v", deleted.Load(), r.Cases)
	}
}
