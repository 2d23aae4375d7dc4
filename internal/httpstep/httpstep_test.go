package httpstep_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/httpstep"
)

func server(t *testing.T) (own, other *httptest.Server) {
	other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"elsewhere":true}`) }))
	t.Cleanup(other.Close)
	own = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cart":
			w.Header().Set("X-Kind", "cart of a shop")
			fmt.Fprint(w, `{"items":[{"id":7,"name":"Shirt","tags":["a","b"]},{"id":1e1,"name":"Socks"}],"note":"grüß","big":12345678901234567890,"none":null}`)
		case "/set":
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "ana"})
		case "/who":
			c, err := r.Cookie("who")
			if err != nil {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprintf(w, "%q", c.Value)
		case "/echo":
			b, _ := io.ReadAll(r.Body)
			_ = json.NewEncoder(w).Encode(map[string]string{"method": r.Method, "type": r.Header.Get("Content-Type"), "body": string(b), "x": r.Header.Get("X-Own")})
		case "/there":
			http.Redirect(w, r, "/cart", http.StatusFound)
		case "/away":
			http.Redirect(w, r, other.URL+"/", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/slow":
			<-r.Context().Done()
		case "/text":
			fmt.Fprint(w, "no JSON")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(own.Close)
	return own, other
}

func client(t *testing.T, open ...string) *httpstep.Client {
	c := httpstep.New(func(_ context.Context, _, url string) string {
		for _, o := range open {
			if strings.HasPrefix(url, o+"/") {
				return ""
			}
		}
		return "the origin is not allowed"
	})
	t.Cleanup(c.Close)
	return c
}

func raw(pairs ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return out
}

func TestAnswersAreJudged(t *testing.T) {
	own, _ := server(t)
	c := client(t, own.URL)
	for _, tt := range []struct {
		name string
		step deed.HTTPStep
		want string // "": it matches
	}{
		{"a plain answer", deed.HTTPStep{URL: "/cart"}, ""},
		{"not found", deed.HTTPStep{URL: "/nowhere"}, "the status is 404"},
		{"not found, as expected", deed.HTTPStep{URL: "/nowhere", Status: 404}, ""},
		{"another status", deed.HTTPStep{URL: "/cart", Status: 201}, "the status is 200, expected 201"},
		{"values", deed.HTTPStep{URL: "/cart", Expect: raw("$.items[0].name", `"Shirt"`, "$.items[1].id", `10`, "$.big", `12345678901234567890`, "$.none", `null`)}, ""},
		{"a count", deed.HTTPStep{URL: "/cart", Expect: raw("$.items.length()", `2`, "$.note.length()", `4`, "$.length()", `4`)}, ""},
		{"all of them", deed.HTTPStep{URL: "/cart", Expect: raw("$.items[*].name", `["Shirt","Socks"]`, "$.items[0].tags", `["a","b"]`, "$.items[5]", `[]`)}, ""},
		{"by a filter", deed.HTTPStep{URL: "/cart", Expect: raw("$.items[?@.id == 7].name", `"Shirt"`)}, ""},
		{"another value", deed.HTTPStep{URL: "/cart", Expect: raw("$.items[0].name", `"Hat"`)}, `$.items[0].name is "Shirt", expected "Hat"`},
		{"a digit more", deed.HTTPStep{URL: "/cart", Expect: raw("$.items.length()", `3`)}, `$.items.length() is 2, expected 3`},
		{"nothing there", deed.HTTPStep{URL: "/cart", Expect: raw("$.total", `1`)}, `$.total is not there, expected 1`},
		{"null is not nothing", deed.HTTPStep{URL: "/cart", Expect: raw("$.total", `null`)}, `$.total is not there, expected null`},
		{"a header", deed.HTTPStep{URL: "/cart", ExpectHeaders: map[string]string{"x-kind": "shop"}}, ""},
		{"another header", deed.HTTPStep{URL: "/cart", ExpectHeaders: map[string]string{"X-Kind": "bank"}}, `the header X-Kind is "cart of a shop", expected "bank" in it`},
		{"no JSON", deed.HTTPStep{URL: "/text", Expect: raw("$.a", "1")}, "the answer is no JSON"},
		{"a redirect", deed.HTTPStep{URL: "/there", Expect: raw("$.items[0].id", `7`)}, ""},
		{"JSON is sent", deed.HTTPStep{Method: "PUT", URL: "/echo", JSON: json.RawMessage(`{"a":1}`), Headers: map[string]string{"X-Own": "yes"}, Expect: raw("$.method", `"PUT"`, "$.type", `"application/json"`, "$.body", `"{\"a\":1}"`, "$.x", `"yes"`)}, ""},
		{"a form is sent", deed.HTTPStep{Method: "POST", URL: "/echo", Form: map[string]string{"a": "b c"}, Expect: raw("$.body", `"a=b+c"`)}, ""},
		{"what is saved has to be one", deed.HTTPStep{URL: "/cart", Save: map[string]string{"id": "$.items[*].id"}}, `$.items[*].id, which is saved as id, is [7,1e1]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.step
			s.URL = own.URL + s.URL
			a, err := c.Do(t.Context(), &s)
			switch {
			case err != nil:
				t.Fatal(err)
			case tt.want == "" && a.Verdict != deed.Match, tt.want != "" && (a.Verdict != deed.Mismatch || a.Reason != tt.want):
				t.Errorf("%v: %s, want %q", a.Verdict, a.Reason, tt.want)
			}
		})
	}
}

func TestCookiesAndSavedValues(t *testing.T) {
	own, _ := server(t)
	c := client(t, own.URL)
	for _, path := range []string{"/set", "/who"} {
		if a, err := c.Do(t.Context(), &deed.HTTPStep{URL: own.URL + path}); err != nil || a.Verdict != deed.Match {
			t.Fatalf("%s: %+v, %v", path, a, err)
		}
	}
	if a, _ := client(t, own.URL).Do(t.Context(), &deed.HTTPStep{URL: own.URL + "/who"}); a.Status != 401 {
		t.Error("cookies of one case are another's")
	}
	a, err := c.Do(t.Context(), &deed.HTTPStep{URL: own.URL + "/cart", Save: map[string]string{"id": "$.items[0].id", "tags": "$.items[0].tags"}})
	if err != nil || string(a.Saved["id"]) != "7" || string(a.Saved["tags"]) != `["a","b"]` {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestRequestsGoWhereTheyMay(t *testing.T) {
	own, other := server(t)
	for name, tt := range map[string]struct {
		url  string
		code deed.Code
	}{
		"another origin":         {other.URL + "/", deed.CodeRefused},
		"a redirect to another":  {own.URL + "/away", deed.CodeRefused},
		"a redirect for ever":    {own.URL + "/round", deed.CodeEnvironment},
		"a file":                 {"file:///etc/passwd", deed.CodeInvalid},
		"nothing":                {"", deed.CodeInvalid},
		"an answer that is late": {own.URL + "/slow", deed.CodeTimeout},
		"nobody is there":        {"http://127.0.0.1:1/", deed.CodeEnvironment},
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, own.URL, "http://127.0.0.1:1")
			_, err := c.Do(t.Context(), &deed.HTTPStep{Method: "GET", URL: tt.url, Timeout: 200 * time.Millisecond})
			if deed.CodeOf(err) != tt.code {
				t.Errorf("%v, want %s", err, tt.code)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	for _, p := range []string{"$", "$.a", "$['a b'][0]", "$..a", "$.a.length()", "$[?@.b > 1]"} {
		if err := httpstep.CheckPath(p); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []string{"", "a", "$.", "$.a.size()", "$[", ".length()"} {
		if httpstep.CheckPath(p) == nil {
			t.Errorf("%q passes", p)
		}
	}
}
