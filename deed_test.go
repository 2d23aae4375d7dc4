package deed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
)

func ExampleLocator() {
	l := deed.Button("Delete").In(`dialog "Orders"`).Beside("Order 17")
	fmt.Println(l)
	j, _ := json.Marshal(l)
	fmt.Println(string(j))
	// Output:
	// button "Delete" in dialog "Orders" near "Order 17"
	// {"button":"Delete","in":"dialog \"Orders\"","near":"Order 17"}
}

func ExampleError() {
	var err error = &deed.Error{Op: "click", Where: `button "Pay"`, Code: deed.CodeCovered, Err: errors.New(`covered by dialog "Cookies"`)}
	fmt.Println(err)
	fmt.Println(errors.Is(err, deed.CodeCovered), errors.Is(err, deed.CodeNotActionable))
	// Output:
	// click button "Pay": covered by dialog "Cookies"
	// true true
}

// genLocator draws locators that can find something.
func genLocator() *rapid.Generator[deed.Locator] {
	return rapid.Custom(func(t *rapid.T) deed.Locator {
		name := rapid.StringMatching(`[ -~é漢]{0,12}`)
		l := deed.Find(rapid.SampledFrom(deed.Roles()).Draw(t, "role"), name.Draw(t, "name"))
		l.Loose = rapid.Bool().Draw(t, "loose")
		l.Region = rapid.SampledFrom([]string{"", "cart", "navigation", `dialog "A \"b\""`, `"two words"`}).Draw(t, "region")
		l.Frame = name.Draw(t, "frame")
		l.Near = name.Draw(t, "near")
		l.Nth = rapid.IntRange(0, 9).Draw(t, "nth")
		return l
	})
}

func TestLocatorsSurviveTheirForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := genLocator().Draw(t, "locator")
		if l.Validate() != nil {
			t.Skip("an expression that does not compile")
		}
		if got, err := deed.ParseLocator(l.String()); err != nil || got != l {
			t.Fatalf("%s reads back as %#v, %v, want %#v", l, got, err, l)
		}
		j, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		var got deed.Locator
		if err := json.Unmarshal(j, &got); err != nil || got != l {
			t.Fatalf("%s reads back as %#v, %v, want %#v", j, got, err, l)
		}
	})
}

func FuzzParseLocator(f *testing.F) {
	for _, s := range []string{`button "Save" in dialog "Profile"`, `link /a.*b/i nth 2`, `textbox "x" near "y" frame "z" loose`, `button "`, `button / in`, "", "button \"a\" in \"b\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := deed.ParseLocator(s)
		if err != nil {
			if !errors.Is(err, deed.CodeInvalid) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if again, err := deed.ParseLocator(l.String()); err != nil || again != l {
			t.Errorf("%q is %#v, written %s, read back %#v, %v", s, l, l, again, err)
		}
	})
}

func TestZeroValuesAreTheSafeOnes(t *testing.T) {
	var v deed.Verdict
	var d deed.Decision
	var o deed.Outcome
	if v != deed.Ambiguous || d != deed.Deny || o != deed.OutcomeFailed || o.OK() {
		t.Errorf("%s %s %s", v, d, o)
	}
	for _, word := range []string{"", "Match", "yes", "verified"} {
		if err := v.UnmarshalText([]byte(word)); err != nil || v != deed.Ambiguous {
			t.Errorf("%q reads as %s", word, v)
		}
	}
}

func TestExpectationsThatCannotFailAreRefused(t *testing.T) {
	for _, e := range []deed.Expect{
		deed.Visible("main", ""), deed.Appears("navigation", ""), deed.URL("**"), deed.Text(""),
		{Kind: deed.ExpectCount, Locator: deed.Button("x"), Min: 0, Max: -1}, {Kind: deed.ExpectRequest},
		{Kind: deed.ExpectState, Locator: deed.Button("x"), States: map[string]bool{"cheked": true}}, {Kind: "nope"},
	} {
		if err := e.Validate(); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%s: %v", e.String(), err)
		}
	}
	good := deed.Appears("listitem", "T-shirt M").In("cart")
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	bad := deed.Expect{Kind: deed.ExpectState, Locator: deed.Button("x"), States: map[string]bool{"cheked": true}}
	if h := deed.HintOf(bad.Validate()); h != `did you mean "checked"?` {
		t.Errorf("hint %q", h)
	}
}
