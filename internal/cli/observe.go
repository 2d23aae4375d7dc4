package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
)

type observeOptions struct {
	browserOptions
	report.ObserveOptions
	json    bool
	timeout time.Duration
}

func newObserve(a *app) *cobra.Command {
	var o observeOptions
	c := &cobra.Command{
		Use: "observe URL", Short: "a page as numbered nodes, as deed sees it",
		Long: `Opens a page and prints what a person would find on it: one line a node with its role, name, value and
states, indented under its region. Rows alike are folded where the page is larger than the budget.

Exit status: 0 observed; 1 the page could not be opened, or nothing on it is as asked; 2 usage;
4 no browser; 130 interrupted.`,
		Example: `  deed observe http://localhost:8080
  deed observe localhost:8080/shop --in cart
  deed observe page.html --find "T-shirt M" --json`,
		Args: oneArg("a URL or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := addressOf(args[0])
			if err != nil {
				return err
			}
			if o.Budget < 1 {
				return &deed.Error{Op: "observe", Code: deed.CodeInvalid, Err: fmt.Errorf("--budget is %d, it is a number of tokens", o.Budget)}
			}
			return a.observe(cmd.Context(), address, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "one JSON document with every node")
	f.StringVar(&o.In, "in", "", "only this `REGION`: cart, navigation, 'dialog \"Cookies\"'")
	f.StringVar(&o.Find, "find", "", "only what contains this `TEXT`, with the rows around it")
	f.IntVar(&o.Budget, "budget", report.DefaultBudget, "size of the text in `TOKENS`")
	f.BoolVar(&o.All, "all", false, "every node, also what cannot be seen, whatever the budget")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "of the whole observation")
	o.flags(c)
	return c
}

// oneArg demands one argument and says what it is.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s is missing", what)
		case len(args) > 1:
			return fmt.Errorf("one argument is too many: %q", args[1])
		}
		return nil
	}
}

// addressOf makes a URL of what people type: a URL, a host with or without a port, a file.
func addressOf(s string) (string, error) {
	bad := func(err error) (string, error) {
		return "", &deed.Error{Op: "observe", Where: s, Code: deed.CodeInvalid, Err: err, Hint: "write http://host/path, or the name of a file"}
	}
	if info, err := os.Stat(s); err == nil && !info.IsDir() {
		abs, err := filepath.Abs(s)
		if err != nil {
			return bad(err)
		}
		return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String(), nil
	}
	for _, scheme := range []string{"data:", "about:", "blob:"} {
		if strings.HasPrefix(s, scheme) {
			return s, nil
		}
	}
	if !strings.Contains(s, "://") {
		u, err := url.Parse("http://" + s)
		if err != nil {
			return bad(errors.New("not a URL"))
		}
		host := u.Hostname()
		if host != "localhost" && !strings.HasPrefix(host, "127.") && host != "::1" {
			if !strings.Contains(host, ".") {
				return bad(errors.New("neither a URL nor a file that is there"))
			}
			u.Scheme = "https"
		}
		s = u.String()
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" && u.Scheme != "file" {
		return bad(errors.New("not a URL"))
	}
	return s, nil
}

func (a *app) observe(ctx context.Context, address string, o observeOptions) (err error) {
	b, err := a.launch(ctx, o.browserOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	page, err := b.New(ctx)
	if err != nil {
		return err
	}
	_, unproven := page.Goto(ctx, address)
	if unproven != nil && !errors.Is(unproven, deed.CodeUnproven) {
		return unproven
	}
	// A page that answers 404 is a page all the same; that it did is said, too.
	s, err := page.Observe(ctx)
	if err != nil {
		return errors.Join(unproven, err)
	}
	write := report.Observation
	if o.json {
		write = report.ObservationJSON
	}
	return errors.Join(unproven, write(a.Out, s, o.ObserveOptions))
}
