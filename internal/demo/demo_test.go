package demo

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// TestRun_AP4_AP5: the bare click buys the wrong thing without an error; the same click by deed buys the right one, the
// wrong one is never in the cart, and at least one gesture was prevented.
func TestRun_AP4_AP5(t *testing.T) {
	var b bytes.Buffer
	if err := Run(t.Context(), browsertest.Browser(t), &b, Options{}); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	for _, want := range []string{"said      no error", "✗ the wrong thing was bought", "match (expect)", "T-shirt M    ✓", "mismatch (neighbour)",
		`undone    click button "Remove Trousers L"`, "left over nothing", "empty        ✓"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("colour was not asked for:\n%q", b.String())
	}
}

// TestActs_NeverInTheCart: the page keeps a record of everything that was ever added; the proven click adds one thing.
func TestActs_NeverInTheCart(t *testing.T) {
	files := pagesWith(t, map[string]string{"shop.js": "\n{ const before = add; window.__ever = []; add = (item) => { __ever.push(item.name); before(item); }; }\n"})
	p := browsertest.Open(t, browsertest.Server(t, http.FileServerFS(files))+"/recycle.html")
	res, err := p.Click(t.Context(), deed.Button("Add "+wanted).In("catalog"))
	if err != nil || res.Prevented == 0 || res.Undone != 0 {
		t.Fatalf("%v\n%s", err, res.Explain())
	}
	var ever []string
	if _, err := p.Eval(t.Context(), "__ever", &ever); err != nil {
		t.Fatal(err)
	}
	if len(ever) != 1 || ever[0] != wanted {
		t.Errorf("in the course of the click the page added %q", ever)
	}
}

// TestActs_CanFail: on pages that behave otherwise, no act claims that its story came out.
func TestActs_CanFail(t *testing.T) {
	honest := map[string]string{}
	for _, name := range []string{"recycle.html", "neighbour.html"} {
		data, err := fs.ReadFile(Pages(), name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), `list.addEventListener("pointerdown"`, `list.addEventListener("never"`)
		text = strings.ReplaceAll(text, "goods[(i + 1) % goods.length]", "goods[i]")
		if text == string(data) {
			t.Fatalf("%s is not what it was", name)
		}
		honest[name] = text
	}
	files := pagesWith(t, nil)
	for name, text := range honest {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var b bytes.Buffer
	s := &story{ctx: t.Context(), b: browsertest.Browser(t), w: &b, shop: browsertest.Server(t, http.FileServerFS(files)) + "/",
		button: deed.Button("Add " + wanted).In("catalog")}
	for i, act := range []func() error{s.bare, s.proven, s.undone} {
		b.Reset()
		if err := act(); !errors.Is(err, deed.CodeMismatch) {
			t.Errorf("act %d on an honest page: %v\n%s", i+1, err, b.String())
		}
	}
}

// pagesWith are the demo's pages, with text put at the end of some.
func pagesWith(t *testing.T, more map[string]string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	sub := Pages()
	err := fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sub, p)
		out[p] = &fstest.MapFile{Data: append(data, more[p]...)}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
