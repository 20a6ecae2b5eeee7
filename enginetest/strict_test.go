package enginetest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// rules are the models of each engine, one for each set of rules that the
// simulator knows.
var rules = map[string][]string{
	"aki":        {"llama3_8b_chat"},
	"aki-openai": {"llama3-chat-8b"},
	"anthropic": {
		"claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-sonnet-5", "claude-opus-5",
		"claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-2",
	},
	"bedrock": {
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-opus-4-6-v1", "us.anthropic.claude-sonnet-5-5-v1:0",
		"global.anthropic.claude-opus-5-v1:0", "amazon.nova-pro-v1:0", "mistral.mistral-large-2407-v1:0",
		"mistral.mistral-small-2402-v1:0", "deepseek.v3-v1:0", "us.meta.llama3-3-70b-instruct-v1:0",
	},
	"cohere":   {"command-a-03-2025", "command-a-reasoning-08-2025"},
	"deepseek": {"deepseek-v4-flash", "deepseek-v4-pro"},
	"gemini": {
		"gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-3-flash", "gemini-3.8-flash",
		"gemini-3-pro", "gemini-4-hydrogen",
	},
	"groq":              {"llama-3.3-70b-versatile", "openai/gpt-oss-120b", "qwen/qwen3-32b", "groq/compound"},
	"hermes":            {"hermes-3-llama-3.1-8b"},
	"mistral":           {"mistral-large-latest", "mistral-small-latest"},
	"nousresearch":      {"Hermes-4-70B"},
	"ollama":            {"qwen3.5", "gpt-oss:20b", "qwen3-coder:480b-cloud"},
	"ollama-openai":     {"qwen3.5", "gpt-oss:20b"},
	"openai":            {"gpt-4.1", "gpt-5", "gpt-5.1", "gpt-5.4", "gpt-5.6", "gpt-6-sol", "gpt-6-astra", "o3", "o4-mini"},
	"openai-compatible": {"any-model"},
	"openai-responses":  {"gpt-4.1", "gpt-5", "gpt-5.1", "gpt-5.4", "gpt-5.6", "gpt-6-sol", "gpt-6-astra", "o3"},
	"perplexity":        {"sonar", "sonar-reasoning-pro"},
	"vertex":            {"gemini-3.8-flash"},
}

// variant is one way to change a request.
type variant struct {
	name  string
	apply func(*chat.Request)
}

func choices() []variant {
	set := func(name string, c toolchoice.Choice) variant {
		return variant{"choice " + name, func(r *chat.Request) { r.ToolChoice = c }}
	}
	return []variant{
		{"choice unset", func(*chat.Request) {}},
		set("auto", toolchoice.Auto()),
		set("any", toolchoice.Any()),
		set("none", toolchoice.None()),
		set("named", toolchoice.Tool("get_weather")),
	}
}

func thinkings() []variant {
	set := func(name string, th chat.ThinkingConfig) variant {
		return variant{"thinking " + name, func(r *chat.Request) { r.Thinking = th }}
	}
	return []variant{
		set("default", chat.ThinkingConfig{}),
		set("off", chat.ThinkingConfig{Mode: chat.ThinkingOff}),
		set("on", chat.ThinkingConfig{Mode: chat.ThinkingOn}),
		set("adaptive", chat.ThinkingConfig{Mode: chat.ThinkingAdaptive}),
		set("low", chat.ThinkingConfig{Effort: chat.EffortLow}),
		set("max", chat.ThinkingConfig{Effort: chat.EffortMax}),
		set("budget", chat.ThinkingConfig{Budget: 2000, Show: true}),
	}
}

func outputs() []variant {
	set := func(name, schema string, strict bool) variant {
		return variant{"output " + name, func(r *chat.Request) {
			r.Output = &chat.Output{Name: "report", Schema: json.RawMessage(schema), Strict: strict}
		}}
	}
	return []variant{
		{"text", func(*chat.Request) {}},
		{"any object", func(r *chat.Request) { r.Output = &chat.Output{} }},
		set("closed", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`, true),
		set("loose", `{"type":"object","properties":{"city":{"type":"string","minLength":2},"degrees":{"type":"integer","minimum":-90}},"required":["city"]}`, false),
		set("loose but strict", `{"type":"object","properties":{"city":{"type":"string"},"note":{"type":"string"}},"required":["city"]}`, true),
	}
}

func extras() []variant {
	half, seed, no := 0.5, int64(7), false
	return []variant{
		{"plain", func(*chat.Request) {}},
		{"sampling", func(r *chat.Request) { r.Temperature = &half }},
		{"both samplings", func(r *chat.Request) { r.Temperature, r.TopP = &half, &half }},
		{"stop, seed", func(r *chat.Request) { r.Stop, r.Seed = []string{"###"}, &seed }},
		{"serial, cached", func(r *chat.Request) {
			r.ParallelTools = &no
			r.Cache = chat.PromptCache{System: true, Tools: true}
			r.Metadata = map[string]string{"desk": "4"}
		}},
		{"strict tools", func(r *chat.Request) {
			for i := range r.Tools {
				r.Tools[i].Strict = true
			}
		}},
		{"strict tool with bounds", func(r *chat.Request) {
			r.Tools[1].Strict = true
			r.Tools[1].Schema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","minLength":2},"days":{"type":"integer","minimum":1}},"required":["city","days"],"additionalProperties":false}`)
		}},
		{"no tools", func(r *chat.Request) { r.Tools = nil }},
		{"one tool", func(r *chat.Request) { r.Tools = r.Tools[1:] }},
		{"subset", func(r *chat.Request) { r.AllowedTools = []string{"get_weather"} }},
		{"small", func(r *chat.Request) { r.MaxTokens = 50 }},
	}
}

func harbour() *chat.Request {
	return &chat.Request{
		System: "You answer for a harbour.", Messages: chat.Prompt("What is the weather in Ghent? Answer in JSON if asked to."), MaxTokens: 9000,
		Tools: []chat.ToolDef{
			{Name: "list_berths", Description: "Lists the free berths."},
			{Name: "get_weather", Description: "Tells the weather in a city.", Schema: json.RawMessage(
				`{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string","enum":["c","f"]}},"required":["city"]}`)},
		},
	}
}

// combinations are all choices with all thinking and all outputs, and each
// extra with some of them.
func combinations() [][]variant {
	ths, outs := thinkings(), outputs()
	var all [][]variant
	for i, e := range extras() {
		for _, c := range choices() {
			for j, th := range ths {
				for k, o := range outs {
					if i == 0 || j%2 == 0 && k%2 == 0 {
						all = append(all, []variant{c, th, o, e})
					}
				}
			}
		}
	}
	return all
}

// sampled is about a fifth of the combinations, another fifth for each name.
func sampled(name string) [][]variant {
	var out [][]variant
	for i, vs := range combinations() {
		h := fnv.New32a()
		_, _ = fmt.Fprint(h, name, i)
		if h.Sum32()%5 == 0 {
			out = append(out, vs)
		}
	}
	return out
}

// mistaken are members that profiles are known to send to models that refuse
// them.
var mistaken = map[string][]string{
	"openai gpt-5":       {"stop"},
	"openai gpt-5.1":     {"stop"},
	"openai gpt-5.6":     {"stop"},
	"openai gpt-6-sol":   {"stop"},
	"openai gpt-6-astra": {"stop"},
	"openai o3":          {"parallel_tool_calls"},
	"openai o4-mini":     {"parallel_tool_calls"},
}

func isMistaken(one speaker, err error) bool {
	return slices.ContainsFunc(mistaken[one.String()], func(member string) bool {
		return strings.Contains(err.Error(), "'"+member+"' is not supported with this model")
	})
}

// TestNothingIsRefusedByTheProvider sends many combinations to the strict
// simulator: what an engine doesn't refuse itself, the provider takes.
func TestNothingIsRefusedByTheProvider(t *testing.T) {
	t.Parallel()
	for _, e := range engine.Catalog() {
		models := rules[e.Profile.Name]
		if len(models) == 0 { // a new provider
			models = []string{e.Profile.Example}
		}
		for _, model := range models {
			one := speaker{e.Profile.Name, model}
			t.Run(one.String(), func(t *testing.T) {
				t.Parallel()
				sendAll(t, one)
			})
		}
	}
}

func sendAll(t *testing.T, one speaker) {
	t.Helper()
	eng, sent := one.on(t, sim.New(sim.Options{})), 0
	for i, vs := range sampled(one.String()) {
		req, names := harbour(), make([]string, len(vs))
		for j, v := range vs {
			v.apply(req)
			names[j] = v.name
		}
		if call(t, one, eng, req, strings.Join(names, ", "), i%2 == 1) {
			sent++
		}
	}
	if sent == 0 {
		t.Error("nothing was sent")
	}
}

// call makes one call and reports whether it was sent. A refusal must come
// from the engine, not from the provider.
func call(t *testing.T, one speaker, eng engine.Engine, req *chat.Request, what string, stream bool) bool {
	t.Helper()
	var err error
	if stream {
		for _, e := range eng.Stream(t.Context(), req) {
			err = e
		}
	} else {
		_, err = eng.Chat(t.Context(), req)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, chat.ErrUnsupported), errors.Is(err, chat.ErrInvalid):
		return false
	case isMistaken(one, err):
		return true
	}
	t.Errorf("%s: %v", what, err)
	return true
}
