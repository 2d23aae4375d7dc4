package pagescript

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests look at real pages in a real Chromium: one for the process, over a pipe; a tab and a server a test.
// This client is a few lines on purpose: the floor of this package has no wire.

var chromium struct {
	once sync.Once
	b    *browser
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.b != nil {
		if err := chromium.b.close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the browser:", err)
			code = 1
		}
	}
	os.Exit(code)
}

func browserPath() string {
	if p := os.Getenv("DEED_BROWSER"); p != "" {
		return p
	}
	for _, p := range []string{"/usr/lib/chromium/chromium", "chromium", "google-chrome", "chromium-browser"} {
		if found, err := exec.LookPath(p); err == nil {
			return found
		}
	}
	return ""
}

type browser struct {
	cmd     *exec.Cmd
	profile string
	in      *os.File
	out     *os.File

	writing sync.Mutex
	mu      sync.Mutex // guards what follows
	last    int64
	waiting map[int64]chan answer
	ended   chan struct{}
	events  map[string]chan struct{} // by session: a load event
}

type answer struct {
	ID        int64           `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Result    json.RawMessage `json:"result"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startBrowser returns the browser of this process.
func startBrowser(tb testing.TB) *browser {
	tb.Helper()
	chromium.once.Do(func() { chromium.b, chromium.err = launch() })
	if chromium.err != nil {
		tb.Fatal(chromium.err)
	}
	return chromium.b
}

func launch() (*browser, error) {
	path := browserPath()
	if path == "" {
		return nil, errors.New("no Chromium found: install chromium or set DEED_BROWSER")
	}
	profile, err := os.MkdirTemp("", "deed-pagescript-*")
	if err != nil {
		return nil, err
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := []string{"--remote-debugging-pipe", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio", "--lang=en-US",
		"--window-size=1000,700", "--user-data-dir=" + profile}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = theirIn.Close()
	_ = theirOut.Close()
	b := &browser{cmd: cmd, profile: profile, in: ourIn, out: ourOut, waiting: map[int64]chan answer{}, ended: make(chan struct{}), events: map[string]chan struct{}{}}
	go b.read()
	return b, nil
}

func (b *browser) read() {
	defer close(b.ended)
	r := bufio.NewReaderSize(b.in, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(line[:len(line)-1], &a) != nil {
			return
		}
		b.mu.Lock()
		if w := b.waiting[a.ID]; a.ID != 0 && w != nil {
			delete(b.waiting, a.ID)
			w <- a
		} else if a.Method == "Page.loadEventFired" && b.events[a.SessionID] != nil {
			select {
			case b.events[a.SessionID] <- struct{}{}:
			default:
			}
		}
		b.mu.Unlock()
	}
}

// send sends a call and returns where its answer will be.
func (b *browser) send(session, method string, params any) (chan answer, error) {
	answered := make(chan answer, 1)
	b.writing.Lock() // not mu: a full pipe must not keep the reader from emptying the other one
	defer b.writing.Unlock()
	b.mu.Lock()
	b.last++
	b.waiting[b.last] = answered
	m := map[string]any{"id": b.last, "method": method, "params": params}
	b.mu.Unlock()
	if session != "" {
		m["sessionId"] = session
	}
	msg, err := json.Marshal(m)
	if err == nil {
		_, err = b.out.Write(append(msg, 0))
	}
	return answered, err
}

func (b *browser) wait(answered chan answer, method string, result any) error {
	select {
	case a := <-answered:
		if a.Error != nil {
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-b.ended:
		return fmt.Errorf("%s: the browser is gone", method)
	case <-time.After(60 * time.Second):
		return fmt.Errorf("%s: no answer in a minute", method)
	}
}

func (b *browser) call(session, method string, params, result any) error {
	answered, err := b.send(session, method, params)
	if err != nil {
		return err
	}
	return b.wait(answered, method, result)
}

func (b *browser) close() error {
	_ = b.call("", "Browser.close", nil, nil)
	_ = b.cmd.Wait()
	_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL) // what is left of its group
	<-b.ended
	return os.RemoveAll(b.profile)
}

// expose makes the script's functions reachable for the tests, in the isolated world only.
const expose = `globalThis.T = { snapshot, nameOf, roleOf, regionOf, rowOf, valueOf, statesOf, isSensitive, isRendered, isSeen,
  identity, elementId, elementOf, flatParent, flatChildren, declareSensitive, adoptRoot, quote, STATES, ARIA_ROLES,
  FLAGS: [FLAG_SENSITIVE, FLAG_VOLATILE, FLAG_UNSEEN, FLAG_CONTAINER, FLAG_VALUE, FLAG_BEHIND],
  q: (selector) => { const go = (root) => { const f = allIn(root, selector)[0]; if (f) return f;
    for (const e of allIn(root, "*")) { const s = shadowOf(e); const g = s && go(s); if (g) return g; } return null; }; return go(document); } };
`

// seeing are the files of the script that only look.
var seeing = parts[:10]

type tab struct {
	testing.TB
	b       *browser
	session string
	base    string
	world   int64
	loaded  chan struct{}

	mu   sync.Mutex
	html string // guarded by mu
}

// openTab opens a page with this HTML.
func openTab(tb testing.TB, html string) *tab {
	tb.Helper()
	t := &tab{TB: tb, b: startBrowser(tb), html: html, loaded: make(chan struct{}, 1)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		_, _ = io.WriteString(w, t.html)
	}))
	tb.Cleanup(server.Close)
	t.base = server.URL + "/"
	var target struct{ TargetID string }
	t.must(t.b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target))
	tb.Cleanup(func() { t.must(t.b.call("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil)) })
	var attached struct{ SessionID string }
	t.must(t.b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	t.session = attached.SessionID
	t.b.mu.Lock()
	t.b.events[t.session] = t.loaded
	t.b.mu.Unlock()
	t.call("Page.enable", nil, nil)
	t.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1000, "height": 700, "deviceScaleFactor": 1, "mobile": false}, nil)
	t.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": assemble(seeing, expose), "worldName": "deed"}, nil)
	t.navigate(t.base)
	return t
}

// load shows another page in the tab.
func (t *tab) load(html string) {
	t.Helper()
	t.mu.Lock()
	t.html = html
	t.mu.Unlock()
	t.navigate(t.base)
}

func (t *tab) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (t *tab) call(method string, params, result any) {
	t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	t.must(t.b.call(t.session, method, params, result))
}

// navigate goes to a URL and waits for its load event.
func (t *tab) navigate(url string) {
	t.Helper()
	t.call("Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-t.loaded:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s does not load", url)
	}
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	t.call("Page.getFrameTree", nil, &tree)
	var made struct{ ExecutionContextID int64 }
	t.call("Page.createIsolatedWorld", map[string]any{"frameId": tree.FrameTree.Frame.ID, "worldName": "deed"}, &made)
	t.world = made.ExecutionContextID
}

// eval evaluates an expression in the isolated world and decodes its JSON value into out.
func (t *tab) eval(expr string, out any) {
	t.Helper()
	t.evalWith(map[string]any{"expression": expr, "contextId": t.world, "returnByValue": true, "awaitPromise": true}, out)
}

// inPage evaluates an expression in the page's own world.
func (t *tab) inPage(expr string, out any) {
	t.Helper()
	t.evalWith(map[string]any{"expression": expr, "returnByValue": true, "awaitPromise": true}, out)
}

func (t *tab) evalWith(params map[string]any, out any) {
	t.Helper()
	var res struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	t.call("Runtime.evaluate", params, &res)
	if e := res.ExceptionDetails; e != nil {
		t.Fatalf("%s: %s %s", params["expression"], e.Text, e.Exception.Description)
	}
	if out != nil && len(res.Result.Value) > 0 {
		t.must(json.Unmarshal(res.Result.Value, out))
	}
}

// look takes a snapshot of the tab and decodes it.
func (t *tab) look() *Part {
	t.Helper()
	var text string
	t.eval("T.snapshot()", &text)
	p, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// outline writes the nodes of a part one a line, indented under their parents.
func outline(p *Part) string {
	depth := make([]int, len(p.Nodes))
	var b strings.Builder
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		b.WriteString(strings.Repeat("  ", depth[i]) + n.String())
		if n.HasValue {
			fmt.Fprintf(&b, " = %q", n.Value)
		}
		if n.States != 0 {
			b.WriteString(" (" + n.States.String() + ")")
		}
		if n.Row != "" {
			fmt.Fprintf(&b, " row %q", n.Row)
		}
		if n.Group != "" {
			fmt.Fprintf(&b, " group %q", n.Group)
		}
		for _, f := range []struct {
			on   bool
			word string
		}{{n.Sensitive, "sensitive"}, {n.Volatile, "volatile"}, {n.Unseen, "unseen"}, {n.Container, "region"}, {n.Behind, "behind"}} {
			if f.on {
				b.WriteString(" " + f.word)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
