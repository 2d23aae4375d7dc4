package casefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWU30_ChainsOfCases(t *testing.T) {
	for name, tt := range map[string]struct {
		files  map[string]string // path: ids it depends on
		load   []string
		others string
		want   string // of the problem
	}{
		"none":                  {map[string]string{"a": ""}, []string{"a"}, "", ""},
		"among those given":     {map[string]string{"a": "b", "b": ""}, []string{"a", "b"}, "", ""},
		"beside":                {map[string]string{"a": "b", "b": ""}, []string{"a"}, "b", ""},
		"elsewhere":             {map[string]string{"x/a": "b", "y/z/b": "c", "c": ""}, []string{"x/a"}, "b c", ""},
		"by two":                {map[string]string{"a": "c", "b": "c", "c": ""}, []string{"a", "b"}, "c", ""},
		"five":                  {map[string]string{"a": "b", "b": "c", "c": "d", "d": "e", "e": ""}, []string{"a"}, "b c d e", ""},
		"six":                   {map[string]string{"a": "b", "b": "c", "c": "d", "d": "e", "e": "f", "f": ""}, []string{"a"}, "", "more than 5 cases depend on each other: a → b → c → d → e → f"},
		"seven is told once":    {map[string]string{"a": "b", "b": "c", "c": "d", "d": "e", "e": "f", "f": "g", "g": ""}, []string{"a"}, "", "more than 5 cases depend on each other: b → c → d → e → f → g"},
		"a ring":                {map[string]string{"a": "b", "b": "c", "c": "a"}, []string{"a"}, "", "cases depend on each other: a → b → c → a"},
		"a ring below":          {map[string]string{"a": "b", "b": "c", "c": "b"}, []string{"a"}, "", "cases depend on each other: a → b → c → b"},
		"nobody":                {map[string]string{"a": "sign-on", "sign-in": ""}, []string{"a"}, "", "a depends on sign-on, and there is no such case"},
		"a malformed neighbour": {map[string]string{"a": "b", "b": "", "bad": "!"}, []string{"a"}, "b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("deed.yaml", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			for path, on := range tt.files {
				file := filepath.FromSlash(path) + ".deed.yaml"
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				text := fmt.Sprintf("deed: 1\ncase: %s\nstart: http://127.0.0.1/\n", filepath.Base(path))
				if on != "" {
					text += "depends_on: [" + on + "]\n"
				}
				if err := os.WriteFile(file, []byte(text+"steps: [reload]\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var load []string
			for _, l := range tt.load {
				load = append(load, filepath.FromSlash(l)+".deed.yaml")
			}
			cases, problems := Load(load, Options{LookupEnv: noEnv})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			others, problems := Others(cases, Options{LookupEnv: noEnv})
			var ids []string
			for _, c := range others {
				ids = append(ids, c.ID)
			}
			if got := strings.Join(ids, " "); got != tt.others {
				t.Errorf("others: %q, want %q", got, tt.others)
			}
			var said []string
			for _, p := range problems {
				said = append(said, p.Err.Error())
			}
			if got := strings.Join(said, "\n"); got != tt.want {
				t.Errorf("problems: %q, want %q", got, tt.want)
			}
		})
	}
}
