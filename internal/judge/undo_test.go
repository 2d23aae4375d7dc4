package judge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/snaptext"
)

// The plans of undos are tables like the rules. A case wants `KIND #ELEMENT DETAIL`, `press KEY`, `history`, `nothing` or
// `irreversible` with texts of the error.
func TestUndoPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/undo/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	cases := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		table := parseTable(t, file, string(data))
		for _, name := range table.names {
			cases++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				ev := table.evidence(t, name)
				inv, err := PlanUndo(ev)
				got := told(ev, inv, err)
				want, rest, _ := strings.Cut(strings.TrimSpace(table.section(name, "want")), "\n")
				if got != want {
					t.Fatalf("got %s (%v, %s), want %s", got, err, inv.Why, want)
				}
				for _, part := range strings.Fields(rest) {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("%q is not in %v", part, err)
					}
				}
				if err != nil && !errors.Is(err, deed.CodeIrreversible) {
					t.Errorf("code of %v", err)
				}
				if err == nil && inv.Why == "" {
					t.Error("no reason is given")
				}
				if err == nil && inv.Action.Text == deed.Redacted {
					t.Error("the marker would be written into a field")
				}
			})
		}
	}
	if cases < 30 {
		t.Errorf("only %d cases", cases)
	}
}

func told(ev *Evidence, inv Inverse, err error) string {
	switch a := &inv.Action; {
	case err != nil:
		return "irreversible"
	case inv.History:
		return strings.TrimSuffix("history "+string(a.Kind), " back")
	case a.Kind == deed.KindTab:
		return strings.TrimSpace("tab " + a.Object())
	case a.Kind == deed.KindDrag:
		return fmt.Sprintf("drag #%d %s", ev.After.Nodes[inv.Target].Element, a.Drop)
	case a.Kind == deed.KindUpload && a.Files != nil:
		return fmt.Sprintf("upload #%d %q", ev.After.Nodes[inv.Target].Element, a.Files)
	case a.Kind == "":
		return "nothing"
	case a.Kind == deed.KindPress:
		return "press " + a.Key
	case a.Kind == deed.KindFill:
		return fmt.Sprintf("fill #%d %q", ev.After.Nodes[inv.Target].Element, a.Text)
	case a.Kind == deed.KindSelect:
		return fmt.Sprintf("select #%d %s", ev.After.Nodes[inv.Target].Element, strings.Join(a.Options, ","))
	}
	return fmt.Sprintf("%s #%d", inv.Action.Kind, ev.After.Nodes[inv.Target].Element)
}

// A frame of the same name is not the same frame: the control must have come into the frame of the effect.
func TestUndoStaysInItsFrame(t *testing.T) {
	before := snaptext.MustParse(`
button "Add" #1
iframe "Cart" #2
  frame f1 "Cart" http://a/cart
    heading "Cart" #1
iframe "Ads" #3
  frame f2 "Ads" http://b/ads
    heading "Ads" #1
`)
	after := snaptext.MustParse(`
button "Add" #1
iframe "Cart" #2
  frame f1 "Cart" http://a/cart
    heading "Cart" #1
    text "Shirt M" #2
iframe "Ads" #3
  frame f2 "Ads" http://b/ads
    heading "Ads" #1
    button "Remove Shirt M" #2
`)
	ev := &Evidence{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Add")}, Before: before, After: after, Target: 0,
		Diff: diff.Between(before, after), Witness: deed.Witness{Delivered: true}, Rested: true, Final: true}
	if inv, err := PlanUndo(ev); err == nil {
		t.Errorf("a control of another frame would be clicked: %+v", inv)
	}
}

// What cannot be undone is listed without the secret.
func TestUndoErrorHoldsNoSecret(t *testing.T) {
	before := snaptext.MustParse(`textbox "Password" #1 value="[redacted]" sensitive`)
	after := snaptext.MustParse("textbox \"Password\" #1 value=\"[redacted]\" sensitive\ntext \"You typed sample-Pass-19\" #2")
	ev := &Evidence{Action: deed.Action{Kind: deed.KindFill, Text: "sample-Pass-19", Secret: "PASSWORD"}, Before: before, After: after, Target: 0,
		Diff: diff.Between(before, after), Witness: deed.Witness{Delivered: true}, Rested: true, Final: true}
	_, err := PlanUndo(ev)
	if err == nil || strings.Contains(err.Error(), "sample-Pass-19") {
		t.Errorf("got %v", err)
	}
}
