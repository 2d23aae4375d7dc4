package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

// refusal is how the page script says that an element cannot be acted on.
type refusal struct {
	Code      deed.Code `json:"code"`
	Why       string    `json:"why"`
	By        string    `json:"by"`
	Focusable bool      `json:"focusable"`
}

func (r *refusal) err(op string) error {
	if r.Code == "" {
		return nil
	}
	e := &deed.Error{Op: op, Code: r.Code, SideEffects: deed.EffectsNone}
	if r.Code == deed.CodeNotVisible && !r.Focusable {
		e.Code = deed.CodeUnstable // there is no other way to it than waiting for its box
	}
	switch {
	case r.Code == deed.CodeCovered:
		e.Err = fmt.Errorf("covered by %s", r.By)
	case r.Code == deed.CodeDisabled && r.By != "":
		e.Err = fmt.Errorf("disabled: %s", r.By)
	case r.Code == deed.CodeReadOnly:
		e.Err = fmt.Errorf("read-only: %s", r.By)
	case r.Why != "":
		e.Err = errors.New(r.Why)
	}
	return e
}

// place returns the frame and element of a node.
func (p *Page) place(s *deed.Snapshot, i int) (*frame, int64, error) {
	if i < 0 || i >= len(s.Nodes) {
		return nil, 0, &deed.Error{Op: "element", Code: deed.CodeInternal, Err: fmt.Errorf("the snapshot has no node %d", i), SideEffects: deed.EffectsNone}
	}
	n := &s.Nodes[i]
	p.mu.Lock()
	f := p.frames[cdproto.FrameID(s.Frames[n.Frame].ID)]
	p.mu.Unlock()
	if f == nil {
		return nil, 0, &deed.Error{Op: "element", Code: deed.CodeStaleRef, Err: errors.New("its frame is gone"), SideEffects: deed.EffectsNone}
	}
	return f, n.Element, nil
}

// ask calls a function of the page script whose answer may be a refusal.
func (p *Page) ask(ctx context.Context, op string, f *frame, name string, arg, res any) error {
	var raw json.RawMessage
	if err := p.call(ctx, f, name, arg, &raw); err != nil {
		if errors.Is(err, errGone) {
			return &deed.Error{Op: op, Code: deed.CodeStaleRef, Err: errors.New("the document was replaced"), SideEffects: deed.EffectsNone}
		}
		return err
	}
	var r refusal
	if err := json.Unmarshal(raw, &r); err == nil && r.Code != "" {
		return r.err(op)
	}
	if res == nil {
		return nil
	}
	return json.Unmarshal(raw, res)
}

var byKeyboard = map[string]string{ // role → the key that activates it
	"checkbox": "Space", "radio": "Space", "switch": "Space",
}

// Ways returns the ways in which the action can be carried out, best first.
func (p *Page) Ways(ctx context.Context, a *deed.Action, s *deed.Snapshot, target int) ([]deed.Way, error) {
	switch a.Kind {
	case deed.KindGoto:
		return []deed.Way{deed.WayNavigate}, nil
	case deed.KindPress:
		return []deed.Way{deed.WayKeyboard}, nil
	case deed.KindSelect:
		f, el, err := p.place(s, target)
		if err != nil {
			return nil, err
		}
		var native bool
		if err := p.call(ctx, f, "isNativeSelect", map[string]any{"id": el}, &native); err != nil {
			return nil, err
		}
		if !native {
			return []deed.Way{deed.WayOpen}, nil
		}
		return []deed.Way{deed.WayChoose}, nil
	case deed.KindDblclick:
		return []deed.Way{deed.WayPointer, deed.WayPointer}, nil
	case deed.KindClick, deed.KindCheck, deed.KindUncheck:
		if a.Button == "right" || a.Button == "middle" {
			return []deed.Way{deed.WayPointer, deed.WayPointer}, nil
		}
		return []deed.Way{deed.WayPointer, deed.WayPointer, deed.WayKeyboard}, nil
	case deed.KindFill, deed.KindClear:
		return p.fillWays(ctx, s, target)
	case deed.KindType:
		return []deed.Way{deed.WayKeys}, nil
	case deed.KindHover, deed.KindDrag:
		return []deed.Way{deed.WayPointer, deed.WayPointer}, nil
	case deed.KindFocus:
		return []deed.Way{deed.WayFocus}, nil
	case deed.KindScroll:
		return []deed.Way{deed.WayScroll}, nil
	case deed.KindBack, deed.KindForward, deed.KindReload:
		return []deed.Way{deed.WayHistory}, nil
	case deed.KindUpload:
		return p.uploadWays(ctx, s, target)
	}
	return nil, &deed.Error{Op: string(a.Kind), Code: deed.CodeUnsupported, Err: errors.New("the page cannot do that"), SideEffects: deed.EffectsNone}
}

func (p *Page) fillWays(ctx context.Context, s *deed.Snapshot, target int) ([]deed.Way, error) {
	f, el, err := p.place(s, target)
	if err != nil {
		return nil, err
	}
	var kind struct{ Kind string }
	if err := p.ask(ctx, "fill", f, "fillKind", map[string]any{"id": el}, &kind); err != nil {
		return nil, err
	}
	switch kind.Kind {
	case "set":
		return []deed.Way{deed.WaySetter}, nil
	case "editable":
		return []deed.Way{deed.WayInsert, deed.WayKeys, deed.WayReplace}, nil
	}
	if p.readsKeys(ctx, f, el) {
		return []deed.Way{deed.WayKeys, deed.WayInsert, deed.WayReplace, deed.WaySetter}, nil
	}
	return []deed.Way{deed.WayInsert, deed.WayReplace, deed.WayKeys, deed.WaySetter}, nil
}

// guardOrder is the identity by which the guard knows the target, and what would be confused with it.
type guardOrder struct {
	ID        int64     `json:"id"`
	Key       *identity `json:"key"`
	Near      string    `json:"near"`
	Others    []string  `json:"others"`
	OtherRows []string  `json:"otherRows"`
	SameName  bool      `json:"sameName"`
	Kind      string    `json:"kind"`
	Edit      bool      `json:"edit"`
	Select    bool      `json:"select"`
	Append    bool      `json:"append"`
	Point     bool      `json:"point"`
	NoFocus   bool      `json:"noFocus"`
	Unseen    bool      `json:"unseen"` // it could not be seen when the page was looked at
}

type identity struct {
	Role   string `json:"role"`
	Name   string `json:"name"`
	Region string `json:"region"`
	Row    string `json:"row"`
}

// others is how many other identities the guard is told of.
const others = 2000

func order(s *deed.Snapshot, target int, el int64, near, kind string) *guardOrder {
	n := &s.Nodes[target]
	g := &guardOrder{ID: el, Near: near, Kind: kind, Others: []string{}, OtherRows: []string{},
		Key: &identity{n.Role, n.Name, n.Region, n.Row}, Unseen: n.Unseen}
	names, rows := map[string]bool{}, map[string]bool{}
	for i := range s.Nodes {
		o := &s.Nodes[i]
		if i == target || o.Role != n.Role || o.Frame != n.Frame {
			continue
		}
		if o.Name == n.Name {
			g.SameName = true
			if !rows[o.Row] && o.Row != n.Row && len(rows) < others {
				rows[o.Row] = true
				g.OtherRows = append(g.OtherRows, o.Row)
			}
			continue
		}
		if !names[o.Name] && len(names) < others {
			names[o.Name] = true
			g.Others = append(g.Others, o.Name)
		}
	}
	return g
}

// Perform begins an act: it arms the guard for the element, carries the gesture out and tells what the page received.
func (p *Page) Perform(ctx context.Context, g *deed.Gesture) (deed.Witness, error) {
	w := deed.Witness{Via: string(g.Way)}
	a := &act{action: g.Action, target: g.Target, marks: map[cdproto.FrameID]mark{}}
	if g.Target >= 0 {
		f, el, err := p.place(g.Snapshot, g.Target)
		if err != nil {
			return w, err
		}
		a.frame, a.element = f.id, el
	}
	p.mu.Lock()
	p.act = a
	a.signals.Blocked, p.blocked = p.blocked, nil // what was refused since the act before is told with this one
	gone := p.goneLocked()
	if p.crashed && g.Way == deed.WayNavigate {
		p.crashed, gone = false, nil // a new document brings a new process
	}
	p.mu.Unlock()
	if gone != nil {
		return w, gone
	}
	if err := p.markAll(ctx, a); err != nil && !(g.Way == deed.WayNavigate && errors.Is(err, deed.CodeCrashed)) {
		return w, err
	}
	var err error
	switch g.Way {
	case deed.WayNone:
		w.Delivered = true
	case deed.WayNavigate:
		err = p.navigate(ctx, a, g.Action.Text)
		w.Delivered = err == nil
	case deed.WayPointer:
		switch g.Action.Kind {
		case deed.KindHover:
			err = p.hover(ctx, a, g, &w)
		case deed.KindDrag:
			err = p.drag(ctx, a, g, &w)
		default:
			err = p.point(ctx, a, g, &w)
		}
	case deed.WayFocus:
		err = p.focus(ctx, a, g, &w)
	case deed.WayScroll:
		err = p.scroll(ctx, a, g, &w)
	case deed.WayHistory:
		err = p.history(ctx, a, g.Action.Kind, g.Snapshot != nil && g.Snapshot.Posted)
		w.Delivered = err == nil
	case deed.WayFiles, deed.WayChooser:
		err = p.upload(ctx, a, g, &w)
	case deed.WayKeyboard:
		err = p.keyboard(ctx, a, g, &w)
	case deed.WayInsert, deed.WayKeys:
		err = p.typeText(ctx, a, g, &w)
	case deed.WayReplace, deed.WaySetter, deed.WayChoose:
		err = p.byScript(ctx, a, g, &w)
	default:
		err = &deed.Error{Op: string(g.Action.Kind), Code: deed.CodeUnsupported, Err: fmt.Errorf("no such way: %s", g.Way), SideEffects: deed.EffectsNone}
	}
	p.mu.Lock()
	a.inTask = false
	p.mu.Unlock()
	return w, err
}

// markAll notes the state of every frame before the gesture.
func (p *Page) markAll(ctx context.Context, a *act) error {
	frames := p.order()
	calls := make([]*cdp.Call, len(frames))
	for i, f := range frames {
		var arg any
		if a.action.Kind == deed.KindWatch && f.id == a.frame {
			arg = map[string]any{"watch": a.element}
		}
		c, err := p.send(ctx, f, "beginAct", arg)
		if err != nil {
			continue
		}
		calls[i] = c
	}
	for i, f := range frames {
		if calls[i] == nil {
			continue
		}
		var m mark
		if err := p.wait(ctx, calls[i], &m); err != nil {
			if errors.Is(err, errGone) {
				continue
			}
			return err
		}
		p.mu.Lock()
		a.marks[f.id] = m
		p.mu.Unlock()
	}
	return nil
}

// point clicks with the pointer, under the guard.
func (p *Page) point(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	op := string(g.Action.Kind)
	f, el, err := p.place(g.Snapshot, g.Target)
	if err != nil {
		return err
	}
	o := order(g.Snapshot, g.Target, el, g.Action.Locator.Near, "pointer")
	o.Point = true
	var at struct{ X, Y float64 }
	if err := p.ask(ctx, op, f, "prepare", o, &at); err != nil {
		return err
	}
	a.armed = append(a.armed, f.id)
	x, y, err := p.toMain(ctx, op, a, f, at.X, at.Y)
	if err != nil {
		_ = p.disarm(ctx, a, w)
		return err
	}
	button, buttons := input.MouseButtonLeft, int64(1)
	switch g.Action.Button {
	case "right":
		button, buttons = input.MouseButtonRight, 2
	case "middle":
		button, buttons = input.MouseButtonMiddle, 4
	}
	clicks := 1
	if g.Action.Kind == deed.KindDblclick {
		clicks = 2
	}
	events := []input.DispatchMouseEventParams{{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}}
	for c := 1; c <= clicks; c++ {
		events = append(events,
			input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: button, Buttons: buttons, ClickCount: int64(c)},
			input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: button, ClickCount: int64(c)})
	}
	calls := make([]*cdp.Call, len(events))
	p.task(a)
	for i := range events {
		calls[i] = p.s.Send(ctx, input.CommandDispatchMouseEvent, events[i])
	}
	return p.finish(ctx, op, a, calls, w)
}

func (p *Page) task(a *act) {
	p.mu.Lock()
	a.inTask = true
	p.mu.Unlock()
}

// finish waits until the page has received the gesture and asks the guard what it saw.
func (p *Page) finish(ctx context.Context, op string, a *act, calls []*cdp.Call, w *deed.Witness) error {
	for _, c := range calls {
		if err := c.Wait(ctx, nil); err != nil {
			p.mu.Lock()
			gone := p.crashed || p.closed || a.signals.Navigated
			p.mu.Unlock()
			if gone {
				w.Delivered = true
				return nil
			}
			return &deed.Error{Op: op, Code: deed.CodeOf(err), Err: err, SideEffects: deed.EffectsPossible}
		}
	}
	if err := p.disarm(ctx, a, w); err != nil {
		return &deed.Error{Op: op, Code: deed.CodeOf(err), Err: err, SideEffects: deed.EffectsPossible}
	}
	return nil
}

// disarm ends the guard in every frame and gathers what it saw.
func (p *Page) disarm(ctx context.Context, a *act, w *deed.Witness) error {
	// The errors of the gesture's task are on their way before the answer to its input.
	_ = p.s.Flush(ctx)
	for i, id := range a.armed {
		p.mu.Lock()
		f := p.frames[id]
		p.mu.Unlock()
		var saw struct {
			Events    [][3]any
			Delivered bool
			Stopped   bool
			Consumed  bool
			Elsewhere bool
			Receiver  string
			Renamed   string
		}
		err := errGone
		if f != nil {
			err = p.call(ctx, f, "disarm", nil, &saw)
		}
		if err != nil {
			if errors.Is(err, errGone) || errors.Is(err, deed.CodeCrashed) || errors.Is(err, deed.CodePageClosed) {
				// The document went away under the gesture: it was received.
				w.Delivered = w.Delivered || i == 0
				continue
			}
			return err
		}
		for _, e := range saw.Events {
			typ, _ := e[0].(string)
			rec, _ := e[1].(string)
			bits, _ := e[2].(float64)
			w.Events = append(w.Events, deed.WitnessEvent{Type: typ, Receiver: rec, OnTarget: int(bits)&1 != 0, Blocked: int(bits)&2 != 0, Canceled: int(bits)&4 != 0})
		}
		if saw.Stopped {
			w.Prevented = 1
			w.Elsewhere = w.Elsewhere || saw.Elsewhere
			if w.Receiver == "" {
				w.Receiver = saw.Receiver
			}
		}
		if i == 0 {
			w.Delivered = saw.Delivered || saw.Consumed && !saw.Stopped
			w.Renamed = saw.Renamed
		}
	}
	if w.Prevented > 0 {
		w.Delivered = false
	}
	a.armed = nil
	return nil
}

// toMain maps a point of a frame to the main frame and arms the frames in between for its element.
func (p *Page) toMain(ctx context.Context, op string, a *act, f *frame, x, y float64) (float64, float64, error) {
	for f.id != p.mainFrame() {
		p.mu.Lock()
		parent := p.frames[f.parent]
		p.mu.Unlock()
		if parent == nil {
			return 0, 0, &deed.Error{Op: op, Code: deed.CodeStaleRef, Err: errors.New("its frame is gone"), SideEffects: deed.EffectsNone}
		}
		owner, err := p.ownerOf(ctx, f)
		if err != nil {
			return 0, 0, &deed.Error{Op: op, Code: deed.CodeStaleRef, Err: fmt.Errorf("the frame's element is not found: %w", err), SideEffects: deed.EffectsNone}
		}
		var at struct{ X, Y float64 }
		if err := p.ask(ctx, op, parent, "mapFrom", map[string]any{"id": owner, "x": x, "y": y}, &at); err != nil {
			return 0, 0, err
		}
		if err := p.ask(ctx, op, parent, "prepareOwner", map[string]any{"id": owner}, nil); err != nil {
			return 0, 0, err
		}
		a.armed = append(a.armed, parent.id)
		x, y, f = at.X, at.Y, parent
	}
	return x, y, nil
}

// keyboard presses a key: the one of the action, or the one that activates the element.
func (p *Page) keyboard(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	op := string(g.Action.Kind)
	key := g.Action.Key
	var f *frame
	var o *guardOrder
	if g.Target >= 0 {
		var el int64
		var err error
		if f, el, err = p.place(g.Snapshot, g.Target); err != nil {
			return err
		}
		o = order(g.Snapshot, g.Target, el, g.Action.Locator.Near, "key")
		if key == "" {
			key = "Enter"
			if k := byKeyboard[g.Snapshot.Nodes[g.Target].Role]; k != "" {
				key = k
			}
		}
	} else {
		var el int64
		var err error
		if f, el, err = p.focused(ctx); err != nil {
			return err
		}
		o = &guardOrder{ID: el, Kind: "key", Others: []string{}, OtherRows: []string{}, NoFocus: true}
		a.frame, a.element = f.id, el
	}
	strokes, err := parseKey(key)
	if err != nil {
		return err
	}
	if err := p.ask(ctx, op, f, "prepare", o, nil); err != nil {
		return err
	}
	a.armed = append(a.armed, f.id)
	p.task(a)
	calls := make([]*cdp.Call, len(strokes))
	for i := range strokes {
		calls[i] = p.s.Send(ctx, input.CommandDispatchKeyEvent, strokes[i])
	}
	return p.finish(ctx, op, a, calls, w)
}

// focused returns the element that has the focus, in whichever frame.
func (p *Page) focused(ctx context.Context) (*frame, int64, error) {
	frames := p.order()
	if len(frames) == 0 {
		return nil, 0, errGone
	}
	f := frames[0]
	for {
		var el int64
		if err := p.call(ctx, f, "active", nil, &el); err != nil {
			return nil, 0, err
		}
		var inner *frame
		for _, c := range frames {
			if c.parent == f.id && c != f {
				if owner, err := p.ownerOf(ctx, c); err == nil && owner == el {
					inner = c
				}
			}
		}
		if inner == nil {
			return f, el, nil
		}
		f = inner
	}
}

// typeText replaces what a field holds, with trusted input under the guard.
func (p *Page) typeText(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	op := string(g.Action.Kind)
	f, el, err := p.place(g.Snapshot, g.Target)
	if err != nil {
		return err
	}
	o := order(g.Snapshot, g.Target, el, g.Action.Locator.Near, "type")
	o.Edit, o.Select = true, g.Action.Kind != deed.KindType
	o.Append = g.Action.Kind == deed.KindType
	var held struct {
		Empty  bool
		Length int
	}
	if err := p.ask(ctx, op, f, "prepare", o, &held); err != nil {
		return err
	}
	a.armed = append(a.armed, f.id)
	p.task(a)
	var calls []*cdp.Call
	text := strings.ReplaceAll(wantedText(g.Action), "\r\n", "\n")
	send := func(key string) error {
		strokes, err := parseKey(key)
		for i := range strokes {
			calls = append(calls, p.s.Send(ctx, input.CommandDispatchKeyEvent, strokes[i]))
		}
		return err
	}
	switch {
	case g.Way == deed.WayInsert && text != "":
		calls = append(calls, p.s.Send(ctx, input.CommandInsertText, input.InsertTextParams{Text: text}))
	case g.Way == deed.WayInsert:
		if !held.Empty {
			err = send("Delete")
		}
	default:
		if !held.Empty && g.Action.Kind != deed.KindType {
			err = send("Delete")
		}
		for _, r := range text {
			for _, s := range typeRune(r) {
				calls = append(calls, p.s.Send(ctx, s.method, s.params))
			}
		}
	}
	if err != nil {
		return err
	}
	return p.finish(ctx, op, a, calls, w)
}

// byScript does what only a script can: choose in a native select, set a picker's value, replace a text in one task.
func (p *Page) byScript(ctx context.Context, a *act, g *deed.Gesture, w *deed.Witness) error {
	op := string(g.Action.Kind)
	f, el, err := p.place(g.Snapshot, g.Target)
	if err != nil {
		return err
	}
	o := order(g.Snapshot, g.Target, el, g.Action.Locator.Near, "script")
	o.Edit = g.Action.Kind != deed.KindSelect
	if err := p.ask(ctx, op, f, "prepare", o, nil); err != nil {
		return err
	}
	p.task(a)
	switch g.Way {
	case deed.WayChoose:
		err = p.ask(ctx, op, f, "choose", map[string]any{"id": el, "options": g.Action.Options}, nil)
	case deed.WayReplace:
		err = p.ask(ctx, op, f, "replaceText", map[string]any{"id": el, "text": wantedText(g.Action)}, nil)
	default:
		err = p.ask(ctx, op, f, "setValue", map[string]any{"id": el, "text": wantedText(g.Action)}, nil)
	}
	_ = p.s.Flush(ctx)
	w.Delivered = err == nil
	return err
}

// wantedText is what a field is to take: nothing, to clear it.
func wantedText(a *deed.Action) string {
	if a.Kind == deed.KindClear {
		return ""
	}
	return a.Text
}

// navigate opens a URL.
func (p *Page) navigate(ctx context.Context, a *act, url string) error {
	p.mu.Lock()
	a.navigate = true
	p.mu.Unlock()
	res, err := cdproto.Call(ctx, p.s, cdppage.Navigate, cdppage.NavigateParams{URL: url})
	if errors.Is(err, deed.CodeCrashed) {
		// It was the document on its way out that took the navigation with it: the next one gets a process of its own.
		p.mu.Lock()
		p.crashed = false
		p.mu.Unlock()
		res, err = cdproto.Call(ctx, p.s, cdppage.Navigate, cdppage.NavigateParams{URL: url})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a.navigate = false
	if err != nil {
		return &deed.Error{Op: "goto", Code: deed.CodeOf(err), Where: url, Err: err, SideEffects: deed.EffectsPossible}
	}
	if res.ErrorText != "" {
		a.signals.Failed = res.ErrorText
		return &deed.Error{Op: "goto", Code: deed.CodeNavigation, Where: url, Err: errors.New(res.ErrorText), SideEffects: deed.EffectsPossible}
	}
	if res.IsDownload {
		return nil
	}
	if res.LoaderID != "" {
		a.signals.Navigated = true
	}
	return nil
}

// Holds reports whether the control holds exactly the text. It is compared inside the page.
func (p *Page) Holds(ctx context.Context, s *deed.Snapshot, target int, text string) (bool, error) {
	f, el, err := p.place(s, target)
	if err != nil {
		return false, err
	}
	var h struct{ Held bool }
	if err := p.call(ctx, f, "holds", map[string]any{"id": el, "text": text}, &h); err != nil {
		return false, err
	}
	return h.Held, nil
}

// Protect makes the page script mask the element's value from now on.
func (p *Page) Protect(ctx context.Context, s *deed.Snapshot, target int) error {
	f, el, err := p.place(s, target)
	if err != nil {
		return err
	}
	return p.call(ctx, f, "declareSensitive", map[string]any{"id": el}, nil)
}
