package casefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// tokenName is the variable whose value is shown to the address that cases come from, and to no other.
const tokenName = "DEED_API_TOKEN"

const (
	maxAnswer    = 8 << 20
	maxRedirects = 5
	apiTimeout   = 30 * time.Second
)

// LoadAPI reads cases from an address. It answers a GET with JSON: a case, a list of them, or either as the `cases` or `data`
// of an object. Positions are JSON pointers into the answer. A token in the variable DEED_API_TOKEN is shown to it.
// An id that one of the cases read before has already is complained about.
func LoadAPI(ctx context.Context, address string, before []deed.Case, o Options) ([]deed.Case, []Problem) {
	name := shown(address)
	s := &source{name: name, pointers: true, lines: []string{""}, widths: []int{0}, starts: []int{0}, lastColumn: 1}
	env := &environment{dir: ".", lookup: o.LookupEnv}
	data, err := fetch(ctx, address, env)
	if err != nil {
		return nil, []Problem{{Pos: deed.Pos{File: name}, File: name, Err: err, Hint: deed.HintOf(err)}}
	}
	s.text = string(data)
	env.only = append([]string{}, o.Secrets...)
	docs := s.json()
	switch {
	case len(docs) == 1:
		docs = unwrap(s, docs[0])
	case len(docs) > 1:
		s.complain(deed.Pos{}, "", "the answer holds %d JSON values, not one", len(docs))
		docs = nil
	case len(s.problems) == 0:
		s.complain(deed.Pos{}, "", "the answer is empty")
	}
	found, problems := s.cases(docs, env, o)
	found = slices.DeleteFunc(found, func(c located) bool {
		if !slices.Contains(c.Origins, "file://") {
			return false
		}
		problems = append(problems, Problem{Pos: c.Pos, File: name, Case: c.ID, Hint: "keep the case in a file",
			Err: invalid("a case from an address opens no files of this machine")})
		return true
	})
	ids := identities{}
	for _, c := range before {
		ids[c.ID] = c.Pos
	}
	return ids.add(nil, problems, found)
}

// shown is the address as results and messages have it: its query may hold a key.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// unwrap finds the cases in an answer.
func unwrap(s *source, d document) []document {
	n := d.node
	if n.kind == mapping {
		if _, isCase := n.field("case"); !isCase {
			for _, key := range []string{"cases", "data"} {
				if f, ok := n.field(key); ok {
					n = f.value
					break
				}
			}
		}
	}
	if n.kind != list {
		return []document{{n, d.flawed}}
	}
	if len(n.items) == 0 {
		s.complain(n.pos, "", "the answer holds no case")
	}
	var out []document
	for _, item := range n.items {
		out = append(out, document{item, d.flawed})
	}
	return out
}

// fetch asks the address. Redirects are followed within its origin only: the token is for it alone.
func fetch(ctx context.Context, address string, env *environment) ([]byte, error) {
	fail := func(code deed.Code, hint, format string, args ...any) error {
		return &deed.Error{Op: "get", Code: code, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fail(deed.CodeInvalid, "--from-api https://tests.example/cases", "%q is no address of cases", shown(address))
	}
	if u.User != nil {
		return nil, fail(deed.CodeInvalid, "set "+tokenName+" in the environment or in .env.local", "an address of cases holds no password")
	}
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fail(deed.CodeInvalid, "", "%w", err)
	}
	req.Header.Set("Accept", "application/json")
	token, where, err := env.token()
	if err != nil {
		return nil, fail(deed.CodeInvalid, "", "%s: %w", tokenName, err)
	}
	if token != "" {
		if strings.ContainsAny(token, "\r\n") {
			return nil, fail(deed.CodeInvalid, "", "%s in %s holds a line break", tokenName, where)
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if origin(next.URL) != origin(u) {
			return fmt.Errorf("it redirects to another origin, %s", origin(next.URL))
		}
		if len(via) > maxRedirects {
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		}
		return nil
	}}
	resp, err := client.Do(req)
	if err != nil {
		code := deed.CodeEnvironment
		if ctx.Err() != nil {
			code = deed.CodeTimeout
		}
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return nil, fail(code, "", "%w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		hint := ""
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			hint = "set " + tokenName + " in the environment or in .env.local"
		}
		return nil, fail(deed.CodeEnvironment, hint, "the answer is %s", resp.Status)
	}
	if t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil && t != "application/json" && t != "text/plain" && !strings.HasSuffix(t, "+json") {
		return nil, fail(deed.CodeInvalid, "application/json", "the answer is %s, not JSON", t)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fail(deed.CodeEnvironment, "", "the answer breaks off: %w", err)
	}
	if len(data) > maxAnswer {
		return nil, fail(deed.CodeInvalid, "", "the answer has more than %d MB", maxAnswer>>20)
	}
	return data, nil
}
