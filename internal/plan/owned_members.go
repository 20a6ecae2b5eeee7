package plan

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sabir-go/sabir/engine/profile"
)

// ownedMembers are the members of a dialect's body that the planner or the codec
// writes, each with the field of chat.Request to use instead of Extra.
var ownedMembers = map[profile.Dialect]map[string]string{
	profile.OpenAIChat: {
		"model": "Model", "messages": "Messages", "tools": "Tools", "functions": "Tools",
		"tool_choice": "ToolChoice", "function_call": "ToolChoice", "parallel_tool_calls": "ParallelTools",
		"response_format": "Output", "reasoning_effort": "Thinking", "reasoning": "Thinking",
		"thinking": "Thinking", "enable_thinking": "Thinking", "reasoning_format": "Thinking",
		"prompt_mode": "Thinking", "n": "several calls: one answer is read of each",
		"include_reasoning": "Thinking", "max_tokens": "MaxTokens", "max_completion_tokens": "MaxTokens",
		"temperature": "Temperature", "top_p": "TopP", "stop": "Stop", "seed": "Seed", "random_seed": "Seed",
		"metadata": "Metadata", "prompt_cache_key": "Cache", "stream": "Stream", "stream_options": "Stream",
	},
	profile.AnthropicMessages: {
		"model": "Model", "messages": "Messages", "system": "System", "tools": "Tools",
		"tool_choice": "ToolChoice", "thinking": "Thinking", "output_config": "Output and Thinking",
		"output_format": "Output", "max_tokens": "MaxTokens", "temperature": "Temperature", "top_p": "TopP",
		"stop_sequences": "Stop", "metadata": "Metadata", "cache_control": "Cache", "stream": "Stream",
	},
	profile.OpenAIResponsesAPI: {
		"model": "Model", "instructions": "System", "input": "Messages", "previous_response_id": "Messages",
		"conversation": "Messages", "tools": "Tools", "tool_choice": "ToolChoice", "parallel_tool_calls": "ParallelTools",
		"max_output_tokens": "MaxTokens", "temperature": "Temperature", "top_p": "TopP", "metadata": "Metadata",
		"prompt_cache_key": "Cache", "include": "Thinking", "stream": "Stream",
		"store": "Messages: nothing is stored, the whole conversation is sent", "background": "Chat or Stream",
	},
	profile.GeminiAPI: {
		"contents": "Messages", "systemInstruction": "System", "tools": "Tools",
		"toolConfig": "ToolChoice", "toolConfig.functionCallingConfig": "ToolChoice",
		"generationConfig":                 `one member, such as "generationConfig.topK"`,
		"generationConfig.maxOutputTokens": "MaxTokens", "generationConfig.temperature": "Temperature",
		"generationConfig.candidateCount": "several calls: one answer is read of each",
		"generationConfig.topP":           "TopP", "generationConfig.stopSequences": "Stop", "generationConfig.seed": "Seed",
		"generationConfig.responseMimeType": "Output", "generationConfig.responseSchema": "Output",
		"generationConfig.responseJsonSchema": "Output", "generationConfig.thinkingConfig": "Thinking",
		"labels": "Metadata", "continuationToken": "Messages",
	},
	profile.OllamaAPI: {
		"model": "Model", "messages": "Messages", "tools": "Tools", "tool_choice": "ToolChoice", "format": "Output",
		"think": "Thinking", "stream": "Stream",
	},
	profile.AKINative: {
		"key": "engine.Config.APIKey", "chat_context": "Messages", "temperature": "Temperature", "top_p": "TopP",
		"wait_for_result": "Chat", "text_context": "Messages", "prompt_input": "Messages",
		"client_session_auth_key": "engine.Config.APIKey", "max_gen_tokens": "MaxTokens", "tools": "Tools", "tool_choice": "ToolChoice",
	},
	profile.BedrockConverse: {
		"modelId": "Model", "messages": "Messages", "system": "System", "toolConfig": "Tools and ToolChoice",
		"inferenceConfig": "MaxTokens, Temperature, TopP and Stop", "outputConfig": "Output and Thinking",
		"requestMetadata": "Metadata", "stream": "Stream",
	},
	profile.CohereV2: {
		"model": "Model", "messages": "Messages", "tools": "Tools", "tool_choice": "ToolChoice", "strict_tools": "Tools",
		"response_format": "Output", "thinking": "Thinking", "max_tokens": "MaxTokens", "temperature": "Temperature",
		"p": "TopP", "stop_sequences": "Stop", "seed": "Seed", "stream": "Stream",
	},
}

// fixedMembers are members that the codec writes with one value; the same value
// in Extra is no contradiction.
var fixedMembers = map[profile.Dialect]map[string]string{
	profile.OpenAIResponsesAPI: {"store": "false"},
}

// isFixedMember reports whether a member has that very value in every body.
func isFixedMember(d profile.Dialect, member string, value json.RawMessage) bool {
	fixed, ok := fixedMembers[d][member]
	return ok && fixed == string(bytes.TrimSpace(value))
}

// findOwner is the request field to use for a member that the planner owns, in any
// spelling: Google takes snake_case for camelCase, and servers written in Go read
// member names without regard to case.
func findOwner(d profile.Dialect, member string, value json.RawMessage) (field string, owned bool) {
	if field, owned = ownedMembers[d][member]; owned {
		return field, true
	}
	folded := foldMemberName(member)
	for name, field := range ownedMembers[d] {
		if foldMemberName(name) == folded {
			return field, true
		}
	}
	return "Thinking", folded == foldMemberName("chat_template_kwargs") && switchesThinkingOn(value)
}

// foldMemberName takes off a member's name in what spelling it is.
func foldMemberName(member string) string {
	return strings.ToLower(strings.ReplaceAll(member, "_", ""))
}

// switchesThinkingOn reports whether the arguments of a chat template do, as
// vLLM and SGLang take them.
// Source: docs.vllm.ai, "Reasoning Outputs", read 2026-11-30.
func switchesThinkingOn(kwargs json.RawMessage) bool {
	for _, name := range []string{"enable_thinking", "thinking"} {
		if on := findMember(kwargs, name); len(on) > 0 && string(on) != "false" && string(on) != "null" {
			return true
		}
	}
	return false
}
