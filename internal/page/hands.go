package page

import (
	"context"
	"errors"
	"fmt"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

// aimAt arms the guard for the target and returns the point of the main frame at which it would be hit.
func (p *Page) aimAt(ctx context.Context, a *act, g *deed.Gesture, kind string, w *deed.Witness) (x, y float64, err error) {
	op := string(g.Action.Kind)
	f, el, err := p.place(g.Snapshot, g.Target)
	if err != nil {
		return 0, 0, err
	}
	o := order(g.Snapshot, g.Target, el, g.Action.Locator.Near, kind)
	o.Point = true
	var at struct{ X, Y float64 }
	if err := p.ask(ctx, op, f, "prepare", o, &at); err != nil {
		return 0, 0, err
	}
	a.armed = append(a.armed, f.id)
	if x, y, err = p.toMain(ctx, op, a, f, at.X, at.Y); err != nil {
		_ = p.disarm(ctx, a, w)
	}
	return x, y, err
}

func (p *Page) mouse(ctx context.Context, typ input.DispatchMouseEventType, x, y float64) *cdp.Call {
	e := input.DispatchMouseEventParams{Type: typ, X: x, Y: y}
	switch typ {
	case input.DispatchMouseEventTypeMousePressed:
		e.Button, e.Buttons, e.ClickCount = input.MouseButtonLeft, 1, 1
	case input.DispatchMouseEventTypeMouseReleased:
		e.Button, e.ClickCount = input.MouseButtonLeft, 1
	}
	return p.s.Send(ctx, input.CommandDispatchMouseEvent, e)
}

// hover moves the pointer onto the element. Nothing is pressed, so there is nothing to guard; that the element is hovered is
// read afterwards.
func (p *Page) hover(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	x, y, err := p.aimAt(ctx, a, g, "pointer", w)
	if err != nil {
		return err
	}
	p.task(a)
	// From beside it, so that the page sees it enter.
	calls := []*cdp.Call{p.mouse(ctx, input.DispatchMouseEventTypeMouseMoved, x+1, y+1), p.mouse(ctx, input.DispatchMouseEventTypeMouseMoved, x, y)}
	err = p.finish(ctx, "hover", a, calls, w)
	w.Delivered = err == nil && w.Prevented == 0
	return err
}

// focus gives the element the focus.
func (p *Page) focus(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	f, el, err := p.place(g.Snapshot, g.Target)
	if err != nil {
		return err
	}
	p.task(a)
	if err := p.ask(ctx, "focus", f, "prepare", order(g.Snapshot, g.Target, el, g.Action.Locator.Near, "key"), nil); err != nil {
		return err
	}
	a.armed = append(a.armed, f.id)
	err = p.finish(ctx, "focus", a, nil, w)
	w.Delivered = err == nil
	return err
}

// scroll brings an element into view, or turns the wheel over what scrolls.
func (p *Page) scroll(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	p.task(a)
	if g.Target >= 0 && g.Action.Scroll == nil {
		f, el, err := p.place(g.Snapshot, g.Target)
		if err != nil {
			return err
		}
		if err := p.ask(ctx, "scroll", f, "reveal", map[string]any{"id": el}, nil); err != nil {
			return err
		}
		w.Delivered = true
		return nil
	}
	f := p.order()[0]
	var el int64
	if g.Target >= 0 {
		var err error
		if f, el, err = p.place(g.Snapshot, g.Target); err != nil {
			return err
		}
	}
	var at struct{ X, Y float64 }
	if err := p.ask(ctx, "scroll", f, "scrollPoint", map[string]any{"id": el}, &at); err != nil {
		return err
	}
	x, y := at.X, at.Y
	if f.id != p.mainFrame() {
		var err error
		if x, y, err = p.toMain(ctx, "scroll", a, f, at.X, at.Y); err != nil {
			return err
		}
		_ = p.disarm(ctx, a, w)
	}
	by := g.Action.Scroll
	// Written out: the typed parameters leave zeros away, and the browser wants both distances.
	err := p.s.Execute(ctx, input.CommandDispatchMouseEvent, map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": by.X, "deltaY": by.Y}, nil)
	if err != nil {
		return &deed.Error{Op: "scroll", Code: deed.CodeOf(err), Err: err, SideEffects: deed.EffectsPossible}
	}
	var moved deed.Scrolled
	if err := p.ask(ctx, "scroll", f, "scrolledBy", map[string]any{"id": el, "x": by.X, "y": by.Y}, &moved); err != nil {
		return err
	}
	a.scrolled = &moved
	w.Delivered = true
	return nil
}

// history goes back or forward, or loads the page anew. Where that would send a form again it must have been posted when it was decided on.
func (p *Page) history(ctx context.Context, a *act, kind deed.Kind, posted bool) error {
	p.mu.Lock()
	a.navigate = true
	before := p.frames[p.main].loader
	again := p.posted[before]
	p.mu.Unlock()
	fail := func(err error, effects deed.SideEffects) error {
		p.mu.Lock()
		a.navigate = false
		p.mu.Unlock()
		return &deed.Error{Op: string(kind), Code: deed.CodeOf(err), Err: err, SideEffects: effects}
	}
	if kind == deed.KindReload {
		if again && !posted {
			e := fail(errors.New("the page has become the answer to a form, which would be sent again"), deed.EffectsNone).(*deed.Error)
			e.Code = deed.CodeStaleRef // to be decided on anew
			return e
		}
		if err := p.s.Execute(ctx, cdppage.CommandReload, cdppage.ReloadParams{}, nil); err != nil {
			return fail(err, deed.EffectsPossible)
		}
	} else {
		h, err := cdproto.Call(ctx, p.s, cdppage.GetNavigationHistory, cdproto.Empty{})
		if err != nil {
			return fail(err, deed.EffectsNone)
		}
		to := h.CurrentIndex - 1
		if kind == deed.KindForward {
			to = h.CurrentIndex + 1
		}
		if to < 0 || to >= int64(len(h.Entries)) || to == 0 && h.Entries[0].URL == "about:blank" {
			e := fail(errors.New("there is no page to go "+string(kind)+" to"), deed.EffectsNone).(*deed.Error)
			e.Code = deed.CodeNavigation
			return e
		}
		if err := p.s.Execute(ctx, cdppage.CommandNavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: h.Entries[to].ID}, nil); err != nil {
			return fail(err, deed.EffectsPossible)
		}
		if sameDocument(h.Entries[h.CurrentIndex].URL, h.Entries[to].URL) {
			// The page itself may answer it without a new document; whether it does shows at rest.
			p.mu.Lock()
			a.navigate = false
			p.mu.Unlock()
			return nil
		}
	}
	err := p.until(ctx, func() bool { f := p.frames[p.main]; return f != nil && f.loader != before || !a.navigate })
	p.mu.Lock()
	a.navigate = false
	p.mu.Unlock()
	return err
}

// sameDocument reports whether two addresses differ in their fragment at most.
func sameDocument(a, b string) bool {
	cut := func(s string) string {
		for i := range s {
			if s[i] == '#' {
				return s[:i]
			}
		}
		return s
	}
	return cut(a) == cut(b)
}

// uploadWays tells a file input from what opens a chooser.
func (p *Page) uploadWays(ctx context.Context, s *deed.Snapshot, target int) ([]deed.Way, error) {
	f, el, err := p.place(s, target)
	if err != nil {
		return nil, err
	}
	var input int64
	if err := p.call(ctx, f, "fileInput", map[string]any{"id": el}, &input); err != nil {
		return nil, err
	}
	if input != 0 {
		return []deed.Way{deed.WayFiles}, nil
	}
	return []deed.Way{deed.WayChooser, deed.WayChooser}, nil
}

// upload gives files to a file input: the element itself, or the one whose chooser a click on the element opens.
func (p *Page) upload(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	f, el, err := p.place(g.Snapshot, g.Target)
	if err != nil {
		return err
	}
	fail := func(err error) error {
		return &deed.Error{Op: "upload", Code: deed.CodeOf(err), Err: err, SideEffects: deed.EffectsPossible}
	}
	if g.Way == deed.WayFiles {
		var number int64
		if err := p.call(ctx, f, "fileInput", map[string]any{"id": el}, &number); err != nil {
			return fail(err)
		}
		o := order(g.Snapshot, g.Target, el, g.Action.Locator.Near, "script")
		if err := p.ask(ctx, "upload", f, "prepare", o, nil); err != nil {
			return err
		}
		h, err := p.handle(ctx, f, number)
		if err != nil {
			return fail(err)
		}
		a.handles, a.files, a.filesIn = true, number, f.id
		p.task(a)
		if err := f.s.Execute(ctx, dom.CommandSetFileInputFiles, dom.SetFileInputFilesParams{Files: g.Action.Files, ObjectID: h}, nil); err != nil {
			return fail(err)
		}
		w.Delivered = true
		return nil
	}
	opened := make(chan *cdppage.EventFileChooserOpened, 1)
	stop := f.s.Listen(func(ev any) {
		if e, ok := ev.(*cdppage.EventFileChooserOpened); ok {
			select {
			case opened <- e:
			default:
			}
		}
	})
	defer stop()
	intercept := func(on bool) error {
		return f.s.Execute(ctx, cdppage.CommandSetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: on}, nil)
	}
	if err := intercept(true); err != nil {
		return fail(err)
	}
	defer func() { _ = intercept(false) }()
	if err := p.point(ctx, a, g, w); err != nil || w.Prevented > 0 {
		return err
	}
	timer := time.NewTimer(chooserTime)
	defer timer.Stop()
	select {
	case e := <-opened:
		if e.BackendNodeID == 0 {
			return fail(&deed.Error{Op: "upload", Code: deed.CodeUnsupported, Err: errors.New("the chooser belongs to no file input")})
		}
		p.mu.Lock()
		in, world := p.frames[e.FrameID], runtime.ExecutionContextID(0)
		if in != nil {
			world = in.world
		}
		p.mu.Unlock()
		if err := f.s.Execute(ctx, dom.CommandSetFileInputFiles, dom.SetFileInputFilesParams{Files: g.Action.Files, BackendNodeID: e.BackendNodeID}, nil); err != nil {
			return fail(err)
		}
		if in != nil && world != 0 {
			if n, err := p.numberOf(ctx, in, e.BackendNodeID); err == nil {
				a.files, a.filesIn = n, in.id
			}
		}
		return nil
	case <-timer.C:
		w.Delivered = false
		return fail(&deed.Error{Op: "upload", Code: deed.CodeUnsupported, Err: errors.New("the click opened no file chooser")})
	case <-ctx.Done():
		return fail(p.late(ctx))
	}
}

// chooserTime is how long a click may take to open its file chooser.
const chooserTime = 2 * time.Second

// numberOf returns the page script's number of a node.
func (p *Page) numberOf(ctx context.Context, f *frame, id cdproto.BackendNodeID) (int64, error) {
	p.mu.Lock()
	w := f.world
	p.mu.Unlock()
	node, err := cdproto.Call(ctx, f.s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: w, ObjectGroup: world})
	if err != nil {
		return 0, err
	}
	yes := true
	res, err := cdproto.Call(ctx, f.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){return __deed.numbers(this)[0]}", ObjectID: node.Object.ObjectID, ReturnByValue: &yes})
	if err != nil || res.Result == nil {
		return 0, fmt.Errorf("the node has no number: %w", err)
	}
	var n int64
	return n, decode(res.Result.Value, &n)
}

// dragSteps is in how many moves the pointer goes from the element to where it is dropped; pages that follow the pointer
// frame by frame need more than one.
const dragSteps = 12

// drag takes the element with the pointer and lets it go at the drop. A native drag (draggable, dataTransfer) is taken over
// from the browser, which would run it outside the page, and carried out by its own events.
func (p *Page) drag(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	x, y, err := p.aimAt(ctx, a, g, "drag", w)
	if err != nil {
		return err
	}
	tx, ty, err := p.dropPoint(ctx, g.Snapshot, g.Drop, g.DropSide)
	if err != nil {
		_ = p.disarm(ctx, a, w)
		return err
	}
	fail := func(err error) error {
		_ = p.disarm(ctx, a, w)
		return &deed.Error{Op: "drag", Code: deed.CodeOf(err), Err: err, SideEffects: deed.EffectsPossible}
	}
	native := make(chan *input.DragData, 1)
	stop := p.s.Listen(func(ev any) {
		if e, ok := ev.(*input.EventDragIntercepted); ok {
			select {
			case native <- e.Data:
			default:
			}
		}
	})
	defer stop()
	if err := p.s.Execute(ctx, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}, nil); err != nil {
		return fail(err)
	}
	defer func() {
		_ = p.s.Execute(context.WithoutCancel(ctx), input.CommandSetInterceptDrags, input.SetInterceptDragsParams{}, nil)
	}()
	move := func(x, y float64) error {
		return p.s.Execute(ctx, input.CommandDispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1}, nil)
	}
	p.task(a)
	for _, c := range []*cdp.Call{p.mouse(ctx, input.DispatchMouseEventTypeMouseMoved, x, y), p.mouse(ctx, input.DispatchMouseEventTypeMousePressed, x, y)} {
		if err := c.Wait(ctx, nil); err != nil {
			return fail(err)
		}
	}
	var data *input.DragData
	dragged := func(typ input.DispatchDragEventType, x, y float64) error {
		return p.s.Execute(ctx, input.CommandDispatchDragEvent, input.DispatchDragEventParams{Type: typ, X: x, Y: y, Data: data}, nil)
	}
	over := func(px, py float64) error {
		var err error
		if data != nil {
			err = dragged(input.DispatchDragEventTypeDragOver, px, py)
		} else if err = move(px, py); err == nil {
			_ = p.s.Flush(ctx)
			select {
			case data = <-native:
				err = dragged(input.DispatchDragEventTypeDragEnter, px, py)
			default:
			}
		}
		if err == nil {
			err = p.frameGone(ctx)
		}
		return err
	}
	for i := 1; i <= dragSteps+1; i++ {
		// The last step stays where the one before it came to: what follows the pointer catches up.
		part := min(float64(i)/dragSteps, 1)
		if err := over(x+(tx-x)*part, y+(ty-y)*part); err != nil {
			return fail(err)
		}
	}
	switch sided, err := p.rightSide(ctx, g, &tx, &ty, over); {
	case err != nil:
		return fail(err)
	case data != nil && !sided:
		if err := dragged(input.DispatchDragEventTypeDragOver, tx, ty); err != nil {
			return fail(err)
		}
	}
	if data != nil {
		if err := dragged(input.DispatchDragEventTypeDrop, tx, ty); err != nil {
			return fail(err)
		}
	}
	if err := p.finish(ctx, "drag", a, []*cdp.Call{p.mouse(ctx, input.DispatchMouseEventTypeMouseReleased, tx, ty)}, w); err != nil {
		return err
	}
	w.Delivered = w.Prevented == 0
	return nil
}

// dropNudges is how often the pointer is moved on beside a drop that makes way for the item.
const dropNudges = 8

// rightSide brings the item to the wanted side of its drop where the list makes way while it is dragged: what one drops beside
// moves away under the pointer, to the one side or the other. Each time all has come to rest, it looks where the item is now: on
// the wrong side, the pointer goes to the wanted edge of where the drop is now; on the right one, onto the item itself, where
// no further move of the pointer changes anything. It reports whether it came to that. Where nothing has moved the page decides
// at the drop, by its point alone.
func (p *Page) rightSide(ctx context.Context, g *deed.Gesture, tx, ty *float64, over func(x, y float64) error) (bool, error) {
	f, item, err := p.place(g.Snapshot, g.Target)
	if err != nil || g.DropSide == 0 {
		return false, err
	}
	df, el, err := p.place(g.Snapshot, g.Drop)
	if err != nil || df.id != f.id {
		return false, err
	}
	settled := false
	for n := 0; ; n++ {
		var is struct{ Side int }
		if err := p.call(ctx, f, "dropSide", map[string]any{"item": item, "id": el}, &is); err != nil {
			return false, err
		}
		right := is.Side == g.DropSide
		if is.Side == 0 || right && settled || n == dropNudges {
			return right, nil
		}
		if settled = right; right {
			*tx, *ty, err = p.dropPoint(ctx, g.Snapshot, g.Target, 0)
		} else {
			*tx, *ty, err = p.dropPoint(ctx, g.Snapshot, g.Drop, g.DropSide)
		}
		if err == nil {
			err = over(*tx, *ty)
		}
		if err != nil {
			return false, err
		}
	}
}

// frameGone lets the page draw one frame.
func (p *Page) frameGone(ctx context.Context) error {
	return p.call(ctx, p.order()[0], "drawn", nil, nil)
}

// dropPoint is the point of the main frame at which to drop: onto a node, or at its edge before (-1) or after (1) it.
func (p *Page) dropPoint(ctx context.Context, s *deed.Snapshot, node, side int) (float64, float64, error) {
	f, el, err := p.place(s, node)
	if err != nil {
		return 0, 0, err
	}
	var at struct{ X, Y float64 }
	if err := p.ask(ctx, "drag", f, "dropPoint", map[string]any{"id": el, "side": side}, &at); err != nil {
		return 0, 0, err
	}
	if f.id == p.mainFrame() {
		return at.X, at.Y, nil
	}
	quiet := &act{marks: map[cdproto.FrameID]mark{}}
	x, y, err := p.toMain(ctx, "drag", quiet, f, at.X, at.Y)
	_ = p.disarm(ctx, quiet, &deed.Witness{})
	return x, y, err
}
