package runner

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/httpstep"
)

// client makes the requests of the case's http steps. They go to the origins that the case names; a case that names none may ask
// the server that a step names, and be sent nowhere else.
func (at *attempt) client() *httpstep.Client {
	if at.http == nil {
		at.http = httpstep.New(func(ctx context.Context, method, url string) string {
			if e := at.gate.Egress; e != nil {
				return e.Why(ctx, method, url)
			}
			own, _ := browser.OriginOf(at.asks)
			if to, ok := browser.OriginOf(url); !ok || to != own {
				return "the origin is not allowed"
			}
			return ""
		})
	}
	return at.http
}

// request carries out an http step, through the gate that every step passes: decided on, and written down ahead.
func (at *attempt) request(ctx context.Context, s *deed.HTTPStep) (*deed.Result, error) {
	start := time.Now()
	r := &deed.Result{Action: deed.Action{Kind: deed.KindHTTP, Text: s.URL, Key: s.Method}, Settled: true}
	err := at.ask(ctx, s, r)
	r.Duration = time.Since(start)
	r.Phases.Act = r.Duration - r.Phases.Decide
	at.mask.Result(r)
	if err = at.mask.Error(err); err != nil && r.Judgement.Reason == "" {
		r.Judgement.Reason = err.Error()
	}
	if jerr := at.gate.Finish(r, false, err); jerr != nil && err == nil {
		err = &deed.Error{Op: "trace", Code: deed.CodeEnvironment, Err: jerr, SideEffects: deed.EffectsPossible}
	}
	return r, err
}

// ask has the request decided on, makes it and judges the answer.
func (at *attempt) ask(ctx context.Context, s *deed.HTTPStep, r *deed.Result) error {
	refused := func(reason string) error {
		r.Outcome = deed.OutcomeRefused
		return &deed.Error{Op: "http", Code: deed.CodeRefused, Where: r.Action.Object(), Err: errors.New("refused by policy: " + reason), SideEffects: deed.EffectsNone}
	}
	began := time.Now()
	asked := r.Action
	q := &deed.Question{Action: &asked, Target: -1}
	err := at.gate.Propose(&deed.Proposal{Action: asked})
	if err == nil {
		r.Ruling, err = at.gate.Decide(ctx, q)
	}
	r.Phases.Decide = time.Since(began)
	switch {
	case err != nil:
		if errors.Is(err, deed.CodeCancelled) {
			r.Outcome = deed.OutcomeCancelled
		}
		return err
	case r.Ruling.Decision != deed.Allow:
		return refused(r.Ruling.Reason)
	}
	if err := at.gate.Started(ctx, q, deed.WayNone); err != nil {
		return err
	}
	at.asks, r.Attempts = s.URL, 1
	a, err := at.client().Do(ctx, s)
	switch {
	case errors.Is(err, deed.CodeRefused): // a redirect, or where the name leads
		r.Outcome = deed.OutcomeRefused
		return err
	case err != nil:
		return err
	}
	r.Signals.Requests = a.Requests
	if a.Verdict != deed.Match {
		r.Outcome, r.Judgement = deed.OutcomeMismatch, deed.Judgement{Verdict: a.Verdict, Kind: deed.MismatchUnmet, Reason: a.Reason}
		return &deed.Error{Op: "http", Code: deed.CodeMismatch, Where: r.Action.Object(), Err: errors.New(a.Reason), SideEffects: deed.EffectsPossible}
	}
	r.Outcome, r.Judgement = deed.OutcomeVerified, deed.Judgement{Verdict: a.Verdict, Basis: deed.BasisExpect, Reason: a.Reason}
	for name, raw := range a.Saved {
		at.save(name, raw)
	}
	return nil
}

// save keeps a value for the steps that come, and, masked, for the result.
func (at *attempt) save(name string, raw json.RawMessage) {
	if at.values == nil {
		at.values, at.res.Saved = map[string]string{}, map[string]json.RawMessage{}
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	at.values[name] = text
	at.res.Saved[name], _ = at.mask.Value(json.RawMessage(append([]byte(nil), raw...))).(json.RawMessage)
}
