// Package deed is the vocabulary of deed: browser actions that are proven, or undone.
//
// It holds the words that every other package speaks: [Action], [Locator], [Ref], [Node], [Snapshot],
// [Change], [Diff], [Expect], [Witness], [Signals], [Verdict], [Outcome], [Result], [Case] and [Error],
// with their validation and their text and JSON forms.
//
// Law of this package: data only. No I/O, no clock, no goroutine, no randomness, the standard library
// only. A type enters when two floors exchange it. The hands are in package
// github.com/deed-dev/deed/browser.
package deed

// Format is the version of the published forms: case files, results, observations.
const Format = 1

// Redacted stands wherever a secret value was. Whether a masked field is empty stays visible.
const Redacted = "[redacted]"
