package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

//go:embed faults.js
var faultScript string

// The faults, in the order of the table. Untouched and late are none of substance: there a refusal is the error.
const (
	untouched    = "untouched"
	late         = "effect late"
	neighbour    = "neighbour's handler"
	dropped      = "effect dropped"
	doubled      = "effect doubled"
	wrongValue   = "wrong value"
	wrongRow     = "wrong row"
	rollRequest  = "rollback, request failed"
	rollTimer    = "rollback, timer"
	overlay      = "overlay at pointerdown"
	rerender     = "re-render at mousedown"
	focusStolen  = "focus stolen"
	refusedAloud = "500, with a message"
	refusedMute  = "500, without a message"
)

// substantial are the faults after which the right effect is not to be expected.
var substantial = []string{neighbour, dropped, doubled, wrongValue, wrongRow, rollRequest, rollTimer, overlay, rerender, focusStolen, refusedAloud, refusedMute}

// foreignFaults can be done to a page that offers no way in.
var foreignFaults = []string{neighbour, dropped, doubled, wrongValue, overlay, rerender, focusStolen}

// fits reports whether a fault can happen to an act on a page of this style.
func fits(fault, style, via string) bool {
	asks := via == "fetch" || via == "optimistic"
	switch fault {
	case rollRequest:
		return via == "optimistic"
	case refusedAloud, refusedMute:
		return asks
	case wrongRow:
		return slices.Contains([]string{"shop", "table", "toggles", "radios", "fields", "dialogs", "counters", "follow", "expanders"}, style)
	case wrongValue:
		return slices.Contains([]string{"fields", "form", "shop", "table", "counters", "tabs", "dialogs", "toggles", "select"}, style)
	case rerender:
		return slices.Contains([]string{"shop", "table", "toggles", "dialogs", "counters", "follow"}, style)
	case focusStolen:
		return style == "fields"
	}
	return true
}

// harm is how a fault is brought about: in the page's own table of hooks, by events, at the server.
type harm struct {
	hooks  map[string]any
	events map[string]any
	refuse bool
	delay  time.Duration // at the server
}

func milliseconds(r *rand.Rand, from, to int) int { return from + r.IntN(to-from+1) }

var messages = []string{"Something went wrong", "Could not be saved, try again later", "Error 500: the server did not answer as it should", "Das hat nicht geklappt: Serverfehler"}

// harmMade is a fault of a page of our own.
func harmMade(r *rand.Rand, fault string, m *made) harm {
	h := harm{hooks: map[string]any{}}
	switch fault {
	case late:
		ms := milliseconds(r, 300, 2900)
		if m.spec.Via == "fetch" && r.IntN(2) == 0 {
			h.delay = time.Duration(ms) * time.Millisecond
		} else {
			h.hooks["delay"] = ms
		}
	case neighbour:
		h.hooks["route"] = "neighbour"
	case dropped:
		h.hooks["route"] = "dropped"
	case doubled:
		h.hooks["route"] = "doubled"
	case wrongValue:
		h.hooks["route"] = "wrong"
	case wrongRow:
		h.hooks["route"], h.hooks["lie"] = "far", r.IntN(2) == 0
	case rollRequest, refusedAloud, refusedMute:
		h.refuse = true
		if fault == refusedAloud || fault == rollRequest && r.IntN(2) == 0 {
			h.hooks["message"] = messages[r.IntN(len(messages))]
		}
		h.hooks["keep"] = fault != rollRequest && r.IntN(2) == 0
		h.delay = time.Duration(milliseconds(r, 0, 1500)) * time.Millisecond
	case rollTimer:
		h.hooks["back"] = milliseconds(r, 100, 2900)
	default:
		h.events = eventFault(r, fault)
	}
	return h
}

// eventFault is a fault that comes from listeners, on any page.
func eventFault(r *rand.Rand, fault string) map[string]any {
	switch fault {
	case late:
		return map[string]any{"kind": "late", "ms": milliseconds(r, 300, 2900)}
	case neighbour:
		return map[string]any{"kind": "neighbour"}
	case dropped:
		return map[string]any{"kind": "dropped"}
	case doubled:
		return map[string]any{"kind": "doubled"}
	case wrongValue:
		return map[string]any{"kind": "wrong"}
	case overlay:
		return map[string]any{"kind": "overlay", "ms": milliseconds(r, 100, 1500)}
	case rerender:
		return map[string]any{"kind": "rerender", "how": pick(r, "move", "replace", "recycle"), "at": pick(r, "mousedown", "pointerdown")}
	case focusStolen:
		return map[string]any{"kind": "focus", "at": pick(r, "focus", "keydown", "input", "beforeinput")}
	}
	return nil
}

// script breaks the page.
func (h *harm) script() string {
	js := ""
	if len(h.hooks) > 0 {
		js += fmt.Sprintf("__truth.break(%s);", literal(h.hooks))
	}
	if h.events != nil {
		js += fmt.Sprintf("%s(%s);", faultScript, literal(h.events))
	}
	return js
}

// literal is v as the page writes it, too.
func literal(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // plain data
	}
	return strings.TrimSuffix(b.String(), "\n")
}
