package lock

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/deed-dev/deed/internal/casefile"
)

// Version of the form of lock files.
const Version = 1

const head = "# What each step of a proven case did. deed writes it after a run, people review it: docs/locks.md.\n"

// plainScalar are texts that YAML reads as themselves without quotes, and no reader takes for anything else.
var plainScalar = regexp.MustCompile(`^[\pL$/][\pL\pN _./$(){}@€£%+=*,;!?'’&–—…·-]*$`)

// mistaken are plain words that some YAML reader takes for something else than a text.
var mistaken = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n|null|nan|inf)$`)

// urlScalar are addresses, which hold a colon that no blank follows.
var urlScalar = regexp.MustCompile(`^[a-z$/][\pL\pN_./$(){}@%+=*~?&:;-]*[\pL\pN_/})]$`)

// identScalar are elements: a role, then a quoted name.
var identScalar = regexp.MustCompile(`^[a-z][\pL\pN _./$(){}@€£%+=*,;!?'’&–—…·"-]*$`)

// inFlow are texts that need no quotes inside of [ ].
var inFlow = regexp.MustCompile(`^[\pL][\pL\pN _.()’-]*$`)

// scalar writes a text. The same text is always written in the same way.
func scalar(s string) string {
	if (plainScalar.MatchString(s) || urlScalar.MatchString(s) || identScalar.MatchString(s)) && !mistaken.MatchString(s) && strings.TrimSpace(s) == s {
		return s
	}
	return casefile.Quote(s)
}

// A writer indents lines of YAML.
type writer struct {
	b     strings.Builder
	depth int
	item  bool // the next line begins an item of a list
}

func (w *writer) line(key, value string) {
	indent := strings.Repeat("  ", w.depth)
	if w.item {
		indent = strings.Repeat("  ", w.depth-1) + "- "
		w.item = false
	}
	w.b.WriteString(indent + key + ":")
	if value != "" {
		w.b.WriteString(" " + value)
	}
	w.b.WriteByte('\n')
}

func (w *writer) text(key string, t Text) {
	if t != "" {
		w.line(key, scalar(string(t)))
	}
}

// always writes a text, an empty one too.
func (w *writer) always(key string, t Text) { w.line(key, scalar(string(t))) }

func (w *writer) yes(key string, is bool) {
	if is {
		w.line(key, "true")
	}
}

func (w *writer) words(key string, list []string) {
	if len(list) > 0 {
		w.line(key, "["+strings.Join(list, ", ")+"]")
	}
}

func (w *writer) times(n int) {
	switch {
	case n == Any:
		w.line("times", "any")
	case n > 1:
		w.line("times", itoa(n))
	}
}

// list writes a list, each item by a function that writes its keys.
func (w *writer) list(key string, n int, each func(i int)) {
	if n == 0 {
		return
	}
	w.line(key, "")
	w.depth += 2
	for i := range n {
		w.item = true
		each(i)
	}
	w.depth -= 2
}

// encode writes the cases in the canonical form: the same locks, the same bytes.
func encode(cases []*Case) []byte {
	w := &writer{}
	w.b.WriteString(head)
	w.line("deed", itoa(Version))
	w.list("cases", len(cases), func(i int) {
		c := cases[i]
		w.line("case", scalar(c.ID))
		w.text("device", Text(c.Device))
		w.line("key", scalarKey(c.Key))
		w.line("runs", itoa(max(c.Runs, 1)))
		w.list("steps", len(c.Steps), func(k int) { w.step(&c.Steps[k]) })
	})
	return []byte(w.b.String())
}

// scalarKey quotes a key that a reader could take for a number.
func scalarKey(k string) string { return `"` + k + `"` }

func writeStep(s *Step) string {
	w := &writer{depth: 1, item: true}
	w.step(s)
	return w.b.String()
}

func (w *writer) step(s *Step) {
	w.line("do", string(s.Do))
	w.text("at", s.At)
	w.text("healed", s.Healed)
	if f := s.Found; f != nil {
		w.line("found", "")
		w.depth++
		w.line("role", scalar(f.Role))
		for _, t := range []struct {
			key string
			t   Text
		}{{"name", f.Name}, {"region", f.Region}, {"frame", f.Frame}, {"row", f.Row}, {"group", f.Group}, {"after", f.Prev}, {"before", f.Next}} {
			w.text(t.key, t.t)
		}
		if f.Nth > 0 {
			w.line("place", fmt.Sprintf("[%d, %d]", f.Nth, f.Of))
		}
		if f.Twins > 1 {
			w.line("twin", fmt.Sprintf("[%d, %d]", f.Twin, f.Twins))
		}
		if len(f.Others) > 0 {
			var out []string
			for _, o := range f.Others {
				out = append(out, flow(string(o)))
			}
			w.line("others", "["+strings.Join(out, ", ")+"]")
		}
		w.text("page", f.Page)
		w.depth--
	}
	w.text("url", s.URL)
	w.yes("outline", s.Outline)
	w.list("effects", len(s.Effects), func(i int) { w.effect(&s.Effects[i]) })
	w.list("requests", len(s.Requests), func(i int) {
		r := &s.Requests[i]
		w.always(r.Method, r.URL)
		w.text("status", Text(r.Status))
		w.times(r.Times)
		w.yes("optional", r.Optional)
	})
	w.list("dialogs", len(s.Dialogs), func(i int) {
		d := &s.Dialogs[i]
		w.always(d.Kind, d.Message)
		w.yes("accepted", d.Accepted)
		w.yes("optional", d.Optional)
	})
	things := func(key, name string, ts []Thing) {
		w.list(key, len(ts), func(i int) {
			w.always(name, ts[i].Name)
			w.yes("optional", ts[i].Optional)
		})
	}
	things("downloads", "file", s.Downloads)
	things("pages", "url", s.Pages)
}

// flow writes a text inside of [ ].
func flow(s string) string {
	if inFlow.MatchString(s) && !mistaken.MatchString(s) && strings.TrimSpace(s) == s {
		return s
	}
	q := scalar(s)
	if q[0] == '"' || q[0] == '\'' {
		return q
	}
	return "'" + strings.ReplaceAll(q, "'", "''") + "'"
}

func (w *writer) effect(e *Effect) {
	w.line(string(e.Kind), scalar(ident(e.Role, e.Name, e.Frame, e.Region)))
	switch {
	case e.Kind == "appeared":
		w.text("value", e.To)
	case e.Kind == "disappeared":
		w.text("value", e.From)
	case e.Kind == "renamed" || e.Kind == "moved" || e.From+e.To != "":
		if e.Kind == "changed" {
			w.always("from", e.From)
		}
		w.always("to", e.To)
	}
	if e.Kind == "changed" {
		w.words("now", e.Gained)
		w.words("no longer", e.Lost)
	} else {
		w.words("states", e.Gained)
	}
	w.times(e.Times)
	w.yes("optional", e.Optional)
	w.yes("uncaused", e.Uncaused)
	w.yes("passes", e.Passes)
}
