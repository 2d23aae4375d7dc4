package gate

import (
	"encoding/json"
	"sync"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/trace"
)

// NewJournal writes to a trace. With verbatim, proposals are kept as they were submitted, so that they can be tried again: only for a
// trace that is written unsafe.
func NewJournal(w *trace.Writer, verbatim bool) Journal { return &journal{w: w, verbatim: verbatim} }

type journal struct {
	w        *trace.Writer
	verbatim bool
	step     func() int
}

// NewSteps writes the steps of a case to a trace; step is the one under way, from 1, and 0 before the first.
func NewSteps(w *trace.Writer, step func() int) Journal { return &journal{w: w, step: step} }

func (j *journal) Proposed(p *deed.Proposal, by string) error {
	a := p.Action
	e := &trace.Event{Kind: trace.Proposed, ID: p.ID, Do: &a, By: by, Risk: p.Risk.String()}
	if j.step != nil {
		e.Step = j.step()
	}
	if j.verbatim {
		raw, err := proposal.Encode(p)
		if err != nil {
			return err
		}
		e.Proposal = raw
	}
	return j.w.Write(e)
}

func (j *journal) Decided(id string, d *Decided) error {
	raw, err := json.Marshal(d.Request)
	if err != nil {
		return err
	}
	e := &trace.Event{Kind: trace.Decided, ID: id, Decision: d.Decision.String(), Rule: d.Rule, Reason: d.Reason, Risk: d.Risk.String(), Request: raw, Policy: d.Policy}
	if r := d.Request; r != nil {
		e.Page, e.Undo = r.PageURL, r.Undo
		if r.Element != nil {
			e.Element = &trace.Element{Role: r.Element.Role, Name: r.Element.Name, Region: r.Element.Region}
		}
	}
	return j.w.Write(e)
}

func (j *journal) Confirmed(id string, c *Confirmed) error {
	return j.w.Write(&trace.Event{Kind: trace.Confirmed, ID: id, Answer: c.Answer, By: c.By, Digest: c.Digest, MS: c.Took.Milliseconds()})
}

func (j *journal) Started(id string, way deed.Way, undo bool) error {
	w := string(way)
	if w == "" {
		w = "none"
	}
	return j.w.Write(&trace.Event{Kind: trace.Started, ID: id, Way: w, Undo: undo})
}

func (j *journal) Finished(id string, r *deed.Result, dryRun bool, err error) error {
	s := r.Step(0, err)
	e := &trace.Event{Kind: trace.Finished, ID: id, Outcome: s.Outcome.String(), Verdict: s.Verdict, Basis: string(s.Basis), Code: string(s.Code),
		Reason: s.Reason, Changes: s.Changes, Prevented: s.Prevented, Undone: s.Undone, Blocked: s.Blocked, DurationMS: s.DurationMS, PhasesMS: s.PhasesMS}
	if dryRun {
		e.Outcome, e.Verdict, e.Basis, e.Code = trace.DryRun, "", "", ""
	}
	return j.w.Write(e)
}

// BestEffort writes to a journal as far as that can be done: what cannot be written down is done all the same, and lost is told, the
// first time.
func BestEffort(j Journal, lost func(error)) Journal { return &lossy{j: j, lost: lost} }

type lossy struct {
	j    Journal
	lost func(error)
	once sync.Once
}

func (l *lossy) try(err error) error {
	if err != nil {
		l.once.Do(func() { l.lost(err) })
	}
	return nil
}

func (l *lossy) Proposed(p *deed.Proposal, by string) error { return l.try(l.j.Proposed(p, by)) }
func (l *lossy) Decided(id string, d *Decided) error        { return l.try(l.j.Decided(id, d)) }
func (l *lossy) Confirmed(id string, c *Confirmed) error    { return l.try(l.j.Confirmed(id, c)) }
func (l *lossy) Started(id string, way deed.Way, undo bool) error {
	return l.try(l.j.Started(id, way, undo))
}
func (l *lossy) Finished(id string, r *deed.Result, dryRun bool, err error) error {
	return l.try(l.j.Finished(id, r, dryRun, err))
}
