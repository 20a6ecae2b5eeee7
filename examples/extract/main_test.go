package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

// TestExtract: an answer that doesn't fit is mended.
func TestExtract(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Says("The Gravensteen."), enginetest.Says(`{"name":"Gravensteen","year":1180}`))
	var out bytes.Buffer
	if err := extract(t.Context(), &out, fake); err != nil || out.String() != "Gravensteen 1180\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

// TestOnSimulator: as it runs without a key.
func TestOnSimulator(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := demo.Simulate(&out, "openai", "gpt-4.1", extract); err != nil || out.Len() == 0 {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}
