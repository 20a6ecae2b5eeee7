package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// Groq serves open models fast. It keeps every tool choice, also while a model
// thinks, and takes no JSON output beside tools.
type Groq struct{ core }

// NewGroq returns an engine for Groq. The key defaults to $GROQ_API_KEY.
func NewGroq(cfg Config) *Groq { return &Groq{newCore(groq, cfg)} }

// Source: groq-python, src/groq/types/chat/completion_create_params.py
// (parameters, tool_choice, max_completion_tokens, reasoning_effort and
// reasoning_format by model); recordings of all four choices in 0xPlaygrounds/rig
// and of forced choices on a reasoning gpt-oss in maruel/genai; 400 for JSON
// beside tools, agno-agi/agno#1065; read 2026-11-30.
var groq = profile.Profile{
	Name:    "groq",
	BaseURL: "https://api.groq.com/openai/v1",
	Auth:    profile.Bearer("GROQ_API_KEY"),
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Can: profile.Streaming | profile.ToolUse | profile.ParallelSwitch | profile.JSONMode | profile.OpenSchema | profile.Images | profile.ImageURLs | profile.ResultImages |
		profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Choice: nativeChoice,
	Guard:  profile.GuardNever,
	Models: []profile.ModelRule{
		{Match: []string{"openai/gpt-oss*"}, Add: profile.JSONSchema, Drop: profile.Images, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksAlways, OnEffort: "medium",
			Efforts: []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh},
		}},
		{Match: []string{"qwen/qwen3*"}, Drop: profile.Images, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksByDefault, OffEffort: "none", OnEffort: "default",
			// Thoughts left in the text are not taken with tools or JSON.
			Format: "parsed",
		}},
		{Match: []string{"meta-llama/llama-4*"}, Add: profile.JSONSchema, Thinking: &thinksNever},
		// Compound systems run only the server's own tools.
		{Match: []string{"groq/compound*", "compound*"}, Drop: profile.ToolUse | profile.JSONMode, Thinking: &thinksNever},
		{Match: []string{"llama-*", "gemma*", "allam*"}, Drop: profile.Images, Thinking: &thinksNever},
	},
	Quirks: profile.Quirks{
		// Usage comes in the finish chunk, unasked.
		NoStreamOptions: true,
	},
	Example: "llama-3.3-70b-versatile",
}
