package responses

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// reply writes an answer in the Responses dialect.
type reply struct {
	x       *core.Exchange
	request *request
	answer  *core.Answer
	turn    *core.Turn
	id      string
	items   []outItem
}

// outItem is an output item: its final form, its form when it opens in a
// stream, and what comes in between.
type outItem struct {
	id          string
	whole, open object
	// kind tells how it is streamed; text is what is streamed.
	kind itemKind
	text string
	call bool
}

type itemKind int

const (
	itemReasoning itemKind = iota
	itemText
	itemRefusal
	itemFunction
	itemCustom
)

func (p *reply) buildItems(seed string) {
	for i := range p.answer.Calls {
		if call := &p.answer.Calls[i]; call.ID == "" {
			call.ID = "call_" + core.MakeID(24, fmt.Sprint(seed, i))
		}
	}
	thought := p.answer.Thinking != ""
	if thought {
		p.items = append(p.items, p.encodeReasoning(seed))
	}
	follows := thought
	if p.answer.Text != "" || len(p.answer.Calls) == 0 {
		p.items = append(p.items, p.encodeMessage(seed, follows))
		follows = false
	}
	for i, call := range p.answer.Calls {
		p.items = append(p.items, p.encodeCall(call, makeItemSeed(seed, i), follows))
		follows = false
	}
}

func makeItemSeed(seed string, i int) string { return fmt.Sprint(seed, "/", i) }

// encodeReasoning shows a summary where one was asked for.
func (p *reply) encodeReasoning(seed string) outItem {
	follower := "message"
	if p.answer.Text == "" && len(p.answer.Calls) > 0 {
		follower = p.answer.Calls[0].ID
	}
	id := "rs_" + core.MakeHexID(48, seed)
	seal := sealThought(p.answer.Thinking, follower)
	out := outItem{
		id: id, kind: itemReasoning,
		whole: object{"id": id, "type": "reasoning", "summary": []any{}, "encrypted_content": seal},
		open:  object{"id": id, "type": "reasoning", "summary": []any{}, "encrypted_content": seal[:len(sealMark)]},
	}
	if r := p.request.Reasoning; r != nil && r.Summary != "" {
		out.text = p.answer.Thinking
		out.whole["summary"] = []any{encodeSummary(out.text)}
	}
	return out
}

func encodeSummary(text string) object { return object{"type": "summary_text", "text": text} }

func (p *reply) encodeMessage(seed string, follows bool) outItem {
	id := makeItemID("msg", follows, seed)
	out := outItem{id: id, kind: itemText, text: p.answer.Text}
	if p.answer.Refusal {
		out.kind = itemRefusal
	}
	out.whole = object{
		"id": id, "type": "message", "status": p.itemStatus(), "role": "assistant",
		"content": []any{out.encodePart(out.text)},
	}
	if p.request.hasPhases() {
		out.whole["phase"] = "final_answer"
		if len(p.answer.Calls) > 0 {
			out.whole["phase"] = "commentary"
		}
	}
	out.open = maps.Clone(out.whole)
	out.open["status"], out.open["content"] = "in_progress", []any{}
	return out
}

func (o *outItem) encodePart(text string) object {
	if o.kind == itemRefusal {
		return object{"type": "refusal", "refusal": text}
	}
	return object{"type": "output_text", "annotations": []any{}, "logprobs": []any{}, "text": text}
}

func (p *reply) encodeCall(call core.ToolCall, seed string, follows bool) outItem {
	args := string(call.Arguments)
	if args == "" {
		args = "{}"
	}
	out := outItem{id: makeItemID("fc", follows, seed), kind: itemFunction, text: args, call: true}
	member, typ := "arguments", "function_call"
	if p.isCustom(call.Name) {
		out.id, out.kind = makeItemID("ctc", follows, seed), itemCustom
		out.text, _ = jsondoc.Text(json.RawMessage(args))
		member, typ = "input", "custom_tool_call"
	}
	out.whole = object{
		"id": out.id, "type": typ, "status": "completed", "call_id": call.ID, "name": call.Name, member: out.text,
	}
	out.open = maps.Clone(out.whole)
	out.open["status"], out.open[member] = "in_progress", ""
	return out
}

func (p *reply) isCustom(name string) bool {
	for _, t := range p.request.Tools {
		if t.Type == "custom" && t.Name == name {
			return true
		}
	}
	return false
}

func (p *reply) itemStatus() string {
	if p.status() == "incomplete" {
		return "incomplete"
	}
	return "completed"
}

// status is how the response ended. Source: openai-go v3.98.0,
// responses/response.go, read 2026-11-30.
func (p *reply) status() string {
	switch p.answer.Finish {
	case "length", "max_output_tokens", "content_filter", "steered":
		return "incomplete"
	case "failed", "error":
		return "failed"
	}
	return "completed"
}

func (p *reply) Whole() object {
	doc := p.encodeEnvelope()
	output := make([]any, len(p.items))
	for i, item := range p.items {
		output[i] = item.whole
	}
	doc["status"], doc["output"] = p.status(), output
	switch p.status() {
	case "completed":
		doc["completed_at"] = core.Created + 3
	case "incomplete":
		reason := p.answer.Finish
		if reason == "length" {
			reason = "max_output_tokens"
		}
		doc["incomplete_details"] = object{"reason": reason}
	case "failed":
		doc["error"] = object{"code": "server_error", "message": "The model run failed."}
	}
	doc["usage"] = p.encodeUsage()
	return doc
}

// encodeEnvelope makes the response as it begins, with the request repeated in
// it.
func (p *reply) encodeEnvelope() object {
	r := p.request
	doc := object{
		"id": p.id, "object": "response", "created_at": core.Created, "status": "in_progress", "background": false,
		"completed_at": nil, "error": nil, "incomplete_details": nil, "model": r.Model, "output": []any{},
		"usage": nil, "instructions": nil, "max_output_tokens": nil, "max_tool_calls": nil, "parallel_tool_calls": true,
		"previous_response_id": nil, "prompt_cache_key": nil, "safety_identifier": nil, "service_tier": "default",
		"store": true, "temperature": 1.0, "tool_choice": "auto", "tools": []any{}, "top_logprobs": 0, "top_p": 1.0,
		"truncation": "disabled", "user": nil, "metadata": object{},
		"reasoning": object{"effort": nil, "summary": nil},
		"text":      object{"format": object{"type": "text"}, "verbosity": "medium"},
	}
	for name := range doc {
		if v, ok := r.raw[name]; ok && !jsondoc.IsNull(v) && name != "model" && name != "service_tier" {
			doc[name] = v
		}
	}
	if g := models.FindReasoning("openai-responses", r.Model); g.Efforts != nil {
		effort := r.effort()
		if effort == "" {
			effort = g.ByDefault
		}
		doc["reasoning"] = object{"effort": effort, "summary": nil, "context": "all_turns", "mode": "standard"}
		if r.Reasoning != nil {
			doc["reasoning"].(object)["summary"] = core.OrNull(r.Reasoning.Summary)
		}
	}
	return doc
}

func (p *reply) encodeUsage() object {
	u := p.answer.Usage
	return object{
		"input_tokens": u.Input,
		"input_tokens_details": object{
			"cached_tokens": u.Cached, "cache_write_tokens": u.CacheWrite,
			"cache_write_tokens_details": object{"ttl_30m_tokens": u.CacheWrite, "ttl_12h_tokens": 0},
		},
		"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning},
		"total_tokens": u.Input + u.Output,
	}
}

// object is a JSON object to be sent.
type object = map[string]any
