package pagescript

import (
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
