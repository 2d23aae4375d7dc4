package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
)

// progress tells of a run while it goes on. Cases that run side by side are told one after another, each when it ends, so that their
// lines stay together; on a terminal a last line says meanwhile how far the run is, and with what.
type progress struct {
	w     io.Writer
	st    report.Style
	apart bool // cases run side by side
	live  bool // the last line of w can be written over
	all   int  // cases
	lines map[*deed.Case][]string

	running      []*deed.Case
	over, failed int
}

// statusWidth is how long the last line is at most, in characters: it must not be broken.
const statusWidth = 76

// clear takes the last line away, and draw writes it anew.
func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[2K")
	}
}

func (p *progress) draw() {
	if !p.live || len(p.running) == 0 {
		return
	}
	line := fmt.Sprintf("%d of %d", p.over, p.all)
	if p.failed > 0 {
		line += fmt.Sprintf(", %d failed", p.failed)
	}
	line += ": "
	for i, c := range p.running {
		if i > 0 {
			line += ", "
		}
		line += c.ID
	}
	if r := []rune(line); len(r) > statusWidth {
		line = string(r[:statusWidth-1]) + "…"
	}
	fmt.Fprint(p.w, p.st.Dim(line))
}

func (p *progress) say(c *deed.Case, line string) {
	if p.apart {
		p.lines[c] = append(p.lines[c], line)
		return
	}
	fmt.Fprintln(p.w, line)
}

func (p *progress) begins(c *deed.Case) {
	p.clear()
	defer p.draw()
	p.running = append(p.running, c)
	p.all = max(p.all, p.over+len(p.running)) // what others depend on was not asked for
	p.say(c, fmt.Sprintf("%s  %s", p.st.Bold(c.ID), p.st.Dim(c.File)))
}

func (p *progress) step(c *deed.Case, _ *deed.Step, s deed.StepResult) {
	p.say(c, "  "+report.StepLine(s, p.st))
}

func (p *progress) done(c *deed.Case, r deed.CaseResult) {
	p.clear()
	defer p.draw()
	p.running = slices.DeleteFunc(p.running, func(o *deed.Case) bool { return o == c })
	p.over++
	if !r.Outcome.OK() {
		p.failed++
	}
	p.say(c, report.CaseLine(r, p.st))
	for _, l := range report.CaseNotes(r, p.st) {
		p.say(c, l)
	}
	for _, l := range p.lines[c] {
		fmt.Fprintln(p.w, l)
	}
	delete(p.lines, c)
}
