package locate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// maxOthers is how many names of others a spot holds: who stood beside an element in a long list says nothing.
const maxOthers = 20

// passing are roles of what comes and goes.
var passing = []string{"alert", "log", "status", "timer", "tooltip", "progressbar"}

// Spot tells where node i stands among the others: among those of its role in its region, among its namesakes on the page, between which
// texts. What changes on its own, cannot be seen or is sensitive tells nothing.
func Spot(s *deed.Snapshot, i int) deed.Spot {
	n := &s.Nodes[i]
	sp := deed.Spot{}
	if n.Frame > 0 && n.Frame < len(s.Frames) {
		sp.Frame = FrameLabel(&s.Frames[n.Frame])
	}
	name := words.Fold(n.Name)
	for j := range s.Nodes {
		m := &s.Nodes[j]
		if m.Frame != n.Frame || m.Unseen && j != i || m.Behind && !n.Behind {
			continue
		}
		if !sameRole(m.Role, n.Role) {
			continue
		}
		twin := words.Fold(m.Name) == name
		if twin {
			sp.Twins++
			if j <= i {
				sp.Twin++
			}
		}
		if m.Region != n.Region {
			continue
		}
		sp.Of++
		if j <= i {
			sp.Nth++
		}
		if !twin && m.Name != "" && !m.Volatile {
			sp.Others = append(sp.Others, m.Name)
		}
	}
	slices.Sort(sp.Others)
	sp.Others = slices.Compact(sp.Others)
	if len(sp.Others) > maxOthers {
		sp.Others = nil
	}
	// A text that is part of the element itself stands neither before nor after it, and a message stands there for its time.
	speaks := func(j int) bool {
		m := &s.Nodes[j]
		return m.Frame == n.Frame && m.Region == n.Region && !m.Unseen && !m.Volatile && !m.Container && !slices.Contains(passing, m.Role) && m.Name != "" && !s.Within(j, i) && !s.Within(i, j)
	}
	for j := i - 1; j >= 0 && sp.Prev == ""; j-- {
		if speaks(j) {
			sp.Prev = s.Nodes[j].Name
		}
	}
	for j := i + 1; j < len(s.Nodes) && sp.Next == ""; j++ {
		if speaks(j) {
			sp.Next = s.Nodes[j].Name
		}
	}
	return sp
}

// FrameLabel is how a frame is named for longer than one run: its title, its name, else the path of its URL.
func FrameLabel(f *deed.Frame) string {
	switch {
	case f.Title != "":
		return f.Title
	case f.Name != "":
		return f.Name
	}
	if u, err := url.Parse(f.URL); err == nil && u.Path != "" {
		return u.Path
	}
	return strings.TrimSpace(f.URL)
}
