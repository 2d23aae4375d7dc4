package chrome

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockFolder takes the lock of a folder, which lasts until the file is closed or this process ends. It gives errBusy
// if another has it. The lock is a file that only one process can have open.
func lockFolder(dir string) (*os.File, error) {
	name := filepath.Join(dir, "lock")
	p, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(p, windows.GENERIC_WRITE, 0, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
		return nil, errBusy
	case errors.Is(err, windows.ERROR_PATH_NOT_FOUND):
		return nil, os.ErrNotExist
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// beforeRemoval closes the lock, because an open file cannot be removed here.
func beforeRemoval(lock *os.File) { lock.Close() }

// mine relies on the temporary folder being the user's own here.
func mine(os.FileInfo) bool { return true }

// startOf is not needed here: orphans cannot be.
func startOf(int) uint64 { return 0 }

// endOrphans has nothing to do: the job ends a browser with its owner.
func endOrphans(string, identity) error { return nil }

func sandboxBlocked() string { return "" }
