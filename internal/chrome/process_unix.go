//go:build !windows

package chrome

import (
	"os"
	"os/exec"
	"syscall"
)

// tree is a browser and all that it starts: here, a process group whose number is the browser's.
type tree struct{}

func (*tree) prepare(cmd *exec.Cmd, commands, answers *os.File) error {
	cmd.ExtraFiles = []*os.File{commands, answers} // 3 and 4, as --remote-debugging-pipe wants them
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithOwner(cmd.SysProcAttr)
	return nil
}

func (*tree) adopt(*exec.Cmd) error { return nil }

// kill may be called only while the browser has not been reaped.
func (*tree) kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func (*tree) release() {}
