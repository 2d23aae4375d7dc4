package judge

import (
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/snaptext"
)

func TestAlready(t *testing.T) {
	page := snaptext.MustParse(`
checkbox "Checked" #1 checked
checkbox "Open" #2 unchecked
checkbox "Mixed" #3 mixed
textbox "Name" #4 value="Ana"
textbox "Password" #5 value="[redacted]" sensitive
textbox "Empty" #6 value=""
combobox "Priority" #7 value="Urgent"
radio "Express" #8 checked
button "Bold" #9 pressed
heading "Shop" #10
listbox "Rights" #11 multiselectable
  option "Orders" #12 selected
  option "Stock" #13 unselected
list "To do" #14
  listitem "Plan" #15
  listitem "Write" #16
list "Done" #17
  listitem "Ship" #18
textbox "Body" #19 value="" focused
`)
	at := func(name string) int {
		for i := range page.Nodes {
			if page.Nodes[i].Name == name {
				return i
			}
		}
		t.Fatal(name)
		return -1
	}
	yes, no := true, false
	appears := deed.Appears("heading", "Shop")
	visible, hidden := deed.Visible("heading", "Shop"), deed.Visible("heading", "Cart")
	for _, c := range []struct {
		name   string
		a      deed.Action
		target string
		held   *bool
		want   bool
	}{
		{"AP-41 checked", deed.Action{Kind: deed.KindCheck}, "Checked", nil, true},
		{"AP-41 not checked", deed.Action{Kind: deed.KindCheck}, "Open", nil, false},
		{"AP-41 mixed is neither", deed.Action{Kind: deed.KindCheck}, "Mixed", nil, false},
		{"mixed is not unchecked", deed.Action{Kind: deed.KindUncheck}, "Mixed", nil, false},
		{"unchecked", deed.Action{Kind: deed.KindUncheck}, "Open", nil, true},
		{"a radio", deed.Action{Kind: deed.KindCheck}, "Express", nil, true},
		{"a pressed button", deed.Action{Kind: deed.KindCheck}, "Bold", nil, true},
		{"a click is never already done", deed.Action{Kind: deed.KindClick}, "Checked", nil, false},
		{"the value is there", deed.Action{Kind: deed.KindFill, Text: "Ana"}, "Name", nil, true},
		{"the page says no", deed.Action{Kind: deed.KindFill, Text: "Ana"}, "Name", &no, false},
		{"another value", deed.Action{Kind: deed.KindFill, Text: "An"}, "Name", nil, false},
		{"empty is empty", deed.Action{Kind: deed.KindFill}, "Empty", nil, true},
		{"a hidden value, not asked", deed.Action{Kind: deed.KindFill, Text: "[redacted]", Secret: "P"}, "Password", nil, false},
		{"a hidden value, held", deed.Action{Kind: deed.KindFill, Text: "sample-Pass-19", Secret: "P"}, "Password", &yes, true},
		{"the option", deed.Action{Kind: deed.KindSelect, Options: []string{"Urgent"}}, "Priority", nil, true},
		{"another option", deed.Action{Kind: deed.KindSelect, Options: []string{"Low"}}, "Priority", nil, false},
		{"several options", deed.Action{Kind: deed.KindSelect, Options: []string{"Orders"}}, "Rights", nil, true},
		{"one option too few", deed.Action{Kind: deed.KindSelect, Options: []string{"Orders", "Stock"}}, "Rights", nil, false},
		{"something must appear", deed.Action{Kind: deed.KindCheck, Expect: []deed.Expect{appears}}, "Checked", nil, false},
		{"what must hold holds", deed.Action{Kind: deed.KindCheck, Expect: []deed.Expect{visible}}, "Checked", nil, true},
		{"what must hold does not", deed.Action{Kind: deed.KindCheck, Expect: []deed.Expect{hidden}}, "Checked", nil, false},
		{"empty", deed.Action{Kind: deed.KindClear}, "Empty", nil, true},
		{"not empty", deed.Action{Kind: deed.KindClear}, "Name", nil, false},
		{"a hidden value is not empty", deed.Action{Kind: deed.KindClear}, "Password", nil, false},
		{"the page says that it is not empty", deed.Action{Kind: deed.KindClear}, "Empty", &no, false},
		{"typing is never already done", deed.Action{Kind: deed.KindType, Text: "Ana"}, "Name", nil, false},
		{"the focus is there", deed.Action{Kind: deed.KindFocus}, "Body", nil, true},
		{"the focus is elsewhere", deed.Action{Kind: deed.KindFocus}, "Name", nil, false},
		{"hovering is never already done", deed.Action{Kind: deed.KindHover}, "Name", nil, false},
		{"files are put in anew", deed.Action{Kind: deed.KindUpload, Files: []string{"a"}}, "Name", nil, false},
		{"the item is in the list", deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Find("list", "Done")}}, "Ship", nil, true},
		{"the item is in another list", deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Find("list", "Done")}}, "Plan", nil, false},
		{"the item is before its sibling", deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{Before: "Write"}}, "Plan", nil, true},
		{"the item is after its sibling", deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{Before: "Plan"}}, "Write", nil, false},
		{"onto a sibling is never already done", deed.Action{Kind: deed.KindDrag, Drop: &deed.Drop{To: deed.Listitem("Write")}}, "Plan", nil, false},
		{"a request must go out", deed.Action{Kind: deed.KindCheck, Expect: []deed.Expect{{Kind: deed.ExpectRequest, Request: deed.RequestSpec{Method: "POST"}}}}, "Checked", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			reason, ok := Already(&c.a, page, at(c.target), c.held)
			if ok != c.want {
				t.Errorf("got %v (%s), want %v", ok, reason, c.want)
			}
			if ok && reason == "" || strings.Contains(reason, "sample-Pass-19") {
				t.Errorf("reason %q", reason)
			}
		})
	}
	if _, ok := Already(&deed.Action{Kind: deed.KindCheck}, page, -1, nil); ok {
		t.Error("already without an element")
	}
}

func TestWeakExpectations(t *testing.T) {
	page := snaptext.MustParse("url http://shop/\nheading \"Shop\" #1\n")
	a := &deed.Action{Kind: deed.KindClick, Expect: []deed.Expect{
		deed.Visible("heading", "Shop"), deed.Appears("heading", "Shop"), deed.Visible("heading", "Cart"), {Kind: deed.ExpectNoErrors},
		{Kind: deed.ExpectDialog, Text: "Sure?"}, deed.URL("http://shop/**"),
	}}
	got := WeakExpectations(a, page)
	if len(got) != 3 {
		t.Fatalf("got %q", got)
	}
	for i, part := range []string{`heading "Shop"`, "no errors", "http://shop/**"} {
		if !strings.Contains(got[i], part) || !strings.Contains(got[i], "proves nothing") {
			t.Errorf("%q does not name %s", got[i], part)
		}
	}
	a.Kind = deed.KindWait
	if got := WeakExpectations(a, page); got != nil {
		t.Errorf("a wait's own proof is called weak: %q", got)
	}
}
