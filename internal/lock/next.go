package lock

import "github.com/deed-dev/deed"

// Next is the lock of a case after a run in which every step was proven, and the word for what was done (see [deed.LockNew]). old is the lock before, nil for none;
// now is what [Record] wrote down; accepted says that somebody accepted what diverged. A run with divergences that nobody accepted has no next
// lock: it is not asked for.
func Next(old, now *Case, accepted bool) (*Case, string) {
	if old == nil {
		return now, deed.LockNew
	}
	if old.Key != now.Key || len(old.Steps) != len(now.Steps) {
		return now, deed.LockStale
	}
	next := Heal(old, now)
	word := deed.LockHit
	if next != old {
		word = deed.LockHealed
	}
	switch {
	case accepted:
		next = Accept(next, now)
		word = deed.LockUpdated
	case old.Runs < 2:
		next = Merge(next, now)
		if word == deed.LockHit {
			word = deed.LockUpdated
		}
	}
	return next, word
}
