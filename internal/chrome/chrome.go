// Package chrome finds a browser, launches it or attaches to it, and certainly ends it.
//
// A launched browser belongs to its owner, this process. It speaks over a pipe, so no port is open. It and its whole
// tree end when it is closed, when it crashes, and when its owner dies, even by SIGKILL; what a dead owner left on
// the disk is removed by the next [Launch] or [Sweep]. An attached browser belongs to somebody else and is only
// disconnected.
//
// Law of this package: it knows programs, flags, processes, files and the first answer of the protocol. It must never
// know contexts, pages or what is done in them, and never end a process or remove a file that does not certainly
// belong to a dead owner or to itself.
package chrome

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

const (
	// closeGrace is how long a browser may take to close itself. It needs a tenth of it on a busy machine.
	closeGrace = 2 * time.Second
	// deathGrace is how long the kernel may take to end what was killed.
	deathGrace = 5 * time.Second
)

// Options say how to launch a browser. The zero value is a headless browser with a temporary profile.
type Options struct {
	Path        string    // the program; "" means Find
	Headed      bool      // with a window
	NoSandbox   bool      // without the sandbox, even where it could start
	Args        []string  // further flags, which win over ours
	UserDataDir string    // a profile to keep; "" means a temporary one
	Log         io.Writer // what the browser prints; nil means nowhere
}

// Browser is a running browser and the connection to it.
type Browser struct {
	conn    *cdp.Conn
	product string
	notice  string
	process *process // nil when attached
	home    *home    // nil when attached
	done    chan struct{}

	closeOnce sync.Once
	closeErr  error
}

// Conn is the connection to the browser. It ends at once when the browser does.
func (b *Browser) Conn() *cdp.Conn { return b.conn }

// Product is the browser's name and version, such as "Chrome/156.0.8078.114".
func (b *Browser) Product() string { return b.product }

// Notice is what the user should know of this start, "" for nothing: that the sandbox is off, and why.
func (b *Browser) Notice() string { return b.notice }

// PID is the browser's process, 0 for an attached browser.
func (b *Browser) PID() int {
	if b.process == nil {
		return 0
	}
	return b.process.pid
}

// Done is closed when the browser has ended or, if it is attached, when the connection has.
func (b *Browser) Done() <-chan struct{} { return b.done }

// Launch starts a browser and waits for its first answer. Ctx bounds the start, not the browser's life. The error
// has [deed.CodeNoBrowser], [deed.CodeEnvironment] (it does not start; the text is what it printed), or the
// context's code.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	path, err := Find(o.Path)
	if err != nil {
		return nil, err
	}
	// What cannot be swept away now does not keep a browser from starting: the next start tries again.
	_, _ = Sweep()
	if err := checkDisplay(o.Headed); err != nil {
		return nil, &deed.Error{Op: "launch", Code: deed.CodeEnvironment, Where: path, Err: err,
			Hint: "run without a window, or under xvfb-run", SideEffects: deed.EffectsNone}
	}
	if o.NoSandbox {
		return launch(ctx, path, o, "it was asked for")
	}
	return launch(ctx, path, o, sandboxBlocked())
}

// launch starts the browser without its sandbox if a reason is given, and else with it, but for a second try when
// that turns out to be impossible.
func launch(ctx context.Context, path string, o Options, unsandboxed string) (*Browser, error) {
	b, err := start(ctx, path, o, unsandboxed == "")
	var failed *startError
	if unsandboxed == "" && errors.As(err, &failed) && failed.sandbox {
		unsandboxed = "this system does not let it start"
		b, err = start(ctx, path, o, false)
	}
	if err != nil {
		code, hint := deed.CodeEnvironment, ""
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			code = deed.CodeTimeout
		case errors.Is(err, context.Canceled):
			code = deed.CodeCancelled
		default:
			hint = "run " + path + " by hand to see why, or set DEED_BROWSER to another browser"
		}
		return nil, &deed.Error{Op: "launch", Code: code, Where: path, Err: err, Hint: hint}
	}
	if unsandboxed != "" {
		b.notice = "the browser runs without its sandbox: " + unsandboxed
	}
	return b, nil
}

func start(ctx context.Context, path string, o Options, sandbox bool) (_ *Browser, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h, err := newHome()
	if err != nil {
		return nil, err
	}
	profile := o.UserDataDir
	if profile == "" {
		profile = h.profile()
	} else if profile, err = filepath.Abs(profile); err != nil {
		return nil, errors.Join(err, h.remove())
	}
	p, err := startProcess(path, commandLine(o, profile, sandbox, sharedMemoryFlags()...), h.environment(os.Environ()), o.Log)
	if err != nil {
		return nil, errors.Join(err, h.remove())
	}
	b := &Browser{process: p, home: h, done: make(chan struct{})}
	if err := h.record(p.pid); err != nil {
		// Without the record an orphan is still found by its command line; a disk that is full is a reason to stop.
		p.kill()
		<-p.ended
		return nil, errors.Join(err, h.remove())
	}
	b.conn = cdp.New(chromedp.NewPipeConn(p.fromBrowser, p.toBrowser))
	go b.watch()
	version, err := protocol.Call(ctx, b.conn.Browser(), browser.GetVersion, protocol.Empty{})
	if err == nil {
		b.product = version.Product
		return b, nil
	}
	if ctx.Err() == nil {
		// The pipe broke: the process is on its way out, and its last words are the reason.
		select {
		case <-p.ended:
		case <-time.After(closeGrace):
		}
	}
	p.kill()
	<-p.ended
	if ctx.Err() == nil {
		err = newStartError(p)
	}
	return nil, errors.Join(err, b.Close())
}

// watch ties the connection's life and the process's to each other.
func (b *Browser) watch() {
	defer close(b.done)
	select {
	case <-b.process.ended:
	case <-b.conn.Done():
		// It closed its pipe: it is ending, or it is broken and of no use.
		select {
		case <-b.process.ended:
		case <-time.After(closeGrace):
			b.process.kill()
			<-b.process.ended
		}
	}
	b.conn.Close()
}

// Close ends the browser: it is asked to, given a short time, then killed with its whole tree; its temporary profile
// is removed. An attached browser is only disconnected. Close may be called again, and returns the same.
func (b *Browser) Close() error {
	b.closeOnce.Do(func() {
		if b.process == nil {
			b.closeErr = b.conn.Close()
			<-b.done
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		defer cancel()
		// Whatever it answers, what counts is that it ends.
		b.conn.Browser().Send(ctx, browser.CommandClose, nil)
		select {
		case <-b.process.ended:
		case <-ctx.Done():
			b.process.kill()
		}
		select {
		case <-b.done:
		case <-time.After(deathGrace):
			b.closeErr = &deed.Error{Op: "close browser", Code: deed.CodeEnvironment,
				Err: fmt.Errorf("process %d does not end", b.process.pid)}
			return
		}
		b.process.awaitTree(deathGrace)
		if err := b.home.remove(); err != nil {
			b.closeErr = &deed.Error{Op: "close browser", Code: deed.CodeEnvironment, Err: err}
		}
	})
	return b.closeErr
}

// startError is a browser that ended before its first answer.
type startError struct {
	said    string
	ended   error
	sandbox bool
}

func newStartError(p *process) *startError {
	p.awaitTree(deathGrace) // so that its words are complete
	said := p.output.tail()
	return &startError{said: lastWords(said), ended: p.exitError(), sandbox: blamesSandbox(said)}
}

func (e *startError) Error() string {
	how := "it ended"
	if e.ended != nil {
		how += " with " + e.ended.Error()
	}
	if e.said == "" {
		return how + " before its first answer, and printed nothing"
	}
	return how + " before its first answer, and printed: " + e.said
}
