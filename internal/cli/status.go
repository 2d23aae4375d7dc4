package cli

import (
	"github.com/deed-dev/deed"
)

// The exit statuses. Each command's help repeats those it can give.
const (
	statusOK          = 0
	statusMismatch    = 1
	statusInvalid     = 2
	statusRefused     = 3
	statusEnvironment = 4
	statusDiverged    = 5
	statusInterrupted = 130
)

// statusOfCode is the one table from codes to exit statuses; docs/errors.md shows it. What is not listed is looked up by its
// general code, and what is not listed either is statusMismatch: it ran, and it is not proven.
var statusOfCode = map[deed.Code]int{
	deed.CodeInvalid:     statusInvalid,
	deed.CodeRefused:     statusRefused,
	deed.CodeEnvironment: statusEnvironment,
	deed.CodeCancelled:   statusInterrupted,
	deed.CodeDiverged:    statusDiverged,
}

func codeStatus(c deed.Code) int {
	if s, ok := statusOfCode[c]; ok {
		return s
	}
	if s, ok := statusOfCode[c.General()]; ok {
		return s
	}
	return statusMismatch
}

// statusOf is the exit status of an error.
func statusOf(err error) int {
	if err == nil {
		return statusOK
	}
	return codeStatus(deed.CodeOf(err))
}

// runStatus is the exit status of a run: that of its worst case. What keeps a machine from running anything is worse than
// what a page did, and a refusal is the answer only where nothing else went wrong.
func runStatus(r *deed.RunResult) int {
	worst := statusOK
	if len(r.Problems) > 0 {
		worst = statusInvalid
	}
	rank := map[int]int{statusOK: 0, statusRefused: 1, statusInvalid: 2, statusDiverged: 3, statusMismatch: 4, statusEnvironment: 5, statusInterrupted: 6}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Quarantine {
			continue
		}
		s := statusMismatch
		switch {
		case c.Outcome.OK():
			s = statusOK
		case c.Outcome == deed.OutcomeCancelled:
			s = statusInterrupted
		case c.Outcome == deed.OutcomeRefused:
			s = statusRefused
		case c.Code != "":
			s = codeStatus(c.Code)
		}
		if rank[s] > rank[worst] {
			worst = s
		}
	}
	return worst
}
