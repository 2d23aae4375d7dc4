// The e2e module runs deed against a real application that none of its authors wrote: PocketBase, whose
// admin interface is inside its Go module.
//
// Law of this package: it starts PocketBase and writes down what PocketBase did. It knows nothing of deed,
// which the test runs as a program of its own, so that what the application says and what deed says are two
// independent testimonies.
//
// As a program it serves a fresh PocketBase until interrupted, for looking at it and for the Playwright
// script of the same flow (bench/pocketbase.playwright.mjs).
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // the system tables
)

// The superuser of every instance.
const (
	Email    = "ana@example.com"
	Password = "correct-horse-battery"
)

// An Entry of the journal is one write that PocketBase has committed.
type Entry struct {
	What       string         `json:"what"` // collection create, record create, record update, record delete
	Collection string         `json:"collection"`
	Values     map[string]any `json:"values,omitempty"` // of the record; of a collection, field name → type

	// Served is what the HTTP API answered for the collection's records at that moment, before the admin
	// interface had the answer to its own request.
	Served []map[string]any `json:"served,omitempty"`
}

// An App is one running PocketBase with an empty database and one superuser.
type App struct {
	URL string // http://127.0.0.1:PORT

	app   core.App
	token string
	done  chan error

	mu      sync.Mutex
	journal []Entry
}

// Start serves a fresh PocketBase that keeps its data in dir, on a port that the system chooses.
// configure, which may be nil, binds further hooks before the first request.
func Start(dir string, configure func(core.App)) (*App, error) {
	base := core.NewBaseApp(core.BaseAppConfig{DataDir: dir})
	if err := base.Bootstrap(); err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	if err := base.RunAllMigrations(); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	superusers, err := base.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		return nil, err
	}
	super := core.NewRecord(superusers)
	super.SetEmail(Email)
	super.SetPassword(Password)
	if err := base.Save(super); err != nil {
		return nil, fmt.Errorf("create superuser: %w", err)
	}

	a := &App{app: base, done: make(chan error, 1)}
	if a.token, err = super.NewAuthToken(); err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	if configure != nil {
		configure(base)
	}
	a.record()

	ready := make(chan string, 1)
	base.OnServe().BindFunc(func(e *core.ServeEvent) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		e.Listener = l
		e.InstallerFunc = nil // it would open a browser of its own
		if err := e.Next(); err != nil {
			return err
		}
		ready <- "http://" + l.Addr().String()
		return nil
	})
	go func() { a.done <- apis.Serve(base, apis.ServeConfig{}) }()
	select {
	case a.URL = <-ready:
		return a, nil
	case err := <-a.done:
		return nil, fmt.Errorf("serve: %w", err)
	}
}

// Close ends the server and waits for it.
func (a *App) Close() error {
	err := a.app.OnTerminate().Trigger(&core.TerminateEvent{App: a.app}, func(*core.TerminateEvent) error {
		return a.app.ResetBootstrapState()
	})
	return errors.Join(err, <-a.done)
}

// record binds the hooks that write the journal.
func (a *App) record() {
	a.app.OnCollectionAfterCreateSuccess().BindFunc(func(e *core.CollectionEvent) error {
		fields := map[string]any{}
		for _, f := range e.Collection.Fields {
			fields[f.GetName()] = f.Type()
		}
		a.write(Entry{What: "collection create", Collection: e.Collection.Name, Values: fields})
		return e.Next()
	})
	record := func(what string) func(*core.RecordEvent) error {
		return func(e *core.RecordEvent) error {
			c := e.Record.Collection()
			if c.System || c.IsAuth() { // sessions and sign-ins, PocketBase's own bookkeeping
				return e.Next()
			}
			entry := Entry{What: what, Collection: c.Name, Values: e.Record.FieldsData()}
			var err error
			if entry.Served, err = a.Records(c.Name); err != nil {
				return fmt.Errorf("journal: %w", err)
			}
			a.write(entry)
			return e.Next()
		}
	}
	a.app.OnRecordAfterCreateSuccess().BindFunc(record("record create"))
	a.app.OnRecordAfterUpdateSuccess().BindFunc(record("record update"))
	a.app.OnRecordAfterDeleteSuccess().BindFunc(record("record delete"))
}

func (a *App) write(e Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.journal = append(a.journal, e)
}

// Journal returns the writes to this collection so far, in order.
func (a *App) Journal(collection string) []Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Entry
	for _, e := range a.journal {
		if e.Collection == collection {
			out = append(out, e)
		}
	}
	return out
}

// Records asks the HTTP API for the records of the collection.
func (a *App) Records(collection string) ([]map[string]any, error) {
	var page struct {
		Items []map[string]any `json:"items"`
	}
	err := a.get("/api/collections/"+url.PathEscape(collection)+"/records", &page)
	return page.Items, err
}

// Fields asks the HTTP API for the fields of the collection, name → type.
func (a *App) Fields(collection string) (map[string]string, error) {
	var c struct {
		Fields []struct{ Name, Type string } `json:"fields"`
	}
	if err := a.get("/api/collections/"+url.PathEscape(collection), &c); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range c.Fields {
		out[f.Name] = f.Type
	}
	return out, nil
}

// Reset removes the collection, if there is one, and forgets what was done to it.
func (a *App) Reset(collection string) error {
	c, err := a.app.FindCollectionByNameOrId(collection)
	if err == nil {
		err = a.app.Delete(c)
	} else if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.journal = slices.DeleteFunc(a.journal, func(e Entry) bool { return e.Collection == collection })
	return err
}

func (a *App) get(path string, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", a.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", path, resp.Status, strings.TrimSpace(string(body)))
	}
	return json.Unmarshal(body, into)
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func serve() error {
	dir, err := os.MkdirTemp("", "deed-e2e-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a, err := Start(dir, nil)
	if err != nil {
		return err
	}
	fmt.Printf("BASE_URL=%s EMAIL=%s PASSWORD=%s\n", a.URL, Email, Password)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	return a.Close()
}
