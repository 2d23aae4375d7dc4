package casefile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/deed-dev/deed"
)

// modifiers may stand before a key, each with a plus sign.
var modifiers = []string{"Alt", "Command", "Control", "Ctrl", "Meta", "Shift"}

// namedKeys are the keys that have a name in UI Events KeyboardEvent key Values and can change a page, and three that people write.
var namedKeys = []string{
	"ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "Backspace", "CapsLock", "Clear", "ContextMenu",
	"Copy", "Cut", "Delete", "End", "Enter", "Esc", "Escape", "F1", "F10", "F11", "F12", "F2", "F3", "F4", "F5", "F6", "F7",
	"F8", "F9", "Find", "Help", "Home", "Insert", "NumLock", "PageDown", "PageUp", "Paste", "Pause", "PrintScreen",
	"Redo", "Return", "ScrollLock", "Select", "Space", "Tab", "Undo",
}

// nicknames are what people call keys that have another name.
var nicknames = map[string]string{
	"cmd": "Meta", "win": "Meta", "option": "Alt", "opt": "Alt",
	"del": "Delete", "ins": "Insert", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"pgup": "PageUp", "pgdn": "PageDown", "spacebar": "Space",
}

// nearestKey proposes the name that was meant.
func nearestKey(s string, names []string) string {
	if name := nicknames[strings.ToLower(s)]; slices.Contains(names, name) {
		return name
	}
	return deed.Suggest(s, names)
}

// knownKey reports whether a keyboard has the key: Enter, a, Control+A. The hint names the nearest one.
func knownKey(text string) (hint string, ok bool) {
	key := text
	for {
		i := strings.IndexByte(key, '+')
		if i <= 0 || i == len(key)-1 {
			break
		}
		if m := key[:i]; !slices.Contains(modifiers, m) {
			if s := nearestKey(m, modifiers); s != "" {
				return fmt.Sprintf("did you mean %q?", s+key[i:]), false
			}
			return "modifiers are " + strings.Join(modifiers, ", "), false
		}
		key = key[i+1:]
	}
	if utf8.RuneCountInString(key) == 1 || slices.Contains(namedKeys, key) || slices.Contains(modifiers, key) {
		return "", true
	}
	hint = "one character, or a name such as Enter, Escape, Tab, ArrowDown"
	if s := nearestKey(key, namedKeys); s != "" {
		hint = fmt.Sprintf("did you mean %q?", strings.TrimSuffix(text, key)+s)
	}
	return hint, false
}
