// Package casefile reads what a person wrote, case files in YAML, JSON or Markdown, into []deed.Case.
//
// Law of this package: it knows the case-file form and nothing of browsers, policies or runs. It may read
// case files, fragments, one address that the caller names, and the environment through [Options.LookupEnv] and .env.local files, the
// latter only to fill in the secrets that a case names. Every complaint carries file, line and column; every complaint of a file is
// reported, not only the first; a case with a complaint is never returned. Nothing it reports contains the
// value of a secret.
package casefile

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// Options are what the caller decides about the files. The zero value is the default.
type Options struct {
	// Vars override the `vars` of every case and may add to them.
	Vars map[string]string
	// LookupEnv finds the value of a secret before any .env.local is read; nil is os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Secrets are the names of those that cases from an address may use: who answers there could otherwise ask for any. Files may use all.
	Secrets []string
	// BaseURL, where not empty, is the variable BASE_URL, stronger than Vars.
	BaseURL string
}

// A Problem is one complaint about one place.
type Problem struct {
	Pos  deed.Pos // Line 0 where the complaint is about the file as a whole
	Err  error    // a *deed.Error
	Hint string   // what to write instead, where that is known
	File string   // the case file that was read; Pos may be in a fragment
	Case string   // the id of the case, where it could be read
}

// Error is "file:line:col: message".
func (p Problem) Error() string { return p.Pos.String() + ": " + p.Err.Error() }

// Unwrap gives the *deed.Error, so that errors.Is(p, deed.CodeInvalid) works.
func (p Problem) Unwrap() error { return p.Err }

// MaxFile bounds what is read: a case file is written by hand.
const MaxFile = 1 << 20

// extensions are the endings by which a case file is found in a folder.
var extensions = []string{".deed.yaml", ".deed.yml", ".deed.json", ".deed.md"}

// Load reads files, and folders walked for *.deed.yaml, *.deed.yml, *.deed.json and *.deed.md, and returns the cases in
// the order of paths, within a folder in the order of names. Hidden folders and node_modules are passed
// over. A path that yields neither a case nor a complaint, and an id that two cases share, are complaints.
// One malformed file never keeps the others from being read.
func Load(paths []string, o Options) (cases []deed.Case, problems []Problem) {
	seen := map[string]bool{} // files read, absolute
	ids := identities{}
	whole := func(path, hint, format string, args ...any) Problem {
		return Problem{Pos: deed.Pos{File: path}, File: path, Err: invalid(format, args...), Hint: hint}
	}
	for _, path := range paths {
		files, bad := find(path)
		problems = append(problems, bad...)
		if len(files) == 0 && len(bad) == 0 {
			problems = append(problems, whole(path, "case files are named *.deed.yaml", "no case file in this folder"))
		}
		for _, file := range files {
			if abs, err := filepath.Abs(file); err == nil {
				if seen[abs] {
					continue
				}
				seen[abs] = true
			}
			data, err := read(file)
			if err != nil {
				problems = append(problems, whole(file, "", "%w", err))
				continue
			}
			found, bad := parse(file, data, o)
			problems = append(problems, bad...)
			cases, problems = ids.add(cases, problems, found)
		}
	}
	return cases, problems
}

// Parse reads the cases of one file. Name stands in positions, tells JSON (ending .json) and Markdown (.md) from YAML, and says
// where the search for .env.local begins.
func Parse(name string, data []byte, o Options) ([]deed.Case, []Problem) {
	found, problems := parse(name, data, o)
	return identities{}.add(nil, problems, found)
}

// identities is where each case id stands.
type identities map[string]deed.Pos

// add takes the cases whose id is new, and complains about the others.
func (ids identities) add(cases []deed.Case, problems []Problem, found []located) ([]deed.Case, []Problem) {
	for _, c := range found {
		if at, twice := ids[c.ID]; twice {
			problems = append(problems, Problem{Pos: c.Pos, File: c.File, Case: c.ID, Hint: "give each case its own id",
				Err: invalid("the case id %q is already used at %s", c.ID, at)})
			continue
		}
		ids[c.ID] = c.Pos
		cases = append(cases, c.Case)
	}
	return cases, problems
}

// A located case is one whose id was not yet compared with those of others.
type located struct{ deed.Case }

func parse(name string, data []byte, o Options) ([]located, []Problem) {
	src := newSource(name, data)
	docs := src.documents()
	if len(docs) == 0 && len(src.problems) == 0 {
		src.complain(deed.Pos{File: name, Line: 1, Column: 1}, "a case begins with deed: 1 and case: its-id", "the file holds no case")
	}
	return src.cases(docs, &environment{dir: filepath.Dir(name), lookup: o.LookupEnv}, o)
}

// documents reads the file in the form that its name says.
func (s *source) documents() []document {
	switch strings.ToLower(filepath.Ext(s.name)) {
	case ".json":
		return s.json()
	case ".md", ".markdown":
		return s.markdown()
	}
	return s.yaml()
}

// cases reads the documents of a source. Complaints are in the order of the file, those of fragments last.
func (s *source) cases(docs []document, env *environment, o Options) (cases []located, problems []Problem) {
	if env.lookup == nil {
		env.lookup = os.LookupEnv
	}
	for i := range s.problems {
		s.problems[i].File = s.name
	}
	for _, doc := range docs {
		before := len(s.problems)
		c := readCase(s, doc.node, env, o)
		if len(s.problems) == before && !doc.flawed {
			cases = append(cases, c)
		}
		for i := range s.problems[before:] {
			p := &s.problems[before+i]
			if p.File = s.name; deed.ValidCaseID(c.ID) {
				p.Case = c.ID
			}
		}
	}
	slices.SortStableFunc(s.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(inFragment(a), inFragment(b)), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return cases, s.problems
}

// inFragment is 1 for a complaint about a fragment.
func inFragment(p Problem) int {
	if p.Pos.File == p.File || p.Pos.Line == 0 {
		return 0
	}
	return 1
}

// find lists the case files of a path.
func find(path string) (files []string, problems []Problem) {
	bad := func(path, hint string, err error) {
		problems = append(problems, Problem{Pos: deed.Pos{File: path}, File: path, Err: invalid("%w", err), Hint: hint})
	}
	info, err := os.Stat(path)
	if err != nil {
		bad(path, "", bare(err))
		return nil, problems
	}
	if !info.IsDir() {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".yaml", ".yml", ".json", ".md", ".markdown":
			return []string{path}, nil
		}
		bad(path, "case files are named *.deed.yaml", fmt.Errorf("not a case file"))
		return nil, problems
	}
	return walk(path, extensions)
}

// walk lists the files of a folder whose names end so.
func walk(path string, endings []string) (files []string, problems []Problem) {
	bad := func(path string, err error) {
		problems = append(problems, Problem{Pos: deed.Pos{File: path}, Err: invalid("%w", bare(err))})
	}
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			bad(p, err)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name := d.Name()
		if d.IsDir() {
			if p != path && (strings.HasPrefix(name, ".") || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		for _, e := range endings {
			if strings.HasSuffix(name, e) && name != e {
				files = append(files, p)
			}
		}
		return nil
	})
	if err != nil {
		bad(path, err)
	}
	slices.Sort(files)
	return files, problems
}

func read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file")
	}
	if info.Size() > MaxFile {
		return nil, fmt.Errorf("%d KB, a case file has at most %d", info.Size()>>10, MaxFile>>10)
	}
	data, err := os.ReadFile(file)
	return data, bare(err)
}

// bare drops the path from a file error: the position names it already.
func bare(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

func invalid(format string, args ...any) error {
	return &deed.Error{Code: deed.CodeInvalid, Err: fmt.Errorf(format, args...)}
}
