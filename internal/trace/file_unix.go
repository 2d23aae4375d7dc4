//go:build unix

package trace

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openFile opens the file for appending, going to it folder by folder, so that nothing on the way can lead elsewhere.
func openFile(path string) (*os.File, error) {
	fault := func(name string, err error) error { return &os.PathError{Op: "open", Path: name, Err: err} }
	if path == "" || strings.HasSuffix(path, "/") {
		return nil, errors.New("the path names no file")
	}
	at, rest := ".", path
	if path[0] == '/' {
		at, rest = "/", strings.TrimLeft(path, "/")
	}
	dir, err := retry(func() (int, error) { return unix.Open(at, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, fault(at, err)
	}
	defer func() { unix.Close(dir) }()
	parts := slices.DeleteFunc(strings.Split(rest, "/"), func(s string) bool { return s == "" || s == "." })
	if len(parts) == 0 || slices.Contains(parts, "..") {
		return nil, errors.New(`the path holds ".." or names no file`)
	}
	for i, part := range parts[:len(parts)-1] {
		follow := unix.O_NOFOLLOW
		if i == 0 && at == "/" && runtime.GOOS == "darwin" && (part == "var" || part == "tmp") {
			follow = 0 // the system's own links
		}
		if err := unix.Mkdirat(dir, part, 0o700); err != nil && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.EACCES) {
			return nil, fault(part, err)
		}
		next, err := retry(func() (int, error) {
			return unix.Openat(dir, part, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|follow, 0)
		})
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
			return nil, errors.New("a folder on the way is a symbolic link, or no folder")
		}
		if err != nil {
			return nil, fault(part, err)
		}
		unix.Close(dir)
		dir = next
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat(dir, parts[len(parts)-1], unix.O_RDWR|unix.O_APPEND|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	})
	switch {
	case errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK):
		return nil, errors.New("it is a symbolic link")
	case errors.Is(err, unix.EISDIR):
		return nil, errors.New("it is no regular file")
	case err != nil:
		return nil, fault(path, err)
	}
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		unix.Close(fd)
		return nil, fault(path, err)
	}
	if err := fit(uint32(s.Mode)); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, fault(path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

func fit(mode uint32) error {
	if mode&unix.S_IFMT != unix.S_IFREG {
		return errors.New("it is no regular file")
	}
	if mode&0o077 != 0 {
		return errors.New("others may read or write it (chmod 600)")
	}
	return nil
}

// gone reports an open file that no folder holds any more.
func gone(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}

func retry(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// patience is how long another writer may hold the file.
const patience = 10 * time.Second

func lock(f *os.File) error {
	var begun time.Time
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		if begun.IsZero() {
			begun = time.Now()
		} else if time.Since(begun) > patience {
			return errors.New("another writer holds it")
		}
		time.Sleep(pause)
	}
}

func unlock(f *os.File) error {
	_, err := retry(func() (int, error) { return 0, unix.Flock(int(f.Fd()), unix.LOCK_UN) })
	return err
}
