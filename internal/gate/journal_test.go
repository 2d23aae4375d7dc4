package gate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/policy"
	"github.com/deed-dev/deed/internal/trace"
)

// own looks at what the shipped policies only weigh.
const own = `
@id("all") permit(principal, action, resource);
@id("activates") forbid(principal, action, resource) when { context.activates } unless { context.confirmed };
@id("submits") forbid(principal, action, resource) when { context.submits };
@id("script") forbid(principal, action == Action::"eval", resource);
@id("away") forbid(principal, action, resource) when { context.destinationOrigin == "https://other.example" };
@id("edits") forbid(principal, action, resource) when { context.edits } unless { context.confirmed };
`

// TestWhatATraceKeepsIsDecidedAlike: the request of a decision, as a default trace keeps it, holds nothing of what was asked for, and
// policies decide on it as they did on the whole.
func TestWhatATraceKeepsIsDecidedAlike(t *testing.T) {
	dir := t.TempDir()
	const canary = "zebra"
	decisions := map[deed.Decision]int{}
	one := func(t *rapid.T) {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
		elements, err := policy.NewElements([]string{"#" + canary, `button "` + canary + `"`})
		if err != nil {
			t.Fatal(err)
		}
		open := func(url string) bool { return strings.HasPrefix(url, "https://shop.example/") }
		c := policy.Config{Allowed: open, Public: open}
		if rapid.Bool().Draw(t, "list") {
			c.Elements = elements
		}
		var p *policy.Policy
		if name := pick("policy", policy.Agent, policy.Test, "own"); name == "own" {
			p, err = policy.Load("own.cedar", []byte(own))
			p = p.With(c)
		} else {
			p, err = policy.Standard(name, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		a := deed.Action{Kind: rapid.SampledFrom([]deed.Kind{"click", "dblclick", "fill", "type", "type", "type", "clear", "press", "press", "press", "check", "select", "drag", "goto", "tab", "http", "eval",
			"scroll", "wait", "screenshot", "hover", "upload"}).Draw(t, "kind"), Intent: canary, Path: canary, Files: []string{canary}, Options: []string{canary},
			Enter: rapid.Bool().Draw(t, "enter"), Expect: []deed.Expect{deed.Appears("row", canary)}}
		q := &policy.Request{Principal: pick("by", deed.ByAgent, deed.ByPerson, deed.ByCase), Action: &a, Risk: deed.Risk(rapid.IntRange(0, 4).Draw(t, "risk")),
			ValueFrom: pick("from", "", deed.ValueModel, deed.ValuePage), Resends: rapid.Bool().Draw(t, "resends"), DryRun: rapid.Bool().Draw(t, "dry"), Alone: rapid.Bool().Draw(t, "alone")}
		switch a.Kind {
		case deed.KindGoto, deed.KindTab:
			a.Tab = pick("tab", "open", "switch")
			a.Text = pick("to", "https://shop.example/"+canary, "https://other.example/"+canary+"?q="+canary, "http://127.0.0.1/"+canary, "javascript:"+canary+"()")
		case deed.KindHTTP:
			a.Key, a.Text = pick("method", "GET", "DELETE"), pick("to", "https://shop.example/"+canary, "https://other.example/"+canary+"?q="+canary)
		case deed.KindPress:
			a.Key = pick("key", "Enter", "z", "y", "x", "w", "v", "u", "1", "2", "ß", " ", "Space", "\n", "Shift+Z", "+", "Control+V", "Alt+z", "Delete", "ArrowDown", "Tab", canary)
		default:
			a.Text = pick("text", canary+" text", canary+"\n")
		}
		switch pick("where", "selector", "locator", "ref", "point") {
		case "selector":
			a.Selector = "#" + canary
		case "locator":
			a.Locator = deed.Button(canary)
		case "ref":
			a.Ref = "s1:e2"
		case "point":
			a.Point = &deed.Point{X: 1, Y: 2}
		}
		if q.DryRun {
			q.Unresolved = a.Selector + a.Locator.String()
		} else {
			q.PageURL = pick("page", "https://shop.example/"+canary, "https://other.example/", "about:blank")
			q.Element = &deed.Node{Element: 7, Parent: -1, Role: pick("role", "button", "textbox", "link", "combobox", "combobox", "option"), Name: pick("name", "Add", "Delete account", "Pay now"),
				States: deed.Checked | deed.Disabled, Sensitive: rapid.Bool().Draw(t, "sensitive")}
			q.Facts = &deed.Facts{FrameURL: q.PageURL, Submits: rapid.Bool().Draw(t, "submits"), FormMethod: pick("method", "GET", "POST"),
				FormAction: pick("action", "https://shop.example/"+canary, "https://other.example/"), Href: pick("href", "", "https://shop.example/"+canary, "javascript:void(0)")}
		}
		d := p.Decide(q)
		decisions[d.Decision]++

		path := filepath.Join(dir, "trace.jsonl")
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		w, err := trace.Create(path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		j := gate.NewJournal(w, false)
		for _, err := range []error{j.Proposed(&deed.Proposal{ID: "p", Action: deed.Action{Kind: deed.KindGoto, Text: "https://shop.example/" + canary}}, q.Principal),
			j.Proposed(&deed.Proposal{ID: "p", Action: a}, q.Principal),
			j.Decided("p", &gate.Decided{Decision: d.Decision, Rule: d.Rule, Reason: "as it is", Request: p.Record(q), Policy: p.Digest()}), w.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(b)), canary) {
			t.Errorf("what was asked for is in the trace:\n%s", b)
		}
		if !strings.Contains(string(b), `"policy":"`+p.Digest()+`"`) || len(p.Digest()) != 64 {
			t.Errorf("which rules it was decided by is not in the trace:\n%s", b)
		}
		records, err := policy.ReadRecorded("trace.jsonl", strings.NewReader(string(b)))
		if err != nil || len(records) != 1 {
			t.Fatalf("%d records, %v in\n%s", len(records), err, b)
		}
		if is := p.Redecide(records[0].Request); is.Decision != d.Decision || is.Rule != d.Rule {
			t.Errorf("it was %v by %s and is %v by %s:\n%s", d.Decision, d.Rule, is.Decision, is.Rule, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 4 {
			one(t)
		}
	})
	for _, d := range []deed.Decision{deed.Allow, deed.Confirm, deed.Deny} {
		if decisions[d] == 0 {
			t.Errorf("nothing was decided with %v", d)
		}
	}
}
