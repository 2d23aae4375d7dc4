// Package judge says whether an act had the effect that was meant.
//
// [Judge] weighs one act: what was asked, what the page received, what differs afterwards. Its layers, strongest
// first: delivery, declared expectations, the final state that the kind of act implies, attribution of the effects
// by words, place and cause, and the declared intent. A lower layer never overrules a higher one, and doubt never
// becomes approval: the zero verdict is ambiguous. [PlanUndo] plans the inverse of an effect that was not meant.
// [Arbitrate] lets a model break a tie, with yes or no.
//
// Law of this package: a verdict is a function of its [Evidence]. No clock, no I/O, no page; only [Arbitrate]
// waits, for the arbiter it is given. It never knows how a page is observed or acted on.
package judge

import (
	"fmt"
	"strings"

	"github.com/deed-dev/deed"
)

// Evidence is all that is known about one act.
type Evidence struct {
	Action        deed.Action
	Before, After *deed.Snapshot
	Target        int           // index into Before.Nodes; -1 where the action has none
	Diff          deed.Diff     // what is volatile apart; Change.Caused is filled in
	Passing       []deed.Change // effects seen while settling that are gone in After
	Witness       deed.Witness
	Signals       deed.Signals
	Watched       *deed.Watched    // watch: what the target received; nil where that is not known
	Held          *bool            // fill: the page's own answer whether the field holds exactly Text; type: whether it holds what it held with Text put in; nil when it was not asked
	FieldValue    string           // fill, type; not sensitive: what the control holds now; valid when Held is not nil
	Rested        bool             // the page was at rest when After was taken
	Pending       bool             // requests of the act are still in flight
	Final         bool             // the effect time-out or the step's deadline has passed: no more waiting
	ProvenInert   bool             // nothing on the event path listens and there is no default action
	Upload        []deed.File      // upload: the files that were to go in, with their sizes; nil compares the names in Action.Files alone
	Seen          []*deed.Snapshot // further snapshots in between, for expectations about passing things
}

// Judge returns the verdict that the evidence supports now. Without ev.Final it may be called again with more
// evidence: "nothing happened" and "not as expected" are then ambiguous still. A match says that the effect is
// there; holding it back while ev.Pending is the caller's.
func Judge(ev *Evidence) deed.Judgement {
	h := newHearing(ev)
	return h.clean(h.decide())
}

// A hearing is one judging: the evidence, and what is derived from it once.
type hearing struct {
	ev      *Evidence
	before  *deed.Snapshot
	after   *deed.Snapshot
	at      int        // the target in before, -1 for none; for a press without an element the focused one
	now     int        // the target in after, -1 when it is gone
	target  *deed.Node // before; nil for none
	partial bool       // the gesture began on the target and did not end there
	effects []effect   // what counts as an effect
	blind   string     // why the page was not seen whole, "" when it was
	turned  bool       // the view was replaced: words of its body prove nothing

	covered, uncovered bool    // a layer opened over all else, or closed
	replaced           *bool   // see wentWithOthers
	places             *places // of before
	told               *spot   // what tells the target from its siblings; made when it is asked for
}

var nowhere = &deed.Snapshot{Incomplete: "the page was not seen"}

func newHearing(ev *Evidence) *hearing {
	h := &hearing{ev: ev, before: ev.Before, after: ev.After, at: ev.Target, now: -1}
	if h.before == nil {
		h.before = nowhere
	}
	if h.after == nil {
		h.after = nowhere
	}
	if h.at < 0 && ev.Action.Kind == deed.KindPress {
		h.at = Focused(h.before)
	}
	if h.at >= len(h.before.Nodes) {
		h.at = -1
	}
	if h.at >= 0 {
		h.target = &h.before.Nodes[h.at]
		h.now = counterpart(h.before, h.after, h.at)
		h.places = newPlaces(h.before, h.target.Role)
	}
	switch {
	case !h.after.Complete:
		h.blind = "the page was not seen whole: " + orElse(h.after.Incomplete, "no reason is known")
	case !h.before.Complete:
		h.blind = "the page was not seen whole before the act: " + orElse(h.before.Incomplete, "no reason is known")
	case !ev.Rested || h.after.Restless:
		h.blind = "the page has not come to rest"
	}
	h.covered, h.uncovered = veil(h)
	h.turned = !h.covered && !h.uncovered && turnedOver(h)
	h.effects = gather(h)
	return h
}

func (h *hearing) decide() deed.Judgement {
	if j, ok := h.delivery(); ok {
		return j
	}
	if h.ev.Signals.Crashed {
		return mismatch(deed.MismatchPageError, "the page crashed")
	}
	if j, ok := h.expectations(); ok {
		if astray, yes := h.astray(); yes && j.Verdict == deed.Match {
			return astray
		}
		return j
	}
	if h.ev.Signals.Closed && h.ev.Action.Kind != deed.KindTab {
		return h.closed()
	}
	if j, ok := h.finalState(); ok {
		// What a control shows is what the page hopes for, while the server has not agreed.
		if r := h.serverRefused(); r != "" && j.Verdict == deed.Match && !j.Already {
			return deed.Judgement{Reason: j.Reason + ", but " + r}
		}
		return j
	}
	return h.attribute()
}

// delivery ends the case of a gesture that the page never got.
func (h *hearing) delivery() (deed.Judgement, bool) {
	if n := h.untouched(); n != nil {
		return mismatch(deed.MismatchNotDelivered, "%s changed without any event of its own, as when a script sets it: the page was not told", n), true
	}
	w := &h.ev.Witness
	if w.Delivered || !isGesture(h.ev.Action.Kind) {
		return deed.Judgement{}, false
	}
	begun := false
	for _, e := range w.Events {
		begun = begun || e.OnTarget && !e.Blocked
	}
	if w.Prevented > 0 {
		// A press may act on its first event and take its element away; only what was declared can prove that.
		if begun && len(h.ev.Action.Expect) > 0 {
			if j, ok := h.expectations(); ok && j.Verdict == deed.Match {
				return j, true
			}
		}
		// What the press opened took the rest of the gesture: a select whose backdrop covers it at once.
		if begun && w.Elsewhere && len(h.ev.Action.Expect) == 0 && h.target != nil && h.now >= 0 &&
			h.target.States.Has(deed.Collapsed) && h.after.Nodes[h.now].States.Has(deed.Expanded) {
			return match(deed.BasisState, "%s is expanded; what it opened took the rest of the gesture", h.asked()), true
		}
		return mismatch(deed.MismatchPrevented, "the gesture was stopped before the page saw it: %s would have received it, asked for was %s",
			orElse(w.Receiver, "another element"), h.asked()), true
	}
	if h.ev.Held != nil && *h.ev.Held || h.arrivedAnyway() {
		return deed.Judgement{}, false
	}
	if begun && (len(h.effects) > 0 || len(h.ev.Action.Expect) > 0) {
		h.partial = true
		return deed.Judgement{}, false
	}
	return mismatch(deed.MismatchNotDelivered, "%s never received the %s", h.asked(), h.ev.Action.Kind), true
}

// untouched returns the target of a watched act whose value or state changed while it received nothing.
func (h *hearing) untouched() *deed.Node {
	if h.ev.Action.Kind != deed.KindWatch || h.ev.Watched == nil || h.ev.Watched.Touched {
		return nil
	}
	for i := range h.ev.Diff.Changes {
		c := &h.ev.Diff.Changes[i]
		if !h.isTarget(c) || c.Kind != deed.Changed {
			continue
		}
		if c.Before.Value != c.After.Value || (c.Before.States^c.After.States)&(deed.Checked|deed.Selected|deed.Mixed) != 0 {
			return h.target
		}
	}
	return nil
}

// arrivedAnyway reports acts that the browser itself tells of, whatever events the page received.
func (h *hearing) arrivedAnyway() bool {
	sig := &h.ev.Signals
	switch h.ev.Action.Kind {
	case deed.KindHover:
		return sig.Hovered
	case deed.KindFocus:
		return sig.Focused
	case deed.KindUpload:
		return len(sig.Files) > 0 || len(h.effects) > 0
	case deed.KindDrag:
		return Displaced(h.before, h.after, h.at, h.ev.Action.Drop)
	}
	return false
}

// closed judges an act after which the page was gone.
func (h *hearing) closed() deed.Judgement {
	if h.target != nil && dismisses(h.target.Name) {
		return match(deed.BasisNamed, "the page closed, as %s says", h.asked())
	}
	return h.doubt("the page closed itself; nothing more can be seen")
}

// nothing judges an act after which nothing counts as an effect.
func (h *hearing) nothing() deed.Judgement {
	ev := h.ev
	if d := h.refusedDialog(); d != nil {
		return mismatch(deed.MismatchWrongState, "%s %q was dismissed, and nothing else happened: the step does not say how to answer it", d.Kind, clip(d.Message))
	}
	inert := ev.ProvenInert && len(ev.Action.Expect) == 0
	if !ev.Final && !inert {
		return deed.Judgement{Reason: "nothing yet"}
	}
	if why := h.pageError(); why != "" {
		return mismatch(deed.MismatchPageError, "%s", why)
	}
	if j, ok := h.rolledBack(); ok {
		return j
	}
	switch {
	case h.blind != "":
		return deed.Judgement{Reason: "nothing was seen to change, but " + h.blind}
	case ev.Pending:
		return deed.Judgement{Reason: "nothing has changed, but a request of the act has no answer yet"}
	case h.partial:
		return mismatch(deed.MismatchNotDelivered, "%s did not receive the whole %s, and nothing changed", h.asked(), ev.Action.Kind)
	case ev.Action.Kind == deed.KindPress && h.target != nil && h.target.Sensitive:
		return deed.Judgement{Reason: "nothing changed that can be seen: what " + h.asked() + " holds is hidden"}
	}
	why := "no observable effect"
	if own := h.ownChange(); own != "" {
		why += ": nothing changed but " + own
	} else if ev.ProvenInert {
		why += ": nothing listens there and the browser does nothing of itself"
	} else if n := len(ev.Diff.Volatile); n > 0 {
		why += ": nothing changed but what changes on its own"
	}
	for _, r := range ev.Signals.Requests {
		if r.Done && r.Method != "" && r.Method != "GET" && r.Status > 0 && r.Status < 400 {
			why += fmt.Sprintf("; %s %s was answered %d: expect that request if it is the effect", r.Method, clip(r.URL), r.Status)
			break
		}
	}
	return mismatch(deed.MismatchNoEffect, "%s", why)
}

// doubt is the ambiguous verdict, unless the declared intent settles it.
func (h *hearing) doubt(format string, args ...any) deed.Judgement {
	if ok, why := h.intended(); ok {
		return match(deed.BasisIntent, "%s", why)
	}
	return deed.Judgement{Reason: fmt.Sprintf(format, args...)}
}

func match(basis deed.Basis, format string, args ...any) deed.Judgement {
	return deed.Judgement{Verdict: deed.Match, Basis: basis, Reason: fmt.Sprintf(format, args...)}
}

func mismatch(kind deed.MismatchKind, format string, args ...any) deed.Judgement {
	return deed.Judgement{Verdict: deed.Mismatch, Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

// clean keeps a secret out of the reason, wherever the page may have echoed it.
func (h *hearing) clean(j deed.Judgement) deed.Judgement {
	j.Reason = withoutSecret(&h.ev.Action, h.target, j.Reason)
	return j
}

// secretText returns the text that no output may hold: the value of a secret, or of a sensitive field.
func secretText(a *deed.Action, target *deed.Node) string {
	if (a.Secret != "" || target != nil && target.Sensitive) && (a.Kind == deed.KindFill || a.Kind == deed.KindType) && a.Text != deed.Redacted {
		return a.Text
	}
	return ""
}

// withoutSecret replaces a secret and its reformatted echoes ("4000 1234" for "40001234") in s.
func withoutSecret(a *deed.Action, target *deed.Node, s string) string {
	secret := secretText(a, target)
	if strings.TrimSpace(secret) == "" {
		return s
	}
	s = strings.ReplaceAll(s, secret, deed.Redacted)
	// The letters and digits alone, with separators between them.
	plain := alnum(secret)
	if len(plain) < 4 {
		return s
	}
	rs := []rune(s)
	var out []rune
	for i := 0; i < len(rs); {
		if end := echoes(rs, i, plain); end > 0 {
			out = append(out, []rune(deed.Redacted)...)
			i = end
			continue
		}
		out = append(out, rs[i])
		i++
	}
	return string(out)
}

func echoes(rs []rune, i int, plain []rune) int {
	k := 0
	for j := i; j < len(rs); j++ {
		switch {
		case foldRune(rs[j]) == plain[k]:
			if k++; k == len(plain) {
				return j + 1
			}
		case k > 0 && isSeparator(rs[j]):
		default:
			return 0
		}
	}
	return 0
}

// isGesture reports the kinds that send something to the page.
func isGesture(k deed.Kind) bool {
	switch k {
	case deed.KindClick, deed.KindDblclick, deed.KindFill, deed.KindPress, deed.KindCheck, deed.KindUncheck, deed.KindSelect,
		deed.KindHover, deed.KindFocus, deed.KindClear, deed.KindType, deed.KindUpload, deed.KindDrag:
		return true
	}
	return false
}

// asked names what the act was for.
func (h *hearing) asked() string {
	if h.target != nil {
		return h.target.String()
	}
	return orElse(h.ev.Action.Object(), "the page")
}

// Focused returns the index of the node that has the focus, the innermost; -1 where none has.
func Focused(s *deed.Snapshot) int {
	at := -1
	for i := range s.Nodes {
		if s.Nodes[i].States.Has(deed.Focused) {
			// The innermost wins: a focused frame or group holds the focused control.
			if at < 0 || within(s, i, at) {
				at = i
			}
		}
	}
	return at
}

// counterpart finds node i of a in b: the same element of the same document, else the only new node of the same
// identity. An element that took the identity of another node (a recycled row) is not the counterpart any more.
func counterpart(a, b *deed.Snapshot, i int) int {
	n := &a.Nodes[i]
	key := a.Key(i)
	if j := sameElement(a, b, i); j >= 0 && b.Nodes[j].Role == n.Role {
		now := b.Key(j)
		if now == key || !holdsKey(a, now) {
			return j
		}
	}
	found := -1
	for j := range b.Nodes {
		if b.Nodes[j].Role != n.Role || b.Key(j) != key {
			continue
		}
		if k := sameElement(b, a, j); k >= 0 && k != i && a.Key(k) == key {
			continue // a twin that stood there before
		}
		if found >= 0 {
			return -1
		}
		found = j
	}
	return found
}

// sameElement returns the index in b of the element that is node i of a, or -1.
func sameElement(a, b *deed.Snapshot, i int) int {
	n := &a.Nodes[i]
	if n.Element == 0 {
		return -1
	}
	fa := frameOf(a, n.Frame)
	for j := range b.Nodes {
		m := &b.Nodes[j]
		if m.Element != n.Element {
			continue
		}
		// The main frame is the main frame, whatever its ID.
		if fb := frameOf(b, m.Frame); fb.Doc == fa.Doc && (m.Frame == 0 && n.Frame == 0 || fb.ID == fa.ID) {
			return j
		}
	}
	return -1
}

func holdsKey(s *deed.Snapshot, k deed.Key) bool {
	for i := range s.Nodes {
		if s.Nodes[i].Role == k.Role && s.Nodes[i].Name == k.Name && s.Key(i) == k {
			return true
		}
	}
	return false
}

func frameOf(s *deed.Snapshot, i int) deed.Frame {
	if i >= 0 && i < len(s.Frames) {
		return s.Frames[i]
	}
	return deed.Frame{}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// clip keeps quotations short.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// within reports whether node i is inside node anc; an index that names no node is in nothing.
func within(s *deed.Snapshot, i, anc int) bool {
	return i >= 0 && i < len(s.Nodes) && anc >= 0 && s.Within(i, anc)
}
