package schema

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/deed-dev/deed"
)

// words are the closed sets of words that results hold.
var words = map[reflect.Type][]string{
	reflect.TypeFor[deed.Outcome](): outcomes(),
	reflect.TypeFor[deed.Basis](): {string(deed.BasisExpect), string(deed.BasisContract), string(deed.BasisState), string(deed.BasisNamed), string(deed.BasisCaused),
		string(deed.BasisIntent), string(deed.BasisArbiter), string(deed.BasisPolicy)},
	reflect.TypeFor[deed.MismatchKind](): {string(deed.MismatchPrevented), string(deed.MismatchNotDelivered), string(deed.MismatchNoEffect), string(deed.MismatchUnmet),
		string(deed.MismatchDiverged), string(deed.MismatchWrongState), string(deed.MismatchNeighbour), string(deed.MismatchPageError), string(deed.MismatchRolledBack)},
}

func outcomes() []string {
	var out []string
	for o := deed.OutcomeFailed; o <= deed.OutcomeVerified; o++ {
		out = append(out, o.String())
	}
	return out
}

// result is what `deed run --json` prints. It is read off the types that are marshalled.
func result() object {
	d := object{}
	s := structure(reflect.TypeFor[deed.RunResult](), d)
	s["title"] = "the result of deed run --json"
	s["$defs"] = d
	s["properties"].(object)["deed"] = object{"const": deed.Format}
	return s
}

// structure is the schema of a struct; those inside it go to the definitions, by the name of their type.
func structure(t reflect.Type, defs object) object {
	p := object{}
	var required []string
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		p[name] = of(f.Type, defs)
		if !strings.Contains(opts, "omit") {
			required = append(required, name)
		}
	}
	return closed(p, sorted(required)...)
}

func of(t reflect.Type, defs object) object {
	if w, ok := words[t]; ok {
		return enum(w...)
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return object{} // any value
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": of(t.Elem(), defs)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": of(t.Elem(), defs)}
	case reflect.Pointer:
		return of(t.Elem(), defs)
	case reflect.Struct:
		name := t.Name()
		if _, ok := defs[name]; !ok {
			defs[name] = object{}
			defs[name] = structure(t, defs)
		}
		return ref(name)
	}
	panic("a result holds a " + t.String() + ", which the schema cannot say")
}

// trace is one line of a trace. It is loose on purpose: it says what every event has, and each kind of event may say more.
func trace() object {
	return object{
		"title":    "one line of a trace of deed; events may hold more than is said here",
		"type":     "object",
		"required": []string{"v", "run", "seq", "time", "prev", "hash", "kind"},
		"properties": object{
			"v":    object{"type": "integer", "minimum": 1},
			"run":  object{"type": "string", "minLength": 1},
			"seq":  object{"type": "integer", "minimum": 0},
			"time": object{"type": "string", "format": "date-time"},
			"prev": object{"type": "string"},
			"hash": object{"type": "string", "minLength": 1},
			"kind": enum("proposed", "decided", "confirmed", "started", "finished"),
			"id":   object{"type": "string"},
		},
		"additionalProperties": true,
	}
}
