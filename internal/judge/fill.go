package judge

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/deed-dev/deed"
)

// fill judges by what the field holds.
func (h *hearing) fill() (deed.Judgement, bool) {
	ev, a := h.ev, &h.ev.Action
	if h.target == nil {
		return deed.Judgement{}, false
	}
	secret := a.Sensitive() || h.target.Sensitive
	value, known := "", false
	if ev.Held != nil {
		if *ev.Held {
			return match(deed.BasisState, "%s holds exactly %s", h.target, h.quoted(a.Text, secret)), true
		}
		value, known = ev.FieldValue, true
	} else if h.now >= 0 && !secret && !h.after.Nodes[h.now].Sensitive {
		n := &h.after.Nodes[h.now]
		value, known = n.Value, n.HasValue
	}
	if !known {
		if secret && len(h.effects) > 0 {
			return h.doubt("what %s holds is hidden, and the page was not asked whether it is the text", h.target), true
		}
		return h.fieldGone()
	}
	if h.now >= 0 && h.after.Nodes[h.now].Sensitive {
		secret = true
	}
	if !secret {
		switch f := fit(a.Text, value); {
		case f != exactly && h.target.Value != "" && lines(value) == lines(h.target.Value+a.Text):
			// The old text and the new one, whatever they look like together.
		case f == exactly:
			return match(deed.BasisState, "%s holds exactly %q", h.target, clip(a.Text)), true
		case f == formatted:
			return match(deed.BasisState, "%s holds %q, formatted by the field as %q", h.target, clip(a.Text), clip(value)), true
		}
	}
	if j, ok := h.heldForAMoment(); ok {
		return j, true
	}
	if other := h.otherField(); other != nil {
		return mismatch(deed.MismatchWrongState, "the text went to another field: %s changed, asked for was %s", other, h.target), true
	}
	if secret {
		return mismatch(deed.MismatchWrongState, "%s does not hold the text", h.target), true
	}
	return mismatch(deed.MismatchWrongState, "%s %s", h.target, misfit(a.Text, value, h.target.Value)), true
}

// fieldGone judges an act on a field whose value is not to be had any more. What else happened says nothing of the text: another
// field may have taken it, or none.
func (h *hearing) fieldGone() (deed.Judgement, bool) {
	switch {
	case len(h.effects) == 0:
		return deed.Judgement{}, false
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: what " + h.target.String() + " holds is not known"}, true
	}
	return h.doubt("%s is gone, and what it held is not known; %s", h.target, h.effects[0].line), true
}

func (h *hearing) quoted(text string, secret bool) string {
	if secret {
		return "the text"
	}
	return fmt.Sprintf("%q", clip(text))
}

// otherField returns the text control other than the target that changed while the target did not.
func (h *hearing) otherField() *deed.Node {
	var other *deed.Node
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Kind != deed.Changed || c.Before.Value == c.After.Value {
			continue
		}
		if h.isTarget(c) {
			return nil
		}
		if textRole(c.After.Role) && other == nil {
			other = &c.After
		}
	}
	return other
}

func textRole(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "spinbutton":
		return true
	}
	return false
}

// heldForAMoment reports a wanted value or state of the target that was seen and is gone.
func (h *hearing) heldForAMoment() (deed.Judgement, bool) {
	if h.target == nil || !h.ev.Final {
		return deed.Judgement{}, false
	}
	for i := range h.ev.Passing {
		c := &h.ev.Passing[i]
		if c.Kind != deed.Changed || c.BeforeIndex != h.at || c.Before.Value == c.After.Value && (c.Before.States^c.After.States)&^restless == 0 {
			continue
		}
		want, known := asked(h.ev.Action.Kind, h.target)
		hit := known && c.After.States.Has(want) && !h.target.States.Has(want)
		shows := !h.target.Sensitive && !h.ev.Action.Sensitive()
		switch text := h.ev.Action.Text; h.ev.Action.Kind {
		case deed.KindFill:
			hit = shows && fit(text, c.After.Value) != misfits
		case deed.KindClear:
			hit = shows && c.After.Value == ""
		case deed.KindType:
			hit = shows && (inserted(c.Before.Value, c.After.Value, text) || grown(c.Before.Value, c.After.Value, text))
		}
		if !hit {
			continue
		}
		reason := tell(c) + " for a moment, then the page took that back"
		if f, _ := h.failure(h.effects); f != "" {
			reason += fmt.Sprintf(": it says %q", clip(f))
		}
		return mismatch(deed.MismatchRolledBack, "%s", reason), true
	}
	return deed.Judgement{}, false
}

type fitting int

const (
	misfits fitting = iota
	exactly
	formatted
)

// fit compares the text that was to be filled in with what the field holds. Formatted means that the field only put
// separators of its own between the same letters and digits.
func fit(text, value string) fitting {
	text, value = lines(text), lines(value)
	if text == value || norm.NFC.String(text) == norm.NFC.String(value) {
		return exactly
	}
	if separated(text, value) && !decimalised(text, value) || international(text, value) {
		return formatted
	}
	return misfits
}

// international reports a phone number to which the field put the country code of its mask: 2125550187 → +1 (212) 555-0187. All its
// digits follow the code in their order, apart from it. Other digits that a field puts in are not told from digits it swapped.
func international(text, value string) bool {
	digits := alnum(text)
	if len(digits) < 7 || strings.HasPrefix(text, "+") || strings.IndexFunc(text, func(r rune) bool { return !isDigit(r) && !isSeparator(r) }) >= 0 {
		return false
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(value), "+")
	end := strings.IndexFunc(rest, func(r rune) bool { return !isDigit(r) })
	if !ok || end < 1 || end > 3 || !strings.ContainsRune(" (-\u00a0", []rune(rest[end:])[0]) {
		return false
	}
	// The first digits of the number once more are no code but digits that were doubled.
	return !strings.HasPrefix(string(digits), rest[:end]) && separated(text, strings.TrimLeft(rest[end:], " -\u00a0"))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// lines levels line ends, as a textarea does.
func lines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// separated reports whether value is text with separators put in. A blank or hyphen of the text between two letters
// or digits may have become other separators; every other character of the text must stand in the value.
func separated(text, value string) bool {
	t, v := []rune(norm.NFC.String(text)), []rune(norm.NFC.String(value))
	if len(alnum(text)) == 0 {
		return false
	}
	i := 0
	for j := 0; j < len(v); {
		switch {
		case i < len(t) && v[j] == t[i]:
			i++
			j++
		case i < len(t) && i > 0 && i+1 < len(t) && soft(t[i]) && isSeparator(v[j]) && wordRune(t[i-1]):
			i++ // replaced; v[j] is looked at again as an inserted one
		case isSeparator(v[j]):
			j++
		default:
			return false
		}
	}
	if i < len(t) {
		return false
	}
	// A sign or a bracket around the whole would change what a number says.
	if len(v) > 0 && numeric(text) && !strings.HasPrefix(text, "-") {
		first := strings.TrimSpace(string(v))
		if strings.HasPrefix(first, "-") || strings.HasPrefix(first, "−") || strings.HasPrefix(first, "(") && strings.HasSuffix(first, ")") {
			return false
		}
	}
	return true
}

// decimalised reports whether the separators that the field put into a number make it another number: 1000 → 10.00.
func decimalised(text, value string) bool {
	if !numeric(text) {
		return false
	}
	v := strings.TrimFunc(value, func(r rune) bool { return !unicode.IsDigit(r) })
	points := strings.FieldsFunc(v, func(r rune) bool { return r == '.' || r == ',' || r == '٫' || r == '٬' })
	had := strings.ContainsAny(text, ".,٫٬")
	if len(points) < 2 {
		return false
	}
	if had {
		// The text has a decimal point of its own: whatever the field puts before it must group thousands.
		whole, _, _ := strings.Cut(text, lastPoint(text))
		_, frac := cutLast(v)
		_, textFrac := cutLast(text)
		return frac != textFrac || len(alnum(whole)) == 0
	}
	last := points[len(points)-1]
	digits := 0
	for _, r := range last {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if len(points) == 2 {
		return digits != 3 || len(points[0]) > 3 && !strings.ContainsAny(points[0], " '’\u00a0\u202f")
	}
	// Several: 1,234,567 groups, 01.02.2026 is a date, 1,234.56 has a decimal part.
	seps := map[rune]bool{}
	for _, r := range v {
		if r == '.' || r == ',' {
			seps[r] = true
		}
	}
	return len(seps) > 1 && digits != 3
}

func lastPoint(s string) string {
	i := strings.LastIndexAny(s, ".,٫٬")
	if i < 0 {
		return "."
	}
	for _, r := range s[i:] {
		return string(r)
	}
	return "."
}

func cutLast(s string) (head, tail string) {
	i := strings.LastIndexAny(s, ".,٫٬")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], ".,٫٬")
}

func numeric(s string) bool {
	some := false
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			some = true
		case r == '.' || r == ',' || r == '-' || r == '+' || r == '٫' || r == '٬' || unicode.IsSpace(r):
		default:
			return false
		}
	}
	return some
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ')' }

// soft are separators of the text that a mask may render in its own way.
func soft(r rune) bool { return r == ' ' || r == '-' || r == '\u00a0' }

// isSeparator reports runes that a mask puts between letters and digits.
func isSeparator(r rune) bool {
	return unicode.IsSpace(r) && r != '\n' || strings.ContainsRune("-‐‑–.,/:()'’+_٫٬%", r) || unicode.Is(unicode.Sc, r)
}

// alnum returns the letters and digits of s.
func alnum(s string) []rune {
	var out []rune
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, foldRune(r))
		}
	}
	return out
}

func foldRune(r rune) rune { return unicode.ToLower(r) }

// misfit says how the value differs from the text, in the words of what most likely happened to it.
func misfit(text, value, before string) string {
	text, value, before = lines(text), lines(value), lines(before)
	t, v := clip(text), clip(value)
	switch {
	case value == "":
		return fmt.Sprintf("refused the text: it is empty, asked for was %q", t)
	case value == before:
		return fmt.Sprintf("refused the text: it holds %q, asked for was %q", v, t)
	case strings.EqualFold(value, text):
		return fmt.Sprintf("changed the case: it holds %q, asked for was %q", v, t)
	case value == strings.TrimSpace(text):
		return fmt.Sprintf("dropped the blanks at the ends: it holds %q, asked for was %q", v, t)
	case strings.HasPrefix(text, value) || strings.HasSuffix(text, value):
		return fmt.Sprintf("cut the text: it holds %q, asked for was %q", v, t)
	case before != "" && (value == before+text || value == text+before):
		return fmt.Sprintf("kept its old text: it holds %q, asked for was %q", v, t)
	case separated(text, value):
		return fmt.Sprintf("made another number of it: it holds %q, asked for was %q", v, t)
	}
	return fmt.Sprintf("holds %q, asked for was %q", v, t)
}
