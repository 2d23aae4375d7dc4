// Package verify is the loop of one action: observe, resolve, decide, act, settle, judge, and undo where it must.
//
// Law of this package: it knows the vocabulary, the judge and the masking of secrets. It never knows how a
// browser is spoken to, nor what a policy looks like: both are small interfaces declared here and wired above, so
// that the loop runs in tests against a page that lies, stalls or changes in mid-gesture.
package verify

import (
	"context"
	"encoding/json"
	"time"

	"github.com/deed-dev/deed"
)

// A Driver is the eyes and hands on one page. Every call returns when its context ends.
type Driver interface {
	// Observe returns the page at this instant.
	Observe(ctx context.Context) (*deed.Snapshot, error)

	// Await returns when the page changes, or after the wait.
	Await(ctx context.Context, wait time.Duration) error

	// Ways returns the ways in which the action can be carried out on this element, best first. Fails with
	// [deed.CodeUnsupported] where there is none.
	Ways(ctx context.Context, a *deed.Action, s *deed.Snapshot, target int) ([]deed.Way, error)

	// Perform begins an act: it arms the guard for the element, carries the gesture out and tells what the page
	// received. An error with [deed.EffectsNone] says that nothing was sent; it is not_actionable (covered, disabled,
	// not visible, …) or stale_ref when a later try may do.
	Perform(ctx context.Context, g *deed.Gesture) (deed.Witness, error)

	// Settle waits until the page rests after a change since the gesture or since the last Settle, or a request of
	// the act ended; at most for the wait. With first it answers at the first rest, changed or not. It may take over what
	// has not changed from the look before (Look.Partial), but not without any wait.
	Settle(ctx context.Context, wait time.Duration, first bool) (*deed.Look, error)

	// Release ends the act: what changes from now on is the page's own doing.
	Release(ctx context.Context)

	// Holds reports whether the control holds exactly the text. It is compared inside the page.
	Holds(ctx context.Context, s *deed.Snapshot, target int, text string) (bool, error)

	// Inert reports whether it is proven that a click on the element does nothing: nobody on the event's path listens, and
	// it has no action of its own.
	Inert(ctx context.Context, s *deed.Snapshot, target int) (bool, error)

	// Address is the URL of the page, "" where it is not known.
	Address() string

	// CloseOpened closes the pages that the act opened, after its Release, and returns when they are gone.
	CloseOpened(ctx context.Context) error

	// Pick returns the node that an action's selector or point means. Fails with no_match or many_matches.
	Pick(ctx context.Context, s *deed.Snapshot, a *deed.Action) (int, error)

	// Facts tells where an element would lead.
	Facts(ctx context.Context, s *deed.Snapshot, target int) (*deed.Facts, error)

	// Protect makes the page script mask the element's value from now on.
	Protect(ctx context.Context, s *deed.Snapshot, target int) error

	// Screenshot returns the viewport as PNG, with sensitive fields covered, and what stands in these boxes.
	Screenshot(ctx context.Context, cover []deed.Box) ([]byte, error)
	// Box is where an element stands in a screenshot, in CSS pixels; with reveal it is brought into view before.
	Box(ctx context.Context, s *deed.Snapshot, target int, reveal bool) (deed.Box, error)

	// Eval evaluates an expression in the page's own world and returns its JSON value.
	Eval(ctx context.Context, expression string) (json.RawMessage, error)
}

// A Decider is policy: it says whether an action may be done. A nil Decider denies. Anything but [deed.Allow], and any error, is a no; an
// error with [deed.CodeCancelled] is a person's.
type Decider interface {
	Decide(ctx context.Context, q *deed.Question) (deed.Ruling, error)
}

// A Recorder writes down that an act begins. Where it cannot, the act does not begin.
type Recorder interface {
	Started(ctx context.Context, q *deed.Question, way deed.Way) error
}
