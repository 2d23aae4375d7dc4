package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/gate"
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

// request carries out an http step: written down ahead as every other.
func (at *attempt) request(ctx context.Context, s *deed.HTTPStep) (*deed.Result, error) {
	start := time.Now()
	r := &deed.Result{Action: deed.Action{Kind: deed.KindHTTP, Text: s.URL, Key: s.Method}, Attempts: 1, Settled: true}
	finish := func(err error) (*deed.Result, error) {
		r.Duration = time.Since(start)
		r.Phases.Act = r.Duration
		if err != nil && r.Judgement.Reason == "" {
			r.Judgement.Reason = err.Error()
		}
		return r, err
	}
	id := fmt.Sprintf("http-%d", at.asked)
	at.asked++
	j := at.journal
	if j != nil {
		err := j.Proposed(&deed.Proposal{ID: id, Action: r.Action}, deed.ByCase)
		if err == nil {
			err = j.Decided(id, &gate.Decided{Decision: deed.Allow, Rule: "http", Reason: "it goes to the case's origins alone"})
		}
		if err == nil {
			err = j.Started(id, deed.WayNone, false)
		}
		if err != nil {
			return finish(&deed.Error{Op: "http", Code: deed.CodeOf(err), Err: fmt.Errorf("it cannot be written down, so it is not done: %w", err), SideEffects: deed.EffectsNone})
		}
	}
	at.asks = s.URL
	a, err := at.client().Do(ctx, s)
	switch {
	case errors.Is(err, deed.CodeRefused):
		r.Outcome = deed.OutcomeRefused
	case err != nil:
		r.Outcome = deed.OutcomeFailed
	default:
		r.Signals.Requests = a.Requests
		r.Judgement = deed.Judgement{Verdict: a.Verdict, Basis: deed.BasisExpect, Reason: a.Reason}
		r.Outcome = deed.OutcomeVerified
		for name, raw := range a.Saved {
			at.save(name, raw)
		}
		if a.Verdict != deed.Match {
			r.Outcome, r.Judgement.Basis, r.Judgement.Kind = deed.OutcomeMismatch, "", deed.MismatchUnmet
			err = &deed.Error{Op: "http", Code: deed.CodeMismatch, Where: s.Method + " " + s.URL, Err: errors.New(a.Reason), SideEffects: deed.EffectsPossible}
		}
	}
	at.mask.Result(r)
	err = at.mask.Error(err)
	if j != nil {
		if jerr := j.Finished(id, r, false, err); jerr != nil && err == nil {
			err = &deed.Error{Op: "trace", Code: deed.CodeEnvironment, Err: jerr, SideEffects: deed.EffectsPossible}
		}
	}
	return finish(err)
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
