//go:build soak

package chaos_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

var soakTime = flag.Duration("soak", 30*time.Second, "how long the soak lasts")

const (
	soakStreams  = 1000    // at a time
	soakRequests = 200_000 // in all, however long it lasts
	soakBreak    = 97      // every such request is broken off by the server
	soakHeap     = 16 << 20
)

// harbour is the simulator on a server that counts its connections and breaks
// off a stream now and then.
type harbour struct {
	http.Handler
	requests, connections, broken atomic.Int64
}

func (h *harbour) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.requests.Add(1)%soakBreak == 0 {
		w = &breaking{ResponseWriter: w, h: h}
	}
	h.Handler.ServeHTTP(w, r)
}

// breaking drops the connection in the middle of a stream.
type breaking struct {
	http.ResponseWriter
	h       *harbour
	flushes int
}

func (b *breaking) Flush() {
	_ = http.NewResponseController(b.ResponseWriter).Flush()
	if b.flushes++; b.flushes == 4 {
		b.h.broken.Add(1)
		panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own way to drop a connection
	}
}

func (h *harbour) start(t *testing.T) (url string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			h.connections.Add(1)
		}
	}}
	go func() { _ = srv.Serve(ln) }()
	return "http://" + ln.Addr().String(), func() { _ = srv.Close() }
}

// TestSoak holds a thousand streams open at a time, for half a minute.
func TestSoak(t *testing.T) { //nolint:paralleltest // counts the goroutines of the whole process
	goroutines, heap := runtime.NumGoroutine(), liveHeap()
	h := &harbour{Handler: sim.New(sim.Options{Delay: 60 * time.Millisecond})}
	url, stop := h.start(t)
	failures := soak(t, url, h)
	requests, connections, broken := h.requests.Load(), h.connections.Load(), h.broken.Load()
	t.Logf("%d streams, %d connections, %d broken by the server", requests, connections, broken)
	for why, n := range failures {
		t.Errorf("%d times: %s", n, why)
	}
	if requests < 5*soakStreams {
		t.Errorf("only %d streams", requests)
	}
	// One for each stream that is open, one for each that was broken; the pool
	// keeps 512 idle, and a late end of a body costs a connection.
	if limit := soakStreams + broken + requests/5; connections > limit {
		t.Errorf("%d connections for %d streams, want at most %d", connections, requests, limit)
	}
	stop()
	h.Handler = nil
	settle(t, goroutines, heap)
}

// soak runs the streams and counts failures that the server didn't cause.
func soak(t *testing.T, url string, h *harbour) map[string]int {
	t.Helper()
	var mu sync.Mutex
	failures, cut := map[string]int{}, int64(0)
	fail := func(why string) {
		mu.Lock()
		defer mu.Unlock()
		failures[why]++
	}
	until := time.Now().Add(*soakTime)
	var workers sync.WaitGroup
	engines := soakEngines(url)
	for i := range soakStreams {
		workers.Go(func() {
			for time.Now().Before(until) && h.requests.Load() < soakRequests {
				switch err := oneStream(t.Context(), engines[i%len(engines)], i); {
				case brokenOff(err):
					atomic.AddInt64(&cut, 1)
				case err != nil:
					fail(err.Error())
				}
			}
		})
	}
	workers.Wait()
	if broken := h.broken.Load(); cut != broken {
		fail(fmt.Sprintf("%d streams were cut, the server broke %d", cut, broken))
	}
	return failures
}

// brokenOff reports whether a stream broke after its answer had begun.
func brokenOff(err error) bool {
	e, ok := errors.AsType[*chat.Error](err)
	return ok && e.Status == http.StatusOK && (errors.Is(e.Kind, chat.ErrTruncated) || errors.Is(e.Kind, chat.ErrNetwork))
}

func soakEngines(url string) []engine.Engine {
	idle := sim.New(sim.Options{})
	at := func(provider string) engine.Config {
		base := strings.Replace(idle.BaseURL(provider), idle.URL(), url, 1)
		return engine.Config{APIKey: "k-7777", BaseURL: base, Idle: time.Minute}
	}
	return []engine.Engine{engine.NewGroq(at("groq")), engine.NewAnthropic(at("anthropic")), engine.NewOpenAI(at("openai"))}
}

var soakModels = []string{"llama-3.3-70b-versatile", "claude-sonnet-4-5", "gpt-4.1"}

// oneStream reads a stream and holds its deltas against its reply.
func oneStream(ctx context.Context, eng engine.Engine, i int) error {
	req := &chat.Request{Model: soakModels[i%len(soakModels)], Messages: chat.Prompt(fmt.Sprintf("Ship %d asks for a berth, water and a pilot.", i))}
	if i%2 == 0 {
		req.Tools = request.Tools
	}
	var text strings.Builder
	done := false
	for ev, err := range eng.Stream(ctx, req) {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text.WriteString(ev.Text)
		case chat.Done:
			done = text.String() == ev.Reply.Text() && len(ev.Reply.Parts) > 0
		default:
		}
		if err != nil {
			return err
		}
	}
	if !done {
		return errors.New("the deltas are not the reply")
	}
	return nil
}

// settle waits until goroutines and memory are back where they were.
func settle(t *testing.T, goroutines int, heap uint64) {
	t.Helper()
	var n int
	var live uint64
	for range 100 {
		if n, live = runtime.NumGoroutine(), liveHeap(); n <= goroutines && live <= heap+soakHeap {
			t.Logf("goroutines %d → %d, live heap %d → %d KiB", goroutines, n, heap>>10, live>>10)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("left behind: %d goroutines, was %d; %d KiB of heap, was %d", n, goroutines, live>>10, heap>>10)
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
