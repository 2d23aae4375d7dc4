package history

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/deed-dev/deed"
)

// A RunDiff is how two runs differ.
type RunDiff struct {
	Before  Run          `json:"before"`
	After   Run          `json:"after"`
	Differs []Difference `json:"differs,omitempty"` // between the runs themselves: base URL, browser, …
	Cases   []CaseDiff   `json:"cases"`             // what differs, worst first
	New     []string     `json:"new,omitempty"`     // ran only after
	Gone    []string     `json:"gone,omitempty"`    // ran only before
	Same    int          `json:"same"`              // cases that do not differ
}

// Equal reports whether nothing differs but how long something took.
func (d *RunDiff) Equal() bool {
	return len(d.New)+len(d.Gone) == 0 && !slices.ContainsFunc(d.Cases, func(c CaseDiff) bool {
		return c.Before != c.After || c.Flaky != "" || slices.ContainsFunc(c.Steps, func(s StepDiff) bool { return !s.timeOnly() })
	})
}

// A CaseDiff is how a case differs in two runs.
type CaseDiff struct {
	Case   string       `json:"case"`
	Before deed.Outcome `json:"before"`
	After  deed.Outcome `json:"after"`
	Flaky  string       `json:"flaky,omitempty"`  // "before" or "after": it passed only after a retry there
	Code   deed.Code    `json:"code,omitempty"`   // after
	Reason string       `json:"reason,omitempty"` // after
	Took   *Took        `json:"took,omitempty"`   // where that differs beyond noise
	Steps  []StepDiff   `json:"steps,omitempty"`
}

// Took is how long something took, before and after, and by how much it varies: see [Noise].
type Took struct {
	BeforeMS int64 `json:"before_ms"`
	AfterMS  int64 `json:"after_ms"`
	NoiseMS  int64 `json:"noise_ms"`
	Samples  int   `json:"samples"` // that the noise is of
}

// A StepDiff is how a step differs. Before or After is zero where it is new or gone.
type StepDiff struct {
	Object     string       `json:"object"`
	BeforeN    int          `json:"before_n,omitempty"`
	AfterN     int          `json:"after_n,omitempty"`
	Before     deed.Outcome `json:"before"`
	After      deed.Outcome `json:"after"`
	Code       deed.Code    `json:"code,omitempty"`
	Reason     string       `json:"reason,omitempty"`      // after, where the outcomes differ
	Lost       []string     `json:"lost,omitempty"`        // changes of the page that came before and not after
	Gained     []string     `json:"gained,omitempty"`      // the reverse
	Diverged   []string     `json:"diverged,omitempty"`    // from the lock, after and not before
	NoDiverged []string     `json:"no_diverged,omitempty"` // the reverse
	Took       *Took        `json:"took,omitempty"`
}

func (s *StepDiff) timeOnly() bool {
	return s.BeforeN != 0 && s.AfterN != 0 && s.Before == s.After && len(s.Lost)+len(s.Gained)+len(s.Diverged)+len(s.NoDiverged) == 0
}

// Diff compares two runs. Where a case ran several times in a run, its worst result counts.
func (h *DB) Diff(ctx context.Context, before, after *Run) (*RunDiff, error) {
	d := &RunDiff{Before: *before, After: *after, Cases: []CaseDiff{}}
	for _, x := range []Difference{{"base URL", before.BaseURL, after.BaseURL}, {"browser", before.Browser, after.Browser},
		{"shard", before.Shard, after.Shard}, {"workers", fmt.Sprint(before.Workers), fmt.Sprint(after.Workers)}} {
		if x.Before != x.After {
			d.Differs = append(d.Differs, x)
		}
	}
	was, err := h.ofRun(ctx, before)
	if err != nil {
		return nil, err
	}
	is, err := h.ofRun(ctx, after)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for name := range was {
		names[name] = true
	}
	for name := range is {
		names[name] = true
	}
	for _, name := range sortedKeys(names) {
		b, a := was[name], is[name]
		switch {
		case b == nil:
			d.New = append(d.New, name)
			continue
		case a == nil:
			d.Gone = append(d.Gone, name)
			continue
		}
		c, err := h.caseDiff(ctx, name, b, a, after)
		if err != nil {
			return nil, err
		}
		if c == nil {
			d.Same++
			continue
		}
		d.Cases = append(d.Cases, *c)
	}
	slices.SortStableFunc(d.Cases, func(a, b CaseDiff) int { return a.rank() - b.rank() })
	return d, nil
}

// rank is the order in which differences are told: what got worse, what got better, what is otherwise.
func (c *CaseDiff) rank() int {
	switch {
	case c.After < c.Before && !c.After.OK():
		return int(c.After)
	case c.Before != c.After:
		return 100
	case c.Flaky != "":
		return 101
	}
	return 102
}

type inRun struct {
	Result
	caseID int64
}

// ofRun returns the results of a run by case.
func (h *DB) ofRun(ctx context.Context, r *Run) (map[string]*inRun, error) {
	type named struct {
		name string
		inRun
	}
	rows, err := collect(ctx, h, func(rows row) (n named, err error) {
		var outcome, code string
		err = rows.Scan(&n.name, &n.caseID, &n.id, &outcome, &code, &n.Reason, &n.Step, &n.DurationMS, &n.Flaky)
		n.Outcome, n.Code = outcomeOf(outcome), deed.Code(code)
		return n, err
	}, `SELECT c.name, c.id, a.id, a.outcome, a.code, a.reason, a.step, a.duration, a.flaky FROM attempts a JOIN cases c ON c.id = a.case_id
		WHERE a.run_id = ? AND a.final = 1 ORDER BY a.place`, r.id)
	if err != nil {
		return nil, err
	}
	out := map[string]*inRun{}
	for i := range rows {
		n := &rows[i]
		if old := out[n.name]; old == nil || n.Outcome < old.Outcome || n.Outcome == old.Outcome && n.Flaky && !old.Flaky {
			out[n.name] = &n.inRun
		}
	}
	return out, nil
}

func (h *DB) caseDiff(ctx context.Context, name string, b, a *inRun, after *Run) (*CaseDiff, error) {
	c := &CaseDiff{Case: name, Before: b.Outcome, After: a.Outcome}
	if b.Flaky != a.Flaky {
		c.Flaky = map[bool]string{true: "after", false: "before"}[a.Flaky]
	}
	if b.Outcome != a.Outcome {
		c.Code, c.Reason = a.Code, a.Reason
	}
	// Most durations differ by less than any noise: how they vary is read only where they do not.
	var known *past
	earlier := func() (*past, error) {
		if known != nil {
			return known, nil
		}
		p, err := h.past(ctx, a.caseID, after)
		known = p
		return p, err
	}
	if b.Outcome.OK() && a.Outcome.OK() && far(b.DurationMS, a.DurationMS) {
		p, err := earlier()
		if err != nil {
			return nil, err
		}
		c.Took = took(b.DurationMS, a.DurationMS, p.whole)
	}
	was, err := h.steps(ctx, b.id)
	if err != nil {
		return nil, err
	}
	is, err := h.steps(ctx, a.id)
	if err != nil {
		return nil, err
	}
	for _, p := range align(was, is) {
		s := stepDiff(p)
		if s == nil {
			continue
		}
		if b, a := p.before, p.after; b != nil && a != nil && b.Outcome.OK() && a.Outcome.OK() && far(b.DurationMS, a.DurationMS) {
			past, err := earlier()
			if err != nil {
				return nil, err
			}
			s.Took = took(b.DurationMS, a.DurationMS, past.steps[keyOf(a)])
		}
		if !s.timeOnly() || s.Took != nil {
			c.Steps = append(c.Steps, *s)
		}
	}
	if c.Before == c.After && c.Flaky == "" && c.Took == nil && len(c.Steps) == 0 {
		return nil, nil
	}
	return c, nil
}

// far reports whether two durations may differ by more than noise.
func far(a, b int64) bool { return max(a-b, b-a) > noiseLeast }

// stepDiff is how the steps of a pair differ, durations apart; nil where that says nothing.
func stepDiff(p pair) *StepDiff {
	b, a := p.before, p.after
	switch {
	case b == nil:
		return &StepDiff{Object: a.Object(), AfterN: a.N, After: a.Outcome}
	case a == nil:
		return &StepDiff{Object: b.Object(), BeforeN: b.N, Before: b.Outcome}
	case b.Outcome == deed.OutcomeSkipped || a.Outcome == deed.OutcomeSkipped:
		return nil // it follows from another step
	}
	s := &StepDiff{Object: a.Object(), BeforeN: b.N, AfterN: a.N, Before: b.Outcome, After: a.Outcome,
		Lost: less(b.Changes, a.Changes), Gained: less(a.Changes, b.Changes), Diverged: less(texts(a.Diverged), texts(b.Diverged)),
		NoDiverged: less(texts(b.Diverged), texts(a.Diverged))}
	if b.Outcome != a.Outcome {
		s.Code, s.Reason = a.Code, a.Reason
	}
	return s
}

func texts(list []deed.Divergence) (out []string) {
	for _, d := range list {
		out = append(out, d.String())
	}
	return out
}

// less is the lines of a that b has not, each as often as it has it more.
func less(a, b []string) []string {
	n := map[string]int{}
	for _, l := range b {
		n[l]++
	}
	var out []string
	for _, l := range a {
		if n[l]--; n[l] < 0 {
			out = append(out, l)
		}
	}
	return out
}

// took is how two durations differ, nil where that is within the noise of the others.
func took(before, after int64, others []int64) *Took {
	if len(others) == 0 {
		others = []int64{before}
	}
	noise := Noise(others)
	if max(after-before, before-after) <= noise {
		return nil
	}
	return &Took{BeforeMS: before, AfterMS: after, NoiseMS: noise, Samples: len(others)}
}

// A stepKey is what a step is known again by from run to run: what it does to what, and whether in the teardown.
type stepKey struct {
	teardown    bool
	do, locator string
}

// ofTheRun is what in a locator may be of one run alone, since a step before saved it: a word with a digit in it (an id, a date, an amount),
// or the place of one ([deed.Saved], quoted or not) that was not filled in, because the step was skipped.
var ofTheRun = regexp.MustCompile(`(?:\x{fdd0}|\\ufdd0)[^"\\\x{fdd0}]*(?:\x{fdd0}|\\ufdd0)|[\pL\pN_-]*[0-9][\pL\pN_-]*`)

func keyOf(s *Step) stepKey { return stepKey{s.N < 0, s.Do, ofTheRun.ReplaceAllString(s.Locator, "0")} }

// past is how long a case and its steps took when they were proven.
type past struct {
	whole []int64
	steps map[stepKey][]int64
}

// past reads the durations of the last results of a case, without those of one run, whose durations are to be compared with them.
func (h *DB) past(ctx context.Context, caseID int64, but *Run) (*past, error) {
	const last = ` FROM attempts WHERE case_id = ? AND final = 1 AND run_id <> ? AND outcome IN ('verified', 'already', 'healed')
		ORDER BY at DESC, id DESC LIMIT ?`
	p := &past{steps: map[stepKey][]int64{}}
	var err error
	if p.whole, err = collect(ctx, h, scanOne[int64], "SELECT duration"+last, caseID, but.id, DefaultLimit); err != nil {
		return nil, err
	}
	rows, err := collect(ctx, h, func(rows row) (s Step, err error) {
		err = rows.Scan(&s.N, &s.Do, &s.Locator, &s.DurationMS)
		return s, err
	}, "SELECT s.n, f.action, f.locator, s.duration FROM (SELECT id"+last+") a JOIN steps s ON s.attempt_id = a.id JOIN facts f ON f.id = s.fact_id", caseID, but.id, DefaultLimit)
	for i := range rows {
		k := keyOf(&rows[i])
		p.steps[k] = append(p.steps[k], rows[i].DurationMS)
	}
	return p, err
}

// A pair is a step of two runs; one of them is nil where it is new, or gone.
type pair struct{ before, after *Step }

// align pairs the steps of two runs in their order: the longest common subsequence by what they do.
func align(before, after []Step) []pair {
	n, m := len(before), len(after)
	long := make([][]int, n+1) // of the rests
	for i := range long {
		long[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if keyOf(&before[i]) == keyOf(&after[j]) {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	var out []pair
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && keyOf(&before[i]) == keyOf(&after[j]):
			out = append(out, pair{&before[i], &after[j]})
			i++
			j++
		case j == m || i < n && long[i+1][j] >= long[i][j+1]:
			out = append(out, pair{&before[i], nil})
			i++
		default:
			out = append(out, pair{nil, &after[j]})
			j++
		}
	}
	return out
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
