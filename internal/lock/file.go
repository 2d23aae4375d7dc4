package lock

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/deed-dev/deed"
)

// A File is the locks of the cases of one case file. It may be used by several goroutines.
type File struct {
	Path string

	mu      sync.Mutex
	cases   []*Case
	changed map[[2]string]*Case // nil for one that was dropped
}

// Path is the lock file beside a case file: shop.deed.yaml has shop.deed.lock.
func Path(caseFile string) string {
	for _, ext := range []string{".yaml", ".yml", ".json", ".md"} {
		if base, ok := strings.CutSuffix(caseFile, ext); ok {
			if !strings.HasSuffix(base, ".deed") {
				base += ".deed"
			}
			return base + ".lock"
		}
	}
	return caseFile + ".lock"
}

// Load reads a lock file. One that is not there holds nothing. One that cannot be understood is an error with file, line and column, and stays
// as it is.
func Load(path string) (*File, error) {
	f := &File{Path: path, changed: map[[2]string]*Case{}}
	_, cases, err := load(path)
	if err != nil {
		return nil, err
	}
	f.cases = cases
	return f, nil
}

func load(path string) ([]byte, []*Case, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, &deed.Error{Op: "lock", Code: deed.CodeEnvironment, Where: path, Err: err, SideEffects: deed.EffectsNone}
	}
	cases, err := decode(path, data)
	return data, cases, err
}

// Case returns the lock of a case on a device ("" is the default one), nil where there is none.
func (f *File) Case(id, device string) *Case {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := find(f.cases, id, device); i >= 0 {
		return f.cases[i]
	}
	return nil
}

// Put takes the lock of a case into the file, in the place of the one that it had.
func (f *File) Put(c *Case) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cases = lay(f.cases, [2]string{c.ID, c.Device}, c)
	f.changed[[2]string{c.ID, c.Device}] = c
}

// Drop takes the locks of cases out that keep does not know: cases that are no longer in the case file.
func (f *File) Drop(keep func(id string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range slices.Clone(f.cases) {
		if !keep(c.ID) {
			id := [2]string{c.ID, c.Device}
			f.cases = lay(f.cases, id, nil)
			f.changed[id] = nil
		}
	}
}

// Save writes the file, whole or not at all, and only where something is different. What somebody else has put there since it was read stays, but
// for the cases that were put here; what cannot be understood is never overwritten.
func (f *File) Save() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.changed) == 0 {
		return nil
	}
	data, cases, err := load(f.Path)
	if err != nil {
		return err
	}
	for id, c := range f.changed {
		cases = lay(cases, id, c)
	}
	out := encode(cases)
	if !bytes.Equal(out, data) && (len(cases) > 0 || data != nil) {
		if err := replace(f.Path, out); err != nil {
			return &deed.Error{Op: "lock", Code: deed.CodeEnvironment, Where: f.Path, Err: err}
		}
	}
	f.cases = cases
	clear(f.changed)
	return nil
}

func find(cases []*Case, id, device string) int {
	return slices.IndexFunc(cases, func(c *Case) bool { return c.ID == id && c.Device == device })
}

// lay puts c in the place of the case of this id; nil takes it out.
func lay(cases []*Case, id [2]string, c *Case) []*Case {
	out := slices.DeleteFunc(slices.Clone(cases), func(o *Case) bool { return o.ID == id[0] && o.Device == id[1] })
	if c != nil {
		out = append(out, c)
	}
	sortCases(out)
	return out
}

func sortCases(cases []*Case) {
	slices.SortStableFunc(cases, func(a, b *Case) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Device, b.Device)) })
}

// replace puts a file in the place of another in one step: who reads sees the one or the other, whatever ends the program.
func replace(path string, data []byte) (err error) {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = t.Close()
			_ = os.Remove(t.Name())
		}
	}()
	if _, err = t.Write(data); err != nil {
		return err
	}
	if err = t.Chmod(0o644); err != nil {
		return err
	}
	if err = t.Sync(); err != nil {
		return err
	}
	if err = t.Close(); err != nil {
		return err
	}
	if err = os.Rename(t.Name(), path); err != nil {
		return err
	}
	if d, derr := os.Open(filepath.Dir(path)); derr == nil { // the name too is on the disk; where folders cannot be synced, the file is
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
