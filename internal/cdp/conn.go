// Package cdp is the DevTools wire: flat sessions over one connection.
//
// A [Conn] owns a [Transport] and reads it with one goroutine. Each message goes by its id to the [Call] that
// waits for it, or by its session id to the [Session] whose listeners want it. Calls and events are typed by
// github.com/chromedp/cdproto; the bytes are the transport's.
//
// Law of this package: it knows ids, sessions, calls, events and ends, and nothing of what a method means, but
// for the three events that say that a session began, ended or crashed. It must never know pages, browsers,
// processes or policies, retry a call, or invent a time-out: a call is bounded by its context alone. Its
// promises, in the order of their weight:
//
//   - No call is lost: each ends exactly once, by its answer, its context, its session's end or the
//     connection's end.
//   - No call and no listener blocks another: writes wait in one queue in the order of their ids, and each
//     session delivers its events on a goroutine of its own.
//   - An end is told at once, with its reason, to everything that waits for it.
package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"

	"github.com/deed-dev/deed"
)

// Transport carries whole messages. Read is called by one goroutine, Write by another, Close by any. After Close,
// Read and Write return soon. chromedp.PipeConn and chromedp/remote.Conn are transports.
//
// A Read that fails because of the JSON inside one message leaves in msg what it could read before the fault, and the
// next Read gives the message after it. A Read that fails because of the stream leaves msg as it was.
type Transport interface {
	Read(ctx context.Context, msg *cdproto.Message) error
	Write(ctx context.Context, msg *cdproto.Message) error
	Close() error
}

// ErrClosed is the reason of a connection that [Conn.Close] ended.
var ErrClosed = errors.New("connection closed by this side")

// Conn is one connection to a browser. All methods are safe for concurrent use.
type Conn struct {
	transport Transport
	browser   *Session

	ctx    context.Context // of the transport's reads and writes; ends with the connection
	cancel context.CancelFunc
	done   chan struct{}
	wake   chan struct{} // holds one token when outbox may have grown
	loops  sync.WaitGroup
	closed error // of transport.Close; valid once loops are done

	skipped atomic.Int64

	// mu guards everything below, and the state of every session and call. Nothing blocks under it.
	mu       sync.Mutex
	err      error
	lastID   int64
	pending  map[int64]*Call
	outbox   []*Call
	sessions map[target.SessionID]*Session
}

// New takes the transport over and starts to read it.
func New(t Transport) *Conn {
	c := &Conn{
		transport: t,
		done:      make(chan struct{}),
		wake:      make(chan struct{}, 1),
		pending:   make(map[int64]*Call),
		sessions:  make(map[target.SessionID]*Session),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.browser = newSession(c, "")
	c.sessions[""] = c.browser
	c.loops.Go(c.read)
	c.loops.Go(c.write)
	return c
}

// Browser is the session of the browser itself, which has no id.
func (c *Conn) Browser() *Session { return c.browser }

// Session returns the one live session with this id, as Target.attachToTarget or Target.attachedToTarget named it.
// The session of an ended connection has ended too. An id that the browser does not know gives a session that
// ends with its first call.
func (c *Conn) Session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == "" {
		return c.browser
	}
	return c.sessionLocked(id)
}

func (c *Conn) sessionLocked(id target.SessionID) *Session {
	if s, ok := c.sessions[id]; ok {
		return s
	}
	s := newSession(c, id)
	if c.err != nil {
		s.endLocked(c.err)
		return s
	}
	c.sessions[id] = s
	return s
}

// Done is closed when the connection has ended. Every call and session has ended by then.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err is the reason of the end, nil before it: a *deed.Error with [deed.CodeDisconnected] that wraps [ErrClosed],
// io.EOF (the browser closed its side) or what the transport said.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Skipped counts the events that nobody could be told of, because this version of the protocol does not know
// them or their JSON was broken.
func (c *Conn) Skipped() int64 { return c.skipped.Load() }

// Close ends the connection and waits until the transport is closed. What waits for an answer ends first, at once.
// It does not wait for listeners, so a listener may call it.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	c.loops.Wait()
	return c.closed
}

// end ends the connection once; the first reason stays.
func (c *Conn) end(reason error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	if errors.Is(reason, io.EOF) {
		reason = fmt.Errorf("the browser closed the connection: %w", reason)
	}
	c.err = &deed.Error{Op: "devtools", Code: deed.CodeDisconnected, Err: reason}
	for _, s := range c.sessions {
		s.endLocked(c.err)
	}
	clear(c.sessions)
	c.mu.Unlock()
	c.cancel()
	// Closing may take a while (a WebSocket says goodbye) and is what makes the loops return.
	c.loops.Go(func() { c.closed = c.transport.Close() })
	close(c.done)
}

// write sends what is in outbox, in order.
func (c *Conn) write() {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		for call := c.nextOut(); call != nil; call = c.nextOut() {
			if err := c.transport.Write(c.ctx, call.msg); err != nil {
				c.end(fmt.Errorf("write: %w", err))
				return
			}
			close(call.written)
		}
	}
}

// nextOut takes the next call that still wants to be written. From here on it may have effects.
func (c *Conn) nextOut() *Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.outbox) > 0 {
		call := c.outbox[0]
		c.outbox[0] = nil
		c.outbox = c.outbox[1:]
		if _, waits := c.pending[call.id]; waits {
			call.sent = true
			return call
		}
	}
	c.outbox = nil // so that a burst does not keep its memory
	return nil
}

// read routes messages until the transport fails.
func (c *Conn) read() {
	for {
		msg := new(cdproto.Message)
		err := c.transport.Read(c.ctx, msg)
		switch {
		case err == nil:
			c.route(msg)
		case msg.ID != 0:
			// The id was read before the JSON broke: this one answer is lost, and its call is told.
			c.answer(&cdproto.Message{ID: msg.ID}, fmt.Errorf("malformed answer: %w", err))
		case msg.Method != "":
			c.skipped.Add(1)
		default:
			// A message that names neither may have been anybody's answer. Going on could lose a call.
			c.end(err)
			return
		}
	}
}

func (c *Conn) route(msg *cdproto.Message) {
	if msg.ID != 0 {
		c.answer(msg, nil)
		return
	}
	if msg.Method == "" {
		c.skipped.Add(1)
		return
	}
	c.mu.Lock()
	s := c.sessions[msg.SessionID]
	if s != nil {
		// Before what it says is acted on, so that a listener hears of the end as its last event.
		s.inbox.push(msg)
	}
	c.lifecycleLocked(msg)
	c.mu.Unlock()
}

// answer ends the call that msg answers, if it still waits.
func (c *Conn) answer(msg *cdproto.Message, broken error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.pending[msg.ID]
	if call == nil {
		return // abandoned, or never ours
	}
	switch {
	case broken != nil:
		call.endLocked(&deed.Error{Op: call.method, Code: deed.CodeInternal, Err: broken})
	case msg.Error != nil:
		call.endLocked(protocolError(call, msg.Error))
		if msg.Error.Code == codeSessionNotFound {
			call.session.goneLocked(errSessionUnknown)
		}
	default:
		call.result = msg.Result
		call.endLocked(nil)
	}
}
