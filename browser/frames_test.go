package browser_test

import (
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/browsertest"
)

const twins = `<!doctype html><title>Seats</title><iframe name="seat" title="Seat" srcdoc="<main><button>Take</button></main>"></iframe>
<iframe name="seat" title="Seat" srcdoc="<main><button onclick='s.textContent=1'>Take</button><p role=status id=s>0</p></main>"></iframe>`

// keys returns the identities of the nodes with this role.
func keys(s *deed.Snapshot, role string) []deed.Key {
	var out []deed.Key
	for i := range s.Nodes {
		if s.Nodes[i].Role == role {
			out = append(out, s.Key(i))
		}
	}
	return out
}

// The frame part of an identity is assigned by the browser, never by the page.
func TestAP37_NodesOfAFrameCarryItsIdentity(t *testing.T) {
	p := browsertest.HTML(t, `<!doctype html><title>Pay</title><main><button>Pay</button></main><iframe name="main" title="frame0" srcdoc="<main><button>Pay</button></main>"></iframe>`)
	s, err := p.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := keys(s, "button")
	if len(got) != 2 || got[0].Frame != "" || got[1].Frame == "" || got[1].Frame != s.Frames[1].ID || got[1].Frame == "main" {
		t.Errorf("keys %+v, frames %+v", got, s.Frames)
	}
}

func TestAP38_TwinFramesAreTwo(t *testing.T) {
	p := browsertest.HTML(t, twins)
	s, err := p.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := keys(s, "button")
	if len(got) != 2 || got[0] == got[1] || got[0].Frame == got[1].Frame {
		t.Fatalf("keys %+v", got)
	}
	// Removing the first takes nothing from the second (AP-D9: indexes shift, identities do not).
	res, err := p.Watch(t.Context(), evaluates(p, "document.querySelector('iframe').remove()"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Diff.Changes {
		if c.Key.Frame == got[1].Frame {
			t.Errorf("a change in the frame that stayed: %s", c.String())
		}
	}
	if len(res.Diff.Changes) == 0 {
		t.Error("the removal was not seen")
	}
	if res, err := p.Click(t.Context(), deed.Button("Take")); err != nil {
		t.Errorf("%v\n%s", err, res.Explain())
	}
}
