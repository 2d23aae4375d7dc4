// Package strictjson reads JSON that strangers wrote: strictly, within bounds, and without ever repeating what it read.
//
// Law of this package: it knows JSON and nothing else; what a document means is its callers' concern. Every value is read once,
// into a closed tree, and taken out of it by type. An error says a fact and a place; the place is a JSON pointer made of names
// that the caller asked for and of indexes, or a byte offset, never of names or values that the document holds.
package strictjson

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/deed-dev/deed"
)

// Limits bound a document. Every field must be set.
type Limits struct {
	Bytes  int // of the whole document
	Depth  int // containers along any path
	Values int // values and keys in all
}

type kind byte

const (
	null kind = iota + 1
	boolean
	number
	text
	object
	array
)

func (k kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a text", "an object", "a list"}[k]
}

// A value of the tree.
type value struct {
	kind   kind
	yes    bool
	text   string // of a text; of a number its token
	fields []field
	items  []*value
	size   int // bytes of the document that it takes
	depth  int // containers along its deepest path, itself included
}

type field struct {
	name  string
	value *value
}

// A Doc is a document that is being taken apart. The first fault is kept, later ones are not looked for.
type Doc struct {
	op   string
	err  error
	root *value
}

// Parse reads a document; op is what its errors begin with. Refused are what RFC 8259 and I-JSON (RFC 7493) refuse, duplicate
// names at any depth, invalid UTF-8 and lone surrogates among them, a byte order mark, anything after the value, and whatever
// passes the limits.
func Parse(op string, data []byte, l Limits) (*Doc, error) {
	d := &Doc{op: op}
	switch {
	case len(data) > l.Bytes:
		return nil, d.fault("", "larger than "+strconv.Itoa(l.Bytes)+" bytes")
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return nil, d.fault("", "begins with a byte order mark")
	case !utf8.Valid(data):
		return nil, d.fault("", "not valid UTF-8")
	}
	p := parser{dec: jsontext.NewDecoder(bytes.NewBuffer(data)), left: l.Values, depth: l.Depth}
	root, err := p.value(1)
	if err == nil {
		if _, after := p.dec.ReadToken(); !errors.Is(after, io.EOF) {
			err = errAfter
		}
	}
	if err != nil {
		why := "not valid JSON"
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			why = "a key is given twice"
		case errors.Is(err, errDeep), errors.Is(err, errMany), errors.Is(err, errAfter):
			why = err.Error()
		}
		return nil, d.fault("byte "+strconv.FormatInt(p.dec.InputOffset(), 10), why)
	}
	d.root = root
	return d, nil
}

var (
	errDeep  = errors.New("nested too deep")
	errMany  = errors.New("too many values")
	errAfter = errors.New("something follows the value")
)

type parser struct {
	dec   *jsontext.Decoder
	left  int
	depth int
}

func (p *parser) value(depth int) (*value, error) {
	if p.left--; p.left < 0 {
		return nil, errMany
	}
	start := p.dec.InputOffset()
	t, err := p.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	v := &value{}
	switch t.Kind() {
	case 'n':
		v.kind = null
	case 't', 'f':
		v.kind, v.yes = boolean, t.Bool()
	case '"':
		v.kind, v.text = text, t.String()
	case '0':
		v.kind, v.text = number, t.String()
	case '{', '[':
		v.kind = object
		if t.Kind() == '[' {
			v.kind = array
		}
		if depth > p.depth {
			return nil, errDeep
		}
		if err := p.members(v, depth); err != nil {
			return nil, err
		}
	}
	v.size = int(p.dec.InputOffset() - start)
	return v, nil
}

func (p *parser) members(v *value, depth int) error {
	v.depth = 1
	for {
		switch k := p.dec.PeekKind(); {
		case k == '}', k == ']':
			_, err := p.dec.ReadToken()
			return err
		case v.kind == array:
			item, err := p.value(depth + 1)
			if err != nil {
				return err
			}
			v.items = append(v.items, item)
			v.depth = max(v.depth, item.depth+1)
		default:
			name, err := p.dec.ReadToken()
			if err != nil {
				return err
			}
			s := name.String()
			m, err := p.value(depth + 1)
			if err != nil {
				return err
			}
			v.fields = append(v.fields, field{s, m})
			v.depth = max(v.depth, m.depth+1)
		}
	}
}

func (d *Doc) fault(at, why string) error {
	return &deed.Error{Op: d.op, Where: at, Code: deed.CodeInvalid, Err: errors.New(why)}
}

// Root is the whole document.
func (d *Doc) Root() Node { return Node{doc: d, v: d.root} }

// Err is the first fault, as [deed.CodeInvalid].
func (d *Doc) Err() error { return d.err }

// A Node is a value of a document, at a place. The methods that take a value of a type out of it note a fault in the document
// where it is of another type, and return the zero value.
type Node struct {
	doc *Doc
	v   *value
	at  string
}

// Fail notes a fault at the node. The fact must not hold anything of the document.
func (n Node) Fail(why string) {
	if n.doc.err == nil {
		n.doc.err = n.doc.fault(n.at, why)
	}
}

// Failed reports whether the document has a fault already.
func (n Node) Failed() bool { return n.doc.err != nil }

// There reports whether there is a value, null included.
func (n Node) There() bool { return n.v != nil }

// IsObject, IsArray, IsText and IsNull tell the type where several are accepted.
func (n Node) IsObject() bool { return n.v != nil && n.v.kind == object }
func (n Node) IsArray() bool  { return n.v != nil && n.v.kind == array }
func (n Node) IsText() bool   { return n.v != nil && n.v.kind == text }
func (n Node) IsNull() bool   { return n.v != nil && n.v.kind == null }

// Size is how many bytes of the document the value takes, with the white space before it.
func (n Node) Size() int {
	if n.v == nil {
		return 0
	}
	return n.v.size
}

// Depth is how many containers lie along the deepest path through the value, itself included; 0 for a scalar.
func (n Node) Depth() int {
	if n.v == nil {
		return 0
	}
	return n.v.depth
}

func (n Node) is(k kind) bool {
	switch {
	case n.v == nil:
		n.Fail(k.String() + " is missing")
		return false
	case n.v.kind != k:
		n.Fail(n.v.kind.String() + " where " + k.String() + " belongs")
		return false
	}
	return true
}

// Get returns the member with this name, which the caller knows: it becomes part of the place. A member that is not there, or
// null, or of something that is no object, is a node that is not [Node.There]; null is a fault, since it is neither a value nor
// an absence.
func (n Node) Get(name string) Node {
	out := Node{doc: n.doc, at: n.at + "/" + name}
	if n.v == nil || n.v.kind != object {
		return out
	}
	for _, f := range n.v.fields {
		if f.name == name {
			if f.value.kind == null {
				out.Fail("null is no value")
				return out
			}
			out.v = f.value
		}
	}
	return out
}

// Maybe is [Node.Get] for a member whose null means that it is not there, as some serialisers write.
func (n Node) Maybe(name string) Node {
	if n.v != nil {
		for _, f := range n.v.fields {
			if f.name == name && f.value.kind == null {
				return Node{doc: n.doc, at: n.at + "/" + name}
			}
		}
	}
	return n.Get(name)
}

// Has reports whether there is a member with this name, null included, without a fault.
func (n Node) Has(name string) bool {
	return n.v != nil && slices.ContainsFunc(n.v.fields, func(f field) bool { return f.name == name })
}

// Object checks that the node is an object whose names are all known, and reports whether it is.
func (n Node) Object(known ...string) bool {
	if !n.is(object) {
		return false
	}
	for _, f := range n.v.fields {
		if !slices.Contains(known, f.name) {
			n.Fail("an unknown key")
			return false
		}
	}
	return true
}

// OpenObject checks that the node is an object; its names may be anything.
func (n Node) OpenObject() bool { return n.is(object) }

// Other returns the one member whose name is not among known, with its name. More than one, or none, is a fault that says what
// was to be there. The member's place is the object's own.
func (n Node) Other(what string, known ...string) (string, Node) {
	var name string
	out := Node{doc: n.doc, at: n.at}
	if !n.is(object) {
		return "", out
	}
	for _, f := range n.v.fields {
		if slices.Contains(known, f.name) {
			continue
		}
		if out.v != nil {
			n.Fail("an unknown key, or " + what + " twice")
			return "", Node{doc: n.doc, at: n.at}
		}
		name, out.v = f.name, f.value
	}
	if out.v == nil {
		n.Fail(what + " is missing")
	}
	return name, out
}

// Items returns the items of a list of at most limit.
func (n Node) Items(limit int) []Node {
	if !n.is(array) {
		return nil
	}
	if len(n.v.items) > limit {
		n.Fail("a list of more than " + strconv.Itoa(limit))
		return nil
	}
	out := make([]Node, len(n.v.items))
	for i, v := range n.v.items {
		out[i] = Node{doc: n.doc, v: v, at: n.at + "/" + strconv.Itoa(i)}
	}
	return out
}

// A Text says what a text may be.
type Text struct {
	Max   int  // code points
	Empty bool // it may be empty, or white space alone
	Lines bool // it may hold line breaks and tabs; other control characters are never allowed
}

// Text takes a text.
func (n Node) Text(may Text) string {
	if !n.is(text) {
		return ""
	}
	s := n.v.text
	switch {
	case utf8.RuneCountInString(s) > may.Max:
		n.Fail("longer than " + strconv.Itoa(may.Max) + " characters")
	case !may.Empty && strings.TrimSpace(s) == "":
		n.Fail("blank")
	case strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && !(may.Lines && (r == '\n' || r == '\t' || r == '\r'))
	}):
		n.Fail("a control character")
	default:
		return s
	}
	return ""
}

// OneOf takes a text that is one of the words.
func (n Node) OneOf(words ...string) string {
	if !n.is(text) {
		return ""
	}
	if !slices.Contains(words, n.v.text) {
		n.Fail("not one of " + strings.Join(words, ", "))
		return ""
	}
	return n.v.text
}

// Int takes an integer written as one: 1.0, 1e0 and true are none.
func (n Node) Int(lo, hi int) int {
	if !n.is(number) {
		return 0
	}
	if strings.ContainsAny(n.v.text, ".eE") {
		n.Fail("a number that is not written as an integer")
		return 0
	}
	i, err := strconv.Atoi(n.v.text)
	if err != nil || i < lo || i > hi {
		n.Fail("not in " + strconv.Itoa(lo) + " to " + strconv.Itoa(hi))
		return 0
	}
	return i
}

// IsInt reports whether the node is a number written as an integer.
func (n Node) IsInt() bool {
	return n.v != nil && n.v.kind == number && !strings.ContainsAny(n.v.text, ".eE")
}

// Number takes a finite number. Negative zero is zero.
func (n Node) Number(lo, hi float64) float64 {
	if !n.is(number) {
		return 0
	}
	f, err := strconv.ParseFloat(n.v.text, 64)
	if err != nil || math.IsInf(f, 0) || !(f >= lo && f <= hi) {
		n.Fail("not in " + strconv.FormatFloat(lo, 'g', -1, 64) + " to " + strconv.FormatFloat(hi, 'g', -1, 64))
		return 0
	}
	return f + 0
}

// Bool takes a boolean.
func (n Node) Bool() bool { return n.is(boolean) && n.v.yes }

// Canonical writes the value with sorted names and no white space; numbers stay as they are written, so that none loses digits.
// A number that no float64 can hold is a fault at the node.
func (n Node) Canonical() []byte {
	if n.v == nil {
		return nil
	}
	if !finite(n.v) {
		n.Fail("a number that is not finite")
		return nil
	}
	return n.v.append(nil)
}

func finite(v *value) bool {
	if v.kind == number {
		f, err := strconv.ParseFloat(v.text, 64)
		return err == nil && !math.IsInf(f, 0)
	}
	for _, i := range v.items {
		if !finite(i) {
			return false
		}
	}
	for _, f := range v.fields {
		if !finite(f.value) {
			return false
		}
	}
	return true
}

func (v *value) append(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, "null"...)
	case boolean:
		return strconv.AppendBool(b, v.yes)
	case number:
		return append(b, v.text...)
	case text:
		return quote(b, v.text)
	case array:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	}
	fields := slices.SortedFunc(slices.Values(v.fields), func(a, b field) int { return strings.Compare(a.name, b.name) })
	b = append(b, '{')
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quote(b, f.name), ':')
		b = f.value.append(b)
	}
	return append(b, '}')
}

func quote(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil { // only for invalid UTF-8, which Parse refuses
		return append(b, `""`...)
	}
	return out
}
