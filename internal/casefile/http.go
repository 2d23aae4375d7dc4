package casefile

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/httpstep"
)

// httpKeys say what is asked for; what is expected of the answer stands beside the verb.
var httpKeys = []string{"method", "url", "headers", "body", "json", "form"}

// httpMethods that a step may use.
var httpMethods = []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// http reads a request beside the browser.
func (r *reader) http(s *deed.Step, v field, keys map[string]field) {
	h := &deed.HTTPStep{Method: http.MethodGet, Timeout: s.Action.Timeout}
	s.HTTP, s.Action = h, deed.Action{Kind: deed.KindHTTP, Intent: s.Action.Intent, Timeout: s.Action.Timeout}
	for _, k := range []string{"expect", "dialog"} {
		if f, ok := keys[k]; ok {
			r.complain(f.pos, "status, header and json say what is expected of an answer", "%s is of pages, and http has none", k)
		}
	}
	// What is sent may hold secrets: it is masked wherever it is told of.
	r.secretText = true
	defer func() { r.secretText = false }()
	ask := v.value
	if ask.kind == scalar && !ask.absent {
		ask = &node{kind: mapping, pos: ask.pos, fields: []field{{key: "url", pos: ask.pos, value: ask}}}
	}
	if ask.kind != mapping {
		r.wrongKind(v.value, "http", "a mapping", `http: {method: GET, url: "/api/cart"}`)
		return
	}
	bodies := 0
	for _, f := range ask.fields {
		switch f.key {
		case "method":
			h.Method = r.method(f)
		case "url":
			if text, ok := r.text(f); ok {
				h.URL = r.address(f.value.pos, text)
			}
		case "headers":
			h.Headers = r.texts(f)
		case "body":
			bodies++
			h.Body, _ = r.text(f)
		case "json":
			bodies++
			h.JSON = r.json(f.value)
		case "form":
			bodies++
			h.Form = r.texts(f)
		default:
			if slices.Contains(verbs["http"].own, f.key) {
				r.complain(f.pos, "write it beside http, in the same step", "%s is of the answer, not of the request", f.key)
				continue
			}
			r.unknown(f, "an http request", httpKeys)
		}
	}
	if _, ok := ask.field("url"); !ok {
		r.complain(v.pos, `http: {method: GET, url: "/api/cart"}`, "http names no URL")
	}
	if bodies > 1 {
		r.complain(v.pos, "body, json or form", "a request has one body")
	}
	if f, ok := keys["status"]; ok {
		if n, ok := r.integer(f); ok {
			if h.Status = n; n < 100 || n > 599 {
				r.complain(f.value.pos, "status: 200", "%d is no status of an answer", n)
			}
		}
	}
	if f, ok := keys["header"]; ok {
		h.ExpectHeaders = r.texts(f)
	}
	if f, ok := keys["json"]; ok {
		if f.value.kind != mapping {
			r.wrongKind(f.value, "json", "a mapping of paths to values", `json: {"$.items.length()": 1}`)
		}
		for _, e := range f.value.fields {
			r.path(e.pos, e.key)
			if raw := r.json(e.value); raw != nil {
				if h.Expect == nil {
					h.Expect = map[string]json.RawMessage{}
				}
				h.Expect[e.key] = raw
			}
		}
	}
	if f, ok := keys["save"]; ok {
		if f.value.kind != mapping {
			r.wrongKind(f.value, "save", "a mapping of names to paths", `save: {id: "$.items[0].id"}`)
		}
		for _, e := range f.value.fields {
			path, ok := r.text(e)
			if !ok {
				continue
			}
			r.path(e.value.pos, path)
			r.saved(e.pos, e.key)
			if h.Save == nil {
				h.Save = map[string]string{}
			}
			h.Save[e.key] = path
		}
	}
}

// method reads the method of a request.
func (r *reader) method(f field) string {
	text, ok := r.text(f)
	m := strings.ToUpper(text)
	if ok && !slices.Contains(httpMethods, m) {
		r.complain(f.value.pos, "one of "+strings.Join(httpMethods, ", "), "unknown method %q", text)
	}
	return m
}

// path complains about what is no path.
func (r *reader) path(at deed.Pos, text string) {
	if err := httpstep.CheckPath(text); err != nil {
		r.complain(at, `such as "$.items[0].id", see RFC 9535`, "%w", err)
	}
}

// saved notes a name under which a step keeps something. A fragment that is used twice saves twice; the last one counts.
func (r *reader) saved(at deed.Pos, name string) {
	at = r.clamp(at)
	switch before, twice := r.kept[name]; {
	case !varName.MatchString(name):
		r.complain(at, "letters, digits and _", "%q cannot name what is saved", name)
	case twice && before != at && before.File != at.File:
		r.complain(at, "", "%s is saved twice, first at %s", name, before)
	case twice && before != at:
		r.complain(at, "", "%s is saved twice, first at line %d", name, before.Line)
	case r.vars[name] != nil:
		r.complain(at, "", "%s is a variable already", name)
	default:
		r.kept[name] = at
	}
}

// address reads the URL of a request: one that begins with what a step saved is known only then.
func (r *reader) address(at deed.Pos, text string) string {
	if strings.HasPrefix(text, deed.Saved("")[:len("\ufdd0")]) {
		return text
	}
	u := r.url(at, text)
	if u == nil {
		return ""
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		r.complain(at, "", "http asks for http and https alone, not for %s:", u.Scheme)
	}
	return written(u.String())
}

// written puts the marks of saved values back that a URL encoded.
func written(url string) string { return strings.ReplaceAll(url, "%EF%B7%90", "\ufdd0") }

// texts reads a mapping of names to texts.
func (r *reader) texts(f field) map[string]string {
	if f.value.kind != mapping {
		r.wrongKind(f.value, f.key, "a mapping of names to texts", "")
		return nil
	}
	out := map[string]string{}
	for _, e := range f.value.fields {
		if text, ok := r.scalar(e.value, e.key); ok {
			out[e.key] = text
		}
	}
	return out
}

// json is a value as JSON: what is written without quotes and reads as a number, true, false or null is that.
func (r *reader) json(n *node) json.RawMessage {
	v, ok := r.value(n)
	if !ok {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		r.complain(n.pos, "", "it cannot be written as JSON")
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func (r *reader) value(n *node) (any, bool) {
	switch n.kind {
	case mapping:
		out, all := map[string]any{}, true
		for _, f := range n.fields {
			v, ok := r.value(f.value)
			out[f.key], all = v, all && ok
		}
		return out, all
	case list:
		out, all := []any{}, true
		for _, i := range n.items {
			v, ok := r.value(i)
			out, all = append(out, v), all && ok
		}
		return out, all
	}
	if n.absent {
		return nil, true
	}
	text, ok := r.expand(n)
	if n.quoted {
		return text, ok
	}
	switch text {
	case "true":
		return true, ok
	case "false":
		return false, ok
	case "null", "~":
		return nil, ok
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
		return json.Number(text), ok
	}
	return text, ok
}
