package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
)

// start resolves what the action acts on. A scroll resolves what scrolls, or turns it until its element is there.
func (r *run) start(ctx context.Context) error {
	if r.a.Kind != deed.KindScroll {
		return r.resolve(ctx)
	}
	if !r.a.Locator.IsZero() {
		return r.scrollUntilFound(ctx)
	}
	if r.a.Ref != "" || r.a.Selector != "" || r.a.Point != nil { // the element to come into view, or what the wheel turns over
		return r.resolve(ctx)
	}
	s, err := r.Driver.Observe(ctx)
	if err != nil {
		return err
	}
	r.before = s
	r.target, err = scrollsIn(s, r.a.Scroll.Region)
	return err
}

// scrollsIn returns the node that a scroll in this region turns; -1 is the page.
func scrollsIn(s *deed.Snapshot, region string) (int, error) {
	if region == "" {
		return -1, nil
	}
	found := locate.Region(s, region)
	if len(found) == 0 {
		return -1, &deed.Error{Op: "scroll", Code: deed.CodeNoMatch, Where: "in " + region, Err: fmt.Errorf("no region %s", region), SideEffects: deed.EffectsNone}
	}
	return found[0], nil
}

// pageful is how far one turn of the wheel goes while an element is looked for.
const pageful = 400

// scrollUntilFound turns what scrolls, down and to its end, until the element is there: lists load more as they near it.
func (r *run) scrollUntilFound(ctx context.Context) error {
	region := ""
	if r.a.Scroll != nil {
		region = r.a.Scroll.Region
	}
	r.a.Scroll = nil // what follows is bringing the element into view
	var last error
	for ends := 0; ends < 5; {
		t := time.Now()
		s, err := r.Driver.Observe(ctx)
		r.res.Phases.Observe += time.Since(t)
		if err != nil {
			if last != nil && ctx.Err() != nil {
				return last
			}
			return err
		}
		r.before = s
		i, err := r.find(ctx, s)
		if err == nil {
			r.target = i
			return nil
		}
		last = r.lift(err)
		if !errors.Is(err, deed.CodeNoMatch) {
			return last
		}
		at, err := scrollsIn(s, region)
		if err != nil {
			return err
		}
		turn := deed.Action{Kind: deed.KindScroll, Scroll: &deed.Scroll{Region: region, Y: pageful}}
		if _, err := r.Driver.Perform(ctx, &deed.Gesture{Action: &turn, Snapshot: s, Target: at, Way: deed.WayScroll, Drop: -1}); err != nil {
			return r.lift(err)
		}
		look, err := r.Driver.Settle(ctx, 5*retryPause, true)
		r.Driver.Release(ctx)
		if err != nil {
			return r.lift(err)
		}
		r.log("scrolled on, looking for it")
		if look.Signals.Scrolled == nil || look.Signals.Scrolled.End {
			ends++
			if r.Driver.Await(ctx, 2*retryPause) != nil && ctx.Err() != nil {
				return last
			}
		} else {
			ends = 0
		}
	}
	return last
}

// dropAt resolves where a drag ends: the node, and the side of it.
func dropAt(a *deed.Action, s *deed.Snapshot, target int) (int, int, error) {
	d := a.Drop
	switch {
	case !d.To.IsZero():
		i, err := locate.One(s, d.To)
		return i, 0, err
	case d.In != "":
		found := locate.Region(s, d.In)
		if len(found) == 0 {
			return -1, 0, &deed.Error{Op: "drag", Code: deed.CodeNoMatch, Where: d.String(), Err: fmt.Errorf("no region %s", d.In), SideEffects: deed.EffectsNone}
		}
		return found[0], 0, nil
	}
	n := &s.Nodes[target]
	name, side := d.After, 1
	if d.Before != "" {
		name, side = d.Before, -1
	}
	l := deed.Find(n.Role, name)
	i, err := locate.One(s, l.In(n.Region))
	if err != nil {
		i, err = locate.One(s, l)
	}
	return i, side, err
}

// screenshot keeps a picture of the page.
func (r *run) screenshot(ctx context.Context) error {
	if _, err := r.permit(r.outer, r.question()); err != nil {
		return err
	}
	if err := r.started(ctx, r.question(), deed.WayNone); err != nil {
		return err
	}
	t := time.Now()
	png, err := r.Loop.Screenshot(ctx)
	r.res.Phases.Act = time.Since(t)
	if err != nil {
		return r.lift(err)
	}
	r.res.Saved = png
	r.res.Outcome = deed.OutcomeVerified
	r.res.Settled = true
	r.res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Reason: fmt.Sprintf("taken, %d bytes", len(png))}
	return nil
}
