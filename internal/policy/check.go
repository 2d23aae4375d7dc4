package policy

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"

	"github.com/deed-dev/deed"
)

// Limits of a policy file: what is larger was not written by a person, and could exhaust the parser.
const (
	maxFile  = 256 << 10 // bytes
	maxDepth = 100       // brackets
	maxRules = 2000
)

// A Problem is a place of a policy file that is not understood.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"` // in characters
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Pos is file:line:column.
func (p Problem) Pos() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Check reports every place of a policy file that is not understood: it does not parse, or speaks of an entity type, an action, an
// attribute or a word that there is not, or of types that do not go together. None means that [Load] takes it.
func Check(name string, src []byte) []Problem {
	_, problems := parse(name, src)
	return problems
}

func parse(name string, src []byte) (*Policy, []Problem) {
	f := &file{name: name, src: src, bare: blank(src)}
	if !f.fits() {
		return nil, f.problems
	}
	list, err := cedar.NewPolicyListFromBytes(name, src)
	if err != nil {
		f.syntax(err)
		return nil, f.problems
	}
	if len(list) > maxRules {
		f.add(0, "", "more than %d rules", maxRules)
		return nil, f.problems
	}
	p := &Policy{}
	seen := map[string]bool{}
	v := validator()
	for i, c := range list {
		c.SetFilename(name)
		end := len(src)
		if i+1 < len(list) {
			end = list[i+1].Position().Offset
		}
		from := c.Position().Offset
		r := &rule{id: fmt.Sprintf("policy%d", i), whole: c, forbids: c.Effect() == cedar.Forbid,
			at: fmt.Sprintf("%s:%d", name, c.Position().Line)}
		f.annotations(r, from, end)
		if seen[r.id] {
			f.add(f.find(from, end, `@id`), "", "a second rule is called %q", r.id)
		}
		seen[r.id] = true
		tree := (*ast.Policy)(c.AST())
		if err := v.Policy("", tree); err != nil {
			all := flat(err)
			unknown := slices.ContainsFunc(all, func(e error) bool { return strings.HasPrefix(e.Error(), "unrecognized ") })
			for _, e := range all {
				if !unknown || !strings.HasPrefix(e.Error(), "unable to find an applicable action") { // that follows
					f.invalid(from, end, e)
				}
			}
		}
		aboutElements := f.words(tree, from, end)
		if r.forbids && aboutElements {
			p.unknown = append(p.unknown, i)
		}
		p.rules = append(p.rules, r)
	}
	if len(f.problems) == 0 {
		p.of = p.rules.about()
	}
	slices.SortFunc(f.problems, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Message, b.Message), strings.Compare(a.Hint, b.Hint))
	})
	f.problems = slices.Compact(f.problems)
	return p, f.problems
}

// flat takes joined errors apart.
func flat(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range j.Unwrap() {
			out = append(out, flat(e)...)
		}
		return out
	}
	return []error{err}
}

// A file is a policy file on its way through the check.
type file struct {
	name     string
	src      []byte
	bare     []byte // without comments and annotations, place for place
	problems []Problem
}

// add notes a problem at an offset.
func (f *file) add(offset int, hint, format string, args ...any) {
	offset = min(max(offset, 0), len(f.src))
	line := 1 + bytes.Count(f.src[:offset], []byte("\n"))
	col := 1 + utf8.RuneCount(f.src[bytes.LastIndexByte(f.src[:offset], '\n')+1:offset])
	f.problems = append(f.problems, Problem{f.name, line, col, fmt.Sprintf(format, args...), hint})
}

func (f *file) fits() bool {
	if len(f.src) > maxFile {
		f.add(0, "", "the file is larger than %d bytes", maxFile)
		return false
	}
	if !utf8.Valid(f.src) {
		bad := 0
		for bad < len(f.src) {
			r, n := utf8.DecodeRune(f.src[bad:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			bad += n
		}
		f.add(bad, "", "the file is no UTF-8")
		return false
	}
	depth := 0
	for i, c := range f.bare {
		switch c {
		case '(', '[', '{':
			if depth++; depth > maxDepth {
				f.add(i, "", "more than %d brackets are open", maxDepth)
				return false
			}
		case ')', ']', '}':
			depth--
		}
	}
	return true
}

// blank returns src with comments, and the texts of strings, made blank.
func blank(src []byte) []byte {
	out := bytes.Clone(src)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' && i+1 < len(out) {
					out[i] = ' '
					i++
				}
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		}
	}
	return out
}

// where cedar says that a file does not parse: it says so in its text alone.
var where = regexp.MustCompile(`<input>:(\d+):(\d+)(?: ("(?:[^"\\]|\\.)*"))?:? ?`)

func (f *file) syntax(err error) {
	text := err.Error()
	m := where.FindStringSubmatchIndex(text)
	if m == nil {
		f.add(0, "", "%s", text)
		return
	}
	line, _ := strconv.Atoi(text[m[2]:m[3]])
	col, _ := strconv.Atoi(text[m[4]:m[5]])
	what, token := strings.TrimPrefix(text[m[1]:], "exact "), ""
	if got, want, ok := strings.Cut(strings.TrimPrefix(what, "got "), " want "); ok && strings.HasPrefix(what, "got ") {
		what, token = fmt.Sprintf("%q instead of %q", got, want), got
	} else if _, t, ok := strings.Cut(what, ": "); ok {
		token = t
	}
	// What is told is the place after the word that does not fit.
	offset := f.offset(line, col)
	if token != "" && !bytes.HasPrefix(f.src[offset:], []byte(token)) {
		if i := bytes.LastIndex(f.src[:offset], []byte(token)); i >= 0 {
			offset = i
		}
	}
	f.add(offset, "", "this is no Cedar: %s", what)
}

// offset of a place.
func (f *file) offset(line, col int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(f.src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	for ; col > 1 && at < len(f.src) && f.src[at] != '\n'; col-- {
		_, n := utf8.DecodeRune(f.src[at:])
		at += n
	}
	return at
}

// find returns the offset of a word between from and to, outside comments and strings; from where there is none.
func (f *file) find(from, to int, word string) int {
	re := regexp.MustCompile(`(?:^|[^\pL\pN_])(` + regexp.QuoteMeta(word) + `)(?:$|[^\pL\pN_])`)
	text := f.bare
	if strings.Contains(word, `"`) {
		text, re = f.src, regexp.MustCompile(`(`+regexp.QuoteMeta(word)+`)`)
	}
	if m := re.FindSubmatchIndex(text[from:to]); m != nil {
		return from + m[2]
	}
	return from
}

// annotations reads @id and @reason.
func (f *file) annotations(r *rule, from, to int) {
	for k, v := range r.whole.Annotations() {
		at := f.find(from, to, "@"+string(k))
		switch k {
		case "id":
			if id := string(v); !ruleID.MatchString(id) {
				f.add(at, "", "an id is written with a-z, 0-9 and -, and is not policyN: %q", id)
			} else {
				r.id = id
			}
		case "reason":
			r.reason = string(v)
			if strings.TrimSpace(r.reason) == "" {
				f.add(at, "", "the reason is blank")
			}
			for _, m := range placeholder.FindAllStringSubmatch(r.reason, -1) {
				if !slices.Contains(placeholders, m[1]) {
					f.add(at, meant(m[1], placeholders), "a reason has no {%s}", m[1])
				}
			}
		default:
			f.add(at, meant(string(k), []string{"id", "reason"}), "there is no annotation @%s", k)
		}
	}
}

var (
	ruleID       = regexp.MustCompile(`^(?:[a-z0-9]+-)*[a-z0-9]+$`)
	placeholder  = regexp.MustCompile(`\{([^{}]*)\}`)
	placeholders = []string{"kind", "element", "page", "destination", "risk", "hints"}
)

// tell is the reason of a rule, of this part.
func (r *rule) tell(s *situation, p *part) string {
	if r.reason == "" {
		verb := "permits"
		if r.forbids {
			verb = "forbids"
		}
		return fmt.Sprintf("the rule %s %s %s", r.id, verb, s.as(p))
	}
	if !strings.Contains(r.reason, "{") {
		return r.reason
	}
	return placeholder.ReplaceAllStringFunc(r.reason, func(m string) string {
		text := ""
		switch m[1 : len(m)-1] {
		case "kind":
			text = string(s.q.Action.Kind)
		case "element":
			text = p.label()
		case "page":
			text = nonEmpty(originOf(s.q.PageURL), s.q.PageURL)
		case "destination":
			text = nonEmpty(originOf(s.destination()), s.destination())
		case "risk":
			text = fmt.Sprintf("%d (%s)", s.risk, s.risk)
		case "hints":
			text = strings.Join(s.hints, ", ")
		}
		return nonEmpty(text, "the page")
	})
}

func nonEmpty(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func meant(s string, list []string) string {
	if near := deed.Suggest(s, list); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

var quoted = regexp.MustCompile("`([^`]+)`")

// invalid notes what the schema does not allow; the place is that of the word it names.
func (f *file) invalid(from, to int, err error) {
	text := err.Error()
	at, hint := from, ""
	if m := quoted.FindStringSubmatch(text); m != nil {
		name := m[1]
		switch {
		case strings.Contains(text, "unrecognized action"):
			at = f.find(from, to, name)
			var all []string
			for uid := range theSchema().Actions {
				all = append(all, string(uid.ID))
			}
			slices.Sort(all)
			hint = meant(strings.Trim(strings.TrimPrefix(name, "Action::"), `"`), all)
		case strings.Contains(text, "entity type") && strings.Contains(text, "unrecognized"):
			at, hint = f.find(from, to, name), meant(name, []string{"Person", "Agent", "Case", "Element", "Page", "Action"})
		case strings.Contains(text, "attribute"):
			at = f.find(from, to, name[strings.LastIndex(name, ".")+1:])
			hint = meant(name, attributes())
			// It is told for every kind of action and of entity; once is enough.
			for _, o := range []struct{ said, whose string }{{"in context", "the context"}, {"`Element`", "an element"}, {"`Page`", "an element"},
				{"`Person`", "who asks"}, {"`Agent`", "who asks"}, {"`Case`", "who asks"}} {
				if strings.HasSuffix(text, " not found") && strings.Contains(text, o.said) {
					text = fmt.Sprintf("%s has no attribute `%s`", o.whose, name)
					break
				}
			}
		}
	}
	f.add(at, hint, "%s", text)
}

// attributes are the names of all attributes.
func attributes() []string {
	var out []string
	s := theSchema()
	for _, e := range s.Entities {
		for a := range e.Shape {
			out = append(out, string(a))
		}
	}
	for a := range s.Actions[cedar.NewEntityUID("Action", "click")].AppliesTo.Context {
		out = append(out, string(a))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// vocabulary are the words that an attribute may be: a rule that compares with another never applies.
func vocabulary(attribute string) []string {
	switch attribute {
	case "kind":
		out := make([]string, len(kinds))
		for i, k := range kinds {
			out[i] = string(k)
		}
		return out
	case "valueFrom":
		return append([]string{""}, values...)
	case "hints":
		return hints
	case "button":
		return []string{"", "left", "middle", "right"}
	case "formMethod":
		return []string{"", "GET", "POST", "DIALOG"}
	}
	return nil
}

// words looks for what the schema lets pass and what never applies: elements by an id, and words that an attribute is never. It reports
// whether the rule is about elements.
func (f *file) words(p *ast.Policy, from, to int) (aboutElements bool) {
	id := func(uid types.EntityUID) {
		if uid.Type == "Element" || uid.Type == "Page" {
			f.add(f.find(from, to, uid.String()), "resource is "+string(uid.Type), "an element has no id: say its type, and what it is like in `when`")
		}
	}
	onPage := false
	switch s := p.Resource.(type) {
	case ast.ScopeTypeEq:
		id(s.Entity)
	case ast.ScopeTypeIn:
		id(s.Entity)
	case ast.ScopeTypeIs:
		onPage, aboutElements = s.Type == "Page", s.Type == "Element"
	case ast.ScopeTypeIsIn:
		id(s.Entity)
	}
	for _, c := range p.Conditions {
		ast.Inspect(ast.NewNode(c.Body), func(n ast.IsNode) bool {
			switch x := n.(type) {
			case ast.NodeTypeVariable:
				aboutElements = aboutElements || x.Name == "resource"
			case ast.NodeTypeAccess:
				if v, ok := x.Arg.(ast.NodeTypeVariable); ok && v.Name == "context" {
					aboutElements = aboutElements || slices.Contains(ofElement, x.Value)
				}
			case ast.NodeValue:
				if uid, ok := x.Value.(types.EntityUID); ok {
					id(uid)
				}
			case ast.NodeTypeEquals:
				f.compare(x.BinaryNode, from, to)
			case ast.NodeTypeNotEquals:
				f.compare(x.BinaryNode, from, to)
			case ast.NodeTypeContains:
				f.compare(x.BinaryNode, from, to)
			case ast.NodeTypeContainsAll:
				f.compare(x.BinaryNode, from, to)
			case ast.NodeTypeContainsAny:
				f.compare(x.BinaryNode, from, to)
			}
			return true
		})
	}
	return aboutElements && !onPage
}

func (f *file) compare(b ast.BinaryNode, from, to int) {
	for _, side := range [][2]ast.IsNode{{b.Left, b.Right}, {b.Right, b.Left}} {
		a, ok := side[0].(ast.NodeTypeAccess)
		if !ok {
			continue
		}
		if v, ok := a.Arg.(ast.NodeTypeVariable); !ok || v.Name != "context" && v.Name != "resource" {
			continue
		}
		list := vocabulary(string(a.Value))
		if list == nil {
			continue
		}
		for _, w := range literals(side[1]) {
			if !slices.Contains(list, w) {
				f.add(f.find(from, to, strconv.Quote(w)), meant(w, list), "%s is never %q", a.Value, w)
			}
		}
	}
}

// literals are the strings of a literal, or of a set of them.
func literals(n ast.IsNode) []string {
	switch x := n.(type) {
	case ast.NodeValue:
		switch v := x.Value.(type) {
		case types.String:
			return []string{string(v)}
		case types.Set:
			var out []string
			for e := range v.All() {
				if s, ok := e.(types.String); ok {
					out = append(out, string(s))
				}
			}
			slices.Sort(out)
			return out
		}
	case ast.NodeTypeSet:
		var out []string
		for _, e := range x.Elements {
			out = append(out, literals(e)...)
		}
		return out
	}
	return nil
}
