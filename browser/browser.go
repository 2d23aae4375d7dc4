// Package browser is the hands of deed: it opens pages in Chromium and carries out verified actions on them.
//
// Every action returns a [deed.Result] that tells what really happened, and an error for every outcome that is not
// proven; the result is complete in either case. An effect that was not meant is prevented, undone, or reported as
// what is left.
//
//	b, err := browser.Launch(ctx, browser.Options{})
//	page, err := b.Open(ctx, "https://shop.example")
//	res, err := page.Click(ctx, deed.Button("Add T-shirt M").In("catalog"),
//		browser.Expect(deed.Appears("listitem", "T-shirt M").In("cart")))
//
// Law of this package: it wires the loop (internal/verify) to the page (internal/page) and adds nothing to what
// they decide.
package browser

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/chrome"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/judge"
	"github.com/deed-dev/deed/internal/page"
	"github.com/deed-dev/deed/internal/redact"
	"github.com/deed-dev/deed/internal/verify"
)

// Options of a browser and of the pages that it opens. The zero value is the default.
type Options struct {
	Path      string   // of the browser's program; "" looks for one: DEED_BROWSER, PATH, the usual places
	Headed    bool     // open windows
	NoSandbox bool     // start without Chromium's sandbox; it is left out without being asked only where it cannot start, see [Browser.Notice]
	Args      []string // further flags for the browser

	Width, Height int // of the viewport in CSS pixels; 0 is 1280 × 720, or the window's where there is one

	Timeout         time.Duration // of an action, whole; 0 is 5 s
	EffectTimeout   time.Duration // until "nothing happened" may be said; 0 is 3 s
	AcceptAmbiguous bool          // let an ambiguous verdict pass; its reason then says that policy decided
	Arbiter         Arbiter       // asked only when the verdict is ambiguous, answers only yes or no; nil is none
	ArbiterTimeout  time.Duration // 0 is 20 s

	// Downloads is the folder for the files that pages download, each under a folder of its own with the name that the
	// page gave it; "" is a temporary one that [Browser.Close] removes.
	Downloads string

	Policy *Policy // nil: the program that uses the browser decides itself

	Log io.Writer // the browser's own messages; nil discards them
}

// An Arbiter breaks ties: a person or a model. Only "yes" counts as yes; anything else, an error or a time-out is no.
type Arbiter interface {
	Decide(ctx context.Context, prompt string) (answer string, err error)
}

// A Browser is one running Chromium. Its methods are safe for concurrent use.
type Browser struct {
	chrome    *chrome.Browser
	o         Options
	downloads string // "" where downloads are refused: a browser that runs elsewhere, or a policy

	mu   sync.Mutex
	held map[string]bool // tabs under a policy that lets them open none
	stop func()          // ends the holding of popups; nil while no page needs it
}

// Launch starts a browser that ends with this process. Fails with [deed.CodeNoBrowser] where there is none.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	if _, err := o.Policy.egress(); err != nil {
		return nil, err
	}
	args := append(o.Policy.resolverArgs(), o.Args...)
	c, err := chrome.Launch(ctx, chrome.Options{Path: o.Path, Headed: o.Headed, NoSandbox: o.NoSandbox, Args: args, Log: o.Log})
	if err != nil {
		return nil, err
	}
	dir := o.Downloads
	if dir == "" {
		if dir, err = os.MkdirTemp("", "deed-downloads-"); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	} else if dir, err = filepath.Abs(dir); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return attach(ctx, c, o, dir)
}

// Connect attaches to a browser that runs elsewhere: ws://… or http://host:port. Closing it only disconnects.
func Connect(ctx context.Context, url string, o Options) (*Browser, error) {
	if _, err := o.Policy.egress(); err != nil {
		return nil, err
	}
	c, err := chrome.Attach(ctx, url)
	if err != nil {
		return nil, err
	}
	return attach(ctx, c, o, "")
}

func attach(ctx context.Context, c *chrome.Browser, o Options, downloads string) (*Browser, error) {
	_, err := cdproto.Call(ctx, c.Conn().Browser(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &Browser{chrome: c, o: o, downloads: downloads}, nil
}

// Notice says what the caller should know about how the browser runs, for example that its sandbox is off and why;
// "" for nothing.
func (b *Browser) Notice() string { return b.chrome.Notice() }

// Product is the browser's name and version.
func (b *Browser) Product() string { return b.chrome.Product() }

// Close ends the browser with all its pages and removes its profile.
func (b *Browser) Close() error {
	b.mu.Lock()
	if b.stop != nil {
		b.stop()
	}
	b.mu.Unlock()
	err := b.chrome.Close()
	if b.downloads != "" && b.o.Downloads == "" {
		err = errors.Join(err, os.RemoveAll(b.downloads))
	}
	return err
}

// Done is closed when the browser is gone.
func (b *Browser) Done() <-chan struct{} { return b.chrome.Done() }

// Open opens a URL in a page with a browser context of its own: no cookies, storage or cache are shared with other
// pages. Where the URL cannot be opened the error says why and no page is left.
func (b *Browser) Open(ctx context.Context, url string) (*Page, error) {
	p, err := b.New(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.Goto(ctx, url); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// New opens an empty page with a browser context of its own, under the browser's policy if it has one.
func (b *Browser) New(ctx context.Context) (*Page, error) { return b.NewUnder(ctx, b.o.Policy) }

// NewUnder opens an empty page under a policy of its own; nil is none. The browser's own policy is not added to it.
func (b *Browser) NewUnder(ctx context.Context, policy *Policy) (*Page, error) {
	return b.NewPage(ctx, PageOptions{Policy: policy})
}

// PageOptions are what a page is opened with. The zero value is an empty page under no policy, in a plain desktop window.
type PageOptions struct {
	Policy  *Policy       // nil is none; the browser's own is not added to it
	Gate    *gate.Gate    // of this policy ([Policy.NewGate]), to which the caller proposes; nil is one of the page's own, where there are rules
	Setting *deed.Setting // the device, the time, what is stored, how the network answers; nil is as it is
	Session *deed.Session // that it goes on with; nil is none
}

// NewPage opens an empty page with a browser context of its own. Fails with [deed.CodeInvalid] for a policy or a setting that cannot be.
func (b *Browser) NewPage(ctx context.Context, o PageOptions) (*Page, error) {
	policy, g := o.Policy, o.Gate
	var err error
	if g == nil && policy != nil && policy.By != "" {
		if g, err = policy.NewGate(); err != nil {
			return nil, err
		}
	}
	conn := b.chrome.Conn()
	p := &Page{b: b, policy: policy, setting: o.Setting, mask: &redact.Masker{}}
	if s := o.Session; s != nil {
		all := deed.Setting{}
		if o.Setting != nil {
			all = *o.Setting
		}
		// What the session has is not set anew: of two values of a key the first stays, of two cookies the later.
		all.Storage = append(slices.Clone(s.Storage), all.Storage...)
		all.Cookies = append(slices.Clone(all.Cookies), s.Cookies...)
		p.setting = &all
	}
	if g != nil {
		p.egress = g.Egress
	} else if p.egress, err = policy.egress(); err != nil {
		return nil, err
	}
	if p.strict() {
		if err := b.holdPopups(ctx); err != nil {
			return nil, err
		}
	}
	c, err := cdproto.Call(ctx, conn.Browser(), target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		return nil, err
	}
	yes := true
	behavior := protobrowser.SetDownloadBehaviorParams{Behavior: protobrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: c.BrowserContextID, EventsEnabled: &yes}
	if b.downloads != "" && !p.strict() {
		behavior.Behavior, behavior.DownloadPath = protobrowser.SetDownloadBehaviorBehaviorAllowAndName, b.downloads
	}
	downloads := conn.Browser().Send(ctx, protobrowser.CommandSetDownloadBehavior, behavior)
	tab, err := page.Open(ctx, conn, c.BrowserContextID, p.options())
	if err == nil {
		err = downloads.Wait(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, b.dispose(c.BrowserContextID))
	}
	if p.setting != nil {
		if err := page.SetCookies(ctx, conn, c.BrowserContextID, p.setting.Cookies); err != nil {
			return nil, errors.Join(err, b.dispose(c.BrowserContextID))
		}
	}
	p.hold(tab)
	p.context, p.tab, p.tabs = c.BrowserContextID, tab, []*page.Page{tab}
	p.loop = &verify.Loop{Driver: tab, Decider: allowAll{}, Mask: p.mask, Nonce: nonce, Options: verify.Options{
		Timeout: b.o.Timeout, EffectTimeout: b.o.EffectTimeout, ArbiterTimeout: b.o.ArbiterTimeout, AcceptAmbiguous: b.o.AcceptAmbiguous}}
	if b.o.Arbiter != nil {
		p.loop.Arbiter = judge.Arbiter(b.o.Arbiter)
	}
	if g != nil {
		g.Mask = p.mask
		p.gate, p.loop.Decider, p.loop.Record = g, g, g
	}
	return p, nil
}

// holdPopups makes the browser stop new pages before they ask for anything, once a page is under a policy that needs it.
func (b *Browser) holdPopups(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil {
		return nil
	}
	var err error
	b.stop, err = page.HoldPopups(context.WithoutCancel(ctx), b.chrome.Conn(), func(opener string) bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.held[opener]
	})
	return err
}

// hold notes that a tab is under a policy that lets it open no others.
func (p *Page) hold(tab *page.Page) {
	if !p.strict() {
		return
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.b.held == nil {
		p.b.held = map[string]bool{}
	}
	p.b.held[tab.ID()] = true
}

func (p *Page) options() page.Options {
	o := page.Options{Width: p.b.o.Width, Height: p.b.o.Height, Window: p.b.o.Headed, Downloads: p.b.downloads, Egress: p.rule(), Setting: p.setting, TopOnly: p.policy != nil && p.policy.TopOnly}
	if p.strict() {
		o.Downloads = "" // nothing comes in
	}
	return o
}

func (b *Browser) dispose(id cdproto.BrowserContextID) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := cdproto.Call(ctx, b.chrome.Conn().Browser(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: id})
	if errors.Is(err, deed.CodeDisconnected) {
		return nil
	}
	return err
}

// allowAll is the policy of a caller who declared none: their own code is the decision.
type allowAll struct{}

func (allowAll) Decide(context.Context, *deed.Question) (deed.Ruling, error) {
	return deed.Ruling{Decision: deed.Allow}, nil
}

// A Page is one tab in a browser context of its own. Actions on a page run one after another.
type Page struct {
	b       *Browser
	context cdproto.BrowserContextID
	tab     *page.Page   // the current one
	tabs    []*page.Page // all that were acted in, the current one last
	loop    *verify.Loop
	mask    *redact.Masker
	policy  *Policy
	gate    *gate.Gate   // nil: the program decides itself
	egress  *gate.Egress // nil: everything may leave
	setting *deed.Setting

	pictures Pictures

	mu     sync.Mutex // one action at a time
	closed sync.Once
}

// Session is what the page's browser context keeps of who is signed in: all cookies, and what the origins of the documents that are open
// have stored. It holds secrets: whoever keeps it keeps it as such.
func (p *Page) Session(ctx context.Context) (*deed.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tab.Session(ctx, p.context)
}

// Troubles are what went wrong on the page's tabs since they were last asked for, whether or not an action caused it: console errors,
// uncaught exceptions, answers of 500 and above.
func (p *Page) Troubles() []deed.Trouble {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []deed.Trouble
	for _, t := range p.tabs {
		out = append(out, t.Troubles()...)
	}
	masked, _ := p.mask.Value(out).([]deed.Trouble)
	return masked
}

// Close closes the page and its browser context. It works on a page that hangs.
func (p *Page) Close() error {
	var err error
	p.closed.Do(func() {
		for _, t := range p.tabs {
			t.Detach()
		}
		err = p.b.dispose(p.context)
	})
	return err
}
