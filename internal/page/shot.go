package page

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"

	cdproto "github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/deed-dev/deed"
)

// Screenshot returns the viewport as PNG. Fields whose values are sensitive are covered, and what stands in the boxes that are given, in the
// picture and not in the page.
func (p *Page) Screenshot(ctx context.Context, cover []deed.Box) ([]byte, error) {
	cover = slices.Clone(cover)
	for _, f := range p.order() {
		var boxes []deed.Box
		if err := p.call(ctx, f, "sensitiveBoxes", nil, &boxes); err != nil {
			if f.id == p.mainFrame() {
				return nil, err
			}
			continue
		}
		for _, b := range boxes {
			in, err := p.boxInMain(ctx, f, b)
			if err != nil {
				return nil, err
			}
			cover = append(cover, in)
		}
	}
	shot, err := cdproto.Call(ctx, p.s, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormatPng})
	if err != nil || len(cover) == 0 {
		return shot.Data, err
	}
	src, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, err
	}
	var width float64
	if err := p.call(ctx, p.order()[0], "viewportWidth", nil, &width); err != nil || width <= 0 {
		return nil, err
	}
	scale := float64(src.Bounds().Dx()) / width
	out := image.NewRGBA(src.Bounds())
	draw.Draw(out, out.Bounds(), src, src.Bounds().Min, draw.Src)
	for _, b := range cover {
		r := image.Rect(int(b.X*scale)-1, int(b.Y*scale)-1, int((b.X+b.Width)*scale)+1, int((b.Y+b.Height)*scale)+1)
		draw.Draw(out, r, image.NewUniform(color.Gray{Y: 96}), image.Point{}, draw.Src)
	}
	var buf bytes.Buffer
	err = png.Encode(&buf, out)
	return buf.Bytes(), err
}

// Box says where an element of a snapshot stands in a screenshot now: its box in the viewport, in CSS pixels. With reveal it is brought into
// view before.
func (p *Page) Box(ctx context.Context, s *deed.Snapshot, target int, reveal bool) (deed.Box, error) {
	f, el, err := p.place(s, target)
	if err != nil {
		return deed.Box{}, err
	}
	var b deed.Box
	if err := p.ask(ctx, "box", f, "box", map[string]any{"id": el, "reveal": reveal}, &b); err != nil {
		return deed.Box{}, err
	}
	return p.boxInMain(ctx, f, b)
}

// boxInMain maps a box in a frame to the main frame.
func (p *Page) boxInMain(ctx context.Context, f *frame, b deed.Box) (deed.Box, error) {
	x, y, err := p.cornerInMain(ctx, f, b.X, b.Y)
	if err != nil {
		return deed.Box{}, err
	}
	right, bottom, err := p.cornerInMain(ctx, f, b.X+b.Width, b.Y+b.Height)
	return deed.Box{X: x, Y: y, Width: right - x, Height: bottom - y}, err
}

// cornerInMain maps a point of a frame to the main frame, whether or not it is in view.
func (p *Page) cornerInMain(ctx context.Context, f *frame, x, y float64) (float64, float64, error) {
	for f.id != p.mainFrame() {
		p.mu.Lock()
		parent := p.frames[f.parent]
		p.mu.Unlock()
		if parent == nil {
			return 0, 0, errGone
		}
		owner, err := p.ownerOf(ctx, f)
		if err != nil {
			return 0, 0, err
		}
		var at struct{ X, Y float64 }
		if err := p.call(ctx, parent, "mapPoint", map[string]any{"id": owner, "x": x, "y": y}, &at); err != nil {
			return 0, 0, err
		}
		x, y, f = at.X, at.Y, parent
	}
	return x, y, nil
}
