package casefile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every example of the documentation can be formatted, and says what it said.
func TestFormatKeepsTheDocumentation(t *testing.T) {
	n := 0
	for _, doc := range []string{"../../docs/formats.md", "../../docs/writing-cases.md", "../../README.md"} {
		data, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
			if n++; !stable(t, []byte(m[1])) {
				_, problems := Format("a.deed.yaml", []byte(m[1]))
				t.Errorf("%s: %v\n%s", doc, problems, m[1])
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d examples", n)
	}
}

// drawn is a value of any shape, with texts that YAML finds hard.
func drawn(t *rapid.T, depth int) *node {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "a", "yes", "12", "0x1f", "1e3", "null", "~", "- a", "a: b", "a #b", "#a", "*a", "&a", "!a", "%a", "@a", "`a`", "{a}", "[a]", "a,b", "'a'", `"a"`, `a\b`,
			"a\nb", "a\n", "\na", "a\nb ", "a \nb\t\n", "a\n\n", " a\nb", "é 日本 👩‍🚀", "\u200b", "\ufeff", "\t", "--- a", "...", "? a", ":", "a:", "<<", "=", "http://h:1/?a=b#c", "/^a$/i", "${A}", "$${A}", "2026-03-17", "12:30", strings.Repeat("long ", 40)}),
		rapid.StringN(0, 12, -1),
	)
	kind := scalar
	if depth < 5 {
		kind = rapid.SampledFrom([]nodeKind{scalar, scalar, mapping, mapping, list}).Draw(t, "kind")
	}
	n := &node{kind: kind}
	switch kind {
	case scalar:
		n.text = text.Draw(t, "text")
		n.quoted = n.text == "" || !isSpecial(n.text) || rapid.Bool().Draw(t, "quoted")
	case mapping:
		for range rapid.IntRange(1, 5).Draw(t, "keys") {
			key := rapid.OneOf(rapid.SampledFrom([]string{"deed", "case", "title", "steps", "vars", "click", "button", "in", "with", "expect", "text", "value", "equals", "http", "method", "url", "future", "a b", "1", "true"}), text).Draw(t, "key")
			n.add(field{key: key, value: drawn(t, depth+1)})
		}
	case list:
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			n.items = append(n.items, drawn(t, depth+1))
		}
	}
	return n
}

// Whatever a case says, its canonical form says the same and is its own.
func TestFormatKeepsWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawn(t, 0)
		if n.kind != mapping {
			n = &node{kind: mapping, fields: []field{{key: "steps", value: n}}}
		}
		root := layoutOf(n)
		order(root, placeDocument)
		var w writer
		w.document(root)
		text := w.text()
		src := newSource("a.deed.yaml", []byte(text))
		docs := src.yaml()
		if len(docs) != 1 || !equal(n, docs[0].node) {
			t.Fatalf("it reads otherwise, %v:\n%s", src.problems, text)
		}
		stable(t, []byte(text))
	})
}
