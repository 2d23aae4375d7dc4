package main

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

// cannotBeKnown are faults after which nothing but an expectation can tell the right effect from the wrong one: how much, and how often.
var cannotBeKnown = map[string]bool{doubled: true, wrongValue: true}

// TestTruth is a small part of the table: every fault once with an expectation and once without, late effects, untouched pages.
func TestTruth(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	k, err := newHarness(ctx, "../testdata", 6, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.close(); err != nil {
			t.Errorf("closing the browser: %v", err)
		}
	}()
	if len(k.foreign) == 0 {
		t.Error("no act of a case file was found")
	}
	all, err := k.run(k.plan(len(substantial), 3), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	did := map[class]int{}
	for i := range all {
		f := &all[i]
		did[f.Class]++
		honest := f.Fault == untouched || f.Fault == late
		bad := false
		switch f.Class {
		case void:
			bad = true
		case falseAccept:
			bad = honest || !f.Later && !f.Unseen && (f.Declared || !cannotBeKnown[f.Fault])
		case needless:
			bad = honest
		}
		if bad {
			t.Errorf("%s, %s, on %s: class %d\n%s", side(f.Declared), f.Fault, f.On, f.Class, f.Detail)
		}
	}
	// The harness itself: pages do break, and acts on whole ones are proven.
	if did[refused] < 10 || did[agreed] < 10 {
		t.Errorf("only %d acts were refused and %d proven: the faults or the pages do not work", did[refused], did[agreed])
	}
}

// TestStrayText: text that went into another field, because the focus was taken while it was put in, stays there. To put it in again
// where it belongs does not make that right, whatever was expected.
func TestStrayText(t *testing.T) {
	k, err := newHarness(t.Context(), "../testdata", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.close(); err != nil {
			t.Errorf("closing the browser: %v", err)
		}
	}()
	m := makePage(rand.New(rand.NewPCG(1, 1)), "fields", "now")
	var trials []trial
	for _, declared := range []bool{true, false} {
		trials = append(trials, trial{N: len(trials), Fault: focusStolen, Declared: declared, On: "fields", made: m, harm: harm{events: map[string]any{"kind": "focus", "at": "beforeinput"}}})
	}
	all, err := k.run(trials, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if f := &all[i]; f.Class != refused {
			t.Errorf("%s: class %d, want %d: %s\n%s", side(f.Declared), f.Class, refused, f.Why, f.Detail)
		}
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{0, 1000, 0, 0.003827}, {5, 1000, 0.002137, 0.011657}, {10, 10, 0.722467, 1}, {0, 0, 0, 1}} {
		low, high := wilson(c.k, c.n)
		if math.Abs(low-c.low) > 1e-5 || math.Abs(high-c.high) > 1e-5 {
			t.Errorf("wilson(%d, %d) = %.6f, %.6f; want %.6f, %.6f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}
