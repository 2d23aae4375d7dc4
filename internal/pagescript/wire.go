package pagescript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// wire is what snapshot() returns: one column a field, one entry a node, in document order. Words that repeat stand
// once, in roles, regs and rows, and the columns hold their indices. Values and groups are sparse: few nodes have them.
//
// An answer with a base tells what is new against the snapshot of that number: ops are pairs, so many nodes from there of
// the old ones, or from -1, so many of the columns, which hold those alone. Parents, and the keys of values, groups and
// frames, count in the new whole.
type wire struct {
	u, t, doc             string
	n                     int64
	el, pa, ro, re, rw    []int64
	st, fl                []int64
	roles, nm, regs, rows []string
	va, gr                map[string]string
	frames                []FrameRef
	complete              bool
	why                   string
	seq                   int64
	no, base              int64
	ops                   []int64
}

// reader reads the one JSON object that snapshot() writes. It is read by hand because a snapshot is the largest thing
// that deed ever decodes, several times an act, and package encoding/json takes four times as long for it.
type reader struct {
	text []byte
	at   int
}

// readWire reads a whole snapshot. White space may stand between the members of the object, and nowhere else.
func readWire(data []byte) (*wire, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("it is no UTF-8")
	}
	r := &reader{text: data}
	w := &wire{}
	r.space()
	if !r.skip('{') {
		return nil, r.wrong("an object")
	}
	r.space()
	for first := true; !r.skip('}'); first = false {
		if !first && !r.skip(',') {
			return nil, r.wrong("a comma")
		}
		r.space()
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		r.space()
		if !r.skip(':') {
			return nil, r.wrong("a colon")
		}
		r.space()
		if err := r.member(w, key); err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		r.space()
	}
	r.space()
	if r.at != len(r.text) {
		return nil, r.wrong("the end")
	}
	return w, nil
}

func (r *reader) member(w *wire, key string) (err error) {
	switch key {
	case "u":
		w.u, err = r.string()
	case "t":
		w.t, err = r.string()
	case "doc":
		w.doc, err = r.string()
	case "why":
		w.why, err = r.string()
	case "n":
		w.n, err = r.whole()
	case "seq":
		w.seq, err = r.whole()
	case "no":
		w.no, err = r.whole()
	case "base":
		w.base, err = r.whole()
	case "ops":
		w.ops, err = r.column()
	case "el":
		w.el, err = r.column()
	case "pa":
		w.pa, err = r.column()
	case "ro":
		w.ro, err = r.column()
	case "re":
		w.re, err = r.column()
	case "rw":
		w.rw, err = r.column()
	case "st":
		w.st, err = r.column()
	case "fl":
		w.fl, err = r.column()
	case "roles":
		w.roles, err = r.strings()
	case "nm":
		w.nm, err = r.strings()
	case "regs":
		w.regs, err = r.strings()
	case "rows":
		w.rows, err = r.strings()
	case "va":
		w.va, err = r.pairs()
	case "gr":
		w.gr, err = r.pairs()
	case "frames":
		w.frames, err = r.frames()
	case "complete":
		w.complete, err = r.bool()
	default:
		err = errors.New("no such member")
	}
	return err
}

// wrong says where something else stands than what is due. It does not say what: that may be a secret.
func (r *reader) wrong(due string) error {
	return fmt.Errorf("there is something else than %s at byte %d of %d", due, r.at, len(r.text))
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// skip steps over the byte c, if it is the next.
func (r *reader) skip(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *reader) bool() (bool, error) {
	for _, word := range []string{"true", "false"} {
		if bytes.HasPrefix(r.text[r.at:], []byte(word)) {
			r.at += len(word)
			return word == "true", nil
		}
	}
	return false, r.wrong("true or false")
}

// whole reads a whole number of at most 15 digits: more are not exact in JavaScript.
func (r *reader) whole() (int64, error) {
	text, at := r.text, r.at
	negative := at < len(text) && text[at] == '-'
	if negative {
		at++
	}
	from := at
	var n int64
	for at < len(text) && text[at] >= '0' && text[at] <= '9' && at-from <= 15 {
		n = n*10 + int64(text[at]-'0')
		at++
	}
	if at == from || at-from > 15 {
		return 0, r.wrong("a whole number")
	}
	r.at = at
	if negative {
		n = -n
	}
	return n, nil
}

func (r *reader) string() (string, error) {
	if !r.skip('"') {
		return "", r.wrong("a string")
	}
	rest := r.text[r.at:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return "", r.wrong("a string with an end")
	}
	if bytes.IndexByte(rest[:end], '\\') < 0 {
		r.at += end + 1
		return string(rest[:end]), nil // a copy: one name that somebody keeps must not keep the whole snapshot
	}
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			var s string
			if json.Unmarshal(r.text[r.at-1:r.at+i+1], &s) != nil {
				return "", r.wrong("a string with sound escapes")
			}
			r.at += i + 1
			return s, nil
		}
	}
	return "", r.wrong("a string with an end")
}

// list reads an array, with one for each entry.
func (r *reader) list(one func() error) error {
	if !r.skip('[') {
		return r.wrong("an array")
	}
	for first := true; !r.skip(']'); first = false {
		if !first && !r.skip(',') {
			return r.wrong("a comma")
		}
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) strings() ([]string, error) {
	var out []string
	err := r.list(func() error {
		s, err := r.string()
		out = append(out, s)
		return err
	})
	return out, err
}

func (r *reader) column() ([]int64, error) {
	if r.at >= len(r.text) || r.text[r.at] != '[' {
		return nil, errors.New("a column is no array")
	}
	// Columns are most of a snapshot's entries: their length is counted first, so that none is copied.
	end := bytes.IndexByte(r.text[r.at:], ']')
	if end < 0 {
		return nil, r.wrong("an array with an end")
	}
	out := make([]int64, 0, bytes.Count(r.text[r.at:r.at+end], []byte{','})+1)
	err := r.list(func() error {
		n, err := r.whole()
		if err == nil {
			out = append(out, n)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("a column has something else than whole numbers after %d entries: %w", len(out), err)
	}
	return out, nil
}

// pairs reads an object of strings.
func (r *reader) pairs() (map[string]string, error) {
	if !r.skip('{') {
		return nil, r.wrong("an object")
	}
	out := map[string]string{}
	for first := true; !r.skip('}'); first = false {
		if !first && !r.skip(',') {
			return nil, r.wrong("a comma")
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		if !r.skip(':') {
			return nil, r.wrong("a colon")
		}
		if out[key], err = r.string(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// frames reads arrays of node index, element number, name, title and address.
func (r *reader) frames() ([]FrameRef, error) {
	var out []FrameRef
	err := r.list(func() error {
		var f FrameRef
		fields := 0
		err := r.list(func() (err error) {
			switch fields {
			case 0:
				var n int64
				n, err = r.whole()
				f.Node = int(n)
			case 1:
				f.Element, err = r.whole()
			case 2:
				f.Name, err = r.string()
			case 3:
				f.Title, err = r.string()
			case 4:
				f.Src, err = r.string()
			default:
				err = errors.New("a frame has more than 5 fields")
			}
			fields++
			return err
		})
		if err == nil && fields != 5 {
			err = fmt.Errorf("a frame has %d fields, not 5", fields)
		}
		out = append(out, f)
		return err
	})
	return out, err
}
