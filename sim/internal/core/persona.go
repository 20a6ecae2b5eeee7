package core

import (
	"net/http"
	"strconv"
	"time"
)

// Persona is what is particular to one provider, whatever the dialect: where it
// is mounted, and how it spells errors and headers.
type Persona struct {
	Prefix   string // between the mount and the endpoint
	IDHeader string // of the request's id; empty: none
	// Limits writes the headers of the rate limits, with that many requests
	// left; nil: none.
	Limits func(h http.Header, left string)
	// Key finds the key in a request; nil: a bearer token.
	Key          func(*Exchange) string
	Open         bool // takes requests without a key
	NoWait       bool // has no header that says how long to wait
	waitInMillis bool // has one in milliseconds, too
	// Failure spells an error: content type and body.
	Failure func(f *Refusal, id string) (string, []byte)
}

func (p *Persona) writeHeaders(h http.Header, id string, status int) {
	if p.IDHeader != "" {
		h.Set(p.IDHeader, id)
	}
	left := "499"
	if status == http.StatusTooManyRequests {
		left = "0"
	}
	if p.Limits != nil {
		p.Limits(h, left)
	}
}

// writeWaitHeaders writes how long to wait. OpenAI has retry-after-ms beside
// retry-after, the others only whole seconds. Source: openai-go v3.98.0 and
// anthropic-sdk-go v2.15.0, internal/requestconfig; read 2026-11-30.
func (p *Persona) writeWaitHeaders(h http.Header, d time.Duration) {
	if d <= 0 || p.NoWait {
		return
	}
	h.Set("Retry-After", strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10))
	if p.waitInMillis {
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
}
