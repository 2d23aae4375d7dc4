package page_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"go.uber.org/goleak"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/chrome"
	"github.com/deed-dev/deed/internal/drivertest"
	"github.com/deed-dev/deed/internal/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func launch(t *testing.T) *chrome.Browser {
	t.Helper()
	b, err := chrome.Launch(t.Context(), chrome.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// A tab that closes while an act is under way: an answer at once, with what was last seen of it.
func TestTabThatClosesInMidAct(t *testing.T) {
	b := launch(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	p, err := page.Open(ctx, b.Conn(), "", page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Observe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	a := deed.Action{Kind: deed.KindWatch}
	if _, err := p.Perform(ctx, &deed.Gesture{Action: &a, Snapshot: s, Target: -1}); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() {
		_, err := cdproto.Call(ctx, b.Conn().Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(p.ID())})
		closed <- err
	}()
	look, err := p.Settle(ctx, 10*time.Second, false)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	switch {
	case err == nil && !look.Signals.Closed:
		t.Errorf("the look does not say that the page closed: %+v", look.Signals)
	case err != nil && !errors.Is(err, deed.CodePageClosed):
		t.Errorf("error %v", err)
	}
	if _, err := p.Observe(ctx); !errors.Is(err, deed.CodePageClosed) {
		t.Errorf("observing a closed page: %v", err)
	}
	p.Detach()
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]string{"Enter": "", "Escape": "", "Control+A": "", "Shift+Tab": "", "a": "", "é": "no such key", "Entr": "no such key", "Hyper+A": "unknown modifier", "+": "", "Control++": ""} {
		err := page.CheckKey(key)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", key, err)
		case want != "" && (err == nil || !errors.Is(err, deed.CodeInvalid)):
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
	if h := deed.HintOf(page.CheckKey("Entr")); h != `did you mean "Enter"?` {
		t.Errorf("hint %q", h)
	}
}

// The guard recognises an element by the identity that the snapshot gave it: both sides of the page script must agree,
// or a right gesture is stopped.
func TestGuardAndSnapshotAgreeOnEveryIdentity(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.html")
	if len(files) == 0 {
		t.Fatal("no pages")
	}
	const own = "own/identity.html" // the smallest pages on which the two once differed
	files = append(files, "../../testdata/"+own)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("../../testdata")))
	mux.Handle("/own/", http.StripPrefix("/own/", http.FileServer(http.Dir("testdata"))))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	b := launch(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	p, err := page.Open(ctx, b.Conn(), "", page.Options{Width: 1000, Height: 700})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Detach()
	for _, file := range files {
		name := strings.TrimPrefix(filepath.ToSlash(file), "../../testdata/")
		if name == "hard/huge-table.html" || name == "hard/clock-and-carousel-noise.html" || name == "hard/polling-never-idle.html" {
			continue // one is large, the others do not stand still between the two looks
		}
		a := deed.Action{Kind: deed.KindGoto, Text: srv.URL + "/" + name}
		if _, err := p.Perform(ctx, &deed.Gesture{Action: &a, Target: -1, Way: deed.WayNavigate}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		look, err := p.Settle(ctx, time.Second, true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p.Release(ctx)
		ids, err := p.Identities(ctx, look.Snapshot)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, id := range ids {
			n := &look.Snapshot.Nodes[i]
			if n.Role == "text" || n.Volatile {
				continue // a text is no element of its own, nobody acts on it
			}
			if id.Role != n.Role || id.Name != n.Name || id.Region != n.Region || id.Row != n.Row {
				t.Errorf("%s: the snapshot says %s row %q, the guard %s row %q", name, n, n.Row, &id, id.Row)
			}
		}
	}
}

func TestPageKeepsTheContract(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>T</title><button onclick="s.textContent='Done'">Go</button><label>Name <input value=Ana></label><p role=status id=s></p>`)
	}))
	defer srv.Close()
	b := launch(t)
	p, err := page.Open(t.Context(), b.Conn(), "", page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Detach()
	a := deed.Action{Kind: deed.KindGoto, Text: srv.URL}
	if _, err := p.Perform(t.Context(), &deed.Gesture{Action: &a, Target: -1, Way: deed.WayNavigate}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Settle(t.Context(), 10*time.Second, true); err != nil {
		t.Fatal(err)
	}
	p.Release(t.Context())
	drivertest.Contract(t, p)
}
