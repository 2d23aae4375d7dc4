package trend

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/history"
	"github.com/deed-dev/deed/internal/report"
)

// Cases is the table of cases, worst first.
func Cases(runs []history.Run, cases []history.Case, now time.Time, st report.Style) string {
	var b strings.Builder
	if len(cases) == 0 {
		return "no case ran\n"
	}
	var rows [][]cell
	for i := range cases {
		c := &cases[i]
		rows = append(rows, []cell{
			styled(plain(c.Case, 40), st.Bold),
			{class(c.Class, st), len(c.Class)},
			{outcome(c.Last, st), len(c.Last.String())},
			text(fmt.Sprintf("%d/%d", c.Failed, c.Counted)),
			text(share(c.FailureRate)),
			text(share(c.FlakeRate)),
			{outcomes(c.Results, st), len(c.Results)},
			text(took(c.P50MS)),
			text(took(c.P95MS)),
			styled(times(c.Results), st.Dim),
		})
	}
	table(&b, st, []string{"case", "class", "last", ">failed", ">", ">flaky", "outcomes", ">p50", ">p95", "times"}, rows)
	b.WriteByte('\n')
	b.WriteString(st.Dim(legend+"   (oldest first)") + "\n")
	if len(runs) > 0 {
		fmt.Fprintf(&b, "%s; the last one, %s, was %s (%s)\n", plural(len(cases), "case"), runs[0].Run, outcome(runs[0].Outcome, st), ago(runs[0].Started, now))
	}
	return b.String()
}

// OneCase is a case and its runs, newest first.
func OneCase(c *history.Case, st report.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", st.Bold(plain(c.Case, 0)), class(c.Class, st))
	if c.Title != "" {
		b.WriteString("  " + plain(c.Title, 100))
	}
	b.WriteByte('\n')
	b.WriteString(standing(&c.Standing) + "\n\n")
	var rows [][]cell
	for i := range c.Results {
		r := &c.Results[i]
		note := ""
		if !r.Outcome.OK() {
			note = plain(string(r.Code)+": "+r.Reason, 100)
			if r.Code == "" {
				note = plain(r.Reason, 100)
			}
			if r.Step != 0 {
				note = stepName(r.Step) + ", " + note
			}
		}
		tries := ""
		if r.Attempts > 1 {
			tries = plural(r.Attempts, "attempt")
		}
		rows = append(rows, []cell{{paint(mark(r), st), 1}, text(r.Run), text(stamp(r.Started)), {outcome(r.Outcome, st), len(r.Outcome.String())},
			text(took(r.DurationMS)), text(tries), text(plain(r.Browser, 40)), text(plain(r.BaseURL, 60)), text(note)})
	}
	table(&b, st, []string{"", "run", "began", "outcome", ">took", "", "browser", "base URL", ""}, rows)
	return b.String()
}

func standing(s *history.Standing) string {
	out := fmt.Sprintf("of its last %s that tell something %d failed (%s)", plural(s.Counted, "result"), s.Failed, share(s.FailureRate))
	if s.Retried > 0 {
		out += fmt.Sprintf(", %d passed only after a retry", s.Retried)
	}
	if s.Spells > 1 {
		out += fmt.Sprintf(", it began to fail %d times", s.Spells)
	}
	return out + fmt.Sprintf("; it takes %s, and %s at the 95th percentile", took(s.P50MS), took(s.P95MS))
}

func stepName(n int) string {
	if n < 0 {
		return fmt.Sprintf("step %d of the teardown", -n)
	}
	return fmt.Sprintf("step %d", n)
}

// Why tells of the last failure of a case, in words.
func Why(w *history.Why, now time.Time, st report.Style) string {
	var b strings.Builder
	if w.Failure == nil {
		if w.Counted == 0 {
			return fmt.Sprintf("%s has neither passed nor failed in the runs that are kept\n", st.Bold(plain(w.Case, 0)))
		}
		fmt.Fprintf(&b, "%s has not failed in the runs that are kept\n", st.Bold(plain(w.Case, 0)))
		fmt.Fprintf(&b, "  %s\n", standing(&w.Standing))
		return b.String()
	}
	f := w.Failure
	line := func(label, what string) { fmt.Fprintf(&b, "  %s %s\n", st.Dim(fmt.Sprintf("%-12s", label)), what) }
	more := func(label string, lines []string) {
		for i, l := range lines {
			if i > 0 {
				label = ""
			}
			line(label, plain(l, 200))
		}
	}
	state := "still fails"
	if w.OfAttempts > 0 {
		state = "passed when it was attempted again"
	} else if w.PassedSince != nil {
		state = "has passed since"
	} else if !w.Last.OK() && f.Run != w.LastRun {
		state = "has not run to its end since"
	}
	fmt.Fprintf(&b, "%s failed %s and %s  %s\n", st.Bold(plain(w.Case, 0)), ago(f.Started, now), state, outcome(f.Outcome, st))
	if w.Title != "" {
		line("title", plain(w.Title, 200))
	}
	run := fmt.Sprintf("%s, %s", f.Run, stamp(f.Started))
	if w.OfAttempts > 0 {
		run += fmt.Sprintf(", attempt %d of %d", f.Attempts, w.OfAttempts)
	}
	line("run", run)
	switch s := w.Step; {
	case s != nil:
		asked := stepName(s.N)
		if s.N > 0 {
			asked = fmt.Sprintf("step %d of %d", s.N, f.Steps)
		}
		line("asked", asked+": "+plain(s.Object(), 200))
	default:
		line("asked", "the case as a whole; no step of it failed")
	}
	happened := plain(f.Reason, 400)
	if happened == "" {
		happened = "no reason was given"
	}
	if f.Code != "" {
		happened += "  " + st.Dim("("+string(f.Code)+")")
	}
	line("happened", happened)
	if s := w.Step; s != nil {
		if s.Prevented > 0 {
			line("", plural(s.Prevented, "gesture")+" stopped by the guard before the page saw it")
		}
		if s.Undone > 0 {
			line("", plural(s.Undone, "effect")+" taken back")
		}
		more("changes", s.Changes)
		if w.PassedStep != nil && w.PassedStep.Outcome.OK() && len(w.PassedStep.Changes) > 0 {
			more("before", w.PassedStep.Changes)
		}
		more("left over", s.Residue)
		var diverged []string
		for _, d := range s.Diverged {
			diverged = append(diverged, d.String())
		}
		more("diverged", diverged)
		more("guarded", s.Guarded)
		more("blocked", s.Blocked)
		var requests []string
		for _, r := range s.Requests {
			requests = append(requests, fmt.Sprintf("%s %s: %s", r.Method, r.URL, cmp.Or(r.Failed, fmt.Sprint(r.Status))))
		}
		more("requests", requests)
		more("console", s.Console)
		if s.Healed != nil {
			line("healed", plain(s.Healed.Old+" → "+s.Healed.New+": "+s.Healed.Why, 300))
		}
	}
	line("cause", causes[w.Cause])
	since := fmt.Sprintf("%s, %s", w.FirstFailed.Run, stamp(w.FirstFailed.Started))
	if w.InARow > 1 {
		since += fmt.Sprintf(" (%d in a row)", w.InARow)
	}
	line("since", since)
	if w.LastPassed != nil {
		line("passed in", fmt.Sprintf("%s, %s", w.LastPassed.Run, stamp(w.LastPassed.Started)))
		if len(w.Differs) == 0 {
			line("what differs", "nothing that the runs tell: the application itself, its data, or chance")
		}
		var lines []string
		for _, d := range w.Differs {
			lines = append(lines, d.String())
		}
		more("what differs", lines)
	} else {
		line("passed in", "no run that is kept")
	}
	if w.PassedSince != nil {
		line("again in", fmt.Sprintf("%s, %s", w.PassedSince.Run, stamp(w.PassedSince.Started)))
	}
	line("how flaky", class(w.Class, st)+": "+standing(&w.Standing))
	more("try", w.Try)
	return b.String()
}

// causes say what kind of thing was at fault.
var causes = map[string]string{
	history.CauseProduct:     "the pages: what they did is not what was meant",
	history.CausePlan:        "the case: it cannot be done, or be proven, as it is written",
	history.CausePolicy:      "the policy: it was not allowed",
	history.CauseEnvironment: "the surroundings: machine, browser or server",
}

// noise says by which statistic durations are told apart.
const noise = "durations differ where they do by more than 3 median absolute deviations (as standard deviations) of the last 20 proven results, a quarter of their median, and 100 ms"

// Diff tells how two runs differ.
func Diff(d *history.RunDiff, now time.Time, st report.Style) string {
	var b strings.Builder
	for _, r := range []struct {
		label string
		run   *history.Run
	}{{"before", &d.Before}, {"after", &d.After}} {
		fmt.Fprintf(&b, "%s %s  %s, %d of %s proven, %s, %s\n", st.Dim(fmt.Sprintf("%-7s", r.label)), st.Bold(r.run.Run), outcome(r.run.Outcome, st), r.run.Proven,
			plural(r.run.Cases, "case"), took(r.run.DurationMS), ago(r.run.Started, now))
	}
	for _, x := range d.Differs {
		fmt.Fprintf(&b, "  %s\n", plain(x.String(), 200))
	}
	timed := false
	for i := range d.Cases {
		c := &d.Cases[i]
		timed = timed || c.Took != nil
		fmt.Fprintf(&b, "\n%s  %s\n", st.Bold(plain(c.Case, 0)), turned(c.Before, c.After, st))
		if c.Flaky != "" {
			fmt.Fprintf(&b, "  passed only after a retry %s\n", c.Flaky)
		}
		if c.Took != nil {
			fmt.Fprintf(&b, "  %s\n", slower(c.Took))
		}
		said := false
		for j := range c.Steps {
			s := &c.Steps[j]
			timed = timed || s.Took != nil
			said = said || s.Reason == c.Reason
			stepDiff(&b, s, st)
		}
		if c.Reason != "" && !said {
			fmt.Fprintf(&b, "  %s\n", plain(c.Reason, 300))
		}
	}
	b.WriteByte('\n')
	for _, l := range []struct {
		label string
		names []string
	}{{"new", d.New}, {"gone", d.Gone}} {
		if len(l.names) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", l.label, plain(strings.Join(l.names, ", "), 0))
		}
	}
	fmt.Fprintf(&b, "%s %s, %d do not\n", plural(len(d.Cases), "case"), map[bool]string{true: "differs", false: "differ"}[len(d.Cases) == 1], d.Same)
	if timed {
		b.WriteString(st.Dim(noise) + "\n")
	}
	return b.String()
}

func turned(before, after deed.Outcome, st report.Style) string {
	if before == after {
		return outcome(after, st)
	}
	return outcome(before, st) + " → " + outcome(after, st)
}

func slower(t *history.Took) string {
	return fmt.Sprintf("took %s → %s (%+d ms; noise ±%d ms, of %s)", took(t.BeforeMS), took(t.AfterMS), t.AfterMS-t.BeforeMS, t.NoiseMS, plural(t.Samples, "result"))
}

func stepDiff(b *strings.Builder, s *history.StepDiff, st report.Style) {
	n := s.AfterN
	if n == 0 {
		n = s.BeforeN
	}
	head := fmt.Sprintf("  %s %s", stepName(n), plain(s.Object, 120))
	switch {
	case s.BeforeN == 0:
		fmt.Fprintf(b, "%s  %s\n", head, st.Warn("is new"))
		return
	case s.AfterN == 0:
		fmt.Fprintf(b, "%s  %s\n", head, st.Warn("is gone"))
		return
	case s.Before != s.After:
		head += "  " + turned(s.Before, s.After, st)
	}
	b.WriteString(head + "\n")
	if s.Reason != "" {
		fmt.Fprintf(b, "    %s\n", plain(s.Reason, 300))
	}
	for _, l := range []struct {
		label string
		lines []string
		paint func(string) string
	}{{"no longer", s.Lost, st.Bad}, {"now", s.Gained, st.Good}, {"diverged", s.Diverged, st.Bad}, {"no longer diverged", s.NoDiverged, st.Good}} {
		for _, text := range l.lines {
			fmt.Fprintf(b, "    %s %s\n", st.Dim(l.label), l.paint(plain(text, 200)))
		}
	}
	if s.Took != nil {
		fmt.Fprintf(b, "    %s\n", slower(s.Took))
	}
}
