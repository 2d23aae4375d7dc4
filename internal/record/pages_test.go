package record_test

import (
	"path/filepath"

	"github.com/chromedp/cdproto/input"
)

// hardPages are pages of testdata/hard, and what a person does on them: the steps that are written by hand beside each page.
var hardPages = []hardPage{
	{page: "csp-strict-nonce", acts: func(p *person) {
		p.writes("document.querySelector('textarea,input')", "fine")
		p.click(button("Send comment"))
		p.sees(says("Sent fine"))
	}},
	{page: "busted-builtins", acts: func(p *person) { // the page lies about where things are: by the keyboard
		p.press("Tab")
		p.types("SAVE5")
		p.press("Tab")
		p.press("Enter")
		p.sees("__oracle.applied[0] === 'SAVE5'")
	}},
	{page: "canvas-with-semantics", acts: func(p *person) { // its buttons are painted: nothing tells where, but the keyboard comes to them
		p.press("Tab")
		p.sees("document.activeElement === k1")
		p.press("Enter")
		p.sees("__oracle.engine === 'on'")
	}},
	{page: "clock-and-carousel-noise", acts: func(p *person) {
		p.click(button("Add lamp to basket"))
		p.sees("n.textContent === '1'")
	}},
	{page: "confirm-after-click", acts: func(p *person) {
		answered := p.asked(true, "")
		p.throw("d")
		answered()
		p.sees(says("Draft discarded"))
	}},
	{page: "custom-slider-keys", acts: func(p *person) {
		p.press("Tab")
		p.sees(`document.activeElement === th`)
		for _, n := range []string{"19", "20", "21", "22"} {
			p.press("ArrowRight")
			p.sees(says(n + " degrees"))
		}
	}},
	{page: "datepicker-adjacent-months", acts: func(p *person) {
		p.click("nx")
		p.sees(`document.body.innerText.includes("May 2031")`)
		p.click(`[...document.querySelectorAll("button")].find(b => b.getAttribute("aria-label") === "30 May 2031")`)
		p.sees(says("2031-05-30"))
	}},
	{page: "details-accordion", acts: func(p *person) {
		var at []float64
		p.eval(`(r => [r.left + 12, r.top + r.height / 2])(document.querySelectorAll("summary")[1].getBoundingClientRect())`, &at)
		p.clickAt(at[0], at[1])
		p.sees(`document.querySelectorAll("details")[1].open`)
		p.click("label")
		p.sees(says("Label printed"))
	}},
	{page: "display-contents-button", acts: func(p *person) {
		p.click(`[...document.querySelectorAll(".r *")].find(e => e.textContent.includes("10:05") && e.getClientRects().length)`)
		p.sees("__oracle.picked.length === 1")
	}},
	{page: "dnd-pointer-sortable", acts: func(p *person) {
		x, y := p.centre("l.children[0]")
		p.move(x, y)
		p.down(x, y)
		tx, ty := p.centre("l.children[l.children.length-1]")
		for i := 1; i <= 8; i++ {
			p.drag(x+(tx-x)*float64(i)/8, y+(ty+8-y)*float64(i)/8)
		}
		p.up(tx, ty+8)
		p.sees("__oracle.order.endsWith('Sweet potato')")
	}},
	{page: "download-no-dom-change", acts: func(p *person) {
		p.click(button("Download May as CSV"))
	}},
	{page: "duplicate-edit-rows", acts: func(p *person) {
		p.click(`[...document.querySelectorAll("tbody tr")].find(r => r.textContent.includes("Ana Lindberg")).querySelector("button")`)
		p.sees(says("Editing Ana Lindberg"))
		p.click(`[...document.querySelectorAll("tbody tr")].find(r => /Ana Lind(?!b)/.test(r.textContent)).querySelector("button")`)
		p.sees(`[...document.querySelectorAll("[role=status],output")].some(e => e.textContent.trim() === "Editing Ana Lind")`)
	}},
	{page: "editor-readback-empty", acts: func(p *person) {
		p.click("body")
		p.types("Dear neighbour")
		p.click("s")
		p.sees(says("Sent"))
	}},
	{page: "emoji-code-units", acts: func(p *person) {
		p.click("s")
		p.insert("ok 👩‍🚀🎉")
		p.click("b")
		p.sees(says("Status is ok"))
	}},
	{page: "frame-cross-site-pay", acts: func(p *person) {
		f := p.frame()
		p.clickIn(f, "n")
		p.types("R. Sample")
		p.clickIn(f, "p")
		p.sees("__oracle.token === 'tok:R. Sample'")
	}},
	{page: "frame-same-name-button", acts: func(p *person) {
		p.sees("f.contentDocument.getElementById('v') !== null")
		inner := func(id string) string {
			return "(o => ({scrollIntoView() {}, getBoundingClientRect() { const a = f.getBoundingClientRect(), b = o.getBoundingClientRect(); return {left: a.left + f.clientLeft + b.left, top: a.top + f.clientTop + b.top, width: b.width, height: b.height}; }}))(f.contentDocument.getElementById('" + id + "'))"
		}
		p.click(inner("v"))
		p.types("FI0000")
		p.click(inner("s"))
		p.sees("__oracle.billing === 'FI0000'")
	}},
	{page: "combobox-portal-commit", acts: func(p *person) {
		p.click("from")
		p.types("Berlin")
		p.sees(`[...document.querySelectorAll("[role=option]")].some(o => o.textContent === "Berlin Ost")`)
		p.click(`[...document.querySelectorAll("[role=option]")].find(o => o.textContent === "Berlin Ost")`)
		p.sees("__oracle.station === 'Berlin Ost'")
		p.click("document.querySelector('form button')")
		p.sees("__oracle.searches.length === 1")
	}},
	{page: "select-in-closed-shadow", acts: func(p *person) {
		p.press("Tab")
		p.types("E")
		p.sees("__oracle.speed === 'express'")
		p.click("send")
		p.sees("__oracle.sent[0] === 'express'")
	}},
	{page: "select-multiple-keeps", acts: func(p *person) {
		x, y := p.centre(`document.getElementById("r").options[3]`)
		p.move(x, y)
		p.send(input.CommandDispatchMouseEvent,
			input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1, Modifiers: 2},
			input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1, Modifiers: 2})
		p.sees("__oracle.last === 'Orders,Stock,Reports'")
	}},
	{page: "upload-two-hidden-inputs", acts: func(p *person) {
		file := filepath.Join(p.t.TempDir(), "cv-sample.txt")
		writeFile(p.t, file, []byte("sample"))
		p.click("att")
		p.files("cv", file)
		p.sees("__oracle.cv === 'cv-sample.txt'")
	}},
	{page: "nested-scroll-pane", acts: func(p *person) {
		x, y := p.centre("document.querySelector('main')")
		for n := 0; n < 30; n++ {
			var there bool
			if p.eval(`r.children.length >= 17`, &there); there {
				break
			}
			p.wheel(x, y, 400)
			p.eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))", nil)
			p.sees("!busy")
		}
		p.eval(`r.children[16].scrollIntoView()`, nil)
		p.eval(`new Promise(done => { let at = -1, n = 0; (function look() { // the wheel's own glide ends
			if (pane.scrollTop === at && !busy) n++; else { at = pane.scrollTop; n = 0; }
			n > 20 ? done() : requestAnimationFrame(look); })(); })`, nil)
		p.click("r.children[16].querySelector('button')")
		p.sees("__oracle.opened.join() === '17'")
	}},
	{page: "zero-size-radio", acts: func(p *person) {
		p.click(`[...document.querySelectorAll("label")].find(l => l.textContent.includes("Express"))`)
		p.sees("r2.checked")
	}},
	{page: "hover-reveals-actions", acts: func(p *person) {
		row := `[...l.children].find(e => e.textContent.includes("notes.txt"))`
		p.move(p.centre(row))
		p.click("[..." + row + `.querySelectorAll("button")].find(b => b.textContent === "Trash")`)
		p.sees("__oracle.acts.join() === 'Trash notes.txt'")
	}},
	{page: "inert-background-twin", acts: func(p *person) {
		p.writes("t", "Roof")
		p.click("b2")
		p.sees("__oracle.dialog === 'Roof'")
	}},
	{page: "keyed-list-reindex", acts: func(p *person) {
		p.click(button("Remove Apples"))
		p.sees(`!document.querySelector("[aria-label='Remove Apples']")`)
		p.click(button("Remove Cherries"))
		p.sees(`!document.querySelector("[aria-label='Remove Cherries']")`)
	}},
	{page: "label-with-terms-link", acts: func(p *person) {
		x, y := p.centre("document.querySelector('input')")
		p.clickAt(x, y)
		p.sees("document.querySelector('input').checked")
	}},
	{page: "late-effect-order", acts: func(p *person) {
		p.click("b")
		p.sees(says("confirmed"))
	}},
	{page: "leftover-backdrop", acts: func(p *person) {
		p.click("tips")
		p.sees(`document.getElementById("close").getClientRects().length > 0`)
		p.click("document.getElementById('close')")
		p.sees(`(() => { const r = next.getBoundingClientRect(); const e = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2); return e === next || next.contains(e); })()`)
		p.click("next")
		p.sees(says("Step 2"))
	}},
	{page: "name-nested-spans-svg", acts: func(p *person) {
		p.click(`[...document.querySelectorAll("button")].find(b => b.textContent.replace(/\s+/g, " ").trim().startsWith("Add"))`)
		p.sees(says("done"))
	}},
	{page: "popup-same-field", acts: func(p *person) {
		p.click("a")
		p.sees("__oracle.tabs === 1")
		other := p.tab("Transfer")
		other.writes("r", "TR-9")
		other.click("b")
		other.sees("__oracle.transfer === 'TR-9'")
	}},
	{page: "radio-opens-panel", acts: func(p *person) {
		p.click("o")
		p.sees("!panel.hidden")
		p.writes("amt", "37")
		p.click("ok")
		p.sees("o.checked")
	}},
	{page: "react-value-tracker", acts: func(p *person) {
		p.writes("fn", "Imani")
		p.click("document.querySelector('form button')")
		p.sees(says("Request for Imani"))
	}},
	{page: "rich-editor-own-model", acts: func(p *person) {
		p.click("ed")
		p.types("Hello from the lake")
		p.click("pub")
		p.sees(says("Published: Hello from the lake"))
	}},
	{page: "spa-route-same-button", acts: func(p *person) {
		p.click("n")
		p.sees(`location.hash === "#insurance"`)
	}},
}
