package origin

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/deed-dev/deed"
)

// Hosts is an allow-list of public hosts, each with its subdomains. The zero value allows none.
type Hosts struct{ names map[string]bool }

// ParseHosts reads an allow-list of trusted configuration: names in ASCII (internationalised ones as their xn-- form), in any
// letter case, with or without dots at their ends. An entry that could never match, or would match hosts of strangers (a
// top-level domain, a public suffix such as co.uk or github.io), is an error that names it.
func ParseHosts(entries []string) (Hosts, error) {
	h := Hosts{names: map[string]bool{}}
	for _, e := range entries {
		n, why, hint := hostEntry(e)
		if why != "" {
			return Hosts{}, &deed.Error{Op: "allowed host", Where: strconv.Quote(e), Code: deed.CodeInvalid, Err: fmt.Errorf("%s", why), Hint: hint}
		}
		h.names[n] = true
	}
	return h, nil
}

func hostEntry(e string) (host, why, hint string) {
	n := lower(strings.Trim(strings.Trim(e, " "), "."))
	switch {
	case n == "":
		return "", "a host is missing", ""
	case strings.ContainsAny(n, ":/@?#"):
		return "", "a host is a name alone, without scheme, port or path", "write example.com; one port of a host is opened as an origin"
	case strings.Contains(n, "*"):
		return "", "wildcards are not known", "a host includes its subdomains"
	case strings.IndexFunc(n, func(r rune) bool { return r > 0x7e }) >= 0:
		return "", "not ASCII", "write an internationalised name in its xn-- form"
	}
	n, ok := name(n)
	switch {
	case !ok:
		return "", "no valid host name", ""
	case numeric(n):
		return "", "an address cannot be an allowed host", "open its exact origin: http://" + n + ":8080"
	}
	suffix, _ := publicsuffix.PublicSuffix(n)
	switch {
	case !strings.Contains(n, ".") && !local(n) || n == suffix && !local(n):
		return "", "a public suffix, under which strangers have names", "name the host below it"
	case !Public(n):
		return "", "not a public host", "open its exact origin: http://" + n + ":8080"
	}
	return n, "", ""
}

// Match reports whether host is an entry or stands below one. A host that is not public matches nothing.
func (h Hosts) Match(host string) bool {
	n, ok := name(host)
	if !ok || !Public(n) {
		return false
	}
	for !h.names[n] {
		i := strings.IndexByte(n, '.')
		if i < 0 {
			return false
		}
		n = n[i+1:]
	}
	return true
}

// List returns the entries, sorted.
func (h Hosts) List() []string { return slices.Sorted(maps.Keys(h.names)) }

// An Origin is scheme, host and port. The zero value is no origin.
type Origin struct {
	Scheme string // http or https
	Host   string // lower case; IPv6 in its shortest form, without brackets
	Port   int
}

// Of returns the origin of a URL that passes [CheckURL]. The host is folded as far as ASCII goes; it may be a name that
// [Public] refuses, and legacy spellings of addresses stay as they are written: they equal no origin that can be granted.
func Of(url string) (Origin, error) {
	p, err := split(url)
	if err != nil {
		return Origin{}, &deed.Error{Op: "url", Code: deed.CodeInvalid, Err: err}
	}
	return p.origin(), nil
}

func (p parts) origin() Origin {
	o := Origin{Scheme: p.scheme, Host: lower(strings.TrimSuffix(p.host, ".")), Port: p.port}
	if p.v6 {
		if a, err := netip.ParseAddr(p.host); err == nil {
			o.Host = a.String()
		}
	}
	return o
}

// String is the form of the web: the scheme's own port is left out.
func (o Origin) String() string {
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.Scheme == "http" && o.Port == 80 || o.Scheme == "https" && o.Port == 443 {
		return o.Scheme + "://" + host
	}
	return o.Scheme + "://" + host + ":" + strconv.Itoa(o.Port)
}

// Parse reads an exact origin of trusted configuration: http://127.0.0.1:8080. A path, user information, a wildcard, a host
// that is not ASCII or an address in a legacy spelling is an error that names it; a final slash is forgiven.
func Parse(s string) (Origin, error) {
	bad := func(why, hint string) (Origin, error) {
		return Origin{}, &deed.Error{Op: "origin", Where: strconv.Quote(s), Code: deed.CodeInvalid, Err: fmt.Errorf("%s", why), Hint: hint}
	}
	const form = "write scheme, host and port: http://127.0.0.1:8080"
	p, err := split(s)
	if err != nil {
		return bad(err.Error(), form)
	}
	if rest := s[strings.Index(s, "://")+3:]; strings.ContainsAny(strings.TrimSuffix(rest, "/"), "/?#") {
		return bad("an origin has no path", form)
	}
	o := p.origin()
	if p.v6 {
		if a, _ := netip.ParseAddr(o.Host); a.Is4In6() {
			return bad("an IPv4 address is written as one", "http://"+a.Unmap().String())
		}
		return o, nil
	}
	n, ok := name(o.Host)
	if !ok {
		return bad("no valid host name", "a host is ASCII: letters, digits, - and dots")
	}
	if numeric(n) {
		if a, err := netip.ParseAddr(n); err != nil || a.String() != n {
			return bad("a legacy spelling of an address", "write four decimal numbers: 127.0.0.1")
		}
	}
	o.Host = n
	return o, nil
}

// A Reason says why a URL may or may not be reached. It is a fixed word, so that it can be shown and recorded whatever the URL
// holds.
type Reason string

const (
	GrantedOrigin   Reason = "granted_origin"      // its exact origin is open
	GrantedHost     Reason = "granted_host"        // its host is on the list of public hosts
	RefusedURL      Reason = "invalid_url"         // it fails [CheckURL]
	RefusedPrivate  Reason = "not_public"          // the host is not public, and its exact origin is not open
	RefusedForeign  Reason = "not_granted"         // the host is public, and nothing opens it
	RefusedNothing  Reason = "nothing_granted"     // nothing is open at all
	RefusedResolved Reason = "resolves_private"    // a public name leads to a private address
	RefusedUnknown  Reason = "resolves_to_nothing" // a public name without an address that could be checked
)

// Grants is what trusted configuration opened: exact origins, and public hosts with their subdomains on every port. The zero
// value and nil open nothing.
type Grants struct {
	hosts   Hosts
	origins map[Origin]bool
}

// ParseGrants reads the grants of trusted configuration. Its errors name the entry that is wrong.
func ParseGrants(origins, hosts []string) (*Grants, error) {
	h, err := ParseHosts(hosts)
	if err != nil {
		return nil, err
	}
	g := &Grants{hosts: h, origins: map[Origin]bool{}}
	for _, s := range origins {
		o, err := Parse(s)
		if err != nil {
			return nil, err
		}
		g.origins[o] = true
	}
	return g, nil
}

// Empty reports whether nothing is open.
func (g *Grants) Empty() bool { return g == nil || len(g.origins) == 0 && len(g.hosts.names) == 0 }

// Hosts returns the list of public hosts.
func (g *Grants) Hosts() []string {
	if g == nil {
		return nil
	}
	return g.hosts.List()
}

// Origins returns the exact origins, sorted by their text.
func (g *Grants) Origins() []Origin {
	if g == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(g.origins), func(a, b Origin) int { return strings.Compare(a.String(), b.String()) })
}

// Allows reports whether the URL may be requested, as far as its text tells, and why. Where a name is resolved, what it resolved
// to must pass [Grants.AllowsAddr] too.
func (g *Grants) Allows(url string) (bool, Reason) {
	p, err := split(url)
	switch {
	case err != nil:
		return false, RefusedURL
	case g.Empty():
		return false, RefusedNothing
	}
	host := p.host
	if p.v6 {
		host = "[" + host + "]"
	}
	switch {
	case g.origins[p.origin()]:
		return true, GrantedOrigin
	case !Public(host):
		return false, RefusedPrivate
	case !p.v6 && g.hosts.Match(host):
		return true, GrantedHost
	}
	return false, RefusedForeign
}

// AllowsAddr reports whether the URL may be requested from this address, which its host resolved to. A public name that leads
// to a private address is refused (DNS rebinding), even where its exact origin is open; only an origin whose host is itself
// not public (localhost, 127.0.0.1, a name of the local network) reaches private addresses. The invalid address, an answer
// that could not be had, is refused for public names.
func (g *Grants) AllowsAddr(url string, addr netip.Addr) (bool, Reason) {
	ok, why := g.Allows(url)
	if !ok {
		return false, why
	}
	p, _ := split(url)
	switch {
	case why == GrantedOrigin && !Public(p.host):
		return true, why
	case !addr.IsValid():
		return false, RefusedUnknown
	case PrivateIP(addr):
		return false, RefusedResolved
	}
	return true, why
}
