package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/report"
)

// render writes a run as the command line does: each step, each case, the summary.
func render(t *testing.T, r *deed.RunResult, cases []deed.Case, st report.Style) string {
	t.Helper()
	var b bytes.Buffer
	for _, c := range r.Cases {
		for _, s := range c.Steps {
			fmt.Fprintln(&b, report.StepLine(s, st))
		}
		fmt.Fprintln(&b, report.CaseLine(c, st))
	}
	if err := report.Run(&b, r, cases, st); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func fixture(t *testing.T, file string) (*txtar.Archive, *deed.RunResult, []deed.Case) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &deed.RunResult{}
	var cases []deed.Case
	for _, f := range a.Files {
		switch {
		case f.Name == "result.json":
			if err := json.Unmarshal(f.Data, r); err != nil {
				t.Fatal(err)
			}
		case strings.HasSuffix(f.Name, ".yaml"):
			found, problems := casefile.Parse(f.Name, f.Data, casefile.Options{})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			cases = append(cases, found...)
		}
	}
	return a, r, cases
}

func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, r, cases := fixture(t, file)
			want := &a.Files[len(a.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last section is want")
			}
			got := render(t, r, cases, report.Style{})
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}

// TestRun_Colour: colour adds control sequences and changes no word.
func TestRun_Colour(t *testing.T) {
	_, r, cases := fixture(t, "testdata/run/failed.txtar")
	plain := render(t, r, cases, report.Style{})
	coloured := render(t, r, cases, report.Style{Color: true})
	if strings.Contains(plain, "\x1b") {
		t.Errorf("plain text holds a control sequence: %q", plain)
	}
	if !strings.Contains(coloured, "\x1b[31m") {
		t.Error("colour was asked for, and there is no red")
	}
	for _, code := range []string{"31", "32", "33", "2", "1", "0"} {
		coloured = strings.ReplaceAll(coloured, "\x1b["+code+"m", "")
	}
	if coloured != plain {
		t.Errorf("colour changes the text:\n%s\nwant\n%s", coloured, plain)
	}
}
