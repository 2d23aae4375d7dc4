package page

import (
	"context"

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
