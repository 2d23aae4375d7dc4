package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed/internal/chrome"
	"github.com/deed-dev/deed/internal/cli"
)

const counter = `<!doctype html><title>Counter</title><button id=b style="position:absolute;left:10px;top:10px;width:200px;height:60px">Add one</button>
<p role=status id=st style="margin-top:100px">0 things</p><script>let n = 0; b.onclick = () => { st.textContent = ++n + " things"; };</script>`

// said collects what is written, and tells when it holds a text.
type said struct {
	mu   sync.Mutex
	b    bytes.Buffer
	want string
	seen chan struct{}
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.b.Write(p)
	if i := strings.Index(s.b.String(), s.want); s.want != "" && i >= 0 && strings.Contains(s.b.String()[i:], "\n") {
		close(s.seen)
		s.want = ""
	}
	return n, err
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A recording from the command line to its file, and the file run: ended by an interrupt, and by closing the window.
func TestRecordAndRun(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(counter))
	}))
	defer site.Close()
	const listening = "DevTools listening on "
	logged := &said{want: listening, seen: make(chan struct{})}
	b, err := chrome.Launch(t.Context(), chrome.Options{Args: []string{"--remote-debugging-port=0"}, Log: logged})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-logged.seen:
	case <-time.After(time.Minute):
		t.Fatalf("it does not listen: %s", logged)
	}
	_, address, _ := strings.Cut(logged.String(), listening)
	address, _, _ = strings.Cut(address, "\n")

	for _, how := range []string{"interrupt", "close"} {
		t.Run(how, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cases", "counter.deed.yaml")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out, told := &bytes.Buffer{}, &said{want: "recording http", seen: make(chan struct{})}
			ended := make(chan int, 1)
			go func() {
				ended <- cli.Main(ctx, []string{"record", site.URL + "/counter", "--browser", address, "--out", file, "--json"}, cli.IO{In: strings.NewReader(""), Out: out, Err: told, LookupEnv: os.LookupEnv})
			}()
			select {
			case <-told.seen:
			case s := <-ended:
				t.Fatalf("it ended with %d: %s", s, told)
			case <-time.After(time.Minute):
				t.Fatalf("it did not begin: %s", told)
			}
			id := clickOnce(t, b)
			if how == "interrupt" {
				cancel()
			} else if _, err := cdproto.Call(t.Context(), b.Conn().Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil {
				t.Fatal(err)
			}
			select {
			case s := <-ended:
				if s != 0 {
					t.Fatalf("exit status %d: %s", s, told)
				}
			case <-time.After(time.Minute):
				t.Fatalf("it did not end: %s", told)
			}
			if !strings.Contains(told.String(), "deed run "+file) {
				t.Errorf("it does not say how to run it: %s", told)
			}
			var c struct {
				Case  string
				Steps []map[string]any
			}
			if err := json.Unmarshal(out.Bytes(), &c); err != nil || c.Case != "counter" || len(c.Steps) != 1 || c.Steps[0]["click"] == nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), "- click: {button: Add one}") || how == "interrupt" && !strings.Contains(string(text), "1 things") {
				t.Fatalf("%v\n%s", err, text)
			}
			t.Chdir(t.TempDir())
			out.Reset()
			if s := cli.Main(t.Context(), []string{"run", file}, cli.IO{In: strings.NewReader(""), Out: out, Err: told, LookupEnv: os.LookupEnv}); s != 0 {
				t.Errorf("running it ends with %d\n%s\n%s", s, text, out)
			}
		})
	}
}

// clickOnce clicks the button of the one page of the counter, and waits until the page shows it.
func clickOnce(t *testing.T, b *chrome.Browser) target.ID {
	t.Helper()
	all, err := cdproto.Call(t.Context(), b.Conn().Browser(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if info.Title != "Counter" {
			continue
		}
		flat := true
		at, err := cdproto.Call(t.Context(), b.Conn().Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: info.TargetID, Flatten: &flat})
		if err != nil {
			t.Fatal(err)
		}
		s := b.Conn().Session(at.SessionID)
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			e := input.DispatchMouseEventParams{Type: kind, X: 60, Y: 40, ClickCount: 1}
			if kind != input.DispatchMouseEventTypeMouseMoved {
				e.Button = input.MouseButtonLeft
			}
			if err := s.Execute(t.Context(), input.CommandDispatchMouseEvent, e, nil); err != nil {
				t.Fatal(err)
			}
		}
		yes := true
		var done runtime.EvaluateResult
		wait := `new Promise(r => (function look() { st.textContent === "1 things" ? r(1) : setTimeout(look, 20); })())`
		if err := s.Execute(t.Context(), runtime.CommandEvaluate, runtime.EvaluateParams{Expression: wait, AwaitPromise: &yes}, &done); err != nil {
			t.Fatal(err)
		}
		return info.TargetID
	}
	t.Fatal("there is no such page")
	return ""
}
