package chrome

import (
	"bytes"
	"os"
)

// sandboxBlocked says why the browser's sandbox cannot start here, "" if it may. What only the browser itself can find
// out, such as a container's system call filter, it says when it starts.
func sandboxBlocked() string {
	if os.Geteuid() == 0 {
		return "it cannot start as root"
	}
	for _, setting := range []string{"/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone"} {
		if b, err := os.ReadFile(setting); err == nil && bytes.Equal(bytes.TrimSpace(b), []byte("0")) {
			return "this system has no user namespaces (" + setting + " is 0)"
		}
	}
	return ""
}
