package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

// recycling is a shop whose rows are bound to other products as soon as the pointer goes down.
const recycling = `<!doctype html><title>Shop</title><ul aria-label="Catalogue" id="l"></ul><ul aria-label="Cart" id="c"></ul>
<script>
let items = ["Shirt M", "Trousers L", "Socks S", "Hat"];
window.cart = [];
const rows = items.map(() => { const li = document.createElement("li"); li.innerHTML = "<span></span> <button></button>"; l.append(li);
  li.lastChild.onclick = () => { cart.push(li.dataset.n); const i = document.createElement("li"); i.textContent = li.dataset.n; c.append(i); }; return li; });
function bind() { rows.forEach((r, i) => { r.dataset.n = items[i]; r.firstChild.textContent = items[i]; r.lastChild.textContent = "Add " + items[i]; }); }
bind();
addEventListener("pointerdown", () => { items.push(items.shift()); bind(); }, true);
</script>`

func cart(t *testing.T, p *browser.Page) []string {
	t.Helper()
	var got []string
	if _, err := p.Eval(t.Context(), "window.cart", &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAP4_BareClickOnARecyclingListIsSilentlyWrong(t *testing.T) {
	p := browsertest.HTML(t, recycling)
	if err := p.BareClick(t.Context(), deed.Button("Add Shirt M")); err != nil {
		t.Fatal(err)
	}
	if got := cart(t, p); len(got) != 1 || got[0] == "Shirt M" {
		t.Errorf("cart %v: the page no longer shows what it is for", got)
	}
}

func TestAP5_WrongItemIsNeverInTheCart(t *testing.T) {
	p := browsertest.HTML(t, recycling)
	if _, err := p.Eval(t.Context(), `window.seen = []; new MutationObserver(() => { for (const li of c.children) seen.push(li.textContent); }).observe(c, {childList: true}); 1`, nil); err != nil {
		t.Fatal(err)
	}
	p.PointerOnly(true)
	res, err := p.Click(t.Context(), deed.Button("Add Shirt M"))
	if !errors.Is(err, deed.CodePrevented) || res.Outcome != deed.OutcomeMismatch || !strings.Contains(res.Judgement.Reason, "Trousers L") {
		t.Errorf("pointer only: %v\n%s", err, res.Explain())
	}
	if got := cart(t, p); len(got) != 0 {
		t.Fatalf("cart %v", got)
	}
	p.PointerOnly(false)
	res, err = p.Click(t.Context(), deed.Button("Add Shirt M"))
	if err != nil || res.Prevented == 0 || res.Undone != 0 {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	var seen []string
	if _, err := p.Eval(t.Context(), "window.seen", &seen); err != nil {
		t.Fatal(err)
	}
	if got := cart(t, p); len(got) != 1 || got[0] != "Shirt M" || len(seen) != 1 || seen[0] != "Shirt M" {
		t.Errorf("cart %v, ever seen in it %v", got, seen)
	}
}

// A page that takes the focus to another field while a secret is typed: the secret never enters it.
func TestSecretNeverEntersTheWrongField(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Sign in</title><label>Search <input id="s"></label>
<label>Password <input type="password" id="p" autocomplete="off"></label>
<script>window.got = []; p.addEventListener("focus", () => setTimeout(() => s.focus())); s.addEventListener("input", () => got.push(s.value));</script>`)
	a := browser.Timeout(2 * time.Second)
	res, err := p.FillSecret(t.Context(), deed.Textbox("Password"), "PASSWORD", "correct horse", a)
	var got []string
	if _, e := p.Eval(t.Context(), "window.got.concat(document.getElementById('s').value)", &got); e != nil {
		t.Fatal(e)
	}
	if s := strings.Join(got, "|"); strings.ContainsAny(s, "correcthorse") {
		t.Errorf("the search field got %q", s)
	}
	if strings.Contains(fmt.Sprintf("%+v %v %s", *res, err, res.Explain()), "correct horse") {
		t.Errorf("the secret is in the result")
	}
}

func TestRefusalsNameTheFact(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Form</title>
<button id="a">Pay</button><div role="dialog" aria-label="Cookies" style="position:fixed;inset:0;background:#fffc">We use cookies</div>
<script>window.hits = 0; a.onclick = () => hits++;</script>`)
	res, err := p.Click(t.Context(), deed.Button("Pay"), browser.Timeout(500*time.Millisecond))
	if !errors.Is(err, deed.CodeCovered) || !strings.Contains(err.Error(), `click button "Pay": covered by dialog "Cookies"`) {
		t.Errorf("AP-35: %v", err)
	}
	if res.Judgement.Kind != "" || res.Judgement.Basis != "" {
		t.Errorf("AP-35: a verdict was invented: %+v", res.Judgement)
	}
	var hits int
	if _, err := p.Eval(t.Context(), "window.hits", &hits); err != nil || hits != 0 {
		t.Errorf("AP-35: the page was touched %d times, %v", hits, err)
	}
	p = browsertest.HTML(t, `<!doctype html><title>Form</title><fieldset disabled><button>Save</button></fieldset><label>Name <input readonly value="Kit"></label>`)
	if _, err := p.Click(t.Context(), deed.Button("Save"), browser.Timeout(300*time.Millisecond)); !errors.Is(err, deed.CodeDisabled) || !strings.Contains(err.Error(), `button "Save"`) {
		t.Errorf("disabled: %v", err)
	}
	if _, err := p.Fill(t.Context(), deed.Textbox("Name"), "Robin", browser.Timeout(300*time.Millisecond)); !errors.Is(err, deed.CodeReadOnly) {
		t.Errorf("read-only: %v", err)
	}
	if _, err := p.Click(t.Context(), deed.Button("Sawe"), browser.Timeout(300*time.Millisecond)); !errors.Is(err, deed.CodeNoMatch) || !strings.Contains(err.Error()+deed.HintOf(err), "Save") {
		t.Errorf("no match: %v (%s)", err, deed.HintOf(err))
	}
}

// Pages that go wrong in their own ways: an answer within the deadline, and the browser serves the next page.
func TestPagesThatGoWrong(t *testing.T) {
	big := "<!doctype html><title>Big</title><button onclick=\"document.title='clicked';s.textContent='Done'\">Go</button><p role=status id=s></p>" + strings.Repeat("<i>x</i><b>y</b>", 50000)
	mux := http.NewServeMux()
	page := func(path, html string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, html)
		})
	}
	page("/hangs", `<title>Hangs</title><button onclick="for(;;);">Go</button>`)
	page("/reloads", `<title>Reloads</title><button onclick="setInterval(()=>location.reload(),5)">Go</button><script>if(sessionStorage.go)setInterval(()=>location.reload(),5);document.querySelector('button').addEventListener('click',()=>sessionStorage.go=1)</script>`)
	page("/asks", `<title>Asks</title><button onclick="s.textContent=confirm('Sure?')?'Gone':'Kept'">Go</button><p role=status id=s></p>`)
	page("/big", big)
	mux.HandleFunc("/loops", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/loops?"+r.URL.RawQuery+"x", http.StatusFound)
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	base := browsertest.Server(t, mux)
	b := browsertest.Browser(t)
	const limit = 3 * time.Second
	for _, path := range []string{"/hangs", "/reloads", "/asks", "/big"} {
		t.Run(path[1:], func(t *testing.T) {
			p, err := b.Open(t.Context(), base+path)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			timeout := limit
			if path == "/big" {
				timeout = 20 * time.Second // two looks at 100,000 elements
			}
			res, err := p.Click(t.Context(), deed.Button("Go"), browser.Timeout(timeout))
			if d := time.Since(start); d > timeout+browserGrace {
				t.Errorf("answered after %v", d)
			}
			t.Logf("%v %v", res.Outcome, err)
			switch path {
			case "/asks":
				if len(res.Signals.Dialogs) != 1 || res.Signals.Dialogs[0].Accepted || res.Signals.Dialogs[0].Message != "Sure?" {
					t.Errorf("dialogs %+v", res.Signals.Dialogs)
				}
			case "/reloads":
				// The click does load the page anew: whatever the verdict, it is an answer.
			case "/big":
				if res.Outcome == deed.OutcomeFailed {
					t.Errorf("outcome %v: %v", res.Outcome, err)
				}
			default:
				if err == nil {
					t.Errorf("proven:\n%s", res.Explain())
				}
			}
			if err := p.Close(); err != nil {
				t.Errorf("closing it: %v", err)
			}
		})
	}
	for _, path := range []string{"/loops", "/never"} {
		t.Run(path[1:], func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			start := time.Now()
			if _, err := b.Open(ctx, base+path); err == nil {
				t.Error("opened")
			}
			if d := time.Since(start); d > limit+browserGrace {
				t.Errorf("answered after %v", d)
			}
		})
	}
	t.Run("crashes", func(t *testing.T) {
		p := browsertest.HTML(t, `<title>Here</title><button>Go</button>`)
		start := time.Now()
		if _, err := p.Goto(t.Context(), "chrome://crash", browser.Timeout(limit)); err == nil {
			t.Error("a crashed page was proven")
		}
		_, err := p.Click(t.Context(), deed.Button("Go"), browser.Timeout(limit))
		if !errors.Is(err, deed.CodeCrashed) {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d > 2*limit+browserGrace {
			t.Errorf("answered after %v", d)
		}
	})
	// The next page works.
	p := browsertest.HTML(t, `<title>Next</title><button onclick="s.textContent='Done'">Go</button><p role=status id=s></p>`)
	if res, err := p.Click(t.Context(), deed.Button("Go"), browser.Expect(deed.Appears("status", "Done"))); err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// browserGrace is what a loaded machine may need beyond a deadline to carry an answer; the deadline itself is exact in
// the loop's own tests, where time is simulated.
const browserGrace = 5 * time.Second

func TestDialogIsAnsweredAsTheStepSays(t *testing.T) {
	p := browsertest.HTML(t, `<title>Draft</title><button id=d>Discard draft</button><p role=status id=s>Draft kept</p>
<script>d.onclick=()=>setTimeout(()=>{ s.textContent = confirm("Discard?") ? "Draft discarded" : "Draft kept"; }, 40)</script>`)
	res, err := p.Click(t.Context(), deed.Button("Discard draft"), browser.Dialog(true, ""),
		browser.Expect(deed.Expect{Kind: deed.ExpectDialog, Text: "Discard?"}, deed.Appears("status", "Draft discarded")))
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

func TestSecretsAreInNoOutput(t *testing.T) {
	const secret = "gr8-Secret/42"
	p := browsertest.HTML(t, `<!doctype html><title>Sign in</title><form><label>Password <input type=password id=p></label><button>Sign in</button></form>
<p id=e></p><button id=b></button><script>p.oninput=()=>{ e.textContent="You typed "+p.value; b.setAttribute("aria-label","Copy "+encodeURIComponent(p.value)); history.replaceState(0,"","?q="+encodeURIComponent(p.value)); document.title="x "+btoa(p.value)}</script>`)
	res, err := p.FillSecret(t.Context(), deed.Textbox("Password"), "PASSWORD", secret)
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	var real bool
	if _, err := p.Eval(t.Context(), "document.getElementById('p').value === "+strconv.Quote(secret), &real); err != nil || !real {
		t.Errorf("AP-27: the page does not hold it: %v", err)
	}
	s, err := p.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j1, _ := json.Marshal(s)
	j2, _ := json.Marshal(res)
	all := string(j1) + string(j2) + res.Explain() + strings.Join(res.Log, "\n")
	for _, leak := range []string{secret, "gr8-Secret%2F42", "Z3I4LVNlY3JldC80Mg"} {
		if strings.Contains(all, leak) {
			t.Errorf("AP-27: %q is in the output", leak)
		}
	}
}

func TestWatchJudgesWhatOthersDo(t *testing.T) {
	p := browsertest.HTML(t, recycling)
	res, err := p.Watch(t.Context(), func(ctx context.Context) error { return p.BareClick(ctx, deed.Button("Add Shirt M")) },
		browser.About(deed.Button("Add Shirt M")), browser.Expect(deed.Appears("listitem", "Shirt M").In("Cart")), browser.Timeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if res.OK() || res.Undone != 0 {
		t.Errorf("the wrong item passed:\n%s", res.Explain())
	}
	if got := cart(t, p); len(got) != 1 {
		t.Errorf("watching changed the page: %v", got)
	}
}

// evaluates is a body for Watch that runs a script in the page.
func evaluates(p *browser.Page, js string) func(context.Context) error {
	return func(ctx context.Context) error { return p.Script(ctx, js) }
}

// AP-8: a button that nothing listens to is said to be dead at once; one that anything listens to is waited for.
func TestAP8_DeadButtons(t *testing.T) {
	for name, c := range map[string]struct {
		html  string
		inert bool
	}{
		"nobody listens":       {`<button type=button>Go</button>`, true},
		"its handler is idle":  {`<button type=button onclick="0">Go</button>`, false},
		"the document listens": {`<button type=button>Go</button><script>document.addEventListener("click", () => {})</script>`, false},
		"the window listens":   {`<button type=button>Go</button><script>addEventListener("pointerup", () => {})</script>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.HTML(t, "<!doctype html><title>Dead</title>"+c.html)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			res, err := p.Click(ctx, deed.Button("Go"))
			if err == nil || res.Judgement.Kind != deed.MismatchNoEffect {
				t.Fatalf("%v\n%s", err, res.Explain())
			}
			if waited := res.Phases.Settle > 2*time.Second; waited == c.inert { // the effect time-out is 3 s
				t.Errorf("settled for %v", res.Phases.Settle)
			}
		})
	}
}

// A modal dialog puts the page out of reach; the page is still there, and what it covers has not disappeared.
func TestAModalDialogTakesNothingAway(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>List</title><main><h1>Letters</h1><button onclick="d.showModal()">Delete letter</button><button>Print</button></main>
<dialog id=d aria-label="Delete letter?"><button onclick="d.close()">Keep</button><button>Print</button></dialog>`)
	res, err := p.Click(t.Context(), deed.Button("Delete letter"))
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	for _, c := range res.Diff.Changes {
		if c.Kind == deed.Disappeared {
			t.Errorf("said to be gone: %s", c.String())
		}
	}
	if res, err := p.Click(t.Context(), deed.Button("Delete letter"), browser.Timeout(500*time.Millisecond)); !errors.Is(err, deed.CodeCovered) || !strings.Contains(err.Error(), `dialog "Delete letter?"`) {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	if res, err := p.Click(t.Context(), deed.Button("Keep"), browser.Expect(deed.Disappears("dialog", "Delete letter?"))); err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// What fades away has gone when the fading ends: neither a mutation nor, for an animation that a script started, an event
// tells so.
func TestWhatFadesAwayIsSeenToGo(t *testing.T) {
	for name, close := range map[string]string{
		"transition":       `pop.classList.add("out")`,
		"script animation": `pop.animate([{opacity: 1}, {opacity: 0}], {duration: 300, fill: "forwards"})`,
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.HTML(t, `<!doctype html><title>Menu</title><style>#pop{transition:opacity .3s,visibility .3s}#pop.out{opacity:0;visibility:hidden}</style>
<div role=dialog aria-label=Filters id=pop><button onclick='`+close+`'>Close filters</button></div>`)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			res, err := p.Click(ctx, deed.Button("Close filters"), browser.Expect(deed.Disappears("dialog", "Filters")), browser.Timeout(20*time.Second))
			if err != nil {
				t.Fatalf("%v\n%s", err, res.Explain())
			}
			if res.Phases.Settle > 10*time.Second { // half of the step's time: it was not seen, only found out at the end
				t.Errorf("settled for %v", res.Phases.Settle)
			}
		})
	}
}

// A select that opens on the press and covers itself with its backdrop: the press did its work, and is not done again.
func TestPressThatOpensItsOwnBackdrop(t *testing.T) {
	const page = `<!doctype html><title>Room</title><button id=b role=combobox aria-label=Room aria-expanded=false aria-controls=l>Any</button>
<script>window.presses = 0; b.onmousedown = () => { presses++; b.setAttribute("aria-expanded", "true"); const d = document.createElement("div"); d.style = "position:fixed;inset:0";
  d.innerHTML = "<ul role=listbox id=l aria-label=Rooms><li role=option>Blue</li></ul>"; document.body.append(d); };</script>`
	p := browsertest.HTML(t, page)
	res, err := p.Click(t.Context(), deed.Combobox("Room"), browser.Expect(deed.Appears("listbox", "Rooms")))
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	var presses int
	if _, err := p.Eval(t.Context(), "presses", &presses); err != nil || presses != 1 {
		t.Errorf("%d presses, %v", presses, err)
	}
	p = browsertest.HTML(t, page)
	res, err = p.Click(t.Context(), deed.Combobox("Room"), browser.Timeout(5*time.Second))
	if err != nil || res.Judgement.Basis != deed.BasisState {
		t.Errorf("without an expectation: %v\n%s", err, res.Explain())
	}
	if _, err := p.Eval(t.Context(), "presses", &presses); err != nil || presses != 1 {
		t.Errorf("%d presses, %v", presses, err)
	}
}

// Sorting a table reorders its rows, which is no change; how it is sorted is the value of the column's header.
func TestSortingShowsAtItsHeader(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Staff</title><table aria-label=Staff><thead><tr><th aria-sort=none><button>Name</button></th></tr></thead><tbody><tr><td>Bo</td></tr><tr><td>Ana</td></tr></tbody></table>
<script>document.querySelector("button").onclick = () => { const b = document.querySelector("tbody"); b.append(b.firstChild); document.querySelector("th").setAttribute("aria-sort", "ascending"); };</script>`)
	res, err := p.Click(t.Context(), deed.Button("Name"), browser.Expect(deed.Value(deed.Find("columnheader", "Name"), "ascending")))
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// Named elements shadow the methods of document, in the isolated world too; nothing of deed may depend on those.
func TestAP46_NamesThatShadowDocument(t *testing.T) {
	var shadows strings.Builder
	for _, name := range []string{"querySelectorAll", "createRange", "execCommand", "readyState", "scrollingElement", "documentElement", "getAnimations", "activeElement", "elementFromPoint", "addEventListener", "getElementById", "body", "forms", "title"} {
		fmt.Fprintf(&shadows, "<img name=%s alt=''><form name=%s><input name=getAttribute><input name=matches><input name=parentNode><input name=children></form>", name, name)
	}
	p := browsertest.HTML(t, "<!doctype html><title>Shadows</title>"+shadows.String()+`<label>Name <input id=n></label><ul><li value=3></ul><button id=b>Go</button><p role=status id=s></p>
<script>self.b.onclick = () => { self.s.textContent = "Hello " + self.n.value; };</script>`)
	if res, err := p.Fill(t.Context(), deed.Textbox("Name"), "Ana"); err != nil {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	if res, err := p.Click(t.Context(), deed.Button("Go"), browser.Expect(deed.Appears("status", "Hello Ana"))); err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// A layer that is still growing has no box yet: it is waited for, not given up for the keyboard.
func TestALayerThatGrowsIsWaitedFor(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Grow</title><button onclick="setTimeout(()=>d.style.transform='none',400);d.hidden=false">Open</button>
<div id=d hidden style="transform:scale(0)" onclick="s.textContent='Picked'">Medium</div><p role=status id=s></p>`)
	if res, err := p.Click(t.Context(), deed.Button("Open")); err != nil {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	if res, err := p.Click(t.Context(), deed.Find("text", "Medium"), browser.Expect(deed.Appears("status", "Picked"))); err != nil {
		t.Errorf("%v\n%s%s", err, res.Explain(), strings.Join(res.Log, "\n"))
	}
}

// A menu that is put in during the click and grows into sight afterwards is the click's doing.
func TestWhatTheTaskPutInIsCausedWheneverItIsSeen(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Orders</title><button id=b>Export</button>
<script>b.onclick = () => { const w = document.createElement("div"); w.innerHTML = "<div style='transform:scale(0)'><ul role=menu><li role=menuitem>As CSV</li></ul></div>"; document.body.append(w);
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => { w.firstChild.style.transform = "none"; }))); };</script>`)
	res, err := p.Click(t.Context(), deed.Button("Export"))
	if err != nil || res.Judgement.Basis != deed.BasisCaused {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// A key that opens a menu is let go on the menu: the press is no less delivered for it.
func TestKeyThatMovesTheFocus(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Menu</title><button id=b aria-haspopup=menu aria-expanded=false>More</button>
<script>b.onkeydown = (e) => { if (e.key !== "Enter") return; e.preventDefault(); b.setAttribute("aria-expanded", "true");
  const m = document.createElement("div"); m.innerHTML = "<div role=menu aria-label=More><button role=menuitem>Delete</button></div>"; document.body.append(m); m.querySelector("button").focus(); };
window.deleted = 0; document.addEventListener("keyup", (e) => { if (e.target.matches("[role=menuitem]")) deleted++; });</script>`)
	res, err := p.Press(t.Context(), deed.Button("More"), "Enter", browser.Expect(deed.Appears("menuitem", "Delete")))
	if err != nil || res.Prevented != 0 {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	var deleted int
	if _, err := p.Eval(t.Context(), "deleted", &deleted); err != nil || deleted != 0 {
		t.Errorf("the key was let go on the menu: %d, %v", deleted, err)
	}
}

// What glides is pressed when it rests: some pages ignore a press on an item that is still moving.
func TestWhatGlidesIsPressedWhenItRests(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Glide</title><button id=b style="position:absolute;left:0;transition:left .3s">Go</button><button id=m onclick="b.style.left='300px'" style="position:absolute;top:100px">Move</button><p role=status id=s></p>
<script>b.onpointerdown = () => { s.textContent = b.getAnimations().length ? "ignored" : "Done"; };</script>`)
	if res, err := p.Click(t.Context(), deed.Button("Move")); res.Outcome == deed.OutcomeFailed {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	if _, err := p.Eval(t.Context(), "b.style.left = '500px', 1", nil); err != nil {
		t.Fatal(err)
	}
	if res, err := p.Click(t.Context(), deed.Button("Go"), browser.Expect(deed.Appears("status", "Done"))); err != nil {
		t.Errorf("%v\n%s%s", err, res.Explain(), strings.Join(res.Log, "\n"))
	}
}
