package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// enough is the share of an intent's content words that the changes must hold.
const enough = 0.6

// intended compares the declared intent with the changes, by words: every number, single letter and quoted piece
// exactly, and most of the content words. It is asked only in doubt. A denied intent ("no longer in the cart")
// wants something to go; any other wants something to come.
func (h *hearing) intended() (bool, string) {
	intent := h.ev.Action.Intent
	if intent == "" || len(h.effects) == 0 {
		return false, ""
	}
	var came, went []string
	live, _, _ := h.sortOut()
	for i := range live {
		c, w := live[i].comesAndGoes()
		came, went = append(came, c...), append(went, w...)
	}
	if h.before.Title != h.after.Title && h.after != nowhere {
		came = append(came, h.after.Title)
	}
	denied := words.Negated(intent)
	switch {
	case denied && h.speaks(intent, went, came):
	case denied:
		return false, ""
	case h.speaks(intent, came, nil):
	case words.SpeaksOfRemoval(intent) && h.speaks(intent, went, came):
	default:
		return false, ""
	}
	return true, fmt.Sprintf("%s, as the intent says: %q", live[0].line, clip(intent))
}

// comesAndGoes returns the texts that an effect brought and took.
func (e *effect) comesAndGoes() (came, went []string) {
	c := e.change
	if c == nil {
		return []string{e.message}, nil
	}
	text := func(n *deed.Node) string { return strings.TrimSpace(n.Name + " " + shown(n)) }
	switch c.Kind {
	case deed.Appeared:
		return []string{text(&c.After)}, nil
	case deed.Disappeared:
		return nil, []string{text(&c.Before)}
	case deed.Moved:
		// It came into one region and went from another: the name is in both, the regions tell them apart.
		return []string{text(&c.After)}, []string{text(&c.Before)}
	}
	return []string{text(&c.After)}, []string{text(&c.Before)}
}

// speaks reports whether the texts say what the intent says. What also stands in one of the texts against is not
// gone: then a denial does not hold.
func (h *hearing) speaks(intent string, texts, against []string) bool {
	if len(texts) == 0 {
		return false
	}
	all := strings.Join(texts, "\n")
	loose := words.Loose(all)
	for _, q := range words.Quoted(intent) {
		if !holdsPhrase(loose, words.Loose(q)) {
			return false
		}
	}
	have := map[string]bool{}
	for _, w := range words.Tokens(all) {
		have[w] = true
	}
	for _, n := range words.Numbers(intent) {
		if !have[n] {
			return false
		}
	}
	neutral := h.neutralWords()
	var content []string
	for _, w := range words.Content(intent) {
		switch {
		case vocabulary[w] || neutral[w] && !have[w]:
			continue
		case len([]rune(w)) == 1 && w[0] < 0x80 && !have[w]:
			return false // a size, a seat
		}
		content = append(content, w)
	}
	hits := 0
	for _, w := range slices.Compact(slices.Sorted(slices.Values(content))) {
		if have[w] {
			hits++
		}
	}
	// Names of regions are no evidence, nor are numbers alone.
	if hits == 0 || words.Overlap(content, words.Tokens(all)) < enough {
		return false
	}
	if against != nil {
		here := map[string]bool{}
		for _, w := range words.Tokens(strings.Join(against, "\n")) {
			here[w] = true
		}
		still := true
		for _, w := range content {
			if have[w] && !here[w] {
				still = false
			}
		}
		if still && !words.SpeaksOfRemoval(strings.Join(against, "\n")) {
			return false // what should go has come as well
		}
	}
	return true
}

// holdsPhrase reports whether text holds the phrase between word boundaries.
func holdsPhrase(text, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		if boundary(text, i) && boundary(text, i+len(phrase)) {
			return true
		}
		from = i + 1
	}
}

// boundary reports whether position i of s does not cut a word or number of letters that are written together.
func boundary(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	l, r := []rune(s[:i]), []rune(s[i:])
	a, b := l[len(l)-1], r[0]
	return !(joined(a) && joined(b))
}

func joined(r rune) bool {
	return r < 0x0E00 && wordRune(r) && r != ')' || r >= 0x10A0 && r < 0x2E80 && wordRune(r)
}

// neutralWords are the names of the regions in which the effects stand: where a thing is, is not what it is.
func (h *hearing) neutralWords() map[string]bool {
	out := map[string]bool{}
	for i := range h.effects {
		if c := h.effects[i].change; c != nil {
			for _, r := range []string{c.Before.Region, c.After.Region} {
				for _, w := range words.Content(r) {
					out[w] = true
				}
			}
		}
	}
	return out
}

// vocabulary is the report's own, as stems: to say that something appeared proves nothing.
var vocabulary = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range []string{
		"appear appears appeared appearing disappear disappears disappeared change changes changed rename renamed move moves moved now page url title show shows shown showing visible see seen display displays displayed click clicks clicked press pressed",
		"open opens opened close closes closed go goes gone come comes contain contains hold holds element new longer no not more without already still user again only",
		"cambia aparece aparecio desaparece muestra pagina abre erscheint erschienen verschwindet seite zeigt angezeigt wird offnet nicht mehr apparait disparait page affiche ouvre s'affiche appare scompare mostra apre",
		"появляется появился исчезает страница открывается показывает больше",
	} {
		for _, w := range words.Tokens(s) {
			m[w] = true
		}
	}
	for _, r := range deed.Roles() {
		for _, w := range words.Tokens(r) {
			m[w] = true
		}
	}
	// Roles that are also everyday words of pages stay evidence.
	for _, w := range words.Tokens("article image note comment term time code search form main region") {
		delete(m, w)
	}
	return m
}()
