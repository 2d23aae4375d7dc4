package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

// told evaluates an expression on the page.
func told(t *testing.T, p *browser.Page, js string) string {
	t.Helper()
	var raw json.RawMessage
	if _, err := p.Eval(t.Context(), js, &raw); err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

func opened(t *testing.T, o browser.PageOptions, url string) *browser.Page {
	t.Helper()
	p, err := browsertest.Browser(t).NewPage(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if _, err := p.Goto(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return p
}

func site(t *testing.T) (base string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	return browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api":
			asked.Add(1)
			fmt.Fprint(w, "the server")
		case "/set":
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "ana", Path: "/", HttpOnly: true})
			fallthrough
		default:
			w.Header().Set("Content-Type", "text/html")
			c, _ := r.Cookie("who")
			who := "nobody"
			if c != nil {
				who = c.Value
			}
			fmt.Fprintf(w, `<!doctype html><meta name=viewport content="width=device-width"><title>Site</title><p role=status>%s</p><iframe src="/in" width=50 height=50></iframe><script>early = [new Date().toISOString(), localStorage.a, sessionStorage.b]</script>`, who)
		}
	})), asked
}

func TestDevice(t *testing.T) {
	base, _ := site(t)
	p := opened(t, browser.PageOptions{Setting: &deed.Setting{Device: &deed.Device{Width: 390, Height: 844, Scale: 3, Mobile: true, Touch: true, UserAgent: "Pocket/1.0",
		Locale: "de-DE", ColorScheme: "dark", ReducedMotion: true}}}, base+"/in")
	for js, want := range map[string]string{
		"innerWidth + ' ' + devicePixelRatio": "390 3",
		"navigator.userAgent":                 "Pocket/1.0",
		"navigator.maxTouchPoints":            "5",
		"(1234.5).toLocaleString()":           "1.234,5",
		"matchMedia('(prefers-color-scheme: dark)').matches && matchMedia('(prefers-reduced-motion: reduce)').matches": "true",
	} {
		if got := told(t, p, js); got != want {
			t.Errorf("%s is %s, want %s", js, got, want)
		}
	}
	png, err := p.Screenshot(t.Context())
	if err != nil || len(png) == 0 {
		t.Error(err)
	}
}

func TestClock(t *testing.T) {
	base, _ := site(t)
	at := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	p := opened(t, browser.PageOptions{Setting: &deed.Setting{Clock: &deed.Clock{Now: at, Frozen: true, Timezone: "Asia/Tokyo"}}}, base+"/")
	for js, want := range map[string]string{
		"new Date().toISOString()": "2031-02-03T04:05:06.000Z",
		"Date.now()":               fmt.Sprint(at.UnixMilli()),
		"new Date().getHours()":    "13",
		"early[0]":                 "2031-02-03T04:05:06.000Z",
		"new Date(2020, 1, 2).getFullYear() + ' ' + (new Date() instanceof Date) + ' ' + Date.length + ' ' + new Date().constructor.name": "2020 true 7 Date",
		"typeof Date() + (class extends Date {}).name": "string",
		"frames[0].Date.now()":                         fmt.Sprint(at.UnixMilli()),
	} {
		if got := told(t, p, js); got != want {
			t.Errorf("%s is %s, want %s", js, got, want)
		}
	}
	p = opened(t, browser.PageOptions{Setting: &deed.Setting{Clock: &deed.Clock{Now: at}}}, base+"/")
	if got := told(t, p, "Date.now() - "+fmt.Sprint(at.UnixMilli())+" < 60000 && Date.now() >= "+fmt.Sprint(at.UnixMilli())); got != "true" {
		t.Errorf("a running clock tells %s", told(t, p, "new Date().toISOString()"))
	}
}

// What is stored is there before the page runs, and what the page removes stays removed. A session goes on in another page.
func TestStorageAndSession(t *testing.T) {
	base, _ := site(t)
	o := browser.PageOptions{Setting: &deed.Setting{
		Storage: []deed.Storage{{Origin: base, Local: map[string]string{"a": "1"}, Session: map[string]string{"b": "2"}}, {Origin: "http://other.example", Local: map[string]string{"c": "3"}}},
		Cookies: []deed.Cookie{{Name: "who", Value: "kai", URL: base + "/"}},
	}}
	p := opened(t, o, base+"/")
	if got := told(t, p, "early[1] + early[2] + document.querySelector('[role=status]').textContent + localStorage.c"); got != "12kaiundefined" {
		t.Errorf("it finds %s", got)
	}
	told(t, p, "localStorage.removeItem('a'), localStorage.d = '4', 1")
	if _, err := p.Goto(t.Context(), base+"/set"); err != nil {
		t.Fatal(err)
	}
	if got := told(t, p, "String(localStorage.a) + localStorage.d"); got != "undefined4" {
		t.Errorf("after another page it holds %s", got)
	}
	s, err := p.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again deed.Session
	if err := json.Unmarshal(raw, &again); err != nil || again.URL != base+"/set" {
		t.Fatalf("%v: %s", err, raw)
	}
	q := opened(t, browser.PageOptions{Session: &again, Setting: o.Setting}, base+"/")
	if got := told(t, q, "String(early[1]) + early[2] + localStorage.d + document.querySelector('[role=status]').textContent"); got != "124ana" {
		t.Errorf("it goes on with %s", got)
	}
	if fresh := opened(t, browser.PageOptions{}, base+"/"); told(t, fresh, "localStorage.length + document.querySelector('[role=status]').textContent") != "0nobody" {
		t.Error("another page sees what was stored")
	}
}

func TestNetworkRules(t *testing.T) {
	base, asked := site(t)
	rules := []deed.NetworkRule{
		{URL: "/api?n=*", Times: 1, Status: 503, Body: "not now", Headers: map[string]string{"Retry-After": "1"}},
		{URL: "/api?n=*", JSON: json.RawMessage(`{"ok":true}`)},
		{Method: "POST", URL: "/api", Abort: true},
		{URL: "https://else.example/**", Body: "from elsewhere"},
		{URL: "/api?late", Delay: time.Millisecond, Pass: true},
	}
	for name, pol := range map[string]*browser.Policy{"no policy": nil, "pages alone": {Origins: []string{base}, TopOnly: true, By: deed.ByCase}, "strict": {Origins: []string{base}, By: deed.ByCase, Methods: []string{"GET", "POST"}, Standard: "test"}} {
		t.Run(name, func(t *testing.T) {
			asked.Store(0)
			p := opened(t, browser.PageOptions{Policy: pol, Setting: &deed.Setting{Network: rules}}, base+"/")
			js := `(async () => {
				const out = [];
				const get = async (u, o) => { try { const r = await fetch(u, o); out.push(r.status + " " + await r.text()); } catch { out.push("failed"); } };
				await get("/api?n=1"); await get("/api?n=2"); await get("/api?n=3"); await get("/api", {method: "POST"}); await get("https://else.example/x/y"); await get("/api?late");
				return out.join("|");
			})()`
			raw, err := p.Do(t.Context(), deed.Action{Kind: deed.KindEval, Text: js})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(raw.Saved.(json.RawMessage)), `"503 not now|200 {\"ok\":true}|200 {\"ok\":true}|failed|200 from elsewhere|200 the server"`; got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
			if asked.Load() != 1 {
				t.Errorf("%d requests reached the server", asked.Load())
			}
			if s := fmt.Sprint(raw.Signals.Requests); !strings.Contains(s, "503") {
				t.Logf("requests told: %s", s)
			}
		})
	}
}
