package engine_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/sabir-go/sabir/engine/profile"
)

// wireView is what a provider sees in a request, dialect by dialect, in words
// of these tests: what was sent can then be judged by one set of rules.
type wireView struct {
	body  object
	model string
	tools []string
	// choice is the tool choice as it stands on the wire; forced: it forces a
	// call.
	choice any
	forced bool
	// schema is the schema that the answer is held to; jsonMode: the answer is
	// held to be JSON, by a schema or without.
	schema   any
	jsonMode bool
	// thinkType, effort and budget are the words for thinking; nil: none said.
	thinkType, effort, budget any
	// limit bounds the answer's tokens.
	limit, temperature, topP any
	// history: the conversation holds calls or results as such.
	history  bool
	messages list
}

// look reads a request.
func look(d profile.Dialect, u *url.URL, body []byte) (wireView, error) {
	v := wireView{}
	if err := json.Unmarshal(body, &v.body); err != nil {
		return v, fmt.Errorf("%w in %s", err, body)
	}
	v.model, _ = v.body["model"].(string)
	v.choice = v.body["tool_choice"]
	v.messages, _ = v.body["messages"].(list)
	v.limit = firstOf(v.body["max_completion_tokens"], v.body["max_tokens"], v.body["max_output_tokens"])
	v.temperature, v.topP = v.body["temperature"], firstOf(v.body["top_p"], v.body["p"])
	views[d](&v, u)
	v.forced = isForced(v.choice)
	return v, nil
}

var views = map[profile.Dialect]func(*wireView, *url.URL){
	profile.OpenAIChat: func(v *wireView, _ *url.URL) {
		v.named("function", "name")
		v.schema, v.jsonMode = dig(v.body, "response_format", "json_schema", "schema"), v.body["response_format"] != nil
		v.thinkType, v.effort = dig(v.body, "thinking", "type"), v.body["reasoning_effort"]
		v.history = v.mentions("tool_calls", "tool_call_id")
	},
	profile.AnthropicMessages: func(v *wireView, _ *url.URL) {
		v.named("name")
		v.schema, v.jsonMode = dig(v.body, "output_config", "format", "schema"), dig(v.body, "output_config", "format") != nil
		v.thinkType, v.effort = dig(v.body, "thinking", "type"), dig(v.body, "output_config", "effort")
		v.budget = dig(v.body, "thinking", "budget_tokens")
		v.history = v.mentions("tool_use", "tool_result")
	},
	profile.OpenAIResponsesAPI: func(v *wireView, _ *url.URL) {
		v.named("name")
		v.schema, v.jsonMode = dig(v.body, "text", "format", "schema"), dig(v.body, "text", "format") != nil
		v.effort = dig(v.body, "reasoning", "effort")
		v.messages, _ = v.body["input"].(list)
		v.history = v.mentions("function_call", "function_call_output")
	},
	profile.GeminiAPI: func(v *wireView, u *url.URL) {
		v.model, _, _ = strings.Cut(u.Path[strings.LastIndexByte(u.Path, '/')+1:], ":")
		all, _ := v.body["tools"].(list)
		for i := range all {
			v.addNames(dig(all, i, "functionDeclarations"), "name")
		}
		v.choice = dig(v.body, "toolConfig", "functionCallingConfig")
		v.schema = dig(v.body, "generationConfig", "responseJsonSchema")
		v.jsonMode = dig(v.body, "generationConfig", "responseMimeType") == "application/json"
		v.limit = dig(v.body, "generationConfig", "maxOutputTokens")
		v.temperature, v.topP = dig(v.body, "generationConfig", "temperature"), dig(v.body, "generationConfig", "topP")
		v.effort = dig(v.body, "generationConfig", "thinkingConfig", "thinkingLevel")
		v.budget = dig(v.body, "generationConfig", "thinkingConfig", "thinkingBudget")
		v.messages, _ = v.body["contents"].(list)
		v.history = v.mentions("functionCall", "functionResponse")
	},
	profile.OllamaAPI: func(v *wireView, _ *url.URL) {
		v.named("function", "name")
		v.schema, v.jsonMode = v.body["format"], v.body["format"] != nil
		v.thinkType = v.body["think"]
		v.limit = dig(v.body, "options", "num_predict")
		v.temperature, v.topP = dig(v.body, "options", "temperature"), dig(v.body, "options", "top_p")
		v.history = v.mentions("tool_calls", "tool_name")
	},
	profile.AKINative: func(v *wireView, u *url.URL) {
		v.model = u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		v.named("name")
		said, _ := v.body["chat_context"].(string)
		_ = json.Unmarshal([]byte(said), &v.messages) // anything else is no conversation, which the tests will notice
	},
	profile.BedrockConverse: func(v *wireView, u *url.URL) {
		path, _, _ := strings.Cut(u.EscapedPath()[len("/model/"):], "/")
		v.model, _ = url.PathUnescape(path)
		v.addNames(dig(v.body, "toolConfig", "tools"), "toolSpec", "name")
		v.choice = dig(v.body, "toolConfig", "toolChoice")
		if own := dig(v.body, "additionalModelRequestFields", "tool_choice"); v.choice == nil {
			v.choice = own
		}
		v.limit = dig(v.body, "inferenceConfig", "maxTokens")
		v.temperature, v.topP = dig(v.body, "inferenceConfig", "temperature"), dig(v.body, "inferenceConfig", "topP")
		format := dig(v.body, "outputConfig", "textFormat")
		text, _ := dig(format, "structure", "jsonSchema", "schema").(string)
		_ = json.Unmarshal([]byte(text), &v.schema) // anything else is no schema, which the tests will notice
		v.jsonMode = format != nil
		v.thinkType = dig(v.body, "additionalModelRequestFields", "thinking", "type")
		v.budget = dig(v.body, "additionalModelRequestFields", "thinking", "budget_tokens")
		v.effort = dig(v.body, "outputConfig", "effort")
		v.history = v.mentions("toolUse", "toolResult")
	},
	profile.CohereV2: func(v *wireView, _ *url.URL) {
		v.named("function", "name")
		format := v.body["response_format"]
		if v.schema = dig(format, "json_schema"); v.schema == nil {
			v.schema = dig(format, "schema")
		}
		v.jsonMode = format != nil
		v.thinkType, v.budget = dig(v.body, "thinking", "type"), dig(v.body, "thinking", "token_budget")
		v.history = v.mentions("tool_calls", "tool_call_id")
	},
}

// firstOf is the first value that is given.
func firstOf(values ...any) any {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// named notes the tools of a body that lists them at its top.
func (v *wireView) named(path ...any) { v.addNames(v.body["tools"], path...) }

func (v *wireView) addNames(tools any, path ...any) {
	all, _ := tools.(list)
	for i := range all {
		if name, ok := dig(all[i], path...).(string); ok {
			v.tools = append(v.tools, name)
		}
	}
}

// mentions reports whether one of the words is a member or a type in the
// conversation.
func (v *wireView) mentions(words ...string) bool {
	said := asJSON(v.messages)
	for _, w := range words {
		if strings.Contains(said, `"`+w+`"`) {
			return true
		}
	}
	return false
}

// isForced reads a tool choice of any wire.
func isForced(choice any) bool {
	switch c := choice.(type) {
	case string:
		return c == "required" || c == "any" || c == "REQUIRED"
	case map[string]any:
		if c["any"] != nil || c["tool"] != nil || c["mode"] == "ANY" || c["mode"] == "required" { // Bedrock, Gemini, Responses
			return true
		}
		switch c["type"] {
		case "any", "tool", "function":
			return true
		case "allowed_tools":
			inner, _ := c["allowed_tools"].(map[string]any)
			return inner["mode"] == "required"
		}
	}
	return false
}
