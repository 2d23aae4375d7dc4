package browser_test

import (
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// status is the expectation that the page's status says this.
func status(text string) []deed.Expect { return []deed.Expect{deed.Text(text).In("status")} }

// naivePointer press where the element is said to be.
var naivePointer = []naive{
	naiveAt("aria-disabled-parent", "mouse click at centre", 1, func(r *raw) { r.click("b") }),
	naiveAt("busted-builtins", "main-world getBoundingClientRect + mouse", 2, func(r *raw) {
		r.fill("v", "SAVE5")
		r.click("b")
	}),
	naiveAt("canvas-with-semantics", "mouse click in the middle of the canvas", 1, func(r *raw) { r.click("c") }),
	naiveAt("custom-slider-keys", "click", 4, func(r *raw) { r.click("th") }),
	{page: "datepicker-adjacent-months", how: `click first element with text "30"`, acts: []naiveAct{
		{step: 1, do: func(r *raw) { r.click("nx") }},
		{step: 2, do: func(r *raw) { r.click(`[...document.querySelectorAll("button")].find(b => b.textContent === "30")`) }},
	}},
	{page: "details-accordion", how: "mouse click at the centre of the summary, then the button", acts: []naiveAct{
		{step: 1, do: func(r *raw) { r.click(`document.querySelectorAll("summary")[1]`) }},
		{step: 2, do: func(r *raw) { r.click("label") }},
	}},
	naiveAt("display-contents-button", "getBoundingClientRect centre", 1, func(r *raw) { r.click(`document.querySelectorAll(".r")[2]`) }),
	{page: "duplicate-edit-rows", how: "first match", acts: []naiveAct{
		{step: 1, do: func(r *raw) { r.click(`document.querySelector("tbody button")`) }},
		{step: 2, do: func(r *raw) { r.click(`document.querySelector("tbody button")`) }},
	}},
	naiveAt("frame-same-name-button", "page.getByRole in the main frame", 2, func(r *raw) {
		r.js("f.contentDocument.getElementById('v').focus()")
		r.insert("FI0000")
		r.click("s")
	}),
	naiveAt("frame-scaled-nested", "sum of frame rectangles + element rectangle, no transforms", 1, func(r *raw) {
		var at []float64
		r.eval(`(() => { const i = f.contentDocument.querySelector("iframe"), a = f.getBoundingClientRect(), b = i.getBoundingClientRect(),
			c = i.contentDocument.querySelectorAll("button")[1].getBoundingClientRect();
			return [a.left + b.left + c.left + c.width / 2, a.top + b.top + c.top + c.height / 2]; })()`, &at)
		r.clickAt(at[0], at[1])
	}),
	{page: "huge-table", how: "take the first 50 000 characters of the snapshot and pick Open", acts: []naiveAct{
		{step: 1, within: 8 * time.Second, do: func(r *raw) { r.click(`document.querySelector("tbody button")`) }},
	}},
	naiveAt("keyboard-only-listbox", "click the option", 1, func(r *raw) { r.click("z2") }),
	{page: "keyed-list-reindex", how: "keep ElementHandles from one observation and click both", acts: []naiveAct{
		{step: 1, fine: true, do: func(r *raw) {
			r.js(`window.handles = ["Apples", "Cherries"].map(n => document.querySelector("[aria-label='Remove " + n + "']"))`)
			r.click("handles[0]")
		}},
		{step: 2, do: func(r *raw) { r.click("handles[1]") }},
	}},
	naiveAt("label-with-terms-link", "mouse click at the centre of the label", 1, func(r *raw) { r.click("document.querySelector('label')") }),
	naiveAt("late-cookie-banner", "coordinates from load, pressed 1.2 s later", 2, func(r *raw) {
		x, y := r.centre("o")
		r.js(`new Promise(done => (function look() { ck.style.display === "block" ? done() : setTimeout(look, 20); })())`)
		r.clickAt(x, y)
	}),
	{page: "late-effect-order", how: "click, no change in 700 ms, click again", acts: []naiveAct{
		{step: 1, within: 8 * time.Second, do: func(r *raw) {
			r.click("b")
			r.pause(700)
			r.click("b")
			r.pause(700)
			r.click("b")
		}},
	}},
	{page: "leftover-backdrop", how: "mouse click on Next step right after closing", acts: []naiveAct{
		{step: 1, fine: true, do: func(r *raw) { r.click("tips") }},
		{step: 3, do: func(r *raw) {
			r.click("document.getElementById('close')")
			r.click("next")
		}},
	}},
	{page: "optimistic-reverts", how: "click and read the state after 200 ms", acts: []naiveAct{
		{step: 1, within: 3 * time.Second, do: func(r *raw) {
			r.click("s")
			r.pause(200)
		}},
	}},
	naiveAt("overlay-dodges-on-hover", "mouse down/up at the centre of the box", 1, func(r *raw) { r.click("pay") }),
	naiveAt("overlay-dodges-on-hover", "locator.click({force:true})", 1, func(r *raw) {
		r.js("pay.scrollIntoViewIfNeeded()")
		r.click("pay")
	}),
	naiveAt("pointer-events-none-loading", "mouse click at centre right after load", 1, func(r *raw) { r.click("dflt") }),
	naiveAt("select-multiple-keeps", "mouse click on the option", 1, func(r *raw) { r.click(`[...document.getElementById("r").options].find(o => o.text === "Reports")`) }),
	naiveAt("shadow-slotted-names", "n-th name (light DOM order) -> n-th button in the shadow root", 1, func(r *raw) {
		r.click(`document.querySelector("tool-bar").shadowRoot.querySelectorAll("button")[0]`)
	}),
	naiveAt("shift-on-approach", "mouse move, down, up at measured centre", 1, func(r *raw) { r.click("contact") }),
	{page: "spa-route-same-button", how: "click, observe no change after 250 ms, decide, click again 1 s later", acts: []naiveAct{
		{step: 1, within: 2 * time.Second, do: func(r *raw) {
			r.click("n")
			r.pause(250)
			r.pause(1000)
			r.click("n")
		}},
	}},
	naiveAt("sticky-header-swallow", "el.scrollIntoView() then mouse click at its centre", 1, func(r *raw) {
		r.js(`document.querySelectorAll("section button")[4].scrollIntoView()`)
		r.click(`document.querySelectorAll("section button")[4]`)
	}),
	{page: "stuck-script-after-click", how: "mouse click, 2 s without an answer, click again", dies: true, acts: []naiveAct{
		{step: 1, within: 20 * time.Second, do: func(r *raw) {
			x, y := r.centre("b")
			r.move(x, y)
			r.throw(x, y)
			waited := make(chan struct{})
			time.AfterFunc(2*time.Second, func() { close(waited) })
			<-waited
			r.throw(x, y)
		}},
	}},
	naiveAt("svg-ring-slices", "mouse click at bounding-box centre", 1, func(r *raw) { r.click(`document.querySelector("svg path")`) }),
	naiveAt("wrapped-inline-link", "mouse click at bounding-box centre", 1, func(r *raw) { r.click("a") }),
	naiveAt("wrong-row-then-undo", "click and look for the success toast", 1, func(r *raw) {
		r.must(r.p.BareClick(r.ctx, deed.Button("Archive Beta")))
		r.js(`new Promise(done => (function look() { document.querySelector("[role=status]") ? done() : setTimeout(look, 20); })())`)
	}),
	{page: "renderer-out-of-memory", how: "click, on crash reload and click again", dies: true, acts: []naiveAct{
		{step: 1, within: 15 * time.Second, do: func(r *raw) { r.click("b") }},
		{step: 1, within: 15 * time.Second, reload: "?peek=1", do: func(r *raw) { r.click("b") }},
	}},
	{page: "hydration-dead-controls", how: "fill and click right after load", acts: []naiveAct{
		{step: 2, within: 2 * time.Second, do: func(r *raw) {
			r.fill("e", "kai@example.test")
			r.click("b")
		}},
	}},
	{page: "hydration-dead-controls", how: "fill at once, click 1.6 s later", acts: []naiveAct{
		{step: 1, do: func(r *raw) { r.fill("e", "kai@example.test") }},
		{step: 2, do: func(r *raw) {
			r.pause(1600)
			r.click("b")
		}},
	}},
}

// naiveText type without looking at what the field makes of it.
var naiveText = []naive{
	{page: "append-instead-of-replace", how: "click, Control+A, type", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.click("n")
			r.selectAll()
			r.pause(30)
			r.keys("Rowan")
		}},
		{step: 2, do: func(r *raw) { r.click("ok") }},
	}},
	{page: "append-instead-of-replace", how: "click and type", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.click("n")
			r.keys("Rowan")
		}},
		{step: 2, do: func(r *raw) { r.click("ok") }},
	}},
	{page: "append-instead-of-replace", how: "locator.fill", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.js("n.focus(); n.select()")
			r.pause(30)
			r.insert("Rowan")
		}},
		{step: 2, do: func(r *raw) { r.click("ok") }},
	}},
	{page: "color-input-typed", how: "pressSequentially", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.js("c.focus()")
			r.keys("#DC143C")
		}},
		{step: 2, do: func(r *raw) { r.click("ok") }},
	}},
	{page: "combobox-portal-commit", how: `fill("Berlin Ost") then click Search`, acts: []naiveAct{
		{step: 2, do: func(r *raw) { r.fill("from", "Berlin Ost") }},
		{step: 3, do: func(r *raw) { r.click("document.querySelector('form button')") }},
	}},
	naiveAt("debounced-commit", "fill and click at once", 2, func(r *raw) {
		r.js(`q.focus(); q.select(); document.execCommand("insertText", false, "B-775"); document.querySelector("form button").click()`)
	}),
	{page: "editor-readback-empty", how: "type, read el.value, retype while it is not the text (max 3)", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.js("body.focus()")
			for range 3 {
				r.insert("Dear neighbour")
				var value string
				if r.eval("String(body.value)", &value); value == "Dear neighbour" {
					return
				}
			}
		}},
		{step: 2, fine: true, do: func(r *raw) { r.click("s") }},
	}},
	{page: "emoji-code-units", how: "one Input.insertText per UTF-16 unit", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.js("s.focus()")
			for _, unit := range []string{"o", "k", " ", "\ufffd", "\ufffd", "\u200d", "\ufffd", "\ufffd", "\ufffd", "\ufffd"} { // half a pair arrives as this
				r.insert(unit)
			}
		}},
		{step: 2, do: func(r *raw) { r.click("b") }},
	}},
	{page: "mask-keydown-buffer", how: "fill then click", acts: []naiveAct{
		{step: 1, do: func(r *raw) { r.fill("n", "400012345678") }},
		{step: 2, do: func(r *raw) { r.click("ok") }},
	}},
	{page: "name-many-sources", how: "by placeholder", acts: []naiveAct{
		{step: 1, do: func(r *raw) { r.fill(`document.querySelector("[placeholder='Ship city']")`, "Oulu") }},
		{step: 2, do: func(r *raw) { r.fill(`document.querySelector("[placeholder='Street']")`, "Quay 1") }},
		{step: 3, fine: true, do: func(r *raw) { r.click("go") }},
	}},
	{page: "number-clamps-while-typing", how: "clear and type", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.click("n")
			r.selectAll()
			r.backspace()
			r.keys("25")
		}},
		{step: 2, do: func(r *raw) { r.click("ok") }},
	}},
	{page: "readonly-field", how: "click and type", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.click("n")
			r.keys("Robin")
		}},
	}},
}

// naiveScript act by script where a person would use the page.
var naiveScript = []naive{
	naiveAt("custom-slider-keys", "script: set aria-valuenow and fire change", 4, func(r *raw) {
		r.js(`th.setAttribute("aria-valuenow", 22); th.dispatchEvent(new Event("change", {bubbles: true}))`)
	}),
	naiveAt("inert-background-twin", "script click on the first button named Save", 2, func(r *raw) {
		r.js(`[...document.querySelectorAll("button")].find(b => b.textContent === "Save").click()`)
	}),
	naiveAt("invisible-twins", "script click on the first match", 1, func(r *raw) {
		r.js(`[...document.querySelectorAll("button")].find(b => b.textContent === "Delete draft").click()`)
	}),
	naiveAt("name-forges-index-line", "index printed as one line per element, parsed back, n-th button", 1, func(r *raw) {
		r.js(`document.querySelectorAll("button")[1].click()`)
	}),
	naiveAt("name-nested-spans-svg", "index by direct text children; all nameless, take the first", 1, func(r *raw) {
		r.js(`document.querySelectorAll("button")[0].click()`)
	}),
	{page: "react-value-tracker", how: "script: el.value = x + bubbling input and change events", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.js(`fn.value = "Imani"; for (const e of ["input", "change"]) fn.dispatchEvent(new Event(e, {bubbles: true}))`)
		}},
		{step: 2, do: func(r *raw) { r.click("document.querySelector('form button')") }},
	}},
	naiveAt("readonly-field", "script: set value", 1, func(r *raw) { r.js(`n.value = "Robin"`) }),
	{page: "rich-editor-own-model", how: "script: textContent = x + input event", acts: []naiveAct{
		{step: 1, do: func(r *raw) {
			r.js(`ed.textContent = "Hello from the lake"; ed.dispatchEvent(new InputEvent("input", {bubbles: true}))`)
		}},
		{step: 2, do: func(r *raw) { r.click("pub") }},
	}},
	naiveAt("select-multiple-keeps", `selectOption("Reports")`, 1, func(r *raw) {
		r.js(`{ const r = document.getElementById("r"); for (const o of r.options) o.selected = o.text === "Reports"; for (const e of ["input", "change"]) r.dispatchEvent(new Event(e, {bubbles: true})); }`)
	}),
	naiveAt("select-optgroup-same-label", `selectOption({label:"Blue"})`, 1, func(r *raw) {
		r.js(`[...col.options].find(o => o.text === "Blue").selected = true; for (const e of ["input", "change"]) col.dispatchEvent(new Event(e, {bubbles: true}))`)
	}),
	naiveAt("zero-size-radio", "script: input.checked = true", 1, func(r *raw) { r.js("r2.checked = true") }),
}

// naiveLater are about pages whose case says more than a step, or for which there is none yet.
var naiveLater = []naive{
	{page: "beforeunload-stays", how: "default handling (auto-accepts beforeunload)", acts: []naiveAct{
		{about: deed.Textbox("Letter"), expect: []deed.Expect{deed.Value(deed.Textbox("Letter"), "Dear all")}, fine: true, do: func(r *raw) {
			r.click("t")
			r.insert("Dear all")
		}},
		// The page asks; a person who wants to keep the letter says no.
		{about: deed.Link("Inbox"), expect: []deed.Expect{deed.Value(deed.Textbox("Letter"), "Dear all")},
			opts: []browser.Option{browser.Dialog(true, "")}, do: func(r *raw) { r.click("document.querySelector('a')") }},
	}},
	{page: "beforeunload-stays", how: "dismiss in a dialog handler, trust click()", acts: []naiveAct{
		{about: deed.Textbox("Letter"), expect: []deed.Expect{deed.Value(deed.Textbox("Letter"), "Dear all")}, fine: true, do: func(r *raw) {
			r.click("t")
			r.insert("Dear all")
		}},
		{about: deed.Link("Inbox"), expect: []deed.Expect{deed.URL("**view=inbox*")}, do: func(r *raw) { r.click("document.querySelector('a')") }},
	}},
	{page: "confirm-after-click", how: "locator.click(), default dialog handling", acts: []naiveAct{
		{about: deed.Button("Discard draft"), expect: status("Draft discarded"), do: func(r *raw) { r.click("d") }},
	}},
	{page: "dnd-html5", how: "dispatch dragstart/dragover/drop as plain events", acts: []naiveAct{
		{about: deed.Find("listitem", "Salad"), expect: status("Salad on the plate"), do: func(r *raw) {
			r.js(`for (const [el, e] of [[salad, "dragstart"], [plate, "dragover"], [plate, "drop"]]) el.dispatchEvent(new Event(e, {bubbles: true, cancelable: true}))`)
		}},
	}},
	{page: "dnd-html5", how: "CDP mouse press, one move, release (no drag interception)", acts: []naiveAct{
		{about: deed.Find("listitem", "Salad"), expect: status("Salad on the plate"), do: func(r *raw) {
			x, y := r.centre("salad")
			r.move(x, y)
			tx, ty := r.centre("plate")
			// In one go: a release that comes after the browser has begun its drag ends in the drop.
			r.send(input.CommandDispatchMouseEvent, press(x, y), dragTo(tx, ty), release(tx, ty))
		}},
	}},
	{page: "dnd-pointer-sortable", how: "locator.dragTo", acts: []naiveAct{
		{about: deed.Find("listitem", "Sweet potato"), expect: status("Corn, Slaw, Beans, Sweet potato"), do: func(r *raw) {
			x, y := r.centre("l.children[0]")
			tx, ty := r.centre("l.children[3]")
			r.move(x, y)
			r.down(x, y)
			r.drag(tx, ty)
			r.up(tx, ty)
		}},
	}},
	{page: "frame-cross-site-pay", how: `main frame only: getByRole(button,{name:"Pay"})`, acts: []naiveAct{
		{expect: status("Paid with tok:R. Sample"), do: func(r *raw) { r.click("dec") }},
	}},
	{page: "hover-reveals-actions", how: "hover another row (stale pointer), then first visible Trash", acts: []naiveAct{
		{expect: status("Trash notes.txt"), do: func(r *raw) {
			r.move(r.centre("l.children[0]"))
			r.click(`[...document.querySelectorAll("button")].find(b => b.textContent === "Trash" && b.getClientRects().length)`)
		}},
	}},
	{page: "icon-buttons-tooltip", how: "nameless button next to Open console", acts: []naiveAct{
		{expect: status("South Settings"), do: func(r *raw) { r.click(`document.querySelectorAll(".c")[1].querySelectorAll("button")[1]`) }},
	}},
	{page: "nested-scroll-pane", how: "window.scrollBy five times, then look", acts: []naiveAct{
		{expect: []deed.Expect{deed.Appears("button", "Open result 17")}, do: func(r *raw) {
			for range 5 {
				r.js("window.scrollBy(0, 600)")
			}
		}},
	}},
	{page: "nested-scroll-pane", how: "mouse.wheel at 10,10", acts: []naiveAct{
		{expect: []deed.Expect{deed.Appears("button", "Open result 17")}, do: func(r *raw) {
			r.move(10, 10)
			for i := range 3 { // one at a time: each is one scroll event
				r.wheel(10, 10, 600)
				r.js(`new Promise(done => (function look() { __oracle.navScrolled > %d ? done() : setTimeout(look, 10); })())`, i)
			}
		}},
	}},
	{page: "select-in-closed-shadow", how: "index only sees Send parcel: click it", acts: []naiveAct{
		{about: deed.Button("Send parcel"), expect: status("Sent express"), do: func(r *raw) { r.click("send") }},
	}},
	{page: "upload-two-hidden-inputs", how: "setInputFiles on the first input[type=file]", acts: []naiveAct{
		{about: deed.Button("Attach CV"), expect: status("CV cv-sample.txt attached"), do: func(r *raw) {
			r.files(`document.querySelector("input[type=file]")`, r.sampleFile("cv-sample.txt"))
		}},
	}},
	{page: "upload-two-hidden-inputs", how: "click Attach CV only", acts: []naiveAct{
		{about: deed.Button("Attach CV"), expect: status("CV cv-sample.txt attached"), do: func(r *raw) { r.click("att") }},
	}},
	{page: "virt-recycle-rows", how: "ElementHandle.click() 700 ms after the handle was taken", acts: []naiveAct{
		{about: deed.Button("Archive Order 0005"), expect: status("Archived Order 0005"), do: func(r *raw) {
			r.js(`window.handle = document.querySelector("[aria-label='Archive Order 0005']")`)
			r.move(r.centre(`document.querySelector("[aria-label='Archive Order 0002']")`))
			r.js(`new Promise(done => (function look() { offset ? done() : setTimeout(look, 20); })())`)
			r.click("handle")
		}},
	}},
	{page: "virt-recycle-rows", how: "mouse click at coordinates measured 700 ms earlier", acts: []naiveAct{
		{about: deed.Button("Archive Order 0005"), expect: status("Archived Order 0005"), do: func(r *raw) {
			x, y := r.centre(`document.querySelector("[aria-label='Archive Order 0005']")`)
			r.move(r.centre(`document.querySelector("[aria-label='Archive Order 0002']")`))
			r.js(`new Promise(done => (function look() { offset ? done() : setTimeout(look, 20); })())`)
			r.clickAt(x, y)
		}},
	}},
}
