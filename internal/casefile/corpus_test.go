package casefile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

const (
	hard = "../../testdata/hard"
	own  = "../../testdata/cases"
)

// names lists the files of a folder with this ending, without it.
func names(t *testing.T, dir, ending string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ending)
	}
	if len(files) == 0 {
		t.Fatalf("no %s in %s", ending, dir)
	}
	return files
}

// load reads a folder as a run would, served at an address of its own.
func load(t *testing.T, dir string) map[string]deed.Case {
	t.Helper()
	cases, problems := Load([]string{dir}, Options{BaseURL: "http://127.0.0.1:8080", LookupEnv: noEnv})
	for _, p := range problems {
		t.Errorf("%v (%s)", p, p.Hint)
	}
	out := map[string]deed.Case{}
	for _, c := range cases {
		out[strings.TrimSuffix(filepath.Base(c.File), ".deed.yaml")] = c
	}
	return out
}

// Every hard page has a case, or a line in later.txt that says what it waits for: none is forgotten, none is both. There is
// no such file while none waits.
func TestHardPagesArePartitioned(t *testing.T) {
	pages := names(t, hard, ".html")
	if len(pages) != 73 {
		t.Errorf("%d pages, there were 73", len(pages))
	}
	data, err := os.ReadFile(filepath.Join(hard, "later.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	later := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		name, needs, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.TrimSpace(needs) == "" {
			t.Errorf("later.txt: %q does not say what it needs", name)
		}
		if later[name] {
			t.Errorf("later.txt: %s stands there twice", name)
		}
		later[name] = true
		if !slices.Contains(pages, name) {
			t.Errorf("later.txt: there is no page %s", name)
		}
	}
	written := names(t, hard, ".deed.yaml")
	for _, name := range written {
		if !slices.Contains(pages, name) {
			t.Errorf("%s.deed.yaml has no page", name)
		}
	}
	for _, name := range pages {
		has := slices.Contains(written, name)
		switch {
		case has && later[name]:
			t.Errorf("%s has a case and stands in later.txt", name)
		case !has && !later[name]:
			t.Errorf("%s has no case and does not stand in later.txt", name)
		}
		if _, err := os.Stat(filepath.Join(hard, name+".json")); err != nil {
			t.Errorf("%s has no sidecar", name)
		}
	}
}

// sidecar is what the test reads of a hard page's description.
type sidecar struct {
	Query string
	Steps []struct {
		Action, Role, Name, Frame string
		Value                     any
		Expect                    *struct {
			Kind           string
			Contains, Name string
			Filename       string
			Value          any
		}
	}
}

func placeOf(d *deed.Drop) string { return d.To.Name + d.In + d.Before + d.After }

// The case of a hard page says what its sidecar says: the same acts in the same order, on elements of the same names,
// every expectation among the case's own.
func TestHardCasesSayWhatTheSidecarsSay(t *testing.T) {
	cases := load(t, hard)
	for _, name := range names(t, hard, ".deed.yaml") {
		t.Run(name, func(t *testing.T) {
			c, ok := cases[name]
			if !ok {
				t.Fatal("not loaded")
			}
			data, err := os.ReadFile(filepath.Join(hard, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var s sidecar
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatal(err)
			}
			if want := "hard/" + name; c.ID != want {
				t.Errorf("id %q, want %q", c.ID, want)
			}
			if want := "http://127.0.0.1:8080/" + name + ".html" + s.Query; c.Start != want {
				t.Errorf("start %q, want %q", c.Start, want)
			}
			var acts []deed.Action
			said := map[string]bool{} // texts that the case's expectations speak of
			for _, step := range c.Steps {
				// Waiting, and going on in another tab, are no intentions of a person's.
				if step.Action.Kind != deed.KindWait && step.Action.Kind != deed.KindTab {
					acts = append(acts, step.Action)
				}
				for _, e := range step.Action.Expect {
					said[strings.Trim(strings.Trim(e.Text, "*"), "/^$")] = true
					said[e.Locator.Name] = true
				}
			}
			if name == "custom-slider-keys" { // one intention, four keys
				acts = acts[:1]
				acts[0].Kind = deed.KindFill
			}
			// The answer to a native dialog stands with the step that opens it.
			for i := len(s.Steps) - 1; i > 0; i-- {
				if s.Steps[i].Action != "dialog" {
					continue
				}
				d := acts[i-1].Dialog
				if d == nil || d.Accept != (s.Steps[i].Value == "accept") {
					t.Errorf("step %d does not answer the dialog with %v", i, s.Steps[i].Value)
				}
				s.Steps = slices.Delete(s.Steps, i, i+1)
			}
			if len(acts) != len(s.Steps) {
				t.Fatalf("%d acts, the sidecar has %d", len(acts), len(s.Steps))
			}
			for i, want := range s.Steps {
				a := acts[i]
				if string(a.Kind) != want.Action {
					t.Errorf("step %d is %s, want %s", i+1, a.Kind, want.Action)
				}
				name := want.Name
				if v, ok := want.Value.(string); ok && want.Action == "scroll" && name == "" && strings.Contains(v, strconv.Quote(a.Locator.Name)) {
					name = a.Locator.Name // "until button "…" exists"
				}
				want.Name = name
				if a.Kind == deed.KindDrag {
					place, quoted, ok := strings.Cut(want.Value.(string), ` "`)
					if quoted = strings.TrimSuffix(quoted, `"`); !ok || !strings.Contains(placeOf(a.Drop), quoted) || (place == "after") != (a.Drop.After != "") {
						t.Errorf("step %d drags %s, want %s", i+1, a.Drop, want.Value)
					}
				}
				if a.Kind == deed.KindUpload {
					if file := filepath.Base(a.Files[0]); len(a.Files) != 1 || file != want.Value {
						t.Errorf("step %d uploads %q, want %q", i+1, a.Files, want.Value)
					}
				}
				if re := a.Locator.Pattern(); a.Locator.Name != want.Name && (re == nil || !re.MatchString(want.Name)) {
					t.Errorf("step %d acts on %q, want %q", i+1, a.Locator.Name, want.Name)
				}
				if want.Frame != "" && !strings.HasSuffix(want.Frame, a.Locator.Frame) {
					t.Errorf("step %d acts in frame %q, want %q", i+1, a.Locator.Frame, want.Frame)
				}
				if v, ok := want.Value.(string); ok && a.Kind == deed.KindFill && a.Text != "" && a.Text != v {
					t.Errorf("step %d fills %q, want %q", i+1, a.Text, v)
				}
				if want.Expect == nil {
					continue
				}
				for _, text := range []any{want.Expect.Contains, want.Expect.Value, want.Expect.Filename} {
					if s, ok := text.(string); ok && s != "" && !said[s] {
						t.Errorf("step %d: nothing is expected of %q", i+1, s)
					}
				}
				if (want.Expect.Kind == "appears" || want.Expect.Kind == "disappears") && !said[want.Expect.Name] {
					t.Errorf("step %d: nothing is expected of %q", i+1, want.Expect.Name)
				}
			}
		})
	}
}

// The project's own pages each have a case that reads, and that expects something of every act.
func TestOwnCases(t *testing.T) {
	cases := load(t, own)
	for _, name := range names(t, own, ".deed.yaml") {
		c, ok := cases[name]
		if !ok {
			t.Errorf("%s did not load", name)
			continue
		}
		if _, err := os.Stat(filepath.Join(own, name+".html")); err != nil {
			t.Errorf("%s has no page", name)
		}
		for _, s := range c.Steps {
			if len(s.Action.Expect) == 0 && s.Action.Kind != deed.KindEval && s.Action.Kind != deed.KindFill {
				t.Errorf("%s: %s %s expects nothing", s.Pos, s.Action.Kind, s.Action.Object())
			}
		}
	}
}
