package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// An opponent is Playwright in a Node process of its own, told by lines of JSON what to do.
type opponent struct {
	versions struct{ Playwright, Browser string }

	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	plain bytes.Buffer // what Node said on standard error
	n     int
}

// A command of opponent.mjs. Only what an operation needs is set.
type command struct {
	ID         int    `json:"id"`
	Op         string `json:"op"`
	URL        string `json:"url,omitempty"`
	Name       string `json:"name,omitempty"`
	Text       string `json:"text,omitempty"`
	Key        string `json:"key,omitempty"`
	Appears    string `json:"appears,omitempty"`
	List       string `json:"list,omitempty"`
	Expression string `json:"expression,omitempty"`
}

type answer struct {
	ID     int             `json:"id"`
	MS     float64         `json:"ms"`
	Length int             `json:"length"`
	Value  json.RawMessage `json:"value"`
	Error  string          `json:"error"`
}

// startOpponent installs Playwright beside this file if it is not there, and starts it. Its error is one line.
func startOpponent(ctx context.Context) (*opponent, error) {
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(file)
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("no node in PATH: install nodejs and npm")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@playwright", "test")); err != nil {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return nil, errors.New("no npm in PATH: install npm, or run npm ci in bench elsewhere")
		}
		install := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		install.Dir = dir
		install.Env = append(os.Environ(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
		if out, err := install.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm ci in bench: %w: %s", err, firstLine(string(out)))
		}
	}
	o := &opponent{cmd: exec.CommandContext(ctx, node, "opponent.mjs")}
	o.cmd.Dir = dir
	o.cmd.Stderr = &o.plain
	// Closing its standard input ends it and its browser in good order; the kill is for when it hangs.
	o.cmd.Cancel = func() error { return o.in.Close() }
	o.cmd.WaitDelay = 10 * time.Second
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.out = bufio.NewScanner(stdout)
	o.out.Buffer(nil, 1<<24)
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	a, err := o.do(command{Op: "versions"})
	if err == nil {
		err = json.Unmarshal(a.Value, &o.versions)
	}
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// do sends one command and waits for its answer.
func (o *opponent) do(c command) (answer, error) {
	o.n++
	c.ID = o.n
	line, err := json.Marshal(c)
	if err != nil {
		return answer{}, err
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		return answer{}, fmt.Errorf("playwright %s: %w", c.Op, err)
	}
	if !o.out.Scan() {
		o.cmd.Wait()
		return answer{}, fmt.Errorf("playwright %s: ended: %s", c.Op, firstLine(o.plain.String()))
	}
	var a answer
	if err := json.Unmarshal(o.out.Bytes(), &a); err != nil {
		return answer{}, fmt.Errorf("playwright %s: %w", c.Op, err)
	}
	if a.ID != c.ID {
		return answer{}, fmt.Errorf("playwright %s: answer %d to command %d", c.Op, a.ID, c.ID)
	}
	if a.Error != "" {
		return answer{}, fmt.Errorf("playwright %s: %s", c.Op, a.Error)
	}
	return a, nil
}

// time does one command and returns how long it took there.
func (o *opponent) time(c command) (time.Duration, error) {
	a, err := o.do(c)
	return time.Duration(a.MS * float64(time.Millisecond)), err
}

// close ends Node and its browser, and waits for both.
func (o *opponent) close() error {
	return errors.Join(o.in.Close(), o.cmd.Wait())
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return first
}
