// Package redact masks secrets: the one place, before anything is logged, traced, prompted, shown or drawn.
//
// A [Masker] is told the secrets and then finds them in whatever shape a page or a message may echo them. What it hands back
// holds deed.Redacted instead.
//
// Law of this package: it sees secrets and keeps them only to find them; it never logs, stores or returns one, and it knows no
// file, page or clock. When in doubt it masks: a word too many hidden is a nuisance, a secret shown is a leak.
package redact

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/deed-dev/deed"
)

// A Masker masks the secrets it was told of. The zero value masks nothing. It is safe for concurrent use; a call of a masking
// method sees the secrets that were added before it began.
//
// A secret of six characters or more is found raw, in any case, in wide letters, composed or decomposed, escaped for HTML, JSON, Go, JavaScript, URLs or
// forms, with markup inside it, and in up to three of these inside each other; in base64 (either alphabet, at any alignment) and in hexadecimal; with white
// space or what cannot be seen in it added, changed or gone; where it holds four digits or more, with other grouping ("4111-1111…"); and clipped: six characters or
// more of its beginning before an ellipsis or at the end of a long text, or of its end after an ellipsis. A shorter one is found
// raw, in any case and escaped; one of less than three characters only as a whole word in its own case.
// Not looked for are encodings of encodings other than those escapes (base64 of base64), octal and CSS escapes, base32, and lists of numbers.
type Masker struct {
	mu      sync.Mutex
	secrets map[string]bool
	known   atomic.Pointer[[]needle]
}

// Add registers a secret. An empty one is none; nor is what stands for secrets itself.
func (m *Masker) Add(secret string) {
	if secret == "" || secret == deed.Redacted {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.secrets[secret] {
		return
	}
	if m.secrets == nil {
		m.secrets = map[string]bool{}
	}
	m.secrets[secret] = true
	var all []needle
	if old := m.known.Load(); old != nil {
		all = slices.Clone(*old)
	}
	all = append(all, needles(secret)...)
	m.known.Store(&all)
}

// Knows reports whether there is anything to mask.
func (m *Masker) Knows() bool { return m.known.Load() != nil }

// String returns s with every occurrence of a secret masked. What already is masked stays as it is, so that masking twice is masking
// once.
func (m *Masker) String(s string) string {
	known := m.known.Load()
	if known == nil || s == "" {
		return s
	}
	// A mask may complete a secret with what stands beside it; that is masked in the next round. Each round shortens the text or
	// is the last.
	for range 8 {
		next := once(*known, s)
		if next == s {
			return s
		}
		s = next
	}
	return deed.Redacted
}

// span is a piece of the text, in bytes.
type span struct{ from, to int }

func once(known []needle, s string) string {
	look := survey(s)
	if !look.escapes && !slices.ContainsFunc(known, func(n needle) bool { return look.mayHold(&n) }) {
		return s
	}
	var hits []span
	for _, r := range readings(s, look) {
		for k := range known {
			if n := &known[k]; r.look.mayHold(n) {
				hits = r.find(n, hits)
			}
		}
	}
	if len(hits) == 0 {
		return s
	}
	return replace(s, hits)
}

// replace puts the mask in the place of the hits. A hit inside a mask is none; one that reaches into a mask takes it along.
func replace(s string, hits []span) string {
	var masks []span
	for at := 0; ; {
		i := strings.Index(s[at:], deed.Redacted)
		if i < 0 {
			break
		}
		masks = append(masks, span{at + i, at + i + len(deed.Redacted)})
		at += i + len(deed.Redacted)
	}
	hits = slices.DeleteFunc(hits, func(h span) bool {
		return slices.ContainsFunc(masks, func(m span) bool { return m.from <= h.from && h.to <= m.to })
	})
	if len(hits) == 0 {
		return s
	}
	for k := range hits {
		for _, m := range masks {
			if m.from < hits[k].to && hits[k].from < m.to {
				hits[k] = span{min(m.from, hits[k].from), max(m.to, hits[k].to)}
			}
		}
	}
	slices.SortFunc(hits, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for k := 0; k < len(hits); {
		from, to := hits[k].from, hits[k].to
		for k++; k < len(hits) && hits[k].from <= to; k++ {
			to = max(to, hits[k].to)
		}
		b.WriteString(s[at:from])
		b.WriteString(deed.Redacted)
		at = to
	}
	b.WriteString(s[at:])
	return b.String()
}
