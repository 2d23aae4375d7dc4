package casefile

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// caseKeys are the keys of a case, in the order of the documentation.
var caseKeys = []string{"deed", "case", "title", "tags", "start", "origins", "egress", "vars", "secrets", "requires", "depends_on", "session",
	"timeout", "retries", "quarantine", "failOn", "device", "clock", "storage", "cookies", "network", "steps", "teardown"}

// A reader turns one document into a case. It goes on after each complaint.
type reader struct {
	*source
	env     *environment
	vars    map[string]*variable
	secrets map[string]string   // by name
	saves   map[string]bool     // names under which steps keep values
	kept    map[string]deed.Pos // those of the steps that were read, with the place of each
	chain   []string            // the fragments that are being read, the outermost first

	secretText bool     // a secret may stand in the text that is being read
	base       *url.URL // what relative URLs are resolved against: start, else BASE_URL
	noBase     bool     // start is there and wrong: what is relative to it cannot be told
	c          located
}

func readCase(s *source, doc *node, env *environment, o Options) located {
	r := &reader{source: s, env: env, saves: map[string]bool{}, kept: map[string]deed.Pos{}}
	r.c.File = s.name
	if doc.kind != mapping {
		r.complain(doc.pos, "a case begins with deed: 1 and case: its-id", "a case is a mapping, this is %s", doc.kind)
		return r.c
	}
	for _, f := range doc.fields {
		switch {
		case slices.Contains(caseKeys, f.key):
		default:
			hint := ""
			if isVerb(f.key) {
				hint = "write it under steps"
			} else if s := deed.Suggest(f.key, caseKeys); s != "" {
				hint = fmt.Sprintf("did you mean %q?", s)
			}
			r.complain(f.pos, hint, "unknown key %q in a case", f.key)
		}
	}
	r.collectSaves(doc)
	r.declareSecrets(doc)
	r.declareVars(doc, o)
	r.head(doc)
	r.start(doc)
	r.settings(doc)
	r.steps(doc)
	r.origins(doc)
	r.c.Secrets = r.secrets
	return r.c
}

// collectSaves notes the names that steps save, for the complaint about using one as a variable.
func (r *reader) collectSaves(doc *node) {
	for _, key := range []string{"steps", "teardown"} {
		f, _ := doc.field(key)
		if f.value == nil {
			continue
		}
		for _, step := range f.value.items {
			if s, ok := step.field("save"); ok && s.value.kind == scalar {
				r.saves[s.value.text] = true
			} else if ok {
				for _, e := range s.value.fields {
					r.saves[e.key] = true
				}
			}
		}
	}
}

// head reads what describes the case: deed, case, title, tags, timeout.
func (r *reader) head(doc *node) {
	switch f, ok := doc.field("deed"); {
	case !ok:
		r.complain(doc.pos, "begin the case with deed: 1", "the version of the format is missing")
	case f.value.kind != scalar || f.value.text != strconv.Itoa(deed.Format):
		r.complain(f.value.pos, fmt.Sprintf("deed: %d", deed.Format), "this version reads format %d", deed.Format)
	}
	switch f, ok := doc.field("case"); {
	case !ok:
		r.complain(doc.pos, "case: add-to-cart", "the id of the case is missing")
	default:
		id, ok := r.text(f)
		if ok && !deed.ValidCaseID(id) {
			r.complain(f.value.pos, caseIDHint(id), "%q cannot be the id of a case", id)
		}
		r.c.ID, r.c.Pos = id, r.clamp(f.value.pos)
	}
	if f, ok := doc.field("title"); ok {
		r.c.Title, _ = r.text(f)
	}
	if f, ok := doc.field("tags"); ok {
		for _, n := range r.listOf(f.value) {
			if t, ok := r.scalar(n, "a tag"); ok {
				r.c.Tags = append(r.c.Tags, t)
			}
		}
	}
	if f, ok := doc.field("timeout"); ok {
		r.c.Timeout = r.duration(f)
	}
}

// caseIDHint proposes the nearest id that may be one.
func caseIDHint(id string) string {
	fold := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '/':
			return c
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, strings.TrimSpace(id))
	if fold = strings.Trim(fold, "-/"); deed.ValidCaseID(fold) {
		return "case: " + fold
	}
	return "small letters, digits, - and /"
}

// start reads where the case begins.
func (r *reader) start(doc *node) {
	if v, ok := r.vars["BASE_URL"]; ok && v.state == known {
		if u, err := url.Parse(v.value); err == nil && u.Scheme != "" {
			r.base = u
		}
	}
	f, ok := doc.field("start")
	if !ok {
		return
	}
	var u *url.URL
	if text, ok := r.text(f); ok {
		u = r.url(f.value.pos, text)
	}
	if u == nil {
		r.noBase = true
		return
	}
	r.base, r.c.Start = u, u.String()
}

// url reads an address, relative to the case's start or BASE_URL; nil after a complaint.
func (r *reader) url(at deed.Pos, text string) *url.URL {
	text = strings.TrimSpace(text)
	if text == "" {
		r.complain(at, "", "a URL is missing")
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" && u.Host == "" && !slices.Contains([]string{"http", "https", "file", "about", "data", "javascript"}, u.Scheme) {
		// localhost:8080 parses as a scheme, 127.0.0.1:8080 as nothing at all.
		if host, _, ok := strings.Cut(text, ":"); ok && !strings.ContainsAny(host, "/?# ") && !strings.Contains(text, "://") {
			r.complain(at, "write http://"+text, "the URL %q has no scheme", text)
			return nil
		}
		if err == nil {
			err = fmt.Errorf("the host is missing")
		}
		if e, ok := err.(*url.Error); ok {
			err = e.Err
		}
		r.complain(at, "", "bad URL %q: %v", text, err)
		return nil
	}
	if u.Scheme == "" {
		if r.noBase {
			return nil
		}
		if r.base == nil {
			r.complain(at, "write the whole URL, give --base-url, or declare vars: {BASE_URL: …}", "the URL %q is relative, and there is nothing it is relative to", text)
			return nil
		}
		if u = r.base.ResolveReference(u); u.Scheme == "about" || u.Scheme == "data" {
			r.complain(at, "", "the URL %q is relative, and %s has no pages below it", text, r.base)
			return nil
		}
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			r.complain(at, "", "bad URL %q: the host is missing", text)
			return nil
		}
	case "file", "about", "data":
	default:
		r.complain(at, "http, https, file, data or about:blank", "a case does not open %s: URLs", u.Scheme)
		return nil
	}
	return u
}

// origin returns scheme://host[:port]; "" where the URL has none of its own.
func origin(u *url.URL) string {
	switch u.Scheme {
	case "http", "https":
		host := strings.ToLower(u.Host)
		if u.Scheme == "http" {
			host = strings.TrimSuffix(host, ":80")
		} else {
			host = strings.TrimSuffix(host, ":443")
		}
		return u.Scheme + "://" + host
	case "file":
		return "file://"
	}
	return ""
}

// origins collects where the case may go: its start, what it lists. A goto elsewhere is a mistake that can be
// told before a browser starts.
func (r *reader) origins(doc *node) {
	var out []string
	add := func(o string) {
		if o != "" && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	if r.c.Start != "" {
		if u, err := url.Parse(r.c.Start); err == nil {
			add(origin(u))
		}
	}
	listed := true
	if f, ok := doc.field("origins"); ok {
		for _, n := range r.listOf(f.value) {
			text, ok := r.scalar(n, "an origin")
			if !ok {
				listed = false
				continue
			}
			u, err := url.Parse(strings.TrimSuffix(text, "/"))
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
				hint := `"https://pay.example"`
				if err == nil && u.Host != "" && origin(u) != "" {
					hint = strconv.Quote(origin(u))
				}
				r.complain(n.pos, hint, "%q is no origin: scheme, host and port", text)
				listed = false
				continue
			}
			add(origin(u))
		}
	}
	_, hasStart := doc.field("start")
	for i := range r.c.Steps {
		s := &r.c.Steps[i]
		if s.Action.Kind != deed.KindGoto && !(s.Action.Kind == deed.KindTab && s.Action.Tab == tabOpen) {
			continue
		}
		u, err := url.Parse(s.Action.Text)
		if err != nil {
			continue
		}
		o := origin(u)
		if o == "" || slices.Contains(out, o) {
			continue
		}
		if !hasStart {
			hasStart = true // the first goto is the start
			add(o)
			continue
		}
		if listed && r.c.Start != "" {
			r.complain(s.Pos, "add it to origins: ["+strconv.Quote(o)+"]", "this goes to %s, which is not one of the case's origins: %s", o, strings.Join(out, ", "))
		}
	}
	r.c.Origins = out
	if f, ok := doc.field("egress"); ok && r.c.Egress != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(o, "http") }) {
		r.complain(f.pos, "begin at a web address, or name origins", "egress holds what leaves to the origins of the case, and it has none")
	}
}

// steps reads the steps; what can be read of a bad one is kept, so that later checks see the whole.
func (r *reader) steps(doc *node) {
	before := len(r.problems)
	r.stepsOf(doc, "steps", &r.c.Steps)
	_, hasStart := doc.field("start")
	for i := range r.c.Steps {
		s := &r.c.Steps[i]
		if s.HTTP != nil {
			continue // it needs no page
		}
		if !hasStart && len(r.c.DependsOn) == 0 && s.Action.Kind != deed.KindGoto && len(r.problems) == before {
			r.complain(s.Pos, "give start: its URL, or begin with a goto", "no page is open yet")
		}
		break
	}
	if _, ok := doc.field("teardown"); ok {
		r.stepsOf(doc, "teardown", &r.c.Teardown)
	}
}

// stepsOf reads a list of steps.
func (r *reader) stepsOf(doc *node, key string, to *[]deed.Step) {
	f, ok := doc.field(key)
	if !ok {
		r.complain(doc.pos, "", "the case has no %s", key)
		return
	}
	if f.value.kind != list {
		r.wrongKind(f.value, key, "a list", "- click: {button: Save}")
		return
	}
	if len(f.value.items) == 0 {
		r.complain(f.value.pos, "", "the case has no %s", key)
	}
	for _, n := range f.value.items {
		if u, ok := n.field("use"); ok && n.kind == mapping {
			for _, other := range n.fields {
				if other.key != "use" {
					r.complain(other.pos, "make it a step of its own", "use stands alone in its step")
				}
			}
			*to = append(*to, r.use(u)...)
			continue
		}
		if s, ok := r.step(n); ok {
			*to = append(*to, s)
		}
	}
}

// text reads a key whose value is a text; numbers and the like count as they are written.
func (r *reader) text(f field) (string, bool) { return r.scalar(f.value, f.key) }

func (r *reader) scalar(n *node, what string) (string, bool) {
	if n.kind != scalar {
		r.wrongKind(n, what, "a text", "")
		return "", false
	}
	if n.absent {
		hint := ""
		if what == "with" || what == "equals" {
			hint = what + `: "" is the empty text`
		}
		r.complain(n.pos, hint, "%s has no value", what)
		return "", false
	}
	return r.expand(n)
}

// wrongKind complains that a value is of the wrong shape.
func (r *reader) wrongKind(n *node, what, want, example string) {
	got := n.kind.String()
	if n.absent {
		got = "nothing"
	}
	r.complain(n.pos, example, "%s is %s, not %s", what, want, got)
}

// listOf reads a list, or one value as a list of one.
func (r *reader) listOf(n *node) []*node {
	if n.kind == list {
		return n.items
	}
	return []*node{n}
}

func (r *reader) duration(f field) time.Duration {
	text, ok := r.text(f)
	if !ok {
		return 0
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		hint := "write " + text + "s"
		if n >= 1000 {
			hint = "write " + text + "ms, or " + strconv.FormatFloat(n/1000, 'f', -1, 64) + "s"
		}
		r.complain(f.value.pos, hint, "%s: %s has no unit", f.key, text)
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		r.complain(f.value.pos, "5s, 500ms or 1m30s", "%s: %q is no duration", f.key, text)
		return 0
	}
	if d <= 0 {
		r.complain(f.value.pos, "", "%s: %s is no time at all", f.key, text)
		return 0
	}
	return d
}

func (r *reader) integer(f field) (int, bool) {
	text, ok := r.text(f)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		r.complain(f.value.pos, "", "%s is a whole number, not %q", f.key, text)
		return 0, false
	}
	return n, true
}

func (r *reader) boolean(f field) (value, ok bool) {
	text, ok := r.text(f)
	if !ok {
		return false, false
	}
	switch text {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	hint := "true or false"
	switch strings.ToLower(text) {
	case "yes", "on", "true":
		hint = f.key + ": true"
	case "no", "off", "false":
		hint = f.key + ": false"
	}
	r.complain(f.value.pos, hint, "%s is true or false, not %q", f.key, text)
	return false, false
}
