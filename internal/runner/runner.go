// Package runner runs cases: each in a browser context of its own, step by step, until one step is not proven.
//
// Law of this package: it knows cases and the public browser. It decides nothing about verdicts; it carries steps out
// in order and adds up what became of them.
package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// DefaultCaseTimeout bounds a case that declares no timeout.
const DefaultCaseTimeout = 2 * time.Minute

// Options of a run. The zero value is the default.
type Options struct {
	Timeout time.Duration // of each case that declares none; 0 is DefaultCaseTimeout
	Workers int           // cases at a time; 0 is one
	Repeat  int           // how often each case runs; 0 is once
	Retries int           // how often a case that failed is attempted again, unless it says so itself
	Bail    int           // no case begins after so many that failed; 0 is no bound
	MaxWall time.Duration // of the whole run: what runs then is ended, and nothing else begins; 0 is no bound
	Dir     string        // where the run's folder is made, with its trace, pictures and downloads; "" keeps none

	Locks    Locks            // what is done with the locks beside the case files
	Pictures browser.Pictures // of which steps pictures are kept, in Dir

	// BestEffort does what cannot be written down in the trace all the same, and notes that it was not. By default nothing is done that
	// is not written down first (AP-50).
	BestEffort bool

	// Others are cases that were not asked for: one runs only where a case depends on it and has no session of it to go on with.
	Others   []deed.Case
	Sessions string // the folder for sessions that may be gone on with in later runs; "" keeps none

	Policy     []byte // rules of your own in Cedar, beside the origins that each case names; nil is the policy "test"
	PolicyFile string // their name, for messages

	// Launch starts another browser once the one given ended: its end costs the cases that ran in it an attempt, and no more. Nil: they fail.
	Launch func(ctx context.Context) (*browser.Browser, error)

	// These are called one at a time, for cases that run side by side too.
	OnCase func(*deed.Case)
	OnStep func(*deed.Case, *deed.Step, deed.StepResult)
	OnDone func(*deed.Case, deed.CaseResult)
}

// teardownTime bounds what is cleaned up after a case whose own time is over, or that was interrupted.
const teardownTime = 30 * time.Second

// errWall is why a case ends that ran when the time of the whole run was over.
var errWall = errors.New("the time of the whole run is over")

// Run runs the cases, each in a browser context of its own, and returns their results in their order. A case that fails, hangs or crashes
// its page does not keep the next from running; when the context ends, the rest is cancelled, and what began is still cleaned up.
func Run(ctx context.Context, b *browser.Browser, cases []deed.Case, o Options) *deed.RunResult {
	start := time.Now()
	r := &deed.RunResult{Deed: deed.Format, Run: runID(start), Started: start.UTC().Truncate(time.Millisecond), Browser: b.Product(),
		Workers: max(o.Workers, 1), Outcome: deed.OutcomeVerified, Cases: []deed.CaseResult{}}
	if o.Dir != "" {
		r.Trace = filepath.Join(o.Dir, r.Run, TraceFile)
	}
	h := &house{b: b, launch: o.Launch, byID: map[string]*deed.Case{}, needed: map[string]bool{},
		sessions: &sessions{dir: o.Sessions, product: b.Product(), now: time.Now, live: map[string]*deed.Session{}}}
	defer h.close()
	cases = append(needs(cases, o.Others, h.sessions), cases...)
	for _, list := range [][]deed.Case{o.Others, cases} {
		for i := range list {
			h.byID[list[i].ID] = &list[i]
			for _, id := range list[i].DependsOn {
				h.needed[id] = true
			}
		}
	}
	if o.MaxWall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.MaxWall, errWall)
		defer cancel()
	}
	s := &schedule{o: &o}
	for range max(o.Repeat, 1) {
		s.cases = append(s.cases, cases...)
	}
	files := &lockFiles{}
	attempt := func(ctx context.Context, c *deed.Case, name string, _ int, with *deed.Session) deed.CaseResult {
		at := &attempt{o: &o, run: r.Run, name: name, c: c, start: time.Now(), session: with, needed: h.needed[c.ID], files: files, res: outline(c)}
		at.onStep = func(step *deed.Step, sr deed.StepResult) {
			if o.OnStep != nil {
				s.telling(func() { o.OnStep(c, step, sr) })
			}
		}
		b, err := h.browser(ctx)
		if err != nil {
			at.failed(ctx, err)
		} else {
			at.carryOut(ctx, b)
		}
		if at.left != nil {
			if err := h.sessions.put(c, at.left); err != nil {
				at.res.Notes = append(at.res.Notes, "its session is not kept beyond this run: "+err.Error())
			}
		}
		at.res.DurationMS = time.Since(at.start).Milliseconds()
		return at.res
	}
	s.stored = func(id string) bool {
		d := h.byID[id]
		if d == nil {
			return false
		}
		l, _ := h.sessions.get(d)
		return l != nil
	}
	s.attempt = func(ctx context.Context, c *deed.Case, name string, worker int) deed.CaseResult {
		return h.goOn(ctx, c, name, worker, attempt)
	}
	r.Cases = append(r.Cases, s.run(ctx)...)
	for i := range r.Cases {
		if !r.Cases[i].Quarantine {
			r.Outcome = worse(r.Outcome, r.Cases[i].Outcome)
		}
	}
	r.DurationMS = time.Since(start).Milliseconds()
	return r
}

// A house holds the browser that cases run in, and gets another one where it ended.
type house struct {
	launch func(context.Context) (*browser.Browser, error)

	sessions *sessions
	byID     map[string]*deed.Case
	needed   map[string]bool // ids of cases whose session others go on with

	mu  sync.Mutex
	b   *browser.Browser
	own bool // b was launched here
}

func (h *house) browser(ctx context.Context) (*browser.Browser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.b.Done():
	default:
		return h.b, nil
	}
	if h.launch == nil {
		return h.b, nil // it says itself that it is gone
	}
	b, err := h.launch(ctx)
	if err != nil {
		return nil, err
	}
	h.closeLocked()
	h.b, h.own = b, true
	return b, nil
}

func (h *house) closeLocked() {
	if h.own {
		_ = h.b.Close()
	}
}

func (h *house) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closeLocked()
}

func runID(t time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	var b [4]byte
	_, _ = rand.Read(b[:])
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return t.UTC().Format("20060102-150405-") + string(b[:])
}

// worse is the outcome of a whole whose parts have these outcomes. Already and healed count as verified parts.
func worse(a, b deed.Outcome) deed.Outcome {
	if b.OK() && b != deed.OutcomeHealed {
		b = deed.OutcomeVerified
	}
	return min(a, b)
}
