package deed

import (
	"errors"
	"strings"
)

// Code classifies an error. The set is closed; every code is documented in docs/errors.md.
type Code string

// A specific code unwraps to a general one: errors.Is(err, CodeNotActionable) holds for CodeCovered.
const (
	CodeInvalid     Code = "invalid"     // the caller's input is wrong
	CodeUnsupported Code = "unsupported" // not offered for this element or this browser

	CodeNotResolved Code = "not_resolved"
	CodeNoMatch     Code = "no_match"
	CodeManyMatches Code = "many_matches"
	CodeStaleRef    Code = "stale_ref"

	CodeNotActionable Code = "not_actionable"
	CodeCovered       Code = "covered"
	CodeDisabled      Code = "disabled"
	CodeReadOnly      Code = "readonly"
	CodeUnstable      Code = "unstable"
	CodeNotVisible    Code = "not_visible"
	CodePrevented     Code = "prevented"
	CodeNoOption      Code = "no_option"

	CodeUnproven     Code = "unproven"
	CodeMismatch     Code = "mismatch"
	CodeAmbiguous    Code = "ambiguous"
	CodeDiverged     Code = "diverged" // not what the lock says that it does
	CodeUndoFailed   Code = "undo_failed"
	CodeIrreversible Code = "irreversible"

	CodeRefused   Code = "refused" // by policy
	CodeBudget    Code = "budget"  // a trusted limit is reached
	CodeCancelled Code = "cancelled"
	CodeTimeout   Code = "timeout"

	CodeEnvironment  Code = "environment"
	CodeNoBrowser    Code = "no_browser"
	CodeDisconnected Code = "disconnected"
	CodeCrashed      Code = "crashed"
	CodePageClosed   Code = "page_closed"
	CodeNavigation   Code = "navigation_failed"
	CodeScript       Code = "script_error"
	CodeInternal     Code = "internal"
)

var general = map[Code]Code{
	CodeNoMatch: CodeNotResolved, CodeManyMatches: CodeNotResolved, CodeStaleRef: CodeNotResolved,
	CodeCovered: CodeNotActionable, CodeDisabled: CodeNotActionable, CodeReadOnly: CodeNotActionable,
	CodeUnstable: CodeNotActionable, CodeNotVisible: CodeNotActionable, CodePrevented: CodeNotActionable,
	CodeNoOption: CodeNotActionable,
	CodeMismatch: CodeUnproven, CodeAmbiguous: CodeUnproven, CodeDiverged: CodeUnproven, CodeUndoFailed: CodeUnproven, CodeIrreversible: CodeUnproven,
	CodeBudget:    CodeRefused,
	CodeNoBrowser: CodeEnvironment, CodeDisconnected: CodeEnvironment,
}

// Error makes a code usable as an errors.Is target.
func (c Code) Error() string { return string(c) }

// General returns the code that c is a case of, or c itself.
func (c Code) General() Code {
	if g, ok := general[c]; ok {
		return g
	}
	return c
}

// SideEffects says whether a failed operation may have changed anything.
type SideEffects string

const (
	EffectsUnknown  SideEffects = ""
	EffectsNone     SideEffects = "none"
	EffectsPossible SideEffects = "possible"
)

// Error is the one error type of deed. Its text is lower case and says the object and the fact:
// `click button "Pay": covered by dialog "Cookies"`.
type Error struct {
	Op          string // what was tried: click, goto, observe
	Code        Code
	Where       string // the object: a locator, a file position, a URL
	Err         error  // the fact
	Hint        string // what to do next, where there is something
	SideEffects SideEffects
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Where != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.Where)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if e.Err != nil {
		b.WriteString(e.Err.Error())
	} else {
		b.WriteString(strings.ReplaceAll(string(e.Code), "_", " "))
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Is matches a [Code], specific or general.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && (e.Code == c || e.Code.General() == c)
}

// CodeOf returns the code of the first *Error in err's chain, "" for nil, [CodeInternal] for anything else.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// HintOf returns the first hint in err's chain.
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}
