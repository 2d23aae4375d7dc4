//go:build unix

package trace_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/deed-dev/deed/internal/trace"
)

// A child of this test writes records, a few bytes at a time, and says so after each, until it is killed.
const childEnv = "DEED_TRACE_CHILD"

func TestMain(m *testing.M) {
	path := os.Getenv(childEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	w, err := trace.Create(path, trace.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	trace.WriteWith(w, func(next func([]byte) (int, error)) func([]byte) (int, error) {
		return func(b []byte) (int, error) { return next(b[:min(len(b), 16)]) }
	})
	for n := 1; ; n++ {
		for _, e := range whole(fmt.Sprint(n), n) {
			if err := w.Write(&e); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Stdout.Write([]byte("."))
		}
	}
}

// child starts a writer that is yet to be killed, and returns what it says.
func child(t *testing.T, path string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+path)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(out)
}

func TestKilledBetweenAnyTwoEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	told, torn := 0, 0
	for round := range 25 {
		c, says := child(t, path)
		n := 1 + rand.IntN(23)
		if _, err := io.CopyN(io.Discard, says, int64(n)); err != nil {
			t.Fatal(err)
		}
		c.Process.Kill()
		c.Wait()
		told += n
		b := content(t, path)
		r := verify(b)
		if !r.Intact() || r.Whole || r.Events < told || r.Runs != round+1 {
			t.Fatalf("round %d: %+v; %d records were told", round, r, told)
		}
		// What the run's own records say is in flight is what the report says.
		events := read(t, b)
		var want, begun []string
		run := events[len(events)-1].Run
		state := map[string]trace.Kind{}
		var ids []string
		for _, e := range events {
			if e.Run == run {
				if e.Kind == trace.Proposed {
					ids = append(ids, e.ID)
				}
				state[e.ID] = e.Kind
			}
		}
		for _, id := range ids {
			if k := state[id]; k != trace.Finished {
				want = append(want, id)
				if k == trace.Started {
					begun = append(begun, id)
				}
			}
		}
		if len(want) > 1 || !slices.Equal(tailOf(r.InFlight, len(want)), want) || !slices.Equal(tailOf(r.Begun, len(begun)), begun) {
			t.Fatalf("round %d: in flight %v, begun %v; want %v, %v", round, r.InFlight, r.Begun, want, begun)
		}
		if b[len(b)-1] != '\n' {
			torn++
		}
		told = r.Events
	}
	t.Logf("%d of 25 ends were in the middle of a record", torn)
}

func tailOf(s []string, n int) []string { return s[max(0, len(s)-n):] }

func TestAA51_ProcessesTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	var all []*exec.Cmd
	var says []*bufio.Reader
	for range 3 {
		c, s := child(t, path)
		all, says = append(all, c), append(says, s)
	}
	for _, s := range says {
		if _, err := io.CopyN(io.Discard, s, 40); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range all {
		c.Process.Kill()
		c.Wait()
	}
	if r := verify(content(t, path)); !r.Intact() || r.Runs != 3 || r.Events < 120 {
		t.Errorf("%+v", r)
	}
}
