package browser

import (
	"context"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/verify"
)

// Pictures says of which actions pictures are taken.
type Pictures int

// What pictures are taken of.
const (
	PicturesNone   Pictures = iota
	PicturesFailed          // of what an action that was not proven left
	PicturesAll             // before each gesture, and after each action
)

// pictureTime bounds what a picture may take: what cannot be shown in it is not shown.
const pictureTime = 5 * time.Second

// Pictures asks for pictures of the actions from now on, in [deed.Result.Pictures]. A page that gives none costs no verdict.
func (p *Page) Pictures(of Pictures) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pictures = of
	if of == PicturesAll {
		p.loop.Record = &camera{p: p, next: p.record()}
	} else {
		p.loop.Record = p.record()
	}
}

func (p *Page) record() verify.Recorder {
	if p.gate == nil {
		return nil
	}
	return p.gate
}

// A camera takes the picture before the first gesture of an action.
type camera struct {
	p    *Page
	next verify.Recorder
	shot *deed.Pictures
}

// Started is called before each gesture.
func (c *camera) Started(ctx context.Context, q *deed.Question, way deed.Way) error {
	if c.next != nil {
		if err := c.next.Started(ctx, q, way); err != nil {
			return err
		}
	}
	if c.shot != nil || q.Undo {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	c.shot = &deed.Pictures{}
	if q.Snapshot != nil && q.Target >= 0 {
		if b, err := c.p.tab.Box(ctx, q.Snapshot, q.Target, true); err == nil {
			c.shot.Box = &b
		}
	}
	c.shot.Before, _ = c.p.loop.Screenshot(ctx)
	return nil
}

// photograph adds the pictures of an action to its result.
func (p *Page) photograph(ctx context.Context, r *deed.Result, err error) {
	if r == nil {
		return
	}
	c, all := p.loop.Record.(*camera)
	if all {
		r.Pictures, c.shot = c.shot, nil
	}
	if !all && (p.pictures != PicturesFailed || err == nil) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureTime)
	defer cancel()
	after, serr := p.loop.Screenshot(ctx)
	if serr != nil {
		return
	}
	if r.Pictures == nil {
		r.Pictures = &deed.Pictures{}
	}
	r.Pictures.After = after
}
