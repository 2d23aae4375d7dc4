//go:build unix

package trace_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
	"github.com/deed-dev/deed/internal/trace"
)

var canaries = map[string]string{
	"password":   `Tr0ub4dor&3"<é>/+%`,
	"passphrase": "correct horse battery staple",
	"word":       "correcthorsebattery",
	"IBAN":       "DE89370400440532013000",
	"card":       "4111111111111111",
	"token":      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
	"hex":        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"unicode":    "Pässwörter-Ключ-密码七个字",
	"email":      "ana.banana@example.com",
	"URL":        "https://shop.example/reset/0a9f8e7d6c?code=112233",
}

// encodings are the shapes in which something may hand a secret on.
func encodings(s string) map[string]string {
	b := []byte(s)
	each := func(f func(rune) string) string {
		var out strings.Builder
		for _, r := range s {
			out.WriteString(f(r))
		}
		return out.String()
	}
	escaped, _ := json.Marshal(s)
	out := map[string]string{
		"plain": s, "upper case": strings.ToUpper(s), "lower case": strings.ToLower(s),
		"base64": base64.StdEncoding.EncodeToString(b), "base64 without padding": base64.RawStdEncoding.EncodeToString(b),
		"base64 for URLs": base64.URLEncoding.EncodeToString(b), "base64 for URLs without padding": base64.RawURLEncoding.EncodeToString(b),
		"base64 among others": base64.StdEncoding.EncodeToString([]byte("ana:" + s + ";")), "base64 in a URL": url.QueryEscape(base64.StdEncoding.EncodeToString(b)),
		"hex": hex.EncodeToString(b), "hex in capitals": strings.ToUpper(hex.EncodeToString(b)),
		"URL": url.QueryEscape(s), "URL path": url.PathEscape(s), "URL twice": url.QueryEscape(url.QueryEscape(s)),
		"URL, every byte":           "%" + strings.ToUpper(strings.TrimSuffix(strings.Join(pairs(hex.EncodeToString(b)), "%"), "%")),
		"JSON":                      string(escaped[1 : len(escaped)-1]),
		"JSON, every character":     each(func(r rune) string { return units(r) }),
		"JavaScript":                each(func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) }),
		"HTML, every character":     each(func(r rune) string { return fmt.Sprintf("&#%d;", r) }),
		"HTML in hex":               each(func(r rune) string { return fmt.Sprintf("&#x%X;", r) }),
		"split by markup":           split(s, "<b>", 3),
		"split by a longer tag":     split(s, `<span class="x y" data-i='3'>`, 4) + "</span>",
		"split by closing tags":     split(s, "</i><i>", 2),
		"split by a comment":        split(s, "<!-- here -->", 5),
		"split by escaped markup":   split(s, "&lt;wbr&gt;", 4),
		"every character by markup": split(s, "<wbr/>", 1),
		"in groups of four":         split(s, " ", 4),
		"in groups by no-break":     split(s, "\u00a0", 4),
		"over lines":                split(s, "\r\n\t", 6),
		"with soft hyphens":         split(s, "\u00ad", 5),
		"with marks of direction":   "\u202a" + split(s, "\u2066", 2) + "\u202c",
		"in wide letters": each(func(r rune) string {
			if r > ' ' && r < 0x7f {
				r += 0xFF01 - '!'
			}
			return string(r)
		}),
	}
	return out
}

var tags = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-z][^<>]*>`)

func pairs(s string) (out []string) {
	for ; s != ""; s = s[2:] {
		out = append(out, s[:2])
	}
	return out
}

func units(r rune) string {
	s := ""
	for _, u := range utf16.Encode([]rune{r}) {
		s += fmt.Sprintf(`\u%04x`, u)
	}
	return s
}

// split puts something behind every n characters.
func split(s, by string, n int) string {
	var b strings.Builder
	for i, r := range []rune(s) {
		if i > 0 && i%n == 0 {
			b.WriteString(by)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plant sets every text that can be reached from v; numbers and what is a closed set of words stay.
func plant(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		plant(v.Elem(), s)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				plant(v.Field(i), s)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, _ := json.Marshal(map[string]any{"a": s, s: "b", "url": "http://h/" + s + "?q=" + s, "list": []any{s, map[string]any{"x": s}}})
			v.Set(reflect.ValueOf(json.RawMessage(raw)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		plant(v.Index(0), s)
		plant(v.Index(1), s)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if v.Type().Elem().Kind() == reflect.Int64 || v.Type().Elem().Kind() == reflect.Bool {
			v.SetMapIndex(reflect.ValueOf(s), reflect.Zero(v.Type().Elem()))
		}
	}
}

// planted are records of every kind with s wherever there may be text.
func planted(s string) []trace.Event {
	var out []trace.Event
	for _, k := range trace.Kinds {
		var e trace.Event
		plant(reflect.ValueOf(&e).Elem(), s)
		e.Kind, e.V, e.Seq, e.Step, e.Line, e.Cut, e.Action = k, 1, 0, 1, 0, false, nil
		e.Decision, e.Answer, e.Outcome = "", "", ""
		if k != trace.Proposed {
			e.Do, e.Proposal = nil, nil
		}
		if k != trace.Decided {
			e.Request, e.Element = nil, nil
		}
		switch k {
		case trace.Decided:
			e.Decision = "deny"
		case trace.Confirmed:
			e.Answer = trace.No
		case trace.Finished:
			e.Outcome = "failed"
		}
		if k == trace.Proposed {
			for _, kind := range []deed.Kind{deed.KindFill, deed.KindGoto, deed.Kind(s)} {
				c, a := e, *e.Do
				a.Kind, a.Secret = kind, ""
				c.Do = &a
				out = append(out, c)
			}
			out = append(out, e) // the same under the name of a secret
			continue
		}
		out = append(out, e)
	}
	return out
}

// TestCanaries: a secret that the trace was told of is in none of its bytes, in whatever shape it comes, wherever it stands.
func TestCanaries(t *testing.T) {
	for kind, secret := range canaries {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			canary(t, secret)
		})
	}
}

func canary(t *testing.T, secret string) {
	m := new(redact.Masker)
	m.Add(secret)
	shapes := encodings(secret)
	var events []trace.Event
	for _, text := range shapes {
		events = append(events, planted("<"+text+">")...)
	}
	// What an action types, and more so what it says is a secret, is masked from then on, whatever the trace was told of.
	last := func(e *trace.Event) int {
		switch {
		case e.Do == nil:
			return 0
		case !e.Do.Sensitive():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(events, func(a, b trace.Event) int { return last(&a) - last(&b) })
	for _, unsafe := range []bool{false, true} {
		w, path := create(t, trace.Options{Run: "r1", Redact: m, Unsafe: unsafe})
		write(t, w, events...)
		w.Close()
		b := content(t, path)
		for what, shape := range shapes {
			quoted, _ := json.Marshal(shape)
			for _, form := range []string{shape, string(quoted[1 : len(quoted)-1])} {
				if at := bytes.Index(b, []byte(form)); at >= 0 {
					t.Errorf("unsafe %v: %s stands in the file: …%s…", unsafe, what, b[max(0, at-60):min(len(b), at+len(form)+20)])
				}
			}
		}
		// Nor does it show when what is left is put together.
		for what, rest := range map[string]string{"as it is": string(b), "without markup": tags.ReplaceAllString(string(b), ""),
			"read as HTML without markup": tags.ReplaceAllString(html.UnescapeString(string(b)), "")} {
			if strings.Contains(strings.ToLower(rest), strings.ToLower(secret)) {
				t.Errorf("unsafe %v: it stands in the file, %s", unsafe, what)
			}
		}
		if r := verify(b); r.Events != len(events)+1 {
			t.Errorf("%+v", r)
		}
	}
}

func TestAA48_DefaultTraces(t *testing.T) {
	const text, selector, meta, address = "my own words 17", "#login > input[name=pw]", "customer-8812", "https://shop.example/reset?token=q1w2e3r4"
	for _, unsafe := range []bool{false, true} {
		w, path := create(t, trace.Options{Unsafe: unsafe})
		raw, _ := json.Marshal(map[string]any{"id": "the-id", "metadata": map[string]string{"customer": meta}, "action": map[string]string{"kind": "type", "text": text}})
		request, _ := json.Marshal(map[string]any{"context": map[string]any{"text": text, "url": address, "selector": selector, "value": "model"}, "element": text})
		write(t, w,
			trace.Event{Kind: trace.Proposed, ID: "open", Do: &deed.Action{Kind: deed.KindGoto, Text: address}},
			trace.Event{Kind: trace.Proposed, ID: "the-id", By: "agent", Digest: "5f3c", Proposal: raw,
				Do: &deed.Action{Kind: deed.KindType, Selector: selector, Text: text, Intent: "log in with " + text, Options: []string{"opt-77"}, Files: []string{"cv-77.pdf"}}},
			trace.Event{Kind: trace.Decided, ID: "the-id", Decision: "allow", Rule: "agent.type", Reason: "typing is allowed: " + selector, Page: address, Request: request,
				Element: &trace.Element{Role: "textbox", Name: "Password", Region: "sign in"}},
			trace.Event{Kind: trace.Started, ID: "the-id", Way: "keys"},
			trace.Event{Kind: trace.Finished, ID: "the-id", Outcome: "mismatch", Verdict: "mismatch", Code: "no_match", Reason: "the field holds \"" + strings.ToUpper(text) + "\"",
				Changes: []string{`textbox "Password" value "" → "` + text + `"`}, Blocked: []string{"GET " + address}, PhasesMS: map[string]int64{"act": 3, "output_key": 9}},
			trace.Event{Kind: trace.Note, What: "popup", Reason: address},
			trace.Event{Kind: trace.Proposed, ID: "keys", Do: &deed.Action{Kind: deed.KindPress, Key: "q"}},
			trace.Event{Kind: trace.Proposed, ID: "enter", Do: &deed.Action{Kind: deed.KindPress, Key: "Control+Enter"}},
		)
		w.Close()
		b := content(t, path)
		for _, s := range []string{text, strings.ToUpper(text), selector, meta, address, "q1w2e3r4", "output_key", "the-id", "opt-77", "cv-77", `"q"`, "5f3c"} {
			held := bytes.Contains(b, []byte(s)) || bytes.Contains(b, []byte(strings.ReplaceAll(s, ">", `\u003e`)))
			if want := unsafe && s != "output_key"; held != want {
				t.Errorf("unsafe %v: %q is in the trace: %v\n%s", unsafe, s, held, b)
			}
		}
		for _, s := range []string{`"rule":"agent.type"`, `"code":"no_match"`, "typing is allowed", `"length":15`, `"name":"Password"`, `"key":"Control+Enter"`, "https://shop.example", `"value":"model"`} {
			if !bytes.Contains(b, []byte(s)) {
				t.Errorf("unsafe %v: %s cannot be read in\n%s", unsafe, s, b)
			}
		}
	}
}

// A named secret is in no trace, though nobody told of it but the action itself.
func TestNamedSecretsAreInNone(t *testing.T) {
	for _, unsafe := range []bool{false, true} {
		w, path := create(t, trace.Options{Unsafe: unsafe})
		write(t, w,
			trace.Event{Kind: trace.Proposed, ID: "a", Digest: "11aa22bb", Proposal: json.RawMessage(`{"id":"a","text":"hunter2hunter2"}`),
				Do: &deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Password"), Text: "hunter2hunter2", Secret: "PASSWORD"}},
			trace.Event{Kind: trace.Finished, ID: "a", Outcome: "failed", Reason: "it holds hunter2hunter2", Digest: "11aa22bb"},
		)
		w.Close()
		b := content(t, path)
		if bytes.Contains(b, []byte("hunter2")) || bytes.Contains(b, []byte("11aa22bb")) {
			t.Errorf("unsafe %v:\n%s", unsafe, b)
		}
		if !bytes.Contains(b, []byte(`"secret":"PASSWORD"`)) || !bytes.Contains(b, []byte(`"length":14`)) {
			t.Errorf("which secret it is cannot be read:\n%s", b)
		}
	}
}
