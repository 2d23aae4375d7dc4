package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	files := regexp.MustCompile(`(?m)^ *files: \[(.*?)\]`)
	for _, m := range found {
		// The files that an example uploads lie beside it.
		dir := t.TempDir()
		for _, list := range files.FindAllStringSubmatch(m[1], -1) {
			for name := range strings.SplitSeq(list[1], ", ") {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("a file"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		cases, problems := casefile.Parse(filepath.Join(dir, "formats.deed.yaml"), []byte(m[1]), casefile.Options{
			LookupEnv: func(string) (string, bool) { return "a value", true }})
		for _, p := range problems {
			t.Errorf("%v (%s)", p, p.Hint)
		}
		if len(cases) == 0 {
			t.Errorf("no case in\n%s", m[1])
		}
	}
}
