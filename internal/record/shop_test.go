package record_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/deed-dev/deed/internal/browsertest"
)

// A whole order, as a person places it, is recorded and replayed.
func TestShop(t *testing.T) {
	base := browsertest.Folder(t, "../../testdata/cases")
	s, p := begin(t, window(t), base+"/honest-shop.html")
	cart := "__oracle.cart.join()"
	p.click(`document.querySelector("[aria-label='Add Shirt M']")`)
	p.sees(cart + ` === "Shirt M"`)
	p.click(`document.querySelector("[aria-label='Add Trousers L']")`)
	p.sees(cart + ` === "Shirt M,Trousers L"`)
	p.click(`document.querySelector("[aria-label='Remove Shirt M']")`)
	p.sees(cart + ` === "Trousers L"`)
	p.writes("coupon", "SUMMER25")
	p.press("Tab")
	p.types("ana")
	p.insert("@example.com")
	p.press("Tab")
	p.types("hunter2hunter")
	p.writes("account", "DE44500105175407324931")
	p.press("Tab")
	p.types("U")
	p.sees(`priority.value === "Urgent"`)
	p.click(`document.querySelector("input[value=Courier]").parentElement`)
	p.sees(`document.querySelector("input[value=Courier]").checked`)
	p.click("terms.parentElement")
	p.sees("terms.checked")
	p.click(`document.querySelector("form button")`)
	p.sees("__oracle.orders.length === 1")
	c := s.Stop()
	t.Logf("%s", c.YAML())
	want := []string{"click", "click", "click", "fill", "fill", "fill", "fill", "select", "check", "check", "click"}
	if got := kinds(c.Steps()); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	text := string(c.YAML())
	for _, piece := range []string{"secret: PASSWORD", "appears: {listitem: Shirt M}", "disappears: {button: Remove Shirt M}", "check: {radio: Courier}"} {
		if !strings.Contains(text, piece) {
			t.Errorf("it does not say %q", piece)
		}
	}
	replay(t, c, map[string]string{"PASSWORD": "hunter2hunter", "ACCOUNT_NUMBER": "DE44500105175407324931"})
}

const bench = `<!doctype html><title>Bench</title><style>button,input,textarea,[contenteditable]{display:block;margin:6px}</style>
<form id=f><label>Task <input id=task></label></form><ul aria-label=Tasks id=list></ul>
<label>Note <textarea id=note></textarea></label>
<div id=ed contenteditable role=textbox aria-label=Letter></div>
<label>Day <input id=day type=date></label><label>Level <input id=lev type=range min=0 max=10 value=3></label>
<button id=ask>Rename</button><button id=del>Delete all</button><h2 id=h ondblclick="h.textContent='Edited'">Title</h2>
<button id=box role=combobox aria-haspopup=listbox aria-expanded=false aria-label=Size aria-controls=pop>Choose</button>
<ul id=pop role=listbox aria-label=Sizes hidden><li role=option>Small</li><li role=option>Large</li></ul>
<p role=status id=st></p><div id=dead>Just words</div>
<script>
f.onsubmit = e => { e.preventDefault(); const li = document.createElement("li"); li.textContent = task.value; list.append(li); task.value = ""; };
ask.onclick = () => { const n = prompt("New name?"); st.textContent = n === null ? "Kept" : "Renamed to " + n; };
del.onclick = () => { st.textContent = confirm("Sure?") ? "Deleted" : "Kept all"; };
box.onclick = () => { pop.hidden = !pop.hidden; box.setAttribute("aria-expanded", !pop.hidden); };
for (const o of pop.children) o.onclick = () => { box.textContent = o.textContent; pop.hidden = true; box.setAttribute("aria-expanded", false); st.textContent = "Size " + o.textContent; };
lev.onchange = () => st.textContent = "Level " + lev.value;
</script>`

// One page with what controls there are: each gesture is its own kind of step.
func TestKindsOfSteps(t *testing.T) {
	s, p := begin(t, window(t), html(t, bench))
	p.click("task")
	p.types("Buy milk")
	p.press("Enter")
	p.sees("list.children.length === 1")
	p.click("note")
	p.types("one")
	p.press("Enter")
	p.types("two")
	p.sees(`note.value === "one\ntwo"`)
	p.click("ed")
	p.types("Dear all")
	p.click("dead") // nothing comes of it
	answered := p.asked(true, "Beans")
	p.throw("ask")
	answered()
	p.sees(`st.textContent === "Renamed to Beans"`)
	answered = p.asked(false, "")
	p.throw("del")
	answered()
	p.sees(`st.textContent === "Kept all"`)
	x, y := p.centre("h")
	p.clickAt(x, y)
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		p.send(input.CommandDispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 2})
	}
	p.sees(`h.textContent === "Edited"`)
	p.click("box")
	p.sees("!pop.hidden")
	p.click("pop.children[1]")
	p.sees(`st.textContent === "Size Large"`)
	p.eval("lev.focus()", nil)
	p.press("ArrowRight")
	p.sees(`st.textContent === "Level 4"`)
	c := s.Stop()
	t.Logf("%s", c.YAML())
	want := []string{"fill", "press", "fill", "fill", "click", "click", "dblclick", "select", "fill"}
	if got := kinds(c.Steps()); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	text := string(c.YAML())
	for _, piece := range []string{`with: "one\ntwo"`, "dialog: {accept: Beans}", "dialog: dismiss", "option: Large", "appears: {listitem: Buy milk}", "key: Enter", "# click on"} {
		if !strings.Contains(text, piece) {
			t.Errorf("it does not say %q", piece)
		}
	}
	replay(t, c, nil)
}
