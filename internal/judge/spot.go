package judge

import (
	"slices"
	"unicode"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// A spot is where an element stands: its siblings, its row, and the words that tell it from them.
type spot struct {
	s        *deed.Snapshot
	at       int
	places   *places
	row      int   // index of the row or card around it (or it itself), -1 for none
	siblings []int // same role, same list, table, grid or region; the element itself is not among them
	ours     marks
	theirs   []marks // of the siblings, in their order
	common   map[string]bool
	by       map[string][]int     // word that tells apart → the siblings (indexes into theirs) that have it
	read     map[string][]string  // content words of the texts read so far: a row says its name twice
	joined   map[string][2]string // "backup" → back, up: words that some write as one
}

// marks are what an element can be told by: the words of its name and of its row or card, each with its weight.
// What all siblings share tells nothing and is no mark. What many share is a mark, but one that they explain as well (see owner).
type marks struct {
	all  map[string]bool // all words, marks or not
	name map[string]float64
	row  map[string]float64 // those that only its row has
}

// rowRoles are rows wherever they stand; cardRoles are cards where they stand beside others of their kind.
var (
	rowRoles  = []string{"row", "listitem", "treeitem", "option", "menuitem", "menuitemcheckbox", "menuitemradio"}
	cardRoles = []string{"article", "group", "region", "figure", "form", "data-deed-region", "generic"}
	listRoles = []string{"list", "table", "grid", "treegrid", "listbox", "menu", "menubar", "tablist", "tree", "radiogroup", "feed"}
)

func newSpot(pl *places, at int) *spot {
	p := &spot{s: pl.s, at: at, places: pl, row: pl.rowOf(at), read: map[string][]string{}, joined: map[string][2]string{}}
	p.findSiblings()
	p.tell()
	return p
}

// places answers where nodes of one snapshot stand with respect to controls of one role.
type places struct {
	s     *deed.Snapshot
	role  string
	holds []bool           // the node has a control of the role inside
	cards map[cardKind]int // how many such nodes of one kind stand side by side
}

type cardKind struct {
	parent, frame int
	role          string
}

func newPlaces(s *deed.Snapshot, role string) *places {
	pl := &places{s: s, role: role, holds: make([]bool, len(s.Nodes)), cards: map[cardKind]int{}}
	for i := range s.Nodes {
		if s.Nodes[i].Role != role {
			continue
		}
		for p := s.Nodes[i].Parent; p >= 0 && p < len(s.Nodes) && !pl.holds[p]; p = s.Nodes[p].Parent {
			pl.holds[p] = true
		}
	}
	for i := range s.Nodes {
		if pl.holds[i] && slices.Contains(cardRoles, s.Nodes[i].Role) {
			pl.cards[pl.kind(i)]++
		}
	}
	return pl
}

func (pl *places) kind(i int) cardKind {
	n := &pl.s.Nodes[i]
	return cardKind{n.Parent, n.Frame, n.Role}
}

// isCard reports whether node i stands beside others of its kind that hold the same sort of control.
func (pl *places) isCard(i int) bool { return pl.holds[i] && pl.cards[pl.kind(i)] > 1 }

// rowOf returns the row or card that holds node i, -1 for none. A row is its own row.
func (pl *places) rowOf(i int) int {
	for n := i; n >= 0; n = pl.s.Nodes[n].Parent {
		switch role := pl.s.Nodes[n].Role; {
		case slices.Contains(rowRoles, role), n != i && pl.isCard(n):
			return n
		case slices.Contains(listRoles, role):
			return -1
		}
	}
	return -1
}

// container returns the list, table or grid around node i, -1 for none.
func container(s *deed.Snapshot, i int) int {
	for n := s.Nodes[i].Parent; n >= 0; n = s.Nodes[n].Parent {
		if slices.Contains(listRoles, s.Nodes[n].Role) {
			return n
		}
	}
	return -1
}

// findSiblings finds the elements that a wrong effect may belong to: same role, same list, table or grid, in another
// row; without one, the same controls of the cards beside, and those of the region whose names are made alike.
func (p *spot) findSiblings() {
	s, t := p.s, &p.s.Nodes[p.at]
	box := container(s, p.at)
	card := -1
	if p.row >= 0 && p.row != p.at && slices.Contains(cardRoles, s.Nodes[p.row].Role) {
		card = p.row
	}
	tw := wordSet(t.Name)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if i == p.at || n.Role != t.Role || n.Frame != t.Frame || n.Unseen {
			continue
		}
		if p.row >= 0 && p.row != p.at && within(s, i, p.row) {
			continue // in the same row: a colleague, not a sibling
		}
		switch {
		case box >= 0:
			if container(s, i) != box {
				continue
			}
		case card >= 0 && p.besideCard(i, card):
		case n.Region != t.Region || container(s, i) >= 0 || !p.alike(n, t, tw):
			continue
		}
		p.siblings = append(p.siblings, i)
	}
}

// besideCard reports whether node i is in a card of the same kind beside card.
func (p *spot) besideCard(i, card int) bool {
	want := p.places.kind(card)
	for n := p.s.Nodes[i].Parent; n >= 0; n = p.s.Nodes[n].Parent {
		if n != card && p.places.kind(n) == want {
			return true
		}
	}
	return false
}

// alike reports whether control a of a region is of one making with b: names that share a word, rows of their own, parts that both open.
func (p *spot) alike(a, b *deed.Node, bWords map[string]bool) bool {
	if a.Row != "" && b.Row != "" && a.Row != b.Row || a.Name == b.Name {
		return true
	}
	if opens := deed.Expanded | deed.Collapsed; a.States&opens != 0 && b.States&opens != 0 {
		return true // the parts of an accordion
	}
	for _, w := range p.content(a.Name) {
		if bWords[w] {
			return true
		}
	}
	return false
}

// tell weighs the words that tell each apart.
func (p *spot) tell() {
	all := append([]int{p.at}, p.siblings...)
	marked := make([]marks, len(all))
	count := map[string]int{}
	for k, i := range all {
		set := make(map[string]bool, 8)
		for _, text := range p.texts(i) {
			for _, w := range p.content(text) {
				if !set[w] {
					set[w] = true
					count[w]++
				}
			}
		}
		marked[k].all = set
	}
	others := len(all) - 1
	p.common = map[string]bool{}
	for w, n := range count {
		if others > 0 && n == len(all) {
			p.common[w] = true
		}
	}
	for k := range marked {
		m := &marked[k]
		m.name, m.row = map[string]float64{}, map[string]float64{}
		name := p.content(p.s.Nodes[all[k]].Name)
		for w := range m.all {
			if p.common[w] {
				continue
			}
			x := weight(w)
			if slices.Contains(name, w) {
				m.name[w] = x
			} else {
				m.row[w] = x
			}
		}
	}
	p.ours, p.theirs = marked[0], marked[1:]
	t := words.Tokens(p.s.Nodes[p.at].Name)
	for i := 0; i+1 < len(t); i++ {
		if one, ok := joinedWord(t[i], t[i+1]); ok {
			p.joined[one] = [2]string{t[i], t[i+1]}
		}
	}
	p.by = map[string][]int{}
	for k := range p.theirs {
		for w := range p.theirs[k].name {
			p.by[w] = append(p.by[w], k)
		}
		for w := range p.theirs[k].row {
			p.by[w] = append(p.by[w], k)
		}
	}
}

// texts are what node i can be told by: its name, and what its row or card says.
func (p *spot) texts(i int) []string {
	out := []string{p.s.Nodes[i].Name, p.s.Nodes[i].Row}
	if r := p.places.rowOf(i); r >= 0 && r != i {
		out = append(out, p.s.Nodes[r].Name)
	}
	return out
}

func (p *spot) content(text string) []string {
	c, ok := p.read[text]
	if !ok {
		c = words.Content(text)
		p.read[text] = c
	}
	return c
}

// words are a reading as a set; what it writes as one word and the target as two counts as both.
func (p *spot) words(reading []string) map[string]bool {
	set := make(map[string]bool, len(reading))
	for _, w := range reading {
		set[w] = true
		if parts, ok := p.joined[w]; ok {
			set[parts[0]], set[parts[1]] = true, true
		}
	}
	return set
}

// joinedWord writes two neighbouring words as one, where that may be one word: not in scripts without blanks, no numbers.
func joinedWord(a, b string) (string, bool) {
	return a + b, plainWord(a) && plainWord(b) && len(a)+len(b) >= 5
}

// plainWord reports words of scripts that put blanks between them.
func plainWord(w string) bool {
	for _, r := range w {
		if r >= 0x0E00 || !unicode.IsLetter(r) {
			return false
		}
	}
	return w != ""
}

// share is how much of what tells the name apart the text has.
func (m *marks) share(text map[string]bool) float64 {
	sum, hit := 0.0, 0.0
	for w, x := range m.name {
		sum += x
		if text[w] {
			hit += x
		}
	}
	if sum == 0 {
		return 1 // only the row tells
	}
	return hit / sum
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words.Content(text) {
		set[w] = true
	}
	return set
}

// weight is how much a shared word proves: a single digit turns up anywhere.
func weight(w string) float64 {
	rs := []rune(w)
	digits := 0
	for _, r := range rs {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	switch {
	case len(rs) == 1 && rs[0] < 0x2E80:
		return 0.4
	case digits == len(rs) && len(rs) == 2:
		return 0.6
	case len(rs) == 2 && rs[0] < 0x0250:
		return 0.7
	}
	return 1
}

// carries reports whether a text carries the marks: enough weight, or all of the name's.
func (m *marks) carries(text map[string]bool) bool {
	sum, hits := 0.0, 0
	for w, x := range m.name {
		if text[w] {
			sum += x
			hits++
		}
	}
	if hits > 0 && (hits == len(m.name) || sum >= 1) {
		return true
	}
	// Where the name is everybody's, the row is what tells; else it only helps.
	part := 0.6
	if len(m.name) == 0 {
		part = 1
	}
	rowHits := 0
	for w, x := range m.row {
		if text[w] {
			rowHits++
			sum += x * part
		}
	}
	return rowHits > 0 && (sum >= 1 || len(m.name) == 0 && rowHits == len(m.row))
}

// digitsOnly reports whether all that the text has of the marks are lone digits.
func (m *marks) digitsOnly(text map[string]bool) bool {
	some := false
	for _, set := range []map[string]float64{m.name, m.row} {
		for w := range set {
			if !text[w] {
				continue
			}
			some = true
			if !(len(w) == 1 && w[0] >= '0' && w[0] <= '9') {
				return false
			}
		}
	}
	return some
}

// shared are the words of an element that the text has, what all siblings have apart.
func (p *spot) shared(c *marks, text map[string]bool) map[string]bool {
	out := map[string]bool{}
	for w := range c.all {
		if text[w] && !p.common[w] {
			out[w] = true
		}
	}
	return out
}

// An owner is whose words a text carries.
type owner int

const (
	nobody owner = iota
	us
	them
	both
)

// owner says whose words the text carries, and the sibling where it is one's. The text belongs to whom it explains
// best: "Trousers M" is no effect of "T-shirt M", although M tells it from "T-shirt L"; what a sibling explains
// just as well is nobody's.
func (p *spot) owner(text map[string]bool) (owner, int) {
	if len(text) == 0 {
		return nobody, -1
	}
	mine, our := p.shared(&p.ours, text), p.ours.carries(text)
	theirs, alsoTheirs := -1, -1
	for _, k := range p.touched(text) {
		c := &p.theirs[k]
		yours, their := p.shared(c, text), c.carries(text)
		if c.digitsOnly(text) && !p.commonIn(text) && len(text) > 1 {
			their = false // "3 results" says nothing about button "3"
		}
		switch {
		case subset(mine, yours): // they explain it as well, or better
			our = false
			if their && len(yours) > len(mine) && theirs < 0 {
				theirs = k
			}
		case subset(yours, mine):
		case their: // each by words of its own
			alsoTheirs = k
		}
	}
	switch {
	case our && alsoTheirs >= 0:
		return both, p.siblings[alsoTheirs]
	case our:
		return us, -1
	case theirs >= 0:
		return them, p.siblings[theirs]
	case alsoTheirs >= 0:
		return them, p.siblings[alsoTheirs]
	}
	return nobody, -1
}

// touched are the siblings that share a telling word with the text, in order.
func (p *spot) touched(text map[string]bool) []int {
	var out []int
	for w := range text {
		out = append(out, p.by[w]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// commonIn reports whether the text has a word that all siblings share: "Seat" in "Seat 3".
func (p *spot) commonIn(text map[string]bool) bool {
	for w := range p.common {
		if text[w] {
			return true
		}
	}
	return false
}

func subset(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}
