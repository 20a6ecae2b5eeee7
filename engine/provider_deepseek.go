package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// DeepSeek thinks by default, and while it thinks it can't be forced to call a
// tool: switch thinking off for that turn, or ask with chat.AskFor.
type DeepSeek struct{ core }

// NewDeepSeek returns an engine for DeepSeek. The key defaults to
// $DEEPSEEK_API_KEY.
func NewDeepSeek(cfg Config) *DeepSeek { return &DeepSeek{newCore(deepSeek, cfg)} }

// Source: https://api-docs.deepseek.com/guides/thinking_mode.md (on by default;
// thinking.type enabled, disabled, adaptive; reasoning_effort, with the words
// in between mapped by the server; temperature and top_p without effect while
// thinking; reasoning_content to be sent back on tool turns); recorded 400 for
// a forced choice while thinking, 0xPlaygrounds/rig, wire_shape_matrix;
// json_object only, rig-core providers/deepseek.rs; read 2026-11-30.
var deepSeek = profile.Profile{
	Name:    "deepseek",
	BaseURL: "https://api.deepseek.com",
	Auth:    profile.Bearer("DEEPSEEK_API_KEY"),
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Can:     profile.Streaming | profile.ToolUse | profile.JSONMode | profile.OpenSchema | profile.Temperature | profile.TopP | profile.Stop,
	// Whether an explicit none is taken while thinking is reported both ways
	// (osaurus-ai/osaurus#1940 and the guide): leaving the tools out is safe.
	Choice: profile.ChoiceSupport{Auto: profile.Native, Any: profile.Native, None: profile.Emulated, Named: profile.Native},
	Guard:  profile.GuardThinking,
	Thinking: profile.ThinkingSupport{
		State: profile.ThinksByDefault, Enabled: true, Adaptive: true, OffType: "disabled",
		Efforts: []chat.Effort{
			chat.EffortMinimal, chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh, chat.EffortMax,
		},
		// Ignored by the server, which would be a quiet loss.
		NoSampling: true,
	},
	Quirks: profile.Quirks{
		MaxTokensKey:      "max_tokens",
		ThinkingObject:    true,
		ReplayThinking:    "reasoning_content",
		ReplayOnToolTurns: true,
		// Usage comes in the finish chunk, unasked.
		NoStreamOptions: true,
	},
	Example: "deepseek-v4-flash",
}
