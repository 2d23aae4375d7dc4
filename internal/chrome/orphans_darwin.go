package chrome

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startOf says nothing here: orphans are known by their profile alone.
func startOf(int) uint64 { return 0 }

// endOrphans kills every process that uses the temporary profile of a dead owner, whose name is random and ours. It
// returns when none is left.
func endOrphans(profile string, _ identity) error {
	deadline := time.Now().Add(deathGrace)
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		pids, err := usersOf(profile)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("kill process %d: %w", pid, err)
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes of %s do not end", len(pids), profile)
		}
		time.Sleep(pause)
	}
}

func usersOf(profile string) ([]int, error) {
	out, err := exec.Command("/bin/ps", "-axo", "pid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid, err := strconv.Atoi(number); err == nil && strings.Contains(command+" ", "--user-data-dir="+profile+" ") {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func sandboxBlocked() string { return "" }
