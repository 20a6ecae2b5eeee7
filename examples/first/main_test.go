package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/toolchoice"
)

func TestFirst(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("get_weather", place{"Ghent"}), enginetest.Says("Yes, take one."))
	var out bytes.Buffer
	if err := first(t.Context(), &out, fake); err != nil || out.String() != "Yes, take one.\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
	asked := fake.Requests()
	if asked[0].ToolChoice != toolchoice.Tool("get_weather") || !asked[1].ToolChoice.IsZero() {
		t.Errorf("asked with %s, then %s", asked[0].ToolChoice, asked[1].ToolChoice)
	}
}

// TestOnSimulator: as it runs without a key.
func TestOnSimulator(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := demo.Simulate(&out, "anthropic", "claude-sonnet-4-5", first); err != nil || out.String() != "get_weather says: 4 °C and rain in Ghent\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}
