package chrome

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// process is a browser that this process started, with its pipes and its output.
type process struct {
	pid         int
	toBrowser   *os.File
	fromBrowser *os.File
	output      *output
	ended       chan struct{} // closed when the browser itself has ended and its tree has been killed

	cmd  *exec.Cmd
	tree tree

	mu     sync.Mutex
	reaped bool  // from here on the number may be another process's
	err    error // of Wait; valid once ended is closed
}

func startProcess(path string, args, env []string, log io.Writer) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	p.cmd.Env = env
	var theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	var ours []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, err
		}
		if len(ours) == 0 { // the commands flow from us
			ours, theirs = append(ours, w), append(theirs, r)
		} else {
			ours, theirs = append(ours, r), append(theirs, w)
		}
	}
	p.toBrowser, p.fromBrowser = ours[0], ours[1]
	p.cmd.Stdout, p.cmd.Stderr = theirs[2], theirs[2]
	err := p.tree.prepare(p.cmd, theirs[0], theirs[1])
	if err == nil {
		err = p.run()
	}
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		p.tree.release()
		return nil, err
	}
	p.output = newOutput(ours[2], log)
	return p, nil
}

// run starts the process and waits for it in a goroutine that keeps its thread: Linux sends the parent-death signal
// when the thread that forked ends, not when the process does.
func (p *process) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		if err == nil {
			p.pid = p.cmd.Process.Pid
			if err = p.tree.adopt(p.cmd); err != nil {
				p.cmd.Process.Kill()
				p.cmd.Wait()
			}
		}
		started <- err
		if err != nil {
			return
		}
		if awaitDeath(p.pid) {
			// While the browser is dead but not reaped, its number and its group's cannot be anybody else's.
			p.tree.kill(p.pid)
			p.mu.Lock()
			p.err = p.cmd.Wait()
		} else {
			err := p.cmd.Wait()
			p.mu.Lock()
			p.err = err
		}
		p.reaped = true
		p.mu.Unlock()
		p.tree.release()
		close(p.ended)
	}()
	return <-started
}

// kill ends the browser and its tree at once, if it has not ended.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.tree.kill(p.pid)
	}
}

// awaitTree waits until nothing holds the browser's output open any more, which its children inherited.
func (p *process) awaitTree(limit time.Duration) {
	select {
	case <-p.output.done:
	case <-time.After(limit):
		p.output.source.Close()
		<-p.output.done
	}
}

func (p *process) exitError() error {
	select {
	case <-p.ended:
		return p.err
	default:
		return nil
	}
}

// output keeps the end of what a browser prints, and passes all of it on.
type output struct {
	source *os.File
	log    io.Writer
	done   chan struct{}

	mu   sync.Mutex
	kept []byte
}

const outputKept = 16 << 10

func newOutput(source *os.File, log io.Writer) *output {
	o := &output{source: source, log: log, done: make(chan struct{})}
	go o.copy()
	return o
}

func (o *output) copy() {
	defer close(o.done)
	defer o.source.Close()
	buf := make([]byte, 8<<10)
	for {
		n, err := o.source.Read(buf)
		if n > 0 {
			o.mu.Lock()
			o.kept = append(o.kept, buf[:n]...)
			if extra := len(o.kept) - outputKept; extra > 0 {
				o.kept = o.kept[:copy(o.kept, o.kept[extra:])]
			}
			o.mu.Unlock()
			if o.log != nil {
				if _, err := o.log.Write(buf[:n]); err != nil {
					o.log = nil // keep reading: a full pipe would stop the browser
				}
			}
		}
		if err != nil {
			return
		}
	}
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.kept)
}

// lastWords is what of a failed start's output is worth showing: the last lines, without the desktop's noise.
func lastWords(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.Contains(line, "dbus/") {
			continue
		}
		lines = append(lines, line)
	}
	const shown = 4
	if len(lines) > shown {
		lines = lines[len(lines)-shown:]
	}
	return strings.Join(lines, " | ")
}

// blamesSandbox reports whether a browser that did not start says that its sandbox is why. It says so in words only:
// the exit status is the same as for every fatal error.
func blamesSandbox(said string) bool {
	for _, sign := range []string{
		"No usable sandbox!",
		"Running as root without --no-sandbox",
		"Failed to move to new namespace",
		"The SUID sandbox helper binary was found, but is not configured correctly",
	} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}
