package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/pagescript"
)

// Observe returns the page at this instant. Nothing is taken over from what was seen before.
func (p *Page) Observe(ctx context.Context) (*deed.Snapshot, error) {
	for {
		views, why, err := p.look(ctx, nil, true)
		var s *deed.Snapshot
		if err == nil {
			s, err = p.compose(ctx, views, why)
		}
		if !errors.Is(err, errGone) {
			return s, err
		}
		if err := p.regain(ctx); err != nil {
			return nil, err
		}
	}
}

// regain waits for a document after one went away: for news of the page, briefly, then for its page script.
func (p *Page) regain(ctx context.Context) error {
	p.mu.Lock()
	change := p.change
	p.mu.Unlock()
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-change:
	case <-timer.C:
	case <-ctx.Done():
	}
	return p.ready(ctx, p.mainFrame())
}

func (p *Page) mainFrame() cdproto.FrameID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.main
}

// order lists the frames, the main frame first, each after its parent.
func (p *Page) order() []*frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := []*frame{}
	if m := p.frames[p.main]; m != nil {
		out = append(out, m)
	}
	for i := 0; i < len(out); i++ {
		var kids []*frame
		for _, f := range p.frames {
			if f.parent == out[i].id && f.id != p.main {
				kids = append(kids, f)
			}
		}
		slices.SortFunc(kids, func(a, b *frame) int {
			if a.id < b.id {
				return -1
			}
			return 1
		})
		out = append(out, kids...)
	}
	return out
}

// look takes a view of every frame at once. Views that are there already are kept. The second result says what
// could not be seen. With whole nothing is taken over from the last look.
func (p *Page) look(ctx context.Context, have map[cdproto.FrameID]*view, whole bool) (map[cdproto.FrameID]*view, string, error) {
	frames := p.order()
	calls := make([]*cdp.Call, len(frames))
	bases := make([]*pagescript.Part, len(frames))
	for i, f := range frames {
		if have[f.id] != nil {
			continue
		}
		var arg map[string]any
		arg, bases[i] = p.lookArg(f, whole)
		c, err := p.send(ctx, f, "look", arg)
		if err != nil {
			if i == 0 {
				return nil, "", err
			}
			continue
		}
		calls[i] = c
	}
	out := map[cdproto.FrameID]*view{}
	why := ""
	for i, f := range frames {
		if v := have[f.id]; v != nil {
			out[f.id] = v
			continue
		}
		if calls[i] == nil {
			why = fmt.Sprintf("the frame %s is not observed", f.url)
			continue
		}
		var raw json.RawMessage
		err := p.wait(ctx, calls[i], &raw)
		var v *view
		if err == nil {
			v, err = p.viewOf(f, raw, bases[i])
		}
		if err != nil {
			if i == 0 || ctx.Err() != nil {
				return nil, "", err
			}
			why = fmt.Sprintf("the frame %s could not be observed", f.url)
			continue
		}
		out[f.id] = v
	}
	for id, v := range out {
		if len(v.Hosts) == 0 {
			continue
		}
		p.mu.Lock()
		f := p.frames[id]
		p.mu.Unlock()
		if f == nil || !p.openClosed(ctx, f, v.Hosts) {
			continue
		}
		var raw json.RawMessage
		arg, base := p.lookArg(f, whole)
		if err := p.call(ctx, f, "look", arg, &raw); err != nil {
			return nil, "", err
		}
		again, err := p.viewOf(f, raw, base)
		if err != nil {
			return nil, "", err
		}
		again.about.Changed, again.about.Rested = v.Changed, v.Rested
		out[id] = again
	}
	return out, why, nil
}

// openClosed hands the closed shadow roots of these elements to the page script, which cannot reach them by itself, and reports
// whether there were any.
func (p *Page) openClosed(ctx context.Context, f *frame, hosts []int64) bool {
	found := false
	depth, pierce := int64(1), true
	for _, el := range hosts {
		h, err := p.handle(ctx, f, el)
		if err != nil {
			continue
		}
		node, err := cdproto.Call(ctx, f.s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: h, Depth: &depth, Pierce: &pierce})
		if err != nil || node.Node == nil {
			continue
		}
		for _, root := range node.Node.ShadowRoots {
			if root.ShadowRootType != cdproto.ShadowRootTypeClosed {
				continue
			}
			p.mu.Lock()
			w := f.world
			p.mu.Unlock()
			r, err := cdproto.Call(ctx, f.s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: root.BackendNodeID, ExecutionContextID: w, ObjectGroup: world})
			if err != nil || r.Object == nil {
				continue
			}
			_, err = cdproto.Call(ctx, f.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(){__deed.adopt(this)}", ObjectID: r.Object.ObjectID})
			found = found || err == nil
		}
	}
	p.releaseHandles(ctx)
	return found
}

// lookArg returns what the frame is asked, and the part against which it may tell what is new.
func (p *Page) lookArg(f *frame, whole bool) (map[string]any, *pagescript.Part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	arg := map[string]any{}
	base := f.part
	if base != nil {
		arg["base"], arg["whole"], arg["check"] = base.No, whole, p.check
	}
	if a := p.act; a != nil && a.frame == f.id && a.element != 0 {
		switch a.action.Kind {
		case deed.KindHover, deed.KindFocus, deed.KindScroll, deed.KindPress:
			arg["at"] = a.element
		case deed.KindFill, deed.KindClear:
			arg["target"], arg["text"] = a.element, wantedText(a.action)
		case deed.KindType:
			arg["target"], arg["text"], arg["typed"] = a.element, a.action.Text, true
		}
	}
	if a := p.act; a != nil && a.filesIn == f.id && a.files != 0 {
		arg["files"] = a.files
	}
	return arg, base
}

// compose makes one snapshot of the views.
func (p *Page) compose(ctx context.Context, views map[cdproto.FrameID]*view, why string) (*deed.Snapshot, error) {
	p.mu.Lock()
	p.snapshots++
	s := &deed.Snapshot{Number: p.snapshots, Complete: why == "", Incomplete: why, Script: pagescript.SHA256()}
	if f := p.frames[p.main]; f != nil {
		s.Posted = p.posted[f.loader]
	}
	p.mu.Unlock()
	main := p.mainFrame()
	if v := views[main]; v != nil {
		s.URL, s.Title = v.part.URL, v.part.Title
		if err := p.composeFrame(ctx, s, views, main, -1, -1); err != nil {
			return nil, err
		}
	}
	if len(s.Frames) == 0 {
		return nil, errGone
	}
	p.mu.Lock()
	p.last = s
	p.mu.Unlock()
	return s, nil
}

// composeFrame adds a frame to the snapshot, then the frames inside it in the order of the page. parent is the index of the
// frame around it, node that of the element that holds it; -1 for none.
func (p *Page) composeFrame(ctx context.Context, s *deed.Snapshot, views map[cdproto.FrameID]*view, id cdproto.FrameID, parent, node int) error {
	v := views[id]
	p.mu.Lock()
	fr := deed.Frame{ID: string(id), Parent: parent, URL: v.part.URL, Title: v.part.Title, Doc: v.part.Doc}
	var inside []*frame
	for _, f := range p.frames {
		if f.id == id {
			fr.Name = f.name
		} else if f.parent == id && views[f.id] != nil {
			inside = append(inside, f)
		}
	}
	p.mu.Unlock()
	index, first := len(s.Frames), len(s.Nodes)
	s.Frames = append(s.Frames, fr)
	for _, n := range v.part.Nodes {
		n.Frame = index
		if n.Parent >= 0 {
			n.Parent += first
		} else {
			n.Parent = node
		}
		s.Nodes = append(s.Nodes, n)
	}
	if !v.part.Complete {
		s.Complete, s.Incomplete = false, v.part.Why
	}
	if len(inside) == 0 {
		return nil
	}
	held := map[int64]*frame{} // by the number of the element that holds it
	for _, f := range inside {
		owner, err := p.ownerOf(ctx, f)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if owner != 0 {
			held[owner] = f
		}
	}
	for _, ref := range v.part.Frames {
		f := held[ref.Element]
		if f == nil || ref.Node < 0 {
			continue // not shown
		}
		at := len(s.Frames)
		if err := p.composeFrame(ctx, s, views, f.id, index, first+ref.Node); err != nil {
			return err
		}
		if ref.Title != "" {
			s.Frames[at].Title = ref.Title
		}
		if ref.Name != "" {
			s.Frames[at].Name = ref.Name
		}
	}
	return nil
}

// ownerOf returns the number of the element that holds the frame, in its parent's document.
func (p *Page) ownerOf(ctx context.Context, f *frame) (int64, error) {
	p.mu.Lock()
	parent := p.frames[f.parent]
	if parent == nil || parent.world == 0 {
		p.mu.Unlock()
		return 0, errGone
	}
	w, ps := parent.world, parent.s
	if f.owner != 0 && f.ownerDoc == w {
		n := f.owner
		p.mu.Unlock()
		return n, nil
	}
	p.mu.Unlock()
	owner, err := cdproto.Call(ctx, ps, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil {
		return 0, err
	}
	node, err := cdproto.Call(ctx, ps, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: owner.BackendNodeID, ExecutionContextID: w})
	if err != nil {
		return 0, err
	}
	yes := true
	res, err := cdproto.Call(ctx, ps, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){return __deed.numbers(this)[0]}", ObjectID: node.Object.ObjectID, ReturnByValue: &yes})
	if err != nil {
		return 0, err
	}
	var n int64
	if res.Result != nil {
		_ = json.Unmarshal(res.Result.Value, &n)
	}
	p.mu.Lock()
	f.owner, f.ownerDoc = n, w
	p.mu.Unlock()
	return n, nil
}

// Await returns when the page changes, or after the wait.
func (p *Page) Await(ctx context.Context, wait time.Duration) error {
	f := p.order()
	if len(f) == 0 {
		return errGone
	}
	c, err := p.send(ctx, f[0], "awaitChange", map[string]any{"wait": wait.Milliseconds()})
	if err == nil {
		err = p.wait(ctx, c, nil)
	}
	if errors.Is(err, errGone) {
		return p.ready(ctx, p.mainFrame())
	}
	return err
}

var errNews = errors.New("something happened beside the page's content")

// How long a document may take after it is parsed before it is looked at although resources are still loading.
const loadGrace = 2 * time.Second

// quietFrames in a row without a change are rest. One whole frame is enough to look: its callbacks have run and it is
// painted. A positive finding may return then; everything else is looked at again.
const quietFrames = 1

// Settle waits until the page rests after a change since the gesture or since the last Settle, or a request of the
// act ended; at most for the wait. With first it answers at the first rest, changed or not. It looks again only at what may
// have changed, and says so (Look.Partial); without any wait at the whole page.
func (p *Page) Settle(ctx context.Context, wait time.Duration, first bool) (*deed.Look, error) {
	end, whole := time.Now().Add(wait), wait <= 0
	p.mu.Lock()
	a := p.act
	p.mu.Unlock()
	if a == nil {
		return nil, &deed.Error{Op: "settle", Code: deed.CodeInternal, Err: errors.New("no act is under way")}
	}
	for {
		if err := p.loaded(ctx, end); err != nil {
			return p.lastLook(a, err)
		}
		p.mu.Lock()
		idle, ch := a.idle, p.change
		p.mu.Unlock()
		views, rested, err := p.rest(ctx, a, end, first, whole, idle, ch)
		var why string
		if err == nil {
			views, why, err = p.look(ctx, views, whole)
		}
		var s *deed.Snapshot
		if err == nil {
			s, err = p.compose(ctx, views, why)
		}
		if errors.Is(err, errGone) {
			first = true
			err = p.regain(ctx)
			if err == nil {
				continue
			}
		}
		if errors.Is(err, errNews) {
			first = true
			continue
		}
		if err != nil {
			return p.lastLook(a, err)
		}
		s.Restless = !rested
		return p.lookOf(a, s, views, rested), nil
	}
}

// lastLook answers for a page that is gone with what is known of it.
func (p *Page) lastLook(a *act, err error) (*deed.Look, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	crashed := p.crashed || errors.Is(err, deed.CodeCrashed) // a call may hear of it before the page's account does
	if !crashed && !p.closed || p.last == nil {
		return nil, err
	}
	look := &deed.Look{Snapshot: p.last, Signals: a.signalsLocked()}
	look.Signals.Crashed, look.Signals.Closed = crashed, p.closed
	return look, nil
}

// loaded waits while the main frame is on its way to another document, or has not parsed it.
func (p *Page) loaded(ctx context.Context, end time.Time) error {
	err := p.until(ctx, func() bool {
		f := p.frames[p.main]
		going := p.act != nil && p.act.navigate
		return f != nil && f.world != 0 && (f.parsed || !p.navigatedLocked()) && !(going && time.Now().Before(end) && p.documentOnItsWayLocked())
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	wait := p.navigatedLocked() && !p.frames[p.main].loaded
	p.mu.Unlock()
	if !wait {
		return nil
	}
	grace, cancel := context.WithTimeout(ctx, loadGrace)
	defer cancel()
	err = p.until(grace, func() bool { f := p.frames[p.main]; return f != nil && f.loaded && f.world != 0 })
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

func (p *Page) navigatedLocked() bool { return p.act != nil && p.act.signals.Navigated }

func (p *Page) documentOnItsWayLocked() bool {
	if p.act == nil {
		return false
	}
	for _, r := range p.act.requests {
		if r.Nav && r.frame == p.main && r.Status == 0 && !r.Done {
			return true
		}
	}
	return false
}

// rest waits for the frames to come to rest. It returns the views it got; the others are to be looked at.
func (p *Page) rest(ctx context.Context, a *act, end time.Time, first, whole bool, idle int, change chan struct{}) (map[cdproto.FrameID]*view, bool, error) {
	frames := p.order()
	type answer struct {
		i   int
		v   *view
		err error
	}
	got := make(chan answer, len(frames))
	waitCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := 0
	for i, f := range frames {
		p.mu.Lock()
		m := a.marks[f.id]
		p.mu.Unlock()
		arg, base := p.lookArg(f, whole)
		arg["since"], arg["print"], arg["frames"], arg["first"] = m.Seq, m.Print, quietFrames, first
		arg["wait"] = max(time.Until(end), 0).Milliseconds()
		c, err := p.send(waitCtx, f, "settle", arg)
		if err != nil {
			if i == 0 {
				return nil, false, err
			}
			continue
		}
		n++
		go func() {
			var raw json.RawMessage
			err := p.wait(waitCtx, c, &raw)
			var v *view
			if err == nil {
				v, err = p.viewOf(f, raw, base)
			}
			got <- answer{i, v, err}
		}()
	}
	views := map[cdproto.FrameID]*view{}
	rested := true
	for n > 0 {
		select {
		case x := <-got:
			n--
			if x.err != nil {
				if x.i == 0 || ctx.Err() != nil {
					return nil, false, x.err
				}
				continue
			}
			views[frames[x.i].id] = x.v
			rested = rested && x.v.Rested
			if !first && (x.v.Changed || !time.Now().Before(end)) {
				return views, rested, nil
			}
		case <-change:
			p.mu.Lock()
			again, navigating := a.idle != idle, a.navigate && p.documentOnItsWayLocked() || p.frames[p.main] == nil || p.frames[p.main].world == 0
			change = p.change
			gone := p.goneLocked()
			p.mu.Unlock()
			if gone != nil {
				return nil, false, gone
			}
			if navigating {
				return nil, false, errGone
			}
			if again && !first {
				// A request of the act ended: what it brings shows at the next rest.
				return nil, false, errNews
			}
		case <-ctx.Done():
			return nil, false, p.late(ctx)
		case <-p.s.Done():
			return nil, false, p.s.Err()
		}
	}
	return views, rested, nil
}

// lookOf makes the look of a snapshot.
func (p *Page) lookOf(a *act, s *deed.Snapshot, views map[cdproto.FrameID]*view, rested bool) *deed.Look {
	look := &deed.Look{Snapshot: s, Rested: rested, Caused: map[int]bool{}, CausedGone: map[deed.NodeID]bool{}}
	p.mu.Lock()
	defer p.mu.Unlock()
	look.Signals = a.signalsLocked()
	look.Signals.Scrolled = a.scrolled
	look.InFlight = a.inFlightLocked()
	look.Answered = a.answered
	at := map[deed.NodeID]int{}
	caused := map[deed.NodeID]bool{}
	for id, v := range views {
		a.marks[id] = mark{v.Seq, v.Print}
		look.Timers += v.Timers
		if v.Watched != nil {
			look.Watched = v.Watched
		}
		look.Partial = look.Partial || v.Partial
		look.Signals.Invalid = append(look.Signals.Invalid, v.Complaints...)
		for _, el := range v.Caused {
			caused[deed.NodeID{Frame: string(id), Element: el}] = true
		}
		switch {
		case v.At == nil || id != a.frame:
		case a.action.Kind == deed.KindPress:
			look.Signals.Selection = v.At.Selection
		default:
			look.Signals.Hovered, look.Signals.Focused, look.Signals.InView = v.At.Hovered, v.At.Focused, v.At.InView
		}
		if len(v.Files) > 0 {
			look.Signals.Files = v.Files
		}
		if v.Held != nil && id == a.frame && !v.Held.Gone {
			h := v.Held.Held
			look.Held, look.FieldValue = &h, v.Held.Value
		}
	}
	if len(caused) > 0 {
		for i := range s.Nodes {
			id := deed.NodeID{Frame: s.Frames[s.Nodes[i].Frame].ID, Element: s.Nodes[i].Element}
			at[id] = i
			if caused[id] {
				look.Caused[i] = true
			}
		}
		for id := range caused {
			if _, ok := at[id]; !ok {
				look.CausedGone[id] = true
			}
		}
	}
	return look
}

// Release ends the act: what changes from now on is the page's own doing.
func (p *Page) Release(ctx context.Context) {
	p.mu.Lock()
	a := p.act
	p.act = nil
	if a != nil {
		p.opened = a.opened
	}
	var frames []*frame
	if a != nil {
		for id := range a.marks {
			if f := p.frames[id]; f != nil && f.world != 0 {
				frames = append(frames, f)
			}
		}
	}
	p.mu.Unlock()
	if a != nil && (a.action.Kind == deed.KindFill || a.handles) {
		p.releaseHandles(context.WithoutCancel(ctx))
	}
	for _, f := range frames {
		// Nobody waits for the answer; the order of the calls is what counts.
		_, _ = p.send(context.WithoutCancel(ctx), f, "endAct", nil)
	}
}
