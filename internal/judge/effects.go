package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// An effect is one thing that the act may have done: a change of the page, or a signal beside it.
type effect struct {
	change  *deed.Change // nil for a signal
	line    string       // for people: `listitem "T-shirt M" appeared in cart`
	came    []string     // the reading of what it brought
	went    []string     // of what it took away
	whole   []string     // of the node that it happened to, where came and went are only the difference
	message string       // what a signal says
	caused  bool
	live    bool   // an alert, a status, a dialog: text that is addressed to the user
	signal  string // url, page, download, dialog; "" for a change
}

// liveRoles address the user.
var liveRoles = []string{"alert", "alertdialog", "status", "log", "dialog"}

// toastRoles are meant to come and go.
var toastRoles = []string{"alert", "status", "log", "alertdialog"}

// layerRoles open over the page and close again.
var layerRoles = []string{"dialog", "alertdialog", "menu", "listbox"}

// gather lists what counts as an effect: all changes and signals but those that follow any gesture (focus, tooltips),
// those that say that something is under way, and a control that only disables itself.
func gather(h *hearing) []effect {
	ev := h.ev
	var out []effect
	for i := range ev.Diff.Changes {
		c := &ev.Diff.Changes[i]
		if h.idle(c) {
			continue
		}
		out = append(out, h.effectOf(c))
	}
	for i := range ev.Passing {
		c := ev.Passing[i]
		c.AfterIndex = -1 // it points into a snapshot that is gone
		if !h.idle(&c) && toast(c.Now()) && !h.stillThere(&c) {
			e := h.effectOf(&c)
			e.live = true
			out = append(out, e)
		}
	}
	if d := &ev.Diff; d.URLBefore != d.URLAfter {
		out = append(out, effect{signal: "url", line: "the page went to " + clip(d.URLAfter), message: urlText(d.URLAfter), came: newWords(urlText(d.URLBefore), urlText(d.URLAfter)), caused: h.navigated()})
	} else if d.NewDoc {
		out = append(out, effect{signal: "url", line: "the page was loaded anew", caused: h.navigated()})
	}
	if from, to := h.frameMoved(); to != "" {
		out = append(out, effect{signal: "url", line: "the frame went to " + clip(to), message: urlText(to), came: newWords(urlText(from), urlText(to)), caused: h.navigated()})
	}
	for _, p := range ev.Signals.Pages {
		text := p.Title + " " + urlText(p.URL)
		out = append(out, effect{signal: "page", line: fmt.Sprintf("page %q opened", clip(orElse(p.Title, p.URL))), message: text, came: reading(text), caused: true})
	}
	for _, d := range ev.Signals.Downloads {
		out = append(out, effect{signal: "download", line: fmt.Sprintf("file %q was downloaded", clip(d.Name)), message: fileText(d.Name), came: reading(fileText(d.Name)), caused: true})
	}
	for i := range ev.Signals.Dialogs {
		d := &ev.Signals.Dialogs[i]
		if d.Kind == "alert" || d.Expected {
			out = append(out, effect{signal: "dialog", line: fmt.Sprintf("%s %q opened", d.Kind, clip(d.Message)), message: d.Message, came: reading(d.Message), caused: true, live: true})
		}
	}
	return out
}

func (h *hearing) effectOf(c *deed.Change) effect {
	e := effect{change: c, line: tell(c), caused: c.Caused, live: h.inRole(c, liveRoles)}
	switch c.Kind {
	case deed.Renamed:
		e.came, e.went = difference(c.Before.Name, c.After.Name)
		e.whole = reading(c.After.Name)
	case deed.Changed:
		e.came, e.went = difference(shown(&c.Before), shown(&c.After))
		e.whole = reading(c.After.Name + " " + shown(&c.After))
	case deed.Disappeared:
		e.went = reading(c.Before.Name + " " + shown(&c.Before))
	default:
		e.came = reading(c.After.Name + " " + shown(&c.After))
	}
	return e
}

// shown is the value of a node as far as it may be compared.
func shown(n *deed.Node) string {
	if n.Sensitive || n.Value == deed.Redacted {
		return ""
	}
	return n.Value
}

// reading is the content words of a text, and its neighbouring words written as one: "Log in" also reads login.
func reading(text string) []string {
	out := words.Content(text)
	t := words.Tokens(text)
	for i := 0; i+1 < len(t); i++ {
		if one, ok := joinedWord(t[i], t[i+1]); ok {
			out = append(out, one)
		}
	}
	return out
}

// difference returns what is only in the reading of the text after, and only in that of the text before.
func difference(before, after string) (came, went []string) {
	a, b := reading(before), reading(after)
	left := map[string]int{}
	for _, w := range a {
		left[w]++
	}
	for _, w := range b {
		if left[w] > 0 {
			left[w]--
			continue
		}
		came = append(came, w)
	}
	for _, w := range a {
		if left[w] > 0 {
			left[w]--
			went = append(went, w)
		}
	}
	return came, went
}

func newWords(before, after string) []string {
	came, _ := difference(before, after)
	return came
}

// passing states follow the pointer and the keyboard, not the act's meaning.
const restless = deed.Focused | deed.Busy

// idle reports changes that are no effect of any act.
func (h *hearing) idle(c *deed.Change) bool {
	n := c.Now()
	if n.Volatile || n.Role == "tooltip" || n.Role == "progressbar" {
		return true
	}
	if h.covered && c.Kind == deed.Disappeared || h.uncovered && c.Kind == deed.Appeared && !slices.Contains(liveRoles, n.Role) {
		return true
	}
	switch c.Kind {
	case deed.Changed:
		if c.Before.Value == c.After.Value && (c.Before.States^c.After.States)&^restless == 0 {
			return true
		}
		if h.isTarget(c) && c.Before.Value == c.After.Value && (c.Before.States^c.After.States)&^(restless|deed.Disabled) == 0 {
			return true
		}
		if c.Before.Value != c.After.Value && underWay(c.After.Value) && !underWay(c.Before.Value) && !controlRole(n.Role) {
			return true
		}
	case deed.Renamed:
		if underWay(c.After.Name) && !underWay(c.Before.Name) {
			return true
		}
	case deed.Appeared:
		if underWay(n.Name+n.Value) && (n.Role == "status" || n.Role == "text" || n.Role == "paragraph" || n.Role == "alert") {
			return true
		}
		return h.before != nowhere && !h.before.Complete && !sameBlindness(h.before, h.after)
	case deed.Disappeared:
		return !h.after.Complete && !sameBlindness(h.before, h.after)
	}
	return false
}

// sameBlindness reports whether two snapshots are incomplete alike: the same frame was skipped both times, so what
// was seen can be compared. What a cap cut off may differ each time.
func sameBlindness(a, b *deed.Snapshot) bool {
	return !a.Complete && !b.Complete && a.Incomplete == b.Incomplete && strings.Contains(a.Incomplete, "frame")
}

// underWay reports text that says that something is still going on: "Saving…".
func underWay(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasSuffix(s, "…") || strings.HasSuffix(s, "...") || strings.HasSuffix(s, "⋯")
}

func controlRole(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox":
		return true
	}
	return false
}

func (h *hearing) isTarget(c *deed.Change) bool {
	return h.at >= 0 && (c.BeforeIndex == h.at && c.Kind != deed.Appeared || h.now >= 0 && c.AfterIndex == h.now && c.Kind != deed.Disappeared)
}

// ownChange tells what the target did to itself alone.
func (h *hearing) ownChange() string {
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if h.isTarget(c) {
			return tell(c)
		}
	}
	return ""
}

// inRole reports whether the changed node has one of the roles, or stands in one that has.
func (h *hearing) inRole(c *deed.Change, roles []string) bool {
	if slices.Contains(roles, c.Now().Role) {
		return true
	}
	s, i := h.after, c.AfterIndex
	if c.Kind == deed.Disappeared {
		s, i = h.before, c.BeforeIndex
	}
	return ancestor(s, i, roles) >= 0
}

// ancestor returns the nearest node around i with one of the roles, or -1.
func ancestor(s *deed.Snapshot, i int, roles []string) int {
	if i < 0 || i >= len(s.Nodes) {
		return -1
	}
	for p := s.Nodes[i].Parent; p >= 0 && p < len(s.Nodes); p = s.Nodes[p].Parent {
		if slices.Contains(roles, s.Nodes[p].Role) {
			return p
		}
	}
	return -1
}

// toast reports nodes that are meant to come and go.
func toast(n *deed.Node) bool {
	return slices.ContainsFunc(toastRoles, func(role string) bool { return toastOf(n, role) })
}

// toastOf reports a node of the role, or in a region of the role.
func toastOf(n *deed.Node, role string) bool {
	return n.Role == role || n.Region == role || strings.HasPrefix(n.Region, role+` "`)
}

// stillThere reports whether the element of a passing change is in another change now: it went on, it did not go.
func (h *hearing) stillThere(c *deed.Change) bool {
	if c.After.Element == 0 {
		return false
	}
	for i := range h.ev.Diff.Changes {
		d := &h.ev.Diff.Changes[i]
		if d.Kind != deed.Disappeared && d.After.Element == c.After.Element && d.After.Frame == c.After.Frame {
			return true
		}
	}
	return false
}

// navigated reports whether a request of the act brought the document.
func (h *hearing) navigated() bool {
	if h.ev.Signals.Navigated {
		return true
	}
	for _, r := range h.ev.Signals.Requests {
		if r.Nav {
			return true
		}
	}
	return h.ev.Diff.NewDoc
}

// frameMoved tells where the target's frame went, when it is not the main frame.
func (h *hearing) frameMoved() (from, to string) {
	if h.target == nil || h.target.Frame <= 0 {
		return "", ""
	}
	f := frameOf(h.before, h.target.Frame)
	for i := 1; i < len(h.after.Frames); i++ {
		if g := h.after.Frames[i]; g.ID == f.ID && f.ID != "" && g.URL != f.URL {
			return f.URL, g.URL
		}
	}
	return "", ""
}

// turnedOver reports whether the view was replaced: another page, or most of what stood there went.
func turnedOver(h *hearing) bool {
	gone := 0
	for i := range h.ev.Diff.Changes {
		if h.ev.Diff.Changes[i].Kind == deed.Disappeared {
			gone++
		}
	}
	n := len(h.before.Nodes)
	moved := h.ev.Diff.NewDoc || h.ev.Diff.URLBefore != h.ev.Diff.URLAfter
	return moved && 2*gone >= n && n > 0 || n >= 8 && 3*gone >= 2*n
}

// veil reports whether a layer opened that took all else out of sight, or closed and gave it back: what it covers
// neither went nor came.
func veil(h *hearing) (covered, uncovered bool) {
	opened, closed, gone, came := false, false, 0, 0
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		layer := slices.Contains([]string{"dialog", "alertdialog"}, c.Now().Role) || c.Now().States.Has(deed.Modal)
		switch c.Kind {
		case deed.Appeared:
			opened = opened || layer
			came++
		case deed.Disappeared:
			closed = closed || layer
			gone++
		}
	}
	return opened && 2*gone >= len(h.before.Nodes), closed && came >= 4 && 2*came >= len(h.after.Nodes)
}

// urlText is what a URL says, its punctuation apart.
func urlText(u string) string {
	if _, rest, ok := strings.Cut(u, "://"); ok {
		u = rest
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/?#&=._-+%:", r) {
			return ' '
		}
		return r
	}, u)
}

func fileText(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r == '-' {
			return ' '
		}
		return r
	}, name)
}

// tell says what a change is, as a clause.
func tell(c *deed.Change) string {
	bare := func(n *deed.Node) string {
		m := *n
		m.Region = ""
		return m.String()
	}
	place := func(prep string, n *deed.Node) string {
		if n.Region == "" {
			return ""
		}
		return prep + n.Region
	}
	switch c.Kind {
	case deed.Appeared:
		return bare(&c.After) + " appeared" + place(" in ", &c.After)
	case deed.Disappeared:
		return bare(&c.Before) + " disappeared" + place(" from ", &c.Before)
	case deed.Renamed:
		return fmt.Sprintf("%s is now %q", c.Before.String(), clip(c.After.Name))
	case deed.Moved:
		return fmt.Sprintf("%s moved to %s", bare(&c.Before)+place(" from ", &c.Before), orElse(c.After.Region, "the page"))
	}
	n := &c.After
	var parts []string
	if c.Before.Value != c.After.Value && !n.Sensitive && c.Before.Value != deed.Redacted && n.Value != deed.Redacted {
		parts = append(parts, fmt.Sprintf("went from %q to %q", clip(c.Before.Value), clip(c.After.Value)))
	} else if c.Before.Value != c.After.Value {
		parts = append(parts, "holds something else")
	}
	if gained := c.After.States &^ c.Before.States; gained != 0 {
		parts = append(parts, "is now "+gained.String())
	} else if lost := c.Before.States &^ c.After.States; lost != 0 {
		parts = append(parts, "is no longer "+lost.String())
	}
	if parts == nil {
		parts = []string{"changed"}
	}
	return n.String() + " " + strings.Join(parts, " and ")
}
