package browser

import (
	"context"
	"strings"

	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/origin"
	"github.com/deed-dev/deed/internal/page"
)

// A Policy holds a browser to what trusted configuration opened. It is never made from what a proposer sent. The zero value opens
// nothing.
type Policy struct {
	Origins []string // exact origins: https://pay.example, http://127.0.0.1:8080; the only way to a private address
	Hosts   []string // public hosts, with their subdomains
	Methods []string // of requests: GET HEAD OPTIONS POST PUT PATCH DELETE; nil is GET alone, an empty list lets nothing leave

	// TopOnly holds the pages that a person would see in the address bar to the origins, and lets what they load load: what a case
	// file gets unless it asks for more. Popups, sockets, workers and downloads are then as in any browser.
	TopOnly bool
}

// egress makes the rule of a policy. Fails with [deed.CodeInvalid] for entries that open what cannot be opened.
func (p *Policy) egress() (*gate.Egress, error) {
	if p == nil {
		return nil, nil
	}
	g, err := origin.ParseGrants(p.Origins, p.Hosts)
	if err != nil {
		return nil, err
	}
	return gate.NewEgress(g, p.Methods, nil)
}

// rule is what a page asks about each thing that is about to leave.
func (p *Page) rule() page.Egress {
	if p.egress == nil {
		return nil
	}
	topOnly := p.policy.TopOnly
	return func(ctx context.Context, r page.Outgoing) string {
		if !topOnly {
			return p.egress.Why(ctx, r.Method, r.URL)
		}
		if !r.Top {
			return ""
		}
		return p.egress.Page(ctx, r.URL)
	}
}

// resolverArgs keep the browser from looking up any name that is not open: what no interceptor of requests sees (a prefetched
// name, a socket of its own) then leads nowhere. Only a browser that is launched for the policy can be told.
func (p *Policy) resolverArgs() []string {
	if p == nil || p.TopOnly {
		return nil
	}
	rules := []string{"MAP * ~NOTFOUND"}
	for _, h := range p.Hosts {
		rules = append(rules, "EXCLUDE "+h, "EXCLUDE *."+h)
	}
	for _, o := range p.Origins {
		if parsed, err := origin.Parse(o); err == nil {
			rules = append(rules, "EXCLUDE "+parsed.Host)
		}
	}
	return []string{"--host-resolver-rules=" + strings.Join(rules, " , ")}
}

// strict reports whether everything that leaves is held, not only pages.
func (p *Page) strict() bool { return p.egress != nil && !p.policy.TopOnly }
