package lock

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
)

// Origin is the name under which a lock knows the origin of the case's start.
const Origin = "ORIGIN"

// A context is what a case knows of one environment: what is put in the place of names, and what must never be written down.
type context struct {
	c      *deed.Case
	origin string
	names  []named // longest value first
	mask   redact.Masker
}

type named struct{ name, value string }

func newContext(c *deed.Case) *context {
	x := &context{c: c, origin: startOrigin(c)}
	if x.origin != "" {
		x.names = append(x.names, named{Origin, x.origin})
	}
	for name, value := range c.Vars {
		// A single character is everywhere.
		if utf8.RuneCountInString(value) > 1 && strings.TrimRight(value, "/") != x.origin {
			x.names = append(x.names, named{name, value})
		}
	}
	slices.SortFunc(x.names, func(a, b named) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.name, b.name))
	})
	for _, v := range c.Secrets {
		x.mask.Add(v)
	}
	for i := range c.Steps {
		if a := &c.Steps[i].Action; a.Sensitive() {
			x.mask.Add(a.Text)
		}
	}
	return x
}

// startOrigin is the origin of the case: of its start, else of the first address it goes to.
func startOrigin(c *deed.Case) string {
	if o := originOf(c.Start); o != "" {
		return o
	}
	for i := range c.Steps {
		if a := &c.Steps[i].Action; a.Kind == deed.KindGoto {
			if o := originOf(a.Text); o != "" {
				return o
			}
		}
	}
	return ""
}

func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// text writes down a text of the page: secrets masked, values of variables by name.
func (x *context) text(s string) Text {
	return Text(x.put(x.mask.String(s)))
}

// put writes names in the place of their values, where these stand as whole words.
func (x *context) put(s string) string {
	if s == "" {
		return ""
	}
	var b strings.Builder
	plain := 0
	for i := 0; i < len(s); {
		n := x.at(s, i)
		if n == nil {
			i++
			continue
		}
		b.WriteString(escape(s[plain:i]))
		b.WriteString("${" + n.name + "}")
		i += len(n.value)
		plain = i
	}
	b.WriteString(escape(s[plain:]))
	// What a step before saves is known by its name.
	if out, ok := deed.Bind(b.String(), func(name string) (string, bool) { return "${" + name + "}", variableName.MatchString(name) }); ok {
		return out
	}
	return b.String()
}

// at returns the name whose value stands at i as whole words.
func (x *context) at(s string, i int) *named {
	for k := range x.names {
		n := &x.names[k]
		if strings.HasPrefix(s[i:], n.value) && apart(s, i) && apart(s, i+len(n.value)) {
			return n
		}
	}
	return nil
}

// apart reports whether a word begins or ends at i.
func apart(s string, i int) bool {
	a, _ := utf8.DecodeLastRuneInString(s[:i])
	b, _ := utf8.DecodeRuneInString(s[i:])
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }
	return !(in(a) && in(b))
}

// fill puts the values of this environment in the place of names. A wildcard stays.
func (x *context) fill(t Text) string {
	var b strings.Builder
	for _, p := range t.pieces() {
		switch {
		case p == "{{":
			b.WriteByte('{')
		case strings.HasPrefix(p, "${"):
			b.WriteString(x.value(p[2:len(p)-1], p))
		default:
			b.WriteString(p)
		}
	}
	return b.String()
}

func (x *context) value(name, otherwise string) string {
	if name == Origin && x.origin != "" {
		return x.origin
	}
	if v, ok := x.c.Vars[name]; ok {
		return v
	}
	return otherwise
}

// Rebase puts the values that the case has on this environment in the place of the names in a text of the lock: a URL of another base URL, the
// name of another account.
func Rebase(c *deed.Case, t Text) string { return newContext(c).fill(t) }

// volatileParams are parts of a query that keep answers out of caches.
var volatileParams = []string{"_", "t", "ts", "cb", "cachebust", "cachebuster", "nocache", "rand", "random", "timestamp", "nonce", "_rsc"}

// secretParams are parts of a query that let somebody in.
var secretParams = []string{"token", "access_token", "id_token", "refresh_token", "code", "state", "sig", "signature", "key", "api_key", "apikey", "auth",
	"session", "sessionid", "sid", "password", "passwd", "pwd", "secret", "csrf", "csrf_token", "xsrf", "ticket", "jwt", "otp"}

// address writes down a URL: names for what they stand for, no credentials, no cache busters.
func (x *context) address(raw string, query bool) Text {
	u, err := url.Parse(x.mask.String(raw))
	if err != nil {
		return x.text(raw)
	}
	if u.Opaque != "" || u.Host == "" {
		if u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "javascript" {
			return Text(escape(u.Scheme + ":"))
		}
		return x.text(raw)
	}
	u.User = nil
	u.Host, u.Scheme = strings.ToLower(u.Host), strings.ToLower(u.Scheme)
	q, fragment := u.RawQuery, u.EscapedFragment()
	u.RawQuery, u.Fragment, u.RawFragment, u.ForceQuery = "", "", "", false
	if u.Path == "" {
		u.Path = "/"
	}
	out := x.put(u.String())
	if !query {
		return Text(x.mask.String(out))
	}
	sep := "?"
	for _, part := range strings.Split(q, "&") {
		name, value, has := strings.Cut(part, "=")
		low := strings.ToLower(name)
		if part == "" || slices.Contains(volatileParams, low) {
			continue
		}
		out += sep + x.put(name)
		sep = "&"
		switch {
		case !has:
		case slices.Contains(secretParams, low) || strings.HasPrefix(low, "x-amz-"):
			out += "={text}"
		default:
			out += "=" + x.put(value)
		}
	}
	if fragment != "" {
		// A fragment may be a query of its own: what a login hands over.
		if strings.Contains(fragment, "token=") || strings.Contains(fragment, "code=") {
			fragment = "{text}"
		} else {
			fragment = x.put(fragment)
		}
		out += "#" + fragment
	}
	return Text(x.mask.String(out))
}

// said are the numbers, dates and ids that the case itself speaks of: what it says varies for no reason of the page's.
func (x *context) said() map[string]bool {
	out := map[string]bool{}
	add := func(s string) {
		for _, p := range Text(x.put(s)).pieces() {
			if k := kind(p); k == "number" || k == "date" || k == "id" {
				out[p] = true
			}
		}
	}
	for i := range x.c.Steps {
		a := &x.c.Steps[i].Action
		add(a.Locator.Name)
		add(a.Locator.Near)
		add(a.Locator.Region)
		if !a.Sensitive() {
			add(a.Text)
		}
		add(a.Intent)
		for _, o := range a.Options {
			add(o)
		}
		for j := range a.Expect {
			if e := &a.Expect[j]; !e.Secret {
				add(e.Text)
				add(e.Locator.Name)
				add(e.Locator.Near)
			}
		}
	}
	return out
}
