package pagescript

import (
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// Leaving comments out changes nothing but comments: both forms come to the same program.
func TestCodeIsTheSameProgram(t *testing.T) {
	minify := func(src string) string {
		r := api.Transform(src, api.TransformOptions{MinifyWhitespace: true, LegalComments: api.LegalCommentsNone})
		if len(r.Errors) > 0 {
			t.Fatalf("%v", r.Errors)
		}
		return string(r.Code)
	}
	saved := 0
	for _, name := range parts {
		raw, err := files.ReadFile("js/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		short := code(string(raw))
		saved += len(raw) - len(short)
		if strings.Count(short, "\n") != strings.Count(string(raw), "\n") {
			t.Errorf("%s: the lines do not stand where they stood", name)
		}
		if minify(short) != minify(string(raw)) {
			t.Errorf("%s: another program without its comments", name)
		}
	}
	if saved < 10_000 {
		t.Errorf("only %d bytes of comments were left out", saved)
	}
	const tricky = "a = 1; // why\n/** @type {any} */ (x).y = 2;\n  /** one */\n/**\n * many\n */\nb = \"// no comment\";\n"
	if got, want := code(tricky), "a = 1; // why\n/** @type {any} */ (x).y = 2;\n\n\n\n\nb = \"// no comment\";\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// All parts share one scope: a function of the same name further down would take the place of the first, without a word.
func TestNamesAreTakenOnce(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^(?:async )?(?:function\*?|const|let|class) (\w+)`)
	where := map[string]string{}
	for _, name := range parts {
		raw, err := files.ReadFile("js/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(raw), -1) {
			if first, ok := where[m[1]]; ok {
				t.Errorf("%s is declared in %s.js and in %s.js", m[1], first, name)
			}
			where[m[1]] = name
		}
	}
	if len(where) < 200 {
		t.Errorf("only %d names were found", len(where))
	}
}
