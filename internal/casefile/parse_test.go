package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
)

func noEnv(string) (string, bool) { return "", false }

const small = "deed: 1\ncase: a\nstart: http://127.0.0.1/\nsteps:\n  - click: {button: Save}\n"

func TestProblemIsAnError(t *testing.T) {
	_, problems := Parse("x/a.deed.yaml", []byte("deed: 1\ncase: a\nstart: http://127.0.0.1/\nsteps:\n  - use: {fragment: a}\n  - click: {buton: a}\n"), Options{LookupEnv: noEnv})
	if len(problems) != 2 {
		t.Fatalf("got %v", problems)
	}
	var err error = problems[0]
	if !errors.Is(err, deed.CodeInvalid) {
		t.Errorf("%v is not %s", err, deed.CodeInvalid)
	}
	if !errors.Is(problems[1], deed.CodeInvalid) {
		t.Errorf("%v is not %s", problems[1], deed.CodeInvalid)
	}
	if want := (deed.Pos{File: "x/a.deed.yaml", Line: 6, Column: 13}); problems[1].Pos != want {
		t.Errorf("position %v, want %v", problems[1].Pos, want)
	}
	if want := `x/a.deed.yaml:6:13: unknown role "buton"`; problems[1].Error() != want {
		t.Errorf("got %q, want %q", problems[1].Error(), want)
	}
	if want := `did you mean "button"?`; problems[1].Hint != want {
		t.Errorf("hint %q, want %q", problems[1].Hint, want)
	}
}

// Byte order marks and Windows line ends are what editors add; they move no position.
func TestByteOrderMarkAndLineEnds(t *testing.T) {
	plain, problems := Parse("a.deed.yaml", []byte(small), Options{LookupEnv: noEnv})
	if len(problems) > 0 || len(plain) != 1 {
		t.Fatal(problems)
	}
	marked, problems := Parse("a.deed.yaml", []byte("\ufeff"+strings.ReplaceAll(small, "\n", "\r\n")), Options{LookupEnv: noEnv})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if d := cmp.Diff(plain, marked); d != "" {
		t.Error(d)
	}
}

// The YAML parser is recursive and quadratic in depth: what nests beyond reason never reaches it.
func TestNestingIsBounded(t *testing.T) {
	for _, piece := range []string{"[", "{a: ", "- ", "? ", "!!str ", "&a "} {
		for _, name := range []string{"a.deed.yaml", "a.deed.json"} {
			start := time.Now()
			cases, problems := Parse(name, bytes.Repeat([]byte(piece), 1<<17), Options{LookupEnv: noEnv})
			if len(cases) > 0 || len(problems) == 0 {
				t.Errorf("%s of %q: %d cases, %d problems", name, piece, len(cases), len(problems))
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%s of %q took %v", name, piece, d)
			}
		}
	}
	deep := "deed: 1\nvars:\n  A: " + strings.Repeat("[", 70) + strings.Repeat("]", 70)
	if _, problems := Parse("a.deed.yaml", []byte(deep), Options{LookupEnv: noEnv}); !strings.Contains(fmt.Sprint(problems), "deep") {
		t.Errorf("got %v", problems)
	}
}

// Variables that double one another would fill the memory.
func TestExpansionIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("deed: 1\ncase: a\nstart: http://127.0.0.1/\nsteps: [{click: {button: \"${V40}\"}}]\nvars:\n  V0: aaaaaaaaaaaaaaaa\n")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, "  V%d: ${V%d}${V%d}\n", i, i-1, i-1)
	}
	cases, problems := Parse("a.deed.yaml", []byte(b.String()), Options{LookupEnv: noEnv})
	if len(cases) != 0 || !strings.Contains(fmt.Sprint(problems), "expand to more than") {
		t.Errorf("%d cases, %v", len(cases), problems)
	}
}

// A folder that cannot be entered, and a file that is none, are complaints beside the cases of the others.
func TestLoadGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("good.deed.yaml", []byte(small))
	write("huge.deed.yaml", bytes.Repeat([]byte("# padding\n"), MaxFile/10+1))
	if err := os.Symlink("nowhere", "gone.deed.yaml"); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.Symlink("good.deed.yaml", "linked.deed.yaml"); err != nil {
		t.Fatal(err)
	}
	cases, problems := Load([]string{"."}, Options{LookupEnv: noEnv})
	if len(cases) != 1 || cases[0].ID != "a" {
		t.Errorf("cases %v", cases)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		"gone.deed.yaml: no such file or directory",
		"huge.deed.yaml: 1024 KB, a case file has at most 1024",
		`linked.deed.yaml:2:7: the case id "a" is already used at good.deed.yaml:2:7`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzParse: no text ends the program; every complaint points into the file; what is returned can be carried
// out; nothing is passed over in silence.
func FuzzParse(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if strings.Contains(file.Name, ".deed.") {
				f.Add(strings.TrimPrefix(filepath.Ext(file.Name), "."), file.Data)
			}
		}
	}
	for _, s := range []string{"", "\x00", "---", "--- ---\n...", "\ufeff", "a: |\n  x\n---\n", "? ", "'", "&a *a", "%YAML 1.2\n---\n" + small, "\xff\xfe", "{\"a\":"} {
		for _, ext := range []string{"yaml", "json", "md"} {
			f.Add(ext, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, ext string, data []byte) {
		if ext != "yaml" && ext != "json" && ext != "md" {
			return
		}
		name := "a.deed." + ext
		cases, problems := Parse(name, data, Options{LookupEnv: noEnv, BaseURL: "http://127.0.0.1:1"})
		if len(cases)+len(problems) == 0 {
			t.Fatal("neither a case nor a complaint")
		}
		lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n"), "\n")
		for _, p := range problems {
			if p.Pos.File != name || p.Pos.Line < 1 || p.Pos.Line > len(lines) ||
				p.Pos.Column < 1 || p.Pos.Column > utf8.RuneCountInString(lines[p.Pos.Line-1])+1 {
				t.Errorf("%v is outside the file", p)
			}
			if c := deed.CodeOf(p.Err); c != deed.CodeInvalid && c != deed.CodeUnsupported {
				t.Errorf("%v: code %q", p, c)
			}
		}
		for _, c := range cases {
			if !deed.ValidCaseID(c.ID) || len(c.Steps) == 0 {
				t.Errorf("case %q with %d steps", c.ID, len(c.Steps))
			}
			for _, s := range c.Steps {
				if err := s.Action.Validate(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// What is written is read back, whatever stands in names and values, from JSON and from YAML.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCase(t)
		doc, err := json.Marshal(caseDocument(want))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.deed.json", "a.deed.yaml"} {
			got, problems := Parse(name, doc, Options{LookupEnv: noEnv})
			if len(problems) > 0 {
				t.Fatalf("%s\n%v", doc, problems)
			}
			if len(got) != 1 {
				t.Fatalf("%s: %d cases", doc, len(got))
			}
			want.File, want.Secrets = name, map[string]string{}
			if got[0].Pos.Line == 0 {
				t.Error("the case has no position")
			}
			got[0].Pos = deed.Pos{}
			for i := range got[0].Steps {
				if got[0].Steps[i].Pos.Line == 0 {
					t.Error("a step has no position")
				}
				got[0].Steps[i].Pos = deed.Pos{}
			}
			if d := cmp.Diff(want, got[0]); d != "" {
				t.Fatalf("%s %s\n(-want +got)\n%s", name, doc, d)
			}
		}
	})
}

var (
	anyText   = rapid.StringOf(rapid.RuneFrom([]rune("aZ 0:#'\"{}[]|>-&*!%@`\\$,?~\n\té漢😀\u200b\u00ad"))).Filter(func(s string) bool { return !looksLikePattern(s) })
	spokenOf  = anyText.Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	durations = rapid.Int64Range(1, int64(time.Hour))
)

// looksLikePattern: such a text is a regular expression, and may be a bad one.
func looksLikePattern(s string) bool { return strings.HasPrefix(s, "/") }

func drawLocator(t *rapid.T) deed.Locator {
	l := deed.Find(rapid.SampledFrom(deed.Roles()).Draw(t, "role"), anyText.Draw(t, "name"))
	if l.Name == "" {
		l.Role = "button" // a bare landmark cannot be expected
	}
	l.Loose = rapid.Bool().Draw(t, "loose")
	l.Nth = rapid.IntRange(0, 3).Draw(t, "nth")
	l.Region = rapid.SampledFrom([]string{"", "cart", `dialog "Cookies"`, "navigation"}).Draw(t, "region")
	if rapid.Bool().Draw(t, "near?") {
		l.Near = spokenOf.Draw(t, "near")
	}
	if rapid.Bool().Draw(t, "frame?") {
		l.Frame = spokenOf.Draw(t, "frame")
	}
	return l
}

func drawExpect(t *rapid.T) deed.Expect {
	kinds := []deed.ExpectKind{deed.ExpectAppears, deed.ExpectDisappears, deed.ExpectVisible, deed.ExpectHidden, deed.ExpectValue, deed.ExpectState,
		deed.ExpectText, deed.ExpectCount, deed.ExpectURL, deed.ExpectTitle, deed.ExpectRequest, deed.ExpectNoErrors}
	e := deed.Expect{Kind: rapid.SampledFrom(kinds).Draw(t, "form")}
	switch e.Kind {
	case deed.ExpectText, deed.ExpectTitle:
		e.Text = spokenOf.Draw(t, "text")
	case deed.ExpectURL:
		e.Text = "**/" + anyText.Filter(func(s string) bool { return strings.Trim(s, "*") != "" }).Draw(t, "url")
	case deed.ExpectRequest:
		e.Request = deed.RequestSpec{Method: rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"), Status: rapid.IntRange(100, 599).Draw(t, "status")}
	case deed.ExpectNoErrors:
	default:
		e.Locator = drawLocator(t)
	}
	switch e.Kind {
	case deed.ExpectValue:
		e.Text = anyText.Draw(t, "equals")
	case deed.ExpectState:
		e.States = map[string]bool{rapid.SampledFrom(deed.ExpectableStates()).Draw(t, "state"): rapid.Bool().Draw(t, "is")}
	case deed.ExpectCount:
		e.Min = rapid.IntRange(1, 3).Draw(t, "min")
		e.Max = rapid.SampledFrom([]int{e.Min, e.Min + 2, -1}).Draw(t, "max")
	}
	return e
}

func drawCase(t *rapid.T) deed.Case {
	c := deed.Case{
		ID:      rapid.StringMatching(`[a-z0-9][a-z0-9/-]{0,8}`).Draw(t, "id"),
		Title:   anyText.Draw(t, "title"),
		Start:   "http://127.0.0.1:8080/shop",
		Origins: []string{"http://127.0.0.1:8080"},
		Timeout: time.Duration(durations.Draw(t, "timeout")),
	}
	kinds := []deed.Kind{deed.KindClick, deed.KindDblclick, deed.KindCheck, deed.KindUncheck, deed.KindFill, deed.KindSelect, deed.KindPress,
		deed.KindWait, deed.KindExpect, deed.KindEval, deed.KindGoto, deed.KindHover, deed.KindFocus, deed.KindClear, deed.KindType,
		deed.KindUpload, deed.KindDrag, deed.KindScroll, deed.KindBack, deed.KindForward, deed.KindReload, deed.KindTab, deed.KindShot}
	for i := range rapid.IntRange(1, 4).Draw(t, "steps") {
		a := deed.Action{Kind: rapid.SampledFrom(kinds).Draw(t, "verb")}
		if a.Kind.NeedsElement() {
			a.Locator = drawLocator(t)
		}
		var s deed.Step
		switch a.Kind {
		case deed.KindFill:
			a.Text = anyText.Draw(t, "with")
		case deed.KindSelect:
			a.Options = rapid.SliceOfN(anyText, 1, 3).Draw(t, "options")
		case deed.KindPress:
			a.Key = rapid.SampledFrom([]string{"Enter", "Control+A", "x", "+"}).Draw(t, "key")
			if rapid.Bool().Draw(t, "on an element") {
				a.Locator = drawLocator(t)
			}
		case deed.KindEval:
			a.Text = spokenOf.Draw(t, "expression")
			s.Save = fmt.Sprintf("saved_%d", i)
		case deed.KindGoto:
			a.Text = "http://127.0.0.1:8080/x?y=1#z"
		case deed.KindType:
			a.Text = anyText.Filter(func(s string) bool { return s != "" }).Draw(t, "keys")
		case deed.KindUpload:
			for _, f := range rapid.SliceOfN(rapid.SampledFrom([]string{"acts.go", "testdata/acts.txtar"}), 1, 2).Draw(t, "files") {
				abs, err := filepath.Abs(f)
				if err != nil {
					t.Fatal(err)
				}
				a.Files = append(a.Files, abs)
			}
		case deed.KindDrag:
			a.Drop = drawDrop(t)
		case deed.KindScroll:
			a.Scroll = &deed.Scroll{Region: rapid.SampledFrom([]string{"", "cart", `dialog "Cookies"`}).Draw(t, "scrolls")}
			if rapid.Bool().Draw(t, "to an element") {
				if a.Locator = drawLocator(t); a.Scroll.Region == "" {
					a.Scroll = nil
				}
				break
			}
			a.Scroll.X = rapid.IntRange(-900, 900).Draw(t, "x")
			a.Scroll.Y = rapid.SampledFrom([]int{1, -600, toEnd, -toEnd}).Draw(t, "y")
		case deed.KindTab:
			a.Tab = rapid.SampledFrom([]string{tabOpen, tabSwitch, tabClose}).Draw(t, "tab")
			switch a.Tab {
			case tabOpen:
				a.Text = "http://127.0.0.1:8080/tab"
			case tabSwitch:
				a.Text = spokenOf.Draw(t, "title")
			}
		case deed.KindShot:
			a.Text = rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,9}`).Draw(t, "picture")
		}
		if n := rapid.IntRange(0, 2).Draw(t, "expectations"); n > 0 || a.Kind == deed.KindWait || a.Kind == deed.KindExpect {
			for range max(n, 1) {
				a.Expect = append(a.Expect, drawExpect(t))
			}
		}
		if rapid.Bool().Draw(t, "extras") {
			a.Intent = anyText.Draw(t, "intent")
			a.Timeout = time.Duration(durations.Draw(t, "step timeout"))
			a.Dialog = &deed.Answer{Accept: rapid.Bool().Draw(t, "accept")}
		}
		s.Action = a
		c.Steps = append(c.Steps, s)
	}
	return c
}

func drawDrop(t *rapid.T) *deed.Drop {
	switch rapid.IntRange(0, 3).Draw(t, "where to") {
	case 0:
		return &deed.Drop{In: rapid.SampledFrom([]string{"cart", `dialog "Cookies"`}).Draw(t, "into")}
	case 1:
		return &deed.Drop{Before: spokenOf.Draw(t, "before")}
	case 2:
		return &deed.Drop{After: spokenOf.Draw(t, "after")}
	}
	return &deed.Drop{To: drawLocator(t)}
}

func dropDocument(d *deed.Drop) map[string]any {
	switch {
	case d.In != "":
		return map[string]any{"in": d.In}
	case d.Before != "":
		return map[string]any{"before": escaped(d.Before)}
	case d.After != "":
		return map[string]any{"after": escaped(d.After)}
	}
	return locatorDocument(d.To)
}

func scrollDocument(a *deed.Action) map[string]any {
	m := map[string]any{}
	s := a.Scroll
	if s == nil {
		s = &deed.Scroll{}
	}
	if s.Region != "" {
		m["in"] = s.Region
	}
	switch {
	case !a.Locator.IsZero():
		m["to"] = locatorDocument(a.Locator)
	case s.X == 0 && s.Y == toEnd:
		m["to"] = "bottom"
	case s.X == 0 && s.Y == -toEnd:
		m["to"] = "top"
	case s.X == 0:
		m["by"] = s.Y
	default:
		m["by"] = map[string]any{"x": s.X, "y": s.Y}
	}
	return m
}

// escaped writes a text as a case file must hold it.
func escaped(s string) string { return strings.ReplaceAll(s, "${", "$${") }

func locatorDocument(l deed.Locator) map[string]any {
	m := map[string]any{l.Role: escaped(l.Name)}
	for k, v := range map[string]string{"in": l.Region, "near": l.Near, "frame": l.Frame} {
		if v != "" {
			m[k] = escaped(v)
		}
	}
	if l.Loose {
		m["exact"] = false
	}
	if l.Nth != 0 {
		m["nth"] = l.Nth
	}
	return m
}

func expectDocument(e deed.Expect) map[string]any {
	m := map[string]any{}
	switch e.Kind {
	case deed.ExpectText, deed.ExpectURL, deed.ExpectTitle:
		m[string(e.Kind)] = escaped(e.Text)
	case deed.ExpectNoErrors:
		m["no_errors"] = true
	case deed.ExpectRequest:
		m["request"] = map[string]any{"method": e.Request.Method, "status": e.Request.Status}
	default:
		m[string(e.Kind)] = locatorDocument(e.Locator)
	}
	switch e.Kind {
	case deed.ExpectValue:
		m["equals"] = escaped(e.Text)
	case deed.ExpectState:
		for k, v := range e.States {
			m[k] = v
		}
	case deed.ExpectCount:
		switch {
		case e.Min == e.Max:
			m["equals"] = e.Min
		case e.Max < 0:
			m["min"] = e.Min
		default:
			m["min"], m["max"] = e.Min, e.Max
		}
	}
	return m
}

func caseDocument(c deed.Case) map[string]any {
	var steps []any
	for _, s := range c.Steps {
		a := s.Action
		m := map[string]any{}
		var expect []any
		for _, e := range a.Expect {
			expect = append(expect, expectDocument(e))
		}
		switch a.Kind {
		case deed.KindWait:
			m["wait"] = expect
		case deed.KindGoto, deed.KindEval:
			m[string(a.Kind)] = escaped(a.Text)
		case deed.KindPress:
			m["press"] = a.Key
			if !a.Locator.IsZero() {
				m["press"], m["key"] = locatorDocument(a.Locator), a.Key
			}
		case deed.KindExpect:
		case deed.KindBack, deed.KindForward, deed.KindReload:
			m[string(a.Kind)] = true
		case deed.KindTab:
			m["tab"] = any(a.Tab)
			if a.Tab != tabClose {
				m["tab"] = map[string]any{a.Tab: escaped(a.Text)}
			}
		case deed.KindShot:
			m["screenshot"] = a.Text
		case deed.KindScroll:
			m["scroll"] = scrollDocument(&a)
		default:
			m[string(a.Kind)] = locatorDocument(a.Locator)
		}
		switch a.Kind {
		case deed.KindUpload:
			m["files"] = a.Files
		case deed.KindDrag:
			m["to"] = dropDocument(a.Drop)
		case deed.KindFill, deed.KindType:
			m["with"] = escaped(a.Text)
		case deed.KindSelect:
			var options []string
			for _, o := range a.Options {
				options = append(options, escaped(o))
			}
			m["option"] = options
		case deed.KindEval:
			m["save"] = s.Save
		}
		if a.Kind != deed.KindWait && expect != nil {
			m["expect"] = expect
		}
		if a.Timeout != 0 {
			m["intent"], m["timeout"] = escaped(a.Intent), a.Timeout.String()
		}
		if a.Dialog != nil {
			m["dialog"] = map[bool]string{true: "accept", false: "dismiss"}[a.Dialog.Accept]
		}
		steps = append(steps, m)
	}
	return map[string]any{"deed": 1, "case": c.ID, "title": escaped(c.Title), "start": c.Start, "timeout": c.Timeout.String(), "steps": steps}
}

// TestVarsAreKept: a case tells the variables that it was filled in with, those of the caller and nested ones too, and no secret.
func TestVarsAreKept(t *testing.T) {
	text := "deed: 1\ncase: a\nvars: {WHO: ana, PAGE: \"${BASE_URL}/x\"}\nsecrets: [KEY]\nstart: ${PAGE}\nsteps: [{fill: {textbox: Key}, secret: KEY}]\n"
	cases, problems := Parse("a.deed.yaml", []byte(text), Options{BaseURL: "http://127.0.0.1:1/", Vars: map[string]string{"WHO": "ben"},
		LookupEnv: func(k string) (string, bool) { return "s3cret", k == "KEY" }})
	if len(problems) > 0 || len(cases) != 1 {
		t.Fatal(problems)
	}
	want := map[string]string{"WHO": "ben", "PAGE": "http://127.0.0.1:1/x", "BASE_URL": "http://127.0.0.1:1"}
	if got := cases[0].Vars; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
