package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/judge"
)

// settle waits and judges until the verdict stands.
// With more, a field that does not hold its text once the page rests is left to the next way at once.
func (r *run) settle(ctx context.Context, w deed.Witness, more bool) (deed.Judgement, *judge.Evidence, error) {
	effectEnd := time.Now().Add(orDefault(r.Options.EffectTimeout, DefaultEffectTimeout))
	end := effectEnd
	if d, ok := ctx.Deadline(); ok {
		d = d.Add(-answerTime(time.Until(d)))
		if len(r.a.Expect) > 0 || d.Before(end) {
			end = d
		}
	}
	r.seen = nil
	clear(r.passing)
	first, inert, pending, awaited, still := true, false, time.Time{}, time.Time{}, time.Time{}
	var ev *judge.Evidence
	for {
		wait := time.Until(end)
		if left := time.Until(pending); left > 0 {
			wait = min(wait, left)
		}
		for _, t := range []time.Time{awaited, still} {
			if left := time.Until(t); left > 0 {
				wait = min(wait, left)
			}
		}
		if r.a.Kind == deed.KindGoto && len(r.a.Expect) == 0 {
			wait = min(wait, loadRest)
		}
		t := time.Now()
		look, err := r.Driver.Settle(ctx, max(wait, 0), first)
		r.res.Phases.Settle += time.Since(t)
		if err != nil {
			return r.broken(err)
		}
		t = time.Now()
		ev = r.evidence(ctx, w, look)
		now := time.Now()
		if first && w.Delivered && ev.Diff.Empty() && look.Rested && look.InFlight == 0 && len(r.a.Expect) == 0 && (r.a.Kind == deed.KindClick || r.a.Kind == deed.KindDblclick) {
			inert, _ = r.Driver.Inert(ctx, r.before, r.target)
		}
		first = false
		ev.ProvenInert = inert
		ev.Final = inert || !now.Before(end) || r.a.Kind == deed.KindGoto && len(r.a.Expect) == 0
		j := judge.Judge(ev)
		if ev.Final && j.Verdict != deed.Match && look.Partial {
			// That something did not happen is said of the whole page.
			whole, err := r.Driver.Settle(ctx, 0, true)
			if err != nil {
				return r.broken(err)
			}
			whole.Rested, whole.Snapshot.Restless = look.Rested, look.Snapshot.Restless // it did not wait for rest
			look = whole
			ev = r.evidence(ctx, w, look)
			ev.ProvenInert, ev.Final = inert && ev.Diff.Empty(), true
			j = judge.Judge(ev)
		}
		r.res.Phases.Judge += time.Since(t)
		r.record(ev, look)
		stands := j.Verdict == deed.Match && (look.InFlight == 0 || !now.Before(effectEnd))
		if stands && look.Watched != nil && look.Watched.Clicks > 1 {
			stands = !now.Before(end) // each press may bring an effect of its own, the first of them is not the last word
		}
		if stands && pending.IsZero() && look.Timers > 0 && ownStateOnly(ev) {
			// What a person sees of a control is what the page has yet to act on: its timers come first.
			pending = now.Add(timersWait)
			stands = !pending.Before(end)
		}
		if stands && now.Before(effectEnd) && !r.came() {
			awaited, stands = effectEnd, false
		}
		if stands && now.Before(effectEnd) && r.a.Rest > 0 && (still.IsZero() || now.Before(still) || look.InFlight > 0) {
			// Something came before the rest was over, or this is the first that stands.
			still, stands = now.Add(r.a.Rest), false
			if still.After(effectEnd) {
				still = effectEnd
			}
		}
		if stands || ev.Final || look.Signals.Crashed || look.Signals.Closed {
			return j, ev, nil
		}
		if more && (r.a.Kind == deed.KindFill || r.a.Kind == deed.KindClear) && look.Held != nil && !*look.Held && look.Rested && look.InFlight == 0 && j.Verdict != deed.Match && !r.strayed(ev) {
			return j, ev, nil
		}
		r.seen = append(r.seen, look.Snapshot)
		if len(r.seen) > 20 {
			r.seen = r.seen[1:]
		}
		for _, c := range ev.Diff.Changes {
			if c.Kind == deed.Appeared || c.Kind == deed.Renamed || c.Kind == deed.Changed {
				r.passing[keyOf(&c)] = c
			}
		}
	}
}

// came reports whether all that the act is known to do is there.
func (r *run) came() bool {
	if r.a.Whole == nil {
		return true
	}
	res := *r.res
	res.Diff.Changes = slices.Clone(res.Diff.Changes)
	r.Mask.Diff(&res.Diff)
	return r.a.Whole(&res)
}

// ownStateOnly reports whether nothing but the control itself speaks for the act so far: a field's value, a switch's state.
func ownStateOnly(ev *judge.Evidence) bool {
	switch ev.Action.Kind {
	case deed.KindFill, deed.KindType, deed.KindClear:
		return true
	case deed.KindClick, deed.KindCheck, deed.KindUncheck, deed.KindWatch:
		for i := range ev.Diff.Changes {
			if ev.Diff.Changes[i].BeforeIndex != ev.Target || ev.Diff.Changes[i].Kind != deed.Changed {
				return false
			}
		}
		return len(ev.Diff.Changes) > 0
	}
	return false
}

// answerTime is kept back from the deadline, so that a page under load can still answer within it.
func answerTime(left time.Duration) time.Duration {
	return min(max(left/10, 50*time.Millisecond), 500*time.Millisecond)
}

// broken judges an act whose page stopped answering.
func (r *run) broken(err error) (deed.Judgement, *judge.Evidence, error) {
	var e *deed.Error
	if !errors.As(err, &e) || e.SideEffects == deed.EffectsNone {
		e = &deed.Error{Op: string(r.a.Kind), Code: deed.CodeOf(err), Where: r.a.Object(), Err: err}
	}
	c := *e
	c.Op, c.Where, c.SideEffects = string(r.a.Kind), r.a.Object(), deed.EffectsPossible
	if c.Code == deed.CodeTimeout {
		c.Err = errors.New("the page does not answer, its state is unknown")
		r.res.Outcome = deed.OutcomeAmbiguous
		r.res.Judgement = deed.Judgement{Reason: c.Err.Error()}
	}
	return deed.Judgement{}, nil, &c
}

func keyOf(c *deed.Change) deed.Key {
	k := c.Key
	k.Name, k.Region = c.After.Name, c.After.Region
	return k
}

// base is what the page is compared with, and the target in it: the page before the act, however many ways it took.
func (r *run) base() (*deed.Snapshot, int) {
	if r.first != nil {
		return r.first, r.firstAt
	}
	return r.before, r.target
}

// evidence gathers what the judge sees.
func (r *run) evidence(ctx context.Context, w deed.Witness, look *deed.Look) *judge.Evidence {
	before, target := r.base()
	var d deed.Diff
	if r.a.Kind != deed.KindGoto { // all of a new page is new
		d = diff.Between(before, look.Snapshot)
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		switch {
		case look.Answered:
			c.Caused = true
		case c.AfterIndex >= 0:
			for n := c.AfterIndex; n >= 0 && !c.Caused; n = look.Snapshot.Nodes[n].Parent {
				c.Caused = look.Caused[n] && (n == c.AfterIndex || !look.Snapshot.Nodes[n].Container)
			}
		case c.BeforeIndex >= 0:
			n := &before.Nodes[c.BeforeIndex]
			c.Caused = look.CausedGone[deed.NodeID{Frame: before.Frames[n.Frame].ID, Element: n.Element}]
		}
	}
	ev := &judge.Evidence{Action: *r.a, Before: before, After: r.reveal(ctx, look.Snapshot), Target: target, Diff: d, Witness: w,
		Signals: look.Signals, Watched: look.Watched, Held: look.Held, FieldValue: look.FieldValue, Rested: look.Rested, Pending: look.InFlight > 0, Seen: r.seen}
	if r.a.Kind == deed.KindUpload {
		for _, f := range r.a.Files {
			if i, err := os.Stat(f); err == nil {
				ev.Upload = append(ev.Upload, deed.File{Name: filepath.Base(f), Size: i.Size()})
			}
		}
	}
	if r.secret {
		ev.Action.Secret, ev.FieldValue = "secret", ""
		r.Mask.Diff(&ev.Diff)
	}
	if look.Watched != nil && look.Watched.Clicks > 1 {
		ev.Seen = nil // what passed may be the effect of one press of several: what stands at the end counts
	} else if len(r.passing) > 0 {
		there := map[deed.Key]bool{}
		for i := range d.Changes {
			there[keyOf(&d.Changes[i])] = true
		}
		for k, c := range r.passing {
			if !there[k] {
				ev.Passing = append(ev.Passing, c)
			}
		}
	}
	return ev
}

// record keeps what the result tells.
func (r *run) record(ev *judge.Evidence, look *deed.Look) {
	r.res.Diff = ev.Diff
	r.res.Page = look.Snapshot
	r.res.Signals = look.Signals
	r.res.Witness = ev.Witness
	r.res.Settled = look.Rested
	r.res.URL = look.Snapshot.URL
	r.res.Frames = nil
	if len(look.Snapshot.Frames) > 1 || len(ev.Before.Frames) > 1 {
		r.res.Frames = slices.Clone(look.Snapshot.Frames)
		for _, f := range ev.Before.Frames {
			if !slices.ContainsFunc(r.res.Frames, func(g deed.Frame) bool { return g.ID == f.ID }) {
				r.res.Frames = append(r.res.Frames, f)
			}
		}
	}
}
