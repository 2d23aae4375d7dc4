package history

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/deed-dev/deed"
)

// large is a run of so many cases of ten steps.
func large(i, cases int) *deed.RunResult {
	r := result(fmt.Sprintf("run-%05d", i), morning.Add(time.Duration(i)*time.Minute))
	for c := range cases {
		one := verified(fmt.Sprintf("area-%d/case-%03d", c%7, c), int64(1000+(i*31+c*17)%200))
		if c%20 == 0 && i%9 == 0 {
			one = failing(one.Case, one.DurationMS)
		}
		for n := len(one.Steps); n < 10; n++ {
			one.Steps = append(one.Steps, deed.StepResult{N: n + 1, Do: deed.KindFill, Locator: fmt.Sprintf("textbox \"Field %d of case %d\"", n, c), Outcome: deed.OutcomeVerified,
				Verdict: "match", Basis: deed.BasisState, Attempts: 1, Reason: "the field holds what was typed", Changes: []string{`~ textbox "Field": "" → "ana"`}, DurationMS: int64(40 + (i+n)%30)})
		}
		r.Cases = append(r.Cases, one)
	}
	return r
}

// BenchmarkAdd adds runs of 200 cases of 10 steps.
func BenchmarkAdd(b *testing.B) {
	h, i := open(b), 0
	for b.Loop() {
		add(b, h, large(i, 200))
		i++
	}
}

// BenchmarkCases is what `deed history` asks of 1,000 runs of 200 cases; the file's size is told.
func BenchmarkCases(b *testing.B) {
	path := filepath.Join(b.TempDir(), "history.db")
	h, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	for i := range DefaultKeep.Runs {
		add(b, h, large(i, 200))
	}
	var pages, size float64
	if err := h.sql.QueryRow("SELECT (SELECT page_count FROM pragma_page_count), (SELECT page_size FROM pragma_page_size)").Scan(&pages, &size); err != nil {
		b.Fatal(err)
	}
	last, err := h.Run(b.Context(), "last")
	if err != nil {
		b.Fatal(err)
	}
	before, err := h.Run(b.Context(), "last~1")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Runs(b.Context(), Filter{}); err != nil {
				b.Fatal(err)
			}
			if cases, err := h.Cases(b.Context(), Filter{}); err != nil || len(cases) != 200 {
				b.Fatal(len(cases), err)
			}
		}
		b.ReportMetric(pages*size/1e6, "MB")
	})
	b.Run("why", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Why(b.Context(), "area-0/case-000"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("diff", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Diff(b.Context(), before, last); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("durations", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Durations(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("last-failed", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.LastFailed(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("add-and-prune", func(b *testing.B) {
		i := DefaultKeep.Runs
		for b.Loop() {
			add(b, h, large(i, 200))
			i++
		}
	})
}
