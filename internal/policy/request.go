package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// A Request is one action that somebody asks for, on one resolved element, and all that a policy may know of it. It is what a trace
// records of a decision: its JSON reads back to a request that is decided alike.
type Request struct {
	Principal  string       `json:"principal"`            // [deed.ByPerson], [deed.ByAgent], [deed.ByCase]
	Name       string       `json:"name,omitempty"`       // of who asks
	Action     *deed.Action `json:"action"`               // what is asked for
	For        *deed.Action `json:"for,omitempty"`        // the action that this one is a part of: the click on an option for a select
	Undo       bool         `json:"undo,omitempty"`       // it takes back what was not meant
	Risk       deed.Risk    `json:"risk"`                 // as declared
	Element    *deed.Node   `json:"element,omitempty"`    // the resolved element; nil is the page
	Facts      *deed.Facts  `json:"facts,omitempty"`      // what the page says of the element
	Also       []Reached    `json:"also,omitempty"`       // what else the gesture reaches, as far as is known
	Alone      bool         `json:"alone,omitempty"`      // it is known that Also is all
	PageURL    string       `json:"pageUrl"`              // "" is no page yet
	Target     string       `json:"target,omitempty"`     // a further URL that it leads to, beside those of action and facts
	ValueFrom  string       `json:"valueFrom,omitempty"`  // [deed.ValueGoal], …; "" where there is no value
	Resends    bool         `json:"resends,omitempty"`    // it sends once more what was sent for the page: a reload of the answer to a form
	DryRun     bool         `json:"dryRun,omitempty"`     // nothing will be done
	Unresolved string       `json:"unresolved,omitempty"` // the selector or locator that was asked for, where the action does not say it any more
	Confirm    string       `json:"confirm,omitempty"`    // why the proposer itself wants a person asked

	Given *Given `json:"given,omitempty"` // set by [Policy.Record]; Decide does not read it
}

// Reached is a further element that a gesture may activate: the control of a label, the button of a form that Enter presses, what is
// around or in the element that is clicked, what a drag ends on.
type Reached struct {
	Element *deed.Node  `json:"element"`
	Facts   *deed.Facts `json:"facts,omitempty"`
}

// Given is what trusted configuration said of a request when it was decided: a trace is judged by it where that is not at hand.
type Given struct {
	PageAllowed        bool `json:"pageAllowed"`
	DestinationAllowed bool `json:"destinationAllowed"`
	DestinationPublic  bool `json:"destinationPublic"`
	Listing            bool `json:"listing"`
	Listed             bool `json:"listed"`
}

// MarshalJSON leaves out the text of a secret, and keeps what is decided by.
func (q Request) MarshalJSON() ([]byte, error) {
	type plain Request
	q.Action, q.For = unspoken(q.Action), unspoken(q.For)
	return json.Marshal(plain(q))
}

// unspoken returns the action without the texts of secrets.
func unspoken(a *deed.Action) *deed.Action {
	if a == nil {
		return nil
	}
	b := *a
	if a.Sensitive() && a.Text != "" {
		if (a.Kind == deed.KindType || a.Kind == deed.KindFill) && breaksLine(a.Text) {
			b.Enter = true // the line break in it is Enter
		}
		b.Text = deed.Redacted
	}
	if slices.ContainsFunc(a.Expect, func(e deed.Expect) bool { return e.Secret }) {
		b.Expect = slices.Clone(a.Expect)
		for i := range b.Expect {
			if b.Expect[i].Secret {
				b.Expect[i].Text = deed.Redacted
			}
		}
	}
	return &b
}

// Clone returns a copy that shares nothing with q.
func (q *Request) Clone() *Request {
	if q == nil {
		return nil
	}
	c := *q
	c.Action, c.For = cloneAction(q.Action), cloneAction(q.For)
	c.Element, c.Facts, c.Given = copied(q.Element), copied(q.Facts), copied(q.Given)
	c.Also = slices.Clone(q.Also)
	for i := range c.Also {
		c.Also[i].Element, c.Also[i].Facts = copied(c.Also[i].Element), copied(c.Also[i].Facts)
	}
	return &c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func cloneAction(a *deed.Action) *deed.Action {
	if a == nil {
		return nil
	}
	c := *a
	c.Point, c.Drop, c.Scroll, c.Dialog = copied(a.Point), copied(a.Drop), copied(a.Scroll), copied(a.Dialog)
	c.Options, c.Files, c.Expect = slices.Clone(a.Options), slices.Clone(a.Files), slices.Clone(a.Expect)
	return &c
}

// check reports a request that cannot be decided on, "" for one that can.
func (q *Request) check() string {
	switch {
	case q == nil || q.Action == nil:
		return "there is no action"
	case !known(q.Action.Kind):
		return "the kind of the action is not known"
	case q.For != nil && !known(q.For.Kind):
		return "the kind of the action that it is a part of is not known"
	case entityOf[q.Principal] == "":
		return "who asks is not known"
	case q.Risk < deed.RiskNone || q.Risk > deed.RiskCritical:
		return "the declared risk is not known"
	case q.ValueFrom != "" && !slices.Contains(values, q.ValueFrom):
		return "where the value comes from is not known"
	case q.Element == nil && !q.DryRun && (q.Action.Kind.NeedsElement() || q.Action.Kind == deed.KindPress && !q.Action.Locator.IsZero()):
		return "no element is resolved"
	}
	for i := range q.Also {
		if q.Also[i].Element == nil {
			return "an element that it reaches is missing"
		}
	}
	return ""
}

var values = []string{deed.ValueGoal, deed.ValueSecret, deed.ValuePage, deed.ValueModel, deed.ValueCase}

// asked is the selector or locator that the action was asked for by; "" where it was by anything else: a ref, a point, the focus.
func (q *Request) asked() string {
	a := q.Action
	if q.For != nil {
		a = q.For
	}
	switch {
	case a.Point != nil || a.Ref != "":
		return ""
	case a.Selector != "":
		return a.Selector
	case !a.Locator.IsZero():
		return a.Locator.String()
	}
	return q.Unresolved
}

// A Decision is a policy's answer, with its ground. The zero value denies.
type Decision struct {
	Decision     deed.Decision  `json:"decision"`
	Rule         string         `json:"rule"`             // its @id, or policyN; a word of deed's own where no rule decided
	At           string         `json:"at,omitempty"`     // file:line of the rule
	Reason       string         `json:"reason"`           // for people
	Risk         deed.Risk      `json:"risk"`             // the effective one; 0 where there was nothing to weigh
	Failed       bool           `json:"failed,omitempty"` // it could not be decided, and is denied therefore
	Contributing []Contribution `json:"contributing,omitempty"`
}

// A Contribution is a rule that spoke.
type Contribution struct {
	Rule     string        `json:"rule"`
	At       string        `json:"at,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Forbids  bool          `json:"forbids,omitempty"`
	As       deed.Kind     `json:"as"`           // the kind that the action was judged as
	On       string        `json:"on,omitempty"` // the element; "" is the page
	Decision deed.Decision `json:"decision"`     // what came of it
}

// The rules that are no policy's.
const (
	RuleNone       = "no-rule"    // no rule permits it
	RuleEmpty      = "no-policy"  // there is no policy, or an empty one
	RuleError      = "error"      // a rule could not be evaluated
	RuleRequest    = "request"    // the request says too little
	RuleProposer   = "proposer"   // the proposer wants a person asked
	RuleUnknown    = "unknown"    // a decision that is none
	RuleSideEffect = "may-change" // an answer that a yes turns into a no
)

// Ruling is the decision in the words of the loop.
func (d Decision) Ruling() deed.Ruling {
	return deed.Ruling{Decision: d.Decision, Rule: d.Rule, Reason: d.Reason}
}

func deny(rule, format string, args ...any) Decision {
	return Decision{Decision: deed.Deny, Rule: rule, Reason: fmt.Sprintf(format, args...), Failed: true}
}

// A Decider is anything that decides on requests.
type Decider interface {
	Decide(q *Request) Decision
}

// All is several deciders that must agree: each is asked on a request of its own, the worst answer wins, and of equals the first. A
// decider that is missing, panics or answers with an unknown decision denies; so does an empty list.
type All []Decider

// Decide implements [Decider].
func (l All) Decide(q *Request) Decision {
	if len(l) == 0 {
		return deny(RuleEmpty, "there is no policy")
	}
	var worst Decision
	var all []Contribution
	for i, p := range l {
		d := guarded(p, q.Clone())
		all = append(all, d.Contributing...)
		if i == 0 || d.Decision < worst.Decision {
			worst = d
		}
	}
	worst.Contributing = all
	return worst
}

func guarded(p Decider, q *Request) (d Decision) {
	defer func() {
		if recover() != nil {
			d = deny(RuleError, "the policy could not be evaluated")
		}
	}()
	if p == nil {
		return deny(RuleEmpty, "there is no policy")
	}
	d = p.Decide(q)
	if d.Decision != deed.Allow && d.Decision != deed.Confirm && d.Decision != deed.Deny {
		return deny(RuleUnknown, "the answer of the policy is none")
	}
	if strings.TrimSpace(d.Rule) == "" || strings.TrimSpace(d.Reason) == "" {
		if d.Decision != deed.Deny {
			return deny(RuleUnknown, "the answer of the policy has no rule or no reason")
		}
	}
	return d
}
