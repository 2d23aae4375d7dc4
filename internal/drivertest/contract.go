package drivertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/verify"
)

// Contract is what every driver promises, checked on a page of its own: a button "Go" that makes the status "Done"
// appear, and a textbox "Name" that holds "Ana". The paper page and the real one both pass it.
func Contract(t *testing.T, d verify.Driver) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	look := func() (*deed.Snapshot, int, int) {
		t.Helper()
		s, err := d.Observe(ctx)
		if err != nil {
			t.Fatalf("Observe: %v", err)
		}
		button, field := -1, -1
		for i := range s.Nodes {
			switch {
			case s.Nodes[i].Role == "button" && s.Nodes[i].Name == "Go":
				button = i
			case s.Nodes[i].Role == "textbox" && s.Nodes[i].Name == "Name":
				field = i
			}
		}
		if button < 0 || field < 0 || !s.Complete || len(s.Frames) == 0 {
			t.Fatalf("the page shows %+v", s)
		}
		return s, button, field
	}
	a, _, _ := look()
	s, button, field := look()
	if s.Number <= a.Number {
		t.Errorf("snapshots are numbered %d, %d", a.Number, s.Number)
	}
	if held, err := d.Holds(ctx, s, field, "Ana"); err != nil || !held {
		t.Errorf("Holds(Ana): %v, %v", held, err)
	}
	if held, err := d.Holds(ctx, s, field, "Anna"); err != nil || held {
		t.Errorf("Holds(Anna): %v, %v", held, err)
	}
	click := &deed.Action{Kind: deed.KindClick, Locator: deed.Button("Go")}
	ways, err := d.Ways(ctx, click, s, button)
	if err != nil || len(ways) < 2 || ways[0] != deed.WayPointer || ways[len(ways)-1] != deed.WayKeyboard {
		t.Errorf("Ways: %v, %v", ways, err)
	}
	if err := d.Await(ctx, 10*time.Millisecond); err != nil {
		t.Errorf("Await on a page that does not change: %v", err)
	}
	w, err := d.Perform(ctx, &deed.Gesture{Action: click, Snapshot: s, Target: button, Way: deed.WayPointer})
	if err != nil || !w.Delivered || w.Prevented != 0 || w.Via != string(deed.WayPointer) {
		t.Fatalf("Perform: %+v, %v", w, err)
	}
	first, err := d.Settle(ctx, 10*time.Second, true)
	if err != nil || !first.Rested || first.InFlight != 0 || first.Snapshot.Number <= s.Number {
		t.Fatalf("Settle: %+v, %v", first, err)
	}
	done := false
	for i := range first.Snapshot.Nodes {
		done = done || first.Snapshot.Nodes[i].Role == "status" && first.Snapshot.Nodes[i].Name == "Done"
	}
	if !done {
		t.Error("the effect is not in the look")
	}
	if still, err := d.Settle(ctx, 50*time.Millisecond, false); err != nil || !still.Rested {
		t.Errorf("Settle when nothing more happens: %+v, %v", still, err)
	}
	d.Release(ctx)
	d.Release(ctx) // an act that has ended may be ended again

	fill := &deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Name"), Text: "Bo"}
	s, _, field = look()
	if _, err := d.Ways(ctx, fill, s, field); err != nil {
		t.Errorf("Ways to fill: %v", err)
	}
	gone, over := context.WithCancel(ctx)
	over()
	if _, err := d.Observe(gone); err == nil || deed.CodeOf(err) == deed.CodeInternal {
		t.Errorf("Observe after its context's end: %v", err)
	}
	if _, err := d.Perform(gone, &deed.Gesture{Action: click, Snapshot: s, Target: button, Way: deed.WayPointer}); err == nil {
		t.Error("Perform after its context's end")
	} else if errors.Is(err, deed.CodeNotActionable) {
		t.Errorf("Perform after its context's end blames the element: %v", err)
	}
	d.Release(ctx)
}
