package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
)

// runsDir is where the folder of each run is made.
var runsDir = filepath.Join(".deed", "runs")

const reporterUsage = "also write a report, `KIND=PATH`: html, junit, ctrf, json or md; without a path it goes to the run's folder (repeatable)"

// A reporter is a report that was asked for.
type reporter struct {
	kind report.Kind
	path string // "" is the run's folder
}

// parseReporters reads the flags --reporter. It is done before anything runs: a run whose report nobody can write is not worth its time.
func parseReporters(list []string) ([]reporter, error) {
	var out []reporter
	for _, s := range list {
		name, path, named := strings.Cut(s, "=")
		k, err := report.ParseKind(name)
		if err == nil && named && path == "" {
			err = &deed.Error{Op: "report", Where: s, Code: deed.CodeInvalid, Err: errors.New("the path is missing"), Hint: "--reporter " + name + "=PATH"}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, reporter{k, path})
	}
	return out, nil
}

// report writes what is left of a run: report.json and report.html in its folder, the reports that were asked for, and, in GitHub Actions, annotations (to told)
// and a summary. What cannot be written is said; false means that it was asked for.
func (a *app) report(told io.Writer, r *deed.RunResult, asked []reporter) (ok bool) {
	ok = true
	if r.Run != "" {
		dir := filepath.Join(runsDir, r.Run)
		for _, k := range []report.Kind{report.KindJSON, report.KindHTML} {
			if err := writeReport(filepath.Join(dir, k.File()), k, r, dir); err != nil {
				complain(a.Err, err) // the verdicts stand all the same
				continue
			}
			if k == report.KindHTML {
				fmt.Fprintln(told, a.style(told).Dim("report: "+filepath.Join(dir, k.File())))
			}
		}
	}
	for _, w := range asked {
		dir := filepath.Join(runsDir, r.Run)
		path := w.path
		if path == "" {
			path = filepath.Join(dir, w.kind.File())
		}
		if err := writeReport(path, w.kind, r, dir); err != nil {
			complain(a.Err, err)
			ok = false
		}
	}
	if err := a.toGitHub(told, r); err != nil {
		complain(a.Err, err)
	}
	return ok
}

// writeReport writes a report whole or not at all. The pictures of the run are in dir.
func writeReport(path string, k report.Kind, r *deed.RunResult, dir string) error {
	var o report.HTMLOptions
	if root, err := os.OpenRoot(dir); err == nil { // a run that kept no file has no folder
		defer root.Close()
		o.Shots = root.FS()
		if rel, err := filepath.Rel(filepath.Dir(path), dir); err == nil {
			o.Beside = (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath()
		}
	}
	var b bytes.Buffer
	err := report.Write(&b, k, r, o)
	if err == nil {
		err = replaceFile(path, b.Bytes())
	}
	if err != nil {
		return &deed.Error{Op: "report", Where: path, Code: deed.CodeEnvironment, Err: err}
	}
	return nil
}

// replaceFile puts a file in the place of another, whole or not at all.
func replaceFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".report-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// toGitHub annotates the lines of what is not proven, and appends the summary to the file that the runner named.
func (a *app) toGitHub(told io.Writer, r *deed.RunResult) error {
	if v, _ := a.LookupEnv("GITHUB_ACTIONS"); v != "true" {
		return nil
	}
	workspace, _ := a.LookupEnv("GITHUB_WORKSPACE")
	if err := report.Annotations(told, r, func(file string) string { return inRepository(workspace, file) }); err != nil {
		return err
	}
	path, _ := a.LookupEnv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := report.Markdown(&b, r); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.Write(b.Bytes())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &deed.Error{Op: "summary", Where: path, Code: deed.CodeEnvironment, Err: err}
	}
	return nil
}

// inRepository is a file as GitHub knows it: from the root of the repository, with slashes.
func inRepository(workspace, file string) string {
	abs, err := filepath.Abs(file)
	if workspace == "" || err != nil {
		return filepath.ToSlash(file)
	}
	rel, err := filepath.Rel(workspace, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

func newReport(a *app) *cobra.Command {
	c := &cobra.Command{Use: "report", Short: "open the report of a run, or make one of several",
		Long: "Reports are written by deed run: .deed/runs/RUN/report.html and report.json, and what --reporter asks for.\n\nExit status: 0; 2 usage or invalid input; 4 environment.",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	var show bool
	open := &cobra.Command{Use: "open [FILE]", Short: "open a report: by default that of the last run",
		Long: `Prints the path of the report, and opens it with the system's viewer unless the output is no terminal or --print is given.
FILE is a report, or the folder of a run.

Exit status: 0; 2 there is no such report.`,
		Example: "  deed report open\n  deed report open --print\n  deed report open .deed/runs/20261130-171400-k3x9",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := findReport(args)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(a.Out, path); err != nil || show || !terminal(a.Out) {
				return err
			}
			return view(path)
		}}
	open.Flags().BoolVar(&show, "print", false, "only print the path")

	var also []string
	merge := &cobra.Command{Use: "merge OUT IN.json…", Short: "make one report of several: of shards, or of a run and its repetition",
		Long: `Reads results (report.json, or folders that hold one) and writes one report of all. The end of OUT tells its kind: .html, .json, .ctrf.json, .xml (JUnit)
or .md. Pictures are copied to the folder shots beside OUT.

Every case says which run it is of. A case that is in more than one input counts as the run that began last has it; the others are attempts before
it, and a case that is proven after one that was not is flaky. The same run twice is an error. The outcome is the worst of the cases; the
duration is the time in which at least one of the runs was at work.

Exit status: 0 merged, whatever the outcome; 2 usage or invalid input; 4 environment (OUT cannot be written).`,
		Example: "  deed report merge all.html shard-*/report.json\n  deed report merge all.json first.json again.json --reporter junit=junit.xml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("the report to write and the results to read are missing")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.merge(args[0], args[1:], also) }}
	merge.Flags().StringArrayVar(&also, "reporter", nil, "also write a report, `KIND=PATH`: html, junit, ctrf, json or md (repeatable)")
	c.AddCommand(open, merge)
	return c
}

// findReport is the absolute path of a report: the one named, or that of the last run.
func findReport(args []string) (string, error) {
	missing := func(where string, err error) error {
		return &deed.Error{Op: "report", Where: where, Code: deed.CodeInvalid, Err: err, Hint: "deed run writes one"}
	}
	if len(args) > 0 {
		path := args[0]
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			path = filepath.Join(path, report.KindHTML.File())
			_, err = os.Stat(path)
		}
		if err != nil {
			return "", missing(args[0], errors.New("there is no report"))
		}
		return filepath.Abs(path)
	}
	entries, err := os.ReadDir(runsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", missing(runsDir, err)
	}
	type candidate struct {
		path, run string
		at        int64
	}
	var found []candidate
	for _, e := range entries {
		path := filepath.Join(runsDir, e.Name(), report.KindHTML.File())
		if info, err := os.Stat(path); err == nil {
			found = append(found, candidate{path, e.Name(), info.ModTime().UnixNano()})
		}
	}
	if len(found) == 0 {
		return "", missing(runsDir, errors.New("no run has a report"))
	}
	last := slices.MaxFunc(found, func(a, b candidate) int {
		// A run's name begins with the second in which it began; of two in one second the later written counts.
		const second = len("20060102-150405")
		if c := strings.Compare(a.run[:min(second, len(a.run))], b.run[:min(second, len(b.run))]); c != 0 {
			return c
		}
		return int(min(1, max(-1, a.at-b.at)))
	})
	return filepath.Abs(last.path)
}

// terminal reports whether w is one. The null device is a character device too, and nobody looks at it.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// view opens a file with the system's viewer, and does not wait for it.
func view(path string) error {
	name, args := "xdg-open", []string{path}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", path}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return &deed.Error{Op: "report", Where: path, Code: deed.CodeEnvironment, Err: err, Hint: "open the file yourself, or use --print"}
	}
	return cmd.Process.Release()
}

// merge reads results, brings their pictures together beside out, and writes one report of all.
func (a *app) merge(out string, in, also []string) error {
	kind, err := report.KindOf(out)
	if err != nil {
		return err
	}
	asked, err := parseReporters(also)
	if err != nil {
		return err
	}
	for _, w := range asked {
		if w.path == "" {
			return &deed.Error{Op: "report", Where: string(w.kind), Code: deed.CodeInvalid, Err: errors.New("the path is missing"), Hint: fmt.Sprintf("--reporter %s=PATH", w.kind)}
		}
	}
	dir := filepath.Dir(out)
	var runs []*deed.RunResult
	for i, path := range in {
		r, from, err := readResult(path)
		if err != nil {
			return err
		}
		runs = append(runs, r)
		if err := gatherShots(r, from, dir, i); err != nil {
			return err
		}
	}
	merged, err := report.Merge(runs)
	if err != nil {
		return err
	}
	for _, w := range append([]reporter{{kind, out}}, asked...) {
		if err := writeReport(w.path, w.kind, merged, dir); err != nil {
			return err
		}
		fmt.Fprintln(a.Out, w.path)
	}
	_, err = fmt.Fprintln(a.Out, report.Total(merged, a.style(a.Out)))
	return err
}

// readResult reads the result of a run, and says which folder its pictures are in.
func readResult(path string) (*deed.RunResult, string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, report.KindJSON.File())
	}
	invalid := func(err error) error {
		return &deed.Error{Op: "merge", Where: path, Code: deed.CodeInvalid, Err: err, Hint: "name results of deed run: .deed/runs/RUN/report.json, or what --json printed"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", invalid(err)
	}
	var r deed.RunResult
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, "", invalid(err)
	}
	if r.Deed != deed.Format {
		return nil, "", invalid(fmt.Errorf("it is no result of format %d", deed.Format))
	}
	return &r, filepath.Dir(path), nil
}

// gatherShots copies the pictures of a run, which are in from, to the folder shots in to, and makes the result name them there. A picture that is not there, and
// a name that leads out of the folder, are left as they are: reports say that the picture is missing.
func gatherShots(r *deed.RunResult, from, to string, n int) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return &deed.Error{Op: "merge", Where: from, Code: deed.CodeEnvironment, Err: err}
	}
	defer root.Close()
	moved := map[string]string{}
	move := func(name *string) error {
		if *name == "" || !fs.ValidPath(*name) {
			return nil
		}
		if as, done := moved[*name]; done {
			*name = as
			return nil
		}
		data, err := root.ReadFile(filepath.FromSlash(*name))
		if err != nil {
			return nil
		}
		as := fmt.Sprintf("shots/%d-%s", n+1, strings.ReplaceAll(strings.TrimPrefix(*name, "shots/"), "/", "-"))
		if r.Run != "" && fs.ValidPath(r.Run) {
			as = fmt.Sprintf("shots/%s-%s", strings.ReplaceAll(r.Run, "/", "-"), strings.ReplaceAll(strings.TrimPrefix(*name, "shots/"), "/", "-"))
		}
		moved[*name] = as
		if err := replaceFile(filepath.Join(to, filepath.FromSlash(as)), data); err != nil {
			return &deed.Error{Op: "merge", Where: as, Code: deed.CodeEnvironment, Err: err}
		}
		*name = as
		return nil
	}
	var each func(c *deed.CaseResult) error
	each = func(c *deed.CaseResult) error {
		for _, list := range [][]deed.StepResult{c.Steps, c.Teardown} {
			for i := range list {
				if s := list[i].Shots; s != nil {
					if err := errors.Join(move(&s.Before), move(&s.After)); err != nil {
						return err
					}
				}
			}
		}
		for i := range c.Retries {
			if err := each(&c.Retries[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range r.Cases {
		if err := each(&r.Cases[i]); err != nil {
			return err
		}
	}
	return nil
}
