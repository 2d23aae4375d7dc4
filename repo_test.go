package deed_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRepo_PackageComments: every package says what it may know and must never know.
func TestRepo_PackageComments(t *testing.T) {
	_, files := sources(t)
	docs := map[string]string{}
	for _, s := range files {
		if s.test {
			continue
		}
		docs[s.pkg] += "" // the package is there
		if s.file.Doc != nil {
			docs[s.pkg] += s.file.Doc.Text()
		}
	}
	for pkg, doc := range docs {
		switch {
		case doc == "":
			t.Errorf("%s has no package comment", pkg)
		case strings.HasPrefix(pkg, "internal/") && !strings.Contains(doc, "Law of this package"):
			t.Errorf("%s: the package comment does not state the law of the package", pkg)
		}
	}
}

// TestRepo_NoReplace: whoever uses the module gets the dependencies that were tested.
func TestRepo_NoReplace(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		if f := strings.Fields(line); len(f) > 0 && (f[0] == "replace" || f[0] == "exclude") {
			t.Errorf("go.mod:%d: %s", i+1, line)
		}
	}
}

const maxLines = 700

// TestRepo_FileSize: a file that nobody can read in one sitting is two files.
func TestRepo_FileSize(t *testing.T) {
	n := 0
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		switch ext := filepath.Ext(p); {
		case ext != ".go" && ext != ".js" && ext != ".mjs", strings.HasSuffix(p, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		n++
		if lines := bytes.Count(data, []byte("\n")); lines > maxLines {
			t.Errorf("%s has %d lines, more than %d", p, lines, maxLines)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
}

// codes are the error codes that errors.go declares.
func codes(t *testing.T) []string {
	t.Helper()
	_, files := sources(t)
	var out []string
	for _, s := range files {
		if s.path != "errors.go" {
			continue
		}
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Code" {
					continue
				}
				word, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, word)
			}
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %d codes found in errors.go", len(out))
	}
	return out
}

var codeRow = regexp.MustCompile("(?m)^\\| *`([a-z_]+)` *\\|")

// TestRepo_ErrorsAreDocumented: docs/errors.md lists every code, and no other.
func TestRepo_ErrorsAreDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range codeRow.FindAllStringSubmatch(string(data), -1) {
		if slices.Contains(documented, m[1]) {
			t.Errorf("docs/errors.md lists %s twice", m[1])
		}
		documented = append(documented, m[1])
	}
	declared := codes(t)
	for _, c := range declared {
		if !slices.Contains(documented, c) {
			t.Errorf("docs/errors.md does not say what %s means", c)
		}
	}
	for _, c := range documented {
		if !slices.Contains(declared, c) {
			t.Errorf("docs/errors.md speaks of %s, which errors.go does not declare", c)
		}
	}
}

// lastCheck is the number of the last acceptance check of each family: verification (AP), policy (AA).
var lastCheck = map[string]int{"AP": 53, "AA": 65}

// later are the checks that cannot be made yet, each with what is missing.
var later = map[string]string{}

var (
	checkInFunc = regexp.MustCompile(`(AP|AA)(\d+)(?:_|$)`)
	checkInText = regexp.MustCompile(`\b(AP|AA)-(\d+)\b`)
)

// TestRepo_AcceptanceChecks: each check has a test that bears its number: in a test function's name, in a string of a
// test (the name of a subtest), or in the name of a fixture.
func TestRepo_AcceptanceChecks(t *testing.T) {
	held := map[string][]string{}
	note := func(re *regexp.Regexp, s, where string) {
		for _, m := range re.FindAllStringSubmatch(s, -1) {
			held[m[1]+"-"+m[2]] = append(held[m[1]+"-"+m[2]], where)
		}
	}
	_, files := sources(t)
	for _, s := range files {
		if !s.test || s.path == "repo_test.go" {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			switch x := node.(type) {
			case *ast.FuncDecl:
				if x.Recv == nil && strings.HasPrefix(x.Name.Name, "Test") {
					note(checkInFunc, x.Name.Name, s.path)
				}
			case *ast.BasicLit:
				if x.Kind == token.STRING {
					note(checkInText, x.Value, s.path)
				}
			}
			return true
		})
	}
	section := regexp.MustCompile(`(?m)^-- (.+) --$`)
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.Contains(filepath.ToSlash(p), "testdata/") {
			return nil
		}
		note(checkInText, d.Name(), p)
		if filepath.Ext(p) == ".txtar" {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			for _, m := range section.FindAllStringSubmatch(string(data), -1) {
				note(checkInText, m[1], p)
			}
			for line := range strings.Lines(string(data)) {
				if strings.HasPrefix(line, "# ") { // a script says what its next lines hold
					note(checkInText, line, p)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for family, last := range lastCheck {
		for n := 1; n <= last; n++ {
			id := family + "-" + strconv.Itoa(n)
			why, isLater := later[id]
			switch {
			case len(held[id]) == 0 && !isLater:
				t.Errorf("%s: no test bears its number", id)
			case len(held[id]) > 0 && isLater:
				t.Errorf("%s is listed as missing (%s), but %v bears its number: take it off the list", id, why, held[id])
			}
		}
	}
}
