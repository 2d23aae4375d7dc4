package casefile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
)

func markdownArchive(t *testing.T) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/markdown.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// The verb forms in English, Chinese and Spanish are the steps that YAML would hold.
func TestJB26_MarkdownIsTheYAML(t *testing.T) {
	files := markdownArchive(t)
	o := Options{BaseURL: "http://127.0.0.1:8080", LookupEnv: func(string) (string, bool) { return "a value", true }}
	same, problems := Parse("same.deed.yaml", []byte(files["same.deed.yaml"]), o)
	if len(problems) > 0 || len(same) != 1 || len(same[0].Steps) < 16 {
		t.Fatal(same, problems)
	}
	anywhere := cmpopts.IgnoreTypes(deed.Pos{})
	for _, name := range []string{"en.deed.md", "zh.deed.md", "es.deed.md"} {
		got, problems := Parse(name, []byte(files[name]), o)
		if len(problems) > 0 || len(got) == 0 {
			t.Errorf("%s: %v", name, problems)
			continue
		}
		if d := cmp.Diff(same[0].Steps, got[0].Steps, anywhere); d != "" {
			t.Errorf("%s (-yaml +markdown)\n%s", name, d)
		}
		if d := cmp.Diff(same[0].Teardown, got[0].Teardown, anywhere); d != "" {
			t.Errorf("%s: teardown (-yaml +markdown)\n%s", name, d)
		}
		if got[0].Start != same[0].Start || got[0].Secrets["PASSWORD"] == "" {
			t.Errorf("%s: %+v", name, got[0])
		}
	}
}

// A line that is no step is a mistake, at its place, and the case is not run without it.
func TestJB27_UnknownLines(t *testing.T) {
	for _, line := range []string{"- Klick button \"Save\"", "Some prose", "- Click button \"Save\" and then some", "- Type \"a\" into", "- ", "## Notes", "```", "- Assert hidden \"x\"", "- Wait 5", "- FETCH /x", "- `click: {buton: a}`", "1. "} {
		text := "# A case\n- start: http://127.0.0.1/\n- Click button \"Save\"\n" + line + "\n- Click button \"Done\"\n"
		cases, problems := Parse("a.deed.md", []byte(text), Options{LookupEnv: noEnv})
		if len(cases) > 0 || len(problems) == 0 || problems[0].Pos.Line != 4 {
			t.Errorf("%q: %d cases, %v", line, len(cases), problems)
		}
	}
}

// Each phrase fits the words that it is made of, and no phrase stands in the way of one behind it.
func TestPhrasesAreReached(t *testing.T) {
	sample := strings.NewReplacer("{text}", `"a text"`, "{name}", `"A name"`, "{within}", `"main"`, "{role}", "button", "{url}", "http://127.0.0.1/x", "{n}", "200", "{unit}", "ms", "{secret}", "PASSWORD", "{key}", "Enter", "{method}", "POST")
	for i := range phrases {
		p := &phrases[i]
		var b strings.Builder
		for _, t := range placeOrWords.FindAllString(p.pattern, -1) {
			switch {
			case t == "[" || t == "]":
			case strings.HasPrefix(t, "{"):
				b.WriteString(sample.Replace(t))
			default:
				word, _, _ := strings.Cut(t, "|")
				b.WriteString(word)
			}
		}
		w, ok := parseWords(b.String())
		if !ok {
			t.Errorf("%q is not understood", b.String())
		} else if w.form != p {
			t.Errorf("%q is read as %q, not as %q", b.String(), w.form.pattern, p.pattern)
		}
	}
}

// What deed fmt --to yaml shows of a Markdown case is read as the same case.
func TestMarkdownAsYAML(t *testing.T) {
	files := markdownArchive(t)
	o := Options{BaseURL: "http://127.0.0.1:8080", LookupEnv: func(string) (string, bool) { return "a value", true }}
	for _, name := range []string{"en.deed.md", "zh.deed.md", "es.deed.md"} {
		text, problems := FormatAs(name, []byte(files[name]))
		if len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
			continue
		}
		want, _ := Parse(name, []byte(files[name]), o)
		got, problems := Parse(name+".yaml", text, o)
		if len(problems) > 0 || len(got) == 0 {
			t.Errorf("%s: %v\n%s", name, problems, text)
			continue
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreTypes(deed.Pos{}), cmpopts.IgnoreFields(deed.Case{}, "File")); d != "" {
			t.Errorf("%s\n%s\n%s", name, d, text)
		}
		if again, problems := Format(name+".yaml", text); len(problems) > 0 || string(again) != string(text) {
			t.Errorf("%s is shown in another form than the canonical one: %v\n%s", name, problems, again)
		}
	}
}

// FuzzMarkdownAsYAML: what is shown as YAML is in canonical form, and is read, or complained about, as often as the Markdown is.
func FuzzMarkdownAsYAML(f *testing.F) {
	a, err := txtar.ParseFile("testdata/markdown.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		if strings.HasSuffix(file.Name, ".md") {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("# a\n- start: \"x\n- Click button \"a: b # c\"\n- `{click: {button: \"\\u200b\"}}`\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := Options{BaseURL: "http://127.0.0.1:1", LookupEnv: noEnv}
		text, problems := FormatAs("a.deed.md", data)
		if len(problems) > 0 {
			return
		}
		if again, problems := Format("a.deed.yaml", text); len(problems) > 0 || string(again) != string(text) {
			t.Fatalf("%v\n%s\nis formatted as\n%s", problems, text, again)
		}
		want, bad := Parse("a.deed.md", data, o)
		got, worse := Parse("a.deed.yaml", text, o)
		if len(bad) != len(worse) {
			t.Fatalf("%v\n%v\n%s", bad, worse, text)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreTypes(deed.Pos{}), cmpopts.IgnoreFields(deed.Case{}, "File")); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}
