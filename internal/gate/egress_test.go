package gate_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/origin"
)

func grants(t *testing.T, origins, hosts []string) *origin.Grants {
	t.Helper()
	g, err := origin.ParseGrants(origins, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// names is a name service of a test; it fails for names that it does not know.
func names(table map[string]string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		var out []netip.Addr
		for _, a := range strings.Fields(table[host]) {
			out = append(out, netip.MustParseAddr(a))
		}
		if out == nil {
			return nil, errors.New("no such host")
		}
		return out, nil
	}
}

func TestEgressRule(t *testing.T) {
	g := grants(t, []string{"http://127.0.0.1:8080", "http://localhost:9090"}, []string{"example.com"})
	e, err := gate.NewEgress(g, nil, names(map[string]string{
		"example.com": "93.184.215.14", "rebind.example.com": "127.0.0.1", "both.example.com": "93.184.215.14 10.0.0.1", "six.example.com": "::ffff:10.0.0.1",
		"docs.example.com": "2606:2800:21f:cb07:6820:80da:af6b:8b2c"}))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://example.com/":               "",
		"https://docs.example.com/a":         "",
		"https://example.org/":               "origin is not allowed",
		"https://notexample.com/":            "origin is not allowed",
		"http://127.0.0.1:8080/x":            "",
		"http://127.0.0.1:8081/x":            "not public",
		"https://127.0.0.1:8080/x":           "not public",
		"http://localhost:9090/":             "",
		"http://localhost:8080/":             "not public",
		"http://10.0.0.1/":                   "not public",
		"http://[::1]:8080/":                 "not public",
		"https://rebind.example.com/":        "private address",
		"https://both.example.com/":          "private address",
		"https://six.example.com/":           "private address",
		"https://unknown.example.com/":       "could not be found out",
		"file:///etc/passwd":                 "none that may be asked for",
		"data:text/html,x":                   "none that may be asked for",
		"blob:https://example.com/1-2":       "none that may be asked for",
		"https://user:pw@example.com/":       "none that may be asked for",
		"javascript:alert(1)":                "none that may be asked for",
		`https://evil.com\.example.com/`:     "none that may be asked for",
		"https://xn--exmple-cua.example.com": "could not be found out",
	} {
		got := e.Why(t.Context(), "GET", address)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
		if strings.Contains(got, "example") {
			t.Errorf("the reason repeats the address: %s", got)
		}
	}
}

func TestAA40_AGrantedMethodOpensNoOrigin(t *testing.T) {
	e, err := gate.NewEgress(grants(t, []string{"http://127.0.0.1:8080"}, nil), []string{"GET", "POST"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, address, want string }{
		{"POST", "http://127.0.0.1:8080/save", ""}, {"GET", "http://127.0.0.1:8080/", ""}, {"PUT", "http://127.0.0.1:8080/", "method"},
		{"POST", "http://127.0.0.1:8081/save", "not public"}, {"POST", "https://example.com/", "not allowed"}, {"get", "http://127.0.0.1:8080/", "method"},
	} {
		if got := e.Why(t.Context(), tt.method, tt.address); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.address, got, tt.want)
		}
	}
}

func TestAA41_MethodsThatCannotBeGranted(t *testing.T) {
	for _, m := range []string{"CONNECT", "TRACE", "get", " GET", "", "PROPFIND", "GET,POST"} {
		if _, err := gate.NewEgress(nil, []string{m}, nil); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q: %v", m, err)
		}
	}
	e, err := gate.NewEgress(grants(t, []string{"http://127.0.0.1:8080"}, nil), []string{}, nil)
	if err != nil || e.Why(t.Context(), "GET", "http://127.0.0.1:8080/") == "" {
		t.Errorf("an empty list of methods lets something leave: %v", err)
	}
}

func TestNothingOpenLetsNothingLeave(t *testing.T) {
	e, err := gate.NewEgress(nil, nil, nil)
	if err != nil || e.Why(t.Context(), "GET", "https://example.com/") == "" {
		t.Errorf("it leaves: %v", err)
	}
}

// A name is asked for once in a while, not for each request; an answer that failed for want of time is not kept.
func TestNamesAreRemembered(t *testing.T) {
	n := 0
	e, err := gate.NewEgress(grants(t, nil, []string{"example.com"}), nil, func(ctx context.Context, _ string) ([]netip.Addr, error) {
		n++
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if e.Why(ended, "GET", "https://example.com/") == "" {
		t.Error("an undecided request leaves")
	}
	for range 3 {
		if why := e.Why(t.Context(), "GET", "https://example.com/"); why != "" {
			t.Error(why)
		}
	}
	if n != 2 {
		t.Errorf("asked %d times", n)
	}
}
