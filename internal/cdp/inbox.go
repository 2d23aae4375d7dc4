package cdp

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

// Listen calls f with every event of this session that arrives from now on, decoded to cdproto's event type (such
// as *page.EventLoadEventFired), in the order of the wire, one at a time. The queue is unbounded: a slow listener
// delays the other listeners of its session and nothing else. After stop returned, no new call of f begins; f may
// call stop. Events that arrived before the end of the session are still delivered after it.
func (s *Session) Listen(f func(ev any)) (stop func()) {
	return s.inbox.listen(&listener{decoded: f})
}

// Flush waits until every event of this session that arrived before the call of Flush has been delivered. The
// events that precede an answer on the wire arrived before the call returned, so Execute and then Flush means
// that the listeners have seen what led to the answer. A listener that calls Flush waits for itself.
func (s *Session) Flush(ctx context.Context) error { return s.inbox.flush(ctx) }

// Subscribe buffers the params of one event from now on until cancel or the end of the session, then closes the
// channel. It is here for cdproto's cdp.Events; [Session.Listen] keeps events of different kinds in order.
func (s *Session) Subscribe(method string) (events <-chan jsonv2.Value, cancel func()) {
	out := make(chan jsonv2.Value)
	grown := make(chan struct{}, 1)
	var mu sync.Mutex
	var queue []jsonv2.Value
	stop := s.inbox.listen(&listener{raw: func(msg *cdproto.Message) {
		if string(msg.Method) != method {
			return
		}
		mu.Lock()
		queue = append(queue, msg.Params)
		mu.Unlock()
		select {
		case grown <- struct{}{}:
		default:
		}
	}})
	take := func() []jsonv2.Value {
		mu.Lock()
		defer mu.Unlock()
		all := queue
		queue = nil
		return all
	}
	cancelled := make(chan struct{})
	go func() {
		defer close(out)
		defer stop()
		for ended := false; ; {
			for _, params := range take() {
				select {
				case out <- params:
				case <-cancelled:
					return
				}
			}
			if ended {
				return
			}
			select {
			case <-grown:
			case <-cancelled:
				return
			case <-s.done:
				// What arrived before the end is still to be delivered.
				ended = s.inbox.flushUntil(cancelled)
				if !ended {
					return
				}
			}
		}
	}()
	return out, sync.OnceFunc(func() { close(cancelled) })
}

// inbox holds the events of a session that wait for its listeners. A goroutine runs while there are any.
type inbox struct {
	skipped *atomic.Int64

	mu        sync.Mutex
	listeners []*listener
	queue     []*cdproto.Message
	arrived   uint64 // events ever queued
	delivered uint64 // events ever delivered, or dropped because nobody listens any more
	running   bool
	flushes   []flush
}

type listener struct {
	decoded func(ev any)
	raw     func(msg *cdproto.Message)
	from    uint64 // the number of the first event that is its own
	stopped bool
}

type flush struct {
	upTo uint64
	done chan struct{}
}

func (in *inbox) listen(l *listener) (stop func()) {
	in.mu.Lock()
	defer in.mu.Unlock()
	l.from = in.arrived + 1
	// A new slice: the delivering goroutine may be walking the old one.
	in.listeners = append(in.listeners[:len(in.listeners):len(in.listeners)], l)
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		if l.stopped {
			return
		}
		l.stopped = true
		var rest []*listener
		for _, other := range in.listeners {
			if other != l {
				rest = append(rest, other)
			}
		}
		in.listeners = rest
	}
}

// push queues an event if anybody listens.
func (in *inbox) push(msg *cdproto.Message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.listeners) == 0 {
		return
	}
	in.queue = append(in.queue, msg)
	in.arrived++
	if !in.running {
		in.running = true
		go in.deliver()
	}
}

// deliver hands out what is queued, and ends when nothing is.
func (in *inbox) deliver() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.queue) > 0 {
		msg := in.queue[0]
		in.queue[0] = nil
		in.queue = in.queue[1:]
		in.deliverOne(msg, in.delivered+1)
		in.delivered++
		in.wakeFlushes()
	}
	in.queue = nil
	in.running = false
}

// deliverOne calls the listeners, without the lock that it is entered and left with.
func (in *inbox) deliverOne(msg *cdproto.Message, number uint64) {
	var ev any
	for _, l := range in.listeners {
		if l.stopped || number < l.from {
			continue
		}
		if l.raw == nil && ev == nil {
			in.mu.Unlock()
			ev = decode(msg)
			in.mu.Lock()
			if ev == nil {
				in.skipped.Add(1)
				ev = undecodable{}
			}
			if l.stopped {
				continue
			}
		}
		_, unknown := ev.(undecodable)
		in.mu.Unlock()
		switch {
		case l.raw != nil:
			l.raw(msg)
		case !unknown:
			l.decoded(ev)
		}
		in.mu.Lock()
	}
}

// undecodable stands for an event that was tried once and is not tried again.
type undecodable struct{}

func decode(msg *cdproto.Message) any {
	if len(msg.Params) == 0 {
		msg.Params = jsonv2.Value("{}")
	}
	ev, err := cdproto.UnmarshalMessage(msg, wireJSON)
	if err != nil {
		return nil
	}
	return ev
}

func (in *inbox) wakeFlushes() {
	kept := in.flushes[:0]
	for _, f := range in.flushes {
		if f.upTo <= in.delivered {
			close(f.done)
		} else {
			kept = append(kept, f)
		}
	}
	in.flushes = kept
}

// flushed is closed when everything that has arrived by now is delivered.
func (in *inbox) flushed() <-chan struct{} {
	in.mu.Lock()
	defer in.mu.Unlock()
	f := flush{upTo: in.arrived, done: make(chan struct{})}
	if f.upTo <= in.delivered {
		close(f.done)
	} else {
		in.flushes = append(in.flushes, f)
	}
	return f.done
}

func (in *inbox) flush(ctx context.Context) error {
	select {
	case <-in.flushed():
		return nil
	case <-ctx.Done():
		return contextError(ctx, &Call{method: "deliver events", sent: true})
	}
}

// flushUntil reports whether everything was delivered before stop was closed.
func (in *inbox) flushUntil(stop <-chan struct{}) bool {
	select {
	case <-in.flushed():
		return true
	case <-stop:
		return false
	}
}
