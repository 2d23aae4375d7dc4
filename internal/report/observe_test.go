package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/report"
	"github.com/deed-dev/deed/internal/snaptext"
)

var update = flag.Bool("update", false, "rewrite the golden sections")

// sections of a fixture: `text`, `json` or `error`, then options: budget=N, in=REGION, find=TEXT (the last one may hold
// blanks), all.
func options(t *testing.T, words string) report.ObserveOptions {
	t.Helper()
	var o report.ObserveOptions
	for words = strings.TrimSpace(words); words != ""; {
		w, rest, _ := strings.Cut(words, " ")
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "budget":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			o.Budget = n
		case "all":
			o.All = true
		case "in", "find":
			_, value, _ = strings.Cut(words, "=")
			rest = ""
			if key == "in" {
				o.In = value
			} else {
				o.Find = value
			}
		default:
			t.Fatalf("unknown option %q", w)
		}
		words = rest
	}
	return o
}

func TestObservation(t *testing.T) {
	files, err := filepath.Glob("testdata/observe/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s *deed.Snapshot
			for i := range a.Files {
				f := &a.Files[i]
				form, words, _ := strings.Cut(f.Name, " ")
				if form == "page" {
					if s, err = snaptext.Parse(string(f.Data)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				var b bytes.Buffer
				switch o := options(t, words); form {
				case "text":
					err = report.Observation(&b, s, o)
				case "json":
					err = report.ObservationJSON(&b, s, o)
				case "error":
					got := report.Observation(&b, s, o)
					if got == nil || b.Len() > 0 {
						t.Errorf("%s: no error, but %q", f.Name, b.String())
						continue
					}
					fmt.Fprintf(&b, "%v\nhint: %s\n", got, deed.HintOf(got))
					err = nil
				default:
					t.Fatalf("unknown section %q", f.Name)
				}
				if err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
				if *update {
					f.Data = b.Bytes()
				} else if got := b.String(); got != string(f.Data) {
					t.Errorf("%s:\n%s\nwant\n%s", f.Name, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// large is a page of n rows, each with a button, between a menu and a cart.
func large(n int) *deed.Snapshot {
	var b strings.Builder
	b.WriteString("url http://127.0.0.1:8080/shop\ntitle Shop\nnavigation\n  link \"Home\"\nbanner\n  catalog:\n")
	for i := range n {
		fmt.Fprintf(&b, "    listitem \"Product %d costs %d €\"\n      button \"Add Product %d\"\n", i, i%90+1, i)
	}
	b.WriteString("  data-deed-region \"words\"\n")
	for i := range n {
		// Alternating roles cannot be folded.
		fmt.Fprintf(&b, "    paragraph \"Sentence %d, which says something that is not short\"\n    heading \"Chapter %d\"\n", i, i)
	}
	b.WriteString("cart:\n  text \"Empty\"\n")
	return snaptext.MustParse(b.String())
}

// TestObservation_Budget: whatever the page, the observation is about as large as asked for, every part of the page is in
// it, and the nodes that are shown and those that are said to be missing are all there are.
func TestObservation_Budget(t *testing.T) {
	for _, n := range []int{1, 10, 1000} {
		s := large(n)
		for _, budget := range []int{100, 400, 2000} {
			t.Run(fmt.Sprintf("%d rows in %d tokens", n, budget), func(t *testing.T) {
				var b bytes.Buffer
				if err := report.Observation(&b, s, report.ObserveOptions{Budget: budget}); err != nil {
					t.Fatal(err)
				}
				text := b.String()
				head, body, _ := strings.Cut(text, "\n")
				if len(body) > budget*4*5/4+200 {
					t.Errorf("%d bytes for a budget of %d tokens:\n%s", len(body), budget, text)
				}
				for _, part := range []string{"\nnavigation\n", "\nbanner\n", "\n  catalog\n", "\n  words\n", "\ncart\n", `text "Empty"`} {
					if !strings.Contains("\n"+body, part) {
						t.Errorf("%q is missing in\n%s", part, text)
					}
				}
				seen := 0
				for _, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
					if !strings.HasPrefix(strings.TrimSpace(line), "…") {
						seen++
					}
				}
				all := len(s.Nodes)
				m := regexp.MustCompile(`(\d+)(?: of (\d+))? nodes`).FindStringSubmatch(head)
				if m == nil || m[1] != strconv.Itoa(seen) || m[2] != "" && m[2] != strconv.Itoa(all) || m[2] == "" && seen != all {
					t.Errorf("%d of %d nodes are shown, the head says %s", seen, all, head)
				}
				missing := 0
				for _, m := range regexp.MustCompile(`… (\d+) more (nodes?|listitems .* each with a button)?`).FindAllStringSubmatch(body, -1) {
					k, _ := strconv.Atoi(m[1])
					if strings.HasPrefix(m[2], "listitems") {
						k *= 2 // the row and its button
					}
					missing += k
				}
				if seen+missing != all {
					t.Errorf("%d shown and %d said to be missing, of %d:\n%s", seen, missing, all, text)
				}
			})
		}
	}
}

// TestObservationJSON_Whole: the document holds every node with its ref, whatever the budget.
func TestObservationJSON_Whole(t *testing.T) {
	s := large(100)
	var b bytes.Buffer
	if err := report.ObservationJSON(&b, s, report.ObserveOptions{Budget: 1}); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Deed, Total int
		Snapshot    string
		Nodes       []struct{ Ref, Parent, Role string }
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Deed != deed.Format || doc.Total != len(s.Nodes) || len(doc.Nodes) != len(s.Nodes) || doc.Snapshot != "s1" {
		t.Fatalf("deed %d, snapshot %q, %d nodes of %d; want all %d", doc.Deed, doc.Snapshot, len(doc.Nodes), doc.Total, len(s.Nodes))
	}
	for i, n := range doc.Nodes {
		ref, err := deed.ParseRef(n.Ref)
		if err != nil || ref != s.Ref(i) {
			t.Fatalf("node %d has the ref %s (%v), want %s", i, n.Ref, err, s.Ref(i))
		}
	}
}
