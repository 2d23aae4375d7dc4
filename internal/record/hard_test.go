package record_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/record"
	"github.com/deed-dev/deed/internal/runner"
)

// replay writes the case down, reads it back as anybody would, and runs it on a fresh page: it must be proven.
func replay(t *testing.T, c *record.Case, env map[string]string) deed.CaseResult {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recorded.deed.yaml")
	writeFile(t, file, c.YAML())
	for _, s := range c.Steps() {
		for _, name := range s.Action.Files {
			writeFile(t, filepath.Join(filepath.Dir(file), name), []byte("sample"))
		}
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	cases, problems := casefile.Load([]string{file}, casefile.Options{LookupEnv: lookup})
	if len(problems) > 0 || len(cases) != 1 {
		t.Fatalf("what was recorded is no case: %v\n%s", problems, c.YAML())
	}
	if len(cases[0].Steps) != len(c.Steps()) {
		t.Errorf("%d steps read back, %d were written", len(cases[0].Steps), len(c.Steps()))
	}
	for i, s := range c.Steps() {
		// What was written is what is read, but for files, which are found beside the case.
		got, want := cases[0].Steps[i].Action, s.Action
		got.Files, want.Files = nil, nil
		if want.Secret != "" {
			got.Text = ""
		}
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("step %d read back as\n%s\nwritten was\n%s", i+1, g, w)
		}
	}
	res := runner.Run(t.Context(), browsertest.Browser(t), cases, runner.Options{})
	if !res.Outcome.OK() {
		j, _ := json.MarshalIndent(res.Cases, "", " ")
		t.Errorf("the replay is %s\n%s\n%s", res.Outcome, c.YAML(), j)
	}
	return res.Cases[0]
}

// kinds lists what the steps do.
func kinds(steps []deed.Step) []string {
	var out []string
	for _, s := range steps {
		if s.Action.Kind != deed.KindWait && s.Action.Kind != deed.KindExpect {
			out = append(out, string(s.Action.Kind))
		}
	}
	return out
}

// TestHard records a person on pages that break other tools, and replays what was recorded: the same kinds of steps as those that were
// written by hand for the page, proven.
func TestHard(t *testing.T) {
	base := browsertest.Folder(t, "../../testdata/hard")
	b := window(t)
	for _, x := range hardPages {
		t.Run(x.page, func(t *testing.T) {
			s, p := begin(t, b, base+"/"+x.page+".html")
			x.acts(p)
			c := s.Stop()
			t.Logf("%s", c.YAML())
			want := x.kinds
			if want == nil {
				lookup := func(string) (string, bool) { return "x", true }
				cases, problems := casefile.Load([]string{"../../testdata/hard/" + x.page + ".deed.yaml"}, casefile.Options{BaseURL: base, LookupEnv: lookup})
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				want = kinds(cases[0].Steps)
			}
			if got := kinds(c.Steps()); !slices.Equal(got, want) {
				t.Errorf("recorded %v, the steps are %v", got, want)
			}
			for i, st := range c.Steps() {
				if k := st.Action.Kind; len(st.Action.Expect) == 0 && k != deed.KindFill && k != deed.KindScroll && k != deed.KindTab && k != deed.KindCheck && k != deed.KindBack {
					t.Errorf("step %d, %s %s, expects nothing", i+1, k, st.Action.Object())
				}
			}
			replay(t, c, x.env)
		})
	}
}

type hardPage struct {
	page  string
	acts  func(p *person)
	kinds []string // where they are not those of the page's own case
	env   map[string]string
}

func says(text string) string {
	return `[...document.querySelectorAll("[role=status],output")].some(e => e.textContent.includes(` + string(must(json.Marshal(text))) + `))`
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func button(name string) string {
	return `[...document.querySelectorAll("button,a,[role=button]")].find(b => (b.getAttribute("aria-label") || b.textContent).trim() === ` + string(must(json.Marshal(name))) + ` && b.getClientRects().length)`
}

func TestHardPagesAreMany(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/hard/*.deed.yaml")
	if len(hardPages) < 15 || len(files) < len(hardPages) {
		t.Errorf("%d pages are recorded, of %d", len(hardPages), len(files))
	}
	for _, x := range hardPages {
		if _, err := os.Stat("../../testdata/hard/" + x.page + ".html"); err != nil {
			t.Error(err)
		}
	}
}
