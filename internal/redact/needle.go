package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// enough is how many characters of a secret are told apart from ordinary text even in pieces.
const enough = 6

// A needle is one shape of one secret.
type needle struct {
	runes []rune
	exact bool // letters in their own case
	b64   bool // both alphabets are one
	word  bool // only where no letter or digit stands beside it
	skip  skip // what may stand between its runes
	clip  int  // how many runes of its beginning or end betray it beside an ellipsis; 0 for never
	need  mask
	heads mask // what its shortest betraying beginning needs
	tails mask
}

// skip is a set of what may stand between the runes of a needle.
type skip uint8

const (
	blanks skip = 1 << iota // white space and what is invisible
	groups                  // what groups digits
	colons                  // what separates hexadecimal pairs
)

// needles lists the shapes of a secret.
func needles(secret string) []needle {
	var out []needle
	add := func(n needle) {
		if len(n.runes) == 0 {
			return
		}
		for k := range out {
			if slices.Equal(out[k].runes, n.runes) && out[k].exact == n.exact && out[k].skip == n.skip && out[k].b64 == n.b64 {
				return
			}
		}
		n.need = maskOf(n.runes, n.b64)
		n.heads, n.tails = n.need, n.need
		if n.clip > 0 && n.clip < len(n.runes) {
			n.heads, n.tails = maskOf(n.runes[:n.clip], n.b64), maskOf(n.runes[len(n.runes)-n.clip:], n.b64)
		}
		out = append(out, n)
	}
	length := utf8.RuneCountInString(secret)
	if length < 3 {
		add(needle{runes: []rune(secret), exact: true, word: true})
		return out
	}
	forms := shapes(secret)
	for _, f := range forms {
		rs := folded([]rune(f))
		clip := 0
		if len(rs) > enough {
			clip = enough
		}
		add(needle{runes: rs, clip: clip})
		for _, k := range []skip{blanks, blanks | groups} {
			bones := slices.DeleteFunc(slices.Clone(rs), k.has)
			if len(bones) >= enough && (k == blanks || digits(rs) >= 4) {
				add(needle{runes: bones, skip: k, clip: min(clip, len(bones)-1)})
			}
		}
	}
	if length < enough {
		return out
	}
	for _, f := range forms {
		add(needle{runes: folded([]rune(hex.EncodeToString([]byte(f)))), skip: blanks | colons, clip: 2 * enough})
		for _, e := range aligned(f) {
			if len(e) >= enough {
				add(needle{runes: []rune(e), exact: true, b64: true, skip: blanks, clip: 8})
			}
		}
	}
	return out
}

func digits(rs []rune) int {
	n := 0
	for _, r := range rs {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// shapes lists the texts that are the secret for a person: other cases, composed, decomposed.
func shapes(secret string) []string {
	var out []string
	put := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	basis := []string{secret, strings.ToLower(secret), strings.ToUpper(secret), cases.Lower(language.Und).String(secret), cases.Upper(language.Und).String(secret), cases.Fold().String(secret)}
	// Trimming must not leave so little that it is found everywhere.
	if t := strings.TrimSpace(secret); utf8.RuneCountInString(t) >= 3 {
		basis = append(basis, t)
	}
	for _, s := range basis {
		put(s)
		put(norm.NFC.String(s))
		put(norm.NFD.String(s))
		put(norm.NFKC.String(s))
	}
	return out
}

// aligned returns the base64 of s as it reads inside a longer text, at each of the three alignments: without the characters that
// depend on the neighbours. The alphabet is the standard one.
func aligned(s string) []string {
	var out []string
	for shift := range 3 {
		e := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), s...))
		from := (shift*8 + 5) / 6
		to := (shift + len(s)) * 8 / 6
		out = append(out, e[from:to])
	}
	return out
}

func (k skip) has(r rune) bool {
	if k&blanks != 0 && (unicode.IsSpace(r) || r >= 0xAD && (unicode.Is(unicode.Cf, r) || r == 0x034F || r >= 0xFE00 && r <= 0xFE0F)) {
		return true
	}
	if k&groups != 0 && strings.ContainsRune("-‐‑‒–—−.·/_", r) {
		return true
	}
	return k&colons != 0 && (r == ':' || r == '-')
}

// fold returns one rune for all cases of r, and for its wide form.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}
	if r >= 0xFF01 && r <= 0xFF5E { // the wide forms of ASCII
		return fold(r - 0xFF01 + '!')
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

func folded(rs []rune) []rune {
	out := make([]rune, len(rs))
	for i, r := range rs {
		out[i] = fold(r)
	}
	return out
}

// standard maps the URL alphabet of base64 to the standard one.
func standard(r rune) rune {
	switch r {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
}

// mask tells which characters a text holds, roughly: letters without case, digits, and the rest in a few bins.
type mask uint64

func bit(r rune) mask {
	switch r = fold(r); {
	case r >= 'A' && r <= 'Z':
		return 1 << (r - 'A')
	case r >= '0' && r <= '9':
		return 1 << (26 + r - '0')
	case r < utf8.RuneSelf:
		return 1 << (36 + r%27)
	}
	return 1 << 63
}

func maskOf(rs []rune, b64 bool) mask {
	var m mask
	for _, r := range rs {
		if b64 && (r == '+' || r == '/') {
			continue
		}
		m |= bit(r)
	}
	return m
}

// view is what one pass over a text tells: enough to see that most texts hold none of the needles.
type view struct {
	has     mask
	escapes bool // what stands there may be other characters
	plus    bool // a plus may be a blank
	clipped bool // an ellipsis, or long enough to have been cut
}

// long is the length from which a text may have been cut without an ellipsis.
const long = 120

func survey(s string) view {
	v := view{clipped: len(s) >= long}
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			// Folding may bring K and S from outside ASCII.
			v.has |= 1<<63 | bit('k') | bit('s')
			if c == 0xEF && i+1 < len(s) && (s[i+1] == 0xBC || s[i+1] == 0xBD) {
				v.has = ^mask(0) // wide forms, which are any of ASCII
			}
			if c == 0xE2 && strings.HasPrefix(s[i:], "…") {
				v.clipped = true
			}
			continue
		}
		v.has |= bits[c]
		switch c {
		case '+':
			v.plus = true
			v.has |= bits[' ']
		case '\\', '&', '%', '<':
			v.escapes = v.escapes || escape(s[i:])
		case '.':
			v.clipped = v.clipped || strings.HasPrefix(s[i:], "...")
		}
	}
	return v
}

// escape reports whether s may begin with an escape.
func escape(s string) bool {
	if len(s) < 2 {
		return false
	}
	switch c := s[1]; s[0] {
	case '&':
		return c == '#' || c|0x20 >= 'a' && c|0x20 <= 'z'
	case '<':
		return tagBegins(rune(c))
	case '%':
		return len(s) >= 3 && (c == 'u' || c == 'U' || hexadecimal(c) && hexadecimal(s[2]))
	default:
		return strings.IndexByte("abfnrtvxuU\"'\\/`", c) >= 0
	}
}

func hexadecimal(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

var bits = func() (out [utf8.RuneSelf]mask) {
	for c := range out {
		out[c] = bit(rune(c))
	}
	return out
}()

func (v view) mayHold(n *needle) bool {
	if v.has&n.need == n.need {
		return true
	}
	return v.clipped && n.clip > 0 && (v.has&n.heads == n.heads || v.has&n.tails == n.tails)
}
