package words

import (
	"slices"
	"strings"
	"unicode"
)

// Tokens cuts s into the words that are compared, in order, repetitions kept. Each is Loose, and
//   - inflection is lightly undone: save, saved and saving give one word, item and items too;
//   - a number is one word, whole and exact, in one form: 1,234.50 and 1.234,50 and 1 234,50 give 1234.50; 100 and
//     100 000 have nothing in common; 19.00 is 19;
//   - single letters and digits are kept: they are sizes and seats;
//   - scripts without blanks between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) give their bigrams, a lone character itself;
//   - a run of emoji or other pictures is one word. Punctuation and operators count only where there is nothing else ("+", "×").
func Tokens(s string) []string {
	var out []string
	for _, p := range split(Loose(s)) {
		out = append(out, p.words()...)
	}
	if out == nil {
		out = bare(s)
	}
	return out
}

// Content is Tokens without the words that carry nothing: articles, prepositions, pronouns and auxiliaries (English,
// Spanish, German, French, Portuguese, Italian, Chinese, Japanese), and the names of roles (button, Knopf, botón). A text of nothing else has no
// content. Every word of Content(s) is in Tokens(s).
func Content(s string) []string {
	var out []string
	parts := split(Loose(s))
	some := false
	for i, p := range parts {
		some = true
		switch p.kind {
		case word:
			// A lone letter is a size or a seat ("Size A"), unless it stands as an article before another word.
			if len([]rune(p.text)) == 1 && stop[p.text] && i+1 == len(parts) {
				break
			}
			if stop[p.text] {
				continue
			}
		case run:
			out = append(out, contentBigrams(p.text)...)
			continue
		}
		out = append(out, p.words()...)
	}
	if !some {
		out = bare(s)
	}
	return out
}

// Numbers returns the words of s that hold a digit, in the form that Tokens gives them: an intent that names one must
// find it exactly.
func Numbers(s string) []string {
	var out []string
	for _, p := range split(Loose(s)) {
		if p.kind != run && strings.ContainsFunc(p.text, digit) {
			out = append(out, p.text)
		}
	}
	return out
}

// bare gives a name that is nothing but punctuation a word.
func bare(s string) []string {
	return strings.Fields(Loose(s))
}

type kind int

const (
	word    kind = iota // letters, perhaps with digits
	num                 // a number, in its one form
	run                 // letters of a script without blanks
	picture             // symbols
)

type part struct {
	kind kind
	text string
	// before is what stands between the part before and this one.
	before string
}

func (p part) words() []string {
	switch p.kind {
	case word:
		return []string{Stem(p.text)}
	case run:
		return bigrams(p.text)
	}
	return []string{p.text}
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// split cuts a Loose text into parts; what is between them is kept with the part after.
func split(s string) []part {
	rs := []rune(s)
	for i, r := range rs {
		if d, ok := decimal(r); ok {
			rs[i] = d
		}
	}
	var out []part
	from := 0 // of what is between
	add := func(k kind, text string, start, end int) {
		out = append(out, part{k, text, string(rs[from:start])})
		from = end
	}
	for i := 0; i < len(rs); {
		r := rs[i]
		switch {
		case digit(r):
			n, end := number(rs, i)
			if end < len(rs) && letter(rs[end]) {
				// 10kg is a number and its unit; 12b and 4k are names.
				j := end
				for j < len(rs) && (letter(rs[j]) || digit(rs[j])) {
					j++
				}
				if units[string(rs[end:j])] {
					add(num, n, i, end)
					add(word, string(rs[end:j]), end, j)
				} else {
					add(word, string(rs[i:j]), i, j)
				}
				i = j
				continue
			}
			add(num, n, i, end)
			i = end
		case unspaced(r):
			j := i + 1
			for j < len(rs) && (unspaced(rs[j]) || unicode.Is(unicode.M, rs[j])) {
				j++
			}
			add(run, string(rs[i:j]), i, j)
			i = j
		case letter(r):
			j := i + 1
			for j < len(rs) && (letter(rs[j]) || digit(rs[j]) || unicode.Is(unicode.M, rs[j]) || rs[j] == zwnj || rs[j] == zwj) {
				j++
			}
			// An apostrophe: l'article, don't, Anna's.
			if j+1 < len(rs) && rs[j] == '\'' && letter(rs[j+1]) {
				head := string(rs[i:j])
				k := j + 1
				for k < len(rs) && letter(rs[k]) {
					k++
				}
				tail := string(rs[j+1 : k])
				switch {
				case elided[head]:
					add(word, head+"'", i, j+1)
					i = j + 1
					continue
				case tail == "s":
					add(word, head, i, k)
					i = k
					continue
				case contracted[tail]:
					add(word, head+tail, i, k)
					i = k
					continue
				}
			}
			add(word, string(rs[i:j]), i, j)
			i = j
		case unicode.In(r, unicode.So) || r >= 0x1F000 && r <= 0x1FAFF:
			j := i + 1
			for j < len(rs) && (unicode.In(rs[j], unicode.So, unicode.Sk, unicode.Mn) || rs[j] == zwj || rs[j] >= 0x1F000 && rs[j] <= 0x1FAFF) {
				j++
			}
			add(picture, string(rs[i:j]), i, j)
			i = j
		default:
			i++
		}
	}
	return out
}

func letter(r rune) bool { return unicode.IsLetter(r) && !unspaced(r) }

// unspaced reports letters of scripts that put no blanks between words (Hangul does, but glues particles to them).
func unspaced(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || r == '々' || unicode.IsLetter(r) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// clusters groups each letter with the marks on it.
func clusters(s string) []string {
	var out []string
	for _, r := range s {
		if len(out) > 0 && unicode.Is(unicode.M, r) {
			out[len(out)-1] += string(r)
			continue
		}
		out = append(out, string(r))
	}
	return out
}

func bigrams(s string) []string {
	c := clusters(s)
	if len(c) == 1 {
		return c
	}
	out := make([]string, 0, len(c)-1)
	for i := range len(c) - 1 {
		out = append(out, c[i]+c[i+1])
	}
	return out
}

// contentBigrams are the bigrams that hold no function character; a run that has none such gives all it has.
func contentBigrams(s string) []string {
	all := bigrams(s)
	out := slices.DeleteFunc(slices.Clone(all), func(g string) bool { return strings.ContainsAny(g, particles) })
	if len(out) == 0 && len(clusters(s)) > 1 {
		return all
	}
	return out
}

// Stem undoes light inflection of a Loose word: the endings -s, -ed and -ing of English with their spelling, the forms of the verbs
// that interfaces use in Spanish, Portuguese, Italian, French and German, and the commonest endings of Cyrillic words. What it
// leaves is for comparing, not for reading. A word with a digit is left alone.
func Stem(w string) string {
	if strings.ContainsFunc(w, digit) {
		return w
	}
	rs := []rune(w)
	if len(rs) < 4 {
		return w
	}
	switch {
	case unicode.Is(unicode.Cyrillic, rs[0]):
		return cyrillic(w)
	case unicode.Is(unicode.Arabic, rs[0]):
		if t, ok := strings.CutPrefix(w, "ال"); ok && len([]rune(t)) >= 3 {
			return t
		}
		return w
	case !ascii(w):
		return w
	}
	if v, ok := verb(w); ok {
		return v
	}
	return english(w)
}

func english(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) >= 5:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ied") && len(w) >= 5:
		w = w[:len(w)-3] + "y"
	case hasAny(w, "sses", "xes", "ches", "shes", "zes") && len(w) >= 5:
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !hasAny(w, "ss", "us", "is"):
		w = w[:len(w)-1]
	}
	if t, ok := strings.CutSuffix(w, "ing"); ok && len(t) >= 3 && vowel(t) {
		w = t
	} else if t, ok := strings.CutSuffix(w, "ed"); ok && !strings.HasSuffix(t, "e") {
		if len(t) >= 3 && vowel(t) {
			w = t
		} else if len(t) == 2 && vowel(t) {
			w = t + "e" // used
		}
	}
	if len(w) >= 4 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	if n := len(w); n >= 4 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiou", rune(w[n-1])) {
		w = w[:n-1]
	}
	return w
}

func hasAny(w string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(w, s) })
}

func vowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// verb knows the verbs of interfaces in Romance languages and German: a stem, and an ending that makes a form of it.
// General rules for these endings would make "poster" and "post" one word.
func verb(w string) (string, bool) {
	if stem, ok := german[w]; ok {
		return stem, true
	}
	for _, c := range conjugated {
		for _, e := range c.endings {
			if stem, ok := strings.CutSuffix(w, e); ok && c.stems[stem] {
				return stem, true
			}
		}
	}
	return "", false
}

func cyrillic(w string) string {
	for _, e := range cyrillicEndings {
		if t, ok := strings.CutSuffix(w, e); ok && len([]rune(t)) >= 4 {
			return t
		}
	}
	return w
}
