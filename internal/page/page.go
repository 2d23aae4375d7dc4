// Package page drives one tab over the DevTools protocol: it observes the page through the page script, arms the
// guard, sends the gestures, waits until the page settles, and keeps account of requests, dialogs, downloads,
// new tabs and errors meanwhile.
//
// Law of this package: it knows the protocol and the page script, and answers in the vocabulary. It is a
// verify.Driver by shape alone. It never judges: no verdict, no policy, no undo.
package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/pagescript"
)

// world is the name of the isolated world of the page script.
const world = "deed"

// recordWorld is that of a page that is recorded: the function by which the script tells of a person's hand is in no other.
const recordWorld = "deed-record"

// Options of a page.
type Options struct {
	Width, Height int    // of the viewport in CSS pixels; 0 is 1280 × 720
	Downloads     string // the folder into which the browser saves what pages download; "" where it refuses to
	Egress        Egress // what may leave; nil lets everything
	TopOnly       bool   // Egress is asked about top-level pages alone: what they load, loads
	Setting       *deed.Setting
	Record        func(*Heard) // hears what a person does in the page, in order; it must not wait. Dialogs are then left to them
	Window        bool         // leave the viewport to the window, where no size is given: a person looks at it
}

// A Page is one tab. Its methods are safe for concurrent use, but one act runs at a time: that is the caller's care.
type Page struct {
	conn    *cdp.Conn
	s       *cdp.Session // acts and observes
	control *cdp.Session // attached from the beginning: answers when the page's own session hangs
	id      target.ID

	downloads string
	egress    Egress
	topOnly   bool
	setting   *deed.Setting // nil: as it is
	hear      func(*Heard)  // nil: nothing is recorded
	world     string        // name of the isolated world of the page script
	mocks     *mocks        // nil: the network answers
	adopted   time.Time
	seeds     map[string][]*cdp.Call // scripts that store what an origin is to find, until a page of it has run
	life      context.Context        // ends when the page is detached from
	end       context.CancelFunc

	mu        sync.Mutex
	change    chan struct{} // closed and replaced when something here changes
	frames    map[cdproto.FrameID]*frame
	main      cdproto.FrameID
	requests  map[network.RequestID]*request
	posted    map[cdproto.LoaderID]bool // documents of the main frame that answer something that was sent; one a form, so none is forgotten
	noise     map[string]int            // how often a request was made outside of any act
	act       *act
	snapshots int
	blocked   []deed.Blocked // since the last act
	opened    []target.ID    // by the last act that was ended
	troubles  []deed.Trouble // since they were last asked for
	crashed   bool
	closed    bool
	last      *deed.Snapshot // for the answer about a page that is gone
	looks     Looks
	check     bool // every look is compared with a whole one
	stop      []func()
}

// frame is one document holder of the page.
type frame struct {
	id, parent cdproto.FrameID
	s          *cdp.Session // of the process it lives in
	url, name  string
	world      runtime.ExecutionContextID // of the page script; 0 while there is none
	own        runtime.ExecutionContextID // of the page's own scripts
	worldKey   string                     // unique ids of the two
	ownKey     string
	loader     cdproto.LoaderID
	loaded     bool  // the load event fired
	parsed     bool  // DOMContentLoaded fired
	owner      int64 // number of its element in the parent's document; 0 while unknown
	ownerDoc   runtime.ExecutionContextID
	part       *pagescript.Part // what it told last
	over       []int64          // elements under the pointer, where the page is recorded
}

// Open makes a tab in a browser context and adopts it. An empty context id is the browser's own context.
func Open(ctx context.Context, conn *cdp.Conn, contextID cdproto.BrowserContextID, o Options) (*Page, error) {
	created, err := cdproto.Call(ctx, conn.Browser(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: contextID})
	if err != nil {
		return nil, err
	}
	return Adopt(ctx, conn, created.TargetID, o)
}

// Adopt attaches to a tab that exists.
func Adopt(ctx context.Context, conn *cdp.Conn, id target.ID, o Options) (*Page, error) {
	asWindow := o.Window && o.Width == 0
	if o.Width == 0 || o.Height == 0 {
		o.Width, o.Height = 1280, 720
	}
	b := conn.Browser()
	yes := true
	first := b.Send(ctx, target.CommandAttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: &yes})
	second := b.Send(ctx, target.CommandAttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: &yes})
	var at1, at2 target.AttachToTargetResult
	if err := first.Wait(ctx, &at1); err != nil {
		return nil, err
	}
	if err := second.Wait(ctx, &at2); err != nil {
		return nil, err
	}
	p := &Page{
		conn: conn, downloads: o.Downloads, egress: o.Egress, topOnly: o.TopOnly, s: conn.Session(at1.SessionID), control: conn.Session(at2.SessionID), id: id,
		change: make(chan struct{}), frames: map[cdproto.FrameID]*frame{}, requests: map[network.RequestID]*request{}, posted: map[cdproto.LoaderID]bool{}, noise: map[string]int{},
	}
	if p.setting, p.adopted, p.seeds = o.Setting, time.Now(), map[string][]*cdp.Call{}; p.setting != nil && len(p.setting.Network) > 0 {
		p.mocks = &mocks{rules: p.setting.Network, used: make([]int, len(p.setting.Network))}
	}
	if p.hear, p.world = o.Record, world; o.Record != nil {
		p.world = recordWorld
	}
	p.life, p.end = context.WithCancel(context.Background())
	p.main = cdproto.FrameID(id)
	p.frames[p.main] = &frame{id: p.main, s: p.s, url: "about:blank"}
	p.stop = append(p.stop, p.listen(p.s), conn.Browser().Listen(p.onBrowserEvent))
	calls := append(p.prepareSession(ctx, p.s),
		p.s.Send(ctx, inspector.CommandEnable, nil),
		p.s.Send(ctx, emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	if !asWindow {
		calls = append(calls, p.s.Send(ctx, emulation.CommandSetDeviceMetricsOverride, o.metrics()))
	}
	calls = append(calls, p.s.Send(ctx, cdppage.CommandGetFrameTree, nil))
	var tree cdppage.GetFrameTreeResult
	for i, c := range calls {
		var res any
		if i == len(calls)-1 {
			res = &tree
		}
		if err := c.Wait(ctx, res); err != nil {
			p.Detach()
			return nil, err
		}
	}
	p.adoptTree(tree.FrameTree)
	if err := p.ready(ctx, p.main); err != nil {
		p.Detach()
		return nil, err
	}
	return p, nil
}

// listen hears the events of a session until it is told to stop.
func (p *Page) listen(s *cdp.Session) (stop func()) {
	return s.Listen(func(ev any) { p.onEvent(s, ev) })
}

// prepareSession makes a session of the page, or of a frame in a process of its own, tell what happens and run the page
// script. Frames in further processes are attached to by themselves, before their first script.
func (p *Page) prepareSession(ctx context.Context, s *cdp.Session) []*cdp.Call {
	yes, zero := true, int64(0)
	var tell []*cdp.Call
	if p.hear != nil { // before the page script, which looks for it
		tell = append(tell, s.Send(ctx, runtime.CommandAddBinding, runtime.AddBindingParams{Name: tellHand, ExecutionContextName: p.world}))
	}
	return append(append(tell,
		s.Send(ctx, cdppage.CommandEnable, cdppage.EnableParams{}),
		s.Send(ctx, cdppage.CommandSetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true}),
		s.Send(ctx, runtime.CommandEnable, nil),
		s.Send(ctx, network.CommandEnable, network.EnableParams{MaxTotalBufferSize: &zero}),
		s.Send(ctx, cdppage.CommandAddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: pagescript.Source(), WorldName: p.world, RunImmediately: &yes}),
		s.Send(ctx, target.CommandSetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes}),
	), append(p.guardEgress(ctx, s, false), p.setUp(ctx, s)...)...)
}

// attached takes in a frame that lives in a process of its own. Workers and the like are let run.
func (p *Page) attached(e *target.EventAttachedToTarget) {
	if p.egress != nil && !p.topOnly && e.TargetInfo != nil && e.TargetInfo.Type != "iframe" {
		p.attachWorker(e)
		return
	}
	s := p.conn.Session(e.SessionID)
	ctx, cancel := context.WithTimeout(context.Background(), attachTime)
	calls := []*cdp.Call{}
	if e.TargetInfo != nil && e.TargetInfo.Type == "iframe" {
		p.mu.Lock()
		p.frameLocked(cdproto.FrameID(e.TargetInfo.TargetID)).s = s
		p.stop = append(p.stop, p.listen(s))
		p.mu.Unlock()
		calls = p.prepareSession(ctx, s)
	}
	run := func() *cdp.Call { return s.Send(ctx, runtime.CommandRunIfWaitingForDebugger, nil) }
	if p.egress == nil && p.mocks == nil {
		calls = append(calls, run())
	}
	go func() {
		defer cancel()
		held := true
		for _, c := range calls {
			held = c.Wait(ctx, nil) == nil && held
		}
		if (p.egress != nil || p.mocks != nil) && held { // not before its requests are held; where they cannot be, it does not run
			_ = run().Wait(ctx, nil)
		}
	}()
}

// attachTime bounds the taking in of a frame's process.
const attachTime = 10 * time.Second

// ID is the browser's id of the tab.
func (p *Page) ID() string { return string(p.id) }

// Close closes the tab. It works on a tab that hangs.
func (p *Page) Close(ctx context.Context) error {
	p.Detach()
	_, err := cdproto.Call(ctx, p.conn.Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: p.id})
	if errors.Is(err, deed.CodePageClosed) {
		return nil
	}
	return err
}

// Detach stops listening to the tab; closing its browser context then ends it.
func (p *Page) Detach() {
	p.end()
	p.mu.Lock()
	stops := p.stop
	p.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}

// ToFront makes the tab the one that its window shows.
func (p *Page) ToFront(ctx context.Context) error {
	return p.s.Execute(ctx, cdppage.CommandBringToFront, nil, nil)
}

func (p *Page) adoptTree(t *cdppage.FrameTree) {
	if t == nil || t.Frame == nil {
		return
	}
	p.mu.Lock()
	f := p.frameLocked(t.Frame.ID)
	f.parent, f.url, f.name, f.loader = t.Frame.ParentID, t.Frame.URL+t.Frame.URLFragment, t.Frame.Name, t.Frame.LoaderID
	if t.Frame.ParentID == "" {
		p.main = t.Frame.ID
	}
	p.mu.Unlock()
	for _, c := range t.ChildFrames {
		p.adoptTree(c)
	}
}

func (p *Page) frameLocked(id cdproto.FrameID) *frame {
	f := p.frames[id]
	if f == nil {
		f = &frame{id: id, s: p.s}
		p.frames[id] = f
	}
	return f
}

// touchLocked wakes everybody who waits for a change.
func (p *Page) touchLocked() {
	close(p.change)
	p.change = make(chan struct{})
}

// until waits until ok holds (called with the lock held), the page is gone, or the context ends.
func (p *Page) until(ctx context.Context, ok func() bool) error {
	for {
		p.mu.Lock()
		if ok() {
			p.mu.Unlock()
			return nil
		}
		if err := p.goneLocked(); err != nil {
			p.mu.Unlock()
			return err
		}
		ch := p.change
		p.mu.Unlock()
		select {
		case <-ch:
		case <-p.s.Done():
			return p.s.Err()
		case <-ctx.Done():
			return p.late(ctx)
		}
	}
}

func (p *Page) goneLocked() error {
	if p.crashed {
		return &deed.Error{Op: "page", Code: deed.CodeCrashed, Err: errors.New("the page crashed"), Hint: "open it again; what it was doing may be half done"}
	}
	if p.closed {
		return &deed.Error{Op: "page", Code: deed.CodePageClosed, Err: errors.New("the page closed itself")}
	}
	return nil
}

func (p *Page) late(ctx context.Context) error {
	code := deed.CodeTimeout
	if errors.Is(ctx.Err(), context.Canceled) {
		code = deed.CodeCancelled
	}
	return &deed.Error{Op: "page", Code: code, Err: fmt.Errorf("the page does not answer: %w", ctx.Err())}
}

// ready waits until the page script runs in the frame.
func (p *Page) ready(ctx context.Context, id cdproto.FrameID) error {
	return p.until(ctx, func() bool { f := p.frames[id]; return f != nil && f.world != 0 })
}

// call calls a function of the page script in a frame and decodes its answer. A document that goes away meanwhile
// gives errGone.
func (p *Page) call(ctx context.Context, f *frame, name string, arg, res any) error {
	c, err := p.send(ctx, f, name, arg)
	if err != nil {
		return err
	}
	return p.wait(ctx, c, res)
}

var (
	errGone  = errors.New("the document went away")
	emptyArg = map[string]any{}
)

// callAPI takes the argument as JSON text: the protocol's encoder drops empty values.
const callAPI = "function(n,a){return __deed.call(n,JSON.parse(a))}"

func (p *Page) send(ctx context.Context, f *frame, name string, arg any) (*cdp.Call, error) {
	p.mu.Lock()
	w, s := f.world, f.s
	p.looks.Calls++
	p.mu.Unlock()
	if w == 0 {
		return nil, errGone
	}
	if arg == nil {
		arg = emptyArg
	}
	n, _ := json.Marshal(name)
	a, err := json.Marshal(arg)
	if err != nil {
		return nil, err
	}
	text, _ := json.Marshal(string(a))
	yes := true
	return s.Send(ctx, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: callAPI, ExecutionContextID: w, ReturnByValue: &yes, AwaitPromise: &yes,
		Arguments: []*runtime.CallArgument{{Value: n}, {Value: text}},
	}), nil
}

func (p *Page) wait(ctx context.Context, c *cdp.Call, res any) error {
	var out runtime.CallFunctionOnResult
	if err := c.Wait(ctx, &out); err != nil {
		p.mu.Lock()
		gone := p.goneLocked()
		p.mu.Unlock()
		if gone != nil {
			return gone
		}
		if deed.CodeOf(err) == deed.CodeInternal {
			// The protocol has one error number for a context that went away and few others; which they are, the state tells.
			return errors.Join(errGone, err)
		}
		return err
	}
	if out.ExceptionDetails != nil {
		return &deed.Error{Op: "page script", Code: deed.CodeScript, Err: errors.New(exceptionText(out.ExceptionDetails))}
	}
	if res == nil || out.Result == nil || len(out.Result.Value) == 0 {
		return nil
	}
	if raw, ok := res.(*json.RawMessage); ok {
		*raw = json.RawMessage(out.Result.Value) // its JSON is sound: the wire has read it
		return nil
	}
	return json.Unmarshal(out.Result.Value, res)
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	if d.Exception != nil && len(d.Exception.Value) > 0 {
		return d.Text + " " + string(d.Exception.Value)
	}
	return d.Text
}

// Eval evaluates an expression in the page's own world; promises are awaited. A loop or a promise that does not end
// is given up at the deadline, and the tab stays usable.
func (p *Page) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	if err := p.until(ctx, func() bool { return p.frames[p.main].own != 0 }); err != nil {
		return nil, err
	}
	p.mu.Lock()
	own := p.frames[p.main].own
	p.mu.Unlock()
	yes := true
	var out runtime.EvaluateResult
	err := p.s.Execute(ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: expression, ContextID: own, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes}, &out)
	if err != nil {
		if ctx.Err() != nil {
			p.terminate()
			return nil, &deed.Error{Op: "eval", Code: deed.CodeTimeout, Err: errors.New("the expression did not end in time and was stopped"), SideEffects: deed.EffectsPossible}
		}
		return nil, err
	}
	if out.ExceptionDetails != nil {
		return nil, &deed.Error{Op: "eval", Code: deed.CodeScript, Err: errors.New(exceptionText(out.ExceptionDetails)), SideEffects: deed.EffectsPossible}
	}
	if out.Result == nil || len(out.Result.Value) == 0 {
		return json.RawMessage("null"), nil
	}
	return json.RawMessage(out.Result.Value), nil
}

// terminate stops the script that runs, through the session that was attached before it hung.
func (p *Page) terminate() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = p.control.Execute(ctx, runtime.CommandTerminateExecution, nil, nil)
}

// decode reads a JSON value that the protocol carried.
func decode(raw []byte, v any) error { return json.Unmarshal(raw, v) }
