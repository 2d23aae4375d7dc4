package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/judge"
)

// mostAsked is how often a person is asked about one action whose page keeps changing while they answer.
const mostAsked = 3

// question is what is asked about the action itself, on the page as it was last observed.
func (r *run) question() *deed.Question { return r.ask(r.a, r.before, r.target) }

func (r *run) ask(a *deed.Action, s *deed.Snapshot, target int) *deed.Question {
	q := &deed.Question{Action: a, Snapshot: s, Target: target}
	if a != r.a {
		q.For = r.a
	}
	if s == nil {
		q.URL = r.Driver.Address()
	}
	if s != nil && target < 0 && a.Kind == deed.KindPress {
		target = judge.Focused(s) // the key goes there: policy is asked about that element
		q.Target = target
	}
	if s != nil && target >= 0 && a.Kind == deed.KindDrag && a.Drop != nil {
		// Where it cannot be found here it is not found for the gesture either, and nothing is dragged.
		if onto, _, err := dropAt(a, s, target); err == nil {
			q.Onto = []int{onto}
		}
	}
	if s != nil && target >= 0 {
		q.Ask = func(node int) (*deed.Facts, error) {
			ctx, cancel := context.WithTimeout(r.outer, DefaultTimeout)
			defer cancel()
			return r.Driver.Facts(ctx, s, node)
		}
	}
	return q
}

// permit asks policy about the action, and about the page as it is after a person was asked: a yes holds for what they were shown.
// asked reports whether a person was. Nothing has been done when it fails.
func (r *run) permit(ctx context.Context, q *deed.Question) (asked bool, err error) {
	for range mostAsked {
		answer, err := r.decide(ctx, q)
		if err != nil {
			return asked, r.refused(err)
		}
		asked = asked || answer.Asked
		r.allowed = q.Snapshot
		if !answer.Asked || q.Snapshot == nil || q.Action != r.a || r.a.Kind == deed.KindGoto { // the page that goto leaves may change
			return asked, nil
		}
		step, cancel := context.WithTimeout(ctx, orDefault(r.a.Timeout, orDefault(r.Options.Timeout, DefaultTimeout)))
		err = r.resolve(step)
		cancel()
		if err != nil {
			return true, err
		}
		if r.target >= 0 {
			r.aimed()
		}
		q = r.question() // an answer for this very page is remembered by who gave it
	}
	return asked, nil
}

// permitted makes sure that policy allowed the action on the page as it is now: after another look the element may be one of
// which it was not asked.
func (r *run) permitted() error {
	if r.allowed == r.before {
		return nil
	}
	answer, err := r.decide(r.outer, r.question())
	switch {
	case err != nil:
		return r.refused(err)
	case answer.Asked:
		return r.refused(r.fail(deed.CodeCancelled, deed.EffectsNone, "the page changed while it was confirmed"))
	}
	r.allowed = r.before
	return nil
}

// part asks policy about a gesture that is a part of the action: the click on an option.
func (r *run) part(a *deed.Action, s *deed.Snapshot, target int) error {
	if _, err := r.decide(r.outer, r.ask(a, s, target)); err != nil {
		return r.refused(err)
	}
	return nil
}

// lookedAt asks policy whether anything may be done on a page, where what was asked for is not there.
func (r *run) lookedAt(s *deed.Snapshot) error {
	return r.part(&deed.Action{Kind: deed.KindWait}, s, -1)
}

func (r *run) refused(err error) error {
	switch {
	case errors.Is(err, deed.CodeCancelled):
		r.res.Outcome = deed.OutcomeCancelled
	case errors.Is(err, deed.CodeRefused):
		r.res.Outcome = deed.OutcomeRefused
	}
	return err
}

// decide asks policy once. Only a clear yes is one.
func (r *run) decide(ctx context.Context, q *deed.Question) (deed.Ruling, error) {
	t := time.Now()
	defer func() { r.res.Phases.Decide += time.Since(t) }()
	if r.Decider == nil {
		return deed.Ruling{}, r.fail(deed.CodeRefused, deed.EffectsNone, "no policy allows it")
	}
	answer, err := r.Decider.Decide(ctx, q)
	if q.Action == r.a && !q.Undo {
		r.res.Ruling = answer
	}
	switch {
	case errors.Is(err, deed.CodeCancelled), errors.Is(err, deed.CodeRefused), errors.Is(err, deed.CodeEnvironment): // what could not be written down
		return answer, r.lift(err)
	case err != nil:
		return answer, &deed.Error{Op: string(r.a.Kind), Code: deed.CodeRefused, Where: r.a.Object(), SideEffects: deed.EffectsNone,
			Err: fmt.Errorf("refused by policy: the policy could not be evaluated (%w)", err)}
	case answer.Decision != deed.Allow:
		return answer, r.fail(deed.CodeRefused, deed.EffectsNone, "refused by policy: %s", answer.Reason)
	}
	return answer, nil
}

// started writes down that a gesture begins.
func (r *run) started(ctx context.Context, q *deed.Question, way deed.Way) error {
	if r.Record == nil {
		return nil
	}
	if err := r.Record.Started(ctx, q, way); err != nil {
		return &deed.Error{Op: string(r.a.Kind), Code: deed.CodeOf(err), Where: r.a.Object(), SideEffects: deed.EffectsNone,
			Err: fmt.Errorf("it cannot be written down, so it is not done: %w", err)}
	}
	return nil
}
