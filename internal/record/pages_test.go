package record_test

// hardPages are pages of testdata/hard, and what a person does on them: the steps that are written by hand beside each page.
var hardPages = []hardPage{
	{page: "csp-strict-nonce", acts: func(p *person) {
		p.writes("document.querySelector('textarea,input')", "fine")
		p.click(button("Send comment"))
		p.sees(says("Sent fine"))
	}},
	{page: "busted-builtins", acts: func(p *person) {
		p.writes("v", "SAVE5")
		p.click(button("Apply voucher"))
		p.sees(says("SAVE5 applied"))
	}},
	{page: "canvas-with-semantics", acts: func(p *person) {
		p.click(button("Start engine"))
		p.sees(says("Engine on"))
	}},
	{page: "clock-and-carousel-noise", acts: func(p *person) {
		p.click(button("Add lamp to basket"))
		p.sees(`document.body.innerText.includes("1")`)
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
		p.click(`document.querySelectorAll("summary")[1].firstChild.parentNode`)
		p.sees(`document.querySelectorAll("details")[1].open`)
		p.click("label")
		p.sees(says("Label printed"))
	}},
	{page: "display-contents-button", acts: func(p *person) {
		p.click(`document.querySelectorAll(".r")[1].firstElementChild || document.querySelectorAll(".r")[1]`)
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
		p.sees(says("Sweet potato"))
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
		x, y := p.centre("document.querySelector('iframe')")
		_ = x
		_ = y
	}, kinds: []string{}},
	{page: "hover-reveals-actions", acts: func(p *person) {
		x, y := p.centre(`[...l.children].find(e => e.textContent.includes("notes.txt"))`)
		p.move(x, y)
		p.click(`[...l.children].find(e => e.textContent.includes("notes.txt")).querySelectorAll("button")[[...[...l.children].find(e => e.textContent.includes("notes.txt")).querySelectorAll("button")].findIndex(b => b.textContent === "Trash")]`)
		p.sees(says("Trash notes.txt"))
	}},
	{page: "inert-background-twin", acts: func(p *person) {
		p.writes(`document.querySelector("dialog input,[role=dialog] input")`, "Roof")
		p.click(`[...document.querySelectorAll("dialog button,[role=dialog] button")].find(b => b.textContent.trim() === "Save")`)
		p.sees(says("Saved as Roof"))
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
	{page: "popup-same-field", acts: func(p *person) {}, kinds: []string{}},
	{page: "radio-opens-panel", acts: func(p *person) {}, kinds: []string{}},
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
