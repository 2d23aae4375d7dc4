package deed

// Verdict is the judge's answer. The zero value is Ambiguous.
type Verdict int

const (
	Ambiguous Verdict = iota
	Match
	Mismatch
)

func (v Verdict) String() string { return [...]string{"ambiguous", "match", "mismatch"}[v] }

// MarshalText writes the word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the word; anything but match and mismatch is Ambiguous.
func (v *Verdict) UnmarshalText(b []byte) error {
	switch string(b) {
	case "match":
		*v = Match
	case "mismatch":
		*v = Mismatch
	default:
		*v = Ambiguous
	}
	return nil
}

// Basis is the layer of proof that a match rests on, strongest first.
type Basis string

const (
	BasisExpect   Basis = "expect"   // a declared expectation
	BasisContract Basis = "contract" // the recorded effects of the lock
	BasisState    Basis = "state"    // the final state that the kind of action implies
	BasisNamed    Basis = "named"    // an effect that carries the words that tell the element apart, or stands in its row
	BasisCaused   Basis = "caused"   // effects that the browser or the task attributes to the gesture
	BasisIntent   Basis = "intent"   // the declared intent, by words
	BasisArbiter  Basis = "arbiter"
	BasisPolicy   Basis = "policy" // ambiguous, and accepted because the caller said so
)

// MismatchKind says what is wrong.
type MismatchKind string

const (
	MismatchPrevented    MismatchKind = "prevented"
	MismatchNotDelivered MismatchKind = "not_delivered"
	MismatchNoEffect     MismatchKind = "no_effect"
	MismatchUnmet        MismatchKind = "unmet"
	MismatchDiverged     MismatchKind = "diverged"
	MismatchWrongState   MismatchKind = "wrong_state"
	MismatchNeighbour    MismatchKind = "neighbour"
	MismatchPageError    MismatchKind = "page_error"
	MismatchRolledBack   MismatchKind = "rolled_back"
)

// A Judgement is a verdict with its ground.
type Judgement struct {
	Verdict   Verdict      `json:"verdict"`
	Basis     Basis        `json:"basis,omitempty"`    // of a match
	Kind      MismatchKind `json:"mismatch,omitempty"` // of a mismatch
	Reason    string       `json:"reason"`             // one sentence, redacted
	Already   bool         `json:"already,omitempty"`  // the goal held before the act
	Escalated bool         `json:"escalated,omitempty"`
}

// Decision is a policy's answer. The zero value is Deny.
type Decision int

const (
	Deny Decision = iota
	Confirm
	Allow
)

func (d Decision) String() string {
	if d < Deny || d > Allow {
		return "unknown"
	}
	return [...]string{"deny", "confirm", "allow"}[d]
}

// MarshalText writes the word.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the word; anything but confirm and allow is Deny.
func (d *Decision) UnmarshalText(b []byte) error {
	switch string(b) {
	case "confirm":
		*d = Confirm
	case "allow":
		*d = Allow
	default:
		*d = Deny
	}
	return nil
}

// Outcome is what became of a step. The zero value is Failed.
type Outcome int

// The outcomes, worst first, in the order in which a case takes the worst of its steps. Skipped is not worse than verified for a run.
const (
	OutcomeFailed Outcome = iota
	OutcomeMismatch
	OutcomeAmbiguous
	OutcomeRefused
	OutcomeCancelled
	OutcomeSkipped
	OutcomeHealed
	OutcomeAlready
	OutcomeVerified
)

var outcomeNames = [...]string{"failed", "mismatch", "ambiguous", "refused", "cancelled", "skipped", "healed", "already", "verified"}

func (o Outcome) String() string { return outcomeNames[o] }

// OK reports whether the step is proven: verified, already or healed.
func (o Outcome) OK() bool { return o >= OutcomeHealed }

// MarshalText writes the word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the word; an unknown one is Failed.
func (o *Outcome) UnmarshalText(b []byte) error {
	*o = OutcomeFailed
	for i, n := range outcomeNames {
		if n == string(b) {
			*o = Outcome(i)
		}
	}
	return nil
}
