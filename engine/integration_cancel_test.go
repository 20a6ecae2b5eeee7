package engine_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// patience is how long a test waits for what should happen at once.
const patience = 10 * time.Second

// lingering is a server on loopback that begins a stream and waits for its
// client to go away.
type lingering struct {
	*httptest.Server
	arrived, left chan struct{}
}

func linger(t *testing.T, kind, begin string) *lingering {
	t.Helper()
	s := &lingering{arrived: make(chan struct{}, 1), left: make(chan struct{}, 1)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if begin != "" {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, begin)
			_ = http.NewResponseController(w).Flush()
		}
		s.arrived <- struct{}{}
		<-r.Context().Done()
		s.left <- struct{}{}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *lingering) gone(t *testing.T) {
	t.Helper()
	select {
	case <-s.left:
	case <-time.After(patience):
		t.Fatal("the connection stayed open")
	}
}

// engine is one that talks to the server over connections of its own.
func (s *lingering) engine(t *testing.T, entry engine.Entry) engine.Engine {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return entry.New(engine.Config{APIKey: testKey, BaseURL: s.URL, HTTPClient: &http.Client{Transport: tr}})
}

// settled fails the test if goroutines outlive what began them.
func settled(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// TestLeavingEarly: cancel, deadline, break and a stopped pull end the
// connection, and nothing stays behind.
//
//nolint:paralleltest // counts goroutines
func TestLeavingEarly(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave func(*testing.T, engine.Engine, *chat.Request)
	}{
		{"cancel", cancelInTheMiddle},
		{"deadline", deadlineInTheMiddle},
		{"break", breakInTheMiddle},
		{"pull", stopPulling},
	} {
		for _, entry := range engine.Catalog() {
			if !streams(entry) {
				continue
			}
			t.Run(tt.name+"/"+entry.Profile.Name, func(t *testing.T) {
				before := runtime.NumGoroutine()
				d := entry.Profile.Dialect
				s := linger(t, voiceOf(t, d).kind, opening(d)+delta(d, "In Gh"))
				tt.leave(t, s.engine(t, entry), hello(entry))
				s.gone(t)
				s.Close()
				settled(t, before)
			})
		}
	}
}

func cancelInTheMiddle(t *testing.T, eng engine.Engine, req *chat.Request) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for ev, err := range eng.Stream(ctx, req) {
		if last = err; err == nil && ev == (chat.TextDelta{Text: "In Gh"}) {
			cancel()
		}
	}
	checkPartial(t, last, context.Canceled)
}

func deadlineInTheMiddle(t *testing.T, eng engine.Engine, req *chat.Request) {
	t.Helper()
	var err error
	for _, wait := range []time.Duration{200 * time.Millisecond, 2 * time.Second, 20 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		_, _, err = collect(ctx, eng, req)
		cancel()
		if e, ok := errors.AsType[*chat.Error](err); ok && e.Reply != nil {
			break // else a busy machine was not even at the first delta
		}
	}
	checkPartial(t, err, context.DeadlineExceeded)
}

func checkPartial(t *testing.T, err, cause error) {
	t.Helper()
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(err, cause) || !errors.Is(err, chat.ErrTruncated) {
		t.Fatalf("error %v, want %v", err, cause)
	}
	if e.Reply == nil || e.Reply.Text() != "In Gh" {
		t.Errorf("partial reply %+v", e.Reply)
	}
}

func breakInTheMiddle(t *testing.T, eng engine.Engine, req *chat.Request) {
	t.Helper()
	for _, err := range eng.Stream(t.Context(), req) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

func stopPulling(t *testing.T, eng engine.Engine, req *chat.Request) {
	t.Helper()
	next, stop := iter.Pull2(eng.Stream(t.Context(), req))
	if _, err, ok := next(); err != nil || !ok {
		t.Errorf("no first event: %v", err)
	}
	stop()
}

// TestCancelBeforeTheAnswer: a call that waits for its headers ends with its
// context.
//
//nolint:paralleltest // counts goroutines
func TestCancelBeforeTheAnswer(t *testing.T) {
	for _, entry := range engine.Catalog() {
		for name := range ways {
			t.Run(entry.Profile.Name+"/"+name, func(t *testing.T) {
				before := runtime.NumGoroutine()
				s := linger(t, "", "")
				eng := s.engine(t, entry)
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() {
					<-s.arrived
					cancel(errEnough)
				}()
				var err error
				if name == "chat" {
					_, err = eng.Chat(ctx, hello(entry))
				} else {
					_, _, err = collect(ctx, eng, hello(entry))
				}
				if !errors.Is(err, context.Canceled) || !errors.Is(err, errEnough) {
					t.Errorf("error %v, want the context's and its cause", err)
				}
				s.gone(t)
				s.Close()
				settled(t, before)
			})
		}
	}
}

var errEnough = errors.New("that is enough")

// TestStreamIsLazyAndOneShot: nothing is sent before the first range, which
// may happen once.
func TestStreamIsLazyAndOneShot(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry, answer{text: "In Ghent."}))
		stream := m.Stream(t.Context(), hello(entry))
		if m.calls() != 0 {
			t.Errorf("%d requests before the first range", m.calls())
		}
		for _, err := range stream {
			if err != nil {
				t.Fatal(err)
			}
		}
		var again []error
		for ev, err := range stream {
			if ev != nil {
				t.Errorf("event %+v from a used stream", ev)
			}
			again = append(again, err)
		}
		if len(again) != 1 || !errors.Is(again[0], chat.ErrStreamUsed) || m.calls() != 1 {
			t.Errorf("errors %v after %d requests, want ErrStreamUsed", again, m.calls())
		}
	})
}

// TestBreakAtEveryEvent: a listener can stop anywhere; the mock fails the test
// if a body is left open.
func TestBreakAtEveryEvent(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		req := hello(entry)
		name := "text"
		if callsByWire(entry) {
			req.Tools, name = harbour, "tool-calls-parallel"
		}
		m := mock(t, entry, engine.Config{APIKey: testKey}, canned(t, entry.Profile.Dialect, name))
		events, _, err := collect(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		for stop := range events {
			n := 0
			for ev, err := range m.Stream(t.Context(), req) {
				if err != nil || ev == nil {
					t.Fatalf("event %d: %+v, %v", n, ev, err)
				}
				if _, done := ev.(chat.Done); done && m.open.Load() != 0 {
					t.Error("Done came while the body was open")
				}
				if n++; n > stop {
					break
				}
			}
			if open := m.open.Load(); open != 0 {
				t.Errorf("stopped at event %d: %d bodies open", stop, open)
			}
		}
	})
}
