package pagescript

import "testing"

func TestWholePage(t *testing.T) {
	tab := openTab(t, `<!doctype html><title>Shop</title><header><a href="/">Home</a></header><main><h1>Shop <em>now</em></h1>
<div class=p><b>T-shirt M</b> <span>19 €</span> <button>Add T-shirt M</button></div>
<div class=p><b>T-shirt L</b> <span>20 €</span> <button>Add T-shirt L</button></div>
<ul data-deed-region=cart><li>T-shirt M <button>Remove</button></li></ul>
<p>Total: <b>19</b> €</p><div role=status>3 items</div>
<label>Card number <input value=4111></label> <label><input type=checkbox checked> Gift</label>
<select aria-label=Size><option>S<option selected>M</select>
<div>plain <span>text</span></div>
<table><caption>T</caption><tr><th>Name<th>Age<tr><td>Ana<td>3 <button>Delete</button></table>
<iframe title=pay src="about:blank"></iframe>
</main>`)
	p := tab.look()
	t.Logf("%v %s\n%s", p.Complete, p.Why, outline(p))
	if !p.Complete || len(p.Nodes) < 20 {
		t.Errorf("complete %v, %d nodes", p.Complete, len(p.Nodes))
	}
}
