package sim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// objection is a request that a provider refuses, and a word of the refusal.
type objection struct {
	name, body string
	status     int
	word       string
}

func responsesObjections() []objection {
	p := "openai-responses"
	input := func(items string) string { return `"input":[` + items + `]` }
	ask := `{"role":"user","content":"Hi"}`
	call := `{"type":"function_call","call_id":"call_a","name":"x","arguments":"{}"}`
	out := `{"type":"function_call_output","call_id":"call_a","output":"1"}`
	thought := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAABxyz"}`
	m := model("gpt-4.1")
	return []objection{
		{"unknown member", simple(p, `"stop":["a"]`), 400, "unknown_parameter"},
		{"unknown model", body(model("llama"), prompt(p)), 400, "model_not_found"},
		{"no input", body(m), 400, "missing_required_parameter"},
		{"role", body(m, input(`{"role":"tool","content":"a"}`)), 400, "invalid_value"},
		{"part of the other side", body(m, input(`{"role":"user","content":[{"type":"output_text","text":"a"}]}`)), 400, "invalid_value"},
		{"phase of a user", body(m, input(`{"role":"user","content":"a","phase":"commentary"}`)), 400, "phase"},
		{"item member", body(m, input(`{"role":"user","content":"a","name":"b"}`)), 400, "unknown_parameter"},
		{"item without kind", body(m, input(`{"content":"a"}`)), 400, "invalid_value"},
		{"arguments as object", body(m, input(ask+`,{"type":"function_call","call_id":"a","name":"x","arguments":{}}`)), 400, "invalid_type"},
		{"id of the call", body(m, input(ask+`,{"type":"function_call","id":"call_a","call_id":"call_a","name":"x","arguments":"{}"},`+out)), 400, "begins with 'fc'"},
		{"missing output", body(m, input(ask+","+call)), 400, "No tool output found"},
		{"orphan output", body(m, input(ask+","+out)), 400, "No tool call found"},
		{"two outputs", body(m, input(ask+","+call+","+out+","+out)), 400, "Duplicate"},
		{"thought at the end", body(m, input(ask+","+thought)), 400, "required following item"},
		{"thought before the user", body(m, input(thought+","+ask)), 400, "required following item"},
		{"thought that is stored nowhere", body(m, input(`{"type":"reasoning","id":"rs_1","summary":[]},`+call+","+out)), 404, "not persisted"},
		{"foreign thought", body(m, input(`{"type":"reasoning","summary":[],"encrypted_content":"EqQBCg"},`+call+","+out)), 400, "invalid_encrypted_content"},
		{"strict by default", body(m, prompt(p), `"tools":[{"type":"function","name":"a","parameters":`+openSchema+`}]`), 400, "invalid_function_parameters"},
		{"no parameters", body(m, prompt(p), `"tools":[{"type":"function","name":"a","strict":false}]`), 400, "missing_required_parameter"},
		{"nested function", body(m, prompt(p), chatTools), 400, "missing_required_parameter"},
		{"kind of tool", body(m, prompt(p), `"tools":[{"type":"magic"}]`), 400, "invalid_value"},
		{"unknown tool in the choice", simple(p, offers(p), `"tool_choice":{"type":"function","name":"nope"}`), 400, "not found in 'tools'"},
		{"nested choice", simple(p, offers(p), named), 400, "tool_choice"},
		{"required without tools", simple(p, `"tool_choice":"required"`), 400, "tool_choice"},
		{"format without name", simple(p, `"text":{"format":{"type":"json_schema","schema":{}}}`), 400, "text.format.name"},
		{"format not strict", simple(p, `"text":{"format":{"type":"json_schema","name":"x","strict":true,"schema":`+openSchema+`}}`), 400, "invalid_json_schema"},
		{"JSON without the word", simple(p, `"text":{"format":{"type":"json_object"}}`), 400, "json"},
		{"effort on 4.1", simple(p, `"reasoning":{"effort":"low"}`), 400, "unsupported_parameter"},
		{"max on gpt-5", body(model("gpt-5"), prompt(p), `"reasoning":{"effort":"max"}`), 400, "unsupported_value"},
		{"temperature while reasoning", body(model("gpt-5"), prompt(p), `"temperature":1`), 400, "unsupported_parameter"},
		{"small limit", simple(p, `"max_output_tokens":15`), 400, "integer_below_min_value"},
		{"earlier response", simple(p, `"previous_response_id":"resp_1"`), 404, "previous_response_not_found"},
		{"both states", simple(p, `"previous_response_id":"resp_1","conversation":"conv_1"`), 400, "mutually_exclusive"},
	}
}

func geminiObjections() []objection {
	p := "gemini"
	contents := func(list string) string { return `"contents":[` + list + `]` }
	ask := `{"role":"user","parts":[{"text":"Hi"}]}`
	call := `{"role":"model","parts":[{"functionCall":{"name":"x","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}`
	res := `{"role":"user","parts":[{"functionResponse":{"name":"x","response":{"output":"1"}}}]}`
	config := func(s string) string { return `"generationConfig":` + s }
	old := model("gemini-2.5-flash")
	return []objection{
		{"unknown member", simple(p, `"tool_choice":"auto"`), 400, "Cannot find field"},
		{"labels are Vertex's", simple(p, `"labels":{"a":"b"}`), 400, "labels"},
		{"unknown model", body(model("gpt-5"), prompt(p)), 404, "NOT_FOUND"},
		{"no contents", body(), 400, "contents is not specified"},
		{"role", body(contents(`{"role":"assistant","parts":[{"text":"a"}]}`)), 400, "valid role"},
		{"no parts", body(contents(`{"role":"user","parts":[]}`)), 400, "must not be empty"},
		{"empty part", body(contents(`{"role":"user","parts":[{}]}`)), 400, "oneof field"},
		{"two in one part", body(contents(`{"role":"user","parts":[{"text":"a","inlineData":{"mimeType":"a/b","data":""}}]}`)), 400, "oneof field"},
		{"missing results", body(contents(ask + "," + call + "," + ask)), 400, "equal to the number"},
		{"result without call", body(contents(ask + "," + res)), 400, "immediately after a function call"},
		{"result of another tool", body(contents(ask + "," + call + "," + strings.Replace(res, `"x"`, `"y"`, 1))), 400, "matches no function call"},
		{"results in two contents", body(contents(ask + "," + strings.Replace(call, `[{`, `[{"functionCall":{"name":"x"},"thoughtSignature":"skip_thought_signature_validator"},{`, 1) + "," + res + "," + res)), 400, "equal to the number"},
		{"call without a turn before", body(contents(call + "," + res)), 400, "function call turn"},
		{"no signature", body(contents(ask + "," + strings.Replace(call, `,"thoughtSignature":"skip_thought_signature_validator"`, "", 1) + "," + res)), 400, "missing a thought_signature"},
		{"signature that is none", body(contents(ask + "," + strings.Replace(call, "skip_thought_signature_validator", "%%", 1) + "," + res)), 400, "not valid"},
		{"response as text", body(contents(ask + "," + call + "," + strings.Replace(res, `{"output":"1"}`, `"1"`, 1))), 400, "Struct"},
		{"function name", body(prompt(p), `"tools":[{"functionDeclarations":[{"name":"a b"}]}]`), 400, "Invalid function name"},
		{"function twice", body(prompt(p), `"tools":[{"functionDeclarations":[{"name":"a"},{"name":"a"}]}]`), 400, "Duplicate"},
		{"both schemas", body(prompt(p), `"tools":[{"functionDeclarations":[{"name":"a","parameters":{"type":"OBJECT"},"parametersJsonSchema":{"type":"object"}}]}]`), 400, "Only one of"},
		{"keyword", body(prompt(p), `"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":{"type":"object","properties":{"b":{"const":1}}}}]}]`), 400, "const"},
		{"beside a reference", body(prompt(p), config(`{"responseMimeType":"application/json","responseJsonSchema":{"$defs":{"a":{"type":"string"}},"type":"object","properties":{"b":{"$ref":"#/$defs/a","description":"c"}}}}`)), 400, "beside $ref"},
		{"unknown function in the choice", simple(p, offers(p), `"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["nope"]}}`), 400, "unknown function nope"},
		{"names under auto", simple(p, offers(p), `"toolConfig":{"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":["get_weather"]}}`), 400, "ANY or VALIDATED"},
		{"mode without functions", simple(p, `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`), 400, "without function_declarations"},
		{"JSON beside functions on 2.5", body(old, prompt(p), offers(p), config(`{"responseMimeType":"application/json"}`)), 400, "unsupported"},
		{"JSON beside a forced function", simple(p, offers(p), config(`{"responseMimeType":"application/json"}`), `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`), 400, "unsupported"},
		{"schema without the type", simple(p, config(`{"responseJsonSchema":{"type":"object"}}`)), 400, "only allowed with"},
		{"level on 2.5", body(old, prompt(p), config(`{"thinkingConfig":{"thinkingLevel":"LOW"}}`)), 400, "thinking_level"},
		{"minimal on 3.8", simple(p, config(`{"thinkingConfig":{"thinkingLevel":"MINIMAL"}}`)), 400, "thinking_level"},
		{"budget out of range", body(model("gemini-2.5-pro"), prompt(p), config(`{"thinkingConfig":{"thinkingBudget":64}}`)), 400, "between 128 and 32768"},
		{"off on Pro", body(model("gemini-2.5-pro"), prompt(p), config(`{"thinkingConfig":{"thinkingBudget":0}}`)), 400, "thinking mode"},
		{"thinking on 2.0", body(model("gemini-2.0-flash"), prompt(p), config(`{"thinkingConfig":{"includeThoughts":true}}`)), 400, "not supported"},
		{"six stops", simple(p, config(`{"stopSequences":["a","b","c","d","e","f"]}`)), 400, "stop sequences"},
	}
}

func ollamaObjections() []objection {
	p := "ollama"
	return []objection{
		{"no model", `{"messages":[]}`, 400, "model is required"},
		{"broken JSON", `{"model":`, 400, "unexpected EOF"},
		{"arguments as text", body(model("qwen3.5"), `"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}]`), 400, "cannot unmarshal"},
		{"content as parts", body(model("qwen3.5"), `"messages":[{"role":"user","content":[{"type":"text"}]}]`), 400, "cannot unmarshal"},
		{"level", body(model("qwen3.5"), user, `"think":"xhigh"`), 400, "invalid think value"},
		{"no thinking", simple(p, `"think":true`), 400, "does not support thinking"},
		{"no tools", body(model("gemma2:2b"), user, chatTools), 400, "does not support tools"},
		{"format", simple(p, `"format":"xml"`), 400, "invalid format"},
		{"schema", simple(p, `"format":{"type":"nonsense"}`), 500, "invalid JSON schema"},
	}
}

func ollamaChatObjections() []objection {
	return []objection{
		{"no messages", body(model("m")), 400, "too short"},
		{"effort", body(model("qwen3.5"), user, `"reasoning_effort":"huge"`), 400, "reasoning value"},
		{"picture by address", body(model("m"), `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/b.png"}}]}]`), 400, "image URLs"},
		{"arguments that are no JSON", body(model("m"), `"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{"}}]}]`), 400, "arguments"},
	}
}

func cohereObjections() []objection {
	p, m := "cohere", model("command-a-03-2025")
	call := `{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]}`
	return []objection{
		{"unknown member", simple(p, `"top_p":0.5`), 422, "unknown field"},
		{"unknown model", body(model("gpt-5"), user), 404, "not found"},
		{"role", body(m, `"messages":[{"role":"developer","content":"a"}]`), 400, "must have a role"},
		{"empty text", body(m, `"messages":[{"role":"user","content":""}]`), 400, "non-empty"},
		{"picture in a result", body(m, `"messages":[`+call+`,{"role":"tool","tool_call_id":"a","content":[{"type":"image_url"}]}]`), 422, "content type"},
		{"orphan result", body(m, `"messages":[{"role":"tool","tool_call_id":"a","content":"b"}]`), 400, "not found in previous"},
		{"missing result", body(m, `"messages":[`+call+`,{"role":"user","content":"b"}]`), 400, "no tool results"},
		{"auto", simple(p, chatTools, `"tool_choice":"auto"`), 400, "REQUIRED, NONE"},
		{"named", simple(p, chatTools, named), 400, "REQUIRED, NONE"},
		{"required without tools", simple(p, `"tool_choice":"REQUIRED"`), 400, "at least one tool"},
		{"strict without required", simple(p, chatTools, `"strict_tools":true`), 400, "required parameter"},
		{"JSON beside tools", simple(p, chatTools, `"response_format":{"type":"json_object"}`), 400, "response_format"},
		{"json_schema", simple(p, `"response_format":{"type":"json_schema"}`), 400, "text, json_object"},
		{"thinking", simple(p, `"thinking":{"type":"enabled"}`), 400, "not supported"},
		{"tools for a vision model", body(model("command-a-vision-07-2025"), user, chatTools), 400, "tools are not supported"},
		{"temperature", simple(p, `"temperature":1.2`), 400, "between 0 and 1"},
		{"p", simple(p, `"p":1`), 400, "0.99"},
	}
}

func bedrockObjections() []objection {
	p := "bedrock"
	mistral, llama := model("mistral.mistral-large-2407-v1:0"), model("us.meta.llama3-3-70b-instruct-v1:0")
	messages := func(list string) string { return `"messages":[` + list + `]` }
	ask := `{"role":"user","content":[{"text":"a"}]}`
	call := `{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"x","input":{}}}]}`
	res := `{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"b"}],"status":"success"}}]}`
	force := func(choice string) string {
		return strings.TrimSuffix(offers(p), "}") + `,"toolChoice":` + choice + "}"
	}
	enabled := `"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1024}}`
	return []objection{
		{"unknown model", body(model("gpt-5"), prompt(p)), 400, "model identifier"},
		{"assistant first", body(messages(call)), 400, "start with a user message"},
		{"two users", body(messages(ask + "," + ask)), 400, "must alternate"},
		{"blank text", body(messages(`{"role":"user","content":[{"text":" "}]}`)), 400, "is blank"},
		{"content as text", body(messages(`{"role":"user","content":"a"}`)), 400, ""},
		{"no definitions", body(messages(ask + "," + call + "," + res)), 400, "toolConfig field must be defined"},
		{"missing result", body(messages(ask+","+call+","+ask), offers(p)), 400, "Expected toolResult"},
		{"orphan result", body(messages(res), offers(p)), 400, "exceeds the number"},
		{"call id", body(messages(ask+","+strings.Replace(call, "t1", "a:b", 1)+","+strings.Replace(res, "t1", "a:b", 1)), offers(p)), 400, "toolUseId"},
		{"Mistral's ids", body(mistral, messages(ask+","+call+","+strings.Replace(res, `,"status":"success"`, "", 1)), offers(p)), 400, "length of 9"},
		{"status on Llama", body(llama, messages(ask+","+call+","+res), offers(p)), 400, "status field"},
		{"any on Llama", body(llama, prompt(p), force(`{"any":{}}`)), 400, "toolChoice.any"},
		{"named on Mistral", body(mistral, prompt(p), force(`{"tool":{"name":"get_weather"}}`)), 400, "toolChoice.tool"},
		{"unknown tool in the choice", body(prompt(p), force(`{"tool":{"name":"nope"}}`)), 400, "not among"},
		{"none", body(prompt(p), force(`{"none":{}}`)), 400, "auto, any, tool"},
		{"forced while thinking", body(prompt(p), force(`{"any":{}}`), enabled), 400, "Thinking may not be enabled"},
		{"forced while thinking by default", body(model("anthropic.claude-opus-5-v1:0"), prompt(p), force(`{"any":{}}`)), 400, "Thinking may not be enabled"},
		{"budget over the limit", body(prompt(p), enabled, `"inferenceConfig":{"maxTokens":1000}`), 400, "max_tokens"},
		{"schema on Opus 4.8", body(model("us.anthropic.claude-opus-4-8-v1:0"), prompt(p), `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{}"}}}}`), 400, "textFormat"},
		{"schema on Llama", body(llama, prompt(p), `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{}"}}}}`), 400, "textFormat"},
		{"schema that is open", body(prompt(p), `"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":`+quotedJSON(openSchema)+`}}}}`), 400, "additionalProperties"},
		{"temperature", body(prompt(p), `"inferenceConfig":{"temperature":1.5}`), 400, "temperature"},
	}
}

func akiObjections() []objection {
	said := func(list string) string { return body(`"key":"k","chat_context":` + quotedJSON(list)) }
	return []objection{
		{"context that is no JSON", said("hello"), 400, "no JSON"},
		{"empty", said("[]"), 400, "empty"},
		{"role", said(`[{"role":"tool","content":"a"}]`), 400, "role"},
		{"roles in a row", said(`[{"role":"user","content":"a"},{"role":"user","content":"b"}]`), 400, "alternate"},
		{"temperature", body(`"key":"k","temperature":9,"chat_context":` + quotedJSON(`[{"role":"user","content":"a"}]`)), 400, "temperature"},
	}
}

// TestNativeRefusals: each provider refuses in its own words and shape.
func TestNativeRefusals(t *testing.T) {
	t.Parallel()
	shape := map[string][]any{
		"openai-responses": {"error", "message"}, "gemini": {"error", "message"}, "ollama": {"error"},
		"ollama-openai": {"error", "message"}, "cohere": {"message"}, "bedrock": {"message"}, "aki": {"error", 0},
	}
	for provider, list := range map[string][]objection{
		"openai-responses": responsesObjections(), "gemini": geminiObjections(), "ollama": ollamaObjections(),
		"ollama-openai": ollamaChatObjections(), "cohere": cohereObjections(), "bedrock": bedrockObjections(), "aki": akiObjections(),
	} {
		for _, c := range list {
			t.Run(provider+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				a := post(t, sim.New(sim.Options{}), provider, c.body)
				if a.status != c.status || !strings.Contains(a.body, c.word) {
					t.Fatalf("status %d, want %d and %q: %s", a.status, c.status, c.word, a.body)
				}
				if str(dig(t, a.body, shape[provider]...)) == "" {
					t.Errorf("no message: %s", a.body)
				}
				if provider == "bedrock" && !strings.Contains(a.header.Get("X-Amzn-Errortype"), "Exception:") {
					t.Errorf("header %v", a.header)
				}
			})
		}
	}
}

// TestReplayedReasoning: encrypted content comes back unaltered, and with the
// item that followed it.
func TestReplayedReasoning(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{})
	first := ok(t, s, "openai-responses", thinking("openai-responses"))
	thought, call := jsonOf(t, dig(t, first, "output", 0)), jsonOf(t, dig(t, first, "output", 1))
	id, seal := str(dig(t, first, "output", 1, "call_id")), str(dig(t, first, "output", 0, "encrypted_content"))
	for _, c := range []struct {
		name, items string
		status      int
	}{
		{"as it was", thought + "," + call, 200},
		{"altered", strings.Replace(thought, seal, seal[:60]+"AAAA"+seal[64:], 1) + "," + call, 400},
		{"before another call", thought + "," + strings.ReplaceAll(call, id, "call_other"), 400},
		{"left out", call, 400},
		{"left out, without its id", strings.Replace(call, `"id":"`+str(dig(t, first, "output", 1, "id"))+`",`, "", 1), 200},
	} {
		out := `{"type":"function_call_output","call_id":"` + id + `","output":"4 degrees"}`
		if strings.Contains(c.items, "call_other") {
			out = strings.Replace(out, id, "call_other", 1)
		}
		a := post(t, s, "openai-responses", body(model("gpt-5.4"), offers("openai-responses"), `"reasoning":{"effort":"high"}`,
			`"input":[{"role":"user","content":"`+weatherWords+`"},`+c.items+","+out+"]"))
		if a.status != c.status {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
	}
}

// TestReplayedSignatures: those of Gemini stand on the very call they were
// made for.
func TestReplayedSignatures(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{})
	first := ok(t, s, "gemini", thinking("gemini"))
	content := jsonOf(t, dig(t, first, "candidates", 0, "content"))
	part := func(name string) string {
		return str(dig(t, first, "candidates", 0, "content", "parts", 1, "functionCall", name))
	}
	sig := str(dig(t, first, "candidates", 0, "content", "parts", 1, "thoughtSignature"))
	for _, c := range []struct {
		name, content, tool string
		status              int
	}{
		{"as it was", content, "get_weather", 200},
		{"altered", strings.Replace(content, sig, sig[:30]+"AAAA"+sig[34:], 1), "get_weather", 400},
		{"on another call", strings.Replace(content, "get_weather", "list_berths", 1), "list_berths", 400},
	} {
		a := post(t, s, "gemini", body(offers("gemini"), `"contents":[{"role":"user","parts":[{"text":"a"}]},`+c.content+
			`,{"role":"user","parts":[{"functionResponse":{"id":"`+part("id")+`","name":"`+c.tool+`","response":{"output":"4"}}}]}]`))
		if a.status != c.status {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
