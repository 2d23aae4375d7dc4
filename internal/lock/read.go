package lock

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/deed-dev/deed"
)

// maxFile and maxDepth bound what is read.
const (
	maxFile  = 16 << 20
	maxDepth = 12
)

// A node is a value of the file, with its place.
type node struct {
	at     deed.Pos
	fields []field
	items  []*node
	text   string
	kind   byte // m, l, s
}

type field struct {
	key   string
	at    deed.Pos
	value *node
}

// A decoder reads one lock file. The first mistake ends it.
type decoder struct{ file string }

type mistake struct{ err error }

func (d *decoder) fail(at deed.Pos, hint, format string, args ...any) {
	at.File = d.file
	panic(mistake{&deed.Error{Op: "lock", Code: deed.CodeInvalid, Where: at.String(), Err: fmt.Errorf(format, args...), Hint: hint, SideEffects: deed.EffectsNone}})
}

// Decode reads a lock file. An error says file, line and column.
func decode(file string, data []byte) (cases []*Case, err error) {
	d := &decoder{file: file}
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(mistake)
			if !ok { // the parser's own
				m = mistake{&deed.Error{Op: "lock", Code: deed.CodeInvalid, Where: deed.Pos{File: file, Line: 1, Column: 1}.String(), Err: fmt.Errorf("this cannot be read as YAML: %v", r)}}
			}
			cases, err = nil, m.err
		}
	}()
	first := deed.Pos{Line: 1, Column: 1}
	switch {
	case len(data) > maxFile:
		d.fail(first, "", "the file is larger than %d MB", maxFile>>20)
	case !utf8.Valid(data):
		d.fail(first, "", "the file is not UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	for i, line := range bytes.Split(data, []byte("\n")) {
		t := bytes.TrimLeft(line, " ")
		open := bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		switch {
		case bytes.HasPrefix(line, []byte("<<<<<<<")), bytes.HasPrefix(line, []byte(">>>>>>>")), bytes.HasPrefix(line, []byte("=======")):
			d.fail(deed.Pos{Line: i + 1, Column: 1}, "take one side, or delete the file and run the cases again", "a merge of two versions was not finished here")
		case len(line)-len(t) > 4*maxDepth, bytes.Count(t, []byte("- ")) > 64, open > 2000:
			if !bytes.ContainsAny(t[:min(1, len(t))], "#") && (len(line)-len(t) > 4*maxDepth || nested(t)) {
				d.fail(deed.Pos{Line: i + 1, Column: 1}, "", "nested too deeply")
			}
		}
	}
	f, perr := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if perr != nil {
		var se *yaml.SyntaxError
		if errors.As(perr, &se) {
			d.fail(position(se.Token), "", "%s", se.Message)
		}
		msg, _, _ := strings.Cut(perr.Error(), "\n")
		d.fail(first, "", "%s", msg)
	}
	if len(f.Docs) != 1 || f.Docs[0].Body == nil {
		d.fail(first, "delete the file to have it made anew", "a lock file is one document, this has %d", len(f.Docs))
	}
	return d.cases(d.node(f.Docs[0].Body, 0)), nil
}

// nested reports whether a line opens more brackets than a lock has, outside of what is quoted.
func nested(line []byte) bool {
	depth, most, quoted := 0, 0, false
	items := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		case c == '-' && i+1 < len(line) && line[i+1] == ' ' && items*2 == i:
			items++
		}
	}
	return most > maxDepth || items > maxDepth
}

func position(t *token.Token) deed.Pos {
	if t == nil || t.Position == nil {
		return deed.Pos{Line: 1, Column: 1}
	}
	return deed.Pos{Line: max(t.Position.Line, 1), Column: max(t.Position.Column, 1)}
}

func (d *decoder) node(n ast.Node, depth int) *node {
	if depth > maxDepth {
		d.fail(position(n.GetToken()), "", "nested too deeply")
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		out := &node{kind: 'm', at: position(n.Start)}
		for _, v := range n.Values {
			d.entry(out, v, depth)
		}
		if len(out.fields) > 0 && !n.IsFlowStyle {
			out.at = out.fields[0].at
		}
		return out
	case *ast.MappingValueNode:
		out := &node{kind: 'm', at: position(n.Key.GetToken())}
		d.entry(out, n, depth)
		return out
	case *ast.SequenceNode:
		out := &node{kind: 'l', at: position(n.Start)}
		for _, v := range n.Values {
			out.items = append(out.items, d.node(v, depth+1))
		}
		return out
	case *ast.LiteralNode:
		return &node{kind: 's', at: position(n.Start), text: n.Value.Value}
	case *ast.StringNode:
		return &node{kind: 's', at: position(n.GetToken()), text: n.Value}
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		d.fail(position(n.GetToken()), "", "anchors, aliases and tags have no meaning in a lock")
	case ast.ScalarNode:
		return &node{kind: 's', at: position(n.GetToken()), text: n.GetToken().Value}
	}
	d.fail(position(n.GetToken()), "", "%s has no meaning in a lock", strings.ToLower(n.Type().String()))
	return nil
}

func (d *decoder) entry(out *node, v *ast.MappingValueNode, depth int) {
	at := position(v.Key.GetToken())
	k, ok := v.Key.(*ast.StringNode)
	if !ok {
		d.fail(at, "", "a key must be a word")
	}
	for _, f := range out.fields {
		if f.key == k.Value {
			d.fail(at, "", "the key %q is given twice, first at line %d", k.Value, f.at.Line)
		}
	}
	if v.Value == nil {
		d.fail(at, "", "%s has no value", k.Value)
	}
	if null, ok := v.Value.(*ast.NullNode); ok && null.GetToken().Type == token.ImplicitNullType {
		d.fail(at, "", "%s has no value", k.Value)
	}
	out.fields = append(out.fields, field{k.Value, at, d.node(v.Value, depth+1)})
}

func (d *decoder) mapping(n *node, what string) []field {
	if n.kind != 'm' {
		d.fail(n.at, "", "%s is a mapping", what)
	}
	return n.fields
}

func (d *decoder) unknown(f field, what string, known ...string) {
	hint := ""
	if s := deed.Suggest(f.key, known); s != "" {
		hint = fmt.Sprintf("did you mean %q?", s)
	}
	d.fail(f.at, hint, "unknown key %q in %s", f.key, what)
}

func (d *decoder) list(f field) []*node {
	if f.value.kind != 'l' {
		d.fail(f.value.at, "", "%s is a list", f.key)
	}
	return f.value.items
}

func (d *decoder) string(f field) string {
	if f.value.kind != 's' {
		d.fail(f.value.at, "", "%s is a text", f.key)
	}
	return f.value.text
}

func (d *decoder) text(f field) Text {
	t := Text(d.string(f))
	d.wild(t, f.value.at)
	return t
}

func (d *decoder) wild(t Text, at deed.Pos) {
	if _, bad := t.check(); bad != "" {
		d.fail(at, "{number}, {date}, {id} and {text} vary, ${NAME} is a variable, a brace that the page shows is written {{", "%s is no wildcard", bad)
	}
}

func (d *decoder) yes(f field) bool {
	switch d.string(f) {
	case "true":
		return true
	case "false":
		return false
	}
	d.fail(f.value.at, "", "%s is true or false", f.key)
	return false
}

func (d *decoder) int(n *node, what string) int {
	v, err := strconv.Atoi(n.text)
	if n.kind != 's' || err != nil || v < 0 || v > 1e6 {
		d.fail(n.at, "", "%s is a number", what)
	}
	return v
}

func (d *decoder) two(f field) (int, int) {
	l := d.list(f)
	if len(l) != 2 {
		d.fail(f.value.at, "", "%s is two numbers: which, and of how many", f.key)
	}
	return d.int(l[0], f.key), d.int(l[1], f.key)
}

func (d *decoder) times(f field) int {
	if f.value.kind == 's' && f.value.text == "any" {
		return Any
	}
	n := d.int(f.value, "times")
	if n < 1 || n > 10000 {
		d.fail(f.value.at, "", "times is a number from 1, or any")
	}
	if n == 1 {
		return 0
	}
	return n
}

func (d *decoder) states(f field) []string {
	var out []string
	for _, n := range d.list(f) {
		if _, ok := deed.ParseState(n.text); n.kind != 's' || !ok {
			d.fail(n.at, "", "unknown state %q", n.text)
		}
		out = append(out, n.text)
	}
	return out
}

func (d *decoder) cases(root *node) []*Case {
	fs := d.mapping(root, "a lock file")
	if len(fs) == 0 || fs[0].key != "deed" {
		d.fail(root.at, "delete the file to have it made anew", "a lock file begins with deed: %d", Version)
	}
	if v := d.string(fs[0]); v != itoa(Version) {
		d.fail(fs[0].value.at, "a newer deed wrote it: use that, or delete the file to have it made anew", "unknown version %q of lock files, this deed knows %d", v, Version)
	}
	var out []*Case
	seen := map[[2]string]deed.Pos{}
	for _, f := range fs[1:] {
		if f.key != "cases" {
			d.unknown(f, "a lock file", "cases")
		}
		for _, n := range d.list(f) {
			c := d.one(n)
			id := [2]string{c.ID, c.Device}
			if at, twice := seen[id]; twice {
				d.fail(n.at, "", "the case %q is locked twice, first at line %d", c.ID, at.Line)
			}
			seen[id] = n.at
			out = append(out, c)
		}
	}
	sortCases(out)
	return out
}

var keyForm = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)

// word is the form of roles and of what steps do, method that of methods of requests.
var (
	word   = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	method = regexp.MustCompile(`^[A-Z][A-Z-]*$`)
)

func (d *decoder) one(n *node) *Case {
	c := &Case{}
	for _, f := range d.mapping(n, "the lock of a case") {
		switch f.key {
		case "case":
			if c.ID = d.string(f); !deed.ValidCaseID(c.ID) {
				d.fail(f.value.at, "", "%q is no id of a case", c.ID)
			}
		case "device":
			c.Device = d.string(f)
		case "key":
			if c.Key = d.string(f); !keyForm.MatchString(c.Key) {
				d.fail(f.value.at, "", "%q is no key of a case", c.Key)
			}
		case "runs":
			if c.Runs = d.int(f.value, "runs"); c.Runs != 1 && c.Runs != 2 {
				d.fail(f.value.at, "", "runs is 1 or 2")
			}
		case "steps":
			for _, s := range d.list(f) {
				c.Steps = append(c.Steps, d.step(s))
			}
		default:
			d.unknown(f, "the lock of a case", "case", "device", "key", "runs", "steps")
		}
	}
	switch {
	case c.ID == "":
		d.fail(n.at, "", "the id of the case is missing")
	case c.Key == "":
		d.fail(n.at, "", "the key of the case is missing")
	case c.Runs == 0:
		d.fail(n.at, "", "runs is missing")
	}
	return c
}

func (d *decoder) step(n *node) Step {
	s := Step{}
	for _, f := range d.mapping(n, "a step") {
		switch f.key {
		case "do":
			if s.Do = deed.Kind(d.string(f)); !word.MatchString(string(s.Do)) {
				d.fail(f.value.at, "", "%q is nothing that a step does", s.Do)
			}
		case "at":
			s.At = d.text(f)
		case "healed":
			s.Healed = d.text(f)
			if _, err := deed.ParseLocator(string(s.Healed)); err != nil {
				d.fail(f.value.at, "", "%q is no locator", s.Healed)
			}
		case "found":
			s.Found = d.fingerprint(f.value)
		case "url":
			s.URL = d.text(f)
		case "outline":
			s.Outline = d.yes(f)
		case "effects":
			for _, e := range d.list(f) {
				s.Effects = append(s.Effects, d.effect(e))
			}
			sortEffects(s.Effects)
		case "requests":
			for _, r := range d.list(f) {
				s.Requests = append(s.Requests, d.request(r))
			}
		case "dialogs":
			for _, g := range d.list(f) {
				s.Dialogs = append(s.Dialogs, d.dialog(g))
			}
		case "downloads":
			s.Downloads = d.things(f, "file")
		case "pages":
			s.Pages = d.things(f, "url")
		default:
			d.unknown(f, "a step", "do", "at", "healed", "found", "url", "outline", "effects", "requests", "dialogs", "downloads", "pages")
		}
	}
	if s.Do == "" {
		d.fail(n.at, "", "what the step does is missing")
	}
	return s
}

func (d *decoder) fingerprint(n *node) *Fingerprint {
	p := &Fingerprint{}
	into := map[string]*Text{"name": &p.Name, "region": &p.Region, "frame": &p.Frame, "row": &p.Row, "group": &p.Group, "after": &p.Prev, "before": &p.Next, "page": &p.Page}
	for _, f := range d.mapping(n, "found") {
		to, ok := into[f.key]
		switch {
		case ok:
			*to = d.text(f)
		case f.key == "role":
			if p.Role = d.string(f); !word.MatchString(p.Role) {
				d.fail(f.value.at, "", "%q is no role", p.Role)
			}
		case f.key == "place":
			p.Nth, p.Of = d.two(f)
		case f.key == "twin":
			p.Twin, p.Twins = d.two(f)
		case f.key == "others":
			for _, o := range d.list(f) {
				if o.kind != 's' {
					d.fail(o.at, "", "others are texts")
				}
				d.wild(Text(o.text), o.at)
				p.Others = append(p.Others, Text(o.text))
			}
		default:
			d.unknown(f, "found", "role", "name", "region", "frame", "row", "group", "after", "before", "place", "twin", "others", "page")
		}
	}
	if p.Role == "" {
		d.fail(n.at, "", "the role of what was found is missing")
	}
	if p.Twins == 0 {
		p.Twin, p.Twins = 1, 1
	}
	return p
}

var kinds = []deed.ChangeKind{deed.Appeared, deed.Disappeared, deed.Changed, deed.Renamed, deed.Moved}

func (d *decoder) effect(n *node) Effect {
	e := Effect{}
	fs := d.mapping(n, "an effect")
	for _, f := range fs {
		if slices.Contains(kinds, deed.ChangeKind(f.key)) {
			if e.Kind != "" {
				d.fail(f.at, "", "an effect is of one kind, this is %s and %s", e.Kind, f.key)
			}
			e.Kind = deed.ChangeKind(f.key)
			d.ident(f, &e)
		}
	}
	if e.Kind == "" {
		d.fail(n.at, "", "an effect says what appeared, disappeared, changed, renamed or moved")
	}
	comes := e.Kind == deed.Appeared || e.Kind == deed.Disappeared
	for _, f := range fs {
		switch {
		case f.key == string(e.Kind):
		case f.key == "value" && e.Kind == deed.Appeared, f.key == "to" && !comes:
			e.To = d.text(f)
		case f.key == "value" && e.Kind == deed.Disappeared, f.key == "from" && e.Kind == deed.Changed:
			e.From = d.text(f)
		case f.key == "now" && e.Kind == deed.Changed, f.key == "states" && e.Kind != deed.Changed:
			e.Gained = d.states(f)
		case f.key == "no longer" && e.Kind == deed.Changed:
			e.Lost = d.states(f)
		case f.key == "times":
			e.Times = d.times(f)
		case f.key == "optional":
			e.Optional = d.yes(f)
		case f.key == "uncaused":
			e.Uncaused = d.yes(f)
		case f.key == "passes" && e.Kind == deed.Appeared:
			e.Passes = d.yes(f)
		default:
			d.unknown(f, "an effect that "+string(e.Kind), "value", "from", "to", "now", "no longer", "states", "times", "optional", "uncaused", "passes")
		}
	}
	return e
}

// ident reads `listitem "T-shirt M" frame "Shop" in cart`.
func (d *decoder) ident(f field, e *Effect) {
	s := d.string(f)
	d.wild(Text(s), f.value.at)
	rest := s
	cut := func(prefix string) (Text, bool) {
		after, ok := strings.CutPrefix(rest, prefix)
		if !ok {
			return "", false
		}
		q, err := strconv.QuotedPrefix(after)
		if err != nil || q[0] != '"' {
			return "", false
		}
		v, err := strconv.Unquote(q)
		if err != nil {
			return "", false
		}
		rest = after[len(q):]
		return Text(v), true
	}
	e.Role, rest, _ = strings.Cut(s, " ")
	if rest != "" {
		rest = " " + rest
	}
	if n, ok := cut(" "); ok {
		e.Name = n
	}
	if n, ok := cut(" frame "); ok {
		e.Frame = n
	}
	if region, ok := strings.CutPrefix(rest, " in "); ok {
		e.Region, rest = Text(region), ""
	}
	if !word.MatchString(e.Role) || rest != "" {
		d.fail(f.value.at, `write: listitem "T-shirt M" in cart`, "%q names no element", s)
	}
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

func (d *decoder) request(n *node) Request {
	r := Request{}
	for _, f := range d.mapping(n, "a request") {
		switch {
		case f.key == "status":
			r.Status = d.string(f)
		case f.key == "times":
			r.Times = d.times(f)
		case f.key == "optional":
			r.Optional = d.yes(f)
		case r.Method == "" && (slices.Contains(methods, f.key) || method.MatchString(f.key)):
			r.Method, r.URL = f.key, d.text(f)
		default:
			d.unknown(f, "a request", append(slices.Clone(methods), "status", "times", "optional")...)
		}
	}
	if r.Method == "" {
		d.fail(n.at, "write: POST: ${ORIGIN}/orders", "the method of the request is missing")
	}
	return r
}

func (d *decoder) dialog(n *node) Dialog {
	g := Dialog{}
	for _, f := range d.mapping(n, "a dialog") {
		switch f.key {
		case "accepted":
			g.Accepted = d.yes(f)
		case "optional":
			g.Optional = d.yes(f)
		case "alert", "confirm", "prompt", "beforeunload":
			g.Kind, g.Message = f.key, d.text(f)
		default:
			d.unknown(f, "a dialog", "alert", "confirm", "prompt", "beforeunload", "accepted", "optional")
		}
	}
	if g.Kind == "" {
		d.fail(n.at, "", "the kind of the dialog is missing")
	}
	return g
}

func (d *decoder) things(f field, name string) []Thing {
	var out []Thing
	for _, n := range d.list(f) {
		t := Thing{}
		for _, g := range d.mapping(n, f.key) {
			switch g.key {
			case name:
				t.Name = d.text(g)
			case "optional":
				t.Optional = d.yes(g)
			default:
				d.unknown(g, f.key, name, "optional")
			}
		}
		out = append(out, t)
	}
	sortThings(out)
	return out
}
