package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	cdproto "github.com/chromedp/cdproto/cdp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/page"
)

// site is a server that keeps account of what it was asked for.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newSite(t *testing.T, h http.HandlerFunc) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// What leaves a page under an egress rule: nothing but GET to its own origin, by whatever way, at whatever hop, and each refusal is
// told. Each page sets the title to "done" when it has tried.
func TestEgress(t *testing.T) {
	b := launch(t)
	stop, err := page.HoldPopups(context.Background(), b.Conn(), func(opener string) bool { return opener != "" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	yes := true
	_, err = cdproto.Call(t.Context(), b.Conn().Browser(), protobrowser.SetDownloadBehavior, protobrowser.SetDownloadBehaviorParams{Behavior: protobrowser.SetDownloadBehaviorBehaviorDeny, EventsEnabled: &yes})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		body    string   // of the page; OTHER is the foreign origin, SELF its own
		blocked []string // types that are told
		asked   []string // what its own server is asked for besides the page
	}{
		{"AA-39 its own", `<img src="/own.png" onload="done()" onerror="done()">`, nil, []string{"GET /own.png"}},
		{"AA-39 a foreign image", `<img src="OTHER/x.png" onload="done()" onerror="done()">`, []string{"image"}, nil},
		{"AA-39 a post to its own", `<script>fetch("/save", {method: "POST", body: "x"}).finally(done)</script>`, []string{"fetch"}, nil},
		{"AA-39 a head", `<script>fetch("/save", {method: "HEAD"}).finally(done)</script>`, []string{"fetch"}, nil},
		{"AA-40 a foreign post", `<script>fetch("OTHER/save", {method: "POST", mode: "no-cors", body: "x"}).finally(done)</script>`, []string{"fetch"}, nil},
		{"AA-39 a beacon", `<script>navigator.sendBeacon("OTHER/beacon", "x"); fetch("OTHER/after").finally(done)</script>`, []string{"ping", "fetch"}, nil},
		{"AA-39 a foreign frame", `<iframe src="OTHER/frame" onload="done()"></iframe>`, []string{"document"}, nil},
		{"AA-39 a frame of data", `<iframe src="data:text/html,<img src=OTHER/in-data.png>" onload="setTimeout(done, 100)"></iframe>`, nil, nil},
		{"AA-39 a frame in a frame", `<iframe srcdoc="<img src='OTHER/in-srcdoc.png'>" onload="done()"></iframe>`, []string{"image"}, nil},
		{"AA-39 a blob", `<script>const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob(["<img src=OTHER/in-blob.png>"], {type: "text/html"})); f.onload = () => setTimeout(done, 100); document.documentElement.append(f)</script>`, nil, nil},
		{"AA-39 a file", `<iframe src="file:///etc/hostname" onload="done()"></iframe><script>setTimeout(done, 300)</script>`, nil, nil},
		{"AA-42 an image that redirects", `<img src="/away.png" onload="done()" onerror="done()">`, []string{"image"}, []string{"GET /away.png"}},
		{"AA-42 a fetch that redirects twice", `<script>fetch("/hop").finally(done)</script>`, []string{"fetch"}, []string{"GET /away.png", "GET /hop"}},
		{"AA-42 a frame that redirects", `<iframe src="/away.png" onload="done()"></iframe>`, []string{"document"}, []string{"GET /away.png"}},
		{"AA-43 a web socket", `<script>const s = new WebSocket("OTHER/socket".replace("http", "ws")); s.onerror = s.onclose = s.onopen = done</script>`, []string{"websocket"}, nil},
		{"AA-43 a web socket to its own", `<script>const s = new WebSocket("SELF/socket".replace("http", "ws")); s.onerror = s.onclose = s.onopen = done</script>`, []string{"websocket"}, nil},
		{"AA-43 a popup", `<script>window.open("OTHER/popup"); setTimeout(done, 300)</script>`, []string{"popup"}, nil},
		{"AA-43 a popup of its own", `<script>window.open("SELF/popup"); setTimeout(done, 300)</script>`, []string{"popup"}, nil},
		{"AA-43 a popup without an opener", `<script>window.open("OTHER/popup", "_blank", "noopener"); setTimeout(done, 300)</script>`, []string{"popup"}, nil},
		{"AA-43 a link to a new page", `<a id="a" target="_blank" href="OTHER/popup">x</a><script>a.click(); setTimeout(done, 300)</script>`, []string{"popup"}, nil},
		{"AA-43 a service worker", `<script>navigator.serviceWorker.register("/sw.js").catch(() => 0).finally(done)</script>`, []string{"serviceworker"}, nil},
		{"AA-43 a download", `<a id="a" download="x.txt" href="/file.txt">x</a><script>a.click(); setTimeout(done, 300)</script>`, []string{"download"}, []string{"GET /file.txt"}},
		{"a peer connection", `<script>try { new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:1"}]}) } catch (e) { document.body.dataset.e = e.name } done()</script>`, []string{"rtcpeerconnection"}, nil},
		{"a peer connection of a frame", `<iframe id="f"></iframe><script>try { new f.contentWindow.RTCPeerConnection() } catch (e) {} done()</script>`, []string{"rtcpeerconnection"}, nil},
		{"a worker's fetch", `<script>const w = new Worker("/worker.js"); w.onmessage = w.onerror = done</script>`, []string{"fetch"}, []string{"GET /worker.js"}},
		{"a worker's web socket", `<script>const w = new Worker("/socketworker.js"); w.onmessage = w.onerror = done</script>`, []string{"websocket"}, []string{"GET /socketworker.js"}},
		{"a worker of a worker", `<script>const w = new Worker("/nest.js"); w.onmessage = w.onerror = done</script>`, []string{"fetch"}, []string{"GET /nest.js", "GET /worker.js"}},
		{"a shared worker", `<script>try { const w = new SharedWorker("/shared.js"); w.port.onmessage = done; w.onerror = done } catch { done() } setTimeout(done, 1500)</script>`, []string{"sharedworker"}, nil},
		{"a form that posts away", `<form id="f" method="post" action="OTHER/form"><input name="x" value="y"></form><script>f.submit(); setTimeout(done, 300)</script>`, []string{"document"}, nil},
		{"a page that goes away by itself", `<script>setTimeout(() => { location = "OTHER/away" }, 0); setTimeout(done, 300)</script>`, []string{"document"}, nil},
		{"a refresh", `<meta http-equiv="refresh" content="0;url=OTHER/refresh"><script>setTimeout(done, 400)</script>`, []string{"document"}, nil},
		{"a style sheet's import and image", `<style>@import "OTHER/a.css"; body { background: url(OTHER/bg.png) }</style><script>setTimeout(done, 400)</script>`, []string{"stylesheet", "image"}, nil},
		{"a prefetch", `<link rel="prefetch" href="OTHER/prefetch"><link rel="preload" as="image" href="OTHER/preload.png"><script>setTimeout(done, 400)</script>`, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			other := newSite(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Access-Control-Allow-Origin", "*")
				_, _ = io.WriteString(w, "hello")
			})
			var self *site
			self = newSite(t, func(w http.ResponseWriter, r *http.Request) {
				fill := strings.NewReplacer("OTHER", other.URL, "SELF", self.URL)
				switch r.URL.Path {
				case "/":
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprintf(w, `<!doctype html><title>trying</title><body><script>const done = () => { document.title = "done" }</script>%s`, fill.Replace(tt.body))
				case "/away.png":
					http.Redirect(w, r, other.URL+"/landed", http.StatusFound)
				case "/hop":
					http.Redirect(w, r, "/away.png", http.StatusFound)
				case "/worker.js":
					w.Header().Set("Content-Type", "text/javascript")
					_, _ = io.WriteString(w, fill.Replace(`fetch("OTHER/from-worker").catch(() => 0).finally(() => postMessage(1))`))
				case "/socketworker.js":
					w.Header().Set("Content-Type", "text/javascript")
					_, _ = io.WriteString(w, fill.Replace(`const s = new WebSocket("OTHER/s".replace("http", "ws")); s.onopen = s.onerror = () => postMessage(1)`))
				case "/nest.js":
					w.Header().Set("Content-Type", "text/javascript")
					_, _ = io.WriteString(w, `const w = new Worker("/worker.js"); w.onmessage = w.onerror = () => postMessage(1)`)
				case "/shared.js":
					w.Header().Set("Content-Type", "text/javascript")
					_, _ = io.WriteString(w, fill.Replace(`onconnect = (e) => fetch("OTHER/from-shared").catch(() => 0).finally(() => e.ports[0].postMessage(1))`))
				case "/file.txt":
					w.Header().Set("Content-Disposition", "attachment")
				case "/own.png":
				default:
					http.NotFound(w, r)
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			p, err := page.Open(ctx, b.Conn(), "", page.Options{Egress: func(_ context.Context, r page.Outgoing) string {
				if r.Method != "GET" {
					return "the method is not allowed"
				}
				if !strings.HasPrefix(r.URL, self.URL+"/") {
					return "the origin is not allowed"
				}
				return ""
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close(context.Background()) }()
			a := deed.Action{Kind: deed.KindGoto, Text: self.URL + "/"}
			if _, err := p.Perform(ctx, &deed.Gesture{Action: &a, Target: -1, Way: deed.WayNavigate}); err != nil {
				t.Fatal(err)
			}
			told := func(look *deed.Look) []string {
				var types []string
				for _, x := range look.Signals.Blocked {
					types = append(types, x.Type)
				}
				return types
			}
			var look *deed.Look
			end := time.Now().Add(10 * time.Second)
			for first := true; ; first = false {
				if look, err = p.Settle(ctx, 2*time.Second, first); err != nil {
					t.Fatal(err)
				}
				missing := slices.ContainsFunc(tt.blocked, func(s string) bool { return !slices.Contains(told(look), s) })
				if look.Snapshot.Title != "trying" && !missing || time.Now().After(end) {
					break
				}
			}
			got, _ := json.Marshal(look.Signals.Blocked)
			t.Logf("blocked: %s", got)
			for _, want := range tt.blocked {
				if !slices.Contains(told(look), want) {
					t.Errorf("a %s that was refused is not told", want)
				}
			}
			if asked := other.log(); len(asked) > 0 {
				t.Errorf("it left: %v", asked)
			}
			for _, want := range tt.asked {
				if !slices.Contains(self.log(), want) {
					t.Errorf("its own server was not asked for %s: %v", want, self.log())
				}
			}
			for _, x := range self.log() {
				if x != "GET /" && x != "GET /favicon.ico" && !slices.Contains(tt.asked, x) && !strings.HasPrefix(tt.name, "a shared") {
					t.Errorf("its own server was asked for %s", x)
				}
			}
		})
	}
}
