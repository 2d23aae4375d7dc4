package lock

import (
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/snaptext"
)

// messenger is a case of four steps: the first and the third bring a message with a button that closes it; the second and the fourth say something in a
// heading. stays says before which steps the first message is still there.
func messenger(t *testing.T, stays ...int) (*deed.Case, []Evidence) {
	c := &deed.Case{ID: "messages", Start: "http://h/"}
	there := func(n int) bool {
		for _, s := range stays {
			if s == n {
				return true
			}
		}
		return false
	}
	toast := "text \"Saved the list\" #20\nbutton \"Clear\" #21\n"
	page := func(heading string, rows int, toast string) *deed.Snapshot {
		return snaptext.MustParse("url http://h/\nbutton \"Go\" #1\nheading \"" + heading + "\" #2\nlist \"Things\" #3\n" + strings.Repeat("  listitem \"Shirt\" #4\n", rows) + toast)
	}
	left := func(n int) string {
		if there(n) {
			return toast
		}
		return ""
	}
	var evs []Evidence
	add := func(before, after *deed.Snapshot) {
		a := deed.Action{Kind: deed.KindClick, Locator: deed.Button("Go")}
		c.Steps = append(c.Steps, deed.Step{Action: a})
		r := result(t, &a, before, after, "")
		r.Page = after
		evs = append(evs, Evidence{Result: r})
	}
	add(page("One", 0, ""), page("Two", 1, toast))
	add(page("Two", 1, left(2)), page("Three", 1, left(2)))
	add(page("Three", 1, left(3)), page("Four", 1, toast))
	add(page("Four", 1, toast), page("Five", 1, toast))
	return c, evs
}

// TestWhatPassesIsNoDivergence: whether a message of an earlier step is still there when a later one acts is a matter of speed, in whichever run it was slow.
func TestWhatPassesIsNoDivergence(t *testing.T) {
	speeds := map[string][]int{"slow": nil, "in between": {2}, "fast": {2, 3}}
	for was, stayed := range speeds {
		c, evs := messenger(t, stayed...)
		l := Record(c, evs)
		l.Runs = 2 // nothing is left to learn
		back, err := decode("messages.deed.lock", encode([]*Case{l}))
		if err != nil {
			t.Fatal(err)
		}
		if passes := l.Steps[0].Effects[0].Passes; passes != (was != "fast") || back[0].Steps[0].Effects[0].Passes != passes {
			t.Errorf("%s: it passes: %v", was, passes)
		}
		for is, stays := range speeds {
			_, now := messenger(t, stays...)
			for i := range now {
				if ds := l.Check(c, i, now[i]); len(ds) > 0 {
					t.Errorf("learnt %s, replayed %s, step %d: %v", was, is, i+1, ds)
				}
			}
		}
	}
}

// TestWhatPassesHidesNothing: a message that does not come, a thing that is there twice, one that goes with no reason, another value.
func TestWhatPassesHidesNothing(t *testing.T) {
	c, evs := messenger(t)
	l := Record(c, evs)
	l.Runs = 2
	with := func(before, after string) Evidence {
		head := "url http://h/\nbutton \"Go\" #1\n"
		b, a := snaptext.MustParse(head+before), snaptext.MustParse(head+after)
		r := result(t, &c.Steps[2].Action, b, a, "")
		r.Page = a
		return Evidence{Result: r}
	}
	three, four := "heading \"Three\" #2\nlist \"Things\" #3\n  listitem \"Shirt\" #4\n", "heading \"Four\" #2\nlist \"Things\" #3\n  listitem \"Shirt\" #4\n"
	toast := "text \"Saved the list\" #20\nbutton \"Clear\" #21\n"
	for name, tt := range map[string]struct{ before, after, code string }{
		"the message does not come":    {three, four, EffectMissing},
		"the thing is there twice":     {three, four + "  listitem \"Shirt\" #9\n" + toast, EffectExtra},
		"the thing is gone":            {three, "heading \"Four\" #2\nlist \"Things\" #3\n" + toast, EffectExtra},
		"another message":              {three, four + "text \"It was not saved\" #20\nbutton \"Clear\" #21\n", ValueChanged},
		"the message is there as ever": {three + toast, four + toast, ""},
		"what changes on its own":      {strings.Replace(three, "#2", "#2 volatile", 1), strings.Replace(three, "#2", "#2 volatile", 1) + toast, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ds := l.Check(c, 2, with(tt.before, tt.after))
			if tt.code == "" && len(ds) > 0 || tt.code != "" && (len(ds) == 0 || ds[0].Code != tt.code) {
				t.Errorf("%v, want %q", ds, tt.code)
			}
		})
	}
}

// TestAQuestionDoesNotPass: what a later step acts on is taken away by that act, however much it looks like a message.
func TestAQuestionDoesNotPass(t *testing.T) {
	page := func(s string) *deed.Snapshot {
		return snaptext.MustParse("url http://h/\nbutton \"Delete\" #1\n" + s)
	}
	asked := page("text \"Are you sure?\" #2\nbutton \"Yes\" #3\n")
	c := &deed.Case{ID: "question", Start: "http://h/"}
	var evs []Evidence
	for _, s := range []struct {
		on            string
		before, after *deed.Snapshot
	}{{"Delete", page(""), asked}, {"Yes", asked, page("heading \"Gone\" #4\n")}} {
		a := deed.Action{Kind: deed.KindClick, Locator: deed.Button(s.on)}
		c.Steps = append(c.Steps, deed.Step{Action: a})
		r := result(t, &a, s.before, s.after, "")
		r.Page = s.after
		evs = append(evs, Evidence{Result: r})
	}
	l := Record(c, evs)
	l.Runs = 2
	for _, e := range l.Steps[0].Effects {
		if e.Passes {
			t.Errorf("%s passes", &e)
		}
	}
	open := page("text \"Are you sure?\" #2\nbutton \"Yes\" #3\nheading \"Gone\" #4\n")
	r := result(t, &c.Steps[1].Action, asked, open, "")
	r.Page = open
	if ds := l.Check(c, 1, Evidence{Result: r}); len(ds) != 2 {
		t.Errorf("a question that stays open: %v", ds)
	}
}
