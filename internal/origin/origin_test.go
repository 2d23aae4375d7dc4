package origin_test

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/origin"
)

func TestAA12_URLsThatMayNotBeProposed(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("a", origin.MaxURL)
	for _, u := range []string{
		"", " ", "javascript:alert(1)", "JavaScript://example.com/%0aalert(1)", "file:///etc/passwd", "data:text/html,x", "about:blank", "ftp://example.com/",
		"ws://example.com/", "blob:https://example.com/1", "view-source:https://example.com/", "//example.com/", "/path", "example.com", "https:example.com",
		"https:/example.com", "https:///example.com", `https:\\example.com`, `https://evil.com\.example.com/`, `https://example.com/a\b`,
		"https://", "https://.", "https://..:80/", "https://:80/", "https://?x", "https://user@example.com/", "https://user:pw@example.com/", "https://@example.com/", "https://:@example.com/",
		"https://example.com/a b", "https://exa mple.com/", " https://example.com/", "https://example.com/\n", "https://exam\tple.com/", "https://example.com/\u00a0",
		"https://example.com/\u2028", "https://example.com/\u3000x", "https://example.com/\x00", "https://example.com/\x1b[0m", "https://example.com/\u200b",
		"https://exam\u00adple.com/", "https://example.com/\ufeff", "https://example.com/\u202etxt", "https://example.com/\u2060", "https://example.com/\ufe0f", "https://example.com/\u115f",
		"https://example.com/\xff", "https://[::1", "https://::1]/", "https://[::1]x/", "https://[zz]/", "https://[127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://a[::1]/", "https://[v1.a]/", "https://::1/",
		"https://example.com:0/", "https://example.com:65536/", "https://example.com:http/", "https://example.com:80:80/", "https://example.com:-1/", "https://example.com:+80/", "https://example.com:8 0/",
		"https://example.com:٨٠/", "https://[::1]:0/", "https://exa%6dple.com/", "https://example.com%2f.evil.com/", "https://<script>/", long,
	} {
		err := origin.CheckURL(u)
		if !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q: %v", u, err)
			continue
		}
		if g, perr := origin.ParseGrants([]string{"https://example.com"}, []string{"example.com"}); perr != nil {
			t.Fatal(perr)
		} else if ok, why := g.Allows(u); ok || why != origin.RefusedURL {
			t.Errorf("%q is allowed: %v %s", u, ok, why)
		}
	}
	for _, u := range []string{
		"http://example.com", "HTTPS://EXAMPLE.com/", "https://example.com:/", "https://example.com:443/a?b=c", "https://example.com:65535", "https://example.com:00080/",
		"https://faß.de/", "https://[::1]:8080/", "https://127.0.0.1/", "https://example.com/100%", `https://example.com/?a\b`, "https://example.com?@x", "https://example.com/é#@", "https://example.com./",
		"https://example.com/" + strings.Repeat("é", origin.MaxURL-20),
	} {
		if err := origin.CheckURL(u); err != nil {
			t.Errorf("%q: %v", u, err)
		}
	}
}

// notPublic is the table of hosts that are denied whatever the allow-list says.
var notPublic = []string{
	"127.0.0.1", "127.0.0.1.", "127.255.255.254", "localhost", "LOCALHOST", "localhost.", "a.localhost", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
	"100.64.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "0.0.0.0", "0.1.2.3",
	"[::1]", "::1", "[::]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[fec0::1]", "[4000::1]",
	"[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[::8.8.8.8]",
	"[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::8.8.8.8]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:470:1:1:0:5efe:7f00:1]", "[fe80::1%eth0]",
	"2130706433", "0x7f000001", "0X7F000001", "0177.0.0.1", "127.1", "127.0.1", "0", "0x", "09.1.1.1", "1.2.3.4.5", "256.1.1.1", "1.2.3.0x4", "example.0x7f", "017700000001", "0.0x7f", "1.2.3.4..",
	"metadata", "com", "x.local", "internal.corp", "a.internal", "router.lan", "nas.home", "wiki.intranet", "x.localdomain", "1.0.0.127.in-addr.arpa", "printer.home.arpa", "x.onion", "x.invalid",
	"", ".", "..", "example..com", ".example.com", "-a.com", "a-.com", "a_b.com", "exa%6dple.com", `evil.com\.example.com`, "faß.de", "ｅxample.com", "example。com", "exa mple.com", "example.com:80", "[example.com]",
	"[8.8.8.8]", strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127) + "com", "\u212aelvin.com", "user@example.com",
}

func TestAA13_NeverPublicWhateverIsListed(t *testing.T) {
	g, err := origin.ParseGrants(nil, []string{"example.com", "com.de.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range notPublic {
		if origin.Public(h) {
			t.Errorf("%q is public", h)
		}
		in := h
		if strings.Contains(h, ":") && !strings.HasPrefix(h, "[") {
			in = "[" + h + "]"
		}
		if ok, why := g.Allows("http://" + in + "/"); ok {
			t.Errorf("%q is allowed: %s", h, why)
		}
	}
	if origin.Public("example.com/") {
		t.Error("a path is no part of a host")
	}
	for _, h := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "[2606:4700::1111]", "2606:4700::1111", "[64:ff9b::8.8.8.8]", "[2002:808:808::1]", "example.com", "EXAMPLE.com.", "bad.cafe",
		"dead.beef", "xn--fa-hia.de", "a1.b-c.example", "0x7g.com", "1.com", "localhost.example.com", "x.com.1a", "local.example"} {
		if !origin.Public(h) {
			t.Errorf("%q is not public", h)
		}
	}
}

func TestAA13_OnlyAnExactOriginOpensLoopback(t *testing.T) {
	g, err := origin.ParseGrants([]string{"http://127.0.0.1:8080", "HTTP://LocalHost:3000/", "http://[0:0::1]:9000", "https://wiki.corp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]bool{
		"http://127.0.0.1:8080/a?b": true, "HTTP://127.0.0.1:8080": true, "http://127.0.0.1:08080/": true, "http://localhost:3000/x": true, "http://LOCALHOST:3000": true, "http://[::1]:9000/": true,
		"https://wiki.corp/": true, "https://wiki.corp:443/": true,
		"http://127.0.0.1/": false, "http://127.0.0.1:8081/": false, "https://127.0.0.1:8080/": false, "http://127.0.0.2:8080/": false, "http://localhost:8080/": false, "http://127.1:8080/": false,
		"http://2130706433:8080/": false, "http://0x7f000001:8080/": false, "http://[::ffff:127.0.0.1]:8080/": false, "http://a.localhost:3000/": false, "http://wiki.corp/": false, "https://a.wiki.corp/": false, "http://8.8.8.8/": false,
	} {
		if ok, why := g.Allows(u); ok != want {
			t.Errorf("%s: %v %s", u, ok, why)
		}
	}
}

func TestAA14_AA15_HostAndSubdomains(t *testing.T) {
	g, err := origin.ParseGrants(nil, []string{" .Example.COM. "})
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]origin.Reason{
		"https://example.com/": origin.GrantedHost, "http://docs.example.com:8080/": origin.GrantedHost, "https://a.b.EXAMPLE.com./": origin.GrantedHost,
		"https://example.org/": origin.RefusedForeign, "https://notexample.com/": origin.RefusedForeign, "https://example.com.evil.org/": origin.RefusedForeign, `https://evil.com\.example.com/`: origin.RefusedURL,
		"https://com/": origin.RefusedPrivate, "https://a_b.example.com/": origin.RefusedPrivate,
	} {
		if ok, why := g.Allows(u); why != want || ok != (want == origin.GrantedHost) {
			t.Errorf("%s: %v %s, want %s", u, ok, why, want)
		}
	}
}

func TestAA16_AA18_InternationalNames(t *testing.T) {
	for entry, urls := range map[string]map[string]bool{
		"fass.de":       {"https://faß.de/": false, "https://fass.de/": true, "https://xn--fa-hia.de/": false},
		"XN--FA-hia.De": {"https://xn--fa-hia.de/": true, "https://a.XN--fa-HIA.de/": true, "https://faß.de/": false, "https://fass.de/": false},
	} {
		g, err := origin.ParseGrants(nil, []string{entry})
		if err != nil {
			t.Fatal(err)
		}
		for u, want := range urls {
			if ok, why := g.Allows(u); ok != want {
				t.Errorf("%s under %s: %v %s", u, entry, ok, why)
			}
		}
	}
}

func TestAA17_ListEntriesThatAreMistakes(t *testing.T) {
	for _, e := range []string{"faß.de", "", " ", ".", "com", "de", "co.uk", "github.io", "localhost", "a.local", "x.internal", "*.example.com", "*", "https://example.com", "example.com:80", "example.com/a", "a@b.com", "a?b.com", "a#b.com",
		"exa mple.com", "127.0.0.1", "8.8.8.8", "0x7f.1", "2130706433", "[::1]", "a_b.com", "-a.com", "a..com", "example。com", "\u212aelvin.com"} {
		_, err := origin.ParseHosts([]string{"example.com", e})
		if !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q: %v", e, err)
		}
	}
	for _, o := range []string{"", "example.com", "127.0.0.1:8080", "http://127.0.0.1:8080/a", "http://127.0.0.1:8080?x", "http://127.0.0.1:8080//", "http://*:8080", "http://127.0.0.1:*", "http://2130706433", "http://127.1", "http://0177.0.0.1",
		"http://[::ffff:127.0.0.1]", "https://u@example.com", "https://faß.de", "file:///", "http://a_b", "http://127.0.0.1:0"} {
		_, err := origin.ParseGrants([]string{o}, nil)
		if !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%q: %v", o, err)
		}
	}
	h, err := origin.ParseHosts([]string{"b.example", "a.co.uk", "me.github.io", "A.co.uk."})
	if err != nil || strings.Join(h.List(), " ") != "a.co.uk b.example me.github.io" {
		t.Errorf("%v %v", h.List(), err)
	}
}

func TestAA19_NothingIsOpenByDefault(t *testing.T) {
	var none *origin.Grants
	var zero origin.Grants
	parsed, err := origin.ParseGrants(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*origin.Grants{none, &zero, parsed} {
		for _, u := range []string{"https://example.com/", "http://127.0.0.1/", "http://8.8.8.8/"} {
			if ok, why := g.Allows(u); ok || why != origin.RefusedNothing {
				t.Errorf("%s: %v %s", u, ok, why)
			}
		}
		if !g.Empty() || g.Hosts() != nil && len(g.Hosts()) > 0 || len(g.Origins()) > 0 {
			t.Error("nothing is granted, yet something is listed")
		}
	}
	var hosts origin.Hosts
	if hosts.Match("example.com") {
		t.Error("the empty list matches")
	}
}

func TestANameThatResolvesToAPrivateAddress(t *testing.T) {
	g, err := origin.ParseGrants([]string{"http://127.0.0.1:8080", "http://localhost:8080", "https://pay.example.org"}, []string{"example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url, addr string
		why       origin.Reason
	}{
		{"https://example.com/", "93.184.216.34", origin.GrantedHost},
		{"https://example.com/", "127.0.0.1", origin.RefusedResolved},
		{"https://example.com/", "::ffff:10.0.0.1", origin.RefusedResolved},
		{"https://example.com/", "::ffff:93.184.216.34", origin.GrantedHost},
		{"https://example.com/", "64:ff9b::a00:1", origin.RefusedResolved},
		{"https://example.com/", "fe80::1%eth0", origin.RefusedResolved},
		{"https://example.com/", "", origin.RefusedUnknown},
		{"https://pay.example.org/", "192.168.0.1", origin.RefusedResolved},
		{"https://pay.example.org/", "93.184.216.34", origin.GrantedOrigin},
		{"http://127.0.0.1:8080/", "127.0.0.1", origin.GrantedOrigin},
		{"http://localhost:8080/", "::1", origin.GrantedOrigin},
		{"https://example.net/", "93.184.216.34", origin.RefusedForeign},
	} {
		var a netip.Addr
		if c.addr != "" {
			a = netip.MustParseAddr(c.addr)
		}
		ok, why := g.AllowsAddr(c.url, a)
		if why != c.why || ok != (why == origin.GrantedHost || why == origin.GrantedOrigin) {
			t.Errorf("%s at %s: %v %s, want %s", c.url, c.addr, ok, why, c.why)
		}
	}
}

func TestOriginsSurviveTheirForm(t *testing.T) {
	for in, want := range map[string]string{"HTTP://Example.com:80": "http://example.com", "https://example.com:443/": "https://example.com", "http://[0:0::1]:80": "http://[::1]", "https://example.com:80": "https://example.com:80"} {
		o, err := origin.Parse(in)
		if err != nil || o.String() != want {
			t.Errorf("%s is %s, %v", in, o, err)
		}
		again, err := origin.Parse(o.String())
		if err != nil || again != o {
			t.Errorf("%s reads back as %v, %v", o, again, err)
		}
	}
}

// TestEveryReservedAddressInEveryDress: whatever way an IPv4 address that is not public is carried by an IPv6 address, it is not
// public, and no decimal, octal or hexadecimal spelling of any address is.
func TestEveryReservedAddressInEveryDress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := netip.MustParsePrefix(rapid.SampledFrom([]string{"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/4", "240.0.0.0/4"}).Draw(t, "prefix"))
		b := p.Addr().As4()
		r := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "host")
		for i := range b {
			for bit := range 8 {
				if i*8+bit >= p.Bits() {
					b[i] |= r[i] & (0x80 >> bit)
				}
			}
		}
		a := netip.AddrFrom4(b)
		mapped := netip.AddrFrom16(a.As16())
		n := netip.MustParseAddr("64:ff9b::").As16()
		copy(n[12:], b[:])
		s := netip.MustParseAddr("2002::1").As16()
		copy(s[2:], b[:])
		for _, x := range []netip.Addr{a, mapped, netip.AddrFrom16(n), netip.AddrFrom16(s)} {
			if !origin.PrivateIP(x) || origin.Public(x.String()) {
				t.Fatalf("%s, which carries %s, is public", x, a)
			}
		}
	})
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{"https://example.com/a?b#c", "http://127.0.0.1:8080", "https://[::1]:80/", "https://@a/", `https://a\b/`, "HTTP://A:0", "https://exa%6dple.com", "https://faß.de:443/", "https:///x", "https://a:/"} {
		f.Add(s)
	}
	g, err := origin.ParseGrants([]string{"http://127.0.0.1:8080"}, []string{"example.com"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := origin.CheckURL(s)
		ok, why := g.Allows(s)
		if err != nil {
			if !errors.Is(err, deed.CodeInvalid) || ok || why != origin.RefusedURL {
				t.Fatalf("%q: %v, %v %s", s, err, ok, why)
			}
			return
		}
		if !ok {
			return
		}
		// The standard library must see the same host.
		u, perr := url.Parse(s)
		if perr != nil {
			if u, perr = url.Parse(s[:strings.IndexAny(s+"/", "/?#")+2] + strings.FieldsFunc(s[strings.Index(s, "://")+3:], func(r rune) bool { return strings.ContainsRune("/?#", r) })[0]); perr != nil {
				t.Fatalf("%q is allowed and cannot be parsed: %v", s, perr)
			}
		}
		h := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		if h != "127.0.0.1" && h != "example.com" && !strings.HasSuffix(h, ".example.com") || u.User != nil {
			t.Fatalf("%q is allowed (%s) and its host is %q", s, why, h)
		}
	})
}

func FuzzPublic(f *testing.F) {
	for _, s := range notPublic {
		f.Add(s)
	}
	f.Add("example.com")
	f.Add("8.8.8.8")
	f.Fuzz(func(t *testing.T, s string) {
		if !origin.Public(s) {
			return
		}
		bare := strings.TrimSuffix(strings.Trim(s, "[]"), ".")
		if a, err := netip.ParseAddr(bare); err == nil {
			if origin.PrivateIP(a) || a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
				t.Fatalf("%q is public", s)
			}
			return
		}
		if !strings.Contains(bare, ".") || strings.HasSuffix(strings.ToLower(bare), ".localhost") || strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || r <= ' ' || strings.ContainsRune("%@/:_\\?#", r) }) {
			t.Fatalf("%q is public", s)
		}
	})
}
