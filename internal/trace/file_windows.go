package trace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/windows"
)

// openFile opens the file for appending. Nothing on the way may be a link; the access list of the folder says who may read it.
func openFile(path string) (*os.File, error) {
	if path == "" || strings.HasSuffix(path, `\`) || strings.HasSuffix(path, "/") {
		return nil, errors.New("the path names no file")
	}
	if slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..") {
		return nil, errors.New(`the path holds ".."`)
	}
	path = filepath.Clean(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		switch {
		case at == path && errors.Is(err, os.ErrNotExist):
		case err != nil:
			return nil, err
		case info.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0:
			return nil, errors.New("it is, or leads over, a symbolic link")
		case at == path && !info.Mode().IsRegular():
			return nil, errors.New("it is no regular file")
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
}

// beyond is a byte that no trace has: a lock there keeps writers apart and no reader away.
const beyond = 1 << 30

func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{OffsetHigh: beyond})
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: beyond})
}
