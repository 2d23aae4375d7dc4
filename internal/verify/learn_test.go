package verify_test

import (
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
	"github.com/deed-dev/deed/internal/verify"
)

// An expectation that holds is not the end of what an act does: where that is to be known, a match is held back until nothing more comes, and where it is
// known, until it is there. Neither decides anything.
func TestAMatchIsHeldBackForWhatComesAfterIt(t *testing.T) {
	saved := shop("T-shirt M") + "status \"Saved\" #70\n"
	told := saved + "status \"Mail sent\" #71\n"
	late := []struct {
		after time.Duration
		page  string
	}{{400 * time.Millisecond, saved}, {800 * time.Millisecond, told}}
	changes := func(n int) deed.Whole { return func(r *deed.Result) bool { return len(r.Diff.Changes) >= n } }
	for _, c := range []struct {
		name    string
		rest    time.Duration
		whole   deed.Whole
		atLeast time.Duration
		below   time.Duration
		changes int
		timeout time.Duration // of the step; 0 is the default
	}{
		{"nothing is asked", 0, nil, 0, 300 * time.Millisecond, 2, 0},
		{"until nothing comes", 500 * time.Millisecond, nil, 1300 * time.Millisecond, 2 * time.Second, 4, 0},
		{"a rest that is too short", 100 * time.Millisecond, nil, 100 * time.Millisecond, 400 * time.Millisecond, 2, 0},
		{"until all of it came", 0, changes(3), 400 * time.Millisecond, 700 * time.Millisecond, 3, 0},
		{"and nothing more comes", 500 * time.Millisecond, changes(3), 1300 * time.Millisecond, 2 * time.Second, 4, 0},
		{"what never comes", 0, changes(9), verify.DefaultEffectTimeout, verify.DefaultEffectTimeout + time.Second, 4, 0},
		{"the step ends before", 0, changes(9), 500 * time.Millisecond, time.Second + time.Millisecond, 4, time.Second},
		{"a rest that never is", time.Minute, nil, verify.DefaultEffectTimeout, verify.DefaultEffectTimeout + time.Second, 4, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, func(t *testing.T) {
				a := addShirt
				a.Expect = []deed.Expect{deed.Appears("listitem", "T-shirt M").In("cart")}
				a.Rest, a.Whole, a.Timeout = c.rest, c.whole, c.timeout
				p := drivertest.New(shop())
				p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
					p.Show(shop("T-shirt M"))
					for _, l := range late {
						p.After(l.after, func() { p.Show(l.page) })
					}
					return delivered()
				}
				start := time.Now()
				res, err := loop(p).Do(t.Context(), a)
				want(t, res, err, deed.OutcomeVerified)
				if d := time.Since(start); d < c.atLeast || d >= c.below {
					t.Errorf("took %v", d)
				}
				if n := len(res.Diff.Changes); n != c.changes {
					t.Errorf("%d changes: %v", n, res.Diff.Lines())
				}
			})
		})
	}
}
