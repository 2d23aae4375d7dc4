// Package browsertest gives tests a real browser: one for each test process, a page of its own for each test, and a
// check at the end that nothing is left behind.
//
// Law of this package: only tests import it. Pages are served on 127.0.0.1 and nowhere else.
package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/deed-dev/deed/browser"
)

var (
	once    sync.Once
	shared  *browser.Browser
	problem error
)

// Main runs the tests of a package that uses [Browser]: it closes the browser afterwards and fails when a goroutine,
// a browser process or a folder is left. Call it from TestMain.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "deed-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("TMPDIR", dir)
	code := m.Run()
	if shared != nil {
		if err := shared.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the browser:", err)
			code = 1
		}
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "deed-chrome-*")); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "browser profiles left behind:", left)
			code = 1
		}
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// Browser returns the test process's browser.
func Browser(t testing.TB) *browser.Browser {
	t.Helper()
	once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		shared, problem = browser.Launch(ctx, browser.Options{Width: 1000, Height: 700})
	})
	if problem != nil {
		t.Fatalf("no browser: %v", problem)
	}
	return shared
}

// Open opens a URL in a page that ends with the test.
func Open(t testing.TB, url string) *browser.Page {
	t.Helper()
	p, err := Browser(t).Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("closing the page: %v", err)
		}
	})
	return p
}

// HTML opens a page with this document.
func HTML(t testing.TB, html string) *browser.Page {
	t.Helper()
	return Open(t, Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	})))
}

// Server serves a handler on 127.0.0.1 until the test ends and returns its URL.
func Server(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// Folder serves a folder of pages as testdata/hard/README.md says: nothing is cached, a favicon is 204, and
// ?hang=MS holds the answer back.
func Folder(t testing.TB, dir string) string {
	files := http.FileServer(http.Dir(dir))
	return Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cache := "no-store"
		if strings.Contains(r.URL.RawQuery, "bf") {
			cache = "no-cache"
		}
		w.Header().Set("Cache-Control", cache)
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if ms, err := strconv.Atoi(r.URL.Query().Get("hang")); err == nil {
			select {
			case <-time.After(time.Duration(ms) * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
		files.ServeHTTP(w, r)
	}))
}
