package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/reporttest"
)

func page(t interface{ Fatal(...any) }, r *deed.RunResult, o report.HTMLOptions) string {
	var b bytes.Buffer
	if err := report.HTML(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// between is what stands in an element of a page, from the text that opens it.
func between(t interface{ Fatal(...any) }, s, from, to string) string {
	_, s, ok := strings.Cut(s, from)
	if !ok {
		t.Fatal("no " + from)
	}
	s, _, ok = strings.Cut(s, to)
	if !ok {
		t.Fatal(from + " does not end")
	}
	return s
}

// TestHTML_Size: fifty cases of ten steps are a page of less than a megabyte.
func TestHTML_Size(t *testing.T) {
	n := len(page(t, reporttest.Many(50, 10), report.HTMLOptions{}))
	t.Logf("%d bytes", n)
	if n >= 1_000_000 || n < 100_000 {
		t.Errorf("%d bytes for 50 cases of 10 steps", n)
	}
}

// TestHTML_HoldsTheRun: the run can be read back from the page, all of it.
func TestHTML_HoldsTheRun(t *testing.T) {
	want := reporttest.Run()
	var got deed.RunResult
	if err := json.Unmarshal([]byte(between(t, page(t, want, report.HTMLOptions{}), `<script type="application/json" id="run">`, "</script>")), &got); err != nil {
		t.Fatal(err)
	}
	raw := cmp.Transformer("decoded", func(m json.RawMessage) (v any) { _ = json.Unmarshal(m, &v); return v })
	if d := cmp.Diff(want, &got, raw); d != "" {
		t.Error(d)
	}
}

// TestHTML_Alone: the policy of the page names the digests of its script and style and allows nothing from elsewhere; nothing in
// the page has an address of its own but its empty icon.
func TestHTML_Alone(t *testing.T) {
	s := page(t, &deed.RunResult{}, report.HTMLOptions{})
	csp := between(t, s, `http-equiv="Content-Security-Policy" content="`, `"`)
	for _, e := range []struct{ open, end string }{{"<style>", "</style>"}, {"<script>", "</script>"}} {
		sum := sha256.Sum256([]byte(between(t, s, e.open, e.end)))
		if d := strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;"); !strings.Contains(strings.ReplaceAll(csp, "+", "&#43;"), "sha256-"+d) {
			t.Errorf("the policy %s does not name the digest of %s", csp, e.open)
		}
	}
	if !strings.HasPrefix(csp, "default-src &#39;none&#39;;") || strings.Contains(csp, "http") || strings.Contains(csp, "*") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy allows what it need not: %s", csp)
	}
	for _, m := range regexp.MustCompile(`(?i)//[\w.]+\.[a-z]{2,}|@import|url\(`).FindAllString(s, -1) {
		if m != "//www.w3.org" { // the name of SVG, asked for by nobody
			t.Errorf("the page speaks of %s", m)
		}
	}
}

// TestHTML_ScriptParses: the script is one that browsers read, and warns of nothing.
func TestHTML_ScriptParses(t *testing.T) {
	s := page(t, &deed.RunResult{}, report.HTMLOptions{})
	r := api.Transform(between(t, s, "<script>", "</script>"), api.TransformOptions{Target: api.ES2022})
	for _, m := range append(r.Errors, r.Warnings...) {
		t.Errorf("%s: %s", m.Text, m.Location.LineText)
	}
	if css := api.Transform(between(t, s, "<style>", "</style>"), api.TransformOptions{Loader: api.LoaderCSS}); len(css.Errors)+len(css.Warnings) > 0 {
		t.Error(css.Errors, css.Warnings)
	}
	for _, name := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
		if strings.Contains(s, name) {
			t.Errorf("the script uses %s: text would become markup or a program", name)
		}
	}
}

// fillStrings puts a text into every string that a value holds, keys of maps too.
func fillStrings(v reflect.Value, text func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			fillStrings(v.Elem(), text)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, _ := json.Marshal(text())
			v.SetBytes(raw)
			return
		}
		for i := range v.Len() {
			fillStrings(v.Index(i), text)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			fillStrings(e, text)
			v.SetMapIndex(k, reflect.Value{})
			v.SetMapIndex(reflect.ValueOf(text()).Convert(v.Type().Key()), e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fillStrings(f, text)
			}
		}
	}
}

// TestHTML_NoTextIsMarkup: whatever stands in any text of a run, the page has the elements that an empty one has.
func TestHTML_NoTextIsMarkup(t *testing.T) {
	tag := regexp.MustCompile(`(?i)<[a-z/!?]`)
	tags := func(s string) []string {
		s = strings.Replace(s, between(t, s, "<script>", "</script>"), "", 1)
		return tag.FindAllString(s, -1)
	}
	want := tags(page(t, &deed.RunResult{}, report.HTMLOptions{}))
	parts := []string{"<script>", "</script>", "</ScRiPt ", "<!--", "-->", "<img onerror=x>", "]]>", "{{script}}", "{{", "\u2028", "&lt;script&gt;", `\u003cscript`, `"`, "'", "\x00", "<", "</title>", "</style>", "\xff"}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.SampledFrom(parts)), func(s []string) string { return strings.Join(s, "") }))
		r := reporttest.Run()
		r.Cases = r.Cases[:7] // one of each shape; the long one only takes time
		r.Problems = []deed.ProblemResult{{}}
		drawn := rapid.SliceOfN(text, 1, 12).Draw(rt, "texts")
		i := 0
		fillStrings(reflect.ValueOf(r).Elem(), func() string { i++; return drawn[i%len(drawn)] })
		got := page(rt, r, report.HTMLOptions{Shots: fstest.MapFS{"x": {Data: []byte("<script>")}}, Beside: drawn[0]})
		if d := cmp.Diff(want, tags(got)); d != "" {
			rt.Fatalf("markup got in: %s", d)
		}
	})
}

// TestHTML_Pictures: each picture is in the page once, whoever names it; what is no picture, leads out of the folder or is not there is not.
func TestHTML_Pictures(t *testing.T) {
	shots := reporttest.Shots()
	s := page(t, reporttest.Run(), report.HTMLOptions{Shots: shots})
	var table map[string]struct{ ID, Type, Href string }
	if err := json.Unmarshal([]byte(between(t, s, `id="pictures">`, "</script>")), &table); err != nil {
		t.Fatal(err)
	}
	if len(table) != len(shots) {
		t.Errorf("%d pictures of %d: %v", len(table), len(shots), table)
	}
	if n := strings.Count(s, `<script type="text/plain" id="picture-`); n != 3 { // two of the four are the same picture
		t.Errorf("%d pictures are in the page, want 3", n)
	}
	for name, p := range table {
		data, err := base64.StdEncoding.DecodeString(between(t, s, `id="`+p.ID+`">`, "</script>"))
		if err != nil || !bytes.Equal(data, shots[name].Data) || p.Type != "image/png" {
			t.Errorf("%s is another picture (%v)", name, err)
		}
	}

	bad := reporttest.Run()
	bad.Cases[1].Steps[1].Shots = &deed.Shots{Before: "../secret.png", After: "shots/text.png"}
	s = page(t, bad, report.HTMLOptions{Shots: outside{fstest.MapFS{"shots/text.png": {Data: []byte("#!/bin/sh")}}, t}})
	if got := between(t, s, `id="pictures">`, "</script>"); got != "{}" {
		t.Errorf("what is no picture is in the page: %s", got)
	}
}

// outside fails the test when a file is asked for that leads out of the folder.
type outside struct {
	fs.FS
	t *testing.T
}

func (o outside) Open(name string) (fs.File, error) {
	if strings.Contains(name, "..") {
		o.t.Errorf("%s was asked for", name)
	}
	return o.FS.Open(name)
}

// TestHTML_PicturesBeside: where there is no room for all, those of cases that are not proven are in the page and the rest beside it.
func TestHTML_PicturesBeside(t *testing.T) {
	shots := reporttest.Shots()
	shots["shots/add-4-before.png"] = &fstest.MapFile{Data: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 4000)...)}
	room := int64(base64.StdEncoding.EncodedLen(len(shots["shots/wrong-2-before.png"].Data)) + base64.StdEncoding.EncodedLen(len(shots["shots/wrong-2-after.png"].Data)))
	for _, beside := range []string{"", "my%20run/"} {
		var table map[string]struct{ ID, Href string }
		s := page(t, reporttest.Run(), report.HTMLOptions{Shots: shots, Inline: room, Beside: beside})
		if err := json.Unmarshal([]byte(between(t, s, `id="pictures">`, "</script>")), &table); err != nil {
			t.Fatal(err)
		}
		if table["shots/wrong-2-before.png"].ID == "" || table["shots/wrong-2-after.png"].ID == "" {
			t.Errorf("the pictures of what is not proven are not in the page: %v", table)
		}
		want := ""
		if beside != "" {
			want = "my%20run/shots/add-4-before.png"
		}
		if got := table["shots/add-4-before.png"].Href; got != want {
			t.Errorf("the picture that has no room is at %q, want %q", got, want)
		}
	}
}
