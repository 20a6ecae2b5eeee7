package sim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-go/sabir/sim"
)

// start starts a server that the test closes.
func start(t *testing.T, opts sim.Options) *sim.Server {
	t.Helper()
	s, err := sim.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	s := start(t, sim.Options{})
	for provider, path := range map[string]string{
		"openai": "/openai/v1", "anthropic": "/anthropic", "perplexity": "/perplexity", "groq": "/groq/openai/v1",
		"deepseek": "/deepseek", "mistral": "/mistral/v1", "acme": "/acme/v1",
	} {
		if got := s.BaseURL(provider); got != s.URL()+path {
			t.Errorf("%s: %s", provider, got)
		}
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL %s", s.URL())
	}
}

// TestHTTPErrors: what goes wrong before a request is understood, in each
// provider's shape.
func TestHTTPErrors(t *testing.T) {
	t.Parallel()
	big := `{"model":"` + strings.Repeat("x", 33<<20) + `"}`
	for _, c := range []struct {
		name, provider, method, path, body, key string
		status                                  int
		want                                    string
	}{
		{"unknown path", "openai", "POST", "/nope", "{}", "k", 404, `"invalid_request_error"`},
		{"unknown path", "anthropic", "POST", "/v1/nope", "{}", "k", 404, `"not_found_error"`},
		{"unknown path", "mistral", "POST", "/nope", "{}", "k", 404, `{"detail":"Not Found"}`},
		{"method", "openai", "GET", "/chat/completions", "", "k", 405, `"invalid_request_error"`},
		{"method", "anthropic", "GET", "/v1/messages", "", "k", 405, `"type":"error"`},
		{"too large", "anthropic", "POST", "/v1/messages", big, "k", 413, `"request_too_large"`},
		{"too large", "openai", "POST", "/chat/completions", big, "k", 413, `"invalid_request_error"`},
		{"no key", "openai", "POST", "/chat/completions", "{}", "", 401, `"invalid_api_key"`},
		{"no key", "anthropic", "POST", "/v1/messages", "{}", "", 401, `"authentication_error"`},
		{"no key", "mistral", "POST", "/chat/completions", "{}", "", 401, `{"detail":"Unauthorized"}`},
		{"no key", "deepseek", "POST", "/chat/completions", "{}", "", 401, `"authentication_error"`},
		{"no key", "groq", "POST", "/chat/completions", "{}", "", 401, `"invalid_api_key"`},
		{"no key", "perplexity", "POST", "/chat/completions", "{}", "", 401, `<html>`},
	} {
		t.Run(c.provider+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{})
			req, err := http.NewRequestWithContext(t.Context(), c.method, s.BaseURL(c.provider)+c.path,
				strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if c.key != "" {
				req.Header.Set("Authorization", "Bearer "+c.key)
			}
			a := send(t, s, req)
			if a.status != c.status || !strings.Contains(a.body, c.want) {
				t.Errorf("status %d: %s", a.status, a.body)
			}
			if rec := s.Requests(); len(rec) != 1 || rec[0].Status != c.status || rec[0].Provider != c.provider {
				t.Errorf("recorded %d requests", len(rec))
			}
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{Keys: []string{"right"}})
	for _, c := range []struct {
		provider, header, value string
		status                  int
	}{
		{"openai", "Authorization", "Bearer right", 200},
		{"openai", "Authorization", "Bearer wrong", 401},
		{"openai", "X-Api-Key", "right", 401},
		{"anthropic", "X-Api-Key", "right", 200},
		{"anthropic", "Authorization", "Bearer right", 200},
		{"anthropic", "X-Api-Key", "wrong", 401},
	} {
		req := request(t, s, c.provider, simple(c.provider))
		req.Header.Del("Authorization")
		req.Header.Set(c.header, c.value)
		if a := send(t, s, req); a.status != c.status {
			t.Errorf("%s %s %s: status %d", c.provider, c.header, c.value, a.status)
		}
	}
	lenient := sim.New(sim.Options{Lenient: true})
	req := request(t, lenient, "openai", simple("openai"))
	req.Header.Del("Authorization")
	if a := send(t, lenient, req); a.status != 200 {
		t.Errorf("lenient: status %d", a.status)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{})
	first, second := simple("openai"), simple("anthropic", `"stream":true`)
	ok(t, s, "openai", first)
	ok(t, s, "anthropic", second)
	got := s.Requests()
	if len(got) != 2 {
		t.Fatalf("%d requests", len(got))
	}
	if r := got[0]; r.Provider != "openai" || r.Method != "POST" || r.Path != "/openai/v1/chat/completions" || string(r.Body) != first ||
		r.Model != "gpt-4o-mini" || r.Stream || r.Status != 200 || r.Header.Get("Authorization") != "Bearer test-key" {
		t.Errorf("%+v", r)
	}
	if r := got[1]; r.Provider != "anthropic" || r.Model != "claude-sonnet-4-5" || !r.Stream {
		t.Errorf("%+v", r)
	}
}

// TestScriptOnly: a script that is all there is ends with an error that says so.
func TestScriptOnly(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{Turns: []sim.Turn{sim.Says("one")}, ScriptOnly: true})
	ok(t, s, "openai", simple("openai"))
	for _, provider := range []string{"openai", "anthropic"} {
		if a := post(t, s, provider, simple(provider)); a.status != 400 || !strings.Contains(a.body, "the script is used up: it has 1 turn") {
			t.Errorf("%s: %d %s", provider, a.status, a.body)
		}
	}
	refused := sim.New(sim.Options{Turns: []sim.Turn{sim.Says("kept")}})
	post(t, refused, "openai", body(model("gpt-4o")))
	if got := whole(t, ok(t, refused, "openai", simple("openai"))); got.text != "kept" {
		t.Errorf("a refused request took the turn: %+v", got)
	}
}

// TestConcurrent: 64 clients at once, each with its own answer.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	s := start(t, sim.Options{})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			provider := []string{"openai", "anthropic", "mistral", "perplexity"}[i%4]
			word := fmt.Sprintf("number %d", i)
			req := request(t, s, provider,
				strings.Replace(simple(provider, fmt.Sprintf(`"stream":%v`, i%8 < 4)), weatherWords, word, 1))
			res, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			if err != nil || !strings.Contains(string(b), strconv.Itoa(i)) {
				t.Errorf("%v: %s", err, b)
			}
		})
	}
	wg.Wait()
	if n := len(s.Requests()); n != 64 {
		t.Errorf("%d requests", n)
	}
}

// TestCloseLeavesNothing isn't parallel: it counts goroutines.
//
//nolint:paralleltest // counts the goroutines of the whole process
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := sim.Start(sim.Options{Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	bodies := make([]io.ReadCloser, 0, 5)
	for range 5 {
		res, err := transport.RoundTrip(request(t, s, "openai", simple("openai", `"stream":true`)))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, res.Body)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, b := range bodies {
		if _, err := io.ReadAll(b); err == nil {
			t.Error("a stream ended well although the server was closed")
		}
		_ = b.Close()
	}
	transport.CloseIdleConnections()
	settled(t, before)
}

// settled waits until no more goroutines run than before.
func settled(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}

// TestRoundTripperEnds: cancelling or closing ends the handler.
//
//nolint:paralleltest // counts the goroutines of the whole process
func TestRoundTripperEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	s := sim.New(sim.Options{Delay: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	req := request(t, s, "openai", simple("openai", `"stream":true`)).WithContext(ctx)
	res, err := s.RoundTripper().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("read ended with %v", err)
	}
	for range 100 { // the handler and the reader learn of it in either order
		ctx, cancel := context.WithCancel(t.Context())
		req := request(t, s, "openai", simple("openai", `"stream":true`)).WithContext(ctx)
		if res, err = s.RoundTripper().RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		go cancel()
		if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
			t.Fatalf("read ended with %v", err)
		}
	}
	if res, err = s.RoundTripper().RoundTrip(request(t, s, "openai", simple("openai", `"stream":true`))); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		t.Errorf("Close didn't wait for the stream (%v)", err)
		closed <- err
	case <-time.After(20 * time.Millisecond):
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := s.RoundTripper().RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	settled(t, before)
}
