package page

import (
	"encoding/json"
	"testing"
)

// unquote reads a string as package encoding/json does.
func TestUnquote(t *testing.T) {
	for _, raw := range []string{`""`, `"plain"`, `"a \"b\" \\ \/ \b\f\n\r\t"`, `"gr\u00fc\u00DFe grüße"`, `"\ud83d\uded2 🛒"`, `"\u0000\u2028"`,
		`"\ud83d"`, `"\ud83d x"`, `"\ud83d\ud83d\uded2"`, `"\uded2\ud83d"`, `"\ud83d\u0041"`, `"\ud83d\n"`, `"\\u0041"`, `"\ufffd"`} {
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := unquote(json.RawMessage(raw)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{``, `"`, `7`, `{}`, `"\"`, `"\u12"`, `"\u12g4"`, `"\x"`, `"\u+123"`} {
		if got, err := unquote(json.RawMessage(raw)); err == nil {
			t.Errorf("%s is %q", raw, got)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	f.Add(`a "quoted" \ü🛒`)
	f.Add("\\ud83d\n\x00")
	f.Fuzz(func(t *testing.T, s string) {
		for _, raw := range []string{`"` + s + `"`, string(mustJSON(t, s))} {
			var want string
			if json.Unmarshal([]byte(raw), &want) != nil {
				continue
			}
			if got, err := unquote(json.RawMessage(raw)); err != nil || want != string([]rune(string(got))) {
				t.Errorf("%s is %q, %v; want %q", raw, got, err, want)
			}
		}
	})
}

func mustJSON(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
