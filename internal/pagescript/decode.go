package pagescript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/deed-dev/deed"
)

// A Part is one document of a page as its script saw it. The driver composes parts into a [deed.Snapshot].
type Part struct {
	URL      string
	Title    string
	Doc      string      // identity of the document
	Nodes    []deed.Node // Frame is not set, Parent is an index into Nodes
	Frames   []FrameRef  // the frames it holds
	Complete bool        // nothing was left out
	Why      string      // why not complete
	Seq      int64       // the script's count of changes when it looked
}

// A FrameRef is an element that holds another document.
type FrameRef struct {
	Node    int    // index into Part.Nodes
	Element int64  // its element number
	Name    string // the name attribute
	Title   string // the title attribute
	Src     string
}

// Flags of a node on the wire, in the order of the constants in snapshot.js.
const (
	flagSensitive = 1 << iota
	flagVolatile
	flagUnseen
	flagContainer
	flagValue
	flagBehind
)

// wire is what snapshot() returns: one column a field, one entry a node, in document order. Words that repeat stand
// once, in Roles, Regs and Rows, and the columns hold their indices. Values and groups are sparse: few nodes have them.
type wire struct {
	U        string            `json:"u"`
	T        string            `json:"t"`
	Doc      string            `json:"doc"`
	N        int               `json:"n"`
	El       column            `json:"el"`
	Pa       column            `json:"pa"`
	Ro       column            `json:"ro"`
	Roles    []string          `json:"roles"`
	Nm       []string          `json:"nm"`
	Re       column            `json:"re"`
	Regs     []string          `json:"regs"`
	Rw       column            `json:"rw"`
	Rows     []string          `json:"rows"`
	St       column            `json:"st"`
	Fl       column            `json:"fl"`
	Va       map[string]string `json:"va"`
	Gr       map[string]string `json:"gr"`
	Frames   []frame           `json:"frames"`
	Complete bool              `json:"complete"`
	Why      string            `json:"why"`
	Seq      int64             `json:"seq"`
}

// column is an array of whole numbers. Reading it by hand is what makes Decode fast: there are seven of them.
type column []int64

func (c *column) UnmarshalJSON(b []byte) error {
	// b is valid JSON and has no white space at its ends; the script writes none inside.
	if len(b) < 2 || b[0] != '[' {
		return fmt.Errorf("a column is no array: %.20s", b)
	}
	b = b[1:]
	out := make(column, 0, bytes.Count(b, []byte{','})+1)
	for b[0] != ']' {
		negative := b[0] == '-'
		if negative {
			b = b[1:]
		}
		digits := 0
		var n int64
		for ; b[0] >= '0' && b[0] <= '9'; b = b[1:] {
			n = n*10 + int64(b[0]-'0')
			digits++
		}
		if digits == 0 || digits > 15 || b[0] != ',' && b[0] != ']' {
			return fmt.Errorf("a column has something else than whole numbers after %d entries", len(out))
		}
		if negative {
			n = -n
		}
		out = append(out, n)
		if b[0] == ',' {
			b = b[1:]
		}
	}
	*c = out
	return nil
}

// frame is [node index, element number, name, title, src].
type frame struct{ FrameRef }

func (f *frame) UnmarshalJSON(b []byte) error {
	fields := []any{&f.Node, &f.Element, &f.Name, &f.Title, &f.Src}
	want := len(fields)
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	if len(fields) != want {
		return fmt.Errorf("a frame has %d fields, not %d", len(fields), want)
	}
	return nil
}

// Decode reads what the script's snapshot function returned. Anything that does not hold together is an error:
// an index out of range, columns of different length, a node before its parent.
func Decode(data []byte) (*Part, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("snapshot of the page script: %w", err)
	}
	p, err := w.part()
	if err != nil {
		return nil, fmt.Errorf("snapshot of the page script: %w", err)
	}
	return p, nil
}

func (w *wire) part() (*Part, error) {
	for _, c := range []struct {
		name string
		n    int
	}{{"el", len(w.El)}, {"pa", len(w.Pa)}, {"ro", len(w.Ro)}, {"nm", len(w.Nm)}, {"re", len(w.Re)}, {"rw", len(w.Rw)}, {"st", len(w.St)}, {"fl", len(w.Fl)}} {
		if c.n != w.N {
			return nil, fmt.Errorf("column %s has %d entries, not %d", c.name, c.n, w.N)
		}
	}
	if !w.Complete && w.Why == "" {
		w.Why = "the page script did not say why"
	}
	if w.Complete && w.Why != "" {
		return nil, fmt.Errorf("complete, and yet: %s", w.Why)
	}
	p := &Part{URL: w.U, Title: w.T, Doc: w.Doc, Complete: w.Complete, Why: w.Why, Seq: w.Seq}
	if w.N > 0 {
		p.Nodes = make([]deed.Node, w.N)
	}
	for i := range p.Nodes {
		if w.Pa[i] < -1 || w.Pa[i] >= int64(i) {
			return nil, fmt.Errorf("node %d has the parent %d", i, w.Pa[i])
		}
		role, ok1 := at(w.Roles, w.Ro[i])
		region, ok2 := at(w.Regs, w.Re[i])
		row, ok3 := at(w.Rows, w.Rw[i])
		if !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("node %d: no role %d, region %d or row %d", i, w.Ro[i], w.Re[i], w.Rw[i])
		}
		fl := w.Fl[i]
		p.Nodes[i] = deed.Node{
			Element: w.El[i], Parent: int(w.Pa[i]), Role: role, Name: w.Nm[i], Region: region, Row: row,
			States:    deed.State(w.St[i]),
			HasValue:  fl&flagValue != 0,
			Sensitive: fl&flagSensitive != 0,
			Volatile:  fl&flagVolatile != 0,
			Unseen:    fl&flagUnseen != 0,
			Container: fl&flagContainer != 0,
			Behind:    fl&flagBehind != 0,
		}
	}
	for k, v := range w.Va {
		n, err := nodeAt(p, k)
		if err != nil {
			return nil, err
		}
		if n.Sensitive && v != "" && v != deed.Redacted {
			return nil, fmt.Errorf("node %s is sensitive and its value is not masked", k)
		}
		n.Value, n.HasValue = v, true
	}
	for k, v := range w.Gr {
		n, err := nodeAt(p, k)
		if err != nil {
			return nil, err
		}
		n.Group = v
	}
	for _, f := range w.Frames {
		if f.Node < 0 || f.Node >= w.N || p.Nodes[f.Node].Element != f.Element {
			return nil, fmt.Errorf("frame of node %d, element %d: no such node", f.Node, f.Element)
		}
		p.Frames = append(p.Frames, f.FrameRef)
	}
	return p, nil
}

func at(list []string, i int64) (string, bool) {
	if i < 0 || i >= int64(len(list)) {
		return "", false
	}
	return list[i], true
}

func nodeAt(p *Part, key string) (*deed.Node, error) {
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= len(p.Nodes) {
		return nil, fmt.Errorf("value or group of node %q: no such node", key)
	}
	return &p.Nodes[i], nil
}
