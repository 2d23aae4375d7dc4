// Package proposal reads what strangers propose (a model, another program, a file from elsewhere) into the vocabulary: one
// action, or a plan of several. It is the only way in.
//
// Law of this package: pure parsing of untrusted data. What it lets through is well formed, within bounds and can be carried out
// as far as its text tells; whether it may be is for others to decide. A proposal can say nothing about limits, origins or
// policies, and can raise a risk but not lower it. No error holds a name or a value that was submitted.
package proposal

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/origin"
	"github.com/deed-dev/deed/internal/strictjson"
)

// The bounds of what is read. Lengths are Unicode code points.
const (
	MaxAction   = 1 << 20  // bytes of one action
	MaxPlan     = 16 << 20 // bytes of a plan
	MaxActions  = 10_000   // in a plan
	MaxDepth    = 64       // containers along any path of the metadata, its own object included
	MaxID       = 256
	MaxText     = 50_000 // what is typed, evaluated
	MaxName     = 4096   // selectors, names, intents
	MaxURL      = 8192
	MaxPath     = 240
	MaxList     = 100 // options, files, expectations
	MaxPoint    = 100_000
	MaxScroll   = 10_000
	MaxWaitMS   = 60_000
	MaxTimeout  = 600_000 // milliseconds
	maxValues   = 50_000
	maxInAPlan  = 1_000_000
	depthOfPlan = MaxDepth + 4
)

const op = "proposal"

// Wire are the keys of a proposal. Only kind is required.
var Wire = []string{"id", "kind", "params", "risk", "metadata", "confirm"}

// A Decoder reads proposals. The zero value takes the ids of proposals that have none from crypto/rand.
type Decoder struct {
	NewID func() string // 32 hexadecimal digits; nil is crypto/rand
}

// Decode reads one proposal with the zero [Decoder].
func Decode(data []byte) (*deed.Proposal, error) { return Decoder{}.Decode(data) }

// DecodePlan reads a plan with the zero [Decoder].
func DecodePlan(data []byte) (*deed.Plan, error) { return Decoder{}.DecodePlan(data) }

// Decode reads one proposal: {"id", "kind", "params", "risk", "metadata", "confirm"}. Errors are [deed.CodeInvalid]; Where is a
// JSON pointer, or a byte offset where the data is no JSON.
func (d Decoder) Decode(data []byte) (*deed.Proposal, error) {
	doc, err := strictjson.Parse(op, data, strictjson.Limits{Bytes: MaxAction, Depth: depthOfPlan, Values: maxValues})
	if err != nil {
		return nil, err
	}
	p := d.proposal(doc.Root())
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return &p, nil
}

// DecodePlan reads a list of proposals, or an object whose actions are one. Other keys of the object are ignored, except
// budget: limits come from trusted configuration alone, and a plan that believes to set them is refused. Ids are unique.
func (d Decoder) DecodePlan(data []byte) (*deed.Plan, error) {
	doc, err := strictjson.Parse("plan", data, strictjson.Limits{Bytes: MaxPlan, Depth: depthOfPlan, Values: maxInAPlan})
	if err != nil {
		return nil, err
	}
	list := doc.Root()
	if list.IsObject() {
		if list.Has("budget") {
			list.Fail("a plan cannot set a budget")
		}
		list = list.Get("actions")
	}
	plan := &deed.Plan{Proposals: []deed.Proposal{}}
	ids := map[string]bool{}
	for _, n := range list.Items(MaxActions) {
		if n.Size() > MaxAction {
			n.Fail("larger than " + strconv.Itoa(MaxAction) + " bytes")
		}
		p := d.proposal(n)
		if n.Failed() {
			break
		}
		if ids[p.ID] {
			n.Get("id").Fail("the id of an earlier action")
		}
		ids[p.ID] = true
		plan.Proposals = append(plan.Proposals, p)
	}
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return plan, nil
}

func (d Decoder) proposal(n strictjson.Node) (p deed.Proposal) {
	if !n.Object(Wire...) {
		return p
	}
	if id := n.Get("id"); id.There() {
		p.ID = id.Text(strictjson.Text{Max: MaxID})
		if !n.Failed() && strings.ContainsFunc(p.ID, origin.Invisible) {
			id.Fail("an invisible character") // two ids that look alike would be one to whoever reads them
		}
	} else {
		p.ID = d.newID()
	}
	if risk := n.Get("risk"); risk.There() {
		p.Risk = deed.Risk(risk.Int(int(deed.RiskNone), int(deed.RiskCritical)))
	}
	if m := n.Get("metadata"); m.There() && m.OpenObject() {
		if m.Depth() > MaxDepth {
			m.Fail("nested deeper than " + strconv.Itoa(MaxDepth))
		}
		p.Metadata = m.Canonical()
	}
	if c := n.Get("confirm"); c.There() {
		p.Confirm = c.Text(strictjson.Text{Max: MaxName})
	}
	kind := n.Get("kind")
	form, known := formOf(kind.Text(strictjson.Text{Max: 64, Empty: true}))
	if !known {
		kind.Fail("an unknown kind of action")
		return p
	}
	params := n.Get("params")
	p.Action = form.read(n, params)
	return p
}

func (d Decoder) newID() string {
	if d.NewID != nil {
		return d.NewID()
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Encode writes a proposal in its canonical form: sorted keys, no white space, nothing that says a default. What it returns
// decodes to an equal proposal; one that has no such form (it was not made by [Decode], and breaks its rules) is
// [deed.CodeInvalid].
func Encode(p *deed.Proposal) ([]byte, error) {
	bad := &deed.Error{Op: op, Code: deed.CodeInvalid, Err: errors.New("it has no form that could be read back")}
	kind, params, ok := write(&p.Action)
	if !ok {
		return nil, bad
	}
	m := map[string]any{"id": p.ID, "kind": kind, "params": params}
	if p.Risk != 0 {
		m["risk"] = int(p.Risk)
	}
	if p.Confirm != "" {
		m["confirm"] = p.Confirm
	}
	if p.Metadata != nil {
		if !json.Valid(p.Metadata) {
			return nil, bad
		}
		m["metadata"] = p.Metadata
	}
	out, err := marshal(m)
	if err != nil {
		return nil, bad
	}
	again, err := Decode(out)
	if err != nil || !equal(again, p) {
		return nil, bad
	}
	if p.Metadata != nil { // in canonical form now, whatever form it was given in
		m["metadata"] = again.Metadata
		if out, err = marshal(m); err != nil {
			return nil, bad
		}
	}
	return out, nil
}

// EncodePlan writes a plan as the list of its proposals, each in canonical form.
func EncodePlan(p *deed.Plan) ([]byte, error) {
	var b strings.Builder
	b.WriteByte('[')
	for i := range p.Proposals {
		one, err := Encode(&p.Proposals[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(one)
	}
	b.WriteByte(']')
	return []byte(b.String()), nil
}

func marshal(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}
