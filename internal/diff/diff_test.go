package diff_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/snaptext"
)

// Each file of testdata holds `before`, `after` and the differences that are wanted, a line each.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(ar.Files) != 3 || ar.Files[0].Name != "before" || ar.Files[1].Name != "after" || ar.Files[2].Name != "want" {
				t.Fatal("want the sections before, after, want")
			}
			before, err := snaptext.Parse(string(ar.Files[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			after, err := snaptext.Parse(string(ar.Files[1].Data))
			if err != nil {
				t.Fatal(err)
			}
			d := diff.Between(before, after)
			if got := describe(&d); got != string(ar.Files[2].Data) {
				t.Errorf("got\n%s\nwant\n%s", got, ar.Files[2].Data)
			}
			check(t, before, after, &d)
		})
	}
}

func describe(d *deed.Diff) string {
	var b strings.Builder
	if d.URLBefore != d.URLAfter {
		fmt.Fprintf(&b, "url %s → %s\n", d.URLBefore, d.URLAfter)
	}
	if d.NewDoc {
		b.WriteString("new document\n")
	}
	for _, c := range d.Changes {
		fmt.Fprintf(&b, "%s %s (#%d)\n", c.Kind, c.String(), c.Now().Element)
	}
	for _, c := range d.Volatile {
		fmt.Fprintf(&b, "volatile %s %s (#%d)\n", c.Kind, c.String(), c.Now().Element)
	}
	return b.String()
}

type tb interface {
	Helper()
	Errorf(string, ...any)
}

// check holds whatever the two snapshots are: indices name the nodes that are told, each node is told once at most, and what is told of
// one direction is told, mirrored, of the other.
func check(t tb, before, after *deed.Snapshot, d *deed.Diff) {
	t.Helper()
	told := [2]map[int]bool{{}, {}}
	all := slices.Concat(d.Changes, d.Volatile)
	for _, c := range all {
		for side, at := range []int{c.BeforeIndex, c.AfterIndex} {
			s, n := before, c.Before
			if side == 1 {
				s, n = after, c.After
			}
			gone := side == 0 && c.Kind == deed.Appeared || side == 1 && c.Kind == deed.Disappeared
			if gone != (at < 0) {
				t.Errorf("%s has index %d on side %d", c.String(), at, side)
				continue
			}
			if gone {
				if n != (deed.Node{}) {
					t.Errorf("%s has a node on side %d", c.String(), side)
				}
				continue
			}
			if s.Nodes[at] != n {
				t.Errorf("%s: node %d is another", c.String(), at)
			}
			if told[side][at] {
				t.Errorf("%s: node %d is told twice", c.String(), at)
			}
			told[side][at] = true
		}
		if c.Before.Region == c.After.Region && c.Kind == deed.Moved || c.Before.Name == c.After.Name && c.Kind == deed.Renamed {
			t.Errorf("%s is none", c.String())
		}
	}
	back := diff.Between(after, before)
	if a, b := kinds(all, false), kinds(slices.Concat(back.Changes, back.Volatile), true); !cmp.Equal(a, b) {
		t.Errorf("forth %v, back %v", a, b)
	}
}

func kinds(cs []deed.Change, mirrored bool) map[deed.ChangeKind]int {
	out := map[deed.ChangeKind]int{}
	for _, c := range cs {
		k := c.Kind
		if mirrored && k == deed.Appeared {
			k = deed.Disappeared
		} else if mirrored && k == deed.Disappeared {
			k = deed.Appeared
		}
		out[k]++
	}
	return out
}

// snapshots draws pages with many twins, so that everything that can pair does.
func snapshots() *rapid.Generator[*deed.Snapshot] {
	return rapid.Custom(func(t *rapid.T) *deed.Snapshot {
		s := &deed.Snapshot{URL: "http://h/", Complete: true, Frames: []deed.Frame{{ID: "m", Parent: -1, Doc: rapid.SampledFrom([]string{"D1", "D2"}).Draw(t, "doc")},
			{ID: rapid.SampledFrom([]string{"f1", "f2"}).Draw(t, "frame")}}}
		used := map[deed.Node]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			frame := rapid.IntRange(0, 1).Draw(t, "fr")
			n := deed.Node{Frame: frame, Parent: rapid.IntRange(-1, len(s.Nodes)-1).Draw(t, "parent"), Role: rapid.SampledFrom([]string{"button", "listitem"}).Draw(t, "role"),
				Name: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "name"), Region: rapid.SampledFrom([]string{"", "cart"}).Draw(t, "region"),
				Value:  rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "value"),
				States: rapid.SampledFrom([]deed.State{0, deed.Checked, deed.Focused}).Draw(t, "states"),
				Unseen: rapid.IntRange(0, 4).Draw(t, "unseen") == 0, Volatile: rapid.IntRange(0, 9).Draw(t, "volatile") == 0, Container: rapid.Bool().Draw(t, "container")}
			// Elements are unique in their frame.
			if e := rapid.Int64Range(0, 12).Draw(t, "element"); !used[deed.Node{Frame: frame, Element: e}] {
				used[deed.Node{Frame: frame, Element: e}] = true
				n.Element = e
			}
			s.Nodes = append(s.Nodes, n)
		}
		return s
	})
}

func TestASnapshotDoesNotDifferFromItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := snapshots().Draw(t, "s")
		if d := diff.Between(s, s); !d.Empty() || len(d.Volatile) > 0 {
			t.Fatalf("%s", describe(&d))
		}
	})
}

// AP-1, for all pages: any order of the same nodes is no change, with and without known elements.
func TestAP1_OrderIsNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := snapshots().Draw(t, "s")
		p := *s
		order := rapid.Permutation(indices(len(s.Nodes))).Draw(t, "order")
		p.Nodes = nil
		for _, i := range order {
			n := s.Nodes[i]
			n.Parent = -1 // who encloses whom is no part of what is compared
			p.Nodes = append(p.Nodes, n)
		}
		if rapid.Bool().Draw(t, "other document") {
			p.Frames = slices.Clone(s.Frames)
			p.Frames[0].Doc += "'"
		}
		if d := diff.Between(s, &p); len(d.Changes)+len(d.Volatile) > 0 {
			t.Fatalf("%s", describe(&d))
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Whatever the pages, what is told is consistent in itself and in both directions.
func TestDifferencesAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := snapshots().Draw(t, "a"), snapshots().Draw(t, "b")
		d := diff.Between(a, b)
		check(t, a, b, &d)
	})
}

// flat takes out what the arithmetic of the next property does not cover: sight, which is told of one side only, and regions that may be
// renamed around what is in them, which is told of the region only. Both have their tables.
func flat(s *deed.Snapshot) *deed.Snapshot {
	for i := range s.Nodes {
		s.Nodes[i].Unseen, s.Nodes[i].Container = false, false
	}
	return s
}

// The differences, applied to before, give after: nothing is lost, nothing told that is not so.
func TestApplyingTheDifferencesGivesAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := flat(snapshots().Draw(t, "a")), flat(snapshots().Draw(t, "b"))
		d := diff.Between(a, b)
		type seen struct {
			key    deed.Key
			value  string
			states deed.State
		}
		bag := map[seen]int{}
		put := func(s *deed.Snapshot, i, by int) {
			n := &s.Nodes[i]
			bag[seen{s.Key(i), n.Value, n.States &^ deed.Focused}] += by
		}
		for i := range a.Nodes {
			put(a, i, 1)
		}
		for _, c := range slices.Concat(d.Changes, d.Volatile) {
			if c.BeforeIndex >= 0 {
				put(a, c.BeforeIndex, -1)
			}
			if c.AfterIndex >= 0 {
				put(b, c.AfterIndex, 1)
			}
		}
		for i := range b.Nodes {
			put(b, i, -1)
		}
		for k, n := range bag {
			if n != 0 {
				t.Fatalf("%+v is off by %d\n%s", k, n, describe(&d))
			}
		}
	})
}

func big(n int) *deed.Snapshot {
	s := &deed.Snapshot{Complete: true, Frames: []deed.Frame{{ID: "m", Parent: -1, Doc: "D"}}}
	s.Nodes = append(s.Nodes, deed.Node{Element: 1, Parent: -1, Role: "list", Name: "Items", Container: true})
	for i := 1; i < n; i++ {
		s.Nodes = append(s.Nodes, deed.Node{Element: int64(i + 1), Parent: 0, Role: "listitem", Name: fmt.Sprintf("Item number %d of the list", i/2), Region: `list "Items"`, Value: "v"})
	}
	return s
}

func BenchmarkBetween(b *testing.B) {
	before := big(10_000)
	cases := map[string]*deed.Snapshot{"unchanged": big(10_000)}

	one := big(10_000)
	one.Nodes = slices.Insert(one.Nodes, 1, deed.Node{Element: 99_999, Parent: 0, Role: "listitem", Name: "New", Region: `list "Items"`})
	cases["one in front"] = one

	mixed := big(10_000)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed.Nodes)-1, func(i, j int) { mixed.Nodes[i+1], mixed.Nodes[j+1] = mixed.Nodes[j+1], mixed.Nodes[i+1] })
	cases["shuffled"] = mixed

	doc := big(10_000)
	doc.Frames[0].Doc = "E"
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(doc.Nodes)-1, func(i, j int) { doc.Nodes[i+1], doc.Nodes[j+1] = doc.Nodes[j+1], doc.Nodes[i+1] })
	cases["another document"] = doc

	other := big(10_000)
	for i := range other.Nodes {
		other.Nodes[i].Name += "!"
		other.Nodes[i].Element += 1 << 20
	}
	cases["all others"] = other

	for _, name := range []string{"unchanged", "one in front", "shuffled", "another document", "all others"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Between(before, cases[name])
			}
		})
	}
}
