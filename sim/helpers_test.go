package sim_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// answer is what came back over HTTP.
type answer struct {
	status int
	header http.Header
	body   string
}

// endpoint is a provider's endpoint below the server's base URL, for a body.
func endpoint(provider, body string) string {
	streamed := strings.Contains(body, `"stream":true`) || strings.Contains(body, `"stream": true`)
	pick := func(whole, stream string) string {
		if streamed {
			return stream
		}
		return whole
	}
	switch provider {
	case "anthropic":
		return "/v1/messages"
	case "openai-responses":
		return "/responses"
	case "gemini", "vertex":
		return "/models/" + modelOf(provider, body) + pick(":generateContent", ":streamGenerateContent?alt=sse")
	case "ollama":
		return "/api/chat"
	case "cohere":
		return "/v2/chat"
	case "bedrock":
		return "/model/" + modelOf(provider, body) + pick("/converse", "/converse-stream")
	case "aki":
		return "/api/call/" + modelOf(provider, body)
	}
	return "/chat/completions"
}

// modelOf is the model of a body, for the providers that have it in the path.
func modelOf(provider, body string) string {
	var m struct {
		Model string `json:"model"`
	}
	if json.Unmarshal([]byte(body), &m) != nil || m.Model == "" {
		return models[provider]
	}
	return m.Model
}

// inPath takes out of a body what stands in the path.
func inPath(provider, body string) string {
	var m map[string]json.RawMessage
	if !slices.Contains([]string{"gemini", "vertex", "bedrock", "aki"}, provider) || json.Unmarshal([]byte(body), &m) != nil {
		return body
	}
	delete(m, "model")
	delete(m, "stream")
	b, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return string(b)
}

// request builds a POST as an engine for that provider sends it.
func request(t *testing.T, s *sim.Server, provider, body string) *http.Request {
	t.Helper()
	url := s.BaseURL(provider) + endpoint(provider, body)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(inPath(provider, body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer test-key")
	switch provider {
	case "anthropic":
		req.Header.Set("Anthropic-Version", "2023-06-01")
	case "gemini":
		req.Header.Set("X-Goog-Api-Key", "test-key")
	}
	return req
}

// send sends a request in process and reads the whole answer.
func send(t *testing.T, s *sim.Server, req *http.Request) answer {
	t.Helper()
	res, err := (&http.Client{Transport: s.RoundTripper()}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

func post(t *testing.T, s *sim.Server, provider, body string) answer {
	t.Helper()
	return send(t, s, request(t, s, provider, body))
}

// ok posts and expects status 200.
func ok(t *testing.T, s *sim.Server, provider, body string) string {
	t.Helper()
	a := post(t, s, provider, body)
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return a.body
}

// dig walks into a JSON document; steps are keys and indexes.
func dig(t *testing.T, doc string, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, isMap := v.(map[string]any)
			if !isMap {
				t.Fatalf("no %v in %s", path, doc)
			}
			v = m[step]
		case int:
			l, isList := v.([]any)
			if !isList || step >= len(l) {
				t.Fatalf("no %v in %s", path, doc)
			}
			v = l[step]
		}
	}
	return v
}

// with puts a member into a JSON object.
func with(doc, member string) string {
	if member == "" {
		return doc
	}
	return strings.TrimSuffix(strings.TrimSpace(doc), "}") + "," + member + "}"
}

const (
	weatherSchema = `{"type":"object","properties":{"city":{"type":"string","description":"The city"},` +
		`"unit":{"type":"string","enum":["celsius","fahrenheit"]},"days":{"type":"integer","minimum":1,"maximum":9}},"required":["city","unit"],"additionalProperties":false}`
	strictSchema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`
	openSchema   = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	weatherWords = "What's the weather in Ghent?"
	user         = `"messages":[{"role":"user","content":"What's the weather in Ghent?"}]`
	chatTools    = `"tools":[{"type":"function","function":{"name":"list_berths","description":"Free berths of the harbour."}},` +
		`{"type":"function","function":{"name":"get_weather","description":"The weather for a city.","parameters":` + weatherSchema + `}}]`
	claudeTools = `"tools":[{"name":"list_berths","description":"Free berths of the harbour.","input_schema":{"type":"object"}},` +
		`{"name":"get_weather","description":"The weather for a city.","input_schema":` + weatherSchema + `}]`
	named       = `"tool_choice":{"type":"function","function":{"name":"get_weather"}}`
	claudeNamed = `"tool_choice":{"type":"tool","name":"get_weather"}`
)

func body(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

func model(name string) string { return `"model":"` + name + `"` }

// models are one model per provider that takes tools without further ado.
var models = map[string]string{
	"openai": "gpt-4o-mini", "groq": "llama-3.3-70b-versatile", "mistral": "mistral-small-latest",
	"deepseek": "deepseek-v4-flash", "perplexity": "sonar", "elsewhere": "any-model", "anthropic": "claude-sonnet-4-5",
	"openai-responses": "gpt-4.1", "gemini": "gemini-3.8-flash", "vertex": "gemini-3.8-flash", "ollama": "llama3.2",
	"ollama-openai": "llama3.2", "cohere": "command-a-03-2025", "bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
	"aki": "llama3_8b_chat", "aki-openai": "llama3-chat-8b", "hermes": "hermes-3-llama-3.1-8b", "nousresearch": "Hermes-4-70B",
}

// simple is a plain request for a provider, with further members.
func simple(provider string, more ...string) string {
	list := append([]string{model(models[provider]), prompt(provider)}, more...)
	switch provider {
	case "anthropic":
		list = append(list, `"max_tokens":4096`)
	case "ollama":
		if !slices.Contains(more, `"stream":true`) {
			list = append(list, `"stream":false`)
		}
	}
	return body(list...)
}

// prompt is the user's question in a provider's dialect.
func prompt(provider string) string {
	switch provider {
	case "openai-responses":
		return `"input":[{"role":"user","content":"` + weatherWords + `"}]`
	case "gemini", "vertex":
		return `"contents":[{"role":"user","parts":[{"text":"` + weatherWords + `"}]}]`
	case "bedrock":
		return `"messages":[{"role":"user","content":[{"text":"` + weatherWords + `"}]}]`
	case "aki":
		return `"key":"test-key","chat_context":"[{\"role\":\"user\",\"content\":\"` + weatherWords + `\"}]"`
	}
	return user
}

// offers are two tools in a provider's dialect.
func offers(provider string) string {
	switch provider {
	case "anthropic":
		return claudeTools
	case "openai-responses":
		return `"tools":[{"type":"function","name":"list_berths","description":"Free berths of the harbour.","parameters":{"type":"object","properties":{}},"strict":false},` +
			`{"type":"function","name":"get_weather","description":"The weather for a city.","parameters":` + weatherSchema + `,"strict":false}]`
	case "gemini", "vertex":
		return `"tools":[{"functionDeclarations":[{"name":"list_berths","description":"Free berths of the harbour."},` +
			`{"name":"get_weather","description":"The weather for a city.","parametersJsonSchema":` + weatherSchema + `}]}]`
	case "bedrock":
		return `"toolConfig":{"tools":[{"toolSpec":{"name":"list_berths","description":"Free berths of the harbour.","inputSchema":{"json":{"type":"object"}}}},` +
			`{"toolSpec":{"name":"get_weather","description":"The weather for a city.","inputSchema":{"json":` + weatherSchema + `}}}]}`
	}
	return chatTools
}
