package casefile

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/deed-dev/deed"
)

// mostChained bounds cases that depend on cases (WU-30).
const mostChained = 5

// Others finds the cases that the given ones depend on and that are not among them: in the folders of those that depend on them, and in
// all folders below the nearest one above that holds a deed.yaml or a .git. Complained about are an id that is nowhere, a ring, and a
// chain longer than five, each with the ids in their order.
func Others(cases []deed.Case, o Options) (others []deed.Case, problems []Problem) {
	_, others, problems = dependencies(cases, o)
	if len(problems) > 0 {
		return nil, problems
	}
	return others, nil
}

// dependencies follows depends_on. Each complaint is about the case that it names; byID are the cases and the others.
func dependencies(cases []deed.Case, o Options) (byID map[string]*deed.Case, others []deed.Case, problems []Problem) {
	byID = map[string]*deed.Case{}
	for i := range cases {
		byID[cases[i].ID] = &cases[i]
	}
	searched := map[string]bool{}
	found := map[string]deed.Case{}
	search := func(c *deed.Case) {
		dir := project(filepath.Dir(c.File))
		if searched[dir] {
			return
		}
		searched[dir] = true
		files, _ := find(dir) // what cannot be read there is nobody's concern here
		for _, f := range files {
			data, err := read(f)
			if err != nil {
				continue
			}
			list, _ := parse(f, data, o)
			for _, l := range list {
				if _, ok := found[l.ID]; !ok {
					found[l.ID] = l.Case
				}
			}
		}
	}
	state := map[string]int{} // 1: on the way, 2: done
	depth := map[string]int{} // cases in the longest chain that ends here
	var visit func(c *deed.Case, chain []string)
	visit = func(c *deed.Case, chain []string) {
		chain = append(chain[:len(chain):len(chain)], c.ID)
		state[c.ID] = 1
		defer func() { state[c.ID] = 2 }()
		depth[c.ID] = 1
		complain := func(hint, format string, args ...any) {
			problems = append(problems, Problem{Pos: c.Pos, File: c.File, Case: c.ID, Err: invalid(format, args...), Hint: hint})
		}
		for _, id := range c.DependsOn {
			d := byID[id]
			if d == nil {
				search(c)
				if f, ok := found[id]; ok {
					d = &f
					byID[id] = d
					others = append(others, f)
				}
			}
			switch {
			case d == nil:
				hint := ""
				var ids []string
				for other := range found {
					ids = append(ids, other)
				}
				for other := range byID {
					ids = append(ids, other)
				}
				if s := deed.Suggest(id, ids); s != "" {
					hint = "did you mean \"" + s + "\"?"
				}
				complain(hint, "%s depends on %s, and there is no such case", c.ID, id)
				continue
			case state[id] == 1:
				complain("", "cases depend on each other: %s → %s", strings.Join(chain, " → "), id)
				continue
			case state[id] == 0:
				visit(d, chain)
			}
			if n := depth[id] + 1; n > depth[c.ID] {
				depth[c.ID] = n
			}
		}
		if depth[c.ID] == mostChained+1 {
			complain("", "more than %d cases depend on each other: %s", mostChained, longest(c, byID, depth))
		}
	}
	for i := range cases {
		if state[cases[i].ID] == 0 {
			visit(&cases[i], nil)
		}
	}
	return byID, others, problems
}

// longest writes out the longest chain below a case.
func longest(c *deed.Case, byID map[string]*deed.Case, depth map[string]int) string {
	out := c.ID
	for {
		var next *deed.Case
		for _, id := range c.DependsOn {
			if d := byID[id]; d != nil && depth[id] == depth[c.ID]-1 {
				next = d
				break
			}
		}
		if next == nil {
			return out
		}
		out, c = out+" → "+next.ID, next
	}
}

// project is the folder that a file's project begins in: the nearest above that holds a deed.yaml or a .git, else the file's own.
func project(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	shown := dir
	for {
		for _, mark := range []string{"deed.yaml", ".git"} {
			if _, err := os.Stat(filepath.Join(abs, mark)); err == nil {
				return shown
			}
		}
		up := filepath.Dir(abs)
		if up == abs {
			return dir
		}
		abs, shown = up, filepath.Join(shown, "..")
	}
}
