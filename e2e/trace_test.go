package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAnUnchangedApplicationGivesTheSameTrace: of each action a replay writes down the same proposal, the same last decision and the same end, in the same order, and its
// lock stays as it is. Times, ids, ports and hashes are put aside; so is what is a matter of speed: how often an element that was not ready was looked at,
// decided on and reached for, and which passing changes were seen by the way. How many traces are the same with all of that is logged.
func TestAnUnchangedApplicationGivesTheSameTrace(t *testing.T) {
	w := learn(t)
	var first, firstWhole []string
	same := 0
	for i := range *runs {
		dir := w.folder(t)
		w.reset(t)
		if r := deedRun(t, dir, w.proxy.URL, posts); r.Exit != 0 {
			t.Fatalf("run %d: exit %d\n%s", i+1, r.Exit, r.Stderr)
		}
		w.unchanged(t, dir)
		found, err := filepath.Glob(filepath.Join(dir, ".deed", "runs", "*", "trace.jsonl"))
		if err != nil || len(found) != 1 {
			t.Fatalf("traces %v, %v", found, err)
		}
		now, whole := normal(t, found[0], true), normal(t, found[0], false)
		if first == nil {
			first, firstWhole = now, whole
		}
		if slices.Equal(firstWhole, whole) {
			same++
		}
		for n := range max(len(first), len(now)) {
			a, b := "no record", "no record"
			if n < len(first) {
				a = first[n]
			}
			if n < len(now) {
				b = now[n]
			}
			if a != b {
				t.Errorf("run %d, record %d:\n%s\nwas\n%s", i+1, n+1, b, a)
				break
			}
		}
	}
	t.Logf("%d of %d traces are the same to the byte", same, *runs)
}

var asides = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`\b[a-z0-9]{15}\b`), "ID"}, // of PocketBase's records
}

// normal are the records of a trace without what is different for every run, and where asked without what is a matter of speed.
func normal(t *testing.T, file string, speed bool) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type record struct{ key, line string }
	var out []record
	ids, looks := map[string]string{}, map[any]bool{}
	for line := range strings.Lines(string(b)) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"run", "seq", "time", "prev", "hash", "digest", "duration_ms", "phases_ms"} {
			delete(e, k)
		}
		if speed {
			// A page that does not have the element yet is asked about as one that is waited on.
			if a, ok := e["action"].(map[string]any); ok && len(a) == 1 && a["kind"] == "wait" {
				looks[e["id"]] = true
			}
			if looks[e["id"]] {
				continue
			}
			for _, k := range []string{"changes", "prevented"} {
				delete(e, k)
			}
			if q, ok := e["request"].(map[string]any); ok { // focus, rows and states of an element come while the page is at work
				delete(q, "element")
			}
		}
		if id, ok := e["id"].(string); ok { // actions are told apart, whatever they are called
			if ids[id] == "" {
				ids[id] = fmt.Sprint("action ", len(ids)+1)
			}
			e["id"] = ids[id]
		}
		if q, ok := e["request"].(map[string]any); ok { // elements are numbered as they come
			if el, ok := q["element"].(map[string]any); ok {
				delete(el, "element")
				delete(el, "parent")
			}
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		s := string(b)
		for _, a := range asides {
			s = a.of.ReplaceAllString(s, a.by)
		}
		if speed { // the last decision is the one that counts
			key := fmt.Sprint(e["kind"], " ", e["id"])
			out = slices.DeleteFunc(out, func(o record) bool { return e["kind"] == "decided" && o.key == key })
			if e["kind"] == "started" {
				continue
			}
			out = append(out, record{key, s})
			continue
		}
		out = append(out, record{"", s})
	}
	var lines []string
	for _, o := range out {
		lines = append(lines, o.line)
	}
	return lines
}
