package browser_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

// Pages that say a secret differ in it alone, and their pictures in nothing.
func TestPicturesShowNoSecret(t *testing.T) {
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Echo</title><style>* { font: 16px monospace; caret-color: transparent }</style>
<label>Password <input type="password" id="p"></label><label>Code <input id="c"></label><button onclick="for (const e of document.querySelectorAll('[data-echo]')) e.append(c.value)">Echo</button>
<p data-echo>You wrote </p><table><tr><td data-echo></td><td>kept</td></tr></table><ul><li data-echo></li></ul><iframe srcdoc="<p>in a frame</p>" width=200 height=60></iframe>`)
	}))
	shots := map[string][]byte{}
	for _, secret := range []string{"abcdefgh-1111", "zyxwvuts-9999"} {
		p := browsertest.Open(t, base+"/")
		p.Pictures(browser.PicturesAll)
		if _, err := p.Do(t.Context(), deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Code"), Text: secret, Secret: "CODE"}); err != nil {
			t.Fatal(err)
		}
		res, err := p.Click(t.Context(), deed.Button("Echo"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Do(t.Context(), deed.Action{Kind: deed.KindHover, Locator: deed.Find("cell", "kept")}); err != nil {
			t.Fatal(err)
		}
		png, err := p.Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shots[secret] = png
		if len(res.Pictures.After) == 0 || strings.Contains(fmt.Sprint(res), secret) {
			t.Errorf("%v", res)
		}
		if plain := browsertest.Open(t, base+"/"); secret == "abcdefgh-1111" {
			bare, err := plain.Screenshot(t.Context())
			if err != nil || bytes.Equal(bare, png) {
				t.Errorf("nothing is covered, nor written: %v", err)
			}
		}
	}
	if !bytes.Equal(shots["abcdefgh-1111"], shots["zyxwvuts-9999"]) {
		t.Error("pictures tell one secret from another")
	}
}
