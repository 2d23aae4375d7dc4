package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The regression kit: the flow of pocketbase.deed.yaml with its lock, learnt from two clean runs, on a PocketBase with one thing wrong.
// What a tester wants to be told is written down here, before anything is asked; deed is mended where it says something else.

// wants is what a tester wants to be told of a fault.
type wants struct {
	exit    int
	outcome string   // of the case
	step    int      // that tells it; 0 where every step is as always
	code    string   // of that step; unproven is any of its three: whether what came of the act could be taken back is not the fault's doing
	says    []string // regular expressions for what that step says
	wrote   string   // what PocketBase has committed: see writes
	healed  string   // the new address; the lock then holds it, and else is as it was
}

// The writes of the flow, as PocketBase tells them.
const (
	created = "collection create"
	added   = "record create title=First draft served=[First draft]"
	changed = "record update title=Second draft served=[Second draft]"
	removed = "record delete title=Second draft served=[]"

	toTheEnd    = created + "\n" + added + "\n" + changed + "\n" + removed
	toTheRecord = created + "\n" + added
)

var kit = []struct {
	name  string
	fault Fault
	want  wants
}{
	{"a label is renamed", Fault{Bundle: [][2]string{{"()=>e.totalSteps>1?`Next`:`Login`", "()=>e.totalSteps>1?`Next`:`Sign in`"}}},
		wants{exit: 0, outcome: "healed", step: 4, wrote: toTheEnd, healed: `button "Sign in"`}},

	// What an act brings is its effect, so it is told where it is brought, and not only where it is wanted.
	{"a label in a panel is renamed", Fault{Bundle: [][2]string{{"onclick:()=>y()},t.span({className:`txt`},()=>s.isNew?`Create`:`Save changes`)", "onclick:()=>y()},t.span({className:`txt`},()=>s.isNew?`Create`:`Store changes`)"}}},
		wants{exit: 5, outcome: "mismatch", step: 14, code: "diverged", says: []string{"value_changed", "Save changes", "Store changes"}, wrote: toTheRecord}},

	{"a button is moved in its region", Fault{Bundle: [][2]string{
		{"return[t.button({type:`button`,className:`dropdown-item`,onclick:e=>{e.target.closest(`.dropdown`).hidePopover(),s.hasChanges?", "return[Z(e,s,r),t.hr(),t.button({type:`button`,className:`dropdown-item`,onclick:e=>{e.target.closest(`.dropdown`).hidePopover(),s.hasChanges?"},
		{"`Duplicate`)),t.hr(),Z(e,s,r)]", "`Duplicate`))]"}}},
		wants{exit: 0, outcome: "verified", wrote: toTheEnd}},

	{"a button is moved to another region", Fault{Script: `new MutationObserver(() => {
			for (const title of document.querySelectorAll('.modal .modal-title')) {
				const modal = title.closest('.modal'), buttons = modal.querySelector('.modal-footer .btns');
				if (buttons && / record$/.test(title.textContent)) modal.querySelector('.modal-header').append(buttons);
			}
		}).observe(document, {childList: true, subtree: true})`},
		wants{exit: 5, outcome: "mismatch", step: 11, code: "diverged", says: []string{"effect_elsewhere", `"Create"`, "contentinfo", "banner"}, wrote: created}},

	{"an element is removed", Fault{Bundle: [][2]string{{"t.button({type:`button`,title:`More options`,className:()=>`btn sm circle transparent ${s.isLoading", "t.button({hidden:!0,type:`button`,title:`More options`,className:()=>`btn sm circle transparent ${s.isLoading"}}},
		wants{exit: 5, outcome: "mismatch", step: 14, code: "diverged", says: []string{"effect_missing", `button "More options"`}, wrote: toTheRecord}},

	{"two elements have one name", Fault{Bundle: [][2]string{{"t.div({className:`col-12`},t.button({className:()=>`btn lg block next ${e.isPasswordAuthSubmitting", "t.div({className:`col-12`},t.button({type:`button`,className:`btn lg block`},`Login`)),t.div({className:`col-12`},t.button({className:()=>`btn lg block next ${e.isPasswordAuthSubmitting"}}},
		wants{exit: 1, outcome: "failed", step: 4, code: "many_matches", says: []string{`button "Login"`}}},

	// The application answers with what it was asked to save; only the form that is opened again tells.
	{"a wrong value is saved", Fault{Server: on("PATCH", "/records/", func(w http.ResponseWriter, r *http.Request, app http.Handler) {
		body(r, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("Second draft"), []byte("Third draft")) })
		answer(w, r, app, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("Third draft"), []byte("Second draft")) })
	})},
		wants{exit: 5, outcome: "mismatch", step: 17, code: "diverged", says: []string{"value_changed", `textbox "title"`, "Second draft", "Third draft"}, wrote: toTheRecord + "\nrecord update title=Third draft served=[Third draft]"}},

	{"a field is silently dropped", Fault{Server: on("POST", "/api/collections", func(w http.ResponseWriter, r *http.Request, app http.Handler) {
		body(r, func(b []byte) []byte {
			var c map[string]any
			if json.Unmarshal(b, &c) != nil {
				return b
			}
			fields, _ := c["fields"].([]any)
			var kept []any
			for _, f := range fields {
				if f.(map[string]any)["name"] != "created" {
					kept = append(kept, f)
				}
			}
			c["fields"] = kept
			b, _ = json.Marshal(c)
			return b
		})
		app.ServeHTTP(w, r)
	})},
		wants{exit: 5, outcome: "mismatch", step: 10, code: "diverged", says: []string{"value_changed", "row", "id title created updated", "id title updated"}, wrote: created}},

	{"the save is answered with 500", Fault{Server: on("PATCH", "/records/", says(500, "Something went wrong."))},
		wants{exit: 1, outcome: "mismatch", step: 16, code: "unproven", says: []string{"PATCH", "500"}, wrote: toTheRecord}},

	{"the save is answered with 400", Fault{Server: on("POST", "/records", says(400, "Failed to create record."))},
		wants{exit: 1, outcome: "mismatch", step: 13, code: "unproven", says: []string{"POST", "400"}, wrote: created}},

	{"a redirect to the login", Fault{Server: on("GET", "/api/collections", says(401, "The request requires valid record authorization token."))},
		wants{exit: 1, outcome: "mismatch", step: 4, code: "unproven", says: []string{"New collection|collections"}}},

	// A gateway whose session is over answers a request of the page with its login. The page shows an empty application, which no expectation speaks of.
	{"a request is redirected to the login", Fault{Server: on("GET", "/api/collections", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "/_/#/login", http.StatusFound)
	})},
		wants{exit: 5, outcome: "mismatch", step: 4, code: "diverged", says: []string{"url_changed", "collection=users"}}},

	{"a slow answer, within the limits", Fault{Server: on("PATCH", "/records/", late(1500*time.Millisecond))},
		wants{exit: 0, outcome: "verified", wrote: toTheEnd}},

	{"a slow answer, beyond the limits", Fault{Server: on("PATCH", "/records/", late(time.Minute))},
		wants{exit: 1, outcome: "mismatch", step: 16, code: "unproven", says: []string{"PATCH"}, wrote: toTheRecord}},

	{"the text of a heading is changed", Fault{Bundle: [][2]string{{"t.span(null,()=>s.isNew?`Create `:`Edit `)", "t.span(null,()=>s.isNew?`Add a `:`Edit `)"}}},
		wants{exit: 1, outcome: "mismatch", step: 11, code: "unproven", says: []string{`heading "Create posts record"`, "Add a posts record"}, wrote: created}},

	{"a text is changed that nothing expects", Fault{Bundle: [][2]string{{"t.div({className:`txt-bold`},`No records found.`)", "t.div({className:`txt-bold`},`Nothing in here.`)"}}},
		wants{exit: 5, outcome: "mismatch", step: 4, code: "diverged", says: []string{"value_changed", "No records found", "Nothing in here"}}},

	{"a message no longer comes", Fault{Bundle: [][2]string{{"app.toasts.success(l,{key:`recordSave`}),", ""}}},
		wants{exit: 5, outcome: "mismatch", step: 13, code: "diverged", says: []string{"effect_missing", "Successfully created"}, wrote: toTheRecord}},

	// The application counts one, and lists two.
	{"a record is saved twice", Fault{Server: on("POST", "/records", func(w http.ResponseWriter, r *http.Request, app http.Handler) {
		b := body(r, nil)
		app.ServeHTTP(httptest.NewRecorder(), r.Clone(r.Context()))
		set(r, b)
		app.ServeHTTP(w, r)
	})},
		wants{exit: 5, outcome: "mismatch", step: 13, code: "diverged", says: []string{"effect_extra", "row", "First draft"}, wrote: toTheRecord + "\nrecord create title=First draft served=[First draft First draft]"}},

	{"one more request", Fault{
		Script: wrapped(`const r = await real(url, o); if (o?.method === 'PATCH') await real('/api/audit', {method: 'POST', body: '{}'}); return r`),
		Server: on("POST", "/api/audit", says(200, "noted"))},
		wants{exit: 5, outcome: "mismatch", step: 16, code: "diverged", says: []string{"request_extra", "POST", "/api/audit"}, wrote: toTheRecord + "\n" + changed}},

	{"a request is not made", Fault{Script: wrapped(`return o?.method === 'DELETE' ? new Response(null, {status: 204}) : real(url, o)`)},
		wants{exit: 1, outcome: "mismatch", step: 20, code: "unproven", says: []string{"DELETE"}, wrote: toTheRecord + "\n" + changed}},

	{"something lies over a button", Fault{Script: `new MutationObserver(() => {
			for (const footer of document.querySelectorAll('.modal .modal-footer')) {
				if (!footer.textContent.includes('Save changes') || footer.querySelector('.veil')) continue;
				footer.style.position = 'relative';
				const veil = document.createElement('div');
				veil.className = 'veil';
				veil.style = 'position: absolute; inset: 0; z-index: 99';
				footer.append(veil);
			}
		}).observe(document, {childList: true, subtree: true})`},
		wants{exit: 1, outcome: "failed", step: 16, code: "covered", says: []string{"Save changes", "over"}, wrote: toTheRecord}},

	{"a button does nothing", Fault{Bundle: [][2]string{{"onclick:()=>y()},t.span({className:`txt`},()=>s.isNew?`Create`:`Save changes`)", "onclick:()=>s.isNew&&y()},t.span({className:`txt`},()=>s.isNew?`Create`:`Save changes`)"}}},
		wants{exit: 1, outcome: "mismatch", step: 16, code: "unproven", says: []string{"PATCH"}, wrote: toTheRecord}},

	// The row is there before the answer is, and is taken back when the answer says no.
	{"a row is rolled back", Fault{
		Script: wrapped(`if (o?.method !== 'PATCH') return real(url, o);
			real(url, o).then(r => {
				if (r.ok) return;
				for (const cell of document.querySelectorAll('td')) if (cell.textContent.trim() === 'Second draft') cell.textContent = 'First draft';
				app.toasts.error('It could not be saved.');
			});
			return new Response(o.body, {status: 200, headers: {'Content-Type': 'application/json'}})`),
		Server: on("PATCH", "/records/", func(w http.ResponseWriter, r *http.Request, app http.Handler) {
			if wait(r, 800*time.Millisecond) {
				says(500, "Something went wrong.")(w, r, app)
			}
		})},
		wants{exit: 1, outcome: "mismatch", step: 16, code: "unproven", says: []string{"PATCH", "500"}, wrote: toTheRecord}},

	{"a session is over in the middle", Fault{Server: func(app http.Handler) http.Handler {
		over := false // the flow makes one request of these at a time
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if over && strings.HasPrefix(r.URL.Path, "/api/collections/posts/records/") {
				says(401, "The request requires valid record authorization token.")(w, r, app)
				return
			}
			over = over || r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/records")
			app.ServeHTTP(w, r)
		})
	}},
		wants{exit: 1, outcome: "mismatch", step: 14, code: "unproven", says: []string{`heading "Edit posts record"|textbox "title"`}, wrote: toTheRecord}},

	{"the server goes down in the middle", Fault{Server: on("PATCH", "/records/", func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })},
		wants{exit: 1, outcome: "mismatch", step: 16, code: "unproven", says: []string{"PATCH"}, wrote: toTheRecord}},
}

// on is a server that does something else with requests of this method whose path ends or goes on with this.
func on(method, at string, do func(w http.ResponseWriter, r *http.Request, app http.Handler)) func(http.Handler) http.Handler {
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == method && (strings.HasSuffix(r.URL.Path, at) || strings.HasSuffix(at, "/") && strings.Contains(r.URL.Path, at)) {
				do(w, r, app)
				return
			}
			app.ServeHTTP(w, r)
		})
	}
}

// says answers as PocketBase does.
func says(status int, message string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"status": %d, "message": %q, "data": {}}`, status, message)
	}
}

// late passes a request on when this time is over.
func late(d time.Duration) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, app http.Handler) {
		if wait(r, d) {
			app.ServeHTTP(w, r)
		}
	}
}

// wait reports whether who asked is still there after this time.
func wait(r *http.Request, d time.Duration) bool {
	body(r, nil) // that they went is seen only when all they said was read
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// body returns the body of a request, and changes it.
func body(r *http.Request, change func([]byte) []byte) []byte {
	b, _ := io.ReadAll(r.Body)
	if change != nil {
		b = change(b)
	}
	set(r, b)
	return b
}

func set(r *http.Request, b []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	r.Header.Set("Content-Length", strconv.Itoa(len(b)))
}

// answer passes a request on and changes the answer.
func answer(w http.ResponseWriter, r *http.Request, app http.Handler, change func([]byte) []byte) {
	rec := httptest.NewRecorder()
	app.ServeHTTP(rec, r)
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	b := change(rec.Body.Bytes())
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(rec.Code)
	_, _ = w.Write(b)
}

// wrapped is a script in which the page's fetch does this instead.
func wrapped(do string) string {
	return "{ const real = window.fetch.bind(window); window.fetch = async (url, o) => {" + do + "} }"
}

// A workbench is PocketBase behind a proxy, and a folder for each run, with the case and its lock.
type workbench struct {
	app   *App
	proxy *Proxy
	lock  []byte // after two clean runs
}

const posts = "posts"

var learnt []byte // the lock after two clean runs; once for all tests

// learn runs the case twice with nothing wrong.
func learn(t *testing.T) *workbench {
	t.Helper()
	w := &workbench{app: start(t, nil), lock: learnt}
	var err error
	if w.proxy, err = NewProxy(w.app.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.proxy.Close)
	if learnt != nil {
		return w
	}
	dir := w.folder(t)
	for range 2 {
		w.reset(t)
		if r := deedRun(t, dir, w.proxy.URL, posts); r.Exit != 0 {
			t.Fatalf("a clean run: exit %d\n%s", r.Exit, r.Stderr)
		}
	}
	w.lock = w.locked(t, dir)
	if !bytes.Contains(w.lock, []byte("runs: 2")) {
		t.Fatalf("the lock is not of two runs:\n%s", w.lock)
	}
	learnt = w.lock
	return w
}

// folder is a new one, with the case and its lock.
func (w *workbench) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile("pocketbase.deed.yaml")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "pocketbase.deed.yaml"), b, 0o644)
	}
	if err == nil && w.lock != nil {
		err = os.WriteFile(filepath.Join(dir, "pocketbase.deed.lock"), w.lock, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (w *workbench) locked(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "pocketbase.deed.lock"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (w *workbench) reset(t *testing.T) {
	t.Helper()
	if err := w.app.Reset(posts); err != nil {
		t.Fatal(err)
	}
}

func TestRegressionKit(t *testing.T) {
	w := learn(t)
	for _, tt := range kit {
		t.Run(tt.name, func(t *testing.T) {
			dir := w.folder(t)
			w.reset(t)
			w.proxy.Inject(tt.fault)
			r := deedRun(t, dir, w.proxy.URL, posts)
			w.proxy.Inject(Fault{})
			if err := w.proxy.Broken(); err != nil {
				t.Fatal(err)
			}
			r.check(t, tt.want)
			if got := strings.Join(told(w.app.Journal(posts)), "\n"); got != tt.want.wrote {
				t.Errorf("PocketBase wrote\n%s\nwant\n%s", got, tt.want.wrote)
			}
			if tt.want.healed == "" {
				w.unchanged(t, dir)
				return
			}
			lock := w.locked(t, dir)
			if !bytes.Contains(lock, []byte("healed: "+tt.want.healed)) {
				t.Errorf("the lock does not hold %s:\n%s", tt.want.healed, lock)
			}
		})
	}
}

// check demands that the run told what is wanted of it, and nothing else.
func (r *run) check(t *testing.T, want wants) {
	t.Helper()
	c := r.Cases[0]
	if r.Exit != want.exit || c.Outcome != want.outcome {
		t.Errorf("exit %d, %s, want %d, %s", r.Exit, c.Outcome, want.exit, want.outcome)
	}
	for _, s := range c.Steps {
		outcome := "verified"
		switch {
		case want.step == s.N:
			outcome = want.outcome
		case want.step > 0 && s.N > want.step && want.exit != 0:
			outcome = "skipped"
		}
		if s.Outcome != outcome {
			t.Errorf("want %s: %s", outcome, s)
		}
		if s.N != want.step {
			continue
		}
		unproven := want.code == "unproven" && slices.Contains([]string{"mismatch", "irreversible", "undo_failed"}, s.Code) && s.Mismatch == "unmet"
		if s.Code != want.code && !unproven {
			t.Errorf("code %q, want %q: %s", s.Code, want.code, s)
		}
		for _, re := range want.says {
			if !regexp.MustCompile(re).MatchString(s.Reason) {
				t.Errorf("it does not say %q: %s", re, s)
			}
		}
		if want.healed != "" && (s.Healed == nil || s.Healed.New != want.healed) {
			t.Errorf("healed %+v, want %s", s.Healed, want.healed)
		}
	}
}
