package deed

import (
	"fmt"
	"strconv"
	"time"
)

// Kind is what an action does.
type Kind string

const (
	KindGoto     Kind = "goto"
	KindClick    Kind = "click"
	KindDblclick Kind = "dblclick"
	KindFill     Kind = "fill"
	KindPress    Kind = "press"
	KindCheck    Kind = "check"
	KindUncheck  Kind = "uncheck"
	KindSelect   Kind = "select"
	KindWait     Kind = "wait"   // until an expectation holds
	KindExpect   Kind = "expect" // an expectation that holds now, retried until the deadline
	KindEval     Kind = "eval"   // JavaScript in the page's own world
	KindWatch    Kind = "watch"  // done by somebody else, only observed
)

// NeedsElement reports whether the kind acts on one element.
func (k Kind) NeedsElement() bool {
	switch k {
	case KindClick, KindDblclick, KindFill, KindCheck, KindUncheck, KindSelect:
		return true
	}
	return false
}

// An Action is what should be done, and what should come of it.
type Action struct {
	Kind    Kind          `json:"kind"`
	Locator Locator       `json:"locator,omitzero"`
	Ref     string        `json:"ref,omitempty"`     // s7:e12 instead of a locator
	Text    string        `json:"text,omitempty"`    // fill: the value; goto: the URL; eval: the expression
	Secret  string        `json:"secret,omitempty"`  // fill: the name of the secret whose value is in Text; Text is then masked in every output
	Options []string      `json:"options,omitempty"` // select: labels or values
	Key     string        `json:"key,omitempty"`     // press: Enter, Escape, ArrowDown, Control+A, …
	Expect  []Expect      `json:"expect,omitempty"`
	Intent  string        `json:"intent,omitempty"`
	Dialog  *Answer       `json:"dialog,omitempty"`  // how to answer the native dialog that the act opens; nil dismisses and reports it
	Timeout time.Duration `json:"timeout,omitempty"` // of the whole step; 0 is the default
}

// An Answer to a native dialog.
type Answer struct {
	Accept bool   `json:"accept"`
	Text   string `json:"text,omitempty"` // of a prompt
}

// Object is what the action acts on, for people: the locator, the URL, the key.
func (a *Action) Object() string {
	switch {
	case a.Ref != "":
		return a.Ref
	case !a.Locator.IsZero():
		return a.Locator.String()
	case a.Kind == KindGoto:
		return a.Text
	case a.Kind == KindPress:
		return a.Key
	case (a.Kind == KindWait || a.Kind == KindExpect) && len(a.Expect) > 0:
		return a.Expect[0].String()
	case a.Kind == KindEval:
		return clip(a.Text, 60)
	}
	return ""
}

// Sensitive reports whether Text must be masked.
func (a *Action) Sensitive() bool { return a.Secret != "" }

// Validate reports an action that cannot be carried out, as [CodeInvalid].
func (a *Action) Validate() error {
	bad := func(format string, args ...any) error {
		return &Error{Op: string(a.Kind), Code: CodeInvalid, Where: a.Object(), Err: fmt.Errorf(format, args...)}
	}
	switch a.Kind {
	case KindGoto:
		if a.Text == "" {
			return bad("a URL is missing")
		}
	case KindPress:
		if a.Key == "" {
			return bad("a key is missing")
		}
	case KindSelect:
		if len(a.Options) == 0 {
			return bad("an option is missing")
		}
	case KindWait, KindExpect:
		if len(a.Expect) == 0 {
			return bad("an expectation is missing")
		}
	case KindEval:
		if a.Text == "" {
			return bad("an expression is missing")
		}
	case KindClick, KindDblclick, KindFill, KindCheck, KindUncheck, KindWatch:
	default:
		return bad("unknown action %s", strconv.Quote(string(a.Kind)))
	}
	if a.Kind.NeedsElement() && a.Ref == "" || a.Kind == KindPress && !a.Locator.IsZero() {
		if err := a.Locator.Validate(); err != nil {
			return err
		}
	}
	for i := range a.Expect {
		if err := a.Expect[i].Validate(); err != nil {
			return err
		}
	}
	return nil
}
