package verify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
	"github.com/deed-dev/deed/internal/redact"
	"github.com/deed-dev/deed/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type allow struct{}

func (allow) Decide(context.Context, *deed.Question) (deed.Ruling, error) {
	return deed.Ruling{Decision: deed.Allow}, nil
}

func loop(p *drivertest.Page) *verify.Loop {
	return &verify.Loop{Driver: p, Decider: allow{}, Mask: &redact.Masker{}, Nonce: func() string { return "f3nce" }}
}

const head = "url http://h/shop\ntitle Shop\n"

// shop is a page with a catalogue and a cart that holds these items.
func shop(items ...string) string {
	var b strings.Builder
	b.WriteString(head + `catalog: data-deed-region "catalog" #1
  listitem "T-shirt M" #10
    button "Add T-shirt M" #11 row="T-shirt M"
  listitem "Trousers L" #12
    button "Add Trousers L" #13 row="Trousers L"
cart: data-deed-region "cart" #2
`)
	for i, it := range items {
		fmt.Fprintf(&b, "  listitem %q #%d\n    button %q #%d row=%q\n", it, 30+2*i, "Remove "+it, 31+2*i, it)
	}
	return b.String()
}

var addShirt = deed.Action{Kind: deed.KindClick, Locator: deed.Button("Add T-shirt M").In("catalog")}

func delivered() (deed.Witness, error) { return deed.Witness{Delivered: true}, nil }

func prevented(receiver string) (deed.Witness, error) {
	return deed.Witness{Prevented: 1, Receiver: receiver}, nil
}

func refuse(code deed.Code, why string) (deed.Witness, error) {
	return deed.Witness{}, &deed.Error{Op: "click", Code: code, Err: errors.New(why), SideEffects: deed.EffectsNone}
}

func run(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func want(t *testing.T, res *deed.Result, err error, o deed.Outcome) {
	t.Helper()
	if res.Outcome != o {
		t.Fatalf("outcome %s, want %s\nerr: %v\n%s\n%s", res.Outcome, o, err, res.Explain(), strings.Join(res.Log, "\n"))
	}
	if (err == nil) != o.OK() {
		t.Fatalf("outcome %s with error %v: an unproven outcome has an error, a proven one has none", o, err)
	}
}

func TestAP6_RightClickIsOneAttempt(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) { p.Show(shop("T-shirt M")); return delivered() }
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if res.Attempts != 1 || res.Undone != 0 || res.Prevented != 0 {
			t.Errorf("attempts %d, undone %d, prevented %d", res.Attempts, res.Undone, res.Prevented)
		}
		if res.Judgement.Basis != deed.BasisNamed {
			t.Errorf("basis %q", res.Judgement.Basis)
		}
		if p.Released() == 0 {
			t.Error("the act was not released: the page would take its own changes for ours")
		}
	})
}

func TestAP7_LateEffectIsAwaited(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.After(700*time.Millisecond, func() { p.Show(shop("T-shirt M")) })
			return delivered()
		}
		start := time.Now()
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if d := time.Since(start); d < 700*time.Millisecond || d > time.Second {
			t.Errorf("took %v: a positive finding answers at once", d)
		}
	})
}

func TestAP8_NoEffectNeedsTheWholeEffectTimeout(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		start := time.Now()
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if res.Judgement.Kind != deed.MismatchNoEffect {
			t.Errorf("kind %q", res.Judgement.Kind)
		}
		if d := time.Since(start); d < verify.DefaultEffectTimeout || d > verify.DefaultEffectTimeout+time.Second {
			t.Errorf("said after %v", d)
		}
		// AP-40: an empty diff is not undone, and the error is the failed verification.
		if len(p.Gestures) != 1 || res.Undone != 0 {
			t.Errorf("%d gestures, %d undone", len(p.Gestures), res.Undone)
		}
		if !errors.Is(err, deed.CodeMismatch) || errors.Is(err, deed.CodeIrreversible) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAP8_ProvenNoOpIsSaidAtOnce(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.Nothing = true
		start := time.Now()
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if d := time.Since(start); res.Judgement.Kind != deed.MismatchNoEffect || d > 100*time.Millisecond {
			t.Errorf("%s after %v", res.Judgement.Kind, d)
		}
	})
}

func TestAP40_EmptyDiffIsNeverUndone(t *testing.T) { TestAP8_NoEffectNeedsTheWholeEffectTimeout(t) }

func TestAP9_RestlessPageIsNeverNoEffect(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.Restless = true
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeAmbiguous)
		if !errors.Is(err, deed.CodeAmbiguous) {
			t.Errorf("error %v", err)
		}
	})
}

// AP-10: what was taken while the page still changed is not the settled state.
func TestAP10_StillChangingIsNotSettled(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			for i := range 20 {
				p.After(time.Duration(i)*drivertest.Frame, func() { p.Show(shop(fmt.Sprintf("Loading %d", i))) })
			}
			p.After(21*drivertest.Frame, func() { p.Show(shop("T-shirt M")) })
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if len(res.Diff.Changes) == 0 || !res.Settled {
			t.Fatalf("judged before the page rested: %v", res.Diff.Lines())
		}
		for _, l := range res.Diff.Lines() {
			if strings.Contains(l, "Loading") {
				t.Errorf("judged a passing state: %s", l)
			}
		}
	})
}

func TestPreventedGestureClimbsTheLadder(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
			if g.Way == deed.WayPointer {
				return prevented(`button "Add Trousers L" in catalog`)
			}
			p.Show(shop("T-shirt M"))
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if res.Prevented != 2 || res.Undone != 0 || res.Witness.Via != string(deed.WayKeyboard) {
			t.Errorf("prevented %d, undone %d, via %s", res.Prevented, res.Undone, res.Witness.Via)
		}
	})
}

func TestAP5_PointerOnlyFailsNamingTheNeighbour(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) { return prevented(`button "Add Trousers L" in catalog`) }
		l := loop(p)
		l.Options.Ways = []deed.Way{deed.WayPointer}
		res, err := l.Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if res.Judgement.Kind != deed.MismatchPrevented || !strings.Contains(res.Judgement.Reason, "Trousers L") {
			t.Errorf("%s: %s", res.Judgement.Kind, res.Judgement.Reason)
		}
		if !errors.Is(err, deed.CodePrevented) || !errors.Is(err, deed.CodeNotActionable) {
			t.Errorf("error %v", err)
		}
		if got := len(p.Gestures); got != 2 {
			t.Errorf("%d gestures; nothing is to be undone", got)
		}
	})
}

// A menu that opens on the press covers its button, so the release goes elsewhere and is stopped: what was asked for is there.
func TestGestureThatDidItsWorkBeforeItWasStopped(t *testing.T) {
	run(t, func(t *testing.T) {
		closed := head + "button \"More\" #1 states=\"collapsed\"\n"
		p := drivertest.New(closed)
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(head + "button \"More\" #1 states=\"expanded\"\nmenu: menu \"More\" #2\n  menuitem \"Delete\" #3\n")
			return deed.Witness{Prevented: 1, Receiver: "menu", Events: []deed.WitnessEvent{{Type: "pointerdown", OnTarget: true}, {Type: "mousedown", Blocked: true}}}, nil
		}
		a := deed.Action{Kind: deed.KindClick, Locator: deed.Button("More"), Expect: []deed.Expect{deed.Appears("menuitem", "Delete")}}
		res, err := loop(p).Do(t.Context(), a)
		want(t, res, err, deed.OutcomeVerified)
		if len(p.Gestures) != 1 {
			t.Errorf("%d gestures: the menu was toggled", len(p.Gestures))
		}
	})
}

func TestStaleAndMovedElementsAreResolvedAnew(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		tries := 0
		p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
			tries++
			switch tries {
			case 1:
				return refuse(deed.CodeStaleRef, "the document was replaced")
			case 2:
				p.Show(strings.Replace(shop(), "#11 ", "#91 ", 1))
				return refuse(deed.CodeStaleRef, `is now button "Add Hat"`)
			}
			if el := g.Snapshot.Nodes[g.Target].Element; el != 91 {
				t.Errorf("acted on element %d", el)
			}
			p.Show(strings.Replace(shop("T-shirt M"), "#11 ", "#91 ", 1))
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
		if res.Attempts != 1 {
			t.Errorf("%d attempts: what was never sent is no attempt", res.Attempts)
		}
	})
}

func TestAP35_CoveredIsRefusedNamingTheCover(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			return refuse(deed.CodeCovered, `covered by dialog "Cookies"`)
		}
		start := time.Now()
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeFailed)
		if !errors.Is(err, deed.CodeCovered) || !strings.Contains(err.Error(), `covered by dialog "Cookies"`) {
			t.Errorf("error %v", err)
		}
		if res.Judgement.Verdict != deed.Ambiguous || res.Judgement.Basis != "" || res.Judgement.Kind != "" {
			t.Errorf("a verdict was invented: %+v", res.Judgement)
		}
		if d := time.Since(start); d > verify.DefaultTimeout+100*time.Millisecond {
			t.Errorf("answered after %v", d)
		}
	})
}

func TestCoverThatGoesAwayIsWaitedFor(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		began := time.Now()
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			if time.Since(began) < time.Second {
				return refuse(deed.CodeCovered, "covered by a spinner")
			}
			p.Show(shop("T-shirt M"))
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)
	})
}

func TestMissingElementIsWaitedForThenNamesCandidates(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head + "button \"Add T-shirt N\" #1\n")
		p.After(2*time.Second, func() { p.Show(shop()) })
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) { p.Show(shop("T-shirt M")); return delivered() }
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeVerified)

		p = drivertest.New(strings.Replace(shop(), "Add T-shirt M", "Add T-shirt N", 1))
		res, err = loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeFailed)
		if !errors.Is(err, deed.CodeNoMatch) || !strings.Contains(err.Error()+deed.HintOf(err), "Add T-shirt N") {
			t.Errorf("error %v, hint %q", err, deed.HintOf(err))
		}
	})
}

func TestManyMatchesAreAnAnswer(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head + "button \"Save\" #1\nbutton \"Save\" #2\n")
		start := time.Now()
		res, err := loop(p).Do(t.Context(), deed.Action{Kind: deed.KindClick, Locator: deed.Button("Save")})
		want(t, res, err, deed.OutcomeFailed)
		if !errors.Is(err, deed.CodeManyMatches) || len(p.Gestures) != 0 {
			t.Errorf("error %v, %d gestures", err, len(p.Gestures))
		}
		if d := time.Since(start); d > 1500*time.Millisecond {
			t.Errorf("answered after %v", d)
		}
	})
}

// wrongThenRemovable is a page that puts the neighbour into the cart, whose Remove button works or not.
func wrongThenRemovable(works bool) *drivertest.Page {
	p := drivertest.New(shop())
	p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
		switch name := g.Snapshot.Nodes[g.Target].Name; {
		case name == "Add T-shirt M":
			p.Show(shop("Trousers L"))
		case name == "Remove Trousers L" && works:
			p.Show(shop())
		case name == "Remove Trousers L":
			p.Show(shop("Trousers L", "Socks"))
		}
		return delivered()
	}
	return p
}

func TestAP32_WrongEffectIsUndoneByItsRemovalControl(t *testing.T) {
	run(t, func(t *testing.T) {
		p := wrongThenRemovable(true)
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if res.Undone != 1 || res.Residue == nil || !res.Residue.Empty() {
			t.Fatalf("undone %d, residue %v, %s", res.Undone, res.Residue, strings.Join(res.Log, "\n"))
		}
		if res.Judgement.Kind != deed.MismatchNeighbour || !errors.Is(err, deed.CodeMismatch) {
			t.Errorf("%s, %v", res.Judgement.Kind, err)
		}
		if len(p.Gestures) != 2 {
			t.Errorf("%d gestures: after a proven undo the run stops, it does not try again", len(p.Gestures))
		}
	})
}

func TestAP33_ResidueIsCarriedAndNothingRetried(t *testing.T) {
	run(t, func(t *testing.T) {
		p := wrongThenRemovable(false)
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if !errors.Is(err, deed.CodeUndoFailed) || res.Undone != 0 || res.Residue == nil || res.Residue.Empty() {
			t.Fatalf("error %v, undone %d, residue %v", err, res.Undone, res.Residue)
		}
		if !strings.Contains(err.Error(), "Socks") {
			t.Errorf("the error does not tell what is left: %v", err)
		}
		if len(p.Gestures) != 2 {
			t.Errorf("%d gestures", len(p.Gestures))
		}
	})
}

func TestAP34_IrreversibleCarriesItsCause(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head + "button \"Yes, go on\" #1\nparagraph \"1 account\" #2\n")
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(head + "button \"Yes, go on\" #1\nparagraph \"0 users left\" #2\n")
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), deed.Action{Kind: deed.KindClick, Locator: deed.Button("Yes, go on")})
		want(t, res, err, deed.OutcomeAmbiguous)
		if !errors.Is(err, deed.CodeIrreversible) {
			t.Fatalf("error %v", err)
		}
		if !errors.Is(err, deed.CodeAmbiguous) || !strings.Contains(err.Error(), "ambiguous") {
			t.Errorf("the cause is lost: %v", err)
		}
		if !strings.Contains(res.Judgement.Reason, "refused by policy") {
			t.Errorf("reason %q", res.Judgement.Reason)
		}
	})
}

func TestUndoPassesPolicy(t *testing.T) {
	run(t, func(t *testing.T) {
		p := wrongThenRemovable(true)
		l := loop(p)
		l.Decider = onlyAdd{}
		res, err := l.Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if !errors.Is(err, deed.CodeIrreversible) || len(p.Gestures) != 1 {
			t.Errorf("error %v, %d gestures", err, len(p.Gestures))
		}
	})
}

type onlyAdd struct{}

func (onlyAdd) Decide(_ context.Context, q *deed.Question) (deed.Ruling, error) {
	if q.Target >= 0 && strings.HasPrefix(q.Snapshot.Nodes[q.Target].Name, "Add") {
		return deed.Ruling{Decision: deed.Allow}, nil
	}
	return deed.Ruling{Reason: "only adding is allowed"}, nil
}

func TestPolicyDefaultsToDeny(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(shop())
		l := loop(p)
		l.Decider = nil
		res, err := l.Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeRefused)
		if !errors.Is(err, deed.CodeRefused) || len(p.Gestures) != 0 {
			t.Errorf("error %v, %d gestures", err, len(p.Gestures))
		}
	})
}

func TestUndoThatIsPreventedIsReported(t *testing.T) {
	run(t, func(t *testing.T) {
		p := wrongThenRemovable(true)
		inner := p.OnGesture
		p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
			if strings.HasPrefix(g.Snapshot.Nodes[g.Target].Name, "Remove") {
				return prevented(`button "Pay"`)
			}
			return inner(g)
		}
		res, err := loop(p).Do(t.Context(), addShirt)
		want(t, res, err, deed.OutcomeMismatch)
		if !errors.Is(err, deed.CodeUndoFailed) || res.Undone != 0 {
			t.Errorf("error %v", err)
		}
	})
}

func TestExpectationsHoldBackUntilTheyHold(t *testing.T) {
	run(t, func(t *testing.T) {
		a := addShirt
		a.Expect = []deed.Expect{deed.Appears("status", "Saved")}
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(shop("T-shirt M"))
			p.After(4*time.Second, func() { p.Show(shop("T-shirt M") + "status \"Saved\" #70\n") })
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), a)
		want(t, res, err, deed.OutcomeVerified)
		if res.Judgement.Basis != deed.BasisExpect {
			t.Errorf("basis %q", res.Judgement.Basis)
		}
	})
}

func TestUnmetNamesWhatFailedWithinTheDeadline(t *testing.T) {
	run(t, func(t *testing.T) {
		a := addShirt
		a.Expect = []deed.Expect{deed.Appears("status", "Saved")}
		p := drivertest.New(shop())
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) { p.Show(shop("T-shirt M")); return delivered() }
		l := loop(p)
		l.Options.NoUndo = true
		start := time.Now()
		res, err := l.Do(t.Context(), a)
		want(t, res, err, deed.OutcomeMismatch)
		if res.Judgement.Kind != deed.MismatchUnmet || !strings.Contains(res.Judgement.Reason, "Saved") {
			t.Errorf("%s: %s", res.Judgement.Kind, res.Judgement.Reason)
		}
		if d := time.Since(start); d > verify.DefaultTimeout {
			t.Errorf("answered after %v", d)
		}
	})
}

func TestRequestOfTheActHoldsTheVerdict(t *testing.T) {
	run(t, func(t *testing.T) {
		flags := func(state string) string {
			return head + fmt.Sprintf("switch \"Dark theme\" #1 states=%q\n", state)
		}
		p := drivertest.New(flags("unchecked"))
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(flags("checked"))
			p.Request(900*time.Millisecond, "POST", "http://h/flags", 403)
			p.After(910*time.Millisecond, func() { p.Show(flags("unchecked") + "alert \"Could not save: not allowed\" #9\n") })
			return delivered()
		}
		l := loop(p)
		res, err := l.Do(t.Context(), deed.Action{Kind: deed.KindCheck, Locator: deed.Switch("Dark theme")})
		if res.Outcome.OK() || err == nil {
			t.Fatalf("an optimistic update that was rolled back passed:\n%s", res.Explain())
		}
	})
}

func TestTimersOfTheGestureHoldAControlsOwnState(t *testing.T) {
	state := func(s string) string { return head + fmt.Sprintf("switch \"Dark theme\" #1 states=%q\n", s) }
	check := deed.Action{Kind: deed.KindCheck, Locator: deed.Switch("Dark theme")}
	for name, c := range map[string]struct {
		reverts bool
		want    deed.Outcome
		least   time.Duration
		most    time.Duration
	}{
		"rolled back by a timer": {true, deed.OutcomeMismatch, time.Second, 4 * time.Second},
		"the timer does nothing": {false, deed.OutcomeVerified, time.Second, 1200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T) {
				p := drivertest.New(state("unchecked"))
				p.Timers = 1
				p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
					p.Show(state("checked"))
					if c.reverts {
						p.After(900*time.Millisecond, func() { p.Show(state("unchecked") + "alert \"Could not save: not allowed\" #9\n") })
					}
					return delivered()
				}
				l := loop(p)
				l.Options.NoUndo = true
				start := time.Now()
				res, err := l.Do(t.Context(), check)
				want(t, res, err, c.want)
				if d := time.Since(start); d < c.least || d > c.most {
					t.Errorf("took %v", d)
				}
			})
		})
	}
}

func TestAP41_AlreadyCheckedIsNotTouched(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head + "checkbox \"I accept\" #1 states=\"checked\"\n")
		res, err := loop(p).Do(t.Context(), deed.Action{Kind: deed.KindCheck, Locator: deed.Checkbox("I accept")})
		want(t, res, err, deed.OutcomeAlready)
		if len(p.Gestures) != 0 {
			t.Error("the box was touched")
		}
	})
}

func field(value string) string {
	return head + fmt.Sprintf("textbox \"Name\" #1 value=%q\n", value)
}

var fillName = deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Name"), Text: "Rowan"}

func TestFillTriesAnotherWayWhenTheValueIsWrong(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(field("guest"))
		p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
			if g.Way == deed.WayInsert {
				p.Show(field("guestRowan"))
			} else {
				p.Show(field("Rowan"))
			}
			return delivered()
		}
		res, err := loop(p).Do(t.Context(), fillName)
		want(t, res, err, deed.OutcomeVerified)
		if res.Attempts != 2 || res.Witness.Via != string(deed.WayReplace) {
			t.Errorf("%d attempts, via %s", res.Attempts, res.Witness.Via)
		}
	})
}

// A text may come just when it was given up, and be in the field before the next way begins: what the fill did is told all the same.
func TestAFillThatComesLateIsStillTold(t *testing.T) {
	for late := range 80 {
		run(t, func(t *testing.T) {
			p := drivertest.New(field(""))
			p.OnGesture = func(g *deed.Gesture) (deed.Witness, error) {
				if g.Way == deed.WayInsert {
					p.After(time.Duration(late)*time.Millisecond, func() { p.Show(field("Rowan")) })
				} else {
					p.Show(field("Rowan"))
				}
				return delivered()
			}
			res, err := loop(p).Do(t.Context(), fillName)
			want(t, res, err, deed.OutcomeVerified)
			if len(res.Diff.Changes) != 1 {
				t.Errorf("after %d ms, %d attempts: %v", late, res.Attempts, res.Diff.Lines())
			}
		})
	}
}

func TestAP27_SecretIsNowhere(t *testing.T) {
	run(t, func(t *testing.T) {
		const secret = "s3cret-Pass-19"
		show := func(v string) string {
			return head + fmt.Sprintf("textbox \"Password\" #1 value=%q sensitive\n", v)
		}
		p := drivertest.New(show(deed.Redacted))
		p.Values[1] = "old"
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Values[1] = secret
			p.Show(show(deed.Redacted) + fmt.Sprintf("paragraph %q #2\n", "your password is "+secret))
			return delivered()
		}
		a := deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Password"), Text: secret, Secret: "PASSWORD"}
		res, err := loop(p).Do(t.Context(), a)
		want(t, res, err, deed.OutcomeVerified)
		if s := fmt.Sprintf("%+v %s", *res, res.Explain()); strings.Contains(s, secret) {
			t.Errorf("the secret is in the result: %s", s)
		}
		if p.Values[1] != secret {
			t.Error("the page does not hold it")
		}
	})
}

func TestAP28_DeclaredSecretIsMaskedWhereThePageEchoesIt(t *testing.T) {
	run(t, func(t *testing.T) {
		const secret = "ES91 2100 0418"
		p := drivertest.New(head + "textbox \"Account\" #1 value=\"\"\n")
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Values[1] = secret
			p.Show(head + fmt.Sprintf("textbox \"Account\" #1 value=%q\nparagraph %q #2\nbutton %q #3\n", deed.Redacted, "Pay from "+secret, "Copy "+secret))
			return delivered()
		}
		a := deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Account"), Text: secret, Secret: "IBAN"}
		res, err := loop(p).Do(t.Context(), a)
		want(t, res, err, deed.OutcomeVerified)
		if s := fmt.Sprintf("%+v %s", *res, res.Explain()); strings.Contains(s, secret) {
			t.Errorf("the secret is in the result: %s", s)
		}
		if !slices.Equal(p.Guarded, []int64{1}) {
			t.Errorf("the page script was not told to mask the field: %v", p.Guarded)
		}
	})
}

func TestAP19_AP20_AmbiguousIsDecidedByPolicy(t *testing.T) {
	ambiguous := func() *drivertest.Page {
		p := drivertest.New(head + "button \"Go\" #1\nparagraph \"one\" #2\n")
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(head + "button \"Go\" #1\nparagraph \"weather\" #2\n")
			return delivered()
		}
		return p
	}
	a := deed.Action{Kind: deed.KindClick, Locator: deed.Button("Go")}
	run(t, func(t *testing.T) {
		l := loop(ambiguous())
		res, err := l.Do(t.Context(), a)
		want(t, res, err, deed.OutcomeAmbiguous)
		if !strings.Contains(res.Judgement.Reason, "policy") {
			t.Errorf("reason %q", res.Judgement.Reason)
		}
	})
	run(t, func(t *testing.T) {
		l := loop(ambiguous())
		l.Options.AcceptAmbiguous = true
		res, err := l.Do(t.Context(), a)
		want(t, res, err, deed.OutcomeVerified)
		if !strings.Contains(res.Judgement.Reason, "policy") || res.Judgement.Basis != deed.BasisPolicy {
			t.Errorf("%q: %s", res.Judgement.Basis, res.Judgement.Reason)
		}
	})
}

// The page hangs in each phase: the answer comes within the deadline, and says what is known.
func TestDeadlineInEveryPhase(t *testing.T) {
	for _, phase := range []string{"observe", "perform", "settle", "await"} {
		t.Run(phase, func(t *testing.T) {
			run(t, func(t *testing.T) {
				p := drivertest.New(shop())
				if phase == "await" {
					p = drivertest.New(head)
				}
				p.Stall[phase] = true
				a := addShirt
				a.Timeout = time.Second
				start := time.Now()
				res, err := loop(p).Do(t.Context(), a)
				if d := time.Since(start); d > time.Second+10*time.Millisecond {
					t.Errorf("answered after %v", d)
				}
				if err == nil || res.Outcome.OK() {
					t.Fatalf("a page that hangs was proven: %s", res.Explain())
				}
				var e *deed.Error
				if !errors.As(err, &e) {
					t.Fatalf("error %T %v", err, err)
				}
				acted := phase == "perform" || phase == "settle"
				if acted != (e.SideEffects == deed.EffectsPossible) {
					t.Errorf("side effects %q", e.SideEffects)
				}
				if acted && res.Outcome != deed.OutcomeAmbiguous {
					t.Errorf("outcome %s: nothing is known of it", res.Outcome)
				}
			})
		})
	}
}

func TestCancelledContextEndsTheAction(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head)
		ctx, cancel := context.WithCancel(t.Context())
		p.After(time.Second, cancel)
		start := time.Now()
		_, err := loop(p).Do(ctx, addShirt)
		if err == nil || time.Since(start) > 1100*time.Millisecond {
			t.Errorf("ended after %v with %v", time.Since(start), err)
		}
	})
}

func TestAP51_AP52_AP53_Watch(t *testing.T) {
	p := drivertest.New(shop())
	about := deed.Action{Expect: []deed.Expect{deed.Appears("listitem", "T-shirt M").In("cart")}}
	run(t, func(t *testing.T) {
		p = drivertest.New(shop())
		res, err := loop(p).Watch(t.Context(), about, func(context.Context) error { p.Show(shop("T-shirt M")); return nil })
		if err != nil || !res.OK() || res.Undone != 0 {
			t.Errorf("AP-51: %v\n%s", err, res.Explain())
		}
	})
	run(t, func(t *testing.T) {
		p = drivertest.New(shop())
		res, err := loop(p).Watch(t.Context(), about, func(context.Context) error { p.Show(shop("Trousers L")); return nil })
		if err != nil || res.OK() || res.Undone != 0 || len(p.Gestures) != 1 {
			t.Errorf("AP-52: %v, %d gestures\n%s", err, len(p.Gestures), res.Explain())
		}
	})
	run(t, func(t *testing.T) {
		p = drivertest.New(shop())
		boom := errors.New("boom")
		res, err := loop(p).Watch(t.Context(), about, func(context.Context) error { p.Show(shop("Trousers L")); return boom })
		if !errors.Is(err, boom) || res == nil || len(res.Diff.Changes) == 0 {
			t.Errorf("AP-53: %v, %v", err, res)
		}
	})
}

func TestWaitAndEval(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head)
		p.After(300*time.Millisecond, func() { p.Show(head + "status \"Saved\" #1\n") })
		res, err := loop(p).Do(t.Context(), deed.Action{Kind: deed.KindWait, Expect: []deed.Expect{deed.Visible("status", "Saved")}})
		want(t, res, err, deed.OutcomeVerified)
		p.Answer("document.title", `"Shop"`)
		res, err = loop(p).Do(t.Context(), deed.Action{Kind: deed.KindEval, Text: "document.title"})
		want(t, res, err, deed.OutcomeVerified)
		if fmt.Sprintf("%s", res.Saved) != `"Shop"` {
			t.Errorf("saved %v", res.Saved)
		}
		_, err = loop(p).Do(t.Context(), deed.Action{Kind: deed.KindEval, Text: "nope"})
		if !errors.Is(err, deed.CodeScript) {
			t.Errorf("error %v", err)
		}
	})
}
