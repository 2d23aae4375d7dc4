package pagescript

import (
	"errors"
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
	No       int64       // the number of this telling in its document; the next may be told as what is new against it
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
func Decode(data []byte) (*Part, error) { return DecodeOn(nil, data) }

// DecodeOn is [Decode] for an answer that may tell only what is new against the base. Base stays as it is.
func DecodeOn(base *Part, data []byte) (*Part, error) {
	w, err := readWire(data)
	if err != nil {
		return nil, fmt.Errorf("snapshot of the page script: %w", err)
	}
	p, err := w.part(base)
	if err != nil {
		return nil, fmt.Errorf("snapshot of the page script: %w", err)
	}
	return p, nil
}

func (w *wire) part(base *Part) (*Part, error) {
	own := w.n // so many nodes are in the columns
	if w.base != 0 {
		if base == nil || base.No != w.base || base.Doc != w.doc {
			return nil, fmt.Errorf("it says what is new against the snapshot %d, which is not at hand", w.base)
		}
		var err error
		if own, err = w.checkOps(len(base.Nodes)); err != nil {
			return nil, err
		}
	} else if len(w.ops) > 0 {
		return nil, errors.New("it takes from a snapshot without saying which")
	}
	for _, c := range []struct {
		name string
		n    int
	}{{"el", len(w.el)}, {"pa", len(w.pa)}, {"ro", len(w.ro)}, {"nm", len(w.nm)}, {"re", len(w.re)}, {"rw", len(w.rw)}, {"st", len(w.st)}, {"fl", len(w.fl)}} {
		if int64(c.n) != own {
			return nil, fmt.Errorf("column %s has %d entries, not %d", c.name, c.n, own)
		}
	}
	if !w.complete && w.why == "" {
		w.why = "the page script did not say why"
	}
	if w.complete && w.why != "" {
		return nil, fmt.Errorf("complete, and yet: %s", w.why)
	}
	p := &Part{URL: w.u, Title: w.t, Doc: w.doc, Complete: w.complete, Why: w.why, Seq: w.seq, No: w.no}
	if w.n > 0 {
		p.Nodes = make([]deed.Node, w.n)
	}
	if w.base == 0 {
		for i := range p.Nodes {
			if err := w.node(&p.Nodes[i], i, i); err != nil {
				return nil, err
			}
		}
	} else if err := w.compose(p, base); err != nil {
		return nil, err
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

// node makes node i of what stands at c in the columns.
func (w *wire) node(n *deed.Node, i, c int) error {
	if w.pa[c] < -1 || w.pa[c] >= int64(i) {
		return fmt.Errorf("node %d has the parent %d", i, w.pa[c])
	}
	role, ok1 := at(w.roles, w.ro[c])
	region, ok2 := at(w.regs, w.re[c])
	row, ok3 := at(w.rows, w.rw[c])
	if !ok1 || !ok2 || !ok3 {
		return fmt.Errorf("node %d: no role %d, region %d or row %d", i, w.ro[c], w.re[c], w.rw[c])
	}
	fl := w.fl[c]
	*n = deed.Node{
		Element: w.el[c], Parent: int(w.pa[c]), Role: role, Name: w.nm[c], Region: region, Row: row,
		States:    deed.State(w.st[c]),
		HasValue:  fl&flagValue != 0,
		Sensitive: fl&flagSensitive != 0,
		Volatile:  fl&flagVolatile != 0,
		Unseen:    fl&flagUnseen != 0,
		Container: fl&flagContainer != 0,
		Behind:    fl&flagBehind != 0,
	}
	return nil
}

// checkOps returns how many nodes the columns must hold.
func (w *wire) checkOps(old int) (own int64, err error) {
	if len(w.ops)%2 != 0 {
		return 0, errors.New("an op has no count")
	}
	total := int64(0)
	for i := 0; i < len(w.ops); i += 2 {
		from, count := w.ops[i], w.ops[i+1]
		if count <= 0 || from < -1 || from >= 0 && from+count > int64(old) {
			return 0, fmt.Errorf("%d nodes from %d: the old snapshot has %d", count, from, old)
		}
		if total += count; total > w.n {
			return 0, fmt.Errorf("more than the %d nodes it speaks of", w.n)
		}
		if from == -1 {
			own += count
		}
	}
	if total != w.n {
		return 0, fmt.Errorf("%d nodes, not %d", total, w.n)
	}
	return own, nil
}

// compose makes the nodes of those of the base and the new ones.
func (w *wire) compose(p *Part, base *Part) error {
	stands := make([]int, len(base.Nodes)) // where an old node stands now, plus one
	elements := make(map[int64]int)        // of nodes that are told anew
	c := 0
	i := 0
	for k := 0; k < len(w.ops); k += 2 {
		from, count := int(w.ops[k]), int(w.ops[k+1])
		if from < 0 {
			for ; count > 0; count-- {
				if err := w.node(&p.Nodes[i], i, c); err != nil {
					return err
				}
				elements[p.Nodes[i].Element] = i
				i, c = i+1, c+1
			}
			continue
		}
		copy(p.Nodes[i:], base.Nodes[from:from+count])
		for j := from; j < from+count; j++ {
			stands[j] = i + 1
			n := &p.Nodes[i]
			if old := base.Nodes[j].Parent; old >= 0 {
				if at := stands[old]; at > 0 {
					n.Parent = at - 1
				} else if at, ok := elements[base.Nodes[old].Element]; ok {
					n.Parent = at // its parent is told anew, it stands as it stood
				} else {
					return fmt.Errorf("node %d is taken over without its parent", i)
				}
			}
			i++
		}
	}
	return nil
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
