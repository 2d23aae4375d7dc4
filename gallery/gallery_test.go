// Package gallery_test runs a case on each page of real components from npm: what a person does with an Ant Design form, a
// grid, an editor, a calendar. The pages are bundled here, from gallery/node_modules, and served on 127.0.0.1.
//
// Each page keeps its own record of what really happened to it, window.record; the last step of each case saves it, and
// it must be as the JSON file beside the case says. So a step that is called proven although the component did something else is found.
package gallery_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/casefile"
)

var (
	gallery = flag.Bool("gallery", false, "run the cases; needs gallery/node_modules, which make gallery fetches")
	serve   = flag.String("serve", "", "serve the pages at this address until interrupted, to look at them or to try a case")
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// names are the components: the folders of pages.
func names(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("pages/*/index.html")
	if err != nil || len(dirs) < 17 {
		t.Fatalf("only %d pages, %v", len(dirs), err)
	}
	for i := range dirs {
		dirs[i] = filepath.Base(filepath.Dir(dirs[i]))
	}
	return dirs
}

// load reads the cases, by their names; their pages are served at base.
func load(t *testing.T, base string) map[string]deed.Case {
	t.Helper()
	cases, problems := casefile.Load([]string{"cases"}, casefile.Options{BaseURL: base, LookupEnv: os.LookupEnv})
	for _, p := range problems {
		if name := strings.TrimSuffix(filepath.Base(p.Pos.File), ".deed.yaml"); pending[name] == "" || !errors.Is(p, deed.CodeUnsupported) {
			t.Error(p)
		}
	}
	out := map[string]deed.Case{}
	for _, c := range cases {
		out[strings.TrimSuffix(filepath.Base(c.File), ".deed.yaml")] = c
	}
	return out
}

// recorded is what the page's record must be when the case is over.
func recorded(t *testing.T, name string) any {
	t.Helper()
	data, err := os.ReadFile("cases/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("%s.json: %v", name, err)
	}
	return want
}

// Every page has a case; every case reads without complaint, ends by saving the page's record, and says what that must be.
func TestEveryPageHasACase(t *testing.T) {
	const base = "http://127.0.0.1:1"
	cases, started := load(t, base), map[string]bool{}
	for name, c := range cases {
		page := strings.Trim(strings.TrimPrefix(c.Start, base), "/")
		started[page] = true
		if c.ID != "gallery/"+name {
			t.Errorf("%s: the case is called %s", c.File, c.ID)
		}
		if last := c.Steps[len(c.Steps)-1]; last.Save != "record" {
			t.Errorf("%s: the last step does not save the page's record", c.File)
		}
		if want, ok := recorded(t, name).(map[string]any); !ok || len(want) == 0 {
			t.Errorf("%s: its record says nothing", c.File)
		}
	}
	for _, name := range names(t) {
		entry(t, name)
		if !started[name] && pending[name] == "" {
			t.Errorf("page %s has no case", name)
		}
	}
	for name := range pending {
		if _, err := os.Stat("cases/" + name + ".deed.yaml"); err != nil {
			t.Errorf("pending: %v", err)
		}
	}
}

// entry is the script of a page.
func entry(t *testing.T, name string) string {
	t.Helper()
	found, _ := filepath.Glob("pages/" + name + "/entry.js*")
	if len(found) != 1 {
		t.Fatalf("%s has %d entries", name, len(found))
	}
	return found[0]
}

// bundle builds what the pages load: path from the root of the server to content.
func bundle(t *testing.T) map[string][]byte {
	t.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		t.Fatal("gallery/node_modules is missing: run make gallery")
	}
	o := api.BuildOptions{
		Bundle: true, Outdir: "/", Outbase: "pages", Format: api.FormatIIFE, Target: api.ES2022, JSX: api.JSXAutomatic,
		Define:   map[string]string{"process.env.NODE_ENV": `"production"`},
		Loader:   map[string]api.Loader{".svg": api.LoaderDataURL, ".woff": api.LoaderDataURL, ".woff2": api.LoaderDataURL},
		LogLevel: api.LogLevelSilent,
	}
	for _, name := range names(t) {
		o.EntryPoints = append(o.EntryPoints, entry(t, name))
	}
	res := api.Build(o)
	for i, e := range res.Errors {
		if i == 5 {
			t.Errorf("and %d more", len(res.Errors)-i)
			break
		}
		where := ""
		if e.Location != nil {
			where = fmt.Sprintf("%s:%d: ", e.Location.File, e.Location.Line)
		}
		t.Errorf("%s%s", where, e.Text)
	}
	if len(res.Errors) > 0 {
		t.FailNow()
	}
	out := map[string][]byte{}
	for _, f := range res.OutputFiles {
		out[filepath.ToSlash(f.Path)] = f.Contents
	}
	return out
}

// pages serves the pages and what they load, and nothing else.
func pages(t *testing.T) http.Handler {
	t.Helper()
	files := bundle(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Clean(r.URL.Path)
		content, ok := files[name]
		switch {
		case ok:
		case strings.HasSuffix(name, "/entry.css"): // a page without styles of its own
		case name == "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
			return
		default:
			var err error
			if content, err = os.ReadFile(filepath.Join("pages", filepath.FromSlash(name), "index.html")); err != nil {
				http.NotFound(w, r)
				return
			}
			name += "/index.html"
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}

// at is where a step stands in its case.
func at(s deed.Step) string { return fmt.Sprintf("%s:%d", s.Pos.File, s.Pos.Line) }

func TestGallery(t *testing.T) {
	if !*gallery {
		return // make gallery: without node_modules there is nothing to run
	}
	base := browsertest.Server(t, pages(t))
	cases := load(t, base)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			if why := pending[name]; why != "" {
				t.Logf("pending: %s", why)
				return
			}
			p := browsertest.Open(t, c.Start)
			var record json.RawMessage
			for i, step := range c.Steps {
				res, err := p.Do(t.Context(), step.Action)
				if err != nil || res.Outcome != deed.OutcomeVerified && res.Outcome != deed.OutcomeAlready {
					t.Fatalf("%s: step %d is not proven: %v\n%s\n%s", at(step), i+1, err, res.Explain(), strings.Join(res.Log, "\n"))
				}
				if step.Save != "" {
					record, _ = res.Saved.(json.RawMessage)
				}
			}
			var got any
			if err := json.Unmarshal(record, &got); err != nil {
				t.Fatalf("the page's record: %v", err)
			}
			if d := cmp.Diff(recorded(t, name), got); d != "" {
				t.Errorf("every step was called proven, but the page's record is not as it should be (-want +got):\n%s", d)
			}
		})
	}
}

// The names and roles of the script agree with Chrome's accessibility tree on real components, as they are and with something open.
func TestNamesAgreeWithChrome(t *testing.T) {
	if !*gallery {
		return
	}
	base := browsertest.Server(t, pages(t))
	var urls []string
	for _, name := range names(t) {
		urls = append(urls, base+"/"+name+"/")
	}
	known, err := filepath.Abs("ax-differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-count=1", "-timeout=8m", "-run=^TestAgreesOnServedPages$", "../internal/pagescript",
		"-args", "-ax.pages="+strings.Join(urls, ","), "-ax.known="+known)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the page script and Chrome do not agree: %v", err)
	}
}

func TestServe(t *testing.T) {
	if *serve == "" {
		return
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	s := &http.Server{Addr: *serve, Handler: pages(t)}
	done := make(chan error, 1)
	go func() { done <- s.ListenAndServe() }()
	fmt.Fprintln(os.Stderr, "serving the gallery at http://"+*serve)
	select {
	case err := <-done:
		t.Error(err)
	case <-ctx.Done():
		_ = s.Close()
		<-done
	}
}

// pending are the cases that deed cannot do yet, each with what is missing. Take a line away as soon as it can.
var pending = map[string]string{}
