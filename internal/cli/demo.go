package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed/internal/demo"
)

type demoOptions struct {
	browserOptions
	show bool
}

func newDemo(a *app) *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use: "demo", Short: "a click that goes wrong, and the same click proven",
		Long: `Three acts on a bundled shop page: a click that buys the wrong thing without any error, the same click
by deed, and a page that is itself wrong, whose effect deed notices and takes back.

Exit status: 0 when the story came out as told; 1 when it did not; 4 no browser; 130 interrupted.`,
		Example: "  deed demo\n  deed demo --show",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), o) },
	}
	c.Flags().BoolVar(&o.show, "show", false, "open a window and go slowly")
	c.Flags().StringVar(&o.browser, "browser", "", "`PATH` of a Chromium, or ws://… or http://host:port of one that runs")
	return c
}

func (a *app) demo(ctx context.Context, o demoOptions) (err error) {
	pause := time.Duration(0)
	if o.show {
		o.headed, pause = true, 2*time.Second
	}
	b, err := a.launch(ctx, o.browserOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return demo.Run(ctx, b, a.Out, demo.Options{Style: a.style(a.Out), Pause: pause})
}
