package lock

import (
	"regexp"
	"strings"

	"github.com/deed-dev/deed"
)

// maxAwaits is how many effects of a step are waited for: those that come last come with them.
const maxAwaits = 12

// Awaits are the effects of step n as expectations that a replay waits for, so that what is slow is not taken for missing. They go into
// [deed.Action.Await] and decide nothing: what did not come in time is told by [Case.Check].
func (l *Case) Awaits(c *deed.Case, n int) []deed.Expect {
	if n < 0 || n >= len(l.Steps) {
		return nil
	}
	s, x := &l.Steps[n], newContext(c)
	var out []deed.Expect
	if s.URL != "" && !s.URL.varies() {
		at, _, _ := strings.Cut(x.fill(s.URL), "?") // a query may hold what keeps caches away
		at, _, _ = strings.Cut(at, "#")
		out = append(out, deed.URL(at+"**"))
	}
	for i := range s.Effects {
		e := &s.Effects[i]
		if e.Optional || e.Uncaused || e.Name == "" || e.Frame != "" || len(out) >= maxAwaits || !deed.KnownRole(e.Role) {
			continue
		}
		w := deed.Expect{Locator: deed.Locator{Role: e.Role, Name: x.name(e.Name)}}
		switch e.Kind {
		case deed.Appeared:
			w.Kind = deed.ExpectAppears
		case deed.Disappeared:
			w.Kind = deed.ExpectDisappears
		default:
			continue
		}
		if !e.Region.varies() {
			w.Locator.Region = x.fill(e.Region)
		}
		out = append(out, w)
	}
	return out
}

// name is a text as the name of a locator: a regular expression where it varies, or where it would be read as one.
func (x *context) name(t Text) string {
	plain := x.fill(t)
	if !t.varies() && !strings.HasPrefix(plain, "/") {
		return plain
	}
	var b strings.Builder
	b.WriteString("/^")
	for _, p := range t.pieces() {
		if w, ok := wildcard(p); ok {
			b.WriteString("(?:" + accepted(w) + ")")
			continue
		}
		b.WriteString(regexp.QuoteMeta(x.fill(Text(p))))
	}
	return b.String() + "$/"
}

func accepted(w string) string {
	for _, k := range wild {
		if k.name == w {
			return k.accepts
		}
	}
	return `.*`
}
