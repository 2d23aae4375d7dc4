package lock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/snaptext"
)

// shop is a case with a secret, a variable and further origins, on an origin of its own.
func shop(origin, password string) (*deed.Case, []Evidence) {
	c := &deed.Case{ID: "shop/order", Start: origin + "/shop", Vars: map[string]string{"BASE_URL": origin, "WHO": "ana@example.com"}, Secrets: map[string]string{"PASSWORD": password},
		Steps: []deed.Step{
			{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Email"), Text: "ana@example.com"}},
			{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Password"), Text: password, Secret: "PASSWORD"}},
			{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Sign in").In("form \"Account\"")}},
			{Action: deed.Action{Kind: deed.KindGoto, Text: origin + "/orders?ts=1"}},
		}}
	head := "url " + origin + "/shop\n"
	form := func(email, secret string) string {
		return head + "form \"Account\" #1\n  textbox \"Email\" #2 value=\"" + email + "\"\n  textbox \"Password\" #3 sensitive value=\"" + secret + "\"\n  button \"Sign in\" #4\n"
	}
	page := func(s string) *deed.Snapshot { return snaptext.MustParse(s) }
	t := &testing.T{}
	var evs []Evidence
	add := func(i int, before, after, signals string) {
		evs = append(evs, Evidence{Result: result(t, &c.Steps[i].Action, page(before), page(after), signals)})
	}
	add(0, form("", ""), form("ana@example.com", ""), "")
	add(1, form("ana@example.com", ""), form("ana@example.com", deed.Redacted), "POST "+origin+"/log 204\nPUT "+origin+"/typed?pw="+password+" 200")
	add(2, form("ana@example.com", deed.Redacted), "url "+origin+"/home?token="+password+"\ndoc D2\nheading \"Welcome ana@example.com\" #9\ntext \"Your password is "+password+"\" #8", "POST "+origin+"/session 201")
	add(3, head, "url "+origin+"/orders\nheading \"Orders\" #1", "GET "+origin+"/orders 200")
	return c, evs
}

// TestGolden: the file that is committed, as it is.
func TestGolden(t *testing.T) {
	c, evs := shop("http://127.0.0.1:8080", "c4nary-in-the-mine")
	got := encode([]*Case{Record(c, evs)})
	const file = "testdata/shop.deed.lock"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWU27_AnotherBaseURL: the same lock replays on another origin, addresses included, and is not changed by it.
func TestWU27_AnotherBaseURL(t *testing.T) {
	c, evs := shop("http://127.0.0.1:8080", "one")
	l := Record(c, evs)
	there, evs2 := shop("https://staging.example:8443", "two")
	if Key(there) != l.Key {
		t.Fatal("another base URL is another key")
	}
	for i := range there.Steps {
		if ds := l.Check(there, i, evs2[i]); len(ds) > 0 {
			t.Errorf("step %d: %v", i+1, ds)
		}
	}
	next, word := Next(l, Record(there, evs2), false)
	if a, b := string(encode([]*Case{Merge(l, l)})), string(encode([]*Case{next})); a != b || word != deed.LockUpdated {
		t.Errorf("%s\n%s\nwant\n%s", word, b, a)
	}
	if got := Rebase(there, "${ORIGIN}/orders/{id}?who=${WHO}"); got != "https://staging.example:8443/orders/{id}?who=ana@example.com" {
		t.Errorf("rebased: %s", got)
	}
	if got := string(encode([]*Case{l})); strings.Contains(got, "127.0.0.1") {
		t.Errorf("the origin is in the lock:\n%s", got)
	}
}

// TestWU2_WU4_ReplaysWriteNothing: after two runs a lock is what it is, byte for byte.
func TestWU2_WU4_ReplaysWriteNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.deed.lock")
	var before string
	for run := range 12 {
		f, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		c, evs := shop("http://127.0.0.1:8080", "one")
		old := f.Case(c.ID, "")
		if old != nil {
			for i := range c.Steps {
				if ds := old.Check(c, i, evs[i]); len(ds) > 0 {
					t.Fatalf("run %d, step %d: %v", run, i+1, ds)
				}
			}
		}
		next, word := Next(old, Record(c, evs), false)
		if want := []string{deed.LockNew, deed.LockUpdated, deed.LockHit}[min(run, 2)]; word != want {
			t.Errorf("run %d: %s, want %s", run, word, want)
		}
		f.Put(next)
		if err := f.Save(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if run > 1 && string(data) != before {
			t.Fatalf("run %d changed it:\n%s", run, data)
		}
		before = string(data)
	}
}

// TestWU5_Healed: an address is healed, the effects are those of before, and the next run uses the new address.
func TestWU5_Healed(t *testing.T) {
	page := func(button, state string) *deed.Snapshot {
		return snaptext.MustParse(fmt.Sprintf("url http://shop.example/shop\nform \"Profile\" #1\n  textbox \"Name\" #2\n  button %q #3 %s\n  button \"Cancel\" #4\n", button, state))
	}
	c := &deed.Case{ID: "a", Start: "http://shop.example/shop", Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Notify").In(`form "Profile"`)}}}}
	first := Evidence{Result: result(t, &c.Steps[0].Action, page("Notify", "unpressed"), page("Notify", "pressed"), "")}
	l := Merge(Record(c, []Evidence{first}), Record(c, []Evidence{first}))
	p, why := l.Propose(c, 0, page("Tell me", "unpressed"))
	if p == nil {
		t.Fatal(why)
	}
	a := c.Steps[0].Action
	a.Locator = p.Locator
	now := Evidence{Result: result(t, &a, page("Tell me", "unpressed"), page("Tell me", "pressed"), ""), Healed: p.Locator.String()}
	if ds := l.Check(c, 0, now); len(ds) > 0 {
		t.Errorf("the healed step diverges: %v", ds)
	}
	wrong := Evidence{Result: result(t, &a, page("Tell me", "unpressed"), page("Tell me", "unpressed disabled"), ""), Healed: p.Locator.String()}
	if ds := l.Check(c, 0, wrong); len(ds) == 0 {
		t.Error("a healed step that does nothing is no divergence")
	}
	next, word := Next(l, Record(c, []Evidence{now}), false)
	if word != deed.LockHealed || next.Steps[0].Healed != "button \"Tell me\"" {
		t.Errorf("%s %q", word, next.Steps[0].Healed)
	}
	if got := strings.Join(Lines(l, next), "\n"); got != "step 1: click button \"Notify\" in form \"Profile\"\n  ~ found as: button \"Notify\" in form \"Profile\" → button \"Tell me\"" {
		t.Errorf("told as\n%s", got)
	}
	at := next.Steps[0].Address(c, c.Steps[0].Action.Locator)
	if at != p.Locator {
		t.Errorf("the next run looks for %s", at)
	}
	again := Evidence{Result: now.Result, Healed: at.String()}
	if ds := next.Check(c, 0, again); len(ds) > 0 {
		t.Errorf("the run after: %v", ds)
	}
	if l.Steps[0].Healed != "" {
		t.Error("the lock that was healed was changed")
	}
}

// TestWU19_NoSecretIsInALock: neither what is typed as a secret, nor what a sensitive field holds, nor what a page says of it.
func TestWU19_NoSecretIsInALock(t *testing.T) {
	const canary = "c4nary-in-the-mine"
	c, evs := shop("http://127.0.0.1:8080", canary)
	// The page shows it everywhere, and the field says that it is not sensitive.
	for i := range evs {
		r := evs[i].Result
		r.Target.Row, r.Target.Group = "row with "+canary, canary
		r.Spot.Prev, r.Spot.Next, r.Spot.Others, r.Spot.Frame = canary, "x "+canary, []string{canary}, canary
		r.Diff.Changes = append(r.Diff.Changes, deed.Change{Kind: deed.Changed, Caused: true, Before: deed.Node{Role: "textbox", Name: "Seen"}, After: deed.Node{Role: "textbox", Name: "Seen", HasValue: true, Value: canary}},
			deed.Change{Kind: deed.Appeared, AfterIndex: 77, Caused: true, After: deed.Node{Role: "status", Name: "Key " + canary, Region: "dialog \"" + canary + "\""}},
			deed.Change{Kind: deed.Changed, Caused: true, Before: deed.Node{Role: "textbox", Name: "Code", Sensitive: true}, After: deed.Node{Role: "textbox", Name: "Code", Sensitive: true, HasValue: true, Value: "one-time-4711"}})
		r.Signals.Requests = append(r.Signals.Requests, deed.Request{Method: "POST", URL: "http://127.0.0.1:8080/x/" + canary + "?a=" + canary + "#" + canary, Status: 200}, deed.Request{Method: "POST", URL: "http://u:one-time-4711@127.0.0.1:8080/y?otp=one-time-4711", Status: 200})
		r.Signals.Dialogs = append(r.Signals.Dialogs, deed.Dialog{Kind: "alert", Message: canary})
		r.Signals.Downloads = append(r.Signals.Downloads, deed.Download{Name: canary + ".txt"})
		r.Signals.Pages = append(r.Signals.Pages, deed.NewPage{URL: "http://127.0.0.1:8080/p?q=" + canary})
	}
	l := Record(c, evs)
	text := string(encode([]*Case{l, {ID: "b", Key: "k", Runs: 1}}))
	for _, bad := range []string{canary, "4711"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s is in the lock:\n%s", bad, text)
		}
	}
	if !strings.Contains(text, "[redacted]") {
		t.Error("nothing was masked: the test shows nothing")
	}
	for i := range c.Steps {
		for _, d := range l.Check(c, i, Evidence{Result: &deed.Result{Diff: deed.Diff{URLBefore: "http://127.0.0.1:8080/a", URLAfter: "http://127.0.0.1:8080/" + canary}}}) {
			if strings.Contains(d.String(), canary) {
				t.Errorf("a divergence tells it: %s", d)
			}
		}
	}
}

// TestVolatile_IsNeverInALock: what changes on its own.
func TestVolatile_IsNeverInALock(t *testing.T) {
	c := &deed.Case{ID: "a", Start: "http://shop.example/shop", Steps: []deed.Step{{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Go")}}}}
	r := &deed.Result{URL: "http://shop.example/shop", Diff: deed.Diff{Changes: []deed.Change{{Kind: deed.Appeared, Caused: true, AfterIndex: 3, After: deed.Node{Role: "text", Name: "12:01", Volatile: true}}},
		Volatile: []deed.Change{{Kind: deed.Appeared, Caused: true, AfterIndex: 4, After: deed.Node{Role: "text", Name: "slide 2"}}}}}
	if l := Record(c, []Evidence{{Result: r}}); len(l.Steps[0].Effects) > 0 {
		t.Errorf("in the lock: %v", l.Steps[0].Effects)
	}
}

// TestWU28_AnotherKeyIsAnotherLock: after an edit the old lock says nothing.
func TestWU28_AnotherKeyIsAnotherLock(t *testing.T) {
	c, evs := shop("http://127.0.0.1:8080", "one")
	old := Record(c, evs)
	c.Steps[2].Action.Intent = "the shop opens"
	next, word := Next(old, Record(c, evs), false)
	if word != deed.LockStale || next.Runs != 1 || next.Key == old.Key {
		t.Errorf("%s %+v", word, next)
	}
}

// TestSavedValuesAreNamed: what a step before saves is known by its name, and a request beside the browser by what is asked.
func TestSavedValuesAreNamed(t *testing.T) {
	c := &deed.Case{ID: "a", Start: "http://shop.example/", Steps: []deed.Step{
		{Action: deed.Action{Kind: deed.KindHTTP}, HTTP: &deed.HTTPStep{Method: "POST", URL: "http://shop.example/api/orders", Save: map[string]string{"id": "$.id"}}},
		{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Delete order " + deed.Saved("id"))}},
	}}
	l := Record(c, []Evidence{{Result: &deed.Result{}}, {Result: &deed.Result{}}})
	if got := l.Steps[0].At; got != "POST ${ORIGIN}/api/orders" {
		t.Errorf("the request is %q", got)
	}
	if got := l.Steps[1].At; got != `button "Delete order ${id}"` {
		t.Errorf("the element is %q", got)
	}
}
