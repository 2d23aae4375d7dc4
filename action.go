package deed

import (
	"fmt"
	"strconv"
	"strings"
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
	KindHover    Kind = "hover"
	KindFocus    Kind = "focus"
	KindClear    Kind = "clear"
	KindType     Kind = "type"   // key by key, at the caret, without replacing what is there
	KindUpload   Kind = "upload" // files into a file input, or into the chooser that a button opens
	KindDrag     Kind = "drag"
	KindScroll   Kind = "scroll"
	KindBack     Kind = "back"
	KindForward  Kind = "forward"
	KindReload   Kind = "reload"
	KindTab      Kind = "tab"        // open, switch to or close a tab of the same browser context
	KindShot     Kind = "screenshot" // sensitive fields are masked
	KindWait     Kind = "wait"       // until an expectation holds
	KindExpect   Kind = "expect"     // an expectation that holds now, retried until the deadline
	KindEval     Kind = "eval"       // JavaScript in the page's own world
	KindHTTP     Kind = "http"       // a request of its own, beside the browser: of steps of a case only
	KindWatch    Kind = "watch"      // done by somebody else, only observed
)

// NeedsElement reports whether the kind acts on one element.
func (k Kind) NeedsElement() bool {
	switch k {
	case KindClick, KindDblclick, KindFill, KindCheck, KindUncheck, KindSelect, KindHover, KindFocus, KindClear, KindType,
		KindUpload, KindDrag:
		return true
	}
	return false
}

// An Action is what should be done, and what should come of it.
type Action struct {
	Kind     Kind          `json:"kind"`
	Locator  Locator       `json:"locator,omitzero"`
	Ref      string        `json:"ref,omitempty"`      // s7:e12 instead of a locator
	Selector string        `json:"selector,omitempty"` // a CSS selector instead of a locator: it must match one element, which is then acted on by its identity
	Point    *Point        `json:"point,omitempty"`    // a point instead of a locator: the element that a click there would reach is acted on by its identity
	Button   string        `json:"button,omitempty"`   // click: left, middle or right; "" is left
	Enter    bool          `json:"enter,omitempty"`    // fill, type: press Enter afterwards, as an action of its own
	Pause    time.Duration `json:"pause,omitempty"`    // wait: this long, where Expect is empty
	Path     string        `json:"path,omitempty"`     // screenshot: where it is kept, relative to the folder for artefacts
	Full     bool          `json:"full,omitempty"`     // screenshot: the whole page
	Text     string        `json:"text,omitempty"`     // fill: the value; goto: the URL; eval: the expression
	Secret   string        `json:"secret,omitempty"`   // fill: the name of the secret whose value is in Text; Text is then masked in every output
	Options  []string      `json:"options,omitempty"`  // select: labels or values
	Key      string        `json:"key,omitempty"`      // press: Enter, Escape, ArrowDown, Control+A, …
	Files    []string      `json:"files,omitempty"`    // upload: paths; empty and not nil leaves the input without a file
	Drop     *Drop         `json:"drop,omitempty"`     // drag: where to
	Scroll   *Scroll       `json:"scroll,omitempty"`   // scroll: how far, where Locator says no element
	Tab      string        `json:"tab,omitempty"`      // tab: open (Text is the URL), switch (Text is part of the title or the URL glob), close
	Expect   []Expect      `json:"expect,omitempty"`
	Whole    Whole         `json:"-"` // whether all that it is known to do was seen: a match is held back until then, up to the effect time-out. It decides nothing
	Rest     time.Duration `json:"-"` // a match is held back until nothing came of it for so long, up to the effect time-out: what it does is to be known
	Intent   string        `json:"intent,omitempty"`
	Dialog   *Answer       `json:"dialog,omitempty"`  // how to answer the native dialog that the act opens; nil dismisses and reports it
	Timeout  time.Duration `json:"timeout,omitempty"` // of the whole step; 0 is the default
}

// A Whole reports whether a result, as far as it is known, tells all that is known to come. It keeps nothing of it.
type Whole func(*Result) bool

// A Drop says where a dragged element goes: onto an element, into a region, or before or after a sibling of this name.
type Drop struct {
	To     Locator `json:"to,omitzero"`
	In     string  `json:"in,omitempty"` // region
	Before string  `json:"before,omitempty"`
	After  string  `json:"after,omitempty"`
}

// A Scroll by an amount, in CSS pixels; positive is down and right. Region says what scrolls; "" is the page.
type Scroll struct {
	Region string `json:"in,omitempty"`
	X      int    `json:"x,omitempty"`
	Y      int    `json:"y,omitempty"`
}

// String is the form for messages: `after "Beans"`.
func (d *Drop) String() string {
	switch {
	case !d.To.IsZero():
		return "to " + d.To.String()
	case d.In != "":
		return "in " + d.In
	case d.Before != "":
		return "before " + strconv.Quote(d.Before)
	}
	return "after " + strconv.Quote(d.After)
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
	case a.Selector != "":
		return a.Selector
	case a.Point != nil:
		return fmt.Sprintf("at %g,%g", a.Point.X, a.Point.Y)
	case a.Kind == KindGoto, a.Kind == KindShot:
		return a.Text
	case a.Kind == KindHTTP:
		return strings.TrimSpace(a.Key + " " + a.Text)
	case a.Kind == KindTab:
		return strings.TrimSpace(a.Tab + " " + a.Text)
	case a.Kind == KindScroll && a.Scroll != nil:
		return strings.TrimSpace(fmt.Sprintf("by %d,%d %s", a.Scroll.X, a.Scroll.Y, a.Scroll.Region))
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
		if len(a.Expect) == 0 && (a.Kind == KindExpect || a.Pause <= 0) {
			return bad("an expectation is missing")
		}
	case KindEval:
		if a.Text == "" {
			return bad("an expression is missing")
		}
	case KindUpload:
		if a.Files == nil { // none at all is what takes them back
			return bad("a file is missing")
		}
	case KindDrag:
		if a.Drop == nil || *a.Drop == (Drop{}) {
			return bad("where to is missing")
		}
	case KindScroll:
		toElement := !a.Locator.IsZero() || a.Ref != "" || a.Selector != ""
		if !toElement && (a.Scroll == nil || a.Scroll.X == 0 && a.Scroll.Y == 0) {
			return bad("an element or an amount is missing")
		}
	case KindTab:
		if a.Tab != "open" && a.Tab != "switch" && a.Tab != "close" {
			return bad("open, switch or close is missing")
		}
		if a.Tab != "close" && a.Text == "" {
			return bad("%s needs a URL or a title", a.Tab)
		}
	case KindType:
		if a.Text == "" {
			return bad("a text is missing")
		}
	case KindClick, KindDblclick, KindFill, KindCheck, KindUncheck, KindWatch, KindHover, KindFocus, KindClear, KindBack,
		KindForward, KindReload, KindShot:
	default:
		return bad("unknown action %s", strconv.Quote(string(a.Kind)))
	}
	atFocus := a.Kind == KindType && a.Locator.IsZero() // what has the focus
	if a.Kind.NeedsElement() && !atFocus && a.Ref == "" && a.Selector == "" && a.Point == nil || (a.Kind == KindPress || a.Kind == KindScroll) && !a.Locator.IsZero() {
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
