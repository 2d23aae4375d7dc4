package locate

import (
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// controls are the roles whose value is the control's content, not text of the page: a field that was just filled must not
// prove that its text is shown.
var controls = []string{"checkbox", "combobox", "listbox", "menuitemcheckbox", "menuitemradio", "meter", "option", "progressbar", "radio",
	"scrollbar", "searchbox", "slider", "spinbutton", "switch", "textbox"}

// fromContent are roles whose name is the text they show, containers though they may be.
var fromContent = []string{"row", "listitem", "cell", "gridcell", "treeitem", "columnheader", "rowheader"}

// Text returns what can be read in a region ("" is the page) and a frame ("" is all of them): the text of its nodes in document
// order, joined by one space. What a node and one around it both carry is said once. Labels of regions, names of images and
// values of controls are no text.
func Text(s *deed.Snapshot, region, frame string) string {
	f := newFinder(s)
	inFrame := f.frames(frame)
	inRegion := f.within(region)
	own := map[int]bool{} // a row named as the region is read itself
	if region != "" {
		for _, i := range f.region(region) {
			own[i] = true
		}
	}
	said := make([]string, len(s.Nodes)) // what a node itself contributed
	var out []string
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Unseen || inFrame != nil && !inFrame[n.Frame] || !inRegion(i) && !own[i] {
			continue
		}
		t := words.Fold(shown(n))
		if t == "" {
			continue
		}
		doubled := false
		for p := n.Parent; p >= 0 && !doubled; p = s.Nodes[p].Parent {
			doubled = said[p] != "" && words.HasText(said[p], t)
		}
		if doubled {
			continue
		}
		said[i] = t
		out = append(out, t)
	}
	return strings.Join(out, " ")
}

// shown is the text that a node contributes.
func shown(n *deed.Node) string {
	switch {
	case n.Role == "img" || n.Role == "image" || n.Role == "iframe":
		return ""
	case slices.Contains(controls, n.Role):
		return n.Name
	case n.Value != "" && n.Value != deed.Redacted:
		return n.Value // the author gave the name; the text is here
	case n.Container && !slices.Contains(fromContent, n.Role):
		return ""
	}
	return n.Name
}
