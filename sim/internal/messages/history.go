package messages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// blockMembers are the members of each kind of block. A kind that isn't listed
// belongs to tools that run on the server, and is taken as it is. Source:
// Anthropic, API reference, "Messages", read 2026-11-30.
var blockMembers = map[string][]string{
	"text":              {"type", "text", "cache_control", "citations"},
	"image":             {"type", "source", "cache_control"},
	"document":          {"type", "source", "title", "context", "citations", "cache_control"},
	"thinking":          {"type", "thinking", "signature"},
	"redacted_thinking": {"type", "data"},
	"tool_use":          {"type", "id", "name", "input", "cache_control", "caller"},
	"tool_result":       {"type", "tool_use_id", "content", "is_error", "cache_control"},
}

// blockRoles are the kinds of block that only one role may have.
var blockRoles = map[string]string{
	"thinking": "assistant", "redacted_thinking": "assistant", "tool_use": "assistant",
	"tool_result": "user", "image": "user",
}

var toolUseID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func checkBlocks(r *Request) *core.Refusal {
	if len(r.Messages) == 0 {
		return refuse("messages: at least one message is required")
	}
	for i, m := range r.Messages {
		where := fmt.Sprintf("messages.%d", i)
		if !slices.Contains([]string{"user", "assistant", "system"}, m.Role) {
			return refuse("%s.role: Input should be 'user', 'assistant' or 'system'", where)
		}
		if len(m.Content) == 0 || m.empty {
			return refuse("%s: %s messages must have non-empty content", where, m.Role)
		}
		for j, b := range m.Content {
			if f := r.checkBlock(b, m.Role, fmt.Sprintf("%s.content.%d", where, j)); f != nil {
				return f
			}
		}
	}
	return nil
}

func (r *Request) checkBlock(b block, role, where string) *core.Refusal {
	if known, ok := blockMembers[b.Type]; ok {
		if f := checkExtra(b.raw, known, where+"."+b.Type+"."); f != nil {
			return f
		}
	}
	only := blockRoles[b.Type]
	switch {
	case b.Type == "":
		return refuse("%s.type: Field required", where)
	case only != "" && only != role, role == "system" && b.Type != "text":
		return refuse("%s: `%s` blocks can not be in `%s` messages", where, b.Type, role)
	case b.Type == "document" && role == "assistant" && r.version == versionNoSampling:
		return refuse("%s: `document` blocks can not be in `assistant` messages", where)
	case b.Type == "text" && role == "user" && !jsondoc.IsNull(b.raw["citations"]) && r.version == versionNoSampling:
		return refuse("%s.text.citations: Extra inputs are not permitted", where)
	case b.Type == "text":
		return checkTextBlock(b, where, "messages")
	case (b.Type == "image" || b.Type == "document") && jsondoc.IsNull(b.raw["source"]):
		return refuse("%s.%s.source: Field required", where, b.Type)
	case b.Type == "tool_use":
		return checkToolUse(b, where)
	}
	return nil
}

func checkTextBlock(b block, where, part string) *core.Refusal {
	switch {
	case jsondoc.IsNull(b.raw["text"]):
		return refuse("%s.text.text: Field required", where)
	case b.Text == "":
		return refuse("%s: text content blocks must be non-empty", part)
	case strings.TrimSpace(b.Text) == "":
		return refuse("%s: text content blocks must contain non-whitespace text", part)
	}
	return nil
}

func checkToolUse(b block, where string) *core.Refusal {
	switch {
	case !toolUseID.MatchString(b.ID):
		return refuse("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", where)
	case !jsondoc.IsObject(b.Input):
		return refuse("%s.tool_use.input: Input should be a valid dictionary", where)
	case !core.ToolName.MatchString(b.Name):
		return refuse("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", where)
	}
	return nil
}

func checkPrefill(r *Request) *core.Refusal {
	return r.checkRules(prefillRules)
}

// mergeTurns makes one message of several in a row that have one role.
func (r *Request) mergeTurns() []message {
	var out []message
	for _, m := range r.Messages {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content = slices.Concat(out[n-1].Content, m.Content)
			continue
		}
		out = append(out, m)
	}
	return out
}

// checkToolPairs: the results of all calls stand at the start of the next user
// message, and nowhere else.
func checkToolPairs(r *Request) *core.Refusal {
	var open []string
	for i, m := range r.mergeTurns() {
		results, late := findResults(m)
		if len(open) > 0 {
			missing := slices.DeleteFunc(slices.Clone(open), func(id string) bool { return slices.Contains(results, id) })
			if len(missing) > 0 {
				return refuse("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s", i,
					strings.Join(missing, ", "))
			}
		}
		for k, id := range append(slices.Clone(results), late...) {
			switch {
			case !slices.Contains(open, id):
				return refuse("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
					"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, k, id)
			case slices.Contains(results[:min(k, len(results))], id):
				return refuse("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` "+
					"blocks with id: %s", i, k, id)
			}
		}
		open = listCalls(m)
	}
	if len(open) > 0 {
		return refuse("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s",
			len(r.mergeTurns())-1, strings.Join(open, ", "))
	}
	return nil
}

// findResults finds the ids of the results at the start of a message, and of
// those that come too late.
func findResults(m message) (leading, late []string) {
	other := false
	for _, b := range m.Content {
		switch {
		case b.Type != "tool_result":
			other = true
		case other:
			late = append(late, b.ToolUseID)
		default:
			leading = append(leading, b.ToolUseID)
		}
	}
	return leading, late
}

func listCalls(m message) []string {
	var ids []string
	for _, b := range m.Content {
		if b.Type == "tool_use" {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// checkReplayedThinking: a thought comes back as it was sent.
func checkReplayedThinking(r *Request) *core.Refusal {
	for i, m := range r.Messages {
		for j, b := range m.Content {
			where := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch {
			case b.Type == "redacted_thinking" && b.Data == "":
				return refuse("%s.redacted_thinking.data: Field required", where)
			case b.Type != "thinking":
			case b.Signature == "":
				return refuse("%s.thinking.signature: Field required", where)
			case core.Verify(r.claude.Family, b.Thinking, b.Signature, r.digestPrefix(i)) == core.SignatureBad:
				return refuse("%s: Invalid `signature` in `thinking` block", where)
			}
		}
	}
	return nil
}

// checkOpenLoop: with thinking enabled, the turn whose tool results are being
// sent begins with its thought. Source: Anthropic, "Thinking and tool
// workflows", read 2026-11-30.
func checkOpenLoop(r *Request) *core.Refusal {
	msgs := r.mergeTurns()
	if r.Thinking == nil || r.Thinking.Type != "enabled" || len(msgs) < 2 {
		return nil
	}
	last, before := msgs[len(msgs)-1], msgs[len(msgs)-2]
	if results, _ := findResults(last); len(results) == 0 || before.Role != "assistant" {
		return nil
	}
	if kind := before.Content[0].Type; kind != "thinking" && kind != "redacted_thinking" {
		return refuse("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. "+
			"When `thinking` is enabled, a final `assistant` message must start with a thinking block.", len(msgs)-2, kind)
	}
	return nil
}
