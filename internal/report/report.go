// Package report writes what deed saw and did, for people and for programs: observations, the progress of a run, its
// summary, and what failed.
//
// Law of this package: views are pure functions of the vocabulary. It reads no file, no clock, no environment, and knows
// no browser and no protocol, so that evidence can be read where there is none. Whatever a page wrote is quoted, so that
// no name can forge a line.
package report

import (
	"strconv"
	"strings"
	"unicode"
)

// A Style colours words. The zero value writes plain text.
type Style struct{ Color bool }

func (s Style) sgr(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Good is for what is proven.
func (s Style) Good(text string) string { return s.sgr("32", text) }

// Bad is for what is not.
func (s Style) Bad(text string) string { return s.sgr("31", text) }

// Warn is for what deserves a look.
func (s Style) Warn(text string) string { return s.sgr("33", text) }

// Dim is for what can be passed over.
func (s Style) Dim(text string) string { return s.sgr("2", text) }

// Bold is for what should be read first.
func (s Style) Bold(text string) string { return s.sgr("1", text) }

// printable keeps a text on one line and free of control sequences, without quoting it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// quoted is text that a page wrote, cut to n bytes; 0 cuts nothing.
func quoted(s string, n int) string { return strconv.Quote(clip(s, n)) }

func clip(s string, n int) string {
	if n <= 0 || len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return strings.TrimRight(s[:n], " ") + "…"
}

// count is a number with its noun: 1 node, 3 nodes.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + plural(noun)
}

func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "s"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay"):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}
