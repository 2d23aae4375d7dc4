package policy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/deed-dev/deed"
)

// Ask makes a request of a question of the loop: base says who asks, and what else is known; the element, what the page says of it, and
// what the gesture reaches beside it come from the question. It fails where the page does not answer; nothing may then be done.
func Ask(q *deed.Question, base Request) (*Request, error) {
	r := base
	r.Action, r.For, r.Undo = q.Action, q.For, q.Undo
	if q.Action.Kind == deed.KindHTTP {
		r.Facts = &deed.Facts{Submits: true, FormMethod: q.Action.Key, FormAction: q.Action.Text}
	}
	s := q.Snapshot
	if s == nil {
		return &r, nil
	}
	r.PageURL = s.URL
	r.Resends = r.Resends || s.Posted && q.Action.Kind == deed.KindReload
	if q.Target < 0 {
		return &r, nil
	}
	if q.Target >= len(s.Nodes) {
		return nil, fmt.Errorf("node %d of %d is asked about", q.Target, len(s.Nodes))
	}
	r.Element = &s.Nodes[q.Target]
	reached := map[int]bool{q.Target: true}
	add := func(i int, f *deed.Facts) {
		if !reached[i] {
			reached[i] = true
			r.Also = append(r.Also, Reached{&s.Nodes[i], f})
		}
	}
	for _, i := range q.Onto {
		if i < 0 || i >= len(s.Nodes) {
			return nil, fmt.Errorf("node %d of %d is asked about", i, len(s.Nodes))
		}
		var f *deed.Facts
		if q.Ask != nil && !reached[i] {
			var err error
			if f, err = q.Ask(i); err != nil {
				return nil, err
			}
		}
		add(i, f)
		for _, j := range around(s, i) {
			add(j, nil) // it is told too of what is let go on it
		}
	}
	if q.Ask == nil {
		return &r, nil
	}
	facts, err := q.Ask(q.Target)
	if err != nil {
		return nil, err
	}
	if facts == nil {
		return nil, errors.New("the page says nothing of the element")
	}
	r.Facts = facts
	e := Effective(r.Action, r.Element, facts)
	for _, i := range options(s, q.Target, r.Action) {
		add(i, nil)
	}
	if !holdsText(r.Element) || e.Submits { // a click into a field presses no button
		for _, i := range facts.Reaches {
			if i < 0 || i >= len(s.Nodes) || reached[i] {
				continue
			}
			f, err := q.Ask(i)
			if err != nil {
				return nil, err
			}
			add(i, f)
		}
	}
	if e.Activates && !e.told {
		for _, i := range Reaches(s, q.Target) {
			add(i, nil) // where it leads is among the facts of what is in it, or is held when it leaves
		}
	}
	r.Alone = e.told // what an arrow, a letter or an access key presses the page did not tell
	return &r, nil
}

// options are the options of a control that a select would choose: those of the names that were asked for, and, where a name is none of
// them and may be a value, all.
func options(s *deed.Snapshot, control int, a *deed.Action) []int {
	if a.Kind != deed.KindSelect {
		return nil
	}
	var all, chosen []int
	named := map[string]bool{}
	for i := range s.Nodes {
		if s.Nodes[i].Role != "option" || !s.Within(i, control) {
			continue
		}
		all = append(all, i)
		if slices.Contains(a.Options, s.Nodes[i].Name) {
			chosen = append(chosen, i)
			named[s.Nodes[i].Name] = true
		}
	}
	if slices.ContainsFunc(a.Options, func(o string) bool { return !named[o] }) {
		return all
	}
	return chosen
}
