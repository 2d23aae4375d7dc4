package pagescript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

// raw takes a snapshot and returns it as it crosses the wire, too: nothing secret may be in there.
func (t *tab) raw() (string, *Part) {
	t.Helper()
	var text string
	t.eval("T.snapshot()", &text)
	p, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return text, p
}

func TestAP46_PagesCannotBlindTheObserver(t *testing.T) {
	const form = `<form aria-label=Login><label>User <input name=getAttribute value=ana></label><label>Password <input type=password name=value value=hunter2></label>
<input name=children aria-label=c><input name=parentNode aria-label=p><input name=firstChild aria-label=f><input name=localName aria-label=l><input name=checkVisibility aria-label=v>
<input name=getBoundingClientRect aria-label=r><input name=shadowRoot aria-label=s><input name=namespaceURI aria-label=n><input name=matches aria-label=m><input name=nodeType aria-label=t>
<input name=hasAttribute aria-label=h><input name=id aria-label=i><input name=labels aria-label=ls><input name=tagName aria-label=tn><input name=nextSibling aria-label=ns><input name=isConnected aria-label=ic>
<input name=assignedSlot aria-label=as><input name=getRootNode aria-label=gr><input name=textContent aria-label=tc><input name=attributes aria-label=at><button name=contains>Sign in</button></form>`
	const around = `<ul><li value=3></li><li value=4>Four</li></ul><img name=body alt=i><img name=documentElement alt=j><form name=activeElement aria-label=q></form><embed name=querySelectorAll><object name=title></object>`
	want := openTab(t, `<!doctype html><title>T</title><main>`+around+strings.NewReplacer("name=getAttribute ", "", "name=value ", "", "name=contains", "").Replace(stripNames(form))+`</main>`).look()
	for name, script := range map[string]string{
		"clobbered by names": "",
		"prototypes overridden": `Element.prototype.getAttribute=()=>null; Element.prototype.hasAttribute=()=>false; Element.prototype.checkVisibility=()=>false; Element.prototype.matches=()=>false;
			Object.defineProperty(Element.prototype,'shadowRoot',{get(){throw 1}}); Object.defineProperty(Node.prototype,'firstChild',{get(){return null}}); Array.prototype.push=()=>0; JSON.stringify=()=>'nope';
			Map.prototype.get=()=>undefined; WeakMap.prototype.get=()=>undefined; String.prototype.replace=()=>'x'; Array.prototype.toJSON=()=>'[]'; Object.prototype.toJSON=()=>'o'; window.getComputedStyle=()=>({});
			Element.prototype.getBoundingClientRect=()=>({left:0,top:0,right:0,bottom:0}); document.elementFromPoint=()=>null; window.crypto.getRandomValues=()=>{throw 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			tab := openTab(t, `<!doctype html><title>T</title><script>`+script+`</script><main>`+around+form+`</main>`)
			text, got := tab.raw()
			if !got.Complete {
				t.Fatalf("incomplete: %s", got.Why)
			}
			if outline(got) != outline(want) {
				t.Errorf("got\n%s\nwant\n%s", outline(got), outline(want))
			}
			if got.Title != "T" {
				t.Errorf("title %q", got.Title)
			}
			if strings.Contains(text, "hunter2") {
				t.Error("the password left the page")
			}
			if n := find(t, got, "textbox", "Password"); n.Value != deed.Redacted || !n.Sensitive {
				t.Errorf("password field: %+v", n)
			}
			find(t, got, "listitem", "Four")
			for i := range got.Nodes { // each can be asked for alone as well
				var id struct{ Role, Name string }
				tab.eval(`T.identity(T.elementOf(`+jsNumber(got.Nodes[i].Element)+`))`, &id)
				if id.Role != got.Nodes[i].Role || id.Name != got.Nodes[i].Name {
					t.Errorf("identity %+v of %s", id, got.Nodes[i].String())
				}
			}
		})
	}
}

func jsNumber(n int64) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// stripNames takes the name attributes out of a form.
func stripNames(html string) string {
	var b strings.Builder
	for i, part := range strings.Split(html, " name=") {
		if i > 0 {
			end := strings.IndexAny(part, " >")
			part = part[end:]
		}
		b.WriteString(part)
	}
	return b.String()
}

func TestAP47_MarkedTextIsMaskedEverywhere(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><p data-ap-sensitive>IBAN FI21 1234</p><p>Your code is <b id=code data-deed-sensitive>998877</b>, keep it</p>
<button aria-labelledby="copy code">x</button><span id=copy hidden>Copy</span><button data-deed-sensitive>4111 1111</button><h2 data-deed-sensitive aria-label="Secret 5555">t</h2>
<ul><li>Key <span data-deed-sensitive>sk-live-77</span> <button>Revoke</button></li></ul><table><tr><td>Token<td data-deed-sensitive>tok_1</table>
<div data-deed-sensitive>Bare 31337</div><div role=status data-deed-sensitive></div><label for=in data-deed-sensitive>PIN is 4242</label><input id=in>
<div data-deed-sensitive><div><p>Deep 666</p><button>Copy it</button><div role=group aria-label="Box 777">b</div></div></div>
<p data-deed-sensitive=false>Public 123</p>`)
	text, p := tab.raw()
	for _, secret := range []string{"FI21", "998877", "4111", "5555", "sk-live", "tok_1", "31337", "4242", "666", "777"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q left the page:\n%s", secret, outline(p))
		}
	}
	find(t, p, "paragraph", "Your code is [redacted] , keep it")
	find(t, p, "button", "Copy [redacted]")
	find(t, p, "button", "Copy it")
	find(t, p, "button", "Revoke")
	find(t, p, "listitem", "Key [redacted]")
	find(t, p, "textbox", "[redacted]")
	find(t, p, "paragraph", "Public 123")
	if row := find(t, p, "button", "Revoke").Row; row != "Key [redacted]" {
		t.Errorf("row %q", row)
	}
}

func TestAP48_InputsInMarkedContainers(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><section data-ap-sensitive><div><label>Nickname <input value=shadowfox></label></div>
<label>Colour <select><option>red<option selected>ultraviolet</select></label><div contenteditable aria-label=Diary>dear diary</div><textarea aria-label=Area>area51</textarea><x-f></x-f>
<div role=slider aria-label=Level aria-valuenow=42424 tabindex=0></div></section><label>Open <input value=visible></label>
<script>customElements.define('x-f', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML = '<input aria-label=Inner value=innersecret>'; } })</script>`)
	text, p := tab.raw()
	for _, secret := range []string{"shadowfox", "dear diary", "area51", "innersecret", "42424"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q left the page:\n%s", secret, outline(p))
		}
	}
	for _, name := range []string{"Nickname", "Diary", "Area", "Inner"} {
		if n := find(t, p, "textbox", name); n.Value != deed.Redacted || !n.Sensitive || !n.HasValue {
			t.Errorf("%s: %+v", name, n)
		}
	}
	if n := find(t, p, "combobox", "Colour"); n.Value != deed.Redacted {
		t.Errorf("Colour: %+v", n)
	}
	if n := find(t, p, "textbox", "Open"); n.Value != "visible" || n.Sensitive {
		t.Errorf("Open: %+v", n)
	}
}

func TestAP36_OpenShadowRootsAreSeenWithTheirRegion(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><shop-cart></shop-cart><main><x-slot><li slot=b>Light B</li><b>Light</b></x-slot></main>
<script>customElements.define('shop-cart', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML = '<section data-deed-region=cart><ul><li>T-shirt M <button>Remove</button></li></ul><inner-el></inner-el></section>'; } });
customElements.define('inner-el', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML = '<button>Deep</button>'; } });
customElements.define('x-slot', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML = '<nav aria-label=Inner><slot></slot><ul><slot name=b></slot></ul><slot name=none>Fallback</slot></nav>'; } });</script>`)
	before := tab.look()
	expectOutline(t, before,
		`data-deed-region "cart" region`,
		`  list in cart`,
		`    listitem "T-shirt M" in cart row "T-shirt M"`,
		`      button "Remove" in cart row "T-shirt M"`,
		`  button "Deep" in cart`,
		`main region`,
		`  navigation "Inner" in main region`,
		`    text "Light Fallback" in navigation "Inner"`,
		`    list in navigation "Inner"`,
		`      listitem "Light B" in navigation "Inner" row "Light B"`,
	)
	tab.inPage(`document.querySelector("shop-cart").shadowRoot.querySelector("ul").insertAdjacentHTML("beforeend", "<li>Trousers L</li>")`, nil)
	if n := find(t, tab.look(), "listitem", "Trousers L"); n.Region != "cart" {
		t.Errorf("the new item is in %q", n.Region)
	}
}

func TestClosedShadowRootsAreSeenOnceAdopted(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><div id=h><b slot=s>slotted</b></div><script>h.attachShadow({mode:'closed'}).innerHTML = '<label>Speed <select><option>Slow</select></label><p><slot name=s></slot></p>'</script>`)
	if p := tab.look(); len(p.Nodes) != 0 && p.Nodes[0].Role != "text" {
		t.Fatalf("already:\n%s", outline(p))
	}
	var obj struct{ Result struct{ ObjectID string } }
	tab.call("Runtime.evaluate", map[string]any{"expression": "h", "contextId": tab.world}, &obj)
	var node struct {
		Node struct {
			ShadowRoots []struct{ BackendNodeID int64 }
		}
	}
	tab.call("DOM.describeNode", map[string]any{"objectId": obj.Result.ObjectID, "depth": -1, "pierce": true}, &node)
	if len(node.Node.ShadowRoots) != 1 {
		t.Fatalf("%+v", node)
	}
	var root struct{ Object struct{ ObjectID string } }
	tab.call("DOM.resolveNode", map[string]any{"backendNodeId": node.Node.ShadowRoots[0].BackendNodeID, "executionContextId": tab.world}, &root)
	tab.call("Runtime.callFunctionOn", map[string]any{"functionDeclaration": "function() { T.adoptRoot(this) }", "objectId": root.Object.ObjectID}, nil)
	expectOutline(t, tab.look(), `combobox "Speed" = "Slow" (collapsed)`, `  option "Slow" (selected) unseen`, `paragraph "slotted"`)
}

func TestSensitiveFields(t *testing.T) {
	tab := openTab(t, "")
	for html, want := range map[string]bool{
		`<input type=password>`: true, `<input autocomplete=one-time-code>`: true, `<input autocomplete="section-a cc-number">`: true, `<input autocomplete=cc-exp-month>`: true,
		`<input autocomplete=cc-name>`: true, `<input autocomplete=new-password>`: true, `<input role=combobox autocomplete=new-password>`: false, `<input role=combobox autocomplete=cc-number>`: true, `<input autocomplete=email>`: false, `<input autocomplete=name>`: false,
		`<input aria-label="Card number">`: true, `<input aria-label="Security code">`: true, `<input aria-label="CVC">`: true, `<input placeholder="CVV2">`: true,
		`<input aria-label="One-time code">`: true, `<input aria-label=OTP>`: true, `<input aria-label="Verification code">`: true, `<input aria-label=PIN>`: true,
		`<input aria-label="Passcode">`: true, `<input aria-label=IBAN>`: true, `<input aria-label="SSN">`: true, `<input aria-label="API key">`: true, `<input aria-label="Access token">`: true,
		`<textarea aria-label="Client secret"></textarea>`: true, `<input name=cardNumber>`: true, `<input id=card_number>`: true, `<input name=apiKey>`: true, `<input name="user[password]">`: true,
		`<input name=otp-code>`: true, `<input aria-label="Kartennummer">`: true, `<input aria-label="Número de tarjeta">`: true, `<input aria-label="Mot de passe">`: true,
		`<input aria-label="Contraseña">`: true, `<input aria-label="Пароль">`: true, `<input aria-label="パスワード">`: true, `<input aria-label="验证码">`: true, `<input aria-label="Salasana">`: true,
		`<input aria-label="Delivery note">`: false, `<input aria-label="Email">`: false, `<input aria-label="Shopping list">`: false, `<input aria-label="Spinning speed">`: false,
		`<input aria-label="Company">`: false, `<input aria-label="Postal code">`: false, `<input aria-label="Promo code">`: false, `<input aria-label="Tokenizer">`: false,
		`<input aria-label="Number of guests" type=number>`: false, `<input type=checkbox aria-label="Show password">`: false, `<input type=search aria-label=Search>`: false,
		`<label>Password <input></label>`: true, `<label for=x>CVC</label><input id=x>`: true, `<div contenteditable aria-label="Secret"></div>`: true, `<select aria-label="Card number"><option>1</select>`: true,
	} {
		tab.inPage("document.body.innerHTML = "+jsString(t, html), nil)
		var got bool
		tab.eval(`T.isSensitive(T.q("input,textarea,select,[contenteditable]"))`, &got)
		if got != want {
			t.Errorf("%s: sensitive %v, want %v", html, got, want)
		}
	}
}

// What was a password stays one, also when the page showed it before anyone looked.
func TestShownPasswordsStaySecret(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><input id=a type=password value=hunter2 aria-label=A><input id=b type=password value=hunter3 aria-label=B><script>a.type="text"; setTimeout(() => {}, 0)</script>
<x-p></x-p><script>customElements.define('x-p', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML = '<input type=password value=hunter4 aria-label=C>'; } })</script>`)
	text, _ := tab.raw()
	tab.inPage(`b.type = "text"; document.querySelector("x-p").shadowRoot.querySelector("input").type = "text"`, nil)
	after, p := tab.raw()
	if strings.Contains(text+after, "hunter") {
		t.Errorf("a password left the page:\n%s", outline(p))
	}
}

func TestDeclaredSensitive(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><input aria-label=Note value=mysecret><p>Note</p>`)
	_, p := tab.raw()
	n := find(t, p, "textbox", "Note")
	if n.Value != "mysecret" || n.Sensitive {
		t.Fatalf("%+v", n)
	}
	tab.eval("T.declareSensitive("+jsNumber(n.Element)+")", nil)
	text, p := tab.raw()
	if n := find(t, p, "textbox", "Note"); n.Value != deed.Redacted || !n.Sensitive || strings.Contains(text, "mysecret") {
		t.Errorf("%+v", n)
	}
	tab.inPage(`document.querySelector("input").value = ""`, nil)
	if n := find(t, tab.look(), "textbox", "Note"); n.Value != "" || !n.HasValue {
		t.Errorf("an empty sensitive field: %+v", n)
	}
}

// A secret in a field does not come out through the names of what is around it.
func TestSecretsDoNotLeakThroughNames(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>-</title><table><tr><td>Key</td><td><input aria-label="API key" value=sk-1></td></tr></table><label>Say <input aria-label=Password value=sk-2> twice <input type=checkbox></label>
<button aria-labelledby=pw>x</button><input id=pw type=password value=sk-3><h2>Head <input type=password value=sk-4></h2><div role=status>Now <input aria-label=PIN value=sk-5></div>`)
	text, p := tab.raw()
	if strings.Contains(text, "sk-") {
		t.Errorf("a secret left the page:\n%s", outline(p))
	}
}

// What a control shows beside the name that its author gave is masked with what is around it: the page is seen all the same.
func TestTextBesideNameInMarkedContainers(t *testing.T) {
	tab := openTab(t, `<div data-deed-sensitive><button aria-label=Reveal>4711</button><table><tr><td data-date="2026-03-12" title="12 March 2026">12</table></div>`)
	text, p := tab.raw()
	if n := find(t, p, "button", "Reveal"); n.Value != deed.Redacted || !n.Sensitive {
		t.Errorf("button: %+v", n)
	}
	for _, secret := range []string{"4711", "2026"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s left the page", secret)
		}
	}
}
