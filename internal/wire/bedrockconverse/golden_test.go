package bedrockconverse_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// TestGolden decodes every reply, stream and error below testdata; see the
// README there.
func TestGolden(t *testing.T) {
	t.Parallel()
	wiretest.Decode(t, bedrockconverse.Codec{}, "testdata")
}
