package history

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/deed-dev/deed"
)

// A Class says in one word how a case does.
type Class string

// The classes. Which one it is is decided in this order; docs/history.md has the whole rule.
const (
	New    Class = "new"    // too few results to tell
	Broken Class = "broken" // it fails, and has since it broke
	Flaky  Class = "flaky"  // it passes and fails, and nothing else tells when
	Fixed  Class = "fixed"  // it failed, and has passed since, not for long yet
	Slow   Class = "slow"   // it passes, and takes longer than it did
	Stable Class = "stable" // it passes
)

// What the classes are told by.
const (
	newBelow    = 3  // counted results
	brokenFrom  = 5  // failures in a row are no flakiness any more
	fixedFor    = 5  // passes in a row, before what was fixed is stable
	settledFrom = 10 // clean passes in a row, after which earlier trouble is forgotten
	slowLast    = 3  // passes that are compared with those before
	slowBefore  = 5  // passes that there have to be before
)

// Standing is what the results of a case say together.
type Standing struct {
	Class       Class        `json:"class"`
	Counted     int          `json:"counted"`      // results that say something about the case
	Failed      int          `json:"failed"`       // of them
	Retried     int          `json:"retried"`      // of them: passed, after an attempt that did not
	Spells      int          `json:"spells"`       // times that it began to fail
	FailureRate float64      `json:"failure_rate"` // Failed of Counted
	FlakeRate   float64      `json:"flake_rate"`   // Retried and the spells that ended, of Counted
	P50MS       int64        `json:"p50_ms"`       // of the results that passed; of all where none did
	P95MS       int64        `json:"p95_ms"`
	Last        deed.Outcome `json:"last"` // outcome of the newest result, counted or not
	LastRun     string       `json:"last_run,omitempty"`
	LastAt      time.Time    `json:"last_at,omitzero"`
	LastFailure time.Time    `json:"last_failure,omitzero"` // when the run began in which it failed last
}

// Counts reports whether a result says something about the case: it does not where the case was skipped or cancelled, nor where the machine or
// its browser was at fault.
func (r *Result) Counts() bool {
	return r.Outcome != deed.OutcomeSkipped && r.Outcome != deed.OutcomeCancelled && !environmental(r)
}

func environmental(r *Result) bool {
	return !r.Outcome.OK() && (r.Code.General() == deed.CodeEnvironment || r.Code == deed.CodeCrashed)
}

// Stand tells what the results, newest first, say together.
func Stand(newest []Result) Standing {
	var s Standing
	if len(newest) > 0 {
		s.Last, s.LastRun, s.LastAt = newest[0].Outcome, newest[0].Run, newest[0].Started
	}
	var counted []Result // oldest first
	for i := len(newest) - 1; i >= 0; i-- {
		if newest[i].Counts() {
			counted = append(counted, newest[i])
		}
	}
	s.Counted = len(counted)
	var passed, all []int64
	ended := 0 // spells
	for i := range counted {
		r := &counted[i]
		all = append(all, r.DurationMS)
		failedBefore := i > 0 && !counted[i-1].Outcome.OK()
		switch {
		case !r.Outcome.OK():
			s.Failed++
			s.LastFailure = r.Started
			if !failedBefore {
				s.Spells++
			}
		default:
			passed = append(passed, r.DurationMS)
			if r.Flaky {
				s.Retried++
			}
			if failedBefore {
				ended++
			}
		}
	}
	if s.Counted > 0 {
		s.FailureRate = float64(s.Failed) / float64(s.Counted)
		s.FlakeRate = float64(s.Retried+ended) / float64(s.Counted)
	}
	if len(passed) == 0 {
		s.P50MS, s.P95MS = percentile(all, 50), percentile(all, 95)
	} else {
		s.P50MS, s.P95MS = percentile(passed, 50), percentile(passed, 95)
	}
	s.Class = classify(counted, &s, passed)
	return s
}

// classify decides the class from counted results, oldest first.
func classify(counted []Result, s *Standing, passed []int64) Class {
	if len(counted) < newBelow {
		return New
	}
	failing, clean, passing := 0, 0, 0 // at the end, in a row
	for i := len(counted) - 1; i >= 0 && !counted[i].Outcome.OK(); i-- {
		failing++
	}
	for i := len(counted) - 1; i >= 0 && counted[i].Outcome.OK(); i-- {
		passing++
		if clean == passing-1 && !counted[i].Flaky {
			clean++
		}
	}
	switch {
	case failing >= brokenFrom:
		return Broken
	case clean >= settledFrom:
		// what was before is forgotten
	case s.Retried > 0 || s.Spells > 1 || both(counted):
		return Flaky
	case failing > 0:
		return Broken
	case s.Spells == 1 && passing < fixedFor:
		return Fixed
	}
	if slower(passed) {
		return Slow
	}
	return Stable
}

// both reports whether a case both passed and failed in one run, with nothing changed in between.
func both(counted []Result) bool {
	for i := 1; i < len(counted); i++ {
		if counted[i].Run == counted[i-1].Run && counted[i].Outcome.OK() != counted[i-1].Outcome.OK() {
			return true
		}
	}
	return false
}

// slower reports whether the last passes take longer than those before, by more than those vary.
func slower(passed []int64) bool {
	if len(passed) < slowLast+slowBefore {
		return false
	}
	before, last := passed[:len(passed)-slowLast], passed[len(passed)-slowLast:]
	return median(last)-median(before) > Noise(before)
}

// compare sorts worst first: what fails most often, then what is flaky most often, then what failed last.
func (s *Standing) compare(o *Standing) int {
	return cmp.Or(cmp.Compare(o.FailureRate, s.FailureRate), cmp.Compare(o.FlakeRate, s.FlakeRate), o.LastFailure.Compare(s.LastFailure))
}

// The bounds of noise.
const (
	noiseMADs    = 3    // median absolute deviations, scaled to standard deviations
	noiseShare   = 0.25 // of the median
	noiseLeast   = 100  // milliseconds
	noiseSamples = 5    // below which only a change by half says anything
)

// Noise is how far a duration may be from the median of the others, in milliseconds, before that says anything: three median absolute
// deviations (times 1.4826, which makes them standard deviations where durations are normal), but not less than a quarter of the
// median and a tenth of a second. Of fewer than five durations the spread is not known: it is half of their median, then.
func Noise(ms []int64) int64 {
	m := median(ms)
	if len(ms) < noiseSamples {
		return max(m/2, noiseLeast)
	}
	off := make([]int64, len(ms))
	for i, v := range ms {
		off[i] = max(v-m, m-v)
	}
	return max(int64(math.Round(noiseMADs*1.4826*float64(median(off)))), int64(noiseShare*float64(m)), noiseLeast)
}

// median is the middle value, or the mean of the two in the middle; 0 of nothing.
func median(ms []int64) int64 {
	if len(ms) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(ms))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// percentile is the smallest value that p of a hundred values do not exceed; 0 of nothing.
func percentile(ms []int64, p int) int64 {
	if len(ms) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(ms))
	return s[max((p*len(s)+99)/100, 1)-1]
}
