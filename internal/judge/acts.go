package judge

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// hover judges by the pointer: it is over the element. That is the goal; what it revealed is listed.
func (h *hearing) hover() (deed.Judgement, bool) {
	switch {
	case h.ev.Signals.Hovered:
		return match(deed.BasisState, "the pointer is over %s%s", h.asked(), h.revealed()), true
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: the pointer is not over " + h.asked()}, true
	case h.now < 0 && len(h.effects) > 0:
		return deed.Judgement{}, false // it gave way to something else: whose that is, attribution says
	case h.ev.Witness.Delivered:
		return mismatch(deed.MismatchWrongState, "the pointer came to %s and is not over it any more; %s", h.asked(), h.instead()), true
	}
	return mismatch(deed.MismatchNotDelivered, "the pointer is not over %s", h.asked()), true
}

// revealed lists what came with a hover or the focus, tooltips too.
func (h *hearing) revealed() string {
	const most = 4
	var lines []string
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Now().Volatile || c.Kind == deed.Changed && c.Before.Value == c.After.Value && (c.Before.States^c.After.States)&^restless == 0 {
			continue
		}
		lines = append(lines, tell(c))
	}
	if n := len(lines); n > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more", n-most))
	}
	if lines == nil {
		return ""
	}
	return "; " + strings.Join(lines, "; ")
}

// focus judges by where the focus is.
func (h *hearing) focus() (deed.Judgement, bool) {
	if h.target == nil {
		return deed.Judgement{}, false
	}
	is := Focused(h.after)
	if h.ev.Signals.Focused || h.now >= 0 && is >= 0 && (is == h.now || within(h.after, is, h.now)) {
		j := match(deed.BasisState, "the focus is on %s%s", h.target, h.revealed())
		if Focused(h.before) == h.at {
			j.Already = true
		}
		return j, true
	}
	switch {
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: the focus is not on " + h.target.String()}, true
	case h.now < 0 && len(h.effects) > 0:
		return deed.Judgement{}, false
	case is >= 0:
		return mismatch(deed.MismatchWrongState, "the focus is on %s, asked for was %s", &h.after.Nodes[is], h.target), true
	}
	return mismatch(deed.MismatchWrongState, "%s did not take the focus", h.target), true
}

// cleared judges by an empty field. A mask may leave its separators and blanks.
func (h *hearing) cleared() (deed.Judgement, bool) {
	if h.target == nil {
		return deed.Judgement{}, false
	}
	value, known := "", false
	switch {
	case h.ev.Held != nil && *h.ev.Held:
		known = true
	case h.ev.Held != nil && h.now >= 0 && h.after.Nodes[h.now].Sensitive:
		value, known = deed.Redacted, true
	case h.ev.Held != nil:
		value, known = h.ev.FieldValue, true
	case h.now >= 0:
		n := &h.after.Nodes[h.now]
		value, known = n.Value, n.HasValue // of a sensitive one it is not the text, and empty when it is empty
	}
	secret := h.target.Sensitive || h.now >= 0 && h.after.Nodes[h.now].Sensitive
	switch {
	case !known:
		return h.fieldGone()
	case value == "":
		j := match(deed.BasisState, "%s is empty", h.target)
		j.Already = h.target.HasValue && h.target.Value == "" && len(h.effects) == 0
		return j, true
	case !secret && emptyMask(value) && len(alnum(h.target.Value)) > 0:
		return match(deed.BasisState, "%s is empty but for its mask, %q", h.target, clip(value)), true
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: " + h.target.String() + " is not empty"}, true
	}
	if j, ok := h.heldForAMoment(); ok {
		return j, true
	}
	if other := h.otherField(); other != nil {
		return mismatch(deed.MismatchWrongState, "another field changed: %s, asked for was %s", other, h.target), true
	}
	if secret {
		return mismatch(deed.MismatchWrongState, "%s is not empty", h.target), true
	}
	return mismatch(deed.MismatchWrongState, "%s is not empty, it holds %q", h.target, clip(value)), true
}

// emptyMask reports what a mask shows of an empty field: separators around blanks to fill in.
func emptyMask(value string) bool {
	return strings.Contains(value, "_") && strings.IndexFunc(value, func(r rune) bool { return !isSeparator(r) }) < 0
}

// appended judges typing: the field holds what it held, with the text put in at one place. The page itself compares
// where it was asked, so that this is known of secrets too.
func (h *hearing) appended() (deed.Judgement, bool) {
	ev, a := h.ev, &h.ev.Action
	if h.target == nil {
		return deed.Judgement{}, false
	}
	if h.now < 0 {
		return h.fieldGone()
	}
	b, n := h.target, &h.after.Nodes[h.now]
	if a.Sensitive() || b.Sensitive || n.Sensitive {
		switch {
		case ev.Held != nil && *ev.Held:
			return match(deed.BasisState, "%s holds what it held, with the text put in", b), true
		case !ev.Final:
			return deed.Judgement{Reason: "nothing yet: what " + b.String() + " holds is hidden"}, true
		case ev.Held != nil, b.HasValue && n.HasValue && n.Value == "":
			return mismatch(deed.MismatchWrongState, "%s does not hold what it held with the text put in", b), true
		}
		return h.doubt("what %s holds is hidden, and the page was not asked whether it is the text after what it held", b), true
	}
	now := n.Value
	if ev.Held != nil {
		now = ev.FieldValue
		if *ev.Held {
			return match(deed.BasisState, "%s holds %q", n, clip(now)), true
		}
	} else if !n.HasValue {
		return deed.Judgement{}, false
	}
	text, before, value := a.Text, lines(b.Value), lines(now)
	switch {
	case inserted(before, value, lines(text)):
		return match(deed.BasisState, "%s holds %q", n, clip(value)), true
	case grown(before, value, text):
		return match(deed.BasisState, "%s holds %q, formatted by the field", n, clip(value)), true
	case !ev.Final:
		return deed.Judgement{Reason: fmt.Sprintf("nothing yet: %s holds %q", n, clip(value))}, true
	}
	if j, ok := h.heldForAMoment(); ok {
		return j, true
	}
	switch other := h.otherField(); {
	case other != nil:
		return mismatch(deed.MismatchWrongState, "the text went to another field: %s changed, asked for was %s", other, b), true
	case before != "" && fit(text, value) != misfits:
		return mismatch(deed.MismatchWrongState, "the text replaced what %s held: it holds %q, before it held %q", b, clip(value), clip(before)), true
	}
	return mismatch(deed.MismatchWrongState, "%s %s", b, misfit(before+text, value, before)), true
}

// grown reports whether the value is a rendering of the text put into before at some place, the end first.
func grown(before, value, text string) bool {
	if fit(before+text, value) != misfits {
		return true
	}
	const most = 200 // a mask does not format novels
	if len(before) > most || len(value) > 2*(most+len(text)) {
		return false
	}
	for i := range before {
		if fit(before[:i]+text+before[i:], value) != misfits {
			return true
		}
	}
	return false
}

// uploaded judges by the files that the input, or the page, holds: names, and sizes where they are known.
func (h *hearing) uploaded() (deed.Judgement, bool) {
	a, held := &h.ev.Action, h.ev.Signals.Files
	want := h.ev.Upload
	if want == nil {
		for _, f := range a.Files {
			want = append(want, deed.File{Name: filepath.Base(f), Size: -1})
		}
	}
	all := listed(want)
	named := func() bool {
		for _, f := range want {
			if !slices.ContainsFunc(h.effects, func(e effect) bool { return namesFile(&e, f.Name) }) {
				return false
			}
		}
		return len(want) > 0
	}
	switch {
	case sameFiles(want, held):
		if j, bad := h.refusedFiles(want); bad {
			return j, true
		}
		if len(want) == 0 {
			return match(deed.BasisState, "%s holds no file", h.asked()), true
		}
		return match(deed.BasisState, "%s holds %s%s", h.asked(), all, h.revealed()), true
	case named():
		if j, bad := h.refusedFiles(want); bad {
			return j, true
		}
		if len(held) == 0 {
			return match(deed.BasisNamed, "the page took %s%s", all, h.revealed()), true
		}
	}
	switch {
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: the page does not hold " + all}, true
	case len(held) > 0:
		return mismatch(deed.MismatchWrongState, "%s holds %s, asked for was %s", h.asked(), listed(held), all), true
	}
	if j, bad := h.refusedFiles(want); bad {
		return j, true
	}
	if len(h.effects) == 0 {
		return h.nothing(), true
	}
	// The page may have taken the files and neither keep nor name them.
	for _, r := range h.ev.Signals.Requests {
		if r.Done && r.Status > 0 && r.Status < 400 && r.Method != "" && r.Method != "GET" && !h.ev.Pending {
			return match(deed.BasisCaused, "the page sent %s %s, answered %d, and %s", r.Method, clip(r.URL), r.Status, h.effects[0].line), true
		}
	}
	return h.doubt("the page does not show that it took %s; what happened: %s", all, h.effects[0].line), true
}

// refusedFiles ends the case of files that the page complains about, or whose request failed. The name of a file is no
// complaint, whatever it says.
func (h *hearing) refusedFiles(files []deed.File) (deed.Judgement, bool) {
	for i := range h.effects {
		e := &h.effects[i]
		if !e.live || !h.isFailure(e) || h.warns(e) {
			continue
		}
		said := words.Fold(e.says())
		for _, f := range files {
			said = strings.ReplaceAll(said, words.Fold(f.Name), "")
		}
		if _, bad := words.SpeaksOfFailure(said); bad {
			return h.failed(e.says()), true
		}
	}
	if why := h.pageError(); why != "" {
		return mismatch(deed.MismatchPageError, "%s", why), true
	}
	return deed.Judgement{}, false
}

// namesFile reports whether an effect shows the whole name of the file, which it did not show before.
func namesFile(e *effect, name string) bool {
	c := e.change
	if c == nil || c.Kind == deed.Disappeared {
		return false
	}
	was := c.Kind != deed.Appeared && holdsName(c.Before.Name+" "+shown(&c.Before), name)
	return !was && holdsName(c.After.Name+" "+shown(&c.After), name)
}

// holdsName reports whether the name of a file stands in a text, and not as a part of another name.
func holdsName(text, name string) bool {
	text, name = words.Fold(text), words.Fold(name)
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		rest := text[i+len(name):]
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "."))
		goes := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' }
		if !goes(before) && before != '.' && !goes(after) {
			return true
		}
		from = i + len(name)
	}
	return false
}

// sameFiles compares names and sizes; a size below 0 is not known. Order is the page's own.
func sameFiles(want, have []deed.File) bool {
	if len(want) != len(have) {
		return false
	}
	left := slices.Clone(have)
	for _, w := range want {
		i := slices.IndexFunc(left, func(f deed.File) bool {
			return words.Fold(f.Name) == words.Fold(w.Name) && (w.Size < 0 || f.Size == w.Size)
		})
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

func listed(files []deed.File) string {
	if len(files) == 0 {
		return "no file"
	}
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = fmt.Sprintf("%q", clip(f.Name))
		if f.Size >= 0 {
			out[i] += fmt.Sprintf(" (%d bytes)", f.Size)
		}
	}
	return strings.Join(out, ", ")
}

// endless is the amount from which a scroll is meant to go to the end.
const endless = 1 << 20

// scrolled judges by the view: the element is in it, or what scrolls has moved.
func (h *hearing) scrolled() (deed.Judgement, bool) {
	sig, a := &h.ev.Signals, &h.ev.Action
	moved := sig.Scrolled
	if !a.Locator.IsZero() || a.Ref != "" || a.Selector != "" {
		name := orElse(a.Locator.String(), h.asked())
		switch {
		case sig.InView:
			j := match(deed.BasisState, "%s is in view", name)
			j.Already = h.target != nil && (moved == nil || moved.X == 0 && moved.Y == 0)
			return j, true
		case !h.ev.Final:
			return deed.Judgement{Reason: "nothing yet: " + name + " is not in view"}, true
		case moved != nil && moved.End && h.now < 0:
			return mismatch(deed.MismatchWrongState, "%s did not come: the end is reached", name), true
		}
		return mismatch(deed.MismatchWrongState, "%s is not in view", name), true
	}
	if a.Scroll == nil {
		return deed.Judgement{}, false
	}
	place := orElse(a.Scroll.Region, "the page")
	if moved == nil {
		if !h.ev.Final {
			return deed.Judgement{Reason: "nothing yet: " + place + " has not moved"}, true
		}
		return mismatch(deed.MismatchNoEffect, "nothing in %s scrolls", place), true
	}
	x, y := progress(a.Scroll.X, moved.X), progress(a.Scroll.Y, moved.Y)
	switch {
	case moved.X == 0 && moved.Y == 0 && moved.End:
		j := match(deed.BasisState, "%s stands at its end", place)
		j.Already = true
		return j, true
	case x == against || y == against:
		return mismatch(deed.MismatchWrongState, "%s moved by %.0f,%.0f, asked for was %d,%d", place, moved.X, moved.Y, a.Scroll.X, a.Scroll.Y), true
	case x != short && y != short || moved.End && (moved.X != 0 || moved.Y != 0):
		end := ""
		if moved.End {
			end = ", to its end"
		}
		return match(deed.BasisState, "%s moved by %.0f,%.0f%s", place, moved.X, moved.Y, end), true
	case !h.ev.Final:
		return deed.Judgement{Reason: fmt.Sprintf("nothing yet: %s moved by %.0f,%.0f", place, moved.X, moved.Y)}, true
	case moved.X == 0 && moved.Y == 0:
		return mismatch(deed.MismatchNoEffect, "%s did not move", place), true
	}
	return mismatch(deed.MismatchWrongState, "%s moved by %.0f,%.0f and is not at its end, asked for was %d,%d", place, moved.X, moved.Y, a.Scroll.X, a.Scroll.Y), true
}

type advance int

const (
	short advance = iota // not far enough
	reached
	against // the other way
)

// progress compares how far one axis moved with what was asked. What snaps to places of its own may stop at the nearest:
// half of the way is enough, except where the end was asked for.
func progress(asked int, moved float64) advance {
	want := float64(asked)
	switch {
	case want == 0:
		return reached
	case want*moved < 0:
		return against
	case asked >= endless || asked <= -endless:
		return short // the end says it
	case moved/want >= 0.5:
		return reached
	}
	return short
}

// travelled judges history and reloading by where the page is and what was answered.
func (h *hearing) travelled() deed.Judgement {
	sig, d, kind := &h.ev.Signals, &h.ev.Diff, h.ev.Action.Kind
	at := orElse(h.after.URL, d.URLAfter)
	went := d.NewDoc || d.URLBefore != d.URLAfter || sig.Navigated || frameWent(h.before, h.after)
	if kind == deed.KindReload {
		went = d.NewDoc || sig.Navigated
	}
	switch {
	case sig.Failed != "" && !strings.Contains(sig.Failed, "ERR_ABORTED"):
		return mismatch(deed.MismatchWrongState, "%s could not be loaded: %s", clip(at), clip(sig.Failed))
	case errorPage(at):
		return mismatch(deed.MismatchWrongState, "the browser shows its error page")
	case sig.Status >= 400:
		return mismatch(deed.MismatchWrongState, "%s answered %d", clip(at), sig.Status)
	case went && kind == deed.KindReload:
		return match(deed.BasisState, "%s was loaded anew", clip(at))
	case went:
		return match(deed.BasisState, "the page went %s to %s", kind, clip(at))
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: the page is still at " + clip(at)}
	}
	if h.askedToStay() {
		return mismatch(deed.MismatchWrongState, "the page asked before it was left, and that was dismissed: it is still at %s", clip(at))
	}
	if kind == deed.KindReload {
		return mismatch(deed.MismatchWrongState, "the page was not loaded anew")
	}
	if len(h.effects) > 0 {
		return h.doubt("the address is the same; what happened: %s", h.effects[0].line)
	}
	return mismatch(deed.MismatchWrongState, "there is nothing to go %s to: the page is still at %s", kind, clip(at))
}

// askedToStay reports a beforeunload dialog that was dismissed.
func (h *hearing) askedToStay() bool {
	return slices.ContainsFunc(h.ev.Signals.Dialogs, func(d deed.Dialog) bool { return d.Kind == "beforeunload" && !d.Accepted })
}

// frameWent reports whether history moved a frame and not the page.
func frameWent(before, after *deed.Snapshot) bool {
	for i := 1; i < len(before.Frames); i++ {
		for j := 1; j < len(after.Frames); j++ {
			if f, g := &before.Frames[i], &after.Frames[j]; f.ID == g.ID && f.ID != "" && (f.URL != g.URL || f.Doc != g.Doc) {
				return true
			}
		}
	}
	return false
}

// tab judges by which page is the current one.
func (h *hearing) tab() deed.Judgement {
	a, sig := &h.ev.Action, &h.ev.Signals
	at := fmt.Sprintf("%q at %s", clip(h.after.Title), clip(h.after.URL))
	other := mainFrame(h.before) != mainFrame(h.after)
	switch a.Tab {
	case "switch":
		if !namesPage(a.Text, h.after) {
			if !h.ev.Final {
				return deed.Judgement{Reason: "nothing yet: the current page is " + at}
			}
			return mismatch(deed.MismatchWrongState, "the current page is %s, asked for was %q", at, clip(a.Text))
		}
		j := match(deed.BasisState, "the current page is %s", at)
		j.Already = !other && namesPage(a.Text, h.before) && h.before != nowhere
		return j
	case "close":
		switch {
		case sig.Closed || other:
			return match(deed.BasisState, "the page %q was closed", clip(orElse(h.before.Title, h.before.URL)))
		case !h.ev.Final:
			return deed.Judgement{Reason: "nothing yet: the page is still open"}
		case h.askedToStay():
			return mismatch(deed.MismatchWrongState, "the page asked before it was left, and that was dismissed: it is still open")
		}
		return mismatch(deed.MismatchWrongState, "the page %s is still open", at)
	}
	switch {
	case sig.Failed != "":
		return mismatch(deed.MismatchWrongState, "%s could not be loaded: %s", clip(a.Text), clip(sig.Failed))
	case errorPage(h.after.URL):
		return mismatch(deed.MismatchWrongState, "%s could not be loaded: the browser shows its error page", clip(a.Text))
	case sig.Status >= 400:
		return mismatch(deed.MismatchWrongState, "%s answered %d", clip(a.Text), sig.Status)
	case other && sameURL(h.after.URL, a.Text):
		return match(deed.BasisState, "the current page is %s", at)
	case other && (sig.Navigated || sig.Status > 0):
		return match(deed.BasisState, "the current page is %s, where %s led", at, clip(a.Text))
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: the current page is " + at}
	}
	return mismatch(deed.MismatchWrongState, "the current page is %s, asked for was a new one at %s", at, clip(a.Text))
}

func mainFrame(s *deed.Snapshot) string { return frameOf(s, 0).ID }

// namesPage reports whether the text is part of the page's title, or a glob of its address.
func namesPage(text string, s *deed.Snapshot) bool {
	part := words.Fold(text)
	return part != "" && strings.Contains(strings.ToLower(words.Fold(s.Title)), strings.ToLower(part)) || locate.Glob(text, s.URL)
}
