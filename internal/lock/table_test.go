package lock

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/snaptext"
)

var update = flag.Bool("update", false, "rewrite the results in testdata")

// A fixture is one archive: a page before and after a step, and the same again.
type fixture struct {
	t *testing.T
	a *txtar.Archive
	p string
}

func fixtures(t *testing.T, glob string, run func(t *testing.T, f *fixture)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", glob, "*.txtar"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("testdata/%s: %d archives, %v", glob, len(paths), err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			f := &fixture{t, a, p}
			run(t, f)
			if *update {
				if err := os.WriteFile(p, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func (f *fixture) has(name string) bool {
	for _, s := range f.a.Files {
		if s.Name == name {
			return true
		}
	}
	return false
}

func (f *fixture) section(name string) string {
	for _, s := range f.a.Files {
		if s.Name == name {
			return string(s.Data)
		}
	}
	return ""
}

// want compares a section with what came, or writes it down.
func (f *fixture) want(name, got string) {
	f.t.Helper()
	for i := range f.a.Files {
		if s := &f.a.Files[i]; s.Name == name {
			if *update {
				s.Data = []byte(got)
			} else if string(s.Data) != got {
				f.t.Errorf("%s is\n%s\nwant\n%s", name, got, s.Data)
			}
			return
		}
	}
	f.t.Fatalf("%s has no section %q", f.p, name)
}

func (f *fixture) snapshot(name string) *deed.Snapshot {
	f.t.Helper()
	s, err := snaptext.Parse(f.section(name))
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	if s.URL == "" {
		s.URL = "http://shop.example/shop"
		s.Frames[0].URL = s.URL
	}
	return s
}

// action reads `click button "Save" in form`, `fill textbox "Email" = "ana"`, `goto http://…`, `fill textbox "Key" secret KEY`.
func action(t *testing.T, s string) deed.Action {
	t.Helper()
	kind, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	a := deed.Action{Kind: deed.Kind(kind)}
	if a.Kind == deed.KindGoto {
		a.Text = rest
		return a
	}
	if a.Kind == deed.KindPress && !strings.Contains(rest, " ") {
		a.Key = rest
		return a
	}
	if at, text, ok := strings.Cut(rest, " = "); ok {
		rest = at
		v, err := strconv.Unquote(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		a.Text = v
	}
	if at, name, ok := strings.Cut(rest, " secret "); ok {
		rest, a.Secret, a.Text = at, name, "hunter2-"+name
	}
	l, err := deed.ParseLocator(rest)
	if err != nil {
		t.Fatal(err)
	}
	a.Locator = l
	return a
}

// theCase reads the head of a fixture: the section "case" has a step a line, and lines `start URL`, `var NAME=VALUE`, `origin URL`.
func (f *fixture) theCase() *deed.Case {
	c := &deed.Case{ID: "fixture", Start: "http://shop.example/shop", Vars: map[string]string{}, Secrets: map[string]string{}}
	for _, line := range strings.Split(strings.TrimSpace(f.section("case")), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "start":
			c.Start = rest
		case "origin":
			c.Origins = append(c.Origins, rest)
		case "var":
			k, v, _ := strings.Cut(rest, "=")
			c.Vars[k] = v
		default:
			a := action(f.t, line)
			if a.Secret != "" {
				c.Secrets[a.Secret] = a.Text
			}
			c.Steps = append(c.Steps, deed.Step{Action: a})
		}
	}
	return c
}

// result is what the first step of the case did between two snapshots, with signals of which each line is `POST URL 201`, `dialog confirm
// accepted "…"`, `download NAME`, `page URL`, and `uncaused TEXT` for changes that hold the text.
func result(t *testing.T, a *deed.Action, before, after *deed.Snapshot, signals string) *deed.Result {
	t.Helper()
	r := &deed.Result{Action: *a, Outcome: deed.OutcomeVerified, URL: after.URL}
	if a.Kind != deed.KindGoto {
		r.Diff = diff.Between(before, after)
	}
	if len(after.Frames) > 1 {
		r.Frames = after.Frames
	}
	if !a.Locator.IsZero() {
		i, err := locate.One(before, a.Locator)
		if err != nil {
			t.Fatal(err)
		}
		r.Target, r.Spot = before.Nodes[i], locate.Spot(before, i)
	}
	for i := range r.Diff.Changes {
		r.Diff.Changes[i].Caused = true
	}
	for _, line := range strings.Split(signals, "\n") {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		switch w[0] {
		case "dialog":
			_, text, _ := strings.Cut(line, `"`)
			r.Signals.Dialogs = append(r.Signals.Dialogs, deed.Dialog{Kind: w[1], Accepted: w[2] == "accepted", Message: strings.TrimSuffix(text, `"`)})
		case "download":
			r.Signals.Downloads = append(r.Signals.Downloads, deed.Download{Name: w[1], Done: true})
		case "page":
			r.Signals.Pages = append(r.Signals.Pages, deed.NewPage{URL: w[1]})
		case "uncaused":
			found := false
			for i := range r.Diff.Changes {
				if strings.Contains(r.Diff.Changes[i].String(), strings.TrimPrefix(line, "uncaused ")) {
					r.Diff.Changes[i].Caused, found = false, true
				}
			}
			if !found {
				t.Fatalf("nothing is %q", line)
			}
		default:
			q := deed.Request{Method: w[0], URL: w[1]}
			if len(w) > 2 {
				n, err := strconv.Atoi(w[2])
				if err != nil {
					q.Failed = w[2]
				}
				q.Status, q.Done = n, true
			}
			r.Signals.Requests = append(r.Signals.Requests, q)
		}
	}
	return r
}

func (f *fixture) evidence(c *deed.Case, prefix string) Evidence {
	before := "before"
	if f.has(prefix + "before") {
		before = prefix + "before"
	}
	return Evidence{Result: result(f.t, &c.Steps[0].Action, f.snapshot(before), f.snapshot(prefix+"after"), f.section(prefix+"signals"))}
}

func lines(ds []deed.Divergence) string {
	if len(ds) == 0 {
		return "none\n"
	}
	var b strings.Builder
	for _, d := range ds {
		b.WriteString(d.String() + "\n")
	}
	return b.String()
}

// TestCheck: what a step did is compared with its lock: of one run in the section "first", of two runs in "then".
func TestCheck(t *testing.T) {
	fixtures(t, "check", func(t *testing.T, f *fixture) {
		c := f.theCase()
		l := Record(c, []Evidence{f.evidence(c, "")})
		if f.has("lock") {
			f.want("lock", writeStep(&l.Steps[0]))
		}
		if got := lines(l.Check(c, 0, f.evidence(c, ""))); got != "none\n" {
			t.Errorf("the run that was recorded diverges: %s", got)
		}
		again := f.evidence(c, "again ")
		if f.has("first") {
			f.want("first", lines(l.Check(c, 0, again)))
		}
		if f.has("then") {
			two := Merge(l, l)
			f.want("then", lines(two.Check(c, 0, again)))
		}
		now := Record(c, []Evidence{again})
		if f.has("accepted") {
			to := Accept(Merge(l, l), now)
			f.want("accepted", strings.Join(Lines(l, to), "\n")+"\n")
			if got := lines(to.Check(c, 0, again)); got != "none\n" {
				t.Errorf("what was accepted diverges: %s", got)
			}
		}
	})
}

// TestLearn: two runs that differ in what varies.
func TestLearn(t *testing.T) {
	fixtures(t, "learn", func(t *testing.T, f *fixture) {
		c := f.theCase()
		one, two := f.evidence(c, ""), f.evidence(c, "again ")
		l := Record(c, []Evidence{one})
		f.want("first", lines(l.Check(c, 0, two)))
		m := Merge(l, Record(c, []Evidence{two}))
		f.want("lock", writeStep(&m.Steps[0]))
		if f.has("change") {
			f.want("change", strings.Join(append(Lines(l, m), Summary(l, m)), "\n")+"\n")
		}
		for i, ev := range []Evidence{one, two} {
			if got := lines(m.Check(c, 0, ev)); got != "none\n" {
				t.Errorf("run %d diverges from what both have in common: %s", i+1, got)
			}
		}
		if f.has("third after") {
			f.want("third", lines(m.Check(c, 0, f.evidence(c, "third "))))
		}
	})
}

// TestPropose: an element whose locator finds nothing.
func TestPropose(t *testing.T) {
	fixtures(t, "heal", func(t *testing.T, f *fixture) {
		c := f.theCase()
		before := f.snapshot("before")
		var evs []Evidence
		for i := range c.Steps {
			evs = append(evs, Evidence{Result: result(t, &c.Steps[i].Action, before, before, "")})
		}
		l := Record(c, evs)
		if p, why := l.Propose(c, 0, before); p == nil {
			t.Errorf("the page as it was: nothing proposed, %s", why)
		} else if i, err := locate.One(before, c.Steps[0].Action.Locator); err != nil || i != p.Index {
			t.Errorf("the page as it was: proposed %s, %v", p.New, err)
		}
		p, why := l.Propose(c, 0, f.snapshot("now"))
		if p == nil {
			f.want("want", "none: "+why+"\n")
			return
		}
		f.want("want", fmt.Sprintf("%s\n%s\n", p.Locator, strings.Join(p.Reasons, "\n")))
	})
}
