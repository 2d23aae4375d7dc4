package browser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
)

// Keys whose only effect is the caret or the selection are proven by it, in fields of every kind; a page that swallows them is not.
func TestKeysThatMoveTheCaret(t *testing.T) {
	const page = `<!doctype html><title>Note</title><label>Name <input value="Ana Lind"></label><label>Amount <input type=number value=12></label>
<label>Mail <input type=email value=a@b.example></label><label>Remarks <textarea>one
two</textarea></label><div contenteditable role=textbox aria-label=Article><p>The <b>river</b> rose.</p><p>At night.</p></div>
<my-field></my-field><label>Swallows <input id=s value=text></label><script>
s.onkeydown = e => e.preventDefault();
customElements.define("my-field", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = "<label>Inner <input value=shadow></label>"; } });</script>`
	p := browsertest.HTML(t, page)
	press := func(l deed.Locator, key string) (*deed.Result, error) { return p.Press(t.Context(), l, key) }
	for _, l := range []deed.Locator{deed.Textbox("Name"), deed.Find("spinbutton", "Amount"), deed.Textbox("Mail"), deed.Textbox("Remarks"), deed.Textbox("Article"), deed.Textbox("Inner")} {
		if res, err := press(l, "Control+A"); err != nil || !strings.Contains(res.Judgement.Reason, "is selected") {
			t.Errorf("%s %v\n%s", res.Action.Key, err, res.Explain())
		}
	}
	for _, key := range []string{"Home", "ArrowRight", "Shift+ArrowRight", "Shift+End", "Control+Home"} {
		for _, l := range []deed.Locator{deed.Textbox("Name"), deed.Textbox("Remarks"), deed.Textbox("Article")} {
			if res, err := press(l, key); err != nil {
				t.Errorf("%s %v\n%s", res.Action.Key, err, res.Explain())
			}
		}
	}
	for _, key := range []string{"Control+A", "Shift+Home"} {
		if _, err := press(deed.Textbox("Swallows"), key); !errors.Is(err, deed.CodeMismatch) {
			t.Errorf("%s in a field that swallows it: %v", key, err)
		}
	}
}
