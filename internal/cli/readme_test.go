package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/cli"
	"github.com/deed-dev/deed/internal/demo"
)

const readme = "../../README.md"

func readmeText(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(readme))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// block is the first fenced block of a language in the README.
func block(t *testing.T, lang string) string {
	t.Helper()
	m := regexp.MustCompile("(?ms)^```" + lang + "\n(.*?)^```$").FindStringSubmatch(readmeText(t))
	if m == nil {
		t.Fatalf("the README has no block in %s", lang)
	}
	return m[1]
}

// shop serves the demo's page where the README's examples look for it.
func shop(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/shop" {
			r.URL.Path = "/recycle.html"
		}
		http.FileServerFS(demo.Pages()).ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func command(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	status := cli.Main(t.Context(), args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, LookupEnv: os.LookupEnv})
	return status, out.String(), errs.String()
}

// TestReadme_Transcript: the README shows what the demo prints, to the letter. -update writes it there.
func TestReadme_Transcript(t *testing.T) {
	status, out, errs := command(t, "demo")
	if status != 0 {
		t.Fatalf("exit status %d\n%s%s", status, out, errs)
	}
	re := regexp.MustCompile("(?s)(<!-- transcript -->\n```\n)(.*?)(```\n)")
	text := readmeText(t)
	m := re.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("the README has no transcript")
	}
	if m[2] == out {
		return
	}
	if !*update {
		t.Fatalf("the README's transcript is not what the demo prints (go test ./internal/cli -update):\n%s\nwant\n%s", m[2], out)
	}
	text = re.ReplaceAllStringFunc(text, func(string) string { return m[1] + out + m[3] })
	if err := os.WriteFile(filepath.FromSlash(readme), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReadme_Case: the README's case file runs, verified.
func TestReadme_Case(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.deed.yaml")
	if err := os.WriteFile(file, []byte(block(t, "yaml")), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // where the run leaves its report
	if status, out, errs := command(t, "run", file, "--base-url", shop(t)); status != 0 {
		t.Errorf("exit status %d\n%s%s", status, out, errs)
	}
}

// TestReadme_Go: the README's Go is the code below, which runs.
func TestReadme_Go(t *testing.T) {
	data, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(data), "func readmeExample(ctx context.Context, shop string) error {\n")
	code, _, _ = strings.Cut(code, "\n}\n")
	var want strings.Builder
	for _, line := range strings.Split(code, "\n") {
		want.WriteString(strings.TrimPrefix(line, "\t") + "\n")
	}
	if got := block(t, "go"); got != want.String() {
		t.Errorf("the README says\n%s\nwhat runs is\n%s", got, want.String())
	}
	if err := readmeExample(t.Context(), shop(t)+"/shop"); err != nil {
		t.Error(err)
	}
}

func readmeExample(ctx context.Context, shop string) error {
	b, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.Open(ctx, shop)
	if err != nil {
		return err
	}
	res, err := page.Click(ctx, deed.Button("Add T-shirt M").In("catalog"),
		browser.Expect(deed.Appears("listitem", "/T-shirt M/").In("cart")))
	fmt.Print(res.Explain())
	return err // not nil for anything that is not proven
}
