package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAnUnchangedApplicationGivesTheSameTrace: what is written down of a replay depends on what was done and what came of it, and on nothing else. Times, ids, ports
// and hashes are put aside; all else is compared byte by byte, in order.
func TestAnUnchangedApplicationGivesTheSameTrace(t *testing.T) {
	w := learn(t)
	var first []string
	for i := range *runs {
		dir := w.folder(t)
		w.reset(t)
		if r := deedRun(t, dir, w.proxy.URL, posts); r.Exit != 0 {
			t.Fatalf("run %d: exit %d\n%s", i+1, r.Exit, r.Stderr)
		}
		if string(w.locked(t, dir)) != string(w.lock) {
			t.Errorf("run %d rewrote the lock", i+1)
		}
		found, err := filepath.Glob(filepath.Join(dir, ".deed", "runs", "*", "trace.jsonl"))
		if err != nil || len(found) != 1 {
			t.Fatalf("traces %v, %v", found, err)
		}
		now := normal(t, found[0])
		if first == nil {
			first = now
			continue
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
}

var asides = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`\b[a-z0-9]{15}\b`), "ID"}, // of PocketBase's records
}

// normal are the records of a trace without what is different for every run.
func normal(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	last := "" // the kind of the record before
	ids := map[string]string{}
	for line := range strings.Lines(string(b)) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"run", "seq", "time", "prev", "hash", "digest", "duration_ms", "phases_ms"} {
			delete(e, k)
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
		// While the element is not there or not ready policy is asked anew at each look: how often is a matter of speed. The last answer is the one that counts.
		kind := fmt.Sprint(e["kind"], e["id"])
		if kind == last && e["kind"] == "decided" {
			out = out[:len(out)-1]
		}
		last = kind
		out = append(out, s)
	}
	return out
}
