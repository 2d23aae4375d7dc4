package casefile

import (
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// A layout is one value of a file with what a reader does not need and a person does: comments, blank lines, how it was written.
type layout struct {
	kind    nodeKind
	text    string
	quoted  bool // as in node
	absent  bool
	literal bool     // scalar: it stands in a block, behind |
	folded  []string // scalar: the lines of the block behind >, the header first
	prefix  string   // an anchor, a tag
	alias   string   // scalar: the name of what it stands for
	flow    bool     // it stands between brackets
	end     mark     // where they close
	entries []*part
	above   []string // document: comments at its top
	foot    []string // comments behind the last entry
}

// A part is an entry of a mapping, or an item of a list.
type part struct {
	key   string
	value *layout
	at    mark
	head  []string // comments above it; "" is a blank line
	tail  string   // the comment behind it
}

// A mark is a place in a document, from 1.
type mark struct{ line, col int }

func (m mark) before(o mark) bool { return m.line < o.line || m.line == o.line && m.col < o.col }

func markOf(t *token.Token) mark {
	if t == nil || t.Position == nil {
		return mark{}
	}
	return mark{t.Position.Line, t.Position.Column}
}

// errLayout says that a document holds something that its layout cannot.
var errLayout = errors.New("this cannot be written in canonical form; write it more plainly")

// arrange makes the layout of a document that has been read without a complaint.
func arrange(d section) (*layout, error) {
	text := strings.Join(d.lines, "\n")
	file, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, errLayout
	}
	a := arranger{lines: d.lines}
	root := a.value(file.Docs[0].Body)
	if a.err != nil {
		return nil, a.err
	}
	a.blanks(root, 0)
	if err := a.comments(root, text); err != nil {
		return nil, err
	}
	settle(root)
	if len(root.entries) > 0 {
		root.above, root.entries[0].head = ofDocument(root.entries[0].head)
	}
	return root, nil
}

// ofDocument divides what stands above the first key into what is of the document, wherever that key goes, and what is of the key: the
// last paragraph, where there is more than one.
func ofDocument(head []string) (above, own []string) {
	n := len(head)
	for i := n - 2; i >= 0; i-- {
		if head[i] == "" && slices.ContainsFunc(head[:i], func(c string) bool { return c != "" }) && head[n-1] != "" {
			return head[:i+1], head[i+1:]
		}
	}
	return head, nil
}

type arranger struct {
	lines []string
	err   error
}

func (a *arranger) value(n ast.Node) *layout {
	switch n := n.(type) {
	case *ast.MappingNode:
		out := &layout{kind: mapping, flow: n.IsFlowStyle, end: markOf(n.End)}
		for _, v := range n.Values {
			out.entries = append(out.entries, a.entry(v))
		}
		out.flow = out.flow || len(out.entries) == 0
		return out
	case *ast.MappingValueNode:
		return &layout{kind: mapping, entries: []*part{a.entry(n)}}
	case *ast.SequenceNode:
		out := &layout{kind: list, flow: n.IsFlowStyle || len(n.Values) == 0, end: markOf(n.End)}
		for i, v := range n.Values {
			p := &part{value: a.value(v), at: markOf(v.GetToken())}
			if !n.IsFlowStyle && i < len(n.Entries) && n.Entries[i] != nil && n.Entries[i].Start != nil {
				p.at = markOf(n.Entries[i].Start)
			}
			out.entries = append(out.entries, p)
		}
		return out
	case *ast.AnchorNode:
		out := a.value(n.Value)
		if n.Name != nil {
			out.prefix = "&" + n.Name.GetToken().Value + " " + out.prefix
		}
		return out
	case *ast.AliasNode:
		if n.Value == nil {
			a.err = errLayout
			return &layout{}
		}
		return &layout{alias: n.Value.GetToken().Value}
	case *ast.TagNode:
		out := a.value(n.Value)
		out.prefix = n.Start.Value + " " + out.prefix
		return out
	case *ast.LiteralNode:
		out := &layout{text: n.Value.Value, quoted: true, literal: true}
		if head := n.Start.Value; strings.HasPrefix(head, ">") {
			out.folded = a.fold(head, n.Start.Position.Line)
		}
		return out
	case *ast.StringNode:
		t := n.GetToken()
		return &layout{text: n.Value, quoted: t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType}
	case *ast.NullNode:
		t := n.GetToken()
		return &layout{text: t.Value, absent: t.Type == token.ImplicitNullType}
	case ast.ScalarNode:
		return &layout{text: n.GetToken().Value}
	}
	a.err = errLayout
	return &layout{}
}

func (a *arranger) entry(v *ast.MappingValueNode) *part {
	p := &part{at: markOf(v.Key.GetToken()), value: &layout{absent: true}}
	var key ast.Node = v.Key
	if k, ok := v.Key.(*ast.MappingKeyNode); ok {
		p.at, key = markOf(k.Start), k.Value
	}
	switch k := key.(type) {
	case *ast.StringNode:
		p.key = k.Value
	case ast.ScalarNode:
		p.key = k.GetToken().Value
	default:
		a.err = errLayout
	}
	if v.Value != nil {
		p.value = a.value(v.Value)
	}
	return p
}

// fold takes the lines of a folded block, without their indentation; nil where they do not say what its text is by themselves.
func (a *arranger) fold(head string, line int) []string {
	if head != ">" && head != ">-" {
		return nil
	}
	out := []string{head}
	indent := -1
	for _, l := range a.lines[min(line, len(a.lines)):] {
		rest := strings.TrimLeft(l, " ")
		if rest == "" {
			out = append(out, "")
			continue
		}
		n := len(l) - len(rest)
		if indent < 0 {
			indent = n
		}
		if n < indent || indent == 0 {
			break
		}
		out = append(out, l[indent:])
	}
	for len(out) > 1 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	if len(out) == 1 {
		return nil
	}
	return out
}

// blank reports whether a line, from 1, is there and empty. The first is not: where a marker stood it is only empty by then.
func (a *arranger) blank(line int) bool {
	return line >= 2 && line <= len(a.lines) && strings.TrimSpace(a.lines[line-1]) == ""
}

// blanks notes which entries have a blank line above them. Taken is the line on which something outside of n stands already.
func (a *arranger) blanks(n *layout, taken int) {
	if n.flow {
		return
	}
	for _, p := range n.entries {
		if p.at.line != taken && a.blank(p.at.line-1) {
			p.head = []string{""}
		}
		taken = p.at.line
		a.blanks(p.value, taken)
	}
}

// comments puts the comments of the text where they belong.
func (a *arranger) comments(root *layout, text string) error {
	for _, t := range lexer.Tokenize(text) {
		if t.Type != token.CommentType {
			continue
		}
		m := markOf(t)
		if m.line < 1 || m.line > len(a.lines) {
			return errLayout
		}
		line, comment := a.lines[m.line-1], "#"+strings.TrimRight(t.Value, " \t\r")
		code, ok := strings.CutSuffix(strings.TrimRight(line, " \t\r"), comment)
		if !ok {
			return errLayout
		}
		m.col = len([]rune(code)) + 1
		if strings.TrimSpace(code) != "" {
			if p := root.owner(m); p != nil && p.tail == "" {
				p.tail = comment
				continue
			}
		}
		said := []string{comment}
		if a.blank(m.line - 1) {
			said = []string{"", comment}
		}
		in, i := root.place(m)
		if i == len(in.entries) {
			in.foot = append(in.foot, said...)
			continue
		}
		// The blank line directly above the entry stays the last.
		p := in.entries[i]
		var last []string
		if n := len(p.head); n > 0 && p.head[n-1] == "" {
			p.head, last = p.head[:n-1], []string{""}
		}
		p.head = append(append(p.head, said...), last...)
	}
	return nil
}

// owner is the entry behind which a comment stands.
func (n *layout) owner(m mark) *part {
	var p *part
	for _, x := range n.entries {
		if x.at.before(m) {
			p = x
		}
	}
	if p == nil {
		return nil
	}
	if v := p.value; v.kind != scalar && !(v.flow && v.end.before(m)) {
		if in := v.owner(m); in != nil {
			return in
		}
	}
	return p
}

// place is the entry above which a comment stands that has a line of its own; len(in.entries) is the end of it.
func (n *layout) place(m mark) (in *layout, i int) {
	for i < len(n.entries) && n.entries[i].at.before(m) {
		i++
	}
	if i == 0 {
		return n, 0
	}
	v := n.entries[i-1].value
	if v.kind == scalar || len(v.entries) == 0 {
		return n, i
	}
	if v.flow {
		if v.end.before(m) {
			return n, i
		}
		return v.place(m)
	}
	first, last := v.entries[0].at, v.entries[len(v.entries)-1]
	inside := m.before(last.at)
	deeper := m.col >= first.col && (first.col > n.entries[0].at.col || i == len(n.entries))
	if inside || deeper || last.value.open(m) {
		return v.place(m)
	}
	return n, i
}

// open reports whether the brackets of a value, or of the last value in it, close behind m.
func (n *layout) open(m mark) bool {
	if n.kind == scalar || len(n.entries) == 0 {
		return false
	}
	if n.flow {
		return m.before(n.end)
	}
	return n.entries[len(n.entries)-1].value.open(m)
}

// settle moves comments to where there is a line for them: what stands above the first key of an item stands above the item.
func settle(n *layout) {
	if len(n.entries) > 0 {
		for first := n.entries[0]; len(first.head) > 0 && first.head[0] == ""; {
			first.head = first.head[1:] // no blank line is the first
		}
	}
	for _, p := range n.entries {
		v := p.value
		if n.kind == list && v.kind == mapping && !v.flow && v.prefix == "" && len(v.entries) > 0 {
			if p.tail != "" {
				p.head, p.tail = append(p.head, p.tail), ""
			}
			first := v.entries[0]
			p.head = append(p.head, slices.DeleteFunc(first.head, func(s string) bool { return s == "" })...)
			first.head = nil
		}
		settle(v)
	}
}
