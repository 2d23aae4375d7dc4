package proposal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/proposaltest"
)

func accept(t *testing.T, in string) *deed.Proposal {
	t.Helper()
	p, err := proposal.Decode([]byte(in))
	if err != nil {
		t.Errorf("%.200s: %v", in, err)
		return &deed.Proposal{}
	}
	return p
}

func refuse(t *testing.T, in, where string) {
	t.Helper()
	p, err := proposal.Decode([]byte(in))
	var e *deed.Error
	if !errors.As(err, &e) || e.Code != deed.CodeInvalid || e.Where != where {
		t.Errorf("%.200s: %v %v, want a refusal at %q", in, p, err, where)
	}
	if err != nil && len(err.Error()) > 128 {
		t.Errorf("a long error: %v", err)
	}
}

// minimal are canonical proposals of the first six kinds, with no more than they need.
var minimal = []string{
	`{"id":"1","kind":"navigate","params":{"url":"https://example.com/"}}`,
	`{"id":"1","kind":"click","params":{"selector":"#a"}}`,
	`{"id":"1","kind":"type","params":{"text":""}}`,
	`{"id":"1","kind":"scroll","params":{"delta_y":1}}`,
	`{"id":"1","kind":"wait","params":{"milliseconds":0}}`,
	`{"id":"1","kind":"screenshot","params":{}}`,
}

func TestAA1_RoundTripOfTheSixKinds(t *testing.T) {
	more := []string{
		`{"confirm":"ask","id":"1","kind":"click","metadata":{"a":1,"b":[1.50,"é"]},"params":{"button":"middle","x":-1.5,"y":2},"risk":4}`,
		`{"id":"1","kind":"type","params":{"press_enter":true,"selector":"#a","text":"x\ny"}}`,
		`{"id":"1","kind":"type","params":{"append":true,"ref":"s7:e12","text":"x"}}`,
		`{"id":"1","kind":"scroll","params":{"delta_x":-10000,"delta_y":10000,"x":1,"y":2}}`,
		`{"id":"1","kind":"screenshot","params":{"full_page":true,"path":"a/b.png"}}`,
		`{"id":"1","kind":"click","params":{"dialog":"accept","expect":[{"disappears":{"row":"Order 17"}}],"intent":"the order goes","locator":{"button":"Delete","near":"Order 17"},"timeoutMs":5000}}`,
	}
	for _, in := range append(more, minimal...) {
		p := accept(t, in)
		out, err := proposal.Encode(p)
		if err != nil || string(out) != in {
			t.Errorf("%s becomes %s, %v", in, out, err)
		}
	}
}

func TestWhatKindsBecome(t *testing.T) {
	for in, want := range map[string]deed.Action{
		`{"kind":"goto","params":{"url":"http://a.example"}}`:                       {Kind: deed.KindGoto, Text: "http://a.example"},
		`{"kind":"type","params":{"text":"x","selector":"#a"}}`:                     {Kind: deed.KindFill, Selector: "#a", Text: "x"},
		`{"kind":"type","params":{"text":"x","selector":"#a","append":true}}`:       {Kind: deed.KindType, Selector: "#a", Text: "x"},
		`{"kind":"type","params":{"text":"x","press_enter":true}}`:                  {Kind: deed.KindType, Text: "x", Enter: true},
		`{"kind":"fill","params":{"secret":"PW","locator":{"textbox":"Password"}}}`: {Kind: deed.KindFill, Locator: deed.Textbox("Password"), Secret: "PW"},
		`{"kind":"click","params":{"x":1,"y":2.5,"button":"right"}}`:                {Kind: deed.KindClick, Point: &deed.Point{X: 1, Y: 2.5}, Button: "right"},
		`{"kind":"wait","params":{"milliseconds":1500}}`:                            {Kind: deed.KindWait, Pause: 1500 * time.Millisecond},
		`{"kind":"scroll","params":{"delta_y":-5,"in":"main"}}`:                     {Kind: deed.KindScroll, Scroll: &deed.Scroll{Region: "main", Y: -5}},
		`{"kind":"scroll","params":{"locator":{"heading":"Reviews"}}}`:              {Kind: deed.KindScroll, Locator: deed.Find("heading", "Reviews")},
		`{"kind":"upload","params":{"ref":"s1:e2","files":[]}}`:                     {Kind: deed.KindUpload, Ref: "s1:e2", Files: []string{}},
		`{"kind":"drag","params":{"ref":"s1:e2","drop":{"after":"Beans"}}}`:         {Kind: deed.KindDrag, Ref: "s1:e2", Drop: &deed.Drop{After: "Beans"}},
		`{"kind":"tab","params":{"tab":"close"}}`:                                   {Kind: deed.KindTab, Tab: "close"},
		`{"kind":"press","params":{"key":"Control+A"}}`:                             {Kind: deed.KindPress, Key: "Control+A"},
		`{"kind":"back"}`: {Kind: deed.KindBack},
		`{"kind":"reload","params":{"dialog":{"accept":"x"},"timeoutMs":7}}`:               {Kind: deed.KindReload, Dialog: &deed.Answer{Accept: true, Text: "x"}, Timeout: 7 * time.Millisecond},
		`{"kind":"expect","params":{"expect":[{"text":"3 items","in":"cart"}]}}`:           {Kind: deed.KindExpect, Expect: []deed.Expect{deed.Text("3 items").In("cart")}},
		`{"kind":"wait","params":{"expect":[{"count":{"row":""},"min":2}]}}`:               {Kind: deed.KindWait, Expect: []deed.Expect{{Kind: deed.ExpectCount, Locator: deed.Find("row", ""), Min: 2, Max: -1}}},
		`{"kind":"eval","params":{"text":"1+1","expect":[{"request":{"method":"POST"}}]}}`: {Kind: deed.KindEval, Text: "1+1", Expect: []deed.Expect{{Kind: deed.ExpectRequest, Request: deed.RequestSpec{Method: "POST"}}}},
	} {
		if p := accept(t, in); !reflect.DeepEqual(p.Action, want) {
			t.Errorf("%s becomes %+v, want %+v", in, p.Action, want)
		}
	}
}

func TestAA2_UnknownKeys(t *testing.T) {
	for in, where := range map[string]string{
		`{"kind":"back","zebra":1}`:                                                     "",
		`{"kind":"back","budget":{"zebra":1}}`:                                          "",
		`{"kind":"back","params":{"zebra":1}}`:                                          "/params",
		`{"kind":"click","params":{"selector":"a","url":"zebra"}}`:                      "/params",
		`{"kind":"click","params":{"locator":{"button":"a","zebra":1}}}`:                "/params/locator",
		`{"kind":"click","params":{"locator":{"zebra":"a"}}}`:                           "/params/locator",
		`{"kind":"wait","params":{"expect":[{"url":"a"},{"zebra":{"button":"x"}}]}}`:    "/params/expect/1",
		`{"kind":"wait","params":{"expect":[{"state":{"checkbox":"x"},"zebra":true}]}}`: "/params/expect/0",
		`{"kind":"wait","params":{"expect":[{"url":"a","title":"zebra"}]}}`:             "/params/expect/0",
		`{"kind":"drag","params":{"ref":"s1:e1","drop":{"zebra":"x"}}}`:                 "/params/drop",
		`{"kind":"click","params":{"selector":"a","dialog":{"zebra":"x"}}}`:             "/params/dialog",
		`{"kind":"zebra"}`: "/kind",
		`{"kind":"Click","params":{"selector":"zebra"}}`:                                  "/kind",
		`{"kind":"watch","params":{"selector":"zebra"}}`:                                  "/kind",
		`{"kind":"back","params":{},"params":{"zebra":1}}`:                                "byte 26",
		`{"kind":"back","metadata":{"a":[{"zebra":1,"zebra":2}]}}`:                        "byte 42",
		`{"kind":"click","params":{"selector":"a","expect":[{"request":{"zebra":"x"}}]}}`: "/params/expect/0/request",
		`{"kind":"screenshot","params":{"path":"a.png","milliseconds":"zebra"}}`:          "/params",
		`{"kind":"click","params":{"selector":"a","dialog":"zebra"}}`:                     "/params/dialog",
		`{"kind":"click","params":{"selector":"a","timeoutMs":"zebra"}}`:                  "/params/timeoutMs",
		`{"kind":"click","params":{"locator":{"button":"/zebra(/"}}}`:                     "/params/locator",
		`{"kind":"wait","params":{"expect":[{"visible":{"main":""}}]}}`:                   "/params/expect/0",
		`{"kind":"wait","params":{"expect":[{"text":"/zebra(/"}]}}`:                       "/params/expect/0",
		`{"kind":"wait","params":{"expect":[]}}`:                                          "/params/expect",
		`{"kind":"click","params":{"selector":"zebra\u0007"}}`:                            "/params/selector",
		`{"kind":"fill","params":{"selector":"a","text":"zebra\u0000"}}`:                  "/params/text",
		`{"kind":"fill","params":{"selector":"a","secret":"zebra stripes"}}`:              "/params/secret",
		`{"kind":"fill","params":{"selector":"a","secret":"ZEBRA","text":"x"}}`:           "/params",
		`{"kind":"press","params":{"key":"zebra"}}`:                                       "/params/key",
		`{"kind":"press","params":{"key":"Hyper+A"}}`:                                     "/params/key",
		`{"kind":"tab","params":{"tab":"open","text":"zebra"}}`:                           "/params/text",
		`{"kind":"upload","params":{"ref":"s1:e1","files":["a.txt","../zebra"]}}`:         "/params/files/1",
		`{"kind":"click","params":{"ref":"zebra"}}`:                                       "/params/ref",
	} {
		refuse(t, in, where)
		if _, err := proposal.Decode([]byte(in)); err != nil && strings.Contains(strings.ToLower(fmt.Sprintf("%v %#v", err, err)), "zebra") {
			t.Errorf("%s: the error repeats what was submitted: %v", in, err)
		}
	}
}

func TestAA3_AA4_TargetsOfAClick(t *testing.T) {
	refuse(t, `{"kind":"click"}`, "/params")
	refuse(t, `{"kind":"click","params":{}}`, "/params")
	refuse(t, `{"kind":"click","params":{"x":1}}`, "/params/y")
	refuse(t, `{"kind":"click","params":{"selector":"#a","x":1,"y":2}}`, "/params")
	refuse(t, `{"kind":"click","params":{"selector":"#a","x":1}}`, "/params/y")
	refuse(t, `{"kind":"click","params":{"selector":"#a","ref":"s1:e1"}}`, "/params")
	refuse(t, `{"kind":"click","params":{"locator":{"button":"a"},"ref":"s1:e1"}}`, "/params")
	refuse(t, `{"kind":"click","params":{"selector":" "}}`, "/params/selector")
	refuse(t, `{"kind":"click","params":{"x":true,"y":2}}`, "/params/x")
	refuse(t, `{"kind":"click","params":{"x":1,"y":100001}}`, "/params/y")
	refuse(t, `{"kind":"click","params":{"x":1,"y":1e999}}`, "/params/y")
	refuse(t, `{"kind":"click","params":{"selector":"a","button":"back"}}`, "/params/button")
	accept(t, `{"kind":"click","params":{"selector":"#a"}}`)
	accept(t, `{"kind":"click","params":{"x":-100000,"y":99999.5}}`)
	if p := accept(t, `{"kind":"click","params":{"selector":" #a , b"}}`); p.Action.Selector != " #a , b" {
		t.Errorf("the selector is changed: %q", p.Action.Selector)
	}
}

func TestAA5_Waits(t *testing.T) {
	accept(t, `{"kind":"wait","params":{"milliseconds":60000}}`)
	for _, n := range []string{"60001", "-1", "1.0", "1e3", "true", `"1"`, "null", "[]", "99999999999999999999"} {
		refuse(t, `{"kind":"wait","params":{"milliseconds":`+n+`}}`, "/params/milliseconds")
	}
	refuse(t, `{"kind":"wait","params":{}}`, "/params/milliseconds")
	refuse(t, `{"kind":"wait","params":{"milliseconds":1,"expect":[{"url":"a"}]}}`, "/params")
}

func TestAA6_Scrolls(t *testing.T) {
	refuse(t, `{"kind":"scroll","params":{"delta_x":0,"delta_y":0}}`, "/params")
	refuse(t, `{"kind":"scroll","params":{}}`, "/params")
	refuse(t, `{"kind":"scroll"}`, "/params")
	refuse(t, `{"kind":"scroll","params":{"delta_y":1,"x":1}}`, "/params/y")
	refuse(t, `{"kind":"scroll","params":{"delta_y":1.5}}`, "/params/delta_y")
	refuse(t, `{"kind":"scroll","params":{"delta_y":1,"selector":"a"}}`, "/params")
	for _, n := range []string{"10000", "-10000"} {
		accept(t, `{"kind":"scroll","params":{"delta_x":`+n+`}}`)
		accept(t, `{"kind":"scroll","params":{"delta_y":`+n+`,"x":1.5,"y":-2}}`)
	}
	for _, n := range []string{"10001", "-10001"} {
		refuse(t, `{"kind":"scroll","params":{"delta_x":`+n+`}}`, "/params/delta_x")
	}
}

func TestAA7_Lengths(t *testing.T) {
	rep := func(n int) string { return strings.Repeat("é", n) }
	accept(t, `{"kind":"click","params":{"selector":"`+rep(4096)+`"}}`)
	refuse(t, `{"kind":"click","params":{"selector":"`+rep(4097)+`"}}`, "/params/selector")
	accept(t, `{"kind":"type","params":{"text":"`+rep(50000)+`"}}`)
	refuse(t, `{"kind":"type","params":{"text":"`+rep(50001)+`"}}`, "/params/text")
	accept(t, `{"kind":"back","id":"`+rep(256)+`"}`)
	refuse(t, `{"kind":"back","id":"`+rep(257)+`"}`, "/id")
	refuse(t, `{"kind":"back","id":" "}`, "/id")
	refuse(t, `{"kind":"back","id":""}`, "/id")
	refuse(t, `{"kind":"back","id":"\u200b"}`, "/id")
	refuse(t, `{"kind":"back","id":"a\u202eb"}`, "/id")
	refuse(t, `{"kind":"back","id":7}`, "/id")
	refuse(t, `{"kind":"back","metadata":{"a":"`+strings.Repeat("a", proposal.MaxAction)+`"}}`, "")
	for _, key := range []string{"id", "params", "risk", "metadata", "confirm", "kind"} {
		in := `{"kind":"back","` + key + `":null}`
		if key == "kind" {
			in = `{"kind":null}`
		}
		refuse(t, in, "/"+key)
	}
}

func TestAA8_AA9_Risk(t *testing.T) {
	for in, want := range map[string]deed.Risk{"0": deed.RiskReversible, "1": deed.RiskReversible, "4": deed.RiskCritical} {
		if p := accept(t, `{"kind":"click","params":{"selector":"a"},"risk":`+in+`}`); p.EffectiveRisk(deed.RiskNone) != want {
			t.Errorf("risk %s is %s in effect", in, p.EffectiveRisk(deed.RiskNone))
		}
	}
	for _, n := range []string{"5", "-1", "true", `"2"`, "1.0", "null"} {
		refuse(t, `{"kind":"click","params":{"selector":"a"},"risk":`+n+`}`, "/risk")
	}
}

func nested(n int) string { return strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1) }

func TestAA10_AA11_Metadata(t *testing.T) {
	accept(t, `{"kind":"back","metadata":`+nested(64)+`}`)
	refuse(t, `{"kind":"back","metadata":`+nested(65)+`}`, "/metadata")
	accept(t, `{"kind":"back","metadata":{"a":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}}`)
	refuse(t, `{"kind":"back","metadata":{"a":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}}`, "/metadata")
	wide := make([]string, 65)
	for i := range wide {
		wide[i] = fmt.Sprintf(`"k%d":{}`, i)
	}
	accept(t, `{"kind":"back","metadata":{`+strings.Join(wide, ",")+`}}`)
	refuse(t, `{"kind":"back","metadata":[]}`, "/metadata")
	refuse(t, `{"kind":"back","metadata":{"zebra":1e999}}`, "/metadata")
	for _, in := range []string{`{"kind":"back","metadata":{"zebra":` + nested(65) + `}}`, `{"kind":"back","metadata":{"zebra":1e999}}`, `{"kind":"back","metadata":{"zebra":NaN}}`, `{"kind":"back","metadata":{"zebra":` + nested(500) + `}}`} {
		if _, err := proposal.Decode([]byte(in)); err == nil || strings.Contains(fmt.Sprintf("%+v %#v", err, err), "zebra") {
			t.Errorf("%v", err)
		}
	}
}

func TestAA12_URLs(t *testing.T) {
	for _, u := range []string{"javascript:alert(1)", "file:///etc/passwd", "https://u:p@example.com", "https://@example.com", "https://example.com/a b", "https://example.com/\\u00a0", "https://[::1", "https://example.com:0", "https://example.com:65536", "https://example.com:x",
		"https://example.com/\\u200b", "https://example.com/\\u0000", "", " ", "https://example.com/" + strings.Repeat("a", 8192)} {
		refuse(t, `{"kind":"navigate","params":{"url":"`+u+`"}}`, "/params/url")
		refuse(t, `{"kind":"tab","params":{"tab":"open","text":"`+u+`"}}`, "/params/text")
	}
	refuse(t, `{"kind":"navigate"}`, "/params")
	refuse(t, `{"kind":"navigate","params":{}}`, "/params/url")
	refuse(t, `{"kind":"navigate","params":{"url":null}}`, "/params/url")
	if p := accept(t, `{"kind":"navigate","params":{"url":"https://faß.de/"}}`); p.Action.Text != "https://faß.de/" {
		t.Error("the URL is changed")
	}
}

func TestAA45_Paths(t *testing.T) {
	for _, path := range []string{"../x.png", "/x.png", `a\\b.png`, "x.jpg", "x.png\\n", "x\\u0000.png", "a/../x.png", "..", ".", "", " ", "x.png/", "a/", "~/x.png", "~x.png", "C:x.png", "C:/x.png", "x.png:y.png", ".png", "..png", "x.png ", "x.png.", " x.png", "a /x.png",
		"con.png", "CON.png", "nul .png", "a/com1.x.png", "aux/x.png", "x*.png", "x\\u202egnp.png", "x\\u200b.png", "...", ".../x.png", "x.png\\u0085", strings.Repeat("a", 237) + ".png"} {
		refuse(t, `{"kind":"screenshot","params":{"path":"`+path+`"}}`, "/params/path")
		var plain string
		if err := json.Unmarshal([]byte(`"`+path+`"`), &plain); err != nil {
			t.Fatal(err)
		}
		if err := proposal.CheckShotPath(plain); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q: %v", plain, err)
		}
	}
	for _, path := range []string{"a.png", "./a.png", "a//b.png", "a/b/c.PNG", "é.png", "a.b.png", "con-x.png", "a b.png", strings.Repeat("é", 236) + ".png"} {
		if p := accept(t, `{"kind":"screenshot","params":{"path":"`+path+`"}}`); p.Action.Path != path {
			t.Errorf("%q is changed to %q", path, p.Action.Path)
		}
		if err := proposal.CheckShotPath(path); err != nil {
			t.Error(err)
		}
	}
}

func TestIDs(t *testing.T) {
	a, b := accept(t, `{"kind":"back"}`), accept(t, `{"kind":"back"}`)
	if len(a.ID) != 32 || strings.Trim(a.ID, "0123456789abcdef") != "" || a.ID == b.ID {
		t.Errorf("%q %q", a.ID, b.ID)
	}
	n := 0
	d := proposal.Decoder{NewID: func() string { n++; return fmt.Sprint("id", n) }}
	plan, err := d.DecodePlan([]byte(`[{"kind":"back"},{"kind":"back","id":"x"},{"kind":"back"}]`))
	if err != nil || plan.Proposals[0].ID != "id1" || plan.Proposals[1].ID != "x" || plan.Proposals[2].ID != "id2" {
		t.Errorf("%v %v", plan, err)
	}
}

func TestAA32_AA33_Plans(t *testing.T) {
	for in, where := range map[string]string{
		`{"actions":[],"budget":{"max_actions":1}}`: "",
		`{"actions":[],"budget":null}`:              "",
		`{"plan":[]}`:                               "/actions",
		`{"actions":null}`:                          "/actions",
		`{"actions":{}}`:                            "/actions",
		`7`:                                         "",
		`null`:                                      "",
		`[null]`:                                    "/0",
		`[[]]`:                                      "/0",
		`[{"kind":"back"},{"kind":"wait","params":{"milliseconds":-1}}]`: "/1/params/milliseconds",
		`{"actions":[{"kind":"back"},{"kind":"wait"}]}`:                  "/actions/1/params",
		`[{"kind":"back","id":"a"},{"kind":"back","id":"a"}]`:            "/1/id",
		`{"actions":[{"kind":"back"}],"actions":[]}`:                     "byte 28",
		`[{"kind":"back"}]x`: "byte 17",
		"\xef\xbb\xbf[]":     "",
		`[{"kind":"back","metadata":{"a":"` + strings.Repeat("a", proposal.MaxAction) + `"}}]`: "/0",
		"[" + strings.Repeat(`{"kind":"back"},`, proposal.MaxActions) + `{"kind":"back"}]`:     "",
		"[" + strings.Repeat(" ", proposal.MaxPlan) + "]":                                      "",
	} {
		_, err := proposal.DecodePlan([]byte(in))
		var e *deed.Error
		if !errors.As(err, &e) || e.Code != deed.CodeInvalid || e.Where != where {
			t.Errorf("%.100s: %v, want a refusal at %q", in, err, where)
		}
	}
	for in, n := range map[string]int{
		`[]`: 0, `{"actions":[]}`: 0, `{"version":3,"comment":null,"x":{"budget":1},"actions":[{"kind":"back"},{"kind":"reload"}]}`: 2,
		" [ " + strings.Join(minimal[:1], ",") + " ] ": 1,
	} {
		p, err := proposal.DecodePlan([]byte(in))
		if err != nil || len(p.Proposals) != n {
			t.Errorf("%s: %v %v", in, p, err)
		}
	}
}

func TestEncodeRefusesWhatCannotBeReadBack(t *testing.T) {
	for _, p := range []deed.Proposal{
		{}, {ID: "1"}, {ID: "1", Action: deed.Action{Kind: deed.KindWatch}}, {ID: "1", Action: deed.Action{Kind: deed.KindGoto, Text: "file:///x"}},
		{Action: deed.Action{Kind: deed.KindBack}}, {ID: "1", Action: deed.Action{Kind: deed.KindBack}, Risk: 7}, {ID: "1", Action: deed.Action{Kind: deed.KindBack, Text: "lost"}},
		{ID: "1", Action: deed.Action{Kind: deed.KindBack}, Metadata: json.RawMessage("{")}, {ID: "1", Action: deed.Action{Kind: deed.KindDrag, Ref: "s1:e1"}},
		{ID: "1", Action: deed.Action{Kind: deed.KindWait, Pause: 1}}, {ID: "1", Action: deed.Action{Kind: deed.KindFill, Ref: "s1:e1", Secret: "A", Text: "the value of a secret"}},
	} {
		out, err := proposal.Encode(&p)
		if !errors.Is(err, deed.CodeInvalid) || out != nil {
			t.Errorf("%+v: %s %v", p, out, err)
		}
	}
}

// same holds that decoding, encoding and decoding again loses nothing and settles.
func same(t interface{ Fatalf(string, ...any) }, p *deed.Proposal) {
	out, err := proposal.Encode(p)
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	again, err := proposal.Decode(out)
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Fatalf("%+v becomes %s and then %+v, %v", p, out, again, err)
	}
	if twice, err := proposal.Encode(again); err != nil || string(twice) != string(out) {
		t.Fatalf("%s and then %s, %v", out, twice, err)
	}
}

func TestEveryFormSurvives(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		w := proposaltest.Wire().Draw(t, "wire")
		in, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		p, err := proposal.Decode(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		seen[w["kind"].(string)] = true
		same(t, p)
	})
	if len(seen) < 10 {
		t.Errorf("only %d kinds were drawn", len(seen))
	}
}

const canary = "kanarienvogel"

// TestAA2_AA11_NothingSubmittedIsRepeated plants a word as a key and as a value anywhere in a proposal.
func TestAA2_AA11_NothingSubmittedIsRepeated(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		w := any(proposaltest.Wire().Draw(t, "wire"))
		raw, _ := json.Marshal(w)
		var tree any
		if err := json.Unmarshal(raw, &tree); err != nil {
			t.Fatal(err)
		}
		plant(t, &tree)
		in, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "cut") {
			in = in[:rapid.IntRange(0, len(in)).Draw(t, "at")]
		}
		for _, data := range [][]byte{in, []byte("[" + string(in) + "]")} {
			_, err1 := proposal.Decode(data)
			_, err2 := proposal.DecodePlan(data)
			for _, err := range []error{err1, err2} {
				if err == nil {
					continue
				}
				refused++
				quiet(t, err)
			}
		}
	})
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

func quiet(t interface{ Fatalf(string, ...any) }, err error) {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if s := strings.ToLower(fmt.Sprintf("%v %+v %#v %s", e, e, e, deed.HintOf(e))); strings.Contains(s, canary) {
			t.Fatalf("the error repeats what was submitted: %v", e)
		}
	}
	if !errors.Is(err, deed.CodeInvalid) {
		t.Fatalf("%v", err)
	}
}

// plant replaces one value, or adds one key, somewhere below v.
func plant(t *rapid.T, v *any) {
	values := []any{canary, canary + "://x@y", "/" + canary + "(/", canary + "\x00", "s1:" + canary, "../" + canary, map[string]any{canary: canary}, []any{canary}, nil, 1.5, true, -1}
	switch x := (*v).(type) {
	case map[string]any:
		keys := []string{}
		for k := range x {
			keys = append(keys, k)
		}
		if len(keys) == 0 || rapid.IntRange(0, 3).Draw(t, "add") == 0 {
			x[canary] = rapid.SampledFrom(values).Draw(t, "value")
			return
		}
		k := rapid.SampledFrom(sorted(keys)).Draw(t, "key")
		child := x[k]
		plant(t, &child)
		x[k] = child
	case []any:
		if len(x) == 0 {
			*v = []any{canary}
			return
		}
		plant(t, &x[rapid.IntRange(0, len(x)-1).Draw(t, "item")])
	default:
		*v = rapid.SampledFrom(values).Draw(t, "value")
	}
}

// TestDocumentedPlan: the plan that the documentation shows, in canonical form.
func TestDocumentedPlan(t *testing.T) {
	a, err := txtar.ParseFile("testdata/plan.txtar")
	if err != nil || len(a.Files) != 2 {
		t.Fatal(err)
	}
	n := 0
	d := proposal.Decoder{NewID: func() string { n++; return strconv.Itoa(n) }}
	plan, err := d.DecodePlan(a.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i := range plan.Proposals {
		one, err := proposal.Encode(&plan.Proposals[i])
		if err != nil {
			t.Fatal(err)
		}
		got.Write(one)
		got.WriteByte('\n')
	}
	if got.String() != string(a.Files[1].Data) {
		t.Errorf("got\n%s", got.String())
	}
}
