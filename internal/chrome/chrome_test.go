package chrome

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/deed-dev/deed"
)

func TestLaunchAndClose(t *testing.T) {
	root := tempRoot(t)
	b := launched(t, Options{})
	if !strings.Contains(b.Product(), "Chrome/") {
		t.Errorf("product %q", b.Product())
	}
	if b.PID() == 0 {
		t.Error("no process")
	}
	if got, want := b.Notice() != "", sandboxBlocked() != ""; got != want {
		t.Errorf("notice %q, sandbox blocked: %q", b.Notice(), sandboxBlocked())
	}
	if _, err := openPage(t.Context(), b.Conn()); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, listing(t, root))
	if _, err := os.Stat(filepath.Join(home, "profile", "Local State")); err != nil {
		t.Errorf("the profile is not where it should be: %v", err)
	}
	select {
	case <-b.Done():
		t.Error("done before it was closed")
	default:
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	<-b.Done()
	err := b.Conn().Browser().Execute(t.Context(), browser.CommandGetVersion, nil, nil)
	if !errors.Is(err, deed.CodeDisconnected) {
		t.Errorf("a call after the end: %v", err)
	}
	if left := listing(t, root); left != "" {
		t.Errorf("left: %s", left)
	}
}

func TestAProfileThatIsToBeKept(t *testing.T) {
	tempRoot(t)
	profile := t.TempDir()
	b := launched(t, Options{UserDataDir: profile})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(profile, "Local State")); err != nil {
		t.Errorf("the profile was not kept: %v", err)
	}
}

func TestACrashOfTheBrowserEndsCallsAtOnce(t *testing.T) {
	root := tempRoot(t)
	b := launched(t, Options{})
	s, err := openPage(t.Context(), b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	never := s.Send(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "new Promise(() => {})", AwaitPromise: new(true)})
	browserProcess, err := os.FindProcess(b.PID())
	if err != nil {
		t.Fatal(err)
	}
	defer browserProcess.Release()
	if err := browserProcess.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := never.Wait(t.Context(), nil); !errors.Is(err, deed.CodeDisconnected) {
		t.Errorf("the waiting call: %v", err)
	}
	<-s.Done()
	<-b.Done()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left := listing(t, root); left != "" {
		t.Errorf("left: %s", left)
	}
}

func TestACrashOfAPageEndsItsCallsAtOnce(t *testing.T) {
	tempRoot(t)
	b := launched(t, Options{})
	s, err := openPage(t.Context(), b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	other, err := openPage(t.Context(), b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	crashed := make(chan struct{})
	s.Listen(func(ev any) {
		if _, ok := ev.(*inspector.EventTargetCrashed); ok {
			close(crashed)
		}
	})
	never := s.Send(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "new Promise(() => {})", AwaitPromise: new(true)})
	crash := s.Send(t.Context(), page.CommandCrash, nil)
	for _, call := range []interface {
		Wait(context.Context, any) error
	}{never, crash} {
		if err := call.Wait(t.Context(), nil); !errors.Is(err, deed.CodeCrashed) {
			t.Errorf("a call of the crashed page: %v", err)
		}
	}
	<-crashed
	// The other page lives, and so does the crashed one when it is loaded again.
	for _, s := range []interface {
		Execute(context.Context, string, any, any) error
	}{other, s} {
		if err := s.Execute(t.Context(), page.CommandNavigate, page.NavigateParams{URL: "about:blank"}, nil); err != nil {
			t.Error(err)
		}
		if err := s.Execute(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "1"}, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestAClosedPageEndsItsCallsAtOnce(t *testing.T) {
	tempRoot(t)
	b := launched(t, Options{})
	s, err := openPage(t.Context(), b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	never := s.Send(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "new Promise(() => {})", AwaitPromise: new(true)})
	if err := s.Execute(t.Context(), page.CommandClose, nil, nil); err != nil && !errors.Is(err, deed.CodePageClosed) {
		t.Error(err)
	}
	if err := never.Wait(t.Context(), nil); !errors.Is(err, deed.CodePageClosed) {
		t.Errorf("the waiting call: %v", err)
	}
	<-s.Done()
	// The browser's own word for a session that is gone.
	stale := b.Conn().Session(s.ID())
	if err := stale.Execute(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "1"}, nil); !errors.Is(err, deed.CodePageClosed) {
		t.Errorf("a call on a session that is gone: %v", err)
	}
	<-stale.Done()
}

func TestEventsOfARealPageAreUnderstood(t *testing.T) {
	tempRoot(t)
	b := launched(t, Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>t</title><script>console.log("hi \ud800", {a: 1}); setTimeout(() => { throw new Error("x") })</script>`)
	}))
	defer server.Close()
	s, err := openPage(t.Context(), b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := make(map[string]int)
	thrown := make(chan struct{})
	s.Listen(func(ev any) {
		mu.Lock()
		seen[fmt.Sprintf("%T", ev)]++
		mu.Unlock()
		if _, ok := ev.(*runtime.EventExceptionThrown); ok {
			close(thrown)
		}
	})
	for _, method := range []string{"Page.enable", "Runtime.enable", "Network.enable", "Log.enable", "DOM.enable"} {
		if err := s.Execute(t.Context(), method, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := protocol.Call(t.Context(), s, page.Navigate, page.NavigateParams{URL: server.URL}); err != nil {
		t.Fatal(err)
	}
	<-thrown
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock() // the page goes on
	defer mu.Unlock()
	for _, want := range []string{"*page.EventFrameNavigated", "*network.EventRequestWillBeSent", "*runtime.EventConsoleAPICalled"} {
		if seen[want] == 0 {
			t.Errorf("no %s in %v", want, seen)
		}
	}
	if n := b.Conn().Skipped(); n != 0 {
		t.Errorf("%d events were not understood", n)
	}
}

func TestAStartThatFailsSaysWhy(t *testing.T) {
	tempRoot(t)
	for name, tt := range map[string]struct {
		script string
		text   string
	}{
		"it prints why":                {"echo 'error while loading shared libraries: libnss3.so' >&2; exit 127", "exit status 127 before its first answer, and printed: error while loading shared libraries: libnss3.so"},
		"it is silent":                 {"exit 0", "it ended before its first answer, and printed nothing"},
		"it closes its pipe and lives": {"exec 3<&- 4>&-; exec sleep 1000", "signal: killed before its first answer"},
	} {
		t.Run(name, func(t *testing.T) {
			path := script(t, tt.script)
			var log lockedBuffer
			_, err := Launch(t.Context(), Options{Path: path, NoSandbox: true, Log: &log})
			if words := "shared libraries"; strings.Contains(log.String(), words) != strings.Contains(tt.script, words) {
				t.Errorf("the log holds %q", log.String())
			}
			if deed.CodeOf(err) != deed.CodeEnvironment || !strings.Contains(err.Error(), tt.text) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %q (%s), want %q", err, deed.CodeOf(err), tt.text)
			}
		})
	}
}

func TestAStartIsBoundedByItsContext(t *testing.T) {
	tempRoot(t)
	path := script(t, "sleep 1000 & exec sleep 1000")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := Launch(ctx, Options{Path: path, NoSandbox: true})
	if deed.CodeOf(err) != deed.CodeTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	cancelled, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	_, err = Launch(cancelled, Options{Path: path, NoSandbox: true})
	if deed.CodeOf(err) != deed.CodeCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestWithoutSandboxOnlyWhenItCannotStart(t *testing.T) {
	tempRoot(t)
	real, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	refuses := script(t, `for a; do if [ "$a" = --no-sandbox ]; then exec `+real+` "$@"; fi; done
echo "[1:1:FATAL:zygote_host_impl_linux.cc(127)] No usable sandbox! If you are running on Ubuntu 23.10+ ..." >&2; exit 1`)
	b, err := launch(t.Context(), refuses, Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if want := "the browser runs without its sandbox: this system does not let it start"; b.Notice() != want {
		t.Errorf("notice %q", b.Notice())
	}
	// Any other failure is no reason to start without it.
	tries := filepath.Join(t.TempDir(), "tries")
	fails := script(t, `echo try >> `+tries+`; echo "cannot open display" >&2; exit 1`)
	if _, err := launch(t.Context(), fails, Options{}, ""); err == nil {
		t.Error("no error")
	}
	if said, err := os.ReadFile(tries); err != nil || string(said) != "try\n" {
		t.Errorf("tries: %q, %v", said, err)
	}
}

func TestAttach(t *testing.T) {
	root := tempRoot(t)
	socket, stop := serve(t)
	host := strings.TrimPrefix(socket[:strings.Index(socket, "/devtools")], "ws://")
	_, port, _ := strings.Cut(host, ":")
	for _, address := range []string{socket, "http://" + host, "http://localhost:" + port + "/", "ws://localhost:" + port + socket[strings.Index(socket, "/devtools"):]} {
		b, err := Attach(t.Context(), address)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if !strings.Contains(b.Product(), "Chrome/") || b.PID() != 0 || b.Notice() != "" {
			t.Errorf("%s: product %q, process %d, notice %q", address, b.Product(), b.PID(), b.Notice())
		}
		if _, err := openPage(t.Context(), b.Conn()); err != nil {
			t.Error(err)
		}
		// Closing leaves the browser to its owner: the next round attaches again.
		for range 2 {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		<-b.Done()
	}
	b, err := Attach(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := openPage(t.Context(), b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	never := s.Send(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "new Promise(() => {})", AwaitPromise: new(true)})
	stop()
	if err := never.Wait(t.Context(), nil); !errors.Is(err, deed.CodeDisconnected) {
		t.Errorf("the waiting call: %v", err)
	}
	<-b.Done()
	if _, err := Attach(t.Context(), socket); deed.CodeOf(err) != deed.CodeDisconnected || deed.HintOf(err) == "" {
		t.Errorf("nobody is there: %v, hint %q", err, deed.HintOf(err))
	}
	if left := listing(t, root); strings.Contains(left, homePrefix) {
		t.Errorf("attaching made a folder: %s", left)
	}
}

func TestAttachToSomethingElse(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hangs.Close()
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, tt := range []struct {
		ctx     context.Context
		address string
		want    deed.Code
	}{
		{t.Context(), "", deed.CodeInvalid},
		{t.Context(), "9222", deed.CodeInvalid},
		{t.Context(), "ftp://127.0.0.1:1", deed.CodeInvalid},
		{t.Context(), "http://127.0.0.1", deed.CodeInvalid},
		{t.Context(), server.URL, deed.CodeDisconnected},
		{t.Context(), "ws" + strings.TrimPrefix(server.URL, "http"), deed.CodeDisconnected},
		{soon, hangs.URL, deed.CodeTimeout},
		{soon, "ws" + strings.TrimPrefix(hangs.URL, "http"), deed.CodeTimeout},
	} {
		_, err := Attach(tt.ctx, tt.address)
		if deed.CodeOf(err) != tt.want {
			t.Errorf("%q: %v (%s), want %s", tt.address, err, deed.CodeOf(err), tt.want)
		}
	}
}

// serve starts a browser that listens, as a user would, and gives its WebSocket's address.
func serve(t *testing.T) (socket string, stop func()) {
	t.Helper()
	path, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	args := []string{"--headless", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-quic", "--disable-crashpad-for-testing", "--remote-debugging-port=0", "--user-data-dir=" + profile}
	if sandboxBlocked() != "" {
		args = append(args, "--no-sandbox")
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(args, "about:blank")...)
	cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	cmd.Stderr = in
	err = cmd.Start()
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	stop = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
		// Its children hold the pipe until they are gone, too.
		io.Copy(io.Discard, lines)
		out.Close()
	})
	t.Cleanup(stop)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if address, ok := strings.CutPrefix(line, "DevTools listening on "); ok {
			return strings.TrimSpace(address), stop
		}
	}
}

// script is a program that a shell runs.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// BenchmarkColdStart measures from the start of the process to its first answer, and to the first page.
func BenchmarkColdStart(b *testing.B) {
	var answer, page time.Duration
	for b.Loop() {
		start := time.Now()
		browser, err := Launch(b.Context(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		answer += time.Since(start)
		if _, err := openPage(b.Context(), browser.Conn()); err != nil {
			b.Fatal(err)
		}
		page += time.Since(start)
		b.StopTimer()
		if err := browser.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(answer.Milliseconds())/float64(b.N), "ms/first-answer")
	b.ReportMetric(float64(page.Milliseconds())/float64(b.N), "ms/first-page")
}
