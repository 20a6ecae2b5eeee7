package agent

import (
	"context"
	"encoding/json"
	"sync"
)

// Shared is a value that the runs of a flow have in common: their tools and
// Funcs reach it through the context, by its type.
//
//	var notes agent.Shared[Notes]
//	result, err := flow.Run(notes.In(ctx), chat.User("…"))
//
// It is safe for concurrent use, and its zero value holds the zero T. It is no
// part of a run's state: whoever stores that stores this beside it, as JSON.
type Shared[T any] struct {
	mu    sync.Mutex
	value T
}

type sharedKey[T any] struct{}

// In returns a context in which the value is shared. One of the same type that
// is there already is hidden.
func (s *Shared[T]) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, sharedKey[T]{}, s)
}

// SharedIn returns the value of that type that is shared in ctx. Where there is
// none, it returns a new one, which nobody else sees, and false.
func SharedIn[T any](ctx context.Context) (*Shared[T], bool) {
	if s, ok := ctx.Value(sharedKey[T]{}).(*Shared[T]); ok && s != nil {
		return s, true
	}
	return &Shared[T]{}, false
}

// Do lets f work on the value while nobody else does. f must not keep the
// pointer, nor use s.
func (s *Shared[T]) Do(f func(*T)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.value)
}

// Value returns the value. What it points to is still shared.
func (s *Shared[T]) Value() T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// MarshalJSON writes the value.
func (s *Shared[T]) MarshalJSON() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.Marshal(s.value)
}

// UnmarshalJSON replaces the value.
func (s *Shared[T]) UnmarshalJSON(data []byte) error {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = v
	return nil
}
