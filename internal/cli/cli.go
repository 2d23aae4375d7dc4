// Package cli is the command line: it parses, calls, and renders.
//
// Law of this package: no decision about a page or a verdict is made here, and nothing else maps errors to exit statuses.
// Parsing and running are apart: a command's flags become an options value, and what runs gets that, its context and its
// streams. Standard output is for the answer; with --json it is exactly one document, and everything else goes to
// standard error.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
)

// An IO is what a program is given by its surroundings.
type IO struct {
	In        io.Reader
	Out, Err  io.Writer
	LookupEnv func(string) (string, bool)
}

// Main runs one command line (without the program's name) and returns its exit status. When ctx ends, what runs is
// finished cleanly first.
func Main(ctx context.Context, args []string, s IO) int {
	root := newRoot(&app{IO: s})
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	cmd, err := root.ExecuteContextC(ctx)
	var done exit
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &done):
		return int(done)
	}
	err = usage(cmd, err)
	complain(s.Err, err)
	if ctx.Err() != nil {
		return statusInterrupted
	}
	return statusOf(err)
}

// exit is a status whose reason has been told already.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usage makes an error of the command line itself look like every other, with the way to its help.
func usage(cmd *cobra.Command, err error) error {
	var e *deed.Error
	if errors.As(err, &e) {
		return err
	}
	text := strings.TrimSpace(err.Error())
	return &deed.Error{Code: deed.CodeInvalid, Err: errors.New(text), Hint: cmd.CommandPath() + " --help"}
}

// complain writes an error: one line, and a hint where there is something to do.
func complain(w io.Writer, err error) {
	fmt.Fprintf(w, "deed: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	if hint := deed.HintOf(err); hint != "" {
		fmt.Fprintf(w, "hint: %s\n", hint)
	}
}

// app is what every command works with.
type app struct{ IO }

// style is colour where w is a terminal that wants it.
func (a *app) style(w io.Writer) report.Style {
	if v, set := a.LookupEnv("NO_COLOR"); set && v != "" {
		return report.Style{}
	}
	if term, _ := a.LookupEnv("TERM"); term == "dumb" {
		return report.Style{}
	}
	f, ok := w.(*os.File)
	if !ok {
		return report.Style{}
	}
	info, err := f.Stat()
	return report.Style{Color: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

const about = `deed makes browser actions that are proven, or undone: it clicks, fills and selects in a real
Chromium, proves what each action did, prevents or undoes what was not meant, and says so.`

const statuses = `
Exit status: 0 verified; 1 something did not match; 2 usage or invalid input; 3 refused by policy;
4 environment (no browser, disconnected); 5 not what the lock says that it does; 130 interrupted.`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use: "deed", Short: "browser actions that are proven, or undone", Long: about + "\n" + statuses,
		Example:      "  deed demo\n  deed observe http://localhost:8080\n  deed run shop.deed.yaml",
		SilenceUsage: true, SilenceErrors: true, SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			e := &deed.Error{Code: deed.CodeInvalid, Err: fmt.Errorf("unknown command %q", args[0]), Hint: "deed --help"}
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				e.Hint = fmt.Sprintf("did you mean %q?", near[0])
			}
			return e
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newDemo(a), newObserve(a), newRun(a), newRecord(a), newExec(a), newFmt(a), newTrace(a), newReport(a), newPolicy(a), newSchema(a), newDoctor(a), newVersion(a))
	root.AddCommand(newHistory(a), newWhy(a), newDiff(a))
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false
		c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.TrimSpace(f.Usage) })
	}
	return root
}
