// Package origin is the rules of URLs and hosts: which URLs may be proposed at all, which hosts are public, and which
// origins trusted configuration opened.
//
// Law of this package: pure functions of strings and addresses. It resolves no name, opens no connection and knows no page.
// Whatever cannot be read with certainty is refused; an error never repeats what was submitted by somebody else than the
// person who configures (see [CheckURL] and [ParseGrants]).
package origin

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// MaxURL is the length of the longest URL that may be proposed, in Unicode code points.
const MaxURL = 8192

// parts are a URL of the web, split.
type parts struct {
	scheme string // http or https
	host   string // as written, without the brackets of an IPv6 literal
	port   int    // the scheme's own where none is written
	v6     bool   // host stood in brackets
}

// The facts of refusal. They speak of no value, so that they may be shown and recorded.
var (
	errBlank     = errors.New("a URL is missing")
	errLong      = errors.New("the URL is longer than 8192 characters")
	errEncoding  = errors.New("the URL is not valid UTF-8")
	errSpace     = errors.New("the URL contains white space")
	errInvisible = errors.New("the URL contains a control or an invisible character")
	errScheme    = errors.New("the URL is not absolute http or https")
	errBackslash = errors.New("the URL contains a backslash before its query")
	errUser      = errors.New("the URL carries user information")
	errHost      = errors.New("the URL has no valid host")
	errPort      = errors.New("the port of the URL is not in 1 to 65535")
)

// CheckURL reports a URL that may not even be proposed, as [deed.CodeInvalid]: not http or https, no host, user information
// (an empty one too), a bad port, white space, control or invisible characters anywhere, a backslash that browsers read as a
// slash, or more than [MaxURL] characters. It does not say that the URL may be opened; [Grants] does. The error never holds a
// part of the URL.
func CheckURL(raw string) error {
	if _, err := split(raw); err != nil {
		return &deed.Error{Op: "url", Code: deed.CodeInvalid, Err: err}
	}
	return nil
}

// split reads scheme, host and port as browsers do, and refuses what browsers would repair: each repair is a way to make a
// reader and the browser see different hosts.
func split(raw string) (parts, error) {
	var p parts
	switch {
	case strings.TrimSpace(raw) == "":
		return p, errBlank
	case !utf8.ValidString(raw):
		return p, errEncoding
	case utf8.RuneCountInString(raw) > MaxURL:
		return p, errLong
	}
	for _, r := range raw {
		switch {
		case unicode.IsSpace(r):
			return p, errSpace
		case Invisible(r):
			return p, errInvisible
		}
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	p.scheme = lower(scheme)
	if !ok || p.scheme != "http" && p.scheme != "https" {
		return p, errScheme
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	path := tail
	if i := strings.IndexAny(tail, "?#"); i >= 0 {
		path = tail[:i]
	}
	switch {
	case strings.Contains(authority, `\`), strings.Contains(path, `\`):
		return p, errBackslash
	case strings.Contains(authority, "@"):
		return p, errUser
	case authority == "", strings.ContainsAny(authority, "%<>^|`\"'{}$&*,;=!()+~"):
		return p, errHost
	}
	p.port = map[string]int{"http": 80, "https": 443}[p.scheme]
	host, port := authority, ""
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return p, errHost
		}
		host, port, p.v6 = authority[1:end], authority[end+1:], true
		a, err := netip.ParseAddr(host)
		if err != nil || !a.Is6() || a.Zone() != "" {
			return p, errHost
		}
		if port != "" && port[0] != ':' {
			return p, errHost
		}
		port = strings.TrimPrefix(port, ":")
	} else if i := strings.IndexByte(authority, ':'); i >= 0 {
		host, port = authority[:i], authority[i+1:]
	}
	if strings.Trim(host, ".") == "" || !p.v6 && strings.ContainsAny(host, "[]:") {
		return p, errHost
	}
	p.host = host
	if port != "" {
		n, ok := decimal(port)
		if !ok || n < 1 || n > 65535 {
			return p, errPort
		}
		p.port = n
	}
	return p, nil
}

// Invisible reports whether a character shows nothing, or changes how its neighbours are shown: control and format characters,
// zero-width and filler characters, variation selectors, private and unassigned code points that say "no character".
func Invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}

// decimal reads ASCII digits alone, at most five of them beside leading zeros.
func decimal(s string) (int, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return 0, true
	}
	if len(s) > 5 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// lower folds ASCII alone: what Unicode folds to ASCII (the Kelvin sign) is not ASCII.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
