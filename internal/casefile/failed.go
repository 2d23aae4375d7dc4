package casefile

import (
	"cmp"
	"slices"

	"github.com/deed-dev/deed"
)

// Runnable drops the cases that cannot be run for what they depend on: an id that is nowhere, a circle, a chain that is too long, a case
// that could not be read. The others are returned, with the cases elsewhere that they depend on ([Others]), and a complaint for each that
// was dropped. Problems are what was complained about so far.
func Runnable(cases []deed.Case, problems []Problem, o Options) (runnable, others []deed.Case, dropped []Problem) {
	unread := map[string]Problem{} // by the id of the case
	for _, p := range problems {
		if _, ok := unread[p.Case]; p.Case != "" && !ok {
			unread[p.Case] = p
		}
	}
	byID, all, bad := dependencies(cases, o)
	wrong := map[string]Problem{} // by the id of the case that it is about
	for _, p := range bad {
		if _, ok := wrong[p.Case]; ok {
			continue
		}
		for _, id := range byID[p.Case].DependsOn {
			if u, ok := unread[id]; ok && byID[id] == nil {
				p.Err, p.Hint = invalid("%s depends on %s, which cannot be read: %s", p.Case, id, u.Error()), ""
			}
		}
		wrong[p.Case] = p
	}
	needed := map[string]bool{}
	for _, c := range cases {
		before := closure(c.ID, byID)
		i := slices.IndexFunc(before, func(id string) bool { _, ok := wrong[id]; return ok })
		switch {
		case i == 0:
			dropped = append(dropped, wrong[c.ID])
		case i > 0:
			p := wrong[before[i]]
			dropped = append(dropped, Problem{Pos: c.Pos, File: c.File, Case: c.ID, Err: invalid("%s depends on %s, which cannot be run: %s", c.ID, p.Case, p.Error()), Hint: p.Hint})
		default:
			runnable = append(runnable, c)
			for _, id := range before {
				needed[id] = true
			}
		}
	}
	for _, c := range all {
		if needed[c.ID] {
			others = append(others, c)
		}
	}
	return runnable, others, dropped
}

// closure is a case and all that it depends on, nearest first.
func closure(id string, byID map[string]*deed.Case) []string {
	out := []string{id}
	for i := 0; i < len(out); i++ {
		if c := byID[out[i]]; c != nil {
			for _, d := range c.DependsOn {
				if !slices.Contains(out, d) {
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// Failed tells complaints as results: a case for each that could not be read, or for its file where not even its id could be. They stand
// beside the results of those that were run. A complaint about a file in which a case is complained about too is told with that case: it
// is most likely the same mistake.
func Failed(problems []Problem) []deed.CaseResult {
	out := []deed.CaseResult{}
	at := map[[2]string]int{}
	inFile := map[string]string{} // the first case of a file that is complained about
	for _, p := range problems {
		inFile[p.File] = cmp.Or(inFile[p.File], p.Case)
	}
	for _, p := range problems {
		id := cmp.Or(p.Case, inFile[p.File], p.File, p.Pos.File)
		text := p.Error()
		if p.Hint != "" {
			text += " (" + p.Hint + ")"
		}
		key := [2]string{p.File, id}
		if i, ok := at[key]; ok {
			out[i].Reason += "; " + text
			continue
		}
		at[key] = len(out)
		out = append(out, deed.CaseResult{Case: id, File: cmp.Or(p.File, p.Pos.File), Outcome: deed.OutcomeFailed, Code: deed.CodeOf(p.Err), Reason: text, Steps: []deed.StepResult{}})
	}
	return out
}
