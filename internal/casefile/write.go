package casefile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// width is how long a line in brackets may be.
const width = 120

// A writer writes layouts as lines.
type writer struct {
	careful bool // every text of several lines is quoted
	lines   []outLine
}

// A outLine is a line and the comment behind it.
type outLine struct{ text, tail string }

func (w *writer) line(text, tail string) {
	if text == "" && tail == "" && (len(w.lines) == 0 || w.lines[len(w.lines)-1] == outLine{}) {
		return // one blank line is enough, and none is the first
	}
	w.lines = append(w.lines, outLine{text, tail})
}

// text is all lines, the comments behind neighbouring ones in one column.
func (w *writer) text() string {
	lines := w.lines
	for len(lines) > 0 && lines[len(lines)-1] == (outLine{}) {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	for i := 0; i < len(lines); i++ {
		if lines[i].tail == "" {
			b.WriteString(lines[i].text + "\n")
			continue
		}
		j, column := i, 0
		for ; j < len(lines) && lines[j].tail != ""; j++ {
			column = max(column, utf8.RuneCountInString(lines[j].text))
		}
		for ; i < j; i++ {
			pad := column - utf8.RuneCountInString(lines[i].text) + 2
			b.WriteString(lines[i].text + strings.Repeat(" ", pad) + lines[i].tail + "\n")
		}
		i--
	}
	return b.String()
}

func (w *writer) document(n *layout) {
	for _, c := range n.above {
		w.line(c, "")
	}
	if n.kind != mapping || len(n.entries) == 0 {
		w.line(inBrackets(n), "")
		return
	}
	if n.prefix != "" {
		w.line(strings.TrimSpace(n.prefix), "")
	}
	w.mapping(n, 0, "", placeDocument)
}

// heads writes what stands above an entry.
func (w *writer) heads(p *part, indent int, first bool) {
	for i, c := range p.head {
		if c == "" {
			if !first || i > 0 {
				w.line("", "")
			}
			continue
		}
		w.line(spaces(indent)+c, "")
	}
}

func spaces(n int) string { return strings.Repeat(" ", n) }

// mapping writes a block of keys; lead stands in the place of the first one's indentation.
func (w *writer) mapping(n *layout, indent int, lead string, at place) {
	for i, p := range n.entries {
		before := spaces(indent)
		if i == 0 && lead != "" {
			before = lead
		} else {
			w.heads(p, indent, i == 0 && at != placeDocument)
		}
		w.value(p, before+keyText(p.key, false)+":", indent, at.under(p.key))
	}
	w.feet(n, indent)
}

func (w *writer) feet(n *layout, indent int) {
	for _, c := range n.foot {
		if c == "" {
			w.line("", "")
		} else {
			w.line(spaces(indent)+c, "")
		}
	}
}

// value writes what stands behind a key or the dash of an item.
func (w *writer) value(p *part, lead string, indent int, at place) {
	n := p.value
	switch {
	case n.alias != "":
		w.line(lead+" *"+n.alias, p.tail)
	case n.absent:
		w.line(strings.TrimRight(lead+" "+n.prefix, " "), p.tail)
	case n.kind == scalar:
		w.scalar(p, lead+" "+n.prefix, indent)
	case w.brackets(n, lead+" ", at):
		w.line(lead+" "+inBrackets(n), p.tail)
	default:
		w.line(strings.TrimRight(lead+" "+n.prefix, " "), p.tail)
		if n.kind == mapping {
			w.mapping(n, indent+2, "", at)
		} else {
			w.list(n, indent+2, at)
		}
	}
}

func (w *writer) list(n *layout, indent int, at place) {
	for i, p := range n.entries {
		w.heads(p, indent, i == 0)
		v := p.value
		if v.kind == mapping && v.alias == "" && v.prefix == "" && len(v.entries) > 0 && !w.brackets(v, spaces(indent)+"- ", at.item()) {
			if p.tail != "" {
				w.line(spaces(indent)+p.tail, "")
			}
			for _, c := range v.entries[0].head { // the order may have put it first
				if c != "" {
					w.line(spaces(indent)+c, "")
				}
			}
			w.mapping(v, indent+2, spaces(indent)+"- ", at.item())
			continue
		}
		w.value(p, spaces(indent)+"-", indent, at.item())
	}
	w.feet(n, indent)
}

func (w *writer) scalar(p *part, lead string, indent int) {
	n := p.value
	switch {
	case n.literal && !w.careful && n.folded != nil:
		w.line(lead+n.folded[0], p.tail)
		w.block(n.folded[1:], indent+2)
	case n.literal && !w.careful && standsInBlock(n.text):
		head := "|"
		if !strings.HasSuffix(n.text, "\n") {
			head = "|-"
		}
		w.line(lead+head, p.tail)
		w.block(strings.Split(strings.TrimSuffix(n.text, "\n"), "\n"), indent+2)
	default:
		w.line(lead+scalarText(n, false), p.tail)
	}
}

// block writes the lines of a text; none of them is blank in the sense of line.
func (w *writer) block(lines []string, indent int) {
	for _, l := range lines {
		if l != "" {
			l = spaces(indent) + l
		}
		w.lines = append(w.lines, outLine{text: l})
	}
}

// standsInBlock reports whether a text can stand behind | without saying more.
func standsInBlock(text string) bool {
	last := strings.TrimSuffix(text, "\n")
	if text == "" || strings.HasSuffix(last, "\n") || strings.TrimRight(last, " \t") != last || // the parser drops white space at the end
		strings.TrimSpace(text) == "" || strings.ContainsAny(text[:1], " \n\t") {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !printable(r) })
}

// brackets decides whether a mapping or list is written between brackets, on the line that lead begins. Short locators and lists of words
// are; cases, steps and what holds comments are not; of the rest, what is short stays as it was written.
func (w *writer) brackets(n *layout, lead string, at place) bool {
	if len(n.entries) == 0 && len(n.foot) == 0 {
		return true
	}
	if at == placeDocument || at == placeStep || at == placeSteps || at == placeExpect || !plain(n) {
		return false
	}
	words := n.kind == list && !slices.ContainsFunc(n.entries, func(p *part) bool { return p.value.kind != scalar })
	if !n.flow && !words && at != placeLocator {
		return false
	}
	return utf8.RuneCountInString(lead)+utf8.RuneCountInString(inBrackets(n)) <= width
}

// plain reports whether a value can stand between brackets.
func plain(n *layout) bool {
	if len(n.foot) > 0 || n.absent || n.kind == scalar && n.literal && strings.Contains(n.text, "\n") || n.folded != nil {
		return false
	}
	for _, p := range n.entries {
		if p.tail != "" || len(p.head) > 0 || !plain(p.value) {
			return false
		}
	}
	return true
}

// inBrackets writes a value on one line.
func inBrackets(n *layout) string {
	if n.alias != "" {
		return "*" + n.alias
	}
	if n.kind == scalar {
		if n.absent {
			return strings.TrimSpace(n.prefix)
		}
		return n.prefix + scalarText(n, true)
	}
	var all []string
	for _, p := range n.entries {
		text := inBrackets(p.value)
		if n.kind == mapping {
			text = strings.TrimRight(keyText(p.key, true)+": "+text, " ")
		}
		if p.value.kind != scalar {
			text = strings.TrimRight(text, " ")
		}
		all = append(all, text)
	}
	if n.kind == list {
		return n.prefix + "[" + strings.Join(all, ", ") + "]"
	}
	return n.prefix + "{" + strings.Join(all, ", ") + "}"
}

var plainKey = regexp.MustCompile(`^[\pL_][\pL\pN_.-]*$`)

func keyText(key string, flow bool) string {
	if plainKey.MatchString(key) || key != "" && isSpecial(key) && !strings.ContainsAny(key, "<~:,[]{}") {
		return key
	}
	return Quote(key)
}

// scalarText writes a text with quotes where YAML needs them.
func scalarText(n *layout, flow bool) string {
	if special(n.text) {
		if n.quoted || n.text == "" {
			return Quote(n.text)
		}
		return n.text
	}
	if needsNoQuotes(n.text, flow) {
		return n.text
	}
	return Quote(n.text)
}

// special reports whether a text means something else, or may to other readers of YAML, where it stands without quotes.
func special(text string) bool { return isSpecial(text) || elsewhere.MatchString(text) }

func isSpecial(text string) bool {
	return text == "" || token.New(text, text, nil).Type != token.StringType
}

// elsewhere is what YAML 1.1 takes for a truth value, a number or a date.
var elsewhere = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|[-+]?[0-9.][0-9_:.eExXoTtZz+-]*)$`)

func needsNoQuotes(text string, flow bool) bool {
	if text == "" || strings.TrimSpace(text) != text || !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if !printable(r) {
			return false
		}
	}
	if strings.ContainsRune(",[]{}#&*!|>'\"%@`=", rune(text[0])) || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
		return false
	}
	if strings.ContainsRune("-?:", rune(text[0])) && (len(text) == 1 || text[1] == ' ' || flow) {
		return false
	}
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.Contains(text, " #") {
		return false
	}
	if flow && strings.ContainsAny(text, ",[]{}:") {
		return false
	}
	return readsAs(text, flow)
}

// printable reports whether a character can be seen, or joins others that can.
func printable(r rune) bool { return unicode.IsPrint(r) || r == '\u200c' || r == '\u200d' }

// readsAs asks the parser itself.
func readsAs(text string, flow bool) bool {
	line := "k: " + text
	if flow {
		line = "k: [" + text + ", " + text + "]"
	}
	f, err := parseYAML(line)
	if err != nil || len(f.Docs) != 1 {
		return false
	}
	is := func(n ast.Node) bool { s, ok := n.(*ast.StringNode); return ok && s.Value == text }
	var value ast.Node
	switch b := f.Docs[0].Body.(type) {
	case *ast.MappingNode:
		if len(b.Values) == 1 {
			value = b.Values[0].Value
		}
	case *ast.MappingValueNode:
		value = b.Value
	}
	if !flow {
		return is(value)
	}
	s, ok := value.(*ast.SequenceNode)
	return ok && len(s.Values) == 2 && is(s.Values[0]) && is(s.Values[1])
}

// Quote puts a text in the quotes of YAML: single ones where they spare escapes.
func Quote(text string) string {
	simple := !strings.ContainsFunc(text, func(r rune) bool { return !printable(r) }) && utf8.ValidString(text)
	if simple && strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case printable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
