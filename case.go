package deed

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

// Pos is a place in a file; Line and Column count from 1.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// A Step is one action of a case.
type Step struct {
	Action Action `json:"action"`
	Save   string `json:"save,omitempty"` // eval: the name under which the value is kept
	Pos    Pos    `json:"pos,omitzero"`
}

// A Case is what a person wrote, with variables and secrets filled in.
type Case struct {
	ID      string        `json:"case"`
	Title   string        `json:"title,omitempty"`
	File    string        `json:"file,omitempty"`
	Start   string        `json:"start,omitempty"` // URL that is opened first
	Origins []string      `json:"origins,omitempty"`
	Tags    []string      `json:"tags,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // of the whole case; 0 is the default
	Steps   []Step        `json:"steps"`

	// Secrets maps the name of each secret to its value. It is never marshalled.
	Secrets map[string]string `json:"-"`
}

var caseID = regexp.MustCompile(`^[a-z0-9][a-z0-9-/]*$`)

// ValidCaseID reports whether s may name a case.
func ValidCaseID(s string) bool { return caseID.MatchString(s) }

// Version of a run's result document.
type RunResult struct {
	Deed       int             `json:"deed"`
	Run        string          `json:"run"`
	Outcome    Outcome         `json:"outcome"`
	DurationMS int64           `json:"duration_ms"`
	ModelCalls int             `json:"model_calls"`
	Cases      []CaseResult    `json:"cases"`
	Problems   []ProblemResult `json:"problems,omitempty"`
}

// A ProblemResult is a file that could not be run.
type ProblemResult struct {
	Pos     string `json:"pos"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// CaseResult is what became of a case.
type CaseResult struct {
	Case       string                     `json:"case"`
	File       string                     `json:"file"`
	Outcome    Outcome                    `json:"outcome"`
	Code       Code                       `json:"code,omitempty"`
	Reason     string                     `json:"reason,omitempty"` // where no step says it: a start that failed
	DurationMS int64                      `json:"duration_ms"`
	Saved      map[string]json.RawMessage `json:"saved,omitempty"`
	Steps      []StepResult               `json:"steps"`
}

// StepResult is one step in the published form.
type StepResult struct {
	N          int              `json:"n"`
	Do         Kind             `json:"do"`
	Locator    string           `json:"locator,omitempty"`
	Outcome    Outcome          `json:"outcome"`
	Verdict    string           `json:"verdict,omitempty"`
	Basis      Basis            `json:"basis,omitempty"`
	Mismatch   MismatchKind     `json:"mismatch,omitempty"`
	Code       Code             `json:"code"`
	Reason     string           `json:"reason"`
	Hint       string           `json:"hint,omitempty"`
	Attempts   int              `json:"attempts"`
	Prevented  int              `json:"prevented"`
	Undone     int              `json:"undone"`
	Changes    []string         `json:"changes"`
	Residue    []string         `json:"residue,omitempty"`
	Blocked    []string         `json:"blocked,omitempty"` // what policy kept from leaving the browser
	Files      []string         `json:"files,omitempty"`   // downloads and screenshots that were saved
	DurationMS int64            `json:"duration_ms"`
	PhasesMS   map[string]int64 `json:"phases_ms"`
}
