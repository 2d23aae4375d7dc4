package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
	"github.com/deed-dev/deed/internal/report"
)

func newPolicy(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "check policies, try them on traces, print those that are shipped",
		Long: `A policy says what may be done, in Cedar. FILE is a file, or agent or test: the policies that are shipped.

Exit status: 0 as each of its commands says; 2 usage or invalid input.`,
		Example: "  deed policy show agent > my.cedar\n  deed policy check my.cedar\n  deed policy test my.cedar trace.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	check := &cobra.Command{
		Use: "check FILE…", Short: "whether policy files are understood, with the place of what is not",
		Long: `Reads policy files, and names every place that is not understood: that does not parse, or speaks of an entity
type, an action, an attribute or a word that there is not.

Exit status: 0 all are understood; 2 one is not, or cannot be read.`,
		Example: "  deed policy check my.cedar",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a policy file is missing")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.policyCheck(args, asJSON) },
	}
	test := &cobra.Command{
		Use: "test FILE TRACE…", Short: "which decisions of recorded traces a policy would change",
		Long: `Decides on the requests of recorded traces anew, and prints every decision that would change: where it stands, what
was asked for, what was decided by which rule, and what would be. The configuration is what it was then.

Exit status: 0 nothing would change; 1 something would; 2 usage, or a file that is not understood.`,
		Example: "  deed policy test my.cedar .deed/runs/*/trace.jsonl",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("a policy file and a trace are needed")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.policyTest(args[0], args[1:], asJSON) },
	}
	show := &cobra.Command{
		Use: "show agent|test|schema", Short: "a policy that is shipped, or what policies may speak of",
		Long:    "Prints a policy that is shipped, to read it or to begin from it, or the schema of what a policy may speak of.\n\nExit status: 0; 2 usage.",
		Example: "  deed policy show agent > my.cedar",
		Args:    oneArg("agent, test or schema"),
		RunE: func(_ *cobra.Command, args []string) error {
			text := policy.SchemaText()
			if args[0] != "schema" {
				var err error
				if text, err = policy.Text(args[0]); err != nil {
					return err
				}
			}
			_, err := fmt.Fprint(a.Out, text)
			return err
		},
	}
	for _, sub := range []*cobra.Command{check, test} {
		sub.Flags().BoolVar(&asJSON, "json", false, "the result as one JSON document")
	}
	c.AddCommand(check, test, show)
	return c
}

// policyText is the text of a policy file, or of one that is shipped.
func policyText(name string) (file string, text []byte, err error) {
	if name == policy.Agent || name == policy.Test {
		s, err := policy.Text(name)
		return name + ".cedar", []byte(s), err
	}
	text, err = os.ReadFile(name)
	if err != nil {
		return "", nil, unreadable("policy", name, err)
	}
	return name, text, nil
}

// rulesOf is the text of a policy that is used; "" is none. What it does not understand starts nothing.
func rulesOf(name string) (file string, text []byte, err error) {
	if name == "" {
		return "", nil, nil
	}
	if file, text, err = policyText(name); err == nil {
		_, err = policy.Load(file, text)
	}
	return file, text, err
}

func unreadable(op, name string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &deed.Error{Op: op, Code: deed.CodeInvalid, Where: name, Err: err}
}

func (a *app) policyCheck(names []string, asJSON bool) error {
	all := []policy.Problem{}
	for _, name := range names {
		file, text, err := policyText(name)
		if err != nil {
			return err
		}
		all = append(all, policy.Check(file, text)...)
	}
	if asJSON {
		if err := report.JSON(a.Out, struct {
			Deed     int              `json:"deed"`
			Problems []policy.Problem `json:"problems"`
		}{deed.Format, all}); err != nil {
			return err
		}
	}
	for _, p := range all {
		fmt.Fprintf(a.Err, "%s: %s\n", p.Pos(), p.Message)
		if p.Hint != "" {
			fmt.Fprintf(a.Err, "hint: %s\n", p.Hint)
		}
	}
	if len(all) > 0 {
		return exit(statusInvalid)
	}
	if asJSON {
		return nil
	}
	for _, name := range names {
		file, text, err := policyText(name)
		if err != nil {
			return err
		}
		p, err := policy.Load(file, text)
		if err != nil {
			return err
		}
		ids := p.Rules()
		if len(ids) == 0 {
			fmt.Fprintf(a.Out, "%s: no rule: everything is denied\n", file)
			continue
		}
		rules := "rules"
		if len(ids) == 1 {
			rules = "rule"
		}
		fmt.Fprintf(a.Out, "%s: %d %s: %s\n", file, len(ids), rules, strings.Join(ids, ", "))
	}
	return nil
}

func (a *app) policyTest(name string, traces []string, asJSON bool) error {
	file, text, err := policyText(name)
	if err != nil {
		return err
	}
	p, err := policy.Load(file, text)
	if err != nil {
		return err
	}
	changes, decisions := []policy.Change{}, 0
	for _, t := range traces {
		records, err := readTrace(t)
		if err != nil {
			return err
		}
		decisions += len(records)
		changes = append(changes, p.Compare(records)...)
	}
	if asJSON {
		err = report.JSON(a.Out, struct {
			Deed      int             `json:"deed"`
			Decisions int             `json:"decisions"`
			Changes   []policy.Change `json:"changes"`
		}{deed.Format, decisions, changes})
	} else {
		err = tellChanges(a.Out, decisions, changes)
	}
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		return exit(statusMismatch)
	}
	return nil
}

func readTrace(name string) ([]policy.Recorded, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable("trace", name, err)
	}
	defer f.Close()
	return policy.ReadRecorded(name, f)
}

func tellChanges(w io.Writer, decisions int, changes []policy.Change) error {
	for _, c := range changes {
		by := ""
		if c.By != "" {
			by = " (" + c.By + ")"
		}
		if _, err := fmt.Fprintf(w, "%s:%d: %s %s: %s%s becomes %s (%s): %s\n", c.File, c.Line, c.Kind, c.Object, c.Was, by, c.Is.Decision, c.Is.Rule, c.Is.Reason); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d decisions would change\n", len(changes), decisions)
	return err
}
