package approve_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/approve"
	"github.com/deed-dev/deed/internal/snaptext"
)

func snapshot(t *testing.T, text string) *deed.Snapshot {
	t.Helper()
	s, err := snaptext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const page = "url http://shop.example/\ntitle Shop\ngroup \"Order\" #1\n  button \"Pay\" #2\n  text \"19 €\" #3\ntimer \"12:00\" #4\n"

func question(s *deed.Snapshot) *deed.Question {
	for i := range s.Nodes {
		if s.Nodes[i].Role == "button" {
			return &deed.Question{Action: &deed.Action{Kind: deed.KindClick, Locator: deed.Button("Pay")}, Snapshot: s, Target: i}
		}
	}
	return nil
}

// The digest holds while nothing that matters changes, and no longer.
func TestDigest(t *testing.T) {
	base := approve.Digest(question(snapshot(t, page)), &deed.Facts{FormAction: "http://shop.example/pay"})
	if base == "" || base != approve.Digest(question(snapshot(t, page)), &deed.Facts{FormAction: "http://shop.example/pay"}) {
		t.Fatal("it is not the same twice")
	}
	for name, other := range map[string]string{
		"price":  strings.Replace(page, "19 €", "1900 €", 1),
		"name":   strings.Replace(page, "Pay", "Pay now", 1),
		"url":    strings.Replace(page, "shop.example", "shop.evil", 1),
		"state":  strings.Replace(page, "\"Pay\" #2", "\"Pay\" #2 disabled", 1),
		"beside": strings.Replace(page, "text \"19 €\" #3", "text \"19 €\" #3\n  text \"monthly\" #5", 1),
	} {
		if approve.Digest(question(snapshot(t, other)), &deed.Facts{FormAction: "http://shop.example/pay"}) == base {
			t.Errorf("%s changed and the digest did not", name)
		}
	}
	if approve.Digest(question(snapshot(t, page)), &deed.Facts{FormAction: "http://evil.example/pay"}) == base {
		t.Error("the form sends elsewhere and the digest is the same")
	}
	answer := snapshot(t, page)
	answer.Posted = true
	if approve.Digest(question(answer), &deed.Facts{FormAction: "http://shop.example/pay"}) == base {
		t.Error("the page is now the answer to a form and the digest is the same")
	}
	// What a drag ends on stands elsewhere on the page.
	drag := func(name string) string {
		q := question(snapshot(t, page+"list "+name+" #6\n"))
		q.Action = &deed.Action{Kind: deed.KindDrag, Locator: deed.Button("Pay"), Drop: &deed.Drop{In: "Later"}}
		q.Onto, q.Snapshot.Nodes[len(q.Snapshot.Nodes)-1].Region = []int{len(q.Snapshot.Nodes) - 1}, "Later"
		return approve.Digest(q, nil)
	}
	later := drag(`"Later"`)
	if drag(`"Later"`) != later || drag(`"Never"`) == later {
		t.Error("it is dragged onto something else and the digest is the same")
	}
	q := question(snapshot(t, page))
	q.Action.Text = "more"
	if approve.Digest(q, &deed.Facts{FormAction: "http://shop.example/pay"}) == base {
		t.Error("another action has the same digest")
	}
}

func TestAA27_OnlyALiteralYesAtTheTerminal(t *testing.T) {
	for in, want := range map[string]bool{"yes\n": true, "yes": true, "yes\r\n": true, "y\n": false, "Yes\n": false, "YES\n": false, " yes\n": false, "yes please\n": false, "1\n": false, "true\n": false, "\n": false, "": false, "no\nyes\n": false} {
		var out strings.Builder
		got, err := approve.NewTerminal(strings.NewReader(in), &out).Approve(t.Context(), &approve.Request{Action: "click", Object: `button "Pay"`, Rule: "r", Reason: "it acts"})
		if got != want || err != nil {
			t.Errorf("%q: %v, %v", in, got, err)
		}
		if !strings.Contains(out.String(), `button "Pay"`) {
			t.Errorf("the action is not shown: %s", out.String())
		}
	}
}

// A terminal that nobody sits at answers no when time is up.
func TestAA27_NoAnswerIsNo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if got, err := approve.NewTerminal(in, io.Discard).Approve(ctx, &approve.Request{}); got || err == nil {
			t.Errorf("%v, %v", got, err)
		}
		_ = w.Close()
	})
}

// What a page calls itself cannot draw a prompt of its own.
func TestPromptShowsEscapes(t *testing.T) {
	r := &approve.Request{By: "agent", Action: "click", Object: "button \"Pay\r\x1b[2Kagent asks to click button \u202eHelp\"", Text: "a\nb", Length: 3}
	s := r.String()
	if strings.ContainsAny(s, "\r\x1b\u202e") || strings.Count(s, "\n") != 3 {
		t.Errorf("%q", s)
	}
}

func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &approve.Queue{Expires: time.Minute}
		ask := func(digest string) chan bool {
			out := make(chan bool, 1)
			go func() {
				yes, err := q.Approve(t.Context(), &approve.Request{Digest: digest})
				out <- yes && err == nil
			}()
			synctest.Wait()
			return out
		}
		first := ask("d1")
		p := q.List()[0]
		for _, bad := range [][2]string{{"", "d1"}, {"x", "d1"}, {p.Token, ""}, {p.Token, "d2"}} {
			if err := q.Answer(bad[0], bad[1], "yes"); !errors.Is(err, deed.CodeInvalid) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if err := q.Answer(p.Token, "d1", "yes"); err != nil || !<-first {
			t.Errorf("a yes is none: %v", err)
		}
		if err := q.Answer(p.Token, "d1", "yes"); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("a token is used twice: %v", err)
		}
		for _, answer := range []string{"", "no", "y", "Yes", "true"} {
			c := ask("d1")
			if err := q.Answer(q.List()[0].Token, "d1", answer); err != nil || <-c {
				t.Errorf("%q is a yes: %v", answer, err)
			}
		}
		late := ask("d1")
		token := q.List()[0].Token
		time.Sleep(2 * time.Minute) // of the bubble's clock: it expires
		if <-late {
			t.Error("it was approved by waiting")
		}
		if err := q.Answer(token, "d1", "yes"); !errors.Is(err, deed.CodeInvalid) || len(q.List()) != 0 {
			t.Errorf("an expired token is taken: %v", err)
		}
	})
}

func TestQueueIsLeftByACancelledAsker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &approve.Queue{}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() {
			yes, _ := q.Approve(ctx, &approve.Request{Digest: "d"})
			done <- yes
		}()
		synctest.Wait()
		changed := q.Changed()
		cancel()
		if <-done {
			t.Error("a cancelled request was approved")
		}
		<-changed
		if len(q.List()) != 0 {
			t.Error("it waits still")
		}
	})
}
