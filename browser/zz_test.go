package browser_test

import (
	"context"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
)

func TestZZ(t *testing.T) {
	base := browsertest.Folder(t, "../testdata/hard")
	start := base + "/renderer-out-of-memory.html"
	for i := range 8 {
		t0 := time.Now()
		lap := func(s string, err error) { t.Logf("%d %6.2f %s %v", i, time.Since(t0).Seconds(), s, err) }
		p := openHard(t, start, []string{"--js-flags=--max-old-space-size=256"})
		lap("open", nil)
		hand := newRaw(t, p)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
			res, err := p.Watch(ctx, hand.do(func(r *raw) { r.click("b") }), browser.About(deed.Button("Post to wall")), browser.Expect(deed.Expect{Kind: deed.ExpectText, Text: "Posted"}), browser.Timeout(15*time.Second))
			cancel()
			lap("watch "+res.Outcome.String(), err)
			for _, l := range res.Log {
				t.Log("    ", l)
			}
			_, err = p.Goto(t.Context(), start+"?peek=1")
			lap("goto", err)
			if err != nil {
				_, err = p.Goto(t.Context(), start+"?peek=1")
				lap("goto again", err)
			}
		}
		p.Close()
	}
}
