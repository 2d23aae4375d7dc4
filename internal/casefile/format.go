package casefile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/deed-dev/deed"
)

// Format writes a YAML file in canonical form. What [Parse] reads from it is what it reads from the original; its comments, the blank
// lines between its steps and keys it does not know are kept. A file that is not YAML, or whose layout cannot be kept, is complained
// about, and nothing is returned.
func Format(name string, data []byte) ([]byte, []Problem) {
	src := newSource(name, data)
	docs := src.yaml()
	for _, d := range docs {
		if d.kind != mapping && len(src.problems) == 0 {
			src.complain(d.pos, "a case begins with deed: 1 and case: its-id", "a case is a mapping, this is %s", d.kind)
		}
	}
	if len(src.problems) > 0 {
		return nil, src.problems
	}
	if i := strings.IndexByte(src.text, '\r'); i >= 0 {
		src.complain(src.at(i), "end lines with a line feed", "a carriage return stands alone")
		return nil, src.problems
	}
	for _, careful := range []bool{false, true} {
		out, at, err := src.canonical(careful)
		if err == nil {
			err = src.same(out)
		}
		if err == nil {
			return []byte(out), nil
		}
		if careful {
			src.complain(deed.Pos{Line: at, Column: 1}, "", "%w", err)
		}
	}
	return nil, src.problems
}

// A piece is what stands between two markers of documents.
type piece struct {
	section
	marked bool // by --- above it
	empty  bool // it holds no document, only comments
}

func (s *source) pieces() []piece {
	var out []piece
	cur := piece{empty: true}
	flush := func(next piece) {
		if !cur.empty || cur.marked || slices.ContainsFunc(cur.lines, func(l string) bool { return strings.TrimSpace(l) != "" }) {
			out = append(out, cur)
		}
		cur = next
	}
	for i, line := range s.lines {
		switch {
		case isMarker(line, "---"):
			flush(piece{section{i, []string{"   " + line[3:]}}, true, blankOrComment(line[3:])})
		case isMarker(line, "..."):
			flush(piece{section{i, []string{""}}, false, true})
		default:
			cur.lines = append(cur.lines, line)
			cur.empty = cur.empty && blankOrComment(line)
		}
	}
	flush(piece{})
	return out
}

func isMarker(line, m string) bool {
	rest, ok := strings.CutPrefix(line, m)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func blankOrComment(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || t[0] == '#' || t[0] == '%'
}

// canonical writes the documents one after another; at is the line of the one that cannot be.
func (s *source) canonical(careful bool) (out string, at int, err error) {
	w := writer{careful: careful}
	documents := 0
	for _, p := range s.pieces() {
		if p.marked || documents > 0 && !p.empty {
			w.line("---", "")
		}
		if p.empty {
			for i, l := range p.lines {
				if l = strings.TrimSpace(l); i > 0 || l != "" { // the first is what stood behind the marker
					w.line(l, "")
				}
			}
			continue
		}
		root, err := arrange(p.section)
		if err != nil {
			return "", p.first + 1, err
		}
		if !anchored(root) {
			order(root, placeDocument)
		}
		w.document(root)
		documents++
	}
	return w.text(), 1, nil
}

// anchored reports whether a value has a name, by which another may stand for it: it has to stay before that.
func anchored(n *layout) bool {
	if n.prefix != "" && strings.Contains(n.prefix, "&") {
		return true
	}
	return slices.ContainsFunc(n.entries, func(p *part) bool { return anchored(p.value) })
}

// same reports whether another text says the same, with the same comments.
func (s *source) same(text string) error {
	other := newSource(s.name, []byte(text))
	a, b := newSource(s.name, []byte(s.text)).yaml(), other.yaml()
	if len(other.problems) > 0 || len(a) != len(b) {
		return errLayout
	}
	for i := range a {
		if !equal(a[i].node, b[i].node) {
			return errLayout
		}
	}
	if !slices.Equal(remarks(s), remarks(other)) {
		return errLayout
	}
	return nil
}

// remarks lists the comments of a file, in an order of their own.
func remarks(s *source) []string {
	var out []string
	for _, p := range s.pieces() {
		if p.empty {
			for _, l := range p.lines {
				if t := strings.TrimSpace(l); t != "" {
					out = append(out, t)
				}
			}
			continue
		}
		for _, t := range lexer.Tokenize(strings.Join(p.lines, "\n")) {
			if t.Type == token.CommentType {
				out = append(out, "#"+strings.TrimRight(t.Value, " \t\r"))
			}
		}
	}
	slices.Sort(out)
	return out
}

// equal reports whether two values say the same to a reader: keys in any order, a text quoted or not.
func equal(a, b *node) bool {
	if a.kind != b.kind || len(a.fields) != len(b.fields) || len(a.items) != len(b.items) {
		return false
	}
	for _, f := range a.fields {
		g, ok := b.field(f.key)
		if !ok || !equal(f.value, g.value) {
			return false
		}
	}
	for i := range a.items {
		if !equal(a.items[i], b.items[i]) {
			return false
		}
	}
	return a.text == b.text && a.absent == b.absent && (a.quoted == b.quoted || !special(a.text))
}

// layoutOf gives a value that was not read from YAML a layout.
func layoutOf(n *node) *layout {
	out := &layout{kind: n.kind, text: n.text, quoted: n.quoted, absent: n.absent}
	out.literal = n.kind == scalar && strings.Contains(n.text, "\n")
	for _, f := range n.fields {
		out.entries = append(out.entries, &part{key: f.key, value: layoutOf(f.value)})
	}
	for _, i := range n.items {
		out.entries = append(out.entries, &part{value: layoutOf(i)})
	}
	out.flow = n.kind != scalar
	return out
}

// FormatAs writes the cases of a file that is not YAML as YAML: what it was read as.
func FormatAs(name string, data []byte) ([]byte, []Problem) {
	src := newSource(name, data)
	docs := src.documents()
	if len(src.problems) > 0 {
		return nil, src.problems
	}
	if len(docs) == 0 {
		src.complain(deed.Pos{Line: 1, Column: 1}, "", "the file holds no case")
		return nil, src.problems
	}
	for _, careful := range []bool{false, true} {
		if text := asYAML(docs, careful); readsBack(name, text, docs) {
			return []byte(text), nil
		}
	}
	src.complain(docs[0].pos, "", "%w", fmt.Errorf("this cannot be written as YAML"))
	return nil, src.problems
}

// asYAML writes documents one after another.
func asYAML(docs []document, careful bool) string {
	w := writer{careful: careful}
	for i, d := range docs {
		if i > 0 {
			w.line("---", "")
		}
		root := layoutOf(d.node)
		order(root, placeDocument)
		w.document(root)
	}
	return w.text()
}

func readsBack(name, text string, docs []document) bool {
	back := newSource(name+".yaml", []byte(text)).yaml()
	return slices.EqualFunc(docs, back, func(a, b document) bool { return equal(a.node, b.node) })
}

// Formattable lists the YAML files of a path: itself, or what a folder holds of cases and fragments. Hidden folders and node_modules are
// passed over.
func Formattable(path string) (files []string, problems []Problem) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, []Problem{{Pos: deed.Pos{File: path}, Err: invalid("%w", bare(err))}}
	case info.IsDir():
		files, problems = walk(path, []string{".deed.yaml", ".deed.yml", ".fragment.yaml"})
		if len(files) == 0 && len(problems) == 0 {
			problems = []Problem{{Pos: deed.Pos{File: path}, Err: invalid("no case file in this folder"), Hint: "case files are named *.deed.yaml"}}
		}
		return files, problems
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return []string{path}, nil
	}
	return nil, []Problem{{Pos: deed.Pos{File: path}, Err: invalid("only YAML has a canonical form"), Hint: "deed fmt --to yaml " + path}}
}

// ReadFile reads a case file, which is regular and not larger than [MaxFile].
func ReadFile(file string) ([]byte, *Problem) {
	data, err := read(file)
	if err != nil {
		return nil, &Problem{Pos: deed.Pos{File: file}, Err: invalid("%w", err)}
	}
	return data, nil
}
