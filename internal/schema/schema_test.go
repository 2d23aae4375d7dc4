package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/proposaltest"
	"github.com/deed-dev/deed/internal/schema"
)

// compile makes a validator of a schema; the schema is held against the meta-schema of 2020-12, and nothing is loaded.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	raw, err := schema.Schema(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	c.AssertFormat()
	id := doc.(map[string]any)["$id"].(string)
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func instance(t interface{ Fatal(...any) }, data string) any {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		t.Fatal(data, err)
	}
	return v
}

func TestAA63_SchemasAreSchemasAndReferToNothingElse(t *testing.T) {
	refs := regexp.MustCompile(`"\$(?:ref|dynamicRef)": "([^"]*)"`)
	for _, name := range schema.Names() {
		compile(t, name)
		raw, _ := schema.Schema(name)
		for _, m := range refs.FindAllSubmatch(raw, -1) {
			if !bytes.HasPrefix(m[1], []byte("#/$defs/")) {
				t.Errorf("%s refers to %s", name, m[1])
			}
		}
		var v map[string]any
		if err := json.Unmarshal(raw, &v); err != nil || v["$schema"] != "https://json-schema.org/draft/2020-12/schema" || v["$id"] != "urn:deed:"+name+":v1" {
			t.Errorf("%s: %v %v %v", name, err, v["$schema"], v["$id"])
		}
		again, _ := schema.Schema(name)
		if !bytes.Equal(raw, again) {
			t.Errorf("%s is not the same twice", name)
		}
	}
	if _, err := schema.Schema("acton"); !errors.Is(err, deed.CodeInvalid) || deed.HintOf(err) != `did you mean "action"?` {
		t.Errorf("%v", err)
	}
}

// TestAA63_WhatIsDecodedIsValid: every proposal that the decoder accepts, as it came and in canonical form, fits the schema.
func TestAA63_WhatIsDecodedIsValid(t *testing.T) {
	one, many := compile(t, "action"), compile(t, "plan")
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(proposaltest.Wire().Draw(t, "wire"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := proposal.Decode(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		canonical, err := proposal.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{string(raw), string(canonical)} {
			if err := one.Validate(instance(t, s)); err != nil {
				t.Fatalf("%s\n%v", s, err)
			}
			for _, plan := range []string{"[" + s + "]", `{"comment":1,"actions":[` + s + `]}`} {
				if err := many.Validate(instance(t, plan)); err != nil {
					t.Fatalf("%s\n%v", plan, err)
				}
			}
		}
	})
}

// malformed are proposals that neither the decoder nor the schema accepts.
var malformed = []string{
	`[]`, `null`, `7`, `{}`, `{"kind":"zebra"}`, `{"kind":null}`, `{"kind":"back","x":1}`, `{"kind":"back","id":""}`, `{"kind":"back","id":" "}`, `{"kind":"back","id":null}`,
	`{"kind":"back","id":"` + strings.Repeat("a", 257) + `"}`, `{"kind":"back","risk":5}`, `{"kind":"back","risk":true}`, `{"kind":"back","risk":"2"}`, `{"kind":"back","risk":1.5}`, `{"kind":"back","metadata":[]}`,
	`{"kind":"back","metadata":null}`, `{"kind":"back","params":null}`, `{"kind":"back","params":{"url":"http://a.example"}}`, `{"kind":"navigate"}`, `{"kind":"navigate","params":{}}`, `{"kind":"navigate","params":{"url":"javascript:alert(1)"}}`,
	`{"kind":"navigate","params":{"url":"https://u@a.example"}}`, `{"kind":"navigate","params":{"url":"https://a b.example"}}`, `{"kind":"navigate","params":{"url":"https://a.example/ x"}}`, `{"kind":"navigate","params":{"url":"https://"}}`, `{"kind":"navigate","params":{"url":""}}`,
	`{"kind":"click"}`, `{"kind":"click","params":{}}`, `{"kind":"click","params":{"x":1}}`, `{"kind":"click","params":{"selector":"a","x":1,"y":2}}`, `{"kind":"click","params":{"selector":"a","x":1}}`, `{"kind":"click","params":{"selector":"a","ref":"s1:e1"}}`,
	`{"kind":"click","params":{"selector":""}}`, `{"kind":"click","params":{"selector":"a\n"}}`, `{"kind":"click","params":{"x":1,"y":100001}}`, `{"kind":"click","params":{"ref":"e1"}}`, `{"kind":"click","params":{"locator":{}}}`, `{"kind":"click","params":{"locator":{"zebra":"a"}}}`,
	`{"kind":"click","params":{"locator":{"button":"a","link":"b"}}}`, `{"kind":"click","params":{"locator":{"in":"cart"}}}`, `{"kind":"click","params":{"locator":{"button":"a","nth":0}}}`, `{"kind":"click","params":{"selector":"a","button":"back"}}`, `{"kind":"click","params":{"selector":"a","dialog":true}}`,
	`{"kind":"type","params":{}}`, `{"kind":"type","params":{"text":"a","secret":"B"}}`, `{"kind":"type","params":{"text":"a","append":true}}`, `{"kind":"type","params":{"text":"a\u0000"}}`, `{"kind":"type","params":{"secret":"a b"}}`, `{"kind":"type","params":{"text":"a","x":1}}`, `{"kind":"fill","params":{"text":"a"}}`,
	`{"kind":"scroll"}`, `{"kind":"scroll","params":{"delta_x":0,"delta_y":0}}`, `{"kind":"scroll","params":{"delta_x":10001}}`, `{"kind":"scroll","params":{"selector":"a","delta_y":1}}`, `{"kind":"scroll","params":{"x":1,"y":2}}`, `{"kind":"scroll","params":{"x":1,"y":2,"in":"a","delta_y":3}}`, `{"kind":"scroll","params":{"ref":"s1:e1","in":"a"}}`, `{"kind":"scroll","params":{"selector":"a","in":"a"}}`,
	`{"kind":"wait"}`, `{"kind":"wait","params":{"milliseconds":60001}}`, `{"kind":"wait","params":{"milliseconds":-1}}`, `{"kind":"wait","params":{"milliseconds":1,"expect":[{"url":"a"}]}}`, `{"kind":"wait","params":{"expect":[]}}`, `{"kind":"wait","params":{"expect":[{"url":"a","title":"b"}]}}`,
	`{"kind":"wait","params":{"expect":[{"value":{"textbox":"a"}}]}}`, `{"kind":"wait","params":{"expect":[{"state":{"checkbox":"a"}}]}}`, `{"kind":"wait","params":{"expect":[{"count":{"row":"a"}}]}}`, `{"kind":"wait","params":{"expect":[{"count":{"row":"a"},"equals":1,"min":1}]}}`, `{"kind":"wait","params":{"expect":[{"no_errors":false}]}}`, `{"kind":"wait","params":{"expect":[{"request":{}}]}}`,
	`{"kind":"screenshot","params":{"path":"../x.png"}}`, `{"kind":"screenshot","params":{"path":"/x.png"}}`, `{"kind":"screenshot","params":{"path":"a\\b.png"}}`, `{"kind":"screenshot","params":{"path":"x.jpg"}}`, `{"kind":"screenshot","params":{"path":"x.png\n"}}`, `{"kind":"screenshot","params":{"path":"x\u0000.png"}}`, `{"kind":"screenshot","params":{"path":".png"}}`, `{"kind":"screenshot","params":{"path":"C:x.png"}}`,
	`{"kind":"select","params":{"ref":"s1:e1","options":[]}}`, `{"kind":"upload","params":{"ref":"s1:e1"}}`, `{"kind":"upload","params":{"ref":"s1:e1","files":["/etc/passwd"]}}`, `{"kind":"drag","params":{"ref":"s1:e1","drop":{}}}`, `{"kind":"drag","params":{"ref":"s1:e1","drop":{"in":"a","after":"b"}}}`,
	`{"kind":"press","params":{"key":"enter"}}`, `{"kind":"press","params":{}}`, `{"kind":"tab","params":{"tab":"open"}}`, `{"kind":"tab","params":{"tab":"open","text":"file:///x"}}`, `{"kind":"tab","params":{"tab":"switch"}}`, `{"kind":"tab","params":{"tab":"new"}}`, `{"kind":"eval","params":{"text":" "}}`, `{"kind":"click","params":{"selector":"a","timeoutMs":0}}`,
}

func TestAA63_MalformedProposals(t *testing.T) {
	one := compile(t, "action")
	for _, s := range malformed {
		if one.Validate(instance(t, s)) == nil {
			t.Errorf("the schema accepts %s", s)
		}
		if _, err := proposal.Decode([]byte(s)); err == nil {
			t.Errorf("the decoder accepts %s", s)
		}
	}
}

func TestAA32_SchemaRefusesABudget(t *testing.T) {
	many := compile(t, "plan")
	for _, s := range []string{`{"actions":[],"budget":{}}`, `{"actions":[],"budget":null}`, `{}`, `{"actions":{}}`, `[{"kind":"zebra"}]`, `7`} {
		if many.Validate(instance(t, s)) == nil {
			t.Errorf("the schema accepts %s", s)
		}
	}
	if err := many.Validate(instance(t, `{"actions":[],"note":"x"}`)); err != nil {
		t.Error(err)
	}
}

// TestGaps: what is listed as accepted by the schema and refused by the decoder is just that.
func TestGaps(t *testing.T) {
	one, many := compile(t, "action"), compile(t, "plan")
	for _, g := range schema.Gaps() {
		s, decode := one, func(b []byte) error { _, err := proposal.Decode(b); return err }
		if g.Plan {
			s, decode = many, func(b []byte) error { _, err := proposal.DecodePlan(b); return err }
		}
		if err := decode([]byte(g.Sample)); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%s: the decoder accepts it: %v", g.Name, err)
		}
		var v any // as a validator reads it that keeps the last of two keys
		if err := json.Unmarshal([]byte(g.Sample), &v); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: the schema refuses it: %v", g.Name, err)
		}
	}
}

// TestCases: the case files of this repository, and the examples of the documentation, fit the schema.
func TestCases(t *testing.T) {
	s := compile(t, "case")
	n := 0
	check := func(name, text string) {
		for d := yaml.NewDecoder(strings.NewReader(text)); ; {
			var v any
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			n++
			j, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(instance(t, string(j))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "node_modules", d.Name() == ".git":
			return fs.SkipDir
		}
		if strings.HasSuffix(p, ".deed.yaml") {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			check(p, string(data))
		}
		return nil
	})
	if err != nil || n < 50 {
		t.Fatal(n, err)
	}
	doc, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	before := n
	for _, m := range regexp.MustCompile("(?ms)^```yaml\n(deed: 1.*?)^```$").FindAllSubmatch(doc, -1) {
		check("docs/formats.md", string(m[1]))
	}
	if n == before {
		t.Error("the documentation shows no case")
	}
}

// TestBadCases: mistakes of shape are seen by the schema as they are by the reader.
func TestBadCases(t *testing.T) {
	s := compile(t, "case")
	for _, step := range []string{
		`{"clik":{"button":"a"}}`, `{"click":{"button":"a"},"fill":{"textbox":"b"},"with":"c"}`, `{"click":{"buton":"a"}}`, `{"click":"a"}`, `{"click":{"button":"a"},"with":"b"}`, `{"fill":{"textbox":"a"}}`, `{"fill":{"textbox":"a"},"with":"b","secret":"C"}`, `{}`, `"click"`,
		`{"click":{"button":"a"},"expect":[]}`, `{"click":{"button":"a"},"expect":{"appear":{"row":"a"}}}`, `{"click":{"button":"a"},"timeout":5}`, `{"click":{"button":"a"},"dialog":"ok"}`, `{"select":{"combobox":"a"}}`, `{"drag":{"row":"a"}}`, `{"scroll":{"by":1,"to":"top"}}`, `{"tab":"open"}`, `{"wait":5}`, `{"click":{"button":"a","link":"b"}}`,
		`{"expect":{"value":{"textbox":"a"}}}`, `{"expect":{"state":{"checkbox":"a"}}}`, `{"expect":{"count":{"row":"a"}}}`, `{"back":"twice"}`,
		`{"http":{"method":"GET"}}`, `{"http":{"url":"/a","status":200}}`, `{"http":"/a","save":"id"}`, `{"http":"/a","dialog":"accept"}`, `{"use":{"with":{}}}`, `{"use":"a","intent":"b"}`,
	} {
		doc := `{"deed":1,"case":"a","start":"http://127.0.0.1/","steps":[` + step + `]}`
		if s.Validate(instance(t, doc)) == nil {
			t.Errorf("the schema accepts %s", step)
		}
		if read, problems := casefile.Parse("a.deed.json", []byte(doc), casefile.Options{}); len(problems) == 0 {
			t.Errorf("the reader accepts %s: %v", step, read)
		}
	}
	for _, more := range []string{`"failOn":"noise"`, `"failOn":[]`, `"egress":"loose"`, `"device":{"wide":1}`, `"clock":"now"`, `"storage":{"local":"x"}`, `"cookies":[{"value":"x"}]`, `"network":[{"status":200}]`, `"retries":"many"`,
		`"quarantine":"maybe"`, `"session":30`, `"teardown":[]`} {
		doc := `{"deed":1,"case":"a","start":"http://127.0.0.1/","steps":["back"],` + more + `}`
		if s.Validate(instance(t, doc)) == nil {
			t.Errorf("the schema accepts %s", more)
		}
		if _, problems := casefile.Parse("a.deed.json", []byte(doc), casefile.Options{}); len(problems) == 0 {
			t.Errorf("the reader accepts %s", more)
		}
	}
	archive, err := txtar.ParseFile("../casefile/testdata/settings.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name != "good.deed.yaml" {
			continue
		}
		var v any
		if err := yaml.Unmarshal(f.Data, &v); err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, string(j))); err != nil {
			t.Errorf("a case that uses all of the format: %v", err)
		}
	}
	for _, doc := range []string{`{}`, `{"deed":2,"case":"a","steps":["back"]}`, `{"deed":1,"case":"A b","steps":["back"]}`, `{"deed":1,"case":"a","steps":[]}`, `{"deed":1,"case":"a","steps":["back"],"step":1}`, `[]`} {
		if s.Validate(instance(t, doc)) == nil {
			t.Errorf("the schema accepts %s", doc)
		}
	}
}

func TestResults(t *testing.T) {
	s := compile(t, "result")
	full := deed.RunResult{Deed: deed.Format, Run: "r", Outcome: deed.OutcomeMismatch, Problems: []deed.ProblemResult{{Pos: "a:1:1", Message: "m", Hint: "h"}},
		Cases: []deed.CaseResult{{Case: "a", File: "f", Outcome: deed.OutcomeVerified, Code: deed.CodeTimeout, Reason: "r", Saved: map[string]json.RawMessage{"x": json.RawMessage(`[1,null]`)},
			Steps: []deed.StepResult{(&deed.Result{Outcome: deed.OutcomeVerified, Judgement: deed.Judgement{Verdict: deed.Match, Basis: deed.BasisExpect}}).Step(1, nil),
				(&deed.Result{Residue: &deed.Diff{}, Judgement: deed.Judgement{Verdict: deed.Mismatch, Kind: deed.MismatchNeighbour}}).Step(2, &deed.Error{Code: deed.CodeMismatch, Hint: "h"})}}}}
	raw, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(instance(t, string(raw))); err != nil {
		t.Errorf("%s\n%v", raw, err)
	}
	doc, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile("(?ms)^```json\n(\\{\"deed\": 1.*?)^```$").FindAllSubmatch(doc, -1) {
		n++
		if err := s.Validate(instance(t, string(m[1]))); err != nil {
			t.Error(err)
		}
	}
	if n == 0 {
		t.Error("the documentation shows no result")
	}
	for _, bad := range []string{`{}`, `[]`, strings.Replace(string(raw), `"verified"`, `"fine"`, 1), strings.Replace(string(raw), `"n":1`, `"n":"1"`, 1), strings.Replace(string(raw), `"deed":1`, `"deed":2`, 1), strings.Replace(string(raw), `"run"`, `"ran"`, 1), strings.Replace(string(raw), `"basis":"expect"`, `"basis":"hope"`, 1)} {
		if bad == string(raw) {
			t.Fatal("nothing was replaced")
		}
		if s.Validate(instance(t, bad)) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

func TestTraces(t *testing.T) {
	s := compile(t, "trace")
	const line = `{"v":1,"run":"r","seq":3,"time":"2026-11-30T17:14:00.123Z","prev":"","hash":"ab","kind":"decided","id":"x","rule":{"more":1}}`
	if err := s.Validate(instance(t, line)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{`[]`, `{}`, strings.Replace(line, "decided", "guessed", 1), strings.Replace(line, `"seq":3`, `"seq":-1`, 1), strings.Replace(line, `"hash"`, `"hush"`, 1), strings.Replace(line, "2026-11-30T", "yesterday ", 1)} {
		if s.Validate(instance(t, bad)) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}
