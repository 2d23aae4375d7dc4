package schema

import (
	"github.com/deed-dev/deed"
)

// caseFile is one document of a case file, as YAML or JSON. Where the format takes a text, a number or a boolean counts as it is
// written. Variables, secrets, files, origins and expectations that cannot fail are for `deed run` to check.
func caseFile() object {
	scalar := object{"type": []string{"string", "number", "boolean"}}
	said := object{"anyOf": oneOf(object{"type": "string", "pattern": notBlank}, object{"type": []string{"number", "boolean"}})}
	yes := object{"anyOf": oneOf(object{"type": "boolean"}, variable())}
	whole := object{"anyOf": oneOf(object{"type": "integer"}, object{"type": "string", "pattern": `^-?[0-9]+$`}, variable())}
	texts := object{"anyOf": oneOf(scalar, object{"type": "array", "items": scalar, "minItems": 1})}
	s := closed(object{
		"deed":    object{"anyOf": oneOf(object{"const": deed.Format}, object{"const": "1"})},
		"case":    object{"anyOf": oneOf(object{"type": "string", "pattern": `^[a-z0-9][a-z0-9-/]*$`}, variable(), object{"type": "integer", "minimum": 0})},
		"title":   scalar,
		"start":   said,
		"origins": object{"anyOf": oneOf(scalar, object{"type": "array", "items": scalar})},
		"vars":    object{"type": "object", "propertyNames": object{"pattern": `^[A-Za-z_][A-Za-z0-9_]*$`}, "additionalProperties": scalar},
		"secrets": object{"anyOf": oneOf(object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}})},
		"tags":    object{"anyOf": oneOf(scalar, object{"type": "array", "items": scalar})},
		"timeout": ref("duration"),
		"steps":   object{"type": "array", "minItems": 1, "items": ref("step")},

		"teardown":   object{"type": "array", "minItems": 1, "items": ref("step")},
		"requires":   texts,
		"depends_on": texts,
		"session":    ref("duration"),
		"retries":    whole,
		"quarantine": yes,
		"egress":     object{"anyOf": oneOf(object{"const": "strict"}, variable())},
		"failOn": object{"anyOf": oneOf(trouble(), object{"type": "array", "minItems": 1, "items": trouble()},
			closed(object{"console": yes, "exceptions": yes, "http5xx": yes, "ignore": texts}))},
		"device": object{"anyOf": oneOf(object{"type": "string"}, closed(object{"name": object{"type": "string"}, "width": whole, "height": whole, "scale": scalar, "mobile": yes, "touch": yes,
			"user_agent": scalar, "locale": scalar, "color_scheme": object{"anyOf": oneOf(enum("light", "dark"), variable())}, "reduced_motion": yes}))},
		"clock":   closed(object{"now": scalar, "frozen": yes, "timezone": scalar}),
		"storage": oneOrMany(closed(object{"origin": scalar, "local": ref("names"), "session": ref("names")})),
		"cookies": oneOrMany(closed(object{"name": scalar, "value": scalar, "url": scalar, "domain": scalar, "path": scalar, "http_only": yes, "secure": yes,
			"same_site": object{"anyOf": oneOf(enum("Strict", "Lax", "None"), variable())}}, "name")),
		"network": oneOrMany(closed(object{"url": scalar, "method": scalar, "times": whole, "status": whole, "headers": ref("names"), "body": scalar, "json": object{}, "file": scalar,
			"delay": ref("duration"), "abort": yes, "pass": yes}, "url")),
	}, "deed", "case", "steps")
	s["title"] = "a case of deed"
	s["$defs"] = object{
		"scalar":   scalar,
		"texts":    texts,
		"names":    object{"type": "object", "additionalProperties": scalar},
		"duration": object{"type": "string", "anyOf": oneOf(object{"pattern": `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)([0-9.]+(ns|us|µs|μs|ms|s|m|h))*$`}, variable())},
		"locator":  locator(scalar, scalar, whole, yes),
		"expect":   caseExpect(scalar, whole, yes),
		"expects":  object{"anyOf": oneOf(ref("expect"), object{"type": "array", "minItems": 1, "items": ref("expect")})},
		"dialog":   object{"anyOf": oneOf(object{"enum": []string{"accept", "dismiss"}}, closed(object{"accept": scalar}, "accept"))},
		"step":     step(scalar, whole, yes),
	}
	return s
}

func oneOrMany(s object) object {
	return object{"anyOf": oneOf(s, object{"type": "array", "items": s})}
}

// trouble is what a case may fail on.
func trouble() object {
	return object{"anyOf": oneOf(enum("console", "exceptions", "http5xx"), variable())}
}

// variable is a text in which a variable stands for something that is checked when it is known.
func variable() object { return object{"type": "string", "pattern": `\$\{`} }

// stepVerb is a verb of a step: the schema of its object, the keys of its own, whether a locator is narrowed beside it.
type stepVerb struct {
	object any
	own    object
	needs  []string
	narrow bool
}

func step(scalar, whole, yes object) object {
	loc, none := ref("locator"), object{"enum": []any{nil, true, "null", "true"}}
	value := object{"with": scalar, "secret": object{"type": "string"}}
	narrowing := object{"in": scalar, "frame": scalar, "near": scalar, "nth": whole, "exact": yes}
	places := oneOf(loc, closed(object{"in": scalar}, "in"), closed(object{"before": scalar}, "before"), closed(object{"after": scalar}, "after"))
	amount := object{"anyOf": oneOf(whole, closed(object{"x": whole, "y": whole}))}
	verbs := map[string]stepVerb{
		"goto": {object: scalar}, "back": {object: none}, "forward": {object: none}, "reload": {object: none},
		"click": {object: loc, narrow: true}, "dblclick": {object: loc, narrow: true}, "hover": {object: loc, narrow: true}, "focus": {object: loc, narrow: true},
		"clear": {object: loc, narrow: true}, "check": {object: loc, narrow: true}, "uncheck": {object: loc, narrow: true},
		"fill": {object: loc, narrow: true, own: value}, "type": {object: loc, narrow: true, own: value},
		"press":  {object: object{"anyOf": oneOf(scalar, loc)}, narrow: true, own: object{"key": scalar}},
		"select": {object: loc, narrow: true, own: object{"option": ref("texts")}, needs: []string{"option"}},
		"upload": {object: loc, narrow: true, own: object{"files": ref("texts")}, needs: []string{"files"}},
		"drag":   {object: loc, narrow: true, own: object{"to": object{"anyOf": places}}, needs: []string{"to"}},
		"scroll": {object: object{"oneOf": oneOf(closed(object{"to": object{"anyOf": oneOf(loc, enum("top", "bottom"), variable())}, "in": scalar}, "to"), closed(object{"by": amount, "in": scalar}, "by"))}},
		"tab": {object: object{"oneOf": oneOf(object{"const": "close"}, closed(object{"open": scalar}, "open"), closed(object{"switch": scalar}, "switch"),
			closed(object{"close": none}, "close"))}},
		"screenshot": {object: scalar},
		"wait":       {object: object{"anyOf": oneOf(ref("expects"), ref("duration"))}},
		"eval":       {object: scalar, own: object{"save": object{"type": "string"}}},
		"expect":     {object: ref("expects")},
		"use":        {object: object{"anyOf": oneOf(object{"type": "string"}, closed(object{"fragment": object{"type": "string"}, "with": ref("names")}, "fragment"))}},
		"http": {object: object{"anyOf": oneOf(object{"type": "string"}, closed(object{"method": scalar, "url": scalar, "headers": ref("names"), "body": scalar, "json": object{}, "form": ref("names")}, "url"))},
			own: object{"status": whole, "header": ref("names"), "json": object{"type": "object"}, "save": ref("names")}},
	}
	each := oneOf(enum("back", "forward", "reload"))
	for _, name := range sorted(verbNames(verbs)) {
		v := verbs[name]
		p := object{"intent": scalar, "timeout": ref("duration"), "dialog": ref("dialog"), "expect": ref("expects")}
		if name == "wait" {
			delete(p, "expect")
		}
		p[name] = v.object
		for k, s := range v.own {
			p[k] = s
		}
		if v.narrow {
			for k, s := range narrowing {
				p[k] = s
			}
		}
		if name == "http" || name == "use" {
			delete(p, "dialog")
			delete(p, "expect")
		}
		if name == "use" {
			delete(p, "intent")
			delete(p, "timeout")
		}
		o := closed(p, append([]string{name}, v.needs...)...)
		if name == "fill" || name == "type" {
			o["oneOf"] = oneOf(need("with"), need("secret"))
		}
		each = append(each, o)
	}
	return object{"oneOf": each}
}

func verbNames(m map[string]stepVerb) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// caseExpect is an expectation of a case; the one expectation of a wait may hold the wait's timeout.
func caseExpect(scalar, whole, yes object) object {
	loc := ref("locator")
	narrowing := object{"in": scalar, "frame": scalar, "near": scalar, "nth": whole, "exact": yes}
	var each []object
	form := func(name string, about object, beside object, narrow bool) object {
		p := object{name: about, "timeout": ref("duration")}
		for k, s := range beside {
			p[k] = s
		}
		if narrow {
			for k, s := range narrowing {
				p[k] = s
			}
		}
		o := closed(p, name)
		each = append(each, o)
		return o
	}
	for _, k := range []string{"appears", "disappears", "visible", "hidden"} {
		form(k, loc, nil, true)
	}
	v := form("value", loc, object{"equals": scalar, "secret": object{"type": "string"}}, true)
	v["oneOf"] = oneOf(need("equals"), need("secret"))
	states := object{}
	var some []object
	for _, s := range deed.ExpectableStates() {
		states[s] = yes
		some = append(some, need(s))
	}
	form("state", loc, states, true)["anyOf"] = some
	form("text", scalar, object{"in": scalar, "frame": scalar}, false)
	form("count", loc, object{"equals": whole, "min": whole, "max": whole}, true)["anyOf"] = oneOf(need("equals"), need("min"), need("max"))
	for _, k := range []string{"url", "title", "dialog", "popup", "download"} {
		form(k, scalar, nil, false)
	}
	request := closed(object{"method": scalar, "url": scalar, "status": whole})
	request["minProperties"] = 1
	form("request", request, nil, false)
	form("no_errors", object{"anyOf": oneOf(object{"enum": []any{true, "true"}}, variable())}, nil, false)
	return object{"oneOf": each}
}
