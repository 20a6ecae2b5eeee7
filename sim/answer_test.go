package sim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// TestDefaultBehaviour: what the simulator says without a script.
func TestDefaultBehaviour(t *testing.T) {
	t.Parallel()
	const weather = `get_weather {"city":"Ghent","unit":"celsius"}`
	off := `"messages":[{"role":"user","content":"Sing a song, please."}]`
	union := `{"anyOf":[{"type":"object","properties":{"name":{"const":"list_berths"},"arguments":{"type":"object","additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false},` +
		`{"type":"object","properties":{"name":{"enum":["get_weather"]},"arguments":` + weatherSchema + `},"required":["name","arguments"],"additionalProperties":false}]}`
	for _, c := range []struct{ name, provider, body, text, call string }{
		{"matching tool", "openai", simple("openai", chatTools), "", weather},
		{"auto", "openai", simple("openai", chatTools, `"tool_choice":"auto"`), "", weather},
		{"nothing matches", "openai", body(model("gpt-4o"), off, chatTools), "You said: Sing a song, please.", ""},
		{"required, nothing matches", "openai", body(model("gpt-4o"), off, chatTools, `"tool_choice":"required"`), "", "list_berths {}"},
		{"named", "openai", simple("openai", chatTools, `"tool_choice":{"type":"function","function":{"name":"list_berths"}}`), "", "list_berths {}"},
		{"none", "openai", simple("openai", chatTools, `"tool_choice":"none"`), "You said: " + weatherWords, ""},
		{"no tools", "openai", simple("openai"), "You said: " + weatherWords, ""},
		{"allowed", "openai", simple("openai", chatTools, `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"list_berths"}}]}}`), "", "list_berths {}"},
		{"no arguments on groq", "groq", simple("groq", chatTools, `"tool_choice":{"type":"function","function":{"name":"list_berths"}}`), "", "list_berths null"},
		{"output schema", "perplexity", simple("perplexity", jsonSchema(strictSchema, true)), `{"city":"Ghent"}`, ""},
		{"union of tools", "perplexity", simple("perplexity", jsonSchema(union, true)), `{"name":"get_weather","arguments":{"city":"Ghent","unit":"celsius"}}`, ""},
		{"JSON mode", "elsewhere", simple("elsewhere", `"response_format":{"type":"json_object"}`), `{"answer":"Ghent"}`, ""},
		{"JSON mode with a schema in the prompt", "elsewhere", body(model("m"), `"messages":[{"role":"system","content":"Write {JSON} like {\"a\":1}, by this schema: {\"type\":\"object\",\"properties\":{\"town\":{\"type\":\"string\"}},\"required\":[\"town\"]}. No fences."},{"role":"user","content":"Weather in Ghent?"}]`, `"response_format":{"type":"json_object"}`), `{"town":"Ghent"}`, ""},
		{"tool before schema", "openai", simple("openai", chatTools, jsonSchema(strictSchema, true)), "", weather},
		{"schema under none", "openai", simple("openai", chatTools, `"tool_choice":"none"`, jsonSchema(strictSchema, true)), `{"city":"Ghent"}`, ""},
		{"result", "openai", body(model("gpt-4o"), history("call_a", "call_a", ""), chatTools), "get_weather says: 21 degrees", ""},
		{"forced again", "openai", body(model("gpt-4o"), history("call_a", "call_a", ""), chatTools, named), "", weather},
		{"limit", "openai", simple("openai", `"max_completion_tokens":2`), "You said", ""},
		{"stop", "openai", simple("openai", `"stop":["weather"]`), "You said: What's the ", ""},
		{"thoughts in tags", "perplexity", body(model("sonar-reasoning-pro"), user), "<think>\nNo tool is needed. I answer right away.\n</think>\n\nYou said: " + weatherWords, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := whole(t, ok(t, sim.New(sim.Options{}), c.provider, c.body))
			call := ""
			if len(got.calls) > 0 {
				_, call, _ = strings.Cut(got.calls[0], " ")
			}
			if got.text != c.text || call != c.call || len(got.calls) > 1 {
				t.Errorf("text %q, call %q", got.text, call)
			}
		})
	}
}

// TestThoughts: where each provider puts them, and when there are any.
func TestThoughts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, provider, body string
		thinks               bool
	}{
		{"deepseek by default", "deepseek", simple("deepseek"), true},
		{"deepseek switched off", "deepseek", simple("deepseek", `"thinking":{"type":"disabled"}`), false},
		{"mistral high", "mistral", simple("mistral", `"reasoning_effort":"high"`), true},
		{"mistral", "mistral", simple("mistral"), false},
		{"gpt-oss on groq", "groq", body(model("openai/gpt-oss-120b"), user), true},
		{"hidden on groq", "groq", body(model("openai/gpt-oss-120b"), user, `"reasoning_format":"hidden"`), false},
		{"llama on groq", "groq", simple("groq"), false},
		{"never readable on openai", "openai", body(model("gpt-5"), user), false},
		{"effort elsewhere", "elsewhere", simple("elsewhere", `"reasoning_effort":"high"`), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := whole(t, ok(t, sim.New(sim.Options{}), c.provider, c.body)); (got.thought != "") != c.thinks {
				t.Errorf("thought %q", got.thought)
			}
		})
	}
	doc := ok(t, sim.New(sim.Options{}), "openai", body(model("gpt-5"), user))
	if n, _ := dig(t, doc, "usage", "completion_tokens_details", "reasoning_tokens").(float64); n <= 0 {
		t.Errorf("hidden thoughts aren't counted: %v", n)
	}
}

// content is the content of a Messages reply, as JSON.
func content(t *testing.T, doc string) string {
	t.Helper()
	b, err := json.Marshal(dig(t, doc, "content"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestClaudeThinks: which requests get a thought, and whether it can be read.
func TestClaudeThinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body  string
		thinks, see bool
	}{
		{"4.5 by default", claudeBody("claude-sonnet-4-5"), false, false},
		{"4.5 enabled", claudeBody("claude-sonnet-4-5", thinkingOn(1024)), true, true},
		{"4.7 adaptive", claudeBody("claude-opus-4-7", `"thinking":{"type":"adaptive"}`), true, false},
		{"5.5 by default", claudeBody("claude-opus-5-5"), true, false},
		{"5.5 shown", claudeBody("claude-opus-5-5", `"thinking":{"type":"adaptive","display":"summarized"}`), true, true},
		{"Haiku 5.5 switched off", claudeBody("claude-haiku-5-5", `"thinking":{"type":"disabled"}`), false, false},
		{"Haiku 5.5 forced", claudeBody("claude-haiku-5-5", claudeTools, claudeNamed), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc := ok(t, sim.New(sim.Options{}), "anthropic", c.body)
			first, _ := dig(t, doc, "content", 0).(map[string]any)
			if thinks := first["type"] == "thinking"; thinks != c.thinks || str(first["thinking"]) != "" != c.see || thinks && first["signature"] == "" {
				t.Errorf("%v", first)
			}
		})
	}
}

// TestToolLoopOnClaude goes through a whole loop and then alters what must come
// back unaltered.
func TestToolLoopOnClaude(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, model, thinking string }{
		{"shown", "claude-sonnet-4-6", thinkingOn(1024)},
		{"omitted", "claude-opus-4-7", `"thinking":{"type":"adaptive"}`},
		{"bound to the prefix", "claude-opus-5-5", `"thinking":{"type":"adaptive","display":"summarized"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{})
			asked := strings.Replace(u1, "Weather", "What's the weather", 1)
			first := ok(t, s, "anthropic", with(turns(c.model, asked), claudeTools+","+c.thinking))
			said := content(t, first)
			id := str(dig(t, first, "content", 1, "id"))
			next := func(said, tools, thinking string) answer {
				return post(t, s, "anthropic",
					with(turns(c.model, asked, `{"role":"assistant","content":`+said+`}`, results(id)), tools+","+thinking))
			}
			if a := next(said, claudeTools, c.thinking); a.status != 200 || !strings.Contains(a.body, "get_weather says: 21") {
				t.Fatalf("%d %s", a.status, a.body)
			}
			sig := str(dig(t, first, "content", 0, "signature"))
			thought := str(dig(t, first, "content", 0, "thinking"))
			altered := map[string]string{
				"signature": strings.Replace(said, sig, sig[:40]+"AAAA"+sig[44:], 1),
				"thought":   strings.Replace(said, `"thinking":"`+thought, `"thinking":"Not `+thought, 1),
				"cut":       strings.Replace(said, sig, sig[:len(sig)-8], 1),
			}
			for what, said := range altered {
				if a := next(said, claudeTools, c.thinking); a.status != 400 || !strings.Contains(a.body, "signature") {
					t.Errorf("altered %s: %d %s", what, a.status, a.body)
				}
			}
			fewer := strings.Replace(claudeTools, "Free berths", "Berths", 1)
			if a := next(said, fewer, c.thinking); (a.status == 400) != strings.Contains(c.name, "bound") {
				t.Errorf("other tools: %d %s", a.status, a.body)
			}
			marked := strings.Replace(claudeTools, `"name":"get_weather"`,
				`"cache_control":{"type":"ephemeral"},"name":"get_weather"`, 1)
			if a := next(said, marked, c.thinking); a.status != 200 {
				t.Errorf("a cache mark: %d %s", a.status, a.body)
			}
		})
	}
}

// TestClaudeDetails: what a Messages reply has beside its content.
func TestClaudeDetails(t *testing.T) {
	t.Parallel()
	doc := ok(t, sim.New(sim.Options{}), "anthropic", claudeBody("claude-haiku-4-5", `"stop_sequences":["weather"]`))
	if dig(t, doc, "stop_reason") != "stop_sequence" || dig(t, doc, "stop_sequence") != "weather" {
		t.Errorf("stop: %s", doc)
	}
	warm := ok(t, sim.New(sim.Options{ScriptOnly: true}), "anthropic",
		body(model("claude-haiku-4-5"), user, `"max_tokens":0`))
	if content(t, warm) != "[]" || dig(t, warm, "stop_reason") != "max_tokens" {
		t.Errorf("warming the cache: %s", warm)
	}
	usage := sim.Turn{Text: "x", Usage: sim.Usage{Input: 100, Cached: 60, CacheWrite: 10, Output: 50}}
	doc = ok(t, sim.New(sim.Options{Turns: []sim.Turn{usage}}), "anthropic", claudeBody("claude-haiku-4-5"))
	if dig(t, doc, "usage", "input_tokens") != 30.0 || dig(t, doc, "usage", "cache_read_input_tokens") != 60.0 {
		t.Errorf("usage: %s", doc)
	}
	failed := turns("claude-haiku-4-5", u1, call1, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"no such city"}]}]}`)
	if text := dig(t, ok(t, sim.New(sim.Options{}), "anthropic", failed), "content", 0, "text"); text != "get_weather failed: no such city" {
		t.Errorf("failed tool: %v", text)
	}
}

// TestScript: turns come in order, then the default behaviour takes over.
func TestScript(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{Turns: []sim.Turn{
		sim.Says("first"), sim.Calls("get_weather", map[string]any{"city": "<Ghent>"}), sim.Calls("f", make(chan int)), {Text: "no", Finish: "refusal"},
	}})
	if got := whole(t, ok(t, s, "openai", simple("openai"))); got.text != "first" {
		t.Errorf("%+v", got)
	}
	if got := whole(t, ok(t, s, "openai", simple("openai"))); len(got.calls) != 1 || !strings.HasSuffix(got.calls[0], ` get_weather {"city":"<Ghent>"}`) {
		t.Errorf("%+v", got)
	}
	if a := post(t, s, "openai", simple("openai")); a.status != 500 || !strings.Contains(a.body, "arguments of f") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if doc := ok(t, s, "openai", simple("openai")); dig(t, doc, "choices", 0, "message", "refusal") != "no" || dig(t, doc, "choices", 0, "finish_reason") != "stop" {
		t.Errorf("refusal: %s", doc)
	}
	if got := whole(t, ok(t, s, "openai", simple("openai"))); !strings.HasPrefix(got.text, "You said") {
		t.Errorf("%+v", got)
	}
}

// TestScriptedCallAsDocument: a scripted call reaches a provider without tools
// as the JSON that the schema asks for.
func TestScriptedCallAsDocument(t *testing.T) {
	t.Parallel()
	turn := sim.Calls("place", map[string]string{"city": "Bruges"})
	one := whole(t, ok(t, sim.New(sim.Options{Turns: []sim.Turn{turn}}), "perplexity", simple("perplexity", jsonSchema(strictSchema, true))))
	if one.text != `{"city":"Bruges"}` || one.finish != "stop" {
		t.Errorf("%+v", one)
	}
	union := `{"type":"object","properties":{"name":{"const":"place"},"arguments":` + strictSchema + `},"required":["name","arguments"],"additionalProperties":false}`
	two := whole(t,
		ok(t, sim.New(sim.Options{Turns: []sim.Turn{turn}}), "perplexity", simple("perplexity", jsonSchema(union, true))))
	if two.text != `{"name":"place","arguments":{"city":"Bruges"}}` {
		t.Errorf("%+v", two)
	}
	wrapped := `{"type":"object","properties":{"call":{"anyOf":[` + union + `]}},"required":["call"],"additionalProperties":false}`
	three := whole(t,
		ok(t, sim.New(sim.Options{Turns: []sim.Turn{turn}}), "perplexity", simple("perplexity", jsonSchema(wrapped, true))))
	if three.text != `{"call":{"name":"place","arguments":{"city":"Bruges"}}}` {
		t.Errorf("%+v", three)
	}
}

// TestRepeatable: two servers give the same bytes for the same requests.
func TestRepeatable(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic", "deepseek"} {
		a, b := sim.New(sim.Options{}), sim.New(sim.Options{})
		for _, req := range []string{simple(provider), simple(provider, `"stream":true`), simple(provider)} {
			if x, y := ok(t, a, provider, req), ok(t, b, provider, req); x != y {
				t.Errorf("%s:\n%s\n%s", provider, x, y)
			}
		}
		x, y := ok(t, a, provider, simple(provider)), ok(t, a, provider, simple(provider))
		if dig(t, x, "id") == dig(t, y, "id") {
			t.Errorf("%s: two replies have the same id", provider)
		}
	}
}
