package proposal

import (
	"slices"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/origin"
	"github.com/deed-dev/deed/internal/strictjson"
)

// A Need says whether a kind of action has a target: one of locator, ref, selector, or x and y.
type Need int

const (
	NoTarget Need = iota
	MayTarget
	MustTarget
)

// A Form is what a kind of action looks like on the wire.
type Form struct {
	Name   string    // kind
	Kind   deed.Kind // what it becomes; of type with a target it is fill, or type where append is true
	Of     string    // the canonical name, where this is another name for it
	Target Need
	Params []string   // its own, beside the target's
	Needs  [][]string // of each group exactly one is required
	Expect bool       // expect may say what should come of it
	Dialog bool       // dialog may say how a native dialog that it opens is answered
}

// targetParams are the params of a target.
var targetParams = []string{"locator", "ref", "selector", "x", "y"}

// Known are the params that the form takes, all of them.
func (f *Form) Known() []string {
	out := slices.Clone(f.Params)
	if f.Target != NoTarget {
		out = append(out, targetParams...)
	}
	if f.Expect && !slices.Contains(out, "expect") {
		out = append(out, "expect")
	}
	if f.Dialog {
		out = append(out, "dialog")
	}
	return append(out, "intent", "timeoutMs")
}

// Forms returns every form, in the order of the documentation.
func Forms() []Form {
	return []Form{
		{Name: "navigate", Kind: deed.KindGoto, Params: []string{"url"}, Needs: [][]string{{"url"}}, Expect: true, Dialog: true},
		{Name: "goto", Kind: deed.KindGoto, Of: "navigate", Params: []string{"url"}, Needs: [][]string{{"url"}}, Expect: true, Dialog: true},
		{Name: "back", Kind: deed.KindBack, Expect: true, Dialog: true},
		{Name: "forward", Kind: deed.KindForward, Expect: true, Dialog: true},
		{Name: "reload", Kind: deed.KindReload, Expect: true, Dialog: true},
		{Name: "click", Kind: deed.KindClick, Target: MustTarget, Params: []string{"button"}, Expect: true, Dialog: true},
		{Name: "dblclick", Kind: deed.KindDblclick, Target: MustTarget, Expect: true, Dialog: true},
		{Name: "type", Kind: deed.KindType, Target: MayTarget, Params: []string{"text", "secret", "press_enter", "append"}, Needs: [][]string{{"text", "secret"}}, Expect: true, Dialog: true},
		{Name: "fill", Kind: deed.KindFill, Of: "type", Target: MustTarget, Params: []string{"text", "secret", "enter"}, Needs: [][]string{{"text", "secret"}}, Expect: true, Dialog: true},
		{Name: "clear", Kind: deed.KindClear, Target: MustTarget, Expect: true, Dialog: true},
		{Name: "press", Kind: deed.KindPress, Target: MayTarget, Params: []string{"key"}, Needs: [][]string{{"key"}}, Expect: true, Dialog: true},
		{Name: "check", Kind: deed.KindCheck, Target: MustTarget, Expect: true, Dialog: true},
		{Name: "uncheck", Kind: deed.KindUncheck, Target: MustTarget, Expect: true, Dialog: true},
		{Name: "select", Kind: deed.KindSelect, Target: MustTarget, Params: []string{"options"}, Needs: [][]string{{"options"}}, Expect: true, Dialog: true},
		{Name: "hover", Kind: deed.KindHover, Target: MustTarget, Expect: true, Dialog: true},
		{Name: "focus", Kind: deed.KindFocus, Target: MustTarget, Expect: true, Dialog: true},
		{Name: "upload", Kind: deed.KindUpload, Target: MustTarget, Params: []string{"files"}, Needs: [][]string{{"files"}}, Expect: true, Dialog: true},
		{Name: "drag", Kind: deed.KindDrag, Target: MustTarget, Params: []string{"drop"}, Needs: [][]string{{"drop"}}, Expect: true, Dialog: true},
		{Name: "scroll", Kind: deed.KindScroll, Target: MayTarget, Params: []string{"delta_x", "delta_y", "in"}, Expect: true},
		{Name: "tab", Kind: deed.KindTab, Params: []string{"tab", "text"}, Needs: [][]string{{"tab"}}, Expect: true, Dialog: true},
		{Name: "wait", Kind: deed.KindWait, Params: []string{"milliseconds", "expect"}, Needs: [][]string{{"milliseconds", "expect"}}},
		{Name: "expect", Kind: deed.KindExpect, Params: []string{"expect"}, Needs: [][]string{{"expect"}}},
		{Name: "screenshot", Kind: deed.KindShot, Params: []string{"path", "full_page"}},
		{Name: "eval", Kind: deed.KindEval, Params: []string{"text"}, Needs: [][]string{{"text"}}, Expect: true, Dialog: true},
	}
}

var forms = Forms()

func formOf(name string) (*Form, bool) {
	for i := range forms {
		if forms[i].Name == name {
			return &forms[i], true
		}
	}
	return nil, false
}

// read takes the params of an action. Absent params are none.
func (f *Form) read(proposal, n strictjson.Node) deed.Action {
	a := deed.Action{Kind: f.Kind}
	if !n.There() {
		if f.Target == MustTarget || len(f.Needs) > 0 || f.Kind == deed.KindScroll {
			n.Fail("an object is missing")
		}
		return a
	}
	if !n.Object(f.Known()...) {
		return a
	}
	for _, group := range f.Needs {
		given := 0
		for _, name := range group {
			if n.Has(name) {
				given++
			}
		}
		switch {
		case given == 0:
			n.Get(group[0]).Fail("missing")
		case given > 1:
			n.Fail("takes one of " + words(group))
		}
	}
	if f.Target != NoTarget {
		f.target(&a, n)
	}
	f.own(&a, n)
	if v := n.Get("intent"); v.There() {
		a.Intent = v.Text(strictjson.Text{Max: MaxName})
	}
	if v := n.Get("timeoutMs"); v.There() {
		a.Timeout = time.Duration(v.Int(1, MaxTimeout)) * time.Millisecond
	}
	if v := n.Get("expect"); v.There() {
		items := v.Items(MaxList)
		if len(items) == 0 {
			v.Fail("nothing is expected")
		}
		for _, item := range items {
			a.Expect = append(a.Expect, readExpect(item))
		}
	}
	if v := n.Get("dialog"); v.There() {
		a.Dialog = readAnswer(v)
	}
	if !n.Failed() && !complete(&a) {
		n.Fail("cannot be carried out")
	}
	return a
}

// complete holds the action against the vocabulary. What the wire allows beyond it: an empty text at the focus, a wait of no time.
func complete(a *deed.Action) bool {
	b := *a
	if b.Kind == deed.KindType && b.Text == "" {
		b.Text = "x"
	}
	if b.Kind == deed.KindWait && b.Pause == 0 {
		b.Pause = 1
	}
	return b.Validate() == nil
}

func targeted(a *deed.Action) bool {
	return a.Ref != "" || a.Selector != "" || a.Point != nil || !a.Locator.IsZero()
}

// target takes locator, ref, selector, or x and y: one of them.
func (f *Form) target(a *deed.Action, n strictjson.Node) {
	given := 0
	if v := n.Get("locator"); v.There() {
		given++
		a.Locator = readLocator(v)
	}
	if v := n.Get("ref"); v.There() {
		given++
		a.Ref = readRef(v)
	}
	if v := n.Get("selector"); v.There() {
		given++
		a.Selector = v.Text(strictjson.Text{Max: MaxName})
	}
	x, y := n.Get("x"), n.Get("y")
	if x.There() || y.There() {
		given++
		a.Point = &deed.Point{X: x.Number(-MaxPoint, MaxPoint), Y: y.Number(-MaxPoint, MaxPoint)}
	}
	switch {
	case given > 1:
		n.Fail("takes one of locator, ref, selector, x and y")
	case given == 0 && f.Target == MustTarget:
		n.Fail("a target is missing: locator, ref, selector, or x and y")
	}
}

// own takes the params that belong to the kind alone.
func (f *Form) own(a *deed.Action, n strictjson.Node) {
	switch f.Name {
	case "navigate", "goto":
		a.Text = readURL(n.Get("url"))
	case "click":
		if v := n.Get("button"); v.There() {
			a.Button = v.OneOf("left", "middle", "right")
		}
	case "type":
		readText(a, n, "press_enter")
		v := n.Get("append")
		more := v.There() && v.Bool()
		switch {
		case v.There() && !targeted(a):
			v.Fail("belongs to a type with a target")
		case targeted(a) && !more:
			a.Kind = deed.KindFill
		}
	case "fill":
		readText(a, n, "enter")
	case "press":
		a.Key = readKey(n.Get("key"))
	case "select":
		for _, v := range notEmpty(n.Get("options")) {
			a.Options = append(a.Options, v.Text(strictjson.Text{Max: MaxName, Empty: true}))
		}
	case "upload":
		a.Files = []string{}
		for _, v := range n.Get("files").Items(MaxList) {
			a.Files = append(a.Files, readPath(v, ""))
		}
	case "drag":
		a.Drop = readDrop(n.Get("drop"))
	case "scroll":
		readScroll(a, n)
	case "tab":
		a.Tab = n.Get("tab").OneOf("open", "switch", "close")
		v := n.Get("text")
		switch {
		case a.Tab == "open":
			a.Text = readURL(v)
		case a.Tab == "switch" || v.There():
			a.Text = v.Text(strictjson.Text{Max: MaxName})
		}
	case "wait":
		if v := n.Get("milliseconds"); v.There() {
			a.Pause = time.Duration(v.Int(0, MaxWaitMS)) * time.Millisecond
		}
	case "screenshot":
		if v := n.Get("path"); v.There() {
			a.Path = readPath(v, ".png")
		}
		if v := n.Get("full_page"); v.There() {
			a.Full = v.Bool()
		}
	case "eval":
		a.Text = n.Get("text").Text(strictjson.Text{Max: MaxText, Lines: true})
	}
}

func notEmpty(n strictjson.Node) []strictjson.Node {
	items := n.Items(MaxList)
	if len(items) == 0 {
		n.Fail("empty")
	}
	return items
}

func readText(a *deed.Action, n strictjson.Node, enter string) {
	if v := n.Get("text"); v.There() {
		a.Text = v.Text(strictjson.Text{Max: MaxText, Empty: true, Lines: true})
	}
	if v := n.Get("secret"); v.There() {
		a.Secret = v.Text(strictjson.Text{Max: 128})
		if !secretName.MatchString(a.Secret) {
			v.Fail("not the name of a secret")
		}
	}
	if v := n.Get(enter); v.There() {
		a.Enter = v.Bool()
	}
}

func readURL(n strictjson.Node) string {
	url := n.Text(strictjson.Text{Max: MaxURL})
	if n.Failed() {
		return ""
	}
	if err := origin.CheckURL(url); err != nil {
		n.Fail(fact(err))
		return ""
	}
	return url
}

// readScroll takes an amount, from a point or in a region, or an element to scroll to.
func readScroll(a *deed.Action, n strictjson.Node) {
	s := &deed.Scroll{}
	x, y := n.Get("delta_x"), n.Get("delta_y")
	if x.There() {
		s.X = x.Int(-MaxScroll, MaxScroll)
	}
	if y.There() {
		s.Y = y.Int(-MaxScroll, MaxScroll)
	}
	if v := n.Get("in"); v.There() {
		s.Region = v.Text(strictjson.Text{Max: MaxName})
	}
	to := targeted(a) && a.Point == nil
	switch {
	case to && (x.There() || y.There()):
		n.Fail("takes an element or an amount, not both")
	case !to && s.X == 0 && s.Y == 0:
		n.Fail("scrolls by nothing")
	case s.Region != "" && (a.Point != nil || to && a.Locator.IsZero()):
		n.Fail("takes a region beside an amount or a locator alone")
	}
	if *s != (deed.Scroll{}) {
		a.Scroll = s
	}
}
