package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasWords reports whether text holds needle as a sequence of whole words, both Loose: "Ana Lind" is not in "Ana Lindberg",
// "Order 1" neither in "Order 17" nor in "Order 1,200". Scripts without blanks have no borders to respect. An empty needle is in
// nothing.
func HasWords(text, needle string) bool { return WordsIn(needle)(text) }

// WordsIn returns [HasWords] for one needle and many texts.
func WordsIn(needle string) func(text string) bool {
	needle = Loose(needle)
	return func(text string) bool {
		return contains(Loose(text), needle, func(a, b rune) bool {
			return wordly(a) && wordly(b) && !(unspaced(a) || unspaced(b))
		})
	}
}

// HasText reports whether text holds needle as it reads, both folded, case and accents counting. It may begin or end inside a word,
// not inside a number: "3 items" is not in "13 items", "1" not in "1.50". An empty needle is in nothing.
func HasText(text, needle string) bool {
	return contains(Fold(text), Fold(needle), func(rune, rune) bool { return false })
}

func wordly(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// contains looks for needle where neither border cuts what glued says is one, or a number.
func contains(text, needle string, glued func(a, b rune) bool) bool {
	if needle == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(needle)
	last, _ := utf8.DecodeLastRuneInString(needle)
	for from := 0; from <= len(text); {
		i := strings.Index(text[from:], needle)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(needle)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[end:])
		// A mark on the last letter makes it another letter.
		cut := i > 0 && (glued(before, first) || unicode.IsDigit(first) && inNumber(text[:i], true)) ||
			end < len(text) && (glued(last, after) || unicode.Is(unicode.Mn, after) || unicode.IsDigit(last) && inNumber(text[end:], false))
		if !cut {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		from = i + n
	}
	return false
}

// inNumber reports whether a digit beside s would be one number with its nearest end: a digit, or a separator and a digit. A colon
// or a full stop that ends a sentence is none.
func inNumber(s string, before bool) bool {
	take := utf8.DecodeRuneInString
	if before {
		take = utf8.DecodeLastRuneInString
	}
	r, n := take(s)
	if unicode.IsDigit(r) {
		return true
	}
	if r != '.' && r != ',' && r != '\'' && r != '’' {
		return false
	}
	if before {
		s = s[:len(s)-n]
	} else {
		s = s[n:]
	}
	r, _ = take(s)
	return unicode.IsDigit(r)
}

// Similar says how alike two names are, from 0 to 1: by shared words, by containment, and by edit distance (typing errors). It is for
// proposing candidates, never for deciding.
func Similar(a, b string) float64 {
	a, b = Loose(a), Loose(b)
	if a == b {
		return 1
	}
	if a == "" || b == "" {
		return 0
	}
	ta, tb := Tokens(a), Tokens(b)
	dice := 0.0
	if n := len(ta) + len(tb); n > 0 {
		dice = (Overlap(ta, tb)*float64(len(ta)) + Overlap(tb, ta)*float64(len(tb))) / float64(n)
	}
	best := 0.95 * dice
	if short, long := min(len(a), len(b)), max(len(a), len(b)); short >= 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		best = max(best, 0.6+0.35*float64(short)/float64(long))
	}
	if len(a) <= 80 && len(b) <= 80 {
		ra, rb := []rune(a), []rune(b)
		best = max(best, 0.95*(1-float64(distance(ra, rb))/float64(max(len(ra), len(rb)))))
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b []rune) int {
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		cur[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j+1]+1, cur[j]+1, prev[j]+cost)
		}
		prev, cur = cur, prev
	}
	return prev[len(b)]
}
