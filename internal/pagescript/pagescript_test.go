package pagescript

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/deed-dev/deed"
)

// parse parses JavaScript and fails on every error and warning.
func parse(t *testing.T, name, text string) {
	t.Helper()
	r := api.Transform(text, api.TransformOptions{Sourcefile: name, Target: api.ESNext, LogLevel: api.LogLevelSilent})
	for _, m := range slices.Concat(r.Errors, r.Warnings) {
		where := name
		if m.Location != nil {
			where = name + ": " + m.Location.LineText
		}
		t.Errorf("%s: %s", where, m.Text)
	}
}

func TestScriptParses(t *testing.T) {
	entries, err := files.ReadDir("js")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no files embedded: %v", err)
	}
	for _, e := range entries {
		text, err := files.ReadFile("js/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		parse(t, e.Name(), string(text))
		if !strings.HasPrefix(string(text), "// @ts-check\n") {
			t.Errorf("%s: does not begin with // @ts-check", e.Name())
		}
		if !slices.Contains(parts, strings.TrimSuffix(e.Name(), ".js")) {
			t.Errorf("%s: is not in the list of parts, so it is not in the script", e.Name())
		}
	}
	for _, name := range parts {
		if _, err := files.ReadFile("js/" + name + ".js"); err != nil {
			t.Errorf("part %s has no file", name)
		}
	}
	parse(t, "Source", Source())
	apartFiles, err := apart.ReadDir("apart")
	if err != nil || len(apartFiles) != 4 {
		t.Fatalf("%d files apart: %v", len(apartFiles), err)
	}
	for _, name := range []string{Clock, Seed, Stored, Seal} {
		call := Apart(name, "</script>\u2028")
		parse(t, name, call)
		if !strings.HasPrefix(call, "((") && !strings.HasPrefix(call, "(() =>") {
			t.Errorf("%s is no function: %.60s", name, call)
		}
	}
	// The parts are one scope, and in it the later of two functions of a name silently takes the place of the first.
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:async )?function\*? (\w+)`).FindAllStringSubmatch(Source(), -1) {
		if seen[m[1]] {
			t.Errorf("function %s is there twice", m[1])
		}
		seen[m[1]] = true
	}
	if len(seen) < 100 {
		t.Errorf("only %d functions were looked at", len(seen))
	}
}

func TestSHA256NamesTheSource(t *testing.T) {
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(Source()))); SHA256() != want {
		t.Errorf("SHA256 = %q, want %q", SHA256(), want)
	}
}

// The script and Go speak of states, flags and roles in the same order and words.
func TestWordsAgree(t *testing.T) {
	tab := openTab(t, "<!doctype html><title>-</title>")
	var states, roles []string
	var flags []uint32
	tab.eval("T.STATES", &states)
	tab.eval("T.FLAGS", &flags)
	tab.eval("[...T.ARIA_ROLES]", &roles)
	if !slices.Equal(states, deed.StateNames()) {
		t.Errorf("states:\nscript %v\nGo     %v", states, deed.StateNames())
	}
	if want := []uint32{flagSensitive, flagVolatile, flagUnseen, flagContainer, flagValue, flagBehind}; !slices.Equal(flags, want) {
		t.Errorf("flags: script %v, Go %v", flags, want)
	}
	roles = slices.DeleteFunc(roles, func(r string) bool { return r == "none" || r == "presentation" })
	roles = append(roles, "iframe", "text")
	slices.Sort(roles)
	if !slices.Equal(roles, deed.Roles()) {
		t.Errorf("roles:\nscript %v\nGo     %v", roles, deed.Roles())
	}
}

// The whole script loads, also where there is no document element yet, and answers.
func TestSourceRuns(t *testing.T) {
	tab := openTab(t, "<!doctype html><title>-</title><button>Go</button>")
	tab.eval(Source()+"; 0", nil)
	var kind string
	tab.eval("typeof __deed.call", &kind)
	if kind != "function" {
		t.Errorf("__deed.call is %q", kind)
	}
}
