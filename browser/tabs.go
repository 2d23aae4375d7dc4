package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/page"
)

// OpenTab opens a URL in another tab of the same browser context and goes on there.
func (p *Page) OpenTab(ctx context.Context, url string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindTab, Tab: "open", Text: url}, opts...)
}

// SwitchTab goes on in the tab whose title contains the text, or whose URL matches it as a glob. It waits for the tab.
func (p *Page) SwitchTab(ctx context.Context, text string, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindTab, Tab: "switch", Text: text}, opts...)
}

// CloseTab closes the tab and goes on in the one before it.
func (p *Page) CloseTab(ctx context.Context, opts ...Option) (*deed.Result, error) {
	return p.Do(ctx, deed.Action{Kind: deed.KindTab, Tab: "close"}, opts...)
}

// tabTime bounds an action on tabs that has no time-out of its own.
const tabTime = 10 * time.Second

// doTab carries out an action on the tabs of the browser context.
func (p *Page) doTab(ctx context.Context, a deed.Action) (*deed.Result, error) {
	start := time.Now()
	res := &deed.Result{Action: a, Attempts: 1, Settled: true}
	fail := func(err error) (*deed.Result, error) {
		res.Duration = time.Since(start)
		res.Judgement = deed.Judgement{Reason: err.Error()}
		p.mask.Result(res)
		return res, p.mask.Error(err)
	}
	if err := a.Validate(); err != nil {
		return fail(err)
	}
	var err error
	if res.Outcome, err = p.loop.Permit(ctx, a); err != nil { // a person may take their time
		return fail(err)
	}
	if a.Timeout == 0 {
		a.Timeout = tabTime
	}
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	var said string
	switch a.Tab {
	case "open":
		tab, err := page.Open(ctx, p.b.chrome.Conn(), p.context, p.options())
		if err != nil {
			return fail(err)
		}
		p.use(tab)
		a.Kind = deed.KindGoto
		return p.loop.Do(ctx, a)
	case "switch":
		t, err := p.awaitTab(ctx, a.Text)
		if err != nil {
			return fail(err)
		}
		if err := p.goOnIn(ctx, t.TargetID); err != nil {
			return fail(err)
		}
		said = fmt.Sprintf("went on in page %q %s", t.Title, t.URL)
	default:
		old := p.tab
		if len(p.tabs) < 2 {
			return fail(&deed.Error{Op: "tab", Code: deed.CodeInvalid, Where: "close", Err: errors.New("it is the only tab"), SideEffects: deed.EffectsNone})
		}
		p.tabs = p.tabs[:len(p.tabs)-1]
		last := p.tabs[len(p.tabs)-1]
		if err := old.Close(ctx); err != nil {
			return fail(err)
		}
		p.tab, p.loop.Driver = last, last
		if err := last.ToFront(ctx); err != nil {
			return fail(err)
		}
		said = "closed; the page before it goes on"
	}
	res.Outcome = deed.OutcomeVerified
	res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Reason: said}
	res.Duration = time.Since(start)
	p.mask.Result(res)
	return res, nil
}

// use makes a tab the current one.
func (p *Page) use(tab *page.Page) {
	p.hold(tab)
	for i, t := range p.tabs {
		if t == tab {
			p.tabs = append(p.tabs[:i], p.tabs[i+1:]...)
			break
		}
	}
	p.tabs = append(p.tabs, tab)
	p.tab, p.loop.Driver = tab, tab
}

// goOnIn makes the tab of a target the current one, taking it in where it is new.
func (p *Page) goOnIn(ctx context.Context, id target.ID) error {
	for _, t := range p.tabs {
		if t.ID() == string(id) {
			p.use(t)
			return t.ToFront(ctx)
		}
	}
	tab, err := page.Adopt(ctx, p.b.chrome.Conn(), id, p.options())
	if err != nil {
		return err
	}
	p.use(tab)
	return tab.ToFront(ctx)
}

// awaitTab waits until a tab of the browser context other than the current one answers to the text.
func (p *Page) awaitTab(ctx context.Context, text string) (*target.Info, error) {
	conn := p.b.chrome.Conn().Browser()
	news := make(chan struct{}, 1)
	stop := conn.Listen(func(ev any) {
		switch ev.(type) {
		case *target.EventTargetCreated, *target.EventTargetInfoChanged:
			select {
			case news <- struct{}{}:
			default:
			}
		}
	})
	defer stop()
	for {
		all, err := cdproto.Call(ctx, conn, target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			return nil, err
		}
		var there []string
		for _, t := range all.TargetInfos {
			if t.Type != "page" || t.BrowserContextID != p.context || string(t.TargetID) == p.tab.ID() {
				continue
			}
			if strings.Contains(t.Title, text) || locate.Glob(text, t.URL) {
				return t, nil
			}
			there = append(there, fmt.Sprintf("%q %s", t.Title, t.URL))
		}
		select {
		case <-news:
		case <-ctx.Done():
			e := &deed.Error{Op: "tab", Code: deed.CodeNoMatch, Where: "switch " + text, Err: errors.New("there is no other tab"), SideEffects: deed.EffectsNone}
			if len(there) > 0 {
				e.Err = fmt.Errorf("no tab answers to it; there is %s", strings.Join(there, ", "))
			}
			return nil, e
		}
	}
}
