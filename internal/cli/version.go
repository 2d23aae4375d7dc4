package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/pagescript"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "what this deed is made of",
		Long:    "Prints the version, the form of its files, the digest of its page script, and what it was built with.\n\nExit status: 0.",
		Example: "  deed version",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return writeVersion(a.Out) },
	}
}

func writeVersion(w io.Writer) error {
	version, commit := "unreleased", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = " " + s.Value[:12]
			}
		}
	}
	_, err := fmt.Fprintf(w, "deed %s%s\nformat %d\nscript %.12s\n%s %s/%s\n", version, commit, deed.Format, pagescript.SHA256(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
