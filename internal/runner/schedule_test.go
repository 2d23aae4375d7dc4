package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
)

// play runs cases whose attempts take a while and come out as told.
func play(ctx context.Context, cases []deed.Case, o *Options, out func(c *deed.Case, name string) deed.CaseResult) []deed.CaseResult {
	s := &schedule{cases: cases, o: o, attempt: func(_ context.Context, c *deed.Case, name string, _ int) deed.CaseResult {
		time.Sleep(time.Duration(len(c.ID)+len(name)) * time.Second) // of the bubble's clock
		return out(c, name)
	}}
	return s.run(ctx)
}

func outcome(c *deed.Case, o deed.Outcome, code deed.Code) deed.CaseResult {
	r := outline(c)
	r.Outcome, r.Code = o, code
	return r
}

// However many workers there are, every case runs once, after what it depends on, and the results are the same and in the same order.
func TestResultsDoNotDependOnTheWorkers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "cases")
		cases := make([]deed.Case, n)
		fails := map[string]bool{}
		for i := range cases {
			cases[i].ID = fmt.Sprintf("c%d", i)
			for j := range n {
				// What is depended on may stand later, but never in a ring.
				if (i*7+3)%n > (j*7+3)%n && rapid.IntRange(0, 4).Draw(r, "dep") == 0 {
					cases[i].DependsOn = append(cases[i].DependsOn, fmt.Sprintf("c%d", j))
				}
			}
			fails[cases[i].ID] = rapid.IntRange(0, 5).Draw(r, "fails") == 0
		}
		var first string
		for _, workers := range []int{1, 2, 5} {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				ran, over := map[string]int{}, map[string]bool{}
				res := play(t.Context(), slices.Clone(cases), &Options{Workers: workers}, func(c *deed.Case, _ string) deed.CaseResult {
					mu.Lock()
					defer mu.Unlock()
					ran[c.ID]++
					for _, d := range c.DependsOn {
						if !over[d] || fails[d] {
							t.Errorf("%s ran before %s was proven", c.ID, d)
						}
					}
					over[c.ID] = true
					if fails[c.ID] {
						return outcome(c, deed.OutcomeMismatch, deed.CodeMismatch)
					}
					return outcome(c, deed.OutcomeVerified, "")
				})
				story := ""
				for i := range res {
					if res[i].Case != cases[i].ID || ran[res[i].Case] > 1 || (ran[res[i].Case] == 0) != (res[i].Outcome == deed.OutcomeSkipped) {
						t.Errorf("%+v, ran %d times", res[i], ran[res[i].Case])
					}
					story += fmt.Sprintln(res[i].Case, res[i].Outcome)
				}
				if first == "" {
					first = story
				}
				if story != first {
					t.Errorf("with %d workers:\n%s\nwith one:\n%s", workers, story, first)
				}
			})
		}
	})
}

func TestWorkersRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cases := make([]deed.Case, 6)
		for i := range cases {
			cases[i].ID = "abcd"
		}
		var now, most atomic.Int32
		start := time.Now()
		play(t.Context(), cases, &Options{Workers: 3, OnCase: func(*deed.Case) {
			most.Store(max(most.Load(), now.Add(1)))
		}, OnDone: func(*deed.Case, deed.CaseResult) { now.Add(-1) }}, func(c *deed.Case, _ string) deed.CaseResult { return outcome(c, deed.OutcomeVerified, "") })
		if most.Load() != 3 || time.Since(start) != 10*time.Second {
			t.Errorf("%d at a time, in %v", most.Load(), time.Since(start))
		}
	})
}

func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		retries, own int
		script       []deed.CaseResult
		want         deed.Outcome
		attempts     int
		flaky        bool
	}{
		"at once":                             {2, 0, []deed.CaseResult{{Outcome: deed.OutcomeVerified}}, deed.OutcomeVerified, 1, false},
		"the second time":                     {2, 0, []deed.CaseResult{{Outcome: deed.OutcomeMismatch}, {Outcome: deed.OutcomeVerified}}, deed.OutcomeVerified, 2, true},
		"never":                               {2, 0, []deed.CaseResult{{}, {}, {Outcome: deed.OutcomeAmbiguous}}, deed.OutcomeAmbiguous, 3, false},
		"its own":                             {0, 1, []deed.CaseResult{{}, {Outcome: deed.OutcomeVerified}}, deed.OutcomeVerified, 2, true},
		"none":                                {0, 0, []deed.CaseResult{{}}, deed.OutcomeFailed, 1, false},
		"what policy refuses it refuses":      {3, 0, []deed.CaseResult{{Outcome: deed.OutcomeRefused, Code: deed.CodeRefused}}, deed.OutcomeRefused, 1, false},
		"what is written wrong stays so":      {3, 0, []deed.CaseResult{{Code: deed.CodeInvalid}}, deed.OutcomeFailed, 1, false},
		"the browser ended, and costs one":    {0, 0, []deed.CaseResult{{Code: deed.CodeDisconnected}, {Outcome: deed.OutcomeVerified}}, deed.OutcomeVerified, 2, false},
		"the browser ends each time":          {0, 0, []deed.CaseResult{{Code: deed.CodeDisconnected}, {Code: deed.CodeDisconnected}}, deed.OutcomeFailed, 2, false},
		"the browser ended, then it is flaky": {1, 0, []deed.CaseResult{{Code: deed.CodeDisconnected}, {}, {Outcome: deed.OutcomeVerified}}, deed.OutcomeVerified, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, names := 0, []string{}
				res := play(t.Context(), []deed.Case{{ID: "a", Retries: c.own}}, &Options{Retries: c.retries}, func(_ *deed.Case, name string) deed.CaseResult {
					n++
					names = append(names, name)
					return c.script[n-1]
				})[0]
				slices.Sort(names)
				if res.Outcome != c.want || n != c.attempts || res.Flaky != c.flaky || len(res.Retries) != c.attempts-1 || len(slices.Compact(names)) != n {
					t.Errorf("%v after %d attempts %v, flaky %v: %+v", res.Outcome, n, names, res.Flaky, res)
				}
			})
		})
	}
}

// What is quarantined is told, and ends nothing.
func TestBailCountsWhatIsNotInQuarantine(t *testing.T) {
	cases := []deed.Case{{ID: "a", Quarantine: true}, {ID: "b"}, {ID: "c"}, {ID: "d"}, {ID: "e", DependsOn: []string{"d"}}}
	for _, workers := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			res := play(t.Context(), slices.Clone(cases), &Options{Bail: 2, Workers: workers}, func(c *deed.Case, _ string) deed.CaseResult {
				return outcome(c, deed.OutcomeFailed, "")
			})
			ran := 0
			for _, r := range res {
				if r.Outcome == deed.OutcomeFailed {
					ran++
				} else if r.Outcome != deed.OutcomeSkipped || r.Reason == "" {
					t.Errorf("%+v", r)
				}
			}
			if ran < 3 || ran > 2+workers {
				t.Errorf("with %d workers %d ran", workers, ran)
			}
		})
	}
}

func TestWhatIsInterruptedIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		res := play(ctx, []deed.Case{{ID: "a"}, {ID: "b", DependsOn: []string{"a"}}, {ID: "c"}}, &Options{Retries: 5}, func(c *deed.Case, _ string) deed.CaseResult {
			n++
			cancel()
			return outcome(c, deed.OutcomeCancelled, deed.CodeCancelled)
		})
		for _, r := range res {
			if r.Outcome != deed.OutcomeCancelled {
				t.Errorf("%+v", r)
			}
		}
		if n != 3 {
			t.Errorf("%d attempts", n)
		}
	})
}

func TestWhatIsDependedOnHasToBeThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res := play(t.Context(), []deed.Case{{ID: "a", DependsOn: []string{"nobody"}}, {ID: "b", DependsOn: []string{"a"}}}, &Options{Workers: 2}, func(c *deed.Case, _ string) deed.CaseResult {
			t.Error("it ran")
			return outline(c)
		})
		if res[0].Outcome != deed.OutcomeSkipped || res[1].Outcome != deed.OutcomeSkipped {
			t.Errorf("%+v", res)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		res := play(t.Context(), []deed.Case{{ID: "a", DependsOn: []string{"b"}}, {ID: "b", DependsOn: []string{"a"}}, {ID: "c"}}, &Options{Workers: 2}, func(c *deed.Case, _ string) deed.CaseResult { return outline(c) })
		if res[0].Outcome != deed.OutcomeSkipped || res[1].Outcome != deed.OutcomeSkipped || !res[2].Outcome.OK() {
			t.Errorf("%+v", res)
		}
	})
}
