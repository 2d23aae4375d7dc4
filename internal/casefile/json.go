package casefile

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
)

// json reads the documents of a JSON file, one or several after another. It reads tokens itself, not through
// the YAML parser, which does not know JSON's tabs and does not count columns behind them.
func (s *source) json() []document {
	if !s.isText() {
		return nil
	}
	r := jsonReader{source: s, dec: json.NewDecoder(strings.NewReader(s.text))}
	r.dec.UseNumber()
	var docs []document
	for {
		before := len(s.problems)
		n := r.value(0)
		if n == nil {
			return docs
		}
		docs = append(docs, document{n, len(s.problems) > before})
	}
}

type jsonReader struct {
	*source
	dec     *json.Decoder
	pointer []string // to the value being read, where positions are pointers
}

// place is a position in the file, or the JSON pointer to the value being read (RFC 6901).
func (r *jsonReader) place(offset int) deed.Pos {
	if !r.pointers {
		return r.at(offset)
	}
	var b strings.Builder
	b.WriteString(r.name + "#")
	for _, p := range r.pointer {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p))
	}
	return deed.Pos{File: b.String()}
}

func (r *jsonReader) enter(step string) { r.pointer = append(r.pointer, step) }
func (r *jsonReader) leave()            { r.pointer = r.pointer[:len(r.pointer)-1] }

// token returns the next token and where it begins; ok is false at the end and after a complaint.
func (r *jsonReader) token(inside bool) (t json.Token, at deed.Pos, ok bool) {
	start := int(r.dec.InputOffset())
	for start < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[start]) >= 0 {
		start++
	}
	at = r.place(start)
	t, err := r.dec.Token()
	if err == nil {
		return t, at, true
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && !inside:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.complain(r.place(len(r.text)), "", "the file ends in the middle of a value")
	case errors.As(err, &syntax):
		r.complain(at, "", "%s", syntax.Error())
	default:
		r.complain(at, "", "%v", err)
	}
	return nil, at, false
}

// value reads one value; nil at the end of the file and after a syntax error.
func (r *jsonReader) value(depth int) *node {
	t, at, ok := r.token(depth > 0)
	if !ok {
		return nil
	}
	return r.rest(t, at, depth)
}

func (r *jsonReader) rest(t json.Token, at deed.Pos, depth int) *node {
	if depth > maxDepth {
		r.complain(at, "", "%w", errDeep)
		return nil
	}
	switch t := t.(type) {
	case string:
		return &node{pos: at, text: t, quoted: true}
	case json.Number:
		return &node{pos: at, text: t.String()}
	case bool:
		if t {
			return &node{pos: at, text: "true"}
		}
		return &node{pos: at, text: "false"}
	case nil:
		return &node{pos: at, text: "null"}
	case json.Delim:
		if t == '[' {
			return r.list(at, depth)
		}
		return r.mapping(at, depth)
	}
	return nil
}

func (r *jsonReader) list(at deed.Pos, depth int) *node {
	out := &node{kind: list, pos: at}
	for {
		r.enter(strconv.Itoa(len(out.items)))
		t, p, ok := r.token(true)
		if !ok {
			return nil
		}
		if t == json.Delim(']') {
			r.leave()
			return out
		}
		n := r.rest(t, p, depth+1)
		if n == nil {
			return nil
		}
		r.leave()
		out.items = append(out.items, n)
	}
}

func (r *jsonReader) mapping(at deed.Pos, depth int) *node {
	out := &node{kind: mapping, pos: at}
	for {
		t, p, ok := r.token(true)
		if !ok {
			return nil
		}
		if t == json.Delim('}') {
			return out
		}
		key, ok := t.(string)
		if !ok {
			r.complain(p, "", "a key must be a text")
			return nil
		}
		r.enter(key)
		if r.pointers {
			p = r.place(0)
		}
		n := r.value(depth + 1)
		if n == nil {
			return nil
		}
		r.leave()
		if line := out.add(field{key: key, pos: p, value: n}); line != 0 {
			r.complain(p, "", "the key %q is given twice, first at line %d", key, line)
		}
	}
}
