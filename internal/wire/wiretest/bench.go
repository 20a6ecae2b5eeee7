package wiretest

import (
	"testing"

	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// Feed puts the frames of a stream through a codec.
func Feed(tb testing.TB, c wire.Codec, frames []frame.Frame) {
	tb.Helper()
	a := wire.NewAssembly(wire.Limits{})
	for _, f := range frames {
		if _, err := wire.ReadEvent(c, a, f); err != nil {
			tb.Fatal(err)
		}
	}
	a.Reply()
}

// BenchFeed measures Feed.
func BenchFeed(b *testing.B, c wire.Codec, frames []frame.Frame) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		Feed(b, c, frames)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(frames)), "ns/delta")
}

// BenchEncode measures EncodeRequest.
func BenchEncode(b *testing.B, c wire.Codec, call wire.Call) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		e, err := c.EncodeRequest(call)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(e.Body)))
	}
}

// BenchReply measures DecodeReply.
func BenchReply(b *testing.B, c wire.Codec, body []byte) {
	b.Helper()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Reply(c, body); err != nil {
			b.Fatal(err)
		}
	}
}
