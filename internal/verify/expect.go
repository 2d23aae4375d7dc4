package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
)

// await waits until every expectation holds in one and the same snapshot.
func (r *run) await(ctx context.Context) error {
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

func (r *run) unmet(why string) error {
	r.res.Outcome = deed.OutcomeMismatch
	r.res.Judgement = deed.Judgement{Verdict: deed.Mismatch, Kind: deed.MismatchUnmet, Reason: why}
	return &deed.Error{Op: string(r.a.Kind), Code: deed.CodeMismatch, Where: r.a.Object(), Err: errors.New(why), SideEffects: deed.EffectsNone}
}

// eval runs the expression; its value is the proof that it ran.
func (r *run) eval(ctx context.Context) error {
	if err := r.decide(ctx, r.a, nil, -1); err != nil {
		r.res.Outcome = deed.OutcomeRefused
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
