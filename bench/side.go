package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A side is what many cases side by side came to.
type side struct {
	Cases, Workers int
	Deed           float64         `json:"deed_per_minute"`
	Playwright     float64         `json:"playwright_per_minute,omitempty"`
	PeakMB         map[int]float64 `json:"peak_rss_mb"` // of the deed process, by the number of cases
}

// rooms is a server that gives each context an identity and holds it to that: a cookie, what it stored, a file.
type rooms struct {
	*httptest.Server

	mu    sync.Mutex
	mixed []string
	asked map[string]bool
}

func newRooms() *rooms {
	r := &rooms{asked: map[string]bool{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	return r
}

func (r *rooms) serve(w http.ResponseWriter, q *http.Request) {
	who := q.URL.Query().Get("who")
	if who == "" {
		http.NotFound(w, q)
		return
	}
	r.mu.Lock()
	for _, k := range q.Cookies() {
		if k.Value != who {
			r.mixed = append(r.mixed, who+" came with the cookie of "+k.Value)
		}
	}
	for _, stored := range q.URL.Query()["stored"] {
		if stored != who {
			r.mixed = append(r.mixed, who+" came with what "+stored+" stored")
		}
	}
	if q.URL.Path != "/" && len(q.Cookies()) == 0 {
		r.mixed = append(r.mixed, who+" came without its cookie")
	}
	r.asked[who] = r.asked[who] || q.URL.Path == "/file"
	r.mu.Unlock()
	switch q.URL.Path {
	case "/":
		if len(q.Cookies()) == 0 {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: who, Path: "/"})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Room</title><h1>Room of %[1]s</h1><p role=status id=s></p>
<button onclick="ask()">Who am I</button> <a href="/file?who=%[1]s" download>My file</a>
<script>
s.textContent = localStorage.who || sessionStorage.who ? 'somebody was here' : 'new here';
localStorage.who = sessionStorage.who = '%[1]s';
async function ask() { s.textContent = await (await fetch('/ask?who=%[1]s&stored=' + localStorage.who + '&stored=' + sessionStorage.who)).text() }
</script>`, who)
	case "/ask":
		fmt.Fprint(w, "you are "+who)
	case "/file":
		w.Header().Set("Content-Disposition", `attachment; filename="mine.txt"`)
		fmt.Fprint(w, "of "+who)
	}
}

// came demands that so many guests came, each for its file and as itself, and forgets them.
func (r *rooms) came(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer clear(r.asked)
	if len(r.mixed) > 0 {
		return fmt.Errorf("not apart: %s (%d in all)", r.mixed[0], len(r.mixed))
	}
	done := 0
	for _, whole := range r.asked {
		if whole {
			done++
		}
	}
	if done != n {
		return fmt.Errorf("%d guests came for their file, want %d", done, n)
	}
	return nil
}

// sideBySide runs 50, 100 and 200 cases with 8 workers, and 200 tests of Playwright.
func sideBySide(ctx context.Context, f *flow, with bool) (*side, error) {
	s := &side{Cases: 200, Workers: 8, PeakMB: map[int]float64{}}
	r := newRooms()
	defer r.Close()
	for _, n := range []int{50, 100, s.Cases} {
		took, peak, err := f.rooms(r, n, s.Workers)
		if err == nil {
			err = r.came(n)
		}
		if err != nil {
			return nil, fmt.Errorf("%d cases: %w", n, err)
		}
		s.PeakMB[n] = peak
		s.Deed = float64(n) / took.Minutes()
	}
	if !with {
		return s, nil
	}
	took, t, err := playwrightTest(ctx, f.dir, f.tmp, "rooms.spec.mjs", "BASE_URL="+r.URL, "ROOMS="+strconv.Itoa(s.Cases), "WORKERS="+strconv.Itoa(s.Workers))
	if err == nil && t.passed != s.Cases {
		err = fmt.Errorf("playwright passed %d, want %d", t.passed, s.Cases)
	}
	if err == nil {
		err = r.came(s.Cases)
	}
	s.Playwright = float64(s.Cases) / took.Minutes()
	return s, err
}

// rooms runs so many cases, and tells how much memory deed had at most.
func (f *flow) rooms(r *rooms, n, workers int) (time.Duration, float64, error) {
	dir, err := os.MkdirTemp(f.tmp, "rooms-")
	if err != nil {
		return 0, 0, err
	}
	for i := range n {
		who := "guest-" + strconv.Itoa(i+1)
		text := fmt.Sprintf(`deed: 1
case: %[1]s
start: ${BASE_URL}/?who=%[1]s
steps:
  - expect: [{text: new here}]
  - click: {button: Who am I}
    expect: [{text: you are %[1]s}]
  - click: {link: My file}
    expect: [{download: mine.txt}]
`, who)
		if err := os.WriteFile(filepath.Join(dir, who+".deed.yaml"), []byte(text), 0o644); err != nil {
			return 0, 0, err
		}
	}
	cmd := exec.CommandContext(f.ctx, filepath.Join(f.tmp, "deed"), "run", ".", "--json", "--no-lock", "--shots", "none", "--workers", strconv.Itoa(workers), "--base-url", r.URL)
	cmd.Dir = dir
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	peak, tick := 0.0, time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			peak = max(peak, peakOf(strconv.Itoa(cmd.Process.Pid)))
			continue
		case err = <-ended:
		}
		break
	}
	took := time.Since(start)
	var res struct {
		Run   string
		Cases []struct{ Case, Outcome, Reason string }
	}
	if e := json.Unmarshal(out.Bytes(), &res); err != nil || e != nil || len(res.Cases) != n {
		return 0, 0, fmt.Errorf("deed run: %w, %d cases\n%s", errors.Join(err, e), len(res.Cases), told.String())
	}
	for _, c := range res.Cases {
		files, _ := filepath.Glob(filepath.Join(dir, ".deed", "runs", res.Run, "downloads", strings.ReplaceAll(c.Case, "/", "-")+"-*-mine.txt"))
		if len(files) != 1 {
			return 0, 0, fmt.Errorf("%s has %d files", c.Case, len(files))
		}
		if got, err := os.ReadFile(files[0]); err != nil || string(got) != "of "+c.Case {
			return 0, 0, fmt.Errorf("%s was given %q, %v", c.Case, got, err)
		}
	}
	return took, peak, nil
}
