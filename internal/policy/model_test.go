package policy_test

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

var long = flag.Bool("policy.long", false, "the comparison with the model over 100,000 cases")

// A mrule is a rule as the model of the test knows it: what it says, and its text in Cedar.
type mrule struct {
	forbids bool
	who     string      // principal kind; "" is any
	act     []deed.Kind // nil is any
	group   string      // the name of the group that act lists; "" for a single kind
	conds   []mcond     // all must hold
	unless  []mcond     // none may hold
}

// A mcond is one condition.
type mcond struct {
	attr string
	op   string // ==, >=, like, contains, true
	arg  string
	not  bool
}

// facts are what the model derives of a request by itself.
type facts struct {
	confirmed, dry, pageAllowed, destAllowed, sensitive, activates, submits, edits, listed bool
	name, role, page, dest, kind, from                                                     string
	risk                                                                                   int
	hints                                                                                  []string
}

var (
	mActivate = []deed.Kind{"click", "dblclick", "check", "uncheck", "select", "drag", "upload"}
	mEdit     = []deed.Kind{"fill", "clear", "type"}
	mAct      = append(append(slices.Clone(mActivate), mEdit...), "press", "eval", "http")
	mNavigate = []deed.Kind{"goto", "back", "forward", "reload", "tab"}
	mLook     = []deed.Kind{"scroll", "wait", "expect", "watch", "screenshot", "hover", "focus"}
	mGroups   = map[string][]deed.Kind{"act": mAct, "activate": mActivate, "edit": mEdit, "navigate": mNavigate, "look": mLook}
)

func (c mcond) cedar() string {
	var s string
	switch c.op {
	case "==":
		s = c.attr + " == " + strconv.Quote(c.arg)
	case ">=":
		s = c.attr + " >= " + c.arg
	case "like":
		s = c.attr + " like " + strconv.Quote("*"+c.arg+"*")
	case "contains":
		s = c.attr + ".contains(" + strconv.Quote(c.arg) + ")"
	default:
		s = c.attr
	}
	if c.not {
		return "!(" + s + ")"
	}
	return s
}

func (c mcond) holds(f facts) bool {
	var ok bool
	switch c.attr {
	case "context.confirmed":
		ok = f.confirmed
	case "context.dryRun":
		ok = f.dry
	case "context.pageAllowed":
		ok = f.pageAllowed
	case "context.destinationAllowed":
		ok = f.destAllowed
	case "resource.sensitive":
		ok = f.sensitive
	case "context.activates":
		ok = f.activates
	case "context.submits":
		ok = f.submits
	case "context.edits":
		ok = f.edits
	case "context.listed":
		ok = f.listed
	case "resource.name":
		ok = f.name == c.arg
	case "resource.text":
		ok = strings.Contains(strings.ToLower(f.name), c.arg)
	case "resource.role":
		ok = f.role == c.arg
	case "context.pageUrl":
		ok = f.page == c.arg
	case "context.destinationUrl":
		ok = f.dest == c.arg
	case "context.kind":
		ok = f.kind == c.arg
	case "context.valueFrom":
		ok = f.from == c.arg
	case "context.risk":
		n, _ := strconv.Atoi(c.arg)
		ok = f.risk >= n
	case "context.hints":
		ok = slices.Contains(f.hints, c.arg)
	default:
		panic(c.attr)
	}
	return ok != c.not
}

func (r mrule) cedar(i int) string {
	effect, who, act := "permit", "principal", "action"
	if r.forbids {
		effect = "forbid"
	}
	if r.who != "" {
		who = "principal is " + map[string]string{deed.ByPerson: "Person", deed.ByAgent: "Agent", deed.ByCase: "Case"}[r.who]
	}
	switch {
	case r.group != "":
		act = `action in Action::"` + r.group + `"`
	case len(r.act) == 1:
		act = `action == Action::"` + string(r.act[0]) + `"`
	}
	s := fmt.Sprintf("@id(\"r%d\")\n%s (%s, %s, resource)", i, effect, who, act)
	for _, c := range r.conds {
		s += "\nwhen { " + c.cedar() + " }"
	}
	for _, c := range r.unless {
		s += "\nunless { " + c.cedar() + " }"
	}
	return s + ";\n"
}

func (r mrule) applies(who string, as deed.Kind, f facts) bool {
	if r.who != "" && r.who != who || r.act != nil && !slices.Contains(r.act, as) {
		return false
	}
	for _, c := range r.conds {
		if !c.holds(f) {
			return false
		}
	}
	for _, c := range r.unless {
		if c.holds(f) {
			return false
		}
	}
	return true
}

// may reports whether the rule may apply to some element that nobody knows: conditions on it are open.
func (r mrule) may(who string, as deed.Kind, f facts) bool {
	if r.who != "" && r.who != who || r.act != nil && !slices.Contains(r.act, as) {
		return false
	}
	open := func(c mcond) bool {
		return strings.HasPrefix(c.attr, "resource.") || slices.Contains([]string{"context.activates", "context.submits", "context.edits", "context.kind", "context.risk", "context.hints"}, c.attr)
	}
	about := false
	for _, c := range append(slices.Clone(r.conds), r.unless...) {
		about = about || open(c)
	}
	if !about {
		return false
	}
	for _, c := range r.conds {
		if !open(c) && !c.holds(f) {
			return false
		}
	}
	for _, c := range r.unless {
		if !open(c) && c.holds(f) {
			return false
		}
	}
	return true
}

// model decides by the words of docs/policies.md, as plainly as can be.
func model(rules []mrule, q *policy.Request, allowed func(string) bool) deed.Decision {
	f := facts{dry: q.DryRun, kind: string(q.Action.Kind), from: q.ValueFrom, page: q.PageURL}
	f.pageAllowed = q.PageURL != "" && allowed(q.PageURL)
	role := ""
	if q.Element != nil {
		role = q.Element.Role
	}
	field := role == "textbox"
	as := []deed.Kind{q.Action.Kind}
	var unknown []deed.Kind
	sends := q.Facts != nil && q.Facts.Submits
	switch q.Action.Kind {
	case "click":
		f.activates, f.submits = true, sends && !field
	case "dblclick", "check", "select", "drag":
		as, f.activates, f.submits = append(as, "click"), true, sends && !field
	case "fill":
		f.edits = true
	case "clear":
		as, f.edits = append(as, "fill"), true
	case "press": // Enter
		switch {
		case !field:
			as, f.activates, f.submits = append(as, "click"), true, sends
			if q.Element == nil && !q.Alone {
				unknown = []deed.Kind{"click"}
			}
		case sends:
			as, f.activates, f.submits = append(as, "click"), true, true
			if !q.Alone {
				unknown = []deed.Kind{"click"}
			}
		}
	case "eval":
		unknown = everything
	}
	floor := 0
	for _, k := range as {
		floor = max(floor, map[deed.Kind]int{"scroll": 0, "wait": 0, "goto": 1, "screenshot": 1, "hover": 1, "eval": 3}[k])
		if slices.Contains(mActivate, k) || slices.Contains(mEdit, k) || k == "press" {
			floor = max(floor, 2)
		}
	}
	f.risk = max(int(q.Risk), floor)
	if q.Element != nil && floor >= 2 {
		if q.Element.Sensitive {
			f.hints, f.risk = append(f.hints, "sensitive"), max(f.risk, 3)
		}
		if f.activates && strings.HasPrefix(q.Element.Name, "Delete") {
			f.hints, f.risk = append(f.hints, "destructive"), 4
		}
		if f.activates && sends && q.Facts.FormMethod == "POST" && !strings.HasPrefix(q.Facts.FormAction, "https://shop.example/") {
			f.hints, f.risk = append(f.hints, "posts-elsewhere"), max(f.risk, 3)
		}
	}
	var dests []string
	if q.Action.Kind == "goto" {
		dests = append(dests, q.Action.Text)
	}
	if q.Facts != nil && f.activates && q.Facts.Href != "" {
		dests = append(dests, q.Facts.Href)
	}
	if q.Facts != nil && f.submits {
		dests = append(dests, q.Facts.FormAction)
	}
	if len(dests) > 0 {
		f.dest = dests[0]
		f.destAllowed = !slices.ContainsFunc(dests, func(u string) bool { return !allowed(u) })
	}
	elements := []*deed.Node{q.Element}
	for _, r := range q.Also {
		elements = append(elements, r.Element)
	}
	answer := func(as deed.Kind, n *deed.Node, confirmed bool) bool {
		f := f
		f.confirmed = confirmed
		if n != nil {
			f.name, f.role, f.sensitive = n.Name, n.Role, n.Sensitive
		}
		yes := false
		for _, r := range rules {
			if r.applies(q.Principal, as, f) {
				if r.forbids {
					return false
				}
				yes = true
			}
		}
		return yes
	}
	worst := deed.Allow
	for i, n := range elements {
		for _, k := range as {
			if i > 0 && k == "press" && len(as) > 1 {
				continue
			}
			no, yes := answer(k, n, false), answer(k, n, true)
			switch {
			case no && yes:
			case yes:
				worst = min(worst, deed.Confirm)
			default:
				worst = deed.Deny
			}
		}
	}
	for _, k := range unknown {
		for _, r := range rules {
			if !r.forbids {
				continue
			}
			f := f
			f.confirmed = true
			if r.may(q.Principal, k, f) {
				worst = deed.Deny
				continue
			}
			f.confirmed = false
			if r.may(q.Principal, k, f) {
				worst = min(worst, deed.Confirm)
			}
		}
	}
	if len(rules) == 0 {
		return deed.Deny
	}
	if worst == deed.Allow && q.Confirm != "" {
		return deed.Confirm
	}
	return worst
}

var (
	mURLs  = []string{page, "https://shop.example/delete-not", "https://other.example/", "about:blank"}
	mNames = []string{"Add", "Delete account", "Save", ""}
)

func drawCond(t *rapid.T) mcond {
	c := rapid.SampledFrom([]mcond{
		{attr: "context.confirmed", op: "true"}, {attr: "context.confirmed", op: "true"}, {attr: "context.dryRun", op: "true"}, {attr: "context.pageAllowed", op: "true"},
		{attr: "context.destinationAllowed", op: "true"}, {attr: "resource.sensitive", op: "true"}, {attr: "context.activates", op: "true"},
		{attr: "context.submits", op: "true"}, {attr: "context.submits", op: "true"}, {attr: "context.edits", op: "true"}, {attr: "context.listed", op: "true"},
		{attr: "resource.name", op: "=="}, {attr: "resource.text", op: "like", arg: "delete"}, {attr: "resource.role", op: "=="},
		{attr: "context.pageUrl", op: "=="}, {attr: "context.destinationUrl", op: "=="}, {attr: "context.kind", op: "=="},
		{attr: "context.valueFrom", op: "=="}, {attr: "context.risk", op: ">="}, {attr: "context.hints", op: "contains"},
	}).Draw(t, "cond")
	switch c.attr {
	case "resource.name":
		c.arg = rapid.SampledFrom(mNames).Draw(t, "name")
	case "resource.role":
		c.arg = rapid.SampledFrom([]string{"button", "textbox", ""}).Draw(t, "role")
	case "context.pageUrl", "context.destinationUrl":
		c.arg = rapid.SampledFrom(mURLs).Draw(t, "url")
	case "context.kind":
		c.arg = rapid.SampledFrom([]string{"click", "press", "fill", "goto", "eval"}).Draw(t, "kind")
	case "context.valueFrom":
		c.arg = rapid.SampledFrom([]string{"", deed.ValuePage, deed.ValueSecret}).Draw(t, "from")
	case "context.risk":
		c.arg = strconv.Itoa(rapid.IntRange(1, 4).Draw(t, "risk"))
	case "context.hints":
		c.arg = rapid.SampledFrom([]string{"destructive", "sensitive", "posts-elsewhere", "paying"}).Draw(t, "hint")
	}
	c.not = rapid.IntRange(0, 3).Draw(t, "not") == 0
	return c
}

func drawRule(t *rapid.T) mrule {
	r := mrule{forbids: rapid.IntRange(0, 2).Draw(t, "forbids") > 0, who: rapid.SampledFrom([]string{"", "", deed.ByAgent, deed.ByPerson, deed.ByCase}).Draw(t, "who")}
	switch rapid.IntRange(0, 3).Draw(t, "scope") {
	case 0, 1:
	case 2:
		r.group = rapid.SampledFrom([]string{"act", "activate", "edit", "navigate", "look"}).Draw(t, "group")
		r.act = mGroups[r.group]
	case 3:
		r.act = []deed.Kind{rapid.SampledFrom([]deed.Kind{"click", "press", "fill", "goto", "eval", "http", "check", "scroll"}).Draw(t, "act")}
	}
	r.conds = rapid.SliceOfN(rapid.Custom(drawCond), 0, 2).Draw(t, "when")
	r.unless = rapid.SliceOfN(rapid.Custom(drawCond), 0, 1).Draw(t, "unless")
	return r
}

func drawNode(t *rapid.T) *deed.Node {
	return &deed.Node{Role: rapid.SampledFrom([]string{"button", "textbox", "link"}).Draw(t, "role"), Name: rapid.SampledFrom(mNames).Draw(t, "name"),
		Sensitive: rapid.IntRange(0, 4).Draw(t, "sensitive") == 0, Parent: -1}
}

func drawRequest(t *rapid.T) *policy.Request {
	k := rapid.SampledFrom([]deed.Kind{"click", "dblclick", "fill", "clear", "press", "press", "press", "check", "select", "drag", "goto", "eval", "scroll", "wait", "screenshot", "hover"}).Draw(t, "do")
	q := &policy.Request{Principal: rapid.SampledFrom([]string{deed.ByAgent, deed.ByPerson, deed.ByCase}).Draw(t, "by"), Action: &deed.Action{Kind: k},
		Risk: deed.Risk(rapid.IntRange(0, 4).Draw(t, "risk")), PageURL: rapid.SampledFrom(append(mURLs, "")).Draw(t, "page"),
		ValueFrom: rapid.SampledFrom([]string{"", deed.ValuePage, deed.ValueSecret}).Draw(t, "from"), DryRun: rapid.Bool().Draw(t, "dry"), Alone: rapid.Bool().Draw(t, "alone")}
	switch k {
	case "goto":
		q.Action.Text = rapid.SampledFrom(mURLs).Draw(t, "to")
	case "press":
		q.Action.Key = "Enter"
	}
	if k.NeedsElement() || k == "press" && rapid.Bool().Draw(t, "focus") {
		q.Element = drawNode(t)
		q.Facts = &deed.Facts{FrameURL: page, Submits: rapid.Bool().Draw(t, "submits"), FormMethod: rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
			FormAction: rapid.SampledFrom([]string{page, "https://other.example/"}).Draw(t, "action")}
		if q.Element.Role == "link" {
			q.Facts.Href = rapid.SampledFrom([]string{"", page, "https://other.example/", "javascript:void(0)"}).Draw(t, "href")
			q.Facts.Submits = false
		}
		if rapid.IntRange(0, 3).Draw(t, "also") == 0 {
			q.Also = []policy.Reached{{Element: &deed.Node{Role: "button", Name: rapid.SampledFrom([]string{"Add", "Save"}).Draw(t, "reached"), Parent: -1}}}
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "confirm") == 0 {
		q.Confirm = "pending"
	}
	return q
}

// TestModel compares the gate with the model over random policies and requests: 3,000 of them, 100,000 with -policy.long.
func TestModel(t *testing.T) {
	// A policy is drawn for every few requests: loading one costs more than many decisions.
	const each = 20
	policies := 150
	if *long {
		policies = 5000
	}
	cases := 0
	seen := map[deed.Decision]int{}
	allowed := only("https://shop.example")
	one := func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(drawRule), 0, 6).Draw(t, "rules")
		if rapid.IntRange(0, 2).Draw(t, "open") > 0 {
			rules = append(rules, mrule{})
		}
		var src strings.Builder
		for i, r := range rules {
			src.WriteString(r.cedar(i))
		}
		p, err := policy.Load("random.cedar", []byte(src.String()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, src.String())
		}
		p = p.With(policy.Config{Allowed: allowed})
		for range each {
			q := drawRequest(t)
			m := *q
			if m.Facts != nil && strings.HasPrefix(m.Facts.Href, "javascript:") {
				f := *m.Facts
				f.Href = "" // a handler leads nowhere
				m.Facts = &f
			}
			// The page's frame is where the page is, for the model.
			want, got := model(rules, &m, func(u string) bool { return allowed(u) }), p.Decide(q)
			if want != got.Decision {
				t.Fatalf("%+v\n%+v\n%+v\n%s\nmodel: %v\ngate:  %v by %s (%s)", *q.Action, q.Element, q, src.String(), want, got.Decision, got.Rule, got.Reason)
			}
			cases++
			seen[want]++
		}
	}
	for n := 0; n < policies; {
		// rapid's own number of checks is a flag of its own.
		before := cases
		rapid.Check(t, one)
		if n += (cases - before) / each; cases == before || t.Failed() {
			break
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("%d cases: %v", cases, seen)
	for _, d := range []deed.Decision{deed.Allow, deed.Confirm, deed.Deny} {
		if seen[d]*50 < cases {
			t.Errorf("only %d of %d cases are %v", seen[d], cases, d)
		}
	}
}
