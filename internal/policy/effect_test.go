package policy_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

func TestEffective(t *testing.T) {
	click, press, fill, eval := deed.KindClick, deed.KindPress, deed.KindFill, deed.KindEval
	other := []deed.Kind{click}
	key := func(k string) deed.Action { return deed.Action{Kind: press, Key: k} }
	form, plain := &deed.Facts{Submits: true}, &deed.Facts{}
	type E = policy.Effect
	k := func(ks ...deed.Kind) []deed.Kind { return ks }
	for name, c := range map[string]struct {
		a    deed.Action
		role string
		f    *deed.Facts
		want E
	}{
		"click":                        {deed.Action{Kind: click}, "button", plain, E{Kinds: k(click), Activates: true}},
		"click that sends":             {deed.Action{Kind: click}, "button", form, E{Kinds: k(click), Activates: true, Submits: true}},
		"click into a field":           {deed.Action{Kind: click}, "textbox", form, E{Kinds: k(click), Activates: true}},
		"dblclick":                     {deed.Action{Kind: deed.KindDblclick}, "button", plain, E{Kinds: k(deed.KindDblclick, click), Activates: true}},
		"check":                        {deed.Action{Kind: deed.KindCheck}, "checkbox", plain, E{Kinds: k(deed.KindCheck, click), Activates: true}},
		"uncheck":                      {deed.Action{Kind: deed.KindUncheck}, "switch", plain, E{Kinds: k(deed.KindUncheck, click), Activates: true}},
		"select":                       {deed.Action{Kind: deed.KindSelect}, "combobox", plain, E{Kinds: k(deed.KindSelect, click), Activates: true}},
		"drag":                         {deed.Action{Kind: deed.KindDrag}, "listitem", plain, E{Kinds: k(deed.KindDrag, click), Activates: true}},
		"upload":                       {deed.Action{Kind: deed.KindUpload}, "button", plain, E{Kinds: k(deed.KindUpload, click), Activates: true}},
		"fill":                         {deed.Action{Kind: fill}, "textbox", form, E{Kinds: k(fill), Edits: true}},
		"http":                         {deed.Action{Kind: deed.KindHTTP, Key: "GET"}, "", nil, E{Kinds: k(deed.KindHTTP), Submits: true}},
		"fill and Enter":               {deed.Action{Kind: fill, Enter: true}, "textbox", form, E{Kinds: k(fill, press, click), Edits: true, Activates: true, Submits: true, Elsewhere: other}},
		"fill and Enter, no form":      {deed.Action{Kind: fill, Enter: true}, "textbox", plain, E{Kinds: k(fill, press), Edits: true}},
		"fill a line break":            {deed.Action{Kind: fill, Text: "a\n"}, "textbox", form, E{Kinds: k(fill, press, click), Edits: true, Activates: true, Submits: true, Elsewhere: other}},
		"fill a line break, no form":   {deed.Action{Kind: fill, Text: "a\nb"}, "textbox", plain, E{Kinds: k(fill, press), Edits: true}},
		"clear":                        {deed.Action{Kind: deed.KindClear}, "textbox", plain, E{Kinds: k(deed.KindClear, fill), Edits: true}},
		"type":                         {deed.Action{Kind: deed.KindType, Text: "a b"}, "textbox", form, E{Kinds: k(deed.KindType, fill), Edits: true}},
		"type a line break":            {deed.Action{Kind: deed.KindType, Text: "a\n"}, "searchbox", form, E{Kinds: k(deed.KindType, fill, press, click), Edits: true, Activates: true, Submits: true, Elsewhere: other}},
		"type on a button":             {deed.Action{Kind: deed.KindType, Text: " "}, "button", plain, E{Kinds: k(deed.KindType, fill, click), Edits: true, Activates: true}},
		"type at no focus":             {deed.Action{Kind: deed.KindType, Text: " "}, "", nil, E{Kinds: k(deed.KindType, fill, click), Edits: true, Activates: true, Elsewhere: other}},
		"Enter on a button":            {key("Enter"), "button", form, E{Kinds: k(press, click), Activates: true, Submits: true}},
		"Return on a link":             {key("Return"), "link", plain, E{Kinds: k(press, click), Activates: true}},
		"Control+Enter on a button":    {key("Control+Enter"), "button", plain, E{Kinds: k(press, click), Activates: true}},
		"Space on a checkbox":          {key("Space"), "checkbox", plain, E{Kinds: k(press, click), Activates: true}},
		"a blank on a button":          {key(" "), "button", plain, E{Kinds: k(press, click), Activates: true}},
		"Enter in a field of a form":   {key("Enter"), "textbox", form, E{Kinds: k(press, click), Activates: true, Submits: true, Elsewhere: other}},
		"Enter in a field, no facts":   {key("Enter"), "textbox", nil, E{Kinds: k(press, click), Activates: true, Submits: true, Elsewhere: other}},
		"Enter in a field, no form":    {key("Enter"), "textbox", plain, E{Kinds: k(press)}},
		"Enter in a checkbox's form":   {key("Enter"), "radio", form, E{Kinds: k(press, click), Activates: true, Submits: true, Elsewhere: other}},
		"Enter in a combobox":          {key("Enter"), "combobox", plain, E{Kinds: k(press, click), Activates: true, Elsewhere: other}},
		"Enter at no focus":            {key("Enter"), "", nil, E{Kinds: k(press, click), Activates: true, Elsewhere: other}},
		"an arrow on a radio":          {key("ArrowDown"), "radio", plain, E{Kinds: k(press, click), Activates: true, Elsewhere: other}},
		"an arrow in a field":          {key("ArrowLeft"), "textbox", plain, E{Kinds: k(press)}},
		"a letter in a field":          {key("a"), "textbox", plain, E{Kinds: k(press, fill), Edits: true}},
		"plus in a field":              {key("+"), "textbox", plain, E{Kinds: k(press, fill), Edits: true}},
		"Control with plus in a field": {key("Control++"), "textbox", plain, E{Kinds: k(press)}},
		"Space in a field":             {key("Space"), "textbox", plain, E{Kinds: k(press, fill), Edits: true}},
		"Backspace in a field":         {key("Backspace"), "textbox", plain, E{Kinds: k(press, fill), Edits: true}},
		"paste into a field":           {key("Control+v"), "textbox", plain, E{Kinds: k(press, fill), Edits: true}},
		"select all in a field":        {key("Control+A"), "textbox", plain, E{Kinds: k(press)}},
		"a letter in a select":         {key("a"), "combobox", plain, E{Kinds: k(press, click, fill), Activates: true, Edits: true, Elsewhere: other}},
		"an access key":                {key("Alt+d"), "textbox", plain, E{Kinds: k(press, fill), Edits: true, Elsewhere: other}},
		"Tab":                          {key("Tab"), "button", plain, E{Kinds: k(press)}},
		"Escape":                       {key("Escape"), "button", plain, E{Kinds: k(press)}},
		"hover":                        {deed.Action{Kind: deed.KindHover}, "button", plain, E{Kinds: k(deed.KindHover)}},
		"eval":                         {deed.Action{Kind: eval}, "", nil, E{Kinds: k(eval), Elsewhere: everything}},
		"goto":                         {deed.Action{Kind: deed.KindGoto, Text: "https://a.example"}, "", nil, E{Kinds: k(deed.KindGoto)}},
		"goto of a script":             {deed.Action{Kind: deed.KindGoto, Text: "JavaScript:x"}, "", nil, E{Kinds: k(deed.KindGoto, eval), Elsewhere: everything}},
		"tab with a script":            {deed.Action{Kind: deed.KindTab, Tab: "open", Text: "\x01java\nscript:x"}, "", nil, E{Kinds: k(deed.KindTab, eval), Elsewhere: everything}},
	} {
		t.Run(name, func(t *testing.T) {
			var n *deed.Node
			if c.role != "" {
				n = node(c.role, "x")
			}
			got := policy.Effective(&c.a, n, c.f)
			if d := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(E{})); d != "" {
				t.Error(d)
			}
		})
	}
}

var everything = []deed.Kind{deed.KindClick, deed.KindDblclick, deed.KindFill, deed.KindPress, deed.KindCheck, deed.KindUncheck, deed.KindSelect,
	deed.KindClear, deed.KindType, deed.KindUpload, deed.KindDrag}

// TestEveryWay: what a rule forbids to be clicked, or to be filled, nothing else does.
func TestEveryWay(t *testing.T) {
	const name = "Delete account"
	p := load(t, `@id("all") permit (principal, action, resource);
@id("keep") forbid (principal, action == Action::"click", resource) when { resource.text like "*delete*account*" };
@id("salary") forbid (principal, action == Action::"fill", resource) when { resource.name == "Salary" };`)
	btn, field, salary := node("button", name), node("textbox", "Name"), node("textbox", "Salary")
	form := here(deed.Facts{FormAction: page, FormMethod: "POST", Submits: true})
	type R = policy.Request
	for way, q := range map[string]*R{
		"click":                  ask(deed.Action{Kind: deed.KindClick}, btn),
		"dblclick":               ask(deed.Action{Kind: deed.KindDblclick}, btn),
		"Enter":                  ask(deed.Action{Kind: deed.KindPress, Key: "Enter"}, btn),
		"Space":                  ask(deed.Action{Kind: deed.KindPress, Key: "Space"}, btn),
		"typing a blank":         ask(deed.Action{Kind: deed.KindType, Text: " "}, btn),
		"drag":                   ask(deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{In: "x"}}, btn),
		"check":                  ask(deed.Action{Kind: deed.KindCheck}, node("checkbox", name)),
		"select":                 ask(deed.Action{Kind: deed.KindSelect, Options: []string{"x"}}, node("combobox", name)),
		"upload":                 ask(deed.Action{Kind: deed.KindUpload, Files: []string{"x"}}, btn),
		"another case":           ask(deed.Action{Kind: deed.KindClick}, node("button", "DELETE  Ａccount")),
		"soft hyphens":           ask(deed.Action{Kind: deed.KindClick}, node("button", "De\u00adle\u200bte account")),
		"a selector":             ask(deed.Action{Kind: deed.KindClick, Selector: "#x"}, btn),
		"a point":                ask(deed.Action{Kind: deed.KindClick, Point: &deed.Point{}}, btn),
		"undo":                   {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindClick}, Undo: true, Element: btn, PageURL: page},
		"a part of another":      {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindClick}, For: &deed.Action{Kind: deed.KindSelect}, Element: btn, PageURL: page},
		"its label":              {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindClick}, Element: node("text", "here"), Also: []policy.Reached{{Element: btn}}, PageURL: page},
		"Enter in its form":      {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindPress, Key: "Enter"}, Element: field, Facts: form, Also: []policy.Reached{{Element: btn}}, Alone: true, PageURL: page},
		"Enter in some form":     {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindPress, Key: "Enter"}, Element: field, Facts: form, PageURL: page},
		"fill and Enter":         {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindFill, Text: "x", Enter: true}, Element: field, Facts: form, PageURL: page},
		"fill of a line break":   {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindFill, Text: "x\n"}, Element: field, Facts: form, Also: []policy.Reached{{Element: btn}}, Alone: true, PageURL: page},
		"the same, in some form": {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindFill, Text: "x\r\ny"}, Element: field, Facts: form, PageURL: page},
		"Enter at no focus":      ask(deed.Action{Kind: deed.KindPress, Key: "Enter"}, nil),
		"an access key":          ask(deed.Action{Kind: deed.KindPress, Key: "Alt+Shift+d"}, node("main", "")),
		"an arrow to it":         ask(deed.Action{Kind: deed.KindPress, Key: "ArrowDown"}, node("menuitem", "Edit")),
		"a script":               ask(deed.Action{Kind: deed.KindEval, Text: "1"}, nil),
		"a script, all known":    {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindEval, Text: "1"}, Alone: true, PageURL: page},
		"goto of a script":       ask(deed.Action{Kind: deed.KindGoto, Text: "javascript:1"}, nil),
		"fill of the salary":     ask(deed.Action{Kind: deed.KindFill, Text: "1"}, salary),
		"type into the salary":   ask(deed.Action{Kind: deed.KindType, Text: "1"}, salary),
		"clear of the salary":    ask(deed.Action{Kind: deed.KindClear}, salary),
		"a key in the salary":    ask(deed.Action{Kind: deed.KindPress, Key: "1"}, salary),
		"Delete in the salary":   ask(deed.Action{Kind: deed.KindPress, Key: "Delete"}, salary),
		"paste into the salary":  ask(deed.Action{Kind: deed.KindPress, Key: "Control+V"}, salary),
	} {
		if got := p.Decide(q); got.Decision != deed.Deny || got.Rule != "keep" && got.Rule != "salary" {
			t.Errorf("%s: %v by %s (%s)", way, got.Decision, got.Rule, got.Reason)
		}
	}
	for way, q := range map[string]*R{
		"click on another":          ask(deed.Action{Kind: deed.KindClick}, node("button", "Save")),
		"hover":                     ask(deed.Action{Kind: deed.KindHover}, btn),
		"Tab":                       ask(deed.Action{Kind: deed.KindPress, Key: "Tab"}, btn),
		"Enter in another's form":   {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindPress, Key: "Enter"}, Element: field, Facts: form, Also: []policy.Reached{{Element: node("button", "Save")}}, Alone: true, PageURL: page},
		"Enter in a form of none":   {Principal: deed.ByAgent, Action: &deed.Action{Kind: deed.KindPress, Key: "Enter"}, Element: field, Facts: form, Alone: true, PageURL: page},
		"click on the salary":       ask(deed.Action{Kind: deed.KindClick}, salary),
		"goto":                      ask(deed.Action{Kind: deed.KindGoto, Text: page}, nil),
		"a letter in another field": ask(deed.Action{Kind: deed.KindPress, Key: "d"}, field),
	} {
		if got := p.Decide(q); got.Decision != deed.Allow {
			t.Errorf("%s: %v by %s (%s)", way, got.Decision, got.Rule, got.Reason)
		}
	}
}

func TestEveryWay_ConfirmsAndPages(t *testing.T) {
	eval := ask(deed.Action{Kind: deed.KindEval, Text: "1"}, nil)
	for src, d := range map[string]deed.Decision{
		`forbid (principal, action == Action::"click", resource) when { resource.sensitive } unless { context.confirmed };`:                deed.Confirm,
		`forbid (principal, action in Action::"activate", resource) when { context.hints.contains("destructive") };`:                       deed.Deny,
		`forbid (principal, action in Action::"act", resource is Element);`:                                                                deed.Deny,
		`forbid (principal, action == Action::"fill", resource) when { resource.name == "x" && context.pageOrigin == "" };`:                deed.Deny, // it is not looked behind what is not known
		`forbid (principal, action == Action::"fill", resource) when { context.pageOrigin == "" && resource.name == "x" };`:                deed.Allow,
		`forbid (principal, action == Action::"hover", resource) when { resource.name == "x" };`:                                           deed.Allow,
		`forbid (principal is Person, action, resource) when { resource.name == "x" };`:                                                    deed.Allow,
		`forbid (principal, action, resource is Page) when { resource.name == "x" };`:                                                      deed.Allow,
		`forbid (principal, action == Action::"click", resource) when { resource.name == "x" && context.risk + 9223372036854775807 > 1 };`: deed.Deny,
	} {
		p := load(t, "permit (principal, action, resource);\n"+src)
		if got := p.Decide(eval); got.Decision != d {
			t.Errorf("%s: %+v", src, got)
		}
	}
}

func TestReaches(t *testing.T) {
	s := &deed.Snapshot{Nodes: []deed.Node{
		{Role: "listitem", Name: "Order 17", Parent: -1}, {Role: "link", Name: "Order 17", Parent: 0}, {Role: "text", Name: "17", Parent: 1},
		{Role: "button", Name: "Delete", Parent: 0}, {Role: "img", Name: "bin", Parent: 3}, {Role: "button", Name: "Hidden", Parent: 0, Unseen: true},
		{Role: "button", Name: "Save", Parent: -1},
	}}
	for target, want := range map[int][]int{0: {1, 3}, 2: {1}, 4: {3}, 3: nil, 6: nil, -1: nil, 7: nil} {
		if got := policy.Reaches(s, target); !slices.Equal(got, want) {
			t.Errorf("%d reaches %v, want %v", target, got, want)
		}
	}
	s.Nodes[0].Parent = 3 // a ring ends
	policy.Reaches(s, 4)
}

func TestAsk(t *testing.T) {
	s := &deed.Snapshot{URL: page, Nodes: []deed.Node{
		{Role: "form", Name: "Account", Parent: -1}, {Role: "textbox", Name: "Name", Parent: 0}, {Role: "button", Name: "Delete account", Parent: 0},
		{Role: "text", Name: "Newsletter", Parent: 0}, {Role: "checkbox", Name: "Newsletter", Parent: 0}, {Role: "row", Name: "17", Parent: -1}, {Role: "button", Name: "Delete", Parent: 5},
	}}
	facts := map[int]*deed.Facts{
		1: {FrameURL: page, FormAction: page, FormMethod: "POST", Submits: true, Reaches: []int{2}},
		2: {FrameURL: page, FormAction: page, FormMethod: "POST", Submits: true}, 3: {FrameURL: page, Reaches: []int{4}}, 4: {FrameURL: page}, 5: {FrameURL: page}, 6: {FrameURL: page},
	}
	question := func(a deed.Action, target int) *deed.Question {
		var onto []int
		if a.Drop != nil {
			onto = []int{slices.IndexFunc(s.Nodes, func(n deed.Node) bool { return n.Name == a.Drop.To.Name })}
		}
		return &deed.Question{Action: &a, Snapshot: s, Target: target, Onto: onto, Ask: func(i int) (*deed.Facts, error) {
			if facts[i] == nil {
				return nil, deed.CodeStaleRef
			}
			return facts[i], nil
		}}
	}
	p := load(t, `permit (principal, action, resource);
@id("keep") forbid (principal, action == Action::"click", resource) when { resource.name like "Delete*" || resource.role == "checkbox" };`)
	for name, c := range map[string]struct {
		a      deed.Action
		target int
		d      deed.Decision
	}{
		"click into the field":    {deed.Action{Kind: deed.KindClick}, 1, deed.Allow},
		"fill":                    {deed.Action{Kind: deed.KindFill, Text: "x"}, 1, deed.Allow},
		"Enter in the field":      {deed.Action{Kind: deed.KindPress, Key: "Enter"}, 1, deed.Deny},
		"the label":               {deed.Action{Kind: deed.KindClick}, 3, deed.Deny},
		"the row of the button":   {deed.Action{Kind: deed.KindClick}, 5, deed.Deny},
		"hover over the row":      {deed.Action{Kind: deed.KindHover}, 5, deed.Allow},
		"drag onto the button":    {deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Button("Delete account")}}, 1, deed.Deny},
		"drag into the field":     {deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Textbox("Name")}}, 1, deed.Allow},
		"the page":                {deed.Action{Kind: deed.KindScroll}, -1, deed.Allow},
		"Space in the text field": {deed.Action{Kind: deed.KindPress, Key: "Space"}, 1, deed.Allow},
	} {
		q, err := policy.Ask(question(c.a, c.target), policy.Request{Principal: deed.ByAgent})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(q); got.Decision != c.d {
			t.Errorf("%s: %v by %s (%s)", name, got.Decision, got.Rule, got.Reason)
		}
	}
	for _, k := range []deed.Kind{deed.KindReload, deed.KindBack, deed.KindScroll} {
		for _, posted := range []bool{false, true} {
			q, err := policy.Ask(&deed.Question{Action: &deed.Action{Kind: k}, Snapshot: &deed.Snapshot{URL: page, Posted: posted}, Target: -1}, policy.Request{})
			if err != nil || q.Resends != (posted && k == deed.KindReload) {
				t.Errorf("%s, posted %v: %+v, %v", k, posted, q, err)
			}
		}
	}
	if _, err := policy.Ask(question(deed.Action{Kind: deed.KindClick}, 0), policy.Request{}); !errors.Is(err, deed.CodeStaleRef) {
		t.Errorf("a page that does not answer: %v", err)
	}
	if _, err := policy.Ask(question(deed.Action{Kind: deed.KindClick}, 99), policy.Request{}); err == nil {
		t.Error("a node that there is not is asked about")
	}
	if _, err := policy.Ask(question(deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Button("nowhere")}}, 1), policy.Request{}); err == nil {
		t.Error("it is dragged to what there is not")
	}
	if _, err := policy.Ask(question(deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Find("form", "Account")}}, 1), policy.Request{}); !errors.Is(err, deed.CodeStaleRef) {
		t.Errorf("what it is dragged to does not answer: %v", err)
	}
	if q, err := policy.Ask(&deed.Question{Action: &deed.Action{Kind: deed.KindGoto, Text: page}, Target: -1}, policy.Request{Principal: deed.ByAgent}); err != nil || q.Element != nil || p.Decide(q).Decision != deed.Allow {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestElementRisk(t *testing.T) {
	other := here(deed.Facts{FormAction: "https://other.example/", FormMethod: "post", Submits: true})
	for name, c := range map[string]struct {
		n     *deed.Node
		f     *deed.Facts
		risk  deed.Risk
		hints []string
	}{
		"nothing":             {nil, nil, deed.RiskNone, nil},
		"a button":            {node("button", "Save"), nil, deed.RiskNone, nil},
		"delete":              {node("button", "Konto löschen"), nil, deed.RiskCritical, []string{"destructive"}},
		"pay":                 {node("button", "お支払いに進む"), nil, deed.RiskCritical, []string{"paying"}},
		"an icon's link":      {node("link", ""), here(deed.Facts{Href: "https://shop.example/orders/17/delete?force=1"}), deed.RiskCritical, []string{"destructive"}},
		"a form that pays":    {node("button", "Go"), here(deed.Facts{FormAction: "https://shop.example/checkout", FormMethod: "POST", Submits: true}), deed.RiskCritical, []string{"paying"}},
		"a post elsewhere":    {node("button", "Go"), other, deed.RiskExternal, []string{"posts-elsewhere"}},
		"a post home":         {node("button", "Go"), here(deed.Facts{FormAction: "https://SHOP.example:443/x", FormMethod: "POST", Submits: true}), deed.RiskNone, nil},
		"a sensitive target":  {&deed.Node{Role: "textbox", Name: "Card", Sensitive: true}, nil, deed.RiskExternal, []string{"sensitive"}},
		"several":             {&deed.Node{Role: "button", Name: "Delete and pay", Sensitive: true}, other, deed.RiskCritical, []string{"destructive", "paying", "posts-elsewhere", "sensitive"}},
		"what a field holds":  {&deed.Node{Role: "textbox", Name: "Search", Value: "delete", HasValue: true}, nil, deed.RiskNone, nil},
		"what an option says": {&deed.Node{Role: "option", Name: "", Value: "Delete", HasValue: true}, nil, deed.RiskCritical, []string{"destructive"}},
	} {
		risk, hints := policy.ElementRisk(c.n, c.f)
		if risk != c.risk || !slices.Equal(hints, c.hints) {
			t.Errorf("%s: %v %v, want %v %v", name, risk, hints, c.risk, c.hints)
		}
	}
	// It raises the risk of what presses it, and of nothing else.
	p := agent(t, policy.Config{})
	wants(t, p, ask(deed.Action{Kind: deed.KindFill, Text: "x"}, node("textbox", "Delete after")), deed.Confirm, "risk")
	wants(t, p, ask(deed.Action{Kind: deed.KindPress, Key: "Delete"}, node("row", "Order 17")), deed.Confirm, "critical")
	for k, risk := range map[deed.Kind]deed.Risk{deed.KindHover: deed.RiskReadOnly, deed.KindClick: deed.RiskCritical} {
		if got := p.Decide(ask(deed.Action{Kind: k}, node("button", "Delete"))); got.Risk != risk {
			t.Errorf("%s of Delete: %v, want %v", k, got.Risk, risk)
		}
	}
	wants(t, p, ask(deed.Action{Kind: deed.KindPress, Key: "Delete"}, node("textbox", "Name")), deed.Confirm, "risk")
	// A declared risk is never lowered.
	q := ask(deed.Action{Kind: deed.KindClick}, node("button", "Add"))
	q.Risk = deed.RiskCritical
	wants(t, load(t, `permit (principal, action, resource) when { context.risk < 4 };`), q, deed.Deny, policy.RuleNone)
}

func TestRequest_JSON(t *testing.T) {
	p := agent(t, policy.Config{})
	q := ask(deed.Action{Kind: deed.KindSelect, Options: []string{"M"}, Locator: deed.Combobox("Size").In("cart")}, &deed.Node{Role: "combobox", Name: "Size", Parent: 3, States: deed.Collapsed})
	q.Also = []policy.Reached{{Element: node("option", "Delete"), Facts: here(deed.Facts{Href: page, Submits: true, FormAction: page, FormMethod: "POST"})}}
	q.Risk, q.ValueFrom, q.Confirm, q.Undo, q.DryRun, q.Alone, q.Unresolved, q.Target = 3, deed.ValueGoal, "x", true, true, true, "#a", page
	q = p.Record(q)
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var back policy.Request
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(q, &back); d != "" {
		t.Error(d)
	}
	// As far away as a trace: without configuration it is decided as it was.
	far := standard(t, policy.Agent, policy.Config{})
	if d := cmp.Diff(p.Decide(q), far.Redecide(&back)); d != "" {
		t.Error(d)
	}
	if far.Decide(&back).Decision != deed.Deny {
		t.Error("what a trace says of the configuration is taken for the configuration")
	}

	s := ask(deed.Action{Kind: deed.KindType, Text: "hunter2\n", Secret: "PASSWORD"}, node("textbox", "Name"))
	s.Facts.Submits, s.Facts.FormAction = true, "https://other.example/"
	s.Action.Expect = []deed.Expect{{Kind: deed.ExpectValue, Locator: deed.Textbox("Name"), Text: "hunter2", Secret: true}}
	s.For = &deed.Action{Kind: deed.KindFill, Text: "hunter2", Secret: "PASSWORD"}
	text, err = json.Marshal(p.Record(s))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("a secret is in %s", text)
	}
	var blind policy.Request
	if err := json.Unmarshal(text, &blind); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.Decide(s), far.Redecide(&blind)); d != "" {
		t.Error(d)
	}
	if s.Action.Text != "hunter2\n" {
		t.Error("the request itself lost its text")
	}
	for _, kind := range []deed.Kind{deed.KindFill, deed.KindType} { // the line break that is masked is still Enter
		s.Action.Kind, s.For = kind, nil
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		blind = policy.Request{}
		if err := json.Unmarshal(text, &blind); err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(&blind); got.Decision != p.Decide(s).Decision || got.Rule != p.Decide(s).Rule || got.Rule != "destination-not-allowed" {
			t.Errorf("%s: recorded it is %v by %s, not %v by %s", kind, got.Decision, got.Rule, p.Decide(s).Decision, p.Decide(s).Rule)
		}
	}
}
