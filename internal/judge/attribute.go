package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// attribute says whose effects they are, for acts that imply no final state.
func (h *hearing) attribute() deed.Judgement {
	live, closing, banners := h.sortOut()
	if len(h.effects) == 0 {
		return h.nothing()
	}
	failure, hard := h.failure(live)
	if hard {
		return h.failed(failure)
	}
	var ours, thin, theirs []finding
	for i := range live {
		switch f := h.attributed(&live[i]); {
		case f.whose == them:
			theirs = append(theirs, f)
		case f.whose != nobody && f.thin:
			thin = append(thin, f)
		case f.whose != nobody:
			ours = append(ours, f)
		}
	}
	if len(ours) == 0 && len(theirs) == 0 && h.titleNamesUs() {
		return match(deed.BasisNamed, "%s, and the title is now %q: it names %s", h.effects[0].line, clip(h.after.Title), h.asked())
	}
	switch {
	case len(ours) > 0:
		return h.named(ours, theirs)
	case len(theirs) > 0:
		f := theirs[0]
		if f.weak || len(thin) > 0 {
			return h.doubt("%s, which may belong to %s rather than to %s", f.effect.line, h.before.Nodes[f.sibling].String(), h.asked())
		}
		return mismatch(deed.MismatchNeighbour, "the effect belongs to a neighbour: %s, asked for was %s", f.effect.line, h.asked())
	case failure != "":
		return h.failed(failure)
	}
	if why := h.pageError(); why != "" {
		return mismatch(deed.MismatchPageError, "%s", why)
	}
	if j, ok := h.rolledBack(); ok {
		return j
	}
	if d := h.refusedDialog(); d != nil {
		return mismatch(deed.MismatchWrongState, "%s %q was dismissed: the step does not say how to answer it", d.Kind, clip(d.Message))
	}
	if line, ok := h.dismissed(closing); ok {
		return match(deed.BasisNamed, "%s, as %s says", line, h.asked())
	}
	switch {
	case len(live) == 0 && len(banners) > 0 && len(closing) == 0:
		return h.doubt("only a banner opened, as any first click may open it: %s", banners[0].line)
	case len(live) == 0:
		return h.onlyClosed(closing)
	}
	return h.causedOrDoubt(live)
}

// titleNamesUs reports whether the page took a title that names the target: a view of it opened. A title counts
// unread messages too, so it speaks for nobody else.
func (h *hearing) titleNamesUs() bool {
	if h.target == nil || h.before.Title == h.after.Title || h.after == nowhere {
		return false
	}
	came, _ := difference(h.before.Title, h.after.Title)
	who, _ := h.spot().owner(h.spot().words(came))
	_, complains := words.SpeaksOfFailure(h.after.Title)
	return who == us && (!complains || h.wantsFailure())
}

// A finding is whose an effect is, and why.
type finding struct {
	effect  *effect
	whose   owner
	sibling int
	weak    bool // of a neighbour's: it may be nobody's
	thin    bool // of ours: a word or two of a longer name, in text that nothing else ties to the act
	why     string
}

// sortOut parts the effects into those that speak, those that are only the target's own layer closing, and banners
// that any first gesture opens.
func (h *hearing) sortOut() (live, closing, banners []effect) {
	layer := h.closedLayer()
	open := h.banners()
	for _, e := range h.effects {
		c := e.change
		switch {
		case c == nil:
			live = append(live, e)
		case layer >= 0 && c.Kind == deed.Disappeared && (c.BeforeIndex == layer || within(h.before, c.BeforeIndex, layer)):
			closing = append(closing, e)
		case layer >= 0 && h.opener(c, layer):
			closing = append(closing, e)
		case c.Kind == deed.Appeared && (open[c.AfterIndex] || bannerNode(c, open, h.after)):
			banners = append(banners, e)
		default:
			live = append(live, e)
		}
	}
	return live, closing, banners
}

// closedLayer returns the dialog, menu or region around the target that went with everything in it, or -1.
func (h *hearing) closedLayer() int {
	if h.at < 0 || h.turned {
		return -1
	}
	gone := map[int]bool{}
	for i := range h.ev.Diff.Changes {
		if c := &h.ev.Diff.Changes[i]; c.Kind == deed.Disappeared {
			gone[c.BeforeIndex] = true
		}
	}
	if !gone[h.at] {
		return -1
	}
	layer := -1
	for p := h.target.Parent; p >= 0; p = h.before.Nodes[p].Parent {
		n := &h.before.Nodes[p]
		if !gone[p] {
			break
		}
		if slices.Contains(layerRoles, n.Role) || n.Container && h.places.rowOf(h.at) != p {
			layer = p
		}
	}
	return layer
}

// opener reports the control that only says that the layer is closed: no longer expanded.
func (h *hearing) opener(c *deed.Change, layer int) bool {
	return c.Kind == deed.Changed && c.Before.Value == c.After.Value && c.Before.States.Has(deed.Expanded) && c.After.States.Has(deed.Collapsed)
}

// attributed says whose one effect is: by its place first where that is certain, then by its words.
func (h *hearing) attributed(e *effect) finding {
	f := finding{effect: e, sibling: -1}
	if h.target == nil {
		return f
	}
	c := e.change
	if c != nil && h.turned && !e.live && c.Now().Role != "heading" {
		return f
	}
	if c != nil && c.Kind == deed.Disappeared && !e.live && h.wentWithOthers() {
		return f
	}
	if c != nil && !h.turned {
		if why := h.inside(c); why != "" {
			f.whose, f.why = us, why
			return f
		}
	}
	if e.signal == "url" {
		// A URL numbers things as it likes: its words may speak for us, never against us.
		if who, _ := h.spot().owner(h.spot().words(e.came)); who == us {
			f.whose, f.why = us, "its address names "+h.asked()
		}
		return f
	}
	if c != nil && e.live && h.isFailure(e) && !h.warns(e) && !h.wantsFailure() {
		return f
	}
	var text map[string]bool
	f.whose, f.sibling, text = h.byWords(e)
	if f.whose == them && c != nil && housekeeping(c) {
		f.whose, f.sibling = nobody, -1
	}
	switch f.whose {
	case us, both:
		f.why = "it names " + h.asked()
		f.thin = !e.caused && !e.live && h.spot().ours.share(text) < 0.5
	case nobody:
		if c != nil && !h.turned {
			f.whose, f.sibling, f.weak = h.inNeighbour(c)
			if f.whose == nobody {
				if why := h.inRow(e); why != "" {
					f.whose, f.why = us, why
				}
			}
		}
	}
	return f
}

// byWords compares what an effect says with the words that tell the target apart: what came first, or what went where
// nothing came; then the identity of the node it happened to; then the row it stands in. The text that a message
// gave up for another is no evidence.
func (h *hearing) byWords(e *effect) (who owner, sibling int, text map[string]bool) {
	p := h.spot()
	first := e.came
	if len(first) == 0 {
		first = e.went
	}
	text = p.words(first)
	if who, i := p.owner(text); who != nobody {
		return who, i, text
	}
	if e.change == nil {
		return nobody, -1, nil
	}
	for _, list := range [][]string{e.whole, p.content(e.change.Now().Row)} {
		text = p.words(list)
		if who, i := p.owner(text); who == both {
			return nobody, -1, nil // what stood there before may name both, a summary does: that proves nothing
		} else if who != nobody {
			return who, i, text
		}
	}
	return nobody, -1, nil
}

// inside reports an effect on the target itself, inside it, or in a layer that it labels.
func (h *hearing) inside(c *deed.Change) string {
	switch {
	case h.isTarget(c):
		return "it is " + h.asked() + " itself"
	case c.Kind != deed.Appeared && c.BeforeIndex >= 0 && within(h.before, c.BeforeIndex, h.at),
		c.Kind != deed.Disappeared && h.now >= 0 && c.AfterIndex >= 0 && within(h.after, c.AfterIndex, h.now):
		return "it is inside " + h.asked()
	}
	return ""
}

// wentWithOthers reports whether the target went, and most of its siblings with it: a list that was replaced tells
// nothing about the one element, nor about another.
func (h *hearing) wentWithOthers() bool {
	if h.replaced == nil {
		sib := h.spot().siblings
		gone, ours := 0, false
		for i := range h.ev.Diff.Changes {
			if c := &h.ev.Diff.Changes[i]; c.Kind == deed.Disappeared {
				ours = ours || c.BeforeIndex == h.at
				if _, ok := slices.BinarySearch(sib, c.BeforeIndex); ok {
					gone++
				}
			}
		}
		r := ours && gone > 0 && 2*gone > len(sib)
		h.replaced = &r
	}
	return *h.replaced
}

// inRow reports an effect in the target's own row or card. Controls that only appear or go there may be what
// hovering shows: they count when the act caused them.
func (h *hearing) inRow(e *effect) string {
	c := e.change
	row := h.places.rowOf(h.at)
	hover := (c.Kind == deed.Appeared || c.Kind == deed.Disappeared) && hoverRole(c.Now().Role) && !c.Caused
	if hover {
		return ""
	}
	if row >= 0 {
		if c.Kind != deed.Appeared && c.BeforeIndex >= 0 && (c.BeforeIndex == row || within(h.before, c.BeforeIndex, row)) {
			return "it is in the row of " + h.asked()
		}
		if now := counterpart(h.before, h.after, row); now >= 0 && c.AfterIndex >= 0 && c.Kind != deed.Disappeared && within(h.after, c.AfterIndex, now) {
			return "it is in the row of " + h.asked()
		}
		return ""
	}
	n := c.Now()
	if t := h.target; t.Row != "" && n.Row == t.Row && n.Region == t.Region && n.Frame == t.Frame && h.ownRow() {
		return "it is in the row of " + h.asked()
	}
	return ""
}

// ownRow reports whether the text of the target's row is its alone among its siblings.
func (h *hearing) ownRow() bool {
	for _, i := range h.spot().siblings {
		if h.before.Nodes[i].Row == h.target.Row {
			return false
		}
	}
	return true
}

func hoverRole(role string) bool {
	switch role {
	case "button", "link", "menuitem", "toolbar", "group", "generic", "img", "image":
		return true
	}
	return false
}

// inNeighbour reports an effect on a sibling or in a sibling's row. That a sibling becomes usable or not, or takes
// the current mark from ours, is housekeeping.
func (h *hearing) inNeighbour(c *deed.Change) (owner, int, bool) {
	if c.BeforeIndex < 0 || c.Kind == deed.Appeared {
		return nobody, -1, false
	}
	if housekeeping(c) {
		return nobody, -1, false
	}
	hover := c.Kind == deed.Disappeared && hoverRole(c.Now().Role) && !c.Caused
	p := h.spot()
	if r := h.target.Role; (r == "columnheader" || r == "rowheader") && c.Before.Role == r && c.Before.Region == h.target.Region && c.After.Value != "" {
		return them, c.BeforeIndex, false // the headers stand in one row, and each speaks for its own column
	}
	for _, i := range p.siblings {
		if i == c.BeforeIndex {
			return them, i, c.Kind == deed.Disappeared && hover
		}
		if row := h.places.rowOf(i); row >= 0 && row != p.row && (c.BeforeIndex == row || within(h.before, c.BeforeIndex, row)) {
			return them, i, hover
		}
	}
	return nobody, -1, false
}

// housekeeping reports a change of states alone in which the node gained none that an act gives.
func housekeeping(c *deed.Change) bool {
	return c.Kind == deed.Changed && c.Before.Value == c.After.Value &&
		c.After.States&^c.Before.States&(deed.Checked|deed.Selected|deed.Pressed|deed.Expanded|deed.Mixed) == 0
}

func (h *hearing) spot() *spot {
	if h.told == nil {
		h.told = newSpot(h.places, h.at)
	}
	return h.told
}

// named is the match by attribution; what else happened is listed.
func (h *hearing) named(ours, theirs []finding) deed.Judgement {
	f := ours[0]
	if r := h.serverRefused(); r != "" {
		if !slices.ContainsFunc(ours, func(f finding) bool {
			return f.effect.change == nil || f.effect.change.AfterIndex >= 0 || f.effect.change.Kind == deed.Disappeared
		}) {
			return mismatch(deed.MismatchPageError, "%s; what named %s went again", r, h.asked())
		}
		return deed.Judgement{Reason: fmt.Sprintf("%s: %s, but %s", f.effect.line, f.why, r)}
	}
	if n := h.onlySaid(ours, theirs); n != nil {
		return h.doubt("%s says that it is %s, but %s", f.effect.line, h.asked(), n.line)
	}
	if n := h.alsoGone(); n != nil {
		return h.doubt("%s: %s, but %s went with it", f.effect.line, f.why, n)
	}
	if e := h.twice(ours); e != nil {
		return h.doubt("%s: %s, but it is there twice", e.line, f.why)
	}
	reason := f.effect.line + ": " + f.why
	if len(theirs) > 0 {
		reason += "; besides, " + theirs[0].effect.line
	}
	if r := h.badRequest(); r != "" {
		reason += "; besides, " + r
	}
	return match(deed.BasisNamed, "%s", reason)
}

// onlySaid returns what happened to a sibling, or in its row, where nothing but a message speaks for the target: the page says one
// thing and does another.
func (h *hearing) onlySaid(ours, theirs []finding) *effect {
	for i := range ours {
		if !ours[i].effect.live {
			return nil
		}
	}
	for i := range theirs {
		f := &theirs[i]
		c := f.effect.change
		if c == nil || f.weak || f.effect.live || c.BeforeIndex < 0 || f.sibling < 0 || housekeeping(c) {
			continue
		}
		row := h.places.rowOf(f.sibling)
		if c.BeforeIndex == f.sibling || row >= 0 && (c.BeforeIndex == row || within(h.before, c.BeforeIndex, row)) {
			return f.effect
		}
	}
	return nil
}

// alsoGone returns a sibling that went together with the target, where others stay: one deletion takes one. A list that was replaced tells
// nothing of either.
func (h *hearing) alsoGone() *deed.Node {
	if h.target == nil || h.turned || h.now >= 0 || h.wentWithOthers() {
		return nil
	}
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if c.Kind == deed.Disappeared && c.BeforeIndex != h.at && slices.Contains(h.spot().siblings, c.BeforeIndex) && h.places.rowOf(h.at) >= 0 {
			return &h.before.Nodes[c.BeforeIndex]
		}
	}
	return nil
}

// twice returns an effect of ours that came two times at once, in one list, where nothing like it was before: one act adds one.
func (h *hearing) twice(ours []finding) *effect {
	for i := range ours {
		a := ours[i].effect.change
		if a == nil || a.Kind != deed.Appeared || a.AfterIndex < 0 || a.After.Name == "" || a.After.Role != "listitem" && a.After.Role != "row" || holdsKey(h.before, a.Key) {
			continue
		}
		for k := range i {
			b := ours[k].effect.change
			if b != nil && b.Kind == deed.Appeared && b.AfterIndex >= 0 && b.Key == a.Key && b.After.Value == a.After.Value && b.After.Parent == a.After.Parent {
				return ours[i].effect
			}
		}
	}
	return nil
}

// causedOrDoubt judges effects that nobody's words or place claim.
func (h *hearing) causedOrDoubt(live []effect) deed.Judgement {
	var by *effect
	for i := range live {
		if live[i].caused && (by == nil || by.signal == "" && live[i].signal != "") {
			by = &live[i]
		}
	}
	first := &live[0]
	switch {
	case by == nil:
		return h.doubt("%s, and nothing ties that to %s", first.line, h.asked())
	case h.target == nil && h.ev.Action.Kind == deed.KindWatch:
		return h.doubt("%s, and nothing says whether that was meant", first.line)
	case h.blind != "" && by.signal == "":
		return h.doubt("%s, but %s", by.line, h.blind)
	case h.partial:
		return h.doubt("%s, but %s did not receive the whole %s", by.line, h.asked(), h.ev.Action.Kind)
	}
	if quote := h.plainFailure(live); quote != "" {
		return h.doubt("%s, but the page says %q", by.line, clip(quote))
	}
	if e, n := h.namesOther(live); n != nil {
		return h.doubt("%s, which is what %s would do", e.line, n)
	}
	return match(deed.BasisCaused, "%s, caused by the %s on %s", by.line, h.ev.Action.Kind, h.asked())
}

// dismissed reports whether the target's own layer closed and its name says just that: "Close", "Cancel", or the
// layer's own name.
func (h *hearing) dismissed(closing []effect) (line string, ok bool) {
	if len(closing) == 0 {
		return "", false
	}
	layer := h.closedLayer()
	if layer < 0 {
		return "", false
	}
	n := &h.before.Nodes[layer]
	named := n.Role != "menu" && n.Role != "listbox" && n.Name != "" && words.Overlap(words.Content(n.Name), words.Content(h.target.Name)) > 0
	return h.layerLine(closing), dismisses(h.target.Name) || named
}

// layerLine tells that the layer closed.
func (h *hearing) layerLine(closing []effect) string {
	layer := h.closedLayer()
	for _, e := range closing {
		if e.change.BeforeIndex == layer && e.change.Kind == deed.Disappeared {
			return e.line
		}
	}
	return closing[0].line
}

// namesOther returns an effect that says all that another control of the page says and nothing of what ours says: a
// click on "Export" after which the page says "Signed out", beside a button "Sign out". A dialog asks about what was
// begun elsewhere, so its buttons are not compared with the rest of the page.
func (h *hearing) namesOther(live []effect) (*effect, *deed.Node) {
	if h.target == nil || ancestor(h.before, h.at, layerRoles) >= 0 {
		return nil, nil
	}
	p := h.spot()
	for i := range live {
		e := &live[i]
		if e.change == nil || len(e.came) == 0 {
			continue
		}
		text := p.words(e.came)
		for k := range h.before.Nodes {
			n := &h.before.Nodes[k]
			if k == h.at || n.Frame != h.target.Frame || n.Name == "" || n.Name == h.target.Name || n.Role != "button" && n.Role != "link" && n.Role != "menuitem" {
				continue
			}
			theirs := p.content(n.Name)
			if len(theirs) < 2 || !containsAll(text, theirs) {
				continue
			}
			if !slices.ContainsFunc(p.content(h.target.Name), func(w string) bool { return text[w] && !slices.Contains(theirs, w) }) {
				return e, n
			}
		}
	}
	return nil, nil
}

func containsAll(set map[string]bool, list []string) bool {
	return !slices.ContainsFunc(list, func(w string) bool { return !set[w] })
}

// onlyClosed judges an act after which only the target's own layer closed. A menu closes whatever its item does, so
// that is taken for the effect only when nothing more comes.
func (h *hearing) onlyClosed(closing []effect) deed.Judgement {
	if len(closing) == 0 {
		return h.nothing()
	}
	line := h.layerLine(closing)
	caused := false
	for _, e := range closing {
		caused = caused || e.caused
	}
	switch {
	case caused && h.answeredWell():
		return match(deed.BasisCaused, "%s, and the act's request was answered", line)
	case !h.ev.Final:
		return deed.Judgement{Reason: "nothing yet but that " + line}
	case caused && h.blind == "":
		return match(deed.BasisCaused, "%s, caused by the %s on %s", line, h.ev.Action.Kind, h.asked())
	}
	return h.doubt("%s, and nothing else happened", line)
}

// closers are names that close what they stand in, Loose.
var closers = strings.Split("close|cancel|dismiss|hide|ok|okay|got it|done|no thanks|not now|maybe later|later|skip|x|×|✕|✖|✗|❌|"+
	"cerrar|cancelar|aceptar|listo|no gracias|schliessen|abbrechen|fertig|verstanden|nein danke|spater|fermer|annuler|d'accord|compris|non merci|chiudi|annulla|ho capito|fechar|entendi|"+
	"sluiten|annuleren|stang|avbryt|zamknij|anuluj|zavrit|zrusit|luk|annuller|lukk|sulje|peruuta|kapat|iptal|tamam|закрыть|отмена|понятно|готово|ок|закрити|скасувати|إغلاق|إلغاء|حسنا|סגור|ביטול|बंद करें|"+
	"关闭|關閉|取消|知道了|确定|確定|閉じる|キャンセル|了解|닫기|취소|확인", "|")

// dismisses reports names that close what they stand in.
func dismisses(name string) bool { return slices.Contains(closers, words.Loose(name)) }

func (h *hearing) answeredWell() bool {
	if h.ev.Pending {
		return false
	}
	for _, r := range h.ev.Signals.Requests {
		if r.Done && r.Status > 0 && r.Status < 400 && r.Method != "" && r.Method != "GET" && r.Method != "HEAD" {
			return h.badRequest() == ""
		}
	}
	return false
}

// refusedDialog returns a native dialog that asked something and was dismissed because nothing said how to answer.
func (h *hearing) refusedDialog() *deed.Dialog {
	for i := range h.ev.Signals.Dialogs {
		if d := &h.ev.Signals.Dialogs[i]; !d.Accepted && !d.Expected && d.Kind != "alert" {
			return d
		}
	}
	return nil
}

// rolledBack reports an effect that was there and went again: of ours first.
func (h *hearing) rolledBack() (deed.Judgement, bool) {
	if !h.ev.Final {
		return deed.Judgement{}, false
	}
	var worst *deed.Change
	for i := range h.ev.Passing {
		c := &h.ev.Passing[i]
		if h.idle(c) || toast(c.Now()) || layerNode(c) || h.stillThere(c) {
			continue
		}
		if worst == nil || c.BeforeIndex == h.at && h.at >= 0 && worst.BeforeIndex != h.at {
			worst = c
		}
	}
	if worst == nil {
		return deed.Judgement{}, false
	}
	reason := tell(worst) + " for a moment, then that was taken back"
	if f, _ := h.failure(h.effects); f != "" {
		reason += fmt.Sprintf(": the page says %q", clip(f))
	}
	return mismatch(deed.MismatchRolledBack, "%s", reason), true
}

// layerNode reports layers, and what stands in them: menus and dialogs open and close without being taken back.
func layerNode(c *deed.Change) bool {
	n := c.Now()
	if slices.Contains(layerRoles, n.Role) || hoverRole(n.Role) || n.Role == "option" {
		return true
	}
	for _, r := range layerRoles {
		if n.Region == r || len(n.Region) > len(r) && n.Region[:len(r)+1] == r+" " {
			return true
		}
	}
	return false
}
