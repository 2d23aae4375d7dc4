package policy_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

const page = "https://shop.example/cart"

// only allows the URLs of these origins.
func only(origins ...string) func(string) bool {
	return func(u string) bool {
		return slices.ContainsFunc(origins, func(o string) bool { return u == o || strings.HasPrefix(u, o+"/") })
	}
}

func agent(t testing.TB, c policy.Config) *policy.Policy {
	t.Helper()
	if c.Allowed == nil {
		c.Allowed = only("https://shop.example")
	}
	return standard(t, policy.Agent, c)
}

func standard(t testing.TB, name string, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.Standard(name, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t testing.TB, src string) *policy.Policy {
	t.Helper()
	p, err := policy.Load("my.cedar", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p.With(policy.Config{Allowed: only("https://shop.example")})
}

func node(role, name string) *deed.Node { return &deed.Node{Role: role, Name: name, Parent: -1} }

func here(f deed.Facts) *deed.Facts {
	if f.FrameURL == "" {
		f.FrameURL = page
	}
	return &f
}

// ask is a request of an agent on the page.
func ask(a deed.Action, n *deed.Node) *policy.Request {
	q := &policy.Request{Principal: deed.ByAgent, Name: "model", Action: &a, Element: n, PageURL: page}
	if n != nil {
		q.Facts = here(deed.Facts{})
	}
	return q
}

func wants(t *testing.T, p policy.Decider, q *policy.Request, d deed.Decision, rule string) policy.Decision {
	t.Helper()
	got := p.Decide(q)
	if got.Decision != d || rule != "" && got.Rule != rule {
		t.Errorf("%s %s: %v by %s (%s), want %v by %s", q.Action.Kind, q.Action.Object(), got.Decision, got.Rule, got.Reason, d, rule)
	}
	if got.Rule == "" || got.Reason == "" {
		t.Errorf("no rule or no reason: %+v", got)
	}
	return got
}

func TestStandard_AreWhatTheDocumentShows(t *testing.T) {
	doc, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{policy.Agent, policy.Test} {
		text, err := policy.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(doc), "```cedar\n"+text+"```") {
			t.Errorf("docs/policies.md does not show %s.cedar as it is", name)
		}
	}
	if !strings.Contains(string(doc), "```cedarschema\n"+policy.SchemaText()+"```") {
		t.Error("docs/policies.md does not show the schema as it is")
	}
	if _, err := policy.Text("nobody"); !errors.Is(err, deed.CodeInvalid) {
		t.Errorf("a policy that there is not: %v", err)
	}
}

func TestAA19_WithoutAnAllowListEveryNavigationIsDenied(t *testing.T) {
	p := standard(t, policy.Agent, policy.Config{})
	for _, dry := range []bool{false, true} {
		for _, from := range []string{"", page, "about:blank"} {
			q := ask(deed.Action{Kind: deed.KindGoto, Text: "https://shop.example/"}, nil)
			q.DryRun, q.PageURL = dry, from
			wants(t, p, q, deed.Deny, "destination-not-allowed")
		}
	}
}

func TestAA20_TheStandardPolicy(t *testing.T) {
	p := agent(t, policy.Config{})
	for _, a := range []deed.Action{{Kind: deed.KindScroll, Scroll: &deed.Scroll{Y: 100}}, {Kind: deed.KindWait, Pause: 1}, {Kind: deed.KindShot}} {
		wants(t, p, ask(a, nil), deed.Allow, "look")
		q := ask(a, nil)
		q.PageURL, q.DryRun = "", true
		wants(t, p, q, deed.Allow, "look") // a plan is tried where there is no page yet
	}
	wants(t, p, ask(deed.Action{Kind: deed.KindGoto, Text: "https://shop.example/a"}, nil), deed.Allow, "navigate")
	wants(t, p, ask(deed.Action{Kind: deed.KindGoto, Text: "https://other.example/a"}, nil), deed.Deny, "destination-not-allowed")
	for risk, d := range map[deed.Risk]deed.Decision{deed.RiskReadOnly: deed.Allow, deed.RiskReversible: deed.Confirm, deed.RiskExternal: deed.Confirm, deed.RiskCritical: deed.Confirm} {
		q := ask(deed.Action{Kind: deed.KindGoto, Text: "https://shop.example/a"}, nil)
		q.Risk = risk
		got := wants(t, p, q, d, "")
		if d == deed.Confirm && !strings.Contains(got.Reason, risk.String()) {
			t.Errorf("risk %d: the reason %q does not say it", risk, got.Reason)
		}
	}
	for _, k := range []deed.Kind{deed.KindClick, deed.KindDblclick, deed.KindFill, deed.KindType, deed.KindClear, deed.KindCheck, deed.KindUncheck, deed.KindSelect, deed.KindDrag} {
		a := deed.Action{Kind: k, Locator: deed.Button("Add"), Text: "a", Options: []string{"a"}}
		wants(t, p, ask(a, node("button", "Add")), deed.Confirm, "risk")
		dry := ask(a, nil)
		dry.DryRun, dry.PageURL = true, ""
		wants(t, p, dry, deed.Confirm, "risk")
	}
	wants(t, p, ask(deed.Action{Kind: deed.KindPress, Key: "Escape"}, nil), deed.Confirm, "risk")
	again := ask(deed.Action{Kind: deed.KindReload}, nil)
	wants(t, p, again, deed.Allow, "navigate")
	again.Resends = true
	if got := wants(t, p, again, deed.Confirm, "resends"); got.Risk != deed.RiskExternal {
		t.Errorf("sending once more is of risk %v", got.Risk)
	}
	wants(t, p, ask(deed.Action{Kind: deed.KindEval, Text: "1"}, nil), deed.Deny, "no-script")
	wants(t, p, ask(deed.Action{Kind: deed.KindUpload, Files: []string{"a"}}, node("button", "Attach")), deed.Confirm, "upload")
	secret := node("textbox", "Password")
	secret.Sensitive = true
	wants(t, p, ask(deed.Action{Kind: deed.KindFill, Text: "a"}, secret), deed.Confirm, "sensitive")
	q := ask(deed.Action{Kind: deed.KindFill, Text: "a", Secret: "PIN"}, node("textbox", "PIN"))
	q.ValueFrom = deed.ValueSecret
	wants(t, p, q, deed.Confirm, "secret")
	wants(t, p, ask(deed.Action{Kind: deed.KindClick}, node("button", "Delete account")), deed.Confirm, "critical")
	wants(t, p, ask(deed.Action{Kind: deed.KindHover}, node("button", "Delete account")), deed.Allow, "look")
}

// AA-44, as far as policy goes: on a page that is not open nothing is done but to leave it.
func TestAA44_NothingIsDoneOnAPageThatIsNotAllowed(t *testing.T) {
	p := agent(t, policy.Config{})
	for _, at := range []string{"about:blank", "https://other.example/", "", "data:text/html,x"} {
		for _, a := range []deed.Action{{Kind: deed.KindClick}, {Kind: deed.KindShot}, {Kind: deed.KindScroll}, {Kind: deed.KindPress, Key: "Enter"}, {Kind: deed.KindBack},
			{Kind: deed.KindWait, Pause: 1}, {Kind: deed.KindEval, Text: "1"}} {
			q := ask(a, node("button", "Add"))
			q.PageURL, q.Facts.FrameURL = at, at
			wants(t, p, q, deed.Deny, "page-not-allowed")
		}
		q := ask(deed.Action{Kind: deed.KindGoto, Text: page}, nil)
		q.PageURL = at
		wants(t, p, q, deed.Allow, "navigate")
	}
	// A frame is a page of its own, unless it has its page's origin.
	for frame, d := range map[string]deed.Decision{"https://ads.example/": deed.Deny, "about:srcdoc": deed.Confirm, "about:blank": deed.Confirm, "https://shop.example/f": deed.Confirm,
		"data:text/html,x": deed.Deny, "about:blankety": deed.Deny} {
		q := ask(deed.Action{Kind: deed.KindClick}, node("button", "Add"))
		q.Facts.FrameURL = frame
		wants(t, p, q, d, "")
	}
}

func TestDestinations(t *testing.T) {
	p := agent(t, policy.Config{})
	click := deed.Action{Kind: deed.KindClick}
	for name, c := range map[string]struct {
		a    deed.Action
		n    *deed.Node
		f    deed.Facts
		also *policy.Reached
		d    deed.Decision
		rule string
	}{
		"a link within":                {click, node("link", "Cart"), deed.Facts{Href: page}, nil, deed.Confirm, "risk"},
		"a link without":               {click, node("link", "Ad"), deed.Facts{Href: "https://ads.example/"}, nil, deed.Deny, "destination-not-allowed"},
		"a link, by Enter":             {deed.Action{Kind: deed.KindPress, Key: "Enter"}, node("link", "Ad"), deed.Facts{Href: "https://ads.example/"}, nil, deed.Deny, "destination-not-allowed"},
		"a link that is only touched":  {deed.Action{Kind: deed.KindHover}, node("link", "Ad"), deed.Facts{Href: "https://ads.example/"}, nil, deed.Allow, "look"},
		"a link that is a handler":     {click, node("link", "More"), deed.Facts{Href: "javascript:void(0)"}, nil, deed.Confirm, "risk"},
		"a link to a program":          {click, node("link", "Mail"), deed.Facts{Href: "mailto:a@b.example"}, nil, deed.Deny, "destination-not-allowed"},
		"a form":                       {click, node("button", "Go"), deed.Facts{FormAction: "https://ads.example/", FormMethod: "GET", Submits: true}, nil, deed.Deny, "destination-not-allowed"},
		"a field of the form":          {click, node("textbox", "Name"), deed.Facts{FormAction: "https://ads.example/", FormMethod: "GET", Submits: true}, nil, deed.Confirm, "risk"},
		"Enter in that field":          {deed.Action{Kind: deed.KindPress, Key: "Enter"}, node("textbox", "Name"), deed.Facts{FormAction: "https://ads.example/", FormMethod: "GET", Submits: true}, nil, deed.Deny, "destination-not-allowed"},
		"a text with Enter":            {deed.Action{Kind: deed.KindFill, Text: "a", Enter: true}, node("textbox", "Name"), deed.Facts{FormAction: "https://ads.example/", Submits: true}, nil, deed.Deny, "destination-not-allowed"},
		"a text with a line break":     {deed.Action{Kind: deed.KindType, Text: "a\n"}, node("textbox", "Name"), deed.Facts{FormAction: "https://ads.example/", Submits: true}, nil, deed.Deny, "destination-not-allowed"},
		"a dialog's form":              {click, node("button", "OK"), deed.Facts{FormAction: "https://ads.example/", FormMethod: "DIALOG", Submits: true}, nil, deed.Confirm, "risk"},
		"goto of a script":             {deed.Action{Kind: deed.KindGoto, Text: " java\tscript:alert(1)"}, nil, deed.Facts{}, nil, deed.Deny, "destination-not-allowed"},
		"goto of nothing":              {deed.Action{Kind: deed.KindGoto}, nil, deed.Facts{}, nil, deed.Deny, "goto-needs-destination"},
		"a tab elsewhere":              {deed.Action{Kind: deed.KindTab, Tab: "open", Text: "https://ads.example/"}, nil, deed.Facts{}, nil, deed.Deny, "destination-not-allowed"},
		"a tab by its title":           {deed.Action{Kind: deed.KindTab, Tab: "switch", Text: "https://ads.example/"}, nil, deed.Facts{}, nil, deed.Allow, "navigate"},
		"a label of a link that leads": {click, node("text", "Ad"), deed.Facts{}, &policy.Reached{Element: node("link", "Ad"), Facts: here(deed.Facts{Href: "https://ads.example/"})}, deed.Deny, "destination-not-allowed"},
		"an element in another frame":  {click, node("text", "Ad"), deed.Facts{}, &policy.Reached{Element: node("button", "Ad"), Facts: &deed.Facts{FrameURL: "https://ads.example/"}}, deed.Deny, "page-not-allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			q := ask(c.a, c.n)
			if c.n != nil {
				q.Facts = here(c.f)
			}
			if c.also != nil {
				q.Also = []policy.Reached{*c.also}
			}
			wants(t, p, q, c.d, c.rule)
		})
	}
	q := ask(click, node("button", "Add"))
	q.Target = "https://ads.example/"
	wants(t, p, q, deed.Deny, "destination-not-allowed")
}

func TestAA24_26_ExactList(t *testing.T) {
	list := func(entries ...string) *policy.Policy {
		e, err := policy.NewElements(entries)
		if err != nil {
			t.Fatal(err)
		}
		return agent(t, policy.Config{Elements: e})
	}
	click := func(selector string) *policy.Request {
		return ask(deed.Action{Kind: deed.KindClick, Selector: selector}, node("button", "Add"))
	}
	t.Run("AA-24 what is listed is confirmed, by the list", func(t *testing.T) {
		wants(t, list("#a"), click("#a"), deed.Confirm, "listed")
		q := click("#a")
		q.Element.Sensitive = true
		wants(t, list("#a"), q, deed.Confirm, "listed")
		wants(t, list(`button "Add"`), ask(deed.Action{Kind: deed.KindClick, Locator: deed.Button("Add")}, node("button", "Add")), deed.Confirm, "listed")
		part := ask(deed.Action{Kind: deed.KindClick, Ref: "s1:e2"}, node("option", "M"))
		part.For = &deed.Action{Kind: deed.KindSelect, Selector: "#a", Options: []string{"M"}}
		wants(t, list("#a"), part, deed.Confirm, "listed")
	})
	t.Run("AA-25 what is not listed, byte by byte, is denied", func(t *testing.T) {
		for _, s := range []string{" #a", "#a, #b", "#A", "#a ", "#\u0061\u200b", "#b"} {
			wants(t, list("#a"), click(s), deed.Deny, "not-listed")
		}
		wants(t, list("#a"), ask(deed.Action{Kind: deed.KindClick, Point: &deed.Point{X: 1, Y: 2}}, node("button", "Add")), deed.Deny, "not-listed")
		wants(t, list("#a"), ask(deed.Action{Kind: deed.KindType, Text: "x"}, node("textbox", "Name")), deed.Deny, "not-listed")
		wants(t, list("#a"), ask(deed.Action{Kind: deed.KindPress, Key: "x"}, nil), deed.Deny, "not-listed")
		wants(t, list("s1:e2"), ask(deed.Action{Kind: deed.KindClick, Ref: "s1:e2"}, node("button", "Add")), deed.Deny, "not-listed")
		q := click("#b")
		q.Unresolved = "#a" // the action itself says otherwise
		wants(t, list("#a"), q, deed.Deny, "not-listed")
		q = click("#a")
		q.For = &deed.Action{Kind: deed.KindSelect, Selector: "#b"}
		wants(t, list("#a"), q, deed.Deny, "not-listed")
	})
	t.Run("AA-26 an empty list denies all", func(t *testing.T) {
		for _, a := range []deed.Action{{Kind: deed.KindClick, Selector: "#a"}, {Kind: deed.KindType, Text: "x", Selector: "#a"}, {Kind: deed.KindFill, Locator: deed.Textbox("Name")}, {Kind: deed.KindClick}} {
			wants(t, list(), ask(a, node("textbox", "Name")), deed.Deny, "not-listed")
		}
		wants(t, list(), ask(deed.Action{Kind: deed.KindScroll}, nil), deed.Allow, "look")
	})
	t.Run("entries", func(t *testing.T) {
		for _, bad := range []string{"", "  ", " #a", "#a\n", "#a\x00b", "#\x85a", strings.Repeat("é", 4097), "\xff"} {
			if _, err := policy.NewElements([]string{"#ok", bad}); !errors.Is(err, deed.CodeInvalid) {
				t.Errorf("%q is taken: %v", bad, err)
			}
		}
		entries := []string{strings.Repeat("é", 4096)}
		e, err := policy.NewElements(entries)
		if err != nil {
			t.Fatal(err)
		}
		was := entries[0]
		entries[0] = "#b"
		p := agent(t, policy.Config{Elements: e})
		wants(t, p, click(was), deed.Confirm, "listed")
		wants(t, p, click("#b"), deed.Deny, "not-listed")
	})
}

type fake func(*policy.Request) policy.Decision

func (f fake) Decide(q *policy.Request) policy.Decision { return f(q) }

func says(d deed.Decision, rule string) fake {
	return func(*policy.Request) policy.Decision {
		return policy.Decision{Decision: d, Rule: rule, Reason: "because of " + rule}
	}
}

func TestAA21_DenyWinsWhateverTheOrder(t *testing.T) {
	q := ask(deed.Action{Kind: deed.KindClick}, node("button", "Add"))
	parts := []string{
		`@id("yes") permit (principal, action, resource);`,
		`@id("ask") forbid (principal, action == Action::"click", resource) unless { context.confirmed };`,
		`@id("no") forbid (principal, action == Action::"click", resource) when { resource.name == "Add" };`,
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var src []string
		for _, i := range order {
			src = append(src, parts[i])
		}
		wants(t, load(t, strings.Join(src, "\n")), q, deed.Deny, "no")
		wants(t, load(t, strings.Join(slices.DeleteFunc(slices.Clone(src), func(s string) bool { return s == parts[2] }), "\n")), q, deed.Confirm, "ask")
		three := []policy.Decider{says(deed.Allow, "yes"), says(deed.Confirm, "ask"), says(deed.Deny, "no")}
		all := policy.All{three[order[0]], three[order[1]], three[order[2]]}
		wants(t, all, q, deed.Deny, "no")
		wants(t, slices.DeleteFunc(all, func(d policy.Decider) bool { return d.Decide(q).Decision == deed.Deny }), q, deed.Confirm, "ask")
	}
}

func TestAA22_AFailingPolicyDenies(t *testing.T) {
	q := ask(deed.Action{Kind: deed.KindClick}, node("button", "Add"))
	yes := says(deed.Allow, "yes")
	for name, bad := range map[string]policy.Decider{
		"panics":          fake(func(*policy.Request) policy.Decision { panic("secret") }),
		"is missing":      nil,
		"is a nil policy": (*policy.Policy)(nil),
		"says nothing":    fake(func(*policy.Request) policy.Decision { return policy.Decision{} }),
		"names no rule":   fake(func(*policy.Request) policy.Decision { return policy.Decision{Decision: deed.Allow, Reason: "x"} }),
		"gives no reason": fake(func(*policy.Request) policy.Decision {
			return policy.Decision{Decision: deed.Confirm, Rule: "x", Reason: " "}
		}),
		"an unknown answer": says(deed.Decision(7), "x"),
	} {
		for _, all := range []policy.All{{yes, bad}, {bad, yes}, {bad}} {
			if got := all.Decide(q); got.Decision != deed.Deny || strings.Contains(got.Reason, "secret") {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	// A rule that errors is skipped by the engine: were it a forbid, that would allow.
	p := load(t, `permit (principal, action, resource);
forbid (principal, action, resource) when { context.risk + 9223372036854775807 > 5 };`)
	got := wants(t, p, q, deed.Deny, policy.RuleError)
	if !got.Failed || got.At != "my.cedar:2" || !strings.Contains(got.Reason, "policy1") {
		t.Errorf("%+v", got)
	}
	// … also where it errors only once a person said yes.
	p = load(t, `permit (principal, action, resource);
forbid (principal, action, resource) when { context.confirmed && context.risk + 9223372036854775807 > 5 };`)
	wants(t, p, q, deed.Deny, policy.RuleError)
	// … and configuration that panics.
	p = load(t, `permit (principal, action, resource);`).With(policy.Config{Allowed: func(string) bool { panic("x") }})
	wants(t, p, q, deed.Deny, policy.RuleError)
	// A yes that turns into a no is no answer.
	p = load(t, `permit (principal, action, resource) when { !context.confirmed };`)
	wants(t, p, q, deed.Deny, policy.RuleNone)
	if got := p.Record(q); got.Given == nil {
		t.Error("nothing was given")
	}
}

func TestAA23_APolicyThatChangesItsInputChangesNothing(t *testing.T) {
	q := ask(deed.Action{Kind: deed.KindSelect, Options: []string{"M"}, Locator: deed.Combobox("Size")}, node("combobox", "Size"))
	q.Also = []policy.Reached{{Element: node("option", "M"), Facts: here(deed.Facts{})}}
	want := q.Clone()
	meddles := fake(func(q *policy.Request) policy.Decision {
		q.Action.Kind, q.Action.Options[0], q.Element.Name, q.Facts.FrameURL, q.PageURL = deed.KindWait, "L", "Other", "", ""
		q.Also[0].Element.Name = "Other"
		q.Also = nil
		return policy.Decision{Decision: deed.Allow, Rule: "x", Reason: "x"}
	})
	var seen *policy.Request
	looks := fake(func(q *policy.Request) policy.Decision {
		seen = q
		return policy.Decision{Decision: deed.Confirm, Rule: "y", Reason: "y"}
	})
	wants(t, policy.All{meddles, looks, meddles}, q, deed.Confirm, "y")
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("a later policy saw\n%s", d)
	}
	if d := cmp.Diff(want, q); d != "" {
		t.Errorf("the caller's request is changed\n%s", d)
	}
}

func TestAA65_NoDecisionIsADeny(t *testing.T) {
	q := ask(deed.Action{Kind: deed.KindScroll}, nil)
	var none *policy.Policy
	wants(t, none, q, deed.Deny, policy.RuleEmpty)
	wants(t, none.With(policy.Config{}), q, deed.Deny, policy.RuleEmpty)
	wants(t, load(t, ""), q, deed.Deny, policy.RuleEmpty)
	wants(t, load(t, "// nothing\n"), q, deed.Deny, policy.RuleEmpty)
	wants(t, policy.All(nil), q, deed.Deny, policy.RuleEmpty)
	wants(t, load(t, `permit (principal is Person, action, resource);`), q, deed.Deny, policy.RuleNone)
	if (policy.Decision{}).Decision != deed.Deny {
		t.Error("the zero decision does not deny")
	}
	for _, text := range []string{`"deny"`, `"Allow"`, `"yes"`, `""`} {
		var d deed.Decision
		if err := json.Unmarshal([]byte(text), &d); err != nil || d != deed.Deny {
			t.Errorf("%s is read as %v, %v", text, d, err)
		}
	}
	if s := deed.Decision(9).String(); s != "unknown" {
		t.Errorf("decision 9 is told as %q", s)
	}
}

func TestDecide_RequestsThatSayTooLittle(t *testing.T) {
	p := load(t, `permit (principal, action, resource);`)
	good := func() *policy.Request { return ask(deed.Action{Kind: deed.KindClick}, node("button", "Add")) }
	wants(t, p, good(), deed.Allow, "policy0")
	for name, spoil := range map[string]func(q *policy.Request){
		"no action":      func(q *policy.Request) { q.Action = nil },
		"unknown kind":   func(q *policy.Request) { q.Action.Kind = "clik" },
		"no kind":        func(q *policy.Request) { q.Action.Kind = "" },
		"unknown part":   func(q *policy.Request) { q.For = &deed.Action{} },
		"nobody":         func(q *policy.Request) { q.Principal = "" },
		"somebody else":  func(q *policy.Request) { q.Principal = "root" },
		"no risk":        func(q *policy.Request) { q.Risk = -1 },
		"too much risk":  func(q *policy.Request) { q.Risk = 5 },
		"value from air": func(q *policy.Request) { q.ValueFrom = "air" },
		"no element":     func(q *policy.Request) { q.Element = nil },
		"press on no one": func(q *policy.Request) {
			q.Element, q.Action = nil, &deed.Action{Kind: deed.KindPress, Key: "a", Locator: deed.Textbox("N")}
		},
		"a hole": func(q *policy.Request) { q.Also = []policy.Reached{{}} },
	} {
		q := good()
		spoil(q)
		if got := p.Decide(q); got.Decision != deed.Deny || got.Rule != policy.RuleRequest {
			t.Errorf("%s: %+v", name, got)
		}
		p.Record(q)
	}
	if got := p.Decide(nil); got.Decision != deed.Deny {
		t.Errorf("nil: %+v", got)
	}
	q := good()
	q.Confirm = "pending safety check"
	wants(t, p, q, deed.Confirm, policy.RuleProposer)
	wants(t, load(t, `permit (principal is Person, action, resource);`), q, deed.Deny, policy.RuleNone)
}

func TestTestPolicy(t *testing.T) {
	p := standard(t, policy.Test, policy.Config{Allowed: only("http://127.0.0.1:8080", "https://pay.example")})
	at := func(url string, a deed.Action, n *deed.Node, f deed.Facts) *policy.Request {
		q := &policy.Request{Principal: deed.ByCase, Action: &a, Element: n, PageURL: url}
		if n != nil {
			if f.FrameURL == "" {
				f.FrameURL = url
			}
			q.Facts = &f
		}
		return q
	}
	own, pay, other := "http://127.0.0.1:8080/", "https://pay.example/", "https://other.example/"
	click := deed.Action{Kind: deed.KindClick}
	for name, c := range map[string]struct {
		q *policy.Request
		d deed.Decision
	}{
		"goto":                   {at("about:blank", deed.Action{Kind: deed.KindGoto, Text: own}, nil, deed.Facts{}), deed.Allow},
		"goto elsewhere":         {at(own, deed.Action{Kind: deed.KindGoto, Text: other}, nil, deed.Facts{}), deed.Deny},
		"another port":           {at(own, deed.Action{Kind: deed.KindGoto, Text: "http://127.0.0.1:8081/"}, nil, deed.Facts{}), deed.Deny},
		"click":                  {at(own, click, node("button", "Delete account"), deed.Facts{}), deed.Allow},
		"click of a named link":  {at(own, click, node("link", "Pay"), deed.Facts{Href: pay}), deed.Allow},
		"click of another link":  {at(own, click, node("link", "Ad"), deed.Facts{Href: other}), deed.Deny},
		"click on another page":  {at(other, click, node("button", "Add"), deed.Facts{}), deed.Deny},
		"click in another frame": {at(own, click, node("button", "Add"), deed.Facts{FrameURL: other}), deed.Deny},
		"click in a named frame": {at(own, click, node("button", "Add"), deed.Facts{FrameURL: pay}), deed.Allow},
		"eval":                   {at(own, deed.Action{Kind: deed.KindEval, Text: "1"}, nil, deed.Facts{}), deed.Allow},
		"eval elsewhere":         {at(other, deed.Action{Kind: deed.KindEval, Text: "1"}, nil, deed.Facts{}), deed.Deny},
		"upload":                 {at(own, deed.Action{Kind: deed.KindUpload, Files: []string{"a"}}, node("button", "Attach"), deed.Facts{}), deed.Allow},
		"Enter that sends":       {at(own, deed.Action{Kind: deed.KindPress, Key: "Enter"}, node("textbox", "Name"), deed.Facts{FormAction: own, FormMethod: "POST", Submits: true}), deed.Allow},
		"a popup's title":        {at(other, deed.Action{Kind: deed.KindExpect}, nil, deed.Facts{}), deed.Allow},
		"a picture of elsewhere": {at(other, deed.Action{Kind: deed.KindShot}, nil, deed.Facts{}), deed.Deny},
	} {
		if got := p.Decide(c.q); got.Decision != c.d {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDecision_Contributing(t *testing.T) {
	p := agent(t, policy.Config{})
	n := node("button", "Delete account")
	n.Sensitive = true
	got := wants(t, p, ask(deed.Action{Kind: deed.KindClick}, n), deed.Confirm, "sensitive")
	var ids []string
	for _, c := range got.Contributing {
		ids = append(ids, c.Rule)
		if c.As != deed.KindClick || c.On != `button "Delete account"` || !c.Forbids || c.Decision != deed.Confirm || !strings.HasPrefix(c.At, "agent.cedar:") {
			t.Errorf("%+v", c)
		}
	}
	if d := cmp.Diff([]string{"sensitive", "critical", "risk"}, ids); d != "" {
		t.Error(d)
	}
	if want := `button "Delete account" holds what is sensitive`; got.Reason != want {
		t.Errorf("reason %q, want %q", got.Reason, want)
	}
}
