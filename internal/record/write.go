package record

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/diff"
	"github.com/deed-dev/deed/internal/locate"
)

// Finish ends the recording and returns what was written.
func (s *Scribe) Finish() []Entry {
	s.pressed()
	s.flush()
	for _, w := range s.pending {
		s.entries[w.entry].Step.Action.Expect = s.keep(w.choices, w.limit)
	}
	s.pending = nil
	return s.entries
}

// Secrets lists the names of the secrets that the case needs, in the order of their use.
func (s *Scribe) Secrets() []string { return s.secrets }

// Origins lists the origins of the documents that were shown in tabs.
func (s *Scribe) Origins() []string { return s.origins }

func (s *Scribe) origin(raw string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return
	}
	if o := u.Scheme + "://" + u.Host; !slices.Contains(s.origins, o) {
		s.origins = append(s.origins, o)
	}
}

func (s *Scribe) remark(format string, args ...any) {
	s.entries = append(s.entries, Entry{Comment: fmt.Sprintf(format, args...)})
}

// flush writes the draft down.
func (s *Scribe) flush() {
	d := s.cur
	s.cur = nil
	if d == nil {
		return
	}
	unseen := d.after == nil && !d.happened()
	if d.after == nil {
		d.after = d.before
	}
	if why := s.idle(d); why != "" && !(unseen && !d.press && (d.a.Kind == deed.KindClick && !d.field() || d.a.Key == "Enter")) {
		if why != nothing {
			s.remark("%s", why)
		}
		return
	}
	s.state(d)
	e := Entry{Step: deed.Step{Action: d.a}}
	if unseen {
		e.Comment = "what came of this was not seen: the page was gone, or left, too soon"
	}
	a := &e.Step.Action
	if d.target >= 0 && a.Kind != deed.KindReload && a.Kind != deed.KindBack && a.Kind != deed.KindForward {
		l, ok := locate.Shortest(d.before, d.target)
		if !ok {
			s.remark("%s on %s: nothing tells it from the others", a.Kind, d.who())
			return
		}
		a.Locator = l
		if d.wheel != nil && a.Kind.NeedsElement() {
			s.scrolled(d.wheel, d, l)
		}
	} else if a.Kind.NeedsElement() {
		s.remark("%s on something that deed does not see", a.Kind)
		return
	}
	if a.Kind == deed.KindDrag && !s.where(d, a) {
		s.remark("%s was dragged, and nothing says where to", d.who())
		return
	}
	if a.Kind == deed.KindUpload {
		e.Comment = "the file stands beside this one: " + strings.Join(a.Files, ", ")
	}
	s.answer(d, &e)
	s.entries = append(s.entries, e)
	limit := 2
	if a.Kind == deed.KindFill || a.Kind == deed.KindPress && len(d.signals.Dialogs) == 0 && a.Key != "Enter" {
		limit = 1
	}
	s.pending = append(s.pending, &written{entry: len(s.entries) - 1, choices: s.choices(d), limit: limit})
}

// nothing is why a gesture is left out without a word.
const nothing = "nothing"

// idle says why a gesture is left out: nothing was seen to come of it. "" where it is kept.
func (s *Scribe) idle(d *draft) string {
	switch d.a.Kind {
	case deed.KindFill, deed.KindSelect, deed.KindUpload, deed.KindReload, deed.KindBack, deed.KindForward, deed.KindHover:
		return ""
	}
	if s.effects(d) {
		return ""
	}
	n := d.node()
	switch {
	case d.a.Kind == deed.KindDrag: // it selected text, or fell back
		return nothing
	case d.a.Kind == deed.KindPress && d.a.Key != "Enter" && d.a.Key != "Escape" && d.a.Key != "Space":
		return nothing // it moved the focus or the caret, or copied something
	case d.a.Kind == deed.KindClick && d.field():
		return nothing // it put the caret there
	case d.a.Kind == deed.KindClick && (n.Role == "radio" && n.States.Has(deed.Checked)):
		return nothing
	case d.target < 0, d.press:
		return nothing
	case d.a.Kind == deed.KindPress:
		return fmt.Sprintf("%s pressed on %s: nothing was seen to come of it", d.a.Key, d.who())
	}
	return fmt.Sprintf("%s on %s: nothing was seen to come of it", d.a.Kind, d.who())
}

// field reports whether a click on the target puts the caret there.
func (d *draft) field() bool {
	return slices.Contains([]string{"textbox", "searchbox", "spinbutton", "combobox"}, d.node().Role)
}

// happened reports whether anything came of a draft beside the content.
func (d *draft) happened() bool {
	sig := &d.signals
	return len(sig.Dialogs)+len(sig.Pages)+len(sig.Downloads) > 0 || sig.Navigated ||
		slices.ContainsFunc(sig.Requests, func(r deed.Request) bool { return r.Method != "GET" })
}

// effects reports whether anything was seen to come of a draft, what the page does by itself apart.
func (s *Scribe) effects(d *draft) bool {
	if d.happened() {
		return true
	}
	if d.after == nil {
		return false
	}
	df := diff.Between(d.before, d.after)
	if df.URLAfter != df.URLBefore || df.NewDoc {
		return true
	}
	for i := range df.Changes {
		if !s.noise.is(&df.Changes[i], d.before, d.after) {
			return true
		}
	}
	return d.a.Kind == deed.KindDrag && s.reordered(d)
}

// state makes a click on a control that is on or off the act of bringing it there.
func (s *Scribe) state(d *draft) {
	n := d.node()
	if d.a.Kind != deed.KindClick || n.Role != "checkbox" && n.Role != "radio" && n.Role != "switch" {
		return
	}
	was := n.States.Has(deed.Checked)
	is := !was
	if i := d.now(); i >= 0 {
		is = d.after.Nodes[i].States.Has(deed.Checked)
	}
	switch {
	case is && !was:
		d.a.Kind = deed.KindCheck
	case was && !is && n.Role != "radio":
		d.a.Kind = deed.KindUncheck
	}
}

// now is the target in the page after; -1 where it is gone.
func (d *draft) now() int {
	if d.target < 0 {
		return -1
	}
	n := d.node()
	f := d.after.Frames
	for i := range d.after.Nodes {
		m := &d.after.Nodes[i]
		if m.Element == n.Element && f[m.Frame].ID == d.frame && f[m.Frame].Doc == d.before.Frames[n.Frame].Doc {
			return i
		}
	}
	if l, ok := locate.Shortest(d.before, d.target); ok {
		if i, err := locate.One(d.after, l); err == nil {
			return i
		}
	}
	return -1
}

// secretWords say that what a prompt asks for is not to be written down.
var secretWords = regexp.MustCompile(`(?i)\b(pass(word|code|phrase|wort)|kennwort|pin|code|secret|token|otp)\b`)

// answer notes how the native dialog of the step was answered.
func (s *Scribe) answer(d *draft, e *Entry) {
	for i, dialog := range d.signals.Dialogs {
		if i >= len(d.answers) || dialog.Kind == "alert" {
			continue
		}
		a := d.answers[i]
		if !a.Accept || dialog.Kind != "prompt" {
			a.Text = ""
		} else if a.Text != "" && secretWords.MatchString(dialog.Message) {
			a.Text, e.Comment = "", "the answer to the prompt is not written down: it seems to be a secret"
		}
		if e.Step.Action.Dialog != nil && *e.Step.Action.Dialog != a {
			e.Comment = "more than one dialog was answered, each in another way; a step has one answer"
		}
		e.Step.Action.Dialog = &a
	}
}

// scrolled writes a scroll down that a step needs: what it acts on was not there before.
func (s *Scribe) scrolled(wheel *Hand, d *draft, l deed.Locator) {
	if wheel.Before == nil || wheel.Tab != d.tab || wheel.Before.Frames[0].Doc != d.before.Frames[0].Doc {
		return
	}
	if len(locate.Seen(wheel.Before, l)) > 0 {
		return
	}
	region := ""
	if around := nodesOf(wheel.Before, wheel.Frame, wheel.Path); len(around) > 0 {
		n := &wheel.Before.Nodes[around[0]]
		if region = n.Region; n.Container {
			region = n.Label()
		}
	}
	a := deed.Action{Kind: deed.KindScroll, Locator: l}
	if region != "" {
		a.Scroll = &deed.Scroll{Region: region}
	}
	s.entries = append(s.entries, Entry{Step: deed.Step{Action: a}})
}

// revealed writes a hover down where what is clicked only shows while the pointer is on what it stands in.
func (s *Scribe) revealed(down *Hand, d *draft) {
	if d.target < 0 || s.wheel != nil || d.node().Unseen {
		return
	}
	for k := len(s.looks) - 1; k >= 0; k-- {
		l := &s.looks[k]
		nodes := nodesOf(l.Snapshot, down.Frame, down.Path)
		around := slices.IndexFunc(nodes, func(i int) bool { return hoverable(l.Snapshot, i, d.element) })
		if around < 0 {
			continue
		}
		at := nodes[around]
		if l.Over[deed.NodeID{Frame: down.Frame, Element: l.Snapshot.Nodes[at].Element}] {
			continue // the pointer was there already
		}
		if slices.ContainsFunc(nodes, func(i int) bool { return l.Snapshot.Nodes[i].Element == d.element && !l.Snapshot.Nodes[i].Unseen }) {
			return // it can be seen without
		}
		i := nodesOf(d.before, down.Frame, []int64{l.Snapshot.Nodes[at].Element})
		if len(i) == 0 {
			return
		}
		loc, ok := locate.Shortest(l.Snapshot, at)
		if !ok {
			return
		}
		e := Entry{Step: deed.Step{Action: deed.Action{Kind: deed.KindHover, Locator: loc}}}
		n := d.node()
		x := deed.Expect{Kind: deed.ExpectAppears, Locator: deed.Find(n.Role, n.Name)}
		if n.Name != "" && s.holds(l.Snapshot, d.before, nil, &x) {
			e.Step.Action.Expect = []deed.Expect{x}
		}
		s.entries = append(s.entries, e)
		return
	}
}

// hoverable reports whether a node is what a person points at to see what is in it.
func hoverable(s *deed.Snapshot, i int, target int64) bool {
	n := &s.Nodes[i]
	return n.Element != target && !n.Unseen && slices.Contains([]string{"listitem", "row", "article", "treeitem", "menuitem", "button", "link", "figure"}, n.Role)
}

// siblings are the nodes that stand beside node i in what holds them, of its role, in order.
func siblings(s *deed.Snapshot, i int) []int {
	var out []int
	for k := range s.Nodes {
		if s.Nodes[k].Parent == s.Nodes[i].Parent && s.Nodes[k].Role == s.Nodes[i].Role {
			out = append(out, k)
		}
	}
	return out
}

func names(s *deed.Snapshot, at []int) []string {
	var out []string
	for _, i := range at {
		out = append(out, s.Nodes[i].Name)
	}
	return out
}

// reordered reports whether the dragged item stands in another place among its siblings.
func (s *Scribe) reordered(d *draft) bool {
	i := d.now()
	return i >= 0 && !slices.Equal(names(d.before, siblings(d.before, d.target)), names(d.after, siblings(d.after, i)))
}

// where says where a dragged item went, by where it stands now; where it does not show that, by what it was let go on.
func (s *Scribe) where(d *draft, a *deed.Action) bool {
	if i := d.now(); i >= 0 && s.reordered(d) {
		in := siblings(d.after, i)
		k := slices.Index(in, i)
		unique := func(j int) string {
			name := d.after.Nodes[in[j]].Name
			if name == "" || len(locate.Seen(d.after, deed.Find(d.after.Nodes[in[j]].Role, name))) != 1 {
				return ""
			}
			return name
		}
		if k > 0 && unique(k-1) != "" {
			a.Drop = &deed.Drop{After: unique(k - 1)}
			return true
		}
		if k+1 < len(in) && unique(k+1) != "" {
			a.Drop = &deed.Drop{Before: unique(k + 1)}
			return true
		}
		if r := d.after.Nodes[i].Region; r != "" {
			a.Drop = &deed.Drop{In: r}
			return true
		}
	}
	for _, i := range nodesOf(d.before, d.frame, d.drop) {
		n := &d.before.Nodes[i]
		if n.Element == d.element {
			continue
		}
		if n.Container {
			a.Drop = &deed.Drop{In: n.Label()}
			return true
		}
		if l, ok := locate.Shortest(d.before, i); ok && n.Name != "" && n.Role != "text" {
			a.Drop = &deed.Drop{To: l}
			return true
		}
	}
	return false
}
