package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
)

// expectations judges by what was declared. ok is false where nothing was, and where what was declared held before
// the act already and still holds: that proves nothing, so the lower layers decide.
func (h *hearing) expectations() (deed.Judgement, bool) {
	a := &h.ev.Action
	if len(a.Expect) == 0 {
		return deed.Judgement{}, false
	}
	for i := range a.Expect {
		e := &a.Expect[i]
		ok, why := h.holds(e)
		if ok {
			continue
		}
		if !h.ev.Final && !h.ev.Signals.Closed {
			return deed.Judgement{Reason: fmt.Sprintf("nothing yet: %s does not hold: %s", e, why)}, true
		}
		return mismatch(deed.MismatchUnmet, "not as expected, %s: %s; %s", e, why, h.instead()), true
	}
	strong := -1
	for i := range a.Expect {
		if passive(a.Kind) || !weak(&a.Expect[i], h.before) {
			strong = i
			break
		}
	}
	if strong < 0 {
		return deed.Judgement{}, false
	}
	reason := asExpected(&a.Expect[strong])
	if n := len(a.Expect) - 1; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	return match(deed.BasisExpect, "%s", reason), true
}

// passive reports the kinds that only look: whatever they expect is their proof, and a thing that is there has
// appeared.
func passive(k deed.Kind) bool { return k == deed.KindWait || k == deed.KindExpect }

// holds evaluates one expectation in the snapshot after the act. A text or an element that appears may also have
// been seen in passing, in a message that is meant to pass.
func (h *hearing) holds(e *deed.Expect) (bool, string) {
	before := h.before
	if passive(h.ev.Action.Kind) {
		before = nil
	}
	if why := h.unprovable(e); why != "" {
		return false, why
	}
	ok, why := locate.Holds(before, h.after, &h.ev.Signals, e)
	if !ok && (e.Kind == deed.ExpectAppears || e.Kind == deed.ExpectText) {
		if s := h.withPassing(); s != nil {
			if seen, _ := locate.Holds(before, s, &h.ev.Signals, e); seen {
				return true, ""
			}
		}
	}
	return ok, why
}

// unprovable tells why an absence cannot be proven on a page that was not seen whole.
func (h *hearing) unprovable(e *deed.Expect) string {
	switch e.Kind {
	case deed.ExpectDisappears, deed.ExpectHidden:
	case deed.ExpectCount:
		if e.Max < 0 {
			return ""
		}
	case deed.ExpectAppears:
		if h.before.Complete || h.before == nowhere || passive(h.ev.Action.Kind) || sameBlindness(h.before, h.after) {
			return ""
		}
		return "whether it was there before is not known: " + orElse(h.before.Incomplete, "the page was not seen whole")
	default:
		return ""
	}
	if h.after.Complete || sameBlindness(h.before, h.after) {
		return ""
	}
	return "that it is not there cannot be seen: " + orElse(h.after.Incomplete, "the page was not seen whole")
}

// withPassing is the page after the act with the passing messages that were seen in between, nil when there were none.
func (h *hearing) withPassing() *deed.Snapshot {
	var toasts []deed.Node
	add := func(n deed.Node) {
		if toast(&n) || (n.Role == "text" || n.Role == "paragraph") && h.badRequest() == "" {
			n.Parent, n.Element = -1, 0
			for _, m := range toasts {
				if m.Name == n.Name && m.Role == n.Role && m.Region == n.Region && m.Value == n.Value {
					return
				}
			}
			toasts = append(toasts, n)
		}
	}
	for i := range h.ev.Passing {
		if c := &h.ev.Passing[i]; c.Kind == deed.Appeared || c.Kind == deed.Changed || c.Kind == deed.Renamed {
			add(c.After)
		}
	}
	for _, s := range h.ev.Seen {
		for i := range s.Nodes {
			n := s.Nodes[i]
			// What stood there before the act is no message of it; what is there still needs no help.
			if !has(h.before, &n) && !has(h.after, &n) {
				add(n)
			}
		}
	}
	if len(toasts) == 0 {
		return nil
	}
	s := *h.after
	s.Nodes = append(slices.Clone(s.Nodes), toasts...)
	return &s
}

// has reports whether s has a node of the same identity and value.
func has(s *deed.Snapshot, n *deed.Node) bool {
	for i := range s.Nodes {
		m := &s.Nodes[i]
		if m.Role == n.Role && m.Name == n.Name && m.Region == n.Region && m.Value == n.Value && m.Frame == n.Frame {
			return true
		}
	}
	return false
}

// weak reports whether the expectation held before the act and does not speak of a change.
func weak(e *deed.Expect, before *deed.Snapshot) bool {
	if e.AboutBefore() {
		return false
	}
	ok, _ := locate.Holds(before, before, &deed.Signals{}, e)
	return ok
}

// WeakExpectations returns a sentence for each expectation of the action that proves nothing alone, because it held
// before the act already.
func WeakExpectations(a *deed.Action, before *deed.Snapshot) []string {
	if passive(a.Kind) || before == nil {
		return nil
	}
	var out []string
	for i := range a.Expect {
		if weak(&a.Expect[i], before) {
			out = append(out, fmt.Sprintf("%s held before the %s already: alone it proves nothing", &a.Expect[i], a.Kind))
		}
	}
	return out
}

// instead tells what happened, where something else was expected.
func (h *hearing) instead() string {
	if len(h.effects) == 0 {
		for i := range h.ev.Passing {
			if c := &h.ev.Passing[i]; !h.idle(c) {
				return "what happened did not last: " + tell(c)
			}
		}
		if own := h.ownChange(); own != "" {
			return "nothing happened but that " + own
		}
		if h.blind != "" {
			return "nothing was seen to change, and " + h.blind
		}
		return "nothing changed"
	}
	s := "what happened: " + h.effects[0].line
	if f, _ := h.failure(h.effects); f != "" {
		s = fmt.Sprintf("the page says %q", clip(f))
	} else if n := len(h.effects) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// asExpected tells what was expected and holds, as a clause.
func asExpected(e *deed.Expect) string {
	l := e.Locator
	l.Region = ""
	in := func(prep string) string {
		if e.Locator.Region == "" {
			return ""
		}
		return prep + e.Locator.Region
	}
	value := fmt.Sprintf("%q", clip(e.Text))
	if e.Secret {
		value = deed.Redacted
	}
	var s string
	switch e.Kind {
	case deed.ExpectAppears:
		s = l.String() + " appeared" + in(" in ")
	case deed.ExpectDisappears:
		s = l.String() + " disappeared" + in(" from ")
	case deed.ExpectVisible:
		s = l.String() + " is there" + in(" in ")
	case deed.ExpectHidden:
		s = l.String() + " is not there" + in(" in ")
	case deed.ExpectValue:
		s = e.Locator.String() + " holds " + value
	case deed.ExpectURL:
		s = "the page is at " + e.Text
	default:
		s = strings.TrimSpace(e.String()) + " holds"
	}
	return s + ", as expected"
}

// Already reports whether the goal of the action holds before it acts: checked, the value there, the option
// chosen, the field empty, the focus there, the item in its place; and whatever was declared holds too. With an expectation that speaks of a change it never does. Held is
// the page's own answer whether a field to fill holds exactly the text, nil when it was not asked.
func Already(a *deed.Action, s *deed.Snapshot, target int, held *bool) (reason string, ok bool) {
	if s == nil || target < 0 || target >= len(s.Nodes) {
		return "", false
	}
	n := &s.Nodes[target]
	switch a.Kind {
	case deed.KindCheck, deed.KindUncheck:
		want, known := asked(a.Kind, n)
		if !known || !n.States.Has(want) || n.States.Has(deed.Mixed) {
			return "", false
		}
		reason = fmt.Sprintf("%s is %s already", n, want)
	case deed.KindFill:
		switch {
		case held != nil:
			if !*held {
				return "", false
			}
		case n.Sensitive || a.Sensitive() || !n.HasValue || n.Value != a.Text:
			return "", false
		}
		reason = fmt.Sprintf("%s holds that text already", n)
	case deed.KindSelect:
		chosen, known := chosenIn(s, target)
		if held != nil && !*held || held == nil && (!known || !sameOptions(a.Options, chosen, s, target)) {
			return "", false
		}
		reason = fmt.Sprintf("%s shows %s already", n, quoteAll(a.Options))
	case deed.KindClear:
		if !n.HasValue || n.Value != "" || held != nil && !*held {
			return "", false
		}
		reason = fmt.Sprintf("%s is empty already", n)
	case deed.KindFocus:
		if Focused(s) != target {
			return "", false
		}
		reason = fmt.Sprintf("%s has the focus already", n)
	case deed.KindDrag:
		if a.Drop == nil {
			return "", false
		}
		m := newMove(s, target, a.Drop)
		if !m.arrived(s, m.at) {
			return "", false
		}
		reason = fmt.Sprintf("%s is %s already", n, placed(a.Drop))
	default:
		return "", false
	}
	for i := range a.Expect {
		e := &a.Expect[i]
		if e.AboutBefore() {
			return "", false
		}
		if ok, _ := locate.Holds(s, s, &deed.Signals{}, e); !ok {
			return "", false
		}
	}
	return withoutSecret(a, n, reason), true
}
