package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// readRateLimit reads both families of headers:
//
//   - X-Ratelimit-{Limit,Remaining,Reset}-{Requests,Tokens}, of OpenAI, Groq and
//     most others, with resets such as "1.2s" or "6m0s"; some add a window
//     (Cerebras: -Tokens-Minute, resets in bare seconds), Mistral says
//     Req-Minute and Tokens-Month and sends no reset;
//   - Anthropic-Ratelimit-{Requests,Tokens}-{Limit,Remaining,Reset}, with
//     resets in RFC 3339.
//
// Of several windows the shortest counts: it is the next one to be hit.
// Source: the providers' pages on rate limits, read 2026-11-30.
func readRateLimit(h http.Header, now time.Time) chat.RateLimit {
	r := limitReader{now: now}
	for name, values := range h {
		if len(values) == 0 {
			continue
		}
		if rest, ok := strings.CutPrefix(name, "X-Ratelimit-"); ok {
			field, what, _ := strings.Cut(rest, "-")
			r.readHeader(field, what, values[0])
		} else if rest, ok := strings.CutPrefix(name, "Anthropic-Ratelimit-"); ok {
			if i := strings.LastIndexByte(rest, '-'); i > 0 {
				r.readHeader(rest[i+1:], rest[:i], values[0])
			}
		}
	}
	return r.limit
}

// limitReader collects the fields of two windows. It remembers how each was
// named, because the order of a header map is random.
type limitReader struct {
	now   time.Time
	limit chat.RateLimit
	rank  [2][3]int
}

// readHeader reads one header: field is Limit, Remaining or Reset, what is
// "Requests", "Tokens", "Tokens-Minute" or the like.
func (r *limitReader) readHeader(field, what, value string) {
	kind, span, _ := strings.Cut(what, "-")
	window, w := &r.limit.Requests, 0
	switch kind {
	case "Requests", "Req":
	case "Tokens":
		window, w = &r.limit.Tokens, 1
	default:
		return
	}
	rank := spanRank(span)
	f := fieldIndex(field)
	if rank == 0 || f < 0 || r.rank[w][f] >= rank {
		return
	}
	r.rank[w][f] = rank
	value = strings.TrimSpace(value)
	switch f {
	case 0:
		window.Limit = readCount(value)
	case 1:
		window.Remaining = readCount(value)
	default:
		window.Reset = readReset(value, r.now)
	}
}

// spanRank orders windows, the one that counts highest; 0: not a window. A
// header without one is the provider's own summary. Mistral's per-second names
// hold a number: Req-10-Second.
func spanRank(span string) int {
	if i := strings.LastIndexByte(span, '-'); i >= 0 {
		span = span[i+1:]
	}
	switch span {
	case "":
		return 6
	case "Second":
		return 5
	case "Minute":
		return 4
	case "Hour":
		return 3
	case "Day":
		return 2
	case "Month":
		return 1
	}
	return 0
}

func fieldIndex(field string) int {
	switch field {
	case "Limit":
		return 0
	case "Remaining":
		return 1
	case "Reset":
		return 2
	}
	return -1
}

func readCount(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// From these on a bare number is no wait in seconds but a Unix time, in
// seconds or milliseconds.
const (
	unixSeconds = 1e9
	unixMillis  = 1e12
)

// readReset reads a duration ("6m0s", "20ms"), bare seconds, a Unix time or an
// RFC 3339 time.
func readReset(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= unixSeconds {
		if n >= unixMillis {
			return clampHint(time.UnixMilli(n).Sub(now))
		}
		return clampHint(time.Unix(n, 0).Sub(now))
	}
	if d, ok := readNumber(text, time.Second); ok {
		return d
	}
	if d, err := time.ParseDuration(text); err == nil {
		return clampHint(d)
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return clampHint(at.Sub(now))
	}
	return 0
}
