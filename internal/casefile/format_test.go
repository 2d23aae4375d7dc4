package casefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corpus lists every YAML case file of the repository.
func corpus(t testing.TB) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir("../..", func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == ".deed") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(p, ".deed.yaml") || strings.HasSuffix(p, ".fragment.yaml") {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d case files in the repository", len(files))
	}
	return files
}

// What is read from a formatted file is what was read from the original, and formatting it again changes nothing.
func TestFormatKeepsTheCorpus(t *testing.T) {
	o := Options{BaseURL: "http://127.0.0.1:8080", LookupEnv: func(string) (string, bool) { return "secret", true }}
	for _, file := range corpus(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		once, problems := Format(file, data)
		if len(problems) > 0 {
			t.Errorf("%s: %v", file, problems)
			continue
		}
		twice, problems := Format(file, once)
		if len(problems) > 0 {
			t.Errorf("%s, again: %v", file, problems)
			continue
		}
		if d := cmp.Diff(string(once), string(twice)); d != "" {
			t.Errorf("%s: not canonical the second time:\n%s", file, d)
		}
		want, _ := Parse(file, data, o)
		got, _ := Parse(file, once, o)
		if d := cmp.Diff(want, got, noPositions); d != "" {
			t.Errorf("%s reads otherwise:\n%s", file, d)
		}
	}
}

// noPositions compares cases wherever they stand.
var noPositions = cmp.FilterPath(func(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Name() == "Pos"
}, cmp.Ignore())

// stable demands of a text that can be formatted that it reads as before, and that formatting it again changes nothing.
func stable(t interface {
	Helper()
	Fatalf(string, ...any)
}, data []byte) (ok bool) {
	t.Helper()
	once, problems := Format("a.deed.yaml", data)
	if len(problems) > 0 {
		return false
	}
	twice, problems := Format("a.deed.yaml", once)
	if len(problems) > 0 {
		t.Fatalf("what was formatted cannot be: %v\n%s", problems, once)
	}
	if string(once) != string(twice) {
		t.Fatalf("not canonical the second time:\n%s", cmp.Diff(string(once), string(twice)))
	}
	if len(once) > 0 && (once[len(once)-1] != '\n' || strings.Contains(string(once), "\r")) {
		t.Fatalf("bad line ends: %q", once)
	}
	o := Options{LookupEnv: noEnv}
	want, before := Parse("a.deed.yaml", data, o)
	got, after := Parse("a.deed.yaml", once, o)
	if d := cmp.Diff(want, got, noPositions); d != "" || len(before) != len(after) {
		t.Fatalf("it reads otherwise (%v, %v):\n%s\nfrom:\n%s\nto:\n%s", before, after, d, data, once)
	}
	return true
}

// oddities are small inputs that are easy to get wrong.
var oddities = []string{
	small,
	"",
	"# nothing\n",
	"---\n# a\n---\n" + small + "...\n# b\n",
	"%YAML 1.2\n---\n" + small,
	"# one\n\n# two\ncase: a\ndeed: 1\n# three\n",
	"deed: 1\nsteps: # here\n  - click: {button: A} # there\n  # behind\n# last\n",
	"deed: 1\ntags: [a, # one\n  b] # two\n",
	"deed: 1\ntags: [ # one\n  # own\n  b\n  # end\n  ]\ncase: a\n",
	"steps:\n- a: &x {button: A}\n# mid\n- click: *x\n",
	"steps:\n  -\n    # above\n    intent: b\n\n    click: {button: A}\n  - - a\n    - b\n",
	"a: |\n  one\n\n   two\n# c\nb: >-\n  folded\n  text\n\n  more\n",
	"a: |+\n  keep\n\n\nb: |2\n   lead\n",
	"a: 'it''s'\nb: \"x\\ty\"\nc: \"yes\"\nd: !!str 12\ne: ~\nf:\n",
	"a: {x: , y: [], z: {}}\nb: []\n\"a b\": 1\n? c\n: 2\n",
	"a: \"" + strings.Repeat("word ", 40) + "\"\nb: [" + strings.Repeat("wordy, ", 40) + "x]\n",
	"deed: 1\r\ncase: a\r\n\r\n\r\nstart: http://127.0.0.1/\r\n",
	"a: plain\n  goes on\n  here # c\nb: 'quoted\n\n  too'\n",
	"steps:\n  - timeout: 5s\n\n    # of the verb\n    click:\n      # of the role\n      button: A\n",
	"steps:\n  - click: {button: A}\n\n\n\n  # x\n\n  - back\nteardown:\n\n  - back\n",
	"steps:\n    - click: {button: A}\n  # between\nteardown: []\n",
	"--- # of the marker\ndeed: 1\n",
	"a: \"#\"\nb: '# no comment' # but this\nc: x#y\nd: \"\\u00e9\\u200b\"\n",
}

func TestFormatIsStable(t *testing.T) {
	for _, text := range oddities {
		if !stable(t, []byte(text)) {
			_, problems := Format("a.deed.yaml", []byte(text))
			t.Errorf("%q cannot be formatted: %v", text, problems)
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, text := range oddities {
		f.Add([]byte(text))
	}
	for i, file := range corpus(f) {
		if data, err := os.ReadFile(file); err == nil && i%7 == 0 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			t.Skip()
		}
		stable(t, data)
	})
}
