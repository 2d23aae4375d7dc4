package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// The dialect of JUnit's XML that Surefire writes and that CI systems read: a suite a file, a case each, further attempts as rerunFailure and
// flakyFailure.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     seconds      `xml:"time,attr"`
		Stamp    string       `xml:"timestamp,attr,omitempty"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		File       string           `xml:"file,attr,omitempty"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Time       seconds          `xml:"time,attr"`
		Stamp      string           `xml:"timestamp,attr,omitempty"`
		Properties *junitProperties `xml:"properties"`
		Cases      []junitCase      `xml:"testcase"`
	}
	junitCase struct {
		Name       string           `xml:"name,attr"`
		Class      string           `xml:"classname,attr"`
		File       string           `xml:"file,attr,omitempty"`
		Line       int              `xml:"line,attr,omitempty"`
		Time       seconds          `xml:"time,attr"`
		Properties *junitProperties `xml:"properties"`
		Skipped    *junitSkipped    `xml:"skipped"`
		Failure    *junitProblem    `xml:"failure"`
		Error      *junitProblem    `xml:"error"`
		Rerun      []junitAttempt   `xml:"rerunFailure"`
		RerunError []junitAttempt   `xml:"rerunError"`
		Flaky      []junitAttempt   `xml:"flakyFailure"`
		FlakyError []junitAttempt   `xml:"flakyError"`
		Out        *junitText       `xml:"system-out"`
		Err        *junitText       `xml:"system-err"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
	junitAttempt struct {
		Message string    `xml:"message,attr"`
		Type    string    `xml:"type,attr"`
		Time    seconds   `xml:"time,attr"`
		Stack   junitText `xml:"stackTrace"`
		Out     junitText `xml:"system-out"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// seconds is a duration as JUnit writes it.
type seconds int64

func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%d.%03d", int64(s)/1000, int64(s)%1000)}, nil
}

// JUnit writes the run as JUnit's XML. What does not match is a failure; what kept a case from being judged (the environment, a crash, policy, an
// interrupt) is an error. A case in quarantine is skipped, whatever became of it, with what that was: CI systems know no other way to
// report a failure that fails nothing. A file that could not be read is a case of its own, with an error.
func JUnit(w io.Writer, r *deed.RunResult) error {
	doc := junitSuites{Name: "deed", Time: seconds(r.DurationMS), Stamp: stamp(r.Started)}
	at := map[string]int{}
	suite := func(file string) *junitSuite {
		i, known := at[file]
		if !known {
			i = len(doc.Suites)
			at[file] = i
			s := junitSuite{Name: clean(file), File: clean(file), Stamp: doc.Stamp}
			if file == "" {
				s.Name = "deed"
			}
			s.Properties = properties("run", r.Run, "browser", r.Browser, "base_url", r.BaseURL, "shard", r.Shard)
			doc.Suites = append(doc.Suites, s)
		}
		return &doc.Suites[i]
	}
	for _, p := range r.Problems {
		file, line := position(p.Pos)
		s := suite(file)
		s.Cases = append(s.Cases, junitCase{Name: "the file can be read", Class: class(file), File: clean(file), Line: line,
			Error: &junitProblem{Message: clean(p.Message), Type: "invalid", Text: clean(strings.TrimSpace(p.Pos + ": " + p.Message + "\n" + p.Hint))}})
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		s := suite(c.File)
		s.Cases = append(s.Cases, junitOf(c))
		s.Time += seconds(c.DurationMS)
		for j := range c.Retries {
			s.Time += seconds(c.Retries[j].DurationMS)
		}
	}
	for i := range doc.Suites {
		s := &doc.Suites[i]
		for j := range s.Cases {
			s.Tests++
			switch c := &s.Cases[j]; {
			case c.Skipped != nil:
				s.Skipped++
			case c.Failure != nil:
				s.Failures++
			case c.Error != nil:
				s.Errors++
			}
		}
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
		doc.Skipped += s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(c *deed.CaseResult) junitCase {
	out := junitCase{Name: clean(c.Case), Class: class(c.File), File: clean(c.File), Time: seconds(c.DurationMS), Out: &junitText{clean(story(c))}}
	if out.Name == "" {
		out.Name = clean(name(c))
	}
	if len(c.Steps) > 0 {
		out.Line = c.Steps[0].Pos.Line
	}
	if s := first(c); s != nil {
		if s.Pos.Line > 0 {
			out.Line = s.Pos.Line
		}
		if len(s.Console) > 0 {
			out.Err = &junitText{clean(strings.Join(s.Console, "\n") + "\n")}
		}
	}
	list := []string{"outcome", c.Outcome.String(), "title", c.Title, "lock", c.Lock, "run", c.Run}
	for _, t := range c.Tags {
		list = append(list, "tag", t)
	}
	if c.Flaky {
		list = append(list, "flaky", "true")
	}
	if c.Quarantine {
		list = append(list, "quarantine", "true")
	}
	out.Properties = properties(list...)
	attempts := append(append([]deed.CaseResult{}, c.Retries...), *c)
	switch {
	case c.Quarantine && failed(c):
		out.Skipped = &junitSkipped{clean("quarantined: " + why(c))}
	case c.Outcome == deed.OutcomeSkipped:
		out.Skipped = &junitSkipped{clean(why(c))}
	case c.Outcome.OK():
		for i := range c.Retries {
			if a := &c.Retries[i]; failed(a) && broken(a) {
				out.FlakyError = append(out.FlakyError, attempt(a))
			} else if failed(a) {
				out.Flaky = append(out.Flaky, attempt(a))
			}
		}
	default:
		// As Surefire has it: the first attempt that was not proven is the failure, the others are its reruns.
		main := false
		for i := range attempts {
			switch a := &attempts[i]; {
			case !failed(a):
			case !main:
				main = true
				p := &junitProblem{Message: clean(why(a)), Type: clean(kind(a)), Text: clean(details(a))}
				if broken(a) {
					out.Error = p
				} else {
					out.Failure = p
				}
			case broken(a):
				out.RerunError = append(out.RerunError, attempt(a))
			default:
				out.Rerun = append(out.Rerun, attempt(a))
			}
		}
	}
	return out
}

// broken reports whether an attempt was kept from being judged.
func broken(c *deed.CaseResult) bool {
	return c.Outcome != deed.OutcomeMismatch && c.Outcome != deed.OutcomeAmbiguous
}

func attempt(c *deed.CaseResult) junitAttempt {
	return junitAttempt{Message: clean(why(c)), Type: clean(kind(c)), Time: seconds(c.DurationMS), Stack: junitText{clean(details(c))}, Out: junitText{clean(story(c))}}
}

// details is what is known of the step that ended an attempt.
func details(c *deed.CaseResult) string {
	s := first(c)
	if s == nil {
		return why(c) + "\n"
	}
	return why(c) + "\n" + strings.Join(evidence(s), "\n") + "\n"
}

func properties(kv ...string) *junitProperties {
	var p junitProperties
	for i := 0; i+1 < len(kv); i += 2 {
		if kv[i+1] != "" {
			p.List = append(p.List, junitProperty{clean(kv[i]), clean(kv[i+1])})
		}
	}
	if len(p.List) == 0 {
		return nil
	}
	return &p
}

// class is a file as a class name: readers split at dots and take the last part for the class.
func class(file string) string {
	for _, end := range []string{".yaml", ".yml", ".json", ".md", ".deed"} {
		file = strings.TrimSuffix(file, end)
	}
	if file == "" {
		return "deed"
	}
	return clean(strings.Trim(strings.ReplaceAll(strings.ReplaceAll(file, ".", "_"), "/", "."), "."))
}

// position takes "file:line:column" apart; what has no line is a file.
func position(pos string) (file string, line int) {
	var column int
	if i := strings.LastIndexByte(pos, ':'); i > 0 {
		if j := strings.LastIndexByte(pos[:i], ':'); j > 0 {
			if n, err := fmt.Sscanf(pos[j:], ":%d:%d", &line, &column); n == 2 && err == nil {
				return pos[:j], line
			}
		}
	}
	return pos, 0
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05")
}

// clean is text that XML 1.0 can hold: control characters, which it cannot even escape, are shown by their pictures.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case r > 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
			return utf8.RuneError
		}
		return r
	}, s)
}
