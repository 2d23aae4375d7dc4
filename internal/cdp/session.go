package cdp

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
)

// The events that this package itself understands.
const (
	attachedToTarget   = cdproto.MethodType("Target.attachedToTarget")
	detachedFromTarget = cdproto.MethodType("Target.detachedFromTarget")
	targetCrashed      = cdproto.MethodType("Inspector.targetCrashed")
	reloadedAfterCrash = cdproto.MethodType("Inspector.targetReloadedAfterCrash")
)

var (
	errDetached = errors.New("the page or frame is gone")
	errCrashed  = errors.New("the page crashed")
)

// Session is a flat session of a connection: the browser's, or one attached to a target. All methods are safe for
// concurrent use. It satisfies cdproto's cdp.Session, so that cdp.Call(ctx, s, page.Navigate, params) works.
type Session struct {
	conn  *Conn
	id    target.SessionID
	done  chan struct{}
	inbox inbox

	// Guarded by conn.mu.
	err     error
	crashed bool
	parent  *Session // the session that announced this one; its end is ours
}

func newSession(c *Conn, id target.SessionID) *Session {
	s := &Session{conn: c, id: id, done: make(chan struct{})}
	s.inbox.skipped = &c.skipped
	return s
}

// ID is the id that the browser gave this session, "" for the browser's own.
func (s *Session) ID() target.SessionID { return s.id }

// Done is closed when the target has detached or the connection has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err is the reason of the end, nil before it: a *deed.Error with [deed.CodePageClosed] or
// [deed.CodeDisconnected].
func (s *Session) Err() error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.err
}

// Execute sends a method with its params, waits for the answer until ctx ends, and decodes it into res. Params and
// res may be nil. An answer that is an error is a *deed.Error that unwraps to *cdproto.Error.
func (s *Session) Execute(ctx context.Context, method string, params, res any) error {
	return s.Send(ctx, method, params).Wait(ctx, res)
}

// Call is [Session.Execute] under the name that cdproto's typed commands use.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	return s.Execute(ctx, method, params, result)
}

// Send writes a method with its params and does not wait for the answer. Calls are written in the order in which
// Send was entered, over all sessions. When Send returns, the message is written, or the call has ended. Ctx bounds
// the writing only.
//
// After a crash what runs in the page ends at once, with [deed.CodeCrashed], until the page is loaded again: nobody would answer it.
func (s *Session) Send(ctx context.Context, method string, params any) *Call {
	call := &Call{session: s, method: method, written: make(chan struct{}), done: make(chan struct{})}
	var raw jsonv2.Value
	if params != nil {
		b, err := jsonv2.Marshal(params, wireJSON)
		if err != nil {
			call.fail(&deed.Error{Op: method, Code: deed.CodeInternal, Err: err, SideEffects: deed.EffectsNone})
			return call
		}
		raw = b
	}
	if ctx.Err() != nil {
		call.fail(contextError(ctx, call))
		return call
	}
	c := s.conn
	c.mu.Lock()
	if s.err != nil {
		call.endLocked(endError(call, s.err))
		c.mu.Unlock()
		return call
	}
	if s.crashed && runsInPage(method) {
		call.endLocked(endError(call, errPageCrashed))
		c.mu.Unlock()
		return call
	}
	c.lastID++
	call.id = c.lastID
	call.msg = &cdproto.Message{ID: call.id, SessionID: s.id, Method: cdproto.MethodType(method), Params: raw}
	c.pending[call.id] = call
	c.outbox = append(c.outbox, call)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
	select {
	case <-call.written:
	case <-call.done:
	case <-ctx.Done():
		call.abandon(ctx)
	}
	return call
}

// lifecycleLocked acts on the events that begin and end sessions. Conn.mu is held.
func (c *Conn) lifecycleLocked(msg *cdproto.Message) {
	switch msg.Method {
	case attachedToTarget:
		var ev struct {
			SessionID target.SessionID `json:"sessionId"`
		}
		if jsonv2.Unmarshal(msg.Params, &ev, wireJSON) == nil && ev.SessionID != "" {
			child := c.sessionLocked(ev.SessionID)
			if parent := c.sessions[msg.SessionID]; parent != child {
				child.parent = parent
			}
		}
	case detachedFromTarget:
		var ev target.EventDetachedFromTarget
		if jsonv2.Unmarshal(msg.Params, &ev, wireJSON) == nil && ev.SessionID != "" {
			if s := c.sessions[ev.SessionID]; s != nil {
				s.goneLocked(errDetached)
			}
		}
	case targetCrashed:
		if s := c.sessions[msg.SessionID]; s != nil {
			s.crashed = true
			s.endCallsLocked(errPageCrashed)
		}
	case reloadedAfterCrash:
		if s := c.sessions[msg.SessionID]; s != nil {
			s.crashed = false
		}
	}
}

// errPageCrashed is how a call ends that a crash took the answer of.
var errPageCrashed = &deed.Error{Op: "devtools", Code: deed.CodeCrashed, Err: errCrashed}

// runsInPage reports a method that the page's own process answers and nobody else can.
func runsInPage(method string) bool {
	return method == runtime.CommandEvaluate || method == runtime.CommandCallFunctionOn
}

// goneLocked ends the session and those that it announced. The browser's own session ends with the connection only.
func (s *Session) goneLocked(reason error) {
	if s.id == "" || s.err != nil {
		return
	}
	s.endLocked(&deed.Error{Op: "devtools", Code: deed.CodePageClosed, Err: reason})
	delete(s.conn.sessions, s.id)
	for _, child := range s.conn.sessions {
		if child.parent == s {
			child.goneLocked(reason)
		}
	}
}

func (s *Session) endLocked(reason error) {
	s.err = reason
	s.parent = nil
	s.endCallsLocked(reason)
	close(s.done)
}

func (s *Session) endCallsLocked(reason error) {
	for _, call := range s.conn.pending {
		if call.session == s {
			call.endLocked(endError(call, reason))
		}
	}
}
