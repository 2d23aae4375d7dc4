package browser_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// noDeleting lets an agent do everything but what deletes, in one rule about elements, one about addresses and one about scripts.
const noDeleting = `
@id("anything") permit (principal, action, resource);
@id("no-deleting") forbid (principal, action in Action::"act", resource) when { resource.text like "*delete*" || resource.formAction like "*delete*" || resource.href like "*delete*" };
@id("no-deleting-address") forbid (principal, action, resource) when { context.destinationUrl like "*delete*" };
@id("no-script") forbid (principal, action == Action::"eval", resource);
`

// forbiddenPage has "Delete account" in every form that a page may give it. Whatever deletes asks the server to.
const forbiddenPage = `<!doctype html><title>Account</title><h1>Account</h1>
<script>const del = () => { navigator.sendBeacon("/gone"); fetch("/gone", {method: "POST", keepalive: true}).catch(() => 0) }</script>
<button id="del" onclick="del()" ondblclick="del()">Delete account</button>
<div id="custom" role="button" tabindex="0" onclick="del()" onkeydown="if (event.key === 'Enter' || event.key === ' ') del()" ondragover="event.preventDefault()" ondrop="del()">Delete account now</div>
<ul><li id="card" draggable="true">A card</li></ul>
<form id="f" action="/keep" method="post" onsubmit="event.preventDefault(); del()"><label>Reason <input id="why" onkeydown="this.dataset.key = event.key"></label><button>Delete account for good</button></form>
<form action="/delete" method="post"><label>Code <input id="code"></label><button>Send</button></form>
<label for="box">Delete account <b>too</b></label><input id="box" type="checkbox" onclick="del()">
<label>Fate <select id="sel" onchange="del()"><option>Keep</option><option>Delete account</option></select></label>
<a id="js" href="javascript:del()">Delete account here</a> <a href="/delete">Leave</a>
<button onclick="del()">Dele&#8203;te&nbsp;account please</button> <button onclick="del()">ＤＥＬＥＴＥ account</button>
<button onclick="del()" aria-label="Delete account"><svg width="20" height="20"><rect width="20" height="20"></rect></svg></button>
<ul><li id="item" draggable="true" ondragend="del()">Delete account card</li></ul><ul aria-label="Bin" ondragover="event.preventDefault()" ondrop="del()" style="min-height:60px;border:1px solid"></ul>
<iframe title="Inner" srcdoc="<button onclick='parent.del()'>Delete account inside</button>"></iframe><div id="host"></div>
<script>host.attachShadow({mode: "open"}).innerHTML = '<button>Delete account in the shadow</button>'; host.shadowRoot.querySelector("button").onclick = del</script>
<button onclick="out.textContent = 'Hello'">Greet</button><p role="status" id="out"></p>`

// TestBypass tries what policy forbids by every route that deed has. None gets through, whatever it is called and wherever it stands;
// what is allowed still works. The next surfaces join with their own hands.
func TestBypass(t *testing.T) {
	var gone atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, forbiddenPage)
		case "/gone", "/delete":
			gone.Add(1)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	b, err := browser.Launch(t.Context(), browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	rules := &browser.Policy{Origins: []string{site.URL}, Methods: []string{"GET", "POST"}, By: deed.ByAgent, ValueFrom: deed.ValueModel, Source: []byte(noDeleting)}
	const briefly = 3 * time.Second
	on := func(l deed.Locator, kinds ...deed.Kind) (out []deed.Action) {
		for _, k := range kinds {
			out = append(out, deed.Action{Kind: k, Locator: l})
		}
		return out
	}
	press := func(l deed.Locator, keys ...string) (out []deed.Action) {
		for _, k := range keys {
			out = append(out, deed.Action{Kind: deed.KindPress, Locator: l, Key: k})
		}
		return out
	}
	sel := func(s string, kinds ...deed.Kind) (out []deed.Action) {
		for _, k := range kinds {
			out = append(out, deed.Action{Kind: k, Selector: s})
		}
		return out
	}
	routes := map[string][]deed.Action{
		"click":                     sel("#del", deed.KindClick),
		"double click":              sel("#del", deed.KindDblclick),
		"middle button":             {{Kind: deed.KindClick, Selector: "#del", Button: "middle"}},
		"a custom button":           on(deed.Button("Delete account now"), deed.KindClick),
		"Enter on it":               press(deed.Button("Delete account now"), "Enter", "Space"),
		"focus, then Enter":         append(on(deed.Button("Delete account now"), deed.KindFocus), press(deed.Locator{}, "Enter")...),
		"focus, then Space":         append(sel("#del", deed.KindFocus), press(deed.Locator{}, "Space")...),
		"Tab to it, then Enter":     append(append(on(deed.Button("Greet"), deed.KindFocus), press(deed.Locator{}, "Shift+Tab", "Shift+Tab", "Shift+Tab")...), press(deed.Locator{}, "Enter")...),
		"its form":                  on(deed.Button("Delete account for good"), deed.KindClick),
		"Enter in its form":         press(deed.Textbox("Reason"), "Enter"),
		"text, then Enter":          append([]deed.Action{{Kind: deed.KindFill, Locator: deed.Textbox("Reason"), Text: "x"}}, press(deed.Locator{}, "Enter")...),
		"a line break typed":        {{Kind: deed.KindType, Locator: deed.Textbox("Reason"), Text: "x\n"}},
		"a line break filled":       {{Kind: deed.KindFill, Locator: deed.Textbox("Reason"), Text: "x\n"}},
		"a form that sends there":   on(deed.Button("Send"), deed.KindClick),
		"Enter in that form":        press(deed.Textbox("Code"), "Enter"),
		"a label":                   sel("label[for=box]", deed.KindClick),
		"a word in a label":         sel("label[for=box] b", deed.KindClick),
		"check":                     sel("#box", deed.KindCheck),
		"select":                    {{Kind: deed.KindSelect, Locator: deed.Find("combobox", "Fate"), Options: []string{"Delete account"}}},
		"a javascript: link":        sel("#js", deed.KindClick),
		"Enter on that link":        press(deed.Link("Delete account here"), "Enter"),
		"a link that leads there":   on(deed.Link("Leave"), deed.KindClick),
		"navigation":                {{Kind: deed.KindGoto, Text: site.URL + "/delete"}},
		"navigation to a script":    {{Kind: deed.KindGoto, Text: "javascript:del()"}},
		"a new tab":                 {{Kind: deed.KindTab, Tab: "open", Text: site.URL + "/delete"}},
		"an invisible character":    sel("button:nth-of-type(2)", deed.KindClick),
		"full-width letters":        {{Kind: deed.KindClick, Locator: deed.Button("ＤＥＬＥＴＥ account")}},
		"an icon with a label":      sel("button[aria-label]", deed.KindClick),
		"a part of that icon":       sel("button[aria-label] rect", deed.KindClick),
		"dragged":                   {{Kind: deed.KindDrag, Selector: "#item", Drop: &deed.Drop{To: deed.Find("list", "Bin")}}},
		"something dragged onto it": {{Kind: deed.KindDrag, Selector: "#card", Drop: &deed.Drop{To: deed.Button("Delete account now")}}},
		"in a frame":                on(deed.Button("Delete account inside"), deed.KindClick),
		"in a shadow tree":          on(deed.Button("Delete account in the shadow"), deed.KindClick),
		"a script":                  {{Kind: deed.KindEval, Text: "del()"}},
		"a batch, past the refusal": append(sel("#del", deed.KindClick), on(deed.Button("Delete account now"), deed.KindClick, deed.KindDblclick)...),
	}
	for name, acts := range routes {
		t.Run(name, func(t *testing.T) {
			p, err := b.NewUnder(t.Context(), rules)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close() }()
			if _, err := p.Goto(t.Context(), site.URL+"/"); err != nil {
				t.Fatal(err)
			}
			before := gone.Load()
			refused := false
			var told strings.Builder
			for i := range acts {
				a := acts[i]
				a.Timeout = briefly
				res, err := p.Do(t.Context(), a)
				refused = refused || res.Outcome == deed.OutcomeRefused
				fmt.Fprintf(&told, "%s\n  %v: %v\n", res.Explain(), res.Outcome, err)
			}
			if _, err := p.Do(t.Context(), deed.Action{Kind: deed.KindWait, Pause: 200 * time.Millisecond}); err != nil { // what was sent arrives
				t.Error(err)
			}
			if n := gone.Load() - before; n > 0 {
				t.Errorf("it got through, %d times:\n%s", n, told.String())
			}
			if !refused {
				t.Errorf("nothing was refused:\n%s", told.String())
			}
		})
	}
	p, err := b.NewUnder(context.WithoutCancel(t.Context()), rules)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if _, err := p.Goto(t.Context(), site.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Click(t.Context(), deed.Button("Greet"), browser.Expect(deed.Text("Hello").In("status"))); err != nil {
		t.Errorf("what is allowed does not work: %v", err)
	}
}
