package chrome

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asRole is this test binary in another role, with its input open until the test ends it.
func asRole(t *testing.T, role string, args ...string) (*exec.Cmd, io.WriteCloser, io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, in, out
}

// users are the processes of a browser: those that were started with its profile.
func users(profile string) []int {
	var pids []int
	for _, pid := range allProcesses() {
		if usesProfile(pid, profile) && startOf(pid) != 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// watch opens handles of the test's own processes, whose ends can then be waited for. What lives on when the test ends
// is killed, so that a failing test leaves nothing either.
func watch(t *testing.T, pids []int) (handles []int) {
	t.Helper()
	for _, pid := range pids {
		h, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatalf("process %d: %v", pid, err)
		}
		handles = append(handles, h)
		t.Cleanup(func() {
			_ = unix.PidfdSendSignal(h, unix.SIGKILL, nil, 0)
			unix.Close(h)
		})
	}
	return handles
}

// awaitEnds waits for the end of each, and fails the test if one does not come.
func awaitEnds(t *testing.T, handles []int) {
	t.Helper()
	for _, h := range handles {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(h), Events: unix.POLLIN}}, 10_000)
		for err == unix.EINTR {
			n, err = unix.Poll([]unix.PollFd{{Fd: int32(h), Events: unix.POLLIN}}, 10_000)
		}
		if err != nil || n != 1 {
			t.Fatalf("a process of the browser goes on living (%d, %v)", n, err)
		}
	}
}

func TestCloseEndsTheWholeTree(t *testing.T) {
	for _, how := range []string{"close", "crash"} {
		t.Run(how, func(t *testing.T) {
			root := tempRoot(t)
			b := launched(t, Options{})
			if _, err := openPage(t.Context(), b.Conn()); err != nil {
				t.Fatal(err)
			}
			profile := filepath.Join(root, listing(t, root), "profile")
			tree := users(profile)
			if len(tree) < 4 { // the browser, two zygotes, a page
				t.Fatalf("the tree has only %d processes", len(tree))
			}
			for _, pid := range tree {
				if group, err := syscall.Getpgid(pid); err != nil || group != b.PID() {
					t.Errorf("process %d is in group %d (%v), not in the browser's %d", pid, group, err, b.PID())
				}
			}
			handles := watch(t, tree)
			if how == "crash" {
				if err := syscall.Kill(b.PID(), syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				<-b.Done()
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			awaitEnds(t, handles)
			if left := users(profile); len(left) != 0 {
				t.Errorf("processes %v are left", left)
			}
		})
	}
}

func TestAStartThatFailsLeavesNoChild(t *testing.T) {
	tempRoot(t)
	number := filepath.Join(t.TempDir(), "number")
	path := script(t, `sleep 1000 & echo $! >`+number)
	if _, err := Launch(t.Context(), Options{Path: path, NoSandbox: true}); err == nil {
		t.Fatal("no error")
	}
	b, err := os.ReadFile(number)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	// It was killed with its group; on a busy machine the kernel takes a moment to be done with it.
	gone := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for startOf(pid) != 0 {
		select {
		case <-tick.C:
		case <-gone:
			t.Fatal("the child goes on living")
		}
	}
}

func TestABrowserThatDoesNotListenIsKilled(t *testing.T) {
	tempRoot(t)
	b := launched(t, Options{})
	if err := syscall.Kill(b.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > closeGrace+deathGrace {
		t.Errorf("close took %v", d)
	}
}

func TestTheBrowserDiesWithItsOwner(t *testing.T) {
	root := tempRoot(t)
	for _, state := range []string{"running", "stopped", "running"} {
		cmd, in, out := asRole(t, "owner")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		pid, parseErr := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || parseErr != nil {
			cmd.Process.Kill()
			cmd.Wait()
			t.Fatalf("the owner says %q (%v)", line, err)
		}
		profile := filepath.Join(root, listing(t, root), "profile")
		tree := users(profile)
		if len(tree) < 4 || startOf(pid) == 0 {
			t.Errorf("the tree of %d has only %v", pid, tree)
		}
		handles := watch(t, tree)
		if removed, err := Sweep(); removed != 0 || err != nil {
			t.Errorf("a living owner's browser was swept away: %d, %v", removed, err)
		}
		if state == "stopped" { // it cannot see that its pipe closes: only the parent-death signal ends it
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		in.Close()
		awaitEnds(t, handles) // before any sweep
		if removed, err := Sweep(); removed != 1 || err != nil {
			t.Errorf("swept %d, %v", removed, err)
		}
		if left := listing(t, root); left != "" {
			t.Errorf("left: %s", left)
		}
	}
}

// onThreadThatEnds runs f on a thread that has ended when it returns.
func onThreadThatEnds(f func()) {
	ended := make(chan int)
	go func() {
		runtime.LockOSThread()
		thread := syscall.Gettid()
		if thread == syscall.Getpid() {
			// The main thread never ends. While it is held here, another runs f.
			onThreadThatEnds(f)
			runtime.UnlockOSThread()
			ended <- 0
			return
		}
		f()
		ended <- thread // and never unlocked: the thread ends with the goroutine
	}()
	thread := <-ended
	for thread != 0 {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread)); err != nil {
			return
		}
		runtime.Gosched()
	}
}

// TestTheBrowserOutlivesTheThreadThatLaunchedIt: Linux ties the parent-death signal to a thread.
func TestTheBrowserOutlivesTheThreadThatLaunchedIt(t *testing.T) {
	tempRoot(t)
	var b *Browser
	var err error
	onThreadThatEnds(func() { b, err = Launch(t.Context(), Options{}) })
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := openPage(t.Context(), b.Conn()); err != nil {
		t.Errorf("the browser went with the thread: %v", err)
	}
}

// idler is a process that was started with a profile, or with none, and does nothing.
func idler(t *testing.T, args ...string) (pid int, handle int) {
	t.Helper()
	cmd, in, out := asRole(t, "idler", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
		t.Fatalf("the idler says %q (%v)", line, err)
	}
	return cmd.Process.Pid, watch(t, []int{cmd.Process.Pid})[0]
}

func ended(t *testing.T, handle int) bool {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}

func TestSweepEndsOrphansAndNobodyElse(t *testing.T) {
	root := tempRoot(t)
	write := func(dir string, r record) {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, recordName), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	orphaned := func() *home { // as an owner's death leaves it
		h, err := newHome()
		if err != nil {
			t.Fatal(err)
		}
		h.lock.Close()
		return h
	}
	first, second, third := orphaned(), orphaned(), orphaned()
	living, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(root, "deed-chromium-notes") // a name that is only like ours
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(foreign, filepath.Join(root, homePrefix+"link")); err != nil {
		t.Fatal(err)
	}

	_, byProfile := idler(t, "--user-data-dir="+first.profile())
	_, byRenamed := idler(t, "--type=renderer --user-data-dir="+first.profile()+" --lang=de")
	byRecordPID, byRecord := idler(t)
	write(second.dir, record{Browser: identity{byRecordPID, startOf(byRecordPID)}})
	recycledPID, recycled := idler(t)
	write(third.dir, record{Browser: identity{recycledPID, startOf(recycledPID) - 1}})
	_, ofLiving := idler(t, "--user-data-dir="+living.profile())
	_, alike := idler(t, "--user-data-dir="+first.profile()+"-2")

	removed, err := Sweep()
	if removed != 3 || err != nil {
		t.Errorf("swept %d, %v", removed, err)
	}
	awaitEnds(t, []int{byProfile, byRenamed, byRecord})
	for name, handle := range map[string]int{"a recycled number": recycled, "a living owner's browser": ofLiving, "a profile with a similar name": alike} {
		if ended(t, handle) {
			t.Errorf("%s was killed", name)
		}
	}
	if got, want := len(strings.Fields(listing(t, root))), 3; got != want {
		t.Errorf("left: %s", listing(t, root))
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
	os.Remove(foreign)
	os.Remove(filepath.Join(root, homePrefix+"link"))
}

func TestSweepsAndStartsAtTheSameTime(t *testing.T) {
	tempRoot(t)
	stop := make(chan struct{})
	var sweepers, owners sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := Sweep(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 4 {
		owners.Go(func() {
			for range 100 {
				h, err := newHome()
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(h.profile(), "x"), nil, 0o600); err != nil {
					t.Errorf("a living home was swept away: %v", err)
				}
				if err := h.remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	owners.Wait()
	close(stop)
	sweepers.Wait()
}

// TestTheSandboxIsOnForAUser launches as a user who may have one. Root becomes nobody for it.
func TestTheSandboxIsOnForAUser(t *testing.T) {
	root := tempRoot(t)
	cmd, in, out := asRole(t, "user")
	if os.Geteuid() == 0 {
		const nobody = 65534
		// The test binary stands in a folder that only root may enter.
		program := filepath.Join(root, "test-binary")
		copyFile(t, cmd.Path, program)
		defer os.Remove(program)
		cmd.Path = program
		if err := os.Chmod(root, 0o777); err != nil {
			t.Fatal(err)
		}
		theirs := filepath.Join(root, "u")
		if err := os.Mkdir(theirs, 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(theirs)
		if err := os.Chown(theirs, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		cmd.Dir = theirs
		cmd.Env = append(cmd.Env, "HOME="+theirs, "TMPDIR="+theirs)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	line, err := said.ReadString('\n')
	var pid int
	if _, scanErr := fmt.Sscanf(line, "%d", &pid); err != nil || scanErr != nil {
		t.Errorf("the user says %q (%v)", line, err)
	}
	_, notice, _ := strings.Cut(strings.TrimSpace(line), " ")
	// Where even a user may have none, the notice must say so; here it tells which of the two to expect.
	sandboxed, tree := 0, 0
	for _, child := range allProcesses() {
		group, err := syscall.Getpgid(child)
		if err != nil || group != pid {
			continue
		}
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", child))
		if strings.Contains(string(cmdline), "--type=renderer") {
			tree++
			if strings.Contains(string(status), "Seccomp:\t2\n") {
				sandboxed++
			}
		}
		if strings.Contains(string(cmdline), "--no-sandbox") != (notice != "") {
			t.Errorf("notice %q, command line %q", notice, cmdline)
		}
	}
	if tree == 0 || (sandboxed == tree) != (notice == "") {
		t.Errorf("notice %q, but %d of %d renderers are sandboxed", notice, sandboxed, tree)
	}
	in.Close()
	rest, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the user: %v, %s", err, rest)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestAWindowNeedsADisplay(t *testing.T) {
	tempRoot(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	_, err := Launch(t.Context(), Options{Headed: true})
	if err == nil || !strings.Contains(err.Error(), "there is no display for a window") {
		t.Errorf("error %v", err)
	}
}
