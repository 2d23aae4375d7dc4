package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata/*.txtar")

// Each archive in testdata holds the files of a project, perhaps a section `options`, and `want`: the cases as
// canonical JSON and the exact complaints. The comment at its head says what it guards.
//
// A line of options is: env NAME=value | var NAME=value | base URL | load PATH… (default: the folder itself).
func TestArchives(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	for _, path := range archives {
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(abs)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("the archive does not say what it guards")
			}
			t.Chdir(t.TempDir())
			env := map[string]string{}
			o := Options{Vars: map[string]string{}, LookupEnv: func(k string) (string, bool) { v, ok := env[k]; return v, ok }}
			paths := []string{"."}
			want := -1
			for i, f := range a.Files {
				switch f.Name {
				case "want":
					want = i
				case "options":
					for line := range strings.Lines(string(f.Data)) {
						word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
						k, v, _ := strings.Cut(rest, "=")
						switch word {
						case "env":
							env[k] = v
						case "var":
							o.Vars[k] = v
						case "base":
							o.BaseURL = rest
						case "load":
							paths = strings.Fields(rest)
						default:
							t.Fatalf("bad option %q", line)
						}
					}
				default:
					if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			cases, problems := Load(paths, o)
			wd, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(render(t, cases, problems), wd, "$WORK") // files to upload are absolute
			for _, p := range problems {
				if c := deed.CodeOf(p.Err); c != deed.CodeInvalid && c != deed.CodeUnsupported {
					t.Errorf("%v: code %q", p, c)
				}
				for _, line := range strings.Split(p.Error()+p.Hint, "\n") {
					for _, v := range env {
						if v != "" && strings.Contains(line, v) {
							t.Errorf("a complaint holds the value of a secret: %s", line)
						}
					}
				}
			}
			if *update {
				if want < 0 {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					want = len(a.Files) - 1
				}
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(abs, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal("the archive has no want section; run with -update and read it")
			}
			if d := cmp.Diff(string(a.Files[want].Data), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// render writes complaints, then cases: the head of each on a line, each step on a line.
func render(t *testing.T, cases []deed.Case, problems []Problem) string {
	var b bytes.Buffer
	line := func(indent string, v any) {
		b.WriteString(indent)
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range problems {
		b.WriteString(p.Error())
		if errors.Is(p, deed.CodeUnsupported) {
			b.WriteString(" (unsupported)")
		}
		b.WriteByte('\n')
		if p.Hint != "" {
			fmt.Fprintf(&b, "\thint: %s\n", p.Hint)
		}
	}
	for _, c := range cases {
		steps, teardown := c.Steps, c.Teardown
		if c.Pos.File != c.File {
			t.Errorf("the case %s stands at %v", c.ID, c.Pos)
		}
		c.Steps, c.Teardown, c.Pos = nil, nil, deed.Pos{}
		line("", c)
		for i, s := range append(steps, teardown...) {
			if i == len(steps) {
				b.WriteString("  teardown\n")
			}
			fmt.Fprintf(&b, "  %s ", s.Pos)
			if s.Use != nil {
				fmt.Fprintf(&b, "of %s %d:%d ", s.Use.Fragment, s.Use.Pos.Line, s.Use.Pos.Column)
				if len(s.Use.Digest) != 16 {
					t.Errorf("digest %q", s.Use.Digest)
				}
			}
			if s.Save != "" {
				fmt.Fprintf(&b, "save %s ", s.Save)
			}
			if s.HTTP != nil {
				line("", s.HTTP)
				continue
			}
			line("", s.Action)
		}
	}
	return b.String()
}
