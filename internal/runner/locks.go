package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/lock"
)

// Locks says what a run does with the locks of its cases.
type Locks int

// What is done with locks.
const (
	LocksNone   Locks = iota // they are neither read nor written
	LocksFrozen              // steps are compared with them; nothing is written, and nothing healed
	LocksKept                // compared, addresses are healed, and what was proven is written down
	LocksUpdate              // and what diverges is accepted, and told
)

// lockFiles are the lock files of a run, each read once.
type lockFiles struct {
	mu    sync.Mutex
	files map[string]*lock.File
	saves sync.Mutex // one at a time
}

func (l *lockFiles) open(path string) (*lock.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.files[path]; f != nil {
		return f, nil
	}
	f, err := lock.Load(path)
	if err != nil {
		return nil, err
	}
	if l.files == nil {
		l.files = map[string]*lock.File{}
	}
	l.files[path] = f
	return f, nil
}

// A replay is what an attempt does with the lock of its case.
type replay struct {
	mode     Locks
	file     *lock.File
	c        *deed.Case
	old      *lock.Case // nil where there is none
	fresh    bool       // old is the lock of the case as it is
	evidence []lock.Evidence
	accepted bool // something diverged, and was accepted
}

// replayOf opens the lock of a case; nil where none is kept.
func replayOf(c *deed.Case, o *Options, files *lockFiles) (*replay, error) {
	if o.Locks == LocksNone || c.File == "" || strings.Contains(c.File, "://") {
		return nil, nil // a case from an address has no file that a lock could stand beside
	}
	f, err := files.open(lock.Path(c.File))
	if err != nil {
		return nil, err
	}
	r := &replay{mode: o.Locks, file: f, c: c, old: f.Case(c.ID, lock.DeviceName(c))}
	r.fresh = r.old != nil && r.old.Key == lock.Key(c) && len(r.old.Steps) == len(c.Steps)
	return r, nil
}

// learnRest is how long nothing has to come of a step before it is written down what it does.
const learnRest = 500 * time.Millisecond

// prepare gives a step the address that was healed for it, and lets it wait for what it is known to do. Where that is yet to be learnt, it waits
// until nothing more comes: an expectation that holds is not the end of what an act does, and half of it would be no contract.
func (r *replay) prepare(n int, s *deed.Step) *deed.Step {
	if r == nil || s.HTTP != nil {
		return s
	}
	c := *s
	if r.mode != LocksFrozen && (r.mode == LocksUpdate || !r.fresh || r.old.Runs < 2) {
		c.Action.Rest = learnRest
	}
	if !r.fresh {
		return &c
	}
	c.Action.Locator = r.old.Steps[n].Address(r.c, s.Action.Locator)
	return r.awaiting(n, &c)
}

// awaiting is the step with what it is known to do, as the element that it acts on is addressed in it.
func (r *replay) awaiting(n int, s *deed.Step) *deed.Step {
	used := s.Action.Locator
	s.Action.Whole = func(res *deed.Result) bool { return len(r.old.Check(r.c, n, r.of(n, res, used))) == 0 }
	return s
}

// of is the evidence of a step whose element was found at this address.
func (r *replay) of(n int, res *deed.Result, used deed.Locator) lock.Evidence {
	ev := lock.Evidence{Result: res}
	if written := r.c.Steps[n].Action.Locator; !used.IsZero() && used.String() != written.String() {
		ev.Healed = used.String()
	}
	return ev
}

// heal looks for the element that a step of the lock means, where its locator found nothing. why says why there is none.
func (r *replay) heal(ctx context.Context, n int, err error, observe func(context.Context) (*deed.Snapshot, error)) (p *lock.Proposal, why string) {
	if r == nil || !r.fresh || !errors.Is(err, deed.CodeNoMatch) {
		return nil, ""
	}
	s, err := observe(ctx)
	if err != nil {
		return nil, ""
	}
	return r.old.Propose(r.c, n, s)
}

// check compares a proven step with the lock, and remembers what it did.
func (r *replay) check(n int, res *deed.Result, sr *deed.StepResult, used deed.Locator) {
	if r == nil {
		return
	}
	ev := r.of(n, res, used)
	r.evidence = append(r.evidence, ev)
	if !r.fresh {
		return
	}
	found := r.old.Check(r.c, n, ev)
	if len(found) == 0 {
		return
	}
	sr.Diverged = found
	if r.mode == LocksUpdate {
		r.accepted = true
		return
	}
	sr.Outcome, sr.Verdict, sr.Basis, sr.Mismatch, sr.Code = deed.OutcomeMismatch, deed.Mismatch.String(), deed.BasisContract, deed.MismatchDiverged, deed.CodeDiverged
	sr.Reason = found[0].String()
	if more := len(found) - 1; more > 0 {
		sr.Reason += fmt.Sprintf(" (and %d more)", more)
	}
	sr.Hint = "if that is as it should be now: deed run --update-effects"
}

// end writes down what was proven, where it may.
func (r *replay) end(res *deed.CaseResult, files *lockFiles) {
	if r == nil || !res.Outcome.OK() || len(r.evidence) != len(r.c.Steps) {
		return
	}
	now := lock.Record(r.c, r.evidence)
	next, word := lock.Next(r.old, now, r.accepted)
	if r.mode == LocksFrozen {
		switch word {
		case deed.LockHit, deed.LockStale:
			res.Lock = word
		case deed.LockUpdated:
			res.Lock = deed.LockHit // a second run would tell what varies
		}
		if word == deed.LockStale {
			res.Notes = append(res.Notes, "the case was changed since its lock was written, so nothing was compared; nothing is written while frozen")
		}
		return
	}
	res.Lock = word
	if word == deed.LockHit {
		return
	}
	res.LockChange = lock.Lines(r.old, next)
	files.saves.Lock()
	defer files.saves.Unlock()
	r.file.Put(next)
	if err := r.file.Save(); err != nil {
		res.Notes = append(res.Notes, "the lock was not written: "+err.Error())
	}
}
