package casefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
)

// A case that cannot be read, and what depends on it, is told as failed; all others are run (WU-D17).
func TestRunnable(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"deed.yaml": "",
		"a.deed.yaml": `{deed: 1, case: good, start: "http://127.0.0.1/", depends_on: [elsewhere], steps: [back]}
---
{deed: 1, case: broken, start: "http://127.0.0.1/", steps: [clik: {button: a}, hovr: {button: a}]}
---
{deed: 1, case: needs-broken, start: "http://127.0.0.1/", depends_on: [good, broken], steps: [back]}
---
{deed: 1, case: needs-that, start: "http://127.0.0.1/", depends_on: [needs-broken], steps: [back]}
---
{deed: 1, case: ring-a, start: "http://127.0.0.1/", depends_on: [ring-b], steps: [back]}
---
{deed: 1, case: ring-b, start: "http://127.0.0.1/", depends_on: [ring-a], steps: [back]}
---
{deed: 1, case: lonely, start: "http://127.0.0.1/", depends_on: [nobody], steps: [back]}
`,
		"b.deed.yaml":     "steps: [\n",
		"sub/c.deed.yaml": `{deed: 1, case: elsewhere, start: "http://127.0.0.1/", steps: [back]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{LookupEnv: noEnv}
	cases, problems := Load([]string{"a.deed.yaml", "b.deed.yaml"}, o)
	runnable, others, dropped := Runnable(cases, problems, o)
	ids := func(cases []deed.Case) (out []string) {
		for _, c := range cases {
			out = append(out, c.ID)
		}
		return out
	}
	if d := cmp.Diff([]string{"good"}, ids(runnable)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"elsewhere"}, ids(others)); d != "" {
		t.Error(d)
	}
	got := ""
	for _, r := range Failed(append(problems, dropped...)) {
		if r.Outcome != deed.OutcomeFailed || r.Code != deed.CodeInvalid {
			t.Errorf("%s: %v %v", r.Case, r.Outcome, r.Code)
		}
		got += r.Case + " in " + r.File + ": " + r.Reason + "\n"
	}
	want := `broken in a.deed.yaml: a.deed.yaml:3:61: unknown verb "clik" (did you mean "click"?); a.deed.yaml:3:80: unknown verb "hovr" (did you mean "hover"?)
b.deed.yaml in b.deed.yaml: b.deed.yaml:1:8: sequence end token ']' not found
needs-broken in a.deed.yaml: a.deed.yaml:5:17: needs-broken depends on broken, which cannot be read: a.deed.yaml:3:61: unknown verb "clik"
needs-that in a.deed.yaml: a.deed.yaml:7:17: needs-that depends on needs-broken, which cannot be run: a.deed.yaml:5:17: needs-broken depends on broken, which cannot be read: a.deed.yaml:3:61: unknown verb "clik"
ring-a in a.deed.yaml: a.deed.yaml:9:17: ring-a depends on ring-b, which cannot be run: a.deed.yaml:11:17: cases depend on each other: ring-a → ring-b → ring-a
ring-b in a.deed.yaml: a.deed.yaml:11:17: cases depend on each other: ring-a → ring-b → ring-a
lonely in a.deed.yaml: a.deed.yaml:13:17: lonely depends on nobody, and there is no such case
`
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); d != "" {
		t.Error(d)
	}
}
