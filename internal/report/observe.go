package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// DefaultBudget is the size of an observation in tokens (about four bytes each) where none is asked for.
const DefaultBudget = 2000

// bytesPerToken is what a token costs on average in the text that models read.
const bytesPerToken = 4

// ObserveOptions choose what of a page is shown. The zero value is the default.
type ObserveOptions struct {
	Budget int    // tokens; 0 is DefaultBudget
	In     string // only this region
	Find   string // only what contains this text, with the rows around it
	All    bool   // every node, whatever the budget, also what cannot be seen
}

// Observation writes the page as numbered nodes, one a line, indented under its region. The number of a line is the
// element of a ref: e12 of snapshot s7 is s7:e12. Where the page is larger than the budget, rows alike are folded, and
// every fold says how many nodes it stands for. Fails with [deed.CodeNoMatch] where there is no such region or text.
func Observation(w io.Writer, s *deed.Snapshot, o ObserveOptions) error {
	keep, err := choose(s, o)
	if err != nil {
		return err
	}
	budget := o.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	budget *= bytesPerToken
	v := newView(s, o, keep)
	items := v.tree()
	if !o.All {
		items = v.shrink(items, budget)
	}
	var b strings.Builder
	write(&b, items, 0)
	_, err = io.WriteString(w, v.head(shown(items))+"\n"+b.String())
	return err
}

// choose says which nodes are asked for.
func choose(s *deed.Snapshot, o ObserveOptions) ([]bool, error) {
	keep := make([]bool, len(s.Nodes))
	for i := range keep {
		keep[i] = true
	}
	if o.In != "" {
		regions := locate.Region(s, o.In)
		for i := range keep {
			keep[i] = slices.Contains(regions, i) || locate.InRegion(s, i, o.In)
		}
		if !slices.Contains(keep, true) {
			return nil, &deed.Error{Op: "observe", Where: "in " + o.In, Code: deed.CodeNoMatch,
				Err: fmt.Errorf("no such region"), Hint: regionsHint(s)}
		}
	}
	if o.Find != "" {
		found := find(s, o.Find, keep)
		if !slices.Contains(found, true) {
			return nil, &deed.Error{Op: "observe", Where: "find " + strconv.Quote(o.Find), Code: deed.CodeNoMatch,
				Err: fmt.Errorf("no element contains this text")}
		}
		keep = found
	}
	return keep, nil
}

func regionsHint(s *deed.Snapshot) string {
	var labels []string
	for i := range s.Nodes {
		if s.Nodes[i].Container && !s.Nodes[i].Unseen {
			if l := headline(s, i); !slices.Contains(labels, l) {
				labels = append(labels, l)
			}
		}
	}
	switch n := len(labels); {
	case n == 0:
		return "the page has no regions"
	case n > 8:
		return "the regions are " + strings.Join(labels[:8], ", ") + fmt.Sprintf(" and %d more", n-8)
	default:
		return "the regions are " + strings.Join(labels, ", ")
	}
}

// rowRoles hold together what belongs to one thing.
var rowRoles = []string{"row", "listitem", "treeitem", "article", "option"}

// find marks the nodes that contain a text, whole rows around them, and the regions above.
func find(s *deed.Snapshot, text string, keep []bool) []bool {
	want := words.Loose(text)
	out := make([]bool, len(s.Nodes))
	var rows []int
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if !keep[i] || !strings.Contains(words.Loose(n.Name), want) && !strings.Contains(words.Loose(n.Value), want) {
			continue
		}
		out[i] = true
		row := -1
		for p := i; p >= 0; p = s.Nodes[p].Parent {
			if row < 0 && slices.Contains(rowRoles, s.Nodes[p].Role) {
				row = p
			}
			if keep[p] && (s.Nodes[p].Container || p == row) {
				out[p] = true
			}
		}
		if row >= 0 && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		inRow := make([]bool, len(s.Nodes))
		for _, r := range rows {
			inRow[r] = true
		}
		for i := range s.Nodes {
			if p := s.Nodes[i].Parent; p >= 0 && p < i && inRow[p] {
				inRow[i] = true
			}
			out[i] = out[i] || inRow[i]
		}
	}
	return out
}

// An item is a line of an observation with what is indented under it.
type item struct {
	node   int // index of the node; -1 for a fold
	stands int // nodes that the line itself stands for
	text   string
	kids   []*item
	shape  string
}

type view struct {
	s    *deed.Snapshot
	o    ObserveOptions
	keep []bool
	clip int // names and values are cut to so many bytes; 0 is never

	frames map[int]int // the frame that stands in an element
}

func newView(s *deed.Snapshot, o ObserveOptions, keep []bool) *view {
	v := &view{s: s, o: o, keep: keep, clip: 160, frames: map[int]int{}}
	if o.All {
		v.clip = 0
	}
	for i := range s.Nodes {
		if p := s.Nodes[i].Parent; p >= 0 && s.Nodes[p].Frame != s.Nodes[i].Frame {
			v.frames[p] = s.Nodes[i].Frame
		}
	}
	return v
}

// tree makes the items of what is kept and worth a line.
func (v *view) tree() []*item {
	root := &item{node: -1}
	at := make([]*item, len(v.s.Nodes)) // the item that what is inside node i goes under
	for i := range v.s.Nodes {
		up := root
		if p := v.s.Nodes[i].Parent; p >= 0 && p < i {
			up = at[p]
		}
		at[i] = up
		if !v.keep[i] || !v.o.All && v.mute(i, up) {
			continue
		}
		it := &item{node: i, stands: 1, text: v.line(i)}
		up.kids = append(up.kids, it)
		at[i] = it
	}
	shape(root, v.s)
	return root.kids
}

// wrappers only hold others together; without a name or value they say nothing.
var wrappers = []string{"list", "rowgroup", "row", "generic", "group", "listitem", "cell", "gridcell", "paragraph", "text", "figure",
	"article", "strong", "emphasis", "presentation", "none", "separator", "img", "image", "radiogroup", "table", "form", "region"}

// echoes are the roles whose text the row around them already says.
var echoes = []string{"text", "paragraph", "cell", "gridcell", "rowheader", "strong", "emphasis", "time", "heading", "term", "definition"}

// mute reports whether a node is not worth a line.
func (v *view) mute(i int, up *item) bool {
	n := &v.s.Nodes[i]
	if n.Behind {
		return true
	}
	if n.Unseen {
		// The options of a list that is closed can be chosen all the same.
		closed := n.Role == "option" && up.node >= 0 && (v.s.Nodes[up.node].Role == "combobox" || v.s.Nodes[up.node].Role == "listbox")
		return !closed || v.s.Nodes[up.node].Unseen
	}
	if n.States&^(deed.Unchecked|deed.Unselected|deed.Unpressed) != 0 || n.Value != "" {
		return false
	}
	if n.Name == "" {
		return slices.Contains(wrappers, n.Role) && !n.Container
	}
	if up.node >= 0 && slices.Contains(echoes, n.Role) {
		around := &v.s.Nodes[up.node]
		return slices.Contains(rowRoles, around.Role) && strings.Contains(around.Name, n.Name)
	}
	return false
}

// landmarks are shown as headings without a number: they are named, not acted on.
var landmarks = []string{"banner", "complementary", "contentinfo", "main", "navigation", "search", "form", "region", "table", "dialog",
	"alertdialog", "data-deed-region", "article", "feed", "figure", "group", "list", "rowgroup", "toolbar"}

func (v *view) line(i int) string {
	n := &v.s.Nodes[i]
	if n.Container && slices.Contains(landmarks, n.Role) {
		return headline(v.s, i) + v.about(n)
	}
	b := fmt.Sprintf("e%d %s", i+1, printable(n.Role))
	if n.Name != "" {
		b += " " + quoted(n.Name, v.clip)
	}
	switch {
	case n.Value == "":
	case n.Sensitive:
		b += " = " + deed.Redacted
	default:
		b += " = " + quoted(n.Value, v.clip)
	}
	if f, ok := v.frames[i]; ok {
		b += " " + address(v.s.Frames[f].URL)
	}
	return b + v.about(n)
}

// about lists what is special about a node. The absence of checked, selected and pressed says itself.
func (v *view) about(n *deed.Node) string {
	is := (n.States &^ (deed.Unchecked | deed.Unselected | deed.Unpressed)).Names()
	if n.HasValue && n.Value == "" && (n.Role == "textbox" || n.Role == "searchbox") {
		is = append([]string{"empty"}, is...)
	}
	if n.Group != "" {
		is = append(is, "group "+quoted(n.Group, v.clip))
	}
	if n.Volatile {
		is = append(is, "volatile")
	}
	if n.Unseen && n.Role != "option" {
		is = append(is, "not seen")
	}
	if len(is) == 0 {
		return ""
	}
	return " (" + strings.Join(is, ", ") + ")"
}

var (
	roleLabel = regexp.MustCompile(`^[a-z][a-z-]*(?: (".*"))?$`)
	word      = regexp.MustCompile(`^[\p{L}][\p{L}\p{N}_-]*$`)
	number    = regexp.MustCompile(`^[es][0-9]+$`)
)

// headline is how a region is named, in the form that `in` takes: a word, a role with a quoted name, or a quoted name.
func headline(s *deed.Snapshot, i int) string {
	label := s.Nodes[i].Label()
	// What is inside carries the label under which the page script knows the region.
	if i+1 < len(s.Nodes) && s.Nodes[i+1].Parent == i && s.Nodes[i+1].Frame == s.Nodes[i].Frame && s.Nodes[i+1].Region != "" {
		label = s.Nodes[i+1].Region
	}
	return safeLabel(label)
}

func safeLabel(label string) string {
	if word.MatchString(label) && !number.MatchString(label) {
		return label
	}
	if m := roleLabel.FindStringSubmatch(label); m != nil {
		if name, err := strconv.Unquote(m[1]); err == nil {
			role, _, _ := strings.Cut(label, " ")
			return role + " " + quoted(name, 160)
		}
	}
	return quoted(label, 160)
}

// address is a URL, which the browser writes without blanks; anything else is quoted.
func address(url string) string {
	if url == "" || strings.ContainsAny(url, " \"") || printable(url) != url {
		return quoted(url, 300)
	}
	return clip(url, 300)
}

func (v *view) head(n int) string {
	s := v.s
	state := "complete"
	if !s.Complete {
		state = "incomplete"
		if s.Incomplete != "" {
			state += ": " + printable(clip(s.Incomplete, 200))
		}
	}
	if s.Restless {
		state += ", still changing"
	}
	nodes := count(n, "node")
	if n < len(s.Nodes) {
		nodes = fmt.Sprintf("%d of %s shown", n, count(len(s.Nodes), "node"))
	}
	return fmt.Sprintf("page %s %s  (s%d, %s, %s)", quoted(s.Title, 200), address(s.URL), s.Number, state, nodes)
}

// shape gives every item a word that items alike share: their roles, whatever their names.
func shape(it *item, s *deed.Snapshot) string {
	var b strings.Builder
	if it.node >= 0 {
		b.WriteString(s.Nodes[it.node].Role)
		if n := &s.Nodes[it.node]; n.Container {
			b.WriteString(" " + n.Name) // two named regions are not alike
		}
	}
	if len(it.kids) > 0 {
		b.WriteByte('(')
		for _, k := range it.kids {
			b.WriteString(shape(k, s))
			b.WriteByte(',')
		}
		b.WriteByte(')')
	}
	it.shape = b.String()
	return it.shape
}

func shown(items []*item) int {
	n := 0
	for _, it := range items {
		if it.node >= 0 {
			n++
		}
		n += shown(it.kids)
	}
	return n
}

func write(b *strings.Builder, items []*item, depth int) {
	for _, it := range items {
		b.WriteString(strings.Repeat("  ", depth))
		b.WriteString(it.text)
		b.WriteByte('\n')
		write(b, it.kids, depth+1)
	}
}
