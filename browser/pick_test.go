package browser_test

import (
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
)

const pickPage = `<!doctype html><title>Pick</title>
<form action="/save" method="post"><label>Name <input id="n" name="n"></label><button id="save" formaction="/keep">Save</button></form>
<p><a id="away" href="/terms?a=1">Read <b id="bold">the terms</b></a></p>
<button class="row" onclick="out.textContent = 'first'">First</button><button class="row" onclick="out.textContent = 'second'"><i style="display:block;width:80px;height:30px"></i>Second</button>
<div id="menu" oncontextmenu="out.textContent = 'menu of the board'; return false" style="width:200px;height:60px" role="group" aria-label="Board" tabindex="0">board</div>
<iframe id="f" title="Frame" style="margin-left:40px;border:5px solid" srcdoc="<button id=inner onclick='this.textContent = &quot;Inner done&quot;'>Inner</button>"></iframe>
<p role="status" id="out"></p>`

// briefly is how long an element that is not there is waited for.
const briefly = 1500 * time.Millisecond

func pick(t *testing.T, a deed.Action) (*deed.Result, error) {
	t.Helper()
	p := browsertest.HTML(t, pickPage)
	return p.Do(t.Context(), a)
}

// A CSS selector names one element, which is then acted on by what it is.
func TestSelector(t *testing.T) {
	for selector, name := range map[string]string{"button.row + button": "Second", "button.row i": "Second", "#inner": "Inner"} {
		res, err := pick(t, deed.Action{Kind: deed.KindClick, Selector: selector})
		if err != nil || res.Target.Name != name {
			t.Errorf("%s: %v %s", selector, err, res.Explain())
		}
	}
	for selector, code := range map[string]deed.Code{"button.row": deed.CodeManyMatches, "#none": deed.CodeNoMatch, "a[": deed.CodeInvalid} {
		if _, err := pick(t, deed.Action{Kind: deed.KindClick, Selector: selector, Timeout: briefly}); !errors.Is(err, code) {
			t.Errorf("%s: %v, want %s", selector, err, code)
		}
	}
}

// A point names the element that a click there would reach, in a frame too.
func TestPoint(t *testing.T) {
	where := map[string]string{
		"Second":         `document.querySelector(".row + .row").getBoundingClientRect()`,
		"Read the terms": `document.querySelector("#bold").getBoundingClientRect()`,
		"Inner": `(() => { const f = document.querySelector("#f"), o = f.getBoundingClientRect(), i = f.contentDocument.querySelector("#inner").getBoundingClientRect();
			return {left: o.left + 5 + i.left, top: o.top + 5 + i.top, width: i.width, height: i.height} })()`,
	}
	for name, box := range where {
		p := browsertest.HTML(t, pickPage)
		var at deed.Point
		if err := newRaw(t, p).do(func(r *raw) {
			r.eval(`(r => ({x: r.left + r.width / 2, y: r.top + r.height / 2}))(`+box+`)`, &at)
		})(t.Context()); err != nil {
			t.Fatal(err)
		}
		res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindHover, Point: &at})
		if err != nil || res.Target.Name != name {
			t.Errorf("%s at %v: %v %s", name, at, err, res.Explain())
		}
	}
	if _, err := pick(t, deed.Action{Kind: deed.KindClick, Point: &deed.Point{X: -5, Y: -5}, Timeout: briefly}); !errors.Is(err, deed.CodeNoMatch) {
		t.Errorf("off the page: %v", err)
	}
}

func TestRightButton(t *testing.T) {
	res, err := pick(t, deed.Action{Kind: deed.KindClick, Locator: deed.Find("group", "Board"), Button: "right"})
	if err != nil || !res.OK() {
		t.Errorf("%v %s", err, res.Explain())
	}
}

// Text without a target goes to what has the focus, which is known by what it is before anything is typed.
func TestTypeAtTheFocus(t *testing.T) {
	p := browsertest.HTML(t, pickPage)
	if _, err := p.Do(t.Context(), deed.Action{Kind: deed.KindType, Text: "x", Timeout: briefly}); !errors.Is(err, deed.CodeNoMatch) {
		t.Errorf("without a focus: %v", err)
	}
	if _, err := p.Focus(t.Context(), deed.Textbox("Name")); err != nil {
		t.Fatal(err)
	}
	res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindType, Text: "Robin"})
	if err != nil || res.Target.Name != "Name" {
		t.Errorf("%v %s", err, res.Explain())
	}
}

func TestFacts(t *testing.T) {
	url := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(pickPage))
	}))
	p := browsertest.Open(t, url)
	s, err := p.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]deed.Facts{
		"Save":           {FrameURL: url + "/", FormAction: url + "/keep", FormMethod: "POST", Submits: true},
		"Name":           {FrameURL: url + "/", FormAction: url + "/save", FormMethod: "POST", Submits: true},
		"Read the terms": {FrameURL: url + "/", Href: url + "/terms?a=1"},
		"First":          {FrameURL: url + "/"},
		"Inner":          {FrameURL: "about:srcdoc"},
	}
	for i := range s.Nodes {
		w, ok := want[s.Nodes[i].Name]
		if !ok || s.Nodes[i].Role == "text" {
			continue
		}
		got, err := p.Facts(t.Context(), s, i)
		if err == nil && s.Nodes[i].Name == "Name" {
			if len(got.Reaches) != 1 || s.Nodes[got.Reaches[0]].Name != "Save" {
				t.Errorf("Enter in the field presses %v", got.Reaches)
			}
			got.Reaches = nil
		}
		if err != nil || !reflect.DeepEqual(*got, w) {
			t.Errorf("%s: %+v, %v, want %+v", &s.Nodes[i], got, err, w)
		}
		delete(want, s.Nodes[i].Name)
	}
	if len(want) > 0 {
		t.Errorf("not seen: %v", want)
	}
}
