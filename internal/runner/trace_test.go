package runner_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/runner"
	"github.com/deed-dev/deed/internal/trace"
)

const secret = "correct horse battery"

// three is a case of three actions, with a secret that the page says again.
func three(base string) deed.Case {
	fill := deed.Step{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Name"), Secret: "NAME", Text: secret}}
	greet := click("Greet")
	look := deed.Step{Action: deed.Action{Kind: deed.KindExpect, Expect: []deed.Expect{deed.Visible("status", "Greeting")}}}
	return deed.Case{ID: "three", Start: base + "/", Steps: []deed.Step{fill, greet, look}, Secrets: map[string]string{"NAME": secret}}
}

func TestAP49_EveryActionIsInTheTraceInOrder(t *testing.T) {
	dir := t.TempDir()
	base := serve(t)
	other := three(base)
	other.ID = "other/three"
	file := deed.Case{ID: "held-to-nothing", Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindGoto, Text: base + "/"}}}}
	r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{three(base), other, file}, runner.Options{Dir: dir})
	if r.Outcome != deed.OutcomeVerified {
		t.Fatalf("%+v", r)
	}
	path := filepath.Join(dir, r.Run, runner.TraceFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "horse") {
		t.Errorf("a secret is in the trace:\n%s", b)
	}
	if v := trace.Verify(strings.NewReader(string(b))); !v.Whole || v.Runs != 3 || len(v.Problems) > 0 || len(v.InFlight) > 0 {
		t.Errorf("%+v", v)
	}
	events, err := trace.Read(strings.NewReader(string(b)))
	if err != nil || len(events) != strings.Count(string(b), "\n") {
		t.Fatalf("%d records of %d lines, %v", len(events), strings.Count(string(b), "\n"), err)
	}
	var kinds []string
	for _, e := range events {
		if strings.HasSuffix(e.Run, ".1") && e.Step == 0 && e.Kind == trace.Proposed {
			kinds = append(kinds, "start")
		}
		if strings.HasSuffix(e.Run, ".1") && e.Step > 0 {
			kinds = append(kinds, string(rune('0'+e.Step)))
		}
		if strings.HasSuffix(e.Run, ".1") {
			kinds = append(kinds, string(e.Kind))
		}
	}
	// Looking is decided on too, and begins nothing.
	want := "note start proposed decided started finished 1 proposed decided started finished 2 proposed decided started finished 3 proposed decided finished note"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("%s\nwant %s\n%s", got, want, b)
	}
	story := trace.Story(events)
	for _, words := range []string{"three", "other/three", "click", "verified", "held-to-nothing"} {
		if !strings.Contains(story, words) {
			t.Errorf("the story does not tell of %q:\n%s", words, story)
		}
	}
}

func TestAP50_WhatCannotBeWrittenDownIsNotDone(t *testing.T) {
	base := serve(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// lose removes the trace after the first step.
	lose := func(dir string) func(*deed.Case, *deed.Step, deed.StepResult) {
		return func(_ *deed.Case, _ *deed.Step, s deed.StepResult) {
			found, _ := filepath.Glob(filepath.Join(dir, "*", runner.TraceFile))
			for _, f := range found {
				_ = os.Remove(f)
			}
		}
	}
	for name, start := range map[string]func() string{"from the beginning": func() string { return blocked }, "in the middle": t.TempDir} {
		t.Run(name, func(t *testing.T) {
			dir := start()
			r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{three(base)}, runner.Options{Dir: dir, OnStep: lose(dir)})
			c := r.Cases[0]
			if c.Outcome != deed.OutcomeFailed || c.Code != deed.CodeEnvironment && c.Code != deed.CodeInvalid || slices.ContainsFunc(c.Steps, func(s deed.StepResult) bool {
				return s.Do == deed.KindClick && s.Outcome != deed.OutcomeFailed && s.Outcome != deed.OutcomeSkipped
			}) {
				t.Errorf("%+v", c)
			}
			dir = start()
			r = runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{three(base)}, runner.Options{Dir: dir, OnStep: lose(dir), BestEffort: true})
			c = r.Cases[0]
			if c.Outcome != deed.OutcomeVerified || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "trace") {
				t.Errorf("best effort: %+v", c)
			}
		})
	}
}
