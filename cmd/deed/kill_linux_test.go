package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// deed is killed in mid-case twenty times, without a chance to clean up: no browser outlives it, and the next start
// removes the profiles.
func TestNothingOutlivesAKilledDeed(t *testing.T) {
	tmp := t.TempDir()
	bin := filepath.Join(t.TempDir(), "deed")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked := make(chan struct{}, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/clicked" {
			asked <- struct{}{}
			<-r.Context().Done() // the case stays in the middle of its step
			return
		}
		fmt.Fprint(w, `<!doctype html><title>Wait</title><button onclick="fetch('/clicked')">Go</button><p role=status>Ready</p>`)
	}))
	defer srv.Close()
	defer srv.CloseClientConnections()
	file := filepath.Join(t.TempDir(), "wait.deed.yaml")
	if err := os.WriteFile(file, []byte("deed: 1\ncase: wait\nstart: "+srv.URL+"/\nsteps:\n  - click: {button: Go}\n    expect: [{appears: {status: Done}}]\n    timeout: 60s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "TMPDIR="+tmp)
	for i := range 20 {
		cmd := exec.Command(bin, "run", file)
		cmd.Env = env
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-asked:
		case <-time.After(60 * time.Second):
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("run %d never clicked:\n%s", i, out.String())
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	ok := filepath.Join(t.TempDir(), "ok.deed.yaml")
	if err := os.WriteFile(ok, []byte("deed: 1\ncase: ok\nstart: "+srv.URL+"/\nsteps:\n  - expect: {visible: {status: Ready}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := exec.Command(bin, "run", ok)
	next.Env = env
	if out, err := next.CombinedOutput(); err != nil {
		t.Fatalf("the next start: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "deed-chrome-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if left := running(tmp); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// running lists the processes whose command line names this folder.
func running(folder string) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(folder)) {
			out = append(out, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return out
}
