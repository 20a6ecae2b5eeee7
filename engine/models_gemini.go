package engine

import "github.com/sabir-go/sabir/chat"

// olderGemini lacks what Gemini 3 brought: JSON beside functions, a subset of
// tools under auto, images in results.
const olderGemini = SchemaWithTools | SubsetAuto | ResultImages

var geminiModels = []ModelRule{
	{Match: []string{"gemini-2.5-pro*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &ThinkingSupport{
		State: ThinksAlways, Enabled: true, Adaptive: true, Budget: true, MinBudget: 128, MaxBudget: 32768, Display: true,
	}},
	{Match: []string{"gemini-2.5-flash-lite*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MinBudget: 512, MaxBudget: 24576, Display: true,
	}},
	{Match: []string{"gemini-2.5*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &ThinkingSupport{
		State: ThinksByDefault, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MaxBudget: 24576, Display: true,
	}},
	{Match: []string{"gemini-1*", "gemini-2*"}, Drop: olderGemini, Quirks: &Quirks{}, Thinking: &thinksNever},
	{Match: []string{"gemini-3.7*", "gemini-3.8*", "gemini-3*-pro*"}, Thinking: &geminiLevels},
	{Match: []string{"gemini-3*"}, Thinking: &ThinkingSupport{State: ThinksAlways, Efforts: fromMinimal, Display: true}},
	{Match: []string{"gemini-4-hydrogen*"}, Thinking: &ThinkingSupport{State: ThinksAlways, Efforts: toXHigh, Display: true}},
}

// geminiLevels: thinking can't be off, and minimal is refused by the newer.
var geminiLevels = ThinkingSupport{State: ThinksAlways, Efforts: []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh}, Display: true}

// geminiQuirks: calls that the model did not make go with a stand-in for the
// signature, where Gemini 3 would refuse them without one.
var geminiQuirks = Quirks{CallSignature: "skip_thought_signature_validator"}
