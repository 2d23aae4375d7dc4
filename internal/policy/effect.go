package policy

import (
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// An Effect is what an action amounts to on its element: a policy is asked about each of the kinds, and all must be allowed.
type Effect struct {
	Kinds     []deed.Kind // the action's own kind first
	Activates bool        // it does what a click on the element does
	Submits   bool        // it sends the form of the element
	Edits     bool        // it changes the text of the element
	Elsewhere []deed.Kind // it may do these to an element that is not known: Enter to the button of a form, a script to anything

	told bool // the element of Elsewhere is one that the facts name: the button of the form
}

// kinds are all there are; acts are those that a script can do to an element.
var (
	kinds = []deed.Kind{deed.KindGoto, deed.KindClick, deed.KindDblclick, deed.KindFill, deed.KindPress, deed.KindCheck, deed.KindUncheck,
		deed.KindSelect, deed.KindHover, deed.KindFocus, deed.KindClear, deed.KindType, deed.KindUpload, deed.KindDrag, deed.KindScroll,
		deed.KindBack, deed.KindForward, deed.KindReload, deed.KindTab, deed.KindShot, deed.KindWait, deed.KindExpect, deed.KindEval, deed.KindHTTP, deed.KindWatch}
	acts = []deed.Kind{deed.KindClick, deed.KindDblclick, deed.KindFill, deed.KindPress, deed.KindCheck, deed.KindUncheck, deed.KindSelect,
		deed.KindClear, deed.KindType, deed.KindUpload, deed.KindDrag}
)

func known(k deed.Kind) bool { return slices.Contains(kinds, k) }

// Effective says what an action amounts to on this element (nil is the page), so that a rule about one way holds for every other.
//
//   - dblclick, check, uncheck, select, drag and upload are a click on it;
//   - clear and type are a fill of it; type into what is no text field is a click on it; a line break in what is typed or filled is Enter;
//   - press of Enter or Space on what is no text field is a click on it; Enter in a field whose form it sends is that, and a click on it;
//     an arrow on what has a choice makes the choice; a character in a text field is a fill; Alt with a character may be an access key;
//   - http, a request of a case beside the browser, sends what a form would;
//   - goto and tab of a javascript: URL, and eval, may do anything to any element.
func Effective(a *deed.Action, el *deed.Node, f *deed.Facts) Effect {
	e := Effect{Kinds: []deed.Kind{a.Kind}}
	switch a.Kind {
	case deed.KindClick:
		e.Activates, e.Submits = true, f != nil && f.Submits && !holdsText(el)
	case deed.KindDblclick, deed.KindCheck, deed.KindUncheck, deed.KindSelect, deed.KindDrag, deed.KindUpload:
		e.add(deed.KindClick)
		e.Activates, e.Submits = true, f != nil && f.Submits && !holdsText(el)
	case deed.KindFill:
		e.Edits = true
		if breaksLine(a.Text) { // a field whose page listens to keys is filled with keys
			e.enter(el, f)
		}
	case deed.KindClear:
		e.add(deed.KindFill)
		e.Edits = true
	case deed.KindType:
		e.add(deed.KindFill)
		e.Edits = true
		if !textField(el) {
			e.activate(el)
		}
		if breaksLine(a.Text) {
			e.enter(el, f)
		}
	case deed.KindPress:
		e.press(a.Key, el, f)
	case deed.KindEval:
		e.Elsewhere = acts
	case deed.KindHTTP:
		e.Submits = true
	case deed.KindGoto, deed.KindTab:
		if script(a.Text) && !(a.Kind == deed.KindTab && a.Tab != "open") {
			e.add(deed.KindEval)
			e.Elsewhere = acts
		}
	}
	if a.Enter && (a.Kind == deed.KindFill || a.Kind == deed.KindType) {
		e.enter(el, f)
	}
	return e
}

func (e *Effect) add(k deed.Kind) {
	if !slices.Contains(e.Kinds, k) {
		e.Kinds = append(e.Kinds, k)
	}
}

func (e *Effect) activate(el *deed.Node) {
	e.add(deed.KindClick)
	e.Activates = true
	if el == nil {
		e.Elsewhere = []deed.Kind{deed.KindClick} // whatever has the focus
	}
}

// enter is Enter in, or on, the element.
func (e *Effect) enter(el *deed.Node, f *deed.Facts) {
	e.add(deed.KindPress)
	switch {
	case !textField(el):
		e.activate(el)
		if f != nil && f.Submits {
			e.Submits = true
		}
		if holdsText(el) || el != nil && el.Role != "button" && e.Submits {
			e.Elsewhere = []deed.Kind{deed.KindClick} // the option of its list, the button of its form
		}
	default:
		// A field without facts may send a form.
		if f != nil && !f.Submits {
			return
		}
		// The browser clicks the form's first button.
		e.add(deed.KindClick)
		e.Activates, e.Submits, e.Elsewhere, e.told = true, true, []deed.Kind{deed.KindClick}, f != nil
	}
}

func (e *Effect) press(key string, el *deed.Node, f *deed.Facts) {
	name, mods := split(key)
	if name == " " {
		name = "Space" // one key by two names
	}
	lower := strings.ToLower(name)
	letter := len([]rune(name)) == 1 || lower == "space"
	if lower == "enter" || lower == "return" || lower == "numpadenter" || name == "\r" || name == "\n" {
		e.enter(el, f)
		return
	}
	if lower == "space" && !textField(el) {
		e.activate(el)
		e.Submits = f != nil && f.Submits && !holdsText(el)
	}
	if (chooses(lower) || letter) && choice(el) {
		e.activate(el)
		e.Elsewhere = []deed.Kind{deed.KindClick} // the one beside it, or that begins so
	}
	if letter && slices.Contains(mods, "alt") {
		e.Elsewhere = []deed.Kind{deed.KindClick} // whose access key it is
	}
	if holdsText(el) && edits(lower, letter, mods) {
		e.add(deed.KindFill)
		e.Edits = true
	}
}

// split takes a key apart as `press` does: Control+A, +, Control++.
func split(key string) (name string, mods []string) {
	if key == "+" || strings.HasSuffix(key, "++") {
		name, key = "+", strings.TrimSuffix(strings.TrimSuffix(key, "+"), "+")
		if key == "" {
			return name, nil
		}
		return name, strings.Split(strings.ToLower(key), "+")
	}
	parts := strings.Split(key, "+")
	return parts[len(parts)-1], strings.Split(strings.ToLower(strings.Join(parts[:len(parts)-1], "+")), "+")
}

func chooses(key string) bool {
	switch key {
	case "arrowup", "arrowdown", "arrowleft", "arrowright", "home", "end", "pageup", "pagedown":
		return true
	}
	return false
}

// edits reports a key that changes the text of the field it is pressed in.
func edits(lower string, letter bool, mods []string) bool {
	command := slices.ContainsFunc(mods, func(m string) bool { return m == "control" || m == "ctrl" || m == "meta" || m == "command" })
	switch {
	case lower == "backspace" || lower == "delete" || lower == "insert":
		return true
	case command:
		return strings.Contains("vxzy", lower) && len(lower) == 1 // paste, cut, undo, redo
	case lower == "arrowup" || lower == "arrowdown" || lower == "pageup" || lower == "pagedown":
		return true // of a number, a date, a combobox
	}
	return letter
}

// textField reports an element in which letters are nothing but text: elsewhere a key may be a command.
func textField(el *deed.Node) bool {
	return el != nil && (el.Role == "textbox" || el.Role == "searchbox" || el.Role == "spinbutton")
}

// holdsText reports an element whose text keys may change; a combobox may be a field, or a list that letters choose in.
func holdsText(el *deed.Node) bool { return textField(el) || el != nil && el.Role == "combobox" }

// choice reports an element on which arrows and letters choose.
func choice(el *deed.Node) bool {
	if el == nil {
		return false
	}
	switch el.Role {
	case "radio", "radiogroup", "combobox", "listbox", "option", "slider", "spinbutton", "tab", "tablist", "menuitemradio", "menuitem", "menu",
		"menubar", "tree", "treeitem", "grid", "gridcell", "scrollbar":
		return true
	}
	return false
}

func breaksLine(s string) bool { return strings.ContainsAny(s, "\n\r") }

// interactive are the roles of what reacts to being pressed.
func interactive(role string) bool {
	switch role {
	case "button", "link", "checkbox", "radio", "switch", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "tab", "treeitem", "combobox",
		"listbox", "slider", "spinbutton", "textbox", "searchbox", "gridcell", "columnheader", "rowheader":
		return true
	}
	return false
}

// Reaches lists the nodes that a press at node target may activate beside it: those around it, to which the event bubbles, and those in
// it, one of which may lie where it is pressed. Nodes that cannot be reached are left out.
func Reaches(s *deed.Snapshot, target int) []int {
	if s == nil || target < 0 || target >= len(s.Nodes) {
		return nil
	}
	out := around(s, target)
	inside := make([]bool, len(s.Nodes)) // a node stands after the one around it
	inside[target] = true
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if i == target || n.Parent < 0 || n.Parent >= len(s.Nodes) || !inside[n.Parent] {
			continue
		}
		inside[i] = true
		if interactive(n.Role) && !n.Unseen && !n.Behind {
			out = append(out, i)
		}
	}
	return out
}

// around lists the interactive nodes around a node, the nearest first: what happens to it bubbles to them.
func around(s *deed.Snapshot, target int) []int {
	var out []int
	for p, n := s.Nodes[target].Parent, 0; p >= 0 && p < len(s.Nodes) && n < len(s.Nodes); p, n = s.Nodes[p].Parent, n+1 {
		if interactive(s.Nodes[p].Role) {
			out = append(out, p)
		}
	}
	return out
}
