package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

const evalTime = 20 * time.Second

// A trial is one act on one page with one fault.
type trial struct {
	N        int
	Fault    string
	Declared bool
	On       string // style/via, or the case file's step

	made    *made
	foreign *foreign
	harm    harm
}

// A class says how a verdict stands to what happened.
type class int

const (
	void        class = iota // it could not be carried out
	agreed                   // match, and the right effect happened
	falseAccept              // match, and it did not
	refused                  // no match, and it did not happen, or the fault makes it doubtful
	needless                 // no match, although the right effect happened
)

// A finding is what became of a trial.
type finding struct {
	*trial
	Class  class
	Later  bool // of a false accept: the right effect stood when the verdict was given, the page spoiled it afterwards
	Unseen bool // of a false accept: the page and what it asked for look exactly as after the right effect
	Basis  deed.Basis
	Why    string // reason of the verdict
	Detail string // the whole story, where the verdict is wrong
}

// A harness holds all that trials need.
type harness struct {
	ctx     context.Context
	srv     *server
	b       *browser.Browser
	foreign []foreign
	pages   chan *browser.Page // those at rest
	mu      sync.Mutex
}

// newHarness starts the browser and finds the acts of the case files; of is how many case files it takes, 0 for all.
func newHarness(ctx context.Context, testdata string, pages, of int) (*harness, error) {
	srv, err := serve(testdata)
	if err != nil {
		return nil, err
	}
	b, err := browser.Launch(ctx, browser.Options{Width: 1000, Height: 700})
	if err != nil {
		srv.close()
		return nil, err
	}
	k := &harness{ctx: ctx, srv: srv, b: b, pages: make(chan *browser.Page, pages)}
	for range pages {
		k.pages <- nil
	}
	all, err := sources(testdata, srv)
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	if of > 0 && of < len(all) {
		all = all[:of]
	}
	found := make([][]foreign, len(all))
	err = k.each(len(all), func(i, _ int, p *browser.Page) (err error) {
		found[i], err = acts(ctx, p, &all[i])
		return err
	})
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	k.foreign = slices.Concat(found...)
	return k, nil
}

func (k *harness) close() error {
	k.srv.close()
	return k.b.Close()
}

// each carries out n jobs on as many pages as there are. A page that a job could not use is replaced.
func (k *harness) each(n int, job func(i, worker int, p *browser.Page) error) error {
	var hands sync.WaitGroup
	jobs := make(chan int)
	for w := range cap(k.pages) {
		hands.Go(func() {
			var p *browser.Page
			defer func() {
				if p != nil {
					_ = p.Close()
				}
			}()
			for i := range jobs {
				if p == nil {
					var err error
					if p, err = k.b.New(k.ctx); err != nil {
						p = nil
						continue // the jobs are counted: one that has no result is void
					}
				}
				if err := job(i, w, p); err != nil {
					_ = p.Close()
					p = nil
				}
			}
		})
	}
	for i := range n {
		if k.ctx.Err() != nil {
			break
		}
		jobs <- i
	}
	close(jobs)
	hands.Wait()
	return k.ctx.Err()
}

// plan makes up trials: runs with a fault of substance, as many untouched or late, each on both sides.
func (k *harness) plan(runs int, seed uint64) []trial {
	r := rand.New(rand.NewPCG(seed, 7))
	var out []trial
	add := func(fault string, n int, declared bool) {
		t := k.trial(r, fault, n)
		t.Declared = declared
		t.N = len(out)
		out = append(out, t)
	}
	for i := range runs {
		for _, declared := range []bool{true, false} {
			add(substantial[i%len(substantial)], i/len(substantial), declared)
			switch i % 4 {
			case 0:
				add(late, i, declared)
			case 1, 2:
				add(untouched, i, declared)
			}
		}
	}
	return out
}

// trial makes up one: on a page of our own, every fourth on one of the case files.
func (k *harness) trial(r *rand.Rand, fault string, n int) trial {
	common := slices.Contains(foreignFaults, fault) || fault == untouched || fault == late
	if n%4 == 3 && common && len(k.foreign) > 0 {
		for range 50 {
			f := &k.foreign[r.IntN(len(k.foreign))]
			kind := f.steps[f.at].Kind
			if fault == wrongValue || fault == focusStolen {
				if kind != deed.KindFill {
					continue
				}
			} else if kind == deed.KindFill && fault != dropped && fault != untouched {
				continue
			}
			t := trial{Fault: fault, On: fmt.Sprintf("%s step %d", f.name, f.at+1), foreign: f}
			if fault != untouched {
				t.harm.events = eventFault(r, fault)
			}
			return t
		}
	}
	for {
		style := pick(r, styles...)
		via := pick(r, vias(style)...)
		if !fits(fault, style, via) {
			continue
		}
		m := makePage(r, style, via)
		t := trial{Fault: fault, On: style + ", " + via, made: m}
		if fault != untouched {
			t.harm = harmMade(r, fault, m)
		}
		return t
	}
}

// run carries out trials.
func (k *harness) run(trials []trial, progress func(done int)) ([]finding, error) {
	out := make([]finding, len(trials))
	done := 0
	for i := range trials {
		out[i].trial = &trials[i]
	}
	err := k.each(len(trials), func(i, worker int, p *browser.Page) error {
		var err error
		if trials[i].made != nil {
			err = k.onMade(&out[i], worker, p)
		} else {
			err = k.onForeign(&out[i], p)
		}
		if err != nil {
			out[i].Class, out[i].Detail = void, err.Error()
		}
		k.mu.Lock()
		done++
		progress(done)
		k.mu.Unlock()
		return err
	})
	return out, err
}

// onMade is a trial on a page of our own.
func (k *harness) onMade(f *finding, worker int, p *browser.Page) error {
	m := f.made
	k.srv.lay(worker, &desk{document: m.document()})
	if _, err := p.Goto(k.ctx, k.srv.url(fmt.Sprintf("/w/%d/?%d", worker, f.N))); err != nil {
		return err
	}
	var want string
	js := fmt.Sprintf("(() => { const want = __truth.plan(%s); %s return want; })()", literal(m.op), f.harm.script())
	if _, err := p.Eval(k.ctx, js, &want, browser.Timeout(evalTime)); err != nil {
		return err
	}
	k.srv.arm(worker, f.harm.refuse, f.harm.delay)
	a := m.action
	if f.Declared {
		a.Expect = m.expect
	}
	res, err := p.Do(k.ctx, a)
	if k.ctx.Err() != nil {
		return k.ctx.Err()
	}
	var atOnce, got string
	if _, err := p.Eval(k.ctx, "__truth.now()", &atOnce, browser.Timeout(evalTime)); err != nil {
		return err
	}
	wasRight := k.right(m, worker, atOnce == want)
	if err := k.spent(p, &f.harm); err != nil {
		return err
	}
	if _, err := p.Eval(k.ctx, "__truth.idle().then(() => __truth.now())", &got, browser.Timeout(evalTime)); err != nil {
		return err
	}
	accepted, no := k.srv.taken(worker)
	f.judge(res, err, k.right(m, worker, got == want),
		fmt.Sprintf("harm    %s\nwanted  %s\nhas     %s\nserver  accepted %v, refused %d\n", harmText(&f.harm), want, got, accepted, no))
	if f.Class != falseAccept {
		return nil
	}
	f.Later = wasRight
	view, verr := viewOf(k.ctx, p, res)
	if verr != nil {
		return nil
	}
	// The same page once more, unharmed: does it look any different?
	k.srv.lay(worker, &desk{document: m.document()})
	if _, err := p.Goto(k.ctx, k.srv.url(fmt.Sprintf("/w/%d/?%d", worker, f.N))); err != nil {
		return err
	}
	if res, err = p.Do(k.ctx, a); err != nil {
		return nil
	}
	if honest, err := viewOf(k.ctx, p, res); err == nil {
		f.Unseen = view == honest
	}
	return nil
}

// spent waits until a fault of events has nothing more to come. A page that went elsewhere took it along.
func (k *harness) spent(p *browser.Page, h *harm) error {
	for left := 1; h.events != nil && left > 0; {
		if _, err := p.Eval(k.ctx, "window.__fault ? __fault() : 0", &left, browser.Timeout(evalTime)); err != nil {
			return err
		}
		if left > 0 {
			pause(k.ctx, 50*time.Millisecond)
		}
	}
	return nil
}

// right reports whether the right effect has happened, and only that: in the page, and at the server where the page asks one.
// What leaves things as they are when it is done again may be done again.
func (k *harness) right(m *made, worker int, page bool) bool {
	accepted, refused := k.srv.taken(worker)
	if !page || refused > 0 {
		return false
	}
	if m.spec.Via != "fetch" && m.spec.Via != "optimistic" || m.spec.Style == "toggles" {
		return true
	}
	if m.op[0] == "open" || m.op[0] == "follow" || m.op[0] == "archive" {
		accepted = slices.Compact(slices.Clone(accepted))
	}
	return slices.Equal(accepted, []string{literal(m.op)})
}

// viewOf is all that can be seen of an act from outside: the page, and what it asked for.
func viewOf(ctx context.Context, p *browser.Page, res *deed.Result) (string, error) {
	s, err := p.Observe(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range s.Nodes {
		n := &s.Nodes[i]
		fmt.Fprintln(&b, n.Role, n.Name, n.Value, n.States&^deed.Focused, n.Parent)
	}
	for _, r := range res.Signals.Requests {
		fmt.Fprintln(&b, r.Method, r.URL, r.Status)
	}
	fmt.Fprintln(&b, s.URL, s.Title)
	return b.String(), nil
}

// onForeign is a trial on a page of a case file.
func (k *harness) onForeign(f *finding, p *browser.Page) error {
	c := f.foreign
	if _, err := p.Goto(k.ctx, c.start); err != nil {
		return err
	}
	for name, value := range c.secrets {
		p.Mask(name, value)
	}
	for i := range c.at {
		if _, err := p.Do(k.ctx, c.steps[i]); err != nil {
			return fmt.Errorf("step %d, before the fault: %w", i+1, err)
		}
	}
	if js := f.harm.script(); js != "" {
		if _, err := p.Eval(k.ctx, js+" null", nil, browser.Timeout(evalTime)); err != nil {
			return err
		}
	}
	var res *deed.Result
	var err error
	for i := c.at; i <= c.last && err == nil; i++ {
		a := c.steps[i]
		if !f.Declared {
			if a.Kind == deed.KindExpect {
				continue
			}
			if a.Kind != deed.KindWait {
				a.Expect = nil
			}
		}
		res, err = p.Do(k.ctx, a)
		if k.ctx.Err() != nil {
			return k.ctx.Err()
		}
	}
	atOnce, ferr := fingerprint(k.ctx, p, c.record)
	if ferr != nil {
		return ferr
	}
	if err := k.spent(p, &f.harm); err != nil {
		return err
	}
	pause(k.ctx, c.settle)
	got, ferr := fingerprint(k.ctx, p, c.record)
	if ferr == nil && got != c.want && err == nil {
		pause(k.ctx, time.Second) // the record may follow the page
		got, ferr = fingerprint(k.ctx, p, c.record)
	}
	if ferr != nil {
		return ferr
	}
	f.judge(res, err, got == c.want, fmt.Sprintf("harm    %s\n", harmText(&f.harm)))
	if f.Class != falseAccept {
		return nil
	}
	f.Later = atOnce == c.want
	view, verr := viewOf(k.ctx, p, res)
	if verr != nil {
		return nil
	}
	if _, err := p.Goto(k.ctx, c.start); err != nil {
		return err
	}
	for i := 0; i <= c.last; i++ {
		if res, err = p.Do(k.ctx, c.steps[i]); err != nil {
			return nil
		}
	}
	pause(k.ctx, c.settle)
	if honest, err := viewOf(k.ctx, p, res); err == nil {
		f.Unseen = view == honest
	}
	return nil
}

// judge compares the verdict with what really happened.
func (f *finding) judge(res *deed.Result, err error, right bool, story string) {
	f.Basis, f.Why = res.Judgement.Basis, res.Judgement.Reason
	if err != nil && f.Why == "" {
		f.Why = err.Error()
	}
	switch {
	case err == nil && right:
		f.Class = agreed
	case err == nil:
		f.Class = falseAccept
	case f.Fault == untouched, f.Fault == late && (right || res.Undone > 0):
		f.Class = needless
	case right && res.Undone == 0:
		f.Class = needless
	default:
		f.Class = refused
	}
	if f.Class == falseAccept || f.Class == needless {
		f.Detail = story + res.Explain()
		if err != nil {
			f.Detail += "error   " + err.Error() + "\n"
		}
	}
}

func harmText(h *harm) string {
	data, _ := json.Marshal(map[string]any{"hooks": h.hooks, "events": h.events, "refuse": h.refuse, "delay_ms": h.delay.Milliseconds()})
	return string(data)
}

// defaultPages waits more than it computes: an act that is refused takes three to five seconds.
func defaultPages() int { return 4 * runtime.NumCPU() }
