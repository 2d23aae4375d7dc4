package casefile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/deed-dev/deed"
)

// yaml reads the documents of the file. They are parsed one by one, so that a syntax error in one does not
// hide the others, and so that none is lost: the parser ends a stream at an empty document.
func (s *source) yaml() []document {
	if !s.isText() {
		return nil
	}
	var docs []document
	for _, d := range s.sections() {
		before := len(s.problems)
		if n := s.yamlDocument(d); n != nil {
			docs = append(docs, document{n, len(s.problems) > before})
		}
	}
	return docs
}

// A section is lines first … first+len(lines)-1 of the file, counted from 0.
type section struct {
	first int
	lines []string
}

// sections splits the text at its document markers. A line that begins with --- is one wherever it
// stands, inside a block text too (YAML 1.2, 9.1.2).
func (s *source) sections() []section {
	var out []section
	cur := section{}
	flush := func() {
		for _, l := range cur.lines {
			if t := strings.TrimSpace(l); t != "" && t[0] != '#' && t[0] != '%' {
				out = append(out, cur)
				return
			}
		}
	}
	marker := func(line, m string) bool {
		rest, ok := strings.CutPrefix(line, m)
		return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
	}
	for i, line := range s.lines {
		switch {
		case marker(line, "---"):
			flush()
			cur = section{first: i, lines: []string{"   " + line[3:]}}
		case marker(line, "..."):
			flush()
			cur = section{first: i, lines: []string{""}}
		default:
			cur.lines = append(cur.lines, line)
		}
	}
	flush()
	return out
}

func (s *source) yamlDocument(d section) *node {
	r := yamlReader{source: s, first: d.first, anchors: map[string]*node{}}
	text := strings.Join(d.lines, "\n")
	if line, ok := tooDeep(d.lines); !ok {
		s.complain(deed.Pos{Line: d.first + line + 1, Column: 1}, "", "%w", errDeep)
		return nil
	}
	file, err := parseYAML(text)
	if err != nil {
		r.syntax(err)
		return nil
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		s.complain(deed.Pos{Line: d.first + 1, Column: 1}, "", "this document cannot be read as YAML")
		return nil
	}
	n := r.node(file.Docs[0].Body, 0)
	if r.unreadable {
		return nil
	}
	return n
}

// parseYAML turns a panic of the parser into an error: what a person wrote must never end the program.
func parseYAML(text string) (f *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this cannot be read as YAML: %v", r)
		}
	}()
	return parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
}

// tooDeep estimates nesting before the recursive parser sees the text. It counts brackets inside texts too,
// which only matters beyond anything a case file holds.
func tooDeep(lines []string) (line int, ok bool) {
	depth := 0
	for i, l := range lines {
		words := 0
		for _, w := range strings.Fields(l) {
			if w == "-" || w == "?" || w[0] == '!' || w[0] == '&' {
				words++
			}
		}
		for _, c := range l {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			if depth > 4*maxDepth {
				return i, false
			}
		}
		if words > 4*maxDepth {
			return i, false
		}
	}
	return 0, true
}

type yamlReader struct {
	*source
	first   int
	anchors map[string]*node

	unreadable bool // a value stands for something this reader does not know: what follows from it is no complaint
}

func (r *yamlReader) refuse(at deed.Pos, hint, format string, args ...any) *node {
	r.unreadable = true
	r.complain(at, hint, format, args...)
	return &node{}
}

func (r *yamlReader) pos(t *token.Token) deed.Pos {
	if t == nil || t.Position == nil {
		return r.clamp(deed.Pos{Line: r.first + 1, Column: 1})
	}
	return r.clamp(deed.Pos{Line: r.first + t.Position.Line, Column: t.Position.Column})
}

// syntax reports what the parser refused, with a hint for the mistakes that YAML makes easy.
func (r *yamlReader) syntax(err error) {
	var e *yaml.SyntaxError
	if !errors.As(err, &e) {
		msg, _, _ := strings.Cut(err.Error(), "\n")
		r.complain(deed.Pos{Line: r.first + 1, Column: 1}, "", "%s", msg)
		return
	}
	at := r.pos(e.Token)
	line := r.lines[at.Line-1]
	hint := ""
	switch {
	case strings.Contains(line, "${") && strings.ContainsAny(line, "[{"):
		hint = `inside { } and [ ] a variable needs quotes: "${NAME}"`
	case strings.Contains(e.Message, "reserved character"):
		hint = "put the text in quotes"
	case strings.Contains(e.Message, "tab character"), strings.Contains(e.Message, "'\t'"):
		hint = "indent with spaces"
	case strings.Contains(e.Message, "mapping value is not allowed"):
		hint = `put a text that holds ": " in quotes`
	}
	r.complain(at, hint, "%s", e.Message)
}

func (r *yamlReader) node(n ast.Node, depth int) *node {
	if depth > maxDepth {
		return r.refuse(r.pos(n.GetToken()), "", "%w", errDeep)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		out := &node{kind: mapping, pos: r.pos(n.Start)}
		for _, v := range n.Values {
			r.entry(out, v, depth)
		}
		if !n.IsFlowStyle && len(out.fields) > 0 {
			out.pos = out.fields[0].pos
		}
		return out
	case *ast.MappingValueNode:
		out := &node{kind: mapping, pos: r.pos(n.Key.GetToken())}
		r.entry(out, n, depth)
		return out
	case *ast.SequenceNode:
		out := &node{kind: list, pos: r.pos(n.Start)}
		for _, v := range n.Values {
			out.items = append(out.items, r.node(v, depth+1))
		}
		return out
	case *ast.AnchorNode:
		out := r.node(n.Value, depth+1)
		if n.Name != nil {
			r.anchors[n.Name.GetToken().Value] = out
		}
		return out
	case *ast.AliasNode:
		name := ""
		if n.Value != nil {
			name = n.Value.GetToken().Value
		}
		if out, ok := r.anchors[name]; ok {
			return out
		}
		return r.refuse(r.pos(n.Start), "the anchor &"+name+" comes first, and does not contain its own alias", "unknown anchor %q", name)
	case *ast.TagNode:
		out := r.node(n.Value, depth+1)
		if tag := n.Start.Value; tag != "!!str" || out.kind != scalar {
			return r.refuse(r.pos(n.Start), "", "the tag %s has no meaning in a case file", tag)
		}
		text := *out
		text.quoted = true
		return &text
	case *ast.LiteralNode:
		return &node{pos: r.pos(n.Start), text: n.Value.Value, quoted: true}
	case *ast.StringNode:
		t := n.GetToken()
		quoted := t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		return &node{pos: r.pos(t), text: n.Value, quoted: quoted}
	case *ast.NullNode:
		t := n.GetToken()
		if t.Type == token.ImplicitNullType {
			return &node{pos: r.pos(t), absent: true}
		}
		return &node{pos: r.pos(t), text: t.Value}
	case ast.ScalarNode:
		t := n.GetToken()
		return &node{pos: r.pos(t), text: t.Value}
	}
	return r.refuse(r.pos(n.GetToken()), "", "%s has no meaning in a case file", strings.ToLower(n.Type().String()))
}

// entry adds one key and its value to a mapping.
func (r *yamlReader) entry(out *node, v *ast.MappingValueNode, depth int) {
	at := r.pos(v.Key.GetToken())
	var key string
	switch k := v.Key.(type) {
	case *ast.MergeKeyNode:
		r.complain(at, "write the keys out", "merge keys have no meaning in a case file")
		return
	case *ast.StringNode:
		key = k.Value
	case *ast.MappingKeyNode:
		at = r.pos(k.Start)
		inner, ok := k.Value.(*ast.StringNode)
		if !ok {
			r.complain(at, "", "a key must be a word")
			return
		}
		key = inner.Value
	case ast.ScalarNode:
		key = v.Key.GetToken().Value
	default:
		r.complain(at, "", "a key must be a word")
		return
	}
	value := &node{absent: true, pos: at}
	if v.Value != nil {
		value = r.node(v.Value, depth+1)
	}
	if value.absent {
		value.pos = at
	}
	if line := out.add(field{key: key, pos: at, value: value}); line != 0 {
		r.complain(at, "", "the key %q is given twice, first at line %d", key, line)
	}
}
