package policy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

// trace records decisions of a policy, as a trace does.
func trace(t testing.TB, p *policy.Policy, requests ...*policy.Request) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`{"kind":"started","seq":1}` + "\n\n")
	for _, q := range requests {
		d := p.Decide(q)
		line, err := json.Marshal(map[string]any{"kind": "decided", "request": p.Record(q), "decision": d.Decision, "rule": d.Rule, "seq": 7})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

func TestCompare(t *testing.T) {
	p := agent(t, policy.Config{})
	text := trace(t, p,
		ask(deed.Action{Kind: deed.KindClick, Locator: deed.Button("Add")}, node("button", "Add")),
		ask(deed.Action{Kind: deed.KindGoto, Text: page}, nil),
		ask(deed.Action{Kind: deed.KindGoto, Text: "https://other.example/"}, nil),
		ask(deed.Action{Kind: deed.KindClick, Ref: "s1:e2"}, node("button", "Delete account")),
	)
	records, err := policy.ReadRecorded("a.jsonl", bytes.NewReader(text))
	if err != nil || len(records) != 4 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	// The configuration of the time is not at hand, and is not needed.
	if changes := standard(t, policy.Agent, policy.Config{}).Compare(records); len(changes) != 0 {
		t.Errorf("the same policy decides otherwise: %+v", changes)
	}
	other, err := policy.Load("my.cedar", []byte(`@id("all") permit (principal, action, resource);
@id("keep") @reason("not {element}") forbid (principal, action == Action::"click", resource) when { resource.text like "*delete*" };
@id("out") forbid (principal, action, resource) when { context.destinationUrl != "" && !context.destinationAllowed };`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range other.Compare(records) {
		got = append(got, strings.Join([]string{c.File, string(c.Kind), c.Object, c.Was.String(), c.By, c.Is.Decision.String(), c.Is.Rule, c.Is.Reason}, "|"))
	}
	want := []string{
		`a.jsonl|click|button "Add"|confirm|risk|allow|all|the rule all permits click`,
		`a.jsonl|click|button "Delete account"|confirm|critical|deny|keep|not button "Delete account"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var none *policy.Policy
	if n := len(none.Compare(records)); n != 3 {
		t.Errorf("without a policy %d change, want all but the one that is denied", n)
	}
}

func TestReadRecorded_Refuses(t *testing.T) {
	for text, where := range map[string]string{
		"{\"kind\":\"x\"}\nnull\n": "t:2", "[]": "t:1", "{": "t:1", "{\"kind\":7}": "t:1",
		`{"kind":"decided","decision":"deny"}`:                                                 "t:1",
		`{"kind":"decided","decision":"deny","request":{}}`:                                    "t:1",
		`{"kind":"decided","request":{"action":{"kind":"click"}}}`:                             "t:1",
		"\n\n" + `{"kind":"decided","decision":"maybe","request":{"action":{"kind":"click"}}}`: "t:3",
		`{"kind":"decided","decision":1,"request":{"action":{"kind":"click"}}}`:                "t:1",
		`{"kind":"decided","decision":"allow","request":[]}`:                                   "t:1",
	} {
		if got, err := policy.ReadRecorded("t", strings.NewReader(text)); got != nil || !errors.Is(err, deed.CodeInvalid) || !strings.Contains(err.Error(), where) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := policy.ReadRecorded("t", strings.NewReader("")); got != nil || err != nil {
		t.Errorf("an empty trace: %v, %v", got, err)
	}
}

// FuzzReadRecorded: no trace brings a policy down, and what is read can be written and is decided alike.
func FuzzReadRecorded(f *testing.F) {
	p := agent(f, policy.Config{})
	f.Add(trace(f, p, ask(deed.Action{Kind: deed.KindClick, Locator: deed.Button("Add")}, node("button", "Add")),
		ask(deed.Action{Kind: deed.KindPress, Key: "Control++"}, node("combobox", "Size"))))
	f.Add([]byte(`{"kind":"decided","decision":"allow","request":{"principal":"agent","action":{"kind":"type","text":"a\nb","secret":"PIN"},"also":[{"element":null}],"pageUrl":"http://[::1"}}`))
	f.Add([]byte("{\"kind\":\"decided\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := policy.ReadRecorded("t", bytes.NewReader(text))
		if err != nil {
			return
		}
		p.Compare(records)
		for _, r := range records {
			first := p.Redecide(r.Request)
			if first.Rule == "" || first.Reason == "" {
				t.Errorf("%+v", first)
			}
			again, err := json.Marshal(r.Request)
			if err != nil {
				continue // a locator that was never one
			}
			var q policy.Request
			if err := json.Unmarshal(again, &q); err != nil {
				t.Fatalf("%v in %s", err, again)
			}
			if d := cmp.Diff(first, p.Redecide(&q)); d != "" {
				t.Errorf("%s\n%s", again, d)
			}
		}
	})
}
