package verify_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
)

// What the first way did is the act's too, when the second way has put the value right.
func TestEveryWayOfAFillCounts(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(field("guest"))
		p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
			if g.Way == deed.WayInsert {
				p.Show(field("guestRowan") + "paragraph \"2 letters to guestRowan were sent\" #2\n")
			} else {
				p.Show(field("Rowan") + "paragraph \"2 letters to guestRowan were sent\" #2\n")
			}
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), fillName)
		want(t, res, err, deed.OutcomeVerified)
		if s := strings.Join(res.Diff.Lines(), "\n"); !strings.Contains(s, "letters") || !strings.Contains(s, "Rowan") {
			t.Errorf("the changes since before the act are not all told:\n%s", s)
		}
	})
}

// gate is a policy of a test: it keeps the questions, and answers as it is told.
type gate struct {
	asked  []*deed.Question
	answer func(n int, q *deed.Question) (deed.Ruling, error)
	began  []deed.Way
	broken error
}

func (g *gate) Decide(_ context.Context, q *deed.Question) (deed.Ruling, error) {
	c := *q
	g.asked = append(g.asked, &c)
	if g.answer == nil {
		return deed.Ruling{Decision: deed.Allow}, nil
	}
	return g.answer(len(g.asked), q)
}

func (g *gate) Started(_ context.Context, _ *deed.Question, way deed.Way) error {
	g.began = append(g.began, way)
	return g.broken
}

// Only a literal allow is one: a question that would need a person, an unknown decision, an error.
func TestAA65_AnythingButAllowIsDenied(t *testing.T) {
	for name, answer := range map[string]func(int, *deed.Question) (deed.Ruling, error){
		"confirm": func(int, *deed.Question) (deed.Ruling, error) { return deed.Ruling{Decision: deed.Confirm}, nil },
		"unknown": func(int, *deed.Question) (deed.Ruling, error) { return deed.Ruling{Decision: 7}, nil },
		"missing": func(int, *deed.Question) (deed.Ruling, error) { return deed.Ruling{}, nil },
		"an error": func(int, *deed.Question) (deed.Ruling, error) {
			return deed.Ruling{Decision: deed.Allow}, errors.New("broken")
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T) {
				p := drivertest.New(shop())
				l := loop(p)
				l.Decider = &gate{answer: answer}
				res, err := l.Do(t.Context(), addShirt)
				want(t, res, err, deed.OutcomeRefused)
				if !errors.Is(err, deed.CodeRefused) || len(p.Gestures) != 0 {
					t.Errorf("error %v, %d gestures", err, len(p.Gestures))
				}
			})
		})
	}
}

// Policy is asked about what a drag ends on, too; where there is no such thing nothing is dragged.
func TestDragIsAskedAboutWhereItEnds(t *testing.T) {
	run(t, func(t *testing.T) {
		for _, to := range []string{"Bin", "Nowhere"} {
			p := drivertest.New(head + "listitem \"Card\" #1\nbutton \"Bin\" #2\n")
			l := loop(p)
			g := &gate{answer: func(int, *deed.Question) (deed.Ruling, error) { return deed.Ruling{Reason: "no"}, nil }}
			l.Decider = g
			res, err := l.Do(t.Context(), deed.Action{Kind: deed.KindDrag, Locator: deed.Listitem("Card"), Drop: &deed.Drop{To: deed.Button(to)}})
			if err == nil || len(p.Gestures) != 0 || len(g.asked) == 0 {
				t.Fatalf("%s: %v, %v, %d gestures, asked %d times", to, res.Outcome, err, len(p.Gestures), len(g.asked))
			}
			q := g.asked[0]
			if found := len(q.Onto) == 1 && q.Snapshot.Nodes[q.Onto[0]].Name == "Bin"; found != (to == "Bin") {
				t.Errorf("%s: asked about %v", to, q.Onto)
			}
		}
	})
}

// A person's no is a cancellation, and nothing is done.
func TestNotConfirmedIsCancelled(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		l := loop(p)
		l.Decider = &gate{answer: func(int, *deed.Question) (deed.Ruling, error) {
			return deed.Ruling{Asked: true}, &deed.Error{Op: "confirm", Code: deed.CodeCancelled, Err: errors.New("not confirmed"), SideEffects: deed.EffectsNone}
		}}
		res, err := l.Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeCancelled)
		if len(p.Gestures) != 0 {
			t.Error("it was done")
		}
	})
}

// A yes holds for the page that was shown: it is looked at again, and policy is asked about what is there then.
func TestPageThatChangesWhileAPersonDecides(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		l := loop(p)
		g := &gate{}
		g.answer = func(n int, q *deed.Question) (deed.Ruling, error) {
			if n == 1 {
				p.Show(shop("Socks"))
				return deed.Ruling{Decision: deed.Allow, Asked: true}, nil
			}
			if len(q.Snapshot.Nodes) <= len(g.asked[0].Snapshot.Nodes) {
				t.Error("asked again about the page as it was")
			}
			return deed.Ruling{Reason: "not on this page"}, nil
		}
		l.Decider = g
		res, err := l.Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeRefused)
		if len(g.asked) != 2 || len(p.Gestures) != 0 {
			t.Errorf("asked %d times, %d gestures", len(g.asked), len(p.Gestures))
		}
	})
}

// What cannot be written down is not done.
func TestActThatCannotBeRecordedDoesNotStart(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		l := loop(p)
		g := &gate{broken: errors.New("no space left")}
		l.Decider, l.Record = g, g
		_, err := l.Do(t.Context(), addShirt)
		if err == nil || !strings.Contains(err.Error(), "no space left") || len(p.Gestures) != 0 {
			t.Errorf("error %v, %d gestures", err, len(p.Gestures))
		}
	})
}

// Each gesture is written down before it is made, undo too, and policy is asked about each page on which one is made.
func TestUndoIsDecidedAndWrittenDown(t *testing.T) {
	run(t, func(t *testing.T) {
		p := wrongThenRemovable(true)
		l := loop(p)
		g := &gate{}
		l.Decider, l.Record = g, g
		_, _ = l.Do(t.Context(), addShirt)
		if len(g.began) != len(p.Gestures) || len(p.Gestures) < 2 {
			t.Errorf("%d written down, %d made", len(g.began), len(p.Gestures))
		}
		if last := g.asked[len(g.asked)-1]; !last.Undo || last.For == nil || last.For.Kind != deed.KindClick {
			t.Errorf("the undo is not asked about as one: %+v", last)
		}
	})
}

// On a page where nothing may be done, what is asked for is not waited for, and what else is there is not named.
func TestAA44_WhatIsNotThereIsNotLookedForWhereNothingMayBeDone(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New("button \"Pay 100 €\" #1\n")
		g := &gate{answer: func(_ int, q *deed.Question) (deed.Ruling, error) {
			if q.Target >= 0 || q.For == nil || q.For.Kind != deed.KindClick {
				t.Errorf("asked about %+v", q)
			}
			return deed.Ruling{Reason: "the page is not open"}, nil
		}}
		l := loop(p)
		l.Decider = g
		start := time.Now()
		res, err := l.Do(t.Context(), deed.Action{Kind: deed.KindClick, Locator: deed.Button("Pay")})
		want(t, res, err, deed.OutcomeRefused)
		if took := time.Since(start); took > 0 || len(g.asked) != 1 || len(g.began) > 0 || strings.Contains(err.Error(), "100") {
			t.Errorf("after %v: asked %d times, began %v: %v", took, len(g.asked), g.began, err)
		}
	})
}
