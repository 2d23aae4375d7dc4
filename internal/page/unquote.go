package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the text of a JSON string that is known to be well formed. A look is a JSON text inside a JSON
// string, the largest string of all: package encoding/json takes six times as long for it.
func unquote(raw json.RawMessage) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, errors.New("the page script's answer is no string")
	}
	rest := raw[1 : len(raw)-1]
	out := make([]byte, 0, len(rest))
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return append(out, rest...), nil
		}
		out = append(out, rest[:i]...)
		if i+1 >= len(rest) {
			return nil, errEscape
		}
		c := rest[i+1]
		rest = rest[i+2:]
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hex4(rest)
			if !ok {
				return nil, errEscape
			}
			rest = rest[4:]
			if utf16.IsSurrogate(r) {
				// Half a pair alone becomes U+FFFD, as everywhere in Go; what follows it stands for itself.
				var low rune
				if len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
					low, _ = hex4(rest[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					rest = rest[6:]
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, errEscape
		}
	}
}

var errEscape = errors.New("the page script's answer has an escape that JSON does not know")

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}
