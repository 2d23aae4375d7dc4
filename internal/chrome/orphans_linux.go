package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// startOf is when a process started, in clock ticks after boot, 0 if there is no such process.
func startOf(pid int) uint64 {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	// The name, in parentheses, may hold anything. After it come state (3rd field of the line) and so on to
	// starttime (22nd).
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 20 || bytes.Equal(fields[0], []byte("Z")) || bytes.Equal(fields[0], []byte("X")) {
		return 0
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	if err != nil {
		return 0
	}
	return start
}

// usesProfile reports whether a process was started with this profile, as each process of a browser is. The profile's
// name is random and ours.
func usesProfile(pid int, profile string) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return false
	}
	// The arguments end with zero bytes; a child that renamed itself has spaces.
	flag := append([]byte("--user-data-dir="), profile...)
	for rest := b; ; {
		i := bytes.Index(rest, flag)
		if i < 0 {
			return false
		}
		rest = rest[i+len(flag):]
		if len(rest) == 0 || rest[0] == 0 || rest[0] == ' ' {
			return true
		}
	}
}

// endOrphans kills what is left of the browser that a dead owner started: the recorded process, if it is still the same
// one, and every process that uses its temporary profile. It returns when none is left.
func endOrphans(profile string, browser identity) error {
	isOurs := func(pid int) bool {
		return pid == browser.PID && browser.Start != 0 && startOf(pid) == browser.Start || usesProfile(pid, profile)
	}
	deadline := time.Now().Add(deathGrace)
	for pause := time.Millisecond; ; pause *= 2 {
		left := 0
		for _, pid := range allProcesses() {
			if !isOurs(pid) || startOf(pid) == 0 {
				continue
			}
			left++
			if err := killIf(pid, isOurs); err != nil {
				return err
			}
		}
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes of %s do not end", left, profile)
		}
		time.Sleep(pause)
	}
}

func allProcesses() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killIf kills a process that is ours, and no other that got its number meanwhile: the check comes after the handle.
func killIf(pid int, isOurs func(int) bool) error {
	handle, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", pid, err)
	}
	defer unix.Close(handle)
	if !isOurs(pid) {
		return nil
	}
	if err := unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	return nil
}
