package casefile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// mostNested bounds fragments that use fragments.
const mostNested = 5

// fragmentKeys are the keys of a fragment.
var fragmentKeys = []string{"deed", "fragment", "title", "params", "steps"}

// use reads the steps of a fragment in the place of a step: `use: {fragment: sign-in, with: {EMAIL: ana@example.com}}`, or its name alone.
// A fragment NAME is the file NAME.fragment.yaml beside the case, in a folder `fragments` beside it, or in either of a folder above.
func (r *reader) use(v field) []deed.Step {
	var name string
	given := map[string]*variable{}
	places := map[string]deed.Pos{}
	switch v.value.kind {
	case scalar:
		name, _ = r.text(v)
	case mapping:
		for _, f := range v.value.fields {
			switch f.key {
			case "fragment":
				name, _ = r.text(f)
			case "with":
				if f.value.kind != mapping {
					r.wrongKind(f.value, "with", "a mapping of names to texts", "")
				}
				for _, e := range f.value.fields {
					if text, ok := r.scalar(e.value, e.key); ok {
						given[e.key], places[e.key] = &variable{value: text, state: known}, e.pos
					}
				}
			default:
				r.unknown(f, "use", []string{"fragment", "with"})
			}
		}
	default:
		r.wrongKind(v.value, "use", "the name of a fragment", "use: {fragment: sign-in}")
		return nil
	}
	if name == "" {
		r.complain(v.pos, "use: {fragment: sign-in}", "use names no fragment")
		return nil
	}
	if !deed.ValidCaseID(name) {
		r.complain(v.value.pos, "small letters, digits, - and /", "%q cannot be the name of a fragment", name)
		return nil
	}
	chain := append(slices.Clone(r.chain), name)
	switch {
	case slices.Contains(r.chain, name):
		r.complain(v.pos, "", "the fragment uses itself: %s", strings.Join(chain, " → "))
		return nil
	case len(chain) > mostNested:
		r.complain(v.pos, "", "fragments are nested more than %d deep: %s", mostNested, strings.Join(chain, " → "))
		return nil
	}
	path, near := r.findFragment(name)
	if path == "" {
		hint := "it is the file " + name + ".fragment.yaml, beside the case or in a folder fragments"
		if near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.complain(v.value.pos, hint, "there is no fragment %q", name)
		return nil
	}
	data, err := read(path)
	if err != nil {
		r.complain(v.value.pos, "", "the fragment %q: %w", name, err)
		return nil
	}
	src := newSource(path, data)
	docs := src.yaml()
	defer func() { r.problems = append(r.problems, src.problems...) }()
	if len(docs) != 1 {
		if len(src.problems) == 0 {
			src.complain(deed.Pos{File: path, Line: 1, Column: 1}, "it begins with fragment: "+name, "a fragment is one document")
		}
		return nil
	}
	doc := docs[0].node
	f := &reader{source: src, env: r.env, secrets: r.secrets, saves: r.saves, kept: r.kept, base: r.base, noBase: r.noBase, chain: chain, vars: map[string]*variable{}}
	f.c.File = path
	if doc.kind != mapping {
		f.complain(doc.pos, "it begins with fragment: "+name, "a fragment is a mapping, this is %s", doc.kind)
		return nil
	}
	for _, k := range doc.fields {
		if !slices.Contains(fragmentKeys, k.key) {
			f.unknown(k, "a fragment", fragmentKeys)
		}
	}
	if k, ok := doc.field("fragment"); ok {
		if own, ok := f.text(k); ok && own != name {
			f.complain(k.value.pos, "fragment: "+name, "the fragment calls itself %q, and its file %q", own, name)
		}
	} else {
		f.complain(doc.pos, "fragment: "+name, "the name of the fragment is missing")
	}
	if b := r.vars["BASE_URL"]; b != nil {
		f.vars["BASE_URL"] = b
	}
	f.params(doc, given, func(param string) {
		r.complain(v.pos, "with: {"+param+": …}", "the fragment %q needs %s", name, param)
	})
	for param, at := range places {
		if f.vars[param] != given[param] {
			names := slices.DeleteFunc(f.varNames(), func(n string) bool { return n == "BASE_URL" })
			hint := "it takes none"
			if len(names) > 0 {
				hint = "it takes " + strings.Join(names, ", ")
			}
			r.complain(at, hint, "the fragment %q takes no %s", name, param)
		}
	}
	f.stepsOf(doc, "steps", &f.c.Steps)
	digest := sha256.New()
	digest.Write(data)
	for i := range f.c.Steps {
		if u := f.c.Steps[i].Use; u != nil {
			digest.Write([]byte(u.Digest))
		}
	}
	sum := hex.EncodeToString(digest.Sum(nil))[:16]
	for i := range f.c.Steps {
		f.c.Steps[i].Use = &deed.Use{Fragment: strings.Join(chain, "/"), Digest: sum, Pos: r.clamp(v.pos)}
	}
	return f.c.Steps
}

// params declares the parameters of a fragment: given ones, else their defaults; missing is called for one that has neither.
func (r *reader) params(doc *node, given map[string]*variable, missing func(string)) {
	k, ok := doc.field("params")
	if !ok {
		return
	}
	declare := func(name string, at deed.Pos, byDefault *node) {
		switch {
		case !varName.MatchString(name):
			r.complain(at, "letters, digits and _", "a parameter cannot be named %q", name)
		case given[name] != nil:
			r.vars[name] = given[name]
		case byDefault != nil && !byDefault.absent:
			r.vars[name] = &variable{raw: byDefault}
		default:
			r.vars[name] = &variable{state: broken}
			missing(name)
		}
	}
	if k.value.kind == mapping {
		for _, f := range k.value.fields {
			declare(f.key, f.pos, f.value)
		}
		return
	}
	for _, n := range r.listOf(k.value) {
		if name, ok := r.scalar(n, "a parameter"); ok {
			declare(name, n.pos, nil)
		}
	}
}

// findFragment looks for the file of a fragment, nearest first; near is another one whose name is like it.
func (r *reader) findFragment(name string) (path, near string) {
	dir, err := filepath.Abs(filepath.Dir(r.name))
	if err != nil {
		return "", ""
	}
	shown := filepath.Dir(r.name)
	var others []string
	for {
		for _, in := range []string{"", "fragments"} {
			p := filepath.Join(shown, in, filepath.FromSlash(name)+".fragment.yaml")
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				return p, ""
			}
			found, _ := filepath.Glob(filepath.Join(shown, in, "*.fragment.yaml"))
			for _, f := range found {
				others = append(others, strings.TrimSuffix(filepath.Base(f), ".fragment.yaml"))
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", deed.Suggest(name, others)
		}
		dir, shown = up, filepath.Join(shown, "..")
	}
}
