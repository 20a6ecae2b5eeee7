package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Bedrock speaks the Converse API of Amazon Bedrock. What a model takes depends
// on its family. There is no none: the tools are left out, or, where the history
// holds calls, kept, and calls in the reply are refused.
type Bedrock struct{ core }

// NewBedrock returns an engine for Amazon Bedrock. Config.Region defaults to
// $AWS_REGION. The key is a Bedrock API key, by default
// $AWS_BEARER_TOKEN_BEDROCK; with Config.Sign requests are signed instead: see
// the module github.com/sabir-go/sabir/aws.
func NewBedrock(cfg Config) *Bedrock { return &Bedrock{newCore(bedrock, cfg)} }

// Source: aws-sdk-go-v2, service/bedrockruntime v1.63.13 (Converse: parameters,
// tool choice for which families, outputConfig); vercel/ai,
// packages/amazon-bedrock/src (5.0.101: definitions wanted when the history has
// calls; forcing beside thinking); read 2026-11-30.
var bedrock = profile.Profile{
	Name:    "bedrock",
	BaseURL: "https://bedrock-runtime.{region}.amazonaws.com",
	Auth:    profile.Bearer("AWS_BEARER_TOKEN_BEDROCK"),
	Region:  profile.Place{Env: "AWS_REGION"},
	Dialect: profile.BedrockConverse,
	Tools:   toolchoice.Bedrock,
	Schemas: schema.Anthropic,
	Can: profile.Streaming | profile.ToolUse | profile.CallsNeedTools | profile.Images | profile.ResultImages | profile.Files |
		profile.Temperature | profile.TopP | profile.Stop | profile.Metadata,
	Choice:  profile.ChoiceSupport{Auto: profile.Native, Any: profile.Unknown, None: profile.Emulated, Named: profile.Unknown},
	Models:  bedrockModels(),
	Quirks:  profile.Quirks{NoResultStatus: true},
	Example: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}
