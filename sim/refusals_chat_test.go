package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// history is a conversation with one call and its result; members go into the
// assistant's message.
func history(callID, resultID, members string) string {
	return `"messages":[{"role":"user","content":"Weather in Ghent?"},` +
		with(`{"role":"assistant","content":"","tool_calls":[{"id":"`+callID+`","type":"function","function":{"name":"get_weather","arguments":"{}"}}]}`, members) +
		`,{"role":"tool","tool_call_id":"` + resultID + `","content":"21 degrees"}]`
}

func jsonSchema(schema string, strict bool) string {
	return fmt.Sprintf(`"response_format":{"type":"json_schema","json_schema":{"name":"place","strict":%v,"schema":%s}}`,
		strict, schema)
}

func strictTool(schema string) string {
	return `"tools":[{"type":"function","function":{"name":"get_weather","strict":true,"parameters":` + schema + `}}]`
}

type refusal struct {
	name, provider, body string
	status               int
	typ, code, param     string
}

func openaiRefusals() []refusal {
	const bad = "invalid_request_error"
	m4, m54, m56 := model("gpt-4o"), model("gpt-5.4"), model("gpt-5.6")
	return []refusal{
		{"no model", "openai", body(user), 400, bad, "missing_required_parameter", "model"},
		{"unknown model", "openai", body(model("gpt-99"), user), 404, bad, "model_not_found", "model"},
		{"unknown member", "openai", body(m4, user, `"thinking":{"type":"enabled"}`), 400, bad, "unknown_parameter", "thinking"},
		{"unknown message member", "openai", body(m4, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"c"},{"role":"user","content":"d"}]`), 400, bad, "unknown_parameter", "messages[1].reasoning_content"},
		{"no messages", "openai", body(m4, `"messages":[]`), 400, bad, "empty_array", "messages"},
		{"unknown role", "openai", body(m4, `"messages":[{"role":"robot","content":"a"}]`), 400, bad, "invalid_value", "messages[0].role"},
		{"null content", "openai", body(m4, `"messages":[{"role":"user","content":null}]`), 400, bad, "invalid_type", "messages[0].content"},
		{"wrong type", "openai", body(m4, `"messages":7`), 400, bad, "invalid_type", "messages"},
		{"broken JSON", "openai", `{"model":`, 400, bad, "", ""},

		{"empty tools", "openai", body(m4, user, `"tools":[]`), 400, bad, "empty_array", "tools"},
		{"choice without tools", "openai", body(m4, user, `"tool_choice":"none"`), 400, bad, "", "tool_choice"},
		{"parallel without tools", "openai", body(m4, user, `"parallel_tool_calls":false`), 400, bad, "", "parallel_tool_calls"},
		{"unknown tool in the choice", "openai", body(m4, user, chatTools, `"tool_choice":{"type":"function","function":{"name":"nope"}}`), 400, bad, "invalid_value", "tool_choice"},
		{"unknown allowed tool", "openai", body(m4, user, chatTools, `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"nope"}}]}}`), 400, bad, "invalid_value", "tool_choice"},
		{"choice any", "openai", body(m4, user, chatTools, `"tool_choice":"any"`), 400, bad, "invalid_value", "tool_choice"},
		{"choice in another dialect", "openai", body(m4, user, chatTools, claudeNamed), 400, bad, "invalid_value", "tool_choice"},
		{"bad tool name", "openai", body(m4, user, `"tools":[{"type":"function","function":{"name":"a.b"}}]`), 400, bad, "invalid_value", "tools[0].function.name"},
		{"tool of no type", "openai", body(m4, user, `"tools":[{"name":"a"}]`), 400, bad, "invalid_value", "tools[0].type"},
		{"parameters no object", "openai", body(m4, user, `"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"string"}}}]`), 400, bad, "invalid_function_parameters", "tools[0].function.parameters"},

		{"strict tool, open object", "openai", body(m4, user, strictTool(openSchema)), 400, bad, "invalid_function_parameters", "tools[0].function.parameters"},
		{"strict tool, optional member", "openai", body(m4, user, strictTool(weatherSchema)), 400, bad, "invalid_function_parameters", "tools[0].function.parameters"},
		{"strict output, open object", "openai", body(m4, user, jsonSchema(openSchema, true)), 400, bad, "invalid_json_schema", "response_format"},
		{"strict output, nested open object", "openai", body(m4, user, jsonSchema(`{"type":"object","properties":{"a":{"type":"object","properties":{}}},"required":["a"],"additionalProperties":false}`, true)), 400, bad, "invalid_json_schema", "response_format"},
		{"strict output, allOf", "openai", body(m4, user, jsonSchema(`{"type":"object","properties":{"a":{"allOf":[{"type":"string"}]}},"required":["a"],"additionalProperties":false}`, true)), 400, bad, "invalid_json_schema", "response_format"},
		{"strict output, union at the root", "openai", body(m4, user, jsonSchema(`{"anyOf":[`+strictSchema+`]}`, true)), 400, bad, "invalid_json_schema", "response_format"},
		{"strict output, look-around", "openai", body(m4, user, jsonSchema(`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}},"required":["a"],"additionalProperties":false}`, true)), 400, bad, "invalid_json_schema", "response_format"},
		{"output schema is none", "openai", body(m4, user, jsonSchema(`{"type":7}`, false)), 400, bad, "invalid_json_schema", "response_format"},
		{"output without name", "openai", body(m4, user, `"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`), 400, bad, "missing_required_parameter", "response_format.json_schema.name"},
		{"unknown format", "openai", body(m4, user, `"response_format":{"type":"xml"}`), 400, bad, "invalid_value", "response_format.type"},
		{"JSON mode without the word", "openai", body(m4, user, `"response_format":{"type":"json_object"}`), 400, bad, "", "messages"},

		{"orphan result", "openai", body(m4, history("call_a", "call_b", "")), 400, bad, "", "messages.[2].role"},
		{"missing result", "openai", body(m4, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"user","content":"b"}]`), 400, bad, "", "messages.[2].role"},
		{"missing result at the end", "openai", body(m4, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"x","arguments":"{}"}}]}]`), 400, bad, "", "messages"},
		{"arguments as object", "openai", body(m4, `"messages":[{"role":"assistant","tool_calls":[{"id":"call_a","type":"function","function":{"name":"x","arguments":{}}}]}]`), 400, bad, "invalid_type", "messages[0].tool_calls[0].function.arguments"},
		{"long call id", "openai", body(m4, history(strings.Repeat("x", 41), strings.Repeat("x", 41), "")), 400, bad, "string_above_max_length", "messages[1].tool_calls[0].id"},
		{"image in a result", "openai", body(m4, `"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":[{"type":"image_url","image_url":{"url":"u"}}]}]`), 400, bad, "invalid_value", "messages[1].content"},

		{"5.4 tools with effort", "openai", body(m54, user, chatTools, `"reasoning_effort":"low"`), 400, bad, "", "reasoning_effort"},
		{"5.6 tools without effort", "openai", body(m56, user, chatTools), 400, bad, "", "reasoning_effort"},
		{"6.1-sol takes no none", "openai", body(model("gpt-6.1-sol"), user, `"reasoning_effort":"none"`), 400, bad, "unsupported_value", "reasoning_effort"},
		{"6-astra never with tools", "openai", body(model("gpt-6-astra"), user, chatTools), 400, bad, "", "reasoning_effort"},
		{"max is for Responses", "openai", body(m56, user, `"reasoning_effort":"max"`), 400, bad, "unsupported_value", "reasoning_effort"},
		{"effort on 4o", "openai", body(m4, user, `"reasoning_effort":"low"`), 400, bad, "unsupported_parameter", "reasoning_effort"},
		{"temperature while reasoning", "openai", body(model("gpt-5"), user, `"temperature":0.2`), 400, bad, "unsupported_value", "temperature"},
		{"top_p while reasoning", "openai", body(m56, user, `"top_p":0.9`), 400, bad, "unsupported_value", "top_p"},
		{"temperature too high", "openai", body(m4, user, `"temperature":3`), 400, bad, "decimal_above_max_value", "temperature"},
		{"max_tokens on a reasoning model", "openai", body(m54, user, `"max_tokens":10`), 400, bad, "unsupported_parameter", "max_tokens"},
		{"stop on o3", "openai", body(model("o3"), user, `"stop":"x"`), 400, bad, "unsupported_parameter", "stop"},
		{"stop on gpt-5", "openai", body(model("gpt-5"), user, `"stop":"x"`), 400, bad, "unsupported_parameter", "stop"},
		{"parallel_tool_calls on o3", "openai", body(model("o3"), user, chatTools, `"parallel_tool_calls":false`), 400, bad, "unsupported_parameter", "parallel_tool_calls"},
		{"tools on gpt-5-chat", "openai", body(model("gpt-5-chat-latest"), user, chatTools), 400, bad, "unsupported_value", "tools"},
		{"five stops", "openai", body(m4, user, `"stop":["a","b","c","d","e"]`), 400, bad, "array_above_max_length", "stop"},
		{"stream options unstreamed", "openai", body(m4, user, `"stream_options":{"include_usage":true}`), 400, bad, "", "stream_options"},
		{"max_completion_tokens 0", "openai", body(m4, user, `"max_completion_tokens":0`), 400, bad, "integer_below_min_value", "max_completion_tokens"},
	}
}

func otherRefusals() []refusal {
	const bad = "invalid_request_error"
	ds, oss := model("deepseek-v4-pro"), model("openai/gpt-oss-20b")
	llama, mistral, sonar := model("llama-3.3-70b-versatile"), model("mistral-small-latest"), model("sonar")
	return []refusal{
		{"named while thinking", "deepseek", body(ds, user, chatTools, named), 400, bad, bad, ""},
		{"required while thinking", "deepseek", body(ds, user, chatTools, `"tool_choice":"required"`), 400, bad, bad, ""},
		{"any without thinking", "deepseek", body(ds, user, chatTools, `"tool_choice":"any","thinking":{"type":"disabled"}`), 400, bad, bad, ""},
		{"JSON schema", "deepseek", body(ds, user, jsonSchema(openSchema, false)), 400, bad, bad, ""},
		{"JSON mode without the word", "deepseek", body(ds, user, `"response_format":{"type":"json_object"}`), 400, bad, bad, ""},
		{"call without reasoning_content", "deepseek", body(ds, history("call_a", "call_a", ""), chatTools), 400, bad, bad, ""},
		{"null reasoning_content", "deepseek", body(ds, history("call_a", "call_a", `"reasoning_content":null`), chatTools), 400, bad, bad, ""},
		{"image", "deepseek", body(ds, `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]`), 400, bad, bad, ""},
		{"retired model", "deepseek", body(model("deepseek-reasoner"), user), 400, bad, bad, ""},
		{"thinking type", "deepseek", body(ds, user, `"thinking":{"type":"hard"}`), 400, bad, bad, ""},

		{"JSON beside tools", "groq", body(oss, user, chatTools, jsonSchema(openSchema, false)), 400, bad, "", ""},
		{"null function_call", "groq", body(llama, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","function_call":null},{"role":"user","content":"c"}]`), 400, bad, "", ""},
		{"n", "groq", body(llama, user, `"n":2`), 400, bad, "", "n"},
		{"schema on llama", "groq", body(llama, user, jsonSchema(openSchema, false)), 400, bad, "", "response_format"},
		{"parts on llama", "groq", body(llama, `"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]`), 400, bad, "", ""},
		{"tools on compound", "groq", body(model("groq/compound"), user, chatTools), 400, bad, "", ""},
		{"effort on llama", "groq", body(llama, user, `"reasoning_effort":"low"`), 400, bad, "", "reasoning_effort"},
		{"schema on qwen", "groq", body(model("qwen/qwen3-32b"), user, jsonSchema(openSchema, false)), 400, bad, "", "response_format"},
		{"schema on compound", "groq", body(model("groq/compound"), user, jsonSchema(openSchema, false)), 400, bad, "", ""},
		{"effort on gpt-oss", "groq", body(oss, user, `"reasoning_effort":"none"`), 400, bad, "", "reasoning_effort"},
		{"both reasoning switches", "groq", body(oss, user, `"reasoning_format":"parsed","include_reasoning":true`), 400, bad, "", "reasoning_format"},
		{"raw with tools", "groq", body(oss, user, chatTools, `"reasoning_format":"raw"`), 400, bad, "", "reasoning_format"},
		{"any", "groq", body(llama, user, chatTools, `"tool_choice":"any"`), 400, bad, "invalid_value", "tool_choice"},

		{"forced beside JSON", "mistral", body(mistral, user, chatTools, `"tool_choice":"any"`, jsonSchema(openSchema, false)), 400, bad, "3051", ""},
		{"effort on large", "mistral", body(model("mistral-large-latest"), user, `"reasoning_effort":"high"`), 400, bad, "3051", ""},
		{"foreign call id", "mistral", body(mistral, history("call_abcdef", "call_abcdef", ""), chatTools), 400, "invalid_function_call", "3280", ""},
		{"assistant last", "mistral", body(mistral, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`), 400, "invalid_request_message_order", "3230", ""},
		{"choice without tools", "mistral", body(mistral, user, `"tool_choice":"auto"`), 400, bad, "1400", "tool_choice"},

		{"unknown tool in the choice", "elsewhere", body(model("m"), user, chatTools, `"tool_choice":{"type":"function","function":{"name":"nope"}}`), 400, bad, "invalid_value", "tool_choice"},
		{"orphan result", "elsewhere", body(model("m"), history("a", "b", "")), 400, bad, "", "messages.[2].role"},
		{"assistant without a word", "elsewhere", body(model("m"), `"messages":[{"role":"assistant","content":null}]`), 400, bad, "invalid_type", "messages[0].content"},

		{"tools", "perplexity", body(sonar, user, chatTools), 400, bad, "400", ""},
		{"tool choice", "perplexity", body(sonar, user, `"tool_choice":"none"`), 400, bad, "400", ""},
		{"JSON mode", "perplexity", body(sonar, user, `"response_format":{"type":"json_object"}`), 400, bad, "400", ""},
		{"model", "perplexity", body(model("gpt-4o"), user), 400, "invalid_model", "400", ""},
		{"effort", "perplexity", body(sonar, user, `"reasoning_effort":"max"`), 400, bad, "400", ""},
	}
}

func TestChatRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range append(openaiRefusals(), otherRefusals()...) {
		t.Run(c.provider+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, sim.New(sim.Options{}), c.provider, c.body)
			if a.status != c.status {
				t.Fatalf("status %d, want %d: %s", a.status, c.status, a.body)
			}
			path := []any{"error"}
			if c.provider == "mistral" {
				path = nil
			}
			got := func(name string) string {
				v := dig(t, a.body, append(append([]any{}, path...), name)...)
				if v == nil {
					return ""
				}
				return fmt.Sprint(v)
			}
			if got("type") != c.typ || got("code") != c.code || got("param") != c.param {
				t.Errorf("got type %q, code %q, param %q; want %q, %q, %q: %s",
					got("type"), got("code"), got("param"), c.typ, c.code, c.param, a.body)
			}
			if got("message") == "" {
				t.Errorf("no message: %s", a.body)
			}
			if lenient := post(t, sim.New(sim.Options{Lenient: true}), c.provider, c.body); lenient.status != 200 && c.code != "invalid_type" && c.name != "broken JSON" {
				t.Errorf("lenient: status %d: %s", lenient.status, lenient.body)
			}
		})
	}
}

// TestMistralForbidsUnknownMembers: the third shape of Mistral's errors.
func TestMistralForbidsUnknownMembers(t *testing.T) {
	t.Parallel()
	m := model("mistral-small-latest")
	for _, c := range []struct{ name, body, kind, where string }{
		{"max_completion_tokens", body(m, user, `"max_completion_tokens":9`), "extra_forbidden", "[body max_completion_tokens]"},
		{"stream_options", body(m, user, `"stream":true,"stream_options":{"include_usage":true}`), "extra_forbidden", "[body stream_options]"},
		{"seed", body(m, user, `"seed":1`), "extra_forbidden", "[body seed]"},
		{"message member", body(m, `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"c"},{"role":"user","content":"d"}]`), "extra_forbidden", "[body messages 1 assistant reasoning_content]"},
		{"role", body(m, `"messages":[{"role":"developer","content":"a"}]`), "union_tag_invalid", "[body messages 0]"},
		{"effort", body(m, user, `"reasoning_effort":"low"`), "enum", "[body reasoning_effort]"},
		{"temperature", body(m, user, `"temperature":1.7`), "less_than_equal", "[body temperature]"},
		{"broken JSON", `{`, "json_invalid", "[body]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, sim.New(sim.Options{}), "mistral", c.body)
			if a.status != 422 {
				t.Fatalf("status %d: %s", a.status, a.body)
			}
			if kind, where := dig(t, a.body, "detail", 0, "type"), fmt.Sprint(dig(t, a.body, "detail", 0, "loc")); kind != c.kind || where != c.where {
				t.Errorf("got %v at %s, want %s at %s", kind, where, c.kind, c.where)
			}
		})
	}
}

// TestChatAccepts is the other side: what the rules must let through.
func TestChatAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, provider, body string }{
		{"5.4 tools, no effort", "openai", body(model("gpt-5.4"), user, chatTools)},
		{"5.6 tools, effort none", "openai", body(model("gpt-5.6"), user, chatTools, `"reasoning_effort":"none"`)},
		{"o3 forced", "openai", body(model("o3"), user, chatTools, named)},
		{"strict tool", "openai", body(model("gpt-4o"), user, strictTool(strictSchema), `"parallel_tool_calls":false`)},
		{"recursive strict output", "openai", body(model("gpt-4o"), user, jsonSchema(`{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["next"],"additionalProperties":false}`, true))},
		{"JSON mode with the word", "openai", body(model("gpt-4o"), `"messages":[{"role":"system","content":"Answer in JSON."},{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}`)},
		{"temperature with effort none", "openai", body(model("gpt-5.4"), user, `"temperature":0,"reasoning_effort":"none"`)},
		{"default temperature while reasoning", "openai", body(model("gpt-5"), user, `"temperature":1`)},
		{"forced without thinking", "deepseek", body(model("deepseek-v4-pro"), user, chatTools, named, `"thinking":{"type":"disabled"}`)},
		{"none while thinking", "deepseek", body(model("deepseek-v4-pro"), user, chatTools, `"tool_choice":"none"`)},
		{"empty reasoning_content", "deepseek", body(model("deepseek-v4-pro"), history("call_a", "call_a", `"reasoning_content":""`), chatTools)},
		{"any", "mistral", body(model("mistral-small-latest"), user, chatTools, `"tool_choice":"any"`)},
		{"required", "mistral", body(model("mistral-small-latest"), user, chatTools, `"tool_choice":"required"`)},
		{"named", "mistral", body(model("mistral-small-latest"), user, chatTools, named)},
		{"its own ids", "mistral", body(model("mistral-small-latest"), history("aB3dE6gH9", "aB3dE6gH9", ""), chatTools)},
		{"JSON schema", "perplexity", body(model("sonar"), user, jsonSchema(openSchema, false))},
		{"schema on gpt-oss", "groq", body(model("openai/gpt-oss-20b"), user, jsonSchema(openSchema, false))},
		{"unknown members", "elsewhere", body(model("m"), user, `"anything":{"goes":true}`)},
	} {
		t.Run(c.provider+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			ok(t, sim.New(sim.Options{}), c.provider, c.body)
		})
	}
}
