package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

// TestThink: thoughts are shown, and go back signed in the second request.
func TestThink(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	eng := engine.NewAnthropic(engine.Config{
		BaseURL: server.BaseURL("anthropic"), APIKey: "any", Model: "claude-sonnet-4-5",
		HTTPClient: &http.Client{Transport: server.RoundTripper()},
	})
	var out bytes.Buffer
	if err := think(t.Context(), &out, eng); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if !strings.HasPrefix(got, "thoughts: The user needs") || !strings.HasSuffix(got, "answer: get_weather says: 4 °C and rain in Ghent\n") {
		t.Errorf("printed %q", got)
	}
	var second struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(server.Requests()[1].Body, &second); err != nil {
		t.Fatal(err)
	}
	var blocks []struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	if err := json.Unmarshal(second.Messages[1].Content, &blocks); err != nil {
		t.Fatal(err)
	}
	if b := blocks[0]; b.Type != "thinking" || b.Thinking == "" || b.Signature == "" {
		t.Errorf("the thought goes back as %+v", b)
	}
}
