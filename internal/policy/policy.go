// Package policy decides whether an action may be done: rules in Cedar, about who asks, what is asked for, and the resolved element.
//
// [Load] reads a file and refuses what it does not wholly understand; [Standard] has the policies that are shipped.
// [Policy.Decide] gives allow, confirm or deny with the rule that says so. [Effective] says what an action amounts to, so that a rule
// about clicking an element holds for every way to press it.
//
// Law of this package: it decides from data alone. It knows no browser, no clock and no file, asks nobody, and changes nothing. Whatever it
// does not understand it denies: a missing policy, a rule that errors, a request that says too little, a panic.
package policy

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	cedar "github.com/cedar-policy/cedar-go"
	cedarast "github.com/cedar-policy/cedar-go/ast"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
	"github.com/cedar-policy/cedar-go/x/exp/schema"
	"github.com/cedar-policy/cedar-go/x/exp/schema/resolved"
	"github.com/cedar-policy/cedar-go/x/exp/schema/validate"

	"github.com/deed-dev/deed"
)

// A Config is what trusted configuration says beside the rules. The zero value allows no origin.
type Config struct {
	Allowed  func(url string) bool // whether a page may be on, and an action lead to, this URL; nil is never
	Public   func(url string) bool // whether the host of this URL is a public one; nil is never
	Elements *Elements             // the exact list of what may be acted on; nil is no list, an empty one is none of all
}

// Elements is an exact list of selectors and locators. They are compared byte by byte, as they were asked for.
type Elements struct{ m map[string]bool }

// maxElement is the length of an entry, in characters: that of a selector.
const maxElement = 4096

// NewElements makes a list of selectors and of locators in their text form. Each must be non-blank, without white space at its ends and
// without control characters.
func NewElements(list []string) (*Elements, error) {
	e := &Elements{m: make(map[string]bool, len(list))}
	for i, s := range list {
		bad := ""
		switch {
		case strings.TrimSpace(s) == "":
			bad = "is blank"
		case s != strings.TrimSpace(s):
			bad = "begins or ends with white space"
		case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }):
			bad = "has a control character"
		case utf8.RuneCountInString(s) > maxElement:
			bad = fmt.Sprintf("is longer than %d characters", maxElement)
		default:
			e.m[s] = true
			continue
		}
		return nil, &deed.Error{Op: "policy", Code: deed.CodeInvalid, Err: fmt.Errorf("entry %d of the list of elements %s", i+1, bad)}
	}
	return e, nil
}

func (e *Elements) has(s string) bool { return e != nil && s != "" && e.m[s] }

// A Policy is a set of rules that were understood, with its configuration. A nil Policy denies. It is safe for concurrent use.
type Policy struct {
	rules  ruleSet
	digest string
	config Config
	// the rules that are about a kind, in their order, so that only they are evaluated
	of map[deed.Kind]ruleSet
	// forbids about elements, for what may be done to one that is not known
	unknown []int
}

// A rule is one Cedar policy.
type rule struct {
	id, reason, at string
	policy         *cedar.Policy // of any action: see [Policy.of]
	whole          *cedar.Policy // as it is written
	forbids        bool
}

// about lists the rules by the kinds that their scope names. The scope of an action is an and beside the rest, and cannot error: what it
// leaves out is false.
func (s ruleSet) about() map[deed.Kind]ruleSet {
	m := make(map[deed.Kind]ruleSet, len(kinds))
	for _, r := range s {
		tree := *(*ast.Policy)(r.whole.AST())
		scope := tree.Action
		tree.Action = ast.ScopeTypeAll{}
		r.policy = cedar.NewPolicyFromAST((*cedarast.Policy)(&tree))
		for _, k := range kinds {
			if admits(scope, k) {
				m[k] = append(m[k], r)
			}
		}
	}
	return m
}

// admits reports whether the scope holds for this kind.
func admits(scope ast.IsActionScopeNode, k deed.Kind) bool {
	uid := cedar.NewEntityUID("Action", cedar.String(k))
	in := func(group cedar.EntityUID) bool { return uid == group || within(uid, group) }
	switch s := scope.(type) {
	case ast.ScopeTypeEq:
		return uid == s.Entity
	case ast.ScopeTypeIn:
		return in(s.Entity)
	case ast.ScopeTypeInSet:
		return slices.ContainsFunc(s.Entities, in)
	}
	return true
}

// within reports whether an action is in a group, or in one that is in it.
func within(uid, group cedar.EntityUID) bool {
	for parent := range theSchema().Actions[uid].Entity.Parents.All() {
		if parent == group || within(parent, group) {
			return true
		}
	}
	return false
}

// ruleSet keeps the order of the file.
type ruleSet []*rule

// All implements [cedar.PolicyIterator].
func (s ruleSet) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, r := range s {
			if !yield(cedar.PolicyID(r.id), r.policy) {
				return
			}
		}
	}
}

func (s ruleSet) get(id cedar.PolicyID) *rule {
	for _, r := range s {
		if r.id == string(id) {
			return r
		}
	}
	return nil
}

//go:embed agent.cedar test.cedar deed.cedarschema
var files embed.FS

// SchemaText is what policies may speak of, as a Cedar schema.
func SchemaText() string { return embedded("deed.cedarschema") }

func embedded(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it was there when this was built
	}
	return string(b)
}

var theSchema = sync.OnceValue(func() *resolved.Schema {
	var s schema.Schema
	s.SetFilename("deed.cedarschema")
	if err := s.UnmarshalCedar([]byte(SchemaText())); err != nil {
		panic(err)
	}
	r, err := s.Resolve()
	if err != nil {
		panic(err)
	}
	return r
})

// validator is not shared between goroutines: nothing says that it may be.
func validator() *validate.Validator { return validate.New(theSchema()) }

// Names of the policies that are shipped.
const (
	Agent = "agent" // for proposals of models and programs
	Test  = "test"  // for case files
)

// Text is the text of a policy that is shipped, to be read or begun from.
func Text(name string) (string, error) {
	if name != Agent && name != Test {
		return "", &deed.Error{Op: "policy", Code: deed.CodeInvalid, Where: name, Err: errors.New("no such policy"), Hint: "there are agent and test"}
	}
	return embedded(name + ".cedar"), nil
}

// Standard returns the shipped policy of this name, [Agent] or [Test].
func Standard(name string, c Config) (*Policy, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	p, err := Load(name+".cedar", []byte(text))
	if err != nil {
		return nil, err
	}
	return p.With(c), nil
}

// Load reads a policy file; name is for messages. A file with anything in it that is not understood is refused, with the place of
// each problem: see [Check]. An empty file is a policy that denies everything. Its configuration is the zero one: see [Policy.With].
func Load(name string, src []byte) (*Policy, error) {
	p, problems := parse(name, src)
	if len(problems) > 0 {
		first := problems[0]
		text := first.Message
		if n := len(problems) - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more)", n)
		}
		return nil, &deed.Error{Op: "policy", Code: deed.CodeInvalid, Where: first.Pos(), Err: errors.New(text), Hint: first.Hint}
	}
	p.digest = fmt.Sprintf("%x", sha256.Sum256(src))
	return p, nil
}

// With returns the policy with this configuration.
func (p *Policy) With(c Config) *Policy {
	if p == nil {
		return nil
	}
	q := *p
	q.config = c
	return &q
}

// Digest is the SHA-256 of the text of the rules: which rules a decision was made by. "" for a nil policy.
func (p *Policy) Digest() string {
	if p == nil {
		return ""
	}
	return p.digest
}

// Rules lists the ids of the rules, in the order of the file.
func (p *Policy) Rules() []string {
	if p == nil {
		return nil
	}
	out := make([]string, len(p.rules))
	for i, r := range p.rules {
		out[i] = r.id
	}
	return out
}

// Decide says whether an action may be done. Allow is said only when every rule could be evaluated for everything the action amounts
// to ([Effective]) on everything it reaches; Confirm when a person's yes would make it so.
func (p *Policy) Decide(q *Request) Decision { return p.decide(q, nil) }

// Redecide decides on a recorded request as if the configuration said what it said then.
func (p *Policy) Redecide(q *Request) Decision {
	if q == nil || q.Given == nil {
		return p.decide(q, nil)
	}
	return p.decide(q, q.Given)
}

// Record returns the request as a trace is to keep it: a copy, with what the configuration says of it.
func (p *Policy) Record(q *Request) *Request {
	c := q.Clone()
	if p == nil || c.check() != "" {
		return c
	}
	g := func() (g Given) {
		defer func() {
			if recover() != nil {
				g = Given{}
			}
		}()
		return p.given(newSituation(c))
	}()
	c.Given = &g
	return c
}

func (p *Policy) decide(q *Request, g *Given) (d Decision) {
	defer func() {
		if recover() != nil {
			d = deny(RuleError, "the policy could not be evaluated")
		}
	}()
	if p == nil || len(p.rules) == 0 {
		return deny(RuleEmpty, "there is no policy")
	}
	if why := q.check(); why != "" {
		return deny(RuleRequest, "%s", why)
	}
	s := newSituation(q)
	if g == nil {
		given := p.given(s)
		g = &given
	}
	no, yes := s.contexts(g)
	d = Decision{Decision: deed.Allow}
	first := true
	take := func(part Decision) {
		all := append(d.Contributing, part.Contributing...)
		if first || part.Decision < d.Decision || part.Failed && !d.Failed {
			d = part
		}
		d.Contributing, first = all, false
	}
	for i := range s.parts {
		take(p.part(s, &s.parts[i], no, yes))
	}
	if len(s.elsewhere) > 0 && d.Decision != deed.Deny {
		if part, any := p.onUnknown(s, no, yes); any {
			take(part)
		}
	}
	d.Risk = s.risk
	if d.Decision == deed.Allow && q.Confirm != "" {
		d.Decision, d.Rule, d.At, d.Reason = deed.Confirm, RuleProposer, "", "the proposer wants a person asked: "+q.Confirm
	}
	return d
}

// part decides on one kind on one element.
func (p *Policy) part(s *situation, part *part, no, yes cedar.Record) Decision {
	req := cedar.Request{Principal: s.principal.UID, Action: cedar.NewEntityUID("Action", cedar.String(part.kind)), Resource: part.resource.UID}
	world, rules := world{s, part}, p.of[part.kind]
	req.Context = no
	unasked, why := cedar.Authorize(rules, world, req)
	req.Context = yes
	asked, whyAsked := cedar.Authorize(rules, world, req)
	for _, w := range []cedar.Diagnostic{why, whyAsked} {
		if len(w.Errors) > 0 {
			e := w.Errors[0]
			d := deny(RuleError, "a rule could not be evaluated: %s", e.Message)
			if r := p.rules.get(e.PolicyID); r != nil {
				d.At = r.at
				d.Reason = fmt.Sprintf("the rule %s could not be evaluated: %s", r.id, e.Message)
			}
			return d
		}
	}
	switch {
	case unasked == cedar.Allow && asked == cedar.Allow:
		return p.because(s, part, deed.Allow, why.Reasons)
	case unasked == cedar.Allow:
		d := p.because(s, part, deed.Deny, whyAsked.Reasons)
		d.Failed = true
		return d
	case asked == cedar.Allow && len(why.Reasons) > 0:
		return p.because(s, part, deed.Confirm, why.Reasons)
	case asked == cedar.Allow:
		return p.because(s, part, deed.Confirm, whyAsked.Reasons)
	}
	return p.because(s, part, deed.Deny, whyAsked.Reasons)
}

// because tells a decision by the rules that it comes from, the first of the file first.
func (p *Policy) because(s *situation, part *part, d deed.Decision, reasons []cedar.DiagnosticReason) Decision {
	out := Decision{Decision: d}
	for _, r := range reasons {
		rule := p.rules.get(r.PolicyID)
		out.Contributing = append(out.Contributing, Contribution{Rule: rule.id, At: rule.at, Reason: rule.tell(s, part), Forbids: rule.forbids,
			As: part.kind, On: part.label(), Decision: d})
	}
	if len(out.Contributing) == 0 {
		out.Rule, out.Reason = RuleNone, "no rule permits "+s.as(part)
		return out
	}
	c := out.Contributing[0]
	out.Rule, out.At, out.Reason = c.Rule, c.At, c.Reason
	if as := s.as(part); as != string(s.q.Action.Kind) {
		out.Reason += " (judged as " + as + ")"
	}
	return out
}
