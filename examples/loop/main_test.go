package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func TestLoop(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("get_weather", place{"Ghent"}), enginetest.Says("Rain, 4 °C."))
	var out bytes.Buffer
	if err := loop(t.Context(), &out, fake); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "Rain, 4 °C.\n" {
		t.Errorf("printed %q", got)
	}
}

// TestOnSimulator: as it runs without a key.
func TestOnSimulator(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := demo.Simulate(&out, "anthropic", "claude-sonnet-4-5", loop); err != nil || out.String() != "get_weather says: 4 °C and rain in Ghent\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := loop(t.Context(), &out, enginetest.New(enginetest.Fails(401, ""))); err == nil || out.Len() > 0 {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}
