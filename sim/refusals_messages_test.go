package sim_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// claudeBody is a Messages request with 4096 tokens and further members.
func claudeBody(name string, more ...string) string {
	return body(append([]string{model(name), user, `"max_tokens":4096`}, more...)...)
}

// turns is a conversation on Messages.
func turns(name string, messages ...string) string {
	return body(model(name), `"max_tokens":4096`, `"messages":[`+strings.Join(messages, ",")+`]`)
}

const (
	u1    = `{"role":"user","content":"Weather in Ghent?"}`
	call1 = `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Ghent"}}]}`
)

func results(ids ...string) string {
	blocks := make([]string, len(ids))
	for i, id := range ids {
		blocks[i] = `{"type":"tool_result","tool_use_id":"` + id + `","content":"21"}`
	}
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func thinkingOn(budget int) string {
	return fmt.Sprintf(`"thinking":{"type":"enabled","budget_tokens":%d}`, budget)
}

func outputFormat(schema string) string {
	return `"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}`
}

// manyOptional is a closed schema with 25 optional members.
func manyOptional() string {
	props := make([]string, 25)
	for i := range props {
		props[i] = fmt.Sprintf(`"p%d":{"type":"string"}`, i)
	}
	return `{"type":"object","additionalProperties":false,"properties":{` + strings.Join(props, ",") + `}}`
}

type messagesCase struct {
	name, body string
	words      string // in the message
}

func settingRefusals() []messagesCase {
	const s45, s46, s47, o5, s55, o55 = "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-5", "claude-sonnet-5-5", "claude-opus-5-5"
	adaptive, disabled := `"thinking":{"type":"adaptive"}`, `"thinking":{"type":"disabled"}`
	return []messagesCase{
		{"no max_tokens", body(model(s45), user), "max_tokens: Field required"},
		{"negative max_tokens", body(model(s45), user, `"max_tokens":-1`), "max_tokens"},
		{"max_tokens 0 streamed", body(model(s45), user, `"max_tokens":0,"stream":true`), "max_tokens"},
		{"no messages", body(model(s45), `"max_tokens":9`), "messages: Field required"},
		{"empty messages", body(model(s45), `"max_tokens":9,"messages":[]`), "at least one message"},
		{"unknown member", claudeBody(s45, `"seed":1`), "seed: Extra inputs are not permitted"},
		{"unknown metadata", claudeBody(s45, `"metadata":{"a":"b"}`), "metadata.a: Extra inputs"},
		{"wrong type", claudeBody(s45, `"tools":7`), "tools"},
		{"broken JSON", `{"a"`, "not valid JSON"},
		{"system blocks", claudeBody(s45, `"system":[{"type":"image"}]`), "system.0.type"},
		{"empty system block", claudeBody(s45, `"system":[{"type":"text","text":""}]`), "non-empty"},

		{"budget below 1024", claudeBody(s45, thinkingOn(1023)), "1024"},
		{"budget not below max_tokens", claudeBody(s45, thinkingOn(4096)), "must be greater than"},
		{"no budget", claudeBody(s45, `"thinking":{"type":"enabled"}`), "budget_tokens: Field required"},
		{"unknown thinking member", claudeBody(s46, `"thinking":{"type":"adaptive","budget_tokens":2000}`), "Extra inputs"},
		{"unknown thinking", claudeBody(s46, `"thinking":{"type":"on"}`), "does not match any of the expected tags"},
		{"adaptive on 4.5", claudeBody(s45, adaptive), `"thinking.type.adaptive" is not supported`},
		{"enabled on 4.7", claudeBody(s47, thinkingOn(2000)), `"thinking.type.enabled" is not supported`},
		{"disabled on Opus 5.5", claudeBody(o55, disabled), "thinking.type.disabled"},
		{"disabled on Sonnet 5.5", claudeBody(s55, disabled), "thinking.type.disabled"},
		{"disabled on Fable 5", claudeBody("claude-fable-5", disabled), "thinking.type.disabled"},
		{"between tools on Opus 5", claudeBody(o5, `"thinking":{"type":"between_tools"}`), "thinking.type.between_tools"},
		{"disabled with max effort on Opus 5", claudeBody(o5, disabled, `"output_config":{"effort":"max"}`), `above "high"`},
		{"effort on Sonnet 4.5", claudeBody(s45, `"output_config":{"effort":"low"}`), "effort"},
		{"xhigh effort on Sonnet 4.6", claudeBody(s46, `"output_config":{"effort":"xhigh"}`), "Supported levels: low, medium, high, max."},
		{"both samplings on Sonnet 4.6", claudeBody(s46, `"temperature":0.5,"top_p":0.5`), "cannot both be specified"},
		{"unknown effort", claudeBody(s46, `"output_config":{"effort":"huge"}`), "effort"},
		{"unknown output member", claudeBody(s46, `"output_config":{"form":1}`), "output_config.form"},

		{"temperature beside thinking", claudeBody(s45, thinkingOn(2000), `"temperature":0.5`), "temperature"},
		{"top_k beside thinking", claudeBody(s45, thinkingOn(2000), `"top_k":5`), "top_k"},
		{"top_p beside thinking", claudeBody(s45, thinkingOn(2000), `"top_p":0.5`), "top_p"},
		{"temperature and top_p", claudeBody(s45, `"temperature":0.5,"top_p":0.5`), "cannot both"},
		{"temperature over 1", claudeBody(s45, `"temperature":1.5`), "range"},
		{"temperature on 4.7", claudeBody(s47, `"temperature":1`), "not supported for this model"},
		{"top_p on Sonnet 5", claudeBody("claude-sonnet-5", `"top_p":0.5`), "not supported for this model"},
	}
}

func toolRefusals() []messagesCase {
	const s45, s55 = "claude-sonnet-4-5", "claude-sonnet-5-5"
	anyTool := `"tool_choice":{"type":"any"}`
	tool := func(more string) string {
		return `"tools":[` + with(`{"name":"get_weather","input_schema":{"type":"object"}}`, more) + `]`
	}
	return []messagesCase{
		{"forced while thinking", claudeBody(s45, claudeTools, claudeNamed, thinkingOn(2000)), "Thinking may not be enabled when tool_choice forces"},
		{"any while thinking", claudeBody(s45, claudeTools, anyTool, thinkingOn(2000)), "Thinking may not be enabled when tool_choice forces"},
		{"enabled and forced on 4.6", claudeBody("claude-opus-4-6", claudeTools, anyTool, thinkingOn(2000)), "Thinking may not be enabled"},
		{"never forced", claudeBody(s55, claudeTools, claudeNamed), "not compatible with this model"},
		{"never any", claudeBody("claude-opus-5-5", claudeTools, anyTool), "not compatible with this model"},
		{"never on Mythos", claudeBody("claude-mythos-5-2", claudeTools, anyTool), "not compatible with this model"},
		{"unknown tool in the choice", claudeBody(s45, claudeTools, `"tool_choice":{"type":"tool","name":"nope"}`), "Tool 'nope' not found"},
		{"nameless choice", claudeBody(s45, claudeTools, `"tool_choice":{"type":"tool"}`), "name: Field required"},
		{"choice without tools", claudeBody(s45, `"tool_choice":{"type":"auto"}`), "while providing tools"},
		{"parallel inside none", claudeBody(s45, claudeTools, `"tool_choice":{"type":"none","disable_parallel_tool_use":true}`), "tool_choice.none.disable_parallel_tool_use: Extra inputs"},
		{"OpenAI's choice", claudeBody(s45, claudeTools, named), "does not match any of the expected tags"},
		{"same name twice", claudeBody(s45, `"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}]`), "share one name"},
		{"no schema", claudeBody(s45, `"tools":[{"name":"a"}]`), "input_schema: Field required"},
		{"schema no object", claudeBody(s45, `"tools":[{"name":"a","input_schema":{"type":"array"}}]`), "input_schema"},
		{"tool name", claudeBody(s45, `"tools":[{"name":"a.b","input_schema":{"type":"object"}}]`), "name: String should match"},
		{"unknown tool member", claudeBody(s45, tool(`"parameters":{}`)), "tools.0.custom.parameters: Extra inputs"},
		{"strict tool, open object", claudeBody(s45, tool(`"strict":true`)), "additionalProperties"},

		{"output, open object", claudeBody(s45, outputFormat(openSchema)), "'additionalProperties' must be explicitly set to false"},
		{"output, bounds", claudeBody(s45, outputFormat(weatherSchema)), "'minimum' is not supported"},
		{"output, recursion", claudeBody(s45, outputFormat(`{"type":"object","additionalProperties":false,"properties":{"n":{"$ref":"#"}}}`)), "Recursive"},
		{"output, 25 optional members", claudeBody(s45, outputFormat(manyOptional())), "25 optional"},
		{"output, format", claudeBody(s45, outputFormat(`{"type":"string","format":"color"}`)), "format 'color'"},
		{"output, minItems", claudeBody(s45, outputFormat(`{"type":"array","minItems":2,"items":{"type":"string"}}`)), "minItems"},
		{"output without schema", claudeBody(s45, `"output_config":{"format":{"type":"json_schema"}}`), "schema: Field required"},
		{"output type", claudeBody(s45, `"output_config":{"format":{"type":"json_object"}}`), "json_schema"},
		{"output name", claudeBody(s45, `"output_config":{"format":{"type":"json_schema","name":"x","schema":`+strictSchema+`}}`), "format.name: Extra inputs"},
		{"five cache marks", claudeBody(s45, tool(`"cache_control":{"type":"ephemeral"}`), `"cache_control":{"type":"ephemeral"}`,
			`"system":[`+strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, 2)+`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]`), "Found 5"},
	}
}

func historyRefusals() []messagesCase {
	const s45 = "claude-sonnet-4-5"
	block := func(b string) string { return turns(s45, `{"role":"user","content":[`+b+`]}`) }
	return []messagesCase{
		{"empty text", turns(s45, `{"role":"user","content":""}`), "non-empty content"},
		{"empty text block", block(`{"type":"text","text":""}`), "text content blocks must be non-empty"},
		{"blank text block", block(`{"type":"text","text":" \n"}`), "non-whitespace"},
		{"no content", turns(s45, `{"role":"user"}`), "non-empty content"},
		{"role", turns(s45, `{"role":"tool","content":"x"}`), "messages.0.role"},
		{"unknown block member", block(`{"type":"text","text":"a","name":"b"}`), "messages.0.content.0.text.name: Extra inputs"},
		{"call by the user", block(`{"type":"tool_use","id":"a","name":"b","input":{}}`), "`tool_use` blocks can not be in `user` messages"},
		{"image without source", block(`{"type":"image"}`), "source: Field required"},
		{"block without type", block(`{"text":"a"}`), "type: Field required"},
		{"call id", turns(s45, u1, strings.Replace(call1, "toolu_1", "a:b", 1), results("a:b")), "tool_use.id"},
		{"input as text", turns(s45, u1, strings.Replace(call1, `{"city":"Ghent"}`, `"{}"`, 1), results("toolu_1")), "valid dictionary"},
		{"missing result", turns(s45, u1, call1, `{"role":"user","content":"and?"}`), "without `tool_result` blocks immediately after: toolu_1"},
		{"call at the end", turns(s45, u1, call1), "without `tool_result`"},
		{"orphan result", turns(s45, u1, call1, results("toolu_1", "toolu_2")), "unexpected `tool_use_id`"},
		{"result after a text", turns(s45, u1, call1, `{"role":"user","content":[{"type":"text","text":"here"},{"type":"tool_result","tool_use_id":"toolu_1","content":"1"}]}`), "without `tool_result`"},
		{"result twice", turns(s45, u1, call1, results("toolu_1", "toolu_1")), "single result"},
		{"prefill on 4.6", turns("claude-opus-4-6", u1, `{"role":"assistant","content":"It is"}`), "prefill"},
		{"prefill while thinking", with(turns(s45, u1, `{"role":"assistant","content":"It is"}`), thinkingOn(2000)), "prefill"},
		{"thought without signature", turns(s45, u1, `{"role":"assistant","content":[{"type":"thinking","thinking":"a"}]}`, u1), "signature: Field required"},
		{"junk signature", turns(s45, u1, `{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"abc"}]}`, u1), "Invalid `signature`"},
		{"redacted without data", turns(s45, u1, `{"role":"assistant","content":[{"type":"redacted_thinking"}]}`, u1), "data: Field required"},
		{"open loop without thought", with(turns(s45, u1, call1, results("toolu_1")), thinkingOn(2000)), "must start with a thinking block"},
	}
}

func TestMessagesRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range append(append(settingRefusals(), toolRefusals()...), historyRefusals()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, sim.New(sim.Options{}), "anthropic", c.body)
			if a.status != 400 {
				t.Fatalf("status %d: %s", a.status, a.body)
			}
			if outer, typ := dig(t, a.body, "type"), dig(t, a.body, "error", "type"); outer != "error" || typ != "invalid_request_error" {
				t.Errorf("type %v, %v: %s", outer, typ, a.body)
			}
			if msg := fmt.Sprint(dig(t, a.body, "error", "message")); !strings.Contains(msg, c.words) {
				t.Errorf("message %q lacks %q", msg, c.words)
			}
			if id := dig(t, a.body, "request_id"); id != a.header.Get("Request-Id") || id == "" {
				t.Errorf("request_id %v, header %q", id, a.header.Get("Request-Id"))
			}
		})
	}
}

func TestMessagesVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, version, more string
		status              int
	}{
		{"none", "", "", 400},
		{"unknown", "2024-01-01", "", 400},
		{"old", "2023-06-01", `"temperature":0.5`, 200},
		{"new", "2026-10-21", "", 200},
		{"new has no sampling", "2026-10-21", `"temperature":1`, 400},
		{"new has no citations of the user", "2026-10-21", `"messages":[{"role":"user","content":[{"type":"text","text":"a","citations":[]}]}]`, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{})
			req := request(t, s, "anthropic", with(claudeBody("claude-haiku-4-5"), c.more))
			req.Header.Set("Anthropic-Version", c.version)
			if a := send(t, s, req); a.status != c.status {
				t.Errorf("status %d, want %d: %s", a.status, c.status, a.body)
			}
		})
	}
}

func TestMessagesErrorDetails(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{})
	a := post(t, s, "anthropic", claudeBody("claude-haiku-4-5", `"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}]`))
	if code := dig(t, a.body, "error", "details", "error_code"); code != "tool_name_conflict" {
		t.Errorf("error_code %v", code)
	}
	if a := post(t, s, "anthropic", claudeBody("claude-sonnet-x")); a.status != 404 || dig(t, a.body, "error", "type") != "not_found_error" {
		t.Errorf("unknown model: %d %s", a.status, a.body)
	}
}

// TestMessagesAccepts is the other side: what the rules must let through.
func TestMessagesAccepts(t *testing.T) {
	t.Parallel()
	interleaved := http.Header{"Anthropic-Beta": {"interleaved-thinking-2025-05-14"}}
	for _, c := range []struct {
		name, body string
		header     http.Header
	}{
		{"budget above max_tokens, interleaved", claudeBody("claude-sonnet-4-5", thinkingOn(9000)), interleaved},
		{"enabled on 4.6", claudeBody("claude-opus-4-6", thinkingOn(1024)), nil},
		{"forced, adaptive on 4.6", claudeBody("claude-opus-4-6", claudeTools, claudeNamed, `"thinking":{"type":"adaptive"}`), nil},
		{"forced, thinking off on Opus 5", claudeBody("claude-opus-5", claudeTools, claudeNamed, `"thinking":{"type":"disabled"}`), nil},
		{"forced on Haiku 5.5", claudeBody("claude-haiku-5-5", claudeTools, claudeNamed), nil},
		{"old name", claudeBody("claude-3-5-haiku-20241022", claudeTools, claudeNamed, `"temperature":0.5,"top_p":0.5`), nil},
		{"effort on Opus 4.5", claudeBody("claude-opus-4-5-20251101", `"output_config":{"effort":"low"}`), nil},
		{"between tools on Sonnet 5.5", claudeBody("claude-sonnet-5-5", `"thinking":{"type":"between_tools"}`), nil},
		{"default temperature on Sonnet 5", claudeBody("claude-sonnet-5", `"temperature":1`), nil},
		{"prefill on 4.5", turns("claude-sonnet-4-5", u1, `{"role":"assistant","content":"It is"}`), nil},
		{"results in two user messages", turns("claude-sonnet-4-5", u1, call1, results("toolu_1"), `{"role":"user","content":"and?"}`), nil},
		{"server tool", claudeBody("claude-sonnet-4-5", `"tools":[{"type":"web_search_20250305","name":"web_search"}]`), nil},
		{"closed output", claudeBody("claude-sonnet-5-5", outputFormat(strictSchema)), nil},
		{"model of another provider", claudeBody("glm-5", thinkingOn(1024)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := sim.New(sim.Options{})
			req := request(t, s, "anthropic", c.body)
			maps.Copy(req.Header, c.header)
			if a := send(t, s, req); a.status != 200 {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
}
