package coherev2_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// TestGolden decodes every reply, stream and error below testdata; see the
// README there.
func TestGolden(t *testing.T) {
	t.Parallel()
	wiretest.Decode(t, coherev2.Codec{}, "testdata")
}
