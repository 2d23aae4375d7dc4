package deed_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
)

var fenced = regexp.MustCompile("(?ms)(?:^<!-- (\\S+): ([^\n]+) -->\n)?^```(\\w*)\n(.*?)^```$")

// A block of code in a document.
type block struct {
	file, section string // the fixture it is a copy of
	lang, text    string
}

func blocks(t *testing.T, doc string) []block {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(doc))
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	for _, m := range fenced.FindAllStringSubmatch(string(data), -1) {
		out = append(out, block{m[1], m[2], m[3], m[4]})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no examples", doc)
	}
	return out
}

// TestDocs_Copies: an example that says which fixture it comes from is what that fixture holds.
func TestDocs_Copies(t *testing.T) {
	n := 0
	for _, doc := range []string{"docs/formats.md", "README.md"} {
		for _, b := range blocks(t, doc) {
			if b.file == "" {
				continue
			}
			n++
			a, err := txtar.ParseFile(filepath.FromSlash(b.file))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range a.Files {
				if f.Name == b.section {
					found = true
					if string(f.Data) != b.text {
						t.Errorf("%s: the example of %s is\n%s\nthe fixture holds\n%s", doc, b.section, b.text, f.Data)
					}
				}
			}
			if !found {
				t.Errorf("%s: %s has no section %q", doc, b.file, b.section)
			}
		}
	}
	if n < 2 {
		t.Errorf("only %d examples are copies of fixtures", n)
	}
}

// TestDocs_Results: the examples of results hold nothing that the type does not know.
func TestDocs_Results(t *testing.T) {
	n := 0
	for _, b := range blocks(t, "docs/formats.md") {
		if b.lang != "json" || b.file != "" {
			continue
		}
		n++
		d := json.NewDecoder(strings.NewReader(b.text))
		d.DisallowUnknownFields()
		var r deed.RunResult
		if err := d.Decode(&r); err != nil {
			t.Errorf("%v in\n%s", err, b.text)
			continue
		}
		if r.Deed != deed.Format || len(r.Cases)+len(r.Problems) == 0 {
			t.Errorf("no result of this format:\n%s", b.text)
		}
	}
	if n == 0 {
		t.Error("no result is shown")
	}
}

// TestDocs_Links: every link from one document to another, or to a file, leads somewhere.
func TestDocs_Links(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	docs, err := filepath.Glob("docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatal("no documents", err)
	}
	for _, doc := range append(docs, "README.md", "CHANGELOG.md") {
		data, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", doc, m[1])
			}
		}
	}
}
