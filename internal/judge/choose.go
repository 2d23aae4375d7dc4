package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// choose judges by the option that the control has committed to.
func (h *hearing) choose() (deed.Judgement, bool) {
	a := &h.ev.Action
	if h.target == nil {
		return deed.Judgement{}, false
	}
	secret := a.Sensitive() || h.target.Sensitive
	wanted := quoteAll(a.Options)
	if secret {
		wanted = "the option"
	}
	if h.ev.Held != nil {
		if *h.ev.Held {
			return match(deed.BasisState, "%s shows %s", h.target, wanted), true
		}
		return mismatch(deed.MismatchWrongState, "%s does not show %s", h.target, wanted), true
	}
	if h.now < 0 {
		return deed.Judgement{}, false
	}
	after := &h.after.Nodes[h.now]
	chosen, known := chosenIn(h.after, h.now)
	was, wasKnown := chosenIn(h.before, h.at)
	if known && sameOptions(a.Options, chosen, h.after, h.now) {
		j := match(deed.BasisState, "%s shows %s", after, wanted)
		if wasKnown && sameOptions(a.Options, was, h.before, h.at) && len(h.effects) == 0 {
			j.Already, j.Reason = true, fmt.Sprintf("%s shows %s, as it did", after, wanted)
		}
		return j, true
	}
	if !known {
		// A control that has no value says in its name what is chosen: `button "Size: Large"`.
		if len(a.Options) == 1 && after.Name != h.target.Name && containsWords(after.Name, a.Options[0]) && !containsWords(h.target.Name, a.Options[0]) {
			return match(deed.BasisState, "%s shows %s", after, wanted), true
		}
		return deed.Judgement{}, false
	}
	if len(chosen) == 0 && len(was) == 0 && len(a.Options) == 1 && !secret {
		if j, ok := h.shownBeside(a.Options[0]); ok {
			return j, true
		}
	}
	if j, ok := h.choiceForAMoment(); ok {
		return j, true
	}
	shows := quoteAll(labels(chosen))
	switch {
	case secret:
		return mismatch(deed.MismatchWrongState, "%s does not show the option", after), true
	case len(h.effects) == 0:
		j := h.nothing()
		if j.Kind == deed.MismatchNoEffect {
			j.Reason += fmt.Sprintf(": %s still shows %s", h.target, shows)
		}
		return j, true
	case slices.Equal(labels(was), labels(chosen)):
		return mismatch(deed.MismatchWrongState, "%s still shows %s, asked for was %s", after, shows, wanted), true
	}
	return mismatch(deed.MismatchWrongState, "%s shows %s, asked for was %s", after, shows, wanted), true
}

// shownBeside judges a control that holds nothing itself and draws what is chosen as a text over or beside it: a text next to it
// became the option. Where that text stands between two such controls, it may be the other's.
func (h *hearing) shownBeside(option string) (deed.Judgement, bool) {
	s := h.after
	beside := func(i int) bool {
		n, m := &s.Nodes[i], &s.Nodes[h.now]
		return n.Role == "text" && n.Parent == m.Parent && n.Region == m.Region && n.Frame == m.Frame
	}
	for _, by := range []int{-1, 1} {
		hit, i := false, h.now+by
		for ; i >= 0 && i < len(s.Nodes) && beside(i); i += by {
			for k := range h.ev.Diff.Changes {
				c := &h.ev.Diff.Changes[k]
				hit = hit || c.AfterIndex == i && c.Kind != deed.Disappeared && words.Fold(c.After.Name) == words.Fold(option) && words.Fold(c.Before.Name) != words.Fold(option)
			}
		}
		if !hit {
			continue
		}
		if i >= 0 && i < len(s.Nodes) && s.Nodes[i].Role == h.target.Role {
			return h.doubt("text %q stands between %s and %s: nothing says whose it is", clip(option), h.target, &s.Nodes[i]), true
		}
		return match(deed.BasisState, "%s shows %q beside it", h.target, clip(option)), true
	}
	return deed.Judgement{}, false
}

// choiceForAMoment reports a choice that was seen and is gone.
func (h *hearing) choiceForAMoment() (deed.Judgement, bool) {
	if !h.ev.Final || h.target.Sensitive || len(h.ev.Action.Options) != 1 {
		return deed.Judgement{}, false
	}
	for i := range h.ev.Passing {
		c := &h.ev.Passing[i]
		if c.Kind == deed.Changed && c.BeforeIndex == h.at && c.Before.Value != c.After.Value && words.Fold(c.After.Value) == words.Fold(h.ev.Action.Options[0]) {
			return mismatch(deed.MismatchRolledBack, "%s for a moment, then the page took that back", tell(c)), true
		}
	}
	return deed.Judgement{}, false
}

// A choice is one option that is chosen.
type choice struct{ label, value string }

// chosenIn returns the options that the control has committed to: of its options the selected ones, else its value.
// What is merely highlighted is not chosen.
func chosenIn(s *deed.Snapshot, i int) ([]choice, bool) {
	var out []choice
	options := false
	for k := range s.Nodes {
		n := &s.Nodes[k]
		if n.Role != "option" || !within(s, k, i) {
			continue
		}
		if n.States&(deed.Selected|deed.Unselected|deed.Checked|deed.Unchecked) != 0 {
			options = true
		}
		if n.States.Has(deed.Selected) || n.States.Has(deed.Checked) {
			out = append(out, choice{n.Name, n.Value})
		}
	}
	if options {
		return out, true
	}
	if n := &s.Nodes[i]; n.HasValue && !n.Sensitive && n.Value != deed.Redacted {
		if n.Value == "" {
			return nil, true
		}
		return []choice{{n.Value, ""}}, true
	}
	return nil, false
}

// sameOptions reports whether exactly the asked options are chosen, by label or by value.
func sameOptions(asked []string, chosen []choice, s *deed.Snapshot, i int) bool {
	if len(chosen) == 1 && len(asked) > 1 && chosen[0].value == "" {
		// A control without visible options shows them in one line.
		return words.Fold(chosen[0].label) == words.Fold(strings.Join(asked, ", "))
	}
	if len(asked) != len(chosen) {
		return false
	}
	left := slices.Clone(chosen)
	for _, a := range asked {
		k := slices.IndexFunc(left, func(c choice) bool {
			return words.Fold(c.label) == words.Fold(a) || c.value != "" && c.value == a || labelOf(s, i, a) != "" && words.Fold(labelOf(s, i, a)) == words.Fold(c.label)
		})
		if k < 0 {
			return false
		}
		left = slices.Delete(left, k, k+1)
	}
	return true
}

// labelOf returns the label of the control's option with this value, "" for none.
func labelOf(s *deed.Snapshot, i int, value string) string {
	for k := range s.Nodes {
		if n := &s.Nodes[k]; n.Role == "option" && n.HasValue && n.Value == value && within(s, k, i) {
			return n.Name
		}
	}
	return ""
}

func labels(cs []choice) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.label
	}
	return out
}

func quoteAll(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = fmt.Sprintf("%q", clip(s))
	}
	return strings.Join(q, ", ")
}

// containsWords reports whether text holds the words of part one after another.
func containsWords(text, part string) bool {
	t, p := words.Tokens(text), words.Tokens(part)
	if len(p) == 0 {
		return false
	}
	for i := 0; i+len(p) <= len(t); i++ {
		if slices.Equal(t[i:i+len(p)], p) {
			return true
		}
	}
	return false
}
