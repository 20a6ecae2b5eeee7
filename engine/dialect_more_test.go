package engine_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

var geminiVoice = voice{
	path: "/models/{model}:generateContent", streamPath: "/models/{model}:streamGenerateContent?alt=sse",
	kind: "text/event-stream", file: "stream.sse",
	whole: func(a answer) string {
		parts := list{}
		if a.text != "" {
			parts = append(parts, object{"text": a.text})
		}
		for i, name := range a.calls {
			parts = append(parts, geminiCall(i, name))
		}
		return asJSON(geminiChunk(parts, "STOP"))
	},
	delta:   func(text string) string { return data(geminiChunk(list{object{"text": text}}, "")) },
	textEnd: noText,
	call:    func(_, i int, name string) string { return data(geminiChunk(list{geminiCall(i, name)}, "")) },
	end:     func(answer) []string { return []string{data(geminiChunk(list{object{"text": ""}}, "STOP"))} },
	half: `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"place","args":{"city":"Ghent"},"id":"c1"}}]},"index":0}],` +
		`"modelVersion":"m","responseId":"r1"}` + "\n\n", // calls come whole
	halfArgs: placeArgs,
	inside: oneOf(
		`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"it broke"}}`,
		`{"error":{"code":503,"status":"UNAVAILABLE","message":"it broke"}}`,
		`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"it broke"}}`,
		`{"error":{"code":599,"status":"GREMLINS","message":"it broke"}}`),
	event:    func(body string) string { return "data: " + body + "\n\n" },
	nonsense: sseNonsense,
}

func geminiCall(i int, name string) object {
	return object{"functionCall": object{"name": name, "args": object{"city": "Ghent"}, "id": callID(i)}}
}

func geminiChunk(parts list, finish string) object {
	c := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		c["finishReason"] = finish
	}
	return object{
		"candidates": list{c}, "modelVersion": "m", "responseId": "r1",
		"usageMetadata": object{"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7},
	}
}

var ollamaVoice = voice{
	path: "/api/chat", kind: "application/x-ndjson", file: "stream.ndjson",
	whole: func(a answer) string {
		calls := make(list, 0, len(a.calls))
		for i, name := range a.calls {
			calls = append(calls, ollamaCall(i, name))
		}
		return strings.TrimSpace(ollamaLine(a.text, calls, true))
	},
	delta:    func(text string) string { return ollamaLine(text, nil, false) },
	textEnd:  noText,
	call:     func(_, i int, name string) string { return ollamaLine("", list{ollamaCall(i, name)}, false) },
	end:      func(answer) []string { return []string{ollamaLine("", nil, true)} },
	half:     `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"place","arguments":{"city":"Ghent"}}}]},"done":false}` + "\n",
	halfArgs: placeArgs,
	// There are no codes inside of a 200.
	inside:   map[error]string{chat.ErrServer: `{"error":"it broke"}`},
	event:    func(body string) string { return body + "\n" },
	nonsense: "<html>\nmore\n",
}

func ollamaCall(i int, name string) object {
	return object{"id": callID(i), "function": object{"index": i, "name": name, "arguments": object{"city": "Ghent"}}}
}

func ollamaLine(text string, calls list, done bool) string {
	msg := object{"role": "assistant", "content": text}
	if len(calls) > 0 {
		msg["tool_calls"] = calls
	}
	line := object{"model": "m", "created_at": "2026-11-30T10:00:00Z", "message": msg, "done": done}
	if done {
		line["done_reason"], line["prompt_eval_count"], line["eval_count"] = "stop", 5, 2
	}
	return asJSON(line) + "\n"
}

// akiVoice speaks in whole replies only.
var akiVoice = voice{
	path: "/api/call/{model}", kind: "application/json",
	whole: func(a answer) string {
		return asJSON(object{"success": true, "text": a.text, "job_id": "r1", "model_name": "m", "prompt_length": 5, "num_generated_tokens": 2})
	},
	inside: oneOf(
		`{"success":false,"error":"it broke","error_code":429}`, `{"success":false,"error":"it broke","error_code":503}`,
		`{"success":false,"error":"it broke"}`, `{"success":false,"error":"it broke","error_code":501}`),
	nonsense: "<html>",
}

var bedrockVoice = voice{
	path: "/model/{model}/converse", streamPath: "/model/{model}/converse-stream",
	kind: "application/vnd.amazon.eventstream", file: "stream.eventstream",
	whole: func(a answer) string {
		blocks := list{}
		if a.text != "" {
			blocks = append(blocks, object{"text": a.text})
		}
		for i, name := range a.calls {
			blocks = append(blocks, object{"toolUse": object{"toolUseId": callID(i), "name": name, "input": object{"city": "Ghent"}}})
		}
		return asJSON(object{
			"output": object{"message": object{"role": "assistant", "content": blocks}}, "stopReason": anthropicStop(a),
			"usage": bedrockUsage, "metrics": object{"latencyMs": 12},
		})
	},
	begin: bedrockEvent("messageStart", object{"role": "assistant"}),
	delta: func(text string) string {
		return bedrockEvent("contentBlockDelta", object{"contentBlockIndex": 0, "delta": object{"text": text}})
	},
	textEnd: func(string) string { return bedrockEvent("contentBlockStop", object{"contentBlockIndex": 0}) },
	call: func(block, i int, name string) string {
		return bedrockCall(block, callID(i), name, placeArgs) + bedrockEvent("contentBlockStop", object{"contentBlockIndex": block})
	},
	end: func(a answer) []string {
		return []string{
			bedrockEvent("messageStop", object{"stopReason": anthropicStop(a)}),
			bedrockEvent("metadata", object{"usage": bedrockUsage, "metrics": object{"latencyMs": 12}}),
		}
	},
	optional: 1,
	half:     bedrockEvent("messageStart", object{"role": "assistant"}) + bedrockCall(0, "c1", "place", `{"city":"Gh`),
	halfArgs: `{"city":"Gh`,
	inside: oneOf(
		`{"__type":"ThrottlingException","message":"it broke"}`, `{"__type":"ServiceUnavailableException","message":"it broke"}`,
		`{"__type":"ValidationException","message":"it broke"}`, `{"__type":"GremlinException","message":"it broke"}`),
	event:    bedrockException,
	nonsense: strings.Repeat("nonsense", 20),
}

var bedrockUsage = object{"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}

func bedrockEvent(name string, payload object) string {
	payload["p"] = "abcdef" // padding that the real service adds
	return message(asJSON(payload), ":message-type", "event", ":event-type", name, ":content-type", "application/json")
}

func bedrockCall(block int, id, name, args string) string {
	return bedrockEvent("contentBlockStart", object{"contentBlockIndex": block, "start": object{"toolUse": object{"toolUseId": id, "name": name}}}) +
		bedrockEvent("contentBlockDelta", object{"contentBlockIndex": block, "delta": object{"toolUse": object{"input": args}}})
}

// bedrockException is a frame whose header names the exception.
func bedrockException(body string) string {
	var e struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Type == "" {
		e.Type, e.Message = "internalServerException", body
	}
	name := strings.ToLower(e.Type[:1]) + e.Type[1:]
	return message(asJSON(object{"message": e.Message}), ":message-type", "exception", ":exception-type", name)
}

// message frames a payload as an AWS event stream does. Headers are names and
// texts in turn. Source: smithy.io, "Amazon Event Stream Specification", read
// 2026-11-30.
func message(payload string, headers ...string) string {
	const text = 7 // the type of a header that is text
	var head []byte
	for i := 0; i+1 < len(headers); i += 2 {
		head = append(head, byte(len(headers[i])))
		head = append(head, headers[i]...)
		head = append(head, text)
		head = binary.BigEndian.AppendUint16(head, uint16(len(headers[i+1])))
		head = append(head, headers[i+1]...)
	}
	const prelude, sum = 12, 4
	out := binary.BigEndian.AppendUint32(nil, uint32(prelude+len(head)+len(payload)+sum))
	out = binary.BigEndian.AppendUint32(out, uint32(len(head)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(append(out, head...), payload...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out)))
}

var cohereVoice = voice{
	path: "/v2/chat", kind: "text/event-stream", file: "stream.sse",
	whole: func(a answer) string {
		msg := object{"role": "assistant"}
		if a.text != "" {
			msg["content"] = list{object{"type": "text", "text": a.text}}
		}
		calls := make(list, 0, len(a.calls))
		for i, name := range a.calls {
			calls = append(calls, cohereCall(i, name, placeArgs))
		}
		if len(calls) > 0 {
			msg["tool_calls"] = calls
		}
		return asJSON(object{"id": "r1", "message": msg, "finish_reason": cohereFinish(a), "usage": cohereUsage})
	},
	begin:     cohereEvent("message-start", object{"id": "r1", "delta": object{"message": object{"role": "assistant", "content": list{}}}}),
	textBegin: cohereEvent("content-start", object{"index": 0, "delta": object{"message": object{"content": object{"type": "text", "text": ""}}}}),
	delta: func(text string) string {
		return cohereEvent("content-delta", object{"index": 0, "delta": object{"message": object{"content": object{"text": text}}}})
	},
	textEnd: func(string) string { return cohereEvent("content-end", object{"index": 0}) },
	call: func(_, i int, name string) string {
		return cohereEvent("tool-call-start", object{"index": i, "delta": object{"message": object{"tool_calls": cohereCall(i, name, "")}}}) +
			cohereEvent("tool-call-delta", object{"index": i, "delta": object{"message": object{"tool_calls": object{"function": object{"arguments": placeArgs}}}}}) +
			cohereEvent("tool-call-end", object{"index": i})
	},
	end: func(a answer) []string {
		return []string{
			cohereEvent("message-end", object{"delta": object{"finish_reason": cohereFinish(a), "usage": cohereUsage}}),
			"data: [DONE]\n\n",
		}
	},
	optional: 1,
	half: cohereEvent("message-start", object{"id": "r1", "delta": object{"message": object{"role": "assistant"}}}) +
		cohereEvent("tool-call-start", object{"index": 0, "delta": object{"message": object{"tool_calls": object{
			"id": "c1", "type": "function", "function": object{"name": "place", "arguments": `{"city":"Gh`},
		}}}}),
	halfArgs: `{"city":"Gh`,
	inside:   map[error]string{chat.ErrServer: `{"id":"x","message":"it broke"}`}, // there are no codes inside of a 200
	event:    errorEvent,
	nonsense: sseNonsense,
}

var cohereUsage = object{"tokens": object{"input_tokens": 5, "output_tokens": 2}}

func cohereEvent(typ string, v object) string {
	v["type"] = typ
	return event(typ, v)
}

func cohereCall(i int, name, args string) object {
	return object{"id": callID(i), "type": "function", "function": object{"name": name, "arguments": args}}
}

func cohereFinish(a answer) string {
	if len(a.calls) > 0 {
		return "TOOL_CALL"
	}
	return "COMPLETE"
}
