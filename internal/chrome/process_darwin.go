package chrome

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithOwner has nothing to set here: there is no parent-death signal. The browser ends when its pipe closes, which
// the kernel sees to when the owner dies; Sweep ends what did not.
func dieWithOwner(*syscall.SysProcAttr) {}

// awaitDeath waits until a child has died, leaves it for Wait to reap, and reports whether it could.
func awaitDeath(pid int) bool {
	queue, err := unix.Kqueue()
	if err != nil {
		return false
	}
	defer unix.Close(queue)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	exit.Fflags = unix.NOTE_EXIT
	for {
		n, err := unix.Kevent(queue, []unix.Kevent_t{exit}, make([]unix.Kevent_t, 1), nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ESRCH): // dead already
			return true
		default:
			return err == nil && n == 1
		}
	}
}

func checkDisplay(bool) error { return nil }

func sharedMemoryFlags() []string { return nil }
