package verify_test

import (
	"context"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
)

// shortSighted is a page whose looks take everything over from the one before, however wrongly, except a look without a wait.
type shortSighted struct {
	*drivertest.Page
	before string // what its looks show
	whole  int    // looks without a wait
}

func (p *shortSighted) Settle(ctx context.Context, wait time.Duration, first bool) (*deed.Look, error) {
	if wait <= 0 {
		p.whole++
		return p.Page.Settle(ctx, wait, first)
	}
	look, err := p.Page.Settle(ctx, wait, first)
	if err != nil {
		return nil, err
	}
	old, err := drivertest.New(p.before).Observe(ctx)
	look.Snapshot, look.Partial = old, true
	return look, err
}

// That nothing happened is said only after the whole page was looked at: what a look missed that took over the rest counts.
func TestNothingHappenedIsSaidOfTheWholePage(t *testing.T) {
	run(t, func(t *testing.T) {
		p := &shortSighted{Page: drivertest.New(shop()), before: shop()}
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) { p.Show(shop("T-shirt M")); return delivered() }
		l := loop(p.Page)
		l.Driver = p
		res, err := l.Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if p.whole != 1 {
			t.Errorf("%d looks at the whole page, not 1", p.whole)
		}
	})
}

// That nothing is left after an undo is said of the whole page too.
func TestNothingLeftIsSaidOfTheWholePage(t *testing.T) {
	run(t, func(t *testing.T) {
		p := &shortSighted{Page: drivertest.New(shop()), before: shop("Trousers L")}
		p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
			if g.Action.Locator.Name == "Add T-shirt M" {
				p.Show(shop("Trousers L"))
			} else {
				p.before = shop() // the undo is done, says a look; in truth nothing was taken back
			}
			return delivered()
		}
		l := loop(p.Page)
		l.Driver = p
		res, err := l.Do(t.Context(), addShirt)
		if err == nil || res.Undone != 0 {
			t.Errorf("undone %d, error %v: the item is still in the cart", res.Undone, err)
		}
		if res.Residue.Empty() {
			t.Errorf("no residue, although the item is still in the cart\n%s", res.Explain())
		}
	})
}
