package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/casefile"
)

// TestWriting_Examples: every example of docs/writing-cases.md is read without complaint, a fragment by the case that uses it, and
// together they show every key.
func TestWriting_Examples(t *testing.T) {
	data, err := os.ReadFile("../../docs/writing-cases.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("invoice.pdf", "a file")
	found := regexp.MustCompile("(?ms)^```(yaml|markdown|json)(?: (\\S+))?\n(.*?)^```$").FindAllStringSubmatch(string(data), -1)
	forms := map[string]int{}
	for _, m := range found {
		if m[2] != "" {
			write(m[2], m[3])
		}
	}
	o := casefile.Options{LookupEnv: func(string) (string, bool) { return "a value", true }}
	var all []deed.Case
	for _, m := range found {
		forms[m[1]]++
		if m[2] != "" {
			continue
		}
		text := m[3]
		if m[1] == "json" {
			var answer struct{ Cases []json.RawMessage }
			if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Cases) == 0 {
				t.Fatal(err)
			}
			text = string(answer.Cases[0])
		}
		ext := map[string]string{"yaml": ".yaml", "markdown": ".md", "json": ".json"}[m[1]]
		cases, problems := casefile.Parse(filepath.Join(dir, "example.deed"+ext), []byte(text), o)
		for _, p := range problems {
			t.Errorf("%v (%s)\n%s", p, p.Hint, text)
		}
		if len(cases) == 0 {
			t.Errorf("no case in\n%s", text)
		}
		all = append(all, cases...)
	}
	if forms["yaml"] < 9 || forms["markdown"] < 2 || forms["json"] < 1 {
		t.Errorf("the page shows %v", forms)
	}
	used := 0
	for _, c := range all {
		for _, s := range c.Steps {
			if s.Use != nil {
				used++
			}
		}
	}
	if used < 6 {
		t.Errorf("the fragment is used for %d steps", used)
	}
	status, schema, errs := command(t, "schema", "case")
	if status != 0 {
		t.Fatal(errs)
	}
	var s struct {
		Properties map[string]any
		Defs       struct {
			Step   struct{ OneOf []struct{ Required []string } }
			Expect struct{ OneOf []struct{ Required []string } }
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k := range s.Properties {
		keys = append(keys, k)
	}
	for _, of := range [][]struct{ Required []string }{s.Defs.Step.OneOf, s.Defs.Expect.OneOf} {
		for _, form := range of {
			if len(form.Required) > 0 {
				keys = append(keys, form.Required[0])
			}
		}
	}
	if len(keys) < 50 {
		t.Fatalf("the schema knows %d keys: %v", len(keys), keys)
	}
	for _, k := range keys {
		if !regexp.MustCompile(`(?m)(^|[\s{"-])` + k + `:|^ *- ` + k + `\b`).MatchString(strings.ReplaceAll(string(data), "`", " ")) {
			t.Errorf("no example shows the key %s", k)
		}
	}
}

const todoPage = `<!doctype html><title>To do</title><h1>To do</h1>
<form><input aria-label="What needs doing?" id="what"></form><ul aria-label="Things to do" id="things"></ul>
<script>document.forms[0].onsubmit = e => {
  e.preventDefault()
  const li = document.createElement('li')
  li.textContent = what.value
  things.append(li)
  what.value = ''
}</script>`

// TestWriting_FirstCase: someone new who types what docs/writing-cases.md shows gets what it says, in the commands shown.
func TestWriting_FirstCase(t *testing.T) {
	data, err := os.ReadFile("../../docs/writing-cases.md")
	if err != nil {
		t.Fatal(err)
	}
	first := func(re string) string {
		m := regexp.MustCompile(re).FindStringSubmatch(string(data))
		if m == nil {
			t.Fatalf("nothing is like %s", re)
		}
		return m[1]
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, todoPage) }))
	t.Cleanup(srv.Close)
	t.Chdir(t.TempDir())
	t.Setenv("CI", "") // at a person's desk, where locks are written
	status, out, errs := command(t, "observe", srv.URL)
	if want := first("(?s)```\n(page .*?)```"); status != 0 || strings.ReplaceAll(out, srv.URL, "http://localhost:8080") != want {
		t.Errorf("%d %s\n%swant\n%s", status, errs, out, want)
	}
	text := first("(?s)```yaml\n(# yaml-language-server.*?)```")
	for _, step := range []struct {
		text   string
		status int
	}{{text, 0}, {strings.Replace(text, "{listitem: Buy bread", "{listitem: Buy bred", 1), 1}, {text, 0}} {
		if err := os.WriteFile("todo.deed.yaml", []byte(step.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if status, out, errs := command(t, "run", "todo.deed.yaml", "--base-url", srv.URL); status != step.status {
			t.Errorf("exit status %d, want %d\n%s%s", status, step.status, out, errs)
		}
	}
	if _, err := os.Stat("todo.deed.lock"); err != nil {
		t.Error(err)
	}
	if status, out, errs := command(t, "fmt", "--check", "todo.deed.yaml"); status != 0 {
		t.Errorf("the case is not in canonical form: %s%s", out, errs)
	}
}
