package report

import (
	"fmt"
	"slices"
	"strings"
)

// shrink makes the items fit a budget of bytes. Rows alike are folded first, fewer of them shown at each step; then names
// are cut; what still does not fit is cut where the most is, so that a large region does not hide a small one.
func (v *view) shrink(items []*item, budget int) []*item {
	if size(items, 0) <= budget {
		return items
	}
	for _, n := range []int{20, 10, 5, 3, 1} {
		if folded := v.fold(items, n); size(folded, 0) <= budget {
			return folded
		}
	}
	v.clip = 60
	for _, n := range []int{3, 1} {
		if folded := v.fold(v.tree(), n); size(folded, 0) <= budget || n == 1 {
			return v.cut(folded, 0, budget)
		}
	}
	return nil
}

// stands counts the nodes that the items show or stand for.
func stands(items []*item) int {
	n := 0
	for _, it := range items {
		n += it.stands + stands(it.kids)
	}
	return n
}

func size(items []*item, depth int) int {
	n := 0
	for _, it := range items {
		n += cost(it, depth)
	}
	return n
}

func cost(it *item, depth int) int { return 2*depth + len(it.text) + 1 + size(it.kids, depth+1) }

// fold shows the first n of each row of items alike, and says how many more there are.
func (v *view) fold(items []*item, n int) []*item {
	var out []*item
	for i := 0; i < len(items); {
		j := i + 1
		for j < len(items) && items[j].shape == items[i].shape {
			j++
		}
		first := min(i+n, j)
		if j-first < 2 {
			first = j // a fold of one saves nothing
		}
		for _, it := range items[i:first] {
			out = append(out, &item{node: it.node, stands: 1, text: it.text, shape: it.shape, kids: v.fold(it.kids, n)})
		}
		if first < j {
			out = append(out, v.folded(items[i], items[first:j]))
		}
		i = j
	}
	return out
}

// folded is the line that stands for items like one that is shown.
func (v *view) folded(like *item, rest []*item) *item {
	role := printable(v.s.Nodes[like.node].Role)
	text := fmt.Sprintf("… %d more %s like e%d", len(rest), plural(role), like.node+1)
	if with := v.controls(rest); with != "" {
		text += ", each with " + with
	}
	return &item{node: -1, stands: stands(rest), text: text + v.expand(like.node)}
}

// operable are the controls that a fold names.
var operable = []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "spinbutton", "slider", "menuitem", "tab"}

// controls says what can be operated in each of the rows: `a button "Add …"`.
func (v *view) controls(rows []*item) string {
	if len(rows[0].kids) == 0 {
		return ""
	}
	var names [][]string // per control, its names in the rows
	var roles []string
	for r, row := range rows {
		k := 0
		v.each(row.kids, func(it *item) {
			n := &v.s.Nodes[it.node]
			if !slices.Contains(operable, n.Role) {
				return
			}
			if r == 0 {
				roles = append(roles, n.Role)
				names = append(names, nil)
			}
			names[k] = append(names[k], n.Name)
			k++
		})
	}
	var parts []string
	for k, role := range roles {
		if k == 3 {
			parts = append(parts, "more")
			break
		}
		part := article(role) + " " + role
		if name, whole := shared(names[k]); whole && name != "" {
			part += " " + quoted(name, 60)
		} else if name != "" {
			part += " " + quoted(name+" …", 60)
		}
		parts = append(parts, part)
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func (v *view) each(items []*item, visit func(*item)) {
	for _, it := range items {
		if it.node >= 0 {
			visit(it)
		}
		v.each(it.kids, visit)
	}
}

// shared is the beginning that the names have in common, in whole words, and whether it is the whole of each.
func shared(names []string) (string, bool) {
	prefix := strings.Fields(names[0])
	whole := true
	for _, n := range names[1:] {
		f := strings.Fields(n)
		k := 0
		for k < len(prefix) && k < len(f) && prefix[k] == f[k] {
			k++
		}
		whole = whole && k == len(prefix) && k == len(f)
		prefix = prefix[:k]
	}
	return strings.Join(prefix, " "), whole
}

func article(role string) string {
	if strings.ContainsRune("aeio", rune(role[0])) {
		return "an"
	}
	return "a"
}

// expand says how to see what is folded.
func (v *view) expand(node int) string {
	region := v.s.Nodes[node].Region
	switch {
	case v.o.Find != "":
		return "  (expand: --all)"
	case region == "" || v.o.In != "":
		return "  (expand: --find TEXT, or --all)"
	}
	return "  (expand: --in " + shellWord(safeLabel(region)) + ", or --find TEXT)"
}

// shellWord is s as one word of a command line.
func shellWord(s string) string {
	if word.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// lineSize is about what a short line takes.
const lineSize = 40

// cut leaves out what does not fit, and says how much: every item gets an equal share of the budget, and what a small one
// leaves over goes to the larger.
func (v *view) cut(items []*item, depth, budget int) []*item {
	if size(items, depth) <= budget {
		return items
	}
	room := max(1, budget/(lineSize+2*depth))
	first := items[:min(room, len(items))]
	budget -= lineSize + 2*depth // for the line that says what is missing
	shares := share(first, depth, budget)
	var out []*item
	missing := 0
	at := -1
	gone := false // the item before was left out
	note := func() {
		if missing > 0 {
			out = append(out, &item{node: -1, stands: missing, text: "… " + count(missing, "more node") + v.expand(at)})
		}
		missing = 0
	}
	for i, it := range items {
		own := 2*depth + len(it.text) + 1
		isFold := it.node < 0
		if isFold && gone || !isFold && (i >= len(first) || shares[i] < own) {
			missing += stands([]*item{it})
			if !isFold {
				at = it.node
			}
			gone = true
			continue
		}
		gone = false
		note()
		if isFold {
			out = append(out, it) // it says more than a number, and what it is like is shown
			continue
		}
		out = append(out, &item{node: it.node, stands: 1, text: it.text, shape: it.shape, kids: v.cut(it.kids, depth+1, shares[i]-own)})
	}
	note()
	return out
}

// share parts a budget among items: equal shares, but to none more than it needs.
func share(items []*item, depth, budget int) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cost(items[a], depth) - cost(items[b], depth) })
	out := make([]int, len(items))
	left := max(budget, 0)
	for k, i := range order {
		out[i] = min(cost(items[i], depth), left/(len(order)-k))
		left -= out[i]
	}
	return out
}
