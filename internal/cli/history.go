package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/history"
	"github.com/deed-dev/deed/internal/trend"
)

// historyFile is where runs are remembered.
var historyFile = filepath.Join(".deed", "history.db")

type historyOptions struct {
	json  bool
	limit int
	since string
	tags  []string
	html  string
}

func newHistory(a *app) *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use: "history [CASE]", Short: "how the cases do lately, worst first",
		Long: `Tells from .deed/history.db how each case did in its last runs: how often it failed, whether it is stable,
flaky, broken, fixed, slow or new, how long it takes. With a CASE: each of its results, one line each.

Exit status: 0 told, also where nothing ran yet; 2 usage, no such case, or the history cannot be read.`,
		Example: "  deed history --since 7d --tag smoke\n  deed history shop/pay\n  deed history --html trend.html",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.history(cmd.Context(), name, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "one JSON document")
	f.IntVar(&o.limit, "limit", history.DefaultLimit, "the last `N` results of each case")
	f.StringVar(&o.since, "since", "", "only runs of the last `TIME`: 12h, 7d, 4w")
	f.StringArrayVar(&o.tags, "tag", nil, "only cases with this `TAG` (repeatable: any of them)")
	f.StringVar(&o.html, "html", "", "write a page with plots to a `FILE`, which needs nothing but itself")
	return c
}

func newWhy(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "why CASE", Short: "why a case failed last, in words",
		Long: `Tells of the last failure of a case: what was asked, what happened instead, since when it fails and what was
different then, how flaky it is, and what to try.

Exit status: 0 told, also of a case that has not failed; 2 usage, no such case, or the history cannot be read.`,
		Example: "  deed why shop/pay",
		Args:    oneArg("a case"),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := a.remembered("why")
			if err != nil {
				return err
			}
			defer h.Close()
			w, err := h.Why(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Out, struct {
					Deed int `json:"deed"`
					*history.Why
				}{deed.Format, w})
			}
			_, err = io.WriteString(a.Out, trend.Why(w, time.Now(), a.style(a.Out)))
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
}

func newDiff(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "diff RUN RUN", Short: "how two runs differ",
		Long: `Tells which cases became another outcome from one run to the other, which steps did something else or took
longer than they vary, which cases are new or gone. A RUN is its id, the beginning of one, last, or last~1
for the one before the last.

Exit status: 0 nothing differs but durations; 1 something differs; 2 usage, no such run, or the history
cannot be read.`,
		Example: "  deed diff last~1 last",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("two runs are needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.diff(cmd.Context(), args[0], args[1], asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
}

// remembered opens the history, which has to be there.
func (a *app) remembered(op string) (*history.DB, error) {
	if _, err := os.Stat(historyFile); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &deed.Error{Op: op, Where: historyFile, Code: deed.CodeInvalid, Err: errors.New("no run is remembered here yet"), Hint: "deed run FILE|DIR…"}
		}
		return nil, &deed.Error{Op: op, Where: historyFile, Code: deed.CodeInvalid, Err: err}
	}
	return history.Open(historyFile)
}

func (a *app) history(ctx context.Context, name string, o historyOptions) error {
	now := time.Now()
	f := history.Filter{Limit: o.limit, Tags: o.tags}
	if o.limit < 1 {
		return &deed.Error{Op: "history", Where: fmt.Sprintf("--limit %d", o.limit), Code: deed.CodeInvalid, Err: errors.New("it is 1 or more")}
	}
	if o.html != "" && (o.json || name != "") {
		return &deed.Error{Op: "history", Where: "--html " + o.html, Code: deed.CodeInvalid, Err: errors.New("the page is of all cases, and instead of --json")}
	}
	if o.since != "" {
		d, err := history.ParseAge(o.since)
		if err != nil {
			return &deed.Error{Op: "history", Where: "--since " + o.since, Code: deed.CodeInvalid, Err: err}
		}
		f.Since = now.Add(-d)
	}
	runs, cases := []history.Run{}, []history.Case{}
	if _, err := os.Stat(historyFile); name != "" || err == nil || !errors.Is(err, fs.ErrNotExist) {
		h, err := a.remembered("history")
		if err != nil {
			return err
		}
		defer h.Close()
		if name != "" {
			return a.oneCase(ctx, h, name, f, o.json)
		}
		if runs, err = h.Runs(ctx, f); err != nil {
			return err
		}
		if cases, err = h.Cases(ctx, f); err != nil {
			return err
		}
	}
	switch {
	case o.html != "":
		return a.trendPage(o.html, runs, cases, now)
	case o.json:
		return writeJSON(a.Out, struct {
			Deed  int            `json:"deed"`
			Runs  []history.Run  `json:"runs"`
			Cases []history.Case `json:"cases"`
		}{deed.Format, append([]history.Run{}, runs...), cases})
	}
	_, err := io.WriteString(a.Out, trend.Cases(runs, cases, now, a.style(a.Out)))
	return err
}

func (a *app) oneCase(ctx context.Context, h *history.DB, name string, f history.Filter, asJSON bool) error {
	c, err := h.Case(ctx, name, f)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a.Out, struct {
			Deed int `json:"deed"`
			*history.Case
		}{deed.Format, c})
	}
	_, err = io.WriteString(a.Out, trend.OneCase(c, a.style(a.Out)))
	return err
}

func (a *app) diff(ctx context.Context, before, after string, asJSON bool) error {
	h, err := a.remembered("diff")
	if err != nil {
		return err
	}
	defer h.Close()
	b, err := h.Run(ctx, before)
	if err != nil {
		return err
	}
	r, err := h.Run(ctx, after)
	if err != nil {
		return err
	}
	d, err := h.Diff(ctx, b, r)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(a.Out, struct {
			Deed int `json:"deed"`
			*history.RunDiff
		}{deed.Format, d})
	} else {
		_, err = io.WriteString(a.Out, trend.Diff(d, time.Now(), a.style(a.Out)))
	}
	if err == nil && !d.Equal() {
		return exit(statusMismatch)
	}
	return err
}

// trendPage writes the page.
func (a *app) trendPage(file string, runs []history.Run, cases []history.Case, now time.Time) error {
	wrong := func(err error) error {
		return &deed.Error{Op: "history", Where: file, Code: deed.CodeInvalid, Err: err}
	}
	var b strings.Builder
	if err := trend.Page(&b, runs, cases, now); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return wrong(err)
	}
	_, err := fmt.Fprintln(a.Out, file)
	return err
}
