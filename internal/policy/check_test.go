package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

func TestCheck_NamesThePlace(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a bracket is missing": {"permit (principal, action, resource;", `my.cedar:1:36: this is no Cedar: ";" instead of ")"`},
		"no Cedar at all":      {"allow everything", `my.cedar:1:1: this is no Cedar: `},
		"a string without end": {"permit (principal, action, resource)\nwhen { resource.name == \"x };", `my.cedar:2:`},
		"an unknown attribute": {"// a comment: nam\npermit (principal, action, resource)\nwhen { context.dryRun &&\n  resource.nam == \"nam\" };",
			"my.cedar:4:12: an element has no attribute `nam`"},
		"an unknown context":     {"permit (principal, action, resource) when { context.confirm };", "my.cedar:1:53: the context has no attribute `confirm`"},
		"an unknown action":      {"permit (principal,\n  action == Action::\"clik\",\n  resource);", "my.cedar:2:13: unrecognized action `Action::\"clik\"`"},
		"an unknown entity type": {"permit (principal is Robot, action, resource);", "my.cedar:1:22: unrecognized entity type `Robot`"},
		"a wrong type":           {"permit (principal, action, resource)\nwhen { context.risk == \"high\" };", "my.cedar:1:1: "},
		"no truth value":         {"permit (principal, action, resource) when { context.risk };", "my.cedar:1:1: unexpected type: expected Bool but saw Long"},
		"a word that is none":    {"permit (principal, action, resource)\nwhen { context.kind == \"clik\" };", `my.cedar:2:24: kind is never "clik"`},
		"one among words":        {"permit (principal, action, resource)\nwhen { [\"click\", \"goTo\"].contains(context.kind) };", `my.cedar:2:18: kind is never "goTo"`},
		"a hint that is none":    {"permit (principal, action, resource)\nwhen { context.hints.contains(\"destructve\") };", `my.cedar:2:31: hints is never "destructve"`},
		"an element by id":       {"forbid (principal, action, resource == Element::\"save\");", "my.cedar:1:40: an element has no id"},
		"an element by id, when": {"forbid (principal, action, resource)\nwhen { resource == Page::\"x\" };", "my.cedar:2:20: an element has no id"},
		"an unknown annotation":  {"@name(\"x\")\npermit (principal, action, resource);", "my.cedar:1:1: there is no annotation @name"},
		"an unknown placeholder": {"@id(\"a\")\n@reason(\"of {where}\")\npermit (principal, action, resource);", "my.cedar:2:1: a reason has no {where}"},
		"a blank reason":         {"@reason(\" \")\npermit (principal, action, resource);", "my.cedar:1:1: the reason is blank"},
		"an id with blanks":      {"@id(\"a b\")\npermit (principal, action, resource);", "my.cedar:1:1: an id is written with"},
		"an id twice":            {"@id(\"a\")\npermit (principal, action, resource);\n@id(\"a\")\nforbid (principal, action, resource);", `my.cedar:3:1: a second rule is called "a"`},
		"an id that numbers use": {"permit (principal, action, resource);\n@id(\"policy0\")\nforbid (principal, action, resource);", `my.cedar:2:1: a second rule is called "policy0"`},
		"no UTF-8":               {"// ok\n// \xff\n", "my.cedar:2:4: the file is no UTF-8"},
		"too deep":               {"permit (principal, action, resource) when { " + strings.Repeat("(", 200) + "true" + strings.Repeat(")", 200) + "};", "my.cedar:1:144: more than 100 brackets"},
		"too large":              {strings.Repeat("// comment\n", 30000), "my.cedar:1:1: the file is larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			problems := policy.Check("my.cedar", []byte(c.src))
			if len(problems) == 0 {
				t.Fatal("no problem is found")
			}
			if got := problems[0].Pos() + ": " + problems[0].Message; !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			p, err := policy.Load("my.cedar", []byte(c.src))
			if p != nil || !errors.Is(err, deed.CodeInvalid) || !strings.Contains(err.Error(), problems[0].Pos()) {
				t.Errorf("it is loaded: %v", err)
			}
		})
	}
}

func TestCheck_Suggests(t *testing.T) {
	problems := policy.Check("my.cedar", []byte("forbid (principal, action == Action::\"clik\", resource);\nforbid (principal, action, resource) when { context.pageOrigen == \"\" };"))
	var got []string
	for _, p := range problems {
		if p.Hint != "" {
			got = append(got, p.Pos()+" "+p.Hint)
		}
	}
	if d := cmp.Diff([]string{`my.cedar:1:30 did you mean "click"?`, `my.cedar:2:53 did you mean "pageOrigin"?`}, got); d != "" || len(problems) != 2 {
		t.Errorf("%s\n%v", d, problems)
	}
}

func TestCheck_TakesWhatIsShipped(t *testing.T) {
	for _, name := range []string{policy.Agent, policy.Test} {
		text, err := policy.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		if problems := policy.Check(name, []byte(text)); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
		for _, id := range standard(t, name, policy.Config{}).Rules() {
			if strings.HasPrefix(id, "policy") {
				t.Errorf("%s: %s has no @id", name, id)
			}
		}
	}
}

// FuzzLoad: no file brings the check down, and what it takes can be decided by.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{policy.Agent, policy.Test} {
		text, err := policy.Text(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(text))
	}
	for _, s := range []string{"", "permit (principal, action, resource);", "@id(\"a\") forbid (principal is Agent, action in [Action::\"act\"], resource is Element) when { resource.text like \"*delete*\" } unless { context.confirmed };",
		"permit (principal, action, resource) when { if context.dryRun then resource has name else [1, 2].contains(context.risk) };", "// \"", "permit (principal == Person::\"ana\", action, resource) when { -context.risk * 9223372036854775807 < 0 };",
		"permit (principal, action, resource) when { ip(\"127.0.0.1\").isLoopback() && decimal(\"1.0\").lessThan(decimal(\"2.0\")) };", "\xef\xbb\xbfpermit"} {
		f.Add([]byte(s))
	}
	requests := []*policy.Request{
		ask(deed.Action{Kind: deed.KindClick}, node("button", "Delete")), ask(deed.Action{Kind: deed.KindEval, Text: "1"}, nil),
		ask(deed.Action{Kind: deed.KindPress, Key: "Enter"}, node("combobox", "x")),
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		problems := policy.Check("f.cedar", src)
		p, err := policy.Load("f.cedar", src)
		if (err == nil) != (len(problems) == 0) || (p == nil) != (err != nil) {
			t.Fatalf("%v, but %v", problems, err)
		}
		for _, pr := range problems {
			if pr.Line < 1 || pr.Column < 1 || pr.Message == "" {
				t.Errorf("a problem at no place: %+v", pr)
			}
		}
		for _, q := range requests {
			d := p.Decide(q)
			if d.Rule == "" || d.Reason == "" || p == nil && d.Decision != deed.Deny {
				t.Errorf("%+v", d)
			}
		}
	})
}
