package deed

import (
	"fmt"
	"strconv"
	"strings"
)

// State is a set of element states.
type State uint32

// The states. Expanded and Collapsed, Pressed and Unpressed, Checked and Unchecked are pairs: neither is set on an
// element that has no such state. Mixed goes with neither Checked nor Unchecked.
const (
	Checked State = 1 << iota
	Unchecked
	Mixed
	Selected
	Disabled
	Expanded
	Collapsed
	Pressed
	Unpressed
	Focused
	ReadOnly
	Required
	Invalid
	Busy
	Current
	Multiselectable
	Modal
	Unselected
)

var stateNames = []string{"checked", "unchecked", "mixed", "selected", "disabled", "expanded", "collapsed", "pressed",
	"unpressed", "focused", "readonly", "required", "invalid", "busy", "current", "multiselectable", "modal", "unselected"}

// StateNames returns the names of all states in bit order, as the page script and JSON use them.
func StateNames() []string { return append([]string(nil), stateNames...) }

// ParseState returns the state with this name.
func ParseState(name string) (State, bool) {
	for i, n := range stateNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// Has reports whether all of t are in s.
func (s State) Has(t State) bool { return s&t == t }

// Names lists the states in the set, in bit order.
func (s State) Names() []string {
	var out []string
	for i, n := range stateNames {
		if s&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

func (s State) String() string { return strings.Join(s.Names(), " ") }

// MarshalText writes the names, separated by spaces.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what [State.MarshalText] wrote.
func (s *State) UnmarshalText(b []byte) error {
	*s = 0
	for _, n := range strings.Fields(string(b)) {
		v, ok := ParseState(n)
		if !ok {
			return fmt.Errorf("unknown state %q", n)
		}
		*s |= v
	}
	return nil
}

// A Ref names one element of one snapshot: s7:e12. It is bound to the document and the node; when either is
// gone it is stale ([CodeStaleRef]), and it is never found again by position.
type Ref struct {
	Snapshot int
	Element  int // 1-based index into Snapshot.Nodes
}

func (r Ref) String() string { return fmt.Sprintf("s%d:e%d", r.Snapshot, r.Element) }

// ParseRef reads "s7:e12".
func ParseRef(s string) (Ref, error) {
	a, b, ok := strings.Cut(s, ":")
	if ok && strings.HasPrefix(a, "s") && strings.HasPrefix(b, "e") {
		n, err1 := strconv.Atoi(a[1:])
		m, err2 := strconv.Atoi(b[1:])
		if err1 == nil && err2 == nil && n > 0 && m > 0 {
			return Ref{n, m}, nil
		}
	}
	return Ref{}, &Error{Op: "ref", Code: CodeInvalid, Where: s, Err: fmt.Errorf("a ref is written s7:e12")}
}

// A Node is one element of the page as a person perceives it.
//
// Name is the accessible name (accname 1.2). For roles that are not named by their content but show text
// (paragraph, listitem, status, text, …) it is the text they show, unless the author gave a name; then the text
// is the Value. Text inside a nested node of its own (a button in a list item) is not part of it.
type Node struct {
	Element int64  `json:"element"`          // the page script's number for the element: pairs snapshots of one document; 0 for none
	Frame   int    `json:"frame,omitempty"`  // index into Snapshot.Frames
	Parent  int    `json:"parent"`           // index into Snapshot.Nodes of the nearest enclosing node; -1 for none
	Role    string `json:"role"`             // ARIA role, or "text"
	Name    string `json:"name,omitempty"`   // white space folded
	Region  string `json:"region,omitempty"` // label of the nearest region around it: `cart`, `dialog "Cookies"`; "" is the page itself
	Value   string `json:"value,omitempty"`  // what the control holds; [Redacted] for a non-empty sensitive one
	Row     string `json:"row,omitempty"`    // text of the row or card it stands in
	Group   string `json:"group,omitempty"`  // label of an option's group

	HasValue  bool  `json:"hasValue,omitempty"` // the element has a value, perhaps empty
	States    State `json:"states,omitempty"`
	Sensitive bool  `json:"sensitive,omitempty"` // its value never left the page
	Volatile  bool  `json:"volatile,omitempty"`  // changes on its own: a clock, a carousel
	Unseen    bool  `json:"unseen,omitempty"`    // in the accessibility tree, but nothing of it can be seen (no box, transparent, clipped, off the page)
	Container bool  `json:"container,omitempty"` // a region: the Region of the nodes inside it is its Label
	Behind    bool  `json:"behind,omitempty"`    // out of reach since a modal dialog opened, or inert or aria-hidden: still there, but no locator of an action finds it
}

// Label is how a node is named where it is a region: its name, or its role and name.
func (n *Node) Label() string {
	switch {
	case n.Name == "":
		return n.Role
	case n.Role == "data-deed-region":
		return n.Name
	}
	return n.Role + " " + strconv.Quote(n.Name)
}

// String is the identity for people: `button "Add" in cart`.
func (n *Node) String() string {
	s := n.Role
	if n.Name != "" {
		s += " " + strconv.Quote(clip(n.Name, 120))
	}
	if n.Region != "" {
		s += " in " + n.Region
	}
	return s
}

// Key is the identity of a node: frame, role, name and region. Position, DOM path and element number are
// never part of it.
type Key struct {
	Frame  string `json:"frame,omitempty"`
	Role   string `json:"role"`
	Name   string `json:"name,omitempty"`
	Region string `json:"region,omitempty"`
}

// A Frame is one document of the page. Its identity is ID, which the browser assigns and keeps across navigations.
type Frame struct {
	ID     string `json:"id"`
	Parent int    `json:"parent"` // index into Snapshot.Frames; -1 for the main frame
	Name   string `json:"name,omitempty"`
	Title  string `json:"title,omitempty"` // of the element that holds it, else of the document
	URL    string `json:"url"`
	Origin string `json:"origin,omitempty"`
	Doc    string `json:"doc,omitempty"` // identity of the document in the frame: another document, another Doc
}

// A Snapshot is the page at one instant.
type Snapshot struct {
	Number     int     `json:"number"`
	URL        string  `json:"url"`
	Title      string  `json:"title"`
	Complete   bool    `json:"complete"`
	Incomplete string  `json:"incomplete,omitempty"` // why not complete: a cap, an error, a skipped frame
	Restless   bool    `json:"restless,omitempty"`   // taken while the page was still changing
	Posted     bool    `json:"posted,omitempty"`     // the page is the answer to a form that was sent: loading it anew sends that again
	Script     string  `json:"script,omitempty"`     // SHA-256 of the page script, hex
	Frames     []Frame `json:"frames"`
	Nodes      []Node  `json:"nodes"`
}

// Key returns the identity of node i.
func (s *Snapshot) Key(i int) Key {
	n := &s.Nodes[i]
	k := Key{Role: n.Role, Name: n.Name, Region: n.Region}
	if n.Frame > 0 && n.Frame < len(s.Frames) {
		k.Frame = s.Frames[n.Frame].ID
	}
	return k
}

// Ref returns the ref of node i.
func (s *Snapshot) Ref(i int) Ref { return Ref{s.Number, i + 1} }

// ByElement returns the index of the node with this element number in this frame, or -1.
func (s *Snapshot) ByElement(frameID string, element int64) int {
	for i := range s.Nodes {
		if s.Nodes[i].Element == element && s.Frames[s.Nodes[i].Frame].ID == frameID {
			return i
		}
	}
	return -1
}

// Within reports whether node i is inside node anc (not the node itself).
func (s *Snapshot) Within(i, anc int) bool {
	for p := s.Nodes[i].Parent; p >= 0; p = s.Nodes[p].Parent {
		if p == anc {
			return true
		}
	}
	return false
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
