package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
)

// Facts asks the page where an element would lead.
func (p *Page) Facts(ctx context.Context, s *deed.Snapshot, target int) (*deed.Facts, error) {
	f, el, err := p.place(s, target)
	if err != nil {
		return nil, err
	}
	var told struct {
		deed.Facts
		Reaches []int64 `json:"reaches"`
	}
	if err := p.ask(ctx, "facts", f, "facts", map[string]any{"id": el}, &told); err != nil {
		return nil, err
	}
	facts := told.Facts
	for _, el := range told.Reaches {
		if i := s.ByElement(string(f.id), el); i >= 0 && i != target {
			facts.Reaches = append(facts.Reaches, i)
		}
	}
	return &facts, nil
}

// Address is the URL of the main frame's document.
func (p *Page) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.frames[p.main]; f != nil {
		return f.url
	}
	return ""
}

// CloseOpened closes the pages that the last act opened, and returns when they are gone.
func (p *Page) CloseOpened(ctx context.Context) error {
	p.mu.Lock()
	ids := p.opened
	p.opened = nil
	p.mu.Unlock()
	for _, id := range ids {
		if _, err := cdproto.Call(ctx, p.conn.Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil && !errors.Is(err, deed.CodePageClosed) {
			return err
		}
	}
	for {
		all, err := cdproto.Call(ctx, p.conn.Browser(), target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all.TargetInfos, func(t *target.Info) bool { return slices.Contains(ids, t.TargetID) }) {
			return nil
		}
		select { // the browser answers before the page is gone: its own handlers may still ask whether to leave
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return p.late(ctx)
		}
	}
}

// Pick returns the node of a snapshot that a selector or a point means: the element itself, or the nearest around it that is a
// node. A selector is looked for in every frame, a point goes down into the frame that it falls on.
func (p *Page) Pick(ctx context.Context, s *deed.Snapshot, a *deed.Action) (int, error) {
	if a.Point != nil {
		return p.pickAt(ctx, s, a, p.order()[0], a.Point.X, a.Point.Y)
	}
	fail := func(code deed.Code, format string, args ...any) (int, error) {
		return -1, &deed.Error{Op: string(a.Kind), Code: code, Where: a.Selector, Err: fmt.Errorf(format, args...), SideEffects: deed.EffectsNone}
	}
	found, matches := -1, 0
	for _, f := range p.order() {
		var res struct {
			Found   [][]int64
			Invalid bool
		}
		if err := p.call(ctx, f, "pick", map[string]any{"selector": a.Selector}, &res); err != nil {
			if f.id == p.mainFrame() {
				return -1, err
			}
			continue
		}
		if res.Invalid {
			return fail(deed.CodeInvalid, "it is no CSS selector")
		}
		matches += len(res.Found)
		for _, around := range res.Found {
			if i := nearestNode(s, f, around); i >= 0 {
				found = i
			}
		}
	}
	switch {
	case matches > 1:
		return fail(deed.CodeManyMatches, "%d elements match the selector", matches)
	case matches == 0 || found < 0:
		return fail(deed.CodeNoMatch, "nothing that can be seen matches the selector")
	}
	return found, nil
}

// pickAt finds what a click at a point of a frame would reach.
func (p *Page) pickAt(ctx context.Context, s *deed.Snapshot, a *deed.Action, f *frame, x, y float64) (int, error) {
	none := &deed.Error{Op: string(a.Kind), Code: deed.CodeNoMatch, Where: a.Object(), Err: fmt.Errorf("nothing is there"), SideEffects: deed.EffectsNone}
	var res struct{ Found [][]int64 }
	if err := p.call(ctx, f, "pick", map[string]any{"x": x, "y": y}, &res); err != nil {
		return -1, err
	}
	if len(res.Found) == 0 {
		return -1, none
	}
	for _, child := range p.order() {
		if child.parent != f.id || child.owner == 0 || child.owner != res.Found[0][0] {
			continue
		}
		var corner, unit struct{ X, Y float64 }
		if err := p.call(ctx, f, "mapPoint", map[string]any{"id": child.owner, "x": 0, "y": 0}, &corner); err != nil {
			return -1, err
		}
		if err := p.call(ctx, f, "mapPoint", map[string]any{"id": child.owner, "x": 1, "y": 1}, &unit); err != nil {
			return -1, err
		}
		sx, sy := unit.X-corner.X, unit.Y-corner.Y
		if sx == 0 || sy == 0 {
			return -1, none
		}
		return p.pickAt(ctx, s, a, child, (x-corner.X)/sx, (y-corner.Y)/sy)
	}
	if i := nearestNode(s, f, res.Found[0]); i >= 0 {
		return i, nil
	}
	return -1, none
}

// nearestNode returns the index of the first of these elements of a frame that is a node, or -1.
func nearestNode(s *deed.Snapshot, f *frame, around []int64) int {
	for _, el := range around {
		if i := s.ByElement(string(f.id), el); i >= 0 {
			return i
		}
	}
	return -1
}
