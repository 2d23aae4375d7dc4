package trace

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
)

// hold masks named secrets in JSON so that it stays JSON.
func (v *veil) hold(j json.RawMessage) json.RawMessage {
	if j == nil {
		return nil
	}
	mask := func(m *redact.Masker) {
		if out, ok := m.Value(j).(json.RawMessage); ok {
			j = out
		}
	}
	if v.given != nil {
		mask(v.given)
	}
	mask(&v.named)
	return j
}

// request masks what policy was asked, so that what is left is decided alike: the actions in it are masked as proposals are, its own
// words stay, and everything else as text of a page.
func (v *veil) request(j json.RawMessage) json.RawMessage {
	j = v.hold(j)
	if j == nil || v.unsafe {
		return j
	}
	var tree map[string]any
	d := json.NewDecoder(bytes.NewReader(j))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return json.RawMessage(`[]`) // no object, and refused as such
	}
	masked := make(map[string]any, len(tree))
	for k, x := range tree {
		s, _ := x.(string)
		a, isObject := x.(map[string]any)
		switch {
		case isObject && (k == "action" || k == "for"):
			masked[k] = v.asked(a)
		case k == "unresolved":
			masked[k] = v.shape(k, x)
		case k == "principal" && slices.Contains([]string{deed.ByPerson, deed.ByAgent, deed.ByCase}, s),
			k == "valueFrom" && slices.Contains(valueWords, s):
			masked[k] = s
		default:
			masked[v.own(k)] = v.under(k, x)
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(masked) != nil {
		return json.RawMessage(`[]`)
	}
	return bytes.TrimSpace(out.Bytes())
}

// ownKeys are the keys that a request has of itself: they are no text of anybody, whatever is typed.
var ownKeys = func() []string {
	out := []string{"principal", "name", "action", "for", "undo", "risk", "element", "facts", "also", "alone", "pageUrl", "target", "valueFrom",
		"resends", "dryRun", "unresolved", "confirm", "given", "pageAllowed", "destinationAllowed", "destinationPublic", "listing", "listed"}
	for _, t := range []reflect.Type{reflect.TypeFor[deed.Node](), reflect.TypeFor[deed.Facts]()} {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			out = append(out, name)
		}
	}
	return out
}()

// own is a key as it may be seen.
func (v *veil) own(k string) string {
	if slices.Contains(ownKeys, k) {
		return k
	}
	return v.free(k)
}

// origins of a value are words of policies, whatever key they stand under.
var valueWords = []string{deed.ValueGoal, deed.ValueSecret, deed.ValuePage, deed.ValueModel, deed.ValueCase, ""}

// under masks what stands under a key: all of it where the key promises something to hide.
func (v *veil) under(key string, x any) any {
	own := slices.Contains(ownKeys, key)
	switch x := x.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[v.own(k)] = v.under(k, e)
		}
		return out
	case []any:
		for i := range x {
			x[i] = v.under(key, x[i])
		}
	case json.Number:
		if s := x.String(); !own && v.typed.String(s) != s {
			return deed.Redacted
		}
	case string:
		switch {
		case key == "states" && known(x):
		case key == "role" && deed.KnownRole(x):
		case key == "formMethod" && slices.Contains([]string{"GET", "POST", "DIALOG"}, strings.ToUpper(x)):
		case hiding(key) && !slices.Contains(valueWords, x):
			return deed.Redacted
		default:
			return v.free(x)
		}
	}
	return x
}

// known reports a list of states.
func known(s string) bool {
	var states deed.State
	return states.UnmarshalText([]byte(s)) == nil
}

func hiding(key string) bool {
	key = strings.ToLower(key)
	switch key {
	case "text", "value", "credential", "selector", "metadata":
		return true
	}
	return slices.ContainsFunc([]string{"authorization", "cookie", "password", "secret", "session", "token", "api_key", "apikey"},
		func(s string) bool { return strings.Contains(key, s) })
}

// asked masks an action in a request. What its decision depends on stays: the kind, commands among keys, that a line is broken, the
// origin that it leads to. Of all else only that it is there.
func (v *veil) asked(a map[string]any) map[string]any {
	text := func(k string) string { s, _ := a[k].(string); return s }
	out := make(map[string]any, len(a))
	for k, x := range a {
		s, _ := x.(string)
		switch k {
		case "kind":
			if word.MatchString(s) {
				out[k] = s
				continue
			}
		case "button", "tab":
			if slices.Contains([]string{"left", "middle", "right", "open", "switch", "close"}, s) {
				out[k] = s
				continue
			}
		case "key":
			if out[k] = pressed(s); text("kind") == string(deed.KindHTTP) && method.MatchString(s) {
				out[k] = s
			}
			continue
		case "text":
			switch kind := text("kind"); {
			case s == "":
			case kind == string(deed.KindGoto), kind == string(deed.KindHTTP), kind == string(deed.KindTab) && text("tab") == "open":
				s = leadsTo(s)
			case (kind == string(deed.KindType) || kind == string(deed.KindFill)) && strings.ContainsAny(s, "\r\n"):
				s = deed.Redacted + "\n"
			default:
				s = deed.Redacted
			}
			out[k] = s
			continue
		}
		out[v.formKey(k)] = v.shape(k, x)
	}
	return out
}

// formKeys are the keys of actions and of what stands in them.
var formKeys = func() []string {
	out := []string{"in", "frame", "near", "nth", "exact"}
	for _, t := range []reflect.Type{reflect.TypeFor[deed.Action](), reflect.TypeFor[deed.Expect](), reflect.TypeFor[deed.RequestSpec](),
		reflect.TypeFor[deed.Drop](), reflect.TypeFor[deed.Scroll](), reflect.TypeFor[deed.Point](), reflect.TypeFor[deed.Answer]()} {
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
				out = append(out, name)
			}
		}
	}
	return out
}()

func (v *veil) formKey(k string) string {
	if slices.Contains(formKeys, k) || deed.KnownRole(k) || k == "" {
		return k
	}
	if _, ok := deed.ParseState(k); ok {
		return k
	}
	return deed.Redacted
}

// shape is a value without its texts.
func (v *veil) shape(key string, x any) any {
	switch x := x.(type) {
	case string:
		if x == "" || key == "kind" && word.MatchString(x) && v.free(x) == x {
			return x
		}
		return deed.Redacted
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[v.formKey(k)] = v.shape(k, e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = v.shape(key, x[i])
		}
		return out
	}
	return x // numbers and truths are where and how
}

// leadsTo is what is decided by of a URL: its origin, or that it is no address.
func leadsTo(s string) string {
	if o := originOf(s); o != deed.Redacted {
		return o
	}
	if u, err := url.Parse(strings.TrimSpace(s)); err == nil && u.Scheme != "" {
		return u.Scheme + ":" + deed.Redacted
	}
	return deed.Redacted
}

// oneKey stands for a key that writes a character: text is typed by such keys, too.
const oneKey = "•"

// pressed is a key as it may be seen: commands are, what writes is not.
func pressed(key string) string {
	switch key {
	case "":
		return ""
	case " ":
		return "Space"
	case "\r", "\n":
		return "Enter"
	}
	if commandKey(key) {
		return key
	}
	mods, name := "", key
	if i := strings.LastIndexByte(strings.TrimSuffix(key, "+"), '+'); i >= 0 && i+1 < len(key) {
		mods, name = key[:i+1], key[i+1:]
	}
	switch strings.ToLower(strings.TrimSuffix(mods, "+")) {
	case "", "shift":
	default:
		return deed.Redacted
	}
	switch n := strings.ToLower(name); {
	case len([]rune(name)) == 1:
		return mods + oneKey
	case n == "return" || n == "numpadenter":
		return mods + "Enter"
	}
	return deed.Redacted
}
