package chaos_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/chaos"
)

const limit = 64 << 10 // of replies and lines in these tests

// endless gives a beginning and then the same bytes for ever.
type endless struct {
	begin, again []byte
	left         []byte
	given        int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.given == 0 {
		e.left = e.begin
	}
	if len(e.left) == 0 {
		e.left = e.again
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	e.given += n
	return n, nil
}

// hostile is an engine whose server answers with a body.
func (x exchange) hostile(kind string, body io.Reader, cfg engine.Config) engine.Engine {
	cfg.APIKey, cfg.BaseURL, cfg.Region = "k-7777", "http://chaos.test/v1", "eu-west-1"
	cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, ContentLength: -1, Request: r, Body: io.NopCloser(body),
		}, nil
	})}
	return x.engine(cfg)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestEndlessAnswers: an answer without an end fails at the limit, and not much
// more than the limit is read.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	for _, x := range exchanges {
		whole, stream := x.reply(t, false), x.reply(t, true)
		begin := bytes.Index(stream.Body, []byte("Zum Gra"))
		from, to := stream.Around(begin)
		for _, tt := range []struct {
			name     string
			kind     string
			body     *endless
			streamed bool
		}{
			{"events of a stream", stream.Type, &endless{begin: stream.Body[:from], again: stream.Body[from:to]}, true},
			{"one event", stream.Type, &endless{begin: stream.Body[:begin], again: []byte("x")}, true},
			{"document", whole.Type, &endless{begin: whole.Body[:20], again: []byte("x")}, false},
			{"white space", whole.Type, &endless{begin: whole.Body, again: []byte(" ")}, false},
			{"document instead of a stream", whole.Type, &endless{begin: whole.Body[:20], again: []byte("x")}, true},
		} {
			if x.stream == "" && tt.kind == stream.Type && tt.streamed || x.name == "bedrock-converse" && tt.name == "one event" {
				continue // no streams, and events that begin with their size
			}
			t.Run(x.name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				eng := x.hostile(tt.kind, tt.body, engine.Config{Limits: engine.Limits{Reply: limit, Line: limit}})
				got := ask(t.Context(), eng, tt.streamed)
				if !errors.Is(got.err, chat.ErrBadReply) || len(got.ready) > 0 {
					t.Errorf("error %v, ready %v", got.err, got.ready)
				}
				if most := 64 * limit; tt.body.given > most {
					t.Errorf("%d bytes were read", tt.body.given)
				}
			})
		}
	}
}

// TestHeartbeatsForEver: comments and blank lines are no silence; the caller's
// context ends the call.
func TestHeartbeatsForEver(t *testing.T) {
	t.Parallel()
	for _, x := range exchanges {
		if x.frames == nil || x.name == "bedrock-converse" {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				beat := strings.Repeat("\n", 7)
				if strings.HasPrefix(x.kind, "text/event-stream") {
					beat = ": ping\n"
				}
				eng := x.hostile(x.kind, slowly{strings.NewReader(strings.Repeat(beat, 1<<20))}, engine.Config{Idle: idle})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				got := ask(ctx, eng, true)
				if !errors.Is(got.err, context.DeadlineExceeded) || got.took < time.Hour || got.took > time.Hour+idle {
					t.Errorf("error %v after %v", got.err, got.took)
				}
			})
		})
	}
}

// slowly waits ten seconds before each seven bytes.
type slowly struct{ r io.Reader }

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(10 * time.Second)
	return s.r.Read(p[:min(7, len(p))])
}

// TestDeepNesting: what is nested for ever is unreadable, and nothing that
// walks it runs out of stack.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 1<<20)
	for _, x := range exchanges {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			for _, streamed := range []bool{false, true} {
				reply := x.reply(t, streamed)
				if reply.Frames != nil && x.name == "bedrock-converse" {
					continue // its checksums don't allow for changes
				}
				body := bytes.Replace(reply.Body, []byte(`{"`), []byte(`{"deep":`+deep+`,"`), 1)
				got := ask(t.Context(), x.hostile(reply.Type, bytes.NewReader(body), engine.Config{}), streamed)
				if !errors.Is(got.err, chat.ErrBadReply) || len(got.ready) > 0 {
					t.Errorf("streamed %v: error %v, ready %v", streamed, got.err, got.ready)
				}
			}
		})
	}
}

// TestGzipBomb: the limit holds for what comes out of the compression.
func TestGzipBomb(t *testing.T) {
	t.Parallel()
	const size = 256 << 20
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		block := bytes.Repeat([]byte(" "), 1<<20)
		for n := 0; n < size; n += len(block) {
			if _, err := z.Write(block); err != nil || r.Context().Err() != nil {
				return
			}
		}
		_ = z.Close()
	}))
	t.Cleanup(srv.Close)
	for _, streamed := range []bool{false, true} {
		eng := engine.NewOpenAICompatible(engine.Config{APIKey: "k-7777", BaseURL: srv.URL, Limits: engine.Limits{Reply: 4 << 20}})
		if got := ask(t.Context(), eng, streamed); !errors.Is(got.err, chat.ErrBadReply) || !strings.Contains(got.err.Error(), "larger than 4194304 bytes") {
			t.Errorf("streamed %v: error %v", streamed, got.err)
		}
	}
}

// TestEndlessHeaders: what comes before the body is bounded, too.
func TestEndlessHeaders(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	var sent atomic.Int64
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if _, err = http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, err = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			}
			for err == nil {
				var n int
				n, err = io.WriteString(c, "X-Sand: "+strings.Repeat("x", 1000)+"\r\n")
				sent.Add(int64(n))
			}
			_ = c.Close()
		}
	}()
	for _, streamed := range []bool{false, true} {
		eng := engine.NewOpenAICompatible(engine.Config{APIKey: "k-7777", BaseURL: "http://" + ln.Addr().String()})
		got := ask(t.Context(), eng, streamed)
		if e, ok := errors.AsType[*chat.Error](got.err); !ok || !errors.Is(got.err, chat.ErrNetwork) || e.Attempts != 1 {
			t.Errorf("streamed %v: error %v", streamed, got.err)
		}
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

// TestPointsCoverEveryClass: a dialect whose answers lack a class of places
// would be tried with less than it seems.
func TestPointsCoverEveryClass(t *testing.T) {
	t.Parallel()
	for _, x := range exchanges {
		for _, streamed := range []bool{false, true} {
			reply := x.reply(t, streamed)
			points := onePerClass(reply)
			for _, class := range chaos.Classes {
				if _, ok := points[class]; !ok && (class != chaos.AtFrame || reply.Frames != nil) {
					t.Errorf("%s, streamed %v: no point %s", x.name, streamed, class)
				}
			}
		}
	}
}
