package casefile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// A verb is what a step does, with the keys that belong to it alone.
type verb struct {
	kind deed.Kind
	own  []string
}

// verbs of this version. `expect` is a verb only where no other stands beside it.
var verbs = map[string]verb{
	"goto":       {kind: deed.KindGoto},
	"back":       {kind: deed.KindBack},
	"forward":    {kind: deed.KindForward},
	"reload":     {kind: deed.KindReload},
	"click":      {kind: deed.KindClick},
	"dblclick":   {kind: deed.KindDblclick},
	"hover":      {kind: deed.KindHover},
	"focus":      {kind: deed.KindFocus},
	"fill":       {kind: deed.KindFill, own: []string{"with", "secret"}},
	"type":       {kind: deed.KindType, own: []string{"with", "secret"}},
	"clear":      {kind: deed.KindClear},
	"press":      {kind: deed.KindPress, own: []string{"key"}},
	"check":      {kind: deed.KindCheck},
	"uncheck":    {kind: deed.KindUncheck},
	"select":     {kind: deed.KindSelect, own: []string{"option"}},
	"upload":     {kind: deed.KindUpload, own: []string{"files"}},
	"drag":       {kind: deed.KindDrag, own: []string{"to"}},
	"scroll":     {kind: deed.KindScroll},
	"tab":        {kind: deed.KindTab},
	"screenshot": {kind: deed.KindShot},
	"wait":       {kind: deed.KindWait},
	"expect":     {kind: deed.KindExpect},
	"eval":       {kind: deed.KindEval, own: []string{"save"}},
	"http":       {kind: deed.KindHTTP, own: []string{"status", "header", "json", "save"}},
}

// bareVerbs need no object: they may stand alone, without a colon.
var bareVerbs = []string{"back", "forward", "reload"}

// stepKeys may stand beside every verb.
var stepKeys = []string{"intent", "expect", "timeout", "dialog"}

func isVerb(key string) bool {
	_, ok := verbs[key]
	return ok || key == "use"
}

// step reads one step; ok is false when nothing of it can be kept.
func (r *reader) step(n *node) (s deed.Step, ok bool) {
	before := len(r.problems)
	if n.kind == scalar && slices.Contains(bareVerbs, n.text) {
		s.Pos, s.Action.Kind = r.clamp(n.pos), verbs[n.text].kind
		return s, true
	}
	if n.kind != mapping {
		hint := "- click: {button: Save}"
		if near := deed.Suggest(n.text, bareVerbs); n.kind == scalar && near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.wrongKind(n, "a step", "a mapping", hint)
		return s, false
	}
	if len(n.fields) == 0 {
		r.complain(n.pos, "- click: {button: Save}", "the step is empty")
		return s, false
	}
	s.Pos = r.clamp(n.fields[0].pos)
	v, verbField, ok := r.verb(n)
	if !ok {
		return s, false
	}
	s.Pos = r.clamp(verbField.pos)
	a := &s.Action
	a.Kind = v.kind

	keys := map[string]field{}
	var beside []field
	takesLocator := v.kind.NeedsElement() || v.kind == deed.KindPress && verbField.value.kind == mapping
	for _, f := range n.fields {
		switch {
		case f.key == verbField.key:
		case slices.Contains(v.own, f.key):
			keys[f.key] = f
		case f.key == "expect" && (v.kind == deed.KindWait):
			r.complain(f.pos, "write both under wait, as a list", "wait says what is expected already")
		case slices.Contains(stepKeys, f.key):
			keys[f.key] = f
		case slices.Contains(siblings, f.key):
			if !takesLocator {
				hint := ""
				switch v.kind {
				case deed.KindWait, deed.KindExpect:
					hint = "write it inside the expectation"
				case deed.KindScroll:
					hint = "write it inside: scroll: {to: {heading: Reviews}, in: main}"
				case deed.KindPress:
					hint = "name the element too: press: {textbox: Search} with key: Enter"
				}
				r.complain(f.pos, hint, "%s narrows a locator, and %s has none", f.key, verbField.key)
				continue
			}
			beside = append(beside, f)
		default:
			r.strayKey(f, verbField.key, v)
		}
	}
	if f, ok := keys["timeout"]; ok {
		a.Timeout = r.duration(f)
	}
	if f, ok := keys["intent"]; ok {
		a.Intent, _ = r.text(f)
	}
	if f, ok := keys["dialog"]; ok {
		a.Dialog = r.dialog(f)
	}
	if f, ok := keys["expect"]; ok {
		a.Expect = r.expectations(f.value, nil)
	}
	if v.kind == deed.KindHTTP {
		r.http(&s, verbField, keys)
		return s, true
	}
	r.object(a, &s, verbField, keys, beside)
	if len(r.problems) == before {
		// What the vocabulary refuses beyond this reader is refused here, at the step.
		if err := a.Validate(); err != nil {
			r.report(verbField.pos, "", err)
		}
	}
	return s, true
}

// verb finds the one verb of a step.
func (r *reader) verb(n *node) (verb, field, bool) {
	var found []field
	for _, f := range n.fields {
		if f.key != "expect" && isVerb(f.key) {
			found = append(found, f)
		}
	}
	if len(found) > 1 {
		r.complain(found[1].pos, "make it a step of its own", "a step does one thing, this does %s and %s", found[0].key, found[1].key)
		return verb{}, field{}, false
	}
	if len(found) == 1 {
		return verbs[found[0].key], found[0], true
	}
	if f, ok := n.field("expect"); ok {
		return verbs["expect"], f, true
	}
	first := n.fields[0]
	names := verbNames()
	for _, f := range n.fields {
		if s := deed.Suggest(f.key, names); s != "" && !r.knownStepKey(f.key) {
			r.complain(f.pos, fmt.Sprintf("did you mean %q?", s), "unknown verb %q", f.key)
			return verb{}, field{}, false
		}
	}
	if !r.knownStepKey(first.key) {
		r.complain(first.pos, verbHint(), "unknown verb %q", first.key)
		return verb{}, field{}, false
	}
	r.complain(first.pos, verbHint(), "the step does nothing, a verb is missing")
	return verb{}, field{}, false
}

// verbHint lists the verbs of this version.
func verbHint() string {
	return "verbs are " + strings.Join(verbNames(), ", ")
}

// verbNames lists all verbs, for suggestions.
func verbNames() []string {
	names := []string{"use"}
	for k := range verbs {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// knownStepKey reports whether the key has a meaning beside some verb.
func (r *reader) knownStepKey(key string) bool {
	if slices.Contains(stepKeys, key) || slices.Contains(siblings, key) {
		return true
	}
	return ownerOf(key) != ""
}

// ownerOf names the verbs that a key belongs to.
func ownerOf(key string) string {
	var owners []string
	for name, v := range verbs {
		if slices.Contains(v.own, key) {
			owners = append(owners, name)
		}
	}
	slices.Sort(owners)
	return strings.Join(owners, " and ")
}

// strayKey complains about a key that does not belong to the step's verb.
func (r *reader) strayKey(f field, name string, v verb) {
	if owner := ownerOf(f.key); owner != "" {
		r.complain(f.pos, "", "%s belongs to %s, not to %s", f.key, owner, name)
		return
	}
	candidates := append(slices.Clone(v.own), stepKeys...)
	if v.kind.NeedsElement() || v.kind == deed.KindPress {
		candidates = append(candidates, siblings...)
	}
	if deed.Suggest(f.key, candidates) == "" {
		candidates = verbNames()
	}
	article := "a "
	if strings.ContainsAny(name[:1], "aeiou") {
		article = "an "
	}
	r.unknown(f, article+name+" step", candidates)
}

// object reads what the verb acts on, and the keys that are its own.
func (r *reader) object(a *deed.Action, s *deed.Step, v field, keys map[string]field, beside []field) {
	if a.Kind.NeedsElement() {
		a.Locator, _ = r.locator(v.value, v.key, beside)
	}
	switch a.Kind {
	case deed.KindGoto:
		if text, ok := r.text(v); ok {
			a.Text = text
			if strings.HasPrefix(text, "\ufdd0") {
				return // the whole of it is known once a step has saved it
			}
			if u := r.url(v.value.pos, text); u != nil {
				a.Text = written(u.String())
			}
		}
	case deed.KindBack, deed.KindForward, deed.KindReload:
		r.nothing(v)
	case deed.KindFill, deed.KindType:
		r.fill(a, v, keys)
	case deed.KindUpload:
		r.upload(a, v, keys)
	case deed.KindDrag:
		r.drag(a, v, keys)
	case deed.KindScroll:
		r.scroll(a, v)
	case deed.KindTab:
		r.tab(a, v)
	case deed.KindShot:
		r.shot(a, v)
	case deed.KindPress:
		r.press(a, v, keys, beside)
	case deed.KindSelect:
		f, ok := keys["option"]
		if !ok {
			r.complain(v.pos, "option: its label or value", "select names no option")
			return
		}
		for _, n := range r.listOf(f.value) {
			if t, ok := r.scalar(n, "option"); ok {
				a.Options = append(a.Options, t)
			}
		}
		if f.value.kind == list && len(f.value.items) == 0 {
			r.complain(f.value.pos, "", "select names no option")
		}
	case deed.KindWait:
		if n := v.value; n.kind == scalar && !n.absent && isDuration(n.text) {
			a.Pause = r.duration(v)
			return
		}
		a.Expect = r.expectations(v.value, &a.Timeout)
	case deed.KindExpect:
		a.Expect = r.expectations(v.value, nil)
	case deed.KindEval:
		a.Text, _ = r.text(v)
		if strings.TrimSpace(a.Text) == "" && v.value.kind == scalar && !v.value.absent {
			r.complain(v.value.pos, "", "eval has no expression")
		}
		if f, ok := keys["save"]; ok {
			name, ok := r.text(f)
			if s.Save = name; ok {
				r.saved(f.value.pos, name)
			}
		}
	}
}

func (r *reader) fill(a *deed.Action, v field, keys map[string]field) {
	with, plain := keys["with"]
	secret, masked := keys["secret"]
	switch {
	case plain && masked:
		r.complain(secret.pos, "", "%s takes with or secret, not both", v.key)
	case plain:
		var ok bool
		if a.Text, ok = r.text(with); ok && a.Text == "" && a.Kind == deed.KindType {
			r.complain(with.value.pos, "to empty a field, write clear: {textbox: Note}", "type has nothing to type")
		}
	case masked:
		a.Secret, a.Text = r.secret(secret)
	default:
		what := "fill in"
		if a.Kind == deed.KindType {
			what = "type"
		}
		r.complain(v.pos, "with: the text, or secret: the NAME of one", "%s has nothing to %s", v.key, what)
	}
}

// secret reads the name of a secret and returns it with its value.
func (r *reader) secret(f field) (name, value string) {
	if f.value.kind == scalar {
		if name, ok := strings.CutPrefix(f.value.text, "${"); ok {
			r.complain(f.value.pos, "secret: "+strings.TrimSuffix(name, "}"), "secret takes the name itself")
			return "", ""
		}
	}
	name, ok := r.text(f)
	if !ok {
		return "", ""
	}
	if !r.isSecret(name) {
		hint := "add it: secrets: [" + name + "]"
		names := make([]string, 0, len(r.secrets))
		for k := range r.secrets {
			names = append(names, k)
		}
		slices.Sort(names)
		switch s := deed.Suggest(name, names); {
		case !varName.MatchString(name):
			hint = "secret takes the name of a secret, its value never stands in a case file"
			r.complain(f.value.pos, hint, "secret names no secret of the case")
			return "", ""
		case s != "":
			hint = fmt.Sprintf("did you mean %q?", s)
		}
		r.complain(f.value.pos, hint, "%s is not under secrets", name)
		return "", ""
	}
	return name, r.secrets[name]
}

func (r *reader) press(a *deed.Action, v field, keys map[string]field, beside []field) {
	f, hasKey := keys["key"]
	if v.value.kind == mapping {
		a.Locator, _ = r.locator(v.value, "press", beside)
		if !hasKey {
			r.complain(v.pos, "key: Enter", "press names no key")
			return
		}
	} else {
		if v.value.absent {
			r.complain(v.pos, "press: Enter", "press names no key")
			return
		}
		if hasKey {
			r.complain(f.pos, "press: {textbox: Search} with key: Enter, or press: Enter alone", "press names its key twice")
			return
		}
		f = v
	}
	key, ok := r.text(f)
	if !ok {
		return
	}
	if hint, ok := knownKey(key); !ok {
		r.complain(f.value.pos, hint, "unknown key %q on the keyboard", key)
		return
	}
	a.Key = key
}

// dialog reads accept, dismiss or {accept: TEXT}.
func (r *reader) dialog(f field) *deed.Answer {
	const forms = "accept, dismiss or {accept: TEXT}"
	n := f.value
	switch n.kind {
	case scalar:
		switch n.text {
		case "accept":
			return &deed.Answer{Accept: true}
		case "dismiss":
			return &deed.Answer{}
		}
		hint := forms
		if s := deed.Suggest(n.text, []string{"accept", "dismiss"}); s != "" {
			hint = fmt.Sprintf("did you mean %q?", s)
		}
		r.complain(n.pos, hint, "a dialog is accepted or dismissed, not %q", n.text)
	case mapping:
		if len(n.fields) == 1 && n.fields[0].key == "accept" {
			if text, ok := r.text(n.fields[0]); ok {
				return &deed.Answer{Accept: true, Text: text}
			}
			return nil
		}
		r.complain(n.pos, forms, "a dialog is accepted or dismissed")
	default:
		r.wrongKind(n, "dialog", "a text", forms)
	}
	return nil
}

// isDuration tells `wait: 500ms` from a wait that forgot what for.
func isDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil && text != "0"
}
