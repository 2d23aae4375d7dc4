package lock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// A Proposal is the one element that the fingerprints of a step mean, where its locator finds nothing.
type Proposal struct {
	Locator deed.Locator // finds this element, and no other, in the snapshot
	Index   int          // of the element in the snapshot
	Old     string       // the element as it was: `button "Save" in form "Profile"`
	New     string
	Reasons []string // which fingerprints agree
}

// Why tells the reasons in one line.
func (p *Proposal) Why() string { return strings.Join(p.Reasons, "; ") }

// Healed is the form in which results tell it.
func (p *Proposal) Healed(written deed.Locator) *deed.Healed {
	return &deed.Healed{Old: written.String(), New: p.Locator.String(), Why: p.Why()}
}

// The weight of an agreement: how many pages have it by chance.
const (
	forName     = 3.0
	forLikeness = 1.5 // the names share words
	forNear     = 1.5 // the same text before it, the same after it
	forRow      = 2.0
	forRegion   = 1.0
	forGroup    = 1.0
	forPlace    = 1.0
	forRole     = 1.0

	enough = 4.5 // of agreements together
	margin = 2.0 // over the next best
)

// classes are roles that take the same acts. Another class is another thing.
var classes = [][]string{
	{"button", "link", "menuitem"},
	{"textbox", "searchbox"},
	{"combobox", "listbox"},
	{"checkbox", "switch", "menuitemcheckbox"},
	{"radio", "menuitemradio"},
	{"tab", "button"},
}

func class(a, b string) bool {
	return a == b || slices.ContainsFunc(classes, func(c []string) bool { return slices.Contains(c, a) && slices.Contains(c, b) })
}

// Propose looks for the element of step n of the case, whose locator finds nothing in the snapshot. It proposes one element or none; why says why
// none.
//
// None is proposed on a page that was not seen whole or that is another page; of another class of roles; that was there before under its own name; that
// another step of the lock acts on; whose name speaks of taking away or paying where the old one did not, or of the opposite of the old one; where
// two are as likely; and where the new address would have to count, unless the old one did.
func (l *Case) Propose(c *deed.Case, n int, s *deed.Snapshot) (p *Proposal, why string) {
	if n < 0 || n >= len(l.Steps) || n >= len(c.Steps) || l.Steps[n].Found == nil {
		return nil, "the lock knows nothing of this element"
	}
	f := l.Steps[n].Found
	x := newContext(c)
	switch {
	case !s.Complete:
		return nil, "the page was not seen completely: " + s.Incomplete
	case f.Page != "" && !f.Page.Accepts(x.page(s.URL)):
		return nil, fmt.Sprintf("the element stood on %s, this is %s", f.Page, x.page(s.URL))
	}
	h := healer{x: x, l: l, f: f, s: s, step: n}
	var best, next *candidate
	refused := ""
	for i := range s.Nodes {
		m := &s.Nodes[i]
		if !class(f.Role, m.Role) || m.Unseen || m.Behind || m.Volatile {
			continue
		}
		k := h.weigh(i)
		if k.exact {
			best, next = k, nil
			break
		}
		if k.veto != "" {
			if refused == "" && k.score >= enough {
				refused = fmt.Sprintf("%s is not it: %s", m, k.veto)
			}
			continue
		}
		switch {
		case best == nil || k.score > best.score:
			best, next = k, best
		case next == nil || k.score > next.score:
			next = k
		}
	}
	switch {
	case best == nil || best.score < enough && !best.exact || best.context < 2 && !best.exact:
		return nil, cmp.Or(refused, "no element has enough in common with "+f.object())
	case next != nil && best.score-next.score < margin:
		return nil, fmt.Sprintf("%s and %s are as likely", &s.Nodes[best.i], &s.Nodes[next.i])
	}
	to, ok := locate.Unique(s, best.i)
	if ok && to.Nth > 0 && c.Steps[n].Action.Locator.Nth == 0 {
		ok = false
	}
	if ok {
		if at, err := locate.One(s, to); err != nil || at != best.i {
			ok = false
		}
	}
	if ok { // what is kept is the text of the locator: it must be read back
		back, err := deed.ParseLocator(to.String())
		ok = err == nil && back == to
	}
	if !ok {
		return nil, fmt.Sprintf("no locator tells %s from the others", &s.Nodes[best.i])
	}
	return &Proposal{Locator: to, Index: best.i, Old: f.object(), New: s.Nodes[best.i].String(), Reasons: best.reasons}, ""
}

func (f *Fingerprint) object() string { return ident(f.Role, f.Name, f.Frame, f.Region) }

type healer struct {
	x    *context
	l    *Case
	f    *Fingerprint
	s    *deed.Snapshot
	step int
}

type candidate struct {
	i       int
	score   float64
	context int // agreements in something else than name and role
	exact   bool
	reasons []string
	veto    string
}

func (h *healer) weigh(i int) *candidate {
	f, m := h.f, &h.s.Nodes[i]
	sp := locate.Spot(h.s, i)
	near := func(s string) Text { return h.x.text(clip(words.Fold(s), maxNear)) }
	name, region, row, group := h.x.text(words.Fold(m.Name)), h.x.text(m.Region), near(m.Row), near(m.Group)
	k := &candidate{i: i}
	agree := func(weight float64, around bool, reason string) {
		k.score += weight
		if around {
			k.context++
		}
		k.reasons = append(k.reasons, reason)
	}
	sameRole := m.Role == f.Role
	sameName := f.Name.Accepts(name)
	switch {
	case sameName && name != "":
		agree(forName, false, "same name "+quote(string(name)))
	case f.Name != "" && words.Similar(string(f.Name), string(name)) >= 0.5:
		agree(forLikeness, false, fmt.Sprintf("name %s is like %s", quote(string(name)), quote(string(f.Name))))
	}
	if sameRole {
		agree(forRole, false, "same role "+m.Role)
	}
	if f.Region.Accepts(region) {
		what := "same region " + string(region)
		if region == "" {
			what = "in no region, as before"
		}
		agree(forRegion, region != "", what)
	}
	sameRow := f.Row != "" && (f.Row.Accepts(row) || withoutName(f.Row, f.Name) != "" && withoutName(f.Row, f.Name) == withoutName(row, name))
	if sameRow {
		agree(forRow, true, "same row "+quote(string(row)))
	}
	if f.Group != "" && f.Group.Accepts(group) {
		agree(forGroup, true, "same group "+quote(string(group)))
	}
	prev, next := f.Prev.Accepts(near(sp.Prev)), f.Next.Accepts(near(sp.Next))
	if prev && f.Prev != "" {
		agree(forNear, true, "after "+quote(sp.Prev))
	}
	if next && f.Next != "" {
		agree(forNear, true, "before "+quote(sp.Next))
	}
	if sameRole && f.Nth > 0 && sp.Nth == f.Nth && sp.Of == f.Of {
		agree(forPlace, true, fmt.Sprintf("%d of %d in its region", sp.Nth, sp.Of))
	}
	frame := f.Frame.Accepts(h.x.text(sp.Frame))
	k.exact = sameRole && sameName && f.Region.Accepts(region) && f.Row.Accepts(row) && f.Group.Accepts(group) && prev && next && frame &&
		f.Nth > 0 && f.Nth == sp.Nth && f.Of == sp.Of && f.Twin == sp.Twin && f.Twins == sp.Twins
	k.veto = h.veto(m, name, row, sameName, sameRow, prev && next && f.Twin == sp.Twin && f.Twins == sp.Twins, frame)
	if k.veto != "" {
		k.exact = false
	}
	return k
}

// withoutName is a row's text without the name of the element in it.
func withoutName(row, name Text) string {
	if name == "" {
		return string(row)
	}
	return words.Fold(strings.Replace(string(row), string(name), " ", 1))
}

func (h *healer) veto(m *deed.Node, name, row Text, sameName, sameRow, samePlace, frame bool) string {
	f := h.f
	switch {
	case !frame:
		return "it stands in another frame"
	case !sameName && !f.Region.Accepts(h.x.text(m.Region)):
		return "neither its name nor its region is what it was"
	case !sameName && slices.ContainsFunc(f.Others, func(o Text) bool { return o.Accepts(Text(name)) }):
		return "it was there before, beside the one that is sought"
	case sameName && f.Twins > 1 && !(sameRow && f.Row.Accepts(row)) && !samePlace:
		return "there were others of this name"
	case f.Row != "" && row != "" && !sameRow && !alike(f.Row, row):
		return "it stands in another row"
	}
	for j := range h.l.Steps {
		o := h.l.Steps[j].Found
		if j == h.step || o == nil || o.same(f) {
			continue
		}
		if o.Role == m.Role && o.Name != "" && o.Name.Accepts(name) && o.Region.Accepts(h.x.text(m.Region)) && !sameName {
			return fmt.Sprintf("step %d acts on it", j+1)
		}
	}
	if sameName {
		return ""
	}
	was, is := string(f.Name), m.Name
	oldGone, oldPays := words.Hazards(was)
	newGone, newPays := words.Hazards(is)
	switch {
	case (newGone || words.RemovalName(is)) && !oldGone && !words.RemovalName(was):
		return "its name speaks of taking something away"
	case newPays && !oldPays:
		return "its name speaks of paying"
	case words.Negated(is) != words.Negated(was), opposites(was, is):
		return "its name says the opposite"
	}
	return ""
}

func (f *Fingerprint) same(o *Fingerprint) bool {
	return f.Role == o.Role && f.Name == o.Name && f.Region == o.Region && f.Row == o.Row && f.Frame == o.Frame && f.Twin == o.Twin
}

// alike reports whether two rows are of one thing: most words the same, and every number.
func alike(a, b Text) bool {
	if !slices.Equal(words.Numbers(string(a)), words.Numbers(string(b))) {
		return false
	}
	return words.Similar(string(a), string(b)) >= 0.6
}

// opposite are words that undo each other.
var opposed = [][2]string{{"enable", "disable"}, {"show", "hide"}, {"open", "close"}, {"start", "stop"}, {"accept", "reject"}, {"accept", "decline"}, {"approve", "reject"},
	{"allow", "deny"}, {"allow", "block"}, {"yes", "no"}, {"on", "off"}, {"add", "remove"}, {"expand", "collapse"}, {"next", "previous"}, {"next", "back"}, {"up", "down"},
	{"log in", "log out"}, {"sign in", "sign out"}, {"login", "logout"}, {"increase", "decrease"}, {"more", "less"}, {"undo", "redo"}, {"import", "export"}, {"lock", "unlock"},
	{"join", "leave"}, {"connect", "disconnect"}, {"public", "private"}, {"save", "discard"}, {"save", "cancel"}, {"ok", "cancel"}, {"submit", "cancel"}, {"confirm", "cancel"}}

// opposites reports whether one name says the opposite of the other.
func opposites(a, b string) bool {
	a, b = words.Loose(a), words.Loose(b)
	for _, p := range opposed {
		if words.HasWords(a, p[0]) && words.HasWords(b, p[1]) || words.HasWords(a, p[1]) && words.HasWords(b, p[0]) {
			return true
		}
	}
	ta, tb := strings.Fields(a), strings.Fields(b)
	for _, u := range ta {
		for _, v := range tb {
			for _, pre := range []string{"un", "dis", "de", "non"} {
				if u == pre+v || v == pre+u {
					return true
				}
			}
		}
	}
	return false
}
