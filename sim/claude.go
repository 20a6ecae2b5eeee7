package sim

import (
	"slices"
	"strconv"
	"strings"
)

// claude is what a model accepts on Messages.
type claude struct {
	family string
	known  bool

	enabled, adaptive, disabled, between bool // types of thinking

	byDefault   bool // thinks without being told to
	omits       bool // withholds the thought's text unless asked
	effort      bool // takes an effort
	cappedOff   bool // thinking is off, or between tools, only up to high effort
	sampling    samplingRule
	neverForced bool // any and tool are refused whatever the thinking
	noPrefill   bool
	bound       bool // signatures cover the conversation before them
}

type samplingRule int

const (
	samplingFree    samplingRule = iota
	samplingEither               // temperature or top_p, not both
	samplingDefault              // at the defaults only
	samplingNone
)

// claudeModel finds what a model accepts. Source: Anthropic, "Thinking" and the
// migration guides; vercel/ai, packages/anthropic, anthropic-model-catalog.ts;
// pydantic-ai, profiles/anthropic.py; read 2026-11-30.
func claudeModel(name string) claude {
	family, major, minor := claudeName(name)
	c := claude{family: family, known: family != "", enabled: true, disabled: true}
	version := 10*major + minor
	switch {
	case family == "":
		c.adaptive, c.effort = true, true
		return c
	case version < 46:
		c.effort = family == "opus" && version == 45
		if major >= 4 {
			c.sampling = samplingEither
		}
		return c
	}
	c.adaptive, c.noPrefill, c.effort = true, true, true
	if version == 46 {
		return c
	}
	c.enabled, c.omits, c.sampling = false, true, samplingNone
	if major == 4 {
		return c
	}
	c.byDefault = true
	return c.fifth(family, version)
}

// fifth narrows the models from 5 on.
func (c claude) fifth(family string, version int) claude {
	c.bound = version >= 55 && slices.Contains([]string{"opus", "sonnet", "haiku"}, family)
	switch {
	case family == "sonnet" && version < 55:
		c.sampling = samplingDefault
	case family == "opus" && version < 55, family == "haiku":
		c.cappedOff = true
	case family == "sonnet":
		c.disabled, c.between, c.cappedOff, c.neverForced = false, true, true, true
	default: // Opus 5.5, Fable, Mythos
		c.disabled, c.neverForced = false, true
		c.bound = c.bound || version >= 51
	}
	return c
}

// claudeName reads family and version from claude-opus-4-6,
// claude-3-5-haiku-20241022 and their like.
func claudeName(name string) (family string, major, minor int) {
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

// takes reports whether a type of thinking is accepted.
func (c claude) takes(kind string) bool {
	switch kind {
	case "enabled":
		return c.enabled
	case "adaptive":
		return c.adaptive
	case "disabled":
		return c.disabled
	case "between_tools":
		return c.between
	}
	return false
}
