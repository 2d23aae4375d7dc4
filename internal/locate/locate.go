// Package locate finds elements in a snapshot: it resolves locators, regions and frames, says what is near a locator that finds
// none or many, and evaluates one expectation.
//
// Law of this package: it reads snapshots and signals that others took. It never guesses: one match or an error with the
// candidates. It knows no browser, no clock, no policy, and gives no verdict.
package locate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// All returns the nodes that l matches, in document order; Nth is not applied. What can be seen is preferred: where any
// match is seen, the unseen ones are left out, and what a modal dialog has put out of reach where one is in reach. Without a Frame, every frame is searched.
func All(s *deed.Snapshot, l deed.Locator) []int {
	f := newFinder(s)
	return f.all(l)
}

// Seen is [All] without what cannot be seen, Nth applied: at most one node where the locator has an Nth.
func Seen(s *deed.Snapshot, l deed.Locator) []int {
	out := slices.DeleteFunc(All(s, l), func(i int) bool { return s.Nodes[i].Unseen })
	if l.Nth > 0 {
		if len(out) < l.Nth {
			return nil
		}
		return out[l.Nth-1 : l.Nth]
	}
	return out
}

// finder holds what is derived from one snapshot, made when first needed.
type finder struct {
	s        *deed.Snapshot
	children [][]int
}

func newFinder(s *deed.Snapshot) *finder { return &finder{s: s} }

func (f *finder) kids() [][]int {
	if f.children == nil {
		f.children = make([][]int, len(f.s.Nodes))
		for i := range f.s.Nodes {
			if p := f.s.Nodes[i].Parent; p >= 0 {
				f.children[p] = append(f.children[p], i)
			}
		}
	}
	return f.children
}

func (f *finder) all(l deed.Locator) []int {
	s := f.s
	name := nameMatcher(l)
	inFrame := f.frames(l.Frame)
	inText := words.WordsIn(l.Near)
	var inRegion func(int) bool
	var out []int
	seen, reached := false, false
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if !sameRole(n.Role, l.Role) || !name(n.Name) || inFrame != nil && !inFrame[n.Frame] {
			continue
		}
		if l.Region != "" {
			if inRegion == nil {
				inRegion = f.within(l.Region)
			}
			if !inRegion(i) {
				continue
			}
		}
		if l.Near != "" && !f.near(i, inText) {
			continue
		}
		seen, reached = seen || !n.Unseen, reached || !n.Unseen && !n.Behind
		out = append(out, i)
	}
	return slices.DeleteFunc(out, func(i int) bool { return seen && s.Nodes[i].Unseen || reached && s.Nodes[i].Behind })
}

// aliases are roles with two names; the second is the one compared.
var aliases = map[string]string{"image": "img", "presentation": "none", "directory": "list"}

func sameRole(a, b string) bool {
	return a == b || canonical(a) == canonical(b)
}

func canonical(role string) string {
	if c, ok := aliases[role]; ok {
		return c
	}
	return role
}

func nameMatcher(l deed.Locator) func(string) bool {
	if l.Name == "" {
		return func(string) bool { return true }
	}
	if re := l.Pattern(); re != nil {
		return func(n string) bool { return re.MatchString(words.Fold(n)) }
	}
	if l.Loose {
		want := words.Loose(l.Name)
		return func(n string) bool { return strings.Contains(words.Loose(n), want) }
	}
	want := words.Fold(l.Name)
	return func(n string) bool { return words.Fold(n) == want }
}

// frames tells which frames a locator's Frame means; nil is any. A frame of the page is preferred to the page itself.
func (f *finder) frames(want string) []bool {
	if want == "" {
		return nil
	}
	out := make([]bool, len(f.s.Frames))
	inner := false
	for i := range f.s.Frames {
		fr := &f.s.Frames[i]
		out[i] = same(fr.Title, want) || same(fr.Name, want) || Glob(want, fr.URL)
		inner = inner || out[i] && i > 0
	}
	if inner {
		out[0] = false
	}
	return out
}

// same compares names of regions and frames, where case does not count.
func same(a, b string) bool { return b != "" && strings.EqualFold(words.Fold(a), words.Fold(b)) }

// rows are the roles of elements that hold together what belongs to one thing.
var rows = []string{"row", "listitem", "article", "treeitem", "figure", "comment"}

// isCell tells the cells of tables and grids; that of a calendar's day has its date for a value.
func isCell(n *deed.Node) bool { return n.Role == "cell" || n.Role == "gridcell" }

// near reports whether a text stands, in whole words, in the row or card of node i.
func (f *finder) near(i int, in func(string) bool) bool {
	n := &f.s.Nodes[i]
	if in(n.Row) || isCell(n) && in(n.Value) {
		return true
	}
	if p := n.Parent; p >= 0 && isCell(&f.s.Nodes[p]) && in(f.s.Nodes[p].Value) {
		return true
	}
	row := n.Parent
	for row >= 0 && !slices.Contains(rows, f.s.Nodes[row].Role) {
		row = f.s.Nodes[row].Parent
	}
	if row < 0 {
		return false
	}
	found := false
	f.walk(row, func(j int) bool {
		m := &f.s.Nodes[j]
		found = found || j != i && !m.Unseen && (in(m.Name) || !m.Sensitive && in(m.Value))
		return !found
	})
	return found
}

// walk visits node i and what is in it, in document order, while visit returns true.
func (f *finder) walk(i int, visit func(int) bool) bool {
	if !visit(i) {
		return false
	}
	for _, c := range f.kids()[i] {
		if !f.walk(c, visit) {
			return false
		}
	}
	return true
}

// quotedLabel is a region written as role and quoted name, or a quoted name alone.
var quotedLabel = regexp.MustCompile(`^(?:([a-z][a-z-]*)\s+)?"(.*)"$`)

// label parts a region into role and name; bare says that it is written without quotes, so that it may be either.
func label(region string) (role, name string, bare bool) {
	if m := quotedLabel.FindStringSubmatch(strings.TrimSpace(region)); m != nil {
		return m[1], strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[2]), false
	}
	return "", region, true
}

// named reports whether an element of this role and name is what region means.
func named(region, role, name string) bool {
	r, n, bare := label(region)
	switch {
	case bare:
		return same(name, n) || sameRole(role, strings.ToLower(words.Fold(n)))
	case r == "":
		return same(name, n)
	}
	return sameRole(role, r) && same(name, n)
}

// live are roles that are places of text even while they hold no other node: a message stands in them.
var live = []string{"alert", "log", "status", "timer", "tooltip"}

// Region returns the nodes that `in region` may mean, in document order: those that hold others, are containers or live
// regions, and have this name (`cart`), this role (`navigation`), or both (`dialog "Cookies"`, `row "Ana Lindberg Driver Edit"`). Case does not
// count.
func Region(s *deed.Snapshot, region string) []int {
	return newFinder(s).region(region)
}

func (f *finder) region(region string) []int {
	if region == "" {
		return nil
	}
	var out []int
	kids := f.kids()
	for i := range f.s.Nodes {
		n := &f.s.Nodes[i]
		if (n.Container || len(kids[i]) > 0 || slices.Contains(live, n.Role)) && named(region, n.Role, n.Name) {
			out = append(out, i)
		}
	}
	return out
}

// InRegion reports whether node i stands in the region: some element around it is one of [Region], or its own
// Region label says so, or, for an option, its group (`group "Trim"`). Everything is in the region "", the page.
func InRegion(s *deed.Snapshot, i int, region string) bool {
	if region == "" {
		return true
	}
	n := &s.Nodes[i]
	for p := n.Parent; p >= 0; p = s.Nodes[p].Parent {
		if named(region, s.Nodes[p].Role, s.Nodes[p].Name) {
			return true
		}
	}
	return beside(n, region)
}

// beside reports whether the node says itself that it is in the region: by its group, or by the label it carries.
func beside(n *deed.Node, region string) bool {
	return n.Group != "" && named(region, "group", n.Group) || n.Region != "" && labelled(region, n.Region)
}

func (f *finder) within(region string) func(int) bool {
	if region == "" {
		return func(int) bool { return true }
	}
	around := map[int]bool{}
	for _, i := range f.region(region) {
		around[i] = true
	}
	// Many nodes carry the same labels; each pair is read once.
	type labels struct{ group, region string }
	known := map[labels]bool{}
	return func(i int) bool {
		n := &f.s.Nodes[i]
		for p := n.Parent; p >= 0; p = f.s.Nodes[p].Parent {
			if around[p] {
				return true
			}
		}
		k := labels{n.Group, n.Region}
		hit, ok := known[k]
		if !ok {
			hit = beside(n, region)
			known[k] = hit
		}
		return hit
	}
}

// labelled reports whether the label that a node carries is the region that is asked for. The element of the label itself
// need not be a node: the page may not show it as one.
func labelled(region, carried string) bool {
	role, name, bare := label(carried)
	if bare {
		// A declared region's name, or the role of an unnamed one.
		return named(region, carried, carried)
	}
	return named(region, role, name)
}

// describe is a node for messages, with its row where it has one.
func (f *finder) describe(i int) string {
	n := &f.s.Nodes[i]
	out := n.String()
	if n.Frame > 0 && n.Frame < len(f.s.Frames) {
		out += fmt.Sprintf(" frame %q", frameName(&f.s.Frames[n.Frame]))
	}
	return out
}

func frameName(fr *deed.Frame) string {
	switch {
	case fr.Title != "":
		return fr.Title
	case fr.Name != "":
		return fr.Name
	}
	return fr.URL
}
