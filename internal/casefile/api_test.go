package casefile

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

const apiCase = `{"deed":1,"case":%q,"start":"http://127.0.0.1/","steps":[{"click":{"button":"Save"}}]}`

// serve answers each path with a body, a redirect (→ URL) or a status.
func serve(t *testing.T, answers map[string]string) (*httptest.Server, *[]string) {
	t.Helper()
	var tokens []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
		body, ok := answers[r.URL.Path]
		switch to, redirect := strings.CutPrefix(body, "→"); {
		case !ok:
			http.Error(w, "no", http.StatusInternalServerError)
		case redirect:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			fmt.Fprint(w, body)
		}
	}))
	t.Cleanup(s.Close)
	return s, &tokens
}

type loaded struct {
	Cases    []deed.Case
	Problems []Problem
}

func fromAPI(t *testing.T, address string) loaded {
	t.Helper()
	t.Chdir(t.TempDir())
	cases, problems := LoadAPI(t.Context(), address, nil, Options{LookupEnv: func(k string) (string, bool) {
		if k == tokenName {
			return "never-shown", true
		}
		return "", false
	}})
	return loaded{cases, problems}
}

func TestJB28_AnAPIsCases(t *testing.T) {
	one, two := fmt.Sprintf(apiCase, "one"), fmt.Sprintf(apiCase, "two")
	s, tokens := serve(t, map[string]string{"/one": one, "/list": "[" + one + "," + two + "]", "/cases": `{"cases":[` + one + "]}", "/data": `{"next":1,"data":[` + one + "," + two + "]}", "/moved": "→/list"})
	for path, want := range map[string]int{"/one": 1, "/list": 2, "/cases": 1, "/data": 2, "/moved": 2} {
		l := fromAPI(t, s.URL+path)
		if len(l.Problems) > 0 || len(l.Cases) != want {
			t.Errorf("%s: %d cases, %v", path, len(l.Cases), l.Problems)
			continue
		}
		c := l.Cases[want-1]
		if !strings.HasPrefix(c.Steps[0].Pos.String(), s.URL+path+"#/") || !strings.HasSuffix(c.Steps[0].Pos.String(), "/steps/0/click") || c.File != s.URL+path {
			t.Errorf("%s: the step stands at %s, in %s", path, c.Steps[0].Pos, c.File)
		}
	}
	for _, token := range *tokens {
		if token != "Bearer never-shown" {
			t.Errorf("the address was shown %q", token)
		}
	}
}

// A case of an API that is wrong keeps no other from being read, and says where it is wrong.
func TestAPI_BadCases(t *testing.T) {
	s, _ := serve(t, map[string]string{
		"/mixed":  `{"cases":[` + fmt.Sprintf(apiCase, "good") + `,{"deed":1,"case":"bad","start":"http://127.0.0.1/","steps":["back",{"clik":{"button":"a"}}]},7,{"deed":1,"case":"files","start":"http://127.0.0.1/","steps":[{"upload":{"button":"a"},"files":["/etc/passwd"]}]},{"deed":1,"case":"token","start":"http://127.0.0.1/","secrets":["DEED_API_TOKEN"],"steps":["back"]}]}`,
		"/broken": `{"cases":[{"deed":1,`, "/two": "{}{}", "/empty": `{"cases":[]}`, "/none": `{"deed":1}`,
	})
	l := fromAPI(t, s.URL+"/mixed")
	if len(l.Cases) != 1 || l.Cases[0].ID != "good" {
		t.Errorf("%v", l.Cases)
	}
	got := ""
	for _, p := range l.Problems {
		got += strings.ReplaceAll(p.Error(), s.URL, "") + "\n"
		if strings.Contains(p.Error()+p.Hint, "never-shown") {
			t.Errorf("the token is shown: %v", p)
		}
	}
	want := `/mixed#/cases/1/steps/1/clik: unknown verb "clik"
/mixed#/cases/2: a case is a mapping, this is a text
/mixed#/cases/3/steps/0/files/0: a case from an address has no files of this machine
/mixed#/cases/4/secrets/0: DEED_API_TOKEN is for the address that the case came from, not for its pages
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, path := range []string{"/broken", "/two", "/empty", "/none"} {
		if l := fromAPI(t, s.URL+path); len(l.Problems) == 0 || len(l.Cases) > 0 {
			t.Errorf("%s: %v", path, l)
		}
	}
}

func TestJB29_AnAPIThatFails(t *testing.T) {
	elsewhere, seen := serve(t, map[string]string{"/cases": fmt.Sprintf(apiCase, "stolen")})
	s, _ := serve(t, map[string]string{"/away": "→" + elsewhere.URL + "/cases", "/round": "→/round", "/large": "[" + strings.Repeat(" ", maxAnswer) + "]"})
	for address, code := range map[string]deed.Code{s.URL + "/fails": deed.CodeEnvironment, s.URL + "/away": deed.CodeEnvironment, s.URL + "/round": deed.CodeEnvironment,
		s.URL + "/large": deed.CodeInvalid, "ftp://127.0.0.1/": deed.CodeInvalid, "cases": deed.CodeInvalid, "http://me:pw@127.0.0.1/": deed.CodeInvalid} {
		l := fromAPI(t, address)
		if len(l.Problems) != 1 || !errors.Is(l.Problems[0], code) || len(l.Cases) > 0 {
			t.Errorf("%s: %v, want %s", address, l.Problems, code)
		}
	}
	if len(*seen) > 0 {
		t.Error("the token followed a redirect to another origin")
	}
}

// What an address answers with opens no page of the file system: its content could be sent where the case says.
func TestAPI_OpensNoFiles(t *testing.T) {
	s, _ := serve(t, map[string]string{"/cases": `[{"deed":1,"case":"starts","start":"file:///etc/passwd","steps":["reload"]},` +
		`{"deed":1,"case":"goes","steps":[{"goto":"file:///etc/passwd"}]},` + fmt.Sprintf(apiCase, "good") + `]`})
	l := fromAPI(t, s.URL+"/cases")
	if len(l.Cases) != 1 || l.Cases[0].ID != "good" || len(l.Problems) != 2 {
		t.Fatalf("%v", l)
	}
	for i, p := range l.Problems {
		if want := fmt.Sprintf("%s/cases#/%d/case: a case from an address opens no files of this machine", s.URL, i); p.Error() != want {
			t.Errorf("got %v, want %s", p, want)
		}
	}
}

// A key in the query of an address is in no position, no result and no message.
func TestAPI_TheQueryIsNotShown(t *testing.T) {
	s, _ := serve(t, map[string]string{"/cases": "[" + fmt.Sprintf(apiCase, "good") + `,{"case":"bad"}]`})
	for _, address := range []string{s.URL + "/cases?key=hush-hush", s.URL + "/fails?key=hush-hush", "ftp://h/?key=hush-hush", "http://h:x/?key=hush-hush", "http://a:hush-hush@h/"} {
		l := fromAPI(t, address)
		if len(l.Problems) == 0 {
			t.Errorf("%s: nothing is wrong", address)
		}
		if text := fmt.Sprintf("%+v %v", l, l.Problems); strings.Contains(text, "hush-hush") {
			t.Errorf("%s: shown in %s", address, text)
		}
	}
}

// Who answers at an address gets no secret that was not given to it.
func TestAPIGetsTheSecretsItIsGiven(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"deed":1,"case":"a","start":"http://127.0.0.1/","secrets":["PASSWORD"],"steps":[{"fill":{"textbox":"Password"},"secret":"PASSWORD"}]}`)
	}))
	defer srv.Close()
	look := func(k string) (string, bool) { return "canary", k == "PASSWORD" }
	cases, problems := LoadAPI(t.Context(), srv.URL+"/", nil, Options{LookupEnv: look})
	if len(cases) != 0 || len(problems) == 0 || !strings.Contains(problems[0].Error()+problems[0].Hint, "--secret PASSWORD") || strings.Contains(fmt.Sprint(problems), "canary") {
		t.Errorf("%d cases, %v", len(cases), problems)
	}
	cases, problems = LoadAPI(t.Context(), srv.URL+"/", nil, Options{LookupEnv: look, Secrets: []string{"PASSWORD"}})
	if len(cases) != 1 || len(problems) != 0 || cases[0].Secrets["PASSWORD"] != "canary" {
		t.Errorf("%d cases, %v", len(cases), problems)
	}
}
