package lock

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Text is a text of the page of which parts may vary. As written in the lock:
//
//	{number} {date} {id} {text}   anything of that kind; {text} may be empty
//	${ORIGIN}                     the origin of the case's start, on whatever environment it runs
//	${NAME}                       the value of a variable of the case
//	{{                            a brace that the page shows
//
// Everything else is itself.
type Text string

// wild are the wildcards, and what each accepts. The order is the order in which kinds are tried: the narrowest first.
var wild = []struct{ name, accepts string }{
	{"number", numberForm},
	{"date", dateForm},
	{"id", idForm},
	{"text", `.*`},
}

const (
	numberForm = `\pN+(?:[.,'’\x{00a0}\x{202f}]\pN+)*`
	idForm     = `[\pL\pM\pN_-]+`
	month      = `(?:de )?(?i:jan(?:uary|uar|vier)?|feb(?:ruary|ruar|rero)?|fév(?:rier)?|mar(?:ch|s|zo)?|märz|apr(?:il)?|avr(?:il)?|abr(?:il)?|mayo?|mai|june?|juni|junio|juin|jul(?:y|i|io)?|juil(?:let)?|aug(?:ust)?|août|ago(?:sto)?|sep(?:t(?:ember|embre|iembre)?|tiembre)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember)?|déc(?:embre)?|dic(?:iembre)?|ene(?:ro)?)\b\.?`
	day        = `\d{1,2}(?:st|nd|rd|th|\.|º)?`
	clock      = `\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:[ \x{202f}]?[AaPp]\.?[Mm]\b\.?)?`
	zone       = `(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}))?`
	dateForm   = `\d{4}-\d{2}-\d{2}(?:[T ]` + clock + zone + `)?` +
		`|\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{1,2}[./]\d{1,2}[./]\d{2}|\d{4}/\d{1,2}/\d{1,2}` +
		`|\d{4}年\d{1,2}月\d{1,2}日|\d{1,2}月\d{1,2}日` +
		`|` + day + ` ` + month + `(?:,? \d{4})?|` + month + ` ` + day + `(?:,? \d{4})?|` + month + ` \d{4}` +
		`|` + clock + zone
	uuidForm = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
	variable = `\$\{[A-Za-z_][A-Za-z0-9_]*\}`
)

// pieces cuts a Text: what varies, dates, ids, numbers, words, and single characters.
var pieces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{|` + variable + `|\{[a-z]+\}|` + uuidForm + `|` + dateForm + `|[A-Za-z0-9_-]{20,}|[\pL\pM\pN_]*[\pL\pM_][\pL\pM\pN_]*|` + numberForm + `|(?s:.)`)
})

var whole = sync.OnceValue(func() map[string]*regexp.Regexp {
	m := map[string]*regexp.Regexp{}
	for _, w := range wild {
		m[w.name] = regexp.MustCompile(`(?s)^(?:` + w.accepts + `|` + variable + `|\{` + w.name + `\})$`) // a variable's value, and what varies likewise
	}
	return m
})

// escape writes a text of the page as a Text.
func escape(s string) string { return strings.ReplaceAll(s, "{", "{{") }

// check reports a wildcard that there is not, with its offset.
func (t Text) check() (at int, bad string) {
	s := string(t)
	for i := 0; i < len(s); {
		if s[i] != '{' {
			i++
			continue
		}
		rest := s[i:]
		if strings.HasPrefix(rest, "{{") {
			i += 2
			continue
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return i, "{"
		}
		name := rest[1:end]
		if _, ok := whole()[name]; !ok && !(i > 0 && s[i-1] == '$' && variableName.MatchString(name)) {
			return i, rest[:end+1]
		}
		i += end + 1
	}
	return -1, ""
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// wildcard returns the name of the wildcard that a piece is.
func wildcard(piece string) (string, bool) {
	if len(piece) < 3 || piece[0] != '{' || piece[1] == '{' {
		return "", false
	}
	return piece[1 : len(piece)-1], true
}

func (t Text) pieces() []string { return pieces().FindAllString(string(t), -1) }

// varies reports whether the text has a wildcard.
func (t Text) varies() bool {
	if !strings.Contains(string(t), "{") {
		return false
	}
	for _, p := range t.pieces() {
		if _, ok := wildcard(p); ok {
			return true
		}
	}
	return false
}

var patterns sync.Map // Text → *regexp.Regexp

func (t Text) pattern() *regexp.Regexp {
	if re, ok := patterns.Load(t); ok {
		return re.(*regexp.Regexp)
	}
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for _, p := range t.pieces() {
		w, ok := wildcard(p)
		re := whole()[w]
		if !ok || re == nil {
			b.WriteString(regexp.QuoteMeta(p))
			continue
		}
		b.WriteString(strings.TrimSuffix(strings.TrimPrefix(re.String(), `(?s)^`), `$`))
	}
	b.WriteString(`$`)
	re, err := regexp.Compile(b.String())
	if err != nil { // a text that is no UTF-8: it accepts itself alone
		re = regexp.MustCompile(`^` + regexp.QuoteMeta(strings.ToValidUTF8(string(t), "\uFFFD")) + `$`)
	}
	patterns.Store(t, re)
	return re
}

// Accepts reports whether what was seen, written as a Text, is what t says.
func (t Text) Accepts(seen Text) bool {
	if t == seen {
		return true
	}
	return t.varies() && t.pattern().MatchString(string(seen))
}

// kind is the narrowest wildcard that accepts a piece on its own; "text" for a word that is no id, "" for what is no content: blanks and
// punctuation.
func kind(piece string) string {
	if w, ok := wildcard(piece); ok {
		return w
	}
	for _, w := range wild[:2] {
		if whole()[w.name].MatchString(piece) && !strings.HasPrefix(piece, "${") {
			return w.name
		}
	}
	switch {
	case strings.HasPrefix(piece, "${"):
		return "text"
	case !whole()["id"].MatchString(piece):
		return ""
	case generated(piece):
		return "id"
	case piece == "-":
		return ""
	}
	return "text"
}

// generated reports whether a word is one that no person writes: letters and digits mixed.
func generated(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) >= 0
}

// join returns the narrowest Text that accepts both; typed is false where a part of it had to become {text} that was no wildcard in either.
// It does not depend on the order of a and b, and of what one accepts already nothing is widened.
func join(a, b Text) (out Text, typed bool) {
	switch {
	case a.Accepts(b):
		return a, true
	case b.Accepts(a):
		return b, true
	}
	p, q := a.pieces(), b.pieces()
	typed = true
	var out2 []string
	if aligned(p, q) {
		for i := range p {
			w, ok := joinPiece(p[i], q[i])
			typed = typed && ok
			out2 = append(out2, w)
		}
	} else {
		typed = false
		n := 0
		for n < len(p) && n < len(q) && p[n] == q[n] {
			n++
		}
		m := 0
		for m < len(p)-n && m < len(q)-n && p[len(p)-1-m] == q[len(q)-1-m] {
			m++
		}
		out2 = append(out2, p[:n]...)
		out2 = append(out2, "{text}")
		out2 = append(out2, p[len(p)-m:]...)
	}
	out = Text(strings.Join(collapse(out2), ""))
	if !out.Accepts(a) || !out.Accepts(b) { // cutting a text is not what reading it is: never narrower than either
		return "{text}", false
	}
	return out, typed
}

// aligned reports whether two texts have one shape: pieces that may vary at the same places, and the same between them.
func aligned(p, q []string) bool {
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] && (kind(p[i]) == "" || kind(q[i]) == "") {
			return false
		}
	}
	return true
}

// joinPiece joins two pieces; ok is false where the result is {text} that neither was.
func joinPiece(a, b string) (string, bool) {
	if a == b {
		return a, true
	}
	ka, kb := kind(a), kind(b)
	if ka == "text" || kb == "text" {
		_, wa := wildcard(a)
		_, wb := wildcard(b)
		return "{text}", ka == "text" && wa || kb == "text" && wb
	}
	if ka == kb {
		return "{" + ka + "}", true
	}
	for _, w := range []string{"number", "date", "id"} {
		fits := func(piece, k string) bool {
			if _, is := wildcard(piece); is {
				return k == w
			}
			return whole()[w].MatchString(piece)
		}
		if fits(a, ka) && fits(b, kb) {
			return "{" + w + "}", true
		}
	}
	return "{text}", false
}

// collapse makes one {text} of those that only blanks part.
func collapse(ps []string) []string {
	out := ps[:0:0]
	for _, p := range ps {
		if p == "{text}" {
			k := len(out)
			for k > 0 && strings.TrimSpace(out[k-1]) == "" {
				k--
			}
			if k > 0 && out[k-1] == "{text}" {
				out = out[:k]
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// clip shortens a text that is kept to recognise something by.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}

func quote(s string) string { return strconv.Quote(s) }
func itoa(n int) string     { return strconv.Itoa(n) }
