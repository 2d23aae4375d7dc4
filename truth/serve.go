package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A server gives each worker a page of its own at /w/N/, with an API that accepts or refuses what the page asks for,
// and the folders of case files under /cases/ and /hard/.
type server struct {
	port  int
	http  *http.Server
	mu    sync.Mutex
	desks map[string]*desk
}

// A desk is what the server holds for one worker.
type desk struct {
	document string
	refuse   bool
	delay    time.Duration
	accepted []string // the operations, in JSON
	refused  int
}

func serve(testdata string) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{port: l.Addr().(*net.TCPAddr).Port, desks: map[string]*desk{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /w/{worker}/", s.page)
	mux.HandleFunc("POST /w/{worker}/api", s.api)
	for _, dir := range []string{"cases", "hard"} {
		mux.Handle("GET /"+dir+"/", http.StripPrefix("/"+dir, folder(testdata+"/"+dir)))
	}
	s.http = &http.Server{Handler: mux}
	go s.http.Serve(l)
	return s, nil
}

func (s *server) close() { s.http.Close() }

func (s *server) url(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", s.port, path) }

// folder serves pages as testdata/hard/README.md says.
func folder(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cache := "no-store"
		if strings.Contains(r.URL.RawQuery, "bf") {
			cache = "no-cache"
		}
		w.Header().Set("Cache-Control", cache)
		if ms, err := strconv.Atoi(r.URL.Query().Get("hang")); err == nil {
			select {
			case <-time.After(time.Duration(ms) * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
		files.ServeHTTP(w, r)
	})
}

// lay puts a fresh page on a worker's desk.
func (s *server) lay(worker int, d *desk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.desks[strconv.Itoa(worker)] = d
}

// arm makes the API refuse, or take its time.
func (s *server) arm(worker int, refuse bool, delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.desks[strconv.Itoa(worker)]
	d.refuse, d.delay = refuse, delay
}

// taken tells what the API accepted and how much it refused.
func (s *server) taken(worker int) (accepted []string, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.desks[strconv.Itoa(worker)]
	return d.accepted, d.refused
}

func (s *server) page(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	d := s.desks[r.PathValue("worker")]
	s.mu.Unlock()
	if d == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, d.document)
}

func (s *server) api(w http.ResponseWriter, r *http.Request) {
	var op json.RawMessage
	s.mu.Lock()
	d := s.desks[r.PathValue("worker")]
	s.mu.Unlock()
	if d == nil || json.NewDecoder(r.Body).Decode(&op) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	delay, refuse := d.delay, d.refuse
	s.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
			return
		}
	}
	s.mu.Lock()
	if refuse {
		d.refused++
	} else {
		d.accepted = append(d.accepted, string(op))
	}
	s.mu.Unlock()
	if refuse {
		http.Error(w, "it broke", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"ok":true}`)
}
