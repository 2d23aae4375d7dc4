//go:build unix

package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/trace"
)

// decode reads a proposal in these tests. It counts how often it is asked.
func decode(b []byte) (*deed.Proposal, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	p := new(deed.Proposal)
	if err := d.Decode(p); err != nil {
		return nil, &deed.Error{Op: "proposal", Code: deed.CodeInvalid, Err: errors.New("not a proposal")}
	}
	return p, p.Action.Validate()
}

// dry is a trace of a dry run of two actions, as it is read.
func dry(t *testing.T, unsafe bool) []trace.Event {
	t.Helper()
	w, path := create(t, trace.Options{Run: "r1", Unsafe: unsafe})
	for n, a := range []deed.Action{{Kind: deed.KindGoto, Text: "https://shop.example/a?b=c"}, {Kind: deed.KindClick, Locator: deed.Button("Pay")}} {
		id := fmt.Sprintf("a%d", n)
		raw, err := json.Marshal(deed.Proposal{ID: id, Action: a, Risk: deed.RiskExternal, Metadata: json.RawMessage(`{"z":1,"a":[2]}`)})
		if err != nil {
			t.Fatal(err)
		}
		decision := [...]string{"allow", "confirm"}[n]
		write(t, w, trace.Event{Kind: trace.Proposed, ID: id, Do: &a, Proposal: raw, By: "agent"},
			trace.Event{Kind: trace.Decided, ID: id, Decision: decision, Rule: "agent." + string(a.Kind), Reason: "as it is written", Request: json.RawMessage(`{"x":"y"}`)})
		if n == 1 {
			write(t, w, trace.Event{Kind: trace.Confirmed, ID: id, Answer: trace.Yes, By: "terminal"})
		}
		write(t, w, trace.Event{Kind: trace.Finished, ID: id, Outcome: trace.DryRun, Reason: "a dry run"})
	}
	w.Close()
	return read(t, content(t, path))
}

func TestAA58_DryRunsCanBeReplayed(t *testing.T) {
	events := dry(t, true)
	check := func(name string, events []trace.Event) {
		t.Helper()
		got, err := trace.Replayable(events, decode)
		if err != nil || len(got) != 2 {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		if p := got[1]; p.ID != "a1" || p.Action.Locator != deed.Button("Pay") || p.Risk != deed.RiskExternal || string(p.Metadata) != `{"z":1,"a":[2]}` || got[0].Action.Text != "https://shop.example/a?b=c" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	check("AA-58 as it is", events)
	gaps, bare := dry(t, true), dry(t, true)
	for i := range gaps {
		gaps[i].Seq = 3*gaps[i].Seq + 1
		bare[i].Run, bare[i].Seq = "", 0
	}
	check("AA-58 with gaps", gaps)
	check("AA-58 without a run", bare)
	var b bytes.Buffer
	for i := range bare {
		line, _ := json.Marshal(bare[i])
		b.Write(append(line, '\n'))
	}
	check("AA-58 without a run, read", read(t, b.Bytes()))
}

func TestAA56_AA57_WhatCannotBeReplayed(t *testing.T) {
	refused := func(name string, events []trace.Event, line int) {
		t.Helper()
		got, err := trace.Replayable(events, decode)
		where := fmt.Sprintf("replay line %d:", line)
		if line == 0 {
			where = "replay: "
		}
		if got != nil || !errors.Is(err, deed.CodeInvalid) || !strings.HasPrefix(err.Error(), where) {
			t.Errorf("%s: %v, %v, want %q", name, got, err, where)
		}
	}
	refused("AA-57 an empty trace", nil, 0)
	refused("a trace of notes", []trace.Event{{V: 1, Kind: trace.Note, What: "x", Line: 1}}, 0)
	refused("AA-56 a default trace", dry(t, false), 1)
	// 0 proposed, 1 decided, 2 finished; 3 proposed, 4 decided, 5 confirmed, 6 finished; 7 the end
	for name, c := range map[string]struct {
		line int
		do   func(e []trace.Event) []trace.Event
	}{
		"AA-56 a masked reason":    {2, func(e []trace.Event) []trace.Event { e[1].Reason = "it holds [redacted]"; return e }},
		"AA-56 a mask in capitals": {2, func(e []trace.Event) []trace.Event { e[1].Rule = "[REDACTED]"; return e }},
		"AA-56 a masked request": {2, func(e []trace.Event) []trace.Event {
			e[1].Request = json.RawMessage(`{"a":[{"b":"[redacted]"}]}`)
			return e
		}},
		"AA-56 a masked key": {2, func(e []trace.Event) []trace.Event { e[1].Request = json.RawMessage(`{"[redacted]":1}`); return e }},
		"AA-56 a mask with escapes": {2, func(e []trace.Event) []trace.Event {
			e[1].Request = json.RawMessage(`{"a":["\u005b\u0052edacted]"]}`)
			return e
		}},
		"AA-56 a masked key with escapes": {2, func(e []trace.Event) []trace.Event { e[1].Request = json.RawMessage(`{"\u005bredacted]":1}`); return e }},
		"AA-56 a proposal whose mask has escapes": {4, func(e []trace.Event) []trace.Event {
			e[3].Proposal = json.RawMessage(strings.Replace(string(e[3].Proposal), "Pay", `[redacte\u0064]`, 1))
			return e
		}},
		"AA-56 a masked proposal": {4, func(e []trace.Event) []trace.Event {
			e[3].Proposal = json.RawMessage(strings.Replace(string(e[3].Proposal), "Pay", "[redacted]", 1))
			return e
		}},
		"AA-56 denied":        {5, func(e []trace.Event) []trace.Event { e[4].Decision = "deny"; return e }},
		"AA-56 declined":      {6, func(e []trace.Event) []trace.Event { e[5].Answer = trace.No; return e }},
		"AA-56 not answered":  {6, func(e []trace.Event) []trace.Event { e[5].Answer = trace.NoAnswer; return e }},
		"AA-56 cancelled":     {7, func(e []trace.Event) []trace.Event { e[6].Outcome = "cancelled"; return e }},
		"AA-56 an error":      {7, func(e []trace.Event) []trace.Event { e[6].Code = "no_match"; return e }},
		"an error on the way": {8, func(e []trace.Event) []trace.Event { e[7].Code = "timeout"; return e }},
		"AA-56 a success":     {7, func(e []trace.Event) []trace.Event { e[6].Outcome = "verified"; return e }},
		"AA-56 already":       {7, func(e []trace.Event) []trace.Event { e[6].Outcome = "already"; return e }},
		"a failure":           {3, func(e []trace.Event) []trace.Event { e[2].Outcome = "failed"; return e }},
		"AA-56 it was begun": {3, func(e []trace.Event) []trace.Event {
			e[2] = trace.Event{V: 1, Run: "r1", Seq: 3, Kind: trace.Started, ID: "a0", Line: 3}
			return e
		}},
		"effects":                {3, func(e []trace.Event) []trace.Event { e[2].Undone = 1; return e }},
		"AA-56 a budget":         {2, func(e []trace.Event) []trace.Event { e[1].Rule = "budget"; return e }},
		"AA-56 a budget's limit": {2, func(e []trace.Event) []trace.Event { e[1].Rule = "budget.actions"; return e }},
		"AA-56 mixed runs":       {4, func(e []trace.Event) []trace.Event { e[3].Run = "r2"; return e }},
		"AA-56 a run for some":   {4, func(e []trace.Event) []trace.Event { e[3].Run, e[3].Seq = "", 0; return e }},
		"a run without numbers":  {4, func(e []trace.Event) []trace.Event { e[3].Seq = 0; return e }},
		"AA-56 the same number":  {4, func(e []trace.Event) []trace.Event { e[3].Seq = 3; return e }},
		"AA-56 a smaller number": {4, func(e []trace.Event) []trace.Event { e[3].Seq = 1; return e }},
		"AA-56 malformed":        {2, func(e []trace.Event) []trace.Event { e[1].Decision = "perhaps"; return e }},
		"malformed kind":         {2, func(e []trace.Event) []trace.Event { e[1].Kind = "x"; return e }},
		"no rule":                {2, func(e []trace.Event) []trace.Event { e[1].Rule = " "; return e }},
		"no reason":              {2, func(e []trace.Event) []trace.Event { e[1].Reason = ""; return e }},
		"torn":                   {4, func(e []trace.Event) []trace.Event { e[2].Cut = true; return e }},
		"nothing decided":        {3, func(e []trace.Event) []trace.Event { return append(e[:1:1], e[2:]...) }},
		"nothing finished":       {1, func(e []trace.Event) []trace.Event { return append(e[:2:2], e[3:]...) }},
		"cut short":              {4, func(e []trace.Event) []trace.Event { return e[:6] }},
		"nothing proposed":       {2, func(e []trace.Event) []trace.Event { return e[1:] }},
		"proposed twice":         {4, func(e []trace.Event) []trace.Event { e[3].ID = "a0"; return e }},
		"another proposal":       {4, func(e []trace.Event) []trace.Event { e[3].Proposal = e[0].Proposal; return e }},
		"no proposal":            {4, func(e []trace.Event) []trace.Event { e[3].Proposal = nil; return e }},
		"a proposal that is none": {4, func(e []trace.Event) []trace.Event {
			e[3].Proposal = json.RawMessage(`{"id":"a1","do":"click"}`)
			return e
		}},
		"an action that is none": {4, func(e []trace.Event) []trace.Event {
			e[3].Proposal = json.RawMessage(`{"id":"a1","action":{"kind":"click"}}`)
			return e
		}},
		"more after the end of it": {4, func(e []trace.Event) []trace.Event {
			e[3] = trace.Event{V: 1, Run: "r1", Seq: 4, Kind: trace.Finished, ID: "a0", Outcome: trace.DryRun, Line: 4}
			return e
		}},
	} {
		refused(name, c.do(dry(t, true)), c.line)
	}
}

func TestCompare(t *testing.T) {
	run := func(change func(n int, e *trace.Event)) []trace.Event {
		w, path := create(t, trace.Options{})
		n := 0
		for i, id := range []string{"a", "b"} {
			for _, e := range whole(id, i+1) {
				change(n, &e)
				n++
				write(t, w, e)
			}
		}
		w.Close()
		return read(t, content(t, path))
	}
	same := func(int, *trace.Event) {}
	recorded := run(same)
	if d := trace.Compare(recorded, run(same)); len(d) != 0 {
		t.Errorf("another run of the same: %+v", d)
	}
	if d := trace.Compare(recorded, run(func(n int, e *trace.Event) { e.DurationMS, e.MS, e.By, e.Page = 9, 9, "x", "about:blank" })); len(d) != 0 {
		t.Errorf("what is not compared: %+v", d)
	}
	for field, change := range map[string]func(n int, e *trace.Event){
		"decision": func(n int, e *trace.Event) { e.Decision = "allow" },
		"rule":     func(n int, e *trace.Event) { e.Rule = "other" },
		"element": func(n int, e *trace.Event) {
			e.Element = &trace.Element{Role: "button", Name: "Pay", Region: "wish list"}
		},
		"outcome": func(n int, e *trace.Event) { e.Outcome = "mismatch" },
		"verdict": func(n int, e *trace.Event) { e.Verdict = "mismatch" },
		"code":    func(n int, e *trace.Event) { e.Code = "mismatch" },
		"changes": func(n int, e *trace.Event) { e.Changes = append(e.Changes, `+ alert "Sorry"`) },
		"blocked": func(n int, e *trace.Event) { e.Blocked = nil },
		"undone":  func(n int, e *trace.Event) { e.Undone = 1 },
		"way":     func(n int, e *trace.Event) { e.Way = "keyboard" },
		"action":  func(n int, e *trace.Event) { e.Do = &deed.Action{Kind: deed.KindHover, Locator: deed.Button("Pay")} },
	} {
		at := map[string]int{"action": 5, "decision": 6, "rule": 6, "element": 6, "way": 8}[field]
		if at == 0 {
			at = 9
		}
		d := trace.Compare(recorded, run(func(n int, e *trace.Event) {
			if n == at {
				change(n, e)
			}
		}))
		if len(d) != 1 || d[0].Field != field || d[0].Step != 2 || d[0].Line != 6 || d[0].ID != recorded[5].ID || d[0].Was == d[0].Now {
			t.Errorf("%s: %+v", field, d)
		}
	}
	if d := trace.Compare(recorded, recorded[:5]); len(d) != 1 || d[0].Field != "action" || d[0].Now != "" {
		t.Errorf("one that is missing: %+v", d)
	}
	if d := trace.Compare(recorded[:5], recorded); len(d) != 1 || d[0].Field != "action" || d[0].Was != "" || d[0].Step != 2 {
		t.Errorf("one too many: %+v", d)
	}
}

func TestStory(t *testing.T) {
	w, path := create(t, trace.Options{Run: "r1"})
	write(t, w, whole("a", 1)...)
	write(t, w, trace.Event{Kind: trace.Note, What: "popup", Code: "refused", Reason: "closed\x1b[31m\nas if it were a line"})
	b := whole("b", 2)[:4]
	b[0].Do = &deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Note"), Text: "sixteen letters!", Enter: true}
	b[3].Undo = true
	write(t, w, b...)
	events := read(t, append(content(t, path), `{"v":1,"run":"r1","se`...))
	ids := map[string]string{events[0].ID: "A", events[6].ID: "B"}
	got := regexp.MustCompile(`a-[0-9a-f]{16}`).ReplaceAllStringFunc(trace.Story(events), func(s string) string { return ids[s] })
	const want = `run r1, 2026-11-30T09:00:00.001Z
  1 click button [redacted]  (A)
    proposed by agent, risk reversible
    to be confirmed by agent.click: a click is confirmed
    on button "Pay" in cart, risk external
    at http://shop.example/cart?[redacted]
    confirmed by terminal after 1.2s
    begun: pointer
    verified (named): status "Paid" appeared
      + status "Paid"
      kept back: GET http://ads.example/x?[redacted]
  * popup [refused]: closed\x1b[31m\nas if it were a line
  2 fill textbox [redacted] with [redacted] (16 characters) and Enter  (B)
    proposed by agent, risk reversible
    to be confirmed by agent.click: a click is confirmed
    on button "Pay" in cart, risk external
    at http://shop.example/cart?[redacted]
    confirmed by terminal after 1.2s
    begun the undo: pointer
  ! here a record was never finished
in flight: B had begun, there may be effects
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s := trace.Story(nil); s != "" {
		t.Errorf("%q", s)
	}
}

// TestFormats_Trace: the example of docs/formats.md is a whole trace.
func TestFormats_Trace(t *testing.T) {
	doc, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?ms)^```jsonl\n(.*?)^```$").FindSubmatch(doc)
	if found == nil {
		t.Fatal("docs/formats.md shows no trace")
	}
	r := verify(found[1])
	if !r.Whole || r.Events < 6 {
		t.Errorf("%+v", r)
	}
	kinds := map[trace.Kind]bool{}
	for _, e := range read(t, found[1]) {
		kinds[e.Kind] = true
	}
	for _, k := range trace.Kinds {
		if !kinds[k] {
			t.Errorf("no record is %s", k)
		}
	}
}
