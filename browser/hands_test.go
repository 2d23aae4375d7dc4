package browser_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

// do carries actions out on a hard page, every one of which must be proven, and compares the page's own record.
func carryOut(t *testing.T, page, query, end, want string, actions ...deed.Action) {
	t.Helper()
	p := browsertest.Open(t, browsertest.Folder(t, "../testdata/hard")+"/"+page+".html"+query)
	for _, a := range actions {
		res, err := p.Do(t.Context(), a)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, res.Explain(), strings.Join(res.Log, "\n"))
		}
	}
	var got string
	if _, err := p.Eval(t.Context(), "String("+end+")", &got); err != nil || got != want {
		t.Errorf("end state %q, want %q, %v", got, want, err)
	}
}

func statusSays(s string) []deed.Expect { return []deed.Expect{deed.Text(s).In("status")} }

func click(l deed.Locator, e ...deed.Expect) deed.Action {
	return deed.Action{Kind: deed.KindClick, Locator: l, Expect: e}
}

func TestHover(t *testing.T) {
	carryOut(t, "hover-reveals-actions", "", "__oracle.acts.join()", "Trash notes.txt",
		deed.Action{Kind: deed.KindHover, Locator: deed.Listitem("notes.txt"), Expect: []deed.Expect{deed.Appears("button", "Trash")}},
		click(deed.Button("Trash"), statusSays("Trash notes.txt")...))
	carryOut(t, "virt-recycle-rows", "", "__oracle.archived.join()", "Order 0005",
		deed.Action{Kind: deed.KindHover, Locator: deed.Button("Archive Order 0002")},
		deed.Action{Kind: deed.KindWait, Expect: []deed.Expect{deed.Visible("status", "2 new orders")}},
		click(deed.Button("Archive Order 0005"), statusSays("Archived Order 0005")...))
}

func TestScrollLoadsAndFinds(t *testing.T) {
	carryOut(t, "nested-scroll-pane", "", `__oracle.opened.join()+" nav="+__oracle.navScrolled`, "17 nav=0",
		deed.Action{Kind: deed.KindScroll, Locator: deed.Button("Open result 17"), Scroll: &deed.Scroll{Region: `main "Results"`}, Timeout: 20 * time.Second},
		click(deed.Button("Open result 17"), statusSays("Opened 17")...))
}

// An element may be brought into view by a selector, and the wheel turned over a point: what scrolls is what stands there.
func TestScrollBySelectorAndPoint(t *testing.T) {
	const page = `<!doctype html><title>Panes</title><style>body{margin:0}main,aside{position:absolute;top:0;width:300px;height:200px;overflow:auto}aside{left:400px}button{display:block}p{height:1500px}</style>
<main aria-label=Left><p>one</p><button id=far>Far</button></main><aside aria-label=Right><p>two</p><button>Last</button></aside><p>page</p>`
	moved := func(p *browser.Page, want string) {
		t.Helper()
		var at []int
		if _, err := p.Eval(t.Context(), "[document.querySelector('main').scrollTop > 0, document.querySelector('aside').scrollTop > 0, scrollY > 0].map(Number)", &at); err != nil || fmt.Sprint(at) != want {
			t.Errorf("left, right and page moved: %v, want %s (%v)", at, want, err)
		}
	}
	p := browsertest.HTML(t, page)
	res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindScroll, Selector: "#far"})
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	moved(p, "[1 0 0]")

	p = browsertest.HTML(t, page)
	if res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindScroll, Point: &deed.Point{X: 500, Y: 100}, Scroll: &deed.Scroll{Y: 300}}); err != nil {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	moved(p, "[0 1 0]")
}

func TestDrag(t *testing.T) {
	carryOut(t, "dnd-html5", "", "__oracle.dropped.join()", "salad",
		deed.Action{Kind: deed.KindDrag, Locator: deed.Listitem("Salad"), Drop: &deed.Drop{In: "Plate"}, Expect: statusSays("Salad on the plate")})
	carryOut(t, "dnd-pointer-sortable", "", "__oracle.order", "Corn,Slaw,Beans,Sweet potato",
		deed.Action{Kind: deed.KindDrag, Locator: deed.Listitem("Sweet potato"), Drop: &deed.Drop{After: "Beans"}, Expect: statusSays("Corn, Slaw, Beans, Sweet potato")})
}

// A list that makes way while one drags swaps at every move over an item, takes none while it glides, and so ends on either side:
// the item is brought to the side that was asked for, and let go there.
func TestDragIntoAListThatMakesWay(t *testing.T) {
	const page = `<!doctype html><title>Tasks</title><style>li{height:30px}</style><ul aria-label=Todo><li draggable=true>Write</li><li draggable=true>Read</li></ul>
<ul aria-label=Done><li draggable=true>Plan</li></ul><script>
let d, gliding = 0;
const index = (e) => [...e.parentNode.children].indexOf(e);
document.ondragstart = e => { d = e.target; };
document.ondragover = e => {
  e.preventDefault();
  const t = e.target.closest("li");
  if (!t || t === d || gliding) return;
  const all = [...document.querySelectorAll("li")], was = all.map(e => e.getBoundingClientRect().top);
  if (index(d) < index(t)) t.after(d); else t.before(d);
  all.forEach((e, i) => {
    const by = was[i] - e.getBoundingClientRect().top;
    if (!by) return;
    gliding++;
    e.animate([{transform: "translateY(" + by + "px)"}, {transform: "none"}], 150).onfinish = () => gliding--;
  });
};</script>`
	for _, drop := range []deed.Drop{{Before: "Plan"}, {After: "Plan"}} {
		p := browsertest.HTML(t, page)
		for _, item := range []string{"Write", "Read"} {
			if res, err := p.Drag(t.Context(), deed.Listitem(item), drop); err != nil {
				t.Errorf("%s %v: %v\n%s", item, drop, err, res.Explain())
			}
		}
	}
}

// What comes into place by an animation is pressed when it is there, in a shadow tree too, and the page before the act shows it.
func TestNothingIsPressedOnItsWayIntoPlace(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Profile</title><button id=o>Open</button><div id=h><button id=b>Delete it</button></div><script>
const r = h.attachShadow({mode: "open"});
r.innerHTML = "<div role=dialog aria-label=Sure hidden style='width:200px'><slot></slot></div>";
const d = r.firstChild;
o.onclick = () => { d.hidden = false; d.animate([{opacity: 0, transform: "scale(.8)"}, {opacity: 1, transform: "none"}], 400); };
b.onpointerdown = () => { window.early = d.getAnimations().length; };
b.onclick = () => { d.hidden = true; };</script>`)
	if _, err := p.Eval(t.Context(), "o.click()", nil); err != nil { // by the page itself: the next act begins with the first frame
		t.Fatal(err)
	}
	if res, err := p.Click(t.Context(), deed.Button("Delete it"), browser.Expect(deed.Disappears("dialog", "Sure"))); err != nil {
		t.Fatalf("%v\n%s%s", err, res.Explain(), strings.Join(res.Log, "\n"))
	}
	var early int
	if _, err := p.Eval(t.Context(), "window.early", &early); err != nil || early != 0 {
		t.Errorf("pressed under %d animations, %v", early, err)
	}
}

func TestUploadThroughAChooser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cv-sample.txt")
	if err := os.WriteFile(file, []byte("ten bytes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	carryOut(t, "upload-two-hidden-inputs", "", `"photo="+__oracle.photo+" cv="+__oracle.cv`, "photo= cv=cv-sample.txt",
		deed.Action{Kind: deed.KindUpload, Locator: deed.Button("Attach CV"), Files: []string{file}, Expect: statusSays("CV cv-sample.txt attached")})
	p := browsertest.HTML(t, `<!doctype html><title>Form</title><label>Invoice <input type=file></label>`)
	s, err := p.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	role := ""
	for _, n := range s.Nodes {
		if strings.HasPrefix(n.Name, "Invoice") {
			role = n.Role
		}
	}
	res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindUpload, Locator: deed.Locator{Role: role, Name: "Invoice", Loose: true}, Files: []string{file}})
	if len(res.Signals.Files) != 1 || res.Signals.Files[0] != (deed.File{Name: "cv-sample.txt", Size: 10}) {
		t.Errorf("files %+v, %v", res.Signals.Files, err)
	}
}

func TestBackAndReload(t *testing.T) {
	url := func(s string) deed.Expect { return deed.URL("**view=" + s) }
	carryOut(t, "bfcache-back", "?bf=1", "__oracle.done.join()", "11,12",
		click(deed.Link("Task 11"), url("11")), click(deed.Button("Finish task 11"), statusSays("Finished")...),
		deed.Action{Kind: deed.KindBack, Expect: []deed.Expect{deed.Appears("link", "Task 12")}},
		click(deed.Link("Task 12"), url("12")), click(deed.Button("Finish task 12"), statusSays("Finished")...))
	p := browsertest.HTML(t, `<!doctype html><title>Count</title><p role=status id=s></p><script>s.textContent="load "+(sessionStorage.n=+(sessionStorage.n||0)+1)</script>`)
	res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindReload, Expect: []deed.Expect{deed.Text("load 2").In("status")}})
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

func TestTypeAndClear(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Note</title><label>Note <input id=n value="Hej "></label><p role=status id=s></p><script>n.onkeydown=()=>s.textContent="key"</script>`)
	is := func(v string) browser.Option { return browser.Expect(deed.Value(deed.Textbox("Note"), v)) }
	res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindType, Locator: deed.Textbox("Note"), Text: "då 👩‍🚀 漢"}, is("Hej då 👩‍🚀 漢"))
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	if res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindClear, Locator: deed.Textbox("Note")}, is("")); err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// A picture of a page with a secret has the field covered and nothing else.
func TestScreenshotCoversSensitiveFields(t *testing.T) {
	const page = `<!doctype html><title>Sign in</title><body style="margin:0;background:#fff"><input type=password value=hunter2 style="position:absolute;left:100px;top:100px;width:200px;height:40px;border:0;background:#0f0">
<input value=visible aria-label=Name style="position:absolute;left:100px;top:200px;width:200px;height:40px;border:0;background:#00f">`
	p := browsertest.HTML(t, page)
	res, err := p.Do(t.Context(), deed.Action{Kind: deed.KindShot, Text: "sign-in"})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(res.Saved.([]byte)))
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) [3]uint32 { r, g, b, _ := img.At(x, y).RGBA(); return [3]uint32{r >> 8, g >> 8, b >> 8} }
	for x := 102; x < 298; x += 7 {
		if c := at(x, 120); c != [3]uint32{96, 96, 96} {
			t.Fatalf("the password field shows %v at %d", c, x)
		}
	}
	if c := at(290, 235); c != [3]uint32{0, 0, 255} {
		t.Errorf("the other field shows %v", c)
	}
}

func TestDownloadIsTheEffect(t *testing.T) {
	p := browsertest.Open(t, browsertest.Folder(t, "../testdata/hard")+"/download-no-dom-change.html")
	res, err := p.Click(t.Context(), deed.Button("Download May as CSV"), browser.Expect(deed.Expect{Kind: deed.ExpectDownload, Text: "report-may.csv"}))
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	if d := res.Signals.Downloads; len(d) != 1 || filepath.Base(d[0].Path) != "report-may.csv" {
		t.Fatalf("downloads %+v", d)
	}
	if raw, err := os.ReadFile(res.Signals.Downloads[0].Path); err != nil || len(raw) == 0 {
		t.Errorf("the file: %q, %v", raw, err)
	}
}

func TestTabs(t *testing.T) {
	p := browsertest.Open(t, browsertest.Folder(t, "../testdata/hard")+"/popup-same-field.html")
	ctx := t.Context()
	must := func(res *deed.Result, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, res.Explain())
		}
	}
	must(p.Click(ctx, deed.Link("Open transfer form"), browser.Expect(deed.Expect{Kind: deed.ExpectPopup, Text: "Transfer"})))
	must(p.SwitchTab(ctx, "Transfer"))
	must(p.Fill(ctx, deed.Textbox("Reference"), "TR-9"))
	must(p.Click(ctx, deed.Button("Save reference"), browser.Expect(deed.Text("Saved TR-9").In("status"))))
	must(p.CloseTab(ctx))
	var end string
	if _, err := p.Eval(ctx, `"main="+__oracle.main+" transfer="+__oracle.transfer`, &end); err != nil || end != "main= transfer=TR-9" {
		t.Errorf("end state %q, %v", end, err)
	}
	if _, err := p.CloseTab(ctx); err == nil {
		t.Error("the only tab was closed")
	}
	if _, err := p.SwitchTab(ctx, "nowhere", browser.Timeout(200*time.Millisecond)); err == nil || deed.CodeOf(err) != deed.CodeNoMatch {
		t.Errorf("switching to no tab: %v", err)
	}
}

func TestClosedShadowRoots(t *testing.T) {
	carryOut(t, "select-in-closed-shadow", "", "__oracle.sent.join()", "express",
		deed.Action{Kind: deed.KindSelect, Locator: deed.Combobox("Speed"), Options: []string{"Express"}, Expect: statusSays("Speed express")},
		click(deed.Button("Send parcel"), statusSays("Sent express")...))
	p := browsertest.HTML(t, `<!doctype html><title>Cart</title><my-cart></my-cart><script>
customElements.define("my-cart", class extends HTMLElement { constructor() { super(); const r = this.attachShadow({mode: "closed"});
  r.innerHTML = "<button>Add</button><p role=status></p>"; r.firstChild.onclick = () => { r.lastChild.textContent = "1 item"; }; } });</script>`)
	if res, err := p.Click(t.Context(), deed.Button("Add"), browser.Expect(deed.Appears("status", "1 item"))); err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}

// A combobox of the page's own: its list is opened, the option clicked, and the committed value is what counts.
func TestSelectInAListOfThePagesOwn(t *testing.T) {
	const page = `<!doctype html><title>Size</title><button id=b role=combobox aria-label=Size aria-expanded=false aria-controls=l>Small</button>
<script>b.onclick = () => { if (b.getAttribute("aria-expanded") === "true") return; b.setAttribute("aria-expanded", "true");
  setTimeout(() => { const u = document.createElement("ul"); u.id = "l"; u.setAttribute("role", "listbox"); u.setAttribute("aria-label", "Sizes");
    for (const s of ["Small", "Medium", "Large"]) { const o = document.createElement("li"); o.setAttribute("role", "option"); o.textContent = s;
      o.onclick = () => { b.textContent = WRONG ? "Large" : s; u.remove(); b.setAttribute("aria-expanded", "false"); }; u.append(o); } document.body.append(u); }, 150); };</script>`
	p := browsertest.HTML(t, strings.ReplaceAll(page, "WRONG", "false"))
	res, err := p.Select(t.Context(), deed.Combobox("Size"), []string{"Medium"})
	if err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
	if _, err := p.Select(t.Context(), deed.Combobox("Size"), []string{"Huge"}); !errors.Is(err, deed.CodeNoOption) || !strings.Contains(err.Error(), `"Large"`) {
		t.Errorf("an option that is not there: %v", err)
	}
	p = browsertest.HTML(t, strings.ReplaceAll(page, "WRONG", "true"))
	res, err = p.Select(t.Context(), deed.Combobox("Size"), []string{"Medium"}, browser.Timeout(4*time.Second))
	if err == nil || res.Outcome != deed.OutcomeMismatch {
		t.Errorf("a list that commits another option: %v\n%s", err, res.Explain())
	}
}

// A drop that lands in the wrong list is dragged back, and that it is back in its place is proven.
func TestAP42_DragIntoTheWrongListIsTakenBack(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Board</title><style>ul{float:left;width:200px;min-height:200px;margin:20px;padding:10px;border:1px solid}li{padding:8px}</style>
<ul id=a aria-label=Todo><li draggable=true>Write</li><li draggable=true>Read</li></ul><ul id=b aria-label=Doing></ul><ul id=c aria-label=Done></ul>
<script>let d; window.moves = []; document.ondragstart = e => { d = e.target; }; document.ondragover = e => e.preventDefault();
document.ondrop = e => { e.preventDefault(); let u = e.target.closest("ul"); if (u === b) u = c; moves.push(d.textContent + ">" + u.id);
  const li = e.target.closest("li"); if (li && li !== d) li.before(d); else u.append(d); };</script>`)
	res, err := p.Drag(t.Context(), deed.Listitem("Write"), deed.Drop{In: "Doing"}, browser.Timeout(4*time.Second))
	if err == nil || res.Outcome != deed.OutcomeMismatch {
		t.Fatalf("the wrong list passed: %v\n%s", err, res.Explain())
	}
	var lists string
	if _, err := p.Eval(t.Context(), `[a, b, c].map(u => [...u.children].map(l => l.textContent).join()).join("|")`, &lists); err != nil || lists != "Write,Read||" || res.Undone != 1 {
		t.Errorf("lists %q, undone %d, %v\n%s%s", lists, res.Undone, err, res.Explain(), strings.Join(res.Log, "\n"))
	}
}

// A list may draw its options as plain text and keep the roles on elements without a box, show the choice beside an empty control,
// and still be closing when the next choice comes.
func TestSelectInAListDrawnAsText(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Size</title><p>Order</p><span id=v>Small</span><input id=b role=combobox aria-label=Size aria-expanded=false aria-controls=l readonly>
<div id=d hidden><div id=l role=listbox style="width:0;height:0;overflow:hidden"></div></div><script>
for (const s of ["Small", "Medium", "Large"]) {
  l.insertAdjacentHTML("beforeend", "<div role=option>" + s + "</div>");
  const o = document.createElement("div"); o.textContent = s; d.append(o);
  o.onclick = () => { v.textContent = s; b.setAttribute("aria-expanded", "false");
    d.animate([{transform: "none"}, {transform: "scaleY(.2)"}], 300).onfinish = () => { d.hidden = true; }; };
}
b.onclick = () => { b.setAttribute("aria-expanded", "true"); d.getAnimations().forEach(a => a.cancel()); d.hidden = false; };</script>`)
	for _, want := range []string{"Medium", "Large"} {
		if res, err := p.Select(t.Context(), deed.Combobox("Size"), []string{want}); err != nil {
			t.Errorf("%v\n%s%s", err, res.Explain(), strings.Join(res.Log, "\n"))
		}
	}
	if _, err := p.Select(t.Context(), deed.Combobox("Size"), []string{"Huge"}); !errors.Is(err, deed.CodeNoOption) {
		t.Errorf("an option that is not there: %v", err)
	}
}

// A page that was opened and was not meant is closed again, and the first page is as it was.
func TestOpenedPageIsTakenBack(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Shop</title><h1>Shop</h1>
<button onclick="window.open('about:blank')">Terms</button>`)
	res, err := p.Click(t.Context(), deed.Button("Terms"), browser.Expect(deed.Appears("dialog", "Terms")), browser.Timeout(2*time.Second))
	if err == nil || res.Outcome != deed.OutcomeMismatch || res.Undone != 1 {
		t.Errorf("outcome %v, %d undone, error %v\n%s", res.Outcome, res.Undone, err, res.Explain())
	}
	if _, err := p.SwitchTab(t.Context(), "blank", browser.Timeout(time.Second)); err == nil {
		t.Error("the page that was opened is still there")
	}
}
