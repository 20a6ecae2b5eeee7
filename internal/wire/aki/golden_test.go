package aki_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/wire/aki"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

var codec aki.Codec

// TestGolden decodes every reply and error of testdata; see its README for
// where they come from.
func TestGolden(t *testing.T) {
	t.Parallel()
	wiretest.Decode(t, codec, "testdata")
}

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, codec, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, codec, "testdata") }
