package deed

import (
	"fmt"
	"strconv"
	"strings"
)

// ChangeKind says how one node differs between two snapshots.
type ChangeKind string

const (
	Appeared    ChangeKind = "appeared"
	Disappeared ChangeKind = "disappeared"
	Changed     ChangeKind = "changed" // value or states
	Renamed     ChangeKind = "renamed" // the same element, another name
	Moved       ChangeKind = "moved"   // the same element, another region
)

// A Change is one difference. Before is zero for Appeared, After for Disappeared.
type Change struct {
	Kind        ChangeKind `json:"kind"`
	Key         Key        `json:"key"` // identity before; after for Appeared
	Before      Node       `json:"before,omitzero"`
	After       Node       `json:"after,omitzero"`
	BeforeIndex int        `json:"-"`                // index into the snapshot before; -1 for Appeared
	AfterIndex  int        `json:"-"`                // index into the snapshot after; -1 for Disappeared
	Caused      bool       `json:"caused,omitempty"` // made inside the gesture's own task, or after an answer it asked for
}

// Now returns the node that the change leaves, or the one it took away.
func (c *Change) Now() *Node {
	if c.Kind == Disappeared {
		return &c.Before
	}
	return &c.After
}

// String is one line: `+ listitem "T-shirt M" in cart`, `- …`, `~ textbox "Email": "" → "ana"`.
func (c *Change) String() string {
	switch c.Kind {
	case Appeared:
		return "+ " + describe(&c.After)
	case Disappeared:
		return "- " + describe(&c.Before)
	case Renamed:
		return fmt.Sprintf("~ %s → %s", c.Before.String(), strconv.Quote(clip(c.After.Name, 120)))
	case Moved:
		return fmt.Sprintf("~ %s → in %s", c.Before.String(), orPage(c.After.Region))
	}
	var parts []string
	if c.Before.Value != c.After.Value {
		parts = append(parts, fmt.Sprintf("%s → %s", strconv.Quote(clip(c.Before.Value, 120)), strconv.Quote(clip(c.After.Value, 120))))
	}
	if gained := c.After.States &^ c.Before.States; gained != 0 {
		parts = append(parts, "now "+gained.String())
	}
	if lost := c.Before.States &^ c.After.States; lost != 0 && !(pairs(lost) != 0 && pairs(lost)&c.After.States != 0) {
		parts = append(parts, "no longer "+lost.String())
	}
	return "~ " + c.After.String() + ": " + strings.Join(parts, ", ")
}

// pairs maps each state to its opposite, where it has one.
func pairs(s State) (out State) {
	for _, p := range [][2]State{{Checked, Unchecked}, {Expanded, Collapsed}, {Pressed, Unpressed}, {Selected, Unselected}} {
		if s&p[0] != 0 {
			out |= p[1]
		}
		if s&p[1] != 0 {
			out |= p[0]
		}
	}
	return out
}

func describe(n *Node) string {
	s := n.String()
	if n.Value != "" {
		s += " = " + strconv.Quote(clip(n.Value, 120))
	}
	if shown := n.States & (Checked | Selected | Pressed | Disabled | Invalid); shown != 0 {
		s += " (" + shown.String() + ")"
	}
	return s
}

func orPage(region string) string {
	if region == "" {
		return "the page"
	}
	return region
}

// A Diff is the set of differences between two snapshots. Reordering is no change.
type Diff struct {
	Changes   []Change `json:"changes,omitempty"`
	Volatile  []Change `json:"volatile,omitempty"` // differences of nodes that change on their own: no evidence, no residue
	URLBefore string   `json:"urlBefore,omitempty"`
	URLAfter  string   `json:"urlAfter,omitempty"` // differs from URLBefore when the page went elsewhere
	NewDoc    bool     `json:"newDocument,omitempty"`
}

// Empty reports whether nothing changed (what is volatile apart).
func (d *Diff) Empty() bool { return len(d.Changes) == 0 && d.URLBefore == d.URLAfter && !d.NewDoc }

// Lines describes the differences, one line each.
func (d *Diff) Lines() []string {
	var out []string
	for i := range d.Changes {
		out = append(out, d.Changes[i].String())
	}
	if d.URLBefore != d.URLAfter {
		out = append(out, "~ url "+d.URLBefore+" → "+d.URLAfter)
	}
	return out
}
