// Package snaptext writes a snapshot down as text that a person can read and edit, and reads it back.
//
// It is the notation of the fixtures: the tests of diff, locate, the judge and the loop are written in it.
//
//	url http://shop.example/shop
//	title Shop
//	doc D1
//	cart:
//	  listitem "T-shirt M" #12 row="T-shirt M 19 €"
//	    button "Remove" #13
//	dialog "Cookies" #20 modal
//	  checkbox "Ads" #21 states="unchecked"
//	iframe "Billing" #30
//	  frame f2 "Billing" http://pay.example/card
//	    textbox "Card" #1 value=""
//
// Indentation is the parent. A line is a role, perhaps a quoted name, #N (the element number), then words
// (any state, `sensitive`, `volatile`, `unseen`, `behind`, `container`, `plain`) and attributes (value, states, row, group, region, parent).
// `cart:` alone is a region that the page declares, the short form of `data-deed-region "cart"`; in front of a role it
// only repeats that node's label. The nearest container around a node gives its region. Landmarks, dialogs and
// declared regions are containers, as are lists, tables, groups and the like that have a name; `container` and
// `plain` say otherwise.
// A `frame ID "TITLE" URL` line (name=, doc=, origin=, parent= follow) opens a frame for the lines indented under it. The other head lines are
// number, incomplete, restless and script. A line that begins with `//` is a comment.
//
// Law of this package: it knows package deed alone, and no file, clock or browser.
package snaptext

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// MainFrame is the ID of the main frame of every parsed snapshot that names no other (`main ID`).
const MainFrame = "main"

// Declared is the role of a region that the page declares.
const Declared = "data-deed-region"

// heads are the head lines that hold one text, perhaps quoted.
var heads = []string{"url", "title", "main", "doc", "origin", "script", "incomplete"}

var (
	containers      = []string{Declared, "alertdialog", "banner", "complementary", "contentinfo", "dialog", "form", "main", "navigation", "region", "search"}
	namedContainers = []string{"article", "feed", "grid", "group", "list", "listbox", "log", "menu", "menubar", "radiogroup", "rowgroup", "table", "tablist", "tabpanel", "toolbar", "tree", "treegrid"}
)

// implied reports whether a node of this role and name is a container unless the text says otherwise.
func implied(role, name string) bool {
	return slices.Contains(containers, role) || name != "" && slices.Contains(namedContainers, role)
}

// Parse reads a snapshot. Its errors name the line.
func Parse(text string) (*deed.Snapshot, error) {
	p := &parser{s: &deed.Snapshot{Number: 1, Complete: true, Frames: []deed.Frame{{ID: MainFrame, Parent: -1}}}}
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	for _, l := range p.parents {
		at := p.frameByID(l.parent)
		if at < 0 {
			return nil, fmt.Errorf("frame %s: no frame %s", p.s.Frames[l.frame].ID, l.parent)
		}
		p.s.Frames[l.frame].Parent = at
	}
	main := &p.s.Frames[0]
	main.URL, main.Title = p.s.URL, p.s.Title
	for i := range p.s.Frames {
		if f := &p.s.Frames[i]; f.Origin == "" {
			f.Origin = origin(f.URL)
		}
	}
	return p.s, nil
}

// MustParse is Parse for fixtures in Go source: it panics.
func MustParse(text string) *deed.Snapshot {
	s, err := Parse(text)
	if err != nil {
		panic("snaptext: " + err.Error())
	}
	return s
}

// level is one step of the indentation: what stands there is the parent of what is indented deeper.
type level struct {
	indent int
	node   int // index of the node, or of the node around a frame line
	frame  int
	region string
}

type parser struct {
	s       *deed.Snapshot
	stack   []level
	parents []link
}

// link is a frame that is not in the frame around its line: the ID of its parent may come later.
type link struct {
	frame  int
	parent string
}

func (p *parser) frameByID(id string) int {
	return slices.IndexFunc(p.s.Frames, func(f deed.Frame) bool { return f.ID == id })
}

func (p *parser) top() level {
	if len(p.stack) == 0 {
		return level{indent: -1, node: -1}
	}
	return p.stack[len(p.stack)-1]
}

func (p *parser) line(line string) error {
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	body = strings.TrimRight(body, " \r")
	if body == "" || strings.HasPrefix(body, "//") {
		return nil
	}
	if strings.ContainsFunc(body, func(r rune) bool {
		return r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError)
	}) {
		return fmt.Errorf("only blanks may stand between words: %q", body)
	}
	for len(p.stack) > 0 && p.top().indent >= indent {
		p.stack = p.stack[:len(p.stack)-1]
	}
	if indent > 0 && len(p.stack) == 0 {
		return fmt.Errorf("indented under nothing")
	}
	key, rest, _ := strings.Cut(body, " ")
	rest = strings.TrimSpace(rest)
	if head := rest; indent == 0 && strings.HasPrefix(head, `"`) && strings.HasSuffix(head, `"`) {
		if u, err := strconv.Unquote(head); err == nil && slices.Contains(heads, key) {
			rest = u
		}
	}
	if indent == 0 {
		switch key {
		case "url":
			p.s.URL = rest
			return nil
		case "title":
			p.s.Title = rest
			return nil
		case "main":
			p.s.Frames[0].ID = rest
			return nil
		case "doc":
			p.s.Frames[0].Doc = rest
			return nil
		case "origin":
			p.s.Frames[0].Origin = rest
			return nil
		case "script":
			p.s.Script = rest
			return nil
		case "restless":
			p.s.Restless = true
			return nil
		case "incomplete":
			p.s.Complete, p.s.Incomplete = false, rest
			return nil
		case "number":
			n, err := strconv.Atoi(rest)
			p.s.Number = n
			return err
		}
	}
	if key == "frame" {
		return p.frame(indent, rest)
	}
	return p.node(indent, body)
}

func (p *parser) frame(indent int, rest string) error {
	t := tokens{rest: rest}
	id, err := t.next()
	if err != nil || id.kind != bare || id.text == "" {
		return fmt.Errorf("frame needs an ID: %q", rest)
	}
	at := p.frameByID(id.text)
	fresh := at < 0
	if fresh {
		at = len(p.s.Frames)
		p.s.Frames = append(p.s.Frames, deed.Frame{ID: id.text, Parent: p.top().frame})
	}
	f := &p.s.Frames[at]
	for t.rest != "" {
		tok, err := t.next()
		switch {
		case err != nil:
			return err
		case tok.kind == quoted:
			f.Title = tok.text
		case tok.kind == bare && fresh:
			f.URL = tok.text
		case tok.kind == attr && tok.key == "url":
			f.URL = tok.text
		case tok.kind == attr && tok.key == "name":
			f.Name = tok.text
		case tok.kind == attr && tok.key == "doc":
			f.Doc = tok.text
		case tok.kind == attr && tok.key == "origin":
			f.Origin = tok.text
		case tok.kind == attr && tok.key == "parent":
			p.parents = append(p.parents, link{at, tok.text})
		default:
			return fmt.Errorf("unexpected %q after frame %s", tok.text, id.text)
		}
	}
	p.stack = append(p.stack, level{indent: indent, node: p.top().node, frame: at})
	return nil
}

func (p *parser) node(indent int, body string) error {
	t := tokens{rest: body}
	first, err := t.next()
	if err != nil {
		return err
	}
	if first.kind != bare {
		return fmt.Errorf("a node begins with its role: %q", body)
	}
	up := p.top()
	n := deed.Node{Frame: up.frame, Parent: up.node, Region: up.region}
	label, declared := strings.CutSuffix(first.text, ":")
	n.Role = first.text
	if declared {
		n.Role, n.Name = Declared, label
		if t.rest != "" && t.rest[0] != '#' && !strings.Contains(strings.Fields(t.rest)[0], "=") {
			role, err := t.next()
			if err != nil || role.kind != bare {
				return fmt.Errorf("a role should follow %q", first.text)
			}
			n.Role, n.Name = role.text, ""
		}
	}
	if strings.HasPrefix(t.rest, `"`) {
		name, err := t.next()
		if err != nil {
			return err
		}
		n.Name = name.text
	}
	n.Container = implied(n.Role, n.Name)
	for t.rest != "" {
		tok, err := t.next()
		if err != nil {
			return err
		}
		if err := set(&n, tok); err != nil {
			return err
		}
	}
	if n.Parent >= len(p.s.Nodes) {
		return fmt.Errorf("parent %d comes later", n.Parent)
	}
	if declared && n.Label() != label && n.Role != label {
		return fmt.Errorf("%s is labelled %s, not %s", n.String(), n.Label(), label)
	}
	region := n.Region
	if n.Container {
		region = n.Label()
	}
	p.stack = append(p.stack, level{indent: indent, node: len(p.s.Nodes), frame: n.Frame, region: region})
	p.s.Nodes = append(p.s.Nodes, n)
	return nil
}

func set(n *deed.Node, tok token) error {
	var err error
	switch tok.kind {
	case number:
		n.Element, err = strconv.ParseInt(tok.text, 10, 64)
		return err
	case bare:
		switch tok.text {
		case "volatile":
			n.Volatile = true
		case "unseen":
			n.Unseen = true
		case "behind":
			n.Behind = true
		case "sensitive":
			n.Sensitive = true
		case "container":
			n.Container = true
		case "plain":
			n.Container = false
		default:
			st, ok := deed.ParseState(tok.text)
			if !ok {
				return fmt.Errorf("unknown word %q", tok.text)
			}
			n.States |= st
		}
		return nil
	case attr:
		switch tok.key {
		case "value":
			n.Value, n.HasValue = tok.text, true
		case "text": // what is shown where the author gave another name; no control's value
			n.Value = tok.text
		case "row":
			n.Row = tok.text
		case "group":
			n.Group = tok.text
		case "region":
			n.Region = tok.text
		case "parent":
			n.Parent, err = strconv.Atoi(tok.text)
		case "states":
			var st deed.State
			err = st.UnmarshalText([]byte(tok.text))
			n.States |= st
		default:
			return fmt.Errorf("unknown attribute %q", tok.key)
		}
		return err
	}
	return fmt.Errorf("unexpected %q", tok.text)
}

type kind int

const (
	bare kind = iota
	quoted
	number
	attr
)

type token struct {
	kind      kind
	key, text string
}

type tokens struct{ rest string }

// next takes the next token; a quoted string is Go's.
func (t *tokens) next() (token, error) {
	t.rest = strings.TrimLeft(t.rest, " ")
	str := func() (string, error) {
		q, err := strconv.QuotedPrefix(t.rest)
		if err != nil {
			return "", fmt.Errorf("the quotes do not close: %s", t.rest)
		}
		t.rest = strings.TrimLeft(t.rest[len(q):], " ")
		return strconv.Unquote(q)
	}
	if strings.HasPrefix(t.rest, `"`) {
		s, err := str()
		return token{kind: quoted, text: s}, err
	}
	end := strings.IndexAny(t.rest, " =")
	// A bare URL may hold an equals sign; only a plain word before one is a key.
	if end >= 0 && t.rest[end] == '=' && strings.HasPrefix(t.rest[end+1:], `"`) && isWord(t.rest[:end]) {
		key := t.rest[:end]
		t.rest = t.rest[end+1:]
		s, err := str()
		return token{kind: attr, key: key, text: s}, err
	}
	word := t.rest
	if i := strings.IndexByte(word, ' '); i >= 0 {
		word, t.rest = word[:i], strings.TrimLeft(word[i:], " ")
	} else {
		t.rest = ""
	}
	if key, v, ok := strings.Cut(word, "="); ok && isWord(key) {
		return token{kind: attr, key: key, text: v}, nil
	}
	if strings.HasPrefix(word, "#") {
		return token{kind: number, text: word[1:]}, nil
	}
	return token{kind: bare, text: word}, nil
}

func isWord(s string) bool {
	for _, r := range s {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return s != ""
}

func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
