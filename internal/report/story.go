package report

import (
	"fmt"
	"strings"

	"github.com/deed-dev/deed"
)

// failed reports whether an attempt is one that people must look at: neither proven nor left out.
func failed(c *deed.CaseResult) bool { return !c.Outcome.OK() && c.Outcome != deed.OutcomeSkipped }

// name is what a case is called where one line has room for it.
func name(c *deed.CaseResult) string {
	switch {
	case c.Title != "":
		return c.Title
	case c.Case != "":
		return c.Case
	}
	return c.File
}

// first is the step that ended an attempt, nil where none did.
func first(c *deed.CaseResult) *deed.StepResult {
	for _, list := range [][]deed.StepResult{c.Steps, c.Teardown} {
		for i := range list {
			if s := &list[i]; !s.Outcome.OK() && s.Outcome != deed.OutcomeSkipped {
				return s
			}
		}
	}
	return nil
}

// why is the reason of an attempt that is not proven, in one sentence, with its step.
func why(c *deed.CaseResult) string {
	s := first(c)
	if s == nil {
		if c.Reason != "" {
			return c.Reason
		}
		return c.Outcome.String()
	}
	return fmt.Sprintf("step %d, %s: %s", s.N, strings.TrimSpace(string(s.Do)+" "+s.Locator), s.Reason)
}

// kind is the most telling word for why an attempt is not proven: the mismatch, else the code, else the outcome.
func kind(c *deed.CaseResult) string {
	if s := first(c); s != nil {
		switch {
		case s.Mismatch != "":
			return string(s.Mismatch)
		case s.Code != "":
			return string(s.Code)
		}
	}
	if c.Code != "" {
		return string(c.Code)
	}
	return c.Outcome.String()
}

// story tells an attempt step by step, as the terminal does, with all that is known of the steps that are not proven.
func story(c *deed.CaseResult) string {
	var b strings.Builder
	steps := func(list []deed.StepResult) {
		for i := range list {
			s := &list[i]
			b.WriteString(StepLine(*s, Style{}) + "\n")
			if s.Healed != nil {
				fmt.Fprintf(&b, "     healed %s → %s (%s)\n", s.Healed.Old, s.Healed.New, s.Healed.Why)
			}
			if !s.Outcome.OK() && s.Outcome != deed.OutcomeSkipped {
				for _, l := range append([]string{"why " + withCode(s.Reason, deed.Code(s.Mismatch))}, evidence(s)...) {
					b.WriteString("     " + l + "\n")
				}
			}
		}
	}
	steps(c.Steps)
	if len(c.Teardown) > 0 {
		b.WriteString("teardown\n")
		steps(c.Teardown)
	}
	if c.Reason != "" {
		b.WriteString(c.Reason + "\n")
	}
	for _, n := range c.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

// evidence is what is known of a step beside its reason, a line each.
func evidence(s *deed.StepResult) []string {
	var out []string
	add := func(key string, lines ...string) {
		for _, l := range lines {
			if l != "" {
				out = append(out, key+" "+l)
			}
		}
	}
	add("at", s.Pos.String())
	for i := range s.Diverged {
		add("diverged", s.Diverged[i].String())
	}
	add("changed", s.Changes...)
	if s.Undone > 0 && len(s.Residue) == 0 {
		add("undone", "yes, nothing is left of it")
	}
	add("left", s.Residue...)
	add("prevented", s.Guarded...)
	add("blocked", s.Blocked...)
	add("dialog", s.Dialogs...)
	add("console", s.Console...)
	for _, r := range s.Requests {
		if r.Failed != "" || r.Status >= 400 {
			add("request", strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL, requestEnd(r))))
		}
	}
	add("hint", s.Hint)
	return out
}

func requestEnd(r deed.Request) string {
	if r.Failed != "" {
		return r.Failed
	}
	return fmt.Sprintf("%d", r.Status)
}
