package redact

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/deed-dev/deed"
)

// Snapshot masks every text in s, in place, and the value of every sensitive node. What the browser and deed assign (IDs of
// frames and documents, the script's hash, element numbers, known roles) holds no text of the page and stays: it pairs snapshots.
func (m *Masker) Snapshot(s *deed.Snapshot) {
	if s == nil {
		return
	}
	for i := range s.Nodes {
		sensitive(&s.Nodes[i])
	}
	if m.known.Load() == nil {
		return
	}
	m.in(&s.URL)
	m.in(&s.Title)
	m.in(&s.Incomplete)
	for i := range s.Frames {
		f := &s.Frames[i]
		m.in(&f.Name)
		m.in(&f.Title)
		m.in(&f.URL)
		m.in(&f.Origin)
	}
	// Regions and rows repeat from node to node.
	last := map[string]string{}
	often := func(p *string) {
		if *p == "" {
			return
		}
		to, ok := last[*p]
		if !ok {
			to = m.String(*p)
			last[*p] = to
		}
		*p = to
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		m.role(&n.Role)
		m.in(&n.Name)
		m.in(&n.Value)
		often(&n.Region)
		often(&n.Row)
		often(&n.Group)
	}
}

// Diff masks every text in d, in place, as [Masker.Snapshot] does.
func (m *Masker) Diff(d *deed.Diff) {
	if d == nil {
		return
	}
	for _, cs := range [][]deed.Change{d.Changes, d.Volatile} {
		for i := range cs {
			sensitive(&cs[i].Before)
			sensitive(&cs[i].After)
		}
	}
	if m.known.Load() != nil {
		m.walk(reflect.ValueOf(d).Elem())
	}
}

// Result masks every text in r, in place, and nothing that the caller of the action still holds: the action with what it typed and expected, the target, the reason, the changes, the
// residue, the signals, the log, and what was saved. The text of a secret fill and of a secret expectation is masked whether or not it was
// registered; whether it is empty stays visible.
func (m *Masker) Result(r *deed.Result) {
	if r == nil {
		return
	}
	own(&r.Action)
	if r.Action.Sensitive() && r.Action.Text != "" {
		r.Action.Text = deed.Redacted
	}
	for i := range r.Action.Expect {
		if e := &r.Action.Expect[i]; e.Secret && e.Text != "" {
			e.Text = deed.Redacted
		}
	}
	sensitive(&r.Target)
	m.Diff(&r.Diff)
	m.Diff(r.Residue)
	if m.known.Load() != nil {
		m.walk(reflect.ValueOf(r).Elem())
	}
}

// own parts an action from the one that it is a copy of: a case is attempted again, or twice at a time, with the expectations that it was written
// with, and not with what is shown in their place.
func own(a *deed.Action) {
	a.Options, a.Files, a.Expect = slices.Clone(a.Options), slices.Clone(a.Files), slices.Clone(a.Expect)
	for i := range a.Expect {
		a.Expect[i].States = maps.Clone(a.Expect[i].States)
	}
	a.Point, a.Drop, a.Scroll, a.Dialog = copied(a.Point), copied(a.Drop), copied(a.Scroll), copied(a.Dialog)
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Value returns v, anything that JSON can hold, with its texts masked, and the numbers that read as a secret. What v points to may be masked
// in place.
func (m *Masker) Value(v any) any {
	if v == nil || m.known.Load() == nil {
		return v
	}
	m.walk(reflect.ValueOf(&v).Elem())
	return v
}

func sensitive(n *deed.Node) {
	if n.Sensitive && n.Value != "" {
		n.Value = deed.Redacted
	}
}

func (m *Masker) in(p *string) { *p = m.String(*p) }

// role masks a role that a page made up; a known one stays, whatever the secrets are.
func (m *Masker) role(p *string) {
	if !deed.KnownRole(*p) {
		m.in(p)
	}
}

// assigned are the fields that hold no text of the page or the caller.
var assigned = map[reflect.Type][]string{
	reflect.TypeFor[deed.Frame]():    {"ID", "Doc"},
	reflect.TypeFor[deed.Key]():      {"Frame"},
	reflect.TypeFor[deed.Snapshot](): {"Script"},
}

var (
	plainString = reflect.TypeFor[string]()
	rawMessage  = reflect.TypeFor[json.RawMessage]()
)

// walk masks every text that can be reached from v, which must be settable, in place. A string type of its own (a kind, a code, a
// basis) is a closed set of words and stays.
func (m *Masker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == plainString {
			v.SetString(m.String(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().CanSet() {
			m.walk(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if e := m.masked(v.Elem()); e.Type().AssignableTo(v.Type()) {
			v.Set(e)
		}
	case reflect.Struct:
		t := v.Type()
	fields:
		for i := range t.NumField() {
			f := t.Field(i)
			for _, name := range assigned[t] {
				if f.Name == name {
					continue fields
				}
			}
			switch {
			case !f.IsExported():
			case f.Name == "Role" && f.Type == plainString:
				m.role(v.Field(i).Addr().Interface().(*string))
			default:
				m.walk(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.Set(m.masked(v))
			return
		}
		for i := range v.Len() {
			m.walk(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			m.walk(v.Index(i))
		}
	case reflect.Map:
		if !v.IsNil() {
			v.Set(m.masked(v))
		}
	}
}

// masked returns v with its texts masked. It makes what it cannot set anew: what an interface or a map holds.
func (m *Masker) masked(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Map:
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			k := it.Key()
			if k.Type() == plainString {
				if _, ok := deed.ParseState(k.String()); !ok {
					k = reflect.ValueOf(m.String(k.String()))
				}
			}
			e := m.masked(it.Value())
			if !e.Type().AssignableTo(v.Type().Elem()) {
				e = it.Value() // a number, where only numbers can be
			}
			out.SetMapIndex(k, e)
		}
		return out
	case reflect.Slice:
		if v.Type() == rawMessage {
			return reflect.ValueOf(m.raw(v.Bytes()))
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			text := string(v.Bytes())
			if to := m.String(text); to != text {
				return reflect.ValueOf([]byte(to)).Convert(v.Type())
			}
			return v
		}
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		m.walk(out)
		return out
	case reflect.String:
		if v.Type() == reflect.TypeFor[json.Number]() {
			return m.number(v, v.String())
		}
	case reflect.Float64, reflect.Float32:
		return m.number(v, strconv.FormatFloat(v.Float(), 'f', -1, 64))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return m.number(v, strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return m.number(v, strconv.FormatUint(v.Uint(), 10))
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	m.walk(out)
	return out
}

// number masks a number that reads as a secret. It becomes a text, which only what an interface holds can.
func (m *Masker) number(v reflect.Value, text string) reflect.Value {
	if m.String(text) != text {
		return reflect.ValueOf(deed.Redacted)
	}
	return v
}

// raw masks a JSON text so that it stays one.
func (m *Masker) raw(j json.RawMessage) json.RawMessage {
	if m.String(string(j)) == string(j) {
		return j
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(j))
	d.UseNumber()
	if err := d.Decode(&v); err == nil && v != nil {
		if out, err := json.Marshal(m.masked(reflect.ValueOf(&v).Elem()).Interface()); err == nil {
			return out
		}
	}
	out, _ := json.Marshal(deed.Redacted)
	return out
}
