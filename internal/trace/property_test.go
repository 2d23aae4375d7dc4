//go:build unix

package trace_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/trace"
)

// drawn writes a random trace of some runs, each of some actions, and returns it.
func drawn(t *rapid.T, dir string) []byte {
	path := filepath.Join(dir, "trace.jsonl")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	word := rapid.StringMatching(`[ -~äß…]{0,12}`)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for run := range rapid.IntRange(1, 3).Draw(t, "runs") {
		w, err := trace.Create(path, trace.Options{Run: fmt.Sprintf("r%d", run), Unsafe: rapid.Bool().Draw(t, "unsafe"), Now: at()})
		check(err)
		for n := range rapid.IntRange(1, 3).Draw(t, "actions") {
			id := fmt.Sprintf("a%d", n)
			for _, e := range whole(id, n)[:rapid.IntRange(1, 5).Draw(t, "records")] {
				e.Reason = word.Draw(t, "reason")
				if e.Kind == trace.Proposed {
					e.Do = &deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("x"), Text: word.Draw(t, "text")}
				}
				check(w.Write(&e))
			}
		}
		if rapid.Bool().Draw(t, "note") {
			check(w.Write(&trace.Event{Kind: trace.Note, What: "egress", Reason: word.Draw(t, "reason")}))
		}
		check(w.Close())
	}
	b, err := os.ReadFile(path)
	check(err)
	return b
}

// TestEveryChangeIsFound: a trace is whole as it was written, and as nothing else.
func TestEveryChangeIsFound(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		b := drawn(t, dir)
		if r := verify(b); !r.Whole {
			t.Fatalf("%+v in\n%s", r, b)
		}
		lines := bytes.SplitAfter(b, []byte("\n"))
		lines = lines[:len(lines)-1]
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
		head, line, rest := join(lines[:at]...), lines[at], join(lines[at+1:]...)
		var changed []byte
		cut := false // no more than is left behind by a run that was killed
		switch how := rapid.SampledFrom([]string{"edit", "insert", "delete", "drop", "swap", "duplicate", "move", "shorten", "cut"}).Draw(t, "how"); how {
		case "edit":
			k := rapid.IntRange(0, len(line)-1).Draw(t, "byte")
			c := bytes.Clone(line)
			c[k] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			changed = join(head, c, rest)
		case "insert":
			k := rapid.IntRange(0, len(line)).Draw(t, "byte")
			changed = join(head, line[:k], []byte{rapid.Byte().Draw(t, "what")}, line[k:], rest)
		case "delete":
			k := rapid.IntRange(0, len(line)-1).Draw(t, "byte")
			changed = join(head, line[:k], line[k+1:], rest)
		case "drop":
			changed = join(head, rest)
		case "duplicate":
			changed = join(head, line, line, rest)
		case "shorten":
			changed = join(head, line[:rapid.IntRange(0, len(line)-2).Draw(t, "to")], []byte("\n"), rest)
		case "cut":
			changed, cut = b[:rapid.IntRange(0, len(b)-1).Draw(t, "at")], true
			// What ends with a run is whole, in this file as in one that never had another run: only who keeps the head can tell.
			if r := verify(changed); len(changed) == 0 || r.Whole && r.Head != verify(b).Head {
				return
			}
		case "swap", "move":
			to := rapid.IntRange(0, len(lines)-1).Filter(func(n int) bool { return n != at }).Draw(t, "to")
			c := append([][]byte{}, lines...)
			if how == "swap" {
				c[at], c[to] = c[to], c[at]
			} else {
				c = append(append([][]byte{}, lines[:at]...), lines[at+1:]...)
				c = append(c[:to], append([][]byte{line}, c[to:]...)...)
			}
			changed = join(c...)
		}
		r := verify(changed)
		if r.Whole {
			t.Fatalf("not found: %+v in\n%s", r, changed)
		}
		if cut {
			if !r.Intact() {
				t.Fatalf("a cut is not tolerated: %+v in\n%s", r, changed)
			}
			if events, err := trace.Read(bytes.NewReader(changed)); err != nil || len(events) != r.Events {
				t.Fatalf("%d of %d records are read: %v", len(events), r.Events, err)
			}
		}
	})
}

func seeds(f *testing.F) {
	w, path := create(f, trace.Options{Run: "r1"})
	write(f, w, whole("a", 1)...)
	w.Close()
	b := content(f, path)
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add(append(bytes.Clone(b[:len(b)/2]), b...))
	f.Add([]byte("[]\n\n{}\n"))
	f.Add([]byte(`{"v":1,"run":"`))
	f.Add([]byte(`{"v":1,"kind":"note","what":"x"}`))
}

func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		events, err := trace.Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		trace.Story(events)
		trace.Compare(events, events)
		for i := range events {
			if e := &events[i]; e.Line < 1 || i > 0 && e.Line <= events[i-1].Line {
				t.Fatalf("line %d", e.Line)
			}
		}
	})
}

func FuzzVerify(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := verify(b)
		events, err := trace.Read(bytes.NewReader(b))
		switch {
		case r.Whole && (err != nil || len(events) != r.Events):
			t.Fatalf("whole, and %d of %d read: %v", len(events), r.Events, err)
		case err != nil && r.Intact():
			t.Fatalf("intact, and %v", err)
		}
		if r.Whole && len(b) > 0 {
			if verify(append(bytes.Clone(b), b...)).Whole {
				t.Fatal("twice is whole too")
			}
		}
	})
}
