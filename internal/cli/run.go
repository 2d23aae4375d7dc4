package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/history"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/runner"
)

type runOptions struct {
	browserOptions
	choiceOptions
	json    bool
	vars    []string
	baseURL string
	tags    []string
	timeout time.Duration
	policy  string
	lossy   bool
	workers int
	retries int
	repeat  int
	bail    int
	wall    time.Duration
	shots   string
	reports []string
	frozen  bool
	update  bool
	noLock  bool
	api     string
	secrets []string
}

func newRun(a *app) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use: "run FILE|DIR…", Short: "run cases and prove every step",
		Long: `Runs the cases of the files, and of the folders' *.deed.yaml, several at a time, each in a browser context of
its own. A case ends at the first step that is not proven. Files are read whole before any browser starts:
every mistake in them is reported with file, line and column, and a case that cannot be read is one that failed; the
others are run all the same.

--from-api reads cases in JSON from an address: one, a list, or the "cases" of an object. Where the variable
DEED_API_TOKEN is set, it is sent there as a bearer token. Of the secrets such cases get those that --secret names.

Secrets come from the environment or from .env.local, and appear in no output.
` + statuses,
		Example: `  deed run shop.deed.yaml
  deed run cases/ --base-url http://localhost:8080 --tag smoke
  deed run shop.deed.yaml --json > result.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && o.api == "" {
				return errors.New("a case file or a folder is missing")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			vars, err := parseVars(o.vars)
			if err != nil {
				return err
			}
			if _, err := parseReporters(o.reports); err != nil {
				return err
			}
			return a.run(cmd.Context(), args, vars, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "the result as one JSON document on standard output, progress on standard error")
	f.StringVar(&o.api, "from-api", "", "cases from an address, a `URL`, besides those of files")
	f.StringArrayVar(&o.secrets, "secret", nil, "the `NAME` of a secret that cases from an address may use (repeatable)")
	f.StringArrayVar(&o.vars, "var", nil, "a variable, `K=V`; stronger than the case's own vars (repeatable)")
	f.StringVar(&o.baseURL, "base-url", "", "the variable BASE_URL, a `URL`")
	f.StringArrayVar(&o.tags, "tag", nil, "only cases with this `TAG` (repeatable: any of them)")
	f.StringArrayVar(&o.reports, "reporter", nil, reporterUsage)
	f.DurationVar(&o.timeout, "timeout", runner.DefaultCaseTimeout, "of each case that says none itself")
	f.IntVar(&o.workers, "workers", 0, "`N` cases at a time (default: one a core)")
	f.IntVar(&o.retries, "retries", 0, "attempt a case that failed up to `N` times more; one that passes then is flaky")
	f.IntVar(&o.repeat, "repeat", 1, "run each case `N` times")
	f.IntVar(&o.bail, "bail", 0, "begin no case after `N` that failed")
	f.Lookup("bail").NoOptDefVal = "1"
	f.DurationVar(&o.wall, "max-wall", 0, "of the whole run: what runs then is ended, and nothing else begins")
	f.BoolVar(&o.frozen, "frozen", false, "compare with the locks, but write and heal nothing (default where CI=true)")
	f.BoolVar(&o.update, "update-effects", false, "accept what diverges from the locks, and tell it")
	f.BoolVar(&o.noLock, "no-lock", false, "neither read nor write locks")
	f.StringVar(&o.shots, "shots", "failed", "keep pictures of `WHICH` steps: none, failed, all")
	f.StringVar(&o.policy, "policy", "", "a Cedar `FILE` that every step has to pass, or a shipped policy; default: \"test\"")
	f.BoolVar(&o.lossy, "best-effort-trace", false, "do what cannot be written down in the trace all the same")
	o.choiceOptions.flags(c)
	o.browserOptions.flags(c)
	return c
}

func parseVars(list []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, v := range list {
		k, value, ok := strings.Cut(v, "=")
		if !ok || k == "" {
			return nil, &deed.Error{Op: "run", Where: "--var " + v, Code: deed.CodeInvalid, Err: errors.New("a variable is written NAME=value")}
		}
		vars[k] = value
	}
	return vars, nil
}

func (a *app) run(ctx context.Context, paths []string, vars map[string]string, o runOptions) (err error) {
	keep, err := history.ParseKeep(o.keep)
	if err != nil {
		return err
	}
	reading := casefile.Options{Secrets: o.secrets, Vars: vars, LookupEnv: a.LookupEnv, BaseURL: o.baseURL}
	cases, problems := casefile.Load(paths, reading)
	if o.api != "" {
		more, bad := casefile.LoadAPI(ctx, o.api, cases, reading)
		cases, problems = append(cases, more...), append(problems, bad...)
	}
	if cases = tagged(cases, o.tags); len(cases)+len(problems) > 0 {
		if cases, problems, err = a.choose(ctx, cases, problems, &o.choiceOptions); err != nil {
			return err
		}
		if len(cases)+len(problems) == 0 {
			return a.nothingToDo(&o)
		}
	}
	cases, others, dropped := casefile.Runnable(cases, problems, reading)
	problems = append(problems, dropped...)
	if len(cases) == 0 && len(problems) > 0 {
		return a.reject(problems, o.json, o.reports)
	}
	if len(cases) == 0 {
		return &deed.Error{Op: "run", Code: deed.CodeInvalid, Err: fmt.Errorf("no case has the tag %s", strings.Join(o.tags, " or "))}
	}
	locks := runner.LocksKept
	ci, _ := a.LookupEnv("CI")
	switch {
	case o.frozen && o.update:
		return &deed.Error{Op: "run", Code: deed.CodeInvalid, Err: errors.New("--frozen writes nothing, and --update-effects writes"), Hint: "leave out one of them"}
	case o.noLock:
		locks = runner.LocksNone
	case o.update:
		locks = runner.LocksUpdate
	case o.frozen || ci == "true":
		locks = runner.LocksFrozen
	}
	pictures, ok := map[string]browser.Pictures{"none": browser.PicturesNone, "failed": browser.PicturesFailed, "all": browser.PicturesAll}[o.shots]
	if !ok {
		return &deed.Error{Op: "run", Where: "--shots " + o.shots, Code: deed.CodeInvalid, Err: errors.New("it is none, failed or all")}
	}
	rulesFile, rules, err := rulesOf(o.policy)
	if err != nil {
		return err
	}
	b, err := a.launch(ctx, o.browserOptions)
	if err != nil {
		if o.json {
			err = errors.Join(err, report.JSON(a.Out, nothingRan(deed.ProblemResult{Message: err.Error(), Hint: deed.HintOf(err)})))
		}
		return err
	}
	told := a.Out
	if o.json {
		told = a.Err
	}
	st := a.style(told)
	if o.workers <= 0 {
		o.workers = runtime.NumCPU()
	}
	apart := o.workers > 1 && len(cases)*o.repeat > 1
	p := &progress{w: told, st: st, apart: apart, live: apart && st.Color, all: len(cases) * max(o.repeat, 1), lines: map[*deed.Case][]string{}}
	result := runner.Run(ctx, b, cases, runner.Options{
		Dir:     runsDir,
		Timeout: o.timeout, Policy: rules, PolicyFile: rulesFile, BestEffort: o.lossy,
		Locks: locks, Others: others, Sessions: filepath.Join(".deed", "sessions"), Pictures: pictures, Workers: o.workers, Retries: o.retries, Repeat: o.repeat, Bail: o.bail, MaxWall: o.wall,
		Launch: func(ctx context.Context) (*browser.Browser, error) { return a.launch(ctx, o.browserOptions) },
		OnCase: p.begins, OnStep: p.step, OnDone: p.done,
	})
	result.BaseURL, result.Shard = o.baseURL, o.shard
	for _, c := range casefile.Failed(problems) {
		p.done(nil, c)
		result.Cases = append(result.Cases, c)
		result.Outcome = min(result.Outcome, c.Outcome)
	}
	if err := b.Close(); err != nil {
		fmt.Fprintf(a.Err, "deed: %v\n", err) // the verdicts stand all the same
	}
	if err := report.Run(told, result, cases, st); err != nil {
		return err
	}
	if o.json {
		if err := report.JSON(a.Out, result); err != nil {
			return err
		}
	}
	a.remember(ctx, result, keep)
	asked, _ := parseReporters(o.reports) // they were read before anything ran
	reported := a.report(told, result, asked)
	if ctx.Err() != nil {
		return exit(statusInterrupted)
	}
	if s := runStatus(result); s != statusOK {
		return exit(s)
	}
	if !reported {
		return exit(statusEnvironment)
	}
	return nil
}

// reject reports files that cannot be run; nothing of them is.
//
// Whoever collects results learns of it all the same: in JSON and in the reports that were asked for each is a failed case.
func (a *app) reject(problems []casefile.Problem, asJSON bool, reporters []string) error {
	r := nothingRan()
	for _, p := range problems {
		r.Problems = append(r.Problems, deed.ProblemResult{Pos: p.Pos.String(), Message: p.Err.Error(), Hint: p.Hint})
	}
	if err := report.Run(a.Err, r, nil, a.style(a.Err)); err != nil {
		return err
	}
	r.Cases = casefile.Failed(problems)
	if asJSON {
		if err := report.JSON(a.Out, r); err != nil {
			return err
		}
	}
	r.Problems = nil // each stands in its case
	asked, err := parseReporters(reporters)
	if err != nil {
		return err
	}
	for _, w := range asked {
		if w.path == "" {
			continue // there is no run, and no folder of it
		}
		if err := writeReport(w.path, w.kind, r, filepath.Dir(w.path)); err != nil {
			complain(a.Err, err)
		}
	}
	status := statusEnvironment // of an address that does not answer
	for _, p := range problems {
		if statusOf(p.Err) != statusEnvironment {
			status = statusInvalid
		}
	}
	return exit(status)
}

// nothingRan is the result of a run that did not begin.
func nothingRan(why ...deed.ProblemResult) *deed.RunResult {
	return &deed.RunResult{Deed: deed.Format, Outcome: deed.OutcomeFailed, Cases: []deed.CaseResult{}, Problems: why}
}

func tagged(cases []deed.Case, tags []string) []deed.Case {
	if len(tags) == 0 {
		return cases
	}
	return slices.DeleteFunc(cases, func(c deed.Case) bool {
		return !slices.ContainsFunc(c.Tags, func(t string) bool { return slices.Contains(tags, t) })
	})
}
