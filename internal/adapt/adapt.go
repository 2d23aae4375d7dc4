// Package adapt turns what models and agents say in the forms of their makers (a computer call, a tool use, a function call, a
// tool call) into proposals.
//
// Law of this package: pure parsing of untrusted data, without I/O. What a call says is proposed exactly, or the call is
// refused: nothing is guessed, rounded or left out, and one part that cannot be said refuses the whole. What comes out passes the
// rules of internal/proposal. No error holds a name or a value that was submitted. A provider's wish that a person be asked is
// never lost: it becomes Proposal.Confirm.
package adapt

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/strictjson"
)

// The bounds of a call. A call is one step of a conversation; it is as large as a proposal may be.
var limits = strictjson.Limits{Bytes: proposal.MaxAction, Depth: 32, Values: 20_000}

const (
	maxID      = 256
	maxActions = 100
)

// A Display is what a model was shown, in CSS pixels of the viewport. Coordinates outside it are refused.
type Display struct {
	Width, Height int
}

func (d Display) ok() bool {
	return d.Width >= 1 && d.Width <= proposal.MaxPoint && d.Height >= 1 && d.Height <= proposal.MaxPoint
}

// A call collects what one call proposes.
type call struct {
	newID   func() string
	confirm string
	meta    map[string]any
	out     []deed.Proposal
}

// add proposes an action at the place n, which takes the blame where the action breaks the rules of proposals.
func (c *call) add(n strictjson.Node, a deed.Action, more ...any) {
	if n.Failed() {
		return
	}
	meta := map[string]any{}
	for k, v := range c.meta {
		meta[k] = v
	}
	for i := 0; i+1 < len(more); i += 2 {
		meta[more[i].(string)] = more[i+1]
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		n.Fail("cannot be proposed")
		return
	}
	p := deed.Proposal{ID: c.id(), Action: a, Confirm: c.confirm, Metadata: raw}
	// What is handed on is what reading it back gives: one way in for everything.
	wire, err := proposal.Encode(&p)
	if err != nil {
		n.Fail("says something that no action can be: too long, out of bounds, or against the rules of URLs, paths and texts")
		return
	}
	again, err := proposal.Decode(wire)
	if err != nil {
		n.Fail("cannot be proposed")
		return
	}
	c.out = append(c.out, *again)
}

func (c *call) id() string {
	if c.newID != nil {
		return c.newID()
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// none refuses a kind of call that deed has no action for.
func none(n strictjson.Node) { n.Fail("no action of deed does exactly this") }

// id takes an identifier.
func id(n strictjson.Node) string { return n.Text(strictjson.Text{Max: maxID}) }

// word takes the name of a tool or of an action; it is compared, and never shown.
func word(n strictjson.Node) string { return n.Text(strictjson.Text{Max: maxID, Empty: true}) }

// typed takes a text that is to be typed.
func typed(n strictjson.Node) string {
	return n.Text(strictjson.Text{Max: proposal.MaxText, Empty: true, Lines: true})
}

func text(n strictjson.Node) string { return n.Text(strictjson.Text{Max: proposal.MaxURL}) }

// only checks that an object has these keys and no others, all of them.
func only(n strictjson.Node, keys ...string) {
	if !n.Object(keys...) {
		return
	}
	for _, k := range keys {
		if !n.Has(k) {
			n.Get(k).Fail("missing")
		}
	}
}

// pixel takes one whole coordinate, below limit where there is one.
func pixel(n strictjson.Node, limit int) float64 {
	if limit <= 0 {
		limit = proposal.MaxPoint + 1
	}
	return float64(n.Int(0, limit-1))
}

// pause takes a number of seconds that is a whole number of milliseconds.
func pause(n strictjson.Node) time.Duration {
	s := n.Number(0, proposal.MaxWaitMS/1000)
	ms := math.Round(s * 1000)
	if math.Abs(s*1000-ms) > 1e-6 {
		n.Fail("no whole number of milliseconds")
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// ask joins what a provider wants a person to be asked; there is always something to read.
func ask(reasons []string) string {
	s := strings.Join(reasons, "; ")
	if r := []rune(s); len(r) > proposal.MaxName {
		s = string(r[:proposal.MaxName-1]) + "…"
	}
	return s
}

// reason takes a text for people out of an object, by the first of the keys that holds one.
func reason(n strictjson.Node, otherwise string, keys ...string) string {
	out := otherwise
	for i := len(keys) - 1; i >= 0; i-- {
		v := n.Maybe(keys[i])
		if !v.There() {
			continue
		}
		if s := v.Text(strictjson.Text{Max: proposal.MaxName, Empty: true, Lines: true}); strings.TrimSpace(s) != "" {
			out = strings.Join(strings.Fields(s), " ")
		}
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }
