package casefile

import (
	"slices"

	"github.com/deed-dev/deed"
)

// A place says what a value is for: what order its keys have, and how it is written.
type place int

const (
	placeOther place = iota
	placeDocument
	placeSteps   // a list of steps
	placeStep    // one of them
	placeLocator // {button: Save, in: cart}
	placeExpects // an expectation, or a list of them
	placeExpect  // one of a list
	placeScroll
	placeHTTP
	placeRequest
)

// item is the place of the items of a list.
func (p place) item() place {
	switch p {
	case placeSteps:
		return placeStep
	case placeExpects:
		return placeExpect
	}
	return placeOther
}

// under is the place of the value of a key.
func (p place) under(key string) place {
	switch p {
	case placeDocument:
		if key == "steps" || key == "teardown" {
			return placeSteps
		}
	case placeStep:
		v, isVerb := verbs[key]
		switch {
		case key == "expect" || key == "wait":
			return placeExpects
		case key == "scroll":
			return placeScroll
		case key == "http":
			return placeHTTP
		case key == "to", isVerb && (v.kind.NeedsElement() || v.kind == deed.KindPress):
			return placeLocator
		}
	case placeExpects, placeExpect:
		if key == "request" {
			return placeRequest
		}
		if own, ok := forms[key]; ok && slices.Contains(own, "nth") {
			return placeLocator
		}
	case placeScroll:
		if key == "to" {
			return placeLocator
		}
	}
	return placeOther
}

// rank is where a key stands among those of its place; -1 is a key that is not known there, which stays behind the one before it.
func (p place) rank(n *layout, key string) int {
	at := func(keys []string) int { return slices.Index(keys, key) }
	switch p {
	case placeDocument:
		if n.has("fragment") {
			return at(fragmentKeys)
		}
		return at(caseKeys)
	case placeStep:
		return stepRank(n, key)
	case placeLocator:
		if deed.KnownRole(key) {
			return 0
		}
		if i := at(siblings); i >= 0 {
			return 1 + i
		}
	case placeExpects, placeExpect:
		if _, ok := forms[key]; ok && !(key == "dialog" && n.has("popup")) {
			return 0
		}
		for _, e := range n.entries {
			if i := slices.Index(forms[e.key], key); i >= 0 {
				return 1 + i
			}
		}
		if key == "timeout" {
			return 100
		}
	case placeHTTP:
		return at(httpKeys)
	case placeRequest:
		return at([]string{"method", "url", "status"})
	}
	return -1
}

// stepRank puts the verb first, then what narrows its element, then what is the verb's own, then what every verb may have.
func stepRank(n *layout, key string) int {
	verb := ""
	for _, e := range n.entries {
		if e.key != "expect" && isVerb(e.key) {
			verb = e.key
			break
		}
	}
	if verb == "" && n.has("expect") {
		verb = "expect"
	}
	if key == verb {
		return 0
	}
	if i := slices.Index(siblings, key); i >= 0 {
		return 1 + i
	}
	if i := slices.Index(verbs[verb].own, key); i >= 0 {
		return 20 + i
	}
	if i := slices.Index([]string{"intent", "dialog", "timeout", "expect"}, key); i >= 0 {
		return 40 + i
	}
	return -1
}

func (n *layout) has(key string) bool {
	return slices.ContainsFunc(n.entries, func(p *part) bool { return p.key == key })
}

// order sorts the keys of a mapping and of all that it holds.
func order(n *layout, p place) {
	for _, e := range n.entries {
		if n.kind == list {
			order(e.value, p.item())
		} else {
			order(e.value, p.under(e.key))
		}
	}
	if n.kind != mapping || len(n.entries) < 2 {
		return
	}
	type group struct {
		rank int
		all  []*part
	}
	var groups []group
	for _, e := range n.entries {
		r := p.rank(n, e.key)
		if r < 0 && len(groups) > 0 {
			g := &groups[len(groups)-1]
			g.all = append(g.all, e)
			continue
		}
		groups = append(groups, group{r, []*part{e}})
	}
	slices.SortStableFunc(groups, func(a, b group) int { return a.rank - b.rank })
	n.entries = n.entries[:0:0]
	for _, g := range groups {
		n.entries = append(n.entries, g.all...)
	}
}
