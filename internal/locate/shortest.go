package locate

import "github.com/deed-dev/deed"

// Shortest returns the locator with the fewest parts that means node i of the snapshot and no other: by its role and name, then by its
// region, its frame, a text in its row, and by its number where nothing else tells it. ok is false where there is none.
func Shortest(s *deed.Snapshot, i int) (l deed.Locator, ok bool) {
	f := newFinder(s)
	l, ok = f.unique(i, deed.Locator{Role: s.Nodes[i].Role})
	if !ok || l.Validate() != nil {
		return deed.Locator{}, false
	}
	found, err := One(s, l)
	return l, err == nil && found == i
}
