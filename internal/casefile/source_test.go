package casefile

import (
	"testing"
)

// A file in another encoding is complained about at the first byte that says so, and never read as something that nobody wrote.
func TestOtherEncodings(t *testing.T) {
	for name, text := range map[string]string{
		"a.deed.yaml": "deed: 1\ncase: a\ntitle: caf\xe9\nstart: http://127.0.0.1/\nsteps: [back]\n",
		"a.deed.json": "{\n\n\"case\": \"\xe9\"}",
		"a.deed.md":   "# A\n\n- title\xe9\n",
	} {
		cases, problems := Parse(name, []byte(text), Options{LookupEnv: noEnv})
		if len(cases) != 0 || len(problems) != 1 || problems[0].Pos.Line != 3 || problems[0].Err.Error() != "this is not UTF-8" {
			t.Errorf("%s: %v, %v", name, cases, problems)
		}
		if out, problems := Format(name, []byte(text)); out != nil || len(problems) != 1 {
			t.Errorf("%s is formatted: %q, %v", name, out, problems)
		}
	}
}
