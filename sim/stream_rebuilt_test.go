package sim_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

// rebuilt reads a stream and makes of it the document that the unstreamed
// reply would be.
func rebuilt(t *testing.T, provider, stream string) map[string]any {
	t.Helper()
	switch provider {
	case "openai-responses":
		return rebuiltResponse(t, stream)
	case "gemini", "vertex":
		return rebuiltGemini(t, stream)
	case "ollama":
		return rebuiltOllama(t, stream)
	case "cohere":
		return rebuiltCohere(t, stream)
	}
	return rebuiltBedrock(t, stream)
}

// rebuiltResponse checks the order of the events, and that the deltas add up
// to what the terminal event repeats.
func rebuiltResponse(t *testing.T, stream string) map[string]any {
	t.Helper()
	evs := events(t, stream, "\n")
	deltas := map[string]string{}
	for i, e := range evs {
		doc := parsed(t, e.data).(map[string]any)
		if doc["type"] != e.name || doc["sequence_number"] != float64(i) {
			t.Errorf("event %d %s: type %v, number %v", i, e.name, doc["type"], doc["sequence_number"])
		}
		key := fmt.Sprint(doc["output_index"], doc["item_id"])
		if strings.HasSuffix(e.name, ".delta") {
			deltas[key] += str(doc["delta"])
		}
		for _, member := range []string{"text", "arguments", "refusal", "input"} {
			if whole, ok := doc[member].(string); ok && strings.HasSuffix(e.name, ".done") && whole != deltas[key] {
				t.Errorf("%s has %q, the deltas %q", e.name, whole, deltas[key])
			}
		}
	}
	return dig(t, evs[len(evs)-1].data, "response").(map[string]any)
}

// rebuiltGemini joins texts of one kind. The signature of a text comes on an
// empty one at the end.
func rebuiltGemini(t *testing.T, stream string) map[string]any {
	t.Helper()
	evs := events(t, stream, "\r\n")
	var doc map[string]any
	var parts []any
	for _, e := range evs {
		doc = parsed(t, e.data).(map[string]any)
		for _, p := range list(dig(t, e.data, "candidates", 0, "content", "parts")) {
			n := len(parts) - 1
			if n >= 0 && p["text"] != nil {
				if last := parts[n].(map[string]any); last["text"] != nil && last["thought"] == p["thought"] {
					last["text"] = str(last["text"]) + str(p["text"])
					if p["thoughtSignature"] != nil {
						last["thoughtSignature"] = p["thoughtSignature"]
					}
					continue
				}
			}
			if p["text"] != "" {
				parts = append(parts, p)
			}
		}
	}
	doc["candidates"].([]any)[0].(map[string]any)["content"].(map[string]any)["parts"] = parts
	return doc
}

func rebuiltOllama(t *testing.T, stream string) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stream, "\n"), "\n")
	var doc map[string]any
	text, thought, calls := "", "", []any{}
	for i, line := range lines {
		doc = parsed(t, line).(map[string]any)
		if done := doc["done"] == true; done != (i == len(lines)-1) {
			t.Errorf("line %d: done %v", i, done)
		}
		m := doc["message"].(map[string]any)
		text, thought = text+str(m["content"]), thought+str(m["thinking"])
		if c, ok := m["tool_calls"].([]any); ok {
			calls = append(calls, c...)
		}
	}
	m := map[string]any{"role": "assistant", "content": text}
	if thought != "" {
		m["thinking"] = thought
	}
	if len(calls) > 0 {
		m["tool_calls"] = calls
	}
	doc["message"] = m
	return doc
}

func rebuiltCohere(t *testing.T, stream string) map[string]any {
	t.Helper()
	evs := events(t, stream, "\n")
	if last := evs[len(evs)-1].data; last != "[DONE]" {
		t.Errorf("last event %s", last)
	}
	message, doc := map[string]any{"role": "assistant"}, map[string]any{"message": nil}
	var content, calls []any
	for _, e := range evs[:len(evs)-1] {
		d := parsed(t, e.data).(map[string]any)
		if d["type"] != e.name {
			t.Errorf("event %s has type %v", e.name, d["type"])
		}
		delta, _ := d["delta"].(map[string]any)
		msg, _ := delta["message"].(map[string]any)
		switch e.name {
		case "message-start":
			doc["id"] = d["id"]
		case "content-start":
			content = append(content, msg["content"])
		case "content-delta":
			for k, v := range msg["content"].(map[string]any) {
				last := content[len(content)-1].(map[string]any)
				last[k] = str(last[k]) + str(v)
			}
		case "tool-plan-delta":
			message["tool_plan"] = str(message["tool_plan"]) + str(msg["tool_plan"])
		case "tool-call-start":
			calls = append(calls, msg["tool_calls"])
		case "tool-call-delta":
			f := calls[int(d["index"].(float64))].(map[string]any)["function"].(map[string]any)
			more := msg["tool_calls"].(map[string]any)["function"].(map[string]any)
			f["arguments"] = str(f["arguments"]) + str(more["arguments"])
		case "message-end":
			doc["finish_reason"], doc["usage"] = delta["finish_reason"], delta["usage"]
		}
	}
	if content != nil {
		message["content"] = content
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	doc["message"] = message
	return doc
}

// binaryEvents takes AWS's event stream apart and checks its sums.
func binaryEvents(t *testing.T, stream string) []event {
	t.Helper()
	var out []event
	for b := []byte(stream); len(b) > 0; {
		total, headers := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		if sum := crc32.ChecksumIEEE(b[:8]); sum != binary.BigEndian.Uint32(b[8:]) {
			t.Fatalf("frame %d: bad sum of the prelude", len(out))
		}
		if sum := crc32.ChecksumIEEE(b[:total-4]); sum != binary.BigEndian.Uint32(b[total-4:]) {
			t.Fatalf("frame %d: bad sum", len(out))
		}
		h := map[string]string{}
		for raw := b[12 : 12+headers]; len(raw) > 0; {
			n := int(raw[0])
			if raw[1+n] != 7 {
				t.Fatalf("header of type %d", raw[1+n])
			}
			v := int(binary.BigEndian.Uint16(raw[2+n:]))
			h[string(raw[1:1+n])] = string(raw[4+n : 4+n+v])
			raw = raw[4+n+v:]
		}
		if h[":content-type"] != "application/json" {
			t.Errorf("headers %v", h)
		}
		out = append(out, event{h[":event-type"] + h[":exception-type"], string(b[12+headers : total-4])})
		b = b[total:]
	}
	return out
}

func rebuiltBedrock(t *testing.T, stream string) map[string]any {
	t.Helper()
	doc := map[string]any{}
	var content []any
	inputs := map[int]string{}
	at := func(i int) map[string]any {
		for len(content) <= i {
			content = append(content, map[string]any{})
		}
		return content[i].(map[string]any)
	}
	for _, e := range binaryEvents(t, stream) {
		d := parsed(t, e.data).(map[string]any)
		if d["p"] == nil {
			t.Errorf("%s isn't padded", e.name)
		}
		n, _ := d["contentBlockIndex"].(float64)
		switch e.name {
		case "contentBlockStart":
			at(int(n))["toolUse"] = d["start"].(map[string]any)["toolUse"]
		case "contentBlockDelta":
			addBedrock(at(int(n)), d["delta"].(map[string]any), inputs, int(n))
		case "messageStop":
			doc["stopReason"] = d["stopReason"]
		case "metadata":
			doc["usage"], doc["metrics"] = d["usage"], d["metrics"]
		}
	}
	for i, text := range inputs {
		input := any(map[string]any{})
		if text != "" {
			input = parsed(t, text)
		}
		content[i].(map[string]any)["toolUse"].(map[string]any)["input"] = input
	}
	doc["output"] = map[string]any{"message": map[string]any{"role": "assistant", "content": content}}
	return doc
}

func addBedrock(block, delta map[string]any, inputs map[int]string, i int) {
	if text, ok := delta["text"].(string); ok {
		block["text"] = str(block["text"]) + text
	}
	if u, ok := delta["toolUse"].(map[string]any); ok {
		inputs[i] += str(u["input"])
	}
	if r, ok := delta["reasoningContent"].(map[string]any); ok {
		if block["reasoningContent"] == nil {
			block["reasoningContent"] = map[string]any{"reasoningText": map[string]any{"text": "", "signature": ""}}
		}
		t := block["reasoningContent"].(map[string]any)["reasoningText"].(map[string]any)
		t["text"] = str(t["text"]) + str(r["text"])
		t["signature"] = str(t["signature"]) + str(r["signature"])
	}
}
