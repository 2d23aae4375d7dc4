package record

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// A choice is an expectation that could be declared, and how much it says.
type choice struct {
	e     deed.Expect
	score int
	node  deed.NodeID // that it is about
	kind  kindred
	label string // that the node gives what stands in it
}

// kindred are nodes of one role in one region.
type kindred struct{ role, region string }

// inside is what stands in a region.
type inside string

// noise is what the page does by itself: how often an element, or what stands in its kind's place, changed while nobody acted.
type noise map[any]int

// often is how often something must have changed by itself to be noise: a late effect of a gesture changes once.
const often = 2

// learn takes in two looks between which nobody acted.
func (n noise) learn(before, now *deed.Snapshot) {
	if before.Frames[0].Doc != now.Frames[0].Doc {
		return
	}
	d := diff.Between(before, now)
	for i := range d.Changes {
		c := &d.Changes[i]
		n[nodeID(c, before, now)]++
		n[kindred{c.Key.Role, c.Key.Region}]++
		n[inside(c.Key.Region)]++
	}
}

// is reports whether a change is of what changes by itself.
func (n noise) is(c *deed.Change, before, now *deed.Snapshot) bool {
	return n[nodeID(c, before, now)] >= often || c.Before.Volatile || c.After.Volatile
}

func nodeID(c *deed.Change, before, now *deed.Snapshot) deed.NodeID {
	if c.Kind == deed.Disappeared {
		return deed.NodeID{Frame: before.Frames[c.Before.Frame].ID, Element: c.Before.Element}
	}
	return deed.NodeID{Frame: now.Frames[c.After.Frame].ID, Element: c.After.Element}
}

// holds reports whether an expectation holds after the step and did not hold before it.
func (s *Scribe) holds(before, after *deed.Snapshot, sig *deed.Signals, e *deed.Expect) bool {
	if e.Validate() != nil {
		return false
	}
	if ok, _ := locate.Holds(before, after, sig, e); !ok {
		return false
	}
	if e.AboutBefore() || e.FromSignals() {
		return true
	}
	held, _ := locate.Holds(before, before, &deed.Signals{}, e)
	return !held
}

// keep takes the expectations that say most, once all noise is known: at most so many, and no two that say the same.
func (s *Scribe) keep(all []choice, limit int) []deed.Expect {
	var out []deed.Expect
	said := map[string]bool{}
	best := 0
	for i, c := range all {
		if s.noise[c.node] >= often || s.noise[c.kind] >= 2*often || c.label != "" && s.noise[inside(c.label)] >= 3*often {
			continue
		}
		word := words.Fold(c.e.Locator.Name + c.e.Text)
		if said[word] && word != "" {
			continue
		}
		if len(out) == 0 {
			best = c.score
		}
		if len(out) > 0 && (c.score < 25 || c.score < best/2) {
			break
		}
		said[word] = true
		out = append(out, all[i].e)
		if len(out) == limit {
			break
		}
	}
	return out
}

var (
	clock  = regexp.MustCompile(`\d:\d\d:\d\d|(?i)\b(ago|just now|seconds?|vor \d+)\b`)
	times  = regexp.MustCompile(`\b\d{1,2}:\d\d\b|\b\d{4}-\d\d-\d\d\b`)
	longID = regexp.MustCompile(`\d{6,}|[0-9a-f]{8}-[0-9a-f]{4}`)
)

// longest name that an expectation repeats whole.
const longest = 80

// choices lists what could be expected of a step, best first.
func (s *Scribe) choices(d *draft) []choice {
	out := s.choicesAt(d, d.after)
	if d.first != nil && d.first != d.after {
		if len(out) == 0 {
			return s.choicesAt(d, d.first)
		}
		for i := range out {
			if s.holds(d.before, d.first, &d.signals, &out[i].e) {
				out[i].score += 10
			}
		}
		sortChoices(out)
	}
	return out
}

func sortChoices(c []choice) {
	slices.SortStableFunc(c, func(a, b choice) int { return cmp.Compare(b.score, a.score) })
}

func (s *Scribe) choicesAt(d *draft, after *deed.Snapshot) []choice {
	var out []choice
	add := func(c choice) {
		if c.score > 0 && s.holds(d.before, after, &d.signals, &c.e) {
			out = append(out, c)
		}
	}
	for _, c := range s.signalled(d) {
		add(c)
	}
	df := diff.Between(d.before, after)
	elsewhere := df.NewDoc && d.before.Frames[0].Doc != after.Frames[0].Doc
	if df.URLAfter != df.URLBefore {
		for _, whole := range []bool{true, false} {
			c := choice{e: deed.URL(globOf(after.URL, whole && len(s.secrets) == 0)), score: 36}
			if s.holds(d.before, after, nil, &c.e) {
				add(c)
				break
			}
		}
	}
	if elsewhere {
		for i := range after.Nodes {
			if n := &after.Nodes[i]; n.Role == "heading" && n.Name != "" && !n.Unseen && len(n.Name) <= longest {
				add(choice{e: deed.Expect{Kind: deed.ExpectAppears, Locator: deed.Find("heading", n.Name)}, score: 34 - min(len(out), 3)})
			}
		}
	}
	appeared := map[int]bool{}
	alike := map[kindred]int{} // so many of a kind came at once
	for i := range df.Changes {
		if c := &df.Changes[i]; c.Kind == deed.Appeared {
			appeared[c.AfterIndex] = true
			alike[kindred{c.Key.Role, c.Key.Region}]++
		}
	}
	told := targetWords(d)
	for i := range df.Changes {
		c := &df.Changes[i]
		if s.noise.is(c, d.before, after) {
			continue
		}
		e, score := s.expectation(d, after, c)
		if score <= 0 {
			continue
		}
		score += 15 * min(3, shared(told, c))
		if c.Kind == deed.Appeared && c.After.Parent >= 0 && appeared[c.After.Parent] {
			score -= 6
		}
		if alike[kindred{c.Key.Role, c.Key.Region}] > 2 {
			score -= 10
		}
		if elsewhere {
			score -= 20
		}
		id, label := nodeID(c, d.before, after), ""
		if c.Now().Container {
			label = c.Now().Label()
		}
		add(choice{e: e, score: score, node: id, kind: kindred{c.Key.Role, c.Key.Region}, label: label})
	}
	if d.a.Kind == deed.KindFill { // that the field holds it is proven anyway
		out = slices.DeleteFunc(out, func(c choice) bool { return c.score < 30 })
	}
	sortChoices(out)
	return out
}

// signalled are expectations of what happened beside the content.
func (s *Scribe) signalled(d *draft) []choice {
	if len(s.secrets) > 0 {
		return nil // the browser tells these, and nobody there knows what a secret is
	}
	var out []choice
	for _, x := range d.signals.Downloads {
		out = append(out, choice{e: deed.Expect{Kind: deed.ExpectDownload, Text: x.Name}, score: 60})
	}
	for _, x := range d.signals.Pages {
		text := x.Title
		if text == "" || strings.HasSuffix(x.URL, text) {
			text = path(x.URL)
		}
		out = append(out, choice{e: deed.Expect{Kind: deed.ExpectPopup, Text: text}, score: 60})
	}
	for _, x := range d.signals.Dialogs {
		if x.Message != "" && len(x.Message) <= 200 && x.Kind != "beforeunload" {
			out = append(out, choice{e: deed.Expect{Kind: deed.ExpectDialog, Text: x.Message}, score: 48})
		}
	}
	for _, x := range d.signals.Requests {
		if x.Method != "GET" && x.Done && x.Status > 0 && x.Status < 400 && !x.Nav {
			e := deed.Expect{Kind: deed.ExpectRequest, Request: deed.RequestSpec{Method: x.Method, URL: globOf(x.URL, false), Status: x.Status}}
			out = append(out, choice{e: e, score: 26})
		}
	}
	return out
}

// weight is how much a change of a node of this role says.
func weight(role string) int {
	switch role {
	case "status", "alert":
		return 30
	case "log":
		return 6
	case "dialog", "alertdialog", "tooltip":
		return 28
	case "heading":
		return 22
	case "listitem", "row", "article", "treeitem", "option", "tabpanel", "listbox", "menu":
		return 18
	case "text", "paragraph":
		return 8
	case "list", "table", "grid", "rowgroup", "group", "region", "main", "navigation", "form", "banner", "complementary", "contentinfo", "generic", "iframe", "document", "caption":
		return 2
	case "img", "figure", "separator", "progressbar", "timer", "marquee":
		return -20
	}
	return 12
}

// expectation makes an expectation of one change. A score of 0 is none.
func (s *Scribe) expectation(d *draft, after *deed.Snapshot, c *deed.Change) (deed.Expect, int) {
	n := c.Now()
	if n.Unseen || n.Sensitive || clock.MatchString(n.Name) || strings.Contains(n.Name, deed.Redacted) || deed.TextPattern(n.Name) != nil {
		return deed.Expect{}, 0
	}
	score := weight(n.Role)
	if longID.MatchString(n.Name) {
		score -= 15
	}
	if t := times.FindString(n.Name); t != "" && !strings.Contains(d.node().Name+d.node().Row+d.a.Text, t) {
		score -= 12
	}
	own := c.Kind != deed.Appeared && d.target >= 0 && c.BeforeIndex == d.target
	switch c.Kind {
	case deed.Appeared, deed.Renamed:
		if n.Name == "" {
			return deed.Expect{}, 0
		}
		if len(n.Name) > longest {
			at := strings.LastIndexByte(n.Name[:longest], ' ')
			if at < 20 {
				return deed.Expect{}, 0
			}
			return deed.Text(n.Name[:at]), score/2 - 4
		}
		if n.Behind {
			return deed.Expect{}, 0
		}
		e := deed.Expect{Kind: deed.ExpectAppears, Locator: deed.Find(n.Role, n.Name)}
		if !s.holds(d.before, after, nil, &e) {
			l, ok := locate.Shortest(after, c.AfterIndex)
			if !ok || l.Nth > 0 {
				return deed.Expect{}, 0
			}
			e.Locator = l
		}
		if own {
			score += 12
		}
		return e, score + 8
	case deed.Disappeared:
		l, ok := locate.Shortest(d.before, c.BeforeIndex)
		if !ok || l.Nth > 0 || l.Name == "" || len(l.Name) > longest {
			return deed.Expect{}, 0
		}
		if own {
			score += 12
		}
		if n.Role == "option" || strings.HasPrefix(n.Role, "menuitem") || d.before.URL != after.URL {
			score -= 25 // a list that closes, a page that is left
		}
		return deed.Expect{Kind: deed.ExpectDisappears, Locator: l}, score + 4
	case deed.Changed:
		l, ok := locate.Shortest(after, c.AfterIndex)
		if !ok || l.Nth > 0 || n.Behind {
			return deed.Expect{}, 0
		}
		if name, is, ok := gained(c); ok {
			if own && (d.a.Kind == deed.KindCheck || d.a.Kind == deed.KindUncheck) {
				return deed.Expect{}, 0 // it is what the step does
			}
			if own {
				score += 14
			}
			return deed.Expect{Kind: deed.ExpectState, Locator: l, States: map[string]bool{name: is}}, score + 6
		}
		if !c.After.HasValue && c.Before.Value != c.After.Value && c.After.Value != "" && c.After.Name != "" && len(c.After.Value) <= longest && !clock.MatchString(c.After.Value) {
			return deed.Text(c.After.Value).In(c.After.Label()), score + 8 // what a named status says
		}
		if c.After.HasValue && c.Before.Value != c.After.Value && c.After.Value != "" && c.After.Value != deed.Redacted && len(c.After.Value) <= longest {
			if own && (d.a.Kind == deed.KindFill || d.a.Kind == deed.KindSelect) {
				return deed.Expect{}, 0
			}
			if clock.MatchString(c.After.Value) {
				return deed.Expect{}, 0
			}
			if own {
				score += 14
			}
			return deed.Expect{Kind: deed.ExpectValue, Locator: l, Text: c.After.Value}, score + 8
		}
	}
	return deed.Expect{}, 0
}

// gained is the state that a change brought, in the words of expectations.
func gained(c *deed.Change) (name string, is, ok bool) {
	now, was := c.After.States, c.Before.States
	for _, x := range []struct {
		bit  deed.State
		name string
		is   bool
	}{{deed.Checked, "checked", true}, {deed.Unchecked, "checked", false}, {deed.Pressed, "pressed", true}, {deed.Unpressed, "pressed", false},
		{deed.Selected, "selected", true}, {deed.Expanded, "expanded", true}, {deed.Collapsed, "expanded", false}, {deed.Invalid, "invalid", true}} {
		if now.Has(x.bit) && !was.Has(x.bit) {
			return x.name, x.is, true
		}
	}
	switch {
	case now.Has(deed.Disabled) && !was.Has(deed.Disabled):
		return "disabled", true, true
	case was.Has(deed.Disabled) && !now.Has(deed.Disabled):
		return "disabled", false, true
	}
	return "", false, false
}

// targetWords are the words by which a person would tell what the step is about: those of the target and its row that most others of its
// role do not have, and what was put in.
func targetWords(d *draft) map[string]bool {
	n := d.node()
	others, many := map[string]int{}, 0
	if d.target >= 0 {
		for i := range d.before.Nodes {
			if o := &d.before.Nodes[i]; i != d.target && o.Role == n.Role && o.Name != n.Name {
				many++
				for _, w := range words.Tokens(o.Name) {
					others[w]++
				}
			}
		}
	}
	out := map[string]bool{}
	for _, w := range words.Tokens(n.Name + " " + n.Row) {
		if 2*others[w] <= many {
			out[w] = true
		}
	}
	held := ""
	if !n.Sensitive {
		held = n.Value
	}
	for _, w := range words.Tokens(held + " " + d.a.Text + " " + strings.Join(d.a.Options, " ")) {
		out[w] = true
	}
	return out
}

// shared counts the words of the target that a change says.
func shared(told map[string]bool, c *deed.Change) int {
	seen := map[string]bool{}
	for _, w := range words.Tokens(c.Now().Name + " " + c.Now().Value) {
		if told[w] {
			seen[w] = true
		}
	}
	return len(seen)
}

func path(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Path == "" {
		return raw
	}
	return u.Path
}

var segmentID = regexp.MustCompile(`^(\d+|[0-9a-fA-F-]{16,}|[A-Za-z0-9_-]{20,})$`)

// globOf is a glob for an address, wherever the application stands: its path, with anything for what is an id, and, where it is asked for
// and says something, what stands behind it.
func globOf(raw string, whole bool) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" && u.Scheme != "file" {
		return raw
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, p := range parts {
		if segmentID.MatchString(p) && i > 0 {
			parts[i] = "*"
		}
	}
	glob := "**" + strings.Join(parts, "/")
	rest := ""
	if u.RawQuery != "" {
		rest += "?" + u.RawQuery
	}
	if u.Fragment != "" {
		rest += "#" + u.EscapedFragment()
	}
	switch {
	case rest == "":
		return glob
	case whole && len(rest) <= 60 && !longID.MatchString(rest) && !strings.Contains(rest, "*"):
		return glob + rest
	}
	return strings.TrimSuffix(glob, "*") + "**"
}
