package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// An Inverse is the act that takes an effect back. The zero Action means that there is nothing to undo; Why says so. An
// upload of no files empties the input; a tab that is closed with a Text is the one at that address.
type Inverse struct {
	Action  deed.Action
	Target  int // index into After.Nodes; -1 where the action has none
	Why     string
	History bool // the act only led elsewhere: Action goes back, or forward again
}

// PlanUndo plans how the effect of an act that was not meant is taken back: by the act's own inverse, by a control
// that came with the effect and says that it removes it, by closing the layer that opened, by history when the act
// only led elsewhere. It never guesses: without exactly one way the error is [deed.CodeIrreversible] and lists what is left.
func PlanUndo(ev *Evidence) (Inverse, error) {
	u := &undo{hearing: newHearing(ev)}
	inv, err := u.plan()
	inv.Why = withoutSecret(&ev.Action, u.target, inv.Why)
	return inv, err
}

type undo struct{ *hearing }

func (u *undo) plan() (Inverse, error) {
	w := &u.ev.Witness
	if isGesture(u.ev.Action.Kind) && w.Prevented > 0 && !w.Delivered {
		return nothingToUndo("the gesture was stopped before the page saw it"), nil
	}
	switch u.ev.Action.Kind {
	case deed.KindHover, deed.KindFocus, deed.KindScroll, deed.KindShot:
		return nothingToUndo(string(u.ev.Action.Kind) + " leaves nothing behind"), nil
	case deed.KindTab:
		return u.tab()
	}
	if !u.changed() {
		return nothingToUndo("nothing changed"), nil
	}
	for _, way := range []func() (Inverse, bool, error){u.value, u.option, u.toggleBack, u.dragBack, u.noFiles, u.takeOff, u.closeLayer, u.closePage, u.history} {
		inv, ok, err := way()
		if err != nil || ok {
			return inv, err
		}
	}
	return Inverse{Target: -1}, u.irreversible("")
}

func nothingToUndo(why string) Inverse { return Inverse{Target: -1, Why: why} }

// changed reports whether there is an effect to remove.
func (u *undo) changed() bool {
	switch u.ev.Action.Kind {
	case deed.KindDrag:
		return len(u.effects) > 0 || u.at >= 0 && Displaced(u.before, u.after, u.at, u.ev.Action.Drop)
	case deed.KindUpload:
		return len(u.effects) > 0 || len(u.ev.Signals.Files) > 0
	}
	return len(u.effects) > 0
}

// irreversible lists what is left.
func (u *undo) irreversible(why string) error {
	var left []string
	for i := range u.effects {
		if len(left) == 8 {
			left = append(left, fmt.Sprintf("and %d more", len(u.effects)-8))
			break
		}
		left = append(left, u.effects[i].line)
	}
	msg := "nothing takes this back: " + strings.Join(left, "; ")
	if why != "" {
		msg = why + "; left: " + strings.Join(left, "; ")
	}
	return &deed.Error{Op: "undo", Code: deed.CodeIrreversible, Where: u.ev.Action.Object(), SideEffects: deed.EffectsPossible,
		Err: errors.New(withoutSecret(&u.ev.Action, u.target, msg))}
}

func (u *undo) act(kind deed.Kind, i int, why string) (Inverse, bool, error) {
	n := &u.after.Nodes[i]
	l := deed.Find(n.Role, n.Name)
	l.Region = n.Region
	return Inverse{Action: deed.Action{Kind: kind, Locator: l}, Target: i, Why: why}, true, nil
}

// value puts a field's previous value back: the target's, or that of the one field that the text went to instead. A
// value that never left the page cannot be put back.
func (u *undo) value() (Inverse, bool, error) {
	switch u.ev.Action.Kind {
	case deed.KindFill, deed.KindPress, deed.KindType, deed.KindClear:
	default:
		return Inverse{}, false, nil
	}
	var hit *deed.Change
	for i := range u.ev.Diff.Changes {
		c := &u.ev.Diff.Changes[i]
		if c.Kind != deed.Changed || c.Before.Value == c.After.Value || !textRole(c.After.Role) && c.After.Role != "slider" || c.AfterIndex < 0 {
			continue
		}
		if u.isTarget(c) {
			hit = c
			break
		}
		if hit == nil {
			hit = c
		} else if hit.BeforeIndex != u.at {
			hit = nil // more than one: which of them is ours to restore is a guess
			break
		}
	}
	if hit == nil {
		// A masked field that was overwritten shows no change; neither can it be restored.
		if u.ev.Action.Kind != deed.KindPress && u.target != nil && u.target.Sensitive && u.target.Value != "" {
			return Inverse{}, false, u.irreversible("what " + u.target.String() + " held is not known")
		}
		return Inverse{}, false, nil
	}
	if hit.Before.Value != "" && (hit.Before.Sensitive || hit.Before.Value == deed.Redacted) {
		return Inverse{}, false, u.irreversible("what " + hit.Before.String() + " held was never read")
	}
	inv, _, _ := u.act(deed.KindFill, hit.AfterIndex, "the value before")
	inv.Action.Text = hit.Before.Value
	return inv, true, nil
}

// option chooses what was chosen before.
func (u *undo) option() (Inverse, bool, error) {
	if u.ev.Action.Kind != deed.KindSelect || u.now < 0 {
		return Inverse{}, false, nil
	}
	was, known := chosenIn(u.before, u.at)
	is, _ := chosenIn(u.after, u.now)
	if slices.Equal(labels(was), labels(is)) {
		return Inverse{}, false, nil
	}
	if !known || len(was) == 0 {
		return Inverse{}, false, u.irreversible("what " + u.target.String() + " showed before cannot be chosen")
	}
	inv, _, _ := u.act(deed.KindSelect, u.now, "the option before")
	inv.Action.Options = labels(was)
	return inv, true, nil
}

// toggleBack restores a state that flipped: the target's, or that of the one control that flipped in its place.
func (u *undo) toggleBack() (Inverse, bool, error) {
	k := u.ev.Action.Kind
	if u.at < 0 || k != deed.KindCheck && k != deed.KindUncheck && k != deed.KindClick && k != deed.KindPress {
		return Inverse{}, false, nil
	}
	if u.now >= 0 {
		if inv, ok, err := u.flipBack(u.target, u.now, u.at); ok || err != nil {
			return inv, ok, err
		}
	}
	if _, isToggle := asked(k, u.target); !isToggle {
		return Inverse{}, false, nil
	}
	var third *deed.Change
	for i := range u.ev.Diff.Changes {
		c := &u.ev.Diff.Changes[i]
		if c.Kind != deed.Changed || c.AfterIndex < 0 || (c.Before.States^c.After.States)&(deed.Checked|deed.Unchecked|deed.Pressed|deed.Unpressed) == 0 {
			continue
		}
		if third != nil {
			return Inverse{}, false, nil
		}
		third = c
	}
	if third == nil {
		return Inverse{}, false, nil
	}
	return u.flipBack(&third.Before, third.AfterIndex, third.BeforeIndex)
}

// flipBack plans the restoration of one control's state; i is its index after, at its index before.
func (u *undo) flipBack(was *deed.Node, i, at int) (Inverse, bool, error) {
	is := u.after.Nodes[i].States
	flipped := func(s deed.State) bool { return was.States.Has(s) && !is.Has(s) }
	switch {
	case flipped(deed.Mixed):
		return Inverse{}, false, u.irreversible(was.String() + " was mixed, which no click brings back")
	case was.Role == "radio" || was.Role == "menuitemradio" || was.Role == "tab" || was.Role == "option" && is.Has(deed.Selected):
		if !(is &^ was.States).Has(deed.Checked) && !(is &^ was.States).Has(deed.Selected) {
			return Inverse{}, false, nil
		}
		return u.formerChoice(was, at)
	case flipped(deed.Checked):
		return u.act(deed.KindCheck, i, "it was checked")
	case flipped(deed.Unchecked):
		return u.act(deed.KindUncheck, i, "it was not checked")
	case flipped(deed.Pressed), flipped(deed.Unpressed):
		return u.act(deed.KindClick, i, "it was "+(was.States&(deed.Pressed|deed.Unpressed)).String())
	case flipped(deed.Expanded), flipped(deed.Collapsed):
		return u.act(deed.KindClick, i, "it was "+(was.States&(deed.Expanded|deed.Collapsed)).String())
	}
	return Inverse{}, false, nil
}

// formerChoice chooses the member of an exclusive group that lost its state to the target.
func (u *undo) formerChoice(was *deed.Node, at int) (Inverse, bool, error) {
	var lost *deed.Change
	for i := range u.ev.Diff.Changes {
		c := &u.ev.Diff.Changes[i]
		if c.Kind == deed.Changed && c.BeforeIndex != at && c.AfterIndex >= 0 && c.Before.Role == was.Role && c.Before.Frame == was.Frame &&
			(c.Before.States&^c.After.States&(deed.Checked|deed.Selected)) != 0 {
			if lost != nil {
				return Inverse{}, false, u.irreversible("more than one choice was lost")
			}
			lost = c
		}
	}
	if lost == nil {
		return Inverse{}, false, u.irreversible("nothing was chosen before, and " + was.Role + "s cannot be taken back")
	}
	return u.act(deed.KindClick, lost.AfterIndex, "it was chosen before")
}

// undoWords are the names of controls that take the last act back, wherever it was.
var undoWords = []string{"undo", "ruckgangig", "ruckgangig machen", "annuler", "deshacer", "annulla", "desfazer", "отменить", "скасувати", "元に戻す", "取り消す", "撤销", "撤銷", "실행 취소", "تراجع", "ביטול פעולה",
	"cofnij", "angra", "fortryd", "angre", "kumoa", "geri al", "ongedaan maken", "zpet", "पूर्ववत करें"}

// takeOff finds the control that came with the effect and takes it off: an "Undo" in a message, or a removal control in the row or
// region of what appeared. It must be the only one, it must be of this document, and what it names must be what came.
func (u *undo) takeOff() (Inverse, bool, error) {
	if u.turned || u.ev.Diff.NewDoc {
		return Inverse{}, false, nil // a new page has controls of its own
	}
	var undos, removals []int
	for i := range u.ev.Diff.Changes {
		c := &u.ev.Diff.Changes[i]
		if c.Kind != deed.Appeared || c.AfterIndex < 0 || !pressable(c.After.Role) || c.After.States.Has(deed.Disabled) || c.After.Unseen {
			continue
		}
		switch {
		case slices.Contains(undoWords, words.Loose(c.After.Name)):
			if u.inMessage(c) {
				undos = append(undos, c.AfterIndex)
			}
		case words.RemovalName(c.After.Name) && u.oneThing(c.AfterIndex) && u.cameWith(c):
			removals = append(removals, c.AfterIndex)
		}
	}
	switch {
	case len(undos) == 1 && u.unique(undos[0]):
		return u.act(deed.KindClick, undos[0], "it came with the message about the effect")
	case len(undos) > 0:
		return Inverse{}, false, u.irreversible("more than one control says that it takes this back")
	case len(removals) == 1 && u.unique(removals[0]):
		return u.act(deed.KindClick, removals[0], "it came with the effect and removes it")
	case len(removals) > 0:
		return Inverse{}, false, u.irreversible("more than one control says that it removes this")
	}
	return Inverse{}, false, nil
}

func pressable(role string) bool { return role == "button" || role == "link" || role == "menuitem" }

// inMessage reports a control inside a status, alert or log that appeared or changed with the act.
func (u *undo) inMessage(c *deed.Change) bool {
	at := ancestor(u.after, c.AfterIndex, toastRoles)
	if at < 0 {
		return false
	}
	for i := range u.ev.Diff.Changes {
		d := &u.ev.Diff.Changes[i]
		if d.Kind != deed.Disappeared && d.AfterIndex >= 0 && d.AfterIndex != c.AfterIndex && (d.AfterIndex == at || within(u.after, d.AfterIndex, at)) {
			return true
		}
	}
	return false
}

// cameWith reports whether a removal control appeared beside what it removes: in the same row or region and frame
// appeared something that is no control, and nothing in the control's name is foreign to it.
func (u *undo) cameWith(c *deed.Change) bool {
	row := rowAround(u.after, c.AfterIndex)
	own := map[string]bool{}
	for _, w := range words.Content(c.After.Name) {
		own[w] = true
	}
	for i := range u.ev.Diff.Changes {
		d := &u.ev.Diff.Changes[i]
		if d.Kind != deed.Appeared || d.AfterIndex == c.AfterIndex || pressable(d.After.Role) || d.After.Frame != c.After.Frame || d.After.Name == "" && d.After.Value == "" {
			continue
		}
		near := row >= 0 && (d.AfterIndex == row || within(u.after, d.AfterIndex, row))
		if !near && !(row < 0 && d.After.Region == c.After.Region && rowAround(u.after, d.AfterIndex) < 0) && !(d.After.Region == c.After.Region && namesAll(own, &d.After)) {
			continue
		}
		if namesAll(own, &d.After) || near && foreign(own, u.after, row) == 0 {
			return true
		}
	}
	return false
}

// oneThing reports whether what appeared is one thing that a control beside it can take off: one row, or text without
// a row. A panel of several rows, with headings or fields of its own, has controls that destroy something else ("Delete account").
func (u *undo) oneThing(control int) bool {
	row := rowAround(u.after, control)
	for i := range u.ev.Diff.Changes {
		d := &u.ev.Diff.Changes[i]
		if d.Kind != deed.Appeared || d.AfterIndex < 0 || d.AfterIndex == control {
			continue
		}
		n := &d.After
		if row >= 0 && (d.AfterIndex == row || within(u.after, d.AfterIndex, row)) {
			continue
		}
		switch {
		case n.Role == "heading", n.Role == "form", textRole(n.Role), n.Role == "checkbox", n.Role == "switch", n.Role == "radio":
			return false
		case row >= 0 && slices.Contains(rowRoles, n.Role):
			return false
		}
	}
	return true
}

// namesAll reports whether all words of a removal control but its verb are words of the node: it removes just that.
func namesAll(own map[string]bool, n *deed.Node) bool {
	have := wordSet(n.Name + " " + shown(n))
	foreign := 0
	for w := range own {
		if !have[w] {
			foreign++
		}
	}
	return foreign <= 1
}

// foreign counts the words of a control, its verb apart, that are not words of the row it stands in.
func foreign(own map[string]bool, s *deed.Snapshot, row int) int {
	have := wordSet(s.Nodes[row].Name + " " + shown(&s.Nodes[row]) + " " + s.Nodes[row].Row)
	for i := range s.Nodes {
		if within(s, i, row) && !pressable(s.Nodes[i].Role) {
			for w := range wordSet(s.Nodes[i].Name) {
				have[w] = true
			}
		}
	}
	n := 0
	for w := range own {
		if !have[w] {
			n++
		}
	}
	return max(0, n-1)
}

func rowAround(s *deed.Snapshot, i int) int {
	if i < 0 {
		return -1
	}
	if slices.Contains(rowRoles, s.Nodes[i].Role) {
		return i
	}
	return ancestor(s, i, rowRoles)
}

// unique reports whether the control can be told from all others: no other of its identity, or its own new row around it.
func (u *undo) unique(i int) bool {
	key, n := u.after.Key(i), 0
	for j := range u.after.Nodes {
		if u.after.Nodes[j].Name == key.Name && u.after.Nodes[j].Role == key.Role && u.after.Key(j) == key {
			n++
		}
	}
	if n == 1 {
		return true
	}
	// Every row has its "Remove": then the element must be new, and stand in a row that is new.
	if u.after.Nodes[i].Element == 0 || sameElement(u.after, u.before, i) >= 0 {
		return false
	}
	row := rowAround(u.after, i)
	if row < 0 {
		return false
	}
	came := false
	for k := range u.ev.Diff.Changes {
		d := &u.ev.Diff.Changes[k]
		came = came || d.Kind == deed.Appeared && d.AfterIndex == row
	}
	return came
}

// closeLayer presses Escape where the act only opened a dialog or a menu.
func (u *undo) closeLayer() (Inverse, bool, error) {
	layer := -1
	for i := range u.ev.Diff.Changes {
		c := &u.ev.Diff.Changes[i]
		if c.Kind == deed.Appeared && c.AfterIndex >= 0 && slices.Contains(layerRoles, c.After.Role) && ancestor(u.after, c.AfterIndex, layerRoles) < 0 {
			if layer >= 0 {
				return Inverse{}, false, nil
			}
			layer = c.AfterIndex
		}
	}
	if layer < 0 {
		return Inverse{}, false, nil
	}
	for i := range u.effects {
		e := &u.effects[i]
		c := e.change
		switch {
		case c == nil:
			return Inverse{}, false, nil
		case c.Kind == deed.Appeared && (c.AfterIndex == layer || within(u.after, c.AfterIndex, layer)):
		case c.Kind == deed.Changed && c.Before.Value == c.After.Value && (c.Before.States^c.After.States)&^(restless|deed.Expanded|deed.Collapsed|deed.Pressed|deed.Unpressed) == 0:
		default:
			return Inverse{}, false, nil
		}
	}
	return Inverse{Action: deed.Action{Kind: deed.KindPress, Key: "Escape"}, Target: -1, Why: "it closes " + u.after.Nodes[layer].String()}, true, nil
}

// dragBack drags the item to where it stood: before or after the sibling it stood by, else into the list that it left empty.
// Where another item moved instead, and only one, that one is dragged back.
func (u *undo) dragBack() (Inverse, bool, error) {
	if u.ev.Action.Kind != deed.KindDrag || u.at < 0 {
		return Inverse{}, false, nil
	}
	m := newMove(u.before, u.at, u.ev.Action.Drop)
	k := -1
	for _, i := range m.find(u.after) {
		if m.home(u.after, i) {
			k = -1 // it is where it was: what came is a copy, or another
			break
		}
		k = i
	}
	if k < 0 {
		for i := range u.ev.Diff.Changes {
			c := &u.ev.Diff.Changes[i]
			if c.Kind != deed.Moved || c.Before.Role != u.target.Role || c.BeforeIndex == u.at {
				continue
			}
			if k >= 0 {
				return Inverse{}, false, u.irreversible("more than one item moved")
			}
			m, k = &move{before: u.before, at: c.BeforeIndex, item: &u.before.Nodes[c.BeforeIndex]}, c.AfterIndex
		}
		if k < 0 {
			return Inverse{}, false, nil
		}
	}
	drop, ok := m.place(u.after)
	if !ok {
		return Inverse{}, false, u.irreversible("where " + m.item.String() + " stood cannot be said any more")
	}
	inv, _, _ := u.act(deed.KindDrag, k, "where it was")
	inv.Action.Drop = drop
	return inv, true, nil
}

// place says where the item stood, in terms of what is there now.
func (m *move) place(s *deed.Snapshot) (*deed.Drop, bool) {
	was := seatOf(m.before, m.at)
	stays := func(i int) bool {
		if i < 0 {
			return false
		}
		n, name := &m.before.Nodes[i], called(m.before, i)
		only := -1
		for k := range s.Nodes {
			if s.Nodes[k].Role == n.Role && called(s, k) == name {
				if only >= 0 {
					return false
				}
				only = k
			}
		}
		return only >= 0 && name != "" && name != called(m.before, m.at) && was.same(seatOf(s, only))
	}
	if i := was.next(); stays(i) {
		return &deed.Drop{Before: called(m.before, i)}, true
	}
	if i := was.previous(); stays(i) {
		return &deed.Drop{After: called(m.before, i)}, true
	}
	if len(was.row) > 1 || was.box < 0 {
		return nil, false
	}
	box := &m.before.Nodes[was.box]
	l := deed.Find(box.Role, box.Name)
	l.Region = box.Region
	if box.Role == "data-deed-region" {
		return &deed.Drop{In: box.Name}, true
	}
	if _, err := locate.One(s, l); err != nil || box.Name == "" {
		return nil, false
	}
	return &deed.Drop{To: l}, true
}

// noFiles takes the files out of the input again. Files that it held before cannot be put back: where they came from is
// not known.
func (u *undo) noFiles() (Inverse, bool, error) {
	if u.ev.Action.Kind != deed.KindUpload || len(u.ev.Signals.Files) == 0 || u.now < 0 {
		return Inverse{}, false, nil
	}
	if u.target.Value != "" {
		return Inverse{}, false, u.irreversible("the files that " + u.target.String() + " held before cannot be put back")
	}
	if err := u.sent(); err != nil {
		return Inverse{}, false, err
	}
	inv, _, _ := u.act(deed.KindUpload, u.now, "it held no file before")
	inv.Action.Files = []string{}
	return inv, true, nil
}

// sent is the error of an act that sent something that changes the server.
func (u *undo) sent() error {
	for _, r := range u.ev.Signals.Requests {
		if r.Method != "" && r.Method != "GET" && r.Method != "HEAD" && r.Method != "OPTIONS" {
			return u.irreversible(fmt.Sprintf("%s %s was sent", r.Method, clip(r.URL)))
		}
	}
	return nil
}

// tab takes back what was done to tabs: one that was opened is closed. Which page is current is no effect on any.
func (u *undo) tab() (Inverse, error) {
	switch other := mainFrame(u.before) != mainFrame(u.after); {
	case u.ev.Action.Tab == "open" && other:
		return Inverse{Action: deed.Action{Kind: deed.KindTab, Tab: "close"}, Target: -1, Why: "it was opened"}, nil
	case u.ev.Action.Tab == "close" && (other || u.ev.Signals.Closed):
		return Inverse{Target: -1}, u.irreversible("a page that was closed does not come back as it was")
	}
	return nothingToUndo("no page was opened or closed"), nil
}

// closePage closes the one page that the act opened, where it did nothing else.
func (u *undo) closePage() (Inverse, bool, error) {
	pages := u.ev.Signals.Pages
	if len(pages) != 1 {
		return Inverse{}, false, nil
	}
	for i := range u.effects {
		if u.effects[i].signal != "page" {
			return Inverse{}, false, nil
		}
	}
	if err := u.sent(); err != nil {
		return Inverse{}, false, err
	}
	return Inverse{Action: deed.Action{Kind: deed.KindTab, Tab: "close", Text: pages[0].URL}, Target: -1, Why: "the act opened it"}, true, nil
}

// history goes back where the act only led elsewhere: another address, and nothing was sent.
func (u *undo) history() (Inverse, bool, error) {
	d, sig := &u.ev.Diff, &u.ev.Signals
	if d.URLBefore == d.URLAfter || len(sig.Pages) > 0 || len(sig.Downloads) > 0 {
		return Inverse{}, false, nil
	}
	if err := u.sent(); err != nil {
		return Inverse{}, false, err
	}
	way := deed.KindBack
	switch u.ev.Action.Kind {
	case deed.KindClick, deed.KindDblclick, deed.KindPress, deed.KindGoto, deed.KindForward:
	case deed.KindBack:
		way = deed.KindForward
	default:
		return Inverse{}, false, nil
	}
	return Inverse{Action: deed.Action{Kind: way}, Target: -1, History: true, Why: "the act led from " + clip(d.URLBefore) + " to " + clip(d.URLAfter)}, true, nil
}
