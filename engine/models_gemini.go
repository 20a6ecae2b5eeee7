package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

// olderGemini lacks what Gemini 3 brought: JSON beside functions, a subset of
// tools under auto, images in results.
const olderGemini = profile.SchemaWithTools | profile.SubsetAuto | profile.ResultImages

var geminiModels = []profile.ModelRule{
	{Match: []string{"gemini-2.5-pro*"}, Drop: olderGemini, Quirks: &profile.Quirks{}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, Enabled: true, Adaptive: true, Budget: true, MinBudget: 128, MaxBudget: 32768, Display: true,
	}},
	{Match: []string{"gemini-2.5-flash-lite*"}, Drop: olderGemini, Quirks: &profile.Quirks{}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MinBudget: 512, MaxBudget: 24576, Display: true,
	}},
	{Match: []string{"gemini-2.5*"}, Drop: olderGemini, Quirks: &profile.Quirks{}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksByDefault, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MaxBudget: 24576, Display: true,
	}},
	{Match: []string{"gemini-1*", "gemini-2*"}, Drop: olderGemini, Quirks: &profile.Quirks{}, Thinking: &thinksNever},
	{Match: []string{"gemini-3.7*", "gemini-3.8*", "gemini-3*-pro*"}, Thinking: &geminiLevels},
	{Match: []string{"gemini-3*"}, Thinking: &profile.ThinkingSupport{State: profile.ThinksAlways, Efforts: fromMinimal, Display: true}},
	{Match: []string{"gemini-4-hydrogen*"}, Thinking: &profile.ThinkingSupport{State: profile.ThinksAlways, Efforts: toXHigh, Display: true}},
}

// geminiLevels: thinking can't be off, and minimal is refused by the newer.
var geminiLevels = profile.ThinkingSupport{State: profile.ThinksAlways, Efforts: []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh}, Display: true}

// geminiQuirks: calls that the model did not make go with a stand-in for the
// signature, where Gemini 3 would refuse them without one.
var geminiQuirks = profile.Quirks{CallSignature: "skip_thought_signature_validator"}
