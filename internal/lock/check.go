package lock

import (
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// The codes of divergences. They are stable: reports, CI and people rely on them.
const (
	EffectMissing   = "effect_missing"   // an effect of the lock did not come
	EffectExtra     = "effect_extra"     // the act had an effect that the lock does not have
	EffectElsewhere = "effect_elsewhere" // the effect came, on another element or in another place
	ValueChanged    = "value_changed"    // the effect came on this element, with another value or text
	RequestMissing  = "request_missing"  // a request that changes something was not made
	RequestExtra    = "request_extra"    // one more was made than the lock has
	RequestStatus   = "request_status"   // a request was answered otherwise
	URLChanged      = "url_changed"      // the page is at another address afterwards
	DialogMissing   = "dialog_missing"
	DialogExtra     = "dialog_extra"
	DialogChanged   = "dialog_changed" // it says something else, or was answered otherwise
	DownloadMissing = "download_missing"
	DownloadExtra   = "download_extra"
	PageMissing     = "page_missing" // a tab or popup
	PageExtra       = "page_extra"
	StepMissing     = "step_missing" // the lock holds no such step
)

// Codes lists the codes, in the order of docs/locks.md.
func Codes() []string {
	return []string{EffectMissing, EffectExtra, EffectElsewhere, ValueChanged, RequestMissing, RequestExtra, RequestStatus, URLChanged,
		DialogMissing, DialogExtra, DialogChanged, DownloadMissing, DownloadExtra, PageMissing, PageExtra, StepMissing}
}

// Check compares what step n of the case (from 0) did with what the lock says that it does. Nothing is returned for a step that did the same.
//
// While a lock comes of one run, what varies is not known: a number, a date or an id that is different is none, unless the case itself speaks
// of it; nor is one more or fewer of a kind of things that differ in such parts alone (a list that grows), nor that something which nothing attributes to the act did
// not come. Words that differ always are.
func (l *Case) Check(c *deed.Case, n int, ev Evidence) []deed.Divergence {
	if n < 0 || n >= len(l.Steps) || n >= len(c.Steps) {
		return []deed.Divergence{{Code: StepMissing, Object: "step " + itoa(n+1), Expected: "a step of the lock"}}
	}
	x := newContext(c)
	seen := x.step(&c.Steps[n], &ev)
	want := l.Steps[n]
	if ev.Healed != "" && want.Found != nil && seen.Found != nil {
		want = want.renamed(want.Found.Name, seen.Found.Name)
	}
	k := comparison{learning: l.Runs < 2, x: x, before: l.Steps[:n], after: l.Steps[n+1:]}
	if ev.Result != nil {
		k.page = ev.Result.Page
	}
	if k.learning {
		k.said = x.said()
	}
	k.steps(&want, &seen)
	return k.found
}

// renamed is the step with another name for its element: who is acted on has another label, what comes of it has not.
func (s *Step) renamed(old, now Text) Step {
	out := *s
	out.Effects = slices.Clone(s.Effects)
	for i := range out.Effects {
		e := &out.Effects[i]
		if old != "" && e.Name == old && e.Role == s.Found.Role && e.Region == s.Found.Region {
			e.Name = now
		}
	}
	return out
}

type comparison struct {
	learning bool
	x        *context
	before   []Step // of the lock
	after    []Step
	page     *deed.Snapshot // after the step; nil where it is not known
	said     map[string]bool
	found    []deed.Divergence
}

func (k *comparison) say(code, object, expected, actual string) {
	k.found = append(k.found, deed.Divergence{Code: code, Object: object, Expected: expected, Actual: actual})
}

func (k *comparison) steps(want, seen *Step) {
	k.address(want.URL, seen.URL)
	es := seen.Effects
	if want.Outline {
		es = outline(es)
	}
	k.requests(want.Requests, seen.Requests) // what explains the rest comes first
	k.effects(want.Effects, es)
	k.dialogs(want.Dialogs, seen.Dialogs)
	k.things(want.Downloads, seen.Downloads, DownloadMissing, DownloadExtra, "download")
	k.things(want.Pages, seen.Pages, PageMissing, PageExtra, "page")
}

// like reports whether two texts are the same for all that is known.
func (k *comparison) like(want, seen Text) bool {
	return want.Accepts(seen) || k.learning && k.learnable(want, seen)
}

// learnable reports whether two runs may differ in this way without anybody being asked: in numbers, dates and ids that the case does not speak of.
func (k *comparison) learnable(a, b Text) bool {
	if _, typed := join(a, b); !typed {
		return false
	}
	p, q := a.pieces(), b.pieces()
	for i := range p {
		if i < len(q) && p[i] != q[i] && (k.said[p[i]] || k.said[q[i]]) {
			return false
		}
	}
	return true
}

func (k *comparison) address(want, seen Text) {
	switch {
	case want == "" && seen == "", want != "" && k.like(want, seen):
	case want == "":
		k.say(URLChanged, "url", "no other", string(seen))
	case seen == "":
		k.say(URLChanged, "url", string(want), "no change")
	default:
		k.say(URLChanged, "url", string(want), string(seen))
	}
}

// units is a multiset laid out one by one: indexes into what it was made from.
func units(n int, times func(int) int) []int {
	var out []int
	for i := range n {
		for range min(times(i), 200) {
			out = append(out, i)
		}
	}
	return out
}

// pair finds a largest pairing of a with b under fits, preferring to pair those of a that come first; -1 is unpaired.
func pair(a, b []int, fits func(i, j int) bool) (ofA, ofB []int) {
	ofA, ofB = make([]int, len(a)), make([]int, len(b))
	for i := range ofA {
		ofA[i] = -1
	}
	for j := range ofB {
		ofB[j] = -1
	}
	memo := map[[2]int]bool{}
	fit := func(i, j int) bool {
		key := [2]int{a[i], b[j]}
		v, ok := memo[key]
		if !ok {
			v = fits(a[i], b[j])
			memo[key] = v
		}
		return v
	}
	var visited []bool
	var try func(i int) bool
	try = func(i int) bool {
		for j := range b {
			if visited[j] || !fit(i, j) {
				continue
			}
			visited[j] = true
			if ofB[j] < 0 || try(ofB[j]) {
				ofA[i], ofB[j] = j, i
				return true
			}
		}
		return false
	}
	for i := range a {
		visited = make([]bool, len(b))
		try(i)
	}
	return ofA, ofB
}

// left are the units that are not paired.
func left(units, paired []int) []int {
	var out []int
	for i, u := range units {
		if paired[i] < 0 {
			out = append(out, u)
		}
	}
	return out
}

// required puts what must be there before what may be there, so that the former is paired first.
func required(es []Effect) []int {
	us := units(len(es), func(i int) int { return count(es[i].Times) })
	slices.SortStableFunc(us, func(a, b int) int { return order(es[a].Optional, es[b].Optional) })
	return us
}

func (k *comparison) effects(want, seen []Effect) {
	us, vs := required(want), units(len(seen), func(i int) int { return count(seen[i].Times) })
	step := func(fits func(w, s *Effect) bool, then func(w, s *Effect)) {
		ofA, ofB := pair(us, vs, func(i, j int) bool { return fits(&want[i], &seen[j]) })
		if then != nil {
			for i, j := range ofA {
				if j >= 0 {
					then(&want[us[i]], &seen[vs[j]])
				}
			}
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	step((*Effect).accepts, nil)
	vs = slices.DeleteFunc(vs, func(j int) bool { // of what there may be any number
		return slices.ContainsFunc(want, func(w Effect) bool { return w.Times == Any && w.accepts(&seen[j]) })
	})
	if k.learning {
		learnable := func(w, s *Effect) bool {
			if !w.kin(s) {
				return false
			}
			a, b := w.texts(), s.texts()
			for i := range a {
				if !k.like(*a[i], *b[i]) {
					return false
				}
			}
			return true
		}
		step(learnable, nil)
		// One more or one fewer of a kind of things.
		us = slices.DeleteFunc(us, func(i int) bool {
			return want[i].Uncaused || slices.ContainsFunc(seen, func(s Effect) bool { return member(&s) && learnable(&want[i], &s) && !want[i].accepts(&s) })
		})
		vs = slices.DeleteFunc(vs, func(j int) bool {
			return slices.ContainsFunc(want, func(w Effect) bool { return member(&w) && learnable(&w, &seen[j]) && !w.accepts(&seen[j]) })
		})
	}
	us = slices.DeleteFunc(us, func(i int) bool { return want[i].Optional || k.lingers(&want[i]) || k.restless(&want[i]) })
	vs = slices.DeleteFunc(vs, func(j int) bool { return k.passed(&seen[j]) })
	step(elsewhere, func(w, s *Effect) {
		who := ident(w.Role, w.Name, "", "")
		switch {
		case !w.Name.Accepts(s.Name):
			k.say(EffectElsewhere, w.Role+" "+w.What(), w.Object(), s.Object())
		case w.Frame != s.Frame:
			k.say(EffectElsewhere, who+" "+w.What(), within(w.Frame), within(s.Frame))
		default:
			k.say(EffectElsewhere, who+" "+w.What(), in(w.Region), in(s.Region))
		}
	})
	step(func(w, s *Effect) bool { return revalued(w, s) && w.Name.Accepts(s.Name) }, k.revalued)
	step(func(w, s *Effect) bool { return revalued(w, s) && words.Similar(string(w.Name), string(s.Name)) >= 0.4 }, k.revalued)
	step(revalued, k.revalued)
	for _, i := range distinct(us) {
		k.say(EffectMissing, want[i].Object(), want[i].What()+times(tally(us, i)), "nothing of it")
	}
	// What nothing attributes to the act is no effect of it; but it may have been the one that was missed.
	vs = slices.DeleteFunc(vs, func(j int) bool { return seen[j].Uncaused })
	extra := distinct(vs)
	slices.SortStableFunc(extra, func(a, b int) int { return order(!seen[a].whole(), !seen[b].whole()) }) // what says most is told first
	for _, j := range extra[:min(len(extra), told)] {
		k.say(EffectExtra, seen[j].Object(), "", seen[j].What()+times(tally(vs, j)))
	}
	if n := len(extra) - told; n > 0 {
		k.say(EffectExtra, itoa(n)+" more", "", "")
	}
}

// whole reports a thing by itself, of which buttons and fields are parts.
func (e *Effect) whole() bool {
	switch e.Role {
	case "row", "listitem", "article", "treeitem", "option", "dialog", "alertdialog", "alert", "status", "heading":
		return e.Name != ""
	}
	return false
}

// told is how many effects of one step are told that the lock does not have.
const told = 20

func in(region Text) string {
	if region == "" {
		return "in no region"
	}
	return "in " + string(region)
}

func within(frame Text) string {
	if frame == "" {
		return "in the page itself"
	}
	return "in frame " + quote(string(frame))
}

// member reports what stands in lists of things.
func member(e *Effect) bool {
	return slices.Contains([]string{"listitem", "row", "option", "article", "treeitem", "cell", "gridcell", "link", "button", "menuitem", "checkbox", "radio", "heading", "text", "img"}, e.Role)
}

// elsewhere reports the same effect on another element: the same kind of change with the same values, another name or place.
func elsewhere(w, s *Effect) bool {
	if w.Kind != s.Kind || w.Role != s.Role || !slices.Equal(w.Gained, s.Gained) || !slices.Equal(w.Lost, s.Lost) {
		return false
	}
	switch w.Kind {
	case deed.Appeared, deed.Disappeared:
		return w.Name.Accepts(s.Name) && (w.Name != "" || w.From+w.To != "") && w.From.Accepts(s.From) && w.To.Accepts(s.To)
	case deed.Renamed:
		return w.To.Accepts(s.To)
	case deed.Moved:
		return !w.Name.Accepts(s.Name) && w.To.Accepts(s.To)
	}
	// A state or a value that another control took.
	return w.From.Accepts(s.From) && w.To.Accepts(s.To)
}

// revalued reports the effect on an element of this place with another text, value or state.
func revalued(w, s *Effect) bool {
	return w.Kind == s.Kind && w.Role == s.Role && w.Region.Accepts(s.Region) && w.Frame == s.Frame && (w.Kind == deed.Appeared || w.Kind == deed.Disappeared || w.Name.Accepts(s.Name))
}

func (k *comparison) revalued(w, s *Effect) {
	if w.Name.Accepts(s.Name) {
		k.say(ValueChanged, w.Object(), w.What(), s.What())
		return
	}
	tell := func(e *Effect) string {
		out := quote(string(e.Name))
		if e.From+e.To != "" {
			out += " with " + quote(string(e.From+e.To))
		}
		return out
	}
	k.say(ValueChanged, strings.TrimSpace(ident(w.Role, "", w.Frame, w.Region)+" that "+string(w.Kind)), tell(w), tell(s))
}

func distinct(us []int) []int {
	var out []int
	for _, u := range us {
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

func tally(us []int, u int) int {
	n := 0
	for _, v := range us {
		if v == u {
			n++
		}
	}
	return n
}

func (k *comparison) requests(want, seen []Request) {
	us, vs := units(len(want), func(i int) int { return count(want[i].Times) }), units(len(seen), func(i int) int { return count(seen[i].Times) })
	alike := func(i, j int) bool { return want[i].Method == seen[j].Method && k.like(want[i].URL, seen[j].URL) }
	step := func(fits func(i, j int) bool, then func(w, s *Request)) {
		ofA, ofB := pair(us, vs, fits)
		for i, j := range ofA {
			if j >= 0 && then != nil {
				then(&want[us[i]], &seen[vs[j]])
			}
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	step(func(i, j int) bool {
		return alike(i, j) && answered(&want[i], &seen[j])
	}, nil)
	us = slices.DeleteFunc(us, func(i int) bool { return want[i].Optional })
	step(alike, func(w, s *Request) { k.say(RequestStatus, w.Method+" "+string(w.URL), w.Status, s.Status) })
	for _, i := range distinct(us) {
		if w := &want[i]; !reading(w.Method) {
			k.say(RequestMissing, w.Method+" "+string(w.URL), w.Status+times(tally(us, i)), "none")
		}
	}
	for _, j := range distinct(vs) {
		s := &seen[j]
		switch {
		case reading(s.Method) && slices.ContainsFunc(want, func(w Request) bool {
			return w.Method == s.Method && k.like(w.URL, s.URL) && answered(&w, s)
		}):
		case !reading(s.Method):
			k.say(RequestExtra, s.Method+" "+string(s.URL), "none"+more(want, s), s.Status+times(tally(vs, j)))
		case s.Status == "5xx" || s.Status == "failed":
			k.say(RequestStatus, s.Method+" "+string(s.URL), "", s.Status)
		}
	}
}

// more says that there is one of the kind already.
func more(want []Request, s *Request) string {
	for _, w := range want {
		if w.Method == s.Method && w.URL.Accepts(s.URL) {
			return " beyond " + itoa(count(w.Times))
		}
	}
	return ""
}

func (k *comparison) dialogs(want, seen []Dialog) {
	us, vs := units(len(want), one), units(len(seen), one)
	slices.SortStableFunc(us, func(a, b int) int { return order(want[a].Optional, want[b].Optional) })
	step := func(fits func(w, s *Dialog) bool, then func(w, s *Dialog)) {
		ofA, ofB := pair(us, vs, func(i, j int) bool { return want[i].Kind == seen[j].Kind && fits(&want[i], &seen[j]) })
		for i, j := range ofA {
			if j >= 0 && then != nil {
				then(&want[us[i]], &seen[vs[j]])
			}
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	step(func(w, s *Dialog) bool { return w.Accepted == s.Accepted && k.like(w.Message, s.Message) }, nil)
	us = slices.DeleteFunc(us, func(i int) bool { return want[i].Optional })
	step(func(*Dialog, *Dialog) bool { return true }, func(w, s *Dialog) { k.say(DialogChanged, w.Kind, w.String(), s.String()) })
	for _, i := range us {
		k.say(DialogMissing, want[i].Kind, want[i].String(), "none")
	}
	for _, j := range vs {
		k.say(DialogExtra, seen[j].Kind, "none", seen[j].String())
	}
}

func (k *comparison) things(want, seen []Thing, missing, extra, what string) {
	us, vs := units(len(want), one), units(len(seen), one)
	slices.SortStableFunc(us, func(a, b int) int { return order(want[a].Optional, want[b].Optional) })
	ofA, ofB := pair(us, vs, func(i, j int) bool { return k.like(want[i].Name, seen[j].Name) })
	us, vs = left(us, ofA), left(vs, ofB)
	us = slices.DeleteFunc(us, func(i int) bool { return want[i].Optional })
	for n := range max(len(us), len(vs)) {
		switch {
		case n >= len(vs):
			k.say(missing, what, string(want[us[n]].Name), "none")
		case n >= len(us):
			k.say(extra, what, "none", string(seen[vs[n]].Name))
		default:
			k.say(missing, what, string(want[us[n]].Name), string(seen[vs[n]].Name))
		}
	}
}

func one(int) int { return 1 }
