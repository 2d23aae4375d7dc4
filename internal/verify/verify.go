package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/judge"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/redact"
)

// The default times.
const (
	DefaultTimeout       = 5 * time.Second // of a step, whole
	DefaultEffectTimeout = 3 * time.Second // until "nothing happened" may be said
	DefaultArbiterTime   = 20 * time.Second

	manyWait   = time.Second            // several matches may be a passing state of the page
	timersWait = time.Second            // for the timers that the gesture's own task set: a debounced commit, a simulated roll-back
	retryPause = 100 * time.Millisecond // between tries at an element that cannot be acted on, when nothing changes
	loadRest   = time.Second            // a loaded page that does not come to rest in this time is taken as it is
)

// Options of a loop. The zero value is the default.
type Options struct {
	Timeout         time.Duration // of a step; 0 is DefaultTimeout
	EffectTimeout   time.Duration // 0 is DefaultEffectTimeout
	ArbiterTimeout  time.Duration // 0 is DefaultArbiterTime
	AcceptAmbiguous bool          // an ambiguous verdict passes; the reason says that policy decided
	Ways            []deed.Way    // limit the ladder to these ways; nil allows all
	NoUndo          bool          // leave what was not meant as it is
}

// A Loop carries out actions on one page.
type Loop struct {
	Driver  Driver
	Decider Decider
	Record  Recorder       // nil: nothing is written down
	Arbiter judge.Arbiter  // nil: none
	Mask    *redact.Masker // never nil
	Nonce   func() string  // for the arbiter's fence; needed with an Arbiter
	Options Options
}

// run is one action under way.
type run struct {
	*Loop
	a       *deed.Action
	res     *deed.Result
	before  *deed.Snapshot // what the judge compares with: the page just before the gesture that was delivered
	target  int
	secret  bool
	allowed *deed.Snapshot // the page on which the action was allowed
	first   *deed.Snapshot // the page before the first gesture that changed it, where a further way is tried; see base
	firstAt int
	outer   context.Context // the caller's, which bounds how long a person may take
	seen    []*deed.Snapshot
	passing map[deed.Key]deed.Change
}

// Do carries out one action and proves it. The error is not nil for every outcome that is not proven; the result is
// never nil and tells the whole story in either case. The context's deadline and the action's Timeout both bound
// the action; an undo has up to the effect time-out more, within the context's own deadline.
func (l *Loop) Do(ctx context.Context, action deed.Action) (*deed.Result, error) {
	a := action
	start := time.Now()
	r := &run{Loop: l, a: &a, res: &deed.Result{Action: action, Attempts: 0}, target: -1, passing: map[deed.Key]deed.Change{}, outer: ctx}
	err := a.Validate()
	if err == nil {
		if a.Secret != "" {
			l.Mask.Add(a.Text)
		}
		step, cancel := context.WithTimeout(ctx, orDefault(a.Timeout, orDefault(l.Options.Timeout, DefaultTimeout)))
		switch a.Kind {
		case deed.KindWait, deed.KindExpect:
			err = r.await(step)
		case deed.KindEval:
			err = r.eval(step)
		case deed.KindShot:
			err = r.screenshot(step)
		default:
			err = r.act(step, ctx)
		}
		cancel()
	}
	return r.finish(err, start)
}

// Watch observes what somebody else does in body: it records and judges, never undoes, and never fails for a bad
// verdict. The error is body's own.
func (l *Loop) Watch(ctx context.Context, action deed.Action, body func(context.Context) error) (*deed.Result, error) {
	a := action
	a.Kind = deed.KindWatch
	start := time.Now()
	r := &run{Loop: l, a: &a, res: &deed.Result{Action: a}, target: -1, passing: map[deed.Key]deed.Change{}}
	t := time.Now()
	limit := orDefault(a.Timeout, orDefault(l.Options.Timeout, DefaultTimeout))
	first, stop := context.WithTimeout(ctx, limit) // a page that does not answer is not waited for longer before the act than after it
	defer stop()
	before, err := l.Driver.Observe(first)
	r.res.Phases.Observe = time.Since(t)
	r.before = before
	if err == nil && !a.Locator.IsZero() {
		if i, err := locate.One(before, a.Locator); err == nil {
			r.target = i
			r.aimed()
		}
	}
	began := false
	if err == nil {
		_, err = l.Driver.Perform(first, &deed.Gesture{Action: &a, Snapshot: before, Target: r.target, Way: deed.WayNone})
		began = err == nil
	}
	bodyErr := body(ctx)
	if began {
		step, cancel := context.WithTimeout(ctx, limit)
		j, _, jerr := r.settle(step, deed.Witness{Delivered: true}, false)
		cancel()
		l.Driver.Release(ctx)
		err = jerr
		if jerr == nil {
			r.conclude(ctx, &j)
		}
	}
	if err != nil {
		r.res.Outcome = deed.OutcomeFailed
		r.res.Judgement = deed.Judgement{Reason: err.Error()}
	}
	res, _ := r.finish(nil, start)
	return res, bodyErr
}

// Permit asks policy about an action that the caller carries out itself, and writes down that it begins. The outcome is of an
// action that may not begin.
func (l *Loop) Permit(ctx context.Context, action deed.Action) (deed.Outcome, error) {
	a := action
	r := &run{Loop: l, a: &a, res: &deed.Result{}, target: -1, outer: ctx}
	_, err := r.permit(ctx, r.question())
	if err == nil {
		err = r.started(ctx, r.question(), deed.WayNone)
	}
	return r.res.Outcome, r.Mask.Error(err)
}

// aimed notes the element that is acted on, and where it stands.
func (r *run) aimed() {
	r.res.Target = r.before.Nodes[r.target]
	r.res.Spot = locate.Spot(r.before, r.target)
}

// finish masks, stamps and returns.
func (r *run) finish(err error, start time.Time) (*deed.Result, error) {
	res := r.res
	if res.URL == "" && r.before != nil {
		res.URL = r.before.URL // nothing was done, or nothing was seen of it
	}
	res.Duration = time.Since(start)
	if r.secret || r.a.Secret != "" {
		res.Action.Text = deed.Redacted
	}
	if err != nil {
		if res.Judgement.Reason == "" {
			res.Judgement.Reason = err.Error()
		}
		err = r.Mask.Error(err)
	}
	page := res.Page // the driver's own, and as large as the page: it is compared with, and never told
	res.Page = nil
	r.Mask.Result(res)
	res.Page = page
	return res, err
}

func (r *run) fail(code deed.Code, effects deed.SideEffects, format string, args ...any) *deed.Error {
	return &deed.Error{Op: string(r.a.Kind), Code: code, Where: r.a.Object(), Err: fmt.Errorf(format, args...), SideEffects: effects}
}

func (r *run) log(format string, args ...any) {
	if len(r.res.Log) < 200 {
		r.res.Log = append(r.res.Log, fmt.Sprintf(format, args...))
	}
}

// act is the loop of an action that does something.
func (r *run) act(step, outer context.Context) error {
	a := r.a
	if a.Kind == deed.KindGoto {
		r.before = &deed.Snapshot{Complete: true, Frames: []deed.Frame{{Parent: -1}}} // whatever was there, the page may have crashed or hung
	} else if err := r.start(step); err != nil {
		return err
	}
	if r.target >= 0 {
		r.aimed()
		if (a.Kind == deed.KindFill || a.Kind == deed.KindType) && (a.Secret != "" || r.res.Target.Sensitive) {
			r.secret = true
			r.Mask.Add(a.Text)
			if !r.res.Target.Sensitive {
				if err := r.Driver.Protect(step, r.before, r.target); err != nil {
					return err
				}
			}
		}
	}
	if a.Kind != deed.KindGoto {
		for _, w := range judge.WeakExpectations(a, r.before) {
			r.log("%s", w)
		}
		var held *bool
		if a.Kind == deed.KindFill || a.Kind == deed.KindClear {
			want := a.Text
			if a.Kind == deed.KindClear {
				want = ""
			}
			h, err := r.Driver.Holds(step, r.before, r.target, want)
			if err == nil {
				held = &h
			}
		}
		if reason, ok := judge.Already(a, r.before, r.target, held); ok {
			r.res.Outcome = deed.OutcomeAlready
			r.res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Already: true, Reason: reason}
			r.res.Settled = true
			return nil
		}
	}
	asked, err := r.permit(outer, r.question())
	if err != nil {
		return err
	}
	if asked { // a person takes their time, and it is not the step's
		var cancel context.CancelFunc
		step, cancel = context.WithTimeout(outer, orDefault(a.Timeout, orDefault(r.Options.Timeout, DefaultTimeout)))
		defer cancel()
	}
	defer r.Driver.Release(outer)
	j, ev, err := r.climb(step)
	if err != nil {
		return err
	}
	if cerr := r.conclude(outer, &j); cerr == nil {
		return nil
	}
	return r.takeBack(outer, ev)
}

// resolve observes until the locator finds its one element, or the deadline.
func (r *run) resolve(ctx context.Context) error {
	var last error
	began := time.Now()
	looked := "" // the page that may be looked at for it
	for {
		t := time.Now()
		s, err := r.Driver.Observe(ctx)
		r.res.Phases.Observe += time.Since(t)
		if err != nil {
			if last != nil && ctx.Err() != nil {
				return last
			}
			return err
		}
		r.before = s
		if r.a.Locator.IsZero() && r.a.Ref == "" && r.a.Selector == "" && r.a.Point == nil {
			if r.a.Kind == deed.KindType {
				if r.target = judge.Focused(s); r.target < 0 {
					if err := r.lookedAt(s); err != nil {
						return err
					}
					return r.fail(deed.CodeNoMatch, deed.EffectsNone, "nothing has the focus")
				}
				return nil
			}
			r.target = -1
			return nil
		}
		t = time.Now()
		i, err := r.find(ctx, s)
		r.res.Phases.Resolve += time.Since(t)
		if err == nil {
			r.target = i
			return nil
		}
		// What is not here is not waited for, nor are those that are here named, on a page where nothing may be done (AA-44).
		if last == nil || s.URL != looked {
			if err := r.lookedAt(s); err != nil {
				return err
			}
			looked = s.URL
		}
		if last == nil {
			r.log("waiting for %s: %v", r.a.Object(), deed.CodeOf(err))
		}
		last = r.lift(err)
		if errors.Is(err, deed.CodeStaleRef) || errors.Is(err, deed.CodeInvalid) || errors.Is(err, deed.CodeManyMatches) && time.Since(began) > manyWait {
			return last
		}
		if r.Driver.Await(ctx, retryPause) != nil && ctx.Err() != nil {
			return last
		}
	}
}

func (r *run) find(ctx context.Context, s *deed.Snapshot) (int, error) {
	if r.a.Ref != "" {
		ref, err := deed.ParseRef(r.a.Ref)
		if err != nil {
			return 0, err
		}
		if ref.Snapshot != s.Number || ref.Element > len(s.Nodes) {
			return 0, r.fail(deed.CodeStaleRef, deed.EffectsNone, "the page has been observed anew since")
		}
		return ref.Element - 1, nil
	}
	if r.a.Selector != "" || r.a.Point != nil {
		return r.Driver.Pick(ctx, s, r.a)
	}
	return locate.One(s, r.a.Locator)
}

// lift puts the action's name on an error from below.
func (r *run) lift(err error) error {
	var e *deed.Error
	if errors.As(err, &e) {
		c := *e
		c.Op, c.Where = string(r.a.Kind), r.a.Object()
		if c.SideEffects == "" {
			c.SideEffects = deed.EffectsNone
		}
		return &c
	}
	return err
}

// conclude turns a judgement into the outcome, asking the arbiter and the caller's policy where it is ambiguous.
func (r *run) conclude(ctx context.Context, j *deed.Judgement) error {
	if j.Verdict == deed.Ambiguous && r.Arbiter != nil {
		ev := &judge.Evidence{Action: r.res.Action, Before: r.before, After: r.before, Target: r.target, Diff: r.res.Diff, Signals: r.res.Signals}
		if r.secret {
			ev.Action.Secret, ev.Action.Text = "secret", deed.Redacted
		}
		r.Mask.Diff(&ev.Diff)
		*j = judge.Arbitrate(ctx, r.Arbiter, orDefault(r.Options.ArbiterTimeout, DefaultArbiterTime), ev, *j, r.Nonce())
	}
	if j.Verdict == deed.Ambiguous {
		if r.Options.AcceptAmbiguous {
			j.Verdict, j.Basis = deed.Match, deed.BasisPolicy
			j.Reason = "accepted by policy although ambiguous: " + j.Reason
		} else {
			j.Reason = "refused by policy because ambiguous: " + j.Reason
		}
	}
	r.res.Judgement = *j
	switch {
	case j.Verdict == deed.Match && j.Already:
		r.res.Outcome = deed.OutcomeAlready
	case j.Verdict == deed.Match:
		r.res.Outcome = deed.OutcomeVerified
	case j.Verdict == deed.Mismatch:
		r.res.Outcome = deed.OutcomeMismatch
	default:
		r.res.Outcome = deed.OutcomeAmbiguous
	}
	if r.res.Outcome.OK() {
		return nil
	}
	return r.unproven(j)
}

func (r *run) unproven(j *deed.Judgement) *deed.Error {
	code := deed.CodeMismatch
	if j.Verdict == deed.Ambiguous {
		code = deed.CodeAmbiguous
	}
	effects := deed.EffectsPossible
	if j.Kind == deed.MismatchPrevented || j.Kind == deed.MismatchNotDelivered {
		effects = deed.EffectsNone
		if j.Kind == deed.MismatchPrevented {
			code = deed.CodePrevented
		}
	}
	return &deed.Error{Op: string(r.a.Kind), Code: code, Where: r.a.Object(), Err: errors.New(j.Reason), SideEffects: effects}
}

func orDefault(d, def time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return def
}
