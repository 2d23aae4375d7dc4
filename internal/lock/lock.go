// Package lock keeps the proven plan of a case: how each element was found and by what else it can be known, and the effects that each
// step had. It compares a later run with that, heals an address, and tells in words what is different.
//
// Law of this package: it reads cases, results and snapshots that others made, and the one file it is asked for. It knows no browser and no
// clock, acts on nothing, and gives no verdict: a divergence is a fact, what follows from it is the runner's business. An address may be
// healed, what is proven never is: nothing here changes an expectation or an effect that was not shown to somebody first. What is volatile,
// sensitive or secret is never in a lock.
//
// It stands on floor 3, above locate, because what healing proposes must be found by the very code that finds everything else.
package lock

import (
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// A Case is the lock of one case on one device.
type Case struct {
	ID     string
	Device string // "" is the default one
	Key    string // of the case that was proven: see [Key]
	Runs   int    // 1: proven once, what varies is not known yet; 2: what differed between two runs is generalised
	Steps  []Step
}

// A Step is what one step of the case did. What is not sure to be the same in every run is a [Text].
type Step struct {
	Do     deed.Kind
	At     Text         // the object as it is written in the case, for people: the key says whether it still is
	Healed Text         // the locator that was healed for it; "" where it is found as it is written
	Found  *Fingerprint // nil where the step has no element
	// Outline says that the step changed too much to hold all of it: regions, headings and messages alone are compared.
	Outline   bool
	URL       Text // of the page afterwards, where the step changed it
	Effects   []Effect
	Requests  []Request
	Dialogs   []Dialog
	Downloads []Thing // file names
	Pages     []Thing // URLs of tabs and popups
}

// A Thing is a file that was downloaded, or a page that was opened.
type Thing struct {
	Name     Text
	Optional bool
}

// A Fingerprint is by what an element can be known again, each part independent of the others.
type Fingerprint struct {
	Role   string
	Name   Text
	Region Text
	Frame  Text
	Row    Text // text of the row or card
	Group  Text // label of an option's group
	Prev   Text // the text before it in its region
	Next   Text // the text after it
	Nth    int  // among the elements of its role in its region
	Of     int
	Twin   int // among its namesakes on the page
	Twins  int
	Others []Text // who else was there: a renamed element is none of them
	Page   Text   // path of the page
}

// An Effect is one difference that a step made.
type Effect struct {
	Kind     deed.ChangeKind
	Role     string
	Name     Text
	Region   Text
	Frame    Text
	From     Text // changed: the value before; disappeared: the value that went
	To       Text // changed: the value after; appeared: the value that came; renamed: the name; moved: the region
	Gained   []string
	Lost     []string
	Times    int  // 0 is once; Any is once or more
	Optional bool // it was seen in one of two runs
	Uncaused bool // nothing attributes it to the act
	Passes   bool // appeared: it goes again by itself
}

// Any is a number of times: as many as there are, but one at least.
const Any = -1

// A Request that a step caused.
type Request struct {
	Method   string
	URL      Text
	Status   string // 2xx, 4xx, failed; "" where the answer was not waited for
	Times    int    // 0 is once
	Optional bool
}

// A Dialog of the browser's own.
type Dialog struct {
	Kind     string
	Message  Text
	Accepted bool
	Optional bool
}

// same reports the identity of two effects but for what may vary.
func (e *Effect) kin(o *Effect) bool {
	return e.Kind == o.Kind && e.Role == o.Role && e.Frame == o.Frame && slices.Equal(e.Gained, o.Gained) && slices.Equal(e.Lost, o.Lost)
}

// texts are the parts of an effect that may vary, in a fixed order.
func (e *Effect) texts() [4]*Text { return [4]*Text{&e.Name, &e.Region, &e.From, &e.To} }

// accepts reports whether an effect that was seen is the one of the contract.
func (e *Effect) accepts(o *Effect) bool {
	if !e.kin(o) {
		return false
	}
	a, b := e.texts(), o.texts()
	for i := range a {
		if !a[i].Accepts(*b[i]) {
			return false
		}
	}
	return true
}

// Object is who the effect is about: `listitem "T-shirt M" in cart`.
func (e *Effect) Object() string { return ident(e.Role, e.Name, e.Frame, e.Region) }

func ident(role string, name, frame, region Text) string {
	var b strings.Builder
	b.WriteString(role)
	if name != "" {
		b.WriteString(" " + quote(string(name)))
	}
	if frame != "" {
		b.WriteString(" frame " + quote(string(frame)))
	}
	if region != "" {
		b.WriteString(" in " + string(region))
	}
	return b.String()
}

// What tells what was done to the object, values and states included.
func (e *Effect) What() string {
	var parts []string
	switch e.Kind {
	case deed.Renamed:
		return "renamed to " + quote(string(e.To))
	case deed.Moved:
		if e.To == "" {
			return "moved to the page"
		}
		return "moved to " + string(e.To)
	case deed.Changed:
		if e.From+e.To != "" {
			parts = append(parts, quote(string(e.From))+" → "+quote(string(e.To)))
		}
		if len(e.Gained) > 0 {
			parts = append(parts, "now "+strings.Join(e.Gained, ", "))
		}
		if len(e.Lost) > 0 {
			parts = append(parts, "no longer "+strings.Join(e.Lost, ", "))
		}
		return strings.Join(parts, ", ")
	}
	s := string(e.Kind)
	if v := e.From + e.To; v != "" {
		s += " with " + quote(string(v))
	}
	if len(e.Gained) > 0 {
		s += " (" + strings.Join(e.Gained, ", ") + ")"
	}
	return s
}

// String is one line: `+ listitem "T-shirt M" in cart`.
func (e *Effect) String() string {
	s := e.Object()
	switch e.Kind {
	case deed.Appeared:
		s = "+ " + s
	case deed.Disappeared:
		s = "− " + s
	default:
		s = "~ " + s + ": " + e.What()
	}
	if v := e.From + e.To; v != "" && (e.Kind == deed.Appeared || e.Kind == deed.Disappeared) {
		s += " = " + quote(string(v))
	}
	if len(e.Gained) > 0 && e.Kind != deed.Changed {
		s += " (" + strings.Join(e.Gained, ", ") + ")"
	}
	return s + times(e.Times) + optional(e.Optional)
}

func (r *Request) String() string {
	s := r.Method + " " + string(r.URL)
	if r.Status != "" {
		s += " " + r.Status
	}
	return s + times(r.Times) + optional(r.Optional)
}

func (d *Dialog) String() string {
	s := d.Kind + " " + quote(string(d.Message))
	if d.Accepted {
		return s + ", accepted" + optional(d.Optional)
	}
	return s + ", dismissed" + optional(d.Optional)
}

func times(n int) string {
	switch {
	case n == Any:
		return ", once or more"
	case n > 1:
		return ", " + itoa(n) + " times"
	}
	return ""
}

func optional(is bool) string {
	if is {
		return ", or not"
	}
	return ""
}

// count is how many there must be.
func count(times int) int { return max(times, 1) }

// Address is the locator by which a replay finds the step's element: the one that was healed, else the one that the case has.
func (s *Step) Address(c *deed.Case, written deed.Locator) deed.Locator {
	if s.Healed == "" {
		return written
	}
	l, err := deed.ParseLocator(newContext(c).fill(s.Healed))
	if err != nil {
		return written
	}
	return l
}
