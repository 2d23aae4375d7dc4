package cli

import (
	"fmt"
	"io"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
)

// progress tells of a run while it goes on. Cases that run side by side are told one after another, each when it ends, so that their
// lines stay together.
type progress struct {
	w     io.Writer
	st    report.Style
	apart bool // cases run side by side
	lines map[*deed.Case][]string
}

func (p *progress) say(c *deed.Case, line string) {
	if p.apart {
		p.lines[c] = append(p.lines[c], line)
		return
	}
	fmt.Fprintln(p.w, line)
}

func (p *progress) begins(c *deed.Case) {
	p.say(c, fmt.Sprintf("%s  %s", p.st.Bold(c.ID), p.st.Dim(c.File)))
}

func (p *progress) step(c *deed.Case, _ *deed.Step, s deed.StepResult) {
	p.say(c, "  "+report.StepLine(s, p.st))
}

func (p *progress) done(c *deed.Case, r deed.CaseResult) {
	p.say(c, report.CaseLine(r, p.st))
	for _, l := range report.CaseNotes(r, p.st) {
		p.say(c, l)
	}
	for _, l := range p.lines[c] {
		fmt.Fprintln(p.w, l)
	}
	delete(p.lines, c)
}
