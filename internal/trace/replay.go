package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// ruleBudget is what a rule is called that a budget gave as an answer, alone or before a dot.
const ruleBudget = "budget"

// Replayable returns the proposals of a trace whose plan may be decided on again: a complete, unmasked trace of a dry run, in which
// everything was allowed or confirmed and nothing went wrong. Anything else is an error that names the line, and nothing is returned.
// decode reads one proposal, strictly.
func Replayable(events []Event, decode func([]byte) (*deed.Proposal, error)) ([]deed.Proposal, error) {
	return proposals(events, decode, func(e *Event, decision string) error {
		switch {
		case e.Code != "":
			return errors.New("it tells of an error")
		case len(e.Blocked) > 0 || e.Undone > 0 || e.Prevented > 0:
			return errors.New("it tells of effects")
		}
		switch e.Kind {
		case Decided:
			switch {
			case e.Decision == deed.Deny.String():
				return errors.New("it was denied")
			case strings.TrimSpace(e.Rule) == "" || strings.TrimSpace(e.Reason) == "":
				return errors.New("rule or reason is missing")
			case e.Rule == ruleBudget || strings.HasPrefix(e.Rule, ruleBudget+"."):
				return errors.New("a budget decided")
			}
		case Confirmed:
			if e.Answer != Yes {
				return errors.New("it was cancelled")
			}
			if decision != deed.Confirm.String() {
				return errors.New("it was confirmed unasked")
			}
		case Started:
			return errors.New("it was carried out")
		case Finished:
			switch {
			case decision == "":
				return errors.New("nothing was decided")
			case e.Outcome != DryRun:
				return fmt.Errorf("it is not of a dry run: %s", e.Outcome)
			}
		}
		return nil
	})
}

// Carried returns the proposals of a trace whose actions may be done again, to compare what comes of them ([Compare]): a complete,
// unmasked trace of a run that was carried out. Anything else is an error that names the line, and nothing is returned.
func Carried(events []Event, decode func([]byte) (*deed.Proposal, error)) ([]deed.Proposal, error) {
	return proposals(events, decode, func(e *Event, _ string) error {
		if e.Kind == Finished && e.Outcome == DryRun {
			return errors.New("it is of a dry run: there is nothing to compare with")
		}
		return nil
	})
}

// proposals reads the proposals of a trace of one run that is whole and unmasked. rule looks at each record, with what was decided of its
// action before.
func proposals(events []Event, decode func([]byte) (*deed.Proposal, error), rule func(e *Event, decision string) error) ([]deed.Proposal, error) {
	if len(events) == 0 {
		return nil, &deed.Error{Op: "replay", Code: deed.CodeInvalid, Err: errors.New("the trace is empty")}
	}
	type state struct {
		decision string
		finished bool
		line     int
	}
	var out []deed.Proposal
	acts := map[string]*state{}
	var order []*state
	run, seq := events[0].Run, 0
	for i := range events {
		e := &events[i]
		line := e.Line
		if line == 0 {
			line = i + 1
		}
		bad := func(format string, args ...any) ([]deed.Proposal, error) {
			return nil, &deed.Error{Op: "replay", Code: deed.CodeInvalid, Where: fmt.Sprintf("line %d", line), Err: fmt.Errorf(format, args...)}
		}
		if err := e.check(); err != nil {
			return bad("%w", err)
		}
		hidden, err := marked(e)
		switch {
		case err != nil:
			return bad("it cannot be read back")
		case hidden:
			return bad("something is masked: only an unsafe trace can be replayed")
		case e.Run != run:
			return bad("it is of another run")
		case run != "" && e.Seq <= seq:
			return bad("its number does not increase")
		case e.Cut:
			line++
			return bad("a record was never finished")
		}
		seq = e.Seq
		a := acts[e.ID]
		if e.Kind != Note && e.Kind != Proposed && (a == nil || a.finished) {
			return bad("nothing was proposed")
		}
		decision := ""
		if a != nil {
			decision = a.decision
		}
		if err := rule(e, decision); err != nil {
			return bad("%w", err)
		}
		switch e.Kind {
		case Proposed:
			if a != nil {
				return bad("the id was proposed before")
			}
			if e.Proposal == nil {
				return bad("the proposal is not in the trace: only an unsafe trace can be replayed")
			}
			p, err := decode(e.Proposal)
			if err != nil {
				return bad("%w", fact(err))
			}
			if p == nil || p.ID != e.ID || p.Action.Kind != e.Action.Kind {
				return bad("the proposal is another one")
			}
			a = &state{line: line}
			acts[e.ID] = a
			order = append(order, a)
			out = append(out, *p)
		case Decided:
			a.decision = e.Decision
		case Finished:
			a.finished = true
		}
	}
	for _, a := range order {
		if !a.finished {
			return nil, &deed.Error{Op: "replay", Code: deed.CodeInvalid, Where: fmt.Sprintf("line %d", a.line), Err: errors.New("what became of it is not told")}
		}
	}
	if len(out) == 0 {
		return nil, &deed.Error{Op: "replay", Code: deed.CodeInvalid, Err: errors.New("nothing was proposed")}
	}
	return out, nil
}

// marked reports whether something in the record is masked, in a key or a value, however it is written there.
func marked(e *Event) (bool, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return false, err
	}
	// What is kept as it was submitted may spell the mark with escapes.
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return false, err
	}
	if text, err = json.Marshal(tree); err != nil {
		return false, err
	}
	return bytes.Contains(bytes.ToLower(text), []byte(deed.Redacted)), nil
}

// First are the records of the first n actions, so that a run can be compared with a recorded one while it goes on.
func First(events []Event, n int) []Event {
	ids := map[string]bool{}
	for i := range events {
		if e := &events[i]; e.Kind == Proposed {
			if len(ids) == n {
				return events[:i]
			}
			ids[e.ID] = true
		}
	}
	return events
}

// A Divergence is something that came out otherwise than it was recorded.
type Divergence struct {
	Step  int    `json:"step,omitempty"`
	ID    string `json:"id,omitempty"` // in what was recorded; in the other where it is not there
	Line  int    `json:"line,omitempty"`
	Field string `json:"field"` // action, decision, rule, element, answer, way, outcome, verdict, code, changes, prevented, undone, blocked
	Was   string `json:"was"`
	Now   string `json:"now"`
}

// Compare tells how a run went otherwise than the recorded one. Actions are paired in the order in which they were proposed, since ids are
// pseudonyms of a run. When things happened, and how long they took, is not compared; nor is the order of changes.
func Compare(recorded, now []Event) []Divergence {
	was, is := tracks(recorded), tracks(now)
	var out []Divergence
	for i := range max(len(was), len(is)) {
		var a, b track
		at := track{}
		switch {
		case i >= len(was):
			b = is[i]
			at = b
		case i >= len(is):
			a = was[i]
			at = a
		default:
			a, b = was[i], is[i]
			at = a
		}
		for _, f := range fields {
			if a.facts[f] != b.facts[f] {
				out = append(out, Divergence{at.step, at.id, at.line, f, a.facts[f], b.facts[f]})
				if f == "action" {
					break // another action altogether
				}
			}
		}
	}
	return out
}

// fields are what is compared, in this order.
var fields = []string{"action", "decision", "rule", "element", "answer", "way", "outcome", "verdict", "code", "changes", "prevented", "undone", "blocked"}

// A track is what the records tell of one action.
type track struct {
	step, line int
	id         string
	facts      map[string]string
}

func tracks(events []Event) []track {
	type key struct{ run, id string }
	var out []track
	last := map[key]int{}
	for i := range events {
		e := &events[i]
		if e.Kind == Note {
			continue
		}
		k := key{e.Run, e.ID}
		n, ok := last[k]
		if !ok || e.Kind == Proposed {
			n = len(out)
			last[k] = n
			out = append(out, track{e.Step, e.Line, e.ID, map[string]string{}})
		}
		f := out[n].facts
		add := func(name, value string) {
			// What happened more than once is compared as a whole: asked again, another way, an undo.
			if value != "" {
				if e.Undo {
					value = "undo " + value
				}
				if f[name] != "" {
					value = f[name] + ", " + value
				}
				f[name] = value
			}
		}
		switch e.Kind {
		case Proposed:
			add("action", e.Action.String())
		case Decided:
			add("decision", e.Decision)
			add("rule", e.Rule)
			if e.Element != nil {
				add("element", strings.TrimSpace(fmt.Sprintf("%s %q %s", e.Element.Role, e.Element.Name, e.Element.Region)))
			}
		case Confirmed:
			add("answer", e.Answer)
		case Started:
			add("way", e.Way)
		case Finished:
			add("outcome", e.Outcome)
			add("verdict", e.Verdict)
			add("code", e.Code)
			add("changes", sorted(e.Changes))
			add("blocked", sorted(e.Blocked))
			if e.Prevented > 0 {
				add("prevented", fmt.Sprint(e.Prevented))
			}
			if e.Undone > 0 {
				add("undone", fmt.Sprint(e.Undone))
			}
		}
	}
	return out
}

func sorted(in []string) string {
	c := slices.Clone(in)
	slices.Sort(c)
	return strings.Join(c, "\n")
}
