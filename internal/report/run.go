package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// StepLine is the progress of one step, one line: its mark, what was done, what became of it, and how long it took.
func StepLine(s deed.StepResult, st Style) string {
	var note []string
	switch {
	case s.Outcome == deed.OutcomeVerified && s.Basis != "":
		note = append(note, string(s.Basis))
	case s.Outcome != deed.OutcomeVerified:
		note = append(note, s.Outcome.String())
	}
	if s.Prevented > 0 {
		note = append(note, fmt.Sprintf("%d prevented", s.Prevented))
	}
	if s.Undone > 0 {
		note = append(note, fmt.Sprintf("%d undone", s.Undone))
	}
	line := fmt.Sprintf("%s %2d %-8s %s", mark(s.Outcome, st), s.N, s.Do, printable(clip(s.Locator, 100)))
	if len(note) > 0 {
		line += "  " + st.Dim(strings.Join(note, ", "))
	}
	if s.Outcome == deed.OutcomeSkipped {
		return line
	}
	return line + "  " + st.Dim(duration(s.DurationMS))
}

func mark(o deed.Outcome, st Style) string {
	switch {
	case o == deed.OutcomeSkipped:
		return st.Dim("-")
	case o.OK():
		return st.Good("✓")
	}
	return st.Bad("✗")
}

func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < time.Second {
		return d.String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// CaseLine is what became of a case, one line.
func CaseLine(c deed.CaseResult, st Style) string {
	proven := 0
	for i := range c.Steps {
		if c.Steps[i].Outcome.OK() {
			proven++
		}
	}
	return fmt.Sprintf("%s %s: %s  %s", mark(c.Outcome, st), st.Bold(c.Case), outcome(c.Outcome, st),
		st.Dim(fmt.Sprintf("%d of %s proven, %s", proven, count(len(c.Steps), "step"), duration(c.DurationMS))))
}

// CaseNotes are what else a person should know of a case, in lines: what was healed, what became of its lock, how often it was attempted.
func CaseNotes(c deed.CaseResult, st Style) []string {
	var out []string
	add := func(what, text string) { out = append(out, fmt.Sprintf("  %-8s %s", what, printable(clip(text, 300)))) }
	for i := range c.Steps {
		if h := c.Steps[i].Healed; h != nil && c.Steps[i].Outcome == deed.OutcomeHealed {
			add("healed", fmt.Sprintf("%s → %s (%s)", h.Old, h.New, h.Why))
		}
	}
	if c.Lock != "" && c.Lock != deed.LockHit {
		add("lock", c.Lock)
		const most = 12
		for i, l := range c.LockChange {
			if c.Lock == deed.LockNew || i == most {
				break
			}
			out = append(out, "           "+printable(clip(l, 200)))
		}
	}
	if c.Flaky {
		add("flaky", fmt.Sprintf("proven at attempt %d", len(c.Retries)+1))
	}
	if c.Quarantine && !c.Outcome.OK() {
		add("note", "it is in quarantine: the run's outcome does not depend on it")
	}
	for _, n := range c.Notes {
		add("note", n)
	}
	for i := range out {
		out[i] = st.Dim(out[i])
	}
	return out
}

func outcome(o deed.Outcome, st Style) string {
	if o.OK() {
		return st.Good(o.String())
	}
	return st.Bad(o.String())
}

// Run writes the summary of a run: what failed, each with where it is written, what was asked, what happened and what
// to do, and one line in all. The cases say where each step is written; they may be nil.
func Run(w io.Writer, r *deed.RunResult, cases []deed.Case, st Style) error {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(problem(p, st))
	}
	for i := range r.Cases {
		if !r.Cases[i].Outcome.OK() {
			failure(&b, &r.Cases[i], written(cases, r.Cases[i].Case), st)
		}
	}
	if b.Len() > 0 && len(r.Cases) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(total(r, st) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Problem is a complaint about a file, in the form that editors and terminals make a link of.
func problem(p deed.ProblemResult, st Style) string {
	s := st.Bold(printable(p.Pos)) + ": " + printable(p.Message) + "\n"
	if p.Hint != "" {
		s += "  hint: " + printable(p.Hint) + "\n"
	}
	return s
}

// Problems writes complaints about files, one line each, with a hint under it where there is one.
func Problems(w io.Writer, problems []deed.ProblemResult, st Style) error {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(problem(p, st))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func written(cases []deed.Case, id string) *deed.Case {
	for i := range cases {
		if cases[i].ID == id {
			return &cases[i]
		}
	}
	return nil
}

// failure tells why a case is not proven.
func failure(b *strings.Builder, c *deed.CaseResult, from *deed.Case, st Style) {
	line := func(key, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %s %s\n", st.Dim(fmt.Sprintf("%-9s", key)), printable(text))
		}
	}
	fmt.Fprintf(b, "\n%s %s\n", st.Bad(strings.ToUpper(c.Outcome.String())), st.Bold(c.Case))
	if len(c.Steps) == 0 || c.Reason != "" {
		if from != nil {
			line("at", from.File)
			line("start", from.Start)
		}
		line("why", withCode(c.Reason, c.Code))
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.Outcome.OK() || s.Outcome == deed.OutcomeSkipped {
			continue
		}
		if from != nil && s.N-1 < len(from.Steps) {
			step := &from.Steps[s.N-1]
			line("at", step.Pos.String())
			line("step", fmt.Sprintf("%d %s %s", s.N, s.Do, s.Locator))
			for j := range step.Action.Expect {
				if step.Action.Kind == deed.KindWait || step.Action.Kind == deed.KindExpect {
					if j == 0 {
						continue // it is what the step is called by
					}
				}
				line("expected", step.Action.Expect[j].String())
			}
			line("intent", step.Action.Intent)
		} else {
			line("step", fmt.Sprintf("%d %s %s", s.N, s.Do, s.Locator))
		}
		kind := string(s.Mismatch)
		if kind == "" {
			kind = string(s.Code)
		}
		line("why", withCode(s.Reason, deed.Code(kind)))
		list(b, "changed", s.Changes, st)
		switch {
		case s.Undone > 0 && len(s.Residue) == 0:
			line("undone", "yes, nothing is left of it")
		case s.Undone > 0:
			list(b, "left", s.Residue, st)
		}
		if s.Prevented > 0 {
			line("prevented", count(s.Prevented, "gesture")+" stopped before the page saw it")
		}
		list(b, "blocked", s.Blocked, st)
		line("hint", s.Hint)
	}
}

func withCode(reason string, code deed.Code) string {
	if code == "" || strings.Contains(reason, string(code)) {
		return reason
	}
	return reason + " (" + string(code) + ")"
}

const listed = 12

// list writes changes, which quote what the page wrote.
func list(b *strings.Builder, key string, lines []string, st Style) {
	for i, l := range lines {
		if i == listed {
			fmt.Fprintf(b, "  %9s … %d more\n", "", len(lines)-listed)
			break
		}
		if i > 0 {
			key = ""
		}
		fmt.Fprintf(b, "  %s %s\n", st.Dim(fmt.Sprintf("%-9s", key)), printable(l))
	}
}

// Total is a run in one line: how many cases ended how, how many steps are proven, and the time it took.
func Total(r *deed.RunResult, st Style) string { return total(r, st) }

// total is the last line of a run.
func total(r *deed.RunResult, st Style) string {
	if len(r.Cases) == 0 {
		return st.Bad(count(len(r.Problems), "problem") + ", nothing was run")
	}
	counts := map[deed.Outcome]int{}
	steps := 0
	for i := range r.Cases {
		counts[r.Cases[i].Outcome]++
		for j := range r.Cases[i].Steps {
			if r.Cases[i].Steps[j].Outcome.OK() {
				steps++
			}
		}
	}
	var parts []string
	for o := deed.OutcomeVerified; o >= deed.OutcomeFailed; o-- {
		if n := counts[o]; n > 0 {
			text := fmt.Sprintf("%d %s", n, o)
			if o.OK() {
				parts = append(parts, st.Good(text))
			} else {
				parts = append(parts, st.Bad(text))
			}
		}
	}
	return fmt.Sprintf("%s: %s; %s proven in %s", count(len(r.Cases), "case"), strings.Join(parts, ", "), count(steps, "step"), duration(r.DurationMS))
}

// ProposalLine tells of one proposal of a plan: its step, and why where it was not done and proven.
func ProposalLine(s deed.StepResult, dryRun bool, st Style) string {
	line := StepLine(s, st)
	if dryRun {
		return line + "  " + st.Dim("would be done")
	}
	if !s.Outcome.OK() {
		line += "\n     " + printable(clip(withCode(s.Reason, s.Code), 300))
		if s.Hint != "" {
			line += "\n     " + st.Dim("hint: "+printable(clip(s.Hint, 200)))
		}
	}
	for _, b := range s.Blocked {
		line += "\n     " + st.Dim("blocked: "+printable(clip(b, 200)))
	}
	return line
}
