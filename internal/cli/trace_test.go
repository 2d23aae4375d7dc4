package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/trace"
)

// TestAA58_WhatIsReplayedIsWhatWasProposed: the proposals that come out of an unsafe trace of a dry run, read as strictly as they were
// when they were submitted, are those that went in.
func TestAA58_WhatIsReplayedIsWhatWasProposed(t *testing.T) {
	plan, err := proposal.DecodePlan([]byte(`[
		{"id": "one", "kind": "navigate", "params": {"url": "https://shop.example/cart?x=1"}, "metadata": {"why": ["a", 1.50]}},
		{"id": "two", "kind": "click", "params": {"selector": "#pay"}},
		{"id": "three", "kind": "type", "params": {"text": "at the door", "selector": "#note"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	w, err := trace.Create(path, trace.Options{Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range plan.Proposals {
		p := &plan.Proposals[i]
		raw, err := proposal.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []trace.Event{
			{Kind: trace.Proposed, ID: p.ID, By: deed.ByAgent, Do: &p.Action, Proposal: raw},
			{Kind: trace.Decided, ID: p.ID, Decision: "allow", Rule: "test", Reason: "allowed"},
			{Kind: trace.Finished, ID: p.ID, Outcome: trace.DryRun},
		} {
			if err := w.Write(&e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, err := trace.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := trace.Replayable(events, proposal.Decode)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plan.Proposals, got); d != "" {
		t.Error(d)
	}
}
