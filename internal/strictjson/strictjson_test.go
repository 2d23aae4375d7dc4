package strictjson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/strictjson"
)

var limits = strictjson.Limits{Bytes: 1000, Depth: 5, Values: 40}

func TestDocumentsThatAreRefused(t *testing.T) {
	for in, why := range map[string]string{
		"":                                     "byte 0: not valid JSON",
		"{":                                    "not valid JSON",
		"[1,]":                                 "not valid JSON",
		"NaN":                                  "not valid JSON",
		"[Infinity]":                           "not valid JSON",
		"01":                                   "something follows the value",
		"{'a':1}":                              "not valid JSON",
		"\xef\xbb\xbf{}":                       "begins with a byte order mark",
		"\"\xff\"":                             "not valid UTF-8",
		`"\ud800"`:                             "not valid JSON",
		`"\udc00\ud800"`:                       "not valid JSON",
		"\"a\nb\"":                             "not valid JSON",
		"{} {}":                                "something follows the value",
		"{}x":                                  "something follows the value",
		`{"secret":1,"secret":2}`:              "a key is given twice",
		`{"a":[{"secret":1,"\u0073ecret":2}]}`: "a key is given twice",
		"[[[[[[]]]]]]":                         "nested too deep",
		"[" + strings.Repeat("1,", 50) + "1]":  "too many values",
		`"` + strings.Repeat("a", 1000) + `"`:  "larger than 1000 bytes",
	} {
		_, err := strictjson.Parse("doc", []byte(in), limits)
		if !errors.Is(err, deed.CodeInvalid) || !strings.HasSuffix(err.Error(), why) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %s", in, err, why)
		}
	}
}

func TestValuesAreTakenByType(t *testing.T) {
	const doc = `{"t":"a\nb","i":12,"f":1.0,"e":1e2,"h":1e999,"b":true,"n":null,"l":[1,{"x":2}],"z":-0.0,"o":{"in":1,"role":"r"}}`
	take := func(f func(strictjson.Node)) string {
		d, err := strictjson.Parse("doc", []byte(doc), limits)
		if err != nil {
			t.Fatal(err)
		}
		f(d.Root())
		if d.Err() == nil {
			return ""
		}
		return d.Err().Error()
	}
	for name, c := range map[string]struct {
		take func(strictjson.Node)
		want string
	}{
		"lines":       {func(n strictjson.Node) { n.Get("t").Text(strictjson.Text{Max: 3, Lines: true}) }, ""},
		"no lines":    {func(n strictjson.Node) { n.Get("t").Text(strictjson.Text{Max: 3}) }, "doc /t: a control character"},
		"long":        {func(n strictjson.Node) { n.Get("t").Text(strictjson.Text{Max: 2, Lines: true}) }, "doc /t: longer than 2 characters"},
		"int":         {func(n strictjson.Node) { n.Get("i").Int(0, 12) }, ""},
		"range":       {func(n strictjson.Node) { n.Get("i").Int(0, 11) }, "doc /i: not in 0 to 11"},
		"1.0":         {func(n strictjson.Node) { n.Get("f").Int(0, 12) }, "doc /f: a number that is not written as an integer"},
		"1e2":         {func(n strictjson.Node) { n.Get("e").Int(0, 1200) }, "doc /e: a number that is not written as an integer"},
		"true as int": {func(n strictjson.Node) { n.Get("b").Int(0, 12) }, "doc /b: a boolean where a number belongs"},
		"infinite":    {func(n strictjson.Node) { n.Get("h").Number(-1e308, 1e308) }, "doc /h: not in -1e+308 to 1e+308"},
		"null":        {func(n strictjson.Node) { n.Get("n") }, "doc /n: null is no value"},
		"absent":      {func(n strictjson.Node) { n.Get("q").Bool() }, "doc /q: a boolean is missing"},
		"word":        {func(n strictjson.Node) { n.Get("t").OneOf("x", "y") }, "doc /t: not one of x, y"},
		"deep place":  {func(n strictjson.Node) { n.Get("l").Items(2)[1].Object("y") }, "doc /l/1: an unknown key"},
		"list":        {func(n strictjson.Node) { n.Get("l").Items(1) }, "doc /l: a list of more than 1"},
		"first only":  {func(n strictjson.Node) { n.Get("q").Bool(); n.Get("b").Int(0, 1) }, "doc /q: a boolean is missing"},
		"not finite":  {func(n strictjson.Node) { n.Canonical() }, "doc: a number that is not finite"},
		"other":       {func(n strictjson.Node) { n.Get("o").Other("a role", "in") }, ""},
		"other twice": {func(n strictjson.Node) { n.Get("o").Other("a role") }, "doc /o: an unknown key, or a role twice"},
		"no other":    {func(n strictjson.Node) { n.Get("o").Other("a role", "in", "role") }, "doc /o: a role is missing"},
	} {
		if got := take(c.take); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	take(func(n strictjson.Node) {
		if got := string(n.Get("l").Canonical()); got != `[1,{"x":2}]` {
			t.Error(got)
		}
		if f := n.Get("z").Number(-1, 1); 1/f < 0 {
			t.Error("negative zero")
		}
		if n.Depth() != 3 || n.Get("l").Depth() != 2 || n.Get("i").Depth() != 0 {
			t.Error("depth", n.Depth())
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"b":[1,2.50,{"a":null}],"a":"\u2028<é"}`, `[]`, `"x"`, `{"a":{"a":{"a":1e5}}}`, `-0`, `{"":""}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := strictjson.Parse("doc", data, limits)
		if err != nil {
			if !errors.Is(err, deed.CodeInvalid) {
				t.Fatal(err)
			}
			return
		}
		c := d.Root().Canonical()
		if d.Err() != nil {
			return
		}
		again, err := strictjson.Parse("doc", c, strictjson.Limits{Bytes: 10000, Depth: 5, Values: 40})
		if err != nil || string(again.Root().Canonical()) != string(c) {
			t.Fatalf("%q becomes %q: %v", data, c, err)
		}
	})
}
