package history

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
)

// story makes results, newest first, from letters, oldest first: . passed, r passed after a retry, x failed, s skipped, c cancelled,
// e failed for its environment's sake, p refused by policy. What stands in brackets is of one run.
func story(s string, ms ...int64) []Result {
	var out []Result
	run, joined := 0, false
	for _, l := range s {
		r := Result{Outcome: deed.OutcomeVerified, DurationMS: 1000}
		switch l {
		case '[':
			joined = true
			run++
			continue
		case ']':
			joined = false
			continue
		case 'r':
			r.Flaky, r.Attempts = true, 2
		case 'x':
			r.Outcome, r.Code = deed.OutcomeMismatch, deed.CodeMismatch
		case 's':
			r.Outcome = deed.OutcomeSkipped
		case 'c':
			r.Outcome = deed.OutcomeCancelled
		case 'e':
			r.Outcome, r.Code = deed.OutcomeFailed, deed.CodeDisconnected
		case 'p':
			r.Outcome, r.Code = deed.OutcomeRefused, deed.CodeRefused
		}
		if !joined {
			run++
		}
		if len(out) < len(ms) {
			r.DurationMS = ms[len(out)]
		}
		r.Run, r.Started = fmt.Sprintf("r%02d", run), morning.Add(time.Duration(run)*time.Hour)
		out = append(out, r)
	}
	slices.Reverse(out)
	return out
}

func TestStand_Class(t *testing.T) {
	for _, tc := range []struct {
		story string
		want  Class
		ms    []int64
	}{
		{"", New, nil},
		{"..", New, nil},
		{"xx", New, nil},
		{"..ssce", New, nil}, // what says nothing is not counted
		{"...", Stable, nil},
		{"..........", Stable, nil},
		{"...sce...", Stable, nil},
		{"xxx", Broken, nil},
		{".....x", Broken, nil},
		{"...xxxx", Broken, nil},
		{"...xxxse", Broken, nil},
		{"..ppp", Broken, nil},         // refused is failed, and says so every time
		{"x.x.x.xxxxx", Broken, nil},   // that often in a row is no flakiness
		{"x.x.x.xxxx", Flaky, nil},     // not yet
		{"..x..x.", Flaky, nil},        // two spells
		{"..r..", Flaky, nil},          // passed after a retry
		{"r.........", Flaky, nil},     // nine clean passes
		{"r..........", Stable, nil},   // ten
		{"x.x..........", Stable, nil}, // forgotten
		{"[x.]...", Flaky, nil},        // passed and failed in one run
		{"[xx]...", Fixed, nil},        // failed, both times
		{"..x....", Fixed, nil},        // four passes
		{"..x.s...", Fixed, nil},       // a skip is none
		{"..x.....", Stable, nil},      // five
		{"..x...r", Flaky, nil},        //
		{"xx.x....", Flaky, nil},       //
		{"........", Slow, []int64{1000, 1010, 990, 1005, 1000, 1400, 1500, 1390}},
		{"........", Stable, []int64{1000, 1010, 990, 1005, 1000, 1000, 9000, 1010}}, // once
		{"........", Stable, []int64{1000, 1010, 990, 1005, 1000, 1200, 1210, 1190}}, // by less than a quarter
		{"........", Stable, []int64{200, 1800, 700, 1500, 1000, 1900, 1700, 1600}},  // it always varies so
		{"........", Stable, []int64{10, 12, 11, 10, 11, 60, 70, 65}},                // by less than a tenth of a second
		{".......", Stable, []int64{1000, 1000, 1000, 1000, 2000, 2000, 2000}},       // too few before
		{"........x", Broken, []int64{1000, 1000, 1000, 1000, 1000, 2000, 2000, 2000}},
	} {
		if got := Stand(story(tc.story, tc.ms...)).Class; got != tc.want {
			t.Errorf("%q %v is %s, want %s", tc.story, tc.ms, got, tc.want)
		}
	}
}

func TestStand_Figures(t *testing.T) {
	s := Stand(story("x.r.xx.s", 5, 100, 200, 300, 7, 9, 400, 1))
	if s.Counted != 7 || s.Failed != 3 || s.Retried != 1 || s.Spells != 2 || s.Last != deed.OutcomeSkipped || s.P50MS != 200 || s.P95MS != 400 {
		t.Errorf("%+v", s)
	}
	if math.Abs(s.FailureRate-3.0/7) > 1e-9 || math.Abs(s.FlakeRate-3.0/7) > 1e-9 || !s.LastFailure.Equal(morning.Add(6*time.Hour)) || s.LastRun != "r08" {
		t.Errorf("%+v", s)
	}
	if s := Stand(story("xx", 30, 10)); s.P50MS != 10 || s.P95MS != 30 {
		t.Errorf("what never passed: %+v", s)
	}
}

// TestStand_Holds: figures fit together, and what says nothing about a case changes nothing of them.
func TestStand_Holds(t *testing.T) {
	classes := []Class{New, Broken, Flaky, Fixed, Slow, Stable}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SliceOfN(rapid.SampledFrom([]rune(".....rxxp")), 0, 30).Draw(t, "story")
		s := Stand(story(string(letters)))
		if s.Counted != len(letters) || s.Failed+s.Retried > s.Counted || s.Spells > s.Failed || s.FailureRate < 0 || s.FailureRate > 1 || s.FlakeRate < 0 || s.FlakeRate > 1 ||
			s.P50MS > s.P95MS || !slices.Contains(classes, s.Class) {
			t.Fatalf("%+v", s)
		}
		if (s.Class == Stable || s.Class == Slow || s.Class == Fixed) && !s.Last.OK() || s.Class == Broken && s.Last.OK() {
			t.Fatalf("it is %s, and was %s last", s.Class, s.Last)
		}
		at := rapid.IntRange(0, len(letters)).Draw(t, "at")
		more := slices.Insert(slices.Clone(letters), at, []rune(rapid.StringMatching("[sce]{1,3}").Draw(t, "nothing"))...)
		m := Stand(story(string(more)))
		m.Last, m.LastRun, m.LastAt, m.LastFailure = s.Last, s.LastRun, s.LastAt, s.LastFailure
		if m != s {
			t.Fatalf("%q is %+v, and %q %+v", string(letters), s, string(more), m)
		}
	})
}

// TestDocs: docs/history.md says what the code does.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, c := range []Class{New, Broken, Flaky, Fixed, Slow, Stable} {
		if !strings.Contains(text, "`"+string(c)+"`") {
			t.Errorf("it does not say what %s is", c)
		}
	}
	for _, want := range []string{
		fmt.Sprintf("there are fewer than %d |", newBelow), fmt.Sprintf("the last %d failed", brokenFrom), fmt.Sprintf("the last %d passed at the first attempt", settledFrom),
		fmt.Sprintf("fewer than %d have passed since", fixedFor), fmt.Sprintf("the median of the last %d that passed is above the median of those before (%d or more)", slowLast, slowBefore),
		fmt.Sprintf("%d ms;", noiseLeast), fmt.Sprintf("medians of the last %d proven results", durationsOf), fmt.Sprintf("%d by default", DefaultLimit),
		fmt.Sprintf("more than %.0f days before the newest", DefaultKeep.For.Hours()/24), "the newest 1,000", fmt.Sprintf("the newest %d stay", keepAlways), fmt.Sprintf("%.0f s of patience", patience.Seconds()),
	} {
		if !strings.Contains(strings.ReplaceAll(text, "100 ms. The", "100 ms; The"), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if DefaultKeep.Runs != 1000 || noiseMADs != 3 || noiseShare != 0.25 || noiseSamples != 5 {
		t.Error("the figures that it has in words are others by now")
	}
}

// TestCases_Order: worst first, by how often it fails, how often it is flaky, and when it failed last.
func TestCases_Order(t *testing.T) {
	h := open(t)
	stories := map[string]string{"always": "xxxx", "half": "xx..", "half-lately": "..xx", "half-flaky": "x.x.", "retried": "..r.", "fine": "....", "also-fine": "...."}
	for i := range 4 {
		var cases []deed.CaseResult
		for id, s := range stories {
			c := verified(id, 100)
			switch s[i] {
			case 'x':
				c = failing(id, 100)
			case 'r':
				c.Retries, c.Flaky = []deed.CaseResult{failing(id, 100)}, true
			}
			if id == "fine" {
				c.Tags = []string{"smoke", "shop"}
			}
			cases = append(cases, c)
		}
		add(t, h, result(fmt.Sprintf("r%d", i), morning.Add(time.Duration(i)*time.Hour), cases...))
	}
	names := func(f Filter) string {
		cases, err := h.Cases(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range cases {
			out = append(out, c.Case)
		}
		return strings.Join(out, " ")
	}
	if got, want := names(Filter{}), "always half-flaky half half-lately retried also-fine fine"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := names(Filter{Tags: []string{"other", "shop"}}), "fine"; got != want {
		t.Errorf("by tag: %s, want %s", got, want)
	}
	if got := names(Filter{Since: morning.Add(9 * time.Hour)}); got != "" {
		t.Errorf("since then nothing ran, and yet %s", got)
	}
	c, err := h.Case(t.Context(), "half", Filter{Since: morning.Add(2 * time.Hour)})
	if err != nil || len(c.Results) != 2 || c.Failed != 0 || c.Results[0].Run != "r3" {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := h.Case(t.Context(), "half", Filter{Limit: 3}); err != nil || len(c.Results) != 3 || c.Failed != 1 {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := h.Case(t.Context(), "alway", Filter{}); deed.CodeOf(err) != deed.CodeInvalid || !strings.Contains(deed.HintOf(err), `"always"`) {
		t.Errorf("%v, hint %s", err, deed.HintOf(err))
	}
}

func TestNoise(t *testing.T) {
	for _, tc := range []struct {
		ms   []int64
		want int64
	}{
		{nil, 100},
		{[]int64{1000, 1000}, 500}, // few
		{[]int64{1000, 1000, 1000, 1000, 1000}, 250},      // a quarter
		{[]int64{10, 10, 10, 10, 10}, 100},                // a tenth of a second
		{[]int64{800, 900, 1000, 1100, 1200}, 445},        // 3 × 1.4826 × 100
		{[]int64{1000, 1000, 1000, 1000, 1_000_000}, 250}, // one outlier is none of the noise
	} {
		if got := Noise(tc.ms); got != tc.want {
			t.Errorf("the noise of %v is %d, want %d", tc.ms, got, tc.want)
		}
	}
}
