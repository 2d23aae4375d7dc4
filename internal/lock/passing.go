package lock

import (
	"slices"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// What a step brings may go again by itself: a message, and the button that closes it. Whether it is still there when a later step acts, and so whether it
// comes anew then, is a matter of speed. A lock says of it that it passes, and the page as it is after a step is compared in its place: it is to
// be there, once.

// stands counts the elements of an effect on a page, by names that are alike.
func (x *context) stands(page *deed.Snapshot, e *Effect, like func(a, b Text) bool) int {
	n := 0
	for i := range page.Nodes {
		m := &page.Nodes[i]
		if m.Role == e.Role && like(e.Name, x.text(words.Fold(m.Name))) && e.Region.Accepts(x.text(m.Region)) && e.Frame.Accepts(x.text(frameName(&page.Frames[m.Frame]))) {
			n++
		}
	}
	return n
}

// about reports whether two effects are about the same element, by all that names it.
func (e *Effect) about(o *Effect, like func(a, b Text) bool) bool {
	return e.Role == o.Role && e.Frame == o.Frame && e.Region.Accepts(o.Region) && (like(e.Name, o.Name) || like(o.Name, e.Name))
}

// message reports a text that stands by itself, in no region: what a page tells in passing has often no role.
func (e *Effect) message() bool {
	return slices.Contains(messages, e.Role) || e.Role == "text" && e.Region == "" && e.Name != ""
}

// markPassing marks the effects that were seen to go again by themselves. Only what came with a message is looked at. What a later step acts on is no message (a
// question, with its yes and no), and neither is what came with it: of these, and only these, an act may be what takes them away.
func (x *context) markPassing(steps []Step, evidence []Evidence) {
	for i := range steps {
		if !slices.ContainsFunc(steps[i].Effects, func(e Effect) bool { return e.Kind == deed.Appeared && e.message() }) {
			continue
		}
		var group []*Effect
		asked := false
		for j := range steps[i].Effects {
			e := &steps[i].Effects[j]
			if e.Kind != deed.Appeared || e.Region != "" || e.Name == "" {
				continue
			}
			group = append(group, e)
			asked = asked || slices.ContainsFunc(steps[i+1:], func(s Step) bool {
				return s.Found != nil && s.Found.Role == e.Role && s.Found.Region == "" && e.Name.Accepts(s.Found.Name)
			})
		}
		for _, e := range group {
			e.Passes = x.passes(steps[i+1:], evidence[min(i+1, len(evidence)):], e, asked)
		}
	}
}

func (x *context) passes(steps []Step, evidence []Evidence, e *Effect, taken bool) bool {
	for k := range steps {
		if k >= len(evidence) || evidence[k].Result == nil || evidence[k].Result.Page == nil || steps[k].Outline {
			return false
		}
		if slices.ContainsFunc(steps[k].Effects, func(o Effect) bool {
			return o.Kind != deed.Appeared && (o.Kind != deed.Disappeared || taken && !o.Uncaused) && e.about(&o, Text.Accepts)
		}) {
			return false // the act took it, or made something else of it
		}
		anew := 0 // brought by this step: it had gone before
		for j := range steps[k].Effects {
			if o := &steps[k].Effects[j]; o.Kind == deed.Appeared && e.about(o, Text.Accepts) {
				anew += count(o.Times)
			}
		}
		if x.stands(evidence[k].Result.Page, e, Text.Accepts) == anew {
			return true
		}
	}
	return false
}

// earlier is what the steps before one did with an element: how many of it they left, and whether it goes by itself.
func (k *comparison) earlier(e *Effect) (brought bool, left int, passes bool) {
	for i := range k.before {
		for j := range k.before[i].Effects {
			o := &k.before[i].Effects[j]
			if !o.about(e, k.like) {
				continue
			}
			switch o.Kind {
			case deed.Appeared:
				brought, passes = true, passes || o.Passes
				left += count(o.Times)
			case deed.Disappeared:
				left -= count(o.Times)
			}
		}
	}
	return brought, left, passes
}

// holds reports that an effect says more than that something came or went: such a thing is not known by its name alone.
func (e *Effect) holds() bool { return e.From+e.To != "" || len(e.Gained) > 0 }

// lingers reports whether the page after the step is what the lock says that it is, although an effect of the lock did not come: it was there from
// before, or had gone by itself.
func (k *comparison) lingers(w *Effect) bool {
	if k.page == nil {
		return false
	}
	brought, left, passes := k.earlier(w)
	switch {
	case !brought || w.holds():
		return false
	case w.Kind == deed.Appeared:
		is := k.x.stands(k.page, w, k.like)
		return passes && is > 0 || left > 0 && is >= left+count(w.Times)
	case w.Kind == deed.Disappeared:
		return passes || w.message() && k.x.stands(k.page, w, k.like) == 0
	}
	return false
}

// passed reports the same of an effect that the lock does not have.
func (k *comparison) passed(s *Effect) bool {
	if k.page == nil {
		return false
	}
	brought, left, passes := k.earlier(s)
	switch {
	case !brought || s.holds():
		return false
	case s.Kind == deed.Appeared:
		return k.x.stands(k.page, s, k.like) <= max(left, 1) && (passes || left > 0)
	case s.Kind == deed.Disappeared:
		return passes || s.message() && slices.ContainsFunc(k.after, func(l Step) bool { // the lock has it go later
			return slices.ContainsFunc(l.Effects, func(o Effect) bool { return o.Kind == deed.Disappeared && o.about(s, k.like) })
		})
	}
	return false
}

// restless reports whether the element of an effect changes on its own in this run: then nothing of it is an effect, neither what came nor what
// did not.
func (k *comparison) restless(w *Effect) bool {
	return k.page != nil && slices.ContainsFunc(k.page.Nodes, func(m deed.Node) bool {
		return m.Volatile && m.Role == w.Role && k.like(w.Name, k.x.text(words.Fold(m.Name))) && k.like(w.Region, k.x.text(m.Region))
	})
}
