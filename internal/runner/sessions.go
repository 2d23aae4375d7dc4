package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// sessions are what cases left signed in, for the cases that depend on them: in this run, and in a folder for as long as the case that
// left it says. A session is of one case as it is written, one origin, one browser and one device; none is taken for another.
type sessions struct {
	dir     string // "" keeps none beyond the run
	product string // the browser
	now     func() time.Time

	mu   sync.Mutex
	live map[string]*deed.Session
}

// key is what a session is of.
func (s *sessions) key(c *deed.Case) string {
	own, _ := browser.OriginOf(c.Start)
	what := *c
	what.File, what.Tags, what.Title, what.Requires, what.Quarantine, what.Retries, what.Timeout = "", nil, "", nil, false, 0, 0
	what.Pos, what.Steps, what.Teardown = deed.Pos{}, slices.Clone(c.Steps), nil
	for i := range what.Steps {
		what.Steps[i].Pos, what.Steps[i].Use = deed.Pos{}, nil // where it is written is not what it is
	}
	raw, err := json.Marshal(struct {
		Case    deed.Case
		Origin  string
		Browser string
	}{what, own, s.product})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

func (s *sessions) file(key string) string { return filepath.Join(s.dir, key+".json") }

// get is the session that a case left; stored reports one of an earlier run. Nil where there is none that may be gone on with.
func (s *sessions) get(c *deed.Case) (session *deed.Session, stored bool) {
	key := s.key(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.live[key]; l != nil {
		return l, false
	}
	if s.dir == "" || c.Session <= 0 || key == "" {
		return nil, false
	}
	raw, err := os.ReadFile(s.file(key))
	if err != nil {
		return nil, false
	}
	var d deed.Session
	if json.Unmarshal(raw, &d) != nil {
		return nil, false
	}
	if age := s.now().Sub(d.Saved); age < 0 || age >= c.Session {
		_ = os.Remove(s.file(key))
		return nil, false
	}
	return &d, true
}

// put keeps the session that a case left.
func (s *sessions) put(c *deed.Case, d *deed.Session) error {
	key := s.key(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live[key] = d
	if s.dir == "" || c.Session <= 0 || key == "" {
		return nil
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	// Whole or not at all, and its owner's alone: it is as good as a password.
	f, err := os.CreateTemp(s.dir, key+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), s.file(key))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// drop forgets the session of a case.
func (s *sessions) drop(c *deed.Case) {
	key := s.key(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, key)
	if s.dir != "" {
		_ = os.Remove(s.file(key))
	}
}

// merged is the session of several: of two values of a cookie or key that of the later.
func merged(all []*deed.Session) *deed.Session {
	if len(all) == 1 {
		return all[0]
	}
	out := &deed.Session{}
	for i := len(all) - 1; i >= 0; i-- {
		out.Storage = append(out.Storage, all[i].Storage...)
	}
	for _, s := range all {
		out.Cookies = append(out.Cookies, s.Cookies...)
		out.URL, out.Saved = s.URL, s.Saved
	}
	return out
}

// needs lists the cases that have to run for those asked for to begin: what they depend on, unless its session is there to go on with.
func needs(asked, all []deed.Case, s *sessions) []deed.Case {
	byID := map[string]*deed.Case{}
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	have := map[string]bool{}
	for i := range asked {
		have[asked[i].ID] = true
		byID[asked[i].ID] = &asked[i]
	}
	var out []deed.Case
	var visit func(c *deed.Case)
	visit = func(c *deed.Case) {
		for _, id := range c.DependsOn {
			d := byID[id]
			if d == nil || have[id] {
				continue
			}
			if l, _ := s.get(d); l != nil {
				continue
			}
			have[id] = true
			visit(d)
			out = append(out, *d)
		}
	}
	for i := range asked {
		visit(&asked[i])
	}
	return out
}

// goOn attempts a case with the sessions of what it depends on. Where one of an earlier run does not do, what it is of runs again.
func (h *house) goOn(ctx context.Context, c *deed.Case, name string, worker int, attempt func(ctx context.Context, c *deed.Case, name string, worker int, with *deed.Session) deed.CaseResult) deed.CaseResult {
	with, stored, missing := h.sessionOf(c)
	if missing != "" {
		res := outline(c)
		res.Outcome, res.Reason, res.Steps = deed.OutcomeSkipped, fmt.Sprintf("%s left no session to go on with", missing), skipped(c.Steps, 1)
		return res
	}
	res := attempt(ctx, c, name, worker, with)
	if !stored || res.Outcome.OK() || ctx.Err() != nil || !again(&res) {
		return res
	}
	// It may be the session that is no good any more: it is made anew, from the beginning.
	for _, id := range c.DependsOn {
		if d := h.byID[id]; d != nil {
			h.sessions.drop(d)
			dres := h.goOn(ctx, d, name+"-"+fmt.Sprint(worker)+"s", worker, attempt)
			if !dres.Outcome.OK() {
				res.Notes = append(res.Notes, fmt.Sprintf("it went on with a session of an earlier run; %s, which makes it, is %v: %s", id, dres.Outcome, dres.Reason))
				return res
			}
		}
	}
	if with, _, missing = h.sessionOf(c); missing != "" {
		return res
	}
	res = attempt(ctx, c, name+"r", worker, with)
	res.Notes = append(res.Notes, "the session of an earlier run did not do, and was made anew")
	return res
}

// sessionOf is what a case goes on with; missing is a case that left nothing.
func (h *house) sessionOf(c *deed.Case) (with *deed.Session, stored bool, missing string) {
	var all []*deed.Session
	for _, id := range c.DependsOn {
		d := h.byID[id]
		if d == nil {
			return nil, false, id
		}
		s, old := h.sessions.get(d)
		if s == nil {
			return nil, false, id
		}
		stored = stored || old
		all = append(all, s)
	}
	if all == nil {
		return nil, false, ""
	}
	return merged(all), stored, ""
}
