package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A row counts what became of the trials with one fault.
type row struct {
	Fault       string `json:"fault"`
	Declared    bool   `json:"declared"`
	Trials      int    `json:"trials"`       // carried out
	FalseAccept int    `json:"false_accept"` // match, and the right effect did not happen, or did not last, or not alone
	Later       int    `json:"later"`        // of these: it stood when the verdict was given
	Unseen      int    `json:"unseen"`       // of these: the page looks exactly as after the right effect
	Refused     int    `json:"refused"`      // not match, rightly
	InSpite     int    `json:"in_spite"`     // match, and the right effect happened all the same
	Needless    int    `json:"needless"`     // not match, and the right effect happened
	Void        int    `json:"void"`
}

// broken are the trials in which the fault had the better of the act: those that a match would be wrong for.
func (r *row) broken() int { return r.FalseAccept + r.Refused }

// plain are the false accepts of what was wrong, and could be seen to be, when the verdict was given.
func (r *row) plain() int { return r.FalseAccept - r.Later - r.Unseen }

func count(all []finding, keep func(*finding) bool, fault string, declared bool) row {
	r := row{Fault: fault, Declared: declared}
	for i := range all {
		f := &all[i]
		if f.Declared != declared || !keep(f) {
			continue
		}
		r.Trials++
		switch f.Class {
		case void:
			r.Trials--
			r.Void++
		case agreed:
			r.InSpite++
		case falseAccept:
			r.FalseAccept++
			switch {
			case f.Later:
				r.Later++
			case f.Unseen:
				r.Unseen++
			}
		case refused:
			r.Refused++
		case needless:
			r.Needless++
		}
	}
	return r
}

// wilson is the 95 % interval of a rate.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}

func rate(k, n int) string {
	if n == 0 {
		return "–"
	}
	low, high := wilson(k, n)
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*float64(k)/float64(n), 100*low, 100*high)
}

// A report is what a run found.
type report struct {
	Browser string    `json:"browser"`
	Seed    uint64    `json:"seed"`
	Took    string    `json:"took"`
	Rows    []row     `json:"rows"`
	Totals  []row     `json:"totals"`
	Honest  []row     `json:"honest"` // untouched and late
	Wrong   []mistake `json:"wrong"`  // every wrong verdict
}

// A mistake is one wrong verdict.
type mistake struct {
	N        int    `json:"n"`
	Fault    string `json:"fault"`
	On       string `json:"on"`
	Declared bool   `json:"declared"`
	Kind     string `json:"kind"` // false accept, false reject
	Basis    string `json:"basis,omitempty"`
	Reason   string `json:"reason"`
	Detail   string `json:"detail"`
}

func newReport(all []finding) report {
	var rep report
	for _, declared := range []bool{true, false} {
		for _, fault := range substantial {
			rep.Rows = append(rep.Rows, count(all, func(f *finding) bool { return f.Fault == fault }, fault, declared))
		}
		rep.Totals = append(rep.Totals, count(all, func(f *finding) bool { return slices.Contains(substantial, f.Fault) }, "all", declared))
		for _, fault := range []string{untouched, late} {
			rep.Honest = append(rep.Honest, count(all, func(f *finding) bool { return f.Fault == fault }, fault, declared))
		}
	}
	for i := range all {
		f := &all[i]
		kind := ""
		switch {
		case f.Class == falseAccept && f.Fault != untouched && f.Fault != late:
			kind = "false accept"
			if f.Later {
				kind += ", spoiled later"
			} else if f.Unseen {
				kind += ", not to be seen"
			}
		case f.Class == falseAccept:
			kind = "match without its effect"
		case f.Class == needless && (f.Fault == untouched || f.Fault == late):
			kind = "false reject"
		case f.Class == void:
			kind = "void"
		default:
			continue
		}
		rep.Wrong = append(rep.Wrong, mistake{f.N, f.Fault, f.On, f.Declared, kind, string(f.Basis), f.Why, f.Detail})
	}
	return rep
}

func (rep *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rep)
}

func side(declared bool) string {
	if declared {
		return "declared"
	}
	return "undeclared"
}

// write prints the tables, in Markdown so that they can be kept.
func (rep *report) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "False verdicts, %s, seed %d, %s\n\n", rep.Browser, rep.Seed, rep.Took)
	b.WriteString("| fault | expectation | injected | right in spite | refused, though right | refused, rightly | false accepts | of these, spoiled later | of these, not to be seen | rate of the broken, 95 % |\n")
	b.WriteString("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --- |\n")
	line := func(r row) {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %s |\n", r.Fault, side(r.Declared), r.Trials, r.InSpite, r.Needless, r.Refused, r.FalseAccept, r.Later, r.Unseen, rate(r.FalseAccept, r.broken()))
	}
	for _, declared := range []bool{true, false} {
		for _, r := range slices.Concat(rep.Rows, rep.Totals) {
			if r.Declared == declared {
				line(r)
			}
		}
	}
	b.WriteString("\n| page | expectation | acts | proven | false rejects | rate, 95 % |\n| --- | --- | --: | --: | --: | --- |\n")
	for _, r := range rep.Honest {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %s |\n", r.Fault, side(r.Declared), r.Trials, r.InSpite, r.Needless, rate(r.Needless, r.Trials))
	}
	b.WriteString("\n| aim | | measured | |\n| --- | --- | --- | --- |\n")
	aim := func(what, aim, got string, ok bool) {
		kept := "kept"
		if !ok {
			kept = "missed"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", what, aim, got, kept)
	}
	d, u := rep.Totals[0], rep.Totals[1]
	aim("false accepts, declared", "0 of at least 1,000", fmt.Sprintf("%d of %d, %s of the broken", d.FalseAccept, d.Trials, rate(d.FalseAccept, d.broken())), d.FalseAccept == 0 && d.Trials >= 1000)
	aim("of these, wrong and to be seen when the verdict was given", "0", fmt.Sprint(d.plain()), d.plain() == 0)
	aim("false accepts, undeclared", "at most 2 %", fmt.Sprintf("%d of %d, %s of the broken", u.FalseAccept, u.Trials, rate(u.FalseAccept, u.broken())), 50*u.FalseAccept <= u.broken())
	aim("of these, wrong and to be seen when the verdict was given", "at most 2 %", fmt.Sprintf("%d, %s of the broken", u.plain(), rate(u.plain(), u.broken())), 50*u.plain() <= u.broken())
	var rejects, acts, lates, latest, void int
	for _, r := range rep.Honest {
		if r.Fault == untouched {
			rejects, acts = rejects+r.Needless, acts+r.Trials
		} else {
			lates, latest = lates+r.Needless, latest+r.Trials
		}
		void += r.Void
	}
	void += d.Void + u.Void
	aim("false rejects, untouched", "at most 0.5 %", fmt.Sprintf("%d of %d, %s", rejects, acts, rate(rejects, acts)), 200*rejects <= acts)
	aim("false rejects, effect late", "at most 0.5 %", fmt.Sprintf("%d of %d, %s", lates, latest, rate(lates, latest)), 200*lates <= latest)
	if void > 0 {
		fmt.Fprintf(&b, "\n%d trials could not be carried out and are in no column.\n", void)
	}
	groups := map[string]int{}
	for _, m := range rep.Wrong {
		if m.Kind != "void" {
			groups[fmt.Sprintf("%s, %s, %s, on %s, by %s", m.Kind, side(m.Declared), m.Fault, m.On, m.Basis)]++
		}
	}
	if len(groups) > 0 {
		b.WriteString("\nWrong verdicts:\n\n")
		var lines []string
		for g, n := range groups {
			lines = append(lines, fmt.Sprintf("- %d× %s", n, g))
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
