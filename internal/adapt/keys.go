package adapt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deed-dev/deed/internal/strictjson"
)

// modifiers, by the names that providers use, in lower case.
var modifiers = map[string]string{
	"ctrl": "Control", "control": "Control", "control_l": "Control", "control_r": "Control",
	"alt": "Alt", "option": "Alt", "alt_l": "Alt", "alt_r": "Alt",
	"shift": "Shift", "shift_l": "Shift", "shift_r": "Shift",
	"meta": "Meta", "cmd": "Meta", "command": "Meta", "super": "Meta", "win": "Meta", "super_l": "Meta", "super_r": "Meta",
}

// named keys, by the names that providers use (the DOM's, X11's, and what models write), in lower case.
var named = map[string]string{
	"enter": "Enter", "return": "Enter", "kp_enter": "Enter", "tab": "Tab", "escape": "Escape", "esc": "Escape", "space": "Space", "backspace": "Backspace",
	"delete": "Delete", "del": "Delete", "insert": "Insert", "home": "Home", "end": "End",
	"pageup": "PageUp", "page_up": "PageUp", "prior": "PageUp", "pagedown": "PageDown", "page_down": "PageDown", "next": "PageDown",
	"arrowup": "ArrowUp", "up": "ArrowUp", "arrowdown": "ArrowDown", "down": "ArrowDown", "arrowleft": "ArrowLeft", "left": "ArrowLeft",
	"arrowright": "ArrowRight", "right": "ArrowRight", "plus": "+", "minus": "-",
	"f1": "F1", "f2": "F2", "f3": "F3", "f4": "F4", "f5": "F5", "f6": "F6", "f7": "F7", "f8": "F8", "f9": "F9", "f10": "F10", "f11": "F11", "f12": "F12",
}

// combination makes one key press of a list of keys: modifiers, and one key at the end.
func combination(n strictjson.Node, keys []string) string {
	if n.Failed() {
		return ""
	}
	if len(keys) == 0 {
		n.Fail("no key")
		return ""
	}
	var mods []string
	shift := false
	for _, k := range keys[:len(keys)-1] {
		m, ok := modifiers[strings.ToLower(k)]
		if !ok {
			n.Fail("more than modifiers before the last key, or an unknown one")
			return ""
		}
		mods = append(mods, m)
		shift = shift || m == "Shift"
	}
	last := keys[len(keys)-1]
	if _, ok := modifiers[strings.ToLower(last)]; ok {
		n.Fail("a modifier alone")
		return ""
	}
	key, ok := named[strings.ToLower(last)]
	if !ok {
		r, size := utf8.DecodeRuneInString(last)
		if size != len(last) || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) {
			n.Fail("an unknown key")
			return ""
		}
		key = last
		// A letter of a combination names the key, whatever its case: CTRL and A are pressed, and no Shift with them.
		switch {
		case len(mods) > 0 && shift:
			key = strings.ToUpper(last)
		case len(mods) > 0:
			key = strings.ToLower(last)
		}
	}
	return strings.Join(append(mods, key), "+")
}

// chord splits ctrl+s, as X11 tools and the DOM write it; a plus sign at the end is the key itself.
func chord(s string) []string {
	if s == "+" {
		return []string{"+"}
	}
	if rest, ok := strings.CutSuffix(s, "++"); ok {
		return append(strings.Split(rest, "+"), "+")
	}
	return strings.Split(s, "+")
}
