package engine_test

import (
	"strings"
)

// The dialects whose streams are server-sent events.

func data(v any) string { return "data: " + asJSON(v) + "\n\n" }

func event(name string, v any) string { return "event: " + name + "\n" + data(v) }

func noText(string) string { return "" }

type object = map[string]any

type list = []any

const sseNonsense = "data: <html>\n\ndata: more\n\n"

var openAIVoice = voice{
	path: "/chat/completions", kind: "text/event-stream; charset=utf-8", file: "stream.sse",
	whole: func(a answer) string {
		msg := object{"role": "assistant", "content": a.text}
		if a.text == "" {
			msg["content"] = nil
		}
		for i, name := range a.calls {
			calls, _ := msg["tool_calls"].(list)
			msg["tool_calls"] = append(calls, openAICall(i, name))
		}
		return asJSON(openAIChunk(object{"message": msg, "finish_reason": "stop"}, openAIUsage))
	},
	begin: data(openAIChunk(object{"delta": object{"role": "assistant", "content": ""}, "finish_reason": nil}, nil)),
	delta: func(text string) string {
		return data(openAIChunk(object{"delta": object{"content": text}, "finish_reason": nil}, nil))
	},
	textEnd: noText,
	call: func(_, i int, name string) string {
		return data(openAIChunk(object{"delta": object{"tool_calls": list{openAICall(i, name)}}, "finish_reason": nil}, nil))
	},
	end: func(answer) []string {
		return []string{data(openAIChunk(object{"delta": object{}, "finish_reason": "stop"}, openAIUsage)), "data: [DONE]\n\n"}
	},
	optional: 1,
	half: `data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function",` +
		`"function":{"name":"place","arguments":"{\"city\":\"Gh"}}]},"finish_reason":null}]}` + "\n\n",
	halfArgs: `{"city":"Gh`,
	inside:   typedFailures,
	event:    func(body string) string { return "data: " + body + "\n\n" },
	nonsense: sseNonsense,
}

var openAIUsage = object{"prompt_tokens": 5, "completion_tokens": 2}

func openAIChunk(choice, usage object) object {
	choice["index"] = 0
	out := object{"id": "r1", "model": "m", "choices": list{choice}}
	if usage != nil {
		out["usage"] = usage
	}
	return out
}

func openAICall(i int, name string) object {
	return object{"index": i, "id": callID(i), "type": "function", "function": object{"name": name, "arguments": placeArgs}}
}

// typedFailures are those of OpenAI and Anthropic, whose bodies look alike.
var typedFailures = oneOf(failure("rate_limit_error", "it broke"), failure("overloaded_error", "it broke"),
	failure("invalid_request_error", "it broke"), failure("gremlins", "it broke"))

// failure is an error body that most dialects understand.
func failure(typ, message string) string {
	return `{"type":"error","error":{"type":"` + typ + `","message":"` + message + `"}}`
}

func errorEvent(body string) string { return "event: error\ndata: " + body + "\n\n" }

var anthropicVoice = voice{
	path: "/v1/messages", kind: "text/event-stream; charset=utf-8", file: "stream.sse",
	whole: func(a answer) string {
		var blocks list
		if a.text != "" {
			blocks = append(blocks, object{"type": "text", "text": a.text})
		}
		for i, name := range a.calls {
			blocks = append(blocks, object{"type": "tool_use", "id": callID(i), "name": name, "input": object{"city": "Ghent"}})
		}
		return asJSON(object{
			"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
			"stop_reason": anthropicStop(a), "usage": object{"input_tokens": 5, "output_tokens": 2},
		})
	},
	begin: event("message_start", object{"type": "message_start", "message": object{
		"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": list{},
		"usage": object{"input_tokens": 5, "output_tokens": 1},
	}}) + event("ping", object{"type": "ping"}),
	textBegin: anthropicEvent("content_block_start", 0, "content_block", object{"type": "text", "text": ""}),
	delta: func(text string) string {
		return anthropicEvent("content_block_delta", 0, "delta", object{"type": "text_delta", "text": text})
	},
	textEnd: func(string) string {
		return event("content_block_stop", object{"type": "content_block_stop", "index": 0})
	},
	call: func(block, i int, name string) string {
		return anthropicEvent("content_block_start", block, "content_block", object{"type": "tool_use", "id": callID(i), "name": name, "input": object{}}) +
			anthropicEvent("content_block_delta", block, "delta", object{"type": "input_json_delta", "partial_json": placeArgs}) +
			event("content_block_stop", object{"type": "content_block_stop", "index": block})
	},
	end: func(a answer) []string {
		return []string{
			event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": anthropicStop(a)}, "usage": object{"output_tokens": 2}}),
			event("message_stop", object{"type": "message_stop"}),
		}
	},
	half: `data: {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5}}}` +
		"\n\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"place","input":{}}}` +
		"\n\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"city\":\"Gh"}}` + "\n\n",
	halfArgs: `{"city":"Gh`,
	inside:   typedFailures,
	event:    errorEvent,
	nonsense: sseNonsense,
}

func anthropicStop(a answer) string {
	if len(a.calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func anthropicEvent(typ string, block int, member string, v object) string {
	return event(typ, object{"type": typ, "index": block, member: v})
}

var responsesVoice = voice{
	path: "/responses", kind: "text/event-stream; charset=utf-8", file: "stream.sse",
	whole: func(a answer) string { return asJSON(response(a)) },
	begin: responsesEvent("response.created", object{"response": object{"id": "r1", "object": "response", "status": "in_progress", "model": "m", "output": list{}}}),
	textBegin: responsesEvent("response.output_item.added", object{"output_index": 0, "item": object{
		"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": list{},
	}}),
	delta: func(text string) string {
		return responsesEvent("response.output_text.delta", object{"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text})
	},
	textEnd: func(text string) string {
		return responsesEvent("response.output_item.done", object{"output_index": 0, "item": responsesText(text)})
	},
	call: func(block, i int, name string) string {
		item := responsesCall(i, name)
		started := responsesCall(i, name)
		started["arguments"], started["status"] = "", "in_progress"
		return responsesEvent("response.output_item.added", object{"output_index": block, "item": started}) +
			responsesEvent("response.function_call_arguments.delta", object{"item_id": item["id"], "output_index": block, "delta": placeArgs}) +
			responsesEvent("response.output_item.done", object{"output_index": block, "item": item})
	},
	end: func(a answer) []string {
		return []string{responsesEvent("response.completed", object{"response": response(a)})}
	},
	half: `data: {"type":"response.created","response":{"id":"r1","status":"in_progress","model":"m","output":[]}}` + "\n\n" +
		`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"place","arguments":""}}` + "\n\n" +
		`data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"city\":\"Gh"}` + "\n\n",
	halfArgs: `{"city":"Gh`,
	inside:   typedFailures,
	event:    errorEvent,
	nonsense: sseNonsense,
}

func responsesEvent(typ string, v object) string {
	v["type"] = typ
	return event(typ, v)
}

func response(a answer) object {
	output := list{}
	if a.text != "" {
		output = append(output, responsesText(a.text))
	}
	for i, name := range a.calls {
		output = append(output, responsesCall(i, name))
	}
	return object{
		"id": "r1", "object": "response", "status": "completed", "model": "m", "error": nil, "output": output,
		"usage": object{"input_tokens": 5, "output_tokens": 2},
	}
}

func responsesText(text string) object {
	return object{"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": list{
		object{"type": "output_text", "text": text, "annotations": list{}},
	}}
}

func responsesCall(i int, name string) object {
	return object{
		"id": strings.Replace(callID(i), "call", "fc", 1), "type": "function_call", "status": "completed",
		"call_id": callID(i), "name": name, "arguments": placeArgs,
	}
}
