package trace

import (
	"errors"
	"io"
	"slices"

	"github.com/deed-dev/deed"
)

// The codes of problems. Cut short are traces whose run was killed, or that were shortened: nobody can tell which.
const (
	ProblemMalformed  = "malformed" // the line is no record
	ProblemBlank      = "blank"     // the line is empty
	ProblemHash       = "hash"      // the record is not what was written
	ProblemChain      = "chain"     // the record before it is missing, or another one
	ProblemSeq        = "seq"       // the record's number does not increase
	ProblemOrder      = "order"     // it cannot have happened so: begun without a decision, gone on after the end
	ProblemTorn       = "torn"      // cut short: the line was never finished
	ProblemUnended    = "unended"   // cut short: the run does not say that it ended; the line is its last
	ProblemUnreadable = "unreadable"
)

// A Problem is something that is not as it was written.
type Problem struct {
	Line int    `json:"line"`
	Code string `json:"code"`
}

// A Report is what the chain of a trace proves.
type Report struct {
	Events   int       `json:"events"` // whole records
	Runs     int       `json:"runs"`
	Whole    bool      `json:"whole"` // nothing was changed, and no run is cut short
	Problems []Problem `json:"problems,omitempty"`
	InFlight []string  `json:"in_flight,omitempty"` // ids of actions of which no end is told
	Begun    []string  `json:"begun,omitempty"`     // those in flight that had begun, so that there may be effects
	Head     string    `json:"head,omitempty"`      // the hash of the last record: who keeps it can tell whether records at the end are missing
}

// Intact reports whether all that is there is as it was written, though a run may be cut short.
func (r *Report) Intact() bool {
	return !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code != ProblemTorn && p.Code != ProblemUnended })
}

// Verify goes through a trace and tells whether all of it is as it was written. It reads to the end, whatever it finds.
func Verify(r io.Reader) Report {
	var out Report
	problem := func(line int, code string) { out.Problems = append(out.Problems, Problem{line, code}) }
	type run struct {
		seq, line int
		ended     bool
	}
	type key struct{ run, id string }
	runs := map[string]*run{}
	var order []*run
	acts := map[key]*act{}
	var flight []*act
	no := 0
	err := scan(r, func(l *line) error {
		no = l.no
		switch {
		case l.torn:
			problem(l.no, ProblemTorn)
			return nil
		case l.blank:
			problem(l.no, ProblemBlank)
			return nil
		case l.event == nil:
			problem(l.no, ProblemMalformed)
			return nil
		}
		e := l.event
		hash, ok := sealed(l.text)
		if !ok || e.Run == "" {
			problem(l.no, ProblemHash)
		}
		if e.Prev != out.Head {
			problem(l.no, ProblemChain)
		}
		if l.open {
			problem(l.no, ProblemTorn)
		}
		out.Head = hash
		out.Events++
		r := runs[e.Run]
		if r == nil {
			r = new(run)
			runs[e.Run] = r
			order = append(order, r)
		}
		if e.Seq <= r.seq {
			problem(l.no, ProblemSeq)
		}
		r.seq, r.line = max(r.seq, e.Seq), l.no
		if r.ended {
			problem(l.no, ProblemOrder)
		}
		if e.Kind == Note {
			r.ended = r.ended || e.What == NoteEnd
			return nil
		}
		k := key{e.Run, e.ID}
		a := acts[k]
		if a == nil || a.over && e.Kind == Proposed {
			a = &act{id: e.ID}
			acts[k] = a
			flight = append(flight, a)
		}
		if !a.next(e) {
			problem(l.no, ProblemOrder)
		}
		return nil
	})
	if err != nil {
		code := ProblemUnreadable
		if errors.Is(err, deed.CodeInvalid) {
			code = ProblemMalformed
		}
		problem(no+1, code)
	}
	for _, r := range order {
		if !r.ended {
			problem(r.line, ProblemUnended)
		}
	}
	for _, a := range flight {
		if !a.over {
			out.InFlight = append(out.InFlight, a.id)
			if a.begun {
				out.Begun = append(out.Begun, a.id)
			}
		}
	}
	slices.SortStableFunc(out.Problems, func(a, b Problem) int { return a.Line - b.Line })
	out.Runs = len(order)
	out.Whole = len(out.Problems) == 0
	return out
}

// An act is an action as far as its records tell.
type act struct {
	id       string
	proposed bool
	may      bool // it was allowed, or confirmed
	begun    bool
	over     bool // nothing more will come of it
	finished bool
}

// next takes a record and reports whether it can stand there.
func (a *act) next(e *Event) bool {
	ok := !a.over && (a.proposed || e.Kind == Proposed)
	switch e.Kind {
	case Proposed:
		ok = ok && !a.proposed
		a.proposed = true
	case Decided:
		a.may = e.Decision == deed.Allow.String()
		a.over = a.over || e.Decision == deed.Deny.String() && !a.begun
	case Confirmed:
		a.may = e.Answer == Yes
		a.over = a.over || !a.may && !a.begun
	case Started:
		ok = ok && a.may
		a.begun = true
	case Finished:
		ok = ok || a.proposed && !a.may && !a.finished
		a.over = true
		a.finished = true
	}
	return ok
}
