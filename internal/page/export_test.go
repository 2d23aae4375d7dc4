package page

import (
	"context"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/deed-dev/deed"
)

// Identities asks the guard's side of the page script who each node is, one by one.
func (p *Page) Identities(ctx context.Context, s *deed.Snapshot) ([]deed.Node, error) {
	out := make([]deed.Node, len(s.Nodes))
	for i := range s.Nodes {
		f, el, err := p.place(s, i)
		if err != nil {
			return nil, err
		}
		var id *identity
		if err := p.call(ctx, f, "identity", map[string]any{"id": el}, &id); err != nil {
			return nil, err
		}
		if id != nil {
			out[i] = deed.Node{Role: id.Role, Name: id.Name, Region: id.Region, Row: id.Row}
		}
	}
	return out, nil
}

// Again looks at the page once more, taking over what has not changed. With check it compares that, at the same instant,
// with a whole walk, and what was put together with what a whole answer says; it returns the first difference.
func (p *Page) Again(ctx context.Context, check bool) (string, error) {
	p.mu.Lock()
	p.check = check
	p.looks.Otherwise = ""
	p.mu.Unlock()
	_, _, err := p.look(ctx, nil, false)
	return p.Looks().Otherwise, err
}

// MoveMouse moves the pointer, so that something else is hovered.
func (p *Page) MoveMouse(ctx context.Context, x, y float64) error {
	return p.s.Execute(ctx, input.CommandDispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}, nil)
}

// Load opens an address and waits until it is loaded.
func (p *Page) Load(ctx context.Context, url string) error {
	res, err := cdproto.Call(ctx, p.s, cdppage.Navigate, cdppage.NavigateParams{URL: url})
	if err != nil {
		return err
	}
	return p.until(ctx, func() bool {
		f := p.frames[p.main]
		return f != nil && f.loader == res.LoaderID && f.loaded && f.world != 0
	})
}
