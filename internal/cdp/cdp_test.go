package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
)

func sid(s string) target.SessionID { return target.SessionID(s) }

// number is an answer that tests can tell apart.
type number struct {
	N int `json:"n"`
}

func TestAnswersFindTheirCalls(t *testing.T) {
	c, f := connect(t)
	ctx := t.Context()
	var calls []*Call
	for i := range 10 {
		calls = append(calls, c.Session(sid(fmt.Sprint("s", i%3))).Send(ctx, "Test.m", nil))
	}
	for i := range 10 { // backwards
		f.answer(int64(10-i), fmt.Sprintf(`{"n":%d}`, 10-i))
	}
	for i, call := range calls {
		var got number
		if err := call.Wait(ctx, &got); err != nil || got.N != i+1 {
			t.Errorf("call %d: got %d, %v", i+1, got.N, err)
		}
	}
}

func TestSendWritesInOrder(t *testing.T) {
	c, f := connect(t)
	s := c.Session("s")
	for i := range 100 {
		s.Send(t.Context(), "Test.m"+strconv.Itoa(i), number{i})
		// Written before Send returned: the message is there without waiting.
		select {
		case msg := <-f.heard:
			if want := "Test.m" + strconv.Itoa(i); string(msg.Method) != want || msg.SessionID != "s" ||
				string(msg.Params) != fmt.Sprintf(`{"n":%d}`, i) {
				t.Fatalf("message %d: %+v", i, msg)
			}
		default:
			t.Fatalf("call %d was not written when Send returned", i)
		}
	}
}

func TestConcurrentSendsAreWrittenInTheOrderOfTheirIDs(t *testing.T) {
	c, f := connect(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 50 {
				c.Session(sid(fmt.Sprint(g))).Send(t.Context(), "Test.m", nil)
			}
		})
	}
	wg.Wait()
	for want := range int64(400) {
		if msg := <-f.heard; msg.ID != want+1 {
			t.Fatalf("heard id %d as number %d", msg.ID, want+1)
		}
	}
}

func TestProtocolErrors(t *testing.T) {
	for _, tt := range []struct {
		code int64
		want deed.Code
	}{
		{-32000, deed.CodeInternal},
		{-32602, deed.CodeInternal},
		{-32601, deed.CodeUnsupported},
		{-32001, deed.CodePageClosed},
	} {
		t.Run(fmt.Sprint(tt.code), func(t *testing.T) {
			c, f := connect(t)
			call := c.Session("s").Send(t.Context(), "Test.m", nil)
			f.refuse(1, tt.code, "no")
			err := call.Wait(t.Context(), nil)
			wantErr(t, err, tt.want)
			if deed.CodeOf(err) != tt.want {
				t.Errorf("code %q, want %q", deed.CodeOf(err), tt.want)
			}
			var protocolErr *cdproto.Error
			if !errors.As(err, &protocolErr) || protocolErr.Code != tt.code {
				t.Errorf("%v does not unwrap to the protocol's error", err)
			}
			var e *deed.Error
			if !errors.As(err, &e) || e.Op != "Test.m" {
				t.Errorf("error %v does not name its method", err)
			}
		})
	}
}

func TestUnknownSessionEnds(t *testing.T) {
	c, f := connect(t)
	s, other := c.Session("s"), c.Session("other")
	waiting := s.Send(t.Context(), "Test.slow", nil)
	call := s.Send(t.Context(), "Test.m", nil)
	f.refuse(2, -32001, "Session with given id not found.")
	wantErr(t, call.Wait(t.Context(), nil), deed.CodePageClosed)
	<-s.Done()
	wantErr(t, s.Err(), deed.CodePageClosed)
	wantErr(t, waiting.Wait(t.Context(), nil), deed.CodePageClosed)
	if other.Err() != nil {
		t.Errorf("another session ended too: %v", other.Err())
	}
	// The browser's own session ends with the connection only.
	b := c.Browser().Send(t.Context(), "Test.m", nil)
	f.refuse(3, -32001, "Session with given id not found.")
	wantErr(t, b.Wait(t.Context(), nil), deed.CodePageClosed)
	if c.Browser().Err() != nil {
		t.Errorf("the browser's session ended: %v", c.Browser().Err())
	}
}

func TestTheEndOfTheConnectionEndsEverything(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(*Conn, *fakeBrowser)
		want error
	}{
		"closed here":  {func(c *Conn, _ *fakeBrowser) { c.Close() }, ErrClosed},
		"closed there": {func(_ *Conn, f *fakeBrowser) { f.say <- io.EOF }, io.EOF},
		"broken":       {func(_ *Conn, f *fakeBrowser) { f.say <- errPulled }, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := connect(t)
			calls := []*Call{
				c.Browser().Send(t.Context(), "Test.a", nil),
				c.Session("s").Send(t.Context(), "Test.b", nil),
				c.Session("t").Send(t.Context(), "Test.c", nil),
			}
			go tt.end(c, f)
			for _, call := range calls {
				err := call.Wait(t.Context(), nil)
				wantErr(t, err, deed.CodeDisconnected, deed.CodeEnvironment, tt.want)
				var e *deed.Error
				if errors.As(err, &e) && e.SideEffects == deed.EffectsNone {
					t.Errorf("%v claims to have no side effects, but it was sent", err)
				}
			}
			<-c.Done()
			wantErr(t, c.Err(), deed.CodeDisconnected, tt.want)
			for _, s := range []*Session{c.Browser(), c.Session("s"), c.Session("never seen")} {
				<-s.Done()
				wantErr(t, s.Err(), deed.CodeDisconnected, tt.want)
			}
			err := c.Session("s").Execute(t.Context(), "Test.late", nil, nil)
			wantErr(t, err, deed.CodeDisconnected, tt.want)
			var e *deed.Error
			if !errors.As(err, &e) || e.SideEffects != deed.EffectsNone {
				t.Errorf("a call on an ended connection must say that nothing happened: %#v", err)
			}
		})
	}
}

func TestAWriteThatFailsEndsTheConnection(t *testing.T) {
	// Only the writing half breaks; the reader hears nothing.
	c := New(&brokenWriter{newFake()})
	defer c.Close()
	wantErr(t, c.Browser().Execute(t.Context(), "Test.m", nil, nil), deed.CodeDisconnected, io.ErrClosedPipe)
	<-c.Done()
}

type brokenWriter struct{ *fakeBrowser }

func (*brokenWriter) Write(context.Context, *cdproto.Message) error { return io.ErrClosedPipe }

func TestDetachEndsTheSessionAndItsChildrenOnly(t *testing.T) {
	c, f := connect(t)
	f.event("", "Target.attachedToTarget", `{"sessionId":"page"}`)
	f.event("page", "Target.attachedToTarget", `{"sessionId":"frame"}`)
	f.event("frame", "Target.attachedToTarget", `{"sessionId":"worker"}`)
	f.event("", "Target.attachedToTarget", `{"sessionId":"other"}`)
	var doomed []*Call
	for _, id := range []string{"page", "frame", "worker", "page"} {
		doomed = append(doomed, c.Session(sid(id)).Send(t.Context(), "Test.m", nil))
	}
	sessions := []*Session{c.Session("page"), c.Session("frame"), c.Session("worker")}
	survivor := c.Session("other").Send(t.Context(), "Test.m", nil)
	f.event("", "Target.detachedFromTarget", `{"sessionId":"page"}`)
	for _, call := range doomed {
		wantErr(t, call.Wait(t.Context(), nil), deed.CodePageClosed)
	}
	for _, s := range sessions {
		<-s.Done()
		wantErr(t, s.Err(), deed.CodePageClosed)
		wantErr(t, s.Execute(t.Context(), "Test.m", nil, nil), deed.CodePageClosed)
	}
	f.answer(5, `{}`)
	if err := survivor.Wait(t.Context(), nil); err != nil {
		t.Errorf("a call of another session: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) != 2 || len(c.pending) != 0 {
		t.Errorf("%d sessions and %d calls are still held", len(c.sessions), len(c.pending))
	}
}

func TestCrash(t *testing.T) {
	c, f := connect(t)
	s := c.Session("s")
	call := s.Send(t.Context(), "Runtime.evaluate", nil)
	survivor := c.Session("other").Send(t.Context(), "Test.m", nil)
	f.event("s", "Inspector.targetCrashed", `{}`)
	wantErr(t, call.Wait(t.Context(), nil), deed.CodeCrashed)
	if s.Err() != nil {
		t.Errorf("a crashed session can be reloaded, but ended: %v", s.Err())
	}
	// Nobody would answer what runs in the page.
	for _, method := range []string{"Runtime.evaluate", "Runtime.callFunctionOn"} {
		wantErr(t, s.Execute(t.Context(), method, nil, nil), deed.CodeCrashed)
	}
	// What Chrome says to calls that it held back, once the page is loaded anew.
	late := s.Send(t.Context(), "Page.reload", nil)
	f.refuse(3, -32000, "Target crashed")
	wantErr(t, late.Wait(t.Context(), nil), deed.CodeCrashed)
	f.event("s", "Inspector.targetReloadedAfterCrash", `{}`)
	// Messages are read in their order: once this is answered, the reload has been read.
	revived := s.Send(t.Context(), "Page.enable", nil)
	f.refuse(4, -32000, "no such context")
	if err := revived.Wait(t.Context(), nil); deed.CodeOf(err) != deed.CodeInternal {
		t.Errorf("after the reload: code %q", deed.CodeOf(err))
	}
	runs := s.Send(t.Context(), "Runtime.evaluate", nil)
	f.answer(5, `{}`)
	if err := runs.Wait(t.Context(), nil); err != nil {
		t.Errorf("after the reload: %v", err)
	}
	f.answer(2, `{}`)
	if err := survivor.Wait(t.Context(), nil); err != nil {
		t.Errorf("a call of another session: %v", err)
	}
}

func TestEachCallIsBoundedByItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := connect(t)
		s := c.Session("s")
		short, cancelShort := context.WithTimeout(t.Context(), time.Second)
		defer cancelShort()
		long, cancelLong := context.WithCancelCause(t.Context())
		start := time.Now()
		bounded := s.Send(short, "Test.a", nil)
		cancelled := s.Send(long, "Test.b", nil)
		free := s.Send(t.Context(), "Test.c", nil)

		wantErr(t, bounded.Wait(short, nil), deed.CodeTimeout, context.DeadlineExceeded)
		if d := time.Since(start); d != time.Second {
			t.Errorf("ended after %v", d)
		}
		why := errors.New("the user left")
		cancelLong(why)
		wantErr(t, cancelled.Wait(long, nil), deed.CodeCancelled, context.Canceled, why)

		f.answer(1, `{"n":1}`) // late: dropped
		f.answer(2, `{"n":2}`)
		f.answer(3, `{"n":3}`)
		var got number
		if err := free.Wait(t.Context(), &got); err != nil || got.N != 3 {
			t.Errorf("the free call: %d, %v", got.N, err)
		}
		wantErr(t, bounded.Wait(t.Context(), &got), deed.CodeTimeout)
	})
}

func TestAnAnswerWinsOverAnEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := connect(t)
		ctx, cancel := context.WithCancel(t.Context())
		var calls []*Call
		for i := range int64(50) { // a coin would not fall on one side so often
			calls = append(calls, c.Browser().Send(ctx, "Test.m", nil))
			f.answer(i+1, `{}`)
		}
		synctest.Wait()
		cancel()
		for _, call := range calls {
			if err := call.Wait(ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestAStuckTransportHoldsNobodyBeyondItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.stuck = make(chan struct{})
		c := New(f)
		defer c.Close()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		var inFlight, queued error
		var wg sync.WaitGroup
		wg.Go(func() { inFlight = c.Browser().Execute(short, "Test.first", nil, nil) })
		synctest.Wait()
		wg.Go(func() { queued = c.Browser().Execute(short, "Test.second", nil, nil) })
		wg.Wait()
		if d := time.Since(start); d != time.Second {
			t.Errorf("ended after %v", d)
		}
		wantErr(t, inFlight, deed.CodeTimeout)
		wantErr(t, queued, deed.CodeTimeout)
		var first, second *deed.Error
		if !errors.As(inFlight, &first) || first.SideEffects != deed.EffectsUnknown {
			t.Errorf("a half-written call may have had effects: %#v", first)
		}
		if !errors.As(queued, &second) || second.SideEffects != deed.EffectsNone {
			t.Errorf("a call that never left had none: %#v", second)
		}
		close(f.stuck)
		synctest.Wait()
		if len(f.heard) != 1 || (<-f.heard).Method != "Test.first" {
			t.Error("a call that was given up in the queue must not be written later")
		}
	})
}

func TestAnEndedContextSendsNothing(t *testing.T) {
	c, f := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, c.Browser().Execute(ctx, "Test.m", nil, nil), deed.CodeCancelled, context.Canceled)
	wantErr(t, c.Browser().Execute(t.Context(), "Test.m", func() {}, nil), deed.CodeInternal)
	if len(f.heard) != 0 {
		t.Error("something was written")
	}
}

func TestListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := connect(t)
		a, b := c.Session("a"), c.Session("b")
		f.event("a", "Page.frameDetached", `{"frameId":"before"}`)
		f.event("a", "Nobody.knows", `{}`)
		synctest.Wait()
		if n := c.Skipped(); n != 0 {
			t.Errorf("%d events were decoded although nobody listened", n)
		}
		var got, second, other []string
		names := func(to *[]string) func(any) {
			return func(ev any) {
				switch ev := ev.(type) {
				case *page.EventFrameDetached:
					*to = append(*to, string(ev.FrameID))
				case *inspector.EventTargetCrashed:
					*to = append(*to, "crash")
				case *target.EventDetachedFromTarget:
					*to = append(*to, "detached "+string(ev.SessionID))
				default:
					*to = append(*to, fmt.Sprintf("%T", ev))
				}
			}
		}
		a.Listen(names(&got))
		b.Listen(names(&other))
		c.Browser().Listen(names(&other))
		for i := range 100 {
			f.event("a", "Page.frameDetached", fmt.Sprintf(`{"frameId":"%d"}`, i))
		}
		f.event("a", "Nobody.knows", `{"x":1}`)
		f.event("a", "Page.frameDetached", `{"frameId":5}`) // not what the protocol says
		f.event("unheard of", "Page.frameDetached", `{"frameId":"lost"}`)
		synctest.Wait()
		stop := a.Listen(names(&second))
		f.event("a", "Inspector.targetCrashed", ``)
		synctest.Wait()
		stop()
		stop()
		f.event("a", "Page.frameDetached", `{"frameId":"last"}`)
		f.event("", "Target.detachedFromTarget", `{"sessionId":"a"}`)
		<-a.Done()
		synctest.Wait()

		if len(got) != 102 || got[0] != "0" || got[99] != "99" || got[100] != "crash" || got[101] != "last" {
			t.Errorf("first listener: %v", got)
		}
		if len(second) != 1 || second[0] != "crash" {
			t.Errorf("second listener: %v", second)
		}
		if len(other) != 1 || other[0] != "detached a" {
			t.Errorf("listeners of other sessions: %v", other)
		}
		if n := c.Skipped(); n != 2 {
			t.Errorf("skipped %d events, want 2", n)
		}
	})
}

func TestASlowListenerBlocksNobody(t *testing.T) {
	c, f := connect(t)
	slow, quick := c.Session("slow"), c.Session("quick")
	release := make(chan struct{})
	var seen int
	slow.Listen(func(any) { <-release; seen++ })
	delivered := make(chan struct{}, 1)
	quick.Listen(func(any) { delivered <- struct{}{} })
	for range 10_000 { // far more than any channel's buffer
		f.event("slow", "Page.domContentEventFired", `{"timestamp":1}`)
	}
	f.event("quick", "Page.domContentEventFired", `{"timestamp":1}`)
	<-delivered
	call := slow.Send(t.Context(), "Test.m", nil)
	f.answer(1, `{}`)
	if err := call.Wait(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	hurried, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, slow.Flush(hurried), deed.CodeCancelled)
	close(release)
	if err := slow.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if seen != 10_000 {
		t.Errorf("after Flush the listener has seen %d events", seen)
	}
	if err := quick.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAListenerHearsOnlyWhatComesAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := connect(t)
		s := c.Session("s")
		release := make(chan struct{})
		var first, late []protocol.FrameID
		stop := s.Listen(func(ev any) {
			<-release
			first = append(first, ev.(*page.EventFrameDetached).FrameID)
		})
		for _, id := range []string{"1", "2", "3"} {
			f.event("s", "Page.frameDetached", `{"frameId":"`+id+`"}`)
		}
		synctest.Wait() // all three have arrived, none is delivered
		s.Listen(func(ev any) { late = append(late, ev.(*page.EventFrameDetached).FrameID) })
		f.event("s", "Page.frameDetached", `{"frameId":"4"}`)
		synctest.Wait()
		release <- struct{}{}
		synctest.Wait()
		stop() // the second call of the first listener has begun; no further may
		close(release)
		synctest.Wait()
		if fmt.Sprint(first) != "[1 2]" || fmt.Sprint(late) != "[4]" {
			t.Errorf("the first heard %v, the late one %v", first, late)
		}
	})
}

func TestAListenerMayStopAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := connect(t)
		s := c.Session("s")
		var stopOther func()
		heard := 0
		s.Listen(func(any) { stopOther() })
		stopOther = s.Listen(func(any) { heard++ })
		f.event("s", "Page.domContentEventFired", `{"timestamp":1}`)
		f.event("s", "Page.domContentEventFired", `{"timestamp":2}`)
		synctest.Wait()
		if heard != 0 {
			t.Errorf("a stopped listener was called %d times", heard)
		}
	})
}

func TestAListenerMayUseItsSession(t *testing.T) {
	c, f := connect(t)
	s := c.Session("s")
	var stop func()
	result := make(chan error, 1)
	ready := make(chan struct{})
	stop = s.Listen(func(any) {
		<-ready
		stop()
		result <- s.Execute(t.Context(), "Test.m", nil, nil)
		c.Close()
	})
	close(ready)
	f.event("s", "Page.domContentEventFired", `{"timestamp":1}`)
	<-f.heard
	f.answer(1, `{}`)
	if err := <-result; err != nil {
		t.Error(err)
	}
	<-c.Done()
}

func TestTypedCommandsAndEvents(t *testing.T) {
	c, f := connect(t)
	go func() {
		<-f.heard
		f.answer(1, `{"product":"Chrome/1"}`)
	}()
	version, err := protocol.Call(t.Context(), c.Browser(), browser.GetVersion, protocol.Empty{})
	if err != nil || version.Product != "Chrome/1" {
		t.Fatalf("%+v, %v", version, err)
	}
	s := c.Session("s")
	events := protocol.Events(t.Context(), s, page.FrameDetached)
	f.event("s", "Page.frameDetached", `{"frameId":"1"}`)
	f.event("s", "Page.domContentEventFired", `{"timestamp":1}`)
	f.event("s", "Page.frameDetached", `{"frameId":"2"}`)
	f.event("", "Target.detachedFromTarget", `{"sessionId":"s"}`)
	var got []protocol.FrameID
	for ev, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev.FrameID)
	}
	if len(got) != 2 || got[0] != "1" || got[1] != "2" {
		t.Errorf("events %v", got)
	}
	_, cancel := s.Subscribe("Page.frameDetached") // of an ended session: nothing to leak
	cancel()
	unread, cancel := c.Session("t").Subscribe("Page.frameDetached")
	f.event("t", "Page.frameDetached", `{"frameId":"1"}`)
	cancel()
	cancel()
	for range unread { // closed by cancel, whether or not the event was taken
	}
}
