package schema

import (
	"maps"
	"slices"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
)

const urlPattern = `^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\\s]+([/?#]\S*)?$`

// pathPattern is a relative path without what some system reads as more than a name.
const pathPattern = `^[^/~\\:*?"<>|][^\\:*?"<>|]*$`

func action() object {
	s := one()
	s["title"] = "a proposal of deed: one action"
	s["$defs"] = defs()
	return s
}

func plan() object {
	d := defs()
	d["action"] = one()
	list := object{"type": "array", "maxItems": proposal.MaxActions, "items": ref("action")}
	return object{
		"title": "a plan of deed: proposals in the order in which they are to be carried out",
		"$defs": d,
		"oneOf": oneOf(list, object{"type": "object", "required": []string{"actions"}, "properties": object{"actions": list, "budget": false}}),
	}
}

// one is the schema of a proposal, without its definitions.
func one() object {
	var kinds []string
	var each []object
	for _, f := range proposal.Forms() {
		kinds = append(kinds, f.Name)
		then := object{"properties": object{"params": ref("params-" + f.Name)}}
		if f.Target == proposal.MustTarget || len(f.Needs) > 0 || f.Kind == deed.KindScroll {
			then["required"] = []string{"params"}
		}
		each = append(each, object{"if": object{"required": []string{"kind"}, "properties": object{"kind": object{"const": f.Name}}}, "then": then})
	}
	s := closed(object{
		"id":       text(proposal.MaxID),
		"kind":     enum(sorted(kinds)...),
		"params":   object{"type": "object"},
		"risk":     integer(int(deed.RiskNone), int(deed.RiskCritical)),
		"metadata": object{"type": "object"},
		"confirm":  text(proposal.MaxName),
	}, "kind")
	s["allOf"] = each
	return s
}

// defs are the params of every kind, and what they are made of.
func defs() object {
	name := text(proposal.MaxName)
	d := object{
		"name": name, "role-name": mayBeEmpty(proposal.MaxName),
		"locator": locator(ref("role-name"), ref("name"), integer(1, proposal.MaxPoint), object{"type": "boolean"}),
		"dialog": object{"oneOf": oneOf(enum("accept", "dismiss"),
			closed(object{"accept": manyLines(proposal.MaxName)}, "accept"))},
		"expect": expect(),
	}
	for k, s := range types() {
		d["param-"+k] = s
	}
	for _, f := range proposal.Forms() {
		d["params-"+f.Name] = params(f)
	}
	return d
}

// types are the schemas of params, by name; a kind may be stricter.
func types() object {
	name := ref("name")
	coordinate := object{"type": "number", "minimum": -proposal.MaxPoint, "maximum": proposal.MaxPoint}
	url := text(proposal.MaxURL)
	url["pattern"] = urlPattern
	shot, file := path(), path()
	shot["pattern"] = `(^|/)[^/]*[^./][^/]*\.[Pp][Nn][Gg]$`
	yes := object{"type": "boolean"}
	return object{
		"locator": ref("locator"), "ref": object{"type": "string", "pattern": proposal.RefPattern}, "selector": name, "x": coordinate, "y": coordinate,
		"intent": name, "timeoutMs": integer(1, proposal.MaxTimeout), "dialog": ref("dialog"),
		"expect": object{"type": "array", "minItems": 1, "maxItems": proposal.MaxList, "items": ref("expect")},
		"url":    url, "button": enum("left", "middle", "right"),
		"text": manyLines(proposal.MaxText), "secret": object{"type": "string", "maxLength": 128, "pattern": proposal.SecretPattern},
		"press_enter": yes, "enter": yes, "append": yes,
		"key":     object{"type": "string", "maxLength": 64, "pattern": proposal.KeyPattern},
		"options": object{"type": "array", "minItems": 1, "maxItems": proposal.MaxList, "items": mayBeEmpty(proposal.MaxName)},
		"files":   object{"type": "array", "maxItems": proposal.MaxList, "items": file},
		"drop": object{"oneOf": oneOf(closed(object{"to": ref("locator")}, "to"), closed(object{"in": name}, "in"),
			closed(object{"before": name}, "before"), closed(object{"after": name}, "after"))},
		"delta_x": integer(-proposal.MaxScroll, proposal.MaxScroll), "delta_y": integer(-proposal.MaxScroll, proposal.MaxScroll), "in": name,
		"tab": enum("open", "switch", "close"), "milliseconds": integer(0, proposal.MaxWaitMS), "path": shot, "full_page": yes,
	}
}

func path() object {
	p := text(proposal.MaxPath)
	p["allOf"] = append(p["allOf"].([]object), object{"pattern": pathPattern}, object{"not": object{"pattern": `(^|/)\.\.(/|$)`}})
	return p
}

func params(f proposal.Form) object {
	p := object{}
	for _, k := range f.Known() {
		p[k] = ref("param-" + k)
	}
	o := closed(p)
	var all []object
	for _, group := range f.Needs {
		var each []object
		for _, k := range group {
			each = append(each, need(k))
		}
		all = append(all, object{"oneOf": each})
	}
	targets := oneOf(need("locator"), need("ref"), need("selector"), need("x", "y"))
	none := object{"not": object{"anyOf": oneOf(need("locator"), need("ref"), need("selector"), need("x"), need("y"))}}
	switch f.Target {
	case proposal.MustTarget:
		all = append(all, object{"oneOf": targets})
	case proposal.MayTarget:
		all = append(all, object{"oneOf": append(slices.Clone(targets), none)})
	}
	if f.Target != proposal.NoTarget {
		o["dependentRequired"] = object{"x": []string{"y"}, "y": []string{"x"}}
	}
	switch f.Name {
	case "type":
		o["dependentSchemas"] = object{"append": object{"oneOf": targets}}
	case "eval":
		p["text"] = object{"type": "string", "maxLength": proposal.MaxText, "allOf": oneOf(object{"pattern": lines}, object{"pattern": notBlank})}
	case "tab":
		when := func(word string, then object) object {
			return object{"if": object{"required": []string{"tab"}, "properties": object{"tab": object{"const": word}}}, "then": then}
		}
		p["text"] = text(max(proposal.MaxName, proposal.MaxURL))
		all = append(all, when("open", object{"required": []string{"text"}, "properties": object{"text": ref("param-url")}}),
			when("switch", object{"required": []string{"text"}, "properties": object{"text": text(proposal.MaxName)}}),
			when("close", object{"properties": object{"text": text(proposal.MaxName)}}))
	case "scroll":
		moves := func(k string) object {
			return object{"required": []string{k}, "properties": object{k: object{"not": object{"const": 0}}}}
		}
		amount := object{"anyOf": oneOf(moves("delta_x"), moves("delta_y"))}
		element := object{"anyOf": oneOf(need("locator"), need("ref"), need("selector"))}
		all = append(all, object{"if": element, "then": object{"not": object{"anyOf": oneOf(need("delta_x"), need("delta_y"))}}, "else": amount},
			object{"if": need("in"), "then": object{"not": object{"anyOf": oneOf(need("x"), need("ref"), need("selector"))}}})
	}
	if len(all) > 0 {
		o["allOf"] = all
	}
	return o
}

// expect is the schema of an expectation: one of the forms.
func expect() object {
	name := ref("name")
	about := map[deed.ExpectKind]object{
		deed.ExpectText: name, deed.ExpectURL: name, deed.ExpectTitle: name, deed.ExpectDialog: name, deed.ExpectPopup: name, deed.ExpectDownload: name,
		deed.ExpectNoErrors: {"const": true},
	}
	request := closed(object{"method": object{"type": "string", "pattern": proposal.MethodPattern}, "url": name, "status": integer(100, 599)})
	request["minProperties"] = 1
	about[deed.ExpectRequest] = request
	var each []object
	for _, f := range proposal.ExpectForms() {
		key := string(f.Kind)
		p := object{key: ref("locator")}
		if s, ok := about[f.Kind]; ok {
			p[key] = maps.Clone(s)
		}
		o := closed(p, key)
		switch f.Kind {
		case deed.ExpectValue:
			p["equals"] = manyLines(proposal.MaxText)
			o["required"] = []string{key, "equals"}
		case deed.ExpectState:
			for _, s := range f.Beside {
				p[s] = object{"type": "boolean"}
			}
			o["minProperties"] = 2
		case deed.ExpectText:
			p["in"], p["frame"] = name, name
		case deed.ExpectCount:
			for _, s := range f.Beside {
				p[s] = integer(0, proposal.MaxPoint)
			}
			bound := object{"anyOf": oneOf(need("min"), need("max"))}
			o["oneOf"] = oneOf(need("equals"), bound)
		}
		each = append(each, o)
	}
	return object{"oneOf": each}
}
