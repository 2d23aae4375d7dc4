package pagescript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
)

// lines is the outline of a part without the head of the page, one node a line.
func lines(p *Part) []string {
	return strings.Split(strings.TrimRight(outline(p), "\n"), "\n")
}

// expectOutline compares the outline of a page with lines, indentation included.
func expectOutline(t *testing.T, p *Part, want ...string) {
	t.Helper()
	if !p.Complete {
		t.Errorf("incomplete: %s", p.Why)
	}
	if d := cmp.Diff(want, lines(p)); d != "" {
		t.Errorf("nodes (-want +got):\n%s", d)
	}
}

// find returns the only node with this role and name.
func find(t *testing.T, p *Part, role, name string) *deed.Node {
	t.Helper()
	var found *deed.Node
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Role == role && n.Name == name {
			if found != nil {
				t.Fatalf("two nodes are %s", n)
			}
			found = n
		}
	}
	if found == nil {
		t.Fatalf("no %s %q in\n%s", role, name, outline(p))
	}
	return found
}

func TestWholePage(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>Shop</title><header><a href="/">Home</a></header><main><h1>Shop <em>now</em></h1>
<div class=p><b>T-shirt M</b> <span>19 €</span> <button>Add T-shirt M</button></div>
<div class=p><b>T-shirt L</b> <span>20 €</span> <button>Add T-shirt L</button></div>
<ul data-deed-region=cart><li>T-shirt M <button>Remove</button></li></ul>
<p>Total: <b>19</b> €</p><div role=status>3 items</div>
<label>Card number <input value=4111></label> <label><input type=checkbox checked> Gift</label>
<select aria-label=Size><option>S<option selected>M</select>
<div>plain <span>text</span></div>
<table><caption>T</caption><tr><th>Name<th>Age<tr><td>Ana<td>3 <button>Delete</button></table>
<iframe title=pay name=payframe src="/pay"></iframe>
</main>`)
	p := tab.look()
	expectOutline(t, p,
		`banner region`,
		`  link "Home" in banner`,
		`main region`,
		`  heading "Shop now" in main`,
		`  text "T-shirt M 19 €" in main row "T-shirt M 19 €"`,
		`  button "Add T-shirt M" in main row "T-shirt M 19 €"`,
		`  text "T-shirt L 20 €" in main row "T-shirt L 20 €"`,
		`  button "Add T-shirt L" in main row "T-shirt L 20 €"`,
		`  list "cart" in main region`,
		`    listitem "T-shirt M" in cart row "T-shirt M"`,
		`      button "Remove" in cart row "T-shirt M"`,
		`  paragraph "Total: 19 €" in main`,
		`  status "3 items" in main`,
		`  textbox "Card number" in main = "[redacted]" sensitive`,
		`  checkbox "Gift" in main (checked)`,
		`  combobox "Size" in main = "M" (collapsed)`,
		`    option "S" in main (unselected) unseen`,
		`    option "M" in main (selected) unseen`,
		`  text "plain text" in main`,
		`  table "T" in main region`,
		`    row "Name Age" in table "T" row "Name Age"`,
		`      columnheader "Name" in table "T" row "Name Age"`,
		`      columnheader "Age" in table "T" row "Name Age"`,
		`    row "Ana 3 Delete" in table "T" row "Ana 3"`,
		`      cell "Ana" in table "T" row "Ana 3"`,
		`      cell "3 Delete" in table "T" row "Ana 3"`,
		`        button "Delete" in table "T" row "Ana 3"`,
		`  iframe "pay" in main`,
	)
	if p.Title != "Shop" || p.URL != tab.base || len(p.Doc) < 10 {
		t.Errorf("title %q, url %q, document %q", p.Title, p.URL, p.Doc)
	}
	if len(p.Frames) != 1 {
		t.Fatalf("frames: %+v", p.Frames)
	}
	f := p.Frames[0]
	if p.Nodes[f.Node].Role != "iframe" || f.Element != p.Nodes[f.Node].Element || f.Name != "payframe" || f.Title != "pay" || f.Src != tab.base+"pay" {
		t.Errorf("frame: %+v", f)
	}

	again := tab.look()
	if d := cmp.Diff(p, again); d != "" {
		t.Errorf("the same page looks different the second time:\n%s", d)
	}
	tab.navigate(tab.base)
	if other := tab.look(); other.Doc == p.Doc {
		t.Errorf("another document has the same identity %q", other.Doc)
	}
}

// The guard asks for the identity of one element in an event handler, without any memory; the snapshot remembers
// what it can. Both must say the same.
func TestIdentityIsWhatTheSnapshotSays(t *testing.T) {
	var pages []string
	for _, glob := range []string{"testdata/*.html", "../../testdata/hard/*.html"} {
		found, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 6 {
		t.Fatalf("only %d pages", len(pages))
	}
	nodes := 0
	tab := openTab(t, "")
	for _, page := range pages {
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		tab.load(string(html))
		var res struct {
			Nodes int
			Wrong []string
		}
		tab.eval(`(() => { const s = JSON.parse(T.snapshot()), wrong = [];
			for (let i = 0; i < Math.min(s.n, 1500); i++) {
				const el = T.elementOf(s.el[i]), role = s.roles[s.ro[i]];
				if (!el) { wrong.push("node " + i + " has no element"); continue; }
				if (role === "text" && T.elementId(el) !== s.el[i]) continue;
				const id = T.identity(el);
				const was = JSON.stringify([role, s.nm[i], s.regs[s.re[i]], s.rows[s.rw[i]]]), is = JSON.stringify([id.role, id.name, id.region, id.row]);
				if (was !== is) wrong.push("snapshot " + was + "\nidentity " + is);
				const states = T.statesOf(el);
				if (role !== "text" && states !== s.st[i]) wrong.push(was + " states " + s.st[i] + ", alone " + states);
				const sensitive = (s.fl[i] & 1) !== 0;
				if (role !== "text" && sensitive !== T.isSensitive(el)) wrong.push(was + " sensitive " + sensitive + ", alone " + !sensitive);
			}
			return {Nodes: s.n, Wrong: wrong.slice(0, 20)}; })()`, &res)
		nodes += res.Nodes
		for _, w := range res.Wrong {
			t.Errorf("%s: %s", filepath.Base(page), w)
		}
	}
	if nodes < 300 {
		t.Errorf("only %d nodes compared", nodes)
	}
}

func TestTextIsCarriedOnce(t *testing.T) {
	tab := openTab(t, "")
	for name, c := range map[string]struct {
		html string
		want []string
	}{
		"div and spans are one text":                 {`<div>Total <span>3</span><span> items</span></div>`, []string{`text "Total 3 items"`}},
		"a nested box is a text of its own":          {`<div>Outer <div>inner</div> end</div>`, []string{`text "Outer end"`, `text "inner"`}},
		"text around a control":                      {`<div>Price: <button>Change</button> 19 €</div>`, []string{`text "Price: 19 €"`, `button "Change"`}},
		"a paragraph keeps its links apart":          {`<p>Read <a href=#>the terms</a> first</p>`, []string{`paragraph "Read first"`, `  link "the terms"`}},
		"a paragraph with only a link is none":       {`<p><a href=#>Terms</a></p>`, []string{`link "Terms"`}},
		"a list item":                                {`<ul><li>Milk <b>2 l</b> <button>Buy</button></ul>`, []string{`list`, `  listitem "Milk 2 l" row "Milk 2 l"`, `    button "Buy" row "Milk 2 l"`}},
		"a list item takes the paragraph in it":      {`<ul><li><p>Milk</p></ul>`, []string{`list`, `  listitem "Milk" row "Milk"`}},
		"a nested list is not part of the item":      {`<ul><li>Fruit<ul><li>Apple</ul></ul>`, []string{`list`, `  listitem "Fruit" row "Fruit Apple"`, `    list row "Fruit Apple"`, `      listitem "Apple" row "Apple"`}},
		"status takes the paragraph in it":           {`<div role=status><p>Saved</p></div>`, []string{`status "Saved"`}},
		"an empty status is there":                   {`<div role=status></div>`, []string{`status unseen`}},
		"a status with a name has its text as value": {`<div role=status aria-label=Cart>3 items</div>`, []string{`status "Cart" = "3 items"`}},
		"a label is not repeated":                    {`<label for=a>Name</label><input id=a>`, []string{`textbox "Name" = ""`}},
		"a label of nothing is text":                 {`<label>Alone</label>`, []string{`text "Alone"`}},
		"a label that does not name is text":         {`<label for=a>Shown</label><input id=a aria-label=Name>`, []string{`text "Shown"`, `textbox "Name" = ""`}},
		"legend and caption are not repeated": {`<fieldset><legend>Size</legend><input type=radio aria-label=S></fieldset><table><caption>T</caption><tr><td>1</table>`,
			[]string{`group "Size" region`, `  radio "S" in group "Size" (unchecked)`, `table "T" region`, `  row "1" in table "T" row "1"`, `    cell "1" in table "T" row "1"`}},
		"what names by reference is not repeated": {`<div role=dialog aria-labelledby=t><div id=t>Title</div><div>Body</div></div>`, []string{`dialog "Title" region`, `  text "Body" in dialog "Title"`}},
		"a heading that names is still a heading": {`<section aria-labelledby=t><h2 id=t>News</h2></section>`, []string{`region "News" region`, `  heading "News" in region "News"`}},
		"a region with text of its own":           {`<section aria-label=News>Nothing</section>`, []string{`region "News" region`, `  text "Nothing" in region "News"`}},
		"shown beside an author's name": {`<button aria-label="Cart">3</button><button aria-label="Add to cart">Add</button><button aria-label=Close>×</button>`,
			[]string{`button "Cart" = "3"`, `button "Add to cart"`, `button "Close"`}},
		"what stands apart in a button is told beside its name": {`<button>Cart <span role=status>3 items</span></button><a href=#>All <nav>of it</nav></a>`,
			[]string{`button "Cart"`, `  status "3 items"`, `link "All"`, `  navigation region`, `    text "of it" in navigation`}},
		"a tooltip comes before what stands apart":        {`<button title=Views><span role=group>x</span></button>`, []string{`button "Views"`, `  group`, `    text "x"`}},
		"a card that is one link has its text for a name": {`<a href=#><article>Lamp <b>19 €</b></article></a>`, []string{`link "Lamp 19 €"`, `  article`, `    text "Lamp 19 €"`}},
		"an anchor that shows the pointer is a link": {`<a>plain</a><a style="cursor:pointer">Today</a><div style="cursor:pointer">Card <a name=x>mark</a></div>`,
			[]string{`text "plain"`, `link "Today"`, `text "Card mark"`}},
		"a day has its date": {`<table aria-label=M><tr><td title="2026-03-07"><div>7</div><td data-date="2026-04-07">7<td title="17 of 2026">7<td title="Sum of 2026">12<td><time datetime="2026-03-08">8</time><td>9</table>`,
			[]string{`table "M" region`, `  row "7 7 7 12 8 9" in table "M" row "7 7 7 12 8 9"`, `    cell "7" in table "M" = "2026-03-07" row "7 7 7 12 8 9"`, `    cell "7" in table "M" = "2026-04-07" row "7 7 7 12 8 9"`,
				`    cell "7" in table "M" row "7 7 7 12 8 9"`, `    cell "12" in table "M" row "7 7 7 12 8 9"`, `    cell "8" in table "M" = "2026-03-08" row "7 7 7 12 8 9"`, `    cell "9" in table "M" row "7 7 7 12 8 9"`}},
		"only what is operated counts in a button": {`<div role=button tabindex=0>Open <h3>Big</h3><img alt=icon src=x><a href=#>more</a></div>`, []string{`button "Open Big icon more"`, `  link "more"`}},
		"definition list":                          {`<dl><dt>Total<dd>19 €</dl>`, []string{`term "Total"`, `definition "19 €"`}},
		"generated text":                           {`<style>.n::after{content:" (3)"}</style><p class=n>Inbox</p><div class=n>Box</div>`, []string{`paragraph "Inbox (3)"`, `text "Box (3)"`}},
		"an icon font is no text":                  {`<style>i::before{content:"\f101"}</style><div><i></i></div>`, []string{``}},
		"hidden inside":                            {`<div>Shown <span hidden>not</span><span style="visibility:hidden">nor <b style="visibility:visible">but this</b></span></div>`, []string{`text "Shown but this"`}},
		"what a cell holds beside an author's name is a text": {`<div role=grid aria-label=March><div role=row><div role=gridcell aria-labelledby=d><b id=d>12</b><div tabindex=0>Dentist</div></div><div role=gridcell>13</div></div></div>`,
			[]string{`grid "March" region`, `  row "12 13" in grid "March" row "12 Dentist 13"`, `    gridcell "12" in grid "March" = "12 Dentist" row "12 Dentist 13"`,
				`      text "Dentist" in grid "March" row "12 Dentist 13"`, `    gridcell "13" in grid "March" row "12 Dentist 13"`}},
		"a long cell is layout": {`<table><tr><td><div>` + strings.Repeat("word ", 50) + `</div><div>Other</div></table>`,
			[]string{`table region`, `  row "` + clip120(strings.Repeat("word ", 50)+"Other") + `" in table row "` + row200(strings.Repeat("word ", 50)+"Other") + `"`,
				`    cell "` + clip120(strings.Repeat("word ", 50)+"Other") + `" in table row "` + row200(strings.Repeat("word ", 50)+"Other") + `"`,
				`      text "` + clip120(strings.TrimSpace(strings.Repeat("word ", 50))) + `" in table row "` + row200(strings.Repeat("word ", 50)+"Other") + `"`,
				`      text "Other" in table row "` + row200(strings.Repeat("word ", 50)+"Other") + `"`}},
	} {
		t.Run(name, func(t *testing.T) {
			tab.load("<!doctype html><title>-</title>" + c.html)
			expectOutline(t, tab.look(), c.want...)
		})
	}
}

func clip120(s string) string { return s[:120] + "…" }
func row200(s string) string  { return s[:200] }

func TestRegions(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title>
<nav><button>b1</button></nav><nav aria-label="Side"><button>b2</button></nav>
<main><ul aria-label="Items"><li><button>b3</button></ul><ul><li><button>b4</button></ul>
<div data-deed-region="basket"><button>b5</button></div><section data-deed-region="offers" aria-label="Special"><button>b6</button></section>
<div role=dialog><button>b7</button></div><dialog open aria-label="Cookies"><button>b8</button></dialog>
<form><button>b9</button></form><form aria-label=Order><button>b10</button></form><table><tr><td><button>b11</button></table>
<div role=group><button>b12</button></div><article aria-labelledby=h><h2 id=h>Story</h2><button>b13</button></article></main>
<div data-deed-region='dialog "Cookies"'><button>b14</button></div>
<div role=region aria-label='x" in main'><button>b15</button></div>
<div role=region aria-label="navigation"><button>b16</button></div><button>b17</button>`)
	p := tab.look()
	for name, want := range map[string]string{
		"b1": `navigation`, "b2": `navigation "Side"`, "b3": `list "Items"`, "b4": `main`, "b5": `basket`, "b6": `offers`, "b7": `dialog`,
		"b8": `dialog "Cookies"`, "b9": `main`, "b10": `form "Order"`, "b11": `table`, "b12": `main`, "b13": `article "Story"`,
		"b14": `dialog Cookies`, "b15": `region "x\" in main"`, "b16": `region "navigation"`, "b17": ``,
	} {
		if got := find(t, p, "button", name).Region; got != want {
			t.Errorf("%s is in %q, want %q", name, got, want)
		}
	}
	// A node's region is the label of the nearest container around it, as deed.Node says it, but for an element that
	// has another role beside its data-deed-region.
	for i := range p.Nodes {
		n := &p.Nodes[i]
		c := n.Parent
		for c >= 0 && !p.Nodes[c].Container {
			c = p.Nodes[c].Parent
		}
		want := ""
		if c >= 0 {
			want = p.Nodes[c].Label()
		}
		if n.Region != want && n.Region != "offers" {
			t.Errorf("%s is in %q, its container is %q", n.Name, n.Region, want)
		}
	}
}

func TestQuoteIsGos(t *testing.T) {
	tab := openTab(t, "<!doctype html><title>-</title>")
	for _, s := range []string{"", "plain", `say "hi"`, `back\slash`, "tab\tnew\nline\r\v\f\a\b", "é ü 日本語 العربية", "zero\u200bwidth", "nbsp\u00a0x", "soft\u00adhyphen",
		"rtl\u200f", "\x00\x1f\x7f", "😀👩‍👩‍👧", "\U000e0001tag", "\ufeffbom", "\ue000private", "\u2028sep", "ﷺ"} {
		var got string
		tab.eval("T.quote("+jsString(t, s)+")", &got)
		if got != strconv.Quote(s) {
			t.Errorf("quote(%+q) = %s, Go says %s", s, got, strconv.Quote(s))
		}
	}
}

func TestRowsAndCards(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title>
<table><tr><td>Ana Lind<td>Cook<td><button>Edit</button><tr><td>Ana Lindberg<td>Driver<td><button aria-label="Edit 2">Edit</button></table>
<div class="card x"><h3>Lamp</h3><span>12 €</span><div><button>Buy lamp</button></div></div><div class="card"><h3>Chair</h3><span>30 €</span><button>Buy chair</button></div>
<div><b>Tea</b><button>Drink tea</button></div><div><b>Milk</b><button>Drink milk</button></div>
<p>Intro</p><div id=single><button>Alone</button></div>
<product-tile><b>Sofa</b><button>Buy sofa</button></product-tile><product-tile><b>Bed</b><button>Buy bed</button></product-tile>
<div class=col><button>Left</button>`+strings.Repeat("long text ", 100)+`</div><div class=col><button>Right</button></div>
<ul><li>Order 17 <div class=a><button>Open</button></div><div class=a><button>Close</button></div></li></ul>
<table><tr>`+strings.Repeat(" ", 300)+`<td>Indented<td>`+strings.Repeat("\n", 300)+`far<td> last<td><button>Go</button></table>
<select aria-label=Colour><optgroup label=Body><option>Blue</optgroup><optgroup label=Trim><option value=2>Blue 2</optgroup></select>`)
	p := tab.look()
	find(t, p, "row", "Indented far last Go") // white space of the source does not use up the row's text
	if got := find(t, p, "button", "Go").Row; got != "Indented far last" {
		t.Errorf("an indented row is %q", got)
	}
	for name, want := range map[string]string{
		"Edit": "Ana Lind Cook", "Edit 2": "Ana Lindberg Driver", "Buy lamp": "Lamp 12 €", "Buy chair": "Chair 30 €", "Drink tea": "Tea", "Drink milk": "Milk",
		"Alone": "", "Buy sofa": "Sofa", "Buy bed": "Bed", "Left": "", "Open": "Order 17", "Close": "Order 17",
	} {
		if got := find(t, p, "button", name).Row; got != want {
			t.Errorf("%s stands in %q, want %q", name, got, want)
		}
	}
	if g := find(t, p, "option", "Blue").Group; g != "Body" {
		t.Errorf("group of the first option: %q", g)
	}
	if g := find(t, p, "option", "Blue 2").Group; g != "Trim" {
		t.Errorf("group of the second option: %q", g)
	}
}

func TestStatesAndValues(t *testing.T) {
	tab := openTab(t, "")
	for name, c := range map[string]struct{ html, want string }{
		"checkbox":                  {`<input type=checkbox aria-label=x checked>`, `checkbox "x" (checked)`},
		"checkbox off":              {`<input type=checkbox aria-label=x>`, `checkbox "x" (unchecked)`},
		"indeterminate":             {`<input type=checkbox aria-label=x id=i><script>i.indeterminate=true</script>`, `checkbox "x" (mixed)`},
		"aria checkbox":             {`<div role=checkbox aria-checked=mixed aria-label=x tabindex=0></div>`, `checkbox "x" (mixed) unseen`},
		"switch":                    {`<button role=switch aria-checked=true>x</button>`, `switch "x" (checked)`},
		"radio":                     {`<input type=radio aria-label=x checked>`, `radio "x" (checked)`},
		"pressed":                   {`<button aria-pressed=true>x</button>`, `button "x" (pressed)`},
		"unpressed":                 {`<button aria-pressed=false>x</button>`, `button "x" (unpressed)`},
		"expanded":                  {`<button aria-expanded=true>x</button>`, `button "x" (expanded)`},
		"collapsed":                 {`<button aria-expanded=false>x</button>`, `button "x" (collapsed)`},
		"disabled":                  {`<button disabled>x</button>`, `button "x" (disabled)`},
		"aria-disabled":             {`<button aria-disabled=true>x</button>`, `button "x" (disabled)`},
		"fieldset disabled":         {`<fieldset disabled aria-label=f><button>x</button></fieldset>`, `  button "x" in group "f" (disabled)`},
		"aria-disabled above":       {`<div role=group aria-label=f aria-disabled=true><button>x</button></div>`, `  button "x" in group "f" (disabled)`},
		"required":                  {`<input aria-label=x required>`, `textbox "x" = "" (required)`},
		"readonly":                  {`<input aria-label=x readonly value=v>`, `textbox "x" = "v" (readonly)`},
		"invalid":                   {`<input aria-label=x aria-invalid=true>`, `textbox "x" = "" (invalid)`},
		"tab":                       {`<button role=tab aria-selected=true>x</button>`, `tab "x" (selected)`},
		"tab unselected":            {`<button role=tab aria-selected=false>x</button>`, `tab "x" (unselected)`},
		"current":                   {`<a href=# aria-current=page>x</a>`, `link "x" (current)`},
		"busy":                      {`<div role=status aria-busy=true>x</div>`, `status "x" (busy)`},
		"focused":                   {`<button autofocus id=i>x</button><script>i.focus()</script>`, `button "x" (focused)`},
		"modal":                     {`<dialog id=d aria-label=x></dialog><script>d.showModal()</script>`, `dialog "x" (focused modal) region`},
		"details":                   {`<details open><summary>x</summary></details>`, `  button "x" (expanded)`},
		"details closed":            {`<details><summary>x</summary>y</details>`, `  button "x" (collapsed)`},
		"popover":                   {`<button popovertarget=p>x</button><div popover id=p>y</div>`, `button "x" (collapsed)`},
		"text":                      {`<input aria-label=x value=" a  b ">`, `textbox "x" = " a  b "`},
		"textarea":                  {"<textarea aria-label=x>a\nb</textarea>", `textbox "x" = "a\nb"`},
		"number":                    {`<input type=number aria-label=x value=3>`, `spinbutton "x" = "3"`},
		"range":                     {`<input type=range aria-label=x value=30>`, `slider "x" = "30"`},
		"date":                      {`<input type=date aria-label=x value=2031-04-05>`, `textbox "x" = "2031-04-05"`},
		"colour":                    {`<input type=color aria-label=x value=#ff0000>`, `textbox "x" = "#ff0000"`},
		"aria slider":               {`<div role=slider aria-label=x aria-valuenow=3 aria-valuetext="three" tabindex=0></div>`, `slider "x" = "three" unseen`},
		"progress":                  {`<progress aria-label=x value=.5></progress>`, `progressbar "x" = "0.5"`},
		"progress unknown":          {`<progress aria-label=x></progress>`, `progressbar "x"`},
		"meter":                     {`<meter aria-label=x value=.4></meter>`, `meter "x" = "0.4"`},
		"editable":                  {`<div contenteditable aria-label=x>one<br>two</div>`, `textbox "x" = "one\ntwo"`},
		"editable role":             {`<div role=textbox contenteditable aria-label=x>hi</div>`, `textbox "x" = "hi"`},
		"custom combobox":           {`<div role=combobox aria-label=x aria-expanded=false tabindex=0>Berlin</div>`, `combobox "x" = "Berlin" (collapsed)`},
		"unlabelled field (AP-D18)": {`<input value=typed>`, `textbox = "typed"`},
	} {
		t.Run(name, func(t *testing.T) {
			tab.load("<!doctype html><title>-</title>" + c.html)
			p := tab.look()
			if !slices.Contains(lines(p), c.want) {
				t.Errorf("no line %s in\n%s", c.want, outline(p))
			}
		})
	}
	t.Run("select", func(t *testing.T) {
		expectOutline(t, openTab(t, `<!doctype html><title>-</title><select aria-label=x multiple><option selected>A<option>B<option selected label="See">C</select>`).look(),
			`listbox "x" = "A, See" (multiselectable) region`, `  option "A" in listbox "x" (selected)`, `  option "B" in listbox "x" (unselected)`, `  option "See" in listbox "x" = "C" (selected)`)
	})
}

func TestSeenAndUnseen(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><style>.carousel{width:200px;height:50px;overflow:hidden;position:relative}.track{display:flex;width:600px}.track>div{width:200px;flex:none}
.pane{height:60px;overflow:auto}.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style>
<button>plain</button><button style="position:absolute;left:-9999px">off left</button><button style="position:absolute;top:-500px">off top</button>
<div style="height:1500px"></div><button>far below</button>
<button style="opacity:0">transparent</button><div style="opacity:0"><button>in transparent</button></div>
<button style="width:0;height:0;padding:0;border:0;overflow:hidden">zero</button><button class=sr>for readers</button><button style="clip-path:inset(50%);position:absolute;width:1px;height:1px">clipped</button>
<div style="height:0;overflow:hidden"><div><button>collapsed</button></div></div><div style="height:0"><button>overflowing</button></div>
<div class=carousel><div class=track><div><button>slide 1</button></div><div><button>slide 2</button></div></div></div>
<div role=listbox aria-label="sunk list" style="height:0;width:0;overflow:hidden"><div role=option aria-label="sunk option">s</div></div>
<div class=pane><div style="height:300px"></div><button>below in pane</button></div>
<div role=button tabindex=0 style="display:contents"><span>contents</span></div>
<canvas width=9 height=9><button>fallback</button></canvas>
<div style="position:fixed;right:-400px;width:300px;top:0"><button>drawer</button></div>
<input type=radio aria-label="zero radio" style="width:0;height:0;margin:0;appearance:none;border:0;padding:0"><label><input type=checkbox style="opacity:0;position:absolute"> drawn twin</label>
<span role=status class=sr>told only</span>`)
	p := tab.look()
	for name, unseen := range map[string]bool{
		"plain": false, "off left": true, "off top": true, "far below": false, "transparent": true, "sunk list": true, "sunk option": true, "in transparent": true, "zero": true, "for readers": true,
		"clipped": true, "collapsed": true, "overflowing": false, "slide 1": false, "slide 2": true, "below in pane": false, "contents": false, "fallback": true,
		"drawer": true, "zero radio": true, "drawn twin": true, "told only": true,
	} {
		i := slices.IndexFunc(p.Nodes, func(n deed.Node) bool { return n.Name == name })
		if i < 0 {
			t.Errorf("%q is no node", name)
		} else if p.Nodes[i].Unseen != unseen {
			t.Errorf("%q: unseen %v, want %v", name, p.Nodes[i].Unseen, unseen)
		}
	}
}

func TestModalDialogMakesTheRestInert(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><main><button>Outside</button><dialog id=d aria-label=First><button>In first</button></dialog></main><dialog id=e aria-label=Second><button>In second</button></dialog>`)
	tab.inPage("d.showModal()", nil)
	expectOutline(t, tab.look(), `main region`, `  dialog "First" in main (modal) region`, `    button "In first" in dialog "First" (focused)`)
	tab.inPage("e.showModal()", nil)
	expectOutline(t, tab.look(), `dialog "Second" (modal) region`, `  button "In second" in dialog "Second" (focused)`)
	tab.inPage("e.close()", nil)
	if p := tab.look(); find(t, p, "button", "In first") == nil {
		t.Error("the first dialog is not on top again")
	}
	tab.inPage("d.close()", nil)
	if p := tab.look(); find(t, p, "button", "Outside") == nil {
		t.Error("the page is still inert")
	}
}

// A dialog that opens takes the page out of reach, but nothing of the page has gone.
func TestWhatIsBehindADialogIsStillThere(t *testing.T) {
	const page = `<!doctype html><title>-</title><div id=app><main><h1>Orders</h1><div>12 open</div><button id=b>Delete</button></main></div><dialog id=d aria-label=Sure><button>Yes</button></dialog>
<div id=portal></div><span aria-hidden=true>★</span>`
	for name, act := range map[string]struct{ open, close string }{
		"a modal dialog":     {"d.showModal()", "d.close()"},
		"inert":              {"app.inert = true; d.show(); b.focus()", "app.inert = false; d.close()"},
		"aria-hidden around": {`app.setAttribute("aria-hidden", "true"); d.show()`, `app.removeAttribute("aria-hidden"); d.close()`},
	} {
		t.Run(name, func(t *testing.T) {
			tab := openTab(t, page)
			look := func() *Part {
				t.Helper()
				var text string
				tab.eval("T.snapshot({behind: true})", &text)
				p, err := Decode([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			before := look()
			tab.inPage(act.open, nil)
			expectOutline(t, look(),
				`main region behind`,
				`  heading "Orders" in main behind`,
				`  text "12 open" in main behind`,
				`  button "Delete" in main behind`,
				`dialog "Sure"`+map[bool]string{true: " (modal)"}[name == "a modal dialog"]+` region`,
				`  button "Yes" in dialog "Sure" (focused)`,
			)
			tab.inPage(`document.querySelector("h1").textContent = "Orders (1)"; document.querySelector("main").append(document.createElement("hr"))`, nil)
			if p := look(); !find(t, p, "heading", "Orders (1)").Behind || len(p.Nodes) != len(before.Nodes)+2 {
				t.Errorf("a change behind the dialog:\n%s", outline(p))
			}
			if p := tab.look(); slices.ContainsFunc(p.Nodes, func(n deed.Node) bool { return n.Behind || n.Name == "Delete" }) {
				t.Errorf("out of reach, and yet:\n%s", outline(p))
			}
			tab.inPage(act.close, nil)
			if p := look(); find(t, p, "button", "Delete").Behind || find(t, p, "button", "Delete").Element != find(t, before, "button", "Delete").Element {
				t.Errorf("closed again:\n%s", outline(p))
			}
		})
	}
}

func TestElementsKeepTheirNumbers(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><ul><li id=a>One<li id=b>Two</ul><section aria-label=S>text</section>`)
	before := tab.look()
	tab.inPage(`a.firstChild.data = "Uno"; b.after(a)`, nil)
	tab.call("HeapProfiler.enable", nil, nil)
	tab.call("HeapProfiler.collectGarbage", nil, nil) // nobody but the document holds the elements now
	var name string
	tab.eval(`T.nameOf(T.elementOf(`+strconv.FormatInt(find(t, before, "listitem", "Two").Element, 10)+`))`, &name)
	if name != "Two" {
		t.Errorf("the number of the second item finds %q", name)
	}
	after := tab.look()
	if x, y := find(t, before, "listitem", "One"), find(t, after, "listitem", "Uno"); x.Element != y.Element {
		t.Errorf("the item was %d and is %d", x.Element, y.Element)
	}
	seen := map[int64]string{}
	for _, n := range after.Nodes {
		if other, ok := seen[n.Element]; ok || n.Element == 0 {
			t.Errorf("%s and %s have the number %d", other, n.String(), n.Element)
		}
		seen[n.Element] = n.String()
	}
	var gone bool
	tab.inPage(`b.remove()`, nil)
	tab.eval(`T.elementOf(`+strconv.FormatInt(find(t, before, "listitem", "Two").Element, 10)+`) === null`, &gone)
	if !gone {
		t.Error("a removed element still answers to its number")
	}
}

// The elements of the last look are found at once, all others by a search: that one must not miss any.
func TestNumbersOfElementsThatNoLookTold(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><p>One</p><div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = "<section><p>Two</p></section>"</script>`)
	for _, when := range []string{"before the first look", "after a look"} {
		var found []bool
		tab.eval(`["body", "section"].map((s) => { const el = T.q(s); return el.localName === s && T.elementOf(T.elementId(el)) === el; })`, &found)
		if !slices.Equal(found, []bool{true, true}) {
			t.Errorf("%s: found %v", when, found)
		}
		tab.look()
	}
	var gone bool
	tab.eval(`(() => { const el = T.q("section"), id = T.elementId(el); el.remove(); return T.elementOf(id) === null && T.elementOf(0) === null && T.elementOf(1e6) === null; })()`, &gone)
	if !gone {
		t.Error("what is not in the document answers to a number")
	}
}

func TestLimits(t *testing.T) {
	t.Run("more nodes than fit", func(t *testing.T) {
		tab := openTab(t, `<!doctype html><title>-</title><body><script>document.body.innerHTML = "<p>x</p>".repeat(50001)</script>`)
		p := tab.look()
		if p.Complete || p.Why != "more than 50000 nodes" || len(p.Nodes) != 50000 {
			t.Errorf("complete %v, %q, %d nodes", p.Complete, p.Why, len(p.Nodes))
		}
	})
	t.Run("a long text is cut, and what is cut off still counts", func(t *testing.T) {
		tab := openTab(t, `<!doctype html><title>-</title><p id=p>`+strings.Repeat("word ", 1000)+`end</p><textarea aria-label=x>`+strings.Repeat("y", 9000)+`</textarea>`)
		one := tab.look()
		tab.inPage(`p.firstChild.data = p.firstChild.data.replace("end", "END")`, nil)
		two := tab.look()
		a, b := one.Nodes[0].Name, two.Nodes[0].Name
		if len(a) > 2050 || a == b || a[:2000] != b[:2000] {
			t.Errorf("%d bytes, equal %v: …%s", len(a), a == b, a[1990:])
		}
		if v := one.Nodes[1].Value; len(v) > 2050 {
			t.Errorf("a value of %d bytes", len(v))
		}
	})
	t.Run("a document without an element", func(t *testing.T) {
		tab := openTab(t, `<!doctype html><title>-</title>`)
		tab.inPage(`document.documentElement.remove()`, nil)
		if p := tab.look(); p.Complete || p.Why != "the document is empty" {
			t.Errorf("complete %v: %q", p.Complete, p.Why)
		}
	})
	t.Run("deeper than the stack", func(t *testing.T) {
		tab := openTab(t, `<!doctype html><title>-</title><button>Before</button><div id=d></div><button>After</button>`)
		tab.inPage(`let at = d; for (let i = 0; i < 2400; i++) { const e = document.createElement("div"); at.append(e); at = e; } 0`, nil)
		p := tab.look()
		if p.Complete || !strings.Contains(p.Why, "could not be read") {
			t.Errorf("complete %v: %q", p.Complete, p.Why)
		}
		find(t, p, "button", "Before")
		find(t, p, "button", "After")
	})
}

// jsString writes s as a JavaScript string.
func jsString(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
