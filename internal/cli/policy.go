package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

func newPolicy(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "check policies, and print those that are shipped",
		Long: `Policies are rules in Cedar about who asks, what is asked for, and the resolved element: see docs/policies.md.
` + "\nExit status: 0 the policy is understood; 2 it is not, or usage.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use: "check FILE…", Short: "say what of a policy is not understood, with file, line and column",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.policyCheck(args) },
	}, &cobra.Command{
		Use: "show agent|test|schema", Short: "print a policy that is shipped, or what policies may speak of",
		Args: cobra.ExactArgs(1), ValidArgs: []string{policy.Agent, policy.Test, "schema"},
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
	})
	return c
}

func (a *app) policyCheck(files []string) error {
	bad := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return &deed.Error{Op: "policy", Code: deed.CodeInvalid, Err: err}
		}
		problems := policy.Check(file, src)
		for _, p := range problems {
			fmt.Fprintf(a.Err, "%s: %s\n", p.Pos(), p.Message)
			if p.Hint != "" {
				fmt.Fprintf(a.Err, "  %s\n", p.Hint)
			}
		}
		bad += len(problems)
		if len(problems) == 0 {
			rules, err := policy.Load(file, src)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s: %d rules: %s\n", file, len(rules.Rules()), strings.Join(rules.Rules(), ", "))
		}
	}
	if bad > 0 {
		return exit(statusInvalid)
	}
	return nil
}
