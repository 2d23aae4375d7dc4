package policy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/deed-dev/deed"
)

// Recorded is what a trace holds of one decision.
type Recorded struct {
	Request  *Request      `json:"request"`
	Decision deed.Decision `json:"decision"`
	Rule     string        `json:"rule"`

	File string `json:"-"` // where it stands
	Line int    `json:"-"`
}

// A Change is a recorded decision that a policy would make otherwise.
type Change struct {
	File   string        `json:"file"`
	Line   int           `json:"line"`
	Kind   deed.Kind     `json:"kind"`
	Object string        `json:"object,omitempty"` // what was asked for, as it was written down
	Was    deed.Decision `json:"was"`
	By     string        `json:"by,omitempty"` // the rule that decided then
	Is     Decision      `json:"is"`
}

// Compare decides on every record anew, and returns those that are decided otherwise, in their order. What the configuration said then
// is kept: see [Policy.Redecide].
func (p *Policy) Compare(records []Recorded) []Change {
	var out []Change
	for _, r := range records {
		is := p.Redecide(r.Request)
		if is.Decision == r.Decision {
			continue
		}
		c := Change{File: r.File, Line: r.Line, Was: r.Decision, By: r.Rule, Is: is}
		if r.Request != nil && r.Request.Action != nil {
			c.Kind, c.Object = r.Request.Action.Kind, r.Request.Action.Object()
			if r.Request.Element != nil {
				c.Object = r.Request.Element.String()
			}
		}
		out = append(out, c)
	}
	return out
}

// maxLine is the length of a line of a trace, in bytes.
const maxLine = 16 << 20

// ReadRecorded reads the decisions of a trace: JSON Lines, of which those of kind "decided" hold a request and a decision. name is for
// messages. It fails with [deed.CodeInvalid] at the first line that is no JSON object, and at a decision without request or with a
// decision that is none.
func ReadRecorded(name string, r io.Reader) ([]Recorded, error) {
	var out []Recorded
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	n := 0
	bad := func(err error) error {
		return &deed.Error{Op: "trace", Code: deed.CodeInvalid, Where: fmt.Sprintf("%s:%d", name, n), Err: err}
	}
	for s.Scan() {
		n++
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			return nil, bad(errors.New("a line of a trace is a JSON object"))
		}
		var head struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, bad(fmt.Errorf("no JSON: %w", err))
		}
		if head.Kind != "decided" {
			continue
		}
		var event struct {
			Recorded
			Decision *string `json:"decision"`
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, bad(fmt.Errorf("no decision: %w", err))
		}
		switch {
		case event.Request == nil || event.Request.Action == nil:
			return nil, bad(errors.New("a decision has no request"))
		case event.Decision == nil:
			return nil, bad(errors.New("a decision is missing"))
		}
		rec := event.Recorded
		if err := rec.Decision.UnmarshalText([]byte(*event.Decision)); err != nil || rec.Decision.String() != *event.Decision {
			return nil, bad(errors.New("a decision is allow, confirm or deny"))
		}
		rec.File, rec.Line = name, n
		out = append(out, rec)
	}
	if err := s.Err(); err != nil {
		n++
		return nil, bad(err)
	}
	return out, nil
}
