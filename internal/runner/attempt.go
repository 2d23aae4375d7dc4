package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/httpstep"
	"github.com/deed-dev/deed/internal/redact"
)

// An attempt is one go at a case, in a browser context of its own.
type attempt struct {
	o      *Options
	run    string // id of the run
	name   string // of the attempt, within the run
	c      *deed.Case
	start  time.Time
	onStep func(*deed.Step, deed.StepResult)
	needed bool // others go on with its session

	files   *lockFiles
	replay  *replay // nil where no lock is kept
	rec     *record
	mask    redact.Masker
	gate    *gate.Gate
	page    *browser.Page
	http    *httpstep.Client  // nil until a step asks for something
	asks    string            // the URL of the http step under way
	values  map[string]string // that steps saved
	session *deed.Session     // that it goes on with; nil is none
	left    *deed.Session     // that it leaves, where others go on with it
	res     deed.CaseResult
}

// outline is the result of a case that has not begun.
func outline(c *deed.Case) deed.CaseResult {
	return deed.CaseResult{Case: c.ID, File: c.File, Title: c.Title, Tags: c.Tags, Started: time.Now().UTC().Truncate(time.Millisecond),
		Outcome: deed.OutcomeVerified, Quarantine: c.Quarantine, Steps: []deed.StepResult{}}
}

// failed ends the case with what no step tells.
func (at *attempt) failed(ctx context.Context, err error) {
	at.res.Outcome = deed.OutcomeFailed
	if ended(ctx) {
		at.res.Outcome = deed.OutcomeCancelled
	}
	at.res.Code, at.res.Reason = deed.CodeOf(err), err.Error()
	if errors.Is(context.Cause(ctx), errWall) {
		at.res.Code, at.res.Reason = deed.CodeTimeout, errWall.Error()
	}
}

// ended reports a run that somebody interrupted: that its time is over is a failure.
func ended(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errWall)
}

// carryOut opens a page for the case, carries out its steps and cleans up.
func (at *attempt) carryOut(ctx context.Context, b *browser.Browser) {
	c, o := at.c, at.o
	if err := ctx.Err(); err != nil {
		at.failed(ctx, &deed.Error{Op: "case", Where: c.ID, Code: deed.CodeCancelled, Err: err})
		return
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
	for _, value := range c.Secrets {
		at.mask.Add(value)
	}
	var err error
	if at.replay, err = replayOf(c, o, at.files); err != nil {
		at.failed(ctx, err)
		return
	}
	var journal gate.Journal
	if at.rec, journal, err = newRecord(c, at.run, at.name, &at.mask, o); err != nil {
		at.failed(ctx, err)
		return
	}
	defer at.endRecord(ctx)
	rules := casePolicy(c, at.begins(), journal, o)
	if at.gate, err = rules.NewGate(); err == nil {
		at.page, err = b.NewPage(caseCtx, browser.PageOptions{Policy: rules, Gate: at.gate, Setting: &c.Setting, Session: at.session})
	}
	if err != nil {
		at.failed(ctx, err)
		return
	}
	defer func() {
		if err := at.page.Close(); err != nil && at.res.Outcome.OK() {
			at.failed(ctx, err)
		}
	}()
	for name, value := range c.Secrets {
		at.page.Mask(name, value)
	}
	if o.Dir != "" {
		at.page.Pictures(o.Pictures)
	}
	defer func() {
		at.teardown(ctx)
		if at.http != nil {
			at.http.Close()
		}
	}()
	start := at.begins()
	if start != "" {
		if r, err := at.page.Goto(caseCtx, start); err != nil {
			at.failed(ctx, err)
			if ctx.Err() == nil {
				at.res.Outcome = r.Outcome
			}
			at.res.Steps = append(at.res.Steps, skipped(c.Steps, 1)...)
			return
		}
	}
	if t := at.troubled(); t != "" {
		at.res.Outcome, at.res.Code, at.res.Reason = deed.OutcomeMismatch, deed.CodeMismatch, t
		at.res.Steps = append(at.res.Steps, skipped(c.Steps, 1)...)
		return
	}
	at.steps(ctx, caseCtx)
	at.replay.end(&at.res, at.files)
	if at.res.Outcome.OK() && at.needed {
		if at.left, err = at.page.Session(caseCtx); err != nil {
			at.res.Notes = append(at.res.Notes, "its session cannot be gone on with: "+err.Error())
		}
	}
}

// begins is the URL that the case begins at: where what it goes on with ended, unless it says so itself.
func (at *attempt) begins() string {
	if at.c.Start == "" && at.session != nil {
		return at.session.URL
	}
	return at.c.Start
}

// troubled says what trouble fails the case; "" where there is none.
func (at *attempt) troubled() string {
	f := at.c.FailOn
	if f == nil {
		return ""
	}
	for _, t := range at.page.Troubles() {
		counts := map[string]bool{deed.TroubleConsole: f.Console, deed.TroubleException: f.Exceptions, deed.TroubleHTTP: f.HTTP5xx}[t.Kind]
		if counts && !slices.ContainsFunc(f.Ignore, func(s string) bool { return strings.Contains(t.Text, s) || strings.Contains(t.URL, s) }) {
			return troubleWords[t.Kind] + strings.TrimSpace(t.Text+" "+t.URL)
		}
	}
	return ""
}

var troubleWords = map[string]string{deed.TroubleConsole: "the page reported an error: ", deed.TroubleException: "the page threw an error: ", deed.TroubleHTTP: "a server failed: "}

// steps carries out the steps, until one is not proven.
func (at *attempt) steps(ctx, caseCtx context.Context) {
	for i := range at.c.Steps {
		s := &at.c.Steps[i]
		sr := at.step(ctx, caseCtx, s, i+1, at.replay)
		at.res.Steps = append(at.res.Steps, sr)
		at.res.Outcome = worse(at.res.Outcome, sr.Outcome)
		if !sr.Outcome.OK() {
			at.res.Code = sr.Code
			at.res.Steps = append(at.res.Steps, skipped(at.c.Steps[i+1:], i+2)...)
			return
		}
	}
}

// teardown cleans up after the steps, whatever became of them: each of its steps is carried out, and what fails is told, but does not
// make a proven case a failed one.
func (at *attempt) teardown(ctx context.Context) {
	if len(at.c.Teardown) == 0 {
		return
	}
	tctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), teardownTime)
	defer cancel()
	for i := range at.c.Teardown {
		sr := at.step(tctx, tctx, &at.c.Teardown[i], len(at.c.Steps)+i+1, nil)
		sr.N = i + 1
		at.res.Teardown = append(at.res.Teardown, sr)
		if !sr.Outcome.OK() {
			at.res.Notes = append(at.res.Notes, "teardown: "+sr.Reason)
		}
	}
}

// step carries out one step and tells of it. ctx is the run's; caseCtx bounds the step; lock is what it is compared with, nil for nothing.
func (at *attempt) step(ctx, caseCtx context.Context, s *deed.Step, n int, lock *replay) deed.StepResult {
	at.rec.at(n)
	began := time.Since(at.start).Milliseconds()
	now := lock.prepare(n-1, s)
	r, err := at.do(caseCtx, now)
	sr := r.Step(n, err)
	if p, why := lock.heal(caseCtx, n-1, err, at.page.Observe); p != nil {
		healed := p.Healed(s.Action.Locator)
		if lock.mode == LocksFrozen {
			sr.Healed, sr.Hint = healed, fmt.Sprintf("it may be %s now (%s): run without --frozen to heal it, or write it into the case", healed.New, healed.Why)
		} else {
			again := *now
			again.Action.Locator = p.Locator
			now = lock.awaiting(n-1, &again)
			r, err = at.do(caseCtx, now)
			sr = r.Step(n, err)
			sr.Healed = healed
			if err == nil {
				sr.Outcome = deed.OutcomeHealed
			}
		}
	} else if why != "" {
		sr.Reason += "; its lock proposes nothing: " + why
	}
	switch {
	case err == nil:
	case ended(ctx):
		sr.Outcome = deed.OutcomeCancelled
	case errors.Is(context.Cause(ctx), errWall):
		sr.Code, sr.Reason = deed.CodeTimeout, errWall.Error()
	}
	if files, ferr := keep(at.o.Dir, at.run, at.prefix(), n, r); ferr != nil && err == nil {
		err = ferr
		sr = r.Step(n, err)
		sr.Outcome, sr.Reason = deed.OutcomeFailed, ferr.Error()
	} else {
		sr.Files = files
	}
	sr.Shots = at.shots(n, r)
	sr.AtMS = began
	sr.Pos = s.Pos
	if t := at.troubled(); t != "" && sr.Outcome.OK() {
		sr.Outcome, sr.Verdict, sr.Basis, sr.Mismatch, sr.Code, sr.Reason = deed.OutcomeMismatch, deed.Mismatch.String(), "", deed.MismatchPageError, deed.CodeMismatch, t
	}
	if err == nil && sr.Outcome.OK() {
		lock.check(n-1, r, &sr, now.Action.Locator)
	}
	if s.Save != "" && err == nil {
		if raw, ok := r.Saved.(json.RawMessage); ok {
			at.save(s.Save, raw)
		}
	}
	at.onStep(s, sr)
	return sr
}

// do carries out an action, or a request, with what steps before saved in its place.
func (at *attempt) do(ctx context.Context, s *deed.Step) (*deed.Result, error) {
	s, missing := bind(s, at.values)
	if missing != "" {
		err := &deed.Error{Op: string(s.Action.Kind), Code: deed.CodeInvalid, Err: fmt.Errorf("nothing saved %s", missing), SideEffects: deed.EffectsNone}
		return &deed.Result{Action: s.Action, Judgement: deed.Judgement{Reason: err.Error()}}, err
	}
	if s.HTTP != nil {
		return at.request(ctx, s.HTTP)
	}
	return at.page.Do(ctx, s.Action)
}

// shots keeps the pictures of a step; one that cannot be kept is noted.
func (at *attempt) shots(n int, r *deed.Result) *deed.Shots {
	if r.Pictures == nil || at.o.Dir == "" {
		return nil
	}
	s := &deed.Shots{Box: r.Pictures.Box}
	if d := at.c.Device; d != nil {
		s.Scale = d.Scale
	}
	for name, to := range map[string]*string{"before": &s.Before, "after": &s.After} {
		png := r.Pictures.Before
		if name == "after" {
			png = r.Pictures.After
		}
		if png == nil {
			continue
		}
		file, err := save(at.o.Dir, at.run, "shots", fmt.Sprintf("%s-%d-%s.png", at.prefix(), n, name), png)
		if err != nil {
			at.res.Notes = append(at.res.Notes, "a picture is missing: "+err.Error())
			continue
		}
		*to = file
	}
	if s.Before == "" && s.After == "" {
		return nil
	}
	return s
}

// prefix is how the names of the attempt's files begin.
func (at *attempt) prefix() string {
	if at.o.Repeat > 1 || strings.Contains(at.name, "-") {
		return at.c.ID + "." + at.name
	}
	return at.c.ID
}

// endRecord closes the attempt's part of the trace: what is missing in it is a failure, unless it may be.
func (at *attempt) endRecord(ctx context.Context) {
	err := at.rec.close()
	switch {
	case at.rec != nil && at.rec.lost != nil:
		at.res.Notes = append(at.res.Notes, "not all of it is in the trace: "+at.rec.lost.Error())
	case err != nil && at.res.Outcome.OK() && !at.o.BestEffort:
		at.failed(ctx, err)
	}
}

func skipped(steps []deed.Step, from int) []deed.StepResult {
	var out []deed.StepResult
	for i := range steps {
		a := &steps[i].Action
		what := a.Object()
		if h := steps[i].HTTP; h != nil {
			what = h.Method + " " + h.URL
		}
		what, _ = deed.Bind(what, func(name string) (string, bool) { return "${" + name + "}", true }) // nothing was put in its place
		out = append(out, deed.StepResult{N: from + i, Do: a.Kind, Pos: steps[i].Pos, Locator: what, Outcome: deed.OutcomeSkipped,
			Reason: "a step before it was not proven", Changes: []string{}, PhasesMS: map[string]int64{}})
	}
	return out
}
