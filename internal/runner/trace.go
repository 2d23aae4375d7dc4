package runner

import (
	"errors"
	"path/filepath"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/redact"
	"github.com/deed-dev/deed/internal/trace"
)

// TraceFile is the trace of a run, in its folder.
const TraceFile = "trace.jsonl"

// A record is what is written down of one attempt at a case: a run of its own in the trace of the whole run, so that what is masked
// and what is numbered is the case's.
type record struct {
	w    *trace.Writer
	step int // under way; 0 before the first
	lost error
}

// newRecord opens the trace for an attempt; nil where none is kept.
func newRecord(c *deed.Case, run, name string, m *redact.Masker, o *Options) (*record, gate.Journal, error) {
	if o.Dir == "" {
		return nil, nil, nil
	}
	r := &record{}
	var err error
	r.w, err = trace.Create(filepath.Join(o.Dir, run, TraceFile), trace.Options{Run: run + "." + name, Redact: m})
	if err == nil {
		err = r.w.Write(&trace.Event{Kind: trace.Note, What: "case", Reason: c.ID})
	}
	switch {
	case err == nil:
	case o.BestEffort:
		return r.without(err), nil, nil
	default:
		return nil, nil, errors.Join(err, r.close())
	}
	j := gate.NewSteps(r.w, func() int { return r.step })
	if o.BestEffort {
		j = gate.BestEffort(j, func(err error) { r.lost = err })
	}
	return r, j, nil
}

// without goes on with nothing written down.
func (r *record) without(err error) *record {
	r.lost = errors.Join(err, r.close())
	return r
}

func (r *record) at(step int) {
	if r != nil {
		r.step = step
	}
}

// close ends the attempt's part of the trace.
func (r *record) close() error {
	if r == nil || r.w == nil {
		return nil
	}
	w := r.w
	r.w = nil
	return w.Close()
}
