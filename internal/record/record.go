// Package record turns what a person does in a browser into a case: what their hand did, as the page script heard it, and what the page
// looked like before and after, become steps with locators and with expectations from what was seen to change.
//
// Law of this package: the scribe is a pure function of what it is told: no browser, no clock. It invents nothing: every locator was
// tried on the page as it was when it was used, every expectation on the page before and after, and one that held before is none. What a
// sensitive field held is never told to it. Only the session knows tabs and the browser.
package record

import (
	"slices"
	"strings"
	"unicode"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
)

// A Hand is one thing that a person's hand did in a tab.
type Hand struct {
	Tab     int
	Type    string // down, up, click, drag, key, edit, value, select, files, wheel
	Frame   string
	Path    []int64 // elements: what received it and what is around it, innermost first
	Over    []int64 // drag: the same of where it was let go
	Key     string
	Value   string
	Secret  bool
	How     string
	Options []string
	Files   []string
	Count   int // click: 0 is one that a key made
	Button  int

	// Where a gesture begins: the page as it was at that instant, and what had happened beside the content since the one before.
	Before  *deed.Snapshot
	Signals deed.Signals
	Answers []deed.Answer

	up bool // down: it was let go, and nothing has come of it that is told
}

// A Look is a tab some time after what a hand did.
type Look struct {
	Tab      int
	Snapshot *deed.Snapshot
	Signals  deed.Signals
	Answers  []deed.Answer
	Rested   bool
	InFlight int                  // requests of the gesture without an answer
	Over     map[deed.NodeID]bool // elements under the pointer
	Idle     bool                 // nobody acts: what is new is the page's own doing
}

// An Entry is a step of the case, or a remark about what was left out.
type Entry struct {
	Step    deed.Step
	Comment string // above the step, or alone where the step does nothing
}

// IsStep reports whether the entry is a step.
func (e *Entry) IsStep() bool { return e.Step.Action.Kind != "" }

// draft is a step that may still change.
type draft struct {
	a       deed.Action
	tab     int
	frame   string
	element int64 // of the target
	target  int   // its index in before; -1 for none
	before  *deed.Snapshot
	after   *deed.Snapshot // nil while nothing was seen
	signals deed.Signals
	answers []deed.Answer
	first   *deed.Snapshot // where something of it was seen first, at rest
	over    bool           // another gesture began: what comes now is not of this one
	drop    []int64        // drag: where it was let go
	wheel   *Hand          // it was scrolled before
	press   bool           // no click came of the press
}

// A Scribe writes steps down. Feed it in order.
type Scribe struct {
	entries []Entry
	cur     *draft
	down    *Hand // the press that has not become a click
	edit    *Hand // the field that is about to be edited
	tab     int
	titles  map[int]string
	urls    map[int]string
	looks   []Look // since the last gesture, for what hovering shows
	wheel   *Hand
	last    map[int]*deed.Snapshot
	noise   noise
	secrets []string // names, in order
	named   map[string]string
	origins []string
	pending []*written
}

// written is a step with more expectations than will be kept: which of them are noise may be known only later.
type written struct {
	entry   int
	choices []choice
	limit   int
}

// NewScribe returns a scribe that has written nothing.
func NewScribe() *Scribe {
	return &Scribe{titles: map[int]string{}, urls: map[int]string{}, last: map[int]*deed.Snapshot{}, named: map[string]string{}, noise: noise{}}
}

// Hand takes in what a hand did.
func (s *Scribe) Hand(h Hand) {
	if h.Before != nil {
		if h.Type != "wheel" {
			s.pressed()
		}
		s.closes(&h)
		s.saw(h.Tab, h.Before)
		if h.Type != "wheel" && h.Tab != s.tab {
			s.flush()
			s.switchTo(h.Tab)
		}
	}
	switch h.Type {
	case "down":
		s.down, s.edit = &h, nil
	case "up":
		if s.down != nil {
			s.down.up = true
		}
	case "click":
		s.click(&h)
	case "key":
		s.down, s.edit = nil, nil
		s.key(&h)
	case "edit":
		s.edit = &h
	case "value":
		s.value(&h)
	case "select":
		s.chosen(&h)
	case "files":
		s.files(&h)
	case "drag":
		s.dragged(&h)
	case "wheel":
		if s.wheel == nil {
			s.wheel = &h
		}
	}
	switch h.Type {
	case "click", "key", "value", "select", "files", "drag":
		s.wheel, s.looks = nil, nil
	}
}

// pressed makes a click of a press after which none came: it took away what was pressed, such as an option that commits at once.
func (s *Scribe) pressed() {
	down := s.down
	if down == nil || !down.up || down.Before == nil {
		return
	}
	s.down = nil
	if down.Button != 0 {
		return
	}
	d := s.draftOn(down, targetOf(down.Before, down.Frame, down.Path))
	d.a.Kind, d.press = deed.KindClick, true
	if s.takes(d) {
		return
	}
	s.flush()
	s.cur = d
}

// Meanwhile takes in what has happened in a tab beside its content when something is done in another.
func (s *Scribe) Meanwhile(tab int, sig deed.Signals, answers []deed.Answer) {
	if d := s.cur; d != nil && d.tab == tab && !d.over {
		d.merge(sig, answers)
	}
}

// closes ends the effects of the gesture before: another one begins.
func (s *Scribe) closes(h *Hand) {
	d := s.cur
	if d == nil || d.over || h.Type == "wheel" {
		return
	}
	if h.Tab == d.tab && d.first == nil { // they were quicker than the page
		d.after = h.Before
		d.merge(h.Signals, h.Answers)
	}
	d.over = true
}

// merge takes in signals, which only ever grow within an act.
func (d *draft) merge(sig deed.Signals, answers []deed.Answer) {
	d.signals = sig
	if len(answers) > 0 {
		d.answers = answers
	}
}

// Look takes in how a tab is now.
func (s *Scribe) Look(l Look) {
	if l.Snapshot == nil {
		return
	}
	s.pressed()
	// What changes while nobody acts, or again once what came of a gesture has been seen, the page does by itself.
	seen := s.cur != nil && !s.cur.over && s.cur.tab == l.Tab && s.cur.first != nil
	if before := s.last[l.Tab]; before != nil && (l.Idle || seen) {
		s.noise.learn(before, l.Snapshot)
	}
	s.saw(l.Tab, l.Snapshot)
	if l.Tab == s.tab {
		s.looks = append(s.looks, l)
		if len(s.looks) > 20 {
			s.looks = s.looks[1:]
		}
	}
	d := s.cur
	if d == nil || d.over || d.tab != l.Tab || l.Idle {
		return
	}
	d.after = l.Snapshot
	d.merge(l.Signals, l.Answers)
	if d.first == nil && l.Rested && l.InFlight == 0 && s.effects(d) {
		d.first = l.Snapshot
	}
}

// Done reports whether what came of the last gesture has been seen.
func (s *Scribe) Done() bool { return s.cur == nil || s.cur.first != nil || s.cur.over }

func (s *Scribe) saw(tab int, snap *deed.Snapshot) {
	s.last[tab] = snap
	s.titles[tab], s.urls[tab] = snap.Title, snap.URL
	s.origin(snap.URL)
}

// click makes a step of a press that became a click, or of a click that a key made.
func (s *Scribe) click(h *Hand) {
	if h.Count == 0 { // a key made it: it is a click in the key's place, or what Enter in a field does anyway
		if d := s.cur; d != nil && d.a.Kind == deed.KindPress && d.first == nil && d.before != nil && d.frame == h.Frame {
			if i := targetOf(d.before, h.Frame, h.Path); i >= 0 && (d.element == d.before.Nodes[i].Element || d.before.Nodes[i].Role == "radio") {
				d.a = deed.Action{Kind: deed.KindClick}
				d.target, d.element = i, d.before.Nodes[i].Element
			}
		}
		return
	}
	down := s.down
	s.down = nil
	if down == nil || down.Before == nil {
		return
	}
	i := targetOf(down.Before, h.Frame, h.Path)
	if i < 0 {
		i = targetOf(down.Before, down.Frame, down.Path)
	}
	d := s.draftOn(down, i)
	d.a.Kind = deed.KindClick
	switch {
	case h.Button != 0:
		s.flush()
		name := "with the right button"
		if h.Button == 1 {
			name = "with the middle button"
		}
		s.remark("a click %s on %s: a case has no word for it", name, d.who())
		return
	case h.Count >= 2 && s.cur != nil && s.cur.a.Kind == deed.KindClick && s.cur.element == d.element && s.cur.frame == d.frame:
		before := s.cur
		before.a.Kind, before.over, before.first = deed.KindDblclick, false, nil
		return
	}
	if c := s.cur; c != nil && c.frame == d.frame && c.element == d.element && c.tab == d.tab && (c.a.Kind == deed.KindFill || c.a.Kind == deed.KindSelect || c.a.Kind == deed.KindUpload) && !d.lists() {
		c.over = false // a click into the field that was just used
		return
	}
	if c := s.cur; c != nil && c.a.Kind == deed.KindSelect && c.frame == h.Frame && slices.Contains(h.Path, c.element) {
		c.over = false // it is the click by which the option was chosen
		return
	}
	if s.takes(d) {
		return
	}
	s.flush()
	s.revealed(down, d)
	s.cur = d
}

// key makes a step of a key.
func (s *Scribe) key(h *Hand) {
	if h.Before == nil {
		return
	}
	d := s.draftOn(h, targetOf(h.Before, h.Frame, h.Path))
	s.flush()
	d.a.Kind, d.a.Key = deed.KindPress, h.Key
	switch h.Key {
	case "F5", "Control+R", "Meta+R", "Control+r", "Meta+r":
		d.a, d.target, d.element = deed.Action{Kind: deed.KindReload}, -1, 0
	case "Alt+ArrowLeft":
		d.a, d.target, d.element = deed.Action{Kind: deed.KindBack}, -1, 0
	case "Alt+ArrowRight":
		d.a, d.target, d.element = deed.Action{Kind: deed.KindForward}, -1, 0
	}
	s.cur = d
}

// value makes or goes on with a step that fills a field.
func (s *Scribe) value(h *Hand) {
	if len(h.Path) == 0 {
		return
	}
	field := h.Path[0]
	if c := s.cur; c != nil && c.a.Kind == deed.KindPress && c.a.Key == "Enter" && c.element == field && c.frame == h.Frame && strings.HasPrefix(h.How, "insert") && strings.ContainsAny(h.How, "LP") {
		s.cur = nil // the key put a line break in
		if n := len(s.entries); n > 0 && s.entries[n-1].Step.Action.Kind == deed.KindFill && s.reopen(c) {
			s.fill(s.cur, h)
			return
		}
		s.cur = c
		c.a = deed.Action{Kind: deed.KindFill}
		s.fill(c, h)
		return
	}
	if c := s.cur; c != nil && c.a.Kind == deed.KindFill && c.element == field && c.frame == h.Frame && c.tab == h.Tab {
		s.fill(c, h)
		return
	}
	from := s.edit
	if from == nil || from.Before == nil || len(from.Path) == 0 || from.Path[0] != field {
		from = s.down
	}
	if from == nil || from.Before == nil || from.Frame != h.Frame {
		if s.last[h.Tab] == nil {
			return
		}
		from = &Hand{Tab: h.Tab, Frame: h.Frame, Before: s.last[h.Tab]}
	}
	i := targetOf(from.Before, h.Frame, h.Path[:1])
	if i < 0 {
		i = targetOf(from.Before, from.Frame, from.Path)
	}
	s.flush()
	d := s.draftOn(from, i)
	d.element = field
	d.a.Kind = deed.KindFill
	s.fill(d, h)
	s.cur = d
}

// fill notes what the field of a draft holds now.
func (s *Scribe) fill(d *draft, h *Hand) {
	d.over, d.first = false, nil
	if h.Secret {
		d.a.Secret = s.secretName(d)
		d.a.Text = ""
		return
	}
	d.a.Text = h.Value
}

// reopen takes the last fill of the same field up again.
func (s *Scribe) reopen(c *draft) bool {
	if len(s.pending) == 0 {
		return false
	}
	w := s.pending[len(s.pending)-1]
	if w.entry != len(s.entries)-1 || w.entry < 0 {
		return false
	}
	last := s.entries[w.entry].Step.Action
	l, ok := locate.Shortest(c.before, c.target)
	if !ok || l != last.Locator {
		return false
	}
	s.entries, s.pending = s.entries[:w.entry], s.pending[:len(s.pending)-1]
	c.a = deed.Action{Kind: deed.KindFill}
	s.cur = c
	return true
}

// chosen makes a step of a choice in a native select.
func (s *Scribe) chosen(h *Hand) {
	from := s.edit
	if from == nil || from.Before == nil || len(from.Path) == 0 || from.Path[0] != h.Path[0] {
		from = s.down
	}
	if c := s.cur; c != nil && c.element == h.Path[0] && c.frame == h.Frame && (c.a.Kind == deed.KindSelect || c.a.Kind == deed.KindClick) {
		c.a = deed.Action{Kind: deed.KindSelect, Options: h.Options}
		c.over, c.first = false, nil
		return
	}
	if from == nil || from.Before == nil {
		if s.last[h.Tab] == nil {
			return
		}
		from = &Hand{Tab: h.Tab, Frame: h.Frame, Path: h.Path, Before: s.last[h.Tab]}
	}
	s.flush()
	d := s.draftOn(from, targetOf(from.Before, h.Frame, h.Path))
	d.a = deed.Action{Kind: deed.KindSelect, Options: h.Options}
	s.cur = d
}

// files makes a step of files that were given to an input, by its own chooser or by one that a click opened.
func (s *Scribe) files(h *Hand) {
	before, from := s.last[h.Tab], s.cur
	if from != nil && from.a.Kind != deed.KindClick {
		from = nil
	}
	if from == nil && s.down != nil && s.down.Before != nil {
		from = s.draftOn(s.down, targetOf(s.down.Before, s.down.Frame, s.down.Path))
	}
	if from != nil {
		before = from.before
	}
	if before == nil {
		return
	}
	i := targetOf(before, h.Frame, h.Path)
	if i >= 0 && before.Nodes[i].Unseen || i < 0 {
		if from == nil {
			return
		}
		i = from.target
	}
	if s.cur != from || from == nil {
		s.flush()
	}
	d := s.draftOn(&Hand{Tab: h.Tab, Frame: h.Frame, Before: before}, i)
	d.a = deed.Action{Kind: deed.KindUpload, Files: h.Files}
	s.cur = d
}

// dragged makes a step of something that was dragged. Where to is told by what became of it.
func (s *Scribe) dragged(h *Hand) {
	down := s.down
	s.down = nil
	if down == nil || down.Before == nil {
		return
	}
	i := itemOf(down.Before, down.Frame, down.Path)
	if i < 0 {
		return
	}
	s.flush()
	d := s.draftOn(down, i)
	d.a.Kind = deed.KindDrag
	d.drop = h.Over
	s.cur = d
}

// draftOn begins a draft on a node of the page before a gesture.
func (s *Scribe) draftOn(h *Hand, i int) *draft {
	d := &draft{tab: h.Tab, frame: h.Frame, before: h.Before, target: i, wheel: s.wheel}
	if i >= 0 {
		d.element = h.Before.Nodes[i].Element
		f := &h.Before.Frames[h.Before.Nodes[i].Frame]
		d.frame = f.ID
		s.origin(f.URL)
	}
	return d
}

// who names the target for a remark.
func (d *draft) who() string {
	if d.target < 0 {
		return "the page"
	}
	return d.before.Nodes[d.target].String()
}

// node is the target as it was before.
func (d *draft) node() *deed.Node {
	if d.target < 0 {
		return &deed.Node{}
	}
	return &d.before.Nodes[d.target]
}

// lists reports whether a click on the target opens something although it is a field.
func (d *draft) lists() bool { return d.node().Role == "combobox" }

// takes makes one choice of the click that opened the page's own list and of the one that takes an option of it.
func (s *Scribe) takes(d *draft) bool {
	c := s.cur
	if c == nil || !c.opens(d) {
		return false
	}
	c.a = deed.Action{Kind: deed.KindSelect, Options: []string{d.node().Name}}
	c.over, c.first = false, nil
	return true
}

// opens reports whether the draft opened the page's own list, of which the next click takes an option.
func (d *draft) opens(next *draft) bool {
	o := next.node()
	if d.a.Kind != deed.KindClick || d.target < 0 || o.Role != "option" || o.Name == "" || d.tab != next.tab {
		return false
	}
	return d.node().Role == "combobox"
}

// switchTo goes on in another tab.
func (s *Scribe) switchTo(tab int) {
	s.tab = tab
	text := s.titles[tab]
	if text == "" || strings.HasPrefix(text, "http") {
		text = globOf(s.urls[tab], false)
	}
	s.entries = append(s.entries, Entry{Step: deed.Step{Action: deed.Action{Kind: deed.KindTab, Tab: "switch", Text: text}}})
}

// Closed notes that a tab was closed, by the person or by itself; last is the tab that goes on.
func (s *Scribe) Closed(tab, last int) {
	if tab != s.tab {
		return
	}
	itself := s.cur != nil && s.cur.tab == tab && !s.cur.over && s.cur.first == nil
	s.flush()
	if itself {
		s.tab = -1 // whatever comes next comes from another tab
		return
	}
	s.tab = last
	s.entries = append(s.entries, Entry{Step: deed.Step{Action: deed.Action{Kind: deed.KindTab, Tab: "close"}}})
}

// Goto notes an address that was typed into the browser.
func (s *Scribe) Goto(tab int, url string) {
	s.flush()
	if tab != s.tab {
		s.tab = tab
		s.entries = append(s.entries, Entry{Step: deed.Step{Action: deed.Action{Kind: deed.KindTab, Tab: "open", Text: url}}})
		return
	}
	s.entries = append(s.entries, Entry{Step: deed.Step{Action: deed.Action{Kind: deed.KindGoto, Text: url}}})
}

// Elsewhere notes that a tab shows another document although nobody did anything in it: the person went back or forward, or loaded it anew,
// by the window's own buttons, or the page went there by itself. Which it was nobody can tell, so it is no step.
func (s *Scribe) Elsewhere(url string, was bool) {
	s.flush()
	how := "by itself, or was loaded anew"
	if was {
		how = "by going back or forward"
	}
	s.remark("the page is %s now, %s: if that was you, write the step", path(url), how)
}

// actionable are roles that answer to a gesture themselves.
var actionable = []string{"button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
	"radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem", "columnheader"}

// nodesOf maps the elements of a path to nodes of the snapshot, in the order of the path.
func nodesOf(s *deed.Snapshot, frame string, path []int64) []int {
	at := make(map[int64]int, len(path))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Element != 0 && s.Frames[n.Frame].ID == frame && slices.Contains(path, n.Element) {
			if _, ok := at[n.Element]; !ok {
				at[n.Element] = i
			}
		}
	}
	var out []int
	for _, el := range path {
		if i, ok := at[el]; ok {
			out = append(out, i)
		}
	}
	return out
}

// targetOf is the node that a person means who points there: the innermost that answers to a gesture, else the innermost that says
// something and is no whole region. -1 for none.
func targetOf(s *deed.Snapshot, frame string, path []int64) int {
	nodes := nodesOf(s, frame, path)
	for _, i := range nodes {
		if slices.Contains(actionable, s.Nodes[i].Role) {
			return i
		}
	}
	for _, i := range nodes {
		if n := &s.Nodes[i]; n.Name != "" && (!n.Container || n.Role == "listitem") && n.Role != "document" {
			return i
		}
	}
	return -1
}

// itemOf is the node that is dragged: the item of a list, if there is one, else what a click would mean.
func itemOf(s *deed.Snapshot, frame string, path []int64) int {
	for _, i := range nodesOf(s, frame, path) {
		if slices.Contains([]string{"listitem", "row", "treeitem", "option", "article", "tab", "gridcell"}, s.Nodes[i].Role) {
			return i
		}
	}
	return targetOf(s, frame, path)
}

// secretName makes the name of a secret of what its field is called: one name for one field.
func (s *Scribe) secretName(d *draft) string {
	n := d.node()
	key := d.frame + "\x00" + n.Role + "\x00" + n.Name + "\x00" + n.Region
	if name := s.named[key]; name != "" {
		return name
	}
	name := constant(n.Name)
	if name == "" || n.Name == deed.Redacted {
		name = "SECRET"
	}
	base := name
	for i := 2; slices.Contains(s.secrets, name); i++ {
		name = base + "_" + string(rune('0'+i%10))
	}
	s.named[key] = name
	s.secrets = append(s.secrets, name)
	return name
}

// constant writes a label as the name of a variable: "Card number" is CARD_NUMBER.
func constant(label string) string {
	var b strings.Builder
	for _, r := range label {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(unicode.ToUpper(r))
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.Trim(b.String(), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return ""
	}
	if len(name) > 40 {
		name = strings.Trim(name[:40], "_")
	}
	return name
}
