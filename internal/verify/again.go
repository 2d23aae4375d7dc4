package verify

import (
	"errors"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/judge"
)

// mayTryAgain reports whether another way may follow a gesture that reached its element: filling a field again is
// harmless, and a press that took its element away without any effect was no click.
func (r *run) mayTryAgain(j *deed.Judgement, ev *judge.Evidence) bool {
	if r.a.Kind == deed.KindFill || r.a.Kind == deed.KindClear {
		return (ev.Held == nil || !*ev.Held) && !r.strayed(ev)
	}
	return !ev.Witness.Delivered && ev.Diff.Empty()
}

// strayed reports whether the text of a fill went into another control: done again, it would stay there unseen.
func (r *run) strayed(ev *judge.Evidence) bool {
	text := ev.Action.Text
	if r.secret || text == "" {
		return false
	}
	for i := range ev.Diff.Changes {
		c := &ev.Diff.Changes[i]
		if c.Kind == deed.Changed && c.BeforeIndex != ev.Target && c.After.HasValue && strings.Contains(c.After.Value, text) && !strings.Contains(c.Before.Value, text) {
			return true
		}
	}
	return false
}

var errNextWay = errors.New("next way")
