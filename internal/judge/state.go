package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// finalState judges by the state that the kind of act implies. ok is false where the kind implies none here.
func (h *hearing) finalState() (deed.Judgement, bool) {
	switch a := &h.ev.Action; a.Kind {
	case deed.KindWait, deed.KindExpect:
		return h.doubt("nothing was expected"), true
	case deed.KindEval:
		return match(deed.BasisState, "the expression was evaluated"), true
	case deed.KindGoto:
		return h.goTo(), true
	case deed.KindFill:
		return h.fill()
	case deed.KindCheck, deed.KindUncheck:
		return h.toggle(a.Kind)
	case deed.KindSelect:
		return h.choose()
	case deed.KindClick:
		return h.click()
	case deed.KindPress:
		return h.press()
	case deed.KindHover:
		return h.hover()
	case deed.KindFocus:
		return h.focus()
	case deed.KindClear:
		return h.cleared()
	case deed.KindType:
		return h.appended()
	case deed.KindUpload:
		return h.uploaded()
	case deed.KindDrag:
		return h.drag()
	case deed.KindScroll:
		return h.scrolled()
	case deed.KindBack, deed.KindForward, deed.KindReload:
		return h.travelled(), true
	case deed.KindTab:
		return h.tab(), true
	case deed.KindShot:
		return match(deed.BasisState, "the picture was taken"), true
	}
	return deed.Judgement{}, false
}

// click judges clicks that imply a state: on toggles, expanders, links, and buttons of a form.
func (h *hearing) click() (deed.Judgement, bool) {
	if h.target == nil || h.ev.Action.Button == "right" { // what the mouse's menu button does, only its effects say
		return deed.Judgement{}, false
	}
	if j, ok := h.elsewhere(); ok {
		return j, true
	}
	if _, ok := asked(deed.KindClick, h.target); ok {
		if j, ok := h.toggle(deed.KindClick); ok {
			return j, true
		}
	} else if h.target.States&(deed.Expanded|deed.Collapsed) != 0 {
		if j, ok := h.expand(); ok {
			return j, true
		}
	}
	if j, ok := h.refusedForm(); ok {
		return j, true
	}
	if h.target.Role == "link" {
		if j, ok := h.followed(); ok {
			return j, true
		}
	}
	return h.sent()
}

// asked returns the state that the act should bring about on this element, and whether it implies one.
func asked(kind deed.Kind, n *deed.Node) (deed.State, bool) {
	pair := func(on, off deed.State) (deed.State, bool) {
		switch kind {
		case deed.KindCheck:
			return on, true
		case deed.KindUncheck:
			return off, true
		}
		if n.States.Has(on) {
			return off, true
		}
		return on, true
	}
	one := func(on deed.State) (deed.State, bool) {
		if kind == deed.KindUncheck {
			return 0, false
		}
		return on, true
	}
	switch s := n.States; {
	case n.Role == "radio" || n.Role == "menuitemradio":
		if kind == deed.KindUncheck {
			return deed.Unchecked, true
		}
		return one(deed.Checked)
	case s&(deed.Checked|deed.Unchecked|deed.Mixed) != 0:
		return pair(deed.Checked, deed.Unchecked)
	case s&(deed.Pressed|deed.Unpressed) != 0:
		return pair(deed.Pressed, deed.Unpressed)
	case s&(deed.Selected|deed.Unselected) != 0 && (n.Role == "option" || n.Role == "tab"):
		if kind == deed.KindUncheck {
			return deed.Unselected, true
		}
		return one(deed.Selected)
	case kind == deed.KindCheck:
		return deed.Checked, true
	case kind == deed.KindUncheck:
		return deed.Unchecked, true
	}
	return 0, false
}

const onStates = deed.Checked | deed.Pressed | deed.Selected

// toggle judges by the state of the target, and by what others gained.
func (h *hearing) toggle(kind deed.Kind) (deed.Judgement, bool) {
	if h.target == nil {
		return deed.Judgement{}, false
	}
	want, _ := asked(kind, h.target)
	if want == deed.Selected && kind == deed.KindClick && h.multi() && h.target.States.Has(deed.Selected) {
		want = deed.Unselected
	}
	if h.now < 0 {
		if third := h.thirdParty(); third != nil {
			return mismatch(deed.MismatchWrongState, "%s, asked for was %s", tell(third), h.target), true
		}
		return deed.Judgement{}, false // it went: a row that moves to another list, a menu that closed
	}
	after := &h.after.Nodes[h.now]
	third := h.thirdParty()
	got := after.States.Has(want) || want == deed.Unchecked && after.States&(deed.Checked|deed.Mixed) == 0 && h.target.States.Has(deed.Checked)
	if got && !after.States.Has(deed.Mixed) {
		if third != nil {
			return mismatch(deed.MismatchWrongState, "%s is %s, but besides, %s", after, want, tell(third)), true
		}
		j := match(deed.BasisState, "%s is %s now", after, want)
		if h.target.States.Has(want) {
			j.Reason, j.Already = fmt.Sprintf("%s is %s, as it was", after, want), true
		}
		return j, true
	}
	if third != nil {
		return mismatch(deed.MismatchWrongState, "%s, asked for was %s, which is %s", tell(third), h.target, orElse((after.States&(onStates|offStates|deed.Mixed)).String(), "unchanged")), true
	}
	if j, ok := h.heldForAMoment(); ok {
		return j, true
	}
	if after.States.Has(deed.Mixed) {
		return mismatch(deed.MismatchWrongState, "%s is mixed, neither checked nor unchecked; asked for was %s", after, want), true
	}
	switch {
	case len(h.effects) == 0:
		j := h.nothing()
		if j.Kind == deed.MismatchNoEffect {
			j.Reason += fmt.Sprintf(": %s is not %s", h.target, want)
		}
		return j, true
	case kind == deed.KindClick && (want == deed.Selected || want == deed.Unselected):
		return deed.Judgement{}, false // what an option or a tab does shows elsewhere too
	}
	if f, _ := h.failure(h.effects); f != "" {
		return mismatch(deed.MismatchWrongState, "%s is not %s: the page says %q", h.target, want, clip(f)), true
	}
	return mismatch(deed.MismatchWrongState, "%s is not %s; what happened: %s", h.target, want, h.effects[0].line), true
}

const offStates = deed.Unchecked | deed.Unpressed | deed.Unselected

// multi reports whether several options of the target's list may be chosen.
func (h *hearing) multi() bool {
	p := ancestor(h.before, h.at, []string{"listbox", "tree", "grid", "treegrid", "tablist"})
	return p >= 0 && h.before.Nodes[p].States.Has(deed.Multiselectable)
}

// thirdParty returns the change by which another control gained a state that the act should not have given it. What
// others lose is the manner of exclusive groups. The row of the target may become selected with it, a "select all"
// takes all the others along and is taken along by them, a parent follows its children.
func (h *hearing) thirdParty() *deed.Change {
	var gains []*deed.Change
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Kind == deed.Appeared || c.Kind == deed.Disappeared || h.isTarget(c) || c.Now().Volatile {
			continue
		}
		if gained := c.After.States &^ c.Before.States & onStates; gained == 0 || c.Before.States&(gained|offOf(gained)|deed.Mixed) == 0 {
			continue
		}
		if h.related(c) || h.mirrors(c) {
			continue
		}
		gains = append(gains, c)
	}
	if len(gains) == 0 || h.sweeps(gains) {
		return nil
	}
	return gains[0]
}

// offOf maps states that are on to their opposites.
func offOf(s deed.State) (off deed.State) {
	if s.Has(deed.Checked) {
		off |= deed.Unchecked
	}
	if s.Has(deed.Pressed) {
		off |= deed.Unpressed
	}
	if s.Has(deed.Selected) {
		off |= deed.Unselected
	}
	return off
}

// related reports a node that changes with the target by nature: its row, its parent or child, a sum of which it is part.
func (h *hearing) related(c *deed.Change) bool {
	i := c.BeforeIndex
	if i < 0 {
		return false
	}
	if within(h.before, h.at, i) || within(h.before, i, h.at) {
		return true
	}
	if row := h.places.rowOf(h.at); row >= 0 && i == row {
		return true
	}
	if speaksOfAll(c.After.Name) && container(h.before, i) == container(h.before, h.at) {
		return true
	}
	// A checkbox in a tree: its row is the treeitem or list item that holds, or is held by, ours.
	mine, theirs := ancestor(h.before, h.at, rowRoles), ancestor(h.before, i, rowRoles)
	return mine >= 0 && theirs >= 0 && mine != theirs && (within(h.before, mine, theirs) || within(h.before, theirs, mine))
}

// mirrors reports what nobody sees and what follows the target by nature: the option of the same name in the hidden select
// behind a list that is the page's own. One that can be seen is another control, whatever it is called.
func (h *hearing) mirrors(c *deed.Change) bool {
	hidden := func(n *deed.Node) bool { return n.Unseen || n.Behind }
	return hidden(&c.Before) && hidden(&c.After) && c.After.Role == h.target.Role && h.target.Role == "option" && !h.target.Unseen &&
		words.Fold(c.After.Name) == words.Fold(h.target.Name)
}

// elsewhere judges an option of a list that one combobox has opened: that combobox takes the choice, and no other one.
func (h *hearing) elsewhere() (deed.Judgement, bool) {
	if h.target.Role != "option" {
		return deed.Judgement{}, false
	}
	opener := -1
	for i := range h.before.Nodes {
		if n := &h.before.Nodes[i]; n.Role == "combobox" && n.States.Has(deed.Expanded) && !n.Behind {
			if opener >= 0 {
				return deed.Judgement{}, false
			}
			opener = i
		}
	}
	if opener < 0 {
		return deed.Judgement{}, false
	}
	var other *deed.Change
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Kind != deed.Changed && c.Kind != deed.Renamed || c.Before.Value == c.After.Value && c.Before.Name == c.After.Name || c.Now().Volatile {
			continue
		}
		if c.BeforeIndex == opener || within(h.before, c.BeforeIndex, opener) {
			return deed.Judgement{}, false
		}
		if c.After.Role == "combobox" && words.Fold(c.After.Value) == words.Fold(h.target.Name) {
			other = c
		}
	}
	if other == nil || h.targetSelected() {
		return deed.Judgement{}, false
	}
	return mismatch(deed.MismatchNeighbour, "the choice went to another control: %s, asked for was %s of %s", tell(other), h.target, &h.before.Nodes[opener]), true
}

// targetSelected reports whether the target itself has become selected.
func (h *hearing) targetSelected() bool {
	return h.now >= 0 && h.after.Nodes[h.now].States&(deed.Selected|deed.Checked) != 0 && h.target.States&(deed.Selected|deed.Checked) == 0
}

// sweeps reports a target that stands for all: "Select all", or the box in a table's head after which all are checked.
func (h *hearing) sweeps(gains []*deed.Change) bool {
	if speaksOfAll(h.target.Name) {
		return true
	}
	if ancestor(h.before, h.at, []string{"columnheader"}) >= 0 || h.inHeadRow() {
		return true
	}
	if len(gains) < 2 || h.now < 0 {
		return false
	}
	box := container(h.after, h.now)
	if box < 0 {
		return false
	}
	for i := range h.after.Nodes {
		n := &h.after.Nodes[i]
		if n.Role == h.target.Role && n.States&(deed.Unchecked|deed.Mixed) != 0 && within(h.after, i, box) {
			return false
		}
	}
	return true
}

func (h *hearing) inHeadRow() bool {
	row := ancestor(h.before, h.at, []string{"row"})
	if row < 0 {
		return false
	}
	for i := range h.before.Nodes {
		if h.before.Nodes[i].Role == "columnheader" && within(h.before, i, row) {
			return true
		}
	}
	return false
}

// allWords are the words of controls that stand for all the others, Loose.
var allWords = strings.Fields("all everything every alle alles samtliche tout tous toutes todo todos todas tutto tutti tutte tudo alla allt wszystkie wszystko vsechny все всё всі усі hepsi tumu tumunu الكل جميع הכל सभी")

func speaksOfAll(name string) bool {
	for _, w := range strings.FieldsFunc(words.Loose(name), func(r rune) bool { return strings.ContainsRune(" ,.:;()/-", r) }) {
		if slices.Contains(allWords, w) {
			return true
		}
	}
	return strings.Contains(name, "全") || strings.Contains(name, "すべて") || strings.Contains(name, "모두") || strings.Contains(name, "전체")
}

// expand judges clicks on what opens and closes a part of the page.
func (h *hearing) expand() (deed.Judgement, bool) {
	if h.now < 0 {
		return deed.Judgement{}, false
	}
	after := &h.after.Nodes[h.now]
	want := deed.Expanded
	if h.target.States.Has(deed.Expanded) {
		want = deed.Collapsed
	}
	if after.States.Has(want) {
		return match(deed.BasisState, "%s is %s now", after, want), true
	}
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Kind == deed.Changed && c.After.States&^c.Before.States&deed.Expanded != 0 && slices.Contains(h.spot().siblings, c.BeforeIndex) {
			return mismatch(deed.MismatchNeighbour, "%s, asked for was %s, which is as it was", tell(c), h.target), true
		}
	}
	return deed.Judgement{}, false
}

// refusedForm judges an act after which a field is complained about and nothing was sent.
func (h *hearing) refusedForm() (deed.Judgement, bool) {
	sig := &h.ev.Signals
	if len(sig.Invalid) == 0 || len(sig.Requests) > 0 || len(sig.Pages) > 0 || h.ev.Diff.URLBefore != h.ev.Diff.URLAfter || h.ev.Diff.NewDoc {
		return deed.Judgement{}, false
	}
	if h.closedLayer() >= 0 {
		return deed.Judgement{}, false // left without sending
	}
	c := sig.Invalid[0]
	msg := orElse(c.Message, "invalid")
	return mismatch(deed.MismatchWrongState, "the form was not sent: %s: %s", c.Field, clip(msg)), true
}

// followed judges clicks on a link: the browser goes where it points, or the page handles it.
func (h *hearing) followed() (deed.Judgement, bool) {
	sig, d := &h.ev.Signals, &h.ev.Diff
	switch {
	case sig.Failed != "" && len(sig.Downloads) == 0 && !strings.Contains(sig.Failed, "ERR_ABORTED"), sig.Status >= 400 && (d.NewDoc || sig.Navigated):
		return mismatch(deed.MismatchPageError, "%s led nowhere: %s", h.target, h.pageError()), true
	case errorPage(d.URLAfter) && d.URLAfter != d.URLBefore:
		return mismatch(deed.MismatchPageError, "%s led to the browser's error page", h.target), true
	case len(sig.Pages) > 0:
		return match(deed.BasisState, "%s opened page %q", h.target, clip(orElse(sig.Pages[0].URL, sig.Pages[0].Title))), true
	case len(sig.Downloads) > 0:
		return h.downloaded()
	case d.URLBefore != d.URLAfter:
		return h.routed()
	}
	if _, to := h.frameMoved(); to != "" {
		return match(deed.BasisState, "%s led its frame to %s", h.target, clip(to)), true
	}
	return deed.Judgement{}, false
}

// downloaded judges a link by the name of its file: the file of a sibling is not its own.
func (h *hearing) downloaded() (deed.Judgement, bool) {
	name := h.ev.Signals.Downloads[0].Name
	if who, i := h.spot().owner(wordSet(fileText(name))); who == them {
		return mismatch(deed.MismatchNeighbour, "the effect belongs to a neighbour: file %q was downloaded, which names %s; asked for was %s", clip(name), &h.before.Nodes[i], h.target), true
	}
	return match(deed.BasisState, "%s brought file %q", h.target, clip(name)), true
}

// routed judges a link that led somewhere. Where the browser followed it, it is the link's own address. Where the
// page handled the click, what it shows may still be a sibling's.
func (h *hearing) routed() (deed.Judgement, bool) {
	d := &h.ev.Diff
	if !d.NewDoc {
		canceled := false
		for _, e := range h.ev.Witness.Events {
			canceled = canceled || e.Type == "click" && e.OnTarget && e.Canceled
		}
		if canceled {
			if f := h.shownInstead(); f != nil {
				return mismatch(deed.MismatchNeighbour, "the effect belongs to a neighbour: %s, asked for was %s", f.effect.line, h.target), true
			}
		}
	}
	return match(deed.BasisState, "%s led to %s", h.target, clip(d.URLAfter)), true
}

// shownInstead returns a heading or message that appeared and names a sibling, when none names the target.
func (h *hearing) shownInstead() *finding {
	var other *finding
	for i := range h.effects {
		e := &h.effects[i]
		if e.change == nil || e.change.Kind != deed.Appeared && e.change.Kind != deed.Renamed || e.change.Now().Role != "heading" && !e.live {
			continue
		}
		who, at := h.spot().owner(wordSet(e.change.After.Name))
		switch who {
		case us, both:
			return nil
		case them:
			if other == nil {
				other = &finding{effect: e, whose: them, sibling: at}
			}
		}
	}
	return other
}

// sent judges a click or press that sent a form: its request brought a document.
func (h *hearing) sent() (deed.Judgement, bool) {
	d := &h.ev.Diff
	if !d.NewDoc && d.URLBefore == d.URLAfter {
		return deed.Judgement{}, false
	}
	if errorPage(d.URLAfter) && d.URLAfter != d.URLBefore {
		return mismatch(deed.MismatchPageError, "the page could not be loaded"), true
	}
	for _, r := range h.ev.Signals.Requests {
		if !r.Nav || r.Method == "" || r.Method == "GET" {
			continue
		}
		switch {
		case !r.Done:
			return deed.Judgement{}, false
		case r.Status >= 400:
			return mismatch(deed.MismatchPageError, "%s", h.badRequest()), true
		}
		live, _, _ := h.sortOut()
		if f, _ := h.failure(live); f != "" {
			return h.failed(f), true
		}
		if q := h.plainFailure(live); q != "" {
			return h.doubt("%s %s was answered %d, but the page says %q", r.Method, clip(r.URL), r.Status, clip(q)), true
		}
		if f := h.shownInstead(); f != nil {
			return mismatch(deed.MismatchNeighbour, "the effect belongs to a neighbour: %s, asked for was %s", f.effect.line, h.asked()), true
		}
		if h.unhandedNeighbour() {
			return deed.Judgement{}, false
		}
		return match(deed.BasisState, "the form was sent: %s %s, and the page is at %s", r.Method, clip(r.URL), clip(d.URLAfter)), true
	}
	return deed.Judgement{}, false
}

// unhandedNeighbour reports a page that came back much the same, in which something other than ours changed:
// attribution has more to say than the request.
func (h *hearing) unhandedNeighbour() bool {
	return !h.turned && len(h.ev.Diff.Changes) > 0
}

func errorPage(url string) bool {
	return strings.HasPrefix(url, "chrome-error:") || strings.HasPrefix(url, "about:neterror")
}

// goTo judges a navigation by where the page is and what was answered.
func (h *hearing) goTo() deed.Judgement {
	sig, d, want := &h.ev.Signals, &h.ev.Diff, h.ev.Action.Text
	at := orElse(h.after.URL, d.URLAfter)
	switch {
	case len(sig.Downloads) > 0:
		return match(deed.BasisState, "%s brought file %q", clip(want), clip(sig.Downloads[0].Name))
	case sig.Failed != "":
		return mismatch(deed.MismatchWrongState, "%s could not be loaded: %s", clip(want), clip(sig.Failed))
	case errorPage(at):
		return mismatch(deed.MismatchWrongState, "%s could not be loaded: the browser shows its error page", clip(want))
	case sig.Status >= 400:
		return mismatch(deed.MismatchWrongState, "%s answered %d", clip(want), sig.Status)
	case sameURL(at, want):
		if f, ok := h.httpStatus(); ok {
			return match(deed.BasisState, "the page is at %s (%d)", clip(at), f)
		}
		return match(deed.BasisState, "the page is at %s", clip(at))
	case d.NewDoc || sig.Navigated || d.URLBefore != d.URLAfter:
		return match(deed.BasisState, "the page is at %s, where %s led", clip(at), clip(want))
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet: the page is still at " + clip(at)}
	}
	return mismatch(deed.MismatchWrongState, "the page is still at %s, asked for was %s", clip(at), clip(want))
}

func (h *hearing) httpStatus() (int, bool) { return h.ev.Signals.Status, h.ev.Signals.Status > 0 }

// sameURL compares addresses but for the slash of a bare origin.
func sameURL(a, b string) bool {
	return a != "" && strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}
