package exec_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/approve"
	"github.com/deed-dev/deed/internal/budget"
	"github.com/deed-dev/deed/internal/exec"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/policy"
	"github.com/deed-dev/deed/internal/proposal"
)

// anything permits all; clicking asks a person.
const anything = `
@id("all") permit (principal, action, resource);
@id("ask") forbid (principal, action == Action::"click", resource) unless { context.confirmed };
@id("no-eval") forbid (principal, action == Action::"eval", resource);
`

func rules(t *testing.T) *policy.Policy {
	t.Helper()
	p, err := policy.Load("test.cedar", []byte(anything))
	if err != nil {
		t.Fatal(err)
	}
	return p.With(policy.Config{Allowed: func(string) bool { return true }})
}

func newGate(t *testing.T) *gate.Gate { return &gate.Gate{Policy: rules(t), By: deed.ByAgent} }

// hands are hands of a test: each action passes the gate, as the loop's do.
type hands struct {
	g    *gate.Gate
	done []deed.Action
	fail error
}

func (h *hands) do(ctx context.Context, a deed.Action) (*deed.Result, error) {
	s := &deed.Snapshot{URL: "http://a.example/", Complete: true, Frames: []deed.Frame{{Parent: -1, URL: "http://a.example/"}}, Nodes: []deed.Node{{Element: 1, Parent: -1, Role: "button", Name: "Go"}}}
	q := &deed.Question{Action: &a, Snapshot: s, Target: -1, Ask: func(int) (*deed.Facts, error) { return &deed.Facts{FrameURL: s.URL}, nil }}
	if a.Kind.NeedsElement() {
		q.Target = 0
	}
	res := &deed.Result{Action: a}
	r, err := h.g.Decide(ctx, q)
	if err != nil {
		return res, err
	}
	if r.Decision != deed.Allow {
		return res, &deed.Error{Op: "test", Code: deed.CodeRefused, Err: errors.New(r.Reason)}
	}
	if err := h.g.Started(ctx, q, deed.WayPointer); err != nil {
		return res, err
	}
	h.done = append(h.done, a)
	if h.fail != nil {
		return res, h.fail
	}
	res.Outcome = deed.OutcomeVerified
	res.Judgement = deed.Judgement{Verdict: deed.Match, Basis: deed.BasisState, Reason: "done"}
	return res, nil
}

// source yields proposals and counts how many were read.
func source(read *int, list ...string) iter.Seq2[*deed.Proposal, error] {
	return func(yield func(*deed.Proposal, error) bool) {
		for _, text := range list {
			*read++
			p, err := proposal.Decode([]byte(text))
			if !yield(p, err) {
				return
			}
		}
	}
}

const (
	click   = `{"kind":"click","params":{"locator":{"button":"Go"}}}`
	shot    = `{"kind":"screenshot","params":{}}`
	wait400 = `{"kind":"wait","params":{"milliseconds":400}}`
	wait600 = `{"kind":"wait","params":{"milliseconds":600}}`
	wait1   = `{"kind":"wait","params":{"milliseconds":1}}`
	eval    = `{"kind":"eval","params":{"text":"1"}}`
)

func bounded(t *testing.T, l budget.Limits) *budget.Budget {
	t.Helper()
	b, err := budget.New(l, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAA28_ExactlyOneMoreIsRead(t *testing.T) {
	one := 1
	b := bounded(t, budget.Limits{Actions: &one})
	g := newGate(t)
	g.Budget = b
	h := &hands{g: g}
	read := 0
	steps, err := exec.Run(t.Context(), source(&read, shot, shot, shot), exec.Options{Gate: g, Do: h.do, Spent: b.Spent, GoOn: true})
	if err != nil || read != 2 || len(h.done) != 1 || len(steps) != 2 || steps[1].Outcome != deed.OutcomeRefused || steps[1].Code != deed.CodeBudget {
		t.Errorf("%d read, %d done, %+v, %v", read, len(h.done), steps, err)
	}
}

func TestAA29_AA30_WaitingIsReserved(t *testing.T) {
	second := time.Second
	b := bounded(t, budget.Limits{Wait: &second})
	g := newGate(t)
	g.Budget = b
	h := &hands{g: g}
	read := 0
	steps, _ := exec.Run(t.Context(), source(&read, wait400, wait600, wait1, wait1), exec.Options{Gate: g, Do: h.do, Spent: b.Spent, GoOn: true})
	if read != 3 || len(h.done) != 2 || steps[2].Code != deed.CodeBudget {
		t.Errorf("%d read, %d done", read, len(h.done))
	}
	b = bounded(t, budget.Limits{Wait: &second})
	g = newGate(t)
	g.Budget = b
	h = &hands{g: g, fail: errors.New("it failed")}
	steps, _ = exec.Run(t.Context(), source(&read, wait400, wait600, wait1), exec.Options{Gate: g, Do: h.do, Spent: b.Spent, GoOn: true})
	if len(h.done) != 2 || steps[2].Code != deed.CodeBudget {
		t.Errorf("what failed gave its waiting back: %d done", len(h.done))
	}
}

func TestAA31_WhatIsDeniedReservesNothing(t *testing.T) {
	none := 0
	b := bounded(t, budget.Limits{Typed: &none})
	g := newGate(t)
	g.Policy = g.Policy.With(policy.Config{})
	g.Budget = b
	read := 0
	_, _ = exec.Run(t.Context(), source(&read, eval, eval), exec.Options{Gate: g, GoOn: true})
	if b.Spent() != nil {
		t.Errorf("spent: %v", b.Spent())
	}
}

func TestAA27_NothingButTrueIsAYes(t *testing.T) {
	for name, a := range map[string]approve.Approver{
		"none":   nil,
		"no":     approve.Func(func(context.Context, *approve.Request) (bool, error) { return false, nil }),
		"error":  approve.Func(func(context.Context, *approve.Request) (bool, error) { return true, errors.New("the line broke") }),
		"panics": approve.Func(func(context.Context, *approve.Request) (bool, error) { panic("oops") }),
	} {
		t.Run(name, func(t *testing.T) {
			for _, dry := range []bool{true, false} {
				g := newGate(t)
				g.Approver = a
				h := &hands{g: g}
				o := exec.Options{Gate: g, Do: h.do}
				if dry {
					o.Do = nil
				}
				read := 0
				steps, _ := exec.Run(t.Context(), source(&read, click, shot), o)
				if len(steps) != 1 || steps[0].Outcome != deed.OutcomeCancelled || len(h.done) != 0 {
					t.Errorf("dry %v: %+v", dry, steps)
				}
			}
		})
	}
	g := newGate(t)
	asked := 0
	g.Approver = approve.Func(func(_ context.Context, r *approve.Request) (bool, error) {
		asked++
		r.Digest, r.Object = "", "something else" // what a handler changes is its own
		return true, nil
	})
	h := &hands{g: g}
	read := 0
	steps, _ := exec.Run(t.Context(), source(&read, click), exec.Options{Gate: g, Do: h.do})
	if !steps[0].OK() || asked != 1 || len(h.done) != 1 || h.done[0].Locator.Name != "Go" {
		t.Errorf("%+v, asked %d", steps, asked)
	}
}

// journal is a journal of a test; it fails where it is told to.
type journal struct {
	lines []string
	fail  string
}

func (j *journal) write(line string) error {
	if strings.HasPrefix(line, j.fail) && j.fail != "" {
		return errors.New("no space left")
	}
	j.lines = append(j.lines, line)
	return nil
}
func (j *journal) Proposed(p *deed.Proposal, by string) error {
	return j.write("proposed " + string(p.Action.Kind) + " by " + by)
}
func (j *journal) Decided(_ string, d *gate.Decided) error {
	return j.write("decided " + d.Decision.String() + " " + d.Rule)
}
func (j *journal) Confirmed(_ string, c *gate.Confirmed) error {
	return j.write("confirmed " + c.Answer)
}
func (j *journal) Started(string, deed.Way, bool) error { return j.write("started") }
func (j *journal) Finished(_ string, r *deed.Result, dry bool, _ error) error {
	if dry {
		return j.write("finished dry")
	}
	return j.write("finished " + r.Outcome.String())
}

func TestJournalIsAhead(t *testing.T) {
	g := newGate(t)
	j := &journal{}
	g.Journal = j
	g.Approver = approve.Func(func(context.Context, *approve.Request) (bool, error) { return true, nil })
	h := &hands{g: g}
	read := 0
	if _, err := exec.Run(t.Context(), source(&read, click), exec.Options{Gate: g, Do: h.do}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(j.lines, "; "); got != "proposed click by agent; decided confirm ask; confirmed yes; started; finished verified" {
		t.Errorf("%s", got)
	}
	// What cannot be written down ahead is not done; what can only not be written down afterwards was done (AA-37).
	for _, fail := range []string{"proposed", "decided", "confirmed", "started"} {
		g := newGate(t)
		g.Journal = &journal{fail: fail}
		g.Approver = approve.Func(func(context.Context, *approve.Request) (bool, error) { return true, nil })
		h := &hands{g: g}
		steps, _ := exec.Run(t.Context(), source(&read, click), exec.Options{Gate: g, Do: h.do})
		if len(h.done) != 0 || steps[0].OK() {
			t.Errorf("%s could not be written, and it was done: %+v", fail, steps)
		}
	}
}

func TestAA37_WhatWasDoneStaysDone(t *testing.T) {
	g := newGate(t)
	g.Journal = &journal{fail: "finished"}
	h := &hands{g: g}
	read := 0
	steps, _ := exec.Run(t.Context(), source(&read, shot), exec.Options{Gate: g, Do: h.do})
	if !steps[0].OK() || steps[0].Outcome != deed.OutcomeVerified || steps[0].AuditError == "" {
		t.Errorf("%+v", steps[0])
	}
	out, err := json.Marshal(steps[0])
	if err != nil || !strings.Contains(string(out), "audit_error") {
		t.Errorf("%s %v", out, err)
	}
}

func TestAA45_AA46_AA47_Pictures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "artefacts")
	for _, bad := range []string{"../x.png", "/x.png", `a\b.png`, "x.jpg", "x.png\n", "x\x00.png", "a/../../x.png", "~/a.png"} {
		if _, err := exec.Keep(dir, bad, []byte("x")); err == nil {
			t.Errorf("%q was written", bad)
		}
	}
	name, err := exec.Keep(dir, "a/b.png", []byte("one"))
	if err != nil || name != "a/b.png" {
		t.Fatal(name, err)
	}
	if _, err := exec.Keep(dir, "a/b.png", []byte("two")); err == nil {
		t.Error("it was written over")
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere.png"), filepath.Join(dir, "link.png")); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.Keep(dir, "link.png", []byte("two")); err == nil {
		t.Error("it was written through a link")
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.Keep(dir, "out/x.png", []byte("two")); err == nil {
		t.Error("it was written outside")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a", "b.png")); err != nil || string(b) != "one" {
		t.Errorf("%q %v", b, err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "a"): 0o700, filepath.Join(dir, "a", "b.png"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if name, err := exec.Keep(dir, "", []byte("x")); err != nil || !strings.HasSuffix(name, ".png") {
		t.Errorf("%q %v", name, err)
	}
}

// Enter after a text is an action of its own, and passes the gate like one.
func TestEnterIsDecidedToo(t *testing.T) {
	g := newGate(t)
	p, err := policy.Load("p.cedar", []byte(`permit (principal, action, resource); @id("no-press") forbid (principal, action == Action::"press", resource);`))
	if err != nil {
		t.Fatal(err)
	}
	g.Policy = p.With(policy.Config{Allowed: func(string) bool { return true }})
	h := &hands{g: g}
	read := 0
	steps, _ := exec.Run(t.Context(), source(&read, `{"kind":"type","params":{"text":"x","locator":{"button":"Go"},"press_enter":true}}`), exec.Options{Gate: g, Do: h.do})
	if steps[0].Outcome != deed.OutcomeRefused {
		t.Errorf("%+v", steps[0])
	}
	for _, a := range h.done {
		if a.Kind == deed.KindPress {
			t.Error("Enter was pressed")
		}
	}
}

// What hands say in their own words may hold anything, so it is not passed on.
func TestAA35_ErrorsOfTheHandsAreNotRepeated(t *testing.T) {
	for name, do := range map[string]func(context.Context, deed.Action) (*deed.Result, error){
		"an error": func(context.Context, deed.Action) (*deed.Result, error) {
			return &deed.Result{}, errors.New("login as canary-secret failed")
		},
		"a panic": func(context.Context, deed.Action) (*deed.Result, error) { panic("canary-secret") },
	} {
		g := newGate(t)
		j := &journal{}
		g.Journal = j
		read := 0
		steps, err := exec.Run(t.Context(), source(&read, shot), exec.Options{Gate: g, Do: do})
		out, merr := json.Marshal(steps)
		if err != nil || merr != nil || strings.Contains(string(out)+strings.Join(j.lines, " "), "canary") || steps[0].Code != deed.CodeInternal || steps[0].Outcome != deed.OutcomeFailed {
			t.Errorf("%s: %s %v", name, out, err)
		}
	}
}

// Hands that answer nothing have failed, and that is written down too.
func TestAA36_NoAnswerIsAFailure(t *testing.T) {
	g := newGate(t)
	j := &journal{}
	g.Journal = j
	read := 0
	steps, _ := exec.Run(t.Context(), source(&read, shot), exec.Options{Gate: g, Do: func(context.Context, deed.Action) (*deed.Result, error) { return nil, nil }})
	if steps[0].OK() || steps[0].Outcome != deed.OutcomeFailed || j.lines[len(j.lines)-1] != "finished failed" {
		t.Errorf("%+v %v", steps[0], j.lines)
	}
}
