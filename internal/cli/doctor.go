package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/chrome"
	"github.com/deed-dev/deed/internal/report"
)

func newDoctor(a *app) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "doctor", Short: "what deed needs here, and what is missing",
		Long: `Looks for a browser, starts it, opens a page and looks at it, and says what is missing and how to get it.

Exit status: 0 deed can work here; 4 it cannot; 130 interrupted.`,
		Example: "  deed doctor",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), path) },
	}
	c.Flags().StringVar(&path, "browser", "", "`PATH` of a Chromium (default: DEED_BROWSER, PATH, the usual places)")
	return c
}

// A checkup prints one line a finding: ok, note or missing, what it is about, and what to do.
type checkup struct {
	app   *app
	style report.Style
	bad   bool
}

func (c *checkup) line(mark, what, format string, args ...any) {
	fmt.Fprintf(c.app.Out, "%s %-8s %s\n", mark, what, fmt.Sprintf(format, args...))
}

func (c *checkup) ok(what, format string, args ...any) {
	c.line(c.style.Good("ok     "), what, format, args...)
}

func (c *checkup) note(what, format string, args ...any) {
	c.line(c.style.Warn("note   "), what, format, args...)
}

func (c *checkup) missing(what string, err error) {
	c.bad = true
	c.line(c.style.Bad("missing"), what, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
}

func (c *checkup) do(hint string) {
	if hint != "" {
		c.line("       ", "", "→ %s", hint)
	}
}

func (a *app) doctor(ctx context.Context, explicit string) error {
	c := &checkup{app: a, style: a.style(a.Out)}
	if err := c.examine(ctx, explicit); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return exit(statusInterrupted)
	}
	if c.bad {
		return exit(statusEnvironment)
	}
	return nil
}

func (c *checkup) examine(ctx context.Context, explicit string) error {
	if n, err := chrome.Sweep(); err != nil {
		c.note("leftover", "%v", err)
	} else if n == 1 {
		c.ok("leftover", "removed what a killed run had left")
	} else if n > 1 {
		c.ok("leftover", "removed what %d killed runs had left", n)
	}
	path, err := chrome.Find(explicit)
	if err != nil {
		c.missing("browser", err)
		c.do(hintOf(err, "install Chromium, or set DEED_BROWSER to its path"))
		return nil
	}
	c.ok("browser", "%s", path)

	start := time.Now()
	launch, cancel := context.WithTimeout(ctx, launchTime)
	defer cancel()
	b, err := browser.Launch(launch, browser.Options{Path: path})
	if err != nil {
		c.missing("start", err)
		c.do(hintOf(err, "set DEED_BROWSER to another browser"))
		return nil
	}
	c.ok("start", "%s, in %d ms", b.Product(), time.Since(start).Milliseconds())
	if n := b.Notice(); n != "" {
		c.note("sandbox", "%s", n)
		if os.Geteuid() == 0 {
			c.do("open only pages that you trust, or run deed as another user than root")
		}
	} else {
		c.ok("sandbox", "on")
	}
	c.page(ctx, b)
	c.display()
	return b.Close()
}

func hintOf(err error, otherwise string) string {
	if h := deed.HintOf(err); h != "" {
		return h
	}
	return otherwise
}

// letters draws two letters and says whether they differ: without fonts, both are nothing or the same box.
const letters = `(() => {
  const draw = (letter) => {
    const c = document.createElement("canvas"), g = c.getContext("2d");
    g.font = "32px sans-serif"; g.fillText(letter, 8, 40);
    return c.toDataURL();
  };
  return draw("A") !== draw("B");
})()`

// page opens a page, looks at it, and sees whether text is drawn.
func (c *checkup) page(ctx context.Context, b *browser.Browser) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	start := time.Now()
	p, err := b.Open(ctx, "data:text/html,"+url.PathEscape("<title>deed</title><button>Works</button>"))
	if err != nil {
		c.missing("page", err)
		return
	}
	defer p.Close()
	s, err := p.Observe(ctx)
	if err != nil {
		c.missing("page", err)
		return
	}
	c.ok("page", "opened and observed in %d ms", time.Since(start).Milliseconds())
	if !s.Complete {
		c.note("page", "seen incompletely: %s", s.Incomplete)
	}
	var drawn bool
	if _, err := p.Eval(ctx, letters, &drawn); err != nil {
		c.note("fonts", "could not be tried: %v", err)
	} else if drawn {
		c.ok("fonts", "text is drawn")
	} else {
		c.note("fonts", "no text can be drawn; elements still have their names")
		c.do("install a font, for example: sudo apt-get install -y fonts-liberation")
	}
}

// display says whether windows can be opened.
func (c *checkup) display() {
	if runtime.GOOS != "linux" {
		return
	}
	for _, v := range []string{"WAYLAND_DISPLAY", "DISPLAY"} {
		if d, _ := c.app.LookupEnv(v); d != "" {
			c.ok("display", "%s=%s", v, d)
			return
		}
	}
	c.note("display", "none, so no window (--headed, demo --show); all else works")
}
