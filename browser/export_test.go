package browser

import "context"

// Script runs a script in the page without making an act of it.
func (p *Page) Script(ctx context.Context, js string) error {
	_, err := p.tab.Eval(ctx, js)
	return err
}
