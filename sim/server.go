package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options configure a server. The zero value plays strict providers that
// accept any key and have no script.
type Options struct {
	// Turns is the script: each request that isn't refused takes the next
	// turn, in order of arrival. Used up or empty: the default behaviour.
	Turns []Turn
	// ScriptOnly refuses requests beyond the script with status 400, instead
	// of falling back to the default behaviour.
	ScriptOnly bool
	// Lenient drops the providers' rules: any request that can be read is
	// answered, without a key too.
	Lenient bool
	// Delay is the pause before each stream event.
	Delay time.Duration
	// ChunkSize is the bytes of text or arguments per stream event; 0: text by
	// words, arguments by 8 bytes. Characters are never split.
	ChunkSize int
	// Keys are the API keys that are accepted; empty: every key.
	Keys []string
}

// Request is a request that reached the server.
type Request struct {
	// Provider is the first segment of the path.
	Provider string
	Method   string
	Path     string
	// Header is as sent, with the key.
	Header http.Header
	// Body is as sent.
	Body []byte
	// Model and Stream are read from the body, where it is readable, or from the
	// path, where the dialect has them there.
	Model  string
	Stream bool
	// Status is the HTTP status of the answer.
	Status int
}

// Server plays the providers. It is an http.Handler and safe for concurrent
// use.
type Server struct {
	opts Options
	url  string

	http *http.Server
	done chan error

	mu       sync.Mutex
	idle     *sync.Cond
	active   int // handlers running
	turn     int
	requests []Request
}

// idleURL is the address of a server that doesn't listen; only its own
// [Server.RoundTripper] reaches it. Source: RFC 6761 §6.3, names under
// localhost never leave the machine.
const idleURL = "http://sim.localhost"

// New returns a server that doesn't listen: for use as an http.Handler, or in
// process through [Server.RoundTripper].
func New(opts Options) *Server {
	opts.Turns = slices.Clone(opts.Turns)
	opts.Keys = slices.Clone(opts.Keys)
	s := &Server{opts: opts, url: idleURL}
	s.idle = sync.NewCond(&s.mu)
	return s
}

// Start returns a server that listens on a free port of the loopback
// interface. The caller closes it.
func Start(opts Options) (*Server, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	s := New(opts)
	s.url = "http://" + ln.Addr().String()
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.done = make(chan error, 1)
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

// URL is the server's address, without a path.
func (s *Server) URL() string { return s.url }

// BaseURL is what the engine of that name takes as its base URL, such as
// "http://127.0.0.1:4000/groq/openai/v1" for "groq".
func (s *Server) BaseURL(provider string) string {
	return s.url + "/" + provider + findProvider(provider).persona.Prefix
}

// Requests returns what was received so far, in order of arrival, refused
// requests included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close stops listening, drops open connections and waits until nothing runs
// any more. On a server made by [New] it only waits for open streams.
func (s *Server) Close() error {
	var err error
	if s.http != nil {
		err = s.http.Close()
		if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		s.done <- http.ErrServerClosed // a second Close finds it again
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.active > 0 {
		s.idle.Wait()
	}
	return err
}

// beginHandler counts a running handler; the function it returns ends it.
func (s *Server) beginHandler() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.active--
		s.idle.Broadcast()
	}
}

// nextTurn takes the next turn of the script. ok is false where the script is all
// there is, and it is used up.
func (s *Server) nextTurn() (turn Turn, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn < len(s.opts.Turns) {
		turn = s.opts.Turns[s.turn]
		s.turn++
		return turn, true
	}
	return Turn{}, !s.opts.ScriptOnly
}

// recordRequest keeps a request and returns its number, from 0.
func (s *Server) recordRequest(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return len(s.requests) - 1
}

func (s *Server) updateRequest(n int, f func(*Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.requests[n])
}
