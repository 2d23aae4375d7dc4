package policy

import (
	"fmt"
	"slices"
	"strings"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
	"github.com/cedar-policy/cedar-go/x/exp/eval"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

var entityOf = map[string]cedar.EntityType{deed.ByPerson: "Person", deed.ByAgent: "Agent", deed.ByCase: "Case"}

// A situation is a request as rules see it.
type situation struct {
	q            *Request
	effect       Effect
	elsewhere    []deed.Kind // what may be done to elements that are not known
	principal    cedar.Entity
	parts        []part
	risk         deed.Risk
	hints        []string
	destinations []string
}

// A part is one kind on one element.
type part struct {
	kind     deed.Kind
	node     *deed.Node
	resource *cedar.Entity
}

func (p *part) label() string {
	if p.node == nil {
		return ""
	}
	return p.node.String()
}

func newSituation(q *Request) *situation {
	s := &situation{q: q, effect: Effective(q.Action, q.Element, q.Facts)}
	s.principal = cedar.Entity{UID: cedar.NewEntityUID(entityOf[q.Principal], cedar.String(q.Name)),
		Attributes: cedar.NewRecord(cedar.RecordMap{"name": cedar.String(q.Name)})}
	own := resource(q.Element, q.Facts)
	for _, k := range s.effect.Kinds {
		s.parts = append(s.parts, part{k, q.Element, own})
	}
	for _, r := range q.Also {
		also := resource(r.Element, r.Facts)
		for _, k := range s.effect.Kinds {
			if k != deed.KindPress || len(s.effect.Kinds) == 1 {
				s.parts = append(s.parts, part{k, r.Element, also})
			}
		}
	}
	s.elsewhere = s.effect.Elsewhere
	if q.Alone && !slices.Contains(s.effect.Kinds, deed.KindEval) {
		s.elsewhere = nil
	}
	s.weigh()
	s.lead()
	return s
}

// weigh finds the effective risk, and the hints.
func (s *situation) weigh() {
	q := s.q
	s.risk = q.Risk
	for _, k := range s.effect.Kinds {
		s.risk = max(s.risk, k.Risk())
	}
	if q.Resends {
		s.hints, s.risk = append(s.hints, HintResends), max(s.risk, deed.RiskExternal)
	}
	if !changes(s.effect.Kinds) {
		return
	}
	add := func(n *deed.Node, f *deed.Facts) {
		r, h := elementRisk(n, f, s.effect.Activates)
		s.risk = max(s.risk, r)
		s.hints = append(s.hints, h...)
	}
	add(q.Element, q.Facts)
	for _, r := range q.Also {
		add(r.Element, r.Facts)
	}
	if q.Action.Kind == deed.KindPress && !holdsText(q.Element) {
		switch name, _ := split(q.Action.Key); strings.ToLower(name) {
		case "delete", "backspace": // the page's own command
			s.hints, s.risk = append(s.hints, HintDestructive), max(s.risk, deed.RiskCritical)
		}
	}
	slices.Sort(s.hints)
	s.hints = slices.Compact(s.hints)
}

func changes(ks []deed.Kind) bool {
	return slices.ContainsFunc(ks, func(k deed.Kind) bool { return k.Risk() >= deed.RiskReversible })
}

// lead collects where the action may lead.
func (s *situation) lead() {
	add := func(u string) {
		if u != "" && !script(u) && !slices.Contains(s.destinations, u) {
			s.destinations = append(s.destinations, u)
		}
	}
	a := s.q.Action
	if a.Kind == deed.KindGoto || a.Kind == deed.KindTab && a.Tab == "open" {
		if u := a.Text; u != "" {
			s.destinations = append(s.destinations, u) // a script is no allowed one
		}
	}
	add(s.q.Target)
	facts := func(f *deed.Facts) {
		if f == nil {
			return
		}
		if s.effect.Activates {
			add(f.Href)
		}
		if s.effect.Submits && !strings.EqualFold(f.FormMethod, "DIALOG") {
			add(f.FormAction)
		}
	}
	facts(s.q.Facts)
	for _, r := range s.q.Also {
		if f := r.Facts; f != nil {
			if s.effect.Activates {
				add(f.Href)
			}
			if f.Submits && s.effect.Activates && !holdsText(r.Element) && !strings.EqualFold(f.FormMethod, "DIALOG") {
				add(f.FormAction)
			}
		}
	}
}

// given asks the configuration.
func (p *Policy) given(s *situation) Given {
	c := &p.config
	q := s.q
	var g Given
	allowed := func(u string) bool { return c.Allowed != nil && c.Allowed(u) }
	g.PageAllowed = q.PageURL != "" && allowed(q.PageURL)
	frames := []*deed.Facts{q.Facts}
	for _, r := range q.Also {
		frames = append(frames, r.Facts)
	}
	for _, f := range frames {
		if f != nil && !inherits(f.FrameURL) && f.FrameURL != q.PageURL && !allowed(f.FrameURL) {
			g.PageAllowed = false
		}
	}
	g.DestinationAllowed, g.DestinationPublic = len(s.destinations) > 0, len(s.destinations) > 0
	for _, u := range s.destinations {
		if !allowed(u) {
			g.DestinationAllowed = false
		}
		if c.Public == nil || !c.Public(u) {
			g.DestinationPublic = false
		}
	}
	g.Listing, g.Listed = c.Elements != nil, c.Elements.has(q.asked())
	return g
}

// contexts are the records that rules call context, without a person's yes and with it.
func (s *situation) contexts(g *Given) (no, yes cedar.Record) {
	m := s.circumstances(g)
	m["confirmed"] = cedar.False
	no = cedar.NewRecord(m)
	m["confirmed"] = cedar.True
	return no, cedar.NewRecord(m)
}

func (s *situation) circumstances(g *Given) cedar.RecordMap {
	q := s.q
	hints := make([]cedar.Value, len(s.hints))
	for i, h := range s.hints {
		hints[i] = cedar.String(h)
	}
	button := ""
	if q.Action.Kind == deed.KindClick {
		if button = q.Action.Button; button == "" {
			button = "left"
		}
	}
	key := ""
	if q.Action.Kind == deed.KindPress {
		key = q.Action.Key
	}
	destination := s.destination()
	return cedar.RecordMap{
		"dryRun": cedar.Boolean(q.DryRun), "undo": cedar.Boolean(q.Undo),
		"kind": cedar.String(q.Action.Kind), "key": cedar.String(key), "button": cedar.String(button),
		"activates": cedar.Boolean(s.effect.Activates), "submits": cedar.Boolean(s.effect.Submits), "edits": cedar.Boolean(s.effect.Edits),
		"risk": cedar.Long(s.risk), "declaredRisk": cedar.Long(q.Risk), "hints": cedar.NewSet(hints...),
		"valueFrom": cedar.String(q.ValueFrom),
		"pageUrl":   cedar.String(q.PageURL), "pageOrigin": cedar.String(originOf(q.PageURL)), "pageAllowed": cedar.Boolean(g.PageAllowed),
		"destinationUrl": cedar.String(destination), "destinationOrigin": cedar.String(originOf(destination)),
		"destinationAllowed": cedar.Boolean(g.DestinationAllowed), "destinationPublic": cedar.Boolean(g.DestinationPublic),
		"listing": cedar.Boolean(g.Listing), "listed": cedar.Boolean(g.Listed),
	}
}

// destination is the one that is told: the first.
func (s *situation) destination() string {
	if len(s.destinations) == 0 {
		return ""
	}
	return s.destinations[0]
}

// resource is an element, or the page, as an entity.
func resource(n *deed.Node, f *deed.Facts) *cedar.Entity {
	uid := cedar.NewEntityUID("Element", "target")
	if n == nil {
		uid, n = cedar.NewEntityUID("Page", "page"), &deed.Node{}
	}
	if f == nil {
		f = &deed.Facts{}
	}
	text := words.Loose(n.Name)
	if v := n.Value; v != "" && !n.Sensitive {
		text = strings.TrimSpace(text + " " + words.Loose(v))
	}
	return &cedar.Entity{UID: uid, Attributes: cedar.NewRecord(cedar.RecordMap{
		"role": cedar.String(n.Role), "name": cedar.String(n.Name), "text": cedar.String(text),
		"region": cedar.String(n.Region), "row": cedar.String(n.Row),
		"frameUrl": cedar.String(f.FrameURL), "frameOrigin": cedar.String(originOf(f.FrameURL)),
		"href": cedar.String(f.Href), "hrefOrigin": cedar.String(originOf(f.Href)),
		"formAction": cedar.String(f.FormAction), "formOrigin": cedar.String(originOf(f.FormAction)),
		"formMethod": cedar.String(strings.ToUpper(f.FormMethod)), "sensitive": cedar.Boolean(n.Sensitive),
	})}
}

// A world is what a rule may look up: who asks, the action with its groups, and the element.
type world struct {
	s    *situation
	part *part
}

// Get implements [cedar.EntityGetter].
func (w world) Get(uid cedar.EntityUID) (cedar.Entity, bool) {
	switch uid {
	case w.s.principal.UID:
		return w.s.principal, true
	case w.part.resource.UID:
		return *w.part.resource, true
	}
	if a, ok := theSchema().Actions[uid]; ok {
		return a.Entity, true
	}
	return cedar.Entity{}, false
}

// as is how a part is told: press, or the click that a press amounts to.
func (s *situation) as(p *part) string {
	if p.kind == s.q.Action.Kind && p.node == s.q.Element {
		return string(p.kind)
	}
	if p.node == nil {
		return string(p.kind)
	}
	return string(p.kind) + " " + p.node.String()
}

// ofElement are what is said of the action that depends on its element.
var ofElement = []types.String{"kind", "key", "button", "activates", "submits", "edits", "hints", "risk"}

// onUnknown decides on what the action may do to elements that are not known: what a rule forbids of some element it may do to
// that one. Rules that permit do not count: nothing is known that they could be about. any is false where no rule is about elements.
func (p *Policy) onUnknown(s *situation, no, yes cedar.Record) (d Decision, any bool) {
	open := func(r cedar.Record) cedar.Record {
		m := r.Map()
		for _, k := range ofElement { // where it leads stays: what leaves the browser is held by others
			m[k] = eval.Variable(k)
		}
		return cedar.NewRecord(m)
	}
	var noOpen, yesOpen cedar.Record
	d = Decision{Decision: deed.Allow}
	for _, i := range p.unknown {
		r := p.rules[i]
		if !any {
			noOpen, yesOpen = open(no), open(yes)
		}
		any = true
		for _, k := range s.elsewhere {
			env := eval.Env{Principal: s.principal.UID, Action: cedar.NewEntityUID("Action", cedar.String(k)), Resource: eval.Variable("resource"),
				Entities: world{s, &part{k, nil, noResource}}}
			may := func(c cedar.Record) bool {
				env.Context = c
				_, keep := eval.PartialPolicy(env, (*ast.Policy)(r.whole.AST()))
				return keep
			}
			got := deed.Allow
			switch {
			case may(yesOpen):
				got = deed.Deny
			case may(noOpen):
				got = deed.Confirm
			default:
				continue
			}
			c := Contribution{Rule: r.id, At: r.at, Reason: fmt.Sprintf("%s may do what the rule %s forbids", s.q.Action.Kind, r.id), Forbids: true,
				As: k, Decision: got}
			d.Contributing = append(d.Contributing, c)
			if got < d.Decision {
				d.Decision, d.Rule, d.At, d.Reason = got, r.id, r.at, c.Reason
			}
			break
		}
	}
	return d, any && len(d.Contributing) > 0
}

var noResource = &cedar.Entity{UID: cedar.NewEntityUID("Element", "")}
