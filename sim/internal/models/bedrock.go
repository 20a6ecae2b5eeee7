package models

import (
	"slices"
	"strings"
)

// Bedrock is what the models of a vendor take. Source: aws-sdk-go-v2,
// bedrockruntime types.go, ToolChoice and ToolResultBlock; vercel/ai,
// packages/amazon-bedrock, normalize-tool-call-id.ts; read 2026-11-30.
type Bedrock struct {
	Known, Claude  bool
	AnyTool, Named bool
	Status         bool // of results
	ShortIDs       bool
}

// FindBedrock finds what a model accepts.
func FindBedrock(id string) Bedrock {
	has := func(part string) bool { return strings.Contains(id, part) }
	switch {
	case has("anthropic.claude"):
		return Bedrock{Known: true, Claude: true, AnyTool: true, Named: true, Status: true}
	case has("amazon.nova"):
		return Bedrock{Known: true, AnyTool: true, Named: true, Status: true}
	case has("mistral."):
		return Bedrock{Known: true, AnyTool: has("mistral-large"), ShortIDs: true}
	case has("deepseek."):
		return Bedrock{Known: true, AnyTool: has("deepseek.v3")}
	}
	vendors := strings.Fields("meta. cohere. ai21. openai. qwen. moonshot. nvidia. writer. zai. minimax. google.")
	return Bedrock{Known: slices.ContainsFunc(vendors, has)}
}

// TrimBedrock is a model's name without what Bedrock puts around it.
func TrimBedrock(id string) string {
	if i := strings.Index(id, "anthropic."); i >= 0 {
		id = id[i+len("anthropic."):]
	}
	name, _, _ := strings.Cut(id, ":")
	return name
}
