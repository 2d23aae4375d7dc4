package trace

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
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
	keyed  map[string]bool // ids of actions whose digest is of a secret
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
	return maskURLs(v.typed.String(s))
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
	for _, p := range []*string{&e.By, &e.Risk, &e.Rule, &e.Way, &e.Verdict, &e.Basis, &e.Code} {
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
	e.Request, e.Proposal = v.raw(e.Request), v.raw(e.Proposal)
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
	case deed.KindGoto, deed.KindTab:
		if u, err := url.Parse(a.Text); err == nil {
			v.part(u.RawQuery)
			v.part(u.Fragment)
			for _, values := range u.Query() {
				for _, s := range values {
					v.part(s)
				}
			}
			if u.User != nil {
				password, _ := u.User.Password()
				v.part(password)
			}
		}
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
	if out.Key = a.Key; !commandKey(a.Key) {
		out.Key = hide(a.Key)
	}
	switch {
	case a.Text == "":
	case a.Kind == deed.KindGoto, a.Kind == deed.KindTab && a.Tab == "open":
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

// originOf is all of a proposed URL that may be seen.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return deed.Redacted
	}
	return u.Scheme + "://" + u.Host
}

// page is the URL of a page: its query, its fragment, and who it was opened as are masked.
func (v *veil) page(s string) string {
	s = v.secrets(s)
	if v.unsafe {
		return s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" && u.Scheme != "file" && u.Scheme != "about" {
		return deed.Redacted
	}
	return maskURLs(v.typed.String(s))
}

// maskURLs masks the query, the fragment and the user of every URL in a text, and all that a data: URL holds.
func maskURLs(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	if !strings.Contains(s, "://") && !strings.Contains(s, "data:") && !strings.Contains(s, "javascript:") {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		// A URL ends where a person would say that it does.
		end := strings.IndexAny(s, " \t\r\n\"'<>`")
		token, rest := s, ""
		if end >= 0 {
			token, rest = s[:end], s[end:]
		}
		b.WriteString(maskURL(token))
		s = rest
		if s != "" {
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

func maskURL(token string) string {
	for _, scheme := range []string{"data:", "javascript:"} {
		if i := strings.Index(token, scheme); i >= 0 && len(token) > i+len(scheme) {
			return token[:i+len(scheme)] + deed.Redacted
		}
	}
	i := strings.Index(token, "://")
	if i < 0 {
		return token
	}
	begin, rest := token[:i+3], token[i+3:]
	tail := ""
	if k := strings.IndexAny(rest, "?#"); k >= 0 {
		rest, tail = rest[:k], rest[k:k+1]+deed.Redacted
	}
	host := rest
	if k := strings.IndexByte(rest, '/'); k >= 0 {
		host = rest[:k]
	}
	if k := strings.LastIndexByte(host, '@'); k >= 0 {
		rest = deed.Redacted + rest[k:]
	}
	return begin + rest + tail
}

// raw masks JSON so that it stays JSON.
func (v *veil) raw(j json.RawMessage) json.RawMessage {
	if j == nil {
		return nil
	}
	mask := func(m *redact.Masker) {
		if out, ok := m.Value(j).(json.RawMessage); ok {
			j = out
		}
	}
	if v.given != nil {
		mask(v.given)
	}
	mask(&v.named)
	if v.unsafe {
		return j
	}
	mask(&v.typed)
	var tree any
	d := json.NewDecoder(bytes.NewReader(j))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return json.RawMessage(`{}`)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(byKey(tree)) != nil {
		return json.RawMessage(`{}`)
	}
	return bytes.TrimSpace(out.Bytes())
}

// origins of a value are words of policies, whatever key they stand under.
var valueWords = []string{deed.ValueGoal, deed.ValueSecret, deed.ValuePage, deed.ValueModel, deed.ValueCase, ""}

// byKey masks what stands under a key that promises something to hide, and the queries of URLs anywhere.
func byKey(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if s, ok := e.(string); ok && hiding(k) && !slices.Contains(valueWords, s) {
				x[k] = deed.Redacted
				continue
			}
			x[k] = byKey(e)
		}
	case []any:
		for i := range x {
			x[i] = byKey(x[i])
		}
	case string:
		return maskURLs(x)
	}
	return v
}

func hiding(key string) bool {
	key = strings.ToLower(key)
	switch key {
	case "text", "value", "credential", "selector", "metadata":
		return true
	}
	return slices.ContainsFunc([]string{"authorization", "cookie", "password", "secret", "session", "token", "api_key", "apikey"},
		func(s string) bool { return strings.Contains(key, s) })
}
