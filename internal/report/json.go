package report

import (
	"encoding/json"
	"io"
	"strconv"

	"github.com/deed-dev/deed"
)

// observation is the published form of what a page shows; docs/formats.md specifies it.
type observation struct {
	Deed       int        `json:"deed"`
	Snapshot   string     `json:"snapshot"`
	URL        string     `json:"url"`
	Title      string     `json:"title"`
	Complete   bool       `json:"complete"`
	Incomplete string     `json:"incomplete,omitempty"`
	Restless   bool       `json:"restless,omitempty"`
	Script     string     `json:"script,omitempty"`
	Frames     []frame    `json:"frames"`
	Total      int        `json:"total"` // nodes of the page, of which `nodes` may be a choice
	Nodes      []nodeJSON `json:"nodes"`
}

type frame struct {
	ID     string `json:"id"`
	Parent string `json:"parent,omitempty"`
	Title  string `json:"title,omitempty"`
	Name   string `json:"name,omitempty"`
	URL    string `json:"url"`
}

type nodeJSON struct {
	Ref       string   `json:"ref"`
	Parent    string   `json:"parent,omitempty"` // ref of the enclosing node, whether it is listed or not
	Role      string   `json:"role"`
	Name      string   `json:"name,omitempty"`
	Region    string   `json:"region,omitempty"`
	Frame     string   `json:"frame,omitempty"` // id; none for the main frame
	Value     *string  `json:"value,omitempty"` // there when the element has a value, perhaps empty
	States    []string `json:"states,omitempty"`
	Row       string   `json:"row,omitempty"`
	Group     string   `json:"group,omitempty"`
	Sensitive bool     `json:"sensitive,omitempty"`
	Volatile  bool     `json:"volatile,omitempty"`
	Unseen    bool     `json:"unseen,omitempty"`
	Container bool     `json:"container,omitempty"`
}

// ObservationJSON writes the page as one JSON document: every node that In and Find choose, whatever the budget. Fails like
// [Observation].
func ObservationJSON(w io.Writer, s *deed.Snapshot, o ObserveOptions) error {
	keep, err := choose(s, o)
	if err != nil {
		return err
	}
	out := observation{Deed: deed.Format, Snapshot: "s" + strconv.Itoa(s.Number), URL: s.URL, Title: s.Title,
		Complete: s.Complete, Incomplete: s.Incomplete, Restless: s.Restless, Script: s.Script, Total: len(s.Nodes),
		Frames: []frame{}, Nodes: []nodeJSON{}}
	for _, f := range s.Frames {
		j := frame{ID: f.ID, Title: f.Title, Name: f.Name, URL: f.URL}
		if f.Parent >= 0 && f.Parent < len(s.Frames) {
			j.Parent = s.Frames[f.Parent].ID
		}
		out.Frames = append(out.Frames, j)
	}
	for i := range s.Nodes {
		if !keep[i] {
			continue
		}
		n := &s.Nodes[i]
		j := nodeJSON{Ref: s.Ref(i).String(), Role: n.Role, Name: n.Name, Region: n.Region, Frame: s.Key(i).Frame, States: n.States.Names(),
			Row: n.Row, Group: n.Group, Sensitive: n.Sensitive, Volatile: n.Volatile, Unseen: n.Unseen, Container: n.Container}
		if n.Parent >= 0 {
			j.Parent = s.Ref(n.Parent).String()
		}
		if n.HasValue || n.Value != "" {
			j.Value = &n.Value
		}
		out.Nodes = append(out.Nodes, j)
	}
	return JSON(w, out)
}

// JSON writes one indented document, and leaves <, > and & readable.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
