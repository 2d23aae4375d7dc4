package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeBrowser is the other end of a transport, scripted by a test: what it wants to say goes into say, what it was
// told comes out of heard.
type fakeBrowser struct {
	say    chan any // *cdproto.Message, or an error that Read returns
	heard  chan *cdproto.Message
	closed chan struct{}
	once   sync.Once
	// stuck, when not nil, is waited for before each write, as by a browser that does not empty its pipe.
	stuck chan struct{}
}

func newFake() *fakeBrowser {
	return &fakeBrowser{say: make(chan any), heard: make(chan *cdproto.Message, 10_000), closed: make(chan struct{})}
}

func (f *fakeBrowser) Read(_ context.Context, msg *cdproto.Message) error {
	select {
	case said := <-f.say:
		switch said := said.(type) {
		case *cdproto.Message:
			*msg = *said
			return nil
		case error:
			return said
		}
		panic(fmt.Sprintf("a fake cannot say %T", said))
	case <-f.closed:
		return net.ErrClosed
	}
}

func (f *fakeBrowser) Write(_ context.Context, msg *cdproto.Message) error {
	if f.stuck != nil {
		select {
		case <-f.stuck:
		case <-f.closed:
			return net.ErrClosed
		}
	}
	select {
	case <-f.closed:
		return net.ErrClosed
	default:
	}
	f.heard <- msg
	return nil
}

func (f *fakeBrowser) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

func (f *fakeBrowser) answer(id int64, result string) {
	f.say <- &cdproto.Message{ID: id, Result: jsonv2.Value(result)}
}

func (f *fakeBrowser) refuse(id, code int64, text string) {
	f.say <- &cdproto.Message{ID: id, Error: &cdproto.Error{Code: code, Message: text}}
}

func (f *fakeBrowser) event(session, method, params string) {
	f.say <- &cdproto.Message{SessionID: sid(session), Method: cdproto.MethodType(method), Params: jsonv2.Value(params)}
}

// connect gives a connection to a new fake and closes it when the test ends.
func connect(t *testing.T) (*Conn, *fakeBrowser) {
	t.Helper()
	f := newFake()
	c := New(f)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c, f
}

// wantErr fails unless err is every one of wants.
func wantErr(t *testing.T, err error, wants ...error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range wants {
		if !errors.Is(err, want) {
			t.Errorf("error %q (%T) is not %v", err, err, want)
		}
	}
}

var errPulled = fmt.Errorf("cable pulled: %w", io.ErrUnexpectedEOF)
