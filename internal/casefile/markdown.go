package casefile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// markdown reads cases in Markdown: a heading is a case, `- key: value` says something about it, every other list item is
// a step in words, in English, Chinese or Spanish, or in backquotes the step as YAML. It becomes the same tree as YAML, so
// that everything behind is one. Quotations and comments are for people; any other text is a mistake.
func (s *source) markdown() []document {
	if !s.isText() {
		return nil
	}
	m := &mdReader{source: s}
	fence := ""
	for i, line := range s.lines {
		m.line, m.at = i, 0
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "" {
				fence = ""
			}
		case m.comment:
			m.comment = !strings.Contains(text, "-->")
		case text == "", strings.HasPrefix(text, ">"), strings.Trim(text, "-") == "" && len(text) >= 3:
		case strings.HasPrefix(text, "<!--"):
			m.comment = !strings.Contains(text, "-->")
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
			m.complain(m.pos(0), "a step that is written as YAML stands in a list item, in backquotes", "a code block has no meaning in a case")
		case strings.HasPrefix(text, "#"):
			m.heading(text)
		default:
			m.itemOrText(line)
		}
	}
	m.finish()
	return m.docs
}

type mdReader struct {
	*source
	docs    []document
	doc     *node
	steps   *node // where list items go
	before  int   // complaints when the case began
	line    int   // from 0
	at      int
	comment bool
}

// pos is the position of a byte of the current line.
func (m *mdReader) pos(offset int) deed.Pos {
	line := m.lines[m.line]
	return m.clamp(deed.Pos{Line: m.line + 1, Column: 1 + utf8.RuneCountInString(line[:min(offset, len(line))])})
}

// find is the position of a piece of the current line.
func (m *mdReader) find(piece string) deed.Pos {
	return m.pos(max(strings.Index(m.lines[m.line], piece), 0))
}

func put(n *node, key string, at deed.Pos, v *node) int {
	return n.add(field{key: key, pos: at, value: v})
}

func words(at deed.Pos, text string) *node { return &node{pos: at, text: text, quoted: true} }

// sections of a case, by the words of their headings.
var mdSections = map[string]string{
	"steps": "steps", "步骤": "steps", "pasos": "steps",
	"teardown": "teardown", "clean up": "teardown", "cleanup": "teardown", "清理": "teardown", "limpieza": "teardown",
}

func (m *mdReader) heading(text string) {
	title := strings.TrimSpace(strings.Trim(strings.TrimLeft(text, "#"), " \t"))
	level := len(text) - len(strings.TrimLeft(text, "#"))
	at := m.find(title)
	if level > 1 && m.doc != nil {
		key := mdSections[strings.ToLower(strings.TrimSuffix(title, ":"))]
		if key == "" {
			m.complain(at, "## Steps or ## Teardown; a case begins with # its title", "the heading %q has no meaning inside a case", title)
			return
		}
		m.section(key, at)
		return
	}
	if level > 1 {
		m.complain(at, "# Its title", "a case begins with a heading of the first level")
		return
	}
	m.finish()
	if title == "" {
		m.complain(at, "# Its title", "the heading of the case is empty")
		return
	}
	m.before = len(m.problems)
	m.doc = &node{kind: mapping, pos: at}
	put(m.doc, "deed", at, &node{pos: at, text: fmt.Sprint(deed.Format)})
	put(m.doc, "title", at, words(at, strings.ReplaceAll(title, "${", "$${")))
}

func (m *mdReader) section(key string, at deed.Pos) {
	if f, ok := m.doc.field(key); ok {
		m.steps = f.value
		return
	}
	m.steps = &node{kind: list, pos: at}
	put(m.doc, key, at, m.steps)
}

// finish ends a case: its id is made from its title where it says none.
func (m *mdReader) finish() {
	if m.doc == nil {
		return
	}
	if _, ok := m.doc.field("case"); !ok {
		title, _ := m.doc.field("title")
		if id := slug(title.value.text); deed.ValidCaseID(id) {
			put(m.doc, "case", title.pos, words(title.value.pos, id))
		} else {
			m.complain(title.value.pos, "- id: add-to-cart", "no id can be made of the title %q", title.value.text)
		}
	}
	// As a case file has it: the id before the title.
	slices.SortStableFunc(m.doc.fields, func(a, b field) int {
		return slices.Index(caseKeys, a.key) - slices.Index(caseKeys, b.key)
	})
	m.docs = append(m.docs, document{m.doc, len(m.problems) > m.before})
	m.doc, m.steps = nil, nil
}

// slug makes an id of a title: what is neither a letter nor a digit becomes a hyphen.
func slug(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case unicode.IsLetter(c):
			return "" // letters left out would leave a word that nobody wrote
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

var (
	mdItem = regexp.MustCompile(`^\s*(?:[-*+]|[0-9]+[.)、])\s*(.*\S)\s*$`)
	mdKey  = regexp.MustCompile(`^([A-Za-z_]+)\s*[:：]\s*(.*)$`)
	// mdKeys are other names of a case's keys.
	mdKeys = map[string]string{"id": "case", "url": "start", "tag": "tags", "secret": "secrets"}
)

func (m *mdReader) itemOrText(line string) {
	item := mdItem.FindStringSubmatchIndex(line)
	if item == nil {
		m.complain(m.find(strings.TrimSpace(line)), "a step is a list item, a note begins with >", "this line is neither a step nor a heading")
		return
	}
	text := line[item[2]:item[3]]
	if m.doc == nil {
		m.complain(m.pos(item[2]), "# Its title", "a case begins with a heading")
		return
	}
	if m.steps == nil {
		if k := mdKey.FindStringSubmatchIndex(text); k != nil {
			key := text[k[2]:k[3]]
			name := key
			if other := mdKeys[strings.ToLower(key)]; other != "" {
				name = other
			}
			if _, isStep := parseWords(text); !isStep || slices.Contains(caseKeys, name) {
				m.meta(name, m.pos(item[2]), text[k[4]:k[5]], item[2]+k[4])
				return
			}
		}
		m.section("steps", m.pos(item[2]))
	}
	if n := m.step(text, item[2]); n != nil {
		m.steps.items = append(m.steps.items, n)
	}
}

// listKeys are the keys whose values are lists: in Markdown, with commas between.
var listKeys = []string{"origins", "secrets", "tags", "requires", "depends_on"}

// meta reads `- key: value`. A value in brackets or braces is YAML; any other is a text.
func (m *mdReader) meta(key string, at deed.Pos, value string, offset int) {
	var v *node
	switch {
	case strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{"):
		if v = m.inlineYAML(value, offset); v == nil {
			return
		}
	case slices.Contains(listKeys, key):
		v = &node{kind: list, pos: m.pos(offset)}
		rest := offset
		for _, part := range strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == '，' || c == '、' }) {
			if t := strings.TrimSpace(part); t != "" {
				i := rest + strings.Index(m.lines[m.line][rest:], t)
				v.items = append(v.items, words(m.pos(i), t))
				rest = i + len(t)
			}
		}
	default:
		v = &node{pos: m.pos(offset), text: unquote(value), absent: value == ""}
	}
	if line := put(m.doc, key, at, v); line != 0 && !m.pointers {
		if key == "title" { // what the heading says is for people
			for i := range m.doc.fields {
				if m.doc.fields[i].key == key {
					m.doc.fields[i].value = v
				}
			}
			return
		}
		m.complain(at, "", "the key %q is given twice, first at line %d", key, line)
	}
}

// inlineYAML reads a piece of the current line as YAML, at its own place.
func (m *mdReader) inlineYAML(text string, offset int) *node {
	indent := utf8.RuneCountInString(m.lines[m.line][:offset])
	return m.yamlDocument(section{first: m.line, lines: []string{strings.Repeat(" ", indent) + text}})
}

func (m *mdReader) step(text string, offset int) *node {
	if inner, ok := strings.CutPrefix(text, "`"); ok && strings.HasSuffix(inner, "`") && len(inner) > 1 {
		return m.inlineYAML(strings.TrimRight(inner, "`"), offset+1)
	}
	w, ok := parseWords(text)
	if !ok {
		hint := `Click button "Save"; Type "x" into textbox "Name"; Select "M" in combobox "Size"; Scroll down; Wait 500 ms; GET URL expect 200; Assert text "Saved"`
		first, _, _ := strings.Cut(text, " ")
		if near := deed.Suggest(strings.ToLower(first), []string{"click", "type", "select", "scroll", "wait", "assert", "press", "check", "uncheck", "hover", "open"}); near != "" && near != strings.ToLower(first) {
			hint = fmt.Sprintf("did you mean %q?", strings.ToUpper(near[:1])+near[1:])
		}
		m.complain(m.pos(offset), hint, "this is no step: %s", clipText(text))
		return nil
	}
	if w.form.why != "" {
		m.complain(m.pos(offset), w.form.why, "this cannot be told of a text alone")
		return nil
	}
	return w.node(m, offset)
}

func clipText(s string) string {
	if utf8.RuneCountInString(s) > 60 {
		return string([]rune(s)[:59]) + "…"
	}
	return s
}
