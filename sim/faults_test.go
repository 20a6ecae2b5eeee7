package sim_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/sim"
)

// read sends a request over the given transport and returns what could be read
// and how reading ended.
func read(t *testing.T, rt http.RoundTripper, req *http.Request) (string, error) {
	t.Helper()
	res, err := (&http.Client{Transport: rt}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return string(b), err
}

// TestCutStreams: over a connection and in process, cleanly and abruptly.
func TestCutStreams(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"elsewhere", "anthropic"} {
		for _, c := range []struct {
			name  string
			fault sim.Fault
			abort bool
		}{
			{"clean end", sim.Fault{CutAfter: 4}, false},
			{"reset", sim.Fault{CutAfter: 4, Reset: true}, true},
		} {
			t.Run(provider+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s := start(t,
					sim.Options{Turns: []sim.Turn{sim.Says("a b c d e f").With(c.fault), sim.Says("a b c d e f").With(c.fault)}})
				wire := &http.Transport{}
				defer wire.CloseIdleConnections()
				for _, rt := range []http.RoundTripper{wire, s.RoundTripper()} {
					text, err := read(t, rt, request(t, s, provider, simple(provider, `"stream":true`)))
					if n := strings.Count(text, "data: "); n != 4 {
						t.Errorf("%d events: %s", n, text)
					}
					if (err != nil) != c.abort || c.abort && !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("ended with %v", err)
					}
				}
			})
		}
	}
}

func TestNoEndMark(t *testing.T) {
	t.Parallel()
	for provider, mark := range map[string]string{"openai": "[DONE]", "anthropic": "message_stop"} {
		s := sim.New(sim.Options{Turns: []sim.Turn{sim.Says("hi").With(sim.Fault{NoEndMark: true})}})
		stream := ok(t, s, provider, simple(provider, `"stream":true`))
		if strings.Contains(stream, mark) || !strings.Contains(stream, `"hi"`) || !strings.Contains(stream, "stop") {
			t.Errorf("%s: %s", provider, stream)
		}
	}
}

// TestFailInsideStream: a 200 that turns into an error, in the provider's way.
func TestFailInsideStream(t *testing.T) {
	t.Parallel()
	turn := sim.Says("a b c d e f")
	turn.Fail, turn.Fault.FailAfter = &sim.Failure{Status: 529}, 4
	turns := []sim.Turn{turn, turn}
	s := sim.New(sim.Options{Turns: turns})
	evs := events(t, ok(t, s, "anthropic", simple("anthropic", `"stream":true`)), "\n")
	last := evs[len(evs)-1]
	if len(evs) != 5 || last.name != "error" || dig(t, last.data, "type") != "error" || dig(t, last.data, "error", "type") != "overloaded_error" {
		t.Errorf("%d events, the last: %v", len(evs), last)
	}
	if a := post(t, s, "anthropic", simple("anthropic")); a.status != 529 {
		t.Errorf("unstreamed: %d", a.status)
	}
	turn.Fail = &sim.Failure{Status: 503}
	evs = events(t, ok(t, sim.New(sim.Options{Turns: []sim.Turn{turn}}), "openai", simple("openai", `"stream":true`)),
		"\n")
	if last := evs[len(evs)-1]; dig(t, last.data, "error", "code") != "server_is_overloaded" {
		t.Errorf("openai: %v", last)
	}
}

// TestScriptedFailures: status, shape and headers of each provider.
func TestScriptedFailures(t *testing.T) {
	t.Parallel()
	type f = sim.Failure
	for _, c := range []struct {
		name, provider string
		fail           f
		header, value  string
		path           []any
		want           any
	}{
		{"rate limit", "openai", f{Status: 429, RetryAfter: 1200 * time.Millisecond}, "Retry-After-Ms", "1200", []any{"error", "code"}, "rate_limit_exceeded"},
		{"rounded up", "openai", f{Status: 429, RetryAfter: 1200 * time.Millisecond}, "Retry-After", "2", []any{"error", "type"}, "requests"},
		{"quota", "openai", f{Status: 429, Type: "insufficient_quota", Code: "insufficient_quota", Message: "x"}, "X-Ratelimit-Remaining-Requests", "0", []any{"error", "code"}, "insufficient_quota"},
		{"server error", "openai", f{}, "Retry-After", "", []any{"error", "type"}, "server_error"},
		{"own param", "openai", f{Status: 400, Param: "p"}, "Content-Type", "application/json", []any{"error", "param"}, "p"},
		{"rate limit", "anthropic", f{Status: 429, RetryAfter: 17 * time.Second}, "Retry-After", "17", []any{"error", "type"}, "rate_limit_error"},
		{"no milliseconds", "anthropic", f{Status: 429, RetryAfter: time.Second}, "Retry-After-Ms", "", []any{"type"}, "error"},
		{"spend limit", "anthropic", f{Status: 429, Code: "enforced_spend_limit_reached"}, "Retry-After", "", []any{"error", "details", "error_code"}, "enforced_spend_limit_reached"},
		{"billing", "anthropic", f{Status: 402}, "Retry-After", "", []any{"error", "type"}, "billing_error"},
		{"timeout", "anthropic", f{Status: 504}, "Retry-After", "", []any{"error", "type"}, "timeout_error"},
		{"permission", "anthropic", f{Status: 403}, "Retry-After", "", []any{"error", "type"}, "permission_error"},
		{"balance", "deepseek", f{Status: 402}, "Retry-After", "", []any{"error", "message"}, "Insufficient Balance"},
		{"rate limit", "mistral", f{Status: 429}, "Retry-After", "", []any{"code"}, "1300"},
		{"overload", "groq", f{Status: 503, RetryAfter: time.Second}, "Retry-After", "1", []any{"error", "code"}, "server_is_overloaded"},
		{"code is the status", "perplexity", f{Status: 500}, "Retry-After", "", []any{"error", "code"}, 500.0},
		{"own header", "elsewhere", f{Status: 500, Header: http.Header{"X-Should-Retry": {"false"}}}, "X-Should-Retry", "false", []any{"error", "type"}, "server_error"},
	} {
		t.Run(c.provider+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, sim.New(sim.Options{Turns: []sim.Turn{{Fail: &c.fail}}}), c.provider, simple(c.provider))
			want := c.fail.Status
			if want == 0 {
				want = 500
			}
			if got := dig(t, a.body, c.path...); a.status != want || got != c.want || a.header.Get(c.header) != c.value {
				t.Errorf("status %d, %s %q, %v = %v: %s", a.status, c.header, a.header.Get(c.header), c.path, got, a.body)
			}
		})
	}
}

func TestRawFailure(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{Turns: []sim.Turn{{Fail: &sim.Failure{Status: 502, Body: "<html><body>Bad Gateway</body></html>"}}, sim.Fails(418, "short"), sim.RateLimited(time.Second)}})
	if a := post(t, s, "openai", simple("openai")); a.status != 502 || a.body != "<html><body>Bad Gateway</body></html>" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %s %s", a.status, a.header.Get("Content-Type"), a.body)
	}
	if a := post(t, s, "openai", simple("openai")); a.status != 418 || dig(t, a.body, "error", "message") != "short" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := post(t, s, "openai", simple("openai")); a.status != 429 || a.header.Get("Retry-After") != "1" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// TestChoiceFaults: the ways to break the tool choice.
func TestChoiceFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, choice string
		fault        sim.Fault
		calls        string
	}{
		{"ignores named", named, sim.Fault{IgnoreChoice: true}, ""},
		{"ignores required", `"tool_choice":"required"`, sim.Fault{IgnoreChoice: true}, ""},
		{"calls under none", `"tool_choice":"none"`, sim.Fault{CallUnderNone: true}, "get_weather"},
		{"wrong tool", named, sim.Fault{WrongTool: "list_berths"}, "list_berths"},
		{"tool that isn't there", named, sim.Fault{WrongTool: "rm"}, "rm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{Turns: []sim.Turn{sim.Breaks(c.fault)}})
			got := whole(t, ok(t, s, "openai", simple("openai", chatTools, c.choice)))
			if c.calls == "" && (len(got.calls) > 0 || got.text == "" || got.finish != "stop") {
				t.Errorf("%+v", got)
			}
			if c.calls != "" && (len(got.calls) != 1 || !strings.Contains(got.calls[0], c.calls+" {") || got.finish != "tool_calls") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestDeltaFaults(t *testing.T) {
	t.Parallel()
	stream := func(f sim.Fault) []event {
		s := sim.New(sim.Options{Turns: []sim.Turn{twoCalls.With(f)}})
		return events(t, ok(t, s, "openai", simple("openai", chatTools, `"stream":true`)), "\n")
	}
	index := func(e event) any {
		if e.data == "[DONE]" || dig(t, e.data, "choices", 0, "delta", "tool_calls") == nil {
			return nil
		}
		return dig(t, e.data, "choices", 0, "delta", "tool_calls", 0, "index")
	}
	changes := 0
	evs := stream(sim.Fault{Interleave: true})
	for i := 1; i < len(evs); i++ {
		if index(evs[i]) != nil && index(evs[i-1]) != nil && index(evs[i]) != index(evs[i-1]) {
			changes++
		}
	}
	if changes < 6 {
		t.Errorf("%d changes between calls: not interleaved", changes)
	}
	for _, e := range stream(sim.Fault{NoIndex: true}) {
		if index(e) != nil {
			t.Errorf("an index: %s", e.data)
		}
	}
	if n := len(stream(sim.Fault{WholeCalls: true})); n != 1+3+1+1 {
		t.Errorf("%d events for whole calls", n)
	}
}
