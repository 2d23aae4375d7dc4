package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
)

// What stands on a terminal in the end: a carriage return goes back, and the line is taken away.
func screen(out string) string {
	var lines []string
	for line := range strings.SplitSeq(out, "\n") {
		parts := strings.Split(line, "\r\x1b[2K")
		lines = append(lines, parts[len(parts)-1])
	}
	return strings.Join(lines, "\n")
}

func TestProgressOnATerminal(t *testing.T) {
	cases := make([]deed.Case, 9)
	var out bytes.Buffer
	p := &progress{w: &out, st: report.Style{}, apart: true, live: true, all: 9, lines: map[*deed.Case][]string{}}
	for i := range cases {
		cases[i].ID = fmt.Sprintf("a-case-with-a-long-name-%d", i)
		p.begins(&cases[i])
	}
	last := func() string {
		s := screen(out.String())
		return s[strings.LastIndex(s, "\n")+1:]
	}
	if s := last(); !strings.HasPrefix(s, "0 of 9: a-case-with-a-long-name-0, a-case") || len([]rune(s)) > statusWidth || !strings.HasSuffix(s, "…") {
		t.Errorf("at first it says %q", s)
	}
	p.step(&cases[3], nil, deed.StepResult{N: 1, Do: deed.KindClick, Outcome: deed.OutcomeMismatch})
	for i := range cases[1:] {
		p.done(&cases[i], deed.CaseResult{Case: cases[i].ID, Outcome: deed.OutcomeMismatch})
	}
	if s := last(); s != "8 of 9, 8 failed: a-case-with-a-long-name-8" {
		t.Errorf("before the end it says %q", s)
	}
	p.done(&cases[8], deed.CaseResult{Case: cases[8].ID, Outcome: deed.OutcomeVerified})
	s := screen(out.String())
	if strings.Contains(s, " of 9") || strings.Count(s, "mismatch") != 9 || !strings.HasSuffix(s, "\n") {
		t.Errorf("in the end there stands\n%s", s)
	}
	// Where nothing can be written over, nothing is.
	out.Reset()
	p = &progress{w: &out, apart: true, all: 1, lines: map[*deed.Case][]string{}}
	p.begins(&cases[0])
	p.done(&cases[0], deed.CaseResult{Case: "a", Outcome: deed.OutcomeVerified})
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("%q", out.String())
	}
}
