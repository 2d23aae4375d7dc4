package casefile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Whatever stands in a Markdown file, complaints are about places in it, and a case that is read is what deed fmt --to yaml writes.
func FuzzMarkdown(f *testing.F) {
	a, err := txtar.ParseFile("testdata/markdown.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		f.Add(string(file.Data))
	}
	for _, text := range []string{
		"", "#", "# A\n## Steps\n- ", "- x\n# A\n- vars: {", "# a\n- tags: ,，,\n- start: http://127.0.0.1/\n## Steps\n- Type \"\\\"\" into textbox \"\"\n",
		"# a\n- start: http://127.0.0.1/\n- Wait 99999999999999999999 s\n", "# A\n<!--", "# é\n- vars: {A: [\n## 步骤\n* 点击 按钮 “\u200b”",
		"# a\n- start: http://127.0.0.1/\n- `click: {button: A}`\n- `back`\n- `{`\n", "# a `\n- start: ${A}\n- vars: {A: \"http://127.0.0.1/\"}\n- Click button \"$${A}\"\n",
	} {
		f.Add(text)
	}
	o := Options{BaseURL: "http://127.0.0.1:8080", LookupEnv: func(string) (string, bool) { return "hunter2", true }}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<13 {
			t.Skip()
		}
		cases, problems := Parse("a.deed.md", []byte(text), o)
		lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
		for _, p := range problems {
			if p.Pos.Line < 1 || p.Pos.Line > len(lines) {
				t.Fatalf("%v is not in the file", p)
			}
		}
		if len(problems) > 0 || len(cases) == 0 {
			return
		}
		out, problems := FormatAs("a.deed.md", []byte(text))
		if len(problems) > 0 {
			t.Fatalf("it can be read and not be written: %v", problems)
		}
		back, problems := Parse("a.deed.yaml", out, o)
		for i := range cases {
			cases[i].File = "a.deed.yaml"
		}
		if d := cmp.Diff(cases, back, noPositions); d != "" || len(problems) > 0 {
			t.Fatalf("%v\n%s\n%s", problems, d, out)
		}
	})
}
