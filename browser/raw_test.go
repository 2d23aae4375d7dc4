package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/cdp"
)

// A raw hand acts on a page as a plain driver does: DevTools input at measured coordinates, and scripts in the page's own
// world. It shares nothing with deed but the connection. Its methods panic with a rawError, which do turns into an error.
type raw struct {
	ctx context.Context
	p   *browser.Page
	s   *cdp.Session
}

type rawError struct{ err error }

func newRaw(t *testing.T, p *browser.Page) *raw {
	t.Helper()
	s, err := p.Raw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &raw{ctx: t.Context(), p: p, s: s}
}

// do is what f does, as the body of a watched act.
func (r *raw) do(f func(*raw)) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		defer func() {
			if v := recover(); v != nil {
				e, ok := v.(rawError)
				if !ok {
					panic(v)
				}
				err = e.err
			}
		}()
		f(&raw{ctx: ctx, p: r.p, s: r.s})
		return nil
	}
}

func (r *raw) must(err error) {
	if err != nil {
		panic(rawError{err})
	}
}

// eval evaluates an expression in the page's own world, awaiting a promise, and decodes its value into v, which may be nil.
func (r *raw) eval(js string, v any) {
	yes := true
	var out runtime.EvaluateResult
	r.must(r.s.Execute(r.ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: js, ReturnByValue: &yes, AwaitPromise: &yes}, &out))
	if d := out.ExceptionDetails; d != nil {
		text := d.Text
		if d.Exception != nil {
			text += " " + d.Exception.Description
		}
		r.must(fmt.Errorf("%s: %s", js, text))
	}
	if v != nil && out.Result != nil && len(out.Result.Value) > 0 {
		r.must(json.Unmarshal(out.Result.Value, v))
	}
}

func (r *raw) js(format string, args ...any) { r.eval(fmt.Sprintf(format, args...), nil) }

// pause is the time that a plain driver's script lets pass in the page.
func (r *raw) pause(ms int) { r.js("new Promise(r => setTimeout(r, %d))", ms) }

// centre is the middle of the box that the page itself tells of an element: an expression in the page's own world.
func (r *raw) centre(el string) (x, y float64) {
	var at []float64
	r.eval("(it => { const box = it.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })("+el+")", &at)
	if len(at) != 2 {
		r.must(fmt.Errorf("no box of %s", el))
	}
	return at[0], at[1]
}

// send sends input events one after another without waiting in between, and returns once the page has received them.
func (r *raw) send(method string, events ...any) {
	var calls []*cdp.Call
	for _, e := range events {
		calls = append(calls, r.s.Send(r.ctx, method, e))
	}
	for _, c := range calls {
		r.must(c.Wait(r.ctx, nil))
	}
}

func (r *raw) move(x, y float64) {
	r.send(input.CommandDispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y})
}

// wheel turns the wheel at a point.
func (r *raw) wheel(x, y, by float64) {
	r.send(input.CommandDispatchMouseEvent, map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by}) // zero is to be said, too
}

// drag moves with the button held down.
func (r *raw) drag(x, y float64) { r.send(input.CommandDispatchMouseEvent, dragTo(x, y)) }

func dragTo(x, y float64) any {
	return input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1}
}

func press(x, y float64) any {
	return input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
}

func release(x, y float64) any {
	return input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1}
}

func (r *raw) down(x, y float64) { r.send(input.CommandDispatchMouseEvent, press(x, y)) }
func (r *raw) up(x, y float64)   { r.send(input.CommandDispatchMouseEvent, release(x, y)) }

// clickAt moves to a point and clicks there.
func (r *raw) clickAt(x, y float64) {
	r.move(x, y)
	r.send(input.CommandDispatchMouseEvent, press(x, y), release(x, y))
}

// click clicks in the middle of an element, an expression in the page's own world.
func (r *raw) click(el string) { r.clickAt(r.centre(el)) }

// throw sends a click and does not wait until the page has received it.
func (r *raw) throw(x, y float64) {
	for _, e := range []any{press(x, y), release(x, y)} {
		r.s.Send(r.ctx, input.CommandDispatchMouseEvent, e)
	}
}

// keys types key by key.
func (r *raw) keys(text string) {
	for _, c := range text {
		k := string(c)
		r.send(input.CommandDispatchKeyEvent,
			input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k, UnmodifiedText: k, WindowsVirtualKeyCode: int64(strings.ToUpper(k)[0])},
			input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k, WindowsVirtualKeyCode: int64(strings.ToUpper(k)[0])})
	}
}

// selectAll presses Control+A.
func (r *raw) selectAll() {
	a := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "a", Code: "KeyA", WindowsVirtualKeyCode: 'A', Modifiers: 2, Commands: []string{"selectAll"}}
	up := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "a", Code: "KeyA", WindowsVirtualKeyCode: 'A', Modifiers: 2}
	r.send(input.CommandDispatchKeyEvent, a, up)
}

func (r *raw) backspace() {
	k := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Backspace", Code: "Backspace", WindowsVirtualKeyCode: 8}
	up := k
	up.Type = input.DispatchKeyEventTypeKeyUp
	r.send(input.CommandDispatchKeyEvent, k, up)
}

func (r *raw) insert(text string) {
	r.send(input.CommandInsertText, input.InsertTextParams{Text: text})
}

// fill is what plain drivers call fill: a script selects, then the text is inserted.
func (r *raw) fill(el, text string) {
	r.js("(it => { it.focus(); it.select(); })(%s)", el)
	r.insert(text)
}

// sampleFile is a small file to upload.
func (r *raw) sampleFile(name string) string {
	path := filepath.Join(os.TempDir(), name) // of the test process, which removes it
	r.must(os.WriteFile(path, []byte("sample"), 0o600))
	return path
}

// files gives a file input its files.
func (r *raw) files(el string, paths ...string) {
	var out runtime.EvaluateResult
	r.must(r.s.Execute(r.ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: el}, &out))
	r.must(r.s.Execute(r.ctx, dom.CommandSetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: out.Result.ObjectID}, nil))
}
