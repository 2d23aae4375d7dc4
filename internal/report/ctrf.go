package report

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// The Common Test Report Format, as https://ctrf.io specifies it: version 0.0.0 of its specification, every object closed but `extra`.
type (
	ctrfReport struct {
		Format  string      `json:"reportFormat"`
		Spec    string      `json:"specVersion"`
		Stamp   *time.Time  `json:"timestamp,omitempty"`
		By      string      `json:"generatedBy"`
		Results ctrfResults `json:"results"`
	}
	ctrfResults struct {
		Tool        ctrfTool        `json:"tool"`
		Summary     ctrfSummary     `json:"summary"`
		Tests       []ctrfTest      `json:"tests"`
		Environment ctrfEnvironment `json:"environment"`
	}
	ctrfTool struct {
		Name string `json:"name"`
	}
	ctrfSummary struct {
		Tests    int            `json:"tests"`
		Passed   int            `json:"passed"`
		Failed   int            `json:"failed"`
		Skipped  int            `json:"skipped"`
		Pending  int            `json:"pending"`
		Other    int            `json:"other"`
		Flaky    int            `json:"flaky"`
		Suites   int            `json:"suites"`
		Start    int64          `json:"start"`
		Stop     int64          `json:"stop"`
		Duration int64          `json:"duration"`
		Extra    map[string]any `json:"extra,omitempty"`
	}
	ctrfTest struct {
		Name        string           `json:"name"`
		Status      string           `json:"status"`
		Duration    int64            `json:"duration"`
		Start       int64            `json:"start,omitempty"`
		Stop        int64            `json:"stop,omitempty"`
		Suite       []string         `json:"suite,omitempty"`
		Message     string           `json:"message,omitempty"`
		Trace       string           `json:"trace,omitempty"`
		Line        int              `json:"line,omitempty"`
		Raw         string           `json:"rawStatus"`
		Tags        []string         `json:"tags,omitempty"`
		Type        string           `json:"type"`
		File        string           `json:"filePath,omitempty"`
		Retries     int              `json:"retries"`
		Attempts    []ctrfAttempt    `json:"retryAttempts,omitempty"`
		Flaky       bool             `json:"flaky"`
		Err         []string         `json:"stderr,omitempty"`
		Thread      string           `json:"threadId,omitempty"`
		Browser     string           `json:"browser,omitempty"`
		Attachments []ctrfAttachment `json:"attachments,omitempty"`
		Steps       []ctrfStep       `json:"steps,omitempty"`
		Extra       map[string]any   `json:"extra,omitempty"`
	}
	ctrfAttempt struct {
		Attempt  int            `json:"attempt"`
		Status   string         `json:"status"`
		Duration int64          `json:"duration"`
		Message  string         `json:"message,omitempty"`
		Trace    string         `json:"trace,omitempty"`
		Line     int            `json:"line,omitempty"`
		Start    int64          `json:"start,omitempty"`
		Stop     int64          `json:"stop,omitempty"`
		Extra    map[string]any `json:"extra,omitempty"`
	}
	ctrfAttachment struct {
		Name string `json:"name"`
		Type string `json:"contentType"`
		Path string `json:"path"`
	}
	ctrfStep struct {
		Name   string         `json:"name"`
		Status string         `json:"status"`
		Extra  map[string]any `json:"extra,omitempty"`
	}
	ctrfEnvironment struct {
		Name    string         `json:"reportName,omitempty"`
		Healthy bool           `json:"healthy"`
		Extra   map[string]any `json:"extra,omitempty"`
	}
)

// CTRF writes the run in the Common Test Report Format. A case in quarantine that is not proven has the status other, so that nobody counts it for a
// failure; a file that could not be read is a failed test of its own.
func CTRF(w io.Writer, r *deed.RunResult) error {
	start := millis(r.Started)
	doc := ctrfReport{Format: "CTRF", Spec: "0.0.0", By: "deed"}
	if !r.Started.IsZero() {
		end := r.Started.UTC().Add(time.Duration(r.DurationMS) * time.Millisecond)
		doc.Stamp = &end
	}
	res := &doc.Results
	res.Tool.Name = "deed"
	res.Tests = []ctrfTest{}
	res.Environment = ctrfEnvironment{Name: r.Run, Healthy: r.Outcome.OK() && len(r.Problems) == 0, Extra: some("browser", r.Browser, "base_url", r.BaseURL, "shard", r.Shard)}
	suites := map[string]bool{}
	for _, p := range r.Problems {
		file, line := position(p.Pos)
		suites[file] = true
		res.Tests = append(res.Tests, ctrfTest{Name: "the file can be read", Status: "failed", Suite: suiteOf(file), Message: p.Message, Line: line, Raw: "invalid", Type: "e2e", File: file, Extra: some("hint", p.Hint)})
	}
	for i := range r.Cases {
		suites[r.Cases[i].File] = true
		res.Tests = append(res.Tests, ctrfOf(&r.Cases[i], r.Browser))
	}
	s := &res.Summary
	for i := range res.Tests {
		s.Tests++
		switch res.Tests[i].Status {
		case "passed":
			s.Passed++
		case "failed":
			s.Failed++
		case "skipped":
			s.Skipped++
		default:
			s.Other++
		}
		if res.Tests[i].Flaky {
			s.Flaky++
		}
	}
	s.Suites, s.Start, s.Stop, s.Duration = len(suites), start, start+r.DurationMS, r.DurationMS
	s.Extra = some("outcome", r.Outcome.String(), "model_calls", r.ModelCalls, "trace", r.Trace)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ") // < and > stay escaped: readers of this paste it into pages
	return e.Encode(doc)
}

func ctrfOf(c *deed.CaseResult, browser string) ctrfTest {
	t := ctrfTest{Name: name(c), Status: ctrfStatus(c.Outcome), Duration: c.DurationMS, Start: millis(c.Started), Suite: suiteOf(c.File), Raw: c.Outcome.String(),
		Tags: c.Tags, Type: "e2e", File: c.File, Retries: len(c.Retries), Flaky: c.Flaky, Browser: browser}
	if t.Name == "" {
		t.Name = "a case without a name"
	}
	if c.Worker > 0 {
		t.Thread = strconv.Itoa(c.Worker)
	}
	if t.Start > 0 {
		t.Stop = t.Start + t.Duration
	}
	if failed(c) {
		t.Message, t.Trace = why(c), details(c)
		if c.Quarantine {
			t.Status = "other"
		}
	}
	if s := first(c); s != nil {
		t.Line, t.Err = s.Pos.Line, s.Console
	}
	var attempts []deed.CaseResult // all of them, as the specification's examples have it; their time is the test's
	if len(c.Retries) > 0 {
		attempts = append(append(attempts, c.Retries...), *c)
		t.Duration = 0
	}
	for i := range attempts {
		a := &attempts[i]
		t.Duration += a.DurationMS
		at := ctrfAttempt{Attempt: i + 1, Status: ctrfStatus(a.Outcome), Duration: a.DurationMS, Start: millis(a.Started), Extra: some("outcome", a.Outcome.String())}
		if at.Start > 0 {
			at.Stop = at.Start + at.Duration
		}
		if failed(a) {
			at.Message, at.Trace = why(a), details(a)
			if s := first(a); s != nil {
				at.Line = s.Pos.Line
			}
		}
		t.Attempts = append(t.Attempts, at)
	}
	for _, list := range [][]deed.StepResult{c.Steps, c.Teardown} {
		for i := range list {
			s := &list[i]
			own := []any{"outcome", s.Outcome.String(), "basis", string(s.Basis), "mismatch", string(s.Mismatch), "reason", s.Reason, "duration", s.DurationMS}
			if s.Healed != nil {
				own = append(own, "healed", s.Healed)
			}
			if len(s.Diverged) > 0 {
				own = append(own, "diverged", s.Diverged)
			}
			if !s.Outcome.OK() && len(s.Changes) > 0 {
				own = append(own, "changes", s.Changes)
			}
			step := ctrfStep{Name: strings.TrimSpace(string(s.Do) + " " + s.Locator), Status: ctrfStatus(s.Outcome), Extra: some(own...)}
			if step.Name == "" {
				step.Name = "step " + strconv.Itoa(s.N)
			}
			t.Steps = append(t.Steps, step)
			if s.Shots == nil {
				continue
			}
			for _, shot := range []struct{ when, path string }{{"before", s.Shots.Before}, {"after", s.Shots.After}} {
				if shot.path != "" {
					t.Attachments = append(t.Attachments, ctrfAttachment{Name: "step " + strconv.Itoa(s.N) + ", " + shot.when, Type: typeByName(shot.path), Path: shot.path})
				}
			}
		}
	}
	t.Extra = some("case", c.Case, "code", string(c.Code), "lock", c.Lock, "run", c.Run, "quarantine", c.Quarantine)
	return t
}

func ctrfStatus(o deed.Outcome) string {
	switch {
	case o.OK():
		return "passed"
	case o == deed.OutcomeSkipped:
		return "skipped"
	}
	return "failed"
}

func suiteOf(file string) []string {
	if file == "" {
		return nil
	}
	return strings.Split(strings.Trim(file, "/"), "/")
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func typeByName(file string) string {
	switch {
	case strings.HasSuffix(file, ".jpg"), strings.HasSuffix(file, ".jpeg"):
		return "image/jpeg"
	case strings.HasSuffix(file, ".webp"):
		return "image/webp"
	}
	return "image/png"
}

// some is what an `extra` holds: deed's own object, of those values that say something; nil where none does.
func some(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case string:
			if v == "" {
				continue
			}
		case int:
			if v == 0 {
				continue
			}
		case bool:
			if !v {
				continue
			}
		}
		m[kv[i].(string)] = kv[i+1]
	}
	if len(m) == 0 {
		return nil
	}
	return map[string]any{"deed": m}
}
