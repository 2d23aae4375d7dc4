package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/history"
	"github.com/deed-dev/deed/internal/report"
)

// choiceOptions are what the history helps to choose cases by.
type choiceOptions struct {
	shard      string
	lastFailed bool
	keep       string
}

func (o *choiceOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.shard, "shard", "", "only part `i/n` of the cases: by how long they take, where .deed/history.db tells, else by number")
	f.StringVar(&o.keep, "keep", "90d,1000", "how much `HISTORY` is kept: an age, a number of runs, both, or all")
	f.BoolVar(&o.lastFailed, "last-failed", false, "only cases that were not proven when they ran last")
}

// parseShard reads i/n; "" is the one shard of all.
func parseShard(s string) (i, n int, err error) {
	if s == "" {
		return 1, 1, nil
	}
	left, right, _ := strings.Cut(s, "/")
	i, err = strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if err != nil || err2 != nil || i < 1 || i > n {
		return 0, 0, &deed.Error{Op: "run", Where: "--shard " + s, Code: deed.CodeInvalid, Err: errors.New("a shard is written i/n, 1/3 to 3/3")}
	}
	return i, n, nil
}

// choose leaves of the cases those that failed last, and of these those of the shard, where that was asked for. What could not be read is a case
// that fails whenever it is chosen, and is in one shard like every other. Without a history that can be read nobody knows what failed, which
// is an error; a shard goes by number then, as in every other place where nothing is known.
func (a *app) choose(ctx context.Context, cases []deed.Case, unread []casefile.Problem, o *choiceOptions) ([]deed.Case, []casefile.Problem, error) {
	i, n, err := parseShard(o.shard)
	if err != nil || o.shard == "" && !o.lastFailed {
		return cases, unread, err
	}
	var h *history.DB
	if _, missing := os.Stat(historyFile); !errors.Is(missing, fs.ErrNotExist) || o.lastFailed {
		if h, err = a.remembered("run"); err == nil {
			defer h.Close()
		} else if o.lastFailed {
			return nil, nil, err
		} else {
			complain(a.Err, err)
		}
	}
	if o.lastFailed {
		ids, err := h.LastFailed(ctx)
		if err != nil {
			return nil, nil, err
		}
		cases = slices.DeleteFunc(cases, func(c deed.Case) bool { return !slices.Contains(ids, c.ID) })
	}
	if o.shard == "" {
		return cases, unread, nil
	}
	var took map[string]time.Duration
	if h != nil {
		if took, err = h.Durations(ctx); err != nil {
			complain(a.Err, err)
		}
	}
	idOf := func(p casefile.Problem) string { return casefile.Failed([]casefile.Problem{p})[0].Case }
	var ids []string
	for k := range cases {
		ids = append(ids, cases[k].ID)
	}
	for _, p := range unread {
		ids = append(ids, idOf(p))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	by := "by number"
	if slices.ContainsFunc(ids, func(id string) bool { _, known := took[id]; return known }) {
		by = "by how long they take: every shard needs the same " + historyFile
	}
	part := history.Shard(ids, took, i, n)
	fmt.Fprintf(a.Err, "deed: shard %s: %d of %d cases, %s\n", o.shard, len(part), len(ids), by)
	cases = slices.DeleteFunc(cases, func(c deed.Case) bool { return !slices.Contains(part, c.ID) })
	unread = slices.DeleteFunc(unread, func(p casefile.Problem) bool { return !slices.Contains(part, idOf(p)) })
	return cases, unread, nil
}

// nothingToDo ends a run of which nothing was left: no case failed last, or there are fewer cases than shards.
func (a *app) nothingToDo(o *runOptions) error {
	if o.lastFailed {
		fmt.Fprintln(a.Err, "deed: no case failed when it ran last: there is nothing to run")
	}
	if o.json {
		return report.JSON(a.Out, &deed.RunResult{Deed: deed.Format, Outcome: deed.OutcomeVerified, Shard: o.shard, Cases: []deed.CaseResult{}})
	}
	return nil
}

// remember puts a run into the history. That it cannot be is a note: the verdicts stand all the same. An interrupted run is remembered too.
func (a *app) remember(ctx context.Context, r *deed.RunResult, keep history.Keep) {
	h, err := history.Open(historyFile)
	if err == nil {
		h.Keep = keep
		err = errors.Join(h.Add(context.WithoutCancel(ctx), r), h.Close())
	}
	if err != nil {
		complain(a.Err, err)
	}
}
