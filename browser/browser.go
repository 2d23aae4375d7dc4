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
	egress    *gate.Egress
	stop      func()
}

// Launch starts a browser that ends with this process. Fails with [deed.CodeNoBrowser] where there is none.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	egress, err := o.Policy.egress()
	if err != nil {
		return nil, err
	}
	args := append(o.Policy.resolverArgs(), o.Args...)
	c, err := chrome.Launch(ctx, chrome.Options{Path: o.Path, Headed: o.Headed, NoSandbox: o.NoSandbox, Args: args, Log: o.Log})
	if err != nil {
		return nil, err
	}
	dir := o.Downloads
	if o.Policy != nil && !o.Policy.TopOnly {
		dir = "" // nothing comes in
	} else if dir == "" {
		if dir, err = os.MkdirTemp("", "deed-downloads-"); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	} else if dir, err = filepath.Abs(dir); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return attach(ctx, c, o, egress, dir)
}

// Connect attaches to a browser that runs elsewhere: ws://… or http://host:port. Closing it only disconnects.
func Connect(ctx context.Context, url string, o Options) (*Browser, error) {
	egress, err := o.Policy.egress()
	if err != nil {
		return nil, err
	}
	c, err := chrome.Attach(ctx, url)
	if err != nil {
		return nil, err
	}
	return attach(ctx, c, o, egress, "")
}

func attach(ctx context.Context, c *chrome.Browser, o Options, egress *gate.Egress, downloads string) (*Browser, error) {
	_, err := cdproto.Call(ctx, c.Conn().Browser(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	b := &Browser{chrome: c, o: o, egress: egress, downloads: downloads}
	if b.strict() {
		if b.stop, err = page.HoldPopups(context.WithoutCancel(ctx), c.Conn()); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return b, nil
}

// Notice says what the caller should know about how the browser runs, for example that its sandbox is off and why;
// "" for nothing.
func (b *Browser) Notice() string { return b.chrome.Notice() }

// Product is the browser's name and version.
func (b *Browser) Product() string { return b.chrome.Product() }

// Close ends the browser with all its pages and removes its profile.
func (b *Browser) Close() error {
	if b.stop != nil {
		b.stop()
	}
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

// New opens an empty page with a browser context of its own.
func (b *Browser) New(ctx context.Context) (*Page, error) {
	conn := b.chrome.Conn()
	c, err := cdproto.Call(ctx, conn.Browser(), target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		return nil, err
	}
	yes := true
	behavior := protobrowser.SetDownloadBehaviorParams{Behavior: protobrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: c.BrowserContextID, EventsEnabled: &yes}
	if b.downloads != "" {
		behavior.Behavior, behavior.DownloadPath = protobrowser.SetDownloadBehaviorBehaviorAllowAndName, b.downloads
	}
	downloads := conn.Browser().Send(ctx, protobrowser.CommandSetDownloadBehavior, behavior)
	tab, err := page.Open(ctx, conn, c.BrowserContextID, b.pageOptions())
	if err == nil {
		err = downloads.Wait(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, b.dispose(c.BrowserContextID))
	}
	p := &Page{b: b, context: c.BrowserContextID, tab: tab, tabs: []*page.Page{tab}, mask: &redact.Masker{}}
	p.loop = &verify.Loop{Driver: tab, Decider: allowAll{}, Mask: p.mask, Nonce: nonce, Options: verify.Options{
		Timeout: b.o.Timeout, EffectTimeout: b.o.EffectTimeout, ArbiterTimeout: b.o.ArbiterTimeout, AcceptAmbiguous: b.o.AcceptAmbiguous}}
	if b.o.Arbiter != nil {
		p.loop.Arbiter = judge.Arbiter(b.o.Arbiter)
	}
	return p, nil
}

func (b *Browser) pageOptions() page.Options {
	return page.Options{Width: b.o.Width, Height: b.o.Height, Window: b.o.Headed, Downloads: b.downloads, Egress: b.rule(), TopOnly: b.o.Policy != nil && b.o.Policy.TopOnly}
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

	mu     sync.Mutex // one action at a time
	closed sync.Once
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
