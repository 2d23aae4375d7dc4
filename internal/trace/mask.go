package trace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
)

// A veil is what stands between a run and its trace.
type veil struct {
	given  *redact.Masker // the secrets of the caller
	named  redact.Masker  // the values of named secrets that came with an action
	typed  redact.Masker  // what was typed and where it was pointed at; not in an unsafe trace
	key    []byte         // of the pseudonyms; it is kept nowhere
	unsafe bool
	keyed  map[string]bool     // ids of actions whose digest is of a secret
	opened map[string][]string // the paths of proposed URLs, by host
}

// secrets masks what is in no trace.
func (v *veil) secrets(s string) string {
	if s == "" {
		return s
	}
	if v.given != nil {
		s = v.given.String(s)
	}
	return v.named.String(s)
}

// free masks text that a page or an action may have put there.
func (v *veil) free(s string) string {
	s = v.secrets(s)
	if v.unsafe || s == "" {
		return s
	}
	return v.urls(v.typed.String(s))
}

func (v *veil) pseudonym(prefix, s string, n int) string {
	if s == "" {
		return ""
	}
	h := hmac.New(sha256.New, v.key)
	h.Write([]byte(prefix))
	h.Write([]byte(s))
	return prefix + hex.EncodeToString(h.Sum(nil))[:n]
}

// event returns the record as it may be written.
func (v *veil) event(in *Event) Event {
	e := *in
	e.Torn, e.Prev, e.Hash = "", "", ""
	if e.Kind == Proposed && e.Do != nil {
		v.learn(e.ID, e.Do)
		e.Action = v.action(e.Do)
	}
	if v.unsafe {
		if v.keyed[e.ID] {
			e.Digest = v.pseudonym("d-", e.Digest, 32)
		}
		e.ID = v.secrets(e.ID)
		e.Digest = v.secrets(e.Digest)
	} else {
		// A digest of a short text could be found out by trying.
		e.ID = v.pseudonym("a-", e.ID, 16)
		e.Digest = v.pseudonym("d-", e.Digest, 32)
		e.Proposal = nil
	}
	// What deed's own words are stays readable; a named secret is in none all the same.
	for _, p := range []*string{&e.By, &e.Risk, &e.Rule, &e.Policy, &e.Way, &e.Verdict, &e.Basis, &e.Code} {
		*p = v.secrets(*p)
	}
	for _, p := range []*string{&e.Reason, &e.What} {
		*p = v.free(*p)
	}
	if e.Page != "" {
		e.Page = v.page(e.Page)
	}
	if e.Element != nil {
		el := *e.Element
		if !deed.KnownRole(el.Role) {
			el.Role = v.free(el.Role)
		}
		el.Name, el.Region = v.free(el.Name), v.free(el.Region)
		e.Element = &el
	}
	e.Changes, e.Blocked = v.all(e.Changes), v.all(e.Blocked)
	e.PhasesMS = nil
	for k, ms := range in.PhasesMS {
		if slices.Contains(phases, k) {
			if e.PhasesMS == nil {
				e.PhasesMS = map[string]int64{}
			}
			e.PhasesMS[k] = ms
		}
	}
	e.Request, e.Proposal = v.request(e.Request), v.hold(e.Proposal)
	return e
}

func (v *veil) all(in []string) []string {
	if in == nil {
		return nil
	}
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = v.free(s)
	}
	return out
}

// learn remembers what must not be seen again: what is typed, and what tells where and with which parameters.
func (v *veil) learn(id string, a *deed.Action) {
	if a.Sensitive() {
		v.named.Add(a.Text)
		if v.keyed == nil {
			v.keyed = map[string]bool{}
		}
		v.keyed[id] = true
	}
	for i := range a.Expect {
		if a.Expect[i].Secret {
			v.named.Add(a.Expect[i].Text)
		}
	}
	if v.unsafe {
		return
	}
	switch a.Kind {
	case deed.KindFill, deed.KindType, deed.KindEval:
		v.typed.Add(a.Text)
	case deed.KindGoto, deed.KindTab, deed.KindHTTP:
		v.open(a.Text)
	}
	v.part(a.Selector)
	if a.Dialog != nil {
		v.typed.Add(a.Dialog.Text)
	}
}

// part remembers a piece that is long enough not to be found everywhere.
func (v *veil) part(s string) {
	if utf8.RuneCountInString(s) >= 4 {
		v.typed.Add(s)
	}
}

// keys are what a press may name without telling what is typed.
var keys = []string{"Enter", "Escape", "Tab", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown",
	"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"}

func commandKey(key string) bool {
	parts := strings.Split(key, "+")
	if strings.HasSuffix(key, "++") {
		parts = append(parts[:len(parts)-2], "+")
	}
	command := false
	for _, p := range parts[:len(parts)-1] {
		switch p {
		case "Control", "Meta", "Alt":
			command = true
		case "Shift":
		default:
			return false
		}
	}
	last := parts[len(parts)-1]
	return slices.Contains(keys, last) || command && len(last) == 1
}

// method is one of a request: a word of the case's form, and nobody's text.
var method = regexp.MustCompile(`^[A-Z]{3,7}$`)

// action is what may be written down of it.
func (v *veil) action(a *deed.Action) *Action {
	hide := func(s string) string {
		if s == "" || v.unsafe {
			return v.secrets(s)
		}
		return deed.Redacted
	}
	if a.Kind != "" && !word.MatchString(string(a.Kind)) {
		return &Action{Kind: deed.Redacted}
	}
	out := &Action{Kind: deed.Kind(v.secrets(string(a.Kind))), Locator: hide(a.Locator.String()), Ref: hide(a.Ref), Selector: hide(a.Selector),
		Enter: a.Enter, Full: a.Full, PauseMS: a.Pause.Milliseconds(), Path: hide(a.Path), Intent: hide(a.Intent)}
	if a.Point != nil {
		p := *a.Point
		out.Point = &p
	}
	if deed.KnownRole(a.Locator.Role) {
		out.Role = a.Locator.Role
	}
	closed := func(s string, words ...string) string {
		if slices.Contains(words, s) {
			return s
		}
		return hide(s)
	}
	out.Button = closed(a.Button, "left", "middle", "right")
	out.Tab = closed(a.Tab, "open", "switch", "close")
	if a.Scroll != nil {
		out.X, out.Y = a.Scroll.X, a.Scroll.Y
		if out.Locator == "" {
			out.Locator = hide(a.Scroll.Region)
		}
	}
	if out.Key = a.Key; !commandKey(a.Key) && !(a.Kind == deed.KindHTTP && method.MatchString(a.Key)) {
		out.Key = hide(a.Key)
	}
	switch {
	case a.Text == "":
	case a.Kind == deed.KindGoto, a.Kind == deed.KindHTTP, a.Kind == deed.KindTab && a.Tab == "open":
		out.URL = v.secrets(a.Text)
		if !v.unsafe {
			out.URL = originOf(out.URL)
		}
	case a.Sensitive():
		out.Text, out.Length = deed.Redacted, utf8.RuneCountInString(a.Text)
	default:
		out.Text, out.Length = hide(a.Text), utf8.RuneCountInString(a.Text)
	}
	out.Secret = v.free(a.Secret)
	for _, s := range a.Options {
		out.Options = append(out.Options, hide(s))
	}
	for _, s := range a.Files {
		out.Files = append(out.Files, hide(s))
	}
	if a.Drop != nil {
		out.Drop = hide(a.Drop.String())
	}
	for i := range a.Expect {
		out.Expect = append(out.Expect, hide(a.Expect[i].String()))
	}
	if a.Dialog != nil {
		out.Dialog = "dismiss"
		if a.Dialog.Accept {
			out.Dialog = "accept"
		}
	}
	return out
}
