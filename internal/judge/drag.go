package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// drag judges by where the item is now: in the destination, before or after what was asked, and nothing else lost
// its place but by shifting. Order is no difference to package diff, so it is read from the snapshots here.
func (h *hearing) drag() (deed.Judgement, bool) {
	if h.target == nil || h.ev.Action.Drop == nil {
		return deed.Judgement{}, false
	}
	m := h.move()
	now := m.find(h.after)
	for _, k := range now {
		if !m.arrived(h.after, k) {
			continue
		}
		if lost := m.disturbed(h.after, k); lost != "" {
			return mismatch(deed.MismatchWrongState, "%s is %s, but besides, %s", h.target, placed(m.drop), lost), true
		}
		if j, bad := h.complained(); bad {
			return j, true
		}
		j := match(deed.BasisState, "%s is %s now", bareNode(h.target), placed(m.drop))
		if m.arrived(h.before, m.at) && m.home(h.after, k) {
			j.Already, j.Reason = true, fmt.Sprintf("%s is %s, as it was", bareNode(h.target), placed(m.drop))
		}
		return j, true
	}
	if !h.ev.Final {
		return deed.Judgement{Reason: fmt.Sprintf("nothing yet: %s is not %s", h.target, placed(m.drop))}, true
	}
	for _, s := range h.ev.Seen {
		for _, k := range m.find(s) {
			if m.arrived(s, k) {
				reason := fmt.Sprintf("%s was %s for a moment, then the page took that back", h.target, placed(m.drop))
				if f, _ := h.failure(h.effects); f != "" {
					reason += fmt.Sprintf(": it says %q", clip(f))
				} else if bad := h.badRequest(); bad != "" {
					reason += ": " + bad
				}
				return mismatch(deed.MismatchRolledBack, "%s", reason), true
			}
		}
	}
	moved := slices.IndexFunc(now, func(k int) bool { return !m.home(h.after, k) })
	switch {
	case moved >= 0:
		return mismatch(deed.MismatchWrongState, "%s landed %s, asked for was %s", h.target, seatOf(h.after, now[moved]).where(), m.drop), true
	case len(now) == 0 && h.blind != "":
		return h.doubt("%s is not to be seen, but %s", h.target, h.blind), true
	case len(now) == 0:
		return h.swallowed(m), true
	case len(h.effects) == 0:
		j := h.nothing()
		if j.Kind == deed.MismatchNoEffect {
			j.Reason += fmt.Sprintf(": %s is still %s", h.target, seatOf(h.before, m.at).where())
		}
		return j, true
	}
	return mismatch(deed.MismatchWrongState, "%s is still %s, asked for was %s; %s", h.target, seatOf(h.before, m.at).where(), m.drop, h.instead()), true
}

// astray reports a dragged item that is to be seen, and not where the step wants it: the destination is declared as much as an
// expectation is, so that one which holds does not overrule it.
func (h *hearing) astray() (deed.Judgement, bool) {
	if h.ev.Action.Kind != deed.KindDrag || h.target == nil || h.ev.Action.Drop == nil {
		return deed.Judgement{}, false
	}
	m := h.move()
	now := m.find(h.after)
	if len(now) == 0 || slices.ContainsFunc(now, func(k int) bool { return m.arrived(h.after, k) }) {
		return deed.Judgement{}, false
	}
	return h.drag()
}

// swallowed judges an item that is gone. What takes things in without showing them (a folder, a bin) must show that
// something came; a list must show the item.
func (h *hearing) swallowed(m *move) deed.Judgement {
	d := m.to(h.after)
	if d >= 0 && !slices.Contains(listRoles, h.after.Nodes[d].Role) {
		for i := range h.effects {
			c := h.effects[i].change
			if c != nil && c.AfterIndex >= 0 && (c.AfterIndex == d || within(h.after, c.AfterIndex, d)) {
				return match(deed.BasisNamed, "%s went into %s: %s", h.target, &h.after.Nodes[d], h.effects[i].line)
			}
		}
		return h.doubt("%s is gone, and %s does not show that it came there", h.target, &h.after.Nodes[d])
	}
	return mismatch(deed.MismatchWrongState, "%s is gone, asked for was %s", h.target, m.drop)
}

// complained ends the case of an act whose goal shows while the page says that it failed.
func (h *hearing) complained() (deed.Judgement, bool) {
	live, _, _ := h.sortOut()
	if f, _ := h.failure(live); f != "" {
		return h.failed(f), true
	}
	if why := h.pageError(); why != "" {
		return mismatch(deed.MismatchPageError, "%s", why), true
	}
	return deed.Judgement{}, false
}

// A move is where an item stood, and where it was to go.
type move struct {
	before *deed.Snapshot
	at     int
	item   *deed.Node
	drop   *deed.Drop
}

func (h *hearing) move() *move { return newMove(h.before, h.at, h.ev.Action.Drop) }

// newMove takes a handle for the row that it moves, where the row is to stand beside another.
func newMove(before *deed.Snapshot, at int, drop *deed.Drop) *move {
	if drop != nil && drop.To.IsZero() && drop.In == "" && !slices.Contains(rowRoles, before.Nodes[at].Role) {
		if row := ancestor(before, at, rowRoles); row >= 0 && len(seatOf(before, at).row) == 1 {
			at = row
		}
	}
	return &move{before: before, at: at, item: &before.Nodes[at], drop: drop}
}

// called is what an item is told by: its name, else the names of what it holds.
func called(s *deed.Snapshot, i int) string {
	if name := s.Nodes[i].Name; name != "" {
		return words.Fold(name)
	}
	var parts []string
	for k := i + 1; k < len(s.Nodes); k++ { // a node's own follow it
		if s.Nodes[k].Name != "" && within(s, k, i) {
			parts = append(parts, s.Nodes[k].Name)
		}
	}
	return words.Fold(strings.Join(parts, " "))
}

// find returns the nodes of s that may be the item, the surest first: its element, then new nodes of its role and name.
// Lists that are drawn anew give its name to another element, so the name comes before the number.
func (m *move) find(s *deed.Snapshot) []int {
	var out []int
	name := called(m.before, m.at)
	own := sameElement(m.before, s, m.at)
	if own >= 0 && (s.Nodes[own].Role != m.item.Role || called(s, own) != name) {
		own = -1
	}
	if own >= 0 {
		out = append(out, own)
	}
	for k := range s.Nodes {
		n := &s.Nodes[k]
		if k == own || n.Role != m.item.Role || called(s, k) != name {
			continue
		}
		if b := sameElement(s, m.before, k); b >= 0 && b != m.at && called(m.before, b) == name {
			continue // a twin that stood there before
		}
		out = append(out, k)
	}
	if out == nil {
		// It took another name on the way: a number, a state.
		if e := sameElement(m.before, s, m.at); e >= 0 && s.Nodes[e].Role == m.item.Role && !namedIn(m.before, m.item.Role, called(s, e)) {
			out = append(out, e)
		}
	}
	return out
}

// to returns the node of s that the item was to go to or into, -1 for none or many.
func (m *move) to(s *deed.Snapshot) int {
	switch {
	case !m.drop.To.IsZero():
		if d, err := locate.One(m.before, m.drop.To); err == nil {
			if d = counterpart(m.before, s, d); d >= 0 {
				return d
			}
		}
		if d, err := locate.One(s, m.drop.To); err == nil {
			return d
		}
	case m.drop.In != "":
		if r := locate.Region(s, m.drop.In); len(r) == 1 {
			return r[0]
		}
	}
	return -1
}

// arrived reports whether node k of s, the item, is where it was to go.
func (m *move) arrived(s *deed.Snapshot, k int) bool {
	seat := seatOf(s, k)
	switch {
	case m.drop.In != "":
		return locate.InRegion(s, k, m.drop.In)
	case m.drop.Before != "":
		return seat.next() >= 0 && seat.next() == m.neighbour(seat, m.drop.Before)
	case m.drop.After != "":
		return seat.previous() >= 0 && seat.previous() == m.neighbour(seat, m.drop.After)
	}
	d := m.to(s)
	switch {
	case d < 0 || d == k:
		return false
	case within(s, k, d):
		return true
	case m.peer():
		// Onto a sibling: it takes that one's place, or has come to stand beside it.
		return !m.home(s, k) && (seat.previous() == d || seat.next() == d || m.swapped(s, k, d))
	case slices.Contains(listRoles, s.Nodes[d].Role) || s.Nodes[d].Container || holdsNodes(s, d):
		return false
	}
	// Onto something that holds nothing, such as a heading: into what that stands in.
	return seatOf(s, d).box == seat.box && seat.box >= 0
}

// peer reports a destination that is an item like the dragged one.
func (m *move) peer() bool {
	d, err := locate.One(m.before, m.drop.To)
	return err == nil && m.before.Nodes[d].Role == m.item.Role
}

// swapped reports whether the item stands where the one it was dropped onto stood, and that one in its place.
func (m *move) swapped(s *deed.Snapshot, k, d int) bool {
	b, err := locate.One(m.before, m.drop.To)
	if err != nil {
		return false
	}
	was, its := seatOf(m.before, m.at), seatOf(m.before, b)
	is, other := seatOf(s, k), seatOf(s, d)
	return was.same(other) && its.same(is) && was.index == other.index && its.index == is.index
}

// neighbour finds the sibling with this name in the seat's row: by name, else as the element that had the name, else
// as the one that has its words.
func (m *move) neighbour(seat seat, name string) int {
	s, name := seat.s, words.Fold(name)
	for _, k := range seat.row {
		if k != seat.at() && called(s, k) == name {
			return k
		}
	}
	for i := range m.before.Nodes {
		if n := &m.before.Nodes[i]; n.Role == m.item.Role && i != m.at && called(m.before, i) == name {
			if k := sameElement(m.before, s, i); k >= 0 && slices.Contains(seat.row, k) && !namedIn(m.before, n.Role, called(s, k)) {
				return k
			}
		}
	}
	found := -1
	for _, k := range seat.row {
		if k != seat.at() && containsWords(called(s, k), name) {
			if found >= 0 {
				return -1
			}
			found = k
		}
	}
	return found
}

// home reports whether node k of s, the item, stands where it stood: in the same list, behind the same others.
func (m *move) home(s *deed.Snapshot, k int) bool {
	was, is := seatOf(m.before, m.at), seatOf(s, k)
	if !was.same(is) {
		return false
	}
	both := shared(was.names(-1), is.names(-1))
	return slices.Equal(keep(was.names(-1)[:was.index], both), keep(is.names(-1)[:is.index], both))
}

// disturbed tells what else lost its place in the lists that the item left and came to, and those beside them, "" when all others only shifted.
func (m *move) disturbed(s *deed.Snapshot, k int) string {
	was, is := seatOf(m.before, m.at), seatOf(s, k)
	except := ""
	if !m.drop.To.IsZero() && m.peer() {
		if d, err := locate.One(m.before, m.drop.To); err == nil {
			except = called(m.before, d) // it may have changed places with the item
		}
	}
	check := func(b, a seat, own bool) string {
		names := func(st seat, item int) []string {
			st.row = slices.DeleteFunc(slices.Clone(st.row), func(k int) bool { return st.s.Nodes[k].Volatile })
			return slices.DeleteFunc(st.names(item), func(n string) bool { return except != "" && n == except })
		}
		before, after := names(b, m.at), names(a, k)
		both := shared(before, after)
		x, y := keep(before, both), keep(after, both)
		for i := range x {
			if x[i] != y[i] {
				return fmt.Sprintf("%s %q lost its place", m.item.Role, clip(y[i]))
			}
		}
		// What went from the middle of a list did not scroll out of it.
		first, last := -1, -1
		for i, n := range before {
			if both[n] > 0 {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		for i, n := range before {
			if both[n] == 0 && !m.renamed(a, n) && (own && i > first && i < last || namedIn(s, m.item.Role, n) && !elsewhereBefore(m.before, b, n)) {
				return fmt.Sprintf("%s %q is not there any more", m.item.Role, clip(n))
			}
		}
		return ""
	}
	// The list that the item left, the one that it came to, and those beside them.
	for _, b := range rows(m.before, m.item.Role) {
		a := b.in(s)
		if !b.same(was) && !a.beside(is) && !b.beside(was) {
			continue
		}
		if lost := check(b, a, b.same(was) || a.box == is.box); lost != "" {
			return lost
		}
	}
	return ""
}

// renamed reports whether the sibling of this name is still in the row, under another name: lists that number their items.
func (m *move) renamed(a seat, name string) bool {
	for i := range m.before.Nodes {
		if n := &m.before.Nodes[i]; n.Role == m.item.Role && called(m.before, i) == name {
			if k := sameElement(m.before, a.s, i); k >= 0 && slices.Contains(a.row, k) && !namedIn(m.before, n.Role, called(a.s, k)) {
				return true
			}
		}
	}
	return false
}

// elsewhereBefore reports whether a node of this name stood in another list before: it need not have moved there.
func elsewhereBefore(s *deed.Snapshot, b seat, name string) bool {
	for i := range s.Nodes {
		if s.Nodes[i].Role == b.role && called(s, i) == name && !slices.Contains(b.row, i) {
			return true
		}
	}
	return false
}

// A seat is the place of a node among those of its role in the same list, table, group or region.
type seat struct {
	s     *deed.Snapshot
	role  string
	frame int   // index into s.Frames
	box   int   // what holds it, -1 for the page
	row   []int // all of its role in the box, in document order
	index int   // its place in row; -1 for a row without an item
}

func seatOf(s *deed.Snapshot, i int) seat {
	st := seat{s: s, role: s.Nodes[i].Role, frame: s.Nodes[i].Frame, box: boxOf(s, i)}
	for k := range s.Nodes {
		if s.Nodes[k].Role == st.role && s.Nodes[k].Frame == st.frame && boxOf(s, k) == st.box {
			st.row = append(st.row, k)
		}
	}
	st.index = slices.Index(st.row, i)
	return st
}

// rows returns the rows of this role, one for each box, without an item.
func rows(s *deed.Snapshot, role string) []seat {
	var out []seat
	at := map[[2]int]int{}
	for k := range s.Nodes {
		if s.Nodes[k].Role != role {
			continue
		}
		key := [2]int{boxOf(s, k), s.Nodes[k].Frame}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, seat{s: s, role: role, frame: key[1], box: key[0], index: -1})
		}
		out[i].row = append(out[i].row, k)
	}
	return out
}

// same reports whether two seats are in the same row of two snapshots.
func (st seat) same(o seat) bool {
	f, g := frameOf(st.s, st.frame), frameOf(o.s, o.frame)
	return (st.frame == 0 && o.frame == 0 || f.ID == g.ID) && sameBox(st.s, st.box, o.s, o.box)
}

// beside reports whether two rows of one snapshot are one, or stand side by side: the columns of a board.
func (st seat) beside(o seat) bool {
	return st.box == o.box || st.box >= 0 && o.box >= 0 && st.s.Nodes[st.box].Parent == o.s.Nodes[o.box].Parent && st.s.Nodes[st.box].Role == o.s.Nodes[o.box].Role
}

// in returns the seat's row in another snapshot; an empty row is none.
func (st seat) in(s *deed.Snapshot) seat {
	for _, o := range rows(s, st.role) {
		if st.same(o) {
			return o
		}
	}
	return seat{s: s, role: st.role, frame: -1, box: -2, index: -1}
}

// boxRoles hold items, besides lists.
var boxRoles = []string{"rowgroup", "group", "gridcell", "cell"}

// boxOf returns what holds an item among others: the list or region around it, or the item that it is nested in.
func boxOf(s *deed.Snapshot, i int) int {
	for p := s.Nodes[i].Parent; p >= 0; p = s.Nodes[p].Parent {
		n := &s.Nodes[p]
		if n.Container || n.Role == s.Nodes[i].Role || slices.Contains(boxRoles, n.Role) || slices.Contains(listRoles, n.Role) {
			return p
		}
	}
	return -1
}

// sameBox reports whether box x of a is box y of b: the same element, else the same of those of its identity.
func sameBox(a *deed.Snapshot, x int, b *deed.Snapshot, y int) bool {
	if x < 0 || y < 0 {
		return x == y
	}
	if e := sameElement(a, b, x); e >= 0 && b.Nodes[e].Role == a.Nodes[x].Role {
		return e == y
	}
	return a.Key(x) == b.Key(y) && ordinal(a, x) == ordinal(b, y)
}

// ordinal counts the nodes of the same identity in front of node i.
func ordinal(s *deed.Snapshot, i int) int {
	n, key := 0, s.Key(i)
	for k := range i {
		if s.Nodes[k].Role == key.Role && s.Nodes[k].Name == key.Name && s.Key(k) == key {
			n++
		}
	}
	return n
}

func (st seat) at() int { return st.neighbour(0) }

func (st seat) next() int     { return st.neighbour(1) }
func (st seat) previous() int { return st.neighbour(-1) }

func (st seat) neighbour(by int) int {
	if i := st.index + by; st.index >= 0 && i >= 0 && i < len(st.row) {
		return st.row[i]
	}
	return -1
}

// names are the names in the row, but that of node item.
func (st seat) names(item int) []string {
	out := make([]string, 0, len(st.row))
	for _, k := range st.row {
		if k != item {
			out = append(out, called(st.s, k))
		}
	}
	return out
}

// where says a place, for people: `in list "Done", after "Ship it"`.
func (st seat) where() string {
	place := "on the page"
	if st.box >= 0 {
		place = "in " + st.s.Nodes[st.box].Label()
	}
	switch {
	case st.previous() >= 0:
		return place + ", after " + fmt.Sprintf("%q", clip(called(st.s, st.previous())))
	case st.next() >= 0:
		return place + ", before " + fmt.Sprintf("%q", clip(called(st.s, st.next())))
	}
	return place
}

// shared counts the names that are in both, as often as they are in both.
func shared(a, b []string) map[string]int {
	n, out := map[string]int{}, map[string]int{}
	for _, x := range a {
		n[x]++
	}
	for _, y := range b {
		if n[y] > 0 {
			n[y]--
			out[y]++
		}
	}
	return out
}

// keep returns those of names that are shared, in order.
func keep(names []string, both map[string]int) []string {
	left := map[string]int{}
	for k, v := range both {
		left[k] = v
	}
	var out []string
	for _, n := range names {
		if left[n] > 0 {
			left[n]--
			out = append(out, n)
		}
	}
	return out
}

func holdsNodes(s *deed.Snapshot, i int) bool {
	return slices.ContainsFunc(s.Nodes, func(n deed.Node) bool { return n.Parent == i && n.Role != "text" })
}

func namedIn(s *deed.Snapshot, role, name string) bool {
	for i := range s.Nodes {
		if s.Nodes[i].Role == role && called(s, i) == name {
			return true
		}
	}
	return false
}

// placed says a destination as a place: `at list "Done"`, `after "Beans"`.
func placed(d *deed.Drop) string {
	if !d.To.IsZero() {
		return "at " + d.To.String()
	}
	return d.String()
}

// bareNode names a node without the region it was in.
func bareNode(n *deed.Node) string {
	m := *n
	m.Region = ""
	return strings.TrimSpace(m.String())
}

// Displaced reports whether the element that was dragged to drop does not stand where it stood: the proof of an undone
// drag, because order is no difference to a diff. It is in place when no copy of it stands anywhere else either.
func Displaced(before, after *deed.Snapshot, target int, drop *deed.Drop) bool {
	if before == nil || after == nil || target < 0 || target >= len(before.Nodes) {
		return false
	}
	m := newMove(before, target, drop)
	now := m.find(after)
	if len(now) == 0 {
		return true
	}
	for _, k := range now {
		if !m.home(after, k) {
			return true
		}
	}
	return false
}
