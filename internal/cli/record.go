package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/record"
)

type recordOptions struct {
	browser  string
	headless bool
	out      string
	id       string
	json     bool
	force    bool
}

func newRecord(a *app) *cobra.Command {
	var o recordOptions
	c := &cobra.Command{
		Use: "record URL", Short: "write a case of what you do in a browser window",
		Long: `Opens a window, and turns what you do in it into a case: steps with locators, and expectations from the effects that
were seen. What you type into a password, card or one-time-code field never leaves the page: the case holds a reference.

The recording ends when the window is closed, or with Ctrl-C. The case then stands in the file, ready to be run.

Exit status: 0 recorded; 1 the address could not be opened; 2 usage; 4 no browser.`,
		Example: `  deed record http://localhost:8080/shop
  deed record localhost:8080 --out cases/sign-in.deed.yaml --case sign-in
  deed record localhost:8080 --json > sign-in.deed.json`,
		Args: oneArg("a URL or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := addressOf(args[0])
			if err != nil {
				return err
			}
			if o.id == "" {
				o.id = caseOf(address)
			}
			if !deed.ValidCaseID(o.id) {
				return &deed.Error{Op: "record", Where: "--case " + o.id, Code: deed.CodeInvalid, Err: errors.New("a case is called by small letters, digits, - and /")}
			}
			if o.out == "" && !o.json {
				o.out = filepath.FromSlash(o.id) + ".deed.yaml"
			}
			if o.out != "" && !strings.HasSuffix(o.out, ".deed.yaml") && !strings.HasSuffix(o.out, ".deed.yml") {
				return &deed.Error{Op: "record", Where: "--out " + o.out, Code: deed.CodeInvalid, Err: errors.New("a case file is called *.deed.yaml"), Hint: "--out " + o.out + ".deed.yaml"}
			}
			if _, err := os.Stat(o.out); err == nil && o.out != "" && !o.force {
				return &deed.Error{Op: "record", Where: o.out, Code: deed.CodeInvalid, Err: fs.ErrExist, Hint: "--out another file, or --force"}
			}
			return a.record(cmd.Context(), address, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.out, "out", "", "the `FILE` that is written (default: the case's id and .deed.yaml; with --json none)")
	f.StringVar(&o.id, "case", "", "the `ID` of the case (default: from the address)")
	f.BoolVar(&o.json, "json", false, "the case as JSON on standard output")
	f.BoolVar(&o.force, "force", false, "write over a file that is there")
	f.StringVar(&o.browser, "browser", "", "`PATH` of a Chromium, or ws://… or http://host:port of one that runs (default: DEED_BROWSER, PATH, the usual places)")
	f.BoolVar(&o.headless, "headless", false, "open no window: for tests, and for a browser that somebody else uses")
	return c
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// caseOf makes the id of a case from an address.
func caseOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "recorded"
	}
	name := strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".html")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		name = u.Hostname()
	}
	if name = strings.Trim(notInID.ReplaceAllString(strings.ToLower(name), "-"), "-"); name == "" {
		return "recorded"
	}
	return name
}

func (a *app) record(ctx context.Context, address string, o recordOptions) (err error) {
	lctx, cancel := context.WithTimeout(ctx, launchTime)
	defer cancel()
	b, err := record.Launch(lctx, o.browser, !o.headless)
	if err != nil {
		if s := statusOf(err); s != statusEnvironment && s != statusInterrupted && s != statusInvalid {
			return &deed.Error{Op: "browser", Code: deed.CodeEnvironment, Err: err, Hint: "deed doctor"}
		}
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if n := b.Notice(); n != "" {
		fmt.Fprintln(a.Err, a.style(a.Err).Dim("note: "+n))
	}
	s, err := record.Begin(lctx, b.Conn(), address, record.Options{ID: o.id, Window: !o.headless})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "recording %s; close the window or press Ctrl-C when you are done\n", address)
	select {
	case <-ctx.Done():
	case <-s.Done():
	}
	c := s.Stop()
	return a.recorded(c, o)
}

// recorded writes the case, and says how to run it.
func (a *app) recorded(c *record.Case, o recordOptions) error {
	if o.json {
		text, err := c.JSON()
		if err != nil {
			return err
		}
		if _, err := a.Out.Write(text); err != nil {
			return err
		}
	}
	told := a.Out
	if o.json {
		told = a.Err
	}
	steps := len(c.Steps())
	if o.out != "" {
		if steps == 0 {
			fmt.Fprintln(told, "nothing was done, nothing is written")
			return nil
		}
		if err := writeCase(o.out, c.YAML()); err != nil {
			return &deed.Error{Op: "record", Where: o.out, Code: deed.CodeEnvironment, Err: err}
		}
		fmt.Fprintf(told, "%s written: %s\n", o.out, plural(steps, "step"))
		if len(c.Secrets) > 0 {
			fmt.Fprintf(told, "secrets that it needs, from the environment or .env.local: %s\n", strings.Join(c.Secrets, ", "))
		}
		fmt.Fprintf(told, "deed run %s\n", o.out)
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeCase writes a file whole or not at all.
func writeCase(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".deed-record-*")
	if err != nil {
		return err
	}
	_, err = bytes.NewReader(text).WriteTo(tmp)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
