package locate

import (
	"net/url"
	"strings"
)

// Glob reports whether the pattern matches the URL: its origin, path, query and hash, all of it. `*` stands for anything
// within a segment, `**` crosses slashes; every other character, `?` too, is itself. A pattern that begins with
// `/` is matched from the path on; one that has no scheme, from the host on.
func Glob(pattern, raw string) bool {
	pattern = strings.TrimSpace(pattern)
	if pattern == "" {
		return false
	}
	if globbed(pattern, raw) {
		return true
	}
	// People write é, browsers write %C3%A9.
	if plain, err := url.PathUnescape(raw); err == nil && plain != raw {
		return globbed(pattern, plain)
	}
	return false
}

func globbed(pattern, raw string) bool {
	scheme, rest, hier := strings.Cut(raw, "://")
	switch {
	case strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "//"):
		if !hier {
			return false
		}
		path := "/"
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			path = rest[i:]
			if path[0] != '/' {
				path = "/" + path
			}
		}
		return match(pattern, path)
	case strings.HasPrefix(pattern, "**"), !hier:
		return match(pattern, raw)
	}
	if s, r, ok := strings.Cut(pattern, "://"); ok {
		// An origin is the same with and without the slash after it.
		return match(strings.ToLower(s), scheme) && match(rooted(r), rooted(rest))
	}
	return match(rooted(pattern), rooted(rest))
}

// rooted lower-cases the host and gives an origin its slash.
func rooted(s string) string {
	i := strings.IndexAny(s, "/?#")
	if i < 0 {
		if strings.HasSuffix(s, "**") {
			return strings.ToLower(s)
		}
		return strings.ToLower(s) + "/"
	}
	return strings.ToLower(s[:i]) + s[i:]
}

// match runs the pattern over s, one set of states a byte: no pattern makes it slow.
func match(pattern, s string) bool {
	type op struct {
		c     byte
		star  bool
		cross bool
	}
	var ops []op
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '*' {
			ops = append(ops, op{c: pattern[i]})
			continue
		}
		cross := false
		for i+1 < len(pattern) && pattern[i+1] == '*' {
			cross = true
			i++
		}
		ops = append(ops, op{star: true, cross: cross})
	}
	at := make([]bool, len(ops)+1)
	next := make([]bool, len(ops)+1)
	// A star may stand for nothing.
	skip := func(set []bool) {
		for k, o := range ops {
			if set[k] && o.star {
				set[k+1] = true
			}
		}
	}
	at[0] = true
	skip(at)
	for i := range len(s) {
		clear(next)
		for k, o := range ops {
			switch {
			case !at[k]:
			case o.star && (o.cross || s[i] != '/'):
				next[k] = true
			case !o.star && o.c == s[i]:
				next[k+1] = true
			}
		}
		skip(next)
		at, next = next, at
	}
	return at[len(ops)]
}
