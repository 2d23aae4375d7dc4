// Package history keeps what became of runs, in one SQLite file, and says what can be learnt from many of them: how a case does lately,
// since when it fails and what was different then, how two runs differ, how long cases take, and which cases a shard gets.
//
// Law of this package: what goes in is in the result of the run; it looks at no page, no lock and no trace, and reads no clock. What was
// written by a newer version, by another program, or is damaged is never written to: that is an error, and whoever ran the cases makes a
// note of it. Nothing of the history decides an outcome. What is concluded (classes, noise, shards) is concluded by pure functions.
package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/deed-dev/deed"
)

// patience is how long one process waits for another that writes.
const patience = 30 * time.Second

// A DB is a history. It may be used by several goroutines, and its file by several processes, at once.
type DB struct {
	// Keep says what [DB.Add] leaves of the runs before; it is DefaultKeep at first.
	Keep Keep

	sql  *sql.DB
	path string
}

// Open opens the history in a file, and makes both where there is none. A file that is damaged, of another program or of a newer version is
// an error, and stays as it is.
func Open(path string) (*DB, error) {
	ctx := context.Background()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, trouble(path, err)
	}
	// SQLite gives its side files the mode of the file: what pages showed is for its owner alone.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, trouble(path, err)
	}
	if err := f.Close(); err != nil {
		return nil, trouble(path, err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, trouble(path, err)
	}
	h := &DB{Keep: DefaultKeep, sql: db, path: path}
	if err := h.prepare(ctx, migrations); err != nil {
		_ = db.Close()
		return nil, trouble(path, err)
	}
	return h, nil
}

func dsn(path string) string {
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && filepath.VolumeName(path) != "" {
		p = "/" + p
	}
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "foreign_keys(1)", "synchronous(normal)", "trusted_schema(0)"},
		"_txlock": {"immediate"}, "mode": {"rw"}}
	return "file:" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

// Close ends the use of the file.
func (h *DB) Close() error { return h.sql.Close() }

// trouble says what is wrong with a history, and what to do.
func trouble(path string, err error) error {
	var known *deed.Error
	if errors.As(err, &known) {
		return err
	}
	e := &deed.Error{Op: "history", Where: path, Code: deed.CodeInvalid, Err: err}
	var sys *os.PathError
	var lite *sqlite.Error
	switch {
	case errors.As(err, &sys):
		e.Err = sys.Err
	case errors.Is(err, errNewer):
		e.Hint = "use that version of deed, or move the file away: the next run begins another"
	case errors.Is(err, errForeign):
		e.Hint = "move the file away: the next run begins another"
	case errors.As(err, &lite):
		switch lite.Code() & 0xff {
		case codeNotADB, codeCorrupt:
			e.Err = errors.New("it is damaged: " + strings.TrimSpace(err.Error()))
			e.Hint = "nothing of it was changed; move the file away: the next run begins another"
		case codeBusy:
			e.Hint = fmt.Sprintf("another process has held it for %s", patience)
		}
	}
	return e
}

// Result codes of SQLite.
const (
	codeBusy    = 5
	codeCorrupt = 11
	codeNotADB  = 26
)

func busy(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && lite.Code()&0xff == codeBusy
}
