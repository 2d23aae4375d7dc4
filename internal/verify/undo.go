package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/judge"
)

// takeBack undoes an effect that was not meant and proves that nothing of it is left. It always returns an error:
// the act stays unproven, undone or not.
func (r *run) takeBack(ctx context.Context, ev *judge.Evidence) error {
	cause := r.unproven(&r.res.Judgement)
	if ev == nil || r.Options.NoUndo || ev.Diff.Empty() && !mayHideItsEffect(ev) {
		return cause
	}
	t := time.Now()
	defer func() { r.res.Phases.Undo = time.Since(t) }()
	inv, err := judge.PlanUndo(ev)
	if err != nil {
		return r.stopped(deed.CodeIrreversible, cause, "cannot be undone: "+plain(err))
	}
	if inv.Action.Kind == "" && !inv.History {
		return cause
	}
	budget := orDefault(r.Options.EffectTimeout, DefaultEffectTimeout)
	ctx, cancel := context.WithTimeout(ctx, budget+r.graceForUndo())
	defer cancel()
	q := r.ask(&inv.Action, ev.After, inv.Target)
	q.Undo = true
	if _, err := r.decide(ctx, q); err != nil {
		return r.stopped(deed.CodeIrreversible, cause, "policy does not allow the undo")
	}
	r.res.Undo = fmt.Sprintf("%s %s", inv.Action.Kind, inv.Action.Object())
	r.log("undo: %s (%s)", r.res.Undo, inv.Why)
	r.Driver.Release(ctx)
	if err := r.performUndo(ctx, &inv, ev.After); err != nil {
		return r.stopped(deed.CodeUndoFailed, cause, "the undo could not be done: "+plain(err))
	}
	residue, err := r.residue(ctx, budget, ev)
	if err != nil {
		return r.stopped(deed.CodeUndoFailed, cause, "the undo could not be proven: "+plain(err))
	}
	r.res.Residue = residue
	if !residue.Empty() {
		return r.stopped(deed.CodeUndoFailed, cause, "left after the undo: "+strings.Join(residue.Lines(), "; "))
	}
	r.res.Undone++
	return cause
}

func (r *run) graceForUndo() time.Duration { return orDefault(r.Options.Timeout, DefaultTimeout) }

// mayHideItsEffect reports acts whose effect is no difference of two snapshots: a reorder, files in an input, an opened page.
func mayHideItsEffect(ev *judge.Evidence) bool {
	return ev.Action.Kind == deed.KindDrag || ev.Action.Kind == deed.KindUpload || len(ev.Signals.Pages) > 0
}

// stopped is an unproven act that leaves something behind: its cause stays reachable.
func (r *run) stopped(code deed.Code, cause error, why string) error {
	return &deed.Error{Op: string(r.a.Kind), Code: code, Where: r.a.Object(), SideEffects: deed.EffectsPossible,
		Err: fmt.Errorf("%s (%w)", why, cause), Hint: "the page is not as it was: look at what is left before going on"}
}

func plain(err error) string {
	var e *deed.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// performUndo carries the inverse out under the same guard, pointer first, then keyboard. A gesture that was
// delivered is never repeated.
func (r *run) performUndo(ctx context.Context, inv *judge.Inverse, s *deed.Snapshot) error {
	if inv.Action.Kind == deed.KindTab {
		q := r.ask(&inv.Action, s, -1)
		q.Undo = true
		if err := r.started(ctx, q, deed.WayNone); err != nil {
			return err
		}
		if _, err := r.Driver.Perform(ctx, &deed.Gesture{Action: &inv.Action, Snapshot: s, Target: -1, Way: deed.WayNone, Drop: -1}); err != nil {
			return err
		}
		return r.Driver.CloseOpened(ctx)
	}
	target := inv.Target
	ways, err := r.Driver.Ways(ctx, &inv.Action, s, target)
	if err != nil {
		return err
	}
	g := deed.Gesture{Action: &inv.Action, Snapshot: s, Target: target, Drop: -1}
	if inv.Action.Kind == deed.KindDrag {
		if g.Drop, g.DropSide, err = dropAt(&inv.Action, s, target); err != nil {
			return err
		}
	}
	var last error
	for _, way := range ways {
		g.Way = way
		q := r.ask(&inv.Action, s, target)
		q.Undo = true
		if err := r.started(ctx, q, way); err != nil {
			return err
		}
		w, err := r.Driver.Perform(ctx, &g)
		switch {
		case err != nil:
			var e *deed.Error
			if !errors.As(err, &e) || e.SideEffects != deed.EffectsNone {
				return err
			}
			last = err
		case w.Prevented > 0:
			r.res.Prevented += w.Prevented
			last = fmt.Errorf("prevented: %s would have received it", w.Receiver)
		default:
			return nil
		}
		r.Driver.Release(ctx)
	}
	if last == nil {
		last = errors.New("there is no way to do it")
	}
	return last
}

// residue waits until the page is as it was before the act, at most for the budget, and returns what still differs.
func (r *run) residue(ctx context.Context, budget time.Duration, ev *judge.Evidence) (*deed.Diff, error) {
	end := time.Now().Add(budget)
	first := true
	for {
		look, err := r.Driver.Settle(ctx, max(time.Until(end), 0), first)
		if err != nil {
			return nil, err
		}
		first = false
		if d := diff.Between(ev.Before, look.Snapshot); d.Empty() && look.Partial {
			// That nothing is left is said of the whole page.
			whole, err := r.Driver.Settle(ctx, 0, true)
			if err != nil {
				return nil, err
			}
			look = whole
		}
		d := diff.Between(ev.Before, look.Snapshot)
		if d.NewDoc && d.URLBefore == d.URLAfter && len(d.Changes) == 0 {
			d.NewDoc = false // history brought the same page back as a new document
		}
		displaced := ev.Action.Kind == deed.KindDrag && judge.Displaced(ev.Before, look.Snapshot, ev.Target, ev.Action.Drop)
		switch over := !time.Now().Before(end); {
		case over && d.Empty() && displaced: // order is no difference to a diff
			return nil, errors.New("what was dragged is not back in its place")
		case over, d.Empty() && look.InFlight == 0 && !displaced:
			return &d, nil
		}
	}
}
