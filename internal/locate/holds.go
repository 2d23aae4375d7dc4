package locate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// Holds evaluates one expectation in the snapshot now, against the snapshot before the act and what happened beside the
// content. Where it does not hold, why says what stands there instead; why never holds a text that is a secret.
//
// before may be nil (a wait, an expectation of its own): then "appears" is being there and "disappears" not being there. Else it
// appears when more matches are seen now than before, and disappears when fewer are: a second line of the same name counts. What is in the tree
// but cannot be seen is not there. Nth counts among what is seen. sig may be nil when nothing is known of signals; then no
// expectation about them holds.
//
// A state is true when it is set, and false when its opposite is: "pressed: false" does not hold of a button that has no such state.
// A sensitive value never left the page, so that no value can be compared here but the empty one.
func Holds(before, now *deed.Snapshot, sig *deed.Signals, e *deed.Expect) (ok bool, why string) {
	if e.FromSignals() {
		return signalled(sig, e)
	}
	l := e.Locator
	switch e.Kind {
	case deed.ExpectAppears:
		n := len(Seen(now, l))
		if before == nil {
			return n > 0, unless(n > 0, func() string { return missing(now, l) })
		}
		b := len(Seen(before, l))
		switch {
		case n > b:
			return true, ""
		case n == 0:
			return false, missing(now, l)
		case n == b:
			return false, fmt.Sprintf("expected %s to appear, it was there before", l) + times(n)
		}
		return false, fmt.Sprintf("expected %s to appear, there were %d and now are %d", l, b, n)
	case deed.ExpectDisappears:
		n := len(Seen(now, l))
		if before == nil {
			return n == 0, unless(n == 0, func() string { return fmt.Sprintf("expected no %s, it is there", l) + times(n) })
		}
		b := len(Seen(before, l))
		switch {
		case n < b:
			return true, ""
		case b == 0 && n == 0:
			return false, fmt.Sprintf("expected %s to disappear, it was not there before", l)
		}
		return false, fmt.Sprintf("expected %s to disappear, it is still there", l) + times(n)
	case deed.ExpectVisible:
		n := len(Seen(now, l))
		return n > 0, unless(n > 0, func() string { return missing(now, l) })
	case deed.ExpectHidden:
		n := len(Seen(now, l))
		return n == 0, unless(n == 0, func() string { return fmt.Sprintf("expected no %s, it is there", l) + times(n) })
	case deed.ExpectCount:
		n := len(Seen(now, l))
		ok := (e.Min < 0 || n >= e.Min) && (e.Max < 0 || n <= e.Max)
		return ok, unless(ok, func() string {
			why := fmt.Sprintf("expected %s, there are %d", e, n)
			if n == 0 {
				if near := nearest(now, l); near != "" {
					why += "; nearest is " + near
				}
			}
			return why
		})
	case deed.ExpectValue:
		return value(now, e)
	case deed.ExpectState:
		return state(now, e)
	case deed.ExpectText:
		return text(now, e)
	case deed.ExpectURL:
		ok := Glob(e.Text, now.URL)
		return ok, unless(ok, func() string { return fmt.Sprintf("expected url %s, it is %s", masked(e, e.Text), now.URL) })
	case deed.ExpectTitle:
		ok := reads(now.Title, e.Text)
		return ok, unless(ok, func() string { return fmt.Sprintf("expected title %s, it is %q", quoted(e), now.Title) })
	}
	return false, fmt.Sprintf("unknown expectation %q", e.Kind)
}

func unless(ok bool, why func() string) string {
	if ok {
		return ""
	}
	return why()
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}

// reads reports whether text contains want, or matches it where it is written /…/.
func reads(text, want string) bool {
	if re := deed.TextPattern(want); re != nil {
		return re.MatchString(words.Fold(text))
	}
	return words.HasText(text, want)
}

func masked(e *deed.Expect, s string) string {
	if e.Secret {
		return deed.Redacted
	}
	return s
}

// quoted is the expected text for messages.
func quoted(e *deed.Expect) string {
	if deed.TextPattern(e.Text) != nil {
		return masked(e, e.Text)
	}
	return masked(e, strconv.Quote(e.Text))
}

// missing says that l is not there, and what is.
func missing(s *deed.Snapshot, l deed.Locator) string {
	why := "expected " + l.String() + ", "
	if all := All(s, l); len(all) > 0 {
		switch {
		case l.Nth > len(all):
			return fmt.Sprintf("%sthere are %d", why, len(all))
		case s.Nodes[all[0]].Unseen:
			return why + "it is in the page but cannot be seen"
		}
	}
	if near := nearest(s, l); near != "" {
		return why + "there is " + near
	}
	if l.Region != "" && !newFinder(s).hasRegion(l.Region) {
		return why + "there is no " + l.Region
	}
	why += "there is none"
	if !s.Complete {
		why += "; the page was not seen completely: " + s.Incomplete
	}
	return why
}

// nearest names the seen candidate nearest to l, or "".
func nearest(s *deed.Snapshot, l deed.Locator) string {
	for _, i := range Candidates(s, l, 3) {
		if n := &s.Nodes[i]; !n.Unseen {
			return newFinder(s).describe(i)
		}
	}
	return ""
}

func value(s *deed.Snapshot, e *deed.Expect) (bool, string) {
	i, err := One(s, e.Locator)
	if err != nil {
		return false, err.Error()
	}
	n := &s.Nodes[i]
	switch {
	case n.Sensitive && n.Value == deed.Redacted && e.Text != "":
		return false, fmt.Sprintf("%s does not hold it", n)
	case n.Value == e.Text && (n.HasValue || e.Text != ""):
		return true, ""
	case !n.HasValue && n.Value == "":
		return false, fmt.Sprintf("%s has no value", n)
	case e.Secret && n.Value != "":
		return false, fmt.Sprintf("value of %s is not the secret", n)
	}
	return false, fmt.Sprintf("value is %q, expected %s", n.Value, masked(e, strconv.Quote(e.Text)))
}

// opposites of the states that come in pairs.
var opposites = map[deed.State]deed.State{
	deed.Checked: deed.Unchecked | deed.Mixed, deed.Expanded: deed.Collapsed, deed.Pressed: deed.Unpressed | deed.Mixed, deed.Selected: deed.Unselected,
	deed.Mixed: deed.Checked | deed.Unchecked | deed.Pressed | deed.Unpressed,
}

func state(s *deed.Snapshot, e *deed.Expect) (bool, string) {
	i, err := One(s, e.Locator)
	if err != nil {
		return false, err.Error()
	}
	n := &s.Nodes[i]
	names := make([]string, 0, len(e.States))
	for name := range e.States {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		st, known := deed.ParseState(name)
		if !known {
			return false, fmt.Sprintf("unknown state %q", name)
		}
		has, want := n.States.Has(st), e.States[name]
		opposite, paired := opposites[st]
		switch {
		case has == want && (want || !paired || n.States&opposite != 0):
			continue
		case paired && n.States&(opposite|st) == 0:
			return false, fmt.Sprintf("%s has no state %s", n, name)
		case want && n.States&opposite != 0:
			return false, fmt.Sprintf("expected %s to be %s, it is %s", n, name, n.States&opposite)
		case want:
			return false, fmt.Sprintf("expected %s to be %s, it is not", n, name)
		}
		return false, fmt.Sprintf("expected %s not to be %s, it is", n, name)
	}
	return len(names) > 0, ""
}

func text(s *deed.Snapshot, e *deed.Expect) (bool, string) {
	region, frame := e.Locator.Region, e.Locator.Frame
	got := Text(s, region, frame)
	if reads(got, e.Text) {
		return true, ""
	}
	where := "the page"
	f := newFinder(s)
	if frame != "" {
		if in := f.frames(frame); !slices.Contains(in, true) {
			_, err := f.noFrame(frame)
			return false, fmt.Sprintf("expected text %s: %s", quoted(e), err)
		}
		where = fmt.Sprintf("frame %q", frame)
	}
	if region != "" {
		if !f.hasRegion(region) {
			_, err := f.noRegion(region)
			return false, fmt.Sprintf("expected text %s: %s", quoted(e), err)
		}
		where = region
	}
	if e.Secret {
		return false, fmt.Sprintf("expected text %s, it is not in %s", deed.Redacted, where)
	}
	if got == "" {
		return false, fmt.Sprintf("expected text %s, %s shows no text", quoted(e), where)
	}
	if deed.TextPattern(e.Text) == nil && strings.Contains(words.Loose(got), words.Loose(e.Text)) && words.Loose(e.Text) != "" && !strings.Contains(words.Fold(got), words.Fold(e.Text)) {
		return false, fmt.Sprintf("expected text %s, %s has it in other case or accents: %q", quoted(e), where, passage(got, e.Text))
	}
	return false, fmt.Sprintf("expected text %s, %s reads %q", quoted(e), where, passage(got, e.Text))
}

// passage is the part of text most like what was expected, for a message.
func passage(text, want string) string {
	const width = 80
	rs := []rune(text)
	if len(rs) <= width {
		return text
	}
	ref := words.Content(want)
	best, at := -1.0, 0
	for i := 0; i < len(rs); i += width / 2 {
		if score := words.Overlap(ref, words.Tokens(string(rs[i:min(i+width, len(rs))]))); score > best {
			best, at = score, i
		}
	}
	end := min(at+width, len(rs))
	out := strings.TrimSpace(string(rs[at:end]))
	if at > 0 {
		out = "…" + out
	}
	if end < len(rs) {
		out += "…"
	}
	return out
}

func signalled(sig *deed.Signals, e *deed.Expect) (bool, string) {
	if sig == nil {
		return false, fmt.Sprintf("expected %s: nothing is known of what happened beside the page", e)
	}
	// list says what there was of the kind.
	list := func(none, some string, all []string) string {
		if len(all) == 0 {
			return fmt.Sprintf("expected %s, %s", e, none)
		}
		if len(all) > listed {
			all = append(all[:listed:listed], fmt.Sprintf("%d more", len(all)-listed))
		}
		return fmt.Sprintf("expected %s, %s %s", e, some, strings.Join(all, ", "))
	}
	var there []string
	switch e.Kind {
	case deed.ExpectRequest:
		for i := range sig.Requests {
			r := &sig.Requests[i]
			if asked(r, &e.Request) {
				return true, ""
			}
			there = append(there, request(r))
		}
		return false, list("no request was made", "there was", there)
	case deed.ExpectDialog:
		for _, d := range sig.Dialogs {
			if reads(d.Message, e.Text) {
				return true, ""
			}
			there = append(there, fmt.Sprintf("%s %q", d.Kind, d.Message))
		}
		return false, list("no dialog opened", "there was", there)
	case deed.ExpectPopup:
		for _, p := range sig.Pages {
			if reads(p.Title, e.Text) || reads(p.URL, e.Text) {
				return true, ""
			}
			there = append(there, fmt.Sprintf("%q %s", p.Title, p.URL))
		}
		return false, list("no page opened", "there opened", there)
	case deed.ExpectDownload:
		for _, d := range sig.Downloads {
			if reads(d.Name, e.Text) {
				return true, ""
			}
			there = append(there, strconv.Quote(d.Name))
		}
		return false, list("nothing was downloaded", "there was", there)
	}
	for _, p := range sig.Errors {
		there = append(there, strconv.Quote(p.Text))
	}
	for i := range sig.Requests {
		if r := &sig.Requests[i]; r.Status >= 500 {
			there = append(there, request(r))
		}
	}
	if sig.Status >= 500 {
		there = append(there, fmt.Sprintf("the page answered %d", sig.Status))
	}
	if sig.Crashed {
		there = append(there, "the page crashed")
	}
	if len(there) > 0 {
		return false, list("", "there was", there)
	}
	return true, ""
}

// asked reports whether the request is what the specification wants. One that failed was no request, save for one that its own navigation or
// download ended; a status counts when the answer is there.
func asked(r *deed.Request, want *deed.RequestSpec) bool {
	switch {
	case want.Method != "" && !strings.EqualFold(want.Method, r.Method),
		want.URL != "" && !Glob(want.URL, r.URL),
		want.Status != 0 && want.Status != r.Status,
		r.Failed != "" && (want.Status != 0 || !strings.Contains(r.Failed, "ERR_ABORTED")):
		return false
	}
	return true
}

func request(r *deed.Request) string {
	s := r.Method + " " + r.URL
	switch {
	case r.Failed != "":
		return s + " " + r.Failed
	case r.Status != 0:
		return s + " " + strconv.Itoa(r.Status)
	case !r.Done:
		return s + " (no answer yet)"
	}
	return s
}
