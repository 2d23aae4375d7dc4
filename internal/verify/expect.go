package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
)

// await waits until every expectation holds in one and the same snapshot.
func (r *run) await(ctx context.Context) error {
	if _, err := r.permit(r.outer, r.question()); err != nil {
		return err
	}
	if r.a.Kind == deed.KindWait && len(r.a.Expect) == 0 {
		return r.pause(ctx)
	}
	var why string
	for {
		t := time.Now()
		s, err := r.Driver.Observe(ctx)
		r.res.Phases.Observe += time.Since(t)
		if err != nil {
			if why != "" && ctx.Err() != nil {
				return r.unmet(why)
			}
			return err
		}
		s = r.reveal(ctx, s)
		r.before = s
		t = time.Now()
		why = ""
		for i := range r.a.Expect {
			ok, w := locate.Holds(nil, s, &deed.Signals{}, &r.a.Expect[i])
			if !ok {
				why = w
				break
			}
		}
		r.res.Phases.Judge += time.Since(t)
		if why == "" {
			r.res.Outcome = deed.OutcomeVerified
			r.res.Settled = true
			reason := r.a.Expect[0].String()
			if n := len(r.a.Expect); n > 1 {
				reason = fmt.Sprintf("%s, and %d more", reason, n-1)
			}
			r.res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisExpect, Reason: "holds: " + reason}
			return nil
		}
		t = time.Now()
		err = r.Driver.Await(ctx, retryPause)
		r.res.Phases.Settle += time.Since(t)
		if err != nil && ctx.Err() != nil {
			return r.unmet(why)
		}
	}
}

// pause lets time pass.
func (r *run) pause(ctx context.Context) error {
	timer := time.NewTimer(r.a.Pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.outer.Done():
		return r.fail(deed.CodeCancelled, deed.EffectsNone, "%w", r.outer.Err())
	}
	r.res.Outcome, r.res.Settled = deed.OutcomeVerified, true
	r.res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Reason: fmt.Sprintf("waited for %v", r.a.Pause)}
	return nil
}

func (r *run) unmet(why string) error {
	r.res.Outcome = deed.OutcomeMismatch
	r.res.Judgement = deed.Judgement{Verdict: deed.Mismatch, Kind: deed.MismatchUnmet, Reason: why}
	return &deed.Error{Op: string(r.a.Kind), Code: deed.CodeMismatch, Where: r.a.Object(), Err: errors.New(why), SideEffects: deed.EffectsNone}
}

// eval runs the expression; its value is the proof that it ran.
func (r *run) eval(ctx context.Context) error {
	if _, err := r.permit(r.outer, r.question()); err != nil {
		return err
	}
	if err := r.started(ctx, r.question(), deed.WayNone); err != nil {
		return err
	}
	t := time.Now()
	v, err := r.Driver.Eval(ctx, r.a.Text)
	r.res.Phases.Act = time.Since(t)
	if err != nil {
		return r.lift(err)
	}
	r.res.Saved = v
	r.res.Outcome = deed.OutcomeVerified
	r.res.Settled = true
	r.res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Reason: "evaluated"}
	return nil
}

// reveal lets expectations about the value of a sensitive field be checked: the page compares, and only where it says
// that the field holds exactly the expected text does the returned snapshot carry it. The text is masked in every output.
func (r *run) reveal(ctx context.Context, s *deed.Snapshot) *deed.Snapshot {
	out := s
	for i := range r.a.Expect {
		e := &r.a.Expect[i]
		if e.Kind != deed.ExpectValue {
			continue
		}
		n, err := locate.One(s, e.Locator)
		if err != nil || !s.Nodes[n].Sensitive {
			continue
		}
		r.Mask.Add(e.Text)
		e.Secret = true
		held, err := r.Driver.Holds(ctx, s, n, e.Text)
		if err != nil || !held {
			continue
		}
		if out == s {
			c := *s
			c.Nodes = slices.Clone(s.Nodes)
			out = &c
		}
		out.Nodes[n].Value = e.Text
	}
	return out
}
