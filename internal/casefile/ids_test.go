package casefile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

// An id becomes the name of files: one that leads out of its folder is refused wherever it can be written, before any file is
// looked for.
func TestWU47_IDsThatLeadElsewhere(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// What would be found if it were looked for.
	for _, name := range []string{"x.fragment.yaml", "x.deed.yaml"} {
		text := "deed: 1\nfragment: x\nsteps: [back]\n"
		if strings.Contains(name, ".deed.") {
			text = "deed: 1\ncase: x\nstart: http://127.0.0.1/\nsteps: [back]\n"
		}
		if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"../x", "a/../../x", "/abs", `a\u0000`, "..", ".", "", `a\\b`, "C:x", "~/x"} {
		quoted := `"` + id + `"`
		for what, doc := range map[string]string{
			"case":       `{"deed": 1, "case": ` + quoted + `, "start": "http://127.0.0.1/", "steps": ["back"]}`,
			"depends_on": `{"deed": 1, "case": "a", "start": "http://127.0.0.1/", "depends_on": [` + quoted + `], "steps": ["back"]}`,
			"use":        `{"deed": 1, "case": "a", "start": "http://127.0.0.1/", "steps": [{"use": {"fragment": ` + quoted + `}}]}`,
		} {
			for _, name := range []string{"a.deed.json", "a.deed.yaml"} {
				cases, problems := Parse(filepath.Join(dir, name), []byte(doc), Options{LookupEnv: noEnv})
				if len(cases) > 0 || len(problems) == 0 {
					t.Errorf("%s %s is read from %s: %v", what, quoted, name, cases)
					continue
				}
				if p := problems[0]; !errors.Is(p, deed.CodeInvalid) || p.Pos.Line != 1 {
					t.Errorf("%s %s: %v", what, quoted, p)
				}
			}
		}
	}
	for _, id := range []string{"a", "shop/pay", "a-1/b-2"} {
		if !deed.ValidCaseID(id) {
			t.Errorf("%q is refused", id)
		}
	}
}

// Mistakes that the acceptance checks name, each told at its place before any browser starts.
func TestJB25_JB32_JB33_JB39_WU40_Mistakes(t *testing.T) {
	const head = "deed: 1\ncase: a\nstart: http://127.0.0.1/\nsteps:\n"
	for name, tt := range map[string]struct{ text, want string }{
		"JB-25 an unknown verb":                    {head + "  - teleport: {button: Save}\n", `a.deed.yaml:5:5: unknown verb "teleport"`},
		"JB-32 a path that RFC 9535 does not know": {head + "  - http: /a\n    json: {\"$.items[}\": 1}\n", `a.deed.yaml:6:12: "$.items[}" is no JSONPath: unexpected '}' at position 9`},
		"JB-32 of what is saved":                   {head + "  - http: /a\n    save: {id: items.id}\n", `a.deed.yaml:6:16: "items.id" is no JSONPath: unexpected identifier at position 1`},
		"JB-33 a file is asked for":                {head + "  - http: \"file:///etc/passwd\"\n", "a.deed.yaml:5:11: http asks for http and https alone, not for file:"},
		"JB-33 a relative URL of nothing":          {"deed: 1\ncase: a\nsteps:\n  - http: /a\n", `a.deed.yaml:4:11: the URL "/a" is relative, and there is nothing it is relative to`},
		"JB-38 nothing is expected":                {head + "  - expect: []\n", "a.deed.yaml:5:13: nothing is expected"},
		"JB-39 no steps":                           {head[:len(head)-len("steps:\n")], "a.deed.yaml:1:1: the case has no steps"},
		"JB-39 an empty list":                      {head[:len(head)-1] + " []\n", "a.deed.yaml:4:8: the case has no steps"},
		"WU-40 an unknown fragment":                {head + "  - use: {fragment: nobody-wrote-this}\n", `a.deed.yaml:5:10: there is no fragment "nobody-wrote-this"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			cases, problems := Parse("a.deed.yaml", []byte(tt.text), Options{LookupEnv: noEnv})
			if len(cases) > 0 || len(problems) != 1 || problems[0].Error() != tt.want {
				t.Errorf("%d cases, %v\nwant %s", len(cases), problems, tt.want)
			}
		})
	}
}

// A fragment that saves something may be used twice: the last one counts.
func TestFragmentThatSavesTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("who.fragment.yaml", []byte("deed: 1\nfragment: who\nparams: [N]\nsteps:\n  - http: /users/${N}\n    save: {name: $.name}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const head = "deed: 1\ncase: a\nstart: http://127.0.0.1/\nsteps:\n"
	two := "  - use: {fragment: who, with: {N: 1}}\n  - use: {fragment: who, with: {N: 2}}\n  - click: {button: \"Hello ${name}\"}\n"
	cases, problems := Parse("a.deed.yaml", []byte(head+two), Options{LookupEnv: noEnv})
	if len(problems) > 0 || len(cases) != 1 || len(cases[0].Steps) != 3 || cases[0].Steps[1].HTTP.URL != "http://127.0.0.1/users/2" {
		t.Errorf("%v %v", cases, problems)
	}
	other := "  - http: /a\n    save: {name: $.a}\n"
	if _, problems := Parse("a.deed.yaml", []byte(head+two+other), Options{LookupEnv: noEnv}); len(problems) != 1 || !strings.Contains(problems[0].Error(), "name is saved twice") {
		t.Errorf("two steps save under one name: %v", problems)
	}
}
