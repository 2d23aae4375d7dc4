//go:build unix

package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
	"github.com/deed-dev/deed/internal/trace"
)

// at is a clock that goes on by a millisecond with each look.
func at() func() time.Time {
	var mu sync.Mutex
	t := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		t = t.Add(time.Millisecond)
		return t
	}
}

func create(t testing.TB, o trace.Options) (*trace.Writer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	return open(t, path, o), path
}

func open(t testing.TB, path string, o trace.Options) *trace.Writer {
	t.Helper()
	if o.Now == nil {
		o.Now = at()
	}
	w, err := trace.Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func write(t testing.TB, w *trace.Writer, events ...trace.Event) {
	t.Helper()
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// whole is every record of an action that was carried out.
func whole(id string, step int) []trace.Event {
	return []trace.Event{
		{Kind: trace.Proposed, ID: id, Step: step, By: "agent", Risk: "reversible", Digest: "0a1b",
			Do: &deed.Action{Kind: deed.KindClick, Locator: deed.Button("Pay").In("cart")}},
		{Kind: trace.Decided, ID: id, Step: step, Decision: "confirm", Rule: "agent.click", Reason: "a click is confirmed", Risk: "external",
			Page: "http://shop.example/cart?session=4711", Element: &trace.Element{Role: "button", Name: "Pay", Region: "cart"},
			Request: json.RawMessage(`{"principal": "agent", "context": {"url": "http://shop.example/cart?session=4711"}}`)},
		{Kind: trace.Confirmed, ID: id, Step: step, Answer: trace.Yes, By: "terminal", Digest: "0a1b", MS: 1200},
		{Kind: trace.Started, ID: id, Step: step, Way: "pointer"},
		{Kind: trace.Finished, ID: id, Step: step, Outcome: "verified", Verdict: "match", Basis: "named", Reason: "status \"Paid\" appeared",
			Changes: []string{`+ status "Paid"`}, Blocked: []string{"GET http://ads.example/x?u=1"}, DurationMS: 71, PhasesMS: map[string]int64{"act": 20}},
	}
}

func content(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func verify(b []byte) trace.Report { return trace.Verify(bytes.NewReader(b)) }

func read(t testing.TB, b []byte) []trace.Event {
	t.Helper()
	events, err := trace.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestWriteReadVerify(t *testing.T) {
	w, path := create(t, trace.Options{Run: "r1", Sync: true})
	write(t, w, whole("a", 1)...)
	write(t, w, whole("b", 2)[:4]...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := content(t, path)
	r := verify(b)
	if !r.Whole || r.Events != 10 || r.Runs != 1 || len(r.InFlight) != 1 || len(r.Begun) != 1 {
		t.Errorf("%+v in\n%s", r, b)
	}
	events := read(t, b)
	if len(events) != 10 {
		t.Fatalf("%d events", len(events))
	}
	if e := events[0]; e.ID != events[2].ID || e.ID == events[5].ID || e.Digest != events[2].Digest || e.Line != 1 || e.Seq != 1 ||
		e.Time != "2026-11-30T09:00:00.001Z" || e.Action.Role != "button" || e.Prev != "" {
		t.Errorf("%+v", e)
	}
	if e := events[1]; e.Rule != "agent.click" || e.Reason != "a click is confirmed" || e.Element.Name != "Pay" ||
		e.Page != "http://shop.example/cart?[redacted]" || e.Prev != events[0].Hash {
		t.Errorf("%+v", e)
	}
	if bytes.Contains(b, []byte("4711")) || bytes.Contains(b, []byte("u=1")) {
		t.Errorf("a query is not masked:\n%s", b)
	}
	if err := w.Write(&whole("c", 3)[0]); !errors.Is(err, deed.CodeInvalid) {
		t.Errorf("a closed writer writes: %v", err)
	}
}

func TestRefusedRecordsLeaveNothing(t *testing.T) {
	w, path := create(t, trace.Options{})
	for name, e := range map[string]trace.Event{
		"kind":      {Kind: "eaten", ID: "a"},
		"decision":  {Kind: trace.Decided, ID: "a", Decision: "maybe"},
		"none":      {Kind: trace.Decided, ID: "a"},
		"answer":    {Kind: trace.Confirmed, ID: "a", Answer: "Yes"},
		"outcome":   {Kind: trace.Finished, ID: "a", Outcome: "fine"},
		"id":        {Kind: trace.Started, Way: "pointer"},
		"action":    {Kind: trace.Proposed, ID: "a"},
		"what":      {Kind: trace.Note},
		"foreign":   {Kind: trace.Started, ID: "a", Decision: "allow"},
		"request":   {Kind: trace.Decided, ID: "a", Decision: "allow", Request: json.RawMessage(`[1]`)},
		"no JSON":   {Kind: trace.Decided, ID: "a", Decision: "allow", Request: json.RawMessage(`{"a":`)},
		"two roots": {Kind: trace.Decided, ID: "a", Decision: "allow", Request: json.RawMessage(`{} {}`)},
		"deep":      {Kind: trace.Decided, ID: "a", Decision: "allow", Request: json.RawMessage(`{"a":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`)},
	} {
		if err := w.Write(&e); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b := content(t, path); len(b) != 0 {
		t.Errorf("%s", b)
	}
	deep := trace.Event{Kind: trace.Decided, ID: "a", Decision: "allow", Request: json.RawMessage(`{"a":` + strings.Repeat("[", 126) + strings.Repeat("]", 126) + `}`)}
	write(t, w, deep)
	if e := read(t, content(t, path)); len(e) != 1 || e[0].Seq != 14 {
		t.Errorf("%+v", e)
	}
}

func TestAA49_AA50_WritesThatFail(t *testing.T) {
	t.Run("AA-49 a short write is completed", func(t *testing.T) {
		w, path := create(t, trace.Options{})
		calls := 0
		trace.WriteWith(w, func(next func([]byte) (int, error)) func([]byte) (int, error) {
			return func(b []byte) (int, error) {
				calls++
				return next(b[:min(len(b), 7)])
			}
		})
		write(t, w, whole("a", 1)...)
		trace.WriteWith(w, nil)
		w.Close()
		if r := verify(content(t, path)); !r.Whole || r.Events != 6 || calls < 100 {
			t.Errorf("%+v after %d calls", r, calls)
		}
	})
	boom := errors.New("no space")
	for name, c := range map[string]struct {
		err   error
		after int
	}{"AA-50 no progress": {nil, 0}, "AA-50 no progress after a part": {nil, 30}, "an error at once": {boom, 0}, "an error after a part": {boom, 30}} {
		t.Run(name, func(t *testing.T) {
			w, path := create(t, trace.Options{})
			write(t, w, whole("a", 1)[0])
			before := content(t, path)
			trace.WriteWith(w, func(next func([]byte) (int, error)) func([]byte) (int, error) {
				left := c.after
				return func(b []byte) (int, error) {
					if left == 0 {
						return 0, c.err
					}
					n, err := next(b[:min(len(b), left)])
					left -= n
					return n, err
				}
			})
			err := w.Write(&whole("a", 1)[1])
			if !errors.Is(err, deed.CodeEnvironment) || c.err != nil && !errors.Is(err, boom) || c.err == nil && !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%v", err)
			}
			if after := content(t, path); !bytes.Equal(before, after) {
				t.Errorf("the file is not as it was:\n%s", after)
			}
			trace.WriteWith(w, nil)
			write(t, w, whole("a", 1)[1:]...)
			w.Close()
			if r := verify(content(t, path)); !r.Whole {
				t.Errorf("%+v", r)
			}
			if e := read(t, content(t, path)); e[1].Seq != 3 {
				t.Errorf("the number of a failed record was used again: %d", e[1].Seq)
			}
		})
	}
	t.Run("AA-50 what cannot be taken back does not hide why", func(t *testing.T) {
		w, path := create(t, trace.Options{})
		write(t, w, whole("a", 1)[0])
		stuck := errors.New("stuck")
		trace.WriteWith(w, func(next func([]byte) (int, error)) func([]byte) (int, error) {
			return func(b []byte) (int, error) { n, _ := next(b[:30]); return n, boom }
		})
		trace.TruncateWith(w, func(int64) error { return stuck })
		if err := w.Write(&whole("a", 1)[1]); !errors.Is(err, boom) || !errors.Is(err, stuck) || !strings.HasPrefix(err.Error(), "trace ") {
			t.Errorf("%v", err)
		}
		trace.WriteWith(w, nil)
		write(t, w, whole("a", 1)[1:]...)
		w.Close()
		r := verify(content(t, path))
		if !r.Intact() || len(r.Problems) != 1 || r.Problems[0] != (trace.Problem{Line: 2, Code: trace.ProblemTorn}) {
			t.Errorf("%+v", r)
		}
		if e := read(t, content(t, path)); len(e) != 6 || !e[0].Cut {
			t.Errorf("%+v", e)
		}
	})
}

// A record in a file that nobody can open any more is none: what it would tell of must not begin.
func TestRemovedTraces(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", nil, 0o600), os.Rename(path+".new", path))
		},
	} {
		w, path := create(t, trace.Options{})
		write(t, w, whole("a", 1)[0])
		if err := take(path); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&whole("a", 1)[1]); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAA51_WritersTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	const writers, each = 6, 12
	var all sync.WaitGroup
	for n := range writers {
		w := open(t, path, trace.Options{Run: fmt.Sprintf("r%d", n)})
		if n%2 == 0 {
			trace.WriteWith(w, func(next func([]byte) (int, error)) func([]byte) (int, error) {
				return func(b []byte) (int, error) { return next(b[:min(len(b), 50)]) }
			})
		}
		all.Go(func() {
			for k := range each {
				for _, e := range whole(fmt.Sprint(k), k+1) {
					if err := w.Write(&e); err != nil {
						t.Error(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if r := verify(content(t, path)); !r.Whole || r.Runs != writers || r.Events != writers*(each*5+1) || len(r.InFlight) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestAA52_PathsRefused(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Mkdir(name("real"), 0o700))
	check(os.WriteFile(name("real/t.jsonl"), nil, 0o600))
	check(os.Symlink("t.jsonl", name("real/link.jsonl")))
	check(os.Symlink("nowhere", name("real/dangling.jsonl")))
	check(os.Symlink("real", name("linked")))
	check(os.WriteFile(name("group.jsonl"), nil, 0o600))
	check(os.Chmod(name("group.jsonl"), 0o640))
	check(os.WriteFile(name("other.jsonl"), nil, 0o600))
	check(os.Chmod(name("other.jsonl"), 0o602))
	check(os.WriteFile(name("notes.txt"), []byte("my own notes\n"), 0o600))
	check(os.WriteFile(name("notes2.txt"), []byte("my own notes"), 0o600))
	check(syscall.Mkfifo(name("fifo"), 0o600))
	t.Chdir(dir)
	for why, path := range map[string]string{
		"AA-52 a symbolic link": name("real/link.jsonl"), "AA-52 a dangling link": name("real/dangling.jsonl"),
		"AA-52 under a linked folder": name("linked/t.jsonl"), "a new folder under a linked one": name("linked/new/t.jsonl"),
		"AA-52 dots": dir + "/real/../t.jsonl", "AA-52 dots first": "../t.jsonl", "AA-52 dots last": dir + "/real/..", "relative and linked": "linked/t.jsonl",
		"AA-52 the group may read": name("group.jsonl"), "others may write": name("other.jsonl"), "a folder": name("real"),
		"a folder, said so": name("real") + "/", "a pipe": name("fifo"), "a file on the way": name("notes.txt/t.jsonl"), "nothing": "",
		"something else": name("notes.txt"), "something else without an end": name("notes2.txt"), "a device": "/dev/null",
	} {
		if w, err := trace.Create(path, trace.Options{}); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%s: %v", why, err)
			if w != nil {
				w.Close()
			}
		}
	}
	if _, err := os.Lstat(name("real/new")); err == nil {
		t.Error("a folder was made behind a link")
	}
	if got := string(content(t, name("notes.txt"))); got != "my own notes\n" {
		t.Errorf("%q", got)
	}
	for _, path := range []string{name("real/t.jsonl"), name("a/b/t.jsonl"), "c/./d/t.jsonl", "t.jsonl"} {
		w := open(t, path, trace.Options{})
		write(t, w, whole("a", 1)...)
		check(w.Close())
	}
	for path, want := range map[string]os.FileMode{"a": 0o700, "a/b": 0o700, "c/d": 0o700, "a/b/t.jsonl": 0o600, "t.jsonl": 0o600} {
		info, err := os.Stat(name(path))
		check(err)
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v", path, info.Mode())
		}
	}
	for _, run := range []string{"a b", "../x", strings.Repeat("x", 65), "hunter22"} {
		m := new(redact.Masker)
		m.Add("hunter22")
		if _, err := trace.Create("run.jsonl", trace.Options{Run: run, Redact: m}); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q is the name of a run: %v", run, err)
		}
	}
}

func TestAA53_AA54_LinesThatAreNoRecords(t *testing.T) {
	w, path := create(t, trace.Options{Run: "r1"})
	write(t, w, whole("a", 1)...)
	w.Close()
	good := bytes.SplitAfter(content(t, path), []byte("\n"))
	deep := func(n int) string {
		return `{"v":1,"run":"r","seq":9,"kind":"decided","id":"a","decision":"allow","request":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for name, bad := range map[string]string{
		"AA-53 a list": `[1]`, "AA-53 a text": `"x"`, "AA-53 null": `null`, "AA-53 no JSON": `{"v":1,"run":"r"`, "AA-53 too deep": deep(127),
		"an action that is none": `{"v":1,"run":"r","seq":9,"kind":"proposed","id":"a","action":"click"}`,
		"a request that is none": `{"v":1,"run":"r","seq":9,"kind":"decided","id":"a","decision":"allow","request":[]}`,
		"a null request":         `{"v":1,"run":"r","seq":9,"kind":"decided","id":"a","decision":"allow","request":null}`,
		"AA-53 a result":         `{"v":1,"run":"r","seq":9,"kind":"note","what":"x","result":3}`,
		"phases that are none":   `{"v":1,"run":"r","seq":9,"kind":"finished","id":"a","outcome":"verified","phases_ms":[]}`,
		"another form":           `{"v":2,"run":"r","seq":9,"kind":"note","what":"x"}`, "a key twice": `{"v":1,"v":1,"run":"r","seq":9,"kind":"note","what":"x"}`,
		"a key in capitals": `{"V":1,"run":"r","seq":9,"kind":"note","what":"x"}`, "a number as text": `{"v":1,"run":"r","seq":"9","kind":"note","what":"x"}`,
		"a time of its own": `{"v":1,"run":"r","seq":9,"time":"today","kind":"note","what":"x"}`, "half an identity": `{"v":1,"run":"r","kind":"note","what":"x"}`,
		"no UTF-8": "{\"v\":1,\"run\":\"r\",\"seq\":9,\"kind\":\"note\",\"what\":\"\xff\"}",
	} {
		for where := range len(good) - 1 {
			text := bytes.Join(append(append(append([][]byte{}, good[:where]...), []byte(bad+"\n")), good[where:]...), nil)
			_, err := trace.Read(bytes.NewReader(text))
			if want := fmt.Sprintf("line %d", where+1); !errors.Is(err, deed.CodeInvalid) || !strings.Contains(err.Error(), want+":") {
				t.Fatalf("%s at line %d: %v", name, where+1, err)
			}
			if r := verify(text); r.Intact() || r.Problems[0].Line != where+1 || r.Problems[0].Code != trace.ProblemMalformed {
				t.Fatalf("%s at line %d: %+v", name, where+1, r)
			}
		}
	}
	if e := read(t, []byte(deep(126))); len(e) != 1 {
		t.Error("128 levels are not read")
	}
	text := bytes.Join(append([][]byte{good[0], []byte("\n")}, good[1:]...), nil)
	if e := read(t, text); len(e) != 6 {
		t.Errorf("%d records around an empty line", len(e))
	}
	if r := verify(text); r.Intact() {
		t.Error("an empty line is not told")
	}
}

func TestTornTailsAreTold(t *testing.T) {
	w, path := create(t, trace.Options{Run: "r1"})
	write(t, w, whole("a", 1)...)
	w.Close()
	full := content(t, path)
	for cut := 1; cut < len(full); cut++ {
		part := full[:cut]
		r := verify(part)
		lines := bytes.Count(part, []byte("\n"))
		switch last := part[bytes.LastIndexByte(part, '\n')+1:]; {
		case !r.Intact(), r.Whole, len(r.Problems) == 0, r.Events != lines && r.Events != lines+1:
			t.Fatalf("cut at %d: %+v", cut, r)
		case len(last) > 0 && r.Problems[len(r.Problems)-1].Code != trace.ProblemTorn && r.Problems[0].Code != trace.ProblemTorn:
			t.Fatalf("cut at %d: %+v", cut, r)
		}
		read(t, part)
		if cut%13 != 0 {
			continue
		}
		// The next run goes on where the last one was torn.
		if err := os.WriteFile(path, part, 0o600); err != nil {
			t.Fatal(err)
		}
		next := open(t, path, trace.Options{Run: "r2"})
		write(t, next, whole("b", 1)...)
		next.Close()
		b := content(t, path)
		if !bytes.HasPrefix(b, part) {
			t.Fatal("what was there was changed")
		}
		after := verify(b)
		if !after.Intact() || after.Whole || after.Events != r.Events+6 {
			t.Fatalf("cut at %d: %+v in\n%s", cut, after, b)
		}
		// What was torn cannot be changed, nor taken away, unseen.
		if i := bytes.Index(b, []byte(`"torn":"`)); i >= 0 {
			b[len(part)-1] ^= 1
			if after := verify(b); after.Intact() {
				t.Fatalf("cut at %d: a change of what was torn is not told", cut)
			}
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	m := new(redact.Masker)
	for _, s := range []string{"correct horse battery", "DE89370400440532013000", "hunter2hunter2"} {
		m.Add(s)
	}
	b.Run("after 200 texts were typed", func(b *testing.B) {
		w, _ := create(b, trace.Options{Redact: m})
		for i := range 200 {
			write(b, w, trace.Event{Kind: trace.Proposed, ID: "t", Do: &deed.Action{Kind: deed.KindFill, Text: fmt.Sprintf("number %d of what was typed", i)}})
		}
		events := whole("a", 1)
		for i := 0; b.Loop(); i++ {
			if err := w.Write(&events[i%len(events)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, o := range map[string]trace.Options{"default": {Redact: m}, "unsafe": {Redact: m, Unsafe: true}} {
		b.Run(name, func(b *testing.B) {
			w, _ := create(b, o)
			events := whole("a", 1)
			for i := 0; b.Loop(); i++ {
				if err := w.Write(&events[i%len(events)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
