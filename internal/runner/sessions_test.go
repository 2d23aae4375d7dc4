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
	"github.com/deed-dev/deed/internal/runner"
)

// club lets members in: who is signed in is told by a cookie that the server may take back, and by what the page stored.
type club struct {
	base    string
	signed  atomic.Int64
	refused atomic.Bool // what was given out before is not taken any more
	given   atomic.Int64
}

func newClub(t *testing.T) *club {
	c := &club{}
	c.base = browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/sign-in":
			c.signed.Add(1)
			c.refused.Store(false)
			http.SetCookie(w, &http.Cookie{Name: "member", Value: fmt.Sprint(c.given.Add(1)), HttpOnly: true, Path: "/"})
			fmt.Fprint(w, `<!doctype html><title>Sign in</title><h1>Welcome</h1><script>localStorage.token = "t"</script><a href="/inside">Go in</a>`)
		default:
			k, err := r.Cookie("member")
			if err != nil || c.refused.Load() {
				fmt.Fprint(w, `<!doctype html><title>Outside</title><h1>Members only</h1>`)
				return
			}
			fmt.Fprintf(w, `<!doctype html><title>Inside</title><h1>Inside</h1><p role=status id=s></p><script>s.textContent = "member %s with " + localStorage.token</script>`, k.Value)
		}
	}))
	return c
}

func see(what deed.Expect) deed.Step {
	return deed.Step{Action: deed.Action{Kind: deed.KindExpect, Timeout: 10 * time.Second, Expect: []deed.Expect{what}}}
}

// cases are signing in, one that goes on from a start of its own, and one that goes on where signing in ended.
func (c *club) cases(lasts time.Duration) (signIn, inside, on deed.Case) {
	signIn = deed.Case{ID: "sign-in", Start: c.base + "/sign-in", Session: lasts, Steps: []deed.Step{see(deed.Visible("heading", "Welcome"))}}
	inside = deed.Case{ID: "inside", Start: c.base + "/inside", DependsOn: []string{"sign-in"}, Steps: []deed.Step{see(deed.Text("with t"))}}
	on = deed.Case{ID: "on", DependsOn: []string{"sign-in"}, Steps: []deed.Step{see(deed.Visible("heading", "Welcome")), {Action: deed.Action{Kind: deed.KindClick, Locator: deed.Link("Go in")}}, see(deed.Text("with t"))}}
	return signIn, inside, on
}

func TestCasesGoOnWithASession(t *testing.T) {
	c := newClub(t)
	signIn, inside, on := c.cases(0)
	r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{inside, on, signIn}, runner.Options{Workers: 3})
	if r.Outcome != deed.OutcomeVerified || c.signed.Load() != 2 { // by signing in, and by the page that "on" begins at, where that ended
		t.Errorf("signed in %d times: %+v", c.signed.Load(), r.Cases)
	}
	if r.Cases[0].Case != "inside" || r.Cases[2].Case != "sign-in" {
		t.Error("the results are in another order")
	}
}

func TestWU31_WU32_SessionsOfEarlierRuns(t *testing.T) {
	c := newClub(t)
	dir := filepath.Join(t.TempDir(), "sessions")
	run := func(lasts time.Duration) *deed.RunResult {
		t.Helper()
		signIn, inside, _ := c.cases(lasts)
		r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{inside}, runner.Options{Others: []deed.Case{signIn}, Sessions: dir})
		if r.Outcome != deed.OutcomeVerified {
			t.Fatalf("%+v", r.Cases)
		}
		return r
	}
	if r := run(time.Hour); len(r.Cases) != 2 || r.Cases[0].Case != "sign-in" || c.signed.Load() != 1 {
		t.Errorf("the first time: %d cases, signed in %d times", len(r.Cases), c.signed.Load())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("kept in %v", files)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	// WU-31: what it depends on does not run.
	if r := run(time.Hour); len(r.Cases) != 1 || c.signed.Load() != 1 {
		t.Errorf("the second time: %d cases, signed in %d times", len(r.Cases), c.signed.Load())
	}
	// WU-32: one that is over is dropped, and the whole chain runs.
	old := strings.Replace(read(t, files[0]), `"saved":"2`, `"saved":"1`, 1)
	if err := os.WriteFile(files[0], []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(time.Hour); len(r.Cases) != 2 || c.signed.Load() != 2 {
		t.Errorf("with a session that is over: %d cases, signed in %d times", len(r.Cases), c.signed.Load())
	}
	// One that the server does not take any more is made anew.
	c.refused.Store(true)
	r := run(time.Hour)
	if len(r.Cases) != 1 || c.signed.Load() != 3 || len(r.Cases[0].Notes) != 1 {
		t.Errorf("with a session that is refused: %+v, signed in %d times", r.Cases, c.signed.Load())
	}
	// WU-27's half: a session of one origin is not taken for another's.
	other := newClub(t)
	c.base = other.base
	if r := run(time.Hour); len(r.Cases) != 2 || other.signed.Load() != 1 {
		t.Errorf("another server: %d cases", len(r.Cases))
	}
	// One that lasts for no time is of its run alone.
	c.base = newClub(t).base
	before, _ := filepath.Glob(filepath.Join(dir, "*"))
	if r := run(0); len(r.Cases) != 2 {
		t.Errorf("%d cases", len(r.Cases))
	}
	if after, _ := filepath.Glob(filepath.Join(dir, "*")); len(after) != len(before) {
		t.Errorf("it was kept: %v", after)
	}
}

func read(t *testing.T, file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTroubleFailsACase(t *testing.T) {
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api":
			w.WriteHeader(http.StatusBadGateway)
		case "/early":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><title>Early</title><h1>Shop</h1><script>throw new Error("it broke")</script>`)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><title>Shop</title><h1>Shop</h1><p role=status id=s></p>
<button onclick="s.textContent='logged'; console.error('the log says no')">Log</button>
<button onclick="fetch('/api').then(() => s.textContent='fetched')">Fetch</button>
<button onclick="s.textContent='thrown'; setTimeout(() => { throw new Error('it broke') }, 0)">Throw</button>`)
		}
	}))
	press := func(name, says string) deed.Step {
		s := click(name)
		s.Action.Expect = []deed.Expect{deed.Text(says)}
		return s
	}
	for name, tt := range map[string]struct {
		path string
		on   *deed.FailOn
		step deed.Step
		want string // "": it passes
	}{
		"nothing":                 {"/", nil, press("Throw", "thrown"), ""},
		"console errors":          {"/", &deed.FailOn{Console: true}, press("Log", "logged"), "the log says no"},
		"console errors, ignored": {"/", &deed.FailOn{Console: true, Ignore: []string{"log says"}}, press("Log", "logged"), ""},
		"other trouble":           {"/", &deed.FailOn{Exceptions: true, HTTP5xx: true}, press("Log", "logged"), ""},
		"exceptions":              {"/", &deed.FailOn{Exceptions: true}, press("Throw", "thrown"), "it broke"},
		"answers":                 {"/", &deed.FailOn{HTTP5xx: true}, press("Fetch", "fetched"), "502"},
		"as it loads":             {"/early", &deed.FailOn{Exceptions: true}, see(deed.Visible("heading", "Shop")), "it broke"},
	} {
		t.Run(name, func(t *testing.T) {
			c := deed.Case{ID: "trouble", Start: base + tt.path, FailOn: tt.on, Steps: []deed.Step{tt.step, see(deed.Visible("heading", "Shop"))}}
			r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{c}, runner.Options{}).Cases[0]
			said := r.Reason
			for _, s := range r.Steps {
				if s.Outcome == deed.OutcomeMismatch {
					said += s.Reason
				}
			}
			if tt.want == "" && r.Outcome != deed.OutcomeVerified || tt.want != "" && (r.Outcome != deed.OutcomeMismatch || !strings.Contains(said, tt.want)) {
				t.Errorf("%v: %s, want %q", r.Outcome, said, tt.want)
			}
		})
	}
}
