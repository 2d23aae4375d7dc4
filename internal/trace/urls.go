package trace

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// open remembers what a proposed URL says beside its origin: it is not to be seen in what pages and messages say later on either.
func (v *veil) open(s string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return
	}
	v.part(u.RawQuery)
	v.part(u.Fragment)
	for _, values := range u.Query() {
		for _, s := range values {
			v.part(s)
		}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		v.part(password)
	}
	p := path.Clean("/" + u.Path)
	if p == "/" {
		return
	}
	// A word of a path is a word of the page, too; only what reads as a token is masked wherever it stands.
	for part := range strings.SplitSeq(p, "/") {
		if utf8.RuneCountInString(part) >= 8 && strings.ContainsFunc(part, unicode.IsDigit) {
			v.typed.Add(part)
		}
	}
	host := strings.ToLower(u.Host)
	if !slices.Contains(v.opened[host], p) {
		if v.opened == nil {
			v.opened = map[string][]string{}
		}
		v.opened[host] = append(v.opened[host], p)
	}
}

// proposed reports whether the path is, or is below, that of a proposed URL. What cannot be told is taken for one.
func (v *veil) proposed(host, at string) bool {
	paths := v.opened[strings.ToLower(host)]
	if len(paths) == 0 || at == "" || at == "/" {
		return false
	}
	plain, err := url.PathUnescape(at)
	if err != nil || strings.Contains(at, deed.Redacted) {
		return true
	}
	plain = path.Clean(plain)
	return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(plain, p) })
}

// originOf is all of a proposed URL that may be seen.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return deed.Redacted
	}
	return u.Scheme + "://" + u.Host
}

// page is the URL of a page: its query, its fragment, who it was opened as, and a path that was proposed are masked.
func (v *veil) page(s string) string {
	s = v.secrets(s)
	if v.unsafe {
		return s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" && u.Scheme != "file" && u.Scheme != "about" {
		return deed.Redacted
	}
	return v.urls(v.typed.String(s))
}

// urls masks the query, the fragment and the user of every URL in a text, the path that a proposal named, and all that a data: URL
// holds.
func (v *veil) urls(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	if !strings.Contains(s, "://") && !strings.Contains(s, "data:") && !strings.Contains(s, "javascript:") {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		// A URL ends where a person would say that it does.
		end := strings.IndexAny(s, " \t\r\n\"'<>`")
		token, rest := s, ""
		if end >= 0 {
			token, rest = s[:end], s[end:]
		}
		b.WriteString(v.url(token))
		s = rest
		if s != "" {
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

func (v *veil) url(token string) string {
	for _, scheme := range []string{"data:", "javascript:"} {
		if i := strings.Index(token, scheme); i >= 0 && len(token) > i+len(scheme) {
			return token[:i+len(scheme)] + deed.Redacted
		}
	}
	i := strings.Index(token, "://")
	if i < 0 {
		return token
	}
	begin, rest := token[:i+3], token[i+3:]
	tail := ""
	if k := strings.IndexAny(rest, "?#"); k >= 0 {
		rest, tail = rest[:k], rest[k:k+1]+deed.Redacted
	}
	host, at := rest, ""
	if k := strings.IndexByte(rest, '/'); k >= 0 {
		host, at = rest[:k], rest[k:]
	}
	user := ""
	if k := strings.LastIndexByte(host, '@'); k >= 0 {
		user, host = deed.Redacted+"@", host[k+1:]
	}
	if v.proposed(host, at) {
		at = "/" + deed.Redacted
	}
	return begin + user + host + at + tail
}
