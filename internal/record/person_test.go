package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/chrome"
	"github.com/deed-dev/deed/internal/record"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// window starts the browser in which persons act: another one than that of the replays.
func window(t *testing.T) *chrome.Browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	b, err := chrome.Launch(ctx, chrome.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("closing the browser: %v", err)
		}
	})
	return b
}

// begin opens a page to record.
func begin(t *testing.T, b *chrome.Browser, url string) (*record.Session, *person) {
	t.Helper()
	s, err := record.Begin(t.Context(), b.Conn(), url, record.Options{ID: "recorded", Width: 1000, Height: 700})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	return s, attach(t, b.Conn(), s.ID())
}

// A person acts with input that the browser makes itself, over a session of their own: nothing is shared with the recorder.
type person struct {
	t    *testing.T
	conn *cdp.Conn
	s    *cdp.Session
	ctx  context.Context
}

func attach(t *testing.T, conn *cdp.Conn, id string) *person {
	t.Helper()
	flat := true
	at, err := cdproto.Call(t.Context(), conn.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: target.ID(id), Flatten: &flat})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return &person{t: t, conn: conn, s: conn.Session(at.SessionID), ctx: ctx}
}

func (p *person) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) eval(js string, v any) {
	p.t.Helper()
	yes := true
	var out runtime.EvaluateResult
	for { // a document that goes away meanwhile is another one then
		err := p.s.Execute(p.ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: js, ReturnByValue: &yes, AwaitPromise: &yes}, &out)
		if err != nil && p.ctx.Err() == nil && strings.Contains(err.Error(), "navigated") {
			continue
		}
		p.must(err)
		break
	}
	if d := out.ExceptionDetails; d != nil {
		text := d.Text
		if d.Exception != nil {
			text += " " + d.Exception.Description
		}
		p.t.Fatalf("%s: %s", js, text)
	}
	if v != nil && out.Result != nil && len(out.Result.Value) > 0 {
		p.must(json.Unmarshal(out.Result.Value, v))
	}
}

// sees waits until an expression of the page's own world is true.
func (p *person) sees(js string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`new Promise((done, late) => { const end = Date.now() + 20000; (function look() {
		let is = false;
		try { is = (%s); } catch {}
		if (is) done(); else if (Date.now() > end) late(new Error("never seen")); else setTimeout(look, 20); })(); })`, js), nil)
}

func (p *person) centre(el string) (x, y float64) {
	p.t.Helper()
	var at []float64
	p.eval("(it => { it.scrollIntoView({block: 'nearest'}); const box = it.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })("+el+")", &at)
	return at[0], at[1]
}

func (p *person) send(method string, events ...any) {
	p.t.Helper()
	var calls []*cdp.Call
	for _, e := range events {
		calls = append(calls, p.s.Send(p.ctx, method, e))
	}
	for _, c := range calls {
		p.must(c.Wait(p.ctx, nil))
	}
}

func mouse(kind input.DispatchMouseEventType, x, y float64, held bool, count int64) any {
	e := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, ClickCount: count}
	if kind != input.DispatchMouseEventTypeMouseMoved || held {
		e.Button = input.MouseButtonLeft
	}
	if held {
		e.Buttons = 1
	}
	return e
}

func (p *person) move(x, y float64) {
	p.t.Helper()
	p.send(input.CommandDispatchMouseEvent, mouse(input.DispatchMouseEventTypeMouseMoved, x, y, false, 0))
}

func (p *person) down(x, y float64) {
	p.t.Helper()
	p.send(input.CommandDispatchMouseEvent, mouse(input.DispatchMouseEventTypeMousePressed, x, y, true, 1))
}

func (p *person) drag(x, y float64) {
	p.t.Helper()
	p.send(input.CommandDispatchMouseEvent, mouse(input.DispatchMouseEventTypeMouseMoved, x, y, true, 0))
}

func (p *person) up(x, y float64) {
	p.t.Helper()
	p.send(input.CommandDispatchMouseEvent, mouse(input.DispatchMouseEventTypeMouseReleased, x, y, false, 1))
}

func (p *person) clickAt(x, y float64) {
	p.t.Helper()
	p.move(x, y)
	p.send(input.CommandDispatchMouseEvent, mouse(input.DispatchMouseEventTypeMousePressed, x, y, true, 1), mouse(input.DispatchMouseEventTypeMouseReleased, x, y, false, 1))
}

func (p *person) click(el string) { p.t.Helper(); x, y := p.centre(el); p.clickAt(x, y) }

// throw clicks and does not wait until the page has dealt with it: a dialog may stand in between.
func (p *person) throw(el string) {
	p.t.Helper()
	x, y := p.centre(el)
	p.move(x, y)
	for _, e := range []any{mouse(input.DispatchMouseEventTypeMousePressed, x, y, true, 1), mouse(input.DispatchMouseEventTypeMouseReleased, x, y, false, 1)} {
		p.s.Send(p.ctx, input.CommandDispatchMouseEvent, e)
	}
}

var keyCodes = map[string]int64{"Enter": 13, "Tab": 9, "Escape": 27, "ArrowRight": 39, "ArrowDown": 40, "ArrowLeft": 37, "ArrowUp": 38, "Backspace": 8, " ": 32}

func (p *person) press(key string) {
	p.t.Helper()
	down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: key, WindowsVirtualKeyCode: keyCodes[key]}
	switch key {
	case "Enter":
		down.Text = "\r"
	case " ":
		down.Text, down.Code = " ", "Space"
	}
	up := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key, Code: down.Code, WindowsVirtualKeyCode: keyCodes[key]}
	p.send(input.CommandDispatchKeyEvent, down, up)
}

func (p *person) types(text string) {
	p.t.Helper()
	for _, c := range text {
		k := string(c)
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == ' ') { // its key is another one on each keyboard
			p.insert(k)
			continue
		}
		p.send(input.CommandDispatchKeyEvent,
			input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k, UnmodifiedText: k, WindowsVirtualKeyCode: int64(strings.ToUpper(k)[0])},
			input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k, WindowsVirtualKeyCode: int64(strings.ToUpper(k)[0])})
	}
}

func (p *person) selectAll() {
	p.t.Helper()
	a := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "a", Code: "KeyA", WindowsVirtualKeyCode: 'A', Modifiers: 2, Commands: []string{"selectAll"}}
	up := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "a", Code: "KeyA", WindowsVirtualKeyCode: 'A', Modifiers: 2}
	p.send(input.CommandDispatchKeyEvent, a, up)
}

func (p *person) insert(text string) {
	p.t.Helper()
	p.send(input.CommandInsertText, input.InsertTextParams{Text: text})
}

// writes clicks into a field, and replaces what it holds.
func (p *person) writes(el, text string) {
	p.t.Helper()
	p.click(el)
	p.selectAll()
	p.types(text)
}

func (p *person) wheel(x, y, by float64) {
	p.t.Helper()
	p.send(input.CommandDispatchMouseEvent, map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by})
}

func (p *person) files(el string, paths ...string) {
	p.t.Helper()
	var out runtime.EvaluateResult
	p.must(p.s.Execute(p.ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: el}, &out))
	p.must(p.s.Execute(p.ctx, dom.CommandSetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: out.Result.ObjectID}, nil))
}

// asked answers the next native dialog, and returns the function that waits until it has.
func (p *person) asked(accept bool, text string) (wait func()) {
	p.t.Helper()
	opened := make(chan struct{}, 1)
	stop := p.s.Listen(func(ev any) {
		if _, ok := ev.(*cdppage.EventJavascriptDialogOpening); ok {
			opened <- struct{}{}
		}
	})
	p.must(p.s.Execute(p.ctx, cdppage.CommandEnable, cdppage.EnableParams{}, nil))
	return func() {
		p.t.Helper()
		defer stop()
		select {
		case <-opened:
		case <-p.ctx.Done():
			p.t.Fatal("no dialog was opened")
		}
		p.must(p.s.Execute(p.ctx, cdppage.CommandHandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: accept, PromptText: text}, nil))
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// other is a person at another target of the same browser.
func (p *person) other(what string, is func(*target.Info) bool) *person {
	p.t.Helper()
	news := make(chan struct{}, 1)
	stop := p.conn.Browser().Listen(func(any) {
		select {
		case news <- struct{}{}:
		default:
		}
	})
	defer stop()
	for {
		all, err := cdproto.Call(p.ctx, p.conn.Browser(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
		p.must(err)
		for _, t := range all.TargetInfos {
			if is(t) {
				return attach(p.t, p.conn, string(t.TargetID))
			}
		}
		select {
		case <-news:
		case <-p.ctx.Done():
			p.t.Fatalf("there is no %s", what)
		}
	}
}

// frame is the frame of another site.
func (p *person) frame() *person {
	return p.other("frame", func(t *target.Info) bool { return t.Type == "iframe" })
}

// tab is the tab of this title.
func (p *person) tab(title string) *person {
	return p.other("tab "+title, func(t *target.Info) bool { return t.Type == "page" && t.Title == title })
}

// clickIn clicks on an element of the page's one frame.
func (p *person) clickIn(f *person, el string) {
	p.t.Helper()
	f.sees(el + " !== null")
	x, y := f.centre(el)
	var at []float64
	p.eval("(f => { const r = f.getBoundingClientRect(); return [r.left + f.clientLeft, r.top + f.clientTop]; })(document.querySelector('iframe'))", &at)
	p.clickAt(at[0]+x, at[1]+y)
}
