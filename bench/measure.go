package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A duel is one measure: the same thing done by deed and by Playwright, in turn, on pages of their own.
type duel struct {
	Name    string  // what deed does
	Against string  // what Playwright does
	Aim     float64 // deed's median is to be at most so many times Playwright's; 0 is no aim
	Rounds  int
	Warm    int  // rounds before these, not counted
	Own     bool // what it is compared with is deed's own

	// before prepares a round outside the measured time, check proves after the last one that both did their part.
	before     func(round int) error
	deed       func(round int) (time.Duration, error)
	playwright func(round int) (time.Duration, error)
	check      func(rounds int) error
}

// A result is what a duel came to, in milliseconds.
type result struct {
	Measure    string  `json:"measure"`
	Against    string  `json:"against"`
	Deed       *spread `json:"deed"`
	Playwright *spread `json:"playwright,omitempty"`
	Ratio      float64 `json:"ratio,omitempty"` // of the medians
	Aim        float64 `json:"aim,omitempty"`
	Met        *bool   `json:"met,omitempty"` // absent where there is no aim, or no Playwright
}

type spread struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P90 float64 `json:"p90_ms"`
}

// fight runs the rounds of a duel: the two alternate, and who begins alternates too, so that both meet the same
// state of the machine. With no Playwright only deed is measured.
func (d *duel) fight() (result, error) {
	r := result{Measure: d.Name, Against: d.Against, Aim: d.Aim}
	var ours, theirs []time.Duration
	for round := range d.Warm + d.Rounds {
		if d.before != nil {
			if err := d.before(round); err != nil {
				return r, fmt.Errorf("%s, round %d: %w", d.Name, round, err)
			}
		}
		one := func(run func(int) (time.Duration, error), into *[]time.Duration) error {
			if run == nil {
				return nil
			}
			took, err := run(round)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", d.Name, round, err)
			}
			if round >= d.Warm {
				*into = append(*into, took)
			}
			return nil
		}
		order := []func() error{
			func() error { return one(d.deed, &ours) },
			func() error { return one(d.playwright, &theirs) },
		}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, turn := range order {
			if err := turn(); err != nil {
				return r, err
			}
		}
	}
	if d.check != nil {
		if err := d.check(d.Warm + d.Rounds); err != nil {
			return r, fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	r.Deed = spreadOf(ours)
	if r.Playwright = spreadOf(theirs); r.Playwright != nil {
		r.Ratio = r.Deed.P50 / r.Playwright.P50
		if d.Aim > 0 {
			met := r.Ratio <= d.Aim
			r.Met = &met
		}
	}
	return r, nil
}

// spreadOf gives the median and the 90th percentile by nearest rank, nil for no samples.
func spreadOf(samples []time.Duration) *spread {
	if len(samples) == 0 {
		return nil
	}
	slices.Sort(samples)
	at := func(p float64) float64 {
		i := int(math.Ceil(p*float64(len(samples)))) - 1
		return float64(samples[max(i, 0)]) / float64(time.Millisecond)
	}
	return &spread{N: len(samples), P50: at(0.5), P90: at(0.9)}
}

// A report is everything that one run of the bench found.
type report struct {
	Browser    string   `json:"browser"`
	Playwright string   `json:"playwright,omitempty"` // version
	Missing    string   `json:"missing,omitempty"`    // why there is no Playwright
	Results    []result `json:"results"`
	PeakMB     float64  `json:"peak_rss_mb,omitempty"` // of the process that holds deed; page server and bench are in it
	PeakAimMB  float64  `json:"peak_rss_aim_mb"`
	Side       *side    `json:"side_by_side,omitempty"`
}

// write prints the one table.
func (r *report) write(w io.Writer) error {
	if r.Missing != "" {
		fmt.Fprintf(w, "no Playwright to compare with: %s\n\n", r.Missing)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	playwright := "Playwright"
	if r.Playwright != "" {
		playwright += " " + r.Playwright
	}
	row("deed", "p50 ms", "p90 ms", playwright, "p50 ms", "p90 ms", "ratio", "aim", "")
	for _, x := range r.Results {
		cells := []string{x.Measure, ms(x.Deed.P50), ms(x.Deed.P90), x.Against, "–", "–", "–", "", ""}
		if x.Playwright != nil {
			cells[4], cells[5], cells[6] = ms(x.Playwright.P50), ms(x.Playwright.P90), fmt.Sprintf("%.2f", x.Ratio)
		}
		if x.Aim > 0 {
			cells[7] = fmt.Sprintf("≤ %.2f", x.Aim)
		}
		if x.Met != nil {
			cells[8] = verdict(*x.Met)
		}
		row(cells...)
	}
	if r.PeakMB > 0 {
		row("peak memory", fmt.Sprintf("%.1f MB", r.PeakMB), "", "", "", "", "", fmt.Sprintf("< %.0f MB", r.PeakAimMB), verdict(r.PeakMB < r.PeakAimMB))
	}
	if s := r.Side; s != nil {
		theirs, ratio := "–", "–"
		if s.Playwright > 0 {
			theirs, ratio = fmt.Sprintf("%.0f a minute", s.Playwright), fmt.Sprintf("%.2f", s.Deed/s.Playwright)
		}
		row(fmt.Sprintf("%d cases × %d workers", s.Cases, s.Workers), fmt.Sprintf("%.0f a minute", s.Deed), "", "Playwright Test", theirs, "", ratio, "", "")
		for _, n := range slices.Sorted(maps.Keys(s.PeakMB)) {
			row(fmt.Sprintf("peak memory of deed run, %d cases", n), fmt.Sprintf("%.1f MB", s.PeakMB[n]), "", "", "", "", "", "", "")
		}
	}
	return t.Flush()
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "MISSED"
}

func ms(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
