package casefile

import (
	"slices"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// forms are the words an expectation begins with, each with the keys that may stand beside it.
var forms = map[string][]string{
	"appears":    siblings,
	"disappears": siblings,
	"visible":    siblings,
	"hidden":     siblings,
	"value":      append(slices.Clone(siblings), "equals", "secret"),
	"state":      append(slices.Clone(siblings), deed.ExpectableStates()...),
	"text":       {"in", "frame"},
	"count":      append(slices.Clone(siblings), "equals", "min", "max"),
	"url":        nil,
	"title":      nil,
	"request":    nil,
	"dialog":     nil,
	"popup":      nil,
	"download":   nil,
	"no_errors":  nil,
}

func formNames() []string {
	var names []string
	for k := range forms {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// expectations reads one expectation or a list of them. The one expectation of a wait may hold the wait's
// timeout, which goes to patience; nil where a timeout has no place inside.
func (r *reader) expectations(n *node, patience *time.Duration) []deed.Expect {
	wait := patience != nil
	const example = "{text: Saved, in: status}"
	switch {
	case n.kind == scalar:
		hint := example
		if wait && !n.absent {
			hint = "wait for something that can be seen: {appears: {status: Saved}, timeout: 5s}"
		}
		what := "an expectation"
		if wait {
			what = "wait"
		}
		r.wrongKind(n, what, "a mapping", hint)
		return nil
	case n.kind == list && len(n.items) == 0:
		r.complain(n.pos, example, "nothing is expected")
		return nil
	}
	var out []deed.Expect
	for _, item := range r.listOf(n) {
		if item.kind != mapping {
			r.wrongKind(item, "an expectation", "a mapping", example)
			continue
		}
		if n.kind == list {
			patience = nil
		}
		if e, ok := r.expectation(item, patience); ok {
			out = append(out, e)
		}
	}
	return out
}

func (r *reader) expectation(n *node, patience *time.Duration) (e deed.Expect, ok bool) {
	before := len(r.problems)
	form, ok := r.form(n)
	if !ok {
		return e, false
	}
	e.Kind = deed.ExpectKind(form.key)
	allowed := forms[form.key]
	keys := map[string]field{}
	var beside []field
	stray := false
	for _, f := range n.fields {
		switch {
		case f.pos == form.pos:
		case slices.Contains(allowed, f.key) && slices.Contains(siblings, f.key):
			beside = append(beside, f)
		case slices.Contains(allowed, f.key):
			keys[f.key] = f
		case f.key == "timeout" && patience != nil:
			if *patience != 0 {
				r.complain(f.pos, "", "timeout is given twice")
				continue
			}
			*patience = r.duration(f)
		case f.key == "timeout":
			r.complain(f.pos, "write it beside the verb of the step", "an expectation has no time of its own")
		case slices.Contains(siblings, f.key):
			r.complain(f.pos, "", "%s does not narrow %s", f.key, form.key)
		case form.key == "state":
			stray = true
			r.unknown(f, "state", deed.ExpectableStates())
		default:
			stray = true
			r.unknown(f, "the expectation "+form.key, append(slices.Clone(allowed), formNames()...))
		}
	}
	r.content(&e, form, keys, beside, stray)
	if len(r.problems) == before {
		if err := e.Validate(); err != nil {
			r.report(form.pos, "", err)
		}
	}
	return e, len(r.problems) == before
}

// form finds the one form of an expectation.
func (r *reader) form(n *node) (field, bool) {
	if len(n.fields) == 0 {
		r.complain(n.pos, "{text: Saved, in: status}", "nothing is expected")
		return field{}, false
	}
	var found []field
	for _, f := range n.fields {
		if _, ok := forms[f.key]; ok {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		f := n.fields[0]
		for _, other := range n.fields {
			if deed.Suggest(other.key, formNames()) != "" {
				f = other
				break
			}
		}
		hint := "forms are " + strings.Join(formNames(), ", ")
		if s := deed.Suggest(f.key, formNames()); s != "" {
			hint = "did you mean \"" + s + "\"?"
		} else if deed.KnownRole(f.key) && f.value.kind == scalar {
			hint = "write visible: {" + f.key + ": " + f.value.text + "}"
		}
		r.complain(f.pos, hint, "unknown expectation %q", f.key)
	default:
		r.complain(found[1].pos, "write a list: [{"+found[0].key+": …}, {"+found[1].key+": …}]",
			"an expectation has one form, this has %s and %s", found[0].key, found[1].key)
	}
	return field{}, false
}

// content reads what the form says. After a stray key, likely a misspelt one, it does not complain about what
// is missing.
func (r *reader) content(e *deed.Expect, form field, keys map[string]field, beside []field, stray bool) {
	switch e.Kind {
	case deed.ExpectAppears, deed.ExpectDisappears, deed.ExpectVisible, deed.ExpectHidden:
		e.Locator, _ = r.locator(form.value, form.key, beside)
	case deed.ExpectValue:
		e.Locator, _ = r.locator(form.value, form.key, beside)
		equals, plain := keys["equals"]
		secret, masked := keys["secret"]
		switch {
		case plain && masked:
			r.complain(secret.pos, "", "value takes equals or secret, not both")
		case plain:
			e.Text, _ = r.text(equals)
		case masked:
			_, e.Text = r.secret(secret)
			e.Secret = true
		case !stray:
			r.complain(form.pos, `equals: the text, "" for empty`, "value does not say what it equals")
		}
	case deed.ExpectState:
		e.Locator, _ = r.locator(form.value, form.key, beside)
		e.States = map[string]bool{}
		for k, f := range keys {
			if v, ok := r.boolean(f); ok {
				e.States[k] = v
			}
		}
		if len(keys) == 0 && !stray {
			r.complain(form.pos, "checked: true; states are "+strings.Join(deed.ExpectableStates(), ", "), "state names no state")
		}
	case deed.ExpectCount:
		r.count(e, form, keys, beside, stray)
	case deed.ExpectText:
		e.Text, _ = r.phrase(form)
		for _, f := range beside {
			r.sibling(&e.Locator, f)
		}
	case deed.ExpectTitle, deed.ExpectDialog, deed.ExpectPopup, deed.ExpectDownload:
		e.Text, _ = r.phrase(form)
	case deed.ExpectURL:
		if text, ok := r.text(form); ok {
			e.Text = text
			r.glob(form.value, text)
		}
	case deed.ExpectRequest:
		r.request(e, form)
	case deed.ExpectNoErrors:
		if v, ok := r.boolean(form); ok && !v {
			r.complain(form.value.pos, "leave it out", "errors cannot be demanded")
		}
	}
}

// phrase reads a text that is contained, or a regular expression.
func (r *reader) phrase(f field) (string, bool) {
	text, ok := r.text(f)
	if !ok {
		return "", false
	}
	if strings.TrimSpace(text) == "" {
		r.complain(f.value.pos, "", "every %s contains this, it cannot fail", f.key)
		return "", false
	}
	r.pattern(f.value, text)
	return text, true
}

func (r *reader) count(e *deed.Expect, form field, keys map[string]field, beside []field, stray bool) {
	e.Locator, _ = r.locator(form.value, form.key, beside)
	e.Min, e.Max = -1, -1
	if f, ok := keys["equals"]; ok {
		n, ok := r.number(f)
		if ok {
			e.Min, e.Max = n, n
		}
		for _, k := range []string{"min", "max"} {
			if g, ok := keys[k]; ok {
				r.complain(g.pos, "", "count takes equals, or min and max")
			}
		}
		return
	}
	if len(keys) == 0 {
		if !stray {
			r.complain(form.pos, "equals: 3, or min and max", "count does not say how many")
		}
		return
	}
	if f, ok := keys["min"]; ok {
		if n, ok := r.number(f); ok {
			e.Min = n
		}
	}
	if f, ok := keys["max"]; ok {
		if n, ok := r.number(f); ok {
			e.Max = n
		}
	}
}

// number reads a count.
func (r *reader) number(f field) (int, bool) {
	n, ok := r.integer(f)
	if ok && n < 0 {
		r.complain(f.value.pos, "", "%s is %d, a count is never below 0", f.key, n)
		return 0, false
	}
	return n, ok
}

func (r *reader) request(e *deed.Expect, form field) {
	if form.value.kind != mapping {
		r.wrongKind(form.value, "request", "a mapping", "{method: POST, url: \"**/api/cart\", status: 201}")
		return
	}
	if len(form.value.fields) == 0 {
		r.complain(form.value.pos, "method, url or status", "every request is this one, it cannot fail")
		return
	}
	for _, f := range form.value.fields {
		switch f.key {
		case "method":
			text, ok := r.text(f)
			if ok && (text == "" || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
				r.complain(f.value.pos, "method: "+strings.ToUpper(text), "%q is no HTTP method", text)
			}
			e.Request.Method = text
		case "url":
			if text, ok := r.text(f); ok {
				e.Request.URL = text
				r.glob(f.value, text)
			}
		case "status":
			n, ok := r.integer(f)
			if ok && (n < 100 || n > 599) {
				r.complain(f.value.pos, "", "%d is no HTTP status", n)
			}
			e.Request.Status = n
		default:
			r.unknown(f, "request", []string{"method", "url", "status"})
		}
	}
}

// glob complains about a URL pattern that no URL can match: it is matched from the scheme, the host or the path on.
func (r *reader) glob(n *node, text string) {
	switch {
	case text == "":
		r.complain(n.pos, "", "a URL is missing")
	case text[0] == '?' || text[0] == '#':
		r.complain(n.pos, "\"**"+text+"\"", "the whole URL is compared, %q matches none", text)
	}
}
