package gate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/origin"
)

// An Egress holds what leaves the browser to what trusted configuration opened: the method, the address as it is written, and the
// address that its name leads to. Its methods are safe for concurrent use.
type Egress struct {
	grants  *origin.Grants
	methods []string
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	mu    sync.Mutex
	known map[string]resolved
}

type resolved struct {
	addrs []netip.Addr
	err   error
	until time.Time
}

// resolvedFor is how long an answer of the name service is taken for true.
const resolvedFor = 10 * time.Second

// methods that a request may be granted. CONNECT and TRACE are not among them: they reach what lies behind a server.
var grantable = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// NewEgress makes a rule of what is open. Methods nil is GET alone; an empty list lets nothing leave. A resolver of nil is the
// system's. Fails with [deed.CodeInvalid] for a method that cannot be granted.
func NewEgress(g *origin.Grants, methods []string, resolve func(ctx context.Context, host string) ([]netip.Addr, error)) (*Egress, error) {
	if methods == nil {
		methods = []string{"GET"}
	}
	for _, m := range methods {
		if !slices.Contains(grantable, m) {
			return nil, &deed.Error{Op: "policy", Code: deed.CodeInvalid, Where: "methods", Err: fmt.Errorf("%q cannot be allowed", m), Hint: "one of GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"}
		}
	}
	if resolve == nil {
		resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &Egress{grants: g, methods: slices.Clone(methods), resolve: resolve, known: map[string]resolved{}}, nil
}

// Opens reports whether trusted configuration opened an address, as it is written: where its name leads is looked at when something
// leaves. Nil opens everything.
func (e *Egress) Opens(address string) bool {
	if e == nil {
		return true
	}
	ok, _ := e.grants.Allows(address)
	return ok
}

// Page says why a top-level page may not be opened at this address; "" lets it.
func (e *Egress) Page(ctx context.Context, address string) string { return e.Why(ctx, "", address) }

// Why says why a request may not leave; "" lets it. The method "" is not looked at.
func (e *Egress) Why(ctx context.Context, method, address string) string {
	if method != "" && !slices.Contains(e.methods, method) {
		return "the method is not allowed"
	}
	ok, reason := e.grants.Allows(address)
	if !ok {
		return told(reason)
	}
	u, err := url.Parse(address)
	if err != nil {
		return told(origin.RefusedURL)
	}
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		_, reason = e.grants.AllowsAddr(address, addr)
		return told(reason)
	}
	if !origin.Public(host) {
		return "" // its exact origin is open: where it leads was the configuration's choice
	}
	addrs, err := e.lookup(ctx, host)
	if err != nil || len(addrs) == 0 {
		return told(origin.RefusedUnknown)
	}
	for _, addr := range addrs { // the browser may take any of them
		if ok, reason := e.grants.AllowsAddr(address, addr); !ok {
			return told(reason)
		}
	}
	return ""
}

func (e *Egress) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	e.mu.Lock()
	r, ok := e.known[host]
	e.mu.Unlock()
	if ok && time.Now().Before(r.until) {
		return r.addrs, r.err
	}
	addrs, err := e.resolve(ctx, host)
	if err != nil && ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	e.mu.Lock()
	e.known[host] = resolved{addrs, err, time.Now().Add(resolvedFor)}
	e.mu.Unlock()
	return addrs, err
}

// told is a reason in words.
func told(r origin.Reason) string {
	switch r {
	case origin.GrantedHost, origin.GrantedOrigin:
		return ""
	case origin.RefusedURL:
		return "the address is none that may be asked for"
	case origin.RefusedPrivate:
		return "the host is not public, and its exact origin is not allowed"
	case origin.RefusedForeign:
		return "the origin is not allowed"
	case origin.RefusedNothing:
		return "no origin is allowed"
	case origin.RefusedResolved:
		return "the name leads to a private address"
	case origin.RefusedUnknown:
		return "where the name leads could not be found out"
	}
	return "it is not allowed"
}
