// Package words compares what people write: names, sentences, numbers, in any script.
//
// [Fold] says which names are the same name. [Loose] is for searching. [Tokens] cuts a text into the words by which
// one element is told from another, [Content] drops those that carry nothing. [Numbers], [Quoted] and [Negated] read an intent;
// [SpeaksOfFailure] and [RemovalName] know the vocabulary of complaints and of removal controls.
//
// Law of this package: text in, text out. It knows no page, no node, no language setting: a page mixes languages,
// so every vocabulary is consulted at once, and each word in one must be harmless in the others.
package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns s as a person reads a name: white space of any kind is one blank, what has no width and no meaning
// (soft hyphens, zero-width spaces, bidi marks, variation selectors) is gone, and composed and decomposed letters are the same
// (NFC). Case, accents and punctuation stay. A joiner stays where it changes what is read: between emoji, and between letters of
// scripts that join (Arabic, the Indic ones); in Latin text it is only typography. Fold(Fold(s)) == Fold(s).
func Fold(s string) string {
	if plain(s) || settled(s) && norm.NFC.IsNormalString(s) {
		return s
	}
	rs := make([]rune, 0, len(s))
	for _, r := range norm.NFC.String(s) {
		switch {
		case unicode.IsSpace(r):
			if len(rs) > 0 && rs[len(rs)-1] != ' ' {
				rs = append(rs, ' ')
			}
		case invisible(r):
		default:
			rs = append(rs, r)
		}
	}
	for len(rs) > 0 && rs[len(rs)-1] == ' ' {
		rs = rs[:len(rs)-1]
	}
	out := rs[:0]
	for i, r := range rs {
		if (r == zwj || r == zwnj) && !(len(out) > 0 && i+1 < len(rs) && joins(out[len(out)-1]) && joins(rs[i+1])) {
			continue
		}
		out = append(out, r)
	}
	// What was dropped may have stood between two blanks, or between a letter and its accent.
	t := norm.NFC.String(string(out))
	if strings.Contains(t, "  ") || strings.HasPrefix(t, " ") || strings.HasSuffix(t, " ") {
		t = strings.Join(strings.Fields(t), " ")
	}
	return t
}

// plain reports whether Fold has nothing to do: printable ASCII without doubled or outer blanks.
func plain(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return s == "" || !space
}

// settled reports whether Fold has nothing to do to any rune of s but to compose it.
func settled(s string) bool {
	space := true
	for _, r := range s {
		switch {
		case r == ' ':
			if space {
				return false
			}
			space = true
			continue
		case r < ' ', r >= 0x7f && r < 0xA1, r == 0xAD:
			return false
		case r < 0x0300, r >= 0x3001 && r < 0xD7A4: // letters of scripts that need no care
		case unicode.IsSpace(r) || invisible(r) || r == zwj || r == zwnj || r == utf8.RuneError:
			return false
		}
		space = false
	}
	return s == "" || !space
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

// invisible reports runes that neither show nor change what is read.
func invisible(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x180E, r == 0x200B, r == 0x200E, r == 0x200F, r == 0xFEFF,
		r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r >= 0xFE00 && r <= 0xFE0F:
		return true
	case r == utf8.RuneError:
		return false
	}
	return unicode.Is(unicode.Cc, r)
}

// joins reports runes beside which a joiner means something.
func joins(r rune) bool {
	switch {
	case r < 0x0300:
		return false
	case unicode.In(r, unicode.So, unicode.Sk):
		return true
	case unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return false
	}
	return unicode.In(r, unicode.L, unicode.M)
}

var folder = cases.Fold()

// Loose returns s for searching: Fold, then compatibility forms, case, accents and typographic quotes and dashes are levelled.
// Marks that are letters of their own (the vowels of Thai and Hindi, й, が) stay. Loose(Loose(s)) == Loose(s).
func Loose(s string) string {
	if ascii(s) {
		return strings.ToLower(Fold(s))
	}
	if l, ok := looseLatin(s); ok {
		return l
	}
	return looseAny(s)
}

func looseAny(s string) string {
	// A compatibility form may hold a blank or an upper-case letter, and folding may leave a compatibility form:
	// a second round settles nearly everything, a third is rare.
	for range 4 {
		next := loosen(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// looseLatin is looseAny for texts of Latin letters and common punctuation, most of what there is: there each rune becomes what
// it becomes alone.
func looseLatin(s string) (string, bool) {
	for _, r := range s {
		if !alone(r) {
			return "", false
		}
	}
	table := looseRunes()
	b := make([]byte, 0, len(s)+8)
	for _, r := range s {
		b = append(b, table[r]...)
	}
	return Fold(string(b)), true
}

// alone reports runes that combine with no neighbour.
func alone(r rune) bool {
	return r < 0x0250 || r >= 0x2010 && r < 0x20D0
}

var looseRunes = sync.OnceValue(func() []string {
	m := make([]string, 0x20D0)
	for r := rune(0); r < 0x20D0; r++ {
		switch {
		case !alone(r):
		case unicode.IsSpace(r):
			m[r] = " "
		default:
			// Its blanks must survive between letters.
			m[r] = strings.TrimSuffix(strings.TrimPrefix(looseAny("a"+string(r)+"a"), "a"), "a")
		}
	}
	return m
})

func loosen(s string) string {
	s = Fold(norm.NFKC.String(s))
	s = folder.String(s)
	s = norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(s))
	var base rune
	for _, r := range s {
		if accent(base, r) {
			continue
		}
		if !unicode.Is(unicode.M, r) {
			base = r
		}
		if to, ok := levelled[r]; ok {
			b.WriteString(to)
			continue
		}
		b.WriteRune(r)
	}
	return Fold(norm.NFC.String(b.String()))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// accent reports whether mark r on base only colours it.
func accent(base, r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036F:
		switch base {
		case 'и', 'у': // й and ў are letters
			return r != 0x0306
		case 'і': // ї
			return r != 0x0308
		}
		return true
	case r >= 0x0591 && r <= 0x05BD, r == 0x05BF, r == 0x05C1, r == 0x05C2, r == 0x05C4, r == 0x05C5, r == 0x05C7: // Hebrew points
		return true
	case r >= 0x064B && r <= 0x0652, r == 0x0670, r == 0x0640: // Arabic vowels, tatweel
		return true
	}
	return false
}

// levelled are the letters that no normalisation takes apart, and the typography of quotes and dashes.
var levelled = map[rune]string{
	'ł': "l", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k", 'ß': "ss",
	'’': "'", '‘': "'", '‚': "'", '‛': "'", 'ʼ': "'", 'ʻ': "'", '´': "'", '′': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '«': `"`, '»': `"`, '″': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-", '⁄': "/",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ى': "ي", 'ک': "ك", 'ی': "ي",
}

// Overlap is the share of the distinct words of ref that occur in cand: |ref ∩ cand| / |ref|, both as sets. It is 0 when
// ref is empty: from nothing nothing follows.
func Overlap(ref, cand []string) float64 {
	if len(ref) == 0 {
		return 0
	}
	have := make(map[string]bool, len(cand))
	for _, w := range cand {
		have[w] = true
	}
	seen := make(map[string]bool, len(ref))
	hit := 0
	for _, w := range ref {
		if seen[w] {
			continue
		}
		seen[w] = true
		if have[w] {
			hit++
		}
	}
	return float64(hit) / float64(len(seen))
}
