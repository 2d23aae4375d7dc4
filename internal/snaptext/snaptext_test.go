package snaptext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/snaptext"
)

const shop = `url http://shop.example/shop
title Shop
doc D1
cart:
  listitem "T-shirt M" #12 row="T-shirt M 19 €"
    button "Remove" #13
list "Catalog" #14
  listitem "Trousers L" #15 value="" volatile unseen behind
dialog "Cookies" #20 modal
  checkbox "Ads" #21 states="unchecked"
iframe "Billing" #30
  frame f2 "Billing" http://pay.example/card?a=b doc=D2
    textbox "Card" #1 value="4242" sensitive
paragraph "after" #31
`

func TestParse(t *testing.T) {
	s, err := snaptext.Parse(shop)
	if err != nil {
		t.Fatal(err)
	}
	want := &deed.Snapshot{Number: 1, URL: "http://shop.example/shop", Title: "Shop", Complete: true,
		Frames: []deed.Frame{
			{ID: "main", Parent: -1, Title: "Shop", URL: "http://shop.example/shop", Origin: "http://shop.example", Doc: "D1"},
			{ID: "f2", Title: "Billing", URL: "http://pay.example/card?a=b", Origin: "http://pay.example", Doc: "D2"},
		},
		Nodes: []deed.Node{
			{Parent: -1, Role: "data-deed-region", Name: "cart", Container: true},
			{Parent: 0, Element: 12, Role: "listitem", Name: "T-shirt M", Region: "cart", Row: "T-shirt M 19 €"},
			{Parent: 1, Element: 13, Role: "button", Name: "Remove", Region: "cart"},
			{Parent: -1, Element: 14, Role: "list", Name: "Catalog", Container: true},
			{Parent: 3, Element: 15, Role: "listitem", Name: "Trousers L", Region: `list "Catalog"`, HasValue: true, Volatile: true, Unseen: true, Behind: true},
			{Parent: -1, Element: 20, Role: "dialog", Name: "Cookies", States: deed.Modal, Container: true},
			{Parent: 5, Element: 21, Role: "checkbox", Name: "Ads", Region: `dialog "Cookies"`, States: deed.Unchecked},
			{Parent: -1, Element: 30, Role: "iframe", Name: "Billing"},
			{Parent: 7, Frame: 1, Element: 1, Role: "textbox", Name: "Card", Value: "4242", HasValue: true, Sensitive: true},
			{Parent: -1, Element: 31, Role: "paragraph", Name: "after"},
		}}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
}

func TestParseRefusesWhatItCannotRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"button \"Save", "line 1: the quotes do not close"},
		{"\nbutton wobbly", `line 2: unknown word "wobbly"`},
		{"  button", "line 1: indented under nothing"},
		{"button wobble=\"1\"", `unknown attribute "wobble"`},
		{"shelf: data-deed-region \"cart\"", "not shelf"},
		{"button states=\"gone\"", `unknown state "gone"`},
		{"\"Save\"", "begins with its role"},
		{"frame", "needs an ID"},
		{"button #x", "invalid syntax"},
		{"button parent=3", "comes later"},
	} {
		if _, err := snaptext.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// Snapshots draws snapshots as a page could yield them: parents before children, frames inside frames.
func snapshots() *rapid.Generator[*deed.Snapshot] {
	text := rapid.SampledFrom([]string{"", "a", "Save", "T-shirt \"M\"", " two\nlines ", "€", "a=b", "//x"})
	return rapid.Custom(func(t *rapid.T) *deed.Snapshot {
		s := &deed.Snapshot{Number: rapid.IntRange(0, 3).Draw(t, "number"), URL: "http://h/x", Title: text.Draw(t, "title"),
			Complete: rapid.Bool().Draw(t, "complete"), Restless: rapid.Bool().Draw(t, "restless"), Script: "abc"}
		if !s.Complete {
			s.Incomplete = text.Draw(t, "incomplete")
		}
		s.Frames = []deed.Frame{{ID: "m", Parent: -1, URL: s.URL, Title: s.Title, Origin: "http://h", Doc: "D"}}
		for i := range rapid.IntRange(0, 3).Draw(t, "frames") {
			s.Frames = append(s.Frames, deed.Frame{ID: fmt.Sprint("f", i+1), Parent: rapid.IntRange(0, i).Draw(t, "fp"), Name: text.Draw(t, "fn"),
				Title: text.Draw(t, "ft"), URL: rapid.SampledFrom([]string{"", "about:blank", "http://h/a b", "http://k:8/?q=1#z"}).Draw(t, "fu"), Doc: text.Draw(t, "fd"), Origin: "http://o"})
		}
		for i := range rapid.IntRange(0, 12).Draw(t, "nodes") {
			n := deed.Node{Element: int64(rapid.IntRange(0, 20).Draw(t, "el")), Frame: rapid.IntRange(0, len(s.Frames)-1).Draw(t, "fr"),
				Parent: rapid.IntRange(-1, i-1).Draw(t, "parent"), Role: rapid.SampledFrom([]string{"button", "list", "dialog", snaptext.Declared, "text"}).Draw(t, "role"),
				Name: text.Draw(t, "name"), Region: text.Draw(t, "region"), Value: text.Draw(t, "value"), Row: text.Draw(t, "row"), Group: text.Draw(t, "group"),
				HasValue: rapid.Bool().Draw(t, "has"), States: deed.State(rapid.IntRange(0, 1<<18-1).Draw(t, "st")), Sensitive: rapid.Bool().Draw(t, "se"),
				Volatile: rapid.Bool().Draw(t, "vo"), Unseen: rapid.Bool().Draw(t, "un"), Behind: rapid.Bool().Draw(t, "be"), Container: rapid.Bool().Draw(t, "co")}
			s.Nodes = append(s.Nodes, n)
		}
		return s
	})
}

func TestFormatIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := snapshots().Draw(t, "s")
		text := snaptext.Format(s)
		got, err := snaptext.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		// Frames may come in another order; they are compared by ID.
		if d := cmp.Diff(s, reorder(got, s)); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}

// reorder numbers got's frames as want's are.
func reorder(got, want *deed.Snapshot) *deed.Snapshot {
	to := make([]int, len(got.Frames))
	for i, f := range got.Frames {
		to[i] = -1
		for j, g := range want.Frames {
			if g.ID == f.ID {
				to[i] = j
			}
		}
	}
	frames := make([]deed.Frame, len(got.Frames))
	for i, f := range got.Frames {
		if f.Parent >= 0 {
			f.Parent = to[f.Parent]
		}
		frames[to[i]] = f
	}
	got.Frames = frames
	for i := range got.Nodes {
		got.Nodes[i].Frame = to[got.Nodes[i].Frame]
	}
	return got
}

func TestFormatIsTheNotationPeopleWrite(t *testing.T) {
	s := snaptext.MustParse(shop)
	got := snaptext.Format(s)
	for _, line := range []string{
		"data-deed-region \"cart\"\n  listitem \"T-shirt M\" #12 row=\"T-shirt M 19 €\"\n    button \"Remove\" #13\n",
		"  frame f2 \"Billing\" http://pay.example/card?a=b doc=\"D2\"\n    textbox \"Card\" #1 value=\"4242\" sensitive\nparagraph",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("missing %q in\n%s", line, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(shop)
	f.Add("cart: #1\nframe x\n  frame x parent=main\nbutton parent=-1 region=\"\"")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := snaptext.Parse(text)
		if err != nil {
			return
		}
		again, err := snaptext.Parse(snaptext.Format(s))
		if err != nil {
			t.Fatalf("%v\n%s", err, snaptext.Format(s))
		}
		if len(again.Nodes) != len(s.Nodes) || len(again.Frames) != len(s.Frames) {
			t.Fatalf("%d nodes became %d\n%s", len(s.Nodes), len(again.Nodes), snaptext.Format(s))
		}
	})
}
