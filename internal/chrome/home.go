package chrome

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A home is the folder of one launched browser: deed-chrome-RANDOM in the system's temporary folder, with
//
//	profile/    the temporary profile
//	tmp/        the browser's own temporary folder, where its paths fit
//	owner.json  who started what, for Sweep and for people
//
// Its owner holds a lock on it for as long as it lives; the kernel lets go of the lock when the owner dies, however it
// dies. So whoever gets the lock of a home that it did not make knows that the owner is dead.
type home struct {
	dir  string
	lock *os.File
}

const (
	homePrefix = "deed-chrome-"
	recordName = "owner.json"
)

// errBusy is a home whose owner lives.
var errBusy = errors.New("the owner lives")

type record struct {
	Owner   int      `json:"owner"`
	Browser identity `json:"browser"`
}

// identity names a process for ever: numbers are used again, but not with the same start.
type identity struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start,omitempty"` // clock ticks after boot; 0 where the system does not say
}

func newHome() (*home, error) {
	for range 10 {
		dir, err := os.MkdirTemp("", homePrefix)
		if err != nil {
			return nil, fmt.Errorf("make the browser's folder: %w", err)
		}
		lock, err := lockFolder(dir)
		if err != nil {
			// A sweep that came between took it for an orphan's; it removes it, and we take another.
			if errors.Is(err, errBusy) || errors.Is(err, os.ErrNotExist) {
				continue
			}
			return nil, errors.Join(fmt.Errorf("lock the browser's folder: %w", err), os.RemoveAll(dir))
		}
		h := &home{dir: dir, lock: lock}
		if err := errors.Join(os.Mkdir(h.profile(), 0o700), os.Mkdir(h.tmp(), 0o700)); err != nil {
			return nil, errors.Join(err, h.remove())
		}
		return h, nil
	}
	return nil, errors.New("make the browser's folder: a sweep took each away")
}

func (h *home) profile() string { return filepath.Join(h.dir, "profile") }
func (h *home) tmp() string     { return filepath.Join(h.dir, "tmp") }

// environment is the browser's: what it leaves in its temporary folder goes when the home goes.
func (h *home) environment(env []string) []string {
	// The browser makes a socket below it, whose path has at most 107 bytes on Linux and 103 on macOS.
	if len(h.tmp())+len("/org.chromium.Chromium.XXXXXX/SingletonSocket") <= 103 {
		env = append(env, "TMPDIR="+h.tmp())
	}
	// No bar in its window that says that Google's keys are missing.
	return append(env, "GOOGLE_API_KEY=no", "GOOGLE_DEFAULT_CLIENT_ID=no", "GOOGLE_DEFAULT_CLIENT_SECRET=no")
}

// record writes down whose the browser is.
func (h *home) record(pid int) error {
	b, err := json.Marshal(record{Owner: os.Getpid(), Browser: identity{PID: pid, Start: startOf(pid)}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.dir, recordName), append(b, '\n'), 0o600)
}

// remove removes the home, and then lets go of it. What cannot be removed is left to a sweep.
func (h *home) remove() error {
	defer h.lock.Close()
	return removeFolder(h.dir, h.lock)
}

// removeFolder tries again for a while: processes that were just killed may still write or hold a file open.
func removeFolder(dir string, lock *os.File) error {
	beforeRemoval(lock)
	var err error
	for pause := time.Millisecond; pause < 2*time.Second; pause *= 2 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return fmt.Errorf("remove the browser's folder: %w", err)
}

// Sweep ends the browsers and removes the folders whose owners have died, and counts the folders. It never touches
// what a living process, or another user, owns. It may run at any time and in many processes at once.
func Sweep() (removed int, err error) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), homePrefix) {
			continue
		}
		swept, err := sweepHome(filepath.Join(os.TempDir(), entry.Name()))
		if err != nil {
			errs = append(errs, err)
		}
		if swept {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

func sweepHome(dir string) (removed bool, err error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !mine(info) {
		return false, nil
	}
	lock, err := lockFolder(dir)
	if errors.Is(err, errBusy) || errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h := &home{dir: dir, lock: lock}
	var r record
	if b, err := os.ReadFile(filepath.Join(dir, recordName)); err == nil {
		_ = json.Unmarshal(b, &r) // a record cut short names nobody
	}
	if err := endOrphans(h.profile(), r.Browser); err != nil {
		return false, errors.Join(err, lock.Close())
	}
	if err := h.remove(); err != nil {
		return false, err
	}
	return true, nil
}
