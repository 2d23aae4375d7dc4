// The truth program counts how often deed says match where the page did something else, and the reverse:
//
//	go run ./truth [-runs 1000] [-seed 1] [-pages N] [-only FAULT] [-json] [-show]
//
// It takes honest pages (the case files of testdata, and small pages that it makes up), breaks them from outside, acts
// on them with deed, and compares the verdict with the page's own record of what happened, which deed never reads.
// Each fault is injected once into an act with a declared expectation and once into one without.
//
// Law of this package: it uses deed only as any program would, through package browser. What happened is read from
// the page and from the server, never from deed's own evidence.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	runs := flag.Int("runs", 1000, "faults injected with an expectation, and as many without one")
	seed := flag.Uint64("seed", 1, "of what is made up")
	pages := flag.Int("pages", defaultPages(), "pages that are acted on at a time")
	only := flag.String("only", "", "only faults that contain this `text`")
	asJSON := flag.Bool("json", false, "print JSON instead of the tables")
	show := flag.Bool("show", false, "tell the whole story of every wrong verdict")
	testdata := flag.String("testdata", "testdata", "the folder with cases and hard")
	flag.Parse()
	if *runs < 1 || *pages < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "truth: usage: truth [-runs N] [-seed N] [-pages N] [-only TEXT] [-json] [-show], N at least 1")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rep, err := measure(ctx, *testdata, *runs, *seed, *pages, *only)
	if err == nil {
		switch {
		case *asJSON:
			err = rep.json(os.Stdout)
		default:
			err = rep.write(os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
	if *show {
		for _, m := range rep.Wrong {
			fmt.Printf("\n%s, %s, %s, on %s (%d)\n%s", m.Kind, side(m.Declared), m.Fault, m.On, m.N, m.Detail)
		}
	}
}

func measure(ctx context.Context, testdata string, runs int, seed uint64, pages int, only string) (*report, error) {
	start := time.Now()
	k, err := newHarness(ctx, testdata, pages, 0)
	if err != nil {
		return nil, err
	}
	trials := k.plan(runs, seed)
	if only != "" {
		var kept []trial
		for _, t := range trials {
			if strings.Contains(t.Fault, only) {
				kept = append(kept, t)
			}
		}
		trials = kept
	}
	terminal := false
	if info, err := os.Stderr.Stat(); err == nil {
		terminal = info.Mode()&os.ModeCharDevice != 0
	}
	all, err := k.run(trials, func(done int) {
		if terminal {
			fmt.Fprintf(os.Stderr, "\r\033[K%d of %d", done, len(trials))
		}
	})
	if terminal {
		fmt.Fprint(os.Stderr, "\r\033[K")
	}
	product := k.b.Product()
	if cerr := k.close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	rep := newReport(all)
	rep.Browser, rep.Seed, rep.Took = product, seed, time.Since(start).Round(time.Second).String()
	return &rep, nil
}
