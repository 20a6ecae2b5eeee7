package transport

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// sharedTransport is the one pool of all clients that bring none. It is a
// package variable because connections are only reused within one pool, and
// programs make engines by the dozen.
var sharedTransport = sync.OnceValue(newTransport)

// newTransport is http.DefaultTransport with a larger pool: that one keeps two
// idle connections per host, so that 64 calls at a time open a new one nearly
// every time.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           0, // no limit
		MaxIdleConnsPerHost:    512,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		ResponseHeaderTimeout:  0, // a model may think for minutes before its headers
		MaxResponseHeaderBytes: 1 << 20,
		// A lost HTTP/2 connection would otherwise hold its calls until the
		// kernel gives up, a quarter of an hour later.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

func roundTripper(hc *http.Client) http.RoundTripper {
	if hc != nil && hc.Transport != nil {
		return hc.Transport
	}
	return sharedTransport()
}
