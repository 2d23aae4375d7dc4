package schema_test

import (
	"cmp"
	"errors"
	"path/filepath"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/schema"
)

// TestCaseGaps: what is listed as seen by deed run and not by the schema is just that.
func TestCaseGaps(t *testing.T) {
	s := compile(t, "case")
	dir := t.TempDir()
	for _, g := range schema.CaseGaps() {
		head := g.Head
		if head != "" {
			head += ","
		}
		doc := `{"deed":1,"case":"a","start":"http://127.0.0.1/",` + head + `"steps":[` + cmp.Or(g.Sample, `"back"`) + `]}`
		if err := s.Validate(instance(t, doc)); err != nil {
			t.Errorf("%s: the schema sees it: %v", g.Name, err)
		}
		cases, problems := casefile.Parse(filepath.Join(dir, "a.deed.json"), []byte(doc), casefile.Options{})
		if len(cases) > 0 || len(problems) != 1 || !errors.Is(problems[0], deed.CodeInvalid) {
			t.Errorf("%s: the reader says %v", g.Name, problems)
		}
	}
}
