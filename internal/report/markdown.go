package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// MarkdownLimit is how many bytes of Markdown are written at most: a comment on GitHub holds 65,536 characters.
const MarkdownLimit = 60_000

// Markdown writes the run as a summary for a pull request: what became of it, a table of the cases that deserve a look, and each that is not
// proven with its reason and what changed, folded. Text of pages stands in code, where it is neither markup nor a mention of somebody.
func Markdown(w io.Writer, r *deed.RunResult) error {
	m := &markdown{}
	m.add(mdHead(r))
	for _, p := range r.Problems {
		m.add("- " + code(p.Pos) + ": " + code(p.Message) + hintOf(p.Hint) + "\n")
	}
	if len(r.Problems) > 0 {
		m.add("\n")
	}
	var look []*deed.CaseResult
	for i := range r.Cases {
		if c := &r.Cases[i]; !c.Outcome.OK() || c.Flaky || c.Outcome == deed.OutcomeHealed || healedIn(c) != nil {
			look = append(look, c)
		}
	}
	slices.SortStableFunc(look, func(a, b *deed.CaseResult) int { return weight(a) - weight(b) })
	if len(look) > 0 {
		m.add("| | Case | Outcome | Time | Why |\n| --- | --- | --- | ---: | --- |\n")
		for i, c := range look {
			if !m.fits(mdRow(c)) {
				m.rest(fmt.Sprintf("| | … %d more | | | |\n", len(look)-i))
				break
			}
		}
		m.add("\n")
	}
	for i, c := range look {
		if failed(c) && !m.fits(mdFailure(c)) {
			m.rest(fmt.Sprintf("… %s more told in the report.\n", count(len(look)-i, "case")))
			break
		}
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

// markdown is a text within [MarkdownLimit]; it is cut between its parts, never in one.
type markdown struct {
	b    strings.Builder
	full bool
}

const mdReserve = 400 // for saying what was left out

func (m *markdown) fits(s string) bool {
	if m.full || m.b.Len()+len(s) > MarkdownLimit-mdReserve {
		m.full = true
		return false
	}
	m.b.WriteString(s)
	return true
}

func (m *markdown) add(s string) { m.fits(s) }

// rest writes what was left out, into the reserve; what follows may use the room that is left.
func (m *markdown) rest(s string) {
	if m.b.Len()+len(s) <= MarkdownLimit {
		m.b.WriteString(s)
	}
	m.full = false
}

func mdHead(r *deed.RunResult) string {
	counts := map[string]int{}
	unproven := 0
	for i := range r.Cases {
		c := &r.Cases[i]
		switch {
		case c.Quarantine && failed(c):
			counts["in quarantine"]++
		case c.Flaky:
			counts["flaky"]++
		case c.Outcome == deed.OutcomeAlready:
			counts[deed.OutcomeVerified.String()]++
		default:
			counts[c.Outcome.String()]++
			if failed(c) {
				unproven++
			}
		}
	}
	head := "### ✅ "
	text := fmt.Sprintf("%s proven", count(len(r.Cases), "case"))
	switch {
	case len(r.Cases) == 0 && len(r.Problems) > 0:
		head, text = "### ❌ ", count(len(r.Problems), "problem")+", nothing was run"
	case unproven > 0:
		head, text = "### ❌ ", fmt.Sprintf("%d of %s not proven", unproven, count(len(r.Cases), "case"))
	case len(r.Problems) > 0:
		head, text = "### ❌ ", fmt.Sprintf("%s could not be read", count(len(r.Problems), "file"))
	case !r.Outcome.OK() && r.Outcome != deed.OutcomeSkipped:
		head, text = "### ❌ ", r.Outcome.String()
	}
	var parts []string
	for _, k := range []string{"failed", "mismatch", "ambiguous", "refused", "cancelled", "flaky", "in quarantine", "skipped", "healed", "verified"} {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	parts = append(parts, duration(r.DurationMS))
	if r.Shard != "" {
		parts = append(parts, "shard "+code(r.Shard))
	}
	return head + "deed: " + text + "\n\n" + strings.Join(parts, " · ") + "\n\n"
}

func weight(c *deed.CaseResult) int {
	switch {
	case c.Quarantine:
		return 30
	case c.Flaky:
		return 20
	}
	return int(c.Outcome)
}

func healedIn(c *deed.CaseResult) *deed.StepResult {
	for i := range c.Steps {
		if c.Steps[i].Healed != nil {
			return &c.Steps[i]
		}
	}
	return nil
}

func mdRow(c *deed.CaseResult) string {
	sign, out, reason := "❌", c.Outcome.String(), ""
	switch s := healedIn(c); {
	case failed(c) && c.Quarantine:
		sign, out, reason = "🔕", out+", in quarantine", why(c)
	case failed(c):
		reason = why(c)
	case c.Flaky:
		sign, out = "⚠️", "flaky"
		if n := len(c.Retries); n > 0 {
			reason = why(&c.Retries[n-1])
		}
	case c.Outcome == deed.OutcomeSkipped:
		sign, reason = "⏭️", why(c)
	case s != nil:
		sign, reason = "🩹", s.Healed.Old+" → "+s.Healed.New
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", sign, cell(clip(name(c), 120)), out, duration(c.DurationMS), cell(clip(reason, 240)))
}

func mdFailure(c *deed.CaseResult) string {
	var b strings.Builder
	s := first(c)
	at := c.File
	if s != nil && s.Pos.Line > 0 {
		at = s.Pos.String()
	}
	fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n", htmlCode(clip(name(c), 200)))
	if at != "" {
		fmt.Fprintf(&b, "%s\n\n", code(at))
	}
	if s == nil {
		fmt.Fprintf(&b, "%s\n\n</details>\n\n", code(clip(why(c), 2000)))
		return b.String()
	}
	fmt.Fprintf(&b, "**Step %d** %s\n\n%s%s\n\n", s.N, code(clip(strings.TrimSpace(string(s.Do)+" "+s.Locator), 400)), code(clip(withCode(s.Reason, deed.Code(kind(c))), 2000)), hintOf(s.Hint))
	var lines []string
	for i := range s.Diverged {
		lines = append(lines, "! "+s.Diverged[i].String())
	}
	lines = append(lines, s.Changes...)
	if s.Undone > 0 {
		lines = append(lines, "# undone; what is left: "+count(len(s.Residue), "change"))
		lines = append(lines, s.Residue...)
	}
	for _, l := range s.Blocked {
		lines = append(lines, "# blocked: "+l)
	}
	for _, l := range s.Console {
		lines = append(lines, "# console: "+l)
	}
	b.WriteString(fence("diff", lines))
	b.WriteString("</details>\n\n")
	return b.String()
}

func hintOf(s string) string {
	if s == "" {
		return ""
	}
	return "\n\nHint: " + code(clip(s, 600))
}

// code is text as a code span: nothing in it is markup, a link or a mention. It stays on one line.
func code(s string) string {
	s = printable(s)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	ticks := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// cell is text as a code span in a table, where a bar would end the cell whatever it stands in.
func cell(s string) string { return strings.ReplaceAll(code(s), "|", "\\|") }

// htmlCode is text in a summary, which is HTML: every character that Markdown or HTML knows is escaped.
func htmlCode(s string) string {
	var b strings.Builder
	for _, r := range printable(s) {
		if r < 0x80 && r != ' ' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return "<code>" + b.String() + "</code>"
}

// fence is lines as a block of code, at most [listed] of them.
func fence(lang string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	more := ""
	if n := len(lines) - 2*listed; n > 0 {
		lines, more = lines[:2*listed], fmt.Sprintf("# … %d more\n", n)
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(clip(printable(l), 400) + "\n")
	}
	b.WriteString(more)
	ticks := strings.Repeat("`", max(3, longest(b.String())+1))
	return ticks + lang + "\n" + b.String() + ticks + "\n\n"
}

// longest is the length of the longest row of backticks.
func longest(s string) int {
	most, n := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			n++
			most = max(most, n)
		} else {
			n = 0
		}
	}
	return most
}
