package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// A deedSide is deed with one browser and one page, which is what Playwright has too.
type deedSide struct {
	ctx  context.Context
	b    *browser.Browser
	page *browser.Page
}

func launchDeed(ctx context.Context) (*deedSide, error) {
	b, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		return nil, err
	}
	page, err := b.New(ctx)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &deedSide{ctx, b, page}, nil
}

func (d *deedSide) close() error { return d.b.Close() }

func (d *deedSide) open(url string) error {
	_, err := d.page.Goto(d.ctx, url)
	return err
}

// click puts an article into the cart and proves it by the cart.
func (d *deedSide) click(button, item string) (time.Duration, error) {
	return d.verified(func() (*deed.Result, error) {
		return d.page.Click(d.ctx, deed.Button(button), browser.Expect(deed.Appears("listitem", item).In("cart")))
	})
}

func (d *deedSide) fill(field, text string) (time.Duration, error) {
	return d.verified(func() (*deed.Result, error) { return d.page.Fill(d.ctx, deed.Textbox(field), text) })
}

func (d *deedSide) press(field, key, item string) (time.Duration, error) {
	return d.verified(func() (*deed.Result, error) {
		return d.page.Press(d.ctx, deed.Textbox(field), key, browser.Expect(deed.Appears("listitem", item).In("searches")))
	})
}

// verified times an act. Only a verified one counts: "already" would be one that did nothing.
func (d *deedSide) verified(act func() (*deed.Result, error)) (time.Duration, error) {
	start := time.Now()
	r, err := act()
	took := time.Since(start)
	if err == nil && r.Outcome != deed.OutcomeVerified {
		err = fmt.Errorf("%s is %s, not verified", r.Action.Object(), r.Outcome)
	}
	return took, err
}

// looks clicks and tells what the look after the click took inside the page, and what the whole walk before it did.
func (d *deedSide) looks(button string) (part, whole time.Duration, err error) {
	was := d.page.Looks()
	_, err = d.verified(func() (*deed.Result, error) { return d.page.Click(d.ctx, deed.Button(button)) })
	now := d.page.Looks()
	looks, wholes := now.Partial-was.Partial, now.Whole-was.Whole
	if err == nil && (looks == 0 || wholes == 0) {
		err = fmt.Errorf("click %s: %d looks took over what had not changed, %d were whole", button, looks, wholes)
	}
	if err != nil {
		return 0, 0, err
	}
	return (now.PartialTime - was.PartialTime) / time.Duration(looks), (now.WholeTime - was.WholeTime) / time.Duration(wholes), nil
}

// observe looks at a page of n nodes and demands to see them all.
func (d *deedSide) observe(n int) (time.Duration, error) {
	start := time.Now()
	s, err := d.page.Observe(d.ctx)
	took := time.Since(start)
	switch {
	case err != nil:
		return 0, err
	case !s.Complete:
		return 0, fmt.Errorf("the snapshot of %d nodes is incomplete: %s", n, s.Incomplete)
	case len(s.Nodes) < n:
		return 0, fmt.Errorf("the snapshot of %d nodes has %d", n, len(s.Nodes))
	}
	return took, nil
}

func (d *deedSide) evaluate(expression string) (json.RawMessage, error) {
	var value json.RawMessage
	_, err := d.page.Eval(d.ctx, expression, &value)
	return value, err
}

// coldStart is from nothing to a page that is there and at rest. Closing is not in it.
func coldStart(ctx context.Context, url string) (time.Duration, error) {
	start := time.Now()
	b, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		return 0, err
	}
	_, err = b.Open(ctx, url)
	took := time.Since(start)
	return took, errors.Join(err, b.Close())
}
