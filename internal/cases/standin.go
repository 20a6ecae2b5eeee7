package cases

import (
	"encoding/json"
	"strconv"
)

// standIns are the smallest valid replies of each dialect: whole, and as a
// stream. They answer requests of which only the request matters.
var standIns = map[string]struct{ whole, stream, streamType string }{
	"openai-chat":      {chatWhole, chatStream, "text/event-stream"},
	"hermes":           {chatWhole, chatStream, "text/event-stream"},
	"openai-responses": {responsesWhole, responsesStream, "text/event-stream"},
	"anthropic":        {anthropicWhole, anthropicStream, "text/event-stream"},
	"gemini":           {geminiWhole, "data: " + geminiWhole + "\n\n", "text/event-stream"},
	"ollama":           {ollamaWhole, ollamaWhole + "\n", "application/x-ndjson"},
}

const (
	chatWhole = `{"id":"r","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	chatStream = `data: {"id":"r","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,` +
		`"delta":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

	responsesWhole = `{"id":"r","object":"response","created_at":1700000000,"status":"completed","model":"m",` +
		`"output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed",` +
		`"content":[{"type":"output_text","text":"ok","annotations":[]}]}],` +
		`"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`
	responsesStream = "event: response.completed\n" +
		`data: {"type":"response.completed","sequence_number":0,"response":` + responsesWhole + "}\n\n"

	anthropicWhole = `{"id":"r","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],` +
		`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`
	anthropicStream = "event: message_start\n" +
		`data: {"type":"message_start","message":{"id":"r","type":"message","role":"assistant","model":"m","content":[],` +
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n" +
		"event: content_block_start\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
		"event: content_block_delta\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}` + "\n\n" +
		"event: content_block_stop\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
		"event: message_delta\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}` +
		"\n\nevent: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n"

	geminiWhole = `{"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"text":"ok"}]}}],` +
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`

	ollamaWhole = `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"ok"},` +
		`"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`
)

func standIn(dialect string, stream bool) Response {
	s := standIns[dialect]
	r := Response{Status: 200, Headers: map[string]string{"content-type": "application/json"}, Body: s.whole}
	if stream {
		r.Headers["content-type"], r.Body = s.streamType, s.stream
	}
	return r
}

// toolNames are the places of the n-th tool's name in a body, by dialect.
var toolNames = map[string][]string{
	"openai-chat":      {"/tools/", "/function/name"},
	"openai-responses": {"/tools/", "/name"},
	"anthropic":        {"/tools/", "/name"},
	"gemini":           {"/tools/0/functionDeclarations/", "/name"},
	"ollama":           {"/tools/", "/function/name"},
}

// wireToolName is the name that a request gave to its n-th tool; the case's
// own where the wire has no list of tools.
func wireToolName(dialect string, body json.RawMessage, tools []Tool, n int) string {
	if place, ok := toolNames[dialect]; ok {
		if found := find(body, place[0]+strconv.Itoa(n)+place[1]); len(found) == 1 {
			return textOf(found[0])
		}
	}
	if n >= 0 && n < len(tools) {
		return tools[n].Name
	}
	return ""
}
