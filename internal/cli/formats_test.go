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
	fragments := map[string]string{} // by name
	for _, m := range found {
		if name, _, ok := strings.Cut(strings.TrimPrefix(m[1], "fragment: "), "\n"); ok && strings.HasPrefix(m[1], "fragment: ") {
			fragments[name] = m[1]
		}
	}
	for _, m := range found {
		if strings.HasPrefix(m[1], "fragment: ") {
			continue // it is read with the case that uses it
		}
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
		for name, text := range fragments {
			if !strings.Contains(m[1], "fragment: "+name) {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name+".fragment.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			delete(fragments, name)
		}
		cases, problems := casefile.Parse(filepath.Join(dir, "formats.deed.yaml"), []byte(m[1]), casefile.Options{
			BaseURL: "http://127.0.0.1:8080", LookupEnv: func(string) (string, bool) { return "a value", true }})
		for _, p := range problems {
			t.Errorf("%v (%s)", p, p.Hint)
		}
		if len(cases) == 0 {
			t.Errorf("no case in\n%s", m[1])
		}
	}
	for name := range fragments {
		t.Errorf("no case uses the fragment %s", name)
	}
}
