package verify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/judge"
)

// climb tries the ways one after another until a gesture is delivered and judged.
func (r *run) climb(ctx context.Context) (deed.Judgement, *judge.Evidence, error) {
	none := deed.Judgement{}
	ways, err := r.Driver.Ways(ctx, r.a, r.before, r.target)
	if err != nil {
		return none, nil, r.lift(err)
	}
	ways = allowed(ways, r.Options.Ways)
	if len(ways) == 0 {
		return none, nil, r.fail(deed.CodeUnsupported, deed.EffectsNone, "no way is left to do it")
	}
	if ways[0] == deed.WayOpen {
		return r.openAndChoose(ctx)
	}
	var witness deed.Witness
	for n, way := range ways {
		w, err := r.perform(ctx, way, n+1 < len(ways))
		if err != nil {
			if errors.Is(err, errNextWay) {
				continue
			}
			var e *deed.Error
			if errors.As(err, &e) && e.SideEffects == deed.EffectsPossible && e.Code == deed.CodeTimeout {
				return r.broken(err)
			}
			return none, nil, err
		}
		witness = w
		r.res.Witness = w
		if w.Prevented > 0 {
			r.res.Prevented += w.Prevented
			r.log("%s: prevented, %s would have received it", way, w.Receiver)
			if j, ev, done, err := r.begun(ctx, w); done || err != nil {
				return j, ev, err
			}
			if n+1 == len(ways) {
				break
			}
			if err := r.resolve(ctx); err != nil {
				// What was prevented is the verdict; that it is not found again is a detail.
				r.log("not found again: %v", err)
				break
			}
			continue
		}
		j, ev, err := r.settle(ctx, w, n+1 < len(ways))
		if err != nil {
			return none, nil, err
		}
		if j.Verdict != deed.Match && n+1 < len(ways) && r.mayTryAgain(&j, ev) {
			r.log("%s: %s", way, j.Reason)
			// A text that comes late may be in the field before the next way begins: what it did is told from before the first.
			if r.first == nil && (!ev.Diff.Empty() || r.a.Kind == deed.KindFill || r.a.Kind == deed.KindClear) {
				r.first, r.firstAt = r.before, r.target
			}
			if r.resolve(ctx) == nil {
				continue
			}
		}
		return j, ev, nil
	}
	ev := &judge.Evidence{Action: *r.a, Before: r.before, After: r.before, Target: r.target, Witness: witness, Rested: true, Final: true}
	return judge.Judge(ev), ev, nil
}

// begun judges a gesture whose press reached its element and whose rest was stopped, because what the press opened took it: a
// menu, a picker's layer, their backdrop. It is not done again where it had an effect: a second press would undo the first.
func (r *run) begun(ctx context.Context, w deed.Witness) (deed.Judgement, *judge.Evidence, bool, error) {
	none := deed.Judgement{}
	if !slices.ContainsFunc(w.Events, func(e deed.WitnessEvent) bool { return e.OnTarget }) || len(r.a.Expect) == 0 && !w.Elsewhere {
		return none, nil, false, nil
	}
	look, err := r.Driver.Settle(ctx, 10*retryPause, true)
	if err != nil {
		return none, nil, false, nil
	}
	ev := r.evidence(ctx, w, look)
	j := judge.Judge(ev)
	if j.Verdict == deed.Match && look.InFlight == 0 {
		r.record(ev, look)
		return j, ev, true, nil
	}
	if !w.Elsewhere || ev.Diff.Empty() {
		return none, nil, false, nil
	}
	r.log("what the press opened took the rest of the gesture")
	j, ev, err = r.settle(ctx, w, false)
	return j, ev, true, err
}

// perform carries out one gesture, waiting until the element can be acted on.
func (r *run) perform(ctx context.Context, way deed.Way, more bool) (deed.Witness, error) {
	var last error
	for {
		t := time.Now()
		g := &deed.Gesture{Action: r.a, Snapshot: r.before, Target: r.target, Way: way, Drop: -1}
		if r.a.Kind == deed.KindDrag {
			var err error
			if g.Drop, g.DropSide, err = dropAt(r.a, r.before, r.target); err != nil {
				return deed.Witness{}, r.lift(err)
			}
		}
		if err := r.permitted(); err != nil {
			return deed.Witness{}, err
		}
		if err := r.started(ctx, r.question(), way); err != nil {
			return deed.Witness{}, err
		}
		w, err := r.Driver.Perform(ctx, g)
		r.res.Phases.Act += time.Since(t)
		if err == nil {
			r.res.Attempts++
			if w.Prevented == 0 {
				r.log("%s: %s", way, told(&w))
			}
			return w, nil
		}
		var e *deed.Error
		retry := errors.As(err, &e) && e.SideEffects == deed.EffectsNone && (errors.Is(err, deed.CodeNotActionable) || errors.Is(err, deed.CodeStaleRef))
		if !retry || errors.Is(err, deed.CodeNoOption) || errors.Is(err, deed.CodeReadOnly) {
			if last != nil && ctx.Err() != nil {
				return w, last
			}
			if errors.As(err, &e) && e.SideEffects != deed.EffectsNone {
				r.res.Attempts++
			}
			return w, r.lift(err)
		}
		if more && errors.Is(err, deed.CodeNotVisible) && !r.before.Nodes[r.target].Unseen {
			more = false // seen a moment ago: it may come back into view
		} else if more && errors.Is(err, deed.CodeNotVisible) {
			return w, errNextWay
		}
		if last == nil || last.Error() != r.lift(err).Error() {
			r.log("%s: %v", way, err)
		}
		last = r.lift(err)
		r.Driver.Release(ctx)
		if r.Driver.Await(ctx, retryPause) != nil && ctx.Err() != nil {
			return w, last
		}
		if err := r.resolve(ctx); err != nil {
			if ctx.Err() != nil {
				return w, last
			}
			return w, err
		}
	}
}

func told(w *deed.Witness) string {
	if w.Delivered {
		return "delivered"
	}
	return "not delivered"
}

func allowed(ways, limit []deed.Way) []deed.Way {
	if limit == nil {
		return ways
	}
	var out []deed.Way
	for _, w := range ways {
		for _, l := range limit {
			if w == l {
				out = append(out, w)
				break
			}
		}
	}
	return out
}
