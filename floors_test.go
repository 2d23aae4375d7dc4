package deed_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/deed-dev/deed"

// A floor says how high a package stands and why. A package imports only lower floors.
type floor struct {
	n   int
	why string
}

// floors is the order of the house. A package that is not listed fails the test: it is placed here first.
var floors = map[string]floor{
	".": {0, "the vocabulary that every floor speaks"},

	"internal/words":      {1, "text: folding, tokens, similarity"},
	"internal/diff":       {1, "the difference of two snapshots is a fact about data"},
	"internal/redact":     {1, "masking comes before anything is logged, shown or sent"},
	"internal/pagescript": {1, "the script and the decoding of its answers; who runs it is not its concern"},
	"internal/snaptext":   {1, "the notation of the fixtures"},
	"internal/cdp":        {1, "the wire; it knows no page"},
	"internal/budget":     {1, "limits of trusted configuration"},
	"internal/approve":    {1, "asking a person, over a channel that the proposer has no hand on"},
	"internal/strictjson": {1, "JSON of strangers, read before anybody knows what it means"},
	"internal/httpstep":   {1, "requests beside the browser, judged by what was declared"},
	"internal/origin":     {1, "which URLs and hosts may be reached is a fact about strings"},

	"internal/locate":   {2, "finding in a snapshot needs words"},
	"internal/casefile": {2, "what a person wrote, complained about before any browser starts"},
	"internal/proposal": {2, "what strangers propose, complained about before any browser starts"},
	"internal/policy":   {2, "what may be done, from data alone; its hints need words"},
	"internal/trace":    {2, "evidence, written before anything is done and readable without a browser"},
	"internal/chrome":   {2, "finding, starting and ending a browser needs the wire"},

	"internal/adapt":   {3, "the calls of models and agents become proposals"},
	"internal/schema":  {3, "the published schemas are made from the forms that are read"},
	"internal/gate":    {3, "policy, person, budget and trace before every effect; no browser"},
	"internal/exec":    {4, "plans of strangers, through the gate, in order"},
	"internal/judge":   {3, "a verdict needs locators and words"},
	"internal/history": {3, "what became of many runs, from their results alone"},
	"internal/lock":    {3, "what a proven case did; an address that it proposes is found by the code that finds everything else"},

	"internal/verify": {4, "the loop, over a Driver that it declares itself"},
	"internal/page":   {4, "one tab; a Driver by shape alone"},
	"internal/report": {4, "views for people and programs, readable without a browser"},

	"internal/trend": {5, "the history's answers, told: in the report's colours"},

	"browser": {5, "the public hands: page and verify wired together"},

	"internal/record": {7, "what a person does in a tab becomes a case; its tests run it"},

	"internal/runner": {6, "cases are carried out with the public hands"},
	"internal/demo":   {6, "the demo is an ordinary user of the public hands"},

	"internal/cli": {8, "parse, call, render"},

	"cmd/deed": {9, "wiring only"},
	"bench":    {9, "a program of its own"},
	"truth":    {9, "a program of its own: how often a verdict is false"},
	"gallery":  {9, "tests alone: cases on real components"},
}

// testFloors are for tests alone: test files may import them from any floor below theirs, nothing else may.
var testFloors = map[string]floor{
	"internal/proposaltest": {3, "proposals of every kind, drawn at random"},
	"internal/reporttest":   {1, "results of runs, made up"},
	"internal/drivertest":   {5, "the fake driver and the contract that every driver passes"},
	"internal/browsertest":  {7, "one browser a test process, a page a test"},
}

// apart forbids what the floors alone would allow.
var apart = []struct{ from, to, why string }{
	{"internal/verify", "internal/page", "the loop is tested against a fake that lies; it must not know the real driver"},
	{"internal/verify", "internal/cdp", "the loop speaks the vocabulary, not the protocol"},
	{"internal/verify", "internal/pagescript", "the loop speaks the vocabulary, not the script"},
	{"internal/page", "internal/verify", "a driver never judges"},
	{"internal/page", "internal/judge", "a driver never judges"},
	{"internal/judge", "internal/cdp", "a verdict is reached from data"},
	{"internal/judge", "internal/chrome", "a verdict is reached from data"},
	{"internal/report", "internal/cdp", "evidence is readable on a machine with no browser"},
	{"internal/report", "internal/chrome", "evidence is readable on a machine with no browser"},
	{"internal/runner", "internal/page", "cases have no hands that a Go program has not"},
	{"internal/demo", "internal/page", "the demo shows what a user can do"},
	{"cmd/deed", "browser", "a program's main decides nothing"},
}

// owners says which packages may link a third-party module, and what it is for.
var owners = map[string]struct {
	packages []string
	why      string
}{
	"github.com/chromedp/cdproto":           {[]string{"internal/cdp", "internal/chrome", "internal/page", "internal/record", "browser"}, "types of the DevTools protocol"},
	"github.com/chromedp/chromedp":          {[]string{"internal/cdp", "internal/chrome", "internal/page"}, "the transports that carry the bytes; the table of keys"},
	"github.com/go-json-experiment/json":    {[]string{"internal/cdp", "internal/strictjson"}, "the encoding that cdproto speaks; its tokens refuse what I-JSON refuses"},
	"github.com/goccy/go-yaml":              {[]string{"internal/casefile", "internal/lock"}, "YAML with positions"},
	"github.com/joho/godotenv":              {[]string{"internal/casefile"}, ".env.local"},
	"github.com/spf13/cobra":                {[]string{"internal/cli"}, "the command line"},
	"github.com/spf13/pflag":                {[]string{"internal/cli"}, "the command line"},
	"golang.org/x/net":                      {[]string{"internal/origin", "internal/httpstep"}, "the public suffix list"},
	"github.com/theory/jsonpath":            {[]string{"internal/httpstep"}, "JSONPath, RFC 9535"},
	"golang.org/x/sys":                      {[]string{"internal/chrome", "internal/trace"}, "process groups and parent-death signals"},
	"golang.org/x/text":                     {[]string{"internal/words", "internal/redact", "internal/judge"}, "Unicode normalisation"},
	"golang.org/x/sync":                     {[]string{"internal/cdp", "internal/page"}, "groups of goroutines"},
	"github.com/evanw/esbuild":              {nil, "tests: parsing the page script, bundling the gallery's components"},
	"github.com/google/go-cmp":              {nil, "tests: differences that can be read"},
	"github.com/rogpeppe/go-internal":       {nil, "tests: testscript and txtar"},
	"github.com/santhosh-tekuri/jsonschema": {nil, "tests: schemas against the meta-schema, documents against schemas"},
	"go.uber.org/goleak":                    {nil, "tests: no goroutine is left behind"},
	"golang.org/x/tools":                    {nil, "tests: txtar"},
	"pgregory.net/rapid":                    {nil, "tests: properties"},
	"modernc.org/sqlite":                    {[]string{"internal/history"}, "the file of the history: SQLite without cgo"},
	"github.com/cedar-policy/cedar-go":      {[]string{"internal/policy"}, "the language of policies: parsing, validating, evaluating"},
}

// rootImports is all of the standard library that the vocabulary may use: nothing that does I/O.
var rootImports = []string{"encoding/json", "errors", "fmt", "regexp", "slices", "strconv", "strings", "sync", "time"}

// rootCalls are what the vocabulary may not call although the package is allowed: the clock.
var rootCalls = map[string][]string{"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}}

// A source is one Go file.
type source struct {
	path string // slash-separated, from the root
	pkg  string // its folder
	test bool
	file *ast.File
}

// sources reads every Go file of the module, whatever its build constraints; nested modules and testdata are others'.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	fset := token.NewFileSet()
	var out []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && foreign(p, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p = filepath.ToSlash(p)
		out = append(out, source{path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go"), file: f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d Go files found: the tests of the repository run at its root", len(out))
	}
	return fset, out
}

// foreign reports whether a folder is no part of the module's code.
func foreign(dir, name string) bool {
	if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "bin" {
		return true
	}
	nested, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return len(nested) > 0
}

// owner returns the third-party module that an import belongs to, "" for none that is listed.
func owner(imp string) string {
	best := ""
	for m := range owners {
		if (imp == m || strings.HasPrefix(imp, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

func TestFloors(t *testing.T) {
	fset, files := sources(t)
	used := map[string]bool{}
	for _, s := range files {
		at, known := floors[s.pkg]
		tf, forTests := testFloors[s.pkg]
		if !known && !forTests {
			t.Errorf("%s: package %s stands on no floor: place it in floors_test.go", s.path, s.pkg)
			continue
		}
		if forTests {
			at = tf
		}
		used[s.pkg] = true
		for _, spec := range s.file.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			where := fset.Position(spec.Pos())
			first, _, _ := strings.Cut(imp, "/")
			switch {
			case imp == module || strings.HasPrefix(imp, module+"/"):
				to := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
				if to == "" {
					to = "."
				}
				checkFloor(t, where, s, at, to, forTests)
			case strings.Contains(first, "."):
				m := owner(imp)
				if m == "" {
					t.Errorf("%s: %s has no owner: say in floors_test.go who may link it and why", where, imp)
				} else if !s.test && !forTests && !slices.Contains(owners[m].packages, s.pkg) {
					t.Errorf("%s: %s may not link %s (%s); its owners are %v", where, s.pkg, m, owners[m].why, owners[m].packages)
				}
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(floors)) {
		if !used[p] {
			t.Errorf("floors_test.go lists %s, which holds no Go file", p)
		}
	}
}

func checkFloor(t *testing.T, where token.Position, s source, at floor, to string, forTests bool) {
	t.Helper()
	dest, known := floors[to]
	tf, toTests := testFloors[to]
	switch {
	case toTests && (s.test || forTests && tf.n < at.n):
		return
	case toTests:
		t.Errorf("%s: %s imports %s, which is for tests alone", where, s.pkg, to)
		return
	case !known:
		t.Errorf("%s: %s stands on no floor", where, to)
		return
	case to == s.pkg:
		return // an external test of the package itself
	}
	for _, a := range apart {
		if !s.test && a.from == s.pkg && a.to == to {
			t.Errorf("%s: %s must not import %s: %s", where, s.pkg, to, a.why)
		}
	}
	if to == "internal/snaptext" && s.test {
		return // the notation of fixtures
	}
	if dest.n >= at.n {
		t.Errorf("%s: %s (floor %d: %s) imports %s (floor %d: %s): only lower floors", where, s.pkg, at.n, at.why, to, dest.n, dest.why)
	}
}

func TestFloors_VocabularyIsDataOnly(t *testing.T) {
	fset, files := sources(t)
	n := 0
	for _, s := range files {
		if s.pkg != "." || s.test {
			continue
		}
		n++
		for _, spec := range s.file.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			if !slices.Contains(rootImports, imp) {
				t.Errorf("%s: the vocabulary imports %s; it may use %v", fset.Position(spec.Pos()), imp, rootImports)
			}
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			switch x := node.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: the vocabulary starts a goroutine", fset.Position(x.Pos()))
			case *ast.SelectorExpr:
				if id, ok := x.X.(*ast.Ident); ok && slices.Contains(rootCalls[id.Name], x.Sel.Name) {
					t.Errorf("%s: the vocabulary calls %s.%s", fset.Position(x.Pos()), id.Name, x.Sel.Name)
				}
			}
			return true
		})
	}
	if n == 0 {
		t.Fatal("no file of the vocabulary found")
	}
}
