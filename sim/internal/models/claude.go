package models

import (
	"slices"
	"strconv"
	"strings"
)

// Claude is what a model accepts on Messages.
type Claude struct {
	Family string
	Known  bool

	Enabled, adaptive, disabled, between bool // types of thinking

	ByDefault   bool // thinks without being told to
	Omits       bool // withholds the thought's text unless asked
	Effort      bool // takes an effort
	CappedOff   bool // thinking is off, or between tools, only up to high effort
	Sampling    SamplingRule
	NeverForced bool // any and tool are refused whatever the thinking
	NoPrefill   bool
	Bound       bool // signatures cover the conversation before them
}

// SamplingRule says which sampling members a model accepts.
type SamplingRule int

// The rules.
const (
	SamplingFree    SamplingRule = iota
	SamplingEither               // temperature or top_p, not both
	SamplingDefault              // at the defaults only
	SamplingNone
)

// FindClaude finds what a model accepts. Source: Anthropic, "Thinking" and the
// migration guides; vercel/ai, packages/anthropic, anthropic-model-catalog.ts;
// pydantic-ai, profiles/anthropic.py; read 2026-11-30.
func FindClaude(name string) Claude {
	family, major, minor := parseClaudeName(name)
	c := Claude{Family: family, Known: family != "", Enabled: true, disabled: true}
	version := 10*major + minor
	switch {
	case family == "":
		c.adaptive, c.Effort = true, true
		return c
	case version < 46:
		c.Effort = family == "opus" && version == 45
		if major >= 4 {
			c.Sampling = SamplingEither
		}
		return c
	}
	c.adaptive, c.NoPrefill, c.Effort = true, true, true
	if version == 46 {
		return c
	}
	c.Enabled, c.Omits, c.Sampling = false, true, SamplingNone
	if major == 4 {
		return c
	}
	c.ByDefault = true
	return c.narrowFifth(family, version)
}

// narrowFifth narrows the models from 5 on.
func (c Claude) narrowFifth(family string, version int) Claude {
	c.Bound = version >= 55 && slices.Contains([]string{"opus", "sonnet", "haiku"}, family)
	switch {
	case family == "sonnet" && version < 55:
		c.Sampling = SamplingDefault
	case family == "opus" && version < 55, family == "haiku":
		c.CappedOff = true
	case family == "sonnet":
		c.disabled, c.between, c.CappedOff, c.NeverForced = false, true, true, true
	default: // Opus 5.5, Fable, Mythos
		c.disabled, c.NeverForced = false, true
		c.Bound = c.Bound || version >= 51
	}
	return c
}

// parseClaudeName reads family and version from claude-opus-4-6,
// claude-3-5-haiku-20241022 and their like.
func parseClaudeName(name string) (family string, major, minor int) {
	rest, ok := strings.CutPrefix(name, "claude-")
	if !ok {
		return "", 0, 0
	}
	var version []int
	for word := range strings.SplitSeq(rest, "-") {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && len(word) < 3:
			version = append(version, n)
		case slices.Contains([]string{"opus", "sonnet", "haiku", "fable", "mythos"}, word):
			family = word
		}
	}
	version = append(version, 0, 0)
	if family == "" || version[0] == 0 {
		return "", 0, 0
	}
	return family, version[0], version[1]
}

// TakesThinking reports whether a type of thinking is accepted.
func (c Claude) TakesThinking(kind string) bool {
	switch kind {
	case "enabled":
		return c.Enabled
	case "adaptive":
		return c.adaptive
	case "disabled":
		return c.disabled
	case "between_tools":
		return c.between
	}
	return false
}
