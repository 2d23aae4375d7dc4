package redact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
)

const canary = "c4nary-in-the-mine"

// plant puts the canary in every string that can be reached from v, and one element into every slice, map and pointer. It tells where.
func plant(v reflect.Value, path string, planted *[]string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("<" + canary + ">")
		*planted = append(*planted, path)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				plant(v.Field(i), path+"."+v.Type().Field(i).Name, planted)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			plant(v.Index(i), fmt.Sprintf("%s[%d]", path, i), planted)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), path, planted)
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plant(k, path+"[key]", planted)
		plant(e, path+"[value]", planted)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(k, e)
	case reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{canary: []any{canary, map[string]any{"k": canary}}, "raw": json.RawMessage(`{"a":"` + canary + `"}`), "bytes": []byte(canary)}))
		*planted = append(*planted, path)
	}
}

// singing lists the strings reachable from v that still hold the canary.
func singing(v reflect.Value, path string, out *[]string) {
	switch v.Kind() {
	case reflect.String:
		if strings.Contains(v.String(), canary) {
			*out = append(*out, path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			singing(v.Field(i), path+"."+v.Type().Field(i).Name, out)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if strings.Contains(string(v.Bytes()), canary) {
				*out = append(*out, path)
			}
			return
		}
		for i := range v.Len() {
			singing(v.Index(i), fmt.Sprintf("%s[%d]", path, i), out)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			singing(v.Elem(), path, out)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			singing(it.Key(), path+"[key]", out)
			singing(it.Value(), path+"[value]", out)
		}
	}
}

// stays reports the fields that may hold what looks like a secret: IDs that the browser and deed assign, and words of closed sets.
func stays(path string) bool {
	for _, end := range []string{".ID", ".Doc", ".Script", "Key.Frame"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return slices.ContainsFunc([]string{"Action.Kind", "].Kind", "Judgement.Kind", "Judgement.Basis"}, func(end string) bool {
		return strings.HasSuffix(path, end) && !strings.Contains(path, "Dialogs")
	})
}

func TestNoFieldIsForgotten(t *testing.T) {
	m := masker(canary)
	for _, c := range []struct {
		name string
		v    any
		mask func(any)
		min  int // planted strings: the test that plants nothing proves nothing
	}{
		{"Snapshot", new(deed.Snapshot), func(v any) { m.Snapshot(v.(*deed.Snapshot)) }, 20},
		{"Diff", new(deed.Diff), func(v any) { m.Diff(v.(*deed.Diff)) }, 40},
		{"Result", new(deed.Result), func(v any) { m.Result(v.(*deed.Result)) }, 120},
	} {
		t.Run(c.name, func(t *testing.T) {
			var planted, left []string
			plant(reflect.ValueOf(c.v).Elem(), c.name, &planted)
			if len(planted) < c.min {
				t.Fatalf("only %d strings planted", len(planted))
			}
			c.mask(c.v)
			singing(reflect.ValueOf(c.v).Elem(), c.name, &left)
			for _, path := range left {
				if !stays(path) {
					t.Errorf("%s still holds the secret", path)
				}
			}
			for _, path := range planted {
				if stays(path) && !slices.Contains(left, path) {
					t.Errorf("%s was changed", path)
				}
			}
		})
	}
}

// TestTheCallersActionStays: what whoever asked for the action holds is not masked, whatever an action holds: the same case is attempted again.
func TestTheCallersActionStays(t *testing.T) {
	for _, secret := range []string{canary, "another one"} {
		var m redact.Masker
		m.Add(secret)
		var planted, again []string
		var theirs, want deed.Action
		plant(reflect.ValueOf(&theirs).Elem(), "Action", &planted)
		plant(reflect.ValueOf(&want).Elem(), "Action", &again)
		if len(planted) < 20 {
			t.Fatalf("only %d texts in an action", len(planted))
		}
		for i := range theirs.Expect {
			theirs.Expect[i].Secret, want.Expect[i].Secret = true, true
		}
		r := deed.Result{Action: theirs}
		m.Result(&r)
		if !reflect.DeepEqual(theirs, want) {
			t.Errorf("the caller's action is %+v", theirs)
		}
		if r.Action.Expect[0].Text != deed.Redacted {
			t.Errorf("the result shows %q", r.Action.Expect[0].Text)
		}
	}
}

func TestKnownRolesAndStatesStay(t *testing.T) {
	m := masker("button", "checked", "textbox")
	s := &deed.Snapshot{Frames: []deed.Frame{{ID: "button"}}, Nodes: []deed.Node{{Role: "button", Name: "a button"}, {Role: "Button"}}}
	m.Snapshot(s)
	if s.Nodes[0].Role != "button" || s.Nodes[0].Name != "a [redacted]" || s.Nodes[1].Role != "[redacted]" || s.Frames[0].ID != "button" {
		t.Errorf("%+v", s)
	}
	r := &deed.Result{Action: deed.Action{Locator: deed.Textbox("x"), Expect: []deed.Expect{{States: map[string]bool{"checked": true}}}}}
	m.Result(r)
	if r.Action.Locator.Role != "textbox" || !r.Action.Expect[0].States["checked"] {
		t.Errorf("%+v", r.Action)
	}
}

// AP-27, AP-28: what a secret fill typed is masked though nobody registered it; what the page echoes is masked where it was.
func TestAP28_ResultOfASecretFill(t *testing.T) {
	result := func() *deed.Result {
		return &deed.Result{
			Action: deed.Action{Kind: deed.KindFill, Locator: deed.Textbox("Code"), Secret: "CODE", Text: "tr0ub4dor&3", Expect: []deed.Expect{{Kind: deed.ExpectValue, Locator: deed.Textbox("Code"), Text: "tr0ub4dor&3", Secret: true}}},
			Target: deed.Node{Role: "textbox", Name: "Code", Value: "old", Sensitive: true},
			Diff: deed.Diff{Changes: []deed.Change{
				{Kind: deed.Appeared, Key: deed.Key{Role: "paragraph", Name: "You typed tr0ub4dor&3"}, After: deed.Node{Role: "paragraph", Name: "You typed tr0ub4dor&3"}},
				{Kind: deed.Changed, After: deed.Node{Role: "textbox", Name: "Code", Value: "tr0ub4dor&3", Sensitive: true}}}},
		}
	}
	r := result()
	new(redact.Masker).Result(r)
	if r.Action.Text != deed.Redacted || r.Action.Expect[0].Text != deed.Redacted || r.Target.Value != deed.Redacted || r.Diff.Changes[1].After.Value != deed.Redacted {
		t.Errorf("%+v", r)
	}
	r = result()
	masker("tr0ub4dor&3").Result(r)
	out, err := json.Marshal(r.Step(1, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{r.Explain(), fmt.Sprintf("%#v", r), string(out)} {
		if strings.Contains(shown, "tr0ub4dor") {
			t.Errorf("the secret is in %s", shown)
		}
	}
	if !strings.Contains(r.Explain(), "You typed [redacted]") {
		t.Errorf("too much is hidden: %s", r.Explain())
	}

	empty := &deed.Result{Action: deed.Action{Kind: deed.KindFill, Secret: "CODE"}, Target: deed.Node{Sensitive: true}}
	masker("tr0ub4dor&3").Result(empty)
	if empty.Action.Text != "" || empty.Target.Value != "" {
		t.Errorf("an empty field shows that it is empty: %+v", empty)
	}
}

// AP-47: a text that the page declares sensitive is masked at the source; what repeats it elsewhere is masked here.
func TestSnapshotMasksValuesOfSensitiveNodes(t *testing.T) {
	s := &deed.Snapshot{Nodes: []deed.Node{{Role: "textbox", Name: "PIN", Value: "4711", Sensitive: true}, {Role: "textbox", Name: "PIN", Sensitive: true}}}
	new(redact.Masker).Snapshot(s)
	if s.Nodes[0].Value != deed.Redacted || s.Nodes[1].Value != "" || s.Nodes[0].Name != "PIN" {
		t.Errorf("%+v", s.Nodes)
	}
}

func TestSavedValues(t *testing.T) {
	m := masker("123456", "hunter2")
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, `null`},
		{"my hunter2", `"my [redacted]"`},
		{map[string]any{"pin": 123456.0, "n": 12345.0, "hunter2": true}, `{"[redacted]":true,"n":12345,"pin":"[redacted]"}`},
		{[]any{int64(123456), "x", nil, json.Number("123456")}, `["[redacted]","x",null,"[redacted]"]`},
		{json.RawMessage(`{"pin":123456,"big":98765432109876543210,"s":"\u0068unter2"}`), `{"big":98765432109876543210,"pin":"[redacted]","s":"[redacted]"}`},
		{map[string]int{"n": 123456}, `{"n":123456}`}, // a Go value that can hold no text; JSON values never are
	} {
		r := &deed.Result{Saved: c.in}
		m.Result(r)
		got, err := json.Marshal(r.Saved)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%v became %s, want %s", c.in, got, c.want)
		}
		if v, err := json.Marshal(m.Value(c.in)); err != nil || string(v) != c.want {
			t.Errorf("Value(%v) = %s, %v", c.in, v, err)
		}
	}
}

type custom struct{ secret string }

func (c *custom) Error() string { return "custom: " + c.secret }

func TestError(t *testing.T) {
	m := masker("hunter2")
	if m.Error(nil) != nil {
		t.Error("nil")
	}
	plain := errors.New("nothing in it")
	if m.Error(plain) != plain {
		t.Error("an error without a secret is returned itself")
	}
	clean := &deed.Error{Op: "click", Code: deed.CodeCovered, Err: plain}
	if m.Error(clean) != error(clean) {
		t.Error("a deed error without a secret is returned itself")
	}

	inner := fmt.Errorf("typed %q: %w", "hunter2", context.DeadlineExceeded)
	err := m.Error(fmt.Errorf("step 3: %w", errors.Join(&deed.Error{Op: "fill", Code: deed.CodeCovered, Where: "hunter2", Hint: "not hunter2", Err: inner}, &custom{"hunter2"})))
	if want := "step 3: fill [redacted]: typed \"[redacted]\": context deadline exceeded\ncustom: [redacted]"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, deed.CodeNotActionable) || deed.CodeOf(err) != deed.CodeCovered || deed.HintOf(err) != "not [redacted]" {
		t.Errorf("%v lost what it is", err)
	}
	e := err
	for _, format := range []string{"%v", "%+v", "%#v", "%q"} {
		if s := fmt.Sprintf(format, e); strings.Contains(s, "hunter2") {
			t.Errorf("%s shows the secret: %s", format, s)
		}
	}
	var c *custom
	if errors.As(err, &c) {
		t.Errorf("the original is reachable: %v", c)
	}
	var d *deed.Error
	if !errors.As(err, &d) || strings.Contains(fmt.Sprintf("%+v", *d), "hunter2") {
		t.Errorf("%+v", d)
	}
}
