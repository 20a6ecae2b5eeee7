package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/toolchoice"
)

// sight is a request as the provider sees it, beside what is claimed of the
// provider and the model.
type sight struct {
	wireView
	facts claims.Facts
	req   *chat.Request // what the caller asked for
}

// refusals say, for each kind of claim, why a provider that the claim holds for
// would refuse or ignore a request; empty if it would not. What a provider does
// is said by the rows of internal/claims, on purpose not by the profiles: a
// mistake in a profile must not be repeated here.
var refusals = map[claims.What]func(sight, claims.Row) string{
	claims.Off:                  refuseOff,
	claims.ThinkingTypes:        refuseThinkingType,
	claims.Efforts:              refuseEffort,
	claims.EffortsWhenOff:       refuseEffortWhenOff,
	claims.Budget:               refuseBudget,
	claims.Sampling:             refuseSampling,
	claims.SamplingPair:         refuseSamplingPair,
	claims.Tools:                refuseTools,
	claims.Forced:               refuseForced,
	claims.Auto:                 refuseChoice(toolchoice.ModeAuto),
	claims.None:                 refuseChoice(toolchoice.ModeNone),
	claims.Any:                  refuseChoice(toolchoice.ModeAny),
	claims.Named:                refuseChoice(toolchoice.ModeTool),
	claims.ChoiceWords:          refuseChoiceWord,
	claims.Subset:               refuseSubset,
	claims.HistoryWithCalls:     refuseHistory,
	claims.JSONMode:             refuseJSONMode,
	claims.Schema:               refuseSchema,
	claims.SchemaWhileThinking:  refuseSchemaWhileThinking,
	claims.JSONBesideTools:      refuseJSONBesideTools,
	claims.JSONBesideForced:     refuseJSONBesideForced,
	claims.Served:               refuseModel,
	claims.Refused:              refuseMembers,
	claims.RefusedWhileThinking: refuseMembersWhileThinking,
	claims.Ignored:              refuseMembers,
	claims.Aliases:              refuseMembers,
	claims.Metadata:             refuseMetadata,
	claims.MaxTokens:            refuseMaxTokens,
	claims.Stored:               refuseStored,
	claims.EncryptedThoughts:    refuseEncryptedThoughts,
}

// broken is a claim that a request goes against, and how.
type broken struct {
	what claims.What
	how  string
}

// breaks holds a request against all that is claimed.
func breaks(s sight) []broken {
	var all []broken
	for _, what := range slices.Sorted(maps.Keys(s.facts)) {
		refuse := refusals[what]
		if refuse == nil {
			continue
		}
		if how := refuse(s, s.facts[what]); how != "" {
			all = append(all, broken{what, how})
		}
	}
	return all
}

// saysOff names the setting that switches thinking off; empty if none does.
func (s sight) saysOff() string {
	switch {
	case s.thinkType == "disabled" || s.thinkType == false:
		return "type"
	case s.effort == "none":
		return "effort"
	case s.budget == 0.0:
		return "budget"
	}
	return ""
}

func (s sight) asksToThink() bool {
	ways, known := s.facts.Words(claims.AskedBy)
	if !known {
		ways = []string{"type", "effort", "budget"}
	}
	said := map[string]any{"type": s.thinkType, "effort": s.effort, "budget": s.budget}
	return s.saysOff() == "" && slices.ContainsFunc(ways, func(way string) bool { return said[way] != nil })
}

// thinks reports whether the model thinks about this request.
func (s sight) thinks() bool {
	switch s.facts.Is(claims.Thinks) {
	case "always":
		return true
	case "never":
		return false
	case "by_default":
		return s.saysOff() == ""
	}
	return s.asksToThink()
}

// when answers what if the claim is one of the words, or holds while thinking
// and the model thinks.
func (s sight) when(r claims.Row, what string, words ...string) string {
	while := r.Is == "refused_while_thinking" || r.Is == "ignored_while_thinking" || r.Is == "unproven_while_thinking"
	switch {
	case slices.Contains(words, r.Is):
		return what + ": " + r.Is
	case while && s.thinks():
		return what + " while thinking: " + r.Is
	}
	return ""
}

func refuseOff(s sight, r claims.Row) string {
	switch way := s.saysOff(); {
	case way == "" || way == r.Is:
		return ""
	case r.Is == "refused":
		return "thinking off where it can't be"
	default:
		return fmt.Sprintf("thinking switched off by the %s, not by the %s", way, r.Is)
	}
}

func refuseThinkingType(s sight, r claims.Row) string {
	if s.thinkType != nil && !slices.Contains(r.Words, fmt.Sprint(s.thinkType)) {
		return fmt.Sprintf("a type of thinking: %v is none of %q", s.thinkType, r.Words)
	}
	return ""
}

func refuseEffort(s sight, r claims.Row) string {
	if s.effort != nil && !slices.Contains(r.Words, fmt.Sprint(s.effort)) {
		return fmt.Sprintf("an effort: %v is none of %q", s.effort, r.Words)
	}
	return ""
}

func refuseEffortWhenOff(s sight, r claims.Row) string {
	if s.saysOff() != "" {
		return refuseEffort(s, r)
	}
	return ""
}

func refuseBudget(s sight, r claims.Row) string {
	budget, given := s.budget.(float64)
	limit, limited := s.limit.(float64)
	switch {
	case !given || slices.Contains(r.Words, fmt.Sprint(budget)):
		return ""
	case r.Is == "refused":
		return "a thinking budget"
	case budget < float64(r.Least) || r.Most > 0 && budget > float64(r.Most):
		return "a budget out of bounds"
	case r.Is == "below_max_tokens" && limited && budget >= limit:
		return "a budget that isn't below the limit"
	}
	return ""
}

func refuseSampling(s sight, r claims.Row) string {
	if s.temperature == nil && s.topP == nil {
		return ""
	}
	return s.when(r, "temperature or top_p", "refused")
}

func refuseSamplingPair(s sight, r claims.Row) string {
	if s.temperature == nil || s.topP == nil {
		return ""
	}
	return s.when(r, "temperature and top_p", "refused")
}

func refuseTools(s sight, r claims.Row) string {
	if len(s.tools) == 0 && s.body["tools"] == nil {
		return ""
	}
	return s.when(r, "tools", "refused", "ignored", "no_member")
}

func refuseForced(s sight, r claims.Row) string {
	switch {
	case !s.forced:
		return ""
	case r.Is == "refused_while_enabled" && s.thinkType == "enabled":
		return "forced with thinking enabled"
	}
	return s.when(r, "forced", "refused", "ignored")
}

func refuseChoice(mode toolchoice.Mode) func(sight, claims.Row) string {
	return func(s sight, r claims.Row) string {
		if s.choice == nil || modeOf(s.choice) != mode {
			return ""
		}
		return s.when(r, "a choice", "refused", "ignored", "no_form")
	}
}

func refuseChoiceWord(s sight, r claims.Row) string {
	if word, ok := s.choice.(string); ok && !slices.Contains(r.Words, word) {
		return fmt.Sprintf("a choice: %q is none of %q", word, r.Words)
	}
	return ""
}

func refuseSubset(s sight, r claims.Row) string {
	mode, _ := dig(s.choice, "mode").(string)
	if dig(s.choice, "allowedFunctionNames") != nil && !slices.Contains(r.Words, mode) {
		return "a subset of functions with the mode " + mode
	}
	return ""
}

func refuseHistory(s sight, r claims.Row) string {
	if !s.history || r.Is == "needs_tools" && len(s.tools) > 0 {
		return ""
	}
	return s.when(r, "calls in the history", "no_member", "needs_tools")
}

func refuseJSONMode(s sight, r claims.Row) string {
	if !s.jsonMode || s.schema != nil {
		return ""
	}
	return s.when(r, "JSON mode", "refused", "no_member")
}

func refuseSchema(s sight, r claims.Row) string {
	if s.schema == nil {
		return ""
	}
	return s.when(r, "a schema", "refused", "no_member")
}

// refuseSchemaWhileThinking: a schema that stands in for a forced tool must
// hold for sure.
func refuseSchemaWhileThinking(s sight, r claims.Row) string {
	if s.schema == nil || !s.req.ToolChoice.Forced() || !s.thinks() {
		return ""
	}
	return s.when(r, "a schema for a forced tool while the model may think", "may_be_skipped")
}

func refuseJSONBesideTools(s sight, r claims.Row) string {
	if !s.jsonMode || len(s.tools) == 0 {
		return ""
	}
	return s.when(r, "JSON beside tools", "refused", "hides_calls")
}

func refuseJSONBesideForced(s sight, r claims.Row) string {
	if !s.jsonMode || !s.forced {
		return ""
	}
	return s.when(r, "JSON with a forced call", "refused")
}

func refuseModel(s sight, r claims.Row) string { return s.when(r, "a model of another endpoint", "no") }

func refuseMembers(s sight, r claims.Row) string {
	for _, path := range r.Words {
		var at any = s.body
		for step := range strings.SplitSeq(path, ".") {
			at = dig(at, step)
		}
		if at != nil {
			return fmt.Sprintf("the member %s is one of the %s", path, r.What)
		}
	}
	return ""
}

func refuseMembersWhileThinking(s sight, r claims.Row) string {
	if !s.thinks() {
		return ""
	}
	return refuseMembers(s, r)
}

func refuseMetadata(s sight, r claims.Row) string {
	if s.body["metadata"] == nil || r.Is == "needs_store" && s.body["store"] == true {
		return ""
	}
	return s.when(r, "metadata", "refused", "needs_store")
}

func refuseMaxTokens(s sight, r claims.Row) string {
	limit, limited := s.limit.(float64)
	if limited && (limit < float64(r.Least) || r.Most > 0 && limit > float64(r.Most)) {
		return "a limit out of bounds"
	}
	return ""
}

func refuseStored(s sight, r claims.Row) string {
	if s.body["store"] == false {
		return ""
	}
	return s.when(r, "a conversation left at the provider", "unless_false")
}

func refuseEncryptedThoughts(s sight, r claims.Row) string {
	if include, _ := s.body["include"].(list); !slices.Contains(include, any("reasoning.encrypted_content")) {
		return ""
	}
	return s.when(r, "encrypted thoughts asked for", "refused")
}

// modeOf reads the mode of a tool choice of any wire.
func modeOf(choice any) toolchoice.Mode {
	word, _ := choice.(string)
	kind, _ := dig(choice, "type").(string)
	inner, _ := dig(choice, "mode").(string)
	switch {
	case dig(choice, "tool") != nil, kind == "tool", kind == "function":
		return toolchoice.ModeTool
	case inner == "ANY":
		if names, _ := dig(choice, "allowedFunctionNames").(list); len(names) == 1 {
			return toolchoice.ModeTool
		}
		return toolchoice.ModeAny
	case isForced(choice):
		return toolchoice.ModeAny
	case dig(choice, "none") != nil, kind == "none", strings.EqualFold(word, "none"), inner == "NONE":
		return toolchoice.ModeNone
	}
	return toolchoice.ModeAuto
}

// mistake is a claim that a profile is known not to keep for a model.
type mistake struct {
	engine, model string
	what          claims.What
}

// mistaken are the profiles' known mistakes, each with what goes wrong. A
// mistake that no request shows any more must be taken off the list.
var mistaken = map[mistake]string{
	{"anthropic", "claude-any-other", claims.Sampling}:              "all models from 4.7 on refuse temperature and top_p",
	{"bedrock", "us.anthropic.claude-opus-4-8-v1:0", claims.Schema}: "outputConfig.textFormat is for 4.5 and Opus 4.6",
	{"bedrock", "acme.any-other-v1:0", claims.Efforts}:              "outputConfig.effort is Claude's",
	{"bedrock", "deepseek.v3-v1:0", claims.Efforts}:                 "outputConfig.effort is Claude's",
	{"openai", "gpt-5.5", claims.Tools}:                             "it reasons unless the effort none is said",
	{"openai", "gpt-5.5", claims.Sampling}:                          "it reasons unless the effort none is said",
	{"openai", "gpt-6", claims.Efforts}:                             "only sol, luna and 6.1-terra take none",
	{"openai", "gpt-6", claims.Tools}:                               "they go with the effort none, which it doesn't take",
	{"openai", "gpt-6", claims.Sampling}:                            "it goes with the effort none, which it doesn't take",
	{"openai", "gpt-6", claims.Off}:                                 "only sol, luna and 6.1-terra can stop reasoning",
	{"openai", "o3", claims.Refused}:                                "parallel_tool_calls is refused by o1, o3 and o4-mini",
	{"openai-responses", "gpt-5.5", claims.Sampling}:                "it reasons unless the effort none is said",
}

// forbidden says why a body must not have been sent. It notes in seen what it
// has said, and the known mistakes, which it passes over.
func forbidden(entry engine.Entry, req *chat.Request, v wireView, body []byte, seen map[mistake]bool) string {
	switch keys := duplicateKeys(body); {
	case keys != "":
		return "member sent twice: " + keys
	case v.model != req.Model:
		return "asked of model " + v.model
	case v.choice != nil && len(v.tools) == 0:
		return "a tool choice without tools"
	case v.body["parallel_tool_calls"] != nil && len(v.tools) == 0:
		return "parallel_tool_calls without tools"
	case v.jsonMode && v.forced:
		return "an answer that must be a call and a document at once"
	}
	var why strings.Builder
	s := sight{v, claims.About(entry.Profile.Name, req.Model), req}
	for _, b := range breaks(s) {
		m := mistake{entry.Profile.Name, req.Model, b.what}
		if !seen[m] && mistaken[m] == "" {
			fmt.Fprintf(&why, "%s\nclaim %s\n", b.how, asJSON(s.facts[b.what]))
		}
		seen[m] = true
	}
	return why.String()
}
