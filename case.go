package deed

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
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

	HTTP *HTTPStep `json:"http,omitempty"` // where the action's kind is [KindHTTP]
	Use  *Use      `json:"use,omitempty"`  // the fragment that the step is of; nil is the case itself

	Pos Pos `json:"pos,omitzero"`
}

// An HTTPStep is a request that the run makes beside the browser, and what its answer has to be. Redirects are followed to the case's
// origins alone.
type HTTPStep struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	JSON    json.RawMessage   `json:"json,omitempty"` // instead of Body, with its content type
	Form    map[string]string `json:"form,omitempty"` // instead of Body, with its content type
	Timeout time.Duration     `json:"timeout,omitempty"`

	Status        int                        `json:"status,omitempty"`         // of the answer; 0 is any below 400
	Expect        map[string]json.RawMessage `json:"expect,omitempty"`         // RFC 9535 path → what stands there: one value, or an array of all
	ExpectHeaders map[string]string          `json:"expect_headers,omitempty"` // the header holds the text
	Save          map[string]string          `json:"save,omitempty"`           // name → RFC 9535 path of one value
}

// Use says which fragment a step came from.
type Use struct {
	Fragment string `json:"fragment"`
	Digest   string `json:"digest"`       // of what the fragment is, with all that it uses
	Pos      Pos    `json:"pos,omitzero"` // of the `use`
}

// Saved stands in a text for a value that a step before saves: ${name} of a case file, once it is read.
func Saved(name string) string { return savedMark + name + savedMark }

// savedMark cannot be in a case file: it is a noncharacter of Unicode.
const savedMark = "\ufdd0"

// Bind puts saved values where they stand in a text. ok is false where one has not been saved.
func Bind(text string, value func(name string) (string, bool)) (bound string, ok bool) {
	parts := strings.Split(text, savedMark)
	if len(parts)%2 == 0 {
		return text, false
	}
	for i := 1; i < len(parts); i += 2 {
		if parts[i], ok = value(parts[i]); !ok {
			return text, false
		}
	}
	return strings.Join(parts, ""), true
}

// FailOn is trouble on a case's pages that fails the case at the step in which it comes.
type FailOn struct {
	Console    bool     `json:"console,omitempty"`    // console errors
	Exceptions bool     `json:"exceptions,omitempty"` // uncaught ones, and rejected promises that nobody caught
	HTTP5xx    bool     `json:"http_5xx,omitempty"`   // answers of 500 and above
	Ignore     []string `json:"ignore,omitempty"`     // trouble whose text or URL contains one of these
}

// Trouble is something that went wrong on a page, whether or not an action caused it.
type Trouble struct {
	Kind string `json:"kind"` // console, exception, http
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`
}

// The kinds of trouble.
const (
	TroubleConsole   = "console"
	TroubleException = "exception"
	TroubleHTTP      = "http"
)

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
	Pos     Pos           `json:"pos,omitzero"` // of its id

	Setting // device, clock, storage, cookies, network

	Egress   string        `json:"egress,omitempty"`   // "strict": what its pages load is held to its origins too; "" holds pages alone
	Requires []string      `json:"requires,omitempty"` // what has to be there for it, in words
	FailOn   *FailOn       `json:"fail_on,omitempty"`  // what of its pages fails it besides its steps
	Session  time.Duration `json:"session,omitempty"`  // how long what it leaves signed in may be gone on with by cases that depend on it; 0 is this run

	Teardown   []Step   `json:"teardown,omitempty"`   // carried out in any case, once the case began
	DependsOn  []string `json:"depends_on,omitempty"` // ids of cases that come first, and whose session it goes on with
	Quarantine bool     `json:"quarantine,omitempty"` // what becomes of it is not the run's outcome
	Retries    int      `json:"retries,omitempty"`    // how often it may be attempted again

	// Vars maps the name of each variable of the case to the value it was filled in with. It is never marshalled.
	Vars map[string]string `json:"-"`

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
	Started    time.Time       `json:"started,omitzero"`
	Outcome    Outcome         `json:"outcome"`
	DurationMS int64           `json:"duration_ms"`
	ModelCalls int             `json:"model_calls"`
	Browser    string          `json:"browser,omitempty"` // name and version
	BaseURL    string          `json:"base_url,omitempty"`
	Workers    int             `json:"workers,omitempty"`
	Shard      string          `json:"shard,omitempty"` // "2/3"
	Trace      string          `json:"trace,omitempty"` // file, relative to the working directory
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
	Title      string                     `json:"title,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Outcome    Outcome                    `json:"outcome"`
	Code       Code                       `json:"code,omitempty"`
	Reason     string                     `json:"reason,omitempty"` // where no step says it: a start that failed
	Started    time.Time                  `json:"started,omitzero"`
	DurationMS int64                      `json:"duration_ms"`
	Worker     int                        `json:"worker,omitempty"`      // from 1
	Run        string                     `json:"run,omitempty"`         // of a merged result: the run that it is of
	Retries    []CaseResult               `json:"retries,omitempty"`     // the attempts before this one, in order
	Flaky      bool                       `json:"flaky,omitempty"`       // it passed, after an attempt that did not
	Quarantine bool                       `json:"quarantine,omitempty"`  // what becomes of it is not the run's outcome
	Lock       string                     `json:"lock,omitempty"`        // what was done with the lock: see the Lock words
	LockChange []string                   `json:"lock_change,omitempty"` // how the lock differs now, as + − ~ lines
	Notes      []string                   `json:"notes,omitempty"`       // what else a person should know
	Saved      map[string]json.RawMessage `json:"saved,omitempty"`
	Steps      []StepResult               `json:"steps"`
	Teardown   []StepResult               `json:"teardown,omitempty"`
}

// What a run did with the lock of a case. "" is a case that has none, and of which none was made.
const (
	LockNew     = "new"     // the case was proven for the first time, and the lock written
	LockHit     = "hit"     // replayed, with the effects that it had
	LockUpdated = "updated" // rewritten: a second run told what varies, or the changed effects were accepted
	LockHealed  = "healed"  // an address was healed; the lock holds the new one
	LockStale   = "stale"   // the case was changed since: it was run as if it were new
)

// StepResult is one step in the published form.
type StepResult struct {
	N          int              `json:"n"`
	Do         Kind             `json:"do"`
	Pos        Pos              `json:"pos,omitzero"` // where it is written
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
	Blocked    []string         `json:"blocked,omitempty"`  // what policy kept from leaving the browser
	Files      []string         `json:"files,omitempty"`    // downloads and screenshots that were saved
	AtMS       int64            `json:"at_ms,omitempty"`    // when it began, since its case did
	Decision   string           `json:"decision,omitempty"` // of policy: allow, confirm, deny; "" where none was asked
	Rule       string           `json:"rule,omitempty"`     // that decided
	Guarded    []string         `json:"guarded,omitempty"`  // the events that the guard stopped: what, and who would have received it
	Requests   []Request        `json:"requests,omitempty"` // that it caused
	Console    []string         `json:"console,omitempty"`  // uncaught exceptions and console errors
	Dialogs    []string         `json:"dialogs,omitempty"`
	Shots      *Shots           `json:"shots,omitempty"`
	Healed     *Healed          `json:"healed,omitempty"`
	Diverged   []Divergence     `json:"diverged,omitempty"`
	DurationMS int64            `json:"duration_ms"`
	PhasesMS   map[string]int64 `json:"phases_ms"`
}

// Shots are the pictures of a step. Sensitive fields are masked in them.
type Shots struct {
	Before string  `json:"before,omitempty"` // file, relative to the run's folder
	After  string  `json:"after,omitempty"`
	Box    *Box    `json:"box,omitempty"`   // of the element that was acted on, in the picture before
	Scale  float64 `json:"scale,omitempty"` // pixels of the pictures for one of the box; 0 is 1
}

// Healed is an address that was found again by its fingerprints.
type Healed struct {
	Old string `json:"old"` // locator, as text
	New string `json:"new"`
	Why string `json:"why"` // which fingerprints agreed
}

// A Divergence is a difference between what a step did and what its lock says that it does.
type Divergence struct {
	Code     string `json:"code"` // effect_missing, effect_extra, effect_elsewhere, request_missing, request_extra, url_changed, …: see package lock
	Object   string `json:"object"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
}

func (d Divergence) String() string {
	s := d.Code + ": " + d.Object
	switch {
	case d.Expected != "" && d.Actual != "":
		s += fmt.Sprintf(": expected %s, was %s", d.Expected, d.Actual)
	case d.Expected != "":
		s += ": expected " + d.Expected
	case d.Actual != "":
		s += ": was " + d.Actual
	}
	return s
}

// A Box is a rectangle in CSS pixels, from the top left corner of the viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}
