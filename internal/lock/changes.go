package lock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed/internal/words"
)

// Lines tells how the lock of a case differs from another one of it: what came as +, what went as −, what is otherwise as ~, a step's lines
// under a line that names it. old may be nil. Nothing is returned for locks that say the same.
func Lines(old, now *Case) []string {
	var out []string
	if old == nil {
		old = &Case{}
		out = append(out, "+ "+counted(len(now.Steps), "step"))
	}
	for i := range max(len(old.Steps), len(now.Steps)) {
		var a, b Step
		var head string
		if i < len(old.Steps) {
			a = old.Steps[i]
			head = stepName(i, &a)
		}
		if i < len(now.Steps) {
			b = now.Steps[i]
			head = stepName(i, &b)
		}
		if lines := stepLines(&a, &b); len(lines) > 0 {
			out = append(append(out, head), lines...)
		}
	}
	return out
}

func stepName(i int, s *Step) string {
	return strings.TrimSpace(fmt.Sprintf("step %d: %s %s", i+1, s.Do, s.At))
}

func stepLines(a, b *Step) []string {
	var out []string
	if a.Do != "" && b.Do != "" && (a.Do != b.Do || a.At != b.At) {
		out = append(out, fmt.Sprintf("  ~ %s %s → %s %s", a.Do, a.At, b.Do, b.At))
	}
	if a.Healed != b.Healed {
		was, is := a.Healed, b.Healed
		if was == "" {
			was = a.At
		}
		if is == "" {
			is = b.At
		}
		out = append(out, fmt.Sprintf("  ~ found as: %s → %s", was, is))
		if a.Found != nil && b.Found != nil { // who is acted on has another name; that is said
			now := a.renamed(a.Found.Name, b.Found.Name)
			a = &now
		}
	}
	if a.URL != b.URL {
		switch {
		case a.URL == "":
			out = append(out, "  + url "+string(b.URL))
		case b.URL == "":
			out = append(out, "  − url "+string(a.URL))
		default:
			out = append(out, fmt.Sprintf("  ~ url %s → %s", a.URL, b.URL))
		}
	}
	// An effect that says something else now is one line.
	us, vs := units(len(a.Effects), one), units(len(b.Effects), one)
	step := func(fits func(w, s *Effect) bool, then func(w, s *Effect)) {
		ofA, ofB := pair(us, vs, func(i, j int) bool { return fits(&a.Effects[i], &b.Effects[j]) })
		for i, j := range ofA {
			if j >= 0 {
				then(&a.Effects[us[i]], &b.Effects[vs[j]])
			}
		}
		us, vs = left(us, ofA), left(vs, ofB)
	}
	step(func(w, s *Effect) bool {
		return w.key() == s.key() && w.Times == s.Times && w.Optional == s.Optional
	}, func(*Effect, *Effect) {})
	become := func(w, s *Effect) { out = append(out, fmt.Sprintf("  ~ %s → %s", w.told(), s.told())) }
	step(func(w, s *Effect) bool { return w.kin(s) && (w.accepts(s) || s.accepts(w)) }, become)
	step(func(w, s *Effect) bool { return revalued(w, s) && w.Name == s.Name && w.Region == s.Region }, become)
	step(func(w, s *Effect) bool { return revalued(w, s) && words.Similar(string(w.Name), string(s.Name)) >= 0.5 }, become)
	for _, i := range us {
		out = append(out, "  − "+a.Effects[i].told())
	}
	for _, j := range vs {
		out = append(out, "  + "+b.Effects[j].told())
	}
	list := func(was, is []string) {
		for _, s := range was {
			if !slices.Contains(is, s) {
				out = append(out, "  − "+s)
			}
		}
		for _, s := range is {
			if !slices.Contains(was, s) {
				out = append(out, "  + "+s)
			}
		}
	}
	rs, qs := a.Requests, slices.Clone(b.Requests)
	for _, r := range rs {
		at := slices.Index(qs, r)
		if at < 0 {
			at = slices.IndexFunc(qs, func(q Request) bool {
				return q.Method == r.Method && (q.URL.Accepts(r.URL) || r.URL.Accepts(q.URL)) && !slices.Contains(rs, q)
			})
		}
		switch {
		case at < 0:
			out = append(out, "  − request "+r.String())
			continue
		case qs[at] != r:
			out = append(out, fmt.Sprintf("  ~ request %s → %s", &r, &qs[at]))
		}
		qs = slices.Delete(qs, at, at+1)
	}
	for _, q := range qs {
		out = append(out, "  + request "+q.String())
	}
	list(said("dialog ", a.Dialogs, (*Dialog).String), said("dialog ", b.Dialogs, (*Dialog).String))
	list(said("download ", a.Downloads, (*Thing).String), said("download ", b.Downloads, (*Thing).String))
	list(said("page ", a.Pages, (*Thing).String), said("page ", b.Pages, (*Thing).String))
	return out
}

func (t *Thing) String() string { return string(t.Name) + optional(t.Optional) }

// told is an effect where the line's own sign says whether it came or went.
func (e *Effect) told() string {
	s := e.Object() + ": " + e.What()
	return s + times(e.Times) + optional(e.Optional)
}

func said[T any](what string, of []T, how func(*T) string) []string {
	var out []string
	for i := range of {
		out = append(out, what+how(&of[i]))
	}
	return out
}

// Summary tells the difference of two locks in a sentence.
func Summary(old, now *Case) string {
	if old == nil {
		n := 0
		for i := range now.Steps {
			n += len(now.Steps[i].Effects)
		}
		return fmt.Sprintf("proven for the first time: %s, %s", counted(len(now.Steps), "step"), counted(n, "effect"))
	}
	steps, plus, minus, other, healed := 0, 0, 0, 0, 0
	for _, l := range Lines(old, now) {
		switch {
		case strings.HasPrefix(l, "  + "):
			plus++
		case strings.HasPrefix(l, "  − "):
			minus++
		case strings.HasPrefix(l, "  ~ found as: "):
			healed++
		case strings.HasPrefix(l, "  ~ "):
			other++
		default:
			steps++
		}
	}
	if steps == 0 {
		if old.Runs < now.Runs {
			return "the second run did the same as the first: nothing varies"
		}
		return "nothing is different"
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(healed, "found elsewhere")
	add(plus, "new")
	add(minus, "gone")
	add(other, "different")
	what := strings.Join(parts, ", ") + " in " + counted(steps, "step")
	if old.Runs < now.Runs && now.Runs == 2 {
		return "the second run tells what varies: " + what
	}
	return what
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
