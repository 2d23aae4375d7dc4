package deed

import (
	"encoding/json"
	"time"
)

// Risk is how much an action can do that cannot be taken back. The zero value is RiskNone.
type Risk int

// The risks. A proposal may raise the risk of what it asks for, never lower it.
const (
	RiskNone       Risk = iota // it changes nothing and shows nothing new: scrolling, waiting
	RiskReadOnly               // it reads: opening a page, a picture
	RiskReversible             // it changes the page, and can be taken back: a click, a text
	RiskExternal               // it reaches others: a message that is sent, an order
	RiskCritical               // it cannot be taken back: a deletion, a payment
)

func (r Risk) String() string {
	if r < RiskNone || r > RiskCritical {
		return "unknown"
	}
	return [...]string{"none", "read-only", "reversible", "external", "critical"}[r]
}

// Risk is the least risk of an action of this kind, whatever it is done to. An unknown kind is critical.
func (k Kind) Risk() Risk {
	switch k {
	case KindScroll, KindWait, KindExpect, KindWatch:
		return RiskNone
	case KindGoto, KindBack, KindForward, KindReload, KindShot, KindHover, KindFocus, KindTab:
		return RiskReadOnly
	case KindClick, KindDblclick, KindFill, KindClear, KindType, KindPress, KindCheck, KindUncheck, KindSelect, KindDrag:
		return RiskReversible
	case KindUpload, KindEval, KindHTTP:
		return RiskExternal
	}
	return RiskCritical
}

// A Proposal is an action that somebody asks for and nobody has decided on: it comes from a person, a model or another program.
// It is data, never configuration.
type Proposal struct {
	ID       string          `json:"id"`                 // at most 256 characters, not blank; unique in its plan
	Action   Action          `json:"action"`             // what is asked for
	Risk     Risk            `json:"risk"`               // what the proposer declares; see EffectiveRisk
	Confirm  string          `json:"confirm,omitempty"`  // why the proposer itself wants a person asked: a provider's pending safety check
	Metadata json.RawMessage `json:"metadata,omitempty"` // JSON object; never read, only passed on
}

// EffectiveRisk is the highest of what is declared, what the kind implies, and what the resolved element implies.
func (p *Proposal) EffectiveRisk(element Risk) Risk {
	return max(p.Risk, p.Action.Kind.Risk(), element)
}

// A Plan is a list of proposals, in the order in which they are to be carried out.
type Plan struct {
	Proposals []Proposal `json:"actions"`
}

// A Point in the viewport, in CSS pixels from its top left corner.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Who asks for an action: the principal of a policy.
const (
	ByPerson = "person"
	ByAgent  = "agent" // a model or another program
	ByCase   = "case"  // a case file
)

// Where the value of an action comes from, as policies see it.
const (
	ValueGoal   = "goal"   // the person's own words
	ValueSecret = "secret" // a named secret
	ValuePage   = "page"   // read from a page
	ValueModel  = "model"  // made up by a model
	ValueCase   = "case"   // a case file
)

// Facts are what the page says of an element beyond what a person perceives: where it would lead. They are asked for when a
// decision is due, and hold for that moment.
type Facts struct {
	FrameURL   string `json:"frameUrl"`             // of the document it stands in
	Href       string `json:"href,omitempty"`       // of the link it is or stands in, resolved
	FormAction string `json:"formAction,omitempty"` // where the form that it submits, or stands in, sends to, resolved
	FormMethod string `json:"formMethod,omitempty"` // GET, POST, DIALOG
	Submits    bool   `json:"submits,omitempty"`    // a click, or Enter, submits the form
	Reaches    []int  `json:"-"`                    // further nodes of the snapshot that the gesture may activate: the control of a label, the button that Enter in a field presses
}

// An Approval is a person's literal yes to one action, on the page as it was shown.
type Approval struct {
	Digest string    `json:"digest"` // of action, resolved element and page
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// A Question is what a policy decides: one action, on one resolved element of one page as it was observed.
type Question struct {
	Action   *Action
	For      *Action                        // the action that this one is a part of: the click on an option for a select; nil for none
	Undo     bool                           // it takes back an effect that was not meant
	Snapshot *Snapshot                      // nil where the action needs none
	URL      string                         // of the page, where there is no snapshot
	Target   int                            // index into Snapshot.Nodes; -1 for the page itself
	Onto     []int                          // further nodes that it is done to: what a drag ends on
	Ask      func(node int) (*Facts, error) // asks the page for what it says of a node of the snapshot; nil where there is none
}

// A Ruling is a policy's answer, with what was done to come by it. The zero value denies.
type Ruling struct {
	Decision Decision // Confirm says that a person would have to be asked, and was not
	Rule     string   // the rule that decided
	Reason   string
	Asked    bool // a person was asked, so that the page may have changed meanwhile
}
