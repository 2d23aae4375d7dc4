package words

import "strings"

// A lexicon is a set of phrases, looked for at the borders of words.
//
// A phrase is words separated by blanks; a word that ends in * stands for every word that begins so. A phrase in a
// script without blanks is looked for anywhere.
type lexicon struct {
	first  map[string][][]string // by the first word
	prefix [][]string            // whose first word ends in *
	glued  []string              // scripts without blanks
}

func lex(lists ...string) *lexicon {
	l := &lexicon{first: map[string][][]string{}}
	for _, list := range lists {
		for _, phrase := range strings.Split(list, "|") {
			phrase = strings.TrimSpace(phrase)
			if phrase == "" {
				continue
			}
			phrase = Loose(phrase)
			ws := strings.Fields(phrase)
			switch {
			case strings.ContainsFunc(phrase, unspaced):
				l.glued = append(l.glued, phrase)
			case strings.HasSuffix(ws[0], "*"):
				l.prefix = append(l.prefix, ws)
			default:
				l.first[ws[0]] = append(l.first[ws[0]], ws)
			}
		}
	}
	return l
}

// A text is a Loose text and its words, as they stand.
type text struct {
	loose string
	parts []part
}

func read(s string) text {
	l := Loose(s)
	return text{l, split(l)}
}

// find returns the index of the first part of the first phrase that t holds from part `from` on, and how many parts it takes; for
// a glued phrase the part is the run that holds it. ok is false when there is none.
func (l *lexicon) find(t text, from int) (at, n int, phrase string, ok bool) {
	for i := from; i < len(t.parts); i++ {
		p := t.parts[i]
		if p.kind == run {
			for _, g := range l.glued {
				if strings.Contains(p.text, g) || strings.Contains(g, " ") && strings.Contains(t.loose, g) {
					return i, 1, g, true
				}
			}
			continue
		}
		for _, ws := range l.first[p.text] {
			if holds(t.parts[i:], ws) {
				return i, len(ws), said(t.parts[i : i+len(ws)]), true
			}
		}
		for _, ws := range l.prefix {
			if holds(t.parts[i:], ws) {
				return i, len(ws), said(t.parts[i : i+len(ws)]), true
			}
		}
	}
	return 0, 0, "", false
}

func (l *lexicon) in(t text) bool {
	_, _, _, ok := l.find(t, 0)
	return ok
}

func holds(parts []part, ws []string) bool {
	if len(parts) < len(ws) {
		return false
	}
	for k, w := range ws {
		if stem, ok := strings.CutSuffix(w, "*"); ok {
			if !strings.HasPrefix(parts[k].text, stem) {
				return false
			}
		} else if parts[k].text != w {
			return false
		}
		// A sentence ends a phrase.
		if k > 0 && strings.ContainsAny(parts[k].before, ".;!?,:") {
			return false
		}
	}
	return true
}

func said(parts []part) string {
	var ws []string
	for _, p := range parts {
		ws = append(ws, p.text)
	}
	return strings.Join(ws, " ")
}
