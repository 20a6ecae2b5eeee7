package cases

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Seen is a request that the server saw.
type Seen struct {
	At     time.Time
	URL    string
	Path   string
	Header http.Header
	Body   []byte
}

// server is the case's server on loopback, with the canary beside it.
type server struct {
	run    *Run
	main   *http.Server
	canary *http.Server
	url    string
	trap   string

	mu     sync.Mutex
	seen   []Seen
	hits   int
	active sync.WaitGroup // answers under way
}

func startServer(ctx context.Context, r *Run) (*server, error) {
	s := &server{run: r}
	var err error
	if s.main, s.url, err = listen(ctx, s.answer); err != nil {
		return nil, err
	}
	s.canary, s.trap, err = listen(ctx, func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hits++
		w.WriteHeader(http.StatusTeapot)
	})
	if err != nil {
		_ = s.main.Close()
	}
	return s, err
}

func listen(ctx context.Context, h http.HandlerFunc) (*http.Server, string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	srv := &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), ReadHeaderTimeout: time.Minute,
	}
	go func() { _ = srv.Serve(l) }() // ends with close
	return srv, "http://" + l.Addr().String(), nil
}

// closedPort returns the address of a port on which nobody listens.
func closedPort(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return "http://" + l.Addr().String(), l.Close()
}

func (s *server) close() {
	_ = s.main.Close()
	_ = s.canary.Close()
}

func (s *server) seenRequests() ([]Seen, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen), s.hits
}

// idleAfter is how long after start no answer was under way any more; limit if
// that did not happen in time.
func (s *server) idleAfter(start time.Time, limit time.Duration) time.Duration {
	idle := make(chan struct{})
	go func() {
		s.active.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(limit):
	}
	return time.Since(start)
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what came of it is what was seen
	s.mu.Lock()
	n := len(s.seen)
	s.seen = append(s.seen, Seen{
		At: time.Now(), URL: "http://" + r.Host + r.RequestURI, Path: r.URL.EscapedPath(),
		Header: r.Header.Clone(), Body: body,
	})
	s.active.Add(1)
	s.mu.Unlock()
	defer s.active.Done()

	answer := s.pickAnswer(n)
	for name, value := range answer.Headers {
		w.Header().Set(name, s.fillIn(value, body))
	}
	w.WriteHeader(answer.Status)
	sendPieces(w, []byte(s.fillIn(answer.Body, body)), answer)
	switch answer.End {
	case "hang":
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case "reset":
		resetConnection(w)
	}
}

func (s *server) pickAnswer(n int) Response {
	g := &s.run.Given
	switch {
	case n < len(g.Responses):
		return g.Responses[n]
	case s.run.standsIn():
		return standIn(s.run.Case.Dialect, g.Request.Stream)
	}
	return Response{
		Status: http.StatusInternalServerError, Headers: map[string]string{"content-type": "application/json"},
		Body: `{"error":{"message":"no answer is left"}}`,
	}
}

// standsIn reports whether missing answers are made up.
func (r *Run) standsIn() bool { return r.Case.Kind == "request" || r.Case.Kind == "schema" }

var (
	httpDate = regexp.MustCompile(`\{\{HTTPDATE:([+-]\d+)s\}\}`)
	wireName = regexp.MustCompile(`\{\{WIRE_TOOL_NAME:(\d+)\}\}`)
)

// fillIn replaces placeholders whose values are known only now.
func (s *server) fillIn(text string, request []byte) string {
	text = httpDate.ReplaceAllStringFunc(text, func(m string) string {
		seconds, _ := strconv.Atoi(httpDate.FindStringSubmatch(m)[1]) // digits, by the pattern
		return time.Now().Add(time.Duration(seconds) * time.Second).UTC().Format(http.TimeFormat)
	})
	text = wireName.ReplaceAllStringFunc(text, func(m string) string {
		n, _ := strconv.Atoi(wireName.FindStringSubmatch(m)[1]) // digits, by the pattern
		return wireToolName(s.run.Case.Dialect, json.RawMessage(request), s.run.Given.Request.Tools, n)
	})
	return strings.NewReplacer("{canary}", s.trap, "{server}", s.url).Replace(text)
}

// pauses is how often the server waits within one body, so that what is
// written before and after doesn't meet in one read.
const pauses = 60

// sendPieces writes a body piece by piece, each in a chunk of its own.
func sendPieces(w http.ResponseWriter, body []byte, r Response) {
	out := http.NewResponseController(w)
	pieces := cutPieces(body, r)
	every := len(pieces)/pauses + 1
	for i, piece := range pieces {
		if i > 0 {
			if out.Flush() != nil {
				return
			}
			if i%every == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

func cutPieces(body []byte, r Response) [][]byte {
	if r.ChunkEvery > 0 {
		return slices.Collect(slices.Chunk(body, r.ChunkEvery))
	}
	var pieces [][]byte
	start := 0
	for _, at := range r.Chunks {
		if at > start && at < len(body) {
			pieces = append(pieces, body[start:at])
			start = at
		}
	}
	return append(pieces, body[start:])
}

func resetConnection(w http.ResponseWriter) {
	out := http.NewResponseController(w)
	if out.Flush() != nil {
		return
	}
	conn, _, err := out.Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
