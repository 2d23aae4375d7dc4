package record_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/deed-dev/deed/internal/casefile"
)

// The case that docs/recording.md shows is one.
func TestDocsExample(t *testing.T) {
	text, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindSubmatch(text)
	if m == nil {
		t.Fatal("docs/recording.md shows no case")
	}
	cases, problems := casefile.Parse("shop.deed.yaml", m[1], casefile.Options{LookupEnv: func(string) (string, bool) { return "a value", true }})
	if len(problems) > 0 || len(cases) != 1 || len(cases[0].Steps) != 4 {
		t.Errorf("%v", problems)
	}
}
