//go:build unix

package trace_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/trace"
)

// AA-48: what a proposal says is masked in what policy is asked, too.
func TestAA48_RequestsHoldNoMoreThanProposals(t *testing.T) {
	every := &deed.Action{Kind: deed.KindUpload, Locator: deed.Locator{Role: "zebra-role", Name: "zebra", Region: "zebra", Frame: "zebra", Near: "zebra", Nth: 2},
		Ref: "zebra", Selector: "zebra", Button: "zebra", Path: "zebra", Text: "zebra", Secret: "zebra", Options: []string{"zebra"}, Key: "zebra",
		Files: []string{"zebra"}, Drop: &deed.Drop{To: deed.Button("zebra"), In: "zebra", Before: "zebra", After: "zebra"}, Scroll: &deed.Scroll{Region: "zebra", X: 7},
		Tab: "zebra", Intent: "zebra", Dialog: &deed.Answer{Accept: true, Text: "zebra"}, Point: &deed.Point{X: 3, Y: 4},
		Expect: []deed.Expect{{Kind: deed.ExpectState, Locator: deed.Button("zebra"), Text: "zebra", States: map[string]bool{"checked": true, "zebra": true},
			Request: deed.RequestSpec{Method: "zebra", URL: "zebra", Status: 201}}}}
	request, err := json.Marshal(map[string]any{"action": every, "for": every, "unresolved": "zebra", "principal": "agent", "risk": 3})
	if err != nil {
		t.Fatal(err)
	}
	w, path := create(t, trace.Options{})
	write(t, w, trace.Event{Kind: trace.Decided, ID: "a", Decision: "deny", Request: request})
	w.Close()
	b := content(t, path)
	if bytes.Contains(b, []byte("zebra")) {
		t.Errorf("%s", b)
	}
	for _, s := range []string{`"kind":"upload"`, `"x":7`, `"nth":2`, `"checked":true`, `"kind":"state"`, `"status":201`, `"accept":true`, `"principal":"agent"`, `"risk":3`} {
		if !bytes.Contains(b, []byte(s)) {
			t.Errorf("%s is lost in\n%s", s, b)
		}
	}
}

// A text that is typed by single keys is as secret as one that is typed at once.
func TestKeysInRequests(t *testing.T) {
	for key, want := range map[string]string{"x": "•", "ß": "•", "+": "•", "Shift+X": "Shift+•", "Enter": "Enter", "Control+A": "Control+A", "Control++": "Control++",
		"Alt+x": "Alt+x", " ": "Space", "\n": "Enter", "Shift+Tab": "Shift+Tab", "NumpadEnter": "Enter", "hunter2": "[redacted]", "Hyper+x": "[redacted]", "": ""} {
		request, _ := json.Marshal(map[string]any{"action": map[string]string{"kind": "press", "key": key}})
		w, path := create(t, trace.Options{})
		write(t, w, trace.Event{Kind: trace.Decided, ID: "a", Decision: "deny", Request: request})
		w.Close()
		var got struct{ Action struct{ Key string } }
		if err := json.Unmarshal(read(t, content(t, path))[0].Request, &got); err != nil || got.Action.Key != want {
			t.Errorf("%q became %q, want %q (%v)", key, got.Action.Key, want, err)
		}
	}
}

// AA-48: of a proposed URL only the origin is seen, in what pages and messages say later on, too.
func TestAA48_ProposedURLs(t *testing.T) {
	const address = "https://Shop.example/reset/me%20now/q1w2e3r4?code=778899#part-2"
	w, path := create(t, trace.Options{})
	request, _ := json.Marshal(map[string]any{"action": deed.Action{Kind: deed.KindGoto, Text: address}, "pageUrl": "https://shop.example/reset/me%20now/q1w2e3r4/next",
		"facts": deed.Facts{Href: address, FrameURL: "https://shop.example/help"}})
	write(t, w,
		trace.Event{Kind: trace.Proposed, ID: "open", Do: &deed.Action{Kind: deed.KindGoto, Text: address}},
		trace.Event{Kind: trace.Decided, ID: "open", Decision: "deny", Rule: "r", Reason: "no", Page: "https://shop.example/reset/me%20now/q1w2e3r4", Request: request},
		trace.Event{Kind: trace.Finished, ID: "open", Outcome: "refused", Reason: "goto " + address + ": refused", Changes: []string{`+ link "q1w2e3r4"`},
			Blocked: []string{"GET https://shop.example/other/Q1W2E3R4", "GET https://shop.example/reset/other", "GET https://user:pw@shop.example/reset/me%20now/q1w2e3r4"}},
		trace.Event{Kind: trace.Note, What: "popup", Reason: "https://other.example/reset/page"},
	)
	w.Close()
	b := content(t, path)
	for _, s := range []string{"me%20now", "q1w2e3r4", "Q1W2E3R4", "778899", "part-2", "pw@"} {
		if bytes.Contains(b, []byte(s)) {
			t.Errorf("%s stands in\n%s", s, b)
		}
	}
	for _, s := range []string{"https://shop.example/[redacted]", "https://Shop.example/[redacted]?[redacted] refused", "https://shop.example/reset/other", "https://other.example/reset/page",
		"https://shop.example/help", `"text":"https://Shop.example"`} {
		if !bytes.Contains(b, []byte(s)) {
			t.Errorf("%s cannot be read in\n%s", s, b)
		}
	}
}

// What is typed can be one of the words that a request is made of; it is still a request.
func TestWordsOfRequestsStay(t *testing.T) {
	request := `{"action":{"kind":"click"},"also":[],"element":{"element":7,"name":"Name it","role":"button","states":"checked disabled"},"facts":{"formMethod":"POST","frameUrl":""},"given":{"listed":true},"principal":"agent","risk":3,"valueFrom":"model"}`
	for _, typed := range []string{"kind", "name", "role", "agent", "model", "checked", "disabled", "button", "POST", "click", "true", "3", "7", "element", "given", "listed"} {
		w, path := create(t, trace.Options{})
		write(t, w, trace.Event{Kind: trace.Proposed, ID: "t", Do: &deed.Action{Kind: deed.KindFill, Text: typed}},
			trace.Event{Kind: trace.Decided, ID: "a", Decision: "deny", Request: json.RawMessage(request)})
		w.Close()
		want := request
		if typed == "name" {
			want = strings.Replace(request, "Name it", "[redacted] it", 1)
		}
		if got := string(read(t, content(t, path))[1].Request); got != want {
			t.Errorf("after %q was typed it is\n%s", typed, got)
		}
	}
}
