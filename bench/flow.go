package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A flow is a real application and the same way through it twice: as a deed case with its lock, and as a Playwright Test. Both are run as their
// users run them, as commands, one worker, no pictures; deed writes its trace and report, which cannot be switched off.
type flow struct {
	ctx   context.Context
	dir   string // of bench
	tmp   string
	app   *exec.Cmd
	vars  map[string]string // BASE_URL, EMAIL, PASSWORD
	token string

	// What the flow alone took in the round, without the start of a browser.
	ours, theirs map[int]time.Duration
}

const flowCollection = "posts"

func newFlow(ctx context.Context, dir string) (f *flow, err error) {
	f = &flow{ctx: ctx, dir: dir, vars: map[string]string{}, ours: map[int]time.Duration{}, theirs: map[int]time.Duration{}}
	if f.tmp, err = os.MkdirTemp("", "deed-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	for _, b := range []struct{ dir, out, pkg string }{{filepath.Dir(dir), "deed", "./cmd/deed"}, {filepath.Join(filepath.Dir(dir), "e2e"), "app", "."}} {
		build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(f.tmp, b.out), b.pkg)
		build.Dir = b.dir
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s in %s: %w: %s", b.pkg, b.dir, err, firstLine(string(out)))
		}
	}
	source, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "e2e", "pocketbase.deed.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(f.tmp, "flow.deed.yaml"), source, 0o644)
	}
	if err != nil {
		return nil, err
	}
	return f, f.serve()
}

// serve starts the application, which says where it is.
func (f *flow) serve() error {
	f.app = exec.CommandContext(f.ctx, filepath.Join(f.tmp, "app"))
	f.app.Cancel = func() error { return f.app.Process.Signal(syscall.SIGTERM) }
	f.app.WaitDelay = 10 * time.Second
	out, err := f.app.StdoutPipe()
	if err == nil {
		err = f.app.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		for _, word := range strings.Fields(lines.Text()) {
			if k, v, ok := strings.Cut(word, "="); ok {
				f.vars[k] = v
			}
		}
		if f.vars["PASSWORD"] != "" {
			go io.Copy(io.Discard, out) // it ends with the application
			return f.signIn()
		}
	}
	return errors.New("the application did not say where it is")
}

func (f *flow) signIn() error {
	body, _ := json.Marshal(map[string]string{"identity": f.vars["EMAIL"], "password": f.vars["PASSWORD"]})
	resp, err := http.Post(f.vars["BASE_URL"]+"/api/collections/_superusers/auth-with-password", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var auth struct{ Token string }
	if err := json.NewDecoder(resp.Body).Decode(&auth); err != nil || auth.Token == "" {
		return fmt.Errorf("sign in to the application: %s, %v", resp.Status, err)
	}
	f.token = auth.Token
	return nil
}

// reset takes back what a run left.
func (f *flow) reset() error {
	req, err := http.NewRequestWithContext(f.ctx, http.MethodDelete, f.vars["BASE_URL"]+"/api/collections/"+flowCollection, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", f.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusNotFound {
		return fmt.Errorf("remove the collection: %s", resp.Status)
	}
	return nil
}

// deed runs the case, and demands that it is proven and that the lock is what this says.
func (f *flow) deed(round int, lock string) (time.Duration, error) {
	if err := f.reset(); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(f.ctx, filepath.Join(f.tmp, "deed"), "run", "flow.deed.yaml", "--json", "--shots", "none", "--workers", "1",
		"--var", "BASE_URL="+f.vars["BASE_URL"], "--var", "EMAIL="+f.vars["EMAIL"], "--var", "COLLECTION="+flowCollection)
	cmd.Dir = f.tmp
	cmd.Env = append(os.Environ(), "PASSWORD="+f.vars["PASSWORD"], "CI=")
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var r struct {
		Cases []struct {
			Outcome, Lock string
			DurationMS    int64 `json:"duration_ms"`
		}
	}
	if e := json.Unmarshal(out.Bytes(), &r); err != nil || e != nil || len(r.Cases) != 1 || r.Cases[0].Outcome != "verified" || r.Cases[0].Lock != lock {
		return 0, fmt.Errorf("deed run: %w, %+v\n%s", errors.Join(err, e), r, told.String())
	}
	f.ours[round] = time.Duration(r.Cases[0].DurationMS) * time.Millisecond
	return took, nil
}

// learn runs the case twice, so that it has a lock.
func (f *flow) learn() error {
	for _, lock := range []string{"new", "updated"} {
		if _, err := f.deed(-1, lock); err != nil {
			return err
		}
	}
	return nil
}

func (f *flow) playwright(round int) (time.Duration, error) {
	if err := f.reset(); err != nil {
		return 0, err
	}
	took, r, err := playwrightTest(f.ctx, f.dir, f.tmp, "pocketbase.spec.mjs", "BASE_URL="+f.vars["BASE_URL"], "EMAIL="+f.vars["EMAIL"], "PASSWORD="+f.vars["PASSWORD"], "COLLECTION="+flowCollection)
	if err != nil {
		return 0, err
	}
	f.theirs[round] = r.flow
	return took, nil
}

func (f *flow) close() error {
	var err error
	if f.app != nil && f.app.Process != nil {
		err = f.app.Process.Signal(syscall.SIGTERM)
		_ = f.app.Wait()
	}
	return errors.Join(err, os.RemoveAll(f.tmp))
}

// duels are the flow as a command, and within it.
func (f *flow) duels(rounds int) []duel {
	alone := func(of map[int]time.Duration) func(int) (time.Duration, error) {
		return func(round int) (time.Duration, error) {
			if of[round] == 0 {
				return 0, errors.New("the flow was not timed")
			}
			return of[round], nil
		}
	}
	return []duel{
		{Name: "PocketBase, 21 steps, deed run with its lock", Against: "Playwright Test", Aim: 0.6, Rounds: rounds, Warm: 1,
			deed: func(round int) (time.Duration, error) { return f.deed(round, "hit") }, playwright: f.playwright},
		{Name: "the case alone, its context included", Against: "from goto to the end", Aim: 0.6, Rounds: rounds, Warm: 1, deed: alone(f.ours), playwright: alone(f.theirs)},
	}
}

// tested is what a run of Playwright Test said.
type tested struct {
	passed int
	flow   time.Duration // which the test itself took, where it says so
}

// playwrightTest runs a spec and demands that all of it passes.
func playwrightTest(ctx context.Context, dir, tmp, spec string, env ...string) (time.Duration, tested, error) {
	cmd := exec.CommandContext(ctx, "node", filepath.Join("node_modules", "@playwright", "test", "cli.js"), "test", spec, "-c", "playwright.config.mjs")
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "OUTPUT="+filepath.Join(tmp, "playwright")), env...)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var r struct {
		Stats  struct{ Expected, Unexpected, Flaky, Skipped int }
		Suites []struct {
			Specs []struct {
				Tests []struct {
					Annotations []struct{ Type, Description string }
				}
			}
		}
		Errors []struct{ Message string }
	}
	if e := json.Unmarshal(out.Bytes(), &r); err != nil || e != nil || r.Stats.Expected == 0 || r.Stats.Unexpected+r.Stats.Flaky+r.Stats.Skipped > 0 {
		return 0, tested{}, fmt.Errorf("playwright test %s: %w, %+v %v %s", spec, errors.Join(err, e), r.Stats, r.Errors, firstLine(told.String()))
	}
	t := tested{passed: r.Stats.Expected}
	for _, s := range r.Suites {
		for _, p := range s.Specs {
			for _, x := range p.Tests {
				for _, a := range x.Annotations {
					if a.Type == "took" {
						if t.flow, err = time.ParseDuration(a.Description + "ms"); err != nil {
							return 0, t, err
						}
					}
				}
			}
		}
	}
	return took, t, nil
}
