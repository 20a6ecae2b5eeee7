package models

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
)

// Bedrock is what the models of a vendor take. Source: aws-sdk-go-v2,
// bedrockruntime types.go, ToolChoice and ToolResultBlock; vercel/ai,
// packages/amazon-bedrock, normalize-tool-call-id.ts; read 2026-11-30.
type Bedrock struct {
	Known, Claude bool
	Facts         claims.Facts
	Status        bool // of results
	ShortIDs      bool
}

// FindBedrock finds what a model accepts.
func FindBedrock(id string) Bedrock {
	has := func(part string) bool { return strings.Contains(id, part) }
	vendors := strings.Fields(`anthropic.claude amazon.nova mistral. deepseek. meta. cohere. ai21. openai. qwen.
		moonshot. nvidia. writer. zai. minimax. google.`)
	return Bedrock{
		Known: slices.ContainsFunc(vendors, has), Claude: has("anthropic.claude"), Facts: claims.About("bedrock", id),
		Status: has("anthropic.claude") || has("amazon.nova"), ShortIDs: has("mistral."),
	}
}

// TrimBedrock is a model's name without what Bedrock puts around it.
func TrimBedrock(id string) string {
	if i := strings.Index(id, "anthropic."); i >= 0 {
		id = id[i+len("anthropic."):]
	}
	name, _, _ := strings.Cut(id, ":")
	return name
}
