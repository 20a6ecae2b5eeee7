package engine_test

import (
	"net/http"
	"testing"

	"github.com/sabir-go/sabir/engine"
)

// TestBaseURLIsJoined: a base URL of the caller's, with or without a slash at
// its end, gets the dialect's path.
func TestBaseURLIsJoined(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		d := entry.Profile.Dialect
		m := mock(t, entry, engine.Config{BaseURL: "https://gateway.example/team/v1"}, canned(t, d, "text"))
		slash := entry.New(engine.Config{BaseURL: "https://gateway.example/team/v1/", HTTPClient: &http.Client{Transport: m.mock}})
		for _, eng := range []engine.Engine{m, slash} {
			if _, err := call(t, eng, hello(entry)); err != nil {
				t.Fatal(err)
			}
			got := m.last(t)
			if got, want := got.url, addressOf(entry, "https://gateway.example/team/v1", entry.Profile.Example, got.streams(t)); got != want {
				t.Errorf("sent to %s, want %s", got, want)
			}
		}
	})
}

// TestBaseURLs: what a base URL has of the path already is not repeated, and
// its query stays at the end.
func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		engine, base, want string
		stream             bool
	}{
		{"openai", "https://gw.example/v1", "https://gw.example/v1/chat/completions", false},
		{"openai", "https://gw.example/v1/", "https://gw.example/v1/chat/completions", true},
		{"openai", "https://gw.example/v1/chat/completions", "https://gw.example/v1/chat/completions", false},
		{"openai", "https://gw.example/v1?api-version=3", "https://gw.example/v1/chat/completions?api-version=3", false},
		{"openai-responses", "https://gw.example/v1", "https://gw.example/v1/responses", true},
		{"anthropic", "https://gw.example", "https://gw.example/v1/messages", false},
		{"anthropic", "https://gw.example/v1", "https://gw.example/v1/messages", true},
		{"anthropic", "https://gw.example/v1/messages", "https://gw.example/v1/messages", false},
		{"cohere", "https://gw.example/v2", "https://gw.example/v2/chat", false},
		{"ollama", "http://gw.example:11434/api", "http://gw.example:11434/api/chat", false},
		{"gemini", "https://gw.example/v1beta", "https://gw.example/v1beta/models/gemini-3.8-flash:generateContent", false},
		{
			"gemini", "https://gw.example/v1beta?team=blue",
			"https://gw.example/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse&team=blue", true,
		},
		{
			"bedrock", "https://gw.example", "https://gw.example/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream", true,
		},
		{"aki", "https://gw.example/", "https://gw.example/api/call/llama3_8b_chat", true},
	} {
		t.Run(tt.engine+" "+tt.base, func(t *testing.T) {
			t.Parallel()
			entry := entryOf(t, tt.engine)
			var got string
			eng := entry.New(engine.Config{APIKey: testKey, BaseURL: tt.base, HTTPClient: &http.Client{
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					got = r.URL.String()
					return says(entry, answer{text: "In Ghent."})(r)
				}),
			}})
			if _, err := one(t, eng, hello(entry), tt.stream); err != nil || got != tt.want {
				t.Errorf("sent to %s, want %s: %v", got, tt.want, err)
			}
		})
	}
}
