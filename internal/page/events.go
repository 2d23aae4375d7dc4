package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chromedp/cdproto/browser"
	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

// act is one act under way: from the arming of the guard until its release.
type act struct {
	action   *deed.Action
	target   int
	frame    cdproto.FrameID // of the target
	element  int64
	armed    []cdproto.FrameID // frames whose guard is armed
	marks    map[cdproto.FrameID]mark
	signals  deed.Signals
	opened   []target.ID // of signals.Pages
	saved    []string    // ids of signals.Downloads
	requests []*request
	scrolled *deed.Scrolled
	files    int64 // number of the file input, in the frame filesIn
	filesIn  cdproto.FrameID
	handles  bool          // elements were handed over
	answered bool          // a request of the act has been answered
	inTask   bool          // the gesture is on its way: errors now are its own
	navigate bool          // the main frame is on its way to another document
	answers  []deed.Answer // of a person, to the dialogs
	idle     int           // counts the times a request of the act ended
}

// mark is the state of a frame's page script before the gesture.
type mark struct {
	Seq   int64 `json:"seq"`
	Print int64 `json:"print"`
}

// request is one that the page makes.
type request struct {
	deed.Request
	key   string
	frame cdproto.FrameID
	of    *act // nil: nobody's
}

// held reports whether the request holds the verdict of its act back.
func (r *request) held() bool { return !r.Done }

// onEvent keeps account. It runs on the session's own goroutine, event by event in order.
func (p *Page) onEvent(s *cdp.Session, ev any) {
	if e, ok := ev.(*target.EventAttachedToTarget); ok {
		p.attached(e)
		return
	}
	if e, ok := ev.(*fetch.EventRequestPaused); ok {
		p.requestPaused(s, e)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExecutionContextCreated:
		p.contextCreated(s, e.Context)
	case *runtime.EventExecutionContextDestroyed:
		for _, f := range p.frames {
			if f.worldKey == e.ExecutionContextUniqueID {
				f.world = 0
			}
			if f.ownKey == e.ExecutionContextUniqueID {
				f.own = 0
			}
		}
	case *runtime.EventExecutionContextsCleared:
		for _, f := range p.frames {
			if f.s == s {
				f.world, f.own = 0, 0
			}
		}
	case *cdppage.EventFrameAttached:
		f := p.frameLocked(e.FrameID)
		f.parent = e.ParentFrameID
	case *cdppage.EventFrameNavigated:
		p.navigated(s, e.Frame)
	case *cdppage.EventNavigatedWithinDocument:
		p.frameLocked(e.FrameID).url = e.URL
	case *cdppage.EventFrameDetached:
		// A frame that moves to another process is said to be detached where it was.
		if f := p.frames[e.FrameID]; f != nil && (e.Reason != cdppage.FrameDetachedReasonSwap || f.s == s) {
			if e.Reason == cdppage.FrameDetachedReasonSwap {
				f.world, f.own = 0, 0
			} else {
				delete(p.frames, e.FrameID)
			}
		}
	case *cdppage.EventLifecycleEvent:
		f := p.frames[e.FrameID]
		if f == nil {
			return
		}
		switch e.Name {
		case "init":
			f.loader, f.loaded, f.parsed = e.LoaderID, false, false
		case "DOMContentLoaded":
			f.parsed = true
		case "load":
			f.parsed, f.loaded = true, true
		default:
			return
		}
	case *cdppage.EventFrameStartedNavigating:
		if e.FrameID == p.main && p.act != nil && e.NavigationType != "sameDocument" && e.NavigationType != "historySameDocument" {
			p.act.navigate = true
		}
	case *cdppage.EventFrameStoppedLoading:
		if e.FrameID == p.main && p.act != nil {
			p.act.navigate = false
		}
	case *cdppage.EventJavascriptDialogOpening:
		p.dialog(e)
	case *cdppage.EventJavascriptDialogClosed:
		p.dialogClosed(e)
	case *network.EventRequestWillBeSent:
		p.requestStarted(e)
	case *network.EventResponseReceived:
		p.responded(e)
	case *network.EventLoadingFinished:
		p.requestEnded(e.RequestID, "")
	case *network.EventLoadingFailed:
		p.requestEnded(e.RequestID, e.ErrorText)
	case *runtime.EventExceptionThrown:
		if e.ExceptionDetails != nil && !p.isWorld(e.ExceptionDetails.ExecutionContextID) {
			p.trouble(deed.TroubleException, exceptionText(e.ExceptionDetails), e.ExceptionDetails.URL)
		}
		if p.act != nil && e.ExceptionDetails != nil && !p.isWorld(e.ExceptionDetails.ExecutionContextID) {
			p.act.signals.Errors = append(p.act.signals.Errors, deed.PageError{Text: exceptionText(e.ExceptionDetails), Caused: p.act.inTask})
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			p.trouble(deed.TroubleConsole, consoleText(e.Args), "")
		}
		if p.act != nil && e.Type == runtime.ConsoleAPICalledTypeError {
			p.act.signals.Errors = append(p.act.signals.Errors, deed.PageError{Text: consoleText(e.Args), Console: true, Caused: p.act.inTask})
		}
		return
	case *runtime.EventBindingCalled:
		switch {
		case e.Name == tellSealed:
			p.sealTold(e.Payload)
		case e.Name == tellHand && p.hear != nil:
			p.recorded(s, e)
		}
		return
	case *network.EventWebSocketCreated:
		p.socketRefused(e)
	case *inspector.EventTargetReloadedAfterCrash:
		p.crashed = false
	case *inspector.EventTargetCrashed:
		p.crashedLocked()
	default:
		return
	}
	p.touchLocked()
}

func (p *Page) isWorld(id runtime.ExecutionContextID) bool {
	for _, f := range p.frames {
		if f.world == id && id != 0 {
			return true
		}
	}
	return false
}

// onBrowserEvent hears of new tabs, of the end of this one, and of downloads.
func (p *Page) onBrowserEvent(ev any) {
	if e, ok := ev.(*target.EventAttachedToTarget); ok {
		if p.egress != nil && !p.topOnly && e.WaitingForDebugger && e.TargetInfo != nil && e.TargetInfo.OpenerID == p.id {
			p.popupOpened(e)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := ev.(type) {
	case *target.EventTargetCreated:
		p.newPage(e.TargetInfo)
	case *target.EventTargetInfoChanged:
		p.pageChanged(e.TargetInfo)
	case *target.EventTargetDestroyed:
		if e.TargetID != p.id {
			return
		}
		p.closed = true
	case *browser.EventDownloadWillBegin:
		if p.frames[e.FrameID] == nil || p.act == nil {
			return
		}
		if p.egress != nil && !p.topOnly {
			p.blockLocked(deed.Blocked{URL: e.URL, Type: "download", Why: "files do not come in from what is held here"})
			return // the browser refuses it
		}
		p.act.saved = append(p.act.saved, e.GUID)
		p.act.signals.Downloads = append(p.act.signals.Downloads, deed.Download{Name: e.SuggestedFilename, URL: e.URL, Done: p.downloads == ""})
		p.act.idle++
	case *browser.EventDownloadProgress:
		if p.act == nil {
			return
		}
		i := slices.Index(p.act.saved, e.GUID)
		if i < 0 || e.State == browser.DownloadProgressStateInProgress {
			return
		}
		d := &p.act.signals.Downloads[i]
		d.Done = true
		if e.State == browser.DownloadProgressStateCompleted && p.downloads != "" {
			d.Path = named(p.downloads, e.GUID, d.Name)
		}
		p.act.idle++
	default:
		return
	}
	p.touchLocked()
}

func (p *Page) crashedLocked() {
	p.crashed = true
	for _, f := range p.frames {
		f.world, f.own = 0, 0
	}
}

// newPage notes a tab that this page opened while an act is under way.
func (p *Page) newPage(t *target.Info) {
	if t == nil || t.Type != "page" || t.OpenerID != p.id || p.act == nil {
		return
	}
	p.act.opened = append(p.act.opened, t.TargetID)
	p.act.signals.Pages = append(p.act.signals.Pages, deed.NewPage{URL: t.URL, Title: t.Title})
	p.act.idle++
	go p.followTitle(p.act, t.TargetID)
}

// followTitle follows the title of a page that an act opened: the browser tells of new pages, but not of their titles.
func (p *Page) followTitle(a *act, id target.ID) {
	ctx, cancel := context.WithTimeout(p.life, 5*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		info, err := cdproto.Call(ctx, p.conn.Browser(), target.GetTargetInfo, target.GetTargetInfoParams{TargetID: id})
		if err != nil || info.TargetInfo == nil {
			return
		}
		p.mu.Lock()
		over := p.act != a
		if !over {
			p.pageChanged(info.TargetInfo)
			p.touchLocked()
		}
		p.mu.Unlock()
		if over { // until then a page may give itself another title
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *Page) pageChanged(t *target.Info) {
	if t == nil || p.act == nil {
		return
	}
	if i := slices.Index(p.act.opened, t.TargetID); i >= 0 && p.act.signals.Pages[i] != (deed.NewPage{URL: t.URL, Title: t.Title}) {
		p.act.signals.Pages[i] = deed.NewPage{URL: t.URL, Title: t.Title}
		p.act.idle++
	}
}

func (p *Page) contextCreated(s *cdp.Session, c *runtime.ExecutionContextDescription) {
	if c == nil {
		return
	}
	var aux struct {
		FrameID   cdproto.FrameID `json:"frameId"`
		IsDefault bool            `json:"isDefault"`
	}
	if json.Unmarshal(c.AuxData, &aux) != nil || aux.FrameID == "" {
		return
	}
	f := p.frameLocked(aux.FrameID)
	f.s = s
	switch {
	case aux.IsDefault:
		f.own, f.ownKey = c.ID, c.UniqueID
	case c.Name == p.world:
		f.world, f.worldKey = c.ID, c.UniqueID
	}
}

func (p *Page) navigated(s *cdp.Session, n *cdproto.Frame) {
	if n == nil {
		return
	}
	f := p.frameLocked(n.ID)
	if n.ParentID != "" {
		f.parent = n.ParentID
	}
	f.url, f.name, f.loader = n.URL+n.URLFragment, n.Name, n.LoaderID
	f.loaded, f.parsed, f.owner = false, false, 0
	if n.ParentID == "" && s == p.s {
		p.main, p.crashed = n.ID, false // whatever crashed, it was of the document before
		p.sownLocked(n.URL)
		for id, other := range p.frames {
			if id != n.ID && other.parent != "" {
				delete(p.frames, id)
			}
		}
		if p.act != nil {
			p.act.signals.Navigated = true
			p.act.navigate = false
		}
	}
}

// dialog answers a native dialog: as the step says, else by dismissing it, and reports it either way.
func (p *Page) dialog(e *cdppage.EventJavascriptDialogOpening) {
	d := deed.Dialog{Kind: string(e.Type), Message: e.Message}
	text := e.DefaultPrompt
	if p.act != nil && p.act.action != nil && p.act.action.Dialog != nil {
		d.Expected, d.Accepted = true, p.act.action.Dialog.Accept
		if p.act.action.Dialog.Text != "" {
			text = p.act.action.Dialog.Text
		}
	} else if e.Type == cdppage.DialogTypeAlert {
		d.Accepted = true // an alert has one answer
	}
	if p.act != nil {
		p.act.signals.Dialogs = append(p.act.signals.Dialogs, d)
		p.act.idle++
	}
	if p.hear != nil {
		return // a person answers it
	}
	// The browser's process answers this, not the page's, which waits for the dialog.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	call := p.s.Send(ctx, cdppage.CommandHandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: d.Accepted, PromptText: text})
	go func() {
		defer cancel()
		_ = call.Wait(ctx, nil)
	}()
}

func requestKey(method, raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return method + " " + raw
	}
	return method + " " + u.Scheme + "://" + u.Host + u.Path
}

// Requests of these types say nothing about whether an act is over.
var background = []network.ResourceType{network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing,
	network.ResourceTypeCSPViolationReport, network.ResourceTypePrefetch, network.ResourceTypeMedia, network.ResourceTypePreflight,
	network.ResourceTypeManifest, network.ResourceTypeImage, network.ResourceTypeFont}

// noisy is how often a request must have been made outside of any act to be the page's own polling.
const noisy = 2

func (p *Page) requestStarted(e *network.EventRequestWillBeSent) {
	if e.Request == nil {
		return
	}
	if e.Type == network.ResourceTypeDocument && e.FrameID == p.main {
		if e.Request.Method != "GET" && e.Request.Method != "HEAD" {
			p.posted[e.LoaderID] = true
		} else {
			delete(p.posted, e.LoaderID) // it was sent on to a page of its own
		}
	}
	if old := p.requests[e.RequestID]; old != nil && e.RedirectResponse != nil {
		old.URL = e.Request.URL
		old.Method = e.Request.Method
		return
	}
	if slices.Contains(background, e.Type) {
		return
	}
	r := &request{Request: deed.Request{Method: e.Request.Method, URL: e.Request.URL + e.Request.URLFragment, Nav: e.Type == network.ResourceTypeDocument},
		key: requestKey(e.Request.Method, e.Request.URL), frame: e.FrameID}
	p.requests[e.RequestID] = r
	if p.act == nil {
		p.noise[r.key]++
		return
	}
	if !r.Nav && p.noise[r.key] >= noisy {
		return
	}
	r.of = p.act
	if r.Nav && e.FrameID == p.main {
		p.act.navigate = true
	}
	p.act.requests = append(p.act.requests, r)
}

func (p *Page) responded(e *network.EventResponseReceived) {
	r := p.requests[e.RequestID]
	if r == nil || e.Response == nil {
		return
	}
	r.Status = int(e.Response.Status)
	if r.Status >= 500 {
		p.trouble(deed.TroubleHTTP, fmt.Sprintf("%d for %s", r.Status, r.Method), r.URL)
	}
	if r.Nav && r.frame == p.main && r.of != nil {
		r.of.signals.Status = r.Status
	}
}

// mostTroubles bounds what is kept of a page that goes wrong for ever.
const mostTroubles = 100

// trouble keeps something that went wrong. mu is held.
func (p *Page) trouble(kind, text, url string) {
	if len(p.troubles) < mostTroubles {
		p.troubles = append(p.troubles, deed.Trouble{Kind: kind, Text: text, URL: url})
	}
}

// Troubles are those since they were last asked for, within acts and between them.
func (p *Page) Troubles() []deed.Trouble {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.troubles
	p.troubles = nil
	return out
}

func (p *Page) requestEnded(id network.RequestID, failed string) {
	r := p.requests[id]
	if r == nil {
		return
	}
	delete(p.requests, id)
	r.Done, r.Failed = true, failed
	if r.of != nil {
		r.of.answered = r.of.answered || !r.Nav
		r.of.idle++
	}
}

// named gives a download the name that the page gave it, in a folder of its own: names are the page's, and may be those of
// other files.
func named(dir, guid, name string) string {
	at := filepath.Join(dir, guid+".d")
	to := filepath.Join(at, filepath.Base(filepath.Clean("/"+name)))
	if os.MkdirAll(at, 0o700) != nil || os.Rename(filepath.Join(dir, guid), to) != nil {
		return filepath.Join(dir, guid)
	}
	return to
}

// inFlightLocked counts the requests that hold the act's verdict back.
func (a *act) inFlightLocked() int {
	n := 0
	for _, r := range a.requests {
		if r.held() {
			n++
		}
	}
	for _, d := range a.signals.Downloads {
		if !d.Done {
			n++
		}
	}
	return n
}

func (a *act) signalsLocked() deed.Signals {
	s := a.signals
	s.Dialogs, s.Pages = slices.Clone(s.Dialogs), slices.Clone(s.Pages)
	s.Blocked = slices.Clone(s.Blocked)
	s.Downloads, s.Errors = slices.Clone(s.Downloads), slices.Clone(s.Errors)
	s.Requests = nil
	for _, r := range a.requests {
		s.Requests = append(s.Requests, r.Request)
	}
	return s
}

func consoleText(args []*runtime.RemoteObject) string {
	s := ""
	for _, a := range args {
		if a == nil {
			continue
		}
		if s != "" {
			s += " "
		}
		switch {
		case len(a.Value) > 0:
			var str string
			if json.Unmarshal(a.Value, &str) == nil {
				s += str
			} else {
				s += string(a.Value)
			}
		default:
			s += a.Description
		}
	}
	return s
}
