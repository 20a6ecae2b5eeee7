package sim_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// native are the providers with a dialect of their own, beside Chat
// Completions and Messages.
var native = []string{"openai-responses", "gemini", "vertex", "ollama", "cohere", "bedrock"}

// heard is what a whole reply says, read as its dialect has it.
func heard(t *testing.T, provider, doc string) said {
	t.Helper()
	switch provider {
	case "openai-responses":
		return heardResponse(t, doc)
	case "gemini", "vertex":
		return heardGemini(t, doc)
	case "ollama":
		out := said{
			finish: str(dig(t, doc, "done_reason")), text: str(dig(t, doc, "message", "content")), thought: str(dig(t, doc, "message", "thinking")),
		}
		out.functions(t, dig(t, doc, "message", "tool_calls"))
		return out
	case "cohere":
		out := said{finish: str(dig(t, doc, "finish_reason"))}
		for _, item := range list(dig(t, doc, "message", "content")) {
			out.text, out.thought = out.text+str(item["text"]), out.thought+str(item["thinking"])
		}
		out.functions(t, dig(t, doc, "message", "tool_calls"))
		return out
	}
	return heardBedrock(t, doc)
}

// functions adds calls in the form of a list with functions in it.
func (s *said) functions(t *testing.T, calls any) {
	t.Helper()
	for _, c := range list(calls) {
		f, _ := c["function"].(map[string]any)
		s.call(t, f["name"], f["arguments"])
	}
}

// call adds a call whose arguments are an object, or a text.
func (s *said) call(t *testing.T, name, args any) {
	t.Helper()
	if text, isText := args.(string); isText {
		args = parsed(t, text)
	}
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	s.calls = append(s.calls, fmt.Sprint(name, " ", string(b)))
}

func heardResponse(t *testing.T, doc string) said {
	t.Helper()
	out := said{finish: str(dig(t, doc, "status"))}
	for _, item := range list(dig(t, doc, "output")) {
		switch item["type"] {
		case "reasoning":
			for _, s := range list(item["summary"]) {
				out.thought += str(s["text"])
			}
		case "function_call":
			out.call(t, item["name"], item["arguments"])
		default:
			for _, part := range list(item["content"]) {
				out.text += str(part["text"]) + str(part["refusal"])
			}
		}
	}
	return out
}

func heardGemini(t *testing.T, doc string) said {
	t.Helper()
	out := said{finish: str(dig(t, doc, "candidates", 0, "finishReason"))}
	for _, part := range list(dig(t, doc, "candidates", 0, "content", "parts")) {
		f, isCall := part["functionCall"].(map[string]any)
		switch {
		case isCall:
			out.call(t, f["name"], f["args"])
		case part["thought"] == true:
			out.thought += str(part["text"])
		default:
			out.text += str(part["text"])
		}
	}
	return out
}

func heardBedrock(t *testing.T, doc string) said {
	t.Helper()
	out := said{finish: str(dig(t, doc, "stopReason"))}
	for _, b := range list(dig(t, doc, "output", "message", "content")) {
		if u, isCall := b["toolUse"].(map[string]any); isCall {
			out.call(t, u["name"], u["input"])
		}
		if r, isThought := b["reasoningContent"].(map[string]any); isThought {
			text, _ := r["reasoningText"].(map[string]any)
			out.thought += str(text["text"])
		}
		out.text += str(b["text"])
	}
	return out
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// list is a JSON list of objects; nil for anything else.
func list(v any) []map[string]any {
	l, _ := v.([]any)
	out := make([]map[string]any, 0, len(l))
	for _, e := range l {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// thinking is a request of a provider whose model thinks, readably.
func thinking(provider string) string {
	switch provider {
	case "openai-responses":
		return body(model("gpt-5.4"), prompt(provider), offers(provider), `"reasoning":{"effort":"high","summary":"auto"}`)
	case "gemini", "vertex":
		return simple(provider, offers(provider), `"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`)
	case "ollama":
		return body(model("qwen3.5"), prompt(provider), offers(provider), `"think":true`)
	case "cohere":
		return body(model("command-a-reasoning-08-2025"), prompt(provider), offers(provider))
	}
	return simple(provider, offers(provider), `"inferenceConfig":{"maxTokens":4096}`,
		`"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1024}}`)
}

// TestNativeStreamsAgree: what a stream adds up to is the unstreamed reply.
func TestNativeStreamsAgree(t *testing.T) {
	t.Parallel()
	scripts := map[string]sim.Turn{
		"default": {}, "text": sim.Says("One, two — three."), "thought": sim.Thinks("Hm, a harbour.", sim.Says("C7 is free.")),
		"calls": {Text: "Both.", Calls: []sim.ToolCall{
			{Name: "get_weather", Arguments: []byte(`{"city":"Ghent","unit":"celsius"}`)}, {Name: "list_berths"},
		}},
		"thought and calls": sim.Thinks("Hm.", sim.Calls("get_weather", map[string]string{"city": "Brugge"})),
		"interleaved": {Calls: []sim.ToolCall{
			{Name: "get_weather", Arguments: []byte(`{"city":"Ghent"}`)}, {Name: "get_weather", Arguments: []byte(`{"city":"Brugge"}`)},
		}, Fault: sim.Fault{Interleave: true}},
		"one byte": sim.Says("añ€").With(sim.Fault{OneByteDeltas: true}), "length": {Text: "Cut o", Finish: "length"}, "refusal": {Text: "No.", Finish: "refusal"},
	}
	for _, provider := range native {
		for name, turn := range scripts {
			t.Run(provider+"/"+name, func(t *testing.T) {
				t.Parallel()
				req := thinking(provider)
				opts := sim.Options{Turns: []sim.Turn{turn}}
				unary, stream := req, with(req, `"stream":true`)
				if provider == "ollama" {
					unary = with(req, `"stream":false`)
				}
				whole := ok(t, sim.New(opts), provider, unary)
				want := parsed(t, whole).(map[string]any)
				got := rebuilt(t, provider, ok(t, sim.New(opts), provider, stream))
				for _, volatile := range []string{"created_at"} {
					delete(want, volatile)
					delete(got, volatile)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("stream %v\nunary  %v", got, want)
				}
				if h := heard(t, provider, whole); turn.Text != "" && h.text != turn.Text && provider != "cohere" || turn.Thinking != "" && h.thought != turn.Thinking {
					t.Errorf("heard %+v of %+v", h, turn)
				}
			})
		}
	}
}
