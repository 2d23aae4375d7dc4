// Package drivertest is a page that exists only on paper: a scriptable verify.Driver which lies, stalls, changes in
// mid-gesture and answers late, exactly as a test says.
//
// Law of this package: no browser, no network; time is the test's (testing/synctest). Only tests import it.
package drivertest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/snaptext"
)

// Frame is how long the paper page takes to draw; two quiet ones are rest.
const Frame = 16 * time.Millisecond

// A Page is a paper page. Its zero value is not usable; see [New].
type Page struct {
	// OnGesture is what the page does when a gesture reaches it. It may change the page now ([Page.Show]) or later
	// ([Page.After]). nil does nothing and delivers everything.
	OnGesture func(g *deed.Gesture) (deed.Witness, error)

	// WaysFor answers Ways; nil is pointer, pointer, keyboard (fill: insert, replace, keys).
	WaysFor func(a *deed.Action) ([]deed.Way, error)

	// Values is what fields hold, by element number, beyond what the snapshot shows (a secret one).
	Values map[int64]string

	// Stall makes a call of this name (observe, perform, settle, await, holds) wait for its context's end.
	Stall map[string]bool

	// Nothing makes clicks provably without effect.
	Nothing bool

	// Timers is how many timers the page says the gesture set.
	Timers int

	// Restless pages never come to rest.
	Restless bool

	mu       sync.Mutex
	text     string
	number   int
	changes  int
	changed  time.Time
	wake     chan struct{}
	seen     int // changes at the last Settle or Perform
	signals  deed.Signals
	inFlight int
	answered bool
	caused   map[string]bool
	action   *deed.Action
	element  int64
	released int
	evals    map[string]string
	Gestures []deed.Gesture // that were performed, in order
	Guarded  []int64        // elements that Protect was called for
	Covered  []deed.Box     // in the last screenshot
}

// New returns a page that shows this text (see package snaptext).
func New(text string) *Page {
	p := &Page{text: text, wake: make(chan struct{}), Stall: map[string]bool{}, Values: map[int64]string{}, evals: map[string]string{}}
	p.snapshot()
	return p
}

// Address is the address that the page shows.
func (p *Page) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, err := snaptext.Parse(p.text)
	if err != nil {
		panic("drivertest: " + err.Error())
	}
	return s.URL
}

// CloseOpened closes nothing: a paper page opens none.
func (p *Page) CloseOpened(context.Context) error { return nil }

// Pick finds no selector and no point: a paper page has no boxes.
func (p *Page) Pick(_ context.Context, _ *deed.Snapshot, a *deed.Action) (int, error) {
	return -1, &deed.Error{Op: string(a.Kind), Code: deed.CodeNoMatch, Where: a.Object(), Err: errors.New("a paper page has no boxes"), SideEffects: deed.EffectsNone}
}

// Facts tells nothing but the page's address.
func (p *Page) Facts(_ context.Context, s *deed.Snapshot, _ int) (*deed.Facts, error) {
	return &deed.Facts{FrameURL: s.URL}, nil
}

// Show makes the page show this text from now on.
func (p *Page) Show(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
	p.touch()
}

// After makes f happen later.
func (p *Page) After(d time.Duration, f func()) { time.AfterFunc(d, f) }

// Signal changes what is known beside the page's content.
func (p *Page) Signal(f func(*deed.Signals)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.signals)
	p.touch()
}

// Request starts a request of the act and ends it after d with this status.
func (p *Page) Request(d time.Duration, method, url string, status int) {
	p.mu.Lock()
	i := len(p.signals.Requests)
	p.signals.Requests = append(p.signals.Requests, deed.Request{Method: method, URL: url})
	p.inFlight++
	p.mu.Unlock()
	time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.signals.Requests[i].Status, p.signals.Requests[i].Done = status, true
		p.inFlight--
		p.answered = true
		p.touch()
	})
}

// Cause marks the names of nodes as changed inside the gesture's own task.
func (p *Page) Cause(names ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.caused == nil {
		p.caused = map[string]bool{}
	}
	for _, n := range names {
		p.caused[n] = true
	}
}

// Released is how often an act was ended.
func (p *Page) Released() int { p.mu.Lock(); defer p.mu.Unlock(); return p.released }

func (p *Page) touch() {
	p.changes++
	p.changed = time.Now()
	close(p.wake)
	p.wake = make(chan struct{})
}

func (p *Page) snapshot() *deed.Snapshot {
	s, err := snaptext.Parse(p.text)
	if err != nil {
		panic("drivertest: " + err.Error())
	}
	p.number++
	s.Number = p.number
	return s
}

func (p *Page) stalled(ctx context.Context, name string) error {
	if !p.Stall[name] {
		if ctx.Err() != nil {
			return late(ctx)
		}
		return nil
	}
	<-ctx.Done()
	return late(ctx)
}

func late(ctx context.Context) error {
	return &deed.Error{Op: "page", Code: deed.CodeTimeout, Err: ctx.Err()}
}

// Observe implements verify.Driver.
func (p *Page) Observe(ctx context.Context) (*deed.Snapshot, error) {
	if err := p.stalled(ctx, "observe"); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot(), nil
}

// Await implements verify.Driver.
func (p *Page) Await(ctx context.Context, wait time.Duration) error {
	if err := p.stalled(ctx, "await"); err != nil {
		return err
	}
	p.mu.Lock()
	w := p.wake
	p.mu.Unlock()
	select {
	case <-w:
	case <-time.After(wait):
	case <-ctx.Done():
		return late(ctx)
	}
	return nil
}

// Ways implements verify.Driver.
func (p *Page) Ways(_ context.Context, a *deed.Action, _ *deed.Snapshot, _ int) ([]deed.Way, error) {
	if p.WaysFor != nil {
		return p.WaysFor(a)
	}
	switch a.Kind {
	case deed.KindFill:
		return []deed.Way{deed.WayInsert, deed.WayReplace, deed.WayKeys}, nil
	case deed.KindSelect:
		return []deed.Way{deed.WayChoose}, nil
	case deed.KindPress:
		return []deed.Way{deed.WayKeyboard}, nil
	case deed.KindGoto:
		return []deed.Way{deed.WayNavigate}, nil
	}
	return []deed.Way{deed.WayPointer, deed.WayPointer, deed.WayKeyboard}, nil
}

// Perform implements verify.Driver.
func (p *Page) Perform(ctx context.Context, g *deed.Gesture) (deed.Witness, error) {
	p.mu.Lock()
	p.seen = p.changes
	p.signals, p.inFlight, p.answered, p.caused = deed.Signals{}, 0, false, nil
	p.action, p.element = g.Action, 0
	if g.Target >= 0 {
		p.element = g.Snapshot.Nodes[g.Target].Element
	}
	p.Gestures = append(p.Gestures, *g)
	p.mu.Unlock()
	if err := p.stalled(ctx, "perform"); err != nil {
		return deed.Witness{}, &deed.Error{Op: "perform", Code: deed.CodeTimeout, Err: err, SideEffects: deed.EffectsPossible}
	}
	if p.OnGesture == nil || g.Way == deed.WayNone {
		return deed.Witness{Via: string(g.Way), Delivered: true}, nil
	}
	w, err := p.OnGesture(g)
	w.Via = string(g.Way)
	return w, err
}

// Settle implements verify.Driver.
func (p *Page) Settle(ctx context.Context, wait time.Duration, first bool) (*deed.Look, error) {
	if err := p.stalled(ctx, "settle"); err != nil {
		return nil, err
	}
	end := time.Now().Add(wait)
	for {
		p.mu.Lock()
		now := time.Now()
		quiet := now.Sub(p.changed) >= 2*Frame && !p.Restless
		if quiet && (first || p.changes != p.seen) || !now.Before(end) {
			look := p.lookLocked(quiet)
			p.mu.Unlock()
			return look, nil
		}
		w := p.wake
		pause := end.Sub(now)
		if first || p.changes != p.seen {
			pause = min(pause, 2*Frame)
		}
		p.mu.Unlock()
		select {
		case <-w:
			if first {
				// Rest is counted from the change.
				continue
			}
		case <-time.After(pause):
			if first && !p.Restless {
				p.mu.Lock()
				if time.Since(p.changed) >= 2*Frame {
					look := p.lookLocked(true)
					p.mu.Unlock()
					return look, nil
				}
				p.mu.Unlock()
			}
		case <-ctx.Done():
			return nil, late(ctx)
		}
	}
}

func (p *Page) lookLocked(rested bool) *deed.Look {
	p.seen = p.changes
	s := p.snapshot()
	s.Restless = !rested
	look := &deed.Look{Snapshot: s, Signals: p.signals, Rested: rested, InFlight: p.inFlight, Answered: p.answered, Timers: p.Timers,
		Caused: map[int]bool{}, CausedGone: map[deed.NodeID]bool{}}
	look.Signals.Requests = append([]deed.Request(nil), p.signals.Requests...)
	for i := range s.Nodes {
		if p.caused[s.Nodes[i].Name] {
			look.Caused[i] = true
		}
	}
	if p.action != nil && p.action.Kind == deed.KindFill {
		v, held := p.valueLocked(s, p.element, p.action.Text)
		look.Held, look.FieldValue = &held, v
	}
	return look
}

func (p *Page) valueLocked(s *deed.Snapshot, el int64, text string) (string, bool) {
	if v, ok := p.Values[el]; ok {
		return "", v == text
	}
	for i := range s.Nodes {
		if s.Nodes[i].Element == el {
			return s.Nodes[i].Value, s.Nodes[i].Value == text
		}
	}
	return "", false
}

// Release implements verify.Driver.
func (p *Page) Release(context.Context) { p.mu.Lock(); p.released++; p.mu.Unlock() }

// Holds implements verify.Driver.
func (p *Page) Holds(ctx context.Context, s *deed.Snapshot, target int, text string) (bool, error) {
	if err := p.stalled(ctx, "holds"); err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, held := p.valueLocked(s, s.Nodes[target].Element, text)
	return held, nil
}

// Inert implements verify.Driver.
func (p *Page) Inert(context.Context, *deed.Snapshot, int) (bool, error) { return p.Nothing, nil }

// Protect implements verify.Driver.
func (p *Page) Protect(_ context.Context, s *deed.Snapshot, target int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Guarded = append(p.Guarded, s.Nodes[target].Element)
	return nil
}

// Screenshot implements verify.Driver.
func (p *Page) Screenshot(ctx context.Context, cover []deed.Box) ([]byte, error) {
	if err := p.stalled(ctx, "screenshot"); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Covered = cover
	return []byte("\x89PNG paper"), nil
}

// Box implements verify.Driver: each node of the paper page is a line.
func (p *Page) Box(ctx context.Context, s *deed.Snapshot, target int, _ bool) (deed.Box, error) {
	if err := p.stalled(ctx, "box"); err != nil {
		return deed.Box{}, err
	}
	return deed.Box{X: 0, Y: float64(target), Width: 100, Height: 1}, nil
}

// Answer sets the value of an expression.
func (p *Page) Answer(expression, value string) { p.evals[expression] = value }

// Eval implements verify.Driver.
func (p *Page) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	if err := p.stalled(ctx, "eval"); err != nil {
		return nil, err
	}
	v, ok := p.evals[expression]
	if !ok {
		return nil, &deed.Error{Op: "eval", Code: deed.CodeScript, Err: errors.New("ReferenceError: it is not defined")}
	}
	return json.RawMessage(v), nil
}
