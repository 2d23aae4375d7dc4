package trend

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/history"
	"github.com/deed-dev/deed/internal/report"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// nasty is what a page might write to be taken for something else.
const nasty = "</style><script>alert(1)</script>\"'&\x1b[31mred\nnew line"

// results are newest first; of the letters see the marks.
func results(letters string) []history.Result {
	var out []history.Result
	for i, l := range []rune(letters) {
		r := history.Result{Run: fmt.Sprintf("r%d", i), Started: noon.Add(time.Duration(i-len(letters)) * time.Hour), Outcome: deed.OutcomeVerified, DurationMS: int64(100 * (i + 1)), Attempts: 1}
		switch l {
		case '✗':
			r.Outcome, r.Code, r.Reason, r.Step, r.Steps = deed.OutcomeMismatch, deed.CodeMismatch, nasty, 2, 3
		case '~':
			r.Flaky, r.Attempts = true, 2
		case '+':
			r.Outcome = deed.OutcomeHealed
		case '!':
			r.Outcome, r.Code = deed.OutcomeFailed, deed.CodeNoBrowser
		case '-':
			r.Outcome, r.DurationMS = deed.OutcomeSkipped, 0
		}
		out = append([]history.Result{r}, out...)
	}
	return out
}

func aCase(id, letters string) history.Case {
	c := history.Case{Case: id, Title: nasty, Tags: []string{"smoke"}, Results: results(letters)}
	c.Standing = history.Stand(c.Results)
	return c
}

func runs(n int) []history.Run {
	var out []history.Run
	for i := range n {
		out = append(out, history.Run{Run: fmt.Sprintf("r%d", n-i), Started: noon.Add(-time.Duration(i) * time.Hour), Outcome: deed.OutcomeMismatch,
			DurationMS: int64(1000 + i), Cases: 4, Proven: 2, Flaky: 1, Skipped: 1, ModelCalls: 2, BaseURL: nasty, Browser: nasty})
	}
	return out
}

func TestMarks(t *testing.T) {
	const all = "·+~✗!-"
	c := aCase("a", all)
	if got := outcomes(c.Results, report.Style{}); got != all {
		t.Errorf("%s, want %s", got, all)
	}
	for _, l := range all {
		if !strings.Contains(legend, string(l)+" ") {
			t.Errorf("%c is not explained", l)
		}
	}
	if got, want := times(c.Results), "▂▄▅▇█ "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := times(results("--")); got != "  " {
		t.Errorf("%q", got)
	}
}

// TestText_OneLine: whatever a page wrote neither begins a line nor colours one.
func TestText_OneLine(t *testing.T) {
	c := aCase("a", "·✗")
	step := &history.Step{N: 2, Do: "click", Locator: nasty, Reason: nasty}
	step.Changes, step.Guarded, step.Blocked, step.Residue, step.Console = []string{nasty}, []string{nasty}, []string{nasty}, []string{nasty}, []string{nasty}
	step.Diverged, step.Healed = []deed.Divergence{{Code: "x", Object: nasty}}, &deed.Healed{Old: nasty, New: nasty, Why: nasty}
	why := &history.Why{Case: "a", Title: nasty, Standing: c.Standing, Failure: &c.Results[0], Step: step, PassedStep: step, FirstFailed: &c.Results[0], LastPassed: &c.Results[1],
		Differs: []history.Difference{{What: "base URL", Before: nasty, After: ""}}, Try: []string{nasty}, Cause: history.CauseProduct}
	diff := &history.RunDiff{Before: runs(1)[0], After: runs(1)[0], Differs: why.Differs, New: []string{nasty}, Gone: []string{nasty}, Cases: []history.CaseDiff{
		{Case: nasty, Reason: nasty, Took: &history.Took{BeforeMS: 1, AfterMS: 2}, Steps: []history.StepDiff{{Object: nasty, BeforeN: 1, AfterN: 1, Reason: nasty + "!",
			Lost: []string{nasty}, Gained: []string{nasty}, Diverged: []string{nasty}, NoDiverged: []string{nasty}}}}}}
	for name, text := range map[string]string{"cases": Cases(runs(2), []history.Case{c}, noon, report.Style{}), "one": OneCase(&c, report.Style{}),
		"why": Why(why, noon, report.Style{}), "diff": Diff(diff, noon, report.Style{})} {
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\nnew line") {
			t.Errorf("%s:\n%s", name, text)
		}
		if name != "cases" && !strings.Contains(text, "new line") {
			t.Errorf("%s does not tell what happened:\n%s", name, text)
		}
		for _, l := range strings.Split(text, "\n") {
			if strings.TrimRight(l, " ") != l {
				t.Errorf("%s: %q ends with blanks", name, l)
			}
		}
	}
}

func TestText_Aligned(t *testing.T) {
	cases := []history.Case{aCase("short", "·"), aCase("ümläut/a-much-longer-name", "···✗✗✗"), aCase(strings.Repeat("x", 90), "~")}
	lines := strings.Split(Cases(runs(1), cases, noon, report.Style{}), "\n")
	column := func(l, of string) int { return len([]rune(l[:strings.Index(l, of)])) }
	want := column(lines[0], "class")
	for i, c := range cases {
		if got := column(lines[i+1], string(c.Class)); got != want {
			t.Errorf("%q: the class stands in column %d, want %d", lines[i+1], got, want)
		}
	}
	if colored := Cases(runs(1), cases, noon, report.Style{Color: true}); regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(colored, "") != strings.Join(lines, "\n") {
		t.Error("colour changes more than the colour")
	}
}

func TestWhy_NeverFailed(t *testing.T) {
	c := aCase("a", "···")
	if got := Why(&history.Why{Case: "a", Standing: c.Standing}, noon, report.Style{}); !strings.HasPrefix(got, "a has not failed in the runs that are kept\n") {
		t.Error(got)
	}
	if got := Why(&history.Why{Case: "a"}, noon, report.Style{}); !strings.Contains(got, "neither passed nor failed") {
		t.Error(got)
	}
}

// TestPage_Text: what a page or a case wrote is text; the document is well-formed, holds no script and asks for nothing.
func TestPage_Text(t *testing.T) {
	for _, n := range []int{0, 1, 3, 60} {
		letters := strings.Repeat("·✗~+!-", max(n/6, 1))
		cases := []history.Case{aCase(nasty, letters), aCase("b", "-"), aCase("c", "·")}
		if n == 0 {
			cases = nil
		}
		var b strings.Builder
		if err := Page(&b, runs(n), cases, noon); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(page, "\x1b", "")))
		d.Entity = xml.HTMLEntity
		seen := map[string]int{}
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%d runs: %v", n, err)
			}
			e, ok := tok.(xml.StartElement)
			if !ok {
				continue
			}
			seen[e.Name.Local]++
			for _, a := range e.Attr {
				switch name := a.Name.Local; {
				case name == "src", name == "href", name == "style", strings.HasPrefix(name, "on"):
					t.Errorf("<%s %s>", e.Name.Local, name)
				case strings.Contains(a.Value, "NaN"), strings.Contains(a.Value, "Inf"), strings.Contains(a.Value, "ZgotmplZ"):
					t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
				}
			}
			if e.Name.Local == "svg" && !strings.Contains(fmt.Sprint(e.Attr), "aria-label") {
				t.Error("a plot says nothing to who does not see it")
			}
		}
		if seen["script"] != 0 || seen["style"] != 1 || seen["link"]+seen["img"] != 0 {
			t.Errorf("%d runs: %v", n, seen)
		}
		if n > 0 && (seen["svg"] != 2+2*len(cases) || !strings.Contains(page, "&lt;script&gt;alert(1)")) {
			t.Errorf("%d runs: %v", n, seen)
		}
		if n == 0 && !strings.Contains(page, "No run is kept here yet") {
			t.Error("nothing is not said")
		}
		if strings.Contains(page, "url(") || strings.Contains(page, "@import") {
			t.Error("the style asks for something")
		}
	}
}

func TestPlots(t *testing.T) {
	c := aCase("a", "·✗~")
	p := outcomePlot(&c)
	if len(p.Bars) != 3 || p.Bars[0].Kind != "ok" || p.Bars[1].Kind != "bad" || p.Bars[2].Kind != "flaky" || p.Bars[0].H >= p.Bars[2].H || p.Bars[2].H >= p.Bars[1].H {
		t.Errorf("outcomes differ by height and kind: %+v", p.Bars)
	}
	if want := "Its last 3 results, oldest first: 1 verified, 1 mismatch, 1 proven after a retry."; p.Label != want {
		t.Errorf("%q, want %q", p.Label, want)
	}
	stack := provenPlot(runs(1))
	if len(stack.Bars) != 4 || stack.Bars[3].Y != 0 {
		t.Errorf("the parts of a run make up all of it: %+v", stack.Bars)
	}
	for i := 1; i < len(stack.Bars); i++ {
		if stack.Bars[i].Y+stack.Bars[i].H != stack.Bars[i-1].Y {
			t.Errorf("a gap, or an overlap: %+v", stack.Bars)
		}
	}
	times := timePlot(&c) // 100, 200, 300 ms
	if !strings.Contains(times.Lines[0], ",0.00") || !strings.Contains(times.Lines[0], ",33.33") || times.Top != "300ms" {
		t.Errorf("%+v", times)
	}
}
