package policy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// The hints: what an element's words and facts suggest of a press on it. A hint raises the risk, and is never the only wall.
const (
	HintDestructive = "destructive"     // its name, or where it leads, speaks of taking away for good
	HintPaying      = "paying"          // … of spending money
	HintElsewhere   = "posts-elsewhere" // its form is sent to another origin
	HintSensitive   = "sensitive"       // it holds what must not be seen
	HintResends     = "resends"         // the page is the answer to a form, and loading it anew sends that again: an order, a payment
)

var hints = []string{HintDestructive, HintPaying, HintElsewhere, HintSensitive, HintResends}

// ElementRisk is what an element implies for an action that presses it, with the hints that it comes from, sorted. facts may be nil.
func ElementRisk(n *deed.Node, f *deed.Facts) (deed.Risk, []string) {
	return elementRisk(n, f, true)
}

// elementRisk is ElementRisk; where the element is not pressed its words say nothing of what happens.
func elementRisk(n *deed.Node, f *deed.Facts, pressed bool) (deed.Risk, []string) {
	if n == nil {
		return deed.RiskNone, nil
	}
	risk := deed.RiskNone
	var out []string
	hint := func(h string, r deed.Risk) {
		out = append(out, h)
		risk = max(risk, r)
	}
	if pressed {
		said := n.Name
		if n.Role == "option" || n.Role == "text" || !n.HasValue {
			said += " " + n.Value
		}
		destructive, paying := words.Hazards(said)
		if f != nil {
			urls := []string{f.Href}
			if f.Submits {
				urls = append(urls, f.FormAction)
			}
			for _, u := range urls {
				if p := path(u); p != "" {
					d, y := words.Hazards(p)
					destructive, paying = destructive || d, paying || y
				}
			}
		}
		if destructive {
			hint(HintDestructive, deed.RiskCritical)
		}
		if paying {
			hint(HintPaying, deed.RiskCritical)
		}
		if f != nil && f.Submits && strings.EqualFold(f.FormMethod, "POST") && originOf(f.FormAction) != originOf(f.FrameURL) {
			hint(HintElsewhere, deed.RiskExternal)
		}
	}
	if n.Sensitive {
		hint(HintSensitive, deed.RiskExternal)
	}
	slices.Sort(out)
	return risk, out
}

// path is what words may be found in of a URL: its path and query.
func path(raw string) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return ""
	}
	p := strings.Trim(u.Path, "/")
	if u.RawQuery != "" {
		if q, err := url.QueryUnescape(u.RawQuery); err == nil {
			p += " " + q
		}
	}
	return toWords.Replace(p)
}

// A full stop ends a phrase.
var toWords = strings.NewReplacer("/", " . ", "-", " ", "_", " ", "=", " ", "&", " . ", ".", " . ")

// originOf is scheme, host and port of a URL, as browsers write an origin; "" where there is none.
func originOf(raw string) string {
	raw = trimmed(raw)
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme == "blob" {
		return originOf(u.Opaque)
	}
	if u.Host == "" || scheme == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	switch scheme {
	case "http", "ws":
		host = strings.TrimSuffix(host, ":80")
	case "https", "wss":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host
}

// trimmed is a URL as browsers read it: without what they drop.
func trimmed(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if !strings.ContainsAny(raw, "\t\n\r") {
		return raw
	}
	return dropped.Replace(raw)
}

var dropped = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func hasScheme(raw, scheme string) bool {
	raw = trimmed(raw)
	return len(raw) > len(scheme) && raw[len(scheme)] == ':' && strings.EqualFold(raw[:len(scheme)], scheme)
}

// script reports a URL that is a script.
func script(raw string) bool { return hasScheme(raw, "javascript") }

// inherits reports the URL of a document that has the origin of the one around it.
func inherits(raw string) bool {
	return raw == "" || raw == "about:srcdoc" || strings.HasPrefix(raw, "about:blank") && (len(raw) == 11 || raw[11] == '#' || raw[11] == '?')
}
