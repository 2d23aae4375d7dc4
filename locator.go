package deed

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Locator says how to find one element: by role and name, as a person or a screen reader would.
// It is strict: no match or several matches are an answer ([CodeNoMatch], [CodeManyMatches]), never a guess.
//
// Name is compared after white-space folding and Unicode normalisation and must be equal; with Loose it
// need only be contained, without regard to case; written as /…/ or /…/i it is a regular expression (RE2).
// An empty Name matches every element of the role, named or not.
type Locator struct {
	Role   string // ARIA role, lower case
	Name   string
	Loose  bool   // exact: false
	Region string // an ancestor: its name ("cart"), its role ("navigation") or both (`dialog "Cookies"`)
	Frame  string // title, name or URL glob of the frame it stands in
	Near   string // text that stands in the same row or card; of a calendar's day its date, as the cell says it
	Nth    int    // 1-based choice among several matches, in document order; 0 demands one match
}

// Find returns the locator of the element with this role and name.
func Find(role, name string) Locator { return Locator{Role: role, Name: name} }

// Button, Link, Textbox, Checkbox, Radio, Combobox, Heading, Listitem, Switch, Tab, Option and Status are
// [Find] for the roles that occur most.
func Button(name string) Locator   { return Find("button", name) }
func Link(name string) Locator     { return Find("link", name) }
func Textbox(name string) Locator  { return Find("textbox", name) }
func Checkbox(name string) Locator { return Find("checkbox", name) }
func Radio(name string) Locator    { return Find("radio", name) }
func Combobox(name string) Locator { return Find("combobox", name) }
func Heading(name string) Locator  { return Find("heading", name) }
func Listitem(name string) Locator { return Find("listitem", name) }
func Switch(name string) Locator   { return Find("switch", name) }
func Tab(name string) Locator      { return Find("tab", name) }
func Option(name string) Locator   { return Find("option", name) }
func Status(name string) Locator   { return Find("status", name) }

// In narrows the locator to a region: `cart`, `navigation` or `dialog "Cookies"`.
func (l Locator) In(region string) Locator { l.Region = region; return l }

// InFrame narrows the locator to the frame with this title, name or URL glob.
func (l Locator) InFrame(frame string) Locator { l.Frame = frame; return l }

// Beside narrows the locator to the row or card that holds this text.
func (l Locator) Beside(text string) Locator { l.Near = text; return l }

// At takes the n-th match (1-based, document order).
func (l Locator) At(n int) Locator { l.Nth = n; return l }

// Containing makes the name match when it is contained, without regard to case.
func (l Locator) Containing() Locator { l.Loose = true; return l }

// IsZero reports whether the locator says nothing.
func (l Locator) IsZero() bool { return l == Locator{} }

// String is the text form: `button "Add T-shirt M" in catalog`. [ParseLocator] reads it back.
func (l Locator) String() string {
	if l.IsZero() {
		return ""
	}
	var b strings.Builder
	b.WriteString(l.Role)
	if l.Name != "" {
		b.WriteByte(' ')
		if _, ok := regexpBody(l.Name); ok {
			b.WriteString(l.Name)
		} else {
			b.WriteString(strconv.Quote(l.Name))
		}
	}
	if l.Loose {
		b.WriteString(" loose")
	}
	if l.Region != "" {
		b.WriteString(" in " + l.Region)
	}
	if l.Frame != "" {
		b.WriteString(" frame " + strconv.Quote(l.Frame))
	}
	if l.Near != "" {
		b.WriteString(" near " + strconv.Quote(l.Near))
	}
	if l.Nth != 0 {
		fmt.Fprintf(&b, " nth %d", l.Nth)
	}
	return b.String()
}

// Validate reports a locator that cannot find anything, as [CodeInvalid].
func (l Locator) Validate() error {
	bad := func(format string, args ...any) error {
		return &Error{Op: "locator", Code: CodeInvalid, Where: l.String(), Err: fmt.Errorf(format, args...)}
	}
	if l.Role == "" {
		return bad("a role is missing")
	}
	if !KnownRole(l.Role) {
		e := &Error{Op: "locator", Code: CodeInvalid, Where: l.String(), Err: fmt.Errorf("unknown role %q", l.Role)}
		if s := Suggest(l.Role, Roles()); s != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", s)
		}
		return e
	}
	if body, ok := regexpBody(l.Name); ok {
		if _, err := regexp.Compile(body); err != nil {
			return bad("bad regular expression: %w", err)
		}
	}
	if l.Nth < 0 {
		return bad("nth is %d, it counts from 1", l.Nth)
	}
	return nil
}

// Pattern returns the regular expression that Name holds, or nil when Name is plain text.
func (l Locator) Pattern() *regexp.Regexp { return TextPattern(l.Name) }

// TextPattern returns the regular expression written as /…/ or /…/i, or nil for plain text and for an
// expression that does not compile.
func TextPattern(s string) *regexp.Regexp {
	body, ok := regexpBody(s)
	if !ok {
		return nil
	}
	re, err := regexp.Compile(body)
	if err != nil {
		return nil
	}
	return re
}

func regexpBody(s string) (string, bool) {
	if len(s) < 3 || s[0] != '/' {
		return "", false
	}
	if s[len(s)-1] == '/' {
		return s[1 : len(s)-1], true
	}
	if strings.HasSuffix(s, "/i") && len(s) > 3 {
		return "(?i)" + s[1:len(s)-2], true
	}
	return "", false
}

// MarshalJSON writes the case-file form: {"button":"Add","in":"cart"}.
func (l Locator) MarshalJSON() ([]byte, error) {
	if l.IsZero() {
		return []byte("{}"), nil
	}
	var b strings.Builder
	field := func(k string, v any) {
		j, _ := json.Marshal(v)
		kj, _ := json.Marshal(k)
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.Write(kj)
		b.WriteByte(':')
		b.Write(j)
	}
	if l.Role != "" || l.Name != "" { // an expectation about a region's text has neither
		field(l.Role, l.Name)
	}
	if l.Loose {
		field("exact", false)
	}
	if l.Region != "" {
		field("in", l.Region)
	}
	if l.Frame != "" {
		field("frame", l.Frame)
	}
	if l.Near != "" {
		field("near", l.Near)
	}
	if l.Nth != 0 {
		field("nth", l.Nth)
	}
	return []byte("{" + b.String() + "}"), nil
}

// UnmarshalJSON reads the case-file form; an unknown key that is no role is an error.
func (l *Locator) UnmarshalJSON(data []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	*l = Locator{}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		var err error
		switch k {
		case "in":
			err = json.Unmarshal(m[k], &l.Region)
		case "frame":
			err = json.Unmarshal(m[k], &l.Frame)
		case "near":
			err = json.Unmarshal(m[k], &l.Near)
		case "nth":
			err = json.Unmarshal(m[k], &l.Nth)
		case "exact":
			exact := true
			err = json.Unmarshal(m[k], &exact)
			l.Loose = !exact
		default:
			if l.Role != "" {
				return fmt.Errorf("a locator has one role, got %q and %q", l.Role, k)
			}
			l.Role = k
			err = json.Unmarshal(m[k], &l.Name)
		}
		if err != nil {
			return fmt.Errorf("locator key %q: %w", k, err)
		}
	}
	return nil
}

// ParseLocator reads the text form that [Locator.String] writes: a role, then optionally a quoted name or
// /pattern/, then any of `loose`, `in REGION`, `frame "F"`, `near "TEXT"`, `nth N`.
func ParseLocator(s string) (Locator, error) {
	bad := func(why string) (Locator, error) {
		return Locator{}, &Error{Op: "locator", Code: CodeInvalid, Where: s, Err: errors.New(why),
			Hint: `write: button "Save" in dialog "Profile"`}
	}
	rest := strings.TrimSpace(s)
	word := func() string {
		i := strings.IndexAny(rest, " \t")
		w := rest
		if i >= 0 {
			w, rest = rest[:i], strings.TrimSpace(rest[i:])
		} else {
			rest = ""
		}
		return w
	}
	quoted := func() (string, bool) {
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", false
		}
		v, err := strconv.Unquote(q)
		if err != nil {
			return "", false
		}
		rest = strings.TrimSpace(rest[len(q):])
		return v, true
	}
	var l Locator
	l.Role = word()
	if strings.HasPrefix(rest, `"`) {
		n, ok := quoted()
		if !ok {
			return bad("the name's quotes do not close")
		}
		l.Name = n
	} else if strings.HasPrefix(rest, "/") {
		i := strings.LastIndexByte(rest, '/')
		if i == 0 {
			return bad("the pattern does not close")
		}
		end := i + 1
		if strings.HasPrefix(rest[end:], "i") {
			end++
		}
		l.Name, rest = rest[:end], strings.TrimSpace(rest[end:])
	}
	for rest != "" {
		switch k := word(); k {
		case "loose":
			l.Loose = true
		case "in":
			if strings.HasPrefix(rest, `"`) {
				v, ok := quoted()
				if !ok {
					return bad("the region's quotes do not close")
				}
				l.Region = strconv.Quote(v)
				continue
			}
			l.Region = word()
			if strings.HasPrefix(rest, `"`) {
				v, ok := quoted()
				if !ok {
					return bad("the region's quotes do not close")
				}
				l.Region += " " + strconv.Quote(v)
			}
		case "frame", "near":
			v, ok := quoted()
			if !ok {
				v = word()
			}
			if k == "frame" {
				l.Frame = v
			} else {
				l.Near = v
			}
		case "nth":
			n, err := strconv.Atoi(word())
			if err != nil {
				return bad("nth needs a number")
			}
			l.Nth = n
		default:
			return bad(fmt.Sprintf("unexpected %q", k))
		}
	}
	return l, l.Validate()
}
