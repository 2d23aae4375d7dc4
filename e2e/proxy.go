package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
)

// A Fault is one thing that is wrong with an application. The zero value is none.
type Fault struct {
	// Bundle are texts of the application's script, each with what stands in its place. Each occurs exactly once.
	Bundle [][2]string

	// Script runs in every document before the application's own.
	Script string

	// Server stands in front of the application's. It may answer itself, answer late, ask for something else, or change the answer.
	Server func(app http.Handler) http.Handler
}

// A Proxy stands between a browser and an application, and does one thing wrong at a time.
type Proxy struct {
	URL string

	server *httptest.Server

	mu     sync.Mutex
	fault  Fault
	chain  http.Handler
	app    http.Handler
	broken error // a fault that could not be made
}

// NewProxy serves what app serves, with nothing wrong.
func NewProxy(app string) (*Proxy, error) {
	target, err := url.Parse(app)
	if err != nil {
		return nil, err
	}
	p := &Proxy{}
	p.app = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // what is rewritten must be read
		},
		ModifyResponse: p.rewrite,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.chain = p.app
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		next, script := p.chain, p.fault.Script
		p.mu.Unlock()
		if path.Base(r.URL.Path) == faultScript && script != "" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, script)
			return
		}
		next.ServeHTTP(w, r)
	}))
	p.URL = p.server.URL
	return p, nil
}

// Inject makes this the one thing that is wrong.
func (p *Proxy) Inject(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.chain, p.broken = f, p.app, nil
	if f.Server != nil {
		p.chain = f.Server(p.app)
	}
}

// Broken says what of the fault could not be made, since the application has nothing of the kind.
func (p *Proxy) Broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken
}

// Close ends the proxy; requests that are held are given up.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.server.Close()
}

const faultScript = "fault.js"

// rewrite puts the fault into what the application serves of itself.
func (p *Proxy) rewrite(r *http.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := r.Header.Get("Content-Type")
	var pairs [][2]string
	switch {
	case r.StatusCode != http.StatusOK:
	case strings.HasPrefix(kind, "text/html") && p.fault.Script != "":
		pairs = [][2]string{{"<head>", `<head><script src="./` + faultScript + `"></script>`}}
	case strings.Contains(kind, "javascript") && strings.HasPrefix(path.Base(r.Request.URL.Path), "index-"):
		pairs = p.fault.Bundle
	}
	if len(pairs) == 0 {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	_ = r.Body.Close()
	for _, pair := range pairs {
		if n := bytes.Count(body, []byte(pair[0])); n != 1 {
			p.broken = fmt.Errorf("%q is %d times in %s, not once", pair[0], n, r.Request.URL.Path)
		}
		body = bytes.Replace(body, []byte(pair[0]), []byte(pair[1]), 1)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Del("Etag")
	return nil
}
