package sim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/sim"
)

// TestNativeBehaviour: what each dialect's model does without a script.
func TestNativeBehaviour(t *testing.T) {
	t.Parallel()
	const weather = `get_weather {"city":"Ghent","unit":"celsius"}`
	const spoken = "You said: " + weatherWords
	calling := func(mode string) string { return `"toolConfig":{"functionCallingConfig":` + mode + `}` }
	tools := func(choice string) string {
		return strings.TrimSuffix(offers("bedrock"), "}") + `,"toolChoice":` + choice + "}"
	}
	for _, c := range []struct{ name, provider, body, text, call string }{
		{"auto", "openai-responses", simple("openai-responses", offers("openai-responses")), "", weather},
		{"none", "openai-responses", simple("openai-responses", offers("openai-responses"), `"tool_choice":"none"`), spoken, ""},
		{"named", "openai-responses", simple("openai-responses", offers("openai-responses"), `"tool_choice":{"type":"function","name":"list_berths"}`), "", "list_berths {}"},
		{"subset", "openai-responses", simple("openai-responses", offers("openai-responses"), `"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"list_berths"}]}`), "", "list_berths {}"},
		{"text input", "openai-responses", `{"model":"gpt-4.1","input":"Hello"}`, "You said: Hello", ""},
		{"schema", "openai-responses", simple("openai-responses", `"text":{"format":{"type":"json_schema","name":"x","strict":true,"schema":`+strictSchema+`}}`), `{"city":"Ghent"}`, ""},
		{"auto", "gemini", simple("gemini", offers("gemini")), "", weather},
		{"none", "gemini", simple("gemini", offers("gemini"), calling(`{"mode":"NONE"}`)), spoken, ""},
		{"named", "vertex", simple("vertex", offers("vertex"), calling(`{"mode":"ANY","allowedFunctionNames":["list_berths"]}`)), "", "list_berths {}"},
		{"schema", "gemini", simple("gemini", `"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":`+openSchema+`}`), `{"city":"Ghent"}`, ""},
		{"schema in capitals", "gemini", simple("gemini", `"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"town":{"type":"STRING"}},"required":["town"]}}`), `{"town":"Ghent"}`, ""},
		{"auto", "ollama", simple("ollama", chatTools), "", weather},
		{"a choice is ignored", "ollama", simple("ollama", chatTools, `"tool_choice":"none"`), "", weather},
		{"format beside tools", "ollama", simple("ollama", chatTools, `"format":`+openSchema), `{"city":"Ghent"}`, ""},
		{"format on a hosted model", "ollama", body(model("deepseek-v3-cloud"), user, `"stream":false`, `"format":`+openSchema), spoken, ""},
		{"auto", "cohere", simple("cohere", chatTools), "", weather},
		{"none", "cohere", simple("cohere", chatTools, `"tool_choice":"NONE"`), spoken, ""},
		{"schema", "cohere", simple("cohere", `"response_format":{"type":"json_object","json_schema":`+openSchema+`}`), `{"city":"Ghent"}`, ""},
		{"auto", "bedrock", simple("bedrock", offers("bedrock")), "", weather},
		{"any", "bedrock", simple("bedrock", tools(`{"any":{}}`)), "", weather},
		{"named", "bedrock", simple("bedrock", tools(`{"tool":{"name":"list_berths"}}`)), "", "list_berths {}"},
		{"schema", "bedrock", simple("bedrock", `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"x","schema":`+quotedJSON(strictSchema)+`}}}}`), `{"city":"Ghent"}`, ""},
	} {
		t.Run(c.provider+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			got := heard(t, c.provider, ok(t, sim.New(sim.Options{}), c.provider, c.body))
			if call := strings.Join(got.calls, ", "); got.text != c.text || strings.ReplaceAll(call, "null", "{}") != c.call {
				t.Errorf("text %q, call %q", got.text, call)
			}
		})
	}
}

// quotedJSON is a text as a JSON string.
func quotedJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// signatures is a system text with tools in it, as Hermes models want them.
const signatures = `Call functions. <tools>\n{\"type\":\"function\",\"function\":{\"name\":\"list_berths\",\"parameters\":{}}}\n` +
	`{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}}\n</tools>`

// TestModelsThatCallInWords: tools are read from the system text, calls are
// written into the answer.
func TestModelsThatCallInWords(t *testing.T) {
	t.Parallel()
	const call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\":\"Ghent\"}}\n</tool_call>"
	for _, c := range []struct{ name, user, want string }{
		{"matching", `What's the weather in Ghent?`, call},
		{"nothing matches", `Sing a song, please.`, "You said: Sing a song, please."},
		{"any", `Sing!\n\nYour answer must be a function call now.`, "<tool_call>\n{\"name\": \"list_berths\", \"arguments\": {}}\n</tool_call>"},
		{"named", `Sing in Ghent!\n\nYour answer must be a call of the function get_weather now.`, call},
		{"none", `What's the weather in Ghent? Answer without calling a function.`, "You said: What's the weather in Ghent?"},
		{"result", `<tool_response>\n{\"name\":\"get_weather\",\"content\":\"4 degrees\"}\n</tool_response>\n<tool_response>{\"name\":\"x\",\"error\":\"down\"}</tool_response>`, "get_weather says: 4 degrees; x failed: down"},
	} {
		messages := `[{"role":"system","content":"` + signatures + `"},{"role":"user","content":"` + c.user + `"}]`
		for _, provider := range []string{"hermes", "nousresearch", "aki-openai", "aki"} {
			t.Run(provider+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				req, path := body(model(models[provider]), `"messages":`+messages, chatTools, `"tool_choice":"none"`), []any{"choices", 0, "message", "content"}
				if provider == "aki" {
					req, path = body(`"key":"k","chat_context":`+quotedJSON(messages)), []any{"text"}
				}
				doc := ok(t, sim.New(sim.Options{}), provider, req)
				if got := dig(t, doc, path...); got != c.want {
					t.Errorf("%q", got)
				}
				if provider == "aki" && dig(t, doc, "success") != true || provider != "aki" && dig(t, doc, "choices", 0, "finish_reason") != "stop" {
					t.Errorf("%s", doc)
				}
			})
		}
	}
}

// TestNativeFaults: early ends and errors in the middle, in each framing.
func TestNativeFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, mark, failure string }{
		{"openai-responses", "response.completed", `"code":"rate_limit_exceeded"`},
		{"gemini", `"finishReason"`, `"status":"RESOURCE_EXHAUSTED"`},
		{"ollama", `"done":true`, `{"error":"too many requests, slow down"}`},
		{"cohere", "message-end", `"finish_reason":"ERROR"`},
		{"bedrock", "messageStop", "throttlingException"},
	} {
		t.Run(c.provider, func(t *testing.T) {
			t.Parallel()
			fail := sim.RateLimited(time.Second).With(sim.Fault{FailAfter: 3})
			fail.Text = "a b c d e f"
			s := sim.New(sim.Options{Turns: []sim.Turn{
				sim.Says("a b c"), sim.Says("a b c").With(sim.Fault{NoEndMark: true}), sim.Says("a b c").With(sim.Fault{CutAfter: 2}), fail, fail,
			}})
			req := simple(c.provider, `"stream":true`)
			for i, marked := range []bool{true, false, false} {
				if got := ok(t, s, c.provider, req); strings.Contains(got, c.mark) != marked {
					t.Errorf("stream %d: %s", i, got)
				}
			}
			if got := ok(t, s, c.provider, req); !strings.Contains(got, c.failure) {
				t.Errorf("no error in %s", got)
			}
			unstreamed := simple(c.provider)
			if a := post(t, s, c.provider, unstreamed); a.status != http.StatusTooManyRequests {
				t.Errorf("unstreamed: %d %s", a.status, a.body)
			}
		})
	}
}

// TestGeminiWithoutSSE: one array, if nothing else is asked for.
func TestGeminiWithoutSSE(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{Turns: []sim.Turn{sim.Says("a b c")}})
	req := request(t, s, "gemini", simple("gemini", `"stream":true`))
	req.URL.RawQuery = ""
	if doc := send(t, s, req).body; len(parsed(t, doc).([]any)) != 4 || dig(t, doc, 3, "candidates", 0, "finishReason") != "STOP" {
		t.Errorf("%s", doc)
	}
}

// TestNativeKeys: where each provider wants its key, and what it says without.
func TestNativeKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, header, value string
		status                  int
	}{
		{"openai-responses", "Authorization", "Bearer good", 401},
		{"gemini", "X-Goog-Api-Key", "good", 400},
		{"vertex", "Authorization", "Bearer good", 401},
		{"cohere", "Authorization", "Bearer good", 401},
		{"bedrock", "Authorization", "Bearer good", 403},
		{"bedrock", "Authorization", "AWS4-HMAC-SHA256 Credential=good/20261130/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=00", 403},
	} {
		t.Run(c.provider, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{Keys: []string{"good"}})
			for _, key := range []string{c.value, strings.ReplaceAll(c.value, "good", "bad")} {
				req := request(t, s, c.provider, simple(c.provider))
				req.Header.Set(c.header, key)
				want := c.status
				if key == c.value {
					want = http.StatusOK
				}
				if a := send(t, s, req); a.status != want {
					t.Errorf("%s: %d %s", key, a.status, a.body)
				}
			}
			req := request(t, s, c.provider, simple(c.provider))
			req.Header.Del("Authorization")
			req.Header.Del("X-Goog-Api-Key")
			if a := send(t, s, req); a.status != 401 && a.status != 403 {
				t.Errorf("without a key: %d %s", a.status, a.body)
			}
		})
	}
	open := sim.New(sim.Options{})
	req := request(t, open, "ollama", simple("ollama"))
	req.Header.Del("Authorization")
	if a := send(t, open, req); a.status != http.StatusOK {
		t.Errorf("ollama wants a key: %d %s", a.status, a.body)
	}
	if a := post(t, sim.New(sim.Options{Keys: []string{"other"}}), "aki", simple("aki")); a.status != 401 || dig(t, a.body, "success") != false {
		t.Errorf("aki: %d %s", a.status, a.body)
	}
}

// TestNativeHTTPErrors: wrong paths, wrong methods and scripted failures, each
// in the provider's shape, with the hint to wait where it belongs.
func TestNativeHTTPErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, path, kind, wait string }{
		{"openai-responses", "/openai-responses/v1/nope", "application/json", "header"},
		{"gemini", "/gemini/v1beta/nope", "application/json", `"retryDelay":"2s"`},
		{"ollama", "/ollama/api/nope", "text/plain", ""},
		{"cohere", "/cohere/v2/nope", "application/json", "header"},
		{"bedrock", "/bedrock/nope", "application/json", ""},
		{"aki", "/aki/nope", "application/json", "header"},
	} {
		t.Run(c.provider, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{Turns: []sim.Turn{sim.RateLimited(2 * time.Second), sim.Fails(503, "Busy."), {Fail: &sim.Failure{Status: 502, Body: "<html>"}}}})
			req := request(t, s, c.provider, simple(c.provider))
			req.URL.Path = c.path
			if a := send(t, s, req); a.status != 404 || a.header.Get("Content-Type") != c.kind {
				t.Errorf("wrong path: %d %v", a.status, a.header)
			}
			req = request(t, s, c.provider, simple(c.provider))
			req.Method = http.MethodGet
			if a := send(t, s, req); a.status != 405 {
				t.Errorf("wrong method: %d %s", a.status, a.body)
			}
			limited := post(t, s, c.provider, simple(c.provider))
			inHeader := limited.header.Get("Retry-After") == "2"
			if limited.status != 429 || inHeader != (c.wait == "header") || !inHeader && !strings.Contains(limited.body, c.wait) {
				t.Errorf("%d %v %s", limited.status, limited.header, limited.body)
			}
			if a := post(t, s, c.provider, simple(c.provider)); a.status != 503 || !strings.Contains(a.body, "Busy.") {
				t.Errorf("%d %s", a.status, a.body)
			}
			if a := post(t, s, c.provider, simple(c.provider)); a.status != 502 || a.body != "<html>" {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}
