package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/casefile"
)

// A foreign case is an act of a case file: the steps before it prepare the page, those up to last belong to it, because
// only after them the page's own record tells what became of it.
type foreign struct {
	name    string
	start   string
	steps   []deed.Action
	at      int
	last    int
	record  string // an expression of the page's own record
	settle  time.Duration
	want    string // a fingerprint of the record after the honest act
	secrets map[string]string
}

// A source is a case file with the way to read its page's record.
type source struct {
	c      deed.Case
	record string
	settle time.Duration
}

// sources reads the case files whose pages are honest, or end in match in spite of what they do.
func sources(testdata string, s *server) ([]source, error) {
	var out []source
	for _, dir := range []string{"cases", "hard"} {
		files, _ := filepath.Glob(filepath.Join(testdata, dir, "*.deed.yaml"))
		if len(files) == 0 {
			return nil, fmt.Errorf("no case files in %s: run it at the root of the repository, or give -testdata", filepath.Join(testdata, dir))
		}
		for _, file := range files {
			src := source{record: "window.__oracle", settle: 100 * time.Millisecond}
			if dir == "hard" {
				side, err := sidecarOf(strings.TrimSuffix(file, ".deed.yaml") + ".json")
				if err != nil {
					return nil, err
				}
				if side.Verdict != "match" || side.End.After != "" || len(side.Args) > 0 {
					continue
				}
				src.record, src.settle = side.End.Expr, src.settle+time.Duration(side.End.Settle)*time.Millisecond
			}
			cases, problems := casefile.Load([]string{file}, casefile.Options{BaseURL: s.url("/" + dir), LookupEnv: os.LookupEnv})
			if len(problems) > 0 {
				return nil, fmt.Errorf("%s: %v", file, problems[0])
			}
			for _, c := range cases {
				src.c = c
				out = append(out, src)
			}
		}
	}
	return out, nil
}

type sidecar struct {
	Verdict string `json:"expected_verdict"`
	End     struct {
		Expr   string
		Settle int `json:"settle_ms"`
		After  string
	} `json:"expected_end_state"`
	Args []string `json:"chromium_args"`
}

func sidecarOf(file string) (*sidecar, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var side sidecar
	if err := json.Unmarshal(data, &side); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &side, nil
}

// fingerprint reads a record without showing what is in it: it may hold what was declared secret.
func fingerprint(ctx context.Context, p *browser.Page, record string) (string, error) {
	js := fmt.Sprintf(`(() => {
  const s = JSON.stringify((%s)) ?? '';
  let h = 0xcbf29ce484222325n;
  for (const c of s) h = BigInt.asUintN(64, (h ^ BigInt(c.codePointAt(0))) * 0x100000001b3n);
  return h.toString(16);
})()`, record)
	var out string
	_, err := p.Eval(ctx, js, &out, browser.Timeout(evalTime))
	return out, err
}

// rehearse carries a case out as it is, and tells what the record was after each step; nil where it is not proven.
func rehearse(ctx context.Context, p *browser.Page, src *source) ([]string, error) {
	if _, err := p.Goto(ctx, src.c.Start); err != nil {
		return nil, nil
	}
	for name, value := range src.c.Secrets {
		p.Mask(name, value)
	}
	first, err := fingerprint(ctx, p, src.record)
	if err != nil {
		return nil, err
	}
	marks := []string{first}
	for i := range src.c.Steps {
		if _, err := p.Do(ctx, src.c.Steps[i].Action); err != nil {
			return nil, nil
		}
		pause(ctx, src.settle)
		mark, err := fingerprint(ctx, p, src.record)
		if err != nil {
			return nil, err
		}
		marks = append(marks, mark)
	}
	return marks, nil
}

// acts finds the acts of a case that its page's record tells of, by carrying it out twice.
func acts(ctx context.Context, p *browser.Page, src *source) ([]foreign, error) {
	marks, err := rehearse(ctx, p, src)
	if err != nil || marks == nil {
		return nil, err
	}
	again, err := rehearse(ctx, p, src)
	if err != nil || again == nil {
		return nil, err
	}
	var steps []deed.Action
	for i := range src.c.Steps {
		if marks[i+1] != again[i+1] {
			return nil, nil // it is not the same twice
		}
		steps = append(steps, src.c.Steps[i].Action)
	}
	var out []foreign
	for i := range steps {
		switch steps[i].Kind {
		case deed.KindClick, deed.KindFill, deed.KindCheck, deed.KindUncheck, deed.KindSelect:
		default:
			continue
		}
		last := i
		for last < len(steps) && marks[last+1] == marks[i] {
			last++
		}
		if last == len(steps) {
			continue // its record never tells
		}
		out = append(out, foreign{name: src.c.ID, start: src.c.Start, steps: steps, at: i, last: last, record: src.record,
			settle: src.settle, want: marks[last+1], secrets: src.c.Secrets})
	}
	return out, nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
