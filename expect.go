package deed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ExpectKind is the form of an expectation.
type ExpectKind string

const (
	ExpectAppears    ExpectKind = "appears"
	ExpectDisappears ExpectKind = "disappears"
	ExpectVisible    ExpectKind = "visible"
	ExpectHidden     ExpectKind = "hidden"
	ExpectValue      ExpectKind = "value"
	ExpectState      ExpectKind = "state"
	ExpectText       ExpectKind = "text"
	ExpectCount      ExpectKind = "count"
	ExpectURL        ExpectKind = "url"
	ExpectTitle      ExpectKind = "title"
	ExpectRequest    ExpectKind = "request"
	ExpectDialog     ExpectKind = "dialog"
	ExpectPopup      ExpectKind = "popup"
	ExpectDownload   ExpectKind = "download"
	ExpectNoErrors   ExpectKind = "no_errors"
)

// An Expect is one checkable effect. All expectations of a step must hold in one and the same snapshot.
type Expect struct {
	Kind    ExpectKind      `json:"kind"`
	Locator Locator         `json:"locator,omitzero"` // appears, disappears, visible, hidden, value, state, count; of text only Region and Frame
	Text    string          `json:"text,omitempty"`   // value: equals; text, title, dialog, popup, download: contains or /re/; url: glob
	States  map[string]bool `json:"states,omitempty"` // state: checked, disabled, expanded, selected, pressed, focused, readonly
	Min     int             `json:"min,omitempty"`    // count; -1 is no bound
	Max     int             `json:"max,omitempty"`    // count; -1 is no bound
	Request RequestSpec     `json:"request,omitzero"`
	Secret  bool            `json:"-"` // Text is a secret
}

// RequestSpec describes a request that the step must cause. Empty fields match anything.
type RequestSpec struct {
	Method string `json:"method,omitempty"`
	URL    string `json:"url,omitempty"` // glob
	Status int    `json:"status,omitempty"`
}

// Appears holds when the element was not there before the act and is now.
func Appears(role, name string) Expect { return Expect{Kind: ExpectAppears, Locator: Find(role, name)} }

// Disappears holds when the element was there before the act and is not now.
func Disappears(role, name string) Expect {
	return Expect{Kind: ExpectDisappears, Locator: Find(role, name)}
}

// Visible holds when the element is there.
func Visible(role, name string) Expect { return Expect{Kind: ExpectVisible, Locator: Find(role, name)} }

// Hidden holds when no such element is there.
func Hidden(role, name string) Expect { return Expect{Kind: ExpectHidden, Locator: Find(role, name)} }

// Text holds when the visible text contains t, or matches /t/.
func Text(t string) Expect { return Expect{Kind: ExpectText, Text: t} }

// Value holds when the control holds exactly v.
func Value(l Locator, v string) Expect { return Expect{Kind: ExpectValue, Locator: l, Text: v} }

// URL holds when the page's URL matches the glob; ** crosses slashes.
func URL(glob string) Expect { return Expect{Kind: ExpectURL, Text: glob} }

// Count holds when exactly n elements match.
func Count(l Locator, n int) Expect { return Expect{Kind: ExpectCount, Locator: l, Min: n, Max: n} }

// In narrows the expectation to a region.
func (e Expect) In(region string) Expect { e.Locator.Region = region; return e }

// AboutBefore reports whether the expectation speaks of a change, so that holding before the act already makes
// it fail.
func (e *Expect) AboutBefore() bool { return e.Kind == ExpectAppears || e.Kind == ExpectDisappears }

// FromSignals reports whether the expectation is about what happened, not about what the page shows.
func (e *Expect) FromSignals() bool {
	switch e.Kind {
	case ExpectRequest, ExpectDialog, ExpectPopup, ExpectDownload, ExpectNoErrors:
		return true
	}
	return false
}

// String is the text form for messages: `appears listitem "T-shirt M" in cart`.
func (e *Expect) String() string {
	t := strconv.Quote(e.Text)
	if e.Secret {
		t = Redacted
	}
	switch e.Kind {
	case ExpectValue:
		return fmt.Sprintf("value %s equals %s", e.Locator, t)
	case ExpectState:
		var s []string
		for k, v := range e.States {
			if v {
				s = append(s, k)
			} else {
				s = append(s, "not "+k)
			}
		}
		slices.Sort(s)
		return fmt.Sprintf("state %s %s", e.Locator, strings.Join(s, ", "))
	case ExpectText:
		s := "text " + t
		if e.Locator.Region != "" {
			s += " in " + e.Locator.Region
		}
		if e.Locator.Frame != "" {
			s += " frame " + strconv.Quote(e.Locator.Frame)
		}
		return s
	case ExpectCount:
		switch {
		case e.Min == e.Max:
			return fmt.Sprintf("count %s equals %d", e.Locator, e.Min)
		case e.Max < 0:
			return fmt.Sprintf("count %s at least %d", e.Locator, e.Min)
		case e.Min < 0:
			return fmt.Sprintf("count %s at most %d", e.Locator, e.Max)
		}
		return fmt.Sprintf("count %s from %d to %d", e.Locator, e.Min, e.Max)
	case ExpectRequest:
		s := "request"
		if e.Request.Method != "" {
			s += " " + e.Request.Method
		}
		if e.Request.URL != "" {
			s += " " + e.Request.URL
		}
		if e.Request.Status != 0 {
			s += " " + strconv.Itoa(e.Request.Status)
		}
		return s
	case ExpectNoErrors:
		return "no errors"
	case ExpectURL:
		return "url " + e.Text
	case ExpectTitle, ExpectDialog, ExpectPopup, ExpectDownload:
		return string(e.Kind) + " " + t
	}
	return string(e.Kind) + " " + e.Locator.String()
}

// expectable are the states that the form `state` knows.
var expectable = []string{"checked", "disabled", "expanded", "focused", "invalid", "mixed", "pressed", "readonly", "required", "selected"}

// ExpectableStates lists the states that an expectation may name, sorted.
func ExpectableStates() []string { return slices.Clone(expectable) }

// landmarks that nearly every page has: expecting one of them unnamed cannot fail.
var landmarks = []string{"banner", "complementary", "contentinfo", "document", "generic", "main", "navigation", "region", "search"}

// Validate reports an expectation that cannot be checked, or cannot fail, as [CodeInvalid].
func (e *Expect) Validate() error {
	bad := func(hint, format string, args ...any) error {
		return &Error{Op: "expect", Code: CodeInvalid, Where: e.String(), Err: fmt.Errorf(format, args...), Hint: hint}
	}
	switch e.Kind {
	case ExpectAppears, ExpectDisappears, ExpectVisible, ExpectHidden, ExpectValue, ExpectState, ExpectCount:
		if err := e.Locator.Validate(); err != nil {
			return err
		}
		if e.Locator.Name == "" && slices.Contains(landmarks, e.Locator.Role) && (e.Kind == ExpectVisible || e.Kind == ExpectAppears) {
			return bad("name what is in it", "a bare %s stands on nearly every page, this cannot fail", e.Locator.Role)
		}
	case ExpectText, ExpectURL, ExpectTitle, ExpectDialog, ExpectPopup, ExpectDownload:
		if e.Text == "" {
			return bad("", "a text is missing")
		}
		if e.Kind == ExpectURL && strings.Trim(e.Text, "*") == "" {
			return bad("", "every URL matches, this cannot fail")
		}
		if body, ok := regexpBody(e.Text); ok && e.Kind != ExpectURL && TextPattern(e.Text) == nil {
			return bad("", "bad regular expression %q", body)
		}
	case ExpectRequest:
		if e.Request == (RequestSpec{}) {
			return bad("", "method, url or status is missing")
		}
	case ExpectNoErrors:
	default:
		return bad("", "unknown expectation %q", string(e.Kind))
	}
	if e.Kind == ExpectState {
		if len(e.States) == 0 {
			return bad("", "a state is missing")
		}
		for k := range e.States {
			if !slices.Contains(expectable, k) {
				hint := ""
				if s := Suggest(k, expectable); s != "" {
					hint = fmt.Sprintf("did you mean %q?", s)
				}
				return bad(hint, "unknown state %q", k)
			}
		}
	}
	if e.Kind == ExpectCount && (e.Min < 0 && e.Max < 0 || e.Min == 0 && e.Max < 0) {
		return bad("", "every count satisfies this, it cannot fail")
	}
	if e.Kind == ExpectCount && e.Max >= 0 && e.Min > e.Max {
		return bad("", "min %d is above max %d, this cannot hold", e.Min, e.Max)
	}
	return nil
}
