package responses

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// itemMembers are the members of each kind of input item. A kind that isn't
// listed belongs to tools that run on the server, and is taken as it is.
// Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
var itemMembers = map[string][]string{
	"message":                 {"type", "role", "content", "phase", "id", "status"},
	"function_call":           {"type", "id", "call_id", "name", "arguments", "status", "namespace", "caller"},
	"function_call_output":    {"type", "id", "call_id", "output", "status", "caller"},
	"custom_tool_call":        {"type", "id", "call_id", "name", "input", "status", "namespace", "caller"},
	"custom_tool_call_output": {"type", "id", "call_id", "output", "status", "caller"},
	"reasoning":               {"type", "id", "summary", "content", "encrypted_content", "status"},
}

// itemIDs are how the ids of items begin, where they are sent.
var itemIDs = map[string]string{"message": "msg", "function_call": "fc", "custom_tool_call": "ctc", "reasoning": "rs"}

// inputParts are the kinds of content parts by role. Source: the same.
var inputParts = map[string][]string{
	"user":      {"input_text", "input_image", "input_file"},
	"system":    {"input_text", "input_image", "input_file"},
	"developer": {"input_text", "input_image", "input_file"},
	"assistant": {"output_text", "refusal"},
	"output":    {"input_text", "input_image", "input_file"},
}

func checkItems(r *request) *core.Refusal {
	for n, i := range r.items {
		where := fmt.Sprintf("input[%d]", n)
		known, ok := itemMembers[i.Type]
		if i.Type == "" {
			return core.RefuseParam(where, "invalid_value",
				"Invalid value: ''. Supported values are: 'message', 'function_call', 'function_call_output', 'reasoning' and "+
					"others.")
		}
		if !ok {
			continue
		}
		if f := core.RefuseUnknown(i.raw, known, where+"."); f != nil {
			return f
		}
		if begin := itemIDs[i.Type]; i.ID != "" && begin != "" && !strings.HasPrefix(i.ID, begin) {
			return core.RefuseParam(where+".id", "invalid_value", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.",
				where, i.ID, begin)
		}
		if f := r.checkItem(&i, where); f != nil {
			return f
		}
	}
	return nil
}

func (r *request) checkItem(i *item, where string) *core.Refusal {
	missing := func(name string) *core.Refusal {
		return core.RefuseParam(where+"."+name, "missing_required_parameter", "Missing required parameter: '%s.%s'.", where,
			name)
	}
	switch {
	case i.Type == "message":
		return checkInputMessage(i, where)
	case i.isCall() && i.CallID == "", i.isOutput() && i.CallID == "":
		return missing("call_id")
	case i.isCall() && i.Name == "":
		return missing("name")
	case i.Type == "function_call":
		if _, ok := jsondoc.Text(i.Arguments); !ok {
			return core.RefuseParam(where+".arguments", "invalid_type", "Invalid type for '%s.arguments': expected a string.",
				where)
		}
	case i.isOutput():
		if jsondoc.IsNull(i.Output) {
			return missing("output")
		}
		return checkParts(i.Output, "output", where+".output")
	case i.Type == "reasoning" && jsondoc.IsNull(i.raw["summary"]):
		return missing("summary")
	}
	return nil
}

func checkInputMessage(i *item, where string) *core.Refusal {
	if inputParts[i.Role] == nil || i.Role == "output" {
		return core.RefuseParam(where+".role", "invalid_value",
			"Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", i.Role)
	}
	if phase, ok := i.raw["phase"]; ok && !jsondoc.IsNull(phase) && i.Role != "assistant" {
		return core.RefuseParam(where+".phase", "invalid_value", "Invalid '%s.phase': only assistant messages have a phase.",
			where)
	}
	return checkParts(i.Content, i.Role, where+".content")
}

// checkParts: a text, or a list of the parts that a role may have.
func checkParts(raw json.RawMessage, role, where string) *core.Refusal {
	if _, ok := jsondoc.Text(raw); ok {
		return nil
	}
	var parts []map[string]json.RawMessage
	if jsondoc.IsNull(raw) || json.Unmarshal(raw, &parts) != nil {
		return core.RefuseParam(where, "invalid_type", "Invalid type for '%s': expected one of a string or array of objects.",
			where)
	}
	for n, p := range parts {
		kind, _ := jsondoc.Text(p["type"])
		at := fmt.Sprintf("%s[%d]", where, n)
		if !slices.Contains(inputParts[role], kind) {
			return core.RefuseParam(at, "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", kind,
				strings.Join(inputParts[role], "', '"))
		}
		if f := checkInputPart(p, kind, at); f != nil {
			return f
		}
	}
	return nil
}

func checkInputPart(p map[string]json.RawMessage, kind, at string) *core.Refusal {
	missing := func(name string) *core.Refusal {
		return core.RefuseParam(at+"."+name, "missing_required_parameter", "Missing required parameter: '%s.%s'.", at, name)
	}
	switch {
	case strings.HasSuffix(kind, "_text") && jsondoc.IsNull(p["text"]):
		return missing("text")
	case kind == "refusal" && jsondoc.IsNull(p["refusal"]):
		return missing("refusal")
	case kind == "input_image" && jsondoc.IsNull(p["image_url"]) && jsondoc.IsNull(p["file_id"]):
		return missing("image_url")
	case kind == "input_file" && !jsondoc.IsNull(p["file_data"]) && jsondoc.IsNull(p["filename"]):
		return missing("filename")
	case kind == "input_file" && jsondoc.IsNull(p["file_data"]) && jsondoc.IsNull(p["file_url"]) &&
		jsondoc.IsNull(p["file_id"]):
		return missing("file_data")
	}
	return nil
}

// checkItemPairs: each call has its output, and each output its call. Source:
// openai-go v3.98.0, responses/response.go, read 2026-11-30.
func checkItemPairs(r *request) *core.Refusal {
	var open, done []string
	for n, i := range r.items {
		switch {
		case i.isCall():
			open = append(open, i.CallID)
		case i.isOutput() && slices.Contains(done, i.CallID):
			return core.RefuseParam(fmt.Sprintf("input[%d]", n), "", "Duplicate output for call_id %s.", i.CallID)
		case i.isOutput() && !slices.Contains(open, i.CallID):
			return core.RefuseParam("input", "", "No tool call found for function call output with call_id %s.", i.CallID)
		case i.isOutput():
			done = append(done, i.CallID)
			open = slices.DeleteFunc(open, func(id string) bool { return id == i.CallID })
		}
	}
	if len(open) > 0 {
		return core.RefuseParam("input", "", "No tool output found for function call %s.", open[0])
	}
	return nil
}

// checkReasoningItems: a thought stands before the item that followed it, and
// is as it was. Source: vercel/ai, packages/openai/src/responses;
// docs.apiyi.com/en/api-capabilities/openai/responses-migration; read
// 2026-11-30.
func checkReasoningItems(r *request) *core.Refusal {
	for n, i := range r.items {
		if i.Type != "reasoning" {
			if followsThought(i.ID) && (n == 0 || r.items[n-1].Type != "reasoning") {
				return core.RefuseParam("input", "", "Item '%s' of type '%s' was provided without its required 'reasoning' item.",
					i.ID, i.Type)
			}
			continue
		}
		if n+1 == len(r.items) || !r.items[n+1].isFromModel() {
			return core.RefuseParam("input", "",
				"Item '%s' of type 'reasoning' was provided without its required following item.", i.ID)
		}
		if i.Sealed == "" {
			f := core.RefuseParam("input", "",
				"Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set "+
					"to true, or remove this item from your input.", i.ID)
			f.Status = 404
			return f
		}
		if !isUnaltered(i.Sealed, findFollower(&r.items[n+1])) {
			return core.RefuseParam("input", "invalid_encrypted_content",
				"The encrypted content for item %s could not be verified.", i.ID)
		}
	}
	return nil
}

func (i *item) isFromModel() bool {
	return i.isCall() || i.Type == "reasoning" || i.Type == "message" && i.Role == "assistant" ||
		strings.HasSuffix(i.Type, "_call")
}
