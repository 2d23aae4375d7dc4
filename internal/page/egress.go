package page

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/pagescript"
)

// Outgoing is something that is about to leave the browser: a request, at each hop of its redirects.
type Outgoing struct {
	Method   string
	URL      string
	Type     string // document, image, fetch, …
	Top      bool   // it would become the page itself
	Redirect bool   // another server sent it here
}

// An Egress rule says why something may not leave; "" lets it. It is asked by several goroutines at once, and may take its time,
// within ctx: the request waits.
type Egress func(ctx context.Context, r Outgoing) (why string)

// egressTime bounds the decision on one request. Without one it does not leave.
const egressTime = 10 * time.Second

// documentsOnly are the requests that a rule for top-level pages alone is asked about.
var documentsOnly = []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}

// sealed are the addresses that no interceptor of requests sees; the seal keeps documents and workers from them before that.
var sealed = []string{"ws://*:*/*", "wss://*:*/*"}

// tellSealed is the name under which the seal reports; it is taken away before the page's first script runs.
const tellSealed = "__deedSealed"

// seal is the script that keeps a document, or a worker, from what leaves without being a request.
func seal() string { return pagescript.Apart(pagescript.Seal, tellSealed) }

// guardEgress makes a session hold every request until the rule has been asked. It is sent before the target runs.
func (p *Page) guardEgress(ctx context.Context, s *cdp.Session, worker bool) []*cdp.Call {
	if p.egress == nil {
		return nil
	}
	if p.topOnly {
		if worker {
			return nil
		}
		return []*cdp.Call{s.Send(ctx, fetch.CommandEnable, fetch.EnableParams{Patterns: documentsOnly})}
	}
	var blocked []*network.BlockPattern
	for _, u := range sealed {
		blocked = append(blocked, &network.BlockPattern{URLPattern: u, Block: true})
	}
	var calls []*cdp.Call
	if !worker { // what a worker asks for is held with the page that it belongs to
		calls = append(calls, s.Send(ctx, fetch.CommandEnable, fetch.EnableParams{}))
	}
	calls = append(calls,
		s.Send(ctx, network.CommandEnable, nil),
		s.Send(ctx, network.CommandSetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: blocked}),
		s.Send(ctx, network.CommandSetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}),
		s.Send(ctx, runtime.CommandAddBinding, runtime.AddBindingParams{Name: tellSealed}))
	if worker {
		return append(calls, s.Send(ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: seal()}))
	}
	return append(calls, s.Send(ctx, cdppage.CommandAddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: seal()}))
}

// requestPaused asks the rule, and lets the request go or ends it.
func (p *Page) requestPaused(s *cdp.Session, e *fetch.EventRequestPaused) {
	r := Outgoing{Type: strings.ToLower(string(e.ResourceType)), Redirect: e.RedirectedRequestID != ""}
	if r.Type == "xhr" {
		r.Type = "fetch" // the browser calls both so
	}
	if e.Request != nil {
		r.Method, r.URL = e.Request.Method, e.Request.URL
	}
	p.mu.Lock()
	r.Top = e.ResourceType == network.ResourceTypeDocument && e.FrameID == p.main
	p.mu.Unlock()
	go func() {
		mock := p.mocks.answer(r.Method, r.URL)
		if mock != nil && p.mocked(p.life, s, e, mock) {
			return
		}
		ctx, cancel := context.WithTimeout(p.life, egressTime)
		defer cancel()
		why := ""
		if p.egress != nil {
			why = p.egress(ctx, r)
		}
		if why == "" && ctx.Err() != nil {
			why = "it could not be decided in time"
		}
		if why == "" {
			s.Send(ctx, fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
			return
		}
		p.block(deed.Blocked{Method: r.Method, URL: r.URL, Type: r.Type, Why: why})
		s.Send(ctx, fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
	}()
}

// block keeps the evidence: with the act that is under way, else with the next one.
func (p *Page) block(b deed.Blocked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blockLocked(b)
}

// mostBlocked bounds the evidence of a page that tries for ever.
const mostBlocked = 200

func (p *Page) blockLocked(b deed.Blocked) {
	list := &p.blocked
	if p.act != nil {
		list = &p.act.signals.Blocked
	}
	if len(*list) < mostBlocked {
		*list = append(*list, b)
	}
	p.touchLocked()
}

// sealTold takes in what the seal of a document or worker refused.
func (p *Page) sealTold(payload string) {
	var what []string
	if json.Unmarshal([]byte(payload), &what) != nil || len(what) != 2 {
		return
	}
	p.blockLocked(deed.Blocked{URL: what[1], Type: strings.ToLower(what[0]), Why: what[0] + " leaves unseen, so it is not let"})
}

// socketRefused notes a WebSocket that the browser was told not to open.
func (p *Page) socketRefused(e *network.EventWebSocketCreated) {
	if p.egress != nil && !p.topOnly {
		p.blockLocked(deed.Blocked{Method: "GET", URL: e.URL, Type: "websocket", Why: "a WebSocket leaves unseen, so it is not let"})
	}
}

// popupOpened refuses a page that this one opened: nothing of it leaves, and it is closed. It has to run for that, since it may share
// its thread with the page that opened it.
func (p *Page) popupOpened(e *target.EventAttachedToTarget) {
	p.block(deed.Blocked{Method: "GET", URL: e.TargetInfo.URL, Type: "popup", Why: "a page of its own would be outside of what is held here"})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.life), attachTime)
	s := p.conn.Session(e.SessionID)
	stop := s.Listen(func(ev any) {
		if e, ok := ev.(*fetch.EventRequestPaused); ok {
			s.Send(ctx, fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
		}
	})
	held := s.Send(ctx, fetch.CommandEnable, fetch.EnableParams{})
	others := p.guardEgress(ctx, s, false)[1:]
	go func() {
		defer cancel()
		defer stop()
		shut := p.conn.Browser().Send(ctx, target.CommandCloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID})
		if held.Wait(ctx, nil) == nil { // only then: the browser takes a while to hold what it was told to
			_ = s.Send(ctx, runtime.CommandRunIfWaitingForDebugger, nil).Wait(ctx, nil)
		}
		for _, c := range append(others, shut) {
			_ = c.Wait(ctx, nil)
		}
		select {
		case <-s.Done():
		case <-ctx.Done():
		}
	}()
}

// attachWorker seals a worker before it runs. What it asks for over HTTP is held with the page that it belongs to.
func (p *Page) attachWorker(e *target.EventAttachedToTarget) {
	s := p.conn.Session(e.SessionID)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.life), attachTime)
	stop := s.Listen(func(ev any) { p.egressEvent(s, ev) })
	p.mu.Lock()
	p.stop = append(p.stop, stop)
	p.mu.Unlock()
	calls := p.guardEgress(ctx, s, true)
	yes := true
	calls = append(calls, s.Send(ctx, target.CommandSetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes}))
	calls = append(calls, s.Send(ctx, runtime.CommandRunIfWaitingForDebugger, nil))
	go func() {
		defer cancel()
		for _, c := range calls {
			_ = c.Wait(ctx, nil) // a worker has no service workers to go round
		}
	}()
}

// egressEvent hears what a worker's session tells.
func (p *Page) egressEvent(s *cdp.Session, ev any) {
	switch e := ev.(type) {
	case *target.EventAttachedToTarget:
		p.attachWorker(e)
	case *runtime.EventBindingCalled:
		p.mu.Lock()
		defer p.mu.Unlock()
		if e.Name == tellSealed {
			p.sealTold(e.Payload)
		}
	case *network.EventWebSocketCreated:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.socketRefused(e)
	}
}

// HoldPopups makes a browser stop every page that another one opens before it asks for anything. What a page under an egress rule
// opened is then closed by it: held says which those are, by the id of the opener ("" for none); all others run on. Call stop when
// the browser is let go.
func HoldPopups(ctx context.Context, conn *cdp.Conn, held func(opener string) bool) (stop func(), err error) {
	b := conn.Browser()
	stop = b.Listen(func(ev any) {
		e, ok := ev.(*target.EventAttachedToTarget)
		if !ok || !e.WaitingForDebugger || e.TargetInfo == nil || held(string(e.TargetInfo.OpenerID)) {
			return
		}
		conn.Session(e.SessionID).Send(ctx, runtime.CommandRunIfWaitingForDebugger, nil)
	})
	yes := true
	err = b.Execute(ctx, target.CommandSetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes, Filter: target.Filter{{Type: "page"}, {Exclude: true}}}, nil)
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}
