package gemini_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/wire/gemini"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// TestGolden decodes every reply, stream and error below testdata; see the
// README there.
func TestGolden(t *testing.T) {
	t.Parallel()
	wiretest.Decode(t, gemini.Codec{}, "testdata")
}
