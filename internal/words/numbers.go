package words

import (
	"strings"
	"unicode"
)

// decimal maps the digits of every script, and the Arabic separators, to ASCII.
func decimal(r rune) (rune, bool) {
	switch {
	case r < 0x0660:
		return r, false
	case r == '٫':
		return '.', true
	case r == '٬':
		return ',', true
	case !unicode.Is(unicode.Nd, r):
		return r, false
	}
	// Decimal digits come in runs of ten that begin with the zero. (Unicode promises it.)
	zero := r
	for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + (r - zero), true
}

// number reads the number that begins at rs[i] and returns its one form and where it ends.
//
// A separator of thousands goes, a decimal comma becomes a point, ".00" goes. What looks like neither (a date, a
// version, an address, a time) is kept as it stands. A minus counts where it can be no hyphen.
func number(rs []rune, i int) (string, int) {
	start := i
	digits := func(j int) int {
		k := j
		for k < len(rs) && digit(rs[k]) {
			k++
		}
		return k - j
	}
	// The maximal chain of digit groups joined by single separators.
	type group struct {
		sep  rune
		text string
	}
	groups := []group{{0, string(rs[i : i+digits(i)])}}
	ends := []int{i + digits(i)}
	for j := ends[0]; j+1 < len(rs) && digit(rs[j+1]) && strings.ContainsRune(" .,:'", rs[j]); {
		n := digits(j + 1)
		groups = append(groups, group{rs[j], string(rs[j+1 : j+1+n])})
		j += 1 + n
		ends = append(ends, j)
	}
	// A blank only ever separates thousands: all groups after it hold three digits, the first at most three.
	spaced := 1
	for spaced < len(groups) && groups[spaced].sep == ' ' {
		spaced++
	}
	switch {
	case spaced > 1:
		ok := len(groups[0].text) <= 3 && groups[0].text[0] != '0'
		for _, g := range groups[1:spaced] {
			ok = ok && len(g.text) == 3
		}
		if !ok {
			groups = groups[:1]
		} else if spaced < len(groups) && (groups[spaced].sep != ',' && groups[spaced].sep != '.') {
			groups = groups[:spaced]
		} else if spaced < len(groups) {
			groups = groups[:spaced+1]
		}
	default:
		for k, g := range groups {
			if g.sep == ' ' {
				groups = groups[:k]
				break
			}
		}
	}
	end := ends[len(groups)-1]

	sign := ""
	if start > 0 && rs[start-1] == '-' && (start == 1 || unicode.IsSpace(rs[start-2]) || unicode.In(rs[start-2], unicode.Sc) || rs[start-2] == '(') {
		sign = "-"
	}
	if len(groups) == 1 {
		return sign + groups[0].text, end
	}

	// thousands reports whether groups[1:n] are thousands after groups[0]; Indian grouping has pairs before the last three.
	thousands := func(n int) bool {
		if n < 2 || len(groups[0].text) > 3 || groups[0].text[0] == '0' {
			return false
		}
		for k := 1; k < n; k++ {
			if l := len(groups[k].text); groups[k].sep != groups[1].sep || l != 3 && !(l == 2 && k < n-1 && groups[1].sep == ',' && len(groups[0].text) <= 2) {
				return false
			}
		}
		return groups[1].sep != ':'
	}
	join := func(gs []group) string {
		var b strings.Builder
		for _, g := range gs {
			b.WriteString(g.text)
		}
		return b.String()
	}
	last := groups[len(groups)-1]
	switch n := len(groups); {
	case thousands(n):
		return sign + join(groups), end
	case (last.sep == '.' || last.sep == ',') && (n == 2 || thousands(n-1) && groups[1].sep != last.sep):
		whole := join(groups[:n-1])
		if last.text == "00" {
			return sign + whole, end
		}
		return sign + whole + "." + last.text, end
	}
	var b strings.Builder
	for k, g := range groups {
		if k > 0 {
			b.WriteRune(g.sep)
		}
		b.WriteString(g.text)
	}
	return b.String(), end
}

// units that may stick to a number.
var units = set("kg g mg t km m cm mm ml l px gb mb kb tb ms s min h x eur usd gbp chf pcs st stk st hz khz mhz ghz w kw v")
