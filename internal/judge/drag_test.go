package judge

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
)

// A board is lists of cards, as they are to be seen.
type board struct {
	titles []string
	cards  [][]string
}

func (b *board) clone() *board {
	c := &board{titles: b.titles}
	for _, l := range b.cards {
		c.cards = append(c.cards, slices.Clone(l))
	}
	return c
}

// page renders the board. Numbers are given by card (a page that moves elements), by place (one that reuses them), or anew.
func (b *board) page(numbering string, generation int) *deed.Snapshot {
	p := &deed.Snapshot{Number: 1, Complete: true, URL: "http://b/", Frames: []deed.Frame{{ID: "main", Parent: -1, URL: "http://b/", Doc: "D"}}}
	for i, title := range b.titles {
		p.Nodes = append(p.Nodes, deed.Node{Element: int64(1 + i), Parent: -1, Role: "list", Name: title, Container: true})
		list := len(p.Nodes) - 1
		for k, c := range b.cards[i] {
			n := deed.Node{Parent: list, Role: "listitem", Name: c, Region: fmt.Sprintf("list %q", title)}
			switch numbering {
			case "card":
				n.Element = int64(1000 + 10*int(c[0]))
			case "place":
				n.Element = int64(1000 + 100*i + k)
			case "anew":
				n.Element = int64(1000*(generation+1) + 100*i + k)
			}
			p.Nodes = append(p.Nodes, n)
		}
	}
	return p
}

func (b *board) at(card string) (list, place int) {
	for i, l := range b.cards {
		if k := slices.Index(l, card); k >= 0 {
			return i, k
		}
	}
	return -1, -1
}

// moved takes the card to a place of a list.
func (b *board) moved(card string, list, place int) *board {
	c := b.clone()
	i, k := c.at(card)
	c.cards[i] = slices.Delete(c.cards[i], k, k+1)
	c.cards[list] = slices.Insert(c.cards[list], min(place, len(c.cards[list])), card)
	return c
}

func (b *board) equal(o *board) bool {
	return slices.EqualFunc(b.cards, o.cards, func(x, y []string) bool { return slices.Equal(x, y) })
}

func drawBoard(t *rapid.T) *board {
	b := &board{titles: []string{"To do", "Doing", "Done"}, cards: make([][]string, 3)}
	for i := range rapid.IntRange(3, 9).Draw(t, "cards") {
		l := rapid.IntRange(0, 2).Draw(t, "list")
		b.cards[l] = append(b.cards[l], string(rune('A'+i))+" card")
	}
	return b
}

// A drag that put the card where it was asked is a match, however the page numbers its elements; one that put this card or
// another anywhere else never is. An undo plans the way back to the very board.
func TestAP42_DragsAreJudgedByWhereTheItemIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		numbering := rapid.SampledFrom([]string{"card", "place", "anew"}).Draw(t, "numbering")
		var all []string
		for _, l := range b.cards {
			all = append(all, l...)
		}
		card := rapid.SampledFrom(all).Draw(t, "card")
		from, place := b.at(card)
		others := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return c == card })

		var drop deed.Drop
		list := rapid.IntRange(0, 2).Draw(t, "to")
		beside := rapid.SampledFrom(others).Draw(t, "beside")
		switch rapid.IntRange(0, 3).Draw(t, "ask") {
		case 0:
			drop.To = deed.Find("list", b.titles[list])
		case 1:
			drop.In = fmt.Sprintf("list %q", b.titles[list])
		case 2:
			drop.Before = beside
		default:
			drop.After = beside
		}
		good := func(o *board) bool { // what the ask allows
			i, k := o.at(card)
			if !o.moved(card, from, place).equal(b) { // nothing else has moved
				return false
			}
			switch {
			case drop.Before != "":
				return k+1 < len(o.cards[i]) && o.cards[i][k+1] == beside
			case drop.After != "":
				return k > 0 && o.cards[i][k-1] == beside
			}
			return i == list
		}

		// What the page made of it: moved this card, or another, anywhere, or swapped two.
		after := b
		for range rapid.IntRange(0, 2).Draw(t, "moves") {
			who := card
			if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
				who = rapid.SampledFrom(others).Draw(t, "who")
			}
			after = after.moved(who, rapid.IntRange(0, 2).Draw(t, "list after"), rapid.IntRange(0, 5).Draw(t, "place after"))
		}
		p, q := b.page(numbering, 0), after.page(numbering, 1)
		at := slices.IndexFunc(p.Nodes, func(n deed.Node) bool { return n.Name == card })
		ev := &Evidence{Action: deed.Action{Kind: deed.KindDrag, Locator: deed.Listitem(card), Drop: &drop}, Before: p, After: q, Target: at,
			Diff: diff.Between(p, q), Witness: deed.Witness{Delivered: true}, Rested: true, Final: true}
		j := Judge(ev)
		if got := j.Verdict == deed.Match; got != good(after) {
			t.Fatalf("%v → %v, drag %s %s: %s %s", b.cards, after.cards, card, &drop, j.Verdict, j.Reason)
		}
		if same := after.equal(b); same != (j.Already || j.Kind == deed.MismatchNoEffect) && j.Verdict == deed.Match {
			t.Fatalf("%v → %v, drag %s %s: already %v", b.cards, after.cards, card, &drop, j.Already)
		}
		// Where only the card moved, the way back leads to the board as it was.
		only := !after.equal(b) && after.moved(card, from, place).equal(b)
		if Displaced(p, q, at, &drop) == (after.equal(b)) && (only || after.equal(b)) {
			t.Fatalf("%v → %v: displaced", b.cards, after.cards)
		}
		if !only {
			return
		}
		inv, err := PlanUndo(ev)
		if err != nil {
			t.Fatalf("%v → %v: %v", b.cards, after.cards, err)
		}
		if q.Nodes[inv.Target].Name != card {
			t.Fatalf("%v → %v: %s would be dragged", b.cards, after.cards, q.Nodes[inv.Target].Name)
		}
		back := after
		switch d := inv.Action.Drop; {
		case d.Before != "":
			rest := after.clone()
			i, k := rest.at(card)
			rest.cards[i] = slices.Delete(rest.cards[i], k, k+1)
			i, k = rest.at(d.Before)
			back = after.moved(card, i, k)
		case d.After != "":
			rest := after.clone()
			i, k := rest.at(card)
			rest.cards[i] = slices.Delete(rest.cards[i], k, k+1)
			i, k = rest.at(d.After)
			back = after.moved(card, i, k+1)
		default:
			back = after.moved(card, slices.Index(b.titles, d.To.Name), 0)
		}
		if !back.equal(b) {
			t.Fatalf("%v → %v: undone by %s to %v", b.cards, after.cards, inv.Action.Drop, back.cards)
		}
	})
}
