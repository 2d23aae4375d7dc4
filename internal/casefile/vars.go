package casefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"github.com/deed-dev/deed"
)

var varName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maxText bounds what variables may expand to: each can double the one before.
const maxText = 1 << 20

// A variable of the case. Its value may use other variables.
type variable struct {
	raw   *node // nil where the caller gave the value
	value string
	state int // fresh, opening, known, broken
}

const (
	fresh = iota
	opening
	known
	broken
)

// declareVars reads the `vars` of the case and lays the caller's over them.
func (r *reader) declareVars(doc *node, o Options) {
	r.vars = map[string]*variable{}
	if f, ok := doc.field("vars"); ok {
		if f.value.kind != mapping {
			r.wrongKind(f.value, "vars", "a mapping of names to texts", `vars: {EMAIL: ana@example.com}`)
		}
		for _, v := range f.value.fields {
			if !varName.MatchString(v.key) {
				r.complain(v.pos, "letters, digits and _", "a variable cannot be named %q", v.key)
				continue
			}
			if v.value.kind != scalar || v.value.absent {
				r.wrongKind(v.value, v.key, "a text", "")
				r.vars[v.key] = &variable{state: broken}
				continue
			}
			r.vars[v.key] = &variable{raw: v.value}
		}
	}
	for k, v := range o.Vars {
		r.vars[k] = &variable{value: v, state: known}
	}
	if o.BaseURL != "" {
		r.vars["BASE_URL"] = &variable{value: strings.TrimRight(o.BaseURL, "/"), state: known}
	}
	// A variable that nothing uses is still read: its mistakes are mistakes of the file.
	names := make([]string, 0, len(r.vars))
	for k := range r.vars {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		if text, ok := r.variable(k, deed.Pos{}); ok {
			if r.c.Vars == nil {
				r.c.Vars = map[string]string{}
			}
			r.c.Vars[k] = text
		}
	}
}

// variable returns the value of a variable, opening it first.
func (r *reader) variable(name string, at deed.Pos) (string, bool) {
	v := r.vars[name]
	switch v.state {
	case known:
		return v.value, true
	case opening:
		r.complain(at, "", "the variable %s uses itself", name)
		return "", false
	case broken:
		return "", false // said where it is declared
	}
	v.state = opening
	text, ok := r.expand(v.raw)
	v.state, v.value = known, text
	if !ok {
		v.state = broken
	}
	return text, ok
}

// expand replaces ${NAME} in a scalar; $${ stands for ${ itself.
func (r *reader) expand(n *node) (string, bool) {
	if !strings.Contains(n.text, "${") {
		return n.text, true
	}
	var b strings.Builder
	ok := true
	rest := n.text
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			b.WriteString(rest)
			return b.String(), ok
		}
		if i > 0 && rest[i-1] == '$' {
			b.WriteString(rest[:i-1] + "${")
			rest = rest[i+2:]
			continue
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			r.complain(r.within(n.pos, rest), "write $${ for the two characters themselves", "${ is not closed")
			return "", false
		}
		ref, name := rest[:end+1], rest[2:end]
		rest = rest[end+1:]
		text, found := r.reference(name, r.within(n.pos, ref))
		ok = ok && found
		b.WriteString(text)
		if b.Len() > maxText {
			r.complain(n.pos, "", "the variables in this text expand to more than %d KB", maxText>>10)
			return "", false
		}
	}
}

func (r *reader) reference(name string, at deed.Pos) (string, bool) {
	if _, ok := r.vars[name]; ok {
		return r.variable(name, at)
	}
	if _, ok := r.kept[name]; ok {
		return deed.Saved(name), true
	}
	if r.secretText && r.isSecret(name) {
		return r.secrets[name], true
	}
	switch {
	case !varName.MatchString(name):
		r.complain(at, "write $${ for the two characters themselves", "${%s} names no variable", name)
	case r.isSecret(name):
		r.complain(at, "write secret: "+name+" in a fill, it is then masked everywhere", "%s is a secret, it is not put into a text", name)
	case name == "BASE_URL":
		r.complain(at, "give --base-url, or declare vars: {BASE_URL: …}", "unknown variable %s; %s", name, r.knownVars())
	case r.saves[name]:
		r.complain(at, "use it after the step that saves it", "%s is not saved yet", name)
	default:
		hint := "declare it under vars, or give --var " + name + "=…"
		if s := deed.Suggest(name, r.varNames()); s != "" {
			hint = fmt.Sprintf("did you mean %q?", s)
		}
		r.complain(at, hint, "unknown variable %s; %s", name, r.knownVars())
	}
	return "", false
}

func (r *reader) varNames() []string {
	var names []string
	for k := range r.vars {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func (r *reader) knownVars() string {
	if names := r.varNames(); len(names) > 0 {
		return "known are " + strings.Join(names, ", ")
	}
	return "none is declared"
}

// isSecret reports whether the case declares the secret.
func (r *reader) isSecret(name string) bool {
	_, ok := r.secrets[name]
	return ok
}

// declareSecrets reads the names under `secrets` and finds their values.
func (r *reader) declareSecrets(doc *node) {
	r.secrets = map[string]string{}
	f, ok := doc.field("secrets")
	if !ok {
		return
	}
	if f.value.kind == mapping {
		r.complain(f.value.pos, "secrets: [PASSWORD]; the values come from the environment or .env.local",
			"secrets are names only, a value never stands in a case file")
		for _, s := range f.value.fields {
			r.secrets[s.key] = ""
		}
		return
	}
	for _, n := range r.listOf(f.value) {
		if n.kind != scalar || !varName.MatchString(n.text) {
			what := n.kind.String()
			if n.kind == scalar {
				what = fmt.Sprintf("%q", n.text)
			}
			r.complain(n.pos, "letters, digits and _", "%s cannot name a secret", what)
			continue
		}
		name := n.text
		if r.isSecret(name) {
			r.complain(n.pos, "", "the secret %s is named twice", name)
			continue
		}
		if r.pointers && name == tokenName {
			r.complain(n.pos, "", "%s is for the address that the case came from, not for its pages", name)
			continue
		}
		value, where, err := r.env.find(name)
		r.secrets[name] = value
		switch {
		case errors.Is(err, errNotGiven):
			r.complain(n.pos, "give it: --secret "+name, "%s is not given to cases from an address", name)
		case err != nil:
			r.complain(n.pos, "lines of the form NAME=value", "the secret %s: %v", name, err)
		case where == "":
			r.complain(n.pos, "set it in the environment, or in .env.local beside the case file or above it", "the secret %s has no value", name)
		case value == "":
			r.complain(n.pos, "", "the secret %s is empty in %s", name, where)
		}
	}
	if f, ok := doc.field("vars"); ok {
		for _, v := range f.value.fields {
			if r.isSecret(v.key) {
				r.complain(v.pos, "its value must not stand in the file", "%s is a secret and a variable", v.key)
			}
		}
	}
}

// An environment finds the values of secrets: the process environment, then .env.local in the folder of the
// case file and in each above it, nearest first.
type environment struct {
	dir    string
	lookup func(string) (string, bool)
	files  []envFile
	read   bool
	only   []string // the names that may be asked for; nil is any
}

type envFile struct {
	path   string
	values map[string]string
	err    error
}

// errNotGiven is why a case from an address does not get a secret.
var errNotGiven = errors.New("it is not given to cases from an address")

// find returns the value and where it was found; where is empty when it is nowhere.
func (e *environment) find(name string) (value, where string, err error) {
	if e.only != nil && !slices.Contains(e.only, name) {
		return "", "", errNotGiven
	}
	if v, ok := e.lookup(name); ok {
		return v, "the environment", nil
	}
	e.open()
	for _, f := range e.files {
		if f.err != nil {
			return "", f.path, f.err
		}
		if v, ok := f.values[name]; ok {
			return v, f.path, nil
		}
	}
	return "", "", nil
}

// token is the value of [tokenName], "" where there is none.
func (e *environment) token() (value, where string, err error) {
	if e.lookup == nil {
		e.lookup = os.LookupEnv
	}
	return e.find(tokenName)
}

func (e *environment) open() {
	if e.read {
		return
	}
	e.read = true
	dir, err := filepath.Abs(e.dir)
	if err != nil {
		return
	}
	wd, err := os.Getwd()
	if err != nil {
		wd = dir
	}
	for {
		path := filepath.Join(dir, ".env.local")
		shown := path
		if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
			shown = rel
		}
		if data, err := os.ReadFile(path); err == nil {
			f := envFile{path: shown}
			// The parser's own errors quote the file, so they are not passed on.
			if f.values, err = godotenv.UnmarshalBytes(data); err != nil {
				f.err = fmt.Errorf("%s cannot be read", shown)
			}
			e.files = append(e.files, f)
		} else if !os.IsNotExist(err) {
			e.files = append(e.files, envFile{path: shown, err: fmt.Errorf("%s cannot be read: %w", shown, bare(err))})
		}
		up := filepath.Dir(dir)
		if up == dir {
			return
		}
		dir = up
	}
}
