package pagescript

import (
	"fmt"
	"strings"
	"testing"
)

// rowsPage is a list of n rows: five elements and four nodes a row.
func rowsPage(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Rows</title><main><h1>Catalogue</h1><ul aria-label="Items">`)
	for i := range n {
		fmt.Fprintf(&b, `<li class="row"><div class="cell"><span class="title">Item %d</span> <b>%d €</b></div><button>Add item %d</button></li>`, i, i*3, i)
	}
	return b.String() + `</ul></main>`
}

// mixedPage has about n elements: navigation, a table with buttons, cards, a form, prose; with style sheets that
// generate content, as icon fonts do.
func mixedPage(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Mixed</title><style>.icon::before{content:"\f101"}.card{border:1px solid;padding:4px;display:grid}.req::after{content:" *"}`)
	for i := range 300 {
		fmt.Fprintf(&b, `.i%d::before{content:"\e%03x"}.c%d{color:#123}`, i, i, i)
	}
	b.WriteString(`</style><header><nav aria-label="Main">`)
	for i := range 12 {
		fmt.Fprintf(&b, `<a href="/%d">Section %d</a>`, i, i)
	}
	b.WriteString(`</nav></header><main><h1>Everything</h1>`)
	for made := 20; made < n; made += 41 {
		i := made
		fmt.Fprintf(&b, `<section aria-label="Block %d"><h2>Block <em>%d</em></h2><p>Some prose with <b>bold</b> and <a href="#">a link</a> in block %d.</p>
<table><thead><tr><th>Name</th><th>Amount</th><th></th></tr></thead><tbody><tr><td>Order %d</td><td>%d.00</td><td><button><i class="icon i%d"></i>Edit</button></td></tr><tr><td>Order %d</td><td>1.00</td><td><button aria-label="Delete order">×</button></td></tr></tbody></table>
<div class="cards"><div class="card c1"><h3>Card A%d</h3><span>12 €</span><button>Buy</button></div><div class="card c2"><h3>Card B%d</h3><span>13 €</span><button>Buy</button></div></div>
<form><label class="req">Name <input></label><label><input type="checkbox"> Agree</label><select aria-label="Size"><option>S</option><option>M</option></select></form></section>`, i, i, i, i, i*7, i%300, i+1, i, i)
	}
	return b.String() + `</main>`
}

// BenchmarkSnapshot measures the walk inside the page (in-page-ms, the median of many), apart from the wire.
func BenchmarkSnapshot(b *testing.B) {
	for _, c := range []struct {
		name, html string
	}{{"rows=50", rowsPage(50)}, {"mixed=3000", mixedPage(3000)}, {"rows=2000", rowsPage(2000)}, {"mixed=10000", mixedPage(10000)}, {"mixed=16000", mixedPage(16000)}} {
		b.Run(c.name, func(b *testing.B) {
			t := openTab(b, c.html)
			part := t.look()
			var elements int
			t.eval("document.getElementsByTagName('*').length", &elements)
			var ms []float64
			for b.Loop() {
				t.eval(`(() => { const out = []; for (let i = 0; i < 21; i++) { document.body.style.width = 900 + i % 2 + "px"; document.body.offsetWidth;
					const t = performance.now(); T.snapshot(); out.push(performance.now() - t); } return out.slice(1).sort((a, b) => a - b); })()`, &ms)
			}
			b.ReportMetric(ms[len(ms)/2], "in-page-ms")
			b.ReportMetric(ms[0], "in-page-min-ms")
			b.ReportMetric(float64(elements), "elements")
			b.ReportMetric(float64(len(part.Nodes)), "nodes")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkIdentity measures what the guard asks for in the event handler.
func BenchmarkIdentity(b *testing.B) {
	t := openTab(b, rowsPage(50))
	var us float64
	for b.Loop() {
		t.eval(`(() => { const el = T.q("li:nth-child(40) button"); const t = performance.now(); for (let i = 0; i < 200; i++) T.identity(el); return (performance.now() - t) * 1000 / 200; })()`, &us)
	}
	b.ReportMetric(us, "in-page-µs")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkDecode(b *testing.B) {
	t := openTab(b, mixedPage(16000))
	var text string
	t.eval("T.snapshot()", &text)
	part, err := Decode([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportMetric(float64(len(part.Nodes)), "nodes")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode([]byte(text)); err != nil {
			b.Fatal(err)
		}
	}
}
