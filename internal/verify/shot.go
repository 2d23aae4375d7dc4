package verify

import (
	"context"
	"errors"

	"github.com/deed-dev/deed"
)

// Screenshot is a picture of the viewport, in which nothing sensitive can be read: neither a sensitive field, nor a secret that the page
// says somewhere else.
func (l *Loop) Screenshot(ctx context.Context) ([]byte, error) {
	if !l.Mask.Knows() {
		return l.Driver.Screenshot(ctx, nil)
	}
	for {
		png, err := l.covered(ctx)
		if !errors.Is(err, deed.CodeStaleRef) || ctx.Err() != nil {
			return png, err
		}
		// The page changed in between: nothing is shown that was not looked at.
	}
}

func (l *Loop) covered(ctx context.Context) ([]byte, error) {
	s, err := l.Driver.Observe(ctx)
	if err != nil {
		return nil, err
	}
	says := make([]bool, len(s.Nodes)) // itself, or something in it
	var cover []deed.Box
	for i := len(s.Nodes) - 1; i >= 0; i-- { // what is inside stands after what is around it
		n := &s.Nodes[i]
		inside := says[i]
		own := l.Mask.String(n.Name) != n.Name || l.Mask.String(n.Value) != n.Value
		if (own || inside) && n.Parent >= 0 {
			says[n.Parent] = true
		}
		if !own || inside {
			continue // the innermost is what says it
		}
		b, err := l.Driver.Box(ctx, s, i, false)
		if err != nil {
			return nil, err // what cannot be covered is not shown
		}
		cover = append(cover, b)
	}
	return l.Driver.Screenshot(ctx, cover)
}
