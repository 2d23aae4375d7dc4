package record

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
)

// A Case is what was recorded, ready to be written.
type Case struct {
	ID      string
	Start   string // address that was opened first
	Secrets []string
	Origins []string
	Entries []Entry
}

// Steps returns the steps alone.
func (c *Case) Steps() []deed.Step {
	var out []deed.Step
	for i := range c.Entries {
		if c.Entries[i].IsStep() {
			out = append(out, c.Entries[i].Step)
		}
	}
	return out
}

// pair and object are a mapping whose order is kept.
type pair struct {
	key   string
	value any
}
type object []pair

// base splits an address into its origin and the rest; an address without an origin of its own has none.
func base(raw string) (origin, rest string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", raw
	}
	origin = u.Scheme + "://" + u.Host
	return origin, strings.TrimPrefix(raw, origin)
}

// head is all of the case but its steps.
func (c *Case) head() object {
	o := object{{"deed", 1}, {"case", c.ID}}
	origin, rest := base(c.Start)
	start := any(literal(c.Start))
	if origin != "" {
		start = "${BASE_URL}" + literal(rest)
	}
	o = append(o, pair{"start", start})
	var others []any
	for _, x := range c.Origins {
		if x != origin {
			others = append(others, x)
		}
	}
	if len(others) > 0 {
		o = append(o, pair{"origins", others})
	}
	if origin != "" {
		o = append(o, pair{"vars", object{{"BASE_URL", origin}}})
	}
	if len(c.Secrets) > 0 {
		var names []any
		for _, x := range c.Secrets {
			names = append(names, x)
		}
		o = append(o, pair{"secrets", names})
	}
	return o
}

// literal keeps a text from being read as a variable.
func literal(s string) string { return strings.ReplaceAll(s, "${", "$${") }

// address is an address of the case, on its own origin where it is one.
func (c *Case) address(raw string) string {
	origin, _ := base(c.Start)
	if o, rest := base(raw); o == origin && o != "" {
		return "${BASE_URL}" + literal(rest)
	}
	return literal(raw)
}

func locator(l deed.Locator) object {
	o := object{}
	if l.Role != "" {
		o = append(o, pair{l.Role, literal(l.Name)})
	}
	if l.Loose {
		o = append(o, pair{"exact", false})
	}
	for _, x := range []pair{{"in", l.Region}, {"frame", l.Frame}, {"near", l.Near}} {
		if x.value != "" {
			o = append(o, pair{x.key, literal(x.value.(string))})
		}
	}
	if l.Nth != 0 {
		o = append(o, pair{"nth", l.Nth})
	}
	return o
}

func texts(list []string) any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = literal(x)
	}
	return out
}

// step is one step in the form of a case file.
func (c *Case) step(a *deed.Action) object {
	o := object{}
	put := func(key string, value any) { o = append(o, pair{key, value}) }
	verb := string(a.Kind)
	switch a.Kind {
	case deed.KindGoto:
		put(verb, c.address(a.Text))
	case deed.KindBack, deed.KindForward, deed.KindReload:
		put(verb, nil)
	case deed.KindPress:
		if a.Locator.IsZero() {
			put(verb, a.Key)
		} else {
			put(verb, locator(a.Locator))
			put("key", a.Key)
		}
	case deed.KindScroll:
		to := object{{"to", locator(a.Locator)}}
		if a.Scroll != nil && a.Scroll.Region != "" {
			to = append(to, pair{"in", literal(a.Scroll.Region)})
		}
		put(verb, to)
	case deed.KindTab:
		switch a.Tab {
		case "open":
			put(verb, object{{"open", c.address(a.Text)}})
		case "switch":
			put(verb, object{{"switch", literal(a.Text)}})
		default:
			put(verb, a.Tab)
		}
	default:
		put(verb, locator(a.Locator))
	}
	switch a.Kind {
	case deed.KindFill:
		if a.Secret != "" {
			put("secret", a.Secret)
		} else {
			put("with", literal(a.Text))
		}
	case deed.KindSelect:
		if len(a.Options) == 1 {
			put("option", literal(a.Options[0]))
		} else {
			put("option", texts(a.Options))
		}
	case deed.KindUpload:
		put("files", texts(a.Files))
	case deed.KindDrag:
		if d := a.Drop; d != nil {
			to := locator(d.To)
			for _, x := range []pair{{"in", d.In}, {"before", d.Before}, {"after", d.After}} {
				if x.value != "" {
					to = append(to, pair{x.key, literal(x.value.(string))})
				}
			}
			put("to", to)
		}
	}
	if d := a.Dialog; d != nil {
		switch {
		case d.Text != "":
			put("dialog", object{{"accept", literal(d.Text)}})
		case d.Accept:
			put("dialog", "accept")
		default:
			put("dialog", "dismiss")
		}
	}
	if len(a.Expect) > 0 {
		var list []any
		for i := range a.Expect {
			list = append(list, expectation(&a.Expect[i]))
		}
		put("expect", list)
	}
	return o
}

func expectation(e *deed.Expect) object {
	switch e.Kind {
	case deed.ExpectValue:
		return object{{"value", locator(e.Locator)}, {"equals", literal(e.Text)}}
	case deed.ExpectState:
		o := object{{"state", locator(e.Locator)}}
		for _, name := range deed.ExpectableStates() {
			if is, ok := e.States[name]; ok {
				o = append(o, pair{name, is})
			}
		}
		return o
	case deed.ExpectRequest:
		r := object{}
		if e.Request.Method != "" {
			r = append(r, pair{"method", e.Request.Method})
		}
		if e.Request.URL != "" {
			r = append(r, pair{"url", literal(e.Request.URL)})
		}
		if e.Request.Status != 0 {
			r = append(r, pair{"status", e.Request.Status})
		}
		return object{{"request", r}}
	case deed.ExpectText:
		return append(object{{"text", literal(e.Text)}}, locator(e.Locator)...)
	case deed.ExpectURL, deed.ExpectTitle, deed.ExpectDialog, deed.ExpectPopup, deed.ExpectDownload:
		return object{{string(e.Kind), literal(e.Text)}}
	}
	return object{{string(e.Kind), locator(e.Locator)}}
}

// YAML is the case as a case file, in the form that deed fmt gives one.
func (c *Case) YAML() []byte {
	var b bytes.Buffer
	put := func(lead string, p pair) {
		b.WriteString(lead + p.key + ":")
		if p.value != nil {
			v, _ := json.Marshal(p.value) // texts, numbers, lists and mappings of them: JSON is YAML
			b.WriteByte(' ')
			b.Write(v)
		}
		b.WriteByte('\n')
	}
	for _, p := range c.head() {
		put("", p)
	}
	b.WriteString("steps:\n")
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, line := range strings.FieldsFunc(e.Comment, func(r rune) bool { return r == '\n' || r == '\r' }) {
			b.WriteString("  # " + printable(line) + "\n")
		}
		if !e.IsStep() {
			continue
		}
		for k, p := range c.step(&e.Step.Action) {
			put([]string{"  - ", "    "}[min(k, 1)], p)
		}
	}
	out, problems := casefile.Format("", b.Bytes())
	if len(problems) > 0 {
		return b.Bytes() // it says the same
	}
	return out
}

// quoted is a text in JSON, in which <, > and & are themselves.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// printable leaves out of a comment what would end it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			return ' '
		}
		return r
	}, s)
}

// MarshalJSON writes the object in its order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(p.key) + ":")
		v, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// JSON is the case as a case file in JSON. Remarks have no place in it.
func (c *Case) JSON() ([]byte, error) {
	steps := []any{}
	for i := range c.Entries {
		if c.Entries[i].IsStep() {
			steps = append(steps, c.step(&c.Entries[i].Step.Action))
		}
	}
	out, err := json.MarshalIndent(append(c.head(), pair{"steps", steps}), "", "  ")
	return append(out, '\n'), err
}
