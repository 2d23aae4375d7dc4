package lock

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/deed-dev/deed"
)

func plan() *deed.Case {
	return &deed.Case{ID: "a", Title: "A", File: "a.deed.yaml", Start: "http://127.0.0.1:8080/shop?x=1", Origins: []string{"https://pay.example"}, Tags: []string{"smoke"},
		Vars: map[string]string{"BASE_URL": "http://127.0.0.1:8080", "WHO": "ana@example.com"}, Secrets: map[string]string{"PASSWORD": "s3cret-one"},
		Setting: deed.Setting{Storage: []deed.Storage{{Origin: "http://127.0.0.1:8080", Local: map[string]string{"theme": "dark", "key": "s3cret-one"}}}, Cookies: []deed.Cookie{{Name: "sid", Value: "x"}}},
		Steps: []deed.Step{
			{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Email"), Text: "ana@example.com"}, Use: &deed.Use{Fragment: "sign-in", Digest: "d1"}},
			{Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Password"), Text: "s3cret-one", Secret: "PASSWORD"}},
			{Action: deed.Action{Kind: deed.KindClick, Locator: deed.Button("Sign in"), Intent: "the dashboard opens", Timeout: time.Second,
				Expect: []deed.Expect{deed.URL("http://127.0.0.1:8080/dashboard"), deed.Appears("heading", "Welcome ana@example.com")}}},
			{Action: deed.Action{Kind: deed.KindHTTP}, HTTP: &deed.HTTPStep{Method: "POST", URL: "http://127.0.0.1:8080/api", Headers: map[string]string{"Accept": "application/json", "Authorization": "Bearer s3cret-one"},
				Expect: map[string]json.RawMessage{"$.n": []byte("1")}}},
		}}
}

// TestKey says what is in the key of a case, and what is not.
func TestKey(t *testing.T) {
	same := map[string]func(*deed.Case){
		"WU-29 tags":                  func(c *deed.Case) { c.Tags = []string{"nightly"} },
		"title, file, origins, bound": func(c *deed.Case) { c.Title, c.File, c.Origins, c.Timeout = "B", "b.deed.yaml", nil, time.Minute },
		"WU-29 network":               func(c *deed.Case) { c.Network = []deed.NetworkRule{{}} },
		"what is not done": func(c *deed.Case) {
			c.Retries, c.Quarantine, c.Requires, c.FailOn, c.Egress = 2, true, []string{"an account"}, &deed.FailOn{Console: true}, "strict"
			c.Teardown = c.Steps[:1]
			c.Device, c.Clock, c.Storage = &deed.Device{Name: "phone"}, &deed.Clock{Frozen: true}, nil
		},
		"a cookie's value":    func(c *deed.Case) { c.Cookies[0].Value = "another" },
		"a time-out":          func(c *deed.Case) { c.Steps[2].Action.Timeout = time.Minute },
		"a place in the file": func(c *deed.Case) { c.Steps[0].Pos = deed.Pos{File: "x", Line: 7} },
		"the value of a secret": func(c *deed.Case) {
			c.Secrets["PASSWORD"], c.Steps[1].Action.Text = "another-one", "another-one"
			c.Steps[3].HTTP.Headers["Authorization"] = "Bearer another-one"
			c.Storage[0].Local["key"] = "another-one"
		},
		"the value of a variable": func(c *deed.Case) {
			c.Vars["WHO"], c.Steps[0].Action.Text = "ben@example.com", "ben@example.com"
			c.Steps[2].Action.Expect[1].Locator.Name = "Welcome ben@example.com"
		},
		"WU-27 another base URL": func(c *deed.Case) {
			c.Vars["BASE_URL"], c.Start = "https://staging.example", "https://staging.example/shop?x=1"
			c.Steps[3].HTTP.URL, c.Storage[0].Origin = "https://staging.example/api", "https://staging.example"
			c.Steps[2].Action.Expect[0].Text = "https://staging.example/dashboard"
		},
	}
	want := Key(plan())
	for name, edit := range same {
		c := plan()
		edit(c)
		if Key(c) != want {
			t.Errorf("%s changes the key", name)
		}
	}
	other := map[string]func(*deed.Case){
		"WU-28 an intent":       func(c *deed.Case) { c.Steps[2].Action.Intent = "nothing happens" },
		"the path of the start": func(c *deed.Case) { c.Start = "http://127.0.0.1:8080/basket" },
		"a locator":             func(c *deed.Case) { c.Steps[2].Action.Locator = deed.Button("Log in") },
		"a region":              func(c *deed.Case) { c.Steps[2].Action.Locator.Region = "main" },
		"what is typed":         func(c *deed.Case) { c.Steps[0].Action.Text = "someone@example.com" },
		"which secret":          func(c *deed.Case) { c.Steps[1].Action.Secret = "OTHER" },
		"an expectation":        func(c *deed.Case) { c.Steps[2].Action.Expect = c.Steps[2].Action.Expect[:1] },
		"the order":             func(c *deed.Case) { c.Steps[0], c.Steps[1] = c.Steps[1], c.Steps[0] },
		"WU-D9 a step of a fragment": func(c *deed.Case) {
			c.Steps = slices.Insert(c.Steps, 1, deed.Step{Action: deed.Action{Kind: deed.KindPress, Key: "Tab"}})
		},
		"an answer": func(c *deed.Case) { c.Steps[2].Action.Dialog = &deed.Answer{Accept: true} },
	}
	keys := map[string]string{want: "the case"}
	for name, edit := range other {
		c := plan()
		edit(c)
		k := Key(c)
		if was, twice := keys[k]; twice {
			t.Errorf("%s has the key of %s", name, was)
		}
		keys[k] = name
	}
}

// TestKey_EveryFieldIsDecided: a field that the vocabulary gains is decided on here: it shapes the plan, or it does not.
func TestKey_EveryFieldIsDecided(t *testing.T) {
	out := map[reflect.Type][]string{
		reflect.TypeFor[deed.Case](): {"ID", "Title", "File", "Pos", "Origins", "Tags", "Timeout", "Vars", "Secrets",
			"Egress", "Requires", "FailOn", "Session", "Teardown", "Quarantine", "Retries", "Setting"},
		reflect.TypeFor[deed.Step]():   {"Pos"},
		reflect.TypeFor[deed.Action](): {"Pause", "Whole", "Rest", "Timeout"},
	}
	in := map[reflect.Type][]string{
		reflect.TypeFor[deed.Case](): {"Start", "Steps", "DependsOn"},
		reflect.TypeFor[deed.Step](): {"Action", "Save", "HTTP", "Use"},
	}
	for ty, not := range out {
		for i := range ty.NumField() {
			f := ty.Field(i)
			if slices.Contains(not, f.Name) {
				continue
			}
			if ty == reflect.TypeFor[deed.Action]() {
				base, changed := plan(), plan()
				v := reflect.ValueOf(&changed.Steps[2].Action).Elem().Field(i)
				set(t, v)
				if Key(base) == Key(changed) {
					t.Errorf("Action.%s is not in the key: put it there, or into this test's list of what does not shape a plan", f.Name)
				}
				continue
			}
			if !slices.Contains(in[ty], f.Name) {
				t.Errorf("%s.%s is new: does it shape the plan? Put it into the key, or into this test's list of what does not", ty.Name(), f.Name)
			}
		}
	}
}

// set gives a field a value that it has not.
func set(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		s := reflect.New(v.Type().Elem()).Elem()
		set(t, s)
		v.Set(reflect.Append(v, s))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		set(t, v.Field(0))
	default:
		t.Fatalf("no other value for a %s", v.Type())
	}
}
