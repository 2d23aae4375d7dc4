package page

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/pagescript"
)

// tellHand is the name of the function by which the page script tells what a person's hand does. It exists in the script's own
// isolated world alone: the page has none, cannot see this one, and what is called by another name or from another world is not heard.
const tellHand = "__deedTell"

// A Heard is what a person's hand did, as the page script heard it.
type Heard struct {
	Type    string   `json:"type"`    // down, up, click, drag, key, edit, value, select, files, wheel
	Path    []int64  `json:"path"`    // element numbers of what received it and what is around it, innermost first
	Over    []int64  `json:"over"`    // drag: the same of where it was let go
	Key     string   `json:"key"`     // key: its name
	Value   string   `json:"value"`   // value: what the field holds; never of a sensitive one
	Secret  bool     `json:"secret"`  // value: the field is sensitive
	How     string   `json:"how"`     // value: the kind of input, where it is known
	Options []string `json:"options"` // select: each by a text that means it alone
	Files   []string `json:"files"`   // files: their names
	Count   int      `json:"count"`   // click: of how many; 0 is one that a key made
	Button  int      `json:"button"`  // down, click: 0 is the left one
	Look    string   `json:"look"`    // the document as it was at this instant; "" where no gesture begins

	Frame string    `json:"-"`
	At    time.Time `json:"-"`

	// Where a gesture begins: what happened beside the content since the one before, with the answers to dialogs.
	Signals deed.Signals  `json:"-"`
	Answers []deed.Answer `json:"-"`

	parts map[cdproto.FrameID]*pagescript.Part
}

// recorded takes in what the page script told of a person's hand. Where a gesture begins the act before ends and another one begins.
func (p *Page) recorded(s *cdp.Session, e *runtime.EventBindingCalled) {
	var f *frame
	for _, c := range p.frames {
		if c.world == e.ExecutionContextID && c.world != 0 && c.s == s {
			f = c
		}
	}
	h := &Heard{At: time.Now()}
	if f == nil || json.Unmarshal([]byte(e.Payload), h) != nil {
		return
	}
	h.Frame = string(f.id)
	if h.Look != "" {
		part, err := pagescript.Decode([]byte(h.Look))
		if err != nil {
			return
		}
		h.Look = ""
		f.part = part
		h.parts = map[cdproto.FrameID]*pagescript.Part{}
		for id, c := range p.frames {
			if c.part != nil {
				h.parts[id] = c.part
			}
		}
		if a := p.act; a != nil {
			h.Signals, h.Answers = a.signalsLocked(), a.answers
		}
		p.beginLocked()
	}
	p.hear(h)
}

// beginLocked begins an act of somebody else's.
func (p *Page) beginLocked() {
	p.act = &act{action: &deed.Action{Kind: deed.KindWatch}, target: -1, marks: map[cdproto.FrameID]mark{}, inTask: true}
}

// Begin begins an act that the page script tells nothing of, such as opening the page.
func (p *Page) Begin() {
	p.mu.Lock()
	p.beginLocked()
	p.mu.Unlock()
}

// Peek tells what has happened so far beside the content since the gesture that is under way.
func (p *Page) Peek() (deed.Signals, []deed.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.act == nil {
		return deed.Signals{}, nil
	}
	return p.act.signalsLocked(), p.act.answers
}

// Begins reports whether a gesture begins here.
func (h *Heard) Begins() bool { return h.parts != nil }

// Before is the page as it was when the gesture began: the document that received it at that very instant, the others as they were
// looked at last. Nil where it can no longer be put together.
func (p *Page) Before(ctx context.Context, h *Heard) *deed.Snapshot {
	if !h.Begins() {
		return nil
	}
	views := map[cdproto.FrameID]*view{}
	for id, part := range h.parts {
		views[id] = &view{part: part}
	}
	s, err := p.compose(ctx, views, "")
	if err != nil { // a frame went away meanwhile: what is left is the main document
		s, err = p.compose(ctx, map[cdproto.FrameID]*view{p.mainFrame(): views[p.mainFrame()]}, "a frame went away")
	}
	if err != nil {
		return nil
	}
	return s
}

// A Glance is the page some time after a gesture.
type Glance struct {
	Look    *deed.Look
	Answers []deed.Answer
	Over    map[deed.NodeID]bool // elements under the pointer
	Idle    bool                 // no act is under way: what is new here is the page's own
}

// Glance waits until the page rests, at most for the wait, and looks. With first it answers at the first rest, else at one after a change.
func (p *Page) Glance(ctx context.Context, wait time.Duration, first bool) (*Glance, error) {
	p.mu.Lock()
	a := p.act
	p.mu.Unlock()
	g := &Glance{Over: map[deed.NodeID]bool{}}
	var err error
	if a != nil {
		g.Look, err = p.Settle(ctx, wait, first)
	} else {
		g.Idle = true
		if err = p.Await(ctx, wait); err == nil {
			var s *deed.Snapshot
			if s, err = p.Observe(ctx); err == nil {
				g.Look = &deed.Look{Snapshot: s, Rested: true}
			}
		}
	}
	if err != nil {
		return nil, err
	}
	// An answer may overtake the news that came before it: that another gesture had begun when the page was looked at.
	for _, s := range p.sessions() {
		if err := s.Flush(ctx); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.act != a {
		return nil, errors.New("another act began meanwhile")
	}
	if a != nil {
		g.Answers = a.answers
	}
	for id, f := range p.frames {
		for _, el := range f.over {
			g.Over[deed.NodeID{Frame: string(id), Element: el}] = true
		}
	}
	return g, nil
}

// sessions of the page and of its frames in other processes.
func (p *Page) sessions() []*cdp.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := []*cdp.Session{p.s}
	for _, f := range p.frames {
		if !slices.Contains(out, f.s) {
			out = append(out, f.s)
		}
	}
	return out
}

// dialogClosed notes how a person answered a native dialog.
func (p *Page) dialogClosed(e *cdppage.EventJavascriptDialogClosed) {
	if p.hear == nil || p.act == nil {
		return
	}
	if n := len(p.act.signals.Dialogs); n > 0 {
		p.act.signals.Dialogs[n-1].Accepted = e.Result
		p.act.signals.Dialogs[n-1].Expected = true
	}
	p.act.answers = append(p.act.answers, deed.Answer{Accept: e.Result, Text: e.UserInput})
	p.act.idle++
}

// An Address is what the tab's history says of the document that it shows.
type Address struct {
	URL   string
	Entry int64 // of the history: going back and forth comes to entries that were there
	Typed bool  // into the browser's window: what a page does by itself, or is led to by a link, is never typed
}

// Where returns the address of the document that the tab shows, as the browser's own history has it.
func (p *Page) Where(ctx context.Context) (Address, error) {
	h, err := cdproto.Call(ctx, p.s, cdppage.GetNavigationHistory, cdproto.Empty{})
	if err != nil {
		return Address{}, err
	}
	if h.CurrentIndex < 0 || int(h.CurrentIndex) >= len(h.Entries) {
		return Address{}, errGone
	}
	e := h.Entries[h.CurrentIndex]
	return Address{URL: e.URL, Entry: e.ID, Typed: e.TransitionType == cdppage.TransitionTypeTyped || e.TransitionType == cdppage.TransitionTypeAddressBar}, nil
}

// Flush waits until all that the page's sessions have told has been dealt with.
func (p *Page) Flush(ctx context.Context) {
	for _, s := range p.sessions() {
		_ = s.Flush(ctx)
	}
}
