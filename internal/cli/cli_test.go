package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/deed-dev/deed/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the golden files in the scripts")

// TestMain makes this test's program the command deed of the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"deed": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			os.Exit(cli.Main(ctx, os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, LookupEnv: os.LookupEnv}))
		},
	})
}

// TestScripts runs testdata/*.txtar. Beside testscript's own commands there are
//
//	serve DIR         serves a folder; its address is in $URL
//	fill FILE         puts $URL in where a file says it
//	exits N deed …    runs deed and demands exit status N
//	document FILE     demands exactly one JSON document
//	interrupt PATH N deed …   sends SIGINT when the served folder is asked for PATH, and demands exit status N
//	remember FILE…    puts results of runs into .deed/history.db
//	empty DIR PATTERN demands that no file of a folder matches
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			// A browser that the developer named is the one that is tested.
			if path, ok := os.LookupEnv("DEED_BROWSER"); ok {
				e.Setenv("DEED_BROWSER", path)
			}
			e.Values[key{}] = &site{hits: map[string]chan struct{}{}}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": serve, "fill": fill, "exits": exits, "document": document, "interrupt": interrupt, "empty": empty, "remember": remember,
		},
	})
}

type key struct{}

// site is what a script serves.
type site struct {
	mu   sync.Mutex
	hits map[string]chan struct{} // closed when the path was asked for
}

func (s *site) hit(path string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hits[path] == nil {
		s.hits[path] = make(chan struct{})
	}
	return s.hits[path]
}

func (s *site) note(path string) {
	c := s.hit(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve DIR")
	}
	s := ts.Value(key{}).(*site)
	files := http.FileServer(http.Dir(ts.MkAbs(args[0])))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(r.URL.Path)
		files.ServeHTTP(w, r)
	}))
	ts.Defer(srv.Close)
	ts.Setenv("URL", srv.URL)
}

func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fill FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "$URL", ts.Getenv("URL"))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func document(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: document FILE")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	var v map[string]any
	ts.Check(d.Decode(&v))
	if err := d.Decode(&v); err != io.EOF {
		ts.Fatalf("there is more than one document: %v", err)
	}
}

func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt PATH STATUS COMMAND…")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	path, err := exec.LookPath(args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, k := range []string{"PATH", "TMPDIR", "HOME", "DEED_BROWSER"} {
		if v := ts.Getenv(k); v != "" {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ts.Value(key{}).(*site).hit(args[0]):
		ts.Check(cmd.Process.Signal(os.Interrupt))
	case err := <-ended:
		ts.Fatalf("it ended before it asked for %s: %v\n%s", args[0], err, out.String())
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		ts.Fatalf("it never asked for %s\n%s", args[0], out.String())
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		ts.Fatalf("the interrupt did not end it\n%s", out.String())
	}
	ts.Logf("%s", out.String())
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d, want %d\n%s", got, want, out.String())
	}
}

func empty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: empty DIR PATTERN")
	}
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), args[1]))
	ts.Check(err)
	if len(found) > 0 {
		ts.Fatalf("there is %v", found)
	}
}
