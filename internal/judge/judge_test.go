package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/snaptext"
)

// The rules of the judge are tables: a file of testdata is one rule, its head says which and the bug it guards. The
// sections action, before, after and extra.json are shared by its cases; CASE/action and so on replace them. What a case wants
// is CASE/want: the verdict and its basis or kind, then texts that the reason holds (with ! in front: does not hold).
//
// An action is a line `click button "Add" in catalog`, then lines `text: …`, `key: …`, `option: …`, `intent: …`,
// `secret: NAME`, `expect: {JSON}`, `target: #12`, `file: PATH`, `drop: {JSON}`, `scroll: {JSON}`. A tab is `tab switch`. CASE/seen is the page in between.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	cases := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		table := parseTable(t, file, string(data))
		if strings.TrimSpace(table.head) == "" {
			t.Errorf("%s: the head that names the rule is missing", file)
		}
		if len(table.names) == 0 {
			t.Errorf("%s: no case", file)
		}
		for _, name := range table.names {
			cases++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				ev := table.evidence(t, name)
				wants(t, table.section(name, "want"), ev, Judge(ev))
			})
		}
	}
	if cases < 300 {
		t.Errorf("only %d cases: the table has shrunk", cases)
	}
}

type table struct {
	head  string
	names []string
	parts map[string]string
}

func parseTable(t *testing.T, file, data string) *table {
	t.Helper()
	a := txtar.Parse([]byte(data))
	tb := &table{head: string(a.Comment), parts: map[string]string{}}
	for _, f := range a.Files {
		if _, twice := tb.parts[f.Name]; twice {
			t.Fatalf("%s: section %s twice", file, f.Name)
		}
		tb.parts[f.Name] = string(f.Data)
		name, part, ok := strings.Cut(f.Name, "/")
		if !ok {
			part = name
		}
		if !slices.Contains([]string{"action", "before", "seen", "after", "extra.json", "want"}, part) {
			t.Fatalf("%s: unknown section %s", file, f.Name)
		}
		if ok && part == "want" {
			tb.names = append(tb.names, name)
		}
	}
	for k := range tb.parts {
		if name, _, ok := strings.Cut(k, "/"); ok && !slices.Contains(tb.names, name) {
			t.Fatalf("%s: case %s wants nothing", file, name)
		}
	}
	return tb
}

func (tb *table) section(name, part string) string {
	if s, ok := tb.parts[name+"/"+part]; ok {
		return s
	}
	return tb.parts[part]
}

// extra is what the sections cannot say.
type extra struct {
	Witness    *deed.Witness `json:"witness"`
	Signals    deed.Signals  `json:"signals"`
	Held       *bool         `json:"held"`
	Watched    *deed.Watched `json:"watched"`
	FieldValue string        `json:"fieldValue"`
	Unrested   bool          `json:"unrested"`
	Pending    bool          `json:"pending"`
	Early      bool          `json:"early"` // not final
	Inert      bool          `json:"inert"`
	Upload     []deed.File   `json:"upload"`
	Caused     []string      `json:"caused"` // changes whose line holds one of these; "*" for all
}

func (tb *table) evidence(t *testing.T, name string) *Evidence {
	t.Helper()
	var x extra
	if s := tb.section(name, "extra.json"); s != "" {
		d := json.NewDecoder(strings.NewReader(s))
		d.DisallowUnknownFields()
		if err := d.Decode(&x); err != nil {
			t.Fatalf("extra.json: %v", err)
		}
	}
	snap := func(part string) *deed.Snapshot {
		text, ok := tb.parts[name+"/"+part]
		if !ok {
			if text, ok = tb.parts[part]; !ok {
				return nil
			}
		}
		s, err := snaptext.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		return s
	}
	before, after, seen := snap("before"), snap("after"), snap("seen")
	if before == nil {
		t.Fatal("no page before")
	}
	if after == nil {
		after = before
	}
	a, target := parseAction(t, tb.section(name, "action"), before)
	ev := &Evidence{Action: a, Before: before, After: after, Target: target, Diff: diff.Between(before, after), Witness: deed.Witness{Delivered: true, Via: "pointer"},
		Signals: x.Signals, Held: x.Held, Watched: x.Watched, FieldValue: x.FieldValue, Rested: !x.Unrested, Pending: x.Pending, Final: !x.Early, ProvenInert: x.Inert, Upload: x.Upload}
	if x.Witness != nil {
		ev.Witness = *x.Witness
	}
	for i := range ev.Diff.Changes {
		c := &ev.Diff.Changes[i]
		for _, part := range x.Caused {
			if part == "*" || strings.Contains(c.String(), part) {
				c.Caused = true
			}
		}
	}
	if seen != nil {
		ev.Seen = []*deed.Snapshot{seen}
		ev.Passing = passing(ev, seen)
	}
	return ev
}

// passing are the changes that were seen and are not among the changes now.
func passing(ev *Evidence, seen *deed.Snapshot) []deed.Change {
	key := func(c *deed.Change) deed.Key {
		k := c.Key
		k.Name, k.Region = c.After.Name, c.After.Region
		return k
	}
	now := map[deed.Key]bool{}
	for i := range ev.Diff.Changes {
		now[key(&ev.Diff.Changes[i])] = true
	}
	var out []deed.Change
	d := diff.Between(ev.Before, seen)
	for _, c := range d.Changes {
		if (c.Kind == deed.Appeared || c.Kind == deed.Changed || c.Kind == deed.Renamed) && !now[key(&c)] {
			out = append(out, c)
		}
	}
	return out
}

func parseAction(t *testing.T, text string, before *deed.Snapshot) (deed.Action, int) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	kind, loc, _ := strings.Cut(lines[0], " ")
	a := deed.Action{Kind: deed.Kind(kind)}
	target := -1
	for _, l := range lines[1:] {
		k, v, _ := strings.Cut(l, ":")
		v = strings.TrimPrefix(v, " ")
		switch k {
		case "text":
			a.Text = strings.ReplaceAll(v, `\n`, "\n")
		case "key":
			a.Key = v
		case "option":
			a.Options = append(a.Options, v)
		case "file":
			a.Files = append(a.Files, v)
		case "drop":
			a.Drop = new(deed.Drop)
			decode(t, v, a.Drop)
		case "scroll":
			a.Scroll = new(deed.Scroll)
			decode(t, v, a.Scroll)
		case "intent":
			a.Intent = v
		case "secret":
			a.Secret = v
		case "expect":
			var e deed.Expect
			decode(t, v, &e)
			a.Expect = append(a.Expect, e)
		case "target":
			var n int64
			if _, err := fmt.Sscanf(v, "#%d", &n); err != nil {
				t.Fatal(err)
			}
			target = slices.IndexFunc(before.Nodes, func(m deed.Node) bool { return m.Element == n })
			if target < 0 {
				t.Fatalf("no element #%d", n)
			}
		default:
			t.Fatalf("action: unknown line %q", l)
		}
	}
	switch {
	case a.Kind == deed.KindGoto, a.Kind == deed.KindShot:
		a.Text, loc = loc, ""
	case a.Kind == deed.KindTab:
		a.Tab, loc = loc, ""
	case a.Kind == deed.KindPress && a.Key == "":
		a.Key, loc, _ = strings.Cut(loc, " ")
	}
	if loc != "" {
		l, err := deed.ParseLocator(loc)
		if err != nil {
			t.Fatal(err)
		}
		a.Locator = l
		if target < 0 {
			i, err := locate.One(before, l)
			switch {
			case err == nil:
				target = i
			case a.Kind != deed.KindScroll: // which may bring the element
				t.Fatal(err)
			}
		}
	}
	return a, target
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func wants(t *testing.T, want string, ev *Evidence, j deed.Judgement) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	got := j.Verdict.String()
	for _, s := range []string{string(j.Basis), string(j.Kind)} {
		if s != "" {
			got += " " + s
		}
	}
	if j.Already {
		got += " already"
	}
	if got != lines[0] {
		t.Errorf("got  %s: %s\nwant %s\ndiff %s", got, j.Reason, lines[0], strings.Join(ev.Diff.Lines(), "\n     "))
	}
	for _, l := range lines[1:] {
		if no, ok := strings.CutPrefix(l, "!"); ok {
			if strings.Contains(j.Reason, no) {
				t.Errorf("the reason holds %q: %s", no, j.Reason)
			}
		} else if !strings.Contains(j.Reason, l) {
			t.Errorf("the reason lacks %q: %s", l, j.Reason)
		}
	}
	if (j.Verdict == deed.Match) != (j.Basis != "") || (j.Verdict == deed.Mismatch) != (j.Kind != "") || j.Reason == "" {
		t.Errorf("a verdict without its ground: %+v", j)
	}
}
