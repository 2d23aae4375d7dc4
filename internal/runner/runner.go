// Package runner runs cases: each in a browser context of its own, step by step, until one step is not proven.
//
// Law of this package: it knows cases and the public browser. It decides nothing about verdicts; it carries steps out
// in order and adds up what became of them.
package runner

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// DefaultCaseTimeout bounds a case that declares no timeout.
const DefaultCaseTimeout = 2 * time.Minute

// Options of a run. The zero value is the default.
type Options struct {
	Timeout time.Duration // of each case that declares none; 0 is DefaultCaseTimeout
	OnCase  func(*deed.Case)
	OnStep  func(*deed.Case, *deed.Step, deed.StepResult)
	OnDone  func(*deed.Case, deed.CaseResult)
}

// Run runs the cases one after another. A case that fails, hangs or crashes its page does not keep the next from
// running; when the context ends, the rest is cancelled.
func Run(ctx context.Context, b *browser.Browser, cases []deed.Case, o Options) *deed.RunResult {
	start := time.Now()
	r := &deed.RunResult{Deed: deed.Format, Run: runID(start), Outcome: deed.OutcomeVerified, Cases: []deed.CaseResult{}}
	for i := range cases {
		c := &cases[i]
		if o.OnCase != nil {
			o.OnCase(c)
		}
		res := runCase(ctx, b, c, o)
		if o.OnDone != nil {
			o.OnDone(c, res)
		}
		r.Cases = append(r.Cases, res)
		r.Outcome = worse(r.Outcome, res.Outcome)
	}
	r.DurationMS = time.Since(start).Milliseconds()
	return r
}

func runID(t time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	var b [4]byte
	_, _ = rand.Read(b[:])
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return t.UTC().Format("20060102-150405-") + string(b[:])
}

// worse is the outcome of a whole whose parts have these outcomes. Already and healed count as verified parts.
func worse(a, b deed.Outcome) deed.Outcome {
	if b.OK() && b != deed.OutcomeHealed {
		b = deed.OutcomeVerified
	}
	return min(a, b)
}

func runCase(ctx context.Context, b *browser.Browser, c *deed.Case, o Options) (res deed.CaseResult) {
	start := time.Now()
	res = deed.CaseResult{Case: c.ID, File: c.File, Outcome: deed.OutcomeVerified, Steps: []deed.StepResult{}}
	defer func() { res.DurationMS = time.Since(start).Milliseconds() }()
	failed := func(err error) {
		res.Outcome = deed.OutcomeFailed
		if ctx.Err() != nil {
			res.Outcome = deed.OutcomeCancelled
		}
		res.Code, res.Reason = deed.CodeOf(err), err.Error()
	}
	if err := ctx.Err(); err != nil {
		failed(&deed.Error{Op: "case", Where: c.ID, Code: deed.CodeCancelled, Err: err})
		return res
	}
	budget := c.Timeout
	if budget == 0 {
		budget = o.Timeout
	}
	if budget == 0 {
		budget = DefaultCaseTimeout
	}
	caseCtx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	page, err := b.New(caseCtx)
	if err != nil {
		failed(err)
		return res
	}
	defer func() {
		if err := page.Close(); err != nil && res.Outcome.OK() {
			failed(err)
		}
	}()
	for name, value := range c.Secrets {
		page.Mask(name, value)
	}
	steps := c.Steps
	if c.Start != "" {
		if r, err := page.Goto(caseCtx, c.Start); err != nil {
			failed(err)
			if ctx.Err() == nil {
				res.Outcome = r.Outcome
			}
			res.Steps = append(res.Steps, skipped(steps, 1)...)
			return res
		}
	}
	for i := range steps {
		s := &steps[i]
		r, err := page.Do(caseCtx, s.Action)
		sr := r.Step(i+1, err)
		if err != nil && ctx.Err() != nil {
			sr.Outcome = deed.OutcomeCancelled
		}
		if s.Save != "" && err == nil {
			if raw, ok := r.Saved.(json.RawMessage); ok {
				if res.Saved == nil {
					res.Saved = map[string]json.RawMessage{}
				}
				res.Saved[s.Save] = raw
			}
		}
		if o.OnStep != nil {
			o.OnStep(c, s, sr)
		}
		res.Steps = append(res.Steps, sr)
		res.Outcome = worse(res.Outcome, sr.Outcome)
		if !sr.Outcome.OK() {
			res.Code = sr.Code
			res.Steps = append(res.Steps, skipped(steps[i+1:], i+2)...)
			break
		}
	}
	return res
}

func skipped(steps []deed.Step, from int) []deed.StepResult {
	var out []deed.StepResult
	for i := range steps {
		a := &steps[i].Action
		out = append(out, deed.StepResult{N: from + i, Do: a.Kind, Locator: a.Object(), Outcome: deed.OutcomeSkipped,
			Reason: "a step before it was not proven", Changes: []string{}, PhasesMS: map[string]int64{}})
	}
	return out
}
