package trend

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/history"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"took": took, "share": share, "plural": plural,
	"stamp": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" },
	"day":   day, "iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) }, "step": stepName, "mark": func(r history.Result) string { return mark(&r) },
}).Parse(pageHTML))

// A plot is the inside of an SVG of 100 by 100 units, which is stretched to where it stands; labels are beside it, as text.
type plot struct {
	Label string // what it shows, in words, for who does not see it
	Bars  []bar
	Lines []string // points of polylines
	Areas []string // points of polygons
	Base  float64  // y of a line that values are compared with; 0 is none
	Dots  []bar    // for lines: where one can point at, to read what it is
	Top   string   // what 100 is
	From  string
	To    string
}

// A bar is a rectangle with what it says when pointed at.
type bar struct {
	X, Y, W, H float64
	Kind       string // class
	Says       string
}

// Half is how far its middle is from its left.
func (b bar) Half() float64 { return b.W / 2 }

type caseView struct {
	history.Case
	Outcomes, Times plot
	Failure         *history.Result // the newest of its results that is not proven
}

type pageView struct {
	CSP        string
	Style      template.CSS
	Now        time.Time
	Runs       []history.Run // newest first
	Cases      []caseView
	Classes    []classCount
	Last       *history.Run
	ModelCalls int
	Proven     plot
	Took       plot
}

type classCount struct {
	Class history.Class
	N     int
	Means string
}

// meanings say what a class is, in the order in which they are shown.
var meanings = []classCount{
	{history.Broken, 0, "fails since it broke"},
	{history.Flaky, 0, "passes and fails, and nothing tells when"},
	{history.Slow, 0, "passes, and takes longer than it did"},
	{history.Fixed, 0, "failed, and has passed since"},
	{history.New, 0, "ran too seldom to tell"},
	{history.Stable, 0, "passes"},
}

// Page writes the trend of the cases as one page that needs nothing but itself: it holds no script, asks nobody for anything, and its policy
// allows it nothing but its own style. Runs are newest first, cases in the order in which they are shown.
func Page(w io.Writer, runs []history.Run, cases []history.Case, now time.Time) error {
	sum := sha256.Sum256([]byte(pageCSS))
	v := pageView{CSP: fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:])),
		Style: template.CSS(pageCSS), Now: now, Runs: runs, Classes: slices.Clone(meanings)}
	if len(runs) > 0 {
		v.Last = &runs[0]
		v.Proven, v.Took = provenPlot(runs), tookPlot(runs)
	}
	for i := range runs {
		v.ModelCalls += runs[i].ModelCalls
	}
	for i := range cases {
		c := &cases[i]
		for k := range v.Classes {
			if v.Classes[k].Class == c.Class {
				v.Classes[k].N++
			}
		}
		cv := caseView{Case: *c, Outcomes: outcomePlot(c), Times: timePlot(c)}
		for j := range c.Results {
			if !c.Results[j].Outcome.OK() && c.Results[j].Outcome != deed.OutcomeSkipped {
				cv.Failure = &c.Results[j]
				break
			}
		}
		v.Cases = append(v.Cases, cv)
	}
	return pageTemplate.Execute(w, v)
}

// slot is where the i-th of n stands, oldest at the left, with a gap between.
func slot(i, n int) (x, w float64) {
	each := 100 / float64(max(n, 12)) // a few runs are not bars as wide as the page
	gap := min(each*0.2, 0.6)
	return 100 - each*float64(n-i) + gap/2, each - gap
}

func provenPlot(runs []history.Run) plot {
	most := 1
	for i := range runs {
		most = max(most, runs[i].Cases)
	}
	p := plot{Top: plural(most, "case"), From: day(runs[len(runs)-1].Started), To: day(runs[0].Started)}
	whole := 0
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		x, w := slot(len(runs)-1-i, len(runs))
		unproven := r.Cases - r.Proven - r.Skipped
		if unproven == 0 {
			whole++
		}
		says := fmt.Sprintf("%s, %s: %d of %s proven", r.Run, day(r.Started), r.Proven, plural(r.Cases, "case"))
		for _, extra := range []struct {
			n    int
			what string
		}{{r.Flaky, "after a retry"}, {unproven, "not proven"}, {r.Skipped, "skipped"}} {
			if extra.n > 0 {
				says += fmt.Sprintf(", %d %s", extra.n, extra.what)
			}
		}
		y := 100.0
		for _, part := range []struct {
			n    int
			kind string
		}{{r.Proven - r.Flaky, "ok"}, {r.Flaky, "flaky"}, {unproven, "bad"}, {r.Skipped, "idle"}} {
			h := 100 * float64(part.n) / float64(most)
			if h > 0 {
				y -= h
				p.Bars = append(p.Bars, bar{X: x, Y: y, W: w, H: h, Kind: part.kind, Says: says})
			}
		}
	}
	p.Label = fmt.Sprintf("Cases proven in each of the last %s; in %d of them nothing failed.", plural(len(runs), "run"), whole)
	return p
}

func tookPlot(runs []history.Run) plot {
	ms := make([]int64, len(runs))
	for i := range runs {
		ms[i] = runs[len(runs)-1-i].DurationMS
	}
	p := line(ms, func(i int) (string, string) {
		r := &runs[len(runs)-1-i]
		return fmt.Sprintf("%s, %s: %s", r.Run, day(r.Started), took(r.DurationMS)), "plain"
	})
	p.From, p.To = day(runs[len(runs)-1].Started), day(runs[0].Started)
	p.Label = fmt.Sprintf("How long each of the last %s took: between %s and %s, the last one %s.", plural(len(runs), "run"), took(slices.Min(ms)), took(slices.Max(ms)), took(ms[len(ms)-1]))
	return p
}

// line plots durations, oldest first.
func line(ms []int64, says func(i int) (text, kind string)) plot {
	most := max(slices.Max(ms), 1)
	var points []string
	p := plot{Top: took(most)}
	first, last := 0.0, 0.0
	for i, v := range ms {
		x, w := slot(i, len(ms))
		y := 100 - 100*float64(v)/float64(most)
		text, kind := says(i)
		p.Dots = append(p.Dots, bar{X: x, W: w, Y: y, Kind: kind, Says: text})
		mid := x + w/2
		if i == 0 {
			first = mid
		}
		last = mid
		points = append(points, fmt.Sprintf("%.2f,%.2f", mid, y))
	}
	if len(points) == 1 {
		points = append(points, fmt.Sprintf("%.2f,%s", last+0.01, strings.Split(points[0], ",")[1]))
	}
	p.Lines = []string{strings.Join(points, " ")}
	p.Areas = []string{fmt.Sprintf("%.2f,100 %s %.2f,100", first, p.Lines[0], last)}
	return p
}

// outcomePlot tells outcomes by height as well as by colour, for who does not tell red from green.
func outcomePlot(c *history.Case) plot {
	p := plot{Label: fmt.Sprintf("Its last %s, oldest first: %s.", plural(len(c.Results), "result"), spoken(c.Results))}
	for i := len(c.Results) - 1; i >= 0; i-- {
		r := &c.Results[i]
		x, w := slot(len(c.Results)-1-i, len(c.Results))
		b := bar{X: x, W: w, H: 45, Kind: "ok", Says: said(r)}
		switch mark(r) {
		case "✗":
			b.H, b.Kind = 100, "bad"
		case "~":
			b.H, b.Kind = 72, "flaky"
		case "+":
			b.H, b.Kind = 58, "heal"
		case "!":
			b.H, b.Kind = 30, "stop"
		case "-":
			b.H, b.Kind = 12, "idle"
		}
		b.Y = 100 - b.H
		p.Bars = append(p.Bars, b)
	}
	return p
}

func said(r *history.Result) string {
	s := fmt.Sprintf("%s, %s: %s in %s", r.Run, day(r.Started), r.Outcome, took(r.DurationMS))
	if r.Flaky {
		s += ", after a retry"
	}
	if r.Reason != "" {
		s += ": " + plain(r.Reason, 200)
	}
	return s
}

// spoken is the outcomes in words, those that are the same together: 3 verified, 2 mismatch.
func spoken(newest []history.Result) string {
	var parts []string
	for i := len(newest) - 1; i >= 0; {
		word := func(r *history.Result) string {
			if r.Flaky {
				return "proven after a retry"
			}
			return r.Outcome.String()
		}
		n, w := 0, word(&newest[i])
		for ; i >= 0 && word(&newest[i]) == w; i-- {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, w))
	}
	return strings.Join(parts, ", ")
}

func timePlot(c *history.Case) plot {
	var ran []*history.Result // oldest first
	for i := len(c.Results) - 1; i >= 0; i-- {
		if r := &c.Results[i]; mark(r) != "-" {
			ran = append(ran, r)
		}
	}
	if len(ran) == 0 {
		return plot{Label: "It did not run."}
	}
	ms := make([]int64, len(ran))
	for i, r := range ran {
		ms[i] = r.DurationMS
	}
	p := line(ms, func(i int) (string, string) {
		if !ran[i].Outcome.OK() {
			return said(ran[i]), "bad"
		}
		return said(ran[i]), "plain"
	})
	p.Base = 100 - 100*float64(c.P50MS)/float64(max(slices.Max(ms), 1))
	p.Label = fmt.Sprintf("How long it took: half of the time up to %s, nearly always up to %s, the last time %s.", took(c.P50MS), took(c.P95MS), took(ms[len(ms)-1]))
	return p
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
