package judge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// press judges by what the key does where it was pressed.
func (h *hearing) press() (deed.Judgement, bool) {
	key := h.ev.Action.Key
	if j, ok := h.selected(key); ok {
		return j, true
	}
	if i := strings.LastIndexByte(key, '+'); i > 0 && i < len(key)-1 {
		mods := key[:i]
		if !strings.EqualFold(mods, "shift") {
			return deed.Judgement{}, false // a shortcut: whatever it does is an effect like any other
		}
		if k := key[i+1:]; k == "Tab" {
			key = k
		}
	}
	switch key {
	case "Enter", "NumpadEnter":
		return h.pressEnter()
	case " ", "Space":
		if h.target != nil {
			if textRole(h.target.Role) {
				return h.typed(" ")
			}
			return h.click()
		}
	case "Escape":
		return h.pressEscape()
	case "Tab":
		return h.pressTab()
	case "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown":
		return h.pressArrow()
	case "Backspace", "Delete":
		return h.erased()
	default:
		if utf8.RuneCountInString(key) == 1 {
			return h.typed(key)
		}
	}
	return deed.Judgement{}, false
}

// selected judges the keys whose effect in a field is the caret and the selection alone: Control+A covers all that the field holds,
// arrows, Home and End move. It is read in the field that has the focus, after the press; what else such a key does there is an
// effect like any other.
func (h *hearing) selected(key string) (deed.Judgement, bool) {
	s := h.ev.Signals.Selection
	if s == nil || !h.ev.Witness.Delivered {
		return deed.Judgement{}, false
	}
	switch key {
	case "Control+a", "Control+A", "Ctrl+a", "Ctrl+A", "Meta+a", "Meta+A", "Command+a", "Command+A":
		if s.All {
			j := match(deed.BasisState, "all that %s holds is selected", h.asked())
			j.Already = !s.Moved && len(h.effects) == 0
			return j, true
		}
		return deed.Judgement{}, false
	}
	name := key[strings.LastIndexByte(key, '+')+1:]
	if len(h.effects) > 0 || h.target == nil || h.now < 0 || !movesCaret(name, h.target) {
		return deed.Judgement{}, false
	}
	shift := strings.Contains(key, "Shift+")
	switch {
	case !s.Moved && !shift && (name == "Home" && s.Start || name == "End" && s.End):
		return deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Already: true, Reason: "the caret in " + h.target.String() + " stands there, as it did"}, true
	case !s.Moved:
		return deed.Judgement{}, false
	case shift:
		return match(deed.BasisState, "the selection in %s has changed", h.target), true
	}
	return match(deed.BasisState, "the caret in %s has moved", h.target), true
}

// movesCaret reports keys whose meaning in this field is to move the caret: not where a list is open or a value is stepped.
func movesCaret(key string, n *deed.Node) bool {
	switch key {
	case "ArrowLeft", "ArrowRight", "Home", "End":
	case "ArrowUp", "ArrowDown", "PageUp", "PageDown":
		if n.Role != "textbox" {
			return false
		}
	default:
		return false
	}
	return textRole(n.Role) && !n.States.Has(deed.Expanded)
}

func (h *hearing) pressEnter() (deed.Judgement, bool) {
	if h.target != nil && h.target.Role == "textbox" && h.now >= 0 {
		// In a field of several lines it makes a line.
		if b, a := h.target.Value, h.after.Nodes[h.now].Value; !h.target.Sensitive && inserted(b, a, "\n") {
			return match(deed.BasisState, "%s has a new line", h.target), true
		}
	}
	if j, ok := h.refusedForm(); ok {
		return j, true
	}
	if h.target == nil {
		return h.sent()
	}
	switch h.target.Role {
	case "link", "button", "option", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "treeitem", "switch":
		return h.click()
	}
	if j, ok := h.sent(); ok {
		return j, true
	}
	// The form's request went out, or the page handled the key.
	if textRole(h.target.Role) && !h.ev.Pending && len(h.effects) > 0 && h.badRequest() == "" {
		live, _, _ := h.sortOut()
		if f, _ := h.failure(live); f == "" && h.plainFailure(live) == "" {
			for _, r := range h.ev.Signals.Requests {
				if r.Done && r.Status > 0 && r.Status < 400 {
					return match(deed.BasisState, "Enter in %s sent %s %s; %s", h.target, orElse(r.Method, "GET"), clip(r.URL), h.effects[0].line), true
				}
			}
		}
	}
	return deed.Judgement{}, false
}

// pressEscape looks for a layer that went, or a field that was cleared.
func (h *hearing) pressEscape() (deed.Judgement, bool) {
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		switch {
		case c.Kind == deed.Disappeared && (slices.Contains(layerRoles, c.Before.Role) || c.Before.States.Has(deed.Modal)):
			return match(deed.BasisState, "%s", tell(c)), true
		case c.Kind == deed.Changed && c.Before.States.Has(deed.Expanded) && c.After.States.Has(deed.Collapsed):
			return match(deed.BasisState, "%s", tell(c)), true
		case h.isTarget(c) && c.Kind == deed.Changed && c.Before.Value != "" && c.After.Value == "" && textRole(c.After.Role):
			return match(deed.BasisState, "%s was cleared", &c.After), true
		}
	}
	return deed.Judgement{}, false
}

// pressTab looks whether the focus moved.
func (h *hearing) pressTab() (deed.Judgement, bool) {
	was, is := Focused(h.before), Focused(h.after)
	switch {
	case is >= 0 && (was < 0 || h.at >= 0 && is != h.now && was == h.at || was != h.at && counterpart(h.before, h.after, was) != is):
		return match(deed.BasisState, "the focus is on %s", &h.after.Nodes[is]), true
	case was >= 0 && is < 0:
		return match(deed.BasisState, "the focus left %s", &h.before.Nodes[was]), true
	}
	return deed.Judgement{}, false
}

// pressArrow looks for another active option, tab or value.
func (h *hearing) pressArrow() (deed.Judgement, bool) {
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Kind != deed.Changed {
			continue
		}
		gained := c.After.States &^ c.Before.States
		switch {
		case h.isTarget(c) && c.Before.Value != c.After.Value:
			return match(deed.BasisState, "%s", tell(c)), true
		case gained&(deed.Selected|deed.Checked|deed.Current) != 0 && activeRole(c.After.Role):
			return match(deed.BasisState, "%s", tell(c)), true
		case h.isTarget(c) && gained&(deed.Expanded|deed.Collapsed) != 0:
			return match(deed.BasisState, "%s", tell(c)), true
		}
	}
	if is := Focused(h.after); is >= 0 && activeRole(h.after.Nodes[is].Role) {
		if was := Focused(h.before); was < 0 || counterpart(h.before, h.after, was) != is {
			return match(deed.BasisState, "the focus is on %s", &h.after.Nodes[is]), true
		}
	}
	return deed.Judgement{}, false
}

func activeRole(role string) bool {
	switch role {
	case "option", "tab", "radio", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "row", "gridcell", "cell", "listitem", "button", "link":
		return true
	}
	return false
}

// typed looks for the character in the field.
func (h *hearing) typed(char string) (deed.Judgement, bool) {
	if h.target == nil || h.now < 0 || !textRole(h.target.Role) && !h.target.HasValue {
		return deed.Judgement{}, false
	}
	b, a := h.target, &h.after.Nodes[h.now]
	if b.Sensitive || a.Sensitive {
		if b.Value == "" && a.Value != "" {
			return match(deed.BasisState, "%s is no longer empty", b), true
		}
		return deed.Judgement{}, false
	}
	switch {
	case inserted(b.Value, a.Value, char), a.Value != b.Value && fit(b.Value+char, a.Value) != misfits:
		return match(deed.BasisState, "%s holds %q", a, clip(a.Value)), true
	case a.Value != b.Value && strings.Contains(a.Value, char) && len(a.Value) <= len(b.Value):
		return match(deed.BasisState, "%s holds %q: the key replaced what was selected", a, clip(a.Value)), true
	case a.Value != b.Value:
		return mismatch(deed.MismatchWrongState, "%s holds %q, which is not %q with %q put in", a, clip(a.Value), clip(b.Value), char), true
	}
	return deed.Judgement{}, false
}

// erased looks for a field that lost something, and nothing else.
func (h *hearing) erased() (deed.Judgement, bool) {
	if h.target == nil || h.now < 0 || !textRole(h.target.Role) {
		return deed.Judgement{}, false
	}
	b, a := h.target, &h.after.Nodes[h.now]
	if b.Sensitive || a.Sensitive || a.Value == b.Value {
		return deed.Judgement{}, false
	}
	if len(a.Value) < len(b.Value) {
		return match(deed.BasisState, "%s holds %q", a, clip(a.Value)), true
	}
	return mismatch(deed.MismatchWrongState, "%s holds %q, before it held %q", a, clip(a.Value), clip(b.Value)), true
}

// inserted reports whether after is before with s put in at one place.
func inserted(before, after, s string) bool {
	before, after = lines(before), lines(after)
	if len(after) != len(before)+len(s) {
		return false
	}
	head, tail := 0, 0 // how far both agree from either end
	for head < len(before) && before[head] == after[head] {
		head++
	}
	for tail < len(before) && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for i := len(before) - tail; i <= head; i++ {
		if after[i:i+len(s)] == s {
			return true
		}
	}
	return false
}
