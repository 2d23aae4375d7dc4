package gate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/approve"
	"github.com/deed-dev/deed/internal/gate"
	"github.com/deed-dev/deed/internal/policy"
)

type asked struct{ shown []*approve.Request }

func (a *asked) Approve(_ context.Context, r *approve.Request) (bool, error) {
	a.shown = append(a.shown, r)
	return true, nil
}

// A person says yes to the whole action: what it answers to the page's own question is a part of it.
func TestAPersonIsShownHowADialogIsAnswered(t *testing.T) {
	p, err := policy.Load("my.cedar", []byte(`permit (principal, action, resource) when { context.confirmed };`))
	if err != nil {
		t.Fatal(err)
	}
	s := &deed.Snapshot{URL: "https://shop.example/", Nodes: []deed.Node{{Role: "button", Name: "Go on", Parent: -1}}}
	for want, answer := range map[string]*deed.Answer{
		`"accept":true`:       {Accept: true},
		`"text":"DELETE"`:     {Accept: true, Text: "DELETE"},
		`"accept":false`:      {},
		"nothing of a dialog": nil,
	} {
		person := &asked{}
		g := &gate.Gate{Policy: p, Approver: person, By: deed.ByAgent}
		a := &deed.Action{Kind: deed.KindClick, Locator: deed.Button("Go on"), Dialog: answer}
		r, err := g.Decide(t.Context(), &deed.Question{Action: a, Snapshot: s, Target: 0, Ask: func(int) (*deed.Facts, error) { return &deed.Facts{FrameURL: s.URL}, nil }})
		if err != nil || r.Decision != deed.Allow || len(person.shown) != 1 {
			t.Fatalf("%+v, %v, shown %d times", r, err, len(person.shown))
		}
		if got := person.shown[0].Details; answer == nil && strings.Contains(got, "dialog") || answer != nil && !strings.Contains(got, want) {
			t.Errorf("%+v: shown %s, want %s", answer, got, want)
		}
	}
}
