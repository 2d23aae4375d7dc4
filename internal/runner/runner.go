// Package runner runs cases: each in a browser context of its own, step by step, until one step is not proven.
//
// Law of this package: it knows cases and the public browser. It decides nothing about verdicts; it carries steps out
// in order and adds up what became of them.
package runner

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// DefaultCaseTimeout bounds a case that declares no timeout.
const DefaultCaseTimeout = 2 * time.Minute

// Options of a run. The zero value is the default.
type Options struct {
	Timeout time.Duration // of each case that declares none; 0 is DefaultCaseTimeout
	Dir     string        // where the run's folder is made, with its trace, pictures and downloads; "" keeps none
	// BestEffort does what cannot be written down in the trace all the same, and notes that it was not. By default nothing is done that
	// is not written down first (AP-50).
	BestEffort bool

	Policy     []byte // rules of your own in Cedar, beside the origins that each case names; nil is the policy "test"
	PolicyFile string // their name, for messages

	OnCase func(*deed.Case)
	OnStep func(*deed.Case, *deed.Step, deed.StepResult)
	OnDone func(*deed.Case, deed.CaseResult)
}

// Run runs the cases one after another. A case that fails, hangs or crashes its page does not keep the next from
// running; when the context ends, the rest is cancelled.
func Run(ctx context.Context, b *browser.Browser, cases []deed.Case, o Options) *deed.RunResult {
	start := time.Now()
	r := &deed.RunResult{Deed: deed.Format, Run: runID(start), Started: start.UTC().Truncate(time.Millisecond), Browser: b.Product(),
		Outcome: deed.OutcomeVerified, Cases: []deed.CaseResult{}}
	if o.Dir != "" {
		r.Trace = filepath.Join(o.Dir, r.Run, TraceFile)
	}
	for i := range cases {
		c := &cases[i]
		if o.OnCase != nil {
			o.OnCase(c)
		}
		res := runCase(ctx, b, c, r.Run, i+1, o)
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

func runCase(ctx context.Context, b *browser.Browser, c *deed.Case, run string, n int, o Options) (res deed.CaseResult) {
	start := time.Now()
	res = deed.CaseResult{Case: c.ID, File: c.File, Title: c.Title, Tags: c.Tags, Started: start.UTC().Truncate(time.Millisecond),
		Outcome: deed.OutcomeVerified, Steps: []deed.StepResult{}}
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
	rec, journal, err := newRecord(c, run, n, &o)
	if err != nil {
		failed(err)
		return res
	}
	defer func() {
		err := rec.close()
		switch {
		case rec != nil && rec.lost != nil:
			res.Notes = append(res.Notes, "not all of it is in the trace: "+rec.lost.Error())
		case err != nil && res.Outcome.OK() && !o.BestEffort:
			failed(err)
		}
	}()
	page, err := b.NewUnder(caseCtx, casePolicy(c, journal, &o))
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
		rec.at(i + 1)
		at := time.Since(start).Milliseconds()
		r, err := page.Do(caseCtx, s.Action)
		sr := r.Step(i+1, err)
		if err != nil && ctx.Err() != nil {
			sr.Outcome = deed.OutcomeCancelled
		}
		if files, ferr := keep(o.Dir, run, c.ID, i+1, r); ferr != nil && err == nil {
			err = ferr
			sr = r.Step(i+1, err)
			sr.Outcome, sr.Reason = deed.OutcomeFailed, ferr.Error()
		} else {
			sr.Files = files
		}
		sr.AtMS = at
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

// keep saves what a step left in files: <dir>/<run>/shots/<case>-<step>-<name>.png, <dir>/<run>/downloads/<case>-<step>-<name>.
func keep(dir, run, id string, n int, r *deed.Result) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	var out []string
	put := func(folder, name string, data []byte) error {
		at := filepath.Join(dir, run, folder)
		file := filepath.Join(at, fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(id, "/", "-"), n, filepath.Base(name)))
		err := os.MkdirAll(at, 0o755)
		if err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
		if err != nil {
			return &deed.Error{Op: "save", Where: file, Code: deed.CodeEnvironment, Err: err}
		}
		out = append(out, file)
		return nil
	}
	if png, ok := r.Saved.([]byte); ok && r.Action.Kind == deed.KindShot {
		if err := put("shots", cmp.Or(r.Action.Text, "shot")+".png", png); err != nil {
			return out, err
		}
	}
	for _, d := range r.Signals.Downloads {
		if d.Path == "" {
			continue
		}
		data, err := os.ReadFile(d.Path)
		if err != nil {
			return out, &deed.Error{Op: "save", Where: d.Name, Code: deed.CodeEnvironment, Err: err}
		}
		if err := put("downloads", d.Name, data); err != nil {
			return out, err
		}
	}
	return out, nil
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
