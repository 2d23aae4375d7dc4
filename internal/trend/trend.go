// Package trend tells people what the history says: as tables and sentences for a terminal, and as one page with plots.
//
// Law of this package: views are pure functions of the history's answers and of the moment that they are told is now. It opens no file and
// draws no conclusion: what a case is called, what is noise and what to try is said by the history. Whatever a page or a case wrote is
// kept on its line in text, and is text, never markup, in the page.
package trend

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/history"
	"github.com/deed-dev/deed/internal/report"
)

// plain keeps a text on one line and free of control sequences, and at most n runes long; 0 cuts nothing.
func plain(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	if r := []rune(s); n > 0 && len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ago is how long before now something was, in its largest unit.
func ago(at, now time.Time) string {
	d := now.Sub(at)
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / u.of); n >= 1 {
			return plural(n, u.name) + " ago"
		}
	}
	return "just now"
}

func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func share(f float64) string {
	if f > 0 && f < 0.01 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*f)
}

// A mark is one character for what became of a case.
func mark(r *history.Result) string {
	switch {
	case r.Outcome == deed.OutcomeSkipped, r.Outcome == deed.OutcomeCancelled:
		return "-"
	case !r.Counts():
		return "!"
	case !r.Outcome.OK():
		return "✗"
	case r.Flaky:
		return "~"
	case r.Outcome == deed.OutcomeHealed:
		return "+"
	}
	return "·"
}

// legend explains the marks.
const legend = "· proven   + healed   ~ proven after a retry   ✗ not proven   ! the machine's fault   - did not run"

func paint(m string, st report.Style) string {
	switch m {
	case "✗":
		return st.Bad(m)
	case "~", "+":
		return st.Warn(m)
	case "-", "!":
		return st.Dim(m)
	}
	return st.Good(m)
}

// outcomes is a mark a result, oldest first.
func outcomes(newest []history.Result, st report.Style) string {
	var b strings.Builder
	for i := len(newest) - 1; i >= 0; i-- {
		b.WriteString(paint(mark(&newest[i]), st))
	}
	return b.String()
}

var bars = []rune("▁▂▃▄▅▆▇█")

// times is a bar a result, oldest first, as high as it took long; what did not run leaves a gap.
func times(newest []history.Result) string {
	var most int64 = 1
	for i := range newest {
		most = max(most, newest[i].DurationMS)
	}
	var b strings.Builder
	for i := len(newest) - 1; i >= 0; i-- {
		if r := &newest[i]; mark(r) == "-" {
			b.WriteByte(' ')
		} else {
			b.WriteRune(bars[min(int(r.DurationMS*int64(len(bars))/most), len(bars)-1)])
		}
	}
	return b.String()
}

func class(c history.Class, st report.Style) string {
	switch c {
	case history.Broken:
		return st.Bad(string(c))
	case history.Flaky, history.Slow:
		return st.Warn(string(c))
	case history.New:
		return st.Dim(string(c))
	}
	return st.Good(string(c))
}

func outcome(o deed.Outcome, st report.Style) string {
	switch {
	case o.OK():
		return st.Good(o.String())
	case o == deed.OutcomeSkipped || o == deed.OutcomeCancelled:
		return st.Dim(o.String())
	}
	return st.Bad(o.String())
}

// A cell is a text as it is shown, and how wide that is.
type cell struct {
	shown string
	width int
}

func text(s string) cell { return cell{s, utf8.RuneCountInString(s)} }

func styled(s string, paint func(string) string) cell {
	return cell{paint(s), utf8.RuneCountInString(s)}
}

// table lines its cells up. Columns whose head begins with ">" stand at the right.
func table(b *strings.Builder, st report.Style, heads []string, rows [][]cell) {
	width := make([]int, len(heads))
	for i, h := range heads {
		width[i] = utf8.RuneCountInString(strings.TrimPrefix(h, ">"))
		for _, r := range rows {
			width[i] = max(width[i], r[i].width)
		}
	}
	line := func(cells []cell) {
		for len(cells) > 1 && cells[len(cells)-1].width == 0 {
			cells = cells[:len(cells)-1]
		}
		for i, c := range cells {
			pad := strings.Repeat(" ", width[i]-c.width)
			switch {
			case strings.HasPrefix(heads[i], ">"):
				b.WriteString(pad + c.shown)
			case i == len(cells)-1: // nothing stands behind it
				b.WriteString(c.shown)
			default:
				b.WriteString(c.shown + pad)
			}
			if i < len(cells)-1 {
				b.WriteString("  ")
			}
		}
		b.WriteByte('\n')
	}
	var head []cell
	for _, h := range heads {
		head = append(head, styled(strings.TrimPrefix(h, ">"), st.Dim))
	}
	line(head)
	for _, r := range rows {
		line(r)
	}
}
