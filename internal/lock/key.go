package lock

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"path/filepath"

	"github.com/deed-dev/deed"
)

// Key is a digest of what shapes the plan of a case. A lock with another key is not the lock of the case as it is now.
//
// In it: the path, query and fragment of the start; the cases that come first; of each step its kind, element, texts, options, key, files, destination, answers,
// expectations and intent, in order. A fragment that is used counts by its digest and as the steps that it stands for, so that editing it changes the key of every case that
// uses it. Values of variables count by the variable's name, secrets by theirs.
//
// Not in it: what does not change what is done: id, title, file, tags, requirements, time-outs, pauses and retries, quarantine, teardown, the
// clock, what is stored, cookies, answers in the network's place, what fails the case beside its steps, origins that may be touched, values of variables and
// secrets, positions in the file. Where one of these changes what a step does, that is a divergence which somebody sees, not a lock that is quietly made anew. A
// device has a lock of its own.
func Key(c *deed.Case) string {
	x := newContext(c)
	h := sha256.New()
	enc := json.NewEncoder(h)
	put := func(v any) { _ = enc.Encode(v) } // texts and numbers alone: it cannot fail
	put([]string{"deed lock", "1", startPath(x, c.Start)})
	put(c.DependsOn)
	for i := range c.Steps {
		put(shape(x, &c.Steps[i]))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func startPath(x *context, start string) string {
	u, err := url.Parse(start)
	if err != nil || u.Host == "" {
		return x.put(start)
	}
	u.Scheme, u.Host, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	// The base URL may have a path of its own.
	if b, err := url.Parse(x.c.Vars["BASE_URL"]); err == nil && b.Host != "" && len(b.Path) > 1 && len(u.Path) >= len(b.Path) && u.Path[:len(b.Path)] == b.Path {
		u.Path = u.Path[len(b.Path):]
	}
	return x.put(u.String())
}

// values writes texts down by their names, secrets masked.
func (x *context) values(of map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range of {
		out[x.put(k)] = string(x.text(v))
	}
	return out
}

// request is the part of a request that is in the key.
func (x *context) request(h *deed.HTTPStep) []any {
	expect := map[string]string{}
	for k, v := range h.Expect {
		expect[k] = string(x.text(string(v)))
	}
	return []any{h.Method, x.text(h.URL), x.values(h.Headers), x.text(h.Body), x.text(string(h.JSON)), x.values(h.Form), h.Status, expect, x.values(h.ExpectHeaders), h.Save}
}

// shape is the part of a step that is in the key. Every field of an action is here or in the test's list of those that are not.
func shape(x *context, s *deed.Step) map[string]any {
	m := map[string]any{}
	text := func(k, v string) {
		if v != "" {
			m[k] = x.put(v)
		}
	}
	a := &s.Action
	text("kind", string(a.Kind))
	locator := func(k string, l deed.Locator) {
		if !l.IsZero() {
			m[k] = []any{l.Role, x.put(l.Name), l.Loose, x.put(l.Region), x.put(l.Frame), x.put(l.Near), l.Nth}
		}
	}
	locator("locator", a.Locator)
	text("ref", a.Ref)
	text("selector", a.Selector)
	if a.Point != nil {
		m["point"] = a.Point
	}
	text("button", a.Button)
	if a.Enter {
		m["enter"] = true
	}
	text("path", a.Path)
	if a.Full {
		m["full"] = true
	}
	if a.Sensitive() {
		m["secret"] = a.Secret
	} else {
		text("text", a.Text)
	}
	list := func(k string, vs []string) {
		if vs == nil {
			return
		}
		out := make([]string, len(vs))
		for i, v := range vs {
			out[i] = x.put(v)
		}
		m[k] = out
	}
	list("options", a.Options)
	text("key", a.Key)
	if a.Files != nil {
		names := make([]string, len(a.Files))
		for i, f := range a.Files {
			names[i] = filepath.Base(f) // where the case file lies on this machine shapes nothing
		}
		list("files", names)
	}
	if d := a.Drop; d != nil {
		drop := []any{x.put(d.In), x.put(d.Before), x.put(d.After)}
		locator("to", d.To)
		m["drop"] = drop
	}
	if a.Scroll != nil {
		m["scroll"] = []any{x.put(a.Scroll.Region), a.Scroll.X, a.Scroll.Y}
	}
	text("tab", a.Tab)
	text("intent", a.Intent)
	if a.Dialog != nil {
		m["dialog"] = []any{a.Dialog.Accept, x.put(a.Dialog.Text)}
	}
	text("save", s.Save)
	if s.HTTP != nil {
		m["http"] = x.request(s.HTTP)
	}
	if s.Use != nil {
		m["use"] = []string{s.Use.Fragment, s.Use.Digest}
	}
	var expects []any
	for i := range a.Expect {
		e := &a.Expect[i]
		t := x.put(e.Text)
		if e.Secret {
			t = deed.Redacted
		}
		l := e.Locator
		expects = append(expects, []any{e.Kind, l.Role, x.put(l.Name), l.Loose, x.put(l.Region), x.put(l.Frame), x.put(l.Near), l.Nth,
			t, e.States, e.Min, e.Max, e.Request.Method, x.put(e.Request.URL), e.Request.Status})
	}
	if expects != nil {
		m["expect"] = expects
	}
	return m
}
