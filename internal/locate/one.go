package locate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// listed is how many candidates a message names.
const listed = 5

// One returns the node that l means. It is a *deed.Error otherwise: no_match, whose text names the nearest
// candidates, or many_matches, whose text lists the matches; the hint is a locator that means exactly one element, where there is
// such a one.
func One(s *deed.Snapshot, l deed.Locator) (int, error) {
	f := newFinder(s)
	found := f.all(l)
	switch {
	case l.Nth > 0 && len(found) >= l.Nth:
		return found[l.Nth-1], nil
	case l.Nth > 0 && len(found) > 0:
		return -1, &deed.Error{Op: "find", Code: deed.CodeNoMatch, Where: l.String(), SideEffects: deed.EffectsNone,
			Err: fmt.Errorf("%d match, nth is %d: %s", len(found), l.Nth, f.list(found, l))}
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return -1, f.many(found, l)
	}
	return -1, f.none(l)
}

func (f *finder) many(found []int, l deed.Locator) error {
	e := &deed.Error{Op: "find", Code: deed.CodeManyMatches, Where: l.String(), SideEffects: deed.EffectsNone}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b int) int {
		return cmp.Compare(words.Similar(l.Name, f.s.Nodes[b].Name), words.Similar(l.Name, f.s.Nodes[a].Name))
	})
	e.Err = fmt.Errorf("%d match: %s", len(found), f.list(found, l))
	// A number is the weakest way to tell: it is proposed when nothing else tells any of them.
	var best deed.Locator
	for _, i := range found[:min(len(found), listed)] {
		if u, ok := f.unique(i, l); ok && (best.IsZero() || best.Nth > 0 && u.Nth == 0) {
			best = u
		}
	}
	if !best.IsZero() {
		e.Hint = "say which one, as: " + best.String()
	}
	return e
}

// list names nodes for a message; the row tells apart those that read the same.
func (f *finder) list(found []int, l deed.Locator) string {
	said := map[string]int{}
	for _, i := range found {
		said[f.describe(i)]++
	}
	var out []string
	for k, i := range found {
		if k == listed {
			out = append(out, fmt.Sprintf("and %d more", len(found)-k))
			break
		}
		d := f.describe(i)
		if said[d] > 1 {
			if near := f.rowText(i, l); near != "" {
				d += " near " + strconv.Quote(near)
			} else {
				d += fmt.Sprintf(" (%s)", f.s.Ref(i))
			}
		}
		if f.s.Nodes[i].Unseen {
			d += " (cannot be seen)"
		}
		out = append(out, d)
	}
	return strings.Join(out, ", ")
}

// Unique returns a locator that means node i of s alone, preferring what a person would write: its name, its region, its frame, a text in
// its row, and a number last. It is false for a node that nothing tells from another.
func Unique(s *deed.Snapshot, i int) (deed.Locator, bool) {
	f := newFinder(s)
	return f.unique(i, deed.Locator{Role: s.Nodes[i].Role})
}

// unique looks for a locator that means node i alone: by its whole name, its region, its frame, something in its row, its number.
func (f *finder) unique(i int, l deed.Locator) (deed.Locator, bool) {
	n := &f.s.Nodes[i]
	try := func(c deed.Locator) bool {
		all := f.all(c)
		return len(all) == 1 && all[0] == i
	}
	base := deed.Locator{Role: n.Role, Name: n.Name, Region: l.Region, Frame: l.Frame, Near: l.Near}
	if !deed.KnownRole(base.Role) {
		base.Role = l.Role
	}
	if n.Name == "" || deed.TextPattern(n.Name) != nil {
		base.Name, base.Loose = l.Name, l.Loose
	}
	if try(base) {
		return base, true
	}
	narrow := base
	if region := written(n.Region); region != "" && base.Region == "" {
		narrow.Region = region
		if try(narrow) {
			return narrow, true
		}
	}
	if n.Frame > 0 && base.Frame == "" {
		narrow = base
		narrow.Frame = frameName(&f.s.Frames[n.Frame])
		if try(narrow) {
			return narrow, true
		}
	}
	if base.Near == "" {
		for _, c := range []deed.Locator{base, narrow} {
			for _, t := range f.rowTexts(i) {
				c.Near = t
				if try(c) {
					return c, true
				}
			}
		}
	}
	for k, j := range f.all(base) {
		if j == i {
			base.Nth = k + 1
			return base, true
		}
	}
	return deed.Locator{}, false
}

// written is a region's label as a locator has it: a name of several words is quoted.
func written(labelOf string) string {
	if _, _, bare := label(labelOf); bare && strings.ContainsAny(labelOf, " \t\"") {
		return strconv.Quote(labelOf)
	}
	return labelOf
}

// rowText is the text by which the row of node i is told from the rows of the other matches of l; "" when there is none.
func (f *finder) rowText(i int, l deed.Locator) string {
	l.Nth, l.Near = 0, ""
	for _, t := range f.rowTexts(i) {
		l.Near = t
		if all := f.all(l); len(all) == 1 && all[0] == i {
			return t
		}
	}
	if row := f.s.Nodes[i].Row; row != "" && len([]rune(row)) <= 60 {
		return row
	}
	return ""
}

// rowTexts lists texts that stand in the row of node i, those first that name a thing: headings, headers, the row's own text, cells.
func (f *finder) rowTexts(i int) []string {
	n := &f.s.Nodes[i]
	row := n.Parent
	for row >= 0 && !slices.Contains(rows, f.s.Nodes[row].Role) {
		row = f.s.Nodes[row].Parent
	}
	var first, then []string
	if row >= 0 {
		f.walk(row, func(j int) bool {
			m := &f.s.Nodes[j]
			switch {
			case j == i || m.Unseen || m.Name == "" || len([]rune(m.Name)) > 60 || m.Sensitive:
			case m.Role == "heading" || m.Role == "rowheader" || m.Role == "link" && n.Role != "link":
				first = append(first, m.Name)
			default:
				then = append(then, m.Name)
			}
			return len(first)+len(then) < 30
		})
	}
	out := append(first, then...)
	if n.Row != "" && len([]rune(n.Row)) <= 80 {
		out = append(out, n.Row)
	}
	return out
}

// none says why nothing matches: which part of the locator is too narrow, and what stands there instead.
func (f *finder) none(l deed.Locator) error {
	e := &deed.Error{Op: "find", Code: deed.CodeNoMatch, Where: l.String(), SideEffects: deed.EffectsNone}
	propose := func(i int, in bool) {
		about := deed.Locator{Role: f.s.Nodes[i].Role}
		if in {
			about.Region = written(f.s.Nodes[i].Region)
		}
		if u, ok := f.unique(i, about); ok {
			e.Hint = "did you mean: " + u.String()
		}
	}
	if l.Frame != "" {
		if in := f.frames(l.Frame); !slices.Contains(in, true) {
			e.Hint, e.Err = f.noFrame(l.Frame)
			return e
		}
	}
	wide := l
	wide.Nth = 0
	if l.Near != "" {
		wide.Near = ""
		if all := f.all(wide); len(all) > 0 {
			e.Err = fmt.Errorf("no match near %q; without it %d: %s", l.Near, len(all), f.list(all, wide))
			propose(nearestRow(f, all, l.Near), l.Region != "")
			return e
		}
	}
	if l.Region != "" {
		region := wide.Region
		wide.Region = ""
		all := f.all(wide)
		if !f.hasRegion(region) {
			e.Hint, e.Err = f.noRegion(region)
			if len(all) > 0 {
				e.Err = fmt.Errorf("%w; elsewhere: %s", e.Err, f.list(all, wide))
				propose(all[0], true)
			}
			return e
		}
		if len(all) > 0 {
			e.Err = fmt.Errorf("no match in %s; elsewhere: %s", region, f.list(all, wide))
			propose(all[0], true)
			return e
		}
	}
	near := Candidates(f.s, l, listed)
	if len(near) == 0 {
		e.Err = errors.New("no match")
		if !f.s.Complete {
			e.Err = fmt.Errorf("no match, and the page was not seen completely: %s", f.s.Incomplete)
		}
		return e
	}
	e.Err = fmt.Errorf("no match, nearest: %s", f.list(near, deed.Locator{}))
	if n := &f.s.Nodes[near[0]]; l.Name == "" || l.Pattern() != nil || words.Similar(l.Name, n.Name) >= 0.5 {
		propose(near[0], l.Region != "")
	}
	return e
}

// nearestRow is the match whose row is most like the text that was asked for.
func nearestRow(f *finder, all []int, near string) int {
	return slices.MaxFunc(all, func(a, b int) int {
		score := func(i int) float64 {
			best := words.Similar(near, f.s.Nodes[i].Row)
			for _, t := range f.rowTexts(i) {
				best = max(best, words.Similar(near, t))
			}
			return best
		}
		return cmp.Compare(score(a), score(b))
	})
}

func (f *finder) hasRegion(region string) bool {
	if len(f.region(region)) > 0 {
		return true
	}
	return slices.ContainsFunc(f.s.Nodes, func(n deed.Node) bool { return beside(&n, region) })
}

func (f *finder) noRegion(region string) (hint string, err error) {
	var there []string
	for i := range f.s.Nodes {
		if n := &f.s.Nodes[i]; n.Container && !slices.Contains(there, n.Label()) {
			there = append(there, n.Label())
		}
	}
	if len(there) == 0 {
		return "", fmt.Errorf("no region %s, the page has none", region)
	}
	best := slices.MaxFunc(there, func(a, b string) int { return cmp.Compare(words.Similar(region, a), words.Similar(region, b)) })
	if words.Similar(region, best) >= 0.5 {
		hint = "did you mean: in " + written(best)
	}
	if len(there) > 8 {
		there = append(there[:8], fmt.Sprintf("%d more", len(there)-8))
	}
	return hint, fmt.Errorf("no region %s, there is %s", region, strings.Join(there, ", "))
}

func (f *finder) noFrame(frame string) (hint string, err error) {
	var there []string
	for i := range f.s.Frames {
		if i == 0 {
			continue
		}
		name := frameName(&f.s.Frames[i])
		there = append(there, strconv.Quote(name))
		if hint == "" && words.Similar(frame, name) >= 0.5 {
			hint = "did you mean: frame " + strconv.Quote(name)
		}
	}
	if len(there) == 0 {
		return "", fmt.Errorf("no frame %q, the page has none", frame)
	}
	return hint, fmt.Errorf("no frame %q, there is %s", frame, strings.Join(there, ", "))
}

// kin are roles that people take for each other.
var kin = [][]string{
	{"textbox", "searchbox", "combobox", "spinbutton"},
	{"button", "link", "tab", "menuitem", "switch", "checkbox", "radio", "option", "menuitemcheckbox", "menuitemradio", "image", "img"},
	{"combobox", "listbox", "radiogroup", "menu"},
	{"listitem", "row", "option", "treeitem", "article", "cell", "gridcell"},
	{"status", "alert", "log", "paragraph", "text", "dialog", "alertdialog", "heading"},
	{"list", "table", "grid", "listbox", "tree", "menu", "feed"},
	{"dialog", "alertdialog", "region", "group", "form"},
}

func related(a, b string) bool {
	return slices.ContainsFunc(kin, func(k []string) bool { return slices.Contains(k, a) && slices.Contains(k, b) })
}

// Candidates returns up to n nodes that the locator may have meant, nearest first: of the same role with a similar name, then
// of the same name with another role. They are for messages, never acted on.
func Candidates(s *deed.Snapshot, l deed.Locator, n int) []int {
	type scored struct {
		i     int
		score float64
	}
	f := newFinder(s)
	inFrame := f.frames(l.Frame)
	var out []scored
	want := l.Name
	if re := l.Pattern(); re != nil {
		want = strings.Map(func(r rune) rune {
			if strings.ContainsRune(`^$.*+?()[]{}|\`, r) {
				return ' '
			}
			return r
		}, strings.TrimSuffix(strings.Trim(want, "/i"), "/"))
	}
	for i := range s.Nodes {
		m := &s.Nodes[i]
		is := sameRole(m.Role, l.Role)
		var score float64
		switch {
		case want == "":
			switch {
			case is:
				score = 1
			case related(m.Role, l.Role):
				score = 0.5
			}
		case m.Name == "":
		default:
			sim := words.Similar(want, m.Name)
			switch {
			case is && sim >= 0.34:
				score = sim + 0.5
			case sim >= 0.75 && related(m.Role, l.Role):
				score = sim + 0.2
			case sim >= 0.75:
				score = sim
			}
		}
		if score == 0 {
			continue
		}
		if l.Region != "" && InRegion(s, i, l.Region) {
			score += 0.1
		}
		if inFrame != nil && inFrame[m.Frame] {
			score += 0.1
		}
		if m.Unseen {
			score -= 0.3
		}
		out = append(out, scored{i, score})
	}
	if len(out) == 0 {
		// Nothing resembles the name: what there is of the role.
		for i := range s.Nodes {
			if m := &s.Nodes[i]; sameRole(m.Role, l.Role) && !m.Unseen {
				out = append(out, scored{i, 0})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var is []int
	for _, c := range out[:min(n, len(out))] {
		is = append(is, c.i)
	}
	return is
}
