package locate_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/snaptext"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// A table is a txtar file: `page` (and `before`, `signals`), and `ask`: questions, each with its answer indented below it.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { table(t, file) })
	}
}

func table(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var before, now *deed.Snapshot
	var sig *deed.Signals
	asked := 0
	for k := range ar.Files {
		f := &ar.Files[k]
		name, title, _ := strings.Cut(f.Name, " ")
		switch name {
		case "page", "before":
			s, err := snaptext.Parse(string(f.Data))
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if name == "page" {
				now = s
			} else {
				before = s
			}
		case "signals":
			sig = new(deed.Signals)
			if err := json.Unmarshal(f.Data, sig); err != nil {
				t.Fatal(err)
			}
		case "ask":
			var out []string
			lines := strings.Split(strings.TrimRight(string(f.Data), "\n"), "\n")
			for i := 0; i < len(lines); {
				q := lines[i]
				i++
				var want []string
				for i < len(lines) && strings.HasPrefix(lines[i], "  ") {
					want = append(want, lines[i][2:])
					i++
				}
				if q == "" {
					out = append(out, q)
					continue
				}
				got, err := answer(before, now, sig, q)
				if err != nil {
					t.Fatalf("%s: %q: %v", file, q, err)
				}
				asked++
				if strings.Join(got, "\n") != strings.Join(want, "\n") && !*update {
					t.Errorf("%s %s\n%s\n got  %s\n want %s", file, title, q, strings.Join(got, "\n      "), strings.Join(want, "\n      "))
				}
				out = append(out, q)
				for _, g := range got {
					out = append(out, "  "+g)
				}
			}
			f.Data = []byte(strings.Join(out, "\n") + "\n")
		default:
			t.Fatalf("%s: unknown section %s", file, f.Name)
		}
	}
	if asked == 0 {
		t.Fatalf("%s asks nothing", file)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func answer(before, s *deed.Snapshot, sig *deed.Signals, q string) ([]string, error) {
	numbers := func(is []int) []string {
		var out []string
		for _, i := range is {
			out = append(out, fmt.Sprintf("#%d", s.Nodes[i].Element))
		}
		if out == nil {
			return []string{"none"}
		}
		return []string{strings.Join(out, " ")}
	}
	verb, rest, _ := strings.Cut(q, " ")
	switch verb {
	case "one", "all", "seen", "near":
		l, err := deed.ParseLocator(rest)
		if err != nil {
			return nil, err
		}
		switch verb {
		case "all":
			return numbers(locate.All(s, l)), nil
		case "seen":
			return numbers(locate.Seen(s, l)), nil
		case "near":
			return numbers(locate.Candidates(s, l, 4)), nil
		}
		i, err := locate.One(s, l)
		if err == nil {
			return numbers([]int{i}), nil
		}
		var e *deed.Error
		if !errors.As(err, &e) || i != -1 {
			return nil, fmt.Errorf("%d, %w", i, err)
		}
		out := []string{string(e.Code) + ": " + e.Err.Error()}
		if e.Hint != "" {
			out = append(out, "hint: "+e.Hint)
			// A proposed locator must keep what it promises.
			if _, p, ok := strings.Cut(e.Hint, ": "); ok && !strings.HasPrefix(p, "in ") && !strings.HasPrefix(p, "frame ") {
				l, err := deed.ParseLocator(p)
				if err != nil {
					return nil, fmt.Errorf("the hint %q: %w", e.Hint, err)
				}
				if _, err := locate.One(s, l); err != nil {
					return nil, fmt.Errorf("the hint %q: %w", e.Hint, err)
				}
			}
		}
		return out, nil
	case "region":
		return numbers(locate.Region(s, rest)), nil
	case "in":
		n, region, _ := strings.Cut(rest, " ")
		el, err := strconv.ParseInt(strings.TrimPrefix(n, "#"), 10, 64)
		if err != nil {
			return nil, err
		}
		i := s.ByElement(snaptext.MainFrame, el)
		return []string{fmt.Sprint(locate.InRegion(s, i, region))}, nil
	case "text":
		region, frame, _ := strings.Cut(rest, "frame ")
		return []string{strconv.Quote(locate.Text(s, strings.TrimSpace(region), frame))}, nil
	case "expect":
		e, err := expectation(rest)
		if err != nil {
			return nil, err
		}
		ok, why := locate.Holds(before, s, sig, e)
		if ok != (why == "") {
			return nil, fmt.Errorf("%v, but why is %q", ok, why)
		}
		if ok {
			return []string{"holds"}, nil
		}
		return []string{why}, nil
	}
	return nil, fmt.Errorf("unknown question")
}

// expectation reads what deed.Expect.String writes, near enough, and a word `secret` at its end.
func expectation(q string) (*deed.Expect, error) {
	e := &deed.Expect{}
	q, e.Secret = strings.CutSuffix(q, " secret")
	kind, rest, _ := strings.Cut(q, " ")
	e.Kind = deed.ExpectKind(kind)
	loc := func(s string) (err error) {
		e.Locator, err = deed.ParseLocator(s)
		return err
	}
	text := func(s string) string {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
		return s
	}
	switch e.Kind {
	case deed.ExpectAppears, deed.ExpectDisappears, deed.ExpectVisible, deed.ExpectHidden:
		return e, loc(rest)
	case deed.ExpectValue:
		l, v, _ := strings.Cut(rest, " equals ")
		e.Text = text(v)
		return e, loc(l)
	case deed.ExpectState:
		i := strings.LastIndex(rest, ": ")
		e.States = map[string]bool{}
		for _, s := range strings.Split(rest[i+2:], ", ") {
			s, not := strings.CutPrefix(s, "not ")
			e.States[s] = !not
		}
		return e, loc(rest[:i])
	case deed.ExpectCount:
		e.Min, e.Max = -1, -1
		f := strings.Fields(rest)
		n, err := strconv.Atoi(f[len(f)-1])
		if err != nil {
			return nil, err
		}
		switch f[len(f)-2] {
		case "equals":
			e.Min, e.Max = n, n
		case "min":
			e.Min = n
		case "max":
			e.Max = n
		}
		return e, loc(strings.Join(f[:len(f)-2], " "))
	case deed.ExpectText:
		t, where, _ := strings.Cut(rest, " in ")
		where, e.Locator.Frame, _ = strings.Cut(where, " frame ")
		e.Text, e.Locator.Region = text(t), where
	case deed.ExpectRequest:
		f := append(strings.Fields(rest), "", "")
		e.Request = deed.RequestSpec{Method: f[0], URL: f[1]}
		e.Request.Status, _ = strconv.Atoi(f[2])
	case deed.ExpectURL, deed.ExpectTitle, deed.ExpectDialog, deed.ExpectPopup, deed.ExpectDownload, deed.ExpectNoErrors:
		e.Text = text(rest)
	default:
		return nil, fmt.Errorf("unknown kind")
	}
	return e, nil
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"http://h/a", "http://h/a", true},
		{"http://h/a", "http://h/a/", false},
		{"http://h", "http://h/", true},
		{"HTTP://H/a", "http://h/a", true},
		{"http://h/A", "http://h/a", false},
		{"http://h/*", "http://h/a", true},
		{"http://h/*", "http://h/a/b", false},
		{"http://h/**", "http://h/a/b?c=1#d", true},
		{"**/dashboard", "http://h:8080/app/dashboard", true},
		{"**/dashboard", "http://h/dashboard", true},
		{"**/dashboard", "http://h/mydashboard", false},
		{"**/dashboard", "http://h/dashboard?from=login", false},
		{"**/dashboard*", "http://h/dashboard?from=login", true},
		{"**/dashboard?from=*", "http://h/dashboard?from=login", true},
		{"**/dashboard?from=*", "http://h/dashboardXfrom=login", false},
		{"**", "about:blank", true},
		{"about:blank", "about:blank", true},
		{"/shop", "http://h/shop", true},
		{"/shop", "http://h/a/shop", false},
		{"/", "http://h/", true},
		{"/*#/items", "http://h/app#/items", true},
		{"/shop/*/edit", "http://h/shop/17/edit", true},
		{"/shop/*/edit", "http://h/shop/1/7/edit", false},
		{"*.example/x", "http://pay.example/x", true},
		{"http://*.example/x", "http://pay.example/x", true},
		{"http://*.example/x", "http://evil.test/?.example/x", false},
		{"h:8080/x", "http://h:8080/x", true},
		{"/caf\u00e9", "http://h/caf%C3%A9", true},
		{"/caf%C3%A9", "http://h/caf%C3%A9", true},
		{"", "http://h/", false},
		{"/x", "about:blank", false},
		{"/a[1]", "http://h/a[1]", true},
		{"**/**/**/**/**/**/**/x", "http://h/" + strings.Repeat("a/", 500), false},
	} {
		if got := locate.Glob(c.pattern, c.url); got != c.want {
			t.Errorf("Glob(%q, %q) = %v", c.pattern, c.url, got)
		}
	}
}

// Whatever a locator made of a node's own words finds, the node is among it; and one match is exactly that.
func TestANodeIsFoundByItsOwnWords(t *testing.T) {
	s := snaptext.MustParse(page(t, "testdata/find.txtar"))
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(s.Nodes)-1).Draw(t, "i")
		n := &s.Nodes[i]
		l := deed.Find(n.Role, n.Name)
		if rapid.Bool().Draw(t, "loose") {
			l = l.Containing()
			l.Name = strings.ToUpper(l.Name)
		}
		if rapid.Bool().Draw(t, "region") {
			l.Region = n.Region
		}
		if rapid.Bool().Draw(t, "near") {
			l.Near = n.Row
		}
		all := locate.All(s, l)
		found := false
		for _, j := range all {
			found = found || j == i
		}
		hidden := false
		for _, j := range all {
			hidden = hidden || n.Unseen && !s.Nodes[j].Unseen
		}
		if !found && !hidden {
			t.Fatalf("%s finds %v, not %d", l, all, i)
		}
		j, err := locate.One(s, l)
		if (err == nil) != (len(all) == 1) || err == nil && j != all[0] {
			t.Fatalf("%s: One is %d, %v; All is %v", l, j, err, all)
		}
	})
}

func page(t testing.TB, file string) string {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if f.Name == "page" {
			return string(f.Data)
		}
	}
	t.Fatalf("%s has no page", file)
	return ""
}

func BenchmarkOne(b *testing.B) {
	var text strings.Builder
	text.WriteString("list \"Items\" #1\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "  listitem \"Item %d — größer\" #%d row=\"Item %d\"\n    button \"Delete\" #%d\n", i, 2*i+2, i, 2*i+3)
	}
	s := snaptext.MustParse(text.String())
	for _, c := range []struct{ name, locator string }{
		{"name", `listitem "Item 4000 — größer"`},
		{"near", `button "Delete" in list "Items" near "Item 4000"`},
	} {
		l, err := deed.ParseLocator(c.locator)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := locate.One(s, l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
