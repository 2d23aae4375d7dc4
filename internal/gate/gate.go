// Package gate is the one gate before every effect: it asks the policy, then a person where the policy wants one, keeps within the
// budget, and writes down what was proposed, decided, confirmed, begun and finished, in that order and ahead of the act.
//
// Law of this package: whatever fails denies. It knows policies, budgets, people and traces; it never knows a browser, and what
// it is asked about has been resolved to one element before.
package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/approve"
	"github.com/deed-dev/deed/internal/policy"
	"github.com/deed-dev/deed/internal/redact"
)

// A Journal writes down what happens, each entry before what it tells of. An entry that cannot be written before an act keeps the
// act from beginning. See internal/trace.
type Journal interface {
	Proposed(p *deed.Proposal, by string) error
	Decided(id string, d *Decided) error
	Confirmed(id string, c *Confirmed) error
	Started(id string, way deed.Way, undo bool) error
	Finished(id string, r *deed.Result, dryRun bool, err error) error
}

// Decided is one decision of the policy.
type Decided struct {
	Decision deed.Decision
	Rule     string
	Reason   string
	Request  *policy.Request // what was decided on
	Risk     deed.Risk       // effective
	Policy   string          // the digest of the rules
}

// Confirmed is what a person answered.
type Confirmed struct {
	Answer string // yes, no, none
	By     string
	Digest string // of what they were shown
	Took   time.Duration
}

// A Budget bounds what is done. See internal/budget.
type Budget interface {
	// Count takes one action, before anything is asked about it.
	Count() error
	// Reserve takes what the action will use, after it was allowed and just before it is done.
	Reserve(a *deed.Action) error
}

// A Gate decides for one page, one action at a time. Its fields are trusted configuration and stay as they are.
type Gate struct {
	Policy   *policy.Policy   // nil denies
	Approver approve.Approver // nil: what a person would have to confirm is cancelled
	Who      string           // the approver's name, for the journal
	Budget   Budget           // nil: no bounds
	Journal  Journal          // nil: nothing is written down
	Mask     *redact.Masker   // of what people are shown; may be nil
	By       string           // who proposes: [deed.ByPerson], [deed.ByAgent], [deed.ByCase]
	Name     string           // of who proposes
	From     string           // where values come from: [deed.ValueModel], …
	Egress   *Egress          // what may leave the pages behind this gate; nil: everything
	Wait     time.Duration    // for a person; 0 is [approve.Waiting]

	mu       sync.Mutex
	now      *deed.Proposal  // under way
	approved map[string]bool // digests that a person said yes to, for the proposal under way
	own      bool            // it was proposed by the asking
	reserved bool            // the budget of the proposal under way is taken
	count    int
}

// Propose begins a proposal: it is counted, and written down, before anything is asked about it.
func (g *Gate) Propose(p *deed.Proposal) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	if p.ID == "" {
		c := *p
		c.ID = fmt.Sprintf("a%d", g.count)
		p = &c
	}
	g.now, g.approved, g.reserved, g.own = p, map[string]bool{}, false, false
	if g.Journal != nil {
		if err := g.Journal.Proposed(p, g.By); err != nil {
			return unwritten(p, err)
		}
	}
	if g.Budget != nil {
		if err := g.Budget.Count(); err != nil {
			return err
		}
	}
	return nil
}

func unwritten(p *deed.Proposal, err error) error {
	return &deed.Error{Op: string(p.Action.Kind), Code: deed.CodeEnvironment, Where: "trace", Err: fmt.Errorf("it cannot be written down, so it is not done: %w", err), SideEffects: deed.EffectsNone}
}

// Decide answers a question of the loop: it is a verify.Decider. An action that nobody proposed is proposed by the asking.
func (g *Gate) Decide(ctx context.Context, q *deed.Question) (deed.Ruling, error) {
	g.mu.Lock()
	p := g.now
	g.mu.Unlock()
	if p == nil {
		if err := g.Propose(&deed.Proposal{Action: *q.Action}); err != nil {
			return deed.Ruling{}, err
		}
		g.mu.Lock()
		p, g.own = g.now, true
		g.mu.Unlock()
	}
	req, err := g.request(p, q)
	if err != nil {
		return deed.Ruling{}, err
	}
	return g.rule(ctx, p, q, req)
}

// DryRun answers for an action that is not going to be done, without any page.
func (g *Gate) DryRun(ctx context.Context) (deed.Ruling, error) {
	g.mu.Lock()
	p := g.now
	g.mu.Unlock()
	if p == nil {
		return deed.Ruling{Reason: "nothing was proposed"}, nil
	}
	a := p.Action
	req := &policy.Request{Principal: g.By, Name: g.Name, Action: &a, Risk: p.Risk, ValueFrom: g.valueFrom(&a), DryRun: true, Unresolved: asked(&a), Confirm: p.Confirm}
	return g.rule(ctx, p, &deed.Question{Action: &a, Target: -1}, req)
}

// request makes what the policy is asked of what the loop asks.
func (g *Gate) request(p *deed.Proposal, q *deed.Question) (*policy.Request, error) {
	return policy.Ask(q, policy.Request{Principal: g.By, Name: g.Name, PageURL: q.URL, Risk: p.Risk, ValueFrom: g.valueFrom(q.Action), Unresolved: asked(q.Action), Confirm: p.Confirm})
}

func (g *Gate) valueFrom(a *deed.Action) string {
	switch {
	case a.Secret != "":
		return deed.ValueSecret
	case a.Text == "" && len(a.Options) == 0 && len(a.Files) == 0:
		return ""
	}
	return g.From
}

// asked is the selector or locator that was asked for, as it was written.
func asked(a *deed.Action) string {
	switch {
	case a.Selector != "":
		return a.Selector
	case !a.Locator.IsZero():
		return a.Locator.String()
	}
	return ""
}

// rule decides, asks a person where that is what the policy wants, reserves and writes down.
func (g *Gate) rule(ctx context.Context, p *deed.Proposal, q *deed.Question, req *policy.Request) (deed.Ruling, error) {
	d := g.Policy.Decide(req)
	r := deed.Ruling{Decision: d.Decision, Rule: d.Rule, Reason: d.Reason}
	if d.Rule != "" {
		r.Reason += " (" + d.Rule + ")"
	}
	if g.Journal != nil {
		if err := g.Journal.Decided(p.ID, &Decided{Decision: d.Decision, Rule: d.Rule, Reason: d.Reason, Request: g.Policy.Record(req), Risk: d.Risk, Policy: g.Policy.Digest()}); err != nil {
			return deed.Ruling{}, unwritten(p, err)
		}
	}
	switch d.Decision {
	case deed.Allow:
	case deed.Confirm:
		asked, err := g.confirm(ctx, p, q, req, &r, d.Risk)
		r.Asked = asked
		if err != nil {
			return r, err
		}
		r.Decision = deed.Allow
	default:
		r.Decision = deed.Deny
		return r, nil
	}
	return r, g.reserve(p, q)
}

// reserve takes what the action uses from the budget, once a proposal, after it was allowed.
func (g *Gate) reserve(p *deed.Proposal, q *deed.Question) error {
	if g.Budget == nil || q.Undo || q.For != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reserved {
		return nil
	}
	if err := g.Budget.Reserve(q.Action); err != nil {
		return err
	}
	g.reserved = true
	return nil
}

// confirm asks a person, once for what they are shown.
func (g *Gate) confirm(ctx context.Context, p *deed.Proposal, q *deed.Question, req *policy.Request, r *deed.Ruling, risk deed.Risk) (asked bool, err error) {
	digest := approve.Digest(q, req.Facts)
	g.mu.Lock()
	yes := g.approved[digest] && digest != ""
	g.mu.Unlock()
	no := func(why string) error {
		return &deed.Error{Op: string(q.Action.Kind), Code: deed.CodeCancelled, Err: errors.New("not confirmed: " + why), Hint: r.Reason, SideEffects: deed.EffectsNone}
	}
	write := func(c *Confirmed) error {
		if g.Journal == nil {
			return nil
		}
		if err := g.Journal.Confirmed(p.ID, c); err != nil {
			return unwritten(p, err)
		}
		return nil
	}
	if yes { // to just this: it is written down beside the decision that it answers
		return false, write(&Confirmed{Answer: "yes", By: g.Who, Digest: digest})
	}
	if g.Approver == nil || digest == "" {
		if err := write(&Confirmed{Answer: "none", Digest: digest}); err != nil {
			return false, err
		}
		return false, no("nobody is there to ask")
	}
	wait := g.Wait
	if wait <= 0 {
		wait = approve.Waiting
	}
	actx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	began := time.Now()
	ok, aerr := g.ask(actx, g.shown(q, req, digest, r, risk))
	c := &Confirmed{Answer: "no", By: g.Who, Digest: digest, Took: time.Since(began)}
	switch {
	case aerr != nil:
		c.Answer = "none"
	case ok:
		c.Answer = "yes"
	}
	if err := write(c); err != nil {
		return true, err
	}
	switch {
	case aerr != nil:
		return true, no("there was no answer")
	case !ok:
		return true, no("the answer was no")
	}
	g.mu.Lock()
	g.approved[digest] = true
	g.mu.Unlock()
	return true, nil
}

// ask asks the approver; one that panics has said nothing.
func (g *Gate) ask(ctx context.Context, r *approve.Request) (yes bool, err error) {
	defer func() {
		if recover() != nil {
			yes, err = false, errors.New("the approver failed")
		}
	}()
	yes, err = g.Approver.Approve(ctx, r)
	return yes && err == nil, err
}

// shown is what a person is shown: the whole action, its text too, and nothing that is secret.
func (g *Gate) shown(q *deed.Question, req *policy.Request, digest string, r *deed.Ruling, risk deed.Risk) *approve.Request {
	a := q.Action
	mask := func(s string) string {
		if g.Mask == nil {
			return s
		}
		return g.Mask.String(s)
	}
	out := &approve.Request{Digest: digest, By: g.By, Action: string(a.Kind), Object: mask(a.Object()), Page: "no page", Risk: risk.String(), Rule: r.Rule, Reason: mask(strings.TrimSuffix(r.Reason, " ("+r.Rule+")"))}
	if g.Name != "" {
		out.By = g.Name
	}
	sensitive := a.Secret != ""
	if req.Element != nil {
		out.Object, out.Near = mask(req.Element.String()), mask(req.Element.Row)
		sensitive = sensitive || req.Element.Sensitive && (a.Kind == deed.KindFill || a.Kind == deed.KindType)
	}
	if s := q.Snapshot; s != nil && s.URL != "" {
		out.Page = mask(fmt.Sprintf("%s %s", s.Title, s.URL))
	}
	if f := req.Facts; f != nil {
		switch {
		case f.Submits:
			out.Leads = mask(f.FormMethod + " " + f.FormAction)
		case f.Href != "":
			out.Leads = mask(f.Href)
		}
	}
	if a.Kind == deed.KindGoto {
		out.Leads = mask(a.Text)
	} else if a.Text != "" {
		out.Text, out.Length = mask(a.Text), utf8.RuneCountInString(a.Text)
		if sensitive {
			out.Text = deed.Redacted
		}
	}
	details, _ := json.Marshal(struct {
		Key     string       `json:"key,omitempty"`
		Options []string     `json:"options,omitempty"`
		Files   []string     `json:"files,omitempty"`
		Drop    *deed.Drop   `json:"to,omitempty"`
		Button  string       `json:"button,omitempty"`
		Dialog  *deed.Answer `json:"dialog,omitempty"`
		Enter   bool         `json:"enter,omitempty"`
		For     string       `json:"for,omitempty"`
		Undo    bool         `json:"undo,omitempty"`
	}{a.Key, a.Options, a.Files, a.Drop, a.Button, a.Dialog, a.Enter, forKind(q.For), q.Undo})
	if string(details) != "{}" {
		out.Details = mask(string(details))
	}
	return out
}

func forKind(a *deed.Action) string {
	if a == nil {
		return ""
	}
	return string(a.Kind)
}

// Started writes down that a gesture begins: it is a verify.Recorder.
func (g *Gate) Started(_ context.Context, q *deed.Question, way deed.Way) error {
	if g.Journal == nil {
		return nil
	}
	g.mu.Lock()
	id := ""
	if g.now != nil {
		id = g.now.ID
	}
	g.mu.Unlock()
	return g.Journal.Started(id, way, q.Undo)
}

// Done ends an action that was proposed by the asking alone: see [Gate.Finish].
func (g *Gate) Done(r *deed.Result, err error) error {
	g.mu.Lock()
	own := g.own
	g.mu.Unlock()
	if !own {
		return nil
	}
	return g.Finish(r, false, err)
}

// Finish ends the proposal that is under way and writes down what became of it. Its error is of the writing: what was done is done.
func (g *Gate) Finish(r *deed.Result, dryRun bool, err error) error {
	g.mu.Lock()
	p := g.now
	g.now, g.approved, g.own = nil, nil, false
	g.mu.Unlock()
	if g.Journal == nil || p == nil {
		return nil
	}
	return g.Journal.Finished(p.ID, r, dryRun, err)
}
