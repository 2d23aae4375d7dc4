package lock

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestDocs: docs/locks.md shows what the code does, and names every code.
func TestDocs(t *testing.T) {
	const path = "testdata/doc.txtar"
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t, a, path}
	c := f.theCase()
	c.ID = "order"
	l := Merge(Record(c, []Evidence{f.evidence(c, "")}), Record(c, []Evidence{f.evidence(c, "again ")}))
	third := f.evidence(c, "third ")
	f.want("lock", string(encode([]*Case{l})))
	f.want("diverged", lines(l.Check(c, 0, third)))
	f.want("change", strings.Join(Lines(l, Accept(l, Record(c, []Evidence{third}))), "\n")+"\n")
	const doc = "../../docs/locks.md"
	data, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	shown := regexp.MustCompile("(?ms)<!-- internal/lock/testdata/doc.txtar: (\\S+) -->\n```\\w*\n(.*?)^```$")
	if *update {
		if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		text = shown.ReplaceAllStringFunc(text, func(s string) string {
			m := shown.FindStringSubmatch(s)
			return strings.Replace(s, m[2], f.section(m[1]), 1)
		})
		if err := os.WriteFile(doc, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, m := range shown.FindAllStringSubmatch(text, -1) {
		n++
		if m[2] != f.section(m[1]) {
			t.Errorf("docs/locks.md shows as %s\n%s\nit is\n%s", m[1], m[2], f.section(m[1]))
		}
	}
	if n < 2 {
		t.Errorf("%d examples", n)
	}
	for _, code := range Codes() {
		if !strings.Contains(text, "`"+code+"`") {
			t.Errorf("docs/locks.md does not tell what %s means", code)
		}
	}
	for _, w := range wild {
		if !strings.Contains(text, "`{"+w.name+"}`") {
			t.Errorf("docs/locks.md does not tell what {%s} stands for", w.name)
		}
	}
}
