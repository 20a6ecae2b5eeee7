package middleware

import (
	"cmp"
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
)

const (
	defaultCacheEntries = 1000
	defaultCacheBytes   = 64 << 20
)

// memory is the store of this process.
type memory struct {
	entries, bytes int

	mu   sync.Mutex
	used int
	// order holds *entry, the last used first.
	order list.List
	byKey map[string]*list.Element
}

type entry struct {
	key   string
	reply []byte
	until time.Time // zero: for ever
}

func (e *entry) size() int { return len(e.key) + len(e.reply) }

func newMemory(entries, bytes int) *memory {
	return &memory{
		entries: cmp.Or(entries, defaultCacheEntries), bytes: cmp.Or(bytes, defaultCacheBytes),
		byKey: make(map[string]*list.Element),
	}
}

// Load implements [CacheStore].
func (m *memory) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.byKey[key]
	if at == nil {
		return nil, nil
	}
	e := at.Value.(*entry)
	if !e.until.IsZero() && !time.Now().Before(e.until) {
		m.drop(at)
		return nil, nil
	}
	m.order.MoveToFront(at)
	return e.reply, nil
}

// Save implements [CacheStore].
func (m *memory) Save(_ context.Context, key string, reply []byte, ttl time.Duration) error {
	e := &entry{key: key, reply: reply}
	if ttl > 0 {
		e.until = time.Now().Add(ttl)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.byKey[key]; at != nil {
		m.drop(at)
	}
	m.byKey[key] = m.order.PushFront(e)
	m.used += e.size()
	for m.order.Len() > 0 && (m.order.Len() > m.entries || m.used > m.bytes) {
		m.drop(m.order.Back())
	}
	return nil
}

func (m *memory) drop(at *list.Element) {
	e := m.order.Remove(at).(*entry)
	delete(m.byKey, e.key)
	m.used -= e.size()
}

// flights are the calls under way, by the key of their question.
type flights struct {
	mu    sync.Mutex
	byKey map[string]*flight
}

// flight is one call that equal ones wait for. Once it has landed, either reply
// or err is set, or neither, if its outcome is no answer to others.
type flight struct {
	landed chan struct{}
	reply  []byte
	err    error
	lacked time.Duration // the wait that its caller had no time for
}

func newFlights() *flights { return &flights{byKey: make(map[string]*flight)} }

// join returns the flight under a key, and whether the caller has to make it.
func (x *flights) join(key string) (f *flight, first bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f := x.byKey[key]; f != nil {
		return f, false
	}
	f = &flight{landed: make(chan struct{})}
	x.byKey[key] = f
	return f, true
}

func (x *flights) land(key string, f *flight) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.byKey, key)
	close(f.landed)
}

// result is what came of a flight; false if it hasn't landed or is no answer. One
// that failed for want of time to wait is none to callers who have it.
func (f *flight) result(ctx context.Context, q *question) (*chat.Reply, error, bool) {
	select {
	case <-f.landed:
	default:
		return nil, nil, false
	}
	if f.err != nil {
		return nil, f.err, f.lacked == 0 || !leavesRoom(ctx, f.lacked)
	}
	if f.reply == nil {
		return nil, nil, false
	}
	reply, err := q.hit(f.reply)
	return reply, err, true
}
