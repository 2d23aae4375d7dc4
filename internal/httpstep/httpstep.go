// Package httpstep makes the requests that a case makes beside the browser, and judges their answers: what has to be there before a
// flow, what a server holds after one.
//
// Law of this package: a request goes where the caller's rule lets it, at every hop, and its answer is judged by what was declared
// alone. It knows no browser.
package httpstep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/theory/jsonpath"
	"golang.org/x/net/publicsuffix"

	"github.com/deed-dev/deed"
)

// DefaultTimeout bounds a request that says nothing itself.
const DefaultTimeout = 10 * time.Second

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 16 << 20

// maxHops bounds the redirects that are followed.
const maxHops = 10

// A Client makes the requests of one case: cookies that it is given come along with the next. It is not safe for concurrent use.
type Client struct {
	allow func(ctx context.Context, method, url string) (why string)
	http  http.Client
	trail []deed.Request
}

// New makes a client. allow says why a request may not be made, at each hop; "" lets it.
func New(allow func(ctx context.Context, method, url string) (why string)) *Client {
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // its error is always nil
	c := &Client{allow: allow}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // the rule is about where it goes
	c.http = http.Client{Jar: jar, Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxHops {
			return fmt.Errorf("more than %d redirects", maxHops)
		}
		return c.may(r)
	}}
	return c
}

// Close lets go of the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

type refused struct{ why string }

func (r *refused) Error() string { return r.why }

func (c *Client) may(r *http.Request) error {
	if why := c.allow(r.Context(), r.Method, r.URL.String()); why != "" {
		return &refused{why}
	}
	c.trail = append(c.trail, deed.Request{Method: r.Method, URL: r.URL.String()})
	return nil
}

// An Answer is what came of a request.
type Answer struct {
	Verdict  deed.Verdict
	Reason   string
	Status   int
	Requests []deed.Request             // each hop
	Saved    map[string]json.RawMessage // what the step saves of it
}

// Do makes the request of a step and judges its answer. An error is of a request that got none: [deed.CodeRefused] where the rule does
// not let it, [deed.CodeTimeout], [deed.CodeEnvironment] where nobody answers, [deed.CodeInvalid] for one that cannot be made.
func (c *Client) Do(ctx context.Context, s *deed.HTTPStep) (*Answer, error) {
	effects := deed.EffectsNone
	fail := func(code deed.Code, err error) (*Answer, error) {
		return nil, &deed.Error{Op: "http", Code: code, Where: s.Method + " " + s.URL, Err: err, SideEffects: effects}
	}
	expect, err := compile(slices.Sorted(maps.Keys(s.Expect)))
	if err != nil {
		return fail(deed.CodeInvalid, err)
	}
	save, err := compile(slices.Collect(maps.Values(s.Save)))
	if err != nil {
		return fail(deed.CodeInvalid, err)
	}
	limit := s.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := request(ctx, s)
	if err != nil {
		return fail(deed.CodeInvalid, err)
	}
	c.trail = nil
	var no *refused
	if err := c.may(r); errors.As(err, &no) {
		return fail(deed.CodeRefused, errors.New("refused: "+no.why))
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions {
		effects = deed.EffectsPossible
	}
	res, err := c.http.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		switch {
		case errors.As(err, &no):
			return fail(deed.CodeRefused, errors.New("the redirect is refused: "+no.why))
		case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
			return fail(deed.CodeTimeout, fmt.Errorf("no answer within %v", limit))
		case ctx.Err() != nil:
			return fail(deed.CodeCancelled, ctx.Err())
		}
		return fail(deed.CodeEnvironment, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return fail(deed.CodeTimeout, fmt.Errorf("the answer did not end within %v", limit))
	case err != nil:
		return fail(deed.CodeEnvironment, err)
	case len(body) > maxAnswer:
		return fail(deed.CodeEnvironment, errors.New("the answer is larger than 16 MiB"))
	}
	a := &Answer{Status: res.StatusCode, Requests: c.trail}
	for i := range a.Requests {
		a.Requests[i].Done = true
	}
	a.Requests[len(a.Requests)-1].Status = res.StatusCode
	a.judge(s, res.Header, body, expect, save)
	return a, nil
}

// request makes the request of a step.
func request(ctx context.Context, s *deed.HTTPStep) (*http.Request, error) {
	body, kind := s.Body, ""
	switch {
	case s.JSON != nil:
		body, kind = string(s.JSON), "application/json"
	case s.Form != nil:
		v := url.Values{}
		for k, x := range s.Form {
			v.Set(k, x)
		}
		body, kind = v.Encode(), "application/x-www-form-urlencoded"
	}
	method := s.Method
	if method == "" {
		method = http.MethodGet
	}
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.URL, reader)
	if err != nil {
		return nil, errors.New("it is no address that can be asked for")
	}
	if r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Host == "" {
		return nil, errors.New("only http and https can be asked for")
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for k, v := range s.Headers {
		if strings.EqualFold(k, "host") {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	return r, nil
}

// judge compares the answer with what was declared: the first that does not hold is the reason.
func (a *Answer) judge(s *deed.HTTPStep, header http.Header, body []byte, expect, save map[string]*path) {
	a.Verdict = deed.Mismatch
	switch {
	case s.Status != 0 && a.Status != s.Status:
		a.Reason = fmt.Sprintf("the status is %d, expected %d", a.Status, s.Status)
		return
	case s.Status == 0 && a.Status >= 400:
		a.Reason = fmt.Sprintf("the status is %d", a.Status)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.ExpectHeaders)) {
		if is, want := header.Get(name), s.ExpectHeaders[name]; !strings.Contains(is, want) {
			a.Reason = fmt.Sprintf("the header %s is %q, expected %q in it", name, is, want)
			return
		}
	}
	if len(expect)+len(save) > 0 {
		tree, err := decode(body)
		if err != nil {
			a.Reason = "the answer is no JSON"
			return
		}
		for _, p := range slices.Sorted(maps.Keys(s.Expect)) {
			want, err := decode(s.Expect[p])
			if err != nil {
				a.Reason = fmt.Sprintf("%s: what is expected is no JSON", p)
				return
			}
			found := expect[p].find(tree)
			if !same(found, want) {
				a.Reason = fmt.Sprintf("%s is %s, expected %s", p, show(found), clip(string(s.Expect[p])))
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Save)) {
			found := save[s.Save[name]].find(tree)
			if len(found) != 1 {
				a.Reason = fmt.Sprintf("%s, which is saved as %s, is %s", s.Save[name], name, show(found))
				return
			}
			raw, err := json.Marshal(found[0])
			if err != nil {
				a.Reason = fmt.Sprintf("%s cannot be saved", s.Save[name])
				return
			}
			if a.Saved == nil {
				a.Saved = map[string]json.RawMessage{}
			}
			a.Saved[name] = raw
		}
	}
	a.Verdict = deed.Match
	a.Reason = fmt.Sprintf("the answer is %d, as expected", a.Status)
}

// A path is where something stands in an answer.
type path struct {
	p     *jsonpath.Path
	count bool // how many there are in what stands there
}

// CheckPath reports a path that is none: RFC 9535, and at its end .length() for how many members, elements or characters stand there.
func CheckPath(text string) error {
	_, err := parse(text)
	return err
}

func parse(text string) (*path, error) {
	t, count := strings.CutSuffix(text, ".length()")
	p, err := jsonpath.Parse(t)
	if err != nil {
		return nil, fmt.Errorf("%q is no JSONPath: %s", text, strings.TrimPrefix(err.Error(), "jsonpath: "))
	}
	return &path{p, count}, nil
}

func compile(texts []string) (map[string]*path, error) {
	out := map[string]*path{}
	for _, t := range texts {
		p, err := parse(t)
		if err != nil {
			return nil, err
		}
		out[t] = p
	}
	return out, nil
}

// find lists what stands there.
func (p *path) find(tree any) []any {
	located := p.p.SelectLocated(tree)
	if t := p.p.String(); strings.ContainsAny(t, "*?") || strings.Contains(t, "..") {
		located.Sort() // the members of an object have no order of their own
	}
	found := []any{}
	for _, n := range located {
		found = append(found, n.Node)
	}
	if !p.count {
		return found
	}
	out := []any{}
	for _, f := range found {
		switch x := f.(type) {
		case []any:
			out = append(out, json.Number(fmt.Sprint(len(x))))
		case map[string]any:
			out = append(out, json.Number(fmt.Sprint(len(x))))
		case string:
			out = append(out, json.Number(fmt.Sprint(len([]rune(x)))))
		}
	}
	return out
}

func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// same reports whether just the value was found, or all of an array.
func same(found []any, want any) bool {
	if len(found) == 1 && equal(found[0], want) {
		return true
	}
	all, ok := want.([]any)
	return ok && len(found) != 1 && equal(found, all)
}

// equal compares JSON values: numbers by what they are worth.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		if x == y {
			return true
		}
		f, err1 := x.Float64()
		g, err2 := y.Float64()
		return err1 == nil && err2 == nil && f == g
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equal)
	}
	return reflect.DeepEqual(a, b)
}

func show(found []any) string {
	switch len(found) {
	case 0:
		return "not there"
	case 1:
		raw, _ := json.Marshal(found[0])
		return clip(string(raw))
	}
	raw, _ := json.Marshal(found)
	return clip(string(raw))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
