package pagescript

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

// The names and roles of the script are checked against Chrome's own accessibility tree, on pages that walk through
// the steps of accname and the rows of HTML-AAM and SVG-AAM, and on the hard pages of the project. Where the two
// differ for a reason, testdata/ax-differences.txt says so; any other difference fails, and so does a line of that
// file that no page shows any more.

// axNode is one element of Chrome's tree.
type axNode struct {
	role, name string
	states     deed.State
	ignored    bool
}

// axStates are the states that Chrome tells by a property with this value.
var axStates = map[string]deed.State{
	"checked=true": deed.Checked, "checked=false": deed.Unchecked, "checked=mixed": deed.Mixed, "pressed=true": deed.Pressed, "pressed=false": deed.Unpressed,
	"pressed=mixed": deed.Mixed, "expanded=true": deed.Expanded, "expanded=false": deed.Collapsed, "disabled=true": deed.Disabled, "focused=true": deed.Focused,
	"readonly=true": deed.ReadOnly, "required=true": deed.Required, "invalid=true": deed.Invalid, "multiselectable=true": deed.Multiselectable,
	"modal=true": deed.Modal, "busy=true": deed.Busy, "selected=true": deed.Selected,
}

// axRoles are Chrome's words that differ from ARIA's for the same thing.
var axRoles = map[string]string{
	"image": "img", "Iframe": "iframe", "DisclosureTriangle": "button", "ListBoxOption": "option", "MenuListOption": "option",
	"DisclosureTriangleGrouped": "button", "MathMLMath": "math", "MenuListPopup": "listbox",
	"LayoutTable": "table", "LayoutTableRow": "row", "LayoutTableCell": "cell", // Chrome guesses which tables are layout; HTML-AAM does not
	"DescriptionListTerm": "term", "DescriptionListDetail": "definition", "Details": "group",
	"Figcaption": "caption", "LineBreak": "", "RootWebArea": "", "StaticText": "", "InlineTextBox": "", "none": "", "generic": "",
	"GenericContainer": "", "Ignored": "",
	"Date": "textbox", "InputTime": "textbox", "DateTime": "textbox", "ColorWell": "textbox", // ARIA has no word for these; people type into them
}

// axOnly are Chrome's roles that ARIA has no word for; the script takes such elements for plain.
var axOnly = map[string]bool{"LabelText": true, "Legend": true, "DescriptionList": true, "Canvas": true, "Video": true, "Audio": true,
	"SvgRoot": true, "Pre": true, "Abbr": true, "EmbeddedObject": true, "PluginObject": true, "Ruby": true, "RubyAnnotation": true,
	"MathMLIdentifier": true, "ListMarker": true}

func axTree(t *tab) map[int64]axNode {
	t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored          bool
			Role             struct{ Value string }
			Name             struct{ Value string }
			BackendDOMNodeID int64
			Properties       []struct {
				Name  string
				Value struct{ Value any }
			}
		}
	}
	t.call("Accessibility.enable", nil, nil)
	t.call("Accessibility.getFullAXTree", nil, &tree)
	out := make(map[int64]axNode, len(tree.Nodes))
	for _, n := range tree.Nodes {
		role, known := axRoles[n.Role.Value]
		if !known {
			role = n.Role.Value
		}
		var states deed.State
		for _, p := range n.Properties {
			states |= axStates[fmt.Sprintf("%s=%v", p.Name, p.Value.Value)]
		}
		out[n.BackendDOMNodeID] = axNode{role, strings.Join(strings.Fields(n.Name.Value), " "), states, n.Ignored}
	}
	return out
}

// backendIDs returns the browser's id of each element that the expression lists, by index.
func (t *tab) backendIDs(expr string) []int64 {
	t.Helper()
	var list struct{ Result struct{ ObjectID string } }
	t.call("Runtime.evaluate", map[string]any{"expression": expr, "contextId": t.world}, &list)
	var props struct {
		Result []struct {
			Name  string
			Value struct{ ObjectID string }
		}
	}
	t.call("Runtime.getProperties", map[string]any{"objectId": list.Result.ObjectID, "ownProperties": true}, &props)
	var out []int64
	var answers []chan answer
	for _, p := range props.Result {
		if i, err := strconv.Atoi(p.Name); err != nil || i != len(answers) || p.Value.ObjectID == "" {
			continue // what follows the elements in the list's properties
		}
		c, err := t.b.send(t.session, "DOM.describeNode", map[string]any{"objectId": p.Value.ObjectID})
		t.must(err)
		answers = append(answers, c)
	}
	for _, c := range answers {
		var d struct{ Node struct{ BackendNodeID int64 } }
		t.must(t.b.wait(c, "DOM.describeNode", &d))
		out = append(out, d.Node.BackendNodeID)
	}
	return out
}

// textRoles are named by deed with the text they show; Chrome gives them no name. (Rows are named by their content in
// ARIA too; Chrome saves itself the work unless they can have the focus.)
var textRoles = []string{"paragraph", "listitem", "status", "alert", "timer", "marquee", "note", "definition", "term", "caption", "comment",
	"suggestion", "code", "deletion", "insertion", "emphasis", "strong", "mark", "subscript", "superscript", "time", "math", "row", "data-deed-region"}

// unlisted are roles of Chrome's tree that are no nodes of a snapshot unless they say something themselves.
var unlisted = []string{"", "rowgroup", "paragraph", "definition", "term", "caption", "code", "deletion", "insertion", "emphasis", "strong", "mark",
	"subscript", "superscript", "time", "group", "listbox", "document", "sectionheader", "sectionfooter"}

// A comparison says how far the two trees agree on the elements that are a node in either.
type comparison struct {
	nodes, roles, names int      // compared, and how many of them have the same role, the same name
	differences         []string // a line each: "page #id: ours role "name", Chrome role "name""
}

// share is the part of the nodes that agree, in per cent.
func share(agreed, nodes int) float64 { return 100 * float64(agreed) / float64(max(nodes, 1)) }

func (c *comparison) add(o comparison) { c.nodes += o.nodes; c.roles += o.roles; c.names += o.names }

func (c comparison) String() string {
	return fmt.Sprintf("%d nodes, roles %.2f %%, names %.2f %%", c.nodes, share(c.roles, c.nodes), share(c.names, c.nodes))
}

// compare compares the page that the tab shows.
func compare(t *tab, page string) comparison {
	t.Helper()
	part := t.look()
	if !part.Complete {
		t.Errorf("%s: incomplete: %s", page, part.Why)
	}
	ax := axTree(t)
	// Every element of the page (of a huge one the first 3,000), in the flat tree, with its id for messages and its node in the snapshot.
	const all = `(() => { const out = []; const go = (n) => { if (out.length >= 3000) return; if (n.nodeType === 1) out.push(n); for (const c of T.flatChildren(n)) if (c.nodeType === 1) go(c); }; go(document.documentElement); return out; })()`
	var labels []struct {
		ID     int64
		Label  string
		Tag    string
		Pruned bool
		Drawn  bool // in other letters than it is written
	}
	t.eval(all+`.map((e) => ({ID: T.elementId(e), Tag: e.localName, Label: e.id ? "#" + e.id : e.localName, Pruned: (() => { for (let p = T.flatParent(e); p; p = T.flatParent(p))
		if (["img", "math", "textbox", "searchbox", "meter", "progressbar", "separator", "button", "option", "combobox"].includes(T.roleOf(p))) return true; return false; })(),
		Drawn: [e, ...e.querySelectorAll("*")].some((d) => getComputedStyle(d).textTransform !== "none")}))`, &labels)
	backend := t.backendIDs(all)
	if len(backend) != len(labels) {
		t.Fatalf("%s: %d elements, %d ids", page, len(labels), len(backend))
	}
	ours := map[int64]*deed.Node{}
	for i := range part.Nodes {
		if n := &part.Nodes[i]; n.Role != "text" {
			ours[n.Element] = n
		}
	}
	var c comparison
	for i, l := range labels {
		chrome, listed := ax[backend[i]]
		n := ours[l.ID]
		shown := listed && !chrome.ignored && !axOnly[chrome.role]
		if n == nil {
			if shown && !slices.Contains(unlisted, chrome.role) && !l.Pruned && (l.Tag != "svg" || chrome.name != "") { // such an svg is an icon that says nothing
				c.nodes++
				if chrome.name == "" {
					c.names++ // neither says a name
				}
				c.differences = append(c.differences, fmt.Sprintf("%s %s: ours none, Chrome %s %q", page, l.Label, chrome.role, chrome.name))
			}
			continue
		}
		c.nodes++
		name := n.Name
		if slices.Contains(textRoles, n.Role) && chrome.name == "" {
			name = ""
		}
		if l.Drawn && strings.EqualFold(name, chrome.name) {
			name = chrome.name // a name is told as it is written; Chrome tells the letters that text-transform draws
		}
		if shown {
			ours := n.States &^ (deed.Unselected | deed.Current) // Chrome does not tell these
			if ours != chrome.states {
				c.differences = append(c.differences, fmt.Sprintf("%s %s: %s %q is ours (%s), Chrome (%s)", page, l.Label, n.Role, n.Name, ours, chrome.states))
			}
		}
		role := n.Role
		if role == "generic" {
			role = ""
			if listed && axOnly[chrome.role] {
				shown, chrome.role = true, ""
			}
		}
		sameRole, sameName := shown && role == chrome.role, name == chrome.name && (shown || name == "")
		if sameRole {
			c.roles++
		}
		if sameName {
			c.names++
		}
		if !sameRole || !sameName {
			is := fmt.Sprintf("%s %q", chrome.role, chrome.name)
			if !shown {
				is = "none"
				if listed && axOnly[chrome.role] {
					is = chrome.role
				}
			}
			c.differences = append(c.differences, fmt.Sprintf("%s %s: ours %s %q, Chrome %s", page, l.Label, n.Role, n.Name, is))
		}
	}
	return c
}

// leastShare is how much of all nodes must agree, in per cent; what the standards and the browser see differently counts as well.
const leastShare = 99

// A tally is the differential test of many pages.
type tally struct {
	t     *testing.T
	file  string          // of the known differences
	known map[string]bool // whether the difference was seen
	total comparison
}

func newTally(t *testing.T, file string) *tally {
	return &tally{t: t, file: file, known: knownDifferences(t, file)}
}

// page takes in what was compared on one page.
func (y *tally) page(t *testing.T, name string, c comparison) {
	t.Logf("%s: %s", name, c)
	y.total.add(c)
	for _, d := range c.differences {
		if _, ok := y.known[d]; ok {
			y.known[d] = true
		} else {
			t.Error(d)
		}
	}
}

// close judges the whole.
func (y *tally) close() {
	y.t.Logf("in total: %s", y.total)
	if y.total.nodes == 0 || min(share(y.total.roles, y.total.nodes), share(y.total.names, y.total.nodes)) < leastShare {
		y.t.Errorf("%s: less than %d %% agree", y.total, leastShare)
	}
	for d, seen := range y.known {
		if !seen {
			y.t.Errorf("%s lists what is not so any more: %s", y.file, d)
		}
	}
}

func TestAgreesWithChromesAccessibilityTree(t *testing.T) {
	var pages []string
	for _, glob := range []string{"testdata/*.html", "../../testdata/hard/*.html", os.Getenv("DEED_AX_PAGES")} {
		found, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 6 {
		t.Fatalf("only %d pages", len(pages))
	}
	y := newTally(t, "testdata/ax-differences.txt")
	tab := openTab(t, "")
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		t.Run(name, func(t *testing.T) {
			html, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			tab.load(string(html))
			y.page(t, name, compare(tab, name))
		})
	}
	y.close()
}

var (
	servedPages = flag.String("ax.pages", "", "compare the pages at these URLs, with what opens on a click too; the last part of the path is the name")
	servedKnown = flag.String("ax.known", "", "the file of known differences of -ax.pages")
)

// quiet resolves when nothing has changed for ten frames and no animation that ends is running, or after 300 frames.
const quiet = `new Promise((done) => { let still = 0, n = 0; const seen = new MutationObserver(() => { still = 0; });
	seen.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
	const tick = () => { n++; still = document.getAnimations().some((a) => a.playState === "running" && Number.isFinite(a.effect?.getComputedTiming().endTime)) ? 0 : still + 1;
		if (still > 10 || n > 300) { seen.disconnect(); done(still > 10); } else requestAnimationFrame(tick); };
	requestAnimationFrame(tick); })`

// openers are the places where a click may open something: their middles, in the view.
const openers = `(() => { const out = []; const go = (n) => { if (n.nodeType === 1) { const role = T.roleOf(n); if (out.length < 12 && T.isSeen(n) &&
	(role === "combobox" || (n.localName === "input" && role === "textbox") || n.hasAttribute("aria-haspopup") || n.hasAttribute("popovertarget"))) out.push(n); }
	for (const c of T.flatChildren(n)) if (c.nodeType === 1) go(c); }; go(document.documentElement); return out; })()`

// TestAgreesOnServedPages is the comparison on pages that another test serves: the gallery of real components.
func TestAgreesOnServedPages(t *testing.T) {
	if *servedPages == "" {
		return // for the gallery's test, which serves the pages
	}
	y := newTally(t, *servedKnown)
	tab := openTab(t, "")
	opened := 0
	for _, url := range strings.Split(*servedPages, ",") {
		name := path.Base(url)
		t.Run(name, func(t *testing.T) {
			open := func() {
				tab.navigate(url)
				tab.eval(quiet, nil)
			}
			open()
			y.page(t, name, compare(tab, name))
			var n int
			tab.eval(openers+`.length`, &n)
			for i := range n {
				open()
				before := len(tab.look().Nodes)
				var at []float64
				tab.eval(fmt.Sprintf(`(() => { const e = %s[%d]; if (!e) return null; e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, openers, i), &at)
				if len(at) != 2 {
					continue // it is gone since the page was read
				}
				for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
					tab.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
				}
				tab.eval(quiet, nil)
				if len(tab.look().Nodes) == before {
					continue // nothing opened
				}
				opened++
				y.page(t, fmt.Sprintf("%s, open %d", name, i+1), compare(tab, name))
			}
		})
	}
	if opened < 10 || y.total.nodes < 500 {
		t.Errorf("only %d things opened, %d nodes: the pages do not load what they show", opened, y.total.nodes)
	}
	y.close()
}

// The fixtures say themselves, by data-role and data-name, what the standards demand where they leave no choice.
func TestFollowsTheStandards(t *testing.T) {
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil {
		t.Fatal(err)
	}
	tab := openTab(t, "")
	said := 0
	for _, page := range pages {
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		tab.load(string(html))
		tab.look()
		var wrong []string
		var n int
		tab.eval(`[...document.querySelectorAll("[data-role]")].filter((e) => T.roleOf(e) !== e.dataset.role).map((e) => "#" + e.id + " is " + T.roleOf(e) + ", not " + e.dataset.role)
			.concat([...document.querySelectorAll("[data-name]")].filter((e) => T.nameOf(e) !== e.dataset.name).map((e) => "#" + e.id + " is called " + JSON.stringify(T.nameOf(e)) + ", not " + JSON.stringify(e.dataset.name)))`, &wrong)
		tab.eval(`document.querySelectorAll("[data-role]").length + document.querySelectorAll("[data-name]").length`, &n)
		said += n
		for _, w := range wrong {
			t.Errorf("%s %s", filepath.Base(page), w)
		}
	}
	if said < 250 {
		t.Errorf("the fixtures say only %d roles and names", said)
	}
}

// knownDifferences reads the file: lines of [compare], each group under the reason for it, a line that begins with #.
func knownDifferences(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]bool{}
	reason := false
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		switch {
		case line == "":
			reason = false
		case strings.HasPrefix(line, "#"):
			reason = true
		case !reason:
			t.Errorf("a difference without a reason above it: %s", line)
		default:
			out[line] = false
		}
	}
	return out
}
