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
	// A file that may only be appended to cannot be cut back here, so it is opened for writing: see put. A link that took its place
	// meanwhile is opened itself, and refused.
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil,
		windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		windows.CloseHandle(h)
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if info.FileAttributes&(windows.FILE_ATTRIBUTE_REPARSE_POINT|windows.FILE_ATTRIBUTE_DIRECTORY) != 0 {
		windows.CloseHandle(h)
		return nil, errors.New("it is a symbolic link, or no regular file")
	}
	return os.NewFile(uintptr(h), path), nil
}

// gone is never so: an open file cannot be removed here.
func gone(os.FileInfo) bool { return false }

// beyond is a byte that no trace has: a lock there keeps writers apart and no reader away.
const beyond = 1 << 30

func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{OffsetHigh: beyond})
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: beyond})
}
