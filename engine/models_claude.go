package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

var claudeEfforts = []chat.Effort{
	chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh, chat.EffortMax,
}

const sampling = profile.Temperature | profile.TopP

// claudeModels is what each model does about thinking and forcing.
// Source: the catalogues of vercel/ai, packages/anthropic/src/anthropic-model-catalog.ts
// (4.0.105), and pydantic-ai, profiles/anthropic.py; the migration guides of
// platform.claude.com for Opus 5.5, Sonnet 5.5, Haiku 5.5, Fable 5.1 and 5.2;
// forcing with adaptive thinking on 4.6 to 5: recorded 200 in pydantic-ai,
// tests/models/cassettes/test_anthropic; Fable 5 and Mythos 5: rejected in
// browserbase/stagehand#2221, so taken as rejecting; read 2026-11-30.
var claudeModels = []profile.ModelRule{
	{Match: []string{"claude-opus-5-5*", "claude-sonnet-5-5*", "claude-fable-5*", "claude-mythos-5*"}, Drop: sampling, Guard: profile.GuardAlways, Thinking: &claudeAlways},
	{Match: []string{"claude-haiku-5-5*"}, Drop: sampling, Guard: profile.GuardNever, Thinking: &claudeOn},
	{Match: []string{"claude-opus-5*", "claude-sonnet-5*"}, Drop: sampling, Guard: profile.GuardNever, Thinking: &claudeOn},
	{Match: []string{"claude-opus-4-7*", "claude-opus-4-8*"}, Drop: sampling, Guard: profile.GuardNever, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, Adaptive: true, OffType: "disabled", Efforts: claudeEfforts, Display: true,
	}},
	{Match: []string{"claude-opus-4-6*", "claude-sonnet-4-6*"}, Add: profile.OneSampling, Guard: profile.GuardEnabled, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, Enabled: true, Adaptive: true, OffType: "disabled", Budget: true, MinBudget: 1024, ThoughtFirst: true,
		Efforts: claudeEfforts, NoSampling: true,
	}},
	{Match: []string{"claude-opus-4-5*"}, Add: profile.OneSampling, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, Enabled: true, OffType: "disabled", Budget: true, MinBudget: 1024, ThoughtFirst: true,
		Efforts: claudeEfforts[:3], NoSampling: true,
	}},
	{Match: []string{"claude-3-5*", "claude-3-haiku*", "claude-3-opus*"}, Drop: profile.JSONSchema, Thinking: &thinksNever},
	{Match: []string{"claude-3*"}, Drop: profile.JSONSchema, Thinking: &claudeBudget},
	{Match: []string{"claude-sonnet-4-0*", "claude-opus-4-0*", "claude-sonnet-4-2*", "claude-opus-4-2*"}, Add: profile.OneSampling, Drop: profile.JSONSchema, Thinking: &claudeBudget},
	{Match: []string{"claude-sonnet-4*", "claude-haiku-4*", "claude-opus-4*"}, Add: profile.OneSampling, Thinking: &claudeBudget},
	// A model that no rule knows is taken to be like the newest: a named tool
	// travels as a schema, which every model of today takes.
	{Match: []string{"*"}, Guard: profile.GuardAlways, Thinking: &claudeAlways},
}

var (
	claudeBudget = profile.ThinkingSupport{
		State: profile.ThinksIfAsked, Enabled: true, OffType: "disabled", Budget: true, MinBudget: 1024, ThoughtFirst: true, NoSampling: true,
	}
	claudeOn = profile.ThinkingSupport{
		State: profile.ThinksByDefault, Adaptive: true, OffType: "disabled", Efforts: claudeEfforts, Display: true,
	}
	claudeAlways = profile.ThinkingSupport{
		State: profile.ThinksAlways, Adaptive: true, Efforts: claudeEfforts, Display: true,
	}
)
