package history

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/deed-dev/deed"
)

var morning = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// TestMain also is the other process of TestAdd_SeveralProcesses.
func TestMain(m *testing.M) {
	if path := os.Getenv("DEED_HISTORY_ADD"); path != "" {
		os.Exit(other(path, os.Getenv("DEED_HISTORY_NAME")))
	}
	os.Exit(m.Run())
}

// other adds runs, some or without end, and says after each that it is in.
func other(path, name string) int {
	n := runsOfEach
	if name == endless {
		n = 1 << 30
	}
	for i := range n {
		h, err := Open(path)
		if err == nil {
			err = h.Add(context.Background(), result(fmt.Sprintf("%s-%d", name, i), morning.Add(time.Duration(i)*time.Minute), verified("a", 100), verified("b", 200)))
			err = errors.Join(err, h.Close())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(i)
	}
	return 0
}

const (
	runsOfEach = 5
	endless    = "endless"
)

func open(t testing.TB) *DB {
	t.Helper()
	h, err := Open(filepath.Join(t.TempDir(), ".deed", "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func add(t testing.TB, h *DB, runs ...*deed.RunResult) {
	t.Helper()
	for _, r := range runs {
		if err := h.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func result(run string, at time.Time, cases ...deed.CaseResult) *deed.RunResult {
	r := &deed.RunResult{Deed: deed.Format, Run: run, Started: at, Outcome: deed.OutcomeVerified, DurationMS: 1000, Browser: "Chromium 156",
		BaseURL: "http://127.0.0.1:8080", Workers: 2, Cases: cases}
	for i := range cases {
		r.Outcome = min(r.Outcome, cases[i].Outcome)
	}
	return r
}

func verified(id string, ms int64) deed.CaseResult {
	return deed.CaseResult{Case: id, File: id + ".deed.yaml", Outcome: deed.OutcomeVerified, DurationMS: ms, Lock: deed.LockHit, Steps: []deed.StepResult{
		{N: 1, Do: deed.KindClick, Locator: `button "Add" in catalog`, Outcome: deed.OutcomeVerified, Verdict: "match", Basis: deed.BasisExpect,
			Reason: `listitem "M" appeared in cart`, Attempts: 1, Changes: []string{`+ listitem "M" in cart`}, DurationMS: ms / 2},
		{N: 2, Do: deed.KindClick, Locator: `button "Pay"`, Outcome: deed.OutcomeVerified, Verdict: "match", Basis: deed.BasisNamed, Attempts: 1,
			Changes: []string{`+ status "Paid"`}, DurationMS: ms / 2},
	}}
}

func failing(id string, ms int64) deed.CaseResult {
	c := verified(id, ms)
	c.Outcome = deed.OutcomeMismatch
	c.Steps[1] = deed.StepResult{N: 2, Do: deed.KindClick, Locator: `button "Pay"`, Outcome: deed.OutcomeMismatch, Verdict: "mismatch",
		Mismatch: deed.MismatchUnmet, Code: deed.CodeMismatch, Reason: `status "Paid" did not appear`, Attempts: 1, Changes: []string{`+ alert "Declined"`},
		Guarded: []string{"click for button \"Cancel\""}, Blocked: []string{"GET https://ads.example/"},
		Diverged: []deed.Divergence{{Code: "effect_missing", Object: `status "Paid"`}}, DurationMS: ms / 2}
	return c
}

func TestAdd_RoundTrip(t *testing.T) {
	h := open(t)
	c := failing("shop/pay", 300)
	c.Tags, c.Title, c.Quarantine = []string{"smoke"}, "Paying", true
	again := verified("shop/pay", 250)
	again.Retries, again.Flaky, again.Tags, again.Title = []deed.CaseResult{c}, true, c.Tags, c.Title
	again.Teardown = []deed.StepResult{{N: 1, Do: deed.KindHTTP, Outcome: deed.OutcomeVerified, DurationMS: 7}}
	r := result("r1", morning, again)
	r.ModelCalls, r.Shard, r.BaseURL = 3, "1/2", "http://ana:hunter2@127.0.0.1:8080"
	add(t, h, r, r)

	runs, err := h.Runs(t.Context(), Filter{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v runs, %v: what is added twice is there once", runs, err)
	}
	if got := runs[0]; got.Run != "r1" || !got.Started.Equal(morning) || got.ModelCalls != 3 || got.Shard != "1/2" || got.Browser != "Chromium 156" || got.Flaky != 1 ||
		got.Cases != 1 || got.Proven != 1 || got.BaseURL != "http://127.0.0.1:8080" {
		t.Errorf("%+v", got)
	}
	found, err := h.Case(t.Context(), "shop/pay", Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if found.Title != "Paying" || !slices.Equal(found.Tags, []string{"smoke"}) || len(found.Results) != 1 {
		t.Fatalf("%+v", found)
	}
	if got := found.Results[0]; got.Attempts != 2 || !got.Flaky || got.Outcome != deed.OutcomeVerified || got.Lock != deed.LockHit || got.DurationMS != 250 || got.Steps != 2 {
		t.Errorf("%+v", got)
	}
	steps, err := h.steps(t.Context(), found.Results[0].id)
	if err != nil || len(steps) != 3 {
		t.Fatal(steps, err)
	}
	if s := steps[0]; s.Object() != `click button "Add" in catalog` || s.Basis != deed.BasisExpect || !slices.Equal(s.Changes, []string{`+ listitem "M" in cart`}) || s.DurationMS != 125 {
		t.Errorf("%+v", s)
	}
	if steps[2].N != -1 || steps[2].Do != "http" {
		t.Errorf("the teardown: %+v", steps[2])
	}
	var first int64
	if err := h.sql.QueryRow("SELECT id FROM attempts WHERE attempt = 1").Scan(&first); err != nil {
		t.Fatal(err)
	}
	tried, err := h.steps(t.Context(), first)
	if err != nil || len(tried) != 2 || len(tried[1].Guarded) != 1 || len(tried[1].Blocked) != 1 || len(tried[1].Diverged) != 1 || tried[1].Code != deed.CodeMismatch {
		t.Errorf("the first attempt: %+v %v", tried, err)
	}
}

func TestAdd_Refuses(t *testing.T) {
	h := open(t)
	for _, r := range []*deed.RunResult{{Started: morning}, {Run: "r"}} {
		if err := h.Add(t.Context(), r); deed.CodeOf(err) != deed.CodeInvalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Add(ctx, result("r", morning, verified("a", 1))); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if n, err := h.Count(t.Context()); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// TestAdd_SeveralProcesses: processes that make the file and write at once lose nothing.
func TestAdd_SeveralProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const processes = 4
	var all sync.WaitGroup
	for i := range processes {
		all.Go(func() {
			c := exec.CommandContext(t.Context(), self)
			c.Env = append(os.Environ(), "DEED_HISTORY_ADD="+path, fmt.Sprintf("DEED_HISTORY_NAME=p%d", i))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", i, err, out)
			}
		})
	}
	all.Wait()
	h, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if n, err := h.Count(t.Context()); n != processes*runsOfEach || err != nil {
		t.Errorf("%d runs are kept, want %d: %v", n, processes*runsOfEach, err)
	}
	var mode string
	if err := h.sql.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q, %v", mode, err)
	}
}

// TestAdd_Killed: whatever a process was at when it was killed, every run that is there is whole, and the next process goes on.
func TestAdd_Killed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), "DEED_HISTORY_ADD="+path, "DEED_HISTORY_NAME="+endless)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	told := 0
	for told < 3 && lines.Scan() {
		told++
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	h, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	add(t, h, result("next", morning.Add(24*time.Hour), verified("a", 1), verified("b", 1)))
	var state string
	var runs, torn int
	if err := h.sql.QueryRow(`SELECT (SELECT integrity_check FROM pragma_integrity_check), (SELECT count(*) FROM runs),
		(SELECT count(*) FROM runs r WHERE (SELECT count(*) FROM attempts a JOIN steps s ON s.attempt_id = a.id WHERE a.run_id = r.id) <> 4)`).Scan(&state, &runs, &torn); err != nil {
		t.Fatal(err)
	}
	if state != "ok" || torn != 0 || runs < told+1 || told != 3 {
		t.Errorf("%s; %d runs, of which %d are not whole; %d were told to be in", state, runs, torn, told)
	}
}

// TestOpen_LeavesAlone: what is damaged, newer or of another program is an error with a hint, and its bytes stay.
func TestOpen_LeavesAlone(t *testing.T) {
	build := func(t *testing.T, statements string) string {
		path := filepath.Join(t.TempDir(), "history.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Exec(statements)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		make func(t *testing.T) string
		says string
	}{
		"garbage": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "history.db")
			if err := os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, "damaged"},
		"another program's": {func(t *testing.T) string { return build(t, "CREATE TABLE t (x); PRAGMA user_version = 1") }, "another program"},
		"newer": {func(t *testing.T) string {
			return build(t, fmt.Sprintf("CREATE TABLE runs (x); PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(migrations)+1))
		}, "newer version"},
		"a damaged page": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "history.db")
			h, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			err = h.Add(t.Context(), result("r", morning, verified("a", 1)))
			if err := errors.Join(err, h.Close()); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(data[100:], bytes.Repeat([]byte{0xaa}, 3000)) // the schema, behind a header that is whole
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := tc.make(t)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			h, err := Open(path)
			if err == nil {
				err = h.Add(t.Context(), result("another", morning, verified("a", 1)))
				h.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || deed.HintOf(err) == "" {
				t.Errorf("%v, hint %q", err, deed.HintOf(err))
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func TestOpen_Elsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b?c#d%41.db", "ümläut/history.db"} {
		h, err := Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		add(t, h, result("r", morning, verified("a", 1)))
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		} else if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s: others may read it: %v", name, info.Mode())
		}
	}
	if _, err := Open(dir); err == nil {
		t.Error("a folder is no history")
	}
}

// TestMigrate: a file of each version is brought to the newest, in one transaction, and keeps what is in it.
func TestMigrate(t *testing.T) {
	h := open(t)
	add(t, h, result("old", morning, verified("a", 1)))
	next := append(slices.Clone(migrations), "ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT 'none'", "UPDATE runs SET note = note || '!'")
	broken := append(slices.Clone(migrations), next[len(migrations)], "UPDATE runs SET nothing = 1")
	if err := h.prepare(t.Context(), broken); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("version %d", len(broken))) {
		t.Errorf("a migration that fails: %v", err)
	}
	if v, err := version(t.Context(), h.sql, len(migrations)); v != len(migrations) || err != nil {
		t.Fatalf("after a migration that failed: version %d, %v", v, err)
	}
	for range 2 {
		if err := h.prepare(t.Context(), next); err != nil {
			t.Fatal(err)
		}
	}
	var note string
	if err := h.sql.QueryRow("SELECT note FROM runs WHERE run = 'old'").Scan(&note); err != nil || note != "none!" {
		t.Errorf("%q, %v", note, err)
	}
	if _, err := version(t.Context(), h.sql, len(migrations)); !errors.Is(err, errNewer) {
		t.Errorf("an old program with a new file: %v", err)
	}
}

// TestMigrate_FromTheFirst: a file of the first schema is read and added to. That schema is out there, and never changes.
func TestMigrate_FromTheFirst(t *testing.T) {
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(migrations[0]))); got != "31b883a9d46a97c9bd6e9df47a7e9b99934b813031bca7d0af6093da2e8f8720" {
		t.Fatalf("the first schema was changed (%s): add a migration instead", got)
	}
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(migrations[0] + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1;", applicationID) + `
		INSERT INTO runs VALUES (1, 'old', 1793523600000, 'mismatch', 1000, 0, 'Chromium 150', '', 1, '', '');
		INSERT INTO cases VALUES (1, 'pay', 'pay.deed.yaml', '', '[]', 1793523600000);
		INSERT INTO attempts VALUES (1, 1, 1, 1793523600000, 0, 1, 1, 'mismatch', 'mismatch', 'no', 1, 1, 0, 100, 0, 0, 'hit');
		INSERT INTO facts VALUES (1, x'01', 'click', 'button "Pay"', 'mismatch', 'mismatch', 'no', '{"changes":["+ alert \"Declined\""]}');
		INSERT INTO steps VALUES (1, 1, 1, 50)`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	h, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	w, err := h.Why(t.Context(), "pay")
	if err != nil || w.Failure == nil || w.Failure.Lock != "hit" || w.Failure.LockChange != nil || w.Step == nil || len(w.Step.Changes) != 1 {
		t.Errorf("%+v %v", w, err)
	}
	c := failing("pay", 100)
	c.Lock, c.LockChange = deed.LockUpdated, []string{"~ step 2"}
	add(t, h, result("new", morning, verified("pay", 1)), result("newer", morning.Add(time.Hour), c))
	w, err = h.Why(t.Context(), "pay")
	if err != nil || len(w.Differs) != 2 || w.Differs[1].String() != "lock rewritten: none → ~ step 2" {
		t.Errorf("%+v %v", w, err)
	}
}

func TestAdd_Retention(t *testing.T) {
	h := open(t)
	fill := func(n int, at time.Time) { // quicker than Add
		if _, err := h.sql.Exec(`WITH RECURSIVE k (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM k WHERE i < ?)
			INSERT INTO runs SELECT NULL, 'x' || ? || i, ? + i, 'verified', 1, 0, '', '', 1, '', '' FROM k`, n, at.UnixMilli(), at.UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	count := func(query string) (n int) {
		if err := h.sql.QueryRow(query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	gone := verified("gone", 1)
	gone.Steps[0].Reason = "nobody says this again"
	add(t, h, result("first", morning, gone))
	fill(sweepAfter, morning)
	fill(DefaultKeep.Runs-1, morning.Add(time.Hour))
	add(t, h, result("newest", morning.Add(2*time.Hour), verified("a", 1)))
	if n := count("SELECT count(*) FROM runs"); n != DefaultKeep.Runs {
		t.Errorf("%d runs are kept, want %d", n, DefaultKeep.Runs)
	}
	for _, query := range []string{"SELECT count(*) FROM runs WHERE run = 'first'", "SELECT count(*) FROM cases WHERE name = 'gone'",
		"SELECT count(*) FROM attempts a WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = a.run_id)",
		"SELECT count(*) FROM steps s WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE id = s.attempt_id)",
		"SELECT count(*) FROM facts WHERE reason = 'nobody says this again'"} {
		if n := count(query); n != 0 {
			t.Errorf("%d: %s", n, query)
		}
	}
	// A run long after the others takes all away but the newest ones.
	add(t, h, result("later", morning.Add(DefaultKeep.For+3*time.Hour), verified("a", 1)))
	if n := count("SELECT count(*) FROM runs"); n != keepAlways {
		t.Errorf("%d runs are kept, want %d", n, keepAlways)
	}
	if n := count("SELECT count(*) FROM runs WHERE run IN ('newest', 'later')"); n != 2 {
		t.Errorf("%d of the newest two are kept", n)
	}
}

// TestAdd_Keep: what is to be kept may be said.
func TestAdd_Keep(t *testing.T) {
	h := open(t)
	names := func() string {
		runs, err := h.Runs(t.Context(), Filter{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range runs {
			out = append(out, r.Run)
		}
		return strings.Join(out, " ")
	}
	h.Keep = Keep{}
	for i := range 25 {
		add(t, h, result(fmt.Sprintf("r%d", i), morning.Add(time.Duration(i)*1000*24*time.Hour), verified("a", 1)))
	}
	if got := strings.Count(names(), "r"); got != 25 {
		t.Errorf("all: %d of 25 are kept", got)
	}
	h.Keep = Keep{For: time.Hour}
	add(t, h, result("r25", morning.Add(25*1000*24*time.Hour), verified("a", 1)))
	if got := strings.Count(names(), "r"); got != keepAlways {
		t.Errorf("an hour: %d are kept", got)
	}
	h.Keep = Keep{Runs: 2}
	add(t, h, result("r26", morning.Add(26*1000*24*time.Hour), verified("a", 1)))
	if got := names(); got != "r26 r25" {
		t.Errorf("two: %s are kept", got)
	}
}

func TestParseKeep(t *testing.T) {
	for in, want := range map[string]Keep{"all": {}, "90d": {For: 90 * 24 * time.Hour}, "1000": {Runs: 1000}, "2w, 50": {For: 14 * 24 * time.Hour, Runs: 50},
		"36h": {For: 36 * time.Hour}, "90d,1000": DefaultKeep} {
		if got, err := ParseKeep(in); err != nil || got != want {
			t.Errorf("%s: %+v %v", in, got, err)
		}
	}
	for _, in := range []string{"", "0", "0d", "-3", "d", "7d,8d", "3,4", "-1d", "7 days", "1e9d", "99999999999999999999", "65535w,"} {
		if got, err := ParseKeep(in); deed.CodeOf(err) != deed.CodeInvalid || got != (Keep{}) {
			t.Errorf("%q: %+v %v", in, got, err)
		}
	}
}

func TestLastFailedAndDurations(t *testing.T) {
	h := open(t)
	skipped, cancelled := deed.CaseResult{Case: "skipped", Outcome: deed.OutcomeSkipped}, deed.CaseResult{Case: "cancelled", Outcome: deed.OutcomeCancelled}
	part := result("r3", morning.Add(2*time.Hour), verified("ok", 90_000))
	part.Shard = "1/2"
	add(t, h,
		part, // added first, though it began last
		result("r1", morning, failing("mended", 1), verified("ok", 100), verified("lately", 5), failing("skipped", 7)),
		result("r2", morning.Add(time.Hour), verified("mended", 30), verified("ok", 300), failing("lately", 9000), skipped, cancelled))
	got, err := h.LastFailed(t.Context())
	if want := []string{"cancelled", "lately", "skipped"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("last failed %v, want %v: %v", got, want, err)
	}
	d, err := h.Durations(t.Context())
	if err != nil || len(d) != 3 || d["ok"] != 200*time.Millisecond || d["lately"] != 5*time.Millisecond || d["mended"] != 30*time.Millisecond {
		t.Errorf("%v %v", d, err)
	}
}

func TestRun_Names(t *testing.T) {
	h := open(t)
	if _, err := h.Run(t.Context(), "last"); err == nil {
		t.Error("there is no last run yet")
	}
	add(t, h, result("20261130-ab", morning), result("20261130-cd", morning.Add(time.Hour)), result("20261130-cde", morning.Add(2*time.Hour)))
	for ref, want := range map[string]string{"last": "20261130-cde", "last~0": "20261130-cde", "last~2": "20261130-ab", "20261130-a": "20261130-ab",
		"20261130-cd": "20261130-cd", "last~3": "", "last~x": "", "last~-1": "", "2026": "", "": "", "nothing": "", "%": "", "_": ""} {
		r, err := h.Run(t.Context(), ref)
		switch {
		case want == "" && deed.CodeOf(err) != deed.CodeInvalid:
			t.Errorf("%q: %v, %v", ref, r, err)
		case want != "" && (err != nil || r.Run != want):
			t.Errorf("%q: %v, %v, want %s", ref, r, err, want)
		}
	}
}
