package cli

import (
	"fmt"
	"strings"
)

// around is how many unchanged lines are shown above and below a change.
const around = 3

// unified is the difference of two texts in the unified form; "" where there is none.
func unified(from, to string, a, b []string) string {
	edits := lineEdits(a, b)
	var out strings.Builder
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		// A hunk goes on over gaps that the context on both sides would fill.
		first, last := i, i
		for j := i; j < len(edits) && j-last <= 2*around; j++ {
			if edits[j].op != ' ' {
				last = j
			}
		}
		lo, hi := max(first-around, 0), min(last+around+1, len(edits))
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
		}
		writeHunk(&out, edits[lo:hi])
		i = last + 1
	}
	return out.String()
}

// An edit is one line of a difference: kept ' ', taken away '-', added '+'. Its numbers are those of the lines that come next, from 1.
type edit struct {
	op     byte
	line   string
	ai, bi int
}

func writeHunk(out *strings.Builder, hunk []edit) {
	na, nb := 0, 0
	for _, e := range hunk {
		if e.op != '+' {
			na++
		}
		if e.op != '-' {
			nb++
		}
	}
	at := func(line, n int) string {
		switch n {
		case 0:
			return fmt.Sprintf("%d,0", line-1)
		case 1:
			return fmt.Sprint(line)
		}
		return fmt.Sprintf("%d,%d", line, n)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", at(hunk[0].ai, na), at(hunk[0].bi, nb))
	for _, e := range hunk {
		fmt.Fprintf(out, "%c%s\n", e.op, e.line)
	}
}

// mostCompared bounds the table of a comparison; what is larger is told as replaced.
const mostCompared = 1 << 23

// lineEdits is a shortest way from a to b, through the longest common subsequence of what their ends do not share.
func lineEdits(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	var common [][]int32 // common[i][j]: of x[i:] and y[j:]
	if len(x)*len(y) <= mostCompared {
		common = make([][]int32, len(x)+1)
		for i := range common {
			common[i] = make([]int32, len(y)+1)
		}
		for i := len(x) - 1; i >= 0; i-- {
			for j := len(y) - 1; j >= 0; j-- {
				if x[i] == y[j] {
					common[i][j] = common[i+1][j+1] + 1
				} else {
					common[i][j] = max(common[i+1][j], common[i][j+1])
				}
			}
		}
	}
	var out []edit
	i, j := 0, 0
	add := func(op byte, line string) {
		out = append(out, edit{op, line, i + 1, j + 1})
		if op != '+' {
			i++
		}
		if op != '-' {
			j++
		}
	}
	for i < head {
		add(' ', a[i])
	}
	for i-head < len(x) || j-head < len(y) {
		p, q := i-head, j-head
		switch {
		case common != nil && p < len(x) && q < len(y) && x[p] == y[q]:
			add(' ', a[i])
		case p < len(x) && (q == len(y) || common == nil || common[p+1][q] >= common[p][q+1]):
			add('-', a[i])
		default:
			add('+', b[j])
		}
	}
	for i < len(a) {
		add(' ', a[i])
	}
	return out
}

// lines splits a text into its lines.
func lines(b []byte) []string {
	text := strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
