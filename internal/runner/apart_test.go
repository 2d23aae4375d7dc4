package runner_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/runner"
)

// rooms gives each context that comes in an identity, and holds it to that from then on: by its cookie, by what it stored, by the file that it is given.
// Each page that is open holds a line to it.
type rooms struct {
	base string

	mu    sync.Mutex
	mixed []string // who came as somebody else
	asked map[string]int
	open  int
	moved *sync.Cond
}

func newRooms(t *testing.T) *rooms {
	r := &rooms{asked: map[string]int{}}
	r.moved = sync.NewCond(&r.mu)
	r.base = browsertest.Server(t, http.HandlerFunc(r.serve))
	return r
}

// is demands that this request comes from who it says.
func (r *rooms) is(q *http.Request) string {
	who := q.URL.Query().Get("who")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[who]++
	for _, k := range q.Cookies() {
		if k.Name != "who" || k.Value != who {
			r.mixed = append(r.mixed, fmt.Sprintf("%s came to %s with the cookie %s=%s", who, q.URL.Path, k.Name, k.Value))
		}
	}
	for _, stored := range q.URL.Query()["stored"] {
		if stored != who {
			r.mixed = append(r.mixed, fmt.Sprintf("%s came to %s with %q stored", who, q.URL.Path, stored))
		}
	}
	if q.URL.Path != "/" && len(q.Cookies()) == 0 {
		r.mixed = append(r.mixed, who+" came to "+q.URL.Path+" without its cookie")
	}
	return who
}

func (r *rooms) line(by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open += by
	r.moved.Broadcast()
}

func (r *rooms) serve(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/favicon.ico" {
		http.NotFound(w, q)
		return
	}
	who := r.is(q)
	switch q.URL.Path {
	case "/":
		if len(q.Cookies()) == 0 {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: who, Path: "/"})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Room</title><h1>Room of %[1]s</h1><p role=status id=s>new here</p>
<button onclick="ask()">Who am I</button> <a href="/file?who=%[1]s" download>My file</a>
<script>
const had = [localStorage.who, sessionStorage.who].filter(x => x !== undefined);
localStorage.who = localStorage.who ?? '%[1]s'; sessionStorage.who = sessionStorage.who ?? '%[1]s';
if (had.length) s.textContent = 'somebody was here: ' + had;
new EventSource('/line?who=%[1]s');
async function ask() {
  s.textContent = await (await fetch('/ask?who=%[1]s&stored=' + localStorage.who + '&stored=' + sessionStorage.who)).text();
}
</script>`, who)
	case "/line":
		r.line(1)
		defer r.line(-1)
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-q.Context().Done()
	case "/ask":
		fmt.Fprint(w, "you are "+who)
	case "/file":
		w.Header().Set("Content-Disposition", `attachment; filename="mine.txt"`)
		fmt.Fprint(w, "of "+who)
	}
}

// TestCasesSideBySideAreApart: cookies, storage and downloads of each case are its own however many run side by side, and nothing of it is left.
func TestCasesSideBySideAreApart(t *testing.T) {
	r := newRooms(t)
	const n, workers = 40, 8
	var cases []deed.Case
	for i := range n {
		who := fmt.Sprintf("guest-%d", i+1)
		fresh := see(deed.Text("new here"))
		ask := click("Who am I")
		ask.Action.Expect = []deed.Expect{deed.Text("you are " + who)}
		file := deed.Step{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Link("My file"), Expect: []deed.Expect{{Kind: deed.ExpectDownload, Text: "mine.txt"}}}}
		for _, s := range []*deed.Step{&fresh, &ask, &file} {
			s.Action.Timeout = 30 * time.Second // eight share a machine that may have other things to do
		}
		cases = append(cases, deed.Case{ID: who, Start: r.base + "/?who=" + who, Steps: []deed.Step{fresh, ask, file}})
	}
	b := browsertest.Browser(t)
	was := goleak.IgnoreCurrent()
	dir := t.TempDir()
	res := runner.Run(t.Context(), b, cases, runner.Options{Workers: workers, Dir: dir})
	for _, c := range res.Cases {
		if c.Outcome != deed.OutcomeVerified {
			t.Errorf("%s is %v: %s %+v", c.Case, c.Outcome, c.Reason, c.Steps)
		}
		got, err := os.ReadFile(filepath.Join(dir, res.Run, "downloads", c.Case+"-3-mine.txt"))
		if err != nil || string(got) != "of "+c.Case {
			t.Errorf("%s was given %q, %v", c.Case, got, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.open > 0 { // a page that is left keeps its line for ever, and the test says so by its time-out
		r.moved.Wait()
	}
	if len(r.mixed) > 0 {
		t.Errorf("not apart:\n%s", strings.Join(r.mixed, "\n"))
	}
	if len(r.asked) != n {
		t.Errorf("%d guests came, want %d", len(r.asked), n)
	}
	if err := goleak.Find(was, goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead")); err != nil {
		t.Errorf("left behind: %v", err)
	}
}
