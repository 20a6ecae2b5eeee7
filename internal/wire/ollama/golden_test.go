package ollama_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/wire/ollama"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

var codec ollama.Codec

// TestGolden decodes every reply, stream and error of testdata; see its README
// for where they come from.
func TestGolden(t *testing.T) {
	t.Parallel()
	wiretest.Decode(t, codec, "testdata")
}
