// Package schema is the published JSON Schema (2020-12) of every form: action, plan, case, trace and result.
//
// Law of this package: it describes what others read and write, and reads and writes nothing itself. The schemas of actions and
// plans are made from the list of forms that the decoder goes by, that of results from the types that are marshalled; only case
// and trace are written by hand. A schema refers to nothing outside itself.
package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// Version of the schemas. A change that refuses what was accepted makes a new one.
const Version = 1

type object = map[string]any

// Names lists the schemas.
func Names() []string { return []string{"action", "plan", "case", "trace", "result"} }

// Schema returns a schema as indented JSON with sorted keys. An unknown name is [deed.CodeInvalid].
func Schema(name string) ([]byte, error) {
	var s object
	switch name {
	case "action":
		s = action()
	case "plan":
		s = plan()
	case "case":
		s = caseFile()
	case "trace":
		s = trace()
	case "result":
		s = result()
	default:
		e := &deed.Error{Op: "schema", Code: deed.CodeInvalid, Err: fmt.Errorf("unknown schema %q", name), Hint: "schemas are " + strings.Join(Names(), ", ")}
		if near := deed.Suggest(name, Names()); near != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, e
	}
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = fmt.Sprintf("urn:deed:%s:v%d", name, Version)
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return nil, &deed.Error{Op: "schema", Code: deed.CodeInternal, Err: err}
	}
	return []byte(b.String()), nil
}

// A Gap is something that a schema accepts and the decoder of actions and plans refuses, because JSON Schema sees values, not
// the text they are written as, or because it has no words for it.
type Gap struct {
	Name   string
	Sample string // of an action; of a plan where Plan is true
	Plan   bool
}

// Gaps lists what the schemas of action and plan accept and the decoder refuses. Beside it stand what never reaches a
// validator: text that is no JSON, a byte order mark, invalid UTF-8, more than the permitted bytes.
func Gaps() []Gap {
	return []Gap{
		{Name: "an integer written 1.0", Sample: `{"kind":"wait","params":{"milliseconds":1.0}}`},
		{Name: "an integer written 1e3", Sample: `{"kind":"wait","params":{"milliseconds":1e3}}`},
		{Name: "a risk written 1.0", Sample: `{"kind":"back","risk":1.0}`},
		{Name: "a key given twice, of which validators see one", Sample: `{"kind":"back","kind":"back"}`},
		{Name: "metadata nested deeper than 64", Sample: `{"kind":"back","metadata":` + strings.Repeat(`{"a":`, 64) + "{}" + strings.Repeat("}", 64) + `}`},
		{Name: "white space beyond ASCII alone in a name", Sample: `{"kind":"click","params":{"selector":"\u00a0"}}`},
		{Name: "a port out of range", Sample: `{"kind":"navigate","params":{"url":"http://example.com:65536/"}}`},
		{Name: "brackets around no address", Sample: `{"kind":"navigate","params":{"url":"http://[x]/"}}`},
		{Name: "invisible characters in a URL", Sample: `{"kind":"navigate","params":{"url":"http://example.com/\u200b"}}`},
		{Name: "a percent sign in a host", Sample: `{"kind":"navigate","params":{"url":"http://exa%6dple.com/"}}`},
		{Name: "the name of a device as a file", Sample: `{"kind":"screenshot","params":{"path":"con.png"}}`},
		{Name: "invisible characters in a path", Sample: `{"kind":"screenshot","params":{"path":"a\u200b.png"}}`},
		{Name: "a name that is no valid regular expression", Sample: `{"kind":"click","params":{"locator":{"button":"/(/"}}}`},
		{Name: "an expectation that cannot fail: a bare landmark", Sample: `{"kind":"wait","params":{"expect":[{"visible":{"main":""}}]}}`},
		{Name: "an expectation that cannot fail: every URL", Sample: `{"kind":"wait","params":{"expect":[{"url":"**"}]}}`},
		{Name: "an expectation that cannot hold: min above max", Sample: `{"kind":"wait","params":{"expect":[{"count":{"row":""},"min":3,"max":2}]}}`},
		{Name: "an expectation that cannot fail: at least none", Sample: `{"kind":"wait","params":{"expect":[{"count":{"row":""},"min":0}]}}`},
		{Name: "an invisible key", Sample: `{"kind":"press","params":{"key":"\u200b"}}`},
		{Name: "invisible characters in an id", Sample: `{"kind":"back","id":"a\u200b"}`},
		{Name: "an id given twice in a plan", Plan: true, Sample: `[{"kind":"back","id":"a"},{"kind":"back","id":"a"}]`},
	}
}

// The words of schemas.

func ref(def string) object { return object{"$ref": "#/$defs/" + def} }

func closed(properties object, required ...string) object {
	o := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func integer(lo, hi int) object { return object{"type": "integer", "minimum": lo, "maximum": hi} }

func oneOf(list ...object) []object { return list }

func enum[S ~string](words ...S) object { return object{"type": "string", "enum": words} }

func need(names ...string) object { return object{"required": names} }

// noControl and lines say which control characters a text may hold. They are written with the characters themselves, which every
// dialect of regular expressions reads alike.
const (
	noControl = "^[^\x00-\x1f\x7f-\u009f]*$"
	lines     = "^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\u009f]*$"
	notBlank  = `\S`
)

// text of at most limit characters, not blank, in one line.
func text(limit int) object {
	return object{"type": "string", "maxLength": limit, "allOf": oneOf(object{"pattern": noControl}, object{"pattern": notBlank})}
}

// mayBeEmpty is a text in one line that may be empty or blank.
func mayBeEmpty(limit int) object {
	return object{"type": "string", "maxLength": limit, "pattern": noControl}
}

// manyLines is a text that may be empty and may hold line breaks and tabs.
func manyLines(limit int) object {
	return object{"type": "string", "maxLength": limit, "pattern": lines}
}

// locator is an object of one role and what narrows it; name is the schema of its texts, number that of nth.
func locator(name, narrow, number, yes object) object {
	p := object{"in": narrow, "frame": narrow, "near": narrow, "nth": number, "exact": yes}
	var roles []object
	for _, role := range deed.Roles() {
		p[role] = name
		roles = append(roles, need(role))
	}
	l := closed(p)
	l["oneOf"] = roles
	return l
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
