package casefile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// A source is the text of one file and the complaints about it.
type source struct {
	name     string
	text     string
	lines    []string
	starts   []int // where each line begins in text
	widths   []int // characters of each line
	problems []Problem

	pointers bool // positions are JSON pointers into what an address answered: its lines are nobody's file

	lastOffset, lastColumn int // what at answered last
}

func newSource(name string, data []byte) *source {
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	s := &source{name: name, text: text, lines: strings.Split(text, "\n"), lastColumn: 1}
	offset := 0
	for _, l := range s.lines {
		s.starts = append(s.starts, offset)
		s.widths = append(s.widths, utf8.RuneCountInString(l))
		offset += len(l) + 1
	}
	return s
}

// complain records a problem that the reader of the file found.
func (s *source) complain(at deed.Pos, hint, format string, args ...any) {
	s.report(at, hint, invalid(format, args...))
}

// report records a problem; the hint of err counts where none is given.
func (s *source) report(at deed.Pos, hint string, err error) {
	if hint == "" {
		hint = deed.HintOf(err)
	}
	s.problems = append(s.problems, Problem{Pos: s.clamp(at), Err: err, Hint: hint})
}

// clamp keeps a position inside the file: parsers point one past the end, or at line 0, for what is missing.
func (s *source) clamp(p deed.Pos) deed.Pos {
	if s.pointers {
		if p.File == "" {
			p.File = s.name
		}
		return deed.Pos{File: p.File}
	}
	p.File = s.name
	p.Line = min(max(p.Line, 1), len(s.lines))
	p.Column = min(max(p.Column, 1), s.widths[p.Line-1]+1)
	return p
}

// isText complains about a file in another encoding: what is wrong in it would be read as something that nobody wrote.
func (s *source) isText() bool {
	if utf8.ValidString(s.text) {
		return true
	}
	at := 0
	for at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	pos := deed.Pos{}
	if !s.pointers {
		pos = s.at(at)
	}
	s.complain(pos, "save it as UTF-8", "this is not UTF-8")
	return false
}

// at turns a byte offset of the text into a position; columns count characters. It goes on from the last
// offset asked for, so that a file of one long line is read in linear time.
func (s *source) at(offset int) deed.Pos {
	offset = min(max(offset, 0), len(s.text))
	line, exact := slices.BinarySearch(s.starts, offset)
	if !exact {
		line--
	}
	from, column := s.starts[line], 1
	if s.lastOffset >= from && s.lastOffset <= offset {
		from, column = s.lastOffset, s.lastColumn
	}
	s.lastOffset, s.lastColumn = offset, column+utf8.RuneCountInString(s.text[from:offset])
	return deed.Pos{File: s.name, Line: line + 1, Column: s.lastColumn}
}

// within finds a piece of a scalar that begins at p, on the same line; p itself where it is not there as
// written (an escape, a text of several lines).
func (s *source) within(p deed.Pos, piece string) deed.Pos {
	if p.Line < 1 || p.Line > len(s.lines) {
		return p
	}
	line := s.lines[p.Line-1]
	start := 0
	for col := 1; col < p.Column && start < len(line); col++ {
		_, n := utf8.DecodeRuneInString(line[start:])
		start += n
	}
	i := strings.Index(line[start:], piece)
	if i < 0 {
		return p
	}
	p.Column += utf8.RuneCountInString(line[start : start+i])
	return p
}

// A node is one value of the file, free of the syntax it was written in.
type node struct {
	kind   nodeKind
	pos    deed.Pos
	text   string         // scalar: what was written, without quotes, or the text that the quotes hold
	quoted bool           // scalar: it was written as a text, so it is no number, no null
	absent bool           // scalar: nothing stands after the key
	fields []field        // mapping, in the order of the file
	lines  map[string]int // mapping: the line of each key
	items  []*node        // list
}

type field struct {
	key   string
	pos   deed.Pos
	value *node
}

type nodeKind int

const (
	scalar nodeKind = iota
	mapping
	list
)

// String says what kind of value stands there.
func (k nodeKind) String() string {
	return [...]string{"a text", "a mapping", "a list"}[k]
}

// add puts a key into a mapping; it returns the line where the key is already, or 0.
func (n *node) add(f field) (twice int) {
	if line, ok := n.lines[f.key]; ok {
		return max(line, 1)
	}
	if n.lines == nil {
		n.lines = map[string]int{}
	}
	n.lines[f.key] = f.pos.Line
	n.fields = append(n.fields, f)
	return 0
}

// field returns the value of a key.
func (n *node) field(key string) (field, bool) {
	for _, f := range n.fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// A document is the value of one case. Flawed, a complaint about its syntax has been made already: what can be
// read is checked, but it is no case.
type document struct {
	*node
	flawed bool
}

// maxDepth bounds nesting: the form needs six levels, and the YAML parser is recursive.
const maxDepth = 64

var errDeep = fmt.Errorf("nested more than %d levels deep", maxDepth)
