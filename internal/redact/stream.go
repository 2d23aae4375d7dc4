package redact

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A stream is one reading of a text: its runes as they are, or with one or several layers of escapes undone. Each rune knows
// which bytes of the text it stands for.
type stream struct {
	runes  []rune
	folded []rune
	at     []span
	look   view
	long   bool // the text is long enough to have been cut
}

// layers is how many escapes inside each other are undone. How many readings there are, and how long they are together, is bounded:
// a page that means to be slow to mask does not succeed.
const (
	layers      = 3
	maxReadings = 64
	maxRunes    = 4 << 20
)

// readings returns the text as it is and as every chain of escapes that its characters allow makes it.
func readings(s string, look view) []*stream {
	raw := &stream{long: len(s) >= long}
	for i, r := range s {
		n := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(s[i:])
		}
		raw.runes = append(raw.runes, r)
		raw.at = append(raw.at, span{i, i + n})
	}
	out := []*stream{raw}
	if look.escapes || look.plus {
		last := out
		total := len(raw.runes)
		for range layers {
			var next []*stream
			for _, r := range last {
				for _, undo := range []func(*stream) *stream{(*stream).html, (*stream).backslashes, (*stream).percents, (*stream).form, (*stream).markup} {
					if len(out) >= maxReadings || total > maxRunes {
						break
					}
					d := undo(r)
					if d == nil || slices.ContainsFunc(out, func(o *stream) bool { return slices.Equal(o.runes, d.runes) }) {
						continue
					}
					total += len(d.runes)
					next = append(next, d)
					out = append(out, d)
				}
			}
			last = next
		}
	}
	for _, r := range out {
		r.folded = folded(r.runes)
		r.look.clipped = r.long
		for i, c := range r.folded {
			r.look.has |= bit(c)
			r.look.clipped = r.look.clipped || c == '…' || c == '.' && ellipsis(r.folded, i) > 0
		}
	}
	return out
}

// rewrite returns the stream with what decode makes of the escapes in it, or nil when there are none. decode gets the runes from an escape on
// and says what they stand for and how many they are; 0 is no escape.
func (r *stream) rewrite(begins func(rune) bool, decode func([]rune) ([]rune, int)) *stream {
	var out *stream
	for i := 0; i < len(r.runes); {
		if begins(r.runes[i]) {
			if to, n := decode(r.runes[i:]); n > 0 {
				if out == nil {
					out = &stream{long: r.long, runes: slices.Clone(r.runes[:i]), at: slices.Clone(r.at[:i])}
				}
				// A run of bytes stands for several runes, each with bytes of its own; anything else for one, or for one thing.
				each := 0
				if len(to) > 1 && n%byteLen(to) == 0 {
					each = n / byteLen(to)
				}
				from := i
				for _, c := range to {
					at := span{r.at[i].from, r.at[i+n-1].to}
					if each > 0 {
						next := from + each*byteLen([]rune{c})
						at = span{r.at[from].from, r.at[next-1].to}
						from = next
					}
					out.runes = append(out.runes, c)
					out.at = append(out.at, at)
				}
				i += n
				continue
			}
		}
		if out != nil {
			out.runes = append(out.runes, r.runes[i])
			out.at = append(out.at, r.at[i])
		}
		i++
	}
	return out
}

// byteLen is the length in UTF-8; a byte that is none counts as one.
func byteLen(rs []rune) int {
	n := 0
	for _, r := range rs {
		if r == utf8.RuneError {
			n++
			continue
		}
		n += utf8.RuneLen(r)
	}
	return n
}

func is(c rune) func(rune) bool { return func(r rune) bool { return r == c } }

// html undoes character references.
func (r *stream) html() *stream {
	return r.rewrite(is('&'), func(rs []rune) ([]rune, int) {
		// The longest name has 31 letters; a reference without its semicolon ends where the name does.
		end := 1
		for end < len(rs) && end < 34 && (unicode.IsLetter(rs[end]) || unicode.IsDigit(rs[end]) || rs[end] == '#') {
			end++
		}
		if end < len(rs) && rs[end] == ';' {
			end++
		}
		ref := string(rs[:end])
		plain := html.UnescapeString(ref)
		if plain == ref {
			return nil, 0
		}
		// What follows a name without semicolon is left over, as it was.
		left := 0
		for left < len(ref)-1 && left < len(plain)-1 && ref[len(ref)-1-left] == plain[len(plain)-1-left] {
			left++
		}
		return []rune(plain[:len(plain)-left]), end - utf8.RuneCountInString(ref[len(ref)-left:])
	})
}

// backslashes undoes the escapes of JSON, JavaScript and Go.
func (r *stream) backslashes() *stream {
	return r.rewrite(is('\\'), func(rs []rune) ([]rune, int) {
		if len(rs) < 2 {
			return nil, 0
		}
		if i := strings.IndexRune(`abfnrtv"'\/`+"`", rs[1]); i >= 0 {
			return []rune{[]rune("\a\b\f\n\r\t\v\"'\\/`")[i]}, 2
		}
		number := func(from, n int) (rune, bool) {
			if len(rs) < from+n {
				return 0, false
			}
			v, err := strconv.ParseUint(string(rs[from:from+n]), 16, 32)
			return rune(v), err == nil
		}
		switch rs[1] {
		case 'x':
			if v, ok := number(2, 2); ok {
				if v < utf8.RuneSelf {
					return []rune{v}, 4
				}
				return bytesOf(rs, `\x`, 2)
			}
		case 'U':
			if v, ok := number(2, 8); ok {
				return []rune{v}, 10
			}
		case 'u':
			if v, ok := number(2, 4); ok {
				if utf16.IsSurrogate(v) && len(rs) >= 12 && rs[6] == '\\' && rs[7] == 'u' {
					if low, ok := number(8, 4); ok {
						if both := utf16.DecodeRune(v, low); both != utf8.RuneError {
							return []rune{both}, 12
						}
					}
				}
				if utf16.IsSurrogate(v) {
					v = utf8.RuneError
				}
				return []rune{v}, 6
			}
			if len(rs) > 3 && rs[2] == '{' {
				if end := slices.Index(rs[:min(len(rs), 12)], '}'); end > 3 {
					if v, err := strconv.ParseUint(string(rs[3:end]), 16, 32); err == nil {
						return []rune{rune(v)}, end + 1
					}
				}
			}
		}
		return nil, 0
	})
}

// bytesOf reads a run of bytes, each a prefix and digits in hexadecimal, as UTF-8.
func bytesOf(rs []rune, prefix string, digits int) ([]rune, int) {
	var b []byte
	n := 0
	p := []rune(prefix)
	for {
		end := n + len(p) + digits
		if len(rs) < end || !slices.Equal(rs[n:n+len(p)], p) {
			break
		}
		v, err := strconv.ParseUint(string(rs[n+len(p):end]), 16, 8)
		if err != nil {
			break
		}
		b = append(b, byte(v))
		n = end
	}
	if n == 0 {
		return nil, 0
	}
	return []rune(string(b)), n
}

// percents undoes the escapes of URLs.
func (r *stream) percents() *stream {
	return r.rewrite(is('%'), percent)
}

func percent(rs []rune) ([]rune, int) {
	if len(rs) >= 6 && (rs[1] == 'u' || rs[1] == 'U') {
		if v, err := strconv.ParseUint(string(rs[2:6]), 16, 32); err == nil {
			return []rune{rune(v)}, 6
		}
	}
	return bytesOf(rs, "%", 2)
}

// form undoes the escapes of forms, in which a plus is a blank.
func (r *stream) form() *stream {
	if !slices.Contains(r.runes, '+') {
		return nil // the same as percents
	}
	return r.rewrite(func(c rune) bool { return c == '+' || c == '%' }, func(rs []rune) ([]rune, int) {
		if rs[0] == '+' {
			return []rune{' '}, 1
		}
		return percent(rs)
	})
}

// tagLength is how long a tag or a comment may be to be taken for one.
const tagLength = 1024

// markup leaves out tags and comments: what stands around them is one text for whoever sees the page.
func (r *stream) markup() *stream {
	return r.rewrite(is('<'), func(rs []rune) ([]rune, int) {
		rs = rs[:min(len(rs), tagLength)]
		if len(rs) < 3 || !tagBegins(rs[1]) {
			return nil, 0
		}
		if slices.Equal(rs[:min(len(rs), 4)], []rune("<!--")) {
			for i := 4; i+2 < len(rs); i++ {
				if rs[i] == '-' && rs[i+1] == '-' && rs[i+2] == '>' {
					return nil, i + 3
				}
			}
			return nil, 0
		}
		var quote rune
		for i := 2; i < len(rs); i++ {
			switch c := rs[i]; {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case (c == '"' || c == '\'') && rs[i-1] == '=':
				quote = c
			case c == '<':
				return nil, 0 // the one before was only a sign
			case c == '>':
				return nil, i + 1
			}
		}
		return nil, 0
	})
}

func tagBegins(c rune) bool {
	return c == '/' || c == '!' || c == '?' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// gap is how many dashes and the like may stand between two runes of a needle; white space may be any.
const gap = 3

// find appends where the needle is.
func (r *stream) find(n *needle, hits []span) []span {
	rs := r.folded
	if n.exact {
		rs = r.runes
	}
	for i := 0; i < len(rs); i++ {
		// After an ellipsis the end of the needle is enough.
		if n.clip > 0 && r.look.clipped {
			if dots := ellipsis(rs, i); dots > 0 {
				for k := 1; k+n.clip <= len(n.runes); k++ {
					if end, ok := r.match(rs, i+dots, n, k); ok {
						hits = append(hits, span{r.at[i+dots].from, r.at[end-1].to})
						break
					}
				}
			}
		}
		if !n.is(rs[i], 0) {
			continue
		}
		from := i
		end, ok := r.match(rs, i, n, 0)
		if !ok {
			continue
		}
		if n.b64 {
			// The characters beside it hold bits of it too.
			if from > 0 && sextet(rs[from-1]) {
				from--
			}
			if end < len(rs) && sextet(rs[end]) {
				end++
			}
		}
		hits = append(hits, span{r.at[from].from, r.at[end-1].to})
		i = end - 1
	}
	return hits
}

// match reads the needle from its rune k on at rs[i] and returns where it ends.
func (r *stream) match(rs []rune, i int, n *needle, k int) (int, bool) {
	begun := k
	p := i
	for ; k < len(n.runes); k++ {
		q := p
		if k > begun && n.skip != 0 {
			for marks := 0; q < len(rs) && !n.is(rs[q], k) && n.skip.has(rs[q]); q++ {
				if !blanks.has(rs[q]) {
					if marks++; marks > gap {
						break
					}
				}
			}
		}
		if q < len(rs) && n.is(rs[q], k) {
			p = q + 1
			continue
		}
		// Cut off: enough of it, and then an ellipsis, or the end of a text that may have been cut.
		if begun == 0 && n.clip > 0 && k >= n.clip && (ellipsis(rs, p) > 0 || ellipsis(rs, q) > 0 || r.long && p == len(rs)) {
			return p, true
		}
		return 0, false
	}
	if n.word && (i > 0 && wordly(rs[i-1]) || p < len(rs) && wordly(rs[p])) {
		return 0, false
	}
	return p, p > i
}

func (n *needle) is(r rune, k int) bool {
	return n.runes[k] == r || n.b64 && n.runes[k] == standard(r)
}

// ellipsis returns how many runes the ellipsis at rs[i] has; 0 for none.
func ellipsis(rs []rune, i int) int {
	switch {
	case i < len(rs) && rs[i] == '…':
		return 1
	case i+2 < len(rs) && rs[i] == '.' && rs[i+1] == '.' && rs[i+2] == '.':
		return 3
	}
	return 0
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func sextet(r rune) bool {
	return r < utf8.RuneSelf && (wordly(r) || strings.ContainsRune("+/-_", r))
}
