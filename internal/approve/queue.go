package approve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/deed-dev/deed"
)

// A Queue holds requests until somebody answers them over another channel. Its methods are safe for concurrent use.
type Queue struct {
	Expires time.Duration // after which a request counts as answered with no; 0 is [Waiting]

	mu      sync.Mutex
	pending map[string]*waiting
	order   []string
	changed chan struct{}
}

type waiting struct {
	Pending
	answer chan bool
}

// Pending is a request that waits for its answer.
type Pending struct {
	Token   string    `json:"token"` // single use
	Request Request   `json:"request"`
	Until   time.Time `json:"until"`
}

// Approve queues the request and waits for its answer, at most until it expires.
func (q *Queue) Approve(ctx context.Context, r *Request) (bool, error) {
	limit := q.Expires
	if limit <= 0 {
		limit = Waiting
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		return false, err
	}
	w := &waiting{Pending: Pending{Token: hex.EncodeToString(key[:]), Request: *r}, answer: make(chan bool, 1)}
	w.Until, _ = ctx.Deadline()
	q.mu.Lock()
	if q.pending == nil {
		q.pending = map[string]*waiting{}
	}
	q.pending[w.Token] = w
	q.order = append(q.order, w.Token)
	q.wakeLocked()
	q.mu.Unlock()
	select {
	case yes := <-w.answer:
		return yes, nil
	case <-ctx.Done():
		q.drop(w.Token)
		return false, &deed.Error{Op: "confirm", Code: deed.CodeCancelled, Err: errors.New("nobody answered in time"), SideEffects: deed.EffectsNone}
	}
}

// List returns what waits, oldest first.
func (q *Queue) List() []Pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []Pending
	for _, token := range q.order {
		out = append(out, q.pending[token].Pending)
	}
	return out
}

// Changed is closed when a request comes or goes.
func (q *Queue) Changed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.changed == nil {
		q.changed = make(chan struct{})
	}
	return q.changed
}

// Answer answers a request, once. The digest must be the one that was shown; any other answer than "yes" is no. Fails with
// [deed.CodeInvalid] for a token that is unknown, expired, used, or of another request: the request is then not answered.
func (q *Queue) Answer(token, digest, answer string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.pending[token]
	if w == nil || w.Request.Digest != digest || digest == "" {
		return &deed.Error{Op: "confirm", Code: deed.CodeInvalid, Err: errors.New("nothing waits for this answer: the token is unknown, used or expired, or it is of another request"), SideEffects: deed.EffectsNone}
	}
	q.dropLocked(token)
	w.answer <- answer == "yes"
	return nil
}

func (q *Queue) drop(token string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropLocked(token)
}

func (q *Queue) dropLocked(token string) {
	delete(q.pending, token)
	q.order = slices.DeleteFunc(q.order, func(t string) bool { return t == token })
	q.wakeLocked()
}

func (q *Queue) wakeLocked() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}
