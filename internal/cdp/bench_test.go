package cdp

import (
	"testing"
)

// BenchmarkExecute is one call over a transport that answers at once: what the router itself costs.
func BenchmarkExecute(b *testing.B) {
	f := newFake()
	c := New(f)
	defer c.Close()
	go func() {
		for {
			select {
			case msg := <-f.heard:
				f.answer(msg.ID, `{}`)
			case <-c.Done():
				return
			}
		}
	}()
	s := c.Session("s")
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Execute(b.Context(), "Test.m", number{1}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
