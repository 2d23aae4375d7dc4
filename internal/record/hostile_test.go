package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/record"
)

// html serves one document at every path.
func html(t *testing.T, text string) string {
	return browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}))
}

const hostile = `<!doctype html><title>Order</title>
<form id=form onsubmit="return false"><label>Name <input id=name name=getAttribute></label><label>Other <input id=other name=tagName></label>
<label id=lab><input type=checkbox id=box name=closest> Newsletter</label>
<select id=sel name=value aria-label=Size><option>S<option>M</select><input type=file id=file name=isTrusted>
<button id=send name=composedPath>Send</button><button id=pay name=dispatchEvent type=button>Pay 900</button></form>
<p role=status id=st></p><iframe id=fr srcdoc="<button id=in>Inside</button>"></iframe>
<script>
window.found = []; window.tried = 0; window.inserted = 0; window.errors = [];
const attempt = f => { tried++; try { f(); } catch (e) { errors.push(String(e)); } };
// What is there to be called?
for (const w of [window, fr.contentWindow]) for (const k of Object.getOwnPropertyNames(w)) if (/deed|tell/i.test(k)) found.push(k);
// What can be taken away from whoever listens?
const keep = { add: EventTarget.prototype.addEventListener, path: Event.prototype.composedPath, stringify: JSON.stringify };
Event.prototype.composedPath = () => [document.getElementById("pay")];
EventTarget.prototype.addEventListener = function () {};
JSON.stringify = () => '{"type":"click"}';
Element.prototype.getAttribute = () => "Pay 900";
Object.defineProperty(MouseEvent.prototype, "isTrusted", { get: () => true });
Array.prototype.map = function () { return [1]; };
Array.prototype.includes = () => true;
window.__deedTell = text => { throw new Error("called with " + text); };
for (const type of ["pointerdown", "pointerup", "click", "keydown", "beforeinput", "input", "change"])
  keep.add.call(window, type, e => { e.stopImmediatePropagation(); if (type === "click" && e.target === send) sent(); }, true);
let busy = false;
const synthetic = () => { if (busy) return; busy = true; const had = document.activeElement; try { all(); } finally { had.focus(); box.checked = false; sel.selectedIndex = 0; busy = false; } };
const all = () => {
  for (const el of [pay, box, sel, other, fr.contentDocument.getElementById("in")]) if (el) {
    for (const type of ["pointerdown", "pointerup", "mousedown", "mouseup", "click", "dblclick"]) attempt(() => el.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, pointerId: 1, detail: 1, isTrusted: true })));
    for (const type of ["keydown", "keyup"]) attempt(() => el.dispatchEvent(new KeyboardEvent(type, { bubbles: true, key: "Enter" })));
    for (const type of ["beforeinput", "input"]) attempt(() => el.dispatchEvent(new InputEvent(type, { bubbles: true, inputType: "insertText", data: "x" })));
    attempt(() => el.dispatchEvent(new Event("change", { bubbles: true })));
  }
  // These make the browser itself fire events, trusted ones.
  attempt(() => pay.click());
  attempt(() => lab.click());
  attempt(() => box.click());
  attempt(() => { other.focus(); document.execCommand("insertText", false, "injected"); if (other.value === "injected") inserted++; other.value = ""; });
  attempt(() => form.requestSubmit());
  attempt(() => { sel.selectedIndex = 1; sel.dispatchEvent(new Event("input", { bubbles: true })); sel.dispatchEvent(new Event("change", { bubbles: true })); });
  attempt(() => { const d = new DataTransfer(); d.items.add(new File(["x"], "injected.txt")); file.files = d.files; file.dispatchEvent(new Event("change", { bubbles: true })); });
  attempt(() => postMessage({ type: "click", path: [1], look: "{}" }, "*"));
  attempt(() => fr.contentWindow.postMessage('{"type":"down"}', "*"));
  attempt(() => window.__deedTell && window.__deedTell('{"type":"click","path":[1],"count":1}'));
};
synthetic();
const sent = () => { synthetic(); st.textContent = "Sent for " + name_(); };
const name_ = () => document.getElementById("name").value;
keep.add.call(document, "focusin", e => { if (e.target.id === "name") synthetic(); });
</script>`

// A page that does all it can to be in the recording is not, and cannot keep what the person does out of it.
func TestWUD22_ThePageCannotReachTheRecorder(t *testing.T) {
	s, p := begin(t, window(t), html(t, hostile))
	p.click(`document.getElementById("name")`)
	p.types("Ana")
	p.click("send")
	p.sees(`st.textContent === "Sent for Ana"`)
	var state struct {
		Found, Errors []string
		Tried         int
		Inserted      int
	}
	p.eval(`({found, errors, tried, inserted})`, &state)
	if len(state.Found) > 0 {
		t.Errorf("the page finds %v", state.Found)
	}
	if state.Tried < 100 || state.Inserted == 0 {
		t.Fatalf("the page did not try: %+v", state)
	}
	c := s.Stop()
	t.Logf("%s", c.YAML())
	var got []string
	for _, st := range c.Steps() {
		got = append(got, string(st.Action.Kind)+" "+st.Action.Locator.String()+" "+st.Action.Text)
	}
	want := []string{`fill textbox "Name" Ana`, `click button "Send" `}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, the person did %q", got, want)
	}
	for _, e := range c.Entries {
		if !e.IsStep() {
			t.Errorf("remark %q", e.Comment)
		}
	}
}

const secretPage = `<!doctype html><title>Sign in</title><form id=f action=/next>
<label>E-mail <input id=e name=e></label><label>Password <input id=p name=p type=password></label><label>Card number <input id=c name=c></label>
<label>One-time code <input id=o name=o></label><label>Pet <input id=m name=m data-deed-sensitive></label>
<button id=b type=button>Check</button><button id=ask type=button>Ask</button>
<div id=pad role=textbox tabindex=0 aria-label=PIN>none</div><button id=go>Sign in</button></form><p role=status id=st></p><p id=echo></p>
<script>
for (const i of [p, c, o, m]) i.oninput = () => { echo.textContent = "You typed " + i.value; document.title = i.value; };
ask.onclick = () => { st.textContent = confirm("Use " + p.value + "?") ? "Used" : "Not used"; };
pad.onkeydown = e => { if (e.key.length === 1) pad.textContent += "*"; };
b.onclick = () => { st.textContent = "Checked " + p.value; echo.textContent = "Ready"; };
</script>`

// What is typed into a sensitive field is in no byte of the output, nor of anything that the page script told.
func TestSecretsAreReferences(t *testing.T) {
	var mu sync.Mutex
	var told bytes.Buffer
	tap := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		switch v := v.(type) {
		case record.Hand:
			v.Signals = deed.Signals{}
			fmt.Fprintf(&told, "%+v\n", v)
			j, _ := json.Marshal(v.Before)
			told.Write(j)
		case record.Look:
			j, _ := json.Marshal(v.Snapshot)
			told.Write(j)
		}
	}
	b := window(t)
	s, err := record.Begin(t.Context(), b.Conn(), html(t, secretPage)+"/", record.Tapped(record.Options{ID: "sign-in", Width: 1000, Height: 700}, tap))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	p := attach(t, b.Conn(), s.ID())
	p.writes("e", "ana@example.test")
	secrets := map[string]string{"p": "hunter2hunter", "c": "4000123456789", "o": "778123", "m": "Rexington"}
	for _, id := range []string{"p", "c", "o", "m"} {
		p.writes("document.getElementById('"+id+"')", secrets[id])
		p.sees("document.getElementById('" + id + "').value === '" + secrets[id] + "'")
	}
	p.click("b")
	p.sees("st.textContent !== ''")
	answered := p.asked(true, "")
	p.throw("ask")
	answered()
	p.sees("st.textContent === 'Used'")
	p.click("pad")
	p.types("90817263")
	p.sees("pad.textContent.endsWith('********')")
	mu.Lock()
	before := told.Len()
	said := told.String()
	mu.Unlock()
	p.click("go")
	p.sees("location.pathname === '/next'")
	c := s.Stop()
	t.Logf("%s", c.YAML())
	j, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if before < 1000 {
		t.Fatalf("only %d bytes were told", before)
	}
	for n := range "90817263" { // key by key
		if key := "90817263"[n : n+1]; strings.Contains(string(c.YAML()), "key: "+key) || strings.Contains(string(c.YAML()), "key: \""+key) {
			t.Errorf("the case holds the key %s", key)
		}
	}
	for _, secret := range secrets {
		for what, text := range map[string]string{"the case": string(c.YAML()), "its JSON": string(j), "what was told": said} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s holds %q: …%s", what, secret, text[max(0, i-100):min(len(text), i+60)])
			}
		}
	}
	// WU-D26: what the case begins with is the page that was opened, not the one on which the recording ended.
	if u, err := url.Parse(c.Start); err != nil || u.Path != "/" {
		t.Errorf("WU-D26: the case starts at %s", c.Start)
	}
	if want := []string{"PASSWORD", "CARD_NUMBER", "ONE_TIME_CODE", "PET"}; !slices.Equal(c.Secrets, want) {
		t.Errorf("secrets %v, want %v", c.Secrets, want)
	}
	replay(t, c, map[string]string{"PASSWORD": "hunter2hunter", "CARD_NUMBER": "4000123456789", "ONE_TIME_CODE": "778123", "PET": "Rexington"})
}
