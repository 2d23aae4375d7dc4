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
