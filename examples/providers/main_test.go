package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

func TestBoth(t *testing.T) {
	t.Parallel()
	server, err := sim.Start(sim.Options{Turns: []sim.Turn{sim.Says("In Ghent."), sim.Says("In Gent.")}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	config := func(provider, model string) engine.Config {
		return engine.Config{BaseURL: server.BaseURL(provider), APIKey: "any", Model: model}
	}
	var out bytes.Buffer
	if err := both(t.Context(), &out, config("openai", "gpt-4.1"), config("anthropic", "claude-sonnet-4-5")); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "openai: In Ghent.\nanthropic: In Gent.\n" {
		t.Errorf("printed %q", got)
	}
}
