package conformance

import "encoding/json"

const (
	anyKey    = "any-key"
	toolName  = "get_weather"
	toolWords = "The weather for a city."
	toolJSON  = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`
)

func toolSchema() map[string]any {
	var m map[string]any
	if err := json.Unmarshal([]byte(toolJSON), &m); err != nil {
		return nil // then nothing is offered, and the tests fail
	}
	return m
}
