// Package budget bounds what may be done, before it is done: actions, waiting, wall time, navigations, requests, typed characters.
//
// Law of this package: limits come from trusted configuration and from nowhere else. What was taken stays taken, whatever became
// of it. Exactly the limit is allowed, nothing above.
package budget

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// Limits of a batch or a session; nil is no limit. The zero value bounds nothing.
type Limits struct {
	Actions     *int           // proposals, refused and cancelled ones too
	Wait        *time.Duration // in all, of actions that wait
	Wall        *time.Duration // since the first action
	Navigations *int
	Requests    *int // that leave the browser
	Typed       *int // characters
}

// Validate reports a limit below zero as [deed.CodeInvalid].
func (l Limits) Validate() error {
	bad := func(name string) error {
		return &deed.Error{Op: "budget", Code: deed.CodeInvalid, Where: name, Err: fmt.Errorf("a limit below zero"), SideEffects: deed.EffectsNone}
	}
	for name, n := range map[string]*int{"actions": l.Actions, "navigations": l.Navigations, "requests": l.Requests, "typed characters": l.Typed} {
		if n != nil && *n < 0 {
			return bad(name)
		}
	}
	for name, d := range map[string]*time.Duration{"wait": l.Wait, "wall time": l.Wall} {
		if d != nil && *d < 0 {
			return bad(name)
		}
	}
	return nil
}

// A Budget is what is left of the limits. It is safe for concurrent use. A batch's budget may lie within a session's: see [New].
type Budget struct {
	limits Limits
	within *Budget
	now    func() time.Time

	mu          sync.Mutex
	began       time.Time
	actions     int
	wait        time.Duration
	navigations int
	requests    int
	typed       int
	spent       error // the first refusal: nothing is taken after it
}

// New makes a budget. What is taken of it is taken of the one it lies within too, which may be nil. Now is the clock.
func New(l Limits, within *Budget, now func() time.Time) (*Budget, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	return &Budget{limits: l, within: within, now: now}, nil
}

// Spent is the refusal that ended the budget, nil while there was none. A batch stops at it.
func (b *Budget) Spent() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	err := b.spent
	b.mu.Unlock()
	if err == nil {
		err = b.within.Spent()
	}
	return err
}

// Count takes one action, before anything is asked about it. Fails with [deed.CodeBudget].
func (b *Budget) Count() error {
	return b.take(func() error {
		if over(b.limits.Actions, b.actions+1) {
			return refuse("no more than %d actions are allowed", *b.limits.Actions)
		}
		b.actions++
		return nil
	}, func(w *Budget) error { return w.Count() })
}

// Reserve takes what the action will use: its waiting, its characters, its navigation. It is asked after the action was allowed and
// just before it is done. Fails with [deed.CodeBudget]; nothing is taken then.
func (b *Budget) Reserve(a *deed.Action) error {
	return b.take(func() error {
		wait, typed, nav := time.Duration(0), 0, 0
		switch a.Kind {
		case deed.KindWait:
			wait = max(a.Pause, 0)
			if len(a.Expect) > 0 {
				wait = max(a.Timeout, 0) // as long as it asks for, if it asks for any
			}
		case deed.KindFill, deed.KindType:
			typed = utf8.RuneCountInString(a.Text)
		case deed.KindGoto, deed.KindBack, deed.KindForward, deed.KindReload:
			nav = 1
		case deed.KindTab:
			if a.Tab == "open" {
				nav = 1
			}
		}
		switch {
		case b.limits.Wait != nil && wait > *b.limits.Wait-b.wait: // a sum may not fit
			return refuse("no more than %v of waiting is allowed in all", *b.limits.Wait)
		case over(b.limits.Typed, b.typed+typed):
			return refuse("no more than %d characters may be typed in all", *b.limits.Typed)
		case over(b.limits.Navigations, b.navigations+nav):
			return refuse("no more than %d navigations are allowed", *b.limits.Navigations)
		}
		b.wait += wait
		b.typed += typed
		b.navigations += nav
		return nil
	}, func(w *Budget) error { return w.Reserve(a) })
}

// Request takes one request that is about to leave the browser.
func (b *Budget) Request() error {
	return b.take(func() error {
		if over(b.limits.Requests, b.requests+1) {
			return refuse("no more than %d requests are allowed", *b.limits.Requests)
		}
		b.requests++
		return nil
	}, func(w *Budget) error { return w.Request() })
}

// Left is how much wall time is left; ok is false where it is not bounded.
func (b *Budget) Left() (left time.Duration, ok bool) {
	if b == nil {
		return 0, false
	}
	b.mu.Lock()
	if b.limits.Wall != nil {
		left, ok = *b.limits.Wall, true
		if !b.began.IsZero() {
			left -= b.now().Sub(b.began)
		}
	}
	b.mu.Unlock()
	if l, o := b.within.Left(); o && (!ok || l < left) {
		left, ok = l, true
	}
	return left, ok
}

// take takes of this budget and of the one around it, or of neither.
func (b *Budget) take(own func() error, around func(*Budget) error) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent != nil {
		return b.spent
	}
	now := b.now()
	if b.began.IsZero() {
		b.began = now
	}
	before := [...]int{b.actions, b.navigations, b.requests, b.typed}
	wait := b.wait
	err := error(nil)
	if b.limits.Wall != nil && now.Sub(b.began) > *b.limits.Wall {
		err = refuse("no more than %v may be taken in all", *b.limits.Wall)
	}
	if err == nil {
		err = own()
	}
	if err == nil && b.within != nil {
		if err = around(b.within); err != nil {
			b.actions, b.navigations, b.requests, b.typed, b.wait = before[0], before[1], before[2], before[3], wait
		}
	}
	if err != nil {
		b.spent = err
	}
	return err
}

func over(limit *int, n int) bool { return limit != nil && n > *limit }

func refuse(format string, args ...any) error {
	return &deed.Error{Op: "budget", Code: deed.CodeBudget, Err: fmt.Errorf(format, args...), SideEffects: deed.EffectsNone}
}
