package pagescript

import (
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

// Decode reads what the script's snapshot function returned. Anything that does not hold together is an error:
// an index out of range, columns of different length, a node before its parent.
func Decode(data []byte) (*Part, error) {
	w, err := readWire(data)
	if err != nil {
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
	}{{"el", len(w.el)}, {"pa", len(w.pa)}, {"ro", len(w.ro)}, {"nm", len(w.nm)}, {"re", len(w.re)}, {"rw", len(w.rw)}, {"st", len(w.st)}, {"fl", len(w.fl)}} {
		if int64(c.n) != w.n {
			return nil, fmt.Errorf("column %s has %d entries, not %d", c.name, c.n, w.n)
		}
	}
	if !w.complete && w.why == "" {
		w.why = "the page script did not say why"
	}
	if w.complete && w.why != "" {
		return nil, fmt.Errorf("complete, and yet: %s", w.why)
	}
	p := &Part{URL: w.u, Title: w.t, Doc: w.doc, Complete: w.complete, Why: w.why, Seq: w.seq}
	if w.n > 0 {
		p.Nodes = make([]deed.Node, w.n)
	}
	for i := range p.Nodes {
		if w.pa[i] < -1 || w.pa[i] >= int64(i) {
			return nil, fmt.Errorf("node %d has the parent %d", i, w.pa[i])
		}
		role, ok1 := at(w.roles, w.ro[i])
		region, ok2 := at(w.regs, w.re[i])
		row, ok3 := at(w.rows, w.rw[i])
		if !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("node %d: no role %d, region %d or row %d", i, w.ro[i], w.re[i], w.rw[i])
		}
		fl := w.fl[i]
		p.Nodes[i] = deed.Node{
			Element: w.el[i], Parent: int(w.pa[i]), Role: role, Name: w.nm[i], Region: region, Row: row,
			States:    deed.State(w.st[i]),
			HasValue:  fl&flagValue != 0,
			Sensitive: fl&flagSensitive != 0,
			Volatile:  fl&flagVolatile != 0,
			Unseen:    fl&flagUnseen != 0,
			Container: fl&flagContainer != 0,
			Behind:    fl&flagBehind != 0,
		}
	}
	for k, v := range w.va {
		n, err := nodeAt(p, k)
		if err != nil {
			return nil, err
		}
		if n.Sensitive && v != "" && v != deed.Redacted {
			return nil, fmt.Errorf("node %s is sensitive and its value is not masked", k)
		}
		n.Value, n.HasValue = v, true
	}
	for k, v := range w.gr {
		n, err := nodeAt(p, k)
		if err != nil {
			return nil, err
		}
		n.Group = v
	}
	for _, f := range w.frames {
		if f.Node < 0 || f.Node >= len(p.Nodes) || p.Nodes[f.Node].Element != f.Element {
			return nil, fmt.Errorf("frame of node %d, element %d: no such node", f.Node, f.Element)
		}
		p.Frames = append(p.Frames, f)
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
