package record

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/chrome"
	"github.com/deed-dev/deed/internal/page"
)

// Times of a session.
const (
	watchTime = 3 * time.Second        // so long what changes may still be of the last gesture, as long as a step waits for its effect
	seeTime   = 600 * time.Millisecond // what changes by itself is not the end of it
	lookWait  = time.Second            // between two looks at a page where nothing changes
	openTime  = 30 * time.Second
	adoptTime = 10 * time.Second
)

// Options of a session.
type Options struct {
	ID            string
	Window        bool // leave the size to the window
	Width, Height int

	tap func(any)
}

// A Session is a browser window in which a person acts, and what has been recorded of it.
type Session struct {
	conn    *cdp.Conn
	context cdproto.BrowserContextID
	first   target.ID // the tab that was opened first
	o       Options
	start   string

	mu    sync.Mutex
	queue []news
	bell  chan struct{} // closed and replaced when something is queued
	left  int           // tabs that are open

	tabs   map[int]*tab
	order  []int // open tabs, the one used last at the end
	scribe *Scribe
	cur    int
	began  time.Time // of the last gesture

	stop   chan struct{}
	once   sync.Once
	done   chan struct{}
	unhear func()
	err    error
	tap    func(any) // tests: sees all that the scribe is told
}

type tab struct {
	n    int
	id   target.ID
	page *page.Page
	rest bool // nothing of the last gesture is waited for any more

	looked  bool           // since the last gesture
	doc     string         // that it shows
	entries map[int64]bool // of its history, that it has shown
}

// news is something that the session's own goroutine deals with, in order.
type news struct {
	tab    int
	heard  *page.Heard
	opened target.ID
	closed bool
}

// Begin opens an address in a browser context of its own and records what a person does from then on. The session ends with [Session.Stop],
// when all its tabs are closed, or with the browser.
func Begin(ctx context.Context, conn *cdp.Conn, url string, o Options) (*Session, error) {
	yes := true
	if _, err := cdproto.Call(ctx, conn.Browser(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return nil, err
	}
	c, err := cdproto.Call(ctx, conn.Browser(), target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		return nil, err
	}
	s := &Session{conn: conn, context: c.BrowserContextID, o: o, start: url, bell: make(chan struct{}), tabs: map[int]*tab{}, scribe: NewScribe(),
		stop: make(chan struct{}), done: make(chan struct{}), tap: o.tap}
	behavior := protobrowser.SetDownloadBehaviorParams{Behavior: protobrowser.SetDownloadBehaviorBehaviorDefault, BrowserContextID: c.BrowserContextID, EventsEnabled: &yes}
	if err := conn.Browser().Execute(ctx, protobrowser.CommandSetDownloadBehavior, behavior, nil); err != nil {
		return nil, errors.Join(err, s.dispose())
	}
	p, err := page.Open(ctx, conn, c.BrowserContextID, s.options(0))
	if err != nil {
		return nil, errors.Join(err, s.dispose())
	}
	s.first = target.ID(p.ID())
	s.tabs[0] = &tab{id: s.first, page: p, entries: map[int64]bool{}}
	s.order, s.left = []int{0}, 1
	s.unhear = conn.Browser().Listen(s.onBrowserEvent)
	if err := s.open(ctx, p, url); err != nil {
		s.unhear()
		p.Detach()
		return nil, errors.Join(err, s.dispose())
	}
	go s.run()
	return s, nil
}

func (s *Session) options(n int) page.Options {
	return page.Options{Width: s.o.Width, Height: s.o.Height, Window: s.o.Window, Record: func(h *page.Heard) { s.put(news{tab: n, heard: h}) }}
}

// open opens the first address. A page that answers with an error is a page all the same.
func (s *Session) open(ctx context.Context, p *page.Page, url string) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	a := &deed.Action{Kind: deed.KindGoto, Text: url}
	if _, err := p.Perform(ctx, &deed.Gesture{Action: a, Target: -1, Drop: -1, Way: deed.WayNavigate}); err != nil {
		return err
	}
	g, err := p.Glance(ctx, lookWait, true)
	if err != nil {
		return err
	}
	if f := g.Look.Signals.Failed; f != "" {
		return &deed.Error{Op: "record", Where: url, Code: deed.CodeEnvironment, Err: errors.New(f)}
	}
	p.Release(ctx)
	s.scribe.Look(Look{Snapshot: g.Look.Snapshot, Rested: true, Over: g.Over})
	at, err := p.Where(ctx)
	t := s.tabs[0]
	t.doc, t.rest, t.entries[at.Entry] = g.Look.Snapshot.Frames[0].Doc, true, true
	return err
}

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Stop ends the session once what came of the last gesture has been seen, and returns the case.
func (s *Session) Stop() *Case {
	s.once.Do(func() { close(s.stop) })
	<-s.done
	return s.Case()
}

// Case is what was recorded, once the session has ended.
func (s *Session) Case() *Case {
	return &Case{ID: s.o.ID, Start: s.start, Secrets: s.scribe.Secrets(), Origins: s.scribe.Origins(), Entries: s.scribe.entries}
}

// ID of the tab that was opened first.
func (s *Session) ID() string { return string(s.first) }

func (s *Session) dispose() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := cdproto.Call(ctx, s.conn.Browser(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: s.context})
	if errors.Is(err, deed.CodeDisconnected) {
		return nil
	}
	return err
}

func (s *Session) put(n news) {
	s.mu.Lock()
	s.queue = append(s.queue, n)
	close(s.bell)
	s.bell = make(chan struct{})
	s.mu.Unlock()
}

// take returns what is queued, or the channel that is closed when something is.
func (s *Session) take() (n news, ok bool, bell chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return news{}, false, s.bell
	}
	n, s.queue = s.queue[0], s.queue[1:]
	return n, true, nil
}

func (s *Session) onBrowserEvent(ev any) {
	switch e := ev.(type) {
	case *target.EventTargetCreated:
		if t := e.TargetInfo; t != nil && t.Type == "page" && t.BrowserContextID == s.context && t.TargetID != s.first {
			s.put(news{opened: t.TargetID})
		}
	case *target.EventTargetDestroyed:
		s.put(news{opened: e.TargetID, closed: true})
	}
}

// run deals with the news, and looks while there are none.
func (s *Session) run() {
	defer close(s.done)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-s.conn.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil && len(s.order) > 0 {
		n, ok, bell := s.take()
		if ok {
			s.deal(ctx, n)
			continue
		}
		stopping := false
		select {
		case <-s.stop:
			stopping = true
		default:
		}
		if since := time.Since(s.began); stopping && (s.scribe.Done() && since > seeTime || since > watchTime) {
			break
		}
		s.look(ctx, bell, stopping)
	}
	s.scribe.Finish()
	s.unhear()
	for _, n := range s.order {
		s.tabs[n].page.Detach()
	}
	s.err = s.dispose()
}

// deal takes one piece of news in.
func (s *Session) deal(ctx context.Context, n news) {
	switch {
	case n.heard != nil:
		s.hand(ctx, n.tab, n.heard)
	case n.closed:
		for _, t := range s.tabs {
			if t.id == n.opened {
				s.lastWords(ctx, t)
				s.closed(t)
			}
		}
	default:
		s.adopt(ctx, n.opened)
	}
}

// lastWords deals with what a tab told before it was closed: news of the browser may come before those of the tab.
func (s *Session) lastWords(ctx context.Context, t *tab) {
	fctx, cancel := context.WithTimeout(ctx, adoptTime)
	t.page.Flush(fctx)
	cancel()
	s.mu.Lock()
	var mine, others []news
	for _, n := range s.queue {
		if n.heard != nil && n.tab == t.n {
			mine = append(mine, n)
		} else {
			others = append(others, n)
		}
	}
	s.queue = others
	s.mu.Unlock()
	for _, n := range mine {
		s.hand(ctx, n.tab, n.heard)
	}
}

func (s *Session) hand(ctx context.Context, n int, h *page.Heard) {
	t := s.tabs[n]
	if t == nil {
		return
	}
	hand := Hand{Tab: n, Type: h.Type, Frame: h.Frame, Path: h.Path, Over: h.Over, Key: h.Key, Value: h.Value, Secret: h.Secret, How: h.How,
		Options: h.Options, Files: h.Files, Count: h.Count, Button: h.Button, Signals: h.Signals, Answers: h.Answers}
	if h.Begins() {
		bctx, cancel := context.WithTimeout(ctx, adoptTime)
		hand.Before = t.page.Before(bctx, h)
		cancel()
		if n != s.cur && s.tabs[s.cur] != nil {
			sig, answers := s.tabs[s.cur].page.Peek()
			s.scribe.Meanwhile(s.cur, sig, answers)
		}
		s.front(n)
	}
	s.began, t.rest, t.looked = time.Now(), false, false
	if s.tap != nil {
		s.tap(hand)
	}
	s.scribe.Hand(hand)
}

// front notes the tab in which something is done.
func (s *Session) front(n int) {
	s.cur = n
	for i, x := range s.order {
		if x == n {
			s.order = append(append(s.order[:i:i], s.order[i+1:]...), n)
			return
		}
	}
}

// adopt takes in a tab that was opened in the window.
func (s *Session) adopt(ctx context.Context, id target.ID) {
	n := len(s.tabs)
	actx, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	p, err := page.Adopt(actx, s.conn, id, s.options(n))
	if err != nil {
		return // it went away again
	}
	s.tabs[n] = &tab{n: n, id: id, page: p, rest: true, entries: map[int64]bool{}}
	s.order = append([]int{n}, s.order...) // something must be done in it before it is the current one
}

func (s *Session) closed(t *tab) {
	for i, x := range s.order {
		if x != t.n {
			continue
		}
		s.order = append(s.order[:i:i], s.order[i+1:]...)
		t.page.Detach()
		if len(s.order) == 0 { // the window was closed: that ends the recording, and is no step of it
			return
		}
		last := s.order[len(s.order)-1]
		s.scribe.Closed(t.n, last)
		if s.cur == t.n {
			s.cur = last
		}
		return
	}
}

// look looks at the tab in which something is done, until there is news.
func (s *Session) look(ctx context.Context, bell chan struct{}, stopping bool) {
	t := s.tabs[s.cur]
	lctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := s.stop
	if stopping {
		stop = nil
	}
	over := make(chan struct{})
	go func() {
		select {
		case <-bell:
		case <-stop:
		case <-over:
		}
		cancel()
	}()
	defer close(over)
	if !t.rest && time.Since(s.began) > watchTime && !stopping {
		t.rest = true
		t.page.Release(ctx)
	}
	g, err := t.page.Glance(lctx, lookWait, !t.looked)
	if err != nil {
		if lctx.Err() == nil { // the page cannot be looked at just now
			timer := time.NewTimer(50 * time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-lctx.Done():
			}
		}
		return
	}
	t.looked = true
	l := Look{Tab: t.n, Snapshot: g.Look.Snapshot, Signals: g.Look.Signals, Answers: g.Answers, Rested: g.Look.Rested,
		InFlight: g.Look.InFlight, Over: g.Over, Idle: g.Idle}
	if s.tap != nil {
		s.tap(l)
	}
	s.scribe.Look(l)
	s.address(ctx, t, g.Look.Snapshot)
}

// address notes an address that was typed into the browser's window, and that the page is another one for no reason that was seen.
func (s *Session) address(ctx context.Context, t *tab, snap *deed.Snapshot) {
	doc := snap.Frames[0].Doc
	if doc == t.doc || snap.URL == "about:blank" {
		return
	}
	first := t.doc == ""
	t.doc = doc
	actx, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	at, err := t.page.Where(actx)
	if err != nil {
		return
	}
	was := t.entries[at.Entry]
	t.entries[at.Entry] = true
	switch {
	case at.Typed && !was:
		s.scribe.Goto(t.n, at.URL)
	case t.rest && !first:
		s.scribe.Elsewhere(at.URL, was)
	}
}

// Launch starts a browser to record in, or attaches to one that runs: ws://… or http://host:port.
func Launch(ctx context.Context, browser string, window bool) (*chrome.Browser, error) {
	if strings.Contains(browser, "://") {
		return chrome.Attach(ctx, browser)
	}
	return chrome.Launch(ctx, chrome.Options{Path: browser, Headed: window})
}
