package browser

import (
	"context"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

// Script runs a script in the page without making an act of it.
func (p *Page) Script(ctx context.Context, js string) error {
	_, err := p.tab.Eval(ctx, js)
	return err
}

// Raw attaches to the page a second time, for what is done to it behind deed's back.
func (p *Page) Raw(ctx context.Context) (*cdp.Session, error) {
	conn := p.b.chrome.Conn()
	flat := true
	at, err := cdproto.Call(ctx, conn.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: target.ID(p.tab.ID()), Flatten: &flat})
	if err != nil {
		return nil, err
	}
	return conn.Session(at.SessionID), nil
}

// CheckLooks makes every look from now on a whole one, compared with what taking over would have told. The function it returns
// tells the first difference, "" for none, and how many looks there were.
func (p *Page) CheckLooks() func() (otherwise string, looks int) {
	p.tab.CheckLooks()
	return func() (string, int) { l := p.tab.Looks(); return l.Otherwise, l.Looks }
}

// Facts asks the page where an element would lead.
func (p *Page) Facts(ctx context.Context, s *deed.Snapshot, i int) (*deed.Facts, error) {
	return p.tab.Facts(ctx, s, i)
}
