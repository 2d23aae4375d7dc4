package origin

import (
	"net/netip"
	"strings"
)

// Public reports whether a host is a name or an address of the public internet. It fails closed: what is not certainly public is
// not. Not public are localhost and what stands below it, single labels, names of local networks (.local, .internal, …),
// private and reserved addresses, IPv6 addresses that carry a private IPv4 address, every IPv4-mapped address, every other way
// of writing an IPv4 address than four plain decimals, and what is no DNS name in ASCII. A name that is public may still
// resolve to a private address: see [PrivateIP].
//
// The host is written as in a URL, without a port; brackets around IPv6 are optional.
func Public(host string) bool {
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
		if !strings.Contains(host, ":") {
			return false
		}
	}
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		return err == nil && !a.Is4In6() && a.Zone() == "" && !PrivateIP(a)
	}
	host, ok := name(host)
	if !ok {
		return false
	}
	if numeric(host) {
		a, err := netip.ParseAddr(host)
		return err == nil && !PrivateIP(a)
	}
	return strings.Contains(host, ".") && !local(host)
}

// name folds a host to lower case and strips one final dot; ok is false for what DNS does not allow.
func name(host string) (string, bool) {
	host = lower(strings.TrimSuffix(host, "."))
	if host == "" || len(host) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(host, ".") {
		if len(label) < 1 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return "", false
		}
		for i := range len(label) {
			if c := label[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return "", false
			}
		}
	}
	return host, true
}

// numeric reports whether browsers take the host for an IPv4 address: its last label is a number, decimal or hexadecimal. They
// then accept what [netip.ParseAddr] does not: 2130706433, 0x7f.1, 0177.0.0.1.
func numeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// locals are the endings of names that no public DNS answers: special-use names, and those that networks at home and at work use.
var locals = []string{"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "arpa", "onion", "invalid"}

func local(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	for _, l := range locals {
		if last == l {
			return true
		}
	}
	return false
}

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// The IANA special-purpose registries, by what is not globally reachable; the exceptions inside 192.0.0.0/24 and 2001::/23 are
// no places for a web page and stay refused.
var (
	reserved4 = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")
	global6   = netip.MustParsePrefix("2000::/3")
	reserved6 = prefixes("2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48")
	teredo    = netip.MustParsePrefix("2001::/32")
	sixToFour = netip.MustParsePrefix("2002::/16")
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
)

// PrivateIP reports whether an address is none of the public internet: loopback, private, link-local, shared, reserved,
// documentation, multicast, unspecified or invalid, or an IPv6 address that reaches such an IPv4 address (mapped, NAT64, 6to4;
// Teredo always). It is the check of what a public name resolved to.
func PrivateIP(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	switch {
	case !a.IsValid():
		return true
	case a.Is4():
		return within(a, reserved4)
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return PrivateIP(netip.AddrFrom4([4]byte(b[12:16])))
	case sixToFour.Contains(a):
		return PrivateIP(netip.AddrFrom4([4]byte(b[2:6])))
	case !global6.Contains(a), teredo.Contains(a), within(a, reserved6):
		return true
	}
	// ISATAP tunnels: the interface identifier names the IPv4 address.
	if (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		return PrivateIP(netip.AddrFrom4([4]byte(b[12:16])))
	}
	return false
}

func within(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
