package cdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/deed-dev/deed"
)

// wireJSON lets through what Chrome really sends: strings with lone surrogates.
var wireJSON = jsonv2.AllowInvalidUTF8(true)

// Call is one method on its way. It ends exactly once.
type Call struct {
	session *Session
	method  string
	id      int64
	msg     *cdproto.Message
	written chan struct{} // closed by the writer
	done    chan struct{} // closed at the end

	// Guarded by conn.mu until done is closed, constant then.
	sent   bool // handed to the transport: it may have had effects
	result jsonv2.Value
	err    error
}

// Wait waits for the answer until ctx ends, and decodes it into res, which may be nil. A call whose context ends is
// forgotten: its late answer is dropped, and every later Wait gives the same error. An answer that is here already
// wins over an ended context.
func (call *Call) Wait(ctx context.Context, res any) error {
	select {
	case <-call.done:
	case <-ctx.Done():
		call.abandon(ctx)
		<-call.done
	}
	if call.err != nil {
		return call.err
	}
	if res == nil {
		return nil
	}
	raw := call.result
	if len(raw) == 0 {
		raw = jsonv2.Value("{}")
	}
	if err := jsonv2.Unmarshal(raw, res, wireJSON); err != nil {
		return &deed.Error{Op: call.method, Code: deed.CodeInternal, Err: fmt.Errorf("decode the answer: %w", err)}
	}
	return nil
}

// abandon ends the call with ctx's error, unless it has ended.
func (call *Call) abandon(ctx context.Context) {
	c := call.session.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waits := c.pending[call.id]; waits {
		call.endLocked(contextError(ctx, call))
	}
}

// fail ends a call that never got an id.
func (call *Call) fail(err error) {
	call.err = err
	close(call.done)
}

func (call *Call) endLocked(err error) {
	call.err = err
	delete(call.session.conn.pending, call.id)
	close(call.done)
}

// The codes of JSON-RPC and of Chrome that mean something to us.
const (
	codeSessionNotFound = -32001
	codeMethodNotFound  = -32601
)

// errSessionUnknown is why a session ends whose id the browser refuses.
var errSessionUnknown = errors.New("the browser has no such session")

// protocolError is the failure that the browser answered. Conn.mu is held.
func protocolError(call *Call, e *cdproto.Error) *deed.Error {
	err := &deed.Error{Op: call.method, Code: deed.CodeInternal, Err: e}
	switch {
	case e.Code == codeSessionNotFound:
		err.Code, err.SideEffects = deed.CodePageClosed, deed.EffectsNone
	case e.Code == codeMethodNotFound:
		err.Code, err.SideEffects = deed.CodeUnsupported, deed.EffectsNone
	case call.session.crashed:
		err.Code = deed.CodeCrashed
	}
	return err
}

// endError is the failure of a call whose session or connection ended for reason. Conn.mu is held.
func endError(call *Call, reason error) *deed.Error {
	err := &deed.Error{Op: call.method, Code: deed.CodeOf(reason), Err: reason}
	var whole *deed.Error
	if errors.As(reason, &whole) && whole.Err != nil {
		err.Err = whole.Err // the fact alone: the operation is named already
	}
	if !call.sent {
		err.SideEffects = deed.EffectsNone
	}
	return err
}

// contextError is the failure of a call that its context ended. Conn.mu is held, or the call never had an id.
func contextError(ctx context.Context, call *Call) *deed.Error {
	err := &deed.Error{Op: call.method, Code: deed.CodeCancelled, Err: ctx.Err()}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err.Code = deed.CodeTimeout
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(ctx.Err(), cause) {
		err.Err = fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	if !call.sent {
		err.SideEffects = deed.EffectsNone
	}
	return err
}
