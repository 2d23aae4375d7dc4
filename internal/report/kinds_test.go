package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/reporttest"
)

// short is the made-up run without its longest case, and with a file that could not be read.
func short() *deed.RunResult {
	r := reporttest.Run()
	r.Cases = r.Cases[:len(r.Cases)-1]
	r.Problems = []deed.ProblemResult{{Pos: "cases/broken.deed.yaml:5:5", Message: `unknown verb "clik"`, Hint: `did you mean "click"?`}}
	return r
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "kinds", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (rewrite with -update):\n%s", file, got)
	}
}

func TestKinds_Golden(t *testing.T) {
	for _, k := range report.Kinds() {
		if k == "html" {
			continue // what it looks like is tried in a browser
		}
		t.Run(k, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.Write(&b, report.Kind(k), short(), report.HTMLOptions{}); err != nil {
				t.Fatal(err)
			}
			golden(t, report.Kind(k).File(), b.Bytes())
		})
	}
	t.Run("annotations", func(t *testing.T) {
		var b bytes.Buffer
		if err := report.Annotations(&b, short(), func(f string) string { return "app/" + f }); err != nil {
			t.Fatal(err)
		}
		golden(t, "annotations.txt", b.Bytes())
	})
}

func TestKinds_Names(t *testing.T) {
	for _, k := range report.Kinds() {
		got, err := report.KindOf("out/" + report.Kind(k).File())
		if err != nil || string(got) != k {
			t.Errorf("the file of %s is taken for %s (%v)", k, got, err)
		}
	}
	if _, err := report.ParseKind("pdf"); !errors.Is(err, deed.CodeInvalid) || !strings.Contains(deed.HintOf(err), "junit") {
		t.Errorf("an unknown kind: %v", err)
	}
	if _, err := report.KindOf("report.pdf"); !errors.Is(err, deed.CodeInvalid) {
		t.Errorf("an unknown end: %v", err)
	}
}

// drawn is the made-up run with other texts in all its strings.
func drawn(rt *rapid.T, text *rapid.Generator[string]) *deed.RunResult {
	r := short()
	texts := rapid.SliceOfN(text, 1, 12).Draw(rt, "texts")
	i := 0
	fillStrings(reflect.ValueOf(r).Elem(), func() string { i++; return texts[i%len(texts)] })
	return r
}

// TestJUnit_Sound: whatever the texts, the document is XML 1.0, its counts are those of its cases, and every case is told once.
func TestJUnit_Sound(t *testing.T) {
	type counts struct{ tests, failures, errors, skipped int }
	check := func(t interface{ Fatalf(string, ...any) }, r *deed.RunResult) {
		var b bytes.Buffer
		if err := report.JUnit(&b, r); err != nil {
			t.Fatalf("%v", err)
		}
		if !utf8.Valid(b.Bytes()) {
			t.Fatalf("no UTF-8")
		}
		for _, c := range b.String() {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				t.Fatalf("a control character %U is in it", c)
			}
		}
		d := xml.NewDecoder(&b)
		var said, seen counts
		n := func(e xml.StartElement, name string) (n int) {
			for _, a := range e.Attr {
				if a.Name.Local == name {
					for _, d := range a.Value {
						n = 10*n + int(d-'0')
					}
				}
			}
			return n
		}
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("it is no XML: %v", err)
			}
			e, ok := tok.(xml.StartElement)
			if !ok {
				continue
			}
			switch e.Name.Local {
			case "testsuites":
				said = counts{n(e, "tests"), n(e, "failures"), n(e, "errors"), n(e, "skipped")}
			case "testcase":
				seen.tests++
			case "failure":
				seen.failures++
			case "error":
				seen.errors++
			case "skipped":
				seen.skipped++
			}
		}
		if said != seen || seen.tests != len(r.Cases)+len(r.Problems) {
			t.Fatalf("it says %+v and holds %+v", said, seen)
		}
	}
	check(t, reporttest.Run())
	check(t, &deed.RunResult{})
	rapid.Check(t, func(rt *rapid.T) { check(rt, drawn(rt, rapid.String())) })
}

// TestWU43_QuarantineFailsNothing: a case in quarantine that is not proven is in every report, and no CI system counts it for a failure.
func TestWU43_QuarantineFailsNothing(t *testing.T) {
	r := reporttest.Run()
	r.Cases = slices.DeleteFunc(r.Cases, func(c deed.CaseResult) bool { return !c.Quarantine })
	r.Outcome = deed.OutcomeVerified
	if len(r.Cases) != 1 || r.Cases[0].Outcome.OK() {
		t.Fatal("the made-up run has no failing case in quarantine")
	}
	for kind, not := range map[report.Kind]string{report.KindJUnit: `<failure|<error|failures="1"|errors="1"`, report.KindCTRF: `"failed": [1-9]|"healthy": false`, report.KindMD: "❌"} {
		var b bytes.Buffer
		if err := report.Write(&b, kind, r, report.HTMLOptions{}); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); regexp.MustCompile(not).MatchString(s) || !strings.Contains(s, "quarantine") || !strings.Contains(s, "went to the neighbour") {
			t.Errorf("%s:\n%s", kind, s)
		}
	}
	var b bytes.Buffer
	if err := report.Annotations(&b, r, nil); err != nil || strings.Contains(b.String(), "::error") || !strings.HasPrefix(b.String(), "::warning file=cases/search.deed.yaml,line=9,col=5,") {
		t.Errorf("%v %s", err, b.String())
	}
}

// closed is a schema of an object that holds nothing but these; those that end in ! are required.
func closed(fields map[string]any) map[string]any {
	props, required := map[string]any{}, []any{}
	for k, v := range fields {
		if name, must := strings.CutSuffix(k, "!"); must {
			required = append(required, name)
			k = name
		}
		props[k] = v
	}
	return map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": false}
}

// ctrf is what version 0.0.0 of the specification says of a document, of the parts that deed writes.
func ctrf() map[string]any {
	text, whole, flag, open := map[string]any{"type": "string"}, map[string]any{"type": "integer"}, map[string]any{"type": "boolean"}, map[string]any{"type": "object"}
	named := map[string]any{"type": "string", "minLength": 1}
	status := map[string]any{"enum": []any{"passed", "failed", "skipped", "pending", "other"}}
	list := func(of any) map[string]any { return map[string]any{"type": "array", "items": of} }
	some := map[string]any{"type": "array", "minItems": 1, "items": text}
	file := closed(map[string]any{"name!": text, "contentType!": text, "path!": text, "extra": open})
	attempt := closed(map[string]any{"attempt!": map[string]any{"type": "integer", "minimum": 1}, "status!": status, "duration": whole, "message": text, "trace": text, "line": whole,
		"snippet": text, "stdout": list(text), "stderr": list(text), "start": whole, "stop": whole, "attachments": list(file), "extra": open})
	test := closed(map[string]any{"id": text, "name!": named, "status!": status, "duration!": whole, "start": whole, "stop": whole, "suite": some, "message": text, "trace": text,
		"snippet": text, "line": whole, "rawStatus": text, "tags": list(text), "labels": open, "type": text, "filePath": text, "retries": whole, "retryAttempts": list(attempt),
		"flaky": flag, "stdout": list(text), "stderr": list(text), "threadId": text, "browser": text, "device": text, "screenshot": text, "attachments": list(file),
		"parameters": open, "steps": list(closed(map[string]any{"name!": text, "status!": status, "extra": open})), "extra": open})
	results := closed(map[string]any{"tool!": closed(map[string]any{"name!": named, "version": text, "extra": open}),
		"summary!": closed(map[string]any{"tests!": whole, "passed!": whole, "failed!": whole, "skipped!": whole, "pending!": whole, "other!": whole, "flaky": whole, "suites": whole,
			"start!": whole, "stop!": whole, "duration": whole, "extra": open}),
		"tests!":      list(test),
		"environment": closed(map[string]any{"reportName": text, "appName": text, "testEnvironment": text, "healthy": flag, "extra": open}), "extra": open})
	return closed(map[string]any{"reportFormat!": map[string]any{"const": "CTRF"}, "specVersion!": map[string]any{"type": "string", "pattern": `^[0-9]+\.[0-9]+\.[0-9]+$`},
		"reportId": text, "runId": text, "timestamp": map[string]any{"type": "string", "format": "date-time"}, "generatedBy": text, "extra": open, "results!": results})
}

// TestCTRF_Schema: whatever the texts, the document is as the specification has it, and its counts are those of its tests.
func TestCTRF_Schema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:ctrf", ctrf()); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:ctrf")
	if err != nil {
		t.Fatal(err)
	}
	check := func(t interface{ Fatalf(string, ...any) }, r *deed.RunResult) {
		var b bytes.Buffer
		if err := report.CTRF(&b, r); err != nil {
			t.Fatalf("%v", err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatalf("%v", err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		var doc struct {
			Results struct {
				Summary map[string]any
				Tests   []struct {
					Status  string
					Flaky   bool
					Retries int
				}
			}
		}
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%v", err)
		}
		counts := map[string]float64{}
		for _, x := range doc.Results.Tests {
			counts["tests"]++
			counts[x.Status]++
			if x.Flaky {
				counts["flaky"]++
			}
		}
		for _, k := range []string{"tests", "passed", "failed", "skipped", "pending", "other", "flaky"} {
			if doc.Results.Summary[k] != counts[k] {
				t.Fatalf("it says %v %s and holds %v", doc.Results.Summary[k], k, counts[k])
			}
		}
		if len(doc.Results.Tests) != len(r.Cases)+len(r.Problems) {
			t.Fatalf("%d tests of %d", len(doc.Results.Tests), len(r.Cases))
		}
	}
	check(t, reporttest.Run())
	check(t, &deed.RunResult{})
	rapid.Check(t, func(rt *rapid.T) { check(rt, drawn(rt, rapid.String())) })
}

// outsideCode is what of a Markdown document is not code, as CommonMark reads it.
func outsideCode(s string) string {
	for {
		m := regexp.MustCompile("(?m)^(`{3,})[a-z]*\n").FindStringSubmatchIndex(s)
		if m == nil {
			break
		}
		ticks := s[m[2]:m[3]]
		end := strings.Index(s[m[1]-1:], "\n"+ticks+"\n")
		if end < 0 {
			return s[:m[0]]
		}
		s = s[:m[0]] + s[m[1]-1+end+len(ticks)+2:]
	}
	s = regexp.MustCompile(`<code>(&#[0-9]+;|[^\x00-\x7f]|[A-Za-z0-9 ])*</code>`).ReplaceAllString(s, "")
	var out strings.Builder
	ticks := regexp.MustCompile("`+")
	for line := range strings.Lines(s) {
		for {
			open := ticks.FindStringIndex(line)
			if open == nil {
				break
			}
			run, rest := line[open[0]:open[1]], line[open[1]:]
			end := -1
			for _, m := range ticks.FindAllStringIndex(rest, -1) {
				if m[1]-m[0] == len(run) {
					end = m[1]
					break
				}
			}
			if end < 0 {
				break
			}
			out.WriteString(line[:open[0]])
			line = rest[end:]
		}
		out.WriteString(line)
	}
	return out.String()
}

// TestMarkdown_TextIsCode: whatever a page wrote, none of it is outside of code, and no bar of it makes a column.
func TestMarkdown_TextIsCode(t *testing.T) {
	parts := []string{"`", "``", "```", "\n", "|", "\\", "<b>", "</code>", "</details>", "@everyone", "*", "[x](http://x)", "\t", " ", "\r\n", "€"}
	text := rapid.Map(rapid.SliceOf(rapid.SampledFrom(parts)), func(s []string) string { return "§" + strings.Join(s, "§") + "§" })
	rapid.Check(t, func(rt *rapid.T) {
		var b bytes.Buffer
		if err := report.Markdown(&b, drawn(rt, text)); err != nil {
			rt.Fatal(err)
		}
		if rest := outsideCode(b.String()); strings.ContainsAny(rest, "§@[€") {
			for line := range strings.Lines(rest) {
				if strings.ContainsAny(line, "§@[€") {
					rt.Logf("outside of code: %q", line)
				}
			}
			rt.Fatalf("in\n%s", b.String())
		}
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, "| ") {
				if n := strings.Count(line, "|") - strings.Count(line, `\|`); n != 6 {
					rt.Fatalf("%d bars in %s", n, line)
				}
			}
		}
		if n := strings.Count(b.String(), "<details>") - strings.Count(b.String(), "</details>\n"); n != 0 && !strings.Contains(b.String(), "§</details>") {
			rt.Fatalf("%d are not closed", n)
		}
	})
}

// TestMarkdown_Limit: a summary fits into a comment however many cases fail, and says what it left out.
func TestMarkdown_Limit(t *testing.T) {
	r := reporttest.Many(3000, 3)
	for i := range r.Cases {
		r.Cases[i].Steps[2] = reporttest.Run().Cases[1].Steps[1]
		r.Cases[i].Outcome = deed.OutcomeMismatch
	}
	var b bytes.Buffer
	if err := report.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if len(s) > report.MarkdownLimit || len(s) < report.MarkdownLimit/2 || !strings.Contains(s, " more") || strings.Count(s, "<details>") != strings.Count(s, "</details>") {
		t.Errorf("%d bytes, and it ends %q", len(s), s[max(0, len(s)-200):])
	}
}

// TestAnnotations_OneLine: whatever a page wrote, each annotation is one line, and no text begins another command or property.
func TestAnnotations_OneLine(t *testing.T) {
	parts := []string{"\n::error::x", "\r\n", "::set-output name=x::y", ",line=1", "%0A", "%", ":", "::", "\x1b[31m", "\x00", "##[add-path]"}
	text := rapid.Map(rapid.SliceOf(rapid.SampledFrom(parts)), func(s []string) string { return strings.Join(s, "") })
	shape := regexp.MustCompile(`^::(error|warning) (file=[^,:\r\n]*,)?(line=\d+,)?(col=\d+,)?title=[^,:\r\n]*::[^\r\n]*$`)
	rapid.Check(t, func(rt *rapid.T) {
		r := drawn(rt, text)
		want := 0
		var b bytes.Buffer
		if err := report.Annotations(&b, r, nil); err != nil {
			rt.Fatal(err)
		}
		want += len(r.Problems)
		for i := range r.Cases {
			if c := &r.Cases[i]; !c.Outcome.OK() || c.Flaky {
				want++
			}
			for j := range r.Cases[i].Steps {
				if r.Cases[i].Steps[j].Healed != nil {
					want++
				}
			}
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != want {
			rt.Fatalf("%d lines for %d annotations:\n%s", len(lines), want, b.String())
		}
		for _, l := range lines {
			if !shape.MatchString(l) {
				rt.Fatalf("no annotation: %q", l)
			}
		}
	})
}

// TestMarkdown_Docs: the example of docs/reports.md is what a run of three cases gives. -update writes it there.
func TestMarkdown_Docs(t *testing.T) {
	r := reporttest.Run()
	r.Cases = []deed.CaseResult{r.Cases[0], r.Cases[1], r.Cases[5]} // proven, not proven, flaky
	var b bytes.Buffer
	if err := report.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	doc := filepath.Join("..", "..", "docs", "reports.md")
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "<!-- example -->\n````markdown\n")
	old, after, ok2 := strings.Cut(rest, "````\n")
	if !ok || !ok2 {
		t.Fatal("docs/reports.md has no example")
	}
	want := strings.TrimSpace(b.String()) + "\n"
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("the example of docs/reports.md is\n%s\nwhat is written is\n%s", old, want)
	}
	if err := os.WriteFile(doc, []byte(before+"<!-- example -->\n````markdown\n"+want+"````\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
