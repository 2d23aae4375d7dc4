package page

import (
	"context"
	"encoding/json"
	"strconv"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

// pathOf lists whom an event at the element passes, in the page's own world: listeners are told for the world of the handle.
// An element that is out of its document has no path: what it was part of may have listened.
const pathOf = `function() { const path = []; if (!this.isConnected) return path; for (let n = this; n; n = n.parentNode || n.host) path.push(n); path.push(window); return path; }`

// answering are the events by which a page answers a gesture.
var answering = map[string]bool{
	"click": true, "dblclick": true, "mousedown": true, "mouseup": true, "pointerdown": true, "pointerup": true, "touchstart": true,
	"touchend": true, "keydown": true, "keyup": true, "keypress": true, "focus": true, "focusin": true, "blur": true, "focusout": true,
	"auxclick": true, "contextmenu": true,
}

// Inert reports whether it is proven that a click on the element does nothing: nobody on the event's path listens to
// it, and the element has no action of its own. An error, or any doubt, is no proof.
func (p *Page) Inert(ctx context.Context, s *deed.Snapshot, target int) (bool, error) {
	f, el, err := p.place(s, target)
	if err != nil {
		return false, err
	}
	var acts bool
	if err := p.call(ctx, f, "actsByItself", map[string]any{"id": el}, &acts); err != nil || acts {
		return false, err
	}
	p.mu.Lock()
	if p.act != nil {
		p.act.handles = true
	}
	p.mu.Unlock()
	theirs, err := p.pageHandle(ctx, f, el)
	if err != nil {
		return false, err
	}
	path, err := cdproto.Call(ctx, f.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: pathOf, ObjectID: theirs, ObjectGroup: world})
	if err != nil || path.Result == nil || path.ExceptionDetails != nil {
		return false, err
	}
	own := true
	props, err := cdproto.Call(ctx, f.s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: path.Result.ObjectID, OwnProperties: &own})
	if err != nil {
		return false, err
	}
	var calls []*cdp.Call
	for _, d := range props.Result {
		if _, err := strconv.Atoi(d.Name); err != nil || d.Value == nil || d.Value.ObjectID == "" {
			continue
		}
		calls = append(calls, f.s.Send(ctx, domdebugger.CommandGetEventListeners, domdebugger.GetEventListenersParams{ObjectID: d.Value.ObjectID}))
	}
	inert := len(calls) >= 3 // the element, the document, the window
	for _, c := range calls {
		var res domdebugger.GetEventListenersResult
		if err := c.Wait(ctx, &res); err != nil {
			return false, err
		}
		for _, l := range res.Listeners {
			inert = inert && !answering[l.Type]
		}
	}
	return inert, nil
}

// pageHandle returns a handle of an element in the page's own world.
func (p *Page) pageHandle(ctx context.Context, f *frame, el int64) (runtime.RemoteObjectID, error) {
	ours, err := p.handle(ctx, f, el)
	if err != nil {
		return "", err
	}
	node, err := cdproto.Call(ctx, f.s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: ours})
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	own := f.own
	p.mu.Unlock()
	theirs, err := cdproto.Call(ctx, f.s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID, ExecutionContextID: own, ObjectGroup: world})
	if err != nil {
		return "", err
	}
	return theirs.Object.ObjectID, nil
}

// handle returns a handle of an element in the world of the page script.
func (p *Page) handle(ctx context.Context, f *frame, el int64) (runtime.RemoteObjectID, error) {
	p.mu.Lock()
	w := f.world
	p.mu.Unlock()
	if w == 0 {
		return "", errGone
	}
	n, _ := json.Marshal(el)
	res, err := cdproto.Call(ctx, f.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(n){return __deed.element(n)}", ExecutionContextID: w, ObjectGroup: world,
		Arguments: []*runtime.CallArgument{{Value: n}}})
	if err != nil {
		return "", err
	}
	if res.Result == nil || res.Result.ObjectID == "" {
		return "", errGone
	}
	return res.Result.ObjectID, nil
}

// readsKeys reports whether the page listens to keys on the field itself, as masks do that take their input from
// them: such a field is typed into.
func (p *Page) readsKeys(ctx context.Context, f *frame, el int64) bool {
	theirs, err := p.pageHandle(ctx, f, el)
	if err != nil {
		return false
	}
	res, err := cdproto.Call(ctx, f.s, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: theirs})
	if err != nil {
		return false
	}
	for _, l := range res.Listeners {
		if l.Type == "keydown" || l.Type == "keypress" {
			return true
		}
	}
	return false
}

// releaseHandles lets go of what was handed over during an act.
func (p *Page) releaseHandles(ctx context.Context) {
	p.s.Send(ctx, runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: world})
}
