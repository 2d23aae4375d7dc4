package browser_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

// A browser under a policy opens what is open, and nothing else: neither as a page nor from within one. What was refused is told
// with the step.
func TestPolicyHoldsTheBrowser(t *testing.T) {
	var left atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { left.Add(1) }))
	defer other.Close()
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Open</title><h1>Open</h1><button onclick="fetch('`+other.URL+`/steal', {mode: 'no-cors'}).catch(() => { out.textContent = 'could not be sent' })">Send</button>
<a href="`+other.URL+`/away">Leave</a> <a href="`+other.URL+`/popup" target="_blank">New page</a><p role="status" id="out"></p>`)
	}))
	defer open.Close()
	b, err := browser.Launch(t.Context(), browser.Options{Policy: &browser.Policy{Origins: []string{open.URL}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := b.Open(t.Context(), other.URL+"/"); err == nil {
		t.Error("a page that is not open was opened")
	}
	p, err := b.Open(t.Context(), open.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Click(t.Context(), deed.Button("Send"), browser.Expect(deed.Text("could not be sent").In("status")))
	if err != nil || len(res.Signals.Blocked) != 1 || !strings.Contains(res.Signals.Blocked[0].Why, "not allowed") {
		t.Errorf("%v %+v\n%s", err, res.Signals.Blocked, res.Explain())
	}
	if !strings.Contains(res.Explain(), "blocked") || len(res.Step(1, err).Blocked) != 1 {
		t.Errorf("it is not told:\n%s", res.Explain())
	}
	res, _ = p.Click(t.Context(), deed.Link("New page"))
	if len(res.Signals.Blocked) == 0 || res.Signals.Blocked[0].Type != "popup" {
		t.Errorf("the popup is not told: %s", res.Explain())
	}
	res, _ = p.Click(t.Context(), deed.Link("Leave"))
	if res.OK() || len(res.Signals.Blocked) == 0 {
		t.Errorf("leaving is called %v: %s", res.Outcome, res.Explain())
	}
	if n := left.Load(); n > 0 {
		t.Errorf("%d requests left", n)
	}
}

// Pages may be held to origins while what they load loads.
func TestPolicyOfPagesAlone(t *testing.T) {
	var left atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left.Add(1)
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, `document.querySelector("#out").textContent = "loaded"`)
	}))
	defer other.Close()
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Open</title><p role="status" id="out"></p><a href="`+other.URL+`/away">Leave</a><script src="`+other.URL+`/lib.js"></script>`)
	}))
	defer open.Close()
	b, err := browser.Launch(t.Context(), browser.Options{Policy: &browser.Policy{Origins: []string{open.URL}, TopOnly: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	p, err := b.Open(t.Context(), open.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(t.Context(), deed.Text("loaded").In("status")); err != nil {
		t.Error(err)
	}
	before := left.Load()
	if res, _ := p.Click(t.Context(), deed.Link("Leave")); res.OK() || left.Load() != before || len(res.Signals.Blocked) == 0 {
		t.Errorf("leaving: %s", res.Explain())
	}
}

func TestPolicyThatCannotBe(t *testing.T) {
	for _, p := range []browser.Policy{{Hosts: []string{"com"}}, {Hosts: []string{"faß.de"}}, {Hosts: []string{"*"}}, {Origins: []string{"ftp://x"}}, {Methods: []string{"TRACE"}}} {
		if _, err := browser.Launch(t.Context(), browser.Options{Policy: &p}); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// Pages under a policy that lets them open none, and pages that may, are side by side in one browser.
func TestPopupsOfOtherPagesRun(t *testing.T) {
	b, err := browser.Launch(t.Context(), browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Page `+r.URL.Path+`</title><h1>Page `+r.URL.Path+`</h1><button onclick="window.open('/popup')">Open</button>`)
	}))
	defer site.Close()
	held, err := b.NewUnder(t.Context(), &browser.Policy{Origins: []string{site.URL}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Goto(t.Context(), site.URL+"/held"); err != nil {
		t.Fatal(err)
	}
	free, err := b.Open(t.Context(), site.URL+"/free")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := free.Click(t.Context(), deed.Button("Open"), browser.Expect(deed.Expect{Kind: deed.ExpectPopup, Text: "/popup"})); err != nil {
		t.Error(err)
	}
	if _, err := free.SwitchTab(t.Context(), "/popup"); err != nil {
		t.Error(err)
	}
	if res, _ := held.Click(t.Context(), deed.Button("Open")); len(res.Signals.Blocked) != 1 {
		t.Errorf("the popup of the held page: %s", res.Explain())
	}
}

// AA-44: on an empty page nothing is done but to leave it, whatever is asked for and however it is named.
func TestAA44_OnAnEmptyPageNothingIsDone(t *testing.T) {
	b := browsertest.Browser(t)
	p, err := b.NewUnder(t.Context(), &browser.Policy{Origins: []string{"http://127.0.0.1:9"}, By: deed.ByAgent})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	for _, a := range []deed.Action{
		{Kind: deed.KindClick, Locator: deed.Button("Go")},
		{Kind: deed.KindClick, Selector: "button"},
		{Kind: deed.KindClick, Point: &deed.Point{X: 10, Y: 10}},
		{Kind: deed.KindFill, Locator: deed.Textbox("Name"), Text: "Ana"},
		{Kind: deed.KindPress, Key: "Enter"},
		{Kind: deed.KindType, Text: "Ana"},
		{Kind: deed.KindWait, Pause: time.Millisecond},
		{Kind: deed.KindShot},
		{Kind: deed.KindScroll, Scroll: &deed.Scroll{Y: 100}},
		{Kind: deed.KindReload},
		{Kind: deed.KindEval, Text: "1"},
	} {
		if res, err := p.Do(t.Context(), a); err == nil || res.Outcome != deed.OutcomeRefused {
			t.Errorf("%s: %v, %v", a.Kind, res.Outcome, err)
		}
	}
}
