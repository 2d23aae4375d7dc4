package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/deed-dev/deed"
)

// A schedule hands cases to workers: each once, in their order, as soon as what it depends on is proven. What comes of a case does not
// depend on the number of workers.
type schedule struct {
	cases   []deed.Case
	o       *Options
	attempt func(ctx context.Context, c *deed.Case, name string, worker int) deed.CaseResult

	stored func(id string) bool // a case that does not run left a session to go on with; may be nil

	mu      sync.Mutex
	moved   *sync.Cond // a case ended
	state   []state
	results []deed.CaseResult
	failed  int
	ended   string // why no other case begins; "" while they do
	tell    sync.Mutex
}

type state int

const (
	waiting state = iota
	running
	over
)

// run carries out all cases and returns their results in the order of the cases.
func (s *schedule) run(ctx context.Context) []deed.CaseResult {
	s.moved = sync.NewCond(&s.mu)
	s.state = make([]state, len(s.cases))
	s.results = make([]deed.CaseResult, len(s.cases))
	var hands sync.WaitGroup
	for worker := range min(max(s.o.Workers, 1), len(s.cases)) {
		hands.Go(func() {
			for {
				i := s.next(ctx)
				if i < 0 {
					return
				}
				s.end(ctx, i, s.carryOut(ctx, i, worker+1))
			}
		})
	}
	hands.Wait()
	return s.results
}

// next takes the first case that may begin, and waits where others have to end before it; -1 where there is none left.
func (s *schedule) next(ctx context.Context) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slices.Contains(s.state, waiting) {
		moved := false
		for i := range s.cases {
			if s.state[i] != waiting {
				continue
			}
			why, ready := s.may(ctx, i)
			switch {
			case !ready:
			case why == "":
				s.state[i] = running
				return i
			default:
				s.skip(i, why)
				moved = true
			}
		}
		if !moved && !slices.Contains(s.state, running) {
			s.skip(slices.Index(s.state, waiting), "it depends on itself")
			continue
		}
		if !moved { // what they wait for runs elsewhere
			s.moved.Wait()
		}
	}
	return -1
}

// may reports whether a case can be decided on now, and why it does not begin at all. mu is held.
func (s *schedule) may(ctx context.Context, i int) (why string, ready bool) {
	if ctx.Err() != nil {
		return "", true // it tells itself that it was cancelled
	}
	if s.ended != "" {
		return s.ended, true
	}
	for _, id := range s.cases[i].DependsOn {
		on := s.find(id, i)
		switch {
		case on < 0 && s.stored != nil && s.stored(id):
		case on < 0:
			return fmt.Sprintf("it depends on %s, which is not among the cases", id), true
		case s.state[on] != over:
			return "", false
		case !s.results[on].Outcome.OK():
			return fmt.Sprintf("it depends on %s, which is %v", id, s.results[on].Outcome), true
		}
	}
	return "", true
}

// find is the place of the case that another depends on: in a run that repeats its cases, that of the same round.
func (s *schedule) find(id string, of int) int {
	round := s.round(of)
	for i := range s.cases {
		if s.cases[i].ID == id && s.round(i) == round {
			return i
		}
	}
	return -1
}

// round is how often the case at a place was there before.
func (s *schedule) round(at int) int {
	n := 0
	for i := range at {
		if s.cases[i].ID == s.cases[at].ID {
			n++
		}
	}
	return n
}

// skip ends a case that does not begin. mu is held.
func (s *schedule) skip(i int, why string) {
	c := &s.cases[i]
	s.state[i] = over
	s.results[i] = outline(c)
	s.results[i].Outcome, s.results[i].Reason = deed.OutcomeSkipped, why
	s.results[i].Steps = skipped(c.Steps, 1)
	s.moved.Broadcast()
	if s.o.OnDone != nil {
		s.tell.Lock()
		defer s.tell.Unlock()
		s.o.OnDone(c, s.results[i])
	}
}

func (s *schedule) end(ctx context.Context, i int, res deed.CaseResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state[i], s.results[i] = over, res
	if !res.Outcome.OK() && !res.Quarantine && ctx.Err() == nil {
		s.failed++
		if s.o.Bail > 0 && s.failed >= s.o.Bail && s.ended == "" {
			s.ended = fmt.Sprintf("the run ended after %d cases that failed", s.failed)
			if s.failed == 1 {
				s.ended = "the run ended after a case that failed"
			}
		}
	}
	s.moved.Broadcast()
}

// carryOut attempts a case until it is proven, or may not be attempted again.
func (s *schedule) carryOut(ctx context.Context, i, worker int) deed.CaseResult {
	c := &s.cases[i]
	s.telling(func() {
		if s.o.OnCase != nil {
			s.o.OnCase(c)
		}
	})
	var before []deed.CaseResult
	lost := false
	for left := max(s.o.Retries, c.Retries); ; {
		name := fmt.Sprint(i + 1)
		if n := len(before); n > 0 {
			name = fmt.Sprintf("%d-%d", i+1, n+1)
		}
		res := s.attempt(ctx, c, name, worker)
		res.Worker, res.Retries = worker, before
		switch {
		case res.Outcome.OK() || ctx.Err() != nil || !again(&res):
			left = 0
		case res.Code == deed.CodeDisconnected && !lost:
			// The browser ended, perhaps by another case's doing: that is no failure of this one, the first time.
			lost = true
			res.Retries = nil
			before = append(before, res)
			continue
		}
		if left == 0 {
			res.Flaky = res.Outcome.OK() && slices.ContainsFunc(before, func(r deed.CaseResult) bool { return r.Code != deed.CodeDisconnected })
			if lost {
				res.Notes = append(res.Notes, "the browser ended in the middle of it, and it was run again in a new one")
			}
			s.telling(func() {
				if s.o.OnDone != nil {
					s.o.OnDone(c, res)
				}
			})
			return res
		}
		left--
		res.Retries = nil
		before = append(before, res)
	}
}

// again reports a failure that another attempt may not have: not one of what was written, or of what may be done.
func again(r *deed.CaseResult) bool {
	switch r.Outcome {
	case deed.OutcomeRefused, deed.OutcomeCancelled, deed.OutcomeSkipped:
		return false
	}
	switch r.Code.General() {
	case deed.CodeInvalid, deed.CodeRefused, deed.CodeCancelled:
		return false
	}
	return true
}

// telling calls back: one at a time, whatever the number of workers.
func (s *schedule) telling(f func()) {
	s.tell.Lock()
	defer s.tell.Unlock()
	f()
}
