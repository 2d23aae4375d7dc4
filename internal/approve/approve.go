// Package approve asks people. A confirmation comes from somewhere that the proposer has no hand on: a terminal, a function of
// the embedding program, a queue that is answered over another channel.
//
// Law of this package: only a literal yes, to exactly what was shown, in time, is one. No answer, an error, the end of the input,
// an unknown token, another digest: all of these are no. It never decides what needs a person, and never acts.
package approve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// A Request is what a person is shown: the whole action, what it would be done to, where, and why they are asked.
type Request struct {
	Digest  string `json:"digest"`            // of action, resolved element and page: see [Digest]
	By      string `json:"by"`                // who proposes it
	Action  string `json:"action"`            // the kind, in one word
	Object  string `json:"object"`            // the resolved element, the URL, the key
	Near    string `json:"near,omitempty"`    // the row that the element stands in
	Page    string `json:"page"`              // title and URL
	Leads   string `json:"leads,omitempty"`   // where the link or form sends to
	Text    string `json:"text,omitempty"`    // what would be typed; masked where it is a secret
	Length  int    `json:"length,omitempty"`  // of the text, in characters
	Details string `json:"details,omitempty"` // options, files, destination, script
	Risk    string `json:"risk"`
	Rule    string `json:"rule"` // that wants a person asked
	Reason  string `json:"reason"`
}

// An Approver asks a person. It returns true for a literal yes and for nothing else; an error counts as no.
type Approver interface {
	Approve(ctx context.Context, r *Request) (bool, error)
}

// Func is an approver of the embedding program.
type Func func(ctx context.Context, r *Request) (bool, error)

// Approve asks the function.
func (f Func) Approve(ctx context.Context, r *Request) (bool, error) { return f(ctx, r) }

// String is what a terminal shows.
func (r *Request) String() string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-8s %s\n", name, visible(value))
		}
	}
	fmt.Fprintf(&b, "%s asks to %s %s\n", visible(orElse(r.By, "somebody")), r.Action, visible(r.Object))
	if r.Length > 0 || r.Text != "" {
		line("text", fmt.Sprintf("%q (%d characters)", r.Text, r.Length))
	}
	line("details", r.Details)
	line("beside", r.Near)
	line("page", r.Page)
	line("leads to", r.Leads)
	line("risk", r.Risk)
	line("why", strings.TrimSpace(r.Reason+" ("+r.Rule+")"))
	return b.String()
}

// visible keeps a page from drawing its own prompt: control characters and direction marks are written as escapes.
func visible(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c >= 0x200b && c <= 0x200f || c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069 || c == 0xfeff {
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Digest identifies what a yes is for: the action, the element that it was resolved to with what the page says of it, and the
// part of the page around it. What changes on its own (a clock) is left out; anything else that changes there asks again.
func Digest(q *deed.Question, facts *deed.Facts) string {
	type node struct{ Role, Name, Value, States string }
	type onto struct {
		node
		Row, Region string
	}
	type shown struct {
		Action *deed.Action
		Target *node
		Row    string
		Region string
		Facts  *deed.Facts
		URL    string
		Title  string
		Posted bool `json:",omitempty"`
		Around []node
		Onto   []onto `json:",omitempty"`
	}
	of := func(n *deed.Node) node {
		return node{n.Role, n.Name, n.Value, (n.States &^ (deed.Focused | deed.Busy)).String()}
	}
	d := shown{Action: q.Action, Facts: facts}
	if s := q.Snapshot; s != nil {
		d.URL, d.Title, d.Posted = s.URL, s.Title, s.Posted
		if q.Target >= 0 && q.Target < len(s.Nodes) {
			t := &s.Nodes[q.Target]
			for _, i := range q.Onto { // it may stand in another part of the page
				if i >= 0 && i < len(s.Nodes) {
					d.Onto = append(d.Onto, onto{of(&s.Nodes[i]), s.Nodes[i].Row, s.Nodes[i].Region})
				}
			}
			n := of(t)
			d.Target, d.Row, d.Region = &n, t.Row, t.Region
			for i := range s.Nodes {
				if o := &s.Nodes[i]; o.Region == t.Region && o.Frame == t.Frame && !o.Volatile {
					d.Around = append(d.Around, of(o))
				}
			}
		}
	}
	text, err := json.Marshal(d) // the facts' further nodes are not in it: they stand around the target
	if err != nil {
		return "" // no yes fits it
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Waiting is how long a person may take where nothing else says so.
const Waiting = 5 * time.Minute
