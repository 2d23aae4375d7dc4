package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// browserOptions say which browser to work with.
type browserOptions struct {
	browser string // a program, or the address of one that runs
	headed  bool
}

func (o *browserOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.browser, "browser", "", "`PATH` of a Chromium, or ws://… or http://host:port of one that runs (default: DEED_BROWSER, PATH, the usual places)")
	c.Flags().BoolVar(&o.headed, "headed", false, "open a window")
}

// launchTime bounds the start of a browser on a machine that is busy with something else.
const launchTime = 60 * time.Second

// launch starts a browser, or attaches to one that runs. Whatever keeps it from that is the environment's fault, except for
// an interrupt.
func (a *app) launch(ctx context.Context, o browserOptions) (*browser.Browser, error) {
	return a.launchWith(ctx, o, browser.Options{})
}

// launchWith starts a browser with further options.
func (a *app) launchWith(ctx context.Context, o browserOptions, with browser.Options) (*browser.Browser, error) {
	ctx, cancel := context.WithTimeout(ctx, launchTime)
	defer cancel()
	var b *browser.Browser
	var err error
	if strings.Contains(o.browser, "://") {
		if o.headed {
			return nil, &deed.Error{Op: "connect", Where: o.browser, Code: deed.CodeInvalid,
				Err: errors.New("a browser that runs elsewhere decides itself whether it has a window"), Hint: "leave out --headed"}
		}
		b, err = browser.Connect(ctx, o.browser, with)
	} else {
		with.Path, with.Headed = o.browser, o.headed
		b, err = browser.Launch(ctx, with)
	}
	if err != nil {
		if s := statusOf(err); s != statusEnvironment && s != statusInterrupted && s != statusInvalid {
			return nil, &deed.Error{Op: "browser", Code: deed.CodeEnvironment, Err: err, Hint: "deed doctor"}
		}
		return nil, err
	}
	if n := b.Notice(); n != "" {
		fmt.Fprintln(a.Err, a.style(a.Err).Dim("note: "+n))
	}
	return b, nil
}
