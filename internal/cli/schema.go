package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed/internal/schema"
)

func newSchema(a *app) *cobra.Command {
	names := strings.Join(schema.Names(), "|")
	return &cobra.Command{
		Use: "schema " + names, Short: "the JSON Schema of what deed reads and writes",
		Long: "Prints the JSON Schema (draft 2020-12) of a form: a proposed action, a plan of them, a case, one line of a trace, or\n" +
			"the result of deed run --json. It refers to nothing outside itself.\n\n" +
			"Exit status: 0 printed; 2 usage or invalid input.",
		Example:   "  deed schema plan > plan.schema.json",
		Args:      cobra.ExactArgs(1),
		ValidArgs: schema.Names(),
		RunE:      func(_ *cobra.Command, args []string) error { return writeSchema(a.Out, args[0]) },
	}
}

func writeSchema(w io.Writer, name string) error {
	s, err := schema.Schema(name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, string(s))
	return err
}
