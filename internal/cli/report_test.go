package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/reporttest"
)

// TestReport_Cases: the report of a run does what deed's own cases say, in a real browser, and asks nobody for anything.
func TestReport_Cases(t *testing.T) {
	cases, err := filepath.Abs("testdata/report")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	f, err := os.Create("report.html")
	if err != nil {
		t.Fatal(err)
	}
	if err := report.HTML(f, reporttest.Run(), report.HTMLOptions{Shots: reporttest.Shots()}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var others atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/report.html" {
			others.Add(1)
			t.Logf("%s was asked for", r.URL)
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	defer srv.Close()
	status, out, errs := command(t, "run", cases, "--base-url", srv.URL, "--json")
	if status != 0 {
		t.Errorf("exit status %d\n%s", status, errs)
	}
	if n := others.Load(); n > 0 {
		t.Errorf("the report asked for %d things", n)
	}
	var r deed.RunResult
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) < 6 {
		t.Errorf("only %d cases", len(r.Cases))
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		for j := range c.Steps {
			s := &c.Steps[j]
			if s.Pos.Line == 0 || !strings.HasSuffix(s.Pos.File, ".deed.yaml") {
				t.Errorf("%s, step %d does not say where it is written: %v", c.Case, s.N, s.Pos)
			}
		}
		if c.Case == "report/hostile" && string(c.Saved["markup"]) != "6" { // the run, the table of pictures, three pictures, the script
			t.Errorf("text of a page became markup: %s elements", c.Saved["markup"])
		}
	}
}

// put writes a file of a test, with its folders.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReport_MergePictures: the pictures of all runs are brought together under names of their own, and nothing from outside a run's folder is.
func TestReport_MergePictures(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "secret.png", reporttest.Shots()["shots/wrong-2-after.png"].Data)
	for i, run := range []string{"one", "two"} {
		r := reporttest.Run()
		r.Run = run
		r.Cases = r.Cases[i : i+1]
		c := &r.Cases[0]
		s := &c.Steps[len(c.Steps)-1]
		s.Shots = &deed.Shots{Before: "shots/same.png", After: "../secret.png"}
		if i == 1 {
			s.Shots.After = "shots/link.png"
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		put(t, run+"/report.json", data)
		put(t, run+"/shots/same.png", reporttest.Shots()[[]string{"shots/add-4-before.png", "shots/add-4-after.png"}[i]].Data)
	}
	if err := os.Symlink(filepath.Join("..", "..", "secret.png"), "two/shots/link.png"); err != nil {
		t.Fatal(err)
	}
	status, out, errs := command(t, "report", "merge", "all/report.json", "one", "two/report.json", "--reporter", "html=all.html")
	if status != 0 {
		t.Fatalf("exit status %d\n%s%s", status, out, errs)
	}
	var r deed.RunResult
	data, err := os.ReadFile("all/report.json")
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range r.Cases {
		c := &r.Cases[i]
		s := c.Steps[len(c.Steps)-1].Shots
		got = append(got, s.Before, s.After)
	}
	if want := "shots/one-same.png ../secret.png shots/two-same.png shots/link.png"; strings.Join(got, " ") != want {
		t.Errorf("the pictures are %v, want %s", got, want)
	}
	files, err := filepath.Glob("all/shots/*")
	if err != nil || strings.Join(files, " ") != "all/shots/one-same.png all/shots/two-same.png" {
		t.Errorf("copied: %v, %v", files, err)
	}
	html, err := os.ReadFile("all.html")
	if err != nil || strings.Count(string(html), `<script type="text/plain" id="picture-`) != 2 {
		t.Errorf("the page holds %d pictures, %v", strings.Count(string(html), `<script type="text/plain" id="picture-`), err)
	}
}

// TestReport_OpenLast: without a name the report of the run that began last is opened, whichever was touched last.
func TestReport_OpenLast(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, errs := command(t, "report", "open"); status != 2 || !strings.Contains(errs, "no run has a report") {
		t.Errorf("exit status %d: %s", status, errs)
	}
	for _, run := range []string{"20261130-171400-zzzz", "20261201-090000-aaaa", "20261130-171401-bbbb"} {
		put(t, filepath.Join(".deed", "runs", run, "report.html"), []byte("<!doctype html>"))
	}
	put(t, ".deed/runs/20270101-000000-none/trace.jsonl", nil)
	status, out, errs := command(t, "report", "open")
	if status != 0 || filepath.Base(filepath.Dir(strings.TrimSpace(out))) != "20261201-090000-aaaa" || !filepath.IsAbs(strings.TrimSpace(out)) {
		t.Errorf("exit status %d: %s%s", status, out, errs)
	}
}
