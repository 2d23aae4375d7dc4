package deed

import (
	"slices"
	"strings"
	"sync"
)

// Roles returns every role a locator may name, sorted: the concrete roles of WAI-ARIA 1.3, Graphics-ARIA and
// DPUB-ARIA, and `text` for text that no other element carries.
func Roles() []string { return slices.Clone(roleList()) }

// KnownRole reports whether a locator may name this role.
func KnownRole(role string) bool {
	_, ok := slices.BinarySearch(roleList(), role)
	return ok
}

var roleList = sync.OnceValue(func() []string {
	r := []string{
		"alert", "alertdialog", "application", "article", "banner", "blockquote", "button", "caption", "cell",
		"checkbox", "code", "columnheader", "combobox", "comment", "complementary", "contentinfo", "definition",
		"deletion", "dialog", "directory", "document", "emphasis", "feed", "figure", "form", "generic",
		"graphics-document", "graphics-object", "graphics-symbol", "grid", "gridcell", "group", "heading", "iframe",
		"image", "img", "insertion", "link", "list", "listbox", "listitem", "log", "main", "mark", "marquee",
		"math", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "meter", "navigation", "note",
		"option", "paragraph", "progressbar", "radio", "radiogroup", "region", "row", "rowgroup", "rowheader",
		"scrollbar", "search", "searchbox", "sectionfooter", "sectionheader", "separator", "slider", "spinbutton", "status", "strong", "subscript",
		"suggestion", "superscript", "switch", "tab", "table", "tablist", "tabpanel", "term", "text", "textbox",
		"time", "timer", "toolbar", "tooltip", "tree", "treegrid", "treeitem",
	}
	for _, doc := range strings.Fields(`abstract acknowledgments afterword appendix backlink biblioentry bibliography biblioref chapter
		colophon conclusion cover credit credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary
		glossref index introduction noteref notice pagebreak pagefooter pageheader pagelist part preface prologue pullquote qna subtitle tip toc`) {
		r = append(r, "doc-"+doc)
	}
	slices.Sort(r)
	return r
})

// Suggest returns the word of list nearest to s by edit distance, or "" when none is near (more than a third
// of the longer word's letters differ).
func Suggest(s string, list []string) string {
	best, bestD := "", 1<<30
	for _, w := range list {
		d := distance(s, w)
		if d < bestD {
			best, bestD = w, d
		}
	}
	if best == "" || bestD*3 > max(len(s), len(best)) {
		return ""
	}
	return best
}

// distance is the Damerau-Levenshtein distance (optimal string alignment) in bytes.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
