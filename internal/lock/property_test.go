package lock

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/locate"
)

// drawText draws what pages show: words, numbers, dates, ids, braces, other scripts.
func drawText(t *rapid.T) string {
	n := rapid.IntRange(0, 5).Draw(t, "pieces")
	var out []string
	for range n {
		out = append(out, rapid.OneOf(
			rapid.SampledFrom([]string{"Order", "of", "Total", "€", "{", "{{", "{number}", "${WHO}", "-", "#", ":", "\"", "'", "\\", "Größe", "価格", "/", "👍🏽", "\u00a0", "a", "0", "12:5", "5 May", "Nov 2026", "/x/"}),
			rapid.StringMatching(`[0-9]{1,4}([.,][0-9]{2})?`),
			rapid.StringMatching(`202[0-9]-[01][0-9]-[0-3][0-9]`),
			rapid.StringMatching(`[0-9a-f]{6,12}`),
			rapid.StringMatching(`[0-9]{1,2}:[0-9]{2}( PM)?`),
			rapid.StringN(0, 6, -1),
		).Draw(t, "piece"))
	}
	return strings.Join(out, rapid.SampledFrom([]string{" ", "", ", "}).Draw(t, "between"))
}

func TestJoin_AcceptsBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := Text(escape(drawText(t))), Text(escape(drawText(t))), Text(escape(drawText(t)))
		j, _ := join(a, b)
		k, _ := join(b, a)
		if j != k {
			t.Fatalf("join(%q, %q) is %q, the other way round %q", a, b, j, k)
		}
		if !j.Accepts(a) || !j.Accepts(b) {
			t.Fatalf("%q does not accept both of %q and %q", j, a, b)
		}
		if again, typed := join(j, a); again != j || !typed {
			t.Fatalf("joined once more with %q, %q is %q", a, j, again)
		}
		if again, _ := join(b, j); again != j {
			t.Fatalf("joined once more with %q, %q is %q", b, j, again)
		}
		three, _ := join(j, c)
		if !three.Accepts(a) || !three.Accepts(b) || !three.Accepts(c) || !three.Accepts(j) {
			t.Fatalf("%q of three does not accept all of %q, %q, %q", three, a, b, c)
		}
		if _, bad := three.check(); bad != "" {
			t.Fatalf("%q has %q, which cannot be read back", three, bad)
		}
	})
}

// drawNodes draws a small page: the same pool of elements each time, with texts of their own.
func drawPage(t *rapid.T, fresh func(string) string) *deed.Snapshot {
	s := &deed.Snapshot{Number: 1, URL: "http://shop.example/shop", Complete: true, Frames: []deed.Frame{{ID: "main", Parent: -1, URL: "http://shop.example/shop"}}}
	n := rapid.IntRange(1, 12).Draw(t, "nodes")
	regions := []string{"", "cart", `dialog "Cookies"`, "the list"}
	for i := range n {
		s.Nodes = append(s.Nodes, deed.Node{Element: int64(i + 1), Parent: -1, Role: rapid.SampledFrom([]string{"button", "listitem", "row", "status", "textbox", "heading", "checkbox"}).Draw(t, "role"),
			Name: fresh(rapid.SampledFrom([]string{"Add", "Order %d", "Total %d €", "", "Save", "Due %d Nov 2026", "Hello"}).Draw(t, "name")), Region: rapid.SampledFrom(regions).Draw(t, "region"),
			Value: fresh(rapid.SampledFrom([]string{"", "%d", "x"}).Draw(t, "value")), States: rapid.SampledFrom([]deed.State{0, deed.Checked, deed.Unchecked, deed.Disabled}).Draw(t, "states")})
	}
	return s
}

func drawEvidence(t *rapid.T) Evidence {
	fresh := func(s string) string {
		if strings.Contains(s, "%d") {
			return fmt.Sprintf(s, rapid.IntRange(1, 30).Draw(t, "number"))
		}
		return s
	}
	before, after := drawPage(t, fresh), drawPage(t, fresh)
	r := &deed.Result{Outcome: deed.OutcomeVerified, URL: "http://shop.example/shop", Diff: diff.Between(before, after)}
	for i := range r.Diff.Changes {
		r.Diff.Changes[i].Caused = rapid.Bool().Draw(t, "caused")
	}
	for range rapid.IntRange(0, 3).Draw(t, "requests") {
		r.Signals.Requests = append(r.Signals.Requests, deed.Request{Method: rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
			URL: fresh("http://shop.example/" + rapid.SampledFrom([]string{"orders/%d", "cart", "x?id=%d"}).Draw(t, "path")), Status: rapid.SampledFrom([]int{200, 201, 404, 500}).Draw(t, "status"), Done: true})
	}
	for range rapid.IntRange(0, 2).Draw(t, "dialogs") {
		r.Signals.Dialogs = append(r.Signals.Dialogs, deed.Dialog{Kind: rapid.SampledFrom([]string{"confirm", "alert"}).Draw(t, "kind"), Message: fresh("Delete %d?"), Accepted: rapid.Bool().Draw(t, "accepted")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "downloads") {
		r.Signals.Downloads = append(r.Signals.Downloads, deed.Download{Name: fresh(rapid.SampledFrom([]string{"orders-%d.csv", "all.pdf"}).Draw(t, "file"))})
	}
	if rapid.Bool().Draw(t, "moved") {
		r.Diff.URLBefore, r.Diff.URLAfter = "http://shop.example/shop", fresh("http://shop.example/orders/%d")
	}
	if i := rapid.IntRange(-1, len(before.Nodes)-1).Draw(t, "target"); i >= 0 {
		r.Target, r.Spot = before.Nodes[i], locate.Spot(before, i)
	}
	return Evidence{Result: r}
}

var click = &deed.Case{ID: "a", Start: "http://shop.example/shop", Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Add")}}}}

// TestMerge_AcceptsBothRuns: what two runs have in common accepts both, whichever came first, and merging either again changes nothing.
func TestMerge_AcceptsBothRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawEvidence(t), drawEvidence(t)
		a, b := Record(click, []Evidence{x}), Record(click, []Evidence{y})
		m := Merge(a, b)
		bytesOf := func(c *Case) string { return string(encode([]*Case{c})) }
		if n := Merge(b, a); bytesOf(n) != bytesOf(m) {
			t.Fatalf("one way\n%s\nthe other\n%s", bytesOf(m), bytesOf(n))
		}
		for i, ev := range []Evidence{x, y} {
			if ds := m.Check(click, 0, ev); len(ds) > 0 {
				t.Fatalf("run %d diverges from\n%s\nby %v\nthe runs were\n%s%s", i+1, bytesOf(m), ds, bytesOf(a), bytesOf(b))
			}
		}
		for _, o := range []*Case{a, b} {
			if again := Merge(m, o); bytesOf(again) != bytesOf(m) {
				t.Fatalf("merged once more with\n%s\n\n%s\nis otherwise:\n%s", bytesOf(o), bytesOf(m), strings.Join(Lines(m, again), "\n"))
			}
		}
		if ds := a.Check(click, 0, x); len(ds) > 0 {
			t.Fatalf("the run diverges from its own lock: %v", ds)
		}
		if l := Lines(m, m); len(l) > 0 {
			t.Fatalf("a lock differs from itself: %v", l)
		}
		if acc := Accept(m, b); len(acc.Check(click, 0, y)) > 0 {
			t.Fatalf("what was accepted diverges: %v\n%s", acc.Check(click, 0, y), bytesOf(acc))
		}
		// What is written is read back.
		back, err := decode("x.deed.lock", encode([]*Case{m, {ID: "b", Key: a.Key, Runs: 1, Steps: a.Steps}}))
		if err != nil {
			t.Fatalf("%v\n%s", err, bytesOf(m))
		}
		if got := string(encode(back)); got != string(encode([]*Case{m, {ID: "b", Key: a.Key, Runs: 1, Steps: a.Steps}})) {
			t.Fatalf("read back\n%s\nwas\n%s", got, bytesOf(m))
		}
		if ds := back[0].Check(click, 0, x); len(ds) > 0 {
			t.Fatalf("read back it diverges: %v", ds)
		}
	})
}

// TestWrite_IsReadBack: whatever a page shows, the lock that holds it is YAML that gives it back.
func TestWrite_IsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) Text {
			return Text(strings.ToValidUTF8(escape(strings.ReplaceAll(drawText(t), "\r", "")), ""))
		}
		s := Step{Do: deed.KindClick, At: text("at"), Found: &Fingerprint{Role: "button", Name: text("name"), Row: text("row"), Prev: text("prev"), Twin: 1, Twins: 1, Others: []Text{text("other")}}}
		s.Effects = []Effect{{Kind: deed.Changed, Role: "status", Name: text("n"), Frame: text("f"), From: text("from"), To: text("to")}}
		s.Dialogs = []Dialog{{Kind: "alert", Message: text("m")}}
		if e := &s.Effects[0]; e.From == e.To {
			e.From = ""
			e.To = "x"
		}
		in := encode([]*Case{{ID: "a", Key: "k", Runs: 1, Steps: []Step{s}}})
		cs, err := decode("x", in)
		if err != nil {
			t.Fatalf("%v\n%s", err, in)
		}
		if out := encode(cs); !bytes.Equal(in, out) {
			t.Fatalf("%s\nread back\n%s", in, out)
		}
		if got := cs[0].Steps[0]; got.At != s.At || got.Found.Name != s.Found.Name || got.Found.Others[0] != s.Found.Others[0] || got.Effects[0].From != s.Effects[0].From {
			t.Fatalf("%+v\nread back\n%+v", s, got)
		}
	})
}

// TestPropose_OnTheSamePage: on the page as it was, every element that has a name of its own is found again; where it went, nobody takes its place
// who was there before.
func TestPropose_OnTheSamePage(t *testing.T) {
	found, gone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawForm(t)
		i := rapid.IntRange(0, len(s.Nodes)-1).Draw(t, "target")
		if s.Nodes[i].Container {
			return
		}
		l, ok := locate.Unique(s, i)
		if !ok || l.Nth > 0 {
			return // a person would have written a number, and a number is never healed
		}
		c := &deed.Case{ID: "a", Start: s.URL, Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindClick, Locator: l}}}}
		r := &deed.Result{URL: s.URL, Target: s.Nodes[i], Spot: locate.Spot(s, i), Outcome: deed.OutcomeVerified}
		lock := Record(c, []Evidence{{Result: r}})
		p, why := lock.Propose(c, 0, s)
		if p == nil || p.Index != i {
			t.Fatalf("%s is not found again: %s %+v", l, why, p)
		}
		found++
		without := remove(s, i)
		if p, _ := lock.Propose(c, 0, without); p != nil {
			t.Fatalf("%s is gone, and %s is proposed because of %s", l, p.New, p.Why())
		}
		gone++
	})
	if found == 0 || gone == 0 {
		t.Errorf("%d found, %d gone: nothing was tried", found, gone)
	}
}

// drawForm draws regions with buttons and fields of which each name is there once in its region.
func drawForm(t *rapid.T) *deed.Snapshot {
	s := &deed.Snapshot{Number: 1, URL: "http://shop.example/shop", Complete: true, Frames: []deed.Frame{{ID: "main", Parent: -1, URL: "http://shop.example/shop"}}}
	add := func(n deed.Node) int {
		n.Element = int64(len(s.Nodes) + 1)
		s.Nodes = append(s.Nodes, n)
		return len(s.Nodes) - 1
	}
	names := []string{"Save", "Cancel", "Email", "Name", "Next", "Help", "Store", "Edit", "Search", "Profile", "Orders", "Send", "Print"}
	for _, region := range []string{"cart", "profile", "menu"}[:rapid.IntRange(1, 3).Draw(t, "regions")] {
		at := add(deed.Node{Parent: -1, Role: "region", Name: region, Container: true})
		pool := rapid.Permutation(names).Draw(t, "names")
		for _, n := range pool[:rapid.IntRange(1, 6).Draw(t, "n")] {
			add(deed.Node{Parent: at, Role: rapid.SampledFrom([]string{"button", "textbox", "link"}).Draw(t, "role"), Name: n, Region: region})
		}
	}
	return s
}

func remove(s *deed.Snapshot, i int) *deed.Snapshot {
	out := *s
	out.Nodes = slices.Delete(slices.Clone(s.Nodes), i, i+1)
	for k := range out.Nodes {
		if out.Nodes[k].Parent > i {
			out.Nodes[k].Parent--
		}
	}
	return &out
}

// TestSave_KeepsWhatOthersPut: files that were read at the same time do not write each other's cases away.
func TestSave_KeepsWhatOthersPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.deed.lock")
	ids := []string{"a", "b", "c", "d"}
	var files []*File
	for range ids {
		f, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	for _, i := range rand.Perm(len(ids)) {
		files[i].Put(&Case{ID: ids[i], Key: "k", Runs: 1})
		if err := files[i].Save(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if f.Case(id, "") == nil {
			t.Errorf("%s is gone", id)
		}
	}
}
