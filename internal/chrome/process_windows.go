package chrome

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a browser and all that it starts: here, a job. The system ends the job's processes when its last handle
// closes, which it does when the owner dies.
type tree struct{ job windows.Handle }

func (t *tree) prepare(cmd *exec.Cmd, commands, answers *os.File) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create a job: %w", err)
	}
	t.job = job
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return fmt.Errorf("limit a job: %w", err)
	}
	// The browser has no descriptors 3 and 4 here: it inherits two handles, and a flag says which.
	read, write := syscall.Handle(commands.Fd()), syscall.Handle(answers.Fd())
	for _, h := range []syscall.Handle{read, write} {
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return fmt.Errorf("share a pipe: %w", err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags:              syscall.CREATE_NEW_PROCESS_GROUP,
		AdditionalInheritedHandles: []syscall.Handle{read, write},
	}
	cmd.Args = slices.Insert(cmd.Args, 1, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", read, write))
	return nil
}

// adopt puts the started browser into the job, and with it what it will start.
func (t *tree) adopt(cmd *exec.Cmd) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return fmt.Errorf("open the browser's process: %w", err)
	}
	defer windows.CloseHandle(h)
	if err := windows.AssignProcessToJobObject(t.job, h); err != nil {
		return fmt.Errorf("put the browser into its job: %w", err)
	}
	return nil
}

func (t *tree) kill(int) { _ = windows.TerminateJobObject(t.job, 1) }

// release ends whatever of the tree still runs.
func (t *tree) release() {
	if t.job != 0 {
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}

// awaitDeath is not needed here: a job is named by its handle, which nothing else can get.
func awaitDeath(int) bool { return false }

func checkDisplay(bool) error { return nil }

func sharedMemoryFlags() []string { return nil }
