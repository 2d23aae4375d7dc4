package casefile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/deed-dev/deed"
)

// nothing complains about an object of a verb that has none; `true` is how some write "do it".
func (r *reader) nothing(v field) {
	n := v.value
	if n.kind == scalar && (n.absent || n.text == "true" || n.text == "null" && !n.quoted) {
		return
	}
	hint := "- " + v.key
	if v.key == tabClose {
		hint = "tab: close; it closes the current tab"
	}
	r.complain(n.pos, hint, "%s takes nothing", v.key)
}

// upload reads the files, which stand relative to the case file. That they are there is checked now: in the middle of
// a run it would be too late.
func (r *reader) upload(a *deed.Action, v field, keys map[string]field) {
	f, ok := keys["files"]
	if !ok {
		r.complain(v.pos, "files: [invoice.pdf], relative to the case file", "upload names no file")
		return
	}
	if f.value.kind == list && len(f.value.items) == 0 {
		r.complain(f.value.pos, "", "upload names no file")
		return
	}
	for _, n := range r.listOf(f.value) {
		if path, ok := r.file(n); ok {
			a.Files = append(a.Files, path)
		}
	}
}

func (r *reader) file(n *node) (string, bool) {
	text, ok := r.scalar(n, "a file")
	if !ok {
		return "", false
	}
	if r.pointers {
		r.complain(n.pos, "keep the case in a file", "a case from an address has no files of this machine")
		return "", false
	}
	if strings.TrimSpace(text) == "" {
		r.complain(n.pos, "", "the name of a file is empty")
		return "", false
	}
	path := filepath.FromSlash(text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.name), path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		r.complain(n.pos, "", "the file %q: %w", text, bare(err))
		return "", false
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		hint := "a path is relative to the case file"
		if s := r.nearestFile(abs); s != "" {
			hint = fmt.Sprintf("did you mean %q?", s)
		}
		r.complain(n.pos, hint, "the file %q: %w", text, bare(err))
		return "", false
	case info.IsDir():
		r.complain(n.pos, "", "%q is a folder, not a file", text)
		return "", false
	}
	return abs, true
}

// nearestFile proposes a file beside one that is not there.
func (r *reader) nearestFile(abs string) string {
	entries, err := os.ReadDir(filepath.Dir(abs))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return deed.Suggest(filepath.Base(abs), names)
}

// places are the ways to say where a dragged element goes, besides an element.
var places = []string{"in", "before", "after"}

// drag reads where to: an element, {in: REGION}, {before: NAME} or {after: NAME}.
func (r *reader) drag(a *deed.Action, v field, keys map[string]field) {
	const forms = "to: {list: Done}, {in: REGION}, {before: NAME} or {after: NAME}"
	f, ok := keys["to"]
	if !ok {
		r.complain(v.pos, forms, "drag does not say where to")
		return
	}
	if f.value.kind != mapping {
		r.wrongKind(f.value, "to", "a mapping", forms)
		return
	}
	var said []field
	role := false
	for _, k := range f.value.fields {
		if slices.Contains(places, k.key) {
			said = append(said, k)
		}
		role = role || deed.KnownRole(k.key)
	}
	sideways := slices.IndexFunc(said, func(k field) bool { return k.key != "in" })
	switch {
	case role && sideways >= 0:
		k := said[sideways]
		r.complain(k.pos, forms, "to is an element or %s another, not both", k.key)
		return
	case role || len(said) == 0:
		d := &deed.Drop{}
		if d.To, ok = r.locator(f.value, "to", nil); ok {
			a.Drop = d
		}
		return
	case len(said) > 1:
		r.complain(said[1].pos, forms, "to is %s or %s, not both", said[0].key, said[1].key)
		return
	}
	for _, k := range f.value.fields {
		if k.key != said[0].key {
			r.unknown(k, "a place", append(slices.Clone(places), deed.Roles()...))
			return
		}
	}
	k := said[0]
	text, ok := r.text(k)
	if !ok {
		return
	}
	if strings.TrimSpace(text) == "" {
		r.complain(k.value.pos, "", "%s is empty", k.key)
		return
	}
	d := &deed.Drop{}
	switch k.key {
	case "in":
		r.region(k, text)
		d.In = text
	case "before":
		d.Before = text
	case "after":
		d.After = text
	}
	a.Drop = d
}

// toEnd is the amount by which `scroll: {to: bottom}` scrolls: more than any page is long.
const toEnd = 1 << 24

// scroll reads {to: LOC}, {to: top|bottom} or {by: N}, each with `in`: what scrolls.
func (r *reader) scroll(a *deed.Action, v field) {
	const forms = "{to: {heading: Reviews}}, {to: bottom} or {by: 600}, each perhaps with in: REGION"
	if v.value.kind != mapping {
		hint := forms
		if v.value.kind == scalar && (v.value.text == "top" || v.value.text == "bottom") {
			hint = "scroll: {to: " + v.value.text + "}"
		}
		r.wrongKind(v.value, "scroll", "a mapping", hint)
		return
	}
	var in, to, by field
	var hasIn, hasTo, hasBy bool
	for _, f := range v.value.fields {
		switch {
		case f.key == "in":
			in, hasIn = f, true
		case f.key == "to":
			to, hasTo = f, true
		case f.key == "by":
			by, hasBy = f, true
		case deed.KnownRole(f.key):
			r.complain(f.pos, "scroll: {to: {"+f.key+": …}}", "scroll goes to an element, or by an amount")
			return
		default:
			r.unknown(f, "scroll", []string{"to", "by", "in"})
		}
	}
	switch {
	case hasTo && hasBy:
		r.complain(by.pos, forms, "scroll goes to something or by an amount, not both")
		return
	case !hasTo && !hasBy:
		r.complain(v.value.pos, forms, "scroll does not say where to")
		return
	}
	s := &deed.Scroll{}
	if hasIn {
		if text, ok := r.text(in); ok {
			if text == "" {
				r.complain(in.value.pos, "", "in is empty")
			}
			r.region(in, text)
			s.Region = text
		}
	}
	switch {
	case hasBy:
		r.amount(s, by)
		a.Scroll = s
	case to.value.kind == mapping:
		a.Locator, _ = r.locator(to.value, "to", nil)
		if hasIn {
			a.Scroll = s
		}
	default:
		text, ok := r.text(to)
		if !ok {
			return
		}
		switch text {
		case "top":
			s.Y = -toEnd
		case "bottom":
			s.Y = toEnd
		default:
			hint := "to: {heading: " + text + "}, to: top or to: bottom"
			if near := deed.Suggest(text, []string{"top", "bottom"}); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			r.complain(to.value.pos, hint, "scroll goes to an element, to the top or to the bottom")
		}
		a.Scroll = s
	}
}

// amount reads 600 or {x: 600, y: -600}, in CSS pixels.
func (r *reader) amount(s *deed.Scroll, by field) {
	pixels := func(f field) int {
		if text := f.value.text; f.value.kind == scalar && strings.HasSuffix(text, "px") {
			if _, err := strconv.Atoi(strings.TrimSuffix(text, "px")); err == nil {
				r.complain(f.value.pos, f.key+": "+strings.TrimSuffix(text, "px"), "%s is a whole number of CSS pixels, without a unit", f.key)
				return 0
			}
		}
		n, _ := r.integer(f)
		if n > toEnd || n < -toEnd {
			r.complain(f.value.pos, "to: top or to: bottom", "%s is %d, at most %d", f.key, n, toEnd)
			return 0
		}
		return n
	}
	before := len(r.problems)
	if by.value.kind == mapping {
		for _, f := range by.value.fields {
			switch f.key {
			case "x":
				s.X = pixels(f)
			case "y":
				s.Y = pixels(f)
			default:
				r.unknown(f, "an amount", []string{"x", "y"})
			}
		}
	} else {
		s.Y = pixels(by)
	}
	if s.X == 0 && s.Y == 0 && len(r.problems) == before {
		r.complain(by.value.pos, "by: 600, or by: {x: 300}", "scroll by nothing")
	}
}

const tabOpen, tabSwitch, tabClose = "open", "switch", "close"

// tab reads {open: URL}, {switch: TEXT} or close.
func (r *reader) tab(a *deed.Action, v field) {
	const forms = "{open: URL}, {switch: its title or URL} or close"
	n := v.value
	switch {
	case n.kind == scalar && n.text == tabClose:
		a.Tab = tabClose
		return
	case n.kind == scalar && !n.absent:
		hint := forms
		if n.text != tabOpen && n.text != tabSwitch {
			hint = "tab: {switch: " + n.text + "}"
		}
		r.complain(n.pos, hint, "a tab is opened, switched to or closed")
		return
	case n.kind != mapping:
		r.wrongKind(n, "tab", "a mapping", forms)
		return
	case len(n.fields) != 1:
		at := n.pos
		if len(n.fields) > 1 {
			at = n.fields[1].pos
		}
		r.complain(at, forms, "a tab is opened, switched to or closed: one of them")
		return
	}
	f := n.fields[0]
	switch f.key {
	case tabOpen:
		a.Tab = tabOpen
		if text, ok := r.text(f); ok {
			a.Text = text
			if u := r.url(f.value.pos, text); u != nil {
				a.Text = u.String()
			}
		}
	case tabSwitch:
		a.Tab = tabSwitch
		text, ok := r.text(f)
		if ok && strings.TrimSpace(text) == "" {
			r.complain(f.value.pos, "part of its title, or a glob of its URL", "switch is empty")
		}
		a.Text = text
	case tabClose:
		a.Tab = tabClose
		r.nothing(f)
	default:
		r.unknown(f, "tab", []string{tabOpen, tabSwitch, tabClose})
	}
}

// shotName keeps a screenshot inside the folder of its run.
var shotName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func (r *reader) shot(a *deed.Action, v field) {
	name, ok := r.text(v)
	if ok && !shotName.MatchString(name) {
		r.complain(v.value.pos, "letters, digits, - _ and ., without a folder", "%q cannot name a screenshot", name)
	}
	a.Text = name
}
