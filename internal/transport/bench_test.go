package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/transport"
)

// BenchmarkCall is one small call without a network: what resty, the retry
// loop and the bounds cost over net/http alone.
func BenchmarkCall(b *testing.B) {
	body, reply := []byte(strings.Repeat("q", 209)), strings.Repeat("a", 692)
	rt := roundTrip(func(*http.Request) (*http.Response, error) {
		resp := answer(200, io.NopCloser(strings.NewReader(reply)))
		resp.ContentLength = int64(len(reply))
		return resp, nil
	})
	header := http.Header{"Authorization": {"Bearer k-123"}, "Content-Type": {"application/json"}}

	b.Run("net-http", func(b *testing.B) {
		client := &http.Client{Transport: rt}
		b.ReportAllocs()
		for b.Loop() {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, testURL, bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			req.Header = header.Clone()
			resp, err := client.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			data := make([]byte, resp.ContentLength)
			if _, err := io.ReadFull(resp.Body, data); err != nil {
				b.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	})
	b.Run("transport", func(b *testing.B) {
		client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
		b.ReportAllocs()
		for b.Loop() {
			var err error
			for attempts := client.Attempts(); attempts.Next(b.Context(), err); {
				var resp *transport.Response
				resp, err = client.Send(b.Context(), transport.Request{URL: testURL, Header: header, Body: body})
				if err == nil {
					_, err = resp.ReadAll()
				}
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRead is what the idle limit adds to each read of a stream.
func BenchmarkRead(b *testing.B) {
	rt := roundTrip(func(*http.Request) (*http.Response, error) {
		return answer(200, io.NopCloser(&countingReader{})), nil
	})
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
	resp, err := client.Send(b.Context(), transport.Request{URL: testURL})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Close() }()
	buf := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := resp.Body.Read(buf); err != nil {
			b.Fatal(err)
		}
	}
}
