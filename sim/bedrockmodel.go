package sim

import (
	"slices"
	"strings"
)

// bedrockFamily is what the models of a vendor take. Source: aws-sdk-go-v2,
// bedrockruntime types.go, ToolChoice and ToolResultBlock; vercel/ai,
// packages/amazon-bedrock, normalize-tool-call-id.ts; read 2026-11-30.
type bedrockFamily struct {
	known, claude  bool
	anyTool, named bool
	status         bool // of results
	shortIDs       bool
}

func bedrockModel(id string) bedrockFamily {
	has := func(part string) bool { return strings.Contains(id, part) }
	switch {
	case has("anthropic.claude"):
		return bedrockFamily{known: true, claude: true, anyTool: true, named: true, status: true}
	case has("amazon.nova"):
		return bedrockFamily{known: true, anyTool: true, named: true, status: true}
	case has("mistral."):
		return bedrockFamily{known: true, anyTool: has("mistral-large"), shortIDs: true}
	case has("deepseek."):
		return bedrockFamily{known: true, anyTool: has("deepseek.v3")}
	}
	vendors := strings.Fields("meta. cohere. ai21. openai. qwen. moonshot. nvidia. writer. zai. minimax. google.")
	return bedrockFamily{known: slices.ContainsFunc(vendors, has)}
}

// claudeID is a model's name without what Bedrock puts around it.
func claudeID(id string) string {
	if i := strings.Index(id, "anthropic."); i >= 0 {
		id = id[i+len("anthropic."):]
	}
	name, _, _ := strings.Cut(id, ":")
	return name
}
