package cdp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/chromedp/chromedp"
	"pgregory.net/rapid"

	"github.com/deed-dev/deed"
)

// step is one thing that happens to a connection.
type step struct {
	Kind    string
	Session int
	Call    int
}

// TestEveryCallEndsExactlyOnce plays random interleavings of calls, answers, refusals, events, crashes, detachments,
// cancellations and ends, and compares each call with a model: what ended it first is what it says.
func TestEveryCallEndsExactlyOnce(t *testing.T) {
	kinds := []string{"send", "send", "send", "send", "answer", "answer", "refuse", "unknown session", "event", "crash",
		"revive", "detach", "cancel", "answer nobody", "close", "eof"}
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				rapid.SampledFrom(kinds).Draw(rt, "kind"),
				rapid.IntRange(0, 3).Draw(rt, "session"),
				rapid.IntRange(0, 30).Draw(rt, "call"),
			}
		}), 1, 60).Draw(rt, "steps")
		var problems []string
		synctest.Test(t, func(t *testing.T) { problems = play(t, steps) })
		if problems != nil {
			rt.Fatal(strings.Join(problems, "\n"))
		}
	})
}

// modelCall is a call and what the model says of it.
type modelCall struct {
	session string
	cancel  context.CancelFunc
	returns int
	got     error
	want    deed.Code // "" and ended: a good answer
	ended   bool
}

func play(t *testing.T, steps []step) (problems []string) {
	f := newFake()
	c := New(f)
	var calls []*modelCall
	crashed := map[string]bool{}
	over := false
	end := func(code deed.Code, which func(*modelCall) bool) {
		for _, call := range calls {
			if !call.ended && which(call) {
				call.ended, call.want = true, code
			}
		}
	}
	sessions := map[string]*Session{}
	session := func(id string) *Session { // a detached session stays what it is for those who hold it
		if sessions[id] == nil {
			sessions[id] = c.Session(sid(id))
		}
		return sessions[id]
	}
	gone := map[string]bool{}
	say := func(said func()) {
		if !over {
			said()
		}
	}
	for _, st := range steps {
		id := []string{"", "a", "b", "c"}[st.Session]
		var call *modelCall
		if len(calls) > 0 {
			call = calls[st.Call%len(calls)]
		}
		callID := int64(0)
		if call != nil {
			callID = int64(st.Call%len(calls)) + 1
		}
		switch st.Kind {
		case "send":
			if over || gone[id] {
				break // takes no id; TestTheEndOfTheConnectionEndsEverything has it
			}
			ctx, cancel := context.WithCancel(t.Context())
			call := &modelCall{session: id, cancel: cancel}
			calls = append(calls, call)
			s := session(id)
			go func() {
				call.got = s.Execute(ctx, "Test.m", nil, nil)
				call.returns++
			}()
		case "answer":
			if call != nil {
				say(func() { f.answer(callID, `{}`) })
				end("", func(m *modelCall) bool { return m == call && !over })
			}
		case "refuse":
			if call != nil {
				say(func() { f.refuse(callID, -32000, "no") })
				code := deed.CodeInternal
				if crashed[call.session] {
					code = deed.CodeCrashed
				}
				end(code, func(m *modelCall) bool { return m == call && !over })
			}
		case "unknown session":
			if call != nil && !over && !call.ended {
				f.refuse(callID, -32001, "Session with given id not found.")
				end(deed.CodePageClosed, func(m *modelCall) bool { return m == call })
				if call.session != "" {
					gone[call.session] = true
					end(deed.CodePageClosed, func(m *modelCall) bool { return m.session == call.session })
				}
			}
		case "event":
			say(func() { f.event(id, "Page.domContentEventFired", `{"timestamp":1}`) })
		case "crash":
			if id != "" {
				session(id)
				say(func() { f.event(id, "Inspector.targetCrashed", `{}`) })
				end(deed.CodeCrashed, func(m *modelCall) bool { return m.session == id && !over && !gone[id] })
				crashed[id] = true
			}
		case "revive":
			if id != "" {
				session(id)
				say(func() { f.event(id, "Inspector.targetReloadedAfterCrash", `{}`) })
				crashed[id] = false
			}
		case "detach":
			if id != "" {
				session(id)
				say(func() { f.event("", "Target.detachedFromTarget", fmt.Sprintf(`{"sessionId":%q}`, id)) })
				if !over {
					end(deed.CodePageClosed, func(m *modelCall) bool { return m.session == id })
					gone[id] = true
				}
			}
		case "cancel":
			if call != nil {
				call.cancel()
				end(deed.CodeCancelled, func(m *modelCall) bool { return m == call })
			}
		case "answer nobody":
			say(func() { f.answer(1_000_000, `{}`) })
		case "close", "eof":
			if st.Kind == "close" {
				c.Close()
			} else {
				say(func() { f.say <- io.EOF })
			}
			end(deed.CodeDisconnected, func(*modelCall) bool { return !over })
			over = true
		}
		synctest.Wait()
		for i, call := range calls {
			switch {
			case call.ended && call.returns != 1:
				problems = append(problems, fmt.Sprintf("after %v: call %d ended, but Execute returned %d times", st, i+1, call.returns))
			case !call.ended && call.returns != 0:
				problems = append(problems, fmt.Sprintf("after %v: call %d returned %v too early", st, i+1, call.got))
			case call.ended && deed.CodeOf(call.got) != call.want:
				problems = append(problems, fmt.Sprintf("after %v: call %d ended with %v, want code %q", st, i+1, call.got, call.want))
			}
		}
		if problems != nil {
			break
		}
	}
	c.Close()
	for _, call := range calls {
		call.cancel()
	}
	synctest.Wait()
	if len(c.pending) != 0 || len(c.outbox) != 0 || len(c.sessions) != 0 {
		problems = append(problems, fmt.Sprintf("left behind: %d calls, %d messages, %d sessions", len(c.pending), len(c.outbox), len(c.sessions)))
	}
	return problems
}

// overPipe connects through chromedp's pipe, so that the bytes are real. What the browser says is in said; what it
// hears is thrown away.
func overPipe(said io.Reader) *Conn {
	r, w := io.Pipe()
	go io.Copy(io.Discard, r)
	return New(chromedp.NewPipeConn(io.NopCloser(said), w))
}

func TestBrokenMessages(t *testing.T) {
	for name, tt := range map[string]struct {
		said    string
		want    deed.Code // of call 1; "" is a good answer
		skipped int64
		ends    bool // the connection ends before call 2 is answered
	}{
		"good":                        {said: `{"id":1,"result":{}}`},
		"two answers":                 {said: `{"id":1,"result":{}}` + "\x00" + `{"id":1,"error":{"code":-1,"message":"no"}}`},
		"empty message":               {said: "\x00\x00" + `{"id":1,"result":{}}`},
		"lone surrogates":             {said: `{"id":1,"result":{"x":"\ud800"}}`},
		"invalid UTF-8":               {said: "{\"id\":1,\"result\":{\"x\":\"\xff\"}}"},
		"answer cut short":            {said: `{"id":1,"result":{"x":`, want: deed.CodeInternal},
		"answer with one name twice":  {said: `{"id":1,"result":{"x":1,"x":2}}`, want: deed.CodeInternal},
		"error of a wrong type":       {said: `{"id":1,"error":"no"}`, want: deed.CodeInternal},
		"event cut short":             {said: `{"method":"Page.x","params":{` + "\x00" + `{"id":1,"result":{}}`, skipped: 1},
		"neither":                     {said: `{}` + "\x00" + `{"id":1,"result":{}}`, skipped: 1},
		"null":                        {said: `null` + "\x00" + `{"id":1,"result":{}}`, skipped: 1},
		"error without an id":         {said: `{"error":{"code":-32700,"message":"parse"}}` + "\x00" + `{"id":1,"result":{}}`, skipped: 1},
		"not JSON":                    {said: `<html>`, want: deed.CodeDisconnected, ends: true},
		"id of a wrong type":          {said: `{"id":"1","result":{}}`, want: deed.CodeDisconnected, ends: true},
		"id too large":                {said: `{"id":1e400,"result":{}}`, want: deed.CodeDisconnected, ends: true},
		"a message without its end":   {said: "", want: deed.CodeDisconnected, ends: true},
		"detachment of a wrong shape": {said: `{"method":"Target.detachedFromTarget","params":{"sessionId":7}}` + "\x00" + `{"id":1,"result":{}}`},
		"detachment without params":   {said: `{"method":"Target.detachedFromTarget"}` + "\x00" + `{"id":1,"result":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			said, say := io.Pipe()
			c := overPipe(said)
			first := c.Browser().Send(t.Context(), "Test.a", nil)
			second := c.Browser().Send(t.Context(), "Test.b", nil)
			go func() {
				if tt.said == "" {
					io.WriteString(say, `{"id":1,"result":{}}`) // no zero byte
				} else {
					io.WriteString(say, tt.said+"\x00"+`{"id":2,"result":{}}`+"\x00")
				}
				say.Close()
			}()
			err := first.Wait(t.Context(), nil)
			if got := deed.CodeOf(err); got != tt.want {
				t.Errorf("call 1: code %q (%v), want %q", got, err, tt.want)
			}
			err = second.Wait(t.Context(), nil)
			if tt.ends != (deed.CodeOf(err) == deed.CodeDisconnected) {
				t.Errorf("call 2: %v", err)
			}
			if got := c.Skipped(); got != tt.skipped {
				t.Errorf("skipped %d, want %d", got, tt.skipped)
			}
			c.Close()
		})
	}
}

// FuzzMessages says anything at all to a connection. Whatever it is, every call ends once, and Close returns.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		"",
		"\x00\x00\x00",
		`{"id":1,"result":{"n":1}}` + "\x00",
		`{"id":1,"result":{"n":1}`,
		`{"id":1,"result":{"n":"not a number"}}` + "\x00",
		`{"id":2,"error":{"code":-32001,"message":"Session with given id not found."}}` + "\x00",
		`{"id":9223372036854775808}` + "\x00",
		`{"id":-1,"result":null}` + "\x00" + `[]` + "\x00",
		`{"method":"Target.attachedToTarget","params":{"sessionId":"s"}}` + "\x00" + `{"method":"Target.attachedToTarget","sessionId":"s","params":{"sessionId":"s"}}` + "\x00" + `{"method":"Target.detachedFromTarget","params":{"sessionId":"s"}}` + "\x00",
		`{"method":"Target.detachedFromTarget","params":{"sessionId":""}}` + "\x00",
		`{"method":"Inspector.targetCrashed","params":{},"sessionId":"s"}` + "\x00",
		`{"method":"Runtime.consoleAPICalled","params":{"type":"?"},"sessionId":"s"}` + "\x00",
		`{"method":"","id":0}` + "\x00" + `{"ID":1}` + "\x00",
		"{\"id\":1,\"result\":{\"\xff\":\"\\ud800\"}}\x00",
		strings.Repeat(`{"id":1,"result":`, 50) + "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		// The calls are made before the first byte is said.
		begin := make(chan struct{})
		c := overPipe(&gated{bufio.NewReader(bytes.NewReader(said)), begin})
		c.Browser().Listen(func(any) {})
		c.Session("s").Listen(func(any) {})
		calls := []*Call{
			c.Browser().Send(t.Context(), "Test.a", nil),
			c.Session("s").Send(t.Context(), "Test.b", nil),
			c.Session("t").Send(t.Context(), "Test.c", nil),
		}
		close(begin)
		for _, call := range calls {
			var got number
			err := call.Wait(t.Context(), &got)
			var e *deed.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%T is not an error of deed: %v", err, err)
			}
		}
		<-c.Done() // the bytes are at their end
		c.Close()
		if len(c.pending) != 0 {
			t.Errorf("%d calls are still held", len(c.pending))
		}
	})
}

type gated struct {
	io.Reader
	begin chan struct{}
}

func (g *gated) Read(p []byte) (int, error) {
	<-g.begin
	return g.Reader.Read(p)
}
