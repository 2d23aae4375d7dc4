package history

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// Keep says how long runs are kept: those that began more than For before the newest, and those beyond the newest Runs, go. 0 is no bound.
type Keep struct {
	For  time.Duration
	Runs int
}

// DefaultKeep is what is kept where nothing else is said.
var DefaultKeep = Keep{For: 90 * 24 * time.Hour, Runs: 1000}

const (
	keepAlways = 20 // the newest stay however old, so that neither a rare run nor a clock that is wrong empties the history
	sweepAfter = 50 // runs that went, before facts are looked through for what nothing refers to
)

// ParseKeep reads an age (90d), a number of runs (1000), both with a comma between them, or "all".
func ParseKeep(s string) (Keep, error) {
	wrong := &deed.Error{Op: "history", Where: "--keep " + s, Code: deed.CodeInvalid, Err: errors.New("it is an age, a number of runs, or both"),
		Hint: "90d, 1000, 90d,1000, or all"}
	var k Keep
	if s == "all" {
		return k, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if n, err := strconv.ParseUint(part, 10, 31); err == nil && n > 0 && k.Runs == 0 {
			k.Runs = int(n)
			continue
		}
		d, err := ParseAge(part)
		if err != nil || d <= 0 || k.For != 0 {
			return Keep{}, wrong
		}
		k.For = d
	}
	return k, nil
}

// ParseAge reads a duration that may be in days and weeks: 12h, 7d, 4w.
func ParseAge(s string) (time.Duration, error) {
	for unit, of := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			if v, err := strconv.ParseUint(n, 10, 16); err == nil && v <= uint64(math.MaxInt64/of) {
				return time.Duration(v) * of, nil
			}
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errors.New("a time is written 12h, 7d or 4w")
	}
	return d, nil
}

// prune takes away the runs that are too old or too many.
func prune(ctx context.Context, tx *sql.Tx, k Keep) error {
	age, runs := k.For.Milliseconds(), k.Runs
	if age == 0 {
		age = math.MaxInt64 / 2
	}
	if runs == 0 {
		runs = math.MaxInt
	}
	res, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE id IN (
		SELECT id FROM (SELECT id, started, row_number() OVER (ORDER BY started DESC, id DESC) AS age FROM runs)
		WHERE age > ? OR age > ? AND started < (SELECT max(started) FROM runs) - ?)`, runs, keepAlways, age)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM cases WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE case_id = cases.id)"); err != nil {
		return err
	}
	var pruned int
	if err := tx.QueryRowContext(ctx, "UPDATE upkeep SET pruned = pruned + ? RETURNING pruned", n).Scan(&pruned); err != nil || pruned < sweepAfter {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM facts WHERE id NOT IN (SELECT fact_id FROM steps)"); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE upkeep SET pruned = 0")
	return err
}
