package trace

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// Story tells for people what the records say: each action with who asked for it, what was decided and by which rule, who said yes, and
// what came of it; and what else happened. What is in flight is said last.
func Story(events []Event) string {
	var b strings.Builder
	type key struct{ run, id string }
	open := map[key]*act{}
	var flight []*act
	run, now := "", key{}
	for i := range events {
		e := &events[i]
		if e.Run != run || i == 0 {
			if i > 0 {
				b.WriteByte('\n')
			}
			run, now = e.Run, key{}
			fmt.Fprintf(&b, "run %s", visible(orElse(run, "without a name")))
			if e.Time != "" {
				b.WriteString(", " + e.Time)
			}
			b.WriteByte('\n')
		}
		k := key{e.Run, e.ID}
		if e.Kind != Note {
			a := open[k]
			if a == nil || a.over && e.Kind == Proposed {
				a = &act{id: e.ID}
				open[k] = a
				flight = append(flight, a)
			}
			a.next(e)
			if e.Kind != Proposed && k != now {
				fmt.Fprintf(&b, "  of %s\n", visible(e.ID))
			}
			now = k
		}
		for n, l := range e.tell() {
			switch {
			case e.Kind == Note:
				b.WriteString("  * ")
			case e.Kind == Proposed && n == 0:
				if e.Step > 0 {
					fmt.Fprintf(&b, "%3d ", e.Step)
				} else {
					b.WriteString("  - ")
				}
			default:
				b.WriteString("    ")
			}
			b.WriteString(visible(l) + "\n")
		}
		if e.Cut {
			b.WriteString("  ! here a record was never finished\n")
		}
	}
	for _, a := range flight {
		switch {
		case a.over:
		case a.begun:
			fmt.Fprintf(&b, "in flight: %s had begun, there may be effects\n", visible(a.id))
		default:
			fmt.Fprintf(&b, "in flight: %s had not begun\n", visible(a.id))
		}
	}
	return b.String()
}

// tell is what one record says, in lines.
func (e *Event) tell() []string {
	var out []string
	say := func(format string, args ...any) {
		out = append(out, strings.TrimRight(fmt.Sprintf(format, args...), " :"))
	}
	undo := ""
	if e.Undo {
		undo = " the undo"
	}
	switch e.Kind {
	case Proposed:
		say("%s  (%s)", e.Action.String(), e.ID)
		say("proposed by %s, risk %s", orElse(e.By, "nobody named"), orElse(e.Risk, "not declared"))
	case Decided:
		words := map[string]string{"allow": "allowed", "confirm": "to be confirmed", "deny": "denied"}
		say("%s%s by %s: %s", words[e.Decision], undo, orElse(e.Rule, "no rule"), e.Reason)
		if e.Element != nil {
			el := fmt.Sprintf("%s %q", e.Element.Role, e.Element.Name)
			if e.Element.Region != "" {
				el += " in " + e.Element.Region
			}
			say("on %s, risk %s", el, orElse(e.Risk, "unknown"))
		}
		if e.Page != "" {
			say("at %s", e.Page)
		}
	case Confirmed:
		words := map[string]string{Yes: "confirmed", No: "declined", NoAnswer: "not answered"}
		by := ""
		if e.By != "" {
			by = " by " + e.By
		}
		say("%s%s after %s", words[e.Answer], by, time.Duration(e.MS)*time.Millisecond)
	case Started:
		say("begun%s: %s", undo, e.Way)
	case Finished:
		verdict := e.Outcome
		if e.Basis != "" {
			verdict += " (" + e.Basis + ")"
		}
		if e.Code != "" {
			verdict += " [" + e.Code + "]"
		}
		say("%s: %s", verdict, e.Reason)
		for _, c := range e.Changes {
			say("  %s", c)
		}
		for _, c := range e.Blocked {
			say("  kept back: %s", c)
		}
		if e.Prevented > 0 {
			say("  %d prevented", e.Prevented)
		}
		if e.Undone > 0 {
			say("  %d undone", e.Undone)
		}
	case Note:
		what := e.What
		if what == NoteEnd {
			what = "end of the run"
		}
		if e.Code != "" {
			what += " [" + e.Code + "]"
		}
		say("%s: %s", what, e.Reason)
	}
	return out
}

// String is the action for people, as far as the trace tells it.
func (a *Action) String() string {
	if a == nil {
		return "nothing"
	}
	s := string(a.Kind)
	put := func(t string) {
		if t != "" {
			s += " " + t
		}
	}
	switch {
	case a.Locator == deed.Redacted && a.Role != "":
		put(a.Role + " " + deed.Redacted)
	default:
		put(a.Locator)
	}
	for _, t := range []string{a.Ref, a.Selector, a.Tab, a.Key, a.URL, a.Path} {
		put(t)
	}
	if a.Point != nil {
		put(fmt.Sprintf("at %g,%g", a.Point.X, a.Point.Y))
	}
	if a.X != 0 || a.Y != 0 {
		put(fmt.Sprintf("by %d,%d", a.X, a.Y))
	}
	if a.PauseMS > 0 {
		put((time.Duration(a.PauseMS) * time.Millisecond).String())
	}
	for _, o := range a.Options {
		put(o)
	}
	put(a.Drop)
	if a.Length > 0 {
		put(fmt.Sprintf("with %s (%d characters)", orElse(a.Text, "a text"), a.Length))
	}
	if a.Enter {
		put("and Enter")
	}
	return s
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// visible keeps what a page or a stranger wrote from being anything but text on a terminal.
func visible(s string) string {
	q := strconv.Quote(s)
	if q[1:len(q)-1] == s {
		return s
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(q[1 : len(q)-1])
}
