package budget_test

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/budget"
)

func of[T any](v T) *T { return &v }

func fixed() time.Time { return time.Unix(1, 0) }

func must(t *testing.T, l budget.Limits, within *budget.Budget) *budget.Budget {
	t.Helper()
	b, err := budget.New(l, within, fixed)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func pause(d time.Duration) *deed.Action { return &deed.Action{Kind: deed.KindWait, Pause: d} }

func TestAA28_OneActionAndNoMore(t *testing.T) {
	b := must(t, budget.Limits{Actions: of(1)}, nil)
	if err := b.Count(); err != nil {
		t.Fatal(err)
	}
	if err := b.Count(); !errors.Is(err, deed.CodeBudget) || !errors.Is(err, deed.CodeRefused) || b.Spent() == nil {
		t.Errorf("the second: %v, spent %v", err, b.Spent())
	}
}

func TestAA29_WaitingInAll(t *testing.T) {
	b := must(t, budget.Limits{Wait: of(time.Second)}, nil)
	for _, tt := range []struct {
		d  time.Duration
		ok bool
	}{{400 * time.Millisecond, true}, {600 * time.Millisecond, true}, {time.Millisecond, false}} {
		if err := b.Reserve(pause(tt.d)); (err == nil) != tt.ok {
			t.Errorf("%v: %v", tt.d, err)
		}
	}
	if b.Spent() == nil {
		t.Error("the batch goes on")
	}
}

// What was reserved stays so: there is no way to give it back. What was only counted reserved nothing.
func TestAA30_AA31_ReservationsStay(t *testing.T) {
	b := must(t, budget.Limits{Wait: of(time.Second), Actions: of(5)}, nil)
	for range 3 { // refused by policy: counted, never reserved
		if err := b.Count(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Reserve(pause(time.Second)); err != nil {
		t.Errorf("what was refused reserved something: %v", err)
	}
	if err := b.Reserve(pause(1)); err == nil {
		t.Error("it was given back")
	}
}

func TestAA34_LimitsBelowZero(t *testing.T) {
	for _, l := range []budget.Limits{{Actions: of(-1)}, {Wait: of(-time.Second)}, {Wall: of(-time.Second)}, {Navigations: of(-1)}, {Requests: of(-1)}, {Typed: of(-1)}} {
		if _, err := budget.New(l, nil, fixed); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	b := must(t, budget.Limits{Actions: of(0)}, nil)
	if b.Count() == nil {
		t.Error("nothing is allowed, and one was")
	}
}

func TestKinds(t *testing.T) {
	b := must(t, budget.Limits{Typed: of(3), Navigations: of(1), Requests: of(2)}, nil)
	if err := b.Reserve(&deed.Action{Kind: deed.KindFill, Text: "äöü"}); err != nil {
		t.Error(err)
	}
	if err := b.Reserve(&deed.Action{Kind: deed.KindGoto, Text: "http://a.example/"}); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := b.Request(); err != nil {
			t.Error(err)
		}
	}
	if b.Request() == nil {
		t.Error("a third request leaves")
	}
}

func TestWallTime(t *testing.T) {
	now := time.Unix(1, 0)
	b, err := budget.New(budget.Limits{Wall: of(time.Minute)}, nil, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if left, ok := b.Left(); !ok || left != time.Minute {
		t.Errorf("left %v, %v", left, ok)
	}
	if err := b.Count(); err != nil {
		t.Error(err)
	}
	now = now.Add(time.Minute)
	if err := b.Count(); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	now = now.Add(1)
	if err := b.Count(); !errors.Is(err, deed.CodeBudget) {
		t.Errorf("above: %v", err)
	}
}

// A batch lies within its session: neither is ever exceeded, and what the session refuses is not taken from the batch.
func TestBatchWithinSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer, inner := rapid.IntRange(0, 20).Draw(t, "session"), rapid.IntRange(0, 8).Draw(t, "batch")
		session, err := budget.New(budget.Limits{Actions: &outer}, nil, fixed)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			batch, err := budget.New(budget.Limits{Actions: &inner}, session, fixed)
			if err != nil {
				t.Fatal(err)
			}
			done := 0
			var mu sync.Mutex
			var all sync.WaitGroup
			for range 12 {
				all.Go(func() {
					if batch.Count() == nil {
						mu.Lock()
						done++
						mu.Unlock()
					}
				})
			}
			all.Wait()
			if done != min(inner, outer-total) {
				t.Fatalf("%d of %d done, %d of %d were", done, inner, total, outer)
			}
			total += done
		}
	})
}

func TestNoBudgetBoundsNothing(t *testing.T) {
	var b *budget.Budget
	if b.Count() != nil || b.Reserve(pause(time.Hour)) != nil || b.Request() != nil || b.Spent() != nil {
		t.Error("nil refuses")
	}
	if _, ok := b.Left(); ok {
		t.Error("nil has an end")
	}
}

// However much is asked for, no more is taken than there is, and nothing that fits is refused before something did not.
func TestNeverMoreThanThereIs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.Int64Range(0, math.MaxInt64).Draw(rt, "limit")
		b := must(t, budget.Limits{Wait: of(time.Duration(limit))}, nil)
		left, spent := limit, false
		for range rapid.IntRange(1, 20).Draw(rt, "n") {
			n := rapid.OneOf(rapid.Int64Range(math.MinInt64, math.MaxInt64), rapid.Int64Range(0, 10), rapid.Just(left)).Draw(rt, "pause")
			spent = spent || n > left
			if err := b.Reserve(pause(time.Duration(n))); spent != (err != nil) {
				rt.Fatalf("%d of %d left: %v", n, left, err)
			}
			if !spent {
				left -= max(n, 0)
			}
		}
	})
}

func TestAWaitForAnExpectationTakesTheTimeItAsksFor(t *testing.T) {
	b := must(t, budget.Limits{Wait: of(time.Second)}, nil)
	wait := func(d time.Duration) *deed.Action {
		return &deed.Action{Kind: deed.KindWait, Expect: []deed.Expect{{Kind: deed.ExpectVisible, Locator: deed.Button("Add")}}, Timeout: d}
	}
	if err := b.Reserve(wait(time.Second)); err != nil {
		t.Error(err)
	}
	if err := b.Reserve(wait(1)); !errors.Is(err, deed.CodeBudget) {
		t.Errorf("an hour more is taken: %v", err)
	}
}
