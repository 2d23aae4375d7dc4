package page

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/input"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/locate"
)

// BareClick clicks where the element is and asks nothing: what tools without verification do. It is the opponent in
// the demo and the bench.
func (p *Page) BareClick(ctx context.Context, l deed.Locator) error {
	s, err := p.Observe(ctx)
	if err != nil {
		return err
	}
	i, err := locate.One(s, l)
	if err != nil {
		return err
	}
	f, el, err := p.place(s, i)
	if err != nil {
		return err
	}
	var at struct{ X, Y float64 }
	if err := p.ask(ctx, "click", f, "whereIs", map[string]any{"id": el}, &at); err != nil {
		return err
	}
	events := []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y},
		{Type: input.DispatchMouseEventTypeMousePressed, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, ClickCount: 1},
	}
	var calls []*cdp.Call
	for i := range events {
		calls = append(calls, p.s.Send(ctx, input.CommandDispatchMouseEvent, events[i]))
	}
	for _, c := range calls {
		if err := c.Wait(ctx, nil); err != nil {
			return fmt.Errorf("click %s: %w", l, err)
		}
	}
	return nil
}
