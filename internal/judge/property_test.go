package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
)

var goods = []string{"T-shirt", "Trousers", "Cap", "Coat", "蓝色衬衫", "黑色长裤", "Рубашка", "Брюки", "قميص", "بنطال", "Lamp 20", "Chair 45", "Order 1001", "Order 1002", "👍", "Seat"}

var sizes = []string{"S", "M", "L", "XL", "38", "40"}

// shop is a page with a list of rows, each with a control, and a cart.
type shop struct {
	rows  []string
	verb  string
	twins bool // all controls have the same name
	cart  []string
}

func (s *shop) page(order []int) *deed.Snapshot {
	p := &deed.Snapshot{Number: 1, Complete: true, URL: "http://shop/", Frames: []deed.Frame{{ID: "main", Parent: -1, URL: "http://shop/", Doc: "D"}}}
	add := func(n deed.Node) int { p.Nodes = append(p.Nodes, n); return len(p.Nodes) - 1 }
	catalog := add(deed.Node{Element: 1, Parent: -1, Role: "data-deed-region", Name: "catalog", Container: true})
	list := add(deed.Node{Element: 2, Parent: catalog, Role: "list", Region: "catalog"})
	for _, i := range order {
		r := s.rows[i]
		row := add(deed.Node{Element: int64(100 + 10*i), Parent: list, Role: "listitem", Name: r, Row: r, Region: "catalog"})
		name := s.verb + " " + r
		if s.twins {
			name = s.verb
		}
		add(deed.Node{Element: int64(101 + 10*i), Parent: row, Role: "button", Name: name, Row: r, Region: "catalog"})
	}
	cart := add(deed.Node{Element: 3, Parent: -1, Role: "data-deed-region", Name: "cart", Container: true})
	for k, c := range s.cart {
		add(deed.Node{Element: int64(1000 + k), Parent: cart, Role: "listitem", Name: c, Row: c, Region: "cart"})
	}
	return p
}

func drawShop(t *rapid.T) *shop {
	s := &shop{verb: rapid.SampledFrom([]string{"Add", "Delete", "Buy", "加入", "Добавить"}).Draw(t, "verb"), twins: rapid.Bool().Draw(t, "twins")}
	seen := map[string]bool{}
	for range rapid.IntRange(2, 8).Draw(t, "rows") {
		r := rapid.SampledFrom(goods).Draw(t, "good") + " " + rapid.SampledFrom(sizes).Draw(t, "size")
		if !seen[r] {
			seen[r] = true
			s.rows = append(s.rows, r)
		}
	}
	if len(s.rows) < 2 {
		s.rows = []string{"Cap M", "Coat L"}
	}
	return s
}

func count(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func target(p *deed.Snapshot, element int64) int {
	return slices.IndexFunc(p.Nodes, func(n deed.Node) bool { return n.Element == element })
}

func trial(p, q *deed.Snapshot, element int64) *Evidence {
	at := target(p, element)
	return &Evidence{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button(p.Nodes[at].Name)}, Before: p, After: q, Target: at,
		Diff: diff.Between(p, q), Witness: deed.Witness{Delivered: true}, Rested: true, Final: true}
}

// An effect that only touches a sibling's row, or only carries a sibling's words, is never a match, caused or not.
func TestSiblingsEffectIsNeverOurs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShop(t)
		ours := rapid.IntRange(0, len(s.rows)-1).Draw(t, "ours")
		theirs := (ours + 1 + rapid.IntRange(0, len(s.rows)-2).Draw(t, "theirs")) % len(s.rows)
		before := s.page(count(len(s.rows)))
		after := *s
		var q *deed.Snapshot
		switch rapid.SampledFrom([]string{"cart", "gone", "value"}).Draw(t, "effect") {
		case "cart":
			after.cart = []string{s.rows[theirs]}
			q = after.page(count(len(s.rows)))
		case "gone":
			q = after.page(slices.DeleteFunc(count(len(s.rows)), func(i int) bool { return i == theirs }))
		case "value":
			q = after.page(count(len(s.rows)))
			q.Nodes[target(q, int64(100+10*theirs))].Value = "sold"
		}
		ev := trial(before, q, int64(101+10*ours))
		if rapid.Bool().Draw(t, "caused") {
			for i := range ev.Diff.Changes {
				ev.Diff.Changes[i].Caused = true
			}
		}
		if j := Judge(ev); j.Verdict == deed.Match {
			t.Fatalf("asked for %s, got %v: %+v", s.rows[ours], ev.Diff.Lines(), j)
		}
	})
}

// The right effect is never called a neighbour's.
func TestOurEffectIsNeverTheirs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShop(t)
		ours := rapid.IntRange(0, len(s.rows)-1).Draw(t, "ours")
		after := *s
		order := count(len(s.rows))
		if rapid.Bool().Draw(t, "gone") {
			order = slices.DeleteFunc(order, func(i int) bool { return i == ours })
		} else {
			after.cart = []string{s.rows[ours]}
		}
		if j := Judge(trial(s.page(count(len(s.rows))), after.page(order), int64(101+10*ours))); j.Verdict != deed.Match {
			t.Fatalf("asked for %s of %q: %+v", s.rows[ours], s.rows, j)
		}
	})
}

// Nothing happened is never concluded from a page that was not seen whole or did not rest.
func TestNoEffectNeedsAWholePageAtRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShop(t)
		p, q := s.page(count(len(s.rows))), s.page(count(len(s.rows)))
		if rapid.Bool().Draw(t, "changed") {
			q.Nodes = append(q.Nodes, deed.Node{Element: 5000, Parent: -1, Role: "text", Name: "something else"})
		}
		ev := trial(p, q, 101)
		ev.Final = rapid.Bool().Draw(t, "final")
		ev.ProvenInert = rapid.Bool().Draw(t, "inert")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			ev.Rested = false
		case 1:
			q.Complete, q.Incomplete = false, "a frame was skipped"
		case 2:
			p.Complete, p.Incomplete = false, "more than 20000 elements"
		case 3:
			q.Restless = true
		}
		if j := Judge(ev); j.Kind == deed.MismatchNoEffect {
			t.Fatalf("%+v", j)
		}
	})
}

// The order in which nodes stand in the snapshots changes no verdict.
func TestNodeOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShop(t)
		ours := rapid.IntRange(0, len(s.rows)-1).Draw(t, "ours")
		cart := rapid.IntRange(0, len(s.rows)).Draw(t, "cart")
		after := *s
		if cart < len(s.rows) {
			after.cart = []string{s.rows[cart], s.rows[(cart+1)%len(s.rows)]}[:rapid.IntRange(1, 2).Draw(t, "how many")]
		}
		p, q := s.page(count(len(s.rows))), after.page(count(len(s.rows)))
		a := Judge(trial(p, q, int64(101+10*ours)))
		b := Judge(trial(shuffled(t, p), shuffled(t, q), int64(101+10*ours)))
		if a.Verdict != b.Verdict || a.Basis != b.Basis || a.Kind != b.Kind {
			t.Fatalf("in order %+v, shuffled %+v", a, b)
		}
	})
}

func shuffled(t *rapid.T, s *deed.Snapshot) *deed.Snapshot {
	order := rapid.Permutation(count(len(s.Nodes))).Draw(t, "order")
	where := make([]int, len(order))
	for to, from := range order {
		where[from] = to
	}
	out := *s
	out.Nodes = make([]deed.Node, len(s.Nodes))
	for to, from := range order {
		n := s.Nodes[from]
		if n.Parent >= 0 {
			n.Parent = where[n.Parent]
		}
		out.Nodes[to] = n
	}
	return &out
}

// No evidence makes the judge fail, and every verdict has its ground.
func TestJudgeAnswersAnything(t *testing.T) {
	kinds := []deed.Kind{deed.KindGoto, deed.KindClick, deed.KindDblclick, deed.KindFill, deed.KindPress, deed.KindCheck, deed.KindUncheck, deed.KindSelect, deed.KindWait, deed.KindExpect, deed.KindEval, deed.KindWatch}
	roles := []string{"button", "link", "checkbox", "radio", "switch", "textbox", "combobox", "option", "listitem", "row", "list", "table", "dialog", "menu", "menuitem", "alert", "status", "text", "group", "tab"}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *deed.Snapshot {
			s := &deed.Snapshot{Complete: rapid.Bool().Draw(t, label), URL: rapid.SampledFrom([]string{"", "http://a/", "http://a/b"}).Draw(t, label)}
			if rapid.Bool().Draw(t, label) {
				s.Frames = []deed.Frame{{ID: "m", Parent: -1}}
			}
			for i := range rapid.IntRange(0, 12).Draw(t, label) {
				s.Nodes = append(s.Nodes, deed.Node{Element: int64(rapid.IntRange(0, 15).Draw(t, label)), Parent: rapid.IntRange(-1, i-1).Draw(t, label), Role: rapid.SampledFrom(roles).Draw(t, label),
					Name: rapid.SampledFrom([]string{"", "A", "Save", "Save all", "Failed", "T-shirt M", "2", "…"}).Draw(t, label), Value: rapid.SampledFrom([]string{"", "x", "10", deed.Redacted}).Draw(t, label),
					States: deed.State(rapid.Uint32Range(0, 1<<18-1).Draw(t, label)), Sensitive: rapid.Bool().Draw(t, label), Container: rapid.Bool().Draw(t, label)})
			}
			return s
		}
		p, q := draw("before"), draw("after")
		ev := &Evidence{Before: p, After: q, Target: rapid.IntRange(-1, len(p.Nodes)-1).Draw(t, "target"), Diff: diff.Between(p, q), Rested: rapid.Bool().Draw(t, "rested"), Final: rapid.Bool().Draw(t, "final"), Pending: rapid.Bool().Draw(t, "pending")}
		ev.Action = deed.Action{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Text: "x", Key: rapid.SampledFrom([]string{"Enter", "Escape", "Tab", "a", "ArrowDown", "Space", "Control+A", "Backspace"}).Draw(t, "key"), Options: []string{"A"}, Intent: "A is saved"}
		ev.Witness.Delivered = rapid.Bool().Draw(t, "delivered")
		ev.Passing = slices.Clone(ev.Diff.Changes)
		j := Judge(ev)
		if (j.Verdict == deed.Match) != (j.Basis != "") || (j.Verdict == deed.Mismatch) != (j.Kind != "") || j.Reason == "" {
			t.Fatalf("a verdict without its ground: %+v", j)
		}
		inv, err := PlanUndo(ev)
		if err == nil && inv.Action.Kind != "" && inv.Target >= len(q.Nodes) || err == nil && inv.Action.Text == deed.Redacted {
			t.Fatalf("a bad plan: %+v", inv)
		}
		ev.After, ev.Before = nil, nil
		ev.Target, ev.Diff = -1, deed.Diff{}
		ev.Passing = nil
		Judge(ev)
	})
}

func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{50, 3000} {
		s := &shop{verb: "Add"}
		for i := range n {
			s.rows = append(s.rows, fmt.Sprintf("%s %d", goods[i%len(goods)], i))
		}
		after := *s
		after.cart = []string{s.rows[n/2]}
		ev := trial(s.page(count(n)), after.page(count(n)), int64(101+10*(n/2)))
		b.Run(fmt.Sprint(n, " rows"), func(b *testing.B) {
			for b.Loop() {
				if j := Judge(ev); j.Verdict != deed.Match {
					b.Fatal(j)
				}
			}
		})
	}
}

// A field that drops, swaps, doubles or changes a digit holds another number, whatever its mask makes of it.
func TestAMaskThatLosesADigitIsNoFormatting(t *testing.T) {
	masks := []string{"+1 (###) ###-####", "+44 #### ######", "(###) ###-####", "###-###-####", "+380 ## ### ## ##", "##########"}
	render := func(mask, digits string) string {
		var out []byte
		for i := range len(mask) {
			switch {
			case mask[i] != '#':
				out = append(out, mask[i])
			case digits == "":
				return string(out)
			default:
				out, digits = append(out, digits[0]), digits[1:]
			}
		}
		return string(out) + digits
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{10}`).Draw(t, "text")
		mask := rapid.SampledFrom(masks).Draw(t, "mask")
		if f := fit(text, render(mask, text)); f == misfits && !doubles(text, mask) {
			t.Fatalf("%q in %q is no formatting of it", render(mask, text), mask)
		}
		d, i := []byte(text), rapid.IntRange(0, 9).Draw(t, "at")
		j := (i + 1) % 10
		switch rapid.SampledFrom([]string{"drop", "double", "swap", "change"}).Draw(t, "fault") {
		case "drop":
			d = slices.Delete(d, i, i+1)
		case "double":
			d = slices.Insert(d, i, d[i])
		case "swap":
			d[i], d[j] = d[j], d[i]
		case "change":
			d[i] = '0' + (d[i]-'0'+1)%10
		}
		if string(d) == text {
			return
		}
		value := render(mask, string(d))
		if string(alnum(value)) == text {
			return // the code of the mask stands for the digit that was dropped
		}
		if fit(text, value) != misfits {
			t.Fatalf("%q is called a formatting of %q", value, text)
		}
	})
}

// doubles reports a mask whose code is how the text begins: that may be digits put in twice.
func doubles(text, mask string) bool {
	code, _, _ := strings.Cut(strings.TrimPrefix(mask, "+"), " ")
	return strings.HasPrefix(mask, "+") && strings.HasPrefix(text, code)
}
