//go:build !windows

package chrome

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFolder takes the lock of a folder, which lasts until the file is closed or this process ends. It gives errBusy
// if another has it.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errBusy
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	// Between opening and locking it another may have removed it, and with it the meaning of the lock.
	held, err := f.Stat()
	if err == nil {
		var now os.FileInfo
		if now, err = os.Lstat(dir); err == nil && !os.SameFile(held, now) {
			err = os.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// beforeRemoval has nothing to do: an open folder can be removed.
func beforeRemoval(*os.File) {}

func mine(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
