package locate_test

import (
	"reflect"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/snaptext"
)

func TestSpot(t *testing.T) {
	s := snaptext.MustParse(`url http://shop.example/
status "Saved" #1
table "People" #2
  row "Ana" #3 row="Ana"
    cell "Ana" #4 row="Ana"
    text "12:01" #5 volatile
    button "Edit" #6 row="Ana"
      text "Edit" #16
    button "Edit" #7 unseen
  row "Ben" #8 row="Ben"
    button "Edit" #9 row="Ben"
    button "Delete" #10 row="Ben"
button "Edit" #11
status "Late" #12
iframe "Card" #13
  frame f2 "Card" http://pay.example/card
    button "Pay" #1
`)
	for _, c := range []struct {
		element int64
		frame   string
		want    deed.Spot
	}{
		{6, snaptext.MainFrame, deed.Spot{Nth: 1, Of: 3, Twin: 1, Twins: 3, Prev: "Ana", Next: "Ben", Others: []string{"Delete"}}},
		{9, snaptext.MainFrame, deed.Spot{Nth: 2, Of: 3, Twin: 2, Twins: 3, Prev: "Edit", Next: "Delete", Others: []string{"Delete"}}},
		{11, snaptext.MainFrame, deed.Spot{Nth: 1, Of: 1, Twin: 3, Twins: 3, Next: "Card"}},
		{1, "f2", deed.Spot{Nth: 1, Of: 1, Twin: 1, Twins: 1, Frame: "Card"}},
	} {
		i := s.ByElement(c.frame, c.element)
		if i < 0 {
			t.Fatalf("no element %d", c.element)
		}
		if got := locate.Spot(s, i); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s stands at %+v, want %+v", s.Nodes[i].String(), got, c.want)
		}
	}
}

func TestUnique(t *testing.T) {
	s := snaptext.MustParse("form \"A\" #1\n  button \"Save\" #2\nform \"B\" #3\n  button \"Save\" #4\n  button \"Save\" #5\nbutton \"Send\" #6\n")
	for el, want := range map[int64]string{2: `button "Save" in form "A"`, 4: `button "Save" nth 2`, 6: `button "Send"`} {
		l, ok := locate.Unique(s, s.ByElement(snaptext.MainFrame, el))
		if !ok || l.String() != want {
			t.Errorf("element %d: %s %v, want %s", el, l, ok, want)
		}
		if i, err := locate.One(s, l); err != nil || s.Nodes[i].Element != el {
			t.Errorf("%s finds %d: %v", l, i, err)
		}
	}
}
