package lock

import (
	"cmp"
	"slices"
	"strings"

	"github.com/deed-dev/deed/internal/words"
)

// Merge is what two runs of one case have in common: parts that differ become wildcards, an effect that only one of them had becomes optional. The
// result accepts both, does not depend on their order, and merging either again changes nothing. Cases of different keys have nothing in common: b
// is returned.
//
// It is for a second run that [Case.Check] found nothing against, and for one whose differences somebody has accepted.
func Merge(a, b *Case) *Case {
	if a.Key != b.Key || len(a.Steps) != len(b.Steps) {
		return b
	}
	switch { // there is nothing to learn
	case a.Runs > 1 && a.holds(b):
		return a
	case b.Runs > 1 && b.holds(a):
		return b
	}
	out := &Case{ID: a.ID, Device: a.Device, Key: a.Key, Runs: 2}
	for i := range a.Steps {
		out.Steps = append(out.Steps, mergeStep(&a.Steps[i], &b.Steps[i]))
	}
	return out
}

// holds reports whether all that one lock says is what the other says already.
func (l *Case) holds(o *Case) bool {
	for i := range l.Steps {
		var k comparison
		if k.steps(&l.Steps[i], &o.Steps[i]); len(k.found) > 0 {
			return false
		}
	}
	return true
}

// Accept is the lock after somebody accepted what a run did otherwise. In the second run of a case that is a merge. Later, what is accepted
// takes the place of what was there: what varied still varies, and nothing else does.
func Accept(old, now *Case) *Case {
	if old.Key != now.Key || len(old.Steps) != len(now.Steps) {
		return now
	}
	if old.Runs < 2 {
		return Merge(old, now)
	}
	out := &Case{ID: now.ID, Device: old.Device, Key: now.Key, Runs: old.Runs}
	for i := range now.Steps {
		out.Steps = append(out.Steps, acceptStep(&old.Steps[i], &now.Steps[i]))
	}
	return out
}

// Heal is the lock after a run in which addresses were healed and all else held: those steps are known by what was found, the effects stay as they were.
func Heal(old, now *Case) *Case {
	if old.Key != now.Key || len(old.Steps) != len(now.Steps) {
		return old
	}
	out := *old
	out.Steps = slices.Clone(old.Steps)
	healed := false
	for i := range out.Steps {
		s, n := &out.Steps[i], &now.Steps[i]
		if n.Healed == "" || n.Healed == s.Healed {
			continue
		}
		healed = true
		if s.Found != nil && n.Found != nil {
			*s = s.renamed(s.Found.Name, n.Found.Name)
		}
		s.Healed, s.Found = n.Healed, n.Found
	}
	if !healed {
		return old
	}
	return &out
}

func mergeStep(a, b *Step) Step {
	healed := cmp.Or(b.Healed, a.Healed)
	if writeStep(a) > writeStep(b) { // which pairs are found must not depend on which run came first
		a, b = b, a
	}
	out := Step{Do: a.Do, At: a.At, Healed: healed, Found: mergeFound(a.Found, b.Found), Outline: a.Outline || b.Outline}
	x, y := a.Effects, b.Effects
	if out.Outline {
		x, y = outline(x), outline(y)
	}
	out.Effects = mergeEffects(x, y)
	out.URL = either(a.URL, b.URL)
	out.Requests = mergeRequests(a.Requests, b.Requests)
	out.Dialogs = mergeDialogs(a.Dialogs, b.Dialogs)
	out.Downloads, out.Pages = mergeThings(a.Downloads, b.Downloads), mergeThings(a.Pages, b.Pages)
	return out
}

func both(a, b Text) Text {
	t, _ := join(a, b)
	return t
}

// either joins two URLs of which one may be none: then the step may or may not change it.
func either(a, b Text) Text {
	if a == "" && b == "" {
		return ""
	}
	return both(a, b)
}

func mergeFound(a, b *Fingerprint) *Fingerprint {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	out := *a
	if a.Role != b.Role {
		return b
	}
	for _, p := range []struct {
		to *Text
		b  Text
	}{{&out.Name, b.Name}, {&out.Region, b.Region}, {&out.Frame, b.Frame}, {&out.Row, b.Row}, {&out.Group, b.Group}, {&out.Prev, b.Prev}, {&out.Next, b.Next}, {&out.Page, b.Page}} {
		*p.to = both(*p.to, p.b)
	}
	// A number that is not the same says nothing.
	if a.Nth != b.Nth || a.Of != b.Of {
		out.Nth, out.Of = 0, 0
	}
	if a.Twin != b.Twin || a.Twins != b.Twins {
		out.Twin, out.Twins = 0, max(a.Twins, b.Twins)
	}
	out.Others = nil
	for _, o := range slices.Concat(a.Others, b.Others) {
		if !slices.ContainsFunc(out.Others, func(t Text) bool { return t.Accepts(o) }) {
			out.Others = slices.DeleteFunc(out.Others, func(t Text) bool { return o.Accepts(t) })
			out.Others = append(out.Others, o)
		}
	}
	slices.Sort(out.Others)
	return &out
}

// mergeEffects pairs the effects of two runs, the surest pairs first, and joins each pair.
func mergeEffects(a, b []Effect) []Effect {
	us, vs := required(a), required(b)
	var out []Effect
	step := func(fits func(x, y *Effect) bool) {
		ofA, ofB := pair(us, vs, func(i, j int) bool { return a[i].kin(&b[j]) && fits(&a[i], &b[j]) })
		for i, j := range ofA {
			if j >= 0 {
				out = put(out, joinEffects(&a[us[i]], &b[vs[j]]))
			}
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	step(func(x, y *Effect) bool { return x.key() == y.key() })
	step(func(x, y *Effect) bool { return x.accepts(y) || y.accepts(x) })
	step(func(x, y *Effect) bool { return x.typed(y) })
	step(func(x, y *Effect) bool { return x.Name == y.Name && x.Region == y.Region })
	step(func(x, y *Effect) bool { // the only ones of their kind and place
		alone := func(es []Effect, us []int, e *Effect) bool {
			n := 0
			for _, u := range us {
				if es[u].kin(e) && es[u].Region == e.Region {
					n++
				}
			}
			return n == 1
		}
		return x.Region == y.Region && alone(a, us, x) && alone(b, vs, y)
	})
	joined := len(out)
	rest := func(es []Effect, us []int) {
		for _, u := range us {
			e := es[u]
			if e.Times != Any {
				e.Times = 0
			}
			if !e.Optional { // one more of a kind of things
				at := slices.IndexFunc(out[:joined], func(o Effect) bool { return !o.Optional && o.varies() && o.accepts(&e) })
				if at < 0 && member(&e) {
					at = slices.IndexFunc(out[:joined], func(o Effect) bool {
						return !o.Optional && member(&o) && o.kin(&e) && o.Region == e.Region && o.typed(&e) && o.key() != e.key()
					})
				}
				if at >= 0 {
					out[at] = joinEffects(&out[at], &e)
					out[at].Times = Any
					continue
				}
			}
			e.Optional = true
			out = put(out, e)
		}
	}
	rest(a, us)
	rest(b, vs)
	sortEffects(out)
	return out
}

type effectKey struct {
	kind                          string
	role                          string
	name, region, frame, from, to Text
	gained, lost                  string
}

func (e *Effect) key() effectKey {
	return effectKey{string(e.Kind), e.Role, e.Name, e.Region, e.Frame, e.From, e.To, strings.Join(e.Gained, " "), strings.Join(e.Lost, " ")}
}

func (e *Effect) varies() bool {
	return e.Name.varies() || e.Region.varies() || e.From.varies() || e.To.varies()
}

// typed reports whether two effects differ in numbers, dates and ids alone.
func (e *Effect) typed(o *Effect) bool {
	a, b := e.texts(), o.texts()
	for i := range a {
		if _, ok := join(*a[i], *b[i]); !ok {
			return false
		}
	}
	return true
}

func joinEffects(x, y *Effect) Effect {
	out := *x
	a, b := out.texts(), y.texts()
	for i := range a {
		*a[i] = both(*a[i], *b[i])
	}
	out.Times = 0
	if x.Times == Any || y.Times == Any {
		out.Times = Any
	}
	out.Optional = x.Optional || y.Optional
	out.Uncaused = x.Uncaused && y.Uncaused
	out.Passes = x.Passes || y.Passes
	return out
}

// put adds a unit to what is merged.
func put(to []Effect, e Effect) []Effect {
	for i := range to {
		if to[i].key() == e.key() && to[i].Optional == e.Optional {
			if to[i].Times == Any || e.Times == Any {
				to[i].Times = Any
			} else {
				to[i].Times = count(to[i].Times) + 1
			}
			to[i].Uncaused = to[i].Uncaused && e.Uncaused
			to[i].Passes = to[i].Passes || e.Passes
			return to
		}
	}
	return append(to, e)
}

func mergeRequests(a, b []Request) []Request {
	us, vs := units(len(a), func(i int) int { return count(a[i].Times) }), units(len(b), func(i int) int { return count(b[i].Times) })
	var out []Request
	add := func(e Request) {
		for i := range out {
			if o := &out[i]; o.Method == e.Method && o.URL == e.URL && o.Status == e.Status && o.Optional == e.Optional {
				if !reading(e.Method) {
					o.Times = count(o.Times) + 1
				}
				return
			}
		}
		e.Times = 0
		out = append(out, e)
	}
	step := func(fits func(x, y *Request) bool) {
		ofA, ofB := pair(us, vs, func(i, j int) bool { return a[i].Method == b[j].Method && answered(&a[i], &b[j]) && fits(&a[i], &b[j]) })
		for i, j := range ofA {
			if j < 0 {
				continue
			}
			x, y := &a[us[i]], &b[vs[j]]
			e := Request{Method: x.Method, URL: both(x.URL, y.URL), Status: x.Status, Optional: x.Optional || y.Optional}
			if x.Status != y.Status {
				e.Status = "" // one of them was not waited for
			}
			add(e)
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	step(func(x, y *Request) bool { return x.URL == y.URL && x.Status == y.Status })
	step(func(x, y *Request) bool { return x.URL.Accepts(y.URL) || y.URL.Accepts(x.URL) })
	step(func(x, y *Request) bool { _, ok := join(x.URL, y.URL); return ok })
	paired := len(out)
	for _, e := range slices.Concat(chosen(a, us), chosen(b, vs)) {
		if !reading(e.Method) {
			e.Optional = true
		} else if slices.ContainsFunc(out[:paired], func(o Request) bool {
			return o.Method == e.Method && o.URL.Accepts(e.URL) && o.Status == e.Status
		}) {
			continue
		}
		add(e)
	}
	slices.SortStableFunc(out, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Status, b.Status), order(a.Optional, b.Optional), cmp.Compare(a.Times, b.Times))
	})
	return out
}

// mergePairs joins what fits, the surest first, and makes the rest optional.
func mergePairs[T any](a, b []T, join func(x, y T) T, leave func(T) T, fits ...func(x, y *T) bool) []T {
	us, vs := units(len(a), one), units(len(b), one)
	var out []T
	for _, f := range fits {
		ofA, ofB := pair(us, vs, func(i, j int) bool { return f(&a[i], &b[j]) })
		for i, j := range ofA {
			if j >= 0 {
				out = append(out, join(a[us[i]], b[vs[j]]))
			}
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	for _, u := range us {
		out = append(out, leave(a[u]))
	}
	for _, v := range vs {
		out = append(out, leave(b[v]))
	}
	return out
}

// answered reports whether two requests may be one for all that is known of their answers.
func answered(a, b *Request) bool { return a.Status == b.Status || a.Status == "" || b.Status == "" }

func chosen(of []Request, us []int) []Request {
	var out []Request
	for _, u := range us {
		out = append(out, of[u])
	}
	return out
}

func mergeDialogs(a, b []Dialog) []Dialog {
	alike := func(x, y *Dialog) bool { return x.Kind == y.Kind && x.Accepted == y.Accepted }
	out := mergePairs(a, b, func(x, y Dialog) Dialog {
		return Dialog{Kind: x.Kind, Message: both(x.Message, y.Message), Accepted: x.Accepted, Optional: x.Optional || y.Optional}
	}, func(x Dialog) Dialog { x.Optional = true; return x },
		func(x, y *Dialog) bool { return alike(x, y) && x.Message == y.Message },
		func(x, y *Dialog) bool {
			return alike(x, y) && (x.Message.Accepts(y.Message) || y.Message.Accepts(x.Message))
		}, alike)
	slices.SortStableFunc(out, func(x, y Dialog) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Message, y.Message), order(x.Accepted, y.Accepted), order(x.Optional, y.Optional))
	})
	return out
}

func mergeThings(a, b []Thing) []Thing {
	out := mergePairs(a, b, func(x, y Thing) Thing {
		return Thing{Name: both(x.Name, y.Name), Optional: x.Optional || y.Optional}
	}, func(x Thing) Thing { x.Optional = true; return x },
		func(x, y *Thing) bool { return x.Name == y.Name },
		func(x, y *Thing) bool { return x.Name.Accepts(y.Name) || y.Name.Accepts(x.Name) },
		func(x, y *Thing) bool { _, ok := join(x.Name, y.Name); return ok },
		func(x, y *Thing) bool { return true })
	sortThings(out)
	return out
}

// acceptStep is the step as it is now, with the wildcards of the old one where they still hold.
func acceptStep(old, now *Step) Step {
	out := *now
	if now.Healed == "" {
		out.Healed = old.Healed
	}
	out.URL = graft(old.URL, now.URL)
	out.Outline = old.Outline || now.Outline
	if out.Outline {
		out.Effects = outline(now.Effects)
	}
	out.Effects = keepEffects(old.Effects, out.Effects)
	out.Requests = slices.Clone(now.Requests)
	for i := range out.Requests {
		r := &out.Requests[i]
		for _, o := range old.Requests {
			if o.Method == r.Method && o.URL.Accepts(r.URL) {
				r.URL, r.Optional = o.URL, o.Optional
				if o.Status == "" {
					r.Status = ""
				}
				break
			}
		}
	}
	for _, o := range old.Requests { // what may be missing
		if o.Optional && !slices.ContainsFunc(out.Requests, func(r Request) bool { return r.Method == o.Method && r.URL == o.URL }) {
			out.Requests = append(out.Requests, o)
		}
	}
	out.Dialogs = slices.Clone(now.Dialogs)
	for i := range out.Dialogs {
		if i < len(old.Dialogs) && old.Dialogs[i].Kind == out.Dialogs[i].Kind {
			out.Dialogs[i].Message = graft(old.Dialogs[i].Message, out.Dialogs[i].Message)
		}
	}
	list := func(o, n []Thing) []Thing {
		n = slices.Clone(n)
		for i := range n {
			if at := slices.IndexFunc(o, func(t Thing) bool { return t.Name.Accepts(n[i].Name) }); at >= 0 {
				n[i] = o[at]
			}
		}
		return n
	}
	out.Downloads, out.Pages = list(old.Downloads, now.Downloads), list(old.Pages, now.Pages)
	return out
}

// graft is what a text says now, varying where the old one varied.
func graft(old, now Text) Text {
	if old.Accepts(now) {
		return old
	}
	p, q := old.pieces(), now.pieces()
	if !old.varies() || !aligned(p, q) {
		return now
	}
	for i := range p {
		if _, ok := wildcard(p[i]); ok && Text(p[i]).Accepts(Text(q[i])) {
			q[i] = p[i]
		}
	}
	if out := Text(strings.Join(collapse(q), "")); out.Accepts(now) {
		return out
	}
	return now
}

func keepEffects(old, now []Effect) []Effect {
	us, vs := required(old), units(len(now), func(i int) int { return count(now[i].Times) })
	ofA, ofB := pair(us, vs, func(i, j int) bool { return old[i].accepts(&now[j]) })
	var out []Effect
	for i, j := range ofA {
		o := old[us[i]]
		if j >= 0 || o.Optional {
			if o.Times != Any {
				o.Times = 0
			}
			out = put(out, o)
		}
	}
	us, vs = left(us, ofA), left(vs, ofB)
	// What says something else now still varies where it varied.
	ofA, ofB = pair(us, vs, func(i, j int) bool {
		o, n := &old[i], &now[j]
		return o.kin(n) && o.varies() && (o.Region.Accepts(n.Region) || o.Name.Accepts(n.Name)) && (words.Similar(string(o.Name), string(n.Name)) >= 0.4 || o.Name.Accepts(n.Name))
	})
	for i, j := range ofA {
		if j >= 0 {
			o, e := old[us[i]], now[vs[j]]
			a, b := o.texts(), e.texts()
			for k := range a {
				*b[k] = graft(*a[k], *b[k])
			}
			e.Times = 0
			if o.Times == Any {
				e.Times = Any
			}
			out = put(out, e)
		}
	}
	for _, v := range left(vs, ofB) {
		e := now[v]
		e.Times = 0
		if slices.ContainsFunc(old, func(o Effect) bool { return o.Times == Any && o.accepts(&e) }) {
			continue
		}
		out = put(out, e)
	}
	sortEffects(out)
	return out
}
