// Package trace writes down what was proposed, decided, confirmed, begun and finished, before it is done, and reads it back.
//
// Law of this package: what it writes is evidence. A record is written whole or not at all, in its place in a chain of hashes;
// what was typed is in none by default, and a named secret is in none ever. It decides nothing, and it never acts.
package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/deed-dev/deed"
)

// Version is the form of the records.
const Version = 1

// Kind is what a record tells of.
type Kind string

const (
	Proposed  Kind = "proposed"  // somebody asks for an action
	Decided   Kind = "decided"   // policy answered
	Confirmed Kind = "confirmed" // a person answered, or did not
	Started   Kind = "started"   // a gesture begins: from here on there may be effects
	Finished  Kind = "finished"  // what became of the action
	Note      Kind = "note"      // what else happened: a request that was kept back, a popup
)

// Kinds are all kinds, in the order in which an action goes through them.
var Kinds = []Kind{Proposed, Decided, Confirmed, Started, Finished, Note}

// DryRun is the outcome of an action that was decided on and not carried out.
const DryRun = "dry_run"

// NoteEnd is the note with which a run says that nothing of it is missing.
const NoteEnd = "end"

// The answers of a person.
const (
	Yes      = "yes"
	No       = "no"
	NoAnswer = "none"
)

// An Event is one record: one JSON object, one line. The order of the fields is the order of the keys. Which fields a record has
// depends on its kind; docs/formats.md lists them.
type Event struct {
	V    int    `json:"v"`
	Run  string `json:"run,omitempty"`
	Seq  int    `json:"seq,omitempty"`  // 1-based, increasing within the run; a record that could not be written leaves a gap
	Time string `json:"time,omitempty"` // RFC 3339, UTC, milliseconds
	Kind Kind   `json:"kind"`
	ID   string `json:"id,omitempty"` // of the action: a pseudonym of the run, unless the trace is unsafe
	Step int    `json:"step,omitempty"`

	Action *Action      `json:"action,omitempty"` // proposed; made by the writer from Do
	Do     *deed.Action `json:"-"`                // proposed: what is asked for, in Go
	By     string       `json:"by,omitempty"`     // proposed: who asks; confirmed: who answered
	Risk   string       `json:"risk,omitempty"`   // proposed: declared; decided: effective
	Digest string       `json:"digest,omitempty"` // proposed, confirmed: of action, element and page; keyed, unless the trace is unsafe

	Proposal json.RawMessage `json:"proposal,omitempty"` // proposed: the proposal as it was submitted; only in an unsafe trace

	Decision string          `json:"decision,omitempty"` // decided: allow, confirm, deny
	Rule     string          `json:"rule,omitempty"`     // decided: the rule that decided
	Policy   string          `json:"policy,omitempty"`   // decided: SHA-256 of the rules that it was decided by
	Page     string          `json:"page,omitempty"`     // decided: the URL of the page, its query masked
	Element  *Element        `json:"element,omitempty"`  // decided: what the action was resolved to
	Request  json.RawMessage `json:"request,omitempty"`  // decided: what policy was asked

	Answer string `json:"answer,omitempty"` // confirmed: yes, no, none
	MS     int64  `json:"ms,omitempty"`     // confirmed: how long the answer took

	Way  string `json:"way,omitempty"`  // started: how
	Undo bool   `json:"undo,omitempty"` // decided, started: it takes back an effect

	Outcome    string           `json:"outcome,omitempty"` // finished
	Verdict    string           `json:"verdict,omitempty"`
	Basis      string           `json:"basis,omitempty"`
	Code       string           `json:"code,omitempty"` // finished, note
	Changes    []string         `json:"changes,omitempty"`
	Prevented  int              `json:"prevented,omitempty"`
	Undone     int              `json:"undone,omitempty"`
	Blocked    []string         `json:"blocked,omitempty"` // what was kept from leaving the browser
	DurationMS int64            `json:"duration_ms,omitempty"`
	PhasesMS   map[string]int64 `json:"phases_ms,omitempty"`

	What   string `json:"what,omitempty"`   // note: egress, popup, …
	Reason string `json:"reason,omitempty"` // decided, finished, note

	Torn string `json:"torn,omitempty"` // SHA-256 of what stands before this record and was never finished
	Prev string `json:"prev,omitempty"` // the hash of the record before; none for the first
	Hash string `json:"hash,omitempty"` // SHA-256 of the line without this key

	Line int  `json:"-"` // where it was read
	Cut  bool `json:"-"` // behind it stands a line that was never finished
}

// An Element is what an action was resolved to.
type Element struct {
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	Region string `json:"region,omitempty"`
}

// An Action is what was asked for, as it may be written down: what says where and what is masked, unless the trace is unsafe.
type Action struct {
	Kind     deed.Kind   `json:"kind"`
	Role     string      `json:"role,omitempty"`    // of the locator
	Locator  string      `json:"locator,omitempty"` // the whole locator
	Ref      string      `json:"ref,omitempty"`
	Selector string      `json:"selector,omitempty"`
	Point    *deed.Point `json:"point,omitempty"`
	Button   string      `json:"button,omitempty"`
	Enter    bool        `json:"enter,omitempty"`
	Full     bool        `json:"full,omitempty"`
	PauseMS  int64       `json:"pause_ms,omitempty"`
	X        int         `json:"x,omitempty"` // scroll
	Y        int         `json:"y,omitempty"`
	Key      string      `json:"key,omitempty"`
	Tab      string      `json:"tab,omitempty"`
	URL      string      `json:"url,omitempty"`
	Path     string      `json:"path,omitempty"`
	Text     string      `json:"text,omitempty"`
	Length   int         `json:"length,omitempty"` // of the text, in characters
	Secret   string      `json:"secret,omitempty"` // the name of the secret that the text is
	Options  []string    `json:"options,omitempty"`
	Files    []string    `json:"files,omitempty"`
	Drop     string      `json:"drop,omitempty"`
	Expect   []string    `json:"expect,omitempty"`
	Intent   string      `json:"intent,omitempty"`
	Dialog   string      `json:"dialog,omitempty"` // accept, dismiss
}

// phases are the names that a duration may have.
var phases = []string{"observe", "resolve", "decide", "act", "settle", "judge", "undo"}

const (
	maxDepth = 128
	maxLine  = 8 << 20
)

// clock is the form of times.
const clock = "2006-01-02T15:04:05.000Z"

var word = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// check reports a record that is none of this form.
func (e *Event) check() error {
	if e.V != Version {
		return errors.New("not a record of version 1")
	}
	if !slices.Contains(Kinds, e.Kind) {
		return errors.New("unknown kind of record")
	}
	if (e.Run == "") != (e.Seq == 0) {
		return errors.New("run and seq are given together or not at all")
	}
	if e.Seq < 0 || e.Step < 0 {
		return errors.New("seq and step are not below zero")
	}
	if e.Time != "" {
		if _, err := time.Parse(clock, e.Time); err != nil {
			return errors.New("time is not RFC 3339 in UTC with milliseconds")
		}
	}
	for _, f := range []struct {
		name, value string
		of          Kind
		words       []string
	}{
		{"decision", e.Decision, Decided, []string{"allow", "confirm", "deny"}},
		{"answer", e.Answer, Confirmed, []string{Yes, No, NoAnswer}},
		{"outcome", e.Outcome, Finished, outcomes()},
	} {
		switch {
		case f.value == "" && e.Kind == f.of:
			return fmt.Errorf("%s is missing", f.name)
		case f.value != "" && e.Kind != f.of:
			return fmt.Errorf("%s belongs to another kind of record", f.name)
		case f.value != "" && !slices.Contains(f.words, f.value):
			return fmt.Errorf("unknown %s", f.name)
		}
	}
	switch {
	case e.Kind != Note && e.ID == "":
		return errors.New("id is missing")
	case e.Kind == Proposed && e.Action == nil:
		return errors.New("action is missing")
	case e.Kind == Note && e.What == "":
		return errors.New("what is missing")
	case e.Kind != Proposed && (e.Action != nil || e.Proposal != nil):
		return errors.New("action and proposal belong to another kind of record")
	case e.Kind != Decided && (e.Request != nil || e.Element != nil):
		return errors.New("request and element belong to another kind of record")
	}
	for _, raw := range []json.RawMessage{e.Proposal, e.Request} {
		if raw != nil && !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) {
			return errors.New("request and proposal are objects")
		}
	}
	return nil
}

func outcomes() []string {
	out := []string{DryRun}
	for o := deed.OutcomeFailed; o <= deed.OutcomeVerified; o++ {
		out = append(out, o.String())
	}
	return out
}

// hashKey begins the last key of every line.
const hashKey = `,"hash":"`

// encode writes the record as its line, without the line's end, and sets its hash.
func (e *Event) encode() ([]byte, error) {
	e.Hash = ""
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	e.Hash = sum(line)
	line = append(line[:len(line)-1], hashKey...)
	line = append(line, e.Hash...)
	return append(line, `"}`...), nil
}

// sealed returns the hash that ends the line, and whether it is the hash of what stands before it.
func sealed(line []byte) (hash string, ok bool) {
	at := len(line) - len(hashKey) - 2*sha256.Size - len(`"}`)
	if at < 1 || string(line[at:at+len(hashKey)]) != hashKey || string(line[len(line)-2:]) != `"}` {
		return "", false
	}
	hash = string(line[at+len(hashKey) : len(line)-2])
	h := sha256.New()
	h.Write(line[:at])
	h.Write([]byte("}"))
	return hash, hex.EncodeToString(h.Sum(nil)) == hash
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// head begins every line.
var head = []byte(`{"v":1,"run":"`)

// unfinished reports whether the text may be what is left of a record that was never written whole.
func unfinished(text []byte) bool {
	n := min(len(text), len(head))
	return n > 0 && bytes.Equal(text[:n], head[:n]) && !json.Valid(text)
}
