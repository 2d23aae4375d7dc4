// Package exec carries out plans that strangers propose: each proposal through the gate, in order, one at a time. Without hands it is a
// dry run: everything is decided, asked for and written down, and nothing is done.
//
// Law of this package: it decides nothing. The gate does, and the loop proves; this is the order in which they are asked.
package exec

import (
	"context"
	"errors"
	"iter"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/gate"
)

// Options of a run.
type Options struct {
	Gate *gate.Gate // never nil

	// Do carries out an action that will pass the same gate once it is resolved; nil is a dry run.
	Do func(ctx context.Context, a deed.Action) (*deed.Result, error)

	// Keep saves the picture of a screenshot under a path of the proposal; nil keeps none.
	Keep func(path string, png []byte) (string, error)

	GoOn   bool         // after a proposal that was not carried out; a spent budget always ends the run
	Spent  func() error // the budget's end, nil while there is some; nil is no budget
	OnStep func(Step)   // after each proposal; may be nil
}

// A Step is what became of one proposal.
type Step struct {
	ID string `json:"id"`
	deed.StepResult
	DryRun     bool   `json:"dry_run,omitempty"`     // nothing was done: it would have been
	AuditError string `json:"audit_error,omitempty"` // what was done could not be written down
}

// OK reports whether it was done and proven, or would have been done.
func (s *Step) OK() bool { return s.Outcome.OK() || s.DryRun }

// Run carries out proposals until they end, one is not carried out, the budget is spent, or the context ends. The steps so far are
// returned in every case; the error is of the source, not of a step.
func Run(ctx context.Context, next iter.Seq2[*deed.Proposal, error], o Options) (steps []Step, err error) {
	for p, perr := range next {
		if perr != nil {
			return steps, perr
		}
		if ctx.Err() != nil {
			return steps, ctx.Err()
		}
		s := one(ctx, len(steps)+1, p, &o)
		steps = append(steps, s)
		if o.OnStep != nil {
			o.OnStep(s)
		}
		if o.Spent != nil && o.Spent() != nil || !s.OK() && !o.GoOn {
			break
		}
	}
	return steps, nil
}

// one carries out one proposal.
func one(ctx context.Context, n int, p *deed.Proposal, o *Options) Step {
	res := &deed.Result{Action: p.Action, Outcome: deed.OutcomeRefused}
	dry := false
	err := o.Gate.Propose(p)
	switch {
	case err != nil:
	case o.Do == nil:
		dry, err = dryRun(ctx, o.Gate, &p.Action, res)
	default:
		res, err = safely(ctx, p, o)
	}
	switch {
	case errors.Is(err, deed.CodeCancelled):
		res.Outcome = deed.OutcomeCancelled
	case errors.Is(err, deed.CodeRefused):
		res.Outcome = deed.OutcomeRefused
	case err != nil && res.Outcome.OK(): // it was done, and what belongs to it was not
		res.Outcome, res.Judgement = deed.OutcomeFailed, deed.Judgement{}
	}
	if err != nil && res.Judgement.Reason == "" {
		res.Judgement.Reason = err.Error()
	}
	s := Step{ID: p.ID, DryRun: dry}
	if ferr := o.Gate.Finish(res, dry, err); ferr != nil {
		s.AuditError = "what was done could not be written down"
	}
	s.StepResult = res.Step(n, err)
	return s
}

// dryRun decides about an action that is not going to be done.
func dryRun(ctx context.Context, g *gate.Gate, a *deed.Action, res *deed.Result) (ok bool, err error) {
	r, err := g.DryRun(ctx)
	if err != nil {
		return false, err
	}
	if r.Decision != deed.Allow {
		return false, &deed.Error{Op: string(a.Kind), Code: deed.CodeRefused, Where: a.Object(), Err: errors.New("refused by policy: " + r.Reason), SideEffects: deed.EffectsNone}
	}
	res.Outcome = deed.OutcomeSkipped
	res.Judgement = deed.Judgement{Reason: "dry run: it would be done"}
	return true, nil
}

// safely carries out an action with hands that may fail in any way: what they say of it in their own words is not passed on, since it may
// hold anything; only deed's own errors are.
func safely(ctx context.Context, p *deed.Proposal, o *Options) (res *deed.Result, err error) {
	failed := func(res *deed.Result) (*deed.Result, error) {
		if res == nil {
			res = &deed.Result{Action: p.Action}
		}
		res.Outcome, res.Judgement = deed.OutcomeFailed, deed.Judgement{}
		return res, &deed.Error{Op: string(p.Action.Kind), Code: deed.CodeInternal, Err: errors.New("it could not be carried out"), SideEffects: deed.EffectsPossible}
	}
	defer func() {
		if recover() != nil {
			res, err = failed(nil)
		}
	}()
	res, err = do(ctx, p, o)
	var known *deed.Error
	if res == nil || err != nil && !errors.As(err, &known) {
		return failed(res)
	}
	return res, err
}

// do carries out an action, and what belongs to it: the Enter after a text, the file of a picture.
func do(ctx context.Context, p *deed.Proposal, o *Options) (*deed.Result, error) {
	a := p.Action
	enter := a.Enter
	a.Enter = false
	res, err := o.Do(ctx, a)
	if err != nil || res == nil {
		return res, err
	}
	if png, ok := res.Saved.([]byte); ok && a.Kind == deed.KindShot && o.Keep != nil {
		name, err := o.Keep(a.Path, png)
		if err != nil {
			return res, err
		}
		res.Saved = name
	}
	if !enter {
		return res, nil
	}
	press := deed.Action{Kind: deed.KindPress, Key: "Enter", Locator: a.Locator, Selector: a.Selector, Point: a.Point, Dialog: a.Dialog, Timeout: a.Timeout}
	pressed, err := o.Do(ctx, press)
	if pressed == nil {
		return nil, err
	}
	pressed.Attempts += res.Attempts
	pressed.Prevented += res.Prevented
	return pressed, err
}
