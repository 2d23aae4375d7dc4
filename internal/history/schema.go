package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// applicationID marks the file as a history of deed: the letters of its name.
const applicationID = 'd'<<24 | 'e'<<16 | 'e'<<8 | 'd'

var (
	errNewer   = errors.New("it was written by a newer version of deed")
	errForeign = errors.New("it is a database of another program")
)

// migrations make each version of the schema from the one before: what stands at i makes version i+1. One that was released is never
// changed. Times are milliseconds since 1970, durations milliseconds.
//
// What a step did is nearly always what it did the run before, so it is kept once, in facts, and a step is a reference with a duration.
var migrations = []string{`
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  started INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  duration INTEGER NOT NULL,
  model_calls INTEGER NOT NULL,
  browser TEXT NOT NULL,
  base_url TEXT NOT NULL,
  workers INTEGER NOT NULL,
  shard TEXT NOT NULL,
  trace TEXT NOT NULL
) STRICT;
CREATE INDEX runs_started ON runs (started, id);

CREATE TABLE cases (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  title TEXT NOT NULL,
  tags TEXT NOT NULL, -- a JSON array
  seen INTEGER NOT NULL -- when the run began that file, title and tags are of
) STRICT;

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  at INTEGER NOT NULL, -- when the run began
  place INTEGER NOT NULL, -- of the case in the run, from 0
  attempt INTEGER NOT NULL, -- from 1
  final INTEGER NOT NULL, -- 1: the last attempt, whose outcome is the case's
  outcome TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL, -- the case's own, or that of the step that it ended at
  step INTEGER NOT NULL, -- that step's number, negative in the teardown; 0: none
  steps INTEGER NOT NULL, -- how many it has
  started INTEGER NOT NULL, -- 0: not known
  duration INTEGER NOT NULL,
  flaky INTEGER NOT NULL,
  quarantine INTEGER NOT NULL,
  lock TEXT NOT NULL,
  UNIQUE (run_id, place, attempt)
) STRICT;
CREATE INDEX attempts_case ON attempts (case_id, final, at);

CREATE TABLE facts (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE, -- of all that follows
  action TEXT NOT NULL,
  locator TEXT NOT NULL,
  outcome TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL -- JSON: verdict, basis, changes, divergences, …
) STRICT;

CREATE TABLE steps (
  attempt_id INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  n INTEGER NOT NULL, -- negative in the teardown
  fact_id INTEGER NOT NULL, -- of facts; no foreign key, since to delete a fact would then read all steps
  duration INTEGER NOT NULL,
  PRIMARY KEY (attempt_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE upkeep (
  pruned INTEGER NOT NULL -- runs that went since facts were last looked through
) STRICT;
INSERT INTO upkeep VALUES (0);
`, `
ALTER TABLE attempts ADD COLUMN lock_change TEXT NOT NULL DEFAULT '[]'; -- a JSON array of lines
`}

// prepare brings the file to the version of the list. It first looks whether the file is ours, before anything is written to it. Where two
// processes make a file at once SQLite answers busy without waiting, since both hold what the other one needs; so it is tried again.
func (h *DB) prepare(ctx context.Context, list []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := h.migrate(ctx, list)
		if !busy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version is that of the file's schema, 0 for a file without one.
func version(ctx context.Context, q queryer, known int) (int, error) {
	var app, v, objects int
	if err := q.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "+
		"(SELECT count(*) FROM sqlite_schema)").Scan(&app, &v, &objects); err != nil {
		return 0, err
	}
	switch {
	case app == 0 && v == 0 && objects == 0:
		return 0, nil
	case app != applicationID:
		return 0, errForeign
	case v > known:
		return 0, fmt.Errorf("%w: version %d, of which this one knows %d", errNewer, v, known)
	}
	return v, nil
}

func (h *DB) migrate(ctx context.Context, list []string) error {
	v, err := version(ctx, h.sql, len(list))
	if err != nil || v == len(list) {
		return err
	}
	if v == 0 {
		if _, err := h.sql.ExecContext(ctx, "PRAGMA journal_mode = wal"); err != nil {
			return err
		}
	}
	tx, err := h.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if v, err = version(ctx, tx, len(list)); err != nil { // another process may have been quicker
		return err
	}
	for ; v < len(list); v++ {
		if _, err := tx.ExecContext(ctx, list[v]); err != nil {
			return fmt.Errorf("version %d of the schema: %w", v+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(list))); err != nil {
		return err
	}
	return tx.Commit()
}
