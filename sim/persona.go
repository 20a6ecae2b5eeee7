package sim

import (
	"net/http"
	"strconv"
	"time"
)

// persona is what is particular to one provider, whatever the dialect: where it
// is mounted, and how it spells errors and headers.
type persona struct {
	prefix   string // between the mount and the endpoint
	idHeader string // of the request's id; empty: none
	// limits writes the headers of the rate limits, with that many requests
	// left; nil: none.
	limits func(h http.Header, left string)
	// key finds the key in a request; nil: a bearer token.
	key          func(*exchange) string
	open         bool // takes requests without a key
	noWait       bool // has no header that says how long to wait
	waitInMillis bool // has one in milliseconds, too
	// failure spells an error: content type and body.
	failure func(f *refusal, id string) (string, []byte)
}

// headers are those of every answer.
func (p *persona) headers(h http.Header, id string, status int) {
	if p.idHeader != "" {
		h.Set(p.idHeader, id)
	}
	left := "499"
	if status == http.StatusTooManyRequests {
		left = "0"
	}
	if p.limits != nil {
		p.limits(h, left)
	}
}

// waitHeaders writes how long to wait. OpenAI has retry-after-ms beside
// retry-after, the others only whole seconds. Source: openai-go v3.98.0 and
// anthropic-sdk-go v2.15.0, internal/requestconfig; read 2026-11-30.
func (p *persona) waitHeaders(h http.Header, d time.Duration) {
	if d <= 0 || p.noWait {
		return
	}
	h.Set("Retry-After", strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10))
	if p.waitInMillis {
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
}
