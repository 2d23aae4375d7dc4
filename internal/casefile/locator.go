package casefile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
)

// siblings are the keys that narrow a locator; they stand beside its role, or beside the verb of the step.
var siblings = []string{"in", "frame", "near", "nth", "exact"}

// locator reads {ROLE: NAME} with its siblings. Beside are the siblings that stand next to the verb.
func (r *reader) locator(n *node, what string, beside []field) (deed.Locator, bool) {
	before := len(r.problems)
	var l deed.Locator
	if n.kind != mapping {
		hint := `{button: Save}`
		if n.kind == scalar && !n.absent {
			hint = fmt.Sprintf("{button: %s}", n.text)
			if read, err := deed.ParseLocator(n.text); err == nil && read.Name != "" {
				hint = caseForm(read)
			}
		}
		r.wrongKind(n, what, "a mapping of a role to a name", hint)
		return l, false
	}
	var words []field // keys that are no siblings: the role, or a mistake
	given := map[string]field{}
	for _, f := range n.fields {
		if slices.Contains(siblings, f.key) {
			given[f.key] = f
			continue
		}
		words = append(words, f)
	}
	for _, f := range beside {
		if inside, twice := given[f.key]; twice {
			r.complain(f.pos, "", "%s is given twice, first at line %d", f.key, inside.pos.Line)
			continue
		}
		given[f.key] = f
	}
	r.role(n, &l, words)
	for _, key := range siblings {
		if f, ok := given[key]; ok {
			r.sibling(&l, f)
		}
	}
	if len(r.problems) == before {
		if err := l.Validate(); err != nil {
			r.report(n.pos, "", err)
		}
	}
	return l, len(r.problems) == before
}

// role takes the one key that is a role, and complains about the others.
func (r *reader) role(n *node, l *deed.Locator, words []field) {
	if len(words) == 0 {
		r.complain(n.pos, "{button: Save}", "the locator names no role")
		return
	}
	var roles []field
	for _, f := range words {
		if deed.KnownRole(f.key) {
			roles = append(roles, f)
		}
	}
	switch {
	case len(words) == 1 && len(roles) == 0:
		f := words[0]
		hint := ""
		if s := deed.Suggest(strings.ToLower(f.key), append(deed.Roles(), siblings...)); s != "" {
			hint = fmt.Sprintf("did you mean %q?", s)
		}
		r.complain(f.pos, hint, "unknown role %q", f.key)
		return
	case len(roles) == 0:
		for _, f := range words {
			r.unknown(f, "a locator", append(deed.Roles(), siblings...))
		}
		return
	}
	for _, f := range words {
		switch {
		case !deed.KnownRole(f.key):
			r.unknown(f, "a locator", append(slices.Clone(siblings), deed.Roles()...))
		case f.pos != roles[0].pos:
			r.complain(f.pos, "narrow it with in: "+f.key+" …", "a locator has one role, this has %s and %s", roles[0].key, f.key)
		}
	}
	f := roles[0]
	l.Role = f.key
	switch {
	case f.value.absent:
		r.complain(f.pos, fmt.Sprintf(`{%s: ""} is any %s, named or not`, f.key, f.key), "the name of the %s is missing", f.key)
	case f.value.kind != scalar:
		r.wrongKind(f.value, "the name of the "+f.key, "a text", "")
	default:
		if name, ok := r.expand(f.value); ok {
			l.Name = name
			r.pattern(f.value, name)
		}
	}
}

func (r *reader) sibling(l *deed.Locator, f field) {
	switch f.key {
	case "nth":
		n, ok := r.integer(f)
		if ok && n < 1 {
			r.complain(f.value.pos, "", "nth is %d, it counts from 1", n)
		}
		l.Nth = n
		return
	case "exact":
		exact, ok := r.boolean(f)
		l.Loose = ok && !exact
		return
	}
	if f.value.kind == mapping && len(f.value.fields) == 1 && f.value.fields[0].value.kind == scalar {
		inner := f.value.fields[0]
		example := inner.value.text
		if f.key == "in" && deed.KnownRole(inner.key) {
			example = inner.key + " " + strconv.Quote(inner.value.text)
		}
		r.wrongKind(f.value, f.key, "a text", f.key+": "+example)
		return
	}
	text, ok := r.text(f)
	if !ok {
		return
	}
	if text == "" {
		r.complain(f.value.pos, "", "%s is empty", f.key)
		return
	}
	switch f.key {
	case "in":
		r.region(f, text)
		l.Region = text
	case "frame":
		l.Frame = text
	case "near":
		l.Near = text
	}
}

// region checks the part of a region that has a syntax: role "name".
func (r *reader) region(f field, text string) {
	role, rest, ok := strings.Cut(text, ` "`)
	if !ok {
		return
	}
	if !strings.HasSuffix(rest, `"`) {
		r.complain(f.value.pos, `in: dialog "Cookies"`, "the quotes of the region do not close")
		return
	}
	if !deed.KnownRole(role) {
		hint := ""
		if s := deed.Suggest(role, deed.Roles()); s != "" {
			hint = fmt.Sprintf("did you mean %q?", s)
		}
		r.complain(f.value.pos, hint, "unknown role %q", role)
	}
}

// pattern complains about a regular expression that does not compile.
func (r *reader) pattern(n *node, text string) {
	body := text
	switch {
	case len(text) > 3 && text[0] == '/' && strings.HasSuffix(text, "/i"):
		body = text[1 : len(text)-2]
	case len(text) > 2 && text[0] == '/' && strings.HasSuffix(text, "/"):
		body = text[1 : len(text)-1]
	default:
		return
	}
	if _, err := regexp.Compile(body); err != nil {
		msg := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		r.complain(n.pos, "a text between slashes is a regular expression (RE2)", "bad regular expression: %s", msg)
	}
}

// unknown complains about a key that has no meaning there.
func (r *reader) unknown(f field, where string, candidates []string) {
	hint := ""
	if s := deed.Suggest(f.key, candidates); s != "" {
		hint = fmt.Sprintf("did you mean %q?", s)
	}
	r.complain(f.pos, hint, "unknown key %q in %s", f.key, where)
}

// caseForm writes a locator as a case file has it.
func caseForm(l deed.Locator) string {
	s := fmt.Sprintf("{%s: %s", l.Role, strconv.Quote(l.Name))
	if l.Region != "" {
		s += ", in: " + l.Region
	}
	if l.Frame != "" {
		s += ", frame: " + strconv.Quote(l.Frame)
	}
	if l.Near != "" {
		s += ", near: " + strconv.Quote(l.Near)
	}
	if l.Nth != 0 {
		s += ", nth: " + strconv.Itoa(l.Nth)
	}
	return s + "}"
}
