// Package proposaltest draws proposals for tests: every kind, with every param that it takes.
//
// Law of this package: for tests alone. It writes the wire form from the published forms and knows nothing of how it is read.
package proposaltest

import (
	"encoding/json"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
)

var (
	name  = rapid.StringMatching(`[a-zA-Z<é漢&"\\]{1}[ -~é漢\x{2028}]{0,10}`)
	seen  = rapid.StringMatching(`[a-zA-Z<é漢&"\\]{1}[ -~é漢]{0,10}`) // nothing invisible
	plain = rapid.StringMatching(`[a-z]{1,8}`)
	lines = rapid.StringMatching(`[ -~\n\té😀]{0,20}`)
)

// Locator draws a locator object.
func Locator() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		m := map[string]any{rapid.SampledFrom(deed.Roles()).Draw(t, "role"): rapid.OneOf(name, rapid.Just(""), rapid.Just("/a.*b/i")).Draw(t, "name")}
		maybe(t, m, "in", name.AsAny())
		maybe(t, m, "frame", name.AsAny())
		maybe(t, m, "near", name.AsAny())
		maybe(t, m, "nth", rapid.IntRange(1, 9).AsAny())
		maybe(t, m, "exact", rapid.Bool().AsAny())
		return m
	})
}

func maybe(t *rapid.T, m map[string]any, key string, g *rapid.Generator[any]) {
	if rapid.IntRange(0, 2).Draw(t, key+"?") == 0 {
		m[key] = g.Draw(t, key)
	}
}

// Expect draws an expectation.
func Expect() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		f := rapid.SampledFrom(proposal.ExpectForms()).Draw(t, "form")
		key := string(f.Kind)
		loc := func() any {
			m := Locator().Draw(t, "locator")
			for role := range m {
				if deed.KnownRole(role) {
					m[role] = "named"
				}
			}
			return m
		}
		m := map[string]any{}
		switch f.Kind {
		case deed.ExpectValue:
			m[key], m["equals"] = loc(), lines.Draw(t, "equals")
		case deed.ExpectState:
			m[key] = loc()
			for range rapid.IntRange(1, 3).Draw(t, "states") {
				m[rapid.SampledFrom(f.Beside).Draw(t, "state")] = rapid.Bool().Draw(t, "on")
			}
		case deed.ExpectCount:
			m[key] = loc()
			switch rapid.IntRange(0, 2).Draw(t, "count") {
			case 0:
				m["equals"] = rapid.IntRange(0, 5).Draw(t, "equals")
			case 1:
				m["min"] = rapid.IntRange(1, 5).Draw(t, "min")
			default:
				m["min"], m["max"] = rapid.IntRange(0, 3).Draw(t, "min"), rapid.IntRange(3, 5).Draw(t, "max")
			}
		case deed.ExpectText:
			m[key] = name.Draw(t, "text")
			maybe(t, m, "in", name.AsAny())
			maybe(t, m, "frame", name.AsAny())
		case deed.ExpectURL, deed.ExpectTitle, deed.ExpectDialog, deed.ExpectPopup, deed.ExpectDownload:
			m[key] = plain.Draw(t, "text")
		case deed.ExpectRequest:
			r := map[string]any{"method": rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method")}
			maybe(t, r, "url", plain.AsAny())
			maybe(t, r, "status", rapid.IntRange(100, 599).AsAny())
			m[key] = r
		case deed.ExpectNoErrors:
			m[key] = true
		default:
			m[key] = loc()
		}
		return m
	})
}

func target(t *rapid.T, m map[string]any) {
	switch rapid.IntRange(0, 3).Draw(t, "target") {
	case 0:
		m["locator"] = Locator().Draw(t, "locator")
	case 1:
		m["ref"] = rapid.SampledFrom([]string{"s1:e1", "s12:e345"}).Draw(t, "ref")
	case 2:
		m["selector"] = name.Draw(t, "selector")
	default:
		m["x"], m["y"] = coordinate.Draw(t, "x"), coordinate.Draw(t, "y")
	}
}

var coordinate = rapid.OneOf(rapid.Float64Range(-proposal.MaxPoint, proposal.MaxPoint).AsAny(), rapid.IntRange(-100, 1000).AsAny())

// params draws what belongs to a kind.
func params(t *rapid.T, f proposal.Form) map[string]any {
	m := map[string]any{}
	url := rapid.SampledFrom([]string{"https://example.com/a?b=c#d", "http://127.0.0.1:8080", "HTTPS://EXAMPLE.com:443/é"})
	if f.Target == proposal.MustTarget || f.Target == proposal.MayTarget && f.Name != "scroll" && rapid.Bool().Draw(t, "targeted") {
		target(t, m)
	}
	value := func() {
		if rapid.IntRange(0, 3).Draw(t, "secret") == 0 {
			m["secret"] = "PASSWORD"
		} else {
			m["text"] = lines.Draw(t, "text")
		}
	}
	switch f.Name {
	case "navigate", "goto":
		m["url"] = url.Draw(t, "url")
	case "click":
		maybe(t, m, "button", rapid.SampledFrom([]any{"left", "middle", "right"}))
	case "type":
		bare := len(m) == 0
		value()
		maybe(t, m, "press_enter", rapid.Bool().AsAny())
		if !bare {
			maybe(t, m, "append", rapid.Bool().AsAny())
		}
	case "fill":
		value()
		maybe(t, m, "enter", rapid.Bool().AsAny())
	case "press":
		m["key"] = rapid.SampledFrom([]string{"Enter", "a", "Control+A", "Control+Shift+ArrowDown", "+", "Alt++", "é"}).Draw(t, "key")
	case "select":
		m["options"] = rapid.SliceOfN(lineless, 1, 3).Draw(t, "options")
	case "upload":
		m["files"] = rapid.SliceOfN(rapid.SampledFrom([]string{"a.pdf", "in/b.txt"}), 0, 2).Draw(t, "files")
	case "drag":
		switch k := rapid.SampledFrom([]string{"to", "in", "before", "after"}).Draw(t, "drop"); k {
		case "to":
			m["drop"] = map[string]any{"to": Locator().Draw(t, "to")}
		default:
			m["drop"] = map[string]any{k: name.Draw(t, "name")}
		}
	case "scroll":
		scroll(t, m)
	case "tab":
		m["tab"] = rapid.SampledFrom([]string{"open", "switch", "close"}).Draw(t, "tab")
		switch m["tab"] {
		case "open":
			m["text"] = url.Draw(t, "url")
		case "switch":
			m["text"] = name.Draw(t, "title")
		}
	case "wait":
		if rapid.Bool().Draw(t, "pause") {
			m["milliseconds"] = rapid.IntRange(0, proposal.MaxWaitMS).Draw(t, "ms")
		} else {
			m["expect"] = rapid.SliceOfN(Expect(), 1, 2).Draw(t, "expect")
		}
	case "expect":
		m["expect"] = rapid.SliceOfN(Expect(), 1, 2).Draw(t, "expect")
	case "screenshot":
		maybe(t, m, "path", rapid.SampledFrom([]any{"a.png", "./b.PNG", "c/d.png"}))
		maybe(t, m, "full_page", rapid.Bool().AsAny())
	case "eval":
		m["text"] = "document.title"
	}
	if f.Expect {
		maybe(t, m, "expect", rapid.SliceOfN(Expect(), 1, 2).AsAny())
	}
	if f.Dialog {
		maybe(t, m, "dialog", rapid.SampledFrom([]any{"accept", "dismiss", map[string]any{"accept": "x"}, map[string]any{"accept": ""}}))
	}
	maybe(t, m, "intent", name.AsAny())
	maybe(t, m, "timeoutMs", rapid.IntRange(1, proposal.MaxTimeout).AsAny())
	return m
}

var lineless = rapid.StringMatching(`[ -~é]{0,8}`)

func scroll(t *rapid.T, m map[string]any) {
	switch rapid.IntRange(0, 4).Draw(t, "scroll") {
	case 4:
		m[rapid.SampledFrom([]string{"ref", "selector"}).Draw(t, "to")] = "s1:e2"
	case 0:
		m["locator"] = Locator().Draw(t, "locator")
		maybe(t, m, "in", name.AsAny())
	case 1:
		m["x"], m["y"], m["delta_y"] = 1, 2.5, -300
	case 2:
		m["delta_x"] = rapid.IntRange(1, proposal.MaxScroll).Draw(t, "dx")
		maybe(t, m, "in", name.AsAny())
	default:
		m["delta_x"], m["delta_y"] = 0, rapid.IntRange(-proposal.MaxScroll, -1).Draw(t, "dy")
	}
}

// Wire draws a proposal that the decoder accepts, as the values of its JSON.
func Wire() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		f := rapid.SampledFrom(proposal.Forms()).Draw(t, "kind")
		m := map[string]any{"kind": f.Name}
		p := params(t, f)
		if len(p) > 0 || rapid.Bool().Draw(t, "empty params") {
			m["params"] = p
		}
		maybe(t, m, "id", rapid.Custom(func(t *rapid.T) any { return seen.Draw(t, "id") }))
		maybe(t, m, "risk", rapid.IntRange(0, 4).AsAny())
		maybe(t, m, "confirm", name.AsAny())
		maybe(t, m, "metadata", rapid.SampledFrom([]any{map[string]any{}, map[string]any{"b": []any{1, 2.5, nil, "\u2028<"}, "a": map[string]any{"x": json.Number("12345678901234567890")}}}))
		return m
	})
}
