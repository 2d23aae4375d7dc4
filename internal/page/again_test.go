package page_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/page"
)

var againTime = flag.Duration("again", 0, "edit pages at random for so long in TestAgain")

// richPage has what makes one part of a page depend on another.
const richPage = `<!doctype html><meta charset=utf-8><title>Rich</title>
<style>
.hid{display:none} .inv{visibility:hidden} .faint{opacity:0} .clip{clip-path:inset(100%);position:absolute} .flex{display:flex}
.row:hover .acts{visibility:visible} .acts:focus-within{display:flex} .row .acts .more{display:none} .row:hover .more{display:inline}
.group:has(:checked) .when{display:none} .group:has(.err) > p{opacity:0}
.a + .b{display:none} .c ~ .b i{display:block} li:nth-child(7n) em{display:none} li:last-child > b{visibility:hidden} .group:empty{display:none} p:only-child em{display:block}
[data-open="no"] > .body{display:none} [data-open="far"]{margin-left:-3000px}
input:disabled ~ .why{display:none} input:checked + span{display:none} input:focus + span{opacity:0} input:invalid ~ em{display:none} input:placeholder-shown ~ b{display:none}
.tip::after{content:" tip"} .row:hover .tip::after{content:" over"} .tip:first-child::before{content:"first "}
.fade{transition:opacity .03s, visibility .03s} .pulse{animation:pulse .2s infinite alternate} @keyframes pulse{to{opacity:0}}
.box{overflow:hidden;height:60px;position:relative} .scroll{overflow:auto;height:80px} .wide{width:4000px} .out{position:absolute;left:-9999px} .far .b{transform:translateX(-4000px)}
.row:hover .slide{transform:translateX(-5000px)} .slide{position:relative} .zero{height:0;overflow:hidden} .tiny{width:1px;height:1px;overflow:hidden;display:block}
.poi:hover{cursor:pointer} a:hover{cursor:pointer} q:hover{quotes:"<" ">"} .row:hover q{quotes:none}
@media (max-width: 900px){.narrow{display:none}}
</style>
<header><h1>Title <em>now</em></h1><nav aria-label=Main id=nav><ul><li><a href="#1">One</a><li><a href="#2">Two</a></ul></nav></header>
<main id=main><p id=hint>Hint <i>text</i></p><form aria-labelledby=hint><fieldset id=fs><legend>Legend <b>bold</b></legend><label>Name <input id=name placeholder=p required></label><span>by</span>
<label for=mail>Mail</label><div class=group><input id=mail type=email aria-describedby=hint><em>em</em><b>bb</b><div class=why>why</div><p class=when>when</p></div>
<input type=checkbox id=cb aria-labelledby="hint cb2"><span>on</span><select id=sel aria-label=Size><option>S<option selected>M<optgroup label=G><option>L</optgroup></select><textarea aria-label=Notes>n</textarea></fieldset>
<button popovertarget=pop type=button>Menu</button></form><div id=pop popover>Popped <button type=button>In pop</button></div>
<dialog id=dlg aria-label=Dlg><p>Sure?</p><button>Yes</button></dialog><details id=det><summary>More</summary><p>Inside <em>more</em></p></details>
<table id=table><caption>Table</caption><thead><tr><th>A<th>B</thead><tbody id=tb></tbody></table><ul id=list aria-label=List></ul><div id=cards></div><div class=scroll id=sc></div><div class=box id=bx></div>
<div id=host></div><x-card id=xc><b slot=s>slotted</b> loose <i>light</i></x-card><iframe id=fr title=Frame srcdoc="<style>.hid{display:none}</style><ul id=list></ul><p id=hint>f</p><script>for(let i=0;i<30;i++)list.innerHTML+='<li class=row><b>F'+i+'</b> <button>Go</button></li>'</script>"></iframe></main><div class=group><a>no href</a> <span class=poi><a>in a pointer</a></span> <q>quoted <q>twice</q></q> <map name=m><area href="#a" alt=Area></map><img usemap="#m" alt=Pic src="data:,">
<ul role=none><li role=listitem>Orphan<li role=option id=own2>Option</ul><div role=tree><div role=treeitem>T1<div role=group><div role=treeitem>T2</div></div></div></div><div role=list aria-owns="own1 own2"></div><div id=own1 role=listitem>Owned</div>
<button class=row>Apart <span role=group aria-label=Gr><i>in group</i></span><span role=note>noted</span></button><h2>Head <nav>navi <b class=b>x</b></nav></h2></div><footer id=foot>Foot</footer>
<script>
const row=(i)=>'<li class="row r'+(i%3)+'" id=r'+i+'><div class=cell><span class=tip>Item '+i+'</span> <b class=b>'+i+'</b><em>e</em></div><span class="acts slide"><button aria-labelledby="hint r'+i+'">Do '+i+'</button><button class=more>More</button><input type=checkbox aria-label=Pick><span>no</span></span></li>';
for(let i=0;i<60;i++){list.insertAdjacentHTML('beforeend',row(i));tb.insertAdjacentHTML('beforeend','<tr class=row><td>T'+i+'<td><button class=acts>Edit</button><td><input value='+i+' aria-label=q></tr>');}
for(let i=0;i<40;i++){cards.insertAdjacentHTML('beforeend','<div class="card group"><h3>Card '+i+'</h3><label>Qty <input type=number value='+i+'></label><p>Text <em>'+i+'</em></p></div>');sc.insertAdjacentHTML('beforeend','<p class=row>S'+i+' <em class=tip>x</em></p>');bx.insertAdjacentHTML('beforeend','<div class=row>B'+i+' <button>b</button></div>');}
const sh=host.attachShadow({mode:'open'});sh.innerHTML='<style>.hid{display:none}:host(.on) p{display:none} p:nth-child(3){opacity:0}</style><section aria-label=Sh></section>';
for(let i=0;i<30;i++)sh.lastChild.insertAdjacentHTML('beforeend','<p class=row>Sh'+i+' <button>sb</button></p>');
customElements.define('x-card',class extends HTMLElement{connectedCallback(){if(!this.shadowRoot)this.attachShadow({mode:'open'}).innerHTML='<div><p>X</p><slot name=s></slot><slot></slot></div>'}});
const FR=document.getElementById('fr');const roots=()=>[document,sh,...[...document.querySelectorAll('x-card')].map(e=>e.shadowRoot).filter(Boolean), FR.contentDocument].filter(Boolean);
const all=()=>roots().flatMap(r=>[...r.querySelectorAll('body *, section *, div *, p, slot')]).filter(e=>!['SCRIPT','STYLE','IFRAME'].includes(e.tagName)&&e.isConnected);
const CL=['hid','inv','faint','clip','flex','a','b','c','err','tip','fade','pulse','box','scroll','wide','out','far','zero','tiny','row','group','on','narrow','card'];
const AT=[['aria-hidden','true'],['inert',''],['aria-label','L'],['aria-labelledby','hint name'],['role','button'],['role','presentation'],['role','list'],['title','T'],['hidden',''],['data-open','no'],['data-open','far'],['disabled',''],['aria-disabled','true'],['required',''],['id','hint'],['id','new'],['for','mail'],['for','cb'],['aria-owns','foot'],['aria-owns','own1'],['role','listitem'],['role','group'],['role','tree'],['role','list'],['class','poi'],['usemap','#m'],['slot','s'],['style','position:fixed;top:-500px'],['style','margin-left:-50px'],['style','overflow:hidden;width:0'],['data-deed-region','Mark'],['aria-expanded','true'],['open',''],['type','password'],['data-deed-sensitive',''],['aria-selected','true'],['checked',''],['contenteditable',''],['style','display:contents'],['style','height:3000px'],['popover','']];
const ops=[
 (e,a)=>e.classList.toggle(CL[a%CL.length]), (e,a)=>e.classList.toggle(CL[a%CL.length]),
 (e,a)=>{const [k,v]=AT[a%AT.length]; if(e.getAttribute(k)===v)e.removeAttribute(k);else e.setAttribute(k,v)},
 (e,a)=>{const t=[...e.childNodes].find(n=>n.nodeType===3);if(t)t.data=a%5?'text '+a:'';else e.append('new '+a)},
 (e,a)=>{if(a%3===0&&e.children.length<50&&!e.querySelector('main,dialog'))e.remove()},
 (e,a)=>e.insertAdjacentHTML(['beforebegin','afterend','afterbegin','beforeend'][a%4],a%3?row(100+a):'<p class="card b">P'+a+' <label for=name>lab</label><b>x</b></p>'),
 (e,a,o)=>{if(!e.contains(o)&&!o.contains(e)&&o.children.length<80)e.append(o)}, (e,a,o)=>{if(!o.contains(e)&&e.parentNode)e.parentNode.insertBefore(o,e)},
 (e,a)=>{const l=[...document.querySelectorAll('input,textarea')];const c=l[a%l.length];if(!c)return;if(c.type==='checkbox'){if(a%2)c.checked=!c.checked;else c.indeterminate=!c.indeterminate}else if(c.type!=='file')c.value=a%4?a:''},
 (e,a)=>{const s=document.querySelector('select');if(s)s.selectedIndex=a%4}, (e,a)=>{const s=document.querySelector('input');if(s){s.disabled=a%2;s.reportValidity()}},
 (e,a)=>{const l=[...document.querySelectorAll('button,input')];l.length&&l[a%l.length].focus()}, ()=>document.activeElement&&document.activeElement.blur(),
 (e,a)=>{const l=roots().flatMap(r=>[...r.querySelectorAll('.scroll,.box,.zero')]);const s=l[a%Math.max(1,l.length)];if(s)s.scrollTop=a%300},
 (e,a)=>scrollTo(0,a*7%3000),
 (e,a)=>{const d=document.querySelector('dialog');if(d&&d.isConnected&&a%3===0){d.open?d.close():d.showModal()}},
 (e,a)=>{const p=document.querySelector('[popover]');if(p&&p.isConnected)try{p.togglePopover()}catch{}},
 (e,a)=>{const s=[...document.styleSheets].at(-1);if(!s)return;if(a%2&&s.cssRules.length>20)s.deleteRule(a%s.cssRules.length);else s.insertRule(['.card em{display:none}','.row b{opacity:0}','li:nth-child(odd) .cell{visibility:hidden}','.tip::after{content:" z"}'][a%4],s.cssRules.length)},
 (e,a)=>{if(!e.shadowRoot&&['DIV','P','SPAN','SECTION'].includes(e.tagName)&&a%4===0)e.attachShadow({mode:'open'}).innerHTML='<p>att</p><slot></slot>'},
 (e,a)=>{const b=e.querySelectorAll(':scope > *');if(b.length>1&&b.length<90)e.append(b[a%b.length])},
 (e,a)=>{document.querySelectorAll('details').forEach(d=>d.open=!d.open)},
 (e,a)=>{if(a%5===0)e.animate([{opacity:1},{opacity:0}],{duration:50+a%100,fill:a%2?'forwards':'none'})},
 (e,a)=>{if(e.children.length<40&&!e.querySelector('main,style'))e.innerHTML='<div class=group><p>re '+a+'</p><input aria-label=v'+a+'><em>q</em></div>'},
 (e,a)=>{const f=FR.contentDocument;if(f&&f.getElementById('list'))f.getElementById('list').insertAdjacentHTML('beforeend',row(200+a))},
 (e,a)=>{document.querySelector('main').classList.toggle('far')},
 (e,a)=>{const i=document.querySelectorAll('img');e.insertAdjacentHTML('beforeend','<img alt=i src="data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%22'+(a%90)+'%22 height=%2260%22/>">')},
];
window.edit=(op,i,a,j)=>{const l=all();if(!l.length)return 'none';const e=l[i%l.length],o=l[j%l.length];const w=e.tagName+'#'+e.id+'.'+e.className+' '+ops[op%ops.length].toString().slice(0,90)+' '+a;try{ops[op%ops.length](e,a,o)}catch(x){return w+' threw '+x}return w};
window.nops=ops.length;
</script>`

// An edit is one change of the page: which, where, how, with what; and how the page is looked at afterwards.
type edit struct{ op, at, how, with, hover, check int }

// What is taken over from the last look is what a whole walk would tell, whatever was done to the page in between.
func TestAgain(t *testing.T) {
	b := launch(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, richPage)
	}))
	defer server.Close()
	p, err := page.Open(t.Context(), b.Conn(), "", page.Options{Width: 1000, Height: 700})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Detach()
	base := t.Context()
	steps, checks, partVisits := 0, 0, 0
	property := func(t *rapid.T) {
		ctx, cancel := context.WithTimeout(base, 2*time.Minute)
		defer cancel()
		edits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) edit {
			return edit{rapid.IntRange(0, 25).Draw(t, "op"), rapid.IntRange(0, 5000).Draw(t, "at"), rapid.IntRange(0, 999).Draw(t, "how"),
				rapid.IntRange(0, 5000).Draw(t, "with"), rapid.IntRange(0, 3).Draw(t, "hover"), rapid.IntRange(0, 2).Draw(t, "check")}
		}), 30, 60).Draw(t, "edits")
		open(ctx, t, p, server.URL, rapid.IntRange(0, 3).Draw(t, "act") != 0)
		var done []string
		for _, e := range edits {
			steps++
			raw, err := p.Eval(ctx, fmt.Sprintf("edit(%d,%d,%d,%d)", e.op, e.at, e.how, e.with))
			if err != nil {
				t.Fatal(err)
			}
			var what string
			_ = json.Unmarshal(raw, &what)
			done = append(done, what)
			if e.hover == 0 {
				if err := p.MoveMouse(ctx, float64(e.at%1000), float64(e.with%700)); err != nil {
					t.Fatal(err)
				}
				done = append(done, "hover")
			}
			check := e.check != 0
			if check {
				checks++
			}
			was := p.Looks()
			other, err := p.Again(ctx, check)
			if now := p.Looks(); now.Partial > was.Partial {
				partVisits += now.Visits - was.Visits
			}
			if err != nil {
				t.Fatalf("%v after\n%s", err, strings.Join(done, "\n"))
			}
			if other != "" {
				t.Fatalf("%s\nafter\n%s", other, strings.Join(done, "\n"))
			}
		}
	}
	// Each run is a page loaded anew and edited some 45 times: a few are enough but for a search (-again=10m).
	checksFlag := flag.Lookup("rapid.checks")
	if checksFlag.Value.String() == checksFlag.DefValue {
		if err := flag.Set("rapid.checks", "5"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set("rapid.checks", checksFlag.DefValue) }()
	}
	if *againTime == 0 {
		rapid.Check(t, property)
	}
	for end := time.Now().Add(*againTime); time.Now().Before(end) && !t.Failed(); {
		rapid.Check(t, property)
	}
	l := p.Looks()
	t.Logf("%d steps, %d compared; %d of %d looks took over, %d elements visited in one that did", steps, checks, l.Partial, l.Looks, partVisits/max(1, l.Partial))
	if l.Partial == 0 {
		t.Error("no look took anything over")
	}
}

// largePage has 10,000 elements and more: rows with a button each, which adds a row and counts, and the usual style sheet.
func largePage() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Large</title><style>.row:hover{background:#eee} .row:hover .acts{visibility:visible} button:focus-visible{outline:1px solid}
li:last-child{border:0} li:nth-child(odd){background:#fafafa} .hidden{display:none} .acts{transition:opacity .1s}</style>
<main><h1>Catalogue</h1><p role=status id=said></p><ul id=list aria-label=Items>`)
	for i := range 1700 {
		fmt.Fprintf(&b, `<li class=row><div class=cell><span>Item %d</span> <b>%d €</b></div><span class=acts><button onclick="add(%[1]d)">Add item %[1]d</button></span></li>`, i, i*3)
	}
	return b.String() + `</ul></main><script>function add(i){said.textContent="Added "+i; const li=list.children[i].cloneNode(true); li.querySelector("span").textContent="Copy of "+i; list.children[i].after(li)}</script>`
}

// The look after a click on a large page is one call of the page script, and visits what may have changed.
func TestLookAfterClickOnLargePage(t *testing.T) {
	b := launch(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, largePage())
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := page.Open(ctx, b.Conn(), "", page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Detach()
	if err := p.Load(ctx, server.URL); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Add item 3", "Add item 900", "Add item 1699"} {
		whole := p.Looks()
		s, err := p.Observe(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if visits := p.Looks().Visits - whole.Visits; visits < 10000 {
			t.Fatalf("Observe visited %d elements of more than 10,000", visits)
		}
		target := slices.IndexFunc(s.Nodes, func(n deed.Node) bool { return n.Role == "button" && n.Name == name })
		a := deed.Action{Kind: deed.KindClick, Locator: deed.Locator{Role: "button", Name: name}}
		w, err := p.Perform(ctx, &deed.Gesture{Action: &a, Snapshot: s, Target: target, Way: deed.WayPointer, Drop: -1})
		if err != nil || !w.Delivered {
			t.Fatalf("%s: %+v, %v", name, w, err)
		}
		was := p.Looks()
		look, err := p.Settle(ctx, 20*time.Second, true)
		if err != nil {
			t.Fatal(err)
		}
		now := p.Looks()
		if calls, visits := now.Calls-was.Calls, now.Visits-was.Visits; calls != 1 || visits > 400 || !look.Partial {
			t.Errorf("%s: the look after the click took %d calls and visited %d elements (partial: %v)", name, calls, visits, look.Partial)
		}
		t.Logf("%s: %d of %d elements visited, %.1f ms in the page", name, now.Visits-was.Visits, was.Visits-whole.Visits, now.InPage-was.InPage)
		if !slices.ContainsFunc(look.Snapshot.Nodes, func(n deed.Node) bool { return n.Role == "status" && strings.HasPrefix(n.Name, "Added ") }) {
			t.Errorf("%s: the look does not show what the click did", name)
		}
		// Without any wait it is the whole page that is looked at, and it says the same.
		last, err := p.Settle(ctx, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		if last.Partial || p.Looks().Visits-now.Visits < 10000 {
			t.Errorf("%s: a look without a wait visited %d elements (partial: %v)", name, p.Looks().Visits-now.Visits, last.Partial)
		}
		if !slices.Equal(look.Snapshot.Nodes, last.Snapshot.Nodes) {
			t.Errorf("%s: the whole page says something else", name)
		}
		p.Release(ctx)
	}
}

func open(ctx context.Context, t *rapid.T, p *page.Page, url string, act bool) {
	if err := p.Load(ctx, url); err != nil {
		t.Fatal(err)
	}
	s, err := p.Observe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p.Release(ctx)
	if act { // what changes in the course of an act is not the page's own doing
		if _, err := p.Perform(ctx, &deed.Gesture{Action: &deed.Action{Kind: deed.KindWatch}, Snapshot: s, Target: -1, Way: deed.WayNone}); err != nil {
			t.Fatal(err)
		}
	}
}
