package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// DefaultLimit is how many of the last results of a case are looked at.
const DefaultLimit = 20

// A Filter says what is looked at. The zero value is everything, with the last DefaultLimit results of each case.
type Filter struct {
	Limit int       // results of a case, or runs; 0 is DefaultLimit
	Since time.Time // runs that began then or later; zero is all
	Tags  []string  // cases with one of these; empty is all
}

func (f Filter) limit() int {
	if f.Limit <= 0 {
		return DefaultLimit
	}
	return f.Limit
}

func (f Filter) since() int64 {
	if f.Since.IsZero() {
		return -1 << 62
	}
	return f.Since.UnixMilli()
}

// A Run is one run.
type Run struct {
	Run        string       `json:"run"`
	Started    time.Time    `json:"started"`
	Outcome    deed.Outcome `json:"outcome"`
	DurationMS int64        `json:"duration_ms"`
	ModelCalls int          `json:"model_calls"`
	Browser    string       `json:"browser,omitempty"`
	BaseURL    string       `json:"base_url,omitempty"`
	Workers    int          `json:"workers,omitempty"`
	Shard      string       `json:"shard,omitempty"`
	Trace      string       `json:"trace,omitempty"`
	Cases      int          `json:"cases"`
	Proven     int          `json:"proven"` // of them, flaky ones too
	Flaky      int          `json:"flaky"`
	Skipped    int          `json:"skipped"`

	id int64
}

// A Result is what became of a case in a run: of its last attempt.
type Result struct {
	Run        string       `json:"run"`
	Started    time.Time    `json:"started"` // the run
	Outcome    deed.Outcome `json:"outcome"`
	Code       deed.Code    `json:"code,omitempty"`
	Reason     string       `json:"reason,omitempty"` // of what is not proven
	Step       int          `json:"step,omitempty"`   // that it ended at, negative in the teardown
	Steps      int          `json:"steps"`            // that it has
	DurationMS int64        `json:"duration_ms"`
	Attempts   int          `json:"attempts"`
	Flaky      bool         `json:"flaky,omitempty"` // it passed, after an attempt that did not
	Quarantine bool         `json:"quarantine,omitempty"`
	Lock       string       `json:"lock,omitempty"`
	LockChange []string     `json:"lock_change,omitempty"`
	Browser    string       `json:"browser,omitempty"`
	BaseURL    string       `json:"base_url,omitempty"`
	Shard      string       `json:"shard,omitempty"`

	id int64
}

// A Step is what one step did. N is negative in the teardown.
type Step struct {
	N          int          `json:"n"`
	Do         string       `json:"do"`
	Locator    string       `json:"locator,omitempty"`
	Outcome    deed.Outcome `json:"outcome"`
	Code       deed.Code    `json:"code,omitempty"`
	Reason     string       `json:"reason,omitempty"`
	DurationMS int64        `json:"duration_ms"`
	detail
}

// Object is what was done to what: click button "Pay".
func (s *Step) Object() string { return strings.TrimSpace(s.Do + " " + s.Locator) }

// A Case is a case with its results, newest first, and what they say together.
type Case struct {
	Case  string   `json:"case"`
	File  string   `json:"file,omitempty"`
	Title string   `json:"title,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Standing
	Results []Result `json:"results"`

	id int64
}

// ErrUnknown is what a case or a run that is not in the history is.
var ErrUnknown = errors.New("it is not in the history")

const runColumns = `r.id, r.run, r.started, r.outcome, r.duration, r.model_calls, r.browser, r.base_url, r.workers, r.shard, r.trace,
	(SELECT count(*) FROM attempts a WHERE a.run_id = r.id AND a.final),
	(SELECT count(*) FROM attempts a WHERE a.run_id = r.id AND a.final AND a.outcome IN ('verified', 'already', 'healed')),
	(SELECT count(*) FROM attempts a WHERE a.run_id = r.id AND a.final AND a.flaky),
	(SELECT count(*) FROM attempts a WHERE a.run_id = r.id AND a.final AND a.outcome = 'skipped')`

func scanRun(rows row) (r Run, err error) {
	var started int64
	var outcome string
	err = rows.Scan(&r.id, &r.Run, &started, &outcome, &r.DurationMS, &r.ModelCalls, &r.Browser, &r.BaseURL, &r.Workers, &r.Shard, &r.Trace,
		&r.Cases, &r.Proven, &r.Flaky, &r.Skipped)
	r.Started, r.Outcome = moment(started), outcomeOf(outcome)
	return r, err
}

func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func outcomeOf(s string) (o deed.Outcome) {
	_ = o.UnmarshalText([]byte(s)) // an unknown word is failed
	return o
}

// Runs returns the last runs, newest first.
func (h *DB) Runs(ctx context.Context, f Filter) ([]Run, error) {
	return collect(ctx, h, scanRun, "SELECT "+runColumns+" FROM runs r WHERE r.started >= ? ORDER BY r.started DESC, r.id DESC LIMIT ?", f.since(), f.limit())
}

// collect reads all rows.
func collect[T any](ctx context.Context, h *DB, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := h.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, trouble(h.path, err)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, trouble(h.path, err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, trouble(h.path, err)
	}
	return out, nil
}

// Run returns the run that a word names: its id, the beginning of one, "last", or "last~2" for the second before the last.
func (h *DB) Run(ctx context.Context, ref string) (*Run, error) {
	unknown := func(err error, hint string) error {
		return &deed.Error{Op: "history", Where: "run " + ref, Code: deed.CodeInvalid, Err: err, Hint: hint}
	}
	word, back, tilde := strings.Cut(ref, "~")
	if word == "last" {
		n := 0
		if tilde {
			var err error
			if n, err = strconv.Atoi(back); err != nil || n < 0 {
				return nil, unknown(errors.New("what follows last~ is a number"), "")
			}
		}
		runs, err := collect(ctx, h, scanRun, "SELECT "+runColumns+" FROM runs r ORDER BY r.started DESC, r.id DESC LIMIT 1 OFFSET ?", n)
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, unknown(errors.New("there are not so many runs"), "")
		}
		return &runs[0], nil
	}
	if ref == "" {
		return nil, unknown(ErrUnknown, "")
	}
	runs, err := collect(ctx, h, scanRun, "SELECT "+runColumns+" FROM runs r WHERE r.run = ? OR substr(r.run, 1, length(?)) = ? ORDER BY r.run <> ?, r.run LIMIT 3",
		ref, ref, ref, ref)
	switch {
	case err != nil:
		return nil, err
	case len(runs) == 0:
		return nil, unknown(ErrUnknown, "deed history --json lists the runs")
	case len(runs) > 1 && runs[0].Run != ref:
		return nil, unknown(fmt.Errorf("several runs begin so: %s, %s, …", runs[0].Run, runs[1].Run), "")
	}
	return &runs[0], nil
}

func scanCase(rows row) (c Case, err error) {
	var tags string
	if err := rows.Scan(&c.id, &c.Case, &c.File, &c.Title, &tags); err != nil {
		return c, err
	}
	err = json.Unmarshal([]byte(tags), &c.Tags)
	return c, err
}

// Cases returns every case that ran, worst first, with its last results.
func (h *DB) Cases(ctx context.Context, f Filter) ([]Case, error) {
	all, err := collect(ctx, h, scanCase, "SELECT id, name, file, title, tags FROM cases ORDER BY name")
	if err != nil {
		return nil, err
	}
	out := []Case{}
	for _, c := range all {
		if len(f.Tags) > 0 && !slices.ContainsFunc(c.Tags, func(t string) bool { return slices.Contains(f.Tags, t) }) {
			continue
		}
		if c.Results, err = h.results(ctx, c.id, f); err != nil {
			return nil, err
		}
		if len(c.Results) == 0 {
			continue
		}
		c.Standing = Stand(c.Results)
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Case) int { return a.Standing.compare(&b.Standing) })
	return out, nil
}

// Case returns one case with its last results.
func (h *DB) Case(ctx context.Context, name string, f Filter) (*Case, error) {
	found, err := collect(ctx, h, scanCase, "SELECT id, name, file, title, tags FROM cases WHERE name = ?", name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		e := &deed.Error{Op: "history", Where: "case " + name, Code: deed.CodeInvalid, Err: ErrUnknown, Hint: "deed history lists the cases"}
		if near := h.near(ctx, name); near != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, e
	}
	c := &found[0]
	if c.Results, err = h.results(ctx, c.id, f); err != nil {
		return nil, err
	}
	c.Standing = Stand(c.Results)
	return c, nil
}

// near is the one case whose name holds the word, "" where there is none, or several.
func (h *DB) near(ctx context.Context, word string) string {
	names, err := collect(ctx, h, scanOne[string], "SELECT name FROM cases WHERE instr(name, ?) LIMIT 2", word)
	if err != nil || len(names) != 1 || word == "" {
		return ""
	}
	return names[0]
}

// A row is what a scan reads.
type row interface{ Scan(...any) error }

// scanOne reads a row of one column.
func scanOne[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

func scanResult(rows row) (r Result, err error) {
	var started int64
	var outcome, code, change string
	if err := rows.Scan(&r.id, &r.Run, &started, &outcome, &code, &r.Reason, &r.Step, &r.Steps, &r.DurationMS, &r.Attempts, &r.Flaky, &r.Quarantine, &r.Lock,
		&change, &r.Browser, &r.BaseURL, &r.Shard); err != nil {
		return r, err
	}
	r.Started, r.Outcome, r.Code = moment(started), outcomeOf(outcome), deed.Code(code)
	if change != "[]" {
		err = json.Unmarshal([]byte(change), &r.LockChange)
	}
	return r, err
}

const resultColumns = `a.id, r.run, r.started, a.outcome, a.code, a.reason, a.step, a.steps, a.duration, a.attempt, a.flaky, a.quarantine, a.lock, a.lock_change,
	r.browser, r.base_url, r.shard`

// results returns the last results of a case, newest first.
func (h *DB) results(ctx context.Context, id int64, f Filter) ([]Result, error) {
	return collect(ctx, h, scanResult, "SELECT "+resultColumns+` FROM attempts a JOIN runs r ON r.id = a.run_id
		WHERE a.case_id = ? AND a.final = 1 AND a.at >= ? ORDER BY a.at DESC, a.id DESC LIMIT ?`, id, f.since(), f.limit())
}

// steps returns the steps of a result, those of the teardown last.
func (h *DB) steps(ctx context.Context, id int64) ([]Step, error) {
	out, err := collect(ctx, h, scanStep, `SELECT s.n, f.action, f.locator, f.outcome, f.code, f.reason, f.detail, s.duration
		FROM steps s JOIN facts f ON f.id = s.fact_id WHERE s.attempt_id = ? ORDER BY s.n < 0, abs(s.n)`, id)
	return out, err
}

func scanStep(rows row) (s Step, err error) {
	var outcome, code, detail string
	if err := rows.Scan(&s.N, &s.Do, &s.Locator, &outcome, &code, &s.Reason, &detail, &s.DurationMS); err != nil {
		return s, err
	}
	s.Outcome, s.Code = outcomeOf(outcome), deed.Code(code)
	err = json.Unmarshal([]byte(detail), &s.detail)
	return s, err
}

// LastFailed returns the ids of the cases that were not proven when they ran last, sorted. That one was skipped does not count as having run.
func (h *DB) LastFailed(ctx context.Context) ([]string, error) {
	return collect(ctx, h, scanOne[string], `SELECT c.name FROM cases c WHERE (SELECT a.outcome NOT IN ('verified', 'already', 'healed') FROM attempts a
		WHERE a.case_id = c.id AND a.final = 1 AND a.outcome <> 'skipped' ORDER BY a.at DESC, a.id DESC LIMIT 1) ORDER BY c.name`)
}

// durationsOf is how many results a duration is the median of.
const durationsOf = 10

// Durations returns how long each case takes: the median of its last proven results. Only whole runs count, so that the shards of one run
// agree on who runs what, though some begin after others have ended.
func (h *DB) Durations(ctx context.Context) (map[string]time.Duration, error) {
	cases, err := collect(ctx, h, scanCase, "SELECT id, name, file, title, tags FROM cases")
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for i := range cases {
		ms, err := collect(ctx, h, scanOne[int64],
			`SELECT a.duration FROM attempts a JOIN runs r ON r.id = a.run_id WHERE a.case_id = ? AND a.final = 1 AND r.shard = ''
				AND a.outcome IN ('verified', 'already', 'healed') ORDER BY a.at DESC, a.id DESC LIMIT ?`, cases[i].id, durationsOf)
		if err != nil {
			return nil, err
		}
		if len(ms) > 0 {
			out[cases[i].Case] = time.Duration(median(ms)) * time.Millisecond
		}
	}
	return out, nil
}

// Count is how many runs are kept.
func (h *DB) Count(ctx context.Context) (n int, err error) {
	if err := h.sql.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&n); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, trouble(h.path, err)
	}
	return n, nil
}
