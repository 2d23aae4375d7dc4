package chrome

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithOwner(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// awaitDeath waits until a child has died, leaves it for Wait to reap, and reports whether it could.
func awaitDeath(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

func checkDisplay(headed bool) error {
	if headed && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display for a window")
	}
	return nil
}

// sharedMemoryFlags sends shared memory to the temporary folder where /dev/shm is small, as in containers, whose 64 MB
// crash a page. Elsewhere memory is better than a disk.
func sharedMemoryFlags() []string {
	var fs unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &fs); err == nil && fs.Bavail*uint64(fs.Bsize) >= 512<<20 {
		return nil
	}
	return []string{"--disable-dev-shm-usage"}
}
