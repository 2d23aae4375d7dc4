package pagescript

import (
	"bufio"
	"fmt"
	"os"
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
	"MathMLIdentifier": true, "HeaderAsNonLandmark": true, "FooterAsNonLandmark": true, "SectionHeader": true,
	"SectionFooter": true, "sectionheader": true, "sectionfooter": true, "ListMarker": true}

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
	"subscript", "superscript", "time", "group", "listbox", "document"}

// compare returns a line for each disagreement on this page: "page #id: ours role "name", Chrome role "name"".
func compare(t *tab, page string) []string {
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
	}
	t.eval(all+`.map((e) => ({ID: T.elementId(e), Tag: e.localName, Label: e.id ? "#" + e.id : e.localName, Pruned: (() => { for (let p = T.flatParent(e); p; p = T.flatParent(p))
		if (["img", "math", "textbox", "searchbox", "meter", "progressbar", "separator", "button", "option", "combobox"].includes(T.roleOf(p))) return true; return false; })()}))`, &labels)
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
	var out []string
	for i, l := range labels {
		chrome, listed := ax[backend[i]]
		n := ours[l.ID]
		shown := listed && !chrome.ignored && !axOnly[chrome.role]
		if n == nil {
			if shown && !slices.Contains(unlisted, chrome.role) && !l.Pruned {
				if l.Tag == "svg" && chrome.name == "" {
					continue // an icon that says nothing
				}
				out = append(out, fmt.Sprintf("%s %s: ours none, Chrome %s %q", page, l.Label, chrome.role, chrome.name))
			}
			continue
		}
		name := n.Name
		if slices.Contains(textRoles, n.Role) && chrome.name == "" {
			name = ""
		}
		if shown {
			ours := n.States &^ (deed.Unselected | deed.Current) // Chrome does not tell these
			if ours != chrome.states {
				out = append(out, fmt.Sprintf("%s %s: %s %q is ours (%s), Chrome (%s)", page, l.Label, n.Role, n.Name, ours, chrome.states))
			}
		}
		role := n.Role
		if role == "generic" {
			role = ""
		}
		if !shown || role != chrome.role || name != chrome.name {
			is := fmt.Sprintf("%s %q", chrome.role, chrome.name)
			if !shown {
				is = "none"
				if listed && axOnly[chrome.role] {
					is = chrome.role
				}
			}
			out = append(out, fmt.Sprintf("%s %s: ours %s %q, Chrome %s", page, l.Label, n.Role, n.Name, is))
		}
	}
	return out
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
	known := knownDifferences(t)
	tab := openTab(t, "")
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		t.Run(name, func(t *testing.T) {
			html, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			tab.load(string(html))
			for _, d := range compare(tab, name) {
				if _, ok := known[d]; ok {
					known[d] = true
				} else {
					t.Error(d)
				}
			}
		})
	}
	for d, seen := range known {
		if !seen {
			t.Errorf("testdata/ax-differences.txt lists what is not so any more: %s", d)
		}
	}
}

// knownDifferences reads the file: lines of [compare], each group under the reason for it, a line that begins with #.
func knownDifferences(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open("testdata/ax-differences.txt")
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
