package report_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/reporttest"
)

// shard is a run of these cases, told as "id outcome", that began at a second and took some.
func shard(id string, at, took int, cases ...string) *deed.RunResult {
	r := &deed.RunResult{Deed: deed.Format, Run: id, Started: reporttest.Start.Add(time.Duration(at) * time.Second), DurationMS: int64(took) * 1000, Outcome: deed.OutcomeVerified}
	for _, c := range cases {
		name, word, _ := strings.Cut(c, " ")
		var o deed.Outcome
		_ = o.UnmarshalText([]byte(word))
		r.Cases = append(r.Cases, deed.CaseResult{Case: name, File: "a.deed.yaml", Outcome: o})
		r.Outcome = min(r.Outcome, o)
	}
	return r
}

func told(r *deed.RunResult) string {
	var out []string
	for i := range r.Cases {
		c := &r.Cases[i]
		s := c.Case + " " + c.Outcome.String() + " of " + c.Run
		for j := range c.Retries {
			s += " after " + c.Retries[j].Outcome.String() + " of " + c.Retries[j].Run
		}
		if c.Flaky {
			s += " flaky"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestMerge(t *testing.T) {
	quarantined := shard("q", 0, 5, "a mismatch")
	quarantined.Cases[0].Quarantine = true
	retried := shard("r", 0, 5, "a verified")
	retried.Cases[0].Retries = []deed.CaseResult{{Case: "a", Outcome: deed.OutcomeFailed, Run: "r"}}
	retried.Cases[0].Flaky = true
	unread := shard("u", 0, 1, "a verified")
	unread.Problems = []deed.ProblemResult{{Pos: "x.yaml:1:1", Message: "no"}}
	unread2 := shard("v", 0, 1, "b verified")
	unread2.Problems = unread.Problems
	undated := shard("one", 0, 7, "a mismatch")
	undated.Started = time.Time{}
	for _, c := range []struct {
		name    string
		runs    []*deed.RunResult
		want    string
		outcome deed.Outcome
		ms      int64
	}{
		{"shards side by side", []*deed.RunResult{shard("one", 0, 10, "a verified", "b mismatch"), shard("two", 4, 10, "c healed")},
			"a verified of one; b mismatch of one; c healed of two", deed.OutcomeMismatch, 14_000},
		{"healed is worse than verified", []*deed.RunResult{shard("one", 0, 1, "a verified"), shard("two", 0, 1, "b healed", "c already", "d skipped")},
			"a verified of one; b healed of two; c already of two; d skipped of two", deed.OutcomeHealed, 1000},
		{"run again, given in any order", []*deed.RunResult{shard("again", 100, 5, "b verified"), shard("one", 0, 10, "a verified", "b mismatch")},
			"a verified of one; b verified of again after mismatch of one flaky", deed.OutcomeVerified, 15_000},
		{"worse the second time", []*deed.RunResult{shard("one", 0, 10, "a verified"), shard("two", 100, 5, "a mismatch")},
			"a mismatch of two after verified of one", deed.OutcomeMismatch, 15_000},
		{"repeated within a run", []*deed.RunResult{shard("one", 0, 10, "a verified", "a mismatch"), shard("two", 0, 5, "b verified")},
			"a verified of one; a mismatch of one; b verified of two", deed.OutcomeMismatch, 10_000},
		{"attempts stay in order", []*deed.RunResult{retried, shard("two", 9, 1, "a verified")},
			"a verified of two after failed of r after verified of r flaky", deed.OutcomeVerified, 6000},
		{"quarantine", []*deed.RunResult{quarantined, shard("two", 0, 1, "b verified")}, "a mismatch of q; b verified of two", deed.OutcomeVerified, 5000},
		{"files that no shard could read", []*deed.RunResult{unread, unread2}, "a verified of u; b verified of v", deed.OutcomeFailed, 1000},
		{"without dates the last one counts", []*deed.RunResult{undated, shard("two", 0, 3, "a verified")}, "a verified of two after mismatch of one flaky", deed.OutcomeVerified, 7000},
		{"a run without cases", []*deed.RunResult{{Deed: deed.Format, Run: "none", Outcome: deed.OutcomeFailed}, shard("two", 0, 3, "a verified")}, "a verified of two", deed.OutcomeFailed, 3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := report.Merge(c.runs)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(r); got != c.want || r.Outcome != c.outcome || r.DurationMS != c.ms {
				t.Errorf("%s: %s in %d ms, want %s: %s in %d ms", r.Outcome, got, r.DurationMS, c.outcome, c.want, c.ms)
			}
		})
	}
	if r, err := report.Merge([]*deed.RunResult{unread, unread2}); err != nil || len(r.Problems) != 1 {
		t.Errorf("a file that every shard complains of is one problem: %v, %v", r.Problems, err)
	}
	for name, runs := range map[string][]*deed.RunResult{"nothing": nil, "the same run twice": {shard("one", 0, 1), shard("one", 0, 1)}, "another format": {{Deed: 7}}} {
		if _, err := report.Merge(runs); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
