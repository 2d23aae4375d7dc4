package cli_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/deed-dev/deed/internal/casefile"
)

// TestFormats_Cases: every case file that docs/formats.md shows is read without complaint.
func TestFormats_Cases(t *testing.T) {
	data, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(data), -1)
	if len(found) == 0 {
		t.Fatal("docs/formats.md shows no case file")
	}
	for _, m := range found {
		cases, problems := casefile.Parse("formats.deed.yaml", []byte(m[1]), casefile.Options{
			LookupEnv: func(string) (string, bool) { return "a value", true }})
		for _, p := range problems {
			t.Errorf("%v (%s)", p, p.Hint)
		}
		if len(cases) == 0 {
			t.Errorf("no case in\n%s", m[1])
		}
	}
}
