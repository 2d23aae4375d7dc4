package verify_test

import (
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
)

// A result tells where its element stood, and on which page it was judged.
func TestResultTellsWhereItWas(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(strings.Replace(shop("T-shirt M"), "http://h/shop", "http://h/shop?added=1", 1))
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if res.URL != "http://h/shop?added=1" {
			t.Errorf("judged on %q", res.URL)
		}
		sp := res.Spot
		if sp.Nth != 1 || sp.Of != 2 || sp.Twin != 1 || sp.Twins != 1 || len(sp.Others) != 1 || sp.Others[0] != "Add Trousers L" || sp.Next != "Trousers L" {
			t.Errorf("it stood at %+v", sp)
		}
		// Nothing was done: the page is where it was.
		p = drivertest.New(head + "checkbox \"Ads\" #1 checked\n")
		res, err = loop(p).Do(t.Context(), deed.Action{Kind: deed.KindCheck, Locator: deed.Checkbox("Ads")})
		want(t, res, err, deed.OutcomeAlready)
		if res.URL != "http://h/shop" || res.Spot.Nth != 1 {
			t.Errorf("judged on %q, it stood at %+v", res.URL, res.Spot)
		}
	})
}

// What the result masks is the result's own: the same action can be done again.
func TestTheCallersActionStaysAsItIs(t *testing.T) {
	run(t, func(t *testing.T) {
		const text = "4000-1234"
		p := drivertest.New(head + "textbox \"Card\" #1 value=\"\" sensitive\nbutton \"Go\" #2\n")
		a := deed.Action{Kind: deed.KindClick, Locator: deed.Button("Go"), Dialog: &deed.Answer{Accept: true, Text: text}, Options: []string{text}, Files: []string{text},
			Drop: &deed.Drop{In: text}, Scroll: &deed.Scroll{Region: text}, Expect: []deed.Expect{deed.Text(text)}}
		l := loop(p)
		l.Mask.Add(text)
		l.Options.NoUndo = true
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(head + "text \"it is " + text + "\" #3\n")
			return delivered()
		}
		res, err := l.Do(t.Context(), a)
		want(t, res, err, deed.OutcomeVerified)
		if a.Dialog.Text != text || a.Options[0] != text || a.Files[0] != text || a.Drop.In != text || a.Scroll.Region != text || a.Expect[0].Text != text {
			t.Errorf("the action is now %+v", a)
		}
		if strings.Contains(res.Explain(), text) {
			t.Errorf("told: %s", res.Explain())
		}
	})
}
