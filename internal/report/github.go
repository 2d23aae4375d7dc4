package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/deed-dev/deed"
)

// Annotations writes the workflow commands that make GitHub show what is not proven at the line of the case file: an error for each case that is not
// proven, a warning for one in quarantine, for one that is flaky and for each healed address. A file is named as place returns it, which is
// relative to the repository; nil leaves it as it is.
func Annotations(w io.Writer, r *deed.RunResult, place func(file string) string) error {
	if place == nil {
		place = func(file string) string { return file }
	}
	var b strings.Builder
	command := func(level string, at deed.Pos, title, message string) {
		var props []string
		if at.File != "" {
			props = append(props, "file="+property(place(at.File)))
		}
		if at.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d", at.Line))
			if at.Column > 0 {
				props = append(props, fmt.Sprintf("col=%d", at.Column))
			}
		}
		props = append(props, "title="+property(title))
		fmt.Fprintf(&b, "::%s %s::%s\n", level, strings.Join(props, ","), message)
	}
	for _, p := range r.Problems {
		file, line := position(p.Pos)
		text := p.Message
		if p.Hint != "" {
			text += "\nhint: " + p.Hint
		}
		command("error", deed.Pos{File: file, Line: line}, "deed: the file cannot be run", data(text))
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		last := c
		level, title := "error", c.Outcome.String()
		switch {
		case failed(c) && c.Quarantine:
			level, title = "warning", title+", in quarantine"
		case failed(c):
		case c.Flaky && len(c.Retries) > 0:
			level, title, last = "warning", "flaky", &c.Retries[len(c.Retries)-1]
		default:
			level = ""
		}
		if level != "" {
			at := deed.Pos{File: c.File}
			s := first(last)
			if s != nil && s.Pos.File != "" {
				at = s.Pos
			}
			command(level, at, "deed: "+name(c)+": "+title, data(strings.TrimSpace(details(last))))
		}
		for j := range c.Steps {
			if s := &c.Steps[j]; s.Healed != nil {
				command("warning", s.Pos, "deed: "+name(c)+": healed", data(fmt.Sprintf("%s → %s\n%s", s.Healed.Old, s.Healed.New, s.Healed.Why)))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines keeps line ends, and shows nothing else that does not print.
func lines(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// data escapes the message of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(lines(s))
}

// property escapes the value of a workflow command's property.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(lines(s))
}
