package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/pagescript"
)

// about is the line of JSON that precedes a snapshot.
type about struct {
	Seq        int64            `json:"seq"`
	Print      int64            `json:"print"`
	Changed    bool             `json:"changed"`
	Rested     bool             `json:"rested"`
	Caused     []int64          `json:"caused"`
	Timers     int              `json:"timers"`
	Watched    *deed.Watched    `json:"watched"`
	Complaints []deed.Complaint `json:"complaints"`
	Held       *struct {
		Gone  bool   `json:"gone"`
		Held  bool   `json:"held"`
		Value string `json:"value"`
	} `json:"held"`
	Ready string  `json:"ready"`
	Over  []int64 `json:"over"` // elements under the pointer, where the page is recorded
	At    *struct {
		Hovered bool `json:"hovered"`
		Focused bool `json:"focused"`
		InView  bool `json:"inView"`

		Selection *deed.Selection `json:"selection"`
	} `json:"at"`
	Files          []deed.File `json:"files"`
	Took           float64     `json:"took"`      // ms in the page for the walk and for telling of it
	Visits         int         `json:"visits"`    // elements that the walk visited
	Partial        bool        `json:"partial"`   // what had not changed was taken over from the last walk
	Otherwise      int         `json:"otherwise"` // how often a whole walk told something else than one that took over, in this document
	FirstOtherwise string      `json:"firstOtherwise"`
	Hosts          []int64     `json:"hosts"` // elements that may have a closed shadow root
}

// view is what one frame shows.
type view struct {
	about
	part *pagescript.Part
}

// decodeView reads what a frame says. What it says may be only what is new against base, the last view of its document.
func decodeView(raw json.RawMessage, base *pagescript.Part) (*view, error) {
	text, err := unquote(raw)
	if err != nil {
		return nil, err
	}
	head, body, ok := bytes.Cut(text, []byte("\n"))
	if !ok {
		return nil, errors.New("the page script's answer is cut short")
	}
	v := &view{}
	if err := json.Unmarshal(head, &v.about); err != nil {
		return nil, err
	}
	body, all, checked := bytes.Cut(body, []byte("\n"))
	if v.part, err = pagescript.DecodeOn(base, body); err != nil || !checked {
		return v, err
	}
	whole, err := pagescript.Decode(all)
	if err != nil {
		return nil, err
	}
	if v.Otherwise == 0 {
		v.FirstOtherwise = differ(v.part, whole)
	}
	return v, nil
}

// differ says where what was put together first differs from what was told whole.
func differ(a, b *pagescript.Part) string {
	if len(a.Nodes) != len(b.Nodes) || !slices.Equal(a.Frames, b.Frames) {
		return fmt.Sprintf("%d nodes and frames %v put together, %d and %v in truth", len(a.Nodes), a.Frames, len(b.Nodes), b.Frames)
	}
	for i := range a.Nodes {
		if a.Nodes[i] != b.Nodes[i] {
			return fmt.Sprintf("node %d: put together %+v, in truth %+v", i, a.Nodes[i], b.Nodes[i])
		}
	}
	return ""
}

// viewOf reads what a frame says and keeps it as that against which the frame may tell what is new.
func (p *Page) viewOf(f *frame, raw json.RawMessage, base *pagescript.Part) (*view, error) {
	v, err := decodeView(raw, base)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	f.part, f.over = v.part, v.Over
	p.looks.Looks++
	p.looks.Visits += v.Visits
	p.looks.InPage += v.Took
	if v.Partial {
		p.looks.Partial++
		p.looks.PartialInPage += v.Took
	}
	if v.FirstOtherwise != "" {
		p.looks.Otherwise = v.FirstOtherwise
	}
	p.mu.Unlock()
	return v, nil
}

// Looks counts the looks at documents, for tests and benchmarks.
type Looks struct {
	Calls         int // of the page script, looks or not
	Looks         int
	Partial       int     // of them took over what had not changed
	Visits        int     // elements that were visited
	InPage        float64 // milliseconds in the page
	PartialInPage float64 // those of the looks that took over
	Otherwise     string  // the first difference between a whole walk and one that took over, at one instant; "" while there is none
}

// CheckLooks makes every look from now on a whole one that counts whether taking over would have told something else.
func (p *Page) CheckLooks() {
	p.mu.Lock()
	p.check = true
	p.mu.Unlock()
}

// Looks returns the counts so far.
func (p *Page) Looks() Looks {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks
}
