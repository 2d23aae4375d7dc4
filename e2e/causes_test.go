package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Causes are told apart: what is no fault of the plan never makes its lock another one.

func TestWU7_AServerThatIsDownLeavesTheLock(t *testing.T) {
	w := learn(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--frozen"}, {"--update-effects"}} {
		dir := w.folder(t)
		r := deedRun(t, dir, url, posts, flags...)
		c := r.Cases[0]
		if r.Exit != 1 || c.Outcome != "failed" || c.Code != "navigation_failed" || !strings.Contains(c.Reason, "ERR_CONNECTION_REFUSED") {
			t.Errorf("%v: exit %d, %s, %s: %s, want 1, failed, navigation_failed", flags, r.Exit, c.Outcome, c.Code, c.Reason)
		}
		w.unchanged(t, dir)
	}
}

func TestWU18_AMissingVariableLeavesTheLock(t *testing.T) {
	w := learn(t)
	file, err := os.ReadFile("pocketbase.deed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ old, now, says string }{
		"a secret":   {"secrets: [PASSWORD]", "secrets: [PASSWORD]", "PASSWORD"},
		"a variable": {", COLLECTION: posts}", "}", "COLLECTION"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := w.folder(t)
			if err := os.WriteFile(filepath.Join(dir, "pocketbase.deed.yaml"), bytes.Replace(file, []byte(tt.old), []byte(tt.now), 1), 0o644); err != nil {
				t.Fatal(err)
			}
			var env []string
			if name != "a secret" {
				env = []string{"PASSWORD=" + Password}
			}
			r := execute(t, dir, env, "run", "pocketbase.deed.yaml", "--json", "--var", "BASE_URL="+w.proxy.URL)
			// The file is its own failed case, and nothing of it was run.
			if r.Exit != 2 || len(r.Cases) != 1 || r.Cases[0].Outcome != "failed" || r.Cases[0].Code != "invalid" || len(r.Cases[0].Steps) != 0 || !strings.Contains(r.Stdout, tt.says) || !regexp.MustCompile(`pocketbase\.deed\.yaml:\d+:\d+`).MatchString(r.Stdout) {
				t.Errorf("exit %d, want 2 and one failed case without steps, and where it is:\n%s", r.Exit, r.Stdout)
			}
			w.unchanged(t, dir)
		})
	}
}

const denies = `@id("anything-else")
permit (principal, action, resource);

@id("no-deletion")
@reason("nothing is deleted here")
forbid (principal, action == Action::"click", resource)
when { resource.text like "*delete record*" };
`

func TestWU26_ADenialLeavesTheLock(t *testing.T) {
	w := learn(t)
	for _, flags := range [][]string{nil, {"--update-effects"}} {
		dir := w.folder(t)
		w.reset(t)
		if err := os.WriteFile(filepath.Join(dir, "denies.cedar"), []byte(denies), 0o644); err != nil {
			t.Fatal(err)
		}
		r := deedRun(t, dir, w.proxy.URL, posts, append(slices.Clone(flags), "--policy", "denies.cedar")...)
		r.check(t, wants{exit: 3, outcome: "refused", step: 20, code: "refused", says: []string{"nothing is deleted here"}})
		if got := strings.Join(told(w.app.Journal(posts)), "\n"); got != toTheRecord+"\n"+changed {
			t.Errorf("PocketBase wrote\n%s", got)
		}
		w.unchanged(t, dir)
	}
}

// unchanged demands that the lock in dir is the one that was learnt.
func (w *workbench) unchanged(t *testing.T, dir string) {
	t.Helper()
	if lock := w.locked(t, dir); !bytes.Equal(lock, w.lock) {
		t.Errorf("the lock was rewritten:\n%s", lock)
	}
}
