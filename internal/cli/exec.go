package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/approve"
	"github.com/deed-dev/deed/internal/budget"
	"github.com/deed-dev/deed/internal/exec"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/trace"
)

type execOptions struct {
	browserOptions
	execute   bool
	json      bool
	yes       bool
	goOn      bool
	origins   []string
	hosts     []string
	methods   []string
	policy    string
	actions   int
	wait      time.Duration
	wall      time.Duration
	artefacts string
	trace     string
	unsafe    bool
	recorded  []trace.Event // what the run is compared with; nil is nothing
}

func newExec(a *app) *cobra.Command {
	var o execOptions
	c := &cobra.Command{
		Use: "exec PLAN.json", Short: "carry out a plan that somebody else proposes, under policy",
		Long: `Reads a plan (an array of actions, or an object with "actions"; "-" is standard input), decides on each action by
policy, asks at the terminal where the policy wants a person, and stops at the first that is not carried out.

Without --execute it is a dry run: everything is decided and asked for, and no browser starts. With it a browser
is held to what --allow-origin and --allow-host open: pages, and every request of theirs.
` + execStatuses,
		Example: `  deed exec plan.json --allow-host example.com
  deed exec plan.json --execute --allow-origin http://127.0.0.1:8080 --max-actions 20`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.exec(cmd.Context(), args[0], o, cmd.Flags().Changed)
		},
	}
	o.all(c)
	return c
}

// newReplay tries the plan of a trace again, under today's policy.
func newReplay(a *app) *cobra.Command {
	var o execOptions
	var again bool
	c := &cobra.Command{
		Use: "replay FILE", Short: "try the plan of a dry run again under today's policy, or do again what was done",
		Long: `Reads the proposals of a trace and decides on them again: by today's policy, with today's confirmations and bounds. Only the
whole, unmasked trace of a dry run is a plan (deed exec --trace FILE --unsafe-trace): anything else is refused before anything is
decided. What was done for real is never done again by itself.

With --again --execute what was done for real is done once more, in a new browser, and compared with the records action by action:
what was decided, on which element, how it was done, what came of it. The first difference ends it.
` + execStatuses + `
With --again: 5 it came out otherwise.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			events, err := readEvents(args[0])
			if err != nil {
				return err
			}
			read := trace.Replayable
			if again {
				if !o.execute {
					return &deed.Error{Op: "replay", Code: deed.CodeInvalid, Err: errors.New("--again does it again: it needs --execute"), SideEffects: deed.EffectsNone}
				}
				if err := intact(args[0]); err != nil {
					return err
				}
				read, o.recorded = trace.Carried, events
			}
			list, err := read(events, proposal.Decode)
			if err != nil {
				return err
			}
			return a.carryOut(cmd.Context(), &deed.Plan{Proposals: list}, o, cmd.Flags().Changed)
		},
	}
	o.all(c)
	c.Flags().BoolVar(&again, "again", false, "do again what was done, and compare")
	return c
}

// intact refuses a trace that is not as it was written: nothing is compared with that.
func intact(name string) error {
	f, err := openTrace(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if r := trace.Verify(f); !r.Whole {
		return &deed.Error{Op: "replay", Code: deed.CodeInvalid, Where: name, Err: errors.New("it is not as it was written, or cut short"), Hint: "see deed trace verify", SideEffects: deed.EffectsNone}
	}
	return nil
}

// all declares the flags of a plan that is carried out.
func (o *execOptions) all(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.execute, "execute", false, "do it; without this it is a dry run")
	f.StringArrayVar(&o.origins, "allow-origin", nil, "an exact `ORIGIN`, such as http://127.0.0.1:8080; the only way to a private address (repeatable)")
	f.StringArrayVar(&o.hosts, "allow-host", nil, "a public `HOST` with its subdomains (repeatable)")
	f.StringArrayVar(&o.methods, "allow-method", nil, "a `METHOD` of requests that may leave, beside GET (repeatable)")
	f.StringVar(&o.policy, "policy", "", "a Cedar `FILE`, or a shipped policy; default: \"agent\"")
	f.IntVar(&o.actions, "max-actions", 0, "at most `N` actions, refused ones too")
	f.DurationVar(&o.wait, "max-wait", 0, "at most this much waiting in all")
	f.DurationVar(&o.wall, "max-wall", 0, "at most this long in all")
	f.BoolVar(&o.yes, "yes", false, "say yes to everything that a person would be asked")
	f.BoolVar(&o.goOn, "keep-going", false, "go on after an action that was not carried out")
	f.StringVar(&o.artefacts, "artefacts", filepath.Join(".deed", "artefacts"), "the `FOLDER` for pictures")
	f.StringVar(&o.trace, "trace", "", "write what happens to this `FILE`, ahead of it; typed text and addresses are masked")
	f.BoolVar(&o.unsafe, "unsafe-trace", false, "keep the proposals in the trace as they were submitted, so that it can be replayed")
	f.BoolVar(&o.json, "json", false, "the result as one JSON document on standard output")
	o.flags(c)
}

const execStatuses = `
Exit status: 0 all was done and proven, or would be done; 1 something was refused, cancelled or did not match;
2 usage or invalid input; 4 environment (no browser, disconnected); 130 interrupted.`

func (a *app) exec(ctx context.Context, file string, o execOptions, set func(string) bool) error {
	data, err := a.plan(file)
	if err != nil {
		return err
	}
	plan, err := proposal.DecodePlan(data)
	if err != nil {
		return err
	}
	return a.carryOut(ctx, plan, o, set)
}

// carryOut puts a plan through the gate, and does what comes out of it.
func (a *app) carryOut(ctx context.Context, plan *deed.Plan, o execOptions, set func(string) bool) error {
	bad := func(err error) error {
		return &deed.Error{Op: "exec", Code: deed.CodeInvalid, Err: err, SideEffects: deed.EffectsNone}
	}
	if o.execute && len(o.origins) == 0 && len(o.hosts) == 0 {
		return &deed.Error{Op: "exec", Code: deed.CodeInvalid, Err: errors.New("nothing is allowed"), Hint: "name what may be reached: --allow-host example.com, --allow-origin http://127.0.0.1:8080", SideEffects: deed.EffectsNone}
	}
	var limits budget.Limits
	if set("max-actions") {
		limits.Actions = &o.actions
	}
	if set("max-wait") {
		limits.Wait = &o.wait
	}
	if set("max-wall") {
		limits.Wall = &o.wall
	}
	bounds, err := budget.New(limits, nil, time.Now)
	if err != nil {
		return bad(err)
	}
	pol := &browser.Policy{Origins: o.origins, Hosts: o.hosts, By: deed.ByAgent, ValueFrom: deed.ValueModel, Budget: bounds}
	if o.methods != nil {
		pol.Methods = append([]string{"GET"}, o.methods...)
	}
	if pol.File, pol.Source, err = rulesOf(o.policy); err != nil {
		return err
	}
	if o.yes {
		pol.Who, pol.Approver = "--yes", approve.Func(func(context.Context, *approve.Request) (bool, error) { return true, nil })
	} else {
		pol.Who, pol.Approver = "terminal", approve.NewTerminal(a.In, a.Err)
	}
	var written func() ([]trace.Event, error)
	if o.recorded != nil {
		o.unsafe = true // what is compared is the whole
		if o.trace == "" {
			dir, err := os.MkdirTemp("", "deed-replay-")
			if err != nil {
				return &deed.Error{Op: "replay", Code: deed.CodeEnvironment, Err: err, SideEffects: deed.EffectsNone}
			}
			defer func() { _ = os.RemoveAll(dir) }()
			o.trace = filepath.Join(dir, "trace.jsonl")
		}
	}
	if o.trace != "" {
		w, err := trace.Create(o.trace, trace.Options{Unsafe: o.unsafe})
		if err != nil {
			return err
		}
		defer func() {
			if err := w.Close(); err != nil {
				fmt.Fprintf(a.Err, "deed: %v\n", err)
			}
		}()
		pol.Journal = gate.NewJournal(w, o.unsafe)
		written = func() ([]trace.Event, error) {
			events, err := readEvents(o.trace)
			return slices.DeleteFunc(events, func(e trace.Event) bool { return e.Run != w.Run() }), err
		}
	}
	g, err := pol.NewGate()
	if err != nil {
		return err
	}
	x := exec.Options{Gate: g, GoOn: o.goOn, Spent: bounds.Spent}
	if o.execute {
		b, err := a.launchWith(ctx, o.browserOptions, browser.Options{Policy: pol})
		if err != nil {
			return err
		}
		defer func() { // its pages go with it
			if err := b.Close(); err != nil {
				fmt.Fprintf(a.Err, "deed: %v\n", err)
			}
		}()
		page, err := b.NewPage(ctx, browser.PageOptions{Policy: pol, Gate: g})
		if err != nil {
			return err
		}
		x.Do = func(ctx context.Context, act deed.Action) (*deed.Result, error) { return page.Do(ctx, act) }
		x.Keep = func(path string, png []byte) (string, error) { return exec.Keep(o.artefacts, path, png) }
	}
	whole := ctx // without the limit
	if left, ok := bounds.Left(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	told := a.Out
	if o.json {
		told = a.Err
	}
	st := a.style(told)
	x.OnStep = func(s exec.Step) { fmt.Fprintf(told, "%s\n", report.ProposalLine(s.StepResult, s.DryRun, st)) }
	var diverged []trace.Divergence
	if o.recorded != nil {
		tell := x.OnStep
		x.GoOn = true // what was recorded may have gone wrong, and is to go wrong again
		x.OnStep = func(s exec.Step) {
			tell(s)
			var now []trace.Event
			if now, err = written(); err == nil {
				diverged = trace.Compare(trace.First(o.recorded, s.N), now)
			}
		}
		x.Spent = func() error {
			if len(diverged) > 0 || err != nil {
				return errors.Join(errors.New("it came out otherwise"), err)
			}
			return bounds.Spent()
		}
	}
	steps, rerr := exec.Run(ctx, each(plan), x)
	if err = errors.Join(err, rerr); err != nil {
		diverged = nil
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if o.json {
		if err := json.NewEncoder(a.Out).Encode(execResult{Deed: deed.Format, DryRun: !o.execute, Steps: steps, Diverged: diverged}); err != nil {
			return err
		}
	}
	if whole.Err() != nil {
		return exit(statusInterrupted)
	}
	if ctx.Err() != nil {
		fmt.Fprintf(a.Err, "deed: exec: the plan was ended after %v, the most that is allowed in all\n", o.wall)
		return exit(statusMismatch)
	}
	if o.recorded != nil {
		for _, d := range diverged {
			fmt.Fprintf(told, "  %s was %s and is %s\n", d.Field, orNothing(d.Was), orNothing(d.Now))
		}
		if len(diverged) > 0 {
			return exit(statusDiverged)
		}
		fmt.Fprintf(told, "%d actions came out as they were recorded\n", len(steps))
		return nil
	}
	for i := range steps {
		if !steps[i].OK() {
			return exit(statusMismatch)
		}
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return strconv.Quote(s)
}

// execResult is the result of a plan.
type execResult struct {
	Deed   int         `json:"deed"`
	DryRun bool        `json:"dry_run,omitempty"`
	Steps  []exec.Step `json:"steps"`

	Diverged []trace.Divergence `json:"diverged,omitempty"` // from what was recorded
}

func each(p *deed.Plan) iter.Seq2[*deed.Proposal, error] {
	return func(yield func(*deed.Proposal, error) bool) {
		for i := range p.Proposals {
			if !yield(&p.Proposals[i], nil) {
				return
			}
		}
	}
}

// maxPlan bounds what is read of a plan; the decoder has the same bound.
const maxPlan = 16<<20 + 1

// plan reads a plan from a file or from standard input.
func (a *app) plan(file string) ([]byte, error) {
	in := a.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, &deed.Error{Op: "exec", Code: deed.CodeInvalid, Err: err, SideEffects: deed.EffectsNone}
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPlan))
	if err != nil {
		return nil, &deed.Error{Op: "exec", Code: deed.CodeInvalid, Where: file, Err: err, SideEffects: deed.EffectsNone}
	}
	return data, nil
}
