package history

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/deed-dev/deed"
)

// maxLines is how many lines of each list of a step are kept.
const maxLines = 50

// detail is what of a step is kept beside the columns.
type detail struct {
	Verdict   string            `json:"verdict,omitempty"`
	Basis     deed.Basis        `json:"basis,omitempty"`
	Mismatch  deed.MismatchKind `json:"mismatch,omitempty"`
	Hint      string            `json:"hint,omitempty"`
	Attempts  int               `json:"attempts,omitempty"`
	Prevented int               `json:"prevented,omitempty"`
	Undone    int               `json:"undone,omitempty"`
	Changes   []string          `json:"changes,omitempty"`
	Residue   []string          `json:"residue,omitempty"`
	Blocked   []string          `json:"blocked,omitempty"`
	Guarded   []string          `json:"guarded,omitempty"`
	Console   []string          `json:"console,omitempty"`
	Dialogs   []string          `json:"dialogs,omitempty"`
	Healed    *deed.Healed      `json:"healed,omitempty"`
	Diverged  []deed.Divergence `json:"diverged,omitempty"`
	Requests  []deed.Request    `json:"requests,omitempty"` // that went wrong: what went well is too much, and different each time
}

func detailOf(s *deed.StepResult) detail {
	d := detail{Verdict: s.Verdict, Basis: s.Basis, Mismatch: s.Mismatch, Hint: s.Hint, Attempts: s.Attempts, Prevented: s.Prevented, Undone: s.Undone,
		Changes: some(s.Changes), Residue: some(s.Residue), Blocked: some(s.Blocked), Guarded: some(s.Guarded), Console: some(s.Console),
		Dialogs: some(s.Dialogs), Healed: s.Healed, Diverged: s.Diverged}
	for _, r := range s.Requests {
		if (r.Failed != "" || r.Status >= 400) && len(d.Requests) < maxLines {
			d.Requests = append(d.Requests, r)
		}
	}
	if len(d.Diverged) > maxLines {
		d.Diverged = d.Diverged[:maxLines]
	}
	return d
}

func some(lines []string) []string {
	if len(lines) <= maxLines {
		return lines
	}
	return append(lines[:maxLines:maxLines], fmt.Sprintf("… and %d more", len(lines)-maxLines))
}

// Add keeps what became of a run. To add a run that is there already changes nothing. All of it goes in, or nothing.
func (h *DB) Add(ctx context.Context, r *deed.RunResult) error {
	switch {
	case r.Run == "":
		return trouble(h.path, errors.New("a run that has no id cannot be kept"))
	case r.Started.IsZero():
		return trouble(h.path, fmt.Errorf("run %s does not say when it began", r.Run))
	}
	tx, err := h.sql.BeginTx(ctx, nil)
	if err != nil {
		return trouble(h.path, err)
	}
	defer tx.Rollback()
	w := &writer{ctx: ctx, tx: tx, at: r.Started.UnixMilli(), facts: map[[16]byte]int64{}, cases: map[string]int64{}}
	added, err := w.run(r)
	if err == nil && added {
		if err = prune(ctx, tx, h.Keep); err == nil {
			err = tx.Commit()
		}
	}
	if err != nil {
		return trouble(h.path, err)
	}
	return nil
}

// A writer writes one run.
type writer struct {
	ctx   context.Context
	tx    *sql.Tx
	at    int64 // when the run began
	facts map[[16]byte]int64
	cases map[string]int64

	insertAttempt, insertStep, findFact, insertFact *sql.Stmt
}

func (w *writer) run(r *deed.RunResult) (added bool, err error) {
	res, err := w.tx.ExecContext(w.ctx, `INSERT INTO runs (run, started, outcome, duration, model_calls, browser, base_url, workers, shard, trace)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run) DO NOTHING`,
		r.Run, w.at, r.Outcome.String(), r.DurationMS, r.ModelCalls, r.Browser, address(r.BaseURL), r.Workers, r.Shard, r.Trace)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	run, err := res.LastInsertId()
	if err != nil {
		return false, err
	}
	for _, p := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&w.insertAttempt, `INSERT INTO attempts (run_id, case_id, at, place, attempt, final, outcome, code, reason, step, steps, started, duration,
			flaky, quarantine, lock, lock_change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.insertStep, "INSERT INTO steps (attempt_id, n, fact_id, duration) VALUES (?, ?, ?, ?)"},
		{&w.findFact, "SELECT id FROM facts WHERE digest = ?"},
		{&w.insertFact, "INSERT INTO facts (digest, action, locator, outcome, code, reason, detail) VALUES (?, ?, ?, ?, ?, ?, ?)"},
	} {
		if *p.to, err = w.tx.PrepareContext(w.ctx, p.sql); err != nil {
			return false, err
		}
		defer (*p.to).Close()
	}
	for place := range r.Cases {
		c := &r.Cases[place]
		for i := range c.Retries {
			if err := w.attempt(run, c, &c.Retries[i], place, i+1, false); err != nil {
				return false, err
			}
		}
		if err := w.attempt(run, c, c, place, len(c.Retries)+1, true); err != nil {
			return false, err
		}
	}
	return true, nil
}

// address is a URL without what signs somebody in.
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	u.User = nil
	return u.String()
}

func (w *writer) attempt(run int64, c, a *deed.CaseResult, place, n int, final bool) error {
	id, err := w.caseID(c)
	if err != nil {
		return err
	}
	step, reason := ending(a)
	change, err := json.Marshal(append([]string{}, some(a.LockChange)...))
	if err != nil {
		return err
	}
	started := int64(0)
	if !a.Started.IsZero() {
		started = a.Started.UnixMilli()
	}
	res, err := w.insertAttempt.ExecContext(w.ctx, run, id, w.at, place, n, final, a.Outcome.String(), string(codeOf(a)), reason, step, len(a.Steps), started,
		a.DurationMS, a.Flaky, c.Quarantine, a.Lock, string(change))
	if err != nil {
		return err
	}
	row, err := res.LastInsertId()
	if err != nil {
		return err
	}
	for i := range a.Steps {
		if err := w.step(row, i+1, &a.Steps[i]); err != nil {
			return err
		}
	}
	for i := range a.Teardown {
		if err := w.step(row, -i-1, &a.Teardown[i]); err != nil {
			return err
		}
	}
	return nil
}

// ending says where a case that is not proven ended, and why.
func ending(a *deed.CaseResult) (step int, reason string) {
	if a.Outcome.OK() {
		return 0, ""
	}
	if s, n := worst(a); s != nil {
		step, reason = n, s.Reason
	}
	if a.Reason != "" {
		reason = a.Reason
	}
	return step, reason
}

func codeOf(a *deed.CaseResult) deed.Code {
	if a.Code != "" || a.Outcome.OK() {
		return a.Code
	}
	if s, _ := worst(a); s != nil {
		return s.Code
	}
	return ""
}

// worst is the first step that has the outcome of the case; of the teardown where no other has it.
func worst(a *deed.CaseResult) (*deed.StepResult, int) {
	for i := range a.Steps {
		if a.Steps[i].Outcome == a.Outcome {
			return &a.Steps[i], i + 1
		}
	}
	for i := range a.Teardown {
		if a.Teardown[i].Outcome == a.Outcome {
			return &a.Teardown[i], -i - 1
		}
	}
	return nil, 0
}

func (w *writer) caseID(c *deed.CaseResult) (int64, error) {
	if id, ok := w.cases[c.Case]; ok {
		return id, nil
	}
	tags, err := json.Marshal(append([]string{}, c.Tags...))
	if err != nil {
		return 0, err
	}
	// A run of the past that is added late does not say what the case is called now.
	if _, err := w.tx.ExecContext(w.ctx, `INSERT INTO cases (name, file, title, tags, seen) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET file = excluded.file, title = excluded.title, tags = excluded.tags, seen = excluded.seen
		WHERE excluded.seen >= cases.seen`, c.Case, c.File, c.Title, string(tags), w.at); err != nil {
		return 0, err
	}
	var id int64
	if err := w.tx.QueryRowContext(w.ctx, "SELECT id FROM cases WHERE name = ?", c.Case).Scan(&id); err != nil {
		return 0, err
	}
	w.cases[c.Case] = id
	return id, nil
}

func (w *writer) step(attempt int64, n int, s *deed.StepResult) error {
	d, err := json.Marshal(detailOf(s))
	if err != nil {
		return err
	}
	columns := []string{string(s.Do), s.Locator, s.Outcome.String(), string(s.Code), s.Reason, string(d)}
	whole, err := json.Marshal(columns)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(whole)
	key := [16]byte(sum[:16])
	id, ok := w.facts[key]
	if !ok {
		err := w.findFact.QueryRowContext(w.ctx, key[:]).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			var res sql.Result
			if res, err = w.insertFact.ExecContext(w.ctx, key[:], columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]); err == nil {
				id, err = res.LastInsertId()
			}
		}
		if err != nil {
			return err
		}
		w.facts[key] = id
	}
	_, err = w.insertStep.ExecContext(w.ctx, attempt, n, id, s.DurationMS)
	return err
}
