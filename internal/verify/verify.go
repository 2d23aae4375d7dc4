package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
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
	seen    []*deed.Snapshot
	passing map[deed.Key]deed.Change
}

// Do carries out one action and proves it. The error is not nil for every outcome that is not proven; the result is
// never nil and tells the whole story in either case. The context's deadline and the action's Timeout both bound
// the action; an undo has up to the effect time-out more, within the context's own deadline.
func (l *Loop) Do(ctx context.Context, action deed.Action) (*deed.Result, error) {
	a := action
	start := time.Now()
	r := &run{Loop: l, a: &a, res: &deed.Result{Action: action, Attempts: 0}, target: -1, passing: map[deed.Key]deed.Change{}}
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
	before, err := l.Driver.Observe(ctx)
	r.res.Phases.Observe = time.Since(t)
	r.before = before
	if err == nil && !a.Locator.IsZero() {
		if i, err := locate.One(before, a.Locator); err == nil {
			r.target = i
			r.res.Target = before.Nodes[i]
		}
	}
	began := false
	if err == nil {
		_, err = l.Driver.Perform(ctx, &deed.Gesture{Action: &a, Snapshot: before, Target: r.target, Way: deed.WayNone})
		began = err == nil
	}
	bodyErr := body(ctx)
	if began {
		step, cancel := context.WithTimeout(ctx, orDefault(a.Timeout, orDefault(l.Options.Timeout, DefaultTimeout)))
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

// finish masks, stamps and returns.
func (r *run) finish(err error, start time.Time) (*deed.Result, error) {
	res := r.res
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
	r.Mask.Result(res)
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
		r.res.Target = r.before.Nodes[r.target]
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
	if err := r.decide(step, a, r.before, r.target); err != nil {
		r.res.Outcome = deed.OutcomeRefused
		return err
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

// decide asks policy.
func (r *run) decide(ctx context.Context, a *deed.Action, s *deed.Snapshot, target int) error {
	t := time.Now()
	defer func() { r.res.Phases.Decide += time.Since(t) }()
	if r.Decider == nil {
		return r.fail(deed.CodeRefused, deed.EffectsNone, "no policy allows it")
	}
	d, why, err := r.Decider.Decide(ctx, a, s, target)
	if err != nil || d != deed.Allow {
		if err != nil {
			why = "the policy could not be evaluated"
		}
		return r.fail(deed.CodeRefused, deed.EffectsNone, "refused by policy: %s", why)
	}
	return nil
}

// resolve observes until the locator finds its one element, or the deadline.
func (r *run) resolve(ctx context.Context) error {
	var last error
	began := time.Now()
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
		if r.a.Locator.IsZero() && r.a.Ref == "" {
			r.target = -1
			return nil
		}
		t = time.Now()
		i, err := r.find(s)
		r.res.Phases.Resolve += time.Since(t)
		if err == nil {
			r.target = i
			return nil
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

func (r *run) find(s *deed.Snapshot) (int, error) {
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

// climb tries the ways one after another until a gesture is delivered and judged.
func (r *run) climb(ctx context.Context) (deed.Judgement, *judge.Evidence, error) {
	none := deed.Judgement{}
	ways, err := r.Driver.Ways(ctx, r.a, r.before, r.target)
	if err != nil {
		return none, nil, r.lift(err)
	}
	ways = allowed(ways, r.Options.Ways)
	if len(ways) == 0 {
		return none, nil, r.fail(deed.CodeUnsupported, deed.EffectsNone, "no way is left to do it")
	}
	if ways[0] == deed.WayOpen {
		return r.openAndChoose(ctx)
	}
	var witness deed.Witness
	for n, way := range ways {
		w, err := r.perform(ctx, way, n+1 < len(ways))
		if err != nil {
			if errors.Is(err, errNextWay) {
				continue
			}
			var e *deed.Error
			if errors.As(err, &e) && e.SideEffects == deed.EffectsPossible && e.Code == deed.CodeTimeout {
				return r.broken(err)
			}
			return none, nil, err
		}
		witness = w
		r.res.Witness = w
		if w.Prevented > 0 {
			r.res.Prevented += w.Prevented
			r.log("%s: prevented, %s would have received it", way, w.Receiver)
			if j, ev, done, err := r.begun(ctx, w); done || err != nil {
				return j, ev, err
			}
			if n+1 == len(ways) {
				break
			}
			if err := r.resolve(ctx); err != nil {
				// What was prevented is the verdict; that it is not found again is a detail.
				r.log("not found again: %v", err)
				break
			}
			continue
		}
		j, ev, err := r.settle(ctx, w, n+1 < len(ways))
		if err != nil {
			return none, nil, err
		}
		if j.Verdict != deed.Match && n+1 < len(ways) && r.mayTryAgain(&j, ev) {
			r.log("%s: %s", way, j.Reason)
			if r.resolve(ctx) == nil {
				continue
			}
		}
		return j, ev, nil
	}
	ev := &judge.Evidence{Action: *r.a, Before: r.before, After: r.before, Target: r.target, Witness: witness, Rested: true, Final: true}
	return judge.Judge(ev), ev, nil
}

// begun judges a gesture whose press reached its element and whose rest was stopped, because what the press opened took it: a
// menu, a picker's layer, their backdrop. It is not done again where it had an effect: a second press would undo the first.
func (r *run) begun(ctx context.Context, w deed.Witness) (deed.Judgement, *judge.Evidence, bool, error) {
	none := deed.Judgement{}
	if !slices.ContainsFunc(w.Events, func(e deed.WitnessEvent) bool { return e.OnTarget }) || len(r.a.Expect) == 0 && !w.Elsewhere {
		return none, nil, false, nil
	}
	look, err := r.Driver.Settle(ctx, 10*retryPause, true)
	if err != nil {
		return none, nil, false, nil
	}
	ev := r.evidence(ctx, w, look)
	j := judge.Judge(ev)
	if j.Verdict == deed.Match && look.InFlight == 0 {
		r.record(ev, look)
		return j, ev, true, nil
	}
	if !w.Elsewhere || ev.Diff.Empty() {
		return none, nil, false, nil
	}
	r.log("what the press opened took the rest of the gesture")
	j, ev, err = r.settle(ctx, w, false)
	return j, ev, true, err
}

// perform carries out one gesture, waiting until the element can be acted on.
func (r *run) perform(ctx context.Context, way deed.Way, more bool) (deed.Witness, error) {
	var last error
	for {
		t := time.Now()
		g := &deed.Gesture{Action: r.a, Snapshot: r.before, Target: r.target, Way: way, Drop: -1}
		if r.a.Kind == deed.KindDrag {
			var err error
			if g.Drop, g.DropSide, err = dropAt(r.a, r.before, r.target); err != nil {
				return deed.Witness{}, r.lift(err)
			}
		}
		w, err := r.Driver.Perform(ctx, g)
		r.res.Phases.Act += time.Since(t)
		if err == nil {
			r.res.Attempts++
			if w.Prevented == 0 {
				r.log("%s: %s", way, told(&w))
			}
			return w, nil
		}
		var e *deed.Error
		retry := errors.As(err, &e) && e.SideEffects == deed.EffectsNone && (errors.Is(err, deed.CodeNotActionable) || errors.Is(err, deed.CodeStaleRef))
		if !retry || errors.Is(err, deed.CodeNoOption) || errors.Is(err, deed.CodeReadOnly) {
			if last != nil && ctx.Err() != nil {
				return w, last
			}
			if errors.As(err, &e) && e.SideEffects != deed.EffectsNone {
				r.res.Attempts++
			}
			return w, r.lift(err)
		}
		if more && errors.Is(err, deed.CodeNotVisible) && !r.before.Nodes[r.target].Unseen {
			more = false // seen a moment ago: it may come back into view
		} else if more && errors.Is(err, deed.CodeNotVisible) {
			return w, errNextWay
		}
		if last == nil || last.Error() != r.lift(err).Error() {
			r.log("%s: %v", way, err)
		}
		last = r.lift(err)
		r.Driver.Release(ctx)
		if r.Driver.Await(ctx, retryPause) != nil && ctx.Err() != nil {
			return w, last
		}
		if err := r.resolve(ctx); err != nil {
			if ctx.Err() != nil {
				return w, last
			}
			return w, err
		}
	}
}

func told(w *deed.Witness) string {
	if w.Delivered {
		return "delivered"
	}
	return "not delivered"
}

// settle waits and judges until the verdict stands.
// With more, a field that does not hold its text once the page rests is left to the next way at once.
func (r *run) settle(ctx context.Context, w deed.Witness, more bool) (deed.Judgement, *judge.Evidence, error) {
	effectEnd := time.Now().Add(orDefault(r.Options.EffectTimeout, DefaultEffectTimeout))
	end := effectEnd
	if d, ok := ctx.Deadline(); ok {
		d = d.Add(-answerTime(time.Until(d)))
		if len(r.a.Expect) > 0 || d.Before(end) {
			end = d
		}
	}
	r.seen = nil
	clear(r.passing)
	first, inert, pending := true, false, time.Time{}
	var ev *judge.Evidence
	for {
		wait := time.Until(end)
		if left := time.Until(pending); left > 0 {
			wait = min(wait, left)
		}
		if r.a.Kind == deed.KindGoto && len(r.a.Expect) == 0 {
			wait = min(wait, loadRest)
		}
		t := time.Now()
		look, err := r.Driver.Settle(ctx, max(wait, 0), first)
		r.res.Phases.Settle += time.Since(t)
		if err != nil {
			return r.broken(err)
		}
		t = time.Now()
		ev = r.evidence(ctx, w, look)
		now := time.Now()
		if first && w.Delivered && ev.Diff.Empty() && look.Rested && look.InFlight == 0 && len(r.a.Expect) == 0 && (r.a.Kind == deed.KindClick || r.a.Kind == deed.KindDblclick) {
			inert, _ = r.Driver.Inert(ctx, r.before, r.target)
		}
		first = false
		ev.ProvenInert = inert
		ev.Final = inert || !now.Before(end) || r.a.Kind == deed.KindGoto && len(r.a.Expect) == 0
		j := judge.Judge(ev)
		r.res.Phases.Judge += time.Since(t)
		r.record(ev, look)
		stands := j.Verdict == deed.Match && (look.InFlight == 0 || !now.Before(effectEnd))
		if stands && pending.IsZero() && look.Timers > 0 && ownStateOnly(ev) {
			// What a person sees of a control is what the page has yet to act on: its timers come first.
			pending = now.Add(timersWait)
			stands = !pending.Before(end)
		}
		if stands || ev.Final || look.Signals.Crashed || look.Signals.Closed {
			return j, ev, nil
		}
		if more && (r.a.Kind == deed.KindFill || r.a.Kind == deed.KindClear) && look.Held != nil && !*look.Held && look.Rested && look.InFlight == 0 && j.Verdict != deed.Match && !r.strayed(ev) {
			return j, ev, nil
		}
		r.seen = append(r.seen, look.Snapshot)
		if len(r.seen) > 20 {
			r.seen = r.seen[1:]
		}
		for _, c := range ev.Diff.Changes {
			if c.Kind == deed.Appeared || c.Kind == deed.Renamed || c.Kind == deed.Changed {
				r.passing[keyOf(&c)] = c
			}
		}
	}
}

// ownStateOnly reports whether nothing but the control itself speaks for the act so far: a field's value, a switch's state.
func ownStateOnly(ev *judge.Evidence) bool {
	switch ev.Action.Kind {
	case deed.KindFill, deed.KindType, deed.KindClear:
		return true
	case deed.KindClick, deed.KindCheck, deed.KindUncheck:
		for i := range ev.Diff.Changes {
			if ev.Diff.Changes[i].BeforeIndex != ev.Target || ev.Diff.Changes[i].Kind != deed.Changed {
				return false
			}
		}
		return len(ev.Diff.Changes) > 0
	}
	return false
}

// answerTime is kept back from the deadline, so that a page under load can still answer within it.
func answerTime(left time.Duration) time.Duration {
	return min(max(left/10, 50*time.Millisecond), 500*time.Millisecond)
}

// broken judges an act whose page stopped answering.
func (r *run) broken(err error) (deed.Judgement, *judge.Evidence, error) {
	var e *deed.Error
	if !errors.As(err, &e) || e.SideEffects == deed.EffectsNone {
		e = &deed.Error{Op: string(r.a.Kind), Code: deed.CodeOf(err), Where: r.a.Object(), Err: err}
	}
	c := *e
	c.Op, c.Where, c.SideEffects = string(r.a.Kind), r.a.Object(), deed.EffectsPossible
	if c.Code == deed.CodeTimeout {
		c.Err = errors.New("the page does not answer, its state is unknown")
		r.res.Outcome = deed.OutcomeAmbiguous
		r.res.Judgement = deed.Judgement{Reason: c.Err.Error()}
	}
	return deed.Judgement{}, nil, &c
}

func keyOf(c *deed.Change) deed.Key {
	k := c.Key
	k.Name, k.Region = c.After.Name, c.After.Region
	return k
}

// evidence gathers what the judge sees.
func (r *run) evidence(ctx context.Context, w deed.Witness, look *deed.Look) *judge.Evidence {
	var d deed.Diff
	if r.a.Kind != deed.KindGoto { // all of a new page is new
		d = diff.Between(r.before, look.Snapshot)
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		switch {
		case look.Answered:
			c.Caused = true
		case c.AfterIndex >= 0:
			for n := c.AfterIndex; n >= 0 && !c.Caused; n = look.Snapshot.Nodes[n].Parent {
				c.Caused = look.Caused[n] && (n == c.AfterIndex || !look.Snapshot.Nodes[n].Container)
			}
		case c.BeforeIndex >= 0:
			n := &r.before.Nodes[c.BeforeIndex]
			c.Caused = look.CausedGone[deed.NodeID{Frame: r.before.Frames[n.Frame].ID, Element: n.Element}]
		}
	}
	ev := &judge.Evidence{Action: *r.a, Before: r.before, After: r.reveal(ctx, look.Snapshot), Target: r.target, Diff: d, Witness: w,
		Signals: look.Signals, Held: look.Held, FieldValue: look.FieldValue, Rested: look.Rested, Pending: look.InFlight > 0, Seen: r.seen}
	if r.a.Kind == deed.KindUpload {
		for _, f := range r.a.Files {
			if i, err := os.Stat(f); err == nil {
				ev.Upload = append(ev.Upload, deed.File{Name: filepath.Base(f), Size: i.Size()})
			}
		}
	}
	if r.secret {
		ev.Action.Secret, ev.FieldValue = "secret", ""
		r.Mask.Diff(&ev.Diff)
	}
	if len(r.passing) > 0 {
		there := map[deed.Key]bool{}
		for i := range d.Changes {
			there[keyOf(&d.Changes[i])] = true
		}
		for k, c := range r.passing {
			if !there[k] {
				ev.Passing = append(ev.Passing, c)
			}
		}
	}
	return ev
}

// record keeps what the result tells.
func (r *run) record(ev *judge.Evidence, look *deed.Look) {
	r.res.Diff = ev.Diff
	r.res.Signals = look.Signals
	r.res.Witness = ev.Witness
	r.res.Settled = look.Rested
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

func allowed(ways, limit []deed.Way) []deed.Way {
	if limit == nil {
		return ways
	}
	var out []deed.Way
	for _, w := range ways {
		for _, l := range limit {
			if w == l {
				out = append(out, w)
				break
			}
		}
	}
	return out
}
