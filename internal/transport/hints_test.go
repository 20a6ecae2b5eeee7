package transport_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

var noon = time.Date(2026, 11, 30, 10, 58, 0, 0, time.UTC)

func TestReadRetryAfter(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	tests := []struct {
		name, seconds, millis string
		want                  time.Duration
	}{
		{"nothing", "", "", 0},
		{"seconds", "30", "", 30 * time.Second},
		{"spaces", " 30 ", "", 30 * time.Second},
		{"fraction", "0.25", "", 250 * time.Millisecond},
		{"fraction of a nanosecond is rounded up", "0.0000000001", "", 1},
		{"milliseconds win", "2", "1200", 1200 * time.Millisecond},
		{"milliseconds unreadable", "2", "soon", 2 * time.Second},
		{"fraction of a millisecond", "", "0.5", 500 * time.Microsecond},
		{"date", "Mon, 30 Nov 2026 10:58:03 GMT", "", 3 * time.Second},
		{"date, RFC 850", "Monday, 30-Nov-26 10:58:03 GMT", "", 3 * time.Second},
		{"date, asctime", "Mon Nov 30 10:58:03 2026", "", 3 * time.Second},
		{"date gone by", "Mon, 30 Nov 2026 10:57:59 GMT", "", 0},
		{"date far away", "Mon, 30 Nov 2099 10:58:03 GMT", "", month},
		{"zero", "0", "", 0},
		{"negative", "-5", "", 0},
		{"too large", "99999999999999999999", "", month},
		{"no number", "NaN", "", 0},
		{"infinite", "Inf", "", 0},
		{"words", "in a minute", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			if tt.seconds != "" {
				h.Set("retry-after", tt.seconds)
			}
			if tt.millis != "" {
				h.Set("retry-after-ms", tt.millis)
			}
			if got := transport.ReadHints(h, noon).RetryAfter; got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestReadShouldRetry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*bool{"true": new(true), "False": new(false), "": nil, "maybe": nil} {
		got := transport.ReadHints(http.Header{"X-Should-Retry": {text}}, noon).ShouldRetry
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestReadRequestID(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"x-request-id", "request-id", "x-amzn-requestid", "mistral-correlation-id", "x-kong-request-id"} {
		h := http.Header{}
		h.Set(name, "r-1")
		if got := transport.ReadHints(h, noon).RequestID; got != "r-1" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	both := http.Header{"X-Kong-Request-Id": {"k"}, "Mistral-Correlation-Id": {"m"}}
	if got := transport.ReadHints(both, noon).RequestID; got != "m" {
		t.Errorf("of two ids the gateway's is taken: %q", got)
	}
}

func TestReadRateLimit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header map[string]string
		want   chat.RateLimit
	}{
		{"nothing", nil, chat.RateLimit{}},
		{"Groq", map[string]string{
			"x-ratelimit-limit-requests": "14400", "x-ratelimit-remaining-requests": "14370", "x-ratelimit-reset-requests": "2m59.56s",
			"x-ratelimit-limit-tokens": "18000", "x-ratelimit-remaining-tokens": "17997", "x-ratelimit-reset-tokens": "7.66s",
		}, chat.RateLimit{
			Requests: chat.Window{Limit: 14400, Remaining: 14370, Reset: 2*time.Minute + 59560*time.Millisecond},
			Tokens:   chat.Window{Limit: 18000, Remaining: 17997, Reset: 7660 * time.Millisecond},
		}},
		{"Mistral", map[string]string{
			"x-ratelimit-limit-req-minute": "60", "x-ratelimit-remaining-req-minute": "59",
			"x-ratelimit-limit-tokens-minute": "50000", "x-ratelimit-remaining-tokens-minute": "47196",
			"x-ratelimit-limit-tokens-month": "4000000", "x-ratelimit-remaining-tokens-month": "3950246",
			"x-ratelimit-tokens-query-cost": "2804",
		}, chat.RateLimit{
			Requests: chat.Window{Limit: 60, Remaining: 59},
			Tokens:   chat.Window{Limit: 50000, Remaining: 47196},
		}},
		{"Mistral, per second", map[string]string{
			"x-ratelimit-limit-req-10-second": "5", "x-ratelimit-remaining-req-10-second": "4",
			"x-ratelimit-limit-req-minute": "60", "x-ratelimit-remaining-req-minute": "59",
		}, chat.RateLimit{Requests: chat.Window{Limit: 5, Remaining: 4}}},
		{"Cerebras", map[string]string{
			"x-ratelimit-limit-requests-day": "14400", "x-ratelimit-remaining-requests-day": "14399", "x-ratelimit-reset-requests-day": "33011.382867",
			"x-ratelimit-limit-tokens-minute": "60000", "x-ratelimit-remaining-tokens-minute": "59000", "x-ratelimit-reset-tokens-minute": "11.5",
		}, chat.RateLimit{
			Requests: chat.Window{Limit: 14400, Remaining: 14399, Reset: 33011382867 * time.Microsecond},
			Tokens:   chat.Window{Limit: 60000, Remaining: 59000, Reset: 11500 * time.Millisecond},
		}},
		{"Unix times", map[string]string{
			"x-ratelimit-reset-requests": "1796036285", "x-ratelimit-reset-tokens": "1796036290000",
		}, chat.RateLimit{Requests: chat.Window{Reset: 5 * time.Second}, Tokens: chat.Window{Reset: 10 * time.Second}}},
		{"nonsense", map[string]string{
			"x-ratelimit-limit-requests": "many", "x-ratelimit-remaining-requests": "-1", "x-ratelimit-reset-requests": "-3s",
			"x-ratelimit-limit-tokens-fortnight": "5", "x-ratelimit-": "1", "x-ratelimit-limit": "9", "x-ratelimit-limit-": "9",
			"anthropic-ratelimit-tokens-reset": "soon", "anthropic-ratelimit-": "1", "anthropic-ratelimit-tokens": "1",
		}, chat.RateLimit{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			for k, v := range tt.header {
				h.Set(k, v)
			}
			if got := transport.ReadHints(h, noon).RateLimit; got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestReadHintsOfWholeAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file string
		want transport.Hints
	}{
		{"openai-429.json", transport.Hints{
			RetryAfter: 1200 * time.Millisecond,
			RequestID:  "req_3d41bfb28b65f2f0cba2ea3716816056",
			RateLimit: chat.RateLimit{
				Requests: chat.Window{Limit: 500, Reset: 1200 * time.Millisecond},
				Tokens:   chat.Window{Limit: 200000, Remaining: 187340, Reset: 3798 * time.Millisecond},
			},
		}},
		{"anthropic-429.json", transport.Hints{
			RetryAfter: 17 * time.Second,
			RequestID:  "req_011Cg4aZgcRkijawRRfZth0x",
			RateLimit: chat.RateLimit{
				Requests: chat.Window{Limit: 4000, Remaining: 3998, Reset: 2 * time.Second},
				Tokens:   chat.Window{Limit: 280000, Remaining: 80000, Reset: 19 * time.Second},
			},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", "headers", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]string
			if err := json.Unmarshal(data, &fields); err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for k, v := range fields {
				h.Set(k, v)
			}
			if got := transport.ReadHints(h, noon); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// Whatever a header says, waits are neither negative nor endless.
func FuzzReadHints(f *testing.F) {
	for _, seed := range []string{
		"30", "1200", "1e300", "-1", "6m0s", "2026-11-30T10:58:19Z", "Mon, 30 Nov 2026 10:58:03 GMT",
		"1796036285", "9223372036854775807", "292277026596-01-01T00:00:00Z", "2562047h47m16.854775807s",
	} {
		f.Add(seed, "Requests-Minute")
	}
	f.Fuzz(func(t *testing.T, value, what string) {
		hints := transport.ReadHints(http.Header{
			"Retry-After": {value}, "Retry-After-Ms": {value}, "X-Should-Retry": {value},
			"X-Ratelimit-Reset-" + what: {value}, "X-Ratelimit-Limit-" + what: {value},
			"X-Ratelimit-Remaining-Tokens": {value}, "Anthropic-Ratelimit-Requests-Reset": {value},
		}, noon)
		waits := []time.Duration{hints.RetryAfter, hints.RateLimit.Requests.Reset, hints.RateLimit.Tokens.Reset}
		for _, d := range waits {
			if d < 0 || d > 30*24*time.Hour {
				t.Errorf("%q gives a wait of %v", value, d)
			}
		}
		if l := hints.RateLimit; min(l.Requests.Limit, l.Tokens.Limit, l.Tokens.Remaining) < 0 {
			t.Errorf("%q gives %+v", value, l)
		}
	})
}
