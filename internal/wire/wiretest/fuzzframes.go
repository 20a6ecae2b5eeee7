package wiretest

import (
	"testing"

	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// FuzzFrames is FuzzEvents for framings that a fuzzer can't write, as they have
// checksums: open makes frames of arbitrary bytes.
func FuzzFrames(f *testing.F, c wire.Codec, seeds [][]byte, open func(body []byte) frame.Reader) {
	f.Helper()
	for _, b := range seeds {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		reply, events, err := Collect(c, open(body))
		if err != nil {
			checkTyped(t, err)
			return
		}
		if err := checkConsistent(events, reply); err != nil {
			t.Error(err)
		}
		if _, err := reply.Message().MarshalJSON(); err != nil {
			t.Errorf("reply can't be stored: %v", err)
		}
	})
}
