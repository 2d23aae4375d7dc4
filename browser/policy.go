package browser

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/approve"
	"github.com/deed-dev/deed/internal/budget"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/origin"
	"github.com/deed-dev/deed/internal/page"
	"github.com/deed-dev/deed/internal/policy"
)

// A Policy holds a browser to what trusted configuration opened. It is never made from what a proposer sent. The zero value opens
// nothing.
type Policy struct {
	Origins []string // exact origins: https://pay.example, http://127.0.0.1:8080; the only way to a private address
	Hosts   []string // public hosts, with their subdomains
	Methods []string // of requests: GET HEAD OPTIONS POST PUT PATCH DELETE; nil is GET alone, an empty list lets nothing leave

	// TopOnly holds the pages that a person would see in the address bar to the origins, and lets what they load load: what a case
	// file gets unless it asks for more. Popups, sockets, workers and downloads are then as in any browser.
	TopOnly bool

	// Open holds nothing: any page may be opened and anything may leave, and where there are no rules of its own every action is allowed.
	// What is done is bounded and written down all the same.
	Open bool

	// By is who proposes the actions: [deed.ByAgent], [deed.ByCase], [deed.ByPerson]. Every action then passes the rules below. "" is the
	// program itself: only what leaves the browser is held.
	By, Name  string
	ValueFrom string // where the values of actions come from: [deed.ValueModel], …

	Standard string   // the shipped rules: "agent", or "test"; "" is "test" for a case, else "agent"
	Source   []byte   // rules of your own in Cedar, instead; see docs/policies.md
	File     string   // their name, for messages
	Elements []string // an exact list of the selectors and locators that may be acted on; nil is no list, an empty one is none of all

	Approver Approver     // asked where the rules want a person; nil: such an action is cancelled
	Who      string       // the approver's name, for the trace
	Budget   *Budget      // nil: no bounds
	Journal  gate.Journal // writes down what is done, ahead of it; nil: nothing is
}

// OriginOf returns the origin of an http or https URL, as [Policy] takes it.
func OriginOf(url string) (string, bool) {
	o, err := origin.Of(url)
	if err != nil {
		return "", false
	}
	return o.String(), true
}

// An Approver asks a person about one action, and returns true for a literal yes.
type Approver = approve.Approver

// An ApprovalRequest is what the person is shown.
type ApprovalRequest = approve.Request

// ApproverFunc is a function that asks.
type ApproverFunc = approve.Func

// A Budget bounds what is done: see [NewBudget].
type Budget = budget.Budget

// Limits of a budget; nil is no limit.
type Limits = budget.Limits

// NewBudget makes a budget that may lie within another one: a batch within a session. Fails with [deed.CodeInvalid] for a limit below zero.
func NewBudget(l Limits, within *Budget) (*Budget, error) { return budget.New(l, within, time.Now) }

// rules reads the rules of a policy.
func (p *Policy) rules(e *gate.Egress) (*policy.Policy, error) {
	c := policy.Config{
		Allowed: e.Opens,
		Public: func(url string) bool {
			o, err := origin.Of(url)
			return err == nil && origin.Public(o.Host)
		},
	}
	if p.Elements != nil {
		list, err := policy.NewElements(p.Elements)
		if err != nil {
			return nil, err
		}
		c.Elements = list
	}
	if p.Source != nil {
		rules, err := policy.Load(cmp.Or(p.File, "policy"), p.Source)
		if err != nil {
			return nil, err
		}
		return rules.With(c), nil
	}
	if p.Open && p.Standard == "" {
		rules, err := policy.Load("open", []byte(`@id("open") permit (principal, action, resource);`))
		if err != nil {
			return nil, err
		}
		return rules.With(c), nil
	}
	name := p.Standard
	if name == "" {
		name = policy.Agent
		if p.By == deed.ByCase {
			name = policy.Test
		}
	}
	return policy.Standard(name, c)
}

// NewGate makes the gate of a policy, for the proposals of one batch. Its budget and its journal are the policy's.
func (p *Policy) NewGate() (*gate.Gate, error) {
	e, err := p.egress()
	if err != nil {
		return nil, err
	}
	rules, err := p.rules(e)
	if err != nil {
		return nil, err
	}
	g := &gate.Gate{Policy: rules, Approver: p.Approver, Who: p.Who, Journal: p.Journal, By: p.By, Name: p.Name, From: p.ValueFrom, Egress: e}
	if p.Budget != nil {
		g.Budget = p.Budget
	}
	return g, nil
}

// egress makes the rule of a policy; nil holds nothing. Fails with [deed.CodeInvalid] for entries that open what cannot be opened.
func (p *Policy) egress() (*gate.Egress, error) {
	if p == nil || p.Open {
		return nil, nil
	}
	g, err := origin.ParseGrants(p.Origins, p.Hosts)
	if err != nil {
		return nil, err
	}
	return gate.NewEgress(g, p.Methods, nil)
}

// rule is what a page asks about each thing that is about to leave.
func (p *Page) rule() page.Egress {
	if p.egress == nil {
		return nil
	}
	return func(ctx context.Context, r page.Outgoing) string {
		why := ""
		switch {
		case !p.policy.TopOnly:
			why = p.egress.Why(ctx, r.Method, r.URL)
		case r.Top:
			why = p.egress.Page(ctx, r.URL)
		default:
			return ""
		}
		if why == "" && p.policy.Budget != nil {
			if err := p.policy.Budget.Request(); err != nil {
				why = err.Error()
			}
		}
		return why
	}
}

// resolverArgs keep the browser from looking up any name that is not open: what no interceptor of requests sees (a prefetched
// name, a socket of its own) then leads nowhere. Only a browser that is launched for the policy can be told.
func (p *Policy) resolverArgs() []string {
	if p == nil || p.TopOnly {
		return nil
	}
	rules := []string{"MAP * ~NOTFOUND"}
	for _, h := range p.Hosts {
		rules = append(rules, "EXCLUDE "+h, "EXCLUDE *."+h)
	}
	for _, o := range p.Origins {
		if parsed, err := origin.Parse(o); err == nil {
			rules = append(rules, "EXCLUDE "+parsed.Host)
		}
	}
	return []string{"--host-resolver-rules=" + strings.Join(rules, " , ")}
}

// strict reports whether everything that leaves is held, not only pages.
func (p *Page) strict() bool { return p.egress != nil && !p.policy.TopOnly }
