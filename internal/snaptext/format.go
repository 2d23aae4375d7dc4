package snaptext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
)

// Format writes a snapshot so that [Parse] reads the same one back.
func Format(s *deed.Snapshot) string {
	var b strings.Builder
	head := func(key, v string) {
		if strings.TrimSpace(v) != v || strings.ContainsAny(v, "\n\r\"") {
			v = strconv.Quote(v)
		}
		if v != "" {
			b.WriteString(key + " " + v + "\n")
		}
	}
	head("url", s.URL)
	head("title", s.Title)
	if s.Number != 1 {
		head("number", strconv.Itoa(s.Number))
	}
	head("script", s.Script)
	if len(s.Frames) > 0 {
		f := &s.Frames[0]
		if f.ID != MainFrame {
			head("main", f.ID)
		}
		head("doc", f.Doc)
		if f.Origin != origin(s.URL) {
			head("origin", f.Origin)
		}
	}
	if s.Restless {
		b.WriteString("restless\n")
	}
	if !s.Complete && s.Incomplete == "" {
		b.WriteString("incomplete\n")
	}
	head("incomplete", s.Incomplete)
	w := &writer{b: &b, s: s, introduced: make([]bool, len(s.Frames))}
	if len(s.Frames) > 0 {
		w.introduced[0] = true
	}
	for i := range s.Nodes {
		w.node(i)
	}
	for i := 1; i < len(s.Frames); i++ {
		if !w.introduced[i] {
			w.frame(i, 0, 0)
		}
	}
	return b.String()
}

type writer struct {
	b          *strings.Builder
	s          *deed.Snapshot
	stack      []level
	introduced []bool
}

func (w *writer) node(i int) {
	n := &w.s.Nodes[i]
	// Close what does not enclose the node: what remains on the stack ends with its parent, or with a line of its frame
	// that has the same parent.
	for len(w.stack) > 0 {
		top := w.stack[len(w.stack)-1]
		if top.node == n.Parent && top.frame == n.Frame || top.node >= 0 && (top.node == n.Parent || w.s.Within(i, top.node)) {
			break
		}
		if top.node < 0 && top.frame == n.Frame {
			break
		}
		w.stack = w.stack[:len(w.stack)-1]
	}
	up := level{indent: -2, node: -1}
	if len(w.stack) > 0 {
		up = w.stack[len(w.stack)-1]
	}
	if up.frame != n.Frame {
		w.frame(n.Frame, up.indent+2, up.frame)
		up = level{indent: up.indent + 2, node: up.node, frame: n.Frame}
		w.stack = append(w.stack, up)
	}
	indent := up.indent + 2
	b := w.b
	b.WriteString(strings.Repeat(" ", indent) + n.Role)
	if n.Name != "" {
		b.WriteString(" " + strconv.Quote(n.Name))
	}
	if n.Element != 0 {
		fmt.Fprintf(b, " #%d", n.Element)
	}
	put := func(key, v string) { b.WriteString(" " + key + "=" + strconv.Quote(v)) }
	switch {
	case n.HasValue:
		put("value", n.Value)
	case n.Value != "":
		put("text", n.Value)
	}
	if n.States != 0 {
		put("states", n.States.String())
	}
	if n.Row != "" {
		put("row", n.Row)
	}
	if n.Group != "" {
		put("group", n.Group)
	}
	if n.Region != up.region {
		put("region", n.Region)
	}
	if n.Parent != up.node {
		put("parent", strconv.Itoa(n.Parent))
	}
	word := func(on bool, s string) {
		if on {
			b.WriteString(" " + s)
		}
	}
	word(n.Sensitive, "sensitive")
	word(n.Volatile, "volatile")
	word(n.Unseen, "unseen")
	word(n.Behind, "behind")
	word(n.Container && !implied(n.Role, n.Name), "container")
	word(!n.Container && implied(n.Role, n.Name), "plain")
	b.WriteByte('\n')
	region := n.Region
	if n.Container {
		region = n.Label()
	}
	w.stack = append(w.stack, level{indent: indent, node: i, frame: n.Frame, region: region})
}

func (w *writer) frame(at, indent, around int) {
	f := &w.s.Frames[at]
	fmt.Fprintf(w.b, "%sframe %s", strings.Repeat(" ", indent), f.ID)
	if !w.introduced[at] {
		w.introduced[at] = true
		if f.Title != "" {
			w.b.WriteString(" " + strconv.Quote(f.Title))
		}
		put := func(key, v string) { w.b.WriteString(" " + key + "=" + strconv.Quote(v)) }
		if strings.ContainsAny(f.URL, " \"\n") {
			put("url", f.URL)
		} else if f.URL != "" {
			w.b.WriteString(" " + f.URL)
		}
		if f.Name != "" {
			put("name", f.Name)
		}
		if f.Doc != "" {
			put("doc", f.Doc)
		}
		if f.Origin != origin(f.URL) {
			put("origin", f.Origin)
		}
		if f.Parent != around && f.Parent >= 0 {
			put("parent", w.s.Frames[f.Parent].ID)
		}
	}
	w.b.WriteByte('\n')
}
