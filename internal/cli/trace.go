package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/trace"
)

func newTrace(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "trace", Short: "what was proposed, decided and done, from its records",
		Long: `Reads traces: the records that are written before anything is done. show tells their story; verify proves
that they are all there and as they were written; replay tries the plan of a dry run again.

Exit status: see deed trace show --help and deed trace verify --help.`,
		Example: "  deed trace show .deed/trace.jsonl\n  deed trace verify .deed/trace.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newTraceShow(a), newTraceVerify(a), newReplay(a))
	return c
}

func newTraceShow(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show FILE", Short: "the story that the records tell",
		Long: `Tells what the records of a trace say: who asked for each action, what was decided and by which rule, who
confirmed it, and what came of it; at the end, what was in flight when a run was killed. Whether the
records can be believed is what deed trace verify tells.

Exit status: 0 told; 2 a line is no record, or the file cannot be read.`,
		Example: "  deed trace show .deed/trace.jsonl\n  deed trace show .deed/trace.jsonl --json",
		Args:    oneArg("a trace"),
		RunE: func(_ *cobra.Command, args []string) error {
			events, err := readEvents(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				if events == nil {
					events = []trace.Event{}
				}
				return writeJSON(a.Out, struct {
					Deed   int           `json:"deed"`
					Events []trace.Event `json:"events"`
				}{deed.Format, events})
			}
			_, err = io.WriteString(a.Out, trace.Story(events))
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document with every record")
	return c
}

func newTraceVerify(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "verify FILE", Short: "whether the records are all there, and as they were written",
		Long: `Goes through the chain of a trace: each record holds the hash of the one before. Changed, missing, added and
moved records are named by line; so is what a run that was killed never finished. Whole runs that are
missing at the end cannot be seen in the file: keep the hash of the last record where nobody can change it.

Exit status: 0 whole; 1 something was changed, or a run is cut short; 2 a line is no record, or the file
cannot be read.`,
		Example: "  deed trace verify .deed/trace.jsonl",
		Args:    oneArg("a trace"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			r := trace.Verify(f)
			if asJSON {
				err = writeJSON(a.Out, r)
			} else {
				_, err = io.WriteString(a.Out, verification(args[0], &r))
			}
			if err != nil {
				return err
			}
			status := statusOK
			for _, p := range r.Problems {
				switch {
				case p.Code == trace.ProblemMalformed || p.Code == trace.ProblemUnreadable:
					status = statusInvalid
				case status == statusOK:
					status = statusMismatch
				}
			}
			if status != statusOK {
				return exit(status)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the report as one JSON document")
	return c
}

// problemWords say what the codes mean.
var problemWords = map[string]string{
	trace.ProblemMalformed:  "this is no record",
	trace.ProblemBlank:      "an empty line was added",
	trace.ProblemHash:       "the record is not what was written",
	trace.ProblemChain:      "the record before it is missing, or another one",
	trace.ProblemSeq:        "its number does not increase",
	trace.ProblemOrder:      "it cannot have happened in this order",
	trace.ProblemTorn:       "it was never finished",
	trace.ProblemUnended:    "the run does not go on, nor say that it ended",
	trace.ProblemUnreadable: "it cannot be read",
}

func verification(name string, r *trace.Report) string {
	var b strings.Builder
	plural := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	state := "whole"
	switch {
	case !r.Intact():
		state = "not as it was written"
	case !r.Whole:
		state = "cut short"
	}
	fmt.Fprintf(&b, "%s: %s of %s, %s\n", name, plural(r.Events, "record"), plural(r.Runs, "run"), state)
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "  line %d: %s (%s)\n", p.Line, problemWords[p.Code], p.Code)
	}
	begun := map[string]bool{}
	for _, id := range r.Begun {
		begun[id] = true
	}
	for _, id := range r.InFlight {
		if begun[id] {
			fmt.Fprintf(&b, "  in flight: %q, which had begun\n", id)
		} else {
			fmt.Fprintf(&b, "  in flight: %q\n", id)
		}
	}
	if r.Head != "" {
		fmt.Fprintf(&b, "  head %s\n", r.Head)
	}
	return b.String()
}

func openTrace(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.IsDir() {
			err = errors.New("a folder is no trace")
		}
		if err != nil {
			f.Close()
		}
	}
	if err != nil {
		var sys *fs.PathError
		if errors.As(err, &sys) {
			err = sys.Err
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("no such file")
		}
		return nil, &deed.Error{Op: "trace", Code: deed.CodeInvalid, Where: name, Err: err}
	}
	return f, nil
}

// readEvents reads the records of a trace. Its error names the file, and the line.
func readEvents(name string) ([]trace.Event, error) {
	f, err := openTrace(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	events, err := trace.Read(f)
	if err == nil {
		return events, nil
	}
	var e *deed.Error
	if errors.As(err, &e) {
		return nil, &deed.Error{Op: "trace", Code: e.Code, Where: strings.TrimSpace(name + " " + e.Where), Err: e.Err}
	}
	return nil, &deed.Error{Op: "trace", Code: deed.CodeInvalid, Where: name, Err: err}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
