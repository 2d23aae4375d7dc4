package trace

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
	"github.com/deed-dev/deed/internal/strictjson"
)

// Options say how a trace is written.
type Options struct {
	Redact *redact.Masker   // the secrets that the caller knows of; nil for none
	Sync   bool             // each record reaches the disk before Write returns
	Unsafe bool             // verbatim, but for named secrets
	Run    string           // which run it is, unlike every other in the file: letters, digits, dots and dashes; "" makes one up
	Now    func() time.Time // nil is the clock
}

// A Writer appends the records of one run to a trace. It is safe for concurrent use, and several writers, of several processes
// too, may append to one file: the chain of hashes goes through all of them.
type Writer struct {
	mu   sync.Mutex
	o    Options
	veil veil
	path string
	f    *os.File
	seq  int
	any  bool // a record of this run is in the file

	// What the file's end was when it was last looked at, under the lock.
	end  int64
	last tail

	write    func([]byte) (int, error) // f's; tests make it fail
	truncate func(int64) error
}

// tail is how a trace ends.
type tail struct {
	prev  string // the hash of the last whole record
	torn  string // the hash of what stands behind it
	fresh bool   // the last line has no end
}

var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Create opens a trace for appending, and makes it where there is none. Missing folders are made for the owner alone. Refused, as
// [deed.CodeInvalid], are a path with "..", one that leads over a symbolic link, what is no regular file, a file that others may
// read or write, and one that holds something else than a trace.
func Create(path string, o Options) (*Writer, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &Writer{o: o, path: path, veil: veil{given: o.Redact, unsafe: o.Unsafe, key: make([]byte, 32)}}
	rand.Read(w.veil.key)
	if w.o.Run == "" {
		var b [6]byte
		rand.Read(b[:])
		w.o.Run = o.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
	}
	if !runName.MatchString(w.o.Run) || o.Redact != nil && o.Redact.String(w.o.Run) != w.o.Run {
		return nil, w.bad(errors.New("the name of a run has letters, digits, dots and dashes, at most 64"))
	}
	f, err := openFile(path)
	if err != nil {
		return nil, w.bad(err)
	}
	w.f, w.write, w.truncate = f, f.Write, f.Truncate
	w.end = -1
	if err := w.locked(func() error { return w.look() }); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Run is the name of the run.
func (w *Writer) Run() string { return w.o.Run }

func (w *Writer) bad(err error) error {
	code := deed.CodeInvalid
	var sys *os.PathError
	if errors.As(err, &sys) {
		code, err = deed.CodeEnvironment, sys.Err
	}
	return &deed.Error{Op: "trace", Code: code, Where: w.path, Err: err, SideEffects: deed.EffectsNone}
}

// Write appends a record: run, number, time and hashes are the writer's. It is in the file whole when Write returns nil, and not at
// all otherwise; its number is used up in either case. The event itself is not changed.
func (w *Writer) Write(in *Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return w.bad(errors.New("it is closed"))
	}
	return w.append(in)
}

func (w *Writer) append(in *Event) error {
	w.seq++
	c := *in
	c.V, c.Run, c.Seq, c.Time = Version, w.o.Run, w.seq, w.o.Now().UTC().Format(clock)
	for _, raw := range []json.RawMessage{c.Proposal, c.Request} {
		if raw == nil {
			continue
		}
		if _, err := strictjson.Parse("trace", raw, strictjson.Limits{Bytes: maxLine / 2, Depth: maxDepth - 1, Values: maxLine}); err != nil {
			return err
		}
	}
	e := w.veil.event(&c)
	if err := e.check(); err != nil {
		return w.bad(err)
	}
	return w.locked(func() error {
		if err := w.look(); err != nil {
			return err
		}
		e.Prev, e.Torn = w.last.prev, w.last.torn
		line, err := e.encode()
		if err != nil {
			return w.bad(err)
		}
		if len(line) > maxLine {
			return w.bad(errors.New("a record is too large"))
		}
		if w.last.fresh {
			line = append([]byte("\n"), line...)
		}
		if err := w.put(append(line, '\n')); err != nil {
			return err
		}
		w.end += int64(len(line)) + 1
		w.last = tail{prev: e.Hash}
		w.any = true
		return nil
	})
}

// put writes the bytes at the end of the file, or leaves the file as it was.
func (w *Writer) put(b []byte) error {
	err := func() error {
		// Where files cannot be opened for appending alone, the lock keeps the end where it is.
		if _, err := w.f.Seek(w.end, io.SeekStart); err != nil {
			return err
		}
		for len(b) > 0 {
			n, err := w.write(b)
			switch {
			case n < 0 || n > len(b):
				return errors.New("the system miscounts what it wrote")
			case err != nil && !errors.Is(err, io.ErrShortWrite):
				return err
			case n == 0:
				return io.ErrShortWrite
			}
			b = b[n:]
		}
		if w.o.Sync {
			return w.f.Sync()
		}
		return nil
	}()
	if err == nil {
		return nil
	}
	fault := &deed.Error{Op: "trace", Code: deed.CodeEnvironment, Where: w.path, SideEffects: deed.EffectsNone,
		Err: fmt.Errorf("the record could not be written: %w", err)}
	if back := w.truncate(w.end); back != nil {
		w.end = -1
		return errors.Join(fault, fmt.Errorf("nor could what was written of it be taken back: %w", back))
	}
	return fault
}

// locked runs f while no other writer has the file.
func (w *Writer) locked(f func() error) (err error) {
	if err := lock(w.f); err != nil {
		return w.bad(&os.PathError{Op: "lock", Path: w.path, Err: err})
	}
	defer func() {
		if e := unlock(w.f); e != nil {
			err = errors.Join(err, w.bad(&os.PathError{Op: "unlock", Path: w.path, Err: e}))
		}
	}()
	return f()
}

// look finds out how the file ends, where somebody else wrote to it.
func (w *Writer) look() error {
	info, err := w.f.Stat()
	if err != nil {
		return w.bad(err)
	}
	if gone(info) {
		return w.bad(errors.New("it was removed: nobody could read what is written to it"))
	}
	size := info.Size()
	if size == w.end {
		return nil
	}
	w.end = -1
	for n := int64(64 << 10); ; n *= 4 {
		from := max(0, size-n)
		buf := make([]byte, size-from)
		if _, err := w.f.ReadAt(buf, from); err != nil {
			return w.bad(err)
		}
		t, found := lastOf(buf)
		if !found && from > 0 {
			continue
		}
		if !found && len(buf) > 0 {
			junk := bytes.TrimSuffix(buf, []byte("\n"))
			if !unfinished(junk) {
				return w.bad(errors.New("the file is no trace"))
			}
			t = tail{torn: sum(junk), fresh: len(junk) == len(buf)}
		}
		if t.torn != "" && !t.fresh {
			return w.bad(errors.New("the last line is no record"))
		}
		w.end, w.last = size, t
		return nil
	}
}

// lastOf finds the last whole record in the end of a file.
func lastOf(b []byte) (tail, bool) {
	end := len(b)
	for end > 0 {
		line := b[:end]
		ended := line[end-1] == '\n'
		if ended {
			line = line[:end-1]
		}
		from := bytes.LastIndexByte(line, '\n') + 1
		if hash, ok := sealed(line[from:]); ok {
			t := tail{prev: hash, fresh: b[len(b)-1] != '\n'}
			if junk := bytes.TrimSuffix(b[end:], []byte("\n")); len(junk) > 0 {
				t.torn = sum(junk)
				t.fresh = t.fresh && unfinished(junk)
			}
			return t, true
		}
		end = from
	}
	return tail{}, false
}

// Close says in the trace that the run has ended, unless nothing of it was written down, and closes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return nil
	}
	var err error
	if w.any {
		err = w.append(&Event{Kind: Note, What: NoteEnd})
	}
	err = errors.Join(err, w.f.Close())
	w.f = nil
	return err
}
