package lock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/deed-dev/deed"
)

// TestMistakes: a file that cannot be understood is an error with file, line and column, and stays as it is.
func TestMistakes(t *testing.T) {
	ok := "deed: 1\ncases:\n  - case: a\n    key: \"k\"\n    runs: 1\n    steps:\n      - do: click\n"
	for _, c := range []struct{ name, text, want string }{
		{"no version", "cases: []\n", "x.deed.lock:1:1: a lock file begins with deed: 1"},
		{"another version", "deed: 2\ncases: []\n", `x.deed.lock:1:7: unknown version "2" of lock files, this deed knows 1`},
		{"not YAML", "deed: 1\ncases: [\n", "x.deed.lock:2:"},
		{"empty", "", "x.deed.lock:1:1: a lock file is one document"},
		{"two documents", "deed: 1\n---\ndeed: 1\n", "x.deed.lock:1:1: a lock file is one document, this has 2"},
		{"a merge", "deed: 1\n<<<<<<< HEAD\ncases: []\n", "x.deed.lock:2:1: a merge of two versions was not finished here"},
		{"unknown key", ok + "    color: red\n", `x.deed.lock:8:5: unknown key "color" in the lock of a case`},
		{"unknown kind", ok + "        effects:\n          - apeared: button\n", "x.deed.lock:9:13: an effect says what appeared"},
		{"unknown wildcard", ok + "        effects:\n          - appeared: 'button \"{nummer}\"'\n", "x.deed.lock:9:23: {nummer} is no wildcard"},
		{"no element", ok + "        effects:\n          - appeared: 'button Save'\n", `x.deed.lock:9:23: "button Save" names no element`},
		{"times", ok + "        effects:\n          - appeared: button\n            times: many\n", "x.deed.lock:10:20: times is a number"},
		{"state", ok + "        effects:\n          - changed: button\n            now: [chekced]\n", `x.deed.lock:10:19: unknown state "chekced"`},
		{"twice", ok + "  - case: a\n    key: \"k\"\n    runs: 1\n", `x.deed.lock:8:5: the case "a" is locked twice, first at line 3`},
		{"key twice", "deed: 1\ndeed: 1\n", `x.deed.lock:2:1: the key "deed" is given twice, first at line 1`},
		{"no id", "deed: 1\ncases:\n  - key: \"k\"\n    runs: 1\n", "x.deed.lock:3:5: the id of the case is missing"},
		{"bad id", "deed: 1\ncases:\n  - case: ../x\n", `x.deed.lock:3:11: "../x" is no id of a case`},
		{"alias", "deed: 1\ncases: &a []\n", "anchors, aliases and tags"},
		{"deep", "deed: 1\ncases: " + strings.Repeat("[", 400) + strings.Repeat("]", 400) + "\n", "nested too deeply"},
		{"healed", ok + "        healed: nonsense \"x\"\n", "is no locator"},
		{"not UTF-8", "deed: 1\n# \xff\n", "the file is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode("x.deed.lock", []byte(c.text))
			if err == nil || !errors.Is(err, deed.CodeInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			path := filepath.Join(t.TempDir(), "x.deed.lock")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(path); err == nil {
				t.Error("it was read")
			}
			// It turned bad after it was read.
			good := filepath.Join(t.TempDir(), "x.deed.lock")
			f, err := Load(good)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(good, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			f.Put(&Case{ID: "b", Key: "k", Runs: 1})
			if err := f.Save(); err == nil {
				t.Error("it was overwritten")
			}
			if data, _ := os.ReadFile(good); string(data) != c.text {
				t.Errorf("it is now %q", data)
			}
		})
	}
	if _, err := decode("x", []byte(ok)); err != nil {
		t.Errorf("what the mistakes are made from is one itself: %v", err)
	}
}

func TestPath(t *testing.T) {
	for in, want := range map[string]string{"shop.deed.yaml": "shop.deed.lock", "a/b.deed.json": "a/b.deed.lock", "notes.md": "notes.deed.lock", "x.deed.yml": "x.deed.lock", "plain": "plain.lock"} {
		if got := Path(in); got != want {
			t.Errorf("Path(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.deed.lock")
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made of nothing")
	}
	f.Put(&Case{ID: "b", Key: "k", Runs: 1})
	f.Put(&Case{ID: "a", Key: "k", Runs: 2, Device: "phone"})
	f.Put(&Case{ID: "a", Key: "k", Runs: 1})
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if des, _ := os.ReadDir(dir); len(des) != 1 {
		t.Errorf("left behind: %v", des)
	}
	g, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if c := g.Case("a", "phone"); c == nil || c.Runs != 2 || g.Case("a", "").Runs != 1 || g.Case("c", "") != nil {
		t.Errorf("read back: %+v", c)
	}
	g.Put(g.Case("a", ""))
	if err := g.Save(); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.Stat(path); !os.SameFile(info, again) {
		t.Error("the same locks were written once more")
	}
	g.Drop(func(id string) bool { return id == "b" })
	if err := g.Save(); err != nil {
		t.Fatal(err)
	}
	if h, err := Load(path); err != nil || h.Case("a", "") != nil || h.Case("a", "phone") != nil || h.Case("b", "") == nil {
		t.Errorf("dropped: %v %+v", err, h)
	}
}

// TestSave_FromSeveral: cases of one file run at the same time.
func TestSave_FromSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.deed.lock")
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Split("abcdefghijklmnop", "")
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			f.Put(&Case{ID: id, Key: "k", Runs: 1})
			if err := f.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	g, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if g.Case(id, "") == nil {
			t.Errorf("%s is gone", id)
		}
	}
}

// A folder where nothing can be put: the file that is there stays whole.
func TestSave_Fails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gone", "a.deed.lock")
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Put(&Case{ID: "a", Key: "k", Runs: 1})
	if err := f.Save(); !errors.Is(err, deed.CodeEnvironment) {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	golden, err := os.ReadFile("testdata/shop.deed.lock")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	for _, s := range []string{"deed: 1\ncases: []\n", "deed: 2", "deed: 1\ncases:\n  - case: a\n    key: k\n    runs: 1\n    steps:\n      - do: click\n        effects:\n          - appeared: 'x \"a\" frame \"f\" in r'\n            times: any\n",
		"{deed: 1, cases: [{case: a, key: k, runs: 2, steps: [{do: goto, url: \"${ORIGIN}/{id}\"}]}]}", "deed: 1\ncases:\n- case: a\n  key: |\n    k\n  runs: 1\n", "- - - - -", "? a\n: b", "&a *a", "\xff", "deed: 1 # x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cs, err := decode("x.deed.lock", data)
		if err != nil {
			if !errors.Is(err, deed.CodeInvalid) || !strings.Contains(err.Error(), "x.deed.lock:") {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		out := encode(cs)
		back, err := decode("x.deed.lock", out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if again := encode(back); string(again) != string(out) {
			t.Fatalf("%s\nread back\n%s", out, again)
		}
		for _, c := range back {
			for i := range c.Steps {
				s := &c.Steps[i]
				for j := range s.Effects {
					s.Effects[j].accepts(&s.Effects[j])
				}
			}
			Merge(c, c)
		}
	})
}
