package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

var row = regexp.MustCompile("(?m)^\\| *`([a-z_]+)` *\\| *(?:`([a-z_]+)`)? *\\| *(\\d+) *\\|")

// TestStatuses_AsDocumented: docs/errors.md says for every code what the program does. (That it has every code is a test
// at the root.)
func TestStatuses_AsDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := row.FindAllStringSubmatch(string(data), -1)
	if len(rows) < 20 {
		t.Fatalf("only %d rows in docs/errors.md", len(rows))
	}
	for _, m := range rows {
		code, general := deed.Code(m[1]), deed.Code(m[2])
		if general == "" {
			general = code
		}
		if got := code.General(); got != general {
			t.Errorf("%s is a case of %s, the document says %s", code, got, general)
		}
		want, _ := strconv.Atoi(m[3])
		if got := statusOf(fmt.Errorf("around: %w", &deed.Error{Code: code})); got != want {
			t.Errorf("%s gives exit status %d, the document says %d", code, got, want)
		}
	}
	if got := statusOf(errors.New("anything")); got != statusMismatch {
		t.Errorf("an error without a code gives %d", got)
	}
	if got := statusOf(nil); got != statusOK {
		t.Errorf("no error gives %d", got)
	}
}

// TestRunStatus: the worst case decides.
func TestRunStatus(t *testing.T) {
	verified := deed.CaseResult{Outcome: deed.OutcomeVerified}
	already := deed.CaseResult{Outcome: deed.OutcomeAlready}
	mismatch := deed.CaseResult{Outcome: deed.OutcomeMismatch, Code: deed.CodeMismatch}
	refused := deed.CaseResult{Outcome: deed.OutcomeRefused, Code: deed.CodeRefused}
	gone := deed.CaseResult{Outcome: deed.OutcomeFailed, Code: deed.CodeDisconnected}
	timeout := deed.CaseResult{Outcome: deed.OutcomeFailed, Code: deed.CodeTimeout}
	cancelled := deed.CaseResult{Outcome: deed.OutcomeCancelled, Code: deed.CodeCancelled}
	for _, c := range []struct {
		want  int
		cases []deed.CaseResult
	}{
		{0, []deed.CaseResult{verified, already}},
		{1, []deed.CaseResult{verified, mismatch}},
		{1, []deed.CaseResult{timeout}},
		{3, []deed.CaseResult{verified, refused}},
		{1, []deed.CaseResult{refused, mismatch}},
		{4, []deed.CaseResult{mismatch, gone, verified}},
		{130, []deed.CaseResult{mismatch, gone, cancelled}},
	} {
		if got := runStatus(&deed.RunResult{Cases: c.cases}); got != c.want {
			var names []string
			for _, x := range c.cases {
				names = append(names, x.Outcome.String())
			}
			t.Errorf("%s: exit status %d, want %d", strings.Join(names, ", "), got, c.want)
		}
	}
	if got := runStatus(&deed.RunResult{Problems: []deed.ProblemResult{{}}}); got != 2 {
		t.Errorf("a file that cannot be run gives %d", got)
	}
}

func TestAddressOf(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("my page.html", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"http://a.example/x?y#z":  "http://a.example/x?y#z",
		"a.example/x":             "https://a.example/x",
		"localhost:8080/shop":     "http://localhost:8080/shop",
		"127.0.0.1:8080":          "http://127.0.0.1:8080",
		"[::1]:8080/":             "http://[::1]:8080/",
		"data:text/html,<p>Hello": "data:text/html,<p>Hello",
		"about:blank":             "about:blank",
		"my page.html":            "file://" + filepath.ToSlash(dir) + "/my%20page.html",
	} {
		if got, err := addressOf(in); err != nil || got != want {
			t.Errorf("%q gives %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "nothing-here", "http://", "http://a b/", "://x"} {
		if got, err := addressOf(in); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q gives %q, %v; want an invalid input", in, got, err)
		}
	}
}
