package history

import (
	"context"
	"fmt"
	"strings"

	"github.com/deed-dev/deed"
)

// everything is a limit that no history reaches.
const everything = 1 << 40

// A Why tells of the last failure of a case.
type Why struct {
	Case  string `json:"case"`
	Title string `json:"title,omitempty"`
	File  string `json:"file,omitempty"`
	Standing

	Failure     *Result      `json:"failure,omitempty"`      // the last one; nil where it never failed. Of a pass after a retry: the attempt before
	OfAttempts  int          `json:"of_attempts,omitempty"`  // where Failure is an attempt before a pass: how many it took
	Cause       string       `json:"cause,omitempty"`        // of it: see the Cause words
	Step        *Step        `json:"step,omitempty"`         // that it ended at
	PassedStep  *Step        `json:"passed_step,omitempty"`  // the same step, when the case passed last before
	FirstFailed *Result      `json:"first_failed,omitempty"` // with which this spell of failures began
	LastPassed  *Result      `json:"last_passed,omitempty"`  // before that
	PassedSince *Result      `json:"passed_since,omitempty"` // the first pass after the failure; nil where it fails still
	InARow      int          `json:"in_a_row,omitempty"`     // results of the spell
	Differs     []Difference `json:"differs,omitempty"`      // between LastPassed and FirstFailed
	Try         []string     `json:"try,omitempty"`
}

// The causes of a failure.
const (
	CauseProduct     = "product"     // what the pages did is not what was meant
	CausePlan        = "plan"        // what the case asks for cannot be done as it says
	CausePolicy      = "policy"      // it was not allowed
	CauseEnvironment = "environment" // the machine, its browser or the server
)

// A Difference is something that two runs were told, or found, otherwise.
type Difference struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s → %s", d.What, or(d.Before, "none"), or(d.After, "none"))
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// failed reports whether a result is a failure to tell of; a case that was skipped or cancelled is none.
func failed(r *Result) bool {
	return !r.Outcome.OK() && r.Outcome != deed.OutcomeSkipped && r.Outcome != deed.OutcomeCancelled
}

// Why tells of the last failure of a case.
func (h *DB) Why(ctx context.Context, name string) (*Why, error) {
	c, err := h.Case(ctx, name, Filter{Limit: everything})
	if err != nil {
		return nil, err
	}
	all := c.Results // newest first
	w := &Why{Case: c.Case, Title: c.Title, File: c.File, Standing: Stand(all[:min(len(all), DefaultLimit)])}
	at := 0
	for at < len(all) && !failed(&all[at]) && !all[at].Flaky {
		if all[at].Outcome.OK() {
			w.PassedSince = &all[at]
		}
		at++
	}
	if at == len(all) {
		w.PassedSince = nil
		return w, nil
	}
	w.Failure = &all[at]
	from := at
	if w.Failure.Flaky {
		// It passed in the end: what is told of is the attempt before.
		if w.Failure, err = h.attemptBefore(ctx, &all[at]); err != nil {
			return nil, err
		}
		w.OfAttempts, w.FirstFailed, w.InARow = all[at].Attempts, w.Failure, 1
		w.PassedSince = &all[at]
		from++
	}
	for i := from; i < len(all); i++ {
		if r := &all[i]; failed(r) && w.OfAttempts == 0 {
			w.FirstFailed = r
			w.InARow++
		} else if r.Outcome.OK() {
			w.LastPassed = r
			break
		}
	}
	steps, err := h.steps(ctx, w.Failure.id)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if steps[i].N == w.Failure.Step {
			w.Step = &steps[i]
		}
	}
	if w.LastPassed != nil {
		before, err := h.steps(ctx, w.LastPassed.id)
		if err != nil {
			return nil, err
		}
		first, err := h.steps(ctx, w.FirstFailed.id)
		if err != nil {
			return nil, err
		}
		w.Differs = differs(w.LastPassed, w.FirstFailed, before, first)
		for _, p := range align(before, steps) {
			if w.Step != nil && p.before != nil && p.after != nil && p.after.N == w.Step.N {
				w.PassedStep = p.before
			}
		}
	}
	w.Cause = cause(w.Failure)
	w.Try = advice(w)
	return w, nil
}

// attemptBefore is the attempt before the last one of a result, which did not pass.
func (h *DB) attemptBefore(ctx context.Context, r *Result) (*Result, error) {
	found, err := collect(ctx, h, scanResult, "SELECT "+resultColumns+` FROM attempts f JOIN attempts a ON a.run_id = f.run_id AND a.place = f.place AND a.attempt = f.attempt - 1
		JOIN runs r ON r.id = a.run_id WHERE f.id = ?`, r.id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return r, nil // whoever wrote the result did not tell of it
	}
	return &found[0], nil
}

// differs lists what was otherwise when a case failed first than when it passed last.
func differs(passed, failed *Result, before, after []Step) []Difference {
	var out []Difference
	for _, d := range []Difference{{"base URL", passed.BaseURL, failed.BaseURL}, {"browser", passed.Browser, failed.Browser},
		{"lock", passed.Lock, failed.Lock}, {"shard", passed.Shard, failed.Shard}, {"lock rewritten", "", strings.Join(failed.LockChange, ", ")}} {
		if d.Before != d.After {
			out = append(out, d)
		}
	}
	for _, p := range align(before, after) {
		switch {
		case p.before != nil && p.after != nil:
			// What the step that failed did is told of by itself, and those after it follow from it.
			if b, a := p.before, p.after; a.N > 0 && a.N < failed.Step && a.Outcome.OK() {
				lost, gained := less(b.Changes, a.Changes), less(a.Changes, b.Changes)
				if len(lost)+len(gained) > 0 {
					out = append(out, Difference{What: fmt.Sprintf("effects of step %d, %s", a.N, a.Object()), Before: strings.Join(lost, ", "), After: strings.Join(gained, ", ")})
				}
			}
		case p.before == nil:
			out = append(out, Difference{What: fmt.Sprintf("step %d", p.after.N), After: p.after.Object()})
		case p.after == nil:
			out = append(out, Difference{What: fmt.Sprintf("step %d", p.before.N), Before: p.before.Object()})
		}
	}
	return out
}

func cause(r *Result) string {
	switch general := r.Code.General(); {
	case environmental(r), r.Code == deed.CodeNavigation, r.Code == deed.CodePageClosed, r.Code == deed.CodeInternal:
		return CauseEnvironment
	case general == deed.CodeRefused || r.Outcome == deed.OutcomeRefused:
		return CausePolicy
	case general == deed.CodeNotResolved, general == deed.CodeInvalid, general == deed.CodeUnsupported, r.Code == deed.CodeAmbiguous, r.Outcome == deed.OutcomeAmbiguous:
		return CausePlan
	}
	return CauseProduct
}

// hints say what to do about a code. Every code has one; that of a general code holds for its cases too where they have none.
var hints = map[deed.Code]string{
	deed.CodeInvalid:       "mend the place of the case file that is named",
	deed.CodeUnsupported:   "choose another way to do it: this element, or this browser, does not offer it",
	deed.CodeNotResolved:   "correct the role, the name or the region of the locator",
	deed.CodeNoMatch:       "correct the role, the name or the region: the nearest candidates are in the reason; `deed observe URL` shows what is there",
	deed.CodeManyMatches:   "add in, near, frame or nth to the locator, so that one element is meant",
	deed.CodeStaleRef:      "observe again: the element that the ref was of is gone",
	deed.CodeNotActionable: "do first what lets the element be acted on",
	deed.CodeCovered:       "close what lies over the element first, in a step of its own",
	deed.CodeDisabled:      "do first what enables the element, or wait for it: `wait: {state: …, disabled: false}`",
	deed.CodeReadOnly:      "the field cannot be changed: see whether another one is meant",
	deed.CodeUnstable:      "wait for what moves or replaces the element, in a step before",
	deed.CodeNotVisible:    "open, or scroll to, what holds the element first",
	deed.CodePrevented:     "another element would have received the gesture: see under what was guarded which one, and what brings it there",
	deed.CodeNoOption:      "take one of the options that are named in the reason",
	deed.CodeUnproven:      "say with expect what the step has to bring about",
	deed.CodeMismatch:      "compare what happened with what the case expects: either the application changed, and is wrong, or the case has to follow it",
	deed.CodeAmbiguous:     "say with expect what the step has to bring about: what happened proves neither",
	deed.CodeDiverged:      "see what diverged: either the application changed, and is wrong, or the lock has to follow it",
	deed.CodeUndoFailed:    "look at the application before going on: what is left of the wrong effect is listed",
	deed.CodeIrreversible:  "take back by hand what the step did: it cannot be undone from the page",
	deed.CodeRefused:       "allow it in the policy, or list the origin under origins, if it is meant",
	deed.CodeBudget:        "raise the limit, if that many are meant",
	deed.CodeCancelled:     "run it again: it was ended before it was done",
	deed.CodeTimeout:       "see what the page waits for; give the step or the case a longer timeout only if that is in order",
	deed.CodeEnvironment:   "run `deed doctor`: the machine was at fault, not the case",
	deed.CodeNoBrowser:     "run `deed doctor`: it says how to get a browser",
	deed.CodeDisconnected:  "run it again; if the browser ends each time, look for what ends it (memory, a sandbox): `deed doctor`",
	deed.CodeCrashed:       "run it again; if the page crashes each time, that is a defect of the page or too little memory",
	deed.CodePageClosed:    "see what closed the page: a step before, or the application itself",
	deed.CodeNavigation:    "see whether the server runs, and whether --base-url is the right one",
	deed.CodeScript:        "mend the script of the eval step",
	deed.CodeInternal:      "this is a defect of deed: please report it, with the trace of the run",
}

// advice says what to do about a failure.
func advice(w *Why) []string {
	var out []string
	s := w.Step
	if s != nil && s.Hint != "" {
		out = append(out, s.Hint)
	}
	code := w.Failure.Code
	if h, ok := hints[code]; ok {
		out = append(out, h)
	} else if h, ok := hints[code.General()]; ok {
		out = append(out, h)
	}
	if s != nil {
		if len(s.Diverged) > 0 {
			out = append(out, "if the new effects are right: `deed run FILE --update-effects` accepts them, and shows the difference first")
		}
		if len(s.Blocked) > 0 {
			out = append(out, "the step was kept from reaching an address: list it under origins, if it is meant")
		}
		for _, r := range s.Requests {
			if r.Failed != "" || r.Status >= 500 {
				out = append(out, fmt.Sprintf("look into the server's log for %s %s", r.Method, r.URL))
				break
			}
		}
		if s.Healed != nil {
			out = append(out, fmt.Sprintf("write the new address into the case, if it is the same element: %s", s.Healed.New))
		}
	}
	if w.PassedSince != nil || w.Class == Flaky {
		out = append(out, "it passes at times: `deed run FILE --repeat 10` shows how often; wait for what the step needs, instead of retrying")
	}
	for _, d := range w.Differs {
		switch d.What {
		case "base URL":
			out = append(out, "run it against "+or(d.Before, "the address of before")+" again: that tells whether the address is the reason")
		case "browser":
			out = append(out, "run it with "+or(d.Before, "the browser of before")+" again: that tells whether the browser is the reason")
		}
	}
	return out
}
