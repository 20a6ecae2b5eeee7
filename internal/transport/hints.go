package transport

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// Hints is what an answer's headers say besides its body.
type Hints struct {
	// RetryAfter is how long to wait before another attempt; 0 if not said, or
	// if the time has passed. It comes from retry-after-ms or Retry-After.
	RetryAfter time.Duration
	// ShouldRetry is the provider's own word, which overrides what the status
	// suggests; nil if not said.
	ShouldRetry *bool
	// RequestID is the provider's id for the HTTP request.
	RequestID string
	RateLimit chat.RateLimit
}

// maxHint is the longest wait that is believed: beyond it a number is a
// mistake, or would overflow.
const maxHint = 30 * 24 * time.Hour

// requestIDs are the headers that name a request, in canonical form: OpenAI
// and its kin, Anthropic, Bedrock, Mistral and its gateway. Source: the error
// pages of the API references, read 2026-11-30.
var requestIDs = [...]string{
	"X-Request-Id", "Request-Id", "X-Amzn-Requestid", "Mistral-Correlation-Id", "X-Kong-Request-Id",
}

// ReadHints reads the headers of an answer that came at now. What it doesn't
// understand it takes for unsaid.
func ReadHints(h http.Header, now time.Time) Hints {
	return Hints{
		RetryAfter:  readRetryAfter(h, now),
		ShouldRetry: readShouldRetry(h),
		RequestID:   readRequestID(h),
		RateLimit:   readRateLimit(h, now),
	}
}

// readRetryAfter prefers the milliseconds, which say the same more exactly.
// Source: openai-go internal/requestconfig (retry-after-ms, then Retry-After)
// and RFC 9110 §10.2.3 (seconds or a date), read 2026-11-30.
func readRetryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := readNumber(firstValue(h, "Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	text := firstValue(h, "Retry-After")
	if text == "" {
		return 0
	}
	if d, ok := readNumber(text, time.Second); ok {
		return d
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return clampHint(at.Sub(now))
}

func readNumber(text string, unit time.Duration) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return 0, false
	}
	if n >= float64(maxHint/unit) {
		return maxHint, true
	}
	return time.Duration(math.Ceil(n * float64(unit))), true
}

func clampHint(d time.Duration) time.Duration { return min(max(d, 0), maxHint) }

func readShouldRetry(h http.Header) *bool {
	switch strings.ToLower(firstValue(h, "X-Should-Retry")) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

func readRequestID(h http.Header) string {
	for _, name := range requestIDs {
		if id := firstValue(h, name); id != "" {
			return id
		}
	}
	return ""
}

// firstValue takes a canonical name.
func firstValue(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return strings.TrimSpace(v[0])
	}
	return ""
}
