package page

import (
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/deed-dev/deed"
)

var modifiers = map[string]int64{"Alt": 1, "Control": 2, "Ctrl": 2, "Meta": 4, "Command": 4, "Shift": 8}

// keyNames maps the DOM names of keys (Enter, ArrowDown, F5, a) to what Chromium needs to press them.
var keyNames = sync.OnceValue(func() map[string]*kb.Key {
	m := map[string]*kb.Key{"Space": kb.Keys[' '], "Esc": kb.Keys['\x1b'], "Return": kb.Keys['\r']}
	for r, k := range kb.Keys {
		if r == '\n' {
			continue
		}
		if old := m[k.Key]; old == nil || old.Code > k.Code && len(k.Key) > 1 {
			m[k.Key] = k
		}
	}
	return m
})

// parseKey reads a key as cases write it: Enter, ArrowDown, a, Control+A.
func parseKey(s string) ([]input.DispatchKeyEventParams, error) {
	parts := strings.Split(s, "+")
	if strings.HasSuffix(s, "++") || s == "+" {
		parts = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(s, "+"), "+"), "+"), "+")
		if s == "+" {
			parts = []string{"+"}
		}
	}
	name := parts[len(parts)-1]
	var mod int64
	for _, m := range parts[:len(parts)-1] {
		bit, ok := modifiers[m]
		if !ok {
			return nil, badKey(s, fmt.Sprintf("unknown modifier %q", m), "")
		}
		mod |= bit
	}
	if mod&^modifiers["Shift"] != 0 && mod&modifiers["Shift"] == 0 && len(name) == 1 {
		name = strings.ToLower(name) // Control+A is the key of the letter: nobody presses Shift for it
	}
	k := keyNames()[name]
	if k == nil {
		names := make([]string, 0, 200)
		for n := range keyNames() {
			if len(n) > 1 {
				names = append(names, n)
			}
		}
		return nil, badKey(s, "no such key", deed.Suggest(name, names))
	}
	if k.Shift {
		mod |= modifiers["Shift"]
	}
	down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k.Key, Code: k.Code, Modifiers: mod,
		WindowsVirtualKeyCode: k.Windows, NativeVirtualKeyCode: k.Native}
	up := down
	up.Type = input.DispatchKeyEventTypeKeyUp
	if k.Print && mod&^modifiers["Shift"] == 0 {
		down.Text, down.UnmodifiedText = k.Text, k.Unmodified
	} else {
		down.Type = input.DispatchKeyEventTypeRawKeyDown
	}
	return []input.DispatchKeyEventParams{down, up}, nil
}

func badKey(key, why, near string) error {
	e := &deed.Error{Op: "press", Code: deed.CodeInvalid, Where: key, Err: fmt.Errorf("%s", why), SideEffects: deed.EffectsNone}
	if near != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return e
}

type stroke struct {
	method string
	params any
}

// typeRune types one character: by its key where a keyboard has one, else as inserted text.
func typeRune(r rune) []stroke {
	name := string(r)
	if r == '\n' {
		name = "Enter"
	}
	if r == '\t' {
		name = "Tab"
	}
	if k := keyNames()[name]; k != nil {
		keys, err := parseKeyNamed(k)
		if err == nil {
			out := make([]stroke, len(keys))
			for i := range keys {
				out[i] = stroke{input.CommandDispatchKeyEvent, keys[i]}
			}
			return out
		}
	}
	return []stroke{{input.CommandInsertText, input.InsertTextParams{Text: string(r)}}}
}

func parseKeyNamed(k *kb.Key) ([]input.DispatchKeyEventParams, error) {
	if k.Key == "+" {
		return parseKey("+")
	}
	return parseKey(k.Key)
}

// CheckKey reports a key that cannot be pressed, as [deed.CodeInvalid] with a suggestion.
func CheckKey(s string) error {
	_, err := parseKey(s)
	return err
}
