package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

var runs = flag.Int("runs", 5, "how many times in a row the case has to succeed")

// deed is the program under test, built from the module above by TestMain.
var deed string

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "deed-e2e-bin-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	deed = filepath.Join(dir, "deed")
	cmd := exec.Command("go", "build", "-o", deed, "./cmd/deed")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build deed: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// A run is what `deed run --json` said. Only what the tests speak of is read.
type run struct {
	Exit    int    `json:"-"`
	Stdout  string `json:"-"`
	Stderr  string `json:"-"`
	Outcome string `json:"outcome"`
	Cases   []struct {
		Case    string `json:"case"`
		Outcome string `json:"outcome"`
		Code    string `json:"code"`
		Reason  string `json:"reason"`
		Steps   []step `json:"steps"`
	} `json:"cases"`
}

type step struct {
	N          int      `json:"n"`
	Do         string   `json:"do"`
	Locator    string   `json:"locator"`
	Outcome    string   `json:"outcome"`
	Basis      string   `json:"basis"`
	Mismatch   string   `json:"mismatch"`
	Code       string   `json:"code"`
	Reason     string   `json:"reason"`
	Changes    []string `json:"changes"`
	DurationMS int64    `json:"duration_ms"`
	Hint       string   `json:"hint"`
	Healed     *struct {
		Old, New, Why string
	} `json:"healed"`
}

func (s step) String() string {
	return fmt.Sprintf("%2d %-7s %-50s %s %s%s %dms: %s", s.N, s.Do, s.Locator, s.Outcome, s.Basis, s.Mismatch, s.DurationMS, s.Reason)
}

// find returns the only step that does this with this.
func (r *run) find(t *testing.T, do, locator string) step {
	t.Helper()
	var found []step
	for _, s := range r.Cases[0].Steps {
		if s.Do == do && strings.HasPrefix(s.Locator, locator) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d steps %s %s, want 1", len(found), do, locator)
	}
	return found[0]
}

// start serves a fresh PocketBase for the length of the test.
func start(t *testing.T, configure func(core.App)) *App {
	t.Helper()
	app, err := Start(t.TempDir(), configure)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Errorf("close PocketBase: %v", err)
		}
	})
	return app
}

// runCase runs the case file with deed, against app, for a collection of this name. It keeps no lock.
func runCase(t *testing.T, app *App, collection string) *run {
	t.Helper()
	file, err := filepath.Abs("pocketbase.deed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return deedFile(t, t.TempDir(), file, app.URL, collection, "--no-lock") // its .deed folder goes there
}

// deedRun runs the case file in dir, with its lock, against what is served at url.
func deedRun(t *testing.T, dir, url, collection string, flags ...string) *run {
	t.Helper()
	return deedFile(t, dir, "pocketbase.deed.yaml", url, collection, flags...)
}

func deedFile(t *testing.T, dir, file, url, collection string, flags ...string) *run {
	t.Helper()
	args := append([]string{"run", file, "--json", "--var", "BASE_URL=" + url, "--var", "EMAIL=" + Email, "--var", "COLLECTION=" + collection}, flags...)
	r := execute(t, dir, []string{"PASSWORD=" + Password, "CI="}, args...)
	if len(r.Cases) != 1 || len(r.Cases[0].Steps) == 0 {
		t.Fatalf("%d cases in the result, want one with steps\n%s", len(r.Cases), r.Stdout)
	}
	return r
}

// execute runs deed in dir with these arguments, and reads its result.
func execute(t *testing.T, dir string, env []string, args ...string) *run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, deed, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("deed run: %v", err)
	}
	r := &run{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("deed said, exit %d:\n%s", r.Exit, r.Stderr)
			for _, c := range r.Cases {
				for _, s := range c.Steps {
					t.Log(s)
				}
			}
		}
	})
	if err := json.Unmarshal(stdout.Bytes(), r); err != nil {
		t.Fatalf("exit %d, no result: %v\n%s\n%s", r.Exit, err, r.Stdout, r.Stderr)
	}
	if strings.Contains(r.Stdout, Password) || strings.Contains(r.Stderr, Password) {
		t.Error("the password is in the output")
	}
	return r
}

// TestPocketBase is the promise on a real application: deed says that every step is verified, and PocketBase says
// that exactly these writes happened, with these values, in this order.
func TestPocketBase(t *testing.T) {
	app := start(t, nil)
	for i := range *runs {
		t.Run(fmt.Sprint("run ", i+1), func(t *testing.T) {
			collection := fmt.Sprintf("posts_%d", i+1)
			r := runCase(t, app, collection)
			if r.Exit != 0 || r.Outcome != "verified" {
				t.Errorf("exit %d, outcome %s, want 0 and verified", r.Exit, r.Outcome)
			}
			for _, s := range r.Cases[0].Steps {
				if s.Outcome != "verified" {
					t.Errorf("step not verified: %s", s)
				}
			}

			fields, err := app.Fields(collection)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(fields), "map[created:autodate id:text title:text updated:autodate]"; got != want {
				t.Errorf("fields %s, want %s", got, want)
			}
			records, err := app.Records(collection)
			if err != nil {
				t.Fatal(err)
			}
			if len(records) != 0 {
				t.Errorf("records left: %v", records)
			}
			got := told(app.Journal(collection))
			want := []string{
				"collection create",
				"record create title=First draft served=[First draft]",
				"record update title=Second draft served=[Second draft]",
				"record delete title=Second draft served=[]",
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("PocketBase tells\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
			}
		})
	}
}

// told puts the journal into lines.
func told(entries []Entry) []string {
	var out []string
	for _, e := range entries {
		line := e.What
		if strings.HasPrefix(e.What, "record") {
			titles := []string{}
			for _, r := range e.Served {
				titles = append(titles, fmt.Sprint(r["title"]))
			}
			line += fmt.Sprintf(" title=%v served=%v", e.Values["title"], titles)
		}
		out = append(out, line)
	}
	return out
}

// The counter-proofs: the same case and the same clicks, on a server that does not do what was asked. What deed
// calls verified above must not be verified here.

func TestPocketBaseRefusesTheEdit(t *testing.T) {
	app := start(t, func(a core.App) {
		a.OnRecordUpdateRequest().BindFunc(func(e *core.RecordRequestEvent) error {
			return apis.NewBadRequestError("The archive is read only.", nil)
		})
	})
	failsAtTheEdit(t, app, "First draft")
}

func TestPocketBaseStoresSomethingElse(t *testing.T) {
	app := start(t, func(a core.App) {
		a.OnRecordUpdateRequest().BindFunc(func(e *core.RecordRequestEvent) error {
			e.Record.Set("title", "Third draft")
			return e.Next()
		})
	})
	failsAtTheEdit(t, app, "Third draft")
}

// failsAtTheEdit demands that deed proves everything up to the edit, calls the edit a mismatch and stops
// there, while the record holds this title.
func failsAtTheEdit(t *testing.T, app *App, title string) {
	t.Helper()
	const collection = "posts"
	r := runCase(t, app, collection)
	if r.Exit != 1 || r.Outcome != "mismatch" {
		t.Errorf("exit %d, outcome %s, want 1 and mismatch", r.Exit, r.Outcome)
	}
	edit := r.find(t, "click", `button "Save changes"`)
	for _, s := range r.Cases[0].Steps {
		want := "verified"
		switch {
		case s.N == edit.N:
			want = "mismatch"
		case s.N > edit.N:
			want = "skipped"
		}
		if s.Outcome != want {
			t.Errorf("want %s: %s", want, s)
		}
	}
	records, err := app.Records(collection)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1 || records[0]["title"] != title {
		t.Errorf("records %v, want one with the title %q", records, title)
	}
}
