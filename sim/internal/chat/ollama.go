package chat

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// Ollama is the side of Ollama that is compatible with OpenAI. It
// wants no key. Source: the same as of its own API.
var Ollama = &Persona{
	Persona: &core.Persona{Prefix: "/v1", Failure: encodeOllamaFailure, Open: true, NoWait: true},
	lax:     true,
	check:   checkOllamaChat,
	engine:  "ollama-openai",
	thinks:  ollamaThinks,
	style: style{
		thoughts:     alwaysAt(thoughtsReasoning),
		emptyContent: "",
		callID:       core.MakeOllamaCallID,
		indexedCalls: true,
		wholeCalls:   true,
	},
}

// ollamaRules: source: ollama/ollama, openai/openai.go and server/routes.go,
// state of 2026-08-21; recordings with 0.17.4; read 2026-11-30. What a model can
// do is told by its template.
var ollamaRules = []core.Rule{
	{
		Has: "reasoning_effort", Values: strings.Fields("none minimal low medium high xhigh ultra max"),
		Message: `invalid reasoning value: '{value}' (must be "high", "medium", "low", "max", or "none")`,
	},
	{Has: "reasoning_effort thoughtless", Values: []string{"none"}, Message: `"{model}" does not support thinking`},
	{Has: "tools toolless", Message: `"{model}" does not support tools`},
}

// checkOllamaChat: almost everything is taken, and what isn't known ignored:
// the tool choice, parallel_tool_calls, max_completion_tokens, n. Source:
// ollama/ollama, openai/openai.go and docs/api/openai-compatibility.mdx, state
// of 2026-08-21; recordings with 0.17.4; read 2026-11-30.
func checkOllamaChat(r *request) *core.Refusal {
	why := func(status int, message string) *core.Refusal { return &core.Refusal{Status: status, Message: message} }
	for i := range r.Messages {
		if f := checkOllamaMessage(&r.Messages[i]); f != nil {
			return f
		}
	}
	if len(r.Messages) == 0 {
		return why(http.StatusBadRequest, "[] is too short - 'messages'")
	}
	traits := r.listTraits()
	traits.Add("thoughtless", !models.OllamaCanThink(r.Model))
	traits.Add("toolless", !models.OllamaTakesTools(r.Model))
	if f := core.CheckRules(ollamaRules, r.facts, r.Model, traits); f != nil {
		return f
	}
	if f := r.ResponseFormat; f != nil && f.JSONSchema != nil && !schema.HasGrammar(f.JSONSchema.Schema) {
		return why(http.StatusInternalServerError, "invalid JSON schema in format")
	}
	return nil
}

func checkOllamaMessage(m *message) *core.Refusal {
	why := func(message string) *core.Refusal {
		return &core.Refusal{Status: http.StatusBadRequest, Message: message}
	}
	for _, c := range m.ToolCalls {
		if args, ok := jsondoc.Text(c.Function.Arguments); !ok || !jsondoc.IsObject(json.RawMessage(args)) {
			return why("invalid tool call arguments")
		}
	}
	var parts []struct {
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return nil
	}
	for _, p := range parts {
		if strings.HasPrefix(p.Image.URL, "http") {
			return why("image URLs are not currently supported, please use base64 encoded data instead")
		}
	}
	return nil
}

func ollamaThinks(r *request) bool {
	return models.OllamaCanThink(r.Model) && (r.effort() != "none" || strings.HasPrefix(r.Model, "gpt-oss"))
}

func encodeOllamaFailure(f *core.Refusal, id string) (string, []byte) {
	if f.Body != "" || strings.HasPrefix(f.Message, "Invalid URL") || f.Status == http.StatusMethodNotAllowed {
		return core.EncodeOllamaFailure(f, id)
	}
	f.Type, f.Code, f.Param = "api_error", "", ""
	if f.Status == http.StatusBadRequest {
		f.Type = "invalid_request_error"
	}
	if f.Message == "" {
		f.Message = core.OllamaWords(f.Status)
	}
	return core.EncodeDocument(object{"error": core.EncodeOpenAIError(f)})
}
