package browser

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/deed-dev/deed"
)

func nonce() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, as crypto/rand documents
	return hex.EncodeToString(b[:])
}

// An Option refines one action.
type Option func(*deed.Action)

// Expect declares what must come of the action. All expectations hold in one and the same snapshot.
func Expect(e ...deed.Expect) Option {
	return func(a *deed.Action) { a.Expect = append(a.Expect, e...) }
}

// Intent says in words what should happen. It can lift an ambiguous verdict, never overturn one.
func Intent(s string) Option { return func(a *deed.Action) { a.Intent = s } }

// Timeout bounds the whole action; the context's deadline can only shorten it.
func Timeout(d time.Duration) Option { return func(a *deed.Action) { a.Timeout = d } }

// Dialog answers the native dialog that the action opens. Without it a dialog is dismissed and reported.
func Dialog(accept bool, text string) Option {
	return func(a *deed.Action) { a.Dialog = &deed.Answer{Accept: accept, Text: text} }
}

// Do carries out an action. The error is not nil for every outcome that is not proven, and the result is complete in
// either case; errors.Is(err, deed.CodeMismatch) and the like tell which.
func (p *Page) Do(ctx context.Context, a deed.Action, opts ...Option) (*deed.Result, error) {
	for _, o := range opts {
		o(&a)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var res *deed.Result
	var err error
	if a.Kind == deed.KindTab {
		res, err = p.doTab(ctx, a)
	} else {
		res, err = p.loop.Do(ctx, a)
	}
	p.photograph(ctx, res, err)
	if p.gate != nil {
		if jerr := p.gate.Done(res, err); jerr != nil && err == nil {
			err = &deed.Error{Op: "trace", Code: deed.CodeEnvironment, Err: jerr, SideEffects: deed.EffectsPossible}
		}
	}
	return res, err
}

// loadTimeout bounds what has no deadline of its own and may take long on a page that is large or slow: loading it,
// looking at it.
const loadTimeout = 30 * time.Second

// Goto opens a URL and waits until the document is there and at rest. A status of 400 and more is a mismatch.
func (p *Page) Goto(ctx context.Context, url string, opts ...Option) (*deed.Result, error) {
	a := deed.Action{Kind: deed.KindGoto, Text: url}
	if p.b.o.Timeout == 0 {
		a.Timeout = loadTimeout
	}
	return p.Do(ctx, a, opts...)
}

// Click clicks the one element that matches, and proves what came of it.
func (p *Page) Click(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindClick, Locator: l}, opts...)
}

// Dblclick double-clicks.
func (p *Page) Dblclick(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindDblclick, Locator: l}, opts...)
}

// Fill replaces what a field holds. It is proven when the field holds exactly the text, or the field's own
// formatting of it.
func (p *Page) Fill(ctx context.Context, l deed.Locator, text string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindFill, Locator: l, Text: text}, opts...)
}

// FillSecret is [Page.Fill] with a text that appears in no output: it is masked wherever the page echoes it, and
// compared inside the page.
func (p *Page) FillSecret(ctx context.Context, l deed.Locator, name, secret string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindFill, Locator: l, Text: secret, Secret: name}, opts...)
}

// Press presses a key (Enter, Escape, ArrowDown, Control+A, …) on an element, or on the focused one when the
// locator is zero.
func (p *Page) Press(ctx context.Context, l deed.Locator, key string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindPress, Locator: l, Key: key}, opts...)
}

// Check makes a checkbox, radio or switch checked. It is [deed.OutcomeAlready] when it is.
func (p *Page) Check(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindCheck, Locator: l}, opts...)
}

// Uncheck makes a checkbox or switch unchecked.
func (p *Page) Uncheck(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindUncheck, Locator: l}, opts...)
}

// Select chooses exactly these options, by label or value; "Group: Label" names the group.
func (p *Page) Select(ctx context.Context, l deed.Locator, options []string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindSelect, Locator: l, Options: options}, opts...)
}

// Hover moves the pointer onto the element and keeps it there.
func (p *Page) Hover(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindHover, Locator: l}, opts...)
}

// Focus gives the element the focus.
func (p *Page) Focus(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindFocus, Locator: l}, opts...)
}

// Clear empties a field.
func (p *Page) Clear(ctx context.Context, l deed.Locator, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindClear, Locator: l}, opts...)
}

// Type types a text key by key behind what the field holds.
func (p *Page) Type(ctx context.Context, l deed.Locator, text string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindType, Locator: l, Text: text}, opts...)
}

// Upload gives files to a file input, or to the one whose chooser a click on the element opens.
func (p *Page) Upload(ctx context.Context, l deed.Locator, files []string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindUpload, Locator: l, Files: files}, opts...)
}

// Drag drags the element to where the drop says, by pointer or by the browser's own drag and drop, as the page has it.
func (p *Page) Drag(ctx context.Context, l deed.Locator, to deed.Drop, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindDrag, Locator: l, Drop: &to}, opts...)
}

// ScrollTo brings the element into view. In a region that loads more as it is scrolled, it is scrolled until the element
// is there; "" is the page.
func (p *Page) ScrollTo(ctx context.Context, l deed.Locator, region string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindScroll, Locator: l, Scroll: &deed.Scroll{Region: region}}, opts...)
}

// ScrollBy turns the wheel over a region, "" is the page, by CSS pixels.
func (p *Page) ScrollBy(ctx context.Context, region string, x, y int, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindScroll, Scroll: &deed.Scroll{Region: region, X: x, Y: y}}, opts...)
}

// Back goes back in the tab's history.
func (p *Page) Back(ctx context.Context, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindBack}, opts...)
}

// Forward goes forward in the tab's history.
func (p *Page) Forward(ctx context.Context, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindForward}, opts...)
}

// Reload loads the page anew.
func (p *Page) Reload(ctx context.Context, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindReload}, opts...)
}

// Screenshot returns the viewport as PNG, with sensitive fields covered.
func (p *Page) Screenshot(ctx context.Context) ([]byte, error) {
	res, err := p.Do(ctx, deed.Action{Kind: deed.KindShot})
	if err != nil {
		return nil, err
	}
	png, _ := res.Saved.([]byte)
	return png, nil
}

// Wait waits until every expectation holds in one and the same snapshot.
func (p *Page) Wait(ctx context.Context, e ...deed.Expect) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindWait, Expect: e})
}

// Eval evaluates JavaScript in the page's own world and decodes its JSON value into v, which may be nil.
func (p *Page) Eval(ctx context.Context, expression string, v any, opts ...Option) (*deed.Result, error) {
	res, err := p.Do(ctx, deed.Action{Kind: deed.KindEval, Text: expression}, opts...)
	if err != nil || v == nil {
		return res, err
	}
	raw, _ := res.Saved.(json.RawMessage)
	return res, json.Unmarshal(raw, v)
}

// Watch observes what body does, however it does it, and judges it against the intent and the expectations. It
// records, never undoes, and never fails for a bad verdict: the error is body's own. The verified actions of this page
// are not for body: they would be acts of their own.
func (p *Page) Watch(ctx context.Context, body func(context.Context) error, opts ...Option) (*deed.Result, error) {
	a := deed.Action{Kind: deed.KindWatch}
	for _, o := range opts {
		o(&a)
	}
	return p.loop.Watch(ctx, a, body)
}

// About says which element a watched action is meant for.
func About(l deed.Locator) Option { return func(a *deed.Action) { a.Locator = l } }

// Observe returns the page as it is now, within 30 s. Sensitive values never leave the page; declared secrets are masked.
func (p *Page) Observe(ctx context.Context) (*deed.Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	s, err := p.tab.Observe(ctx)
	if err != nil {
		return nil, p.mask.Error(err)
	}
	p.mask.Snapshot(s)
	return s, nil
}

// Looks tells how the page was looked at so far.
type Looks struct {
	Whole, Partial         int           // looks at everything, and those that took over what had not changed
	WholeTime, PartialTime time.Duration // what they took inside the page
	Visited                int           // elements that were visited
}

// Looks counts the looks at the tab, for measuring.
func (p *Page) Looks() Looks {
	l := p.tab.Looks()
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	return Looks{Whole: l.Looks - l.Partial, Partial: l.Partial, WholeTime: ms(l.InPage - l.PartialInPage), PartialTime: ms(l.PartialInPage), Visited: l.Visits}
}

// BareClick clicks where the element is, as tools without verification do: no guard, no look at what came of it.
// It is there to be compared with.
func (p *Page) BareClick(ctx context.Context, l deed.Locator) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		return &deed.Error{Op: "click", Code: deed.CodeRefused, Where: l.String(), Err: errors.New("a bare click passes no gate"), SideEffects: deed.EffectsNone}
	}
	return p.tab.BareClick(ctx, l)
}

// PointerOnly limits an action to the pointer: no keyboard is tried when the pointer's gesture was prevented.
func (p *Page) PointerOnly(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loop.Options.Ways = nil
	if on {
		p.loop.Options.Ways = []deed.Way{deed.WayPointer}
	}
}

// Mask hides a secret in everything that this page's results, observations and errors say, in whatever form the page
// repeats it.
func (p *Page) Mask(name, secret string) {
	_ = name // the value is what must not be seen; the name may be
	p.mask.Add(secret)
}
