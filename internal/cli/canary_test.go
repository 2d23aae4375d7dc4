package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/cli"
)

// canaries are secrets: one that every notation escapes, one that people write in groups. Package trace has more.
var canaries = map[string]string{
	"PASSWORD": `Tr0ub4dor&3"<é>/+%`,
	"IBAN":     "DE89370400440532013000",
}

// shapes are those in which a page, or a file of ours, may hand a secret on.
func shapes(s string) map[string]string {
	b := []byte(s)
	j, _ := json.Marshal(s)
	var grouped strings.Builder
	for i, r := range []rune(s) {
		if i > 0 && i%4 == 0 {
			grouped.WriteByte(' ')
		}
		grouped.WriteRune(r)
	}
	return map[string]string{"plain": s, "base64": base64.StdEncoding.EncodeToString(b), "base64 for URLs": base64.RawURLEncoding.EncodeToString(b), "hex": hex.EncodeToString(b),
		"URL": url.QueryEscape(s), "path": url.PathEscape(s), "JSON": string(j[1 : len(j)-1]), "HTML": html.EscapeString(s), "Go": fmt.Sprintf("%q", s), "grouped": grouped.String()}
}

// echo is a page that says what it is told in every way that a page has.
const echo = `<!doctype html><title>Echo</title><h1>Echo</h1>
<label>Secret <input id="i"></label><button onclick="echo()">Tell</button><p role="status" id="s"></p><div id="out"></div>
<script>
function echo() {
  const v = i.value, b64 = btoa(unescape(encodeURIComponent(v))), hex = [...new TextEncoder().encode(v)].map(x => x.toString(16).padStart(2, '0')).join('');
  const add = (tag, text, attrs) => { const e = document.createElement(tag); e.textContent = text; for (const k in attrs || {}) e.setAttribute(k, attrs[k]); out.append(e); return e };
  document.title = 'Echo of ' + v;
  s.textContent = 'You said ' + v;
  add('button', 'Delete ' + v); add('p', b64); add('p', hex); add('p', encodeURIComponent(v)); add('p', JSON.stringify({ v }));
  add('p', v.match(/.{1,4}/gsu).join(' ')); add('img', '', { alt: v, src: '/pixel?s=' + encodeURIComponent(v) }); add('a', 'Go', { href: '/next?t=' + encodeURIComponent(v) });
  const split = add('p', ''); for (const c of v.match(/.{1,3}/gsu)) { const x = document.createElement('b'); x.textContent = c; split.append(x) }
  add('section', 'in here', { 'aria-label': v });
  history.replaceState(null, '', '#' + encodeURIComponent(v));
  fetch('/api?q=' + encodeURIComponent(v), { method: 'POST', body: v }); console.error('bad ' + v);
  setTimeout(() => { throw new Error('broke on ' + v) }, 0);
}
</script>`

// TestNoSecretInAnyArtefact plants secrets, has the page tell them on in every shape, and searches every byte that deed writes: standard output
// and error, traces, results, reports of each kind, locks, sessions and what the pictures hold as text.
func TestNoSecretInAnyArtefact(t *testing.T) {
	base := browsertest.Server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api" && r.Method == "GET":
			fmt.Fprintf(w, `{"you":%q}`, r.Header.Get("Authorization"))
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, echo)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	for name, secret := range canaries {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write := func(file, text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			head := "deed: 1\nsecrets: [" + name + "]\nstart: ${BASE_URL}/\nfailOn: [exceptions]\n"
			tell := "  - fill: {textbox: Secret}\n    secret: " + name + "\n  - click: {button: Tell}\n    expect: [{text: You said}, {visible: {heading: Echo}}]\n"
			write("told.deed.yaml", strings.Replace(head, "failOn: [exceptions]\n", "session: 1h\n", 1)+"case: told\nsteps:\n"+tell+"  - http: {url: /api, headers: {Authorization: \"Bearer ${"+name+"}\"}}\n    save: {you: \"$.you\"}\n  - eval: document.title\n    save: title\n")
			write("wrong.deed.yaml", head+"case: wrong\nsteps:\n"+tell+"  - expect: [{value: {textbox: Secret}, equals: another}]\n    timeout: 300ms\n")
			write("missing.deed.yaml", strings.Replace(head, "failOn: [exceptions]\n", "", 1)+"case: missing\nsteps:\n"+tell+"  - click: {button: Delete nothing}\n    timeout: 300ms\n  - click: {link: Go}\n")
			write("plan.json", `{"actions":[{"kind":"navigate","params":{"url":"`+base+`/"}},{"kind":"type","params":{"locator":{"textbox":"Secret"},"text":`+quoted(secret)+`}},{"kind":"click","params":{"locator":{"button":"Tell"}}}]}`)
			var said bytes.Buffer
			run := func(args ...string) {
				io := cli.IO{In: strings.NewReader(""), Out: &said, Err: &said, LookupEnv: func(k string) (string, bool) {
					if k == name {
						return secret, true
					}
					if k == "DEED_BROWSER" {
						return os.LookupEnv(k)
					}
					return "", false
				}}
				status := cli.Main(t.Context(), args, io)
				fmt.Fprintf(&said, "\nexit %d of %v\n", status, args)
			}
			reporters := []string{"--reporter", "html=r/a.html", "--reporter", "junit=r/junit.xml", "--reporter", "ctrf=r/ctrf.json", "--reporter", "md=r/a.md", "--reporter", "json=r/a.json"}
			run(append([]string{"run", "told.deed.yaml", "wrong.deed.yaml", "missing.deed.yaml", "--base-url", base, "--shots", "all", "--retries", "1"}, reporters...)...)
			run("run", "told.deed.yaml", "wrong.deed.yaml", "--base-url", base, "--json")
			run("run", "told.deed.yaml", "--base-url", base)
			runs := said.String()
			run("exec", "plan.json", "--execute", "--allow-origin", base, "--allow-method", "POST", "--yes", "--trace", "exec.jsonl")
			if !strings.Contains(runs, "✓ told: verified") || strings.Count(runs, "✗") < 2 {
				t.Fatalf("the cases did not do what they are for:\n%s", runs)
			}
			files := map[string][]byte{"what the cases' runs said": []byte(runs)}
			err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || p == "plan.json" {
					return err
				}
				b, err := os.ReadFile(p)
				files[p] = b
				return err
			})
			if err != nil || len(files) < 20 {
				t.Fatalf("%d files, %v", len(files), err)
			}
			told := 0 // files in which the page's words are, with the secret masked: they did get there
			for _, data := range files {
				if bytes.Contains(data, []byte("You said [redacted]")) {
					told++
				}
			}
			if told < 5 {
				t.Errorf("what the page said is in %d files only", told)
			}
			for file, data := range files {
				text := strings.ToLower(string(data))
				for shape, s := range shapes(secret) {
					if strings.Contains(text, strings.ToLower(s)) {
						at := strings.Index(text, strings.ToLower(s))
						t.Errorf("%s holds it (%s): …%s…", file, shape, text[max(0, at-120):min(len(text), at+len(s)+40)])
					}
				}
			}
		})
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
