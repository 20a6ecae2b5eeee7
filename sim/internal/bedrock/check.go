package bedrock

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

var (
	namePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	shortID     = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`) // of Mistral's models
)

func (r *request) Check() *core.Refusal {
	if !r.family.Known {
		return refuse("The provided model identifier is invalid.")
	}
	checks := []func(*request) *core.Refusal{
		checkConversation, checkBlocks, checkPairs, checkTools, checkChoice, checkModel, checkSettings, checkClaude,
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// checkConversation: source: Bedrock User Guide, "Converse", read 2026-11-30.
func checkConversation(r *request) *core.Refusal {
	if len(r.Messages) == 0 || r.Messages[0].Role != "user" {
		return refuse("A conversation must start with a user message. Try again with a conversation that starts with a " +
			"user message.")
	}
	for i, m := range r.Messages {
		switch {
		case m.Role != "user" && m.Role != "assistant":
			return refuse("Value '%s' at 'messages.%d.member.role' failed to satisfy constraint: Member must satisfy enum "+
				"value set: [user, assistant]", m.Role, i+1)
		case i > 0 && m.Role == r.Messages[i-1].Role:
			return refuse("A conversation must alternate between user and assistant roles. Make sure the conversation " +
				"alternates between user and assistant roles and try again.")
		case len(m.Content) == 0:
			return refuse("The content field in the Message object at messages.%d is empty. Add a ContentBlock object to the "+
				"content field and try again.", i)
		}
	}
	return nil
}

// blockKinds are the kinds of blocks by role. Source: aws-sdk-go-v2,
// types.ContentBlock, read 2026-11-30.
var blockKinds = map[string][]string{
	"user":      strings.Fields("text image document video audio toolResult cachePoint guardContent searchResult"),
	"assistant": strings.Fields("text image document toolUse reasoningContent cachePoint citationsContent"),
	"system":    strings.Fields("text cachePoint guardContent"),
	"result":    strings.Fields("text json image document video searchResult"),
}

func checkBlocks(r *request) *core.Refusal {
	for i, b := range r.System {
		if f := r.checkBlock(b, "system", fmt.Sprintf("system.%d", i)); f != nil {
			return f
		}
	}
	for i, m := range r.Messages {
		for j, b := range m.Content {
			if f := r.checkBlock(b, m.Role, fmt.Sprintf("messages.%d.content.%d", i, j)); f != nil {
				return f
			}
		}
	}
	return nil
}

func (r *request) checkBlock(b block, role, where string) *core.Refusal {
	for kind, raw := range b {
		text, isText := jsondoc.Text(raw)
		switch {
		case len(b) != 1, !slices.Contains(blockKinds[role], kind):
			return refuse("The format of the value at %s in the request isn't valid: one of %s is expected.", where,
				strings.Join(blockKinds[role], ", "))
		case kind == "text" && (!isText || strings.TrimSpace(text) == ""):
			return refuse("The text field in the ContentBlock object at %s is blank. Add text to the text field, and try again.",
				where)
		}
	}
	if c := b.readCall(); c != nil {
		return r.checkCall(c, where)
	}
	res := b.readResult()
	if res == nil {
		return nil
	}
	if res.Status != "" && !r.family.Status {
		return refuse("This model doesn't support the status field. Remove status and try again.")
	}
	if res.Status != "" && res.Status != "success" && res.Status != "error" {
		return refuse("Value '%s' at '%s.toolResult.status' failed to satisfy constraint: Member must satisfy enum value "+
			"set: [success, error]", res.Status, where)
	}
	for j, c := range res.Content {
		if f := r.checkBlock(c, "result", fmt.Sprintf("%s.toolResult.content.%d", where, j)); f != nil {
			return f
		}
	}
	return r.checkID(res.ID, where+".toolResult")
}

func (r *request) checkCall(c *toolUse, where string) *core.Refusal {
	switch {
	case !namePattern.MatchString(c.Name):
		return refuse("Value '%s' at '%s.toolUse.name' failed to satisfy constraint: Member must satisfy regular "+
			"expression pattern: [a-zA-Z0-9_-]+", c.Name, where)
	case !jsondoc.IsObject(c.Input):
		return refuse("The format of the value at %s.toolUse.input is invalid. Provide a json object for the field and try "+
			"again.", where)
	}
	return r.checkID(c.ID, where+".toolUse")
}

func (r *request) checkID(id, where string) *core.Refusal {
	switch {
	case !namePattern.MatchString(id):
		return refuse("Value '%s' at '%s.toolUseId' failed to satisfy constraint: Member must satisfy regular expression "+
			"pattern: [a-zA-Z0-9_-]+", id, where)
	case r.family.ShortIDs && !shortID.MatchString(id):
		return refuse("The model returned the following errors: Tool use id was %s but must be a-z, A-Z, 0-9, with a "+
			"length of 9.", id)
	}
	return nil
}

// checkPairs: the results of all calls stand in the next message, and
// nowhere else.
func checkPairs(r *request) *core.Refusal {
	var open []string
	for i, m := range r.Messages {
		var results []string
		var calls []string
		for _, b := range m.Content {
			if res := b.readResult(); res != nil {
				results = append(results, res.ID)
			}
			if c := b.readCall(); c != nil {
				calls = append(calls, c.ID)
			}
		}
		if len(results) > len(open) {
			return refuse("The number of toolResult blocks at messages.%d.content exceeds the number of toolUse blocks of "+
				"previous turn.", i)
		}
		for _, id := range open {
			if !slices.Contains(results, id) {
				return refuse("Expected toolResult blocks at messages.%d.content for the following Ids: %s", i,
					strings.Join(open, ", "))
			}
		}
		open = calls
	}
	if len(open) > 0 {
		return refuse("Expected toolResult blocks at messages.%d.content for the following Ids: %s", len(r.Messages),
			strings.Join(open, ", "))
	}
	return nil
}

// checkTools: definitions are wanted wherever tools are in the history.
// Source: vercel/ai, packages/amazon-bedrock,
// amazon-bedrock-chat-language-model.ts, read 2026-11-30.
func checkTools(r *request) *core.Refusal {
	if r.ToolConfig == nil {
		for _, m := range r.Messages {
			for _, b := range m.Content {
				if b["toolUse"] != nil || b["toolResult"] != nil {
					return refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
				}
			}
		}
		return nil
	}
	seen := map[string]bool{}
	for i, t := range r.ToolConfig.Tools {
		where := fmt.Sprintf("toolConfig.tools.%d", i)
		switch {
		case t.Spec == nil && t.CachePoint != nil:
			continue
		case t.Spec == nil:
			return refuse("The format of the value at %s in the request isn't valid.", where)
		case !namePattern.MatchString(t.Spec.Name):
			return refuse("Value '%s' at '%s.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular "+
				"expression pattern: [a-zA-Z0-9_-]+", t.Spec.Name, where)
		case seen[t.Spec.Name]:
			return refuse("The tool names in the toolConfig must be unique: %s.", t.Spec.Name)
		}
		seen[t.Spec.Name] = true
		if why := schema.CheckArguments(t.Spec.Schema.JSON); why != "" {
			return refuse("The value at %s.toolSpec.inputSchema.json is invalid: %s", where, why)
		}
		if t.Spec.Strict {
			if why := schema.CheckClosed(t.Spec.Schema.JSON); why != "" {
				return refuse("The model returned the following errors: tools.%d.custom: %s", i, why)
			}
		}
	}
	if len(seen) == 0 {
		return refuse("The toolConfig.tools field must have at least 1 tool.")
	}
	return nil
}

// checkChoice: source: aws-sdk-go-v2, bedrockruntime types.go, ToolChoice, read
// 2026-11-30.
func checkChoice(r *request) *core.Refusal {
	if r.ToolConfig == nil {
		return nil
	}
	for kind, raw := range r.ToolConfig.Choice {
		if !slices.Contains([]string{"auto", "any", "tool"}, kind) || len(r.ToolConfig.Choice) != 1 {
			return refuse("The format of the value at toolConfig.toolChoice in the request isn't valid: one of auto, any, " +
				"tool is expected.")
		}
		name, _ := jsondoc.Text(jsondoc.Members(raw)["name"])
		if kind == "tool" &&
			!slices.ContainsFunc(r.ToolConfig.Tools, func(t tool) bool { return t.Spec != nil && t.Spec.Name == name }) {
			return refuse("The tool %s in toolConfig.toolChoice is not among toolConfig.tools.", name)
		}
	}
	return nil
}

func checkSettings(r *request) *core.Refusal {
	if f := r.Output.TextFormat; f != nil && (f.Type != "json_schema" || f.Structure.JSONSchema == nil) {
		return refuse("The format of the value at outputConfig.textFormat in the request isn't valid.")
	}
	in := &r.Inference
	switch {
	case in.MaxTokens != nil && *in.MaxTokens < 1:
		return refuse("Value '%d' at 'inferenceConfig.maxTokens' failed to satisfy constraint: Member must have value "+
			"greater than or equal to 1", *in.MaxTokens)
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 1):
		return refuse("Value '%v' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value "+
			"less than or equal to 1", *in.Temperature)
	case in.TopP != nil && (*in.TopP < 0 || *in.TopP > 1):
		return refuse("Value '%v' at 'inferenceConfig.topP' failed to satisfy constraint: Member must have value less than "+
			"or equal to 1", *in.TopP)
	}
	return nil
}

func checkClaude(r *request) *core.Refusal {
	if !r.family.Claude {
		return nil
	}
	if f := r.translated.CheckModelRules(); f != nil {
		return refuse("The model returned the following errors: %s", f.Message)
	}
	return nil
}
