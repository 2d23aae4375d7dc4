// Package diff tells how two snapshots differ, as a person would: by what is there, never by where it stands.
//
// Law of this package: two snapshots in, differences out. It judges nothing, attributes nothing, and knows no clock: which change
// was caused, wanted or wrong is the judge's business, which node changes on its own is the page script's.
package diff

import (
	"cmp"
	"slices"

	"github.com/deed-dev/deed"
)

// transient states come and go with the pointer and the keyboard and are no change.
const transient = deed.Focused

// Between returns the differences from before to after; it reads both and keeps neither.
//
// Nodes are a multiset by [deed.Key]: what is in both with the same value and states cancels out, in whatever order it stands. Of
// the rest, two nodes of one key are Changed. Two nodes that are one element (the same number in the same document) are
// Renamed when the name differs and Moved when the region does; a region that was only renamed takes nothing along with it. All else
// appeared or disappeared. So does what stays in the tree but comes into sight or goes out of it.
//
// Differences of nodes that change on their own (Volatile in either snapshot) are kept apart. A change of the focus alone is
// none. After a navigation of the frame (another Doc) element numbers pair nothing in it.
//
// Changes stand in the document order of after, then what disappeared in that of before; so a container precedes what is in it. The
// result depends on nothing but the two snapshots.
func Between(before, after *deed.Snapshot) deed.Diff {
	d := deed.Diff{URLBefore: before.URL, URLAfter: after.URL}
	if len(before.Frames) > 0 && len(after.Frames) > 0 {
		d.NewDoc = before.Frames[0].Doc != after.Frames[0].Doc
	}
	c := newComparison(before, after)
	c.cancelInPlace()
	if c.left() {
		c.cancelByElement()
	}
	c.a.collect()
	c.b.collect()
	if len(c.a.rest) > 0 && len(c.b.rest) > 0 {
		c.pairByKey()
		c.pairByElement()
	}
	c.appearances()

	slices.SortFunc(c.found, func(x, y found) int {
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(x.after, y.after), cmp.Compare(x.before, y.before))
	})
	own := volatile(c)
	var steady, restless []found
	for _, f := range c.found {
		if own(f) {
			restless = append(restless, f)
		} else {
			steady = append(steady, f)
		}
	}
	d.Changes, d.Volatile = c.changes(steady), c.changes(restless)
	return d
}

// found is one difference by the indices of its nodes; -1 for none.
type found struct {
	kind          deed.ChangeKind
	before, after int
}

// rank puts what disappeared after the rest.
func (f found) rank() int {
	if f.kind == deed.Disappeared {
		return 1
	}
	return 0
}

func (c *comparison) changes(fs []found) []deed.Change {
	if len(fs) == 0 {
		return nil
	}
	out := make([]deed.Change, len(fs))
	for k, f := range fs {
		ch := &out[k]
		ch.Kind, ch.BeforeIndex, ch.AfterIndex = f.kind, f.before, f.after
		if f.after >= 0 {
			ch.After = c.b.s.Nodes[f.after]
			ch.Key = c.b.s.Key(f.after)
		}
		if f.before >= 0 {
			ch.Before = c.a.s.Nodes[f.before]
			ch.Key = c.a.s.Key(f.before)
		}
	}
	return out
}

// side is one of the snapshots, with what is settled of it.
type side struct {
	s     *deed.Snapshot
	frame []int  // by frame of the snapshot: a number that the same frame has in both
	live  []bool // by frame of the snapshot: it holds the same document in both, so that element numbers pair
	done  []bool // by node: cancelled or paired
	rest  []int  // nodes not done, in document order
}

func (d *side) collect() {
	for i, done := range d.done {
		if !done {
			d.rest = append(d.rest, i)
		}
	}
}

func (d *side) settled() {
	d.rest = slices.DeleteFunc(d.rest, func(i int) bool { return d.done[i] })
}

// element identifies an element across both snapshots.
type element struct {
	frame  int
	number int64
}

// element returns the identity of node i, or false where it has none that the other snapshot shares.
func (d *side) element(i int) (element, bool) {
	n := &d.s.Nodes[i]
	if n.Element == 0 || n.Frame >= len(d.live) || !d.live[n.Frame] {
		return element{}, false
	}
	return element{d.frame[n.Frame], n.Element}, true
}

func (d *side) frameOf(i int) int {
	if f := d.s.Nodes[i].Frame; f < len(d.frame) {
		return d.frame[f]
	}
	return 0
}

type comparison struct {
	a, b  *side
	found []found
}

func newComparison(before, after *deed.Snapshot) *comparison {
	c := &comparison{a: &side{s: before}, b: &side{s: after}}
	ids := map[string]int{}
	docs := map[int]string{}
	for _, d := range []*side{c.a, c.b} {
		d.frame = make([]int, len(d.s.Frames))
		d.live = make([]bool, len(d.s.Frames))
		d.done = make([]bool, len(d.s.Nodes))
		for i := range d.s.Frames {
			f := &d.s.Frames[i]
			if i > 0 { // the main frame is the main frame, whatever its ID
				n, ok := ids[f.ID]
				if !ok {
					n = len(ids) + 1
					ids[f.ID] = n
				}
				d.frame[i] = n
			}
			if d == c.a {
				docs[d.frame[i]] = f.Doc
			} else if doc, ok := docs[d.frame[i]]; ok && doc == f.Doc {
				d.live[i] = true
			}
		}
	}
	for i, n := range c.a.frame {
		if j := slices.Index(c.b.frame, n); j >= 0 {
			c.a.live[i] = c.b.live[j]
		}
	}
	return c
}

// same reports whether node i of before and node j of after have one key and one payload.
func (c *comparison) same(i, j int) bool {
	x, y := &c.a.s.Nodes[i], &c.b.s.Nodes[j]
	return x.Role == y.Role && x.Name == y.Name && x.Region == y.Region && c.a.frameOf(i) == c.b.frameOf(j) && payloadOf(x) == payloadOf(y)
}

// payload is what a node says beside its key.
type payload struct {
	value  string
	states deed.State
	unseen bool
}

func payloadOf(n *deed.Node) payload { return payload{n.Value, n.States &^ transient, n.Unseen} }

// cancelInPlace cancels nodes that stand at the same index and are the same: nearly all of them, nearly always. Which of equal
// nodes cancel makes no difference to the multiset.
func (c *comparison) cancelInPlace() {
	for i := range min(len(c.a.done), len(c.b.done)) {
		if c.a.s.Nodes[i].Element == c.b.s.Nodes[i].Element && c.same(i, i) {
			c.a.done[i], c.b.done[i] = true, true
		}
	}
}

// left reports whether both sides have nodes left.
func (c *comparison) left() bool {
	return slices.Contains(c.a.done, false) && slices.Contains(c.b.done, false)
}

// cancelByElement cancels equal nodes that are one element, wherever they stand: so that among equals the one that went is named,
// not another.
func (c *comparison) cancelByElement() {
	at := make(map[element]int, len(c.b.done))
	for j, done := range c.b.done {
		if e, ok := c.b.element(j); ok && !done {
			at[e] = j
		}
	}
	for i, done := range c.a.done {
		if done {
			continue
		}
		if e, ok := c.a.element(i); ok {
			if j, ok := at[e]; ok && !c.b.done[j] && c.same(i, j) {
				c.a.done[i], c.b.done[j] = true, true
			}
		}
	}
}

// group holds the nodes of one key that are left, in document order.
type group struct{ a, b []int }

type key struct {
	frame              int
	role, name, region string
}

func (c *comparison) pairByKey() {
	index := make(map[key]int, len(c.a.rest))
	var groups []group
	for _, i := range c.a.rest {
		n := &c.a.s.Nodes[i]
		k := key{c.a.frameOf(i), n.Role, n.Name, n.Region}
		g, ok := index[k]
		if !ok {
			g = len(groups)
			index[k] = g
			groups = append(groups, group{})
		}
		groups[g].a = append(groups[g].a, i)
	}
	for _, j := range c.b.rest {
		n := &c.b.s.Nodes[j]
		if g, ok := index[key{c.b.frameOf(j), n.Role, n.Name, n.Region}]; ok {
			groups[g].b = append(groups[g].b, j)
		}
	}
	for _, g := range groups {
		if len(g.b) == 0 {
			continue
		}
		c.cancelEqual(&g)
		c.pairElements(&g)
		for k := range min(len(g.a), len(g.b)) {
			c.changed(g.a[k], g.b[k])
		}
	}
	c.a.settled()
	c.b.settled()
}

// cancelEqual cancels what has the same payload: in the same row first, so that among equals the one that went with its row is named,
// not another.
func (c *comparison) cancelEqual(g *group) {
	type place struct {
		payload
		row string
	}
	cancel := func(of func(*deed.Node) place) {
		have := make(map[place][]int, len(g.b))
		for _, j := range g.b {
			p := of(&c.b.s.Nodes[j])
			have[p] = append(have[p], j)
		}
		g.a = slices.DeleteFunc(g.a, func(i int) bool {
			p := of(&c.a.s.Nodes[i])
			js := have[p]
			if len(js) == 0 {
				return false
			}
			have[p] = js[1:]
			c.a.done[i], c.b.done[js[0]] = true, true
			return true
		})
		g.b = slices.DeleteFunc(g.b, func(j int) bool { return c.b.done[j] })
	}
	if len(g.a) > 1 || len(g.b) > 1 {
		cancel(func(n *deed.Node) place { return place{payloadOf(n), n.Row} })
	}
	cancel(func(n *deed.Node) place { return place{payload: payloadOf(n)} })
}

// pairElements pairs what is one element before the rest is paired by order.
func (c *comparison) pairElements(g *group) {
	at := make(map[element]int, len(g.b))
	for _, j := range g.b {
		if e, ok := c.b.element(j); ok {
			at[e] = j
		}
	}
	g.a = slices.DeleteFunc(g.a, func(i int) bool {
		e, ok := c.a.element(i)
		if !ok {
			return false
		}
		j, ok := at[e]
		if !ok || c.b.done[j] {
			return false
		}
		c.changed(i, j)
		return true
	})
	g.b = slices.DeleteFunc(g.b, func(j int) bool { return c.b.done[j] })
}

// pairByElement pairs leftovers of different keys that are one element.
func (c *comparison) pairByElement() {
	// An element may be two nodes of different roles.
	type part struct {
		element
		role string
	}
	at := make(map[part]int, len(c.b.rest))
	for _, j := range c.b.rest {
		if e, ok := c.b.element(j); ok {
			at[part{e, c.b.s.Nodes[j].Role}] = j
		}
	}
	for _, i := range c.a.rest {
		e, ok := c.a.element(i)
		if !ok {
			continue
		}
		j, ok := at[part{e, c.a.s.Nodes[i].Role}]
		if !ok || c.b.done[j] {
			continue
		}
		x, y := &c.a.s.Nodes[i], &c.b.s.Nodes[j]
		if x.Unseen != y.Unseen {
			// What comes into sight appears, what goes out of it disappears: one change, not two.
			c.a.done[i], c.b.done[j] = c.a.done[i] || x.Unseen, c.b.done[j] || y.Unseen
			continue
		}
		stays := x.Region == y.Region || c.sameContainer(i, j)
		switch {
		case x.Name != y.Name && stays:
			c.add(deed.Renamed, i, j)
		case x.Name == y.Name && !stays:
			c.add(deed.Moved, i, j)
		case x.Name == y.Name && payloadOf(x) != payloadOf(y):
			c.add(deed.Changed, i, j)
		case x.Name == y.Name:
			c.a.done[i], c.b.done[j] = true, true // only the region around it was renamed
		}
		// Another name in another region is another thing: a recycled row.
	}
	c.a.settled()
	c.b.settled()
}

// sameContainer reports whether the regions around two nodes are one element: then a difference of their labels is a change
// of the region, not of what is in it.
func (c *comparison) sameContainer(i, j int) bool {
	x, ok := c.a.container(i)
	if !ok {
		return false
	}
	y, ok := c.b.container(j)
	return ok && x == y
}

func (d *side) container(i int) (element, bool) {
	for p := d.s.Nodes[i].Parent; p >= 0; p = d.s.Nodes[p].Parent {
		if d.s.Nodes[p].Container {
			return d.element(p)
		}
	}
	return element{}, false
}

// changed records two nodes of one key. What came into sight or went out of it appeared or disappeared, for people.
func (c *comparison) changed(i, j int) {
	x, y := &c.a.s.Nodes[i], &c.b.s.Nodes[j]
	switch {
	case x.Unseen && !y.Unseen:
		c.appeared(j)
	case !x.Unseen && y.Unseen:
		c.disappeared(i)
	default:
		c.add(deed.Changed, i, j)
	}
	c.a.done[i], c.b.done[j] = true, true
}

func (c *comparison) add(kind deed.ChangeKind, i, j int) {
	c.a.done[i], c.b.done[j] = true, true
	c.found = append(c.found, found{kind, i, j})
}

func (c *comparison) appeared(j int) { c.found = append(c.found, found{deed.Appeared, -1, j}) }

func (c *comparison) disappeared(i int) { c.found = append(c.found, found{deed.Disappeared, i, -1}) }

func (c *comparison) appearances() {
	for _, i := range c.a.rest {
		c.disappeared(i)
	}
	for _, j := range c.b.rest {
		c.appeared(j)
	}
}

// volatile tells whether a change is of a node that changes on its own, by what either snapshot says of its element.
func volatile(c *comparison) func(found) bool {
	own := map[element]bool{}
	for _, d := range []*side{c.a, c.b} {
		for i := range d.s.Nodes {
			if d.s.Nodes[i].Volatile {
				if e, ok := d.element(i); ok {
					own[e] = true
				}
			}
		}
	}
	return func(f found) bool {
		for k, d := range []*side{c.a, c.b} {
			i := []int{f.before, f.after}[k]
			if i < 0 {
				continue
			}
			if d.s.Nodes[i].Volatile {
				return true
			}
			if e, ok := d.element(i); ok && own[e] {
				return true
			}
		}
		return false
	}
}
