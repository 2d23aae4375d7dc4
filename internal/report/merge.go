package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/deed-dev/deed"
)

// Merge makes one result of several: of the shards of a run, or of a run and of a later one that ran some of its cases again.
//
// Every case says which run it is of. A case that is in more than one input is told once, as the input that began last has it (the last one, where
// an input does not say when it began); what the others have are attempts before it, and a case that is proven after one that was not is flaky. The
// outcome is the worst of the cases that are told, those in quarantine aside; a file that could not be read makes it failed, and an input without cases
// brings its own. The duration is the time in which at least one input ran. The same run given twice is an error, and so is an input of another format.
func Merge(runs []*deed.RunResult) (*deed.RunResult, error) {
	if len(runs) == 0 {
		return nil, &deed.Error{Op: "merge", Code: deed.CodeInvalid, Err: errors.New("there is nothing to merge")}
	}
	seen := map[string]bool{}
	for _, r := range runs {
		if r.Deed != deed.Format {
			return nil, &deed.Error{Op: "merge", Where: r.Run, Code: deed.CodeInvalid, Err: fmt.Errorf("a result of format %d, and not of %d", r.Deed, deed.Format)}
		}
		if r.Run != "" && seen[r.Run] {
			return nil, &deed.Error{Op: "merge", Where: r.Run, Code: deed.CodeInvalid, Err: errors.New("the run is given twice"), Hint: "name each file once"}
		}
		seen[r.Run] = true
	}
	order := slices.Clone(runs)
	if !slices.ContainsFunc(runs, func(r *deed.RunResult) bool { return r.Started.IsZero() }) {
		slices.SortStableFunc(order, func(a, b *deed.RunResult) int { return a.Started.Compare(b.Started) })
	}
	out := &deed.RunResult{Deed: deed.Format, Outcome: deed.OutcomeVerified, Cases: []deed.CaseResult{}, DurationMS: busy(order)}
	type key struct{ id, file string }
	type found struct{ run, last []deed.CaseResult } // the attempts of earlier inputs, and the results of the latest
	all := map[key]*found{}
	var keys []key
	problems := map[deed.ProblemResult]bool{}
	for _, r := range order {
		if out.Started.IsZero() {
			out.Started = r.Started
		}
		out.ModelCalls += r.ModelCalls
		out.Workers = max(out.Workers, r.Workers)
		same(&out.Browser, r.Browser, r == order[0])
		same(&out.BaseURL, r.BaseURL, r == order[0])
		if out.Run == "" {
			out.Run = r.Run
		}
		for _, p := range r.Problems {
			if !problems[p] { // every shard reads every file
				problems[p] = true
				out.Problems = append(out.Problems, p)
			}
		}
		if len(r.Cases) == 0 {
			out.Outcome = worst(out.Outcome, r.Outcome)
		}
		here := map[key]bool{}
		for i := range r.Cases {
			c := r.Cases[i]
			c.Run = cmp.Or(c.Run, r.Run)
			k := key{c.Case, c.File}
			f := all[k]
			if f == nil {
				f = &found{}
				all[k] = f
				keys = append(keys, k)
			}
			if !here[k] {
				here[k] = true
				for _, earlier := range f.last {
					f.run = append(f.run, earlier.Retries...)
					earlier.Retries = nil
					f.run = append(f.run, earlier)
				}
				f.last = nil
			}
			f.last = append(f.last, c)
		}
	}
	if n := len(order) - 1; n > 0 && out.Run != "" {
		out.Run = fmt.Sprintf("%s+%d", out.Run, n)
	}
	for _, k := range keys {
		f := all[k]
		for i, c := range f.last {
			if i == 0 && len(f.run) > 0 {
				c.Retries = append(slices.Clone(f.run), c.Retries...)
				c.Flaky = c.Outcome.OK() && slices.ContainsFunc(c.Retries, func(a deed.CaseResult) bool { return failed(&a) })
			}
			out.Cases = append(out.Cases, c)
			if !c.Quarantine {
				out.Outcome = worst(out.Outcome, c.Outcome)
			}
		}
	}
	if len(out.Problems) > 0 {
		out.Outcome = deed.OutcomeFailed
	}
	return out, nil
}

// same keeps what all inputs say alike, and nothing where they do not.
func same(s *string, other string, begin bool) {
	if begin {
		*s = other
	} else if *s != other {
		*s = ""
	}
}

// worst is the outcome of a whole with these parts. What was left out is no worse than what is proven; a goal that held already is proven.
func worst(a, b deed.Outcome) deed.Outcome {
	if b == deed.OutcomeAlready || b == deed.OutcomeSkipped {
		b = deed.OutcomeVerified
	}
	return min(a, b)
}

// busy is the time in which at least one of the runs, which are in the order in which they began, was at work. Those that do not say when they began
// are taken to have run beside the others.
func busy(runs []*deed.RunResult) int64 {
	var sum, longest int64
	var until time.Time
	for _, r := range runs {
		longest = max(longest, r.DurationMS)
		if r.Started.IsZero() {
			continue
		}
		end := r.Started.Add(time.Duration(r.DurationMS) * time.Millisecond)
		switch {
		case r.Started.After(until):
			sum += r.DurationMS
			until = end
		case end.After(until):
			sum += end.Sub(until).Milliseconds()
			until = end
		}
	}
	return max(sum, longest)
}
