package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// listRows is the length of the catalog; a page is opened anew after as many rounds.
const listRows = 50

// A server serves the pages and makes them render themselves anew on request, without a tool's help.
type server struct {
	url  string
	http *http.Server

	mu     sync.Mutex
	asks   map[string]chan int  // visit → renderings asked for
	waits  map[string]chan bool // "visit n" → closed when the page has rendered
	served map[int]string
}

func serve() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{
		url:    "http://" + l.Addr().String(),
		asks:   map[string]chan int{},
		waits:  map[string]chan bool{},
		served: map[int]string{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /list", html(listPage()))
	mux.HandleFunc("GET /field", html(fieldPage))
	mux.HandleFunc("GET /nodes/{n}", s.nodes)
	mux.HandleFunc("GET /renderings", s.renderings)
	mux.HandleFunc("POST /rendered", s.rendered)
	s.http = &http.Server{Handler: mux}
	go s.http.Serve(l)
	return s, nil
}

func (s *server) close() { s.http.Close() }

func html(page string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}
}

func (s *server) nodes(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	if s.served[n] == "" {
		s.served[n] = nodesPage(n)
	}
	page := s.served[n]
	s.mu.Unlock()
	html(page)(w, r)
}

// asked is where a visit is told to render. The page may come for it before or after it is used.
func (s *server) asked(visit string) chan int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks[visit] == nil {
		s.asks[visit] = make(chan int, 1)
	}
	return s.asks[visit]
}

// renderings streams to one visit of a page when it has to render itself anew.
func (s *server) renderings(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	ask := s.asked(r.FormValue("visit"))
	fmt.Fprint(w, ": hello\n\n")
	w.(http.Flusher).Flush()
	for {
		select {
		case n := <-ask:
			fmt.Fprintf(w, "data: %d\n\n", n)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) rendered(w http.ResponseWriter, r *http.Request) {
	key := r.FormValue("visit") + " " + r.FormValue("n")
	s.mu.Lock()
	done := s.waits[key]
	delete(s.waits, key)
	s.mu.Unlock()
	if done == nil {
		http.NotFound(w, r)
		return
	}
	close(done)
	w.WriteHeader(http.StatusNoContent)
}

// render makes the nodes page of one visit replace all its elements by new ones, and returns when they are
// laid out. So every observation that follows has to look at every element.
func (s *server) render(ctx context.Context, visit string, n int) error {
	done := make(chan bool)
	s.mu.Lock()
	s.waits[fmt.Sprint(visit, " ", n)] = done
	s.mu.Unlock()
	s.asked(visit) <- n
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the page of %s does not render: %w", visit, context.Cause(ctx))
	}
}

// listPage is a catalog whose buttons put their item into the cart at once, as the fastest of applications do.
func listPage() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<style>body{font:16px sans-serif;display:grid;grid-template-columns:2fr 1fr}li{padding:2px}</style>
<main><h1>Shop</h1><ul aria-label="catalog">
`)
	for i := range listRows {
		fmt.Fprintf(&b, "<li>Article %d, %d.50 € <button data-n=\"%d\">Add item %d</button></li>\n", i+1, 3+i*7%40, i+1, i+1)
	}
	b.WriteString(`</ul></main><aside aria-label="basket"><h2>Cart</h2><ul aria-label="cart"></ul></aside>
<script>
document.querySelector('main ul').addEventListener('click', e => {
  const n = e.target.dataset.n;
  if (!n) return;
  const li = document.createElement('li');
  li.textContent = 'Item ' + n;
  document.querySelector('aside ul').append(li);
});
</script></html>
`)
	return b.String()
}

// fieldPage echoes what is typed, and lists what is searched for with Enter.
const fieldPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Notes</title>
<main><h1>Notes</h1>
<p><label>Note <input id="note"></label></p><p role="status" id="echo"></p>
<p><label>Search <input id="search"></label></p><ul aria-label="searches"></ul></main>
<script>
const by = id => document.getElementById(id);
by('note').addEventListener('input', () => by('echo').textContent = 'Note: ' + by('note').value);
let n = 0;
by('search').addEventListener('keydown', e => {
  if (e.key !== 'Enter') return;
  const li = document.createElement('li');
  li.textContent = 'Search ' + ++n;
  document.querySelector('ul').append(li);
});
</script></html>
`

// nodesPage holds n nodes that a person perceives (headings, paragraphs, list items, links, cells, fields,
// buttons), in the mixture of a business application: sections of text, lists of links, a form, a table with a
// button in each row. It is the same for the same n.
func nodesPage(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Nodes</title>
<style>body{font:14px sans-serif}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 6px}nav ul{display:flex;gap:8px}</style>
<body><main id="main">
`)
	left := n
	// put writes a piece and reports whether there is room for it; nodes is what it costs.
	put := func(nodes int, format string, args ...any) bool {
		if left < nodes {
			return false
		}
		left -= nodes
		fmt.Fprintf(&b, format, args...)
		return true
	}
	words := []string{"order", "invoice", "customer", "delivery", "return", "payment", "contract", "ticket", "stock", "supplier"}
	for s := 1; left > 0; s++ {
		w := words[s%len(words)]
		put(1, "<h2>Section %d: %s</h2>\n", s, w)
		put(1, "<p>Everything about each %s of week %d, sorted by date.</p>\n", w, s)
		if put(1, "<ul>\n") {
			for i := 1; i <= 6 && put(2, "<li><a href=\"#%d-%d\">Open %s %d-%d</a></li>\n", s, i, w, s, i); i++ {
			}
			b.WriteString("</ul>\n")
		}
		put(1, "<div><label>Filter %s %d <input value=\"\"></label></div>\n", w, s)
		put(1, "<div><label><input type=\"checkbox\"> Only open ones of section %d</label></div>\n", s)
		put(1, "<button>Apply to section %d</button>\n", s)
		if put(5, "<table><tr><th>Number</th><th>Name</th><th>State</th></tr>\n") {
			for i := 1; i <= 6; i++ {
				state := []string{"open", "paid", "sent", "late"}[(s+i)%4]
				if !put(5, "<tr><td>%s %d-%d</td><td>%s <b>%s</b></td><td><button>Show %d-%d</button></td></tr>\n", w, s, i, "Customer", state, s, i) {
					break
				}
			}
			b.WriteString("</table>\n")
		}
	}
	b.WriteString(`</main><script>
const visit = new URLSearchParams(location.search).get('visit');
document.addEventListener('click', e => {
  const button = e.target.closest('button');
  if (button) button.insertAdjacentHTML('afterend', '<p>Done: ' + button.textContent + '</p>');
});
const events = new EventSource('/renderings?visit=' + visit);
events.onmessage = e => {
  const main = document.getElementById('main');
  main.replaceWith(main.cloneNode(true));
  document.body.offsetHeight; // lay out now: it belongs to the rendering, not to the look that follows
  requestAnimationFrame(() => requestAnimationFrame(() => fetch('/rendered?visit=' + visit + '&n=' + e.data, {method: 'POST'})));
};
</script></body></html>
`)
	return b.String()
}
