package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
)

type fmtOptions struct {
	check bool
	diff  bool
	to    string
}

func newFmt(a *app) *cobra.Command {
	var o fmtOptions
	c := &cobra.Command{
		Use: "fmt FILE|DIR…", Short: "write case files in canonical form",
		Long: `Writes case files, and fragments, in canonical form: keys in the order of the documentation, quotes where YAML needs
them, locators on one line. Comments, blank lines between steps and keys that are not known are kept, and what is
read from a file stays what it was. Folders are walked for *.deed.yaml, *.deed.yml and *.fragment.yaml; "-" is standard
input, which goes to standard output. The names of the files that were changed are printed.

A file that is not YAML is complained about with its place and left as it is; the others are written all the same.

--to yaml prints a Markdown or JSON case file as the YAML that it was read as.

Exit status: 0; 1 with --check or --diff: a file is not in canonical form; 2 usage, or a file that cannot be read or written.`,
		Example: "  deed fmt cases/\n  deed fmt --check .\n  deed fmt --to yaml shop.deed.md > shop.deed.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a case file or a folder is missing")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case o.to != "" && o.to != "yaml":
				return &deed.Error{Op: "fmt", Where: "--to " + o.to, Code: deed.CodeInvalid, Err: errors.New("it is yaml")}
			case o.to != "":
				return a.convert(args)
			}
			return a.fmt(args, o)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; list the files that are not in canonical form")
	c.Flags().BoolVar(&o.diff, "diff", false, "write nothing; show what would be changed")
	c.Flags().StringVar(&o.to, "to", "", "print files of another form as `yaml`")
	return c
}

// formatted is one text before and after.
type formatted struct {
	name          string
	before, after []byte
}

func (a *app) fmt(paths []string, o fmtOptions) error {
	var problems []casefile.Problem
	changed := false
	for _, path := range paths {
		if path == "-" {
			in, err := io.ReadAll(io.LimitReader(a.In, casefile.MaxFile+1))
			if err != nil {
				return unreadable("fmt", "standard input", err)
			}
			if len(in) > casefile.MaxFile {
				return &deed.Error{Op: "fmt", Where: "standard input", Code: deed.CodeInvalid, Err: fmt.Errorf("a case file has at most %d KB", casefile.MaxFile>>10)}
			}
			after, bad := casefile.Format("standard input", in)
			problems = append(problems, bad...)
			if len(bad) > 0 {
				continue
			}
			differs, err := a.tell(formatted{"standard input", in, after}, o)
			if err != nil {
				return err
			}
			changed = changed || differs
			if !o.check && !o.diff {
				if _, err := a.Out.Write(after); err != nil {
					return err
				}
			}
			continue
		}
		files, bad := casefile.Formattable(path)
		problems = append(problems, bad...)
		for _, file := range files {
			differs, bad, err := a.fmtFile(file, o)
			if err != nil {
				bad = append(bad, casefile.Problem{Pos: deed.Pos{File: file}, Err: err})
			}
			problems = append(problems, bad...)
			changed = changed || differs
		}
	}
	switch {
	case a.lament(problems):
		return exit(statusInvalid)
	case changed && (o.check || o.diff):
		return exit(statusMismatch)
	}
	return nil
}

// fmtFile writes one file; differs says that it was not in canonical form.
func (a *app) fmtFile(file string, o fmtOptions) (differs bool, problems []casefile.Problem, err error) {
	before, bad := casefile.ReadFile(file)
	if bad != nil {
		return false, []casefile.Problem{*bad}, nil
	}
	after, problems := casefile.Format(file, before)
	if len(problems) > 0 {
		return false, problems, nil
	}
	if differs, err = a.tell(formatted{file, before, after}, o); err != nil || !differs || o.check || o.diff {
		return differs, nil, err
	}
	return true, nil, replace(file, after)
}

// tell prints what is asked for about a text that is not in canonical form.
func (a *app) tell(f formatted, o fmtOptions) (differs bool, err error) {
	if bytes.Equal(f.before, f.after) {
		return false, nil
	}
	switch {
	case o.diff:
		_, err = io.WriteString(a.Out, unified(f.name, f.name+" (canonical)", lines(f.before), lines(f.after)))
	case o.check || f.name != "standard input":
		_, err = fmt.Fprintln(a.Out, f.name)
	}
	return true, err
}

// lament tells of problems, and reports whether there are any.
func (a *app) lament(problems []casefile.Problem) bool {
	for _, p := range problems {
		fmt.Fprintln(a.Err, p.Error())
		if p.Hint != "" {
			fmt.Fprintf(a.Err, "  hint: %s\n", p.Hint)
		}
	}
	return len(problems) > 0
}

// convert prints files of another form as YAML, as one stream of documents.
func (a *app) convert(files []string) error {
	var out bytes.Buffer
	var problems []casefile.Problem
	for _, file := range files {
		data, bad := casefile.ReadFile(file)
		if bad != nil {
			problems = append(problems, *bad)
			continue
		}
		text, bads := casefile.FormatAs(file, data)
		problems = append(problems, bads...)
		if out.Len() > 0 && len(text) > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	if a.lament(problems) {
		return exit(statusInvalid)
	}
	_, err := a.Out.Write(out.Bytes())
	return err
}

// replace writes a file anew, at once or not at all, with the mode that it has. Where a link leads to it, the link stays.
func replace(file string, data []byte) error {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return unreadable("fmt", file, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return unreadable("fmt", file, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(real), ".deed-fmt-*")
	if err != nil {
		return unreadable("fmt", file, err)
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), real)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return unreadable("fmt", file, err)
	}
	return nil
}
