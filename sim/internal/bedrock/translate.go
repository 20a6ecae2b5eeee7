package bedrock

import (
	"encoding/json"
	"net/http"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/messages"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// translate makes a Messages request of one of Converse. Claude's rules are
// held against that, and the answer is made from it for every model.
func (r *request) translate() error {
	doc := object{"model": models.TrimBedrock(r.model), "max_tokens": 64000, "messages": r.translateMessages()}
	if len(r.System) > 0 {
		doc["system"] = translateBlocks(r.System)
	}
	r.translateInference(doc)
	r.translateTools(doc)
	if t, ok := r.Additional["thinking"]; ok {
		doc["thinking"] = t
	}
	r.translateOutput(doc)
	body, err := jsondoc.Marshal(doc)
	if err != nil {
		return err
	}
	r.translated, err = messages.Read(body, http.Header{"Anthropic-Version": {"2023-06-01"}})
	return err
}

func (r *request) translateInference(doc object) {
	in := &r.Inference
	if in.MaxTokens != nil {
		doc["max_tokens"] = *in.MaxTokens
	}
	if in.Temperature != nil {
		doc["temperature"] = *in.Temperature
	}
	if in.TopP != nil {
		doc["top_p"] = *in.TopP
	}
	if len(in.Stops) > 0 {
		doc["stop_sequences"] = in.Stops
	}
}

func (r *request) translateTools(doc object) {
	if r.ToolConfig == nil {
		return
	}
	var tools []any
	for _, t := range r.ToolConfig.Tools {
		if t.Spec != nil {
			tool := object{"name": t.Spec.Name, "input_schema": t.Spec.Schema.JSON}
			if t.Spec.Description != "" {
				tool["description"] = t.Spec.Description
			}
			if t.Spec.Strict {
				tool["strict"] = true
			}
			tools = append(tools, tool)
		}
	}
	if len(tools) > 0 {
		doc["tools"] = tools
	}
	for kind, raw := range r.ToolConfig.Choice {
		choice := object{"type": kind}
		if name, ok := jsondoc.Text(jsondoc.Members(raw)["name"]); ok {
			choice["name"] = name
		}
		doc["tool_choice"] = choice
	}
	if own, ok := r.Additional["tool_choice"]; ok {
		doc["tool_choice"] = own
	}
}

func (r *request) translateOutput(doc object) {
	out := object{}
	if r.Output.Effort != "" {
		out["effort"] = r.Output.Effort
	}
	if f := r.Output.TextFormat; f != nil && f.Structure.JSONSchema != nil {
		schema := json.RawMessage(f.Structure.JSONSchema.Schema)
		if !json.Valid(schema) {
			schema = jsondoc.Quote(f.Structure.JSONSchema.Schema)
		}
		out["format"] = object{"type": f.Type, "schema": schema}
	}
	if len(out) > 0 {
		doc["output_config"] = out
	}
}

func (r *request) translateMessages() []any {
	out := make([]any, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = object{"role": m.Role, "content": translateBlocks(m.Content)}
	}
	return out
}

func translateBlocks(blocks []block) []any {
	out := []any{}
	for _, b := range blocks {
		if doc := b.translate(); doc != nil {
			out = append(out, doc)
		}
	}
	return out
}

// translate makes the block that Messages has; nil for a cache mark.
func (b block) translate() object {
	for kind, raw := range b {
		switch kind {
		case "text":
			return object{"type": "text", "text": raw}
		case "json":
			return object{"type": "text", "text": string(raw)}
		case "image":
			return object{"type": "image", "source": translateSource(raw, "image/")}
		case "document":
			return object{"type": "document", "source": translateSource(raw, "application/")}
		case "toolUse":
			if c := b.readCall(); c != nil {
				return object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input}
			}
		case "toolResult":
			if r := b.readResult(); r != nil {
				return object{
					"type": "tool_result", "tool_use_id": r.ID, "content": translateBlocks(r.Content), "is_error": r.Status == "error",
				}
			}
		case "reasoningContent":
			return translateThought(raw)
		}
	}
	return nil
}

func translateSource(raw json.RawMessage, kind string) object {
	m := jsondoc.Members(raw)
	format, _ := jsondoc.Text(m["format"])
	data, _ := jsondoc.Text(jsondoc.Members(m["source"])["bytes"])
	return object{"type": "base64", "media_type": kind + format, "data": data}
}

func translateThought(raw json.RawMessage) object {
	m := jsondoc.Members(raw)
	if data, ok := jsondoc.Text(m["redactedContent"]); ok {
		return object{"type": "redacted_thinking", "data": data}
	}
	var t struct {
		Text      string `json:"text"`
		Signature string `json:"signature"`
	}
	if json.Unmarshal(m["reasoningText"], &t) != nil {
		return nil
	}
	return object{"type": "thinking", "thinking": t.Text, "signature": t.Signature}
}
