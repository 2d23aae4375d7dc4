// The bench measures deed against Playwright on the same pages, in the same run, and prints one table with the
// aims beside the ratios:
//
//	go run ./bench [-rounds 40] [-json]
//
// Law of this package: it uses deed only as any program would, through package browser. Every measured act is
// proven to have happened on both sides; a bench of acts that did nothing would be a fast one.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 40, "rounds of each measure, after 5 to warm up")
	asJSON := flag.Bool("json", false, "print JSON instead of the table")
	only := flag.String("only", "", "measure only what contains this `text`")
	flag.Parse()
	if *rounds < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench: usage: bench [-rounds N] [-json] [-only TEXT], N at least 1")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *rounds, *asJSON, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, asJSON bool, only string) (err error) {
	pages, err := serve()
	if err != nil {
		return err
	}
	defer pages.close()
	a := &arena{ctx: ctx, pages: pages}
	if a.ours, err = launchDeed(ctx); err != nil {
		return err // one line: no Chromium, and how to get one
	}
	defer func() {
		if e := a.ours.close(); err == nil {
			err = e
		}
	}()
	rep := report{Browser: a.ours.b.Product(), PeakAimMB: 40}
	if a.theirs, err = startOpponent(ctx); err != nil {
		rep.Missing = err.Error()
	} else {
		defer a.theirs.close()
		rep.Playwright = a.theirs.versions.Playwright
		if !strings.HasSuffix(rep.Browser, "/"+a.theirs.versions.Browser) {
			return fmt.Errorf("deed drives %s, Playwright %s: set DEED_BROWSER", rep.Browser, a.theirs.versions.Browser)
		}
	}
	for _, d := range a.duels(rounds) {
		if !strings.Contains(d.Name, only) {
			continue
		}
		if a.theirs == nil && !d.Own {
			d.playwright = nil
		}
		progress(d.Name)
		r, err := d.fight()
		progress("")
		if err != nil {
			return err
		}
		rep.Results = append(rep.Results, r)
	}
	rep.PeakMB = peakMB()
	if strings.Contains("PocketBase", only) || strings.Contains("side by side", only) {
		if err := commands(ctx, &rep, rounds, only, a.theirs != nil); err != nil {
			return err
		}
	}
	if asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(rep)
	}
	return rep.write(os.Stdout)
}

// commands measures deed as it is run: the flow through a real application, and many cases side by side.
func commands(ctx context.Context, rep *report, rounds int, only string, with bool) (err error) {
	_, file, _, _ := runtime.Caller(0)
	f, err := newFlow(ctx, filepath.Dir(file))
	if err != nil {
		return err
	}
	defer func() {
		if e := f.close(); err == nil {
			err = e
		}
	}()
	if strings.Contains("PocketBase", only) {
		progress("PocketBase")
		if err := f.learn(); err != nil {
			return err
		}
		for _, d := range f.duels(min(rounds, 10)) {
			if !with {
				d.playwright = nil
			}
			r, err := d.fight()
			if err != nil {
				return err
			}
			rep.Results = append(rep.Results, r)
		}
	}
	if strings.Contains("side by side", only) {
		progress("side by side")
		rep.Side, err = sideBySide(ctx, f, with)
	}
	progress("")
	return err
}

// progress shows on a terminal what is being measured.
func progress(what string) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprint(os.Stderr, "\r\033[K", what)
	}
}

// An arena is where the two meet.
type arena struct {
	ctx       context.Context
	pages     *server
	ours      *deedSide
	theirs    *opponent // nil where there is none
	visit     int       // counts the pages opened, so that each can be spoken to
	rendering int
}

// duels lists the measures in the order of the table.
func (a *arena) duels(rounds int) []duel {
	const warm = 5
	name := func(round int) string { return fmt.Sprintf("Add item %d", round%listRows+1) }
	item := func(round int) string { return fmt.Sprintf("Item %d", round%listRows+1) }
	search := func(round int) string { return fmt.Sprintf("Search %d", round+1) }

	// The catalog is opened anew when every article is in the cart.
	catalog := func(round int) error {
		if round%listRows != 0 {
			return nil
		}
		return a.open("/list")
	}
	cart := func(rounds int) error { return a.items("cart", (rounds-1)%listRows+1) }
	click := func(round int) (time.Duration, error) { return a.ours.click(name(round), item(round)) }

	field := func(round int) error {
		if round > 0 {
			return nil
		}
		return a.open("/field")
	}
	text := func(round int) string { return fmt.Sprintf("note %d of the day", round) }
	echoed := func(rounds int) error {
		return a.same(`document.getElementById('echo').textContent`, "Note: "+text(rounds-1))
	}
	fill := func(round int) (time.Duration, error) { return a.ours.fill("Note", text(round)) }
	press := func(round int) (time.Duration, error) { return a.ours.press("Search", "Enter", search(round)) }
	searches := func(rounds int) error { return a.items("searches", rounds) }

	list := []duel{
		{Name: "click, verified", Against: "click, bare", Aim: 0.8, before: catalog, check: cart, deed: click,
			playwright: a.playwright(func(round int) command { return command{Op: "click", Name: name(round)} })},
		{Name: "click, verified", Against: "click, wait, look", Aim: 0.33, before: catalog, check: cart, deed: click,
			playwright: a.playwright(func(round int) command {
				return command{Op: "clickLook", Name: name(round), Appears: item(round), List: "cart"}
			})},
		{Name: "fill, verified", Against: "fill, bare", before: field, check: echoed, deed: fill,
			playwright: a.playwright(func(round int) command { return command{Op: "fill", Name: "Note", Text: text(round)} })},
		{Name: "fill, verified", Against: "fill, read back", before: field, check: echoed, deed: fill,
			playwright: a.playwright(func(round int) command { return command{Op: "fillCheck", Name: "Note", Text: text(round)} })},
		{Name: "press, verified", Against: "press, bare", before: field, check: searches, deed: press,
			playwright: a.playwright(func(round int) command { return command{Op: "press", Name: "Search", Key: "Enter"} })},
		{Name: "press, verified", Against: "press, wait, look", before: field, check: searches, deed: press,
			playwright: a.playwright(func(round int) command {
				return command{Op: "pressLook", Name: "Search", Key: "Enter", Appears: search(round), List: "searches"}
			})},
	}
	for _, n := range []int{50, 3000, 10000} {
		// A page that has rendered itself anew leaves nothing to remember; one at rest may be remembered.
		anew := func(round int) error {
			if round == 0 {
				if err := a.open("/nodes/" + strconv.Itoa(n)); err != nil {
					return err
				}
			}
			return a.render()
		}
		rest := func(round int) error {
			if round > 0 {
				return nil
			}
			return a.open("/nodes/" + strconv.Itoa(n))
		}
		observe := func(int) (time.Duration, error) { return a.ours.observe(n) }
		snapshot := a.playwright(func(int) command { return command{Op: "snapshot"} })
		d := duel{Name: fmt.Sprintf("observe %d nodes, all new", n), Against: "AI snapshot", before: anew, deed: observe, playwright: snapshot}
		if n >= 3000 {
			d.Aim = 0.2
		}
		list = append(list, d)
		if n >= 3000 {
			list = append(list, duel{Name: fmt.Sprintf("observe %d nodes, again", n), Against: "AI snapshot", before: rest, deed: observe, playwright: snapshot})
		}
	}
	// What looking costs inside the page: again after a click, against the whole walk of the same act.
	list = append(list, a.looks(10000))
	for i := range list {
		list[i].Rounds, list[i].Warm = rounds, warm
	}
	return append(list, duel{
		Name: "cold start to first page", Against: "launch, newPage, goto", Aim: 0.7, Rounds: min(rounds, 5), Warm: 1,
		deed: func(int) (time.Duration, error) { return coldStart(a.ctx, a.pages.url+"/list") },
		playwright: a.playwright(func(int) command {
			return command{Op: "cold", URL: a.pages.url + "/list"}
		}),
	})
}

// looks measures, in the page and for the same click, the look after it against the whole walk before it.
func (a *arena) looks(n int) duel {
	var part, whole time.Duration
	return duel{
		Name: fmt.Sprintf("look after a click, %d nodes, in the page", n), Against: "deed's whole walk", Aim: 0.1, Own: true,
		before: func(round int) error {
			if round == 0 {
				if err := a.ours.open(a.pages.url + "/nodes/" + strconv.Itoa(n) + "?visit=looks"); err != nil {
					return err
				}
			}
			var err error
			part, whole, err = a.ours.looks(fmt.Sprintf("Apply to section %d", round*3+1))
			return err
		},
		deed:       func(int) (time.Duration, error) { return part, nil },
		playwright: func(int) (time.Duration, error) { return whole, nil },
	}
}

func (a *arena) playwright(c func(round int) command) func(int) (time.Duration, error) {
	return func(round int) (time.Duration, error) { return a.theirs.time(c(round)) }
}

// open brings both to a page, each on a visit of its own.
func (a *arena) open(path string) error {
	a.visit++
	if err := a.ours.open(a.pages.url + path + "?visit=" + a.visitOf("deed")); err != nil {
		return err
	}
	if a.theirs == nil {
		return nil
	}
	_, err := a.theirs.do(command{Op: "open", URL: a.pages.url + path + "?visit=" + a.visitOf("playwright")})
	return err
}

func (a *arena) visitOf(side string) string { return fmt.Sprint(side, "-", a.visit) }

// render makes the pages of both replace every element.
func (a *arena) render() error {
	a.rendering++
	ctx, cancel := context.WithTimeout(a.ctx, 20*time.Second)
	defer cancel()
	if err := a.pages.render(ctx, a.visitOf("deed"), a.rendering); err != nil || a.theirs == nil {
		return err
	}
	return a.pages.render(ctx, a.visitOf("playwright"), a.rendering)
}

// items proves that the list of both pages holds n items.
func (a *arena) items(list string, n int) error {
	return a.same(fmt.Sprintf("document.querySelectorAll('[aria-label=%s] li').length", list), n)
}

// same proves that the expression has this value on both pages.
func (a *arena) same(expression string, want any) error {
	expected, err := json.Marshal(want)
	if err != nil {
		return err
	}
	got, err := a.ours.evaluate(expression)
	if err == nil && string(got) != string(expected) {
		err = fmt.Errorf("deed's page has %s for %s, not %s", got, expression, expected)
	}
	if err != nil || a.theirs == nil {
		return err
	}
	theirs, err := a.theirs.do(command{Op: "evaluate", Expression: expression})
	if err == nil && string(theirs.Value) != string(expected) {
		err = fmt.Errorf("playwright's page has %s for %s, not %s", theirs.Value, expression, expected)
	}
	return err
}

// peakMB is the highest resident memory of this process so far; 0 where the system does not tell.
func peakMB() float64 { return peakOf("self") }

// peakOf is that of a process.
func peakOf(pid string) float64 {
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")), 64)
			return n / 1024
		}
	}
	return 0
}
