package approve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A Terminal asks at a terminal. Only a line that is "yes" is a yes; the end of the input is a no, now and from then on.
type Terminal struct {
	out   io.Writer
	mu    sync.Mutex // one question at a time
	lines chan string
	in    io.Reader
	once  sync.Once
}

// NewTerminal asks on out and reads the answers, a line each, from in.
func NewTerminal(in io.Reader, out io.Writer) *Terminal {
	return &Terminal{in: in, out: out, lines: make(chan string)}
}

// Approve shows the request and waits for a line. What was typed before it was shown is no answer to it only where the terminal
// itself keeps lines back; a pipe answers in order.
func (t *Terminal) Approve(ctx context.Context, r *Request) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.once.Do(func() { go t.read() })
	if _, err := fmt.Fprintf(t.out, "%s  do it? Type yes, anything else is no: ", r); err != nil {
		return false, err
	}
	select {
	case line, ok := <-t.lines:
		if !ok {
			_, _ = fmt.Fprintln(t.out, "no (end of input)")
			return false, nil
		}
		return strings.TrimRight(line, "\r") == "yes", nil
	case <-ctx.Done():
		_, _ = fmt.Fprintln(t.out, "no (time is up)")
		return false, ctx.Err()
	}
}

// read hands over lines; a read from a terminal cannot be called off, so it is done by a goroutine that ends with the input.
func (t *Terminal) read() {
	defer close(t.lines)
	s := bufio.NewScanner(t.in)
	for s.Scan() {
		t.lines <- s.Text()
	}
}
