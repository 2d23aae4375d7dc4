package deed

import (
	"fmt"
	"strings"
	"time"
)

// A Result tells what one action really did. It holds no secret.
type Result struct {
	Action    Action  // Text is masked when it is secret
	Target    Node    // the element that was acted on, as it was before; zero where the action has none
	Spot      Spot    // where the target stood; zero where the action has none
	URL       string  // of the page when the action was judged
	Frames    []Frame // of the page when it was judged, and those that went, where there were more than the main one: a change names its frame by ID
	Outcome   Outcome
	Judgement Judgement
	Diff      Diff
	Page      *Snapshot `json:"-"` // on which it was judged, not masked, and in no output; nil where nothing was done
	Witness   Witness   // of the last gesture
	Signals   Signals
	Ruling    Ruling    // policy's last answer about the action itself; zero where none was asked
	Attempts  int       // gestures tried
	Prevented int       // gestures that the guard stopped before the page saw them
	Undone    int       // effects taken back
	Undo      string    // how: `click button "Remove Trousers L" in cart`
	Residue   *Diff     // after an undo: what still differs from the state before; nil where nothing was undone
	Settled   bool      // the page had come to rest when it was judged
	Saved     any       // eval: the value
	Pictures  *Pictures // nil where none were asked for
	Log       []string  // what was waited for and tried, in order
	Phases    Phases
	Duration  time.Duration
}

// Pictures of an action, as PNG. Sensitive fields are covered in them.
type Pictures struct {
	Before []byte // as its gesture begins; nil where there was none
	After  []byte // once it was judged
	Box    *Box   // of the element that was acted on, in the picture before
}

// A Spot is where an element stood among others: by what else it can be known again when its name or its place has changed.
type Spot struct {
	Nth, Of     int      // among the elements of its role in its region, from 1, in document order
	Twin, Twins int      // among the elements of its role and name on the page
	Prev, Next  string   // the text that stands before and after it in its region
	Others      []string // the other names that elements of its role had in its region, sorted; nil where there were too many to tell
	Frame       string   // title, name or path of the frame it stood in; "" is the page itself
}

// OK reports whether the action is proven.
func (r *Result) OK() bool { return r.Outcome.OK() }

// Explain tells the whole story in a few lines.
func (r *Result) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Action.Kind, r.Action.Object())
	if r.Action.Text != "" && r.Action.Kind == KindFill {
		fmt.Fprintf(&b, "  value      %q\n", clip(r.Action.Text, 120))
	}
	if len(r.Action.Options) > 0 {
		fmt.Fprintf(&b, "  option     %s\n", strings.Join(r.Action.Options, ", "))
	}
	for i := range r.Action.Expect {
		fmt.Fprintf(&b, "  expected   %s\n", r.Action.Expect[i].String())
	}
	if r.Action.Intent != "" {
		fmt.Fprintf(&b, "  intent     %s\n", r.Action.Intent)
	}
	v := strings.ToUpper(r.Judgement.Verdict.String())
	switch {
	case r.Outcome == OutcomeAlready:
		v = "ALREADY"
	case r.Judgement.Basis != "":
		v += " (" + string(r.Judgement.Basis) + ")"
	case r.Judgement.Kind != "":
		v += " (" + string(r.Judgement.Kind) + ")"
	}
	fmt.Fprintf(&b, "  verdict    %s: %s\n", v, r.Judgement.Reason)
	fmt.Fprintf(&b, "  attempts   %d", r.Attempts)
	if r.Prevented > 0 {
		fmt.Fprintf(&b, ", %d prevented", r.Prevented)
	}
	if r.Undone > 0 {
		fmt.Fprintf(&b, ", %d undone by %s", r.Undone, r.Undo)
	}
	b.WriteByte('\n')
	if r.Judgement.Escalated {
		b.WriteString("  decided by the arbiter\n")
	}
	lines := r.Diff.Lines()
	if len(lines) == 0 {
		b.WriteString("  changes    none\n")
	} else {
		b.WriteString("  changes\n")
		for _, l := range lines {
			b.WriteString("    " + l + "\n")
		}
	}
	for i := range r.Signals.Blocked {
		fmt.Fprintf(&b, "  blocked    %s\n", clip(r.Signals.Blocked[i].String(), 200))
	}
	if r.Residue != nil {
		if r.Residue.Empty() {
			b.WriteString("  residue    none\n")
		} else {
			b.WriteString("  residue\n")
			for _, l := range r.Residue.Lines() {
				b.WriteString("    " + l + "\n")
			}
		}
	}
	return b.String()
}

// Step returns the published form of the result, as step n.
func (r *Result) Step(n int, err error) StepResult {
	ms := func(d time.Duration) int64 { return d.Milliseconds() }
	s := StepResult{N: n, Do: r.Action.Kind, Locator: r.Action.Object(), Outcome: r.Outcome, Verdict: r.Judgement.Verdict.String(),
		Basis: r.Judgement.Basis, Mismatch: r.Judgement.Kind, Code: CodeOf(err), Reason: r.Judgement.Reason, Hint: HintOf(err),
		Attempts: r.Attempts, Prevented: r.Prevented, Undone: r.Undone, Changes: r.Diff.Lines(), DurationMS: ms(r.Duration),
		PhasesMS: map[string]int64{"observe": ms(r.Phases.Observe), "resolve": ms(r.Phases.Resolve), "decide": ms(r.Phases.Decide),
			"act": ms(r.Phases.Act), "settle": ms(r.Phases.Settle), "judge": ms(r.Phases.Judge)}}
	if r.Phases.Undo > 0 {
		s.PhasesMS["undo"] = ms(r.Phases.Undo)
	}
	if s.Changes == nil {
		s.Changes = []string{}
	}
	if s.Reason == "" && err != nil {
		s.Reason = err.Error()
	}
	if r.Residue != nil {
		s.Residue = r.Residue.Lines()
	}
	if r.Ruling.Rule != "" {
		s.Decision, s.Rule = r.Ruling.Decision.String(), r.Ruling.Rule
	}
	for _, e := range r.Witness.Events {
		if e.Blocked {
			s.Guarded = append(s.Guarded, fmt.Sprintf("%s for %s", e.Type, e.Receiver))
		}
	}
	s.Requests = r.Signals.Requests
	for i := range r.Signals.Errors {
		s.Console = append(s.Console, r.Signals.Errors[i].Text)
	}
	for i := range r.Signals.Dialogs {
		s.Dialogs = append(s.Dialogs, fmt.Sprintf("%s %q", r.Signals.Dialogs[i].Kind, r.Signals.Dialogs[i].Message))
	}
	for i := range r.Signals.Blocked {
		s.Blocked = append(s.Blocked, r.Signals.Blocked[i].String())
	}
	return s
}
