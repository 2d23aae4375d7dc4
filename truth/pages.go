package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

//go:embed page.js
var pageScript string

// A spec is what page.js draws a page from.
type spec struct {
	Style      string   `json:"style"`
	Title      string   `json:"title"`
	Names      []string `json:"names"`
	IDs        []string `json:"ids"` // what an effect may go to instead
	Model      any      `json:"model"`
	Via        string   `json:"via"`   // now, timer, fetch, optimistic: when the effect comes
	Tell       bool     `json:"tell"`  // a status says what was done
	Same       bool     `json:"same"`  // the buttons of all rows share one name
	Cards      bool     `json:"cards"` // articles instead of plain items
	Listed     bool     `json:"listed"`
	Controlled bool     `json:"controlled"` // the page writes back what a control may hold
	State      string   `json:"state"`      // of a switch: native, checked, pressed
	Text       string   `json:"text"`
}

// A made page is an honest page with one act on it.
type made struct {
	spec   spec
	action deed.Action
	expect []deed.Expect // what a person would declare
	op     []any         // the right effect, in the page's own terms
}

func (m *made) document() string {
	data, err := json.Marshal(m.spec)
	if err != nil {
		panic(err) // plain data
	}
	return fmt.Sprintf(`<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title>
<style>body{font:16px sans-serif;max-width:50rem;margin:1rem auto}li,p,tr{padding:2px}td{padding:2px 8px}[role=alert],[role=status]{min-height:1.2em}</style>
<main></main><script type="application/json" id="spec">%s</script><script>%s</script></html>`,
		html.EscapeString(m.spec.Title), strings.ReplaceAll(string(data), "</", `<\/`), pageScript)
}

var (
	products = []string{"T-shirt M", "T-shirt L", "Trousers M", "Trousers L", "Blue mug", "Green mug", "Café crème", "Rooibos 50 g", "Rooibos 100 g", "ミルク", "Чёрный чай", "Cap"}
	people   = []string{"Ana Lind", "Ana Lindberg", "Ben Okafor", "José Díaz", "Zoë Brandt", "李娜", "Мария Иванова", "Omar Haddad", "Jo March"}
	settings = []string{"Newsletter", "Weekly digest", "Dark mode", "Two-step sign-in", "Sounds", "Location"}
	fields   = []string{"First name", "Last name", "Street", "Town", "Postcode"}
	texts    = []string{"Ana Lind", "Rosenweg 12", "Zürich", "two lines, no more", "東京", "code 4471", "O'Brien & sons"}
)

func some(r *rand.Rand, from []string, n int) []string {
	out := slices.Clone(from)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))]
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

func each[V any](names []string, v V) map[string]V {
	out := map[string]V{}
	for _, n := range names {
		out[n] = v
	}
	return out
}

// styles are the kinds of pages, by name.
var styles = []string{"shop", "table", "toggles", "radios", "fields", "select", "tabs", "dialogs", "expanders", "counters", "follow", "form"}

// vias says when the effect of a page of a style may come.
func vias(style string) []string {
	switch style {
	case "shop", "table", "counters":
		return []string{"now", "timer", "fetch"}
	case "follow":
		return []string{"now", "fetch", "optimistic", "optimistic"}
	case "form":
		return []string{"timer", "fetch", "fetch", "fetch"}
	case "toggles":
		return []string{"now", "now", "optimistic"}
	case "dialogs":
		return []string{"now", "timer", "fetch"}
	}
	return []string{"now"}
}

// makePage makes an honest page of a style.
func makePage(r *rand.Rand, style, via string) *made {
	s := spec{Style: style, Via: via, Title: "Page of " + style, Tell: r.IntN(2) == 0, Same: r.IntN(2) == 0, Cards: r.IntN(3) == 0, Controlled: r.IntN(2) == 0}
	m := &made{action: deed.Action{Kind: deed.KindClick}}
	n := 4 + r.IntN(4)
	switch style {
	case "shop":
		s.Names = some(r, products, n)
		it := pick(r, s.Names...)
		cart := []string{}
		if r.IntN(3) == 0 {
			cart = append(cart, "Gift card")
		}
		s.Model = map[string]any{"cart": cart}
		if s.Same {
			m.action.Locator = deed.Button("Add to cart").In("catalog").Beside(it)
		} else {
			m.action.Locator = deed.Button("Add " + it).In("catalog")
		}
		m.op = []any{"add", it}
		m.expect = []deed.Expect{deed.Appears("listitem", it).In("cart"), deed.Count(deed.Listitem("").In("cart"), len(cart)+1)}
	case "table":
		s.Names = some(r, people, n)
		it := pick(r, s.Names...)
		s.Model = map[string]any{"rows": each(s.Names, "Active")}
		if r.IntN(2) == 0 {
			m.action.Locator = deed.Button("Delete").Beside(it)
			m.op = []any{"del", it}
			m.expect = []deed.Expect{deed.Disappears("cell", it), deed.Count(deed.Find("cell", "Active"), n-1)}
		} else {
			m.action.Locator = deed.Button("Archive").Beside(it)
			m.op = []any{"archive", it}
			m.expect = []deed.Expect{{Kind: deed.ExpectAppears, Locator: deed.Find("cell", "Archived").Beside(it)}, deed.Count(deed.Find("cell", "Active"), n-1)}
		}
	case "toggles":
		s.Names = some(r, settings, n)
		it := pick(r, s.Names...)
		s.State = pick(r, "native", "native", "checked", "pressed")
		on := map[string]bool{}
		for _, name := range s.Names {
			on[name] = name != it && r.IntN(3) == 0
		}
		s.Model = map[string]any{"on": on}
		state := "checked"
		switch s.State {
		case "native":
			m.action.Kind, m.action.Locator = deed.KindCheck, deed.Checkbox(it)
		case "checked":
			m.action.Locator = deed.Switch(it)
		default:
			m.action.Locator, state = deed.Button(it), "pressed"
		}
		m.op = []any{"turn", it, true}
		m.expect = []deed.Expect{{Kind: deed.ExpectState, Locator: m.action.Locator, States: map[string]bool{state: true}}}
	case "radios":
		s.Names = some(r, settings, n)
		it := pick(r, s.Names...)
		s.Model = map[string]any{"radio": ""}
		m.action.Kind, m.action.Locator = deed.KindCheck, deed.Radio(it)
		m.op = []any{"pick", it}
		m.expect = []deed.Expect{{Kind: deed.ExpectState, Locator: m.action.Locator, States: map[string]bool{"checked": true}}}
	case "fields":
		s.Names = some(r, fields, n)
		it, text := pick(r, s.Names...), pick(r, texts...)
		s.Model = map[string]any{"fields": each(s.Names, pick(r, "", "", "before"))}
		m.action.Kind, m.action.Locator, m.action.Text = deed.KindFill, deed.Textbox(it), text
		m.op = []any{"set", it, text}
		m.expect = []deed.Expect{deed.Value(deed.Textbox(it), text)}
	case "select":
		s.Names = some(r, products, n)
		it := s.Names[1+r.IntN(len(s.Names)-1)]
		s.Model = map[string]any{"choice": s.Names[0]}
		m.action.Kind, m.action.Locator, m.action.Options = deed.KindSelect, deed.Combobox("Size"), []string{it}
		m.op = []any{"choose", it}
		m.expect = []deed.Expect{deed.Value(deed.Combobox("Size"), it)}
	case "tabs":
		s.Names = some(r, settings, n)
		it := s.Names[1+r.IntN(len(s.Names)-1)]
		s.Model = map[string]any{"tab": s.Names[0], "panel": s.Names[0]}
		m.action.Locator = deed.Tab(it)
		m.op = []any{"show", it}
		m.expect = []deed.Expect{{Kind: deed.ExpectState, Locator: deed.Tab(it), States: map[string]bool{"selected": true}}, deed.Text("All about " + it)}
	case "dialogs":
		s.Names = some(r, people, n)
		it := pick(r, s.Names...)
		s.Model = map[string]any{"dialog": "", "about": ""}
		if s.Same {
			m.action.Locator = deed.Button("Edit").Beside(it)
		} else {
			m.action.Locator = deed.Button("Edit " + it)
		}
		m.op = []any{"open", it}
		m.expect = []deed.Expect{deed.Appears("dialog", "Edit "+it), deed.Value(deed.Textbox("Name"), it)}
	case "expanders":
		s.Names = some(r, settings, n)
		it := pick(r, s.Names...)
		s.Model = map[string]any{"expanded": map[string]bool{}}
		m.action.Locator = deed.Button(it)
		m.op = []any{"expand", it}
		m.expect = []deed.Expect{deed.Text("The answer about " + it), {Kind: deed.ExpectState, Locator: deed.Button(it), States: map[string]bool{"expanded": true}}}
	case "counters":
		s.Names = some(r, products, n)
		it := pick(r, s.Names...)
		s.Model = map[string]any{"qty": each(s.Names, 0)}
		m.action.Locator = deed.Button("+").Beside(it)
		m.op = []any{"inc", it}
		m.expect = []deed.Expect{deed.Value(deed.Find("spinbutton", "Quantity of "+it), "1")}
	case "follow":
		s.Names = some(r, people, n)
		it := pick(r, s.Names...)
		s.Model = map[string]any{"follow": map[string]bool{}}
		m.action.Locator = deed.Button("Follow " + it)
		m.op = []any{"follow", it}
		m.expect = []deed.Expect{deed.Appears("button", "Following "+it)}
	case "form":
		s.Names = []string{"Save", "Publish"}
		s.Text = pick(r, texts...)
		s.Listed = r.IntN(2) == 0
		s.Tell = true
		s.Model = map[string]any{"saved": []string{}}
		it := pick(r, s.Names...)
		m.action.Locator = deed.Button(it)
		m.op = []any{"save", it, s.Text}
		done := map[string]string{"Save": "Saved: ", "Publish": "Published: "}[it]
		told := deed.Text("/" + regexp.QuoteMeta(done+s.Text) + "$/")
		told.Locator.Region = "status"
		m.expect = []deed.Expect{told}
		if s.Listed {
			m.expect = append(m.expect, deed.Appears("listitem", it+": "+s.Text).In("notes"), deed.Count(deed.Listitem("").In("notes"), 1))
		}
	}
	if via == "fetch" || via == "optimistic" {
		m.expect = append(m.expect, deed.Expect{Kind: deed.ExpectNoErrors}) // what a careful person adds where a server is asked
	}
	s.IDs = s.Names
	m.spec = s
	return m
}
